// The addresses of the views and documents, on a server and among exported files.

const { root, suffix = "" } = document.documentElement.dataset;

/** The address of the page, with a slash at the end. It stays the same while the address of the view changes. */
export const ROOT = new URL(root || "./", location.href);

/** What the page is embedded in is another site. */
export const isEmbedded = document.documentElement.dataset.view === "embed";

const view = (path) => new URL(path + suffix, ROOT);

/** The addresses of the views. */
export const eventAddress = () => new URL(suffix && ROOT.protocol === "file:" ? `index${suffix}` : "", ROOT);
export const roundAddress = (round) => view(`round/${round}`);
export const tableAddress = (round, table) => view(`round/${round}/table/${table}`);
export const standingsAddress = () => view("standings");
export const embedAddress = (round, table) => view(`embed/round/${round}/table/${table}`);
export const staffAddress = () => new URL("login", ROOT);

/** Whether the page is served by touchmoved: exported files have no page for arbiters and operators. */
export const isServed = suffix === "";

/** Returns the address of a document or file, by its path in the documents. */
export const documentAddress = (path) => new URL(path, new URL("public/", ROOT));

/** Returns the address of a file of the page. */
export const fileAddress = (path) => new URL(`page/${path}`, ROOT);

/** Returns an address as others see it, below the public address of the page. */
export function sharedAddress(address, publicRoot) {
  if (!publicRoot) return address.href;
  return new URL(address.href.slice(ROOT.href.length), publicRoot).href;
}

/**
 * Returns the view of an address: `event`, `round`, `table` or `standings`, with the numbers of round and table and the query; null if
 * it is none of this page.
 */
export function parse(address) {
  if (address.origin !== ROOT.origin || !address.pathname.startsWith(ROOT.pathname)) return null;
  let path = address.pathname.slice(ROOT.pathname.length);
  if (suffix && path.endsWith(suffix)) path = path.slice(0, -suffix.length);
  const query = address.searchParams;
  const [, round, table] = path.match(/^(?:embed\/)?round\/(\d{1,9})(?:\/table\/(\d{1,9}))?\/?$/) ?? [];
  if (table) return { view: "table", round: Number(round), table: Number(table), query };
  if (round) return { view: "round", round: Number(round), query };
  if (path === "standings") return { view: "standings", query };
  return path === "" || path === "index" ? { view: "event", query } : null;
}
