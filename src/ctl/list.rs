//! `touchmovectl list`: lists boards and games.

use super::diagram::last_move;
use super::service::{NO_BOARDS, Service, print, print_json, problem_lines};
use crate::link::watch::natural_sort_key;

/// List boards and games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl list\n  touchmovectl list --json | jq '.games[].result'")]
pub struct Args {
    #[command(flatten)]
    service: Service,
    /// One JSON object, for programs
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let snapshot = args.service.connect().await?.snapshot().await?;
    if args.json {
        return print_json(&snapshot);
    }
    let mut text = problem_lines(&snapshot);
    for board in &snapshot.boards {
        text.push_str(&format!("board {}: {}, {}", board.id, board.model_title, board.state));
        if !board.port.is_empty() {
            text.push_str(&format!(", {}", board.port));
        }
        if !board.serial_number.is_empty() {
            text.push_str(&format!(", serial number {}", board.serial_number));
        }
        text.push('\n');
        if !board.state_reason.is_empty() {
            text.push_str(&format!("  {}\n", board.state_reason));
        }
    }
    let mut games: Vec<_> = snapshot.games.iter().collect();
    games.sort_by_key(|game| (natural_sort_key(&game.board), game.id));
    for game in games {
        let last = last_move(&game.start, game.moves.iter().map(|ply| ply.san.as_str()));
        let last = last.map_or_else(|| "no move yet".to_owned(), |last| format!("last move {last}"));
        text.push_str(&format!("game {} on {}: {}, {}, {last}\n", game.id, game.board, game.state, game.result));
    }
    for (device, reason) in &snapshot.unused {
        text.push_str(&format!("not used: {device}\n  {reason}\n"));
    }
    if text.is_empty() {
        text.push_str(NO_BOARDS);
    }
    Ok(print(&text)?)
}
