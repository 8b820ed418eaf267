//! Recordings beside the journal: everything a board said, to be replayed. The first thing to be dropped when the disk fills.

use crate::boards::Millis;
use crate::config::Room;
use crate::daemon::Hub;
use crate::daemon::hub::BoardId;
use crate::link::recording::{Header, State, What, Writer, Written};
use crate::table::Settings;
use crate::wire::settings_to_value;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tracing::{debug, info, warn};

/// The kind of trouble when nothing can be recorded.
pub const RECORDINGS_STOPPED: &str = "recordings_stopped";
/// The kind of trouble when a board says more than is recorded.
pub const RECORDING_PAUSED: &str = "recording_paused";
/// A board may fill its recordings this fast for as long as it likes, in bytes a millisecond: more than twice what a line of
/// 115,200 baud carries, which takes two digits a byte.
const RATE: u64 = 64;
/// Beyond that it may say so many bytes at once: the memory of a board, and the squares of many scans.
const BURST: u64 = 4_000_000;
/// The disk is looked at once in so many lines.
const LOOK: u32 = 200;
/// One recording takes at most this part of the room for all.
const SHARE: u64 = 8;

/// Where recordings are kept, and how much room there is for them.
#[derive(Clone, Debug)]
pub struct Recordings {
    /// The directory; created where missing.
    pub dir: PathBuf,
    /// The oldest make room for the newest.
    pub room: Room,
}

/// Records one board. A new recording begins with each start of the daemon, and when the last one is full.
pub struct Recorder {
    hub: Arc<Hub>,
    recordings: Recordings,
    board: BoardId,
    header: Header,
    file: Option<Writer<File>>,
    /// The board's time at which the file begins.
    began: Millis,
    /// Lines until the disk is looked at again.
    until_look: u32,
    rate: RateLimit,
    /// The board says more than is recorded.
    paused: bool,
    /// A failure was logged, and nothing has been recorded since.
    is_failing: bool,
}

/// A leaky bucket of bytes.
#[derive(Debug, Default)]
struct RateLimit {
    level: u64,
    at: Millis,
}

impl RateLimit {
    /// Counts these bytes, whether they are recorded or not. The level has a limit, so that a board that was mad for hours is recorded
    /// again within a minute.
    fn add(&mut self, now: Millis, bytes: u64) {
        let leaked = now.saturating_sub(self.at).saturating_mul(RATE);
        self.at = self.at.max(now);
        self.level = (self.level.saturating_sub(leaked) + bytes).min(BURST + BURST / 8);
    }

    fn is_exceeded(&self) -> bool {
        self.level > BURST
    }

    /// So much has leaked that a pause is over.
    fn is_calm(&self) -> bool {
        self.level <= BURST / 2
    }
}

impl Recorder {
    /// A recorder that has not begun.
    pub fn new(hub: Arc<Hub>, recordings: Recordings, board: BoardId, model: &str, settings: &Settings) -> Recorder {
        let mut header = Header::new(model);
        header.chess960 = settings.chess960;
        header.start_fen.clone_from(&settings.start_fen);
        header.laws = settings.laws.to_string();
        header.version = Some(env!("CARGO_PKG_VERSION").to_owned());
        header.core = Some(settings_to_value(settings));
        let (file, rate) = (None, RateLimit::default());
        let (paused, is_failing) = (false, false);
        Recorder { hub, recordings, board, header, file, began: 0, until_look: LOOK, rate, paused, is_failing }
    }

    /// Begins a new file, in mid-game where `state` says so; not while the board says more than is recorded.
    pub fn begin(&mut self, now: Millis, state: Option<State>) {
        if self.paused {
            return;
        }
        self.began = now;
        self.rate.add(now, state.as_ref().map_or(0, |state| length(&What::State(state.clone()))));
        let outcome = self.open().and_then(|mut file| {
            if let Some(state) = state {
                file.write(0, What::State(state))?;
            }
            Ok(file)
        });
        match outcome {
            Ok(file) => {
                self.file = Some(file);
                self.hub.trouble(RECORDINGS_STOPPED, Some(&self.board), None);
            }
            Err(why) => self.stop(&why),
        }
    }

    /// Records one line. [`Written::Full`]: it is to be written again into a new file.
    pub fn write(&mut self, now: Millis, what: What) -> Written {
        self.rate.add(now, length(&what));
        if self.paused {
            if !self.rate.is_calm() {
                return Written::Kept;
            }
            self.paused = false;
            info!(board = %self.board, "what the board says is recorded again");
            self.hub.trouble(RECORDING_PAUSED, Some(&self.board), None);
            return Written::Full;
        }
        if self.file.is_some() && self.rate.is_exceeded() {
            self.pause(now);
            return Written::Kept;
        }
        let Some(file) = &mut self.file else { return Written::Kept };
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = LOOK;
            if let Err(why) = enough_room(&self.recordings) {
                self.stop(&why);
                return Written::Kept;
            }
        }
        match file.write(now.saturating_sub(self.began), what) {
            Ok(written) => {
                self.is_failing &= written == Written::Full;
                written
            }
            Err(why) => {
                self.stop(&why);
                Written::Kept
            }
        }
    }

    /// Stops because not even one line fits into a recording that has just begun.
    pub fn too_small(&mut self) {
        self.stop(&io::Error::other("max_mb in [recordings] is too little for one line: raise it"));
    }

    fn open(&mut self) -> io::Result<Writer<File>> {
        let dir = &self.recordings.dir;
        fs::create_dir_all(dir)?;
        let max = self.recordings.room.max;
        make_room(dir, max - max / SHARE)?;
        enough_room(&self.recordings)?;
        let started = Timestamp::now();
        let name = format!("{}-{}", self.board, started.strftime("%Y%m%dT%H%M%S%3fZ"));
        let mut path = dir.join(format!("{name}.rec"));
        let mut again = 1;
        // Two may begin in the same millisecond.
        let file = loop {
            match File::create_new(&path) {
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => again += 1,
                created => break created?,
            }
            path = dir.join(format!("{name}-{again}.rec"));
        };
        self.header.started = started.to_string();
        // Whatever its date comes to be: see `is_written`. Where files cannot be locked, the oldest go first.
        let _ = file.try_lock_shared();
        let file = Writer::begin(file, &self.header, max / SHARE)?;
        // A recording begins with a game, which the public learns later.
        debug!(board = %self.board, "recording to {}", path.display());
        Ok(file)
    }

    /// Stops until the board says less: it would take the room, and the time, of the others.
    fn pause(&mut self, now: Millis) {
        self.paused = true;
        if let Some(mut file) = self.file.take() {
            let note = "the board says more than is recorded: what came later is missing".to_owned();
            // What can be read ends here in any case.
            let _ = file.write(now.saturating_sub(self.began), What::Note(note));
        }
        let sentence = format!(
            "board {} says more than {RATE} kB a second, and is not recorded until it says less: see what is wrong with its cable or \
             its firmware; moves are kept",
            self.board
        );
        warn!(board = %self.board, "{sentence}");
        self.hub.trouble(RECORDING_PAUSED, Some(&self.board), Some(sentence));
    }

    fn stop(&mut self, why: &io::Error) {
        self.file = None;
        let dir = self.recordings.dir.display();
        let sentence =
            format!("nothing is recorded ({why}): make room in {dir}, and the next game is recorded again; moves are kept");
        // It is tried again with each game, which the public learns later: the log says it once.
        match std::mem::replace(&mut self.is_failing, true) {
            true => debug!(board = %self.board, "{sentence}"),
            false => warn!(board = %self.board, "{sentence}"),
        }
        self.hub.trouble(RECORDINGS_STOPPED, Some(&self.board), Some(sentence));
    }
}

/// Moves need the room that is left when there is little.
fn enough_room(recordings: &Recordings) -> io::Result<()> {
    let disk = rustix::fs::statvfs(&recordings.dir)?;
    let (left, reserve) = (disk.f_bavail.saturating_mul(disk.f_frsize), recordings.room.reserve);
    if left < reserve {
        return Err(io::Error::other(format!(
            "the disk has {} MB left, less than reserve_mb = {}",
            left / 1_000_000,
            reserve / 1_000_000
        )));
    }
    Ok(())
}

/// About how many bytes a line takes.
fn length(what: &What) -> u64 {
    const FRAME: usize = 24;
    let said = match what {
        What::Rx(bytes) | What::Tx(bytes) => bytes.len() * 2,
        What::Link(_) => 0,
        What::Command(command) => command.to_string().len(),
        What::Note(note) => note.len(),
        What::State(state) => state.events.iter().map(|event| event.to_string().len()).sum(),
    };
    (FRAME + said) as u64
}

/// Deletes recordings until the others take no more than this many bytes: the oldest of the boards that take more than an equal share,
/// so that no board evicts what others said. One that is being written stays: when the time of day was set back, it is older than those
/// before it.
fn make_room(dir: &Path, room: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "rec") {
            let meta = entry.metadata()?;
            files.push((meta.modified()?, entry.path(), meta.len()));
        }
    }
    files.sort();
    let mut kept: BTreeMap<String, u64> = BTreeMap::new();
    loop {
        let mut by_board = kept.clone();
        files.iter().for_each(|(_, path, length)| *by_board.entry(board_of(path)).or_default() += length);
        let taken: u64 = by_board.values().sum();
        let share = room / by_board.len().max(1) as u64;
        let takes_more = |(_, path, _): &(_, PathBuf, u64)| by_board.get(&board_of(path)).is_some_and(|taken| *taken > share);
        let Some(oldest) = files.iter().position(takes_more).filter(|_| taken > room) else { return Ok(()) };
        let (_, path, length) = files.remove(oldest);
        if is_written(&path) {
            *kept.entry(board_of(&path)).or_default() += length;
            continue;
        }
        // The next one begins with a game.
        debug!("the recording {} makes room for the next", path.display());
        fs::remove_file(&path)?;
    }
}

/// Whether somebody writes this recording now.
fn is_written(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Whose recording this is: names of boards have no `-`.
fn board_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('-').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_board_that_says_too_much_makes_room_from_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let oldest = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let keep = |name: &str, age: u64, length: usize| {
            let path = dir.path().join(name);
            fs::write(&path, vec![0; length]).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(oldest + Duration::from_secs(age)).unwrap();
        };
        keep("a-20261121T100000000Z.rec", 0, 300);
        keep("b-20261121T100000000Z.rec", 1, 100);
        for minute in 10..16 {
            keep(&format!("mad-20261121T10{minute}00000Z.rec"), minute, 200);
        }
        keep("notes.txt", 0, 5_000);
        let left = || {
            let mut names: Vec<_> =
                fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        make_room(dir.path(), 1_600).unwrap();
        assert_eq!(left().len(), 9, "all of it fits");
        make_room(dir.path(), 1_000).unwrap();
        let kept = ["13", "14", "15"].map(|minute| format!("mad-20261121T10{minute}00000Z.rec"));
        let expect = ["a-20261121T100000000Z.rec", "b-20261121T100000000Z.rec"].map(str::to_owned);
        assert_eq!(left(), [&expect[..], &kept, &["notes.txt".to_owned()]].concat());
        // Then who takes more than an equal share, the oldest first.
        make_room(dir.path(), 700).unwrap();
        assert_eq!(left(), [&expect[1..], &kept, &["notes.txt".to_owned()]].concat());
    }

    #[test]
    fn what_is_being_written_stays_when_the_time_of_day_was_set_back() {
        let dir = tempfile::tempdir().unwrap();
        let keep = |name: &str, age: u64| {
            let path = dir.path().join(name);
            fs::write(&path, vec![0; 200]).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + age)).unwrap();
            file
        };
        let written = keep("a-20261121T090000000Z.rec", 0);
        written.try_lock_shared().unwrap();
        (1..4).for_each(|age| drop(keep(&format!("a-20261121T10000000{age}Z.rec"), age)));
        make_room(dir.path(), 400).unwrap();
        let left = || {
            let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        assert_eq!(left(), ["a-20261121T090000000Z.rec", "a-20261121T100000003Z.rec"]);
        // It alone is more than there is room for.
        make_room(dir.path(), 100).unwrap();
        assert_eq!(left(), ["a-20261121T090000000Z.rec"]);
        drop(written);
        make_room(dir.path(), 100).unwrap();
        assert_eq!(left(), Vec::<String>::new());
    }

    #[test]
    fn a_rate_is_exceeded_by_what_goes_on() {
        let mut rate = RateLimit::default();
        // A line of 115,200 baud, all day, after a memory was asked for.
        rate.add(0, 200_000);
        for second in 0..8 * 3600 {
            rate.add(second * 1000, 2 * 11_520 + 2_000);
            assert!(!rate.is_exceeded(), "after {second} s");
        }
        let mad = (0..).find(|step| {
            rate.add(8 * 3_600_000 + step, 10_000);
            rate.is_exceeded()
        });
        assert!(mad.is_some_and(|ms| ms < 1_000), "{mad:?}");
        let mut now = 9 * 3_600_000;
        (0..100).for_each(|_| rate.add(now, BURST));
        // However mad it was, it is calm again after this.
        now += (BURST / 8 * 5).div_ceil(RATE);
        rate.add(now, 0);
        assert!(rate.is_calm());
    }
}
