// The service itself: which front-ends run, what is wrong, and how the machines of the hall are.

import { $, h, keyed, setAttribute, setText } from "./dom.js";
import { changes, may, request } from "./net.js";
import { say } from "./status.js";
import { ago, colon, has, language, t } from "./words.js";

let timer = null;
let machinesTimer = null;

/** How long changes are gathered before the health is read again, in milliseconds. */
const READ_INTERVAL = 1000;
/** How often machines are read again, in milliseconds: the server does not say that one is silent. */
const MACHINES_INTERVAL = 5000;

/** Shows the health. */
export async function show() {
  $("#health").hidden = false;
  $("#backup").hidden = !may("administer");
  $("#bluetooth-open").hidden = !may("boards");
  await reload();
}

/** Hides the health. */
export function hide() {
  clearTimeout(timer);
  clearTimeout(machinesTimer);
  timer = null;
  $("#health").hidden = true;
}

async function reload() {
  try {
    draw(await request(`/api/health?lang=${language}`));
  } catch (error) {
    say(error.message, true);
  }
  clearTimeout(machinesTimer);
  if (!$("#health").hidden && !$("#machines").hidden) machinesTimer = setTimeout(reload, MACHINES_INTERVAL);
}

/** Returns the name of a front-end; a bus name has no other. */
const nameOf = (name) => (has(`page-front-end-${name}`) ? t(`page-front-end-${name}`) : name);
const sentence = ({ board, sentence }) => (board ? colon(board, sentence) : sentence);

function draw({ front_ends: frontEnds, problems, machines }) {
  const makeRow = () => h("tr", {}, h("th", { scope: "row" }), h("td", { class: "state" }), h("td", {}, h("ul")));
  keyed($("#front-ends tbody"), frontEnds, ({ name }) => name, makeRow, (row, one) => {
    setText($("th", row), nameOf(one.name));
    setText($(".state", row), t(`page-health-${one.state}`));
    setAttribute(row, "data-state", one.problems.length ? "wrong" : one.state);
    drawProblems($("ul", row), one.problems);
  });
  drawProblems($("#other-problems"), problems);
  drawMachines(machines);
  const late = machines.filter((machine) => machine.attention.length);
  const count = problems.length + frontEnds.flatMap((one) => one.problems).length + late.length;
  setText($("#health-summary"), count ? t("page-health-problems", { count }) : t("page-health-well"));
}

const drawProblems = (list, problems) => keyed(list, problems, (one) => `${one.kind} ${one.board}`, () => h("li"), (item, one) => setText(item, sentence(one)));

/** Formats a number with its unit. */
function figure(value, unit, options = {}) {
  if (value === null) return "";
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1, ...options }).format(value);
}

const SIGNED = { signDisplay: "exceptZero", unitDisplay: "narrow" };

/** The columns of a machine after its name: what needs attention there, and the text. */
const MACHINE_COLUMNS = [
  ["silent", ({ state, heard_ago_ms: heard }) => t(`page-machine-${state}`, { time: heard === null ? "" : ago(heard) })],
  ["version", ({ version }) => version],
  ["boards", ({ boards }) => String(boards)],
  ["unsent", ({ unsent, heard_ago_ms: heard }) => (heard === null ? "" : String(unsent))],
  ["disk", ({ free_bytes: bytes }) => figure(bytes === null ? null : bytes / 1e9, "gigabyte")],
  ["temperature", ({ temperature }) => figure(temperature, "celsius")],
  ["clock", ({ clock_offset_ms: ms }) => figure(ms === null ? null : ms / 1000, "second", SIGNED)],
];

function drawMachines(machines) {
  $("#machines").hidden = machines.length === 0;
  const makeRow = () => h("tr", {}, h("th", { scope: "row" }), MACHINE_COLUMNS.map(() => h("td")), h("td", {}, h("ul")));
  keyed($("#machines tbody"), machines, ({ name }) => name, makeRow, (row, machine) => {
    setText($("th", row), machine.name);
    const cells = row.querySelectorAll("td");
    for (const [index, [reason, text]] of MACHINE_COLUMNS.entries()) {
      setText(cells[index], text(machine));
      setAttribute(cells[index], "class", machine.attention.includes(reason) && "attention");
    }
    const sentences = [machine.alarm, ...machine.problems].filter(Boolean);
    keyed($("ul", row), [...new Set(sentences)], (sentence) => sentence, () => h("li"), setText);
  });
}

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
