//! Calibrations: what was learned about each board's pieces, in one file per board under the state directory.
//!
//! If a file is lost or damaged, the board is calibrated again from the start position.

use crate::daemon::atomic_file::{Durability, replace};
use crate::daemon::hub::BoardId;
use std::fs;
use std::io;
use std::path::PathBuf;
use tracing::{info, warn};

/// The directory of these files; created if missing.
#[derive(Clone, Debug)]
pub struct CalibrationDir(pub PathBuf);

impl CalibrationDir {
    /// Loads this board's calibration.
    pub fn load(&self, board: &BoardId) -> Option<String> {
        match fs::read_to_string(self.path(board)) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let path = self.path(board);
                warn!(%board, "{} cannot be read ({error}): set up the start position to calibrate the board again", path.display());
                None
            }
        }
    }

    /// Stores this board's calibration and replaces the old one.
    pub fn store(&self, board: &BoardId, text: &str) {
        let path = self.path(board);
        match replace(&path, text, Durability::PowerCutSafe) {
            Ok(()) => info!(%board, "stored the calibration of {} chips", text.lines().count()),
            Err(error) => {
                warn!(%board, "{} cannot be written ({error}): the pieces will be unknown after a restart", path.display())
            }
        }
    }

    fn path(&self, board: &BoardId) -> PathBuf {
        self.0.join(format!("{board}.chips"))
    }
}
