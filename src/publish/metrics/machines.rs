//! The metrics of the machines of a hall, at its hub.

use super::{MetricsText, seconds};
use crate::publish::render::machines::{MachineReport, MachineState};

/// Adds the metrics of these machines. What a machine that is away last said of its disk, heat and clock is left out.
pub(super) fn add(machines: &[MachineReport], text: &mut MetricsText) {
    for machine in machines {
        let labels = [("machine", machine.name.as_str())];
        let is_there = machine.state == MachineState::There;
        text.add("touchmove_machine_up", &labels, u8::from(is_there));
        if let Some(ms) = machine.heard_ago_ms {
            text.add("touchmove_machine_heard_seconds", &labels, seconds(ms));
            text.add("touchmove_machine_unsent_events", &labels, machine.unsent);
        }
        if !is_there {
            continue;
        }
        if let Some(bytes) = machine.free_bytes {
            text.add("touchmove_machine_free_bytes", &labels, bytes);
        }
        if let Some(celsius) = machine.temperature {
            text.add("touchmove_machine_temperature_celsius", &labels, celsius);
        }
        if let Some(ms) = machine.clock_offset_ms {
            let sign = if ms < 0 { "-" } else { "" };
            text.add("touchmove_machine_clock_offset_seconds", &labels, format!("{sign}{}", seconds(ms.unsigned_abs())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_away_has_no_old_figures() {
        let there = MachineReport {
            name: "pi-01".to_owned(),
            state: MachineState::There,
            attention: Vec::new(),
            version: "0.1.0".to_owned(),
            heard_ago_ms: Some(1500),
            unsent: 2,
            free_bytes: Some(12_000_000_000),
            temperature: Some(51.2),
            clock_offset_ms: Some(-42),
            problems: Vec::new(),
            alarm: None,
            boards: 1,
        };
        let silent = MachineReport {
            name: "pi-02".to_owned(),
            state: MachineState::Silent,
            heard_ago_ms: Some(60_000),
            ..there.clone()
        };
        let unheard =
            MachineReport { name: "pi-03".to_owned(), state: MachineState::Unheard, heard_ago_ms: None, ..there.clone() };
        let mut text = MetricsText::default();
        add(&[there, silent, unheard], &mut text);
        let text = text.into_text();
        let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            samples,
            [
                "touchmove_machine_up{machine=\"pi-01\"} 1",
                "touchmove_machine_up{machine=\"pi-02\"} 0",
                "touchmove_machine_up{machine=\"pi-03\"} 0",
                "touchmove_machine_heard_seconds{machine=\"pi-01\"} 1.500",
                "touchmove_machine_heard_seconds{machine=\"pi-02\"} 60.000",
                "touchmove_machine_unsent_events{machine=\"pi-01\"} 2",
                "touchmove_machine_unsent_events{machine=\"pi-02\"} 2",
                "touchmove_machine_free_bytes{machine=\"pi-01\"} 12000000000",
                "touchmove_machine_temperature_celsius{machine=\"pi-01\"} 51.2",
                "touchmove_machine_clock_offset_seconds{machine=\"pi-01\"} -0.042",
            ]
        );
    }
}
