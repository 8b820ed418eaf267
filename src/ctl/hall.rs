//! `touchmovectl hall`: sets up the hub of a hall, and the machines that send their games to it.

mod add;
mod init;
mod join;
mod list;
mod new_event;
mod remove;

use super::backup::default_state_dir;
use super::service::{Service, print};
use crate::hall::setup::paths::HallFiles;
use crate::hall::setup::registry::{LockedRegistry, Registry};
use crate::hall::setup::{SetupError, server};
use crate::publish::client::ClientError;
use std::path::PathBuf;

/// Set up a hall: one machine, the hub, shows the games of all machines
///
/// `init` sets up the hub and its message server. `add` prints the line that is typed on a machine, which then joins by itself:
/// with a code that is valid once and for 15 minutes. Only root and the user of touchmoved may do this.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sudo touchmovectl hall init --event open-2026     on the hub
  sudo touchmovectl hall add pi-07                  on the hub: prints the next line
  sudo touchmovectl hall join 192.168.1.10 9TQN-…   on the machine
  sudo touchmovectl hall list
  sudo touchmovectl hall remove pi-07
  sudo touchmovectl hall new-event club-2027        on the hub: the same machines, another event")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Init(init::Args),
    Add(add::Args),
    List(list::Args),
    Remove(remove::Args),
    NewEvent(new_event::Args),
    Join(join::Args),
}

#[derive(Debug, clap::Args)]
struct Place {
    /// State directory of touchmoved [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl Place {
    fn files(&self) -> HallFiles {
        HallFiles::of(&self.state_dir.clone().unwrap_or_else(default_state_dir))
    }
}

/// Answers questions in advance.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Yes {
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Init(args) => init::run(args).await,
        What::Add(args) => add::run(args),
        What::List(args) => list::run(args),
        What::Remove(args) => remove::run(args),
        What::NewEvent(args) => new_event::run(args),
        What::Join(args) => join::run(args).await,
    }
}

/// Changes the registry of this hub, and makes the server read its configuration again.
fn change<T>(files: &HallFiles, act: impl FnOnce(&mut Registry) -> Result<T, SetupError>) -> anyhow::Result<T> {
    // Without a registry there may be no directory for the lock.
    crate::hall::setup::registry::load(files)?.ok_or(SetupError::NoHall)?;
    let locked = LockedRegistry::lock(files)?;
    let mut registry = locked.load()?.ok_or(SetupError::NoHall)?;
    let outcome = act(&mut registry)?;
    locked.save(&registry)?;
    if !server::reload(files).map_err(SetupError::from)? {
        print(&format!("nats-server does not run on this machine: `sudo systemctl start {}`\n", server::UNIT))?;
    }
    Ok(outcome)
}

/// Sets these keys in the running touchmoved, one after the other.
async fn set(service: &Service, settings: &[(&str, &str)]) -> Result<(), ClientError> {
    let client = service.connect().await?;
    for (key, value) in settings {
        client.set_key(key, value, false).await?;
    }
    Ok(())
}
