//! The last acts at the desk, against which an act is checked whose author had not seen them.

use crate::desk::{DeskAct, DeskEntry, DeskError, DeskPart};
use std::collections::VecDeque;

/// The number of acts that are kept.
const MAX_ACTS: usize = 500;

/// The last acts, oldest first.
#[derive(Default)]
pub(super) struct RecentActs {
    acts: VecDeque<RecentAct>,
    /// The last act that is not kept any more.
    forgotten: Option<RecentAct>,
}

struct RecentAct {
    number: u64,
    by: String,
    parts: Vec<DeskPart>,
}

impl RecentActs {
    /// Adds an act with its number.
    pub(super) fn push(&mut self, number: u64, entry: &DeskEntry) {
        let parts = entry.act.parts();
        if parts.is_empty() {
            return;
        }
        if self.acts.len() == MAX_ACTS {
            self.forgotten = self.acts.pop_front();
        }
        self.acts.push_back(RecentAct { number, by: entry.by.clone(), parts });
    }

    /// Checks that no other user has changed the same parts since the author read the desk, after `seen` acts; `None`: no check.
    ///
    /// # Errors
    /// `Overtaken`, with the last of the others.
    pub(super) fn check(&self, act: &DeskAct, seen: Option<u64>, by: &str) -> Result<(), DeskError> {
        let Some(seen) = seen else { return Ok(()) };
        let parts = act.parts();
        let since = self.acts.iter().rev().take_while(|recent| recent.number > seen).filter(|recent| recent.by != by);
        let mut changed = since.flat_map(|recent| recent.parts.iter().map(move |part| (recent, part)));
        match changed.find(|(_, changed)| parts.iter().any(|part| part.overlaps(changed))) {
            Some((recent, part)) => Err(DeskError::Overtaken { by: recent.by.clone(), part: part.clone() }),
            // Nobody knows what else has changed.
            None => match self.forgotten.as_ref().filter(|forgotten| forgotten.number > seen) {
                Some(forgotten) => Err(DeskError::Overtaken { by: forgotten.by.clone(), part: DeskPart::Desk }),
                None => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_may_have_been_the_same() {
        let seat = |table: u16| DeskAct::Seat { table, board: format!("board_{table}"), serial_number: None };
        let entry = |act| DeskEntry { wall_ms: 0, by: "Olga".to_owned(), act };
        let mut recent = RecentActs::default();
        let tables = 1..=MAX_ACTS as u16;
        tables.clone().for_each(|table| recent.push(u64::from(table), &entry(seat(table))));
        let act = DeskAct::Unseat { table: 999 };
        let by_another = |recent: &RecentActs, seen| recent.check(&act, Some(seen), "Otto").is_ok();
        assert!(by_another(&recent, 0));
        // What touchmoved notes by itself takes no room.
        recent.push(501, &entry(DeskAct::NameGames { games: Vec::new(), unnamed: Vec::new() }));
        assert!(by_another(&recent, 0));
        recent.push(502, &entry(seat(502)));
        assert!(!by_another(&recent, 0) && by_another(&recent, 1));
        assert!(recent.check(&seat(502), Some(501), "Otto").is_err() && recent.check(&seat(502), Some(501), "Olga").is_ok());
    }
}
