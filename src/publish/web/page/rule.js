// The arbiter's rulings: which ones fit which alert, and the form of each.

import { MoveInput } from "./board.js";
import { parse } from "./clock.js";
import { EDITIONS, RIGHTS } from "./commands.js";
import { editPairing, readDesk } from "./desk.js";
import { $, h } from "./dom.js";
import { CHANGED, refusalLine, sendForm } from "./form.js";
import { score } from "./card.js";
import * as exchange from "./exchange.js";
import { hall, may } from "./net.js";
import { pairingText } from "./pairing.js";
import { say } from "./status.js";
import { colon, comma, t } from "./words.js";

const RESULTS = ["1-0", "1/2-1/2", "0-1"];

const result = (one) => ({ text: t("page-result-is", { result: score(one) }), what: { do: "result", result: one } });

/** The rulings that the server offers with an alert, by name. Each entry returns buttons: a complete command (`what`), or a form to fill in first (`form`, `initial`). */
const OFFERS = {
  restore: (card, alert) => [{ text: t("page-do-restore-ply", { move: name(card, alert.ply) }), what: { do: "restore", ply: alert.ply } }],
  let_stand: (card, alert) => [{ text: t("page-do-let_stand"), what: { do: "let_stand", alert: alert.id } }],
  adopt: (card, alert) => [{ text: t("page-do-adopt"), what: { do: "adopt", alert: alert.id } }],
  strike: (card, alert) =>
    alert.count && alert.by ? [{ text: t("page-do-strike"), what: { do: "strike", player: alert.by, ply: alert.ply } }] : [],
  count: (card, alert) => [{ text: t("page-do-count"), form: "count", initial: { player: alert.by, what: "touch_broken" } }],
  pause: (card) => [{ text: t(card.game.paused ? "page-do-go_on" : "page-do-pause"), what: { do: "pause", paused: !card.game.paused } }],
  replace: (card, alert) => [{ text: t("page-do-replace"), form: "replace", initial: { ply: alert.ply } }],
  promotion: (card, alert) => [{ text: t("page-do-promotion"), form: "promotion", initial: { ply: alert.ply } }],
  position: (card) => [{ text: t("page-do-position"), form: "position", initial: { fen: card.game.fen } }],
  results: (card, alert) => [...new Set([alert.result, ...RESULTS])].filter(Boolean).map(result),
  draw: () => [result("1/2-1/2")],
  lost: (card, alert) => (alert.by ? [result(alert.by === "white" ? "0-1" : "1-0")] : []),
  withdraw: () => [{ text: t("page-do-withdraw"), what: { do: "result", result: "*" } }],
};

/** Names a ply by player and move number: `White's move 12`. */
export const name = (card, ply) => t(ply % 2 ? "page-move-white" : "page-move-black", { number: Math.ceil(ply / 2) });

/**
 * Returns the buttons of an alert, the likeliest first. An arbiter can also acknowledge every alert, and all that are `alike`. A game that
 * has left its board (`isPast`) can only get a result.
 */
export function offersFor(card, alert, alike) {
  const offers = alert.offers.flatMap((word) => OFFERS[word]?.(card, alert) ?? []).filter((one) => (one.what?.ply ?? 1) >= 1);
  if (card.isPast) return offers.filter(({ what }) => what?.do === "result" && what.result !== "*");
  if (!may("acknowledge")) return offers;
  const acknowledge = { text: t("page-acknowledge"), what: { do: "acknowledge", alert: alert.id } };
  return [...offers, acknowledge, ...(alike.length > 1 ? [{ text: t("page-acknowledge-all", { count: alike.length }), all: alike }] : [])];
}

/** Irregularities of config/data/laws that can be counted. */
const COUNTED = ["illegal_move", "illegal_castling", "pawn_left", "press_without_move", "two_hands", "press_before_release", "touch_broken"];

/** Acts at the desk, which operators can carry out, too. */
const AT_DESK = { desk: true, anywhere: true, when: (card) => card.table };
/** Acts that concern the round. */
const OF_ROUND = { ...AT_DESK, round: true, when: (card) => card.pairing };
/** The PGN tags that have a field; a game keeps the others. */
const TAGS = ["White", "WhiteTitle", "WhiteElo", "Black", "BlackTitle", "BlackElo", "Event", "Round"];
/** The result of a forfeit, by its winner. */
const FORFEITS = { white: "+--", black: "--+", nobody: "---", none: null };

/** Tells the page on which board a game continues. */
const exchanged = (board) => document.dispatchEvent(new CustomEvent("exchanged", { detail: board }));

/** Every command with its fields, or with a dialog of its own; `when` returns whether the command is available. */
const FORMS = {
  result: { fields: ["result"] },
  restore: { fields: ["ply"] },
  let_stand: { fields: ["alert"], when: (card) => card.game.alerts?.some((alert) => !alert.notice) },
  replace: { fields: ["ply", "uci"] },
  insert: { fields: ["ply", "uci"] },
  take_back: { fields: ["plies"] },
  promotion: { fields: ["ply", "piece"] },
  pause: { fields: [], when: (card) => !card.game.paused, fixed: { paused: true } },
  go_on: { word: "pause", fields: [], when: (card) => card.game.paused, fixed: { paused: false } },
  clock_note: { fields: ["white_ms", "black_ms", "note"] },
  count: { fields: ["player", "what"] },
  strike: { fields: ["counted"] },
  claim: { fields: ["player", "claimed", "intended"] },
  adjust: { fields: ["player"] },
  undo: { fields: [] },
  position: { fields: ["fen"], anywhere: true },
  swap: { fields: ["one", "other"], ...OF_ROUND },
  laws: { fields: ["edition", "time_class", "supervision"], when: (card, game) => game },
  tags: { fields: ["tags"], when: (card, game) => game?.tags && !card.pairing },
  pairing: { dialog: (card) => editPairing(card.table), ...OF_ROUND },
  seat: { fields: ["table", "board"], ...AT_DESK },
  exchange: { dialog: (card) => exchange.open(card.board, exchanged), desk: true, when: (card) => exchange.canExchange(card.board) },
  forfeit: { word: "result", fields: ["table", "winner"], ...OF_ROUND },
};

const choice = (name, values, initial) =>
  h(
    "fieldset",
    {},
    h("legend", {}, t(`page-field-${name}`)),
    values.map(([value, text], index) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name, value, required: true, checked: initial ? initial === value : index === 0 }), text),
    ),
  );
const field = (name, attributes, initial) =>
  h("label", {}, t(`page-field-${name}`), h("input", { name, id: `field-${name}`, value: initial ?? null, autocomplete: "off", spellcheck: "false", ...attributes }));
const select = (name, values, initial) =>
  h("label", {}, t(`page-field-${name}`), h("select", { name }, values.map(([value, text]) => h("option", { value, selected: value === initial }, text))));
const players = () => [["white", t("player-white")], ["black", t("player-black")]];
const countedIrregularities = (game) => ["white", "black"].flatMap((player) => (game?.tally?.[player] ?? []).map((one) => ({ player, ...one })));

/** Edition, time class and supervision of a game. */
const lawsWords = (game) => Object.assign(["", "standard", "full"], game.laws_words.split(" "));
const tagsOf = (game) => Object.fromEntries(game.tags);

/** Builds the element of each field. `context` has the card and, once it is loaded, the complete game. */
const FIELDS = {
  result: (context, initial) => choice("result", [...RESULTS.map((one) => [one, score(one)]), ["*", t("page-result-none")]], initial),
  ply: ({ card }, initial) => field("ply", { type: "number", min: 1, max: card.game.ply + 1, required: true }, initial ?? Math.max(1, card.game.ply)),
  plies: ({ card }) => field("plies", { type: "number", min: 1, max: Math.max(1, card.game.ply), required: true }, 1),
  alert: ({ card }) =>
    select("alert", (card.game.alerts ?? []).filter((one) => !one.notice).map((one) => [String(one.id), colon(t(`kind-${one.kind}`), name(card, one.ply))])),
  uci: (context, initial) => [field("uci", { pattern: "[a-h][1-8][a-h][1-8][qrbn]?", placeholder: "e2e4", required: true }, initial), h("div", { class: "move-board" })],
  intended: () => [field("intended", { pattern: "[a-h][1-8][a-h][1-8][qrbn]?", placeholder: "e2e4" }), h("div", { class: "move-board" })],
  piece: (context, initial) => choice("piece", ["queen", "rook", "bishop", "knight"].map((one) => [one, t(`role-${one}`)]), initial),
  player: (context, initial) => choice("player", players(), initial),
  what: (context, initial) => select("what", COUNTED.map((one) => [one, t(`page-count-${one}`)]), initial),
  counted: ({ card, game }) =>
    select("counted", countedIrregularities(game).map((one) => [`${one.player} ${one.ply}`, colon(name(card, one.ply), comma([one.what].flat().map((word) => t(`page-count-${word}`))))])),
  claimed: () => choice("claimed", [["repetition", t("page-claim-repetition")], ["fifty_moves", t("page-claim-fifty_moves")]]),
  white_ms: (context, initial) => field("white_ms", { placeholder: "1:30:00", required: true, pattern: "\\d{1,2}(:\\d{1,2}){1,2}" }, initial),
  black_ms: (context, initial) => field("black_ms", { placeholder: "1:30:00", required: true, pattern: "\\d{1,2}(:\\d{1,2}){1,2}" }, initial),
  note: () => field("note", { maxlength: 500 }),
  one: ({ card }) => field("one", { type: "number", min: 1, required: true }, card.table),
  other: () => field("other", { type: "number", min: 1, required: true }),
  table: ({ card }) => field("table", { type: "number", min: 1, required: true }, card.table),
  board: ({ card }) => select("board", [...hall.cards.keys()].sort().map((name) => [name, name]), card.board),
  winner: () => choice("winner", ["white", "black", "nobody", "none"].map((one) => [one, t(`page-forfeit-${one}`)])),
  edition: ({ game }) => select("edition", EDITIONS.map((one) => [one, t(`page-edition-${one}`)]), lawsWords(game)[0]),
  time_class: ({ game }) => choice("time_class", ["standard", "rapid", "blitz"].map((one) => [one, t(`page-class-${one}`)]), lawsWords(game)[1]),
  supervision: ({ game }) => choice("supervision", ["full", "limited"].map((one) => [one, t(`page-supervision-${one}`)]), lawsWords(game)[2]),
  tags: ({ game }) => TAGS.map((name) => h("label", {}, t(`page-tag-${name}`), h("input", { name, value: tagsOf(game)[name] ?? "", maxlength: 255, autocomplete: "off" }))),
  fen: (context, initial) => field("fen", { required: true, size: 40 }, initial),
};

/** Returns the command of a completed form; an act at the desk is inside `desk`, with what was seen of the desk (`n`, `round`). */
function readForm(word, form, { game, n, round }) {
  const values = new FormData(form);
  if (word === "laws") {
    const [edition, time, supervision] = FORMS.laws.fields.map((name) => values.get(name));
    return { do: "laws", laws: time === "standard" ? edition : `${edition} ${time} ${supervision}` };
  }
  if (word === "tags") {
    const set = TAGS.map((name) => [name, String(values.get(name)).trim()]).filter(([, value]) => value);
    return { do: "tags", tags: [...game.tags.filter(([name]) => !TAGS.includes(name)), ...set] };
  }
  const command = { do: FORMS[word].word ?? word, ...FORMS[word].fixed };
  for (const name of FORMS[word].fields) {
    const value = String(values.get(name) ?? "").trim();
    if (["ply", "plies", "alert", "one", "other", "table"].includes(name)) command[name] = Number(value);
    else if (name === "winner") command.result = FORFEITS[value];
    else if (name === "white_ms" || name === "black_ms") command[name] = parse(value) ?? 0;
    else if (name === "counted") [command.player, command.ply] = [value.split(" ")[0], Number(value.split(" ")[1])];
    else if (value || name !== "intended") command[name] = value;
  }
  if (word === "promotion" && !values.get("ply")) command.ply = null;
  if (word === "clock_note" && !command.note) delete command.note;
  if (FORMS[word].round) command.round = round;
  return FORMS[word].desk ? { desk: { n_seen: n, ...command } } : command;
}

/** Returns the position before a ply, if the game is loaded; otherwise the current one. */
const positionBefore = ({ card, game }, ply) => (ply > 1 ? game?.moves[ply - 2]?.fen : game?.start_fen) ?? card.game.fen;

/** Reads what an act at the desk is decided on; it belongs to the round that is played now, also if another one begins before it is sent. */
async function lookAtDesk(context) {
  const { n, round } = await readDesk(null);
  [context.n, context.round] = [n, round?.number];
}

/** Describes the tables that an act at the desk concerns, as they are now: a seat by its board, otherwise the players and the result. */
function tablesNow({ round, tables }, { do: word, board, ...act }) {
  const isSeat = word === "seat";
  const boardOf = (table) => tables.find((one) => one.table === table)?.seat?.board;
  const playersOf = (table) => round.pairings.filter((one) => one.table === table).map(pairingText).join();
  const numbers = [act.table, act.one, act.other, ...tables.map(({ table }) => table).filter((table) => isSeat && boardOf(table) === board)];
  const describe = (table) => colon(t("page-table", { table }), (isSeat ? boardOf(table) : playersOf(table)) || "–");
  return [...new Set(numbers.filter(Boolean))].map(describe).join("; ");
}

/**
 * Sends an act of the desk. After a conflicting change by another user, the refusal says what is there now, and the next attempt is
 * based on that.
 */
async function sendAct(context, command, submit) {
  try {
    await submit(command);
  } catch (error) {
    if (error.status !== CHANGED) throw error;
    const report = await readDesk(null);
    if (command.desk.round && report.round?.number !== command.desk.round) throw error;
    context.n = report.n;
    throw new Error(`${error.message}. ${t("page-desk-now", { now: tablesNow(report, command.desk) })}`);
  }
}

/** Shows one form in the dialog; `submit` receives the command, and throws its refusal. */
function show(dialog, context, word, initial, submit) {
  const form = h("form", { method: "dialog" });
  const draw = () => {
    const moveBoard = $(".move-board", form);
    const input = $("#field-uci", form) ?? $("#field-intended", form);
    if (!moveBoard || !input) return;
    const ply = Number($("#field-ply", form)?.value ?? context.card.game.ply + 1);
    const ground = h("div", { class: "ground" });
    moveBoard.replaceChildren(ground);
    new MoveInput(ground, positionBefore(context, ply), (uci) => (input.value = uci));
  };
  form.append(
    h("h2", {}, t(`page-do-${word}`)),
    h("p", { class: "muted" }, t(`page-about-${word}`)),
    ...FORMS[word].fields.flatMap((name) => FIELDS[name](context, initial[name])),
    refusalLine(),
    h("div", { class: "buttons" }, h("button", { class: "main", value: "do" }, t("page-do-it")), h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const command = readForm(word, form, context);
    sendForm(dialog, form, () => (command.desk ? sendAct(context, command, submit) : submit(command)));
  });
  $("#field-ply", form)?.addEventListener("change", draw);
  dialog.replaceChildren(form);
  dialog.open || dialog.showModal();
  draw();
  $("input, select, button", form)?.focus();
}

/** Returns the title of the menu: operators give no rulings. */
export const title = () => t(may("rule") ? "page-rule" : "page-corrections-menu");

/**
 * Opens the dialog with the menu of all commands, or with the form of one of them (`word`, with its fields set to `initial`). `submit`
 * receives the complete command, and throws its refusal.
 */
export function open(context, word, initial, submit) {
  const dialog = $("#rule");
  if (word) return show(dialog, context, word, initial ?? {}, submit);
  const isAllowed = (name, form) => may(form.desk ? "desk" : RIGHTS[form.word ?? name]);
  const isAvailable = (form) => (context.card.game || form.anywhere) && (!form.when || form.when(context.card, context.game));
  const possible = Object.entries(FORMS).filter(([name, form]) => isAllowed(name, form) && isAvailable(form));
  const choose = async (word, form) => {
    try {
      if (form.desk && !form.dialog) await lookAtDesk(context);
      if (form.round && !form.dialog && !context.round) throw new Error(t("page-desk-no-round"));
    } catch (error) {
      dialog.close();
      return say(error.message, true);
    }
    if (!dialog.open) return;
    if (!form.dialog) return show(dialog, context, word, {}, submit);
    dialog.close();
    form.dialog(context.card);
  };
  dialog.replaceChildren(
    h("h2", {}, title()),
    h("div", { class: "menu" }, possible.map(([word, form]) => h("button", { type: "button", "data-do": word, onclick: () => choose(word, form) }, t(`page-do-${word}`)))),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"))),
  );
  dialog.showModal();
}
