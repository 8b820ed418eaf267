//! Boards of several makers: frames, complete games on virtual boards, damaged lines.

use super::readings;
use crate::core::simulate::random_games;
use data_encoding::HEXLOWER;
use std::path::Path;
use touchmove::boards::{
    Address, Battery, BoardCommand, Identity, LinkState, Millis, Model, Protocol, ProtocolError, Reading, SensorKind,
    SquareState, centaur, ichessone, millennium, model,
};
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, RunEvent, VirtualCable};
use touchmove::simulate::hands::{CLEAN, HandsProfile, Rates};
use touchmove::simulate::ichessone::VirtualIChessOne;
use touchmove::simulate::millennium::{MillenniumKind, VirtualMillennium};
use touchmove::simulate::pgn::SourceGame;
use touchmove::simulate::{Simulation, SimulationSetup, VirtualBoard};
use touchmove::table::{Settings, Table};

static TIDY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLEAN.rates }, ..CLEAN };

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn up(model: &Model) -> Box<dyn Protocol> {
    let mut board = (model.protocol)();
    board.link(0, LinkState::Up);
    board
}

/// Everything that is sent until this time without an answer.
fn sent(board: &mut dyn Protocol, until: Millis) -> Vec<Vec<u8>> {
    let mut sent = Vec::new();
    loop {
        sent.extend(std::iter::from_fn(|| board.poll_write()).map(|write| write.bytes));
        let Some(at) = board.next_deadline().filter(|at| *at <= until) else { return sent };
        board.timeout(at);
        assert!(board.next_deadline().is_none_or(|next| next > at), "the deadline at {at} ms is still pending");
    }
}

/// The first field of the FEN of a placement, on a board in the orientation of its maker.
fn fen(reading: &Reading) -> Option<String> {
    let Reading::Placement(placement) = reading else { return None };
    let mut board = shakmaty::Board::empty();
    for (square, sensed) in shakmaty::Square::ALL.into_iter().zip(**placement) {
        if let SquareState::Piece(piece) = sensed {
            board.set_piece_at(square, piece);
        }
    }
    Some(board.to_string())
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Plays a game on a virtual board. Returns the moves on record, and the moves that were played.
fn play(model: &Model, simulation: Simulation) -> (Vec<String>, Vec<String>) {
    let truth = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let until = simulation.ends_at();
    let mut table = Table::new(Settings { sensing: model.sensing, ..Settings::default() });
    run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, until, &mut |_, _: RunEvent| {});
    let played = table.record().map(|record| record.plies.iter().map(|ply| ply.played.uci.clone()).collect());
    (played.unwrap_or_default(), truth)
}

fn setup(profile: &HandsProfile, rotation: Rotation) -> SimulationSetup<'_> {
    SimulationSetup { profile, clock: true, rotation, clock_turned: false, seed: 11 }
}

/// Random games; unless the board identifies pieces, only those without promotions.
fn games(count: u64, sensing: SensorKind) -> Vec<SourceGame> {
    let games = random_games(count, 60).into_iter();
    games.filter(|game| sensing == SensorKind::Identity || game.plies.iter().all(|ply| ply.mv.promotion().is_none())).collect()
}

#[test]
fn a_whole_game_on_each_board() {
    for name in ["dgt-bus", "millennium", "ichessone", "centaur"] {
        let model = model(name).unwrap();
        for rotation in [Rotation::Upright, Rotation::Turned] {
            for game in games(4, model.sensing) {
                let simulation = Simulation::new(name, &game, &setup(&TIDY, rotation)).expect("a virtual board");
                let (played, truth) = play(model, simulation);
                assert_eq!(played, truth, "{name}, {rotation:?}");
            }
        }
    }
}

/// A plain game is decoded exactly also on a board that senses only occupied squares.
#[test]
fn a_plain_game_on_a_centaur() {
    let text = "[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Bg4 6. h3 h5 *\n\n";
    let game = &touchmove::simulate::pgn::read(text).games[0];
    let (played, truth) = play(&centaur::MODEL, Simulation::new("centaur", game, &setup(&TIDY, Rotation::Upright)).unwrap());
    assert_eq!(played, truth);
}

#[test]
fn every_kind_of_chesslink() {
    for kind in [MillenniumKind::Exclusive, MillenniumKind::Performance, MillenniumKind::EOne, MillenniumKind::Imitation] {
        for game in random_games(2, 50) {
            let setup = setup(&TIDY, Rotation::Upright);
            let simulation = Simulation::with(&game, &setup, |script, stream| {
                VirtualMillennium::new(kind, &setup, &script.initial_pieces, stream)
            });
            let (played, truth) = play(&millennium::MODEL, simulation);
            assert_eq!(played, truth, "{kind:?}");
        }
    }
}

/// Lost and damaged bytes: most games are still read exactly, and nothing panics.
#[test]
fn damaged_lines() {
    let damaged = HandsProfile { rates: Rates { lost_byte: 10, garbled_byte: 10, ..TIDY.rates }, ..TIDY };
    for name in ["millennium", "ichessone", "centaur"] {
        let model = model(name).unwrap();
        let mut right = 0;
        let games = games(12, SensorKind::Occupancy);
        for game in &games {
            let (played, truth) = play(model, Simulation::new(name, game, &setup(&damaged, Rotation::Upright)).unwrap());
            right += usize::from(played == truth);
        }
        println!("{name}: {right} of {} games right", games.len());
        if model.sensing == SensorKind::Identity {
            assert!(right * 10 >= games.len() * 8, "{name}: {right} of {}", games.len());
        }
    }
}

#[test]
fn chesslink_frames() {
    let mut board = up(&millennium::MODEL);
    assert_eq!(sent(&mut *board, 0), [bytes("d3 b5 b3")]);
    // The start position as it comes with the cable on the right, with wrong parity, and cut anywhere.
    let status = "sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr";
    let check = status.bytes().fold(0, |sum, byte| sum ^ byte);
    let frame = format!("{status}{check:02X}");
    let (first, second) = frame.as_bytes().split_at(20);
    board.receive(10, first);
    board.receive(11, second);
    assert_eq!(readings(&mut *board).iter().map(fen).collect::<Vec<_>>(), [Some(START.to_owned())]);
    // In the maker's order of squares the board is turned round.
    let mut board = up(&millennium::MODEL);
    let real = "73 f2 6e 62 f1 6b 62 6e f2 70 70 70 70 70 70 70 70".to_owned()
        + &" ae".repeat(32)
        + " d0 d0 d0 d0 d0 d0 d0 d0 52 ce c2 51 cb c2 ce 52 37 b3";
    board.receive(10, &bytes(&real));
    let turned = "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr";
    assert_eq!(readings(&mut *board).iter().map(fen).collect::<Vec<_>>(), [Some(turned.to_owned())]);
    assert_eq!(
        std::iter::from_fn(|| board.poll_write()).map(|write| write.bytes).collect::<Vec<_>>()[1..],
        [bytes("d6 b5 b6")]
    );
    board.receive(20, &bytes("76 b0 31 b0 b3 37 34"));
    let version = Identity::Version("1.03".to_owned());
    let expected = [Reading::Identity(version), Reading::Identity(Identity::Text("Performance".to_owned()))];
    assert_eq!(readings(&mut *board), expected);
    // A setting is read, written once if it is wrong, and not again.
    assert_eq!(sent(&mut *board, 20), [bytes("52 b0 32 b5 b0")]);
    board.receive(30, b"r020070");
    // Lights that an earlier program left on are switched off.
    assert_eq!(sent(&mut *board, 30), [bytes("58 b5 38")]);
    board.receive(40, b"x40");
    assert_eq!(sent(&mut *board, 40), Vec::<Vec<u8>>::new(), "wrong check: ignored");
    board.receive(50, b"x78");
    assert_eq!(sent(&mut *board, 50), [bytes("57 b0 32 b0 b3 b5 b6")]);
}

#[test]
fn chesslink_lights() {
    let mut board = up(&millennium::MODEL);
    board.execute(0, Address::ONLY, BoardCommand::Lights(vec![shakmaty::Square::A1])).unwrap();
    let all: Vec<Vec<u8>> = sent(&mut *board, 10_000);
    let lights = all.iter().find(|bytes| bytes.len() == 167).expect("lights");
    let text: String = lights.iter().map(|byte| char::from(byte & 0x7f)).collect();
    let lit: Vec<usize> = (0..81).filter(|corner| text[3 + corner * 2..5 + corner * 2] == *"FF").collect();
    // In the maker's order a1 is the eighth square: the first rank of the last file.
    assert_eq!(lit, [63, 64, 72, 73]);
    board.execute(10_000, Address::ONLY, BoardCommand::Lights(Vec::new())).unwrap();
    assert!(sent(&mut *board, 12_000).contains(&bytes("58 b5 38")));
    assert!(board.execute(0, Address::ONLY, BoardCommand::Memory).is_err());
}

/// Only harmless commands, and one write to each setting while a board is plugged in, whatever it answers.
#[test]
fn chesslink_writes_once() {
    let mut board = up(&millennium::MODEL);
    let mut writes = 0;
    for now in (0..60_000).step_by(7) {
        board.receive(now, if now % 2 == 0 { b"r020070" } else { b"r000173" });
        for bytes in sent(&mut *board, now) {
            let text: Vec<u8> = bytes.iter().map(|byte| byte & 0x7f).collect();
            assert!(millennium::MODEL.may_send(&bytes), "{text:?}");
            writes += usize::from(text[0] == b'W');
        }
    }
    // Its other settings stay as they are.
    assert_eq!(writes, 1);
}

#[test]
fn ichessone_frames() {
    let mut board = up(&ichessone::MODEL);
    let dark = bytes("45 4c 80 0f 00 00 00 00 00 00 00 00 00 00 01 ff");
    assert_eq!(sent(&mut *board, 0), [b"CPIRQ".to_vec(), b"RP".to_vec(), b"RH".to_vec(), b"RB".to_vec(), dark]);
    board.receive(10, b"=hiChessOne 1.2\r\n=b\x01\x64");
    let battery = Reading::Battery(Battery { percent: 100, charging: Some(true) });
    assert_eq!(readings(&mut *board), [Reading::Identity(Identity::Text("iChessOne 1.2".to_owned())), battery]);
    let squares = vec![shakmaty::Square::E2, shakmaty::Square::E4];
    board.execute(10, Address::ONLY, BoardCommand::Lights(squares)).unwrap();
    assert_eq!(sent(&mut *board, 10), [bytes("45 4c 80 0f 00 00 00 00 00 10 00 10 00 00 01 ff")]);
}

/// A delayed board reads several commands at once, or a part of one.
#[test]
fn a_virtual_ichessone_reads_commands_however_they_arrive() {
    let reply = |chunks: &[&[u8]]| {
        let setup =
            SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
        let mut board = VirtualIChessOne::new(&setup, &[None; 64], 0);
        chunks.iter().for_each(|chunk| board.receive(0, chunk));
        assert_eq!(board.unknown(), b"?");
        board.advance(200).into_iter().flat_map(|chunk| chunk.bytes).collect::<Vec<u8>>()
    };
    let expected = reply(&[b"CPIRQ", b"RP", b"?", b"RB"]);
    assert!(expected.windows(4).any(|part| part == b"=b\x00\x58"), "{expected:?}");
    assert_eq!(reply(&[b"CPIRQRP?RB"]), expected);
    assert_eq!(reply(&[b"CP", b"IRQR", b"P?R", b"B"]), expected);
}

/// Frames that other authors wrote down.
#[test]
fn ichessone_frames_of_others() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/sensor/device-frames.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("SKIPPED: there is no {}", file.display());
        return;
    };
    let frames: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut count = 0;
    for frame in frames.iter().filter(|frame| frame["board"] == "ichessone") {
        let mut board = up(&ichessone::MODEL);
        let name = frame["test"].as_str().unwrap();
        let mut received = Vec::new();
        for (now, chunk) in (10..).zip(frame["chunks"].as_array().unwrap()) {
            board.receive(now, &HEXLOWER.decode(chunk.as_str().unwrap().as_bytes()).unwrap());
            received.extend(readings(&mut *board));
        }
        let shown: Vec<String> = received.iter().filter_map(fen).collect();
        let expect: Vec<&str> = frame["expect_placement"].as_array().unwrap().iter().map(|fen| fen.as_str().unwrap()).collect();
        match name {
            // The board is turned round: it reports what it senses, and the table session detects that.
            _ if name.contains("reversed") => assert_eq!(shown, ["RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr"], "{name}"),
            _ => assert_eq!(shown, expect, "{name}"),
        }
        if name.contains("battery") {
            assert!(received.iter().any(|reading| matches!(reading, Reading::Battery(_))), "{name}");
        }
        count += 1;
    }
    assert_eq!(count, 13);
}

#[test]
fn centaur_frames() {
    let mut board = up(&centaur::MODEL);
    assert_eq!(sent(&mut *board, 0), [vec![0x4d], bytes("87 00 00 07")]);
    board.receive(5, &bytes("87 00 06 06 50 63"));
    // Lights that an earlier program left on are switched off.
    assert_eq!(sent(&mut *board, 7), [bytes("b0 00 07 06 50 00 0d")]);
    assert_eq!(sent(&mut *board, 9), [bytes("82 06 50 58")]);
    let fields: String = (0..64).map(|field| if (16..48).contains(&field) { "00 " } else { "01 " }).collect();
    board.receive(10, &bytes(&format!("83 00 46 06 50 {fields} 3f")));
    let received = readings(&mut *board);
    let [Reading::Placement(placement)] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(placement.iter().filter(|sensed| **sensed == SquareState::Occupied).count(), 32);
    assert_eq!(sent(&mut *board, 12), [bytes("83 06 50 59")]);
    board.receive(15, &bytes("85 00 0a 06 50 40 34 41 24 3e"));
    let expected = [
        Reading::Square(shakmaty::Square::E2, SquareState::Empty),
        Reading::Square(shakmaty::Square::E4, SquareState::Occupied),
    ];
    assert_eq!(readings(&mut *board), expected);
    // The battery, lights, and what a lost answer leads to.
    let battery = sent(&mut *board, 60);
    assert_eq!(battery, [bytes("98 06 50 6e")]);
    board.receive(60, &bytes("b5 00 07 06 50 32 44"));
    assert_eq!(readings(&mut *board), [Reading::Battery(Battery { percent: 90, charging: Some(true) })]);
    board.execute(62, Address::ONLY, BoardCommand::Lights(vec![shakmaty::Square::E4])).unwrap();
    assert_eq!(sent(&mut *board, 62), [bytes("b0 00 0b 06 50 05 03 00 05 24 42")]);
    assert_eq!(sent(&mut *board, 65), [bytes("83 06 50 59")]);
    // A frame that is cut short, and one with a wrong checksum: changes may have been in them.
    board.receive(66, &bytes("85 00 08 06"));
    assert_eq!(sent(&mut *board, 200)[0], bytes("82 06 50 58"));
    assert_eq!(readings(&mut *board), [Reading::ProtocolError(ProtocolError::Garbage(4))]);
    board.receive(201, &bytes("85 00 08 06 50 41 33 00"));
    assert_eq!(readings(&mut *board), [Reading::ProtocolError(ProtocolError::Garbage(8))]);
}

/// Long noise on every line: nothing panics, and nothing harmful is sent to the board.
#[test]
fn noise() {
    let mut rng = touchmove::simulate::rng::Rng::new(3, 3);
    for model in [&millennium::MODEL, &ichessone::MODEL, &centaur::MODEL] {
        let mut board = up(model);
        let mut now = 0;
        let mut silences = 0;
        for _ in 0..20_000 {
            now += rng.below(40);
            let chunk: Vec<u8> = (0..rng.below(60)).map(|_| rng.bits() as u8).collect();
            board.receive(now, &chunk);
            for bytes in sent(&mut *board, now) {
                assert!(model.may_send(&bytes), "{}: {bytes:x?}", model.name);
            }
            silences += readings(&mut *board)
                .iter()
                .filter(|reading| matches!(reading, Reading::ProtocolError(ProtocolError::Silent(_))))
                .count();
        }
        println!("{}: {silences} times silent in {now} ms of noise", model.name);
    }
}
