// One table: its board, the players, the moves with their times.

import { eventAddress, isEmbedded, roundAddress, sharedAddress, tableAddress } from "./address.js";
import { Board, material, turnOf } from "./board.js";
import { data } from "./data.js";
import { fill, h, isTextField, setAttribute, setText } from "./dom.js";
import { Moves, numbered } from "./moves.js";
import { resultText, stateText } from "./player.js";
import { moveWords, positionWords } from "./speech.js";
import { Strip } from "./tile.js";
import { language, t } from "./words.js";

/** The buttons below the board, and what they do. */
const STEPS = [
  ["first", "public-first-move"],
  ["back", "public-previous-move"],
  ["on", "public-next-move"],
  ["last", "public-last-move"],
];

/** The view of a table. `navigate(query, { replace })` goes to the same view with another query. */
export class TableView {
  constructor({ navigate, openShare }) {
    Object.assign(this, { navigate, openShare, isTurned: false });
    this.board = new Board({ large: true });
    [this.black, this.white] = ["black", "white"].map((side) => new Strip(side));
    this.moves = new Moves((ply) => this.go(ply));
    this.back = h("a", { class: "button quiet back" });
    this.title = h("h1");
    this.state = h("span", { class: "state" });
    this.opening = h("bdi", { class: "opening" });
    this.caption = h("p", { class: "caption" });
    this.said = h("p", { class: "visually-hidden", "aria-live": "polite" });
    this.gauge = h("div", { class: "gauge", hidden: true, "aria-hidden": "true" }, h("span"));
    this.steps = new Map(STEPS.map(([name]) => [name, h("button", { type: "button", onclick: () => this.step(name) }, h("i", { class: `icon-${name}`, "aria-hidden": "true" }))]));
    this.live = h("button", { type: "button", class: "live", onclick: () => this.step("last") });
    this.flip = h("button", { type: "button", onclick: () => this.turn() });
    this.share = h("button", { type: "button", onclick: () => this.openShare(this) });
    this.evaluate = h("button", { type: "button", hidden: true, onclick: () => this.toggleEvaluation() });
    this.evaluation = h("p", { class: "evaluation", role: "status", hidden: true });
    this.none = h("p", { class: "none", hidden: true });
    this.players = h("div", { class: "players" }, this.black.element, h("div", { class: "board-frame" }, this.gauge, this.board.element), this.white.element);
    const steps = h("div", { class: "steps", dir: "ltr" }, [...this.steps.values()], this.live);
    const side = h("div", { class: "side" }, this.opening, this.moves.element, this.caption, this.evaluation, h("div", { class: "buttons" }, this.flip, this.share, this.evaluate));
    const body = h("div", { class: "table-body" }, h("div", { class: "main" }, this.players, steps), side);
    this.element = h("article", { class: "table-view" }, h("header", { class: "table-head" }, this.back, this.title, this.state), this.none, body, this.said);
    this.body = body;
  }

  /** Draws everything. `query`: that of the address; `ply` in it is the position that is shown. */
  draw({ round, table, query }) {
    if (this.round !== round || this.number !== table) {
      [this.said.textContent, this.spoken, this.isTurned] = ["", undefined, query.get("side") === "black"];
      [this.round, this.number] = [round, table];
    }
    this.query = query;
    this.drawTexts();
    const game = data.games.get(`${round}/${table}`);
    this.body.hidden = !game;
    if (!game) return;
    this.game = game;
    this.none.hidden = true;
    const { moves, state } = game;
    this.ply = this.isLive() ? moves.length : Math.min(moves.length, Number(query.get("ply")));
    const fen = this.fen();
    // As long as the last move is shown, the state is newer than the list of moves.
    const isLast = this.ply === moves.length;
    const shown = isLast ? state : { ...state, result: "*", state: "past", clock: this.clocksThen() };
    const { white, black, pawns } = material(fen);
    this.white.show(game.white, shown, this.advantage(white, "b", pawns));
    this.black.show(game.black, shown, this.advantage(black, "w", -pawns));
    this.board.show(fen, moves[this.ply - 1]?.uci ?? null, this.isTurned);
    setAttribute(this.board.element, "aria-label", positionWords(fen));
    this.moves.draw(game, this.ply);
    this.drawState(game, isLast);
    this.say(game);
    this.engine?.evaluate(game, this.ply);
  }

  /** Whether the newest position is shown, also when there are more moves. */
  isLive() {
    return !/^\d+$/.test(this.query.get("ply") ?? "");
  }

  fen() {
    return this.game.moves[this.ply - 1]?.fen ?? this.game.start_fen;
  }

  /** The clocks after the move that is shown. */
  clocksThen() {
    const { moves } = this.game;
    const turn = turnOf(this.fen());
    const last = (offset) => moves[this.ply - 1 - offset]?.clock_ms ?? null;
    const [mover, other] = turn === "black" ? ["white", "black"] : ["black", "white"];
    return { [`${mover}_ms`]: last(0), [`${other}_ms`]: last(1), turn, running: false };
  }

  advantage(letters, colour, pawns) {
    if (!letters) return null;
    const men = [...letters].map((letter) => h("i", { class: `${colour}${letter}` }));
    return h("span", { class: "material", role: "img", "aria-label": pawns > 0 ? t("public-material", { count: pawns }) : "" }, men, pawns > 0 ? h("span", {}, `+${pawns}`) : null);
  }

  drawState(game, isLast) {
    const { state, opening } = game;
    setText(this.state, resultText(state.result) && state.reason ? `${resultText(state.result)} · ${stateText(state)}` : resultText(state.result) || stateText(state));
    setAttribute(this.state, "data-state", state.state);
    setText(this.opening, opening && this.ply >= opening.ply ? `${opening.eco} ${opening.name}` : "");
    setAttribute(this.opening, "title", t("public-opening"));
    const move = game.moves[this.ply - 1];
    setText(this.caption, move?.irregular ? t("public-irregular") : "");
    this.live.hidden = this.isLive() || state.state === "finished";
    const isStart = this.ply === 0;
    for (const name of ["first", "back"]) this.steps.get(name).disabled = isStart;
    for (const name of ["on", "last"]) this.steps.get(name).disabled = isLast && (this.isLive() || name === "on");
    this.evaluate.hidden = !data.event?.evaluation;
    // The organiser has ended the delay: now nobody may evaluate the position.
    if (this.evaluate.hidden && this.engine) {
      this.stopEvaluation();
      this.texts = null;
    }
  }

  /** Says the move that is shown, but not the first one after the page was opened. */
  say(game) {
    const move = game.moves[this.ply - 1];
    const key = `${this.ply} ${move?.uci}`;
    if (this.spoken !== undefined && this.spoken !== key && move) {
      const player = t(turnOf(move.fen) === "black" ? "public-player-white" : "public-player-black");
      setText(this.said, t("public-announce", { player, move: moveWords(move.san) }));
    }
    this.spoken = key;
  }

  drawTexts() {
    const section = this.game?.section ?? null;
    const key = `${language} ${this.round} ${this.number} ${section}`;
    if (this.texts === key) return;
    this.texts = key;
    fill(this.back, h("span", { class: "arrow", "aria-hidden": "true" }, "‹"), ` ${t("public-back")}`);
    this.back.href = isEmbedded ? sharedAddress(tableAddress(this.round, this.number), data.event?.address) : (data.event?.round === this.round ? eventAddress() : roundAddress(this.round)).href;
    if (isEmbedded) {
      fill(this.back, data.event?.name || t("public-boards"));
      Object.assign(this.back, { target: "_blank", rel: "noopener" });
    }
    setText(this.title, [t("public-table", { table: this.number }), section].filter(Boolean).join(" · "));
    for (const [name, label] of STEPS) setAttribute(this.steps.get(name), "aria-label", t(label));
    for (const [name, label] of STEPS) setAttribute(this.steps.get(name), "title", t(label));
    setText(this.live, t("public-live"));
    setText(this.flip, t("public-flip"));
    setText(this.share, t("public-share"));
    setText(this.evaluate, t(this.engine ? "public-evaluation-off" : "public-evaluation-on"));
    setAttribute(this.board.element, "role", "img");
  }

  /** Says that there is no such game. */
  showMissing() {
    [this.body.hidden, this.none.hidden] = [true, false];
    setText(this.none, t("public-game-not-found"));
  }

  /** Shows the position after a move; the last one follows the game. */
  go(ply) {
    const query = new URLSearchParams(this.query);
    if (ply >= this.game.moves.length) query.delete("ply");
    else query.set("ply", Math.max(0, ply));
    // Stepping through a game leaves one entry in the history.
    this.navigate(query.toString() ? `?${query}` : "", { replace: true });
  }

  step(name) {
    if (!this.game) return;
    const { length } = this.game.moves;
    this.go({ first: 0, back: this.ply - 1, on: this.ply + 1, last: length }[name]);
  }

  turn() {
    this.isTurned = !this.isTurned;
    this.players.classList.toggle("turned", this.isTurned);
    this.draw({ round: this.round, table: this.number, query: this.query });
  }

  stopEvaluation() {
    this.engine.stop();
    this.engine = null;
    [this.gauge.hidden, this.evaluation.hidden] = [true, true];
  }

  async toggleEvaluation() {
    if (this.engine) {
      this.stopEvaluation();
    } else {
      const { Engine } = await import("./engine.js");
      this.engine = new Engine((text, share) => {
        this.evaluation.hidden = false;
        setText(this.evaluation, text);
        this.gauge.hidden = share === null;
        if (share !== null) this.gauge.firstChild.style.blockSize = `${share}%`;
      });
      this.engine.evaluate(this.game, this.ply);
    }
    this.texts = null;
    this.drawTexts();
  }

  /** Handles a key; returns whether it means something here. */
  key(event) {
    if (isTextField(event.target)) return false;
    const actions = { ArrowLeft: () => this.step("back"), ArrowRight: () => this.step("on"), Home: () => this.step("first"), End: () => this.step("last"), l: () => this.step("last"), f: () => this.turn(), Escape: () => this.back.click() };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    action?.();
    return Boolean(action);
  }

  /** The text of the window's title. */
  windowTitle() {
    const game = this.game;
    return game ? `${game.white.name} – ${game.black.name}, ${numbered(game, game.moves.length)}` : t("public-table", { table: this.number });
  }
}
