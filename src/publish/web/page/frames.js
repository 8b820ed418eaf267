// The history of square changes: the user chooses a moment, and the board shows the position at that moment.

import { squares } from "./board.js";
import { format } from "./clock.js";
import { $, h, keyed, setText, setAttribute } from "./dom.js";
import { colon, comma, squareText, t, time } from "./words.js";

/** The period shown around a chosen time: before and after it, in milliseconds. */
const BEFORE = 15000;
const AFTER = 10000;

/** All changes of squares, oldest first; null while the history is closed. */
let history = null;
/** The index of the selected change. */
let selected = 0;
/** Show only changes around this time; null shows all. */
let centre = null;
let onChange = () => {};

/** Returns whether the history is open. */
export const isOpen = () => history !== null;

/** Opens the history of a game: around a time (`wall`), or all of it. */
export function open(wall, game, change) {
  onChange = change;
  history = game.frames ?? [];
  centre = wall;
  const list = visible();
  const nearest = wall === null ? list.length - 1 : list.findLastIndex(({ frame }) => frame.wall_ms <= wall);
  selected = list[Math.max(0, nearest)]?.index ?? history.length - 1;
}

/** Closes the history. */
export function close() {
  history = null;
}

function visible() {
  const list = (history ?? []).map((frame, index) => ({ frame, index }));
  return centre === null ? list : list.filter(({ frame }) => frame.wall_ms >= centre - BEFORE && frame.wall_ms <= centre + AFTER);
}

/** Returns the position after the selected change: the current position with all later changes reverted. */
export function selectedPosition(card) {
  const frame = history?.[selected];
  if (!frame) return null;
  // Where squares do not identify pieces, show at least which square it was.
  const pieces = squares(card.placement ?? card.game?.fen);
  if (!card.placement) return { pieces, marks: frame.square ? { [frame.square]: "touched" } : {}, wall: frame.wall_ms };
  for (const later of history.slice(selected + 1).reverse()) {
    if (!later.square) continue;
    if (later.before === "empty") delete pieces[later.square];
    else pieces[later.square] = later.before;
  }
  return { pieces, marks: frame.square ? { [frame.square]: "touched" } : {}, wall: frame.wall_ms };
}

/** Selects another change: `by` forward, or back if negative. */
export function step(by) {
  const list = visible();
  const here = list.findIndex(({ index }) => index === selected);
  const next = list[Math.min(list.length - 1, Math.max(0, here + by))];
  if (next) selected = next.index;
  onChange();
}

function text(frame) {
  if (frame.square) return colon(frame.square, `${squareText(frame.before)} → ${squareText(frame.now)}`);
  const clock = frame.clock ?? {};
  const ms = (side) => (Number.isFinite(clock[`${side}_ms`]) ? format(clock[`${side}_ms`]) : "–");
  return colon(t("page-clock"), comma([`${t("player-white")} ${ms("white")}`, `${t("player-black")} ${ms("black")}`]));
}

/** Draws the list. */
export function draw(card, game) {
  const box = $("#frames");
  box.hidden = history === null;
  setAttribute($("#show-frames"), "aria-expanded", String(history !== null));
  if (history === null) return;
  // Changes recorded in the meantime.
  const updated = game?.frames;
  if (updated && updated !== history) {
    const previous = history[selected];
    history = updated;
    const index = history.findIndex((one) => previous && one.wall_ms === previous.wall_ms && one.square === previous.square && one.now === previous.now);
    selected = index >= 0 ? index : history.length - 1;
  }
  const list = visible();
  setText($("h3", box), centre === null ? t("page-frames") : t("page-frames-around", { time: time(centre) }));
  setText($(".none", box), list.length ? "" : t("page-frames-none"));
  const make = () => h("li", {}, h("button", { type: "button" }));
  const update = (item, { frame, index }) => {
    const button = item.firstElementChild;
    setText(button, `${time(frame.wall_ms)}.${String(frame.wall_ms % 1000).padStart(3, "0")}  ${text(frame)}`);
    setAttribute(button, "aria-current", index === selected ? "true" : null);
    button.onclick = () => {
      selected = index;
      onChange();
    };
  };
  keyed($("ol", box), list, ({ frame, index }) => `${index} ${frame.wall_ms}`, make, update);
  $("[aria-current]", box)?.scrollIntoView({ block: "nearest" });
}

/** Connects the buttons. */
export function begin() {
  $("#frame-back").onclick = () => step(-1);
  $("#frame-on").onclick = () => step(1);
}
