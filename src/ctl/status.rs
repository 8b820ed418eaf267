//! `touchmovectl status`: one row for each playing table, or for each board if no round is loaded.

pub(super) mod machines;

use super::columns::{cut, left, output_width, right, widest};
use super::diagram::{clock, last_move};
use super::service::{NO_BOARDS, Service, print, problem_lines};
use crate::game::AlertKind;
use crate::locale::{Locale, alert_heading};
use crate::publish::client::{AlertInfo, BoardInfo, GameInfo, Snapshot};
use crate::publish::render::machines::MachineReport;
use crate::round::Round;
use crate::wire::Word;

/// Show all playing tables, one row each, with what needs attention
///
/// A row that needs attention has an exclamation mark. If no round is loaded, there is a row for each board. At the hub of a
/// hall, the machines that need attention come first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchmovectl status\n  touchmovectl status --attention\n  watch -n 2 touchmovectl status --attention"
)]
pub struct Args {
    /// Show only the rows that need attention
    #[arg(long)]
    attention: bool,
    /// Width of the rows; if omitted, that of the terminal, or 80
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(MIN_WIDTH as i64..))]
    width: Option<u16>,
    #[command(flatten)]
    service: Service,
}

/// Minimum width of the rows.
const MIN_WIDTH: usize = 60;
/// Minimum and maximum width of a name.
const MIN_NAME: usize = 6;
const MAX_NAME: usize = 32;
/// Maximum width of the first column, for the names of boards.
const MAX_PLACE: usize = 16;
/// Minimum width of the last column, unless names or moves are long.
const MIN_STATE: usize = 10;
/// Columns before each column but the first, and those of the mark before the last one.
const GAP: usize = 2;
const MARK: usize = 2;

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let client = args.service.connect().await?;
    let (round, tables) = client.round().await?;
    let missing = if round.is_some() { client.desk(None).await?.missing_results() } else { Vec::new() };
    let hall = Hall { snapshot: client.snapshot().await?, round, tables, missing, machines: client.machines().await? };
    let width = args.width.map_or_else(output_width, usize::from).max(MIN_WIDTH);
    Ok(print(&describe(&hall, args.attention, width))?)
}

/// A row of the table.
struct Row {
    /// Number of the playing table, or name of the board.
    place: String,
    players: [String; 2],
    clocks: [String; 2],
    last_move: String,
    state: String,
    needs_attention: bool,
}

/// What is shown of the hall.
pub struct Hall {
    /// All boards and games.
    pub snapshot: Snapshot,
    /// The round that is played, if one is.
    pub round: Option<Round>,
    /// Board and game at each playing table, empty and 0 if unknown.
    pub tables: Vec<(u16, String, u64)>,
    /// The tables whose results are missing.
    pub missing: Vec<u16>,
    /// The machines of the hall, late ones first; empty unless touchmoved is the hub of a hall.
    pub machines: Vec<MachineReport>,
}

/// Returns the rows, with lines about the machines and the whole round before them. `only_attention`: omit the rows that need
/// none. `width`: of a row, in columns of a terminal.
pub fn describe(hall: &Hall, only_attention: bool, width: usize) -> String {
    let Hall { snapshot, round, tables, missing, machines } = hall;
    let round = round.as_ref();
    let board = |name: &str| snapshot.boards.iter().find(|board| board.id == name);
    let game = |id: u64| snapshot.games.iter().find(|game| game.id == id);
    let mut rows = Vec::new();
    let pairings = round.into_iter().flat_map(|round| round.pairings.iter().map(move |pairing| (round, pairing)));
    for (round, pairing) in pairings {
        let at = tables.iter().find(|(table, ..)| *table == pairing.table);
        let (name, id) = at.map_or(("", 0), |(_, board, game)| (board.as_str(), *game));
        let mut row = row(pairing.table.to_string(), board(name), game(id));
        match game(id).and_then(|game| other_round(game, round.number)) {
            // Its players still play.
            Some(other) => row.state = format!("round {other}: {}", row.state),
            None => row.players = [pairing.white.titled_name(), pairing.black.titled_name()],
        }
        if missing.contains(&pairing.table) && !row.needs_attention {
            (row.state, row.needs_attention) = ("result missing".to_owned(), true);
        }
        let played = game(id).filter(|game| !game.moves.is_empty());
        let place = format!("{}.{}", round.number, pairing.table);
        let has_no_result = |game: &GameInfo| game.result == "*" && game.tags.get("Round") == Some(&place);
        match pairing.result {
            // It was entered, and the pieces are set up again, or the board is away.
            Some(result) if result.is_forfeit() || played.is_none() => {
                (row.state, row.needs_attention) = (result.word().to_owned(), false);
            }
            _ if name.is_empty() => (row.state, row.needs_attention) = ("no board".to_owned(), true),
            // A game cannot have the result itself: both players lose, or it is adjourned.
            Some(result) if result.game_result().is_none() && !row.needs_attention && played.is_some_and(has_no_result) => {
                result.word().clone_into(&mut row.state)
            }
            _ => {}
        }
        rows.push((pairing.table, row));
    }
    rows.sort_by_key(|(table, _)| *table);
    let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let is_paired = |table: u16| round.is_some_and(|round| round.table(table).is_some());
    let at_no_table = |board: &&BoardInfo| !tables.iter().any(|(table, name, _)| *name == board.id && is_paired(*table));
    rows.extend(snapshot.boards.iter().filter(at_no_table).map(|board| {
        let game = board.game.and_then(game);
        let mut row = row(board.id.clone(), Some(board), game);
        // While a round is played, a board at no table is needed only if a game goes on there.
        if game.is_some_and(|game| game.state != "playing" && game.result == "*") && round.is_some() {
            // The game has gone on elsewhere.
            row.state = "not in use".to_owned();
        }
        row.needs_attention &= round.is_none() || game.is_some_and(|game| game.state == "playing" && !game.moves.is_empty());
        row
    }));

    let mut text = problem_lines(snapshot) + &machines::describe(machines);
    if rows.is_empty() {
        return text + NO_BOARDS;
    }
    let attention = rows.iter().filter(|row| row.needs_attention).count();
    let total = match round {
        Some(round) => format!("Round {}: {} tables", round.number, round.pairings.len()),
        None => format!("{} boards", rows.len()),
    };
    text.push_str(&format!("{total}, {attention} in need of attention\n"));
    rows.retain(|row| !only_attention || row.needs_attention);
    text + &aligned(&rows, width)
}

/// Returns the number of the round to which a game belongs that has moves, if it is not this one.
fn other_round(game: &GameInfo, number: u16) -> Option<u16> {
    let played = game.tags.get("Round").filter(|_| !game.moves.is_empty())?;
    played.split('.').next()?.parse().ok().filter(|other| *other != number)
}

/// Returns the row of a board and its game; without players unless the game names them.
fn row(place: String, board: Option<&BoardInfo>, game: Option<&GameInfo>) -> Row {
    let name = |tag: &str| game.and_then(|game| game.tags.get(tag)).filter(|name| *name != "?").cloned().unwrap_or_default();
    let shown = board.and_then(|board| board.clock.as_ref()).map(|shown| [shown.white, shown.black]);
    let last = game.and_then(|game| game.moves.last()).map(|last| [last.white, last.black]);
    let is_over = game.is_some_and(|game| game.state != "playing");
    let times = if is_over { last.or(shown) } else { shown.or(last) };
    let clocks = times.map_or_else(Default::default, |times| times.map(|ms| if ms < 0 { String::new() } else { clock(ms) }));
    let last_move = game.and_then(|game| last_move(&game.start, game.moves.iter().map(|ply| ply.san.as_str())));
    let problem = problem(board, game);
    let state = match (&problem, game) {
        (Some(problem), _) => problem.clone(),
        (None, None) => "not begun".to_owned(),
        (None, Some(game)) if game.result != "*" => game.result.clone(),
        (None, Some(game)) if game.moves.is_empty() => "not begun".to_owned(),
        (None, Some(_)) => "in play".to_owned(),
    };
    Row {
        place,
        players: [name("White"), name("Black")],
        clocks,
        last_move: last_move.unwrap_or_default(),
        state,
        needs_attention: problem.is_some(),
    }
}

/// Returns the most urgent problem of the board and its game.
fn problem(board: Option<&BoardInfo>, game: Option<&GameInfo>) -> Option<String> {
    let is_current = game.is_some_and(|game| game.state == "playing");
    let alert = game.and_then(|game| {
        let urgency = |alert: &&AlertInfo| AlertKind::from_word(&alert.kind).map_or(0, AlertKind::urgency);
        let first = game.alerts.iter().min_by_key(urgency)?;
        let heading = alert_heading(Locale::English, &first.kind);
        let more = game.alerts.len() - 1;
        let others = if more == 0 { String::new() } else { format!(" (+{more})") };
        Some(format!("{heading}{others}: {}", first.sentence))
    });
    let board_state = || {
        let board = board.filter(|board| board.state != "ready")?;
        Some(if board.state_reason.is_empty() { format!("board {}", board.state) } else { board.state_reason.clone() })
    };
    let missing_result = || {
        let game = game.filter(|game| !is_current && game.result == "*" && !game.moves.is_empty())?;
        Some(format!("result missing after {}", last_move(&game.start, game.moves.iter().map(|ply| ply.san.as_str()))?))
    };
    alert.or_else(board_state).or_else(missing_result)
}

/// Aligns the rows in columns that fit the width.
fn aligned(rows: &[Row], width: usize) -> String {
    let widest = |text: fn(&Row) -> &str| widest(rows.iter().map(text));
    let place = widest(|row| &row.place).clamp(3, MAX_PLACE);
    let clocks = [widest(|row| &row.clocks[0]), widest(|row| &row.clocks[1])];
    let last_move = widest(|row| &row.last_move);
    let state = widest(|row| &row.state);
    let fixed = place + clocks[0] + clocks[1] + last_move + 6 * GAP + MARK;
    let free = width.saturating_sub(fixed);
    let names = [widest(|row| &row.players[0]), widest(|row| &row.players[1])];
    let most = free.saturating_sub(state.min((free / 3).max(MIN_STATE))) / 2;
    let names = names.map(|widest| widest.min(most.max(MIN_NAME)).min(MAX_NAME));
    let state = free.saturating_sub(names[0] + names[1]);
    let mut text = String::new();
    for row in rows {
        let mark = if row.needs_attention { "! " } else { "  " };
        let line = format!(
            "{}  {}  {}  {}  {}  {}  {mark}{}",
            right(&row.place, place),
            left(&row.players[0], names[0]),
            left(&row.players[1], names[1]),
            right(&row.clocks[0], clocks[0]),
            right(&row.clocks[1], clocks[1]),
            left(&row.last_move, last_move),
            cut(&row.state, state),
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
