// A table among others: its board, with the players above and below.

import { tableAddress } from "./address.js";
import { Board } from "./board.js";
import { showClock, stopClock } from "./clock.js";
import { fill, h, setAttribute, setText } from "./dom.js";
import { player, resultText, showScore, stateText } from "./player.js";
import { t } from "./words.js";

/** The strip of a player, above or below a board: colour, flag, title, name, rating; clock or score. */
export class Strip {
  constructor(side) {
    this.side = side;
    this.who = h("span", { class: "who" });
    this.clock = h("span", { class: "clock" });
    this.colour = h("i", { class: "colour", role: "img" });
    // The name flows around the clock, so that a long one has the whole width from the second line on.
    const flow = h("span", { class: "flow" }, this.clock, this.who);
    this.element = h("span", { class: `strip ${side}` }, this.colour, flow);
  }

  show(one, state, extra = null) {
    const content = JSON.stringify(one) + (extra?.textContent ?? "");
    if (content !== this.content) {
      this.content = content;
      // A space between elements, where a long line breaks.
      fill(this.who, player(one).flatMap((element) => (element ? [element, " "] : [])), extra);
    }
    setAttribute(this.colour, "aria-label", t(`public-player-${this.side}`));
    const isTurn = state.state === "playing" && state.clock?.turn === this.side;
    this.element.classList.toggle("turn", isTurn);
    if (showScore(this.clock, state.result, this.side)) {
      stopClock(this.clock);
      this.clock.classList.remove("runs", "low");
    } else {
      showClock(this.clock, state.clock, this.side);
    }
  }
}

/** A table as a tile, which is a link to it. */
export class Tile {
  constructor() {
    this.board = new Board();
    setAttribute(this.board.element, "aria-hidden", "true");
    [this.black, this.white] = ["black", "white"].map((side) => new Strip(side));
    // What is read first: the boards are in the order of their tables.
    this.table = h("span", { class: "visually-hidden" });
    this.number = h("span", { class: "number", "aria-hidden": "true" });
    this.last = h("span", { class: "last", dir: "ltr" });
    this.state = h("span", { class: "state" });
    const foot = h("span", { class: "foot" }, this.number, this.last, this.state);
    this.link = h("a", { class: "tile" }, this.table, this.black.element, this.board.element, this.white.element, foot);
    this.element = h("li", {}, this.link);
  }

  show(round, table) {
    const { state } = table;
    const address = tableAddress(round, table.table).href;
    if (this.link.href !== address) this.link.href = address;
    this.black.show(table.black, state);
    this.white.show(table.white, state);
    this.board.show(state.fen, state.last_move);
    setText(this.table, t("public-table", { table: table.table }));
    setText(this.number, String(table.table));
    setText(this.last, lastMoves(state.last_moves));
    const text = resultText(state.result) || (state.state === "playing" ? "" : stateText(state));
    setText(this.state, text);
    setAttribute(this.link, "data-state", state.state);
  }
}

/** Returns the last moves as on a score sheet: `13. Qd2 Nd7`. */
function lastMoves(moves) {
  const last = moves.slice(moves.length > 1 && moves.at(-1).includes("…") ? -2 : -1);
  return last.length === 2 ? `${last[0]} ${last[1].replace(/^\d+… /, "")}` : (last[0] ?? "");
}
