// Moves and positions as words, for screen readers.

import { pieces } from "./board.js";
import { t } from "./words.js";

const PIECES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };
const pieceName = (letter) => t(`public-piece-${PIECES[letter.toUpperCase()]}`);

/** Returns a move in SAN in words: `Nxf6+` is "Knight takes f6, check". */
export function moveWords(san) {
  const end = san.endsWith("#") ? t("public-checkmate") : san.endsWith("+") ? t("public-check") : null;
  const plain = san.replace(/[+#!?]+$/, "");
  if (/^O-O/.test(plain)) return [t(plain === "O-O" ? "public-castles-short" : "public-castles-long"), end].filter(Boolean).join(", ");
  const [, letter = "P", from, takes, square, promoted] = plain.match(/^([KQRBN])?([a-h]?[1-8]?)([x-])?([a-h][1-8])(?:=([QRBNK]))?$/) ?? [];
  if (!square) return san;
  const who = [pieceName(letter || "P"), from].filter(Boolean).join(" ");
  const where = t(takes === "x" ? "public-takes" : "public-to", { square });
  return [`${who} ${where}`, promoted && t("public-promotes", { piece: pieceName(promoted) }), end].filter(Boolean).join(", ");
}

/** Returns a position in words. */
export function positionWords(fen) {
  const found = Object.entries(pieces(fen));
  const side = (letters) =>
    [...letters]
      .flatMap((letter) => {
        const squares = found.filter(([, one]) => one === letter).map(([square]) => square);
        return squares.length ? [`${pieceName(letter)} ${squares.sort().join(" ")}`] : [];
      })
      .join(", ");
  return t("public-position", { white: side("KQRBNP"), black: side("kqrbnp") });
}
