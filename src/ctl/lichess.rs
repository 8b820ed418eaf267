//! `touchmovectl lichess`: checks whether Lichess accepts the games, before there are any.

use super::service::{print, print_json};
use crate::config::Config;
use crate::config::lichess::Lichess;
use crate::publish::lichess::{error_message, rejection_advice, token};
use crate::publish::request::{self, Request};
use anyhow::Context;
use hyper::Method;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Maximum time for a reply from Lichess.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// Find out whether Lichess takes the games
///
/// Asks Lichess for each round that the configuration names, with the token that it names, and says whether that token may
/// write there. Sends no game. touchmoved need not run. Ends with 0 when all is well, with 1 when not.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl lichess
  sudo touchmovectl lichess --token-file /etc/touchmove/lichess.token    where systemd gives the token to the service")]
pub struct Args {
    /// The configuration [default: as touchmoved finds it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The file of the token, in the place of the one configured
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
    let mut lichess = Config::load(&path)?.lichess.with_context(|| {
        format!("{} names no round of Lichess: write round under [lichess], see `man touchmoved.toml`", path.display())
    })?;
    lichess.token_file = args.token_file.or(lichess.token_file);
    let token = token(&lichess).map_err(|why| anyhow::anyhow!("{why}; or give it as --token-file"))?;
    let findings = super::block_on(async {
        let mut findings = Vec::new();
        for (number, id) in lichess.rounds.all() {
            let (ok, says) = match ask(&lichess, &token, id).await {
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
            format!("{} {number}{} {}\n", if finding.ok { "ok   " } else { "WRONG" }, finding.id, finding.says)
        };
        print(&findings.iter().map(line).collect::<String>())?;
    }
    Ok(if findings.iter().all(|finding| finding.ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the description of a round, or the problem.
async fn ask(lichess: &Lichess, token: &str, id: &str) -> Result<String, String> {
    let site = lichess.url.to_string();
    let request = Request {
        method: Method::GET,
        path: Some(format!("/api/broadcast/-/-/{id}")),
        headers: vec![("Authorization", format!("Bearer {token}")), ("Accept", "application/json".to_owned())],
        text: String::new(),
    };
    let answer = request::send(&lichess.url, request, REPLY_TIMEOUT).await.map_err(|why| format!("was not found: {why}"))?;
    match answer.status {
        200..=299 => {}
        429 => return Err(format!("was not asked for: {site} has had too many requests, so wait a minute")),
        status @ 500.. => return Err(format!("was not found: {site} has trouble of its own (status {status})")),
        status => return Err(format!("cannot be used: {}", rejection_advice(status, &error_message(&answer.text), &site, id))),
    }
    let body: Value = serde_json::from_str(&answer.text).map_err(|_| format!("was not found: {site} is no Lichess"))?;
    let name = |pointer| body.pointer(pointer).and_then(Value::as_str).unwrap_or("?").to_owned();
    let called = format!("is \"{}\" of \"{}\"", name("/round/name"), name("/tour/name"));
    match body.pointer("/study/writeable").and_then(Value::as_bool) {
        Some(true) => Ok(format!("{called}, and this token may write there")),
        _ => Err(format!("{called}, but {}", rejection_advice(403, "", &site, id))),
    }
}
