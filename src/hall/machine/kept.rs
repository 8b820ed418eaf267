//! What the hub has on disk of the games of this machine.

use super::{Machine, health};
use crate::hall::message::presence::Kept;
use crate::hall::message::question::KeptAnswer;
use std::collections::BTreeMap;
use std::time::Instant;

impl Machine {
    /// Notes how many events the hub has on disk.
    pub(super) fn set_kept(&mut self, kept: Kept) {
        self.outbox.set_behind(kept.behind);
        self.outbox.count_kept(&kept.events);
        // The hub makes progress.
        self.lacking_since = self.lacking_since.map(|_| Instant::now());
    }

    /// Notes what the hub has on disk of each game.
    pub(super) fn set_all_kept(&mut self, answer: KeptAnswer, is_lacking: bool) {
        health::report(&self.hub, health::HALL_AWAY, self.connection.unusable());
        health::report(&self.hub, health::HALL_VERSION, None);
        let of_journal = |(journal, games): (String, Vec<(u64, u64)>)| {
            games.into_iter().map(move |(game, number)| ((journal.clone(), game), number))
        };
        let games: BTreeMap<(String, u64), u64> = answer.games.into_iter().flat_map(of_journal).collect();
        self.is_kept_known = true;
        if self.outbox.set_kept(&games) && is_lacking {
            self.outbox.forget_lacking();
        }
        self.lacking_since = None;
    }
}
