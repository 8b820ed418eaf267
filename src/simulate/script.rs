//! The script of a game: what the hands do to pieces and clock, when, and the ground truth that follows from it.

use crate::boards::Millis;
use crate::laws::{Move, Position};
use crate::simulate::act::{Act, pieces};
use crate::simulate::handling::{Handling, Hands};
use crate::simulate::hands::{HandsProfile, Rate, Span};
use crate::simulate::irregularity::Injection;
use crate::simulate::pending_injection::{MisplacedPiece, PendingInjection};
use crate::simulate::pgn::SourceGame;
use crate::simulate::promotion::underpromoted;
use crate::simulate::rng::{Dice, Rng};
use crate::simulate::truth::{GroundTruth, TruthPly};
use shakmaty::{Bitboard, Color, Piece, Square};

/// An act with its time and ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// When it is done.
    pub at: Millis,
    /// What is done.
    pub act: Act,
    /// The ply that it belongs to, from 1; 0 if it belongs to none (adjusting, setting up, the result signal).
    pub ply: u32,
}

/// The actions of the hands in order, with the ground truth.
#[derive(Clone, Debug)]
pub struct Script {
    /// The pieces on the squares of play at time 0.
    pub initial_pieces: [Option<Piece>; 64],
    /// The actions; times never decrease.
    pub actions: Vec<Action>,
    /// The ground truth.
    pub truth: GroundTruth,
    /// End of the script, in milliseconds: the last action and a quiet period.
    pub ends_at: Millis,
}

/// Time from the start of the script to the first action, in milliseconds.
const LEAD_IN: Millis = 2_500;
/// Quiet period at the end of the script, in milliseconds.
pub(super) const QUIET_END: Millis = 8_000;
/// Minimum time between a player's move and that player's next touch, in milliseconds: the player must see the reply first.
const REACTION: Millis = 300;
/// Writes the script of a game: the same for the same game, profile, clock, seed and irregularities, on every machine.
///
/// The clock times are those of the simulated game, whose thinking times are compressed. The thinking times of the PGN file
/// (`[%clk]`) decide only whether a player thinks for a long or a short time here.
pub fn write(game: &SourceGame, profile: &HandsProfile, clock: bool, seed: u64, injections: &[Injection]) -> Script {
    let dice = Dice::new(seed, game.number as u64);
    let game = &underpromoted(game, &profile.rates, dice);
    let writer = ScriptWriter {
        profile,
        dice,
        hands: Hands::new(profile, dice),
        pace: dice.pace(0),
        clock,
        actions: Vec::new(),
        clocks: [profile.clock_ms.0 as i64; 2],
        lever: Color::White,
        turned_at: 0,
        now: LEAD_IN,
        moves: game.plies.iter().map(|ply| ply.mv).collect(),
        line: vec![game.start.clone()],
        pending_injections: injections.iter().filter_map(|&injection| PendingInjection::of(injection, game, dice)).collect(),
        out_of_place: Vec::new(),
        truth: GroundTruth::default(),
    };
    writer.play(game)
}

/// Writes the script, ply by ply.
pub(super) struct ScriptWriter<'a> {
    pub profile: &'a HandsProfile,
    pub dice: Dice,
    pub hands: Hands<'a>,
    /// Random stream for thinking and waiting times, renewed for each ply.
    pub pace: Rng,
    pub clock: bool,
    actions: Vec<Action>,
    /// White's and Black's time in milliseconds when the lever was last pressed.
    clocks: [i64; 2],
    /// The side whose time runs.
    pub lever: Color,
    /// When the lever was last pressed, or the clock was started.
    pub turned_at: Millis,
    /// Current time of the script: everything earlier is settled.
    pub now: Millis,
    /// The moves of the game, from the start.
    pub moves: Vec<Move>,
    /// The positions of the game so far, the start first.
    pub line: Vec<Position>,
    /// Irregularities still to be injected.
    pub pending_injections: Vec<PendingInjection>,
    /// Pieces out of place.
    pub out_of_place: Vec<MisplacedPiece>,
    pub truth: GroundTruth,
}

/// The previous ply, with what determines how the next one can overlap it.
pub(super) struct PreviousPly {
    touched_at: Millis,
    done_at: Millis,
    pressed_at: Millis,
    squares: Bitboard,
    /// When the ply before the previous one was done, by the player who is now to move.
    settled_at: Millis,
    /// The hand rested on the path.
    rested: bool,
    /// Something else happened in between, so the next ply does not overlap.
    quiet: bool,
}

impl PreviousPly {
    /// Returns the state after a pause in which nothing was touched.
    pub(super) fn quiet(now: Millis) -> PreviousPly {
        PreviousPly {
            touched_at: now,
            done_at: now,
            pressed_at: now,
            squares: Bitboard::EMPTY,
            settled_at: now,
            rested: true,
            quiet: true,
        }
    }
}

/// Dice index for what happens after the game.
pub(super) const AFTER_GAME_INDEX: u64 = 1 << 32;
/// Bit of the dice index for plies that will be taken back.
pub(super) const TAKEN_BACK_BIT: u64 = 1 << 33;
/// Bit of the dice index for thinking and waiting times, as opposed to handling.
const PACE_BIT: u64 = 1 << 34;

impl ScriptWriter<'_> {
    fn play(mut self, game: &SourceGame) -> Script {
        let start = pieces(&game.start);
        self.select_streams(0);
        let initial_pieces = if self.occurs(Rate::set_up, 0) {
            self.set_up(&start);
            [None; 64]
        } else {
            start
        };
        if self.clock {
            self.now += self.pace.ms(Span(500, 2_000));
            self.add(self.now, Act::Start, 0);
        }
        self.turned_at = self.now;
        self.hands.compute_slide_rate(game);

        let mut position = game.start.clone();
        let mut previous = PreviousPly::quiet(self.now);
        let mut hurried: u32 = 0;
        let mut index = 0;
        while index < self.moves.len() {
            let number = index as u32 + 1;
            if hurried == 0 {
                if self.occurs(Rate::burst, number.into()) {
                    hurried = 3;
                } else if self.incidents(&mut position, number) {
                    previous = PreviousPly::quiet(self.now);
                    // The incident was this ply itself: an illegal move that remains in the game.
                    if self.line.len() > index + 1 {
                        index += 1;
                        continue;
                    }
                }
            }
            let Some(&mv) = self.moves.get(index) else { break };
            let injected = self.take_fitting_injection(&position, mv, number);
            let thinking_ms = thinking_time(game, index);
            self.select_streams(number.into());
            self.hands.irregularity = injected.filter(|_| hurried == 0);
            let (ply, after) = self.ply(&position, mv, number, &previous, hurried > 0, thinking_ms);
            if let Some(kind) = self.hands.irregularity.take() {
                self.record_irregularity(kind, &position, mv, number, &ply);
            }
            hurried = hurried.saturating_sub(1);
            self.truth.plies.push(ply);
            previous = after;
            position = position.play(mv);
            self.line.push(position.clone());
            index += 1;
        }
        self.restore_pieces(None);
        self.finish(game, &position, initial_pieces)
    }

    /// Switches to the random streams of index `nth`.
    pub(super) fn select_streams(&mut self, nth: u64) {
        self.hands.begin(nth);
        self.pace = self.dice.pace(nth | PACE_BIT);
    }

    /// Returns whether the event of this rate occurs the `nth` time.
    pub(super) fn occurs(&self, rate: Rate, nth: u64) -> bool {
        self.dice.occurs(&self.profile.rates, rate, nth)
    }

    /// Writes one ply, from the first touch to the press of the clock.
    pub(super) fn ply(
        &mut self,
        position: &Position,
        mv: Move,
        number: u32,
        previous: &PreviousPly,
        hurried: bool,
        thinking_ms: Option<u32>,
    ) -> (TruthPly, PreviousPly) {
        let handling = self.hands.handle(position, mv, hurried);
        let touched_at = self
            .touch_at(previous, &handling, number, hurried, thinking_ms, position)
            .max(previous.settled_at + if number > 2 { REACTION } else { 0 });
        for &(after, act) in &handling.acts {
            self.add(touched_at + after, act, number);
        }
        let done_at = (touched_at + handling.let_go).max(previous.done_at + 1);
        let ends_game = position.play(mv).ending().is_some();
        let press = if handling.hurried { Span(30, 80) } else { self.profile.times.press };
        let pressed_at = (done_at + self.pace.ms(press)).max(previous.pressed_at + 40);
        let lowest_clock_ms = self.clock.then(|| self.lowest_clock(done_at));
        // After a takeback the opponent's time may already run; then there is nothing to press.
        let pressed = self.clock && self.lever == position.turn() && !(ends_game && self.pace.chance(700));
        if pressed {
            self.press(position.turn(), pressed_at, number);
        }
        let ply = TruthPly {
            uci: position.uci(mv),
            touched_at,
            done_at,
            pressed_at: pressed.then_some(pressed_at),
            stop_ms: handling.stop_ms,
            lowest_clock_ms,
        };
        self.now = pressed_at;
        if handling.duration() > handling.let_go {
            self.now = pressed_at.max(touched_at + handling.duration());
            return (ply, PreviousPly::quiet(self.now));
        }
        let after = PreviousPly {
            touched_at,
            done_at,
            pressed_at,
            squares: handling.squares(),
            settled_at: previous.done_at,
            rested: handling.stop_ms > 0,
            quiet: false,
        };
        (ply, after)
    }

    /// Returns when the next ply begins: after some thought, or early. The player may adjust a piece before it.
    fn touch_at(
        &mut self,
        previous: &PreviousPly,
        handling: &Handling,
        number: u32,
        hurried: bool,
        thinking_ms: Option<u32>,
        position: &Position,
    ) -> Millis {
        let times = &self.profile.times;
        if number > 1 && !hurried && !previous.quiet && self.occurs(Rate::early_reply, number.into()) {
            // A player who sees the hand rest on the path waits; otherwise the destination may already be clear.
            let is_separate = !previous.rested && (previous.squares & handling.squares()).is_empty();
            if is_separate && self.occurs(Rate::unsettled_reply, number.into()) {
                let span = previous.done_at.saturating_sub(previous.touched_at).saturating_sub(20).min(400) as u32;
                return previous.done_at - self.pace.ms(Span(0, span));
            }
            return previous.done_at + self.pace.below((previous.pressed_at - previous.done_at).max(1));
        }
        if hurried {
            return previous.pressed_at + self.pace.ms(Span(5, 60));
        }
        let Span(shortest, longest) = times.think;
        let think = match thinking_ms {
            // Thinking times are those of the game divided by twenty.
            Some(ms) => u64::from((ms / 20).clamp(shortest, longest)),
            None => self.pace.ms(times.think).min(self.pace.ms(times.think)),
        };
        let think = if self.clock && self.clocks[position.turn() as usize] < 12_000 { u64::from(shortest) } else { think };
        let mut at = previous.pressed_at + think;
        if self.occurs(Rate::adjust, number.into()) {
            let squares: Vec<Square> = position.board().by_color(position.turn()).into_iter().collect();
            if let Some((square, piece)) =
                self.pace.pick(&squares).and_then(|square| Some((square, position.piece_at(square)?)))
            {
                let duration = self.pace.ms(times.adjust);
                self.add(at, Act::Lift(square), 0);
                self.add(at + duration, Act::Put(square, piece), 0);
                at += duration + self.pace.ms(Span(300, 1_200));
            }
        }
        at
    }

    /// Adds an act at this time, for this ply (0: none).
    pub(super) fn add(&mut self, at: Millis, act: Act, ply: u32) {
        self.actions.push(Action { at, act, ply });
    }

    /// The player whose time runs presses the clock.
    pub(super) fn press(&mut self, color: Color, at: Millis, ply: u32) {
        self.add(at, Act::Press(color), ply);
        let elapsed = at.saturating_sub(self.turned_at) as i64;
        self.clocks[color as usize] += i64::from(self.profile.clock_ms.1) - elapsed;
        self.turned_at = at;
        self.lever = !color;
    }

    fn lowest_clock(&self, now: Millis) -> u32 {
        let elapsed = now.saturating_sub(self.turned_at) as i64;
        let running = self.clocks[self.lever as usize] - elapsed;
        running.min(self.clocks[!self.lever as usize]).max(0) as u32
    }

    /// Moves pieces with one hand until the board equals `to`. The acts belong to no ply.
    pub(super) fn rearrange(&mut self, rng: &mut Rng, from: &[Option<Piece>; 64], to: &[Option<Piece>; 64]) {
        let differ: Vec<Square> =
            Square::ALL.into_iter().filter(|&square| from[square as usize] != to[square as usize]).collect();
        for &square in differ.iter().filter(|&&square| from[square as usize].is_some()) {
            self.add(self.now, Act::Lift(square), 0);
            self.now += rng.ms(Span(150, 700));
        }
        for (square, piece) in differ.iter().filter_map(|&square| Some((square, to[square as usize]?))) {
            self.add(self.now, Act::Put(square, piece), 0);
            self.now += rng.ms(Span(150, 700));
        }
    }

    /// Closes the script.
    pub(super) fn close(mut self, initial_pieces: [Option<Piece>; 64]) -> Script {
        self.actions.sort_by_key(|action| action.at);
        let ends_at = self.actions.last().map_or(self.now, |last| last.at.max(self.now)) + QUIET_END;
        self.truth.irregularities.sort_by_key(|irregularity| irregularity.at);
        self.truth.interruptions.sort_by_key(|interruption| interruption.from);
        Script { initial_pieces, actions: self.actions, truth: self.truth, ends_at }
    }
}

/// Returns the mover's thinking time in the game, in milliseconds without increment, if both clock times are known.
fn thinking_time(game: &SourceGame, index: usize) -> Option<u32> {
    let now = game.plies.get(index)?.clock_ms?;
    let before = game.plies.get(index.checked_sub(2)?)?.clock_ms?;
    Some(before.saturating_sub(now))
}
