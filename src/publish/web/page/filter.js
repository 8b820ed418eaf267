// Which cards are shown, and how: filters and page are in the address, the size is remembered by the browser.

import { phase, placeNumber, playerInfo, playerName } from "./card.js";
import { isKnown } from "./net.js";

/** The sizes of cards, the smallest first. */
export const SIZES = ["rows", "s", "m", "l"];
/** How far a game may be. */
export const PHASES = ["start", "play", "ended"];

/** The number of cards on a page of a telephone; elsewhere all are on one page. */
const TELEPHONE_PAGE = 20;
const telephone = matchMedia("(max-width: 700px)");

/** What the address says. */
export const filter = { q: "", state: "", section: "", needs: false, page: 1 };

/** Reads the filters from the address. */
export function readAddress() {
  const fields = new URLSearchParams(location.search);
  const word = (name, known) => (known.includes(fields.get(name)) ? fields.get(name) : "");
  Object.assign(filter, {
    q: fields.get("q")?.trim() ?? "",
    state: word("state", PHASES),
    section: fields.get("section") ?? "",
    needs: fields.has("needs"),
    page: Math.max(1, Math.trunc(Number(fields.get("page"))) || 1),
  });
}

/** Returns the address with these changes of the filters. */
export function address(changes = {}) {
  const next = { ...filter, page: 1, ...changes };
  const fields = new URLSearchParams();
  for (const name of ["q", "state", "section"]) if (next[name]) fields.set(name, next[name]);
  if (next.needs) fields.set("needs", "");
  if (next.page > 1) fields.set("page", next.page);
  const query = fields.toString().replace("needs=", "needs");
  return query ? `/?${query}` : "/";
}

/** Returns whether any card may be left out. */
export const isFiltering = () => Boolean(filter.q || filter.state || filter.section || needs());

/** Visitors see no needs, so an address with this filter shows them everything. */
const needs = () => filter.needs && isKnown();

/** Returns whether a card needs somebody. */
export const needsSomebody = (card) => card.attention > 0;

/** Returns whether a card is shown: by the start of a table's number, or by part of a name. */
export function matches(card) {
  if (filter.state && phase(card) !== filter.state) return false;
  if (filter.section && card.pairing?.section !== filter.section) return false;
  if (needs() && !needsSomebody(card)) return false;
  if (!filter.q) return true;
  if (/^\d+$/.test(filter.q) && /^\d+$/.test(placeNumber(card))) return placeNumber(card).startsWith(filter.q);
  const players = ["white", "black"].flatMap((side) => [playerName(card, side), playerInfo(card, side)?.federation, playerInfo(card, side)?.team]);
  const text = [...players, isKnown() ? card.board : ""].filter(Boolean).join("\n");
  return text.toLowerCase().includes(filter.q.toLowerCase());
}

/** Returns the pages of so many cards: the shown one, their number, and the indices of its cards. */
export function pages(count) {
  const size = telephone.matches ? TELEPHONE_PAGE : Infinity;
  const all = Math.max(1, Math.ceil(count / size));
  const page = Math.min(filter.page, all);
  return { page, pages: all, from: page > 1 ? (page - 1) * size : 0, to: Math.min(count, page * size) };
}

/** Calls this function when the window becomes that of a telephone, or no longer is. */
export const onPaging = (changed) => telephone.addEventListener("change", changed);

/** Returns the chosen size; without a choice, rows for operators and middle tiles for everybody else. */
export function size(role) {
  const chosen = localStorage.getItem("size");
  if (SIZES.includes(chosen)) return chosen;
  return role === "operator" ? "rows" : "m";
}

/** Returns the number of last moves for which there is space. */
export function lastMoves(size) {
  if (size === "rows") return 1;
  return size === "s" || (size === "m" && telephone.matches) ? 2 : 4;
}

/** Remembers a size. */
export const chooseSize = (chosen) => localStorage.setItem("size", chosen);
