//! Carries out the commands of the hub, each at most once, and none that the hub does not wait for any more.

use super::health::read_from_hub;
use super::time::HubClock;
use crate::daemon::Hub;
use crate::daemon::hub::{BoardId, OrderError, StoredGameState, Target};
use crate::daemon::journal::CommandState;
use crate::daemon::steady_clock;
use crate::game::rights::Audience;
use crate::game::{Answer, Text};
use crate::hall::connection::{Connection, is_copy};
use crate::hall::message::command::{Action, CommandReply, CommandRequest, RefusedCommand, ReplyMessage};
use crate::hall::message::continuation::ContinuedGame;
use crate::hall::message::{MessageError, to_json};
use crate::hall::subject;
use crate::wire::order_from_value;
use futures_util::StreamExt;
use std::sync::Arc;
use tracing::warn;

/// Serves commands until it is aborted.
pub(super) async fn run(connection: Connection, hub: Arc<Hub>, machine: String, clock: Arc<HubClock>) {
    let mut requests = match connection.client().subscribe(subject::commands(&machine)).await {
        Ok(requests) => requests,
        Err(error) => return warn!("commands of the hall's hub cannot be received: {error}"),
    };
    let hub_inbox = format!("{}.", subject::inbox(subject::HUB));
    while let Some(message) = requests.next().await {
        let Some(reply_to) = message.reply.clone() else { continue };
        if is_copy(&message) || !reply_to.starts_with(&hub_inbox) {
            continue;
        }
        let (connection, hub, machine, clock) = (connection.clone(), Arc::clone(&hub), machine.clone(), Arc::clone(&clock));
        // A command may wait for the disk, and must not hold up the others.
        tokio::spawn(async move {
            let reply = reply(&connection, &hub, &machine, &clock, &message.payload).await;
            connection.publish(reply_to.to_string(), to_json(&ReplyMessage { reply })).await;
        });
    }
}

fn refused(code: &str, message: String) -> CommandReply {
    let (code, text, changed_since, differing) = (code.to_owned(), None, None, None);
    CommandReply::Refused(RefusedCommand { code, message, text, changed_since, differing })
}

/// Refuses a command of a hub that another one has replaced.
fn old_term(machine: &str) -> CommandReply {
    let message = format!(
        "another computer is the hub of the hall now, so machine {machine} does not accept commands of this one: give the command there"
    );
    let text = Some(Text::new("order-old_term").with("machine", machine.to_owned()));
    let (changed_since, differing) = (None, None);
    CommandReply::Refused(RefusedCommand { code: "OldTerm".to_owned(), message, text, changed_since, differing })
}

async fn reply(connection: &Connection, hub: &Hub, machine: &str, clock: &HubClock, payload: &[u8]) -> CommandReply {
    let request: CommandRequest = match read_from_hub(hub, payload) {
        Ok(request) => request,
        Err(MessageError::Newer { .. }) => {
            return refused(
                "Refused",
                format!("touchmove on {machine} is older than on the hub, and does not know this command"),
            );
        }
        Err(MessageError::Malformed(reason)) => {
            return refused("Refused", format!("{machine} cannot read the command: {reason}"));
        }
    };
    if clock.now_ms(&request.hub).is_none() {
        // The hub was started after its time was last asked.
        // Without an answer, the reading before stays.
        let _ = clock.ask(connection, machine).await;
    }
    if !clock.note_term(request.term) {
        return old_term(machine);
    }
    let is_expired = clock.now_ms(&request.hub).is_none_or(|now_ms| now_ms > request.expires_ms);
    if is_expired {
        return refused("Refused", format!("the command reached {machine} too late, and was not carried out: give it again"));
    }
    let is_preview = matches!(request.action, Action::Preview(_));
    if is_preview {
        return execute(hub, request).await;
    }
    let id = request.id.clone();
    match hub.journal().begin_command(&id, steady_clock::unix_ms()).await {
        Ok(None) => {}
        Ok(Some(CommandState::Done(outcome))) => {
            let known = serde_json::from_str(&outcome).ok();
            return known.unwrap_or_else(|| refused("Refused", "the command was carried out before".to_owned()));
        }
        Ok(Some(CommandState::Begun)) => {
            let message =
                format!("{machine} was interrupted while it carried out this command: look at the game before you repeat it");
            return refused("Refused", message);
        }
        Err(error) => return refused("JournalFull", OrderError::JournalFull(error.to_string()).to_string()),
    }
    // Storing may have taken long.
    let is_expired = clock.now_ms(&request.hub).is_none_or(|now_ms| now_ms > request.expires_ms);
    let reply = match is_expired {
        // Another hub may have been heard meanwhile.
        _ if !clock.note_term(request.term) => old_term(machine),
        true => refused(
            "Refused",
            format!("{machine} was too busy for the command in time, and did not carry it out: give it again"),
        ),
        false => execute(hub, request).await,
    };
    let outcome = serde_json::to_string(&reply).unwrap_or_default();
    if let Err(error) = hub.journal().finish_command(&id, &outcome).await {
        warn!("the outcome of a command cannot be stored: {error}");
    }
    reply
}

async fn execute(hub: &Hub, request: CommandRequest) -> CommandReply {
    let board = BoardId::new(&request.board);
    let target = match &request.game {
        None => Target::Board(board.clone()),
        Some((journal, game)) => match hub.journal().birth_journal(*game) {
            Ok(birth) if birth == *journal => Target::Game(*game),
            _ => return refused("NoSuchGame", OrderError::NoSuchGame(*game).to_string()),
        },
    };
    let current = || hub.read(|state| state.boards.get(&board).and_then(|view| view.game));
    // A game that has left its board. A command for the one on the board may begin another, as one that continues a game does.
    let past = match (&target, &request.action) {
        (Target::Game(game), Action::Order(_) | Action::Preview(_) | Action::Identify) => {
            Some(*game).filter(|game| current() != Some(*game))
        }
        (Target::Board(_), _) | (_, Action::Continue(_)) => None,
    };
    let outcome = match request.action {
        Action::Identify => hub.identify(&board).await.map(|()| Answer::Done),
        Action::Order(order) => match order_from_value(&order) {
            Ok(order) => hub.execute_after(&target, order, request.seen).await,
            Err(error) => return refused("Refused", error.to_string()),
        },
        Action::Preview(order) => match order_from_value(&order) {
            Ok(order) => hub.preview(target, order, Audience::Arbiter).await,
            Err(error) => return refused("Refused", error.to_string()),
        },
        Action::Continue(continued) => match continue_game(hub, target, &board, &continued).await {
            Ok(outcome) => outcome.map(|()| Answer::Done),
            Err(error) => return refused("Refused", error.to_string()),
        },
    };
    match outcome {
        Ok(answer) => {
            let game = past.or_else(current).and_then(|id| {
                let last = hub.game(id).ok()??.record.last_number;
                Some((hub.journal().birth_journal(id).ok()?, id, last))
            });
            CommandReply::Done { answer, game }
        }
        Err(error) => {
            let changed_since = if let OrderError::Changed { seen, .. } = &error { Some(*seen) } else { None };
            let text = if let OrderError::Refused(refusal) = &error { Some(Text::from(refusal)) } else { None };
            let differing = match &error {
                OrderError::PositionNotSetUp { squares, .. } => Some(squares.iter().map(ToString::to_string).collect()),
                _ => None,
            };
            let (code, message) = (error.code().name().to_owned(), error.to_string());
            CommandReply::Refused(RefusedCommand { code, message, text, changed_since, differing })
        }
    }
}

/// Continues a game on a board. The outer error: the command cannot be read.
async fn continue_game(
    hub: &Hub,
    target: Target,
    board: &BoardId,
    continued: &ContinuedGame,
) -> Result<Result<(), OrderError>, MessageError> {
    let order = continued.order()?;
    Ok(match (target, &continued.sent) {
        (_, Some(sent)) => {
            let game = StoredGameState { epoch_wall_ms: sent.epoch_wall_ms, events: sent.events()?, cut_from: None };
            hub.continue_foreign_game(game, board, order).await
        }
        (Target::Game(game), None) => hub.continue_own_game(game, board, order).await,
        (Target::Board(board), None) => Err(OrderError::NoGameToContinue(board)),
    })
}
