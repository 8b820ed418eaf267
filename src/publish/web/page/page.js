// The page as a whole: the visible view, the logged-in user, the keyboard shortcuts.

import * as alerts from "./alerts.js";
import * as board from "./game.js";
import { $, h, keyed, say, set, typing } from "./dom.js";
import * as frames from "./frames.js";
import * as cards from "./hall.js";
import { ask, changes, hall, isArbiter, listen, read } from "./net.js";
import * as sound from "./sound.js";
import { LANGUAGES, colon, ago, comma, preferred, speak, t, time } from "./words.js";

/** Keys, and what they do: shown by `?`. */
const KEYS = [
  ["page-keys-hall", [["↑ ↓ ← →", "page-key-arrows"], ["Enter", "page-key-open"], ["0–9", "page-key-filter"], ["/", "page-key-search"], ["A", "page-key-alert"]]],
  ["page-keys-board", [["← →", "page-key-moves"], ["Home End", "page-key-ends"], ["R", "page-key-rule"], ["G", "page-key-frames"], ["V", "page-key-squares"], ["F", "page-key-flip"], ["P", "page-key-print"], ["Esc", "page-key-back"]]],
  ["page-keys-all", [["S", "page-key-sound"], ["?", "page-key-help"]]],
];

/** The board that the address names; null: the hall. */
function wanted() {
  const [, name] = location.pathname.match(/^\/board\/(.+)$/) ?? [];
  return name ? decodeURIComponent(name) : null;
}

let from = 0;

/** Shows what the address names. */
function route() {
  const name = wanted();
  const was = board.shownBoard();
  if (was === null && name !== null) from = scrollY;
  $("#hall").hidden = name !== null;
  $("#board").hidden = name === null;
  document.body.dataset.view = name === null ? "hall" : "board";
  if (name === null) {
    board.hide();
    cards.draw();
    if (was !== null) {
      scrollTo(0, from);
      [...document.querySelectorAll("#cards .card")].find((card) => card.dataset.board === was)?.focus({ preventScroll: true });
    }
  } else {
    board.show(name, { rule });
    if (was !== name) {
      scrollTo(0, 0);
      $("#back").focus({ preventScroll: true });
    }
  }
  alerts.draw(wanted());
  head();
}

function go(path) {
  if (path === location.pathname) return;
  history.pushState(null, "", path);
  route();
}

let silence = null;

/** Gives a command, and says what came of it. */
async function rule(card, what) {
  clearTimeout(silence);
  say($("#said"), t("page-sending"));
  $("#said").dataset.state = "";
  try {
    const text = await alerts.give(card, what);
    say($("#said"), colon(cards.place(card), text));
    silence = setTimeout(() => say($("#said"), ""), 30000);
  } catch (error) {
    $("#said").dataset.state = "wrong";
    say($("#said"), colon(cards.place(card), error.message));
    if (error.status === 401 || error.status === 403) read().catch(() => {});
  }
}

/** What stands above everything. */
function head() {
  const count = alerts.standing().filter(({ alert }) => !alert.notice).length;
  const { name, round } = hall.event;
  say($("#event"), [name, round && t("page-round", { round })].filter(Boolean).join(" · ") || "touchmove");
  document.title = `${count ? `(${count}) ` : ""}${wanted() ? `${$("#place").textContent} · ` : ""}${name || "touchmove"}`;
  say($("#lost"), hall.lost === null ? "" : t("page-lost", { time: time(hall.lost) }));
  $("#lost").hidden = hall.lost === null;
  document.body.classList.toggle("old", hall.lost !== null);
  const late = [hall.delay.ms && ago(hall.delay.ms), hall.delay.plies && t("page-plies", { count: hall.delay.plies })].filter(Boolean);
  $("#public").hidden = hall.who !== null || !hall.read;
  say($("#public"), t(late.length ? "page-public-late" : "page-public", { delay: comma(late) }));
  say($("#who"), hall.who ? `${hall.who.name} (${t(`page-role-${hall.who.role}`)})` : "");
  say($("#login"), t(hall.who ? "page-logout" : "page-login"));
  $("#trouble").hidden = hall.trouble.length === 0;
  const line = (one) => [one.board, one.sentence].filter(Boolean).join(": ");
  keyed($("#trouble ul"), hall.trouble, line, () => h("li"), (item, one) => say(item, line(one)));
  say($("#trouble h2"), t("page-trouble"));
  speaker();
}

function speaker() {
  const button = $("#sound");
  button.hidden = !isArbiter();
  button.dataset.state = sound.state();
  say(button, t(`page-sound-${sound.state()}`));
  set(button, "aria-pressed", String(sound.state() === "on"));
}

/** New alerts: told, and sounded. */
function announce() {
  const fresh = alerts.news();
  if (!fresh.length) return;
  const grave = fresh.filter(({ alert }) => !alert.notice);
  if (grave.length) say($("#aloud"), grave.map(alerts.aloud).join(". "));
  else say($("#aside"), fresh.map(alerts.aloud).join(". "));
  sound.tone(grave.length ? "alert" : "notice");
}

function change({ detail: name }) {
  announce();
  alerts.draw(wanted());
  head();
  if (wanted() === null) name === null ? cards.draw() : cards.redraw(name);
  else if (board.concerns(name)) board.draw();
}

function help() {
  const dialog = $("#keys");
  const row = ([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(what))];
  dialog.replaceChildren(
    h("h2", {}, t("page-keys")),
    h("div", {}, KEYS.map(([title, keys]) => [h("h3", {}, t(title)), h("dl", {}, keys.map(row))])),
    h("form", { method: "dialog", class: "buttons" }, h("button", { class: "quiet" }, t("page-close"))),
  );
  dialog.showModal();
}

function loginForm() {
  const dialog = $("#login-form");
  const error = h("p", { class: "wrong", role: "alert" });
  const input = h("input", { id: "token", name: "token", type: "password", required: true, autocomplete: "current-password", spellcheck: "false" });
  const form = h(
    "form",
    {},
    h("h2", {}, t("page-login")),
    h("p", { class: "muted" }, t("page-login-about")),
    h("label", {}, t("page-token"), input),
    error,
    h("div", { class: "buttons" }, h("button", { class: "main" }, t("page-login")), h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"))),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await ask("/api/login", { token: input.value.trim() });
      dialog.close();
      await anew();
    } catch (failed) {
      say(error, failed.message);
      input.select();
    }
  });
  dialog.replaceChildren(form);
  dialog.showModal();
  input.focus();
}

/** After logging in or out everything is another's to see. */
async function anew() {
  await read();
  listen();
}

async function login() {
  if (!hall.who) return loginForm();
  await ask("/api/logout", {}).catch(() => {});
  await anew().catch(() => listen());
}

function nextAlert() {
  const all = alerts.standing();
  if (!all.length) return;
  const here = all.findLastIndex(({ card }) => card.board === wanted());
  go(`/board/${encodeURIComponent(all[(here + 1) % all.length].card.board)}`);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const inside = wanted() !== null;
  if (typing(event.target)) {
    if (event.target.id === "filter" && ["Escape", "Enter", "ArrowDown"].includes(event.key)) {
      if (event.key === "Escape") cards.narrow((event.target.value = ""));
      event.target.blur();
      cards.step("Home");
      event.preventDefault();
    }
    return;
  }
  const acts = {
    "?": help,
    s: () => isArbiter() && sound.toggle(),
    a: nextAlert,
    ...(inside
      ? {
          Escape: () => (frames.isOpen() ? board.toggleFrames() : go("/")),
          ArrowLeft: () => (frames.isOpen() ? frames.step(-1) : board.step(-1)),
          ArrowRight: () => (frames.isOpen() ? frames.step(1) : board.step(1)),
          Home: () => board.step("first"),
          End: () => board.step("last"),
          r: board.menu,
          g: board.toggleFrames,
          v: board.showSquares,
          f: board.turn,
          p: () => window.print(),
        }
      : {
          "/": () => $("#filter").focus(),
          Escape: () => cards.narrow(($("#filter").value = "")),
          ...Object.fromEntries(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"].map((name) => [name, () => cards.step(name)])),
        }),
  };
  const act = acts[event.key] ?? acts[event.key.toLowerCase()];
  if (!inside && /^\d$/.test(event.key)) {
    // The input field receives the digit itself.
    $("#filter").focus();
  } else if (act) {
    event.preventDefault();
    act();
  }
}

/** Sentences of the page itself: `data-say` has their keys, `data-label` those that are only read aloud. */
function translate() {
  for (const element of document.querySelectorAll("[data-say]")) say(element, t(element.dataset.say));
  for (const element of document.querySelectorAll("[data-label]")) {
    set(element, "aria-label", t(element.dataset.label));
    if (element.tagName === "INPUT") set(element, "placeholder", t(element.dataset.label));
  }
}

async function choose(tag) {
  localStorage.setItem("language", tag);
  await speak(tag);
  translate();
  await anew().catch(() => listen());
  route();
}

async function begin() {
  const language = preferred();
  // Wait for a server that is not up yet.
  for (;;) {
    try {
      await speak(language);
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }
  $("#language").replaceChildren(...LANGUAGES.map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name)));
  $("#language").onchange = (event) => choose(event.target.value);
  translate();
  sound.onChange(speaker);
  $("#sound").onclick = sound.toggle;
  $("#login").onclick = login;
  $("#help").onclick = help;
  $("#filter").oninput = (event) => cards.narrow(event.target.value);
  board.begin();
  frames.begin();
  changes.addEventListener("change", change);
  document.addEventListener("keydown", key);
  document.addEventListener("rule", ({ detail }) => rule(detail.card, detail.what));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.download || link.origin !== location.origin || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (link.pathname !== "/" && !link.pathname.startsWith("/board/")) return;
    event.preventDefault();
    go(link.pathname);
  });
  window.addEventListener("popstate", route);
  // Update how long ago alerts were raised.
  setInterval(() => alerts.draw(wanted()), 10000);
  await read().catch(() => {});
  listen();
  route();
}

begin();
