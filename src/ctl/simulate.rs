//! `touchmovectl simulate GAME.pgn`: runs a virtual board, as a recording or on a pseudo-terminal, or a hall of many.

pub mod hall;
pub mod relay;

use crate::boards::{Bluetooth, Connection};
use crate::ctl::completion;
use crate::ctl::pty::{self, Delivery};
use crate::game::event::Rotation;
use crate::lab::options::{SimulationOptions, settings};
use crate::lab::run::{self, HostInput, RunEvent, VirtualCable};
use crate::link::recording::{Entry, Header, Writer};
use crate::simulate::Simulation;
use crate::simulate::dgt_bus::BusFaults;
use crate::simulate::hands::{CLEAN, HandsProfile, PROFILES, Rate, profile, rate};
use crate::simulate::irregularity::{Injection, IrregularityKind};
use crate::simulate::pgn::{self, Games, SourceGame};
use crate::table::{Settings, Table};
use crate::wire;
use anyhow::{Context, bail};
use hall::HallArgs;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Play a game on a virtual board
///
/// The board behaves as a real one does on its cable: it answers commands, scans its squares, and sends at the speed of the line.
/// With --pty it is a serial port in real time; with -o it writes a recording as touchmoved would have written it, at once. The
/// same game, hands and seed always give the same bytes. The time between moves is compressed.
///
/// With --hall it is a whole hall on this computer, on buses, ports and in a directory of its own: a hub with nats-server, and
/// machines with virtual boards. Faults can be injected. At the end the journal of the hub is compared with those of all machines;
/// the exit status is 1 if an event is missing or differs.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("to").required(true).args(["output", "pty", "rates", "machines"]))]
#[command(group = clap::ArgGroup::new("live").args(["pty", "machines"]))]
#[command(after_help = "Examples:
  touchmovectl simulate game.pgn --clock --pty --speed 10
  touchmovectl simulate games.pgn --game 3 --hands blitz --seed 7 --clock -o game.rec && touchmovectl replay game.rec
  touchmovectl simulate --hall 3 --boards 2 --speed 4 --fault cut,kill-hub --minutes 5")]
pub struct Args {
    /// The game, in PGN
    #[arg(value_name = "GAME.pgn", required_unless_present_any = ["rates", "machines"])]
    pub pgn: Option<PathBuf>,
    /// Model of the board
    #[arg(long, value_name = "MODEL", default_value = "dgt", add = completion::models())]
    pub board: String,
    /// The hands, and the irregularities that they commit.
    #[command(flatten)]
    pub hands: HandsArgs,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of boards on one line, each with the next game of the file; play begins after 10 s, when all boards have been found (with --board dgt-bus)
    #[arg(long, value_name = "N", requires = "pty", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub chain: Option<u16>,
    /// Use a clock
    #[arg(long)]
    pub clock: bool,
    /// The board is rotated by 180 degrees
    #[arg(long)]
    pub turned: bool,
    /// Number of the game in the file, from 1 [default: the first game with moves]
    #[arg(long, value_name = "N", conflicts_with = "machines")]
    pub game: Option<usize>,
    /// Write a recording
    #[arg(short, long, value_name = "FILE.rec")]
    pub output: Option<PathBuf>,
    /// Serve a serial port, which is silent while the cable is out: prints its path, begins to play when a program has opened and greeted it, ends after the game
    #[arg(long)]
    pub pty: bool,
    /// Send on the port as over Bluetooth, for a program that passes it on: the players wait while nobody reads [default for a board without a serial line, each packet of which is one read]
    #[arg(long, requires = "pty", conflicts_with = "chain")]
    pub bluetooth: bool,
    /// Speed, as a multiple of that of real hands
    #[arg(long, value_name = "FACTOR", default_value_t = 1, requires = "live", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub speed: u32,
    /// Continue to answer after the game, until interrupted
    #[arg(long, requires = "pty")]
    pub stay: bool,
    /// List all rates with their meaning and their value in each profile
    #[arg(long)]
    pub rates: bool,
    /// A hall.
    #[command(flatten)]
    pub hall: HallArgs,
}

/// The hands, and the irregularities that they commit.
#[derive(Clone, Debug, clap::Args)]
pub struct HandsArgs {
    /// Profile of the players' hands: clean, club, blitz, worn (club hands on a worn board) or rough (everything at modest rates)
    #[arg(long, value_name = "PROFILE", default_value = "club")]
    pub hands: String,
    /// Set this rate, and keep the other rates of the profile; may be repeated (simulate --rates lists the names)
    #[arg(long, value_name = "NAME=THOUSANDTHS", value_parser = parse_rate)]
    pub rate: Vec<(Rate, u32)>,
    /// Set this rate, and use the profile clean for all other rates; may be repeated
    #[arg(long, value_name = "NAME=THOUSANDTHS", value_parser = parse_rate)]
    pub only: Vec<(Rate, u32)>,
    /// Commit an irregularity at this ply [default: a random ply of each game], or at the first later one that allows it; may be repeated
    #[arg(long, value_name = "KIND[@PLY]", value_parser = Injection::from_str, long_help = inject_help())]
    pub inject: Vec<Injection>,
    /// How many thousandths of the promotions to a queen become another piece, if the rest of the game stays legal
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub underpromote: Option<u32>,
    /// After the game the players analyse it: the rate analysis=1000
    #[arg(long)]
    pub analysis: bool,
    /// The arbiter stops the game once, and pieces are displaced and restored: the rate arbiter_pause=1000
    #[arg(long)]
    pub arbiter_pause: bool,
}

impl HandsArgs {
    /// Returns this profile without changes.
    pub fn of(profile: &str) -> HandsArgs {
        HandsArgs {
            hands: profile.to_owned(),
            rate: Vec::new(),
            only: Vec::new(),
            inject: Vec::new(),
            underpromote: None,
            analysis: false,
            arbiter_pause: false,
        }
    }

    /// Returns the profile with the requested rates. The irregularities are in [`HandsArgs::inject`].
    pub fn profile(&self) -> anyhow::Result<HandsProfile> {
        let mut profile = *find_profile(&self.hands)?;
        if !self.only.is_empty() {
            profile.rates = CLEAN.rates;
        }
        let flags = [(Rate::analysis, self.analysis), (Rate::arbiter_pause, self.arbiter_pause)];
        let flags = flags.into_iter().filter(|flag| flag.1).map(|flag| (flag.0, 1000));
        let underpromote = self.underpromote.map(|thousandths| (Rate::underpromote, thousandths));
        for (rate, thousandths) in self.only.iter().chain(&self.rate).copied().chain(flags).chain(underpromote) {
            profile.rates.set(rate, thousandths);
        }
        Ok(profile)
    }
}

/// Formats the options as on the command line.
impl std::fmt::Display for HandsArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "--hands {}", self.hands)?;
        for (option, rates) in [("only", &self.only), ("rate", &self.rate)] {
            rates.iter().try_for_each(|(rate, thousandths)| write!(f, " --{option} {}={thousandths}", rate.name()))?;
        }
        self.inject.iter().try_for_each(|injection| write!(f, " --inject {injection}"))?;
        self.underpromote.iter().try_for_each(|thousandths| write!(f, " --underpromote {thousandths}"))?;
        let flags = [(self.analysis, " --analysis"), (self.arbiter_pause, " --arbiter-pause")];
        flags.iter().filter(|flag| flag.0).try_for_each(|flag| f.write_str(flag.1))
    }
}

/// Parses `NAME=THOUSANDTHS`.
fn parse_rate(text: &str) -> Result<(Rate, u32), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=THOUSANDTHS, for example brush=100")?;
    let rate = rate(name).ok_or_else(|| format!("there is no rate \"{name}\": touchmovectl simulate --rates lists them"))?;
    let maximum = if matches!(rate, Rate::stuck | Rate::flicker) { 16_000 } else { 1000 };
    let value = value.parse().ok().filter(|&value| value <= maximum);
    Ok((rate, value.ok_or_else(|| format!("{name} is given in thousandths, from 0 to {maximum}"))?))
}

fn inject_help() -> String {
    let kinds: Vec<&str> = IrregularityKind::ALL.iter().map(|kind| kind.1).collect();
    format!(
        "Commit an irregularity at this ply [default: a random ply of each game], or at the first later one that allows it; may \
         be repeated. KIND: {}",
        kinds.join(", ")
    )
}

/// Lists all rates with their meaning and their value in each profile.
fn list_rates() -> String {
    let mut list = String::new();
    for rate in Rate::ALL {
        let values: Vec<String> =
            PROFILES.iter().map(|profile| format!("{} {}", profile.name, profile.rates.get(*rate))).collect();
        list += &format!("{}\n    {}\n   {}\n", rate.name(), values.join(", "), rate.doc());
    }
    list
}

/// Runs the subcommand: plays the game.
pub fn run(args: Args) -> anyhow::Result<()> {
    if args.rates {
        // A reader that closes the pipe early is not an error.
        let _ = std::io::stdout().write_all(list_rates().as_bytes());
        return Ok(());
    }
    if args.hall.machines.is_some() {
        return hall::run(&args);
    }
    let Some(pgn) = &args.pgn else { bail!("no game is given: name a PGN file") };
    let games = read_games(pgn)?;
    let game = choose(&games, args.game, pgn)?;
    for note in &game.notes {
        eprintln!("{}, game {}: {note}", pgn.display(), game.number);
    }
    let options = SimulationOptions {
        board: args.board,
        profile: args.hands.profile()?,
        inject: args.hands.inject.clone(),
        clock: args.clock,
        rotation: if args.turned { Rotation::Turned } else { Rotation::Upright },
    };
    let delivery = if args.pty { delivery(&options, args.bluetooth)? } else { Delivery::Stream };
    let simulation = match args.chain {
        Some(count) if options.board == "dgt-bus" => {
            let games: Vec<SourceGame> = games
                .games
                .iter()
                .cycle()
                .skip_while(|other| other.number != game.number)
                .take(count.into())
                .cloned()
                .collect();
            Simulation::chain(&games, &options.setup(args.seed), BusFaults::default(), CHAIN_FOUND)
        }
        Some(_) => bail!("only boards of model dgt-bus share a line: write --board dgt-bus"),
        None if delivery == Delivery::Packets => options.simulation_over_radio(game, args.seed)?,
        None => options.simulation(game, args.seed)?,
    };
    match args.output {
        Some(file) => record(&file, &options, &args.hands, game, args.seed, simulation),
        None => pty::serve(simulation, delivery, args.speed, args.stay),
    }
}

/// Returns how a board of this model sends on a pseudo-terminal.
fn delivery(options: &SimulationOptions, over_bluetooth: bool) -> anyhow::Result<Delivery> {
    let model = options.model()?;
    match (model.connection, model.bluetooth()) {
        (_, None) if over_bluetooth => bail!("{} has no Bluetooth", model.title),
        (Connection::Serial(_), _) if over_bluetooth => Ok(Delivery::PatientStream),
        (Connection::Serial(_), _) => Ok(Delivery::Stream),
        (_, Some(Bluetooth::Gatt(_))) => Ok(Delivery::Packets),
        _ => bail!(
            "{} has neither a serial line nor Bluetooth, and --pty simulates one of them: write a recording with -o FILE.rec, and \
             replay it",
            model.title
        ),
    }
}

/// Delay of the games, in milliseconds, after which all boards on a bus have been found.
const CHAIN_FOUND: u64 = 10_000;

/// Reads a PGN file, and reports what was skipped on standard error.
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

/// Returns the profile of this name.
pub fn find_profile(name: &str) -> anyhow::Result<&'static HandsProfile> {
    profile(name).with_context(|| {
        let names: Vec<_> = PROFILES.iter().map(|profile| profile.name).collect();
        format!("there is no profile of hands \"{name}\": write one of {}", names.join(", "))
    })
}

fn choose<'a>(games: &'a Games, number: Option<usize>, path: &Path) -> anyhow::Result<&'a SourceGame> {
    match number {
        None => games.games.first().with_context(|| format!("{} has no game with moves", path.display())),
        Some(number) => games
            .games
            .iter()
            .find(|game| game.number == number)
            .with_context(|| format!("{} has no game {number} with moves: its games are numbered from 1", path.display())),
    }
}

/// Maximum size of a recording, in bytes: larger than that of any single game.
const CAP: u64 = 1 << 30;

fn record(
    file: &Path,
    options: &SimulationOptions,
    hands: &HandsArgs,
    game: &SourceGame,
    seed: u64,
    simulation: Simulation,
) -> anyhow::Result<()> {
    let model = options.model()?;
    let settings = Settings { sensing: model.sensing, ..settings(game) };
    let mut header = Header::new(model.name);
    header.chess960 = settings.chess960;
    header.start_fen = settings.start_fen.clone();
    header.laws = settings.laws.to_string();
    header.version = Some(env!("CARGO_PKG_VERSION").to_owned());
    header.core = Some(wire::settings_to_value(&settings));

    let write_error = || format!("{} cannot be written", file.display());
    let mut writer = Writer::begin(BufWriter::new(File::create(file).with_context(write_error)?), &header, CAP)?;
    writer.write(0, Entry::Note(format!("simulated: game {} ({}), {hands}, seed {seed}", game.number, game.title)))?;
    let moves: Vec<&str> = simulation.truth().plies.iter().map(|ply| ply.uci.as_str()).collect();
    writer.write(0, Entry::Note(format!("truth: {}", moves.join(" "))))?;

    let until = simulation.ends_at();
    let mut failed = None;
    run::play(
        &mut VirtualCable::new(simulation),
        &mut *(model.protocol)(),
        &mut Table::new(settings),
        until,
        &mut |now, moment| {
            let entry = match moment {
                RunEvent::Input(HostInput::Bytes(bytes, _)) => Entry::Rx(bytes.clone()),
                // A recording begins with the cable plugged in.
                RunEvent::Input(HostInput::Link(state)) if now > 0 => Entry::Link(*state),
                RunEvent::Sent(bytes) => Entry::Tx(bytes.to_vec()),
                _ => return,
            };
            if let Err(error) = writer.write(now, entry) {
                failed.get_or_insert(error);
            }
        },
    );
    if let Some(error) = failed {
        return Err(error).with_context(write_error);
    }
    let mut buffer = writer.into_inner();
    buffer.flush().with_context(write_error)
}
