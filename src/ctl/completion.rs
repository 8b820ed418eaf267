//! Completion in the shell: names of boards, games, tables, alerts and moves, from the touchmoved that runs.
//!
//! The scripts under `config/generated/completions` run this program at each press of the tab key. If touchmoved does not run, or
//! does not reply in time, nothing is suggested, and nothing is printed.

use super::moves::MoveList;
use super::service;
use crate::boards::BOARDS;
use crate::game::words::Word as _;
use crate::publish::client::{Client, ClientError, GameInfo, IfNotRunning, Snapshot};
use crate::publish::dbus::{Bus, Stream};
use clap::builder::StyledStr;
use clap_complete::engine::CompletionCandidate;
use clap_complete::{ArgValueCandidates, CompleteEnv};
use std::time::Duration;

/// Maximum time for a reply: a user is waiting.
const TIMEOUT: Duration = Duration::from_millis(700);

/// Replies to the shell and exits, if the shell requests completions.
pub(super) fn complete(command: fn() -> clap::Command) {
    CompleteEnv::with_factory(command).complete();
}

/// Completes the name of a board.
pub(super) fn boards() -> ArgValueCandidates {
    ArgValueCandidates::new(|| read(async |client, _| Ok(board_candidates(&client.snapshot().await?))))
}

/// Completes the number of a game, or the name of its board.
pub(super) fn games() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        read(async |client, _| {
            let snapshot = client.snapshot().await?;
            let game = |game: &GameInfo| candidate(&game.id.to_string(), &describe(game));
            // The last games first: they are the ones that are looked at.
            Ok(snapshot.games.iter().rev().map(game).chain(board_candidates(&snapshot)).collect())
        })
    })
}

/// Completes the number of a playing table.
pub(super) fn tables() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        read(async |client, _| {
            let pairings = client.round().await?.0.map(|round| round.pairings).unwrap_or_default();
            let table = |pairing: &crate::round::Pairing| {
                candidate(&pairing.table.to_string(), &format!("{} - {}", pairing.white.name, pairing.black.name))
            };
            Ok(pairings.iter().map(table).collect())
        })
    })
}

/// Completes the number of an open alert of the game that is meant.
pub(super) fn alerts() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        read(async |client, words| {
            let snapshot = client.snapshot().await?;
            let game = service::game(&snapshot, words.value("--game"))?;
            Ok(game.alerts.iter().map(|alert| candidate(&alert.id.to_string(), &alert.sentence)).collect())
        })
    })
}

/// Completes a move on record of the game that is meant.
pub(super) fn moves() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        read(async |client, words| {
            let snapshot = client.snapshot().await?;
            let moves = MoveList::read(&client, service::game(&snapshot, words.value("--game"))?.id).await?;
            let name = |ply| Some(candidate(&moves.name(ply)?, &moves.place(ply)));
            Ok((1..=moves.len()).rev().filter_map(name).collect())
        })
    })
}

/// Completes the name of a player who has a bye in the round that is meant.
pub(super) fn byes() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        read(async |client, words| {
            let number = words.value("--round").and_then(|number| number.parse().ok());
            let byes = client.desk(number).await?.round.map(|round| round.byes).unwrap_or_default();
            Ok(byes.iter().map(|bye| candidate(&bye.player.name, bye.kind.word())).collect())
        })
    })
}

/// Completes the model of a board.
pub(super) fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(|| BOARDS.iter().map(|model| candidate(model.name, model.title)).collect())
}

fn board_candidates(snapshot: &Snapshot) -> Vec<CompletionCandidate> {
    snapshot.boards.iter().map(|board| candidate(&board.id, &format!("{}, {}", board.model_title, board.state))).collect()
}

/// Returns who plays a game, or on which board.
fn describe(game: &GameInfo) -> String {
    let name = |tag: &str| game.tags.get(tag).map(String::as_str).filter(|name| !matches!(*name, "" | "?"));
    match (name("White"), name("Black")) {
        (Some(white), Some(black)) => format!("{white} - {black}, {}", game.result),
        _ => format!("on {}, {}", game.board, game.result),
    }
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(StyledStr::from(help.to_owned())))
}

/// The words of the command line that is being completed.
struct Words(Vec<String>);

impl Words {
    fn of_command_line() -> Words {
        Words(std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    /// Returns the value of an option, such as `--bus session` or `--bus=session`.
    fn value(&self, option: &str) -> Option<&str> {
        let at = self.0.iter().position(|word| word == option);
        let next = at.and_then(|at| self.0.get(at + 1)).map(String::as_str);
        next.or_else(|| self.0.iter().find_map(|word| word.strip_prefix(option)?.strip_prefix('=')))
    }
}

/// Reads candidates from the running touchmoved, which is not started for that; none if that fails or takes too long.
fn read(
    candidates: impl AsyncFnOnce(Client, Words) -> Result<Vec<CompletionCandidate>, ClientError>,
) -> Vec<CompletionCandidate> {
    let words = Words::of_command_line();
    let stream = if words.0.iter().any(|word| word == "--broadcast") { Stream::Broadcast } else { Stream::Live };
    let bus: Option<Bus> = words.value("--bus").and_then(|bus| bus.parse().ok());
    let buses = bus.map_or_else(Bus::search_order, |bus| vec![bus]);
    let found = async {
        let client = service::connect(&buses, stream, IfNotRunning::Fail).await.ok()?;
        candidates(client, words).await.ok()
    };
    let found = super::block_on(async { tokio::time::timeout(TIMEOUT, found).await.ok().flatten() });
    found.ok().flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_both_forms() {
        let words = |line: &str| Words(line.split(' ').map(str::to_owned).collect());
        assert_eq!(words("touchmovectl -- touchmovectl board --bus session").value("--bus"), Some("session"));
        assert_eq!(words("arbiter restore --game=17 --bus").value("--game"), Some("17"));
        assert_eq!(words("arbiter restore --game=17 --bus").value("--bus"), None);
    }
}
