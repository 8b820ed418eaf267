//! Which chip is in which piece: learned from the start position.

use crate::boards::{Placement, Sensed};
use shakmaty::{Color, Piece, Rank, Role, Square};
use std::collections::{BTreeMap, VecDeque};

/// What the antenna of a square reads: five bytes.
pub type Id = [u8; 5];

/// No chip.
pub const NONE: Id = [0; 5];
/// The start position is learned from so many frames: a square holds the chip that more than half of them tell.
pub const FRAMES: usize = 7;
/// A chip that no piece of the set has counts as there when so many frames in a row tell it.
const STEADY: usize = 3;
/// So many chips are kept: a dozen sets. Whoever has more learns the first ones anew.
const MOST: usize = 512;

/// The pieces of the ranks at the edge, from the a-file.
const ROLES: [Role; 8] =
    [Role::Rook, Role::Knight, Role::Bishop, Role::Queen, Role::King, Role::Bishop, Role::Knight, Role::Rook];

/// Where spare queens stand while pieces are learned: Black's on d6, White's on d3, as the maker wants it.
const SPARE: [(Square, Color); 2] = [(Square::D6, Color::Black), (Square::D3, Color::White)];

/// All squares, by number: a1 is 0.
type Ids = [Id; 64];

/// What a frame made known besides where the pieces stand.
#[derive(Debug, PartialEq)]
pub enum News {
    /// Chips were learned, or learned to be others than was thought: this stood on the board.
    Start(Box<Placement>),
    /// What is known is certain now, and worth keeping.
    Keep,
    /// Chips on these squares were not known, and are assumed to be queens.
    Assumed(Vec<Square>),
}

/// The chips that are known, and the last frames.
#[derive(Default)]
pub struct Chips {
    known: BTreeMap<Id, Piece>,
    /// The last frames, oldest first.
    recent: VecDeque<Box<Ids>>,
    /// A set that was learned without a hint which way round it stands, and has not moved.
    fresh: Option<Box<Ids>>,
    /// Whether White sits at rank 8 of the board, since the start position stood there.
    turned: Option<bool>,
}

impl Chips {
    /// The link came up: what stood there before is not what stands there now.
    pub fn forget(&mut self) {
        self.recent.clear();
        self.fresh = None;
    }

    /// A frame; says what was learned by it.
    pub fn frame(&mut self, ids: Box<Ids>, news: &mut Vec<News>) {
        if self.recent.len() == FRAMES {
            self.recent.pop_front();
        }
        self.recent.push_back(ids);
        self.find_way_round(news);
        self.learn(news);
        self.adopt_spare(news);
    }

    /// The pieces of the last frame; `None`: no chip is known. Before the first move of a new set those of the last few, which tell
    /// which way round it stands: no move is told before that is known.
    pub fn placement(&self) -> Option<Box<Placement>> {
        let ids = self.recent.back().filter(|_| !self.known.is_empty())?;
        Some(if self.fresh.is_some() { self.named(&self.settled(STEADY)) } else { self.named(ids) })
    }

    /// What is known, a chip a line: five numbers and the letter of its piece.
    pub fn text(&self) -> String {
        let line = |(id, piece): (&Id, &Piece)| {
            let [a, b, c, d, e] = id;
            format!("{a} {b} {c} {d} {e} {}\n", piece.char())
        };
        self.known.iter().map(line).collect()
    }

    /// Adds what [`Chips::text`] said once. Lines that say nothing are passed over.
    pub fn restore(&mut self, text: &str) {
        for line in text.lines().take(MOST) {
            let mut words = line.split_ascii_whitespace();
            let id: Vec<u8> = words.by_ref().take(5).map_while(|word| word.parse().ok()).collect();
            let piece = words.next().and_then(|word| word.chars().next()).and_then(Piece::from_char);
            if let (Ok(id), Some(piece)) = (Id::try_from(id), piece) {
                self.add(id, piece);
            }
        }
    }

    fn add(&mut self, id: Id, piece: Piece) {
        if id != NONE && (self.known.len() < MOST || self.known.contains_key(&id)) {
            self.known.insert(id, piece);
        }
    }

    fn named(&self, ids: &Ids) -> Box<Placement> {
        Box::new(ids.map(|id| self.known.get(&id).map_or(Sensed::Empty, |piece| Sensed::Piece(*piece))))
    }

    /// The chip that more than half of the last so many frames tell on each square; [`NONE`] where they tell none, or differ.
    fn settled(&self, frames: usize) -> Box<Ids> {
        let mut ids = Box::new([NONE; 64]);
        for (index, id) in ids.iter_mut().enumerate() {
            let said = || self.recent.iter().rev().take(frames).map(|frame| frame[index]);
            *id = said().find(|&one| said().filter(|&other| other == one).count() * 2 > frames).unwrap_or(NONE);
        }
        ids
    }

    /// The start position stands on the board, with chips that are not known: they are learned.
    fn learn(&mut self, news: &mut Vec<News>) {
        let Some(last) = self.recent.back().filter(|_| self.recent.len() == FRAMES) else { return };
        let squares = || Square::ALL.into_iter();
        // What is cheap to see first: most frames are of a game that goes on.
        if squares().any(|square| is_outer(square) && last[square as usize] == NONE) || self.is_known(last) {
            return;
        }
        let ids = self.settled(FRAMES);
        let at = |square: Square| ids[square as usize];
        if squares().any(|square| is_outer(square) && at(square) == NONE) {
            return;
        }
        let inner = || squares().filter(|&square| !is_outer(square) && at(square) != NONE);
        let spares = |turned: bool| SPARE.map(|(square, color)| (way_round(square, turned), color.queen()));
        let is_spare = |turned: bool, square: Square| spares(turned).iter().any(|spare| spare.0 == square);
        let has_spares = inner().next().is_some();
        let turned = match [false, true].map(|turned| inner().all(|square| is_spare(turned, square))) {
            [true, true] => {
                // Nothing in the middle: what is known of the others tells.
                let known = |turned: bool| {
                    let told = squares()
                        .filter(|&square| is_outer(square))
                        .filter_map(|square| Some(*self.known.get(&at(square))? == start_piece(way_round(square, turned))));
                    told.fold((0, 0), |(right, wrong), is_right| if is_right { (right + 1, wrong) } else { (right, wrong + 1) })
                };
                match [known(false), known(true)] {
                    [(0, 0), (0, 0)] => None,
                    [(1.., 0), _] => Some(false),
                    [_, (1.., 0)] => Some(true),
                    // Another start position, or pieces put up wrongly, or of two sets: they are what they are known to be.
                    _ => return,
                }
            }
            [upright, turned] if upright != turned => Some(turned),
            _ => return,
        };
        let was = self.known.clone();
        let way = turned.unwrap_or(false);
        let outer = squares().filter(|&square| is_outer(square)).map(|square| (square, start_piece(way_round(square, way))));
        let spare = spares(way).into_iter().filter(|_| has_spares);
        let pieces: Vec<(Id, Piece)> = outer.chain(spare).map(|(square, piece)| (at(square), piece)).collect();
        // One chip in two kinds of pieces: whatever this is, it is no set.
        if pieces.iter().any(|(id, piece)| pieces.iter().any(|other| other.0 == *id && other.1 != *piece)) {
            return;
        }
        pieces.into_iter().for_each(|(id, piece)| self.add(id, piece));
        self.turned = Some(way);
        if self.known == was {
            self.fresh = self.fresh.take().map(|_| ids);
            return;
        }
        news.push(News::Start(self.named(&ids)));
        // What is known of the others may itself be of a set that has not moved.
        if turned.is_some() && (has_spares || self.fresh.is_none()) {
            self.fresh = None;
            news.push(News::Keep);
        } else {
            self.fresh = Some(ids);
        }
    }

    /// Nothing can be learned of this frame: its chips are known, and which way round they stand, too.
    fn is_known(&self, ids: &Ids) -> bool {
        // A set whose way round is not known is looked at again: it may have been put up anew.
        let Some(turned) = self.turned.filter(|_| self.fresh.is_none()) else { return false };
        let king = ids[way_round(Square::E1, turned) as usize];
        if self.known.get(&king) != Some(&Color::White.king()) {
            return false;
        }
        let known = |square: Square| self.known.contains_key(&ids[square as usize]);
        let spare = |square: Square| ids[square as usize] == NONE || known(square);
        let spares = SPARE.iter().flat_map(|(square, _)| [*square, way_round(*square, true)]);
        Square::ALL.into_iter().filter(|&square| is_outer(square)).all(known) && spares.into_iter().all(spare)
    }

    /// A set that has just been learned stands one way round or the other: the piece that moves first is White's.
    fn find_way_round(&mut self, news: &mut Vec<News>) {
        let Some(start) = &self.fresh else { return };
        let now = self.settled(STEADY);
        let left: Vec<Square> =
            Square::ALL.into_iter().filter(|&square| now[square as usize] != start[square as usize]).collect();
        let [gone, came] = [true, false].map(|outer| left.iter().copied().filter(move |&square| is_outer(square) == outer));
        let (gone, came): (Vec<Square>, Vec<Square>) =
            (gone.collect(), came.filter(|&square| now[square as usize] != NONE).collect());
        match (&gone[..], &came[..]) {
            ([from], [to]) if now[*from as usize] == NONE && now[*to as usize] == start[*from as usize] => {
                let start = start.clone();
                let turned = from.rank() as usize >= 4;
                if self.turned != Some(turned) {
                    for square in Square::ALL.into_iter().filter(|&square| is_outer(square)) {
                        self.add(start[square as usize], start_piece(way_round(square, turned)));
                    }
                    self.turned = Some(turned);
                    news.push(News::Start(self.named(&start)));
                }
            }
            // Two moves at once: nobody saw which was first.
            (_, [_, _, ..]) => {}
            _ => return,
        }
        self.fresh = None;
        news.push(News::Keep);
    }

    /// A chip of no piece of the set stands on a rank at the edge in mid-game: a pawn was promoted, and spare pieces are queens.
    fn adopt_spare(&mut self, news: &mut Vec<News>) {
        let (Some(turned), Some(last)) = (self.turned, self.recent.back()) else { return };
        if self.fresh.is_some() || self.recent.len() < STEADY {
            return;
        }
        let steady = |square: &Square| {
            let id = last[*square as usize];
            id != NONE
                && !self.known.contains_key(&id)
                // Chips of a maker begin alike, and garbage like none of them.
                && self.known.keys().any(|known| known[..2] == id[..2])
                && self.recent.iter().rev().take(STEADY).all(|frame| frame[*square as usize] == id)
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
        news.extend([News::Keep, News::Assumed(squares)]);
    }
}

/// The ranks on which the pieces stand at the start.
fn is_outer(square: Square) -> bool {
    !matches!(square.rank() as usize, 2..=5)
}

/// The same square as seen by players who sit the other way round.
fn way_round(square: Square, turned: bool) -> Square {
    if turned { square.flip_vertical().flip_horizontal() } else { square }
}

/// What stands at the start on a square of the outer ranks, as White sees it.
fn start_piece(square: Square) -> Piece {
    let rank = square.rank() as usize;
    let color = Color::from_white(rank < 4);
    let role = if matches!(rank, 1 | 6) { Role::Pawn } else { ROLES[square.file() as usize] };
    role.of(color)
}
