//! The name of this machine in the local network, as Avahi has it: `org.freedesktop.Avahi.Server` on the system bus.

use crate::publish::dbus::Bus;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use zbus::proxy::MethodFlags;
use zbus::{Connection, Proxy};

const AVAHI: &str = "org.freedesktop.Avahi";
const SERVER: &str = "org.freedesktop.Avahi.Server";
/// `AVAHI_SERVER_RUNNING` of avahi-common/defs.h: the name is settled, and no other machine has it.
const RUNNING: i32 = 2;
/// How long Avahi may take to settle a name: it tries others when it is taken.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);
const CALL_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Why there is no name.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoName {
    /// Avahi does not run.
    #[error(
        "Avahi does not run, so telephones find this machine by its address only: `sudo apt install avahi-daemon`, and run setup \
         again"
    )]
    NotRunning,
    /// It is trying names.
    #[error("Avahi has not found a name that no other machine has: see `systemctl status avahi-daemon`, and run setup again")]
    NotSettled,
}

/// Returns the name that this machine really has, such as `hall-2.local` if another machine had `hall.local` already.
///
/// # Errors
/// There is none.
pub(super) async fn host_name(bus: &Bus) -> Result<String, NoName> {
    let builder = match bus {
        Bus::Address(address) => zbus::connection::Builder::address(address.clone().as_str()),
        Bus::Session => zbus::connection::Builder::session(),
        Bus::System => zbus::connection::Builder::system(),
    };
    let connection = timeout(CALL_TIMEOUT, builder.build()).await.ok().and_then(Result::ok).ok_or(NoName::NotRunning)?;
    let until = Instant::now() + SETTLE_TIMEOUT;
    while call::<i32>(&connection, "GetState").await? != RUNNING {
        if Instant::now() >= until {
            return Err(NoName::NotSettled);
        }
        sleep(POLL_INTERVAL).await;
    }
    let name: String = call(&connection, "GetHostNameFqdn").await?;
    Ok(name.trim_end_matches('.').to_ascii_lowercase())
}

async fn call<T>(connection: &Connection, method: &str) -> Result<T, NoName>
where
    T: for<'d> zbus::wire::DynamicDeserialize<'d>,
{
    let request = async {
        let server = Proxy::new(connection, AVAHI, "/", SERVER).await?;
        // Setup, with --dry-run in particular, starts no Avahi that somebody has stopped.
        server.call_with_flags(method, MethodFlags::NO_AUTO_START, &()).await
    };
    let reply: Result<Option<T>, zbus::Error> = timeout(CALL_TIMEOUT, request).await.map_err(|_| NoName::NotRunning)?;
    reply.ok().flatten().ok_or(NoName::NotRunning)
}
