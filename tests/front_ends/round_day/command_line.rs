//! The desk on the command line: `touchmovectl`, one process for each act.

use super::Desk;
use super::hall::Hall;
use super::truth::TABLES;
use crate::front_ends::dbus::Lines;
use crate::harness::{Pty, until};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use touchmove::game::words::Word;
use touchmove::round::{PairingResult, Player};

const PROGRAM: &str = env!("CARGO_BIN_EXE_touchmovectl");

pub struct CommandLine {
    bus: String,
}

impl CommandLine {
    pub fn new(hall: &Hall) -> CommandLine {
        CommandLine { bus: hall.bus().address() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).args(["--bus", &self.bus]).stdin(Stdio::null());
        command
    }

    /// Runs the program, which must succeed; returns what it prints.
    fn run(&self, args: &[&str]) -> String {
        output(self.command(args))
    }

    /// Runs the program in a terminal, where it asks whether to do what it describes; says yes. Returns what it prints.
    fn confirm(&self, args: &[&str]) -> String {
        let terminal = Pty::open();
        let keyboard = OpenOptions::new().read(true).custom_flags(0o400).open(terminal.path()).unwrap();
        terminal.master().write_all(b"y\n").unwrap();
        let mut command = self.command(args);
        command.stdin(keyboard);
        output(command)
    }
}

fn output(mut command: Command) -> String {
    let output = command.output().unwrap();
    let (text, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(output.status.success(), "{command:?}: {errors}");
    text
}

impl Desk for CommandLine {
    async fn load_round(&mut self, file: &Path, round: u16) {
        let file = file.to_str().unwrap();
        let preview = self.run(&["round", "load", file, "--check"]);
        assert!(preview.ends_with(&format!("round {round} with {TABLES} tables: no error found\n")), "{preview}");
        let shown = self.run(&["round", "load", file]);
        assert!(round == 1 || shown.contains(&format!("`touchmovectl round start {round}` when it begins")), "{shown}");
    }

    async fn start_round(&mut self, round: u16) {
        let shown = self.run(&["round", "start", &round.to_string()]);
        assert!(shown.contains(&format!("ound {round}")) && !shown.contains("missing"), "{shown}");
    }

    async fn seat_by_touch(&mut self, hall: &mut Hall) {
        let seating = Lines::of(PROGRAM, &["seat", "by-touch", "--bus", &self.bus]);
        for table in 1..=TABLES {
            let board = hall.board(table).to_owned();
            seating.wait_for("the next table", |line| line.starts_with(&format!("Table {table} of {TABLES}: ")));
            hall.hold_king(table, true);
            seating.wait_for("the seat", |line| line.trim() == format!("board {board} is seated at table {table}"));
            hall.hold_king(table, false);
        }
        seating.wait_for("the end", |line| line.starts_with(&format!("{TABLES} boards were seated")));
    }

    async fn replace_black(&mut self, table: u16, white: &Player, black: &Player) {
        let rating = black.rating.unwrap_or_default().to_string();
        let (table, black) = (table.to_string(), black.titled_name());
        let shown = self.run(&["round", "pair", &table, &white.titled_name(), &black, "--black-rating", &rating]);
        assert!(shown.contains(&black), "{shown}");
    }

    async fn swap(&mut self, one: u16, other: u16) {
        self.run(&["round", "swap", &one.to_string(), &other.to_string()]);
    }

    async fn enter_result(&mut self, table: u16, result: PairingResult) {
        let table = table.to_string();
        let winner = match result {
            PairingResult::WhiteWinsByForfeit => Some("white"),
            PairingResult::BlackWinsByForfeit => Some("black"),
            _ => None,
        };
        match winner {
            Some(winner) => self.run(&["round", "forfeit", &table, winner]),
            None => self.run(&["round", "result", &table, result.word()]),
        };
    }

    async fn missing(&mut self) -> Vec<u16> {
        let text = self.run(&["round", "missing"]);
        let tables = text.split_once("table ").and_then(|(_, rest)| rest.split_once(':'));
        tables.map_or_else(Vec::new, |(tables, _)| tables.split(", ").map(|table| table.parse().unwrap()).collect())
    }

    async fn restore(&mut self, _table: u16, board: &str) {
        let shown = self.confirm(&["arbiter", "restore", "3.", "--game", board]);
        assert!(shown.contains("removes one move: White's move 3") && shown.contains("is restored"), "{shown}");
    }

    async fn take_back(&mut self, board: &str) {
        let shown = self.confirm(&["arbiter", "take-back", "--game", board]);
        assert!(shown.contains("removed 2..."), "{shown}");
    }

    async fn undo(&mut self, board: &str) {
        let shown = self.confirm(&["arbiter", "undo", "--game", board]);
        assert!(shown.contains("undone: take back"), "{shown}");
    }

    async fn exchange(&mut self, _table: u16, from: &str, to: &str) {
        let shown = self.run(&["round", "exchange", from, to]);
        assert!(shown.starts_with(&format!("the game continues on board {to}")), "{shown}");
    }

    async fn shows_away(&mut self, table: u16, white: &Player, black: &Player) {
        let shown = self.run(&["round", "show"]);
        let row = shown.lines().find(|line| line.split_whitespace().next() == Some(&table.to_string())).unwrap();
        let surname = |player: &Player| player.name.split(',').next().unwrap_or_default().to_owned();
        assert!(row.contains(&surname(white)) && row.contains(&surname(black)), "{row}");
        // The hub of a hall knows the boards of its machines, also those that are away; that they are, it says after some seconds.
        until("the board to be away", async || {
            let seats = self.run(&["seat", "show"]);
            let seat = seats.lines().find(|line| line.split_whitespace().next() == Some(&table.to_string()))?;
            (seat.ends_with("absent") || seat.ends_with("unplugged")).then_some(())
        })
        .await;
    }

    async fn export(&mut self, format: &str, round: u16) -> String {
        self.run(&["round", "export", format, "--round", &round.to_string()])
    }
}
