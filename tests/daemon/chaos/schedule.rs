//! The faults of one schedule and their times, drawn from the schedule's number alone.

use crate::core::simulate::random_games;
use crate::daemon::time_of_day::TimeOfDay;
use std::fmt;
use std::sync::LazyLock;
use touchmove::boards::SensorKind;
use touchmove::simulate::hands::{BLITZ, CLEAN, CLUB, HandsProfile, Rates};
use touchmove::simulate::pgn::SourceGame;
use touchmove::simulate::rng::Rng;

/// One fault. Times are in real milliseconds since the host's first byte; every fault ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    pub from: u64,
    pub until: u64,
    pub kind: FaultKind,
}

/// The kind of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultKind {
    /// The daemon is killed (SIGKILL), and started again at the end.
    Killed,
    /// The daemon is stopped (SIGSTOP), and continued at the end.
    Stopped,
    /// The bus is killed, and started again at the end.
    BusGone,
    /// The disk is full.
    DiskFull,
    /// The cable is unplugged; on a matrix, the power of its expander fails repeatedly.
    Unplugged,
    /// The clock is not connected.
    ClockUnplugged,
    /// Bytes from the board are damaged, at this rate per mille.
    Damaged(u32),
    /// Answers to a request for the whole board are changed.
    Dumps(Answer),
    /// Answers to a request for the board's memory are changed.
    Memory(Answer),
    /// The time of day is set forward or back by this many seconds, and not set back.
    TimeOfDay(i64),
}

/// The fault of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Missing,
    /// An older answer is sent instead: an earlier dump, a memory without its newest entries.
    Stale,
    /// An older answer is sent first, then the right one.
    StaleFirst,
    /// The answer is delayed by this many milliseconds.
    Late(u64),
    Doubled,
}

/// The name of the fault that needs a library.
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

/// A game on a virtual board and its faults.
#[derive(Debug)]
pub struct Schedule {
    pub number: u64,
    pub model: &'static str,
    pub sensing: SensorKind,
    pub profile: &'static HandsProfile,
    /// The speed-up of the hands and the board over real time.
    pub speed: u32,
    pub clock: bool,
    pub game: usize,
    pub plies: usize,
    pub faults: Vec<Fault>,
}

/// Hands that stop when the game is over, without sweeping the pieces or setting them up.
static CLUB_HANDS: HandsProfile = HandsProfile { rates: Rates { sweep: 0, set_up: 0, kings_signal: 0, ..CLUB.rates }, ..CLUB };
static BLITZ_HANDS: HandsProfile =
    HandsProfile { rates: Rates { sweep: 0, set_up: 0, kings_signal: 0, ..BLITZ.rates }, ..BLITZ };

static GAMES: LazyLock<Vec<SourceGame>> = LazyLock::new(|| random_games(64, 50));

/// A model, its weight in the draw, and its sensor kind.
type Weighted = (&'static str, u64, SensorKind);

/// Models with a serial port. The DGT board has most of the machinery that can fail: dumps, updates, a memory.
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

/// Models without a serial port, see [`super::mock`].
static MOCKED: [Weighted; 2] = [("chessnut", 1, SensorKind::Identity), ("matrix", 1, SensorKind::Occupancy)];

/// Models without a cable, see [`super::radio`].
static RADIO: [Weighted; 6] = [
    ("chessnut-move", 1, SensorKind::Identity),
    ("staunton", 1, SensorKind::Identity),
    ("pegasus", 1, SensorKind::Occupancy),
    ("chessup", 1, SensorKind::Occupancy),
    ("square-off", 1, SensorKind::Occupancy),
    ("cpp", 1, SensorKind::Occupancy),
];

fn weight(models: &[Weighted]) -> u64 {
    models.iter().map(|model| model.1).sum()
}

/// The model whose interval of the cumulated weights contains `at`.
fn pick(models: &'static [Weighted], mut at: u64) -> Option<&'static Weighted> {
    models.iter().find(|model| {
        let is_inside = at < model.1;
        at = at.saturating_sub(model.1);
        is_inside
    })
}

impl Schedule {
    /// Draws the schedule with this number: the same on every machine.
    pub fn draw(number: u64) -> Schedule {
        let mut rng = Rng::new(number, 0xc4a05);
        let serial = pick(&MODELS, rng.below(weight(&MODELS)));
        // Drawn from a separate generator, so that all other schedules are the same as without these models.
        let mocked = pick(&MOCKED, Rng::new(number, 0x30c).below(weight(&MODELS) + weight(&MOCKED)));
        let wireless = pick(&RADIO, Rng::new(number, 0xb1e).below(weight(&MODELS) + weight(&RADIO)));
        let &(model, _, sensing) = wireless.or(mocked).or(serial).unwrap_or(&MODELS[0]);
        let profile = [&CLEAN, &CLEAN, &CLUB_HANDS, &BLITZ_HANDS][rng.below(4) as usize];
        // The time between two moves on an occupancy board must be longer than the scheduling delays of a busy machine, and
        // overlapping hands as in blitz must be slower than a scan of the board: the machine that plays both sides has such
        // delays as well.
        let fastest = match (sensing, profile.name == BLITZ.name) {
            (_, true) => 1,
            (SensorKind::Occupancy, false) => 2,
            // A fake USB device is not faster, nor is a connection over Bluetooth.
            _ if mocked.is_some() || wireless.is_some() => 2,
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
        let duration_ms = schedule.duration_ms();
        let count = 1 + rng.below(3);
        for _ in 0..count {
            let kind = schedule.draw_kind(&mut rng);
            let from = rng.below(duration_ms);
            let longest = match kind {
                FaultKind::Killed | FaultKind::Unplugged | FaultKind::BusGone => 6_000,
                FaultKind::Stopped => 4_000,
                FaultKind::DiskFull => 5_000,
                _ => 20_000,
            };
            schedule.faults.push(Fault { from, until: from + 100 + rng.below(longest), kind });
        }
        // The memory matters only if something was missed.
        let memory = |fault: &Fault| matches!(fault.kind, FaultKind::Memory(_));
        if let Some(memory) = schedule.faults.iter().copied().find(memory) {
            let kind = if rng.chance(500) { FaultKind::Killed } else { FaultKind::Unplugged };
            let until = memory.from + 500 + rng.below(5_000);
            schedule.faults.push(Fault { from: memory.from, until, kind });
        }
        // The library that sets the time and the one that emulates devices cannot be combined. A board over Bluetooth needs a
        // configuration file, with which the time is not set.
        if TimeOfDay::can_be_set() && !schedule.is_mocked() && !schedule.is_wireless() {
            schedule.draw_time_of_day();
        }
        schedule.faults.sort_by_key(|fault| fault.from);
        schedule
    }

    /// Adds faults from a separate generator, so that all other faults are the same as without them.
    fn draw_time_of_day(&mut self) {
        let mut rng = Rng::new(self.number, 0x70d);
        if !rng.chance(100) {
            return;
        }
        for _ in 0..1 + rng.below(2) {
            let (min, max) = [(1, 60), (60, 3_600), (3_600, 40_000)][rng.below(3) as usize];
            let seconds = (min + rng.below(max - min)) as i64;
            let seconds = if rng.chance(500) { seconds } else { -seconds };
            let from = rng.below(self.duration_ms());
            self.faults.push(Fault { from, until: from + 1, kind: FaultKind::TimeOfDay(seconds) });
            // The time is set between two runs of the daemon as often as during one.
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
            // Reports and scans arrive complete or not at all.
            _ if self.is_mocked() || self.is_wireless() => 5,
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

    /// Whether its board has no serial port.
    pub fn is_mocked(&self) -> bool {
        MOCKED.iter().any(|mocked| mocked.0 == self.model)
    }

    /// Whether its board has no cable.
    pub fn is_wireless(&self) -> bool {
        RADIO.iter().any(|wireless| wireless.0 == self.model)
    }

    /// Whether a second client watches.
    pub fn has_monitor(&self) -> bool {
        self.number.is_multiple_of(8)
    }

    /// Whether the schedule has a fault of this kind.
    pub fn has(&self, kind: FaultKind) -> bool {
        self.faults.iter().any(|fault| fault.kind == kind)
    }

    /// The game, truncated to the plies that are played.
    pub fn game(&self) -> SourceGame {
        let mut game = GAMES[self.game].clone();
        game.plies.truncate(self.plies);
        game.result = None;
        game
    }

    /// The approximate duration, in real milliseconds.
    fn duration_ms(&self) -> u64 {
        self.plies as u64 * 4_000 / u64::from(self.speed)
    }

    /// The names of the faults, each once.
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
