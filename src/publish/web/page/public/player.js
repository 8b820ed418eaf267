// Players: flag, title, whole name, rating; and what they scored.

import { h, setText } from "./dom.js";
import { FEDERATIONS } from "../vendor/flags.js";
import { country, t } from "./words.js";

/** Returns the flag of a federation, or its code where there is no flag. */
export function flag(code) {
  if (!code || code === "NON") return null;
  if (!(code in FEDERATIONS)) return h("abbr", { class: "federation" }, code === "FID" ? "FIDE" : code);
  const name = (FEDERATIONS[code] && country(FEDERATIONS[code])) || code;
  return h("span", { class: `flag flag-${code}`, role: "img", "aria-label": name, title: name });
}

/** Returns a player's flag, title, name and rating as elements. */
export const player = ({ title, name, rating, federation }) => [
  flag(federation),
  title ? h("b", { class: "title" }, title) : null,
  h("bdi", { class: "name" }, name || "?"),
  rating ? h("span", { class: "rating" }, String(rating)) : null,
];

/** What both players score with each result. */
const SCORES = {
  "1-0": ["1", "0"],
  "0-1": ["0", "1"],
  "1/2-1/2": ["½", "½"],
  "0-0": ["0", "0"],
  "+--": ["+", "−"],
  "--+": ["−", "+"],
  "---": ["−", "−"],
};

/** Returns what a side scored; null: the game has no result. */
export const score = (result, side) => SCORES[result]?.[side === "white" ? 0 : 1] ?? null;

/** Returns a result as text: `½–½`; empty if there is none. */
export const resultText = (result) => (result === "adjourned" ? t("public-result-adjourned") : (SCORES[result]?.join("–") ?? ""));

/** The state of a table in words, with the reason of its result. */
export function stateText({ state, result, reason }) {
  if (result === "adjourned") return t("public-result-adjourned");
  return state === "finished" && reason ? t(`public-reason-${reason}`) : t(`public-state-${state}`);
}

/** Shows the points of a side in an element; returns whether there are any. */
export function showScore(element, result, side) {
  const points = score(result, side);
  element.classList.toggle("score", points !== null);
  element.classList.toggle("won", points === "1" || points === "+");
  if (points !== null) setText(element, points);
  return points !== null;
}
