//! A round as a table for people: who plays whom, with which result, on which board.

use crate::ctl::columns::{cut, left, right, widest};
use crate::ctl::tables;
use crate::game::words::Word;
use crate::publish::desk::{DeskReport, TableReport, TableState};
use crate::round::{Bye, ByeKind, Pairing, PairingResult, Player};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Between two columns.
const GAP: &str = "  ";
/// Minimum and maximum width of a player's name.
const MIN_NAME: usize = 12;
const MAX_NAME: usize = 40;

/// Returns a row for each playing table of the round: players, result, board and game. `width`: of a row, in columns of a terminal.
pub(super) fn describe(report: &DeskReport, width: usize) -> String {
    let Some(round) = &report.round else { return String::new() };
    let mut text = format!("Round {}", round.number);
    for detail in [&round.event, &round.site, &round.date, &round.time_control].into_iter().flatten() {
        let _ = write!(text, ", {detail}");
    }
    text.push('\n');
    let mut pairings: Vec<&Pairing> = round.pairings.iter().collect();
    pairings.sort_by_key(|pairing| pairing.table);
    let (mut rows, mut without_board, mut without_result) = (Vec::new(), Vec::new(), Vec::new());
    for pairing in pairings {
        let at = report.tables.iter().find(|table| table.table == pairing.table);
        let state = at.and_then(|table| table.state);
        let result = at.and_then(|table| table.result).or(pairing.result);
        let is_forfeit = result.is_some_and(PairingResult::is_forfeit);
        let place = if is_forfeit { String::new() } else { place(pairing, at) };
        if state == Some(TableState::ResultMissing) {
            without_result.push(pairing.table);
        }
        if state == Some(TableState::NotBegun) && at.is_some_and(|table| table.seat.is_none()) {
            without_board.push(pairing.table);
        }
        let result = match (result, state) {
            (Some(result), _) => result.word(),
            (None, Some(TableState::InPlay)) => "*",
            (None, Some(TableState::ResultMissing)) => "missing",
            (None, _) => "",
        };
        let result = if at.is_some_and(|table| table.differs) { format!("{result} !") } else { result.to_owned() };
        let players = [&pairing.white, &pairing.black];
        rows.push(Row { table: pairing.table.to_string(), players, result, place });
    }
    text.push_str(&aligned(&rows, width));
    if !round.byes.is_empty() {
        let bye = |bye: &Bye| format!("{} ({})", bye.player.titled_name(), bye_word(bye.kind));
        let _ = writeln!(text, "Bye: {}", round.byes.iter().map(bye).collect::<Vec<_>>().join("; "));
    }
    if !without_result.is_empty() {
        let tables = tables::named(&without_result);
        let _ = writeln!(text, "Result missing at {tables}: run `touchmovectl round result TABLE RESULT`");
    }
    if !without_board.is_empty() {
        let tables = tables::named(&without_board);
        let _ =
            writeln!(text, "No board is seated at {tables}: run `touchmovectl seat by-touch` or `touchmovectl seat by-name`");
    }
    let differs: Vec<u16> = report.tables.iter().filter(|table| table.differs).map(|table| table.table).collect();
    if !differs.is_empty() {
        let _ = writeln!(text, "! The game ended with another result than the one entered at {}", tables::named(&differs));
    }
    text
}

/// Returns the kind of a bye in words, such as `half point`.
pub(super) fn bye_word(kind: ByeKind) -> String {
    kind.word().replace('_', " ")
}

/// Returns the board and the game of a table: the one with a result, else the last one with a move.
fn place(pairing: &Pairing, at: Option<&TableReport>) -> String {
    let games = at.map_or(&[][..], |table| &table.games);
    let over = games.iter().find(|game| game.result != "*");
    if let Some(game) = over.or_else(|| games.iter().rfind(|game| game.has_moves)).or(games.last()) {
        return format!("{}, game {}", game.board, game.game);
    }
    match at.map(|table| &table.seat) {
        Some(Some(seat)) if seat.connection == "absent" => format!("{} (absent)", seat.board),
        Some(Some(seat)) => seat.board.clone(),
        Some(None) => "no board".to_owned(),
        None => pairing.board.clone().or(pairing.serial.clone()).unwrap_or_default(),
    }
}

/// A row of the table.
struct Row<'a> {
    table: String,
    players: [&'a Player; 2],
    result: String,
    /// Board and game.
    place: String,
}

/// Returns the name of a player with title and rating.
fn rated_name(player: &Player) -> String {
    let rating = player.rating.map_or_else(String::new, |rating| format!(" {rating}"));
    player.titled_name() + &rating
}

/// Returns the name of a player in a column of this width: without the rating, if that does not fit.
fn fitted_name(player: &Player, width: usize) -> String {
    let rated = rated_name(player);
    let name = if rated.width() <= width { rated } else { player.titled_name() };
    left(&name, width)
}

/// Aligns the rows in columns that fit the width: table, White, result, Black, board and game.
fn aligned(rows: &[Row<'_>], width: usize) -> String {
    let (white, black) = rows.iter().fold((0, 0), |(white, black), Row { players: [first, second], .. }| {
        (white.max(rated_name(first).width()), black.max(rated_name(second).width()))
    });
    let (table, result, place) = (
        widest(rows.iter().map(|row| row.table.as_str())),
        widest(rows.iter().map(|row| row.result.as_str())),
        widest(rows.iter().map(|row| row.place.as_str())),
    );
    let free = width.saturating_sub(table + result + place + 4 * GAP.len()) / 2;
    let most = free.clamp(MIN_NAME, MAX_NAME);
    let (white, black) = (white.min(most), black.min(most));
    let place = width.saturating_sub(table + white + result + black + 4 * GAP.len());
    let mut text = String::new();
    for row in rows {
        let [first, second] = row.players;
        let columns = [
            right(&row.table, table),
            fitted_name(first, white),
            left(&row.result, result),
            fitted_name(second, black),
            cut(&row.place, place),
        ];
        text.push_str(columns.join(GAP).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::desk::{GameReport, SeatReport};
    use crate::round::Round;
    use crate::round::trf::TableOrder;

    const PAIRINGS: &str = "Table,White,White Title,White Rating,Black,Black Title,Result
1,\"Xiong, Jeffery\",GM,2700,\"丁立人\",GM,
2,\"Venkatanarasimharajuvaripeta, Ramanathan\",,,\"Li, Yiheng\",IM,
3,\"Ree, Hans\",GM,,\"Hort, Vlastimil\",GM,
4,\"Adams, Ann\",,,\"Baker, Bob\",,+--
5,\"Cole, Cid\",,,\"Dean, Dan\",,
12,\"Ely, Eve\",,,\"Fox, Flo\",,
";

    fn table(table: u16, state: TableState, result: Option<PairingResult>, game: Option<u64>) -> TableReport {
        let board = format!("board_{table}");
        let seat = SeatReport { board: board.clone(), serial_number: None, connection: "ready".to_owned() };
        let games = game.map(|id| game_report(id, &board)).into_iter().collect();
        TableReport { table, seat: Some(seat), state: Some(state), result, differs: false, games }
    }

    fn game_report(id: u64, board: &str) -> GameReport {
        GameReport { game: id, board: board.to_owned(), result: "*".to_owned(), has_moves: true, ..GameReport::default() }
    }

    /// A round with a game that is won, in play, without result, forfeited, without board, and not begun.
    fn rows(width: usize) -> Vec<String> {
        let mut round = Round::read(PAIRINGS, Some(3), &TableOrder::Unknown).unwrap();
        let bye = |name: &str, kind| Bye { player: Player::with_title(name), kind };
        round.byes = vec![bye("IM Gee, Gil", ByeKind::HalfPoint), bye("Hay, Hal", ByeKind::PairingAllocated)];
        let tables = vec![
            table(1, TableState::Ended, Some(PairingResult::WhiteWins), Some(1)),
            table(2, TableState::InPlay, None, Some(2)),
            table(3, TableState::ResultMissing, None, Some(3)),
            table(4, TableState::Ended, Some(PairingResult::WhiteWinsByForfeit), None),
            TableReport { seat: None, ..table(5, TableState::NotBegun, None, None) },
            table(12, TableState::NotBegun, None, None),
        ];
        let report = DeskReport { round: Some(round), tables, ..DeskReport::default() };
        describe(&report, width).lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_pairing_has_its_result() {
        let words = |row: &String| row.split_whitespace().collect::<Vec<_>>().join(" ");
        let rows: Vec<String> = rows(120).iter().map(words).collect();
        assert_eq!(
            rows,
            [
                "Round 3",
                "1 GM Xiong, Jeffery 2700 1-0 GM 丁立人 board_1, game 1",
                "2 Venkatanarasimharajuvaripeta, Ramanathan * IM Li, Yiheng board_2, game 2",
                "3 GM Ree, Hans missing GM Hort, Vlastimil board_3, game 3",
                "4 Adams, Ann +-- Baker, Bob",
                "5 Cole, Cid Dean, Dan no board",
                "12 Ely, Eve Fox, Flo board_12",
                "Bye: IM Gee, Gil (half point); Hay, Hal (pairing allocated)",
                "Result missing at table 3: run `touchmovectl round result TABLE RESULT`",
                "No board is seated at table 5: run `touchmovectl seat by-touch` or `touchmovectl seat by-name`",
            ]
        );
    }

    #[test]
    fn columns_survive_long_and_wide_names() {
        for width in [60, 80, 120] {
            let rows = rows(width);
            let column = |row: &str, text: &str| row.find(text).map(|at| row[..at].width());
            let places = [column(&rows[1], "board_1,"), column(&rows[2], "board_2,"), column(&rows[3], "board_3,")];
            assert!(places[0].is_some() && places.iter().all(|place| *place == places[0]), "{rows:#?}");
            assert!(rows[1..7].iter().all(|row| row.width() <= width), "{rows:#?}");
        }
    }

    #[test]
    fn a_rating_is_shown_whole_or_not_at_all() {
        let row = |width: usize| rows(width).remove(1);
        assert!(row(80).starts_with(" 1  GM Xiong, Jeffery 2700    1-0"), "{}", row(80));
        assert!(row(70).starts_with(" 1  GM Xiong, Jeffery    1-0"), "{}", row(70));
        assert!(row(60).starts_with(" 1  GM Xiong, Jef…  1-0"), "{}", row(60));
    }
}
