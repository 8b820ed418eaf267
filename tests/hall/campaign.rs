//! Random faults while games are played: afterwards every event of every machine is in the hub's journal, equal, once and in order.
//! No command of the hub was carried out twice, or after it was refused; what the desk entered is shown, and on record at the machine;
//! and the public saw no move before its delay.
//!
//! Two of the machines have another version, and one of the others had a later one before: see [`versions`].

mod orders;
mod public;
mod versions;

use super::*;
use orders::Orders;
use public::Public;
use shakmaty::{Chess, Position, Role, Square};
use std::collections::{BTreeSet, VecDeque};
use touchmove::ctl::simulate::relay::Relay;
use touchmove::simulate::rng::Rng;
use versions::{OtherMachine, state_after_later_version};

/// How many steps a schedule has.
const STEPS: usize = 16;

/// What happens in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Play(usize),
    KillServer,
    RestartServer,
    /// The server comes back without what it had stored: its disk is another one.
    RestartEmptyServer,
    /// The server comes back as it was when it was killed before: it has lost its last messages.
    RestartOlderServer,
    KillHub,
    RestartHub,
    KillMachine(usize),
    StopMachine(usize),
    RestartMachine(usize),
    /// The network of a machine is interrupted.
    Cut(usize),
    Mend(usize),
    /// The disk of the hub is full.
    FillDisk,
    FreeDisk,
    /// The time of day of a machine, or of the hub, is set.
    SetClock(Option<usize>),
    /// A copy of a machine's card is started in another machine, and stopped when it has said so.
    CopyCard(usize),
    /// The desk of the hub enters the names of a game.
    Enter(usize),
    /// The hub gives a machine a command.
    Order(usize),
    /// Time passes.
    Wait,
}

/// Chooses the next step among those that are possible.
fn choose(rng: &mut Rng, hall: &CampaignHall) -> Step {
    let machine = rng.below(hall.machines.len() as u64) as usize;
    let mut steps = vec![Step::Play(machine); 4];
    steps.push(Step::Wait);
    match hall.is_server_up {
        true => steps.push(Step::KillServer),
        false => steps.extend([Step::RestartServer, Step::RestartOlderServer, Step::RestartEmptyServer]),
    }
    match hall.hub.daemon.is_some() {
        true => steps.extend([
            Step::KillHub,
            Step::Enter(machine),
            Step::Enter(machine),
            Step::Order(machine),
            Step::Order(machine),
        ]),
        // It does not start on a full disk.
        false => steps.push(if hall.is_disk_full { Step::FreeDisk } else { Step::RestartHub }),
    }
    match (&hall.hub.state, hall.is_disk_full) {
        (State::Directory(_), _) => {}
        (State::Disk(_), true) => steps.push(Step::FreeDisk),
        (State::Disk(_), false) => steps.push(Step::FillDisk),
    }
    if TimeOfDay::can_be_set() {
        steps.push(Step::SetClock(Some(machine).filter(|_| rng.below(2) == 0)));
    }
    let is_whole = hall.is_server_up && hall.hub.daemon.is_some() && !hall.machines[machine].is_cut;
    if is_whole && *CAN_SEEM_ANOTHER && hall.machines[machine].machine.node.daemon.is_some() {
        steps.push(Step::CopyCard(machine));
    }
    match hall.machines[machine].machine.node.daemon.is_some() {
        true => steps.extend([Step::KillMachine(machine), Step::StopMachine(machine)]),
        false => steps.extend([Step::RestartMachine(machine); 3]),
    }
    steps.push(if hall.machines[machine].is_cut { Step::Mend(machine) } else { Step::Cut(machine) });
    steps[rng.below(steps.len() as u64) as usize]
}

/// A machine with its network and its game.
struct CampaignMachine {
    machine: Machine,
    relay: Relay,
    is_cut: bool,
    position: Chess,
    moves: usize,
    /// All positions of the game, and where its last moves went: of these pieces, none is moved again at once.
    shown: BTreeSet<String>,
    last: VecDeque<Square>,
    public: Public,
    orders: Orders,
}

impl CampaignMachine {
    /// Plays a random move that captures nothing and moves one piece, if there is one. The moves come faster than a hand can
    /// make them. So that they are still two moves for a board, no piece moves twice in a row, and no placement is shown twice.
    async fn play(&mut self, rng: &mut Rng) {
        let is_plain = |mv: &shakmaty::Move| {
            let is_king_or_more = mv.is_castle() || mv.is_promotion() || mv.role() == Role::King;
            !mv.is_capture() && !is_king_or_more && mv.from().is_some_and(|from| !self.last.contains(&from))
        };
        let moves: Vec<shakmaty::Move> = self.position.legal_moves().into_iter().filter(is_plain).collect();
        let quiet: Vec<&shakmaty::Move> = moves
            .iter()
            .filter(|mv| {
                let mut after = self.position.clone();
                after.play_unchecked(**mv);
                !after.is_game_over() && !self.shown.contains(&after.board().to_string())
            })
            .collect();
        if quiet.is_empty() {
            return;
        }
        let mv = quiet[rng.below(quiet.len() as u64) as usize];
        let (from, to) = (mv.from().unwrap().to_string(), mv.to().to_string());
        self.public.played();
        self.machine.board.play(&from, &to);
        self.position.play_unchecked(*mv);
        self.shown.insert(self.position.board().to_string());
        self.last.push_back(mv.to());
        if self.last.len() > 2 {
            self.last.pop_front();
        }
        self.moves += 1;
        self.machine.made(self.moves).await;
    }
}

/// Everything that faults can affect.
struct CampaignHall {
    server: NatsServer,
    is_server_up: bool,
    is_disk_full: bool,
    hub: Node,
    /// Sees what the public sees.
    spectator: Client,
    machines: Vec<CampaignMachine>,
    /// Those that have another version.
    others: Vec<OtherMachine>,
}

impl CampaignHall {
    async fn open(machines: usize) -> Option<CampaignHall> {
        let mut others = versions::machines(machines);
        let server = NatsServer::start_with(&OtherMachine::server_config(&others), None)?;
        let state = SmallDisk::mount().map_or_else(|| State::Directory(tempfile::tempdir().unwrap()), State::Disk);
        let mut hub = hub_in(state, server.port(), &public::config(), 1 << 30).await?;
        hub.time = TimeOfDay::new();
        let spectator = client(&hub.bus, Stream::Broadcast).await;
        others.iter_mut().for_each(|other| other.open(server.port()));
        let (is_server_up, is_disk_full, machines_yet) = (true, false, Vec::new());
        let mut hall = CampaignHall { server, is_server_up, is_disk_full, hub, spectator, machines: machines_yet, others };
        for number in 1..=machines {
            let relay = Relay::to(hall.server.port()).unwrap();
            let state = if number == 1 { state_after_later_version().await } else { tempfile::tempdir().unwrap() };
            let state = State::Directory(state);
            let mut machine = Machine::start_in(state, &format!("pi-{number:02}"), relay.port()).await?;
            // From its next start on.
            machine.node.time = TimeOfDay::new();
            hall.machines.push(CampaignMachine {
                machine,
                relay,
                is_cut: false,
                position: Chess::default(),
                moves: 0,
                shown: BTreeSet::new(),
                last: VecDeque::new(),
                public: Public::default(),
                orders: Orders::default(),
            });
        }
        Some(hall)
    }

    async fn carry_out(&mut self, step: Step, rng: &mut Rng) {
        match step {
            // A board that nobody reads is not moved: what it shows later is another matter.
            Step::Play(machine) if self.machines[machine].machine.node.daemon.is_none() => {}
            Step::Play(machine) => self.machines[machine].play(rng).await,
            Step::KillServer => {
                self.server.kill();
                self.is_server_up = false;
            }
            Step::RestartServer | Step::RestartEmptyServer | Step::RestartOlderServer => {
                match step {
                    Step::RestartEmptyServer => self.server.forget(),
                    Step::RestartOlderServer => self.server.go_back(),
                    _ => self.server.save(),
                }
                self.server.restart();
                self.is_server_up = true;
            }
            Step::KillHub => self.hub.kill(),
            Step::RestartHub => self.hub.run().await,
            Step::KillMachine(machine) => self.machines[machine].machine.node.kill(),
            Step::StopMachine(machine) => self.machines[machine].machine.node.stop(),
            Step::RestartMachine(machine) => {
                let machine = &mut self.machines[machine];
                machine.machine.node.run().await;
                machine.machine.made(machine.moves).await;
            }
            Step::Cut(machine) => {
                self.machines[machine].relay.cut();
                self.machines[machine].is_cut = true;
            }
            Step::Mend(machine) => {
                self.machines[machine].relay.mend();
                self.machines[machine].is_cut = false;
            }
            Step::FillDisk | Step::FreeDisk => {
                self.is_disk_full = step == Step::FillDisk;
                if let State::Disk(disk) = &self.hub.state {
                    if self.is_disk_full { disk.fill() } else { disk.free_space() }
                }
            }
            Step::SetClock(machine) => {
                let node = match machine {
                    Some(machine) => &mut self.machines[machine].machine.node,
                    None => &mut self.hub,
                };
                // Back, too: not as far as when the game began.
                if let Some(time) = &mut node.time {
                    time.jump(rng.below(7_200) as i64 - 3_600);
                }
            }
            Step::CopyCard(machine) => self.machines[machine].machine.copy_card(&self.server).await,
            Step::Enter(machine) => {
                let machine = &mut self.machines[machine];
                machine.orders.enter(&self.hub, &machine.machine, self.is_disk_full).await;
            }
            Step::Order(machine) => {
                let machine = &mut self.machines[machine];
                machine.orders.give(&self.hub, &machine.machine.name, &machine.machine.board_at_hub()).await;
            }
            // As long as a connection needs to be made again, or less.
            Step::Wait => tokio::time::sleep(Duration::from_millis(rng.below(3_000))).await,
        }
    }

    /// Ends all faults.
    async fn mend(&mut self) {
        let mut rng = Rng::new(0, 0);
        if !self.is_server_up {
            self.carry_out(Step::RestartServer, &mut rng).await;
        }
        if self.is_disk_full {
            self.carry_out(Step::FreeDisk, &mut rng).await;
        }
        if self.hub.daemon.is_none() {
            self.carry_out(Step::RestartHub, &mut rng).await;
        }
        for machine in 0..self.machines.len() {
            self.carry_out(Step::Mend(machine), &mut rng).await;
            if self.machines[machine].machine.node.daemon.is_none() {
                self.carry_out(Step::RestartMachine(machine), &mut rng).await;
            }
        }
        self.others.iter_mut().for_each(OtherMachine::mend);
    }
}

/// Runs the schedule of this seed.
async fn run(seed: u64) {
    let Some(mut hall) = CampaignHall::open(2).await else { return };
    let mut rng = Rng::new(seed, 1);
    let mut other_rng = Rng::new(seed, 2);
    for number in 0..STEPS {
        let step = choose(&mut rng, &hall);
        eprintln!("seed {seed}, step {number}: {step:?}");
        hall.carry_out(step, &mut rng).await;
        // Beside it, so that the schedules of the other machines do not depend on them.
        for other in &mut hall.others {
            let step = other.choose(&mut other_rng, hall.hub.daemon.is_some());
            eprintln!("seed {seed}, step {number}: {step:?} at {}", other.name());
            other.carry_out(step, &mut other_rng, &hall.hub).await;
        }
        for machine in &hall.machines {
            machine.public.check(&hall.spectator, &machine.machine.board_at_hub()).await;
        }
        for other in &hall.others {
            other.check_public(&hall.spectator).await;
        }
    }
    hall.mend().await;
    hall.others.iter_mut().for_each(|other| other.play(&mut other_rng));
    for machine in &mut hall.machines {
        // A game that has just begun is compared, too.
        machine.play(&mut rng).await;
    }
    for machine in &hall.machines {
        eprintln!("seed {seed}: {} moves at {}", machine.moves, machine.machine.name);
        wait_equal(&hall.hub, &machine.machine);
        shown(&hall.hub, &machine.machine.board_at_hub(), machine.moves).await;
        machine.orders.wait_on_record(&hall.hub, &machine.machine).await;
        machine.orders.check(&events(machine.machine.node.state.path(), None));
        machine.public.wait(&hall.spectator, &machine.machine.board_at_hub(), machine.moves).await;
        wait_equal(&hall.hub, &machine.machine);
    }
    for other in &mut hall.others {
        eprintln!("seed {seed}: {} moves at {}", other.moves(), other.name());
        other.finish(&hall.hub, &hall.spectator).await;
    }
}

#[tokio::test]
async fn faults_lose_nothing() {
    run(1).await;
    run(2).await;
}

/// Runs as many schedules as `TOUCHMOVE_SCHEDULES` says, from the seed in `TOUCHMOVE_SEED` on: `make test-hall`.
#[tokio::test]
#[ignore = "it takes hours: make test-hall"]
async fn many_faults_lose_nothing() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count) = (number("TOUCHMOVE_SEED", 1), number("TOUCHMOVE_SCHEDULES", 200));
    for seed in first..first + count {
        run(seed).await;
    }
}
