//! `touchmovectl lichess`: checks whether Lichess accepts the games, before there are any.

use super::backup::default_state_dir;
use super::service::{print, print_json};
use crate::config::Config;
use crate::config::lichess::Lichess;
use crate::daemon::live_config::StartConfig;
use crate::publish::http::request::{self, Request};
use crate::publish::lichess::{error_message, rejection_advice, token};
use anyhow::Context;
use hyper::Method;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Maximum time for a reply from Lichess.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// Check whether Lichess accepts the games
///
/// Queries Lichess for each configured round with the configured token, and prints whether that token may write to the round.
/// Sends no game. touchmoved does not have to run. Exit code 0: all rounds can be used; 1: a round cannot be used, or failure.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl lichess
  sudo touchmovectl lichess --token-file /etc/touchmove/lichess.token    if systemd passes the token to the service")]
pub struct Args {
    /// The configuration file [default: the one that touchmoved reads]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The file of the token, instead of the configured one
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// The finding on one round.
#[derive(Serialize)]
struct Finding {
    /// Its number in touchmove, if configured.
    number: Option<u16>,
    /// Its id on Lichess.
    id: String,
    /// Games may be sent.
    ok: bool,
    /// Its description, or the problem and what to do.
    says: String,
}

/// Runs the subcommand: queries Lichess and prints the findings.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let path = args.config.unwrap_or_else(Config::default_path);
    let (config, text) = Config::load_with_text(&path)?;
    let state_dir = config.configured_state_dir().map_or_else(default_state_dir, Path::to_owned);
    // What was changed while touchmoved ran.
    let start = StartConfig::new(config, &path, text, &state_dir);
    start.ignored.iter().for_each(|sentence| eprintln!("touchmovectl: {sentence}"));
    let mut lichess = start.config.lichess.with_context(|| {
        format!("{} has no round of Lichess: write round under [lichess], see `man touchmoved.toml`", path.display())
    })?;
    lichess.token_file = args.token_file.or(lichess.token_file);
    let token = token(&lichess).map_err(|error| anyhow::anyhow!("{error}; or pass the file with --token-file"))?;
    let findings = super::block_on(async {
        let mut findings = Vec::new();
        for (number, id) in lichess.rounds.all() {
            let (ok, says) = match query_round(&lichess, &token, id).await {
                Ok(says) => (true, says),
                Err(says) => (false, says),
            };
            findings.push(Finding { number, id: id.to_owned(), ok, says });
        }
        findings
    })?;
    if args.json {
        print_json(&serde_json::json!({ "rounds": findings }))?;
    } else {
        let line = |finding: &Finding| {
            let number = finding.number.map_or_else(String::new, |number| format!("round {number}: "));
            format!("{} {number}{} {}\n", if finding.ok { "ok   " } else { "ERROR" }, finding.id, finding.says)
        };
        print(&findings.iter().map(line).collect::<String>())?;
    }
    Ok(if findings.iter().all(|finding| finding.ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the description of a round, or the problem.
async fn query_round(lichess: &Lichess, token: &str, id: &str) -> Result<String, String> {
    let site = lichess.url.to_string();
    let request = Request {
        method: Method::GET,
        path: Some(format!("/api/broadcast/-/-/{id}")),
        headers: vec![("Authorization", format!("Bearer {token}")), ("Accept", "application/json".to_owned())],
        text: String::new(),
    };
    let reply =
        request::send(&lichess.url, request, REPLY_TIMEOUT).await.map_err(|error| format!("could not be checked: {error}"))?;
    match reply.status {
        200..=299 => {}
        429 => return Err(format!("was not checked: {site} received too many requests; wait a minute")),
        status @ 500.. => return Err(format!("could not be checked: {site} has an internal error (status {status})")),
        status => return Err(format!("cannot be used: {}", rejection_advice(status, &error_message(&reply.text), &site, id))),
    }
    let body: Value =
        serde_json::from_str(&reply.text).map_err(|_| format!("could not be checked: {site} is not a Lichess server"))?;
    let name = |pointer| body.pointer(pointer).and_then(Value::as_str).unwrap_or("?").to_owned();
    let description = format!("is \"{}\" of \"{}\"", name("/round/name"), name("/tour/name"));
    match body.pointer("/study/writeable").and_then(Value::as_bool) {
        Some(true) => Ok(format!("{description}, and this token may write there")),
        _ => Err(format!("{description}, but {}", rejection_advice(403, "", &site, id))),
    }
}
