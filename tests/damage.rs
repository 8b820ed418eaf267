//! Damaged lines: whatever happens to the bytes on their way, nothing panics, and after the next whole reading the record is
//! right or an alert stands.

use crate::simulate::random_games;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;
use touchmove::boards::{self, LinkState, Millis};
use touchmove::ctl::run::{self, Cable, HostInput, RunEvent, VirtualCable};
use touchmove::game::event::Rotation;
use touchmove::game::{Event, Record, StampedEvent};
use touchmove::laws::Position;
use touchmove::simulate::hands::{BLITZ, CLEAN, CLUB, HandsProfile, Rates};
use touchmove::simulate::pgn::SourceGame;
use touchmove::simulate::rng::Rng;
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Settings, Table};
use touchmove::wire;

/// What can happen to a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Damage {
    /// It does not arrive, nor do so many after it.
    Drop(u8),
    /// It arrives twice.
    Double,
    /// One of its bits is another.
    Flip(u8),
    /// It arrives after so many that follow it.
    Late(u8),
    /// Before it arrives one that nobody sent.
    Insert(u8),
    /// The whole message it belongs to does not arrive.
    DropMessage,
}

/// A cable that does damage: at which byte from the start, and what.
struct Damaged {
    inner: VirtualCable,
    plan: BTreeMap<u64, Damage>,
    /// Damage is done only between these times.
    from: Millis,
    until: Millis,
    /// Bytes so far.
    count: u64,
    drop: u64,
    /// Bytes that come later, and after how many others.
    late: VecDeque<(u64, u8)>,
    /// The plies of which news were damaged.
    plies: BTreeSet<u32>,
}

impl Damaged {
    fn harm(&mut self, now: Millis, bytes: &[u8], ply: u32) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 4);
        let range = self.count..self.count + bytes.len() as u64;
        let harmful = (self.from..self.until).contains(&now);
        let whole = harmful && self.plan.range(range).any(|(_, damage)| *damage == Damage::DropMessage);
        for &byte in bytes {
            let damage = self.plan.get(&self.count).filter(|_| harmful);
            self.count += 1;
            if damage.is_some() || whole || self.drop > 0 {
                self.plies.insert(ply);
            }
            match damage {
                _ if whole => {}
                Some(Damage::Drop(more)) => self.drop = self.drop.max(u64::from(*more) + 1),
                Some(Damage::Double) => out.push(byte),
                Some(Damage::Late(others)) => self.late.push_back((self.count + u64::from(*others), byte)),
                Some(Damage::Insert(other)) => out.push(*other),
                _ => {}
            }
            let late = matches!(damage, Some(Damage::Late(_)));
            if whole || self.drop > 0 {
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

    fn take(&mut self, now: Millis) -> Vec<HostInput> {
        let said = self.inner.take(now);
        said.into_iter()
            .map(|said| match said {
                HostInput::Bytes(bytes, ply) => HostInput::Bytes(self.harm(now, &bytes, ply), ply),
                other => other,
            })
            .collect()
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.inner.send(now, bytes);
    }
}

/// Club hands that stop when the game is over: the next start position would be the next game.
static CASUAL: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLUB.rates }, ..CLUB };
static TIDY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLEAN.rates }, ..CLEAN };
static HASTY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..BLITZ.rates }, ..BLITZ };

static GAMES: LazyLock<Vec<SourceGame>> = LazyLock::new(|| random_games(24, 60));

/// How long the board is left alone after the game, in milliseconds: longer than it takes for the arbiter to be told that a
/// board in disorder has nothing to do with the record.
const QUIET: Millis = 67_000;

/// A game and what happens to its bytes.
#[derive(Clone, Debug)]
struct Case {
    game: usize,
    seed: u64,
    profile: &'static HandsProfile,
    clock: bool,
    /// The start position is read before the damage begins.
    begun: bool,
    /// Where, counted in bytes, and what.
    plan: BTreeMap<u64, Damage>,
    /// The damage ends at this thousandth of the game.
    until: u64,
}

/// What became of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// It is the game.
    Right,
    /// It is not, and an alert stands, or a move is marked as not legal.
    Alert,
    /// There is none: the start position was not read, and what is played before it is read is no game.
    Unseen,
    /// A game was seen to begin, and neither a clock nor a move: what stands there may be anything.
    Unmoved,
    /// The board agrees with it, and news of a move were damaged not further from where it begins to be wrong than a line is
    /// searched for: the same position came about by another way, and no board can tell.
    Swallowed,
    /// It is not, and nobody says so.
    Wrong,
}

struct Ran {
    outcome: Outcome,
    /// What happened, for a person.
    told: String,
}

fn run(case: &Case) -> Ran {
    let game = &GAMES[case.game];
    let scene = SimulationSetup {
        profile: case.profile,
        clock: case.clock,
        rotation: Rotation::Upright,
        clock_turned: false,
        seed: case.seed,
    };
    let stage = Simulation::new("dgt", game, &scene).expect("there is a virtual DGT board");
    let truth: Vec<String> = stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let (over_at, ends_at) = (stage.truth().over_at, stage.ends_at());
    let first_touch = stage.truth().plies.first().map_or(0, |ply| ply.touched_at);
    let mut cable = Damaged {
        inner: VirtualCable::new(stage),
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
    run::play(&mut cable, &mut *(model.protocol)(), &mut table, ends_at + QUIET, &mut |_, moment| {
        if let RunEvent::Event(stamped) = moment {
            events.push(stamped.clone());
        }
    });
    let record = fold(&events);
    assert_eq!(record.as_ref(), table.record(), "the record is what its events say");
    let told: Vec<String> = events.iter().filter(|told| told.event.is_durable()).map(wire::to_json).collect();
    let told = format!("damage from {} to {} ms\ntruth: {}\n{}", cable.from, cable.until, truth.join(" "), told.join("\n"));
    let outcome = match &record {
        None => Outcome::Unseen,
        Some(record) if record.plies.iter().map(|ply| &ply.played.uci).eq(&truth) => Outcome::Right,
        Some(record) if !record.alerts.is_empty() || marked(record) => Outcome::Alert,
        Some(record) if record.plies.is_empty() && !case.clock => Outcome::Unmoved,
        Some(record) => {
            const REACH: u32 = 3;
            let same = record.plies.iter().zip(&truth).take_while(|(ply, uci)| ply.played.uci == **uci).count();
            let end = game.position(game.plies.len()).fen();
            // Pieces and turn.
            let agrees = record.fen().split(' ').take(2).eq(end.split(' ').take(2));
            let wrong = same as u32 + 1;
            let damaged = cable.plies.range(wrong.saturating_sub(REACH).max(1)..=wrong + REACH).next().is_some();
            if agrees && damaged { Outcome::Swallowed } else { Outcome::Wrong }
        }
    };
    Ran { outcome, told }
}

/// A move of the record is told not to be legal: the arbiter looks.
fn marked(record: &Record) -> bool {
    record.plies.iter().any(|ply| ply.played.irregular)
}

/// The record that events tell, with every promise about events checked.
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

/// One damage in about so many bytes.
fn case(apart: usize, hands: &'static [&'static HandsProfile]) -> impl Strategy<Value = Case> {
    const LONGEST: usize = 6_000;
    let plan = prop::collection::vec((0..LONGEST as u64, damage()), LONGEST / apart);
    let hands = prop::sample::select(hands);
    let setting = (0..GAMES.len(), 0u64..1000, hands, any::<bool>(), any::<bool>(), 500u64..=1000);
    (setting, plan).prop_map(|((game, seed, profile, clock, begun, until), plan)| {
        let plan = plan.into_iter().collect();
        Case { game, seed, profile, clock, begun, plan, until }
    })
}

static UNHURRIED: &[&HandsProfile] = &[&TIDY, &CASUAL];
static HURRIED: &[&HandsProfile] = &[&HASTY];

/// One damage in about so many bytes; at least so many in a hundred records right, and at most so many swallowed. The cases
/// are the same in each run; `PROPTEST_CASES` asks for more.
#[track_caller]
fn check(apart: usize, hands: &'static [&'static HandsProfile], right: usize, swallowed: usize) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let counts: RefCell<BTreeMap<Outcome, usize>> = RefCell::default();
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&case(apart, hands), |case| {
        let ran = run(&case);
        *counts.borrow_mut().entry(ran.outcome).or_default() += 1;
        let silent = ran.outcome == Outcome::Wrong || (case.begun && ran.outcome == Outcome::Unseen);
        prop_assert!(!silent, "{:?}\n{}", ran.outcome, ran.told);
        Ok(())
    });
    println!("one damage in {apart} bytes: {:?}", counts.borrow());
    if let Err(failed) = outcome {
        panic!("one damage in {apart} bytes: {failed}");
    }
    let count = |outcome| counts.borrow().get(&outcome).copied().unwrap_or(0) * 100;
    let cases = cases as usize;
    assert!(count(Outcome::Right) >= right * cases, "one damage in {apart} bytes: too few are right: {counts:?}");
    assert!(count(Outcome::Swallowed) <= swallowed * cases, "one damage in {apart} bytes: too many swallowed: {counts:?}");
}

#[test]
fn rare_damage_is_got_over() {
    check(2_000, UNHURRIED, 95, 1);
}

#[test]
fn damage_in_every_few_moves_is_mostly_got_over() {
    check(500, UNHURRIED, 85, 1);
}

#[test]
fn damage_in_every_move_is_told() {
    check(100, UNHURRIED, 40, 2);
}

/// No pause comes in which the arbiter could be told.
#[test]
fn damage_in_every_move_of_a_blitz_game_is_told() {
    check(100, HURRIED, 5, 2);
}

#[test]
fn damage_in_every_message_is_told() {
    check(20, UNHURRIED, 0, 2);
    check(5, UNHURRIED, 0, 2);
}

/// A line on which there is only noise at first, then a board and a game.
struct Noisy {
    noise: VecDeque<(Millis, Vec<u8>)>,
    /// The noise ends, and the board begins to answer.
    ends: Millis,
    inner: VirtualCable,
    plugged: bool,
}

impl Noisy {
    /// So many bytes, cut into pieces of about this length, half of them bytes that messages of a DGT board begin with.
    fn new(inner: VirtualCable, bytes: usize, piece: usize, rng: &mut Rng) -> Noisy {
        const TELLING: [u8; 12] = [0x8e, 0x86, 0x8d, 0x8f, 0xa0, 0x93, 0x00, 0x05, 0x43, 0x0a, 0x01, 0x0c];
        let mut noise = VecDeque::new();
        let (mut at, mut left) = (0, bytes);
        while left > 0 {
            let length = (1 + rng.below(2 * piece as u64 - 1) as usize).min(left);
            let byte = |rng: &mut Rng| if rng.chance(500) { rng.pick(&TELLING).unwrap_or(0) } else { rng.bits() as u8 };
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

    fn take(&mut self, now: Millis) -> Vec<HostInput> {
        let mut said = Vec::new();
        if !std::mem::replace(&mut self.plugged, true) {
            said.push(HostInput::Link(LinkState::Up));
        }
        while let Some((_, bytes)) = self.noise.pop_front_if(|(at, _)| *at <= now) {
            said.push(HostInput::Bytes(bytes, 0));
        }
        if let Some(since) = now.checked_sub(self.ends) {
            // The cable was there all the time.
            said.extend(self.inner.take(since).into_iter().filter(|said| !matches!(said, HostInput::Link(_))));
        }
        said
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        if let Some(since) = now.checked_sub(self.ends) {
            self.inner.send(since, bytes);
        }
    }
}

#[test]
fn after_a_million_random_bytes_the_game_is_read() {
    let mut rng = Rng::new(17, 0);
    for (game, piece) in GAMES.iter().zip([1, 3, 16, 64, 1000]) {
        let scene = SimulationSetup {
            profile: &TIDY,
            clock: true,
            rotation: Rotation::Upright,
            clock_turned: false,
            seed: piece as u64,
        };
        let stage = Simulation::new("dgt", game, &scene).expect("there is a virtual DGT board");
        let truth: Vec<String> = stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
        let lasts = stage.ends_at();
        let mut cable = Noisy::new(VirtualCable::new(stage), 200_000, piece, &mut rng);
        let until = cable.ends + lasts;
        let model = boards::model("dgt").expect("there is a DGT board");
        let mut table = Table::new(Settings::default());
        let mut events = Vec::new();
        run::play(&mut cable, &mut *(model.protocol)(), &mut table, until, &mut |_, moment| {
            if let RunEvent::Event(stamped) = moment {
                events.push(stamped.clone());
            }
        });
        let record = fold(&events).expect("a game was played");
        assert_eq!(Some(&record), table.record(), "the record is what its events say");
        let played: Vec<&str> = record.plies.iter().map(|ply| ply.played.uci.as_str()).collect();
        assert_eq!(played, truth, "noise in pieces of about {piece}");
        assert_eq!(record.alerts, [], "noise in pieces of about {piece}");
    }
}
