//! Runs a program as if on another computer: with another id of its boot, which tells a copied card from its original.

use anyhow::{Context, bail};
use rustix::process::{getgid, getuid};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Identifies a boot of a computer.
const BOOT_ID_FILE: &str = "/proc/sys/kernel/random/boot_id";
/// The id of the other computer.
const OTHER_BOOT_ID: &str = "f0e1d2c3-b4a5-4697-8879-6a5b4c3d2e1f";
/// Replaces the file $1 by the file $0 for the program that follows, as seen by itself alone.
const BIND: &str = "file=$1; shift; mount --bind \"$0\" \"$file\" && exec \"$@\"";

/// Another computer.
#[derive(Clone, Debug)]
pub(super) struct OtherComputer {
    /// The file with the id of its boot.
    boot_id: PathBuf,
}

impl OtherComputer {
    /// Checks whether one can be had here. `dir`: where its file is written.
    pub(super) fn new(dir: &Path) -> anyhow::Result<OtherComputer> {
        let boot_id = dir.join("boot-id");
        fs::write(&boot_id, format!("{OTHER_BOOT_ID}\n"))
            .with_context(|| format!("{} cannot be written", boot_id.display()))?;
        let computer = OtherComputer { boot_id };
        let mut command = computer.command(Path::new("cat"));
        let output = command.arg(BOOT_ID_FILE).stdin(Stdio::null()).output();
        let output = output.context("cloned-card needs the program unshare: install the package util-linux")?;
        if String::from_utf8_lossy(&output.stdout).trim() != OTHER_BOOT_ID {
            bail!(
                "cloned-card needs a mount namespace, to give the copy the boot id of another computer, and this system does not \
                 permit one ({}): run as root, or omit cloned-card",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        Ok(computer)
    }

    /// Returns a command that runs this program there, with the same process id.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("unshare");
        let (user, group) = (getuid(), getgid());
        if user.is_root() {
            command.args(["--mount", "sh", "-c", BIND]).arg(&self.boot_id).arg(BOOT_ID_FILE);
        } else {
            // Only root may mount, also in a namespace of one's own; the bus expects the real user.
            command.args(["--user", "--map-root-user", "--mount", "sh", "-c", BIND]).arg(&self.boot_id).arg(BOOT_ID_FILE);
            command.args(["unshare", "--user"]);
            command.arg(format!("--map-user={}", user.as_raw())).arg(format!("--map-group={}", group.as_raw()));
        }
        command.arg(program);
        command
    }
}
