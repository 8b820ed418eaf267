//! What a disk may hold after a power cut: all that was synced, and of the rest any part.
//!
//! Contents of files may be there or not, one sector at a time and independently of each other, also before the names that were
//! given later. Names last once their directory was synced. Until then they either change in their order, so that what is not
//! lasting yet is cut off at some point (journalling file systems), or each may have changed or not (file systems that write out
//! what belongs to a synced file and nothing else). What is in a directory is there if the directory is.

use super::trace::{Inode, Operation, Timed};
use std::collections::{BTreeMap, BTreeSet};
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

/// Everything that was done to the files below this directory, and from when on it is lasting.
pub struct Disk {
    root: PathBuf,
    pub operations: Vec<Timed>,
    /// For each operation the index of the sync that makes it lasting.
    synced_by: Vec<usize>,
}

/// What is there after a cut, by paths below the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub dirs: BTreeSet<PathBuf>,
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Tree {
    /// Puts it into this directory.
    pub fn write(&self, into: &Path) {
        self.dirs.iter().for_each(|dir| std::fs::create_dir_all(into.join(dir)).expect("a directory"));
        self.files.iter().for_each(|(path, bytes)| std::fs::write(into.join(path), bytes).expect("written"));
    }
}

/// Which names are there of those that are not lasting.
enum Names {
    /// All before this operation.
    Until(usize),
    /// Each of so many in a thousand.
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
            operations[index..].iter().position(syncs).map_or(usize::MAX, |ahead| index + ahead)
        });
        let synced_by = synced_by.collect();
        Disk { root: root.to_owned(), operations, synced_by }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What is below the root after a cut behind this many operations.
    pub fn after(&self, cut: usize, fate: Fate) -> Tree {
        let operations = &self.operations[..cut];
        let mut rng = match fate {
            Fate::Mixed(seed) => Rng::new(seed, cut as u64),
            _ => Rng::new(0, 0),
        };
        // How likely a sector is to be there differs from cut to cut.
        let share = [50, 300, 500, 700, 950][rng.below(5) as usize];
        let names_until = match fate {
            Fate::Kept => Names::Until(cut),
            Fate::Lost => Names::Until(0),
            Fate::Mixed(_) if rng.chance(500) => Names::Share(share),
            Fate::Mixed(_) => {
                let is_lasting = |index: &usize| dir_of(&operations[*index]).is_some() && self.synced_by[*index] < cut;
                let lasting = (0..cut).rev().find(is_lasting).map_or(0, |index| index + 1);
                Names::Until(lasting + rng.below((cut - lasting) as u64 + 1) as usize)
            }
        };
        let mut contents: BTreeMap<Inode, Vec<u8>> = BTreeMap::new();
        let mut names: BTreeMap<&Path, Option<Inode>> = BTreeMap::new();
        for (index, timed) in operations.iter().enumerate() {
            let is_lasting = self.synced_by[index] < cut;
            if dir_of(timed).is_some() {
                let has_name = is_lasting
                    || match names_until {
                        Names::Until(until) => index < until,
                        Names::Share(share) => rng.chance(share),
                    };
                if has_name {
                    name(&mut names, &timed.operation);
                }
                continue;
            }
            let mut arrives = || is_lasting || fate == Fate::Kept || matches!(fate, Fate::Mixed(_)) && rng.chance(share);
            match &timed.operation {
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
        let is_dir = |path: &Path| path == self.root || names.get(path) == Some(&None);
        let is_there = |path: &Path| path.ancestors().skip(1).take_while(|above| above.starts_with(&self.root)).all(is_dir);
        let mut tree = Tree::default();
        for (path, inode) in names.iter().filter(|(path, _)| is_there(path)) {
            let path = path.strip_prefix(&self.root).expect("below the root").to_owned();
            match inode {
                None => drop(tree.dirs.insert(path)),
                Some(inode) => drop(tree.files.insert(path, contents.get(inode).cloned().unwrap_or_default())),
            }
        }
        tree
    }

    /// What was put in the place of files, whole: by path below the root the contents, with the index of the operation.
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

/// Names are as this operation leaves them; those of directories lead to no file.
fn name<'a>(names: &mut BTreeMap<&'a Path, Option<Inode>>, operation: &'a Operation) {
    match operation {
        Operation::MakeDir(path) => drop(names.insert(path, None)),
        Operation::Create(path, inode) => drop(names.insert(path, Some(*inode))),
        Operation::Rename(from, to, inode) => {
            // Where its first name was not written, or that of a later file was.
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
