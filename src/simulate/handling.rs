//! Carries out one move by hand.

mod irregular;
mod one_piece;

use crate::laws::{Changes, Move, Position};
use crate::simulate::act::{Act, path};
use crate::simulate::hands::{HandsProfile, Rate, Span};
use crate::simulate::irregularity::IrregularityKind;
use crate::simulate::pgn::SourceGame;
use crate::simulate::rng::{Dice, Rng};
use shakmaty::{Bitboard, Board, CastlingSide, Piece, Role, Square, attacks};

/// How the pieces are handled in one move.
#[derive(Clone, Debug)]
pub struct Handling {
    /// The acts with their time after the first touch, in milliseconds, in order of time.
    pub acts: Vec<(u64, Act)>,
    /// Time from the first touch until the mover lets go, in milliseconds. Later acts correct what the mover left untidy.
    pub let_go: u64,
    /// Longest time for which the pieces rested in the position of another legal move, in milliseconds.
    pub stop_ms: u32,
    /// This is one of several plies within a second.
    pub hurried: bool,
}

impl Handling {
    /// Returns the time from the first touch until the last piece is on its square, in milliseconds.
    pub fn duration(&self) -> u64 {
        self.acts.last().map_or(0, |act| act.0).max(self.let_go)
    }

    /// Returns every square that is touched.
    pub fn squares(&self) -> Bitboard {
        self.acts.iter().fold(Bitboard::EMPTY, |squares, (_, act)| match act {
            Act::Lift(square) | Act::Put(square, _) => squares.with(*square),
            _ => squares,
        })
    }
}

/// The pair of hands that carries out moves.
pub struct Hands<'a> {
    profile: &'a HandsProfile,
    /// Decides which habits and faults occur.
    dice: Dice,
    /// The ply together with its line of play: the index for the dice.
    nth: u64,
    /// Decides durations, and picks one of several choices.
    pub rng: Rng,
    /// The irregularity of the next move.
    pub irregularity: Option<IrregularityKind>,
    /// Rate of slides among the moves that allow one, in thousandths.
    slide: u32,
}

/// A time longer than a whole scan of the slowest board, so that the board sees the state, in milliseconds.
const SEEN: Span = Span(260, 340);

/// A list of acts in order of time, with the current time.
#[derive(Default)]
struct Acts {
    list: Vec<(u64, Act)>,
    at: u64,
    released_at: Option<u64>,
}

impl Acts {
    fn wait(&mut self, ms: u64) {
        self.at += ms;
    }
    fn lift(&mut self, square: Square) {
        self.list.push((self.at, Act::Lift(square)));
    }
    fn put(&mut self, square: Square, piece: Piece) {
        self.list.push((self.at, Act::Put(square, piece)));
    }
}

impl Hands<'_> {
    /// Creates hands with this profile; all their chance comes from `dice`.
    pub fn new(profile: &HandsProfile, dice: Dice) -> Hands<'_> {
        Hands { profile, dice, nth: 0, rng: dice.pace(0), irregularity: None, slide: 0 }
    }

    /// Starts the `nth` move. What the hands do in it does not depend on earlier moves.
    pub fn begin(&mut self, nth: u64) {
        (self.nth, self.rng) = (nth, self.dice.pace(nth));
    }

    fn occurs(&self, rate: Rate) -> bool {
        self.dice.occurs(&self.profile.rates, rate, self.nth)
    }

    /// Like [`Hands::occurs`], with the rate adjusted to the moves in which the habit is possible.
    fn occurs_at_rate(&self, rate: Rate, thousandths: u32) -> bool {
        self.dice.stream(rate, self.nth).chance(thousandths)
    }

    /// Computes the rate of slides. Not every move allows a slide; those that do are slid more often, so that the rate over all
    /// moves is as configured.
    pub fn compute_slide_rate(&mut self, game: &SourceGame) {
        let mut position = game.start.clone();
        let mut slidable = 0;
        for ply in &game.plies {
            slidable += usize::from(self.profile.rates.slide_stop > 0 && legal_stops(&position, ply.mv).any());
            position = position.play(ply.mv);
        }
        let target = u64::from(self.profile.rates.slide_stop) * game.plies.len() as u64;
        self.slide = (target / (slidable as u64).max(1)).min(1000) as u32;
    }

    /// Carries out a move that is legal in `position`.
    pub fn handle(&mut self, position: &Position, mv: Move, hurried: bool) -> Handling {
        let mut acts = Acts::default();
        match mv {
            _ if self.irregularity.is_some() => self.handle_irregularly(&mut acts, position, mv),
            Move::Castle { king, rook } => self.castle(&mut acts, position, king, rook),
            Move::EnPassant { from, to } => self.en_passant(&mut acts, position, from, to),
            Move::Normal { from, to, capture, promotion: Some(role), .. } => {
                self.promote(&mut acts, position, from, to, capture.is_some(), role);
            }
            Move::Normal { .. } => self.move_one_piece(&mut acts, position, mv, hurried),
            Move::Put { role, to } => acts.put(to, role.of(position.turn())),
        }
        if self.irregularity.is_none() && acts.released_at.is_none() && self.occurs(Rate::bump) {
            self.bump(&mut acts, position, mv);
        }
        let stop_ms = longest_stop(position, mv, &acts.list);
        let let_go = acts.released_at.unwrap_or_else(|| acts.list.last().map_or(0, |act| act.0));
        Handling { acts: acts.list, let_go, stop_ms, hurried }
    }

    fn travel(&mut self, hurried: bool) -> u64 {
        self.rng.ms(if hurried { Span(100, 180) } else { self.profile.times.travel })
    }

    /// Returns the time from lifting the captured piece until the next piece is grasped. It includes `SEEN`, so that every board
    /// sees the empty square.
    fn next_lift(&mut self) -> u64 {
        self.rng.ms(self.profile.times.next_lift).max(self.rng.ms(SEEN))
    }

    fn castle(&mut self, acts: &mut Acts, position: &Position, king: Square, rook: Square) {
        let turn = position.turn();
        let side = CastlingSide::from_queen_side(rook < king);
        let king_to = Square::from_coords(side.king_to_file(), king.rank());
        let rook_to = Square::from_coords(side.rook_to_file(), rook.rank());
        let king_walk = (king != king_to).then_some((king, king_to, Role::King.of(turn)));
        let rook_walk = (rook != rook_to).then_some((rook, rook_to, Role::Rook.of(turn)));
        let (Some(king_walk), Some(rook_walk)) = (king_walk, rook_walk) else {
            // In Chess960 one of the two may already be on its destination.
            for (from, to, piece) in king_walk.into_iter().chain(rook_walk) {
                acts.lift(from);
                acts.wait(self.travel(false));
                acts.put(to, piece);
            }
            return;
        };
        let rook_first = self.occurs(Rate::rook_first);
        let mut walks = [king_walk, rook_walk];
        if rook_first {
            walks.reverse();
        }
        let in_the_way = walks[0].1 == walks[1].0;
        if in_the_way || (!rook_first && self.occurs(Rate::castle_together)) {
            self.rng.shuffle(&mut walks);
            acts.lift(walks[0].0);
            acts.wait(self.rng.ms(Span(0, 150)));
            acts.lift(walks[1].0);
            acts.wait(self.travel(false));
            let last = walks.len() - 1 - usize::from(self.rng.chance(500));
            acts.put(walks[1 - last].1, walks[1 - last].2);
            acts.wait(self.rng.ms(Span(0, 250)));
            acts.put(walks[last].1, walks[last].2);
            return;
        }
        let crossed: Vec<Square> = legal_stops(position, Move::Castle { king, rook }).into_iter().collect();
        for (from, to, piece) in walks {
            if !acts.list.is_empty() {
                acts.wait(self.rng.ms(self.profile.times.next_lift));
            }
            acts.lift(from);
            if piece.role == Role::King
                && !rook_first
                && self.occurs_at_rate(Rate::slide_stop, self.slide)
                && let Some(stop) = self.rng.pick(&crossed)
            {
                acts.put(stop, piece);
                acts.wait(self.rng.ms(self.profile.times.stop));
                acts.lift(stop);
            } else {
                acts.wait(self.travel(false));
            }
            acts.put(to, piece);
        }
    }

    fn en_passant(&mut self, acts: &mut Acts, position: &Position, from: Square, to: Square) {
        let pawn = Role::Pawn.of(position.turn());
        let victim = Square::from_coords(to.file(), from.rank());
        let victim_first = self.occurs(Rate::victim_first);
        if victim_first {
            acts.lift(victim);
            acts.wait(self.next_lift());
        }
        acts.lift(from);
        acts.wait(self.travel(false));
        acts.put(to, pawn);
        if !victim_first {
            acts.wait(self.rng.ms(self.profile.times.next_lift));
            acts.lift(victim);
        }
    }

    fn promote(&mut self, acts: &mut Acts, position: &Position, from: Square, to: Square, capture: bool, role: Role) {
        let (rates, times) = (&self.profile.rates, &self.profile.times);
        let (pawn, new) = (Role::Pawn.of(position.turn()), role.of(position.turn()));
        if capture && !self.occurs(Rate::swap_capture) {
            acts.lift(to);
            acts.wait(self.next_lift());
        }
        if self.occurs(Rate::queen_first) {
            acts.put(to, new);
            acts.wait(self.rng.ms(times.next_lift));
            acts.lift(from);
            return;
        }
        acts.lift(from);
        // Promotions that do not place the queen first are divided between pushing the pawn and removing it.
        let pushed = rates.pawn_pushed * 1000 / 1000u32.saturating_sub(rates.queen_first).max(1);
        if self.occurs_at_rate(Rate::pawn_pushed, pushed) {
            acts.wait(self.travel(false));
            acts.put(to, pawn);
            acts.wait(self.rng.ms(times.fetch));
            acts.lift(to);
            acts.wait(self.rng.ms(times.next_lift));
        } else {
            acts.wait(self.rng.ms(times.fetch));
        }
        acts.put(to, new);
    }

    /// Lifts a neighbour of the destination and puts it back while the move is made.
    fn bump(&mut self, acts: &mut Acts, position: &Position, mv: Move) {
        let moved = Changes::of(position.turn(), mv).iter().fold(path(mv), |squares, (square, _)| squares.with(square));
        let near = attacks::king_attacks(mv.to()) & position.board().occupied() & !moved;
        let near: Vec<Square> = near.into_iter().collect();
        let Some((square, piece)) = self.rng.pick(&near).and_then(|square| Some((square, position.piece_at(square)?))) else {
            return;
        };
        // The neighbour is back before the hand lets go of the moved piece, so the last act stays the last.
        let back_at = acts.at.saturating_sub(1);
        let lifted_at = back_at.saturating_sub(self.rng.ms(self.profile.times.adjust));
        acts.list.push((lifted_at, Act::Lift(square)));
        acts.list.push((back_at, Act::Put(square, piece)));
        acts.list.sort_by_key(|act| act.0);
    }
}

/// Returns the squares on the path of this move on which the piece could legally have stopped.
fn legal_stops(position: &Position, mv: Move) -> Bitboard {
    let crossed = path(mv);
    // A castling piece that would have to cross other pieces is not slid.
    if crossed.is_empty() || crossed.intersects(position.board().occupied()) {
        return Bitboard::EMPTY;
    }
    let legal = position.legal_moves();
    crossed
        & legal
            .iter()
            .filter(|other| other.from() == mv.from() && matches!(other, Move::Normal { promotion: None, .. }))
            .map(|other| other.to())
            .collect::<Bitboard>()
}

/// Returns the longest time, before the last act, for which the pieces rested in the position of another legal move, in
/// milliseconds.
fn longest_stop(position: &Position, mv: Move, acts: &[(u64, Act)]) -> u32 {
    let goal = position.play(mv);
    let others: Vec<Board> = position.legal_moves().iter().map(|&other| position.play(other).board().clone()).collect();
    let mut board = position.board().clone();
    let mut longest = 0;
    for pair in acts.windows(2) {
        let [(at, act), (until, _)] = pair else { continue };
        match *act {
            Act::Lift(square) => board.discard_piece_at(square),
            Act::Put(square, piece) => board.set_piece_at(square, piece),
            _ => {}
        }
        if until > at && &board != goal.board() && others.contains(&board) {
            longest = longest.max(until - at);
        }
    }
    longest as u32
}
