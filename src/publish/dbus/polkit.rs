//! Authorizes commands through polkit. Where polkit does not run, the bus policy alone decides.

use super::{Error, Stream, caller_user, describe_caller};
use crate::game::rights::{Right, Role};
use std::collections::HashMap;
use zbus::message::{Flags, Header};
use zbus::{Connection, Variant, fdo};

const AUTHORITY: &str = "org.freedesktop.PolicyKit1";

/// What decides where polkit does not run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithoutPolkit {
    /// The bus policy alone.
    BusPolicy,
    /// Whether the sender is root, or the user of this process.
    Owner,
}

/// Checks whether the sender of a message on this stream has a right, and returns who it is.
///
/// # Errors
/// `NotAllowed`, with a message that says what to do.
pub(super) async fn authorize(
    right: Right,
    stream: Stream,
    header: &Header<'_>,
    connection: &Connection,
) -> Result<String, Error> {
    stream.check_right(right)?;
    let without_polkit = match right.role() {
        Role::Administrator => WithoutPolkit::Owner,
        Role::Operator | Role::Arbiter => WithoutPolkit::BusPolicy,
    };
    check(right.polkit_action(), header, connection, without_polkit).await?;
    Ok(describe_caller(header, connection).await)
}

async fn check(action: &str, header: &Header<'_>, connection: &Connection, without_polkit: WithoutPolkit) -> Result<(), Error> {
    let sender = header.sender().map(ToString::to_string).unwrap_or_default();
    let subject = ("system-bus-name", HashMap::from([("name", Variant::from(sender.as_str()))]));
    // polkit may ask for a password only if the caller allows it to wait for an answer.
    let interactive = u32::from(header.primary().flags().contains(Flags::ALLOW_INTERACTIVE_AUTH));
    let request = (subject, action, HashMap::<&str, &str>::new(), interactive, "");
    let path = "/org/freedesktop/PolicyKit1/Authority";
    let interface = "org.freedesktop.PolicyKit1.Authority";
    let reply = connection.call_method(Some(AUTHORITY), path, Some(interface), "CheckAuthorization", &request).await;
    let not_allowed = |reason: String| {
        Error::NotAllowed(format!("{reason}: `pkaction --verbose --action-id {action}` shows who may do this"))
    };
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) if is_polkit_missing(&error) => {
            let is_allowed = without_polkit == WithoutPolkit::BusPolicy || is_owner(header, connection).await;
            let sentence = "only root and the user of touchmoved may do this: put sudo before the command";
            return if is_allowed { Ok(()) } else { Err(Error::NotAllowed(sentence.to_owned())) };
        }
        Err(error) => return Err(not_allowed(format!("polkit does not reply ({error})"))),
    };
    match reply.body().deserialize::<(bool, bool, HashMap<String, String>)>() {
        Ok((true, ..)) => Ok(()),
        Ok((false, ..)) => Err(not_allowed("polkit does not allow this".to_owned())),
        Err(error) => Err(not_allowed(format!("polkit sent an unexpected reply ({error})"))),
    }
}

/// Returns whether the sender is root, or the user of this process.
async fn is_owner(header: &Header<'_>, connection: &Connection) -> bool {
    let user = caller_user(header, connection).await;
    user.is_some_and(|user| user == 0 || user == rustix::process::getuid().as_raw())
}

/// Returns whether the error means that polkit is not on this bus.
fn is_polkit_missing(error: &zbus::Error) -> bool {
    match error {
        zbus::Error::FDO(error) => matches!(**error, fdo::Error::ServiceUnknown(_) | fdo::Error::NameHasNoOwner(_)),
        _ => false,
    }
}
