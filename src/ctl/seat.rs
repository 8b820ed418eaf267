//! `touchmovectl seat`: which board is at which playing table.

use super::completion;
use super::service::{Service, confirm, print, print_json};
use crate::desk::{DeskAct, Seat, seats_from_round};
use crate::link::watch::natural_sort_key;
use crate::publish::client::{Client, ClientError, WatchItem};
use crate::publish::desk::{DeskReport, SeatReport};
use std::collections::BTreeMap;
use std::fmt::Write;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};

/// Seat the boards: which board is at which playing table
///
/// A seat stays until somebody changes it: over restarts, while the board is away, and for all rounds. A board is found by its serial
/// number wherever it is plugged in; by its name if it has none. A table without a board gets no game, and a board without a table
/// gets no pairing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl seat by-touch
  touchmovectl seat by-name
  touchmovectl seat show
  touchmovectl seat set 7 spare_1
  touchmovectl seat remove 7")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show the seats, and the boards without one
    #[command(after_help = "Examples:\n  touchmovectl seat show\n  touchmovectl seat show --json")]
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        service: Service,
    },
    /// Seat a board at a table
    #[command(after_help = "Example:\n  touchmovectl seat set 7 spare_1")]
    Set {
        /// The table
        #[arg(value_parser = clap::value_parser!(u16).range(1..))]
        table: u16,
        /// Name of the board, see `touchmovectl list`
        #[arg(add = completion::boards())]
        board: String,
        #[command(flatten)]
        service: Service,
    },
    /// Remove the board from a table
    #[command(after_help = "Example:\n  touchmovectl seat remove 7")]
    Remove {
        /// The table
        #[arg(add = completion::tables())]
        table: u16,
        #[command(flatten)]
        service: Service,
    },
    /// Seat the boards that have no seat, in the order of their names, at the tables that have no board
    ///
    /// If a round is played, only its tables get boards, and the other boards stay without a seat.
    #[command(after_help = "Examples:\n  touchmovectl seat by-name\n  touchmovectl seat by-name --from 31 --yes")]
    ByName {
        /// First table
        #[arg(long, value_name = "TABLE", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        from: u16,
        #[command(flatten)]
        yes: Yes,
        #[command(flatten)]
        service: Service,
    },
    /// Seat the boards that the file of pairings names, in its columns board or serial
    #[command(after_help = "Examples:\n  touchmovectl seat from-round\n  touchmovectl seat from-round --round 3 --yes")]
    FromRound {
        /// Number of the loaded round [default: the one that is played]
        #[arg(long, value_name = "N")]
        round: Option<u16>,
        #[command(flatten)]
        yes: Yes,
        #[command(flatten)]
        service: Service,
    },
    /// Seat boards by lifting the white king at one table after the other
    ///
    /// Set up the start position on all boards first. While it runs, Enter skips a table, u and Enter undoes the last seat, q and Enter ends.
    #[command(after_help = "Examples:\n  touchmovectl seat by-touch\n  touchmovectl seat by-touch --from 31 --to 60")]
    ByTouch {
        /// First table
        #[arg(long, value_name = "TABLE", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        from: u16,
        /// Last table [default: the last one of the round, else when all boards have a seat]
        #[arg(long, value_name = "TABLE")]
        to: Option<u16>,
        #[command(flatten)]
        service: Service,
    },
}

/// Whether to ask before the change.
#[derive(Debug, clap::Args)]
struct Yes {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Show { json, service } => {
            let report = service.connect().await?.desk(None).await?;
            if json { print_json(&report) } else { Ok(print(&describe(&report))?) }
        }
        What::Set { table, board, service } => {
            let client = service.connect().await?;
            let before = client.desk(None).await?;
            let act = DeskAct::Seat { table, board: board.clone(), serial_number: None };
            client.change_seen_desk(&act, Some(before.n)).await?;
            Ok(print(&format!("{}\n", changed_seat(&before, table, &board)))?)
        }
        What::Remove { table, service } => {
            service.connect().await?.change_desk(&DeskAct::Unseat { table }).await?;
            Ok(print(&format!("no board is seated at table {table} now\n"))?)
        }
        What::ByName { from, yes, service } => {
            let client = service.connect().await?;
            let report = client.desk(None).await?;
            let seats = seats_by_name(&report, from);
            let unseated = unseated(&report, &seats);
            if unseated > 0 {
                print(&format!("Boards that stay without a seat, because the round has no table for them: {unseated}\n"))?;
            }
            let nothing = if unseated > 0 { "every table of the round has a board" } else { "every board has a seat" };
            change_seats(&client, &report, seats, nothing, yes.yes).await
        }
        What::FromRound { round, yes, service } => {
            let client = service.connect().await?;
            let report = client.desk(round).await?;
            let round = report.round.as_ref();
            let round =
                round.ok_or_else(|| ClientError::NotFound("no round is loaded: `touchmovectl round load FILE`".to_owned()))?;
            let seats = seats_from_round(round, &seats_of(&report));
            let nothing = match round.pairings.iter().any(|pairing| pairing.board.is_some() || pairing.serial.is_some()) {
                true => "the round names no board that is not seated there already",
                false => "the pairings have no column board or serial",
            };
            change_seats(&client, &report, seats, nothing, yes.yes).await
        }
        What::ByTouch { from, to, service } => by_touch(&service.connect().await?, from, to).await,
    }
}

/// Returns the seats of a report.
fn seats_of(report: &DeskReport) -> BTreeMap<u16, Seat> {
    report.tables.iter().filter_map(|table| Some((table.table, seat(table.seat.as_ref()?)))).collect()
}

fn seat(board: &SeatReport) -> Seat {
    Seat { board: board.board.clone(), serial_number: board.serial_number.clone() }
}

/// Seats the boards without a seat, in the order of their names, at the tables without a board from this one on: those of the round
/// that is played, or any if there is none.
fn seats_by_name(report: &DeskReport, from: u16) -> BTreeMap<u16, Seat> {
    let mut seats = seats_of(report);
    let mut boards: Vec<&SeatReport> = report.unseated.iter().collect();
    boards.sort_by_key(|board| natural_sort_key(&board.board));
    let mut tables: Vec<u16> = match &report.round {
        Some(round) => round.pairings.iter().map(|pairing| pairing.table).collect(),
        None => (from..=u16::MAX).collect(),
    };
    tables.retain(|table| *table >= from && !seats.contains_key(table));
    tables.sort_unstable();
    seats.extend(tables.into_iter().zip(boards.into_iter().map(seat)));
    seats
}

/// Returns how many boards without a seat get none.
fn unseated(report: &DeskReport, seats: &BTreeMap<u16, Seat>) -> usize {
    report.unseated.len().saturating_sub(seats.len().saturating_sub(seats_of(report).len()))
}

/// Lists what would change, asks, and changes it.
async fn change_seats(
    client: &Client,
    report: &DeskReport,
    seats: BTreeMap<u16, Seat>,
    nothing: &str,
    yes: bool,
) -> anyhow::Result<()> {
    let before = seats_of(report);
    let changed: Vec<(&u16, &Seat)> = seats.iter().filter(|(table, seat)| before.get(table) != Some(*seat)).collect();
    if changed.is_empty() {
        return Ok(print(&format!("nothing to do: {nothing}\n"))?);
    }
    let mut text = String::new();
    for (table, seat) in &changed {
        let was = before.get(table).map_or_else(String::new, |was| format!("  (was {})", was.board));
        let _ = writeln!(text, "{table:>4}  {}{was}", seat.board);
    }
    print(&text)?;
    let tables = changed.len();
    if !confirm(&format!("Seat these {tables} boards?"), yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    client.change_seen_desk(&DeskAct::SeatAll { seats }, Some(report.n)).await?;
    Ok(print(&format!("{tables} boards are seated\n"))?)
}

/// Says what a seat changed.
fn changed_seat(before: &DeskReport, table: u16, board: &str) -> String {
    let at = |name: &str| before.tables.iter().find(|table| table.seat.as_ref().is_some_and(|seat| seat.board == name));
    let seat_before = before.tables.iter().find(|known| known.table == table).and_then(|known| known.seat.as_ref());
    let mut text = format!("board {board} is seated at table {table}");
    if let Some(other) = at(board).filter(|other| other.table != table) {
        let _ = write!(text, "; table {} has no board now", other.table);
    }
    if let Some(other) = seat_before.filter(|seat| seat.board != board) {
        let _ = write!(text, "; board {} has no seat now", other.board);
    }
    text
}

/// Returns a line for each seat, and the boards without one.
fn describe(report: &DeskReport) -> String {
    let mut text = String::new();
    for table in &report.tables {
        let line = match &table.seat {
            Some(seat) => {
                let serial = seat.serial_number.as_ref().map_or_else(String::new, |number| format!("no. {number}"));
                format!("{:>4}  {:24}  {serial:14}  {}", table.table, seat.board, seat.connection)
            }
            None => format!("{:>4}  no board", table.table),
        };
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if report.tables.is_empty() {
        text.push_str("no board is seated: `touchmovectl seat by-touch`, or `touchmovectl seat by-name`\n");
    }
    if !report.unseated.is_empty() {
        let names: Vec<&str> = report.unseated.iter().map(|board| board.board.as_str()).collect();
        let _ = writeln!(text, "Without a seat, and therefore without players: {}", names.join(", "));
    }
    text
}

/// Seats boards by the kings that are lifted.
async fn by_touch(client: &Client, from: u16, to: Option<u16>) -> anyhow::Result<()> {
    let mut watch = client.watch().await?;
    let mut lines = BufReader::new(stdin()).lines();
    let report = client.desk(None).await?;
    let last_pairing = report.round.as_ref().and_then(|round| round.pairings.iter().map(|pairing| pairing.table).max());
    let boards = report.unseated.len() + report.tables.iter().filter(|table| table.seat.is_some()).count();
    let to =
        to.or(last_pairing).unwrap_or_else(|| from.saturating_add(u16::try_from(boards).unwrap_or(u16::MAX).saturating_sub(1)));
    let mut seated: Vec<Seated> = Vec::new();
    let (mut table, mut prompted, mut has_keyboard) = (from, None, true);
    while table <= to {
        if prompted.replace(table) != Some(table) {
            print(&format!(
                "Table {table} of {to}: lift the white king and put it back  [Enter: skip, u and Enter: undo, q and Enter: end]\n"
            ))?;
        }
        let lifted = tokio::select! {
            item = watch.next() => match item {
                Some(item) => lifted_king(client, &item).await?,
                None => anyhow::bail!("the connection to the bus is lost: {} boards are seated", seated.len()),
            },
            line = lines.next_line(), if has_keyboard => match line?.as_deref().map(str::trim) {
                Some("u") => {
                    if let Some(last) = seated.pop() {
                        match last.undo(client).await {
                            Ok(()) => print(&format!("board {} is not seated at table {} any more\n", last.board, last.table))?,
                            Err(error @ ClientError::Refused(_)) => print(&format!("{error}\n"))?,
                            Err(error) => return Err(error.into()),
                        }
                        table = last.table;
                    }
                    continue;
                }
                Some("q") => break,
                // Without a keyboard it goes on to the last table.
                None => {
                    has_keyboard = false;
                    continue;
                }
                Some(_) => { table += 1; continue; }
            },
        };
        let Some(board) = lifted.filter(|board| seated.last().is_none_or(|last| last.board != *board)) else { continue };
        let before = client.desk(None).await?;
        let act = DeskAct::Seat { table, board: board.clone(), serial_number: None };
        client.change_seen_desk(&act, Some(before.n)).await?;
        print(&format!("  {}\n", changed_seat(&before, table, &board)))?;
        seated.push(Seated::of(&before, table, board));
        table += 1;
    }
    Ok(print(&format!("{} boards were seated; `touchmovectl seat show` lists all seats\n", seated.len()))?)
}

/// A board that was seated by touch.
struct Seated {
    /// [`DeskReport::n`] of the report on which it was seated.
    seen: u64,
    table: u16,
    board: String,
    /// The board that was at the table before.
    board_before: Option<String>,
    /// The table at which the board was before.
    from: Option<u16>,
}

impl Seated {
    fn of(before: &DeskReport, table: u16, board: String) -> Seated {
        let seats = seats_of(before);
        let board_before = seats.get(&table).map(|seat| seat.board.clone()).filter(|before| *before != board);
        let from = seats.iter().find(|(other, seat)| **other != table && seat.board == board).map(|(other, _)| *other);
        Seated { seen: before.n, table, board, board_before, from }
    }

    /// Puts both boards back to where they were.
    ///
    /// # Errors
    /// Somebody else has changed one of these seats since, among others.
    async fn undo(&self, client: &Client) -> Result<(), ClientError> {
        let seat = |table: u16, board: &str| DeskAct::Seat { table, board: board.to_owned(), serial_number: None };
        let back = self.from.map_or(DeskAct::Unseat { table: self.table }, |from| seat(from, &self.board));
        client.change_seen_desk(&back, Some(self.seen)).await?;
        match &self.board_before {
            Some(before) => client.change_seen_desk(&seat(self.table, before), Some(self.seen)).await,
            None => Ok(()),
        }
    }
}

/// Returns the board on which the white king was lifted before the first move.
async fn lifted_king(client: &Client, item: &WatchItem) -> anyhow::Result<Option<String>> {
    let WatchItem::Happened(event) = item else { return Ok(None) };
    let field = |name: &str| event.fields.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    if event.event != "Touched" || field("square") != "e1" || field("now") != "empty" {
        return Ok(None);
    }
    let snapshot = client.snapshot().await?;
    let game = snapshot.games.iter().find(|game| Some(game.id) == event.game && game.moves.is_empty());
    Ok(game.map(|game| game.board.clone()).or_else(|| event.board.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::desk::TableReport;
    use crate::round::{Pairing, Round};

    /// A board at table 2, four boards without a seat, and a round with these tables; none: no round is played.
    fn report(tables: &[u16]) -> DeskReport {
        let board = |name: &str| SeatReport { board: name.to_owned(), ..SeatReport::default() };
        let pairing = |table: &u16| Pairing { table: *table, ..Pairing::default() };
        let round = Round { number: 1, pairings: tables.iter().map(pairing).collect(), ..Round::default() };
        DeskReport {
            round: (!tables.is_empty()).then_some(round),
            tables: vec![TableReport { table: 2, seat: Some(board("b9")), ..TableReport::default() }],
            unseated: ["b10", "b3", "b1", "b2"].map(board).into(),
            ..DeskReport::default()
        }
    }

    fn seated(tables: &[u16], from: u16) -> (Vec<String>, usize) {
        let report = report(tables);
        let seats = seats_by_name(&report, from);
        let list = seats.iter().map(|(table, seat)| format!("{table} {}", seat.board)).collect();
        (list, unseated(&report, &seats))
    }

    #[test]
    fn boards_are_seated_at_the_tables_of_the_round_only() {
        let list = |seats: &[&str]| seats.iter().map(|seat| (*seat).to_owned()).collect::<Vec<_>>();
        assert_eq!(seated(&[1, 2, 4], 1), (list(&["1 b1", "2 b9", "4 b2"]), 2));
        assert_eq!(seated(&[4, 2, 1], 2), (list(&["2 b9", "4 b1"]), 3));
        assert_eq!(seated(&[], 1), (list(&["1 b1", "2 b9", "3 b2", "4 b3", "5 b10"]), 0));
    }
}
