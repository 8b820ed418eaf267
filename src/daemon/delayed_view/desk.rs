//! What is public of the operator's desk: seats, the round that is played, and those before it.

use super::DelayedView;
use super::past_results::{has_noted_moves, result_of, results_before, rounds_before};
use crate::daemon::hub::Update;
use crate::daemon::hub::round_games::RoundGames;
use crate::desk::{Desk, hide_tags};
use crate::round::{Pairing, PairingResult};

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
            // That of a game that has left its board, or whose board is not connected yet, is as late.
            let has_left = |pairing: &Pairing| !is_played(pairing) && has_noted_moves(state, round.number, pairing.table);
            let mut results = results_before(state, round.number);
            let left = round.pairings.iter().filter(|pairing| has_left(pairing));
            results.extend(left.filter_map(|pairing| result_of(state, &games, &round, pairing)));
            let held: Vec<u16> = round
                .pairings
                .iter()
                .filter(|pairing| is_played(pairing) || has_left(pairing))
                .map(|pairing| pairing.table)
                .collect();
            let is_held = |pairing: &&mut Pairing| held.contains(&pairing.table);
            round.pairings.iter_mut().filter(is_held).for_each(|pairing| pairing.result = None);
            desk.rounds.extend(rounds_before(state, round.number).into_iter().map(|before| (before.number, before)));
            desk.rounds.insert(round.number, round);
            (desk, results)
        });
        {
            let mut public = self.lock();
            let public = &mut *public;
            let (now, policy) = (self.now(), *self.policy.borrow());
            let before = &public.state.desk;
            let games = RoundGames::new(&public.state.games);
            let is_of_public_game = |(round, table): (u16, u16), result| {
                let round = desk.rounds.get(&round)?;
                let games = games.of(round, round.table(table)?);
                let mut results = games.iter().filter_map(|game| game.record.result);
                Some(results.any(|(known, _)| PairingResult::from(known) == result))
            };
            let is_public = |place: (u16, u16), result| {
                before.pairing(place.0, place.1).is_some_and(|pairing| pairing.result == Some(result))
                    || is_of_public_game(place, result).unwrap_or(false)
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

    /// Returns whether results wait since the start of the process that may have been public before: standings would be wrong.
    pub fn lacks_results(&self) -> bool {
        self.lock().past_results.is_incomplete()
    }

    /// Publishes the results of earlier rounds that are due.
    pub(super) fn release_past_results(&self) {
        let due = self.lock().past_results.next_due();
        if due.is_some_and(|due| due <= self.now()) {
            self.publish_desk();
        }
    }
}
