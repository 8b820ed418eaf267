// The service itself: which front-ends run, and what is wrong.

import { $, h, keyed, setAttribute, setText } from "./dom.js";
import { changes, may, request } from "./net.js";
import { say } from "./status.js";
import { colon, has, language, t } from "./words.js";

let timer = null;

/** How long changes are gathered before the health is read again, in milliseconds. */
const READ_INTERVAL = 1000;

/** Shows the health. */
export async function show() {
  $("#health").hidden = false;
  $("#backup").hidden = !may("administer");
  await reload();
}

/** Hides the health. */
export function hide() {
  clearTimeout(timer);
  timer = null;
  $("#health").hidden = true;
}

async function reload() {
  try {
    draw(await request(`/api/health?lang=${language}`));
  } catch (error) {
    say(error.message, true);
  }
}

/** Returns the name of a front-end; a bus name has no other. */
const nameOf = (name) => (has(`page-front-end-${name}`) ? t(`page-front-end-${name}`) : name);
const sentence = ({ board, sentence }) => (board ? colon(board, sentence) : sentence);

function draw({ front_ends: frontEnds, problems }) {
  const makeRow = () => h("tr", {}, h("th", { scope: "row" }), h("td", { class: "state" }), h("td", {}, h("ul")));
  keyed($("#front-ends tbody"), frontEnds, ({ name }) => name, makeRow, (row, one) => {
    setText($("th", row), nameOf(one.name));
    setText($(".state", row), t(`page-health-${one.state}`));
    setAttribute(row, "data-state", one.problems.length ? "wrong" : one.state);
    drawProblems($("ul", row), one.problems);
  });
  drawProblems($("#other-problems"), problems);
  const count = problems.length + frontEnds.flatMap((one) => one.problems).length;
  setText($("#health-summary"), count ? t("page-health-problems", { count }) : t("page-health-well"));
}

const drawProblems = (list, problems) => keyed(list, problems, (one) => `${one.kind} ${one.board}`, () => h("li"), (item, one) => setText(item, sentence(one)));

/** Connects the view; called once. */
export function begin() {
  changes.addEventListener("change", ({ detail: boards }) => {
    // A change of the problems may concern anything.
    if ($("#health").hidden || boards !== null || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      reload();
    }, READ_INTERVAL);
  });
}
