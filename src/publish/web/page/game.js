// The detail view of one board: position, moves, square history, and the arbiter's commands.

import * as alerts from "./alerts.js";
import { Board, squares } from "./board.js";
import * as clock from "./clock.js";
import { $, fill, h, keyed, say, set } from "./dom.js";
import * as frames from "./frames.js";
import { differs, place, player, score, state, who } from "./hall.js";
import { ask, hall, isArbiter } from "./net.js";
import * as rule from "./rule.js";
import * as sheet from "./sheet.js";
import { colon, has, language, comma, shown, t, time } from "./words.js";

/** Under this a move is told as doubtful: as `uncertain` of a card. */
const SURE = 0.9;

/** The board that is shown; null: none is. */
let open = null;
/** The game as it was read last. */
let game = null;
/** The ply that is looked at; null: the last one. */
let at = null;
/** What of the card the game was read for. */
let read = "";
let turned = false;
/** Shows what squares show, instead of the record. */
let raw = false;
let ground = null;
let act = async () => {};

const card = () => hall.cards.get(open) ?? null;

/** Shows a board; `rule` carries out a command and says what came of it. */
export function show(name, { rule }) {
  act = rule;
  if (open !== name) {
    [open, game, at, read, raw, again] = [name, null, null, "", false, 0];
    frames.close();
  }
  ground ??= new Board($("#large"), { large: true });
  draw();
}

/** Shows none. */
export function hide() {
  open = null;
  frames.close();
}

/** The board that is shown; null: none is. */
export const shownBoard = () => open;

/** What is read again when it changes; clocks are not among it. */
function version(card) {
  const game = card.game;
  if (!game) return "";
  const about = [hall.incarnation, game.id, game.last_number, game.ply, game.fen, game.corrections, game.uncertain, game.result, game.paused, card.clock?.turn, (game.alerts ?? []).map((alert) => alert.id)];
  return JSON.stringify([...about, frames.isOpen() ? card.placement : 0, language, hall.who?.role, game.white, game.black]);
}

/** After a failure it is tried again so much later, in milliseconds. */
const AGAIN = 2000;
let reading = false;
/** When it is tried again; 0: the last time it was read. */
let again = 0;

async function follow() {
  const now = card();
  if (!now?.game || reading || Date.now() < again || read === version(now)) return;
  const [name, wanted] = [open, version(now)];
  reading = true;
  try {
    const whole = await ask(`/api/games/${now.game.id}?lang=${language}`);
    if (name === open) {
      if (game?.id !== now.game.id) at = null;
      [game, read] = [{ ...whole, id: now.game.id }, wanted];
      if (at !== null && at >= game.moves.length) at = null;
      if (again) say($("#said"), "");
      again = 0;
    }
  } catch (error) {
    if (name === open) {
      say($("#said"), error.message);
      // A game that is no longer loaded does not come back.
      if (error.status === 404) read = wanted;
      else {
        again = Date.now() + AGAIN;
        setTimeout(follow, AGAIN + 10);
      }
    }
  } finally {
    reading = false;
  }
  draw();
}

/** Draws everything; reads the game again where it changed. */
export function draw() {
  const now = card();
  $("#missing").hidden = Boolean(now);
  $("#one").hidden = !now;
  if (!now) return say($("#missing"), hall.read ? t("page-no-board", { board: open ?? "" }) : "");
  const how = state(now);
  say($("#place"), place(now));
  say($("#how"), how.text);
  $("#how").dataset.state = how.kind;
  say($("#model"), [now.model, now.board, now.reason, battery(now)].filter(Boolean).join(" · "));
  for (const side of ["white", "black"]) head(now, side);
  $("#players").dataset.turned = turned;
  if (isArbiter()) alerts.drawOf($("#board-alerts"), now, { rule: offer, look: (alert) => look(alert.raised) });
  else $("#board-alerts").replaceChildren();
  position(now);
  moves(now);
  below(now);
  for (const element of document.querySelectorAll("#tools > *")) {
    const of = element.classList;
    element.hidden = (of.contains("for-known") && !hall.who) || (of.contains("for-arbiter") && !isArbiter()) || (of.contains("for-game") && !now.game);
  }
  say($("#menu"), rule.title());
  const pgn = $("#pgn");
  if (now.game) {
    pgn.href = `/api/games/${now.game.id}/pgn`;
    pgn.download = `game-${now.game.id}.pgn`;
  }
  frames.draw(now, game);
  if (game && game.id === now.game?.id) sheet.draw(now, game);
  $("#undo").disabled = !game?.undo;
  follow();
}

/** Whether a change of this board is to be drawn. */
export const concerns = (board) => open !== null && (board === null || board === open);

const battery = (card) => (card.battery ? t("page-battery", { percent: card.battery.percent }) : "");

function head(now, side) {
  const row = $(`#players .side.${side}`);
  const one = who(now, side);
  say($(".name", row), [one?.title, player(now, side)].filter(Boolean).join(" "));
  say($(".more", row), [one?.rating, one?.team].filter(Boolean).join(" · "));
  const time = $(".clock", row);
  [time.dataset.clock, time.dataset.board] = [side, now.board];
  clock.show(time, now, side);
  row.classList.toggle("turn", Boolean(now.game && now.game.result === "*" && now.game.fen.split(" ")[1] === side[0]));
}

/** What the large board shows: a moment of the frames, an earlier ply, what the squares show, or the record. */
function position(now) {
  const orientation = turned ? "black" : "white";
  const moment = frames.moment(now);
  const differ = differs(now);
  const wrong = Object.fromEntries(differ.map((one) => [one.square, "wrong"]));
  if (moment) {
    ground.show({ ...moment, orientation });
    say($("#seen"), t("page-shows-moment", { time: time(moment.wall) }));
  } else if (at !== null && game) {
    const move = game.moves[at - 1];
    const last = move ? [move.uci.slice(0, 2), move.uci.slice(2, 4)] : null;
    ground.show({ pieces: squares(move?.fen ?? game.start_fen), last, orientation });
    say($("#seen"), move ? t("page-shows-ply", { move: `${rule.name(now, at)} ${move.san}` }) : t("page-shows-start"));
  } else if (raw && now.placement) {
    // Draw the expected piece small.
    const should = differ.filter((one) => one.expected !== "empty").map((one) => [one.square, one.expected]);
    ground.show({ pieces: squares(now.placement), marks: wrong, ghosts: Object.fromEntries(should), orientation });
    say($("#seen"), t("page-shows-squares"));
  } else {
    const marks = { ...wrong };
    for (const alert of now.game?.alerts ?? []) for (const square of alert.squares) marks[square] ??= alert.notice ? "notice" : "alert";
    const pieces = squares(now.game?.fen ?? now.placement);
    ground.show({ pieces, last: now.game?.last_move ?? null, marks, orientation });
    say($("#seen"), "");
  }
  $("#differs").hidden = differ.length === 0;
  say($("#differs h3"), t("page-put-right", { count: differ.length }));
  const line = (one) => t("difference", { square: one.square, expected: shown(one.expected), seen: shown(one.seen) });
  keyed($("#differs ul"), differ, (one) => one.square, () => h("li"), (item, one) => say(item, line(one)));
  set($("#raw"), "aria-pressed", String(raw));
  $("#raw").disabled = !now.placement || !now.game;
  const label = at === null ? [state(now).text, ...differ.map(line)].join("; ") : $("#seen").textContent;
  set($("#large"), "aria-label", colon(place(now), label));
}

/** The moves, as buttons in rows of two. */
function moves(now) {
  const box = $("#moves");
  const all = game && game.id === now.game?.id ? game.moves : [];
  const offset = game?.start_fen?.split(" ")[1] === "b" ? 1 : 0;
  const first = Number(game?.start_fen?.split(" ")[5] ?? 1) || 1;
  const rows = [];
  for (const move of all) {
    const index = Math.floor((move.ply - 1 + offset) / 2);
    (rows[index] ??= { number: first + index, cells: [null, null] }).cells[(move.ply - 1 + offset) % 2] = move;
  }
  const make = () => h("li", {}, h("span", { class: "number" }), h("span"), h("span"));
  const update = (row, one) => {
    say(row.firstElementChild, `${one.number}.`);
    one.cells.forEach((move, index) => cell(row, index + 1, move));
  };
  const last = all.length;
  const tail = box.dataset.last !== String(last) && at === null;
  box.dataset.last = last;
  keyed(box, rows.filter(Boolean), (one) => one.number, make, update);
  if (tail) box.scrollTop = box.scrollHeight;
  $("#no-moves").hidden = all.length > 0;
  detail(now, all[(at ?? last) - 1]);
}

function cell(row, index, move) {
  let element = row.children[index];
  if (!move) return element.replaceWith(h("span"));
  if (element.tagName !== "BUTTON") {
    const button = h("button", { type: "button", class: "move" });
    element.replaceWith(button);
    element = button;
  }
  const doubtful = move.confidence < SURE;
  const illegal = move.irregular && !sheet.isMissing(move);
  say(element, move.san + (illegal ? " ✗" : "") + (doubtful ? " ?" : ""));
  element.classList.toggle("irregular", move.irregular);
  element.classList.toggle("doubtful", doubtful);
  element.classList.toggle("corrected", corrected(move.ply));
  element.classList.toggle("made", move.state === "made");
  element.dataset.ply = move.ply;
  set(element, "aria-current", (at ?? game.moves.length) === move.ply ? "true" : null);
  const hints = [move.irregular && t(sheet.isMissing(move) ? "page-missing" : "page-irregular"), doubtful && percent(move.confidence), corrected(move.ply) && t("page-corrected")];
  set(element, "title", hints.filter(Boolean).join("; ") || null);
}

const percent = (share) => t("page-percent", { percent: Math.floor(share * 100) });
const corrected = (ply) => (game?.corrections ?? []).some((one) => ply >= one.from_ply && ply < one.from_ply + Math.max(1, one.now.length));

/** The move that is looked at: how sure it is, what else it could be, its times. */
function detail(now, move) {
  const box = $("#detail");
  const said = JSON.stringify([move, at, language, isArbiter(), (game?.corrections ?? []).length]);
  if (box.said === said) return;
  box.said = said;
  if (!move) return box.replaceChildren();
  const alternatives = move.alternatives ?? [];
  const clocks = [["white", move.clock_white_ms], ["black", move.clock_black_ms]].filter(([, ms]) => ms !== null && ms !== undefined);
  const row = (name, text) => [h("dt", {}, t(name)), h("dd", {}, text)];
  const ply = move.ply;
  fill(
    box,
    h("h3", {}, colon(rule.name(now, ply), move.san)),
    h(
      "dl",
      {},
      sheet.isMissing(move) ? row("page-missing", t("page-missing-moves")) : move.irregular ? row("page-irregular", t("page-irregular-move")) : null,
      row("page-confidence", percent(move.confidence)),
      alternatives.length ? row("page-alternatives", comma(alternatives.map((one) => `${one.san ?? one.uci} ${percent(one.confidence)}`))) : null,
      clocks.length ? row("page-clocks", comma(clocks.map(([side, ms]) => `${t(`player-${side}`)} ${clock.format(ms)}`))) : null,
      row("page-made", move.made ? time(move.made) : "–"),
      row("page-completed", move.completed ? time(move.completed) : t("page-not-yet")),
    ),
    isArbiter()
      ? h(
          "div",
          { class: "buttons" },
          h("button", { type: "button", onclick: () => look(move.made) }, t("page-frames-then")),
          h("button", { type: "button", onclick: () => offer({ what: { do: "restore", ply } }) }, t("page-do-restore-before")),
          h("button", { type: "button", onclick: () => offer({ form: "replace", given: { ply } }) }, t("page-do-replace")),
          h("button", { type: "button", onclick: () => offer({ form: "insert", given: { ply } }) }, t("page-do-insert")),
        )
      : null,
  );
}

/** Below the moves: corrections, and what is counted of the players. */
function below(now) {
  const mine = game && game.id === now.game?.id ? game : null;
  const corrections = mine?.corrections ?? [];
  $("#corrections").hidden = corrections.length === 0;
  say($("#corrections summary"), t("page-corrections", { count: corrections.length }));
  const line = (one) => `${time(one.wall_ms)} ${colon(rule.name(now, one.from_ply), `${one.was.join(" ") || "–"} → ${one.now.join(" ") || "–"}`)} · ${reason(one.reason)}`;
  keyed($("#corrections ol"), corrections, (one) => `${one.wall_ms} ${one.from_ply} ${one.now}`, () => h("li"), (item, one) => say(item, line(one)));
  const counted = ["white", "black"].flatMap((side) => (mine?.tally?.[side] ?? []).map((one) => ({ side, ...one })));
  $("#tally").hidden = counted.length === 0;
  say($("#tally summary"), t("page-tally", { count: counted.length }));
  const what = (one) => comma([one.what].flat().map((word) => t(`page-count-${word}`)));
  keyed($("#tally ol"), counted, (one) => `${one.side} ${one.ply}`, () => h("li"), (item, one) => say(item, colon(rule.name(now, one.ply), what(one))));
  const ended = now.game && now.game.result !== "*";
  say($("#result"), ended ? [score(now.game.result), has(`page-ended-${now.game.reason}`) ? t(`page-ended-${now.game.reason}`) : ""].filter(Boolean).join(" · ") : "");
  say($("#laws"), mine?.laws ?? "");
}

const reason = (word) => (has(`page-reason-${word}`) ? t(`page-reason-${word}`) : word);

/** Shows what squares showed around this time. */
function look(wall) {
  const now = card();
  if (!now || !game) return;
  frames.open(wall, game, () => draw());
  draw();
  $("#frames").scrollIntoView({ block: "nearest" });
}

/** Carries out what a button stands for, or opens its form. */
function offer(one) {
  const now = card();
  if (!now) return;
  if (one.what) act(now, one.what);
  else rule.open({ card: now, game }, one.form, one.given, (what) => act(now, what));
}

/** The menu of all commands. */
export function menu() {
  if (hall.who && card()) offer({});
}

/** Looks at another ply: `first`, `last`, or so many on or back. */
export function step(by) {
  if (!game) return;
  frames.close();
  const last = game.moves.length;
  const to = by === "first" ? 0 : by === "last" ? last : Math.min(last, Math.max(0, (at ?? last) + by));
  at = to === last ? null : to;
  draw();
  $("#moves [aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Turns the board round. */
export function turn() {
  turned = !turned;
  draw();
}

/** Shows what squares show, or the record again. */
export function showSquares() {
  raw = !raw;
  at = null;
  frames.close();
  draw();
}

/** What squares showed lately. */
export function toggleFrames() {
  if (!isArbiter()) return;
  if (frames.isOpen()) frames.close();
  else if (game) frames.open(null, game, () => draw());
  draw();
}

/** The buttons of the page itself. */
export function begin() {
  $("#moves").addEventListener("click", (event) => {
    const ply = Number(event.target.closest("button")?.dataset.ply);
    if (ply) {
      frames.close();
      at = ply === game.moves.length ? null : ply;
      draw();
    }
  });
  $("#flip").onclick = turn;
  $("#raw").onclick = showSquares;
  $("#print").onclick = () => window.print();
  $("#menu").onclick = menu;
  $("#show-frames").onclick = toggleFrames;
  $("#undo").onclick = () => offer({ what: { do: "undo" } });
}
