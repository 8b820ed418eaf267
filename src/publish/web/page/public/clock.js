// Clocks, which are counted down between moves.

import { now } from "./data.js";
import { setText } from "./dom.js";

/** Formats a time as `1:05:09` or `5:09`. */
export function format(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Returns the time on a side's clock now, in milliseconds; null: not known. */
export function remaining(clock, side) {
  const ms = clock?.[`${side}_ms`] ?? null;
  if (ms === null || !clock.running || clock.turn !== side) return ms;
  return Math.max(0, ms - Math.max(0, now() - clock.at));
}

/** The clocks that run, with their elements. */
const running = new Map();

/** Shows a side's clock in an element, and counts it down. */
export function showClock(element, clock, side) {
  const isRunning = Boolean(clock?.running && clock.turn === side);
  if (isRunning) running.set(element, { clock, side });
  else running.delete(element);
  draw(element, clock, side);
  element.classList.toggle("runs", isRunning);
}

/** Shows no clock in an element any more. */
export const stopClock = (element) => running.delete(element);

function draw(element, clock, side) {
  const ms = remaining(clock, side);
  setText(element, ms === null ? "" : format(ms));
  element.classList.toggle("low", ms !== null && ms < 60000);
}

setInterval(() => {
  if (document.visibilityState === "hidden") return;
  for (const [element, { clock, side }] of running) {
    if (element.isConnected) draw(element, clock, side);
    else running.delete(element);
  }
}, 500);
