//! A round with the state of each of its tables.

use super::PublicOptions;
use super::player::PublicPlayer;
use super::table::PublicTable;
use crate::round::{Bye, Round};
use crate::wire::Word;
use serde::Serialize;

/// A round, with its tables borrowed.
#[derive(Serialize)]
pub(super) struct RoundDocument<'a> {
    /// What does not change with the games.
    #[serde(flatten)]
    pub heading: &'a RoundHeading,
    /// The parts of the tournament that play in it.
    pub sections: Vec<&'a str>,
    /// The tables.
    pub tables: Vec<&'a PublicTable>,
    /// The players who have no opponent.
    pub byes: &'a [PublicBye],
}

/// What a round is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct RoundHeading {
    /// Its number.
    pub number: u16,
    /// When it is played.
    pub date: String,
    /// The time control.
    pub time_control: String,
    /// The address of all its games.
    pub pgn: String,
}

/// A player without an opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct PublicBye {
    /// The player.
    pub player: PublicPlayer,
    /// The word for why.
    pub kind: &'static str,
}

impl RoundHeading {
    /// Returns what a round of this number is; `round`: as it was loaded.
    pub(super) fn new(number: u16, round: Option<&Round>) -> RoundHeading {
        let text = |text: fn(&Round) -> &Option<String>| round.and_then(|round| text(round).clone()).unwrap_or_default();
        RoundHeading {
            number,
            date: text(|round| &round.date),
            time_control: text(|round| &round.time_control),
            pgn: format!("round/{number}.pgn"),
        }
    }
}

impl PublicBye {
    /// Returns what is published of a player without an opponent.
    pub(super) fn new(bye: &Bye, options: &PublicOptions) -> PublicBye {
        PublicBye { player: PublicPlayer::new(&bye.player, options), kind: bye.kind.word() }
    }
}

/// Returns the parts of the tournament, in order of their first tables.
pub(super) fn sections<'a>(tables: impl Iterator<Item = &'a PublicTable>) -> Vec<&'a str> {
    let mut sections = Vec::new();
    for section in tables.filter_map(|table| table.section.as_deref()) {
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    sections
}
