//! `org.touchmove1.Manager`.

use super::{Error, polkit};
use crate::daemon::Hub;
use crate::daemon::hub::BoardId;
use crate::daemon::rounds::{game_of, tables};
use crate::names::{self, API_VERSION};
use crate::round::{Forfeit, Round};
use std::sync::Arc;
use zbus::message::Header;
use zbus::{Connection, interface};

/// The service as a whole.
pub struct Manager {
    /// Where to read.
    pub hub: Arc<Hub>,
}

impl Manager {
    /// Changes the round, or nothing.
    fn change(&self, change: impl FnOnce(&mut Round) -> Result<(), Error>) -> Result<(), Error> {
        let Some(mut round) = self.hub.read(|state| state.round.clone()) else {
            return Err(Error::NoRound("no round is loaded: call LoadRound, or `touchmovectl round load FILE`".to_owned()));
        };
        change(&mut round)?;
        self.put(round)
    }

    fn put(&self, round: Round) -> Result<(), Error> {
        let wrong = round.check();
        if !wrong.is_empty() {
            return Err(Error::BadRound(wrong.join("; ")));
        }
        let kept = self.hub.set_round(round);
        kept.map_err(|why| Error::JournalFull(format!("the round was not changed because it could not be kept: {why}")))
    }
}

/// Who may command may say who plays.
async fn may_pair(header: &Header<'_>, connection: &Connection) -> Result<(), Error> {
    polkit::allowed(names::ACTION_COMMAND, header, connection).await
}

fn no_table(table: u16) -> Error {
    Error::NoTable(format!("there is no table {table} in this round: `touchmovectl round show` lists them"))
}

/// The service as a whole. Boards and games are found through org.freedesktop.DBus.ObjectManager on the same object.
/// Since API version 1.
#[interface(name = "org.touchmove1.Manager")]
impl Manager {
    /// Version of the program, e.g. 0.1.0.
    #[zbus(property(emits_changed_signal = "const"))]
    fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    /// Version of these interfaces. It counts up with each incompatible change; what is only added does not count.
    #[zbus(property(emits_changed_signal = "const"))]
    fn api_version(&self) -> u32 {
        API_VERSION
    }

    /// What is wrong with the service now, as (kind, sentence). Kinds: journal_full (moves are held back, none is lost, until
    /// there is room), journal_failed (as before, for another reason), game_unreadable, recordings_stopped, no_boards (on a
    /// line that carries many), files_failed (the games as files are held back), metrics_failed, lichess_failed (games do not reach
    /// Lichess), lichess_refused (a game that it does not take), hook_failed, webhook_failed,
    /// web_failed (the page cannot be served). The sentence says what to do.
    #[zbus(property)]
    fn trouble(&self) -> Vec<(String, String)> {
        self.hub.read(|state| {
            let mut told = Vec::new();
            for trouble in &state.trouble {
                let trouble = (trouble.kind.to_owned(), trouble.sentence.clone());
                // Boards that share a trouble say it once.
                if !told.contains(&trouble) {
                    told.push(trouble);
                }
            }
            told
        })
    }

    /// What is plugged in, may be a board, and is not used, as (device, reason). The reason says what to do.
    #[zbus(property)]
    fn unused(&self) -> Vec<(String, String)> {
        self.hub.read(|state| state.unused.iter().map(|one| (one.device.clone(), one.reason.clone())).collect())
    }

    /// The round that is being played, as JSON (docs/round.md); empty where none was loaded.
    #[zbus(property)]
    fn round(&self) -> String {
        self.hub.read(|state| state.round.as_ref().and_then(|round| serde_json::to_string(round).ok()).unwrap_or_default())
    }

    /// Which board stands at which table, as (table, board, game): board is empty where there is none, game 0 where none was begun.
    #[zbus(property(emits_changed_signal = "false"))]
    fn tables(&self) -> Vec<(u16, String, u64)> {
        self.hub.read(|state| {
            let row = |(table, board): (u16, Option<BoardId>)| {
                let game = board.as_ref().and_then(|id| state.boards.get(id)?.game).unwrap_or(0);
                (table, board.map_or_else(String::new, |id| id.to_string()), game)
            };
            tables(state).into_iter().map(row).collect()
        })
    }

    /// This round is played from now on: JSON as property Round has it. It is checked whole before anything changes. Games that begin
    /// on its boards have its names, and so have those that are being played and have none.
    /// Errors: BadRound, JournalFull.
    async fn load_round(
        &self,
        round: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        may_pair(&header, connection).await?;
        let round: Round = serde_json::from_str(round).map_err(|why| Error::BadRound(format!("this is no round: {why}")))?;
        self.put(round)
    }

    /// The players of these two tables change places; boards stay.
    /// Errors: NoRound, NoTable.
    async fn swap_tables(
        &self,
        one: u16,
        other: u16,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        may_pair(&header, connection).await?;
        self.change(|round| round.swap(one, other).map_err(no_table))
    }

    /// This board stands at this table from now on; empty: whichever comes next.
    /// Errors: NoRound, NoTable, NoSuchBoard, BadRound.
    async fn set_board(
        &self,
        table: u16,
        board: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        may_pair(&header, connection).await?;
        if !board.is_empty() && !self.hub.read(|state| state.boards.keys().any(|id| id.as_str() == board)) {
            return Err(Error::NoSuchBoard(format!(
                "there is no board {board}: `touchmovectl list` shows the boards there are"
            )));
        }
        self.change(|round| {
            // Where it stood before, no board is said.
            round
                .pairings
                .iter_mut()
                .filter(|pairing| pairing.board.as_deref() == Some(board))
                .for_each(|known| known.board = None);
            let pairing = round.table_mut(table).ok_or_else(|| no_table(table))?;
            (pairing.board, pairing.serial) = (Some(board.to_owned()).filter(|board| !board.is_empty()), None);
            Ok(())
        })
    }

    /// Nobody plays at this table: white or black has won without play, or nobody; empty: they play after all.
    /// Errors: NoRound, NoTable, BadResult.
    async fn set_forfeit(
        &self,
        table: u16,
        winner: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        may_pair(&header, connection).await?;
        let forfeit = match winner {
            "white" => Some(Forfeit::White),
            "black" => Some(Forfeit::Black),
            "nobody" => Some(Forfeit::Nobody),
            "" => None,
            _ => return Err(Error::BadResult(format!("{winner:?} cannot win without play: give white, black or nobody"))),
        };
        let is_played = self.hub.read(|state| {
            let game = state.round.as_ref().and_then(|round| game_of(state, round, round.table(table)?));
            game.is_some_and(|game| !game.record.plies.is_empty())
        });
        if is_played && forfeit.is_some() {
            return Err(Error::BadResult(format!(
                "table {table} is played: give its game a result, see `touchmovectl arbiter result`"
            )));
        }
        self.change(|round| {
            round.table_mut(table).ok_or_else(|| no_table(table))?.forfeit = forfeit;
            Ok(())
        })
    }
}
