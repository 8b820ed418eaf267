//! `touchmovectl arbiter`: what the arbiter decides about a game.

mod position;
mod subcommands;

use super::diagram::last_move;
use super::service::{Service, game, print};
use crate::game::Command;
use crate::laws::LawsWord;
use crate::publish::client::{ClaimVerdict, ClientError, Reply};
use crate::publish::dbus::Stream;
use shakmaty::Color;
use subcommands::Request;

/// Set the result or the position, take back moves, restore positions, and rule on alerts
#[derive(Debug, clap::Args)]
#[command(after_help = subcommands::overview())]
pub struct Args {
    #[command(subcommand)]
    request: Request,
}

/// Sends the command and prints its result.
///
/// # Errors
/// If touchmoved is not reachable or refuses the command; the message is its own.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let (command, selector) = match args.request {
        Request::Position(args) => return position::run(args).await,
        Request::Command { command, game } => (command, game),
    };
    let client = live(&selector.service)?.connect().await?;
    let id = game(&client.snapshot().await?, selector.game.as_deref())?.id;
    let reply = client.send_command(id, &command).await?;
    let snapshot = client.snapshot().await?;
    let game = game(&snapshot, Some(&id.to_string()))?;
    let last = last_move(&game.start, game.moves.iter().map(|ply| ply.san.as_str()));
    let name = |player: Color| player.fold_wb("White", "Black");
    let outcome = match command {
        Command::Result { .. } => format!("the result is {}", game.result),
        Command::TakeBack { .. } => {
            last.map_or_else(|| "no move is left".to_owned(), |last| format!("the last move is now {last}"))
        }
        Command::Adjust { player } => format!("{} adjusts pieces", name(player)),
        Command::Acknowledge { alert } => format!("alert {alert} is closed"),
        Command::LetStand { alert } => format!("alert {alert} is closed, and its move stands"),
        Command::Count { player, irregularity } => format!("{} was counted for {}", irregularity.word(), name(player)),
        Command::Strike { player, ply } => format!("{}'s last irregularity at ply {ply} was removed", name(player)),
        Command::ClockNote { .. } => "the times were recorded".to_owned(),
        Command::Laws { laws } => format!("the Laws are now {laws}"),
        Command::Tags { tags } => format!("{} tags were set", tags.len()),
        Command::Pause { paused: true } => "paused".to_owned(),
        Command::Pause { paused: false } => "resumed".to_owned(),
        // The answer, or the position that it led to, says what it did.
        _ => describe_reply(&reply, &game.fen),
    };
    Ok(print(&format!("game {id} on {}: {outcome}\n", game.board))?)
}

fn describe_reply(reply: &Reply, fen: &str) -> String {
    match reply {
        Reply::AllowedMoves(allowed) if !allowed.is_empty() => {
            format!("the position is {fen}\nthe touched pieces allow: {}", allowed.join(" "))
        }
        Reply::Claim(verdict) => describe_claim(verdict),
        Reply::Undone { command, argument } => format!("undone: {command} {argument}").trim_end().to_owned(),
        Reply::Done | Reply::AllowedMoves(_) => format!("the position is {fen}"),
    }
}

fn describe_claim(verdict: &ClaimVerdict) -> String {
    let plies: Vec<String> = verdict.occurrences.iter().map(u32::to_string).collect();
    let mut text = format!("{}\nthe position occurred after plies {}", verdict.sentence, plies.join(", "));
    text.push_str(&format!("\nmoves of both players without a capture or a pawn move: {}", verdict.plies_without_progress));
    if !verdict.required.is_empty() {
        text.push_str(&format!("\nthe Laws require: {} ({})", verdict.required.join(", "), verdict.articles.join(", ")));
    }
    text
}

/// Returns the service if it uses the live stream: spectators cannot send commands.
fn live(service: &Service) -> Result<&Service, ClientError> {
    match service.stream() {
        Stream::Live => Ok(service),
        Stream::Broadcast => {
            Err(ClientError::Refused("the broadcast stream accepts no commands: leave --broadcast out".to_owned()))
        }
    }
}
