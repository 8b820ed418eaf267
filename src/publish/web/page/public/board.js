// A chessboard, positioned in shares of its own size, so that it need not be measured.

import { h } from "./dom.js";

const FILES = "abcdefgh";

/** Parses the first field of a FEN: `{e4: "P", …}`. */
export function pieces(fen) {
  const found = {};
  for (const [index, row] of (fen ?? "").split(" ")[0].split("/").slice(0, 8).entries()) {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else if (/[pnbrqk]/i.test(letter) && file < 8) found[FILES[file++] + (8 - index)] = letter;
    }
  }
  return found;
}

const classOf = (letter) => (letter === letter.toUpperCase() ? "w" : "b") + letter.toLowerCase();

/** Elements on squares, each with a class. An element whose square is no longer needed is moved to one that needs it. */
class Layer {
  constructor(parent) {
    [this.parent, this.now, this.turned] = [parent, new Map(), false];
  }

  place(element, square) {
    const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
    const [x, y] = this.turned ? [7 - file, rank] : [file, 7 - rank];
    element.style.transform = `translate(${x * 100}%, ${y * 100}%)`;
  }

  show(wanted, turned) {
    const isTurned = turned !== this.turned;
    this.turned = turned;
    const free = [];
    for (const [square, element] of this.now) {
      if (wanted.get(square) === element.className) {
        if (isTurned) this.place(element, square);
        continue;
      }
      free.push(element);
      this.now.delete(square);
    }
    for (const [square, name] of wanted) {
      if (this.now.has(square)) continue;
      const index = free.findIndex((element) => element.className === name);
      const element = index >= 0 ? free.splice(index, 1)[0] : (free.pop() ?? this.parent.appendChild(document.createElement("i")));
      if (element.className !== name) element.className = name;
      this.place(element, square);
      this.now.set(square, element);
    }
    for (const element of free) element.remove();
  }
}

/** A board with its `element`. A large one has coordinates, and its pieces slide. */
export class Board {
  constructor({ large = false } = {}) {
    const [squares, men] = [h("div", { class: "squares" }), h("div", { class: "men" })];
    this.coordinates = large ? h("div", { class: "coordinates", "aria-hidden": "true" }) : null;
    this.element = h("div", { class: large ? "board large" : "board" }, squares, this.coordinates, men);
    [this.squares, this.men] = [new Layer(squares), new Layer(men)];
  }

  /** Shows a position and the squares of the last move (UCI); `turned`: as Black sees it. */
  show(fen, last, turned = false) {
    const content = `${fen} ${last} ${turned}`;
    if (content === this.content) return;
    this.content = content;
    const marked = last && last !== "0000" ? [last.slice(0, 2), last.slice(2, 4)] : [];
    this.squares.show(new Map(marked.map((square) => [square, "last"])), turned);
    this.men.show(new Map(Object.entries(pieces(fen)).map(([square, letter]) => [square, classOf(letter)])), turned);
    if (this.coordinates && this.coordinates.dataset.turned !== String(turned)) this.drawCoordinates(turned);
  }

  drawCoordinates(turned) {
    this.coordinates.dataset.turned = String(turned);
    const order = [...FILES].map((_, index) => (turned ? 7 - index : index));
    this.coordinates.replaceChildren(
      h("div", { class: "ranks" }, order.map((index) => h("span", {}, String(8 - index)))),
      h("div", { class: "files" }, order.map((index) => h("span", {}, FILES[index]))),
    );
  }
}

/** The pieces by which each side is ahead, as letters without colour, and by how many pawns White is ahead. */
export function material(fen) {
  const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };
  const count = {};
  for (const letter of (fen ?? "").split(" ")[0]) count[letter] = (count[letter] ?? 0) + 1;
  const ahead = { white: "", black: "", pawns: 0 };
  for (const [letter, value] of Object.entries(VALUES)) {
    const more = (count[letter.toUpperCase()] ?? 0) - (count[letter] ?? 0);
    ahead.pawns += more * value;
    ahead[more > 0 ? "white" : "black"] += letter.repeat(Math.abs(more));
  }
  return ahead;
}

/** The side to move of a FEN. */
export const turnOf = (fen) => ((fen ?? "").split(" ")[1] === "b" ? "black" : "white");
