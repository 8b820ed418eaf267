//! Searches for whether a player can still mate, where that decides what the arbiter is alerted of. They run in slices between
//! inputs. A slice is a fixed number of examined moves and starts at a fixed time, so that a replay finds the same results at the
//! same times.

use super::TableGame;
use super::draft::AlertDraft;
use super::end::waiting_text;
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Event, StampedEvent, Text};
use crate::laws::{
    DeadSearch, MateSearch, Occasion, Position, RulingAction, RulingFacts, Situation, Topic, Winnable, depends_on_mate, ruling,
};
use crate::table::Output;
use std::collections::VecDeque;

/// The time between two slices, in milliseconds.
const STEP: Millis = 20;
/// Number of moves examined in one slice: some milliseconds of work on a small computer.
const SLICE: u32 = 1 << 13;
/// Number of moves examined before the arbiter is alerted. This decides nearly all positions that occur in play.
const FIRST_SLICE: u32 = 1 << 16;

/// The unfinished searches of one game.
#[derive(Clone, Default)]
pub(super) struct Searches {
    /// Alerts that wait for a search.
    alerts: VecDeque<PendingAlertSearch>,
    /// The search for whether the last position on record is dead.
    dead: Option<DeadSearch>,
    /// When the next slice is due.
    next: Millis,
    /// Whether it must still be checked if the last position on record is dead.
    is_dead_check_pending: bool,
}

/// An alert that waits for a search.
#[derive(Clone)]
struct PendingAlertSearch {
    id: u32,
    search: MateSearch,
    /// The situation and facts for the ruling; `None`: the alert was restored after a restart.
    situation: Option<(Situation, RulingFacts)>,
}

/// What a search has found.
enum SearchResult {
    /// Whether the opponent of the player of this alert can mate.
    Alert(PendingAlertSearch, Winnable),
    /// The last position on record is dead.
    Dead,
}

impl Searches {
    /// Sets whether the last position on record must be checked.
    pub(super) fn set_dead_check(&mut self, is_pending: bool) {
        self.is_dead_check_pending = is_pending;
    }

    /// Discards the dead-position search because the last position on record has changed.
    pub(super) fn forget_dead(&mut self) {
        self.dead = None;
    }

    /// Schedules the first slice, no earlier than one step after `now`.
    pub(super) fn schedule(&mut self, now: Millis) {
        if self.deadline().is_none() {
            self.next = now.saturating_add(STEP);
        }
    }

    /// Adds a search for an alert.
    fn push(&mut self, now: Millis, search: PendingAlertSearch) {
        self.schedule(now);
        self.alerts.push_back(search);
    }

    /// Starts the search for whether the last position on record is dead.
    fn search_dead(&mut self, now: Millis, search: DeadSearch) {
        self.schedule(now);
        self.dead = Some(search);
    }

    /// Returns when the next slice is due.
    pub(super) fn deadline(&self) -> Option<Millis> {
        let Searches { alerts, dead, next, .. } = self;
        (!alerts.is_empty() || dead.is_some()).then_some(*next).filter(|next| *next < Millis::MAX)
    }

    /// Runs one slice of the first search. `is_raised`: whether the alert with this id is still open.
    fn run(&mut self, now: Millis, is_raised: impl Fn(u32) -> bool) -> Option<SearchResult> {
        self.next = now.saturating_add(STEP);
        if let Some(PendingAlertSearch { id, search, .. }) = self.alerts.front_mut() {
            let answer = if is_raised(*id) { search.run(SLICE) } else { Some(Winnable::Possible) }?;
            return Some(SearchResult::Alert(self.alerts.pop_front()?, answer));
        }
        let dead = self.dead.as_mut()?.run(SLICE)?;
        self.dead = None;
        dead.then_some(SearchResult::Dead)
    }

    /// Ends all searches. Returns those of alerts.
    fn end(&mut self) -> VecDeque<PendingAlertSearch> {
        self.dead = None;
        std::mem::take(&mut self.alerts)
    }
}

impl TableGame {
    /// Searches, before the arbiter is alerted, for whether the opponent can mate, and stores the result in the facts. Returns the
    /// search if it must continue.
    pub(super) fn search_mate(&self, draft: &mut AlertDraft, fen: &str) -> Option<MateSearch> {
        let ((situation, facts), by) = (draft.situation.as_mut()?, draft.by?);
        if !depends_on_mate(self.published.laws(), *situation, facts) {
            return None;
        }
        let mut search = MateSearch::new(&Position::from_fen(fen, self.published.start().is_chess960()).ok()?, !by);
        facts.opponent_can_mate = search.run(FIRST_SLICE);
        facts.opponent_can_mate.is_none().then_some(search)
    }

    /// Registers a search for the alert with this id.
    pub(super) fn search_for(&mut self, now: Millis, id: u32, search: MateSearch, situation: Option<(Situation, RulingFacts)>) {
        self.searches.push(now, PendingAlertSearch { id, search, situation });
    }

    /// Restarts the search of an alert that was raised again or restored after a restart.
    pub(super) fn search_again(&mut self, now: Millis, alert: &Alert) {
        let position = Position::from_fen(&alert.position, self.published.start().is_chess960()).ok();
        if let (Some(position), Some(by), true) = (position, alert.by, alert.required.contains(&RulingAction::AwaitSearch)) {
            self.search_for(now, alert.id, MateSearch::new(&position, !by), None);
        }
    }

    /// Runs one slice of the first search.
    pub(super) fn run_search(&mut self, now: Millis, output: &mut Output) {
        let alerts = &self.published.record().alerts;
        match self.searches.run(now, |id| alerts.iter().any(|alert| alert.id == id)) {
            Some(SearchResult::Alert(found, answer)) => self.amend_alert(now, found.id, found.situation, answer, output),
            Some(SearchResult::Dead) => self.raise_dead(now, output),
            None => {}
        }
    }

    /// Raises an alert again with the required acts that follow from the result of its search.
    fn amend_alert(
        &mut self,
        now: Millis,
        id: u32,
        situation: Option<(Situation, RulingFacts)>,
        answer: Winnable,
        output: &mut Output,
    ) {
        let Some(alert) = self.record().alerts.iter().find(|alert| alert.id == id) else { return };
        let found = match answer {
            Winnable::CanMate => RulingAction::Loses,
            Winnable::CannotMate => RulingAction::Draw,
            Winnable::Possible => RulingAction::LosesOrDraw,
        };
        let amend = |act: &RulingAction| if *act == RulingAction::AwaitSearch { found } else { *act };
        let new_ruling = situation.and_then(|(situation, facts)| {
            ruling(self.published.laws(), situation, &RulingFacts { opponent_can_mate: Some(answer), ..facts })
        });
        let (required, articles) = match new_ruling {
            Some(ruling) => (ruling.acts, ruling.articles.into_iter().map(str::to_owned).collect()),
            None => (alert.required.iter().map(amend).collect(), alert.articles.clone()),
        };
        let amended = Alert { required: alert.outstanding(required), articles, ..alert.clone() };
        self.record_event(now, Event::AlertRaised(Box::new(amended)), output);
    }

    /// Ends all searches because the game is left: what is not known yet remains open.
    pub(super) fn end_searches(&mut self, now: Millis, output: &mut Output) {
        for pending in self.searches.end() {
            self.amend_alert(now, pending.id, pending.situation, Winnable::Possible, output);
        }
    }

    /// Checks whether neither player can mate any more. Runs when the board is quiet, since it can take a while.
    pub(crate) fn judge_dead(&mut self, now: Millis, output: &mut Output) {
        if !std::mem::take(&mut self.searches.is_dead_check_pending)
            || !self.alert_filter.is_judged()
            || self.record().result.is_some()
        {
            return;
        }
        // Without an article in this edition, nothing is reported.
        if self.published.laws().article(Topic::DeadPosition).is_none() {
            return;
        }
        let position = self.published.history().position();
        if !position.is_regular() || position.ending().is_some() {
            return;
        }
        let mut search = DeadSearch::new(position);
        match search.run(FIRST_SLICE) {
            Some(true) => self.raise_dead(now, output),
            Some(false) => {}
            None => self.searches.search_dead(now, search),
        }
    }

    fn raise_dead(&mut self, now: Millis, output: &mut Output) {
        if self.record().result.is_some() || self.published.is_raised(AlertKind::DeadPosition) {
            return;
        }
        let waits = self.waits_for(now, self.record().plies.len() as u32);
        let facts = RulingFacts { unsettled: waits.is_some(), ..RulingFacts::default() };
        let situation = Some((Situation::Occasion(Occasion::DeadPosition), facts));
        let text = waiting_text(Text::new("dead_position"), waits.as_ref());
        self.raise(now, AlertDraft { situation, ..AlertDraft::new(AlertKind::DeadPosition, text) }, output);
    }

    /// Restarts unfinished searches after a restart, once the board has been read.
    pub(super) fn restore_searches(&mut self) {
        let alerts: Vec<Alert> = self.record().alerts.clone();
        alerts.iter().for_each(|alert| self.search_again(Millis::MAX, alert));
    }
}

/// Whether these events of one game say that the last position on record was found to be dead.
pub(super) fn was_dead(events: &[StampedEvent]) -> bool {
    let last = events.iter().rev().find_map(|stamped| match &stamped.event {
        Event::MoveMade { .. } | Event::MovesCorrected { .. } => Some(false),
        Event::AlertRaised(alert) if alert.kind == AlertKind::DeadPosition => Some(true),
        _ => None,
    });
    last == Some(true)
}
