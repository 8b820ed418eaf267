//! `touchmovectl hall remove`.

use super::{Place, Yes, change};
use crate::ctl::service::{confirm, print};
use crate::hall::setup::SetupError;
use crate::hall::setup::registry;

/// Remove a machine from the hall: the message server disconnects it and refuses its key
///
/// Games that the hub has received stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sudo touchmovectl hall remove pi-07")]
pub(super) struct Args {
    /// Name of the machine
    name: String,
    #[command(flatten)]
    yes: Yes,
    #[command(flatten)]
    place: Place,
}

/// Runs the subcommand.
pub(super) fn run(Args { name, yes, place }: Args) -> anyhow::Result<()> {
    let files = place.files();
    let mut preview = registry::load(&files)?.ok_or(SetupError::NoHall)?;
    preview.remove(&name)?;
    let question = format!("Remove {name} from the hall {}? Its games arrive no longer, unless it joins again.", preview.hall);
    if !confirm(&question, yes.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    change(&files, |registry| registry.remove(&name))?;
    Ok(print(&format!("{name} is removed\n"))?)
}
