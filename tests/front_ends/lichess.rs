//! Games on Lichess: a fake server behind a real socket, which fails as the real one may, receives all moves in the end.

pub mod fake;

use crate::harness::hall::Hall;
use crate::harness::{installed, until};
use fake::{Act, Fake, ReceivedGame, TOKEN};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, EnPassantMode, Position};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use touchmove::boards::model;
use touchmove::config::lichess::{Lichess, Rounds};
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::rounds::RoundFile;
use touchmove::daemon::{DelayedView, Hub};
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
    fn open(dir: &Arc<TempDir>, fake: &Fake, rounds: &str, delay: Delay) -> TestDaemon {
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[("Event".into(), "City Open".into())]);
        hub.set_round_file(RoundFile(dir.path().join("round.json")));
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

    fn load(&self, csv: &str, number: u16) -> Round {
        let round = Round::read(csv, Some(number), &TrfOrder::Unknown).unwrap();
        self.hub.set_round(round.clone(), "the organiser").unwrap();
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
    let daemon = TestDaemon::open(&dir, &fake, "1 = AbCd1234", Delay::default());
    let mut tables: Vec<PlayingTable> = ["a", "b", "c", "d", "e", "f"].map(PlayingTable::new).into();
    let round = daemon.load(&pairings(), 1);
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
    let daemon = TestDaemon::open(&dir, &fake, "1 = AbCd1234", Delay::default());
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
async fn retry_after_is_respected() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.plan(&[Act::Status(429, "Retry-After: 1")]);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default());
    daemon.load(&pairings(), 1);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    let times: Vec<_> = fake.requests().into_iter().map(|(at, _)| at).collect();
    // On this machine a request arrives when it is sent, or a little later.
    assert!(times[1] - times[0] > Duration::from_millis(900), "{:?}", times[1] - times[0]);
    daemon.end().await;
}

#[tokio::test]
async fn retry_after_applies_to_all_rounds() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "1 = AbCd1234, 2 = EfGh5678", Delay::default());
    let (mut first, mut second) = (PlayingTable::new("a"), PlayingTable::new("b"));
    let round = daemon.load(&pairings(), 1);
    first.register(&daemon);
    first.set_tags(&round);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    let round = daemon.load(&pairings().replace("\"W", "\"V"), 2);
    second.register(&daemon);
    second.set_tags(&round);
    until("the next pairings", async || (fake.games().len() == 12).then_some(())).await;
    // A move in each round.
    fake.plan(&[Act::Status(429, "Retry-After: 1")]);
    let before = fake.requests().len();
    first.play();
    second.play();
    let moves = |white: &str, black: &str| fake.games()[&(white.to_owned(), black.to_owned())].moves.clone();
    until("both", async || {
        let there = moves("Wa, X", "Ba, Y") == first.played.moves && moves("Vb, X", "Bb, Y") == second.played.moves;
        there.then_some(())
    })
    .await;
    let times: Vec<_> = fake.requests().into_iter().skip(before).map(|(at, _)| at).collect();
    assert!(times[1] - times[0] > Duration::from_millis(900), "{:?}", times[1] - times[0]);
    (first.board_handle, second.board_handle) = (None, None);
    daemon.end().await;
}

#[tokio::test]
async fn an_unwritable_or_unreadable_file_does_not_affect_others() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.always(Some(Act::Status(502, "")));
    let folder = dir.path().join("lichess/AbCd1234");
    std::fs::create_dir_all(folder.join(".game-1.json.new")).unwrap();
    std::fs::write(folder.join("game-9.json"), "no game").unwrap();
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default());
    daemon.load(&pairings(), 1);
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
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay { ms: 0, plies: 2 });
    let round = daemon.load(&pairings(), 1);
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
    daemon.load(&pairings(), 1);
    daemon.hub.set_health_problem("x", None, Some("y".into()));
    table.board_handle = None;
    daemon.end().await;
    assert_eq!(fake.requests().len(), sent);
    // Nor after a start.
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default());
    table.register(&daemon);
    table.board_handle = None;
    daemon.end().await;
    assert_eq!(fake.requests().len(), sent);
    fake.assert_no_errors();
}

#[tokio::test]
async fn an_illegal_move_is_not_sent_before_the_game_ends() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default());
    let round = daemon.load(&pairings(), 1);
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
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default());
    let mut table = PlayingTable::new("a");
    table.register(&daemon);
    table.play();
    until("a health problem", async || daemon.problem_text().contains("the game on board a is not on Lichess").then_some(()))
        .await;
    assert_eq!(fake.requests().len(), 0);
    let round = daemon.load(&pairings(), 1);
    table.set_tags(&round);
    table.play();
    until("both moves", async || fake.games().values().any(|game| game.moves == table.played.moves).then_some(())).await;
    daemon.wait_until_healthy().await;
    // The next round is not in the configuration.
    daemon.load(&pairings().replace("Wa", "Wz"), 2);
    until("a health problem", async || daemon.problem_text().contains("AbCd1234 is round 1 there").then_some(())).await;
    assert!(daemon.problem_text().contains("\"1 = AbCd1234, 2 = AbCd1234\""), "{}", daemon.problem_text());
    assert!(!fake.games().contains_key(&("Wz, X".to_owned(), "Ba, Y".to_owned())));
    fake.assert_no_errors();
    table.board_handle = None;
    daemon.end().await;
}

#[tokio::test]
async fn errors_give_advice_and_requests_back_off() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.always(Some(Act::Status(404, "")));
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default());
    daemon.load(&pairings(), 1);
    until("a health problem", async || daemon.problem_text().contains("no round AbCd1234").then_some(())).await;
    std::fs::write(dir.path().join("token"), "another").unwrap();
    until("a health problem", async || daemon.problem_text().contains("does not know the token").then_some(())).await;
    assert!(!daemon.problem_text().contains("another"), "{}", daemon.problem_text());
    std::fs::write(dir.path().join("token"), "").unwrap();
    until("a health problem", async || daemon.problem_text().contains("has no token for Lichess").then_some(())).await;
    std::fs::write(dir.path().join("token"), TOKEN).unwrap();
    fake.always(None);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    daemon.wait_until_healthy().await;
    let requests = fake.requests();
    let gaps = requests.windows(2).map(|pair| pair[1].0 - pair[0].0);
    // Every request but the last one was refused.
    assert!(gaps.clone().all(|gap| gap > PACE.rejected_retry / 2), "{:?}", gaps.collect::<Vec<_>>());
    daemon.end().await;
}

#[tokio::test]
async fn more_games_than_lichess_shows() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default());
    let rows: String = (1..=103).map(|table| format!("{table},W{table},B{table}\n")).collect();
    daemon.load(&format!("table,white,black\n{rows}"), 1);
    until("a hundred games", async || (fake.games().len() == 100).then_some(())).await;
    until("a health problem", async || {
        daemon.problem_text().contains("3 games of round AbCd1234 are not on Lichess").then_some(())
    })
    .await;
    assert!(fake.games().contains_key(&("W100".to_owned(), "B100".to_owned())));
    fake.assert_no_errors();
    daemon.end().await;
}

/// A configuration, and its directory.
fn configured(fake: &Fake, round: &str, token: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (path, token_file) = (dir.path().join("touchmoved.toml"), dir.path().join("token"));
    keep_secret(&token_file, token);
    let (port, token_file) = (fake.port, token_file.display());
    let text = format!("[lichess]\nround = '{round}'\nurl = 'http://localhost:{port}'\ntoken_file = '{token_file}'\n");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

#[tokio::test]
async fn touchmoved_sends_what_is_played() {
    let fake = Fake::start().await;
    let (_dir, config) = configured(&fake, "1 = AbCd1234", TOKEN);
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    let round = Round::read("white,black\nAda,Bob\n", Some(1), &TrfOrder::Unknown).unwrap();
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    hall.board.clock(5400, 5400, true);
    hall.play("e2", "e4", "e4").await;
    hall.board.clock(5399, 5400, false);
    let key = ("Ada".to_owned(), "Bob".to_owned());
    let moved = vec![("e4".to_owned(), Some(5399))];
    until("the move", async || fake.games().get(&key).is_some_and(|game| game.moves == moved).then_some(())).await;
    // At the end touchmoved sends what is still pending.
    hall.client.send_command(hall.game, &Order::Result { result: Some(GameResult::Draw) }).await.unwrap();
    let Hall { daemon, .. } = hall;
    assert!(tokio::task::spawn_blocking(|| daemon.terminate()).await.unwrap().success());
    assert_eq!(fake.games()[&key].result, "1/2-1/2");
    fake.assert_no_errors();
}

/// Runs `touchmovectl lichess`; returns whether it succeeded, and its output.
async fn run(config: &Path, more: &[&str], trust: Option<&Path>) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    command.args(["lichess", "--config", config.to_str().unwrap()]).args(more);
    // The test must not depend on the certificates that this machine trusts.
    command.env_remove("SSL_CERT_DIR").env_remove("SSL_CERT_FILE");
    command.envs(trust.map(|path| ("SSL_CERT_FILE", path)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let Output { status, stdout, stderr } = output.await.unwrap();
    (status.success(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[tokio::test]
async fn the_command_checks_rounds_before_there_are_games() {
    let fake = Fake::start().await;
    let (_dir, config) = configured(&fake, "AbCd1234", TOKEN);
    let (success, output) = run(&config, &[], None).await;
    assert!(
        success && output == "ok    AbCd1234 is \"Round 1\" of \"City Open\", and this token may write there\n",
        "{output}"
    );
    let (_dir, config) = configured(&fake, "1 = AbCd1234, 2 = ReadOnly, 4 = NoRound1", TOKEN);
    let (success, output) = run(&config, &[], None).await;
    let lines: Vec<&str> = output.lines().collect();
    assert!(!success && lines.len() == 3, "{output}");
    assert!(
        lines[0].starts_with("ok    round 1: AbCd1234 is") && lines[1].contains("may not write into round ReadOnly"),
        "{output}"
    );
    assert!(lines[2].starts_with("ERROR round 4: NoRound1 cannot be used: ") && lines[2].contains("has no round"), "{output}");
    let (_, json) = run(&config, &["--json"], None).await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["rounds"][1]["number"], &json["rounds"][1]["ok"]), (&2.into(), &false.into()));
    let (dir, config) = configured(&fake, "AbCd1234", "wrong");
    let (success, output) = run(&config, &[], None).await;
    assert!(!success && output.contains("does not know the token"), "{output}");
    let other = dir.path().join("other");
    std::fs::write(&other, TOKEN).unwrap();
    std::fs::set_permissions(&other, Permissions::from_mode(0o644)).unwrap();
    let (success, output) = run(&config, &["--token-file", other.to_str().unwrap()], None).await;
    assert!(
        !success && output.contains("every user of this machine can use") && output.contains("sudo chmod o-rwx"),
        "{output}"
    );
    std::fs::set_permissions(&other, Permissions::from_mode(0o640)).unwrap();
    assert!(run(&config, &["--token-file", other.to_str().unwrap()], None).await.0);
    std::fs::write(&config, "").unwrap();
    let (success, output) = run(&config, &[], None).await;
    assert!(!success && output.contains("write round under [lichess]"), "{output}");
}

/// A TLS server with its own certificate for `localhost`; it is no Lichess server.
struct TlsServer {
    server: std::process::Child,
    port: u16,
    certificate: PathBuf,
    _dir: TempDir,
}

impl TlsServer {
    fn start() -> Option<TlsServer> {
        if !installed("openssl") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let (key, certificate) = (path("key"), path("certificate"));
        let output = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"])
            .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // It prints the port that the system chose.
        let mut server = Command::new("openssl")
            .args(["s_server", "-accept", "127.0.0.1:0", "-www", "-key"])
            .arg(&key)
            .arg("-cert")
            .arg(&certificate)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let output = std::io::BufReader::new(server.stdout.take().unwrap());
        let port =
            std::io::BufRead::lines(output).find_map(|line| line.unwrap().strip_prefix("ACCEPT 127.0.0.1:")?.parse().ok());
        Some(TlsServer { server, port: port.unwrap(), certificate, _dir: dir })
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[tokio::test]
async fn a_server_without_a_trusted_certificate_gets_no_token() {
    let Some(server) = TlsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (config, token) = (dir.path().join("touchmoved.toml"), dir.path().join("token"));
    keep_secret(&token, TOKEN);
    let (port, token) = (server.port, token.display());
    let text = format!("[lichess]\nround = 'AbCd1234'\nurl = 'https://localhost:{port}'\ntoken_file = '{token}'\n");
    std::fs::write(&config, text).unwrap();
    let other = TlsServer::start().unwrap();
    let (success, output) = run(&config, &[], Some(&other.certificate)).await;
    assert!(!success && output.contains("localhost cannot prove its identity"), "{output}");
    // With a trusted certificate its reply is not one of Lichess.
    let (success, output) = run(&config, &[], Some(&server.certificate)).await;
    assert!(!success && output.contains("is not a Lichess server"), "{output}");
}
