// The texts of the page, in the spectator's language.

let words = {};

/** The language in use, as a BCP 47 tag. */
export let language = document.documentElement.lang || "en";

/** Returns the language that the spectator chose, otherwise the nearest to one of the browser's, of those that there are. */
export function preferred(languages) {
  const tags = languages.map(({ tag }) => tag);
  for (const wanted of [localStorage.getItem("language"), ...navigator.languages].filter(Boolean)) {
    const known = nearest(wanted, tags);
    if (known) return known;
  }
  return tags[0] ?? "en";
}

/** The scripts that these regions write. */
const SCRIPTS = { cn: "hans", sg: "hans", my: "hans", tw: "hant", hk: "hant", mo: "hant" };

function nearest(wanted, tags) {
  const [first, ...subtags] = wanted.toLowerCase().split("-");
  const scripts = subtags.map((subtag) => SCRIPTS[subtag] ?? subtag);
  const same = tags.filter((tag) => tag.toLowerCase().split("-")[0] === first);
  return same.find((tag) => scripts.some((script) => tag.toLowerCase().split("-")[1] === script)) ?? same[0];
}

/** Uses these texts from now on. */
export function useWords(texts, { tag, direction }) {
  words = texts;
  language = tag;
  document.documentElement.lang = tag;
  document.documentElement.dir = direction;
}

/** Returns the text with this key, with each `{name}` replaced. Returns the key if there is no such text. */
export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Formats a time of day. */
export const time = (wall) => new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }).format(wall);

/** Formats a date of PGN (`2026.11.21`); returns what is not a whole date as it is. */
export function date(text) {
  const [, year, month, day] = text.match(/^(\d{4})\.(\d\d)\.(\d\d)$/) ?? [];
  if (!day) return text.replace(/[.?]+$/, "").replaceAll("?", "");
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(Date.UTC(year, month - 1, day));
}

/** Formats a duration in whole units. */
export function duration(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return t("public-seconds", { count: seconds });
  if (seconds < 5400) return t("public-minutes", { count: Math.round(seconds / 60) });
  return t("public-hours", { count: Math.round(seconds / 360) / 10 });
}

/** Returns the name of a country in the language; undefined where the browser has none. */
export function country(code) {
  try {
    return new Intl.DisplayNames(language, { type: "region", fallback: "none" }).of(code);
  } catch {
    return undefined;
  }
}
