//! Reed switches on the computer's own lines: decoding packets, and scanning a wiring into packets.

use shakmaty::{Bitboard, Square};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use touchmove::boards::matrix::{MODEL, packet};
use touchmove::boards::{Address, BoardCommand, LinkState, Protocol, ProtocolError, Reading, SquareState};
use touchmove::link::LineError;
use touchmove::link::matrix::{Lines, Port, Wiring, scan};

fn board() -> Box<dyn Protocol> {
    let mut board = (MODEL.protocol)();
    board.link(0, LinkState::Up);
    board
}

fn squares(text: &str) -> Bitboard {
    text.split_whitespace().map(|square| square.parse::<Square>().unwrap()).collect()
}

/// The readings of the board after such a scan, in words.
fn readings(board: &mut Box<dyn Protocol>, chunk: &[u8]) -> Vec<String> {
    board.receive(0, chunk);
    let describe = |reading| match reading {
        Reading::Placement(all) => {
            let occupied = Square::ALL.into_iter().filter(|square| all[*square as usize] == SquareState::Occupied);
            format!("all {}", occupied.map(|square| square.to_string()).collect::<Vec<_>>().join(" "))
        }
        Reading::Square(square, SquareState::Empty) => format!("{square}-"),
        Reading::Square(square, SquareState::Occupied) => format!("{square}+"),
        Reading::ProtocolError(ProtocolError::AmbiguousSquares(squares)) => {
            format!("? {}", squares.iter().map(Square::to_string).collect::<Vec<_>>().join(" "))
        }
        other => format!("{other:?}"),
    };
    std::iter::from_fn(|| board.poll_reading()).map(|(_, reading)| describe(reading)).collect()
}

#[test]
fn a_scan_becomes_the_squares_that_changed() {
    let mut board = board();
    let mut scan_of = |text: &str| readings(&mut board, &packet(squares(text), true));
    assert_eq!(scan_of("a1 h8"), ["all a1 h8"]);
    assert_eq!(scan_of("a1 h8"), Vec::<String>::new());
    assert_eq!(scan_of("h8 a4"), ["a1-", "a4+"]);
    // With diodes the four corners of a rectangle are unambiguous.
    assert_eq!(scan_of("a1 a4 c1 c4 h8"), ["a1+", "c1+", "c4+"]);
}

#[test]
fn all_squares_are_reported_on_request() {
    let mut board = board();
    readings(&mut board, &packet(squares("a1"), true));
    board.execute(5, Address::ONLY, BoardCommand::Placement).unwrap();
    assert_eq!(board.poll_write().unwrap().bytes, b"?");
    assert_eq!(readings(&mut board, &packet(squares("a1"), true)), ["all a1"]);
}

#[test]
fn without_diodes_no_piece_is_invented() {
    let mut board = board();
    let mut scan_of = |text: &str| readings(&mut board, &packet(squares(text), false));
    assert_eq!(scan_of("c3 c6 f3"), ["all c3 f3 c6"]);
    // f6 completes a rectangle: it may be occupied or not, and the three others are unchanged.
    assert_eq!(scan_of("c3 c6 f3 f6"), ["? f6"]);
    // One of them is lifted: the current has no other path any more.
    assert_eq!(scan_of("c6 f3 f6"), ["c3-", "f6+", "? "]);
}

#[test]
fn invalid_packets_are_skipped() {
    let mut board = board();
    for chunk in [&[][..], &[1; 8], &[1; 10], &[2; 9]] {
        assert_eq!(readings(&mut board, chunk), [format!("ProtocolError(Garbage({}))", chunk.len())]);
    }
}

/// The contacts that are closed when the link comes up may mean three pieces or four.
#[test]
fn without_diodes_the_first_scan_names_ambiguous_squares() {
    let mut board = board();
    let mut scan_of = |text: &str| readings(&mut board, &packet(squares(text), false));
    assert_eq!(scan_of("a1 h1 a8 h8 c3"), ["all a1 h1 c3 a8 h8", "? a1 h1 a8 h8"]);
    assert_eq!(scan_of("a1 h1 a8 h8 c3 c4"), ["c4+"]);
    assert_eq!(scan_of("a1 a8 h8 c3 c4"), ["h1-", "? "]);
    assert_eq!(scan_of("a1 h1 a8 h8 c3 c4"), ["? h1"]);
}

const WIRING: &str = "diodes = true\nscan_hz = 200\nsettle_us = 0\n[gpio]\nchip = \"/dev/gpiochip0\"\n\
    rows = [0, 1, 2, 3, 4, 5, 6, 7]\ncolumns = [8, 9, 10, 11, 12, 13, 14, 15]\n";

#[test]
fn all_errors_of_a_wiring_are_reported() {
    assert!(Wiring::parse(WIRING).is_ok());
    let expander = "diodes = false\n[mcp23017]\nbus = \"/dev/i2c-1\"\naddress = 0x20\nrows = \"A\"\n";
    assert!(Wiring::parse(expander).is_ok());
    let wrong = |text: &str, parts: &[&str]| {
        let error = Wiring::parse(text).unwrap_err();
        parts.iter().for_each(|part| assert!(error.contains(part), "{error:?} does not say {part:?}"));
    };
    wrong("scan_hz = 50", &["diodes"]);
    wrong("diodes = true", &["one of [gpio] and [mcp23017]"]);
    wrong(&format!("{WIRING}{}", expander.trim_start_matches("diodes = false\n")), &["one of [gpio] and [mcp23017]"]);
    wrong(&WIRING.replace("[0, 1,", "[0, 0,").replace("= 200", "= 500"), &["scan_hz is 500", "line 0 is used twice"]);
    wrong(&WIRING.replace("settle_us = 0", "settle_us = 18446744073709551"), &["settle_us is", "too long for this scan_hz"]);
    wrong(&expander.replace("0x20", "0x50"), &["address is 0x50"]);
    wrong(&expander.replace("rows = \"A\"", "rows = \"A\"\nrow_pins = [0, 1, 2, 3, 4, 5, 6, 6]"), &["row_pins"]);
    wrong(&expander.replace("diodes", "closed = \"high\"\ndiodes"), &["columns high"]);
}

/// Switches under a board, with diodes or without.
struct Switches {
    closed: Arc<Mutex<io::Result<Bitboard>>>,
    diodes: bool,
}

impl Lines for Switches {
    fn read(&mut self, row: usize, _: Duration) -> io::Result<u8> {
        let closed = self.closed.lock().unwrap();
        let Ok(closed) = closed.as_ref() else { return Err(io::Error::from_raw_os_error(5)) };
        let of_row = |row: usize| closed.0.to_le_bytes()[row];
        let mut columns = of_row(row);
        // The current flows on through every row that has a closed contact in one of these columns.
        loop {
            let more = (0..8).map(of_row).filter(|other| other & columns != 0).fold(columns, |all, other| all | other);
            if self.diodes || more == columns {
                return Ok(columns);
            }
            columns = more;
        }
    }
}

#[test]
fn rows_are_read_one_after_the_other() {
    let closed = Arc::new(Mutex::new(Ok(squares("a1 h1 c6 h8"))));
    let mut lines = Switches { closed: Arc::clone(&closed), diodes: true };
    assert_eq!(scan(&mut lines, Duration::ZERO).unwrap(), squares("a1 h1 c6 h8"));
    let mut lines = Switches { closed, diodes: false };
    assert_eq!(scan(&mut lines, Duration::ZERO).unwrap(), squares("a1 h1 c6 a8 h8"));
}

#[test]
fn a_matrix_is_a_port_until_its_lines_fail() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let closed = Arc::new(Mutex::new(Ok(squares("a1"))));
        let wiring = Wiring::parse(WIRING).unwrap();
        let lines = Box::new(Switches { closed: Arc::clone(&closed), diodes: true });
        let mut port = Port::start(&wiring, lines).unwrap();
        let mut buffer = [0; 1024];
        assert_eq!(port.read(&mut buffer).await.unwrap(), 9);
        assert_eq!(buffer[..9], packet(squares("a1"), true));
        // The same scan again on request; then a changed one.
        port.write(b"?").unwrap();
        assert_eq!(port.read(&mut buffer).await.unwrap(), 9);
        *closed.lock().unwrap() = Ok(squares("a2"));
        assert_eq!(port.read(&mut buffer).await.unwrap(), 9);
        assert_eq!(buffer[..9], packet(squares("a2"), true));
        *closed.lock().unwrap() = Err(io::ErrorKind::Other.into());
        assert!(matches!(port.read(&mut buffer).await, Err(LineError::Gone)));
    });
}

#[test]
fn the_error_for_a_missing_or_wrong_file_gives_advice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("matrix.toml");
    assert!(Port::open(&path).unwrap_err().to_string().contains("matrix.toml"));
    std::fs::write(&path, "diodes = true\n").unwrap();
    assert!(Port::open(&path).unwrap_err().to_string().contains("one of [gpio] and [mcp23017]"));
    std::fs::write(&path, WIRING.replace("gpiochip0", "gpiochip99")).unwrap();
    let error = Port::open(&path).unwrap_err().to_string();
    let expected = if cfg!(feature = "gpio") { "gpiochip99" } else { "--features gpio" };
    assert!(error.contains(expected), "{error}");
}
