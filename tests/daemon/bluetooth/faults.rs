//! What can be missing or end, and how it heals.

use super::{A, Air, B, table};
use crate::harness::bluez::radio_board::Sockets;
use crate::harness::bluez::{Bluez, RadioBoard};
use crate::harness::{PrivateBus, until};
use std::time::{Duration, Instant};

#[tokio::test]
async fn an_adapter_that_is_switched_off_during_a_game() {
    let Some((air, board)) = Air::with_board("chessnut", RadioBoard::new("chessnut", A)).await else { return };
    air.board("radio", "ready").await;
    air.play("radio", &board, "e2", "e4", &["e4"]).await;
    air.bluez.set_power(false, false);
    air.reason("radio", "the Bluetooth adapter hci0 is off: run `bluetoothctl power on`").await;
    air.bluez.set_power(true, false);
    air.board("radio", "ready").await;
    air.play("radio", &board, "e7", "e5", &["e4", "e5"]).await;
    air.bluez.set_power(false, true);
    air.reason("radio", "Bluetooth is blocked (rfkill)").await;
    air.bluez.set_power(true, false);
    air.board("radio", "ready").await;
    air.play("radio", &board, "g1", "f3", &["e4", "e5", "Nf3"]).await;
    // Each end of the connection was one event.
    let opened = air.daemon.log().matches("port opened").count();
    assert_eq!(opened, 3);
}

#[tokio::test]
async fn a_move_that_was_made_out_of_range() {
    let Some((air, board)) = Air::with_board("chessnut", RadioBoard::new("chessnut", A)).await else { return };
    air.board("radio", "ready").await;
    air.play("radio", &board, "e2", "e4", &["e4"]).await;
    air.bluez.set_in_range(&board, false);
    air.reason("radio", "AA:BB:CC:DD:EE:01 is not in range").await;
    assert_eq!(air.board("radio", "unplugged").await.port, A);
    board.play("e7", "e5");
    air.bluez.set_in_range(&board, true);
    air.board("radio", "ready").await;
    // The board is asked for all of its squares.
    assert_eq!(air.moves("radio", 2).await, ["e4", "e5"]);
}

#[tokio::test]
async fn a_bluetoothd_that_is_restarted() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::stopped(&bus);
    let board = bluez.add(RadioBoard::new("chessnut", A));
    let air = Air::serving(bus, bluez, &table("radio", "chessnut", A)).await;
    air.reason("radio", "bluetoothd does not run").await;
    air.bluez.run_daemon();
    air.board("radio", "ready").await;
    air.play("radio", &board, "e2", "e4", &["e4"]).await;
    air.bluez.kill_daemon();
    air.reason("radio", "bluetoothd does not run").await;
    air.bluez.run_daemon();
    air.board("radio", "ready").await;
    air.play("radio", &board, "e7", "e5", &["e4", "e5"]).await;
}

#[tokio::test]
async fn services_that_go_and_come_back() {
    let Some((air, board)) = Air::with_board("chessnut", RadioBoard::new("chessnut", A)).await else { return };
    air.board("radio", "ready").await;
    air.play("radio", &board, "e2", "e4", &["e4"]).await;
    air.bluez.set_services(&board, false);
    until("it is not ready", async || air.find("radio").await.filter(|board| board.state != "ready")).await;
    air.bluez.set_services(&board, true);
    air.board("radio", "ready").await;
    air.play("radio", &board, "e7", "e5", &["e4", "e5"]).await;
}

#[tokio::test]
async fn an_adapter_that_is_pulled() {
    let Some((air, board)) = Air::with_board("chessnut", RadioBoard::new("chessnut", A)).await else { return };
    air.board("radio", "ready").await;
    air.bluez.unplug_adapter();
    air.reason("radio", "this machine has no Bluetooth adapter").await;
    assert_eq!(air.board("radio", "refused").await.port, A);
    air.bluez.kill_daemon();
    air.bluez.run_daemon();
    air.board("radio", "ready").await;
    air.play("radio", &board, "e2", "e4", &["e4"]).await;
}

#[tokio::test]
async fn boards_that_others_hold_or_that_must_be_paired() {
    let held = RadioBoard::new("chessnut", A).with_sockets(Sockets::Held);
    let Some((air, board)) = Air::with_board("chessnut", held).await else { return };
    air.reason("radio", "AA:BB:CC:DD:EE:01 is in use by another program").await;
    board.set_sockets(Sockets::Acquired);
    air.board("radio", "ready").await;
    let needing = RadioBoard::new("chessnut", A).needing_pairing();
    let Some((air, _)) = Air::with_board("chessnut", needing).await else { return };
    air.reason("radio", "run `bluetoothctl pair AA:BB:CC:DD:EE:01`").await;
}

#[tokio::test]
async fn a_device_that_is_not_such_a_board() {
    let Some((air, board)) = Air::with_board("chessnut", RadioBoard::new("ichessone", A)).await else { return };
    air.reason("radio", "AA:BB:CC:DD:EE:01 has no service 1b7e8261-2877-41c3-b46e-cf057c562023").await;
    // Nothing was written to it, and it is free for others.
    assert!(board.received().is_empty());
    until("the connection to end", async || (!board.is_connected()).then_some(())).await;
}

/// The adapter refuses in one way over Low Energy, in another over classic Bluetooth.
#[tokio::test]
async fn an_adapter_that_holds_no_more_connections() {
    for model in ["chessnut", "dgt"] {
        let Some(bus) = PrivateBus::start() else { return };
        let bluez = Bluez::start(&bus);
        let boards = [bluez.add(RadioBoard::new(model, A)), bluez.add(RadioBoard::new(model, B))];
        let air = Air::serving(bus, bluez, &(table("one", model, A) + &table("two", model, B))).await;
        for name in ["one", "two"] {
            air.board(name, "ready").await;
        }
        air.bluez.set_in_range(&boards[1], false);
        air.board("two", "unplugged").await;
        air.bluez.set_capacity(Some(1));
        air.bluez.set_in_range(&boards[1], true);
        air.reason("two", "the Bluetooth adapter hci0 holds no more connections: use another adapter").await;
        air.board("two", "refused").await;
        // The others are still read.
        air.play("one", &boards[0], "e2", "e4", &["e4"]).await;
        air.bluez.set_capacity(None);
        air.board("two", "ready").await;
        air.play("two", &boards[1], "d2", "d4", &["d4"]).await;
    }
}

/// Otherwise BlueZ would connect the board as soon as it is in range again, and it would be free for nobody.
#[tokio::test]
async fn a_connection_that_waits_for_its_board_ends_with_touchmoved() {
    for model in ["chessnut", "dgt"] {
        let Some((air, board)) = Air::with_board(model, RadioBoard::new(model, A)).await else { return };
        air.board("radio", "ready").await;
        air.bluez.set_patience(Duration::from_secs(30));
        air.bluez.set_in_range(&board, false);
        until("a connection to wait for the board", async || board.is_awaited().then_some(())).await;
        let Air { daemon, bluez, .. } = air;
        let began = Instant::now();
        assert!(daemon.terminate().success());
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        assert!(!board.is_awaited(), "{model}");
        drop(bluez);
    }
}

/// A board that is far away must not hold up anything else.
#[tokio::test]
async fn a_board_out_of_range_does_not_hold_up_the_end() {
    let Some(bus) = PrivateBus::start() else { return };
    let bluez = Bluez::start(&bus);
    let air = Air::serving(bus, bluez, &table("radio", "chessnut", A)).await;
    until("a scan", async || air.bluez.is_discovering().then_some(())).await;
    let began = Instant::now();
    assert!(air.daemon.terminate().success());
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
}
