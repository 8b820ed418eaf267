// What all views have in common: the head with event, rounds and menus, the foot, and the dialogs.

import { eventAddress, isServed, roundAddress, staffAddress, standingsAddress } from "./address.js";
import { data } from "./data.js";
import { $, fill, h, setAttribute, setText } from "./dom.js";
import * as look from "./look.js";
import { date, duration, language, t, time } from "./words.js";

/** The keys, and what they do. */
const KEYS = [
  ["← →", "public-key-moves"],
  ["Home End", "public-key-ends"],
  ["L", "public-key-live"],
  ["F", "public-key-flip"],
  ["/", "public-key-search"],
  ["Esc", "public-key-back"],
];

export class Shell {
  constructor({ chooseLanguage, openShare, changed }) {
    Object.assign(this, { chooseLanguage, openShare, changed });
    this.skip = h("a", { class: "skip", href: "#content" });
    this.name = h("a", { class: "event" });
    this.about = h("span", { class: "about" });
    this.rounds = h("nav", { class: "rounds" });
    this.language = h("select", { class: "language", onchange: ({ target }) => this.chooseLanguage(target.value) });
    const button = (icon, onclick) => h("button", { type: "button", class: "quiet icon", onclick }, h("i", { class: icon, "aria-hidden": "true" }));
    this.display = button("icon-display", () => this.openDisplay());
    this.share = button("icon-share", () => this.openShare());
    this.late = h("p", { class: "late" });
    this.lost = h("p", { class: "lost", role: "status", hidden: true });
    this.foot = h("footer", { class: "foot-bar" });
    this.dialog = h("dialog", { "aria-labelledby": "dialog-title" });
    const tools = h("div", { class: "head-tools" }, this.share, this.display, this.language);
    this.head = h("header", { class: "page-head" }, h("div", { class: "head-name" }, this.name, this.about), tools, this.rounds);
    // A click beside a dialog closes it. A handler that returned false would keep all boxes in it from being ticked.
    this.dialog.onclick = ({ target }) => {
      if (target === this.dialog) this.dialog.close();
    };
  }

  /** Puts the shell around the content. */
  mount(content) {
    document.body.replaceChildren(this.skip, this.head, this.lost, content, this.foot, this.dialog);
  }

  /** Draws what has changed. `shown`: the view. */
  draw(shown) {
    const event = data.event;
    setText(this.skip, t("public-skip"));
    this.drawLost();
    if (!event) return;
    setText(this.name, event.name || t("public-boards"));
    this.name.href = eventAddress().href;
    const about = [event.site, date(event.date)].filter(Boolean);
    // Each in its own direction.
    if (this.about.dataset.content !== about.join()) fill(this.about, about.map((text, index) => [index ? " · " : "", h("bdi", {}, text)]));
    this.about.dataset.content = about.join();
    this.drawRounds(event, shown);
    this.drawMenus(event);
    this.drawFoot(event);
  }

  drawLost() {
    this.lost.hidden = data.lostAt === null;
    setText(this.lost, data.lostAt === null ? "" : t("public-lost", { time: time(data.lostAt) }));
  }

  drawRounds({ rounds, round, standings }, shown) {
    const number = shown.round ?? (shown.view === "event" ? round : null);
    const link = (address, text, isHere, label) => h("a", { href: address.href, "aria-current": isHere ? "page" : null, "aria-label": label ?? null }, text);
    const content = JSON.stringify([rounds.map((one) => one.number), round, standings, number, shown.view, language]);
    if (this.rounds.dataset.content === content) return;
    this.rounds.dataset.content = content;
    setAttribute(this.rounds, "aria-label", t("public-rounds"));
    const tabs = rounds.map((one) => {
      const text = t("public-round", { round: one.number });
      const isHere = one.number === number;
      const address = one.number === round ? eventAddress() : roundAddress(one.number);
      // The round that is open has its whole name, the others their numbers.
      return link(address, isHere || rounds.length < 4 ? text : String(one.number), isHere, text);
    });
    fill(this.rounds, tabs, standings ? link(standingsAddress(), t("public-standings"), shown.view === "standings") : null);
    // It may be far to the right on a telephone.
    const here = $("[aria-current]", this.rounds);
    if (here) this.rounds.scrollLeft = here.offsetLeft - this.rounds.clientWidth / 2;
  }

  drawMenus({ languages }) {
    for (const name of ["aria-label", "title"]) {
      setAttribute(this.share, name, t("public-share"));
      setAttribute(this.display, name, t("public-display"));
    }
    setAttribute(this.language, "aria-label", t("public-language"));
    if (this.language.options.length !== languages.length) fill(this.language, languages.map(({ tag, name, direction }) => h("option", { value: tag, lang: tag, dir: direction }, name)));
    this.language.value = language;
  }

  drawFoot({ delay_ms: ms, delay_plies: plies, stream }) {
    const late = [ms ? t("public-late", { time: duration(ms) }) : null, plies ? t("public-late-moves", { count: Math.ceil(plies / 2) }) : null];
    const updated = !stream && data.readAt ? t("public-updated", { time: time(data.readAt) }) : null;
    const unreviewed = data.event.languages.find(({ tag }) => tag === language)?.reviewed === false ? t("public-unreviewed") : null;
    const texts = [...late, updated, unreviewed].filter(Boolean);
    const content = JSON.stringify([texts, language]);
    if (this.foot.dataset.content === content) return;
    this.foot.dataset.content = content;
    fill(
      this.foot,
      texts.map((text) => h("p", {}, text)),
      h("p", {}, isServed ? h("a", { href: staffAddress().href, "data-plain": "" }, t("public-staff")) : null, h("a", { href: "https://github.com/touchmove/touchmove", rel: "noopener" }, "touchmove")),
    );
  }

  openDisplay() {
    const row = ([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(text))];
    fill(
      this.dialog,
      h("h2", { id: "dialog-title" }, t("public-display")),
      look.form(this.changed),
      h("details", { class: "keys" }, h("summary", {}, t("public-keys")), h("dl", {}, KEYS.map(row))),
      h("form", { method: "dialog", class: "buttons" }, h("button", { class: "main" }, t("public-close"))),
    );
    this.dialog.showModal();
  }
}
