// The moves of a game in two columns, each with the time that it took.

import { format } from "./clock.js";
import { fill, h, setAttribute } from "./dom.js";
import { moveWords } from "./speech.js";
import { t } from "./words.js";

/** Whether this is the null move, which marks missing moves. */
export const isMissing = ({ uci }) => uci === "0000";

/** The number of the first move, and whether Black made it. */
function beginning(fen) {
  const [, turn, , , , number] = fen.split(" ");
  return { first: Number(number) || 1, isBlack: turn === "b" };
}

/** Returns a move with its number: `14… Nf6`. */
export function numbered(game, ply) {
  const move = game.moves[ply - 1];
  if (!move) return t("public-first-move");
  const { first, isBlack } = beginning(game.start_fen);
  const index = ply - 1 + (isBlack ? 1 : 0);
  return `${first + Math.floor(index / 2)}${index % 2 ? "…" : "."} ${isMissing(move) ? "…" : move.san}`;
}

/** The list of moves; `go(ply)` shows the position after a move. */
export class Moves {
  constructor(go) {
    this.list = h("ol", { class: "moves" });
    this.element = h("div", { class: "moves-box", tabindex: "0", role: "region" }, this.list);
    this.list.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) go(Number(button.dataset.ply));
    });
  }

  /** Draws the moves, of which that with this ply is marked. */
  draw(game, ply) {
    setAttribute(this.element, "aria-label", t("public-moves"));
    const content = JSON.stringify([game.moves.map(({ san, used_ms, irregular }) => [san, used_ms, irregular]), game.start_fen, t("public-moves")]);
    if (content !== this.content) {
      this.content = content;
      this.fill(game);
    }
    const before = this.list.querySelector("[aria-current]");
    const current = this.list.querySelector(`[data-ply="${ply}"]`);
    if (before === current) return;
    before?.removeAttribute("aria-current");
    if (current) setAttribute(current, "aria-current", "true");
    // The list may not be in the page yet.
    requestAnimationFrame(() => this.scrollTo(current));
  }

  /** Scrolls the list, but not the page, to a move; null: to the beginning. */
  scrollTo(move) {
    const box = this.element;
    const top = move?.offsetTop ?? 0;
    if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = top - box.clientHeight / 2;
  }

  fill({ moves, start_fen }) {
    const { first, isBlack } = beginning(start_fen);
    // Long thoughts differ more than short ones.
    const longest = Math.max(1, ...moves.map(({ used_ms }) => used_ms ?? 0));
    const bar = (ms) => {
      const element = h("span", { class: "bar" });
      element.style.setProperty("--share", Math.sqrt(ms / longest).toFixed(2));
      return element;
    };
    const cell = (index) => {
      const move = moves[index];
      if (index < 0 || !move) return h("span", { class: "cell" });
      if (isMissing(move)) return h("span", { class: "cell missing", title: t("public-missing") }, "…");
      const used = move.used_ms;
      const words = [moveWords(move.san), used === null ? null : `${t("public-time-used")} ${format(used)}`, move.irregular ? t("public-irregular") : null].filter(Boolean).join(". ");
      return h(
        "button",
        { type: "button", class: move.irregular ? "cell irregular" : "cell", "data-ply": index + 1, "aria-description": words, title: move.irregular ? t("public-irregular") : null },
        h("span", { class: "san" }, move.san + (move.irregular ? " ✗" : "")),
        used === null ? null : [" ", h("span", { class: "used" }, format(used))],
        used === null ? null : bar(used),
      );
    };
    const offset = isBlack ? 1 : 0;
    const rows = Array.from({ length: Math.ceil((moves.length + offset) / 2) }, (_, row) =>
      h("li", {}, h("span", { class: "move-number", "aria-hidden": "true" }, `${first + row}.`), cell(row * 2 - offset), cell(row * 2 + 1 - offset)),
    );
    fill(this.list, rows.length ? rows : h("li", { class: "muted none" }, t("public-no-moves")));
  }
}
