//! Problems of one board do not affect the others.

use crate::harness::{Board, until};
use std::sync::Arc;
use tokio::sync::watch;
use touchmove::boards::model;
use touchmove::config::DiskLimits;
use touchmove::daemon::Hub;
use touchmove::daemon::hub::{
    BoardHandle, BoardId, BoardView, GAME_UNREADABLE, JOURNAL_FAILED, OrderError, Request, RequestKind, Target,
};
use touchmove::daemon::journal::{FILE_NAME, Journal};
use touchmove::daemon::links::{self, LinkSpec};
use touchmove::daemon::recorder::{RECORDING_PAUSED, RECORDINGS_STOPPED, Recorder, Recordings};
use touchmove::desk::DeskAct;
use touchmove::game::event::Rotation;
use touchmove::game::{Answer, Command, Event, GameResult, Order, StampedEvent};
use touchmove::link::recording::{self, Entry, WriteOutcome};
use touchmove::link::watch::BoardLocation;
use touchmove::round::trf::TableOrder as TrfOrder;
use touchmove::round::{PairingResult, Round};
use touchmove::table::Settings;

fn start(number: u64) -> StampedEvent {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    let event = Event::GameStarted { fen, chess960: None, laws: "fide-2023".into(), rotation: Rotation::Upright };
    StampedEvent { at: 1, number: Some(number), event }
}

fn view(name: &str) -> BoardView {
    let model = model("dgt").unwrap();
    BoardView::new(BoardId::new(name), model, model.sensing)
}

fn kinds(hub: &Hub) -> Vec<&'static str> {
    hub.read(|state| state.health_problems.iter().map(|problem| problem.kind).collect())
}

fn publish(handle: &BoardHandle, event: StampedEvent) {
    handle.publish(0, vec![event], |_| (), None);
}

#[tokio::test]
async fn a_problem_that_is_reported_again_has_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let board = BoardId::new("a");
    let report = |kind, board, sentence: Option<&str>| hub.set_health_problem(kind, board, sentence.map(str::to_owned));
    assert!(!report("x", None, None));
    assert!(report("x", None, Some("one")));
    assert!(report("y", None, Some("another")));
    assert!(report("x", Some(&board), Some("of a board")));
    for _ in 0..2 {
        assert!(!report("x", None, Some("one")));
        assert!(!report("y", None, Some("another")));
    }
    assert!(report("x", None, Some("worse")));
    assert!(report("y", None, None));
    let sentences: Vec<String> =
        hub.read(|state| state.health_problems.iter().map(|problem| problem.sentence.clone()).collect());
    assert_eq!(sentences, ["worse", "of a board"]);
}

#[tokio::test]
async fn a_game_that_cannot_be_read_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(dir.path()).unwrap();
    for board in ["a", "b"] {
        journal.append(board, 1, vec![start(1)]).await.unwrap();
    }
    drop(journal);
    let file = rusqlite::Connection::open(dir.path().join(FILE_NAME)).unwrap();
    file.execute("UPDATE event SET event = '{}' WHERE game = 1", []).unwrap();
    drop(file);

    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let (_b, last) = hub.register_board(view("b"));
    assert_eq!((last.unwrap().events, kinds(&hub)), (vec![start(1)], vec![]), "another board's game does not affect it");
    let (a, last) = hub.register_board(view("a"));
    assert!(last.is_none());
    assert_eq!(kinds(&hub), [GAME_UNREADABLE]);
    publish(&a, start(1));
    until("a new game on the board", async || hub.read(|state| state.games.contains_key(&3)).then_some(())).await;
}

#[tokio::test]
async fn a_storage_failure_is_reported_until_that_board_can_store() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let ((a, _), (b, _)) = (hub.register_board(view("a")), hub.register_board(view("b")));
    publish(&a, start(7));
    until("a health problem", async || (kinds(&hub) == [JOURNAL_FAILED]).then_some(())).await;
    let sentence = hub.read(|state| state.health_problems[0].sentence.clone());
    assert!(sentence.contains("event 7 of board a is out of order"), "{sentence}");
    publish(&b, start(1));
    until("the game of the other board", async || hub.read(|state| (!state.games.is_empty()).then_some(()))).await;
    assert_eq!(kinds(&hub), [JOURNAL_FAILED]);
}

#[tokio::test]
async fn recordings_may_begin_in_the_same_millisecond() {
    let dir = tempfile::tempdir().unwrap();
    let hub: Arc<Hub> = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let recordings = Recordings { dir: dir.path().join("recordings"), limits: DiskLimits { max: 1_000_000, reserve: 0 } };
    let mut recorder = Recorder::new(Arc::clone(&hub), recordings.clone(), BoardId::new("a"), "dgt", &Settings::default());
    for _ in 0..50 {
        recorder.begin(0, None);
        assert_eq!(kinds(&hub), Vec::<&str>::new());
    }
    assert_eq!(std::fs::read_dir(&recordings.dir).unwrap().count(), 50);
    recorder.stop_too_small();
    assert_eq!(kinds(&hub), [RECORDINGS_STOPPED]);
}

#[tokio::test]
async fn recording_pauses_while_a_board_sends_too_much() {
    let dir = tempfile::tempdir().unwrap();
    let hub: Arc<Hub> = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let recordings = Recordings { dir: dir.path().join("recordings"), limits: DiskLimits { max: 256_000_000, reserve: 0 } };
    let mut recorder = Recorder::new(Arc::clone(&hub), recordings.clone(), BoardId::new("a"), "dgt", &Settings::default());
    recorder.begin(0, None);
    // Sixty megabytes of recording in half a minute, and games that begin meanwhile.
    for at in 0..30_000 {
        assert_eq!(recorder.write(at, Entry::Rx(vec![0xff; 1_000])), WriteOutcome::Recorded);
        if at % 5_000 == 4_999 {
            recorder.begin(at, None);
        }
    }
    assert_eq!(kinds(&hub), [RECORDING_PAUSED]);
    let sentence = hub.read(|state| state.health_problems[0].sentence.clone());
    assert!(sentence.contains("board a sends more than 64 kB per second"), "{sentence}");
    let files = || {
        let mut files: Vec<_> = std::fs::read_dir(&recordings.dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect::<Vec<_>>()
    };
    let texts = files();
    assert!(texts.len() == 1 && texts[0].len() < 5_000_000, "{} files", texts.len());
    assert!(texts[0].ends_with("the board sends more than is recorded: later entries are missing\"}\n"));
    // The board sends less: its recording starts again, with the entry that was refused.
    let line = || Entry::Rx(vec![0x8e, 0, 5, 0x34, 0]);
    assert_eq!(recorder.write(90_000, line()), WriteOutcome::Full);
    recorder.begin(90_000, None);
    assert_eq!(recorder.write(90_000, line()), WriteOutcome::Recorded);
    assert_eq!(kinds(&hub), Vec::<&str>::new());
    let texts = files();
    assert_eq!(texts.len(), 2);
    texts.iter().for_each(|text| drop(recording::parse("a.rec", text).unwrap()));
    assert!(texts[1].contains("8e00053400"));
}

#[tokio::test]
async fn a_command_for_one_game_is_not_executed_on_the_next() {
    let (dir, board) = (tempfile::tempdir().unwrap(), Board::plugged());
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let (stop, stopped) = watch::channel(false);
    let mut spec = LinkSpec::single(model("dgt").unwrap(), BoardLocation::Port(board.path()), Settings::default());
    let recordings = Recordings { dir: dir.path().join("recordings"), limits: DiskLimits { max: 10_000_000, reserve: 0 } };
    spec.recordings = Some(recordings.clone());
    let id = spec.id.clone();
    let link = tokio::spawn(links::run(spec, Arc::clone(&hub), stopped));
    let current = || hub.read(|state| state.boards.get(&id)?.game);
    let result_order = |result| Order { command: Command::Result { result: Some(result) }, by: "a test".into() };
    let result = |game: u64| hub.read(|state| state.games[&game].record.result.map(|(result, _)| result));
    let recorded = || std::fs::read_dir(&recordings.dir).unwrap().count();
    let lock = rusqlite::Connection::open(dir.path().join(FILE_NAME)).unwrap();
    loop {
        let first = until("a game", async || current().filter(|game| result(*game).is_none())).await;
        board.play("e2", "e4");
        until("a move", async || hub.read(|state| (state.games[&first].record.plies.len() == 1).then_some(()))).await;
        hub.execute(Target::Game(first), result_order(GameResult::WhiteWins)).await.unwrap();

        // The pieces are set up again while the journal is locked: only the table session and its recording know of the next
        // game.
        lock.execute_batch("BEGIN IMMEDIATE").unwrap();
        let before = recorded();
        board.play("e4", "e2");
        until("the recording of the next game", async || (recorded() > before).then_some(())).await;
        assert_eq!(current(), Some(first));
        let release = async { lock.execute_batch("ROLLBACK").unwrap() };
        let (outcome, ()) =
            tokio::join!(biased; hub.execute(Target::Game(first), result_order(GameResult::BlackWins)), release);
        let next = until("the next game", async || current().filter(|game| *game != first)).await;
        assert_eq!((result(first), result(next)), (Some(GameResult::WhiteWins), None), "{outcome:?}");
        match outcome {
            Err(OrderError::NotCurrent { requested, current, .. }) => assert_eq!((requested, current), (first, next)),
            // The machine is slow, and the journal was locked for too long.
            Err(OrderError::JournalFull(_)) => continue,
            other => panic!("{other:?}"),
        }
        hub.execute(Target::Game(next), result_order(GameResult::Draw)).await.unwrap();
        assert_eq!(result(next), Some(GameResult::Draw));
        break;
    }
    stop.send_replace(true);
    link.await.unwrap();
}

#[tokio::test]
async fn an_exchange_keeps_what_was_changed_in_the_round_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let ((a, _), (mut spare, _)) = (hub.register_board(view("a")), hub.register_board(view("spare")));
    let csv = "table,white,black,board\n1,Ada,Bob,a\n2,Cid,Dee,\n";
    let round = Round::read(csv, Some(1), &TrfOrder::Unknown).unwrap();
    hub.change_desk(DeskAct::LoadRound { round }, "Olga").await.unwrap();
    hub.change_desk(DeskAct::Seat { table: 1, board: "a".to_owned(), serial_number: None }, "Olga").await.unwrap();
    publish(&a, start(1));
    until("a game", async || hub.read(|state| (!state.games.is_empty()).then_some(()))).await;
    let (from, to) = (BoardId::new("a"), BoardId::new("spare"));
    let board = async {
        let Request { kind: RequestKind::ContinueGame(carried), done, .. } = spare.requests.recv().await.unwrap() else {
            panic!()
        };
        // Meanwhile a player is absent at table 2.
        let result = Some(PairingResult::WhiteWinsByForfeit);
        hub.change_desk(DeskAct::Result { round: 1, table: 2, result }, "Otto").await.unwrap();
        spare.publish_continuation(carried.game.epoch_wall_ms, carried.game.events, carried.exchange);
        done.send(Ok(Answer::Done)).unwrap();
    };
    let (outcome, ()) = tokio::join!(hub.continue_game(&from, &to, "Anna"), board);
    outcome.unwrap();
    let seated = || hub.read(|state| state.desk.seats.get(&1).map(|seat| seat.board.clone()));
    until("the exchange", async || (seated().as_deref() == Some("spare")).then_some(())).await;
    let result = hub.read(|state| state.desk.pairing(1, 2).unwrap().result);
    assert_eq!(result, Some(PairingResult::WhiteWinsByForfeit));
    assert_eq!(hub.read(|state| state.desk_by.clone()), "Anna");
}

/// One event of the running game cannot be read: the moves before it continue as a separate game.
#[tokio::test]
async fn a_game_continues_from_its_readable_moves() {
    let (dir, board) = (tempfile::tempdir().unwrap(), Board::plugged());
    let spec = LinkSpec::single(model("dgt").unwrap(), BoardLocation::Port(board.path()), Settings::default());
    let id = spec.id.clone();
    let plies = |hub: &Hub, game: u64| hub.read(|state| state.games.get(&game).map_or(0, |game| game.record.plies.len()));
    {
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
        let (stop, stopped) = watch::channel(false);
        let link = tokio::spawn(links::run(spec.clone(), Arc::clone(&hub), stopped));
        until("a game", async || hub.read(|state| state.boards.get(&id)?.game)).await;
        for (from, to) in [("e2", "e4"), ("e7", "e5"), ("g1", "f3")] {
            board.play(from, to);
            until("a move", async || {
                hub.read(|state| {
                    state.games[&1].record.plies.iter().any(|ply| ply.played.uci == format!("{from}{to}")).then_some(())
                })
            })
            .await;
        }
        stop.send(true).unwrap();
        link.await.unwrap();
        hub.drain().await;
    }
    let file = rusqlite::Connection::open(dir.path().join(FILE_NAME)).unwrap();
    let bad: i64 = file.query_row("SELECT min(number) FROM event WHERE event LIKE '%e7e5%'", [], |row| row.get(0)).unwrap();
    file.execute("UPDATE event SET event = '{' WHERE game = 1 AND number = ?1", [bad]).unwrap();
    drop(file);

    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let (stop, stopped) = watch::channel(false);
    let link = tokio::spawn(links::run(spec, Arc::clone(&hub), stopped));
    until("all moves, two of them reconstructed from the board", async || (plies(&hub, 2) == 3).then_some(())).await;
    assert_eq!(kinds(&hub), [GAME_UNREADABLE]);
    let sentence = hub.read(|state| state.health_problems[0].sentence.clone());
    assert!(sentence.contains("and later moves are missing"), "{sentence}");
    assert_eq!(hub.read(|state| state.boards[&id].game), Some(2));
    stop.send(true).unwrap();
    link.await.unwrap();
}
