//! Frames from the tests of other authors; skipped if they are absent.
//!
//! The frames come without their placements. There are two sets of chips in them, each with frames of the start position, from which
//! the set is learned. The placements of the other frames were derived from these chips by hand; each is a plausible position.

use super::*;
use std::path::Path;

/// The frames of a test, each with the `:` that some lack, or `None` if they are absent.
fn frames(test: &str) -> Option<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/sensor/device-frames.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("SKIPPED: there is no {}", path.display());
        return None;
    };
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let found =
        all.iter().find(|frame| frame["board"] == "certabo" && frame["test"] == test).unwrap_or_else(|| panic!("{test}"));
    let chunks = found["chunks"].as_array().unwrap().iter().map(|chunk| chunk.as_str().unwrap().to_owned());
    Some(chunks.map(|chunk| if test.starts_with("TestCalibrator") { format!(":{chunk}") } else { chunk }).collect())
}

/// A board that has learned the first set.
fn with_first_set() -> Option<Bench> {
    let mut bench = Bench::new("certabo");
    let frames = frames("TestCalibrator.test_calibration_complete")?;
    assert_eq!(frames.len(), certabo::LEARNING_FRAMES);
    let readings: Vec<Reading> = frames.iter().flat_map(|frame| bench.frame(frame.as_bytes())).collect();
    assert_eq!(readings, [placement_reading(START)], "32 chips, though every third empty square reads garbage");
    Some(bench)
}

#[test]
fn certabo_frames_of_others() {
    const CASES: [(&str, &str); 6] = [
        ("TestParser.test_parse_position", "r1bqkb1r/pppppppp/2n2n2/8/7R/8/PPPPPPP1/RNBQKBNP"),
        (
            "TestParser.test_parse_two_different_positions_calls_translate_twice",
            "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P2P/8/PPPP1PP1/RNBQKBNR",
        ),
        ("TestParser.test_parse_position_with_junk_in_front", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
        ("TestParser.test_certabo_has_piece_recognition", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
        ("TestParser.test_parse_position_in_two_parts", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPR/RNBQKBNP"),
        // One of its numbers is invalid: nothing is read.
        ("TestParser.test_parse_invalid", START),
    ];
    for (test, expect) in CASES {
        let (Some(mut bench), Some(frames)) = (with_first_set(), frames(test)) else { return };
        // The parts of a frame arrive one after the other, and frames at the pace of a board.
        let receive_frame = |bench: &mut Bench| {
            let mut readings = frames.iter().flat_map(|chunk| bench.receive(chunk.as_bytes())).collect::<Vec<_>>();
            readings.extend(bench.pass(bench.now + FRAME));
            readings
        };
        (0..3).for_each(|_| _ = receive_frame(&mut bench));
        bench.board.execute(bench.now, Address::ONLY, BoardCommand::Placement).unwrap();
        let readings = receive_frame(&mut bench);
        let placement = readings.iter().find(|reading| matches!(reading, Reading::Placement(_)));
        match test {
            "TestParser.test_parse_invalid" => {
                assert!(placement.is_none() && readings.iter().all(|reading| matches!(reading, Reading::ProtocolError(_))))
            }
            _ => assert_eq!(placement, Some(&placement_reading(expect)), "{test}"),
        }
    }
}

#[test]
fn certabo_frames_of_others_that_teach_nothing() {
    let Some(frames) = frames("TestCalibrator.test_calibration_incomplete") else { return };
    let mut bench = Bench::new("certabo");
    let readings: Vec<Reading> = frames.iter().flat_map(|frame| bench.frame(frame.as_bytes())).collect();
    assert_eq!(readings, [], "a8 reads another chip nearly every time");
}

/// A set with weak chips: in the third frame half a dozen of them are read wrongly.
#[test]
fn certabo_weak_chips_of_others() {
    let Some(frames) = frames("TestCertaboBoardMessageParser._board_data") else { return };
    let [start, lifted, misread] = &frames[..] else { panic!("{} frames", frames.len()) };
    let mut bench = Bench::new("certabo");
    assert_eq!(bench.frames(certabo::LEARNING_FRAMES, start.as_bytes()), [placement_reading(START)]);
    // Two frames show it, and two more votes are needed before the rotation of a new set is known.
    assert_eq!(bench.frames(4, lifted.as_bytes()), [lift(Square::H7)]);
    assert_eq!(bench.frame(misread.as_bytes()), []);
    assert_eq!(bench.frames(2, lifted.as_bytes()), []);
}

#[test]
fn sentio_lines_of_others() {
    let tests = ["test_parse_position_tabutronic_sentio", "test_tabutronic_sentio_has_no_piece_recognition"];
    let last = ("test_parse_position_tabutronic_sentio_with_led_ack", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1");
    for (test, expect) in tests.map(|test| (test, START)).into_iter().chain([last]) {
        let Some(frames) = frames(&format!("TestParser.{test}")) else { return };
        for name in ["sentio", "reed"] {
            assert_eq!(Bench::new(name).frames(3, frames[0].as_bytes()), [occupied(expect)], "{name}, {test}");
        }
    }
}
