//! `touchmovectl simulate GAME.pgn`: a virtual board, as a recording or on a pseudo-terminal.

use crate::boards;
use crate::ctl::pty;
use crate::ctl::run::{self, Moment, Said, Staged};
use crate::game::event::Rotation;
use crate::link::recording::{Header, What, Writer};
use crate::simulate::hands::{PROFILES, Profile, profile};
use crate::simulate::pgn::{self, Game, Games};
use crate::simulate::{Scene, Stage};
use crate::table::{Settings, Table};
use crate::wire;
use anyhow::{Context, bail};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Play a game on a virtual board
///
/// The board behaves as a real one does on its cable: it answers commands, scans its squares, sends at the line's pace. With
/// --pty it is a serial port in real time, with -o a recording as touchmoved would have written it, at once. The same game,
/// hands and seed always give the same bytes. The time between moves is compressed.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("to").required(true).args(["output", "pty"]))]
#[command(after_help = "Examples:
  touchmovectl simulate game.pgn --clock --pty --speed 10
  touchmovectl simulate games.pgn --game 3 --hands blitz --seed 7 --clock -o game.rec && touchmovectl replay game.rec")]
pub struct Args {
    /// The game, in PGN
    #[arg(value_name = "GAME.pgn")]
    pub pgn: PathBuf,
    /// The board
    #[arg(long, value_name = "MODEL", default_value = "dgt")]
    pub board: String,
    /// The players' hands: clean, club, blitz or worn (club hands on a worn board)
    #[arg(long, value_name = "PROFILE", default_value = "club")]
    pub hands: String,
    /// What chance is drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// With a clock
    #[arg(long)]
    pub clock: bool,
    /// The board is turned round by 180 degrees
    #[arg(long)]
    pub turned: bool,
    /// Which game of the file, from 1 [default: the first that has moves]
    #[arg(long, value_name = "N")]
    pub game: Option<usize>,
    /// Write a recording
    #[arg(short, long, value_name = "FILE.rec")]
    pub output: Option<PathBuf>,
    /// Be a serial port: prints its path, begins to play when a program has opened and greeted it, ends after the game
    #[arg(long)]
    pub pty: bool,
    /// So many times as fast as real hands
    #[arg(long, value_name = "FACTOR", default_value_t = 1, requires = "pty", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub speed: u32,
    /// Go on answering after the game, until interrupted
    #[arg(long, requires = "pty")]
    pub stay: bool,
}

/// Plays the game.
pub fn run(args: Args) -> anyhow::Result<()> {
    let games = read_games(&args.pgn)?;
    let game = choose(&games, args.game, &args.pgn)?;
    for note in &game.notes {
        eprintln!("{}, game {}: {note}", args.pgn.display(), game.number);
    }
    let setting = Setting {
        board: args.board,
        profile: find_profile(&args.hands)?,
        clock: args.clock,
        rotation: if args.turned { Rotation::Turned } else { Rotation::Upright },
    };
    let stage = setting.stage(game, args.seed)?;
    match args.output {
        Some(file) => record(&file, &setting, game, args.seed, stage),
        None => pty::serve(stage, args.speed, args.stay),
    }
}

/// What of a simulation does not depend on game and seed.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The board's model.
    pub board: String,
    /// Whose hands.
    pub profile: &'static Profile,
    /// With a clock.
    pub clock: bool,
    /// How the board stands.
    pub rotation: Rotation,
}

impl Setting {
    /// A virtual board for this game.
    pub fn stage(&self, game: &Game, seed: u64) -> anyhow::Result<Stage> {
        let scene = Scene { profile: self.profile, clock: self.clock, rotation: self.rotation, clock_turned: false, seed };
        Stage::new(&self.board, game, &scene)
            .with_context(|| format!("there is no virtual board \"{}\": write one of {}", self.board, model_names()))
    }
}

/// The settings of a table for this game: the defaults, and what has to be known about where it starts.
pub fn settings(game: &Game) -> Settings {
    Settings { chess960: game.start.is_chess960(), start_fen: game.unusual_start(), ..Settings::default() }
}

/// Reads a PGN file; what was skipped is told on standard error.
pub fn read_games(path: &Path) -> anyhow::Result<Games> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let games = pgn::read(&String::from_utf8_lossy(&bytes));
    if games.without_moves > 0 {
        eprintln!("{}: {} games without moves skipped", path.display(), games.without_moves);
    }
    for (number, reason) in &games.unreadable {
        eprintln!("{}: game {number} skipped: {reason}", path.display());
    }
    Ok(games)
}

/// The profile of this name.
pub fn find_profile(name: &str) -> anyhow::Result<&'static Profile> {
    profile(name).with_context(|| {
        let names: Vec<_> = PROFILES.iter().map(|profile| profile.name).collect();
        format!("there are no hands \"{name}\": write one of {}", names.join(", "))
    })
}

fn model_names() -> String {
    boards::BOARDS.iter().map(|model| model.name).collect::<Vec<_>>().join(", ")
}

fn choose<'a>(games: &'a Games, number: Option<usize>, path: &Path) -> anyhow::Result<&'a Game> {
    match number {
        None => games.games.first().with_context(|| format!("{} has no game with moves", path.display())),
        Some(number) => games
            .games
            .iter()
            .find(|game| game.number == number)
            .with_context(|| format!("{} has no game {number} with moves: its games are numbered from 1", path.display())),
    }
}

/// No recording of a single game is as large as this.
const CAP: u64 = 1 << 30;

fn record(file: &Path, setting: &Setting, game: &Game, seed: u64, stage: Stage) -> anyhow::Result<()> {
    let Some(model) = boards::model(&setting.board) else { bail!("no such board: write one of {}", model_names()) };
    let settings = settings(game);
    let mut header = Header::new(model.name);
    header.chess960 = settings.chess960;
    header.start_fen = settings.start_fen.clone();
    header.laws = settings.laws.clone();
    header.version = Some(env!("CARGO_PKG_VERSION").to_owned());
    header.core = Some(wire::settings_to_value(&settings));

    let cannot = || format!("{} cannot be written", file.display());
    let mut writer = Writer::begin(BufWriter::new(File::create(file).with_context(cannot)?), &header, CAP)?;
    let hands = setting.profile.name;
    writer.write(0, What::Note(format!("simulated: game {} ({}), {hands} hands, seed {seed}", game.number, game.title)))?;
    let moves: Vec<&str> = stage.truth().plies.iter().map(|ply| ply.uci.as_str()).collect();
    writer.write(0, What::Note(format!("truth: {}", moves.join(" "))))?;

    let until = stage.ends_at();
    let mut failed = None;
    run::play(&mut Staged::new(stage), &mut *(model.protocol)(), &mut Table::new(settings), until, &mut |now, moment| {
        let what = match moment {
            Moment::Said(Said::Bytes(bytes, _)) => What::Rx(bytes.clone()),
            Moment::Sent(bytes) => What::Tx(bytes.to_vec()),
            _ => return,
        };
        if let Err(error) = writer.write(now, what) {
            failed.get_or_insert(error);
        }
    });
    if let Some(error) = failed {
        return Err(error).with_context(cannot);
    }
    let mut buffer = writer.into_inner();
    std::io::Write::flush(&mut buffer).with_context(cannot)
}
