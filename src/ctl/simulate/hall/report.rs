//! What a simulated hall prints: a line for each event, and its progress.

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often progress is printed if standard error is not a terminal.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);

/// The lines on standard output, and the progress below them on a terminal.
pub(in crate::ctl) struct Report {
    began: Instant,
    bar: ProgressBar,
    is_terminal: bool,
    /// When progress was last printed as a line.
    printed: Instant,
}

impl Report {
    /// Begins to count the time.
    ///
    /// # Errors
    /// Never: the template is valid.
    pub(in crate::ctl) fn new() -> anyhow::Result<Report> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").context("the progress cannot be shown")?);
        let now = Instant::now();
        Ok(Report { began: now, bar, is_terminal: io::stderr().is_terminal(), printed: now })
    }

    /// Begins a phase that may last longer than a second.
    pub(in crate::ctl) fn phase(&mut self, sentence: &str) -> io::Result<()> {
        if self.is_terminal {
            self.bar.set_message(sentence.to_owned());
            self.bar.tick();
            return Ok(());
        }
        self.printed = Instant::now();
        self.print(&format!("{sentence}\n"))
    }

    /// Shows how far a phase is.
    pub(in crate::ctl) fn progress(&mut self, sentence: &str) -> io::Result<()> {
        if self.is_terminal || self.printed.elapsed() >= PROGRESS_INTERVAL { self.phase(sentence) } else { Ok(()) }
    }

    /// Prints a line with the time since the hall was opened.
    pub(in crate::ctl) fn event(&self, sentence: &str) -> io::Result<()> {
        self.print(&format!("{}  {sentence}\n", clock(self.began.elapsed())))
    }

    /// Prints text.
    pub(in crate::ctl) fn print(&self, text: &str) -> io::Result<()> {
        self.bar.suspend(|| {
            let mut output = io::stdout().lock();
            output.write_all(text.as_bytes())?;
            output.flush()
        })
    }

    /// Counts the time from now on.
    pub(in crate::ctl) fn restart_clock(&mut self) {
        self.began = Instant::now();
    }

    /// Removes the progress.
    pub(in crate::ctl) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns a time in minutes and seconds.
pub(in crate::ctl) fn clock(time: Duration) -> String {
    format!("{:02}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}
