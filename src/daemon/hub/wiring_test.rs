//! Wiring tests of boards, as front-ends see and carry them out.

use super::request::{OrderError, RequestKind};
use super::{BoardId, Hub};
use crate::config::wiring_change::KeyChange;
use crate::wiring_test::{BoardKind, EndReason, Progress, Step};
use std::sync::Arc;
use std::time::Duration;
use tracing::info;

/// What is to be done about the wiring test of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOrder {
    /// Begin one.
    Begin {
        /// Who carries it out.
        by: String,
        /// The test ends if it is neither continued nor renewed for this time; `None`: whoever began it also ends it.
        lease: Option<Duration>,
    },
    /// Carry out what the user decided.
    Step(Step),
    /// The user is still there.
    Renew,
    /// End this test, if it is still the one that is carried out.
    End(u64, EndReason),
}

/// A wiring test of a board: the one that is carried out, or the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WiringTestView {
    /// Its number among the tests of this board.
    pub id: u64,
    /// Who began it.
    pub by: String,
    /// Where it is, and what it has found.
    pub progress: Progress,
    /// Who decides in which order the board reports its squares.
    pub kind: BoardKind,
    /// Keys of the configuration that put the order right.
    pub changes: Vec<KeyChange>,
}

impl WiringTestView {
    /// Whether the test is being carried out.
    pub fn is_running(&self) -> bool {
        self.progress.end.is_none()
    }
}

impl Hub {
    /// Returns the wiring test that is carried out on a board, or the last one.
    pub fn wiring_test(&self, board: &BoardId) -> Option<Arc<WiringTestView>> {
        self.read(|state| state.boards.get(board)?.wiring_test.clone())
    }

    /// Begins a wiring test; returns its number. While it is carried out, no moves are read on the board.
    ///
    /// # Errors
    /// See [`OrderError`], in particular if a game is being played there, or the board is not connected.
    pub async fn begin_wiring_test(&self, board: &BoardId, by: &str, lease: Option<Duration>) -> Result<u64, OrderError> {
        self.check_not_played(board)?;
        self.request(board, RequestKind::WiringTest(TestOrder::Begin { by: by.to_owned(), lease })).await?;
        info!(%board, "{by} began a wiring test");
        Ok(self.wiring_test(board).map(|test| test.id).unwrap_or_default())
    }

    /// Goes on with the wiring test of a board.
    ///
    /// # Errors
    /// See [`OrderError`], in particular if there is none.
    pub async fn continue_wiring_test(&self, board: &BoardId, order: TestOrder) -> Result<(), OrderError> {
        self.request(board, RequestKind::WiringTest(order)).await.map(drop)
    }
}
