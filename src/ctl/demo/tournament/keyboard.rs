//! The keyboard of somebody who watches a demonstration.

use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use std::io::{IsTerminal, stdin};
use std::thread;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Sends something for each line that is entered. Without a keyboard it never does.
pub(super) struct Keyboard {
    /// Whether there is a keyboard.
    pub(super) is_present: bool,
    lines: UnboundedReceiver<()>,
}

impl Keyboard {
    /// Begins to read the keyboard.
    pub(super) fn new() -> Keyboard {
        let (sender, lines) = unbounded_channel();
        // A program in the background that reads the terminal would be stopped.
        let is_present = stdin().is_terminal() && tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp());
        if is_present {
            // It may wait for a line for ever. The end of the program ends it.
            thread::spawn(move || {
                for line in stdin().lines() {
                    if line.is_err() || sender.send(()).is_err() {
                        return;
                    }
                }
            });
        }
        Keyboard { is_present, lines }
    }

    /// Waits for the next line. Cancel safe.
    pub(super) async fn line(&mut self) {
        if self.lines.recv().await.is_none() {
            std::future::pending().await
        }
    }
}
