//! Starts the program again, in this process.

use super::service_manager::notify;
use sd_notify::NotifyState;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use tracing::{error, info};

/// Replaces the program of this process by a new start of it, with the same arguments. So nothing of the earlier one goes on, and the
/// service manager sees the same process. Returns only if that fails; the service manager then starts it again.
pub fn restart() -> ExitCode {
    info!("starting again");
    // The service manager goes on to count the time.
    notify(&[NotifyState::Watchdog]);
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| OsString::from("touchmoved"));
    // After an upgrade its file is gone. Then the same version starts again, until the service is restarted.
    let file = std::env::current_exe().ok().filter(|file| file.is_file());
    let file = file.unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
    let failure = Command::new(file).arg0(name).args(arguments).exec();
    error!("touchmoved cannot start itself again: {failure}");
    ExitCode::FAILURE
}
