//! `touchmovectl hall list`.

use super::Place;
use crate::ctl::service::{print, print_json};
use crate::hall::setup::SetupError;
use crate::hall::setup::registry;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;
use std::fmt::Write;

/// List the machines of the hall, and the codes that can still be used
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  sudo touchmovectl hall list\n  sudo touchmovectl hall list --json")]
pub(super) struct Args {
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

/// Runs the subcommand.
pub(super) fn run(args: Args) -> anyhow::Result<()> {
    let registry = registry::load(&args.place.files())?.ok_or(SetupError::NoHall)?;
    let now_ms = Timestamp::now().as_millisecond();
    if args.json {
        let machine =
            |machine: &registry::Machine| json!({"name": machine.name, "key": machine.key, "added_ms": machine.added_ms});
        let machines: Vec<_> = registry.machines.iter().map(machine).collect();
        let codes: Vec<_> =
            registry.open_codes(now_ms).map(|code| json!({"name": code.name, "expires_ms": code.expires_ms})).collect();
        return print_json(&json!({"hall": registry.hall, "port": registry.port, "machines": machines, "codes": codes}));
    }
    let mut text = format!("hall {}\n", registry.hall);
    let local = |ms: i64, form: &str| {
        Timestamp::from_millisecond(ms).unwrap_or_default().to_zoned(TimeZone::system()).strftime(form).to_string()
    };
    for machine in &registry.machines {
        let _ = writeln!(text, "{:<32}  joined {}", machine.name, local(machine.added_ms, "%Y-%m-%d %H:%M"));
    }
    for code in registry.open_codes(now_ms) {
        let _ = writeln!(text, "{:<32}  may join until {}", code.name, local(code.expires_ms, "%H:%M"));
    }
    if registry.machines.is_empty() && registry.open_codes(now_ms).next().is_none() {
        text += "no machines: `sudo touchmovectl hall add NAME` prints the line with which one joins\n";
    }
    Ok(print(&text)?)
}
