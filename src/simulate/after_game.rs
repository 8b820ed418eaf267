//! What happens at a board after the game: the result signal of the kings, analysis, sweeping, the next start position.

use crate::game::GameResult;
use crate::laws::Position;
use crate::simulate::act::{Act, pieces};
use crate::simulate::hands::{Rate, Span};
use crate::simulate::pgn::SourceGame;
use crate::simulate::script::{AFTER_GAME_INDEX, Script, ScriptWriter};
use crate::simulate::truth::{Interruption, InterruptionReason};
use shakmaty::{Color, Piece, Role, Square};

/// Squares of the two kings for each result, White's first (the six placements of the maker's rule, with either king on either
/// square).
const SIGNALS: &[(GameResult, Square, Square)] = &[
    (GameResult::WhiteWins, Square::E4, Square::D5),
    (GameResult::WhiteWins, Square::D5, Square::E4),
    (GameResult::BlackWins, Square::D4, Square::E5),
    (GameResult::BlackWins, Square::E5, Square::D4),
    (GameResult::Draw, Square::E4, Square::E5),
    (GameResult::Draw, Square::E5, Square::E4),
    (GameResult::Draw, Square::D4, Square::D5),
    (GameResult::Draw, Square::D5, Square::D4),
    (GameResult::Draw, Square::E4, Square::D4),
    (GameResult::Draw, Square::D4, Square::E4),
    (GameResult::Draw, Square::D5, Square::E5),
    (GameResult::Draw, Square::E5, Square::D5),
];

impl ScriptWriter<'_> {
    /// Writes the result signal, the sweep and the next setup.
    pub(super) fn finish(mut self, game: &SourceGame, end: &Position, initial_pieces: [Option<Piece>; 64]) -> Script {
        self.select_streams(AFTER_GAME_INDEX);
        self.truth.over_at = self.now;
        let has_ended = end.ending().is_some();
        self.truth.result = end.winner().map(|winner| winner.fold_wb(GameResult::WhiteWins, GameResult::BlackWins));
        if has_ended && self.truth.result.is_none() {
            self.truth.result = Some(GameResult::Draw);
        }
        let final_result = if has_ended { self.truth.result } else { game.result };
        let signal = final_result.filter(|_| game.signalled || self.occurs(Rate::kings_signal, AFTER_GAME_INDEX));
        let stop_late = self.clock && self.pace.chance(150);
        if self.clock && !stop_late {
            self.now += self.pace.ms(Span(300, 2_500));
            self.add(self.now, Act::Stop, 0);
        }
        let mut squares = pieces(end);
        if let Some(result) = signal {
            self.now += self.pace.ms(Span(600, 4_000));
            self.kings_to_centre(result, &mut squares);
            self.truth.signalled_at = Some(self.now);
            self.truth.result = Some(result);
            self.now += self.pace.ms(Span(3_500, 7_000));
        }
        if stop_late {
            self.now += self.pace.ms(Span(300, 2_500));
            self.add(self.now, Act::Stop, 0);
        }
        self.analyse(&mut squares);
        if self.occurs(Rate::sweep, AFTER_GAME_INDEX) {
            self.now += self.pace.ms(Span(3_000, 12_000));
            let next = pieces(&game.start);
            if self.occurs(Rate::set_up_straight, AFTER_GAME_INDEX) {
                let mut rng = self.pace.clone();
                self.rearrange(&mut rng, &squares, &next);
            } else {
                self.sweep(&squares);
                self.now += self.pace.ms(Span(500, 3_000));
                self.set_up(&next);
            }
        }
        self.close(initial_pieces)
    }

    /// Writes the analysis of the game on a stopped clock: moves, the same side twice, several plies back at once. Without a clock
    /// it starts with going back, so that it can be distinguished from play.
    fn analyse(&mut self, squares: &mut [Option<Piece>; 64]) {
        let Some(mut rng) = self.incident(Rate::analysis, AFTER_GAME_INDEX) else { return };
        self.now += rng.ms(Span(2_000, 8_000));
        let from = self.now;
        let mut line = self.line.clone();
        for step in 0..8 + rng.below(16) {
            let Some(last) = line.last().cloned() else { break };
            let choice = rng.below(10);
            let turn = last.turn();
            let same_side = (6..8).contains(&choice) && step > 0;
            let position = if same_side { Position::from_board(last.board().clone(), !turn) } else { last };
            let goes_back = choice > 7 || position.ending().is_some() || (step == 0 && !self.clock);
            match rng.pick(&position.legal_moves()) {
                Some(mv) if !goes_back => line.push(position.play(mv)),
                _ => line.truncate(line.len().saturating_sub(2 + rng.below(5) as usize).max(1)),
            }
            let Some(next) = line.last().map(pieces) else { break };
            self.rearrange(&mut rng, &*squares, &next);
            *squares = next;
            self.now += rng.ms(Span(700, 4_000));
        }
        self.truth.interruptions.push(Interruption { reason: InterruptionReason::Analysis, from, until: self.now });
    }

    fn kings_to_centre(&mut self, result: GameResult, squares: &mut [Option<Piece>; 64]) {
        let find = |squares: &[Option<Piece>; 64], color: Color| {
            Square::ALL.into_iter().find(|&square| squares[square as usize] == Some(Role::King.of(color)))
        };
        let (Some(white), Some(black)) = (find(squares, Color::White), find(squares, Color::Black)) else { return };
        let placements: Vec<_> = SIGNALS.iter().filter(|signal| signal.0 == result).collect();
        let Some(&(_, white_to, black_to)) = self.pace.pick(&placements) else { return };
        let travel = self.profile.times.travel;
        let mut walks = [(Color::White, white, white_to), (Color::Black, black, black_to)];
        self.pace.shuffle(&mut walks);
        let together = self.occurs(Rate::kings_together, AFTER_GAME_INDEX);

        // Pieces on the two squares are usually removed first; otherwise the king replaces them.
        for to in [white_to, black_to] {
            let is_occupied = squares[to as usize].is_some_and(|piece| piece.role != Role::King);
            if is_occupied && self.pace.chance(700) {
                self.lift(to, squares);
                self.now += self.pace.ms(travel);
            }
        }
        // A king on the other king's destination has to leave first.
        let together = together || walks.iter().any(|walk| walks.iter().any(|other| walk.0 != other.0 && walk.1 == other.2));
        let pause = Span(150, 900);
        if together {
            for (_, from, _) in walks {
                self.lift(from, squares);
                self.now += self.pace.ms(Span(20, 500));
            }
        }
        for (color, from, to) in walks {
            if !together {
                self.lift(from, squares);
                self.now += self.pace.ms(travel);
            }
            squares[to as usize] = Some(Role::King.of(color));
            self.add(self.now, Act::Put(to, Role::King.of(color)), 0);
            self.now += self.pace.ms(pause);
        }
    }

    fn lift(&mut self, square: Square, squares: &mut [Option<Piece>; 64]) {
        squares[square as usize] = None;
        self.add(self.now, Act::Lift(square), 0);
    }

    fn sweep(&mut self, squares: &[Option<Piece>; 64]) {
        let mut occupied: Vec<Square> = Square::ALL.into_iter().filter(|&square| squares[square as usize].is_some()).collect();
        self.pace.shuffle(&mut occupied);
        for square in occupied {
            self.add(self.now, Act::Lift(square), 0);
            self.now += self.pace.ms(Span(10, 250));
        }
    }

    /// Puts the pieces on an empty board in random order.
    pub(super) fn set_up(&mut self, squares: &[Option<Piece>; 64]) {
        let mut placements: Vec<(Square, Piece)> =
            Square::ALL.into_iter().filter_map(|square| Some((square, squares[square as usize]?))).collect();
        self.pace.shuffle(&mut placements);
        for (square, piece) in placements {
            self.now += self.pace.ms(Span(20, 500));
            self.add(self.now, Act::Put(square, piece), 0);
        }
        self.now += self.pace.ms(Span(2_000, 6_000));
    }
}
