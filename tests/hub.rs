//! What one board's trouble does to the others: nothing.

use crate::harness::until;
use std::sync::Arc;
use touchmove::boards::model;
use touchmove::config::Room;
use touchmove::daemon::Hub;
use touchmove::daemon::hub::{BoardId, BoardView, GAME_UNREADABLE, JOURNAL_FAILED, Seat};
use touchmove::daemon::journal::{FILE, Journal};
use touchmove::daemon::recorder::{RECORDINGS_STOPPED, Recorder, Recordings};
use touchmove::game::event::Rotation;
use touchmove::game::{Event, Stamped};
use touchmove::table::Settings;

fn start(number: u64) -> Stamped {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    let event = Event::GameStarted { fen, chess960: None, laws: "fide-2023".into(), rotation: Rotation::Upright };
    Stamped { at: 1, number: Some(number), event }
}

fn view(name: &str) -> BoardView {
    let model = model("dgt").unwrap();
    BoardView::new(BoardId::new(name), model, model.sensing)
}

fn kinds(hub: &Hub) -> Vec<&'static str> {
    hub.read(|state| state.trouble.iter().map(|trouble| trouble.kind).collect())
}

fn publish(seat: &Seat, event: Stamped) {
    seat.publish(0, vec![event], |_| (), None);
}

#[tokio::test]
async fn a_game_that_cannot_be_read_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(dir.path()).unwrap();
    for board in ["a", "b"] {
        journal.append(board, 1, vec![start(1)]).await.unwrap();
    }
    drop(journal);
    let file = rusqlite::Connection::open(dir.path().join(FILE)).unwrap();
    file.execute("UPDATE event SET event = '{}' WHERE game = 1", []).unwrap();
    drop(file);

    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let (_b, last) = hub.seat(view("b"));
    assert_eq!((last.unwrap().events, kinds(&hub)), (vec![start(1)], vec![]), "another board's game is nothing to it");
    let (a, last) = hub.seat(view("a"));
    assert!(last.is_none());
    assert_eq!(kinds(&hub), [GAME_UNREADABLE]);
    publish(&a, start(1));
    until("a new game on the board", async || hub.read(|state| state.games.contains_key(&3)).then_some(())).await;
}

#[tokio::test]
async fn what_cannot_be_stored_is_said_until_that_board_can() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let ((a, _), (b, _)) = (hub.seat(view("a")), hub.seat(view("b")));
    publish(&a, start(7));
    until("trouble", async || (kinds(&hub) == [JOURNAL_FAILED]).then_some(())).await;
    let sentence = hub.read(|state| state.trouble[0].sentence.clone());
    assert!(sentence.contains("event 7 of board a does not follow"), "{sentence}");
    publish(&b, start(1));
    until("the game of the other board", async || hub.read(|state| (!state.games.is_empty()).then_some(()))).await;
    assert_eq!(kinds(&hub), [JOURNAL_FAILED]);
}

#[tokio::test]
async fn recordings_may_begin_in_the_same_millisecond() {
    let dir = tempfile::tempdir().unwrap();
    let hub: Arc<Hub> = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    let recordings = Recordings { dir: dir.path().join("recordings"), room: Room { max: 1_000_000, reserve: 0 } };
    let mut recorder = Recorder::new(Arc::clone(&hub), recordings.clone(), BoardId::new("a"), "dgt", &Settings::default());
    for _ in 0..50 {
        recorder.begin(0, None);
        assert_eq!(kinds(&hub), Vec::<&str>::new());
    }
    assert_eq!(std::fs::read_dir(&recordings.dir).unwrap().count(), 50);
    recorder.too_small();
    assert_eq!(kinds(&hub), [RECORDINGS_STOPPED]);
}
