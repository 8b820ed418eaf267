//! The arguments of `touchmoved`. The manual and the completions are generated from them.

use clap::Parser;
use std::path::PathBuf;
use touchmove::boards::{BOARDS, Model, model};
use touchmove::publish::dbus::Bus;

/// Reads electronic chessboards and publishes their games over D-Bus.
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:\n  touchmoved                                   every board that is plugged in\n  touchmoved --bus session --port /dev/ttyUSB0 one board, for this user\n\nTOUCHMOVE_LOG=debug logs more, including moves."
)]
pub struct Args {
    /// The bus: session, system, or an address such as unix:path=/run/bus. [default: as configured, else session if there is one, else system]
    #[arg(long, value_name = "BUS")]
    pub bus: Option<Bus>,
    /// The configuration file [default: ~/.config/touchmove/touchmoved.toml if there is one, else /etc/touchmove/touchmoved.toml]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The directory of the journal and the recordings [default: as configured]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Serve only the board on this port
    #[arg(long, value_name = "PATH")]
    pub port: Option<PathBuf>,
    /// The model of the board on --port
    #[arg(long, value_name = "MODEL", default_value = "dgt", requires = "port", value_parser = known_model)]
    pub board: &'static Model,
    /// Check the configuration, print the problems, and exit
    #[arg(long)]
    pub check_config: bool,
}

fn known_model(name: &str) -> Result<&'static Model, String> {
    let known: Vec<&str> = BOARDS.iter().map(|model| model.name).collect();
    model(name).ok_or_else(|| format!("there is no model {name}: write {}", known.join(" or ")))
}
