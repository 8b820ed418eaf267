//! What is public of the operator's desk: seats, the round that is played, and those before it.

use super::DelayedView;
use super::past_results::{results_before, rounds_before};
use crate::daemon::hub::Update;
use crate::daemon::hub::round_games::RoundGames;
use crate::desk::{Desk, hide_tags};
use crate::round::Pairing;

impl DelayedView {
    /// Publishes the round that is played, and those before it: who plays whom, and at which board, is public. Rounds that were only
    /// loaded are not.
    pub(super) fn publish_desk(&self) {
        let forgotten = self.hub.read(|state| state.desk.forgotten.clone());
        let (mut desk, results) = self.hub.read(|state| {
            let Desk { seats, current_round, .. } = &state.desk;
            let mut desk = Desk { seats: seats.clone(), current_round: *current_round, ..Desk::default() };
            let Some(mut round) = state.desk.round().cloned() else { return (desk, Vec::new()) };
            let games = RoundGames::new(&state.games);
            // The result of a game that is on a board is published by the game, after the delay.
            let is_played = |pairing: &Pairing| games.of(&round, pairing).iter().any(|game| !game.record.plies.is_empty());
            let played: Vec<u16> =
                round.pairings.iter().filter(|pairing| is_played(pairing)).map(|pairing| pairing.table).collect();
            let of_played = |pairing: &&mut Pairing| played.contains(&pairing.table);
            round.pairings.iter_mut().filter(of_played).for_each(|pairing| pairing.result = None);
            desk.rounds.extend(rounds_before(state, round.number).into_iter().map(|before| (before.number, before)));
            let results = results_before(state, round.number);
            desk.rounds.insert(round.number, round);
            (desk, results)
        });
        {
            let mut public = self.lock();
            let public = &mut *public;
            let (now, policy) = (self.now(), *self.policy.borrow());
            let before = &public.state.desk;
            let is_public = |(round, table): (u16, u16), result| {
                before.pairing(round, table).is_some_and(|pairing| pairing.result == Some(result))
            };
            public.past_results.note(results.into_iter(), now, is_public);
            // The strictest delay since it was seen holds.
            let earlier_policies = &public.earlier_policies;
            let delay = |seen: i64| {
                let earlier = earlier_policies.iter().filter(|(until, _)| seen < *until).map(|(_, policy)| policy.delay.ms);
                earlier.max().unwrap_or(0).max(policy.delay.ms)
            };
            for ((round, table), result) in public.past_results.release(now, delay) {
                let pairing = desk.rounds.get_mut(&round).and_then(|round| round.table_mut(table));
                pairing.into_iter().for_each(|pairing| pairing.result = Some(result));
            }
            public.state.desk = desk;
            if public.forgotten != forgotten {
                let games = public.state.games.values_mut();
                games.for_each(|game| hide_tags(&forgotten, &mut game.record.tags));
                public.forgotten = forgotten;
            }
        }
        self.publish(Update::Desk);
    }

    /// Publishes the results of earlier rounds that are due.
    pub(super) fn release_past_results(&self) {
        let due = self.lock().past_results.next_due();
        if due.is_some_and(|due| due <= self.now()) {
            self.publish_desk();
        }
    }
}
