//! Damaged connections: whatever happens to the bytes, nothing panics, and after the next complete reading the record is right
//! or an alert is in force.

use crate::core::simulate::random_games;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;
use touchmove::boards::{self, LinkState, Millis};
use touchmove::game::event::Rotation;
use touchmove::game::{Event, Record, StampedEvent};
use touchmove::lab::run::{self, Cable, HostInput, RunEvent, VirtualCable};
use touchmove::laws::Position;
use touchmove::simulate::hands::{BLITZ, CLEAN, CLUB, HandsProfile, Rates};
use touchmove::simulate::pgn::SourceGame;
use touchmove::simulate::rng::Rng;
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Settings, Table};
use touchmove::wire;

/// The damage of one byte.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Damage {
    /// It does not arrive, nor does this number of bytes after it.
    Drop(u8),
    /// It arrives twice.
    Double,
    /// One of its bits is flipped.
    Flip(u8),
    /// It arrives after this number of bytes that follow it.
    Late(u8),
    /// A byte that was not sent arrives before it.
    Insert(u8),
    /// The complete message it belongs to does not arrive.
    DropMessage,
}

/// A cable that damages bytes, by their number from the start.
struct Damaged {
    inner: VirtualCable,
    plan: BTreeMap<u64, Damage>,
    /// Bytes are damaged only between these times.
    from: Millis,
    until: Millis,
    /// The number of bytes so far.
    count: u64,
    drop: u64,
    /// Delayed bytes, and the count after which they arrive.
    late: VecDeque<(u64, u8)>,
    /// The plies whose messages were damaged.
    plies: BTreeSet<u32>,
}

impl Damaged {
    fn damage_bytes(&mut self, now: Millis, bytes: &[u8], ply: u32) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 4);
        let range = self.count..self.count + bytes.len() as u64;
        let is_active = (self.from..self.until).contains(&now);
        let drops_message = is_active && self.plan.range(range).any(|(_, damage)| *damage == Damage::DropMessage);
        for &byte in bytes {
            let damage = self.plan.get(&self.count).filter(|_| is_active);
            self.count += 1;
            if damage.is_some() || drops_message || self.drop > 0 {
                self.plies.insert(ply);
            }
            match damage {
                _ if drops_message => {}
                Some(Damage::Drop(extra)) => self.drop = self.drop.max(u64::from(*extra) + 1),
                Some(Damage::Double) => out.push(byte),
                Some(Damage::Late(others)) => self.late.push_back((self.count + u64::from(*others), byte)),
                Some(Damage::Insert(other)) => out.push(*other),
                _ => {}
            }
            let late = matches!(damage, Some(Damage::Late(_)));
            if drops_message || self.drop > 0 {
                self.drop = self.drop.saturating_sub(1);
            } else if !late {
                let bit = if let Some(Damage::Flip(bit)) = damage { 1 << bit } else { 0 };
                out.push(byte ^ bit);
            }
            while let Some((_, byte)) = self.late.pop_front_if(|(due, _)| *due <= self.count || now >= self.until) {
                out.push(byte);
            }
        }
        out
    }
}

impl Cable for Damaged {
    fn next(&self) -> Option<Millis> {
        self.inner.next()
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        let inputs = self.inner.receive_until(now);
        inputs
            .into_iter()
            .map(|input| match input {
                HostInput::Bytes(bytes, ply) => HostInput::Bytes(self.damage_bytes(now, &bytes, ply), ply),
                other => other,
            })
            .collect()
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.inner.send(now, bytes);
    }
}

/// Hands that stop when the game is over: the next start position would begin another game.
static CASUAL: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLUB.rates }, ..CLUB };
static TIDY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLEAN.rates }, ..CLEAN };
static HASTY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..BLITZ.rates }, ..BLITZ };

static GAMES: LazyLock<Vec<SourceGame>> = LazyLock::new(|| random_games(24, 60));

/// The idle time after the game, in milliseconds: longer than the time until an alert reports that the placement does not match
/// the record.
const QUIET: Millis = 67_000;

/// A game and the damage to its bytes.
#[derive(Clone, Debug)]
struct Case {
    game: usize,
    seed: u64,
    profile: &'static HandsProfile,
    clock: bool,
    /// The start position is read before the damage begins.
    begun: bool,
    /// The damage, by the number of the byte.
    plan: BTreeMap<u64, Damage>,
    /// The end of the damage, in thousandths of the game.
    until: u64,
}

/// The outcome for the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The record equals the game.
    Right,
    /// The record differs, and an alert is in force, or a move is marked as illegal.
    Alert,
    /// There is no record: the start position was not read, and moves before it is read belong to no game.
    Unseen,
    /// The start of a game was seen, and neither a clock nor a move: the pieces may be anything.
    Unmoved,
    /// The board agrees with the record, and messages of a move were damaged within the search distance of the first
    /// difference: the same position came about in another way, which no board can distinguish.
    Indistinguishable,
    /// The record differs, and this is not reported.
    Wrong,
}

struct RunResult {
    outcome: Outcome,
    /// A description for a person.
    log: String,
}

fn run(case: &Case) -> RunResult {
    let game = &GAMES[case.game];
    let setup = SimulationSetup {
        profile: case.profile,
        clock: case.clock,
        rotation: Rotation::Upright,
        clock_turned: false,
        seed: case.seed,
    };
    let simulation = Simulation::new("dgt", game, &setup).expect("there is a virtual DGT board");
    let truth: Vec<String> = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let (over_at, ends_at) = (simulation.truth().over_at, simulation.ends_at());
    let first_touch = simulation.truth().plies.first().map_or(0, |ply| ply.touched_at);
    let mut cable = Damaged {
        inner: VirtualCable::new(simulation),
        plan: case.plan.clone(),
        from: if case.begun { first_touch } else { 0 },
        until: (over_at + 1000) * case.until / 1000,
        count: 0,
        drop: 0,
        late: VecDeque::new(),
        plies: BTreeSet::new(),
    };
    let model = boards::model("dgt").expect("there is a DGT board");
    let mut table = Table::new(Settings::default());
    let mut events = Vec::new();
    run::play(&mut cable, &mut *(model.protocol)(), &mut table, ends_at + QUIET, &mut |_, run_event| {
        if let RunEvent::Event(stamped) = run_event {
            events.push(stamped.clone());
        }
    });
    let record = fold(&events);
    assert_eq!(record.as_ref(), table.record(), "the record equals its folded events");
    let log: Vec<String> = events.iter().filter(|stamped| stamped.event.is_durable()).map(wire::to_json).collect();
    let log = format!("damage from {} to {} ms\ntruth: {}\n{}", cable.from, cable.until, truth.join(" "), log.join("\n"));
    let outcome = match &record {
        None => Outcome::Unseen,
        Some(record) if record.plies.iter().map(|ply| &ply.played.uci).eq(&truth) => Outcome::Right,
        Some(record) if !record.alerts.is_empty() || has_irregular_move(record) => Outcome::Alert,
        Some(record) if record.plies.is_empty() && !case.clock => Outcome::Unmoved,
        Some(record) => {
            const SEARCH_DISTANCE: u32 = 3;
            let same = record.plies.iter().zip(&truth).take_while(|(ply, uci)| ply.played.uci == **uci).count();
            let end = game.position(game.plies.len()).fen();
            // Compares pieces and turn.
            let agrees = record.fen().split(' ').take(2).eq(end.split(' ').take(2));
            let wrong = same as u32 + 1;
            let damaged =
                cable.plies.range(wrong.saturating_sub(SEARCH_DISTANCE).max(1)..=wrong + SEARCH_DISTANCE).next().is_some();
            if agrees && damaged { Outcome::Indistinguishable } else { Outcome::Wrong }
        }
    };
    RunResult { outcome, log }
}

/// Whether a move of the record is marked as irregular, so that the arbiter looks at it.
fn has_irregular_move(record: &Record) -> bool {
    record.plies.iter().any(|ply| ply.played.irregular)
}

/// Folds events into a record and checks every guarantee about events.
fn fold(events: &[StampedEvent]) -> Option<Record> {
    let mut record: Option<Record> = None;
    assert!(
        events.is_sorted_by_key(|stamped| stamped.at),
        "times never decrease: {:?}",
        events.windows(2).find(|pair| pair[0].at > pair[1].at)
    );
    for stamped in events {
        if !stamped.event.is_durable() {
            assert_eq!(stamped.number, None, "{stamped:?}");
        } else if let Event::GameStarted { .. } = stamped.event {
            record = Record::begin(stamped);
            assert_eq!(stamped.number, Some(1));
        } else {
            let record = record.as_mut().unwrap_or_else(|| panic!("{stamped:?} belongs to no game"));
            assert_eq!(stamped.number, Some(record.last_number + 1), "numbers have no gap");
            record.apply(stamped);
        }
    }
    if let Some(record) = &record {
        let mut position = Position::from_fen(&record.start_fen, false).expect("our own FEN");
        for ply in &record.plies {
            let uci = &ply.played.uci;
            let mv = if ply.played.irregular { position.any_move(uci) } else { position.parse_uci(uci) };
            let mv = mv.unwrap_or_else(|| panic!("{uci} is not legal"));
            position = position.play(mv);
            assert_eq!(position.fen(), ply.played.fen);
        }
    }
    record
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0u8..3).prop_map(Damage::Drop),
        (0u8..60).prop_map(Damage::Drop),
        Just(Damage::Double),
        (0u8..8).prop_map(Damage::Flip),
        (1u8..8).prop_map(Damage::Late),
        any::<u8>().prop_map(Damage::Insert),
        Just(Damage::DropMessage),
    ]
}

/// A case with one damage in about `interval` bytes.
fn case(interval: usize, hands: &'static [&'static HandsProfile]) -> impl Strategy<Value = Case> {
    const LONGEST: usize = 6_000;
    let plan = prop::collection::vec((0..LONGEST as u64, damage()), LONGEST / interval);
    let hands = prop::sample::select(hands);
    let parameters = (0..GAMES.len(), 0u64..1000, hands, any::<bool>(), any::<bool>(), 500u64..=1000);
    (parameters, plan).prop_map(|((game, seed, profile, clock, begun, until), plan)| {
        let plan = plan.into_iter().collect();
        Case { game, seed, profile, clock, begun, plan, until }
    })
}

static UNHURRIED: &[&HandsProfile] = &[&TIDY, &CASUAL];
static HURRIED: &[&HandsProfile] = &[&HASTY];

/// Runs cases with one damage in about `interval` bytes; at least `right` in a hundred records must be right, and at most
/// `indistinguishable` indistinguishable. The cases are the same in each run; `PROPTEST_CASES` requests more.
#[track_caller]
fn check(interval: usize, hands: &'static [&'static HandsProfile], right: usize, indistinguishable: usize) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let counts: RefCell<BTreeMap<Outcome, usize>> = RefCell::default();
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&case(interval, hands), |case| {
        let result = run(&case);
        *counts.borrow_mut().entry(result.outcome).or_default() += 1;
        let is_unreported = result.outcome == Outcome::Wrong || (case.begun && result.outcome == Outcome::Unseen);
        prop_assert!(!is_unreported, "{:?}\n{}", result.outcome, result.log);
        Ok(())
    });
    println!("one damage in {interval} bytes: {:?}", counts.borrow());
    if let Err(failed) = outcome {
        panic!("one damage in {interval} bytes: {failed}");
    }
    let count = |outcome| counts.borrow().get(&outcome).copied().unwrap_or(0) * 100;
    let cases = cases as usize;
    assert!(count(Outcome::Right) >= right * cases, "one damage in {interval} bytes: too few are right: {counts:?}");
    assert!(
        count(Outcome::Indistinguishable) <= indistinguishable * cases,
        "one damage in {interval} bytes: too many are indistinguishable: {counts:?}"
    );
}

#[test]
fn games_with_rare_damage_are_recorded() {
    check(2_000, UNHURRIED, 95, 1);
}

#[test]
fn most_games_with_damage_every_few_moves_are_recorded() {
    check(500, UNHURRIED, 85, 1);
}

#[test]
fn damage_in_every_move_is_reported() {
    check(100, UNHURRIED, 40, 2);
}

/// There is no pause in which an alert could be raised.
#[test]
fn damage_in_every_move_of_a_blitz_game_is_reported() {
    check(100, HURRIED, 5, 2);
}

#[test]
fn damage_in_every_message_is_reported() {
    check(20, UNHURRIED, 0, 2);
    check(5, UNHURRIED, 0, 2);
}

/// A connection with only noise at first, then a board and a game.
struct Noisy {
    noise: VecDeque<(Millis, Vec<u8>)>,
    /// The time at which the noise ends and the board begins to answer.
    ends: Millis,
    inner: VirtualCable,
    plugged: bool,
}

impl Noisy {
    /// Noise of this many bytes, in chunks of about this length; half of the bytes are typical for messages of a DGT board.
    fn new(inner: VirtualCable, bytes: usize, chunk_len: usize, rng: &mut Rng) -> Noisy {
        const MESSAGE_BYTES: [u8; 12] = [0x8e, 0x86, 0x8d, 0x8f, 0xa0, 0x93, 0x00, 0x05, 0x43, 0x0a, 0x01, 0x0c];
        let mut noise = VecDeque::new();
        let (mut at, mut left) = (0, bytes);
        while left > 0 {
            let length = (1 + rng.below(2 * chunk_len as u64 - 1) as usize).min(left);
            let byte = |rng: &mut Rng| if rng.chance(500) { rng.pick(&MESSAGE_BYTES).unwrap_or(0) } else { rng.bits() as u8 };
            at += 1 + length as Millis;
            left -= length;
            noise.push_back((at, (0..length).map(|_| byte(rng)).collect()));
        }
        Noisy { noise, ends: at + 1, inner, plugged: false }
    }
}

impl Cable for Noisy {
    fn next(&self) -> Option<Millis> {
        match self.noise.front() {
            _ if !self.plugged => Some(0),
            Some((at, _)) => Some(*at),
            None => self.inner.next().map(|next| next + self.ends),
        }
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        let mut inputs = Vec::new();
        if !std::mem::replace(&mut self.plugged, true) {
            inputs.push(HostInput::Link(LinkState::Up));
        }
        while let Some((_, bytes)) = self.noise.pop_front_if(|(at, _)| *at <= now) {
            inputs.push(HostInput::Bytes(bytes, 0));
        }
        if let Some(since) = now.checked_sub(self.ends) {
            // The cable was plugged in all the time.
            inputs.extend(self.inner.receive_until(since).into_iter().filter(|input| !matches!(input, HostInput::Link(_))));
        }
        inputs
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        if let Some(since) = now.checked_sub(self.ends) {
            self.inner.send(since, bytes);
        }
    }
}

#[test]
fn after_random_bytes_the_game_is_recorded() {
    let mut rng = Rng::new(17, 0);
    for (game, chunk_len) in GAMES.iter().zip([1, 3, 16, 64, 1000]) {
        let setup = SimulationSetup {
            profile: &TIDY,
            clock: true,
            rotation: Rotation::Upright,
            clock_turned: false,
            seed: chunk_len as u64,
        };
        let simulation = Simulation::new("dgt", game, &setup).expect("there is a virtual DGT board");
        let truth: Vec<String> = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
        let duration = simulation.ends_at();
        let mut cable = Noisy::new(VirtualCable::new(simulation), 200_000, chunk_len, &mut rng);
        let until = cable.ends + duration;
        let model = boards::model("dgt").expect("there is a DGT board");
        let mut table = Table::new(Settings::default());
        let mut events = Vec::new();
        run::play(&mut cable, &mut *(model.protocol)(), &mut table, until, &mut |_, run_event| {
            if let RunEvent::Event(stamped) = run_event {
                events.push(stamped.clone());
            }
        });
        let record = fold(&events).expect("a game was played");
        assert_eq!(Some(&record), table.record(), "the record equals its folded events");
        let played: Vec<&str> = record.plies.iter().map(|ply| ply.played.uci.as_str()).collect();
        assert_eq!(played, truth, "noise in chunks of about {chunk_len}");
        assert_eq!(record.alerts, [], "noise in chunks of about {chunk_len}");
    }
}
