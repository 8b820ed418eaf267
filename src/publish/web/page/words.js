// The texts of the page, in the user's language, from /api/words.

/** The languages there are, as they call themselves. */
export const LANGUAGES = [["en", "English"], ["zh-Hans", "简体中文"], ["zh-Hant", "繁體中文"]];

let words = {};

/** The language in use, as a BCP 47 tag. */
export let language = "en";

/** The language that was chosen, else the browser's. */
export function preferred() {
  const chosen = localStorage.getItem("language");
  if (LANGUAGES.some(([tag]) => tag === chosen)) return chosen;
  for (const tag of navigator.languages) {
    if (/^en\b/i.test(tag)) return "en";
    if (/^zh\b/i.test(tag)) return /hant|tw|hk|mo/i.test(tag) ? "zh-Hant" : "zh-Hans";
  }
  return "en";
}

/** Fetches the sentences of a language. */
export async function speak(tag) {
  const answer = await fetch(`/api/words?lang=${tag}`);
  if (!answer.ok) throw new Error(`no words: ${answer.status}`);
  words = await answer.json();
  language = tag;
  document.documentElement.lang = tag;
}

/** The sentence of this key, `{name}` in it replaced. A key that there is no sentence for stands for itself. */
export function t(key, values = {}) {
  const sentence = words[key] ?? key;
  return sentence.replace(/\{([\w-]+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Whether there is a sentence of this key. */
export const has = (key) => key in words;

const chinese = () => language.startsWith("zh");

/** `what: text`, with the sign of the language. */
export const colon = (what, text) => what + (chinese() ? "：" : ": ") + text;

/** One after the other, with the sign of the language between them. */
export const comma = (parts) => parts.filter(Boolean).join(chinese() ? "，" : ", ");

const ROLES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** The kind of piece of a letter as in FEN. */
export const role = (letter) => ROLES[letter.toLowerCase()];

/** What a square shows: `empty`, a letter as in FEN, `white`, `black`, `occupied`. */
export function shown(word) {
  if (word === "empty" || word === null || word === undefined) return t("holds-nothing");
  if (word === "occupied") return t("holds-piece");
  if (word === "white" || word === "black") return t(`holds-${word}`);
  const kind = role(word);
  if (!kind) return word;
  return t(word === word.toUpperCase() ? "piece-white" : "piece-black", { role: t(`role-${kind}`) });
}

/** A time of day. */
export function time(wall) {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }).format(wall);
}

/** How long ago something was: seconds, then minutes. */
export function ago(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? t("page-seconds", { count: seconds }) : t("page-minutes", { count: Math.floor(seconds / 60) });
}
