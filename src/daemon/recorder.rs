//! Recordings beside the journal: everything that a board sent, for replay. They are the first data to be dropped when the disk
//! fills.

use crate::boards::Millis;
use crate::config::DiskLimits;
use crate::daemon::Hub;
use crate::daemon::hub::BoardId;
use crate::link::recording::{Entry, Header, InitialState, WriteOutcome, Writer};
use crate::table::Settings;
use crate::wire::settings_to_value;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tracing::{debug, info, warn};

/// Kind of health problem: nothing can be recorded.
pub const RECORDINGS_STOPPED: &str = "recordings_stopped";
/// Kind of health problem: a board sends more than is recorded.
pub const RECORDING_PAUSED: &str = "recording_paused";
/// Sustained rate at which a board may fill its recordings, in bytes per millisecond: more than twice what a serial line at 115,200
/// baud carries, recorded with two digits per byte.
const RATE_LIMIT: u64 = 64;
/// Burst allowed beyond that rate, in bytes: a board's memory, and the squares of many scans.
const BURST: u64 = 4_000_000;
/// Number of lines between checks of the free disk space.
const LINES_PER_DISK_CHECK: u32 = 200;
/// A recording may use at most 1/`SHARE_DIVISOR` of the space for all recordings.
const SHARE_DIVISOR: u64 = 8;

/// Directory of the recordings, and their disk limits.
#[derive(Clone, Debug)]
pub struct Recordings {
    /// Directory; created if missing.
    pub dir: PathBuf,
    /// Disk limits. The oldest recordings are deleted to make room.
    pub limits: DiskLimits,
}

/// Records one board. A new recording begins at each start of the daemon and when the last one is full.
pub struct Recorder {
    hub: Arc<Hub>,
    recordings: Recordings,
    board: BoardId,
    header: Header,
    file: Option<Writer<File>>,
    /// The board's time at which the file begins.
    began: Millis,
    /// Lines until the next check of the disk.
    lines_until_disk_check: u32,
    rate: RateLimit,
    /// The board sends more than is recorded.
    paused: bool,
    /// A failure was logged, and nothing has been recorded since.
    is_failing: bool,
}

/// A leaky bucket, in bytes.
#[derive(Debug, Default)]
struct RateLimit {
    level: u64,
    at: Millis,
}

impl RateLimit {
    /// Counts these bytes, whether they are recorded or not. The level is limited, so that a board that flooded for hours is
    /// recorded again within a minute.
    fn add(&mut self, now: Millis, bytes: u64) {
        let leaked = now.saturating_sub(self.at).saturating_mul(RATE_LIMIT);
        self.at = self.at.max(now);
        self.level = (self.level.saturating_sub(leaked) + bytes).min(BURST + BURST / 8);
    }

    fn is_exceeded(&self) -> bool {
        self.level > BURST
    }

    /// Returns whether the level is low enough to end a pause.
    fn is_below_resume_level(&self) -> bool {
        self.level <= BURST / 2
    }
}

impl Recorder {
    /// Creates a recorder that has not begun to record.
    pub fn new(hub: Arc<Hub>, recordings: Recordings, board: BoardId, model: &str, settings: &Settings) -> Recorder {
        let mut header = Header::new(model);
        header.chess960 = settings.chess960;
        header.start_fen.clone_from(&settings.start_fen);
        header.laws = settings.laws.to_string();
        header.version = Some(env!("CARGO_PKG_VERSION").to_owned());
        header.core = Some(settings_to_value(settings));
        let (file, rate) = (None, RateLimit::default());
        let (paused, is_failing) = (false, false);
        Recorder {
            hub,
            recordings,
            board,
            header,
            file,
            began: 0,
            lines_until_disk_check: LINES_PER_DISK_CHECK,
            rate,
            paused,
            is_failing,
        }
    }

    /// Sets the Laws in the header of the files that begin from now on.
    pub fn set_laws(&mut self, settings: &Settings) {
        self.header.laws = settings.laws.to_string();
        self.header.core = Some(settings_to_value(settings));
    }

    /// Begins a new file, in mid-game if `state` says so. Does nothing while the board sends more than is recorded.
    pub fn begin(&mut self, now: Millis, state: Option<InitialState>) {
        if self.paused {
            return;
        }
        self.began = now;
        self.rate.add(now, state.as_ref().map_or(0, |state| approximate_bytes(&Entry::State(state.clone()))));
        let outcome = self.open().and_then(|mut file| {
            if let Some(state) = state {
                file.write(0, Entry::State(state))?;
            }
            Ok(file)
        });
        match outcome {
            Ok(file) => {
                self.file = Some(file);
                self.hub.set_health_problem(RECORDINGS_STOPPED, Some(&self.board), None);
            }
            Err(error) => self.stop(&error),
        }
    }

    /// Records one line. After [`WriteOutcome::Full`] the caller must write it again into a new file.
    pub fn write(&mut self, now: Millis, entry: Entry) -> WriteOutcome {
        self.rate.add(now, approximate_bytes(&entry));
        if self.paused {
            if !self.rate.is_below_resume_level() {
                return WriteOutcome::Recorded;
            }
            self.paused = false;
            info!(board = %self.board, "recording resumed");
            self.hub.set_health_problem(RECORDING_PAUSED, Some(&self.board), None);
            return WriteOutcome::Full;
        }
        if self.file.is_some() && self.rate.is_exceeded() {
            self.pause(now);
            return WriteOutcome::Recorded;
        }
        let Some(file) = &mut self.file else { return WriteOutcome::Recorded };
        self.lines_until_disk_check -= 1;
        if self.lines_until_disk_check == 0 {
            self.lines_until_disk_check = LINES_PER_DISK_CHECK;
            if let Err(error) = check_free_space(&self.recordings) {
                self.stop(&error);
                return WriteOutcome::Recorded;
            }
        }
        match file.write(now.saturating_sub(self.began), entry) {
            Ok(written) => {
                self.is_failing &= written == WriteOutcome::Full;
                written
            }
            Err(error) => {
                self.stop(&error);
                WriteOutcome::Recorded
            }
        }
    }

    /// Stops recording because not even one line fits into a new recording.
    pub fn stop_too_small(&mut self) {
        self.stop(&io::Error::other("max_mb in [recordings] is too small for one line: raise it"));
    }

    fn open(&mut self) -> io::Result<Writer<File>> {
        let dir = &self.recordings.dir;
        fs::create_dir_all(dir)?;
        let max = self.recordings.limits.max;
        evict(dir, max - max / SHARE_DIVISOR)?;
        check_free_space(&self.recordings)?;
        let started = Timestamp::now();
        let name = format!("{}-{}", self.board, started.strftime("%Y%m%dT%H%M%S%3fZ"));
        let mut path = dir.join(format!("{name}.rec"));
        let mut attempt = 1;
        // Two recordings may begin in the same millisecond.
        let file = loop {
            match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                created => break created?,
            }
            path = dir.join(format!("{name}-{attempt}.rec"));
        };
        self.header.started = started.to_string();
        // The lock protects the file from deletion whatever its date, see `is_written`. Where files cannot be locked, the oldest
        // are deleted first.
        let _ = file.try_lock_shared();
        let file = Writer::begin(file, &self.header, max / SHARE_DIVISOR)?;
        // At debug level: a recording begins with a game, which the public sees only after the delay.
        debug!(board = %self.board, "recording to {}", path.display());
        Ok(file)
    }

    /// Pauses recording until the board sends less: it would use the disk space and the time of the other boards.
    fn pause(&mut self, now: Millis) {
        self.paused = true;
        if let Some(mut file) = self.file.take() {
            let note = "the board sends more than is recorded: later entries are missing".to_owned();
            // If this fails, the readable part of the file simply ends here.
            let _ = file.write(now.saturating_sub(self.began), Entry::Note(note));
        }
        let sentence = format!(
            "board {} sends more than {RATE_LIMIT} kB per second, and is not recorded until it sends less: check its cable and its \
             firmware; moves are still stored",
            self.board
        );
        warn!(board = %self.board, "{sentence}");
        self.hub.set_health_problem(RECORDING_PAUSED, Some(&self.board), Some(sentence));
    }

    fn stop(&mut self, error: &io::Error) {
        self.file = None;
        let dir = self.recordings.dir.display();
        let sentence = format!(
            "nothing is recorded ({error}): free some space in {dir}, and the next game is recorded again; moves are still stored"
        );
        // Each game retries, and the public sees its start only after the delay: log a warning only once.
        match std::mem::replace(&mut self.is_failing, true) {
            true => debug!(board = %self.board, "{sentence}"),
            false => warn!(board = %self.board, "{sentence}"),
        }
        self.hub.set_health_problem(RECORDINGS_STOPPED, Some(&self.board), Some(sentence));
    }
}

/// Fails if little disk space is left, which must be kept for moves.
fn check_free_space(recordings: &Recordings) -> io::Result<()> {
    let disk = rustix::fs::statvfs(&recordings.dir)?;
    let (free, reserve) = (disk.f_bavail.saturating_mul(disk.f_frsize), recordings.limits.reserve);
    if free < reserve {
        return Err(io::Error::other(format!(
            "the disk has {} MB left, less than reserve_mb = {}",
            free / 1_000_000,
            reserve / 1_000_000
        )));
    }
    Ok(())
}

/// Returns the approximate number of bytes of a line.
fn approximate_bytes(entry: &Entry) -> u64 {
    const FRAME: usize = 24;
    let content = match entry {
        Entry::Rx(bytes) | Entry::Tx(bytes) => bytes.len() * 2,
        Entry::Link(_) => 0,
        Entry::Command(command) => command.to_string().len(),
        Entry::Note(note) => note.len(),
        Entry::State(state) => state.events.iter().map(|event| event.to_string().len()).sum(),
    };
    (FRAME + content) as u64
}

/// Deletes recordings until the others use at most `limit` bytes: the oldest ones of boards that use more than an equal share, so
/// that no board evicts another's recordings. A recording that is being written is kept: if the system clock was set back, it looks
/// older than those before it.
fn evict(dir: &Path, limit: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "rec") {
            let meta = entry.metadata()?;
            files.push((meta.modified()?, entry.path(), meta.len()));
        }
    }
    files.sort();
    let mut in_use: BTreeMap<String, u64> = BTreeMap::new();
    loop {
        let mut by_board = in_use.clone();
        files.iter().for_each(|(_, path, length)| *by_board.entry(board_of(path)).or_default() += length);
        let used: u64 = by_board.values().sum();
        let share = limit / by_board.len().max(1) as u64;
        let exceeds_share = |(_, path, _): &(_, PathBuf, u64)| by_board.get(&board_of(path)).is_some_and(|used| *used > share);
        let Some(oldest) = files.iter().position(exceeds_share).filter(|_| used > limit) else { return Ok(()) };
        let (_, path, length) = files.remove(oldest);
        if is_written(&path) {
            *in_use.entry(board_of(&path)).or_default() += length;
            continue;
        }
        // At debug level: the next one begins with a game.
        debug!("deleting the recording {} to make room for the next", path.display());
        fs::remove_file(&path)?;
    }
}

/// Returns whether a process is writing this recording now.
fn is_written(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Returns the board of a recording: board names contain no `-`.
fn board_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('-').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn recordings_of_a_board_that_sends_too_much_are_deleted_first() {
        let dir = tempfile::tempdir().unwrap();
        let oldest = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let create = |name: &str, age: u64, length: usize| {
            let path = dir.path().join(name);
            fs::write(&path, vec![0; length]).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(oldest + Duration::from_secs(age)).unwrap();
        };
        create("a-20261121T100000000Z.rec", 0, 300);
        create("b-20261121T100000000Z.rec", 1, 100);
        for minute in 10..16 {
            create(&format!("mad-20261121T10{minute}00000Z.rec"), minute, 200);
        }
        create("notes.txt", 0, 5_000);
        let files = || {
            let mut names: Vec<_> =
                fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        evict(dir.path(), 1_600).unwrap();
        assert_eq!(files().len(), 9, "all of it fits");
        evict(dir.path(), 1_000).unwrap();
        let kept = ["13", "14", "15"].map(|minute| format!("mad-20261121T10{minute}00000Z.rec"));
        let expect = ["a-20261121T100000000Z.rec", "b-20261121T100000000Z.rec"].map(str::to_owned);
        assert_eq!(files(), [&expect[..], &kept, &["notes.txt".to_owned()]].concat());
        // Next the boards that use more than an equal share, oldest first.
        evict(dir.path(), 700).unwrap();
        assert_eq!(files(), [&expect[1..], &kept, &["notes.txt".to_owned()]].concat());
    }

    #[test]
    fn a_file_being_written_is_kept_when_the_time_of_day_was_set_back() {
        let dir = tempfile::tempdir().unwrap();
        let create = |name: &str, age: u64| {
            let path = dir.path().join(name);
            fs::write(&path, vec![0; 200]).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + age)).unwrap();
            file
        };
        let written = create("a-20261121T090000000Z.rec", 0);
        written.try_lock_shared().unwrap();
        (1..4).for_each(|age| drop(create(&format!("a-20261121T10000000{age}Z.rec"), age)));
        evict(dir.path(), 400).unwrap();
        let files = || {
            let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        assert_eq!(files(), ["a-20261121T090000000Z.rec", "a-20261121T100000003Z.rec"]);
        // It alone exceeds the limit.
        evict(dir.path(), 100).unwrap();
        assert_eq!(files(), ["a-20261121T090000000Z.rec"]);
        drop(written);
        evict(dir.path(), 100).unwrap();
        assert_eq!(files(), Vec::<String>::new());
    }

    #[test]
    fn a_rate_is_exceeded_by_lasting_traffic() {
        let mut rate = RateLimit::default();
        // A line at 115,200 baud, all day, after a memory request.
        rate.add(0, 200_000);
        for second in 0..8 * 3600 {
            rate.add(second * 1000, 2 * 11_520 + 2_000);
            assert!(!rate.is_exceeded(), "after {second} s");
        }
        let exceeded_after = (0..).find(|step| {
            rate.add(8 * 3_600_000 + step, 10_000);
            rate.is_exceeded()
        });
        assert!(exceeded_after.is_some_and(|ms| ms < 1_000), "{exceeded_after:?}");
        let mut now = 9 * 3_600_000;
        (0..100).for_each(|_| rate.add(now, BURST));
        // However much was sent, the level is low again after this time.
        now += (BURST / 8 * 5).div_ceil(RATE_LIMIT);
        rate.add(now, 0);
        assert!(rate.is_below_resume_level());
    }
}
