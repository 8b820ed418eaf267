//! The findings of `doctor`, as text and as JSON.

use serde::Serialize;
use std::fmt::Write;

/// All findings, in the order of examination.
#[derive(Default, Serialize)]
pub(super) struct Report {
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    /// What was examined: one word.
    check: &'static str,
    /// `null`: for information, neither good nor bad.
    ok: Option<bool>,
    message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// It follows from the model of a board, and never changes.
    #[serde(skip)]
    is_limitation: bool,
}

/// How much of a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Faults, what else may matter, and a summary of what is right.
    Summary,
    /// Every finding, in the order of examination.
    All,
}

impl Report {
    /// Adds a finding that is as it should be.
    pub(super) fn good(&mut self, check: &'static str, message: impl Into<String>) {
        self.add(check, Some(true), message.into(), None);
    }

    /// Adds a fault; `next` is what to do.
    pub(super) fn bad(&mut self, check: &'static str, message: impl Into<String>, next: impl Into<String>) {
        self.add(check, Some(false), message.into(), Some(next.into()));
    }

    /// Adds a finding for information.
    pub(super) fn note(&mut self, check: &'static str, message: impl Into<String>) {
        self.add(check, None, message.into(), None);
    }

    /// Adds what boards of a model cannot do: for information.
    pub(super) fn limitation(&mut self, check: &'static str, message: String) {
        self.findings.push(Finding { check, ok: None, message, next: None, is_limitation: true });
    }

    fn add(&mut self, check: &'static str, ok: Option<bool>, message: String, next: Option<String>) {
        self.findings.push(Finding { check, ok, message, next, is_limitation: false });
    }

    /// Returns whether there is no fault.
    pub(super) fn is_ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.ok != Some(false))
    }

    /// Returns `{"ok": …, "findings": [{"check": …, "ok": true|false|null, "message": …, "next": …}]}`, on one line.
    pub(super) fn json(&self) -> String {
        serde_json::json!({ "ok": self.is_ok(), "findings": self.findings }).to_string()
    }

    /// Returns a line for each finding, followed by what to do; in a summary, faults first.
    pub(super) fn text(&self, detail: Detail, colours: bool) -> String {
        let mut text = String::new();
        if detail == Detail::All {
            self.findings.iter().for_each(|finding| finding.write(&mut text, colours));
        } else {
            let with = |ok: Option<bool>| self.findings.iter().filter(move |finding| finding.ok == ok);
            with(Some(false)).for_each(|finding| finding.write(&mut text, colours));
            with(None).filter(|finding| !finding.is_limitation).for_each(|finding| finding.write(&mut text, colours));
            text.push_str(&self.summary(colours));
        }
        let faults = self.findings.iter().filter(|finding| finding.ok == Some(false)).count();
        let last = match faults {
            0 => "No fault was found.".to_owned(),
            1 => "1 fault was found: ✗.".to_owned(),
            _ => format!("{faults} faults were found: start with the first ✗."),
        };
        text + &last + "\n"
    }

    /// Returns one line about everything that is right, and how to see it; empty if nothing is.
    fn summary(&self, colours: bool) -> String {
        let mut checks: Vec<(&'static str, usize)> = Vec::new();
        for finding in self.findings.iter().filter(|finding| finding.ok == Some(true)) {
            match checks.iter_mut().find(|(check, _)| *check == finding.check) {
                Some((_, count)) => *count += 1,
                None => checks.push((finding.check, 1)),
            }
        }
        let name = |(check, count): &(&'static str, usize)| match count {
            1 => (*check).to_owned(),
            count => format!("{check} ({count})"),
        };
        let checks: Vec<String> = checks.iter().map(name).collect();
        match checks.is_empty() {
            true => String::new(),
            false => format!("{} in order: {}; --all lists every finding\n", mark(Some(true), colours), checks.join(", ")),
        }
    }
}

impl Finding {
    fn write(&self, text: &mut String, colours: bool) {
        let _ = writeln!(text, "{} {}", mark(self.ok, colours), self.message.replace('\n', "\n  "));
        if let Some(next) = &self.next {
            let _ = writeln!(text, "  → {}", next.replace('\n', "\n    "));
        }
    }
}

fn mark(ok: Option<bool>, colours: bool) -> String {
    let (mark, colour) = match ok {
        Some(true) => ("✓", 32),
        Some(false) => ("✗", 31),
        None => ("·", 2),
    };
    if colours { format!("\x1b[{colour}m{mark}\x1b[0m") } else { mark.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_begins_with_the_faults() {
        let mut report = Report::default();
        report.good("device", "/dev/ttyUSB0: a board");
        report.good("device", "/dev/ttyUSB1: a board");
        report.note("device", "there is also /dev/ttyUSB2");
        report.bad("answer", "no board answers", "switch it on");
        report.limitation("cannot", "a board cannot know who moved".to_owned());
        report.good("service", "touchmoved runs");
        assert_eq!(
            report.text(Detail::Summary, false),
            "✗ no board answers\n  → switch it on\n· there is also /dev/ttyUSB2\n\
             ✓ in order: device (2), service; --all lists every finding\n1 fault was found: ✗.\n"
        );
        let all = report.text(Detail::All, false);
        assert!(all.starts_with("✓ /dev/ttyUSB0: a board\n") && all.contains("· a board cannot know who moved\n"), "{all}");
        assert!(!report.json().contains("limitation"), "{}", report.json());
    }
}
