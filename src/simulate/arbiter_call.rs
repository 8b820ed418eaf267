//! Players who call the arbiter: after an illegal move the clock is stopped, and nothing is touched until the arbiter has come.

use crate::boards::Millis;
use crate::simulate::act::Act;
use crate::simulate::script::{Action, Script};

/// Time from the press after an illegal move until the opponent stops the clock, in milliseconds: less than it takes to press the clock
/// back and to restore the pieces in a script without an arbiter.
const STOP_DELAY: Millis = 1_200;
/// Time from the restored position until the clock is started again, in milliseconds.
const START_DELAY: Millis = 300;

/// Lets the clock be stopped after the first illegal move on which the clock was pressed, and started again when the pieces are
/// restored. Returns when it is stopped; `None`: there is no such move.
pub(super) fn stop_at_illegal_move(script: &mut Script) -> Option<Millis> {
    let mut illegal = script.truth.irregularities.iter().filter(|irregularity| irregularity.illegal.is_some());
    let (pressed_at, restored_at) = illegal.find_map(|irregularity| Some((irregularity.pressed_at?, irregularity.until?)))?;
    let stopped_at = pressed_at + STOP_DELAY;
    let started_at = restored_at + START_DELAY;
    let insert = |actions: &mut Vec<Action>, at: Millis, act: Act| {
        let index = actions.partition_point(|action| action.at <= at);
        actions.insert(index, Action { at, act, ply: 0 });
    };
    insert(&mut script.actions, stopped_at, Act::Stop);
    insert(&mut script.actions, started_at, Act::Start);
    Some(stopped_at)
}
