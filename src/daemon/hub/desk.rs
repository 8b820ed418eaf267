//! The operator's desk at the hub: its acts are written to the journal, then applied, then announced.

use super::role::is_copied;
use super::{BoardId, BoardView, DeskEntryKind, Hub, Inactive, State, Update, lock};
use crate::daemon::desk_file::DeskFile;
use crate::daemon::journal::JournalError;
use crate::daemon::rounds::boards_at_tables;
use crate::desk::{Desk, DeskAct, DeskEntry, DeskError, Seat};
use crate::game::ErrorCode;
use crate::round::{Player, Round};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tracing::{error, warn};

/// The reason why an act was not carried out; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum DeskChangeError {
    /// The act is impossible.
    #[error(transparent)]
    Impossible(#[from] DeskError),
    /// There is no such board.
    #[error("there is no board {0}: `touchmovectl list` shows the boards there are")]
    NoSuchBoard(String),
    /// This is not the hub of the hall now.
    #[error(transparent)]
    Inactive(#[from] Inactive),
    /// It is stored here, and the standby hub does not know it.
    #[error("this was done, but the standby hub does not know it yet: if that takes over, do it again there")]
    NotCopied,
    /// It could not be stored.
    #[error("nothing was changed, because it could not be stored: {0}")]
    NotStored(#[from] JournalError),
}

impl DeskChangeError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            DeskChangeError::Impossible(error) => error.code(),
            DeskChangeError::NoSuchBoard(_) => ErrorCode::Unknown("NoSuchBoard"),
            DeskChangeError::Inactive(_) => ErrorCode::Unavailable("NotHub"),
            DeskChangeError::NotCopied => ErrorCode::Unavailable("NotCopied"),
            DeskChangeError::NotStored(_) => ErrorCode::Unavailable("JournalFull"),
        }
    }
}

impl Hub {
    /// Loads the desk from the journal; from the files in `state_dir` if the journal has nothing. Must be called before boards are
    /// served.
    pub async fn load_desk(&self, state_dir: &Path) {
        let file = DeskFile::of(state_dir);
        let (entries, unreadable) = self.journal.desk().unwrap_or_else(|error| (Vec::new(), vec![error.to_string()]));
        unreadable.iter().for_each(|sentence| warn!("{sentence}; it is left out: look at the seats and the round"));
        let (desk, impossible) = Desk::from_acts(entries.iter().map(|entry| &entry.act));
        impossible.iter().for_each(|error| warn!("an act of the desk is left out: {error}"));
        // The games that boards bring with them replace these.
        let noted: BTreeSet<u64> = desk.games.values().flat_map(BTreeMap::values).flatten().copied().collect();
        let games = if noted.is_empty() { Ok(Vec::new()) } else { self.journal.games() };
        let games = games.unwrap_or_else(|error| {
            warn!("the games of earlier rounds cannot be listed: {error}");
            Vec::new()
        });
        let past_games = games.iter().filter(|game| noted.contains(&game.id)).map(|game| (game.id, game.into())).collect();
        let by_last =
            entries.iter().rfind(|entry| !is_bookkeeping(&entry.act)).map_or_else(String::new, |entry| entry.by.clone());
        {
            let mut state = self.lock();
            (state.desk, state.desk_by, state.past_games) = (desk, by_last, past_games);
            state.desk_number = (entries.len() + unreadable.len()) as u64;
        }
        {
            let mut recent = self.desk_turn.lock().await;
            let first = unreadable.len() as u64 + 1;
            (first..).zip(&entries).for_each(|(number, entry)| recent.push(number, entry));
        }
        let stored = if entries.is_empty() { file.load() } else { None };
        *lock(&self.desk_file) = Some(file);
        if let Some(desk) = stored
            && let Err(error) = self.carry_out(DeskAct::Restore { desk: Box::new(desk) }, None, "touchmoved").await
        {
            error!("the seats and the round cannot be taken over: {error}");
        }
        self.publish(Update::Desk);
    }

    /// Returns all acts at the desk from the journal, in order, apart from those that this version cannot read.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn desk_entries(&self) -> Result<Vec<DeskEntry>, JournalError> {
        Ok(self.journal.desk()?.0)
    }

    /// Carries out an act at the desk, as requested by `by`. Returns once it is stored and announced.
    ///
    /// # Errors
    /// See [`DeskChangeError`]; nothing has changed then, unless it is [`DeskChangeError::NotCopied`].
    pub async fn change_desk(&self, act: DeskAct, by: &str) -> Result<(), DeskChangeError> {
        self.change_seen_desk(act, None, by).await
    }

    /// Carries out an act of somebody who had seen the desk after this number of acts (`None`: who need not have seen it), as
    /// [`Hub::change_desk`] does.
    ///
    /// # Errors
    /// See [`DeskChangeError`], in particular if others have changed the same since then.
    pub async fn change_seen_desk(&self, act: DeskAct, seen: Option<u64>, by: &str) -> Result<(), DeskChangeError> {
        self.check_role()?;
        self.carry_out(act, seen, by).await?;
        match self.request_copy(DeskEntryKind::Acts) {
            Some(copied) => is_copied(copied).await.then_some(()).ok_or(DeskChangeError::NotCopied),
            None => Ok(()),
        }
    }

    /// As [`Hub::change_seen_desk`], whoever has the role of the hall's hub, and without waiting for a copy.
    async fn carry_out(&self, act: DeskAct, seen: Option<u64>, by: &str) -> Result<(), DeskChangeError> {
        // One act after the other: each is checked against the result of the one before.
        let mut recent = self.desk_turn.lock().await;
        let act = self.read(|state| completed(state, act))?;
        let (before, number) = self.read(|state| (state.desk.clone(), state.desk_number));
        let mut desk = before.clone();
        let applied = desk.apply(&act);
        // Two who want the same do not disturb each other.
        let is_change = applied != Ok(()) || desk != before;
        if is_change {
            recent.check(&act, seen, by)?;
        }
        applied?;
        let is_bookkeeping = is_bookkeeping(&act);
        let wall_ms = jiff::Timestamp::now().as_millisecond();
        let entry = DeskEntry { wall_ms, by: by.to_owned(), act };
        self.journal.append_desk(entry.clone()).await?;
        if is_change {
            recent.push(number + 1, &entry);
        }
        let file = lock(&self.desk_file).clone();
        if let Some(Err(error)) = file.map(|file| file.store(&desk)) {
            warn!("the copy of the seats and rounds beside the journal cannot be written: {error}");
        }
        let is_forgetting = matches!(entry.act, DeskAct::Forget { .. });
        let renamed = {
            let mut state = self.lock();
            (state.desk, state.desk_number) = (desk, number + 1);
            if !is_bookkeeping {
                by.clone_into(&mut state.desk_by);
            }
            if is_forgetting { state.hide_names() } else { Vec::new() }
        };
        drop(recent);
        // Which games have names is announced with these games.
        if !is_bookkeeping {
            self.publish(Update::Desk);
        }
        renamed.into_iter().for_each(|board| self.publish(Update::Board(board)));
        Ok(())
    }

    /// Returns whether a board is at a table.
    pub(super) fn is_seated(&self, board: &BoardId) -> bool {
        self.read(|state| boards_at_tables(state).iter().any(|(_, seated)| seated.as_ref() == Some(board)))
    }

    /// Seats board `to` at the table of board `from`, whose game continues there.
    pub(super) async fn move_seat(&self, from: &BoardId, to: &BoardId, by: &str) {
        let table = self.read(|state| {
            let seated = boards_at_tables(state).into_iter().find(|(_, board)| board.as_ref() == Some(from));
            seated.map(|(table, _)| table)
        });
        let Some(table) = table else { return };
        let act = DeskAct::Seat { table, board: to.to_string(), serial_number: None };
        // It follows from an event that is stored, whoever has the role; and the events after that do not wait for the copy.
        let outcome = self.carry_out(act, None, by).await;
        let _ = self.request_copy(DeskEntryKind::Acts);
        if let Err(error) = outcome {
            let message = "is not seated at its table";
            self.log_failure(
                &format!("a board {message}: {error}"),
                &format!("a game continues on board {to}, which {message} {table}: {error}"),
            );
        }
    }
}

/// Whether an act only notes what touchmoved did by itself.
fn is_bookkeeping(act: &DeskAct) -> bool {
    matches!(act, DeskAct::NameGames { .. })
}

/// Completes an act: names that a file has cut, and the data of players who are paired.
fn completed(state: &State, act: DeskAct) -> Result<DeskAct, DeskChangeError> {
    Ok(match act {
        DeskAct::LoadRound { mut round } => {
            let known: Vec<Round> = state.desk.rounds.values().cloned().collect();
            round.complete_names(&known);
            DeskAct::LoadRound { round }
        }
        DeskAct::Byes { round, mut byes } => {
            let paired = state.desk.rounds.get(&round).into_iter().flat_map(Round::paired);
            let paired: Vec<&Player> = paired.collect();
            for bye in byes.iter_mut().filter(|bye| bye.player.fide_id.is_none()) {
                let mut named = paired.iter().filter(|player| player.name == bye.player.name);
                if let (Some(only), None) = (named.next(), named.next()) {
                    bye.player = (*only).clone();
                }
            }
            DeskAct::Byes { round, byes }
        }
        other => with_serial_numbers(state, other)?,
    })
}

/// Completes the seats of an act with the serial numbers that their boards have reported.
fn with_serial_numbers(state: &State, act: DeskAct) -> Result<DeskAct, DeskChangeError> {
    let complete = |board: String, given: Option<String>| {
        let with_serial = || state.boards.values().find(|view| given.is_some() && view.serial_number == given);
        let view = state.boards.values().find(|view| view.id.as_str() == board);
        match view.or_else(with_serial) {
            Some(view) => {
                // A number that several boards report, e.g. because it was never set, identifies none of them.
                let has_same = |other: &&BoardView| other.id != view.id && other.serial_number == view.serial_number;
                let is_unique = !state.boards.values().any(|other| has_same(&other));
                let serial_number = view.serial_number.clone().filter(|_| is_unique);
                Ok(Seat { board: view.id.to_string(), serial_number })
            }
            // A board that is away can be seated if somebody knows its serial number, e.g. from a file of pairings.
            None if given.is_some() => Ok(Seat { board, serial_number: given }),
            None => Err(DeskChangeError::NoSuchBoard(board)),
        }
    };
    Ok(match act {
        DeskAct::Seat { table, board, serial_number: given } => {
            let Seat { board, serial_number } = complete(board, given)?;
            DeskAct::Seat { table, board, serial_number }
        }
        DeskAct::SeatAll { seats } => {
            let before = &state.desk.seats;
            let seat = |(table, seat): (u16, Seat)| match before.get(&table) {
                Some(known) if *known == seat => Ok((table, seat)),
                _ => complete(seat.board, seat.serial_number).map(|seat| (table, seat)),
            };
            DeskAct::SeatAll { seats: seats.into_iter().map(seat).collect::<Result<_, _>>()? }
        }
        other => other,
    })
}
