// A round: its boards as tiles, or its results as a table, with filters and pages.

import { data } from "./data.js";
import { fill, h, keyed, setAttribute, setText } from "./dom.js";
import * as filters from "./filter.js";
import { choose, CHOICES, look } from "./look.js";
import { drawResults } from "./results.js";
import { Tile } from "./tile.js";
import { language, t } from "./words.js";

/** The filters with menus: the name in the address, and the key of what is chosen if nothing is. */
const MENUS = [
  ["state", "public-state", "public-all-states"],
  ["section", "public-section", "public-all-sections"],
  ["fed", "public-federation", "public-all-federations"],
  ["team", "public-team", "public-all-teams"],
];

const tiles = new WeakMap();

/** The view of a round. `navigate(query, { replace })` goes to the same view with another query. */
export class RoundView {
  constructor({ navigate, openScreen }) {
    Object.assign(this, { navigate, openScreen });
    this.element = h("section", { class: "round-view" });
    this.search = h("input", { type: "search", id: "search", autocomplete: "off", oninput: () => this.filter({ q: this.search.value }, true) });
    this.menus = new Map(MENUS.map(([name]) => [name, h("select", { onchange: ({ target }) => this.filter({ [name]: target.value }) })]));
    this.title = h("h1", { class: "visually-hidden" });
    this.tabs = h("nav", { class: "kinds" });
    this.finished = h("p", { class: "finished" });
    this.none = h("p", { class: "none" });
    this.list = h("ul", { class: "tiles" });
    this.table = h("div", { class: "results-view" });
    this.pages = h("nav", { class: "pages" });
    this.sizes = h("div", { class: "sizes", role: "group" });
    this.screen = h("button", { type: "button", class: "quiet open-screen", onclick: () => this.openScreen() });
    this.more = h("button", { type: "button", class: "more", "aria-expanded": "false", onclick: () => this.toggleMenus() });
    this.tools = h("div", { class: "tools", role: "search" }, this.search, this.more, [...this.menus.values()]);
    const head = h("div", { class: "round-head" }, this.tabs, this.finished, this.sizes, this.screen);
    this.element.append(this.title, head, this.tools, this.none, this.list, this.table, this.pages);
  }

  filter(change, replace = false) {
    this.navigate(filters.changed(this.query, change), { replace });
  }

  /** Shows or hides the menus, which take much of a telephone's screen. */
  toggleMenus() {
    setAttribute(this.more, "aria-expanded", String(this.tools.classList.toggle("open")));
  }

  /** Draws everything. `number`: the round; `query`: that of the address. */
  draw(number, query) {
    [this.number, this.query] = [number, query];
    const round = data.rounds.get(number);
    this.drawTexts();
    setText(this.title, number === null ? (data.event?.name ?? "") : t("public-round", { round: number }));
    if (!round) return;
    const filter = filters.read(query);
    const { shown, count, page, pages } = filters.select(round.tables, filter);
    const isResults = query.get("view") === "results";
    if (document.activeElement !== this.search) this.search.value = filter.q;
    this.drawMenus(round, filter);
    this.more.classList.toggle("chosen", MENUS.some(([name]) => filter[name]));
    const finished = round.tables.filter(({ state }) => state.state === "finished" || state.state === "forfeited").length;
    const texts = [round.tables.length ? t("public-finished", { count: finished, all: round.tables.length }) : "", filters.isActive(filter) ? t("public-count", { shown: count, all: round.tables.length }) : ""];
    setText(this.finished, texts.filter(Boolean).join(" · "));
    setText(this.none, count ? "" : t(round.tables.length ? "public-none-fits" : "public-empty"));
    this.none.hidden = count > 0;
    if (!count && round.tables.length) this.none.append(" ", h("button", { type: "button", onclick: () => this.navigate(isResults ? "?view=results" : "") }, t("public-clear")));
    [this.list.hidden, this.sizes.hidden] = [isResults, isResults];
    this.table.hidden = !isResults;
    if (isResults) drawResults(this.table, round, shown, { isLastPage: page === pages });
    else keyed(this.list, shown, ({ table }) => table, makeTile, (element, table) => tiles.get(element).show(number, table));
    this.drawPages(page, pages);
  }

  /** Draws a table that has changed. */
  drawTable(table) {
    const element = [...this.list.children].find((one) => one.dataset.key === String(table));
    const found = data.rounds.get(this.number)?.tables.find((one) => one.table === table);
    const filter = filters.read(this.query);
    if (!element || !found || this.query.get("view") === "results" || filter.state) this.draw(this.number, this.query);
    else {
      tiles.get(element).show(this.number, found);
      if (found.state.state !== element.dataset.state) this.draw(this.number, this.query);
      element.dataset.state = found.state.state;
    }
  }

  drawTexts() {
    const key = `${language} ${look.size} ${this.number} ${this.query}`;
    if (this.texts === key) return;
    this.texts = key;
    const tab = (view, text) => {
      const isHere = (this.query.get("view") === "results") === (view === "results");
      return h("a", { href: filters.changed(this.query, { view }) || location.pathname, "aria-current": isHere ? "page" : null }, t(text));
    };
    fill(this.tabs, tab("", "public-boards"), tab("results", "public-results"));
    setAttribute(this.tabs, "aria-label", t("public-round", { round: this.number ?? "" }).trim());
    setAttribute(this.search, "aria-label", t("public-search"));
    setAttribute(this.search, "placeholder", t("public-search"));
    setAttribute(this.pages, "aria-label", t("public-pages"));
    setAttribute(this.sizes, "aria-label", t("public-size"));
    setText(this.screen, t("public-full-screen"));
    setText(this.more, t("public-filter"));
    const button = (value) =>
      h("button", { type: "button", class: `size-${value}`, "aria-pressed": String(look.size === value), "aria-label": t(`public-size-${value}`), title: t(`public-size-${value}`), onclick: () => (choose("size", value), this.drawTexts()) }, h("i", { class: `grid-${value}`, "aria-hidden": "true" }));
    fill(this.sizes, [...CHOICES.size].sort((a, b) => "sml".indexOf(a) - "sml".indexOf(b)).map(button));
  }

  drawMenus(round, filter) {
    const all = filters.choices(round);
    for (const [name, label, none] of MENUS) {
      const menu = this.menus.get(name);
      const values = all[name];
      const content = JSON.stringify([values, language]);
      menu.hidden = values.length < 2 && !filter[name];
      if (menu.dataset.content !== content) {
        menu.dataset.content = content;
        const text = (value) => (name === "state" ? t(`public-state-${value}`) : value);
        fill(menu, h("option", { value: "" }, t(none)), values.map((value) => h("option", { value }, text(value))));
        setAttribute(menu, "aria-label", t(label));
      }
      // What an old address names stays visible.
      if (filter[name] && !values.includes(filter[name])) menu.append(h("option", { value: filter[name] }, filter[name]));
      menu.value = filter[name];
      menu.classList.toggle("chosen", Boolean(filter[name]));
    }
  }

  drawPages(page, pages) {
    this.pages.hidden = pages < 2;
    if (pages < 2) return;
    const link = (to, rel, text, sign) => {
      const arrow = h("span", { class: "arrow", "aria-hidden": "true" }, sign);
      if (to < 1 || to > pages) return h("span", { class: "button disabled", "aria-hidden": "true" }, arrow);
      return h("a", { class: "button", rel, href: filters.changed(this.query, { page: to }) || location.pathname, "aria-label": t(text) }, arrow);
    };
    fill(this.pages, link(page - 1, "prev", "public-previous", "‹"), h("span", {}, t("public-page-of", { page, pages })), link(page + 1, "next", "public-next", "›"));
  }
}

function makeTile() {
  const tile = new Tile();
  tiles.set(tile.element, tile);
  return tile.element;
}
