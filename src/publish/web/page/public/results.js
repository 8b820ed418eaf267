// A round as a table of pairings and results.

import { tableAddress } from "./address.js";
import { fill, h } from "./dom.js";
import { player, resultText, stateText } from "./player.js";
import { t } from "./words.js";

const spaced = (one) => player(one).flatMap((element) => (element ? [element, " "] : []));

function row(round, { table, white, black, state }) {
  const text = resultText(state.result) || stateText(state);
  return h(
    "tr",
    { "data-state": state.state },
    h("th", { scope: "row" }, h("a", { href: tableAddress(round, table).href, "aria-label": t("public-table", { table }) }, String(table))),
    h("td", { class: "player" }, spaced(white)),
    h("td", { class: "result" }, h("a", { href: tableAddress(round, table).href }, text)),
    h("td", { class: "player" }, spaced(black)),
  );
}

/** Draws these tables of a round, and on its last page the players without an opponent. */
export function drawResults(element, { number, byes }, tables, { isLastPage }) {
  const content = JSON.stringify([number, byes, tables.map(({ state, ...rest }) => [rest, state.state, state.result, state.reason]), t("public-result")]);
  if (element.dataset.content === content) return;
  element.dataset.content = content;
  const heads = ["public-table-short", "public-player-white", "public-result", "public-player-black"];
  fill(
    element,
    h(
      "table",
      { class: "results" },
      h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col" }, t(key))))),
      h("tbody", {}, tables.map((table) => row(number, table))),
    ),
    byes.length && isLastPage
      ? [h("h2", {}, t("public-byes")), h("ul", { class: "byes" }, byes.map(({ player: one, kind }) => h("li", {}, spaced(one), h("span", { class: "muted" }, t(`public-bye-${kind}`)))))]
      : null,
  );
}
