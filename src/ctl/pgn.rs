//! `touchmovectl pgn`: a game as PGN.

use super::service::{Service, game, print};

/// Print a game as PGN
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl pgn > game.pgn\n  touchmovectl pgn 17\n  touchmovectl pgn --all")]
pub struct Args {
    /// Its number, or the board it is on [default: the one being played, else the last]
    #[arg(conflicts_with = "all")]
    game: Option<String>,
    /// All games at hand, the oldest first
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    service: Service,
}

/// Prints it.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let client = args.service.connect().await?;
    let snapshot = client.snapshot().await?;
    let games = if args.all { snapshot.games.iter().collect() } else { vec![game(&snapshot, args.game.as_deref())?] };
    for game in games {
        print(&client.pgn(game.id).await?)?;
    }
    Ok(())
}
