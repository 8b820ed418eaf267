//! Alerts before they are raised.

use crate::game::{AlertKind, Record, Sighting, Text, TouchEvidence, TouchSighting};
use crate::laws::{RulingFacts, Situation};
use shakmaty::{Color, Square};

/// An alert before its ruling, id and defaults are filled in.
pub(super) struct AlertDraft {
    pub kind: AlertKind,
    pub text: Text,
    /// The player concerned.
    pub by: Option<Color>,
    pub squares: Vec<Square>,
    /// The situation and facts for the ruling by the Laws.
    pub situation: Option<(Situation, RulingFacts)>,
    /// The ply it concerns; `None`: the last one on record.
    pub ply: Option<u32>,
    /// The position before that ply, as FEN; `None`: the last one on record.
    pub position: Option<String>,
    pub allowed: Vec<String>,
    pub count: Option<u32>,
    pub evidence: Vec<Sighting>,
    pub evidence_kind: Option<TouchEvidence>,
    pub touches: Vec<TouchSighting>,
    /// The moves that are proposed from that ply on, in UCI.
    pub proposed: Vec<String>,
}

impl AlertDraft {
    /// Creates an alert with only a kind and a text.
    pub(super) fn new(kind: AlertKind, text: Text) -> AlertDraft {
        AlertDraft {
            kind,
            text,
            by: None,
            squares: Vec::new(),
            situation: None,
            ply: None,
            position: None,
            allowed: Vec::new(),
            count: None,
            evidence: Vec::new(),
            evidence_kind: None,
            touches: Vec::new(),
            proposed: Vec::new(),
        }
    }
}

/// Whether an alert of this kind says that the board does not show the position of the record. Such an alert is not repeated while
/// it is open.
pub(super) fn is_about_position(kind: AlertKind) -> bool {
    use AlertKind::{CaptureUnclear, Displaced, DisplacedFound, IllegalPending, Orientation, PositionUnexplained};
    [PositionUnexplained, IllegalPending, Displaced, DisplacedFound, CaptureUnclear, Orientation].contains(&kind)
}

/// Whether an alert of this kind says that moves on record may have been others. It stays after the end of the game.
pub(super) fn doubts_moves(kind: AlertKind) -> bool {
    matches!(kind, AlertKind::MovesUncertain | AlertKind::CorrectionProposed)
}

/// Whether the arbiter was alerted that the board does not show the position of the record.
pub(super) fn has_position_alert(record: &Record) -> bool {
    record.alerts.iter().any(|alert| is_about_position(alert.kind))
}
