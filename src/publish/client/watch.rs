//! Follows events as they happen.

use super::json::variant_to_json;
use super::{board_of, game_of};
use crate::names;
use crate::publish::dbus::{SignalSpec, Stream};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use zbus::message::Type;
use zbus::{Connection, MatchRule, Message, MessageStream, OwnedVariant};

/// A stream of events.
pub struct EventWatcher {
    signals: MessageStream,
    owner: MessageStream,
}

impl EventWatcher {
    pub(super) async fn begin(connection: &Connection, stream: Stream) -> zbus::Result<EventWatcher> {
        let signals = MatchRule::builder().msg_type(Type::Signal).sender(stream.name()).path_namespace(names::ROOT_PATH);
        let owner = MatchRule::builder()
            .msg_type(Type::Signal)
            .sender("org.freedesktop.DBus")
            .member("NameOwnerChanged")
            .add_arg(stream.name());
        let signals = MessageStream::for_match_rule(signals.build()?, connection, NonZeroUsize::new(4096)).await?;
        let owner = MessageStream::for_match_rule(owner.build()?, connection, None).await?;
        Ok(EventWatcher { signals, owner })
    }

    /// Returns the next item; `None` when the connection to the bus is closed.
    pub async fn next(&mut self) -> Option<WatchItem> {
        loop {
            let item = tokio::select! {
                biased;
                message = self.signals.next() => parse_message(&message?.ok()?),
                message = self.owner.next() => parse_owner_change(&message?.ok()?),
            };
            if item.is_some() {
                return item;
            }
        }
    }
}

/// An item of the stream of a [`EventWatcher`].
#[derive(Clone, Debug, PartialEq)]
pub enum WatchItem {
    /// An event happened.
    Happened(WatchedEvent),
    /// A game with this number was added.
    NewGame(u64),
    /// touchmoved has started (again): read everything again and catch up.
    ServiceStarted,
    /// touchmoved has stopped.
    ServiceStopped,
}

/// An event or a change of properties.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchedEvent {
    /// The game's number, if the event belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<u64>,
    /// The board's name, if the event belongs to no game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The event's number in the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Milliseconds since 1970-01-01 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// Name of the signal, or `GameStarted`, or `Changed`: properties have new values.
    pub event: String,
    /// The arguments by name.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

fn parse_owner_change(message: &Message) -> Option<WatchItem> {
    let (_, _, new): (String, String, String) = message.body().deserialize().ok()?;
    Some(if new.is_empty() { WatchItem::ServiceStopped } else { WatchItem::ServiceStarted })
}

fn parse_message(message: &Message) -> Option<WatchItem> {
    let header = message.header();
    let (path, member) = (header.path()?.to_string(), header.member()?.to_string());
    let body = message.body();
    if member == "InterfacesAdded" {
        let (path, interfaces): (zbus::OwnedObjectPath, HashMap<String, HashMap<String, OwnedVariant>>) =
            body.deserialize().ok()?;
        if let Some(game) = game_of(path.as_str()) {
            return interfaces.contains_key(names::GAME_INTERFACE).then_some(WatchItem::NewGame(game));
        }
        // A clock has all its values when it appears, and may never change any of them.
        let clock = interfaces.get(names::CLOCK_INTERFACE)?;
        return Some(property_change(path.as_str(), names::CLOCK_INTERFACE, clock));
    }
    if member == "PropertiesChanged" {
        let (interface, values, _): (String, HashMap<String, OwnedVariant>, Vec<String>) = body.deserialize().ok()?;
        // Values of invalidated properties have to be read.
        return (!values.is_empty()).then(|| property_change(&path, &interface, &values));
    }
    let (game, board) = (game_of(&path), board_of(&path));
    let signal = SignalSpec::find(&member)?;
    let arguments: zbus::Structure<'_> = body.deserialize().ok()?;
    let mut values = arguments.fields().iter();
    let mut event = WatchedEvent { game, board, number: None, time: None, event: member, fields: Map::new() };
    if signal.is_numbered() {
        event.number = u64::try_from(values.next()?).ok();
        event.time = i64::try_from(values.next()?).ok();
    }
    for ((name, _), value) in signal.fields().iter().zip(values) {
        if *name == "time" {
            event.time = i64::try_from(value).ok();
        } else {
            event.fields.insert((*name).to_owned(), variant_to_json(value));
        }
    }
    Some(WatchItem::Happened(event))
}

/// Builds the item for new property values of an interface.
fn property_change(path: &str, interface: &str, values: &HashMap<String, OwnedVariant>) -> WatchItem {
    let mut fields = Map::new();
    fields.insert("interface".to_owned(), interface.into());
    fields.extend(values.iter().map(|(name, value)| (name.clone(), variant_to_json(value))));
    let (game, board) = (game_of(path), board_of(path));
    WatchItem::Happened(WatchedEvent { game, board, number: None, time: None, event: "Changed".to_owned(), fields })
}
