//! Orders of this touchmoved to continue a game on another board, and the games that have come of them. They are stored because two games
//! that begin in the same way need not be one game.

use super::read::text;
use super::values::{id, integer};
use super::writer::WriterState;
use super::{Journal, JournalError, lock};
use rusqlite::{Connection, TransactionBehavior, params};

/// The order to continue a game on another board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinuationOrder {
    /// The number of the game that is continued.
    pub continued: u64,
    /// The board on which it was played.
    pub from: String,
    /// The board on which it continues.
    pub to: String,
    /// Who ordered it.
    pub by: String,
    /// When the game began: Unix time in milliseconds. The game that continues it began then, too.
    pub started_wall_ms: i64,
    /// The number of events that the game that continues it has from it.
    pub recalled: u64,
}

impl Journal {
    /// Stores an order before it is sent. It replaces an earlier order for the same game and board if no game has arrived for that one.
    pub async fn begin_continuation(&self, order: ContinuationOrder) -> Result<(), JournalError> {
        self.writer.write(move |start| begin(&start.connection, &order).map_err(failed())).await
    }

    /// Removes an order that was refused.
    pub async fn cancel_continuation(&self, continued: u64, to: &str) -> Result<(), JournalError> {
        let to = to.to_owned();
        self.writer.write(move |start| cancel(&start.connection, continued, &to).map_err(failed())).await
    }

    /// Stores that this game has come of an order, which need not have been stored before.
    pub async fn finish_continuation(&self, order: ContinuationOrder, game: u64) -> Result<(), JournalError> {
        self.writer.write(move |start| finish(&start.connection, &order, game).map_err(failed())).await
    }

    /// Returns the orders that are not finished, oldest first. With an order is the number of its game if that is stored already, because
    /// the process ended before it finished the order.
    pub fn open_continuations(&self) -> Result<Vec<(ContinuationOrder, Option<u64>)>, JournalError> {
        const OPEN: &str = "
            SELECT continued, from_board, to_board, by, started_wall_ms, recalled,
                   (SELECT min(game.id) FROM game JOIN remote_game ON remote_game.game = game.id
                    WHERE board = to_board AND game.started_wall_ms = continuation.started_wall_ms AND game.id > continued
                      AND game.id NOT IN (SELECT game FROM continuation WHERE game IS NOT NULL))
            FROM continuation WHERE game IS NULL ORDER BY id";
        lock(&self.reader)
            .prepare_cached(OPEN)
            .and_then(|mut statement| statement.query_map([], order_row)?.collect())
            .map_err(JournalError::sqlite("read the games that continue on other boards"))
    }

    /// Returns all orders to continue games, oldest first, each with the number of the game that has come of it.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn continuations(&self) -> Result<Vec<(ContinuationOrder, Option<u64>)>, JournalError> {
        const ALL: &str = "
            SELECT continued, from_board, to_board, by, started_wall_ms, recalled, game FROM continuation ORDER BY id";
        lock(&self.reader)
            .prepare_cached(ALL)
            .and_then(|mut statement| statement.query_map([], order_row)?.collect())
            .map_err(JournalError::sqlite("read the games that continue on other boards"))
    }

    /// Replaces the orders about games of other machines, in one transaction: by those that another hub of the hall has.
    ///
    /// # Errors
    /// Nothing was changed.
    pub async fn replace_continuations(&self, orders: Vec<(ContinuationOrder, Option<u64>)>) -> Result<(), JournalError> {
        self.writer.write(move |start| replace(start, &orders).map_err(failed())).await
    }

    /// Returns whether another game continues this one by order.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn is_continued(&self, game: u64) -> Result<bool, JournalError> {
        lock(&self.reader)
            .prepare_cached("SELECT 1 FROM continuation WHERE continued = ?1 AND game IS NOT NULL")
            .and_then(|mut statement| statement.exists([integer(game)]))
            .map_err(JournalError::sqlite("read the games that continue on other boards"))
    }
}

/// Reads a row with the columns of an order, and the number of a game.
fn order_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<(ContinuationOrder, Option<u64>)> {
    let order = ContinuationOrder {
        continued: id(row, 0)?,
        from: text(row, 1)?,
        to: text(row, 2)?,
        by: text(row, 3)?,
        started_wall_ms: row.get(4)?,
        recalled: id(row, 5)?,
    };
    let game = row.get::<_, Option<i64>>(6)?.map(|_| id(row, 6)).transpose()?;
    Ok((order, game))
}

fn failed() -> impl FnOnce(rusqlite::Error) -> JournalError {
    JournalError::sqlite("write to the journal")
}

fn begin(connection: &Connection, order: &ContinuationOrder) -> rusqlite::Result<()> {
    cancel(connection, order.continued, &order.to)?;
    insert(connection, order, None)
}

fn cancel(connection: &Connection, continued: u64, to: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM continuation WHERE continued = ?1 AND to_board = ?2 AND game IS NULL")?
        .execute(params![integer(continued), to])
        .map(drop)
}

fn finish(connection: &Connection, order: &ContinuationOrder, game: u64) -> rusqlite::Result<()> {
    let changed = connection
        .prepare_cached("UPDATE continuation SET game = ?3 WHERE continued = ?1 AND to_board = ?2 AND game IS NULL")?
        .execute(params![integer(order.continued), order.to, integer(game)])?;
    if changed == 0 {
        insert(connection, order, Some(game))?;
    }
    // A game continues once: nothing comes any more of orders for other boards.
    connection
        .prepare_cached("DELETE FROM continuation WHERE continued = ?1 AND game IS NULL")?
        .execute([integer(order.continued)])
        .map(drop)
}

fn replace(start: &mut WriterState, orders: &[(ContinuationOrder, Option<u64>)]) -> rusqlite::Result<()> {
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute("DELETE FROM continuation WHERE continued IN (SELECT game FROM remote_game)", [])?;
    orders.iter().try_for_each(|(order, game)| insert(&transaction, order, *game))?;
    transaction.commit()
}

fn insert(connection: &Connection, order: &ContinuationOrder, game: Option<u64>) -> rusqlite::Result<()> {
    const INSERT: &str = "
        INSERT INTO continuation (continued, from_board, to_board, by, started_wall_ms, recalled, game)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let ContinuationOrder { continued, from, to, by, started_wall_ms, recalled } = order;
    let row = params![integer(*continued), from, to, by, started_wall_ms, integer(*recalled), game.map(integer)];
    connection.prepare_cached(INSERT)?.execute(row).map(drop)
}
