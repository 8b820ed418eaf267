//! The possible states of a disk after a power cut: everything that was synced, and any part of the rest.
//!
//! Each sector of a file may be written or not, independently of others, and also before names that are created later. Names are
//! durable once their directory was synced. Before that they either change in order, so that the changes after some point are lost
//! (journalling file systems), or each one may have changed or not (file systems that write only the metadata of a synced file).
//! The content of a directory exists if the directory exists.

use super::trace::{Inode, Operation, Timed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use touchmove::simulate::rng::Rng;

/// The unit that is written completely or not at all.
const SECTOR: usize = 512;

/// The fate of unsynced writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All of them are on the disk.
    Kept,
    /// None of them is.
    Lost,
    /// A random part of them is, by this seed.
    Mixed(u64),
}

/// All operations on the files below a directory, and when each became durable.
pub struct Disk {
    root: PathBuf,
    pub operations: Vec<Timed>,
    /// For each operation the index of the sync that makes it durable.
    synced_by: Vec<usize>,
}

/// The directories and files after a cut, by paths below the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub dirs: BTreeSet<PathBuf>,
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Tree {
    /// Writes the tree into this directory.
    pub fn write(&self, into: &Path) {
        self.dirs.iter().for_each(|dir| std::fs::create_dir_all(into.join(dir)).expect("a directory"));
        self.files.iter().for_each(|(path, bytes)| std::fs::write(into.join(path), bytes).expect("written"));
    }
}

/// The names that exist, of those that are not durable.
enum Names {
    /// All before this operation.
    Until(usize),
    /// This share of them, in thousandths.
    Share(u32),
}

impl Disk {
    pub fn new(root: &Path, operations: Vec<Timed>) -> Disk {
        let synced_by = operations.iter().enumerate().map(|(index, timed)| {
            let (inode, dir) = (content_of(timed), dir_of(timed));
            let syncs = |other: &Timed| match &other.operation {
                Operation::Sync(of, before) => Some(*of) == inode && *before > index,
                Operation::SyncNames(of, before) => Some(of.as_path()) == dir && *before > index,
                _ => false,
            };
            operations[index..].iter().position(syncs).map_or(usize::MAX, |distance| index + distance)
        });
        let synced_by = synced_by.collect();
        Disk { root: root.to_owned(), operations, synced_by }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The tree below the root after a cut that follows this many operations.
    pub fn after(&self, cut: usize, fate: Fate) -> Tree {
        let operations = &self.operations[..cut];
        let mut rng = match fate {
            Fate::Mixed(seed) => Rng::new(seed, cut as u64),
            _ => Rng::new(0, 0),
        };
        // The probability that a sector was written differs from cut to cut.
        let share = [50, 300, 500, 700, 950][rng.below(5) as usize];
        let names_until = match fate {
            Fate::Kept => Names::Until(cut),
            Fate::Lost => Names::Until(0),
            Fate::Mixed(_) if rng.chance(500) => Names::Share(share),
            Fate::Mixed(_) => {
                let is_durable = |index: &usize| dir_of(&operations[*index]).is_some() && self.synced_by[*index] < cut;
                let durable_until = (0..cut).rev().find(is_durable).map_or(0, |index| index + 1);
                Names::Until(durable_until + rng.below((cut - durable_until) as u64 + 1) as usize)
            }
        };
        let mut contents: BTreeMap<Inode, Vec<u8>> = BTreeMap::new();
        let mut names: BTreeMap<&Path, Option<Inode>> = BTreeMap::new();
        for (index, timed) in operations.iter().enumerate() {
            let is_durable = self.synced_by[index] < cut;
            if dir_of(timed).is_some() {
                let has_name = is_durable
                    || match names_until {
                        Names::Until(until) => index < until,
                        Names::Share(share) => rng.chance(share),
                    };
                if has_name {
                    apply_to_names(&mut names, &timed.operation);
                }
                continue;
            }
            let mut is_written = || is_durable || fate == Fate::Kept || matches!(fate, Fate::Mixed(_)) && rng.chance(share);
            match &timed.operation {
                Operation::Truncate(inode, length) if is_written() => {
                    contents.entry(*inode).or_default().resize(*length as usize, 0)
                }
                Operation::Write(inode, offset, bytes) => {
                    let content = contents.entry(*inode).or_default();
                    let mut from = 0;
                    while from < bytes.len() {
                        let at = *offset as usize + from;
                        let length = (SECTOR - at % SECTOR).min(bytes.len() - from);
                        if is_written() {
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
        let is_dir = |path: &Path| path == self.root || names.get(path) == Some(&None);
        let is_reachable =
            |path: &Path| path.ancestors().skip(1).take_while(|parent| parent.starts_with(&self.root)).all(is_dir);
        let mut tree = Tree::default();
        for (path, inode) in names.iter().filter(|(path, _)| is_reachable(path)) {
            let path = path.strip_prefix(&self.root).expect("below the root").to_owned();
            match inode {
                None => drop(tree.dirs.insert(path)),
                Some(inode) => drop(tree.files.insert(path, contents.get(inode).cloned().unwrap_or_default())),
            }
        }
        tree
    }

    /// The contents by which files were atomically replaced, by path below the root, with the index of the operation.
    pub fn replacements(&self) -> BTreeMap<PathBuf, Vec<(usize, Vec<u8>)>> {
        let mut all: BTreeMap<PathBuf, Vec<(usize, Vec<u8>)>> = BTreeMap::new();
        let mut contents: BTreeMap<Inode, Vec<u8>> = BTreeMap::new();
        for (index, timed) in self.operations.iter().enumerate() {
            match &timed.operation {
                Operation::Truncate(inode, length) => contents.entry(*inode).or_default().resize(*length as usize, 0),
                Operation::Write(inode, offset, bytes) => {
                    let (content, offset) = (contents.entry(*inode).or_default(), *offset as usize);
                    content.resize(content.len().max(offset + bytes.len()), 0);
                    content[offset..offset + bytes.len()].copy_from_slice(bytes);
                }
                Operation::Rename(_, to, inode) => {
                    let path = to.strip_prefix(&self.root).expect("below the root").to_owned();
                    all.entry(path).or_default().push((index, contents.get(inode).cloned().unwrap_or_default()));
                }
                _ => {}
            }
        }
        all
    }
}

/// Applies an operation to the names; those of directories have no file.
fn apply_to_names<'a>(names: &mut BTreeMap<&'a Path, Option<Inode>>, operation: &'a Operation) {
    match operation {
        Operation::MakeDir(path) => drop(names.insert(path, None)),
        Operation::Create(path, inode) => drop(names.insert(path, Some(*inode))),
        Operation::Rename(from, to, inode) => {
            // Unless the first name was not written, or a later file has it.
            if names.get(from.as_path()) == Some(&Some(*inode)) {
                names.remove(from.as_path());
            }
            names.insert(to, Some(*inode));
        }
        Operation::Unlink(path) => drop(names.remove(path.as_path())),
        _ => {}
    }
}

/// The file whose content an operation changes.
fn content_of(timed: &Timed) -> Option<Inode> {
    match timed.operation {
        Operation::Write(inode, ..) | Operation::Truncate(inode, _) => Some(inode),
        _ => None,
    }
}

/// The directory of which an operation changes the names.
fn dir_of(timed: &Timed) -> Option<&Path> {
    match &timed.operation {
        Operation::MakeDir(path) | Operation::Create(path, _) | Operation::Rename(_, path, _) | Operation::Unlink(path) => {
            path.parent()
        }
        _ => None,
    }
}
