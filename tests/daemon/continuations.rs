//! Games of other machines at their hub: which pairing they belong to, and which game continues another, is for the hub to say.

use crate::harness::until;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use touchmove::boards::model;
use touchmove::daemon::hub::round_games::{RoundGames, pairing_of};
use touchmove::daemon::hub::{BoardId, BoardView, RemoteBatch, RemoteContinuation, Request, RequestKind, TableExchange};
use touchmove::daemon::journal::{ContinuationOrder, EventRow, Journal, RemoteEvents, RemoteGame};
use touchmove::daemon::{Hub, rounds};
use touchmove::desk::DeskAct;
use touchmove::game::StampedEvent;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;
use touchmove::wire;

/// When all games began.
const STARTED: i64 = 1_795_000_000_000;

const START: &str = r#"{"t":0,"n":1,"event":"game_started","fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","chess960":518,"laws":"fide-2023","rotation":"upright"}"#;
const MOVE: &str = r#"{"t":1500,"n":2,"event":"move_made","ply":1,"uci":"e2e4","san":"e4","fen":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1","confidence":0.999,"alternatives":[]}"#;

/// The event by which the machine itself says that its game is that of table 1 in round 1.
const CLAIM: &str = r#"{"t":1600,"n":3,"event":"command","command":{"do":"tags","tags":[["Event","Open"],["Round","1"],["Table","1"],["White","Eve"]]},"by":"eve"}"#;

/// The board of a machine.
struct RemoteBoard {
    batches: mpsc::UnboundedSender<RemoteBatch>,
    task: JoinHandle<()>,
    machine: &'static str,
}

impl RemoteBoard {
    fn register(hub: &Arc<Hub>, machine: &'static str, name: &str) -> RemoteBoard {
        let model = model("dgt").unwrap();
        let view = BoardView::new(BoardId::new(name), model, model.sensing);
        let (mut handle, _) = hub.register_board(BoardView { machine: Some(machine.to_owned()), ..view });
        let (batches, mut queue) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            loop {
                tokio::select! {
                    batch = queue.recv() => match batch {
                        Some(batch) => handle.publish_remote(batch),
                        None => return,
                    },
                    Some(Request { kind, done }) = handle.requests.recv() => match kind {
                        RequestKind::Order(order, guard) => handle.publish_desk_order(None, guard, order, done),
                        _ => panic!("a request that the desk does not carry out"),
                    },
                }
            }
        });
        RemoteBoard { batches, task, machine }
    }

    /// Publishes a game of its machine; returns when it is in the journal of the hub.
    async fn play(&self, game: u64, events: &[&str], continues: Option<RemoteContinuation>) {
        let (stored, is_stored) = oneshot::channel();
        let stamped: Vec<StampedEvent> = events.iter().map(|text| wire::from_json(text).unwrap()).collect();
        let batch = RemoteBatch {
            events: remote(self.machine, game, events),
            ages_ms: vec![0; stamped.len()],
            stamped,
            is_newest: true,
            continues,
            on_done: Box::new(move |outcome| _ = stored.send(outcome)),
        };
        assert!(self.batches.send(batch).is_ok());
        is_stored.await.unwrap().unwrap();
    }
}

fn remote(machine: &str, game: u64, events: &[&str]) -> RemoteEvents {
    let source = RemoteGame { machine: machine.to_owned(), journal: format!("journal-of-{machine}"), game };
    let row = |(number, text): (u64, &&str)| EventRow { number, wall_ms: STARTED, text: (*text).to_owned() };
    let events = (1..).zip(events).map(row).collect();
    RemoteEvents { source, started_wall_ms: STARTED, epoch_wall_ms: STARTED, events }
}

/// A hub with a round, the boards `pi_01_b`, `pi_02_b` and `pi_02_c` of two machines, and the first of them at table 1.
struct Hall {
    dir: TempDir,
    hub: Arc<Hub>,
    boards: [RemoteBoard; 3],
}

impl Hall {
    async fn new() -> Hall {
        let dir = tempfile::tempdir().unwrap();
        let (hub, boards) = start(dir.path()).await;
        let round = Round::read("table,white,black\n1,Ada,Bob\n", Some(1), &TableOrder::Unknown).unwrap();
        let round = Round { event: Some("Open".to_owned()), ..round };
        hub.change_desk(DeskAct::LoadRound { round }, "Olga").await.unwrap();
        let seat = DeskAct::Seat { table: 1, board: "pi_01_b".to_owned(), serial_number: None };
        hub.change_desk(seat, "Olga").await.unwrap();
        Hall { dir, hub, boards }
    }

    async fn restart(self) -> Hall {
        let dir = self.stop().await;
        let (hub, boards) = start(dir.path()).await;
        Hall { dir, hub, boards }
    }

    async fn stop(self) -> TempDir {
        let Hall { dir, hub, boards } = self;
        for board in boards {
            drop(board.batches);
            board.task.await.unwrap();
        }
        hub.drain().await;
        dir
    }

    /// Publishes a game on a board, and waits until it is shown.
    async fn play(&self, board: usize, game: u64, events: &[&str], continues: Option<RemoteContinuation>) {
        let count = || self.hub.read(|state| state.games.len());
        let before = count();
        self.boards[board].play(game, events, continues).await;
        until("the game at the hub", async || (count() > before).then_some(())).await;
    }

    /// Waits until a game has this White, and returns its pairing.
    async fn named(&self, game: u64, white: &str) -> Option<(u16, u16)> {
        until(&format!("game {game} of {white}"), async || {
            self.hub.read(|state| {
                let game = state.games.get(&game)?;
                let has_name = game.record.tags.iter().any(|(name, value)| name == "White" && value == white);
                has_name.then(|| pairing_of(&state.desk, game))
            })
        })
        .await
    }

    fn is_continued(&self, game: u64) -> bool {
        self.hub.read(|state| state.games[&game].is_continued)
    }

    fn seated(&self) -> Option<String> {
        self.hub.read(|state| state.desk.seats.get(&1).map(|seat| seat.board.clone()))
    }
}

async fn start(dir: &Path) -> (Arc<Hub>, [RemoteBoard; 3]) {
    let hub = Hub::new(Journal::open(dir).unwrap().0, &[]);
    hub.load_desk(dir).await;
    let boards = [("pi-01", "pi_01_b"), ("pi-02", "pi_02_b"), ("pi-02", "pi_02_c")];
    let boards = boards.map(|(machine, name)| RemoteBoard::register(&hub, machine, name));
    (hub, boards)
}

fn order() -> ContinuationOrder {
    exchange().order(STARTED, 2).unwrap()
}

fn exchange() -> TableExchange {
    TableExchange { game: Some(1), from: BoardId::new("pi_01_b"), to: BoardId::new("pi_02_b"), by: "Anna".to_owned() }
}

#[tokio::test]
async fn a_game_that_only_looks_like_that_of_another_machine_does_not_continue_it() {
    let hall = Hall::new().await;
    hall.play(0, 1, &[START, MOVE], None).await;
    rounds::name_games(&hall.hub).await;
    assert_eq!(hall.named(1, "Ada").await, Some((1, 1)));
    hall.play(1, 7, &[START, MOVE, CLAIM], None).await;
    assert_eq!(hall.named(2, "Eve").await, None);
    assert!(!hall.is_continued(1));
    assert_eq!(hall.seated().as_deref(), Some("pi_01_b"));
    for (table, board) in [(2, "pi_02_b"), (3, "pi_02_c")] {
        let seat = DeskAct::Seat { table, board: board.to_owned(), serial_number: None };
        hall.hub.change_desk(seat, "Olga").await.unwrap();
    }
    let seats = || hall.hub.read(|state| state.desk.seats.clone());
    let before = seats();
    // On another board of its machine the game goes on, and that machine need not say so.
    hall.play(2, 8, &[START, MOVE, CLAIM], None).await;
    assert_eq!(hall.named(3, "Eve").await, None);
    until("the game has left its board", async || hall.is_continued(2).then_some(())).await;
    assert!(!hall.is_continued(1));
    // No other table loses its board.
    assert_eq!(seats(), before);
    let hall = hall.restart().await;
    assert_eq!((hall.is_continued(1), hall.is_continued(2), hall.is_continued(3)), (false, true, false));
}

#[tokio::test]
async fn a_machine_claims_no_pairing() {
    let hall = Hall::new().await;
    hall.play(1, 7, &[START, MOVE, CLAIM], None).await;
    assert_eq!(hall.named(1, "Eve").await, None);
    hall.play(0, 1, &[START, MOVE], None).await;
    let check = async |hall: &Hall| {
        rounds::name_games(&hall.hub).await;
        assert_eq!(hall.named(2, "Ada").await, Some((1, 1)));
        assert_eq!(hall.named(1, "Eve").await, None);
        let shown = hall.hub.read(|state| {
            let round = state.desk.rounds[&1].clone();
            RoundGames::new(&state.games).shown(&round, round.table(1)?).map(|game| game.id)
        });
        assert_eq!(shown, Some(2));
        let claimed = hall.hub.events_after(1, 0).unwrap().iter().map(wire::to_json).collect::<String>();
        assert!(claimed.contains("Eve") && !claimed.contains("Table"), "{claimed}");
    };
    check(&hall).await;
    check(&hall.restart().await).await;
}

#[tokio::test]
async fn a_game_that_was_ordered_to_continue_at_another_machine_is_known_after_a_restart() {
    let hall = Hall::new().await;
    hall.play(0, 1, &[START, MOVE], None).await;
    rounds::name_games(&hall.hub).await;
    hall.named(1, "Ada").await;
    hall.hub.journal().begin_continuation(order()).await.unwrap();
    hall.play(1, 7, &[START, MOVE, CLAIM], Some(RemoteContinuation { exchange: exchange(), recalled: 2 })).await;
    // The names are those of the desk, whatever the machine says.
    assert_eq!(hall.named(2, "Ada").await, Some((1, 1)));
    assert!(hall.is_continued(1));
    assert_eq!(hall.seated().as_deref(), Some("pi_02_b"));
    until("the note", async || hall.hub.journal().is_continued(1).unwrap().then_some(())).await;
    let hall = hall.restart().await;
    assert_eq!(hall.named(2, "Ada").await, Some((1, 1)));
    assert!(hall.is_continued(1) && !hall.is_continued(2));
    assert_eq!(hall.hub.journal().open_continuations().unwrap(), []);
}

#[tokio::test]
async fn a_hub_that_ends_before_a_seat_is_moved_moves_it_once() {
    let hall = Hall::new().await;
    hall.play(0, 1, &[START, MOVE], None).await;
    rounds::name_games(&hall.hub).await;
    hall.named(1, "Ada").await;
    hall.hub.journal().begin_continuation(order()).await.unwrap();
    // The game is stored, and nothing else is done.
    hall.hub.journal().append_remote("pi_02_b", remote("pi-02", 7, &[START, MOVE, CLAIM])).await.unwrap();
    let hall = hall.restart().await;
    assert_eq!((hall.seated().as_deref(), hall.is_continued(1)), (Some("pi_01_b"), false));
    assert_eq!(hall.hub.journal().open_continuations().unwrap(), [(order(), Some(2))]);
    hall.hub.resume_continuations().await;
    let acts = hall.hub.read(|state| state.desk_number);
    hall.hub.resume_continuations().await;
    assert_eq!(hall.seated().as_deref(), Some("pi_02_b"));
    assert!(hall.is_continued(1));
    assert_eq!(hall.named(2, "Ada").await, Some((1, 1)));
    assert_eq!(hall.hub.read(|state| state.desk_number), acts);
    let hall = hall.restart().await;
    hall.hub.resume_continuations().await;
    assert_eq!(hall.seated().as_deref(), Some("pi_02_b"));
    assert_eq!(hall.hub.read(|state| state.desk_number), acts);
}
