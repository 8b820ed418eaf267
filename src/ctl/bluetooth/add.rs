//! `touchmovectl bluetooth add`.

use super::scan::listen;
use crate::boards::{self, Model};
use crate::config::board_table::{append, bluetooth_table};
use crate::config::{BoardConfig, Config};
use crate::ctl::completion;
use crate::ctl::config_file::{Change, Place, with_sign};
use crate::link::BoardLocation;
use crate::link::bluetooth::{Address, Confirmation, Device, Guess, Objects, Radio, confirm_model, guess};
use anyhow::{Context, bail};
use std::time::Duration;

/// How long the board is listened for at most if its model was not given.
const LISTEN_TIME: Duration = Duration::from_secs(8);

/// Use the board with this address from now on
///
/// Adds a [[board]] to the configuration file, after showing it and asking. The model is guessed from what the board advertises,
/// unless it is given. Boards of several makers have the Nordic UART service: of these, a name is not enough, and the board is asked
/// with one request that harms none of them. Nothing else is sent to it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sudo touchmovectl bluetooth add AA:BB:CC:DD:EE:FF
  sudo touchmovectl bluetooth add AA:BB:CC:DD:EE:FF --model chessnut --name table_1")]
pub(super) struct Args {
    /// The address of the board
    #[arg(value_parser = super::address)]
    address: Address,
    /// The model of the board [default: as it advertises itself]
    #[arg(long, value_name = "MODEL", value_parser = model, add = completion::models())]
    model: Option<&'static Model>,
    /// The name of the board: letters A–Z, digits or _ [default: board_1, or the next number]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    place: Place,
}

fn model(name: &str) -> Result<&'static Model, String> {
    boards::model(name).filter(|model| model.bluetooth().is_some()).ok_or_else(|| format!("write one of {}", known_models()))
}

fn known_models() -> String {
    boards::bluetooth_models().map(|model| model.name).collect::<Vec<_>>().join(", ")
}

/// Runs the subcommand.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let file = args.place.read()?;
    if let Some(board) = board_at(&file.config, args.address) {
        bail!("{} is in the configuration already, as {}", args.address, board.name);
    }
    let (model, reason) = match args.model {
        Some(model) => (model, None),
        None => identify(args.address).await.map(|(model, reason)| (model, Some(reason)))?,
    };
    let name = args.name.unwrap_or_else(|| free_name(&file.config));
    let table = bluetooth_table(&name, model, args.address);
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    let mut notes = vec![format!("{}: a {}{reason}", args.address, model.title)];
    if file.config.boards.is_empty() {
        notes.push(
            "From then on only configured boards are used: a board that is found by its USB id needs a [[board]], too."
                .to_owned(),
        );
    }
    let boards = file.config.boards.len().saturating_add(1);
    let change = Change { text: append(&file.text, &table), lines: with_sign('+', &table), boards };
    args.place.change(&file, &change, &notes)
}

/// Returns the configured board with this address.
pub(super) fn board_at(config: &Config, address: Address) -> Option<&BoardConfig> {
    config.boards.iter().find(|board| board.place == BoardLocation::Bluetooth(address))
}

/// Listens for a board, and returns which one it is, and why.
async fn identify(address: Address) -> anyhow::Result<(&'static Model, String)> {
    let advice = || format!("give its model: --model with one of {}", known_models());
    // Models that share a service are told apart by their names, which may be received later.
    let is_clear = |guess: Guess, name: &Option<String>| match guess.models.len() {
        0 => false,
        1 => true,
        _ => name.is_some(),
    };
    let is_known = |device: &Device| device.is_received && guess(device).is_some_and(|guess| is_clear(guess, &device.name));
    let is_at_address = |device: &&Device| device.address == address;
    let is_enough = |objects: &Objects| objects.devices.iter().filter(is_at_address).any(is_known);
    let objects = listen(LISTEN_TIME, is_enough).await.with_context(advice)?;
    let mut devices = objects.devices.iter().filter(is_at_address);
    let device = devices
        .clone()
        .find(|device| is_known(device))
        .or(devices.next())
        .with_context(|| format!("{address} is not near: switch it on, or {}", advice()))?;
    let unclear = || format!("the advertisement of {address} does not identify its model: {}", advice());
    let guess = guess(device).with_context(unclear)?;
    match (guess.confirmation(), guess.models.as_slice()) {
        (Confirmation::NotNeeded, [model]) => Ok((*model, guess.evidence.to_string())),
        (Confirmation::NotNeeded | Confirmation::Unclear, _) => bail!(unclear()),
        (Confirmation::User, models) => bail!(
            "{}, and no request confirms a {} without harm to boards of other makers: if it is one, give {}",
            guess.evidence,
            titles(models),
            options(models)
        ),
        (Confirmation::Handshake, _) => confirm(address, &guess).await,
    }
}

/// Asks a board that only its name makes known which model it is.
async fn confirm(address: Address, guess: &Guess) -> anyhow::Result<(&'static Model, String)> {
    let confirmed = confirm_model(&Radio::default(), address, &guess.models, std::future::pending()).await?;
    match confirmed.unwrap_or_default().as_slice() {
        [model] => Ok((*model, format!("{}, and it answers like one", guess.evidence))),
        [] => bail!(
            "{}, but it does not answer like a {}: switch it off and on, or, if it is one, give {}",
            guess.evidence,
            titles(&guess.models),
            options(&guess.models)
        ),
        several => bail!("{address} sends what several models send: give {}", options(several)),
    }
}

fn titles(models: &[&'static Model]) -> String {
    models.iter().map(|model| model.title).collect::<Vec<_>>().join(" or ")
}

/// Returns the options that name these models.
fn options(models: &[&'static Model]) -> String {
    models.iter().map(|model| format!("--model {}", model.name)).collect::<Vec<_>>().join(" or ")
}

/// Returns the first of `board_1`, `board_2` … that no board has.
fn free_name(config: &Config) -> String {
    let is_free = |name: &String| {
        !config.boards.iter().any(|board| board.name == *name || board.names.values().any(|other| other == name))
    };
    (1..=u32::MAX).map(|number| format!("board_{number}")).find(is_free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_given_twice() {
        let config = |text: &str| Config::parse(text).unwrap();
        assert_eq!(free_name(&Config::default()), "board_1");
        let text = "[[board]]\nname = 'board_1'\nport = '/dev/a'\n[[board]]\nname = 'line'\nmodel = 'dgt-bus'\nport = '/dev/b'\n\
                    names = '1 = board_2'\n";
        assert_eq!(free_name(&config(text)), "board_3");
    }

    #[test]
    fn only_models_with_bluetooth_are_accepted() {
        assert!(model("chessnut").is_ok());
        assert!(model("matrix").unwrap_err().contains("chessnut"));
    }
}
