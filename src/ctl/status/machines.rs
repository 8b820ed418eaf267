//! The lines of `touchmovectl status` about the machines of a hall.

use crate::publish::render::machines::{Attention, MachineReport, MachineState};

/// Returns a line about all machines, and one for each that needs attention; nothing if there are no machines.
pub(super) fn describe(machines: &[MachineReport]) -> String {
    if machines.is_empty() {
        return String::new();
    }
    let attention: Vec<&MachineReport> = machines.iter().filter(|machine| !machine.attention.is_empty()).collect();
    let noun = if machines.len() == 1 { "machine" } else { "machines" };
    let mut text = format!("Hall: {} {noun}, {} in need of attention", machines.len(), attention.len());
    for (state, what) in [(MachineState::Unheard, "not heard yet"), (MachineState::Left, "stopped")] {
        let count = machines.iter().filter(|machine| machine.state == state).count();
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text.push('\n');
    for machine in attention {
        text.push_str(&format!("! {}: {}\n", machine.name, needs(machine)));
    }
    text
}

/// Returns what a machine needs, with all reasons in one line.
pub(in crate::ctl) fn needs(machine: &MachineReport) -> String {
    let reasons: Vec<String> = machine.attention.iter().map(|reason| sentence(machine, *reason)).collect();
    reasons.join("; ")
}

/// Returns why a machine needs attention, and what to do where that is not obvious.
fn sentence(machine: &MachineReport, reason: Attention) -> String {
    match reason {
        Attention::Silent => {
            let ago = machine.heard_ago_ms.map_or_else(String::new, |ms| format!(" for {}", duration(ms)));
            format!("silent{ago}: check its power, then its network")
        }
        Attention::Alarm => machine.alarm.clone().unwrap_or_default(),
        Attention::Problems => machine.problems.join("; "),
        Attention::Unsent => format!("{} events are not at the hub yet", machine.unsent),
        Attention::Version => format!("version {} is not the hub's: upgrade the older one", machine.version),
        Attention::Disk => format!("{} MB are free on its disk", machine.free_bytes.unwrap_or(0) / 1_000_000),
        Attention::Temperature => format!("its processor has {:.1} °C: give it air", machine.temperature.unwrap_or(0.0)),
        Attention::Clock => {
            let offset_ms = machine.clock_offset_ms.unwrap_or(0);
            let direction = if offset_ms < 0 { "behind" } else { "ahead of" };
            format!("its clock is {} {direction} the hub's", duration(offset_ms.unsigned_abs()))
        }
    }
}

/// Returns a duration in seconds, from two minutes on in minutes.
fn duration(ms: u64) -> String {
    match ms / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str, state: MachineState, attention: &[Attention]) -> MachineReport {
        MachineReport {
            name: name.to_owned(),
            state,
            attention: attention.to_vec(),
            version: "0.0.9".to_owned(),
            heard_ago_ms: Some(200_000),
            unsent: 1240,
            free_bytes: Some(312_400_000),
            temperature: Some(83.5),
            clock_offset_ms: Some(-4200),
            problems: vec!["no board answers".to_owned(), "no room".to_owned()],
            alarm: Some("another machine has this name".to_owned()),
            boards: 1,
        }
    }

    #[test]
    fn machines_in_need_of_attention_have_a_line_each() {
        use Attention::*;
        let machines = [
            machine("pi-07", MachineState::Silent, &[Silent, Alarm, Unsent]),
            machine("pi-09", MachineState::There, &[Problems, Version, Disk, Temperature, Clock]),
            machine("pi-01", MachineState::Unheard, &[]),
            machine("pi-02", MachineState::There, &[]),
            machine("pi-03", MachineState::Left, &[]),
        ];
        let expected = "Hall: 5 machines, 2 in need of attention, 1 not heard yet, 1 stopped\n\
            ! pi-07: silent for 3 min: check its power, then its network; another machine has this name; \
            1240 events are not at the hub yet\n\
            ! pi-09: no board answers; no room; version 0.0.9 is not the hub's: upgrade the older one; 312 MB are free on \
            its disk; its processor has 83.5 °C: give it air; its clock is 4 s behind the hub's\n";
        assert_eq!(describe(&machines), expected);
        assert_eq!(describe(&machines[3..4]), "Hall: 1 machine, 0 in need of attention\n");
        assert_eq!(describe(&[]), "");
    }
}
