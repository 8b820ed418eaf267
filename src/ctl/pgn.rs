//! `touchmovectl pgn`: prints a game as PGN.

use super::backup::default_state_dir;
use super::completion;
use super::service::{Service, game, parse_word, print};
use crate::config::{Config, EventTags};
use crate::daemon::hub::{BoardId, GameView};
use crate::daemon::journal::{Archive, GameSummary};
use crate::desk::Desk;
use crate::game::Record;
use crate::game::pgn::AfterIllegal;
use crate::publish::client::{Client, ClientError, Snapshot};
use crate::publish::render::pgn::{Reader, game_to_pgn};
use anyhow::Context;
use std::path::PathBuf;

/// Print a game as PGN
///
/// touchmoved keeps the last games of each board in memory. Older games are read from its journal, which only root and the user
/// of touchmoved can read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchmovectl pgn > game.pgn\n  touchmovectl pgn 17\n  touchmovectl pgn --all\n  touchmovectl pgn --irregular fen\n  touchmovectl pgn --all --state-dir /var/lib/touchmove   with or without a running touchmoved"
)]
pub struct Args {
    /// Number of the game, or name of its board [default: the game in progress, else the last one]
    #[arg(conflicts_with = "all", add = completion::games())]
    game: Option<String>,
    /// Number of the game
    #[arg(long = "game", value_name = "ID", conflicts_with_all = ["game", "all"])]
    id: Option<u64>,
    /// All games, oldest first
    #[arg(long)]
    all: bool,
    /// Read the journal in this directory, and do not query touchmoved [default for games that touchmoved does not have in memory: as `touchmovectl backup`]
    #[arg(long, value_name = "DIR", conflicts_with = "broadcast")]
    state_dir: Option<PathBuf>,
    /// How to print a game with an illegal move on record: stop, fen or end
    ///
    /// Programs that read PGN accept only legal moves, so an illegal move is never printed as a move. stop: the moves end before
    /// it, and the rest of the game is one comment. fen: the move becomes a comment, and a second game continues from the position
    /// after it. end: the moves end before it, and the rest of the game is omitted.
    #[arg(long, value_name = "HOW", default_value = "stop", value_parser = parse_word::<AfterIllegal>)]
    irregular: AfterIllegal,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let wanted = args.game.clone().or(args.id.map(|id| id.to_string()));
    if let Some(dir) = args.state_dir {
        let stored = Stored::open(dir)?;
        let games: Vec<&GameSummary> = match (&wanted, args.all) {
            (_, true) => stored.games.iter().collect(),
            (Some(which), _) => vec![stored.find(which)?],
            (None, _) => vec![stored.games.last().context("there is no game in this journal yet")?],
        };
        return games.into_iter().try_for_each(|game| Ok(print(&stored.pgn(game, args.irregular)?)?));
    }
    let client = args.service.connect().await?;
    let snapshot = client.snapshot().await?;
    if args.all {
        return all(&client, &snapshot, &args).await;
    }
    let number = wanted.as_ref().and_then(|which| which.parse::<u64>().ok());
    match (game(&snapshot, wanted.as_deref()), number) {
        (Ok(game), _) => print(&client.pgn_with(game.id, args.irregular).await?)?,
        // The broadcast stream must not show more than the service does.
        (Err(missing), Some(_)) if !args.service.broadcast => {
            let stored = Stored::open(default_state_dir());
            match stored
                .and_then(|stored| stored.ensure_journal_of(&snapshot))
                .map(|stored| stored.find_pgn(wanted.as_deref(), args.irregular))
            {
                Ok(found) => print(&found?)?,
                Err(error) => {
                    return Err(ClientError::NotFound(format!("{missing}; older games cannot be read: {error:#}")).into());
                }
            }
        }
        (Err(missing), _) => return Err(missing.into()),
    }
    Ok(())
}

/// Prints the games that are only in the journal, then those that the service still has.
async fn all(client: &Client, snapshot: &Snapshot, args: &Args) -> anyhow::Result<()> {
    if !args.service.broadcast {
        match Stored::open(default_state_dir()).and_then(|stored| stored.ensure_journal_of(snapshot)) {
            Ok(stored) => {
                let in_memory = |game: &&GameSummary| snapshot.games.iter().any(|known| known.id == game.id);
                for game in stored.games.iter().filter(|game| !in_memory(game)) {
                    print(&stored.pgn(game, args.irregular)?)?;
                }
            }
            Err(error) => {
                eprintln!("touchmovectl: only the games in memory are printed; older games cannot be read: {error:#}")
            }
        }
    }
    for game in &snapshot.games {
        print(&client.pgn_with(game.id, args.irregular).await?)?;
    }
    Ok(())
}

/// A journal on disk.
struct Stored {
    dir: PathBuf,
    archive: Archive,
    games: Vec<GameSummary>,
    tags: EventTags,
    /// Which players are not named any more.
    desk: Desk,
}

impl Stored {
    fn open(dir: PathBuf) -> anyhow::Result<Stored> {
        let archive = Archive::open(&dir)?;
        let games = archive.games()?;
        // An invalid configuration is reported where it matters: when touchmoved starts.
        let tags = Config::load(&Config::default_path()).unwrap_or_default().tags;
        // An older journal has none.
        let desk = archive.desk().unwrap_or_default();
        Ok(Stored { dir, archive, games, tags, desk })
    }

    /// Checks that this is the journal of the queried service: in another one the same numbers mean other games.
    fn ensure_journal_of(self, snapshot: &Snapshot) -> anyhow::Result<Stored> {
        let is_same = snapshot.games.iter().all(|known| {
            self.games
                .iter()
                .any(|game| (game.id, &game.board, game.started_wall_ms) == (known.id, &known.board, known.started))
        });
        anyhow::ensure!(
            is_same,
            "{} has the journal of another touchmoved: give the right directory with --state-dir",
            self.dir.display()
        );
        Ok(self)
    }

    /// Finds a game by its number, or the last one on a board.
    fn find(&self, which: &str) -> Result<&GameSummary, ClientError> {
        let number = which.parse().ok();
        let found = self.games.iter().rfind(|game| Some(game.id) == number || game.board == which);
        found.ok_or_else(|| {
            let last = self.games.last().map_or_else(|| "none".to_owned(), |game| format!("1 to {}", game.id));
            ClientError::NotFound(format!("there is no game {which} in {}: it has {last}", self.dir.display()))
        })
    }

    fn find_pgn(&self, which: Option<&str>, after: AfterIllegal) -> anyhow::Result<String> {
        self.pgn(self.find(which.unwrap_or_default())?, after)
    }

    fn pgn(&self, game: &GameSummary, after: AfterIllegal) -> anyhow::Result<String> {
        let events = self.archive.events(game.id)?;
        let mut record = events.first().and_then(Record::begin).with_context(|| format!("game {} has no start", game.id))?;
        events.iter().skip(1).for_each(|event| record.apply(event));
        self.desk.hide_tags(&mut record.tags);
        let epoch_wall_ms = game.started_wall_ms.saturating_sub_unsigned(record.started_at);
        let (board, tags) = (BoardId::new(&game.board), self.tags.pairs().into());
        Ok(game_to_pgn(&GameView::new(game.id, board, epoch_wall_ms, record, tags), after, Reader::Arbiter))
    }
}
