// The list of open alerts, and one alert with all its details.

import { format } from "./clock.js";
import { $, fill, h, keyed, say } from "./dom.js";
import { place, player } from "./hall.js";
import { command, hall, now } from "./net.js";
import { fitting } from "./rule.js";
import { colon, ago, has, comma, shown, t, time } from "./words.js";

/** All alerts that stand: those that are more than notices first, and of these the oldest. */
export function standing() {
  const all = [...hall.cards.values()].flatMap((card) => (card.game?.alerts ?? []).map((alert) => ({ card, alert })));
  return all.sort((a, b) => a.alert.notice - b.alert.notice || a.alert.raised - b.alert.raised);
}

const known = new Set();
let begun = false;

/** Alerts that were not there when this was called last; none when it is called first. */
export function news() {
  const all = standing().map((one) => ({ ...one, name: `${one.card.game.id}:${one.alert.id}` }));
  const fresh = begun ? all.filter(({ name }) => !known.has(name)) : [];
  all.forEach(({ name }) => known.add(name));
  begun ||= hall.read;
  return fresh;
}

/** An alert in one line, as it is read aloud. */
export const aloud = ({ card, alert }) => colon(place(card), colon(t(`kind-${alert.kind}`), alert.text));

function make() {
  return h(
    "li",
    {},
    h("a", { class: "alert-line" }, h("span", { class: "top" }, h("strong"), h("span", { class: "ago" })), h("b"), h("span", { class: "text" })),
    h("button", { type: "button", class: "quiet acknowledge" }),
  );
}

function update(item, { card, alert }) {
  const link = $("a", item);
  link.href = `/board/${encodeURIComponent(card.board)}`;
  link.dataset.board = card.board;
  item.dataset.state = alert.notice ? "notice" : "alert";
  say($("strong", item), place(card));
  say($(".ago", item), ago(now() - alert.since));
  say($("b", item), t(`kind-${alert.kind}`));
  say($(".text", item), alert.text);
  const button = $("button", item);
  say(button, t("page-acknowledge"));
  button.setAttribute("aria-label", colon(t("page-acknowledge"), comma([place(card), t(`kind-${alert.kind}`)])));
  button.onclick = () => item.dispatchEvent(new CustomEvent("rule", { bubbles: true, detail: { card, what: { do: "acknowledge", alert: alert.id } } }));
}

/** Draws the list of all alerts but those of this board, which is shown itself. */
export function draw(but) {
  const all = standing().filter(({ card }) => card.board !== but);
  keyed($("#alerts ol"), all, ({ card, alert }) => `${card.game.id}:${alert.id}`, make, update);
  $("#alerts").hidden = all.length === 0;
  say($("#alerts h2"), t("page-alerts", { count: all.length }));
}

/** An alert in words: what happened, by which articles, what is required, and what was seen. */
function write(box, card, alert, { rule, look }) {
  const at = alert.clock_white_ms ?? null;
  const row = (name, ...value) => [h("dt", {}, t(name)), h("dd", {}, ...value)];
  const evidence = alert.evidence ?? [];
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
    h(
      "dl",
      {},
      alert.articles.length ? row("page-articles", alert.articles.join(", "), h("span", { class: "muted" }, ` ${alert.laws ?? ""}`)) : null,
      alert.required.length ? row("page-required", h("ol", {}, alert.required.map((act) => h("li", {}, act)))) : null,
      alert.count ? row("page-counted", t("page-counted-of", { count: alert.count, player: by ? player(card, by) : "" })) : null,
      alert.allowed?.length ? row("page-allowed", alert.allowed.join(" ")) : null,
      at !== null
        ? row("page-clocks-then", comma([`${t("player-white")} ${format(alert.clock_white_ms)}`, `${t("player-black")} ${format(alert.clock_black_ms ?? 0)}`]))
        : null,
    ),
    h("div", { class: "buttons" }, fitting(card, alert).map((one, index) => h("button", { type: "button", class: index ? "" : "main", onclick: () => rule(one) }, one.text))),
    evidence.length
      ? h(
          "details",
          {},
          h("summary", {}, t("page-evidence", { count: evidence.length })),
          h(
            "ol",
            { class: "evidence" },
            evidence.map((one) => h("li", {}, h("span", { class: "muted" }, time(one.wall_ms)), " ", h("b", {}, one.square), ` ${shown(one.before)} → ${shown(one.now)}`)),
          ),
        )
      : null,
    look ? h("button", { type: "button", class: "quiet", onclick: () => look(alert) }, t("page-frames-then")) : null,
  );
}

/** Draws the alerts of one board. */
export function drawOf(list, card, acts) {
  const alerts = [...(card.game?.alerts ?? [])].sort((a, b) => a.notice - b.notice || a.raised - b.raised);
  const make = () => h("article", { class: "alert" });
  const update = (box, alert) => {
    box.dataset.state = alert.notice ? "notice" : "alert";
    // Redraw only what changed, so that an open list stays open.
    const said = JSON.stringify([alert, card.game.ply, card.game.paused, document.documentElement.lang]);
    if (box.said === said) return;
    box.said = said;
    write(box, card, alert, acts);
  };
  keyed(list, alerts, (alert) => alert.id, make, update);
}

/** What a command came to, in words: the moves that touched pieces allow, what a claim is worth, what was taken back. */
function told({ answer, text }) {
  const { bound, claim, undone } = answer ?? {};
  if (claim) return [text, comma(claim.required), claim.articles.join(", ")].filter(Boolean).join(" · ");
  if (bound?.length) return comma([t("page-done"), colon(t("page-allowed"), bound.join(" "))]);
  if (undone) return colon(t("page-undone"), has(`page-do-${undone.do}`) ? t(`page-do-${undone.do}`) : undone.do);
  return text || t("page-done");
}

/** Gives a command; says what came of it. */
export const give = async (card, what) => told(await command(card, what));
