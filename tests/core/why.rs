//! `replay --why`: the explanation of one ply for an arbiter.

use shakmaty::{Board, Square};
use std::process::{Command, Output};

/// The code of a piece on a DGT board.
fn code(piece: char) -> usize {
    ".PRNBKQprnbkq".find(piece).expect("a piece")
}

/// A recording of a DGT board with this position, and then with the words of a story: `e2-` empties a square, `e4P` puts a piece there,
/// `~400` waits for 400 ms; 40 ms lie between words.
fn recording(fen: &str, story: &str) -> String {
    let board: Board = fen.split(' ').next().unwrap().parse().unwrap();
    let mut text = format!("{{\"touchmove_recording\":1,\"board\":\"dgt\",\"start_fen\":\"{fen}\"}}\n");
    let mut dump = "860043".to_owned();
    for square in Square::ALL.map(Square::flip_vertical) {
        dump += &format!("{:02x}", code(board.piece_at(square).map_or('.', |piece| piece.char())));
    }
    text += &format!("{{\"t\":100,\"rx\":\"{dump}\"}}\n");
    let mut now = 2_000;
    for word in story.split_whitespace() {
        if let Some(ms) = word.strip_prefix('~') {
            now += ms.parse::<u64>().unwrap();
            continue;
        }
        now += 40;
        let (square, piece) = word.split_at(2);
        let square: Square = square.parse().unwrap();
        let piece = code(piece.replace('-', ".").chars().next().unwrap());
        text += &format!("{{\"t\":{now},\"rx\":\"8e0005{:02x}{piece:02x}\"}}\n", square.flip_vertical() as u8);
    }
    text
}

fn replay(recording: &str, args: &[&str]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("game.rec");
    std::fs::write(&file, recording).unwrap();
    Command::new(env!("CARGO_BIN_EXE_touchmovectl")).arg("replay").arg(&file).args(args).output().unwrap()
}

fn printed(recording: &str, args: &[&str]) -> String {
    let output = replay(recording, args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn refused(recording: &str, args: &[&str], expect: &str) {
    let output = replay(recording, args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && stderr.contains(expect), "{stderr}");
}

/// A pawn that can capture on either side: with occupancy sensing nothing shows which piece it captured.
const TWO_VICTIMS: &str = "4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1";

#[test]
fn a_silent_capture_that_the_reply_settles() {
    let recording = recording(TWO_VICTIMS, "d4- c5P ~6000 e5- ~300 e4p ~6000");
    let text = printed(&recording, &["--sensing", "occupancy", "--why", "1"]);
    for part in [
        "d4: a piece lifted\n",
        "1. dxc5",
        "1. dxe5",
        "silent capture: c5 was never seen empty",
        "silent capture: e5 was never seen empty",
        "chosen by players: dxc5 1 in ",
        "Decided by what happened at ",
    ] {
        assert!(text.contains(part), "missing: {part}\nin\n{text}");
    }
    assert!(text.trim_end().ends_with(" %)."), "{text}");
    let last = text.trim_end().rsplit("\n\n").next().unwrap();
    assert!(last.contains(": 1. dxc5 ("), "{last}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\x1b'), "no colours in a pipe");

    let json = printed(&recording, &["--sensing", "occupancy", "--why", "1", "--json"]);
    let lines: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (end, moments) = lines.split_last().unwrap();
    assert_eq!((&end["verdict"], &end["moves"][0]["move"]), (&"decided".into(), &"1. dxc5".into()));
    assert!(moments.iter().any(|moment| moment["happened"][0]["edge"] == "d4"), "{json}");
    let both = moments.iter().find(|moment| {
        let moves = |uci: &str| moment["hypotheses"].as_array().is_some_and(|all| all.iter().any(|one| one["uci"] == uci));
        moves("d4c5") && moves("d4e5")
    });
    assert!(both.is_some(), "{json}");
}

#[test]
fn a_silent_capture_that_nothing_settles() {
    let text = printed(&recording(TWO_VICTIMS, "d4- c5P ~6000"), &["--sensing", "occupancy", "--why", "1"]);
    let last = text.trim_end().rsplit("\n\n").next().unwrap();
    assert!(last.starts_with("Nothing in the recording decides between 1. dx"), "{text}");
    assert!(last.contains("dxc5 (") && last.contains("dxe5 ("), "{text}");
}

#[test]
fn a_piece_that_is_slid() {
    let recording = recording("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1- a2R a2- a3R a3- a4R ~2000 e8- ~300 e7k ~6000");
    let text = printed(&recording, &["--why", "1"]);
    for part in ["a1: white rook lifted\n", "a2: white rook put down\n", "1. Ra2\n", "could still become Ra"] {
        assert!(text.contains(part), "missing: {part}\nin\n{text}");
    }
    let last = text.trim_end().rsplit("\n\n").next().unwrap();
    assert!(last.contains("a4: white rook put down): 1. Ra4 ("), "{text}");
    let text = printed(&recording, &["--why", "2"]);
    assert!(
        text.trim_end().ends_with("No other move than 1... Ke7 was ever possible, seen at 4.620 s (e7: black king put down)."),
        "{text}"
    );
}

#[test]
fn plies_and_games_that_do_not_exist() {
    let recording = recording(TWO_VICTIMS, "d4- c5P ~2000 e5- ~300 e4p ~6000");
    refused(&recording, &["--why", "99"], "game 1 did not reach ply 99: its last ply is 2, write --why 1 to 2");
    refused(&recording, &["--why", "1", "--game", "2"], "there is no game 2 in this recording, only one: leave --game out");
    refused(&recording, &["--why", "0"], "invalid value '0' for '--why <PLY>'");
    refused(&recording, &["--game", "1"], "--why <PLY>");
}
