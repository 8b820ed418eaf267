//! `touchmovectl hall add`.

use super::{Place, Yes, change};
use crate::config::hall::DEFAULT_PORT;
use crate::ctl::service::{confirm, print};
use crate::hall::setup::code::{JoinCode, VALIDITY_MS};
use crate::hall::setup::registry::{self, check_name};
use crate::hall::setup::{SetupError, addresses, certificates};
use anyhow::Context;
use jiff::Timestamp;
use std::net::IpAddr;

/// Print the line with which a machine joins
///
/// Run it on the hub, whose touchmoved must run. The line is valid once, for 15 minutes. If there is a machine of this name
/// already, the new one replaces it: after a card was written anew, for example.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sudo touchmovectl hall add pi-07")]
pub(super) struct Args {
    /// Name of the machine: lower-case letters, digits and hyphens
    name: String,
    /// Name or address of this hub, as the machine reaches it [default: its address in the network]
    #[arg(long, value_name = "HOST")]
    address: Option<String>,
    #[command(flatten)]
    yes: Yes,
    #[command(flatten)]
    place: Place,
}

/// Runs the subcommand.
pub(super) fn run(args: Args) -> anyhow::Result<()> {
    check_name(&args.name)?;
    let files = args.place.files();
    let registry = registry::load(&files)?.ok_or(SetupError::NoHall)?;
    if registry.machine(&args.name).is_some() {
        let question =
            format!("{0} is in the hall already. Replace it? Its key is refused as soon as the new {0} joins.", args.name);
        if !confirm(&question, args.yes.yes)? {
            return Ok(print("nothing was changed\n")?);
        }
    }
    let found = addresses::addresses();
    let host = args.address.or_else(|| found.first().map(bracketed));
    let host = host.context("this machine has no address in a network: connect it, or give its name with --address")?;
    let code = JoinCode::generate(&certificates::ca(&files)?)?;
    let code_key = code.key()?.public_key();
    change(&files, |registry| registry.add_code(&args.name, code_key, Timestamp::now().as_millisecond()))?;
    let port = if registry.port == DEFAULT_PORT { String::new() } else { format!(":{}", registry.port) };
    let minutes = VALIDITY_MS / 60_000;
    print(&format!("On {}, within {minutes} minutes:\n  sudo touchmovectl hall join {host}{port} {code}\n", args.name))?;
    if found.len() > 1 {
        let others: Vec<String> = found.iter().map(bracketed).filter(|other| *other != host).collect();
        print(&format!("If {} is in another network than {host}: this hub is also {}\n", args.name, others.join(", ")))?;
    }
    Ok(())
}

/// Writes an address as in a URL.
fn bracketed(address: &IpAddr) -> String {
    if address.is_ipv6() { format!("[{address}]") } else { address.to_string() }
}
