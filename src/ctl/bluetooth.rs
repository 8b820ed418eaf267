//! `touchmovectl bluetooth`: boards over Bluetooth, and which of them touchmoved uses.

mod add;
mod forget;
mod scan;

use crate::link::bluetooth::Address;

/// Find boards over Bluetooth, and name those that touchmoved uses
///
/// touchmoved connects only to boards whose address is in the configuration. `scan` shows what is near; it connects to no
/// device, and writes nothing to any. `add` and `forget` write the configuration file, after a question. Where boards of several
/// makers look alike, `add` asks the board with that address which one it is. A board that wants to be paired is paired with
/// bluetoothctl, once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl bluetooth scan
  sudo touchmovectl bluetooth add AA:BB:CC:DD:EE:FF
  sudo touchmovectl bluetooth forget AA:BB:CC:DD:EE:FF")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Scan(scan::Args),
    Add(add::Args),
    Forget(forget::Args),
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    match args.what {
        What::Scan(args) => scan::run(args).await,
        What::Add(args) => add::run(args).await,
        What::Forget(args) => forget::run(args),
    }
}

fn address(text: &str) -> Result<Address, String> {
    text.parse().map_err(|()| "write an address such as AA:BB:CC:DD:EE:FF: `touchmovectl bluetooth scan` shows them".to_owned())
}
