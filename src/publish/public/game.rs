//! A game with all its moves.

use super::opening::{self, Opening};
use super::player::PublicPlayer;
use super::table::{PublicTable, TableState};
use crate::daemon::hub::GameView;
use crate::game::pgn::times;
use crate::game::record::Ply;
use crate::publish::render::numbered_move::side_to_move;
use serde::Serialize;

/// A game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PublicGame {
    /// The round.
    pub round: u16,
    /// The table.
    pub table: u16,
    /// The part of the tournament.
    pub section: Option<String>,
    /// Who has White.
    pub white: PublicPlayer,
    /// Who has Black.
    pub black: PublicPlayer,
    /// The address of the PGN.
    pub pgn: String,
    /// When it began.
    pub started: i64,
    /// The start position.
    pub start_fen: String,
    /// The state of the table.
    pub state: TableState,
    /// The opening.
    pub opening: Option<Opening>,
    /// All moves.
    pub moves: Vec<PublicMove>,
}

/// A move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct PublicMove {
    /// In SAN.
    pub san: String,
    /// In UCI.
    pub uci: String,
    /// The position after it.
    pub fen: String,
    /// Whether it is not legal.
    pub irregular: bool,
    /// The time that its player had left.
    pub clock_ms: Option<u32>,
    /// The time that its player used.
    pub used_ms: Option<u64>,
}

impl PublicGame {
    /// Returns the game at a table of this round.
    pub(super) fn new(round: u16, table: &PublicTable, game: &GameView) -> PublicGame {
        let record = &game.record;
        let played = |(index, ply): (usize, &Ply)| {
            // The side to move after this move.
            let is_white = side_to_move(&ply.played.fen).is_black();
            let clock = if is_white { ply.clocks.white } else { ply.clocks.black };
            PublicMove {
                san: ply.played.san.clone(),
                uci: ply.played.uci.clone(),
                fen: ply.played.fen.clone(),
                irregular: ply.played.irregular,
                clock_ms: clock.map(|time| time.ms),
                used_ms: times(record, index, ply, is_white).thought.map(|seconds| seconds * 1000),
            }
        };
        PublicGame {
            round,
            table: table.table,
            section: table.section.clone(),
            white: table.white.clone(),
            black: table.black.clone(),
            pgn: format!("round/{round}/table/{}.pgn", table.table),
            started: game.wall_ms(record.started_at),
            start_fen: record.start_fen.clone(),
            state: table.state.clone(),
            opening: (record.chess960 == Some(518)).then(|| opening::opening(&record.plies)).flatten(),
            moves: record.plies.iter().enumerate().map(played).collect(),
        }
    }
}
