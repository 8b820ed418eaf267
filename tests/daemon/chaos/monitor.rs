//! A second client, which shares no code with touchmove: `gdbus monitor`.

use crate::front_ends::dbus::Lines;
use crate::harness::{PrivateBus, installed};
use std::collections::BTreeMap;
use std::time::Duration;
use touchmove::names;
use touchmove::publish::client::WatchedEvent;

/// The longest delay of the first event at the end.
const LAG: Duration = Duration::from_secs(5);

/// A `gdbus monitor` on the live name, and the signals that it has seen. Dropping it kills the process.
pub struct Monitor {
    lines: Lines,
    seen: Vec<Signal>,
}

/// A durable event as `gdbus` printed it.
#[derive(Debug, PartialEq)]
pub struct Signal {
    game: u64,
    number: u64,
    time: i64,
    event: String,
    /// The move of a `MoveMade` signal.
    uci: Option<String>,
}

impl Monitor {
    /// Starts the monitor on a bus without touchmoved and returns when it listens; returns `None`, with a message, if gdbus is
    /// not installed.
    pub fn start(bus: &PrivateBus) -> Option<Monitor> {
        if !installed("gdbus") {
            return None;
        }
        let lines = gdbus(bus);
        lines.wait_for("gdbus to listen", |line| line.contains("does not have an owner"));
        Some(Monitor { lines, seen: Vec::new() })
    }

    /// Starts the monitor again on a bus that was restarted.
    pub fn restart(&mut self, bus: &PrivateBus) {
        self.read_lines();
        self.lines = gdbus(bus);
    }

    /// Ends the monitor and returns all signals.
    pub fn stop(mut self) -> Vec<Signal> {
        self.read_lines();
        while self.seen.is_empty()
            && let Some(line) = self.lines.next(LAG)
        {
            self.seen.extend(Signal::parse(&line));
        }
        self.seen
    }

    fn read_lines(&mut self) {
        let lines = std::iter::from_fn(|| self.lines.next(Duration::ZERO));
        self.seen.extend(lines.filter_map(|line| Signal::parse(&line)));
    }
}

fn gdbus(bus: &PrivateBus) -> Lines {
    Lines::of("gdbus", &["monitor", "--address", &bus.address(), "--dest", names::BUS_NAME])
}

impl Signal {
    /// Parses a numbered signal of a game, e.g. `/org/touchmove1/game/1: org.touchmove1.Game.MoveMade (uint64 2, int64
    /// 1795442282282, uint32 1, 'e2e4', …)`; returns `None` for any other line.
    fn parse(line: &str) -> Option<Signal> {
        let (path, signal) = line.split_once(": ")?;
        let game = path.strip_prefix(names::GAMES_PATH)?.strip_prefix('/')?.parse().ok()?;
        let (member, arguments) = signal.split_once(" (")?;
        let interfaces = [names::GAME_INTERFACE, names::ARBITER_INTERFACE];
        let event = interfaces.iter().find_map(|interface| member.strip_prefix(interface)?.strip_prefix('.'))?;
        let mut arguments = arguments.trim_end_matches(')').split(", ");
        let number = arguments.next()?.strip_prefix("uint64 ")?.parse().ok()?;
        let time = arguments.next()?.strip_prefix("int64 ")?.parse().ok()?;
        let uci = (event == "MoveMade").then(|| arguments.nth(1)).flatten();
        let uci = uci.map(|quoted| quoted.trim_matches('\'').to_owned());
        Some(Signal { game, number, time, event: event.to_owned(), uci })
    }
}

/// Compares the signals with all stored events, by game.
///
/// # Errors
/// A signal is not stored, or is stored with other content.
pub fn compare(seen: &[Signal], stored: &BTreeMap<u64, Vec<WatchedEvent>>) -> Result<(), String> {
    for signal in seen {
        let mut events = stored.get(&signal.game).into_iter().flatten();
        let Some(event) = events.find(|event| event.number == Some(signal.number)) else {
            return Err(format!("gdbus saw {signal:?}, which is not stored"));
        };
        let uci = event.fields.get("uci").and_then(serde_json::Value::as_str);
        let is_same = event.event == signal.event
            && event.time == Some(signal.time)
            && (signal.event != "MoveMade" || uci == signal.uci.as_deref());
        if !is_same {
            return Err(format!("gdbus saw {signal:?}, stored is {event:?}"));
        }
    }
    Ok(())
}
