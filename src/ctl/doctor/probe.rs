//! Probes a port for a board, in the same way as touchmoved greets one.

use super::report::Report;
use crate::boards::{Identity, LinkState, Millis, Model, ProtocolError, Reading, SquareState};
use crate::link::Port;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};

/// Maximum time until all squares have been read, in milliseconds.
const PLACEMENT_TIMEOUT: Millis = 5_000;
/// Maximum time for a board that has sent its squares to send its identity, in milliseconds.
const IDENTITY_TIMEOUT: Millis = 1_500;
/// Timeout of a write: a line that accepts nothing for this time is stuck.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// The result of probing a port.
pub(super) enum ProbeResult {
    /// A board of this model.
    Board {
        /// What the board says about itself.
        about: Vec<String>,
        /// Number of occupied squares.
        pieces: usize,
    },
    /// A board of another model: the evidence, and what to configure.
    OtherModel(String),
    /// This number of bytes, but no placement.
    Nonsense(usize),
    /// No byte.
    Nothing,
    /// The port disappeared.
    Gone,
}

/// Greets the board and evaluates its replies.
pub(super) async fn probe(port: &mut Port, model: &Model) -> ProbeResult {
    let mut protocol = (model.protocol)();
    let began = Instant::now();
    let now = || Millis::try_from(began.elapsed().as_millis()).unwrap_or(Millis::MAX);
    let at = |ms: Millis| began + Duration::from_millis(ms);
    let (mut count, mut about, mut pieces, mut other) = (0, Vec::new(), None, None);
    let (mut deadline, mut write) = (PLACEMENT_TIMEOUT, None);
    let mut buffer = [0; 1024];
    protocol.link(0, LinkState::Up);
    loop {
        while let Some((_, reading)) = protocol.poll_reading() {
            match reading {
                Reading::Placement(squares) => {
                    pieces = Some(squares.iter().filter(|square| **square != SquareState::Empty).count());
                    deadline = deadline.min(now() + IDENTITY_TIMEOUT);
                }
                Reading::Identity(Identity::Version(version)) => about.push(format!("version {version}")),
                Reading::Identity(Identity::SerialNumber(number)) => about.push(format!("serial number {number}")),
                Reading::Identity(Identity::Text(text)) => about.push(text),
                Reading::Battery(battery) => about.push(format!("battery {} %", battery.percent)),
                Reading::ProtocolError(ProtocolError::Uncalibrated) => {
                    about.push("the chips of the pieces are learned from the start position".to_owned());
                    pieces = Some(0);
                }
                Reading::ProtocolError(ProtocolError::OtherModel(advice)) => {
                    other = Some(advice);
                    deadline = now();
                }
                Reading::ProtocolError(_)
                | Reading::Square(..)
                | Reading::Touch(_)
                | Reading::Move { .. }
                | Reading::Promotion(_)
                | Reading::Clock(_)
                | Reading::Memory(_)
                | Reading::Calibration(_) => {}
            }
        }
        write = write.or_else(|| protocol.poll_write());
        if let Some(due) = write.take_if(|write| write.at <= now()) {
            match timeout(WRITE_TIMEOUT, port.write_all(&due.bytes)).await {
                Ok(Ok(())) => continue,
                _ => return ProbeResult::Gone,
            }
        }
        if now() >= deadline {
            break;
        }
        let wake = [Some(deadline), write.as_ref().map(|write| write.at), protocol.next_deadline()];
        let wake = wake.into_iter().flatten().min().unwrap_or(deadline);
        tokio::select! {
            read = port.read(&mut buffer) => match read {
                Ok(length) => {
                    count += length;
                    protocol.receive(now(), buffer.get(..length).unwrap_or_default());
                }
                Err(_) => return ProbeResult::Gone,
            },
            () = sleep_until(at(wake)) => {
                if protocol.next_deadline().is_some_and(|deadline| deadline <= now()) {
                    protocol.timeout(now());
                }
            }
        }
    }
    about.dedup();
    match (pieces, other) {
        (Some(pieces), _) => ProbeResult::Board { about, pieces },
        (None, Some(advice)) => ProbeResult::OtherModel(advice),
        (None, None) if count > 0 => ProbeResult::Nonsense(count),
        (None, None) => ProbeResult::Nothing,
    }
}

/// Reports the result of probing a port; `advice`: what to do if nothing answers.
pub(super) fn add_result(report: &mut Report, path: &str, title: &str, result: ProbeResult, advice: &str) {
    match result {
        ProbeResult::Board { about, pieces } => {
            let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
            report.good("answer", format!("a {title} answers on {path}{about}; it reports {pieces} pieces"));
        }
        ProbeResult::OtherModel(advice) => {
            let message = format!("the device on {path} is not a {title}");
            report.bad("answer", message, advice);
        }
        ProbeResult::Nonsense(count) => report.bad(
            "answer",
            format!("a device answers on {path}, but not as a {title} ({count} invalid bytes)"),
            "check the port and the model; a board needs some seconds after it is switched on",
        ),
        ProbeResult::Nothing => report.bad("answer", format!("no {title} answers on {path}"), advice),
        ProbeResult::Gone => report.bad("answer", format!("{path} disappeared while it was probed"), "plug the board in again"),
    }
}
