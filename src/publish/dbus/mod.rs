//! The D-Bus service: three bus names on three connections. `config/generated/dbus/*.xml` describes their interfaces.
//!
//! **Invariants:** only this module and [`super::client`] use zbus. Objects are registered before the name is requested. The bus
//! may disappear and return at any time: games go on meanwhile, and everything is registered again.

mod administrator;
mod answers;
mod arbiter;
pub mod arguments;
mod board;
mod bus;
mod caller;
mod controlled_game;
mod error;
mod game;
mod manager;
mod operator;
mod polkit;
mod registered_interfaces;
mod served_name;
mod signals;
mod stream;
mod tree;
mod values;

use self::administrator::AdministratorObject;
pub(crate) use self::answers::command_words;
pub use self::bus::{Bus, NameState, NoSuchBus};
pub use self::error::Error;
use self::served_name::{ServedName, SignalSource};
pub(crate) use self::signals::SignalSpec;
pub use self::stream::Stream;
use crate::config::Config;
use crate::daemon::{Source, Stop, wait_for_stop};
use crate::game::{Command, Order};
use crate::publish::front_end::{Context, FrontEnd, StartedFrontEnd};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::{debug, info, warn};
use zbus::Connection;
use zbus::fdo::DBusProxy;
use zbus::message::Header;

/// Initial and maximum pause between attempts to reach the bus.
const RETRY_BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Delay of signals on the streams that are not the arbiter's, and of property changes on all. A bus delivers messages one after the
/// other, and the arbiter's signals go first.
const LOW_PRIORITY_DELAY: Duration = Duration::from_millis(1);

/// One of the three names as a front-end.
pub struct DbusFrontEnd(pub Stream);

impl FrontEnd for DbusFrontEnd {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        let source = match self.0 {
            Stream::Live | Stream::Operator => Source::Live(Arc::clone(&context.hub)),
            Stream::Broadcast => Source::Public(Arc::clone(&context.delayed_view)),
        };
        let (sender, name_state) = watch::channel(NameState::NotTried);
        let administrator = (self.0 == Stream::Live).then(|| AdministratorObject::new(config, context));
        let task = run_with(source, self.0, administrator, context.bus.clone(), sender, context.stop.clone());
        Some(StartedFrontEnd::new(task).with_name_state(name_state))
    }
}

/// Serves one name and reconnects whenever the bus is lost. Returns after `stop`, once all earlier events have been published.
pub async fn run(source: Source, stream: Stream, bus: Bus, name_state: watch::Sender<NameState>, stop: Stop) {
    run_with(source, stream, None, bus, name_state, stop).await;
}

/// As [`run`], with the interface for the administrator.
async fn run_with(
    source: Source,
    stream: Stream,
    administrator: Option<AdministratorObject>,
    bus: Bus,
    name_state: watch::Sender<NameState>,
    mut stop: Stop,
) {
    let mut pause = RETRY_BACKOFF.0;
    loop {
        let outcome = serve(&source, stream, administrator.as_ref(), &bus, &name_state, &mut stop).await;
        if name_state.send_replace(NameState::NotTried) == NameState::Owned {
            pause = RETRY_BACKOFF.0;
        }
        let reason = match outcome {
            Ok(()) => return,
            Err(zbus::Error::NameTaken) => {
                format!(
                    "{} is owned by another process on {bus}: stop that process, or use another bus with --bus",
                    stream.name()
                )
            }
            Err(error) => format!("cannot connect to {bus} ({error}): games continue, and touchmove tries again"),
        };
        if pause == RETRY_BACKOFF.0 {
            warn!("{reason}");
        } else {
            debug!("{reason}");
        }
        name_state.send_replace(NameState::NotOwned(reason));
        tokio::select! {
            () = wait_for_stop(&mut stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(RETRY_BACKOFF.1);
    }
}

/// Serves one connection. Returns an error when the connection is lost, and `Ok` after `stop`.
async fn serve(
    source: &Source,
    stream: Stream,
    administrator: Option<&AdministratorObject>,
    bus: &Bus,
    name_state: &watch::Sender<NameState>,
    stop: &mut Stop,
) -> zbus::Result<()> {
    let connection = bus.builder().build().await?;
    // Subscribe before reading the state, so that no event is missed in between.
    let mut updates = source.subscribe();
    let mut served_name = ServedName::new(source.clone(), stream, administrator.cloned(), connection.clone());
    served_name.register_and_request_name().await?;
    info!("{} is served on {bus}", stream.name());
    name_state.send_replace(NameState::Owned);
    let mut announce_at = None;
    loop {
        let announce_timer = async {
            match announce_at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(first) = updates.next() => {
                if stream != Stream::Live && stream.has_signal_for(&first) {
                    tokio::time::sleep(LOW_PRIORITY_DELAY).await;
                }
                if served_name.publish_updates(first, &mut updates).await? == SignalSource::Signals {
                    announce_at.get_or_insert_with(|| Instant::now() + LOW_PRIORITY_DELAY);
                } else if announce_at.is_none() {
                    served_name.announce_changes().await?;
                }
            }
            () = announce_timer => {
                announce_at = None;
                served_name.announce_changes().await?;
            }
            () = connection.closed() => return Err(zbus::Error::InputOutput(Arc::new(std::io::ErrorKind::ConnectionReset.into()))),
            () = wait_for_stop(stop) => break,
        }
    }
    served_name.announce_changes().await?;
    connection.close().await
}

/// Builds an order, if the caller may give it on this stream.
async fn authorize_order(
    command: Command,
    stream: Stream,
    header: &Header<'_>,
    connection: &Connection,
) -> Result<Order, Error> {
    let by = polkit::authorize(command.spec().right, stream, header, connection).await?;
    Ok(Order { command, by })
}

/// Returns the user id of the caller, as far as the bus knows.
async fn caller_user(header: &Header<'_>, connection: &Connection) -> Option<u32> {
    let sender = header.sender()?.to_owned();
    DBusProxy::new(connection).await.ok()?.get_connection_unix_user(sender.into()).await.ok()
}

/// Returns who called, as far as the bus knows: `user 1000 over D-Bus`.
async fn describe_caller(header: &Header<'_>, connection: &Connection) -> String {
    let user = caller_user(header, connection).await;
    user.map_or_else(|| "somebody over D-Bus".to_owned(), |user| format!("user {user} over D-Bus"))
}
