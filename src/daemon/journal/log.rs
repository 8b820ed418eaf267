//! Inspects the write-ahead log before SQLite reads it. SQLite reads its frames up to the first invalid one and silently ignores
//! those after it, whether that is the end torn by a power cut or a damaged frame before a hundred good commits.
//!
//! The two cases differ: each commit is on disk before the next one begins. So a frame after a commit proves that the commit was on
//! disk, and a torn end contains no such commit. Format: SQLite file format, section 4.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Length of the log's header, and of a frame's, in bytes.
const HEADER: usize = 32;
const FRAME: usize = 24;
/// Maximum size of a log that is inspected, in bytes. The journal's own log has some hundred pages.
const MAX_SIZE: u64 = 256 << 20;
/// Magic number of a log; one more if its checksums read numbers as big-endian.
pub(super) const MAGIC: u32 = 0x377f_0682;

/// Commits that were on disk and that SQLite will not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// Number of frames after the damaged one.
    pub frames: u64,
    /// Whether the main file contains all of them, so that the log can be deleted.
    pub in_main_file: bool,
}

type Sum = [u32; 2];

/// A log in memory.
struct LogImage {
    bytes: Vec<u8>,
    page: usize,
    most_significant_first: bool,
}

impl LogImage {
    fn word(&self, at: usize) -> u32 {
        let mut word = [0; 4];
        if let Some(bytes) = self.bytes.get(at..at + 4) {
            word.copy_from_slice(bytes);
        }
        u32::from_be_bytes(word)
    }

    fn pair(&self, at: usize) -> Sum {
        [self.word(at), self.word(at + 4)]
    }

    fn sum(&self, mut sum: Sum, from: usize, to: usize) -> Sum {
        for pair in self.bytes.get(from..to).unwrap_or_default().chunks_exact(8) {
            let (first, second) = pair.split_at(4);
            let word = |bytes: &[u8]| {
                let mut word = [0; 4];
                word.copy_from_slice(bytes);
                if self.most_significant_first { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
            };
            sum[0] = sum[0].wrapping_add(word(first)).wrapping_add(sum[1]);
            sum[1] = sum[1].wrapping_add(word(second)).wrapping_add(sum[0]);
        }
        sum
    }

    fn frames(&self) -> usize {
        self.bytes.len().saturating_sub(HEADER) / (FRAME + self.page)
    }

    fn at(&self, frame: usize) -> usize {
        HEADER + frame * (FRAME + self.page)
    }

    fn page_number(&self, frame: usize) -> u32 {
        self.word(self.at(frame))
    }

    fn is_commit(&self, frame: usize) -> bool {
        self.word(self.at(frame) + 4) != 0
    }

    fn salts(&self, frame: usize) -> Sum {
        self.pair(self.at(frame) + 8)
    }

    fn stored(&self, frame: usize) -> Sum {
        self.pair(self.at(frame) + 16)
    }

    /// Computes the checksum of a frame from that of its predecessor.
    fn computed(&self, before: Sum, frame: usize) -> Sum {
        let at = self.at(frame);
        self.sum(self.sum(before, at, at + 8), at + FRAME, at + FRAME + self.page)
    }

    fn image(&self, frame: usize) -> &[u8] {
        let at = self.at(frame) + FRAME;
        self.bytes.get(at..at + self.page).unwrap_or_default()
    }

    fn find_damage(&self, main: &mut File) -> io::Result<Option<Damage>> {
        let header_is_good = self.sum([0, 0], 0, 24) == self.pair(24);
        let salts = if header_is_good { self.pair(16) } else { self.salts(0) };
        let (mut before, mut bad, mut commit) = (self.pair(24), 0, 0);
        while header_is_good && bad < self.frames() && self.salts(bad) == salts && self.page_number(bad) != 0 {
            let sum = self.computed(before, bad);
            if sum != self.stored(bad) {
                break;
            }
            (before, bad) = (sum, bad + 1);
            if self.is_commit(bad - 1) {
                commit = bad;
            }
        }
        // Frames after it are good if they follow from the checksum stored in the frame before, or from the one computed for it.
        let computed = self.computed(before, bad);
        let follows = |frame: usize| {
            let stored_sum = self.stored(frame);
            let before = if frame == 0 { self.pair(24) } else { self.stored(frame - 1) };
            let follows =
                self.computed(before, frame) == stored_sum || frame == bad + 1 && self.computed(computed, frame) == stored_sum;
            follows && self.salts(frame) == salts
        };
        let good: Vec<bool> = (bad..self.frames()).map(|frame| frame != bad && follows(frame)).collect();
        let is_good = |frame: usize| frame.checked_sub(bad).and_then(|index| good.get(index)).copied().unwrap_or(false);
        let proven = (bad..self.frames()).any(|frame| self.is_commit(frame) && is_good(frame + 1));
        if !proven {
            return Ok(None);
        }
        let mut last = BTreeMap::new();
        for frame in (commit..self.frames()).filter(|frame| is_good(*frame)) {
            last.insert(self.page_number(frame), frame);
        }
        let mut in_main_file = true;
        let mut page = vec![0; self.page];
        for (number, frame) in last {
            main.seek(SeekFrom::Start(u64::from(number.saturating_sub(1)) * self.page as u64))?;
            in_main_file &= main.read_exact(&mut page).is_ok() && page == self.image(frame);
        }
        Ok(Some(Damage { frames: (self.frames() - bad) as u64, in_main_file }))
    }
}

/// Looks for commits after a damaged frame; `None`: there are none, or there is no log.
///
/// # Errors
/// A file cannot be read.
pub(super) fn damage(log: &Path, main: &Path) -> io::Result<Option<Damage>> {
    let length = match fs::metadata(log) {
        Ok(found) => found.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if length <= (HEADER + FRAME) as u64 || length > MAX_SIZE {
        return Ok(None);
    }
    let mut main = match File::open(main) {
        Ok(main) => main,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut header = [0; 18];
    if main.read_exact(&mut header).is_err() {
        return Ok(None);
    }
    // 65,536 is stored as 1.
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        page => usize::from(page),
    };
    if !page.is_power_of_two() || page < 512 {
        return Ok(None);
    }
    let mut log = LogImage { bytes: fs::read(log)?, page, most_significant_first: false };
    let by_magic = log.word(0) == MAGIC + 1;
    for most_significant_first in [by_magic, !by_magic] {
        log.most_significant_first = most_significant_first;
        if let Some(damage) = log.find_damage(&mut main)? {
            return Ok(Some(damage));
        }
        if log.sum([0, 0], 0, 24) == log.pair(24) {
            break;
        }
    }
    Ok(None)
}
