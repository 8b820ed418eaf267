//! What the squares show now, as the players see the board.

use super::{keys, model};
use crate::boards::{Millis, Placement, Sensed, Sensing};
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Piece, Role, Square};
use std::collections::VecDeque;

/// So many changes are remembered: more than happen within seconds.
const LATELY: usize = 48;
/// So many presses are remembered.
const PRESSES: usize = 8;

/// A square that showed something new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at: Millis,
    /// Which.
    pub square: Square,
    /// What it has shown since.
    pub now: Sensed,
    /// Only a whole reading or the board's memory told of it: when it happened is not known.
    pub found: bool,
}

/// What the squares show, in squares of play, with what is needed to compare it quickly with a position.
#[derive(Clone, Debug)]
pub struct Seen {
    squares: Placement,
    occupied: Bitboard,
    sides: ByColor<Bitboard>,
    roles: ByRole<Bitboard>,
    key: u64,
    changed_at: [Millis; 64],
    /// Squares whose last change was found by a whole reading: when it happened is not known.
    found: Bitboard,
    last_edge: Millis,
    /// What changed lately, oldest first.
    changes: VecDeque<Change>,
    /// Until then changes may have waited on the line.
    late_until: Millis,
    /// What came at this time has waited somewhere, and the squares whose last change did.
    late: (Option<Millis>, Bitboard),
    /// Squares that one reading showed to have changed, many at once: it may be old.
    unseen: Bitboard,
    /// Squares whose piece is new to the board, which assumes a queen.
    assumed: Bitboard,
    /// Who pressed the clock lately, oldest first.
    presses: VecDeque<(Millis, Color)>,
    /// When the line last carried damage.
    damaged_at: Option<Millis>,
    /// Squares that have changed since the game began.
    moved: Bitboard,
    /// Squares that flicker.
    flickering: Bitboard,
    /// Of these, the squares that have just gone empty: whether something stands there is not known.
    doubtful: Bitboard,
    /// Squares that are taken to show something else than they do, with what they really show: pieces known to stand elsewhere.
    excused: Vec<(Square, Sensed)>,
    sensing: Sensing,
}

impl Seen {
    /// An empty board.
    pub fn new(sensing: Sensing) -> Seen {
        Seen {
            squares: [Sensed::Empty; 64],
            occupied: Bitboard::EMPTY,
            sides: ByColor::default(),
            roles: ByRole::default(),
            key: 0,
            changed_at: [0; 64],
            found: Bitboard::EMPTY,
            last_edge: 0,
            changes: VecDeque::new(),
            late_until: 0,
            late: (None, Bitboard::EMPTY),
            unseen: Bitboard::EMPTY,
            assumed: Bitboard::EMPTY,
            presses: VecDeque::new(),
            damaged_at: None,
            moved: Bitboard::EMPTY,
            flickering: Bitboard::EMPTY,
            doubtful: Bitboard::EMPTY,
            excused: Vec::new(),
            sensing,
        }
    }

    /// A whole placement at once.
    pub fn of(placement: &Placement, sensing: Sensing) -> Seen {
        let mut seen = Seen::new(sensing);
        for square in Square::ALL {
            seen.set(0, square, placement[square as usize]);
        }
        seen
    }

    /// One square shows something else.
    pub fn set(&mut self, now: Millis, square: Square, sensed: Sensed) {
        let sensed = sensed.seen_by(self.sensing);
        self.last_edge = now;
        let before = self.squares[square as usize];
        if before == sensed {
            return;
        }
        self.found.discard(square);
        self.late.1.set(square, self.late.0 == Some(now));
        self.unseen.discard(square);
        if matches!(before, Sensed::Piece(piece) if piece.role == Role::Queen) {
            self.assumed.discard(square);
        }
        self.changed_at[square as usize] = now;
        self.moved.add(square);
        self.show(square, sensed);
        if self.changes.len() == LATELY {
            self.changes.pop_front();
        }
        self.changes.push_back(Change { at: now, square, now: sensed, found: now <= self.late_until });
    }

    /// The clock was pressed by this player.
    pub fn press(&mut self, now: Millis, by: Color) {
        if self.presses.len() == PRESSES {
            self.presses.pop_front();
        }
        self.presses.push_back((now, by));
    }

    /// What changed later than this, oldest first, as far back as is remembered.
    pub fn changes_since(&self, since: Millis) -> impl Iterator<Item = Change> + '_ {
        self.changes.iter().copied().filter(move |change| change.at > since)
    }

    /// Whether all changes later than this were seen when they happened, and are remembered.
    pub fn remembers(&self, since: Millis) -> bool {
        let all = self.changes.len() < LATELY || self.changes.front().is_some_and(|oldest| oldest.at <= since);
        all && !self.changes_since(since).any(|change| change.found)
    }

    /// Who pressed the clock later than this, oldest first, as far back as is remembered.
    pub fn presses_since(&self, since: Millis) -> impl Iterator<Item = (Millis, Color)> + '_ {
        self.presses.iter().copied().filter(move |(at, _)| *at > since)
    }

    fn show(&mut self, square: Square, sensed: Sensed) {
        let before = std::mem::replace(&mut self.squares[square as usize], sensed);
        self.key ^= keys::sensed(square, before) ^ keys::sensed(square, sensed);
        self.occupied.set(square, sensed != Sensed::Empty);
        for (shown, is) in [(before, false), (sensed, true)] {
            if let Sensed::Side(color) | Sensed::Piece(Piece { color, .. }) = shown {
                self.sides.get_mut(color).set(square, is);
            }
            if let Sensed::Piece(Piece { role, .. }) = shown {
                self.roles.get_mut(role).set(square, is);
            }
        }
    }

    /// From now on these squares are taken to show what this placement says, until one of them changes.
    pub fn excuse(&mut self, squares: Bitboard, board: &Board) {
        self.excuse_nothing();
        for square in squares {
            self.excused.push((square, self.at(square)));
            self.show(square, board.piece_at(square).map_or(Sensed::Empty, |piece| keys::as_sensed(piece, self.sensing)));
        }
    }

    /// All squares are taken for what they show.
    pub fn excuse_nothing(&mut self) {
        for (square, sensed) in std::mem::take(&mut self.excused) {
            self.show(square, sensed);
        }
    }

    /// The squares that are taken to show something else than they do.
    pub fn excused(&self) -> Bitboard {
        self.excused.iter().map(|(square, _)| *square).collect()
    }

    /// What a square really shows, excused or not.
    pub fn really_at(&self, square: Square) -> Sensed {
        self.excused.iter().find(|(known, _)| *known == square).map_or(self.at(square), |(_, real)| *real)
    }

    /// A whole reading shows that one square has changed, nobody knows when.
    pub fn find(&mut self, now: Millis, square: Square, sensed: Sensed) {
        let before = self.key;
        self.set(now, square, sensed);
        if before != self.key {
            self.found.add(square);
            self.remembered();
        }
    }

    /// What comes until then may have waited on the line: when it happened is not known.
    pub fn is_late_until(&mut self, until: Millis) {
        self.late_until = until;
    }

    /// What comes at this time, all at once, has waited somewhere: when each change happened is not known.
    pub fn comes_late(&mut self, now: Millis) {
        self.late.0 = Some(now);
        let changed = Square::ALL.into_iter().filter(|&square| self.moved.contains(square) && self.changed_at(square) == now);
        self.late.1 |= changed.collect::<Bitboard>();
    }

    /// Whether what comes at this time is late.
    pub fn is_late(&self, now: Millis) -> bool {
        self.late.0 == Some(now)
    }

    /// The squares whose last change came so.
    pub fn came_late(&self) -> Bitboard {
        self.late.1
    }

    /// Pieces on these squares, where the board shows none yet, are new to it: it assumes queens.
    pub fn assume(&mut self, squares: Bitboard) {
        self.assumed |= squares;
    }

    /// The squares whose piece the board assumes to be a queen.
    pub fn assumed(&self) -> Bitboard {
        self.assumed
    }

    /// One reading tells at this time that these squares have changed. If they are many, and the board should have told of each, it is an
    /// old answer, or much was lost.
    pub fn changed_at_once(&mut self, now: Millis, squares: Bitboard) {
        if self.late.0 == Some(now) {
            self.doubt_if_many(squares);
        }
    }

    /// Nobody was seen to change these squares. If they are many, the reading that shows them so may be old.
    pub fn doubt_if_many(&mut self, squares: Bitboard) {
        /// More squares than most pairs of moves change.
        const MANY: usize = 4;
        if squares.count() > MANY {
            self.doubt_squares(squares);
        }
    }

    /// The reading that shows these squares so may be old.
    pub fn doubt_squares(&mut self, squares: Bitboard) {
        self.unseen |= squares;
    }

    /// These squares, until each changes or the reading is confirmed.
    pub fn unseen(&self) -> Bitboard {
        self.unseen
    }

    /// The readings that showed them were right.
    pub fn believe_unseen(&mut self) {
        self.unseen = Bitboard::EMPTY;
    }

    /// The squares whose last change a whole reading alone showed, though the board should have told of it.
    pub fn shown_alone(&self) -> Bitboard {
        self.found & self.late.1
    }

    /// The last change was not seen when it happened.
    pub fn remembered(&mut self) {
        if let Some(change) = self.changes.back_mut() {
            change.found = true;
        }
    }

    /// What the squares show.
    pub fn squares(&self) -> &Placement {
        &self.squares
    }

    /// What one square shows.
    pub fn at(&self, square: Square) -> Sensed {
        self.squares[square as usize]
    }

    /// When a square last changed; where only a whole reading told of it, when that was read.
    pub fn changed_at(&self, square: Square) -> Millis {
        self.changed_at[square as usize]
    }

    /// When something last happened on the board.
    pub fn last_edge(&self) -> Millis {
        self.last_edge
    }

    /// The line carried damage: updates may be lost.
    pub fn damage(&mut self, now: Millis) {
        self.damaged_at = Some(now);
    }

    /// Whether the line carried damage no longer ago than this, in milliseconds.
    pub fn is_damaged(&self, now: Millis, within: Millis) -> bool {
        self.damaged_at.is_some_and(|at| now.saturating_sub(at) <= within)
    }

    /// Nothing that happened before counts as happening now.
    pub fn begin(&mut self, now: Millis) {
        self.last_edge = now;
        self.moved = Bitboard::EMPTY;
    }

    /// The squares that have shown the same since the game began.
    pub fn never_changed(&self) -> Bitboard {
        !self.moved
    }

    /// These squares flicker: that one of them goes empty says nothing for a while.
    pub fn set_flickering(&mut self, squares: Bitboard) {
        self.flickering = squares;
    }

    /// The squares of which nobody can say at this time whether something stands there. Returns whether they are others than before.
    pub fn doubt(&mut self, now: Millis) -> bool {
        let empty = self.flickering & !self.occupied;
        let fresh = |square: &Square| now.saturating_sub(self.changed_at(*square)) < model::FLICKER;
        let doubtful = empty.into_iter().filter(fresh).collect();
        std::mem::replace(&mut self.doubtful, doubtful) != doubtful
    }

    /// The squares that [`Seen::doubt`] found.
    pub fn doubtful(&self) -> Bitboard {
        self.doubtful
    }

    /// The key of what the other squares show.
    pub fn key_without(&self, hidden: Bitboard) -> u64 {
        hidden.into_iter().fold(self.key, |key, square| key ^ keys::sensed(square, self.at(square)))
    }

    /// The squares that changed later than this.
    pub fn changed_since(&self, since: Millis) -> Bitboard {
        Square::ALL.into_iter().filter(|&square| self.changed_at(square) > since).collect()
    }

    /// Whether only a whole reading told of a square's last change.
    pub fn was_found(&self, square: Square) -> bool {
        self.found.contains(square)
    }

    /// Squares on which something stands.
    pub fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// The squares that show this piece, on a board that tells the pieces apart.
    pub fn showing(&self, piece: Piece) -> Bitboard {
        *self.sides.get(piece.color) & *self.roles.get(piece.role)
    }

    /// The squares that show a piece of this player.
    pub fn side(&self, color: Color) -> Bitboard {
        *self.sides.get(color)
    }

    /// The key of what is shown: equal to that of every placement that would show the same.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// What these squares can tell.
    pub fn sensing(&self) -> Sensing {
        self.sensing
    }

    /// Whether a square can be what a placement says: this piece, or none.
    pub fn shows(&self, square: Square, piece: Option<Piece>) -> bool {
        match (self.at(square), piece) {
            (Sensed::Empty, None) => true,
            (Sensed::Empty, Some(_)) | (_, None) => false,
            (Sensed::Piece(seen), Some(piece)) => seen == piece,
            (Sensed::Side(color), Some(piece)) => color == piece.color,
            (Sensed::Occupied, Some(_)) => true,
        }
    }

    /// The squares that cannot be what this placement says.
    pub fn mismatch(&self, board: &Board) -> Bitboard {
        let mut wrong = board.occupied() ^ self.occupied;
        for color in Color::ALL {
            wrong |= *self.sides.get(color) & !board.by_color(color);
        }
        for role in Role::ALL {
            wrong |= *self.roles.get(role) & !board.by_role(role);
        }
        wrong
    }

    /// More pieces of one kind are seen than there are: one of them is not there.
    pub fn exceeds(&self, board: &Board) -> bool {
        let more = |seen: Bitboard, there: Bitboard| seen.count() > there.count();
        let sides = || Color::ALL.into_iter().any(|color| more(*self.sides.get(color), board.by_color(color)));
        let kind = |color, role| more(*self.roles.get(role) & *self.sides.get(color), board.by_piece(Piece { color, role }));
        sides() || Color::ALL.into_iter().any(|color| Role::ALL.into_iter().any(|role| kind(color, role)))
    }

    /// Where the one king of this colour is seen, besides on hidden squares; identity boards only.
    pub fn king(&self, color: Color, hidden: Bitboard) -> Option<Square> {
        (self.roles.king & *self.sides.get(color) & !hidden).single_square()
    }

    /// The pieces as a board, where every piece is known.
    pub fn board(&self) -> Option<Board> {
        let mut board = Board::empty();
        for square in self.occupied {
            let Sensed::Piece(piece) = self.at(square) else { return None };
            board.set_piece_at(square, piece);
        }
        Some(board)
    }
}
