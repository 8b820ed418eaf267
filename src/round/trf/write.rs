//! A tournament as a file for FIDE and for pairing programs (TRF16).

use super::block::Block;
use super::{MOST_ROUNDS, NAME_WIDTH};
use crate::round::Round;
use crate::round::tournament::{Entrant, Tournament};
use std::fmt::Write;

/// The ends of lines: the format wants a carriage return, and programs a line feed.
const END: &str = "\r\n";

/// Writes the rounds of a tournament, in any order, as one file. The players have the start numbers of the pairings; others get the
/// free numbers by rating, then by name. Texts are not transliterated: the file should be stored as UTF-8. A text that is longer than
/// its columns is cut.
///
/// A game without a result has an opponent and a colour only, and so has an adjourned one. Of a player who is not in a round, nothing
/// is written for that round, which means that they were not paired. Sex and date of birth are not known and are omitted.
pub fn write(rounds: &[Round]) -> String {
    let tournament = Tournament::new(rounds);
    let entrants = tournament.entrants();
    let mut text = String::new();
    let mut line = |number: &str, content: &str| {
        if !content.is_empty() {
            let _ = write!(text, "{number} {}{END}", single_line(content));
        }
    };
    let first = |of: fn(&Round) -> &Option<String>| tournament.rounds().iter().find_map(|round| of(round).clone());
    let last = |of: fn(&Round) -> &Option<String>| tournament.rounds().iter().rev().find_map(|round| of(round).clone());
    let slashes = |date: Option<String>| date.unwrap_or_default().replace('.', "/");
    let teams = teams(entrants);
    line("012", &first(|round| &round.event).unwrap_or_default());
    line("022", &first(|round| &round.site).unwrap_or_default());
    line("042", &slashes(first(|round| &round.date)));
    line("052", &slashes(last(|round| &round.date)));
    line("062", &entrants.len().to_string());
    line("072", &entrants.iter().filter(|entrant| entrant.player.rating.is_some()).count().to_string());
    if !teams.is_empty() {
        line("082", &teams.len().to_string());
    }
    line("122", &first(|round| &round.time_control).unwrap_or_default());
    line("132", &days(&tournament));
    let blocks = blocks(&tournament);
    let mut ranks: Vec<usize> = (0..entrants.len()).collect();
    let points: Vec<u32> = blocks.iter().map(|blocks| blocks.iter().map(|block| block.doubled_points()).sum()).collect();
    ranks.sort_by_key(|index| (std::cmp::Reverse(points.get(*index)), entrants.get(*index).map(|entrant| entrant.number)));
    for (index, (entrant, blocks)) in entrants.iter().zip(&blocks).enumerate() {
        let rank = ranks.iter().position(|other| *other == index).map_or(0, |place| place + 1);
        let points = points.get(index).copied().unwrap_or(0);
        let _ = write!(text, "{}{END}", player_line(entrant, points, rank, blocks));
    }
    for (team, members) in teams {
        let members: Vec<String> = members.iter().map(|member| format!("{member:>4}")).collect();
        let _ = write!(text, "013 {}{}{END}", cut(team, 32), members.join(" "));
    }
    text
}

/// Returns the line of a player. `points`: doubled.
fn player_line(entrant: &Entrant, points: u32, rank: usize, blocks: &[Block]) -> String {
    let player = &entrant.player;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    // Columns 10 (sex) and 70-79 (date of birth) are empty.
    let mut line = format!(
        "001 {:>4}  {:>3} {} {:>4} {} {:>11} {:10} {:>4} {rank:>4}",
        entrant.number,
        cut(&text(&player.title), 3).trim(),
        cut(&player.name, NAME_WIDTH),
        number(player.rating.map(u32::from)),
        cut(&text(&player.federation), 3),
        number(player.fide_id),
        "",
        format!("{}.{}", points / 2, points % 2 * 5),
    );
    for block in blocks {
        let _ = write!(line, "  {block}");
    }
    line
}

/// Returns the entries of each entrant, in their order: one for each round from the first to the last.
fn blocks(tournament: &Tournament) -> Vec<Vec<Block>> {
    let rounds = tournament.rounds().iter().map(|round| usize::from(round.number)).max().unwrap_or(0).min(MOST_ROUNDS);
    let mut blocks = vec![vec![Block::EMPTY; rounds]; tournament.entrants().len()];
    for round in tournament.rounds() {
        let mut set = |entrant: usize, block: Block| {
            let index = usize::from(round.number).wrapping_sub(1);
            if let Some(place) = blocks.get_mut(entrant).and_then(|blocks| blocks.get_mut(index)) {
                *place = block;
            }
        };
        for pairing in &round.pairings {
            let (white, black) = (tournament.find(&pairing.white), tournament.find(&pairing.black));
            let number = |entrant: usize| tournament.entrants().get(entrant).map(|entrant| entrant.number);
            if let (Some(white), Some(black)) = (white, black)
                && let (Some(white_number), Some(black_number)) = (number(white), number(black))
            {
                let [of_white, of_black] = Block::of_game(white_number, black_number, pairing.result);
                set(white, of_white);
                set(black, of_black);
            }
        }
        for bye in &round.byes {
            if let Some(entrant) = tournament.find(&bye.player) {
                set(entrant, Block::of_bye(bye.kind));
            }
        }
    }
    blocks
}

/// Returns the content of line 132: the days of the rounds, from column 92.
fn days(tournament: &Tournament) -> String {
    let rounds = tournament.rounds().iter().map(|round| round.number).max().unwrap_or(0);
    let day = |number: u16| {
        let round = tournament.rounds().iter().find(|round| round.number == number)?;
        // YYYY.MM.DD
        round.date.as_ref()?.strip_prefix("20").filter(|day| day.len() == 8).map(|day| day.replace('.', "/"))
    };
    let days: Vec<String> = (1..=rounds.min(MOST_ROUNDS as u16)).map(|number| day(number).unwrap_or_default()).collect();
    if days.iter().all(String::is_empty) {
        return String::new();
    }
    let days: Vec<String> = days.iter().map(|day| format!("{day:8}")).collect();
    format!("{:87}{}", "", days.join("  ")).trim_end().to_owned()
}

/// Returns the teams with the start numbers of their players, in the order of their first.
fn teams(entrants: &[Entrant]) -> Vec<(&str, Vec<u32>)> {
    let mut teams: Vec<(&str, Vec<u32>)> = Vec::new();
    for entrant in entrants {
        let Some(team) = entrant.player.team.as_deref() else { continue };
        match teams.iter_mut().find(|(known, _)| *known == team) {
            Some((_, members)) => members.push(entrant.number),
            None => teams.push((team, vec![entrant.number])),
        }
    }
    teams
}

/// Returns the text with this many characters: cut, or filled with spaces.
fn cut(text: &str, width: usize) -> String {
    let cut: String = single_line(text).chars().take(width).collect();
    format!("{cut:width$}")
}

fn single_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
