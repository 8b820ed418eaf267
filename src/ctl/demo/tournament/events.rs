//! What happens in a demonstration, as its organiser sees it over D-Bus.

use crate::game::AlertKind;
use crate::publish::client::{Client, ClientError, EventWatcher, WatchItem, WatchedEvent};
use crate::wire::Word;
use anyhow::bail;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The commands with which an arbiter rules on a move, besides those that clear the alert.
const RULINGS: [&str; 5] = ["restore", "result", "position", "take_back", "replace"];

/// Something that happened at a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TableEvent {
    /// A move was made.
    Move,
    /// The arbiter is alerted: whether to an illegal move, and a sentence.
    Alert(bool, String),
    /// The arbiter has ruled, or the alert to an illegal move was cleared.
    Ruling,
    /// The game has a result.
    Result(String),
}

/// The events of all games, with their tables.
pub(super) struct TableEvents {
    watch: EventWatcher,
    /// The table of each game that is known.
    tables: BTreeMap<u64, u16>,
    /// The alerts that were reported: game and alert.
    alerts: BTreeSet<(u64, u64)>,
    /// Those of them that are about illegal moves.
    illegal: BTreeSet<(u64, u64)>,
}

impl TableEvents {
    /// Follows the events from now on.
    pub(super) async fn follow(client: &Client) -> Result<TableEvents, ClientError> {
        let watch = client.watch().await?;
        Ok(TableEvents { watch, tables: BTreeMap::new(), alerts: BTreeSet::new(), illegal: BTreeSet::new() })
    }

    /// Waits for the next event; `None`: it is of no game, or not reported. Cancel safe.
    pub(super) async fn next(&mut self) -> anyhow::Result<Option<(u64, TableEvent)>> {
        match self.watch.next().await {
            None => bail!("the private D-Bus ended"),
            Some(WatchItem::ServiceStopped) => bail!("touchmoved ended"),
            Some(WatchItem::Happened(happened)) => Ok(happened.game.zip(self.event(&happened))),
            Some(_) => Ok(None),
        }
    }

    fn event(&mut self, happened: &WatchedEvent) -> Option<TableEvent> {
        let text = |name: &str| happened.fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, game) = (happened.fields.get("id").and_then(Value::as_u64), happened.game?);
        match happened.event.as_str() {
            "MoveMade" => Some(TableEvent::Move),
            "AlertRaised" => {
                let is_illegal = text("kind") == AlertKind::IllegalMove.word();
                if is_illegal {
                    self.illegal.insert((game, id?));
                }
                // An alert may be raised again, with more of what is known.
                self.alerts.insert((game, id?)).then(|| TableEvent::Alert(is_illegal, text("detail")))
            }
            "AlertCleared" => self.illegal.remove(&(game, id?)).then_some(TableEvent::Ruling),
            "Commanded" => RULINGS.contains(&text("command").as_str()).then_some(TableEvent::Ruling),
            "ResultChanged" => Some(TableEvent::Result(text("result"))).filter(|_| text("result") != "*"),
            _ => None,
        }
    }

    /// Returns the table of a game. The names of the boards end in the numbers of their tables.
    pub(super) async fn table(&mut self, client: &Client, game: u64) -> Result<Option<u16>, ClientError> {
        if !self.tables.contains_key(&game) {
            let table = |board: &str| board.rsplit_once('_').and_then(|(_, table)| table.parse().ok());
            let games = client.snapshot().await?.games;
            self.tables.extend(games.into_iter().filter_map(|game| Some((game.id, table(&game.board)?))));
        }
        Ok(self.tables.get(&game).copied())
    }
}
