//! Recordings beside the journal: everything a board said, to be replayed. The first thing to be dropped when the disk fills.

use crate::boards::Millis;
use crate::config::Room;
use crate::daemon::Hub;
use crate::daemon::hub::BoardId;
use crate::link::recording::{Header, State, What, Writer, Written};
use crate::table::Settings;
use crate::wire::settings_to_value;
use jiff::Timestamp;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tracing::{debug, info, warn};

/// The kind of trouble when nothing can be recorded.
pub const RECORDINGS_STOPPED: &str = "recordings_stopped";
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
        Recorder { hub, recordings, board, header, file: None, began: 0, until_look: LOOK }
    }

    /// Begins a new file, in mid-game where `state` says so.
    pub fn begin(&mut self, now: Millis, state: Option<State>) {
        self.began = now;
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

    /// Records one line; whether there was room for it.
    pub fn write(&mut self, now: Millis, what: What) -> Written {
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
            Ok(written) => written,
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
        let file = Writer::begin(file, &self.header, max / SHARE)?;
        // A recording begins with a game, which the public learns later.
        debug!(board = %self.board, "recording to {}", path.display());
        Ok(file)
    }

    fn stop(&mut self, why: &io::Error) {
        self.file = None;
        let dir = self.recordings.dir.display();
        let sentence =
            format!("nothing is recorded ({why}): make room in {dir}, and the next game is recorded again; moves are kept");
        warn!(board = %self.board, "{sentence}");
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

/// Deletes the oldest recordings until the others take no more than this many bytes.
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
    let mut taken: u64 = files.iter().map(|(_, _, length)| length).sum();
    for (_, path, length) in files {
        if taken <= room {
            break;
        }
        info!("the recording {} makes room for the next", path.display());
        fs::remove_file(&path)?;
        taken -= length;
    }
    Ok(())
}
