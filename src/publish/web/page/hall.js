// The overview of all boards: one card each, those that need attention first. Only the cards on the screen are drawn.

import { boardState, compareNames, placeName, placeNumber, playerName } from "./card.js";
import { $, h, keyed, setAttribute, setText } from "./dom.js";
import * as filters from "./filter.js";
import { hall, isKnown, whenDrawing } from "./net.js";
import * as tile from "./tile.js";
import { colon, t } from "./words.js";

/** How long cards are drawn in one frame at most, in milliseconds; the others follow in the next frame. */
const FRAME_MS = 2;
/** How many cards are drawn in one frame at most: their layout takes longer than drawing them. */
const FRAME_CARDS = 10;

/** The links of the cards on this page, by board. */
const links = new Map();
/** The boards of the cards that match the filters, on whatever page, with their need for attention: it determines their order. */
let matching = new Map();
/** The boards of the cards on the screen, or near it. */
const visible = new Set();
/** The boards of those that have to be drawn. */
const stale = new Set();
let isScheduled = false;
/** The width of all cards together. */
let width = 0;

const observer = new IntersectionObserver(observe, { rootMargin: "25% 0px" });

function observe(entries) {
  for (const { target, isIntersecting } of entries) {
    const { board } = target.dataset;
    if (links.get(board) !== target) continue;
    if (isIntersecting) {
      visible.add(board);
      stale.add(board);
    } else {
      visible.delete(board);
      stale.delete(board);
      tile.release(target);
    }
  }
  schedule();
}

function schedule() {
  if (isScheduled || !stale.size) return;
  isScheduled = true;
  whenDrawing(() => {
    isScheduled = false;
    drawStale();
  });
}

/** Draws cards that have to be drawn, as long as there is time in this frame. */
function drawStale() {
  if ($("#hall").hidden) return;
  const end = performance.now() + FRAME_MS;
  const drawn = [];
  const { size } = $("#cards").dataset;
  const style = { isRow: size === "rows", moves: filters.lastMoves(size) };
  for (const board of stale) {
    stale.delete(board);
    const [card, link] = [hall.cards.get(board), links.get(board)];
    if (!card || !link) continue;
    update(link, card, style);
    drawn.push(link);
    if (drawn.length === FRAME_CARDS || performance.now() > end) break;
  }
  tile.fitNames(drawn);
  schedule();
}

function make(card) {
  const link = h("a", { class: "card", href: `/board/${encodeURIComponent(card.board)}`, "data-board": card.board });
  return h("li", {}, link);
}

/** Adds the link of a new card; a card that is on the screen has to be drawn again. */
function place(item, card) {
  const link = item.firstElementChild;
  if (links.get(card.board) !== link) {
    links.set(card.board, link);
    observer.observe(link);
  }
  if (visible.has(card.board)) stale.add(card.board);
}

function update(link, card, style) {
  const status = boardState(card);
  setAttribute(link, "data-state", status.kind);
  setAttribute(link, "aria-label", colon(placeName(card), colon(`${playerName(card, "white")} – ${playerName(card, "black")}`, status.text)));
  tile.draw(link, card, style);
}

/** Sorts by need for attention, then by table. */
function order(cards) {
  const tables = (card) => card.table ?? Infinity;
  const compare = (a, b) => b.attention - a.attention || (tables(a) === tables(b) ? compareNames(a.board, b.board) : tables(a) - tables(b));
  return [...cards].sort(compare);
}

/** Draws everything. */
export function draw() {
  const cards = order([...hall.cards.values()].filter(filters.matches));
  matching = new Map(cards.map((card) => [card.board, card.attention]));
  const { page, pages, from, to } = filters.pages(cards.length);
  const shown = cards.slice(from, to);
  const names = new Set(shown.map((card) => card.board));
  for (const [board, link] of links) {
    if (names.has(board)) continue;
    observer.unobserve(link);
    tile.release(link);
    links.delete(board);
    visible.delete(board);
    stale.delete(board);
  }
  drawTools();
  keyed($("#cards"), shown, (card) => card.board, make, place);
  drawPages(page, pages);
  setText($("#none"), !hall.loaded || cards.length ? "" : t(filters.isFiltering() ? "page-none-fits" : "page-none"));
  drawStale();
}

/** Redraws the cards of these boards. */
export function redraw(boards) {
  let isSame = true;
  for (const board of boards) {
    const card = hall.cards.get(board);
    // The order of the cards depends on their need for attention.
    isSame &&= card !== undefined && (filters.matches(card) ? matching.get(board) === card.attention : !matching.has(board));
    if (visible.has(board)) stale.add(board);
  }
  if (isSame) drawStale();
  else draw();
}

function drawPages(page, pages) {
  const nav = $("#pages");
  nav.hidden = pages < 2;
  setText($("output", nav), t("page-page", { page, pages }));
  for (const [link, to] of [[$("[rel=prev]", nav), page - 1], [$("[rel=next]", nav), page + 1]]) {
    const exists = to >= 1 && to <= pages;
    setAttribute(link, "href", exists ? filters.address({ page: to }) : null);
    setAttribute(link, "aria-disabled", exists ? null : "true");
  }
}

/** Fills a choice of filters, with the words of all rows. */
function drawChoice(element, rows, chosen) {
  const content = JSON.stringify(rows);
  if (element.dataset.content !== content) {
    element.dataset.content = content;
    element.replaceChildren(...rows.map(([value, text]) => h("option", { value }, text)));
  }
  if (element.value !== chosen) element.value = chosen;
}

/** Draws the filters and the sizes. */
function drawTools() {
  const { filter } = filters;
  const cards = [...hall.cards.values()];
  $("#cards-tools").hidden = !hall.loaded || cards.length === 0;
  const search = $("#filter");
  if (document.activeElement !== search && search.value !== filter.q) search.value = filter.q;
  drawChoice($("#by-state"), [["", t("page-all-states")], ...filters.PHASES.map((phase) => [phase, t(`page-phase-${phase}`)])], filter.state);
  const sections = [...new Set(cards.map((card) => card.pairing?.section).filter(Boolean))].sort(compareNames);
  $("#by-section").hidden = sections.length < 2 && !filter.section;
  drawChoice($("#by-section"), [["", t("page-all-sections")], ...sections.map((section) => [section, section])], filter.section);
  const needs = $("#needs");
  needs.hidden = !isKnown();
  setText(needs, t("page-needs", { count: cards.filter(filters.needsSomebody).length }));
  setAttribute(needs, "aria-pressed", String(filter.needs));
  const size = filters.size(hall.user?.role);
  if ($("#cards").dataset.size !== size) $("#cards").dataset.size = size;
  layOut();
  for (const button of document.querySelectorAll("#sizes button")) setAttribute(button, "aria-pressed", String(button.value === size));
}

/** Returns the board that a search means: that of the table with this number, otherwise the only one that matches. */
export function searchedBoard(text) {
  const cards = [...hall.cards.values()];
  if (!text.trim()) return null;
  const exact = cards.find((card) => placeNumber(card) === text.trim());
  if (exact) return exact.board;
  return matching.size === 1 ? [...matching.keys()][0] : null;
}

/** Connects the controls. `go`: shows an address; `replace`: without a new entry in the history. */
export function begin(go) {
  $("#filter").oninput = ({ target }) => go(filters.address({ q: target.value.trim() }), { replace: true });
  $("#by-state").onchange = ({ target }) => go(filters.address({ state: target.value }));
  $("#by-section").onchange = ({ target }) => go(filters.address({ section: target.value }));
  $("#needs").onclick = () => go(filters.address({ needs: !filters.filter.needs }));
  $("#sizes").onclick = ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    filters.chooseSize(button.value);
    draw();
  };
  filters.onPaging(draw);
  new ResizeObserver(([{ contentRect }]) => {
    width = contentRect.width;
    layOut();
    schedule();
  }).observe($("#cards"));
}

/** Fits the names again if the width of the cards may have changed. */
function layOut() {
  if (tile.setLayout(`${$("#cards").dataset.size} ${width}`)) visible.forEach((board) => stale.add(board));
}

/** Moves the focus between cards, by their positions on the screen. */
export function moveFocus(key) {
  const cards = [...document.querySelectorAll("#cards .card")];
  if (!cards.length) return;
  const from = cards.indexOf(document.activeElement);
  if (from < 0) return cards[0].focus();
  const fromBox = cards[from].getBoundingClientRect();
  let to = null;
  if (key === "ArrowRight") to = cards[from + 1];
  if (key === "ArrowLeft") to = cards[from - 1];
  if (key === "Home") to = cards[0];
  if (key === "End") to = cards.at(-1);
  if (key === "ArrowDown" || key === "ArrowUp") {
    const down = key === "ArrowDown";
    const boxes = cards.map((card) => [card, card.getBoundingClientRect()]);
    const candidates = boxes.filter(([, box]) => (down ? box.top > fromBox.top + 4 : box.top < fromBox.top - 4));
    const distance = ([, box]) => Math.abs(box.top - fromBox.top) * 1000 + Math.abs(box.left - fromBox.left);
    to = candidates.sort((a, b) => distance(a) - distance(b))[0]?.[0];
  }
  to?.focus();
  to?.scrollIntoView({ block: "nearest" });
}

/** Moves the focus to the card of a board. */
export const focusCard = (board) => links.get(board)?.focus({ preventScroll: true });
