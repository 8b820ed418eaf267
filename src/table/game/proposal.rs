//! Moves that the review of a finished game proposes in place of those on record.

use super::TableGame;
use super::draft::AlertDraft;
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Refusal, Text};
use crate::infer::KnownPly;
use crate::laws::Position;
use crate::table::Output;
use crate::table::review::Proposal;
use shakmaty::Square;

/// Maximum number of moves that the alert names; the preview of the command shows all.
const MAX_NAMED: usize = 6;

impl TableGame {
    /// Proposes other moves to the operator.
    pub(crate) fn propose(&mut self, now: Millis, proposal: Proposal, output: &mut Output) {
        let Proposal { ply, moves, confidence, evidence } = proposal;
        let index = ply.saturating_sub(1) as usize;
        let Some(proposed) = written(self.published.position_after(index), &moves) else { return };
        let recorded = self.record().plies.get(index..).unwrap_or_default();
        let differing = moves.iter().zip(proposed).zip(recorded).filter(|((uci, _), old)| **uci != old.played.uci);
        let (old, new): (Vec<String>, Vec<String>) =
            differing.map(|((_, written), old)| (old.played.numbered_san(), written)).take(MAX_NAMED).unzip();
        let mut squares: Vec<Square> = evidence.iter().map(|sighting| sighting.square).collect();
        squares.sort_unstable();
        squares.dedup();
        let text = Text::new("proposal")
            .with("plies", old.join(", "))
            .with("instead", new.join(", "))
            .with("percent", u32::from(confidence.0) / 10);
        let draft = AlertDraft {
            ply: Some(ply),
            squares,
            evidence,
            proposed: moves,
            ..AlertDraft::new(AlertKind::CorrectionProposed, text)
        };
        self.raise(now, draft, output);
    }

    /// Returns the plies of the game as the alert with this id proposes them.
    ///
    /// # Errors
    /// If there is no such alert, or it proposes no moves that are legal after those on record.
    pub(super) fn proposed_plies(&self, id: u32) -> Result<Vec<KnownPly>, Refusal> {
        let alert = self.record().alerts.iter().find(|alert| alert.id == id).ok_or(Refusal::NoAlert { alert: id })?;
        self.plies_of(alert).ok_or(Refusal::NoProposal { alert: id })
    }

    fn plies_of(&self, alert: &Alert) -> Option<Vec<KnownPly>> {
        let known = alert.ply.checked_sub(1).filter(|_| !alert.proposed.is_empty())? as usize;
        let mut position = self.published.position_after(known);
        let mut plies = self.published.known_plies(known);
        for uci in &alert.proposed {
            let mv = position.parse_uci(uci)?;
            position = position.play(mv);
            plies.push(KnownPly { mv, pressed_at: None, found: None });
        }
        Some(plies)
    }
}

/// Returns these moves, given in UCI, as in `21...Qa5`; `None`: one of them is not legal.
fn written(mut position: Position, moves: &[String]) -> Option<Vec<String>> {
    let write = |uci: &String| {
        let mv = position.parse_uci(uci)?;
        let written = position.numbered_san(mv);
        position = position.play(mv);
        Some(written)
    };
    moves.iter().map(write).collect()
}
