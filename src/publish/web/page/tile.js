// A card as it is drawn: a tile with a board, or a row. Only cards on the screen have a tile; those that leave it give theirs back.

import { boardState, initials, lastMoves, oneInitial, placeName, placeNumber, playerInfo, playerName, points, position, turn } from "./card.js";
import * as clock from "./clock.js";
import { h, setAttribute, setText } from "./dom.js";
import { MiniBoard } from "./mini.js";
import { isKnown } from "./net.js";

const SIDES = ["black", "white"];

/** The strip of a player: colour, title and name, federation and rating, clock or score. */
class Strip {
  constructor(side) {
    this.side = side;
    this.title = h("b", { class: "title" });
    this.name = h("span", { class: "name" });
    this.more = h("span", { class: "more" });
    this.clock = h("span", { class: "clock" });
    this.player = h("span", { class: "player" }, this.clock, this.title, this.name, " ", this.more);
    this.element = h("span", { class: `side ${side}` }, h("span", { class: "colour", "aria-hidden": "true" }), this.player);
    /** What was fitted last, and whether the first names are initials. */
    this.fitted = "";
  }

  show(card) {
    const info = playerInfo(card, this.side);
    this.fullName = playerName(card, this.side);
    setText(this.title, info?.title ? `${info.title} ` : "");
    setText(this.more, [info?.federation, info?.rating].filter(Boolean).join(" "));
    if (this.shownName !== this.fullName) {
      this.shownName = this.fullName;
      this.fitted = "";
      setText(this.name, this.fullName);
      setAttribute(this.player, "title", this.fullName);
    }
    this.element.classList.toggle("turn", turn(card) === this.side);
    const scored = points(card, this.side);
    if (scored) {
      delete this.clock.dataset.clock;
      this.clock.className = "clock score";
      setText(this.clock, scored);
    } else {
      [this.clock.dataset.clock, this.clock.dataset.board] = [this.side, card.board];
      this.clock.classList.remove("score");
      clock.show(this.clock, card, this.side);
    }
  }

  /** Returns whether the whole name must be measured. */
  get unfitted() {
    return this.fitted !== `${this.shownName} ${Strip.layout}`;
  }

  get overflows() {
    // In a row the name is a box of its own, in a tile a part of the text.
    const cuts = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
    return cuts(this.player) || (this.name.clientWidth > 0 && cuts(this.name));
  }
}

/** Names the sizes of strips; names are fitted again when it changes. */
Strip.layout = "";

/** Sets the name of the layout, in which whole names may or may not fit. Returns whether it is another one. */
export function setLayout(name) {
  const isOther = Strip.layout !== name;
  Strip.layout = name;
  return isOther;
}

/** A tile. */
class Tile {
  constructor() {
    this.number = h("strong", { class: "table" });
    this.state = h("span", { class: "state" });
    this.strips = SIDES.map((side) => new Strip(side));
    this.mini = h("span", { class: "mini cg-wrap", "aria-hidden": "true" });
    this.last = h("span", { class: "last" });
    this.place = h("span", { class: "place" });
    const [black, white] = this.strips.map((strip) => strip.element);
    this.element = h("span", { class: "face" }, this.number, this.state, black, this.mini, white, this.last, this.place);
    this.board = new MiniBoard(this.mini);
  }

  show(card, { isRow, moves }) {
    const status = boardState(card);
    setText(this.number, placeNumber(card) || (isRow ? "" : placeName(card)));
    setText(this.state, status.text);
    this.strips.forEach((strip) => strip.show(card));
    setText(this.last, status.kind === "device" && card.reason ? card.reason : lastMoves(card, moves));
    setText(this.place, isKnown() && card.table ? card.board : "");
    if (!isRow) this.board.show(position(card));
  }
}

const spare = [];
const tiles = new Map();

/** Draws a card in its link: as a row or with a board, with so many moves. */
export function draw(link, card, style) {
  let tile = tiles.get(link);
  if (!tile) {
    tile = spare.pop() ?? new Tile();
    tiles.set(link, tile);
    link.append(tile.element);
  }
  tile.show(card, style);
}

/** Takes the tile from a link that is no longer on the screen. */
export function release(link) {
  const tile = tiles.get(link);
  if (!tile) return;
  tiles.delete(link);
  tile.element.remove();
  spare.push(tile);
}

/**
 * Shortens first names to initials, and these to one, where the whole name does not fit. All names are measured together: each change between would
 * make the browser compute the layout again.
 */
export function fitNames(links) {
  const strips = links.flatMap((link) => tiles.get(link)?.strips ?? []).filter((strip) => strip.unfitted);
  for (const strip of strips) setText(strip.name, strip.fullName);
  let overflowing = strips.filter((strip) => strip.overflows);
  for (const shorten of [initials, oneInitial]) {
    if (!overflowing.length) break;
    for (const strip of overflowing) setText(strip.name, shorten(strip.fullName));
    overflowing = overflowing.filter((strip) => strip.overflows);
  }
  for (const strip of strips) strip.fitted = `${strip.shownName} ${Strip.layout}`;
}
