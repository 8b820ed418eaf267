// The forms of dialogs: they keep what was entered while the server refuses it.

import { $, fill, h, setText } from "./dom.js";
import { say } from "./status.js";

/** The status of the server's reply if another user has made a conflicting change. */
export const CHANGED = 412;

/** The forms that are being sent. */
const sending = new WeakSet();

/** Creates the line of a form that shows why the server refuses it. */
export const refusalLine = (text = "") => h("p", { class: "wrong", role: "alert" }, text);

/**
 * Sends a form with `send`, and closes its dialog. If `send` throws, the form shows why and keeps what was entered, also if the dialog
 * has shown a preview in its place.
 */
export async function sendForm(dialog, form, send) {
  if (sending.has(form) || !dialog.open) return;
  sending.add(form);
  const line = $(".wrong", form);
  setText(line, "");
  try {
    await send();
    if (form.isConnected) dialog.close();
  } catch (error) {
    // The user has closed the form, or opened another one.
    if (form.isConnected !== dialog.open) return say(error.message, true);
    if (!dialog.open) {
      fill(dialog, form);
      dialog.showModal();
    }
    setText(line, error.message);
    line.scrollIntoView({ block: "nearest" });
  } finally {
    sending.delete(form);
  }
}
