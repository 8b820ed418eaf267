//! The cost of boards of each model: how fast their bytes are decoded, and the share of one core that a board needs during a game,
//! with decoding and inference.

mod common;

use common::{line, long_game, verdict};
use std::time::{Duration, Instant};
use touchmove::boards::{Address, BOARDS, LinkState, Millis, Model};
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, HostInput, RunEvent, VirtualCable};
use touchmove::simulate::hands::CLUB;
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Input, Settings, Table};

/// How often each is measured.
const ROUNDS: u32 = 10;
/// The share of one core that a board may take, in percent.
const GOAL: f64 = 0.2;

/// Chunks of bytes, each with its time.
type Chunks = Vec<(Millis, Vec<u8>)>;

fn main() {
    println!("a game of 103 plies on a board of each model:");
    for model in BOARDS {
        let Some((chunks, duration)) = simulated(model) else { continue };
        let bytes: usize = chunks.iter().map(|(_, bytes)| bytes.len()).sum();
        let decoding = best(|| decode(model, &chunks));
        let total = best(|| follow(model, &chunks));
        let share = total.as_secs_f64() * 1e5 / duration as f64;
        let rate = bytes as f64 / decoding.as_secs_f64() / 1e6;
        let sent = bytes as f64 * 1000.0 / duration as f64;
        line(
            &format!("{}: {sent:.0} bytes/s", model.title),
            format!("decodes {rate:.0} MB/s; {share:.3} % of a core (goal: under {GOAL} %: {})", verdict(share < GOAL)),
        );
    }
}

/// The shortest of several times: disturbances only make a time longer.
fn best(mut measure: impl FnMut() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| measure()).min().unwrap_or_default()
}

/// The bytes that a board sends in the game, and how long the game takes.
fn simulated(model: &'static Model) -> Option<(Chunks, Millis)> {
    let setup = SimulationSetup { profile: &CLUB, clock: true, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
    let simulation = Simulation::new(model.name, &long_game(), &setup)?;
    let (until, mut chunks) = (simulation.ends_at(), Vec::new());
    let mut table = Table::new(settings(model));
    run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, until, &mut |now, run_event| {
        if let RunEvent::Input(HostInput::Bytes(bytes, _)) = run_event {
            chunks.push((now, bytes.clone()));
        }
    });
    Some((chunks, until))
}

fn settings(model: &Model) -> Settings {
    Settings { sensing: model.sensing, ..Settings::default() }
}

fn decode(model: &Model, chunks: &[(Millis, Vec<u8>)]) -> Duration {
    let mut protocol = (model.protocol)();
    protocol.link(0, LinkState::Up);
    let began = Instant::now();
    for (at, bytes) in chunks {
        protocol.receive(*at, bytes);
        while std::hint::black_box(protocol.poll_reading()).is_some() {}
        while std::hint::black_box(protocol.poll_write()).is_some() {}
    }
    began.elapsed()
}

fn follow(model: &Model, chunks: &[(Millis, Vec<u8>)]) -> Duration {
    let (mut protocol, mut table) = ((model.protocol)(), Table::new(settings(model)));
    protocol.link(0, LinkState::Up);
    table.handle(0, Input::Link(LinkState::Up));
    let began = Instant::now();
    for (at, bytes) in chunks {
        std::hint::black_box(table.advance(*at));
        while protocol.next_deadline().is_some_and(|due| due <= *at) {
            let before = protocol.next_deadline();
            protocol.timeout(*at);
            if protocol.next_deadline() == before {
                break;
            }
        }
        protocol.receive(*at, bytes);
        while let Some((_, reading)) = protocol.poll_reading() {
            for command in table.handle(*at, Input::Reading(reading)).commands {
                let _ = protocol.execute(*at, Address::ONLY, command);
            }
        }
        while std::hint::black_box(protocol.poll_write()).is_some() {}
    }
    began.elapsed()
}
