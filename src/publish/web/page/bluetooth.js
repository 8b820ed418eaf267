// Boards over Bluetooth that are near: how strongly they are received, what they probably are and why, and how they are added.

import { $, fill, h, keyed, setText } from "./dom.js";
import { request } from "./net.js";
import { colon, language, t } from "./words.js";

/** How often the page asks what was found, in milliseconds. */
const WATCH_INTERVAL = 1000;

let timer = null;
/** What the server does: `idle`, `scanning` or `identifying`. */
let state = "idle";
/** Whether a search goes on that was begun here. */
let isOwnSearch = false;
/** Whether a search has ended since the dialog was opened. */
let hasSearched = false;

const post = (order) => request(`/api/bluetooth?lang=${language}`, order);

/** Opens the dialog. */
export function open() {
  [state, isOwnSearch, hasSearched] = ["idle", false, false];
  const button = (name, key, attributes = {}) => h("button", { type: "button", id: `bluetooth-${name}`, ...attributes }, t(key));
  fill(
    $("#bluetooth"),
    h("h2", {}, t("page-bluetooth")),
    h("p", {}, t("page-bluetooth-about")),
    h("p", { id: "bluetooth-state", role: "status" }),
    h("p", { class: "wrong", role: "alert" }),
    h("ul", { id: "bluetooth-boards" }),
    h("details", { id: "bluetooth-others", hidden: true }, h("summary"), h("ul")),
    h(
      "div",
      { class: "buttons" },
      button("scan", "page-bluetooth-scan", { class: "main", onclick: () => send({ do: "scan" }) }),
      button("stop", "page-bluetooth-stop", { hidden: true, onclick: () => send({ do: "stop" }) }),
      h("button", { type: "button", class: "quiet", onclick: () => $("#bluetooth").close() }, t("page-close")),
    ),
  );
  $("#bluetooth").showModal();
  send({ do: "watch" });
}

/** Returns name, strength and address of a device. */
function line({ name, address, rssi, strength, connected, paired }) {
  const signal = strength === null ? null : `${t(`page-bluetooth-strength-${strength}`)} (${rssi} dBm)`;
  return [name, signal, connected && t("page-bluetooth-connected"), paired && t("page-bluetooth-paired"), address].filter(Boolean).join(" · ");
}

/** Creates the entry of a device that may be a board. */
const entry = ({ address }) =>
  h(
    "li",
    { "data-address": address },
    h("b"),
    h("p", { class: "candidate" }),
    h("p", { class: "identification", role: "status" }),
    h("p", { class: "board" }),
    h("div", { class: "add" }, h("p", { class: "muted" }, t("page-bluetooth-add", { command: "sudo systemctl restart touchmoved" })), h("pre")),
    h("button", { type: "button", class: "identify", onclick: () => send({ do: "identify", address }) }, t("page-bluetooth-identify")),
  );

function drawEntry(item, device) {
  const { board, candidate, commands } = device;
  const { identification } = candidate ?? {};
  const show = (selector, text) => {
    setText($(selector, item), text ?? "");
    $(selector, item).hidden = !text;
  };
  show("b", line(device));
  show(".candidate", candidate && colon(candidate.sentence, candidate.reason));
  show(".identification", identification?.sentence);
  show(".board", board && t("page-bluetooth-board", { board }));
  setText($("pre", item), commands.join("\n"));
  $(".add", item).hidden = commands.length === 0;
  const canIdentify = candidate?.confirmation === "handshake" && board === null && !device.connected && !identification?.models.length;
  $(".identify", item).hidden = !canIdentify;
  $(".identify", item).disabled = state === "identifying";
}

function draw({ problem, devices, left_out: leftOut }) {
  const isScanning = state === "scanning";
  isOwnSearch &&= isScanning;
  const boards = devices.filter(({ board, candidate }) => board !== null || candidate !== null);
  const others = devices.filter((device) => !boards.includes(device));
  const none = hasSearched && state === "idle" && boards.length === 0 && problem === null ? t("page-bluetooth-none") : "";
  setText($("#bluetooth-state"), isScanning ? t("page-bluetooth-scanning") : state === "identifying" ? t("page-bluetooth-identifying") : none);
  if (problem !== null) setText($("#bluetooth > .wrong"), problem);
  keyed($("#bluetooth-boards"), boards, ({ address }) => address, entry, drawEntry);
  $("#bluetooth-others").hidden = others.length === 0;
  setText($("#bluetooth-others summary"), t("page-bluetooth-others", { count: others.length + leftOut }));
  keyed($("#bluetooth-others ul"), others, ({ address }) => address, () => h("li"), (item, device) => setText(item, line(device)));
  $("#bluetooth-scan").hidden = isScanning;
  $("#bluetooth-scan").disabled = state === "identifying";
  $("#bluetooth-stop").hidden = !isScanning;
}

/** Sends an order, and shows where the search is then. */
async function send(order) {
  clearTimeout(timer);
  try {
    const report = await post(order);
    if (!$("#bluetooth").open) {
      // The search began after its dialog was closed.
      if (order.do === "scan") post({ do: "stop" }).catch(() => {});
      return;
    }
    state = report.state;
    isOwnSearch ||= order.do === "scan";
    hasSearched ||= state === "scanning";
    // A refusal stays until the next order.
    if (order.do !== "watch") setText($("#bluetooth > .wrong"), "");
    draw(report);
  } catch (error) {
    if (!$("#bluetooth").open) return;
    setText($("#bluetooth > .wrong"), error.message);
  }
  clearTimeout(timer);
  if (state !== "idle") timer = setTimeout(() => send({ do: "watch" }), WATCH_INTERVAL);
}

/** Ends the search when its dialog is closed. */
function closed() {
  clearTimeout(timer);
  // It ends by itself otherwise.
  if (isOwnSearch) post({ do: "stop" }).catch(() => {});
  isOwnSearch = false;
}

/** Connects the button and the dialog; called once. */
export function begin() {
  $("#bluetooth-open").onclick = open;
  $("#bluetooth").addEventListener("close", closed);
}
