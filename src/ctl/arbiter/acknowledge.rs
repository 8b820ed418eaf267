//! Acknowledging all alerts of one kind in a game.

use super::live;
use super::subcommands::GameSelector;
use super::written_command::WrittenCommand;
use crate::ctl::moves::MoveList;
use crate::ctl::service::{game, print};
use crate::game::Command;
use crate::publish::client::{AlertInfo, ClientError};

/// Acknowledges the alert that the command names and those of the same kind, one after the other, as long as nothing else happens in
/// the game.
///
/// # Errors
/// touchmoved is not reachable, or refuses a command; there is no such alert.
pub(super) async fn run(written: WrittenCommand, selector: &GameSelector) -> anyhow::Result<()> {
    let client = live(&selector.service)?.connect().await?;
    let snapshot = client.snapshot().await?;
    let game = game(&snapshot, selector.game.as_deref())?;
    let moves = MoveList::read(&client, game.id).await?;
    let command = written.resolve(&moves).map_err(ClientError::Refused)?;
    let closed = alike(&game.alerts, &command);
    for alert in &closed {
        client.send_command_seen(game.id, &Command::Acknowledge { alert: *alert }, game.last_number).await?;
    }
    let closed: Vec<String> = closed.iter().map(u32::to_string).collect();
    Ok(print(&format!("game {} on {}: these alerts are closed: {}\n", game.id, game.board, closed.join(", ")))?)
}

/// Returns the numbers of the alert that the command names and of those of the same kind.
fn alike(alerts: &[AlertInfo], command: &Command) -> Vec<u32> {
    let Command::Acknowledge { alert } = command else { return Vec::new() };
    let named = alerts.iter().find(|known| known.id == *alert);
    let others = alerts.iter().filter(|known| known.id != *alert && named.is_some_and(|named| named.kind == known.kind));
    std::iter::once(*alert).chain(others.map(|known| known.id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_of_the_same_kind_are_alike() {
        let alert = |(id, kind): (u32, &str)| AlertInfo {
            id,
            kind: kind.to_owned(),
            ply: 0,
            articles: Vec::new(),
            sentence: String::new(),
        };
        let alerts = [(1, "moves_uncertain"), (2, "illegal_move"), (3, "moves_uncertain")].map(alert);
        let closed = |alert| alike(&alerts, &Command::Acknowledge { alert });
        assert_eq!([closed(3), closed(2), closed(7)], [vec![3, 1], vec![2], vec![7]]);
    }
}
