// The standings, with the games of each player.

import { tableAddress } from "./address.js";
import { data } from "./data.js";
import { fill, h, setText } from "./dom.js";
import { player } from "./player.js";
import { language, t } from "./words.js";

const points = (value) => (Number.isInteger(value) ? String(value) : `${Math.floor(value) || ""}½`.replace(/^$/, "0"));
const sum = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

function gameCell(game) {
  if (!game) return h("td", { class: "game" });
  const result = game.result ?? "·";
  if (game.table === null) return h("td", { class: "game muted" }, result);
  return h(
    "td",
    { class: "game" },
    h("a", { href: tableAddress(game.round, game.table).href, title: game.opponent, "aria-label": `${t("public-round", { round: game.round })}: ${game.opponent}, ${result}` }, h("i", { class: `colour ${game.colour}`, "aria-hidden": "true" }), result),
  );
}

function table({ rows }, { tie_breaks, through }) {
  const rounds = Array.from({ length: through }, (_, index) => index + 1);
  const hasRating = rows.some((row) => row.player.rating);
  const head = (key, name) => h("th", { scope: "col", class: name ?? null }, t(key));
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": t("public-standings") },
    h(
      "table",
      { class: "standings" },
      h("thead", {}, h("tr", {}, head("public-rank"), head("public-player", "player"), hasRating ? head("public-rating", "number") : null, head("public-points", "number"), tie_breaks.map((name) => head(`public-tie-break-${name}`, "number")), rounds.map((number) => h("th", { scope: "col", class: "game", "aria-label": t("public-round", { round: number }) }, String(number))))),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            h("td", { class: "rank" }, String(row.rank)),
            h("th", { scope: "row", class: "player" }, player({ ...row.player, rating: null }).flatMap((one) => (one ? [one, " "] : [])), row.player.team ? h("span", { class: "team" }, row.player.team) : null),
            hasRating ? h("td", { class: "number" }, row.player.rating ? String(row.player.rating) : "") : null,
            h("td", { class: "number points" }, points(row.points)),
            row.tie_breaks.map((value) => h("td", { class: "number" }, sum(value))),
            rounds.map((number) => gameCell(row.games.find((game) => game.round === number))),
          ),
        ),
      ),
    ),
  );
}

/** The view of the standings. */
export class StandingsView {
  constructor() {
    this.title = h("h1");
    this.body = h("div");
    this.element = h("section", { class: "standings-view" }, this.title, this.body);
  }

  draw() {
    const standings = data.standings;
    const content = JSON.stringify([standings, language]);
    if (content === this.content || !standings) return;
    this.content = content;
    const { through, is_final_round_over: isOver, sections } = standings;
    setText(this.title, sections.length ? t(isOver ? "public-standings-after" : "public-provisional", { round: through }) : t("public-standings"));
    const one = (part) => [part.section ? h("h2", {}, part.section) : null, table(part, standings)];
    fill(this.body, sections.length ? sections.map(one) : h("p", { class: "none" }, t("public-no-standings")));
  }
}
