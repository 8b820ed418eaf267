//! A download of the journal.
//!
//! The copy is written to a file that has no name by the time it is sent, so that it needs no memory and never stays behind.

use super::WebState;
use super::file_body::file_body;
use super::post::require_right;
use super::refusal::{HandlerResult, refusal};
use crate::daemon::journal;
use crate::game::rights::Right;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tracing::info;

/// The beginning of the names of a copy that is being written.
const FILE_NAME: &str = "download.sqlite3";
/// Free space that a copy must leave, in bytes: moves are stored first.
const SPACE_LEFT: u64 = 64 << 20;

/// Handles `GET /api/backup`: the journal as one SQLite file.
pub(super) async fn download(State(web): State<Arc<WebState>>, headers: HeaderMap) -> HandlerResult {
    let user = require_right(&web, &headers, Right::Administer)?;
    let unavailable = |error: String| refusal(StatusCode::SERVICE_UNAVAILABLE, error);
    let turn = Arc::clone(&web.backup_turn).try_lock_owned();
    let turn = turn.map_err(|_| unavailable("another backup is being downloaded: wait until it is complete".to_owned()))?;
    let dir = web.state_dir.clone();
    let written = spawn_blocking(move || write_copy(&dir)).await.map_err(|error| unavailable(error.to_string()))?;
    let (file, bytes) = written.map_err(unavailable)?;
    info!("{} downloads a backup of {bytes} bytes", user.name);
    let name = jiff::Zoned::now().strftime("journal-%Y-%m-%d-%H%M.sqlite3").to_string();
    let head = [
        (CONTENT_TYPE, "application/vnd.sqlite3".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (CONTENT_LENGTH, bytes.to_string()),
    ];
    Ok((head, file_body(file, turn)).into_response())
}

/// Writes a copy, and returns it open, without a name, with its length.
///
/// # Errors
/// A sentence that says what to do.
fn write_copy(dir: &Path) -> Result<(File, u64), String> {
    let failed = |error: io::Error| format!("the backup cannot be written in {} ({error})", dir.display());
    remove_copies(dir).map_err(failed)?;
    let size_of = |name: String| fs::metadata(dir.join(name)).map_or(0, |file| file.len());
    let size = size_of(journal::FILE_NAME.to_owned()).saturating_add(size_of(format!("{}-wal", journal::FILE_NAME)));
    let disk = rustix::fs::statvfs(dir).map_err(|error| failed(error.into()))?;
    if disk.f_bavail.saturating_mul(disk.f_frsize) < size.saturating_add(SPACE_LEFT) {
        return Err("there is too little space on the disk for a backup: free some, or use `touchmovectl backup`".to_owned());
    }
    let path = dir.join(FILE_NAME);
    let written = journal::backup(dir, &path, |_, _| {}).map_err(|error| error.to_string());
    let opened = written.and_then(|()| {
        let file = File::open(&path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        Ok((file, bytes))
    });
    remove_copies(dir).map_err(failed)?;
    opened
}

/// Removes copies, also those that an earlier run of the program left behind.
fn remove_copies(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(FILE_NAME) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
