//! `touchmovectl board`: shows the position on a board, and tests its squares.

mod wiring_test;
mod write;

use super::completion;
use super::config_file::Place;
use super::diagram::{Squares, Style, clock};
use super::language;
use super::service::{Service, board, print, print_json};
use crate::publish::client::Client;
use anyhow::Context;
use std::process::ExitCode;

/// Show the position on a board, or test its squares
///
/// --test says where to put a piece, and finds ranks and files that are mirrored, exchanged or in the wrong order, and squares that do
/// not work. The short test needs ten squares; then all others can be tested. While the test is carried out, no moves are read on the
/// board. If a key of the configuration can put the squares in order, it is shown, and --write writes it after a question.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl board
  touchmovectl board dgt_ttyUSB0 --json
  touchmovectl board chessnut_SN0001 --identify
  touchmovectl board club --test
  sudo touchmovectl board club --write")]
pub struct Args {
    /// Name of the board, see `touchmovectl list` [default: the only board]
    #[arg(add = completion::boards())]
    board: Option<String>,
    #[command(flatten)]
    service: Service,
    /// One JSON object, for programs
    #[arg(long)]
    json: bool,
    /// Let the board identify itself with its lights and a beep; refused while a game is played on it
    #[arg(long, conflicts_with = "json")]
    identify: bool,
    /// Test the squares, one after the other; refused while a game is played on the board
    #[arg(long, conflicts_with_all = ["json", "identify"])]
    test: bool,
    /// Write into the configuration what the test has found; without --test: what the last test has found
    #[arg(long, conflicts_with_all = ["json", "identify"])]
    write: bool,
    #[command(flatten)]
    place: Place,
}

/// Runs the subcommand.
///
/// # Errors
/// touchmoved cannot be called, the board does not exist, or the request was refused.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = args.service.connect().await?;
    let snapshot = client.snapshot().await?;
    let board = board(&snapshot, args.board.as_deref())?;
    if args.identify {
        client.identify(&board.id).await?;
        print(&format!("{} identifies itself for three seconds\n", board.id))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.test || args.write {
        return test(&client, &board.id, &args).await;
    }
    if args.json {
        print_json(board)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{}: {}, {}\n", board.id, board.model_title, board.state);
    if !board.state_reason.is_empty() {
        text.push_str(&format!("{}\n", board.state_reason));
    }
    match Squares::from_placement(&board.placement) {
        Some(squares) => text.push_str(&squares.draw(Style::of_stdout())),
        None => text.push_str("the board has not been read yet\n"),
    }
    if let Some(times) = &board.clock {
        let running = if times.running { "running" } else { "stopped" };
        let (white, black) = (clock(times.white), clock(times.black));
        text.push_str(&format!("White {white}   Black {black}   {} to play, {running}\n", times.turn));
        for (fallen, player) in [(times.white_flag, "White"), (times.black_flag, "Black")] {
            if fallen {
                text.push_str(&format!("the clock shows that {player}'s flag has fallen\n"));
            }
        }
        if times.battery_low {
            text.push_str("the clock's battery is low: change it before the next game\n");
        }
    }
    for (square, expected, shown) in &board.displaced {
        text.push_str(&format!("{square}: the position has {expected}, the board shows {shown}\n"));
    }
    let game = snapshot.games.iter().find(|game| Some(game.id) == board.game);
    for (square, fault, detail) in game.map(|game| game.faults.as_slice()).unwrap_or_default() {
        text.push_str(&format!("{square} is {fault}: {detail}\n"));
    }
    if board.battery >= 0 {
        text.push_str(&format!("battery {} %, {}\n", board.battery, board.battery_state));
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Tests the squares of a board, and writes what has been found, as the arguments say. The exit code is 1 if something was found.
async fn test(client: &Client, board: &str, args: &Args) -> anyhow::Result<ExitCode> {
    let report = match args.test {
        true => wiring_test::run(client, board).await?,
        false => client.wiring_test(board, language::locale()).await?.with_context(|| {
            format!("board {board} was not tested since touchmoved was started: `touchmovectl board {board} --test` tests it")
        })?,
    };
    if args.write {
        write::write_changes(&args.place, board, &report.changes)?;
    } else if !report.changes.is_empty() {
        print(&format!("To write this into the configuration: sudo touchmovectl board {board} --write\n"))?;
    }
    Ok(if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
