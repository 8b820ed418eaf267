// The overview of all boards: one card each, those that need attention first.

import { Board, squares } from "./board.js";
import * as clock from "./clock.js";
import { $, h, keyed, say, set } from "./dom.js";
import { hall } from "./net.js";
import { colon, t } from "./words.js";

const boards = new WeakMap();
let filter = "";

/** The name of a table, else of the board: what it is called in the hall. */
export const place = (card) => (card.table ? t("page-table", { table: card.table }) : card.board);

/** What is known of a player: by the game, else by the pairings. */
export const who = (card, side) => (card.game?.[side]?.name ? card.game[side] : (card.pairing?.[side] ?? card.game?.[side]));

/** The last moves in a line: Black's number is not said again after White's move. */
const line = (sans) => sans.map((san, index) => (index ? san.replace(/^\d+… /, "") : san)).join(" ");

/** A player's name. */
export const player = (card, side) => who(card, side)?.name || t(`player-${side}`);

/** The result, with a sign for a draw that is shorter. */
export const score = (result) => (result === "1/2-1/2" ? "½–½" : result.replace("-", "–"));

/** The alert that matters most: a notice only where there is nothing else. */
export function first(card) {
  const alerts = card.game?.alerts ?? [];
  return alerts.find((alert) => !alert.notice) ?? alerts[0];
}

/** Squares that differ from the record, with what they show by now: they are told anew only when other squares come or go. */
export function differs(card) {
  const now = card.placement ? squares(card.placement) : null;
  const shown = (card.displaced ?? []).map((one) => (now ? { ...one, seen: now[one.square] ?? "empty" } : one));
  return shown.filter((one) => one.seen !== one.expected);
}

/** How a board is, in a few words. */
export function state(card) {
  const alert = first(card);
  if (alert && !alert.notice) return { kind: "alert", text: t(`kind-${alert.kind}`) };
  if (card.contact !== "ready") return { kind: "device", text: t(`page-contact-${card.contact}`) };
  if (alert) return { kind: "notice", text: t(`kind-${alert.kind}`) };
  const game = card.game;
  if (!game) return { kind: "quiet", text: card.pairing?.forfeit ?? t("page-state-empty") };
  if (game.result !== "*") return { kind: "quiet", text: score(game.result) };
  const count = differs(card).length;
  if (count) return { kind: "notice", text: t("page-state-differs", { count }) };
  if (game.paused) return { kind: "notice", text: t("page-state-paused") };
  if (game.uncertain) return { kind: "play", text: t("page-state-uncertain") };
  return { kind: "play", text: t(game.ply ? "page-state-play" : "page-state-start") };
}

/** What a card's board shows: the record, else what the squares show. */
export function position(card) {
  const marks = Object.fromEntries(differs(card).map(({ square }) => [square, "wrong"]));
  for (const alert of card.game?.alerts ?? []) {
    for (const square of alert.squares) marks[square] ??= alert.notice ? "notice" : "alert";
  }
  return { pieces: squares(card.game?.fen ?? card.placement), last: card.game?.last_move ?? null, marks };
}

function side(name) {
  return h(
    "div",
    { class: `side ${name}` },
    h("span", { class: "man", "aria-hidden": "true" }),
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
  const how = state(card);
  set(link, "href", `/board/${encodeURIComponent(card.board)}`);
  link.dataset.board = card.board;
  link.dataset.state = how.kind;
  link.dataset.attention = card.attention;
  say($(".table", link), card.table ? String(card.table) : card.board);
  say($(".state", link), how.text);
  for (const side of ["white", "black"]) {
    const row = $(`.side.${side}`, link);
    const name = $(".name", row);
    say(name, [who(card, side)?.title, player(card, side)].filter(Boolean).join(" "));
    const time = $(".clock", row);
    time.dataset.clock = side;
    time.dataset.board = card.board;
    clock.show(time, card, side);
  }
  say($(".last", link), how.kind === "device" && card.reason ? card.reason : line(card.game?.last_sans ?? []));
  set(link, "aria-label", colon(place(card), colon(`${player(card, "white")} – ${player(card, "black")}`, how.text)));
  const ground = $(".ground", link);
  if (!boards.has(ground)) boards.set(ground, new Board(ground));
  boards.get(ground).show(position(card));
}

/** Sorted by what needs attention, then by tables. */
export function order(cards) {
  const tables = (card) => card.table ?? Infinity;
  const by = (a, b) =>
    b.attention - a.attention || tables(a) - tables(b) || (tables(a) === tables(b) ? a.board.localeCompare(b.board) : 0);
  return [...cards].sort(by);
}

function fits(card) {
  if (!filter) return true;
  if (/^\d+$/.test(filter) && card.table) return String(card.table).startsWith(filter);
  const text = [card.board, player(card, "white"), player(card, "black"), String(card.table ?? "")].join(" ");
  return text.toLowerCase().includes(filter.toLowerCase());
}

/** Shows only boards that fit: a table's number, or part of a name. */
export function narrow(text) {
  filter = text.trim();
  draw();
}

/** Draws everything. */
export function draw() {
  const cards = order(hall.cards.values()).filter(fits);
  keyed($("#cards"), cards, (card) => card.board, make, update);
  say($("#none"), !hall.read || cards.length ? "" : t(filter ? "page-none-fits" : "page-none"));
}

/** Draws what changed of one board. */
export function redraw(name) {
  const card = hall.cards.get(name);
  const item = [...$("#cards").children].find((element) => element.dataset.key === name);
  // The card's place may depend on it.
  if (!card || !item || Number(item.firstElementChild.dataset.attention) !== card.attention) draw();
  else update(item, card);
}

/** Moves the focus from card to card as they lie on the screen. */
export function step(key) {
  const links = [...document.querySelectorAll("#cards .card")];
  if (!links.length) return;
  const from = links.indexOf(document.activeElement);
  if (from < 0) return links[0].focus();
  const here = links[from].getBoundingClientRect();
  let to = null;
  if (key === "ArrowRight") to = links[from + 1];
  if (key === "ArrowLeft") to = links[from - 1];
  if (key === "Home") to = links[0];
  if (key === "End") to = links.at(-1);
  if (key === "ArrowDown" || key === "ArrowUp") {
    const down = key === "ArrowDown";
    const boxes = links.map((link) => [link, link.getBoundingClientRect()]);
    const beyond = boxes.filter(([, box]) => (down ? box.top > here.top + 4 : box.top < here.top - 4));
    const near = ([, box]) => Math.abs(box.top - here.top) * 1000 + Math.abs(box.left - here.left);
    to = beyond.sort((a, b) => near(a) - near(b))[0]?.[0];
  }
  to?.focus();
  to?.scrollIntoView({ block: "nearest" });
}
