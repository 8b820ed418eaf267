// Receives data from the server: the complete state from /api/state, then changes from /api/events.

import { language } from "./words.js";

/** The state of the hall. `cards` is keyed by the names of the boards. */
export const hall = {
  /** The logged-in user; null if nobody is logged in. */
  user: null,
  delay: { ms: 0, plies: 0 },
  event: {},
  problems: [],
  /** The incarnation of the journal: in another incarnation a game number may belong to another game. */
  incarnation: null,
  cards: new Map(),
  /** Milliseconds by which the server's time, unaffected by adjustments of its clock, is ahead of this browser's clock. */
  offset: 0,
  /** When the connection was lost; null while it is up. */
  lostAt: null,
  /** Whether the complete state was loaded at least once. */
  loaded: false,
};

/** Dispatches `change` when `hall` changed; `detail` is the name of the board, or null if more than one board may have changed. */
export const changes = new EventTarget();
const notify = (board) => changes.dispatchEvent(new CustomEvent("change", { detail: board }));

/** Returns the server's time, unaffected by adjustments of its clock. `read_at` and `since` are in this time. */
export const now = () => Date.now() + hall.offset;

/** Returns whether the user is an arbiter. */
export const isArbiter = () => hall.user?.role === "arbiter";

/** Sends a request to the server. Throws an error with the server's message and the HTTP `status`. */
export async function request(path, body, type = "application/json") {
  const options = { signal: AbortSignal.timeout(15000), headers: {} };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = type;
    options.body = body instanceof Blob ? body : JSON.stringify(body);
  }
  const response = await fetch(path, options);
  const text = await response.text();
  let reply = {};
  try {
    reply = text ? JSON.parse(text) : {};
  } catch {
    reply = { error: text };
  }
  if (!response.ok) throw Object.assign(new Error(reply.error || `${response.status}`), { status: response.status });
  return reply;
}

/** Sends a file to the server. Throws as [`request`] does. */
export const upload = (path, file) => request(path, file, "application/octet-stream");

/** Sends a command for a game, for a board without a game, or an act at the desk (`{desk: …}`). */
export function postCommand(card, command) {
  if (command.desk) return request(`/api/desk?lang=${language}`, command.desk);
  const target = card.game ? { game: card.game.id } : { board: card.board };
  return request(`/api/command?lang=${language}`, { ...target, command });
}

let bootId = null;

/** Loads the complete state. */
export async function read() {
  const state = await request(`/api/state?lang=${language}`);
  hall.offset = state.now - Date.now();
  hall.user = state.who;
  hall.delay = { ms: state.delay_ms, plies: state.delay_plies };
  hall.event = state.event ?? {};
  hall.problems = state.problems ?? [];
  hall.incarnation = state.incarnation;
  const sameBoot = bootId === String(state.seq).split("-")[0];
  bootId = String(state.seq).split("-")[0];
  const cards = new Map();
  for (const card of state.boards) {
    const known = hall.cards.get(card.board);
    // Changes received while this request was in progress are newer.
    cards.set(card.board, sameBoot && known && known.seq > card.seq ? known : card);
  }
  hall.cards = cards;
  hall.loaded = true;
  notify(null);
}

let stream = null;
let retryTimer = null;
let lastReceived = 0;

function connectionLost() {
  if (hall.lostAt === null) {
    hall.lostAt = Date.now();
    notify(null);
  }
}

async function onOpen() {
  lastReceived = Date.now();
  if (hall.lostAt === null) return;
  // The user and the round may have changed meanwhile.
  try {
    await read();
    hall.lostAt = null;
    notify(null);
  } catch {
    clearTimeout(retryTimer);
    retryTimer = setTimeout(listen, 2000);
  }
}

/** Opens the event stream. After an interruption the browser resumes it after the last event that it received. */
export function listen() {
  clearTimeout(retryTimer);
  lastReceived = Date.now();
  stream?.close();
  stream = new EventSource(`/api/events?lang=${language}`);
  const current = stream;
  const handle = (kind, handler) =>
    stream.addEventListener(kind, (event) => {
      if (current !== stream) return;
      lastReceived = Date.now();
      handler(JSON.parse(event.data || "null"));
    });
  stream.addEventListener("open", onOpen);
  stream.addEventListener("error", () => {
    if (current !== stream) return;
    connectionLost();
    // The browser reconnects by itself, unless the server refused.
    if (stream.readyState === EventSource.CLOSED) retryTimer = setTimeout(listen, 2000);
  });
  handle("card", (card) => {
    hall.cards.set(card.board, card);
    notify(card.board);
  });
  handle("gone", ({ board }) => {
    hall.cards.delete(board);
    notify(null);
  });
  handle("problems", (problems) => {
    hall.problems = problems;
    notify(null);
  });
  const reread = () =>
    read().catch(() => {
      connectionLost();
      clearTimeout(retryTimer);
      retryTimer = setTimeout(listen, 2000);
    });
  handle("round", reread);
  handle("incarnation", ({ incarnation }) => {
    if (incarnation !== hall.incarnation) reread();
  });
  handle("alive", () => {});
}

// The server sends a heartbeat every 15 s. If none arrives, a cable was pulled, or a proxy buffers the stream and passes nothing
// on: other requests may still work.
setInterval(() => {
  if (hall.loaded && hall.lostAt === null && Date.now() - lastReceived > 25000) {
    listen();
    read().catch(connectionLost);
  }
}, 5000);

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && hall.lostAt !== null) listen();
});
window.addEventListener("online", () => hall.lostAt !== null && listen());
