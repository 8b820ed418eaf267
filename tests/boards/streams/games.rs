//! Complete games on the virtual boards of these families.

use std::path::Path;
use touchmove::boards::{BOARDS, SensorKind, model};
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, RunEvent, VirtualCable};
use touchmove::lab::{options::SimulationOptions, score};
use touchmove::simulate::hands::{CLEAN, CLUB, HandsProfile};
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::{Simulation, SimulationSetup};

const BOARD_NAMES: [&str; 5] = ["certabo", "cerno", "sentio", "reed", "matrix"];

/// A short game with two captures that lead to a second queen, castling and en passant.
const SHORT: &str = "[Result \"1-0\"]\n\n1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Bd7 5. bxa8=Q Qb6 6. Nf3 e5 7. Be2 Bc5 8. O-O O-O \
    9. Qxa7 e4 10. d4 exd3 11. Qxb6 dxe2 12. Qxe2 1-0\n";

pub fn opera() -> SourceGame {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/ctl/demo/opera.pgn"));
    pgn::read(text).games.remove(0)
}

#[track_caller]
fn check(game: &SourceGame, name: &str, profile: HandsProfile, rotation: Rotation, seed: u64) -> score::Outcome {
    let setting = SimulationOptions { board: name.to_owned(), profile, inject: Vec::new(), clock: false, rotation };
    let outcome = score::play(game, seed, &setting, &score::ScoreOptions::default()).unwrap();
    let figures = &outcome.ours;
    assert!(figures.exact, "{name}, {rotation:?}, seed {seed}, game {}: {:?}", game.number, figures.failure);
    outcome
}

#[test]
fn every_model_has_a_virtual_board() {
    let setup = SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
    for name in BOARD_NAMES {
        assert!(BOARDS.iter().any(|model| model.name == name) && Simulation::new(name, &opera(), &setup).is_some(), "{name}");
    }
}

#[test]
fn clean_games_are_decoded_exactly() {
    let short = pgn::read(SHORT).games.remove(0);
    assert_eq!(short.plies.len(), 23);
    for name in BOARD_NAMES {
        for (game, seed) in [(&opera(), 1), (&opera(), 2), (&short, 3), (&short, 4)] {
            for rotation in [Rotation::Upright, Rotation::Turned] {
                let figures = check(game, name, CLEAN, rotation, seed).ours;
                // The unknown chip of a promoted piece may be in any piece, which is reported.
                let promotions = game.plies.iter().filter(|ply| ply.mv.is_promotion()).count();
                let expect = if matches!(name, "certabo" | "cerno") { promotions } else { 0 };
                assert_eq!(figures.alerts as usize, expect, "{name}");
                if model(name).unwrap().sensing == SensorKind::Identity {
                    assert_eq!(figures.retracted, 0, "{name}");
                }
            }
        }
    }
}

#[test]
fn club_games_on_a_damaged_line_are_decoded_exactly_on_boards_that_read_chips() {
    for seed in 1..=3 {
        let mut profile = CLUB;
        (profile.rates.lost_byte, profile.rates.garbled_byte) = (30, 30);
        check(&opera(), "certabo", profile, Rotation::Upright, seed);
        profile = CLEAN;
        (profile.rates.lost_byte, profile.rates.garbled_byte) = (30, 30);
        for name in ["cerno", "sentio", "reed"] {
            check(&opera(), name, profile, Rotation::Turned, seed);
        }
    }
}

/// The shared games, if they are present.
#[test]
fn shared_games_are_decoded_exactly() {
    for file in ["worldcup2025.pgn", "clubcup2018.pgn", "blitz-online.pgn"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/games").join(file);
        let Ok(text) = std::fs::read(&path) else {
            eprintln!("SKIPPED: there is no {}", path.display());
            continue;
        };
        let games = pgn::read(&String::from_utf8_lossy(&text)).games;
        for name in BOARD_NAMES {
            for (seed, game) in (1..).zip(games.iter().take(2)) {
                check(game, name, CLEAN, Rotation::Upright, seed);
            }
        }
    }
}

/// Virtual boards send what real ones send: lines of the right length, at the speed of the line, with garbage on empty squares.
#[test]
fn virtual_boards_send_what_real_ones_send() {
    for (name, numbers) in [("certabo", 320), ("cerno", 320), ("sentio", 8)] {
        let setup =
            SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 5 };
        let mut simulation = Simulation::new(name, &opera(), &setup).unwrap();
        simulation.receive(0, &[0; 8]);
        let chunks = simulation.advance(60_000);
        assert!(chunks.is_sorted_by_key(|chunk| chunk.at));
        assert!(chunks.iter().all(|chunk| chunk.bytes.len() <= 64));
        let bytes: Vec<u8> = chunks.into_iter().flat_map(|chunk| chunk.bytes).collect();
        assert!(bytes.len() < 60 * 3_840, "{} bytes in a minute at 38400 Bd", bytes.len());
        let text: String = bytes.iter().filter(|byte| **byte != b'\n').map(|byte| char::from(*byte)).collect();
        // The last line is not complete yet.
        let (text, _) = text.rsplit_once('\r').unwrap();
        let lines: Vec<&str> = text.split('\r').filter_map(|line| line.strip_prefix(':')).collect();
        assert!(lines.len() > 150, "{name}: {} frames", lines.len());
        let counts: Vec<usize> = lines.iter().map(|line| line.split_whitespace().count()).collect();
        assert!(counts.iter().all(|count| *count == numbers), "{name}");
        if numbers == 320 {
            // Ranks 6 to 3 of the frames before the first move.
            let ids = lines[..7].iter().flat_map(|line| {
                let numbers: Vec<&str> = line.split_whitespace().collect();
                numbers.chunks(5).skip(16).take(32).map(|id| id.iter().any(|number| *number != "0")).collect::<Vec<_>>()
            });
            let ids: Vec<bool> = ids.collect();
            let garbage = ids.iter().filter(|id| **id).count() * 1000 / ids.len();
            assert!((150..320).contains(&garbage), "{garbage} of 1000 empty squares read garbage");
        }
    }
}

/// The same board, hands and seed give the same bytes, and what a simulation records replays to the same game.
#[test]
fn a_recorded_simulation_replays() {
    let setup = SimulationSetup { profile: &CLUB, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 5 };
    for name in BOARD_NAMES {
        let listen = || {
            let mut inputs = Vec::new();
            let model = model(name).unwrap();
            let settings = touchmove::table::Settings { sensing: model.sensing, ..Default::default() };
            let simulation = Simulation::new(name, &opera(), &setup).unwrap();
            let until = simulation.ends_at();
            let mut table = touchmove::table::Table::new(settings);
            run::play(
                &mut VirtualCable::new(simulation),
                &mut *(model.protocol)(),
                &mut table,
                until,
                &mut |now, run_event| {
                    if let RunEvent::Input(input) = run_event {
                        inputs.push((now, input.clone()));
                    }
                },
            );
            inputs
        };
        assert!(listen() == listen(), "{name}");
    }
}
