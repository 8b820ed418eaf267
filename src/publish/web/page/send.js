// Sends commands, and shows what came of them.

import { placeName } from "./card.js";
import { postCommand, read } from "./net.js";
import { sendPreviewed } from "./preview.js";
import { say } from "./status.js";
import { colon, comma, has, t } from "./words.js";

/** Describes the result of a command: the moves that touched pieces allow, the verdict on a claim, or what was undone. */
function resultText({ answer, text }) {
  const { allowed, claim, undone } = answer ?? {};
  if (claim) return [text, comma(claim.required), claim.articles.join(", ")].filter(Boolean).join(" · ");
  if (allowed?.length) return comma([t("page-done"), colon(t("page-allowed"), allowed.join(" "))]);
  if (undone) return colon(t("page-undone"), has(`page-do-${undone.do}`) ? t(`page-do-${undone.do}`) : undone.do);
  return text || t("page-done");
}

/** Shows the text that `send` returns, unless it is empty. Throws its error. */
async function showOutcome(card, send) {
  say(t("page-sending"));
  try {
    const text = await send();
    say(text && colon(placeName(card), text));
  } catch (error) {
    say("");
    // The user may have been logged out, or have other rights now.
    if (error.status === 401 || error.status === 403) read().catch(() => {});
    throw error;
  }
}

const showRefusal = (card) => (error) => say(colon(placeName(card), error.message), true);

/** Sends a command, unless its user decides against it, and shows its result. Throws the server's refusal. */
export const sendCommand = (card, command) =>
  showOutcome(card, async () => {
    const reply = await sendPreviewed(card, command);
    return reply ? resultText(reply) : "";
  });

/** Sends a command, and shows its result or the server's refusal. */
export const runCommand = (card, command) => sendCommand(card, command).catch(showRefusal(card));

/** Acknowledges these alerts of a game, one after the other, as long as nothing else happens in the game. */
export function acknowledgeAll(card, alerts) {
  const seen = card.game.last_number;
  const send = async () => {
    for (const { id } of alerts) await postCommand(card, { do: "acknowledge", alert: id }, seen);
    return t("page-acknowledged-all", { count: alerts.length });
  };
  return showOutcome(card, send).catch(showRefusal(card));
}
