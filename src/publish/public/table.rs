//! A table of a round: its players, and the state of its game.

use super::player::PublicPlayer;
use crate::daemon::hub::GameView;
use crate::daemon::steady_clock;
use crate::game::Delay;
use crate::game::event::ClockTime;
use crate::game::record::PlyState;
use crate::publish::render::numbered_move::{numbered_move, side_to_move};
use crate::round::PairingResult;
use crate::wire::Word;
use serde::Serialize;
use shakmaty::Color;

/// The position before the first move of a game that has not begun.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Number of last moves.
const LAST_MOVES: usize = 4;

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PublicTable {
    /// Its number.
    pub table: u16,
    /// The part of the tournament.
    pub section: Option<String>,
    /// Who has White.
    pub white: PublicPlayer,
    /// Who has Black.
    pub black: PublicPlayer,
    /// The address of the game's document.
    pub game: Option<String>,
    /// The state of the game.
    pub state: TableState,
}

/// What happens at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Progress {
    /// No move was made.
    Waiting,
    /// The game goes on.
    Playing,
    /// The arbiter has paused it, or it is adjourned.
    Paused,
    /// There is a result.
    Finished,
    /// It is not played.
    Forfeited,
}

/// The state of a table, as far as it is public.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct TableState {
    /// What happens.
    pub state: Progress,
    /// The result's word.
    pub result: &'static str,
    /// The word for why the game ended.
    pub reason: Option<&'static str>,
    /// The number of plies.
    pub ply: usize,
    /// The position.
    pub fen: String,
    /// Whether castling is that of Chess960.
    pub chess960: bool,
    /// The last move in UCI.
    pub last_move: Option<String>,
    /// The last moves with their numbers.
    pub last_moves: Vec<String>,
    /// The clocks.
    pub clock: Option<PublicClock>,
}

/// Both clocks at the last completed move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PublicClock {
    /// White's time.
    pub white_ms: Option<u32>,
    /// Black's time.
    pub black_ms: Option<u32>,
    /// Whose time runs.
    pub turn: &'static str,
    /// Whether it may be counted down.
    pub running: bool,
    /// When the times became public, by the time of day.
    pub at: i64,
}

impl TableState {
    /// Returns the state of a table with this result of its pairing, as far as it is public, and this game.
    pub(super) fn new(result: Option<PairingResult>, game: Option<&GameView>, delay: Delay) -> TableState {
        let record = game.map(|game| &game.record);
        let of_game = record.and_then(|record| record.result);
        let known = result.or(of_game.map(|(result, _)| result.into()));
        let is_over = known.is_some_and(|result| result != PairingResult::Adjourned);
        let state = match (known, record) {
            (Some(result), _) if result.is_forfeit() => Progress::Forfeited,
            (Some(PairingResult::Adjourned), _) => Progress::Paused,
            (Some(_), _) => Progress::Finished,
            (None, Some(record)) if record.paused => Progress::Paused,
            (None, Some(record)) if !record.plies.is_empty() => Progress::Playing,
            (None, _) => Progress::Waiting,
        };
        // Of a result that somebody entered in place of the game's, the reason is not known.
        let reason = of_game.filter(|(of_game, _)| known == Some((*of_game).into())).map(|(_, reason)| reason.word());
        let plies = record.map_or(&[][..], |record| &record.plies);
        let last = plies.iter().skip(plies.len().saturating_sub(LAST_MOVES));
        TableState {
            state,
            result: known.map_or("*", Word::word),
            reason,
            ply: plies.len(),
            fen: record.map_or(START, |record| record.fen()).to_owned(),
            chess960: record.is_some_and(|record| record.chess960.is_some_and(|number| number != 518)),
            last_move: plies.last().map(|ply| ply.played.uci.clone()),
            last_moves: last.map(|ply| numbered_move(&ply.played.san, &ply.played.fen)).collect(),
            clock: game.and_then(|game| PublicClock::new(game, delay, is_over)),
        }
    }

    /// Returns whether there is a result.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.state, Progress::Finished | Progress::Forfeited)
    }
}

impl PublicClock {
    fn new(game: &GameView, delay: Delay, is_over: bool) -> Option<PublicClock> {
        let record = &game.record;
        let completed_at = record.plies.iter().rev().find_map(|ply| match ply.state {
            PlyState::Completed { at, .. } => Some(at),
            PlyState::Made => None,
        })?;
        let times = record.clocks_at(u32::try_from(record.plies.len()).unwrap_or(u32::MAX));
        let ms = |time: Option<ClockTime>| time.map(|time| time.ms);
        let turn: Color = side_to_move(record.fen());
        (times.white.is_some() || times.black.is_some()).then(|| PublicClock {
            white_ms: ms(times.white),
            black_ms: ms(times.black),
            turn: turn.word(),
            // With a delay in plies, the time when the public learned of it is unknown.
            running: !is_over && record.result.is_none() && !record.paused && delay.plies == 0,
            at: steady_clock::to_wall(game.steady_ms(completed_at).saturating_add_unsigned(delay.ms)),
        })
    }
}
