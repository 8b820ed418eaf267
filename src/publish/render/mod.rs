//! Games and boards as text, in the formats that several front-ends publish.

pub mod bluetooth;
mod cloud_game;
mod cloud_tournament;
pub mod machines;
pub(super) mod numbered_move;
pub mod pgn;
pub(super) mod placement;
pub(super) mod playing_table;
pub mod qr_code;
pub(super) mod stable_id;
pub(super) mod table_files;
mod tournament_files;
pub mod wiring_test;

pub(super) use cloud_tournament::game_count;
pub(super) use tournament_files::TournamentFiles;
