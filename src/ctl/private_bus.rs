//! A private D-Bus.

use super::child_process::ChildProcess;
use anyhow::{Context, bail};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Largest length of the path of a Unix socket, in bytes.
const MAX_SOCKET_PATH: usize = 107;

/// Starts a bus whose files are in this directory, and on which every program of this user may do everything. Returns its address,
/// too.
pub(super) fn start(dir: &Path) -> anyhow::Result<(ChildProcess, String)> {
    let (conf, socket) = (dir.join("bus.conf"), dir.join("bus"));
    if socket.as_os_str().len() > MAX_SOCKET_PATH {
        bail!("{} is too long for the path of a socket: choose a directory with a shorter path", socket.display());
    }
    let text = format!(
        "<busconfig>\n<type>session</type>\n<listen>unix:path={}</listen>\n<auth>EXTERNAL</auth>\n\
         <policy context=\"default\">\n<allow send_destination=\"*\" eavesdrop=\"true\"/>\n<allow eavesdrop=\"true\"/>\n\
         <allow own=\"*\"/>\n</policy>\n</busconfig>\n",
        socket.display()
    );
    fs::write(&conf, text).with_context(|| format!("{} cannot be written", conf.display()))?;
    let mut bus = Command::new("dbus-daemon");
    bus.arg("--config-file").arg(conf).args(["--nofork", "--nopidfile", "--print-address=1"]);
    // An interruption from the keyboard is for this program alone, which then stops the bus.
    bus.process_group(0);
    ChildProcess::start("dbus-daemon", bus, dir)
        .context("the private D-Bus does not start; if dbus-daemon is missing, run `sudo apt install dbus`")
}
