// The overview of all boards: one card each, those that need attention first.

import { Board, squares } from "./board.js";
import * as clock from "./clock.js";
import { $, h, keyed, setText, setAttribute } from "./dom.js";
import { hall } from "./net.js";
import { colon, t } from "./words.js";

const boards = new WeakMap();
let filter = "";

/** Returns the name of the table in the hall, otherwise of the board. */
export const placeName = (card) => (card.table ? t("page-table", { table: card.table }) : card.board);

/** Returns the data of a player from the game, otherwise from the pairings. */
export const playerInfo = (card, side) => (card.game?.[side]?.name ? card.game[side] : (card.pairing?.[side] ?? card.game?.[side]));

/** Joins the last moves: Black's move has no number after White's. */
const lastMoves = (sans) => sans.map((san, index) => (index ? san.replace(/^\d+… /, "") : san)).join(" ");

/** Returns a player's name. */
export const playerName = (card, side) => playerInfo(card, side)?.name || t(`player-${side}`);

/** Formats a result; a draw is shortened. */
export const score = (result) => (result === "1/2-1/2" ? "½–½" : result.replace("-", "–"));

/** Returns the most important alert; a notice only if there is no other alert. */
export function topAlert(card) {
  const alerts = card.game?.alerts ?? [];
  return alerts.find((alert) => !alert.notice) ?? alerts[0];
}

/**
 * Returns the squares that differ from the record, with what they show now. The server sends them again only when the set of
 * squares changes.
 */
export function differences(card) {
  const current = card.placement ? squares(card.placement) : null;
  const updated = (card.displaced ?? []).map((one) => (current ? { ...one, seen: current[one.square] ?? "empty" } : one));
  return updated.filter((one) => one.seen !== one.expected);
}

/** Returns the state of a board, in a few words. */
export function boardState(card) {
  const alert = topAlert(card);
  if (alert && !alert.notice) return { kind: "alert", text: t(`kind-${alert.kind}`) };
  if (card.contact !== "ready") return { kind: "device", text: t(`page-contact-${card.contact}`) };
  if (alert) return { kind: "notice", text: t(`kind-${alert.kind}`) };
  const game = card.game;
  if (!game) return { kind: "quiet", text: card.pairing?.forfeit ?? t("page-state-empty") };
  if (game.result !== "*") return { kind: "quiet", text: score(game.result) };
  const count = differences(card).length;
  if (count) return { kind: "notice", text: t("page-state-differs", { count }) };
  if (game.paused) return { kind: "notice", text: t("page-state-paused") };
  if (game.uncertain) return { kind: "play", text: t("page-state-uncertain") };
  return { kind: "play", text: t(game.ply ? "page-state-play" : "page-state-start") };
}

/** Returns the position of a card's board: from the record, otherwise from the squares. */
export function position(card) {
  const marks = Object.fromEntries(differences(card).map(({ square }) => [square, "wrong"]));
  for (const alert of card.game?.alerts ?? []) {
    for (const square of alert.squares) marks[square] ??= alert.notice ? "notice" : "alert";
  }
  return { pieces: squares(card.game?.fen ?? card.placement), last: card.game?.last_move ?? null, marks };
}

function side(name) {
  return h(
    "div",
    { class: `side ${name}` },
    h("span", { class: "colour", "aria-hidden": "true" }),
    h("span", { class: "name" }),
    h("span", { class: "clock" }),
  );
}

function make() {
  const link = h(
    "a",
    { class: "card" },
    h("div", { class: "mini", "aria-hidden": "true" }, h("div", { class: "ground" })),
    h(
      "div",
      { class: "about" },
      h("div", { class: "top" }, h("strong", { class: "table" }), h("span", { class: "state" })),
      side("black"),
      side("white"),
      h("div", { class: "last" }),
    ),
  );
  return h("li", {}, link);
}

function update(item, card) {
  const link = item.firstElementChild;
  const status = boardState(card);
  setAttribute(link, "href", `/board/${encodeURIComponent(card.board)}`);
  link.dataset.board = card.board;
  link.dataset.state = status.kind;
  link.dataset.attention = card.attention;
  setText($(".table", link), card.table ? String(card.table) : card.board);
  setText($(".state", link), status.text);
  for (const side of ["white", "black"]) {
    const row = $(`.side.${side}`, link);
    const name = $(".name", row);
    setText(name, [playerInfo(card, side)?.title, playerName(card, side)].filter(Boolean).join(" "));
    const time = $(".clock", row);
    time.dataset.clock = side;
    time.dataset.board = card.board;
    clock.show(time, card, side);
  }
  setText($(".last", link), status.kind === "device" && card.reason ? card.reason : lastMoves(card.game?.last_sans ?? []));
  setAttribute(link, "aria-label", colon(placeName(card), colon(`${playerName(card, "white")} – ${playerName(card, "black")}`, status.text)));
  const ground = $(".ground", link);
  if (!boards.has(ground)) boards.set(ground, new Board(ground));
  boards.get(ground).show(position(card));
}

/** Sorts by need for attention, then by table. */
export function order(cards) {
  const tables = (card) => card.table ?? Infinity;
  const compare = (a, b) =>
    b.attention - a.attention || tables(a) - tables(b) || (tables(a) === tables(b) ? a.board.localeCompare(b.board) : 0);
  return [...cards].sort(compare);
}

function matches(card) {
  if (!filter) return true;
  if (/^\d+$/.test(filter) && card.table) return String(card.table).startsWith(filter);
  const text = [card.board, playerName(card, "white"), playerName(card, "black"), String(card.table ?? "")].join(" ");
  return text.toLowerCase().includes(filter.toLowerCase());
}

/** Shows only boards that match: the start of a table's number, or part of a name. */
export function setFilter(text) {
  filter = text.trim();
  draw();
}

/** Draws everything. */
export function draw() {
  const cards = order(hall.cards.values()).filter(matches);
  keyed($("#cards"), cards, (card) => card.board, make, update);
  setText($("#none"), !hall.loaded || cards.length ? "" : t(filter ? "page-none-fits" : "page-none"));
}

/** Redraws the card of one board. */
export function redraw(name) {
  const card = hall.cards.get(name);
  const item = [...$("#cards").children].find((element) => element.dataset.key === name);
  // The order of the cards depends on `attention`.
  if (!card || !item || Number(item.firstElementChild.dataset.attention) !== card.attention) draw();
  else update(item, card);
}

/** Moves the focus between cards, by their positions on the screen. */
export function moveFocus(key) {
  const links = [...document.querySelectorAll("#cards .card")];
  if (!links.length) return;
  const from = links.indexOf(document.activeElement);
  if (from < 0) return links[0].focus();
  const fromBox = links[from].getBoundingClientRect();
  let to = null;
  if (key === "ArrowRight") to = links[from + 1];
  if (key === "ArrowLeft") to = links[from - 1];
  if (key === "Home") to = links[0];
  if (key === "End") to = links.at(-1);
  if (key === "ArrowDown" || key === "ArrowUp") {
    const down = key === "ArrowDown";
    const boxes = links.map((link) => [link, link.getBoundingClientRect()]);
    const candidates = boxes.filter(([, box]) => (down ? box.top > fromBox.top + 4 : box.top < fromBox.top - 4));
    const distance = ([, box]) => Math.abs(box.top - fromBox.top) * 1000 + Math.abs(box.left - fromBox.left);
    to = candidates.sort((a, b) => distance(a) - distance(b))[0]?.[0];
  }
  to?.focus();
  to?.scrollIntoView({ block: "nearest" });
}
