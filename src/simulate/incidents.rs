//! Incidents between two plies: adjusted pieces, hesitation, takebacks, kings in the centre too early, a pause by the arbiter, an
//! unplugged cable.

use crate::laws::{Move, Position};
use crate::simulate::act::{Act, pieces};
use crate::simulate::hands::{Rate, Span};
use crate::simulate::irregularity::{Irregularity, IrregularityKind};
use crate::simulate::rng::Rng;
use crate::simulate::script::{PreviousPly, ScriptWriter, TAKEN_BACK_BIT};
use crate::simulate::truth::{Interruption, InterruptionReason, Takeback};
use shakmaty::{Color, Role, Square, attacks};

/// How long a hesitating player holds a piece, in milliseconds. Guess.
const HESITATION: Span = Span(1_500, 8_000);
/// How long a king stays in the centre too early, in milliseconds. Guess.
const KING_STAYS: Span = Span(1_500, 6_000);
/// How long the cable is out, in milliseconds.
const OUT: Span = Span(1_000, 60_000);
/// Length of the arbiter's pause, in milliseconds. Guess.
const PAUSE: Span = Span(3_000, 20_000);
/// Number of plies taken back; each entry is equally likely. Guess.
const PLIES_BACK: [u32; 6] = [1, 1, 1, 2, 2, 3];

impl ScriptWriter<'_> {
    /// Returns the random stream of an incident if it occurs the `nth` time.
    pub(super) fn incident(&self, rate: Rate, nth: u64) -> Option<Rng> {
        let mut rng = self.dice.stream(rate, nth);
        rng.chance(self.profile.rates.get(rate)).then_some(rng)
    }

    /// Like [`ScriptWriter::incident`] for what happens once in a game, before a ply that is drawn here.
    fn once_per_game(&self, rate: Rate, number: u32) -> Option<Rng> {
        let mut rng = self.incident(rate, 0)?;
        let plies = self.moves.len() as u64;
        (2 + rng.below(plies.saturating_sub(2)) == u64::from(number)).then_some(rng)
    }

    /// Writes all incidents before this ply. Returns whether there were any.
    pub(super) fn incidents(&mut self, position: &mut Position, number: u32) -> bool {
        let began = self.now;
        self.restore_pieces(Some(number));
        let Some(&mv) = self.moves.get(number as usize - 1) else { return false };
        if !self.out_of_place.is_empty() {
            return self.now > began;
        }
        if let Some(rng) = self.once_per_game(Rate::cable_out, number) {
            self.cable_out(rng);
        }
        if let Some(rng) = self.once_per_game(Rate::arbiter_pause, number) {
            self.pause(rng, position);
        }
        if let Some(rng) = self.once_per_game(Rate::premature_king, number) {
            self.premature_king(rng, position);
        }
        let nth = u64::from(number);
        for (rate, color) in [(Rate::adjust_several, position.turn()), (Rate::adjust_off_turn, !position.turn())] {
            if let Some(mut rng) = self.incident(rate, nth) {
                let count = rng.below(if rate == Rate::adjust_several { 3 } else { 4 }) + 1;
                self.adjust(rng, position, color, count + u64::from(rate == Rate::adjust_several));
            }
        }
        if let Some(rng) = self.incident(Rate::takeback, nth) {
            self.take_back(rng, position, mv, number);
        }
        if let (Some(mut rng), Some(from)) = (self.incident(Rate::hesitate, nth), mv.from()) {
            self.hesitate(&mut rng, position, from);
        }
        if let Some(rng) = self.incident(Rate::change_mind, nth) {
            self.touch_other(rng, position, mv, number);
        }
        self.inject_before_ply(position, mv, number);
        self.now > began
    }

    fn cable_out(&mut self, mut rng: Rng) {
        let from = self.now + rng.ms(Span(0, 3_000));
        let until = from + rng.ms(OUT);
        self.add(from, Act::Unplug, 0);
        self.add(until, Act::Plug, 0);
        self.truth.interruptions.push(Interruption { reason: InterruptionReason::CableOut, from, until });
    }

    /// Stops the clock, lifts pieces, perhaps puts some elsewhere, and restores everything. Without a clock nothing shows that the
    /// game is stopped; then pieces are only lifted.
    fn pause(&mut self, mut rng: Rng, position: &Position) {
        self.now += rng.ms(Span(500, 3_000));
        let from = self.now;
        if self.clock {
            self.add(self.now, Act::Stop, 0);
            self.now += rng.ms(Span(500, 3_000));
        }
        let correct = pieces(position);
        let mut occupied: Vec<Square> = position.board().occupied().into_iter().collect();
        let mut empty: Vec<Square> = (!position.board().occupied()).into_iter().collect();
        rng.shuffle(&mut occupied);
        rng.shuffle(&mut empty);
        let count = 1 + rng.below(6) as usize;
        let mut disturbed = correct;
        for (&square, &other) in occupied.iter().zip(&empty).take(count) {
            disturbed[square as usize] = None;
            if self.clock && rng.chance(500) {
                disturbed[other as usize] = correct[square as usize];
            }
        }
        self.rearrange(&mut rng, &correct, &disturbed);
        self.now += rng.ms(PAUSE);
        self.rearrange(&mut rng, &disturbed, &correct);
        self.now += rng.ms(Span(500, 3_000));
        if self.clock {
            self.add(self.now, Act::Start, 0);
            self.turned_at += self.now - from;
        }
        self.truth.interruptions.push(Interruption { reason: InterruptionReason::Pause, from, until: self.now });
        self.now += rng.ms(Span(500, 2_000));
    }

    /// Moves one king to the centre, where it cannot legally go, and back. Does nothing if the king could go to every empty square
    /// there.
    fn premature_king(&mut self, mut rng: Rng, position: &Position) {
        let color = if rng.chance(500) { Color::White } else { Color::Black };
        let Some(king) = position.board().king_of(color) else { return };
        let targets = crate::laws::CENTRE & !position.board().occupied() & !attacks::king_attacks(king);
        let targets: Vec<Square> = targets.into_iter().collect();
        let Some(to) = rng.pick(&targets) else { return };
        self.now += rng.ms(Span(500, 3_000));
        let piece = Role::King.of(color);
        for (from, to, pause) in [(king, to, KING_STAYS), (to, king, Span(300, 1_500))] {
            self.add(self.now, Act::Lift(from), 0);
            self.now += rng.ms(Span(300, 900));
            self.add(self.now, Act::Put(to, piece), 0);
            self.now += rng.ms(pause);
        }
    }

    fn adjust(&mut self, mut rng: Rng, position: &Position, color: Color, count: u64) {
        let mut squares: Vec<Square> = position.board().by_color(color).into_iter().collect();
        rng.shuffle(&mut squares);
        squares.truncate(count as usize);
        self.now += rng.ms(Span(300, 2_500));
        for &square in &squares {
            self.add(self.now, Act::Lift(square), 0);
            self.now += rng.ms(Span(0, 200));
        }
        self.now += rng.ms(Span(200, 1_500));
        rng.shuffle(&mut squares);
        for (square, piece) in squares.into_iter().filter_map(|square| Some((square, position.piece_at(square)?))) {
            self.add(self.now, Act::Put(square, piece), 0);
            self.now += rng.ms(Span(50, 400));
        }
    }

    /// Makes a move other than the game's, perhaps with replies, and takes it back.
    fn take_back(&mut self, mut rng: Rng, position: &Position, mv: Move, number: u32) {
        let count = rng.pick(&PLIES_BACK).unwrap_or(1);
        let mut line = vec![position.clone()];
        let mut plies = Vec::new();
        let mut previous = PreviousPly::quiet(self.now);
        for offset in 0..count {
            let Some(last) = line.last().cloned() else { break };
            let legal = last.legal_moves();
            let other = |other: &Move| (offset > 0 || *other != mv) && last.play(*other).ending().is_none();
            let candidates: Vec<Move> = legal.iter().copied().filter(other).collect();
            let Some(other) = rng.pick(&candidates) else { break };
            self.select_streams(u64::from(number + offset) | TAKEN_BACK_BIT);
            let (ply, after) = self.ply(&last, other, number + offset, &previous, false, None);
            plies.push(ply);
            previous = after;
            line.push(last.play(other));
        }
        if plies.is_empty() {
            return;
        }
        let is_odd = plies.len() % 2 == 1;
        self.now += rng.ms(Span(1_500, 8_000));
        let at = self.now;
        while let (Some(last), Some(earlier)) = (line.pop(), line.last()) {
            self.rearrange(&mut rng, &pieces(&last), &pieces(earlier));
        }
        if is_odd && self.clock && self.lever != position.turn() && self.occurs(Rate::takeback_press, number.into()) {
            self.now += rng.ms(Span(300, 2_500));
            self.press(self.lever, self.now, 0);
        }
        self.truth.takebacks.push(Takeback { from_ply: number, plies, at, done_at: self.now });
        self.now += rng.ms(Span(300, 2_000));
    }

    /// Lifts a piece, holds it, and puts it back.
    pub(super) fn hesitate(&mut self, rng: &mut Rng, position: &Position, square: Square) {
        let Some(piece) = position.piece_at(square) else { return };
        self.now += rng.ms(Span(500, 3_000));
        self.add(self.now, Act::Lift(square), 0);
        self.now += rng.ms(HESITATION);
        self.add(self.now, Act::Put(square, piece), 0);
        self.now += rng.ms(Span(300, 1_500));
    }

    /// Touches another piece that could have moved. Returns whether there is one.
    pub(super) fn touch_other(&mut self, mut rng: Rng, position: &Position, mv: Move, number: u32) -> bool {
        let legal = position.legal_moves();
        let others: Vec<Square> =
            legal.iter().filter_map(|other| other.from()).filter(|&from| Some(from) != mv.from()).collect();
        let Some(square) = rng.pick(&others) else { return false };
        let at = self.now;
        self.hesitate(&mut rng, position, square);
        let irregularity = Irregularity::new(IrregularityKind::TouchedOther, number, Some(position.turn()), vec![square], at);
        self.truth.irregularities.push(Irregularity { until: Some(self.now), ..irregularity });
        true
    }
}
