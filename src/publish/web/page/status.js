// What was done, or why not: one line over the page, for a while.

import { $, setText } from "./dom.js";

/** How long it is shown, in milliseconds. */
const SHOWN = 30000;

let timer = null;

/** Shows a text; an empty one removes what is shown. */
export function say(text, wrong = false) {
  clearTimeout(timer);
  const line = $("#command-status");
  line.dataset.state = wrong ? "wrong" : "";
  setText(line, text);
  if (text) timer = setTimeout(() => setText(line, ""), SHOWN);
}
