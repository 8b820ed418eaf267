//! Wiring tests of boards.

use super::{Client, ClientError, parse};
use crate::locale::Locale;
use crate::names;
use crate::publish::render::wiring_test::WiringTestReport;
use crate::wire::Word;
use crate::wiring_test::Step;

impl Client {
    /// Begins a wiring test of this board. It ends when this client leaves the bus.
    pub async fn begin_wiring_test(&self, board: &str) -> Result<(), ClientError> {
        self.call(names::board_path(board), names::BOARD_INTERFACE, "BeginWiringTest", &()).await
    }

    /// Goes on with the wiring test of this board.
    pub async fn step_wiring_test(&self, board: &str, step: Step) -> Result<(), ClientError> {
        self.call(names::board_path(board), names::BOARD_INTERFACE, "StepWiringTest", &step.word()).await
    }

    /// Returns the wiring test that is carried out on this board, or the last one; `None`: there was none since touchmoved was started.
    pub async fn wiring_test(&self, board: &str, locale: Locale) -> Result<Option<WiringTestReport>, ClientError> {
        let path = names::board_path(board);
        let report: String = self.call(path, names::BOARD_INTERFACE, "DescribeWiringTest", &locale.tag()).await?;
        if report.is_empty() { Ok(None) } else { parse(&report).map(Some) }
    }
}
