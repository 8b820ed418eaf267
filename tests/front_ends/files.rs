//! The games as files, written by touchmoved into a separate directory.

use crate::harness::hall::{Hall, client, game, seen};
use crate::harness::organiser::Organiser as _;
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

/// A hall whose touchmoved writes files.
struct FilesHall {
    hall: Hall,
    dir: TempDir,
}

impl FilesHall {
    async fn open(keys: &str) -> Option<FilesHall> {
        let dir = tempfile::tempdir().unwrap();
        let config = configure(dir.path(), &dir.path().join("open"), keys);
        let hall = Hall::configured(&["--config", config.to_str().unwrap()]).await?;
        Some(FilesHall { hall, dir })
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

    /// Waits until a JSON file has this value at this JSON pointer.
    async fn wait_for_value(&self, name: &str, pointer: &str, expect: Value) {
        let value = || serde_json::from_str::<Value>(&self.read(name)).ok()?.pointer(pointer).cloned();
        until(&format!("{expect} at {pointer} of {name}"), async || (value().as_ref() == Some(&expect)).then_some(())).await;
    }

    /// Waits until a file contains this text; returns its contents.
    async fn wait_for_text(&self, name: &str, expect: &str) -> String {
        let contents = || Some(self.read(name)).filter(|text| text.contains(expect));
        until(&format!("{expect} in {name}"), async || contents()).await
    }

    async fn load(&self, csv: &str, number: u16) {
        let round = Round::read(csv, Some(number), &TableOrder::Unknown).unwrap();
        self.hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    }
}

fn configure(dir: &Path, files_dir: &Path, keys: &str) -> PathBuf {
    let path = dir.join("touchmoved.toml");
    std::fs::write(&path, format!("[files]\ndir = '{}'\n{keys}\n", files_dir.display())).unwrap();
    path
}

fn tag<'a>(pgn: &'a str, name: &str) -> Option<&'a str> {
    pgn.lines().find_map(|line| line.strip_prefix(&format!("[{name} \""))?.strip_suffix("\"]"))
}

const PLAYERS: &str = "white,black,white_title,white_fide_id\n\"Ada, A\",\"Bob, B\",GM,1503014\n\"Cid, C\",Dee,,\n";

#[tokio::test]
async fn moves_appear_and_corrections_replace_them() {
    let keys = "[pgn]\nevent = 'City Open'\nsite = 'Delft'\nround = '3'\n";
    let Some(mut files) = FilesHall::open(keys).await else { return };
    let first = files.wait_for_text("round-3/game-1.pgn", "*").await;
    assert_eq!((tag(&first, "Event"), tag(&first, "Round"), tag(&first, "Board")), (Some("City Open"), Some("3.1"), None));
    files.hall.board.clock(5400, 5400, true);
    files.hall.play("e2", "e4", "e4").await;
    files.hall.board.clock(5399, 5400, false);
    let pgn = files.wait_for_text("round-3/game-1.pgn", "1. e4 {[%clk 1:29:59]").await;
    assert!(pgn.contains("[Result \"*\"]") && !pgn.contains("ReferenceTime"), "{pgn}");
    files.wait_for_text("round-3/games.pgn", "1. e4").await;
    let game = files.json("round-3/game-1.json");
    assert_eq!((&game["live"], &game["result"], &game["moves"]), (&json!(true), &json!("*"), &json!(["e4 5399"])));
    assert_eq!(
        (&game["clock"]["white"], &game["clock"]["black"], &game["clock"]["run"]),
        (&json!(5399), &json!(5400), &json!(null))
    );
    assert!(game["firstMove"].as_i64().is_some_and(|at| at > 1_700_000_000_000) && game["chess960"] == json!(518));

    let client = &files.hall.client;
    client.send_command(files.hall.game, &Command::Replace { ply: 1, uci: "d2d4".into() }).await.unwrap();
    let pgn = files.wait_for_text("round-3/game-1.pgn", "1. d4").await;
    assert!(!pgn.contains("e4"), "{pgn}");
    files.hall.client.send_command(files.hall.game, &Command::Result { result: Some(GameResult::Draw) }).await.unwrap();
    files.wait_for_text("round-3/game-1.json", "DRAW").await;
    files.wait_for_text("tournament.json", "{\"count\":1,\"live\":0}").await;
    let tournament = files.json("tournament.json");
    assert_eq!(tournament["rounds"], json!([{"count": 0, "live": 0}, {"count": 0, "live": 0}, {"count": 1, "live": 0}]));
    assert_eq!((&tournament["name"], &tournament["location"]), (&json!("City Open"), &json!("Delft")));
    let index = files.json("round-3/index.json");
    assert_eq!((&index["pairings"][0]["result"], &index["pairings"][0]["white"]["lname"]), (&json!("1/2-1/2"), &json!(null)));
    let temporary: Vec<String> = std::fs::read_dir(files.path("round-3"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(temporary.is_empty(), "{temporary:?}");
}

#[tokio::test]
async fn only_the_files_are_readable_for_everyone() {
    let dir = tempfile::tempdir().unwrap();
    let Some(bus) = PrivateBus::start() else { return };
    // An existing directory keeps its permissions; a directory created below it is public, as those of the rounds are.
    let (existing, created) = (dir.path().join("there"), dir.path().join("there/made"));
    std::fs::create_dir(&existing).unwrap();
    std::fs::set_permissions(&existing, Permissions::from_mode(0o750)).unwrap();
    let config = configure(dir.path(), &created, "");
    let state = dir.path().join("state");
    // As in the systemd unit: UMask=0027.
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "umask 0027; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_touchmoved")]);
    let board = Board::plugged();
    let port = board.path();
    let args = [("--bus", bus.address()), ("--state-dir", state.display().to_string()), ("--port", port.display().to_string())];
    let args = args.iter().flat_map(|(option, value)| [*option, value.as_str()]).chain(["--config", config.to_str().unwrap()]);
    let daemon = Daemon::run(command, &args.collect::<Vec<_>>());
    daemon.ready();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    eventually("the files", || created.join("round-1/game-1.pgn").exists().then_some(()));
    assert_eq!(["", "round-1"].map(|name| format!("{:o}", mode(&created.join(name)))), ["755", "755"]);
    assert_eq!(format!("{:o}", mode(&existing)), "750");
    eventually("all of them", || created.join("round-1/index.json").exists().then_some(()));
    for name in ["round-1/game-1.pgn", "round-1/index.json"] {
        assert_eq!(format!("{:o}", mode(&created.join(name))), "644", "{name}");
    }
    assert_eq!(mode(&state) & 0o007, 0, "the state directory");
    assert_eq!(mode(&state.join("journal.sqlite3")) & 0o007, 0, "the journal");
}

#[tokio::test]
async fn each_file_is_written_at_most_once_per_second() {
    let Some(mut files) = FilesHall::open("").await else { return };
    let mut versions: Vec<SystemTime> = Vec::new();
    let path = files.path("round-1/game-1.pgn");
    let mut count_versions = || {
        let time = std::fs::metadata(&path).and_then(|data| data.modified()).ok();
        versions.extend(time.filter(|time| versions.last() != Some(time)));
        versions.len()
    };
    // Moves back and forth, faster than one per second.
    for (from, to, san) in [("g1", "f3", "Nf3"), ("g8", "f6", "Nf6"), ("f3", "g1", "Ng1"), ("f6", "g8", "Ng8")] {
        files.hall.play(from, to, san).await;
        let before = count_versions();
        if san == "Nf6" {
            until("another version", async || (count_versions() > before).then_some(())).await;
        }
    }
    files.wait_for_text("round-1/game-1.pgn", "Ng8").await;
    count_versions();
    let gaps: Vec<Duration> = versions.windows(2).map(|pair| pair[1].duration_since(pair[0]).unwrap()).collect();
    // File times have the resolution of the kernel's tick, some milliseconds.
    assert!(!gaps.is_empty() && gaps.iter().all(|gap| *gap >= Duration::from_millis(980)), "{gaps:?}");
}

#[tokio::test]
async fn files_are_delayed_like_all_public_front_ends() {
    let Some(mut files) = FilesHall::open("[broadcast]\ndelay_plies = 2").await else { return };
    for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3")] {
        files.hall.play(from, to, san).await;
    }
    let pgn = files.wait_for_text("round-1/game-1.pgn", "e4").await;
    assert!(!pgn.contains("e5") && !pgn.contains("Nf3"), "{pgn}");
    let others = [("games.pgn", "e4"), ("game-1.json", "e4"), ("index.json", "pairings"), ("../tournament.json", "rounds")];
    for (name, known) in others {
        let text = files.wait_for_text(&format!("round-1/{name}"), known).await;
        assert!(!text.contains("e5") && !text.contains("Nf3"), "{name}: {text}");
    }
    files.hall.client.send_command(files.hall.game, &Command::Result { result: Some(GameResult::WhiteWins) }).await.unwrap();
    let pgn = files.wait_for_text("round-1/game-1.pgn", "1-0").await;
    assert!(pgn.contains("1. e4 e5 2. Nf3 1-0"), "{pgn}");
}

#[tokio::test]
async fn every_table_of_a_round_has_its_file() {
    let Some(mut files) = FilesHall::open("").await else { return };
    files.load(PLAYERS, 2).await;
    files.hall.play("e2", "e4", "e4").await;
    let pgn = files.wait_for_text("round-2/game-1.pgn", "1. e4").await;
    let tags = ["White", "Black", "Round", "WhiteTitle", "Board"].map(|name| tag(&pgn, name));
    assert_eq!(tags, [Some("Ada, A"), Some("Bob, B"), Some("2.1"), Some("GM"), Some("1")]);
    let other = files.wait_for_text("round-2/game-2.pgn", "Cid, C").await;
    assert!(other.ends_with("\n\n*\n\n") && tag(&other, "Round") == Some("2.2"), "{other}");
    let expect = json!({"fname": "A", "mname": null, "lname": "Ada", "title": "GM", "federation": null, "gender": null, "fideid": "1503014"});
    files.wait_for_value("round-2/index.json", "/pairings/0/white", expect).await;
    assert_eq!(files.read("round-2/games.pgn").matches("[Event ").count(), 2);

    // The pairings were exchanged by mistake.
    files.hall.client.swap_tables(1, 2).await.unwrap();
    let pgn = files.wait_for_text("round-2/game-1.pgn", "Cid, C").await;
    assert!(pgn.contains("1. e4") && tag(&pgn, "WhiteTitle").is_none(), "{pgn}");
    let other = files.wait_for_text("round-2/game-2.pgn", "Ada, A").await;
    assert!(!other.contains("e4"), "{other}");

    files.hall.client.set_forfeit(2, "black").await.unwrap();
    let pgn = files.wait_for_text("round-2/game-2.pgn", "unplayed").await;
    assert_eq!((tag(&pgn, "Result"), tag(&pgn, "Termination")), (Some("0-1"), Some("unplayed")));
    files.wait_for_value("round-2/index.json", "/pairings/1/result", json!("0-1")).await;
    files.wait_for_value("round-2/game-2.json", "/result", json!("NOTPLAYED")).await;
    files.hall.client.set_forfeit(2, "").await.unwrap();
    until("a game to be played", async || (!files.read("round-2/game-2.pgn").contains("unplayed")).then_some(())).await;

    // The next round: the files of the previous round stay, and receive its late moves.
    files.load(&PLAYERS.replace("Ada", "Eve"), 3).await;
    files.wait_for_text("round-3/game-1.pgn", "Eve, A").await;
    assert!(files.read("round-2/game-1.pgn").contains("1. e4"));
    assert!(!files.read("round-3/game-1.pgn").contains("e4"), "the game on the board is of round 2");
    files.wait_for_value("tournament.json", "/rounds/2", json!({"count": 2, "live": 0})).await;
}

#[tokio::test]
async fn moves_played_after_a_game_do_not_replace_its_file() {
    let Some(mut files) = FilesHall::open("").await else { return };
    files.load(PLAYERS, 1).await;
    files.hall.play("e2", "e4", "e4").await;
    files.wait_for_text("round-1/game-1.pgn", "1. e4").await;
    let mut game = files.hall.game;
    let mut from = ("e4", "e2");
    for (square, to, san) in
        [("d2", "d4", "d4"), ("c2", "c4", "c4"), ("g1", "f3", "Nf3"), ("b1", "c3", "Nc3"), ("b2", "b3", "b3")]
    {
        files.hall.client.send_command(game, &Command::Result { result: Some(GameResult::WhiteWins) }).await.unwrap();
        files.hall.board.play(from.0, from.1);
        game = until("another game", async || {
            files.hall.client.snapshot().await.unwrap().boards[0].game.filter(|next| *next != game)
        })
        .await;
        files.hall.play(square, to, san).await;
        from = (to, square);
    }
    // Every file is checked when one of them changes.
    files.hall.client.set_forfeit(2, "white").await.unwrap();
    files.wait_for_text("round-1/game-2.pgn", "unplayed").await;
    let pgn = files.read("round-1/game-1.pgn");
    assert!(pgn.contains("1. e4 1-0"), "{pgn}");
    let games = files.hall.client.snapshot().await.unwrap().games;
    assert!(games.iter().any(|known| known.id == files.hall.game), "the game is still in memory");
    let later = files.hall.client.pgn(game).await.unwrap();
    assert_eq!(tag(&later, "White"), Some("?"));
}

#[tokio::test]
async fn a_restart_removes_nothing() {
    let Some(mut files) = FilesHall::open("").await else { return };
    files.load(PLAYERS, 1).await;
    files.hall.play("e2", "e4", "e4").await;
    // The files of a game are written one after the other.
    for file in ["game-1.pgn", "games.pgn", "game-1.json"] {
        files.wait_for_text(&format!("round-1/{file}"), "e4").await;
    }
    let FilesHall { hall: Hall { daemon, state, bus, board, .. }, dir } = files;
    daemon.kill();
    // The board is no longer there, so that its game is not known.
    drop(board);
    let config = dir.path().join("touchmoved.toml");
    let elsewhere = dir.path().join("nothing");
    let daemon = Daemon::on(&bus, state.path(), &elsewhere, &["--config", config.to_str().unwrap()]);
    daemon.ready();
    let live = client(&bus, Stream::Live).await;
    live.set_forfeit(2, "white").await.unwrap();
    // The first files of a directory are written one after the other.
    let read = |name: &str| std::fs::read_to_string(dir.path().join("open/round-1").join(name)).unwrap_or_default();
    eventually("the forfeit", || read("game-2.pgn").contains("unplayed").then_some(()));
    assert!(read("game-1.pgn").contains("1. e4") && read("games.pgn").contains("1. e4"));
    assert!(read("game-1.json").contains("e4"));
}

#[tokio::test]
async fn a_file_damaged_by_a_power_cut_is_replaced() {
    let Some(mut files) = FilesHall::open("").await else { return };
    files.load(PLAYERS, 1).await;
    files.hall.play("e2", "e4", "e4").await;
    files.wait_for_text("round-1/games.pgn", "1. e4").await;
    let FilesHall { hall: Hall { daemon, state, bus, board, .. }, dir } = files;
    daemon.kill();
    drop(board);
    let path = |name: &str| dir.path().join("open/round-1").join(name);
    let mut damaged = std::fs::read(path("game-1.pgn")).unwrap();
    let moves = damaged.len() - "1. e4 *\n\n".len();
    damaged[moves..].fill(0);
    std::fs::write(path("game-1.pgn"), damaged).unwrap();
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
async fn files_of_tables_removed_from_a_round_are_deleted() {
    let Some(files) = FilesHall::open("").await else { return };
    let fewer = PLAYERS.lines().take(2).collect::<Vec<_>>().join("\n");
    let is_deleted = |files: &FilesHall| {
        let exist = ["pgn", "json"].map(|kind| files.path(&format!("round-1/game-2.{kind}")).exists());
        (exist == [false, false] && !files.read("round-1/games.pgn").contains("Cid, C")).then_some(())
    };
    files.load(PLAYERS, 1).await;
    files.wait_for_text("round-1/games.pgn", "Cid, C").await;
    until("the table", async || files.path("round-1/game-2.json").exists().then_some(())).await;
    files.load(&fewer, 1).await;
    until("the files to be deleted", async || is_deleted(&files)).await;
    files.load(PLAYERS, 1).await;
    files.wait_for_text("round-1/games.pgn", "Cid, C").await;
    until("the table", async || files.path("round-1/game-2.json").exists().then_some(())).await;
    std::fs::write(files.path("round-1/notes.txt"), "another program's file").unwrap();
    std::fs::write(files.path("round-1/game-x.pgn"), "another program's file").unwrap();

    // After a restart, touchmoved deletes files that it had written before.
    let FilesHall { hall: Hall { daemon, state, bus, board, .. }, dir } = files;
    daemon.kill();
    let config = dir.path().join("touchmoved.toml");
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &["--config", config.to_str().unwrap()]);
    daemon.ready();
    let live = client(&bus, Stream::Live).await;
    let round = Round::read(&fewer, Some(1), &TableOrder::Unknown).unwrap();
    live.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let path = |name: &str| dir.path().join("open/round-1").join(name);
    eventually("the files to be deleted", || (!path("game-2.pgn").exists() && !path("game-2.json").exists()).then_some(()));
    assert!(path("game-1.pgn").exists() && path("notes.txt").exists() && path("game-x.pgn").exists());
}

#[tokio::test]
async fn an_unwritable_directory_is_reported_and_retried() {
    let dir = tempfile::tempdir().unwrap();
    let barrier = dir.path().join("barrier");
    std::fs::write(&barrier, "a file").unwrap();
    let config = configure(dir.path(), &barrier.join("open"), "");
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    let health_problem = async || {
        let health_problem = hall.client.snapshot().await.unwrap().health_problems;
        health_problem.into_iter().find(|(kind, _)| kind == "files_failed").map(|(_, sentence)| sentence)
    };
    let sentence = until("a health problem", health_problem).await;
    assert!(sentence.contains("barrier/open/") && sentence.contains("dir in [files]"), "{sentence}");
    until("a line in the log", async || hall.daemon.log().contains("cannot be written").then_some(())).await;
    hall.play("e2", "e4", "e4").await;
    std::fs::remove_file(&barrier).unwrap();
    let file = barrier.join("open/round-1/game-1.pgn");
    let read = || std::fs::read_to_string(&file).ok().filter(|text| text.contains("1. e4"));
    until("the file", async || read()).await;
    let is_healthy = async || hall.client.snapshot().await.unwrap().health_problems.is_empty().then_some(());
    until("no health problem", is_healthy).await;
}

#[tokio::test]
async fn illegal_moves_are_comments_for_readers() {
    let Some(mut files) = FilesHall::open("").await else { return };
    files.hall.board.clock(5400, 5400, true);
    files.hall.play("e2", "e4", "e4").await;
    files.hall.board.clock(5399, 5400, false);
    // The king makes an illegal move, and the clock is pressed.
    files.hall.board.play("e7", "e6");
    files.hall.board.clock(5399, 5398, true);
    files.hall.board.play("e1", "e3");
    files.hall.board.clock(5397, 5398, false);
    let raised = |event: &WatchedEvent| event.event == "AlertRaised" && event.fields["kind"] == "illegal_move";
    let alert = seen(&mut files.hall.watch, "the alert", raised).await.fields["id"].as_u64().unwrap() as u32;
    // The files do not contain it before it is in force.
    files.hall.play("g8", "f6", "Nf6").await;
    let pgn = files.wait_for_text("round-1/game-1.pgn", "e6").await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(files.read("round-1/game-1.pgn"), pgn);
    assert!(pgn.trim_end().ends_with('*') && !pgn.contains("Ke1") && !pgn.contains("Not legal"), "{pgn}");
    files.hall.client.send_command(files.hall.game, &Command::LetStand { alert }).await.unwrap();
    let spectator = files.hall.spectator().await;
    let played = game(&spectator).await;
    let published = async || {
        let snapshot = spectator.snapshot().await.unwrap();
        snapshot.games[0].moves.get(2).map(|ply| ply.san.clone())
    };
    let san = until("the illegal move", published).await;
    assert_eq!(san, "Ke1-e3");
    let public =
        until("the same PGN", async || Some(files.read("round-1/game-1.pgn")).filter(|text| text.contains("Not legal"))).await;
    let moves = public.split_once("\n\n").unwrap().1;
    assert!(
        moves.starts_with("1. e4") && moves.find("Ke1-e3").is_some_and(|at| moves[..at].contains("{Not legal,")),
        "{public}"
    );
    // The PGN is the same as on the bus.
    let bus = spectator.pgn(played).await.unwrap();
    assert_eq!(bus.split_once("\n\n").unwrap().1, moves);
    let published = files.json("round-1/game-1.json");
    assert_eq!(published["moves"].as_array().map(Vec::len), Some(2), "{published}");
    assert!(published["comment"].as_str().is_some_and(|comment| comment.contains("illegal")), "{published}");
}
