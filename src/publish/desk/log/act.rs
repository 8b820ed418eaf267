//! What was done at the desk in a round, as lines of the arbiter's log.

use super::LogLine;
use crate::desk::{Desk, DeskAct, DeskEntry};
use crate::game::words::Word;
use crate::locale::{self, Locale};
use crate::publish::desk::export::is_continued;
use crate::publish::desk::report::{GameReport, TableReport};
use crate::round::{Bye, PairingResult, Player};

/// Returns a line for each act that concerns a round: its pairings and results, and the seats that were changed while it was played.
/// `tables`: those of the round.
pub(super) fn lines(entries: &[DeskEntry], round: u16, tables: &[TableReport], locale: Locale) -> Vec<LogLine> {
    // Acts that are stored already name players who are not named any more.
    let forgetting = entries.iter().map(|entry| &entry.act).filter(|act| matches!(act, DeskAct::Forget { .. }));
    let (desk, _) = Desk::from_acts(forgetting);
    let words = Words { locale, tables, desk };
    let mut current = None;
    let mut lines = Vec::new();
    for DeskEntry { wall_ms, by, act } in entries {
        match act {
            DeskAct::LoadRound { round } => _ = current.get_or_insert(round.number),
            DeskAct::StartRound { round } => current = Some(*round),
            DeskAct::Restore { desk } => current = desk.current_round,
            _ => {}
        }
        if let Some((of_round, what)) = words.describe(act)
            && of_round.or(current) == Some(round)
        {
            lines.push(LogLine { wall_ms: *wall_ms, place: String::new(), what, by: by.clone() });
        }
    }
    lines
}

/// The words for acts.
struct Words<'a> {
    locale: Locale,
    tables: &'a [TableReport],
    /// Which players are not named any more.
    desk: Desk,
}

impl Words<'_> {
    fn word(&self, key: &str, args: &[(&'static str, String)]) -> String {
        locale::page_word(self.locale, key, args)
    }

    fn name(&self, player: &Player) -> String {
        self.desk.named(player).titled_name()
    }

    fn of_table(&self, key: &str, table: u16) -> String {
        self.word(key, &[("table", table.to_string())])
    }

    fn at(&self, table: u16, what: &str) -> String {
        format!("{}: {what}", self.of_table("page-table", table))
    }

    /// Returns the round of an act, and what was done. A seat belongs to no round. `None`: touchmoved did it by itself.
    fn describe(&self, act: &DeskAct) -> Option<(Option<u16>, String)> {
        let of_round = |key: &str, round: u16| (Some(round), self.word(key, &[("round", round.to_string())]));
        Some(match act {
            DeskAct::Seat { table, board, .. } if self.is_exchange(*table, board) => {
                (None, self.at(*table, &self.word("page-desk-exchanged", &[("board", board.clone())])))
            }
            DeskAct::Seat { table, board, .. } => {
                (None, self.word("page-desk-seated", &[("board", board.clone()), ("table", table.to_string())]))
            }
            DeskAct::Unseat { table } => (None, self.of_table("page-desk-unseated", *table)),
            DeskAct::SeatAll { seats } => (None, self.word("page-desk-boards-seated", &[("count", seats.len().to_string())])),
            DeskAct::LoadRound { round } => of_round("page-desk-round-loaded", round.number),
            DeskAct::StartRound { round } => of_round("page-desk-round-started", *round),
            DeskAct::RemoveRound { round } => of_round("log-round_removed", *round),
            DeskAct::Pair { round, pairing, .. } => {
                let players = format!("{} – {}", self.name(&pairing.white), self.name(&pairing.black));
                (Some(*round), self.at(pairing.table, &players))
            }
            DeskAct::Unpair { round, table } => (Some(*round), self.of_table("log-pairing_removed", *table)),
            DeskAct::Byes { round, byes } => (Some(*round), self.byes(byes)),
            DeskAct::Swap { round, one, other } => {
                let tables = [("one", one.to_string()), ("other", other.to_string())];
                (Some(*round), self.word("page-desk-players-swapped", &tables))
            }
            DeskAct::ReverseColours { round, table } => (Some(*round), self.of_table("page-desk-colours-reversed", *table)),
            DeskAct::Result { round, table, result: None } => (Some(*round), self.of_table("log-result_removed", *table)),
            DeskAct::Result { round, table, result: Some(result) } => (Some(*round), self.at(*table, &self.result(*result))),
            DeskAct::AssignGame { round, table, game } => {
                (Some(*round), self.at(*table, &self.word("page-desk-game", &[("game", game.to_string())])))
            }
            DeskAct::Forget { .. } => (None, self.word("log-player_forgotten", &[])),
            DeskAct::NameGames { .. } | DeskAct::Restore { .. } => return None,
        })
    }

    /// Whether a game of this table went on on this board.
    fn is_exchange(&self, table: u16, board: &str) -> bool {
        let games = self.tables.iter().find(|known| known.table == table).map_or(&[][..], |known| &known.games);
        let went_on = |game: &&GameReport| is_continued(games, game);
        let is_last = games.iter().any(|game| game.board == board && !is_continued(games, game));
        is_last && games.iter().filter(went_on).any(|game| game.board != board)
    }

    fn result(&self, result: PairingResult) -> String {
        let meaning = match result {
            PairingResult::WhiteWinsByForfeit => "page-forfeit-white",
            PairingResult::BlackWinsByForfeit => "page-forfeit-black",
            PairingResult::BothForfeit => "page-forfeit-nobody",
            PairingResult::BothLose => return format!("{} {}", result.word(), self.word("page-desk-both-lose", &[])),
            PairingResult::Adjourned => return self.word("page-desk-adjourned", &[]),
            PairingResult::WhiteWins | PairingResult::BlackWins | PairingResult::Draw => return result.word().to_owned(),
        };
        format!("{} ({})", result.word(), self.word(meaning, &[]))
    }

    fn byes(&self, byes: &[Bye]) -> String {
        let bye = |bye: &Bye| {
            let kind = self.word(&format!("page-bye-{}", bye.kind.word()), &[]);
            format!("{} ({kind})", self.name(&bye.player))
        };
        let list: Vec<String> = byes.iter().map(bye).collect();
        let list = if list.is_empty() { "–".to_owned() } else { list.join(", ") };
        format!("{} {list}", self.word("page-desk-byes", &[]))
    }
}
