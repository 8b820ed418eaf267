//! The end of setup: the address of the page, with a code for one login as administrator.

use super::Args;
use super::answers::ListenAnswer;
use super::certificate::{self, CA, CERTIFICATE};
use super::machine::Machine;
use crate::ctl::colours;
use crate::ctl::service::{self, print};
use crate::publish::client::{Client, ClientError, IfNotRunning, LoginCode};
use crate::publish::dbus::{Bus, Stream};
use crate::publish::web::qr::{login_address, to_blocks};
use anyhow::Context;
use std::fmt::Write;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::sleep;

/// The view of the page that goes on from here.
const FIRST_RUN: &str = "setup";
/// How often the boards are looked at until all are connected, and the pause between.
const BOARD_POLLS: usize = 20;
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Prints what was reached: boards, the address of the page, and how to log in there.
///
/// # Errors
/// touchmoved cannot be reached, or gives no code.
pub(super) async fn finish(machine: &Machine, args: &Args) -> anyhow::Result<()> {
    if !args.is_this_machine() && args.bus.is_none() {
        return Ok(print(
            "The machine does not run, so there is no login yet: when it does, run `sudo touchmovectl setup` there.\n",
        )?);
    }
    let buses = [args.bus.clone().unwrap_or(Bus::System)];
    let client = service::connect(&buses, Stream::Live, IfNotRunning::Activate).await?;
    print(&boards(&client).await?)?;
    let ListenAnswer::At(address) = machine.answers.listen else { return Ok(()) };
    let login = &machine.answers.login;
    let LoginCode { code, seconds, .. } = client
        .create_login_code(login, "administrator")
        .await
        .with_context(|| format!("no login could be made for {login:?}: give it another name with --login NAME"))?;
    let pages = pages(machine, address);
    let Some(page) = pages.first() else {
        return Ok(print(&format!(
            "This machine has no address in a network: connect it, and run setup again.\nThe code for the page is {code}.\n"
        ))?);
    };
    let login_page = login_address(page, FIRST_RUN, &code);
    let mut text = to_blocks(&login_page, colours(&std::io::stdout()))?;
    let _ = writeln!(text, "The page is at {page}");
    for other in pages.iter().skip(1) {
        let _ = writeln!(text, "            or {other}   (for telephones that do not find the name)");
    }
    let _ = writeln!(
        text,
        "Log in there as {login}, administrator, once and within {} minutes:\n  {login_page}\n  or with the code {code}",
        seconds / 60
    );
    let _ = writeln!(
        text,
        "If that is too late, this makes another code:\n  sudo touchmovectl token code \"{login}\" --role administrator --page {page}"
    );
    text.push_str(&trust(machine, page)?);
    text.push_str("Without the code, the page shows nothing but the public games, also on this machine.\n");
    Ok(print(&text)?)
}

/// Describes the boards, after waiting a moment for them to answer.
async fn boards(client: &Client) -> Result<String, ClientError> {
    let mut snapshot = client.snapshot().await?;
    for _ in 0..BOARD_POLLS {
        if snapshot.boards.iter().all(|board| board.state != "connecting") {
            break;
        }
        sleep(POLL_INTERVAL).await;
        snapshot = client.snapshot().await?;
    }
    let mut text = service::problem_lines(&snapshot);
    for board in &snapshot.boards {
        let reason = if board.state_reason.is_empty() { String::new() } else { format!(": {}", board.state_reason) };
        let _ = writeln!(text, "Board {}: {}{reason}", board.id, board.state);
    }
    if snapshot.boards.is_empty() {
        text.push_str("No board is plugged in; it is found when it is. `touchmovectl doctor` says why one is not.\n");
    }
    Ok(text + "\n")
}

/// Returns the addresses of the page, the best one for a telephone first.
fn pages(machine: &Machine, listen: SocketAddr) -> Vec<String> {
    let web = &machine.config.web;
    // A user's own certificate or proxy is for the names that they wrote.
    if certificate::other_source(machine).is_some()
        && web.is_encrypted()
        && let Some(address) = web.address()
    {
        return vec![address];
    }
    let scheme = if web.is_encrypted() { "https" } else { "http" };
    let hosts = machine.names.hosts_for(listen.ip());
    hosts.iter().map(|host| format!("{scheme}://{host}:{}/", listen.port())).collect()
}

/// Returns what a browser says about a CA that it does not know, and what to do.
fn trust(machine: &Machine, page: &str) -> anyhow::Result<String> {
    if certificate::other_source(machine).is_some() {
        return Ok(String::new());
    }
    let print_of = |path: &str| -> anyhow::Result<String> {
        machine.read(path)?.and_then(|pem| certificate::fingerprint(&pem)).with_context(|| format!("{path} is damaged"))
    };
    Ok(format!(
        "
A browser does not know the CA of this machine, and says \"Not secure\" or \"Your connection is not private\". Compare the
certificate that it shows (SHA-256) before you go on (Advanced, Proceed; on an iPhone: Show Details, visit this website):
  {}
For a telephone that is to trust this machine without asking: open {page}ca.crt there, compare the
CA (SHA-256), and install it as a CA certificate; it is valid for private names and addresses only:
  {}
With a public name and certificate no browser asks: see \"TLS\" in administrator.md.

",
        print_of(CERTIFICATE)?,
        print_of(CA)?,
    ))
}
