//! The browser of the user's desktop.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;

/// The program that opens an address in the user's browser.
const OPENER: &str = "xdg-open";

/// Opens an address, if there is a desktop. Returns whether the browser was called. It is the user's: it stays when this program ends.
pub(super) fn open(address: &str) -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(is_set) {
        return false;
    }
    let mut command = Command::new(OPENER);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let Ok(mut child) = command.spawn() else { return false };
    // The opener may become the browser, which runs for as long as the user wants.
    thread::spawn(move || child.wait());
    true
}
