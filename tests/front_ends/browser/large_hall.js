// A hall of many boards, in place of the server's: `fake.change(table, fields)` sends changed fields as the server does.
window.fake = (() => {
  const [who, count] = [WHO, COUNT];
  const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  const E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
  const PLAYERS = [
    ["GM", "Rodshtein, Maxim", "ISR", "2647"],
    ["IM", "Li, Yiheng", "CHN", "1994"],
    ["WGM", "Vachier-Lagrave, Marie Jeanne-Baptiste Alexandrine", "FRA", "2101"],
    ["", "Brandt, Jörg", "GER", ""],
  ];
  const player = (index) => {
    const [title, name, federation, rating] = PLAYERS[index % PLAYERS.length];
    return { name: name.replace(",", index < PLAYERS.length ? "," : `-${index},`), title, federation, rating, team: "", fide_id: "" };
  };
  let seq = 0;
  const card = (table) => {
    const [white, black] = [player(2 * table), player(2 * table + 1)];
    const ended = table % 10 === 5;
    const begun = table % 10 !== 7;
    const game = {
      id: table, white, black, result: ended ? (table === 15 ? "1/2-1/2" : "1-0") : "*", reason: ended ? "arbiter" : "", ply: begun ? 1 : 0,
      fen: begun ? E4 : START, last_move: begun ? ["e2", "e4"] : null, last_sans: begun ? ["1. e4"] : [], paused: false, uncertain: table === 3,
      corrections: 0, started: 0, ...(who?.role === "arbiter" ? { alerts: [], last_number: 1 } : {}),
    };
    return {
      board: `row_A_${table}`, table, seq: (seq += 1), model: "DGT e-Board", contact: "ready", reason: "", placement: null, displaced: [], battery: null,
      clock: { white_ms: 5795000, black_ms: 5796000, turn: "black", running: begun && !ended, read_at: Date.now(), flag_white: false, flag_black: false, battery_low: false },
      pairing: { white, black, forfeit: null, section: table <= 40 ? "Open" : "U14" }, game, attention: who && table % 16 === 0 ? 2 : 0,
    };
  };
  const cards = new Map(Array.from({ length: count }, (_, index) => [index + 1, card(index + 1)]));
  const streams = [];
  const fake = { reads: 0, cards, streams };

  const real = window.fetch;
  window.fetch = (path, ...rest) => {
    if (!String(path).startsWith("/api/state")) return real(path, ...rest);
    fake.reads += 1;
    const state = { who, delay_ms: 0, delay_plies: 0, now: Date.now(), seq: `run-${seq}`, incarnation: "x", event: { name: "City Open", round: "3" }, problems: [] };
    return Promise.resolve(new Response(JSON.stringify({ ...state, boards: [...cards.values()] })));
  };
  window.EventSource = class extends EventTarget {
    static CLOSED = 2;
    constructor(url) {
      super();
      [this.url, this.readyState] = [url, 1];
      streams.push(this);
    }
    close() {
      this.readyState = 2;
    }
  };

  const merge = (into, fields) => {
    for (const [name, value] of Object.entries(fields)) {
      const isObject = value && typeof value === "object" && !Array.isArray(value);
      into[name] = isObject && into[name] ? merge({ ...into[name] }, value) : value;
    }
    return into;
  };
  fake.send = (name, data) => streams.at(-1).dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId: `run-${data.seq ?? seq}` }));
  /** Changes a card, and returns the event for it. */
  fake.event = (table, fields) => {
    const before = cards.get(table);
    const data = { ...fields, board: before.board, previous: before.seq, seq: (seq += 1) };
    const { previous, ...after } = data;
    cards.set(table, merge({ ...before }, after));
    return data;
  };
  fake.change = (table, fields) => fake.send("change", fake.event(table, fields));
  return fake;
})();
