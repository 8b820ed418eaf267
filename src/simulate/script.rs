//! A game and a pair of hands: what is done to pieces and clock, when, and what it means.

use crate::boards::Millis;
use crate::game::GameResult;
use crate::laws::{Move, Position};
use crate::simulate::handling::{Handling, Hands};
use crate::simulate::hands::{Profile, Span};
use crate::simulate::pgn::Game;
use crate::simulate::rng::Rng;
use shakmaty::{Bitboard, Color, Piece, Role, Square};

/// What a hand does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// What stands on this square of play is taken off.
    Lift(Square),
    /// This piece now stands on this square of play, whatever stood there.
    Put(Square, Piece),
    /// This player presses the clock.
    Press(Color),
    /// The clock is started; White's time runs.
    Start,
    /// The clock is stopped.
    Stop,
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

/// What truly happened in one ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthPly {
    /// The move.
    pub uci: String,
    /// When its first piece was touched.
    pub touched_at: Millis,
    /// When the last piece was let go.
    pub done_at: Millis,
    /// When the clock was pressed; `None` without a clock, or where the move ended the game.
    pub pressed_at: Option<Millis>,
    /// How long the pieces rested, on the way, just as another legal move would have left them. Milliseconds, 0: never.
    pub stop_ms: u32,
    /// The time of the player who had less, when the move was made, in milliseconds; `None` without a clock.
    pub lowest_clock_ms: Option<u32>,
}

/// What truly happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Ply for ply.
    pub plies: Vec<TruthPly>,
    /// The result that the board or the rules told: mate, stalemate, or the kings in the centre.
    pub result: Option<GameResult>,
    /// When the kings stood in the centre.
    pub signalled_at: Option<Millis>,
    /// When the game itself was over: what comes later is the signal, sweeping and setting up.
    pub over_at: Millis,
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
const QUIET_END: Millis = 8_000;
/// Nobody touches a piece sooner after his own last move: he has at least to see that there is a reply. Milliseconds.
const REACTION: Millis = 300;
/// Squares of the two kings for each result, White's first (the six placements of the maker's rule, with either king on
/// either square).
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

/// Writes the script of a game: the same for the same game, profile, clock and seed, on every machine.
///
/// The clock times are those of the simulated game, whose thinking is compressed; how long a player thought in the PGN file
/// (`[%clk]`) only says whether he thinks long or short here.
pub fn write(game: &Game, profile: &Profile, clock: bool, seed: u64) -> Script {
    let writer = Writer {
        profile,
        hands: Hands::new(profile, Rng::new(seed, game.number as u64)),
        clock,
        actions: Vec::new(),
        clocks: [profile.clock_ms.0 as i64; 2],
        turned_at: 0,
        now: LEAD_IN,
    };
    writer.play(game)
}

struct Writer<'a> {
    profile: &'a Profile,
    hands: Hands<'a>,
    clock: bool,
    actions: Vec<Action>,
    /// White's and Black's time in milliseconds, when the lever was last pressed.
    clocks: [i64; 2],
    /// When the lever was last pressed, or the clock started.
    turned_at: Millis,
    /// Where the game itself has come to.
    now: Millis,
}

/// The ply before, as far as the next one can run into it.
struct Before {
    touched_at: Millis,
    done_at: Millis,
    pressed_at: Millis,
    squares: Bitboard,
    /// When the ply before that was done, by the player who is now to move.
    settled_at: Millis,
    /// The hand rested on the way.
    rested: bool,
}

impl Writer<'_> {
    fn play(mut self, game: &Game) -> Script {
        let rates = &self.profile.rates;
        let start = pieces(&game.start);
        let at_first = if self.hands.rng.chance(rates.set_up) {
            self.set_up(&start);
            [None; 64]
        } else {
            start
        };
        if self.clock {
            self.now += self.hands.rng.ms(Span(500, 2_000));
            self.add(self.now, Act::Start, 0);
        }
        self.turned_at = self.now;
        self.hands.look_ahead(game);

        let mut truth = Truth { plies: Vec::with_capacity(game.plies.len()), result: None, signalled_at: None, over_at: 0 };
        let mut position = game.start.clone();
        let mut before = Before {
            touched_at: self.now,
            done_at: self.now,
            pressed_at: self.now,
            squares: Bitboard::EMPTY,
            settled_at: self.now,
            rested: false,
        };
        let mut hurried: u32 = 0;
        for (index, ply) in game.plies.iter().enumerate() {
            if hurried == 0 && self.hands.rng.chance(rates.burst) {
                hurried = 3;
            }
            let number = index as u32 + 1;
            let thought = thought(game, index);
            let handling = self.hands.handle(&position, ply.mv, hurried > 0);
            let touched_at = self
                .touch_at(&before, &handling, number, hurried > 0, thought, &position)
                .max(before.settled_at + if number > 2 { REACTION } else { 0 });
            hurried = hurried.saturating_sub(1);

            for &(after, act) in &handling.acts {
                self.add(touched_at + after, act, number);
            }
            let done_at = (touched_at + handling.takes()).max(before.done_at + 1);
            let after = position.play(ply.mv);
            let over = after.ending().is_some();
            let press = if handling.hurried { Span(30, 80) } else { self.profile.times.press };
            let pressed_at = (done_at + self.hands.rng.ms(press)).max(before.pressed_at + 40);
            let lowest = self.clock.then(|| self.lowest_clock(position.turn(), done_at));
            let pressed = self.clock && !(over && self.hands.rng.chance(700));
            if pressed {
                self.add(pressed_at, Act::Press(position.turn()), number);
                self.turn_clock(position.turn(), pressed_at);
            }
            truth.plies.push(TruthPly {
                uci: position.uci(ply.mv),
                touched_at,
                done_at,
                pressed_at: pressed.then_some(pressed_at),
                stop_ms: handling.stop_ms,
                lowest_clock_ms: lowest,
            });
            before = Before {
                touched_at,
                done_at,
                pressed_at,
                squares: handling.squares(),
                settled_at: before.done_at,
                rested: handling.stop_ms > 0,
            };
            position = after;
            self.now = pressed_at;
        }
        self.finish(game, &position, truth, at_first)
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
        let (rates, times) = (&self.profile.rates, &self.profile.times);
        if number > 1 && !hurried && self.hands.rng.chance(rates.early_reply) {
            // Who sees the hand rest on the way waits; otherwise he may know where the piece is going.
            let apart = !before.rested && (before.squares & handling.squares()).is_empty();
            if apart && self.hands.rng.chance(rates.unsettled_reply) {
                let span = before.done_at.saturating_sub(before.touched_at).saturating_sub(20).min(400) as u32;
                return before.done_at - self.hands.rng.ms(Span(0, span));
            }
            return before.done_at + self.hands.rng.below((before.pressed_at - before.done_at).max(1));
        }
        if hurried {
            return before.pressed_at + self.hands.rng.ms(Span(5, 60));
        }
        let Span(shortest, longest) = times.think;
        let think = match thought {
            // Twenty times as fast as the game was.
            Some(ms) => u64::from((ms / 20).clamp(shortest, longest)),
            None => self.hands.rng.ms(times.think).min(self.hands.rng.ms(times.think)),
        };
        let think = if self.clock && self.clocks[position.turn() as usize] < 12_000 { u64::from(shortest) } else { think };
        let mut at = before.pressed_at + think;
        if self.hands.rng.chance(rates.adjust) {
            let own: Vec<Square> = position.board().by_color(position.turn()).into_iter().collect();
            if let Some((square, piece)) =
                self.hands.rng.pick(&own).and_then(|square| Some((square, position.piece_at(square)?)))
            {
                let takes = self.hands.rng.ms(times.adjust);
                self.add(at, Act::Lift(square), 0);
                self.add(at + takes, Act::Put(square, piece), 0);
                at += takes + self.hands.rng.ms(Span(300, 1_200));
            }
        }
        at
    }

    /// The result signal, sweeping, setting up.
    fn finish(mut self, game: &Game, end: &Position, mut truth: Truth, at_first: [Option<Piece>; 64]) -> Script {
        truth.over_at = self.now;
        let mated = end.ending().is_some();
        truth.result = end.winner().map(|winner| winner.fold_wb(GameResult::WhiteWins, GameResult::BlackWins));
        if mated && truth.result.is_none() {
            truth.result = Some(GameResult::Draw);
        }
        let rates = self.profile.rates;
        let told = if mated { truth.result } else { game.result };
        let signal = told.filter(|_| game.signalled || self.hands.rng.chance(rates.kings_signal));
        let stop_late = self.clock && self.hands.rng.chance(150);
        if self.clock && !stop_late {
            self.now += self.hands.rng.ms(Span(300, 2_500));
            self.add(self.now, Act::Stop, 0);
        }
        let mut squares = pieces(end);
        if let Some(result) = signal {
            self.now += self.hands.rng.ms(Span(600, 4_000));
            self.kings_to_centre(result, &mut squares);
            truth.signalled_at = Some(self.now);
            truth.result = Some(result);
            self.now += self.hands.rng.ms(Span(3_500, 7_000));
        }
        if stop_late {
            self.now += self.hands.rng.ms(Span(300, 2_500));
            self.add(self.now, Act::Stop, 0);
        }
        if self.hands.rng.chance(rates.sweep) {
            self.now += self.hands.rng.ms(Span(3_000, 12_000));
            self.sweep(&squares);
            self.now += self.hands.rng.ms(Span(500, 3_000));
            self.set_up(&pieces(&game.start));
        }
        self.actions.sort_by_key(|action| action.at);
        let ends_at = self.actions.last().map_or(self.now, |last| last.at.max(self.now)) + QUIET_END;
        Script { at_first, actions: self.actions, truth, ends_at }
    }

    fn kings_to_centre(&mut self, result: GameResult, squares: &mut [Option<Piece>; 64]) {
        let find = |squares: &[Option<Piece>; 64], color: Color| {
            Square::ALL.into_iter().find(|&square| squares[square as usize] == Some(Role::King.of(color)))
        };
        let (Some(white), Some(black)) = (find(squares, Color::White), find(squares, Color::Black)) else { return };
        let placements: Vec<_> = SIGNALS.iter().filter(|signal| signal.0 == result).collect();
        let Some(&(_, white_to, black_to)) = self.hands.rng.pick(&placements) else { return };
        let travel = self.profile.times.travel;
        let mut walks = [(Color::White, white, white_to), (Color::Black, black, black_to)];
        self.hands.rng.shuffle(&mut walks);
        let together = self.hands.rng.chance(self.profile.rates.kings_together);

        // What stands on the two squares is usually taken off first, otherwise the king takes its place.
        for to in [white_to, black_to] {
            let other = squares[to as usize].is_some_and(|piece| piece.role != Role::King);
            if other && self.hands.rng.chance(700) {
                self.lift(to, squares);
                self.now += self.hands.rng.ms(travel);
            }
        }
        // A king whose square is the other one's destination has to leave first.
        let together = together || walks.iter().any(|walk| walks.iter().any(|other| walk.0 != other.0 && walk.1 == other.2));
        let pause = Span(150, 900);
        if together {
            for (_, from, _) in walks {
                self.lift(from, squares);
                self.now += self.hands.rng.ms(Span(20, 500));
            }
        }
        for (color, from, to) in walks {
            if !together {
                self.lift(from, squares);
                self.now += self.hands.rng.ms(travel);
            }
            squares[to as usize] = Some(Role::King.of(color));
            self.add(self.now, Act::Put(to, Role::King.of(color)), 0);
            self.now += self.hands.rng.ms(pause);
        }
    }

    fn lift(&mut self, square: Square, squares: &mut [Option<Piece>; 64]) {
        squares[square as usize] = None;
        self.add(self.now, Act::Lift(square), 0);
    }

    fn sweep(&mut self, squares: &[Option<Piece>; 64]) {
        let mut standing: Vec<Square> = Square::ALL.into_iter().filter(|&square| squares[square as usize].is_some()).collect();
        self.hands.rng.shuffle(&mut standing);
        for square in standing {
            self.add(self.now, Act::Lift(square), 0);
            self.now += self.hands.rng.ms(Span(10, 250));
        }
    }

    /// Puts the pieces on an empty board, in any order, by many hands.
    fn set_up(&mut self, squares: &[Option<Piece>; 64]) {
        let mut wanted: Vec<(Square, Piece)> =
            Square::ALL.into_iter().filter_map(|square| Some((square, squares[square as usize]?))).collect();
        self.hands.rng.shuffle(&mut wanted);
        for (square, piece) in wanted {
            self.now += self.hands.rng.ms(Span(20, 500));
            self.add(self.now, Act::Put(square, piece), 0);
        }
        self.now += self.hands.rng.ms(Span(2_000, 6_000));
    }

    fn add(&mut self, at: Millis, act: Act, ply: u32) {
        self.actions.push(Action { at, act, ply });
    }

    fn lowest_clock(&self, mover: Color, now: Millis) -> u32 {
        let runs = now.saturating_sub(self.turned_at) as i64;
        let mine = self.clocks[mover as usize] - runs;
        mine.min(self.clocks[!mover as usize]).max(0) as u32
    }

    fn turn_clock(&mut self, mover: Color, now: Millis) {
        let runs = now.saturating_sub(self.turned_at) as i64;
        self.clocks[mover as usize] += i64::from(self.profile.clock_ms.1) - runs;
        self.turned_at = now;
    }
}

/// What stands on each square.
fn pieces(position: &Position) -> [Option<Piece>; 64] {
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
