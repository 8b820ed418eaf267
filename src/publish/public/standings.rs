//! The standings.

use super::PublicOptions;
use super::player::PublicPlayer;
use crate::round::standings::{self, Score, Standing, StandingGame};
use crate::round::{PairingResult, Round};
use crate::wire::Word;
use serde::Serialize;

/// The standings after all public rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct StandingsDocument {
    /// The last round that counts.
    pub through: u16,
    /// Whether all games of that round have a result.
    pub is_final_round_over: bool,
    /// The words of the tie-breaks.
    pub tie_breaks: [&'static str; 2],
    /// The parts of the tournament.
    pub sections: Vec<SectionDocument>,
}

/// The standings of a part of the tournament.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SectionDocument {
    /// Its name.
    pub section: Option<String>,
    /// The players.
    pub rows: Vec<StandingsRow>,
}

/// A player's standing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct StandingsRow {
    /// The rank.
    pub rank: usize,
    /// The player.
    pub player: PublicPlayer,
    /// The points.
    pub points: f64,
    /// The values of the tie-breaks.
    pub tie_breaks: [f64; 2],
    /// What they played.
    pub games: Vec<StandingsGame>,
}

/// A game or a bye.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct StandingsGame {
    /// The round.
    pub round: u16,
    /// The table.
    pub table: Option<u16>,
    /// The player's colour.
    pub colour: Option<&'static str>,
    /// The opponent's name.
    pub opponent: Option<String>,
    /// The result for the player.
    pub result: Option<&'static str>,
}

impl StandingsDocument {
    /// Returns the standings after these rounds, whose pairings have their public results.
    pub(super) fn new(rounds: &[Round], options: &PublicOptions) -> StandingsDocument {
        let row = |row: &Standing| StandingsRow {
            rank: row.rank,
            player: PublicPlayer::new(&row.player, options),
            points: halved(row.points),
            tie_breaks: [halved(row.buchholz), f64::from(row.wins)],
            games: row.games.iter().map(StandingsGame::new).collect(),
        };
        let sections = standings::standings(rounds)
            .into_iter()
            .map(|section| SectionDocument { rows: section.rows.iter().map(row).collect(), section: section.section });
        let last = rounds.last();
        StandingsDocument {
            through: last.map_or(0, |round| round.number),
            is_final_round_over: last.is_some_and(|round| {
                round.pairings.iter().all(|pairing| pairing.result.is_some_and(|result| result != PairingResult::Adjourned))
            }),
            tie_breaks: ["buchholz", "wins"],
            sections: sections.collect(),
        }
    }
}

impl StandingsGame {
    fn new(game: &StandingGame) -> StandingsGame {
        let score = |score: Score| match score {
            Score::Win => "1",
            Score::Draw => "½",
            Score::Loss => "0",
            Score::ForfeitWin => "+",
            Score::ForfeitLoss => "-",
        };
        StandingsGame {
            round: game.round,
            table: game.pairing.as_ref().map(|(table, ..)| *table),
            colour: game.pairing.as_ref().map(|(_, colour, _)| colour.word()),
            opponent: game.pairing.as_ref().map(|(.., opponent)| opponent.clone()),
            result: game.score.map(score),
        }
    }
}

fn halved(doubled: u32) -> f64 {
    f64::from(doubled) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::round::trf::TableOrder;

    #[test]
    fn a_round_with_an_adjourned_game_is_not_over() {
        let options = PublicOptions::served(&Config::default());
        let mut round =
            Round::read("table,white,black\n1,Ada,Bob\n2,Cid,Dee\n", Some(1), &TableOrder::Unknown).expect("a round");
        round.pairings.iter_mut().for_each(|pairing| pairing.result = Some(PairingResult::Draw));
        assert!(StandingsDocument::new(std::slice::from_ref(&round), &options).is_final_round_over);
        round.table_mut(2).expect("the table").result = Some(PairingResult::Adjourned);
        assert!(!StandingsDocument::new(&[round], &options).is_final_round_over);
    }
}
