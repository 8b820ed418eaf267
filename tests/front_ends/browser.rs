//! The page in a browser: in a hall of eight boards, one game has an illegal move; an arbiter sees it and decides.
//!
//! `UPDATE=1` takes the screenshots in docs/screens; the Chinese one needs a font with Chinese characters, such as Debian's
//! fonts-noto-cjk.

mod alerts;
mod desk;
mod large_hall;
mod public;
mod setup;
mod telephone;

use crate::harness::hall::{client, until_games};
use crate::harness::organiser::Organiser as _;
use crate::harness::webdriver::{Browser, ENTER, ESCAPE, RIGHT};
use crate::harness::{Board, Daemon, PrivateBus, eventually};
use shakmaty::Color;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use touchmove::game::Command as Order;
use touchmove::laws::Irregularity;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::Stream;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder as TrfOrder;

/// The players at each table, and their opening in UCI.
const TABLES: [(&str, &str, &str); 8] = [
    ("GM,Ada Lund,2611", "IM,Bo Ferrer,2480", "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 f1e2 e7e5 d4b3 f8e7"),
    ("GM,Cyrus Bell,2587", "GM,Dora Klein,2550", "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c4d5 e6d5 c1g5 f8e7 e2e3 e8g8 f1d3 b8d7"),
    ("IM,Eva Stone,2455", "FM,Finn Weir,2398", "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 e2e3 e8g8 f1d3 d7d5"),
    ("WGM,Gita Rao,2401", "IM,Hugo Prins,2433", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6"),
    ("FM,Ines Moro,2310", ",Jan Novak,2275", "c2c4 e7e5 b1c3 g8f6 g2g3 d7d5 c4d5 f6d5 f1g2 d5b6 g1f3 b8c6"),
    (",Kira Osman,2288", "FM,Liam Hart,2350", "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8g8 f1e2 e7e5 e1g1 b8c6"),
    ("IM,Mira Sato,2420", ",Nils Berg,2244", "e2e4 e7e6 d2d4 d7d5 b1c3 f8b4 e4e5 c7c5 a2a3 b4c3 b2c3 g8e7"),
    (",Omar Haddad,2190", ",Pia Lindt,2215", "g1f3 d7d5 g2g3 g8f6 f1g2 e7e6 e1g1 f8e7 d2d4 e8g8 c2c4 d5c4"),
];
/// The table with the illegal move.
const TABLE: usize = 3;

/// Eight boards at their playing tables, and touchmoved with the page.
struct Hall {
    client: Client,
    daemon: Option<Daemon>,
    boards: Vec<Board>,
    dir: TempDir,
    bus: PrivateBus,
}

impl Hall {
    async fn open() -> Option<Hall> {
        let bus = PrivateBus::start()?;
        let boards: Vec<Board> = TABLES.iter().map(|_| Board::plugged()).collect();
        let client = client(&bus, Stream::Live).await;
        let mut hall = Hall { client, daemon: None, boards, dir: tempfile::tempdir().unwrap(), bus };
        std::fs::create_dir(hall.state()).unwrap();
        hall.start(0);
        hall.boards.iter().for_each(Board::wait_read);
        hall.load_players().await;
        Some(hall)
    }

    /// Starts touchmoved with the page on this port, or on any free port if it is 0.
    fn start(&mut self, port: u16) {
        let mut config = format!("[web]\nlisten = '127.0.0.1:{port}'\n");
        for (number, board) in (1..).zip(&self.boards) {
            config += &format!("[[board]]\nname = 'hall_{number}'\nmodel = 'dgt'\nport = '{}'\n", board.path().display());
        }
        let path = self.dir.path().join("touchmoved.toml");
        std::fs::write(&path, config).unwrap();
        let (path, state) = (path.to_str().unwrap(), self.state());
        let daemon = Daemon::start(&["--bus", &self.bus.address(), "--config", path, "--state-dir", state.to_str().unwrap()]);
        daemon.ready();
        self.daemon = Some(daemon);
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Loads a round with all players.
    async fn load_players(&self) {
        let mut csv = "table,board,white_title,white,white_rating,black_title,black,black_rating\n".to_owned();
        for (number, (white, black, _)) in (1..).zip(TABLES) {
            csv += &format!("{number},hall_{number},{white},{black}\n");
        }
        let mut round = Round::read(&csv, Some(3), &TrfOrder::Unknown).unwrap();
        round.event = Some("City Open".to_owned());
        self.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    }

    /// The page's port.
    fn port(&self) -> u16 {
        let log = || self.daemon.as_ref().unwrap().log();
        eventually("the page's port", || {
            let log = log();
            let (_, rest) = log.split_once("the page is at http://127.0.0.1:")?;
            rest.split_once('/')?.0.parse().ok()
        })
    }

    /// Creates a token for an arbiter.
    fn token(&self) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
        let output = command.args(["token", "create", "Anna", "--role", "arbiter", "--state-dir"]).arg(self.state()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn board(&self, table: usize) -> &Board {
        &self.boards[table - 1]
    }

    /// Plays all openings, move by move on all boards in parallel.
    async fn play(&self) {
        self.boards.iter().for_each(|board| board.clock(5400, 5400, true));
        let openings: Vec<Vec<&str>> = TABLES.iter().map(|table| table.2.split(' ').collect()).collect();
        for ply in 1..=openings.iter().map(Vec::len).max().unwrap() {
            let mut expect = Vec::new();
            for (index, (board, opening)) in self.boards.iter().zip(&openings).enumerate() {
                if let Some(uci) = opening.get(ply - 1) {
                    play_move(board, uci);
                    press(board, index, ply);
                }
                expect.push(opening.len().min(ply));
            }
            until_games(&self.client, &expect).await;
        }
    }
}

/// Plays a move, also a capture or castling.
fn play_move(board: &Board, uci: &str) {
    board.play(&uci[..2], &uci[2..4]);
    match uci {
        "e1g1" => board.play("h1", "f1"),
        "e8g8" => board.play("h8", "f8"),
        _ => {}
    }
}

/// Presses the clock after this ply. The times differ from table to table.
fn press(board: &Board, table: usize, ply: usize) {
    let spent = |moves: usize, pace: usize| (moves * (pace + 37 * (table % 3))) as u32;
    let (white, black) = (5400 - spent(ply.div_ceil(2), 95 + 11 * table), 5400 - spent(ply / 2, 120 + 7 * table));
    board.clock(white, black, ply.is_multiple_of(2));
}

/// Saves a screenshot of the window if `UPDATE` is set.
pub(crate) fn screenshot(browser: &Browser, name: &str) {
    if std::env::var_os("UPDATE").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screens");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name).with_extension("png"), from_base64(&browser.screenshot())).unwrap();
    }
}

/// Decodes base64.
fn from_base64(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|digit| *digit != b'=').collect();
    let bytes = digits.chunks(4).flat_map(|chunk| {
        let bits = chunk.iter().fold(0, |bits, digit| bits << 6 | u32::from(value(*digit))) << (6 * (4 - chunk.len()));
        bits.to_be_bytes()[1..chunk.len()].to_vec()
    });
    bytes.collect()
}

#[tokio::test]
async fn an_arbiter_sees_an_illegal_move_and_restores_the_position() {
    let Some(browser) = Browser::open() else { return };
    let Some(mut hall) = Hall::open().await else { return };
    let port = hall.port();
    browser.size(1280, 800);

    // A visitor who is not logged in sees the games, but no alerts.
    browser.go(&format!("http://127.0.0.1:{port}/login"));
    browser.until("a card for each board", "document.querySelectorAll('#cards .card').length === 8");
    browser.shows("#login", "Log in");
    browser.hides("#menu, #sound, #alerts");
    browser.click("#login");
    browser.keys(&format!("wrong{ENTER}"));
    browser.shows("#login-form .wrong", "not valid");
    browser.keys(&format!("{}{ENTER}", hall.token()));
    browser.shows("#who", "Anna (arbiter)");
    browser.hides("#login-form, #public");
    browser.shows("#cards-tools", "Needs somebody: 0");
    browser.shows("#sound", "Sound is off");

    hall.play().await;
    for (white, black, _) in TABLES {
        for player in [white, black] {
            browser.shows("#cards .name", player.split(',').nth(1).unwrap());
        }
    }
    browser.shows("[data-board=hall_1] .last", "Be7");
    browser.until("no board has an alert", "!document.querySelector('#cards [data-state=alert]')");
    browser.hides("#alerts");

    // The knight is pinned, and captures nevertheless.
    let board = hall.board(TABLE);
    board.play("c3", "d5");
    press(board, TABLE - 1, 11);
    browser.shows("#alerts li[data-state=alert]", "Table 3");
    browser.until("its board is listed first", "document.querySelector('#cards .card').dataset.board === 'hall_3'");
    browser.shows("[data-board=hall_3] .state", "Illegal move");
    browser.until(
        "it is read aloud",
        "document.querySelector('#announce-alert').textContent.startsWith('Table 3: Illegal move: White')",
    );
    browser.until("the title counts the alert", "document.title.startsWith('(1) City Open')");
    browser.js("document.activeElement.blur()");
    screenshot(&browser, "hall");
    narrow(&browser);
    screenshot(&browser, "telephone");
    browser.size(1280, 800);

    // With the keyboard alone: the next alert, and its board.
    browser.keys("a");
    browser.shows("#place", "Table 3");
    browser.shows("#board-alerts .sentence", "the knight on c3 is pinned");
    browser.shows("#board-alerts dd", "7.5.1");
    browser.shows("#board-alerts dd li", "restore the position before the irregularity");
    browser.shows("#board-alerts dd li", "add 2 minutes to the opponent's clock");
    browser.shows("#moves .irregular", "Nc3xd5");
    browser.click("#board-alerts summary");
    browser.shows("#board-alerts .evidence", "c3 a white knight → nothing");
    screenshot(&browser, "alert");
    narrow(&browser);
    browser.size(1280, 800);
    choose_language(&browser, "zh-Hant");
    browser.shows("#board-alerts .sentence", "c3的騎士被牽制");
    choose_language(&browser, "zh-Hans");
    browser.shows("#board-alerts .sentence", "c3的马被牵制");
    browser.shows("#board-alerts .main", "恢复到白方第6着之前");
    screenshot(&browser, "chinese");
    choose_language(&browser, "en");
    browser.shows("#board-alerts .sentence", "the knight on c3 is pinned");

    // The page says what the ruling would do; nothing happens without a reply.
    browser.click("#board-alerts .main");
    browser.shows("#rule .effects", "removes one move: White's move 6, 6.Nc3xd5");
    let boards = "[...document.querySelectorAll('.preview-boards cg-board')].filter(one => one.clientHeight > 100).length";
    browser.until("both positions", &format!("{boards} === 2"));
    browser.shows("#rule #preview-do", "Remove one move");
    browser.until("the boards before and after", "document.querySelectorAll('#rule .preview-boards piece').length > 50");
    screenshot(&browser, "preview");
    narrow(&browser);
    browser.size(1280, 800);
    browser.keys(ESCAPE);
    browser.hides("#rule");
    browser.shows("#moves .irregular", "Nc3xd5");
    browser.click("#board-alerts .main");
    browser.shows("#rule #preview-do", "Remove one move");
    browser.keys(ENTER);
    browser.shows("#differs li", "c3 should hold a white knight, but holds nothing");
    browser.shows("#differs li", "d5 should hold a black pawn, but holds a white knight");
    browser.until("the squares are marked", "document.querySelectorAll('#large square.wrong').length === 2");
    browser.until("the move is off the record", "!document.querySelector('#moves .irregular')");
    browser.until("the alert has disappeared", "!document.querySelector('#board-alerts article')");

    // The pieces are returned to their squares.
    board.put("d5", '.');
    board.put("c3", 'N');
    browser.shows("#differs li", "d5 should hold a black pawn, but holds nothing");
    browser.until("one square is right", "document.querySelectorAll('#differs li').length === 1");
    board.put("d5", 'p');
    browser.hides("#differs");
    browser.until("no square is marked", "!document.querySelector('#large square.wrong')");
    board.play("c4", "d5");
    press(board, TABLE - 1, 11);
    browser.shows("#moves .move", "cxd5");
    browser.shows("#state", "In play");
    browser.hides("#alerts");

    // The recorded squares, and earlier moves.
    browser.keys("g");
    browser.shows("#frames li", "d5: a white knight → nothing");
    browser.keys(&format!("{RIGHT}{ESCAPE}"));
    browser.hides("#frames");
    browser.click("#moves [data-ply='1']");
    browser.shows("#caption", "White's move 1 d4");

    shows_another_arbiters_commands(&browser, &hall).await;
    reconnects_a_silent_stream(&browser);

    browser.keys(ESCAPE);
    browser.shows("#cards .state", "In play");
    reconnects_after_a_restart(&browser, &mut hall, port);

    let refused: Vec<String> = browser.console().into_iter().filter(|line| line.contains("Content Security Policy")).collect();
    assert!(refused.is_empty(), "{refused:?}");
    let external_requests =
        "return performance.getEntriesByType('resource').filter(one => !one.name.startsWith(location.origin)).length";
    assert_eq!(browser.js(external_requests), 0);
}

/// Commands of another arbiter are shown, even if reading the game fails at first.
async fn shows_another_arbiters_commands(browser: &Browser, hall: &Hall) {
    let games = hall.client.snapshot().await.unwrap().games;
    let game = games.iter().find(|game| game.board == format!("hall_{TABLE}")).unwrap();
    let tally_length = "document.querySelectorAll('#tally li').length";
    let before = browser.js(&format!("return {tally_length}")).as_u64().unwrap();
    browser.js("const fetch = window.fetch;
         window.fetch = (path, ...rest) => {
             if (!String(path).startsWith('/api/games/')) return fetch(path, ...rest);
             window.fetch = fetch;
             return Promise.reject(new Error('no answer'));
         };");
    let count = Order::Count { player: Color::Black, irregularity: Irregularity::TwoHands };
    hall.client.send_command(game.id, &count).await.unwrap();
    browser.until("the irregularity is counted", &format!("{tally_length} === {}", before + 1));
    let strike = Order::Strike { player: Color::Black, ply: game.moves.len() as u32 };
    hall.client.send_command(game.id, &strike).await.unwrap();
    browser.until("the irregularity is removed", &format!("{tally_length} === {before}"));
    browser.until("the command can be undone", "!document.querySelector('#undo').disabled");
}

/// When the event stream is silent for long, the page opens a new one, even if all other requests are answered.
fn reconnects_a_silent_stream(browser: &Browser) {
    browser.js("const [Real, now] = [window.EventSource, Date.now];
         window.EventSource = class extends Real {
             constructor(...all) {
                 super(...all);
                 [window.reopened, window.EventSource] = [true, Real];
             }
         };
         Date.now = () => now.call(Date) + 60000;
         setTimeout(() => (Date.now = now), 6000);");
    browser.until("the page opens a new event stream", "window.reopened");
    browser.hides("#lost");
}

/// Resizes the window to that of a telephone: nothing is wider than the screen.
fn narrow(browser: &Browser) {
    browser.size(360, 740);
    browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= 360");
}

/// Chooses a language.
fn choose_language(browser: &Browser, language: &str) {
    let choose =
        "const one = document.querySelector('#language'); one.value = LANGUAGE; one.dispatchEvent(new Event('change'))";
    browser.js(&choose.replace("LANGUAGE", &format!("{language:?}")));
    browser.until("the language", &format!("document.documentElement.lang === {language:?}"));
}

/// When the server ends and starts again, the page shows the lost connection and reconnects by itself.
fn reconnects_after_a_restart(browser: &Browser, hall: &mut Hall, port: u16) {
    hall.daemon.take().unwrap().terminate();
    browser.shows("#lost", "Connection lost");
    hall.start(port);
    browser.hides("#lost");
    browser.shows("#who", "Anna (arbiter)");
    browser.shows("[data-board=hall_3] .last", "cxd5");
}
