//! What happens in one schedule, and when; drawn from its number alone.

use crate::simulate::random_games;
use crate::time_of_day::TimeOfDay;
use std::fmt;
use std::sync::LazyLock;
use touchmove::boards::SensorKind;
use touchmove::simulate::hands::{BLITZ, CLEAN, CLUB, HandsProfile, Rates};
use touchmove::simulate::pgn::SourceGame;
use touchmove::simulate::rng::Rng;

/// One fault. Times are in real milliseconds since the first byte from the host; every fault ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    pub from: u64,
    pub until: u64,
    pub kind: FaultKind,
}

/// What is wrong between the two times of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultKind {
    /// The daemon is killed (SIGKILL), and started again at the end.
    Killed,
    /// The daemon is stopped (SIGSTOP), and continued at the end.
    Stopped,
    /// The bus is gone.
    BusGone,
    /// The disk is full.
    DiskFull,
    /// The cable is out; on a matrix, the power of its expander fails again and again.
    Unplugged,
    /// The clock is not connected.
    ClockUnplugged,
    /// Bytes from the board are damaged: per mille.
    Damaged(u32),
    /// Answers to a request for the whole board are changed.
    Dumps(Answer),
    /// Answers to a request for the board's memory are changed.
    Memory(Answer),
    /// The time of day is set forward or back by so many seconds, and stays so.
    TimeOfDay(i64),
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Missing,
    /// An older answer comes instead: a dump of before, a memory without its newest entries.
    Stale,
    /// An older answer comes first, the right one after it.
    StaleFirst,
    /// It comes so many milliseconds later.
    Late(u64),
    Doubled,
}

/// The fault that needs a library, by name.
pub const TIME_OF_DAY: &str = "time of day set";

impl FaultKind {
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Killed => "killed",
            FaultKind::Stopped => "stopped",
            FaultKind::BusGone => "bus gone",
            FaultKind::DiskFull => "disk full",
            FaultKind::Unplugged => "unplugged",
            FaultKind::ClockUnplugged => "clock unplugged",
            FaultKind::Damaged(_) => "damaged bytes",
            FaultKind::Dumps(Answer::Missing) => "dumps missing",
            FaultKind::Dumps(Answer::Stale) => "dumps stale",
            FaultKind::Dumps(Answer::StaleFirst) => "dumps stale, then right",
            FaultKind::Dumps(Answer::Late(_)) => "dumps late",
            FaultKind::Dumps(Answer::Doubled) => "dumps doubled",
            FaultKind::Memory(Answer::Missing) => "memory missing",
            FaultKind::Memory(Answer::Stale) => "memory stale",
            FaultKind::Memory(Answer::StaleFirst) => "memory stale, then right",
            FaultKind::Memory(Answer::Late(_)) => "memory late",
            FaultKind::Memory(Answer::Doubled) => "memory doubled",
            FaultKind::TimeOfDay(_) => TIME_OF_DAY,
        }
    }
}

/// A game on a virtual board and the faults that hit it.
#[derive(Debug)]
pub struct Schedule {
    pub number: u64,
    pub model: &'static str,
    pub sensing: SensorKind,
    pub profile: &'static HandsProfile,
    /// How many times as fast as real the hands and the board are.
    pub speed: u32,
    pub clock: bool,
    pub game: usize,
    pub plies: usize,
    pub faults: Vec<Fault>,
}

/// Hands that stop when the game is over: what is swept and set up afterwards is no part of it.
static CLUB_HANDS: HandsProfile = HandsProfile { rates: Rates { sweep: 0, set_up: 0, kings_signal: 0, ..CLUB.rates }, ..CLUB };
static BLITZ_HANDS: HandsProfile =
    HandsProfile { rates: Rates { sweep: 0, set_up: 0, kings_signal: 0, ..BLITZ.rates }, ..BLITZ };

static GAMES: LazyLock<Vec<SourceGame>> = LazyLock::new(|| random_games(64, 50));

/// A model, how often it is drawn, and what its squares can tell.
type Weighted = (&'static str, u64, SensorKind);

/// Models on a serial line. The DGT board has most of the machinery that can fail: dumps, updates, a memory.
static MODELS: [Weighted; 9] = [
    ("dgt", 60, SensorKind::Identity),
    ("dgt-bus", 6, SensorKind::Identity),
    ("certabo", 6, SensorKind::Identity),
    ("cerno", 4, SensorKind::Identity),
    ("millennium", 6, SensorKind::Identity),
    ("ichessone", 4, SensorKind::Identity),
    ("sentio", 6, SensorKind::Occupancy),
    ("reed", 4, SensorKind::Occupancy),
    ("centaur", 4, SensorKind::Occupancy),
];

/// Models on no serial line, see [`super::mock`].
static MOCKED: [Weighted; 2] = [("chessnut", 1, SensorKind::Identity), ("matrix", 1, SensorKind::Occupancy)];

fn weight(models: &[Weighted]) -> u64 {
    models.iter().map(|model| model.1).sum()
}

/// The model whose share of the weights, one after the other, has this number in it.
fn pick(models: &'static [Weighted], mut at: u64) -> Option<&'static Weighted> {
    models.iter().find(|model| {
        let here = at < model.1;
        at = at.saturating_sub(model.1);
        here
    })
}

impl Schedule {
    /// The schedule of this number: the same on every machine.
    pub fn draw(number: u64) -> Schedule {
        let mut rng = Rng::new(number, 0xc4a05);
        let serial = pick(&MODELS, rng.below(weight(&MODELS)));
        // Drawn apart, so that the other numbers have the boards that they had without these.
        let mocked = pick(&MOCKED, Rng::new(number, 0x30c).below(weight(&MODELS) + weight(&MOCKED)));
        let &(model, _, sensing) = mocked.or(serial).unwrap_or(&MODELS[0]);
        let profile = [&CLEAN, &CLEAN, &CLUB_HANDS, &BLITZ_HANDS][rng.below(4) as usize];
        // What lies between two moves on an occupancy board must be longer than a busy machine stutters, and hands that overlap as in a
        // blitz must be slower than a board takes to look at its squares: the machine that plays both sides stutters as well.
        let fastest = match (sensing, profile.name == BLITZ.name) {
            (_, true) => 1,
            (SensorKind::Occupancy, false) => 2,
            // A fake USB device is no faster.
            _ if mocked.is_some() => 2,
            _ => 8,
        };
        let speed = [2, 4, 6, 8][rng.below(4) as usize].min(fastest);
        let plies = if speed <= 2 { 6 + rng.below(8) } else { 8 + rng.below(24) } as usize;
        let mut schedule = Schedule {
            number,
            model,
            sensing,
            profile,
            speed,
            clock: rng.chance(750),
            game: rng.below(GAMES.len() as u64) as usize,
            plies,
            faults: Vec::new(),
        };
        let lasts = schedule.lasts();
        let count = 1 + rng.below(3);
        for _ in 0..count {
            let kind = schedule.draw_kind(&mut rng);
            let from = rng.below(lasts);
            let longest = match kind {
                FaultKind::Killed | FaultKind::Unplugged | FaultKind::BusGone => 6_000,
                FaultKind::Stopped => 4_000,
                FaultKind::DiskFull => 5_000,
                _ => 20_000,
            };
            schedule.faults.push(Fault { from, until: from + 100 + rng.below(longest), kind });
        }
        // What the memory answers matters only where something was missed.
        let memory = |fault: &Fault| matches!(fault.kind, FaultKind::Memory(_));
        if let Some(memory) = schedule.faults.iter().copied().find(memory) {
            let kind = if rng.chance(500) { FaultKind::Killed } else { FaultKind::Unplugged };
            let until = memory.from + 500 + rng.below(5_000);
            schedule.faults.push(Fault { from: memory.from, until, kind });
        }
        // The library that sets the time and the one that fakes devices do not go together.
        if TimeOfDay::can_be_set() && !schedule.is_mocked() {
            schedule.draw_time_of_day();
        }
        schedule.faults.sort_by_key(|fault| fault.from);
        schedule
    }

    /// Adds what is drawn apart, so that without it each number has the same faults.
    fn draw_time_of_day(&mut self) {
        let mut rng = Rng::new(self.number, 0x70d);
        if !rng.chance(100) {
            return;
        }
        for _ in 0..1 + rng.below(2) {
            let (least, most) = [(1, 60), (60, 3_600), (3_600, 40_000)][rng.below(3) as usize];
            let seconds = (least + rng.below(most - least)) as i64;
            let seconds = if rng.chance(500) { seconds } else { -seconds };
            let from = rng.below(self.lasts());
            self.faults.push(Fault { from, until: from + 1, kind: FaultKind::TimeOfDay(seconds) });
            // Between two runs as often as in one.
            if rng.chance(500) {
                let from = from.saturating_sub(1 + rng.below(500));
                self.faults.push(Fault { from, until: from + 600 + rng.below(3_000), kind: FaultKind::Killed });
            }
        }
    }

    fn draw_kind(&self, rng: &mut Rng) -> FaultKind {
        let answer = |rng: &mut Rng| match rng.below(5) {
            0 => Answer::Missing,
            1 => Answer::Stale,
            2 => Answer::StaleFirst,
            3 => Answer::Late(500 + rng.below(6_000)),
            _ => Answer::Doubled,
        };
        let kinds = match self.model {
            "dgt" => 10,
            // Reports and scans come whole or not at all.
            _ if self.is_mocked() => 5,
            _ => 6,
        };
        match rng.below(kinds) {
            0 => FaultKind::Killed,
            1 => FaultKind::Stopped,
            2 => FaultKind::BusGone,
            3 => FaultKind::DiskFull,
            4 => FaultKind::Unplugged,
            5 => FaultKind::Damaged(1 + rng.below(50) as u32),
            6 => FaultKind::ClockUnplugged,
            7 | 8 => FaultKind::Memory(answer(rng)),
            _ => FaultKind::Dumps(answer(rng)),
        }
    }

    /// Whether its board is on no serial line.
    pub fn is_mocked(&self) -> bool {
        MOCKED.iter().any(|mocked| mocked.0 == self.model)
    }

    /// Whether a second client watches.
    pub fn has_monitor(&self) -> bool {
        self.number.is_multiple_of(8)
    }

    /// Whether it has a fault of this kind.
    pub fn has(&self, kind: FaultKind) -> bool {
        self.faults.iter().any(|fault| fault.kind == kind)
    }

    /// The game with the plies that are played of it.
    pub fn game(&self) -> SourceGame {
        let mut game = GAMES[self.game].clone();
        game.plies.truncate(self.plies);
        game.result = None;
        game
    }

    /// About how long it lasts, in real milliseconds.
    fn lasts(&self) -> u64 {
        self.plies as u64 * 4_000 / u64::from(self.speed)
    }

    /// Names of the faults, each once.
    pub fn fault_names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.faults.iter().map(|fault| fault.kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Schedule { number, model, speed, plies, profile, .. } = self;
        write!(f, "SCHEDULE={number} {model}, {} hands at {speed}x, {plies} plies: ", profile.name)?;
        for fault in &self.faults {
            write!(f, "{:?} {}..{} ms; ", fault.kind, fault.from, fault.until)?;
        }
        Ok(())
    }
}
