//! Games on Lichess: a fake server behind a real socket, which fails as the real one may, receives all moves in the end.

mod backoff;
pub mod fake;
mod programs;

use crate::harness::until;
use fake::{Act, Fake, ReceivedGame, TOKEN};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, EnPassantMode, Position};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use touchmove::boards::model;
use touchmove::config::lichess::{Lichess, Rounds};
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::{DelayedView, Hub};
use touchmove::desk::DeskAct;
use touchmove::game::event::{ClockTime, ClockTimes, Rotation};
use touchmove::game::{
    Command as Order, CompletedBy, Confidence, CorrectionReason, Delay, Event, GameResult, IllegalMoves, PlayedMove,
    ResultReason, StampedEvent,
};
use touchmove::publish::lichess::{self, RequestPacing};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder as TrfOrder;

const PACE: RequestPacing = RequestPacing {
    min_interval: Duration::from_millis(20),
    timeout: Duration::from_millis(400),
    first_backoff: Duration::from_millis(5),
    max_backoff: Duration::from_millis(40),
    rejected_retry: Duration::from_millis(60),
};

/// The reported health problems, by kind and board.
type HealthProblems = Arc<Mutex<BTreeMap<(&'static str, Option<String>), String>>>;

/// Writes a file that only its owner can read.
pub fn keep_secret(path: &Path, secret: &str) {
    std::fs::write(path, secret).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

/// A daemon without links: the journal, the hub, the delayed view and the Lichess front-end.
struct TestDaemon {
    hub: Arc<Hub>,
    problems: HealthProblems,
    publisher: JoinHandle<()>,
    tasks: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
}

impl TestDaemon {
    async fn open(dir: &Arc<TempDir>, fake: &Fake, rounds: &str, delay: Delay) -> TestDaemon {
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[("Event".into(), "City Open".into())]);
        hub.load_desk(dir.path()).await;
        let delayed_view = DelayedView::new(Arc::clone(&hub), delay, IllegalMoves::Hold);
        let (stop, stopped) = watch::channel(false);
        let view_task = tokio::spawn(Arc::clone(&delayed_view).run(stopped.clone()));
        let token_file = dir.path().join("token");
        keep_secret(&token_file, &format!("{TOKEN}\n"));
        let config = Lichess { url: fake.url(), rounds: Rounds::parse(rounds).unwrap(), token_file: Some(token_file) };
        let problems = HealthProblems::default();
        let shared = Arc::clone(&problems);
        let report_health = Box::new(move |kind, board: Option<&BoardId>, sentence: Option<String>| {
            let key = (kind, board.map(ToString::to_string));
            match sentence {
                Some(sentence) => drop(shared.lock().unwrap().insert(key, sentence)),
                None => drop(shared.lock().unwrap().remove(&key)),
            }
        });
        let tags = vec![("Event".to_owned(), "City Open".to_owned())];
        let publisher =
            tokio::spawn(lichess::run(delayed_view, config, dir.path().join("lichess"), tags, PACE, report_health, stopped));
        TestDaemon { hub, problems, publisher, tasks: vec![view_task], stop }
    }

    async fn load(&self, csv: &str, number: u16) -> Round {
        let round = Round::read(csv, Some(number), &TrfOrder::Unknown).unwrap();
        self.hub.change_desk(DeskAct::LoadRound { round: round.clone() }, "the organiser").await.unwrap();
        self.hub.change_desk(DeskAct::StartRound { round: number }, "the organiser").await.unwrap();
        round
    }

    /// The reported health problems, one per line.
    fn problem_text(&self) -> String {
        let problems = self.problems.lock().unwrap();
        problems.iter().map(|((kind, board), sentence)| format!("{kind} {board:?} {sentence}\n")).collect()
    }

    async fn wait_until_healthy(&self) {
        until("no health problem", async || self.problem_text().is_empty().then_some(())).await;
    }

    /// Ends it as a crash does.
    async fn kill(self) {
        self.publisher.abort();
        let _ = self.publisher.await;
        self.tasks.iter().for_each(JoinHandle::abort);
        for task in self.tasks {
            let _ = task.await;
        }
        self.hub.drain().await;
    }

    async fn end(self) {
        self.stop.send_replace(true);
        self.publisher.await.unwrap();
        for task in self.tasks {
            task.await.unwrap();
        }
        self.hub.drain().await;
    }
}

/// A playing table whose board publishes moves as they are played.
struct PlayingTable {
    name: String,
    board_handle: Option<BoardHandle>,
    number: u64,
    position: Chess,
    clocks: [u64; 2],
    /// The game that Lichess must have in the end.
    played: ReceivedGame,
    /// The state of a reproducible random number generator.
    random_state: u64,
}

impl PlayingTable {
    fn new(name: &str) -> PlayingTable {
        let played = ReceivedGame { result: "*".into(), ..ReceivedGame::default() };
        let random_state = name.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte));
        PlayingTable {
            name: name.into(),
            board_handle: None,
            number: 0,
            position: Chess::default(),
            clocks: [5400, 5400],
            played,
            random_state,
        }
    }

    /// Registers the board; its game continues, or a new one begins.
    fn register(&mut self, daemon: &TestDaemon) {
        let model = model("dgt").unwrap();
        let (board_handle, last) = daemon.hub.register_board(BoardView::new(BoardId::new(&self.name), model, model.sensing));
        assert_eq!(last.is_some(), self.number > 0);
        self.board_handle = Some(board_handle);
        if self.number == 0 {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.number = 0;
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into();
        self.publish_event(Event::GameStarted {
            fen,
            chess960: Some(518),
            laws: "fide-2023".into(),
            rotation: Rotation::Upright,
        });
    }

    /// Sets the tags that the round gives to its game.
    fn set_tags(&mut self, round: &Round) {
        let pairing = round.pairings.iter().find(|pairing| pairing.board.as_ref() == Some(&self.name)).unwrap();
        let tags = round.tags(pairing);
        self.publish_event(Event::Commanded { command: Order::Tags { tags }, by: "a test".into() });
    }

    fn publish_event(&mut self, event: Event) {
        self.number += 1;
        let stamped = StampedEvent { at: self.number, number: Some(self.number), event };
        self.board_handle.as_ref().unwrap().publish(1_700_000_000_000, vec![stamped], |_| (), None);
    }

    fn ply(&self) -> u32 {
        self.played.moves.len() as u32 + 1
    }

    /// Chooses a legal move at random.
    fn choose_move(&mut self) -> (PlayedMove, Chess) {
        let moves = self.position.legal_moves();
        self.random_state = self.random_state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let played = moves[(self.random_state >> 33) as usize % moves.len()];
        let uci = played.to_uci(shakmaty::CastlingMode::Standard).to_string();
        let san = SanPlus::from_move(self.position.clone(), played).to_string();
        let after = self.position.clone().play(played).unwrap();
        let fen = Fen::from_position(&after, EnPassantMode::Legal).to_string();
        (PlayedMove { uci, san, fen, irregular: false, evidence: Vec::new() }, after)
    }

    fn publish_move(&mut self, played: PlayedMove) {
        let ply = self.ply();
        self.publish_event(Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
    }

    /// Completes the last move, which is this one, with a press of the clock.
    fn complete_move(&mut self, played: &PlayedMove, after: Chess) {
        let mover = usize::from(self.ply().is_multiple_of(2));
        self.clocks[mover] -= self.random_state >> 60;
        let clock = |seconds: u64| Some(ClockTime { ms: seconds as u32 * 1000, resolution_ms: 1000, age_ms: 0 });
        let clocks = ClockTimes { white: clock(self.clocks[0]), black: clock(self.clocks[1]) };
        self.publish_event(Event::MoveCompleted { ply: self.ply(), by: CompletedBy::Clock, clocks });
        self.played.moves.push((played.san.clone(), Some(self.clocks[mover])));
        self.position = after;
    }

    fn play(&mut self) {
        let (played, after) = self.choose_move();
        self.publish_move(played.clone());
        self.complete_move(&played, after);
    }

    /// Publishes another move first, then its correction.
    fn play_corrected(&mut self) {
        let (wrong, _) = self.choose_move();
        self.publish_move(wrong);
        let (right, after) = self.choose_move();
        let (from_ply, moves) = (self.ply(), vec![right.clone()]);
        self.publish_event(Event::MovesCorrected { from_ply, moves, reason: CorrectionReason::Evidence });
        self.complete_move(&right, after);
    }

    /// Makes an illegal move, which Lichess must not receive.
    fn play_illegal(&mut self) {
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal).to_string();
        let (ply, uci, san) = (self.ply(), "e1e3".into(), "Ke1-e3".into());
        let played = PlayedMove { uci, san, fen, irregular: true, evidence: Vec::new() };
        self.publish_event(Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
    }

    fn end_game(&mut self, result: GameResult) {
        self.publish_event(Event::Result { result: Some(result), reason: ResultReason::Arbiter });
        self.played.result = result.as_str().to_owned();
    }
}

/// Six tables on boards `a` to `f`.
fn pairings() -> String {
    let rows = "abcdef".chars().zip(1..).map(|(board, table)| format!("{table},\"W{board}, X\",\"B{board}, Y\",{board}\n"));
    format!("table,white,black,board\n{}", rows.collect::<String>())
}

fn expected<'a>(round: u16, tables: impl IntoIterator<Item = &'a PlayingTable>) -> BTreeMap<(String, String), ReceivedGame> {
    let game = |table: &PlayingTable| {
        let place = table.name.as_bytes()[0] - b'a' + 1;
        let got = ReceivedGame { round: format!("{round}.{place}"), ..table.played.clone() };
        ((format!("W{}, X", table.name), format!("B{}, Y", table.name)), got)
    };
    tables.into_iter().map(game).collect()
}

async fn assert_received(fake: &Fake, expect: &BTreeMap<(String, String), ReceivedGame>) {
    let received = until("what was played", async || (fake.games() == *expect).then_some(()));
    tokio::select! {
        () = received => {}
        // A failed comparison shows what differs.
        () = tokio::time::sleep(Duration::from_secs(30)) => assert_eq!(fake.games(), *expect),
    }
}

#[tokio::test]
async fn lichess_receives_all_moves_in_the_end() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "1 = AbCd1234", Delay::default()).await;
    let mut tables: Vec<PlayingTable> = ["a", "b", "c", "d", "e", "f"].map(PlayingTable::new).into();
    let round = daemon.load(&pairings(), 1).await;
    for table in &mut tables {
        table.register(&daemon);
        table.set_tags(&round);
    }
    assert_received(&fake, &expected(1, &tables)).await;
    // All faults occur while moves are played.
    fake.plan(&[
        Act::Status(500, ""),
        Act::HangUp,
        Act::Silent,
        Act::HalfAnswer,
        Act::Status(502, ""),
        Act::Late(Duration::from_millis(60)),
        Act::Status(429, "Retry-After: 0"),
        Act::HalfAnswer,
        Act::Status(503, ""),
        Act::Late(Duration::from_millis(900)),
    ]);
    fake.refuse(Some("Wd, X"));
    let mut rounds = 0;
    until("all faults", async || {
        rounds += 1;
        if rounds <= 20 {
            for (index, table) in tables.iter_mut().enumerate() {
                if rounds % (index + 2) == 0 { table.play_corrected() } else { table.play() }
            }
        }
        fake.plan_is_done().then_some(())
    })
    .await;
    // One game is rejected, and the others are not affected.
    let all = expected(1, &tables);
    let without_d: BTreeMap<_, _> = all.clone().into_iter().filter(|((white, _), _)| white != "Wd, X").collect();
    until("the others' games", async || {
        let games = fake.games();
        without_d.iter().all(|(players, game)| games.get(players) == Some(game)).then_some(())
    })
    .await;
    until("the game in error", async || daemon.problem_text().contains("Wd, X - Bd, Y at table 4").then_some(())).await;
    assert!(daemon.problem_text().contains("lichess_refused Some(\"d\") http://127.0.0.1:"), "{}", daemon.problem_text());
    assert!(daemon.problem_text().contains("(Cannot find the chapter)"), "{}", daemon.problem_text());
    fake.refuse(None);
    assert_received(&fake, &all).await;
    daemon.wait_until_healthy().await;

    // Lichess is unreachable; a game ends, another continues, and one ends with an illegal move.
    fake.always(Some(Act::Status(502, "")));
    tables[0].play();
    tables[0].end_game(GameResult::WhiteWins);
    tables[1].play();
    tables[2].play_illegal();
    tables[2].end_game(GameResult::BlackWins);
    until("a health problem", async || daemon.problem_text().contains("(status 502)").then_some(())).await;
    let stored = |file: u32, text: &str| {
        let path = dir.path().join(format!("lichess/AbCd1234/game-{file}.json"));
        std::fs::read_to_string(path).unwrap_or_default().contains(text).then_some(())
    };
    until("the result in the outbox", async || stored(1, "1-0").and(stored(3, "0-1"))).await;
    tables.iter_mut().for_each(|table| table.board_handle = None);
    daemon.kill().await;

    // After a restart the board of the finished game is missing, and another board comes late.
    let daemon = TestDaemon::open(&dir, &fake, "1 = AbCd1234", Delay::default()).await;
    for table in &mut tables[1..5] {
        table.register(&daemon);
        if table.played.result == "*" {
            table.play();
        }
    }
    fake.plan(&[Act::Status(500, ""), Act::HalfAnswer]);
    fake.always(None);
    assert_received(&fake, &expected(1, &tables)).await;
    tables[5].register(&daemon);
    tables[5].play();
    tables[5].end_game(GameResult::Draw);
    assert_received(&fake, &expected(1, &tables)).await;
    daemon.wait_until_healthy().await;
    fake.assert_no_errors();
    let requests = fake.requests();
    let (first, last) = (requests.first().unwrap().0, requests.last().unwrap().0);
    let min_time = PACE.min_interval * (requests.len() as u32 - 1);
    assert!(last - first + Duration::from_millis(300) > min_time, "{} requests in {:?}", requests.len(), last - first);
    tables.iter_mut().for_each(|table| table.board_handle = None);
    daemon.end().await;
}

#[tokio::test]
async fn an_unwritable_or_unreadable_file_does_not_affect_others() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.always(Some(Act::Status(502, "")));
    let folder = dir.path().join("lichess/AbCd1234");
    std::fs::create_dir_all(folder.join(".game-1.json.new")).unwrap();
    std::fs::write(folder.join("game-9.json"), "no game").unwrap();
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default()).await;
    daemon.load(&pairings(), 1).await;
    let stored = |file: u32| std::fs::read_to_string(folder.join(format!("game-{file}.json"))).unwrap_or_default();
    until("the other games", async || (2..=6).all(|file| stored(file).contains("\"pgn\"")).then_some(())).await;
    until("a health problem", async || daemon.problem_text().contains("cannot be stored in").then_some(())).await;
    until("the unreadable file", async || daemon.problem_text().contains("game-9.json").then_some(())).await;
    assert_eq!(stored(9), "no game");
    daemon.end().await;
}

#[tokio::test]
async fn nothing_is_sent_twice_or_early() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay { ms: 0, plies: 2 }).await;
    let round = daemon.load(&pairings(), 1).await;
    let mut table = PlayingTable::new("a");
    table.register(&daemon);
    table.set_tags(&round);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    for _ in 0..5 {
        table.play();
    }
    let key = ("Wa, X".to_owned(), "Ba, Y".to_owned());
    until("three moves", async || (fake.games()[&key].moves.len() == 3).then_some(())).await;
    table.end_game(GameResult::Draw);
    until("the result", async || (fake.games()[&key].result == "1/2-1/2").then_some(())).await;
    assert_eq!(fake.games()[&key].moves, table.played.moves);
    until("the stored reply", async || {
        let stored = std::fs::read_to_string(dir.path().join("lichess/AbCd1234/game-1.json")).unwrap_or_default();
        (stored.contains("1/2-1/2") && stored.contains("\"taken\": true")).then_some(())
    })
    .await;
    let sent = fake.requests().len();
    // Unchanged pairings are not sent again.
    daemon.load(&pairings(), 1).await;
    daemon.hub.set_health_problem("x", None, Some("y".into()));
    table.board_handle = None;
    daemon.end().await;
    assert_eq!(fake.requests().len(), sent);
    // Nor after a start.
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default()).await;
    table.register(&daemon);
    table.board_handle = None;
    daemon.end().await;
    assert_eq!(fake.requests().len(), sent);
    fake.assert_no_errors();
}

#[tokio::test]
async fn an_illegal_move_is_not_sent_before_the_game_ends() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default()).await;
    let round = daemon.load(&pairings(), 1).await;
    let [mut table, mut other] = ["a", "b"].map(PlayingTable::new);
    for table in [&mut table, &mut other] {
        table.register(&daemon);
        table.set_tags(&round);
    }
    table.play();
    table.play();
    table.play_illegal();
    for _ in 0..3 {
        other.play();
    }
    assert_received(&fake, &expected(1, [&table, &other].into_iter().chain(&["c", "d", "e", "f"].map(PlayingTable::new))))
        .await;
    let stored = || std::fs::read_to_string(dir.path().join("lichess/AbCd1234/game-1.json")).unwrap_or_default();
    assert!(!stored().contains("Ke1-e3"), "{}", stored());
    table.publish_event(Event::Result { result: Some(GameResult::Draw), reason: ResultReason::Arbiter });
    until("the result, and why the moves end", async || {
        (stored().contains("Ke1-e3") && stored().contains("1/2-1/2")).then_some(())
    })
    .await;
    [table.board_handle, other.board_handle] = [None, None];
    daemon.end().await;
}

#[tokio::test]
async fn games_without_names_are_not_sent() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default()).await;
    let mut table = PlayingTable::new("a");
    table.register(&daemon);
    table.play();
    until("a health problem", async || daemon.problem_text().contains("the game on board a is not on Lichess").then_some(()))
        .await;
    assert_eq!(fake.requests().len(), 0);
    let round = daemon.load(&pairings(), 1).await;
    table.set_tags(&round);
    table.play();
    until("both moves", async || fake.games().values().any(|game| game.moves == table.played.moves).then_some(())).await;
    daemon.wait_until_healthy().await;
    // The next round is not in the configuration.
    daemon.load(&pairings().replace("Wa", "Wz"), 2).await;
    until("a health problem", async || daemon.problem_text().contains("AbCd1234 is round 1 there").then_some(())).await;
    assert!(daemon.problem_text().contains("\"1 = AbCd1234, 2 = AbCd1234\""), "{}", daemon.problem_text());
    assert!(!fake.games().contains_key(&("Wz, X".to_owned(), "Ba, Y".to_owned())));
    fake.assert_no_errors();
    table.board_handle = None;
    daemon.end().await;
}

#[tokio::test]
async fn more_games_than_lichess_shows() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default()).await;
    let rows: String = (1..=103).map(|table| format!("{table},W{table},B{table}\n")).collect();
    daemon.load(&format!("table,white,black\n{rows}"), 1).await;
    until("a hundred games", async || (fake.games().len() == 100).then_some(())).await;
    until("a health problem", async || {
        daemon.problem_text().contains("3 games of round AbCd1234 are not on Lichess").then_some(())
    })
    .await;
    assert!(fake.games().contains_key(&("W100".to_owned(), "B100".to_owned())));
    fake.assert_no_errors();
    daemon.end().await;
}
