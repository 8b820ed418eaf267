// The lists below the moves of a game.

import { score } from "./card.js";
import { $, h, keyed, setText } from "./dom.js";
import { name } from "./rule.js";
import { colon, comma, has, t, time } from "./words.js";

const reason = (word) => (has(`page-reason-${word}`) ? t(`page-reason-${word}`) : word);

/** Draws the lists below the moves of a game (null: not loaded yet): its past alerts, the corrections, and the players' counted irregularities. */
export function drawLists(current, loadedGame) {
  const open = new Set((current.game?.alerts ?? []).map(({ id }) => id));
  const pastAlerts = (loadedGame?.alerts ?? []).filter((alert) => alert.cleared || !open.has(alert.id));
  $("#past-alerts").hidden = pastAlerts.length === 0;
  setText($("#past-alerts summary"), t("page-past-alerts", { count: pastAlerts.length }));
  const alertLine = (one) => [`${time(one.raised)} ${colon(t(`kind-${one.kind}`), one.text)}`, one.taken_back && t("page-taken-back")].filter(Boolean).join(" · ");
  keyed($("#past-alerts ol"), pastAlerts, (alert) => alert.id, () => h("li"), (item, one) => setText(item, alertLine(one)));
  const corrections = loadedGame?.corrections ?? [];
  $("#corrections").hidden = corrections.length === 0;
  setText($("#corrections summary"), t("page-corrections", { count: corrections.length }));
  const line = (one) => `${time(one.wall_ms)} ${colon(name(current, one.from_ply), `${one.was.join(" ") || "–"} → ${one.now.join(" ") || "–"}`)} · ${reason(one.reason)}`;
  keyed($("#corrections ol"), corrections, (one) => `${one.wall_ms} ${one.from_ply} ${one.now}`, () => h("li"), (item, one) => setText(item, line(one)));
  const counted = ["white", "black"].flatMap((side) => (loadedGame?.tally?.[side] ?? []).map((one) => ({ side, ...one })));
  $("#tally").hidden = counted.length === 0;
  setText($("#tally summary"), t("page-tally", { count: counted.length }));
  const irregularities = (one) => comma([one.what].flat().map((word) => t(`page-count-${word}`)));
  keyed($("#tally ol"), counted, (one) => `${one.side} ${one.ply}`, () => h("li"), (item, one) => setText(item, colon(name(current, one.ply), irregularities(one))));
  const ended = current.game && current.game.result !== "*";
  setText($("#result"), ended ? [score(current.game.result), has(`page-ended-${current.game.reason}`) ? t(`page-ended-${current.game.reason}`) : ""].filter(Boolean).join(" · ") : "");
  setText($("#laws"), loadedGame?.laws ?? "");
}
