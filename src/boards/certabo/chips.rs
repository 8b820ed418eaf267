//! Assigns chips to pieces, which is learned from the start position.

use crate::boards::{Placement, SquareState};
use shakmaty::{Color, Piece, Rank, Role, Square};
use std::collections::{BTreeMap, VecDeque};

/// The id that the antenna of a square reads: five bytes.
pub(crate) type Id = [u8; 5];

/// The id that means no chip.
pub(crate) const NONE: Id = [0; 5];
/// Number of frames from which the start position is learned: a square holds the chip that more than half of them show.
pub const LEARNING_FRAMES: usize = 7;
/// Number of consecutive frames in which an unknown chip must be read to count as present.
const STEADY_FRAMES: usize = 3;
/// Maximum number of known chips: a dozen sets. Further chips cannot be learned.
const MAX_CHIPS: usize = 512;

/// The pieces of the first and last rank, from the a-file.
const ROLES: [Role; 8] =
    [Role::Rook, Role::Knight, Role::Bishop, Role::Queen, Role::King, Role::Bishop, Role::Knight, Role::Rook];

/// Squares of the spare queens while pieces are learned, as the maker requires: Black's on d6, White's on d3.
const SPARE_QUEENS: [(Square, Color); 2] = [(Square::D6, Color::Black), (Square::D3, Color::White)];

/// The chips of all squares, by square number: a1 is 0.
type Ids = [Id; 64];

/// What a frame revealed in addition to the placement.
#[derive(Debug, PartialEq)]
pub(crate) enum ChipEvent {
    /// Chips were learned or reassigned: this placement was on the board.
    Start(Box<Placement>),
    /// The calibration is certain now and should be stored.
    CalibrationChanged,
    /// Chips on these squares were unknown, and are assumed to be queens.
    Assumed(Vec<Square>),
}

/// The known chips and the last frames.
#[derive(Default)]
pub(crate) struct Chips {
    known: BTreeMap<Id, Piece>,
    /// The last frames, oldest first.
    recent: VecDeque<Box<Ids>>,
    /// A set that was learned without any evidence of its orientation, and has not moved.
    unoriented_set: Option<Box<Ids>>,
    /// Whether White was at rank 8 of the board when the start position was last recognised.
    is_rotated: Option<bool>,
}

impl Chips {
    /// Discards the last frames because the link came up or went down: the placement may have changed.
    pub(crate) fn forget(&mut self) {
        self.recent.clear();
        self.unoriented_set = None;
    }

    /// Processes a frame and appends what it revealed.
    pub(crate) fn frame(&mut self, ids: Box<Ids>, events: &mut Vec<ChipEvent>) {
        if self.recent.len() == LEARNING_FRAMES {
            self.recent.pop_front();
        }
        self.recent.push_back(ids);
        self.detect_orientation(events);
        self.learn(events);
        self.learn_promoted_queen(events);
    }

    /// Returns the pieces of the last frame; `None` if no chip is known. Before the first move of a new set, returns those of the
    /// last few frames, from which the orientation is detected: no move is reported before the orientation is known.
    pub(crate) fn placement(&self) -> Option<Box<Placement>> {
        let ids = self.recent.back().filter(|_| !self.known.is_empty())?;
        Some(if self.unoriented_set.is_some() { self.named(&self.settled(STEADY_FRAMES)) } else { self.named(ids) })
    }

    /// Returns the calibration, one chip per line: five numbers and the letter of its piece.
    pub(crate) fn text(&self) -> String {
        let line = |(id, piece): (&Id, &Piece)| {
            let [a, b, c, d, e] = id;
            format!("{a} {b} {c} {d} {e} {}\n", piece.char())
        };
        self.known.iter().map(line).collect()
    }

    /// Adds the output of an earlier [`Chips::text`]. Lines that cannot be read are skipped.
    pub(crate) fn restore(&mut self, text: &str) {
        for line in text.lines().take(MAX_CHIPS) {
            let mut words = line.split_ascii_whitespace();
            let id: Vec<u8> = words.by_ref().take(5).map_while(|word| word.parse().ok()).collect();
            let piece = words.next().and_then(|word| word.chars().next()).and_then(Piece::from_char);
            if let (Ok(id), Some(piece)) = (Id::try_from(id), piece) {
                self.add(id, piece);
            }
        }
    }

    fn add(&mut self, id: Id, piece: Piece) {
        if id != NONE && (self.known.len() < MAX_CHIPS || self.known.contains_key(&id)) {
            self.known.insert(id, piece);
        }
    }

    fn named(&self, ids: &Ids) -> Box<Placement> {
        Box::new(ids.map(|id| self.known.get(&id).map_or(SquareState::Empty, |piece| SquareState::Piece(*piece))))
    }

    /// Returns the chip that more than half of the last `frames` frames show on each square; [`NONE`] if they show none, or differ.
    fn settled(&self, frames: usize) -> Box<Ids> {
        let mut ids = Box::new([NONE; 64]);
        for (index, id) in ids.iter_mut().enumerate() {
            let readings = || self.recent.iter().rev().take(frames).map(|frame| frame[index]);
            *id = readings().find(|&one| readings().filter(|&other| other == one).count() * 2 > frames).unwrap_or(NONE);
        }
        ids
    }

    /// Learns the unknown chips if the start position is on the board.
    fn learn(&mut self, events: &mut Vec<ChipEvent>) {
        let Some(last) = self.recent.back().filter(|_| self.recent.len() == LEARNING_FRAMES) else { return };
        let squares = || Square::ALL.into_iter();
        // Cheap checks come first: most frames belong to a game in progress.
        if squares().any(|square| is_outer(square) && last[square as usize] == NONE) || self.is_known(last) {
            return;
        }
        let ids = self.settled(LEARNING_FRAMES);
        let at = |square: Square| ids[square as usize];
        if squares().any(|square| is_outer(square) && at(square) == NONE) {
            return;
        }
        let inner = || squares().filter(|&square| !is_outer(square) && at(square) != NONE);
        let spares = |turned: bool| SPARE_QUEENS.map(|(square, color)| (orient_square(square, turned), color.queen()));
        let is_spare = |turned: bool, square: Square| spares(turned).iter().any(|spare| spare.0 == square);
        let has_spares = inner().next().is_some();
        let turned = match [false, true].map(|turned| inner().all(|square| is_spare(turned, square))) {
            [true, true] => {
                // No spare queens: the known chips decide the orientation.
                let known = |turned: bool| {
                    let agreements = squares()
                        .filter(|&square| is_outer(square))
                        .filter_map(|square| Some(*self.known.get(&at(square))? == start_piece(orient_square(square, turned))));
                    agreements
                        .fold((0, 0), |(right, wrong), is_right| if is_right { (right + 1, wrong) } else { (right, wrong + 1) })
                };
                match [known(false), known(true)] {
                    [(0, 0), (0, 0)] => None,
                    [(1.., 0), _] => Some(false),
                    [_, (1.., 0)] => Some(true),
                    // Another start position, pieces set up wrongly, or pieces of two sets: they stay as they are known.
                    _ => return,
                }
            }
            [upright, turned] if upright != turned => Some(turned),
            _ => return,
        };
        let previously_known = self.known.clone();
        let is_rotated = turned.unwrap_or(false);
        let outer =
            squares().filter(|&square| is_outer(square)).map(|square| (square, start_piece(orient_square(square, is_rotated))));
        let spare = spares(is_rotated).into_iter().filter(|_| has_spares);
        let pieces: Vec<(Id, Piece)> = outer.chain(spare).map(|(square, piece)| (at(square), piece)).collect();
        // One chip in two kinds of pieces: this is not a set.
        if pieces.iter().any(|(id, piece)| pieces.iter().any(|other| other.0 == *id && other.1 != *piece)) {
            return;
        }
        pieces.into_iter().for_each(|(id, piece)| self.add(id, piece));
        self.is_rotated = Some(is_rotated);
        if self.known == previously_known {
            self.unoriented_set = self.unoriented_set.take().map(|_| ids);
            return;
        }
        events.push(ChipEvent::Start(self.named(&ids)));
        // The known chips may themselves belong to a set that has not moved.
        if turned.is_some() && (has_spares || self.unoriented_set.is_none()) {
            self.unoriented_set = None;
            events.push(ChipEvent::CalibrationChanged);
        } else {
            self.unoriented_set = Some(ids);
        }
    }

    /// Whether nothing can be learned from this frame, because its chips and their orientation are known.
    fn is_known(&self, ids: &Ids) -> bool {
        // A set of unknown orientation is re-evaluated: it may have been set up again.
        let Some(turned) = self.is_rotated.filter(|_| self.unoriented_set.is_none()) else { return false };
        let king = ids[orient_square(Square::E1, turned) as usize];
        if self.known.get(&king) != Some(&Color::White.king()) {
            return false;
        }
        let known = |square: Square| self.known.contains_key(&ids[square as usize]);
        let spare = |square: Square| ids[square as usize] == NONE || known(square);
        let spares = SPARE_QUEENS.iter().flat_map(|(square, _)| [*square, orient_square(*square, true)]);
        Square::ALL.into_iter().filter(|&square| is_outer(square)).all(known) && spares.into_iter().all(spare)
    }

    /// Determines the orientation of a set that has just been learned: the piece that moves first is White's.
    fn detect_orientation(&mut self, events: &mut Vec<ChipEvent>) {
        let Some(start) = &self.unoriented_set else { return };
        let now = self.settled(STEADY_FRAMES);
        let changed: Vec<Square> =
            Square::ALL.into_iter().filter(|&square| now[square as usize] != start[square as usize]).collect();
        let [vacated, occupied] =
            [true, false].map(|outer| changed.iter().copied().filter(move |&square| is_outer(square) == outer));
        let (vacated, occupied): (Vec<Square>, Vec<Square>) =
            (vacated.collect(), occupied.filter(|&square| now[square as usize] != NONE).collect());
        match (&vacated[..], &occupied[..]) {
            ([from], [to]) if now[*from as usize] == NONE && now[*to as usize] == start[*from as usize] => {
                let start = start.clone();
                let turned = from.rank() as usize >= 4;
                if self.is_rotated != Some(turned) {
                    for square in Square::ALL.into_iter().filter(|&square| is_outer(square)) {
                        self.add(start[square as usize], start_piece(orient_square(square, turned)));
                    }
                    self.is_rotated = Some(turned);
                    events.push(ChipEvent::Start(self.named(&start)));
                }
            }
            // Two moves at once: their order is unknown.
            (_, [_, _, ..]) => {}
            _ => return,
        }
        self.unoriented_set = None;
        events.push(ChipEvent::CalibrationChanged);
    }

    /// Learns an unknown chip on the first or last rank in mid-game as a queen: a pawn was promoted, and spare pieces are assumed
    /// to be queens.
    fn learn_promoted_queen(&mut self, events: &mut Vec<ChipEvent>) {
        let (Some(turned), Some(last)) = (self.is_rotated, self.recent.back()) else { return };
        if self.unoriented_set.is_some() || self.recent.len() < STEADY_FRAMES {
            return;
        }
        let steady = |square: &Square| {
            let id = last[*square as usize];
            id != NONE
                && !self.known.contains_key(&id)
                // All chips of a maker begin alike, and garbage begins like none of them.
                && self.known.keys().any(|known| known[..2] == id[..2])
                && self.recent.iter().rev().take(STEADY_FRAMES).all(|frame| frame[*square as usize] == id)
        };
        let edge = |square: &Square| matches!(square.rank(), Rank::First | Rank::Eighth);
        let squares: Vec<Square> = Square::ALL.into_iter().filter(edge).filter(steady).collect();
        if squares.is_empty() {
            return;
        }
        let queen = |square: Square| {
            let color = Color::from_white((square.rank() == Rank::Eighth) != turned);
            (last[square as usize], color.queen())
        };
        let spare: Vec<(Id, Piece)> = squares.iter().copied().map(queen).collect();
        spare.into_iter().for_each(|(id, piece)| self.add(id, piece));
        events.extend([ChipEvent::CalibrationChanged, ChipEvent::Assumed(squares)]);
    }
}

/// Whether the square is on a rank that holds pieces in the start position.
fn is_outer(square: Square) -> bool {
    !matches!(square.rank() as usize, 2..=5)
}

/// Returns the square as seen by players who sit the other way round, if `turned`.
fn orient_square(square: Square, turned: bool) -> Square {
    if turned { square.flip_vertical().flip_horizontal() } else { square }
}

/// Returns the piece of the start position on a square of the outer ranks, as White sees it.
fn start_piece(square: Square) -> Piece {
    let rank = square.rank() as usize;
    let color = Color::from_white(rank < 4);
    let role = if matches!(rank, 1 | 6) { Role::Pawn } else { ROLES[square.file() as usize] };
    role.of(color)
}
