//! The desk in the page, as people with a browser use it.

use super::Desk;
use super::hall::Hall;
use super::truth::TABLES;
use crate::front_ends::browser::screenshot;
use crate::harness::webdriver::{Browser, ENTER};
use serde_json::json;
use std::path::Path;
use std::process::Command;
use touchmove::game::words::Word;
use touchmove::round::{PairingResult, Player};

/// The size of the window at the desk, of one that shows all tables, and of a telephone.
const DESK: (u32, u32) = (1280, 800);
const LARGE: (u32, u32) = (1600, 1080);
const TELEPHONE: (u32, u32) = (360, 740);

/// A user of the page, with the words of the page for the role.
type User = (&'static str, &'static str);
const OPERATOR: User = ("Olga", "operator");
const ARBITER: User = ("Anna", "arbiter");

pub struct Page {
    browser: Browser,
    address: String,
    tokens: Vec<(User, String)>,
    /// The round that is played.
    round: u16,
    /// Whether the documentation has pictures of this page.
    is_pictured: bool,
}

impl Page {
    /// Opens the page at the desk. The tokens are made on the machine of touchmoved.
    pub fn open(browser: Browser, hall: &Hall) -> Page {
        let token = |user: User| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
            command.args(["token", "create", user.0, "--role", user.1, "--state-dir"]).arg(hall.state());
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            (user, String::from_utf8(output.stdout).unwrap().trim().to_owned())
        };
        let address = format!("http://127.0.0.1:{}/", hall.port);
        browser.size(DESK.0, DESK.1);
        browser.go(&format!("{address}login"));
        Page { browser, address, tokens: [OPERATOR, ARBITER].map(token).into(), round: 1, is_pictured: !hall.has_machines() }
    }

    fn screenshot(&self, name: &str) {
        if self.is_pictured {
            screenshot(&self.browser, name);
        }
    }

    /// Makes sure that this user is logged in.
    fn log_in(&self, user: User) {
        let name = format!("{} ({})", user.0, user.1);
        let now = self.browser.text("#who");
        if now == name {
            return;
        }
        if !now.is_empty() {
            self.browser.click("#login");
            self.browser.until("logged out", "document.querySelector('#who').textContent === ''");
        }
        self.browser.click("#login");
        let token = self.tokens.iter().find(|(known, _)| *known == user).map(|(_, token)| token).unwrap();
        self.browser.keys(&format!("{token}{ENTER}"));
        self.browser.until("logged in", &format!("document.querySelector('#who').textContent === {}", json!(name)));
        self.browser.hides("#login-form");
    }

    /// Shows a round at the desk.
    fn show_round(&self, round: u16) {
        self.log_in(OPERATOR);
        let path = format!("/round/{round}");
        if self.browser.js("return location.pathname") == json!(path) {
            return;
        }
        self.browser.click("#views a[href='/round']");
        self.browser.shows("#rounds", &format!("Round {round}"));
        self.browser.click(&format!("#rounds a[href='{path}']"));
        self.browser.shows("#rounds a[aria-current=page]", &format!("Round {round}"));
    }

    /// Shows all boards to the operator: one row each.
    fn show_boards(&self) {
        self.log_in(OPERATOR);
        self.browser.size(LARGE.0, LARGE.1);
        self.browser.click("#views a[href='/']");
        let rows = "[...document.querySelectorAll('#cards .last')].filter(one => one.textContent).length";
        self.browser.until("a row with a move for each table in play", &format!("{rows} >= {TABLES} - 1"));
        self.screenshot("desk");
        self.browser.size(DESK.0, DESK.1);
    }

    /// Shows the board of this name to the arbiter.
    fn show_board(&self, board: &str) {
        self.log_in(ARBITER);
        self.browser.go(&format!("{}board/{board}", self.address));
        self.browser.shows("#moves", "1.");
    }

    /// Opens the dialog of a pairing.
    fn open_pairing(&self, table: u16) {
        self.show_round(self.round);
        self.browser.js(&format!("document.querySelector('#table-{table}').scrollIntoView({{ block: 'center' }})"));
        self.browser.click(&format!("#table-{table} th button"));
        self.browser.shows("#desk-dialog h2", &format!("Table {table}"));
    }

    /// Reads the preview of a ruling, whose effects contain this text, and confirms it.
    fn confirm(&self, effect: &str) {
        self.browser.shows("#rule .effects", effect);
        self.browser.click("#preview-do");
        self.browser.hides("#rule");
    }

    /// Checks that the browser refused nothing.
    pub fn close(self) {
        let refused = self.browser.console().into_iter().filter(|line| line.contains("Content Security Policy"));
        assert_eq!(refused.collect::<Vec<_>>(), [""; 0]);
    }
}

impl Desk for Page {
    async fn load_round(&mut self, file: &Path, round: u16) {
        self.log_in(OPERATOR);
        self.browser.click("#views a[href='/round']");
        self.browser.choose_file("#upload", file);
        self.browser.shows("#desk-dialog h2", &format!("round-{round}.csv: nothing has changed yet"));
        self.browser.shows("#desk-dialog", "Columns that are ignored: hall");
        let rows = "document.querySelectorAll('#desk-dialog .preview tr').length";
        self.browser.until("a row for each table", &format!("{rows} === {TABLES}"));
        self.browser.until("the beginning is shown", "document.querySelector('#desk-dialog').scrollTop === 0");
        if round == 1 {
            self.screenshot("upload");
        }
        self.browser.click("#desk-dialog .main");
        self.browser.shows("#rounds a[aria-current=page]", &format!("Round {round}"));
        self.browser.until("its tables", &format!("document.querySelectorAll('#pairings tbody tr').length === {TABLES}"));
    }

    async fn start_round(&mut self, round: u16) {
        self.show_round(round);
        self.browser.shows("#start-round", &format!("Start round {round}"));
        self.browser.click("#start-round");
        // It asks while tables of the present round have no result.
        if self.browser.js("return document.querySelector('#desk-dialog').open") == json!(true) {
            self.browser.shows("#desk-dialog", "without a result");
            self.browser.click("#desk-dialog .buttons button");
        }
        self.browser.shows("#rounds a[aria-current=page]", &format!("Round {round} (now)"));
        self.round = round;
    }

    async fn seat_by_touch(&mut self, hall: &mut Hall) {
        self.log_in(OPERATOR);
        self.browser.size(TELEPHONE.0, TELEPHONE.1);
        self.browser.click("#views a[href='/seats']");
        self.browser.click("#by-touch");
        for table in 1..=TABLES {
            self.browser.shows("#touch-table", &format!("Table {table}:"));
            if table == 13 {
                self.browser.until("nothing is wider than the screen", "document.documentElement.scrollWidth <= innerWidth");
                self.screenshot("seating");
            }
            hall.hold_king(table, true);
            self.browser.shows("#touch-table", &format!("Table {}:", table + 1));
            hall.hold_king(table, false);
        }
        self.browser.click("#touch-end");
        let chosen = "[...document.querySelectorAll('#seats select')].map(one => one.value)";
        let boards: Vec<&str> = (1..=TABLES).map(|table| hall.board(table)).collect();
        self.browser.until("the seats", &format!("JSON.stringify({chosen}) === {}", json!(json!(boards).to_string())));
        self.browser.shows("#unseated", hall.spare());
        self.browser.size(DESK.0, DESK.1);
    }

    async fn replace_black(&mut self, table: u16, _white: &Player, black: &Player) {
        self.show_boards();
        self.open_pairing(table);
        let rating = black.rating.map(|rating| rating.to_string());
        for (field, value) in [
            ("name", Some(&black.name)),
            ("title", black.title.as_ref()),
            ("rating", rating.as_ref()),
            ("federation", black.federation.as_ref()),
        ] {
            self.browser.set(&format!("#desk-dialog [name=black-{field}]"), value.map_or("", String::as_str));
        }
        self.browser.click("#desk-dialog .main");
        self.browser.shows(&format!("#table-{table} .black"), &black.name);
    }

    async fn swap(&mut self, one: u16, other: u16) {
        self.open_pairing(one);
        self.browser.set("#desk-dialog p input", &other.to_string());
        self.browser.click("#desk-dialog p button");
        self.browser.shows("#command-status", &format!("The players of tables {one} and {other} are swapped"));
    }

    async fn enter_result(&mut self, table: u16, result: PairingResult) {
        self.show_round(self.round);
        self.browser.set(&format!("#table-{table} select"), result.word());
        self.browser.until("the result", &format!("document.querySelector('#table-{table}').dataset.state === 'ended'"));
    }

    async fn missing(&mut self) -> Vec<u16> {
        self.show_round(self.round);
        self.browser.shows("#missing-results", "Table");
        // The link leads to where the result is entered.
        self.browser.click("#missing-results a");
        self.browser
            .until("the menu of results", "document.activeElement.matches('#pairings [data-state=result_missing] select')");
        self.screenshot("round");
        let tables = self.browser.text("#missing-results a");
        tables.split(" | ").map(|table| table.trim_start_matches("Table ").parse().unwrap()).collect()
    }

    async fn restore(&mut self, table: u16, board: &str) {
        self.log_in(ARBITER);
        self.browser.shows("#alerts li[data-state=alert]", &format!("Table {table}"));
        self.browser.click(&format!("#alerts a[data-board={board}]"));
        self.browser.shows("#moves .irregular", "✗");
        self.browser.click("#board-alerts .main");
        self.confirm("removes one move: White's move 3");
        self.browser.until("the move is off the record", "!document.querySelector('#moves .irregular')");
    }

    async fn take_back(&mut self, board: &str) {
        self.show_board(board);
        self.browser.click("#menu");
        self.browser.click("#rule [data-do=take_back]");
        self.browser.click("#rule .main");
        self.confirm("removes one move: Black's move 2");
        self.browser.until("the move is off the record", "document.querySelectorAll('#moves .move').length === 3");
    }

    async fn undo(&mut self, board: &str) {
        self.show_board(board);
        self.browser.until("the ruling can be undone", "!document.querySelector('#undo').disabled");
        self.browser.click("#undo");
        self.confirm("");
        self.browser.until("the move is on record again", "document.querySelectorAll('#moves .move').length === 4");
    }

    async fn exchange(&mut self, table: u16, from: &str, to: &str) {
        self.open_pairing(table);
        self.browser.click("#pairing-exchange");
        self.browser.shows("#exchange", from);
        self.browser.set("#exchange select", to);
        self.browser.click("#exchange .main");
        self.browser.shows("#command-status", &format!("The game continues on {to}"));
    }

    async fn shows_away(&mut self, table: u16, white: &Player, black: &Player) {
        self.show_round(self.round);
        let cell = |class: &str| format!("#table-{table} .{class}");
        self.browser.shows(&cell("board"), "away");
        self.browser.shows(&cell("white"), &white.name);
        self.browser.shows(&cell("black"), &black.name);
    }

    async fn export(&mut self, format: &str, round: u16) -> String {
        self.show_round(round);
        let script = "const request = new XMLHttpRequest();
             request.open('GET', document.querySelector('#export [data-format=FORMAT]').href, false);
             request.send();
             return request.responseText";
        let text = self.browser.js(&script.replace("FORMAT", format));
        text.as_str().expect("a file").to_owned()
    }
}
