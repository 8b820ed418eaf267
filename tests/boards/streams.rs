//! Boards that send all their squares again and again, as lines of text: Certabo, Tabutronic, home-made reed boards.

mod bus;
mod chips;
pub mod games;
mod others;
mod page;

use proptest::prelude::*;
use shakmaty::{Board, Piece, Square};
use touchmove::boards::{
    Address, BoardCommand, Identity, LinkState, Millis, Placement, Protocol, ProtocolError, Reading, SquareState, Unsupported,
    certabo, model, reed,
};
use touchmove::simulate::rng::Rng;

/// The time from one frame to the next.
const FRAME: Millis = 300;

/// A board on a line that has been up since 0, in simulated time.
struct Bench {
    board: Box<dyn Protocol>,
    now: Millis,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let mut board = (model(name).unwrap().protocol)();
        board.link(0, LinkState::Up);
        Bench { board, now: 0 }
    }

    /// A Certabo with this calibration.
    fn calibrated(calibration: &str) -> Bench {
        let mut board = (model("certabo").unwrap().protocol)();
        board.restore(calibration);
        board.link(0, LinkState::Up);
        Bench { board, now: 0 }
    }

    fn readings(&mut self) -> Vec<Reading> {
        super::readings(&mut *self.board)
    }

    fn writes(&mut self) -> Vec<(Millis, Vec<u8>)> {
        std::iter::from_fn(|| self.board.poll_write()).map(|write| (write.at, write.bytes)).collect()
    }

    /// Advances the time, handling deadlines.
    fn pass(&mut self, until: Millis) -> Vec<Reading> {
        while let Some(due) = self.board.next_deadline().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.board.timeout(self.now);
        }
        self.now = until;
        self.readings()
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<Reading> {
        self.board.receive(self.now, bytes);
        self.readings()
    }

    /// Advances the time by that of a frame, then receives these bytes.
    fn frame(&mut self, bytes: &[u8]) -> Vec<Reading> {
        let mut readings = self.pass(self.now + FRAME);
        readings.extend(self.receive(bytes));
        readings
    }

    /// Receives the same frame `count` times.
    fn frames(&mut self, count: usize, bytes: &[u8]) -> Vec<Reading> {
        (0..count).flat_map(|_| self.frame(bytes)).collect()
    }
}

fn placement(board: &Board) -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for (square, piece) in board.clone() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    placement
}

fn fen(text: &str) -> Board {
    text.parse().unwrap()
}

fn placement_reading(text: &str) -> Reading {
    Reading::Placement(Box::new(placement(&fen(text))))
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

fn lift(square: Square) -> Reading {
    Reading::Square(square, SquareState::Empty)
}

/// The chips of a set, each named after its square in the start position.
pub struct Set {
    first: u8,
    squares: [Option<Square>; 64],
}

impl Set {
    pub fn start(first: u8) -> Set {
        let mut squares = [None; 64];
        for square in fen(START).occupied() {
            squares[square as usize] = Some(square);
        }
        Set { first, squares }
    }

    /// The set on a board that is turned round.
    fn turned(mut self) -> Set {
        self.squares.reverse();
        self
    }

    pub fn carry(&mut self, from: Square, to: Square) {
        self.squares[to as usize] = self.squares[from as usize].take();
    }

    fn id(&self, chip: Square) -> [u8; 5] {
        [3, 0, 84, self.first, 100 + chip as u8]
    }

    /// A frame, with nothing on empty squares.
    pub fn frame(&self) -> Vec<u8> {
        self.noisy(&mut Rng::new(0, 0), 0)
    }

    /// A frame in which `garbage` thousandths of the empty squares read garbage.
    fn noisy(&self, rng: &mut Rng, garbage: u32) -> Vec<u8> {
        let mut text = String::from(":");
        for index in 0..64u32 {
            let chip = self.squares[(index ^ 56) as usize];
            let mut id = chip.map_or([0; 5], |chip| self.id(chip));
            if chip.is_none() && rng.chance(garbage) {
                id = std::array::from_fn(|_| rng.below(256) as u8);
            }
            id.iter().for_each(|number| text += &format!("{number} "));
        }
        (text + "\r\n").into_bytes()
    }
}

fn calibration(readings: &[Reading]) -> Option<String> {
    readings.iter().rev().find_map(|reading| match reading {
        Reading::Calibration(text) => Some(text.clone()),
        _ => None,
    })
}

/// The readings except calibrations.
fn squares(readings: Vec<Reading>) -> Vec<Reading> {
    readings.into_iter().filter(|reading| !matches!(reading, Reading::Calibration(_))).collect()
}

/// The calibration of a board that has learned the set.
fn learned_calibration(first: u8) -> String {
    let mut bench = Bench::new("certabo");
    let mut set = Set::start(first);
    let mut readings = bench.frames(certabo::LEARNING_FRAMES, &set.frame());
    set.carry(Square::E2, Square::E4);
    readings.extend(bench.frames(3, &set.frame()));
    calibration(&readings).expect("the set was learned")
}

#[test]
fn the_length_of_a_line_shows_another_model() {
    let hint = |name: &str, line: &[u8]| {
        let readings = Bench::new(name).frames(5, line);
        let other = |reading: &Reading| match reading {
            Reading::ProtocolError(ProtocolError::OtherModel(text)) => Some(text.clone()),
            _ => None,
        };
        readings.iter().find_map(other).unwrap_or_else(|| panic!("{readings:?}"))
    };
    assert!(hint("certabo", b":255 255 0 0 0 0 255 255 \r\n").contains("sentio"));
    assert!(hint("cerno", b":255 255 0 0 0 0 255 255 \r\n").contains("sentio"));
    assert!(hint("sentio", &Set::start(1).frame()).contains("cerno"));
    assert!(hint("reed", &Set::start(1).frame()).contains("certabo"));
}

fn occupied(text: &str) -> Reading {
    Reading::Placement(Box::new(placement(&fen(text)).map(|sensed| match sensed {
        SquareState::Empty => SquareState::Empty,
        _ => SquareState::Occupied,
    })))
}

#[test]
fn sentio_lines() {
    for name in ["sentio", "reed"] {
        let mut bench = Bench::new(name);
        assert_eq!(bench.frames(3, b":255 255 0 0 0 0 255 255 \r\n"), [occupied(START)]);
        // A single line is not enough.
        assert_eq!(bench.frames(1, b":255 255 0 0 0 0 255 254 \r\n"), []);
        assert_eq!(bench.frames(3, b":255 255 0 0 0 0 255 255\n"), []);
        // The king moves from e1 to e4, on a board with other line ends.
        assert_eq!(
            bench.frames(3, b":255 255 0 0 8 0 255 247\nL\r\n"),
            [lift(Square::E1), Reading::Square(Square::E4, SquareState::Occupied)]
        );
        bench.board.execute(bench.now, Address::ONLY, BoardCommand::Placement).unwrap();
        let now = "rnbqkbnr/pppppppp/8/8/4K3/8/PPPPPPPP/RNBQ1BNR";
        assert_eq!(bench.frames(2, b":255 255 0 0 8 0 255 247"), [occupied(now)], "as soon as there is a line");
        let garbage = |count| [Reading::ProtocolError(ProtocolError::Garbage(count))];
        assert_eq!(bench.frame(b":255 255 0 0 8 0 255 256\r\n")[..], garbage(24)[..]);
        assert_eq!(bench.frame(b":255 255 0 0 8 0 255\r\n")[..], garbage(20)[..]);
    }
}

#[test]
fn reed_lines_with_a_checksum_need_no_vote() {
    let line = |text: &str| format!("{text}*{:02x}\n", reed::crc(text.as_bytes()));
    assert_eq!(reed::crc(b"123456789"), 0xf4, "the check value of this CRC-8");
    let mut bench = Bench::new("reed");
    assert_eq!(bench.writes(), [(0, b"?\n".to_vec())]);
    assert_eq!(bench.receive(b"ff00*12\r\nR1 17 ffff00000000ffff*f0\r\n"), [occupied(START)]);
    assert_eq!(bench.receive(line("R1 18 ffff00000000fffe").as_bytes()), [lift(Square::H1)]);
    let battery = Reading::Battery(touchmove::boards::Battery { percent: 87, charging: None });
    let with_battery = line("R1 19 ffff00000000ffff what b87 b101 bx");
    assert_eq!(bench.receive(with_battery.as_bytes()), [battery, Reading::Square(Square::H1, SquareState::Occupied)]);
    assert_eq!(bench.receive(with_battery.as_bytes()), [], "the same line again");
    assert_eq!(bench.receive(b"N1 club board 3*43\n"), [Reading::Identity(Identity::Text("club board 3".to_owned()))]);
    for damaged in ["R1 20 ffff00000000fffe*00\n", "R1 20 ffff00000000fffe\n", "R1 20*\n", "R\n"] {
        assert_eq!(
            bench.receive(damaged.as_bytes()),
            [Reading::ProtocolError(ProtocolError::Garbage(damaged.len()))],
            "{damaged}"
        );
    }
    for wrong in ["R1 256 ffff00000000fffe", "R1 20 ffff00000000fff", "R1 20 ffff00000000ffgg", "R1 ", "R1"] {
        let readings = bench.receive(line(wrong).as_bytes());
        assert!(matches!(readings[..], [Reading::ProtocolError(ProtocolError::Garbage(_))]), "{wrong}: {readings:?}");
    }
    assert_eq!(bench.receive(line("R2 20 ffff").as_bytes()), [Reading::ProtocolError(ProtocolError::Unknown(b'2'))]);
    assert_eq!(bench.receive(&[&b"R"[..], &[b'x'; 200], b"\n", line("R1 21 ffff00000000fffe").as_bytes()].concat()).len(), 2);
    bench.board.execute(bench.now, Address::ONLY, BoardCommand::Placement).unwrap();
    assert_eq!(bench.writes(), [(0, b"?\n".to_vec())]);
    assert_eq!(bench.board.execute(0, Address::ONLY, BoardCommand::Lights(vec![])), Err(Unsupported));
}

#[test]
fn silence_is_reported_once_and_ends_with_a_frame() {
    for (name, frame) in [("certabo", Set::start(7).frame()), ("sentio", b":255 255 0 0 0 0 255 255 \r\n".to_vec())] {
        let mut bench = Bench::new(name);
        assert_eq!(bench.frames(certabo::LEARNING_FRAMES, &frame).len(), 1);
        assert_eq!(bench.pass(bench.now + certabo::SILENCE_TIMEOUT - 1), []);
        assert_eq!(bench.pass(bench.now + 1), [Reading::ProtocolError(ProtocolError::Silent(certabo::SILENCE_TIMEOUT as u32))]);
        assert_eq!(bench.pass(bench.now + 60_000), []);
        bench.receive(b"12 34 junk");
        assert_eq!(bench.pass(bench.now + 60_000), [], "junk is no frame");
        let back = bench.frames(3, &frame);
        let back: Vec<Reading> =
            back.into_iter().filter(|reading| !matches!(reading, Reading::ProtocolError(ProtocolError::Garbage(_)))).collect();
        assert_eq!(back.len(), 2);
        assert!(
            matches!(back[..], [Reading::ProtocolError(ProtocolError::Recovered), Reading::Placement(_)]),
            "{name}: {back:?}"
        );
        bench.board.link(bench.now, LinkState::Down);
        assert_eq!(bench.board.next_deadline(), None);
        assert_eq!(bench.writes().len(), 0);
    }
}

#[test]
fn lights_are_written_slowly_and_again() {
    let dark = vec![0u8; 8];
    let mut bench = Bench::new("certabo");
    assert_eq!(bench.writes(), [(0, dark.clone())], "lights that were on are switched off");
    bench.pass(10_000);
    assert_eq!(bench.writes(), [(certabo::PATTERN_INTERVAL, dark.clone()), (2 * certabo::PATTERN_INTERVAL, dark.clone())]);
    let light = |bench: &mut Bench, squares: &[Square]| {
        bench.board.execute(bench.now, Address::ONLY, BoardCommand::Lights(squares.to_vec())).unwrap();
        bench.writes()
    };
    let e2e4 = vec![0, 0, 0, 0, 0x10, 0, 0x10, 0];
    assert_eq!(light(&mut bench, &[Square::E2, Square::E4]), [(10_000, e2e4)]);
    // Another pattern waits, and is replaced by a later one.
    bench.pass(10_100);
    assert_eq!(light(&mut bench, &[Square::H1]), []);
    assert_eq!(light(&mut bench, &[Square::A8]), []);
    bench.pass(10_599);
    assert_eq!(bench.writes(), []);
    bench.pass(10_700);
    assert_eq!(bench.writes(), [(10_600, vec![1, 0, 0, 0, 0, 0, 0, 0])]);
    // An acknowledged pattern is not written again.
    bench.receive(b"L\r\n");
    bench.pass(20_000);
    assert_eq!(bench.writes(), []);
    assert_eq!(bench.board.execute(0, Address::ONLY, BoardCommand::ClockText(String::new())), Err(Unsupported));
    assert_eq!(bench.board.execute(0, Address::ONLY, BoardCommand::Memory), Err(Unsupported));
}

#[test]
fn coloured_lights_are_detected() {
    let mut bench = Bench::new("sentio");
    bench.pass(10_000);
    let lengths: Vec<usize> = bench.writes().iter().map(|write| write.1.len()).collect();
    assert_eq!(lengths, [8, 247, 8, 247, 8, 247], "one or the other, until one is acknowledged");
    bench.receive(b"D\r\n");
    bench.board.execute(bench.now, Address::ONLY, BoardCommand::Lights(vec![Square::H1, Square::A8])).unwrap();
    bench.pass(20_000);
    let writes = bench.writes();
    assert_eq!(writes.len(), certabo::PATTERN_ATTEMPTS as usize);
    let bytes = &writes[0].1;
    assert_eq!((bytes.len(), &bytes[..2], &bytes[245..]), (247, &[0xff, 0x55][..], &[0x0d, 0x0a][..]));
    let lit: Vec<usize> = (0..81).filter(|led| bytes[2 + 3 * led] > 0).collect();
    assert_eq!(lit, [0, 1, 9, 10, 70, 71, 79, 80]);
}

proptest! {
    /// Frames are read the same after any garbage, and however they are cut.
    #[test]
    fn frames_after_garbage_are_read(
        garbage in proptest::collection::vec(any::<u8>(), 0..400),
        cuts in proptest::collection::vec(1..300usize, 0..20),
    ) {
        let stored = learned_calibration(7);
        let certabo = Set::start(7).frame().repeat(3);
        let reed = b"R1 17 ffff00000000ffff*f0\n".to_vec();
        for (name, frames) in [("certabo", certabo), ("sentio", b":255 255 0 0 0 0 255 255 \r\n".repeat(3)), ("reed", reed)] {
            let stream = [garbage.clone(), b"\r\n".to_vec(), frames].concat();
            let fresh = || if name == "certabo" { Bench::calibrated(&stored) } else { Bench::new(name) };
            let uncut = fresh().receive(&stream);
            prop_assert_eq!(uncut.last(), Some(&if name == "certabo" { placement_reading(START) } else { occupied(START) }));
            let mut bench = fresh();
            let (mut rest, mut readings) = (&stream[..], Vec::new());
            for &cut in &cuts {
                let (chunk, after) = rest.split_at(cut.min(rest.len()));
                readings.extend(bench.receive(chunk));
                rest = after;
            }
            readings.extend(bench.receive(rest));
            prop_assert_eq!(readings, uncut, "{}", name);
        }
    }
}
