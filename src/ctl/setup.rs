//! `touchmovectl setup`: from an installed package to a page on a telephone.
//!
//! What it does is a table of steps (`plan::STEPS`). Each says what it would change, changes it, and records each change
//! (`record`), from which it is undone. A step that has nothing to change does nothing, so that setup can be run again at any time.

mod answers;
mod avahi;
mod boards;
pub(super) mod certificate;
mod event;
mod group;
mod keys;
mod login;
mod machine;
mod network_names;
mod page;
mod plan;
mod record;
mod service;
mod undo;

use super::service::{confirm, print};
use crate::publish::dbus::Bus;
use answers::ListenAnswer;
use anyhow::{Context, bail};
use boards::BoardAnswer;
use machine::Machine;
use plan::Plan;
use std::path::{Path, PathBuf};

/// Set up this machine: boards, event, Laws, and the page for telephones
///
/// Says first what it would do and why, and asks. Nothing is done twice: run it again to change an answer, to add a board, or to renew
/// the certificate. It writes the configuration file, makes a certificate for the page with a CA of this machine alone, announces the page
/// in the network where Avahi runs, starts touchmoved, and prints the address of the page with a code for one login as administrator.
/// On a terminal it asks what is not given; otherwise what is not given stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sudo touchmovectl setup                                      asks for the rest
  touchmovectl setup --dry-run                                 what it would do
  sudo touchmovectl setup --event 'Club championship' --laws fide-2023 --time-class standard --yes
  sudo touchmovectl setup --board /dev/ttyUSB0=certabo         a board that has to be named
  sudo touchmovectl setup --undo                               takes back all that it did
  sudo touchmovectl setup --undo page                          takes back one step")]
pub struct Args {
    /// Name of the event
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Place of the event
    #[arg(long, value_name = "PLACE")]
    place: Option<String>,
    /// Edition of the Laws
    #[arg(long, value_name = "EDITION", value_parser = crate::laws::EDITIONS)]
    laws: Option<String>,
    /// Time class
    #[arg(long, value_name = "CLASS", value_parser = ["standard", "rapid", "blitz"])]
    time_class: Option<String>,
    /// Supervision of rapid or blitz: full if each game is watched and recorded, otherwise limited
    #[arg(long, value_name = "HOW", value_parser = ["full", "limited"])]
    supervision: Option<String>,
    /// Address and port of the page, or none [default: as configured, else 0.0.0.0:8064: all addresses of this machine]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<ListenAnswer>,
    /// A name or address of this machine besides those that it finds; its CA can sign for private ones only
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// A board that has to be named, as DEVICE=MODEL; may be repeated
    #[arg(long = "board", value_name = "DEVICE=MODEL")]
    boards: Vec<BoardAnswer>,
    /// The user who may see alerts and give rulings on the command line [default: who runs sudo]
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Name of the login to the page, as in the journal [default: who runs sudo, else administrator]
    #[arg(long, value_name = "NAME")]
    login: Option<String>,
    /// Take back what setup did: one step, or all
    #[arg(long, value_name = "STEP", num_args = 0..=1, default_missing_value = undo::ALL)]
    undo: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Write below this directory instead of /, and start nothing. For the disk of one machine: of an image that is copied, run setup on
    /// each machine, because each needs keys of its own
    #[arg(long, value_name = "DIR", default_value = "/", hide_default_value = true)]
    root: PathBuf,
    /// The bus on which touchmoved and Avahi are [default: system]
    #[arg(long, value_name = "BUS")]
    bus: Option<Bus>,
}

impl Args {
    /// Returns whether this sets up the running machine.
    fn is_this_machine(&self) -> bool {
        self.root == Path::new("/")
    }
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    // The service and others read what is written here, whatever the umask of root is. What is secret gets a mode of its own.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    if args.is_this_machine() && !args.dry_run && !rustix::process::geteuid().is_root() {
        bail!("setup changes files of the system: run `sudo touchmovectl setup`, or see what it would do with --dry-run");
    }
    let mut machine = Machine::open(&args)?;
    if let Some(step) = &args.undo {
        return undo::run(&mut machine, &args, step);
    }
    machine.names = network_names::find(&args).await;
    network_names::keep(&mut machine);
    answers::ask(&mut machine, &args)?;
    let plan = Plan::make(&machine)?;
    print(&plan.describe())?;
    if args.dry_run {
        return Ok(());
    }
    if plan.is_empty() {
        print("Nothing has to be changed.\n\n")?;
    } else if !confirm("Do that?", args.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    plan.carry_out(&mut machine).context(
        "setup has stopped; what it had done stays, `sudo touchmovectl setup` goes on from there, and `--undo` takes it back",
    )?;
    login::finish(&machine, &args).await
}
