// The detail view of one board: position, moves, square history, and the arbiter's commands.

import * as alerts from "./alerts.js";
import { Board, squares } from "./board.js";
import { differences, placeName, playerName, boardState, playerInfo } from "./card.js";
import * as clock from "./clock.js";
import { $, fill, h, keyed, setText, setAttribute } from "./dom.js";
import * as frames from "./frames.js";
import { drawLists } from "./lists.js";
import { request, hall, isKnown, may } from "./net.js";
import * as rule from "./rule.js";
import { acknowledgeAll, runCommand, sendCommand } from "./send.js";
import * as sheet from "./sheet.js";
import { say } from "./status.js";
import * as wiring from "./wiring.js";
import { colon, has, language, comma, squareText, t, time } from "./words.js";

/** A move with a lower confidence is shown as doubtful; `uncertain` of a card uses the same limit. */
const DOUBTFUL_BELOW = 0.9;

/** The board on display; null if there is none. */
let openBoard = null;
/** The game on display that need not be on a board any more; null: the one on the board. */
let openGame = null;
/** A card for that game, once it is loaded, and the number of the last event on the card of its board then. */
let gameCard = null;
let numberOnCard = null;
/** The game as loaded last. */
let game = null;
/** The ply on display; null for the last one. */
let shownPly = null;
/** The version of the card for which the game was loaded. */
let loadedVersion = "";
let flipped = false;
/** Whether the board shows the squares instead of the record. */
let showsSquares = false;
let ground = null;

const card = () => (openGame === null ? hall.cards.get(openBoard) : gameCard) ?? null;

/** Shows a board. */
export function show(name) {
  if (openBoard !== name) begins(name, null);
  ground ??= new Board($("#large"), { large: true });
  draw();
}

/** Shows a game, also one that is not on its board any more. */
export async function showGame(id) {
  if (openGame !== id) begins(null, id);
  ground ??= new Board($("#large"), { large: true });
  draw();
  try {
    const loaded = await request(`/api/games/${id}?lang=${language}`);
    if (openGame !== id) return;
    game = { ...loaded, id };
    const table = Number(loaded.tags?.find(([name]) => name === "Table")?.[1]) || null;
    gameCard = { board: loaded.board, table, contact: "ready", game: loaded.game, isPast: true };
    numberOnCard = lastNumber(loaded.board, id);
  } catch (error) {
    if (openGame === id) setText($("#missing"), error.message);
    return;
  }
  draw();
}

/** Returns the number of the last event of a game, if it is on the card of its board. */
function lastNumber(board, id) {
  const { game, former } = hall.cards.get(board) ?? {};
  return [game, former].find((one) => one?.id === id)?.last_number ?? null;
}

/** Loads the game on display again if something has happened in it. */
export function refreshGame() {
  if (gameCard && numberOnCard !== lastNumber(gameCard.board, openGame)) showGame(openGame);
}

/** Begins to show a board or a game. */
function begins(board, id) {
  [openBoard, openGame, gameCard, game, shownPly, loadedVersion, showsSquares, retryAt] = [board, id, null, null, null, "", false, 0];
  frames.close();
}

/** Leaves this view. */
export function hide() {
  [openBoard, openGame, gameCard] = [null, null, null];
  frames.close();
}

/** Returns the board on display; null if there is none. */
export const shownBoard = () => openBoard;

/** Returns a text that changes whenever the game must be loaded again. Clock times are not part of it. */
function version(card) {
  const game = card.game;
  if (!game) return "";
  const fields = [hall.incarnation, game.id, game.last_number, game.ply, game.fen, game.corrections, game.uncertain, game.result, game.paused, card.clock?.turn, (game.alerts ?? []).map((alert) => alert.id)];
  return JSON.stringify([...fields, frames.isOpen() ? card.placement : 0, language, hall.user?.role, game.white, game.black]);
}

/** The delay before a retry after a failure, in milliseconds. */
const RETRY_MS = 2000;
let reading = false;
/** The time of the next retry; 0 if the last load succeeded. */
let retryAt = 0;

async function reload() {
  const current = card();
  if (openGame !== null || !current?.game || reading || Date.now() < retryAt || loadedVersion === version(current)) return;
  const [name, newVersion] = [openBoard, version(current)];
  reading = true;
  try {
    const loaded = await request(`/api/games/${current.game.id}?lang=${language}`);
    if (name === openBoard) {
      if (game?.id !== current.game.id) shownPly = null;
      [game, loadedVersion] = [{ ...loaded, id: current.game.id }, newVersion];
      if (shownPly !== null && shownPly >= game.moves.length) shownPly = null;
      if (retryAt) say("");
      retryAt = 0;
    }
  } catch (error) {
    if (name === openBoard) {
      say(error.message, true);
      // A game that the server no longer has loaded does not return.
      if (error.status === 404) loadedVersion = newVersion;
      else {
        retryAt = Date.now() + RETRY_MS;
        setTimeout(reload, RETRY_MS + 10);
      }
    }
  } finally {
    reading = false;
  }
  draw();
}

/** Draws the view, and loads the game again if it changed. */
export function draw() {
  const current = card();
  $("#missing").hidden = Boolean(current);
  $("#board-view").hidden = !current;
  if (!current && openGame !== null) return setText($("#missing"), t("page-desk-game", { game: openGame }));
  if (!current) return setText($("#missing"), hall.loaded ? t("page-no-board", { board: openBoard ?? "" }) : "");
  const status = openGame !== null && current.game.result === "*" ? { kind: "quiet", text: t("page-desk-game-left") } : boardState(current);
  setText($("#place"), openGame === null ? placeName(current) : comma([placeName(current), t("page-desk-game", { game: openGame })]));
  setText($("#state"), status.text);
  $("#state").dataset.state = status.kind;
  setText($("#model"), !isKnown() ? "" : [current.model, current.board, current.reason, battery(current)].filter(Boolean).join(" · "));
  for (const side of ["white", "black"]) drawPlayer(current, side);
  $("#players").dataset.turned = flipped;
  const look = may("rule") ? (alert) => showFramesAt(alert.raised) : null;
  if (isKnown()) alerts.drawForBoard($("#board-alerts"), current, { offer, look: openGame === null ? look : null });
  else $("#board-alerts").replaceChildren();
  drawPosition(current);
  drawMoves(current);
  drawLists(current, game && game.id === current.game?.id ? game : null);
  for (const element of document.querySelectorAll("#tools > *")) {
    const classes = element.classList;
    const isPast = openGame !== null && (classes.contains("for-known") || classes.contains("for-arbiter"));
    const isForbidden = (classes.contains("for-known") && !hall.user) || (classes.contains("for-boards") && !may("boards")) || (classes.contains("for-arbiter") && !may("rule"));
    element.hidden = isPast || isForbidden || (classes.contains("for-game") && !current.game);
  }
  setText($("#menu"), rule.title());
  const pgn = $("#pgn");
  if (current.game) {
    pgn.href = `/api/games/${current.game.id}/pgn`;
    pgn.download = `game-${current.game.id}.pgn`;
  }
  frames.draw(current, game);
  if (game && game.id === current.game?.id) sheet.draw(current, game);
  $("#undo").disabled = !game?.undo;
  reload();
}

/** Returns whether a change of these boards must be drawn; null means any board. */
export const concerns = (boards) => openBoard !== null && (boards === null || boards.has(openBoard));

const battery = (card) => (card.battery ? t("page-battery", { percent: card.battery.percent }) : "");

function drawPlayer(current, side) {
  const row = $(`#players .side.${side}`);
  const one = playerInfo(current, side);
  setText($(".name", row), [one?.title, playerName(current, side)].filter(Boolean).join(" "));
  setText($(".more", row), [one?.federation, one?.rating, one?.team].filter(Boolean).join(" · "));
  const time = $(".clock", row);
  [time.dataset.clock, time.dataset.board] = [side, current.board];
  clock.show(time, current, side);
  row.classList.toggle("turn", Boolean(current.game && current.game.result === "*" && current.game.fen.split(" ")[1] === side[0]));
}

/** Draws the large board: a moment of the history, an earlier ply, the squares, or the record. */
function drawPosition(current) {
  const orientation = flipped ? "black" : "white";
  const moment = frames.selectedPosition(current);
  const differing = differences(current);
  const wrong = Object.fromEntries(differing.map((one) => [one.square, "wrong"]));
  if (moment) {
    ground.show({ ...moment, orientation });
    setText($("#caption"), t("page-shows-moment", { time: time(moment.wall) }));
  } else if (shownPly !== null && game) {
    const move = game.moves[shownPly - 1];
    const last = move ? [move.uci.slice(0, 2), move.uci.slice(2, 4)] : null;
    ground.show({ pieces: squares(move?.fen ?? game.start_fen), last, orientation });
    setText($("#caption"), move ? t("page-shows-ply", { move: `${rule.name(current, shownPly)} ${move.san}` }) : t("page-shows-start"));
  } else if (showsSquares && current.placement) {
    // Draw the expected piece small.
    const expected = differing.filter((one) => one.expected !== "empty").map((one) => [one.square, one.expected]);
    ground.show({ pieces: squares(current.placement), marks: wrong, expected: Object.fromEntries(expected), orientation });
    setText($("#caption"), t("page-shows-squares"));
  } else {
    const marks = { ...wrong };
    for (const alert of current.game?.alerts ?? []) for (const square of alert.squares) marks[square] ??= alert.notice ? "notice" : "alert";
    const pieces = squares(current.game?.fen ?? current.placement);
    ground.show({ pieces, last: current.game?.last_move ?? null, marks, orientation });
    setText($("#caption"), "");
  }
  $("#differs").hidden = differing.length === 0;
  setText($("#differs h3"), t("page-put-right", { count: differing.length }));
  const line = (one) => t("difference", { square: one.square, expected: squareText(one.expected), seen: squareText(one.seen) });
  keyed($("#differs ul"), differing, (one) => one.square, () => h("li"), (item, one) => setText(item, line(one)));
  setAttribute($("#raw"), "aria-pressed", String(showsSquares));
  $("#raw").disabled = !current.placement || !current.game;
  const label = shownPly === null ? [boardState(current).text, ...differing.map(line)].join("; ") : $("#caption").textContent;
  setAttribute($("#large"), "aria-label", colon(placeName(current), label));
}

/** Draws the moves, as buttons in rows of two. */
function drawMoves(current) {
  const box = $("#moves");
  const all = game && game.id === current.game?.id ? game.moves : [];
  const offset = game?.start_fen?.split(" ")[1] === "b" ? 1 : 0;
  const first = Number(game?.start_fen?.split(" ")[5] ?? 1) || 1;
  const rows = [];
  for (const move of all) {
    const index = Math.floor((move.ply - 1 + offset) / 2);
    (rows[index] ??= { number: first + index, cells: [null, null] }).cells[(move.ply - 1 + offset) % 2] = move;
  }
  const make = () => h("li", {}, h("span", { class: "number" }), h("span"), h("span"));
  const update = (row, one) => {
    setText(row.firstElementChild, `${one.number}.`);
    one.cells.forEach((move, index) => drawCell(row, index + 1, move));
  };
  const last = all.length;
  const atEnd = box.dataset.last !== String(last) && shownPly === null;
  box.dataset.last = last;
  keyed(box, rows.filter(Boolean), (one) => one.number, make, update);
  if (atEnd) box.scrollTop = box.scrollHeight;
  $("#no-moves").hidden = all.length > 0;
  drawDetail(current, all[(shownPly ?? last) - 1]);
}

function drawCell(row, index, move) {
  let element = row.children[index];
  if (!move) return element.replaceWith(h("span"));
  if (element.tagName !== "BUTTON") {
    const button = h("button", { type: "button", class: "move" });
    element.replaceWith(button);
    element = button;
  }
  const doubtful = move.confidence < DOUBTFUL_BELOW && isKnown();
  const illegal = move.irregular && !sheet.isMissing(move);
  setText(element, move.san + (illegal ? " ✗" : "") + (doubtful ? " ?" : ""));
  element.classList.toggle("irregular", move.irregular);
  element.classList.toggle("doubtful", doubtful);
  element.classList.toggle("corrected", corrected(move.ply));
  element.classList.toggle("made", move.state === "made");
  element.dataset.ply = move.ply;
  setAttribute(element, "aria-current", (shownPly ?? game.moves.length) === move.ply ? "true" : null);
  const hints = [move.irregular && t(sheet.isMissing(move) ? "page-missing" : "page-irregular"), doubtful && percent(move.confidence), corrected(move.ply) && t("page-corrected")];
  setAttribute(element, "title", hints.filter(Boolean).join("; ") || null);
}

const percent = (share) => t("page-percent", { percent: Math.floor(share * 100) });
const corrected = (ply) => (game?.corrections ?? []).some((one) => ply >= one.from_ply && ply < one.from_ply + Math.max(1, one.now.length));

/** Draws the details of the move on display: its confidence, its alternatives, its times. */
function drawDetail(current, move) {
  const box = $("#detail");
  const content = JSON.stringify([move, shownPly, language, hall.user?.role, (game?.corrections ?? []).length]);
  if (box.content === content) return;
  box.content = content;
  if (!move) return box.replaceChildren();
  const alternatives = move.alternatives ?? [];
  const clocks = [["white", move.clock_white_ms], ["black", move.clock_black_ms]].filter(([, ms]) => ms !== null && ms !== undefined);
  const row = (name, text) => [h("dt", {}, t(name)), h("dd", {}, text)];
  const ply = move.ply;
  fill(
    box,
    h("h3", {}, colon(rule.name(current, ply), move.san)),
    h(
      "dl",
      {},
      sheet.isMissing(move) ? row("page-missing", t("page-missing-moves")) : move.irregular ? row("page-irregular", t("page-irregular-move")) : null,
      isKnown() ? row("page-confidence", percent(move.confidence)) : null,
      isKnown() && alternatives.length ? row("page-alternatives", comma(alternatives.map((one) => `${one.san ?? one.uci} ${percent(one.confidence)}`))) : null,
      clocks.length ? row("page-clocks", comma(clocks.map(([side, ms]) => `${t(`player-${side}`)} ${clock.format(ms)}`))) : null,
      row("page-made", move.made ? time(move.made) : "–"),
      row("page-completed", move.completed ? time(move.completed) : t("page-not-yet")),
    ),
    may("correct") && openGame === null
      ? h(
          "div",
          { class: "buttons" },
          may("rule") ? h("button", { type: "button", onclick: () => showFramesAt(move.made) }, t("page-frames-then")) : null,
          may("rule") ? h("button", { type: "button", onclick: () => offer({ what: { do: "restore", ply } }) }, t("page-do-restore-before")) : null,
          h("button", { type: "button", onclick: () => offer({ form: "replace", initial: { ply } }) }, t("page-do-replace")),
          h("button", { type: "button", onclick: () => offer({ form: "insert", initial: { ply } }) }, t("page-do-insert")),
        )
      : null,
  );
}

/** Opens the history of the squares around this time. */
function showFramesAt(wall) {
  const current = card();
  if (!current || !game) return;
  frames.open(wall, game, () => draw());
  draw();
  $("#frames").scrollIntoView({ block: "nearest" });
}

/** Carries out the command of a button, or opens its form. */
function offer(one) {
  const current = card();
  if (!current) return;
  if (one.all) acknowledgeAll(current, one.all);
  else if (one.what) runCommand(current, one.what).then(() => openGame !== null && showGame(openGame));
  else rule.open({ card: current, game }, one.form, one.initial, (command) => sendCommand(current, command));
}

/** Opens the menu of all commands. */
export function menu() {
  if (hall.user && card()) offer({});
}

/** Shows another ply: `first`, `last`, or `by` plies forward (back if negative). */
export function step(by) {
  if (!game) return;
  frames.close();
  const last = game.moves.length;
  const to = by === "first" ? 0 : by === "last" ? last : Math.min(last, Math.max(0, (shownPly ?? last) + by));
  shownPly = to === last ? null : to;
  draw();
  $("#moves [aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Flips the board. */
export function flip() {
  flipped = !flipped;
  draw();
}

/** Switches between the squares and the record. */
export function showSquares() {
  showsSquares = !showsSquares;
  shownPly = null;
  frames.close();
  draw();
}

/** Opens or closes the history of the squares. */
export function toggleFrames() {
  if (!may("rule")) return;
  if (frames.isOpen()) frames.close();
  else if (game) frames.open(null, game, () => draw());
  draw();
}

/** Connects the buttons. */
export function begin() {
  $("#moves").addEventListener("click", (event) => {
    const ply = Number(event.target.closest("button")?.dataset.ply);
    if (ply) {
      frames.close();
      shownPly = ply === game.moves.length ? null : ply;
      draw();
    }
  });
  $("#flip").onclick = flip;
  $("#test").onclick = () => openBoard !== null && wiring.open(openBoard);
  $("#raw").onclick = showSquares;
  $("#print").onclick = () => window.print();
  $("#menu").onclick = menu;
  $("#show-frames").onclick = toggleFrames;
  $("#undo").onclick = () => offer({ what: { do: "undo" } });
}
