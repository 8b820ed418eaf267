//! The DGT protocol: received bytes, readings, and sent bytes.

mod fuzz;

use shakmaty::{Color, Role, Square};
use std::path::Path;
use touchmove::boards::{
    Address, BOARDS, Battery, BoardCommand, ClockHalf, ClockReading, HalfTime, Identity, LinkState, Millis, Placement,
    Protocol, ProtocolError, Reading, SquareState, Unsupported, dgt, model,
};

/// Serial number 24060.
const NUMBER: &str = "91 00 08 32 34 30 36 30";
pub const DUMP: &str = "86 00 43 08 09 0a 0c 0b 0a 09 08 07 07 07 07 07 07 07 07
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
    01 01 01 01 01 01 01 01 02 03 04 06 05 04 03 02";

/// Parses hexadecimal bytes.
pub fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn board() -> Box<dyn Protocol> {
    (dgt::MODEL.protocol)()
}

fn readings(board: &mut dyn Protocol) -> Vec<Reading> {
    let mut readings = super::readings(board);
    // Whether changes are delayed depends on how the stream is split.
    readings.retain(|reading| *reading != protocol_error(ProtocolError::ChangesDelayed));
    readings
}

#[test]
fn dgt_changes_that_arrive_together_are_delayed() {
    let lifted = bytes("8e 00 05 34 00");
    for (count, is_late) in [(2, false), (3, true), (30, true)] {
        let mut board = board();
        board.link(0, LinkState::Up);
        board.receive(100, &lifted.repeat(count));
        let first = board.poll_reading().unwrap().1;
        assert_eq!(
            (first == protocol_error(ProtocolError::ChangesDelayed), readings(&mut *board).len()),
            (is_late, if is_late { count } else { 1 })
        );
    }
    // A dump has as many bytes and is not delayed.
    let mut board = board();
    board.link(0, LinkState::Up);
    board.receive(100, &bytes(DUMP));
    assert_eq!(board.poll_reading().map(|(_, reading)| reading), Some(start()));
}

/// Bytes, each with the earliest time at which it may be sent.
type Sent = Vec<(Millis, u8)>;

fn writes(board: &mut dyn Protocol) -> Sent {
    std::iter::from_fn(|| board.poll_write())
        .flat_map(|write| write.bytes.into_iter().map(move |byte| (write.at, byte)).collect::<Vec<_>>())
        .collect()
}

/// The readings of a new decoder from these bytes in one chunk.
fn read(bytes: &[u8]) -> Vec<Reading> {
    let mut board = board();
    board.link(0, LinkState::Up);
    board.receive(100, bytes);
    readings(&mut *board)
}

/// Checks that these bytes give these readings, split into two chunks anywhere, and byte by byte.
#[track_caller]
fn check(stream: &[u8], expect: &[Reading]) {
    assert_eq!(read(stream), expect, "in one piece");
    let mut chunkings: Vec<Vec<&[u8]>> = vec![stream.chunks(1).collect()];
    if stream.len() < 500 {
        chunkings.extend((0..stream.len()).map(|cut| vec![&stream[..cut], &stream[cut..]]));
    }
    for chunks in chunkings {
        let mut board = board();
        board.link(0, LinkState::Up);
        for (now, chunk) in (100..).zip(&chunks) {
            board.receive(now, chunk);
        }
        assert_eq!(readings(&mut *board), expect, "cut after {} bytes", chunks[0].len());
    }
}

fn start() -> Reading {
    let board = shakmaty::Board::default();
    let mut placement: Placement = [SquareState::Empty; 64];
    for (square, piece) in board {
        placement[square as usize] = SquareState::Piece(piece);
    }
    Reading::Placement(Box::new(placement))
}

fn put(square: Square, role: Role, color: Color) -> Reading {
    Reading::Square(square, SquareState::Piece(role.of(color)))
}

fn lift(square: Square) -> Reading {
    Reading::Square(square, SquareState::Empty)
}

fn clock(left_s: u32, right_s: u32, turn: ClockHalf, running: bool) -> ClockReading {
    let half = |s: u32| HalfTime { ms: s * 1000, flag: false };
    let (left, right) = (half(left_s), half(right_s));
    ClockReading { left, right, turn, running, battery_low: false, resolution_ms: 1000, age_ms: 1000 }
}

fn clock_readings(reading: ClockReading) -> Vec<Reading> {
    vec![Reading::Clock(Some(reading))]
}

fn protocol_error(error: ProtocolError) -> Reading {
    Reading::ProtocolError(error)
}

fn invalid(detail: &str) -> Vec<Reading> {
    vec![protocol_error(ProtocolError::InvalidContent(detail.to_owned()))]
}

fn text(words: &str) -> Vec<Reading> {
    vec![Reading::Identity(Identity::Text(words.to_owned()))]
}

#[test]
fn dgt_messages() {
    use ClockHalf::{Left, Right};
    use Color::{Black, White};
    use Role::{Pawn, Queen};
    let flagged = ClockReading { right: HalfTime { ms: 0, flag: true }, ..clock(16, 0, Right, false) };
    let serial = |number: &str| vec![Reading::Identity(Identity::SerialNumber(number.to_owned()))];
    let battery = |percent, charging| vec![Reading::Battery(Battery { percent, charging })];
    let cases: Vec<(&str, Vec<Reading>)> = vec![
        (DUMP, vec![start()]),
        // Fields: 0 is a8, 63 is h1.
        ("8e 00 05 34 00", vec![lift(Square::E2)]),
        ("8e 00 05 24 01", vec![put(Square::E4, Pawn, White)]),
        ("8e 00 05 00 0c", vec![put(Square::A8, Queen, Black)]),
        ("8e 00 05 3f 06", vec![put(Square::H1, Queen, White)]),
        ("8e 00 05 0c 00 8e 00 05 1c 07", vec![lift(Square::E7), put(Square::E5, Pawn, Black)]),
        // The pieces that signal a result are not chess pieces.
        ("8e 00 05 1c 0d 8e 00 05 1c 0e 8e 00 05 1c 0f", vec![lift(Square::E5), lift(Square::E5), lift(Square::E5)]),
        ("8e 00 05 1c 10", invalid("piece code 10 on e5")),
        ("8e 00 05 40 01", invalid("field 40 is outside 00 to 3f")),
        // The clock: bytes 0–2 right, 3–5 left.
        ("8d 00 0a 20 03 02 20 03 02 08", clock_readings(clock(182, 182, Left, false))),
        ("8d 00 0a 20 03 02 20 03 01 09", clock_readings(clock(181, 182, Left, true))),
        ("8d 00 0a 20 03 02 20 03 01 13", clock_readings(clock(181, 182, Right, true))),
        ("8d 00 0a 01 59 59 09 00 00 12", clock_readings(clock(9 * 3600, 7199, Right, false))),
        ("8d 00 0a 30 00 00 20 00 16 12", clock_readings(flagged)),
        ("8d 00 0a 60 00 00 20 00 16 12", clock_readings(flagged)),
        ("8d 00 0a 00 00 10 00 00 20 0d", clock_readings(ClockReading { battery_low: true, ..clock(20, 10, Left, true) })),
        // Neither or both halves' turn: the lever decides.
        ("8d 00 0a 00 00 10 00 00 20 02", clock_readings(clock(20, 10, Right, false))),
        ("8d 00 0a 00 00 10 00 00 20 18", clock_readings(clock(20, 10, Left, false))),
        ("8d 00 0a 00 00 00 00 00 00 20", vec![Reading::Clock(None)]),
        ("8d 00 0a 7f 7f 7f 7f 7f 7f 20", vec![Reading::Clock(None)]),
        // Acknowledgements, of the right half's and the left half's byte, and the zeros that follow one.
        ("8d 00 0a 0a 10 09 00 20 00 00 8d 00 0a 00 10 09 4a 00 00 00 8d 00 0a 00 00 00 00 00 00 00", vec![]),
        ("8d 00 0a 20 03 6a 20 03 01 13", invalid("clock time 20 03 6a")),
        ("8d 00 0a 20 60 00 20 03 01 13", invalid("clock time 20 60 00")),
        ("8d 00 0a 20 03 01 2b 03 01 13", invalid("clock time 2b 03 01")),
        // Serial number, version and other identification.
        ("91 00 08 32 34 30 36 30", serial("24060")),
        ("91 00 0c 30 30 31 33 37 20 31 2e 30", serial("00137")),
        ("91 00 05 20 20", invalid("empty serial number")),
        ("a2 00 0d 33 30 30 30 30 31 32 33 34 35", text("long serial number 3000012345")),
        ("93 00 05 03 0a", vec![Reading::Identity(Identity::Version("3.10".to_owned()))]),
        ("93 00 04 03", invalid("message 93 of 4 bytes")),
        ("92 00 09 41 20 62 6f 0a 00", text("A bo")),
        ("90 00 05 01 02", text("bus address 130")),
        // The battery, with the length that boards send and with the length in a header file.
        ("a0 00 0c 55 7f 7f 00 10 00 01 02 01", battery(85, Some(true))),
        ("a0 00 0c 64 7f 7f 00 10 00 01 02 02", battery(100, Some(false))),
        ("a0 00 0a 14 7f 7f 00 10 00 01", battery(20, None)),
        ("a0 00 0c 65 7f 7f 00 10 00 01 02 02", invalid("battery charge of 101 %")),
        ("a0 00 03", invalid("message a0 of 3 bytes")),
        // Unknown messages.
        ("94 00 04 00 8e 00 05 34 00", vec![protocol_error(ProtocolError::Unknown(0x94)), lift(Square::E2)]),
        ("ff 00 03 8e 00 05 34 00", vec![protocol_error(ProtocolError::Unknown(0xff)), lift(Square::E2)]),
    ];
    for (hex, expect) in cases {
        check(&bytes(hex), &expect);
    }
}

#[test]
fn dgt_resynchronizes_after_damage() {
    let cases: &[(&str, usize)] = &[
        ("00", 1),
        ("8e", 1),
        ("8e 00", 2),
        ("8e 00 05", 3),
        ("8e 00 05 34", 4),
        ("0e 00 05 34 00", 5),
        // Invalid lengths: the payload belongs to no message either.
        ("8e 00 00 34 00", 5),
        ("8e 00 02", 3),
        ("86 00 42 00 01", 5),
        ("8d 7f 7f 00", 4),
        ("93 10 00 00", 4),
        ("8f 7f 7f 00", 4),
        ("94 00 02", 3),
    ];
    for &(damage, count) in cases {
        let stream = [bytes(damage), bytes("8e 00 05 34 00")].concat();
        check(&stream, &[protocol_error(ProtocolError::Garbage(count)), lift(Square::E2)]);
    }
    // A lost byte in a dump, and a wrong one.
    let dump = bytes(DUMP);
    let lost = [&dump[..20], &dump[21..], &dump].concat();
    check(&lost, &[protocol_error(ProtocolError::Garbage(66)), start()]);
    let wrong = [&dump[..30], &[0x55], &dump[31..], &dump].concat();
    check(&wrong, &[protocol_error(ProtocolError::InvalidContent("piece code 55 on d5 in a board dump".to_owned())), start()]);
}

/// A decoder in simulated time.
struct Bench {
    board: Box<dyn Protocol>,
    now: Millis,
}

impl Bench {
    fn up() -> Bench {
        let mut board = board();
        board.link(0, LinkState::Up);
        Bench { board, now: 0 }
    }

    /// Advances the time, and returns what was sent and read meanwhile.
    fn advance(&mut self, until: Millis) -> (Sent, Vec<(Millis, Reading)>) {
        let (mut sent, mut received) = (writes(&mut *self.board), Vec::new());
        received.extend(readings(&mut *self.board).into_iter().map(|reading| (self.now, reading)));
        while let Some(at) = self.board.next_deadline().filter(|&at| at <= until) {
            assert!(at > self.now || self.now == 0, "a deadline at {at} ms that has passed");
            self.now = at;
            self.board.timeout(at);
            assert!(self.board.next_deadline().is_none_or(|next| next > at), "the deadline of {at} ms stays");
            sent.extend(writes(&mut *self.board));
            received.extend(readings(&mut *self.board).into_iter().map(|reading| (at, reading)));
        }
        self.now = until;
        (sent, received)
    }

    /// Receives bytes; returns the bytes sent in response.
    fn receive(&mut self, hex: &str) -> Vec<(Millis, u8)> {
        self.board.receive(self.now, &bytes(hex));
        readings(&mut *self.board);
        writes(&mut *self.board)
    }

    /// A bench after the initialization was answered; `now` is 1000 ms.
    fn settled() -> Bench {
        let mut bench = Bench::up();
        bench.advance(150);
        bench.receive(DUMP);
        bench.receive(NUMBER);
        bench.advance(1000);
        bench
    }
}

/// The dump is requested after the updates are enabled, and early enough to arrive within 160 ms.
#[test]
fn dgt_initializes_the_board() {
    let mut bench = Bench::up();
    let (sent, read) = bench.advance(200);
    assert_eq!(
        sent,
        [(0, 0x40), (40, 0x4b), (80, 0x42), (180, 0x4d), (280, 0x4c), (380, 0x55), (480, 0x45)],
        "at 9600 baud the 67 bytes of the dump take 70 ms"
    );
    assert_eq!(read, []);
    bench.receive(DUMP);
    assert_eq!(bench.advance(10_199).0, [], "nothing more until the link test");
    // After the cable is plugged in again the initialization is repeated, and a half-read message is dropped.
    bench.receive("8e 00 05");
    bench.board.link(11_000, LinkState::Down);
    assert_eq!((bench.board.next_deadline(), bench.board.poll_write()), (None, None));
    bench.board.link(12_000, LinkState::Up);
    assert_eq!(writes(&mut *bench.board)[..3], [(12_000, 0x40), (12_040, 0x4b), (12_080, 0x42)]);
    bench.board.receive(12_100, &bytes("34 00 8e 00 05 24 01"));
    assert_eq!(
        readings(&mut *bench.board),
        [protocol_error(ProtocolError::Garbage(2)), put(Square::E4, Role::Pawn, Color::White)]
    );
}

#[test]
fn dgt_repeats_the_initialization_until_a_dump_arrives() {
    let mut bench = Bench::up();
    let (sent, read) = bench.advance(20_000);
    let resets: Vec<_> = sent.iter().filter(|(_, byte)| *byte == 0x40).map(|(at, _)| *at).collect();
    assert_eq!(resets[..4], [0, 2080, 4280, 6480]);
    assert!(resets.len() >= 9, "without a limit: {resets:?}");
    assert!(sent.windows(2).skip(7).all(|pair| pair[1].0 >= pair[0].0 + 100), "with long pauses: {sent:?}");
    assert_eq!(read, [(5000, protocol_error(ProtocolError::Silent(5000)))], "once");
    bench.receive("93 00 05 03 0a");
    let (sent, _) = bench.advance(24_000);
    assert!(sent.iter().any(|(_, byte)| *byte == 0x40), "a version is not a dump: {sent:?}");
}

#[test]
fn dgt_tests_a_silent_link() {
    let mut bench = Bench::settled();
    let (sent, read) = bench.advance(20_000);
    let tests: Vec<_> = sent.chunks(2).map(|pair| (pair[0].0, pair[0].1, pair[1].1)).collect();
    assert_eq!(tests[..4], [(10_150, 0x4b, 0x42), (12_250, 0x4b, 0x42), (14_350, 0x4b, 0x42), (16_450, 0x4b, 0x42)]);
    assert_eq!(read, [(15_150, protocol_error(ProtocolError::Silent(15_000)))]);
    bench.advance(60_000);
    // Any byte counts as an answer; the board may have lost its power, so it is initialized again.
    bench.board.receive(60_000, &bytes("8e 00 05 34 00"));
    assert_eq!(readings(&mut *bench.board), [protocol_error(ProtocolError::Recovered), lift(Square::E2)]);
    assert_eq!(writes(&mut *bench.board).iter().map(|(_, byte)| *byte).collect::<Vec<_>>(), [0x4b, 0x42]);
    bench.receive("8e 00 05 34 01");
    bench.receive(DUMP);
    // Answered tests publish nothing, and are the only deadlines.
    for _ in 0..5 {
        let deadline = bench.board.next_deadline().unwrap();
        assert_eq!(deadline, bench.now + dgt::LINK_TEST_AFTER);
        let (sent, read) = bench.advance(deadline + 100);
        assert_eq!((sent.len(), read.len()), (2, 0));
        assert_eq!(bench.receive(DUMP), []);
    }
}

#[test]
fn dgt_requests_a_dump_once() {
    let mut bench = Bench::settled();
    for _ in 0..3 {
        assert_eq!(bench.board.execute(bench.now, Address::ONLY, BoardCommand::Placement), Ok(()));
    }
    assert_eq!(bench.advance(1100).0, [(1000, 0x42)], "one request for three");
    bench.receive(DUMP);
    assert_eq!(bench.board.execute(1100, Address::ONLY, BoardCommand::Placement), Ok(()));
    assert_eq!(writes(&mut *bench.board), [(1100, 0x42)], "the last request was answered");
    // An unanswered request is repeated.
    assert_eq!(bench.advance(3200).0, [(3100, 0x4b), (3200, 0x42)]);
    bench.receive(DUMP);
    // The memory takes 8 s to arrive; the request waits.
    bench.receive("8f 3e 03 00");
    bench.board.execute(3200, Address::ONLY, BoardCommand::Placement).unwrap();
    for now in (3250..11_000).step_by(50) {
        assert_eq!(bench.advance(now), (vec![], vec![]));
        bench.board.receive(now, &[0; 51]);
    }
    let rest = 0x1f00 - 1 - 155 * 51;
    bench.board.receive(11_000, &vec![0; rest]);
    assert_eq!(readings(&mut *bench.board), [Reading::Memory(vec![])]);
    assert_eq!(writes(&mut *bench.board), [(11_000, 0x42)]);
    assert_eq!(bench.board.execute(0, Address::ONLY, BoardCommand::Lights(vec![])), Err(Unsupported));
    assert_eq!(bench.board.execute(0, Address::ONLY, BoardCommand::ClockText("hello".to_owned())), Err(Unsupported));
}

/// A dump has no checksum: a dump that differs from the known squares is requested again.
#[test]
fn dgt_confirms_a_dump_that_differs() {
    let readings_of = |bench: &mut Bench, hex: &str| {
        bench.board.receive(bench.now, &bytes(hex));
        readings(&mut *bench.board)
    };
    let lifted = DUMP.replacen(" 01", " 00", 1);
    let Reading::Placement(mut placement) = start() else { unreachable!() };
    placement[Square::A2 as usize] = SquareState::Empty;
    let expected = [Reading::Placement(placement)];

    // A second dump agrees with the first.
    let mut bench = Bench::settled();
    assert_eq!(readings_of(&mut bench, &lifted), []);
    assert_eq!(writes(&mut *bench.board), [(1000, 0x42)], "it is requested again at once");
    bench.board.receive(bench.now, &bytes(&lifted));
    assert_eq!(
        bench.board.poll_reading().map(|(_, reading)| reading),
        Some(protocol_error(ProtocolError::ChangesDelayed)),
        "no update reported the change"
    );
    assert_eq!(readings(&mut *bench.board), expected);
    // A second dump agrees with the known squares.
    let mut bench = Bench::settled();
    assert_eq!(readings_of(&mut bench, &lifted), []);
    assert_eq!(readings_of(&mut bench, DUMP), [start()]);
    // An update agrees with the dump.
    let mut bench = Bench::settled();
    assert_eq!(readings_of(&mut bench, "8e 00 05 30 00"), [lift(Square::A2)]);
    bench.board.receive(bench.now, &bytes(&lifted));
    assert_eq!(bench.board.poll_reading().map(|(_, reading)| reading), Some(expected[0].clone()));
    // The first dump contradicts an update before it.
    let mut bench = Bench::up();
    bench.advance(900);
    assert_eq!(readings_of(&mut bench, "8e 00 05 30 00"), [lift(Square::A2)]);
    assert_eq!(readings_of(&mut bench, DUMP), []);
    assert_eq!(readings_of(&mut bench, &lifted), expected);
    // No second dump arrives: the first one is used.
    let mut bench = Bench::settled();
    assert_eq!(readings_of(&mut bench, &lifted), []);
    assert_eq!(bench.advance(1_000 + dgt::REPLY_TIMEOUT).1, [(1_000 + dgt::REPLY_TIMEOUT, expected[0].clone())]);
}

/// A dump that arrived before it was requested is used after a delay, even if half a message arrived meanwhile.
#[test]
fn dgt_uses_an_early_dump_after_half_a_message() {
    let mut bench = Bench::up();
    bench.advance(13);
    bench.receive(DUMP);
    bench.advance(197);
    bench.receive("00");
    bench.advance(380);
    bench.receive("a0 00 0c 55 7f 7f 00 10 00 01 02 01");
    assert!(bench.board.next_deadline().is_some_and(|at| at > 380));
}

/// The damaged message may have been an update.
#[test]
fn dgt_requests_a_dump_after_damage() {
    for damage in ["8e 00 34 00 8d 00 0a 00 00 10 00 00 20 08", "8e 00 05 40 40", "a1 00 05 34 00"] {
        let mut bench = Bench::settled();
        assert_eq!(bench.receive(damage), [(1000, 0x42)], "{damage}");
        assert_eq!(bench.receive(damage), [], "{damage}: the dump is already requested");
        bench.advance(1070);
        bench.receive(DUMP);
        assert_eq!(bench.receive(damage), [], "{damage}: not too often");
        assert_eq!(bench.advance(2000).0, [(1500, 0x42)], "{damage}");
    }
    // A truncated message, with nothing after it that would reveal the damage.
    for (damage, skipped) in [("8e 00 05 34", None), ("00 05 34 00", Some(4))] {
        let mut bench = Bench::settled();
        assert_eq!(bench.receive(damage), []);
        let (sent, read) = bench.advance(2000);
        assert_eq!(sent, [(1500, 0x42)], "{damage}");
        assert_eq!(
            read,
            skipped.map(|count| (1500, protocol_error(ProtocolError::Garbage(count)))).into_iter().collect::<Vec<_>>()
        );
        bench.receive(DUMP);
        assert_eq!(bench.advance(11_900).0, [], "{damage}");
    }
    // A clock message hides no update, whatever it contains.
    assert_eq!(Bench::settled().receive("8d 00 0a 2f 03 01 20 03 01 13"), []);
}

/// The request is repeated until it is answered, but not forever: some boards have no serial number.
#[test]
fn dgt_repeats_the_request_for_a_serial_number() {
    let requested_at = |answered_after: Option<u64>| {
        let mut bench = Bench::up();
        bench.advance(150);
        bench.receive(DUMP);
        bench.advance(1000);
        let mut requested = Vec::new();
        for now in (1_500..60_000).step_by(500) {
            bench.advance(now);
            requested.extend(bench.receive("8d 00 0a 20 03 02 20 03 01 09"));
            if answered_after == Some(now) {
                bench.receive(NUMBER);
            }
        }
        requested
    };
    assert_eq!(requested_at(None), [(5_000, 0x45), (10_000, 0x45)]);
    assert_eq!(requested_at(Some(5_000)), [(5_000, 0x45)]);
}

/// Only for a board with a battery, and without a deadline for it.
#[test]
fn dgt_requests_the_battery_status_periodically() {
    let mut bench = Bench::settled();
    bench.receive("a0 00 0c 55 7f 7f 00 10 00 01 02 01");
    let mut requested = Vec::new();
    for now in (2000..2_000_000).step_by(1000) {
        assert_eq!(bench.advance(now), (vec![], vec![]));
        requested.extend(bench.receive("8d 00 0a 20 03 02 20 03 01 09"));
    }
    assert_eq!(requested, [(601_000, 0x4c), (1_201_000, 0x4c), (1_801_000, 0x4c)]);
}

/// A game on a real board with a real clock.
#[test]
fn dgt_real_capture() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/sensor/dgt-1.inbytes");
    let Ok(lines) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: there is no {}", file.display());
        return;
    };
    let stream: Vec<u8> = lines.lines().flat_map(base64).collect();
    let readings = read(&stream);
    let count = |kind: fn(&Reading) -> bool| readings.iter().filter(|reading| kind(reading)).count();
    assert_eq!(stream.len(), 3952);
    assert_eq!(count(|reading| matches!(reading, Reading::Placement(_))), 1);
    assert_eq!(count(|reading| matches!(reading, Reading::Square(..))), 131);
    assert_eq!(count(|reading| matches!(reading, Reading::Clock(Some(_)))), 323);
    assert_eq!(readings.len(), 1 + 131 + 323, "nothing else, and no protocol error");
    assert_eq!(readings[0], start());
}

fn base64(line: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u8> =
        line.bytes().filter_map(|byte| DIGITS.iter().position(|&digit| digit == byte)).map(|value| value as u8).collect();
    let bits = |chunk: &[u8]| chunk.iter().fold(0u32, |bits, &digit| bits << 6 | u32::from(digit)) << (6 * (4 - chunk.len()));
    digits.chunks(4).flat_map(|chunk| bits(chunk).to_be_bytes()[1..chunk.len()].to_vec()).collect()
}

#[test]
fn models_have_their_own_names() {
    for (index, board) in BOARDS.iter().enumerate() {
        assert!(BOARDS[..index].iter().all(|other| other.name != board.name), "{} twice", board.name);
        assert!(model(board.name).is_some_and(|found| std::ptr::eq(found, *board)));
    }
    assert!(model("no such board").is_none());
}

/// Commands that switch a board off, start its boot loader, or change what it stores.
#[test]
fn no_model_may_be_sent_harmful_commands() {
    let harmful: &[(&str, &[&str])] = &[
        ("dgt", &["4e", "50", "51", "52", "53", "54", "43", "4a", "40 4e"]),
        ("dgt-bus", &["88 00 00 08", "89 00 00 09", "8c 00 00 0c", "8d 00 00 0d", "82 07 40"]),
        ("chessnut", &["39 01 00", "21 01 01", "21 01 00 00"]),
        ("millennium", &["57 b0 b0 b0 31 31 32", "54 35 34"]),
        ("centaur", &["4e", "b2 00 00 32", "94 00 00 14"]),
        ("ichessone", &["45 4c 80 0f 00", "52 53", "43 50 49 52 51 00"]),
        ("certabo", &["00", "3f", "55 3d 3f"]),
        ("cerno", &["00", "3f", "55 3d 3f"]),
        ("sentio", &["00", "3f", "55 3d 3f"]),
        ("reed", &["00", "55", "3f 3f 3f 3f"]),
        ("matrix", &["00", "55", "3f 3f"]),
        ("chessnut-move", &["42 21", "39 01 00", "21 01 01", "0b 04 03 e8 00 c8"]),
        ("pegasus", &["43", "4b", "4c", "4e", "32", "50", "53", "63 07 00 00 00 00 00 00 00"]),
        ("chessup", &["64", "66", "99 0c 1c", "52 01", "b6 00", "b9 06 00 01 00 00 01 00 00 00 00 00"]),
        ("square-off", &["31 34 23 31 2a", "30 23 65 32 65 34 2a"]),
        ("staunton", &["ae", "af", "b3", "b4", "00"]),
        ("cpp", &["6d 6f 76 65 20 65 32 65 34", "73 65 74 5f 73 74 61 74 65"]),
    ];
    let models: Vec<&str> = harmful.iter().map(|(name, _)| *name).collect();
    assert!(
        BOARDS.iter().all(|model| models.contains(&model.name)),
        "each model has commands that it must never be sent: {models:?}"
    );
    for (name, commands) in harmful {
        let model = model(name).unwrap();
        assert!(commands.iter().all(|command| !model.may_send(&bytes(command))), "{name}");
    }
    assert!(BOARDS.iter().all(|model| !model.may_send(&[])));
}
