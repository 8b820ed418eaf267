// The big screen in the foyer: as many boards as fit, in turns.

import { documentAddress } from "./address.js";
import { data, now } from "./data.js";
import { $, fill, h, keyed, setText } from "./dom.js";
import { select, read } from "./filter.js";
import { Tile } from "./tile.js";
import { t, time } from "./words.js";

/** How long boards are shown before the next ones. */
const TURN_MS = 15000;
/** Up to this many boards are shown at a time: more would be too small to see from afar. */
const MOST = 12;

const tiles = new WeakMap();

export class Screen {
  /** Shows the boards of a round that a filter selects, until `close` is called by the user. */
  constructor({ number, query, close }) {
    Object.assign(this, { number, query, page: 0, isPaused: false });
    this.list = h("ul", { class: "tiles" });
    this.title = h("h1");
    this.clock = h("span", { class: "time" });
    this.pages = h("span", { class: "muted" });
    this.pause = h("button", { type: "button", class: "quiet", onclick: () => this.toggle() });
    const end = h("button", { type: "button", class: "quiet", onclick: close }, t("public-close"));
    this.code = h("img", { class: "qr", src: documentAddress("qr/index.svg").href, alt: t("public-qr") });
    this.code.onerror = () => (this.code.hidden = true);
    this.element = h("section", { class: "big-screen", role: "dialog", "aria-modal": "true", "aria-label": t("public-full-screen") }, h("header", {}, this.code, this.title, this.pages, this.pause, end, this.clock), this.list);
    this.timer = setInterval(() => this.tick(), 1000);
    this.turnedAt = Date.now();
    this.resized = () => this.draw();
    window.addEventListener("resize", this.resized);
    document.body.classList.add("has-screen");
    this.others = [...document.body.children];
    for (const one of this.others) one.inert = true;
    // Only a click may ask for the full screen; without it, the window is filled.
    if (navigator.userActivation?.isActive) document.documentElement.requestFullscreen?.().catch(() => {});
    navigator.wakeLock?.request("screen").then((lock) => (this.lock = lock), () => {});
  }

  end() {
    clearInterval(this.timer);
    window.removeEventListener("resize", this.resized);
    document.body.classList.remove("has-screen");
    for (const one of this.others) one.inert = false;
    this.lock?.release();
    if (document.fullscreenElement) document.exitFullscreen();
    this.element.remove();
  }

  toggle() {
    this.isPaused = !this.isPaused;
    this.turnedAt = Date.now();
    this.draw();
  }

  tick() {
    setText(this.clock, time(now()));
    if (this.isPaused || Date.now() - this.turnedAt < TURN_MS) return;
    this.turnedAt = Date.now();
    this.page += 1;
    this.draw();
  }

  /** How many boards fit side by side and one above the other, and how large they are. */
  layout(count) {
    const [width, height] = [innerWidth, innerHeight - ($("header", this.element)?.offsetHeight ?? 60)];
    const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    let best = { side: 0 };
    for (let rows = 1; rows <= 4; rows += 1) {
      // Above and below a board are the players and its last moves.
      const side = Math.floor(height / rows - 9 * em);
      const columns = Math.max(1, Math.floor((width - em) / (side + em)));
      const fits = Math.min(rows * columns, MOST);
      if (side < 8 * em && best.side) break;
      best = { side: Math.max(side, 8 * em), columns, fits };
      if (fits >= Math.min(count, 8)) break;
    }
    return best;
  }

  /** Makes the boards smaller if long names take more lines than there is space for. */
  shrink(side, rows) {
    for (let tries = 0; tries < 4; tries += 1) {
      const excess = this.list.scrollHeight - this.list.clientHeight;
      if (excess <= 0 || rows === 0) return;
      side -= Math.ceil(excess / rows);
      this.list.style.setProperty("--side", `${Math.max(side, 64)}px`);
    }
  }

  draw() {
    const round = data.rounds.get(this.number);
    setText(this.title, [data.event?.name, t("public-round", { round: this.number })].filter(Boolean).join(" · "));
    setText(this.pause, t(this.isPaused ? "public-resume" : "public-pause"));
    setText(this.clock, time(now()));
    if (!round) return;
    const chosen = select(round.tables, { ...read(this.query), page: 1 }, Infinity).shown;
    // While games are in play, the others are not shown.
    const playing = chosen.filter(({ state }) => state.state === "playing" || state.state === "paused");
    const all = playing.length ? playing : chosen;
    const { side, columns, fits } = this.layout(all.length);
    const pages = Math.max(1, Math.ceil(all.length / fits));
    const page = this.page % pages;
    const shown = all.slice(page * fits, (page + 1) * fits);
    this.list.style.setProperty("--side", `${side}px`);
    this.list.style.setProperty("--columns", String(Math.min(columns, shown.length || 1)));
    setText(this.pages, pages > 1 ? t("public-page-of", { page: page + 1, pages }) : "");
    keyed(this.list, shown, ({ table }) => table, makeTile, (element, table) => tiles.get(element).show(this.number, table));
    this.shrink(side, Math.ceil(shown.length / columns));
    if (!shown.length) fill(this.list, h("li", { class: "none" }, t("public-empty")));
  }
}

function makeTile() {
  const tile = new Tile();
  tiles.set(tile.element, tile);
  return tile.element;
}
