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
}

impl Report {
    /// Adds a finding that is as it should be.
    pub(super) fn good(&mut self, check: &'static str, message: impl Into<String>) {
        self.findings.push(Finding { check, ok: Some(true), message: message.into(), next: None });
    }

    /// Adds a fault; `next` is what to do.
    pub(super) fn bad(&mut self, check: &'static str, message: impl Into<String>, next: impl Into<String>) {
        self.findings.push(Finding { check, ok: Some(false), message: message.into(), next: Some(next.into()) });
    }

    /// Adds a finding for information.
    pub(super) fn note(&mut self, check: &'static str, message: impl Into<String>) {
        self.findings.push(Finding { check, ok: None, message: message.into(), next: None });
    }

    /// Returns whether there is no fault.
    pub(super) fn is_ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.ok != Some(false))
    }

    /// Returns `{"ok": …, "findings": [{"check": …, "ok": true|false|null, "message": …, "next": …}]}`, on one line.
    pub(super) fn json(&self) -> String {
        serde_json::json!({ "ok": self.is_ok(), "findings": self.findings }).to_string()
    }

    /// Returns a line for each finding, followed by what to do.
    pub(super) fn text(&self, colours: bool) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let (mark, colour) = match finding.ok {
                Some(true) => ("✓", 32),
                Some(false) => ("✗", 31),
                None => ("·", 2),
            };
            let mark = if colours { format!("\x1b[{colour}m{mark}\x1b[0m") } else { mark.to_owned() };
            let _ = writeln!(text, "{mark} {}", finding.message.replace('\n', "\n  "));
            if let Some(next) = &finding.next {
                let _ = writeln!(text, "  → {}", next.replace('\n', "\n    "));
            }
        }
        let last = if self.is_ok() { "No fault was found." } else { "Faults were found: start with the first ✗." };
        let _ = writeln!(text, "{last}");
        text
    }
}
