//! A whole game on each model that has Bluetooth, all at the same time, and faults that end all connections.

use super::{Air, table};
use crate::harness::bluez::{Bluez, RadioBoard};
use crate::harness::{PrivateBus, until};
use std::sync::Arc;
use touchmove::boards::bluetooth::{Bluetooth, DEFAULT_MTU};
use touchmove::boards::{Model, bluetooth_models};
use touchmove::laws::Position;

/// Légal's mate: captures on squares that a piece leaves, and a mate.
static GAME: [&str; 13] = ["e4", "e5", "Nf3", "d6", "Bc4", "Bg4", "Nc3", "g6", "Nxe5", "Bxd1", "Bxf7+", "Ke7", "Nd5#"];

/// The smallest MTU with which a model is read.
fn min_mtu(model: &Model) -> u16 {
    match model.bluetooth() {
        Some(Bluetooth::Gatt(gatt)) => gatt.min_mtu,
        Some(Bluetooth::Rfcomm) | None => DEFAULT_MTU,
    }
}

/// Boards of all models, on which the same game is played.
struct Hall {
    air: Air,
    /// The boards, with their names in touchmoved.
    boards: Vec<(String, Arc<RadioBoard>)>,
    position: Position,
    /// The moves so far.
    played: Vec<&'static str>,
}

impl Hall {
    /// A touchmoved that reads a board of each model, over connections with this MTU or, if that is too small, with the smallest
    /// that the model needs.
    async fn open(mtu: u16) -> Option<Hall> {
        let bus = PrivateBus::start()?;
        let bluez = Bluez::start(&bus);
        let mut config = String::new();
        let mut boards = Vec::new();
        for (number, model) in bluetooth_models().enumerate() {
            let (name, address) = (model.name.replace('-', "_"), format!("AA:BB:CC:DD:EE:{number:02X}"));
            config += &table(&name, model.name, &address);
            boards.push((name, bluez.add(RadioBoard::new(model.name, &address).with_mtu(mtu.max(min_mtu(model))))));
        }
        let air = Air::serving(bus, bluez, &config).await;
        let hall = Hall { air, boards, position: Position::start(), played: Vec::new() };
        hall.are_ready().await;
        Some(hall)
    }

    /// Waits until all boards are ready.
    async fn are_ready(&self) {
        for (name, _) in &self.boards {
            self.air.board(name, "ready").await;
        }
    }

    /// Waits until the reason of each board's state has these words.
    async fn have_reason(&self, words: &str) {
        for (name, _) in &self.boards {
            self.air.reason(name, words).await;
        }
    }

    /// Makes the next moves on all boards, without waiting for them.
    fn make(&mut self, san: &'static str) {
        let mv = self.position.parse_san(san).expect("a legal move");
        self.boards.iter().for_each(|(_, board)| board.make(mv));
        self.position = self.position.play_legal(mv);
        self.played.push(san);
    }

    /// Waits until all games have the moves that were made, and no others.
    async fn are_recorded(&self) {
        for (name, _) in &self.boards {
            let are_recorded = async || {
                let games = self.air.client.snapshot().await.unwrap().games;
                let mut of_board = games.into_iter().filter(|game| game.board == *name);
                let moves: Vec<String> = of_board.next()?.moves.into_iter().map(|ply| ply.san).collect();
                assert!(of_board.next().is_none(), "{name}: it is the same game");
                (moves == self.played).then_some(())
            };
            until(&format!("{:?} on {name}", self.played), are_recorded).await;
        }
    }

    /// Makes moves, each of which is recorded before the next one is made.
    async fn play(&mut self, moves: &[&'static str]) {
        for san in moves {
            self.make(san);
            self.are_recorded().await;
        }
    }
}

#[tokio::test]
async fn a_whole_game_on_every_board() {
    let Some(mut hall) = Hall::open(517).await else { return };
    hall.play(&GAME).await;
    // Nothing but the commands of the model was sent, each in one packet.
    for (name, board) in hall.boards.iter().filter(|(_, board)| board.is_low_energy()) {
        let received = board.received();
        assert!(received.iter().all(|packet| board.model().may_send(packet)), "{name}: {received:x?}");
    }
}

#[tokio::test]
async fn a_whole_game_on_every_board_through_faults() {
    let Some(mut hall) = Hall::open(DEFAULT_MTU).await else { return };
    let (start, rest) = GAME.split_at(5);
    hall.play(start).await;
    hall.air.bluez.set_power(false, false);
    hall.have_reason("the Bluetooth adapter hci0 is off").await;
    // Play goes on meanwhile, and somebody gives all boards the same name.
    hall.make(rest[0]);
    hall.boards.iter().for_each(|(_, board)| board.rename("Chess"));
    hall.air.bluez.set_power(true, false);
    hall.are_ready().await;
    hall.are_recorded().await;
    hall.play(&rest[1..4]).await;
    hall.air.bluez.kill_daemon();
    hall.have_reason("bluetoothd does not run").await;
    hall.air.bluez.run_daemon();
    hall.are_ready().await;
    hall.play(&rest[4..]).await;
}

/// The others need more than that, see [`Hall::open`].
#[tokio::test]
async fn links_that_are_too_narrow() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let needing_more: Vec<&Model> = bluetooth_models().filter(|model| min_mtu(model) > DEFAULT_MTU).collect();
    assert!(needing_more.iter().any(|model| model.name == "chessnut"));
    let mut config = String::new();
    for (number, model) in needing_more.iter().enumerate() {
        let address = format!("AA:BB:CC:DD:EE:{number:02X}");
        config += &table(&model.name.replace('-', "_"), model.name, &address);
        bluez.add(RadioBoard::new(model.name, &address).with_mtu(DEFAULT_MTU));
    }
    let air = Air::serving(bus, bluez, &config).await;
    for model in needing_more {
        let name = model.name.replace('-', "_");
        let words = format!("sends messages of {} bytes, but its connection carries 20 at a time", min_mtu(model) - 3);
        air.reason(&name, &words).await;
        air.board(&name, "refused").await;
    }
}
