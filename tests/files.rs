//! The games as files: through touchmoved, with a folder of the test's own.

use crate::hall::{Hall, client, game, seen};
use crate::harness::{Board, Daemon, PrivateBus, eventually, until};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use touchmove::game::GameResult;
use touchmove::game::command::Command;
use touchmove::publish::client::WatchedEvent;
use touchmove::publish::dbus::Stream;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;

/// A hall that writes files.
struct Writing {
    hall: Hall,
    dir: TempDir,
}

impl Writing {
    async fn open(keys: &str) -> Option<Writing> {
        let dir = tempfile::tempdir().unwrap();
        let config = configure(dir.path(), &dir.path().join("open"), keys);
        let hall = Hall::configured(&["--config", config.to_str().unwrap()]).await?;
        Some(Writing { hall, dir })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("open").join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Waits until a JSON file has this at that place.
    async fn has(&self, name: &str, pointer: &str, expect: Value) {
        let value = || serde_json::from_str::<Value>(&self.read(name)).ok()?.pointer(pointer).cloned();
        until(&format!("{expect} at {pointer} of {name}"), async || (value().as_ref() == Some(&expect)).then_some(())).await;
    }

    /// Waits until a file says this.
    async fn says(&self, name: &str, expect: &str) -> String {
        let said = || Some(self.read(name)).filter(|text| text.contains(expect));
        until(&format!("{expect} in {name}"), async || said()).await
    }

    async fn load(&self, csv: &str, number: u16) {
        let round = Round::read(csv, Some(number), &TableOrder::Unknown).unwrap();
        self.hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    }
}

fn configure(dir: &Path, into: &Path, keys: &str) -> PathBuf {
    let path = dir.join("touchmoved.toml");
    std::fs::write(&path, format!("[files]\ndir = '{}'\n{keys}\n", into.display())).unwrap();
    path
}

fn tag<'a>(pgn: &'a str, name: &str) -> Option<&'a str> {
    pgn.lines().find_map(|line| line.strip_prefix(&format!("[{name} \""))?.strip_suffix("\"]"))
}

const PLAYERS: &str = "white,black,white_title,white_fide_id\n\"Ada, A\",\"Bob, B\",GM,1503014\n\"Cid, C\",Dee,,\n";

#[tokio::test]
async fn moves_appear_and_corrections_replace_them() {
    let keys = "[pgn]\nevent = 'City Open'\nsite = 'Delft'\nround = '3'\n";
    let Some(mut writing) = Writing::open(keys).await else { return };
    let first = writing.says("round-3/game-1.pgn", "*").await;
    assert_eq!((tag(&first, "Event"), tag(&first, "Round"), tag(&first, "Board")), (Some("City Open"), Some("3.1"), None));
    writing.hall.board.clock(5400, 5400, true);
    writing.hall.play("e2", "e4", "e4").await;
    writing.hall.board.clock(5399, 5400, false);
    let pgn = writing.says("round-3/game-1.pgn", "1. e4 {[%clk 1:29:59]").await;
    assert!(pgn.contains("[Result \"*\"]") && !pgn.contains("ReferenceTime"), "{pgn}");
    writing.says("round-3/games.pgn", "1. e4").await;
    let game = writing.json("round-3/game-1.json");
    assert_eq!((&game["live"], &game["result"], &game["moves"]), (&json!(true), &json!("*"), &json!(["e4 5399"])));
    assert_eq!(
        (&game["clock"]["white"], &game["clock"]["black"], &game["clock"]["run"]),
        (&json!(5399), &json!(5400), &json!(null))
    );
    assert!(game["firstMove"].as_i64().is_some_and(|at| at > 1_700_000_000_000) && game["chess960"] == json!(518));

    let client = &writing.hall.client;
    client.send_command(writing.hall.game, &Command::Replace { ply: 1, uci: "d2d4".into() }).await.unwrap();
    let pgn = writing.says("round-3/game-1.pgn", "1. d4").await;
    assert!(!pgn.contains("e4"), "{pgn}");
    writing.hall.client.send_command(writing.hall.game, &Command::Result(Some(GameResult::Draw))).await.unwrap();
    writing.says("round-3/game-1.json", "DRAW").await;
    writing.says("tournament.json", "{\"count\":1,\"live\":0}").await;
    let tournament = writing.json("tournament.json");
    assert_eq!(tournament["rounds"], json!([{"count": 0, "live": 0}, {"count": 0, "live": 0}, {"count": 1, "live": 0}]));
    assert_eq!((&tournament["name"], &tournament["location"]), (&json!("City Open"), &json!("Delft")));
    let index = writing.json("round-3/index.json");
    assert_eq!((&index["pairings"][0]["result"], &index["pairings"][0]["white"]["lname"]), (&json!("1/2-1/2"), &json!(null)));
    let left: Vec<String> = std::fs::read_dir(writing.path("round-3"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn everybody_may_read_them_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let Some(bus) = PrivateBus::start() else { return };
    // A folder that is there already is its owner's; below it one is made, as those of the rounds are.
    let (there, made) = (dir.path().join("there"), dir.path().join("there/made"));
    std::fs::create_dir(&there).unwrap();
    std::fs::set_permissions(&there, Permissions::from_mode(0o750)).unwrap();
    let config = configure(dir.path(), &made, "");
    let state = dir.path().join("state");
    // As the unit has it: UMask=0027.
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "umask 0027; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_touchmoved")]);
    let board = Board::plugged();
    let port = board.path();
    let args = [("--bus", bus.address()), ("--state-dir", state.display().to_string()), ("--port", port.display().to_string())];
    let args = args.iter().flat_map(|(option, value)| [*option, value.as_str()]).chain(["--config", config.to_str().unwrap()]);
    let daemon = Daemon::run(command, &args.collect::<Vec<_>>());
    daemon.ready();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    eventually("the files", || made.join("round-1/game-1.pgn").exists().then_some(()));
    assert_eq!(["", "round-1"].map(|name| format!("{:o}", mode(&made.join(name)))), ["755", "755"]);
    assert_eq!(format!("{:o}", mode(&there)), "750");
    eventually("all of them", || made.join("round-1/index.json").exists().then_some(()));
    for name in ["round-1/game-1.pgn", "round-1/index.json"] {
        assert_eq!(format!("{:o}", mode(&made.join(name))), "644", "{name}");
    }
    assert_eq!(mode(&state) & 0o007, 0, "the state directory");
    assert_eq!(mode(&state.join("journal.sqlite3")) & 0o007, 0, "the journal");
}

#[tokio::test]
async fn no_file_is_written_twice_a_second() {
    let Some(mut writing) = Writing::open("").await else { return };
    let mut versions: Vec<SystemTime> = Vec::new();
    let path = writing.path("round-1/game-1.pgn");
    let mut look = || {
        let time = std::fs::metadata(&path).and_then(|data| data.modified()).ok();
        versions.extend(time.filter(|time| versions.last() != Some(time)));
        versions.len()
    };
    // Back and forth, faster than once a second.
    for (from, to, san) in [("g1", "f3", "Nf3"), ("g8", "f6", "Nf6"), ("f3", "g1", "Ng1"), ("f6", "g8", "Ng8")] {
        writing.hall.play(from, to, san).await;
        let before = look();
        if san == "Nf6" {
            until("another version", async || (look() > before).then_some(())).await;
        }
    }
    writing.says("round-1/game-1.pgn", "Ng8").await;
    look();
    let gaps: Vec<Duration> = versions.windows(2).map(|pair| pair[1].duration_since(pair[0]).unwrap()).collect();
    // Times of files are those of the kernel's tick, some milliseconds.
    assert!(!gaps.is_empty() && gaps.iter().all(|gap| *gap >= Duration::from_millis(980)), "{gaps:?}");
}

#[tokio::test]
async fn files_are_as_late_as_everything_else() {
    let Some(mut writing) = Writing::open("[broadcast]\ndelay_plies = 2").await else { return };
    for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3")] {
        writing.hall.play(from, to, san).await;
    }
    let pgn = writing.says("round-1/game-1.pgn", "e4").await;
    assert!(!pgn.contains("e5") && !pgn.contains("Nf3"), "{pgn}");
    let others = [("games.pgn", "e4"), ("game-1.json", "e4"), ("index.json", "pairings"), ("../tournament.json", "rounds")];
    for (name, known) in others {
        let text = writing.says(&format!("round-1/{name}"), known).await;
        assert!(!text.contains("e5") && !text.contains("Nf3"), "{name}: {text}");
    }
    writing.hall.client.send_command(writing.hall.game, &Command::Result(Some(GameResult::WhiteWins))).await.unwrap();
    let pgn = writing.says("round-1/game-1.pgn", "1-0").await;
    assert!(pgn.contains("1. e4 e5 2. Nf3 1-0"), "{pgn}");
}

#[tokio::test]
async fn every_table_of_a_round_has_its_file() {
    let Some(mut writing) = Writing::open("").await else { return };
    writing.load(PLAYERS, 2).await;
    writing.hall.play("e2", "e4", "e4").await;
    let pgn = writing.says("round-2/game-1.pgn", "1. e4").await;
    let tags = ["White", "Black", "Round", "WhiteTitle", "Board"].map(|name| tag(&pgn, name));
    assert_eq!(tags, [Some("Ada, A"), Some("Bob, B"), Some("2.1"), Some("GM"), Some("1")]);
    let other = writing.says("round-2/game-2.pgn", "Cid, C").await;
    assert!(other.ends_with("\n\n*\n\n") && tag(&other, "Round") == Some("2.2"), "{other}");
    let expect = json!({"fname": "A", "mname": null, "lname": "Ada", "title": "GM", "federation": null, "gender": null, "fideid": "1503014"});
    writing.has("round-2/index.json", "/pairings/0/white", expect).await;
    assert_eq!(writing.read("round-2/games.pgn").matches("[Event ").count(), 2);

    // The pairings were swapped by mistake.
    writing.hall.client.swap_tables(1, 2).await.unwrap();
    let pgn = writing.says("round-2/game-1.pgn", "Cid, C").await;
    assert!(pgn.contains("1. e4") && tag(&pgn, "WhiteTitle").is_none(), "{pgn}");
    let other = writing.says("round-2/game-2.pgn", "Ada, A").await;
    assert!(!other.contains("e4"), "{other}");

    writing.hall.client.set_forfeit(2, "black").await.unwrap();
    let pgn = writing.says("round-2/game-2.pgn", "unplayed").await;
    assert_eq!((tag(&pgn, "Result"), tag(&pgn, "Termination")), (Some("0-1"), Some("unplayed")));
    writing.has("round-2/index.json", "/pairings/1/result", json!("0-1")).await;
    writing.has("round-2/game-2.json", "/result", json!("NOTPLAYED")).await;
    writing.hall.client.set_forfeit(2, "").await.unwrap();
    until("a game to be played", async || (!writing.read("round-2/game-2.pgn").contains("unplayed")).then_some(())).await;

    // The next round: what was played in the one before stays, and a late move of it comes after.
    writing.load(&PLAYERS.replace("Ada", "Eve"), 3).await;
    writing.says("round-3/game-1.pgn", "Eve, A").await;
    assert!(writing.read("round-2/game-1.pgn").contains("1. e4"));
    assert!(!writing.read("round-3/game-1.pgn").contains("e4"), "the game on the board is of round 2");
    writing.has("tournament.json", "/rounds/2", json!({"count": 2, "live": 0})).await;
}

#[tokio::test]
async fn what_is_played_for_fun_after_a_game_takes_not_its_place() {
    let Some(mut writing) = Writing::open("").await else { return };
    writing.load(PLAYERS, 1).await;
    writing.hall.play("e2", "e4", "e4").await;
    writing.says("round-1/game-1.pgn", "1. e4").await;
    let mut game = writing.hall.game;
    let mut from = ("e4", "e2");
    for (square, to, san) in
        [("d2", "d4", "d4"), ("c2", "c4", "c4"), ("g1", "f3", "Nf3"), ("b1", "c3", "Nc3"), ("b2", "b3", "b3")]
    {
        writing.hall.client.send_command(game, &Command::Result(Some(GameResult::WhiteWins))).await.unwrap();
        writing.hall.board.play(from.0, from.1);
        game = until("another game", async || {
            writing.hall.client.snapshot().await.unwrap().boards[0].game.filter(|next| *next != game)
        })
        .await;
        writing.hall.play(square, to, san).await;
        from = (to, square);
    }
    // Every file is looked at when one of them changes.
    writing.hall.client.set_forfeit(2, "white").await.unwrap();
    writing.says("round-1/game-2.pgn", "unplayed").await;
    let pgn = writing.read("round-1/game-1.pgn");
    assert!(pgn.contains("1. e4 1-0"), "{pgn}");
    let games = writing.hall.client.snapshot().await.unwrap().games;
    assert!(games.iter().any(|known| known.id == writing.hall.game), "it is at hand still");
    let for_fun = writing.hall.client.pgn(game).await.unwrap();
    assert_eq!(tag(&for_fun, "White"), Some("?"));
}

#[tokio::test]
async fn a_start_takes_nothing_away() {
    let Some(mut writing) = Writing::open("").await else { return };
    writing.load(PLAYERS, 1).await;
    writing.hall.play("e2", "e4", "e4").await;
    writing.says("round-1/game-1.pgn", "1. e4").await;
    let Writing { hall: Hall { daemon, state, bus, board, .. }, dir } = writing;
    daemon.kill();
    // The board is not there any more: nobody knows its game.
    drop(board);
    let config = dir.path().join("touchmoved.toml");
    let elsewhere = dir.path().join("nothing");
    let daemon = Daemon::on(&bus, state.path(), &elsewhere, &["--config", config.to_str().unwrap()]);
    daemon.ready();
    let live = client(&bus, Stream::Live).await;
    live.set_forfeit(2, "white").await.unwrap();
    // The first files of a folder come one after the other.
    let read = |name: &str| std::fs::read_to_string(dir.path().join("open/round-1").join(name)).unwrap_or_default();
    eventually("the forfeit", || read("game-2.pgn").contains("unplayed").then_some(()));
    assert!(read("game-1.pgn").contains("1. e4") && read("games.pgn").contains("1. e4"));
    assert!(read("game-1.json").contains("e4"));
}

#[tokio::test]
async fn what_a_power_cut_has_torn_is_no_game() {
    let Some(mut writing) = Writing::open("").await else { return };
    writing.load(PLAYERS, 1).await;
    writing.hall.play("e2", "e4", "e4").await;
    writing.says("round-1/games.pgn", "1. e4").await;
    let Writing { hall: Hall { daemon, state, bus, board, .. }, dir } = writing;
    daemon.kill();
    drop(board);
    let path = |name: &str| dir.path().join("open/round-1").join(name);
    let mut torn = std::fs::read(path("game-1.pgn")).unwrap();
    let moves = torn.len() - "1. e4 *\n\n".len();
    torn[moves..].fill(0);
    std::fs::write(path("game-1.pgn"), torn).unwrap();
    let config = dir.path().join("touchmoved.toml");
    let daemon = Daemon::on(&bus, state.path(), &dir.path().join("nothing"), &["--config", config.to_str().unwrap()]);
    daemon.ready();
    client(&bus, Stream::Live).await.set_forfeit(2, "white").await.unwrap();
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap_or_default();
    eventually("the forfeit", || read("games.pgn").contains("unplayed").then_some(()));
    for name in ["game-1.pgn", "games.pgn"] {
        let pgn = read(name);
        assert!(!pgn.contains('\0') && tag(&pgn, "White") == Some("Ada, A"), "{name}: {pgn:?}");
    }
}

#[tokio::test]
async fn tables_that_a_round_does_not_have_any_more_are_taken_away() {
    let Some(writing) = Writing::open("").await else { return };
    let fewer = PLAYERS.lines().take(2).collect::<Vec<_>>().join("\n");
    let gone = |writing: &Writing| {
        let files = ["pgn", "json"].map(|kind| writing.path(&format!("round-1/game-2.{kind}")).exists());
        (files == [false, false] && !writing.read("round-1/games.pgn").contains("Cid, C")).then_some(())
    };
    writing.load(PLAYERS, 1).await;
    writing.says("round-1/games.pgn", "Cid, C").await;
    until("the table", async || writing.path("round-1/game-2.json").exists().then_some(())).await;
    writing.load(&fewer, 1).await;
    until("the table to go", async || gone(&writing)).await;
    writing.load(PLAYERS, 1).await;
    writing.says("round-1/games.pgn", "Cid, C").await;
    until("the table", async || writing.path("round-1/game-2.json").exists().then_some(())).await;
    std::fs::write(writing.path("round-1/notes.txt"), "somebody's own").unwrap();
    std::fs::write(writing.path("round-1/game-x.pgn"), "somebody's own").unwrap();

    // Started again, it takes away what it had written before.
    let Writing { hall: Hall { daemon, state, bus, board, .. }, dir } = writing;
    daemon.kill();
    let config = dir.path().join("touchmoved.toml");
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &["--config", config.to_str().unwrap()]);
    daemon.ready();
    let live = client(&bus, Stream::Live).await;
    let round = Round::read(&fewer, Some(1), &TableOrder::Unknown).unwrap();
    live.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let path = |name: &str| dir.path().join("open/round-1").join(name);
    eventually("the table to go", || (!path("game-2.pgn").exists() && !path("game-2.json").exists()).then_some(()));
    assert!(path("game-1.pgn").exists() && path("notes.txt").exists() && path("game-x.pgn").exists());
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_said_and_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let barrier = dir.path().join("barrier");
    std::fs::write(&barrier, "a file").unwrap();
    let config = configure(dir.path(), &barrier.join("open"), "");
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    let trouble = async || {
        let trouble = hall.client.snapshot().await.unwrap().trouble;
        trouble.into_iter().find(|(kind, _)| kind == "files_failed").map(|(_, sentence)| sentence)
    };
    let sentence = until("trouble", trouble).await;
    assert!(sentence.contains("barrier/open/") && sentence.contains("dir in [files]"), "{sentence}");
    until("a line in the log", async || hall.daemon.log().contains("cannot be written").then_some(())).await;
    hall.play("e2", "e4", "e4").await;
    std::fs::remove_file(&barrier).unwrap();
    let file = barrier.join("open/round-1/game-1.pgn");
    let read = || std::fs::read_to_string(&file).ok().filter(|text| text.contains("1. e4"));
    until("the file", async || read()).await;
    let gone = async || hall.client.snapshot().await.unwrap().trouble.is_empty().then_some(());
    until("no trouble", gone).await;
}

#[tokio::test]
async fn moves_that_are_not_legal_are_no_moves_for_readers() {
    let Some(mut writing) = Writing::open("").await else { return };
    writing.hall.board.clock(5400, 5400, true);
    writing.hall.play("e2", "e4", "e4").await;
    writing.hall.board.clock(5399, 5400, false);
    // A pawn does not go from e7 to e4, and the clock is pressed on it.
    writing.hall.board.play("e7", "e6");
    writing.hall.board.clock(5399, 5398, true);
    writing.hall.board.play("e1", "e3");
    writing.hall.board.clock(5397, 5398, false);
    let raised = |event: &WatchedEvent| event.event == "AlertRaised" && event.fields["kind"] == "illegal_move";
    let alert = seen(&mut writing.hall.watch, "the alert", raised).await.fields["id"].as_u64().unwrap() as u32;
    // Nobody reads of it before it stands.
    writing.hall.play("g8", "f6", "Nf6").await;
    let pgn = writing.says("round-1/game-1.pgn", "e6").await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(writing.read("round-1/game-1.pgn"), pgn);
    assert!(pgn.trim_end().ends_with('*') && !pgn.contains("Ke1") && !pgn.contains("Not legal"), "{pgn}");
    writing.hall.client.send_command(writing.hall.game, &Command::LetStand(alert)).await.unwrap();
    let spectator = writing.hall.spectator().await;
    let played = game(&spectator).await;
    let told = async || {
        let snapshot = spectator.snapshot().await.unwrap();
        snapshot.games[0].moves.get(2).map(|ply| ply.san.clone())
    };
    let san = until("a move that is not legal", told).await;
    assert_eq!(san, "Ke1-e3");
    let public =
        until("the same PGN", async || Some(writing.read("round-1/game-1.pgn")).filter(|text| text.contains("Not legal")))
            .await;
    let moves = public.split_once("\n\n").unwrap().1;
    assert!(
        moves.starts_with("1. e4") && moves.find("Ke1-e3").is_some_and(|at| moves[..at].contains("{Not legal,")),
        "{public}"
    );
    // The same as on the bus.
    let bus = spectator.pgn(played).await.unwrap();
    assert_eq!(bus.split_once("\n\n").unwrap().1, moves);
    let told = writing.json("round-1/game-1.json");
    assert_eq!(told["moves"].as_array().map(Vec::len), Some(2), "{told}");
    assert!(told["comment"].as_str().is_some_and(|comment| comment.contains("not legal")), "{told}");
}
