//! The moves of a feed: from which position they are reported, and when.

use super::{AFTER_E4, Client, START, Site};
use crate::harness::until;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

#[tokio::test]
async fn moves_are_reported_from_the_position_that_was_set_up() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    let first = client.subscribe().await;
    assert!(first.get("san").is_none() && first.get("start").is_none() && first.get("match").is_none(), "{first}");
    let start = format!("{START} w KQkq - 0 1");
    let set = client.method("setup", json!({ "fen": start })).await;
    assert_eq!(set, json!({"serialnr": "23946", "flipped": false, "start": start, "san": [], "match": true}));
    site.hall.play("e2", "e4", "e4").await;
    let e4 = client.wait_for("e4", |param| param["san"] == json!(["e4"]) && param["match"] == true).await;
    assert_eq!(e4["start"], json!(start));
    site.hall.play("e7", "e5", "e5").await;
    client.wait_for("both moves", |param| param["san"] == json!(["e4", "e5"]) && param["match"] == true).await;
    // Another position of the game: only the moves after it. Castling rights may be written in any order.
    let fen = format!("{AFTER_E4} b QKqk - 0 1");
    client.method("setup", json!({ "fen": fen })).await;
    let set = client.wait_for("the reply", |param| param["san"] == json!(["e5"])).await;
    assert_eq!((&set["start"], &set["match"]), (&json!(fen), &json!(true)));
    site.hall.play("g1", "f3", "Nf3").await;
    client.wait_for("the knight", |param| param["san"] == json!(["e5", "Nf3"]) && param["match"] == true).await;
    // A position that was never on the board.
    let set = client.method("setup", json!({ "fen": "8/8/4k3/8/8/4K3/8/8 w - - 0 1" })).await;
    assert_eq!((&set["san"], &set["match"]), (&json!([]), &json!(false)));
    // The game is unchanged.
    let pgn = site.hall.client.pgn(site.hall.game).await.unwrap();
    assert!(pgn.contains("Nf3"), "{pgn}");
    // Flipped by the method of livechess-go and by that of LiveChess.
    for (method, flip) in [("setup", true), ("flip", false)] {
        let set = client.method(method, json!({ "flip": flip })).await;
        assert_eq!(set["flipped"], json!(flip));
        let rank = if flip { "R1BKQBNR/PPP" } else { "rnbqkbnr/ppp" };
        assert!(set["board"].as_str().unwrap().starts_with(rank), "{set}");
    }
    let unsubscribe = json!({"id": 5, "call": "call", "param": {"id": 7, "method": "unsubscribe"}});
    assert_eq!(client.call(unsubscribe.clone()).await["response"], "call");
    assert_eq!(client.call(unsubscribe).await["response"], "error");
}

/// Plays a bishop to e2, where it rests longer than the settle time, and then on to d3.
async fn play_bishop_in_two_steps(site: &mut Site) {
    for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5")] {
        site.hall.play(from, to, san).await;
    }
    site.hall.play("f1", "e2", "Be2").await;
    site.hall.board.play("e2", "d3");
}

/// All lists of moves that are reported until this one.
async fn move_lists_until(client: &mut Client, last: Value) -> Vec<Value> {
    let mut lists = Vec::new();
    while lists.last() != Some(&last) {
        let param = client.wait_for("moves", |param| param.get("san").is_some()).await;
        lists.push(param["san"].clone());
    }
    lists
}

#[tokio::test]
async fn a_move_is_reported_when_it_is_settled() {
    for (keys, wrong_first) in [("", false), ("publish = \"prompt\"", true)] {
        let Some(mut site) = Site::open(keys).await else { return };
        let mut client = site.client().await;
        client.subscribe().await;
        client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
        play_bishop_in_two_steps(&mut site).await;
        let lists = move_lists_until(&mut client, json!(["e4", "e5", "Bd3"])).await;
        assert_eq!(lists.contains(&json!(["e4", "e5", "Be2"])), wrong_first, "{keys:?}: {lists:?}");
    }
}

#[tokio::test]
async fn with_a_clock_a_move_is_reported_after_the_press() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
    site.hall.board.clock(300, 300, true);
    site.hall.play("e2", "e4", "e4").await;
    // The pieces are reported at once, but the move is not, not even after a while.
    let placed = client.wait_for("the pawn on e4", |param| param["board"] == AFTER_E4).await;
    assert!(placed.get("san").is_none_or(|san| *san == json!([])), "{placed}");
    let settled = async { client.wait_for("e4", |param| param["san"] == json!(["e4"])).await };
    assert!(timeout(Duration::from_millis(2_500), settled).await.is_err(), "it was reported before the clock was pressed");
    site.hall.board.clock(299, 300, false);
    client.wait_for("e4", |param| param["san"] == json!(["e4"]) && param["match"] == true).await;
    // A mating move ends the game: it needs no press.
    for (from, to, san, white_runs) in [("f7", "f6", "f6", true), ("a2", "a3", "a3", false), ("g7", "g5", "g5", true)] {
        site.hall.play(from, to, san).await;
        site.hall.board.clock(298, 298, white_runs);
    }
    site.hall.play("d1", "h5", "Qh5#").await;
    client.wait_for("mate", |param| param["san"] == json!(["e4", "f6", "a3", "g5", "Qh5#"])).await;
}

/// Sets up the pieces of a position, square by square.
fn set_up(site: &Site, fen: &str) {
    for (rank, row) in fen.split(' ').next().unwrap().split('/').enumerate() {
        let empty = |c: char| c.to_digit(10).map_or(c.to_string(), |count| ".".repeat(count as usize));
        let row: String = row.chars().map(empty).collect();
        for (file, piece) in row.chars().enumerate() {
            let square = format!("{}{}", char::from(b'a' + file as u8), 8 - rank);
            site.hall.board.put(&square, piece);
        }
    }
}

#[tokio::test]
async fn moves_are_reported_from_any_position_on_the_board() {
    let Some(site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    // A game of another day, of which touchmove has no record.
    let fen = "r3k2r/pPp2ppp/3q4/4n3/4P3/2N2Q2/PPP2PPP/R3K2R w KQkq - 2 15";
    set_up(&site, fen);
    let placement = fen.split(' ').next().unwrap().to_owned();
    client.wait_for("the position", |param| param["board"] == json!(placement)).await;
    let set = client.method("setup", json!({ "fen": fen })).await;
    assert_eq!((&set["start"], &set["san"], &set["match"]), (&json!(fen), &json!([]), &json!(true)));
    let (board, mut played) = (&site.hall.board, Vec::<&str>::new());
    // Castling, a slide that rests on its way, a capture, castling to the other side, a promotion with a capture, a capture of it.
    let moves: [(&str, &[(&str, char)]); 6] = [
        ("O-O", &[("e1", '.'), ("g1", 'K'), ("h1", '.'), ("f1", 'R')]),
        ("Qd2", &[("d6", '.'), ("d4", 'q'), ("d4", '.'), ("d2", 'q')]),
        ("bxa8=Q+", &[("a8", '.'), ("b7", '.'), ("a8", 'Q')]),
        ("Ke7", &[("e8", '.'), ("e7", 'k')]),
        ("Qxh8", &[("h8", '.'), ("a8", '.'), ("h8", 'Q')]),
        ("Nxf3+", &[("f3", '.'), ("e5", '.'), ("f3", 'n')]),
    ];
    for (san, changes) in moves {
        for (square, piece) in changes {
            board.put(square, *piece);
            tokio::time::sleep(Duration::from_millis(if *piece == '.' { 60 } else { 400 })).await;
        }
        played.push(san);
        let message = client.wait_for(san, |param| param["san"].as_array().is_some_and(|san| san.len() >= played.len())).await;
        assert_eq!((&message["san"], &message["start"]), (&json!(played), &json!(fen)));
    }
    // Another client sets up the current position and gets the moves from there.
    let mut other = site.client().await;
    other.subscribe().await;
    let now = "7Q/p1p1kppp/8/8/4P3/2N2n2/PPPq1PPP/R4RK1 w - - 0 18";
    let set = other.method("setup", json!({ "fen": now })).await;
    assert_eq!((&set["san"], &set["match"]), (&json!([]), &json!(true)), "{set}");
    board.put("f3", '.');
    board.put("g2", '.');
    board.put("f3", 'P');
    played.push("gxf3");
    client.wait_for("the capture", |param| param["san"] == json!(played)).await;
    other.wait_for("the capture", |param| param["san"] == json!(["gxf3"]) && param["match"] == true).await;
    // The game on the board is unchanged, and these moves are published nowhere else.
    let pgn = site.hall.client.pgn(site.hall.game).await.unwrap();
    assert!(!pgn.contains("O-O"), "{pgn}");
    let journal = rusqlite::Connection::open(site.hall.state.path().join(touchmove::daemon::journal::FILE_NAME)).unwrap();
    let count = |sql: &str| journal.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM game"), 1);
    assert_eq!(count("SELECT count(*) FROM event WHERE kind = 'move_made'"), 0);
}

/// A pawn ending of another day.
const ENDING: &str = "4k3/p7/8/8/8/8/P7/4K3 w - - 0 40";

impl Site {
    /// Sets up the ending, and waits until this client sees it.
    async fn set_up_ending(&self, client: &mut Client) {
        set_up(self, ENDING);
        let placement = ENDING.split(' ').next().unwrap();
        until("the ending", async || {
            let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
            (boards["param"][0]["board"] == json!(placement)).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_positions_followed_on_one_board_are_limited() {
    let Some(site) = Site::open("").await else { return };
    const FULL: &str = "8 positions are already followed on this board";
    let mut clients = Vec::new();
    for _ in 0..9 {
        let mut client = site.client().await;
        client.subscribe().await;
        client.method("setup", json!({ "fen": ENDING })).await;
        clients.push(client);
    }
    // Nothing is followed while the position is not on the board.
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(!site.hall.daemon.log().contains(FULL));
    drop(clients.pop());
    site.set_up_ending(&mut clients[0]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut last = site.client().await;
    last.subscribe().await;
    last.method("setup", json!({ "fen": ENDING })).await;
    until("the log to report the limit", async || site.hall.daemon.log().contains(FULL).then_some(())).await;
    drop(clients.pop());
    // touchmoved tries again soon.
    tokio::time::sleep(Duration::from_secs(3)).await;
    site.hall.board.play("a2", "a4");
    last.wait_for("a4", |param| param["san"] == json!(["a4"])).await;
}

#[tokio::test]
async fn moves_continue_at_once_after_the_cable_was_out() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    site.set_up_ending(&mut client).await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": ENDING })).await;
    site.hall.board.play("a2", "a4");
    client.wait_for("a4", |param| param["san"] == json!(["a4"])).await;
    site.hall.board.unplug();
    for (square, piece) in [("a7", '.'), ("a5", 'p'), ("e1", '.'), ("e2", 'K')] {
        site.hall.board.put_unseen(square, piece);
    }
    site.hall.board.plug();
    let plugged = std::time::Instant::now();
    client.wait_for("both moves", |param| param["san"] == json!(["a4", "a5", "Ke2"])).await;
    assert!(plugged.elapsed() < Duration::from_secs(15), "reported after {:?}", plugged.elapsed());
}

/// A game from which an earlier position is set up again: its moves after that position do not belong to the client's game.
#[tokio::test]
async fn moves_before_the_position_was_set_up_again_are_not_reported() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    for (from, to, san) in [
        ("e2", "e4", "e4"),
        ("e7", "e5", "e5"),
        ("g1", "f3", "Nf3"),
        ("b8", "c6", "Nc6"),
        ("f1", "c4", "Bc4"),
        ("g8", "f6", "Nf6"),
    ] {
        site.hall.play(from, to, san).await;
    }
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    // All at once, as a person sets up a position.
    let back = [("f6", '.'), ("c4", '.'), ("c6", '.'), ("f3", '.'), ("g8", 'n'), ("f1", 'B'), ("b8", 'n'), ("g1", 'N')];
    site.hall.board.put_all(&back);
    let placement = fen.split(' ').next().unwrap().to_owned();
    until("the position", async || {
        let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
        (boards["param"][0]["board"] == json!(placement)).then_some(())
    })
    .await;
    client.subscribe().await;
    let set = client.method("setup", json!({ "fen": fen })).await;
    assert_eq!((&set["san"], &set["match"]), (&json!([]), &json!(true)), "{set}");
    site.hall.board.play("d2", "d4");
    let lists = move_lists_until(&mut client, json!(["d4"])).await;
    assert!(lists.iter().all(|san| *san == json!([]) || *san == json!(["d4"])), "{lists:?}");
}
