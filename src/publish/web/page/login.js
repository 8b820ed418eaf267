// Logging in: with a token, with a one-time code, and with the code in the address that a telephone read from a QR code.

import { $, h, setText } from "./dom.js";
import { hall, request } from "./net.js";
import { t } from "./words.js";

/** A one-time code as a user types it; a token is longer. */
const CODE = /^[0-9a-z]{4}[- ]?[0-9a-z]{4}$/i;

/** Shows a form in the dialog for logins. `send` is called when it is submitted; its error is shown. */
function show(title, fields, button, send) {
  const dialog = $("#login-form");
  const error = h("p", { class: "wrong", role: "alert" });
  const buttons = h("div", { class: "buttons" }, h("button", { class: "main" }, button), closeButton(t("page-cancel")));
  const form = h("form", {}, h("h2", {}, title), fields, error, buttons);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    setText(error, "");
    try {
      await send(dialog);
    } catch (failed) {
      setText(error, failed.message);
      $("input", form)?.select();
    }
  });
  dialog.replaceChildren(form);
  dialog.showModal();
  $("input", form)?.focus();
}

function closeButton(text) {
  return h("button", { type: "button", class: "quiet", onclick: () => $("#login-form").close() }, text);
}

/** Logs in with a code. The errors of codes are in the user's language. */
async function sendCode(code) {
  try {
    await request("/api/login", { code });
  } catch (failed) {
    if (failed.status === 401) throw new Error(t("page-code-wrong"));
    if (failed.status === 429) throw new Error(t("page-code-wait"));
    throw failed;
  }
}

/** Shows the form for logging in with a token or a code. `done` is called afterwards. */
export function form(done) {
  const input = h("input", { id: "token", name: "token", type: "password", required: true, autocomplete: "current-password", spellcheck: "false" });
  const fields = [h("p", { class: "muted" }, t("page-login-about")), h("label", {}, t("page-token"), input)];
  show(t("page-login"), fields, t("page-login"), async (dialog) => {
    const secret = input.value.trim();
    await (CODE.test(secret) ? sendCode(secret) : request("/api/login", { token: secret }));
    dialog.close();
    await done();
  });
}

/**
 * Shows a button that logs in with the code in the fragment of the address, if there is one. Nothing is sent before it is pressed:
 * a preview of the address must not spend the code. `done` is called afterwards.
 */
export function codeInAddress(done) {
  const [, code] = location.hash.match(/^#code=([\w-]+)$/) ?? [];
  if (!code) return;
  const fields = [h("p", {}, t("page-code-here")), h("p", { class: "code" }, code)];
  show(t("page-login"), fields, t("page-login"), async (dialog) => {
    try {
      await sendCode(code);
    } finally {
      // The code is spent, or was wrong.
      history.replaceState(null, "", location.pathname);
    }
    dialog.close();
    await done();
  });
}

/** Shows the form that makes a code for a telephone, and then the code. */
export function telephone() {
  const input = h("input", { name: "name", required: true, maxlength: 40, autocomplete: "off", placeholder: t("page-telephone-example", { name: hall.user.name }) });
  const role = h("select", { name: "role" }, hall.user.grants.map((word) => h("option", { value: word }, t(`page-role-${word}`))));
  const fields = [
    h("p", { class: "muted" }, t("page-telephone-about")),
    h("label", {}, t("page-telephone-name"), input),
    h("label", {}, t("page-telephone-role"), role),
  ];
  show(t("page-telephone"), fields, t("page-telephone-code"), async (dialog) => {
    const made = await request("/api/code", { name: input.value.trim(), role: role.value });
    dialog.replaceChildren(
      h(
        "form",
        { method: "dialog" },
        h("h2", {}, t("page-telephone")),
        h("p", {}, t("page-telephone-scan", { minutes: Math.floor(made.expires_s / 60) })),
        h("img", { class: "qr", alt: made.address, src: `data:image/svg+xml,${encodeURIComponent(made.image)}` }),
        h("p", { class: "code" }, made.code),
        h("div", { class: "buttons" }, closeButton(t("page-close"))),
      ),
    );
  });
}
