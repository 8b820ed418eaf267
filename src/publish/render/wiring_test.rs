//! The wiring test of a board, as front-ends report it.

use crate::daemon::hub::WiringTestView;
use crate::game::Text;
use crate::locale::{self, Locale};
use crate::wire::Word;
use crate::wiring_test::advice;
use serde::{Deserialize, Serialize};
use shakmaty::Square;

/// A wiring test. This is also the transmitted JSON, which docs/web.md describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WiringTestReport {
    /// Its number among the tests of the board.
    pub id: u64,
    /// Who began it.
    pub by: String,
    /// Where it is: `reading`, `empty`, `square`, `short`, `clear`, `done`.
    pub phase: String,
    /// Why it is over.
    pub end: Option<String>,
    /// The square on which the piece is to be put.
    pub square: Option<String>,
    /// What to do next; what came of it if it is over.
    pub instruction: String,
    /// What the user should know besides.
    pub hint: Option<String>,
    /// What the last square has shown.
    pub last: Option<String>,
    /// The number of squares that were tested or skipped.
    pub tested: usize,
    /// The number of squares that are to be tested.
    pub total: usize,
    /// Whether all squares are tested, and not only those of the short test.
    pub full: bool,
    /// Squares that unexpectedly show a piece, in the board's own coordinates.
    pub shown: Vec<String>,
    /// What was found.
    pub findings: Vec<FindingReport>,
    /// What to do about it.
    pub advice: Vec<String>,
    /// Keys to change.
    pub changes: Vec<ChangeReport>,
}

/// A finding of a wiring test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingReport {
    /// The word for programs.
    pub kind: String,
    /// The squares that it names.
    pub squares: Vec<String>,
    /// What was found.
    pub sentence: String,
}

/// A key of the configuration to change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeReport {
    /// The file that describes the matrix; `None`: the configuration file.
    pub file: Option<String>,
    /// The table of the key; empty: before all tables.
    pub table: String,
    /// The key.
    pub key: String,
    /// The value, as TOML.
    pub value: String,
}

impl WiringTestReport {
    /// Describes a test in a language.
    pub fn new(view: &WiringTestView, locale: Locale) -> WiringTestReport {
        let WiringTestView { id, by, progress, kind, changes } = view;
        let sentence = |text: &Text| locale::sentence(locale, text);
        let names = |squares: &[Square]| squares.iter().map(Square::to_string).collect::<Vec<_>>();
        let findings = progress.findings.iter().map(|finding| FindingReport {
            kind: finding.word().to_owned(),
            squares: names(&finding.squares()),
            sentence: sentence(&Text::from(finding)),
        });
        let changes = changes.iter().map(|change| ChangeReport {
            file: change.file.as_ref().map(|path| path.display().to_string()),
            table: change.table.to_owned(),
            key: change.key.to_owned(),
            value: change.value.clone(),
        });
        let changes: Vec<ChangeReport> = changes.collect();
        WiringTestReport {
            id: *id,
            by: by.clone(),
            phase: progress.phase.word().to_owned(),
            end: progress.end.map(|end| end.word().to_owned()),
            square: progress.target.map(|square| square.to_string()),
            instruction: sentence(&progress.instruction()),
            hint: progress.hint().as_ref().map(sentence),
            last: progress.last_shown().as_ref().map(sentence),
            tested: progress.count.0,
            total: progress.count.1,
            full: progress.is_full,
            shown: names(&progress.shown),
            findings: findings.collect(),
            advice: advice(&progress.findings, *kind, !changes.is_empty()).iter().map(sentence).collect(),
            changes,
        }
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
