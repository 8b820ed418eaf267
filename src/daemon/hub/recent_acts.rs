//! The last acts at the desk, against which an act is checked whose author had not seen them.

use crate::desk::{DeskAct, DeskEntry, DeskError, DeskPart};
use std::collections::VecDeque;

/// The number of acts that are kept: more than any desk does while a dialog is open.
const MAX_ACTS: usize = 500;

/// The last acts, oldest first.
#[derive(Default)]
pub(super) struct RecentActs(VecDeque<RecentAct>);

struct RecentAct {
    number: u64,
    by: String,
    parts: Vec<DeskPart>,
}

impl RecentActs {
    /// Adds an act with its number.
    pub(super) fn push(&mut self, number: u64, entry: &DeskEntry) {
        if self.0.len() == MAX_ACTS {
            self.0.pop_front();
        }
        self.0.push_back(RecentAct { number, by: entry.by.clone(), parts: entry.act.parts() });
    }

    /// Checks that nobody else has changed what this act changes since its author saw the desk, after `seen` acts; `None`: the author
    /// need not have seen it.
    ///
    /// # Errors
    /// `Overtaken`, with the last of the others.
    pub(super) fn check(&self, act: &DeskAct, seen: Option<u64>, by: &str) -> Result<(), DeskError> {
        let Some(seen) = seen else { return Ok(()) };
        let parts = act.parts();
        let since = self.0.iter().rev().take_while(|recent| recent.number > seen).filter(|recent| recent.by != by);
        let mut changed = since.flat_map(|recent| recent.parts.iter().map(move |part| (recent, part)));
        match changed.find(|(_, changed)| parts.iter().any(|part| part.overlaps(changed))) {
            Some((recent, part)) => Err(DeskError::Overtaken { by: recent.by.clone(), part: part.clone() }),
            None => Ok(()),
        }
    }
}
