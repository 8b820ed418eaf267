//! A game that clients command: what the objects of its operator and its arbiter have in common.

use super::values::{self, AlertValue};
use super::{Error, Stream, authorize_order};
use crate::daemon::Hub;
use crate::daemon::hub::{GameView, Target};
use crate::game::rights::Audience;
use crate::game::{Alert, Answer, Command, Event};
use std::sync::Arc;
use zbus::Connection;
use zbus::message::Header;

/// A game of the hub.
#[derive(Clone)]
pub(super) struct ControlledGame {
    /// The hub to read from and to send commands to.
    pub hub: Arc<Hub>,
    /// The game's number.
    pub game: u64,
    /// The stream on which its object is.
    pub stream: Stream,
}

impl ControlledGame {
    /// Returns the value of a property; the default if the game is no longer loaded.
    pub(super) fn read<T: Default>(&self, value: impl FnOnce(&GameView) -> T) -> T {
        self.hub.read(|state| state.games.get(&self.game).map(value).unwrap_or_default())
    }

    /// Returns the open alerts that this audience is told of.
    pub(super) fn alerts(&self, audience: Audience) -> Vec<AlertValue> {
        self.read(|game| {
            let alerts = game.record.alerts.iter().filter(|alert| alert.audience() <= audience);
            alerts.map(|alert| values::alert_value(alert, audience, &|at| game.wall_ms(at))).collect()
        })
    }

    /// Executes a command whose answer says nothing.
    pub(super) async fn command(&self, command: Command, header: &Header<'_>, connection: &Connection) -> Result<(), Error> {
        self.send_command(command, header, connection).await.map(drop)
    }

    /// Executes a command, if the caller is authorized. Returns its answer.
    pub(super) async fn send_command(
        &self,
        command: Command,
        header: &Header<'_>,
        connection: &Connection,
    ) -> Result<Answer, Error> {
        let order = authorize_order(command, self.stream, header, connection).await?;
        Ok(self.hub.execute(Target::Game(self.game), order).await?)
    }

    /// Returns an alert of the game as it was last raised, also one that is cleared, if the clients of this stream are told of it.
    pub(super) fn alert(&self, id: u32) -> Result<Alert, Error> {
        let mut alert = self.read(|game| game.record.alerts.iter().find(|alert| alert.id == id).cloned());
        if alert.is_none() {
            alert = self.hub.events_after(self.game, 0)?.into_iter().rev().find_map(|stamped| match stamped.event {
                Event::AlertRaised(alert) if alert.id == id => Some(*alert),
                _ => None,
            });
        }
        let unknown = || Error::NoAlert(format!("no alert {id} was raised in this game: the properties list the ids"));
        alert.filter(|alert| alert.audience() <= self.stream.audience()).ok_or_else(unknown)
    }
}
