//! `touchmovectl`, one file per subcommand.
//!
//! A subcommand has `Args`, with its help and examples, and `run(Args)`. Exit codes: 0 success; 1 failure, or a fault was found; 2
//! invalid command line; 3 the requested object, or touchmoved itself, was not found.

pub mod arbiter;
pub mod backup;
pub mod bluetooth;
pub mod board;
mod child_process;
mod columns;
mod completion;
pub mod config;
mod config_file;
pub mod demo;
pub mod diagram;
pub mod doctor;
pub mod fit_hands;
pub mod fit_prior;
pub mod forget;
pub mod game;
pub mod hall;
mod hands_speed;
pub mod journal;
pub mod language;
pub mod laws;
pub mod lichess;
pub mod list;
pub mod monitor;
mod moves;
pub mod pgn;
mod playback;
mod private_bus;
pub mod pty;
pub mod replay;
pub mod round;
pub mod score;
pub mod seat;
pub mod service;
pub mod setup;
pub mod simulate;
pub mod status;
mod tables;
mod temp_dir;
pub mod token;

use crate::publish::client::ClientError;
use clap::{CommandFactory, Parser, Subcommand};
use std::io::{self, IsTerminal};
use std::process::ExitCode;

/// Shows electronic chessboards and their games, gives the arbiter's commands, and replays and simulates games.
#[derive(Debug, Parser)]
#[command(
    name = "touchmovectl",
    version,
    arg_required_else_help = true,
    after_help = "Examples:
  touchmovectl demo        a game on a virtual board, over a private D-Bus
  sudo touchmovectl setup  boards, event, Laws and the page for telephones
  touchmovectl doctor      why is no board seen?
  touchmovectl status      all playing tables, and where somebody is needed
  touchmovectl monitor     follow the games on all boards
  touchmovectl pgn         the game being played, as PGN

`touchmovectl COMMAND --help` has more examples. Exit codes: 0 success; 1 failure, or a fault was found;
2 invalid command line; 3 the requested object, or touchmoved itself, was not found."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Setup(Box<setup::Args>),
    Status(status::Args),
    List(list::Args),
    Monitor(monitor::Args),
    Board(board::Args),
    Game(game::Args),
    Pgn(pgn::Args),
    Arbiter(arbiter::Args),
    Round(round::Args),
    Seat(seat::Args),
    Forget(forget::Args),
    Token(token::Args),
    Config(config::Args),
    Replay(replay::Args),
    Simulate(simulate::Args),
    Score(score::Args),
    FitPrior(fit_prior::Args),
    FitHands(fit_hands::Args),
    Doctor(doctor::Args),
    Bluetooth(bluetooth::Args),
    Demo(demo::Args),
    Laws(laws::Args),
    Lichess(lichess::Args),
    Hall(hall::Args),
    Backup(backup::Args),
    Journal(journal::Args),
}

/// Returns the command line definition, for the manual and the completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program.
pub fn main() -> ExitCode {
    completion::complete(command);
    let done = |outcome: anyhow::Result<()>| outcome.map(|()| ExitCode::SUCCESS);
    let command = Cli::parse().command;
    // Warnings about these files are left to the daemon and to `touchmoved --check-config`.
    if let Err(error) = crate::config::overrides::load() {
        eprintln!("touchmovectl: {error}");
        return ExitCode::FAILURE;
    }
    let outcome = match command {
        Command::Setup(args) => wait(setup::run(*args)),
        Command::Status(args) => wait(status::run(args)),
        Command::List(args) => wait(list::run(args)),
        Command::Monitor(args) => wait(monitor::run(args)),
        Command::Board(args) => block_on(board::run(args)).map_err(Into::into).flatten(),
        Command::Game(args) => wait(game::run(args)),
        Command::Pgn(args) => wait(pgn::run(args)),
        Command::Arbiter(args) => wait(arbiter::run(args)),
        Command::Round(args) => wait(round::run(args)),
        Command::Seat(args) => wait(seat::run(args)),
        Command::Forget(args) => wait(forget::run(args)),
        Command::Token(args) => wait(token::run(args)),
        Command::Config(args) => wait(config::run(args)),
        Command::Replay(args) => done(replay::run(args)),
        Command::Simulate(args) => done(simulate::run(args)),
        Command::Score(args) => done(score::run(args)),
        Command::FitPrior(args) => done(fit_prior::run(args)),
        Command::FitHands(args) => done(fit_hands::run(args)),
        Command::Doctor(args) => doctor::run(args),
        Command::Bluetooth(args) => wait(bluetooth::run(args)),
        Command::Demo(args) => done(demo::run(args)),
        Command::Laws(args) => done(laws::run(args)),
        Command::Lichess(args) => lichess::run(args),
        Command::Hall(args) => wait(hall::run(args)),
        Command::Backup(args) => done(backup::run(args)),
        Command::Journal(args) => journal::run(args),
    };
    outcome.unwrap_or_else(|error| {
        // `touchmovectl … | head` is not a failure.
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        eprintln!("touchmovectl: {error:#}");
        ExitCode::from(error.downcast_ref::<ClientError>().map_or(1, ClientError::exit_code))
    })
}

/// Returns whether to write colours there: on a terminal, unless `NO_COLOR` is set (no-color.org).
pub fn colours(to: &impl IsTerminal) -> bool {
    to.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn wait(future: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<ExitCode> {
    block_on(future)?.map(|()| ExitCode::SUCCESS)
}

/// Runs a future on a single-threaded runtime.
fn block_on<T>(future: impl Future<Output = T>) -> io::Result<T> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future))
}
