//! The log of the desk of another hub, with the numbers that games have here.

use super::copies::ActCopy;
use crate::daemon::journal::RemoteGame;
use crate::desk::{Desk, DeskAct, DeskEntry};
use std::collections::BTreeMap;

/// Who does what follows from a takeover.
const AUTHOR: &str = "touchmoved";

/// Returns the numbers of the games that an act names.
fn games(act: &DeskAct) -> Vec<u64> {
    match act {
        DeskAct::NameGames { games, unnamed } => {
            games.iter().map(|(_, _, game)| *game).chain(unnamed.iter().copied()).collect()
        }
        DeskAct::AssignGame { game, .. } => vec![*game],
        // The games in a desk that is restored are those of another journal, and are ignored.
        _ => Vec::new(),
    }
}

/// Returns the copy of an act. `source`: finds a game of another machine by its number here.
pub(super) fn copy(entry: &DeskEntry, source: impl Fn(u64) -> Option<RemoteGame>) -> ActCopy {
    let named = games(&entry.act).into_iter().filter_map(|game| Some((game, source(game)?)));
    let games = named.map(|(number, RemoteGame { machine, journal, game })| (number, (machine, journal, game))).collect();
    let act = serde_json::to_value(&entry.act).unwrap_or_default();
    ActCopy { wall_ms: entry.wall_ms, by: entry.by.clone(), act, games }
}

/// Returns the act of a copy. Games that are not known here are left out. `number`: finds the number of a game here.
///
/// # Errors
/// This version does not know the act.
pub(super) fn adopt(copy: &ActCopy, number: impl Fn(&RemoteGame) -> Option<u64>) -> Result<DeskEntry, serde_json::Error> {
    let here = |there: u64| {
        let (machine, journal, game) = copy.games.get(&there)?.clone();
        number(&RemoteGame { machine, journal, game })
    };
    let act = match serde_json::from_value(copy.act.clone())? {
        DeskAct::NameGames { games, unnamed } => DeskAct::NameGames {
            games: games.into_iter().filter_map(|(round, table, game)| Some((round, table, here(game)?))).collect(),
            unnamed: unnamed.into_iter().filter_map(here).collect(),
        },
        DeskAct::AssignGame { round, table, game } => match here(game) {
            Some(game) => DeskAct::AssignGame { round, table, game },
            // An act without effect keeps its place in the log.
            None => DeskAct::NameGames { games: Vec::new(), unnamed: Vec::new() },
        },
        other => other,
    };
    Ok(DeskEntry { wall_ms: copy.wall_ms, by: copy.by.clone(), act })
}

/// Returns the acts that lead from the desk of this hub to that of the other one. `own`: all acts here, `None` if some cannot be read;
/// `other`: all acts there, with the numbers of games here. `now_ms`: the time of day, Unix time in milliseconds.
pub(super) fn to_follow(own: Option<&[DeskEntry]>, other: Vec<DeskEntry>, now_ms: i64) -> Vec<DeskEntry> {
    if other.is_empty() {
        return Vec::new();
    }
    let is_same = |(one, other): (&DeskEntry, &DeskEntry)| one.wall_ms == other.wall_ms && one.by == other.by;
    if let Some(own) = own.filter(|own| own.len() <= other.len() && own.iter().zip(&other).all(is_same)) {
        let known = own.len();
        return other.into_iter().skip(known).collect();
    }
    // Acts of this hub are unknown there: it was the hub when they were done, and had lost the role.
    let desk_of = |entries: &[DeskEntry]| Desk::from_acts(entries.iter().map(|entry| &entry.act)).0;
    let desk = desk_of(&other);
    if own.is_some_and(|own| desk_of(own) == desk) {
        return Vec::new();
    }
    let games: BTreeMap<u64, (u16, u16)> = desk.places();
    let games = games.into_iter().map(|(game, (round, table))| (round, table, game)).collect();
    let acts = [DeskAct::Restore { desk: Box::new(desk) }, DeskAct::NameGames { games, unnamed: Vec::new() }];
    acts.map(|act| DeskEntry { wall_ms: now_ms, by: AUTHOR.to_owned(), act }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(wall_ms: i64, act: DeskAct) -> DeskEntry {
        DeskEntry { wall_ms, by: "Ann".to_owned(), act }
    }

    fn seat(table: u16, board: &str) -> DeskAct {
        DeskAct::Seat { table, board: board.to_owned(), serial_number: None }
    }

    #[test]
    fn games_get_the_numbers_of_this_journal() {
        let source = |game| (game == 5).then(|| RemoteGame { machine: "pi-01".to_owned(), journal: "j".to_owned(), game: 1 });
        let named = entry(1, DeskAct::NameGames { games: vec![(1, 2, 5), (1, 3, 6)], unnamed: vec![5] });
        let copied = copy(&named, source);
        let adopted = adopt(&copied, |game| (game.machine == "pi-01" && game.game == 1).then_some(9));
        let expected = DeskAct::NameGames { games: vec![(1, 2, 9)], unnamed: vec![9] };
        assert_eq!(adopted.ok(), Some(entry(1, expected)));
    }

    #[test]
    fn a_log_that_goes_on_is_continued_and_another_one_is_replaced() {
        let common = [entry(1, seat(1, "a")), entry(2, seat(2, "b"))];
        let there = [&common[..], &[entry(3, seat(3, "c"))]].concat();
        assert_eq!(to_follow(Some(&common), there.clone(), 9), there[2..]);
        assert_eq!(to_follow(Some(&there), there.clone(), 9), []);
        assert_eq!(to_follow(Some(&common), Vec::new(), 9), []);
        // This one knows an act that the other one has not got.
        let here = [&common[..], &[entry(4, seat(3, "d"))]].concat();
        let acts = to_follow(Some(&here), there.clone(), 9);
        let all: Vec<&DeskAct> = here.iter().chain(&acts).map(|entry| &entry.act).collect();
        let (desk, errors) = Desk::from_acts(all.into_iter());
        assert_eq!((desk, errors), Desk::from_acts(there.iter().map(|entry| &entry.act)));
    }
}
