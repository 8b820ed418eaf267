// How the page looks: colours, boards, pieces, sizes. Each browser remembers it.

import { fileAddress } from "./address.js";
import { h } from "./dom.js";
import { t } from "./words.js";

/** Where it is stored. */
const KEY = "look";

/** What there is to choose, the usual first. */
export const CHOICES = {
  colours: ["auto", "light", "dark"],
  squares: ["blue", "brown", "green", "grey", "contrast"],
  pieces: ["cburnett", "merida"],
  size: ["m", "s", "l"],
};

/** The names of the sets of pieces, which are the same in all languages. */
const PIECES = { cburnett: "Cburnett", merida: "Merida" };

/** What was chosen. */
export const look = Object.fromEntries(Object.entries(CHOICES).map(([name, [usual]]) => [name, usual]));

/** Remembers a choice and shows it. */
export function choose(name, value) {
  if (!CHOICES[name]?.includes(value)) return;
  look[name] = value;
  localStorage.setItem(KEY, JSON.stringify(look));
  show();
}

function show() {
  const { dataset } = document.documentElement;
  Object.assign(dataset, { colours: look.colours, squares: look.squares, size: look.size });
  const sheet = document.querySelector("#pieces") ?? document.head.appendChild(h("link", { id: "pieces", rel: "stylesheet" }));
  const address = fileAddress(`vendor/pieces-${look.pieces}.css`).href;
  if (sheet.href !== address) sheet.href = address;
}

/** Shows what was chosen earlier, before anything is drawn. */
export function begin() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    for (const [name, values] of Object.entries(CHOICES)) if (values.includes(stored[name])) look[name] = stored[name];
  } catch {
    // Nothing that can be read was stored.
  }
  show();
}

/** The texts of the choices, and of each value. */
const LEGENDS = { colours: "public-colours", squares: "public-squares", pieces: "public-pieces", size: "public-size" };
const VALUES = {
  colours: (value) => t(`public-colours-${value}`),
  squares: (value) => t(`public-squares-${value}`),
  pieces: (value) => PIECES[value],
  size: (value) => t(`public-size-${value}`),
};

/** Returns the choices as a form; `changed` is called after each. */
export function form(changed) {
  const group = ([name, values]) =>
    h(
      "fieldset",
      { class: `look-${name}` },
      h("legend", {}, t(LEGENDS[name])),
      values.map((value) =>
        h(
          "label",
          {},
          h("input", { type: "radio", name, value, checked: look[name] === value, onchange: () => (choose(name, value), changed?.()) }),
          name === "squares" ? h("span", { class: "sample", "data-squares": value, "aria-hidden": "true" }) : null,
          h("span", {}, VALUES[name](value)),
        ),
      ),
    );
  return h("div", { class: "look" }, Object.entries(CHOICES).map(group));
}
