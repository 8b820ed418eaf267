// The small board of a tile. Unlike chessground's it is positioned in shares of its own size, so that it need not be measured.

import { role } from "./words.js";

/** Returns the classes of a piece: of a FEN letter, or of a word for what a square shows. */
function pieceClass(word) {
  const kind = word.length === 1 ? role(word) : undefined;
  if (kind) return `${kind} ${word === word.toUpperCase() ? "white" : "black"}`;
  return `unknown ${word === "black" ? "black" : "white"}`;
}

function place(element, square) {
  const [file, rank] = ["abcdefgh".indexOf(square[0]), Number(square[1])];
  element.style.transform = `translate(${file * 100}%, ${(8 - rank) * 100}%)`;
}

/** Elements on squares, each with classes. An element whose square is no longer needed is moved to one that needs it. */
class Layer {
  constructor(parent, tag) {
    [this.parent, this.tag, this.now] = [parent, tag, new Map()];
  }

  /** Shows these classes, by square. */
  show(wanted) {
    const free = [];
    for (const [square, one] of this.now) {
      if (wanted.get(square) === one.className) continue;
      free.push(one);
      this.now.delete(square);
    }
    for (const [square, className] of wanted) {
      if (this.now.has(square)) continue;
      const index = free.findIndex((one) => one.className === className);
      const [one] = index >= 0 ? free.splice(index, 1) : free.length ? [free.pop()] : [this.parent.appendChild(document.createElement(this.tag))];
      if (one.className !== className) one.className = className;
      place(one, square);
      this.now.set(square, one);
    }
    for (const one of free) one.remove();
  }
}

/** A small board in an element. */
export class MiniBoard {
  constructor(element) {
    const board = element.appendChild(document.createElement("cg-board"));
    this.squares = new Layer(board, "square");
    this.pieces = new Layer(board, "piece");
  }

  /** Shows pieces (`{e4: "P"}`), the last move, and squares marked with a class (`{e4: "wrong"}`). */
  show({ pieces, last, marks }) {
    const squares = new Map((last ?? []).map((square) => [square, "last-move"]));
    for (const [square, mark] of Object.entries(marks)) squares.set(square, mark);
    this.squares.show(squares);
    this.pieces.show(new Map(Object.entries(pieces).map(([square, word]) => [square, pieceClass(word)])));
  }
}
