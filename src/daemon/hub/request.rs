//! Orders on their way from a front-end to the task that owns the board's table.

use super::{BoardId, Inactive, TestOrder};
use crate::game::rights::Audience;
use crate::game::{Answer, ErrorCode, Order, Refusal, StampedEvent, Text};
use tokio::sync::oneshot;

/// Target of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Whatever game is on this board.
    Board(BoardId),
    /// This game, and no other on the same board.
    Game(u64),
}

/// A board's game as of the daemon's last shutdown.
pub struct StoredGameState {
    /// Wall-clock time of the board's time 0, in milliseconds since 1970-01-01 UTC.
    pub epoch_wall_ms: i64,
    /// All its events.
    pub events: Vec<StampedEvent>,
    /// If not all events can be read: the number of the game from which they were read. `events` are then those before the first
    /// unreadable one, and are continued as a game of their own.
    pub cut_from: Option<u64>,
}

/// A request to the task that owns the board's table.
pub struct Request {
    /// Kind of request, with its data.
    pub kind: RequestKind,
    /// Channel for the outcome, which is sent once the resulting events are published.
    pub done: ReplySender,
}

/// The kinds of requests.
pub enum RequestKind {
    /// Execute an order.
    Order(Order, OrderGuard),
    /// Report what an order would do, without executing it.
    Preview(Order, GameGuard),
    /// Continue another board's game on this board.
    ContinueGame(Box<Continuation>),
    /// Identify the board by its lights or its beeper.
    Identify,
    /// Begin a wiring test of the board, or go on with it.
    WiringTest(TestOrder),
    /// Execute an order about a game that is no longer on the board, which is at another machine. The number is that of the game.
    PastGame(u64, Order),
}

/// The game that an order may change. A table is ahead of what is published, because events are written to the journal first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameGuard {
    /// Whatever game is on the board when the order arrives.
    AnyGame,
    /// The game that was on the board when this number of games had begun there, see
    /// [`BoardView::games_begun`](super::BoardView::games_begun).
    After(u64),
}

/// What must still be true when an order is executed. The table's task checks it in the same step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderGuard {
    /// The game that may change.
    pub game: GameGuard,
    /// The number of the last event of the game that the caller has seen; `None`: whatever has happened.
    pub seen: Option<u64>,
}

/// What the caller of an order knows of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The number of the last event that the caller has seen.
    pub number: u64,
    /// What the caller may know: what others are told in the meantime is no reason to refuse the order.
    pub audience: Audience,
}

/// A game that is to be continued on another board.
pub struct Continuation {
    /// The game so far.
    pub game: StoredGameState,
    /// Order to put on its record: who continued the game.
    pub order: Order,
    /// The boards that change places in the round.
    pub exchange: TableExchange,
}

/// Data of a board's move to the playing table of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableExchange {
    /// Game that is continued; `None`: it is a game of another machine, which this one does not have.
    pub game: Option<u64>,
    /// Board that was at the table; the same as `to` if a game that a position had ended is continued on its own board, and for a
    /// game of another machine.
    pub from: BoardId,
    /// Board that is at the table now.
    pub to: BoardId,
    /// Who requested it.
    pub by: String,
}

/// Channel for an order's outcome.
pub type ReplySender = oneshot::Sender<Result<Answer, OrderError>>;

/// Reason why an order was not executed; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The core refused the order.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The board does not exist.
    #[error("there is no board {0}: `touchmovectl list` shows the boards")]
    NoSuchBoard(String),
    /// The game is not loaded.
    #[error("game {0} is not in memory: `touchmovectl list` shows the games that are")]
    NoSuchGame(u64),
    /// The board is not there, and a later game may be on it.
    #[error("board {board} of game {game} is not connected: connect it, and give the command again")]
    BoardAway {
        /// The game.
        game: u64,
        /// Its board.
        board: BoardId,
    },
    /// Another game is now on the board.
    #[error("game {requested} is over, and game {current} is on board {board} now: give the command for that game")]
    NotCurrent {
        /// Game that was requested.
        requested: u64,
        /// Board on which it was played.
        board: BoardId,
        /// Game that is on the board now.
        current: u64,
    },
    /// Another game has begun on the board and is not published yet. The caller of the hub gets [`OrderError::NotCurrent`].
    #[error("another game has begun on that board: `touchmovectl list` shows it")]
    GameReplaced,
    /// The game has changed in a way that the caller has not seen.
    #[error("the game has changed since event {seen}, the last one that you have seen: look at it again, then decide")]
    Changed {
        /// The last event that the caller has seen.
        seen: u64,
        /// What has changed, one message for each change.
        news: Vec<Text>,
    },
    /// The board has no game that could be continued.
    #[error("no game is being played on board {0}: there is no game to continue")]
    NoGameToContinue(BoardId),
    /// A game is being played on the other board.
    #[error("game {game} is being played on board {board}: use a free board")]
    BoardInUse {
        /// Board on which the game was to be continued.
        board: BoardId,
        /// Game that is being played there.
        game: u64,
    },
    /// The board cannot identify itself, because players would see it.
    #[error(
        "game {game} is being played on board {board}, and nothing may be shown to its players (Art. 12.6): wait until it is over"
    )]
    Playing {
        /// Board that was to identify itself.
        board: BoardId,
        /// Game that is being played there.
        game: u64,
    },
    /// The board has no means to identify itself.
    #[error("board {0} cannot be identified: it has no lights and no beeper that can be used, or is not plugged in")]
    CannotIdentify(BoardId),
    /// A wiring test needs the board.
    #[error("board {0} is not connected: connect it, and begin the test again")]
    NotConnected(BoardId),
    /// The board is being tested.
    #[error("board {0} is being tested: end that test first")]
    Testing(BoardId),
    /// The board is not being tested.
    #[error("board {0} is not being tested: begin a test with `touchmovectl board {0} --test`")]
    NotTesting(BoardId),
    /// The board is at another machine.
    #[error("board {0} is at another machine: test it there")]
    TestElsewhere(BoardId),
    /// The position must be set up first.
    #[error("the position of the game is not on board {board}{}: set it up there, in either orientation, and try again", differing_squares(.squares))]
    PositionNotSetUp {
        /// Board on which the game is to be continued.
        board: BoardId,
        /// Squares that differ; empty: the board has not reported its placement yet.
        squares: Vec<shakmaty::Square>,
    },
    /// The game is longer than what can be sent to the machine of the other board.
    #[error(
        "the game is too long to be sent to the machine of board {0}: set its last position there with `touchmovectl arbiter position`"
    )]
    GameTooLong(BoardId),
    /// The board is at a machine that does not answer.
    #[error("nothing was changed: {}", machine_away(.machine, *.seconds))]
    MachineAway {
        /// The machine.
        machine: String,
        /// For how long it has not answered, in seconds; `None`: since touchmoved was started here.
        seconds: Option<u64>,
    },
    /// A machine of the hall has received the order, and its answer did not come.
    #[error(
        "machine {machine} has not answered in time, and it is not known whether the order was executed: look at the game, then decide"
    )]
    OutcomeUnknown {
        /// The machine.
        machine: String,
    },
    /// A machine of the hall refused the order.
    #[error("{message}")]
    RefusedByMachine {
        /// The error for programs.
        code: ErrorCode,
        /// The reason, in English.
        message: String,
        /// The reason before translation; `None`: only `message` has it.
        text: Option<Text>,
    },
    /// The game cannot be read.
    #[error("the game cannot continue on another board, because the journal cannot be read: {0}")]
    Unreadable(String),
    /// The journal cannot store the order now.
    #[error("the order was not executed, because it could not be stored: {0}")]
    JournalFull(String),
    /// This is not the hub of the hall now.
    #[error(transparent)]
    Inactive(#[from] Inactive),
    /// What the hub's desk has entered is stored here, and the standby hub does not know it.
    #[error("this was done, but the standby hub does not know it yet: if that takes over, do it again there")]
    NotCopied,
    /// The daemon is shutting down.
    #[error("touchmoved is shutting down: start it again, then repeat the order")]
    Stopping,
}

impl OrderError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            OrderError::Refused(refusal) => refusal.code(),
            OrderError::NoSuchBoard(_) => ErrorCode::Unknown("NoSuchBoard"),
            OrderError::NoSuchGame(_) => ErrorCode::Unknown("NoSuchGame"),
            OrderError::BoardAway { .. } => ErrorCode::Conflict("NoSuchGame"),
            OrderError::NotCurrent { .. } | OrderError::GameReplaced => ErrorCode::Conflict("NotCurrent"),
            OrderError::Changed { .. } => ErrorCode::Stale("Changed"),
            OrderError::NoGameToContinue(_) => ErrorCode::Conflict("NoGame"),
            OrderError::BoardInUse { .. } => ErrorCode::Conflict("BoardInUse"),
            OrderError::Playing { .. } => ErrorCode::Conflict("Playing"),
            OrderError::CannotIdentify(_) => ErrorCode::Conflict("Unnoticed"),
            OrderError::NotConnected(_) => ErrorCode::Conflict("NotConnected"),
            OrderError::Testing(_) => ErrorCode::Conflict("Testing"),
            OrderError::NotTesting(_) => ErrorCode::Conflict("NotTesting"),
            OrderError::TestElsewhere(_) => ErrorCode::Conflict("TestElsewhere"),
            OrderError::PositionNotSetUp { .. } => ErrorCode::Conflict("NotPutUp"),
            OrderError::GameTooLong(_) => ErrorCode::Conflict("GameTooLong"),
            OrderError::MachineAway { .. } => ErrorCode::Unavailable("MachineAway"),
            OrderError::OutcomeUnknown { .. } => ErrorCode::Unavailable("OutcomeUnknown"),
            OrderError::RefusedByMachine { code, .. } => *code,
            OrderError::Unreadable(_) => ErrorCode::Unavailable("JournalUnreadable"),
            OrderError::JournalFull(_) => ErrorCode::Unavailable("JournalFull"),
            OrderError::Inactive(_) => ErrorCode::Unavailable("NotHub"),
            OrderError::NotCopied => ErrorCode::Unavailable("NotCopied"),
            OrderError::Stopping => ErrorCode::Unavailable("Stopping"),
        }
    }
}

fn machine_away(machine: &str, seconds: Option<u64>) -> String {
    match seconds {
        Some(seconds) => format!("machine {machine} has not answered for {seconds} s; check its power, then its network"),
        None => {
            format!("machine {machine} has not answered since touchmoved was started here; check its power, then its network")
        }
    }
}

fn differing_squares(squares: &[shakmaty::Square]) -> String {
    let names: Vec<String> = squares.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        ", which has not reported its squares yet".to_owned()
    } else {
        format!(" (see {})", names.join(", "))
    }
}
