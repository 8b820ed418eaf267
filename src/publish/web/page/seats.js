// The seats: which board is at which table, and seating by touch.

import { act, readDesk, runAct, say } from "./desk.js";
import { $, fill, h, keyed, setText } from "./dom.js";
import { changes, hall } from "./net.js";
import { t } from "./words.js";

let report = null;
/** The seating by touch that is in progress: the table, and what was done; null: none. */
let touch = null;

/** Shows the seats. */
export async function show() {
  $("#desk-seats").hidden = false;
  await reload();
}

/** Hides the seats, and ends seating by touch. */
export function hide() {
  touch = null;
  $("#desk-seats").hidden = true;
}

async function reload() {
  try {
    report = await readDesk(null);
    draw();
  } catch (error) {
    say(error.message, true);
  }
}

const run = (what, done) => runAct(what, done, reload);

/** The seats of the report, as an act has them. */
const seats = () => Object.fromEntries(report.tables.filter(({ seat }) => seat).map(({ table, seat }) => [table, { board: seat.board, ...(seat.serial_number && { serial_number: seat.serial_number }) }]));

const boardText = (seat) => [seat.board || t("page-desk-absent"), seat.serial_number].filter(Boolean).join(" · ");

function draw() {
  const boards = [...report.unseated, ...report.tables.flatMap(({ seat }) => seat ?? [])].map(({ board }) => board).filter(Boolean).sort();
  const rows = report.tables;
  keyed(
    $("#seats tbody"),
    rows,
    ({ table }) => table,
    ({ table }) => {
      const select = h("select", { "aria-label": t("page-desk-board-of", { table }) });
      select.addEventListener("change", () =>
        select.value ? run({ do: "seat", table, board: select.value }, t("page-desk-seated", { board: select.value, table })) : run({ do: "unseat", table }, t("page-desk-unseated", { table })),
      );
      return h("tr", {}, h("th", { scope: "row" }, String(table)), h("td", {}, select), h("td", { class: "connection" }));
    },
    (row, { seat }) => {
      const select = $("select", row);
      fill(select, h("option", { value: "" }, "–"), boards.map((board) => h("option", { value: board }, board)));
      if (seat && !boards.includes(seat.board)) select.append(h("option", { value: seat.board }, boardText(seat)));
      select.value = seat?.board ?? "";
      setText($(".connection", row), seat ? (seat.connection === "ready" ? "" : t(seat.connection === "absent" ? "page-desk-absent" : `page-contact-${seat.connection}`)) : "");
    },
  );
  setText($("#unseated"), report.unseated.length ? t("page-desk-boards-unseated", { boards: report.unseated.map(boardText).join(", ") }) : "");
  $("#by-name").hidden = report.unseated.length === 0;
  drawTouch();
}

/** Seats the boards without a seat in the order of their names, after a preview. */
function byName() {
  const dialog = $("#desk-dialog");
  const now = seats();
  const boards = [...report.unseated].sort((one, other) => one.board.localeCompare(other.board, "en", { numeric: true }));
  const added = [];
  let table = 1;
  for (const { board, serial_number } of boards) {
    while (now[table]) table += 1;
    now[table] = { board, ...(serial_number && { serial_number }) };
    added.push([table, board]);
  }
  const apply = () => {
    dialog.close();
    run({ do: "seat_all", seats: now }, t("page-desk-boards-seated", { count: added.length }));
  };
  fill(
    dialog,
    h("h2", {}, t("page-desk-by-name")),
    h("ul", {}, added.map(([table, board]) => h("li", {}, t("page-desk-seated", { board, table })))),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "main", onclick: apply }, t("page-desk-seat-these", { count: added.length })), h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"))),
  );
  dialog.showModal();
}

/** Whether the card shows a start position from which only White's king is missing. */
function isKingLifted(card) {
  const ranks = (card.placement ?? "").split("/");
  return ranks.length === 8 && card.game?.ply === 0 && /^(RNBQ1BNR|OOOO1OOO|[wo]{4}1[wo]{3})$/i.test(ranks[7]) && /^[^1-8]{8}$/.test(ranks[0]);
}

/** Seats a board whose king is lifted, once until it is put back. */
function findLifted() {
  if (!touch) return;
  const cards = [...hall.cards.values()].filter(isKingLifted);
  touch.held = new Set(cards.map(({ board }) => board).filter((board) => touch.held.has(board)));
  const found = cards.find(({ board }) => !touch.held.has(board));
  if (found && !touch.busy) lifted(found.board);
}

async function lifted(board) {
  touch.busy = true;
  touch.held.add(board);
  try {
    const before = seats();
    await act({ do: "seat", table: touch.table, board });
    touch.done.push({ table: touch.table, board, before });
    say(t("page-desk-seated", { board, table: touch.table }));
    touch.table += 1;
    navigator.vibrate?.(80);
  } catch (error) {
    say(error.message, true);
  }
  if (touch) touch.busy = false;
  await reload();
  findLifted();
}

async function undo() {
  const last = touch?.done.pop();
  if (!last) return;
  await run({ do: "seat_all", seats: last.before }, t("page-desk-unseated", { table: last.table }));
  touch.table = last.table;
  drawTouch();
}

function drawTouch() {
  $("#touch").hidden = touch === null;
  $("#by-touch").hidden = touch !== null;
  if (!touch) return;
  setText($("#touch-table"), t("page-desk-lift-king", { table: touch.table }));
  setText($("#touch-done"), t("page-desk-boards-seated", { count: touch.done.length }));
  $("#touch-undo").disabled = touch.done.length === 0;
}

/** Connects the controls; called once. */
export function begin() {
  $("#by-name").addEventListener("click", byName);
  $("#by-touch").addEventListener("click", () => {
    touch = { table: Number($("#touch-from").value) || 1, done: [], held: new Set(), busy: false };
    drawTouch();
  });
  $("#touch-undo").addEventListener("click", undo);
  $("#touch-skip").addEventListener("click", () => {
    touch.table += 1;
    drawTouch();
  });
  $("#touch-end").addEventListener("click", () => {
    touch = null;
    drawTouch();
  });
  changes.addEventListener("change", findLifted);
}
