//! Games on Lichess: a fake one behind a real socket, that fails as the real one may, has in the end what was played.

pub mod fake;

use crate::hall::Hall;
use crate::harness::{installed, until};
use fake::{Act, Fake, Got, TOKEN};
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

/// What was told to be wrong, by kind and board.
type Told = Arc<Mutex<BTreeMap<(&'static str, Option<String>), String>>>;

/// Writes a file that nobody but its owner reads.
pub fn keep_secret(path: &Path, secret: &str) {
    std::fs::write(path, secret).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

/// A daemon without links: the journal, the hub, the gallery, and what sends to Lichess.
struct Club {
    hub: Arc<Hub>,
    told: Told,
    sending: JoinHandle<()>,
    others: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
}

impl Club {
    fn open(dir: &Arc<TempDir>, fake: &Fake, rounds: &str, delay: Delay) -> Club {
        let hub = Hub::new(Journal::open(dir.path()).unwrap().0, &[("Event".into(), "City Open".into())]);
        hub.set_round_file(RoundFile(dir.path().join("round.json")));
        let gallery = DelayedView::new(Arc::clone(&hub), delay, IllegalMoves::Hold);
        let (stop, stopped) = watch::channel(false);
        let showing = tokio::spawn(Arc::clone(&gallery).run(stopped.clone()));
        let token_file = dir.path().join("token");
        keep_secret(&token_file, &format!("{TOKEN}\n"));
        let config = Lichess { url: fake.url(), rounds: Rounds::parse(rounds).unwrap(), token_file: Some(token_file) };
        let told = Told::default();
        let hear = Arc::clone(&told);
        let trouble = Box::new(move |kind, board: Option<&BoardId>, sentence: Option<String>| {
            let key = (kind, board.map(ToString::to_string));
            match sentence {
                Some(sentence) => drop(hear.lock().unwrap().insert(key, sentence)),
                None => drop(hear.lock().unwrap().remove(&key)),
            }
        });
        let tags = vec![("Event".to_owned(), "City Open".to_owned())];
        let sending = tokio::spawn(lichess::run(gallery, config, dir.path().join("lichess"), tags, PACE, trouble, stopped));
        Club { hub, told, sending, others: vec![showing], stop }
    }

    fn load(&self, csv: &str, number: u16) -> Round {
        let round = Round::read(csv, Some(number), &TrfOrder::Unknown).unwrap();
        self.hub.set_round(round.clone(), "the organiser").unwrap();
        round
    }

    /// What is told, in one line.
    fn told(&self) -> String {
        let told = self.told.lock().unwrap();
        told.iter().map(|((kind, board), sentence)| format!("{kind} {board:?} {sentence}\n")).collect()
    }

    async fn is_content(&self) {
        until("no trouble", async || self.told().is_empty().then_some(())).await;
    }

    /// As a crash does it.
    async fn kill(self) {
        self.sending.abort();
        let _ = self.sending.await;
        self.others.iter().for_each(JoinHandle::abort);
        for other in self.others {
            let _ = other.await;
        }
        self.hub.drain().await;
    }

    async fn end(self) {
        self.stop.send_replace(true);
        self.sending.await.unwrap();
        for other in self.others {
            other.await.unwrap();
        }
        self.hub.drain().await;
    }
}

/// A board on which moves are told as they are played.
struct Table {
    name: String,
    seat: Option<BoardHandle>,
    number: u64,
    position: Chess,
    clocks: [u64; 2],
    /// What Lichess must have in the end.
    played: Got,
    /// Chance that is the same each time.
    chance: u64,
}

impl Table {
    fn new(name: &str) -> Table {
        let played = Got { result: "*".into(), ..Got::default() };
        let chance = name.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte));
        Table { name: name.into(), seat: None, number: 0, position: Chess::default(), clocks: [5400, 5400], played, chance }
    }

    /// Takes its seat; the game goes on, or there is one from now on.
    fn sit(&mut self, club: &Club) {
        let model = model("dgt").unwrap();
        let (seat, last) = club.hub.register_board(BoardView::new(BoardId::new(&self.name), model, model.sensing));
        assert_eq!(last.is_some(), self.number > 0);
        self.seat = Some(seat);
        if self.number == 0 {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.number = 0;
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into();
        self.say(Event::GameStarted { fen, chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright });
    }

    /// The names that the round gives to its game.
    fn named(&mut self, round: &Round) {
        let pairing = round.pairings.iter().find(|pairing| pairing.board.as_ref() == Some(&self.name)).unwrap();
        let tags = round.tags(pairing);
        self.say(Event::Commanded { command: Order::Tags(tags), by: "a test".into() });
    }

    fn say(&mut self, event: Event) {
        self.number += 1;
        let stamped = StampedEvent { at: self.number, number: Some(self.number), event };
        self.seat.as_ref().unwrap().publish(1_700_000_000_000, vec![stamped], |_| (), None);
    }

    fn ply(&self) -> u32 {
        self.played.moves.len() as u32 + 1
    }

    /// Some legal move.
    fn chosen(&mut self) -> (PlayedMove, Chess) {
        let moves = self.position.legal_moves();
        self.chance = self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let played = moves[(self.chance >> 33) as usize % moves.len()];
        let uci = played.to_uci(shakmaty::CastlingMode::Standard).to_string();
        let san = SanPlus::from_move(self.position.clone(), played).to_string();
        let after = self.position.clone().play(played).unwrap();
        let fen = Fen::from_position(&after, EnPassantMode::Legal).to_string();
        (PlayedMove { uci, san, fen, irregular: false, evidence: Vec::new() }, after)
    }

    fn made(&mut self, played: PlayedMove) {
        let ply = self.ply();
        self.say(Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
    }

    /// The clock is pressed on the move that was made last, which is this one.
    fn pressed(&mut self, played: &PlayedMove, after: Chess) {
        let mover = usize::from(self.ply().is_multiple_of(2));
        self.clocks[mover] -= self.chance >> 60;
        let clock = |seconds: u64| Some(ClockTime { ms: seconds as u32 * 1000, resolution_ms: 1000, age_ms: 0 });
        let clocks = ClockTimes { white: clock(self.clocks[0]), black: clock(self.clocks[1]) };
        self.say(Event::MoveCompleted { ply: self.ply(), by: CompletedBy::Clock, clocks });
        self.played.moves.push((played.san.clone(), Some(self.clocks[mover])));
        self.position = after;
    }

    fn play(&mut self) {
        let (played, after) = self.chosen();
        self.made(played.clone());
        self.pressed(&played, after);
    }

    /// Another move was told first.
    fn play_corrected(&mut self) {
        let (wrong, _) = self.chosen();
        self.made(wrong);
        let (right, after) = self.chosen();
        let (from_ply, moves) = (self.ply(), vec![right.clone()]);
        self.say(Event::MovesCorrected { from_ply, moves, reason: CorrectionReason::Evidence });
        self.pressed(&right, after);
    }

    /// A move that is not legal stands, and Lichess must not hear of it.
    fn play_illegal(&mut self) {
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal).to_string();
        let (ply, uci, san) = (self.ply(), "e1e3".into(), "Ke1-e3".into());
        let played = PlayedMove { uci, san, fen, irregular: true, evidence: Vec::new() };
        self.say(Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
    }

    fn ends(&mut self, result: GameResult) {
        self.say(Event::Result { result: Some(result), reason: ResultReason::Arbiter });
        self.played.result = result.as_str().to_owned();
    }
}

/// Six tables on boards `a` to `f`.
fn pairings() -> String {
    let rows = "abcdef".chars().zip(1..).map(|(board, table)| format!("{table},\"W{board}, X\",\"B{board}, Y\",{board}\n"));
    format!("table,white,black,board\n{}", rows.collect::<String>())
}

fn expected<'a>(round: u16, tables: impl IntoIterator<Item = &'a Table>) -> BTreeMap<(String, String), Got> {
    let game = |table: &Table| {
        let place = table.name.as_bytes()[0] - b'a' + 1;
        let got = Got { round: format!("{round}.{place}"), ..table.played.clone() };
        ((format!("W{}, X", table.name), format!("B{}, Y", table.name)), got)
    };
    tables.into_iter().map(game).collect()
}

async fn arrives(fake: &Fake, expect: &BTreeMap<(String, String), Got>) {
    let wait = until("what was played", async || (fake.games() == *expect).then_some(()));
    tokio::select! {
        () = wait => {}
        // What differs says more than that something does.
        () = tokio::time::sleep(Duration::from_secs(30)) => assert_eq!(fake.games(), *expect),
    }
}

#[tokio::test]
async fn what_was_played_arrives_in_the_end() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let club = Club::open(&dir, &fake, "1 = AbCd1234", Delay::default());
    let mut tables: Vec<Table> = ["a", "b", "c", "d", "e", "f"].map(Table::new).into();
    let round = club.load(&pairings(), 1);
    for table in &mut tables {
        table.sit(&club);
        table.named(&round);
    }
    arrives(&fake, &expected(1, &tables)).await;
    // All that can go wrong, while they play.
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
    until("all that can go wrong", async || {
        rounds += 1;
        if rounds <= 20 {
            for (index, table) in tables.iter_mut().enumerate() {
                if rounds % (index + 2) == 0 { table.play_corrected() } else { table.play() }
            }
        }
        fake.is_through().then_some(())
    })
    .await;
    // One game is in error, and the others do not mind.
    let all = expected(1, &tables);
    let but_d: BTreeMap<_, _> = all.clone().into_iter().filter(|((white, _), _)| white != "Wd, X").collect();
    until("the others' games", async || {
        let games = fake.games();
        but_d.iter().all(|(players, game)| games.get(players) == Some(game)).then_some(())
    })
    .await;
    until("the game in error", async || club.told().contains("Wd, X - Bd, Y at table 4").then_some(())).await;
    assert!(club.told().contains("lichess_refused Some(\"d\") http://127.0.0.1:"), "{}", club.told());
    assert!(club.told().contains("(Cannot find the chapter)"), "{}", club.told());
    fake.refuse(None);
    arrives(&fake, &all).await;
    club.is_content().await;

    // Lichess is away; a game ends, another is played on, and one ends with a move that is not legal.
    fake.always(Some(Act::Status(502, "")));
    tables[0].play();
    tables[0].ends(GameResult::WhiteWins);
    tables[1].play();
    tables[2].play_illegal();
    tables[2].ends(GameResult::BlackWins);
    until("trouble", async || club.told().contains("(status 502)").then_some(())).await;
    let kept = |file: u32, text: &str| {
        let path = dir.path().join(format!("lichess/AbCd1234/game-{file}.json"));
        std::fs::read_to_string(path).unwrap_or_default().contains(text).then_some(())
    };
    until("the result in the outbox", async || kept(1, "1-0").and(kept(3, "0-1"))).await;
    tables.iter_mut().for_each(|table| table.seat = None);
    club.kill().await;

    // Started again: the board of the game that ended is not there any more, and that of another comes late.
    let club = Club::open(&dir, &fake, "1 = AbCd1234", Delay::default());
    for table in &mut tables[1..5] {
        table.sit(&club);
        if table.played.result == "*" {
            table.play();
        }
    }
    fake.plan(&[Act::Status(500, ""), Act::HalfAnswer]);
    fake.always(None);
    arrives(&fake, &expected(1, &tables)).await;
    tables[5].sit(&club);
    tables[5].play();
    tables[5].ends(GameResult::Draw);
    arrives(&fake, &expected(1, &tables)).await;
    club.is_content().await;
    fake.was_content();
    let requests = fake.requests();
    let (first, last) = (requests.first().unwrap().0, requests.last().unwrap().0);
    let least = PACE.min_interval * (requests.len() as u32 - 1);
    assert!(last - first + Duration::from_millis(300) > least, "{} requests in {:?}", requests.len(), last - first);
    tables.iter_mut().for_each(|table| table.seat = None);
    club.end().await;
}

#[tokio::test]
async fn a_pause_that_lichess_asks_for_is_kept() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.plan(&[Act::Status(429, "Retry-After: 1")]);
    let club = Club::open(&dir, &fake, "AbCd1234", Delay::default());
    club.load(&pairings(), 1);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    let times: Vec<_> = fake.requests().into_iter().map(|(at, _)| at).collect();
    // It came when it was sent, on this machine, or a little later.
    assert!(times[1] - times[0] > Duration::from_millis(900), "{:?}", times[1] - times[0]);
    club.end().await;
}

#[tokio::test]
async fn a_pause_is_kept_for_all_rounds() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let club = Club::open(&dir, &fake, "1 = AbCd1234, 2 = EfGh5678", Delay::default());
    let (mut first, mut second) = (Table::new("a"), Table::new("b"));
    let round = club.load(&pairings(), 1);
    first.sit(&club);
    first.named(&round);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    let round = club.load(&pairings().replace("\"W", "\"V"), 2);
    second.sit(&club);
    second.named(&round);
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
    (first.seat, second.seat) = (None, None);
    club.end().await;
}

#[tokio::test]
async fn one_file_that_cannot_be_written_or_read_stops_no_other() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.always(Some(Act::Status(502, "")));
    let folder = dir.path().join("lichess/AbCd1234");
    std::fs::create_dir_all(folder.join(".game-1.json.new")).unwrap();
    std::fs::write(folder.join("game-9.json"), "no game").unwrap();
    let club = Club::open(&dir, &fake, "AbCd1234", Delay::default());
    club.load(&pairings(), 1);
    let kept = |file: u32| std::fs::read_to_string(folder.join(format!("game-{file}.json"))).unwrap_or_default();
    until("the other games", async || (2..=6).all(|file| kept(file).contains("\"pgn\"")).then_some(())).await;
    until("trouble", async || club.told().contains("cannot be kept in").then_some(())).await;
    until("what cannot be read", async || club.told().contains("game-9.json").then_some(())).await;
    assert_eq!(kept(9), "no game");
    club.end().await;
}

#[tokio::test]
async fn nothing_is_sent_twice_and_nothing_early() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let club = Club::open(&dir, &fake, "AbCd1234", Delay { ms: 0, plies: 2 });
    let round = club.load(&pairings(), 1);
    let mut table = Table::new("a");
    table.sit(&club);
    table.named(&round);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    for _ in 0..5 {
        table.play();
    }
    let key = ("Wa, X".to_owned(), "Ba, Y".to_owned());
    until("three moves", async || (fake.games()[&key].moves.len() == 3).then_some(())).await;
    table.ends(GameResult::Draw);
    until("the result", async || (fake.games()[&key].result == "1/2-1/2").then_some(())).await;
    assert_eq!(fake.games()[&key].moves, table.played.moves);
    until("what was said to it", async || {
        let kept = std::fs::read_to_string(dir.path().join("lichess/AbCd1234/game-1.json")).unwrap_or_default();
        (kept.contains("1/2-1/2") && kept.contains("\"taken\": true")).then_some(())
    })
    .await;
    let sent = fake.requests().len();
    // What is no news is not sent: the pairings once more.
    club.load(&pairings(), 1);
    club.hub.set_health_problem("x", None, Some("y".into()));
    table.seat = None;
    club.end().await;
    assert_eq!(fake.requests().len(), sent);
    // Nor after a start.
    let club = Club::open(&dir, &fake, "AbCd1234", Delay::default());
    table.sit(&club);
    table.seat = None;
    club.end().await;
    assert_eq!(fake.requests().len(), sent);
    fake.was_content();
}

#[tokio::test]
async fn a_move_that_is_not_legal_is_not_told_before_it_stands() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let club = Club::open(&dir, &fake, "AbCd1234", Delay::default());
    let round = club.load(&pairings(), 1);
    let [mut table, mut other] = ["a", "b"].map(Table::new);
    for table in [&mut table, &mut other] {
        table.sit(&club);
        table.named(&round);
    }
    table.play();
    table.play();
    table.play_illegal();
    for _ in 0..3 {
        other.play();
    }
    arrives(&fake, &expected(1, [&table, &other].into_iter().chain(&["c", "d", "e", "f"].map(Table::new)))).await;
    let kept = || std::fs::read_to_string(dir.path().join("lichess/AbCd1234/game-1.json")).unwrap_or_default();
    assert!(!kept().contains("Ke1-e3"), "{}", kept());
    table.say(Event::Result { result: Some(GameResult::Draw), reason: ResultReason::Arbiter });
    until("the result, and why the moves end", async || {
        (kept().contains("Ke1-e3") && kept().contains("1/2-1/2")).then_some(())
    })
    .await;
    [table.seat, other.seat] = [None, None];
    club.end().await;
}

#[tokio::test]
async fn games_without_names_are_not_sent() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let club = Club::open(&dir, &fake, "AbCd1234", Delay::default());
    let mut table = Table::new("a");
    table.sit(&club);
    table.play();
    until("trouble", async || club.told().contains("the game on board a is not on Lichess").then_some(())).await;
    assert_eq!(fake.requests().len(), 0);
    let round = club.load(&pairings(), 1);
    table.named(&round);
    table.play();
    until("both moves", async || fake.games().values().any(|game| game.moves == table.played.moves).then_some(())).await;
    club.is_content().await;
    // The next round has no place there.
    club.load(&pairings().replace("Wa", "Wz"), 2);
    until("trouble", async || club.told().contains("AbCd1234 there is round 1").then_some(())).await;
    assert!(club.told().contains("\"1 = AbCd1234, 2 = AbCd1234\""), "{}", club.told());
    assert!(!fake.games().contains_key(&("Wz, X".to_owned(), "Ba, Y".to_owned())));
    fake.was_content();
    table.seat = None;
    club.end().await;
}

#[tokio::test]
async fn what_somebody_has_to_do_is_said_and_nobody_hammers() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.always(Some(Act::Status(404, "")));
    let club = Club::open(&dir, &fake, "AbCd1234", Delay::default());
    club.load(&pairings(), 1);
    until("trouble", async || club.told().contains("no round AbCd1234").then_some(())).await;
    std::fs::write(dir.path().join("token"), "another").unwrap();
    until("trouble", async || club.told().contains("does not know the token").then_some(())).await;
    assert!(!club.told().contains("another"), "{}", club.told());
    std::fs::write(dir.path().join("token"), "").unwrap();
    until("trouble", async || club.told().contains("has no token for Lichess").then_some(())).await;
    std::fs::write(dir.path().join("token"), TOKEN).unwrap();
    fake.always(None);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    club.is_content().await;
    let requests = fake.requests();
    let gaps = requests.windows(2).map(|pair| pair[1].0 - pair[0].0);
    // Each was refused but the last one.
    assert!(gaps.clone().all(|gap| gap > PACE.rejected_retry / 2), "{:?}", gaps.collect::<Vec<_>>());
    club.end().await;
}

#[tokio::test]
async fn more_games_than_lichess_shows() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let club = Club::open(&dir, &fake, "AbCd1234", Delay::default());
    let rows: String = (1..=103).map(|table| format!("{table},W{table},B{table}\n")).collect();
    club.load(&format!("table,white,black\n{rows}"), 1);
    until("a hundred games", async || (fake.games().len() == 100).then_some(())).await;
    until("trouble", async || club.told().contains("3 games of round AbCd1234 are not on Lichess").then_some(())).await;
    assert!(fake.games().contains_key(&("W100".to_owned(), "B100".to_owned())));
    fake.was_content();
    club.end().await;
}

/// A configuration, and the folder that it is in.
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
    // What is left at the end is sent then.
    hall.client.send_command(hall.game, &Order::Result(Some(GameResult::Draw))).await.unwrap();
    let Hall { daemon, .. } = hall;
    assert!(tokio::task::spawn_blocking(|| daemon.terminate()).await.unwrap().success());
    assert_eq!(fake.games()[&key].result, "1/2-1/2");
    fake.was_content();
}

/// What `touchmovectl lichess` says, and whether it is content.
async fn run(config: &Path, more: &[&str], trust: Option<&Path>) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    command.args(["lichess", "--config", config.to_str().unwrap()]).args(more);
    // Those whom this machine trusts are others.
    command.env_remove("SSL_CERT_DIR").env_remove("SSL_CERT_FILE");
    command.envs(trust.map(|path| ("SSL_CERT_FILE", path)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let Output { status, stdout, stderr } = output.await.unwrap();
    (status.success(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[tokio::test]
async fn an_operator_can_ask_before_there_are_games() {
    let fake = Fake::start().await;
    let (_dir, config) = configured(&fake, "AbCd1234", TOKEN);
    let (well, said) = run(&config, &[], None).await;
    assert!(well && said == "ok    AbCd1234 is \"Round 1\" of \"City Open\", and this token may write there\n", "{said}");
    let (_dir, config) = configured(&fake, "1 = AbCd1234, 2 = ReadOnly, 4 = NoRound1", TOKEN);
    let (well, said) = run(&config, &[], None).await;
    let lines: Vec<&str> = said.lines().collect();
    assert!(!well && lines.len() == 3, "{said}");
    assert!(
        lines[0].starts_with("ok    round 1: AbCd1234 is") && lines[1].contains("may not write into round ReadOnly"),
        "{said}"
    );
    assert!(lines[2].starts_with("WRONG round 4: NoRound1 cannot be used: ") && lines[2].contains("has no round"), "{said}");
    let (_, json) = run(&config, &["--json"], None).await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["rounds"][1]["number"], &json["rounds"][1]["ok"]), (&2.into(), &false.into()));
    let (dir, config) = configured(&fake, "AbCd1234", "wrong");
    let (well, said) = run(&config, &[], None).await;
    assert!(!well && said.contains("does not know the token"), "{said}");
    let other = dir.path().join("other");
    std::fs::write(&other, TOKEN).unwrap();
    std::fs::set_permissions(&other, Permissions::from_mode(0o644)).unwrap();
    let (well, said) = run(&config, &["--token-file", other.to_str().unwrap()], None).await;
    assert!(!well && said.contains("every user of this machine can use") && said.contains("sudo chmod o-rwx"), "{said}");
    std::fs::set_permissions(&other, Permissions::from_mode(0o640)).unwrap();
    assert!(run(&config, &["--token-file", other.to_str().unwrap()], None).await.0);
    std::fs::write(&config, "").unwrap();
    let (well, said) = run(&config, &[], None).await;
    assert!(!well && said.contains("write round under [lichess]"), "{said}");
}

/// A server that proves to be `localhost`, to those who trust its certificate, and has the fake behind it.
struct Proving {
    server: std::process::Child,
    port: u16,
    certificate: PathBuf,
    _dir: TempDir,
}

impl Proving {
    fn start() -> Option<Proving> {
        if !installed("openssl") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let (key, certificate) = (path("key"), path("certificate"));
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"])
            .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // It says that it listens on the port that the system chose.
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
        Some(Proving { server, port: port.unwrap(), certificate, _dir: dir })
    }
}

impl Drop for Proving {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[tokio::test]
async fn whoever_does_not_prove_to_be_lichess_gets_no_token() {
    let Some(proving) = Proving::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (config, token) = (dir.path().join("touchmoved.toml"), dir.path().join("token"));
    keep_secret(&token, TOKEN);
    let (port, token) = (proving.port, token.display());
    let text = format!("[lichess]\nround = 'AbCd1234'\nurl = 'https://localhost:{port}'\ntoken_file = '{token}'\n");
    std::fs::write(&config, text).unwrap();
    let other = Proving::start().unwrap();
    let (well, said) = run(&config, &[], Some(&other.certificate)).await;
    assert!(!well && said.contains("localhost does not prove who it is"), "{said}");
    // To those who trust it it says something that is not Lichess's.
    let (well, said) = run(&config, &[], Some(&proving.certificate)).await;
    assert!(!well && said.contains("is no Lichess"), "{said}");
}
