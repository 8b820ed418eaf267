//! The copy of a hub that the other one goes on with: its subjects and messages. Game numbers differ between journals, so games are
//! named by their machine, journal and number there.

use crate::daemon::delayed_view::StoredRelease;
use crate::daemon::journal::{ContinuationOrder, DeskEventRow, RemoteGame};
use crate::game::{Delay, DelayPolicy, IllegalMoves};
use crate::hall::setup::registry::Registry;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

const PREFIX: &str = "tm.v1.hub.";

/// What a message of the copy is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CopyKey {
    /// An act at the desk of the hub with this journal, and its place in the log, from 0.
    Act(String, usize),
    /// What the desk has entered about a game.
    Desk(RemoteGame),
    /// The games that continue on other boards.
    Continuations,
    /// How much of a game is public.
    Public(RemoteGame),
    /// The delay of the public.
    Policy,
    /// The machines of the hall, and its event.
    Registry,
    /// A file of the state directory, by its path there.
    File(String),
}

impl CopyKey {
    /// Returns the subject.
    pub(super) fn subject(&self) -> String {
        let game = |kind: &str, RemoteGame { machine, journal, game }: &RemoteGame| {
            format!("{PREFIX}{kind}.{machine}.{journal}.{game}")
        };
        match self {
            CopyKey::Act(hub, place) => format!("{PREFIX}act.{hub}.{place}"),
            CopyKey::Desk(source) => game("desk", source),
            CopyKey::Public(source) => game("public", source),
            CopyKey::Continuations => format!("{PREFIX}continuations"),
            CopyKey::Policy => format!("{PREFIX}policy"),
            CopyKey::Registry => format!("{PREFIX}registry"),
            CopyKey::File(path) => format!("{PREFIX}file.{}", HEXLOWER.encode(path.as_bytes())),
        }
    }

    /// Parses a subject; `None`: it is another one.
    pub(super) fn parse(subject: &str) -> Option<CopyKey> {
        let parts: Vec<&str> = subject.strip_prefix(PREFIX)?.split('.').collect();
        let game = |machine: &str, journal: &str, game: &str| {
            Some(RemoteGame { machine: machine.to_owned(), journal: journal.to_owned(), game: game.parse().ok()? })
        };
        Some(match parts.as_slice() {
            ["act", hub, place] => CopyKey::Act((*hub).to_owned(), place.parse().ok()?),
            ["desk", machine, journal, number] => CopyKey::Desk(game(machine, journal, number)?),
            ["public", machine, journal, number] => CopyKey::Public(game(machine, journal, number)?),
            ["continuations"] => CopyKey::Continuations,
            ["policy"] => CopyKey::Policy,
            ["registry"] => CopyKey::Registry,
            ["file", path] => CopyKey::File(String::from_utf8(HEXLOWER.decode(path.as_bytes()).ok()?).ok()?),
            _ => return None,
        })
    }
}

/// An act at the desk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ActCopy {
    /// Its time: Unix time in milliseconds.
    pub(super) wall_ms: i64,
    /// Who did it.
    pub(super) by: String,
    /// The act, with the numbers of games of that hub.
    pub(super) act: Value,
    /// The games that it names, by these numbers: the machine, its journal, and the number there.
    pub(super) games: BTreeMap<u64, (String, String, u64)>,
}

/// What the desk has entered about a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DeskCopy {
    /// All its events there.
    pub(super) events: Vec<DeskEventRow>,
}

/// The games that continue on other boards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ContinuationsCopy {
    /// The oldest order first.
    pub(super) continuations: Vec<CopiedContinuation>,
}

/// An order to continue a game on another board, and the game that has come of it. Games: the machine, its journal, and the number there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CopiedContinuation {
    continued: (String, String, u64),
    from: String,
    to: String,
    by: String,
    started_wall_ms: i64,
    recalled: u64,
    /// `None`: it has not come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<(String, String, u64)>,
}

impl CopiedContinuation {
    /// `source`: finds a game of another machine by its number here. Returns `None` if the game is one of this hub's own boards.
    pub(super) fn new(
        order: &ContinuationOrder,
        game: Option<u64>,
        source: impl Fn(u64) -> Option<RemoteGame>,
    ) -> Option<CopiedContinuation> {
        let named = |number| source(number).map(|RemoteGame { machine, journal, game }| (machine, journal, game));
        let ContinuationOrder { continued, from, to, by, started_wall_ms, recalled } = order.clone();
        let continued = named(continued)?;
        Some(CopiedContinuation { continued, from, to, by, started_wall_ms, recalled, game: game.and_then(named) })
    }

    /// Returns the order and its game with the numbers of this journal; `None`: the game that is continued is not here. A game that has
    /// not come here yet is still expected. `number`: finds the number of a game here.
    pub(super) fn adopt(self, number: impl Fn(&RemoteGame) -> Option<u64>) -> Option<(ContinuationOrder, Option<u64>)> {
        let here = |(machine, journal, game)| number(&RemoteGame { machine, journal, game });
        let CopiedContinuation { continued, from, to, by, started_wall_ms, recalled, game } = self;
        let order = ContinuationOrder { continued: here(continued)?, from, to, by, started_wall_ms, recalled };
        Some((order, game.and_then(here)))
    }
}

/// How much of a game is public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PublicCopy {
    pub(super) release: StoredRelease,
}

/// The delay of the public.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PolicyCopy {
    delay_ms: u64,
    delay_plies: u32,
    hold_illegal: bool,
}

impl From<DelayPolicy> for PolicyCopy {
    fn from(DelayPolicy { delay, illegal_moves }: DelayPolicy) -> PolicyCopy {
        let hold_illegal = illegal_moves == IllegalMoves::Hold;
        PolicyCopy { delay_ms: delay.ms, delay_plies: delay.plies, hold_illegal }
    }
}

impl From<PolicyCopy> for DelayPolicy {
    fn from(copy: PolicyCopy) -> DelayPolicy {
        let delay = Delay { ms: copy.delay_ms, plies: copy.delay_plies };
        DelayPolicy { delay, illegal_moves: if copy.hold_illegal { IllegalMoves::Hold } else { IllegalMoves::Show } }
    }
}

/// The machines of the hall, and its event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RegistryCopy {
    pub(super) registry: Registry,
}

/// A file of the state directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FileCopy {
    /// Its content; `None`: it was removed.
    pub(super) text: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hall::message::{from_json, to_json};

    #[test]
    fn a_subject_leads_back_to_its_key() {
        let game = RemoteGame { machine: "pi-07".to_owned(), journal: "0b5e".to_owned(), game: 17 };
        let keys = [
            CopyKey::Act("0b5e".to_owned(), 3),
            CopyKey::Desk(game.clone()),
            CopyKey::Public(game),
            CopyKey::Continuations,
            CopyKey::Policy,
            CopyKey::Registry,
            CopyKey::File("lichess/AbCd1234/game-1.json".to_owned()),
        ];
        for key in keys {
            assert_eq!(CopyKey::parse(&key.subject()), Some(key));
        }
        for other in [crate::hall::subject::LEASE, "tm.v1.hub.file.zz", "tm.v1.hub.desk.a.b.c", "tm.v1.ev.a"] {
            assert_eq!(CopyKey::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let policy = DelayPolicy { delay: Delay { ms: 900_000, plies: 3 }, illegal_moves: IllegalMoves::Hold };
        let read: Result<PolicyCopy, _> = from_json(&to_json(&PolicyCopy::from(policy)));
        assert_eq!(read.map(DelayPolicy::from), Ok(policy));
        let games = BTreeMap::from([(3, ("pi-07".to_owned(), "0b5e".to_owned(), 17))]);
        let act = ActCopy { wall_ms: 1, by: "Ann".to_owned(), act: serde_json::json!({"do": "unseat", "table": 1}), games };
        assert_eq!(from_json(&to_json(&act)), Ok(act));
    }
}
