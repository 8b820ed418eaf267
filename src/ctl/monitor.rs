//! `touchmovectl monitor`: prints events as they happen.

mod row;
mod sentence;

use super::completion;
use super::diagram::{Squares, Style, clock, last_move};
use super::language;
use super::moves::MoveList;
use super::service::{Service, print, print_json};
use crate::names;
use crate::publish::client::{Client, ClientError, GameInfo, WatchItem, WatchedEvent};
use row::{Layout, Origin};
use sentence::sentence;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Duration;

/// Time before the next attempt to find the bus.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Print the events of all boards, until interrupted
///
/// Each row has the time of day, the table or the board, the players, and the event. Continues when touchmoved or the bus stops and starts again, and then prints the events in between.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchmovectl monitor\n  touchmovectl monitor --board dgt_ttyUSB0\n  touchmovectl monitor --json | jq 'select(.event == \"MoveMade\") | .san'"
)]
pub struct Args {
    /// Only events of this board
    #[arg(long, value_name = "BOARD", add = completion::boards())]
    board: Option<String>,
    /// Also touched squares and changed properties
    #[arg(long)]
    touches: bool,
    #[command(flatten)]
    service: Service,
    /// One JSON object per line, for programs
    #[arg(long)]
    json: bool,
}

/// Follows until the process is interrupted.
///
/// # Errors
/// If touchmoved is not reachable at the start.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let mut client = args.service.connect().await?;
    let (games, times, layout) = (BTreeMap::new(), BTreeMap::new(), Layout::default());
    let mut monitor = Monitor { drawn: 0, begun: false, games, times, layout, args };
    loop {
        match monitor.follow(&client).await {
            Ok(()) | Err(Interrupted::Gone(ClientError::Broken(_) | ClientError::NotRunning { .. })) => {}
            Err(Interrupted::Gone(error)) => return Err(error.into()),
            Err(Interrupted::Output(error)) => return Err(error),
        }
        monitor.line("the connection to the bus is lost: waiting for the bus")?;
        client = loop {
            tokio::time::sleep(RETRY_DELAY).await;
            match Client::connect_to_bus(client.bus(), client.stream()).await {
                Ok(client) => break client,
                Err(ClientError::NoBus { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        };
    }
}

enum Interrupted {
    Gone(ClientError),
    Output(anyhow::Error),
}

impl From<ClientError> for Interrupted {
    fn from(error: ClientError) -> Self {
        Interrupted::Gone(error)
    }
}

impl From<anyhow::Error> for Interrupted {
    fn from(error: anyhow::Error) -> Self {
        Interrupted::Output(error)
    }
}

struct Monitor {
    args: Args,
    /// The state at the start has been printed: every later game is new.
    begun: bool,
    games: BTreeMap<u64, Game>,
    /// The clocks last drawn for each board: White's and Black's, in milliseconds; negative: unknown.
    times: BTreeMap<String, (i32, i32)>,
    layout: Layout,
    /// Number of diagram lines below the last printed line.
    drawn: usize,
}

/// A game that is followed.
struct Game {
    board: String,
    /// The incarnation of the journal to which `last` belongs.
    incarnation: String,
    /// The number of the last printed event.
    last: u64,
    /// Where it is played, and by whom.
    origin: Origin,
    /// The moves up to the last printed event; `None`: not read yet.
    moves: Option<MoveList>,
}

impl Game {
    /// A game whose events up to number `last` are not printed.
    fn new(game: &GameInfo, last: u64) -> Game {
        Game {
            board: game.board.clone(),
            incarnation: game.incarnation.clone(),
            last,
            origin: origin(game),
            moves: (last == 0).then(MoveList::default),
        }
    }
}

impl Monitor {
    /// Follows until the connection to the bus is lost.
    async fn follow(&mut self, client: &Client) -> Result<(), Interrupted> {
        // Watch before reading, so that nothing is missed in between.
        let mut watch = client.watch().await?;
        if client.is_running().await.map_err(ClientError::Broken)? {
            self.catch_up(client).await?;
        }
        while let Some(item) = watch.next().await {
            match item {
                WatchItem::Happened(event) => self.handle_event(client, event).await?,
                WatchItem::NewGame(_) => self.catch_up(client).await?,
                WatchItem::ServiceStarted => {
                    self.line("touchmoved is running")?;
                    self.catch_up(client).await?;
                }
                WatchItem::ServiceStopped => self.line("touchmoved has stopped: waiting for it")?,
            }
        }
        Ok(())
    }

    /// Prints missed events; at the start prints only the current state.
    async fn catch_up(&mut self, client: &Client) -> Result<(), Interrupted> {
        let snapshot = client.snapshot().await?;
        let first = !std::mem::replace(&mut self.begun, true);
        snapshot.boards.iter().for_each(|board| self.layout.fit(&Origin::board(&board.id)));
        for game in &snapshot.games {
            let origin = origin(game);
            if game.state == "playing" {
                self.layout.fit(&origin);
            }
            if let Some(known) = self.games.get_mut(&game.id) {
                known.origin = origin;
            }
        }
        for board in &snapshot.boards {
            if let Some(times) = &board.clock {
                self.times.insert(board.id.clone(), (times.white, times.black));
            }
            if first && self.wants(&board.id) && !self.args.json {
                self.row(None, &Origin::board(&board.id), &board.state)?;
            }
        }
        let is_other = |game: &GameInfo| self.games.get(&game.id).is_some_and(|known| known.incarnation != game.incarnation);
        if let Some(game) = snapshot.games.iter().find(|game| is_other(game)) {
            if self.args.json {
                print_json(&serde_json::json!({ "event": "Incarnation", "incarnation": game.incarnation }))?;
            }
            self.line("the journal was replaced or has lost events: its games are printed from the beginning")?;
        }
        for game in &snapshot.games {
            let last = match self.games.get(&game.id) {
                Some(known) if known.incarnation == game.incarnation => known.last,
                None if first => {
                    self.games.insert(game.id, Game::new(game, game.last_number));
                    if self.wants(&game.board) && game.state == "playing" && !self.args.json {
                        let last = last_move(&game.start, game.moves.iter().map(|ply| ply.san.as_str()));
                        let last = last.map_or_else(|| "no move yet".to_owned(), |last| format!("last move {last}"));
                        self.row(None, &origin(game), &format!("game {}, {last}", game.id))?;
                        self.draw(&game.board, &game.fen)?;
                    }
                    continue;
                }
                // In another incarnation the number may belong to another game.
                _ => {
                    self.games.insert(game.id, Game::new(game, 0));
                    0
                }
            };
            match client.events_since(game.id, last, &game.incarnation).await {
                Ok(missed) => {
                    for missed in missed {
                        self.translate_and_print(client, missed).await?;
                    }
                }
                // Other games have begun in the meantime, and this one is no longer available.
                Err(ClientError::NotFound(_)) => {}
                // A new incarnation began after the snapshot: its events bring another one.
                Err(ClientError::OtherIncarnation(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn handle_event(&mut self, client: &Client, event: WatchedEvent) -> Result<(), Interrupted> {
        match event.fields.get("interface").and_then(Value::as_str) {
            Some(names::CLOCK_INTERFACE) => self.clocks(&event),
            Some(names::GAME_INTERFACE) => self.names(&event),
            _ => {}
        }
        if let Some(incarnation) = event.fields.get("Incarnation")
            && event.game.and_then(|game| self.games.get(&game)).is_some_and(|known| *incarnation != known.incarnation)
        {
            self.catch_up(client).await?;
        }
        let (Some(game), Some(number)) = (event.game, event.number) else { return Ok(self.print_event(event)?) };
        match self.games.get(&game).map(|known| known.last) {
            Some(last) if last + 1 == number => self.translate_and_print(client, event).await?,
            Some(last) if number <= last => {}
            // A gap, or a game that is new here.
            _ => self.catch_up(client).await?,
        }
        Ok(())
    }

    fn clocks(&mut self, changed: &WatchedEvent) {
        let Some(board) = &changed.board else { return };
        let times = self.times.entry(board.clone()).or_insert((-1, -1));
        let value = |name: &str| changed.fields.get(name).and_then(Value::as_i64).and_then(|ms| i32::try_from(ms).ok());
        *times = (value("White").unwrap_or(times.0), value("Black").unwrap_or(times.1));
    }

    /// Remembers the players and the table that a game has got.
    fn names(&mut self, changed: &WatchedEvent) {
        let Some(tags) = changed.fields.get("Tags") else { return };
        let Some(known) = changed.game.and_then(|game| self.games.get_mut(&game)) else { return };
        known.origin = Origin::of(&known.board, |tag| tags.get(tag).and_then(Value::as_str));
        self.layout.fit(&known.origin);
    }

    fn wants(&self, board: &str) -> bool {
        self.args.board.as_deref().is_none_or(|wanted| wanted == board)
    }

    /// Prints the event, with an alert in the language of the user; JSON output is unchanged.
    async fn translate_and_print(&mut self, client: &Client, mut event: WatchedEvent) -> anyhow::Result<()> {
        if let Some((id, known)) = event.game.and_then(|id| Some((id, self.games.get_mut(&id)?)))
            && known.moves.is_none()
            && !self.args.json
        {
            // The game may no longer be available: then moves are named by their plies.
            let events = client.events(id).await.unwrap_or_default();
            known.moves = Some(MoveList::of(events.iter().filter(|event| event.number <= Some(known.last))));
        }
        if let ("AlertRaised", Some(game), false) = (event.event.as_str(), event.game, self.args.json) {
            let id = event.fields.get("id").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok()).unwrap_or_default();
            let english = event.fields.get("detail").and_then(Value::as_str).unwrap_or_default();
            let alert = language::alert(client, game, id, language::locale(), english).await;
            event.fields.insert("detail".to_owned(), alert.into());
        }
        self.print_event(event)
    }

    fn print_event(&mut self, event: WatchedEvent) -> anyhow::Result<()> {
        let mut board = event.board.clone().unwrap_or_default();
        if let (Some(game), Some(number)) = (event.game, event.number)
            && let Some(known) = self.games.get_mut(&game)
        {
            known.last = number.max(known.last);
        }
        let (mut origin, mut before, mut after) = (Origin::board(&board), MoveList::default(), MoveList::default());
        if let Some(known) = event.game.and_then(|game| self.games.get_mut(&game)) {
            board.clone_from(&known.board);
            origin.clone_from(&known.origin);
            if let Some(moves) = &mut known.moves {
                before.clone_from(moves);
                moves.apply(&event);
                after.clone_from(moves);
            }
        }
        let quiet = matches!(event.event.as_str(), "Touched" | "Changed") && !self.args.touches;
        if quiet || !self.wants(&board) {
            return Ok(());
        }
        if self.args.json {
            return print_json(&event);
        }
        self.row(event.time, &origin, &sentence(&event, &before, &after))?;
        if let Some(fen) = position(&event) {
            self.draw(&board, &fen)?;
        }
        Ok(())
    }

    /// Prints a row. `time`: in milliseconds since 1970-01-01 UTC; `None`: now.
    fn row(&mut self, time: Option<i64>, origin: &Origin, text: &str) -> anyhow::Result<()> {
        let row = self.layout.row(time, origin, text);
        self.print_above(&row)
    }

    /// Prints a message about the service.
    fn line(&mut self, text: &str) -> anyhow::Result<()> {
        let line = self.layout.line(text);
        self.print_above(&line)
    }

    /// Prints lines above the diagram.
    fn print_above(&mut self, text: &str) -> anyhow::Result<()> {
        if self.args.json {
            return Ok(());
        }
        let erase = if self.drawn > 0 { format!("\x1b[{}A\x1b[J", self.drawn) } else { String::new() };
        self.drawn = 0;
        Ok(print(&format!("{erase}{text}\n"))?)
    }

    /// Draws the position below the lines, only on a terminal.
    fn draw(&mut self, board: &str, fen: &str) -> anyhow::Result<()> {
        if self.args.json || !std::io::stdout().is_terminal() {
            return Ok(());
        }
        let Some(squares) = Squares::from_fen(fen) else { return Ok(()) };
        let mut text = squares.draw(Style::of_stdout());
        if let Some((white, black)) = self.times.get(board) {
            text.push_str(&format!("White {}   Black {}\n", clock(*white), clock(*black)));
        }
        self.drawn = text.lines().count();
        Ok(print(&text)?)
    }
}

fn origin(game: &GameInfo) -> Origin {
    Origin::of(&game.board, |tag| game.tags.get(tag).map(String::as_str))
}

/// Returns the position after the event, if there is a new one.
fn position(event: &WatchedEvent) -> Option<String> {
    let field = match event.event.as_str() {
        "MoveMade" => event.fields.get("fen"),
        "GameStarted" => event.fields.get("start"),
        "MovesCorrected" => event.fields.get("moves").and_then(|moves| moves.as_array()?.last()?.get(2)),
        _ => None,
    };
    field.and_then(Value::as_str).map(str::to_owned)
}
