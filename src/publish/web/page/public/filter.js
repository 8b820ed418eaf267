// Which tables are shown. The filter is in the address, so that it can be shared.

/** The filters, by their names in the address. */
const NAMES = ["q", "state", "section", "fed", "team"];
/** How many tables there are on a page. */
const pageSize = () => (matchMedia("(max-width: 45rem)").matches ? 20 : 60);

/** Reads the filter of an address. */
export function read(query) {
  const filter = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]));
  return { ...filter, page: Math.max(1, Number.parseInt(query.get("page") ?? "1", 10) || 1) };
}

/** Returns a query with these changes; what is empty is left out. Another filter begins at the first page. */
export function changed(query, changes) {
  const next = new URLSearchParams(query);
  if (!("page" in changes)) next.delete("page");
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null || (name === "page" && value === 1)) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text ? `?${text}` : "";
}

/** Letters without accents, so that "Jorg" finds "Jörg". */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function fits({ table, section, white, black, state }, filter) {
  const players = [white, black];
  const q = plain(filter.q.trim());
  const isFound = !q || (/^\d+$/.test(q) ? String(table).startsWith(q) : players.some(({ title, name, team }) => plain(`${title} ${name} ${team}`).includes(q)));
  return (
    isFound &&
    (!filter.state || state.state === filter.state) &&
    (!filter.section || section === filter.section) &&
    (!filter.fed || players.some(({ federation }) => federation === filter.fed)) &&
    (!filter.team || players.some(({ team }) => team === filter.team))
  );
}

/** Returns the tables of a filter's page, with the numbers of all that fit and of pages. */
export function select(tables, filter, size = pageSize()) {
  const found = tables.filter((table) => fits(table, filter));
  const pages = Math.max(1, Math.ceil(found.length / size));
  const page = Math.min(filter.page, pages);
  return { shown: found.slice((page - 1) * size, page * size), count: found.length, page, pages };
}

/** Whether anything is filtered. */
export const isActive = (filter) => NAMES.some((name) => filter[name]);

/** Returns what there is to choose in a round: federations, teams, sections, states, each sorted. */
export function choices({ tables, sections }) {
  const of = (name) => [...new Set(tables.flatMap(({ white, black }) => [white[name], black[name]]).filter(Boolean))].sort();
  const states = ["waiting", "playing", "paused", "finished", "forfeited"];
  return { fed: of("federation"), team: of("team"), section: sections, state: states.filter((state) => tables.some((table) => table.state.state === state)) };
}
