// Receives data from the server: the complete state from /api/state, then changes from /api/events.

import { language, t } from "./words.js";

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

/** Dispatches `change` at most once a frame; `detail` is the set of boards that changed, or null if anything may have changed. */
export const changes = new EventTarget();
let changed = new Set();
let isScheduled = false;

/** Calls a function when the page is drawn next. A page that is not visible is not drawn, but its alerts are to be heard. */
export function whenDrawing(call) {
  if (document.visibilityState === "hidden") setTimeout(call);
  else requestAnimationFrame(call);
}

/** Reports the change of a board; null: anything may have changed. */
function notify(board) {
  if (board === null) changed = null;
  else changed?.add(board);
  if (isScheduled) return;
  isScheduled = true;
  whenDrawing(dispatch);
}

function dispatch() {
  if (!isScheduled) return;
  const detail = changed;
  [changed, isScheduled] = [new Set(), false];
  changes.dispatchEvent(new CustomEvent("change", { detail }));
}

/** Returns the server's time, unaffected by adjustments of its clock. `read_at` and `since` are in this time. */
export const now = () => Date.now() + hall.offset;

/** Returns whether a user is logged in. */
export const isKnown = () => hall.user !== null;

/** Returns whether the user has a right. */
export const may = (right) => hall.user?.rights.includes(right) ?? false;

/** Sends a request to the server. Throws an error with the server's message and the HTTP `status`. */
export async function request(path, body, type = "application/json") {
  const options = { signal: AbortSignal.timeout(15000), headers: {} };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = type;
    options.body = body instanceof Blob ? body : JSON.stringify(body);
  }
  const response = await fetch(path, options).catch(() => {
    throw new Error(t("page-no-answer"));
  });
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

const targetOf = (card) => (card.game ? { game: card.game.id } : { board: card.board });

/**
 * Sends a command for a game, for a board without a game, or an act at the desk (`{desk: …}`). `seen`: the number of the last event of
 * the game that the user has seen; the server refuses the command if the game has changed since.
 */
export function postCommand(card, command, seen) {
  if (command.desk) return request(`/api/desk?lang=${language}`, command.desk);
  const guard = card.game && seen !== undefined ? { n_seen: seen } : {};
  return request(`/api/command?lang=${language}`, { ...targetOf(card), ...guard, command });
}

/** Asks the server what a command would do. */
export const postPreview = (card, command) => request(`/api/preview?lang=${language}`, { ...targetOf(card), command });

let bootId = null;
/** The number of the last change that this page has. */
let lastSeq = "";
/** Returns the run of the server in which a change was numbered. */
const bootOf = (seq) => String(seq).split("-")[0];

/** Loads the complete state. */
export async function read() {
  const state = await request(`/api/state?lang=${language}`);
  hall.offset = state.now - Date.now();
  hall.user = state.who;
  hall.delay = { ms: state.delay_ms, plies: state.delay_plies };
  hall.event = state.event ?? {};
  hall.problems = state.problems ?? [];
  hall.incarnation = state.incarnation;
  const sameBoot = bootId === bootOf(state.seq);
  bootId = bootOf(state.seq);
  lastSeq = state.seq;
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

/** Sets changed fields: objects are merged, any other value replaces the previous one. */
function merge(card, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    const before = card[name];
    card[name] = isObject && before !== null && typeof before === "object" ? merge({ ...before }, value) : value;
  }
  return card;
}

/** Applies the changed fields of a card. Returns whether they are the next change of the version that is known, or known already. */
function applyChange({ previous, ...fields }, isSameBoot) {
  const known = hall.cards.get(fields.board);
  if (!known || known.seq !== previous) return Boolean(known && isSameBoot && known.seq >= fields.seq);
  hall.cards.set(fields.board, merge({ ...known }, fields));
  notify(fields.board);
  return true;
}

/**
 * Opens the event stream, after the last change that this page has. After an interruption the browser resumes it after the last event
 * that it received.
 */
export function listen() {
  clearTimeout(retryTimer);
  lastReceived = Date.now();
  stream?.close();
  stream = new EventSource(`/api/events?lang=${language}&cards=changes&after=${hall.loaded ? lastSeq : ""}`);
  const current = stream;
  const handle = (kind, handler) =>
    stream.addEventListener(kind, (event) => {
      if (current !== stream) return;
      lastReceived = Date.now();
      if (event.lastEventId) lastSeq = event.lastEventId;
      handler(JSON.parse(event.data || "null"), bootOf(event.lastEventId) === bootId);
    });
  stream.addEventListener("open", onOpen);
  stream.addEventListener("error", () => {
    if (current !== stream) return;
    connectionLost();
    // The browser reconnects by itself, unless the server refused.
    if (stream.readyState === EventSource.CLOSED) retryTimer = setTimeout(listen, 2000);
  });
  const reread = () =>
    read().catch(() => {
      connectionLost();
      clearTimeout(retryTimer);
      retryTimer = setTimeout(listen, 2000);
    });
  handle("card", (card, isSameBoot) => {
    // The state may have been loaded after this change.
    if (isSameBoot && hall.cards.get(card.board)?.seq > card.seq) return;
    hall.cards.set(card.board, card);
    notify(card.board);
  });
  handle("change", (fields, isSameBoot) => {
    // The server sends changed fields only to a page that has the previous version; the state may have been loaded after them.
    if (!applyChange(fields, isSameBoot)) reread();
  });
  handle("gone", ({ board }) => {
    hall.cards.delete(board);
    notify(null);
  });
  handle("problems", (problems) => {
    hall.problems = problems;
    notify(null);
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
  // What was to be shown with the next frame is reported now: there is none.
  if (document.visibilityState === "hidden") dispatch();
  if (document.visibilityState === "visible" && hall.lostAt !== null) listen();
});
window.addEventListener("online", () => hall.lostAt !== null && listen());
