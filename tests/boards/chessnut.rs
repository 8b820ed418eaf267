//! Chessnut boards: received reports and the placements in them; the sent commands and their times; complete games on the
//! virtual board.

use crate::core::simulate::random_games;
use proptest::prelude::*;
use shakmaty::Square;
use std::path::Path;
use touchmove::boards::chessnut::{self, REPORT_TIMEOUT, SILENCE_TIMEOUT, WRITE_INTERVAL};
use touchmove::boards::{
    Address, Battery, BoardCommand, Identity, LinkState, Millis, Protocol, ProtocolError, Reading, SquareState, Unsupported,
};
use touchmove::game::event::Rotation;
use touchmove::lab::{options::SimulationOptions, run, score};
use touchmove::simulate::hands::{CLEAN, CLUB};
use touchmove::simulate::{Simulation, SimulationSetup, chessnut::VirtualChessnut};
use touchmove::table::{Settings, Table};

/// The squares of the start position in the maker's encoding.
const START: &str = "58233185 44444444 00000000 00000000 00000000 00000000 77777777 a6c99b6a";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// A board report as it is received over USB.
fn report(squares: &str) -> Vec<u8> {
    let mut report = bytes(&format!("01 3d {squares}"));
    report.resize(63, 0);
    report
}

struct Bench {
    board: Box<dyn Protocol>,
    now: Millis,
}

impl Bench {
    /// A board that is plugged in; the initialization has been sent.
    fn up() -> Bench {
        let mut bench = Bench { board: (chessnut::MODEL.protocol)(), now: 0 };
        bench.board.link(0, LinkState::Up);
        bench.sent();
        bench
    }

    fn sent(&mut self) -> Vec<(Millis, Vec<u8>)> {
        std::iter::from_fn(|| self.board.poll_write()).map(|write| (write.at, write.bytes)).collect()
    }

    fn receive(&mut self, chunk: &[u8]) -> Vec<Reading> {
        self.board.receive(self.now, chunk);
        self.readings()
    }

    fn readings(&mut self) -> Vec<Reading> {
        super::readings(&mut *self.board)
    }

    /// Advances the time, deadline by deadline.
    fn advance(&mut self, until: Millis) -> Vec<(Millis, Vec<u8>)> {
        let mut sent = Vec::new();
        while let Some(at) = self.board.next_deadline().filter(|&at| at <= until) {
            assert!(at >= self.now, "a deadline in the past");
            self.now = at;
            self.board.timeout(at);
            assert!(self.board.next_deadline().is_none_or(|next| next > at), "a deadline that stays");
            sent.extend(self.sent());
        }
        self.now = until;
        sent
    }
}

/// The first field of a FEN of each placement.
fn fen(readings: &[Reading]) -> Vec<String> {
    let board = |reading: &Reading| match reading {
        Reading::Placement(placement) => {
            let mut board = shakmaty::Board::empty();
            for (square, sensed) in Square::ALL.into_iter().zip(placement.iter()) {
                if let SquareState::Piece(piece) = sensed {
                    board.set_piece_at(square, *piece);
                }
            }
            Some(board.to_string())
        }
        _ => None,
    };
    readings.iter().filter_map(board).collect()
}

const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[test]
fn other_messages_are_decoded() {
    let battery = |percent, charging| Reading::Battery(Battery { percent, charging: Some(charging) });
    let garbage = |count| Reading::ProtocolError(ProtocolError::Garbage(count));
    let cases: Vec<(&str, Vec<Reading>)> = vec![
        ("2a 02 64 01", vec![battery(100, true)]),
        ("2a 02 58 00", vec![battery(88, false)]),
        ("2a 02 d8 00", vec![battery(88, true)]),
        ("2a 02 00 00", vec![]),
        ("41 03 0c 01 64", vec![battery(100, true)]),
        ("41 03 0c 00 09", vec![battery(9, false)]),
        ("28 04 31 2e 30 00 00 00 00", vec![Reading::Identity(Identity::Version("1.0".to_owned()))]),
        ("28 03 00 00 00", vec![]),
        ("23 01 00", vec![]),
        ("23 01 01", vec![]),
        ("37 01 be", vec![]),
        ("32 01 05", vec![]),
        ("00 00 00 00", vec![]),
        ("", vec![]),
        ("77 66 55", vec![garbage(3)]),
        ("77 66 55 00 2a 02 58 00", vec![garbage(3), battery(88, false)]),
        // Incomplete messages.
        ("2a 02 58", vec![]),
        ("01 3d 58", vec![]),
        ("01 25 58", vec![garbage(3)]),
    ];
    for (frame, expect) in cases {
        assert_eq!(Bench::up().receive(&bytes(frame)), expect, "{frame}");
    }
}

#[test]
fn squares_are_decoded() {
    assert_eq!(fen(&Bench::up().receive(&report(START))), [START_FEN]);
    // h8 comes first, in the low half; a1 last, in the high half.
    for (squares, fen_expected) in [
        (format!("08{}", "0".repeat(62)), "7r/8/8/8/8/8/8/8"),
        (format!("80{}", "0".repeat(62)), "6r1/8/8/8/8/8/8/8"),
        (format!("{}b0", "0".repeat(62)), "8/8/8/8/8/8/8/Q7"),
        (format!("{}c0", "0".repeat(30)) + &"0".repeat(32), "8/8/8/K7/8/8/8/8"),
    ] {
        assert_eq!(fen(&Bench::up().receive(&report(&squares))), [fen_expected]);
    }
}

#[test]
fn only_changes_are_passed_on() {
    let mut bench = Bench::up();
    assert_eq!(bench.receive(&report(START)).len(), 1);
    assert_eq!(bench.receive(&report(START)), []);
    let mut counted = report(START);
    counted[40] = 7;
    assert_eq!(bench.receive(&counted), [], "bytes after the squares are not a change");
    assert_eq!(bench.board.execute(0, Address::ONLY, BoardCommand::Placement), Ok(()));
    assert_eq!(fen(&bench.receive(&report(START))), [START_FEN], "the placement was requested");
    // An invalid piece code: the whole report is discarded.
    let detail = "piece code d on c8".to_owned();
    assert_eq!(
        bench.receive(&report(&START.replacen("8233185", "823d185", 1))),
        [Reading::ProtocolError(ProtocolError::InvalidContent(detail))]
    );
    assert_eq!(bench.receive(&report(START)), []);
}

/// A truncated message does not hide the message after it.
#[test]
fn a_truncated_report_is_garbage() {
    let complete = report(START);
    for cut in 1..complete.len() {
        let mut bench = Bench::up();
        assert_eq!(bench.receive(&complete[..cut]), [], "{cut}");
        let read = bench.receive(&complete);
        assert_eq!(fen(&read), [START_FEN], "{cut}");
        assert_eq!(read.first(), Some(&Reading::ProtocolError(ProtocolError::Garbage(cut))), "{cut}");
    }
}

#[test]
fn the_initialization_is_paced() {
    let mut board = (chessnut::MODEL.protocol)();
    board.link(1000, LinkState::Up);
    let sent: Vec<_> = std::iter::from_fn(|| board.poll_write()).map(|write| (write.at, write.bytes)).collect();
    let at = |nth| 1000 + nth * WRITE_INTERVAL;
    let dark = bytes("0a 08 00 00 00 00 00 00 00 00");
    assert_eq!(sent, [(at(0), vec![0x21, 1, 0]), (at(1), vec![0x27, 1, 1]), (at(2), vec![0x29, 1, 0]), (at(3), dark)]);
    board.link(2000, LinkState::Down);
    assert_eq!(board.next_deadline(), None);
}

#[test]
fn lights_are_paced() {
    let mut bench = Bench::up();
    bench.now = 4 * WRITE_INTERVAL;
    bench.board.execute(bench.now, Address::ONLY, BoardCommand::Lights(vec![Square::E2, Square::E4])).unwrap();
    assert_eq!(bench.sent(), [(800, bytes("0a 08 00 00 00 00 08 00 08 00"))]);
    // Only the last request before the next possible write is sent.
    for squares in [vec![Square::A1], vec![Square::H8, Square::A8], vec![]] {
        bench.board.execute(bench.now + 1, Address::ONLY, BoardCommand::Lights(squares)).unwrap();
        assert_eq!(bench.sent(), []);
    }
    assert_eq!(bench.advance(1000), [(1000, bytes("0a 08 00 00 00 00 00 00 00 00"))]);
    bench.board.execute(1_100, Address::ONLY, BoardCommand::Beep).unwrap();
    assert_eq!(bench.sent(), [(1_200, bytes("0b 04 03 e8 00 c8"))]);
    for command in [BoardCommand::Memory, BoardCommand::ClockText("hello".to_owned())] {
        assert_eq!(bench.board.execute(0, Address::ONLY, command), Err(Unsupported));
    }
}

#[test]
fn silence_is_reported_once_and_reports_are_requested_again() {
    let mut bench = Bench::up();
    bench.advance(1_000);
    bench.receive(&report(START));
    let mut sent = bench.advance(1_000 + SILENCE_TIMEOUT + 2 * REPORT_TIMEOUT);
    let requested_at: Vec<Millis> = sent.iter().map(|(at, _)| *at).collect();
    assert_eq!(requested_at, [3_000, 5_000, 7_000, 9_000]);
    assert!(sent.drain(..).all(|(_, bytes)| bytes == [0x21, 1, 0]));
    assert_eq!(bench.readings(), [Reading::ProtocolError(ProtocolError::Silent(SILENCE_TIMEOUT as u32))]);
    // An acknowledgement does not end the silence.
    assert_eq!(bench.receive(&[0x23, 1, 0]), []);
    assert_eq!(bench.receive(&report(START)), [Reading::ProtocolError(ProtocolError::Recovered)]);
    assert_eq!(bench.readings(), []);
}

#[test]
fn the_battery_is_requested_periodically() {
    let mut bench = Bench::up();
    let mut requested = Vec::new();
    for now in (1_000..1_900_000).step_by(200) {
        requested.extend(bench.advance(now));
        bench.receive(&report(START));
    }
    assert_eq!(requested, [600_000, 1_200_000, 1_800_000].map(|at| (at, vec![0x29, 1, 0])));
}

/// Test data of other authors. Their frames were received over radio: short, joined and split.
#[test]
fn frames_of_other_projects() {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/sensor/device-frames.json"));
    let Ok(text) = std::fs::read_to_string(file) else {
        return eprintln!("SKIPPED: there is no {}", file.display());
    };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let list = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let mut checked = 0;
    for case in cases.iter().filter(|case| case["board"] == "chessnut") {
        let name = case["test"].as_str().unwrap();
        let mut bench = Bench::up();
        let read: Vec<Reading> = list(&case["chunks"]).iter().flat_map(|chunk| bench.receive(&bytes(chunk))).collect();
        let mut expect = list(&case["expect_placement"]);
        // The board's orientation is detected elsewhere: here squares are in the board's own coordinates, so the placement is
        // turned by 180°.
        if name.contains("reversed") {
            expect = vec!["RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr".to_owned()];
        }
        assert_eq!(fen(&read), expect, "{name}");
        let battery = read.iter().any(|reading| matches!(reading, Reading::Battery(_)));
        assert_eq!(battery, name.contains("battery"), "{name}");
        checked += 1;
    }
    assert!(checked > 15, "{checked}");
}

#[test]
fn complete_games_are_recorded_exactly() {
    for game in &random_games(8, 100) {
        for rotation in [Rotation::Upright, Rotation::Turned] {
            let options =
                SimulationOptions { board: "chessnut".to_owned(), profile: CLEAN, inject: Vec::new(), clock: false, rotation };
            let figures = score::play_and_compare(game, 1, &options, None).unwrap();
            assert!(figures.exact, "game {}: {:?}", game.number, figures.failure);
        }
    }
}

/// Damaged reports of every kind: the moves after them are read, and only permitted commands are sent.
#[test]
fn games_with_damaged_reports_are_recorded() {
    struct Damaged {
        inner: run::VirtualCable,
        count: u64,
        sent: Vec<(Millis, Vec<u8>)>,
    }
    impl run::Cable for Damaged {
        fn next(&self) -> Option<Millis> {
            self.inner.next()
        }
        fn receive_until(&mut self, now: Millis) -> Vec<run::HostInput> {
            let mut inputs = Vec::new();
            for input in self.inner.receive_until(now) {
                let run::HostInput::Bytes(mut bytes, ply) = input else {
                    inputs.push(input);
                    continue;
                };
                self.count += 1;
                match self.count % 7 {
                    1 => bytes.truncate(self.count as usize % 60),
                    2 => bytes = vec![0xff; 64],
                    4 => bytes.resize(64, 0),
                    5 => bytes.iter_mut().skip(2 + self.count as usize % 30).take(1).for_each(|byte| *byte |= 0xee),
                    _ => {}
                }
                if !bytes.is_empty() {
                    inputs.push(run::HostInput::Bytes(bytes, ply));
                }
            }
            inputs
        }
        fn send(&mut self, now: Millis, bytes: &[u8]) {
            self.sent.push((now, bytes.to_vec()));
            self.inner.send(now, bytes);
        }
    }
    let game = &random_games(1, 80)[0];
    let setup = SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 5 };
    let simulation = Simulation::new("chessnut", game, &setup).unwrap();
    let truth: Vec<String> = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let until = simulation.ends_at();
    let mut cable = Damaged { inner: run::VirtualCable::new(simulation), count: 0, sent: Vec::new() };
    let mut table = Table::new(Settings::default());
    run::play(&mut cable, &mut *(chessnut::MODEL.protocol)(), &mut table, until, &mut |_, _| {});
    let record = table.record().expect("a game");
    let played: Vec<&str> = record.plies.iter().map(|ply| ply.played.uci.as_str()).collect();
    assert_eq!(played, truth);
    assert!(cable.sent.windows(2).all(|pair| pair[1].0 >= pair[0].0 + WRITE_INTERVAL), "{:?}", cable.sent);
}

#[test]
fn the_virtual_board_reports_after_it_is_enabled() {
    use touchmove::simulate::VirtualBoard;
    let setup = SimulationSetup { profile: &CLUB, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
    let mut board = VirtualChessnut::new(&setup, &[None; 64], 1);
    assert_eq!(board.advance(1_000), [], "it sends nothing before reports are enabled");
    board.receive(1_000, &[0x21, 1, 0]);
    board.receive(1_200, &bytes("0a 08 00 00 00 00 08 00 08 00"));
    let chunks = board.advance(1_650);
    let starts: Vec<(Millis, u8)> = chunks.iter().map(|chunk| (chunk.at, chunk.bytes[0])).collect();
    assert_eq!(starts, [(1_005, 0x23), (1_200, 1), (1_400, 1), (1_600, 1)]);
    assert_eq!(board.lit(), [0, 0, 0, 0, 8, 0, 8, 0]);
    board.receive(1_700, &[0x39, 1, 0]);
    assert_eq!(board.forbidden(), [[0x39, 1, 0]]);
}

proptest! {
    /// Whatever is received, the sent commands are harmless and paced, and the next report is read.
    #[test]
    fn any_bytes_are_survived(chunks in prop::collection::vec((0..3_000u64, prop::collection::vec(any::<u8>(), 0..80)), 0..40)) {
        let mut bench = Bench::up();
        bench.now = 1_000;
        let mut sent = Vec::new();
        for (wait, chunk) in chunks {
            sent.extend(bench.advance(bench.now + wait));
            bench.receive(&chunk);
            sent.extend(bench.sent());
        }
        bench.board.execute(bench.now, Address::ONLY, BoardCommand::Placement).unwrap();
        prop_assert_eq!(fen(&bench.receive(&report(START))), [START_FEN]);
        prop_assert!(sent.windows(2).all(|pair| pair[1].0 >= pair[0].0 + WRITE_INTERVAL));
        prop_assert!(sent.iter().all(|(_, bytes)| matches!(bytes[..], [0x21, 1, 0] | [0x29, 1, 0])), "{:?}", sent);
    }
}
