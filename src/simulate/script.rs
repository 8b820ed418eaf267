//! A game and a pair of hands: what is done to pieces and clock, when, and what it means.

use crate::boards::Millis;
use crate::laws::{Move, Position};
use crate::simulate::breach::{OutOfPlace, Wanted};
use crate::simulate::handling::{Handling, Hands};
use crate::simulate::hands::{Profile, Rate, Span};
use crate::simulate::irregularity::Injection;
use crate::simulate::pgn::Game;
use crate::simulate::promotion::underpromoted;
use crate::simulate::rng::{Dice, Rng};
use crate::simulate::truth::{Truth, TruthPly};
use shakmaty::{Bitboard, Color, Piece, Square};

/// What a hand does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// What stands on this square of play is taken off.
    Lift(Square),
    /// This piece now stands on this square of play, whatever stood there.
    Put(Square, Piece),
    /// This player presses the clock.
    Press(Color),
    /// The clock is started; the time of the player whose lever is up runs, at first White's.
    Start,
    /// The clock is stopped.
    Stop,
    /// The cable is pulled out.
    Unplug,
    /// The cable is plugged in again.
    Plug,
}

/// Something done at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// When.
    pub at: Millis,
    /// What.
    pub act: Act,
    /// The ply that it belongs to, from 1; 0 where it belongs to none (adjusting, setting up, the result signal).
    pub ply: u32,
}

/// What the hands do, in order, and what it means.
#[derive(Clone, Debug)]
pub struct Script {
    /// What stands on the squares of play at time 0.
    pub at_first: [Option<Piece>; 64],
    /// What is done; times never decrease.
    pub actions: Vec<Action>,
    /// What it means.
    pub truth: Truth,
    /// When nothing more happens, in milliseconds: the last action and a quiet spell.
    pub ends_at: Millis,
}

/// From the moment the board is looked at until the first thing happens. Milliseconds.
const LEAD_IN: Millis = 2_500;
/// How long the board is left alone at the end. Milliseconds.
pub(super) const QUIET_END: Millis = 8_000;
/// Nobody touches a piece sooner after his own last move: he has at least to see that there is a reply. Milliseconds.
const REACTION: Millis = 300;
/// Writes the script of a game: the same for the same game, profile, clock, seed and irregularities, on every machine.
///
/// The clock times are those of the simulated game, whose thinking is compressed; how long a player thought in the PGN file
/// (`[%clk]`) only says whether he thinks long or short here.
pub fn write(game: &Game, profile: &Profile, clock: bool, seed: u64, wanted: &[Injection]) -> Script {
    let dice = Dice::new(seed, game.number as u64);
    let game = &underpromoted(game, &profile.rates, dice);
    let writer = Writer {
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
        wanted: wanted.iter().filter_map(|&one| Wanted::of(one, game, dice)).collect(),
        pending: Vec::new(),
        truth: Truth::default(),
    };
    writer.play(game)
}

/// Who writes the script, ply by ply.
pub(super) struct Writer<'a> {
    pub profile: &'a Profile,
    pub dice: Dice,
    pub hands: Hands<'a>,
    /// How long people think and wait, anew for each ply.
    pub pace: Rng,
    pub clock: bool,
    actions: Vec<Action>,
    /// White's and Black's time in milliseconds, when the lever was last pressed.
    clocks: [i64; 2],
    /// Whose time runs.
    pub lever: Color,
    /// When the lever was last pressed, or the clock started.
    pub turned_at: Millis,
    /// Where the game itself has come to: everything before is settled.
    pub now: Millis,
    /// What is played, from the start.
    pub moves: Vec<Move>,
    /// The positions of the game so far, the start first.
    pub line: Vec<Position>,
    /// Irregularities still to be committed.
    pub wanted: Vec<Wanted>,
    /// Pieces out of place.
    pub pending: Vec<OutOfPlace>,
    pub truth: Truth,
}

/// The ply before, as far as the next one can run into it.
pub(super) struct Before {
    touched_at: Millis,
    done_at: Millis,
    pressed_at: Millis,
    squares: Bitboard,
    /// When the ply before that was done, by the player who is now to move.
    settled_at: Millis,
    /// The hand rested on the way.
    rested: bool,
    /// Something else came between: nobody is in a hurry.
    quiet: bool,
}

impl Before {
    /// Nobody has touched anything for a while.
    pub fn quiet(now: Millis) -> Before {
        Before {
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

/// What the dice are thrown for when everything is over.
pub(super) const AFTERWARDS: u64 = 1 << 32;
/// Set in what the dice are thrown for where it is about a ply that will be taken back.
pub(super) const ASIDE: u64 = 1 << 33;
/// Set where it is about people's pace, not their hands'.
const PACE: u64 = 1 << 34;

impl Writer<'_> {
    fn play(mut self, game: &Game) -> Script {
        let start = pieces(&game.start);
        self.begin(0);
        let at_first = if self.falls(Rate::set_up, 0) {
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
        self.hands.look_ahead(game);

        let mut position = game.start.clone();
        let mut before = Before::quiet(self.now);
        let mut hurried: u32 = 0;
        let mut index = 0;
        while index < self.moves.len() {
            let number = index as u32 + 1;
            if hurried == 0 {
                if self.falls(Rate::burst, number.into()) {
                    hurried = 3;
                } else if self.incidents(&mut position, number) {
                    before = Before::quiet(self.now);
                    // The incident was this ply itself: an illegal move that stands.
                    if self.line.len() > index + 1 {
                        index += 1;
                        continue;
                    }
                }
            }
            let Some(&mv) = self.moves.get(index) else { break };
            let breach = self.breach(&position, mv, number);
            let thought = thought(game, index);
            self.begin(number.into());
            self.hands.breach = breach.filter(|_| hurried == 0);
            let (ply, after) = self.ply(&position, mv, number, &before, hurried > 0, thought);
            if let Some(kind) = self.hands.breach.take() {
                self.breached(kind, &position, mv, number, &ply);
            }
            hurried = hurried.saturating_sub(1);
            self.truth.plies.push(ply);
            before = after;
            position = position.play(mv);
            self.line.push(position.clone());
            index += 1;
        }
        self.put_right(None);
        self.finish(game, &position, at_first)
    }

    /// What follows is decided by chance of its own.
    pub fn begin(&mut self, nth: u64) {
        self.hands.begin(nth);
        self.pace = self.dice.pace(nth | PACE);
    }

    /// Whether it happens the nth time.
    pub fn falls(&self, rate: Rate, nth: u64) -> bool {
        self.dice.falls(&self.profile.rates, rate, nth)
    }

    /// One ply, from the first touch to the press of the clock.
    pub fn ply(
        &mut self,
        position: &Position,
        mv: Move,
        number: u32,
        before: &Before,
        hurried: bool,
        thought: Option<u32>,
    ) -> (TruthPly, Before) {
        let handling = self.hands.handle(position, mv, hurried);
        let touched_at = self
            .touch_at(before, &handling, number, hurried, thought, position)
            .max(before.settled_at + if number > 2 { REACTION } else { 0 });
        for &(after, act) in &handling.acts {
            self.add(touched_at + after, act, number);
        }
        let done_at = (touched_at + handling.let_go).max(before.done_at + 1);
        let over = position.play(mv).ending().is_some();
        let press = if handling.hurried { Span(30, 80) } else { self.profile.times.press };
        let pressed_at = (done_at + self.pace.ms(press)).max(before.pressed_at + 40);
        let lowest = self.clock.then(|| self.lowest_clock(done_at));
        // After a takeback the opponent's time may run already: there is nothing to press.
        let pressed = self.clock && self.lever == position.turn() && !(over && self.pace.chance(700));
        if pressed {
            self.press(position.turn(), pressed_at, number);
        }
        let ply = TruthPly {
            uci: position.uci(mv),
            touched_at,
            done_at,
            pressed_at: pressed.then_some(pressed_at),
            stop_ms: handling.stop_ms,
            lowest_clock_ms: lowest,
        };
        self.now = pressed_at;
        if handling.takes() > handling.let_go {
            self.now = pressed_at.max(touched_at + handling.takes());
            return (ply, Before::quiet(self.now));
        }
        let after = Before {
            touched_at,
            done_at,
            pressed_at,
            squares: handling.squares(),
            settled_at: before.done_at,
            rested: handling.stop_ms > 0,
            quiet: false,
        };
        (ply, after)
    }

    /// When the next ply begins: after some thought, or early. Before it the player may adjust a piece.
    fn touch_at(
        &mut self,
        before: &Before,
        handling: &Handling,
        number: u32,
        hurried: bool,
        thought: Option<u32>,
        position: &Position,
    ) -> Millis {
        let times = &self.profile.times;
        if number > 1 && !hurried && !before.quiet && self.falls(Rate::early_reply, number.into()) {
            // Who sees the hand rest on the way waits; otherwise he may know where the piece is going.
            let apart = !before.rested && (before.squares & handling.squares()).is_empty();
            if apart && self.falls(Rate::unsettled_reply, number.into()) {
                let span = before.done_at.saturating_sub(before.touched_at).saturating_sub(20).min(400) as u32;
                return before.done_at - self.pace.ms(Span(0, span));
            }
            return before.done_at + self.pace.below((before.pressed_at - before.done_at).max(1));
        }
        if hurried {
            return before.pressed_at + self.pace.ms(Span(5, 60));
        }
        let Span(shortest, longest) = times.think;
        let think = match thought {
            // Twenty times as fast as the game was.
            Some(ms) => u64::from((ms / 20).clamp(shortest, longest)),
            None => self.pace.ms(times.think).min(self.pace.ms(times.think)),
        };
        let think = if self.clock && self.clocks[position.turn() as usize] < 12_000 { u64::from(shortest) } else { think };
        let mut at = before.pressed_at + think;
        if self.falls(Rate::adjust, number.into()) {
            let own: Vec<Square> = position.board().by_color(position.turn()).into_iter().collect();
            if let Some((square, piece)) = self.pace.pick(&own).and_then(|square| Some((square, position.piece_at(square)?))) {
                let takes = self.pace.ms(times.adjust);
                self.add(at, Act::Lift(square), 0);
                self.add(at + takes, Act::Put(square, piece), 0);
                at += takes + self.pace.ms(Span(300, 1_200));
            }
        }
        at
    }

    /// Something is done.
    pub fn add(&mut self, at: Millis, act: Act, ply: u32) {
        self.actions.push(Action { at, act, ply });
    }

    /// A player presses the clock, whose lever is up on his side.
    pub fn press(&mut self, color: Color, at: Millis, ply: u32) {
        self.add(at, Act::Press(color), ply);
        let runs = at.saturating_sub(self.turned_at) as i64;
        self.clocks[color as usize] += i64::from(self.profile.clock_ms.1) - runs;
        self.turned_at = at;
        self.lever = !color;
    }

    fn lowest_clock(&self, now: Millis) -> u32 {
        let runs = now.saturating_sub(self.turned_at) as i64;
        let running = self.clocks[self.lever as usize] - runs;
        running.min(self.clocks[!self.lever as usize]).max(0) as u32
    }

    /// Pieces are moved by one hand until the board looks like this, and belong to no ply.
    pub fn rearrange(&mut self, rng: &mut Rng, from: &[Option<Piece>; 64], to: &[Option<Piece>; 64]) {
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

    /// The script as it is now.
    pub fn close(mut self, at_first: [Option<Piece>; 64]) -> Script {
        self.actions.sort_by_key(|action| action.at);
        let ends_at = self.actions.last().map_or(self.now, |last| last.at.max(self.now)) + QUIET_END;
        self.truth.irregularities.sort_by_key(|irregularity| irregularity.at);
        self.truth.interruptions.sort_by_key(|interruption| interruption.from);
        Script { at_first, actions: self.actions, truth: self.truth, ends_at }
    }
}

/// What stands on each square.
pub(super) fn pieces(position: &Position) -> [Option<Piece>; 64] {
    std::array::from_fn(|index| position.piece_at(Square::new(index as u32)))
}

/// How long the mover thought in the game, where both of his clock times are known. Milliseconds, without increment.
fn thought(game: &Game, index: usize) -> Option<u32> {
    let now = game.plies.get(index)?.clock_ms?;
    let before = game.plies.get(index.checked_sub(2)?)?.clock_ms?;
    Some(before.saturating_sub(now))
}

/// The squares of one man's move that lie between its ends; for castling, those the king crosses.
pub(super) fn path(mv: Move) -> Bitboard {
    match mv {
        Move::Normal { from, to, .. } => shakmaty::attacks::between(from, to),
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_queen_side(rook < king);
            let to = Square::from_coords(side.king_to_file(), king.rank());
            shakmaty::attacks::between(king, to).without(rook)
        }
        _ => Bitboard::EMPTY,
    }
}
