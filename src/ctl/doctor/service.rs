//! The findings of a running touchmoved.

use super::report::Report;
use crate::ctl::service;
use crate::publish::client::{self, BoardInfo, ClientError, IfNotRunning, Snapshot};
use crate::publish::dbus::{Bus, Stream};
use crate::publish::render::machines::MachineReport;
use std::path::Path;

/// What touchmoved says, or why it does not.
pub(super) struct Service(Result<RunningService, ClientError>);

/// What a running touchmoved says.
struct RunningService {
    bus: Bus,
    snapshot: Snapshot,
    /// The machines of its hall.
    machines: Vec<MachineReport>,
}

impl Service {
    /// Queries touchmoved on this bus, else on the configured one; `auto`: on any bus where it runs. This never starts it.
    pub(super) async fn query(bus: Option<&Bus>, configured: &str) -> Service {
        let buses = bus.cloned().or_else(|| configured.parse().ok()).map_or_else(Bus::search_order, |bus| vec![bus]);
        let query = async {
            let client = service::connect(&buses, Stream::Live, IfNotRunning::Fail).await?;
            let (bus, snapshot) = (client.bus().clone(), client.snapshot().await?);
            Ok(RunningService { bus, snapshot, machines: client.machines().await? })
        };
        Service(query.await)
    }

    /// Returns the board that touchmoved has, or would have, on this port.
    pub(super) fn board(&self, node: &Path) -> Option<&BoardInfo> {
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let boards = self.0.as_ref().map(|running| running.snapshot.boards.as_slice()).unwrap_or_default();
        boards.iter().find(|board| board.state != "unplugged" && canonical(Path::new(&board.port)) == canonical(node))
    }

    /// Returns whether the system service opens the boards, and not the user of this program.
    pub(super) fn is_system_service(&self) -> bool {
        match &self.0 {
            Ok(running) => running.bus == Bus::System,
            Err(ClientError::Denied { .. }) => true,
            Err(_) => client::is_service_installed(),
        }
    }

    /// Returns the health problems of touchmoved, as (kind, sentence); none if it does not run.
    pub(super) fn health_problems(&self) -> &[(String, String)] {
        self.0.as_ref().map(|running| running.snapshot.health_problems.as_slice()).unwrap_or_default()
    }

    /// Returns the machines of the hall; none if touchmoved does not run, or is no hub.
    pub(super) fn machines(&self) -> &[MachineReport] {
        self.0.as_ref().map(|running| running.machines.as_slice()).unwrap_or_default()
    }

    /// Reports whether touchmoved can be reached, and the state of its boards.
    pub(super) fn add_to(&self, report: &mut Report) {
        match &self.0 {
            Ok(RunningService { bus, snapshot, .. }) => {
                report.good("service", format!("touchmoved runs on {bus}"));
                snapshot.boards.iter().for_each(|board| add_board(report, board));
            }
            Err(error) => {
                let check = if matches!(error, ClientError::NoBus { .. }) { "bus" } else { "service" };
                let text = error.to_string();
                let (message, next) = text.rsplit_once(": ").unwrap_or((&text, "try again"));
                report.bad(check, message, next);
            }
        }
    }
}

/// Reports the state of a board.
pub(super) fn add_board(report: &mut Report, board: &BoardInfo) {
    match board.state.as_str() {
        "ready" => report.good("service", format!("touchmoved reads board {} on {}", board.id, board.port)),
        "connecting" => report.note("service", format!("touchmoved is greeting board {} on {}", board.id, board.port)),
        state => {
            let message = format!("touchmoved reports that board {} is {state}", board.id);
            report.bad("service", message, board.state_reason.as_str());
        }
    }
}
