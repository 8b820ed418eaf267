// The public page: reads the event, shows the view that the address names, and follows its changes.

import * as address from "./address.js";
import { changes, data, follow, listen, need, readEvent, readWords } from "./data.js";
import { $, h } from "./dom.js";
import * as look from "./look.js";
import { RoundView } from "./round.js";
import { Shell } from "./shell.js";
import { preferred, t, useWords } from "./words.js";

look.begin();

const content = h("main", { id: "content", tabindex: "-1" });
const shell = new Shell({ chooseLanguage, openShare, changed: draw });
const round = new RoundView({ navigate: sameView, openScreen: () => sameView(withQuery({ screen: "" })) });
/** The views that are loaded when they are needed first. */
const views = { round };
let shown = { view: "event", query: new URLSearchParams() };
let screen = null;

/** Returns the query of the address with these changes. */
function withQuery(values) {
  const query = new URLSearchParams(shown.query);
  for (const [name, value] of Object.entries(values)) value === null ? query.delete(name) : query.set(name, value);
  return query.toString() ? `?${query.toString().replace(/=(?=&|$)/g, "")}` : "";
}

/** Goes to the same view with another query. */
function sameView(query, { replace = false } = {}) {
  navigate(new URL(location.pathname + query, location.href), { replace });
}

/** Goes to an address of the page. */
function navigate(to, { replace = false } = {}) {
  const isSame = to.pathname === location.pathname;
  if (replace || to.href === location.href) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  route();
  if (isSame) return;
  scrollTo(0, 0);
  content.focus({ preventScroll: true });
}

/** The number of the round of a view; null: none. */
const roundOf = (view) => view.round ?? (view.view === "event" ? (data.event?.round ?? data.event?.rounds.at(-1)?.number ?? null) : null);

async function viewFor({ view }) {
  if (view === "table") views.table ??= new (await import("./table.js")).TableView({ navigate: sameView, openShare });
  if (view === "standings") views.standings ??= new (await import("./standings.js")).StandingsView();
  return views[view === "event" ? "round" : view];
}

/** Shows the view that the address names. */
async function route() {
  shown = address.parse(new URL(location.href)) ?? { view: "event", query: new URLSearchParams() };
  const wanted = { ...shown, round: roundOf(shown) };
  follow(wanted);
  const current = shown;
  let failure = null;
  const [view] = await Promise.all([viewFor(shown), Promise.resolve(need(wanted)).catch((error) => (failure = error))]);
  // The spectator may have gone on meanwhile.
  if (current !== shown) return;
  if (content.firstElementChild !== view.element) content.replaceChildren(view.element);
  draw();
  if (failure?.status === 404) view.showMissing?.();
  else if (failure) setTimeout(() => current === shown && route(), 3000);
}

async function openScreen(number) {
  const { Screen } = await import("./screen.js");
  if (!screen && shown.query.has("screen")) {
    screen = new Screen({ number, query: shown.query, close: () => sameView(withQuery({ screen: null })) });
    document.body.append(screen.element);
  }
  screen?.draw();
}

/** Draws everything that is shown. */
function draw() {
  shell.draw(shown);
  const { view, query } = shown;
  const number = roundOf(shown);
  if (view === "table") views.table?.draw(shown);
  else if (view === "standings") views.standings?.draw();
  else round.draw(number, query);
  const isScreen = query.has("screen") && number !== null && view !== "table" && view !== "standings";
  if (isScreen) openScreen(number);
  else if (screen) {
    screen.end();
    screen = null;
  }
  const what = view === "table" ? views.table?.windowTitle() : view === "standings" ? t("public-standings") : number && t("public-round", { round: number });
  document.title = [what, data.event?.name].filter(Boolean).join(" · ") || "touchmove";
}

/** The changes since the page was drawn last: tables, or everything (null). */
let changed = new Set();
let isScheduled = false;
/** Whether the texts are there, so that something can be drawn. */
let isReady = false;

function drawChanges() {
  const tables = changed;
  [changed, isScheduled] = [new Set(), false];
  if (tables === null) return draw();
  for (const table of tables) round.drawTable(table);
  screen?.draw();
}

changes.addEventListener("change", ({ detail }) => {
  if (!isReady) return;
  if (detail.what === "connection") return shell.drawLost();
  const isRound = shown.view === "event" || shown.view === "round";
  // Another round may be played now.
  if (detail.what === "event" && shown.view === "event" && !data.rounds.has(roundOf(shown))) return route();
  if (detail.what !== "table") changed = null;
  else if (isRound && detail.round === roundOf(shown)) changed?.add(detail.table);
  else return;
  if (isScheduled) return;
  isScheduled = true;
  if (document.visibilityState === "hidden") setTimeout(drawChanges);
  else requestAnimationFrame(drawChanges);
});

function openShare(view = null) {
  const number = roundOf(shown);
  const of = shown.view === "table" ? { round: shown.round, table: shown.table, ply: view?.ply ?? null } : { round: number };
  import("./share.js").then(({ share }) => share(shell.dialog, of));
}

async function useLanguage(tag) {
  const entry = data.event.languages.find((one) => one.tag === tag);
  if (entry) useWords(await readWords(entry), entry);
}

async function chooseLanguage(tag) {
  localStorage.setItem("language", tag);
  await useLanguage(tag).catch(() => {});
  draw();
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (screen && event.key === "Escape") sameView(withQuery({ screen: null }));
  else if (screen && event.key === " ") screen.toggle();
  else if (shown.view === "table" && views.table?.key(event)) event.preventDefault();
  else if (event.key === "/" && $("#search") && event.target !== $("#search")) {
    event.preventDefault();
    $("#search").focus();
  }
}

function click(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || link.target || link.download || "plain" in link.dataset || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const to = new URL(link.href);
  if (link.classList.contains("skip") || !address.parse(to) || address.isEmbedded) return;
  event.preventDefault();
  navigate(to);
}

async function begin() {
  const parsed = address.parse(new URL(location.href));
  // What is shown is read together with the event.
  const round = parsed?.round ?? (Number(document.documentElement.dataset.round) || null);
  Promise.resolve(need({ ...parsed, round })).catch(() => {});
  for (;;) {
    try {
      await readEvent();
      await useLanguage(preferred(data.event.languages));
      break;
    } catch {
      // The plain page stays until the server answers. Documents that were read earlier may be outdated by then.
      data.rounds.clear();
      data.games.clear();
      data.standings = null;
      await new Promise((resolve) => setTimeout(resolve, 3000));
    }
  }
  if (address.isEmbedded) document.body.replaceChildren(content, shell.dialog);
  else shell.mount(content);
  document.documentElement.classList.add("live-page");
  document.addEventListener("keydown", key);
  document.addEventListener("click", click);
  window.addEventListener("popstate", route);
  matchMedia("(max-width: 45rem)").addEventListener("change", draw);
  isReady = true;
  await route();
  performance.mark("drawn");
  listen();
}

begin();
