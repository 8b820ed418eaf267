// The seats: which board is at which table, and seating by touch.

import { act, readDesk, runAct, seenBy } from "./desk.js";
import { $, fill, h, keyed, setText } from "./dom.js";
import { changes, hall } from "./net.js";
import { say } from "./status.js";
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

/** Carries out an act that was decided on what is shown, unless `what` says on what. */
const run = (what, done) => runAct({ n_seen: report?.n, ...what }, done, reload);

/** The seats of the report, as an act has them. */
const seats = () => Object.fromEntries(report.tables.filter(({ seat }) => seat).map(({ table, seat }) => [table, { board: seat.board, ...(seat.serial_number && { serial_number: seat.serial_number }) }]));

const boardText = (seat) => [seat.board || t("page-desk-absent"), seat.serial_number].filter(Boolean).join(" · ");

/** The table at which a board is seated. */
const tableOf = (board) => report.tables.find(({ seat }) => seat?.board === board)?.table;

/** Says that a board was seated at a table, and which table has lost it. */
function seatedText(board, table) {
  const other = tableOf(board);
  const isMoved = other !== undefined && other !== table;
  return isMoved ? t("page-desk-seat-moved", { board, table, other }) : t("page-desk-seated", { board, table });
}

/** Fills a menu with the boards; a thousand menus of a thousand boards would be slow, so each is filled when somebody uses it. */
function fillBoards(select, seat) {
  const seated = report.tables.flatMap((table) => table.seat ?? []);
  const boards = [...report.unseated, ...seated].map(({ board }) => board).filter(Boolean);
  boards.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  fill(select, h("option", { value: "" }, "–"), boards.map((board) => h("option", { value: board }, board)));
  fillSeat(select, seat);
}

/** Shows the board of a table in its menu. */
function fillSeat(select, seat) {
  const board = seat?.board ?? "";
  if (![...select.options].some(({ value }) => value === board)) select.append(h("option", { value: board }, seat ? boardText(seat) : "–"));
  if (select.value !== board) select.value = board;
}

function draw() {
  const rows = report.tables;
  keyed(
    $("#seats tbody"),
    rows,
    ({ table }) => table,
    ({ table }) => {
      const select = h("select", { "aria-label": t("page-desk-board-of", { table }) });
      const seat = () => report.tables.find((one) => one.table === table)?.seat;
      const seen = seenBy(select, () => report.n);
      select.addEventListener("focus", () => fillBoards(select, seat()));
      select.addEventListener("change", () => {
        const what = select.value ? { do: "seat", table, board: select.value } : { do: "unseat", table };
        run({ n_seen: seen(), ...what }, select.value ? seatedText(select.value, table) : t("page-desk-unseated", { table }));
      });
      return h("tr", {}, h("th", { scope: "row" }, String(table)), h("td", {}, select), h("td", { class: "connection" }));
    },
    (row, { seat }) => {
      fillSeat($("select", row), seat);
      setText($(".connection", row), seat ? (seat.connection === "ready" ? "" : t(seat.connection === "absent" ? "page-desk-absent" : `page-contact-${seat.connection}`)) : "");
    },
  );
  setText($("#unseated"), report.unseated.length ? t("page-desk-boards-unseated", { boards: report.unseated.map(boardText).join(", ") }) : "");
  $("#by-name").hidden = report.unseated.length === 0 || freeTables().length === 0;
  drawTouch();
}

/** The tables of the round, or as many as there are boards, that have no board. */
function freeTables() {
  const now = seats();
  const paired = report.round?.pairings.map(({ table }) => table).sort((one, other) => one - other);
  const last = Math.max(0, ...Object.keys(now)) + report.unseated.length;
  return (paired ?? Array.from({ length: last }, (_, index) => index + 1)).filter((table) => !now[table]);
}

/** Seats the boards without a seat in the order of their names, after a preview. */
function byName() {
  const dialog = $("#desk-dialog");
  const { n } = report;
  const now = seats();
  const boards = [...report.unseated].sort((one, other) => one.board.localeCompare(other.board, "en", { numeric: true }));
  // Spare boards stay without a seat.
  const free = freeTables();
  const added = boards.slice(0, free.length).map(({ board, serial_number }, index) => {
    now[free[index]] = { board, ...(serial_number && { serial_number }) };
    return [free[index], board];
  });
  const apply = () => {
    dialog.close();
    run({ n_seen: n, do: "seat_all", seats: now }, t("page-desk-boards-seated", { count: added.length }));
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
    const { table } = touch;
    const text = seatedText(board, table);
    const done = { n_seen: report.n, table, board, boardBefore: report.tables.find((one) => one.table === table)?.seat?.board, from: tableOf(board) };
    await act({ n_seen: done.n_seen, do: "seat", table, board });
    touch.done.push(done);
    say(text);
    touch.table += 1;
    navigator.vibrate?.(80);
  } catch (error) {
    say(error.message, true);
  }
  if (touch) touch.busy = false;
  await reload();
  findLifted();
}

/**
 * Undoes the last seat: its board goes back to where it was, and so does the board that was at the table before; unless somebody else
 * has changed one of these seats since.
 */
async function undo() {
  const last = touch?.done.pop();
  if (!last) return;
  const { n_seen, table, board, boardBefore, from } = last;
  const back = from !== undefined && from !== table ? { do: "seat", table: from, board } : { do: "unseat", table };
  const isDone = await run({ n_seen, ...back }, t("page-desk-unseated", { table }));
  if (!isDone) return;
  if (boardBefore && boardBefore !== board) await run({ n_seen, do: "seat", table, board: boardBefore }, t("page-desk-seated", { board: boardBefore, table }));
  touch.table = table;
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
