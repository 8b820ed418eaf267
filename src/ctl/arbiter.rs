//! `touchmovectl arbiter`: what the arbiter decides about a game.

mod acknowledge;
mod confirm;
mod outcome;
mod position;
mod subcommands;
mod written_command;

use super::moves::MoveList;
use super::service::{Service, game, print};
use crate::game::Command;
use crate::publish::client::ClientError;
use crate::publish::dbus::Stream;
use confirm::{Decision, confirm};
use subcommands::Request;

/// Set the result or the position, take back moves, restore positions, and rule on alerts
#[derive(Debug, clap::Args)]
#[command(after_help = subcommands::overview())]
pub struct Args {
    #[command(subcommand)]
    request: Request,
}

/// Sends the command and prints what it did.
///
/// # Errors
/// touchmoved is not reachable, or refuses the command; the message is its own. A move or a ply is not in the game.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let (written, selector, confirmation) = match args.request {
        Request::Position(args) => return position::run(args).await,
        Request::Command { command, game, all_alike: true, .. } => return acknowledge::run(command, &game).await,
        Request::Command { command, game, confirmation, .. } => (command, game, confirmation),
    };
    let client = live(&selector.service)?.connect().await?;
    let snapshot = client.snapshot().await?;
    let before = game(&snapshot, selector.game.as_deref())?;
    let (id, moves) = (before.id, MoveList::read(&client, before.id).await?);
    let command = written.resolve(&moves).map_err(ClientError::Refused)?;
    let name_plies = |error| match error {
        ClientError::Refused(sentence) => ClientError::Refused(moves.name_plies(&sentence)),
        error => error,
    };
    // A result can also be set of a game that has left its board; it removes nothing.
    let sets_result = matches!(command, Command::Result { result: Some(_) });
    let reply = if command.spec().rewrites && !sets_result {
        let decision = confirm(&client, id, &command, confirmation).await;
        match decision.map_err(|error| error.downcast().map_or_else(|other| other, |error| name_plies(error).into()))? {
            Decision::Proceed { seen } => client.send_command_seen(id, &command, seen).await.map_err(name_plies)?,
            Decision::Cancel => return Ok(print("nothing was changed\n")?),
        }
    } else {
        client.send_command(id, &command).await.map_err(name_plies)?
    };
    let snapshot = client.snapshot().await?;
    let after = game(&snapshot, Some(&id.to_string()))?;
    let moves_after = MoveList::read(&client, id).await?;
    let outcome = outcome::describe(&command, &reply, after, &before.alerts, &moves, &moves_after);
    Ok(print(&format!("game {id} on {}: {outcome}\n", after.board))?)
}

/// Returns the service if it uses the live stream: spectators cannot send commands.
fn live(service: &Service) -> Result<&Service, ClientError> {
    match service.stream() {
        Stream::Live | Stream::Operator => Ok(service),
        Stream::Broadcast => {
            Err(ClientError::Refused("the broadcast stream accepts no commands: leave --broadcast out".to_owned()))
        }
    }
}
