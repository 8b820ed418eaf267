//! `touchmovectl round start`.

use super::missing::missing_results;
use super::overview::describe;
use super::selected::{Yes, connect_live};
use crate::ctl::columns::output_width;
use crate::ctl::service::{Service, confirm, print};
use crate::ctl::tables;
use crate::desk::DeskAct;
use crate::publish::desk::{DeskReport, TableState};

/// Start a loaded round: games that begin from now on, and games without a move, get its names
///
/// Asks first if games of the round that is played have no result.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl round start 4\n  touchmovectl round start 4 --yes")]
pub(super) struct Args {
    /// Its number
    round: u16,
    #[command(flatten)]
    yes: Yes,
    #[command(flatten)]
    service: Service,
}

/// Runs the subcommand.
pub(super) async fn run(Args { round, yes, service }: Args) -> anyhow::Result<()> {
    let client = connect_live(&service).await?;
    if !confirm_start(&client.desk(None).await?, round, yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    client.change_desk(&DeskAct::StartRound { round }).await?;
    let report = client.desk(None).await?;
    print(&describe(&report, output_width()))?;
    Ok(print(&missing_results(&report))?)
}

/// Asks whether to start this round, if games of the round that is played have no result.
pub(super) fn confirm_start(report: &DeskReport, round: u16, yes: Yes) -> anyhow::Result<bool> {
    let open = without_result(report, round);
    open.map_or(Ok(true), |open| confirm(&format!("{open} Start round {round}?"), yes.yes))
}

/// Says which games of the round that is played have no result, if another round `next` can be started; `None`: all have one.
fn without_result(report: &DeskReport, next: u16) -> Option<String> {
    let current = report.current_round.filter(|current| *current != next)?;
    if !report.rounds.iter().any(|round| round.number == next) {
        return None;
    }
    let of_state = |wanted: &[TableState]| -> Vec<u16> {
        let tables = report.tables.iter().filter(|table| table.state.is_some_and(|state| wanted.contains(&state)));
        tables.map(|table| table.table).collect()
    };
    let open = of_state(&[TableState::NotBegun, TableState::InPlay, TableState::ResultMissing]);
    if open.is_empty() {
        return None;
    }
    let in_play = of_state(&[TableState::InPlay]);
    let in_play = if in_play.is_empty() { String::new() } else { format!("; in play: {}", tables::named(&in_play)) };
    Some(format!("Round {current} has no result at {}{in_play}.", tables::named(&open)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::desk::{RoundSummary, TableReport};

    #[test]
    fn a_round_that_is_not_over_is_named() {
        let table = |table: u16, state: TableState| TableReport { table, state: Some(state), ..TableReport::default() };
        let round = |number: u16| RoundSummary { number, ..RoundSummary::default() };
        let report = |states: &[TableState]| DeskReport {
            current_round: Some(1),
            rounds: vec![round(1), round(2)],
            tables: (1..).zip(states).map(|(number, state)| table(number, *state)).collect(),
            ..DeskReport::default()
        };
        use TableState::{Ended, InPlay, NotBegun, ResultMissing};
        let open = report(&[ResultMissing, InPlay, NotBegun, Ended, NotBegun]);
        let question = "Round 1 has no result at tables 1-3, 5; in play: table 2.";
        assert_eq!(without_result(&open, 2).as_deref(), Some(question));
        assert_eq!(without_result(&report(&[Ended, ResultMissing]), 2).as_deref(), Some("Round 1 has no result at table 2."));
        // It is over; it is the same round; there is no such round, which touchmoved says.
        assert_eq!(without_result(&report(&[Ended, Ended]), 2), None);
        assert_eq!((without_result(&open, 1), without_result(&open, 3)), (None, None));
    }
}
