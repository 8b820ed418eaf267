//! The standings of a tournament, from the results of its rounds.
//!
//! Points are doubled here, so that half a point is a whole number. Among players with equal points the sum of the points of the
//! opponents whom they have played decides (Buchholz), then the number of wins, forfeits included. This is no official tie-break: the
//! pairing program has that.

use super::{Pairing, PairingResult, Player, Round};
use shakmaty::Color;
use std::collections::BTreeMap;

/// The standings of a part of the tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionStandings {
    /// The name of the part; `None`: the tournament has none.
    pub section: Option<String>,
    /// The players, the first one first.
    pub rows: Vec<Standing>,
}

/// The standing of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The rank, from 1; players who are equal in everything share it.
    pub rank: usize,
    /// The player, as in the last round that has them.
    pub player: Player,
    /// The points, doubled.
    pub points: u32,
    /// The sum of the points of the opponents whom they have played, doubled.
    pub buchholz: u32,
    /// The number of games won, forfeits included.
    pub wins: u32,
    /// What they played, by round.
    pub games: Vec<StandingGame>,
}

/// A game or a bye of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingGame {
    /// The round.
    pub round: u16,
    /// The table, the colour, and the opponent's name; `None`: a bye.
    pub pairing: Option<(u16, Color, String)>,
    /// The score; `None`: there is no result yet.
    pub score: Option<Score>,
}

/// The result of a game for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Won over the board, or a bye with one point.
    Win,
    /// Drawn, or a bye with half a point.
    Draw,
    /// Lost over the board, or a bye without points.
    Loss,
    /// Won, because the opponent did not come.
    ForfeitWin,
    /// Lost, because the player did not come.
    ForfeitLoss,
}

impl Score {
    /// Returns the points, doubled.
    fn points(self) -> u32 {
        match self {
            Score::Win | Score::ForfeitWin => 2,
            Score::Draw => 1,
            Score::Loss | Score::ForfeitLoss => 0,
        }
    }

    /// Returns the score of the player who has this colour.
    fn of(result: PairingResult, colour: Color) -> Option<Score> {
        let of_winner = |winner: Color, won: Score, lost: Score| if winner == colour { won } else { lost };
        match result {
            PairingResult::WhiteWins => Some(of_winner(Color::White, Score::Win, Score::Loss)),
            PairingResult::BlackWins => Some(of_winner(Color::Black, Score::Win, Score::Loss)),
            PairingResult::WhiteWinsByForfeit => Some(of_winner(Color::White, Score::ForfeitWin, Score::ForfeitLoss)),
            PairingResult::BlackWinsByForfeit => Some(of_winner(Color::Black, Score::ForfeitWin, Score::ForfeitLoss)),
            PairingResult::Draw => Some(Score::Draw),
            PairingResult::BothLose => Some(Score::Loss),
            PairingResult::BothForfeit => Some(Score::ForfeitLoss),
            PairingResult::Adjourned => None,
        }
    }
}

/// Identifies a player: section, name, and FIDE ID.
type PlayerKey = (Option<String>, String, Option<u32>);

/// What is known of a player.
#[derive(Default)]
struct Entry {
    player: Player,
    games: Vec<StandingGame>,
    /// The opponents whom they have played over the board.
    opponents: Vec<PlayerKey>,
}

impl Entry {
    fn points(&self) -> u32 {
        self.games.iter().filter_map(|game| game.score).map(Score::points).sum()
    }
}

/// Returns the standings after these rounds, for each part of the tournament in the order in which they first appear. Empty if one
/// of the rounds from the first on is missing: points would be missing, too.
pub fn standings(rounds: &[Round]) -> Vec<SectionStandings> {
    let is_complete = (1..).zip(rounds).all(|(number, round)| round.number == number);
    if !is_complete {
        return Vec::new();
    }
    let mut sections: Vec<Option<String>> = Vec::new();
    let mut entries: BTreeMap<PlayerKey, Entry> = BTreeMap::new();
    for pairing in rounds.iter().flat_map(|round| &round.pairings) {
        if !sections.contains(&pairing.section) {
            sections.push(pairing.section.clone());
        }
    }
    for round in rounds {
        for pairing in &round.pairings {
            add_pairing(&mut entries, round.number, pairing);
        }
    }
    for round in rounds {
        for bye in &round.byes {
            // A bye does not say to which part its player belongs.
            let is_player = |key: &&PlayerKey| (&key.1, key.2) == (&bye.player.name, bye.player.fide_id);
            let known = entries.keys().find(is_player).cloned();
            let key = known.unwrap_or_else(|| key(&sections.first().cloned().flatten(), &bye.player));
            let entry = entries.entry(key).or_insert_with(|| Entry { player: bye.player.clone(), ..Entry::default() });
            let score = [Score::Loss, Score::Draw, Score::Win].get(bye.kind.doubled_points() as usize).copied();
            entry.games.push(StandingGame { round: round.number, pairing: None, score });
        }
    }
    if sections.is_empty() && !entries.is_empty() {
        sections.push(None);
    }
    sections.into_iter().map(|section| SectionStandings { rows: ranked(&entries, &section), section }).collect()
}

fn key(section: &Option<String>, player: &Player) -> PlayerKey {
    (section.clone(), player.name.clone(), player.fide_id)
}

fn add_pairing(entries: &mut BTreeMap<PlayerKey, Entry>, round: u16, pairing: &Pairing) {
    let sides = [(Color::White, &pairing.white, &pairing.black), (Color::Black, &pairing.black, &pairing.white)];
    for (colour, player, opponent) in sides {
        let entry = entries.entry(key(&pairing.section, player)).or_default();
        entry.player = player.clone();
        let score = pairing.result.and_then(|result| Score::of(result, colour));
        let of_pairing = Some((pairing.table, colour, opponent.name.clone()));
        entry.games.push(StandingGame { round, pairing: of_pairing, score });
        if score.is_some_and(|score| !matches!(score, Score::ForfeitWin | Score::ForfeitLoss)) {
            entry.opponents.push(key(&pairing.section, opponent));
        }
    }
}

/// Returns the players of a part in their order.
fn ranked(entries: &BTreeMap<PlayerKey, Entry>, section: &Option<String>) -> Vec<Standing> {
    let row = |entry: &Entry| {
        let mut games = entry.games.clone();
        games.sort_by_key(|game| game.round);
        let is_win =
            |game: &&StandingGame| game.pairing.is_some() && matches!(game.score, Some(Score::Win | Score::ForfeitWin));
        Standing {
            rank: 0,
            player: entry.player.clone(),
            points: entry.points(),
            buchholz: entry.opponents.iter().filter_map(|key| entries.get(key)).map(Entry::points).sum(),
            wins: u32::try_from(games.iter().filter(is_win).count()).unwrap_or(u32::MAX),
            games,
        }
    };
    let of_section = entries.iter().filter(|((of, ..), _)| of == section);
    let mut rows: Vec<Standing> = of_section.map(|(_, entry)| row(entry)).collect();
    let order = |row: &Standing| std::cmp::Reverse((row.points, row.buchholz, row.wins));
    rows.sort_by(|one, other| {
        let by_rating = other.player.rating.cmp(&one.player.rating);
        order(one).cmp(&order(other)).then(by_rating).then_with(|| one.player.name.cmp(&other.player.name))
    });
    let mut before = None;
    for (place, row) in (1..).zip(&mut rows) {
        let shared = before.filter(|(order_before, _)| *order_before == order(row));
        row.rank = shared.map_or(place, |(_, rank)| rank);
        before = Some((order(row), row.rank));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::trf::TableOrder;
    use crate::round::{Bye, ByeKind};

    fn round(number: u16, csv: &str) -> Round {
        Round::read(csv, Some(number), &TableOrder::Unknown).expect("a round")
    }

    /// Each row as `rank name points buchholz wins results`.
    fn check(rounds: &[Round], expect: &[(&str, &[&str])]) {
        let score = |game: &StandingGame| match game.score {
            Some(Score::Win) => '1',
            Some(Score::Draw) => '=',
            Some(Score::Loss) => '0',
            Some(Score::ForfeitWin) => '+',
            Some(Score::ForfeitLoss) => '-',
            None => '?',
        };
        let row = |row: &Standing| {
            let games: String = row.games.iter().map(score).collect();
            format!("{} {} {} {} {} {games}", row.rank, row.player.name, row.points, row.buchholz, row.wins)
        };
        let found = standings(rounds);
        let found: Vec<(String, Vec<String>)> =
            found.iter().map(|part| (part.section.clone().unwrap_or_default(), part.rows.iter().map(row).collect())).collect();
        let expect: Vec<(String, Vec<String>)> = expect
            .iter()
            .map(|(name, rows)| ((*name).to_owned(), rows.iter().map(|row| (*row).to_owned()).collect()))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn points_then_opponents_then_wins_decide() {
        let first = round(1, "table,white,black,result\n1,Ada,Bob,1-0\n2,Cid,Dee,1/2-1/2\n");
        let second = round(2, "table,white,black,result\n1,Dee,Ada,1/2-1/2\n2,Bob,Cid,\n");
        check(&[first.clone(), second], &[("", &["1 Ada 3 2 1 1=", "2 Dee 2 4 0 ==", "3 Cid 1 2 0 =?", "4 Bob 0 3 0 0?"])]);
        check(&[round(2, "table,white,black\n1,Ada,Bob\n")], &[]);
        check(&[first], &[("", &["1 Ada 2 0 1 1", "2 Cid 1 1 0 =", "2 Dee 1 1 0 =", "4 Bob 0 2 0 0"])]);
        check(&[], &[]);
    }

    #[test]
    fn forfeits_and_byes_count_but_not_their_opponents() {
        let mut first = round(1, "table,white,black,result\n1,Ada,Bob,+--\n");
        first.byes = vec![Bye { player: Player::with_title("GM Eve"), kind: ByeKind::HalfPoint }];
        check(&[first], &[("", &["1 Ada 2 0 1 +", "2 Eve 1 0 0 =", "3 Bob 0 0 0 -"])]);
    }

    #[test]
    fn parts_of_a_tournament_have_standings_of_their_own() {
        let first = round(1, "table,white,black,result,section\n1,Ada,Bob,1-0,Open\n2,Cid,Dee,0-0,B\n");
        check(&[first], &[("Open", &["1 Ada 2 0 1 1", "2 Bob 0 2 0 0"]), ("B", &["1 Cid 0 0 0 0", "1 Dee 0 0 0 0"])]);
    }
}
