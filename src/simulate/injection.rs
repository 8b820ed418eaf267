//! Injects irregularities: how they are committed, and what happens after them.

use crate::laws::{Changes, Move, Position};
use crate::simulate::act::{Act, path, pieces};
use crate::simulate::hands::Span;
use crate::simulate::illegal::{self, IllegalSort};
use crate::simulate::irregularity::{Irregularity, IrregularityKind};
use crate::simulate::pending_injection::{MisplacedPiece, PendingInjection, fits};
use crate::simulate::rng::Rng;
use crate::simulate::script::{PreviousPly, ScriptWriter, TAKEN_BACK_BIT};
use crate::simulate::truth::TruthPly;
use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

/// Time until somebody notices an irregularity, in milliseconds. Guess.
const NOTICE_DELAY: Span = Span(1_500, 6_000);
/// Maximum number of plies for which a piece stays out of place.
const MAX_MISPLACED_PLIES: u32 = 4;
/// Maximum number of plies after an illegal move that remains in the game.
const MAX_PLIES_AFTER_ILLEGAL: usize = 20;

impl ScriptWriter<'_> {
    /// Injects the wanted irregularities that are possible before this ply.
    pub(super) fn inject_before_ply(&mut self, position: &mut Position, mv: Move, number: u32) {
        for injection in std::mem::take(&mut self.pending_injections) {
            let rng = self.dice.irregularity(injection.kind, injection.ply);
            let is_ply_recorded = self.line.len() > number as usize;
            let done = injection.ply <= number
                && !is_ply_recorded
                && self.out_of_place.is_empty()
                && match injection.kind {
                    IrregularityKind::IllegalMove => self.illegal_move(rng, position, number, injection.sort),
                    IrregularityKind::IllegalStands => self.illegal_stands(rng, position, number, injection.sort),
                    IrregularityKind::WrongSide => self.wrong_side(rng, position, number),
                    IrregularityKind::Displaced => self.displace(rng, position, number, true),
                    IrregularityKind::Removed => self.displace(rng, position, number, false),
                    IrregularityKind::TouchedOther => self.touch_other(rng, position, mv, number),
                    IrregularityKind::PressWithoutMove => self.press_without_move(rng, position, number),
                    IrregularityKind::TwoHands | IrregularityKind::RookFirst | IrregularityKind::PawnLeft => false,
                };
            if !done {
                self.pending_injections.push(injection);
            }
        }
    }

    /// Returns the wanted irregularity with which this ply itself is made, if one fits it.
    pub(super) fn take_fitting_injection(&mut self, position: &Position, mv: Move, number: u32) -> Option<IrregularityKind> {
        let fits = |injection: &PendingInjection| injection.ply <= number && fits(injection.kind, position, mv);
        let index = self.pending_injections.iter().position(fits)?;
        Some(self.pending_injections.remove(index).kind)
    }

    /// Records the irregularity with which this ply was made.
    pub(super) fn record_irregularity(
        &mut self,
        kind: IrregularityKind,
        position: &Position,
        mv: Move,
        number: u32,
        ply: &TruthPly,
    ) {
        let squares = Changes::of(position.turn(), mv).iter().map(|change| change.0).collect();
        let until = Some(if kind == IrregularityKind::PawnLeft { self.now } else { ply.done_at });
        let irregularity = Irregularity::new(kind, number, Some(position.turn()), squares, ply.touched_at);
        self.truth.irregularities.push(Irregularity { pressed_at: ply.pressed_at, until, ..irregularity });
    }

    /// Carries the piece from one square to another.
    fn carry(&mut self, rng: &mut Rng, piece: Piece, from: Square, to: Square, ply: u32) {
        self.add(self.now, Act::Lift(from), ply);
        self.now += rng.ms(Span(300, 800));
        self.add(self.now, Act::Put(to, piece), ply);
        self.now += rng.ms(Span(200, 900));
    }

    /// Makes an illegal move, in the same way as any other move, and presses the clock.
    fn make_illegal(
        &mut self,
        rng: &mut Rng,
        position: &Position,
        number: u32,
        sort: Option<IllegalSort>,
    ) -> Option<(Move, TruthPly, Irregularity)> {
        // After a takeback the opponent's time may already run; then there is nothing to press.
        let can_press = !self.clock || self.lever == position.turn();
        let (mv, illegal) = can_press.then(|| illegal::pick(rng, position, sort)).flatten()?;
        self.select_streams(u64::from(number) | TAKEN_BACK_BIT);
        let (ply, _) = self.ply(position, mv, number, &PreviousPly::quiet(self.now), false, None);
        let squares = position.changes(mv).iter().map(|(square, _)| square).collect();
        let irregularity = Irregularity {
            illegal: Some(illegal),
            pressed_at: ply.pressed_at,
            ..Irregularity::new(IrregularityKind::IllegalMove, number, Some(position.turn()), squares, ply.touched_at)
        };
        Some((mv, ply, irregularity))
    }

    fn illegal_move(&mut self, mut rng: Rng, position: &Position, number: u32, sort: Option<IllegalSort>) -> bool {
        let Some((mv, _, irregularity)) = self.make_illegal(&mut rng, position, number, sort) else { return false };
        self.now += rng.ms(NOTICE_DELAY);
        if irregularity.pressed_at.is_some() {
            self.press(!position.turn(), self.now, 0);
            self.now += rng.ms(Span(300, 1_500));
        }
        self.rearrange(&mut rng, &pieces(&position.play(mv)), &pieces(position));
        self.truth.irregularities.push(Irregularity { until: Some(self.now), ..irregularity });
        true
    }

    fn illegal_stands(&mut self, mut rng: Rng, position: &mut Position, number: u32, sort: Option<IllegalSort>) -> bool {
        let Some((mv, ply, irregularity)) = self.make_illegal(&mut rng, position, number, sort) else { return false };
        let after = position.play(mv);

        // The continuation: the moves of the game while they are legal, then any.
        let (mut original, mut actual) = (position.clone(), after.clone());
        let rest = self.moves.split_off(number as usize - 1);
        let mut game = rest.into_iter();
        if let Some(mv) = game.next() {
            original = original.play(mv);
        }
        let mut continuation = vec![mv];
        let mut follows_game = true;
        while continuation.len() <= MAX_PLIES_AFTER_ILLEGAL && actual.ending().is_none() {
            let same_move = game.next().filter(|_| follows_game).and_then(|mv| {
                let uci = original.uci(mv);
                original = original.play(mv);
                actual.parse_uci(&uci)
            });
            follows_game = same_move.is_some();
            let Some(mv) = same_move.or_else(|| rng.pick(&actual.legal_moves())) else { break };
            continuation.push(mv);
            actual = actual.play(mv);
        }
        self.moves.extend(continuation);

        self.truth.plies.push(ply);
        self.truth.irregularities.push(Irregularity { kind: IrregularityKind::IllegalStands, ..irregularity });
        self.line.push(after.clone());
        *position = after;
        true
    }

    fn wrong_side(&mut self, mut rng: Rng, position: &Position, number: u32) -> bool {
        let opponent_to_move = Position::from_board(position.board().clone(), !position.turn());
        let quiet = |mv: &Move| matches!(mv, Move::Normal { capture: None, promotion: None, .. });
        let legal: Vec<Move> = opponent_to_move.legal_moves().iter().copied().filter(quiet).collect();
        let Some(Move::Normal { role, from, to, .. }) = (number > 1).then(|| rng.pick(&legal)).flatten() else { return false };
        self.now += rng.ms(Span(300, 2_500));
        let (at, piece) = (self.now, role.of(opponent_to_move.turn()));
        self.carry(&mut rng, piece, from, to, 0);
        self.now += rng.ms(NOTICE_DELAY);
        self.carry(&mut rng, piece, to, from, 0);
        let irregularity =
            Irregularity::new(IrregularityKind::WrongSide, number, Some(opponent_to_move.turn()), vec![from, to], at);
        self.truth.irregularities.push(Irregularity { until: Some(self.now), ..irregularity });
        true
    }

    fn press_without_move(&mut self, mut rng: Rng, position: &Position, number: u32) -> bool {
        if !self.clock || self.lever != position.turn() {
            return false;
        }
        self.now += rng.ms(Span(500, 4_000));
        let at = self.now;
        self.press(position.turn(), at, 0);
        self.now += rng.ms(NOTICE_DELAY);
        self.press(!position.turn(), self.now, 0);
        let irregularity = Irregularity::new(IrregularityKind::PressWithoutMove, number, Some(position.turn()), Vec::new(), at);
        self.truth.irregularities.push(Irregularity { pressed_at: Some(at), until: Some(self.now), ..irregularity });
        self.now += rng.ms(Span(500, 2_000));
        true
    }

    /// Nudges a piece, or knocks it off the board. The next plies must not need it.
    fn displace(&mut self, mut rng: Rng, position: &Position, number: u32, nudged: bool) -> bool {
        let (first, plies) = (number as usize - 1, 1 + rng.below(u64::from(MAX_MISPLACED_PLIES)) as usize);
        let mut needed = Bitboard::EMPTY;
        // A step that either player could make is a move, not an accident.
        let mut moves: Vec<(Square, Square)> = Vec::new();
        let mut later = position.clone();
        for &mv in self.moves.iter().skip(first).take(plies) {
            needed |= path(mv) | Changes::of(later.turn(), mv).iter().map(|change| change.0).collect::<Bitboard>();
            for turn in Color::ALL {
                let legal = Position::from_board(later.board().clone(), turn).legal_moves();
                moves.extend(legal.iter().filter_map(|mv| Some((mv.from()?, mv.to()))));
            }
            later = later.play(mv);
        }
        let board = position.board();
        let movable = board.occupied() & !board.by_role(Role::King) & !needed;
        let near = |square: Square| attacks::king_attacks(square) & !board.occupied() & !needed;
        let places: Vec<(Square, Option<Square>)> = if nudged {
            let steps =
                movable.into_iter().flat_map(|square| near(square).into_iter().map(move |destination| (square, destination)));
            steps.filter(|step| !moves.contains(step)).map(|(square, destination)| (square, Some(destination))).collect()
        } else {
            movable.into_iter().map(|square| (square, None)).collect()
        };
        let Some((square, destination)) = rng.pick(&places) else { return false };
        let Some(piece) = board.piece_at(square) else { return false };
        self.now += rng.ms(Span(300, 2_500));
        let at = self.now;
        self.add(at, Act::Lift(square), 0);
        if let Some(destination) = destination {
            self.now += rng.ms(Span(20, 300));
            self.add(self.now, Act::Put(destination, piece), 0);
        }
        self.now += rng.ms(Span(200, 1_000));
        let kind = if nudged { IrregularityKind::Displaced } else { IrregularityKind::Removed };
        let irregularity = self.truth.irregularities.len();
        let squares = [square].into_iter().chain(destination).collect();
        self.truth.irregularities.push(Irregularity::new(kind, number, None, squares, at));
        self.out_of_place.push(MisplacedPiece {
            piece,
            square,
            current_square: destination,
            until_ply: number + plies as u32,
            irregularity,
        });
        true
    }

    /// Restores the pieces out of place that are due before this ply; `None`: all of them.
    pub(super) fn restore_pieces(&mut self, number: Option<u32>) {
        for misplaced in std::mem::take(&mut self.out_of_place) {
            if number.is_some_and(|number| misplaced.until_ply > number) {
                self.out_of_place.push(misplaced);
                continue;
            }
            self.now += self.pace.ms(Span(500, 2_500));
            if let Some(square) = misplaced.current_square {
                self.add(self.now, Act::Lift(square), 0);
                self.now += self.pace.ms(Span(200, 900));
            }
            self.add(self.now, Act::Put(misplaced.square, misplaced.piece), 0);
            if let Some(irregularity) = self.truth.irregularities.get_mut(misplaced.irregularity) {
                irregularity.until = Some(self.now);
            }
            self.now += self.pace.ms(Span(200, 900));
        }
    }
}
