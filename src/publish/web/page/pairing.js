// The dialogs of a pairing, of a new one, and of the players without an opponent.

import { $, fill, h } from "./dom.js";
import * as exchange from "./exchange.js";
import { CHANGED, refusalLine, sendForm } from "./form.js";
import { comma, t } from "./words.js";

const cancel = () => h("button", { type: "button", class: "quiet", onclick: () => $("#desk-dialog").close() }, t("page-cancel"));

/** Builds the fields of a player, and what reads them: the player of before with what is in the fields. */
function playerFields(colour, before) {
  const input = (name, attributes = {}) => h("label", {}, t(`page-desk-${name}`), h("input", { name: `${colour}-${name}`, value: before?.[name] ?? "", autocomplete: "off", ...attributes }));
  const element = h(
    "fieldset",
    {},
    h("legend", {}, t(`page-desk-${colour}`)),
    input("name", { required: true, maxlength: 255 }),
    input("title", { size: 4, maxlength: 8 }),
    input("rating", { type: "number", min: 1, max: 4000 }),
    input("federation", { size: 4, maxlength: 3 }),
    input("team", { maxlength: 255 }),
  );
  const value = (name) => $(`[name=${colour}-${name}]`, element).value.trim();
  const read = (known = before) => {
    const { title, rating, federation, team, ...rest } = known ?? {};
    const texts = ["title", "federation", "team"].filter(value).map((name) => [name, value(name)]);
    return { ...rest, name: value("name"), ...Object.fromEntries(texts), ...(value("rating") && { rating: Number(value("rating")) }) };
  };
  return { element, value, read };
}

/**
 * Returns what sends the acts of a form in the dialog. If somebody else has changed the same since the desk was read (`n`), the form says
 * so, with the present state (`describe` of the round), and can be sent again.
 */
function sender(form, { n, round: { number } }, { send, latest }, describe) {
  let seen = n;
  return (what, done) =>
    sendForm($("#desk-dialog"), form, async () => {
      try {
        await send({ n_seen: seen, round: number, ...what }, done);
      } catch (error) {
        const { n, round } = latest();
        if (error.status !== CHANGED || round?.number !== number) throw error;
        seen = n;
        throw new Error(`${error.message}. ${t("page-desk-now", { now: describe(round) || "–" })}`);
      }
    });
}

/**
 * Opens the dialog of a pairing. `run` carries out an act and shows its outcome; `send` throws its refusal; `latest` returns the desk as
 * it was read last; `exchanged` receives the board on which a game continues.
 */
export function edit(report, table, { run, send, latest, exchanged }) {
  const { n, round, tables } = report;
  const dialog = $("#desk-dialog");
  const pairing = round.pairings.find((one) => one.table === table);
  const at = tables.find((one) => one.table === table);
  const [white, black] = ["white", "black"].map((colour) => playerFields(colour, pairing[colour]));
  const removed = (what, text) => {
    dialog.close();
    run({ n_seen: n, round: round.number, ...what }, text);
  };
  const swap = h("input", { type: "number", min: 1, size: 4, "aria-label": t("page-desk-swap-with") });
  const games = (at?.games ?? []).filter((game) => game.has_moves || game.is_on_board);
  const played = games.find((game) => game.is_on_board && exchange.canExchange(game.board))?.board;
  const form = h(
    "form",
    { method: "dialog", id: "edit-pairing" },
    h("h2", {}, t("page-table", { table })),
    white.element,
    black.element,
    refusalLine(),
    h("div", { class: "buttons" },
      h("button", { class: "main", value: "do" }, t("page-desk-save")),
      h("button", { type: "button", onclick: () => done({ do: "reverse_colours", table }, t("page-desk-colours-reversed", { table })) }, t("page-desk-reverse-colours")),
      played ? h("button", { type: "button", id: "pairing-exchange", onclick: () => exchange.open(played, exchanged) }, t("page-do-exchange")) : null,
      h("button", { type: "button", id: "pairing-remove", onclick: () => remove(round, pairing, removed) }, t("page-desk-remove-pairing")),
      cancel(),
    ),
    h("p", {}, t("page-desk-swap-with"), " ", swap, h("button", { type: "button", onclick: () => swap.value && done({ do: "swap", one: table, other: Number(swap.value) }, t("page-desk-players-swapped", { one: table, other: swap.value })) }, t("page-desk-swap"))),
    games.length ? h("section", {}, h("h3", {}, t("page-desk-games-here")), h("ol", {}, games.map((game) => h("li", {}, h("a", { href: game.is_on_board ? `/board/${encodeURIComponent(game.board)}` : `/game/${game.game}`, onclick: () => dialog.close() }, t("page-desk-game", { game: game.game })), " ", h("a", { href: `/api/games/${game.game}/pgn`, download: `game-${game.game}.pgn` }, "PGN"), " ", game.board, " ", game.result === "*" ? t(game.is_on_board ? "page-desk-state-in_play" : "page-desk-state-result_missing") : game.result)))) : null,
  );
  const done = sender(form, report, { send, latest }, ({ pairings }) => pairings.filter((one) => one.table === table).map(pairingText).join());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { result, ...players } = { ...pairing, white: white.read(), black: black.read() };
    const isOther = result && [["white", players.white], ["black", players.black]].some(([colour, { name }]) => name !== pairing[colour].name);
    done({ do: "pair", pairing: players }, t(isOther ? "page-desk-pairing-saved-check" : "page-desk-pairing-saved", { table }));
  });
  fill(dialog, form);
  dialog.showModal();
}

/** Asks whether a pairing is removed, in the open dialog. Enter does not remove it. */
function remove(round, { table, white, black }, removed) {
  const no = cancel();
  no.className = "main";
  const question = t("page-desk-confirm-remove", { table, round: round.number, white: white.name, black: black.name });
  const yes = h("button", { type: "button", class: "danger", onclick: () => removed({ do: "unpair", table }, t("page-desk-pairing-removed", { table })) }, t("page-desk-remove-pairing"));
  fill($("#desk-dialog"), h("p", { role: "alert" }, question), h("div", { class: "buttons" }, no, yes));
  no.focus();
}

/**
 * Opens the dialog of a pairing at a table that has none, for players who came late. What is known of a player without an opponent is
 * kept. For the rest see [`edit`].
 */
export function add(report, { send, latest }) {
  const { round } = report;
  const dialog = $("#desk-dialog");
  const byes = (round.byes ?? []).map(({ player }) => player);
  const free = Math.max(0, ...round.pairings.map(({ table }) => table)) + 1;
  const table = h("input", { name: "table", type: "number", min: 1, max: 65535, value: free, required: true, autocomplete: "off" });
  const [white, black] = ["white", "black"].map((colour) => playerFields(colour, null));
  const form = h(
    "form",
    { method: "dialog", id: "new-pairing" },
    h("h2", {}, t("page-desk-add-pairing")),
    h("p", { class: "muted" }, t("page-desk-add-pairing-about")),
    h("label", {}, t("page-field-table"), table),
    white.element,
    black.element,
    h("datalist", { id: "without-opponent" }, byes.map(({ name }) => h("option", { value: name }))),
    refusalLine(),
    h("div", { class: "buttons" }, h("button", { class: "main", value: "do" }, t("page-desk-save")), cancel()),
  );
  for (const { element, value } of [white, black]) {
    const name = $("[name$=-name]", element);
    name.setAttribute("list", "without-opponent");
    let before = null;
    // What is known of the player fills the other fields.
    name.addEventListener("change", () => {
      const known = byes.find((player) => player.name === value("name"));
      const others = known || before ? element.querySelectorAll("input:not([name$=-name])") : [];
      for (const field of others) field.value = known?.[field.name.split("-")[1]] ?? "";
      before = known;
    });
  }
  const read = ({ value, read }) => read(byes.find((player) => player.name === value("name")));
  const done = sender(form, report, { send, latest }, byeText);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const number = Number(table.value);
    const pairing = { table: number, white: read(white), black: read(black) };
    done({ do: "pair", new: true, pairing }, t("page-desk-pairing-saved", { table: number }));
  });
  fill(dialog, form);
  dialog.showModal();
  $("[name=white-name]", form).focus();
}

/** Returns a player with title, rating and federation. */
export const playerText = ({ title, name, rating, federation }) => [title, name, rating, federation].filter(Boolean).join(" ");

/** Returns the players of a pairing, and its result. */
export const pairingText = ({ white, black, result }) => comma([`${playerText(white)} – ${playerText(black)}`, result]);

/** Returns the players of a round without an opponent. */
export const byeText = ({ byes }) => comma((byes ?? []).map((bye) => `${playerText(bye.player)} (${t(`page-bye-${bye.kind}`)})`));

/** The kinds of byes. */
const BYES = ["pairing_allocated", "full_point", "half_point", "zero_point"];

/** Opens the dialog of the players without an opponent: a row for each, and one for another player. For the rest see [`edit`]. */
export function editByes(report, { send, latest }) {
  const { round } = report;
  const dialog = $("#desk-dialog");
  const row = (bye) => {
    const name = h("input", { value: bye?.player.name ?? "", maxlength: 255, autocomplete: "off", "aria-label": t("page-desk-name") });
    const kind = h("select", { "aria-label": t("page-desk-bye") }, BYES.map((one) => h("option", { value: one, selected: one === bye?.kind }, t(`page-bye-${one}`))));
    return { element: h("li", {}, name, " ", kind), read: () => ({ player: { ...bye?.player, name: name.value.trim() }, kind: kind.value }) };
  };
  const rows = [...(round.byes ?? []), null].map(row);
  const form = h(
    "form",
    { method: "dialog", id: "edit-byes" },
    h("h2", {}, t("page-desk-byes")),
    h("p", { class: "muted" }, t("page-desk-byes-about")),
    h("ul", {}, rows.map(({ element }) => element)),
    refusalLine(),
    h("div", { class: "buttons" }, h("button", { class: "main", value: "do" }, t("page-desk-save")), cancel()),
  );
  const done = sender(form, report, { send, latest }, byeText);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // Who has no name any more is removed.
    const byes = rows.map(({ read }) => read()).filter((bye) => bye.player.name);
    done({ do: "byes", byes }, t("page-desk-byes-saved"));
  });
  fill(dialog, form);
  dialog.showModal();
}
