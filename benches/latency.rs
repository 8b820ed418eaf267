//! From the last byte of a move on the wire until its signal is in a client's hands, against the least that any service could
//! do which keeps what it tells: commit the same row to SQLite, then send the same signal over the same bus.
//!
//! The moves are knights' moves, which cannot turn out to be the first half of another, so nothing has to be waited for.

mod stage;

use futures_util::StreamExt;
use rusqlite::{Connection as Database, OpenFlags, TransactionBehavior, params};
use shakmaty::{Chess, Move, Position as _, Role};
use stage::harness::{Board, PATIENCE, PrivateBus};
use stage::{Figures, Touchmoved, line, ratio, time, verdict};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::daemon::journal;
use touchmove::names;
use touchmove::simulate::rng::Rng;
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
/// How much longer than the least it may take, in the median.
const GOAL: f64 = 1.5;

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
    for (index, (from, to, piece)) in knights_moves(MOVES.0 + MOVES.1).into_iter().enumerate() {
        tokio::time::sleep(2 * HAND).await;
        board.put(&from, '.');
        tokio::time::sleep(HAND).await;
        let began = Instant::now();
        board.put(&to, piece);
        let signal = next(&mut told).await;
        let took = began.elapsed();
        tokio::time::sleep(PAUSE).await;

        let arguments: Made = signal.body().deserialize().expect("the arguments of MoveMade");
        let row = row(&kept, arguments.0);
        // As rested as the daemon is when the bytes come.
        tokio::time::sleep(PAUSE).await;
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
}

/// `(number, time, ply, uci, san, fen, confidence, alternatives, details)`.
type Made = (u64, i64, u32, String, String, String, f64, Vec<(String, f64)>, HashMap<String, OwnedVariant>);

async fn made(client: &Connection, sender: &str) -> MessageStream {
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender(sender)
        .interface(names::GAME_INTERFACE)
        .member("MoveMade")
        .build()
        .expect("a rule");
    MessageStream::for_match_rule(rule, client, NonZeroUsize::new(64)).await.expect("the bus takes the rule")
}

async fn next(signals: &mut MessageStream) -> Message {
    let next = tokio::time::timeout(PATIENCE, signals.next()).await;
    next.expect("waited in vain for MoveMade").expect("the bus is there").expect("a message")
}

/// Waits until a game has begun; a connection to the journal that reads.
async fn begun(state: &Path) -> Database {
    let end = Instant::now() + PATIENCE;
    loop {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let found = Database::open_with_flags(state.join(journal::FILE), flags);
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
        let database = Database::open(dir.join(journal::FILE)).expect("a database");
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

/// Quiet knights' moves from the start position, no placement twice: from, to, the knight.
fn knights_moves(count: usize) -> Vec<(String, String, char)> {
    let mut rng = Rng::new(1, 1);
    let mut position = Chess::default();
    let mut seen = HashSet::from([position.board().clone()]);
    let mut moves = Vec::new();
    while moves.len() < count {
        let after = |mv: Move| {
            let mut after = position.clone();
            after.play_unchecked(mv);
            after
        };
        let fresh = |mv: &Move| {
            let after = after(*mv);
            !after.is_check() && !seen.contains(after.board())
        };
        let quiet = |mv: &&Move| mv.role() == Role::Knight && !mv.is_capture();
        let choice: Vec<Move> = position.legal_moves().iter().filter(quiet).copied().filter(fresh).collect();
        let mv = rng.pick(&choice).expect("a knight has somewhere to go");
        let from = mv.from().expect("a knight comes from somewhere");
        moves.push((from.to_string(), mv.to().to_string(), Role::Knight.of(position.turn()).char()));
        position = after(mv);
        seen.insert(position.board().clone());
    }
    moves
}
