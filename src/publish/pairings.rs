//! Changes to the pairings from any front-end, with the name of the person for the journal.

use crate::daemon::Hub;
use crate::daemon::hub::round_games::game_of;
use crate::round::{PairingResult, Round};

/// The reason why a round was not changed; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    /// No round is loaded.
    #[error("no round is loaded: call LoadRound, or `touchmovectl round load FILE`")]
    NoRound,
    /// The round has no such table.
    #[error("there is no table {0} in this round: `touchmovectl round show` lists the tables")]
    NoTable(u16),
    /// There is no such board.
    #[error("there is no board {0}: `touchmovectl list` shows the boards there are")]
    NoSuchBoard(String),
    /// The round would be invalid.
    #[error("{0}")]
    BadRound(String),
    /// The result is not possible.
    #[error("{0}")]
    BadResult(String),
    /// The round could not be written.
    #[error("the round was not changed, because it could not be stored: {0}")]
    WriteFailed(std::io::Error),
}

/// Makes this the current round.
///
/// # Errors
/// The round is invalid, or it could not be written; nothing has changed then.
pub(super) fn set_round(hub: &Hub, round: Round, by: &str) -> Result<(), PairingError> {
    let errors = round.check();
    if !errors.is_empty() {
        return Err(PairingError::BadRound(errors.join("; ")));
    }
    hub.set_round(round, by).map_err(PairingError::WriteFailed)
}

/// Swaps the players of two tables; the boards stay.
///
/// # Errors
/// Nothing has changed if an error is returned.
pub(super) fn swap_players(hub: &Hub, one: u16, other: u16, by: &str) -> Result<(), PairingError> {
    change_round(hub, by, |round| round.swap(one, other).map_err(PairingError::NoTable))
}

/// Assigns a board to a table; an empty name removes the assignment, so that the next free board is used.
///
/// # Errors
/// Nothing has changed if an error is returned.
pub(super) fn set_board(hub: &Hub, table: u16, board: &str, by: &str) -> Result<(), PairingError> {
    if !board.is_empty() && !hub.read(|state| state.boards.keys().any(|id| id.as_str() == board)) {
        return Err(PairingError::NoSuchBoard(board.to_owned()));
    }
    change_round(hub, by, |round| {
        // Remove the board from its previous table.
        let before = round.pairings.iter_mut().filter(|pairing| pairing.board.as_deref() == Some(board));
        before.for_each(|pairing| pairing.board = None);
        let pairing = round.table_mut(table).ok_or(PairingError::NoTable(table))?;
        (pairing.board, pairing.serial) = (Some(board.to_owned()).filter(|board| !board.is_empty()), None);
        Ok(())
    })
}

/// Marks a table as not played: `white` or `black` has won by forfeit, or `nobody`. An empty winner removes the mark.
///
/// # Errors
/// Nothing has changed if an error is returned.
pub(super) fn set_forfeit(hub: &Hub, table: u16, winner: &str, by: &str) -> Result<(), PairingError> {
    let forfeit = match winner {
        "white" => Some(PairingResult::WhiteWinsByForfeit),
        "black" => Some(PairingResult::BlackWinsByForfeit),
        "nobody" => Some(PairingResult::BothForfeit),
        "" => None,
        _ => {
            let sentence = format!("{winner:?} cannot win by forfeit: use white, black or nobody");
            return Err(PairingError::BadResult(sentence));
        }
    };
    let is_played = hub.read(|state| {
        let game = state.round.as_ref().and_then(|round| game_of(&state.games, round, round.table(table)?));
        game.is_some_and(|game| !game.record.plies.is_empty())
    });
    if is_played && forfeit.is_some() {
        let sentence = format!("the game at table {table} has moves: set its result with `touchmovectl arbiter result`");
        return Err(PairingError::BadResult(sentence));
    }
    change_round(hub, by, |round| {
        let pairing = round.table_mut(table).ok_or(PairingError::NoTable(table))?;
        // A result that is no forfeit remains.
        pairing.result = forfeit.or(pairing.result.filter(|result| !result.is_forfeit()));
        Ok(())
    })
}

/// Applies a change to the current round, or leaves it unchanged on error.
fn change_round(hub: &Hub, by: &str, change: impl FnOnce(&mut Round) -> Result<(), PairingError>) -> Result<(), PairingError> {
    let Some(mut round) = hub.read(|state| state.round.clone()) else { return Err(PairingError::NoRound) };
    change(&mut round)?;
    set_round(hub, round, by)
}
