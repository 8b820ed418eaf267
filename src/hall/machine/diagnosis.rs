//! Why a machine's games do not arrive at the hub: an examination from outside of touchmoved, with the key of the machine.

use super::health::{HUB_SILENT, later_hub};
use super::presence::{boot_id, copy};
use super::time::HubClock;
use crate::config::hall::{Hall, ServerUrl, is_name};
use crate::daemon::hub::MachineView;
use crate::hall::connection::{Connection, Endpoint, RequestError};
use crate::hall::finding::Finding;
use crate::hall::message::from_json;
use crate::hall::message::presence::Presence;
use crate::hall::subject::{Bucket, HALL_KEY};
use std::path::Path;

/// What to say if the hub has never been open.
const NO_NAME: &str = "the hub has not said the name of the hall yet: write serve = true under [hall] at the hub, and start touchmoved \
                       there";

/// Examines the connection of a machine to its hub, as far as its files and its key allow. `server`, `machine`: as in `hall`.
pub async fn diagnose(hall: &Hall, server: &ServerUrl, machine: &str, state_dir: &Path) -> Vec<Finding> {
    if let Some(note) = Finding::no_permission(&[hall.key_file(state_dir), hall.ca_file(state_dir)]) {
        return vec![note];
    }
    let connection = match Endpoint::new(hall, server, state_dir, machine) {
        Ok(endpoint) => Connection::open_once(&endpoint).await.map_err(|failure| failure.to_string()),
        Err(sentence) => Err(sentence),
    };
    let connection = match connection.and_then(|connection| connection.unusable().map_or(Ok(connection), Err)) {
        Ok(connection) => connection,
        Err(sentence) => return vec![Finding::Fault(sentence)],
    };
    let mut findings = vec![Finding::Good(format!("{server} accepts this machine as {machine}"))];
    findings.push(name(&connection).await);
    findings.extend(hub(&connection, server, machine).await);
    findings.push(presence(&connection, machine).await);
    findings
}

/// Examines whether the hall has a name, which the hub says.
async fn name(connection: &Connection) -> Finding {
    let said = connection.last(&Bucket::Hall.stream(), &Bucket::Hall.subject(HALL_KEY)).await;
    let name =
        said.map(|reply| reply.and_then(|(_, reply)| String::from_utf8(reply.payload).ok()).filter(|name| is_name(name)));
    match name {
        Ok(Some(name)) => Finding::Good(format!("this machine is in the hall {name}")),
        // A server without this bucket may not answer at all.
        Ok(None) | Err(_) if connection.is_up() => Finding::Fault(NO_NAME.to_owned()),
        Ok(None) => no_reply("the connection was lost"),
        Err(error) => no_reply(&error.to_string()),
    }
}

/// Examines whether the hub answers, and how its clock differs.
async fn hub(connection: &Connection, server: &ServerUrl, machine: &str) -> Vec<Finding> {
    let clock = HubClock::default();
    match clock.ask(connection, machine).await {
        Ok(()) => {}
        Err(RequestError::NoResponders(_)) => return vec![Finding::Fault(HUB_SILENT.to_owned())],
        Err(RequestError::LaterVersion(found)) => return vec![Finding::Fault(later_hub(found))],
        Err(error) => return vec![no_reply(&error.to_string())],
    }
    let good = Finding::Good("the touchmoved of the hub answers".to_owned());
    let offset = clock.offset_ms().filter(|offset| offset.unsigned_abs() > MachineView::MAX_CLOCK_OFFSET_MS);
    [good].into_iter().chain(offset.map(|offset| clock_fault(offset, server.host()))).collect()
}

/// Returns what to do about a clock that is ahead of the hub's by this number of milliseconds.
fn clock_fault(offset_ms: i64, host: &str) -> Finding {
    let seconds = offset_ms.unsigned_abs() / 1000;
    let direction = if offset_ms < 0 { "behind" } else { "ahead of" };
    Finding::Fault(format!(
        "the clock of this machine is {seconds} s {direction} the hub's: take the time from the hub, with `server {host} iburst` and \
         `makestep 1 -1` in /etc/chrony/conf.d/touchmove.conf, and `sudo systemctl restart chrony`; docs/hall.md says what the hub needs"
    ))
}

/// Examines what the touchmoved of this machine has said of itself, and whether another machine has its name.
async fn presence(connection: &Connection, machine: &str) -> Finding {
    let bucket = Bucket::Here;
    let said = match connection.last(&bucket.stream(), &bucket.subject(machine)).await {
        Ok(said) => said.and_then(|(_, reply)| from_json::<Presence>(&reply.payload).ok()),
        // As above.
        Err(_) if connection.is_up() => None,
        Err(error) => return no_reply(&error.to_string()),
    };
    match said {
        Some(presence) if presence.boot.is_empty() => {
            Finding::Note("the touchmoved of this machine has left the hall".to_owned())
        }
        Some(presence) if boot_id().is_some_and(|boot| presence.boot != boot) => Finding::Fault(copy(machine)),
        Some(presence) if presence.unsent > 0 => {
            Finding::Note(format!("{} events of this machine are not at the hub yet", presence.unsent))
        }
        Some(_) => Finding::Good("the hub has all games of this machine".to_owned()),
        None => Finding::Note("the touchmoved of this machine is not in the hall".to_owned()),
    }
}

fn no_reply(reason: &str) -> Finding {
    Finding::Fault(format!("the examination of the hall was interrupted ({reason}): check the network, and try again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_set_from_the_hub() {
        let Finding::Fault(sentence) = clock_fault(-61_000, "192.168.1.10") else { panic!("a fault") };
        assert!(sentence.starts_with("the clock of this machine is 61 s behind the hub's: "), "{sentence}");
        assert!(sentence.contains("`server 192.168.1.10 iburst`"), "{sentence}");
    }
}
