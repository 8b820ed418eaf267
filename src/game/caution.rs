//! When a move may go to a client that cannot take it back.
//!
//! lichess.org's page posts the first move that it is told at each ply, and has no way to correct it. [`Caution`] decides, from the
//! record and from what the squares show, how many plies of a game such a client may be told. It is a state machine of its own, so
//! that the LiveChess server and `touchmovectl score` run the same code.

use super::Confidence;
use super::event::{CompletedBy, Played};
use super::record::{Ply, PlyState, Record};
use crate::boards::{Millis, Placement, Sensed};
use shakmaty::{Bitboard, Board, Color, Square};

/// Without a clock a move is settled when no square has changed for so long, in milliseconds: longer than a hand rests on its way.
const QUIET: Millis = 1_000;
/// The same for a promotion, whose piece may still be fetched or exchanged.
const QUIET_PROMOTION: Millis = 3_000;
/// A press may be told before what the hand did last: boards look at a square every 200 to 250 ms, and clocks are told at once.
const SCAN: Millis = 300;
/// A piece of the mover's that is missing from its square for so long, in milliseconds, while no square changes, is not in a hand: the
/// square does not show it.
const IN_HAND: Millis = 5_000;
/// As sure as a move is told when only what is sure is told.
const SURE: Confidence = Confidence(900);

/// Whether a move is legal and will hardly be corrected, as far as the record says.
pub fn is_stable(ply: &Ply) -> bool {
    let sure = ply.confidence >= SURE && !is_king_in_the_centre(&ply.played);
    !ply.played.irregular && (sure || matches!(ply.state, PlyState::Completed { .. }))
}

/// Whether a game of which only the record is known is played with a clock, and is on.
pub fn shows_clock(record: &Record) -> bool {
    let timed = |ply: &Ply| ply.clocks.white.is_some() || ply.clocks.black.is_some();
    record.result.is_none() && record.plies.iter().any(timed)
}

/// A king's move to where kings tell the result: it may be the first half of that.
fn is_king_in_the_centre(played: &Played) -> bool {
    played.san.starts_with('K') && ["d4", "e4", "d5", "e5"].iter().any(|square| played.san.contains(square))
}

/// How many plies of one game may be told to a client that cannot take a move back.
///
/// A move is settled
///
/// * while the clock runs, when it was completed by the clock (Art. 6.2.1) or by the arbiter, or a later one was, as long ago as a
///   board takes to scan all its squares; or when the reply has been on record for a second: a reply that is made before the move
///   was finished proves nothing of it;
/// * otherwise when the reply was made, when a piece of the opponent's left its square as long ago as that, or when the squares were
///   quiet for a second (for three after a promotion).
///
/// A move that ended the game needs no press (6.2.1.1) and is settled by quiet beside a running clock, too. The last move is not
/// settled while a piece of its player's is off the square on which the record has it: it may be that the hand has not finished.
/// Where nothing stands elsewhere instead, this ends when no square has changed for five seconds.
///
/// Where the squares are not known, because everything is told late, the second of quiet is one in which the record does not change:
/// that something was told late does not mean that the board was quiet meanwhile.
///
/// All times are in milliseconds of the caller's clock, which never goes back.
#[derive(Clone, Debug)]
pub struct Caution {
    settled: usize,
    /// The moves on record, as UCI.
    moves: Vec<String>,
    /// The number of the record's last event.
    last_number: u64,
    tip: Option<Tip>,
    /// When the last move came on record.
    tip_at: Millis,
    /// So many plies are settled at these times because one was completed; both rise.
    completed: Vec<(usize, Millis)>,
    squares: Option<Placement>,
    /// When a square last changed or, where squares are not known, the record.
    changed_at: Millis,
    clock_runs: bool,
    /// Whether the hand of the last mover may still be at work.
    hand: Hand,
}

/// What the squares say of the hand that made the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hand {
    /// All pieces of the mover's are on their squares.
    Done,
    /// One is missing: it is in the hand, or its square does not show it.
    Missing,
    /// One is missing, and something stands where the record has nothing: it went on.
    GoneOn,
}

/// The last move on record, while it is not settled.
#[derive(Clone, Debug)]
struct Tip {
    completed_by: Option<CompletedBy>,
    promotion: bool,
    /// What stands on the board after it.
    board: Board,
    opponent: Color,
}

impl Caution {
    /// A game of which nothing is known yet.
    pub fn new(now: Millis) -> Caution {
        Caution {
            settled: 0,
            moves: Vec::new(),
            last_number: 0,
            tip: None,
            tip_at: now,
            completed: Vec::new(),
            squares: None,
            changed_at: now,
            clock_runs: false,
            hand: Hand::Done,
        }
    }

    /// How many plies are settled.
    pub fn settled(&self) -> usize {
        self.settled
    }

    /// When more is settled if nothing changes; `None`: not before something does.
    pub fn next_deadline(&self) -> Option<Millis> {
        self.answered_deadline().into_iter().chain(self.quiet_deadline()).chain(self.completed_deadline()).min()
    }

    /// When the moves before the last one are settled.
    fn answered_deadline(&self) -> Option<Millis> {
        (self.settled + 1 < self.moves.len()).then(|| self.tip_at + QUIET)
    }

    /// When the last one is.
    fn quiet_deadline(&self) -> Option<Millis> {
        let tip = self.tip.as_ref()?;
        let ended = tip.completed_by == Some(CompletedBy::GameEnd);
        let quiet = if tip.promotion { QUIET_PROMOTION } else { QUIET };
        let due = (self.changed_at + quiet).max(self.hand_deadline()?);
        (!self.clock_runs || ended).then_some(due)
    }

    /// When the first move that was completed is.
    fn completed_deadline(&self) -> Option<Millis> {
        let (plies, due) = self.completed.first().copied()?;
        if plies < self.moves.len() { Some(due) } else { Some(due.max(self.hand_deadline()?)) }
    }

    /// When the hand of the last mover has finished; `None`: not before something changes.
    fn hand_deadline(&self) -> Option<Millis> {
        match self.hand {
            Hand::Done => Some(0),
            Hand::Missing => Some(self.changed_at + IN_HAND),
            Hand::GoneOn => None,
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
            self.tip = None;
        }
    }

    /// Takes the record, what the squares show as the players see them (`None`: not known), and whether the clock runs. To be
    /// called whenever one of them may have changed.
    pub fn see(&mut self, now: Millis, record: &Record, squares: Option<&Placement>, clock_runs: bool) {
        self.advance(now);
        let working = !record.faults.iter().map(|bad| bad.square).collect::<Bitboard>();
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
        let seen = self.tip.as_ref().zip(squares);
        let lifted = |of: Color| seen.is_some_and(|(tip, squares)| tip.has_lifted(of, squares, working));
        let opponent = self.tip.as_ref().map_or(Color::White, |tip| tip.opponent);
        let answered = lifted(opponent);
        self.hand = match seen {
            Some((tip, squares)) if lifted(!opponent) && tip.has_more(squares, working) => Hand::GoneOn,
            Some(_) if lifted(!opponent) => Hand::Missing,
            _ => Hand::Done,
        };
        if !clock_runs {
            self.settle_answered();
            let known = self.completed.last().map_or(self.settled, |(plies, _)| *plies);
            if answered && self.hand == Hand::Done && self.moves.len() > known {
                self.completed.push((self.moves.len(), now + SCAN));
            }
        }
        self.advance(now);
    }

    /// The record changed.
    fn follow(&mut self, now: Millis, record: &Record, blind: bool) {
        let same = self.moves.iter().zip(&record.plies).take_while(|(known, ply)| **known == ply.played.uci).count();
        if same < self.moves.len() || same < record.plies.len() {
            self.tip_at = now;
            if blind {
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
        self.tip = record.plies.last().filter(|_| self.settled < record.plies.len()).and_then(Tip::of);
    }

    fn settle_answered(&mut self) {
        self.settled = self.settled.max(self.moves.len().saturating_sub(1));
    }

    fn settle(&mut self) {
        self.settled = self.moves.len();
        self.tip = None;
    }
}

fn completed_by(ply: &Ply) -> Option<CompletedBy> {
    match ply.state {
        PlyState::Completed { by, .. } => Some(by),
        PlyState::Made => None,
    }
}

/// Whether a move that was completed so will not be made otherwise any more.
fn is_final(by: CompletedBy) -> bool {
    match by {
        CompletedBy::Clock | CompletedBy::OwnNextMove | CompletedBy::Arbiter | CompletedBy::Dwell => true,
        CompletedBy::GameEnd | CompletedBy::Reply => false,
    }
}

impl Tip {
    fn of(ply: &Ply) -> Option<Tip> {
        let mut fields = ply.played.fen.split(' ');
        let board = Board::from_ascii_board_fen(fields.next()?.as_bytes()).ok()?;
        let opponent = if fields.next() == Some("b") { Color::Black } else { Color::White };
        Some(Tip { completed_by: completed_by(ply), promotion: ply.played.uci.len() == 5, board, opponent })
    }

    /// A piece of this player's is off its square.
    fn has_lifted(&self, player: Color, squares: &Placement, working: Bitboard) -> bool {
        (self.board.by_color(player) & working).into_iter().any(|square| squares[square as usize] == Sensed::Empty)
    }

    /// Something stands where nothing should.
    fn has_more(&self, squares: &Placement, working: Bitboard) -> bool {
        (!self.board.occupied() & working).into_iter().any(|square| squares[square as usize] != Sensed::Empty)
    }
}
