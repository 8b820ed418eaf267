#!/usr/bin/env node
// Follows the public games of touchmove: prints each table as it changes.
//
//     node public_feed.mjs http://127.0.0.1:8064/ [--once]
//
// It needs no packages, and reads the same from exported files (`[publish_static]`) on any web server. In a page, `EventSource` takes
// the place of `events`. docs/public-api.json describes the documents.

const [page, option] = process.argv.slice(2);
if (!page) {
  console.error("public_feed.mjs ADDRESS [--once]: the address is that of the page, such as http://127.0.0.1:8064/");
  process.exit(2);
}
const documents = new URL("public/", page.endsWith("/") ? page : `${page}/`);
const tables = new Map();

const read = async path => {
  const answer = await fetch(new URL(path, documents));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};

const show = ({ table, white, black, state }) => {
  const names = `${white.name || "White"} – ${black.name || "Black"}`;
  console.log(`${String(table).padStart(3)}  ${names.padEnd(50)} ${state.result.padStart(7)}  ${state.last_moves.at(-1) ?? "no moves yet"}`);
};

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Reads the event and the round that is played, and prints the tables that have changed. */
async function readAll() {
  const event = await read("event.json");
  const round = event.rounds.find(round => round.number === event.round);
  for (const table of round ? (await read(round.address)).tables : []) {
    const key = `${round.number}/${table.table}`;
    const before = tables.get(key);
    tables.set(key, table);
    if (!before || !isSame(before.state, table.state)) show(table);
  }
  return event;
}

/** Yields the server-sent events of a stream. */
async function* events(path, lastId) {
  const answer = await fetch(new URL(path, documents), { headers: lastId ? { "Last-Event-ID": lastId } : {} });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  let text = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = Object.fromEntries(part.split("\n").map(line => line.split(/: (.*)/s).slice(0, 2)));
      if (fields.data) yield { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}

let event = await readAll();
for (let lastId = null; option !== "--once"; ) {
  try {
    if (event.stream === null) {
      // Files: there is nobody who could say that they have changed.
      await new Promise(resolve => setTimeout(resolve, event.poll_s * 1000));
      event = await readAll();
      continue;
    }
    for await (const change of events(event.stream, lastId)) {
      lastId = change.id ?? lastId;
      if (change.event === "round" || change.event === "event") event = await readAll();
      const table = change.event === "table" && tables.get(`${change.data.round}/${change.data.table}`);
      if (table && !isSame(table.state, change.data.state)) show(Object.assign(table, { state: change.data.state }));
    }
  } catch (error) {
    console.error(`${page}: ${error.message}; trying again`);
  }
  await new Promise(resolve => setTimeout(resolve, 2000));
}
