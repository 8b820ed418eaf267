//! Reed switches on the computer's own lines: packets into readings, wiring into packets.

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

/// What a board tells of such a scan, in words.
fn told(board: &mut Box<dyn Protocol>, chunk: &[u8]) -> Vec<String> {
    board.receive(0, chunk);
    let tell = |reading| match reading {
        Reading::Placement(all) => {
            let occupied = Square::ALL.into_iter().filter(|square| all[*square as usize] == SquareState::Occupied);
            format!("all {}", occupied.map(|square| square.to_string()).collect::<Vec<_>>().join(" "))
        }
        Reading::Square(square, SquareState::Empty) => format!("{square}-"),
        Reading::Square(square, SquareState::Occupied) => format!("{square}+"),
        Reading::Trouble(ProtocolError::AmbiguousSquares(squares)) => {
            format!("? {}", squares.iter().map(Square::to_string).collect::<Vec<_>>().join(" "))
        }
        other => format!("{other:?}"),
    };
    std::iter::from_fn(|| board.poll_reading()).map(|(_, reading)| tell(reading)).collect()
}

#[test]
fn a_scan_becomes_the_squares_that_changed() {
    let mut board = board();
    let mut see = |text: &str| told(&mut board, &packet(squares(text), true));
    assert_eq!(see("a1 h8"), ["all a1 h8"]);
    assert_eq!(see("a1 h8"), Vec::<String>::new());
    assert_eq!(see("h8 a4"), ["a1-", "a4+"]);
    // Four corners of a rectangle are nothing special where there are diodes.
    assert_eq!(see("a1 a4 c1 c4 h8"), ["a1+", "c1+", "c4+"]);
}

#[test]
fn all_squares_are_told_when_they_are_asked_for() {
    let mut board = board();
    told(&mut board, &packet(squares("a1"), true));
    board.execute(5, Address::ONLY, BoardCommand::Placement).unwrap();
    assert_eq!(board.poll_write().unwrap().bytes, b"?");
    assert_eq!(told(&mut board, &packet(squares("a1"), true)), ["all a1"]);
}

#[test]
fn without_diodes_no_piece_is_invented() {
    let mut board = board();
    let mut see = |text: &str| told(&mut board, &packet(squares(text), false));
    assert_eq!(see("c3 c6 f3"), ["all c3 f3 c6"]);
    // f6 closes a rectangle: it may be there or not, and the three others are as they were.
    assert_eq!(see("c3 c6 f3 f6"), ["? f6"]);
    // One of them goes: the current has no way round any more.
    assert_eq!(see("c6 f3 f6"), ["c3-", "f6+", "? "]);
}

#[test]
fn what_is_no_packet_is_skipped() {
    let mut board = board();
    for chunk in [&[][..], &[1; 8], &[1; 10], &[2; 9]] {
        assert_eq!(told(&mut board, chunk), [format!("Trouble(Garbage({}))", chunk.len())]);
    }
}

/// What is closed when the link comes up may be three pieces or four.
#[test]
fn without_diodes_the_first_scan_names_what_it_cannot_tell() {
    let mut board = board();
    let mut see = |text: &str| told(&mut board, &packet(squares(text), false));
    assert_eq!(see("a1 h1 a8 h8 c3"), ["all a1 h1 c3 a8 h8", "? a1 h1 a8 h8"]);
    assert_eq!(see("a1 h1 a8 h8 c3 c4"), ["c4+"]);
    assert_eq!(see("a1 a8 h8 c3 c4"), ["h1-", "? "]);
    assert_eq!(see("a1 h1 a8 h8 c3 c4"), ["? h1"]);
}

const WIRED: &str = "diodes = true\nscan_hz = 200\nsettle_us = 0\n[gpio]\nchip = \"/dev/gpiochip0\"\n\
    rows = [0, 1, 2, 3, 4, 5, 6, 7]\ncolumns = [8, 9, 10, 11, 12, 13, 14, 15]\n";

#[test]
fn a_wiring_is_checked_whole() {
    assert!(Wiring::parse(WIRED).is_ok());
    let expander = "diodes = false\n[mcp23017]\nbus = \"/dev/i2c-1\"\naddress = 0x20\nrows = \"A\"\n";
    assert!(Wiring::parse(expander).is_ok());
    let wrong = |text: &str, says: &[&str]| {
        let error = Wiring::parse(text).unwrap_err();
        says.iter().for_each(|part| assert!(error.contains(part), "{error:?} does not say {part:?}"));
    };
    wrong("scan_hz = 50", &["diodes"]);
    wrong("diodes = true", &["one of [gpio] and [mcp23017]"]);
    wrong(&format!("{WIRED}{}", expander.trim_start_matches("diodes = false\n")), &["one of [gpio] and [mcp23017]"]);
    wrong(&WIRED.replace("[0, 1,", "[0, 0,").replace("= 200", "= 500"), &["scan_hz is 500", "line 0 is used twice"]);
    wrong(&WIRED.replace("settle_us = 0", "settle_us = 18446744073709551"), &["settle_us is", "longer than a scan"]);
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
        // The current goes on through every row that has a contact in one of these columns.
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
        let wiring = Wiring::parse(WIRED).unwrap();
        let lines = Box::new(Switches { closed: Arc::clone(&closed), diodes: true });
        let mut port = Port::start(&wiring, lines).unwrap();
        let mut buffer = [0; 1024];
        assert_eq!(port.read(&mut buffer).await.unwrap(), 9);
        assert_eq!(buffer[..9], packet(squares("a1"), true));
        // The same again, because it is asked for; then what is new.
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
fn a_missing_or_wrong_file_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("matrix.toml");
    assert!(Port::open(&path).unwrap_err().to_string().contains("matrix.toml"));
    std::fs::write(&path, "diodes = true\n").unwrap();
    assert!(Port::open(&path).unwrap_err().to_string().contains("one of [gpio] and [mcp23017]"));
    std::fs::write(&path, WIRED.replace("gpiochip0", "gpiochip99")).unwrap();
    let error = Port::open(&path).unwrap_err().to_string();
    let says = if cfg!(feature = "gpio") { "gpiochip99" } else { "--features gpio" };
    assert!(error.contains(says), "{error}");
}
