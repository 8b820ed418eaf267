// Continuing the game of a broken board on another one.

import { compareNames } from "./card.js";
import { $, fill, h } from "./dom.js";
import { refusalLine, sendForm } from "./form.js";
import { hall, request } from "./net.js";
import { colon, language, t } from "./words.js";

/** Returns whether a game of known players is being played on this board. */
const isInUse = ({ game }) => Boolean(game && !game.continued && game.result === "*" && game.ply > 0 && game.white?.name);

/** Returns whether a game is being played on this board that can continue on another one. */
export const canExchange = (board) => {
  const game = hall.cards.get(board)?.game;
  return Boolean(game && !game.continued && game.result === "*" && game.ply > 0);
};

/** Returns the boards on which a game can continue, those without a table first. */
function freeBoards(from) {
  const free = [...hall.cards.values()].filter((card) => card.board !== from && card.contact === "ready" && !isInUse(card));
  return free.sort((one, other) => Boolean(one.table) - Boolean(other.table) || compareNames(one.board, other.board));
}

/**
 * Asks on which board the game of board `from` continues. While the server refuses, e.g. because the position is not set up there,
 * the dialog shows why. `done` receives the name of the other board.
 */
export function open(from, done) {
  const dialog = $("#desk-dialog");
  const name = ({ board, table }) => (table ? colon(board, t("page-table", { table })) : board);
  const free = freeBoards(from);
  const select = h("select", { name: "to" }, free.map((card) => h("option", { value: card.board }, name(card))));
  const act = h("button", { class: "main", value: "do" }, t("page-desk-exchange-do"));
  const form = h(
    "form",
    { method: "dialog", id: "exchange" },
    h("h2", {}, t("page-do-exchange")),
    h("p", { class: "muted" }, t("page-desk-exchange-about", { board: from })),
    free.length ? h("label", {}, t("page-desk-exchange-to"), select) : h("p", {}, t("page-desk-exchange-none")),
    refusalLine(),
    h("div", { class: "buttons" }, free.length ? act : null, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const to = select.value;
    sendForm(dialog, form, async () => {
      await request(`/api/desk/exchange?lang=${language}`, { from, to });
      done(to);
    });
  });
  fill(dialog, form);
  dialog.open || dialog.showModal();
  $("select, button", form).focus();
}
