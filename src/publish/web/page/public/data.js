// The documents of the event, and their changes: by the server's stream, or by reading them again where there is none.

import { documentAddress } from "./address.js";

/** What is known. `rounds` is keyed by number, `games` by round and table (`3/14`). */
export const data = {
  event: null,
  rounds: new Map(),
  games: new Map(),
  standings: null,
  /** Milliseconds by which the server's clock is ahead of this device's. */
  offset: 0,
  /** When the documents were read last, or the stream said something. */
  readAt: null,
  /** Since when there is no connection; null while there is one. */
  lostAt: null,
};

/** Dispatches `change`: `detail` says what has changed (`event`, `round`, `table`, `game`, `standings`, `connection`), and of what. */
export const changes = new EventTarget();
const notify = (what, round = null, table = null) => changes.dispatchEvent(new CustomEvent("change", { detail: { what, round, table } }));

/** The server's time of day. */
export const now = () => Date.now() + data.offset;

/** Reads a document. Throws if there is none, or no answer. */
async function read(path) {
  // `no-cache`: the server is asked whether there is a newer version.
  const response = await fetch(documentAddress(path), { cache: "no-cache", signal: AbortSignal.timeout(20000) });
  if (!response.ok) throw Object.assign(new Error(`${path}: ${response.status}`), { status: response.status });
  const served = Date.parse(response.headers.get("Date") ?? "");
  // The header has whole seconds, so it is half a second old on average.
  if (served) data.offset = Math.abs(served + 500 - Date.now()) < 1500 ? 0 : served + 500 - Date.now();
  const document = await response.json();
  data.readAt = Date.now();
  connected();
  return document;
}

function connected() {
  if (data.lostAt === null) return;
  data.lostAt = null;
  notify("connection");
}

function disconnected() {
  if (data.lostAt !== null) return;
  data.lostAt = Date.now();
  notify("connection");
}

export async function readEvent() {
  data.event = await read("event.json");
  notify("event");
  return data.event;
}

/** Reads a round. */
export async function readRound(number) {
  const round = await read(`round/${number}.json`);
  data.rounds.set(number, round);
  notify("round", number);
  return round;
}

/** Reads a game with its moves. A table without a game is one without moves. */
export async function readGame(round, table) {
  const game = await read(`round/${round}/table/${table}.json`).catch((error) => (error.status === 404 ? readTable(round, table, error) : Promise.reject(error)));
  data.games.set(`${round}/${table}`, game);
  notify("game", round, table);
  return game;
}

/** Reads a table without a game, as a game. Throws the error if there is no such table. */
async function readTable(round, number, error) {
  const { tables } = data.rounds.get(round) ?? (await readRound(round));
  const table = tables.find((one) => one.table === number);
  if (!table) throw error;
  return { ...table, round, table: number, start_fen: table.state.fen, opening: null, moves: [], pgn: null };
}

export async function readStandings() {
  data.standings = await read("standings.json");
  notify("standings");
  return data.standings;
}

/** Reads the texts of a language. */
export const readWords = ({ address }) => read(address);

/** The view that is shown: `{ view, round, table }`. What it needs is kept up to date. */
let followed = {};

/** Keeps what this view shows up to date from now on. */
export function follow(view) {
  followed = view;
}

/** What is being read because a view needs it, by its name. */
const needed = new Map();

function readOnce(name, read) {
  if (!needed.has(name)) needed.set(name, read().finally(() => needed.delete(name)));
  return needed.get(name);
}

/** Reads what a view needs and is not there yet. */
export function need({ view, round, table }) {
  const game = `${round}/${table}`;
  if (view === "standings") return data.standings ?? readOnce("standings", readStandings);
  if (view === "table") return data.games.get(game) ?? readOnce(game, () => readGame(round, table));
  return round === null || round === undefined ? null : (data.rounds.get(round) ?? readOnce(round, () => readRound(round)));
}

/** Reads what is shown again. */
async function readAgain() {
  const { view, round, table } = followed;
  const wanted = [readEvent()];
  if (view === "standings") wanted.push(readStandings());
  else if (view === "table") wanted.push(readGame(round, table));
  else if (round) wanted.push(readRound(round));
  const outcomes = await Promise.allSettled(wanted);
  // What is not there is an answer, too.
  if (outcomes.some(({ reason }) => reason && !reason.status)) disconnected();
}

let stream = null;
let timer = null;
let heardAt = 0;

/** Follows the event from now on. */
export function listen() {
  clearTimeout(timer);
  stream?.close();
  stream = null;
  if (data.event?.stream && typeof EventSource === "function") openStream();
  else poll();
}

function poll() {
  clearTimeout(timer);
  const seconds = data.event?.poll_s ?? 10;
  // Not all spectators ask at the same moment.
  timer = setTimeout(async () => {
    if (document.visibilityState === "visible") await readAgain();
    if (!stream) poll();
  }, seconds * 1000 * (0.9 + Math.random() * 0.2));
}

function openStream() {
  const current = new EventSource(documentAddress(data.event.stream));
  stream = current;
  heardAt = Date.now();
  const on = (kind, handle) =>
    current.addEventListener(kind, ({ data: text }) => {
      if (current !== stream) return;
      [heardAt, data.readAt] = [Date.now(), Date.now()];
      connected();
      handle(JSON.parse(text || "{}"));
    });
  on("table", ({ round, table, state }) => changeTable(round, table, state));
  on("round", ({ round }) => {
    for (const key of data.games.keys()) if (key.startsWith(`${round}/`)) data.games.delete(key);
    if (followed.round === round && followed.view !== "table") readRound(round).catch(disconnected);
    else data.rounds.delete(round);
    if (followed.round === round && followed.view === "table") readGame(round, followed.table).catch(() => {});
  });
  on("event", () => readEvent().catch(disconnected));
  on("standings", () => {
    data.standings = null;
    if (followed.view === "standings") readStandings().catch(disconnected);
  });
  on("alive", () => {});
  current.addEventListener("open", () => {
    if (current !== stream || data.lostAt === null) return;
    heardAt = Date.now();
    // A server that was restarted does not know what this page has.
    const { view, round, table } = followed;
    for (const key of data.games.keys()) if (view !== "table" || key !== `${round}/${table}`) data.games.delete(key);
    for (const number of data.rounds.keys()) if (number !== round) data.rounds.delete(number);
    if (view !== "standings") data.standings = null;
    // Not all spectators ask at the same moment.
    setTimeout(() => current === stream && readAgain(), Math.random() * 2000);
  });
  current.addEventListener("error", () => {
    if (current !== stream) return;
    disconnected();
    if (current.readyState !== EventSource.CLOSED) return;
    // The server takes no more streams now: read as from files, and try again later.
    stream = null;
    readAgain();
    timer = setTimeout(listen, 30000 + Math.random() * 30000);
  });
}

/** The games whose documents are to be read again, with the timers. */
const stale = new Map();

function changeTable(round, number, state) {
  const table = data.rounds.get(round)?.tables.find((one) => one.table === number);
  if (table) {
    table.state = state;
    table.game ??= state.ply || state.state === "playing" ? `round/${round}/table/${number}.json` : null;
    notify("table", round, number);
  }
  const key = `${round}/${number}`;
  const isShown = followed.view === "table" && followed.round === round && followed.table === number;
  const game = data.games.get(key);
  if (!isShown) {
    data.games.delete(key);
    needed.delete(key);
  } else if (!game || JSON.stringify(game.state) !== JSON.stringify(state)) {
    clearTimeout(stale.get(key));
    // Not all spectators of a game ask at the same moment.
    stale.set(key, setTimeout(() => readGame(round, number).catch(() => {}), Math.random() * 400));
  }
}

// The server says something every 15 seconds. If it does not, a cable was pulled, or a proxy passes nothing on.
setInterval(() => {
  if (!stream || Date.now() - heardAt < 40000) return;
  disconnected();
  readAgain().then(listen, listen);
}, 5000);

document.addEventListener("visibilitychange", () => {
  // A device that slept, or a page that was not looked at, has old documents.
  const isOld = Date.now() - (data.readAt ?? 0) > (data.event?.poll_s ?? 10) * 1000;
  if (document.visibilityState === "visible" && data.event && isOld) readAgain().then(listen, listen);
});
window.addEventListener("online", () => data.lostAt !== null && readAgain().then(listen, listen));
