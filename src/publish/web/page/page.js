// The page as a whole: the visible view, the logged-in user, the keyboard shortcuts.

import * as alerts from "./alerts.js";
import * as bluetooth from "./bluetooth.js";
import * as desk from "./desk.js";
import { address, filter, readAddress } from "./filter.js";
import * as board from "./game.js";
import { $, h, keyed, setText, setAttribute, isTextField } from "./dom.js";
import * as frames from "./frames.js";
import * as cards from "./hall.js";
import * as health from "./health.js";
import * as logins from "./login.js";
import { request, changes, hall, isKnown, listen, may, read } from "./net.js";
import * as seats from "./seats.js";
import * as settings from "./settings.js";
import * as setup from "./setup.js";
import * as sound from "./sound.js";
import { LANGUAGES } from "./languages.js";
import { say } from "./status.js";
import * as wiring from "./wiring.js";
import { ago, comma, preferred, loadLanguage, t, time } from "./words.js";

/** The keyboard shortcuts and their descriptions, for the help of `?`. */
const KEYS = [
  ["page-keys-hall", [["↑ ↓ ← →", "page-key-arrows"], ["Enter", "page-key-open"], ["0–9", "page-key-filter"], ["/", "page-key-search"], ["A", "page-key-alert"]]],
  ["page-keys-board", [["← →", "page-key-moves"], ["Home End", "page-key-ends"], ["R", "page-key-rule"], ["G", "page-key-frames"], ["V", "page-key-squares"], ["F", "page-key-flip"], ["P", "page-key-print"], ["Esc", "page-key-back"]]],
  ["page-keys-all", [["S", "page-key-sound"], ["?", "page-key-help"]]],
];

/** Returns the board in the address; null for the hall. */
function boardInPath() {
  const [, name] = location.pathname.match(/^\/board\/(.+)$/) ?? [];
  return name ? decodeURIComponent(name) : null;
}

/** Returns the game in the address, which need not be on a board any more; null if there is none. */
function gameInPath() {
  const [, id] = location.pathname.match(/^\/game\/(\d+)$/) ?? [];
  return id ? Number(id) : null;
}

/** The views of the desk, by the first part of their address. */
const DESK_VIEWS = { round: desk, seats, health, settings, setup };
/** Those of the administrator alone. */
const ADMINISTRATOR_VIEWS = ["settings", "setup"];

/** Returns the view of the desk in the address: of `round` with its number (null: the one that is played), and the table that is meant. */
function deskInPath() {
  const [, view, number] = location.pathname.match(/^\/(round|seats|health|settings|setup)(?:\/(\d+))?$/) ?? [];
  if (!view || !hall.user || (ADMINISTRATOR_VIEWS.includes(view) && !may("administer"))) return null;
  const [, table] = location.hash.match(/^#table-(\d+)$/) ?? [];
  return { view, number: number ? Number(number) : null, table: table ? Number(table) : null };
}

/** Shows the view of the desk that the address names, if it names one. */
function showDesk() {
  const at = deskInPath();
  for (const [name, view] of Object.entries(DESK_VIEWS)) at?.view === name ? view.show(at.number, at.table) : view.hide();
  for (const link of document.querySelectorAll("#views a")) {
    const isHere = link.pathname === "/" ? at === null : location.pathname.startsWith(link.pathname);
    setAttribute(link, "aria-current", isHere ? "page" : null);
  }
  return at !== null;
}

/** The address of the hall, with its filters, and its scroll position when a board was opened. */
let [hallAddress, hallScroll] = ["/", 0];
let hasRouted = false;

/** Shows the view that the address names. */
function route() {
  const name = boardInPath();
  const previous = board.shownBoard();
  if (previous === null && name !== null) hallScroll = scrollY;
  const isDesk = showDesk();
  const id = gameInPath();
  $("#hall").hidden = name !== null || id !== null || isDesk;
  $("#board").hidden = name === null && id === null;
  document.body.dataset.view = isDesk ? "desk" : name === null && id === null ? "hall" : "board";
  if (isDesk) {
    board.hide();
  } else if (id !== null) {
    $("#back").href = hallAddress;
    board.showGame(id);
    scrollTo(0, 0);
  } else if (name === null) {
    hallAddress = location.pathname + location.search;
    readAddress();
    board.hide();
    cards.draw();
    if (previous !== null) {
      scrollTo(0, hallScroll);
      if (!isTextField(document.activeElement)) cards.focusCard(previous);
    }
  } else {
    $("#back").href = hallAddress;
    board.show(name);
    if (previous !== name) {
      scrollTo(0, 0);
      // A page that was just loaded is read from its beginning.
      if (hasRouted) $("#back").focus({ preventScroll: true });
    }
  }
  hasRouted = true;
  alerts.draw(boardInPath(), gameInPath());
  drawHeader();
}

/** Shows another address. With `replace`, it takes the place of the present one in the history. */
function navigate(path, { replace = false } = {}) {
  const isSame = path === location.pathname + location.search + location.hash;
  // What a fragment names is shown again.
  if (isSame && !location.hash) return;
  const isFiltering = boardInPath() === null && !/^\/(board|game)\//.test(path);
  if (replace || isSame) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  route();
  if (isFiltering) scrollTo(0, 0);
}

const showBoard = (name) => navigate(`/board/${encodeURIComponent(name)}`);

/** Draws the top of the page: event, connection, user, problems. */
function drawHeader() {
  const count = alerts.openAlerts().filter(({ alert }) => !alert.notice).length;
  const { name, round } = hall.event;
  setText($("#event"), [name, round && t("page-round", { round })].filter(Boolean).join(" · ") || "touchmove");
  const title = `${count ? `(${count}) ` : ""}${boardInPath() ? `${$("#place").textContent} · ` : ""}${name || "touchmove"}`;
  if (document.title !== title) document.title = title;
  setText($("#lost"), hall.lostAt === null ? "" : t("page-lost", { time: time(hall.lostAt) }));
  $("#lost").hidden = hall.lostAt === null;
  document.body.classList.toggle("old", hall.lostAt !== null);
  const delays = [hall.delay.ms && ago(hall.delay.ms), hall.delay.plies && t("page-plies", { count: hall.delay.plies })].filter(Boolean);
  $("#public").hidden = isKnown() || delays.length === 0;
  setText($("#public"), t("page-public-late", { delay: comma(delays) }));
  $("#views").hidden = hall.user === null;
  for (const element of document.querySelectorAll("#views .for-administrator")) element.hidden = !may("administer");
  setText($("#who"), hall.user ? `${hall.user.name} (${t(`page-role-${hall.user.role}`)})` : "");
  setText($("#login"), t(hall.user ? "page-logout" : "page-login"));
  $("#telephone").hidden = hall.user === null;
  $("#problems").hidden = hall.problems.length === 0;
  const line = (one) => [one.board, one.sentence].filter(Boolean).join(": ");
  keyed($("#problems ul"), hall.problems, line, () => h("li"), (item, one) => setText(item, line(one)));
  setText($("#problems h2"), t("page-problems"));
  drawSoundButton();
}

function drawSoundButton() {
  const button = $("#sound");
  button.hidden = !isKnown();
  button.dataset.state = sound.state();
  setText(button, t(`page-sound-${sound.state()}`));
  setAttribute(button, "aria-pressed", String(sound.state() === "on"));
}

/** Announces new alerts to screen readers, and plays a tone. */
function announce() {
  const added = alerts.newAlerts();
  if (!added.length) return;
  const serious = added.filter(({ alert }) => !alert.notice);
  if (serious.length) setText($("#announce-alert"), serious.map(alerts.announcement).join(". "));
  else setText($("#announce-notice"), added.map(alerts.announcement).join(". "));
  sound.tone(serious.length ? "alert" : "notice");
}

/** Draws what changed: the cards of these boards, or everything if it is null. */
function change({ detail: boards }) {
  // The public's cards have no alerts.
  if (boards === null || isKnown()) {
    announce();
    alerts.draw(boardInPath(), gameInPath());
    drawHeader();
  }
  desk.changed();
  if (gameInPath() !== null) return board.refreshGame();
  if (boardInPath() === null) boards === null ? cards.draw() : cards.redraw(boards);
  else if (board.concerns(boards)) board.draw();
}

function help() {
  const dialog = $("#keys");
  const row = ([key, description]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(description))];
  dialog.replaceChildren(
    h("h2", {}, t("page-keys")),
    h("div", {}, KEYS.map(([title, keys]) => [h("h3", {}, t(title)), h("dl", {}, keys.map(row))])),
    h("form", { method: "dialog", class: "buttons" }, h("button", { class: "quiet" }, t("page-close"))),
  );
  dialog.showModal();
}

/** Loads everything again: after logging in or out the user may see other data. */
async function reload() {
  await read();
  listen();
  route();
}

async function login() {
  if (!hall.user) return logins.form(reload);
  await request("/api/logout", {}).catch(() => {});
  await reload().catch(() => listen());
}

/** Shows the next board, table or game with an alert. */
function nextAlert() {
  const addresses = [...new Set(alerts.openAlerts().map(alerts.addressOf))];
  if (!addresses.length) return;
  const index = addresses.indexOf(location.pathname + location.hash);
  navigate(addresses[(index + 1) % addresses.length]);
}

/** A key in the search field: Enter opens the board that was searched for. */
function searchKey(event) {
  event.preventDefault();
  const { target } = event;
  const found = event.key === "Enter" ? cards.searchedBoard(target.value) : null;
  target.blur();
  if (found !== null || event.key === "Escape") clearSearch();
  if (found === null) cards.moveFocus("Home");
  else showBoard(found);
}

function clearSearch() {
  $("#filter").value = "";
  navigate(boardInPath() === null ? address({ q: "", page: filter.q ? 1 : filter.page }) : location.pathname, { replace: true });
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const onBoard = boardInPath() !== null || gameInPath() !== null;
  if (isTextField(event.target)) {
    if (event.target.id === "filter" && ["Escape", "Enter", "ArrowDown"].includes(event.key)) searchKey(event);
    return;
  }
  const actions = {
    "?": help,
    s: () => isKnown() && sound.toggle(),
    a: nextAlert,
    ...(onBoard
      ? {
          Escape: () => (frames.isOpen() ? board.toggleFrames() : navigate(hallAddress)),
          ArrowLeft: () => (frames.isOpen() ? frames.step(-1) : board.step(-1)),
          ArrowRight: () => (frames.isOpen() ? frames.step(1) : board.step(1)),
          Home: () => board.step("first"),
          End: () => board.step("last"),
          r: board.menu,
          g: board.toggleFrames,
          v: board.showSquares,
          f: board.flip,
          p: () => window.print(),
        }
      : {
          "/": () => $("#filter").focus(),
          Escape: clearSearch,
          ...Object.fromEntries(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"].map((name) => [name, () => cards.moveFocus(name)])),
        }),
  };
  const action = actions[event.key] ?? actions[event.key.toLowerCase()];
  if (!onBoard && /^\d$/.test(event.key)) {
    // The input field receives the digit itself, in place of what was searched for before.
    $("#filter").focus();
    $("#filter").select();
  } else if (action) {
    event.preventDefault();
    action();
  }
}

/** Translates the fixed texts: `data-text` has the key of a text, `data-label` that of a label for screen readers. */
function translate() {
  for (const element of document.querySelectorAll("[data-text]")) setText(element, t(element.dataset.text));
  for (const element of document.querySelectorAll("[data-label]")) {
    setAttribute(element, "aria-label", t(element.dataset.label));
    if (element.tagName === "INPUT") setAttribute(element, "placeholder", t(element.dataset.label));
    if (element.hasAttribute("title")) element.title = t(element.dataset.label);
  }
}

async function chooseLanguage(tag) {
  localStorage.setItem("language", tag);
  await loadLanguage(tag);
  translate();
  await reload().catch(() => listen());
  route();
}

async function begin() {
  const language = preferred();
  // Wait for a server that is not up yet.
  for (;;) {
    try {
      await loadLanguage(language);
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }
  $("#language").replaceChildren(...LANGUAGES.map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name)));
  $("#language").onchange = (event) => chooseLanguage(event.target.value);
  translate();
  sound.onChange(drawSoundButton);
  $("#sound").onclick = sound.toggle;
  $("#login").onclick = login;
  $("#telephone").onclick = logins.telephone;
  $("#help").onclick = help;
  // A search that begins on a board leads to the hall.
  cards.begin((path, how) => navigate(path, boardInPath() === null ? how : {}));
  board.begin();
  frames.begin();
  desk.begin();
  seats.begin();
  health.begin();
  setup.begin();
  wiring.begin();
  bluetooth.begin();
  changes.addEventListener("change", change);
  document.addEventListener("keydown", key);
  document.addEventListener("exchanged", ({ detail: name }) => {
    showBoard(name);
    say(t("page-desk-exchanged", { board: name }));
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.download || link.origin !== location.origin || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (link.target || (link.pathname !== "/" && !/^\/(board|game|round|seats|health|settings|setup)(\/|$)/.test(link.pathname))) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
  window.addEventListener("popstate", route);
  window.addEventListener("hashchange", () => logins.codeInAddress(reload));
  // Update how long ago alerts were raised.
  setInterval(() => alerts.draw(boardInPath(), gameInPath()), 10000);
  await read().catch(() => {});
  listen();
  route();
  logins.codeInAddress(reload);
}

begin();
