//! Machines of other versions in a campaign. An earlier one sends nothing that may be missing, a later one what this version does not
//! know: in every message, and among the events that the hub must have in the end, byte for byte. One of the machines with this version
//! had a later one before, and its journal still has what that has recorded.

use super::*;
use crate::hall::stand_in::{Age, StandIn, later_texts};
use tempfile::TempDir;
use touchmove::daemon::journal::{EventRow, Journal, RemoteEvents, RemoteGame};

/// The moves of the game of the later version.
const LATER_MOVES: usize = 8;

/// What happens to such a machine in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherStep {
    Play,
    Kill,
    Restart,
    Cut,
    Mend,
    Order,
}

/// A machine of another version with its network and its game.
pub struct OtherMachine {
    machine: StandIn,
    relay: Option<Relay>,
    is_cut: bool,
    public: Public,
    orders: Orders,
}

/// Makes an earlier and a later machine, which do not run yet. `count`: of the machines before them.
pub fn machines(count: usize) -> Vec<OtherMachine> {
    let ages = [Age::Earlier, Age::Later].into_iter().zip(count + 1..);
    let machine = |(age, number): (Age, usize)| OtherMachine {
        machine: StandIn::new(&format!("pi-{number:02}"), age),
        relay: None,
        is_cut: false,
        public: Public::default(),
        orders: Orders::default(),
    };
    ages.map(machine).collect()
}

impl OtherMachine {
    /// The configuration of a server to which they connect with their own keys.
    pub fn server_config(machines: &[OtherMachine]) -> String {
        StandIn::server_config(machines.iter().map(|other| &other.machine))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.machine.name()
    }

    /// The number of moves that were played.
    pub fn moves(&self) -> usize {
        self.machine.moves()
    }

    /// Starts it, with a network of its own to the server at this port.
    pub fn open(&mut self, port: u16) {
        let relay = Relay::to(port).unwrap();
        self.machine.start(relay.port());
        self.relay = Some(relay);
    }

    fn relay(&self) -> &Relay {
        self.relay.as_ref().unwrap()
    }

    /// Chooses the next step among those that are possible.
    pub fn choose(&self, rng: &mut Rng, is_hub_running: bool) -> OtherStep {
        let mut steps = Vec::new();
        match self.machine.is_running() {
            true => {
                steps.extend([OtherStep::Play; 5]);
                steps.push(OtherStep::Kill);
            }
            false => steps.extend([OtherStep::Restart; 3]),
        }
        steps.push(if self.is_cut { OtherStep::Mend } else { OtherStep::Cut });
        if is_hub_running {
            steps.push(OtherStep::Order);
        }
        steps[rng.below(steps.len() as u64) as usize]
    }

    pub async fn carry_out(&mut self, step: OtherStep, rng: &mut Rng, hub: &Node) {
        match step {
            OtherStep::Play => self.play(rng),
            OtherStep::Kill => self.machine.kill(),
            OtherStep::Restart => {
                let port = self.relay().port();
                self.machine.start(port);
            }
            OtherStep::Cut => {
                self.relay().cut();
                self.is_cut = true;
            }
            OtherStep::Mend => {
                self.relay().mend();
                self.is_cut = false;
            }
            OtherStep::Order => self.orders.give(hub, self.machine.name(), &self.machine.board_at_hub()).await,
        }
    }

    /// Plays a move, if there is one.
    pub fn play(&mut self, rng: &mut Rng) {
        let began = Instant::now();
        if self.machine.play(rng) {
            self.public.played_at(began);
        }
    }

    /// Ends all faults.
    pub fn mend(&mut self) {
        self.relay().mend();
        self.is_cut = false;
        if !self.machine.is_running() {
            let port = self.relay().port();
            self.machine.start(port);
        }
    }

    /// Checks what the public sees now.
    pub async fn check_public(&self, spectator: &Client) {
        self.public.check(spectator, &self.machine.board_at_hub()).await;
    }

    /// Waits until the hub has everything, and ends the machine.
    pub async fn finish(&mut self, hub: &Node, spectator: &Client) {
        let (board, moves) = (self.machine.board_at_hub(), self.machine.moves());
        wait_equal_to(hub, self.machine.name(), || self.machine.events());
        shown(hub, &board, moves).await;
        self.public.wait(spectator, &board, moves).await;
        self.orders.check(&self.machine.events());
        self.machine.kill();
        wait_equal_to(hub, self.machine.name(), || self.machine.events());
    }
}

/// Makes the state directory of a machine that had a later version, and went back to this one: a game in its journal has events of
/// kinds, and with fields, that this version does not know.
pub async fn state_after_later_version() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(dir.path()).unwrap();
    let row = |((wall_ms, text), number): ((i64, String), u64)| EventRow { number, wall_ms, text };
    let events: Vec<EventRow> = later_texts(LATER_MOVES).into_iter().zip(1..).map(row).collect();
    let started_wall_ms = events[0].wall_ms;
    // Only events of another machine may be of unknown kinds when they are stored.
    let source = RemoteGame { machine: "later".to_owned(), journal: "later".to_owned(), game: 1 };
    let events = RemoteEvents { source, started_wall_ms, epoch_wall_ms: started_wall_ms, events };
    journal.append_remote("earlier_board", events).await.unwrap();
    drop(journal);
    let file = Connection::open(dir.path().join(touchmove::daemon::journal::FILE_NAME)).unwrap();
    assert_eq!(file.execute("DELETE FROM remote_game", []).unwrap(), 1);
    dir
}
