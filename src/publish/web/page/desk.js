// The operator's desk: the round with its results, and uploading pairings.

import { score } from "./card.js";
import { $, fill, h, keyed, openOnKey, setAttribute, setText } from "./dom.js";
import { CHANGED, refusalLine } from "./form.js";
import { request, upload } from "./net.js";
import * as pairing from "./pairing.js";
import { say } from "./status.js";
import { colon, comma, language, t } from "./words.js";

/** The results that can be entered, in the order of the menu, and the keys of their texts. */
const RESULTS = [
  ["1-0"],
  ["1/2-1/2"],
  ["0-1"],
  ["0-0", "page-desk-both-lose"],
  ["+--", "page-forfeit-white"],
  ["--+", "page-forfeit-black"],
  ["---", "page-forfeit-nobody"],
  ["adjourned", "page-desk-adjourned"],
];

/** How long changes of the hall are gathered before the desk is read again, in milliseconds. */
const READ_INTERVAL = 500;

let report = null;
/** The number of the round that is shown; null: the one that is played. */
let shown = null;
/** The table whose result is to be entered next, once its round is shown: `{ round, table }`. */
let wanted = null;
let timer = null;

/** Reads the desk with a round; null: the one that is played. */
export const readDesk = (round) => request(`/api/desk?lang=${language}${round ? `&round=${round}` : ""}`);

/** Carries out an act at the desk. */
export const act = (what) => request(`/api/desk?lang=${language}`, what);

/** Shows the round with this number; null: the one that is played. With a table, its row, ready for its result. */
export async function show(number, table) {
  shown = number;
  wanted = table ? { round: number, table } : null;
  $("#desk-round").hidden = false;
  await reload();
}

/** Hides the round. */
export function hide() {
  clearTimeout(timer);
  timer = null;
  $("#desk-round").hidden = true;
}

/** Reads the desk again soon, because something changed. */
export function changed() {
  if ($("#desk-round").hidden || timer !== null) return;
  timer = setTimeout(() => {
    timer = null;
    reload();
  }, READ_INTERVAL);
}

async function reload() {
  const number = shown;
  try {
    const read = await readDesk(number);
    if (number !== shown) return;
    report = read;
    draw();
  } catch (error) {
    say(error.message, true);
  }
}

/** Carries out an act, shows its outcome (`done`, or the error), and draws the view again. Returns whether it was done. */
export async function runAct(what, done, redraw) {
  let isDone = false;
  try {
    await act(what);
    isDone = true;
    say(done);
  } catch (error) {
    say(error.message, true);
  }
  await redraw();
  return isDone;
}

/** Carries out an act that was decided on what is shown, unless `what` says on what. */
const run = (what, done) => runAct({ n_seen: report?.n, ...what }, done, reload);

/** Carries out an act of a dialog, and shows that it is done. Throws the refusal, once the view behind the dialog is up to date. */
async function send(what, done) {
  try {
    await act(what);
  } catch (error) {
    await reload();
    throw error;
  }
  say(done);
  reload();
}

/**
 * Prepares a menu whose choice is an act. The page may change while it is open. `number` returns that of what is shown now; the
 * result returns that of what was shown when the menu was opened.
 */
export function seenBy(select, number) {
  let seen;
  openOnKey(select);
  for (const opening of ["pointerdown", "keydown"]) select.addEventListener(opening, () => (seen = number()));
  return () => seen ?? number();
}

/**
 * Fills an element again only if its content differs: while games are played, the round is drawn every half second, and a link or a menu
 * that is replaced while somebody uses it does nothing.
 */
function refill(element, content, make) {
  const text = JSON.stringify([content, language]);
  if (element.content === text) return;
  element.content = text;
  fill(element, make());
}

function draw() {
  const { round, rounds, current_round: current } = report;
  const makeRound = ({ number }) => h("a", { class: "button", href: `/round/${number}` }, h("span"), h("span", { class: "count" }));
  keyed($("#rounds"), rounds, ({ number }) => number, makeRound, (link, { number, missing }) => {
    const [name, count] = link.children;
    setAttribute(link, "aria-current", number === round?.number ? "page" : null);
    setText(name, t(number === current ? "page-desk-round-now" : "page-round", { round: number }));
    setText(count, missing.length ? String(missing.length) : "");
    count.hidden = missing.length === 0;
  });
  const next = round && round.number !== current;
  $("#start-round").hidden = !next;
  if (next) setText($("#start-round"), t("page-desk-start-round", { round: round.number }));
  $("#export").hidden = !round;
  for (const link of $("#export").querySelectorAll("a")) link.href = `/api/desk/export?format=${link.dataset.format}&round=${round?.number ?? 0}`;
  const missing = rounds.flatMap(({ number, missing }) => missing.map((table) => ({ number, table })));
  $("#missing-results").hidden = missing.length === 0;
  setText($("#missing-results span"), t("page-desk-missing"));
  const makeMissing = ({ number, table }) => h("a", { href: `/round/${number}#table-${table}` });
  keyed($("#missing-results .tables"), missing, ({ number, table }) => `${number}.${table}`, makeMissing, (link, { number, table }) =>
    setText(link, number === current ? t("page-table", { table }) : `${number}.${table}`),
  );
  $("#no-round").hidden = Boolean(round);
  $("#pairings").hidden = $("#byes").hidden = $("#add-pairing").hidden = !round;
  if (!round) return;
  const tables = new Map(report.tables.map((table) => [table.table, table]));
  const rows = [...round.pairings].sort((one, other) => one.table - other.table).map((paired) => ({ paired, at: tables.get(paired.table) }));
  keyed($("#pairings tbody"), rows, ({ paired }) => paired.table, makeRow, drawRow);
  setText($("#bye-list"), pairing.byeText(round) || "–");
  if (wanted && (wanted.round ?? current) === round.number) revealWanted();
}

function revealWanted() {
  const row = document.getElementById(`table-${wanted.table}`);
  wanted = null;
  row?.scrollIntoView({ block: "center" });
  if (row) $("select", row).focus({ preventScroll: true });
}

function makeRow({ paired }) {
  const select = h("select", { "aria-label": t("page-desk-result-of", { table: paired.table }) });
  const seen = seenBy(select, () => report.n);
  select.addEventListener("change", () =>
    run({ n_seen: seen(), do: "result", round: report.round.number, table: paired.table, result: select.value || null }, t("page-desk-result-entered", { table: paired.table })),
  );
  const row = h(
    "tr",
    { id: `table-${paired.table}` },
    h("th", { scope: "row" }, h("button", { type: "button", class: "quiet", onclick: () => edit(paired.table) }, String(paired.table))),
    h("td", { class: "white" }),
    h("td", { class: "black" }),
    h("td", { class: "board" }),
    h("td", { class: "state" }),
    h("td", { class: "result" }, select),
  );
  return row;
}

function drawRow(row, { paired, at }) {
  setText($(".white", row), pairing.playerText(paired.white));
  setText($(".black", row), pairing.playerText(paired.black));
  const forfeit = ["+--", "--+", "---"].includes(paired.result);
  const away = ["absent", "unplugged"].includes(at?.seat?.connection) && t("page-desk-absent");
  setText($(".board", row), at?.seat ? [at.seat.board, away].filter(Boolean).join(" · ") : forfeit ? "" : t("page-desk-no-board"));
  const isAdjourned = at?.result === "adjourned";
  setText($(".state", row), isAdjourned ? t("page-desk-adjourned") : at?.state ? t(`page-desk-state-${at.state}`) : "");
  row.dataset.state = at?.state ?? "";
  const select = $("select", row);
  const own = !paired.result && at?.result ? t("page-desk-of-game", { result: score(at.result) }) : "–";
  refill(select, own, () => [h("option", { value: "" }, own), RESULTS.map(([one, key]) => h("option", { value: one }, key ? `${/^[0+-]/.test(one) ? `${one} ` : ""}${t(key)}` : score(one)))]);
  if (select.value !== (paired.result ?? "")) select.value = paired.result ?? "";
  setAttribute(row, "data-differs", at?.differs ? "true" : null);
}

/** Opens the dialog of a pairing of the round that is played. */
export async function editPairing(table) {
  try {
    shown = null;
    report = await readDesk(null);
    edit(table);
  } catch (error) {
    say(error.message, true);
  }
}

/** Opens the dialog of a pairing. */
const edit = (table) => pairing.edit(report, table, { run, send, latest, exchanged });

/** Returns the desk as it was read last. */
const latest = () => report;

async function exchanged(board) {
  say(t("page-desk-exchanged", { board }));
  await reload();
}

/** Describes a problem of a file: where it is, and what it is. */
const problem = ({ line, cell, message }) => {
  const place = [line, cell && `${cell.column} "${cell.value}"`].filter(Boolean).join(", ");
  return place ? colon(place, message) : message;
};

/**
 * Reads a file of pairings, and shows what it holds before anything changes. `byRank`: a TRF16 file has its tables by points. `refused`:
 * why it was not loaded when it was tried.
 */
async function preview(file, byRank = false, refused = "") {
  const dialog = $("#desk-dialog");
  const number = $("#upload-round").value;
  const n_seen = report?.n;
  try {
    say(t("page-sending"));
    const { format, round, errors, warnings, ignored_columns: ignored } = await upload(`/api/desk/preview?lang=${language}${number ? `&round=${number}` : ""}${byRank ? "&order=rank" : ""}`, file);
    say("");
    const list = (title, items) => (items?.length ? h("section", {}, h("h3", {}, title), h("ul", {}, items.map((one) => h("li", {}, one)))) : null);
    const wrong = refusalLine(refused);
    const load = async () => {
      try {
        await send({ n_seen, do: "load_round", round }, t("page-desk-round-loaded", { round: round.number }));
      } catch (error) {
        // What the file replaces is not what was shown.
        if (error.status === CHANGED) return preview(file, byRank, error.message);
        return setText(wrong, error.message);
      }
      dialog.close();
      // Its address, so that links lead from it to other rounds.
      history.pushState(null, "", `/round/${round.number}`);
      dispatchEvent(new PopStateEvent("popstate"));
    };
    const rank = h("input", { type: "checkbox", name: "by-rank", checked: byRank });
    rank.addEventListener("change", () => preview(file, rank.checked));
    fill(
      dialog,
      // It has the focus, so that what is wrong in a long file is seen before its last line.
      h("h2", { tabindex: "-1", autofocus: true }, t("page-desk-upload-preview", { file: file.name })),
      list(t("page-desk-upload-errors"), errors.map(problem)),
      list(t("page-desk-upload-warnings"), warnings.map(problem)),
      format === "trf" ? h("label", { class: "choice" }, rank, t("page-desk-upload-by-rank")) : null,
      ignored?.length ? h("p", { class: "muted" }, t("page-desk-upload-ignored", { columns: comma(ignored) })) : null,
      h("table", { class: "preview" }, h("tbody", {}, round.pairings.map((one) => h("tr", {}, h("th", {}, String(one.table)), h("td", {}, pairing.playerText(one.white)), h("td", {}, pairing.playerText(one.black)), h("td", {}, one.result ?? ""))))),
      wrong,
      h("div", { class: "buttons" },
        !errors.length ? h("button", { type: "button", class: "main", onclick: load }, t("page-desk-load-round", { round: round.number })) : null,
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel")),
      ),
    );
    if (dialog.open) rank.focus();
    else dialog.showModal();
  } catch (error) {
    say(error.message, true);
  }
}

/** Starts the round that is shown; asks first if the present one has tables without a result. */
function startRound() {
  const { round: { number: round }, n: n_seen } = report;
  const start = () => run({ n_seen, do: "start_round", round }, t("page-desk-round-started", { round }));
  const now = report.rounds.find(({ number }) => number === report.current_round);
  if (!now?.open.length) return start();
  const dialog = $("#desk-dialog");
  const confirmed = () => {
    dialog.close();
    start();
  };
  fill(
    dialog,
    h("p", {}, t("page-desk-confirm-start", { round, missing: comma(now.open.map(String)) })),
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: confirmed }, t("page-desk-start-round", { round })), h("button", { type: "button", class: "quiet", autofocus: true, onclick: () => dialog.close() }, t("page-cancel"))),
  );
  dialog.showModal();
}

/** Connects the controls; called once. */
export function begin() {
  const file = $("#upload");
  file.addEventListener("change", () => {
    if (file.files[0]) preview(file.files[0]);
    file.value = "";
  });
  const target = $("#desk-round");
  target.addEventListener("dragover", (event) => event.preventDefault());
  target.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) preview(event.dataTransfer.files[0]);
  });
  $("#start-round").addEventListener("click", startRound);
  $("#edit-byes-button").addEventListener("click", () => pairing.editByes(report, { send, latest }));
  $("#add-pairing").addEventListener("click", () => pairing.add(report, { send, latest }));
}
