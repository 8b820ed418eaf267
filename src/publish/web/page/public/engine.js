// Evaluates positions in this browser, by Stockfish; loaded only when the spectator asks for it and the organiser allows it. It sees
// what the spectator sees: the position as late as it is public.

import { fileAddress } from "./address.js";
import { turnOf } from "./board.js";
import { isMissing } from "./moves.js";
import { t } from "./words.js";

/** How long a position is computed, at most. */
const LIMITS = "depth 22 movetime 10000";

export class Engine {
  /** `show(text, share)`: White's share of the bar in per cent; null: there is nothing to show. */
  constructor(show) {
    [this.show, this.wanted, this.busy] = [show, null, false];
    show(t("public-evaluation-about"), null);
    this.worker = new Worker(fileAddress("engine/stockfish.js"));
    this.worker.onmessage = ({ data: line }) => this.hear(String(line));
    this.worker.onerror = () => this.fail();
    this.send("uci");
  }

  send(line) {
    this.worker?.postMessage(line);
  }

  fail() {
    this.stop();
    this.show(t("public-evaluation-failed"), null);
  }

  stop() {
    this.worker?.terminate();
    this.worker = null;
  }

  /** Evaluates the position after a move, unless an illegal move precedes it: the engine does not know such positions. */
  evaluate(game, ply) {
    const isLegal = game.moves.slice(0, ply).every((move) => !move.irregular && !isMissing(move));
    const fen = ply ? game.moves[ply - 1].fen : game.start_fen;
    if (!isLegal) {
      this.wanted = null;
      this.send("stop");
      return this.show("", null);
    }
    if (fen === this.fen) return;
    [this.fen, this.wanted] = [fen, { fen, chess960: game.state.chess960 }];
    if (this.busy) this.send("stop");
    else this.begin();
  }

  begin() {
    if (!this.isReady || !this.wanted) return;
    const { fen, chess960 } = this.wanted;
    [this.wanted, this.busy, this.now] = [null, true, fen];
    this.send(`setoption name UCI_Chess960 value ${chess960}`);
    this.send(`position fen ${fen}`);
    this.send(`go ${LIMITS}`);
  }

  hear(line) {
    if (line === "uciok") {
      this.send("isready");
    } else if (line === "readyok") {
      this.isReady = true;
      this.begin();
    } else if (line.startsWith("bestmove")) {
      this.busy = false;
      this.begin();
    } else if (line.startsWith("info") && !this.wanted) {
      this.tell(line);
    }
  }

  tell(line) {
    const [, depth, kind, value] = line.match(/ depth (\d+) .*score (cp|mate) (-?\d+)/) ?? [];
    if (!depth || line.includes("bound")) return;
    const white = Number(value) * (turnOf(this.now) === "white" ? 1 : -1);
    const sign = white < 0 ? "−" : "+";
    const text = kind === "mate" ? `${sign}#${Math.abs(white)}` : `${sign}${(Math.abs(white) / 100).toFixed(1)}`;
    // The share of points that players scored from positions with such an evaluation, as lichess.org draws it.
    const share = kind === "mate" ? (white > 0 ? 100 : 0) : 50 + 50 * (2 / (1 + Math.exp(-0.00368208 * white)) - 1);
    this.show(`${t("public-evaluation")} ${text} · ${t("public-evaluation-depth", { depth })}`, share);
  }
}
