//! Runs a program of the organiser, with a timeout.

use rustix::process::{Pid, Signal, kill_process_group};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Environment variables that the service manager set for touchmoved only.
const SERVICE_VARIABLES: [&str; 7] =
    ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "CREDENTIALS_DIRECTORY"];

/// The process group of a program. It is killed when this is dropped.
struct ProcessGroup(Option<Pid>);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // The group may have ended already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Runs a program, given with its arguments, with a timeout. `variables`: names without the prefix `TOUCHMOVE_`, and values; `input`: what it
/// gets on its standard input.
///
/// # Errors
/// The program could not be run, did not end in time, or failed. The text continues a sentence that begins with the program's name.
pub(super) async fn run_program(
    command: &[String],
    variables: &[(&'static str, String)],
    input: &str,
    timeout: Duration,
) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/").process_group(0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    for name in SERVICE_VARIABLES {
        command.env_remove(name);
    }
    command.envs(variables.iter().map(|(name, value)| (format!("TOUCHMOVE_{name}"), value)));
    let mut child = command.spawn().map_err(|error| format!("cannot be run ({error})"))?;
    let mut group = ProcessGroup(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
    let stdin = child.stdin.take();
    let write_input = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input closes the pipe; that is not an error.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let exited = async {
        // The program may end without reading its input.
        let mut write_input = std::pin::pin!(write_input);
        tokio::select! {
            exited = child.wait() => return exited,
            () = &mut write_input => {}
        }
        child.wait().await
    };
    match tokio::time::timeout(timeout, exited).await {
        Err(_) => Err(format!("did not end within {} s and was killed", timeout.as_secs_f32())),
        Ok(Err(error)) => Err(format!("could not be waited for ({error})")),
        Ok(Ok(status)) => {
            // Processes that it left running are its own, and the group id may be reused soon.
            group.0 = None;
            if ExitStatus::success(&status) { Ok(()) } else { Err(format!("failed ({status})")) }
        }
    }
}
