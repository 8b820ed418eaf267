//! The time from the last byte of a move until a client has its signal, compared with the minimum for any service that stores an event
//! before it is published: commit the same row to SQLite, then send the same signal over the same bus.
//!
//! The moves are those of knights, which cannot become other moves, so no settle time is needed. Then the same for moves that are not
//! legal, from the press that completes them until the alert.

mod common;

use common::harness::{Board, PATIENCE, PrivateBus};
use common::{Figures, Touchmoved, knights_moves, line, ratio, time, verdict};
use futures_util::StreamExt;
use rusqlite::{Connection as Database, OpenFlags, TransactionBehavior, params};
use shakmaty::{Bitboard, Rank, Square};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::boards::Connection::Serial;
use touchmove::boards::{BOARDS, ClockSupport};
use touchmove::ctl::pty::PseudoTerminal;
use touchmove::daemon::journal;
use touchmove::game::event::Rotation;
use touchmove::names;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::{Bus, Stream};
use touchmove::simulate::hands::CLUB;
use touchmove::simulate::{Simulation, SimulationSetup};
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::BusName;
use zbus::{Connection, MatchRule, Message, MessageStream, OwnedVariant};

/// The number of measured moves, and of moves before them.
const MOVES: (usize, usize) = (80, 5);
/// How long a piece is in the air; the pause between two moves is twice as long: the pace of hands. At a machine's pace a repeated
/// position is reported as a takeback.
const HAND: Duration = Duration::from_millis(300);
/// The pause between two measurements, after which the daemon is idle.
const PAUSE: Duration = Duration::from_millis(20);
/// The number of commits after which the daemon writes its log into the main file, when it is idle.
const CHECKPOINT_AFTER: usize = 64;
/// The goal for the ratio of the medians, to the minimum; and of an alert to a move.
const GOAL: f64 = 1.5;
/// The number of boards in a hall, and the goal there for the ratio of the p99 to that of a board alone.
const HALL: (u64, f64) = (64, 2.0);
/// The number of moves that are not legal.
const ALERTS: usize = 30;
/// How long a piece rests before the clock is pressed, so that the daemon waits for nothing else.
const REST: Duration = Duration::from_millis(1_200);
/// How long after the press all squares of a move have been reported: a complete scan of the slowest board, and its line.
const SCAN: Duration = Duration::from_millis(touchmove::infer::model::SCAN_TIME);

fn main() {
    let Some(bus) = PrivateBus::start() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure(&bus));
}

async fn measure(bus: &PrivateBus) {
    // Below the build directory: a disk, where a temporary directory may be memory.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let (client, sender) = (bus.connect().await, bus.connect().await);
    let mut minimal_signals = move_signals(&client, sender.unique_name().expect("a name")).await;

    let board = Board::plugged();
    let state = dir.path().join("state");
    let daemon = Touchmoved::start(bus, &state, &board.path());
    let journal_file = journal_with_game(&state).await;
    // The unique name, because the client's own filter accepts signals from anybody for a well-known name.
    let bus_itself = DBusProxy::new(&client).await.expect("a bus");
    let owner = bus_itself.get_name_owner(BusName::try_from(names::BUS_NAME).expect("a name")).await;
    let mut signal_stream = move_signals(&client, &owner.expect("touchmoved owns its name")).await;
    let mut minimal = MinimalJournal::open(&dir.path().join("least"), &journal_file);

    let (mut ours, mut minimum, mut commits) = (Figures::default(), Figures::default(), Figures::default());
    for (index, moved) in knights_moves(MOVES.0 + MOVES.1).into_iter().enumerate() {
        let (took, signal) = one_move(&board, &moved, &mut signal_stream).await;
        tokio::time::sleep(PAUSE).await;

        let arguments: Made = signal.body().deserialize().expect("the arguments of MoveMade");
        let row = row(&journal_file, arguments.0);
        // As long without work as the daemon before the bytes arrive, since processors and caches cool down meanwhile.
        tokio::time::sleep(HAND).await;
        let began = Instant::now();
        minimal.commit(&row);
        let committed = began.elapsed();
        let path = names::game_path(1);
        sender.emit_signal(None::<BusName>, path, names::GAME_INTERFACE, "MoveMade", &arguments).await.expect("a signal");
        next(&mut minimal_signals).await;
        let took_minimal = began.elapsed();
        minimal.checkpoint();
        tokio::time::sleep(PAUSE).await;

        if index >= MOVES.1 {
            ours.add(took);
            minimum.add(took_minimal);
            commits.add(committed);
        }
    }
    drop(daemon);

    println!("from the bytes of a move until a client has its signal, {} moves:", ours.count());
    for (name, figures) in [("touchmove", &ours), ("one commit, one signal", &minimum), ("of which the commit", &commits)] {
        line(&format!("{name}, median (p99)"), format!("{} ({})", time(figures.median()), time(figures.percentile(99))));
    }
    let found = ratio(ours.median(), minimum.median());
    line("ratio of the medians", format!("{found:.2} (goal: at most {GOAL}: {})", verdict(found <= GOAL)));
    let without_commit = |figures: &Figures| figures.median().saturating_sub(commits.median());
    line("ratio without the commit", format!("{:.2}", ratio(without_commit(&ours), without_commit(&minimum))));
    alerts(bus, &client, dir.path(), &ours).await;
    hall(bus, &client, dir.path(), &ours).await;
}

/// Plays a knight's move at the pace of hands. Returns how long it took until the signal arrived, and the signal.
async fn one_move(
    board: &Board,
    (from, to, piece): &(String, String, char),
    signal_stream: &mut MessageStream,
) -> (Duration, Message) {
    tokio::time::sleep(2 * HAND).await;
    board.put(from, '.');
    tokio::time::sleep(HAND).await;
    let began = Instant::now();
    board.put(to, *piece);
    let signal = next(signal_stream).await;
    (began.elapsed(), signal)
}

/// The same on one board among many of all serial models, with a game on each of them. The simulations of the other boards run on this
/// machine, too.
async fn hall(bus: &PrivateBus, client: &Connection, dir: &Path, alone: &Figures) {
    let board = Board::plugged();
    let entry = |name: &str, model: &str, port: &Path| {
        format!("[[board]]\nname = {name:?}\nmodel = {model:?}\nport = {:?}\n", port.display().to_string())
    };
    let mut config = entry("measured", "dgt", &board.path());
    let kinds = BOARDS.iter().filter(|model| matches!(model.connection, Serial(_)) && !(model.protocol)().is_chain());
    for (number, model) in (1..HALL.0).zip(kinds.cycle()) {
        let clock = model.clock != ClockSupport::None;
        let setup = SimulationSetup { profile: &CLUB, clock, rotation: Rotation::Upright, clock_turned: false, seed: number };
        let virtual_board = Simulation::new(model.name, &common::long_game(), &setup).expect("there is a virtual board");
        let mut port = PseudoTerminal::open().expect("a pseudo-terminal");
        config += &entry(&format!("board_{number}"), model.name, Path::new(port.path()));
        std::thread::spawn(move || port.serve(virtual_board, 1, true));
    }
    let file = dir.join("hall.toml");
    std::fs::write(&file, config).expect("a file");
    let daemon = Touchmoved::configured(bus, &dir.join("hall"), &file);
    let watching = Client::connect_to_bus(&Bus::Address(bus.address()), Stream::Live).await.expect("the bus is there");
    let end = Instant::now() + PATIENCE;
    let game = loop {
        let games = watching.snapshot().await.map(|snapshot| snapshot.games).unwrap_or_default();
        if games.len() as u64 == HALL.0 {
            break games.iter().find(|game| game.board == "measured").map(|game| game.id).expect("the board is there");
        }
        assert!(Instant::now() < end, "waited in vain for {} games: {}", HALL.0, games.len());
        tokio::time::sleep(PAUSE).await;
    };
    let bus_itself = DBusProxy::new(client).await.expect("a bus");
    let owner = bus_itself.get_name_owner(BusName::try_from(names::BUS_NAME).expect("a name")).await.expect("an owner");
    let mut signal_stream = signals(client, &owner, names::GAME_INTERFACE, "MoveMade", Some(names::game_path(game))).await;
    let mut figures = Figures::default();
    for (index, moved) in knights_moves(MOVES.0 + MOVES.1).into_iter().enumerate() {
        let (took, _) = one_move(&board, &moved, &mut signal_stream).await;
        if index >= MOVES.1 {
            figures.add(took);
        }
    }
    let boards = watching.snapshot().await.map(|snapshot| snapshot.games).unwrap_or_default();
    let others: usize = boards.iter().filter(|other| other.id != game).map(|other| other.moves.len()).sum();
    drop(daemon);
    println!("the same at one of {} boards, {others} moves on the others meanwhile:", HALL.0);
    line("median (p99)", format!("{} ({})", time(figures.median()), time(figures.percentile(99))));
    let found = ratio(figures.percentile(99), alone.percentile(99));
    line(
        "ratio of the p99 to that of a board alone",
        format!("{found:.2} (goal: at most {}: {})", HALL.1, verdict(found <= HALL.1)),
    );
}

/// The same for the arbiter: from the press that completes a move that is not legal until a client has the alert. Squares of a move may
/// be reported a complete scan of the board after the press, for which the daemon waits; the time after that is printed separately.
async fn alerts(bus: &PrivateBus, client: &Connection, dir: &Path, moves: &Figures) {
    let board = Board::plugged();
    let state = dir.join("alerts");
    let daemon = Touchmoved::start(bus, &state, &board.path());
    journal_with_game(&state).await;
    let bus_itself = DBusProxy::new(client).await.expect("a bus");
    let owner = bus_itself.get_name_owner(BusName::try_from(names::BUS_NAME).expect("a name")).await;
    let mut signal_stream =
        signals(client, &owner.expect("touchmoved owns its name"), names::ARBITER_INTERFACE, "AlertRaised", None).await;

    let mut figures = Figures::default();
    board.clock(3_600, 3_600, true);
    tokio::time::sleep(HAND).await;
    let rook = rook_that_jumps(ALERTS);
    let knight = ["b8", "c6"];
    for (index, squares) in rook.windows(2).enumerate() {
        let [from, to] = [squares[0], squares[1]].map(|square| square.to_string());
        move_by_hand(&board, [&from, &to], 'R').await;
        tokio::time::sleep(REST).await;
        let began = Instant::now();
        board.clock(3_600, 3_600, false);
        next(&mut signal_stream).await;
        figures.add(began.elapsed());
        move_by_hand(&board, [knight[index % 2], knight[(index + 1) % 2]], 'n').await;
        tokio::time::sleep(HAND).await;
        board.clock(3_600, 3_600, true);
        tokio::time::sleep(HAND).await;
    }
    drop(daemon);
    println!("from the press of a move that is not legal until a client has the alert, {} presses:", figures.count());
    let both = |median: Duration, p99: Duration| format!("{} ({})", time(median), time(p99));
    let (median, p99) = (figures.median(), figures.percentile(99));
    line("median (p99)", both(median, p99));
    let (median, p99) = (median.saturating_sub(SCAN), p99.saturating_sub(SCAN));
    line(&format!("after the scan time of {}", time(SCAN)), both(median, p99));
    let found = ratio(median, moves.median());
    line("ratio of that to a move", format!("{found:.2} (goal: at most {GOAL}: {})", verdict(found <= GOAL)));
}

async fn move_by_hand(board: &Board, squares: [&str; 2], piece: char) {
    board.put(squares[0], '.');
    tokio::time::sleep(HAND).await;
    board.put(squares[1], piece);
}

/// Squares for White's queen's rook, which jumps like a knight over the empty half of the board without repeating a square, because a
/// repeated placement would be a takeback.
fn rook_that_jumps(jumps: usize) -> Vec<Square> {
    fn go_on(path: &mut Vec<Square>, free: Bitboard, length: usize) -> bool {
        if path.len() == length {
            return true;
        }
        let Some(&last) = path.last() else { return false };
        for square in shakmaty::attacks::knight_attacks(last) & free {
            path.push(square);
            if go_on(path, free.without(square), length) {
                return true;
            }
            path.pop();
        }
        false
    }
    let free = [Rank::Third, Rank::Fourth, Rank::Fifth, Rank::Sixth].into_iter().fold(Bitboard::EMPTY, |all, rank| all | rank);
    let mut path = vec![Square::A1];
    // The knight of the replies uses this square.
    assert!(go_on(&mut path, free.without(Square::C6), jumps + 1), "there is no such path");
    path
}

/// `(number, time, ply, uci, san, fen, confidence, alternatives, details)`.
type Made = (u64, i64, u32, String, String, String, f64, Vec<(String, f64)>, HashMap<String, OwnedVariant>);

async fn move_signals(client: &Connection, sender: &str) -> MessageStream {
    signals(client, sender, names::GAME_INTERFACE, "MoveMade", None).await
}

/// Signals of this name, of all objects or of one.
async fn signals(
    client: &Connection,
    sender: &str,
    interface: &'static str,
    name: &'static str,
    object: Option<String>,
) -> MessageStream {
    let rule = MatchRule::builder().msg_type(Type::Signal).sender(sender).interface(interface).member(name);
    let rule = match object {
        Some(path) => rule.path(path),
        None => rule,
    };
    let rule = rule.build().expect("a rule");
    MessageStream::for_match_rule(rule, client, NonZeroUsize::new(64)).await.expect("the bus accepts the rule")
}

async fn next(signals: &mut MessageStream) -> Message {
    let next = tokio::time::timeout(PATIENCE, signals.next()).await;
    next.expect("waited in vain for a signal").expect("the bus is there").expect("a message")
}

/// Waits until a game has begun. Returns a read-only connection to the journal.
async fn journal_with_game(state: &Path) -> Database {
    let end = Instant::now() + PATIENCE;
    loop {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let found = Database::open_with_flags(state.join(journal::FILE_NAME), flags);
        let games = |database: &Database| database.query_row("SELECT count(*) FROM game", [], |row| row.get::<_, i64>(0));
        if let Ok(database) = found
            && games(&database).is_ok_and(|games| games == 1)
        {
            return database;
        }
        assert!(Instant::now() < end, "waited in vain for a game");
        tokio::time::sleep(PAUSE).await;
    }
}

/// A row of the journal.
type Row = (i64, i64, i64, i64, String, String);

fn row(journal: &Database, number: u64) -> Row {
    let number = i64::try_from(number).expect("a number");
    let row = journal.query_row(
        "SELECT game, number, at_ms, wall_ms, kind, event FROM event WHERE game = 1 AND number = ?1",
        [number],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)),
    );
    row.expect("a published event is in the journal")
}

/// The minimal service: a file with the journal's schema, written like the journal.
struct MinimalJournal {
    database: Database,
    commits: usize,
}

impl MinimalJournal {
    fn open(dir: &Path, journal: &Database) -> MinimalJournal {
        std::fs::create_dir(dir).expect("a directory");
        let database = Database::open(dir.join(journal::FILE_NAME)).expect("a database");
        database
            .execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
            .and_then(|()| database.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())))
            .expect("the journal's pragmas");
        let mut schema =
            journal.prepare("SELECT sql FROM sqlite_schema WHERE sql NOTNULL AND name NOT LIKE 'sqlite%'").unwrap();
        let schema: Vec<String> = schema.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        schema.iter().for_each(|table| database.execute_batch(table).expect("the journal's schema"));
        let game = "INSERT INTO game (board, started_wall_ms, epoch_wall_ms) VALUES ('dgt', 0, 0)";
        database.execute_batch(game).expect("a game");
        MinimalJournal { database, commits: 0 }
    }

    fn commit(&mut self, row: &Row) {
        let writing = self.database.transaction_with_behavior(TransactionBehavior::Immediate).expect("a transaction");
        writing
            .prepare_cached("INSERT INTO event (game, number, at_ms, wall_ms, kind, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
            .and_then(|mut insert| insert.execute(params![row.0, row.1, row.2, row.3, row.4, row.5]))
            .expect("a row");
        writing.commit().expect("a commit");
        self.commits += 1;
    }

    fn checkpoint(&mut self) {
        if self.commits > CHECKPOINT_AFTER {
            self.commits = 0;
            self.database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).expect("a checkpoint");
        }
    }
}
