// The configuration while touchmoved runs: each key, where its value is from, and changing it.

import { $, fill, h, keyed, setText } from "./dom.js";
import { refusalLine, sendForm } from "./form.js";
import { request } from "./net.js";
import { say } from "./status.js";
import { has, language, t } from "./words.js";

/** The status of the server's reply if a change must be confirmed. */
const UNCONFIRMED = 428;
/** The keys whose words have names here, and the beginnings of the keys of these texts. */
const WORDS = {
  "laws.edition": "page-edition-",
  "laws.time_class": "page-class-",
  "laws.supervision": "page-supervision-",
  "broadcast.illegal_move": "page-illegal-",
};

let report = null;
/** Another table that shows some of the keys, and these keys. */
let others = null;

/** Shows the settings. */
export async function show() {
  $("#settings").hidden = false;
  await reload();
}

/** Shows only these keys, in another table; it is drawn again after each change. */
export async function showKeys(body, names) {
  others = [body, names];
  await reload();
}

/** Hides the settings. */
export const hide = () => ($("#settings").hidden = true);

async function reload() {
  try {
    report = await request(`/api/settings?lang=${language}`);
    draw();
  } catch (error) {
    say(error.message, true);
  }
}

const labelKey = (key) => `page-setting-${key.replace(".", "-")}`;
const hasLabel = (key) => has(labelKey(key));
/** Returns the name of a key for people, otherwise the key itself. */
const label = (key) => (hasLabel(key) ? t(labelKey(key)) : key);

/** Returns a value without the signs of TOML: a text without quotes, the entries of a list with commas between them. */
function plain(value) {
  try {
    const parsed = JSON.parse(value);
    return Array.isArray(parsed) ? parsed.join(", ") : String(parsed);
  } catch {
    return value;
  }
}

const wordText = (key, word) => (WORDS[key] && has(WORDS[key] + word) ? t(WORDS[key] + word) : word);

function source({ source, by, at }) {
  if (source !== "settings") return t(`page-settings-source-${source}`);
  const when = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
  return t("page-settings-source-changed", { by, at: when });
}

function draw() {
  if (others) {
    const [body, names] = others;
    drawTable(body, names.flatMap((name) => report.keys.filter(({ key }) => key === name)));
  }
  setText($("#settings-file"), t("page-settings-about", { file: report.file }));
  const isChangeable = ({ effect }) => effect !== "file_only";
  // Those that have a name are those that a tournament needs.
  const keys = report.keys.filter(isChangeable).sort((one, other) => hasLabel(other.key) - hasLabel(one.key));
  drawTable($("#settings-now tbody"), keys);
  drawTable($("#settings-fixed tbody"), report.keys.filter((key) => !isChangeable(key)));
}

function drawTable(body, keys) {
  const make = ({ key, effect }) => {
    const change = effect === "file_only" ? null : h("button", { type: "button", "data-key": key, onclick: () => edit(key) }, t("page-settings-change"));
    return h("tr", {}, h("th", { scope: "row", title: key }), h("td", { class: "value" }), h("td", { class: "source muted" }), h("td", {}, change));
  };
  keyed(body, keys, ({ key }) => `${key} ${language}`, make, (row, one) => {
    setText($("th", row), label(one.key));
    setText($(".value", row), one.value ? wordText(one.key, plain(one.value)) : "–");
    setText($(".source", row), source(one));
  });
}

/** Builds the input of a key's form. */
function input({ key, value, form }) {
  const now = plain(value);
  if (form.words) return h("select", { name: "value" }, form.words.map((word) => h("option", { value: word, selected: word === now }, wordText(key, word))));
  const limits = form.unit ? { type: "number", min: form.min, max: form.max } : { title: form.text };
  return h("input", { name: "value", value: now, autocomplete: "off", spellcheck: "false", ...limits });
}

/** Opens the form of a key. */
function edit(name) {
  const dialog = $("#desk-dialog");
  const key = report.keys.find((one) => one.key === name);
  const field = input(key);
  const cancel = () => h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("page-cancel"));
  /** Sends the change; `value` null: the configuration file decides again. */
  const send = (value, confirmed = false) =>
    sendForm(dialog, form, async () => {
      try {
        const { effect } = await request(`/api/settings?lang=${language}`, { key: name, value, confirmed });
        say(t("page-settings-changed", { key: label(name), effect: t(`page-settings-effect-${effect}`) }));
        reload();
      } catch (error) {
        if (error.status !== UNCONFIRMED) throw error;
        confirm(error.message, () => {
          fill(dialog, form);
          send(value, true);
        });
      }
    });
  /** Asks whether the public may see events sooner; Enter does not. */
  const confirm = (question, act) => {
    const no = cancel();
    no.className = "main";
    fill(dialog, h("h2", {}, label(name)), h("p", { id: "settings-question", role: "alert" }, question), h("div", { class: "buttons" }, no, h("button", { type: "button", class: "danger", onclick: act }, t("page-settings-confirm"))));
    no.focus();
  };
  const form = h(
    "form",
    { method: "dialog", id: "setting" },
    h("h2", {}, label(name)),
    key.about ? h("p", { class: "muted", lang: "en" }, key.about) : null,
    h("label", {}, [name, key.form.unit && `(${key.form.unit})`].filter(Boolean).join(" "), field),
    refusalLine(),
    h(
      "div",
      { class: "buttons" },
      h("button", { class: "main", value: "do" }, t("page-desk-save")),
      key.source === "settings" ? h("button", { type: "button", id: "setting-unset", onclick: () => send(null) }, t("page-settings-unset")) : null,
      cancel(),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(field.value);
  });
  fill(dialog, form);
  dialog.showModal();
  field.focus();
}
