//! Seats and names depend on what people do at the desk, and on nothing else.

use crate::harness::until;
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use touchmove::boards::model;
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView, OrderError, Request, RequestKind, Target};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::rounds::{boards_at_tables, name_games};
use touchmove::daemon::{DelayedView, Hub};
use touchmove::desk::{DeskAct, Seat};
use touchmove::game::event::Rotation;
use touchmove::game::{
    Answer, Command, Confidence, Delay, ErrorCode, Event, GameResult, IllegalMoves, Order, PlayedMove, Refusal, StampedEvent,
};
use touchmove::locale::Locale;
use touchmove::publish::desk::{DeskReport, ExportFormat, RequestedAct, TableState, carry_out, export, preview_round};
use touchmove::publish::render::pgn::Reader;
use touchmove::round::problem::ProblemKind;
use touchmove::round::trf::TableOrder;
use touchmove::round::{Bye, ByeKind, Pairing, PairingResult, Player, Round};
use touchmove::simulate::rng::Rng;

const BOARDS: u16 = 6;
const SEQUENCES: u64 = 40;
const STEPS: usize = 40;

/// A board without sensors, whose task publishes what the test tells it, and carries out orders that set tags or results.
struct FakeBoard {
    events: mpsc::UnboundedSender<Told>,
    task: JoinHandle<()>,
}

/// What a test tells the task of a board; it is answered when that is published.
enum Told {
    Event(Box<Event>, oneshot::Sender<Result<Answer, OrderError>>),
    SerialNumber(String, oneshot::Sender<Result<Answer, OrderError>>),
}

impl FakeBoard {
    /// Registers the board. `serial_number`: as if the board had reported it already.
    fn register(hub: &Arc<Hub>, name: &str, serial_number: Option<&str>) -> FakeBoard {
        let model = model("dgt").unwrap();
        let mut view = BoardView::new(BoardId::new(name), model, model.sensing);
        view.serial_number = serial_number.map(str::to_owned);
        let (handle, stored) = hub.register_board(view);
        let number = stored.map_or(0, |stored| stored.events.last().and_then(|event| event.number).unwrap_or(0));
        let (events, told) = mpsc::unbounded_channel();
        FakeBoard { events, task: tokio::spawn(run(handle, told, number)) }
    }

    /// Publishes an event; returns when it is published.
    async fn tell(&self, event: Event) {
        let (done, published) = oneshot::channel();
        assert!(self.events.send(Told::Event(Box::new(event), done)).is_ok());
        published.await.unwrap().unwrap();
    }

    async fn report_serial_number(&self, number: &str) {
        let (done, published) = oneshot::channel();
        assert!(self.events.send(Told::SerialNumber(number.to_owned(), done)).is_ok());
        published.await.unwrap().unwrap();
    }

    async fn start(&self) {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        self.tell(Event::GameStarted { fen, chess960: None, laws: "fide-2023".into(), rotation: Rotation::Upright }).await;
    }

    async fn move_made(&self, ply: u32) {
        let fen = "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQkq - 0 1".into();
        let played = PlayedMove { uci: "a2a3".into(), san: "a3".into(), fen, irregular: false, evidence: Vec::new() };
        self.tell(Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() }).await;
    }
}

async fn run(mut handle: BoardHandle, mut told: mpsc::UnboundedReceiver<Told>, mut number: u64) {
    let mut at = number;
    loop {
        let (event, done) = tokio::select! {
            told = told.recv() => match told {
                Some(Told::Event(event, done)) => (*event, done),
                Some(Told::SerialNumber(number, done)) => {
                    let change = move |view: &mut BoardView| view.serial_number = Some(number);
                    handle.publish(0, Vec::new(), change, Some((done, Ok(Answer::Done))));
                    continue;
                }
                None => return,
            },
            request = handle.requests.recv() => match request {
                Some(Request { kind: RequestKind::Order(Order { command, by }, _), done }) => (Event::Commanded { command, by }, done),
                Some(Request { done, .. }) => {
                    let _ = done.send(Err(OrderError::Refused(Refusal::NoGame)));
                    continue;
                }
                None => return,
            },
        };
        number = if matches!(event, Event::GameStarted { .. }) { 1 } else { number + 1 };
        // Two games of a board do not begin at the same moment.
        at += 1;
        let events = vec![StampedEvent { at, number: Some(number), event }];
        handle.publish(0, events, |_| (), Some((done, Ok(Answer::Done))));
    }
}

/// A round in which the names of the players tell round, table and colour.
fn round(number: u16) -> Round {
    let player = |table: u16, colour: char| Player { name: format!("R{number}T{table}{colour}"), ..Player::default() };
    let pairing = |table: u16| Pairing { table, white: player(table, 'W'), black: player(table, 'B'), ..Pairing::default() };
    Round { number, event: Some("Open".to_owned()), pairings: (1..=BOARDS).map(pairing).collect(), ..Round::default() }
}

/// The White in the tags of each game with a move.
fn whites(hub: &Hub) -> BTreeMap<u64, (BoardId, Option<String>)> {
    hub.read(|state| {
        let begun = state.games.values().filter(|game| !game.record.plies.is_empty());
        let white = |tags: &[(String, String)]| tags.iter().find(|(name, _)| name == "White").map(|(_, white)| white.clone());
        begun.map(|game| (game.id, (game.board.clone(), white(&game.record.tags)))).collect()
    })
}

/// A hall, as people know it.
struct People {
    dir: TempDir,
    hub: Arc<Hub>,
    /// The boards that are plugged in, by their number, which is also that of their serial number.
    boards: BTreeMap<u16, (FakeBoard, BoardId)>,
    /// The table at which each board was seated.
    seats: BTreeMap<u16, u16>,
    current_round: Option<u16>,
    /// The White of each game that was named.
    known: BTreeMap<u64, String>,
}

impl People {
    async fn new() -> People {
        let dir = tempfile::tempdir().unwrap();
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
        hub.load_desk(dir.path()).await;
        People { dir, hub, boards: BTreeMap::new(), seats: BTreeMap::new(), current_round: None, known: BTreeMap::new() }
    }

    /// Plugs a board in, at a port that may have been another board's.
    async fn plug(&mut self, board: u16, port: u16) {
        let name = BoardId::new(&format!("port_{port}"));
        if self.boards.contains_key(&board) || self.boards.values().any(|(_, known)| *known == name) {
            return;
        }
        let fake = FakeBoard::register(&self.hub, name.as_str(), None);
        fake.report_serial_number(&format!("S{board}")).await;
        self.boards.insert(board, (fake, name));
    }

    async fn seat(&mut self, board: u16, table: u16) {
        let name = self.boards[&board].1.to_string();
        self.hub.change_desk(DeskAct::Seat { table, board: name, serial_number: None }, "Olga").await.unwrap();
        self.seats.retain(|_, seated| *seated != table);
        self.seats.insert(board, table);
    }

    async fn restart(&mut self) {
        let boards = std::mem::take(&mut self.boards);
        for (_, (fake, _)) in boards {
            drop(fake.events);
            fake.task.await.unwrap();
        }
        self.hub.drain().await;
        // The journal is locked while the hub lives.
        self.hub = Hub::new(Journal::open(TempDir::new().unwrap().path()).unwrap().0, &[]);
        self.hub = Hub::new(Journal::open(self.dir.path()).unwrap().0, &[]);
        self.hub.load_desk(self.dir.path()).await;
    }

    /// Checks that no game with a move has other names than before, and that new names are those of its board's seat.
    fn check(&mut self, what: &str) {
        let numbers: BTreeMap<&BoardId, u16> = self.boards.iter().map(|(number, (_, name))| (name, *number)).collect();
        for (game, (board, white)) in whites(&self.hub) {
            match (self.known.get(&game), white) {
                (Some(known), white) => assert_eq!(white.as_ref(), Some(known), "game {game} after {what}"),
                (None, None) => {}
                (None, Some(white)) => {
                    let table = numbers.get(&board).and_then(|number| self.seats.get(number));
                    let (round, table) = (self.current_round.expect("a round"), table.expect("a seat"));
                    assert_eq!(white, format!("R{round}T{table}W"), "game {game} after {what}");
                    self.known.insert(game, white);
                }
            }
        }
    }
}

#[tokio::test]
async fn no_order_of_plugs_restarts_and_loads_changes_the_names_of_a_game() {
    let mut named = 0;
    for seed in 0..SEQUENCES {
        let (mut rng, mut people) = (Rng::new(seed, 0), People::new().await);
        people.hub.change_desk(DeskAct::LoadRound { round: round(1) }, "Olga").await.unwrap();
        people.current_round = Some(1);
        for board in 1..=BOARDS / 2 {
            people.plug(board, board).await;
            people.seat(board, board).await;
        }
        for step in 0..STEPS {
            let board = 1 + rng.below(u64::from(BOARDS)) as u16;
            let what = match rng.below(10) {
                0 | 1 => {
                    people.plug(board, 1 + rng.below(u64::from(BOARDS)) as u16).await;
                    "a plug"
                }
                2 if people.boards.contains_key(&board) => {
                    people.seat(board, 1 + rng.below(u64::from(BOARDS)) as u16).await;
                    "a seat"
                }
                3 => {
                    let number = 1 + rng.below(3) as u16;
                    people.hub.change_desk(DeskAct::LoadRound { round: round(number) }, "Olga").await.unwrap();
                    people.current_round.get_or_insert(number);
                    "a load"
                }
                4 => {
                    let number = 1 + rng.below(3) as u16;
                    if people.hub.change_desk(DeskAct::StartRound { round: number }, "Olga").await.is_ok() {
                        people.current_round = Some(number);
                    }
                    "a start of a round"
                }
                5 if rng.chance(300) => {
                    people.restart().await;
                    "a restart"
                }
                6 | 7 if people.boards.contains_key(&board) => {
                    people.boards[&board].0.start().await;
                    "a game"
                }
                _ => {
                    let on_board = people.boards.get(&board).filter(|(_, name)| {
                        people.hub.read(|state| state.boards.get(name).is_some_and(|view| view.game.is_some()))
                    });
                    if let Some((fake, name)) = on_board {
                        let plies = people.hub.read(|state| {
                            state.boards.get(name)?.game.and_then(|game| Some(state.games.get(&game)?.record.plies.len()))
                        });
                        fake.move_made(plies.unwrap_or(0) as u32 + 1).await;
                    }
                    "a move"
                }
            };
            name_games(&people.hub).await;
            people.check(&format!("{what}, step {step} of sequence {seed}"));
        }
        named += people.known.len();
    }
    assert!(named > 20, "only {named} games were named");
}

/// A hall with a round, and boards a, b, c at tables 1, 2, 3.
async fn seated() -> (TempDir, Arc<Hub>, [FakeBoard; 3]) {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    hub.load_desk(dir.path()).await;
    let boards = ["a", "b", "c"].map(|name| FakeBoard::register(&hub, name, None));
    let seats = (1..).zip(["a", "b", "c"]).map(|(table, board)| (table, Seat { board: board.to_owned(), serial_number: None }));
    hub.change_desk(DeskAct::SeatAll { seats: seats.collect() }, "Olga").await.unwrap();
    hub.change_desk(DeskAct::LoadRound { round: round(1) }, "Olga").await.unwrap();
    (dir, hub, boards)
}

fn table(hub: &Hub, round: u16, table: u16) -> (Option<TableState>, Option<PairingResult>, Vec<u64>) {
    let report = hub.read(|state| DeskReport::new(state, Some(round)));
    let table = report.tables.into_iter().find(|known| known.table == table).unwrap();
    (table.state, table.result, table.games.iter().map(|game| game.game).collect())
}

#[tokio::test]
async fn a_result_is_missing_until_it_is_entered_for_a_game_that_has_left_its_board() {
    let (dir, hub, [a, b, c]) = seated().await;
    a.start().await;
    b.start().await;
    name_games(&hub).await;
    assert_eq!(table(&hub, 1, 1), (Some(TableState::NotBegun), None, vec![1]));
    a.move_made(1).await;
    b.move_made(1).await;
    name_games(&hub).await;
    assert_eq!(table(&hub, 1, 1).0, Some(TableState::InPlay));
    // The pieces are set up again, and nobody entered a result.
    a.start().await;
    name_games(&hub).await;
    assert_eq!(table(&hub, 1, 1), (Some(TableState::ResultMissing), None, vec![1, 3]));
    let missing = |hub: &Hub| hub.read(|state| DeskReport::new(state, None)).rounds[0].missing.clone();
    assert_eq!(missing(&hub), [1]);
    // The next round begins while table 2 still plays.
    hub.change_desk(DeskAct::LoadRound { round: round(2) }, "Olga").await.unwrap();
    hub.change_desk(DeskAct::StartRound { round: 2 }, "Olga").await.unwrap();
    name_games(&hub).await;
    assert_eq!(table(&hub, 2, 1).2, [3], "a game without moves belongs to the round that is played");
    assert_eq!(table(&hub, 1, 2), (Some(TableState::InPlay), None, vec![2]));
    carry_out(&hub, DeskAct::Result { round: 1, table: 1, result: Some(PairingResult::Draw) }, "Olga").await.unwrap();
    carry_out(&hub, DeskAct::Result { round: 1, table: 2, result: Some(PairingResult::WhiteWins) }, "Olga").await.unwrap();
    let result = |hub: &Hub, game: u64| hub.read(|state| state.games[&game].record.result.map(|(result, _)| result));
    assert_eq!([result(&hub, 1), result(&hub, 2)], [Some(GameResult::Draw), None], "the fake board knows no results");
    assert_eq!(table(&hub, 1, 1), (Some(TableState::Ended), Some(PairingResult::Draw), vec![1]));
    // Tables without any play have no result either, and the round is over.
    assert_eq!(missing(&hub), [3, 4, 5, 6]);
    carry_out(&hub, DeskAct::Result { round: 1, table: 5, result: Some(PairingResult::BothForfeit) }, "Olga").await.unwrap();
    assert_eq!(missing(&hub), [3, 4, 6]);
    let refused =
        carry_out(&hub, DeskAct::Result { round: 1, table: 2, result: Some(PairingResult::BothForfeit) }, "Olga").await;
    assert!(refused.unwrap_err().to_string().contains("the game at table 2 has moves"));

    // The journal has it all after a restart.
    for fake in [a, b, c] {
        drop(fake.events);
        fake.task.await.unwrap();
    }
    hub.drain().await;
    drop(hub);
    let (journal, notices) = Journal::open(dir.path()).unwrap();
    assert!(notices.is_empty(), "{notices:?}");
    let hub = Hub::new(journal, &[]);
    hub.load_desk(dir.path()).await;
    assert_eq!(table(&hub, 1, 1), (Some(TableState::Ended), Some(PairingResult::Draw), vec![1]), "no board is plugged in yet");
    let _a = FakeBoard::register(&hub, "a", None);
    assert_eq!((result(&hub, 1), table(&hub, 1, 1).2), (Some(GameResult::Draw), vec![1]));
    assert_eq!(hub.read(|state| (state.desk.rounds.len(), state.desk.seats.len())), (2, 3));
}

#[tokio::test]
async fn a_late_result_is_refused_while_its_board_is_away() {
    let (dir, hub, [a, b, c]) = seated().await;
    a.start().await;
    a.move_made(1).await;
    name_games(&hub).await;
    for fake in [a, b, c] {
        drop(fake.events);
        fake.task.await.unwrap();
    }
    hub.drain().await;
    drop(hub);
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    hub.load_desk(dir.path()).await;
    assert_eq!(table(&hub, 1, 1).0, Some(TableState::InPlay), "the game goes on when its board is back");
    // The result of the pairing is entered all the same.
    let refused = carry_out(&hub, DeskAct::Result { round: 1, table: 1, result: Some(PairingResult::BlackWins) }, "Olga").await;
    assert!(refused.unwrap_err().to_string().contains("board a of game 1 is not connected"));
    assert_eq!(table(&hub, 1, 1).1, Some(PairingResult::BlackWins));
    let _a = FakeBoard::register(&hub, "a", None);
    until("the board", async || hub.read(|state| (!state.boards.is_empty()).then_some(()))).await;
    let order = Order { command: Command::Result { result: Some(GameResult::BlackWins) }, by: "Olga".to_owned() };
    hub.execute(Target::Game(1), order).await.unwrap();
}

#[tokio::test]
async fn a_seat_finds_its_board_by_serial_number() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    hub.load_desk(dir.path()).await;
    let (one, other) = (FakeBoard::register(&hub, "port_1", Some("A")), FakeBoard::register(&hub, "port_2", Some("B")));
    for (table, board) in [(1, "port_1"), (2, "port_2")] {
        hub.change_desk(DeskAct::Seat { table, board: board.to_owned(), serial_number: None }, "Olga").await.unwrap();
    }
    let at = |hub: &Hub| hub.read(boards_at_tables);
    let board = |name: &str| Some(BoardId::new(name));
    assert_eq!(at(&hub), [(1, board("port_1")), (2, board("port_2"))]);
    // The cables are exchanged.
    one.report_serial_number("B").await;
    other.report_serial_number("A").await;
    assert_eq!(at(&hub), [(1, board("port_2")), (2, board("port_1"))]);
    // A board of an unknown serial number is nobody's.
    one.report_serial_number("C").await;
    assert_eq!(at(&hub), [(1, board("port_2")), (2, None)]);
    let refused = hub.change_desk(DeskAct::Seat { table: 3, board: "nowhere".to_owned(), serial_number: None }, "Olga").await;
    assert_eq!(refused.unwrap_err().to_string(), "there is no board nowhere: `touchmovectl list` shows the boards there are");
}

#[tokio::test]
async fn a_serial_number_of_several_boards_identifies_none_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    hub.load_desk(dir.path()).await;
    let _boards = ["a", "b"].map(|name| FakeBoard::register(&hub, name, Some("00000")));
    let seat = |board: &str| Seat { board: board.to_owned(), serial_number: Some("00000".to_owned()) };
    let seats = BTreeMap::from([(1, seat("a")), (2, seat("b"))]);
    hub.change_desk(DeskAct::SeatAll { seats }, "Olga").await.unwrap();
    assert_eq!(hub.read(boards_at_tables), [(1, Some(BoardId::new("a"))), (2, Some(BoardId::new("b")))]);
}

#[tokio::test]
async fn nobody_undoes_unseen_what_somebody_else_did() {
    let (_dir, hub, _boards) = seated().await;
    let seen = Some(hub.read(|state| DeskReport::new(state, None)).n);
    let result = |result| DeskAct::Result { round: 1, table: 2, result: Some(result) };
    let act = |act, seen, by: &'static str| carry_out(&hub, RequestedAct { act, seen }, by);
    act(result(PairingResult::WhiteWins), seen, "Olga").await.unwrap();
    let refused = act(result(PairingResult::BlackWins), seen, "Otto").await.unwrap_err();
    assert!(refused.to_string().contains("because Olga has changed table 2 of round 1 since you looked"), "{refused}");
    assert_eq!((table(&hub, 1, 2).1, refused.code()), (Some(PairingResult::WhiteWins), ErrorCode::Stale("Changed")));
    // Who wants the same, changes something else, corrects oneself, or has seen it, is not refused.
    act(result(PairingResult::WhiteWins), seen, "Otto").await.unwrap();
    act(DeskAct::ReverseColours { round: 1, table: 3 }, seen, "Otto").await.unwrap();
    act(result(PairingResult::Draw), seen, "Olga").await.unwrap();
    let now = Some(hub.read(|state| DeskReport::new(state, None)).n);
    act(result(PairingResult::BlackWins), now, "Otto").await.unwrap();
    assert_eq!(table(&hub, 1, 2).1, Some(PairingResult::BlackWins));
    // All seats at once: those of others stay.
    let before = hub.read(|state| state.desk.seats.clone());
    act(DeskAct::Unseat { table: 1 }, now, "Olga").await.unwrap();
    let refused = act(DeskAct::SeatAll { seats: before }, now, "Otto").await.unwrap_err();
    assert!(refused.to_string().contains("Olga has changed the board of table 1"), "{refused}");
}

fn named(name: &str) -> Player {
    Player { name: name.to_owned(), ..Player::default() }
}

fn pair(table: u16, white: &str, black: &str) -> DeskAct {
    let pairing = Pairing { table, white: named(white), black: named(black), ..Pairing::default() };
    DeskAct::Pair { round: 1, pairing, new: false }
}

/// The players and the result of each game in the PGN export of round 1.
fn exported_games(hub: &Hub) -> Vec<String> {
    let pgn = export(hub, ExportFormat::Pgn, Some(1), Reader::Arbiter, Locale::English).unwrap();
    let value = |game: &str, name: &str| {
        let (_, rest) = game.split_once(&format!("[{name} \"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let games = pgn.split("[Event ").skip(1);
    games.map(|game| format!("{} - {} {}", value(game, "White"), value(game, "Black"), value(game, "Result"))).collect()
}

#[tokio::test]
async fn a_corrected_name_reaches_the_export_of_games_that_have_left_their_boards() {
    let (_dir, hub, [a, b, _c]) = seated().await;
    for board in [&a, &b] {
        board.start().await;
        name_games(&hub).await;
        board.move_made(1).await;
    }
    a.start().await;
    hub.change_desk(pair(1, "R1T1W", "Corrected, Cid"), "Olga").await.unwrap();
    let mut loaded = hub.read(|state| state.desk.rounds[&1].clone());
    loaded.table_mut(2).unwrap().white.name = "Loaded, Lea".to_owned();
    hub.change_desk(DeskAct::LoadRound { round: loaded }, "Olga").await.unwrap();
    // Before the game on the board has an event with the new name, it keeps the old one.
    assert_eq!(exported_games(&hub), ["R1T1W - Corrected, Cid *", "R1T2W - R1T2B *"]);
    name_games(&hub).await;
    assert_eq!(exported_games(&hub), ["R1T1W - Corrected, Cid *", "Loaded, Lea - R1T2B *"]);
}

#[tokio::test]
async fn a_name_that_a_file_has_cut_is_completed_from_another_round() {
    let (_dir, hub, _boards) = seated().await;
    let whole = "Venkatanarasimharajuvaripeta, Ramanathan";
    hub.change_desk(pair(1, whole, "Bob"), "Olga").await.unwrap();
    let cut: String = whole.chars().take(33).collect();
    let pairing =
        |table, white: &str| Pairing { table, white: named(white), black: named(&format!("B{table}")), ..Pairing::default() };
    let round = Round { number: 2, pairings: vec![pairing(1, &cut), pairing(2, &cut[..32])], ..Round::default() };
    hub.change_desk(DeskAct::LoadRound { round }, "Olga").await.unwrap();
    let white = |table: u16| hub.read(|state| state.desk.pairing(2, table).map(|pairing| pairing.white.name.clone()));
    assert_eq!([white(1).as_deref(), white(2).as_deref()], [Some(whole), Some(&cut[..32])]);
}

#[tokio::test]
async fn the_preview_of_a_round_has_the_names_and_the_losses_of_loading_it() {
    let (_dir, hub, _boards) = seated().await;
    let whole = "Venkatanarasimharajuvaripeta, Ramanathan";
    let cut: String = whole.chars().take(33).collect();
    let file = format!("table;white;black\n1;{cut};Bob\n");
    let preview = || preview_round(&hub, file.as_bytes(), Some(2), &TableOrder::Unknown);
    let (first, _) = preview();
    hub.change_desk(DeskAct::LoadRound { round: first.round }, "Olga").await.unwrap();
    let result = DeskAct::Result { round: 2, table: 1, result: Some(PairingResult::Draw) };
    hub.change_desk(result, "Olga").await.unwrap();
    assert_eq!(preview().1, []);
    // Only another round than the one that is replaced has the whole name.
    hub.change_desk(pair(1, whole, "Eve"), "Olga").await.unwrap();
    let (again, lost) = preview();
    assert_eq!(again.round.pairings[0].white.name, whole);
    assert_eq!(
        lost.iter().map(|pairing| (pairing.table, pairing.result)).collect::<Vec<_>>(),
        [(1, Some(PairingResult::Draw))]
    );
    hub.change_desk(DeskAct::LoadRound { round: again.round.clone() }, "Olga").await.unwrap();
    assert_eq!(hub.read(|state| state.desk.rounds[&2].clone()), again.round);

    // The file has one player twice, which only the other round reveals; with errors nothing is loaded, and nothing lost.
    let result = DeskAct::Result { round: 2, table: 1, result: Some(PairingResult::Draw) };
    hub.change_desk(result, "Olga").await.unwrap();
    let file = format!("table;white;black\n1;{cut};Gus\n2;\"{whole}\";Dee\n");
    let (twice, lost) = preview_round(&hub, file.as_bytes(), Some(2), &TableOrder::Unknown);
    assert!(
        matches!(&twice.errors[..], [problem] if matches!(problem.kind, ProblemKind::PlaysTwice { .. })),
        "{:?}",
        twice.errors
    );
    assert_eq!(lost, []);
}

#[tokio::test]
async fn a_bye_and_a_pairing_of_the_same_player_disturb_each_other() {
    let (_dir, hub, _boards) = seated().await;
    let seen = || Some(hub.read(|state| DeskReport::new(state, None)).n);
    let act = |act, seen, by: &'static str| carry_out(&hub, RequestedAct { act, seen }, by);
    let byes = |names: &[&str]| {
        let bye = |name: &&str| Bye { player: named(name), kind: ByeKind::HalfPoint };
        DeskAct::Byes { round: 1, byes: names.iter().map(bye).collect() }
    };
    let before = seen();
    act(byes(&["Late, Lea"]), before, "Olga").await.unwrap();
    let refused = act(pair(31, "Late, Lea", "Eve"), before, "Otto").await.unwrap_err();
    assert!(
        refused.to_string().contains("because Olga has changed the pairing or the bye of Late, Lea in round 1"),
        "{refused}"
    );
    assert_eq!(refused.code(), ErrorCode::Stale("Changed"));
    act(pair(32, "Gus", "Hal"), before, "Otto").await.unwrap();
    let before = seen();
    act(pair(31, "Late, Lea", "Eve"), before, "Otto").await.unwrap();
    let refused = act(byes(&["Late, Lea", "Ida"]), before, "Olga").await.unwrap_err();
    assert!(refused.to_string().contains("because Otto has changed the pairing or the bye of Late, Lea"), "{refused}");
    // With the latest `n`, the refusal names the table of the player.
    let refused = act(byes(&["Late, Lea"]), seen(), "Olga").await.unwrap_err();
    assert!(refused.to_string().contains("Late, Lea has a bye, and plays at table 31"), "{refused}");
}

#[tokio::test]
async fn a_bye_of_a_paired_player_names_the_table_whatever_else_is_known_of_the_player() {
    let (_dir, hub, _boards) = seated().await;
    let mut white = named("Ada");
    (white.fide_id, white.rating) = (Some(1_503_014), Some(2500));
    let pairing = Pairing { table: 7, white, black: named("Bob"), ..Pairing::default() };
    hub.change_desk(DeskAct::Pair { round: 1, pairing, new: true }, "Olga").await.unwrap();
    let byes = vec![Bye { player: named("Ada"), kind: ByeKind::ZeroPoint }];
    let refused = hub.change_desk(DeskAct::Byes { round: 1, byes }, "Olga").await.unwrap_err();
    let expected = "Ada has a bye, and plays at table 7: if these are two people, write one of the names differently";
    assert!(refused.to_string().contains(expected), "{refused}");
    let byes = vec![Bye { player: named("Ada, jun."), kind: ByeKind::ZeroPoint }];
    hub.change_desk(DeskAct::Byes { round: 1, byes }, "Olga").await.unwrap();
}

#[tokio::test]
async fn a_result_for_a_pairing_that_a_colleague_has_removed_names_the_colleague() {
    let (_dir, hub, _boards) = seated().await;
    let seen = Some(hub.read(|state| DeskReport::new(state, None)).n);
    let result = DeskAct::Result { round: 1, table: 2, result: Some(PairingResult::Draw) };
    let act = |act: &DeskAct, seen, by: &'static str| carry_out(&hub, RequestedAct { act: act.clone(), seen }, by);
    act(&DeskAct::Unpair { round: 1, table: 2 }, seen, "Olga").await.unwrap();
    let refused = act(&result, seen, "Otto").await.unwrap_err();
    assert!(refused.to_string().contains("because Olga has changed table 2 of round 1"), "{refused}");
    assert_eq!(refused.code(), ErrorCode::Stale("Changed"));
    let refused = act(&result, None, "Otto").await.unwrap_err();
    assert!(refused.to_string().contains("table 2 has no pairing in round 1"), "{refused}");
}

#[tokio::test]
async fn a_result_of_a_game_whose_board_is_away_is_as_late_as_events() {
    let (dir, hub, [a, b, c]) = seated().await;
    a.start().await;
    a.move_made(1).await;
    name_games(&hub).await;
    hub.change_desk(DeskAct::Result { round: 1, table: 1, result: Some(PairingResult::WhiteWins) }, "Olga").await.unwrap();
    hub.change_desk(DeskAct::Result { round: 1, table: 2, result: Some(PairingResult::BothForfeit) }, "Olga").await.unwrap();
    for fake in [a, b, c] {
        drop(fake.events);
        fake.task.await.unwrap();
    }
    hub.drain().await;
    drop(hub);
    // No board is connected after the restart.
    let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[]);
    hub.load_desk(dir.path()).await;
    let public = |delay_ms: u64| {
        let view = DelayedView::new(Arc::clone(&hub), Delay { ms: delay_ms, plies: 0 }, IllegalMoves::Hold);
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let task = tokio::spawn(Arc::clone(&view).run(stopped));
        async move {
            let result = |table| view.read(|state| state.desk.pairing(1, table).and_then(|pairing| pairing.result));
            until("the round is public", async || view.read(|state| state.desk.round().map(drop))).await;
            let results = (result(1), result(2));
            stop.send_replace(true);
            task.await.unwrap();
            results
        }
    };
    assert_eq!(public(3_600_000).await, (None, Some(PairingResult::BothForfeit)), "a forfeit is no event of a game");
    assert_eq!(public(0).await, (Some(PairingResult::WhiteWins), Some(PairingResult::BothForfeit)));
}
