// Sharing: the link, its QR code, the code for other sites, the games as PGN.

import { documentAddress, embedAddress, eventAddress, roundAddress, sharedAddress, tableAddress } from "./address.js";
import { data } from "./data.js";
import { fill, h } from "./dom.js";
import { t } from "./words.js";

/** A text with a button that copies it. */
function copied(label, text, isLong = false) {
  const field = isLong ? h("textarea", { readonly: true, rows: 3, dir: "ltr" }) : h("input", { readonly: true, dir: "ltr" });
  field.value = text;
  field.onfocus = () => field.select();
  const button = h("button", { type: "button" }, t("public-copy"));
  button.onclick = async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without TLS there is no clipboard; the text is selected, and the older command copies it.
      document.execCommand("copy");
    }
    button.textContent = t("public-copied");
  };
  return { field, row: h("div", { class: "copied" }, h("label", {}, h("span", {}, label), field), button) };
}

/** Shows what there is to share: a table with the position of this ply (null: the last), or a round, or the event. */
export function share(dialog, { round = null, table = null, ply = null }) {
  const shared = (address) => sharedAddress(address, data.event?.address);
  const page = table ? tableAddress(round, table) : round === null || round === data.event?.round ? eventAddress() : roundAddress(round);
  const link = copied(t("public-link"), shared(page));
  const atMove = h("input", { type: "checkbox" });
  atMove.onchange = () => (link.field.value = shared(page) + (atMove.checked ? `?ply=${ply}` : ""));
  const number = round ?? data.event?.round;
  const qr = documentAddress(table ? `qr/round/${round}/table/${table}.svg` : "qr/index.svg").href;
  const frame = table ? `<iframe src="${shared(embedAddress(round, table))}" width="640" height="480" style="border:0" loading="lazy" allowfullscreen></iframe>` : null;
  const files = table
    ? [[`round/${round}/table/${table}.pgn`, "public-pgn"], [`round/${round}/table/${table}.svg`, "public-image"]]
    : number
      ? [[`round/${number}.pgn`, "public-pgn-round"]]
      : [];
  fill(
    dialog,
    h("h2", { id: "dialog-title" }, t("public-share")),
    link.row,
    table && ply !== null ? h("label", { class: "check" }, atMove, h("span", {}, t("public-share-move"))) : null,
    h("figure", {}, h("img", { class: "qr", src: qr, alt: t("public-qr"), width: 220, height: 220 }), h("figcaption", { class: "muted" }, t("public-qr"))),
    frame ? copied(t("public-embed"), frame, true).row : null,
    h("p", { class: "files" }, files.map(([path, text]) => h("a", { class: "button", href: documentAddress(path).href, download: path.split("/").slice(-1)[0] }, t(text)))),
    h("form", { method: "dialog", class: "buttons" }, h("button", { class: "main" }, t("public-close"))),
  );
  dialog.showModal();
}
