//! Play on a board without a game: play started before the board was read, or from a position that is not a start position.

use crate::boards::{Millis, Placement, SquareState};
use shakmaty::{Bitboard, Color, Role, Square};

/// Number of alternating moves that count as play: setting pieces up or demonstrating does not alternate.
const MIN_PLIES: u32 = 4;
/// Number of times that pieces went to other squares while none were added: pieces are not set up like that.
const MIN_CHANGES: u32 = 5;
/// Number of presses of a running clock, with changes on the board between them, that count as play.
const MIN_PRESSES: u32 = 3;

/// Time without a touch after which pieces placed as in a game are not on their way to somewhere else, in milliseconds.
pub(super) const POSITION_REST_TIME: Millis = 7_000;
/// Fewer pieces than this mean nothing where the board does not identify them.
const MIN_PIECES: usize = 6;

/// What was done on a board while there is no game.
#[derive(Clone, Debug, Default)]
pub(super) struct UnrecordedPlay {
    /// What the board showed when it was last quiet.
    rest: Option<Box<Placement>>,
    /// Who moved last, if the board shows it.
    mover: Option<Color>,
    plies: u32,
    changes: u32,
    presses: u32,
    touched: bool,
    /// The pieces have been placed as in a game for long enough.
    is_position_at_rest: bool,
}

impl UnrecordedPlay {
    /// Whether there is play, or a position that play has led to is on the board.
    pub(super) fn is_play(&self) -> bool {
        self.is_position_at_rest || self.is_played()
    }

    /// Whether there is play.
    fn is_played(&self) -> bool {
        self.plies >= MIN_PLIES || self.changes >= MIN_CHANGES || self.presses >= MIN_PRESSES
    }

    /// Whether another game is being played after a game. Moves shown then are analysis, but nobody presses a clock for that.
    pub(super) fn is_next_game(&self) -> bool {
        self.presses >= MIN_PRESSES
    }

    /// Processes a placement that has been quiet for `quiet` milliseconds.
    pub(super) fn handle_rest(&mut self, placement: &Placement, quiet: Millis) {
        self.is_position_at_rest = is_plausible_in_play(placement) && (self.is_position_at_rest || quiet >= POSITION_REST_TIME);
        let is_in_hand = |before: &Placement| {
            let changed = || before.iter().zip(placement).filter(|(before, now)| before != now);
            (1..=2).contains(&changed().count()) && changed().all(|(_, now)| *now == SquareState::Empty)
        };
        if self.rest.as_deref().is_some_and(is_in_hand) {
            return; // The piece is in a hand.
        }
        let Some(before) = self.rest.replace(Box::new(*placement)).filter(|before| **before != *placement) else { return };
        self.touched = true;
        let count = |placement: &Placement| placement.iter().filter(|sensed| **sensed != SquareState::Empty).count();
        let has_arrivals = before.iter().zip(placement).any(|(before, now)| before != now && *now != SquareState::Empty);
        match count(placement) > count(&before) {
            true => self.changes = 0,
            false => self.changes += u32::from(has_arrivals),
        }
        match moved(&before, placement) {
            Some(mover) if mover.is_none() || mover != self.mover => (self.mover, self.plies) = (mover, self.plies + 1),
            _ => (self.mover, self.plies) = (None, 0),
        }
    }

    /// Processes a press of a running clock.
    pub(super) fn handle_press(&mut self) {
        self.presses += u32::from(std::mem::take(&mut self.touched));
    }
}

/// Whether the pieces are placed as play leaves them: while pieces are being set up, none are between the camps; and a position has
/// both kings and no pawns on impossible ranks.
fn is_plausible_in_play(placement: &Placement) -> bool {
    let squares_where = |fits: &dyn Fn(SquareState) -> bool| -> Bitboard {
        Square::ALL.into_iter().filter(|&square| fits(placement[square as usize])).collect()
    };
    let pieces = squares_where(&|sensed| sensed != SquareState::Empty);
    let squares_of = |role, color| {
        squares_where(&|sensed| matches!(sensed, SquareState::Piece(piece) if piece.role == role && piece.color == color))
    };
    let [kings, pawns] = [Role::King, Role::Pawn].map(|role| [Color::White, Color::Black].map(|color| squares_of(role, color)));
    let is_known = pieces.into_iter().all(|square| matches!(placement[square as usize], SquareState::Piece(_)));
    // On a board turned by 90 degrees the camps are on the outer files.
    let outer = |first: Bitboard, last: Bitboard| pieces.without(first | last).is_empty();
    let [a, b, g, h] = [shakmaty::File::A, shakmaty::File::B, shakmaty::File::G, shakmaty::File::H].map(Bitboard::from_file);
    let ranks = [shakmaty::Rank::First, shakmaty::Rank::Second, shakmaty::Rank::Seventh, shakmaty::Rank::Eighth];
    let [first, second, seventh, eighth] = ranks.map(Bitboard::from_rank);
    if outer(first | second, seventh | eighth) || outer(a | b, g | h) {
        return false;
    }
    let is_kings_signal = (kings[0] | kings[1]).without(Bitboard::CENTER).is_empty();
    match is_known {
        true => {
            let pawns = pawns[0] | pawns[1];
            kings.iter().all(|king| king.count() == 1) && !is_kings_signal && (pawns & (first | eighth)).is_empty()
        }
        false => pieces.count() >= MIN_PIECES,
    }
}

/// Returns whose piece went from one square to another, if nothing else changed. The inner `None`: the board does not show the
/// colour.
fn moved(before: &Placement, after: &Placement) -> Option<Option<Color>> {
    let changed = || Square::ALL.into_iter().filter(|&square| before[square as usize] != after[square as usize]);
    let vacated: Vec<Square> = changed().filter(|&square| after[square as usize] == SquareState::Empty).collect();
    let filled: Vec<Square> = changed().filter(|&square| after[square as usize] != SquareState::Empty).collect();
    let color = |sensed: SquareState| match sensed {
        SquareState::Piece(piece) => Some(piece.color),
        SquareState::Side(color) => Some(color),
        SquareState::Empty | SquareState::Occupied => None,
    };
    // One piece, or two in castling; en passant captures one more.
    let is_plain = matches!((vacated.len(), filled.len()), (1, 1) | (2, 2) | (2, 1));
    let mover = filled.first().map(|&square| color(after[square as usize]))?;
    let is_one_color = filled.iter().all(|&square| color(after[square as usize]) == mover);
    let from = vacated.iter().any(|&square| color(before[square as usize]) == mover);
    (is_plain && is_one_color && from).then_some(mover)
}
