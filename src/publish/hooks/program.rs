//! A program that is run for an alert.

use super::notice::Notice;
use rustix::process::{Pid, Signal, kill_process_group};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// What the service manager said to touchmoved, and to nobody else.
const OURS: [&str; 7] =
    ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "CREDENTIALS_DIRECTORY"];

/// All processes that a program has begun. Dropped: they are killed.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Runs it, no longer than this.
///
/// # Errors
/// It could not be run, did not end in time, or says that it failed: what of these, to go on after its name.
pub async fn run(command: &[String], notice: &Notice, within: Duration) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/").process_group(0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    for name in OURS {
        command.env_remove(name);
    }
    command.envs(notice.variables.iter().map(|(name, value)| (format!("TOUCHMOVE_{name}"), value)));
    let mut child = command.spawn().map_err(|why| format!("cannot be run ({why})"))?;
    let mut group = Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
    let stdin = child.stdin.take();
    let text = format!("{}\n", notice.json);
    let tell = async {
        if let Some(mut stdin) = stdin {
            // One that does not read it wants none.
            let _ = stdin.write_all(text.as_bytes()).await;
        }
    };
    let ended = async {
        // Whether or not it reads.
        let mut tell = std::pin::pin!(tell);
        tokio::select! {
            ended = child.wait() => return ended,
            () = &mut tell => {}
        }
        child.wait().await
    };
    match tokio::time::timeout(within, ended).await {
        Err(_) => Err(format!("did not end within {} s and was killed", within.as_secs_f32())),
        Ok(Err(why)) => Err(format!("is lost ({why})")),
        Ok(Ok(status)) => {
            // What it has left running is its own, and its number may be another's soon.
            group.0 = None;
            if ExitStatus::success(&status) { Ok(()) } else { Err(format!("failed ({status})")) }
        }
    }
}
