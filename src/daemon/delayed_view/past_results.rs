//! The results of earlier rounds, and of games that are not in memory, each held until it is as old as the delay.

use crate::daemon::hub::State;
use crate::daemon::hub::round_games::RoundGames;
use crate::round::{Pairing, PairingResult, Round};
use std::collections::BTreeMap;

/// Round and table of a pairing.
type Place = (u16, u16);

/// The results of the rounds before the one that is played, and those of its games that are not in memory, each with the time at which this process first saw it. How old it was
/// then is unknown: after a restart, it waits for the whole delay, unless the public had it already.
#[derive(Default)]
pub(super) struct PastResults {
    seen: BTreeMap<Place, (PairingResult, i64)>,
    /// When the next one is due.
    next: Option<i64>,
    /// When results were noted for the first time.
    started: Option<i64>,
    /// Whether a result waits that existed when the process started.
    is_incomplete: bool,
}

impl PastResults {
    /// Replaces the results by those that hold now. `is_public`: whether the public has this one.
    pub(super) fn note(
        &mut self,
        results: impl Iterator<Item = (Place, PairingResult)>,
        now: i64,
        is_public: impl Fn(Place, PairingResult) -> bool,
    ) {
        self.started.get_or_insert(now);
        let before = std::mem::take(&mut self.seen);
        let first_seen = |place: Place, result| match before.get(&place) {
            Some((known, at)) if *known == result => *at,
            _ if is_public(place, result) => i64::MIN,
            _ => now,
        };
        self.seen = results.map(|(place, result)| (place, (result, first_seen(place, result)))).collect();
    }

    /// Returns the results that are due, and notes when the next one is. `delay`: that of a result that was first seen at this time.
    pub(super) fn release(&mut self, now: i64, delay: impl Fn(i64) -> u64) -> BTreeMap<Place, PairingResult> {
        (self.next, self.is_incomplete) = (None, false);
        let mut released = BTreeMap::new();
        for (place, (result, at)) in &self.seen {
            let due = at.saturating_add_unsigned(if *at == i64::MIN { 0 } else { delay(*at) });
            if due <= now {
                released.insert(*place, *result);
            } else {
                self.next = Some(self.next.map_or(due, |next: i64| next.min(due)));
                self.is_incomplete |= self.started.is_some_and(|started| *at <= started);
            }
        }
        released
    }

    /// Returns whether a result waits that existed when the process started, and may have been public before.
    pub(super) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns when the next result is due.
    pub(super) fn next_due(&self) -> Option<i64> {
        self.next
    }
}

/// Returns the rounds before this one, without results.
pub(super) fn rounds_before(state: &State, current: u16) -> Vec<Round> {
    let mut rounds: Vec<Round> = state.desk.rounds.range(..current).map(|(_, round)| round.clone()).collect();
    rounds.iter_mut().flat_map(|round| &mut round.pairings).for_each(|pairing| pairing.result = None);
    rounds
}

/// Returns the results of the rounds before this one: those that were entered, else those of the games.
pub(super) fn results_before(state: &State, current: u16) -> Vec<(Place, PairingResult)> {
    let games = RoundGames::new(&state.games);
    let rounds = state.desk.rounds.range(..current).map(|(_, round)| round);
    rounds.flat_map(|round| round.pairings.iter().filter_map(|pairing| result_of(state, &games, round, pairing))).collect()
}

/// Returns the result of a pairing, with its place: that which was entered, else that of its game.
pub(super) fn result_of(
    state: &State,
    games: &RoundGames<'_>,
    round: &Round,
    pairing: &Pairing,
) -> Option<(Place, PairingResult)> {
    let of_game = || games.of(round, pairing).iter().find_map(|game| game.record.result).map(|(result, _)| result);
    let past = || {
        let noted = state.desk.games(round.number, pairing.table).iter();
        noted.filter_map(|id| state.past_games.get(id)).find_map(|game| game.result)
    };
    let result = pairing.result.or_else(|| of_game().or_else(past).map(PairingResult::from))?;
    Some(((round.number, pairing.table), result))
}

/// Returns whether the desk has noted a game with moves for a pairing. After a start, the boards of such games are not connected yet.
pub(super) fn has_noted_moves(state: &State, round: u16, table: u16) -> bool {
    let has_moves = |id: &u64| match state.games.get(id) {
        Some(game) => !game.record.plies.is_empty(),
        // Of a game that cannot be read, moves are assumed.
        None => state.past_games.get(id).is_none_or(|game| game.has_moves),
    };
    state.desk.games(round, table).iter().any(has_moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_waits_for_the_delay_since_it_was_first_seen() {
        let mut results = PastResults::default();
        let draw = |place| std::iter::once((place, PairingResult::Draw));
        let released = |results: &mut PastResults, now| results.release(now, |_| 100).into_keys().collect::<Vec<_>>();
        results.note(draw((1, 4)), 1_000, |_, _| false);
        assert_eq!((released(&mut results, 1_099), results.next_due()), (vec![], Some(1_100)));
        assert!(results.is_incomplete(), "it existed at the start");
        // It is noted again with each change of the desk.
        results.note(draw((1, 4)), 1_050, |_, _| false);
        assert_eq!((released(&mut results, 1_100), results.next_due()), (vec![(1, 4)], None));
        // Another result is another event.
        results.note(std::iter::once(((1, 4), PairingResult::BothLose)), 2_000, |_, _| false);
        assert_eq!(released(&mut results, 2_099), vec![]);
        assert!(!results.is_incomplete(), "it is new");
        // A forfeit that the public has seen while the round was played stays public.
        results.note(draw((2, 1)), 3_000, |place, _| place == (2, 1));
        assert_eq!(released(&mut results, 3_000), vec![(2, 1)]);
    }
}
