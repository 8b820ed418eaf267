//! How a demonstration is set up: the boards, the addresses, and the configuration of touchmoved.

use super::board::DemoBoard;
use super::field::{EVENT, SITE};
use super::guide::hosts;
use crate::ctl::hands_speed::game_settings;
use crate::ctl::temp_dir::TempDir;
use anyhow::Context;
use std::fmt::Write;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The port of the page in the documentation.
const PAGE_PORT: u16 = 8064;
/// The port on which clients look for LiveChess.
const LIVECHESS_PORT: u16 = 1982;
/// The number of rounds for which the stand-in of Lichess is configured; nobody watches more.
const LICHESS_ROUNDS: u16 = 200;

/// The abstract name of a socket that a demonstration has while it starts.
const TURN: &str = "touchmove-demo-starts";
/// How long a demonstration waits for its turn; the others may be those of somebody else.
const TURN_TIMEOUT: Duration = Duration::from_secs(20);
/// Interval at which it looks whether it is its turn.
const TURN_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits until no other demonstration on this computer is starting: two that choose their ports at once would choose the same. What is
/// returned is kept until touchmoved has its ports.
pub(super) async fn turn() -> Option<UnixListener> {
    let end = Instant::now() + TURN_TIMEOUT;
    let name = SocketAddr::from_abstract_name(TURN).ok()?;
    loop {
        match UnixListener::bind_addr(&name) {
            Ok(turn) => return Some(turn),
            Err(_) if Instant::now() > end => return None,
            Err(_) => sleep(TURN_POLL_INTERVAL).await,
        }
    }
}

/// The ports of a demonstration on this computer.
pub(super) struct Addresses {
    /// The port of the page.
    pub(super) page: u16,
    /// The port of the LiveChess server.
    pub(super) livechess: u16,
    /// The port of the stand-ins.
    pub(super) stand_in: u16,
}

impl Addresses {
    /// Chooses the ports of touchmoved: those of the documentation, if no program uses them. They are not given to others before what
    /// is also returned is dropped.
    pub(super) fn choose() -> anyhow::Result<(Addresses, [TcpListener; 2])> {
        let open = |port: u16| TcpListener::bind(("127.0.0.1", port)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)));
        let open = |port: u16| open(port).context("no port of this computer can be opened");
        let (page, livechess) = (open(PAGE_PORT)?, open(LIVECHESS_PORT)?);
        let port = |listener: &TcpListener| Ok::<u16, std::io::Error>(listener.local_addr()?.port());
        Ok((Addresses { page: port(&page)?, livechess: port(&livechess)?, stand_in: 0 }, [page, livechess]))
    }

    /// Returns the address of the LiveChess server.
    pub(super) fn livechess_url(&self) -> String {
        format!("ws://127.0.0.1:{}/api/v1.0", self.livechess)
    }
}

/// Returns the boards; creates the directory in which their ports appear.
pub(super) fn boards(count: u16, dir: &TempDir) -> anyhow::Result<Vec<DemoBoard>> {
    let ports = dir.path().join("ports");
    std::fs::create_dir(&ports).with_context(|| format!("{} cannot be created", ports.display()))?;
    (1..=count).map(|table| DemoBoard::at(table, &ports)).collect()
}

/// Writes the file of the token for the stand-in of Lichess, which only this user can read. Returns its path.
pub(super) fn write_token(token: &str, dir: &Path) -> anyhow::Result<PathBuf> {
    let path = dir.join("lichess.token");
    let write = || OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?.write_all(token.as_bytes());
    write().with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}

/// Returns the configuration of touchmoved.
pub(super) fn configuration(
    boards: &[DemoBoard],
    addresses: &Addresses,
    token_file: &Path,
    speed: u32,
    delay: u16,
) -> anyhow::Result<String> {
    let Addresses { page, livechess, stand_in } = addresses;
    let rounds: Vec<String> = (1..=LICHESS_ROUNDS).map(|round| format!("{round} = Demo{round:04}")).collect();
    let mut text = game_settings(speed);
    write!(
        text,
        "[pgn]\nevent = {EVENT:?}\nsite = {SITE:?}\n[broadcast]\ndelay_s = {delay}\n[web]\nlisten = \"127.0.0.1:{page}\"\nhosts = {:?}\n\
         [livechess]\nlisten = \"127.0.0.1:{livechess}\"\n[lichess]\nround = {:?}\nurl = \"http://127.0.0.1:{stand_in}\"\ntoken_file = {:?}\n",
        hosts(),
        rounds.join(", "),
        token_file.display().to_string(),
    )?;
    for DemoBoard { name, model, port, .. } in boards {
        write!(text, "[[board]]\nname = {name:?}\nmodel = {:?}\nport = {:?}\n", model.name, port.display().to_string())?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_configuration_is_valid() {
        let dir = TempDir::new("touchmove-demo-plan").expect("a directory");
        let boards = boards(12, &dir).expect("boards");
        let addresses = Addresses { page: 8064, livechess: 1982, stand_in: 8065 };
        let token_file = write_token("secret", dir.path()).expect("a token");
        let mode = std::fs::metadata(&token_file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = configuration(&boards, &addresses, &token_file, 3, 10).expect("a configuration");
        let config = Config::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}"));
        assert_eq!(config.boards.len(), 12);
        assert_eq!(config.lichess.and_then(|lichess| lichess.rounds.id(17).map(str::to_owned)).as_deref(), Some("Demo0017"));
    }
}
