//! Games that exist as files but are not in memory: after a start, until their boards are connected.

use crate::publish::public::{Document, PageForm, PublicPath, PublicTournament, View, render};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The games whose files are kept, by round and table.
pub(super) struct StoredGames<'a> {
    dir: &'a Path,
    tables: BTreeSet<(u16, u16)>,
    /// Whether the standings are kept as well.
    keeps_standings: bool,
}

impl StoredGames<'_> {
    /// Finds the games that are not in memory, and of which a file has the moves. `is_written`: whether this process has written a
    /// file; then a game without moves has none any more.
    pub(super) fn find<'a>(dir: &'a Path, tournament: &PublicTournament, is_written: impl Fn(&str) -> bool) -> StoredGames<'a> {
        let is_stored = |path: PublicPath, players: [(&str, Option<u32>); 2], has_empty_game: bool| {
            let name = path.file_name();
            !(has_empty_game && is_written(&name)) && read_json(&dir.join(name)).is_some_and(|game| is_game_of(&game, players))
        };
        let keeps_standings = tournament.keeps_standings(|| read_json(&dir.join(PublicPath::Standings.file_name())));
        StoredGames { dir, tables: tournament.games_not_in_memory(is_stored), keeps_standings }
    }

    /// Returns whether this file belongs to such a game, and is kept if it exists.
    pub(super) fn has(&self, path: PublicPath) -> bool {
        path.place().is_some_and(|place| self.tables.contains(&place))
    }

    /// Returns whether this file is there and is kept.
    pub(super) fn keeps(&self, path: PublicPath) -> bool {
        let is_kept = match path {
            PublicPath::Standings | PublicPath::Page(View::Standings) => self.keeps_standings,
            _ => self.has(path),
        };
        is_kept && self.dir.join(path.file_name()).exists()
    }

    /// Returns a document or a page, with the games of files in place of those that are not in memory. `paths`: all that there are.
    pub(super) fn render(
        &self,
        tournament: &PublicTournament,
        path: PublicPath,
        paths: &[PublicPath],
        form: &PageForm<'_>,
    ) -> Option<Document> {
        let document = render(tournament, path, form)?;
        let is_affected = path.round().is_some_and(|round| self.tables.range((round, 0)..=(round, u16::MAX)).next().is_some());
        let text = match path {
            PublicPath::Round(round) if is_affected => self.complete_round(round, &document.text)?,
            PublicPath::RoundPgn(round) if is_affected => {
                let games = paths.iter().filter(|path| matches!(path, PublicPath::GamePgn(of_game, _) if *of_game == round));
                let pgn = |path: &PublicPath| {
                    let stored = self.has(*path).then(|| fs::read_to_string(self.dir.join(path.file_name())).ok()).flatten();
                    stored.or_else(|| Some(render(tournament, *path, form)?.text))
                };
                games.filter_map(pgn).collect()
            }
            _ => return Some(document),
        };
        Some(Document { text, ..document })
    }

    /// Adds the games of files to the document of a round.
    fn complete_round(&self, round: u16, text: &str) -> Option<String> {
        let mut document: Value = serde_json::from_str(text).ok()?;
        for table in document.get_mut("tables")?.as_array_mut()? {
            let number = table["table"].as_u64().and_then(|number| u16::try_from(number).ok());
            let Some(number) = number.filter(|number| self.tables.contains(&(round, *number))) else { continue };
            let stored = read_json(&self.dir.join(PublicPath::Game(round, number).file_name()));
            if let Some(state) = stored.and_then(|mut game| Some(game.get_mut("state")?.take())) {
                complete_table(table, state, round, number);
            }
        }
        serde_json::to_string(&document).ok()
    }
}

/// Adds a game with this state to a table. A result that is known of the table is newer.
fn complete_table(table: &mut Value, mut state: Value, round: u16, number: u16) {
    let (known, progress) = (table["state"]["result"].take(), table["state"]["state"].take());
    if known != "*" && known != state["result"] {
        (state["result"], state["state"], state["reason"]) = (known, progress, Value::Null);
    }
    table["state"] = state;
    table["game"] = json!(format!("round/{round}/table/{number}.json"));
}

/// Returns whether the document of a game has moves, and names these players and no others, with no number that is not published.
fn is_game_of(game: &Value, players: [(&str, Option<u32>); 2]) -> bool {
    let is_player = |(colour, (name, fide_id)): (&str, (&str, Option<u32>))| {
        let stored = game.get(colour);
        let stored_id = stored.and_then(|player| player.get("fide_id"));
        stored.and_then(|player| player.get("name")).is_some_and(|stored| stored == name)
            && stored_id.is_none_or(|stored| stored.as_u64() == fide_id.map(u64::from))
    };
    let has_moves = game.get("moves").and_then(Value::as_array).is_some_and(|moves| !moves.is_empty());
    has_moves && game.get("state").is_some_and(Value::is_object) && ["white", "black"].into_iter().zip(players).all(is_player)
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_kept_only_if_it_names_the_same_players() {
        let game = json!({"white": {"name": "Ada", "fide_id": 7}, "black": {"name": "Bob"}, "moves": [{}], "state": {}});
        assert!(is_game_of(&game, [("Ada", Some(7)), ("Bob", None)]));
        assert!(is_game_of(&game, [("Ada", Some(7)), ("Bob", Some(8))]));
        assert!(!is_game_of(&game, [("Ada", None), ("Bob", None)]), "the number is not published any more");
        assert!(!is_game_of(&game, [("Player 1", None), ("Bob", None)]));
        let empty = json!({"white": {"name": "Ada"}, "black": {"name": "Bob"}, "moves": [], "state": {}});
        assert!(!is_game_of(&empty, [("Ada", None), ("Bob", None)]));
    }

    #[test]
    fn a_table_has_the_stored_game_and_the_newer_result() {
        let stored = || json!({"state": "playing", "result": "*", "reason": null, "ply": 2});
        let mut table = json!({"table": 4, "game": null, "state": {"state": "waiting", "result": "*"}});
        complete_table(&mut table, stored(), 2, 4);
        assert_eq!((&table["state"]["state"], &table["state"]["ply"]), (&json!("playing"), &json!(2)));
        assert_eq!(table["game"], "round/2/table/4.json");
        let mut table = json!({"table": 4, "game": null, "state": {"state": "finished", "result": "1-0"}});
        complete_table(&mut table, stored(), 2, 4);
        assert_eq!((&table["state"]["state"], &table["state"]["result"]), (&json!("finished"), &json!("1-0")));
    }
}
