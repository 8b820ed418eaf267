//! From the last byte of a move on the wire until its signal is in a client's hands, against the least that any service could
//! do which keeps what it tells: commit the same row to SQLite, then send the same signal over the same bus.
//!
//! The moves are knights' moves, which cannot turn out to be the first half of another, so nothing has to be waited for. Then the
//! same for moves that are not legal, from the press that completes them until the alert.

mod stage;

use futures_util::StreamExt;
use rusqlite::{Connection as Database, OpenFlags, TransactionBehavior, params};
use shakmaty::{Bitboard, Rank, Square};
use stage::harness::{Board, PATIENCE, PrivateBus};
use stage::{Figures, Touchmoved, knights_moves, line, ratio, time, verdict};
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

/// Moves measured, and moves before them.
const MOVES: (usize, usize) = (80, 5);
/// A piece is in the air for so long, and twice as long between two moves: the pace of hands. At a machine's pace a position that
/// comes about twice is told as a takeback.
const HAND: Duration = Duration::from_millis(300);
/// Between two measurements: the daemon is idle by then.
const PAUSE: Duration = Duration::from_millis(20);
/// After so many commits the daemon writes its log into the main file, when it is idle.
const TIDY_AFTER: usize = 64;
/// How much longer than the least it may take, in the median; and an alert longer than a move.
const GOAL: f64 = 1.5;
/// So many boards in a hall, and how much longer the slowest moves may take there.
const HALL: (u64, f64) = (64, 2.0);
/// Moves that are not legal.
const ALERTS: usize = 30;
/// So long a piece stands before the clock is pressed: nothing else has to be waited for then.
const RESTS: Duration = Duration::from_millis(1_200);
/// So long after the press all that belongs to a move has been told: a whole scan of the slowest board, and the line.
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
    let mut told_at_least = made(&client, sender.unique_name().expect("a name")).await;

    let board = Board::plugged();
    let state = dir.path().join("state");
    let daemon = Touchmoved::start(bus, &state, &board.path());
    let kept = begun(&state).await;
    // By its unique name: the client's own filter takes a well-known one for anybody's.
    let bus_itself = DBusProxy::new(&client).await.expect("a bus");
    let owner = bus_itself.get_name_owner(BusName::try_from(names::BUS_NAME).expect("a name")).await;
    let mut told = made(&client, &owner.expect("touchmoved owns its name")).await;
    let mut least = Least::open(&dir.path().join("least"), &kept);

    let (mut ours, mut theirs, mut commits) = (Figures::default(), Figures::default(), Figures::default());
    for (index, moved) in knights_moves(MOVES.0 + MOVES.1).into_iter().enumerate() {
        let (took, signal) = one_move(&board, &moved, &mut told).await;
        tokio::time::sleep(PAUSE).await;

        let arguments: Made = signal.body().deserialize().expect("the arguments of MoveMade");
        let row = row(&kept, arguments.0);
        // As long without work as the daemon before the bytes come: processors and caches cool down meanwhile.
        tokio::time::sleep(HAND).await;
        let began = Instant::now();
        least.commit(&row);
        let committed = began.elapsed();
        let path = names::game_path(1);
        sender.emit_signal(None::<BusName>, path, names::GAME_INTERFACE, "MoveMade", &arguments).await.expect("a signal");
        next(&mut told_at_least).await;
        let took_at_least = began.elapsed();
        least.tidy_up();
        tokio::time::sleep(PAUSE).await;

        if index >= MOVES.1 {
            ours.add(took);
            theirs.add(took_at_least);
            commits.add(committed);
        }
    }
    drop(daemon);

    println!("bytes of a move until its signal is with a client, {} moves:", ours.count());
    for (name, figures) in [("touchmove", &ours), ("one commit, one signal", &theirs), ("of which the commit", &commits)] {
        line(&format!("{name}, median (p99)"), format!("{} ({})", time(figures.median()), time(figures.percentile(99))));
    }
    let found = ratio(ours.median(), theirs.median());
    line("ratio of the medians", format!("{found:.2} (goal: at most {GOAL}: {})", verdict(found <= GOAL)));
    let besides = |figures: &Figures| figures.median().saturating_sub(commits.median());
    line("ratio without the commit", format!("{:.2}", ratio(besides(&ours), besides(&theirs))));
    alerts(bus, &client, dir.path(), &ours).await;
    hall(bus, &client, dir.path(), &ours).await;
}

/// A knight's move by hand; how long after it the signal was there, and the signal.
async fn one_move(board: &Board, (from, to, piece): &(String, String, char), told: &mut MessageStream) -> (Duration, Message) {
    tokio::time::sleep(2 * HAND).await;
    board.put(from, '.');
    tokio::time::sleep(HAND).await;
    let began = Instant::now();
    board.put(to, *piece);
    let signal = next(told).await;
    (began.elapsed(), signal)
}

/// The same at one board among many of all kinds that are on serial lines, on each of which a game is played; all on this machine,
/// together with what plays on them.
async fn hall(bus: &PrivateBus, client: &Connection, dir: &Path, alone: &Figures) {
    let board = Board::plugged();
    let entry = |name: &str, model: &str, port: &Path| {
        format!("[[board]]\nname = {name:?}\nmodel = {model:?}\nport = {:?}\n", port.display().to_string())
    };
    let mut config = entry("measured", "dgt", &board.path());
    let kinds = BOARDS.iter().filter(|model| matches!(model.connection, Serial(_)) && !(model.protocol)().is_chain());
    for (number, model) in (1..HALL.0).zip(kinds.cycle()) {
        let clock = model.clock != ClockSupport::None;
        let scene = SimulationSetup { profile: &CLUB, clock, rotation: Rotation::Upright, clock_turned: false, seed: number };
        let stage = Simulation::new(model.name, &stage::long_game(), &scene).expect("there is a virtual board");
        let mut port = PseudoTerminal::open().expect("a pseudo-terminal");
        config += &entry(&format!("board_{number}"), model.name, Path::new(port.path()));
        std::thread::spawn(move || port.serve(stage, 1, true));
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
    let mut told = signals(client, &owner, names::GAME_INTERFACE, "MoveMade", Some(names::game_path(game))).await;
    let mut figures = Figures::default();
    for (index, moved) in knights_moves(MOVES.0 + MOVES.1).into_iter().enumerate() {
        let (took, _) = one_move(&board, &moved, &mut told).await;
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

/// The same for the arbiter: from the press that completes a move that is not legal until the alert is with a client. What belongs
/// to a move may be told a whole scan of the board after the press, so that long the daemon waits; that is told apart.
async fn alerts(bus: &PrivateBus, client: &Connection, dir: &Path, moves: &Figures) {
    let board = Board::plugged();
    let state = dir.join("alerts");
    let daemon = Touchmoved::start(bus, &state, &board.path());
    begun(&state).await;
    let bus_itself = DBusProxy::new(client).await.expect("a bus");
    let owner = bus_itself.get_name_owner(BusName::try_from(names::BUS_NAME).expect("a name")).await;
    let mut told =
        signals(client, &owner.expect("touchmoved owns its name"), names::ARBITER_INTERFACE, "AlertRaised", None).await;

    let mut figures = Figures::default();
    board.clock(3_600, 3_600, true);
    tokio::time::sleep(HAND).await;
    let rook = rook_that_jumps(ALERTS);
    let knight = ["b8", "c6"];
    for (index, squares) in rook.windows(2).enumerate() {
        let [from, to] = [squares[0], squares[1]].map(|square| square.to_string());
        move_by_hand(&board, [&from, &to], 'R').await;
        tokio::time::sleep(RESTS).await;
        let began = Instant::now();
        board.clock(3_600, 3_600, false);
        next(&mut told).await;
        figures.add(began.elapsed());
        move_by_hand(&board, [knight[index % 2], knight[(index + 1) % 2]], 'n').await;
        tokio::time::sleep(HAND).await;
        board.clock(3_600, 3_600, true);
        tokio::time::sleep(HAND).await;
    }
    drop(daemon);
    println!("the press of a move that is not legal until the alert is with a client, {} presses:", figures.count());
    let both = |median: Duration, p99: Duration| format!("{} ({})", time(median), time(p99));
    let (median, p99) = (figures.median(), figures.percentile(99));
    line("median (p99)", both(median, p99));
    let (median, p99) = (median.saturating_sub(SCAN), p99.saturating_sub(SCAN));
    line(&format!("after the {} for the squares to be told", time(SCAN)), both(median, p99));
    let found = ratio(median, moves.median());
    line("ratio of that to a move's", format!("{found:.2} (goal: at most {GOAL}: {})", verdict(found <= GOAL)));
}

async fn move_by_hand(board: &Board, squares: [&str; 2], piece: char) {
    board.put(squares[0], '.');
    tokio::time::sleep(HAND).await;
    board.put(squares[1], piece);
}

/// Squares for White's queen's rook, which jumps like a knight over the empty half of the board, no square twice: so no placement
/// comes about again, which would be a takeback.
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
    // The knight of the replies stands there.
    assert!(go_on(&mut path, free.without(Square::C6), jumps + 1), "there is no such way");
    path
}

/// `(number, time, ply, uci, san, fen, confidence, alternatives, details)`.
type Made = (u64, i64, u32, String, String, String, f64, Vec<(String, f64)>, HashMap<String, OwnedVariant>);

async fn made(client: &Connection, sender: &str) -> MessageStream {
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
    MessageStream::for_match_rule(rule, client, NonZeroUsize::new(64)).await.expect("the bus takes the rule")
}

async fn next(signals: &mut MessageStream) -> Message {
    let next = tokio::time::timeout(PATIENCE, signals.next()).await;
    next.expect("waited in vain for a signal").expect("the bus is there").expect("a message")
}

/// Waits until a game has begun; a connection to the journal that reads.
async fn begun(state: &Path) -> Database {
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
    row.expect("what was told is in the journal")
}

/// A file of the journal's schema, written to as the journal is.
struct Least {
    database: Database,
    commits: usize,
}

impl Least {
    fn open(dir: &Path, journal: &Database) -> Least {
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
        Least { database, commits: 0 }
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

    fn tidy_up(&mut self) {
        if self.commits > TIDY_AFTER {
            self.commits = 0;
            self.database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).expect("a checkpoint");
        }
    }
}
