//! The page for operators and arbiters, in a browser: one hall of two boards, one of which is a spare.

mod bluetooth;
mod exchange;
mod laws_and_tags;
mod round;
mod service;
mod wiring_test;

use crate::harness::hall::{client, made};
use crate::harness::organiser::Organiser as _;
use crate::harness::webdriver::{Browser, ENTER};
use crate::harness::{Board, Daemon, PrivateBus, eventually};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::Stream;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;

/// Two boards, a round with one pairing, and a browser that is logged in to the page. The fields are in the order in which they must be
/// dropped.
struct Desk {
    browser: Browser,
    client: Client,
    daemon: Daemon,
    boards: [Board; 2],
    dir: TempDir,
    bus: PrivateBus,
}

impl Desk {
    /// Opens the page as a user of this role; `keys` are added to the configuration. `None`, with a message, if a browser or a bus is
    /// missing.
    async fn open(keys: &str, role: &str) -> Option<Desk> {
        let browser = Browser::open()?;
        let bus = PrivateBus::start()?;
        let (boards, dir) = ([Board::plugged(), Board::plugged()], tempfile::tempdir().unwrap());
        let mut config = format!("[web]\nlisten = '127.0.0.1:0'\n{keys}\n");
        for (name, board) in ["board_7", "spare"].iter().zip(&boards) {
            config += &format!("[[board]]\nname = '{name}'\nmodel = 'dgt'\nport = '{}'\n", board.path().display());
        }
        let path = dir.path().join("touchmoved.toml");
        std::fs::write(&path, config).unwrap();
        std::fs::create_dir(dir.path().join("state")).unwrap();
        let (path, state) = (path.to_str().unwrap(), dir.path().join("state"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmoved"));
        // The bus of BlueZ is always the system's.
        command.env("DBUS_SYSTEM_BUS_ADDRESS", bus.address());
        let args = ["--bus", &bus.address(), "--config", path, "--state-dir", state.to_str().unwrap()];
        let daemon = Daemon::run(command, &args);
        daemon.ready();
        boards.iter().for_each(Board::wait_read);
        let client = client(&bus, Stream::Live).await;
        let round = Round::read("table,white,black,board\n1,Ada,Bob,board_7\n", Some(1), &TableOrder::Unknown).unwrap();
        client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
        let desk = Desk { browser, client, daemon, boards, dir, bus };
        desk.log_in(role);
        Some(desk)
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Logs in as a user of this role.
    fn log_in(&self, role: &str) {
        let mut create = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
        let output = create.args(["token", "create", "Anna", "--role", role, "--state-dir"]).arg(self.state()).output();
        let token = String::from_utf8(output.unwrap().stdout).unwrap();
        let browser = &self.browser;
        browser.size(1280, 800);
        browser.go(&self.address("/login"));
        browser.shows("#login", "Log in");
        browser.click("#login");
        browser.keys(&format!("{}{ENTER}", token.trim()));
        browser.shows("#who", &format!("Anna ({role})"));
    }

    /// The address of this path of the page.
    fn address(&self, path: &str) -> String {
        let port: u16 = eventually("the page's port", || {
            let log = self.daemon.log();
            let (_, rest) = log.split_once("the page is at http://127.0.0.1:")?;
            rest.split_once('/')?.0.parse().ok()
        });
        format!("http://127.0.0.1:{port}{path}")
    }

    /// Plays 1. e4 e5 on the board of table 1.
    async fn play(&self) {
        let mut watch = self.client.watch().await.unwrap();
        for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5")] {
            self.boards[0].play(from, to);
            made(&mut watch, san).await;
        }
    }

    /// Nothing that the page did was refused by its security policy.
    fn assert_no_refusals(&self) {
        let console = self.browser.console().into_iter();
        let refused: Vec<String> = console.filter(|line| line.contains("Content Security Policy")).collect();
        assert!(refused.is_empty(), "{refused:?}");
    }
}
