//! `touchmovectl game`: shows moves, clocks and state of a game.

use super::diagram::{Squares, Style, clock, moves};
use super::language;
use super::service::{Service, game, print, print_json};

/// Show moves, clocks and state of a game
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchmovectl game\n  touchmovectl game 17\n  touchmovectl game dgt_ttyUSB0 --json\n\nTo change it: touchmovectl arbiter --help"
)]
pub struct Args {
    /// Number of the game, or name of its board [default: the game in progress, else the last one]
    game: Option<String>,
    #[command(flatten)]
    service: Service,
    /// One JSON object, for programs
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let client = args.service.connect().await?;
    let snapshot = client.snapshot().await?;
    let game = game(&snapshot, args.game.as_deref())?;
    if args.json {
        return print_json(game);
    }
    let mut text = format!("game {} on {}: {}, {}", game.id, game.board, game.state, game.result);
    if !game.result_reason.is_empty() {
        text.push_str(&format!(" ({})", game.result_reason.replace('_', " ")));
    }
    text.push('\n');
    if let Some(squares) = Squares::from_fen(&game.fen) {
        text.push_str(&squares.draw(Style::of_stdout()));
    }
    let times = game.moves.iter().rev().find(|ply| ply.white >= 0 || ply.black >= 0);
    if let Some(times) = times {
        text.push_str(&format!("White {}   Black {}\n", clock(times.white), clock(times.black)));
    }
    text.push_str(&moves(&game.start, game.moves.iter().map(|ply| ply.san.as_str())));
    for ((id, english), articles) in game.alert_ids.iter().zip(&game.alerts).zip(&game.alert_articles) {
        let alert = language::alert(&client, game.id, *id, language::locale(), english).await;
        text.push_str(&format!("alert {id}: {alert}\n"));
        let required = language::required(&client, game.id, *id, language::locale()).await;
        if !required.is_empty() {
            text.push_str(&format!("  → {} ({})\n", required.join("; "), articles.join(", ")));
        }
    }
    for (square, fault, detail) in &game.faults {
        text.push_str(&format!("{square} is {fault}: {detail}\n"));
    }
    Ok(print(&text)?)
}
