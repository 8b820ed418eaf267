//! When a move may be sent to a client that cannot take it back.
//!
//! lichess.org's page posts the first move that it receives at each ply, and cannot correct it. [`SettledPlies`] decides, from the
//! record and from what the squares show, how many plies of a game may be sent to such a client. It is a separate state machine, so
//! that the LiveChess server and `touchmovectl score` run the same code.

use super::Confidence;
use super::event::{CompletedBy, PlayedMove};
use super::record::{Ply, PlyState, Record};
use crate::boards::{Millis, Placement, SquareState};
use shakmaty::{Bitboard, Board, Color, Square};

/// Quiet after which a move is settled without a clock, in milliseconds: longer than a hand rests on its way.
const QUIET: Millis = 1_000;
/// The same for a promotion, whose piece may still be fetched or exchanged.
const QUIET_PROMOTION: Millis = 3_000;
/// A press may be reported before the last action of the hand: boards scan a square every 200 to 250 ms, and clocks report at once.
/// In milliseconds.
const SCAN: Millis = 300;
/// If a piece of the mover has been missing from its square for this time without any change on the board, it is not in a hand: the
/// square does not show it. In milliseconds.
const IN_HAND: Millis = 5_000;
/// The confidence required to publish a move where only sure moves are published.
const SURE: Confidence = Confidence(900);

/// Whether a move is legal and unlikely to be corrected, according to the record.
pub fn is_stable(ply: &Ply) -> bool {
    let sure = ply.confidence >= SURE && !is_king_in_the_centre(&ply.played);
    !ply.played.irregular && (sure || matches!(ply.state, PlyState::Completed { .. }))
}

/// Whether a game of which only the record is known is in progress and is played with a clock.
pub fn shows_clock(record: &Record) -> bool {
    let timed = |ply: &Ply| ply.clocks.white.is_some() || ply.clocks.black.is_some();
    record.result.is_none() && record.plies.iter().any(timed)
}

/// Whether this is a king's move to a square on which kings signal the result: it may be the first half of that signal.
fn is_king_in_the_centre(played: &PlayedMove) -> bool {
    played.san.starts_with('K') && ["d4", "e4", "d5", "e5"].iter().any(|square| played.san.contains(square))
}

/// Decides how many plies of one game may be sent to a client that cannot take a move back.
///
/// A move is settled
///
/// * while the clock runs: when it, or a later move, was completed by the clock (Art. 6.2.1) or by the arbiter, and the time that a
///   board takes to scan all its squares has passed; or when the reply has been on record for a second. A reply made before the
///   move was finished proves nothing about it;
/// * otherwise: when the reply was made, when a piece of the opponent left its square that long ago, or when the squares were quiet
///   for a second (for three after a promotion).
///
/// A move that ended the game needs no press (6.2.1.1) and is also settled by quiet while the clock runs. The last move is not
/// settled while a piece of its player is off the square on which the record has it: the hand may not have finished. If no other
/// piece is on a square that should be empty, this ends when no square has changed for five seconds.
///
/// If the squares are not known, because everything is published with a delay, the second of quiet is one in which the record does
/// not change: a delayed report does not show that the board was quiet.
///
/// All times are in milliseconds of the caller's clock, which never goes back.
#[derive(Clone, Debug)]
pub struct SettledPlies {
    settled: usize,
    /// The moves on record, in UCI.
    moves: Vec<String>,
    /// The number of the record's last event.
    last_number: u64,
    last_move: Option<LastMove>,
    /// When the last move came on record.
    tip_at: Millis,
    /// The number of plies that become settled, and when, because one was completed; both ascending.
    completed: Vec<(usize, Millis)>,
    squares: Option<Placement>,
    /// When a square last changed or, if squares are not known, the record.
    changed_at: Millis,
    clock_runs: bool,
    /// Whether the hand of the last mover may still be moving a piece.
    hand: HandState,
}

/// What the squares say about the hand that made the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandState {
    /// All pieces of the mover are on their squares.
    Done,
    /// One is missing: it is in the hand, or its square does not show it.
    Missing,
    /// One is missing, and a piece is on a square that is empty in the record: it was moved on.
    GoneOn,
}

/// The last move on record, while it is not settled.
#[derive(Clone, Debug)]
struct LastMove {
    completed_by: Option<CompletedBy>,
    promotion: bool,
    /// The position on the board after it.
    board: Board,
    opponent: Color,
}

impl SettledPlies {
    /// Creates the state for a game of which nothing is known yet.
    pub fn new(now: Millis) -> SettledPlies {
        SettledPlies {
            settled: 0,
            moves: Vec::new(),
            last_number: 0,
            last_move: None,
            tip_at: now,
            completed: Vec::new(),
            squares: None,
            changed_at: now,
            clock_runs: false,
            hand: HandState::Done,
        }
    }

    /// Returns the number of settled plies.
    pub fn settled(&self) -> usize {
        self.settled
    }

    /// Returns when more plies become settled if nothing changes; `None`: not before a change.
    pub fn next_deadline(&self) -> Option<Millis> {
        self.answered_deadline().into_iter().chain(self.quiet_deadline()).chain(self.completed_deadline()).min()
    }

    /// Returns when the moves before the last one are settled.
    fn answered_deadline(&self) -> Option<Millis> {
        (self.settled + 1 < self.moves.len()).then(|| self.tip_at + QUIET)
    }

    /// Returns when the last move is settled by quiet.
    fn quiet_deadline(&self) -> Option<Millis> {
        let tip = self.last_move.as_ref()?;
        let ended = tip.completed_by == Some(CompletedBy::GameEnd);
        let quiet = if tip.promotion { QUIET_PROMOTION } else { QUIET };
        let due = (self.changed_at + quiet).max(self.hand_deadline()?);
        (!self.clock_runs || ended).then_some(due)
    }

    /// Returns when the first completed move is settled.
    fn completed_deadline(&self) -> Option<Millis> {
        let (plies, due) = self.completed.first().copied()?;
        if plies < self.moves.len() { Some(due) } else { Some(due.max(self.hand_deadline()?)) }
    }

    /// Returns when the hand of the last mover has finished; `None`: not before a change.
    fn hand_deadline(&self) -> Option<Millis> {
        match self.hand {
            HandState::Done => Some(0),
            HandState::Missing => Some(self.changed_at + IN_HAND),
            HandState::GoneOn => None,
        }
    }

    /// Settles what is due by `now`.
    pub fn advance(&mut self, now: Millis) {
        if self.quiet_deadline().is_some_and(|due| due <= now) {
            self.settle();
        } else if self.answered_deadline().is_some_and(|due| due <= now) {
            self.settle_answered();
        }
        while self.completed_deadline().is_some_and(|due| due <= now) {
            let (plies, _) = self.completed.remove(0);
            self.settled = self.settled.max(plies);
        }
        if self.settled == self.moves.len() {
            self.last_move = None;
        }
    }

    /// Processes the record, what the squares show from the players' point of view (`None`: not known), and whether the clock runs.
    /// Must be called whenever one of them may have changed.
    pub fn update(&mut self, now: Millis, record: &Record, squares: Option<&Placement>, clock_runs: bool) {
        self.advance(now);
        let working = !record.faults.iter().map(|faulty| faulty.square).collect::<Bitboard>();
        if let Some(squares) = squares {
            let before = self.squares.replace(*squares);
            let differs = |square: Square| before.is_none_or(|before| before[square as usize] != squares[square as usize]);
            if working.into_iter().any(differs) {
                self.changed_at = now;
            }
        }
        if self.last_number != record.last_number {
            self.last_number = record.last_number;
            self.follow(now, record, squares.is_none());
        }
        self.clock_runs = clock_runs;
        let seen = self.last_move.as_ref().zip(squares);
        let lifted = |of: Color| seen.is_some_and(|(tip, squares)| tip.has_lifted(of, squares, working));
        let opponent = self.last_move.as_ref().map_or(Color::White, |tip| tip.opponent);
        let answered = lifted(opponent);
        self.hand = match seen {
            Some((tip, squares)) if lifted(!opponent) && tip.has_extra_piece(squares, working) => HandState::GoneOn,
            Some(_) if lifted(!opponent) => HandState::Missing,
            _ => HandState::Done,
        };
        if !clock_runs {
            self.settle_answered();
            let known = self.completed.last().map_or(self.settled, |(plies, _)| *plies);
            if answered && self.hand == HandState::Done && self.moves.len() > known {
                self.completed.push((self.moves.len(), now + SCAN));
            }
        }
        self.advance(now);
    }

    /// Processes a change of the record.
    fn follow(&mut self, now: Millis, record: &Record, without_squares: bool) {
        let same = self.moves.iter().zip(&record.plies).take_while(|(known, ply)| **known == ply.played.uci).count();
        if same < self.moves.len() || same < record.plies.len() {
            self.tip_at = now;
            if without_squares {
                self.changed_at = now;
            }
        }
        self.moves.truncate(same);
        self.moves.extend(record.plies.iter().skip(same).map(|ply| ply.played.uci.clone()));
        self.settled = self.settled.min(same);
        self.completed.retain(|(plies, _)| *plies <= same);
        let completed = record.plies.iter().rposition(|ply| completed_by(ply).is_some_and(is_final)).map_or(0, |last| last + 1);
        let known = self.completed.last().map_or(self.settled, |(plies, _)| *plies);
        if completed > known {
            self.completed.push((completed, now + SCAN));
        }
        self.last_move = record.plies.last().filter(|_| self.settled < record.plies.len()).and_then(LastMove::of);
    }

    fn settle_answered(&mut self) {
        self.settled = self.settled.max(self.moves.len().saturating_sub(1));
    }

    fn settle(&mut self) {
        self.settled = self.moves.len();
        self.last_move = None;
    }
}

fn completed_by(ply: &Ply) -> Option<CompletedBy> {
    match ply.state {
        PlyState::Completed { by, .. } => Some(by),
        PlyState::Made => None,
    }
}

/// Whether a move completed in this way cannot become another move.
fn is_final(by: CompletedBy) -> bool {
    match by {
        CompletedBy::Clock | CompletedBy::OwnNextMove | CompletedBy::Arbiter | CompletedBy::Dwell => true,
        CompletedBy::GameEnd | CompletedBy::Reply => false,
    }
}

impl LastMove {
    fn of(ply: &Ply) -> Option<LastMove> {
        let mut fields = ply.played.fen.split(' ');
        let board = Board::from_ascii_board_fen(fields.next()?.as_bytes()).ok()?;
        let opponent = if fields.next() == Some("b") { Color::Black } else { Color::White };
        Some(LastMove { completed_by: completed_by(ply), promotion: ply.played.uci.len() == 5, board, opponent })
    }

    /// Whether a piece of this player is off its square.
    fn has_lifted(&self, player: Color, squares: &Placement, working: Bitboard) -> bool {
        (self.board.by_color(player) & working).into_iter().any(|square| squares[square as usize] == SquareState::Empty)
    }

    /// Whether a piece is on a square that should be empty.
    fn has_extra_piece(&self, squares: &Placement, working: Bitboard) -> bool {
        (!self.board.occupied() & working).into_iter().any(|square| squares[square as usize] != SquareState::Empty)
    }
}
