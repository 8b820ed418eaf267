//! A round day with 60 boards, from an empty state directory to the export of the third round: with the page alone, in a browser, and
//! with the command line alone; with all boards at one touchmoved, and spread over the machines of a hall.
//!
//! All days are the same script, [`play_day`]; [`Desk`] is what its people do at the desk. In the end, every game, name and result is
//! compared with the [`truth`], also as programs of others read them. `UPDATE=1` takes the screenshots of the page.

mod command_line;
mod files;
mod hall;
mod page;
mod site;
mod truth;

use command_line::CommandLine;
use hall::Hall;
use page::Page;
use std::path::PathBuf;
use touchmove::round::{PairingResult, Player};
use truth::{ROUNDS, TABLES, Truth};

/// What happens at which table. Tables 1 to [`LAST_ENTERED`]: the results are entered at the desk; at the others the players signal them.
const LAST_ENTERED: u16 = 4;
const SWAPPED: (u16, u16) = (5, 6);
const ILLEGAL: u16 = 7;
const MISSING: u16 = 9;
const FORFEITS: [(u16, u16, PairingResult); 2] =
    [(1, 11, PairingResult::WhiteWinsByForfeit), (2, 12, PairingResult::BlackWinsByForfeit)];
const BROKEN: u16 = 20;
const TAKEN_BACK: u16 = 21;
/// The table of a player who was not in the pairings.
const LATE: u16 = 30;

/// What the people at the desk do.
trait Desk {
    /// Loads a round from a file.
    async fn load_round(&mut self, file: &std::path::Path, round: u16);
    /// Starts a round that is loaded.
    async fn start_round(&mut self, round: u16);
    /// Seats all boards: White's king is lifted at one table after the other.
    async fn seat_by_touch(&mut self, hall: &mut Hall);
    /// Corrects Black at a table.
    async fn replace_black(&mut self, table: u16, white: &Player, black: &Player);
    /// Swaps the players of two tables.
    async fn swap(&mut self, one: u16, other: u16);
    /// Enters the result of a table of the present round.
    async fn enter_result(&mut self, table: u16, result: PairingResult);
    /// The tables of the present round whose results are missing, once there are any.
    async fn missing(&mut self) -> Vec<u16>;
    /// The arbiter restores the position before an illegal move, after a preview of that.
    async fn restore(&mut self, table: u16, board: &str);
    /// The arbiter takes back the last move of the game on this board.
    async fn take_back(&mut self, board: &str);
    /// The arbiter undoes the last ruling.
    async fn undo(&mut self, board: &str);
    /// The game at a table continues on another board.
    async fn exchange(&mut self, table: u16, from: &str, to: &str);
    /// Waits until the desk shows the board of a table as away, with the pairing.
    async fn shows_away(&mut self, table: u16, white: &Player, black: &Player);
    /// Returns an export of a round.
    async fn export(&mut self, format: &str, round: u16) -> String;
}

/// Plays the day.
async fn play_day(hall: &mut Hall, desk: &mut impl Desk) {
    let mut truth = truth::plan();
    for (round, table, result) in FORFEITS {
        let game = truth.get_mut(&(round, table)).unwrap();
        (game.moves, game.result) = (Vec::new(), result);
    }
    let planned = as_paired(&truth);
    let files: Vec<PathBuf> = (1..=ROUNDS).map(|round| hall.dir.path().join(format!("round-{round}.csv"))).collect();
    for (round, file) in (1..).zip(&files) {
        std::fs::write(file, truth::pairings_file(&planned, round)).unwrap();
    }

    desk.load_round(&files[0], 1).await;
    desk.seat_by_touch(hall).await;
    first_round(hall, desk, &truth, &files[1]).await;
    end_round(hall, desk, &truth, 1, &[MISSING]).await;
    assert_eq!(desk.missing().await, [MISSING]);
    desk.enter_result(MISSING, truth[&(1, MISSING)].result).await;

    desk.start_round(2).await;
    second_round(hall, desk, &truth).await;
    end_round(hall, desk, &truth, 2, &[]).await;

    desk.load_round(&files[2], 3).await;
    desk.start_round(3).await;
    hall.play(&truth, 3, &played(&truth, 3), usize::MAX).await;
    end_round(hall, desk, &truth, 3, &[]).await;

    files::check_tournament(&truth, &desk.export("trf", ROUNDS).await);
    for round in 1..=ROUNDS {
        files::check_results(&truth, round, &desk.export("csv", round).await);
        files::check_games(&truth, round, &desk.export("pgn", round).await);
    }
}

/// The pairings as the pairing program has them: two tables are swapped, and a player is missing.
fn as_paired(truth: &Truth) -> Truth {
    let mut paired = truth.clone();
    let (one, other) = (truth[&(1, SWAPPED.0)].clone(), truth[&(1, SWAPPED.1)].clone());
    paired.insert((1, SWAPPED.0), other);
    paired.insert((1, SWAPPED.1), one);
    paired.get_mut(&(1, LATE)).unwrap().black = Player { name: "Nemo, N.".to_owned(), ..Player::default() };
    paired
}

/// The tables at which a game is played in a round.
fn played(truth: &Truth, round: u16) -> Vec<u16> {
    (1..=TABLES).filter(|table| !truth[&(round, *table)].moves.is_empty()).collect()
}

/// A forfeit, a late player, a swap, an illegal move. The next round is loaded while games go on.
async fn first_round(hall: &mut Hall, desk: &mut impl Desk, truth: &Truth, next: &std::path::Path) {
    let (tables, plies) = (played(truth, 1), 4);
    desk.enter_result(FORFEITS[0].1, FORFEITS[0].2).await;
    hall.play(truth, 1, &tables, plies).await;
    let late = &truth[&(1, LATE)];
    desk.replace_black(LATE, &late.white, &late.black).await;
    desk.swap(SWAPPED.0, SWAPPED.1).await;
    let game = &truth[&(1, ILLEGAL)];
    hall.make_illegal_move(ILLEGAL, game, plies).await;
    desk.restore(ILLEGAL, hall.board(ILLEGAL)).await;
    hall.restore(ILLEGAL, game, plies).await;
    hall.play(truth, 1, &tables, plies + 2).await;
    desk.load_round(next, 2).await;
    hall.play(truth, 1, &tables, usize::MAX).await;
}

/// A forfeit, a broken board, a ruling undone, a restart while the cable of a row is out.
async fn second_round(hall: &mut Hall, desk: &mut impl Desk, truth: &Truth) {
    let (tables, plies) = (played(truth, 2), 4);
    desk.enter_result(FORFEITS[1].1, FORFEITS[1].2).await;
    hall.play(truth, 2, &tables, plies).await;

    let spare = hall.spare().to_owned();
    hall.set_position(&spare, &truth[&(2, BROKEN)].position(plies)).await;
    desk.exchange(BROKEN, hall.board(BROKEN), &spare).await;
    hall.exchanged(BROKEN).await;

    desk.take_back(hall.board(TAKEN_BACK)).await;
    desk.undo(hall.board(TAKEN_BACK)).await;

    hall.restart_without_row().await;
    let away = hall.tables_of_loose_row();
    let game = &truth[&(2, away[0])];
    desk.shows_away(away[0], &game.white, &game.black).await;
    let others: Vec<u16> = tables.iter().copied().filter(|table| !away.contains(table)).collect();
    hall.play(truth, 2, &others, plies + 2).await;
    hall.plug_row().await;
    hall.play(truth, 2, &tables, usize::MAX).await;
}

/// All games of a round get their results, except those at the tables `without`, and the pieces are put up again.
async fn end_round(hall: &mut Hall, desk: &mut impl Desk, truth: &Truth, round: u16, without: &[u16]) {
    let tables = played(truth, round);
    let is_signalled = |table: &u16| *table > LAST_ENTERED && !without.contains(table);
    let signalled: Vec<u16> = tables.iter().copied().filter(is_signalled).collect();
    hall.signal_results(truth, round, &signalled).await;
    for table in 1..=LAST_ENTERED {
        desk.enter_result(table, truth[&(round, table)].result).await;
    }
    hall.set_up(&tables).await;
}

#[tokio::test]
async fn a_round_day_in_the_browser() {
    let Some(browser) = crate::harness::webdriver::Browser::open() else { return };
    let Some(mut hall) = Hall::open().await else { return };
    let mut desk = Page::open(browser, &hall);
    play_day(&mut hall, &mut desk).await;
    desk.close();
}

#[tokio::test]
async fn a_round_day_on_the_command_line() {
    let Some(mut hall) = Hall::open().await else { return };
    let mut desk = CommandLine::new(&hall);
    play_day(&mut hall, &mut desk).await;
}

#[tokio::test]
async fn a_round_day_over_twelve_machines_in_the_browser() {
    let Some(browser) = crate::harness::webdriver::Browser::open() else { return };
    let Some(mut hall) = Hall::open_with_machines().await else { return };
    let mut desk = Page::open(browser, &hall);
    play_day(&mut hall, &mut desk).await;
    desk.close();
}

#[tokio::test]
async fn a_round_day_over_twelve_machines_on_the_command_line() {
    let Some(mut hall) = Hall::open_with_machines().await else { return };
    let mut desk = CommandLine::new(&hall);
    play_day(&mut hall, &mut desk).await;
}
