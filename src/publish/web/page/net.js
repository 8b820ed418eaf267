// Receives data from the server: the complete state from /api/state, then changes from /api/events.

import { language } from "./words.js";

/** All that is known. `cards` by the names of boards. */
export const hall = {
  who: null,
  delay: { ms: 0, plies: 0 },
  event: {},
  trouble: [],
  /** Of the journal: in another one a number may be that of another game. */
  incarnation: null,
  cards: new Map(),
  /** Milliseconds by which the server's time, which nobody sets, is ahead of ours. */
  offset: 0,
  /** When the connection was lost; null: it is there. */
  lost: null,
  /** Whether everything was read once. */
  read: false,
};

/** `change`: something of `hall` changed; its argument is the name of a board, or null for anything. */
export const changes = new EventTarget();
const tell = (board) => changes.dispatchEvent(new CustomEvent("change", { detail: board }));

/** The server's time of day if nobody had set it: what `read_at` and `since` are told by. */
export const now = () => Date.now() + hall.offset;

/** Whether who reads may rule. */
export const isArbiter = () => hall.who?.role === "arbiter";

/** Asks the server; throws an error with its sentence, and `status`. */
export async function ask(path, body) {
  const options = { signal: AbortSignal.timeout(15000), headers: {} };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(path, options);
  const text = await answer.text();
  let said = {};
  try {
    said = text ? JSON.parse(text) : {};
  } catch {
    said = { error: text };
  }
  if (!answer.ok) throw Object.assign(new Error(said.error || `${answer.status}`), { status: answer.status });
  return said;
}

/** Gives a command to a game, or to a board without one; or one about the pairings, `{round: …}`. */
export function command(card, what) {
  if (what.round) return ask(`/api/round?lang=${language}`, what.round);
  const target = card.game ? { game: card.game.id } : { board: card.board };
  return ask(`/api/command?lang=${language}`, { ...target, command: what });
}

let boot = null;

/** Reads everything again. */
export async function read() {
  const state = await ask(`/api/state?lang=${language}`);
  hall.offset = state.now - Date.now();
  hall.who = state.who;
  hall.delay = { ms: state.delay_ms, plies: state.delay_plies };
  hall.event = state.event ?? {};
  hall.trouble = state.trouble ?? [];
  hall.incarnation = state.incarnation;
  const sameBoot = boot === String(state.seq).split("-")[0];
  boot = String(state.seq).split("-")[0];
  const cards = new Map();
  for (const card of state.boards) {
    const known = hall.cards.get(card.board);
    // Changes received while this request was in progress are newer.
    cards.set(card.board, sameBoot && known && known.seq > card.seq ? known : card);
  }
  hall.cards = cards;
  hall.read = true;
  tell(null);
}

let stream = null;
let again = null;
let heard = 0;

function lost() {
  if (hall.lost === null) {
    hall.lost = Date.now();
    tell(null);
  }
}

async function back() {
  heard = Date.now();
  if (hall.lost === null) return;
  // The user and the round may have changed meanwhile.
  try {
    await read();
    hall.lost = null;
    tell(null);
  } catch {
    clearTimeout(again);
    again = setTimeout(listen, 2000);
  }
}

/** Listens to what changes, from now on and for ever: after an interruption the browser goes on with the last event it had. */
export function listen() {
  clearTimeout(again);
  heard = Date.now();
  stream?.close();
  stream = new EventSource(`/api/events?lang=${language}`);
  const current = stream;
  const on = (kind, act) =>
    stream.addEventListener(kind, (event) => {
      if (current !== stream) return;
      heard = Date.now();
      act(JSON.parse(event.data || "null"));
    });
  stream.addEventListener("open", back);
  stream.addEventListener("error", () => {
    if (current !== stream) return;
    lost();
    // The browser reconnects by itself, unless the server refused.
    if (stream.readyState === EventSource.CLOSED) again = setTimeout(listen, 2000);
  });
  on("card", (card) => {
    hall.cards.set(card.board, card);
    tell(card.board);
  });
  on("gone", ({ board }) => {
    hall.cards.delete(board);
    tell(null);
  });
  on("trouble", (trouble) => {
    hall.trouble = trouble;
    tell(null);
  });
  const reread = () =>
    read().catch(() => {
      lost();
      clearTimeout(again);
      again = setTimeout(listen, 2000);
    });
  on("round", reread);
  on("incarnation", ({ incarnation }) => {
    if (incarnation !== hall.incarnation) reread();
  });
  on("alive", () => {});
}

// The server sends a heartbeat every 15 s. If none arrives, a cable was pulled, or a proxy buffers the stream and passes nothing
// on: other requests may still work.
setInterval(() => {
  if (hall.read && hall.lost === null && Date.now() - heard > 25000) {
    listen();
    read().catch(lost);
  }
}, 5000);

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && hall.lost !== null) listen();
});
window.addEventListener("online", () => hall.lost !== null && listen());
