//! What the arbiter is told to look at.

use super::{Around, Game, KINGS_APART};
use crate::boards::{Millis, Sensed};
use crate::game::event::Difference;
use crate::game::{Alert, AlertKind, Event};
use crate::infer::model::BAD_LINE;
use crate::table::Output;
use shakmaty::{Color, Role, Square};

/// The board stands unexplained for so long, in milliseconds, before the arbiter is told: longer than a piece is put aside to
/// be adjusted.
pub const UNEXPLAINED: Millis = 3_000;
/// The same where pieces in the hands of the player to move explain what is seen, in milliseconds.
pub const UNEXPLAINED_LONG: Millis = 30_000;
/// So long a board may be in the disorder of pieces being put away, in milliseconds.
pub const ABANDONED: Millis = 60_000;
/// More squares out of order than this, with the kings away, and the pieces are being put away.
const SWEPT: usize = 10;
/// The same if more pieces than this are missing.
const TAKEN_OFF: usize = 5;

impl Game {
    /// The game began from something that is not the start position.
    pub fn wrong_start(&mut self, now: Millis, differences: &[Difference], output: &mut Output) {
        let squares = differences.iter().map(|difference| difference.square).collect();
        let detail = format!("the game was begun from a wrong start position: {}", in_words(differences));
        self.raise(now, AlertKind::WrongStart, Some("7.2.1"), squares, detail, output);
    }

    /// Moves that were just published, and that other lines would explain as well: the arbiter is asked.
    pub(super) fn tell_uncertain(&mut self, now: Millis, from: usize, to: usize, output: &mut Output) {
        let mut squares = Vec::new();
        let mut others = Vec::new();
        for index in from..to {
            let (Some(before), Some(node)) = (self.follower.line().get(index), self.follower.line().get(index + 1)) else {
                continue;
            };
            if let Some(mv) = node.mv.filter(|_| node.is_reconstructed() && self.follower.seen().is_damaged(now, BAD_LINE)) {
                squares.push(mv.to());
                others.push(format!("ply {} was made out from what stood there, on a line that loses updates", index + 1));
                continue;
            }
            let legal = before.position.legal_moves();
            let first = node.rivals.iter().find(|(other, _)| legal.contains(other));
            let (Some(mv), Some((first, _))) = (node.mv, first) else { continue };
            squares.push(mv.to());
            others.push(format!("ply {} could also be {}", index + 1, before.position.uci(*first)));
        }
        if !others.is_empty() {
            let detail = format!(
                "moves were not seen one by one, and the board does not tell which they were: {}: compare the score sheets",
                others.join("; ")
            );
            self.raise(now, AlertKind::MovesUncertain, None, squares, detail, output);
        }
    }

    pub(super) fn tell_unexplained(&mut self, now: Millis, quiet: Millis, around: &mut Around<'_>, output: &mut Output) {
        // Pieces in the hands explain much, but not for ever.
        let wrong = if quiet < UNEXPLAINED_LONG { self.follower.unexplained() } else { self.follower.mismatch() };
        let wrong = wrong | self.follower.displaced();
        let begun = !self.published.is_empty() || around.clock.counts();
        if quiet < UNEXPLAINED || wrong.is_empty() || !begun || self.record.result.is_some() {
            return;
        }
        // With the clock stopped the kings are in no hurry to move on, and the board may soon be cleared.
        let kings_wait = if self.is_no_play() && self.follower.kings_unclear().is_some() { UNEXPLAINED } else { KINGS_APART };
        if self.follower.king_strays() && quiet < kings_wait {
            return;
        }
        let raised = self.is_raised(AlertKind::PositionUnexplained);
        if self.tell_kings_unclear(now, around, output) || self.is_no_play() || (raised && self.displaced == wrong) {
            return;
        }
        let seen = self.follower.seen();
        let position = &self.follower.tip().position;
        let king_is_home = |color: Color| !position.board().by_piece(Role::King.of(color)).intersects(wrong);
        let missing = wrong & !seen.occupied() & position.board().occupied();
        let put_away = missing.count() > TAKEN_OFF || (wrong.count() > SWEPT && !Color::ALL.into_iter().all(king_is_home));
        if put_away && quiet < ABANDONED {
            return;
        }
        let differences: Vec<Difference> = wrong
            .into_iter()
            .map(|square| Difference { square, expected: position.piece_at(square), seen: seen.really_at(square) })
            .collect();
        self.displaced = wrong;
        let detail = format!("the board does not show the position of the record: {}", in_words(&differences));
        output.tell(now, Event::Displaced { squares: differences });
        if raised {
            return;
        }
        self.raise(now, AlertKind::PositionUnexplained, None, wrong.into_iter().collect(), detail, output);
    }

    pub(super) fn is_raised(&self, kind: AlertKind) -> bool {
        self.record.alerts.iter().any(|alert| alert.kind == kind)
    }

    pub(super) fn raise(
        &mut self,
        now: Millis,
        kind: AlertKind,
        article: Option<&str>,
        squares: Vec<Square>,
        detail: String,
        output: &mut Output,
    ) {
        let alert = Alert {
            id: self.record.alerts_raised + 1,
            kind,
            ply: self.record.plies.len() as u32,
            by: None,
            article: article.map(str::to_owned),
            squares,
            detail,
            position: self.record.fen().to_owned(),
        };
        self.tell(now, Event::AlertRaised(alert), output);
    }

    pub(super) fn clear(&mut self, now: Millis, which: impl Fn(&Alert) -> bool, output: &mut Output) {
        let ids: Vec<u32> = self.record.alerts.iter().filter(|alert| which(alert)).map(|alert| alert.id).collect();
        for id in ids {
            self.tell(now, Event::AlertCleared { id }, output);
        }
    }
}

/// Square by square, what should be there and what is.
pub fn in_words(differences: &[Difference]) -> String {
    let piece = |piece: shakmaty::Piece| {
        let color = if piece.color.is_white() { "white" } else { "black" };
        let role = match piece.role {
            Role::Pawn => "pawn",
            Role::Knight => "knight",
            Role::Bishop => "bishop",
            Role::Rook => "rook",
            Role::Queen => "queen",
            Role::King => "king",
        };
        format!("a {color} {role}")
    };
    let one = |difference: &Difference| {
        let expected = difference.expected.map_or_else(|| "nothing".to_owned(), piece);
        let seen = match difference.seen {
            Sensed::Empty => "nothing".to_owned(),
            Sensed::Piece(found) => piece(found),
            Sensed::Side(color) => format!("a {} piece", if color.is_white() { "white" } else { "black" }),
            Sensed::Occupied => "a piece".to_owned(),
        };
        format!("{} should hold {expected}, but holds {seen}", difference.square)
    };
    differences.iter().map(one).collect::<Vec<_>>().join("; ")
}
