//! The wiring test over D-Bus and on the command line, of a self-built board whose lines are connected in any way.

use crate::harness::hall::client;
use crate::harness::{Daemon, PrivateBus, Pty, until};
use shakmaty::{Bitboard, Square};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use touchmove::locale::Locale;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::Stream;
use touchmove::publish::render::wiring_test::WiringTestReport;
use touchmove::wiring_test::Step;

/// How often the board prints its squares.
const PRINT_INTERVAL: Duration = Duration::from_millis(40);

/// A self-built board, which prints a line with all its squares again and again.
struct ReedBoard {
    pty: Pty,
    occupied: Arc<Mutex<Bitboard>>,
    /// What is reported for a square.
    image: fn(Square) -> Square,
    stop: Arc<AtomicBool>,
    printer: Option<JoinHandle<()>>,
}

fn crc8(text: &str) -> u8 {
    text.bytes().fold(0, |crc, byte| (0..8).fold(crc ^ byte, |crc, _| if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 0x07 }))
}

/// The line of these squares: rank 8 first, and bit 7 is the a-file.
fn line(sequence: u8, occupied: Bitboard) -> String {
    let ranks: String = occupied.0.to_be_bytes().iter().map(|rank| format!("{:02x}", rank.reverse_bits())).collect();
    let text = format!("R1 {sequence} {ranks}");
    format!("{text}*{:02x}\n", crc8(&text))
}

impl ReedBoard {
    fn plugged(image: fn(Square) -> Square) -> ReedBoard {
        let (pty, occupied, stop) = (Pty::open(), Arc::new(Mutex::new(Bitboard::EMPTY)), Arc::new(AtomicBool::new(false)));
        let (mut master, squares, stopped) = (pty.master(), Arc::clone(&occupied), Arc::clone(&stop));
        let printer = std::thread::spawn(move || {
            let mut sequence = 0_u8;
            while !stopped.load(Ordering::Relaxed) {
                let text = line(sequence, *squares.lock().unwrap());
                if master.write_all(text.as_bytes()).is_err() {
                    return;
                }
                sequence = sequence.wrapping_add(1);
                std::thread::sleep(PRINT_INTERVAL);
            }
        });
        ReedBoard { pty, occupied, image, stop, printer: Some(printer) }
    }

    /// Puts pieces on these squares, and nothing on all others.
    fn put(&self, squares: impl IntoIterator<Item = Square>) {
        *self.occupied.lock().unwrap() = squares.into_iter().map(self.image).collect();
    }

    fn put_start(&self) {
        self.put(Square::ALL.into_iter().filter(|square| ![2, 3, 4, 5].contains(&u32::from(square.rank()))));
    }

    fn unplug(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(printer) = self.printer.take() {
            printer.join().unwrap();
        }
        self.pty.unplug();
    }
}

impl Drop for ReedBoard {
    fn drop(&mut self) {
        self.unplug();
    }
}

/// A touchmoved with such a board, which is named club. The fields are in the order in which they must be dropped.
struct Club {
    client: Client,
    _daemon: Daemon,
    board: ReedBoard,
    dir: TempDir,
    bus: PrivateBus,
}

impl Club {
    async fn open(image: fn(Square) -> Square, keys: &str) -> Option<Club> {
        let bus = PrivateBus::start()?;
        let (board, dir) = (ReedBoard::plugged(image), tempfile::tempdir().unwrap());
        let port = board.pty.path();
        let config = format!("[[board]]\nname = 'club'\nmodel = 'reed'\nport = '{}'\n{keys}", port.display());
        fs::write(dir.path().join("touchmoved.toml"), config).unwrap();
        let (config, state) = (dir.path().join("touchmoved.toml"), dir.path().join("state"));
        let (config, state) = (config.to_str().unwrap(), state.to_str().unwrap());
        let daemon = Daemon::start(&["--bus", &bus.address(), "--config", config, "--state-dir", state]);
        daemon.ready();
        let client = client(&bus, Stream::Live).await;
        let club = Club { client, _daemon: daemon, board, dir, bus };
        club.ready().await;
        Some(club)
    }

    fn config(&self) -> PathBuf {
        self.dir.path().join("touchmoved.toml")
    }

    async fn ready(&self) {
        until("the board to be ready", async || {
            let snapshot = self.client.snapshot().await.ok()?;
            snapshot.boards.iter().any(|board| board.id == "club" && board.state == "ready").then_some(())
        })
        .await;
    }

    async fn report(&self) -> WiringTestReport {
        self.client.wiring_test("club", Locale::English).await.unwrap().unwrap()
    }

    /// Waits until the test is somewhere else; returns where it is.
    async fn after(&self, before: &WiringTestReport) -> WiringTestReport {
        until("the next step", async || {
            let report = self.report().await;
            ((&report.phase, &report.square) != (&before.phase, &before.square)).then_some(report)
        })
        .await
    }

    /// Does what the test says, until the short test is done.
    async fn carry_out_short_test(&self) -> WiringTestReport {
        self.board.put([]);
        let mut report = self.report().await;
        while report.phase != "short" {
            self.board.put(report.square.iter().map(|square| square.parse().unwrap()));
            report = self.after(&report).await;
        }
        report
    }
}

#[tokio::test]
async fn mirrored_files_are_found_and_no_moves_are_read() {
    let Some(club) = Club::open(Square::flip_horizontal, "").await else { return };
    club.client.begin_wiring_test("club").await.unwrap();
    let again = club.client.begin_wiring_test("club").await.unwrap_err().to_string();
    assert!(again.contains("is being tested"), "{again}");
    // The start position begins no game.
    club.board.put_start();
    until("occupied squares", async || (club.report().await.shown.len() == 32).then_some(())).await;
    let report = club.carry_out_short_test().await;
    let kinds: Vec<&str> = report.findings.iter().map(|finding| finding.kind.as_str()).collect();
    assert_eq!((kinds.as_slice(), report.changes.as_slice()), (&["files_mirrored"][..], &[][..]));
    assert!(report.advice[0].contains("the program of the board"), "{:?}", report.advice);
    assert!(club.client.snapshot().await.unwrap().games.is_empty());
    club.client.step_wiring_test("club", Step::Stop).await.unwrap();
    assert_eq!(club.report().await.end.as_deref(), Some("stopped"));
    let over = club.client.step_wiring_test("club", Step::Next).await.unwrap_err().to_string();
    assert!(over.contains("is not being tested"), "{over}");
    // Moves are read again, and while a game is played there is no test.
    club.board.put_start();
    let start: Vec<Square> =
        Square::ALL.into_iter().filter(|square| ![2, 3, 4, 5].contains(&u32::from(square.rank()))).collect();
    until("a game", async || (!club.client.snapshot().await.unwrap().games.is_empty()).then_some(())).await;
    for (on, pieces) in [(None, 31), (Some(Square::E4), 32)] {
        club.board.put(start.iter().copied().filter(|square| *square != Square::E2).chain(on));
        until("the board to show it", async || {
            let snapshot = club.client.snapshot().await.ok()?;
            (snapshot.boards.first()?.placement.matches('x').count() == pieces).then_some(())
        })
        .await;
    }
    until("a move", async || {
        club.client.snapshot().await.unwrap().games.iter().any(|game| !game.moves.is_empty()).then_some(())
    })
    .await;
    let refused = club.client.begin_wiring_test("club").await.unwrap_err().to_string();
    assert!(refused.contains("is being played"), "{refused}");
}

#[tokio::test]
async fn a_test_ends_without_its_caller_or_its_board() {
    let Some(mut club) = Club::open(|square| square, "").await else { return };
    let other = client(&club.bus, Stream::Operator).await;
    other.begin_wiring_test("club").await.unwrap();
    assert_eq!(club.report().await.end, None);
    drop(other);
    let ended = async |reason: &str| {
        until(reason, async || (club.report().await.end.as_deref() == Some(reason)).then_some(())).await;
    };
    ended("caller_gone").await;
    club.client.begin_wiring_test("club").await.unwrap();
    assert_eq!(club.report().await.id, 2);
    club.board.unplug();
    until("board_gone", async || (club.report().await.end.as_deref() == Some("board_gone")).then_some(())).await;
    until("a refusal", async || {
        let refused = club.client.begin_wiring_test("club").await.err()?.to_string();
        refused.contains("is not connected").then_some(())
    })
    .await;
}

/// On a terminal, and written into the configuration after a question.
#[tokio::test]
async fn a_turned_board_on_the_command_line() {
    let Some(club) = Club::open(Square::rotate_180, "rotation = 'upright' # here\n").await else { return };
    let ctl = || {
        let mut ctl = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
        ctl.args(["board", "club", "--bus", &club.bus.address()]).env("LC_ALL", "C");
        ctl
    };
    let untested = ctl().arg("--write").output().unwrap();
    assert_eq!(untested.status.code(), Some(1));
    let mut test = ctl().arg("--test").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keyboard, screen) = (test.stdin.take().unwrap(), test.stdout.take().unwrap());
    let mut shown = String::new();
    for line in BufReader::new(screen).lines() {
        let line = line.unwrap();
        let instruction = line.split("  [").next().unwrap_or_default();
        let target = [" on ", " to "].iter().find_map(|word| instruction.rsplit_once(word)?.1.parse::<Square>().ok());
        if line.contains("take all pieces off") {
            club.board.put([]);
        } else if line.contains("short test is done") {
            keyboard.write_all(b"q\n").unwrap();
        } else if let Some(target) = target.filter(|_| line.contains("  [Enter")) {
            club.board.put([target]);
        }
        shown.push_str(&format!("{line}\n"));
    }
    assert_eq!(test.wait().unwrap().code(), Some(1), "{shown}");
    for part in ["turned by 180 degrees", "under [[board]]: rotation = \"turned\"", "sudo touchmovectl board club --write"] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    let before = fs::read_to_string(club.config()).unwrap();
    let write = |args: &[&str]| {
        let output = ctl().args(["--write", "--config"]).arg(club.config()).args(args).stdin(Stdio::null()).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let asked = write(&[]);
    assert!(asked.contains("+ rotation = \"turned\" # here") && asked.contains("add --yes"), "{asked}");
    assert_eq!(fs::read_to_string(club.config()).unwrap(), before);
    let written = write(&["--yes"]);
    assert!(written.contains("written; it takes effect"), "{written}");
    assert_eq!(fs::read_to_string(club.config()).unwrap(), before.replace("'upright'", "\"turned\""));
    assert!(write(&["--yes"]).contains("nothing to write"));
}
