//! The organiser of a demonstration: loads the rounds, seats the boards, and enters the results that no board has shown.

use super::board::DemoBoard;
use super::field::Field;
use super::games::DemoGames;
use crate::desk::{DeskAct, Seat};
use crate::publish::client::{Client, ClientError};
use crate::round::PairingResult;
use crate::wire::Word;
use std::fmt::Write;

/// Seats each board at its table.
pub(super) async fn seat(client: &Client, boards: &[DemoBoard]) -> Result<(), ClientError> {
    let seat = |board: &DemoBoard| (board.table, Seat { board: board.name.clone(), serial_number: None });
    client.change_desk(&DeskAct::SeatAll { seats: boards.iter().map(seat).collect() }).await
}

/// Loads the round of this number, and starts it.
pub(super) async fn start_round(client: &Client, field: &Field, number: u16) -> Result<(), ClientError> {
    client.change_desk(&DeskAct::LoadRound { round: field.round(number) }).await?;
    client.change_desk(&DeskAct::StartRound { round: number }).await
}

/// Enters the results that are missing, from the score sheets. Returns the results of the round as text, which names the tables for which
/// they were entered.
pub(super) async fn enter_results(client: &Client, games: &DemoGames, number: u16) -> anyhow::Result<String> {
    let report = client.desk(Some(number)).await?;
    let (mut text, mut entered) = (format!("Round {number} is over.\n"), Vec::new());
    for table in &report.tables {
        let mut result = table.result;
        if result.is_none() {
            result = games.game(number, table.table)?.result.map(PairingResult::from);
            client.change_desk(&DeskAct::Result { round: number, table: table.table, result }).await?;
            entered.push(table.table.to_string());
        }
        let Some(pairing) = report.round.as_ref().and_then(|round| round.table(table.table)) else { continue };
        let (white, black) = (pairing.white.titled_name(), pairing.black.titled_name());
        writeln!(text, "  {:>2}  {white} - {black}  {}", table.table, result.map_or("*", |result| result.word()))?;
    }
    if !entered.is_empty() {
        writeln!(text, "  Entered from the score sheets, because the boards did not show them: table {}.", entered.join(", "))?;
    }
    Ok(text)
}
