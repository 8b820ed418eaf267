//! `touchmovectl demo`: the complete path, from a virtual board's bytes to moves that arrive over D-Bus.

mod processes;
mod tournament;

use crate::boards::{BOARDS, Connection, Model, model};
use crate::ctl::completion;
use crate::ctl::diagram::{self, Squares, Style};
use crate::publish::client::{Client, GameInfo, WatchItem, WatchedEvent};
use crate::publish::dbus::{Bus, Stream};
use crate::simulate::pgn;
use anyhow::{Context, bail};
use processes::DemoProcesses;
use std::io::{IsTerminal, Write};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, interval, timeout_at};
use tournament::{MAX_BOARDS, Options};

/// Paul Morphy's game at the Paris opera, 1858. The times are invented.
const OPERA: &str = include_str!("demo/opera.pgn");
/// Maximum duration of the game at ordinary speed; it is divided by the speed.
const GAME_TIMEOUT: Duration = Duration::from_secs(85);
/// Maximum time for starting up and for the last events.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(15);
/// Interval at which the programs are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// Time after the result in which the last move is still completed.
const END_GRACE: Duration = Duration::from_secs(1);

/// What is printed after the game.
const NEXT: &str = "\nWhat to do next:\n  \
    touchmovectl demo --boards 12     a whole round, with the page for spectators, operator and arbiter\n  \
    sudo touchmovectl setup           set up this machine: boards, event, Laws, and the page with an address for telephones\n  \
    touchmovectl doctor               with a board of your own plugged in: is it seen, and what is missing?\n  \
    touchmovectl monitor              follow the games on your boards, once touchmoved runs\n";

/// Watch a master's game, or a whole round, without a board
///
/// Starts a private D-Bus, touchmoved, and a virtual board (DGT with a clock, or another) on a pseudo-terminal, on which
/// simulated hands that slide and hesitate play Paul Morphy's game at the opera. Shows board, clocks and moves as they arrive
/// over D-Bus, then the PGN, and whether every move arrived as it was played. The buses and the boards of this machine are not
/// touched.
///
/// With --boards it is a tournament, round after round, until Ctrl-C: boards of several kinds, players with titles, federations and
/// ratings, and the page, which is opened where there is a desktop, with addresses for spectators, operator and arbiter. A page stands
/// in for Lichess, and another is a client of the LiveChess server. After about 40 s a player makes an illegal move, and both wait
/// for the arbiter: for you. Nothing is left at the end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl demo
  touchmovectl demo --boards 12
  touchmovectl demo --boards 12 --delay 60 --no-browser
  touchmovectl demo --hands blitz --speed 1
  touchmovectl demo --board certabo --hands clean")]
pub struct Args {
    /// Speed, as a multiple of that of real hands [default: 3; with --boards 1]
    #[arg(long, value_name = "FACTOR", value_parser = clap::value_parser!(u32).range(1..=10))]
    speed: Option<u32>,
    /// Profile of the players' hands: clean, club, blitz or worn
    #[arg(long, value_name = "PROFILE", default_value = "club")]
    hands: String,
    /// Model of the board
    #[arg(long, value_name = "MODEL", default_value = "dgt", value_parser = known_model, add = completion::models())]
    board: &'static Model,
    /// A tournament on this number of boards, until it is interrupted with Ctrl-C
    #[arg(long, value_name = "N", conflicts_with = "board", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_BOARDS)))]
    boards: Option<u16>,
    /// How late the public sees the games, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "boards", value_parser = clap::value_parser!(u16).range(0..=3600))]
    delay: u16,
    /// Do not open a browser; the addresses are printed in any case
    #[arg(long, requires = "boards")]
    no_browser: bool,
}

/// Speed of the hands, as a multiple of that of real ones: of one game, and of a tournament.
const SPEED: u32 = 3;
const TOURNAMENT_SPEED: u32 = 1;

/// Returns the model of a board with a serial line of its own.
pub(super) fn known_model(name: &str) -> Result<&'static Model, String> {
    let is_single = |model: &&Model| matches!(model.connection, Connection::Serial(_)) && !(model.protocol)().is_chain();
    let known = || BOARDS.iter().copied().filter(is_single).map(|model| model.name).collect::<Vec<_>>().join(", ");
    model(name)
        .filter(is_single)
        .ok_or_else(|| format!("{name:?} is not a board with its own serial line: write one of {}", known()))
}

/// Runs the subcommand. Fails if the game did not arrive as it was played.
pub fn run(args: Args) -> anyhow::Result<()> {
    match args.boards {
        None => super::block_on(show(args))?,
        Some(boards) => super::block_on(tournament::show(Options {
            boards,
            hands: args.hands,
            speed: args.speed.unwrap_or(TOURNAMENT_SPEED),
            delay: args.delay,
            opens_browser: !args.no_browser,
        }))?,
    }
}

impl Args {
    /// Returns the speed of one game.
    fn speed(&self) -> u32 {
        self.speed.unwrap_or(SPEED)
    }
}

async fn show(args: Args) -> anyhow::Result<()> {
    // First of all, so that an interruption at any later time still cleans up.
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut processes = DemoProcesses::set(OPERA, args.board, &args.hands, args.speed())?;
    let mut view = View { terminal: std::io::stdout().is_terminal(), drawn: 0 };
    view.print(&format!(
        "A private D-Bus at {}\nA virtual board ({}) at {}\n\
         Paul Morphy against the Duke of Brunswick and Count Isouard, Paris 1858; the times are invented.\n\n",
        processes.address,
        args.board.title,
        processes.port.display()
    ))?;
    let outcome = tokio::select! {
        outcome = follow(&mut processes, &mut view, &args) => outcome,
        _ = interrupt.recv() => bail!("interrupted"),
        _ = terminate.recv() => bail!("terminated"),
    };
    outcome.map_err(|error| match processes.touchmoved_log() {
        log if log.is_empty() => error,
        log => error.context(format!("touchmoved logged:\n{log}")),
    })
}

async fn follow(processes: &mut DemoProcesses, view: &mut View, args: &Args) -> anyhow::Result<()> {
    let client = Client::connect_to_bus(&Bus::Address(processes.address.clone()), Stream::Live).await?;
    let mut watch = client.watch().await?;
    // Only now, so that no event is missed.
    processes.start_touchmoved()?;
    let began = Instant::now();
    let mut deadline = began + STARTUP_TIMEOUT + GAME_TIMEOUT / args.speed();
    let mut ends = None;
    let mut check = interval(CHECK_INTERVAL);
    loop {
        let item = tokio::select! {
            item = timeout_at(ends.unwrap_or(deadline), watch.next()) => match item {
                Ok(Some(item)) => item,
                Ok(None) => bail!("the private D-Bus ended"),
                Err(_) if ends.is_some() => break,
                Err(_) => bail!("the game did not end within {} s", began.elapsed().as_secs()),
            },
            _ = check.tick() => {
                processes.still_runs()?;
                continue;
            }
        };
        let snapshot = match client.snapshot().await {
            Ok(snapshot) => snapshot,
            // The service is not ready yet.
            Err(_) if began.elapsed() < STARTUP_TIMEOUT => continue,
            Err(error) => return Err(error.into()),
        };
        let Some(game) = snapshot.games.last() else { continue };
        let clock = snapshot.boards.first().and_then(|board| board.clock.as_ref()).map(|clock| (clock.white, clock.black));
        if let WatchItem::Happened(happened) = item {
            view.show(game, clock, &happened)?;
            if happened.event == "ResultChanged" {
                deadline += END_GRACE;
                ends = Some(Instant::now() + END_GRACE);
            }
        }
    }
    finish(&client, view).await.with_context(|| format!("after {} s", began.elapsed().as_secs()))
}

/// Prints the PGN, and checks that the game arrived as it was played.
async fn finish(client: &Client, view: &mut View) -> anyhow::Result<()> {
    let snapshot = client.snapshot().await?;
    let [game] = snapshot.games.as_slice() else { bail!("there are {} games instead of one", snapshot.games.len()) };
    if !view.terminal {
        view.print(&board(game, Style::Plain))?;
    }
    view.print(&format!("\n{}\n", client.pgn(game.id).await?))?;
    let played = pgn::read(OPERA);
    let played = played.games.first().context("the game of the demo cannot be read")?;
    let truth: Vec<String> = (0..).zip(&played.plies).map(|(index, ply)| played.position(index).uci(ply.mv)).collect();
    let arrived: Vec<&str> = game.moves.iter().map(|mv| mv.uci.as_str()).collect();
    if arrived != truth {
        let ply = arrived.iter().zip(&truth).take_while(|(arrived, truth)| **arrived == truth.as_str()).count();
        let number = format!("{}{}", ply / 2 + 1, if ply % 2 == 1 { "..." } else { "." });
        bail!("move {number} is not the move that was played: this is a bug, please report it");
    }
    view.print(&format!(
        "All {} moves and the result ({}) arrived over D-Bus as they were played.\n{NEXT}",
        arrived.len(),
        game.result
    ))
}

fn board(game: &GameInfo, style: Style) -> String {
    Squares::from_fen(&game.fen).map(|squares| squares.draw(style)).unwrap_or_default()
}

/// The display of the game during play.
struct View {
    /// Draws in place; otherwise prints one line per event.
    terminal: bool,
    /// Number of lines to overwrite at the next drawing.
    drawn: usize,
}

impl View {
    fn print(&mut self, text: &str) -> anyhow::Result<()> {
        self.drawn = 0;
        let mut output = std::io::stdout().lock();
        output.write_all(text.as_bytes())?;
        Ok(output.flush()?)
    }

    fn show(&mut self, game: &GameInfo, clock: Option<(i32, i32)>, happened: &WatchedEvent) -> anyhow::Result<()> {
        if self.terminal {
            return self.draw(game, clock);
        }
        let ply = happened.fields.get("ply").and_then(serde_json::Value::as_u64).unwrap_or_default() as usize;
        let number = format!("{}{}", ply.div_ceil(2), if ply % 2 == 1 { "." } else { "..." });
        let mv = ply.checked_sub(1).and_then(|index| game.moves.get(index));
        let san = mv.map_or("?", |mv| mv.san.as_str());
        let (white, black) = mv.map_or((-1, -1), |mv| (mv.white, mv.black));
        let line = match happened.event.as_str() {
            "MoveMade" => format!("made       {number} {san}\n"),
            "MoveCompleted" => {
                format!("completed  {number} {san:<8} {}  {}\n", diagram::clock(white), diagram::clock(black))
            }
            "MovesCorrected" => {
                format!("corrected  {}", diagram::moves(&game.start, game.moves.iter().map(|mv| mv.san.as_str())))
            }
            "ResultChanged" => format!("result     {}\n", game.result),
            _ => return Ok(()),
        };
        self.print(&line)
    }

    fn draw(&mut self, game: &GameInfo, clock: Option<(i32, i32)>) -> anyhow::Result<()> {
        let mut picture = board(game, Style::of_stdout());
        let (white, black) = clock.unwrap_or((-1, -1));
        picture += &format!("\n  White {}   Black {}   {}\n\n", diagram::clock(white), diagram::clock(black), game.result);
        picture += &diagram::moves(&game.start, game.moves.iter().map(|mv| mv.san.as_str()));
        let erase = if self.drawn > 0 { format!("\x1b[{}A\x1b[J", self.drawn) } else { String::new() };
        self.print(&(erase + &picture))?;
        self.drawn = picture.matches('\n').count();
        Ok(())
    }
}
