//! Common parts of the subcommands that query touchmoved: selection of bus, board and game, and output.

use crate::publish::client::{BoardInfo, Client, ClientError, GameInfo, IfNotRunning, Snapshot};
use crate::publish::dbus::{Bus, Stream};
use crate::wire::Word;
use std::io::{self, IsTerminal, Write};

/// Selects the touchmoved to query.
#[derive(Clone, Debug, clap::Args)]
pub struct Service {
    /// The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]
    #[arg(long, value_name = "BUS")]
    pub bus: Option<Bus>,
    /// Query the broadcast stream: only games, for users who may not see alerts
    #[arg(long)]
    pub broadcast: bool,
}

impl Service {
    /// Returns the selected stream.
    pub fn stream(&self) -> Stream {
        if self.broadcast { Stream::Broadcast } else { Stream::Live }
    }

    /// Connects to a running touchmoved. Operators, who may not call the arbiter's name, get their own.
    pub async fn connect(&self) -> Result<Client, ClientError> {
        let buses = self.bus.as_ref().map_or_else(Bus::search_order, |bus| vec![bus.clone()]);
        connect(&buses, self.stream(), IfNotRunning::Activate).await
    }
}

/// Connects to touchmoved on the first of these buses on which it runs. Operators, who may not call the arbiter's name, get their
/// own instead of [`Stream::Live`].
pub(super) async fn connect(buses: &[Bus], stream: Stream, if_not_running: IfNotRunning) -> Result<Client, ClientError> {
    let connected = Client::connect(buses, stream, if_not_running).await;
    if stream != Stream::Live {
        return connected;
    }
    match connected {
        Err(ClientError::Denied { .. }) => {}
        Err(error) => return Err(error),
        Ok(client) => match client.check_access().await {
            Err(ClientError::Denied { .. }) => {}
            _ => return Ok(client),
        },
    }
    let operator = Client::connect(buses, Stream::Operator, if_not_running).await?;
    operator.check_access().await?;
    Ok(operator)
}

/// Returns the board of this name; without a name the only one.
pub fn board<'a>(snapshot: &'a Snapshot, name: Option<&str>) -> Result<&'a BoardInfo, ClientError> {
    match (name, snapshot.boards.as_slice()) {
        (Some(name), boards) => boards
            .iter()
            .find(|board| board.id == name)
            .ok_or_else(|| ClientError::NotFound(format!("there is no board {name}: `touchmovectl list` lists the boards"))),
        (None, [only]) => Ok(only),
        (None, []) => Err(ClientError::NotFound("there is no board: `touchmovectl doctor` finds out why".to_owned())),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|board| board.id.as_str()).collect();
            Err(ClientError::NotFound(format!("there are several boards: name one of {}", names.join(", "))))
        }
    }
}

/// Returns the game with this number, or the one on the board of this name; without a name the only one being played, else the
/// last.
pub fn game<'a>(snapshot: &'a Snapshot, which: Option<&str>) -> Result<&'a GameInfo, ClientError> {
    let not_found = |sentence: String| Err(ClientError::NotFound(sentence));
    match which {
        Some(which) => {
            let number = which.parse().ok();
            let game = snapshot.games.iter().rfind(|game| Some(game.id) == number || game.board == which);
            game.map_or_else(
                || not_found(format!("there is no game {which}: `touchmovectl list` lists the games in memory")),
                Ok,
            )
        }
        None => {
            let mut playing = snapshot.games.iter().filter(|game| game.state == "playing");
            match (playing.next(), playing.next(), snapshot.games.last()) {
                (Some(only), None, _) | (None, _, Some(only)) => Ok(only),
                (Some(_), Some(_), _) => {
                    not_found("several games are being played: name a board or a game, see `touchmovectl list`".to_owned())
                }
                (None, _, None) => not_found("there is no game yet: set up the start position on the board".to_owned()),
            }
        }
    }
}

/// Printed if there is nothing to list.
pub(super) const NO_BOARDS: &str = "no boards and no games: `touchmovectl doctor` finds out why no board is seen\n";

/// Returns a line for each problem of the service.
pub(super) fn problem_lines(snapshot: &Snapshot) -> String {
    snapshot.health_problems.iter().map(|(_, sentence)| format!("PROBLEM: {sentence}\n")).collect()
}

/// Prints the text and flushes it.
pub fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Asks whether to go on; `yes` is the answer if it was given beforehand.
///
/// # Errors
/// Nobody can answer, because the input is not a terminal.
pub fn confirm(question: &str, yes: bool) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        anyhow::bail!("{question} Nobody can answer, because the input is not a terminal: add --yes");
    }
    print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Prints the value as JSON: one object or list on one line.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(&format!("{}\n", serde_json::to_string(value)?))?)
}

/// Parses a word of a closed set.
pub fn parse_word<T: Word>(text: &str) -> Result<T, String> {
    T::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
        format!("write {}", words.join(" or "))
    })
}
