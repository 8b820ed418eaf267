//! What the squares show now, in squares of play.

mod contents;

use super::{HandCosts, model, placement_hash};
use crate::boards::{Millis, Placement, SensorKind, SquareState};
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Piece, Role, Square};
use std::collections::VecDeque;

/// Maximum number of changes that are kept: more than happen within seconds.
const MAX_CHANGES: usize = 48;
/// Maximum number of clock presses that are kept.
const MAX_PRESSES: usize = 8;

/// A change of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When it changed, in milliseconds.
    pub at: Millis,
    /// The square.
    pub square: Square,
    /// What it has shown since.
    pub now: SquareState,
    /// Whether only a whole reading or the board's memory showed the change, so that its time is unknown.
    pub found_by_reading: bool,
}

/// What the squares show, in squares of play, with what is needed to compare it quickly with a position.
#[derive(Clone, Debug)]
pub struct ObservedBoard {
    squares: Placement,
    occupied: Bitboard,
    sides: ByColor<Bitboard>,
    roles: ByRole<Bitboard>,
    placement_hash: u64,
    changed_at: [Millis; 64],
    /// Squares whose last change was found by a whole reading, so that its time is unknown.
    found_by_reading: Bitboard,
    last_edge: Millis,
    /// Recent changes, oldest first.
    changes: VecDeque<Change>,
    /// Time until which changes may have been delayed on the serial line.
    delayed_until: Millis,
    /// The time at which delayed changes came, and the squares whose last change came delayed.
    delayed: (Option<Millis>, Bitboard),
    /// Squares that one reading showed as changed, many at once: it may be stale.
    doubted: Bitboard,
    /// Squares whose piece is new to the board, which assumes a queen.
    assumed_queens: Bitboard,
    /// When a piece was chosen for a promotion that the squares did not show yet, and which one.
    chosen_promotion: Option<(Millis, Role)>,
    /// Recent clock presses, oldest first.
    presses: VecDeque<(Millis, Color)>,
    /// When data on the serial line was last damaged.
    damaged_at: Option<Millis>,
    /// Squares that have changed since the game began.
    changed_in_game: Bitboard,
    /// Squares that flicker.
    flickering: Bitboard,
    /// Flickering squares that have just gone empty: whether a piece is there is unknown.
    doubtful: Bitboard,
    /// Excused squares, which count as showing something else, with what they really show: displaced pieces.
    excused: Vec<(Square, SquareState)>,
    sensing: SensorKind,
    hands: HandCosts,
}

impl ObservedBoard {
    /// Creates an empty board.
    pub fn new(sensing: SensorKind) -> ObservedBoard {
        ObservedBoard {
            squares: [SquareState::Empty; 64],
            occupied: Bitboard::EMPTY,
            sides: ByColor::default(),
            roles: ByRole::default(),
            placement_hash: 0,
            changed_at: [0; 64],
            found_by_reading: Bitboard::EMPTY,
            last_edge: 0,
            changes: VecDeque::new(),
            delayed_until: 0,
            delayed: (None, Bitboard::EMPTY),
            doubted: Bitboard::EMPTY,
            assumed_queens: Bitboard::EMPTY,
            chosen_promotion: None,
            presses: VecDeque::new(),
            damaged_at: None,
            changed_in_game: Bitboard::EMPTY,
            flickering: Bitboard::EMPTY,
            doubtful: Bitboard::EMPTY,
            excused: Vec::new(),
            sensing,
            hands: HandCosts::default(),
        }
    }

    /// Creates a board that shows a whole placement.
    pub fn from_placement(placement: &Placement, sensing: SensorKind) -> ObservedBoard {
        let mut seen = ObservedBoard::new(sensing);
        for square in Square::ALL {
            seen.set_square(0, square, placement[square as usize]);
        }
        seen
    }

    /// Returns the board with these costs of what hands do on it, in place of the defaults.
    pub fn with_hands(self, hands: HandCosts) -> ObservedBoard {
        ObservedBoard { hands, ..self }
    }

    /// Returns the costs of what hands do on it.
    pub fn hands(&self) -> &HandCosts {
        &self.hands
    }

    /// Sets what one square shows.
    pub fn set_square(&mut self, now: Millis, square: Square, sensed: SquareState) {
        let sensed = sensed.reduce_to(self.sensing);
        self.last_edge = now;
        let before = self.squares[square as usize];
        if before == sensed {
            return;
        }
        self.found_by_reading.discard(square);
        self.delayed.1.set(square, self.delayed.0 == Some(now));
        self.doubted.discard(square);
        if matches!(before, SquareState::Piece(piece) if piece.role == Role::Queen) {
            self.assumed_queens.discard(square);
        }
        self.changed_at[square as usize] = now;
        self.changed_in_game.add(square);
        self.update_square(square, sensed);
        if self.changes.len() == MAX_CHANGES {
            self.changes.pop_front();
        }
        self.changes.push_back(Change { at: now, square, now: sensed, found_by_reading: now <= self.delayed_until });
    }

    /// Notes a clock press of player `by`.
    pub fn note_press(&mut self, now: Millis, by: Color) {
        if self.presses.len() == MAX_PRESSES {
            self.presses.pop_front();
        }
        self.presses.push_back((now, by));
    }

    /// Returns the changes later than `since`, oldest first, as far back as they are kept.
    pub fn changes_since(&self, since: Millis) -> impl Iterator<Item = Change> + '_ {
        self.changes.range(self.changes.partition_point(|change| change.at <= since)..).copied()
    }

    /// Returns whether all changes later than `since` were seen when they happened, and are kept.
    pub fn has_all_changes(&self, since: Millis) -> bool {
        let all = self.changes.len() < MAX_CHANGES || self.changes.front().is_some_and(|oldest| oldest.at <= since);
        all && !self.changes_since(since).any(|change| change.found_by_reading)
    }

    /// Returns the clock presses later than `since`, oldest first, as far back as they are kept.
    pub fn presses_since(&self, since: Millis) -> impl Iterator<Item = (Millis, Color)> + '_ {
        self.presses.iter().copied().filter(move |(at, _)| *at > since)
    }

    fn update_square(&mut self, square: Square, sensed: SquareState) {
        let before = std::mem::replace(&mut self.squares[square as usize], sensed);
        self.placement_hash ^= placement_hash::square_hash(square, before) ^ placement_hash::square_hash(square, sensed);
        self.occupied.set(square, sensed != SquareState::Empty);
        for (shown, is_set) in [(before, false), (sensed, true)] {
            if let SquareState::Side(color) | SquareState::Piece(Piece { color, .. }) = shown {
                self.sides.get_mut(color).set(square, is_set);
            }
            if let SquareState::Piece(Piece { role, .. }) = shown {
                self.roles.get_mut(role).set(square, is_set);
            }
        }
    }

    /// Excuses these squares: they count as showing what this placement has, until one of them changes.
    pub fn excuse(&mut self, squares: Bitboard, board: &Board) {
        self.clear_excuse();
        for square in squares {
            self.excused.push((square, self.at(square)));
            let shown = board.piece_at(square).map_or(SquareState::Empty, SquareState::Piece).reduce_to(self.sensing);
            self.update_square(square, shown);
        }
    }

    /// Ends the excuse of all squares: they count as what they show.
    pub fn clear_excuse(&mut self) {
        for (square, sensed) in std::mem::take(&mut self.excused) {
            self.update_square(square, sensed);
        }
    }

    /// Returns the excused squares.
    pub fn excused(&self) -> Bitboard {
        self.excused.iter().map(|(square, _)| *square).collect()
    }

    /// Returns what a square really shows, excused or not.
    pub fn actual(&self, square: Square) -> SquareState {
        self.excused.iter().find(|(known, _)| *known == square).map_or(self.at(square), |(_, real)| *real)
    }

    /// Sets a change of one square found by a whole reading, at an unknown time.
    pub fn set_found(&mut self, now: Millis, square: Square, sensed: SquareState) {
        let before = self.placement_hash;
        self.set_square(now, square, sensed);
        if before != self.placement_hash {
            self.found_by_reading.add(square);
            self.mark_remembered();
        }
    }

    /// Marks everything that comes until `until` as possibly delayed on the serial line: the time when it happened is unknown.
    pub fn mark_late_until(&mut self, until: Millis) {
        self.delayed_until = until;
    }

    /// Marks what comes at `now`, all at once, as delayed: the time of each change is unknown.
    pub fn mark_late(&mut self, now: Millis) {
        self.delayed.0 = Some(now);
        let changed =
            Square::ALL.into_iter().filter(|&square| self.changed_in_game.contains(square) && self.changed_at(square) == now);
        self.delayed.1 |= changed.collect::<Bitboard>();
    }

    /// Returns whether what comes at `now` is delayed.
    pub fn is_late(&self, now: Millis) -> bool {
        self.delayed.0 == Some(now)
    }

    /// Returns the squares whose last change came delayed.
    pub fn delayed_squares(&self) -> Bitboard {
        self.delayed.1
    }

    /// Notes that pieces on these squares, where the board shows none yet, are new to it: it assumes queens.
    pub fn assume_queens(&mut self, squares: Bitboard) {
        self.assumed_queens |= squares;
    }

    /// Returns the squares whose piece the board assumes to be a queen.
    pub fn assumed_queens(&self) -> Bitboard {
        self.assumed_queens
    }

    /// Notes that this piece was chosen for a promotion that the squares do not show yet.
    pub fn note_chosen_promotion(&mut self, now: Millis, role: Role) {
        self.chosen_promotion = Some((now, role));
    }

    /// Returns the piece that was chosen for a promotion that the squares show now.
    pub fn chosen_promotion(&self, now: Millis) -> Option<Role> {
        self.chosen_promotion.filter(|(at, _)| now.saturating_sub(*at) <= model::MAX_CHOICE_LEAD).map(|(_, role)| role)
    }

    /// Notes that one reading at `now` reports the change of these squares. If they are many, and the board should have reported
    /// each, the reading is a stale reply, or much was lost.
    pub fn note_changed_at_once(&mut self, now: Millis, squares: Bitboard) {
        if self.delayed.0 == Some(now) {
            self.doubt_if_many(squares);
        }
    }

    /// Doubts these squares, which were not seen to change, if they are many: the reading that shows them so may be stale.
    pub fn doubt_if_many(&mut self, squares: Bitboard) {
        /// More squares than most pairs of moves change.
        const MAX_PLAUSIBLE: usize = 4;
        if squares.count() > MAX_PLAUSIBLE {
            self.doubt_squares(squares);
        }
    }

    /// Doubts these squares: the reading that shows them so may be stale.
    pub fn doubt_squares(&mut self, squares: Bitboard) {
        self.doubted |= squares;
    }

    /// Returns the doubted squares; each is doubted until it changes or the reading is confirmed.
    pub fn doubted(&self) -> Bitboard {
        self.doubted
    }

    /// Confirms the readings that showed the doubted squares.
    pub fn confirm_doubted(&mut self) {
        self.doubted = Bitboard::EMPTY;
    }

    /// Returns the squares whose last change only a whole reading showed, although the board should have reported it.
    pub fn found_delayed(&self) -> Bitboard {
        self.found_by_reading & self.delayed.1
    }

    /// Marks the last change as one that was not seen when it happened.
    pub fn mark_remembered(&mut self) {
        if let Some(change) = self.changes.back_mut() {
            change.found_by_reading = true;
        }
    }

    /// Returns what the squares show.
    pub fn squares(&self) -> &Placement {
        &self.squares
    }

    /// Returns what one square shows.
    pub fn at(&self, square: Square) -> SquareState {
        self.squares[square as usize]
    }

    /// Returns when a square last changed; if only a whole reading showed that, the time of the reading.
    pub fn changed_at(&self, square: Square) -> Millis {
        self.changed_at[square as usize]
    }

    /// Returns when the board last changed.
    pub fn last_edge(&self) -> Millis {
        self.last_edge
    }

    /// Notes damaged data on the serial line: updates may be lost.
    pub fn note_damage(&mut self, now: Millis) {
        self.damaged_at = Some(now);
    }

    /// Returns whether data on the serial line was damaged within the last `within` milliseconds.
    pub fn was_damaged(&self, now: Millis, within: Millis) -> bool {
        self.damaged_at.is_some_and(|at| now.saturating_sub(at) <= within)
    }

    /// Begins a game: earlier changes no longer count.
    pub fn begin_game(&mut self, now: Millis) {
        self.last_edge = now;
        self.changed_in_game = Bitboard::EMPTY;
    }

    /// Returns the squares that have not changed since the game began.
    pub fn never_changed(&self) -> Bitboard {
        !self.changed_in_game
    }

    /// Sets the flickering squares: one of them going empty means nothing for a while.
    pub fn set_flickering(&mut self, squares: Bitboard) {
        self.flickering = squares;
    }

    /// Updates the squares of which it is unknown at `now` whether a piece is there. Returns whether they changed.
    pub fn update_doubt(&mut self, now: Millis) -> bool {
        let empty = self.flickering & !self.occupied;
        let fresh = |square: &Square| now.saturating_sub(self.changed_at(*square)) < model::MAX_FLICKER_GAP;
        let doubtful = empty.into_iter().filter(fresh).collect();
        std::mem::replace(&mut self.doubtful, doubtful) != doubtful
    }

    /// Returns the squares that [`ObservedBoard::update_doubt`] found.
    pub fn doubtful(&self) -> Bitboard {
        self.doubtful
    }

    /// Returns the squares that changed later than `since`.
    pub fn changed_since(&self, since: Millis) -> Bitboard {
        let bits = self.changed_at.iter().enumerate().map(|(index, at)| u64::from(*at > since) << index);
        Bitboard(bits.fold(0, |all, bit| all | bit))
    }

    /// Returns whether only a whole reading showed a square's last change.
    pub fn was_found(&self, square: Square) -> bool {
        self.found_by_reading.contains(square)
    }

    /// Returns the occupied squares.
    pub fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// Returns the placement hash of what is shown: equal for all placements that would show the same.
    pub fn placement_hash(&self) -> u64 {
        self.placement_hash
    }

    /// Returns what kind of sensors the board has.
    pub fn sensing(&self) -> SensorKind {
        self.sensing
    }
}
