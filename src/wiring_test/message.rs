//! What a test says: what to do next, what was found, and what to do about it.

use super::{EndReason, Finding, Phase, Progress};
use crate::boards::{SensorKind, SquareState};
use crate::game::Text;
use crate::game::words::Word;
use shakmaty::{Piece, Square};

/// Who decides in which order a board reports its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardKind {
    /// A file on this computer describes the wiring.
    Matrix,
    /// The program of its controller, which its owner has written.
    SelfBuilt,
    /// Its maker.
    Bought,
}

impl Progress {
    /// Returns what to do next; what came of it if the test is over.
    pub fn instruction(&self) -> Text {
        match (self.phase, self.target) {
            (Phase::Square, Some(target)) if self.is_first && self.sensing == SensorKind::Colour => {
                Text::new("wiring-put_white").with("square", target)
            }
            (Phase::Square, Some(target)) if self.is_first => Text::new("wiring-put").with("square", target),
            (Phase::Square, Some(target)) => Text::new("wiring-move").with("square", target),
            (Phase::Square, None) | (Phase::Reading, _) => Text::new("wiring-reading"),
            (Phase::Empty, _) => Text::new("wiring-empty"),
            (Phase::Short, _) => Text::new("wiring-short"),
            (Phase::Clear, _) => Text::new("wiring-clear"),
            (Phase::Done, _) => Text::new(&format!("wiring-end-{}", self.end.unwrap_or(EndReason::Finished).word())),
        }
    }

    /// Returns what the user should know besides.
    pub fn hint(&self) -> Option<Text> {
        let shown = || names(&self.shown);
        match self.phase {
            Phase::Empty | Phase::Clear if !self.shown.is_empty() => {
                Some(Text::new("wiring-not_empty").with("squares", shown()))
            }
            Phase::Square if !self.shown.is_empty() => {
                Some(Text::new("wiring-unexpected").with("square", self.target?).with("squares", shown()))
            }
            Phase::Square if self.is_overdue => Some(Text::new("wiring-overdue").with("square", self.target?)),
            Phase::Short | Phase::Clear | Phase::Done if self.findings.is_empty() && self.arrangement.is_some() => {
                Some(Text::new("wiring-well").with("count", u32::try_from(self.count.0).unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// Returns what the last square has shown.
    pub fn last_shown(&self) -> Option<Text> {
        let (square, reported, state) = self.last.as_ref()?;
        Some(match (reported.as_slice(), state) {
            ([], _) => Text::new("wiring-last_nothing").with("square", *square),
            (reported, Some(SquareState::Piece(piece))) => {
                let text = Text::new("wiring-last_piece").with("square", *square).with("squares", names(reported));
                text.with("piece", piece_text(*piece))
            }
            (reported, _) => Text::new("wiring-last").with("square", *square).with("squares", names(reported)),
        })
    }
}

fn names(squares: &[Square]) -> String {
    squares.iter().map(Square::to_string).collect::<Vec<_>>().join(" ")
}

/// Describes a piece, as the letter of a FEN: it is the same in every language.
fn piece_text(piece: Piece) -> String {
    piece.char().to_string()
}

fn rank_name(rank: usize) -> String {
    (rank + 1).to_string()
}

fn file_name(file: usize) -> String {
    u32::try_from(file).ok().and_then(|file| char::from_digit(file + 10, 18)).unwrap_or('?').to_string()
}

/// Adds lines and the places in which they are reported.
fn lines(key: &str, moved: &[(usize, usize)], name: fn(usize) -> String) -> Text {
    let list = |lines: Vec<usize>| lines.into_iter().map(name).collect::<Vec<_>>().join(" ");
    let from = list(moved.iter().map(|(line, _)| *line).collect());
    let to = list(moved.iter().map(|(_, place)| *place).collect());
    Text::new(key).with("lines", from).with("places", to)
}

/// Converts a finding: `wiring-found-` and its word.
impl From<&Finding> for Text {
    fn from(finding: &Finding) -> Text {
        let key = format!("wiring-found-{}", finding.word());
        let text = Text::new(&key);
        match finding {
            Finding::Transposed([a1, h1, a8]) => text.with("a1", *a1).with("h1", *h1).with("a8", *a8),
            Finding::RanksMoved(moved) => lines(&key, moved, rank_name),
            Finding::FilesMoved(moved) => lines(&key, moved, file_name),
            Finding::DeadRank(rank) => text.with("line", rank_name(*rank)),
            Finding::DeadFile(file) => text.with("line", file_name(*file)),
            Finding::SquaresExchanged(one, other) | Finding::ShownAs(one, other) => {
                text.with("square", *one).with("other", *other)
            }
            Finding::AlsoShown(square, others) => text.with("square", *square).with("squares", names(others)),
            Finding::Dead(square) | Finding::Stuck(square) | Finding::Flickering(square) | Finding::Opposite(square) => {
                text.with("square", *square)
            }
            Finding::OtherPiece { square, shown, usual } => {
                let text = text.with("square", *square).with("shown", piece_text(*shown));
                text.with("usual", piece_text(*usual))
            }
            Finding::NothingShown
            | Finding::Inverted
            | Finding::ColoursExchanged
            | Finding::NoOrder
            | Finding::Turned
            | Finding::RanksMirrored
            | Finding::FilesMirrored => text,
        }
    }
}

/// Returns what to do about findings, each once. `has_changes`: whether the configuration can be changed so that the order is right.
pub fn advice(findings: &[Finding], kind: BoardKind, has_changes: bool) -> Vec<Text> {
    let mut keys: Vec<&str> = Vec::new();
    for finding in findings {
        let key = match (finding, kind) {
            (Finding::Turned, BoardKind::SelfBuilt | BoardKind::Bought) if !has_changes => "wiring-do-turned",
            (finding, _) if finding.is_about_order() && has_changes => "wiring-do-change",
            (finding, BoardKind::Matrix) if finding.is_about_order() => "wiring-do-rewire",
            (Finding::SquaresExchanged(..) | Finding::ShownAs(..) | Finding::NoOrder, BoardKind::Matrix) => "wiring-do-rewire",
            (Finding::SquaresExchanged(..) | Finding::ShownAs(..) | Finding::NoOrder, BoardKind::SelfBuilt) => {
                "wiring-do-program"
            }
            (Finding::SquaresExchanged(..) | Finding::ShownAs(..) | Finding::NoOrder, BoardKind::Bought) => "wiring-do-maker",
            (finding, BoardKind::SelfBuilt) if finding.is_about_order() => "wiring-do-program",
            (finding, _) if finding.is_about_order() => "wiring-do-maker",
            (Finding::NothingShown, BoardKind::Matrix) => "wiring-do-nothing_matrix",
            (Finding::NothingShown, _) => "wiring-do-nothing",
            (Finding::Inverted | Finding::ColoursExchanged, _) => "wiring-do-inverted",
            (Finding::DeadRank(_) | Finding::DeadFile(_), BoardKind::Matrix) => "wiring-do-line_matrix",
            (Finding::DeadRank(_) | Finding::DeadFile(_), _) => "wiring-do-line",
            (Finding::OtherPiece { .. }, _) => "wiring-do-other_piece",
            _ => "wiring-do-repair",
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter().map(Text::new).collect()
}
