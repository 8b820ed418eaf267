//! `touchmovectl board`: shows the position on a board.

use super::completion;
use super::diagram::{Squares, Style, clock};
use super::service::{Service, board, print, print_json};

/// Show the position on a board
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchmovectl board\n  touchmovectl board dgt_ttyUSB0 --json\n  touchmovectl board chessnut_SN0001 --identify"
)]
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
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let client = args.service.connect().await?;
    let snapshot = client.snapshot().await?;
    let board = board(&snapshot, args.board.as_deref())?;
    if args.identify {
        client.identify(&board.id).await?;
        return Ok(print(&format!("{} identifies itself for three seconds\n", board.id))?);
    }
    if args.json {
        return print_json(board);
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
    Ok(print(&text)?)
}
