// A chessboard, drawn by chessground: its pieces and its highlighted squares.

import { Chessground } from "./vendor/chessground.js";
import { role } from "./words.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** A piece as chessground has it, of a letter as in FEN or a word for what a square shows. */
function piece(word) {
  const kind = word.length === 1 ? role(word) : undefined;
  if (kind) return { role: kind, color: word === word.toUpperCase() ? "white" : "black" };
  return { role: "unknown", color: word === "black" ? "black" : "white" };
}

/** The squares of the first field of a FEN: `{e4: "P", …}`. Letters that are no pieces stand for what is not known. */
export function squares(placement) {
  const found = {};
  (placement ?? "").split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) {
        file += Number(letter);
      } else {
        if (file < 8 && index < 8) found["abcdefgh"[file] + (8 - index)] = role(letter) ? letter : "occupied";
        file += 1;
      }
    }
  });
  return found;
}

/** A board in this element. */
export class Board {
  constructor(element, { large = false } = {}) {
    this.ground = Chessground(element, {
      viewOnly: true,
      coordinates: large,
      highlight: { lastMove: true, check: false },
      animation: { enabled: large && !still.matches, duration: 150 },
      drawable: { enabled: false, visible: large },
    });
  }

  /**
   * Shows squares (`{e4: "P"}`), the last move, squares with a class each (`{e4: "wrong"}`), and small pieces that should stand
   * there (`{e4: "P"}`).
   */
  show({ pieces, last = null, marks = {}, ghosts = {}, orientation = "white" }) {
    const shown = JSON.stringify([pieces, last, marks, ghosts, orientation]);
    if (shown === this.shown) return;
    this.shown = shown;
    const now = new Map(Object.entries(pieces).map(([square, word]) => [square, piece(word)]));
    const before = this.ground.state.pieces;
    const diff = new Map();
    for (const square of before.keys()) if (!now.has(square)) diff.set(square, undefined);
    for (const [square, one] of now) {
      const other = before.get(square);
      if (!other || other.role !== one.role || other.color !== one.color) diff.set(square, one);
    }
    this.ground.set({
      orientation,
      lastMove: last ?? undefined,
      highlight: { custom: new Map(Object.entries(marks)) },
    });
    if (diff.size) this.ground.setPieces(diff);
    if (this.ground.state.drawable.visible) {
      this.ground.setAutoShapes(
        Object.entries(ghosts).map(([square, word]) => ({ orig: square, piece: { ...piece(word), scale: 0.55 } })),
      );
    }
  }
}

/** A board on which pieces are moved by hand: `moved` is told the move as UCI. */
export class Hand {
  constructor(element, placement, moved) {
    const pieces = new Map(Object.entries(squares(placement)).map(([square, word]) => [square, piece(word)]));
    this.ground = Chessground(element, {
      coordinates: false,
      animation: { enabled: !still.matches, duration: 100 },
      movable: { free: true, color: "both", events: { after: (from, to) => moved(this.uci(from, to)) } },
      draggable: { showGhost: true },
      drawable: { enabled: false },
    });
    this.ground.setPieces(new Map([...this.ground.state.pieces.keys()].map((square) => [square, undefined])));
    this.ground.setPieces(pieces);
  }

  uci(from, to) {
    const one = this.ground.state.pieces.get(to);
    const promoted = one?.role === "pawn" && (to[1] === "8" || to[1] === "1");
    return from + to + (promoted ? "q" : "");
  }
}
