//! Whether the caller of a method is still on the bus.

use crate::daemon::Hub;
use crate::daemon::hub::{BoardId, TestOrder};
use crate::wiring_test::EndReason;
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use zbus::fdo::DBusProxy;
use zbus::message::{Header, Type};
use zbus::names::BusName;
use zbus::{Connection, MatchRule, Message, MessageStream};

/// How often it is checked whether the test is over, so that its caller is followed no longer.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Ends a wiring test when its caller leaves the bus, or the bus is lost.
pub(super) async fn end_test_with_caller(
    hub: Arc<Hub>,
    board: BoardId,
    test: u64,
    header: &Header<'_>,
    connection: &Connection,
) -> zbus::Result<()> {
    let Some(caller) = header.sender().map(|sender| sender.to_owned()) else { return Ok(()) };
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender("org.freedesktop.DBus")
        .member("NameOwnerChanged")
        .add_arg(caller.as_str())
        .build()?;
    let mut changes = MessageStream::for_match_rule(rule, connection, None).await?;
    // It may have left before.
    let is_there = DBusProxy::new(connection).await?.name_has_owner(BusName::from(caller)).await?;
    tokio::spawn(async move {
        let is_running = || hub.wiring_test(&board).is_some_and(|view| view.id == test && view.is_running());
        let mut is_there = is_there;
        while is_there && is_running() {
            tokio::select! {
                change = changes.next() => is_there = change.is_some_and(|change| change.is_ok_and(|change| !is_departure(&change))),
                () = tokio::time::sleep(CHECK_INTERVAL) => {}
            }
        }
        if is_running() {
            // The task of the board ends with the program.
            let _ = hub.continue_wiring_test(&board, TestOrder::End(test, EndReason::CallerGone)).await;
        }
    });
    Ok(())
}

fn is_departure(message: &Message) -> bool {
    let is_from_bus = message.header().sender().is_some_and(|sender| sender.as_str() == "org.freedesktop.DBus");
    let owners = message.body().deserialize::<(String, String, String)>();
    is_from_bus && owners.is_ok_and(|(_, _, new)| new.is_empty())
}
