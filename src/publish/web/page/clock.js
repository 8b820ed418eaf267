// Clocks that keep running between reports of the board's clock.

import { hall, now } from "./net.js";
import { say, set } from "./dom.js";
import { t } from "./words.js";

/** `1:05:09`, `5:09`. */
export function format(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Reads `1:05:09` or `5:09`; null for anything else. */
export function parse(text) {
  const parts = text.trim().split(":");
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => /^\d{1,2}$/.test(part))) return null;
  return parts.reduce((seconds, part) => seconds * 60 + Number(part), 0) * 1000;
}

/** What a side's clock shows now; null: it has none. */
export function left(clock, side) {
  if (!clock) return null;
  const told = clock[`${side}_ms`];
  if (told === null || told === undefined) return null;
  if (!clock.running || clock.turn !== side) return told;
  // The server sends nothing while the clock counts down as predicted.
  return Math.max(0, told - Math.max(0, now() - clock.read_at));
}

/** Shows a side's clock in an element. */
export function show(element, card, side) {
  const clock = card?.clock;
  const ms = left(clock, side);
  say(element, ms === null ? "" : format(ms));
  const runs = Boolean(clock?.running && clock.turn === side && hall.lost === null);
  element.classList.toggle("runs", runs);
  element.classList.toggle("flag", Boolean(clock?.[`flag_${side}`]));
  element.classList.toggle("low", ms !== null && ms < 120000);
  set(element, "title", clock?.[`flag_${side}`] ? t("kind-flag_fall") : null);
}

/** All clocks on the page: `<span data-clock="white" data-board="…">`. */
function tick() {
  if (hall.lost !== null || document.visibilityState === "hidden") return;
  for (const element of document.querySelectorAll("[data-clock]")) {
    const card = hall.cards.get(element.dataset.board);
    if (card?.clock?.running) show(element, card, element.dataset.clock);
  }
}

setInterval(tick, 200);
