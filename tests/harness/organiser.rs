//! An organiser's acts at the desk.

use std::collections::BTreeMap;
use touchmove::desk::{DeskAct, Seat, seats_from_round};
use touchmove::publish::client::{Client, ClientError};
use touchmove::round::{PairingResult, Round};

/// What an organiser does, in terms of the round that is played.
pub trait Organiser {
    /// Loads a round, given as JSON, and starts it. Seats the boards that it names, and those without a seat, in the order of their
    /// names, at the tables without a board.
    async fn load_round(&self, round: &str) -> Result<(), ClientError>;
    /// Swaps the players of two tables.
    async fn swap_tables(&self, one: u16, other: u16) -> Result<(), ClientError>;
    /// Seats a board at a table.
    async fn set_board(&self, table: u16, board: &str) -> Result<(), ClientError>;
    /// Enters a forfeit: the winner is white, black or nobody; empty: the game is played.
    async fn set_forfeit(&self, table: u16, winner: &str) -> Result<(), ClientError>;
}

impl Organiser for Client {
    async fn load_round(&self, round: &str) -> Result<(), ClientError> {
        let round: Round = serde_json::from_str(round).unwrap();
        self.change_desk(&DeskAct::LoadRound { round: round.clone() }).await?;
        let report = self.desk(None).await?;
        let seat = |board: &touchmove::publish::desk::SeatReport| Seat {
            board: board.board.clone(),
            serial_number: board.serial_number.clone(),
        };
        let seated = report.tables.iter().filter_map(|table| Some((table.table, seat(table.seat.as_ref()?))));
        let mut seats: BTreeMap<u16, Seat> = seats_from_round(&round, &seated.collect());
        let is_free = |board: &&touchmove::publish::desk::SeatReport| {
            !seats.values().any(|seat| seat.is_same_board(&board.board, board.serial_number.as_deref()))
        };
        let free: Vec<Seat> = report.unseated.iter().filter(is_free).map(seat).collect();
        let mut tables: Vec<u16> =
            round.pairings.iter().map(|pairing| pairing.table).filter(|table| !seats.contains_key(table)).collect();
        tables.sort_unstable();
        seats.extend(tables.into_iter().zip(free));
        self.change_desk(&DeskAct::SeatAll { seats }).await?;
        self.change_desk(&DeskAct::StartRound { round: round.number }).await
    }

    async fn swap_tables(&self, one: u16, other: u16) -> Result<(), ClientError> {
        self.change_desk(&DeskAct::Swap { round: current_round(self).await?, one, other }).await
    }

    async fn set_board(&self, table: u16, board: &str) -> Result<(), ClientError> {
        self.change_desk(&DeskAct::Seat { table, board: board.to_owned(), serial_number: None }).await
    }

    async fn set_forfeit(&self, table: u16, winner: &str) -> Result<(), ClientError> {
        let result = match winner {
            "white" => Some(PairingResult::WhiteWinsByForfeit),
            "black" => Some(PairingResult::BlackWinsByForfeit),
            "nobody" => Some(PairingResult::BothForfeit),
            _ => None,
        };
        self.change_desk(&DeskAct::Result { round: current_round(self).await?, table, result }).await
    }
}

async fn current_round(client: &Client) -> Result<u16, ClientError> {
    Ok(client.desk(None).await?.current_round.unwrap_or(0))
}
