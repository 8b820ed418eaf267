// The history of square changes: the user chooses a moment, and the board shows the position at that moment.

import { squares } from "./board.js";
import { format } from "./clock.js";
import { $, h, keyed, say, set } from "./dom.js";
import { colon, comma, shown, t, time } from "./words.js";

/** Around a chosen moment, so much before and after. Milliseconds. */
const BEFORE = 15000;
const AFTER = 10000;

/** All there are, oldest first; null: they are not looked at. */
let all = null;
let chosen = 0;
/** Only those around this time; null: all. */
let around = null;
let changed = () => {};

/** Whether they are looked at. */
export const isOpen = () => all !== null;

/** Looks at those of a game, around a time or all. */
export function open(wall, game, change) {
  changed = change;
  all = game.frames ?? [];
  around = wall;
  const list = visible();
  const near = wall === null ? list.length - 1 : list.findLastIndex(({ frame }) => frame.wall_ms <= wall);
  chosen = list[Math.max(0, near)]?.index ?? all.length - 1;
}

/** Looks at them no more. */
export function close() {
  all = null;
}

function visible() {
  const list = (all ?? []).map((frame, index) => ({ frame, index }));
  return around === null ? list : list.filter(({ frame }) => frame.wall_ms >= around - BEFORE && frame.wall_ms <= around + AFTER);
}

/** What stood on the board after the chosen frame: what stands there now, with all later changes taken back. */
export function moment(card) {
  const frame = all?.[chosen];
  if (!frame) return null;
  // Where squares do not identify pieces, show at least which square it was.
  const pieces = squares(card.placement ?? card.game?.fen);
  if (!card.placement) return { pieces, marks: frame.square ? { [frame.square]: "touched" } : {}, wall: frame.wall_ms };
  for (const later of all.slice(chosen + 1).reverse()) {
    if (!later.square) continue;
    if (later.before === "empty") delete pieces[later.square];
    else pieces[later.square] = later.before;
  }
  return { pieces, marks: frame.square ? { [frame.square]: "touched" } : {}, wall: frame.wall_ms };
}

/** Another one: so many on or back. */
export function step(by) {
  const list = visible();
  const here = list.findIndex(({ index }) => index === chosen);
  const next = list[Math.min(list.length - 1, Math.max(0, here + by))];
  if (next) chosen = next.index;
  changed();
}

function text(frame) {
  if (frame.square) return colon(frame.square, `${shown(frame.before)} → ${shown(frame.now)}`);
  const clock = frame.clock ?? {};
  const ms = (side) => (Number.isFinite(clock[`${side}_ms`]) ? format(clock[`${side}_ms`]) : "–");
  return colon(t("page-clock"), comma([`${t("player-white")} ${ms("white")}`, `${t("player-black")} ${ms("black")}`]));
}

/** Draws the list. */
export function draw(card, game) {
  const box = $("#frames");
  box.hidden = all === null;
  set($("#show-frames"), "aria-expanded", String(all !== null));
  if (all === null) return;
  // Frames recorded since.
  const fresh = game?.frames;
  if (fresh && fresh !== all) {
    const mark = all[chosen];
    all = fresh;
    const same = all.findIndex((one) => mark && one.wall_ms === mark.wall_ms && one.square === mark.square && one.now === mark.now);
    chosen = same >= 0 ? same : all.length - 1;
  }
  const list = visible();
  say($("h3", box), around === null ? t("page-frames") : t("page-frames-around", { time: time(around) }));
  say($(".none", box), list.length ? "" : t("page-frames-none"));
  const make = () => h("li", {}, h("button", { type: "button" }));
  const update = (item, { frame, index }) => {
    const button = item.firstElementChild;
    say(button, `${time(frame.wall_ms)}.${String(frame.wall_ms % 1000).padStart(3, "0")}  ${text(frame)}`);
    set(button, "aria-current", index === chosen ? "true" : null);
    button.onclick = () => {
      chosen = index;
      changed();
    };
  };
  keyed($("ol", box), list, ({ frame, index }) => `${index} ${frame.wall_ms}`, make, update);
  $("[aria-current]", box)?.scrollIntoView({ block: "nearest" });
}

/** The buttons of the page itself. */
export function begin() {
  $("#frame-back").onclick = () => step(-1);
  $("#frame-on").onclick = () => step(1);
}
