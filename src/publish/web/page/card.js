// What a card says: its place, its players, its state, its position.

import { squares } from "./board.js";
import { hall, isKnown } from "./net.js";
import { t } from "./words.js";

/** Compares names of boards: 2 is before 10. */
export const compareNames = new Intl.Collator("en", { numeric: true }).compare;

/** The numbers of the boards without a table, for visitors: the names are those of devices. */
const numbers = { cards: null, count: 0, byName: new Map() };

function numberOf(board) {
  if (numbers.cards !== hall.cards || numbers.count !== hall.cards.size) {
    const names = [...hall.cards.values()].filter((card) => !card.table).map((card) => card.board).sort(compareNames);
    [numbers.cards, numbers.count] = [hall.cards, hall.cards.size];
    numbers.byName = new Map(names.map((name, index) => [name, index + 1]));
  }
  return numbers.byName.get(board) ?? "";
}

/** Returns the name of the table in the hall, otherwise of the board. */
export function placeName(card) {
  if (card.table) return t("page-table", { table: card.table });
  return isKnown() ? card.board : t("page-board", { number: numberOf(card.board) });
}

/**
 * Returns the name of the place where it is short: the number of the table, otherwise the name of the board; visitors see none, since
 * another number would be taken for that of a table.
 */
export const placeNumber = (card) => (card.table ? String(card.table) : isKnown() ? card.board : "");

/** Returns the data of a player from the game, otherwise from the pairings. */
export const playerInfo = (card, side) => (card.game?.[side]?.name ? card.game[side] : (card.pairing?.[side] ?? card.game?.[side]));

/** Returns a player's name. */
export const playerName = (card, side) => playerInfo(card, side)?.name || t(`player-${side}`);

/** Shortens the first names to initials, so many at most. A name without a comma stays as it is. */
function shortName(name, count) {
  const [surname, ...rest] = name.split(",");
  const letters = rest.join(" ").split(/\s+/).filter(Boolean).map((first) => `${[...first][0]}.`);
  return letters.length ? `${surname}, ${letters.slice(0, count).join(" ")}` : name;
}

/** Shortens `Li, Yi Heng` to `Li, Y. H.`. */
export const initials = (name) => shortName(name, Infinity);

/** Shortens `Li, Yi Heng` to `Li, Y.`. */
export const oneInitial = (name) => shortName(name, 1);

/** Joins the last moves, so many: Black's move has no number after White's. */
export const lastMoves = (card, count) => (card.game?.last_sans ?? []).slice(-count).map((san, index) => (index ? san.replace(/^\d+… /, "") : san)).join(" ");

/** Formats a result; a draw is shortened. */
export const score = (result) => (result === "1/2-1/2" ? "½–½" : result.replace("-", "–"));

/** The result of a pairing whose game goes on later. */
const ADJOURNED = "adjourned";
/** The result of a pairing that both players lose. */
const BOTH_LOSE = "0-0";

/** Returns the result of the pairing; null: none, or a game is played at its table that can have the result itself, and does not. */
function pairingResult({ game, pairing }) {
  const result = pairing?.result ?? null;
  return game?.ply && result !== ADJOURNED && result !== BOTH_LOSE ? null : result;
}

/** Returns what a player scored: `1`, `½`, `0`, or `+` and `–` if the game was forfeited; empty while it is not decided. */
export function points(card, side) {
  const index = side === "white" ? 0 : 1;
  const forfeit = card.pairing?.forfeit;
  const decided = (result) => (result === "1/2-1/2" ? "½" : (result.split("-")[index] ?? ""));
  if (card.game && card.game.result !== "*") return decided(card.game.result);
  if (forfeit) return forfeit[index === 0 ? 0 : forfeit.length - 1].replace("-", "–");
  const result = pairingResult(card);
  return result && result !== ADJOURNED ? decided(result) : "";
}

/** Returns the side whose turn it is; null while nobody plays. */
export function turn(card) {
  if (!card.game || phase(card) === "ended" || !(card.game.ply || card.clock?.running)) return null;
  return card.game.fen.split(" ")[1] === "b" ? "black" : "white";
}

/** Returns how far a game is: `start`, `play` or `ended`. */
export function phase(card) {
  if (points(card, "white")) return "ended";
  return card.game?.ply || pairingResult(card) ? "play" : "start";
}

/** Returns the most urgent alert of the game, or that an earlier game has no result. */
export function topAlert(card) {
  const missing = (card.former?.alerts ?? []).filter(({ kind }) => kind === "result_missing");
  const alerts = [...(card.game?.alerts ?? []), ...missing];
  return alerts.reduce((top, alert) => (top && top.urgency <= alert.urgency ? top : alert), undefined);
}

/**
 * Returns the squares that differ from the record, with what they show now. The server sends them again only when the set of
 * squares changes.
 */
export function differences(card) {
  if (!card.displaced?.length) return [];
  const current = card.placement ? squares(card.placement) : null;
  const updated = card.displaced.map((one) => (current ? { ...one, seen: current[one.square] ?? "empty" } : one));
  return updated.filter((one) => one.seen !== one.expected);
}

/** Returns the state of a board, in a few words. */
export function boardState(card) {
  const alert = topAlert(card);
  if (alert && !alert.notice) return { kind: "alert", text: t(`kind-${alert.kind}`) };
  if (card.contact !== "ready") return { kind: "device", text: t(`page-contact-${card.contact}`) };
  if (alert) return { kind: "notice", text: t(`kind-${alert.kind}`) };
  const game = card.game;
  const decided = pairingResult(card);
  const decidedText = decided === ADJOURNED ? t("page-state-adjourned") : (card.pairing?.forfeit ?? score(decided ?? ""));
  if (!game) return { kind: "quiet", text: decidedText || t(card.pairing ? "page-state-start" : "page-state-empty") };
  if (game.result !== "*") return { kind: "quiet", text: score(game.result) };
  if (game.ply && decided === BOTH_LOSE) return { kind: "quiet", text: decidedText };
  const count = differences(card).length;
  if (count) return { kind: "notice", text: t("page-state-differs", { count }) };
  if (game.paused) return { kind: "notice", text: t("page-state-paused") };
  if (decided) return { kind: "quiet", text: game.ply ? decidedText : t("page-state-ready", { result: decidedText }) };
  if (game.uncertain && isKnown()) return { kind: "play", text: t("page-state-uncertain") };
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
