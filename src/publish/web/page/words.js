// The texts of the page, in the user's language, from /api/words.

import { LANGUAGES } from "./languages.js"; // generated from src/locale.rs

let words = {};

/** The language in use, as a BCP 47 tag. */
export let language = "en";

/** Returns the language that the user chose, otherwise the browser's. */
export function preferred() {
  const chosen = localStorage.getItem("language");
  if (LANGUAGES.some(([tag]) => tag === chosen)) return chosen;
  for (const tag of navigator.languages) {
    const known = nearest(tag);
    if (known) return known;
  }
  return "en";
}

/** Returns the tag of the language that is nearest to a BCP 47 tag, if there is one. A script precedes a country. */
function nearest(tag) {
  const [first, ...subtags] = tag.toLowerCase().split("-");
  const rows = LANGUAGES.filter(([known]) => known.split("-")[0] === first);
  const chosen = subtags.flatMap((subtag) => rows.filter(([, , names]) => names.includes(subtag)));
  return (chosen[0] ?? rows[0])?.[0];
}

/** Fetches the texts of a language and uses them from now on. */
export async function loadLanguage(tag) {
  const response = await fetch(`/api/words?lang=${tag}`);
  if (!response.ok) throw new Error(`no words: ${response.status}`);
  words = await response.json();
  language = tag;
  document.documentElement.lang = tag;
}

/** Returns the text with this key, with each `{name}` replaced. Returns the key if there is no such text. */
export function t(key, values = {}) {
  const sentence = words[key] ?? key;
  return sentence.replace(/\{([\w-]+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Returns whether there is a text with this key. */
export const has = (key) => key in words;

const chinese = () => language.startsWith("zh");

/** Returns `label: text`, with the colon of the language. */
export const colon = (label, text) => label + (chinese() ? "：" : ": ") + text;

/** Joins the parts with the comma of the language. */
export const comma = (parts) => parts.filter(Boolean).join(chinese() ? "，" : ", ");

const ROLES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** Returns the kind of piece for a FEN letter. */
export const role = (letter) => ROLES[letter.toLowerCase()];

/** Describes what a square shows: `empty`, a FEN letter, `white`, `black` or `occupied`. */
export function squareText(word) {
  if (word === "empty" || word === null || word === undefined) return t("holds-nothing");
  if (word === "occupied") return t("holds-piece");
  if (word === "white" || word === "black") return t(`holds-${word}`);
  const kind = role(word);
  if (!kind) return word;
  return t(word === word.toUpperCase() ? "piece-white" : "piece-black", { role: t(`role-${kind}`) });
}

/** Formats a time of day. */
export function time(wall) {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }).format(wall);
}

/** Formats a duration: in seconds, from one minute on in minutes. */
export function ago(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? t("page-seconds", { count: seconds }) : t("page-minutes", { count: Math.floor(seconds / 60) });
}
