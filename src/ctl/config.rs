//! `touchmovectl config`: shows the configuration of the running touchmoved, and changes it.

mod unit;

use super::service::{Service, print, print_json};
use crate::config::keys::ChangeEffect;
use crate::publish::client::{Client, ClientError, ConfigKey};
use crate::wire::Word;
use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use unicode_width::UnicodeWidthStr;

/// Show the configuration, and change it while touchmoved runs
///
/// Without a subcommand, prints every key with its value and where that is from. `set` stores a value over the configuration file,
/// which is never changed; `unset` lets the file decide again. Only root may change keys, and whoever polkit authorizes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  touchmovectl config
  sudo touchmovectl config set broadcast.delay_s 900
  sudo touchmovectl config unset broadcast.delay_s
  touchmovectl config unit                               what systemd allows the service by the file")]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Set a key to a value
    #[command(after_help = "Examples:
  sudo touchmovectl config set broadcast.delay_s 900
  sudo touchmovectl config set laws.edition fide-2018
  sudo touchmovectl config set hooks.matters play,board,end
  sudo touchmovectl config set lichess.round '1 = AbCd1234, 2 = EfGh5678'
  sudo touchmovectl config set lichess.round ''    sends no more games")]
    Set {
        /// The key with its table, such as broadcast.delay_s
        key: String,
        /// The value; of a list, the entries with commas between them
        #[arg(allow_hyphen_values = true)]
        value: String,
        #[command(flatten)]
        change: Change,
    },
    /// Remove what was set, so that the configuration file decides again
    #[command(after_help = "Example:\n  sudo touchmovectl config unset broadcast.delay_s")]
    Unset {
        /// The key with its table, such as broadcast.delay_s
        key: String,
        #[command(flatten)]
        change: Change,
    },
    Unit(unit::Args),
}

#[derive(Debug, clap::Args)]
struct Change {
    /// Do not ask whether the public may see events sooner
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let Some(what) = args.what else {
        let (file, keys) = args.service.connect().await?.configuration().await?;
        return if args.json { print_json(&keys) } else { Ok(print(&describe(&file, &keys))?) };
    };
    let (key, value, change) = match what {
        What::Set { key, value, change } => (key, Some(value), change),
        What::Unset { key, change } => (key, None, change),
        What::Unit(args) => return unit::run(&args),
    };
    let client = change.service.connect().await?;
    let send = async |is_confirmed| send_change(&client, &key, value.as_deref(), is_confirmed).await;
    let effect = match send(change.yes).await {
        Err(ClientError::Unconfirmed(reason)) => {
            if !io::stdin().is_terminal() {
                bail!("{reason}: confirm it with --yes");
            }
            if !is_confirmed(&reason)? {
                bail!("{key} was not changed");
            }
            send(true).await?
        }
        outcome => outcome?,
    };
    let effect = ChangeEffect::from_word(&effect).unwrap_or(ChangeEffect::Immediate);
    let advice = if effect == ChangeEffect::NextStart { ": `sudo systemctl restart touchmoved`" } else { "" };
    let verb = if value.is_some() { "set" } else { "unset" };
    Ok(print(&format!("{key} is {verb}; this takes effect {}{advice}\n", effect.when().unwrap_or_default()))?)
}

async fn send_change(client: &Client, key: &str, value: Option<&str>, is_confirmed: bool) -> Result<String, ClientError> {
    match value {
        Some(value) => client.set_key(key, value, is_confirmed).await,
        None => client.unset_key(key, is_confirmed).await,
    }
}

/// Asks the user for a confirmation.
fn is_confirmed(reason: &str) -> io::Result<bool> {
    eprint!("{reason}. Change it? [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Describes every key in a row.
fn describe(file: &str, keys: &[ConfigKey]) -> String {
    let widest =
        |text: fn(&ConfigKey) -> &str, max: usize| keys.iter().map(|key| text(key).width()).max().unwrap_or(0).min(max);
    let (name_width, value_width) = (widest(|key| &key.key, 32), widest(|key| &key.value, 40));
    let mut text = String::new();
    for ConfigKey { key, value, source, by, at, .. } in keys {
        let source = match source.as_str() {
            "file" => file.to_owned(),
            "settings" => format!("settings.toml: {by}, {}", local_time(at)),
            _ => "default".to_owned(),
        };
        let padding = " ".repeat(value_width.saturating_sub(value.width()));
        let _ = writeln!(text, "{key:name_width$}  {value}{padding}  {source}");
    }
    text
}

/// Returns a time of RFC 3339 in the time zone of this machine.
fn local_time(at: &str) -> String {
    let time = at.parse().map(|at: Timestamp| at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string());
    time.unwrap_or_else(|_| at.to_owned())
}
