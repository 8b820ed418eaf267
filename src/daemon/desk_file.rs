//! The files under the state directory that hold the operator's desk as it is now. The journal has every act; these files are read
//! only if it has none, because it is new.

use crate::daemon::atomic_file::{Durability, replace};
use crate::desk::{Desk, Seat};
use crate::round::Round;
use serde::de::DeserializeOwned;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tracing::warn;

/// Name of the file.
const FILE_NAME: &str = "desk.json";
/// Name of the file in which earlier versions stored the round that was being played.
const ROUND_FILE_NAME: &str = "round.json";

/// The file; it exists once something was done at the desk.
#[derive(Clone, Debug)]
pub(in crate::daemon) struct DeskFile {
    dir: PathBuf,
}

impl DeskFile {
    /// Names the files in this state directory.
    pub(in crate::daemon) fn of(state_dir: &Path) -> DeskFile {
        DeskFile { dir: state_dir.to_owned() }
    }

    /// Loads the desk, or else the round of an earlier version with the boards that it names. A file that cannot be read is reported
    /// and left as it is.
    pub(in crate::daemon) fn load(&self) -> Option<Desk> {
        read(&self.dir.join(FILE_NAME)).or_else(|| {
            let round: Round = read(&self.dir.join(ROUND_FILE_NAME))?;
            let mut desk = Desk { current_round: Some(round.number), ..Desk::default() };
            for pairing in &round.pairings {
                if let Some(board) = &pairing.board {
                    let seat = Seat { board: board.clone(), serial_number: pairing.serial.clone() };
                    desk.seats.insert(pairing.table, seat);
                }
            }
            desk.rounds.insert(round.number, round);
            Some(desk)
        })
    }

    /// Stores this desk atomically and replaces the old one.
    ///
    /// # Errors
    /// The write failed; the old file remains.
    pub(in crate::daemon) fn store(&self, desk: &Desk) -> io::Result<()> {
        replace(&self.dir.join(FILE_NAME), &serde_json::to_string_pretty(desk)?, Durability::PowerCutSafe)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            warn!("{} cannot be read ({error}): seat the boards and load the round again", path.display());
            return None;
        }
    };
    match serde_json::from_str(&text) {
        Ok(value) => Some(value),
        Err(error) => {
            warn!("{} has another form ({error}): seat the boards and load the round again", path.display());
            None
        }
    }
}
