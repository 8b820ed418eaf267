//! What a disk may hold after a power cut: all that was synced, and of the rest any part.
//!
//! Names change in their order, as journalling file systems do it: what is not lasting yet is cut off at some point, whereas contents of
//! files may be there or not, one sector at a time and independently of each other, also before the names that were given later.

use super::trace::{Inode, Operation, Timed};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use touchmove::simulate::rng::Rng;

/// What is written whole or not at all.
const SECTOR: usize = 512;

/// What becomes of what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All of it is on the disk.
    Kept,
    /// None of it is.
    Lost,
    /// Some is, by these dice.
    Mixed(u64),
}

/// Everything that was done to the files, and from when on it is lasting.
pub struct Disk {
    pub operations: Vec<Timed>,
    /// For each operation on a content the index of the sync that makes it lasting.
    synced_by: Vec<usize>,
}

impl Disk {
    pub fn new(operations: Vec<Timed>) -> Disk {
        let synced_by = operations.iter().enumerate().map(|(index, timed)| {
            let inode = content_of(timed);
            let syncs =
                |other: &Timed| matches!(other.operation, Operation::Sync(of, before) if Some(of) == inode && before > index);
            operations[index..].iter().position(syncs).map_or(usize::MAX, |ahead| index + ahead)
        });
        let synced_by = synced_by.collect();
        Disk { operations, synced_by }
    }

    /// The files of the directory after a cut behind this many operations.
    pub fn after(&self, cut: usize, fate: Fate) -> BTreeMap<PathBuf, Vec<u8>> {
        let operations = &self.operations[..cut];
        let names_lasting = operations.iter().fold(0, |lasting, timed| match timed.operation {
            Operation::SyncNames(before) => before.max(lasting),
            _ => lasting,
        });
        let mut rng = match fate {
            Fate::Mixed(seed) => Rng::new(seed, cut as u64),
            _ => Rng::new(0, 0),
        };
        // How likely a sector is to be there differs from cut to cut.
        let share = [50, 300, 500, 700, 950][rng.below(5) as usize];
        let names_until = match fate {
            Fate::Kept => cut,
            Fate::Lost => names_lasting,
            Fate::Mixed(_) => names_lasting + rng.below((cut - names_lasting) as u64 + 1) as usize,
        };
        let mut contents: BTreeMap<Inode, Vec<u8>> = BTreeMap::new();
        let mut names: BTreeMap<&Path, Inode> = BTreeMap::new();
        for (index, timed) in operations.iter().enumerate() {
            let is_lasting = self.synced_by[index] < cut;
            let mut arrives = || is_lasting || fate == Fate::Kept || matches!(fate, Fate::Mixed(_)) && rng.chance(share);
            let has_name = index < names_until;
            match &timed.operation {
                Operation::Create(path, inode) if has_name => drop(names.insert(path, *inode)),
                Operation::Rename(from, to, inode) if has_name => {
                    names.remove(from.as_path());
                    names.insert(to, *inode);
                }
                Operation::Unlink(path) if has_name => drop(names.remove(path.as_path())),
                Operation::Truncate(inode, length) if arrives() => {
                    contents.entry(*inode).or_default().resize(*length as usize, 0)
                }
                Operation::Write(inode, offset, bytes) => {
                    let content = contents.entry(*inode).or_default();
                    let mut from = 0;
                    while from < bytes.len() {
                        let at = *offset as usize + from;
                        let length = (SECTOR - at % SECTOR).min(bytes.len() - from);
                        if arrives() {
                            if content.len() < at + length {
                                content.resize(at + length, 0);
                            }
                            content[at..at + length].copy_from_slice(&bytes[from..from + length]);
                        }
                        from += length;
                    }
                }
                _ => {}
            }
        }
        names.into_iter().map(|(path, inode)| (path.to_owned(), contents.get(&inode).cloned().unwrap_or_default())).collect()
    }
}

/// The file whose content an operation changes.
fn content_of(timed: &Timed) -> Option<Inode> {
    match timed.operation {
        Operation::Write(inode, ..) | Operation::Truncate(inode, _) => Some(inode),
        _ => None,
    }
}
