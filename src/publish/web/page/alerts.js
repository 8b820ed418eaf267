// The list of open alerts, and one alert with all its details.

import { placeName, playerName } from "./card.js";
import { format } from "./clock.js";
import { REWRITING } from "./commands.js";
import { $, fill, h, keyed, setText } from "./dom.js";
import { hall, may, now } from "./net.js";
import { offersFor } from "./rule.js";
import { acknowledgeAll, runCommand } from "./send.js";
import { colon, ago, comma, squareText, t, time } from "./words.js";

/** Sorts alerts: the most urgent, then the oldest first. */
const compareAlerts = (one, other) => one.urgency - other.urgency || one.raised - other.raised;

/** Returns all open alerts, also of earlier games whose results are missing; the most urgent first. */
export function openAlerts() {
  const of = (card) => (card.game?.alerts ?? []).map((alert) => ({ card, alert }));
  const all = [...hall.cards.values()].flatMap((card) => [...of(card), ...(card.former ? of({ ...card, table: card.former.table, game: card.former }) : [])]);
  return all.sort((one, other) => compareAlerts(one.alert, other.alert));
}

/** Returns whether an alert is of the earlier game on its board's card, whose result is missing. */
const isFormer = (card) => card.game === card.former;

/**
 * Returns the address where something is done about an alert: its board; of a game that is not on its board any more, the table of the
 * round, where its result is entered, or the game itself.
 */
export function addressOf({ card, alert }) {
  if (!isFormer(card)) return `/board/${encodeURIComponent(card.board)}`;
  const { id, round, table } = card.former;
  return round && alert.kind === "result_missing" ? `/round/${round}#table-${table}` : `/game/${id}`;
}

const announced = new Set();
let initialised = false;

/** Returns the alerts raised since the last call; none on the first call. */
export function newAlerts() {
  const all = openAlerts().map((one) => ({ ...one, name: `${one.card.game.id}:${one.alert.id}` }));
  const added = initialised ? all.filter(({ name }) => !announced.has(name)) : [];
  all.forEach(({ name }) => announced.add(name));
  initialised ||= hall.loaded;
  return added;
}

/** Returns an alert as one line for screen readers. */
export const announcement = ({ card, alert }) => colon(placeName(card), colon(t(`kind-${alert.kind}`), alert.text));

/** Returns the open alerts of the same kind and game. */
const alikeOf = (card, { kind }) => card.game.alerts.filter((alert) => alert.kind === kind);

function make() {
  return h(
    "li",
    {},
    h("a", { class: "alert-line" }, h("span", { class: "top" }, h("strong"), h("span", { class: "ago" })), h("b"), h("span", { class: "text" }), h("span", { class: "since" })),
    h("button", { type: "button", class: "quiet acknowledge" }),
    h("button", { type: "button", class: "quiet acknowledge all" }),
  );
}

function update(item, { card, alert, isFirst }) {
  const link = $("a", item);
  link.href = addressOf({ card, alert });
  link.dataset.board = card.board;
  item.dataset.state = alert.notice ? "notice" : "alert";
  // Nobody sits there any more who could be asked.
  const players = isFormer(card) ? [card.game.white.name, card.game.black.name].filter(Boolean).join(" – ") : "";
  setText($("strong", item), [placeName(card), players].filter(Boolean).join(" · "));
  setText($(".ago", item), ago(now() - alert.since));
  setText($("b", item), t(`kind-${alert.kind}`));
  setText($(".text", item), alert.text);
  setText($(".since", item), alert.plies_since ? t("page-moves-since", { count: alert.plies_since }) : "");
  const alike = alikeOf(card, alert);
  const [one, all] = item.querySelectorAll("button");
  one.hidden = !may("acknowledge") || isFormer(card);
  all.hidden = one.hidden || alike.length < 2 || !isFirst;
  label(one, t("page-acknowledge"), card, alert);
  label(all, t("page-acknowledge-all", { count: alike.length }), card, alert);
  one.onclick = () => runCommand(card, { do: "acknowledge", alert: alert.id });
  all.onclick = () => acknowledgeAll(card, alike);
}

/** Sets the text of a button; that for screen readers also says to which alert it belongs. */
function label(button, text, card, alert) {
  setText(button, text);
  button.setAttribute("aria-label", colon(text, comma([placeName(card), t(`kind-${alert.kind}`)])));
}

/** Draws the list of all alerts, except those of the board or the game on display. */
export function draw(board, game) {
  const isShown = (card) => card.game.id === game || (card.board === board && !isFormer(card));
  const all = openAlerts().filter(({ card }) => !isShown(card));
  const kinds = new Set();
  for (const one of all) {
    const kind = `${one.card.game.id}:${one.alert.kind}`;
    one.isFirst = !kinds.has(kind);
    kinds.add(kind);
  }
  keyed($("#alerts ol"), all, ({ card, alert }) => `${card.game.id}:${alert.id}`, make, update);
  $("#alerts").hidden = all.length === 0;
  setText($("#alerts h2"), t(may("rule") ? "page-alerts" : "page-to-do", { count: all.length }));
}

/** Returns whether a ruling would remove what was played since the alert: it is not the one to suggest then. */
const isOutdated = (alert, { what }) => alert.plies_since > 0 && REWRITING.includes(what?.do);

/** Draws one alert: what happened, the articles, what is required, and the evidence. `alike`: the alerts that can be acknowledged together with it. */
function drawAlert(box, card, alert, alike, { offer, look }) {
  const whiteMs = alert.clock_white_ms ?? null;
  const row = (name, ...value) => [h("dt", {}, t(name)), h("dd", {}, ...value)];
  const evidence = alert.evidence ?? [];
  const touches = alert.touches ?? [];
  const seconds = (touch) => ((touch.until_wall_ms - touch.wall_ms) / 1000).toFixed(1);
  const by = alert.by === "white" || alert.by === "black" ? alert.by : null;
  fill(
    box,
    h(
      "header",
      {},
      h("h3", {}, t(`kind-${alert.kind}`)),
      h("span", { class: "muted" }, time(alert.raised)),
    ),
    h("p", { class: "sentence" }, alert.text),
    alert.plies_since ? h("p", { class: "played-on" }, t("page-played-on", { count: alert.plies_since })) : null,
    h(
      "dl",
      {},
      alert.articles.length ? row("page-articles", alert.articles.join(", "), h("span", { class: "muted" }, ` ${alert.laws ?? ""}`)) : null,
      alert.required.length ? row("page-required", h("ol", {}, alert.required.map((act) => h("li", {}, act)))) : null,
      alert.count ? row("page-counted", t("page-counted-of", { count: alert.count, player: by ? playerName(card, by) : "" })) : null,
      alert.evidence_kind ? row("page-evidence-kind", t(`page-evidence-${alert.evidence_kind}`)) : null,
      alert.allowed?.length ? row("page-allowed", alert.allowed_san.join(" ")) : null,
      whiteMs !== null
        ? row("page-clocks-then", comma([`${t("player-white")} ${format(alert.clock_white_ms)}`, `${t("player-black")} ${format(alert.clock_black_ms ?? 0)}`]))
        : null,
    ),
    h("div", { class: "buttons" }, offersFor(card, alert, alike).map((one, index) => h("button", { type: "button", class: index || isOutdated(alert, one) ? "" : "main", onclick: () => offer(one) }, one.text))),
    evidence.length
      ? h(
          "details",
          {},
          h("summary", {}, t("page-evidence", { count: evidence.length })),
          h(
            "ol",
            { class: "evidence" },
            evidence.map((one) => h("li", {}, h("span", { class: "muted" }, time(one.wall_ms)), " ", h("b", {}, one.square), ` ${squareText(one.before)} → ${squareText(one.now)}`)),
          ),
        )
      : null,
    touches.length
      ? h(
          "details",
          {},
          h("summary", {}, t("page-touches", { count: touches.length })),
          h(
            "ol",
            { class: "evidence" },
            touches.map((one) => h("li", {}, h("span", { class: "muted" }, time(one.wall_ms)), " ", h("b", {}, one.square), ` ${t("page-touch-seconds", { seconds: seconds(one) })}`)),
          ),
        )
      : null,
    look ? h("button", { type: "button", class: "quiet", onclick: () => look(alert) }, t("page-frames-then")) : null,
  );
}

/** Draws the alerts of one board. */
export function drawForBoard(list, card, handlers) {
  const alerts = [...(card.game?.alerts ?? [])].sort(compareAlerts);
  const make = () => h("article", { class: "alert" });
  const update = (box, alert) => {
    box.dataset.state = alert.notice ? "notice" : "alert";
    // Redraw only what changed, so that an open list stays open.
    const alike = alikeOf(card, alert);
    const isFirst = alerts.find(({ kind }) => kind === alert.kind) === alert;
    const content = JSON.stringify([alert, isFirst && alike.map(({ id }) => id), card.game.ply, card.game.paused, document.documentElement.lang]);
    if (box.content === content) return;
    box.content = content;
    drawAlert(box, card, alert, isFirst ? alike : [], handlers);
  };
  keyed(list, alerts, (alert) => alert.id, make, update);
}
