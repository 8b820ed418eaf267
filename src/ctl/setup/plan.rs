//! The steps of setup, and which of them have something to do.

use super::machine::Machine;
use super::{boards, certificate, event, group, network_names, page, service};
use crate::ctl::service::print;
use anyhow::Context;
use std::fmt::Write;

/// A step.
pub(super) struct Step {
    /// The word for `--undo`.
    pub name: &'static str,
    /// What it does.
    pub title: &'static str,
    /// Why.
    pub why: &'static str,
    /// Returns what it has to do. `is_after_change`: an earlier step changes something.
    pub examine: fn(&Machine, is_after_change: bool) -> anyhow::Result<StepState>,
    /// Does it.
    pub apply: fn(&mut Machine) -> anyhow::Result<()>,
}

/// What a step has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StepState {
    /// Nothing: it is as it should be, as the sentence says.
    Done(String),
    /// These changes, one line each.
    Pending(Vec<String>),
    /// Nothing, for this reason, which says what a user can do.
    Skipped(String),
}

/// All steps, in the order in which they are carried out.
pub(super) static STEPS: &[Step] = &[
    Step {
        name: "event",
        title: "name the event and its place",
        why: "they are on the page and in every PGN",
        examine: event::examine_event,
        apply: event::apply_event,
    },
    Step {
        name: "laws",
        title: "choose the Laws of Chess",
        why: "the edition and the time class decide which irregularities are reported, and what the arbiter has to do",
        examine: event::examine_laws,
        apply: event::apply_laws,
    },
    Step {
        name: "boards",
        title: "name the boards that cannot be told by their USB id",
        why: "nothing is sent to an adapter that other devices contain, too, until somebody says that it is a board",
        examine: boards::examine,
        apply: boards::apply,
    },
    Step {
        name: "certificate",
        title: "make a certificate for the page",
        why: "logins cross a network only encrypted. The CA is of this machine alone, and can sign for private names and addresses only",
        examine: certificate::examine,
        apply: certificate::apply,
    },
    Step {
        name: "page",
        title: "switch the page on",
        why: "spectators, operators and arbiters open it with a telephone. systemd then allows the service that port, by the generator \
              of the package",
        examine: page::examine,
        apply: page::apply,
    },
    Step {
        name: "name",
        title: "announce the page in the network",
        why: "programs that browse the network by mDNS list it; the name itself is that of this machine",
        examine: network_names::examine,
        apply: network_names::apply,
    },
    Step {
        name: "service",
        title: "start touchmoved with these settings",
        why: "it reads its configuration when it starts. A game that is being played goes on",
        examine: service::examine,
        apply: service::apply,
    },
    Step {
        name: "group",
        title: "let a user of this machine be an arbiter",
        why: "touchmovectl shows alerts, and gives rulings, only to root and this group",
        examine: group::examine,
        apply: group::apply,
    },
];

/// Returns the step with this name.
pub(super) fn step(name: &str) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.name == name)
}

/// What each step has to do.
pub(super) struct Plan(Vec<(&'static Step, StepState)>);

impl Plan {
    /// Examines all steps. Nothing is changed.
    ///
    /// # Errors
    /// Something cannot be examined.
    pub(super) fn make(machine: &Machine) -> anyhow::Result<Plan> {
        let (mut steps, mut has_changes) = (Vec::new(), false);
        for step in STEPS {
            let state = (step.examine)(machine, has_changes).with_context(|| format!("step \"{}\"", step.name))?;
            has_changes |= matches!(state, StepState::Pending(_));
            steps.push((step, state));
        }
        Ok(Plan(steps))
    }

    /// Returns whether no step has anything to do.
    pub(super) fn is_empty(&self) -> bool {
        !self.0.iter().any(|(_, state)| matches!(state, StepState::Pending(_)))
    }

    /// Describes every step, with its reason if it has something to do.
    pub(super) fn describe(&self) -> String {
        let mut text = String::new();
        for (step, state) in &self.0 {
            let _ = match state {
                StepState::Done(sentence) => writeln!(text, "✓ {}: {sentence}", step.name),
                StepState::Skipped(reason) => writeln!(text, "· {}: {reason}", step.name),
                StepState::Pending(lines) => {
                    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
                    writeln!(text, "→ {}: {}\n  {}.\n{}", step.name, step.title, step.why, lines.trim_end())
                }
            };
        }
        text + "\n"
    }

    /// Does what has to be done, and says so.
    ///
    /// # Errors
    /// A step fails; those before it stay done.
    pub(super) fn carry_out(&self, machine: &mut Machine) -> anyhow::Result<()> {
        for (step, state) in &self.0 {
            if matches!(state, StepState::Pending(_)) {
                (step.apply)(machine).with_context(|| format!("step \"{}\" failed", step.name))?;
                print(&format!("✓ {}\n", step.title))?;
            }
        }
        Ok(())
    }
}
