//! `touchmovectl board NAME --test`: the wiring test on a terminal.

use crate::ctl::language;
use crate::ctl::service::print;
use crate::publish::client::{Client, EventWatcher, WatchItem};
use crate::publish::render::wiring_test::WiringTestReport;
use crate::wiring_test::Step;
use anyhow::Context;
use std::fmt::Write;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};

/// What the user can type.
const KEYS: &str = "[Enter: go on, s: skip, b: back, q: stop]";

/// Carries out a test; returns what it has found.
///
/// # Errors
/// touchmoved refuses the test, or is gone.
pub(super) async fn run(client: &Client, board: &str) -> anyhow::Result<WiringTestReport> {
    let mut watch = client.watch().await?;
    client.begin_wiring_test(board).await?;
    let mut lines = BufReader::new(stdin()).lines();
    let (mut has_keyboard, mut shown) = (true, String::new());
    let locale = language::locale();
    loop {
        let report = client.wiring_test(board, locale).await?.context("touchmoved was started again: begin the test again")?;
        if report.end.is_some() {
            print(&summary(&report))?;
            return Ok(report);
        }
        let text = prompt(&report);
        if text != shown {
            print(&text)?;
            shown = text;
        }
        tokio::select! {
            is_lost = changed(&mut watch, board) => if is_lost {
                anyhow::bail!("touchmoved has stopped, or the bus is lost: the test is over");
            },
            line = lines.next_line(), if has_keyboard => match line?.as_deref().map(str::trim) {
                Some("") => client.step_wiring_test(board, Step::Next).await?,
                Some("s") => client.step_wiring_test(board, Step::Skip).await?,
                Some("b") => client.step_wiring_test(board, Step::Back).await?,
                Some("q") => client.step_wiring_test(board, Step::Stop).await?,
                Some(_) => print(&format!("{KEYS}\n"))?,
                None => has_keyboard = false,
            },
        }
    }
}

/// Waits until something about the board has changed; returns whether touchmoved is gone.
async fn changed(watch: &mut EventWatcher, board: &str) -> bool {
    loop {
        match watch.next().await {
            Some(WatchItem::Happened(event)) if event.board.as_deref() == Some(board) => return false,
            Some(WatchItem::Happened(_) | WatchItem::NewGame(_)) => {}
            Some(WatchItem::ServiceStarted | WatchItem::ServiceStopped) | None => return true,
        }
    }
}

/// Returns what the last square has shown, and what to do next.
fn prompt(report: &WiringTestReport) -> String {
    let mut text = String::new();
    let next = report.tested.saturating_add(1);
    if let Some(last) = &report.last {
        let _ = writeln!(text, "  {last}");
    }
    if report.phase == "short" {
        text.push_str(&found(report));
    }
    match report.square {
        Some(_) => {
            let _ = writeln!(text, "{next} of {}: {}  {KEYS}", report.total, report.instruction);
        }
        None => {
            let _ = writeln!(text, "{}  {KEYS}", report.instruction);
        }
    }
    if let Some(hint) = &report.hint {
        let _ = writeln!(text, "  {hint}");
    }
    text
}

/// Returns the findings, and what to do about them.
fn found(report: &WiringTestReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let _ = writeln!(text, "* {}", finding.sentence);
    }
    for advice in &report.advice {
        let _ = writeln!(text, "  {advice}");
    }
    for change in &report.changes {
        let file = change.file.as_deref().unwrap_or("the configuration file");
        let table = match (change.file.is_some(), change.table.as_str()) {
            (_, "") => String::new(),
            (true, table) => format!(" under [{table}]"),
            (false, table) => format!(" under [[{table}]]"),
        };
        let _ = writeln!(text, "  in {file}{table}: {} = {}", change.key, change.value);
    }
    text
}

fn summary(report: &WiringTestReport) -> String {
    let mut text = format!("{}\n", report.instruction);
    if let Some(hint) = &report.hint {
        let _ = writeln!(text, "{hint}");
    }
    text + &found(report)
}
