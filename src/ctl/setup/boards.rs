//! The step `boards`: boards whose adapter is built into other devices, too, and that need a `[[board]]`.

use super::machine::Machine;
use super::plan::StepState;
use super::record::Change;
use crate::boards::{self, BOARDS, Model};
use crate::config::board_table::{append, wired_table};
use crate::daemon::hub::BoardId;
use crate::link::BoardLocation;
use crate::link::watch::{self, Device, Verdict};
use anyhow::{Context, bail};
use std::path::PathBuf;
use std::str::FromStr;

/// A board that the user names, as `DEVICE=MODEL`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoardAnswer {
    /// The device node, or a link to it.
    pub device: PathBuf,
    /// The model of the board.
    pub model: &'static Model,
}

impl FromStr for BoardAnswer {
    type Err = String;

    fn from_str(text: &str) -> Result<BoardAnswer, String> {
        let form = "write DEVICE=MODEL, such as /dev/ttyUSB0=certabo";
        let (device, name) = text.rsplit_once('=').ok_or(form)?;
        if !device.starts_with('/') {
            return Err(form.to_owned());
        }
        let model = boards::model(name).ok_or_else(|| {
            let known: Vec<&str> = BOARDS.iter().map(|model| model.name).collect();
            format!("there is no model {name}: write one of {}", known.join(", "))
        })?;
        Ok(BoardAnswer { device: device.into(), model })
    }
}

/// A `[[board]]` to add.
struct NewBoard {
    name: String,
    model: &'static Model,
    place: BoardLocation,
}

/// Returns the devices of this machine; none for another one.
fn devices(machine: &Machine) -> Vec<Device> {
    if machine.is_running() { watch::list().unwrap_or_default() } else { Vec::new() }
}

/// Returns whether a configured board is at this place or device.
fn is_configured(machine: &Machine, place: &BoardLocation, device: Option<&Device>) -> bool {
    machine.config.boards.iter().any(|board| board.place == *place || device.is_some_and(|device| device.is_at(&board.place)))
}

/// Returns the devices that may be boards and that nobody has named, with the models that they may be.
fn unnamed(machine: &Machine) -> Vec<(Device, Vec<&'static Model>)> {
    let of_device = |device: Device| match device.verdict() {
        Verdict::MaybeBoard(models) => Some((device, models)),
        _ => None,
    };
    let mut unnamed: Vec<(Device, Vec<&'static Model>)> = devices(machine).into_iter().filter_map(of_device).collect();
    let answered =
        |device: &Device| machine.answers.boards.iter().any(|answer| device.is_at(&BoardLocation::Port(answer.device.clone())));
    unnamed.retain(|(device, _)| !answered(device) && !is_configured(machine, &device.stable_location(&[]), Some(device)));
    unnamed
}

/// Asks what each device is that may be a board. `choose` asks for one of these models; `no`: it is none.
pub(super) fn ask(
    machine: &Machine,
    choose: impl Fn(&str, &[&str]) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<Vec<BoardAnswer>> {
    let mut answers = Vec::new();
    for (device, models) in unnamed(machine) {
        let names: Vec<&str> = models.iter().map(|model| model.name).collect();
        let title = device.title.as_deref().unwrap_or("an adapter");
        let question = format!("Is {} ({title}) a board, and which", device.node.display());
        let chosen = choose(&question, &names)?.filter(|answer| answer != "no");
        if let Some(model) = chosen.and_then(|name| boards::model(&name)) {
            answers.push(BoardAnswer { device: device.node, model });
        }
    }
    Ok(answers)
}

/// Returns the boards to add. If they are the first in the file, also those that were found by themselves until now.
fn new_boards(machine: &Machine) -> anyhow::Result<Vec<NewBoard>> {
    let devices = devices(machine);
    let mut new: Vec<NewBoard> = Vec::new();
    for BoardAnswer { device: node, model } in &machine.answers.boards {
        let port = BoardLocation::Port(node.clone());
        let device = devices.iter().find(|device| device.is_at(&port));
        if device.is_none() && machine.is_running() && !node.exists() {
            bail!("there is no {}: plug the board in, or see `touchmovectl doctor` for what is plugged in", node.display());
        }
        let place = device.map_or(port, |device| device.stable_location(&devices));
        if !is_configured(machine, &place, device) && !new.iter().any(|board| board.place == place) {
            let name = free_name(machine, &new);
            new.push(NewBoard { name, model, place });
        }
    }
    if machine.config.boards.is_empty() && !new.is_empty() {
        let found = watch::boards_to_serve(&devices);
        let automatic: Vec<NewBoard> = found
            .map(|(device, model)| {
                let place = device.stable_location(&devices);
                // They keep the names that their games have.
                NewBoard { name: BoardId::for_place(model, &place).to_string(), model, place }
            })
            .filter(|board| board.name.len() <= MAX_NAME_LENGTH && !new.iter().any(|other| other.place == board.place))
            .collect();
        new.extend(automatic);
    }
    Ok(new)
}

/// The maximum length of a board's name in the configuration.
const MAX_NAME_LENGTH: usize = 32;

fn free_name(machine: &Machine, new: &[NewBoard]) -> String {
    let is_free = |name: &String| {
        !machine.config.boards.iter().any(|board| board.name == *name) && !new.iter().any(|board| board.name == *name)
    };
    (1..).map(|number: u32| format!("board_{number}")).find(is_free).unwrap_or_default()
}

pub(super) fn examine(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    let new = new_boards(machine)?;
    let unnamed = unnamed(machine);
    let hints = unnamed.iter().map(|(device, models)| {
        let names: Vec<&str> = models.iter().map(|model| model.name).collect();
        let node = device.node.display();
        format!("{node} may be a board ({}): `sudo touchmovectl setup --board {node}=MODEL`", names.join(", "))
    });
    if !new.is_empty() {
        let tables = new.iter().flat_map(|board| {
            let table = wired_table(&board.name, board.model, &board.place);
            table.lines().map(|line| format!("+ {line}")).collect::<Vec<_>>()
        });
        let note = match machine.config.boards.is_empty() {
            true => vec!["from then on only these boards are used, also of those that are told by their USB id".to_owned()],
            false => Vec::new(),
        };
        let file = format!("{}:", machine.path(crate::names::SERVICE_CONFIG).display());
        return Ok(StepState::Pending(std::iter::once(file).chain(tables).chain(note).chain(hints).collect()));
    }
    let devices = devices(machine);
    let found = match machine.config.boards.len() {
        0 => watch::boards_to_serve(&devices)
            .map(|(device, model)| format!("{} on {}", model.title, device.node.display()))
            .collect(),
        _ => machine.config.boards.iter().map(|board| format!("{} at {}", board.name, board.place)).collect::<Vec<_>>(),
    };
    let found = match found.is_empty() {
        true => "none is plugged in: plug one in at any time, it is found then".to_owned(),
        false => found.join(", "),
    };
    let hints: Vec<String> = hints.collect();
    Ok(match hints.is_empty() {
        true => StepState::Done(found),
        false => StepState::Skipped(format!("{found}; {}", hints.join("; "))),
    })
}

pub(super) fn apply(machine: &mut Machine) -> anyhow::Result<()> {
    let count = machine.config.boards.len();
    let new = new_boards(machine)?;
    let mut text = machine.text.clone();
    let mut changes = Vec::new();
    for board in &new {
        let table = wired_table(&board.name, board.model, &board.place);
        text = append(&text, &table);
        changes.push(Change::Board { name: board.name.clone(), table });
    }
    machine.write_config(text)?;
    changes.into_iter().for_each(|change| machine.record.add("boards", change));
    machine.save_record()?;
    let expected = count.saturating_add(new.len());
    (machine.config.boards.len() == expected)
        .then_some(())
        .context("the configuration file has its boards in a form that this program does not change: write them by hand")
}
