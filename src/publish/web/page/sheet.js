// The printable score sheet: for players who reconstruct a game (Art. 8.5), and for the arbiter's records.

import { score } from "./card.js";
import { format } from "./clock.js";
import { $, fill, h } from "./dom.js";
import { hall, isKnown } from "./net.js";
import { colon, language, t } from "./words.js";

/** The number of moves in one column. */
const COLUMN = 30;

/** Returns whether this is the null move, which marks missing moves. */
export const isMissing = (move) => move.uci === "0000";

let drawnContent = "";

function table(moves, from, first) {
  const rows = [];
  for (let row = from; row < from + COLUMN; row += 1) {
    const cells = [moves[row * 2], moves[row * 2 + 1]].flatMap((move, side) => {
      const ms = move?.[side ? "clock_black_ms" : "clock_white_ms"];
      const mark = move ? (move.irregular && !isMissing(move) ? " ✗" : move.confidence < 0.9 && isKnown() ? " ?" : "") : "";
      return [h("td", {}, (move?.san ?? "") + mark), h("td", { class: "time" }, ms === null || ms === undefined ? "" : format(ms))];
    });
    rows.push(h("tr", {}, h("th", { scope: "row" }, String(first + row)), cells));
  }
  const head = [t("player-white"), t("page-clock"), t("player-black"), t("page-clock")].map((text) => h("th", { scope: "col" }, text));
  return h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, ""), head)), h("tbody", {}, rows));
}

/** Draws the score sheet, which is visible only in print. */
export function draw(card, game) {
  const content = JSON.stringify([card.game, card.table, game.moves, hall.event, hall.user, language]);
  if (content === drawnContent) return;
  drawnContent = content;
  const [, turn, , , , number] = (game.start_fen ?? "").split(" ");
  const moves = turn === "b" ? [undefined, ...game.moves] : game.moves;
  const rows = Math.ceil(moves.length / 2);
  const columns = Math.max(2, Math.ceil(rows / COLUMN));
  const playerText = (side) => {
    const one = card.game[side];
    return [one.title, one.name, one.rating && `(${one.rating})`, one.team, one.fide_id && `FIDE ${one.fide_id}`].filter(Boolean).join(" ");
  };
  const details = [hall.event.name, hall.event.site, hall.event.date, hall.event.round && t("page-round", { round: hall.event.round }), card.table && t("page-table", { table: card.table })];
  const isStandard = (game.start_fen ?? "").startsWith("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w ");
  fill(
    $("#sheet"),
    h("h1", {}, t("page-sheet")),
    h("p", {}, details.filter(Boolean).join(" · ")),
    h("p", { class: "players" }, h("b", {}, colon(t("player-white"), "")), playerText("white")),
    h("p", { class: "players" }, h("b", {}, colon(t("player-black"), "")), playerText("black")),
    isStandard ? null : h("p", {}, colon(t("page-start"), game.start_fen)),
    h("div", { class: "columns" }, Array.from({ length: columns }, (_, column) => table(moves, column * COLUMN, Number(number) || 1))),
    h("p", {}, h("b", {}, colon(t("page-result"), "")), card.game.result === "*" ? "" : score(card.game.result)),
    h("p", { class: "signatures" }, [t("player-white"), t("player-black"), t("page-arbiter")].map((name) => h("span", {}, name))),
    h("p", { class: "small" }, t(isKnown() ? "page-sheet-from" : "page-sheet-public")),
  );
}
