// A chessboard, drawn by chessground: its pieces and its highlighted squares.

import { Chessground } from "./vendor/chessground.js";
import { role } from "./words.js";

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Converts a FEN letter, or a word for what a square shows, to a piece of chessground. */
function piece(word) {
  const kind = word.length === 1 ? role(word) : undefined;
  if (kind) return { role: kind, color: word === word.toUpperCase() ? "white" : "black" };
  return { role: "unknown", color: word === "black" ? "black" : "white" };
}

/** Parses the first field of a FEN: `{e4: "P", …}`. Letters that are not pieces mean an unidentified piece. */
export function squares(placement) {
  const result = {};
  (placement ?? "").split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) {
        file += Number(letter);
      } else {
        if (file < 8 && index < 8) result["abcdefgh"[file] + (8 - index)] = role(letter) ? letter : "occupied";
        file += 1;
      }
    }
  });
  return result;
}

/** A board in an element. */
export class Board {
  constructor(element, { large = false } = {}) {
    this.ground = Chessground(element, {
      viewOnly: true,
      coordinates: large,
      highlight: { lastMove: true, check: false },
      animation: { enabled: large && !reducedMotion.matches, duration: 150 },
      drawable: { enabled: false, visible: large },
    });
  }

  /**
   * Shows pieces (`{e4: "P"}`), the last move, squares marked with a class (`{e4: "wrong"}`), and small pieces that are expected on
   * their squares (`{e4: "P"}`).
   */
  show({ pieces, last = null, marks = {}, expected = {}, orientation = "white" }) {
    const content = JSON.stringify([pieces, last, marks, expected, orientation]);
    if (content === this.content) return;
    this.content = content;
    const after = new Map(Object.entries(pieces).map(([square, word]) => [square, piece(word)]));
    const before = this.ground.state.pieces;
    const diff = new Map();
    for (const square of before.keys()) if (!after.has(square)) diff.set(square, undefined);
    for (const [square, one] of after) {
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
        Object.entries(expected).map(([square, word]) => ({ orig: square, piece: { ...piece(word), scale: 0.55 } })),
      );
    }
  }
}

/** A board on which the user enters a move: `onMove` receives the move as UCI. */
export class MoveInput {
  constructor(element, placement, onMove) {
    const pieces = new Map(Object.entries(squares(placement)).map(([square, word]) => [square, piece(word)]));
    this.ground = Chessground(element, {
      coordinates: false,
      animation: { enabled: !reducedMotion.matches, duration: 100 },
      movable: { free: true, color: "both", events: { after: (from, to) => onMove(this.uci(from, to)) } },
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
