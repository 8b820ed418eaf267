// Clocks that keep running between reports of the board's clock.

import { hall, now } from "./net.js";
import { setText, setAttribute } from "./dom.js";
import { t } from "./words.js";

/** Formats a time as `1:05:09` or `5:09`. */
export function format(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Parses `1:05:09` or `5:09`; returns null for anything else. */
export function parse(text) {
  const parts = text.trim().split(":");
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => /^\d{1,2}$/.test(part))) return null;
  return parts.reduce((seconds, part) => seconds * 60 + Number(part), 0) * 1000;
}

/** Returns the time on a side's clock now, in milliseconds; null without a clock. */
export function remaining(clock, side) {
  if (!clock) return null;
  const reported = clock[`${side}_ms`];
  if (reported === null || reported === undefined) return null;
  if (!clock.running || clock.turn !== side) return reported;
  // The server sends nothing while the clock counts down as predicted.
  return Math.max(0, reported - Math.max(0, now() - clock.read_at));
}

/** Shows a side's clock in an element. */
export function show(element, card, side) {
  const clock = card?.clock;
  const ms = remaining(clock, side);
  setText(element, ms === null ? "" : format(ms));
  const isRunning = Boolean(clock?.running && clock.turn === side && hall.lostAt === null);
  element.classList.toggle("runs", isRunning);
  element.classList.toggle("flag", Boolean(clock?.[`flag_${side}`]));
  element.classList.toggle("low", ms !== null && ms < 120000);
  setAttribute(element, "title", clock?.[`flag_${side}`] ? t("kind-flag_fall") : null);
}

/** Updates all clocks on the page: `<span data-clock="white" data-board="…">`. */
function tick() {
  if (hall.lostAt !== null || document.visibilityState === "hidden") return;
  for (const element of document.querySelectorAll("[data-clock]")) {
    const card = hall.cards.get(element.dataset.board);
    if (card?.clock?.running && card.clock.turn === element.dataset.clock) show(element, card, element.dataset.clock);
  }
}

setInterval(tick, 200);
