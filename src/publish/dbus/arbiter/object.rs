//! The object of a game for its arbiter: what its methods have in common.

use crate::daemon::Hub;
use crate::daemon::hub::{GameView, Target};
use crate::game::{Alert, Answer, Command, Event};
use crate::publish::dbus::{Error, authorize_order};
use std::sync::Arc;
use zbus::Connection;
use zbus::message::Header;

/// The arbiter's interface of a game.
pub(in crate::publish::dbus) struct ArbiterObject {
    /// The hub to read from and to send commands to.
    pub hub: Arc<Hub>,
    /// The game's number.
    pub game: u64,
}

impl ArbiterObject {
    /// Returns the value of a property; the default if the game is no longer loaded.
    pub(super) fn read<T: Default>(&self, value: impl FnOnce(&GameView) -> T) -> T {
        self.hub.read(|state| state.games.get(&self.game).map(value).unwrap_or_default())
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
        let order = authorize_order(command, header, connection).await?;
        Ok(self.hub.execute(Target::Game(self.game), order).await?)
    }

    /// Returns an alert of the game as it was last raised, also one that is cleared.
    pub(super) fn alert(&self, id: u32) -> Result<Alert, Error> {
        let mut alert = self.read(|game| game.record.alerts.iter().find(|alert| alert.id == id).cloned());
        if alert.is_none() {
            alert = self.hub.events_after(self.game, 0)?.into_iter().rev().find_map(|stamped| match stamped.event {
                Event::AlertRaised(alert) if alert.id == id => Some(alert),
                _ => None,
            });
        }
        let unknown = || Error::NoAlert(format!("no alert {id} was raised in this game: property Alerts lists the ids"));
        alert.ok_or_else(unknown)
    }
}
