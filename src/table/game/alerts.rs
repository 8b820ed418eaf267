//! Alerts to the arbiter.

use super::TableGame;
use super::draft::{AlertDraft, doubts_moves};
use crate::boards::Millis;
use crate::game::event::Difference;
use crate::game::{Alert, AlertKind, Event, Text};
use crate::laws::{Irregularity, RulingFacts, Situation, articles, ruling};
use crate::table::Output;

impl TableGame {
    /// Alerts the arbiter that the game began from a position that is not the start position.
    pub(crate) fn alert_wrong_start(&mut self, now: Millis, differences: &[Difference], output: &mut Output) {
        let squares = differences.iter().map(|difference| difference.square).collect();
        let text = Text::new("wrong_start").with("differences", differences.to_vec());
        let situation = Some((Situation::Irregular(Irregularity::WrongStart), RulingFacts::default()));
        self.raise(now, AlertDraft { squares, situation, ..AlertDraft::new(AlertKind::WrongStart, text) }, output);
    }

    /// Alerts the arbiter that the board is turned the wrong way. Nothing is followed until the position is set up correctly
    /// (7.2.2).
    pub(crate) fn alert_wrong_orientation(&mut self, now: Millis, output: &mut Output) {
        let situation = Some((Situation::Irregular(Irregularity::Orientation), RulingFacts::default()));
        let draft = AlertDraft { situation, ..AlertDraft::new(AlertKind::Orientation, Text::new("orientation")) };
        self.raise(now, draft, output);
        self.wait_for_position();
    }

    /// Raises an alert to the arbiter.
    ///
    /// If the ruling depends on whether the opponent can mate, the search for that starts here. If it takes long, the alert is
    /// raised at once and amended later.
    pub(super) fn raise(&mut self, now: Millis, mut draft: AlertDraft, output: &mut Output) {
        let ply = draft.ply.unwrap_or(self.record().plies.len() as u32);
        if !self.alert_filter.lets_pass(draft.kind, draft.by, ply) {
            return;
        }
        if let Some(ply) = draft.ply.filter(|_| doubts_moves(draft.kind)) {
            draft.position.get_or_insert_with(|| self.record().fen_before(ply).to_owned());
        }
        let before = if draft.position.is_some() { ply.saturating_sub(1) } else { ply };
        let position = draft.position.take().unwrap_or_else(|| self.record().fen().to_owned());
        let search = self.search_mate(&mut draft, &position);
        let ruling = draft.situation.and_then(|(situation, facts)| ruling(self.published.laws(), situation, &facts));
        let broken_articles =
            || draft.situation.map_or_else(Vec::new, |(situation, facts)| articles(self.published.laws(), situation, &facts));
        let (required, articles) =
            ruling.map_or_else(|| (Vec::new(), broken_articles()), |ruling| (ruling.acts, ruling.articles));
        let alert = Alert {
            id: self.record().alerts_raised + 1,
            kind: draft.kind,
            ply,
            by: draft.by,
            articles: articles.into_iter().map(str::to_owned).collect(),
            squares: draft.squares,
            text: draft.text,
            position,
            clocks: self.record().clocks_at(before),
            required,
            allowed: draft.allowed,
            count: draft.count,
            evidence: draft.evidence,
            evidence_kind: draft.evidence_kind,
            touches: draft.touches,
            put_right: None,
            proposed: draft.proposed,
        };
        let id = alert.id;
        self.record_event(now, Event::AlertRaised(Box::new(alert)), output);
        if let Some(search) = search {
            self.search_for(now, id, search, draft.situation);
        }
    }

    /// Clears the alerts that `which` selects.
    pub(super) fn clear(&mut self, now: Millis, which: impl Fn(&Alert) -> bool, output: &mut Output) {
        let ids: Vec<u32> = self.record().alerts.iter().filter(|alert| which(alert)).map(|alert| alert.id).collect();
        for id in ids {
            self.record_event(now, Event::AlertCleared { id }, output);
        }
    }
}
