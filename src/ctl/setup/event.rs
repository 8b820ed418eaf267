//! The steps `event` and `laws`: keys of the configuration file.

use super::answers::{event_keys, laws_keys};
use super::keys;
use super::machine::Machine;
use super::plan::StepState;
use crate::laws::LawsWord;

pub(super) fn examine_event(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    let tags = &machine.config.tags;
    let done = || match (tags.event.as_str(), tags.site.as_str()) {
        ("?", "?") => "it has no name yet: name it on the page, or with --event NAME --place PLACE".to_owned(),
        (event, "?") => event.to_owned(),
        (event, site) => format!("{event}, {site}"),
    };
    Ok(keys::examine(machine, &event_keys(&machine.answers), done))
}

pub(super) fn apply_event(machine: &mut Machine) -> anyhow::Result<()> {
    let wanted = event_keys(&machine.answers);
    keys::apply(machine, "event", &wanted)
}

pub(super) fn examine_laws(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    let laws = machine.config.laws();
    let done = || format!("{}, {}", laws.edition.name, laws.class.word());
    Ok(keys::examine(machine, &laws_keys(&machine.answers), done))
}

pub(super) fn apply_laws(machine: &mut Machine) -> anyhow::Result<()> {
    let wanted = laws_keys(&machine.answers);
    keys::apply(machine, "laws", &wanted)
}
