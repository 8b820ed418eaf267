//! The commands of touchmovectl for boards, games and the arbiter, and its errors without a daemon or a bus.

use super::{Lines, touchmovectl};
use crate::harness::hall::{Hall, seen};
use crate::harness::organiser::Organiser as _;
use crate::harness::{PrivateBus, until};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::Duration;
use touchmove::desk::DeskAct;
use touchmove::round::trf::TableOrder;
use touchmove::round::{Bye, ByeKind, Pairing, Player, Round};

#[tokio::test]
async fn the_command_line_shows_boards_and_games() {
    let Some(mut hall) = Hall::open().await else { return };
    hall.spectator().await;
    let address = hall.bus.address();
    let monitor = Lines::of(env!("CARGO_BIN_EXE_touchmovectl"), &["monitor", "--json", "--bus", &address]);
    let text_monitor = Lines::of(env!("CARGO_BIN_EXE_touchmovectl"), &["monitor", "--bus", &address]);
    text_monitor.wait_for("the monitor to listen", |line| line.contains("game 1, no move yet"));
    hall.play("e2", "e4", "e4").await;
    text_monitor.wait_for("the monitor to show e4", |line| line.ends_with("  dgt_board  1.e4"));
    hall.play("e7", "e5", "e5").await;
    let show = |args: &[&str]| {
        let (code, output, errors) = touchmovectl(&address, args);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{args:?}");
        output
    };
    assert!(show(&["list"]).contains("game 1 on dgt_board: playing, *, last move 1...e5\n"));
    let status = show(&["status"]);
    assert!(status.starts_with("1 boards, ") && status.contains("dgt_board") && status.contains("1...e5"), "{status}");
    let shown = show(&["board"]);
    let diagram = "\
8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜
7 ♟ ♟ ♟ ♟ · ♟ ♟ ♟
6   ·   ·   ·   ·
5 ·   ·   ♟   ·
4   ·   · ♙ ·   ·
3 ·   ·   ·   ·
2 ♙ ♙ ♙ ♙   ♙ ♙ ♙
1 ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖
  a b c d e f g h
";
    assert!(shown.contains(diagram), "{shown}");
    assert!(show(&["game"]).ends_with("1. e4 e5\n"));
    assert!(show(&["pgn"]).contains("\n1. e4"));
    let list: serde_json::Value = serde_json::from_str(&show(&["list", "--json"])).unwrap();
    assert_eq!((&list["boards"][0]["id"], &list["games"][0]["moves"][0]["uci"]), (&"dgt_board".into(), &"e2e4".into()));
    assert!(show(&["list", "--broadcast"]).starts_with("game 1 "));

    let refused = |args: &[&str], code: i32, expected: &str| {
        let (actual, output, errors) = touchmovectl(&address, args);
        assert_eq!((actual, output.as_str()), (Some(code), ""), "{args:?}: {errors}");
        assert!(errors.contains(expected), "{args:?}: {errors}");
    };
    refused(&["board", "nowhere"], 3, "there is no board nowhere: `touchmovectl list` lists");
    refused(&["pgn", "99"], 3, "there is no game 99");
    refused(&["game", "--wrong"], 2, "--wrong");

    // The JSON monitor prints nothing until an event happens, not even that it listens: the knights move out and back until it
    // does.
    let knights = [("g1", "f3", "Nf3"), ("g8", "f6", "Nf6"), ("f3", "g1", "Ng1"), ("f6", "g8", "Ng8")];
    let mut played = vec!["e4", "e5"];
    for (from, to, san) in knights.into_iter().cycle().take(60) {
        hall.play(from, to, san).await;
        played.push(san);
        while let Some(line) = monitor.next(Duration::from_secs(1)) {
            let event: serde_json::Value = serde_json::from_str(&line).unwrap();
            if event["event"] == "MoveMade" {
                let ply = event["ply"].as_u64().unwrap() as usize;
                return assert_eq!(event["san"], played[ply - 1], "{line}");
            }
        }
    }
    panic!("the monitor prints nothing");
}

#[tokio::test]
async fn the_arbiter_gives_commands_on_the_command_line() {
    let Some(mut hall) = Hall::after_e4().await else { return };
    hall.play("e7", "e5", "e5").await;

    let address = hall.bus.address();
    let arbiter_command = |args: &[&str]| touchmovectl(&address, &[&["arbiter"], args].concat());
    let accepted = |args: &[&str], expected: &str| {
        assert_eq!(arbiter_command(args), (Some(0), expected.to_owned(), String::new()), "{args:?}")
    };
    let refused = |args: &[&str], code: i32, expected: &str| {
        let (actual, output, errors) = arbiter_command(args);
        assert_eq!((actual, output.as_str()), (Some(code), ""), "{args:?}: {errors}");
        assert!(errors.contains(expected), "{args:?}: {errors}");
    };
    accepted(&["take-back"], "game 1 on dgt_board: removed 1...e5; the last move is now 1.e4\n");
    accepted(&["result", "0-1"], "game 1 on dgt_board: the result is 0-1\n");
    let withdrawn = "game 1 on dgt_board: the result is withdrawn: the game continues\n";
    accepted(&["result", "*", "--game", "dgt_board"], withdrawn);
    accepted(&["result", "none"], withdrawn);
    refused(&["take-back", "7"], 1, "the game has only");
    refused(&["take-back", "0"], 2, "0 is not in 1..");
    refused(&["result", "2-0"], 2, "write 1-0, 0-1, 1/2-1/2, or none to withdraw it");
    refused(&["promotion", "king"], 2, "write queen or rook or bishop or knight");
    refused(&["adjust", "both"], 2, "write white or black");
    refused(&["result", "1-0", "--game", "99"], 3, "there is no game 99");
    refused(&["result", "1-0", "--broadcast"], 1, "leave --broadcast out");
    refused(&["position", "e4"], 1, "not a position");
    refused(&["position", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "--board", "nowhere"], 3, "there is no board nowhere");

    // In this position the white queen is missing.
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 2 20";
    accepted(
        &["position", fen],
        "game 2 on dgt_board begins from this position\nd1: the position has empty, the board shows Q\n",
    );
    refused(&["take-back", "--game", "1"], 1, "game 2");
    // A result can be entered for a game that has left its board.
    accepted(&["result", "1-0", "--game", "1"], "game 1 on dgt_board: the result is 1-0\n");
    hall.board.put("d1", '.');
    let agrees = async || hall.client.snapshot().await.unwrap().boards[0].displaced.is_empty();
    until("the board to agree", async || agrees().await.then_some(())).await;
    hall.play("g1", "f3", "Nf3").await;
    let pgn = hall.client.pgn(2).await.unwrap();
    assert!(pgn.contains(&format!("[FEN \"{fen}\"]\n\n20. Nf3 *")), "{pgn}");
    assert_eq!(hall.client.snapshot().await.unwrap().games[0].state, "finished");
    let (code, output, errors) = arbiter_command(&["position", "shown"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        output.starts_with("game 3 on dgt_board begins")
            && output.contains("\nWhite to move; for the other player use --turn black"),
        "{output}"
    );
}

/// An arbiter reads moves off a score sheet, and reads there which move was changed.
#[tokio::test]
async fn moves_are_named_as_on_a_score_sheet() {
    let Some(mut hall) = Hall::after_e4().await else { return };
    hall.play("e7", "e5", "e5").await;
    let address = hall.bus.address();
    let arbiter_command = |args: &[&str]| touchmovectl(&address, &[&["arbiter"], args].concat());
    let accepted = |args: &[&str], expected: &str| {
        let (code, output, errors) = arbiter_command(args);
        assert_eq!(code, Some(0), "{args:?}: {errors}");
        assert_eq!(output.lines().next(), Some(format!("game 1 on dgt_board: {expected}").as_str()), "{args:?}");
    };
    let refused = |args: &[&str], expected: &str| {
        let (code, output, errors) = arbiter_command(args);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{args:?}: {errors}");
        assert!(errors.contains(expected), "{args:?}: {errors}");
    };
    accepted(&["replace", "1...e5", "e6"], "Black's move 1 is now e6; it was e5");
    refused(&["replace", "1...e5", "d5"], "Black's move 1 is 1...e6, not \"1...e5\"");
    refused(&["replace", "1...", "Nf3"], "\"Nf3\" is not legal as Black's move 1: the legal moves are Na6 Nc6 Nf6 Nh6 a5 a6");
    refused(&["replace", "1...e6", "e6"], "this move is on record at Black's move 1 already");
    accepted(&["undo"], "undone: replace e6 at Black's move 1");
    accepted(&["insert", "2.", "g1f3"], "White's move 2 is inserted: 2.Nf3");
    accepted(&["restore", "2.Nf3"], "removed 2.Nf3; the position before 2.Nf3 (White's move 2) is restored");
    accepted(&["restore", "2"], "removed 1...e5; the position before 1...e5 (Black's move 1) is restored");
    refused(&["restore", "9.Nf3"], "the game has no move 9. of White: the last move is 1.e4");
    refused(&["restore", "0"], "there is no ply 0: White's first move is ply 1");
    accepted(&["count", "white", "illegal_move"], "illegal_move was counted for White after 1.e4 (White's move 1)");
    refused(&["strike", "white", "0"], "no irregularity");
    accepted(&["strike", "white", "1.e4"], "White's last irregularity counted after 1.e4 (White's move 1) was removed");
    accepted(&["tags", "White=Ann"], "tags were set: White");
    accepted(&["tags", "none"], "all tags of the game were removed");
}

#[tokio::test]
async fn a_file_that_completed_names_make_wrong_is_refused_before_it_is_loaded() {
    let Some(hall) = Hall::configured(&[]).await else { return };
    let whole = "Venkatanarasimharajuvaripeta, Ramanathan";
    let known = format!("table;white;black\n7;\"{whole}\";Bob\n");
    let known = Round::read(&known, Some(3), &TableOrder::Unknown).unwrap();
    hall.client.load_round(&serde_json::to_string(&known).unwrap()).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("next.csv");
    let cut: String = whole.chars().take(33).collect();
    std::fs::write(&file, format!("table;white;black\n1;{cut};Bob\n2;\"{whole}\";Dee\n")).unwrap();
    let (code, output, errors) = touchmovectl(&hall.bus.address(), &["round", "load", file.to_str().unwrap(), "--round", "4"]);
    assert_eq!((code, output.as_str()), (Some(1), ""), "{errors}");
    assert!(errors.contains(&format!("next.csv: {whole} plays at table 1 and at table 2")), "{errors}");
    assert_eq!(hall.client.desk(None).await.unwrap().rounds.len(), 1);
}

/// Returns what the shell would suggest for the last of these words, without options.
fn completions(words: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_touchmovectl"))
        .env("COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .args(["--", "touchmovectl"])
        .args(words)
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let suggestions = String::from_utf8(output.stdout).unwrap();
    suggestions.lines().filter(|suggestion| !suggestion.starts_with('-')).map(str::to_owned).collect()
}

#[tokio::test]
async fn late_players_get_byes_and_then_a_pairing() {
    let Some(hall) = Hall::configured(&[]).await else { return };
    let round = Round::read("table,white,black\n7,Ada,Bob\n", Some(3), &TableOrder::Unknown).unwrap();
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let address = hall.bus.address();
    let ctl = |args: &[&str]| touchmovectl(&address, args);
    let done = |args: &[&str], expected: &str| {
        let (code, output, errors) = ctl(args);
        assert!(code == Some(0) && output.contains(expected), "{args:?}: {output}{errors}");
    };
    let refused = |args: &[&str], expected: &str| {
        let (code, output, errors) = ctl(args);
        assert!(code == Some(1) && errors.contains(expected), "{args:?}: {output}{errors}");
    };
    done(&["round", "bye", "set", "GM Eve", "half_point"], "GM Eve has a bye in round 3: half point\n");
    done(&["round", "bye", "set", "Eve", "zero_point", "--round", "3"], "GM Eve has a bye in round 3: zero point\n");
    done(&["round", "bye", "set", "Fay", "full_point"], "Fay has a bye in round 3: full point\n");
    done(&["round", "bye", "set", "Gus", "pairing_allocated"], "Gus has a bye in round 3: pairing allocated\n");
    refused(&["round", "bye", "set", "Ada", "half_point"], "Ada has a bye, and plays at table 7");
    refused(&["round", "bye", "remove", "Hal"], "Hal has no bye in round 3: `touchmovectl round show` lists the byes");
    done(&["round", "show"], "Bye: GM Eve (zero point); Fay (full point); Gus (pairing allocated)\n");
    done(&["round", "bye", "remove", "Gus"], "Gus has no bye in round 3 any more\n");
    // They come after all.
    done(&["round", "pair", "31", "Eve", "Fay"], "GM Eve");
    let round = hall.client.desk(None).await.unwrap().round.unwrap();
    let pairing = round.table(31).unwrap();
    assert_eq!((pairing.white.titled_name().as_str(), pairing.black.name.as_str()), ("GM Eve", "Fay"));
    assert!(round.byes.is_empty() && round.pairings.len() == 2, "{round:?}");
    // Another operator adds a pairing at the same table.
    let player = |name: &str| Player::with_title(name);
    let pairing = Pairing { table: 31, white: player("Hal"), black: player("Ian"), ..Pairing::default() };
    let taken = hall.client.change_desk(&DeskAct::Pair { round: 3, pairing, new: true }).await.unwrap_err().to_string();
    assert!(taken.contains("table 31 has a pairing in round 3 already"), "{taken}");
    assert_eq!(hall.client.desk(None).await.unwrap().round.unwrap(), round);
    done(&["round", "unpair", "31", "--yes"], "table 31 has no pairing in round 3 now");
}

#[tokio::test]
async fn the_shell_completes_what_the_daemon_knows() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, "[game]\naccept_kings_signal = false\n").unwrap();
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    hall.play("e2", "e4", "e4").await;
    hall.play("e7", "e5", "e5").await;
    let round = Round::read("table,white,black\n7,Ada,Bob\n", Some(3), &TableOrder::Unknown).unwrap();
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let address = hall.bus.address();
    let complete = |words: &[&str]| {
        let (last, before) = words.split_last().unwrap();
        completions(&[before, &["--bus", &address, last]].concat())
    };
    assert_eq!(complete(&["board", ""]), ["dgt_board"]);
    assert_eq!(complete(&["board", "x"]), [""; 0]);
    assert_eq!(complete(&["game", ""]), ["1", "dgt_board"]);
    assert_eq!(complete(&["seat", "set", "7", ""]), ["dgt_board"]);
    assert_eq!(complete(&["round", "forfeit", ""]), ["7"]);
    assert_eq!(complete(&["round", "forfeit", "7", "n"]), ["nobody", "none"]);
    assert_eq!(complete(&["round", "bye", "set", "Eve", "h"]), ["half_point"]);
    assert_eq!(complete(&["round", "bye", "remove", ""]), [""; 0]);
    let byes = vec![Bye { player: Player::with_title("GM Eve"), kind: ByeKind::ZeroPoint }];
    hall.client.change_desk(&DeskAct::Byes { round: 3, byes }).await.unwrap();
    assert_eq!(complete(&["round", "bye", "remove", ""]), ["Eve"]);
    assert_eq!(complete(&["arbiter", "restore", ""]), ["1...e5", "1.e4"]);
    assert_eq!(complete(&["arbiter", "acknowledge", ""]), [""; 0]);
    for (square, piece) in [("e1", '.'), ("d4", 'K'), ("e8", '.'), ("d5", 'k')] {
        hall.board.put(square, piece);
    }
    seen(&mut hall.watch, "the alert", |event| event.event == "AlertRaised").await;
    assert_eq!(complete(&["arbiter", "acknowledge", ""]), ["1"]);
    assert!(completions(&["doctor", "--model", ""]).contains(&"dgt".to_owned()));
}

#[test]
fn completion_without_a_daemon_is_silent_and_does_not_hang() {
    assert_eq!(completions(&["board", "--bus", "unix:path=/nowhere", ""]), [""; 0]);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bus");
    // It accepts connections, and never says anything.
    let _silent = UnixListener::bind(&path).unwrap();
    assert_eq!(completions(&["board", "--bus", &format!("unix:path={}", path.display()), ""]), [""; 0]);
    let Some(bus) = PrivateBus::start() else { return };
    assert_eq!(completions(&["board", "--bus", &bus.address(), ""]), [""; 0]);
}

#[test]
fn errors_without_a_daemon_or_bus_say_what_to_do() {
    let Some(mut bus) = PrivateBus::start() else { return };
    let (code, _, errors) = touchmovectl(&bus.address(), &["list"]);
    assert_eq!(code, Some(3));
    let advice = format!("start it with `touchmoved --bus {}`", bus.address());
    assert!(errors.contains("touchmoved is not running on the bus at") && errors.contains(&advice), "{errors}");
    bus.kill();
    let (code, _, errors) = touchmovectl(&bus.address(), &["list"]);
    assert_eq!(code, Some(3));
    assert!(errors.contains("cannot reach the bus at") && errors.contains("--bus session"), "{errors}");
}

/// The board on which the white king is lifted is seated at the next table.
#[tokio::test]
async fn a_board_is_seated_by_touch() {
    let Some(hall) = Hall::open().await else { return };
    let address = hall.bus.address();
    let seating = Lines::of(env!("CARGO_BIN_EXE_touchmovectl"), &["seat", "by-touch", "--from", "7", "--bus", &address]);
    seating.wait_for("the request", |line| line.starts_with("Table 7 of 7: lift the white king"));
    hall.board.put("d1", '.');
    hall.board.put("d1", 'Q');
    hall.board.put("e1", '.');
    hall.board.put("e1", 'K');
    seating.wait_for("the seat", |line| line.trim() == "board dgt_board is seated at table 7");
    seating.wait_for("the end", |line| line.starts_with("1 boards were seated"));
    let (_, tables) = hall.client.round().await.unwrap();
    assert_eq!(tables, [(7, "dgt_board".to_owned(), hall.game)]);
    let (code, shown, _) = touchmovectl(&address, &["seat", "show"]);
    assert_eq!((code, shown.split_whitespace().take(2).collect::<Vec<_>>()), (Some(0), vec!["7", "dgt_board"]));
}
