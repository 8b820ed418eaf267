// What remains after `touchmovectl setup`: boards to name, the event and the Laws, telephones. What needs root is a line to type.

import { $, fill, h, keyed, setText } from "./dom.js";
import * as logins from "./login.js";
import { changes, hall, request } from "./net.js";
import * as settings from "./settings.js";
import { say } from "./status.js";
import { language, t } from "./words.js";

/** The keys that an event needs, in the order in which they are asked for. */
const KEYS = ["pgn.event", "pgn.site", "laws.edition", "laws.time_class", "laws.supervision", "broadcast.delay_s"];
/** How often devices are read again, in milliseconds: the server does not say that one was plugged in. */
const DEVICES_INTERVAL = 3000;

let timer = null;
/** The address and the language that are drawn; empty: none. */
let drawn = "";

/** Shows what remains. */
export async function show() {
  if (!$("#setup").hidden) return;
  $("#setup").hidden = false;
  drawn = "";
  changes.addEventListener("change", drawBoards);
  drawBoards();
  await reload();
}

/** Hides it. */
export function hide() {
  clearTimeout(timer);
  timer = null;
  changes.removeEventListener("change", drawBoards);
  $("#setup").hidden = true;
}

async function reload() {
  try {
    const report = await request(`/api/setup?lang=${language}`);
    draw(report);
    const now = `${report.address} ${language}`;
    if (drawn !== now) {
      drawTrust(report);
      await settings.showKeys($("#setup-keys tbody"), KEYS);
    }
    drawn = now;
  } catch (error) {
    say(error.message, true);
  }
  clearTimeout(timer);
  if (!$("#setup").hidden) timer = setTimeout(reload, DEVICES_INTERVAL);
}

/** Draws the boards that are read, with what is wrong with each. */
function drawBoards() {
  const cards = [...hall.cards.values()].sort((one, other) => one.board.localeCompare(other.board, language, { numeric: true }));
  keyed($("#setup-boards"), cards, ({ board }) => board, () => h("li"), (item, card) => {
    setText(item, [`${card.board} (${card.model})`, card.contact === "ready" ? t("page-setup-board-ready") : card.reason || card.contact].join(": "));
  });
  $("#setup-no-boards").hidden = cards.length > 0;
}

/** Returns a line that is typed in a terminal. */
const lineText = (device, model) => `sudo touchmovectl setup --board ${device}=${model}`;

/** Builds what to do about a device that may be a board. */
function makeDevice({ device, models }) {
  const line = h("code", {}, models.length ? lineText(device, models[0]) : "");
  const select = h("select", { "aria-label": t("page-setup-model"), onchange: () => setText(line, lineText(device, select.value)) }, models.map((model) => h("option", { value: model }, model)));
  return h("li", {}, h("p", {}, h("b", {}, device), " ", h("span", { class: "reason" })), models.length ? h("p", {}, t("page-setup-model"), " ", select) : null, models.length ? h("pre", {}, line) : null);
}

function draw({ unused }) {
  keyed($("#setup-devices"), unused, ({ device, models }) => `${device} ${models.join()} ${language}`, makeDevice, (item, { reason }) => setText($(".reason", item), reason));
  $("#setup-unused").hidden = unused.length === 0;
}

/** Draws the address, and what a telephone says about the certificate. */
function drawTrust({ address, encrypted, certificate, ca }) {
  setText($("#setup-address"), address);
  const paragraphs = [];
  if (ca) {
    paragraphs.push(
      h("p", {}, t("page-setup-unknown-ca")),
      h("p", { class: "fingerprint" }, certificate),
      h("p", {}, t("page-setup-install-ca")),
      h("p", { class: "fingerprint" }, ca),
      h("p", {}, h("a", { class: "button", href: "/ca.crt", download: "touchmove-ca.crt" }, t("page-setup-download-ca"))),
      h("p", { class: "muted" }, t("page-setup-public-certificate")),
    );
  } else if (!encrypted) {
    paragraphs.push(h("p", {}, t("page-setup-only-here")), h("pre", {}, h("code", {}, "sudo touchmovectl setup --listen 0.0.0.0:8064")));
  }
  fill($("#setup-trust"), paragraphs);
}

/** Sets up the buttons. */
export function begin() {
  $("#setup-telephone").onclick = logins.telephone;
}
