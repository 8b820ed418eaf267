// The wiring test of a board: where to put the piece, and what is wrong with the squares.

import { $, fill, h, keyed, setText } from "./dom.js";
import { request } from "./net.js";
import { say } from "./status.js";
import { colon, language, t } from "./words.js";

/** How often the page asks where the test is, in milliseconds. The server ends the test if the page is gone for 30 s. */
const WATCH_INTERVAL = 400;

const FILES = [..."abcdefgh"];
const SQUARES = [8, 7, 6, 5, 4, 3, 2, 1].flatMap((rank) => FILES.map((file) => file + rank));

/** The board that is tested; null: none. */
let board = null;
let timer = null;
/** The number of the test; null: none was begun here. */
let test = null;
/** Whether the test goes on. */
let isRunning = false;

const post = (step) => request(`/api/wiring-test?lang=${language}`, { board, do: step });

/** Opens the dialog of a board. */
export function open(name) {
  [board, test, isRunning] = [name, null, false];
  const begin = h("button", { type: "button", class: "main", id: "wiring-begin", onclick: () => send("begin") }, t("page-test-begin"));
  const cancel = h("button", { type: "button", class: "quiet", onclick: () => $("#wiring").close() }, t("page-cancel"));
  fill($("#wiring"), h("h2", {}, colon(t("page-test"), name)), h("p", {}, t("page-test-about")), h("p", { class: "wrong", role: "alert" }), h("div", { class: "buttons" }, begin, cancel));
  $("#wiring").showModal();
}

const button = (step, key, attributes = {}) => h("button", { type: "button", id: `wiring-${step}`, onclick: () => send(step), ...attributes }, t(key));

/** Builds what is shown during a test, once. */
function build() {
  fill(
    $("#wiring"),
    h("h2", {}, colon(t("page-test"), board)),
    h("p", { id: "wiring-count", class: "muted" }),
    h("p", { id: "wiring-instruction", role: "status" }),
    h("p", { id: "wiring-hint", class: "wrong", role: "status" }),
    h("div", { id: "wiring-squares", "aria-hidden": "true" }, SQUARES.map((square) => h("span", { "data-square": square }))),
    h("p", { id: "wiring-last", class: "muted", role: "status" }),
    h("div", { id: "wiring-found", hidden: true }, h("h3", {}, t("page-test-found")), h("ul", { class: "findings" }), h("ul", { class: "advice" })),
    h("div", { id: "wiring-changes", hidden: true }, h("h3", {}, t("page-test-changes")), h("pre"), h("p", { class: "muted" }, t("page-test-write", { command: `sudo touchmovectl board ${board} --write` }))),
    h("p", { class: "wrong", role: "alert" }),
    h(
      "div",
      { class: "buttons" },
      button("next", "page-test-next", { class: "main" }),
      button("skip", "page-test-skip"),
      button("back", "page-test-back"),
      button("stop", "page-test-stop", { class: "quiet" }),
      h("button", { type: "button", id: "wiring-close", hidden: true, onclick: () => $("#wiring").close() }, t("page-desk-end")),
    ),
  );
}

/** The line of a changed key, with the file and the table before it. */
const changeText = ({ file, table, key, value }) => [`# ${file ?? "touchmoved.toml"}`, table && (file ? `[${table}]` : `[[${table}]]`), `${key} = ${value}`].filter(Boolean).join("\n");

function draw(report) {
  if (!$("#wiring-instruction")) build();
  isRunning = report.end === null;
  const isKnown = ["short", "clear", "done"].includes(report.phase);
  setText($("#wiring-count"), report.square ? t("page-test-count", { tested: report.tested + 1, total: report.total }) : "");
  setText($("#wiring-instruction"), report.instruction);
  setText($("#wiring-hint"), report.hint ?? "");
  setText($("#wiring-last"), report.last ?? "");
  const named = new Set(isKnown ? report.findings.flatMap(({ squares }) => squares) : []);
  for (const square of $("#wiring-squares").children) {
    const name = square.dataset.square;
    square.className = name === report.square ? "target" : named.has(name) ? "faulty" : "";
  }
  const isFound = isKnown && report.findings.length > 0;
  $("#wiring-found").hidden = !isFound;
  keyed($("#wiring-found .findings"), report.findings, ({ sentence }) => sentence, () => h("li"), (item, { sentence }) => setText(item, sentence));
  keyed($("#wiring-found .advice"), report.advice, (sentence) => sentence, () => h("li"), setText);
  $("#wiring-changes").hidden = !isKnown || report.changes.length === 0;
  setText($("#wiring-changes pre"), report.changes.map(changeText).join("\n"));
  for (const step of ["next", "skip", "back", "stop"]) $(`#wiring-${step}`).hidden = !isRunning;
  $("#wiring-close").hidden = isRunning;
}

/** Sends a step, and shows where the test is then. */
async function send(step) {
  clearTimeout(timer);
  const tested = board;
  try {
    const report = await post(step);
    if (tested !== board || !$("#wiring").open) return;
    test ??= report.id;
    if (report.id !== test) {
      // It is over, and somebody else has begun another one.
      isRunning = false;
      return $("#wiring").close();
    }
    setText($("#wiring > .wrong[role=alert]"), "");
    draw(report);
  } catch (error) {
    if (tested !== board || !$("#wiring").open) return;
    const line = $("#wiring > .wrong[role=alert]");
    line ? setText(line, error.message) : say(error.message, true);
  }
  clearTimeout(timer);
  if (isRunning) timer = setTimeout(() => send("watch"), WATCH_INTERVAL);
}

/** Ends the test when its dialog is closed. */
function closed() {
  clearTimeout(timer);
  if (isRunning) post("stop").catch((error) => say(error.message, true));
  [board, test, isRunning] = [null, null, false];
}

/** Connects the dialog; called once. */
export function begin() {
  $("#wiring").addEventListener("close", closed);
}
