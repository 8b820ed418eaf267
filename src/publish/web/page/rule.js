// The arbiter's rulings: which ones fit which alert, and the form of each.

import { Hand } from "./board.js";
import { parse } from "./clock.js";
import { $, h } from "./dom.js";
import { score } from "./hall.js";
import { hall, isArbiter } from "./net.js";
import { colon, comma, t } from "./words.js";

const RESULTS = ["1-0", "1/2-1/2", "0-1"];

/** What fits an alert first, by its kind: words of `OFFERS`, the likeliest first. To acknowledge it always fits. */
const FIT = {
  illegal_move: ["restore", "let_stand", "strike"],
  illegal_pending: [],
  illegal_stands: ["restore"],
  illegal_position: ["restore"],
  press_without_move: ["pause", "strike"],
  press_before_release: ["pause", "strike"],
  displaced: ["pause"],
  displaced_found: ["restore", "pause"],
  position_unexplained: ["restore", "position"],
  wrong_start: ["position"],
  orientation: ["pause"],
  capture_unclear: ["replace", "restore"],
  moves_uncertain: ["replace"],
  touch_move: ["restore", "count"],
  touch_capture: ["restore"],
  possible_touch: ["restore"],
  release_changed: ["restore", "count"],
  promotion_changed: ["promotion", "restore"],
  handled_off_turn: ["pause"],
  result_signalled: ["results"],
  result_wanted: ["results"],
  dead_position: ["draw"],
  five_fold: ["draw"],
  seventy_five: ["draw"],
  flag_fall: ["lost", "draw"],
  played_after_end: ["withdraw"],
};

const result = (one) => ({ text: t("page-result-is", { result: score(one) }), what: { do: "result", result: one } });

/** Each makes buttons for an alert: a command that is complete (`what`), or a form that is filled in first (`form`, `given`). */
const OFFERS = {
  restore: (card, alert) => [{ text: t("page-do-restore-ply", { move: name(card, alert.ply) }), what: { do: "restore", ply: alert.ply } }],
  let_stand: (card, alert) => [{ text: t("page-do-let_stand"), what: { do: "let_stand", alert: alert.id } }],
  strike: (card, alert) =>
    alert.count && alert.by ? [{ text: t("page-do-strike"), what: { do: "strike", player: alert.by, ply: alert.ply } }] : [],
  count: (card, alert) => [{ text: t("page-do-count"), form: "count", given: { player: alert.by, what: "touch_broken" } }],
  pause: (card) => [{ text: t(card.game.paused ? "page-do-go_on" : "page-do-pause"), what: { do: "pause", paused: !card.game.paused } }],
  replace: (card, alert) => [{ text: t("page-do-replace"), form: "replace", given: { ply: alert.ply } }],
  promotion: (card, alert) => [{ text: t("page-do-promotion"), form: "promotion", given: { ply: alert.ply } }],
  position: (card) => [{ text: t("page-do-position"), form: "position", given: { fen: card.game.fen } }],
  results: (card, alert) => [...new Set([alert.result, ...RESULTS])].filter(Boolean).map(result),
  draw: () => [result("1/2-1/2")],
  lost: (card, alert) => (alert.by ? [result(alert.by === "white" ? "0-1" : "1-0")] : []),
  withdraw: () => [{ text: t("page-do-withdraw"), what: { do: "result", result: "*" } }],
};

/** A ply as players say it: `12. White`. */
export const name = (card, ply) => t(ply % 2 ? "page-move-white" : "page-move-black", { number: Math.ceil(ply / 2) });

/** The buttons of an alert. */
export function fitting(card, alert) {
  const offers = (FIT[alert.kind] ?? []).flatMap((word) => OFFERS[word](card, alert)).filter((one) => (one.what?.ply ?? 1) >= 1);
  return [...offers, { text: t("page-acknowledge"), what: { do: "acknowledge", alert: alert.id } }];
}

/** Words of config/laws that can be counted. */
const COUNTED = ["illegal_move", "illegal_castling", "pawn_left", "press_without_move", "two_hands", "press_before_release", "touch_broken"];

/** What is about pairings, which operators set right, too. */
const ROUND = { round: true, anywhere: true, when: (card) => card.table };

/** Every command with its fields; `when` says whether there is something to command. */
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
  swap: { fields: ["a", "b"], ...ROUND },
  seat: { word: "board", fields: ["table", "board"], ...ROUND },
  forfeit: { fields: ["table", "winner"], ...ROUND },
};

const choice = (name, values, given) =>
  h(
    "fieldset",
    {},
    h("legend", {}, t(`page-field-${name}`)),
    values.map(([value, text], index) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name, value, required: true, checked: given ? given === value : index === 0 }), text),
    ),
  );
const field = (name, attributes, given) =>
  h("label", {}, t(`page-field-${name}`), h("input", { name, id: `field-${name}`, value: given ?? null, autocomplete: "off", spellcheck: "false", ...attributes }));
const select = (name, values, given) =>
  h("label", {}, t(`page-field-${name}`), h("select", { name }, values.map(([value, text]) => h("option", { value, selected: value === given }, text))));
const players = () => [["white", t("player-white")], ["black", t("player-black")]];
const sides = (game) => ["white", "black"].flatMap((player) => (game?.tally?.[player] ?? []).map((one) => ({ player, ...one })));

/** The fields, each as an element. `about` has the card and, when it was read, the whole game. */
const FIELDS = {
  result: (about, given) => choice("result", [...RESULTS.map((one) => [one, score(one)]), ["*", t("page-result-none")]], given),
  ply: ({ card }, given) => field("ply", { type: "number", min: 1, max: card.game.ply + 1, required: true }, given ?? Math.max(1, card.game.ply)),
  plies: ({ card }) => field("plies", { type: "number", min: 1, max: Math.max(1, card.game.ply), required: true }, 1),
  alert: ({ card }) =>
    select("alert", (card.game.alerts ?? []).filter((one) => !one.notice).map((one) => [String(one.id), colon(t(`kind-${one.kind}`), name(card, one.ply))])),
  uci: (about, given) => [field("uci", { pattern: "[a-h][1-8][a-h][1-8][qrbn]?", placeholder: "e2e4", required: true }, given), h("div", { class: "hand" })],
  intended: () => [field("intended", { pattern: "[a-h][1-8][a-h][1-8][qrbn]?", placeholder: "e2e4" }), h("div", { class: "hand" })],
  piece: (about, given) => choice("piece", ["queen", "rook", "bishop", "knight"].map((one) => [one, t(`role-${one}`)]), given),
  player: (about, given) => choice("player", players(), given),
  what: (about, given) => select("what", COUNTED.map((one) => [one, t(`page-count-${one}`)]), given),
  counted: ({ card, game }) =>
    select("counted", sides(game).map((one) => [`${one.player} ${one.ply}`, colon(name(card, one.ply), comma([one.what].flat().map((what) => t(`page-count-${what}`))))])),
  claimed: () => choice("claimed", [["repetition", t("page-claim-repetition")], ["fifty_moves", t("page-claim-fifty_moves")]]),
  white_ms: (about, given) => field("white_ms", { placeholder: "1:30:00", required: true, pattern: "\\d{1,2}(:\\d{1,2}){1,2}" }, given),
  black_ms: (about, given) => field("black_ms", { placeholder: "1:30:00", required: true, pattern: "\\d{1,2}(:\\d{1,2}){1,2}" }, given),
  note: () => field("note", { maxlength: 500 }),
  a: ({ card }) => field("a", { type: "number", min: 1, required: true }, card.table),
  b: () => field("b", { type: "number", min: 1, required: true }),
  table: ({ card }) => field("table", { type: "number", min: 1, required: true }, card.table),
  board: ({ card }) => select("board", [...hall.cards.keys()].sort().map((name) => [name, name]), card.board),
  winner: () => choice("winner", ["white", "black", "nobody", "none"].map((one) => [one, t(`page-forfeit-${one}`)])),
  fen: (about, given) => field("fen", { required: true, size: 40 }, given),
};

/** The command of a form that was filled in; what is about pairings within `round`. */
function read(word, form) {
  const values = new FormData(form);
  const what = { do: FORMS[word].word ?? word, ...FORMS[word].fixed };
  for (const name of FORMS[word].fields) {
    const value = String(values.get(name) ?? "").trim();
    if (["ply", "plies", "alert", "a", "b", "table"].includes(name)) what[name] = Number(value);
    else if (name === "winner") what.result = value === "none" ? "" : value;
    else if (name === "white_ms" || name === "black_ms") what[name] = parse(value) ?? 0;
    else if (name === "counted") [what.player, what.ply] = [value.split(" ")[0], Number(value.split(" ")[1])];
    else if (value || name !== "intended") what[name] = value;
  }
  if (word === "promotion" && !values.get("ply")) what.ply = null;
  if (word === "clock_note" && !what.note) delete what.note;
  return FORMS[word].round ? { round: what } : what;
}

/** The position before a ply, as far as the game was read. */
const before = ({ card, game }, ply) => (ply > 1 ? game?.moves[ply - 2]?.fen : game?.start_fen) ?? card.game.fen;

/** Shows one form in the dialog; `done` is told the command. */
function show(dialog, about, word, given, done) {
  const form = h("form", { method: "dialog" });
  const draw = () => {
    const hand = $(".hand", form);
    const input = $("#field-uci", form) ?? $("#field-intended", form);
    if (!hand || !input) return;
    const ply = Number($("#field-ply", form)?.value ?? about.card.game.ply + 1);
    const ground = h("div", { class: "ground" });
    hand.replaceChildren(ground);
    new Hand(ground, before(about, ply), (uci) => (input.value = uci));
  };
  form.append(
    h("h2", {}, t(`page-do-${word}`)),
    h("p", { class: "muted" }, t(`page-about-${word}`)),
    ...FORMS[word].fields.flatMap((name) => FIELDS[name](about, given[name])),
    h("div", { class: "buttons" }, h("button", { class: "main", value: "do" }, t("page-do-it")), h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close();
    done(read(word, form));
  });
  $("#field-ply", form)?.addEventListener("change", draw);
  dialog.replaceChildren(form);
  dialog.open || dialog.showModal();
  draw();
  $("input, select, button", form)?.focus();
}

/** What the menu is called: operators set pairings right, and rule on nothing. */
export const title = () => t(isArbiter() ? "page-rule" : "page-pairings");

/**
 * Opens the dialog with the menu of all commands, or with one of them (`word`, its fields as `given`). `done` is told the command
 * once it is complete.
 */
export function open(about, word, given, done) {
  const dialog = $("#rule");
  if (word) return show(dialog, about, word, given ?? {}, done);
  const fits = (form) => (isArbiter() || form.round) && (about.card.game || form.anywhere) && (!form.when || form.when(about.card));
  const possible = Object.entries(FORMS).filter(([, form]) => fits(form));
  dialog.replaceChildren(
    h("h2", {}, title()),
    h("div", { class: "menu" }, possible.map(([word]) => h("button", { type: "button", "data-do": word, onclick: () => show(dialog, about, word, {}, done) }, t(`page-do-${word}`)))),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"))),
  );
  dialog.showModal();
}
