// What a command would do, and the question whether it should.

import { Board, squares } from "./board.js";
import { $, fill, h } from "./dom.js";
import { REWRITING } from "./commands.js";
import { CHANGED } from "./form.js";
import { postCommand, postPreview } from "./net.js";
import { say } from "./status.js";
import { t } from "./words.js";

/** Draws a position, with its heading. */
function position(heading, fen) {
  const ground = h("div", { class: "ground" });
  const box = h("figure", {}, h("figcaption", {}, heading), ground);
  return { box, draw: () => new Board(ground).show({ pieces: squares(fen) }) };
}

const moves = (heading, text) => (text ? h("p", { class: "moves-changed" }, h("b", {}, heading), " ", text) : null);

/**
 * Shows a preview, and asks whether to carry the command out. `news`: what has happened since the last time it was asked; null: it was
 * not asked yet. Returns a promise of the reply.
 */
function ask(preview, news) {
  const dialog = $("#rule");
  // Enter never removes moves once play has gone on.
  const isSafe = !(preview.removes && (preview.plies_since_alert > 0 || news));
  const positions = [position(t("page-preview-before"), preview.before), position(t("page-preview-after"), preview.after)];
  return new Promise((resolve) => {
    const act = h("button", { type: "button", id: "preview-do", class: isSafe ? "main" : "danger" }, preview.action);
    const cancel = h("button", { type: "button", id: "preview-cancel", class: isSafe ? "quiet" : "main" }, t("page-cancel"));
    const reply = (confirmed) => () => {
      dialog.removeEventListener("close", dismissed);
      dialog.close();
      resolve(confirmed);
    };
    const dismissed = () => resolve(false);
    act.addEventListener("click", reply(true));
    cancel.addEventListener("click", reply(false));
    fill(
      dialog,
      h("h2", {}, t("page-preview")),
      news ? h("p", { class: "wrong", role: "alert" }, news) : null,
      h("ul", { class: "effects" }, preview.lines.map((line) => h("li", {}, line))),
      moves(t("page-preview-removed"), preview.removed_moves),
      moves(t("page-preview-added"), preview.added_moves),
      h("div", { class: "preview-boards" }, positions.map(({ box }) => box)),
      h("div", { class: "buttons" }, isSafe ? [act, cancel] : [cancel, act]),
    );
    dialog.addEventListener("close", dismissed, { once: true });
    dialog.open || dialog.showModal();
    positions.forEach(({ draw }) => draw());
    // Nothing is being sent meanwhile.
    say("");
    (isSafe ? act : cancel).focus();
  });
}

/**
 * Sends a command. If it rewrites the record, its effects are shown first, and again if the game changes meanwhile. Returns the
 * server's answer, or null if the user does not want it.
 */
export async function sendPreviewed(card, command) {
  if (command.desk || !REWRITING.includes(command.do)) return postCommand(card, command);
  for (let news = null; ; ) {
    const { answer } = await postPreview(card, command);
    const { preview } = answer;
    if ((preview.asks || news) && !(await ask(preview, news))) return null;
    try {
      return await postCommand(card, command, preview.n);
    } catch (error) {
      if (error.status !== CHANGED) throw error;
      news = error.message;
    }
  }
}
