//! Searches for whether a player can still mate, where that decides what the arbiter is told. They run beside play, a slice at a
//! time: slices are counted in moves looked at and begin at set times, so that a replay finds the same at the same time.

use super::Game;
use super::alerts::Told;
use super::end::waiting;
use crate::boards::Millis;
use crate::game::{Alert, AlertKind, Event, Text};
use crate::laws::{
    Act, DeadSearch, Facts, MateSearch, Occasion, Position, Situation, Topic, Winnable, depends_on_mate, ruling,
};
use crate::table::Output;
use std::collections::VecDeque;

/// The time between two slices, in milliseconds.
const STEP: Millis = 20;
/// Moves that are looked at in one slice: some milliseconds of work on a small computer.
const SLICE: u32 = 1 << 13;
/// Moves that are looked at before the arbiter is told: that decides nearly all positions of play.
const FIRST: u32 = 1 << 16;

/// The searches of one game that are not finished.
#[derive(Default)]
pub(super) struct Searches {
    /// Alerts that wait for one.
    alerts: VecDeque<Waiting>,
    /// Whether the last position on record is dead.
    dead: Option<DeadSearch>,
    /// When the next slice is due.
    next: Millis,
}

/// An alert that waits for a search.
struct Waiting {
    id: u32,
    search: MateSearch,
    /// What the Laws are asked about it; `None`: it is known from before a restart.
    situation: Option<(Situation, Facts)>,
}

impl Game {
    /// What is known, before the arbiter is told, of whether the opponent can mate; and the search for it, if that goes on.
    pub(super) fn ask_mate(&self, told: &mut Told, fen: &str) -> Option<MateSearch> {
        let ((situation, facts), by) = (told.situation.as_mut()?, told.by?);
        if !depends_on_mate(&self.laws, *situation, facts) {
            return None;
        }
        let mut search = MateSearch::new(&Position::from_fen(fen, self.start.is_chess960()).ok()?, !by);
        facts.opponent_can_mate = search.run(FIRST);
        facts.opponent_can_mate.is_none().then_some(search)
    }

    /// The alert of this id waits for a search.
    pub(super) fn search_for(&mut self, now: Millis, id: u32, search: MateSearch, situation: Option<(Situation, Facts)>) {
        self.begin_searching(now);
        self.searches.alerts.push_back(Waiting { id, search, situation });
    }

    /// An alert that waits for a search was raised anew, or is known from before a restart.
    pub(super) fn search_again(&mut self, now: Millis, alert: &Alert) {
        let position = Position::from_fen(&alert.position, self.start.is_chess960()).ok();
        if let (Some(position), Some(by), true) = (position, alert.by, alert.required.contains(&Act::AwaitSearch)) {
            self.search_for(now, alert.id, MateSearch::new(&position, !by), None);
        }
    }

    /// The next slice is due no earlier than this.
    pub(super) fn begin_searching(&mut self, now: Millis) {
        if self.search_deadline().is_none() {
            self.searches.next = now.saturating_add(STEP);
        }
    }

    /// When the next slice is due.
    pub(super) fn search_deadline(&self) -> Option<Millis> {
        let Searches { alerts, dead, next } = &self.searches;
        (!alerts.is_empty() || dead.is_some()).then_some(*next).filter(|next| *next < Millis::MAX)
    }

    /// One slice of the first search.
    pub(super) fn run_search(&mut self, now: Millis, output: &mut Output) {
        self.searches.next = now.saturating_add(STEP);
        if let Some(Waiting { id, search, .. }) = self.searches.alerts.front_mut() {
            let stands = self.record.alerts.iter().any(|alert| alert.id == *id);
            let answer = if stands { search.run(SLICE) } else { Some(Winnable::Possible) };
            if let Some((answer, waiting)) = answer.and_then(|answer| Some((answer, self.searches.alerts.pop_front()?))) {
                self.amend_alert(now, waiting.id, waiting.situation, answer, output);
            }
        } else if let Some(search) = &mut self.searches.dead
            && let Some(dead) = search.run(SLICE)
        {
            self.searches.dead = None;
            if dead {
                self.raise_dead(now, output);
            }
        }
    }

    /// The search of this alert has ended: it is raised again, with what is required now.
    fn amend_alert(
        &mut self,
        now: Millis,
        id: u32,
        situation: Option<(Situation, Facts)>,
        answer: Winnable,
        output: &mut Output,
    ) {
        let Some(alert) = self.record.alerts.iter().find(|alert| alert.id == id) else { return };
        let found = match answer {
            Winnable::CanMate => Act::Loses,
            Winnable::CannotMate => Act::Draw,
            Winnable::Possible => Act::LosesOrDraw,
        };
        let amend = |act: &Act| if *act == Act::AwaitSearch { found } else { *act };
        let asked = situation
            .and_then(|(situation, facts)| ruling(&self.laws, situation, &Facts { opponent_can_mate: Some(answer), ..facts }));
        let (required, articles) = match asked {
            Some(ruling) => (ruling.acts, ruling.articles.into_iter().map(str::to_owned).collect()),
            None => (alert.required.iter().map(amend).collect(), alert.articles.clone()),
        };
        let amended = Alert { required, articles, ..alert.clone() };
        self.tell(now, Event::AlertRaised(amended), output);
    }

    /// The game is left: what is not found yet will not be found.
    pub(super) fn end_searches(&mut self, now: Millis, output: &mut Output) {
        for waiting in std::mem::take(&mut self.searches.alerts) {
            self.amend_alert(now, waiting.id, waiting.situation, Winnable::Possible, output);
        }
        self.searches.dead = None;
    }

    /// The last position on record is another one.
    pub(super) fn forget_dead_search(&mut self) {
        self.searches.dead = None;
    }

    /// Whether nobody can mate any more: looked at when hands rest, since it can take a while.
    pub fn judge_dead(&mut self, now: Millis, output: &mut Output) {
        if !std::mem::take(&mut self.dead_unjudged) || !self.is_judged || self.record.result.is_some() {
            return;
        }
        // Where no text is at hand nothing is said.
        if self.laws.article(Topic::DeadPosition).is_none() {
            return;
        }
        let position = self.history.position();
        if !position.is_regular() || position.ending().is_some() {
            return;
        }
        let mut search = DeadSearch::new(position);
        match search.run(FIRST) {
            Some(true) => self.raise_dead(now, output),
            Some(false) => {}
            None => {
                self.begin_searching(now);
                self.searches.dead = Some(search);
            }
        }
    }

    fn raise_dead(&mut self, now: Millis, output: &mut Output) {
        if self.record.result.is_some() || self.is_raised(AlertKind::DeadPosition) {
            return;
        }
        let waits = self.waits_for(now, self.record.plies.len() as u32);
        let facts = Facts { unsettled: waits.is_some(), ..Facts::default() };
        let situation = Some((Situation::Occasion(Occasion::DeadPosition), facts));
        let text = waiting(Text::new("dead_position"), waits.as_ref());
        self.raise(now, Told { situation, ..Told::new(AlertKind::DeadPosition, text) }, output);
    }

    /// After a restart: searches that were not finished begin again once the board is read.
    pub(super) fn restore_searches(&mut self) {
        let alerts: Vec<Alert> = self.record.alerts.clone();
        alerts.iter().for_each(|alert| self.search_again(Millis::MAX, alert));
    }
}
