//! Changes of the delay while events are hidden.

use super::{IllegalMoves, Play, acts, check_steps, corrected, ended, game_started, move_made, moves};
use proptest::prelude::*;
use std::collections::BTreeMap;
use touchmove::game::{Delay, DelayLine, DelayPolicy, Event, GameResult, Record, StampedEvent};

fn policy(ms: u64, plies: u32) -> DelayPolicy {
    DelayPolicy { delay: Delay { ms, plies }, illegal_moves: IllegalMoves::Hold }
}

/// A step of a test: an event, or a new policy.
pub(super) enum Step {
    Event(Event),
    Policy(DelayPolicy),
}

#[test]
fn a_shorter_delay_holds_for_later_events() {
    let steps = [
        (0, Step::Event(move_made(1, "a"))),
        (50, Step::Policy(policy(10, 0))),
        (60, Step::Event(move_made(2, "b"))),
        (200, Step::Event(move_made(3, "c"))),
    ];
    // The second move is old enough at 70, and must not show what was before it.
    check_steps(policy(100, 0), steps, &[(100, "1.a"), (100, "2.b"), (210, "3.c")]);
}

#[test]
fn a_longer_delay_holds_at_once() {
    let steps = [(0, Step::Event(move_made(1, "a"))), (50, Step::Policy(policy(300, 0)))];
    check_steps(policy(100, 0), steps, &[(300, "1.a")]);
}

#[test]
fn a_correction_does_not_reveal_what_was_hidden() {
    // The second move stays the same in the correction.
    let steps = [
        (0, Step::Event(move_made(1, "a"))),
        (90, Step::Event(move_made(2, "b"))),
        (95, Step::Policy(policy(0, 0))),
        (120, Step::Event(corrected(2, &["b", "c"]))),
    ];
    check_steps(policy(100, 0), steps, &[(100, "1.a"), (190, "2.b"), (190, "3.c")]);
    let (win, draw) = (ended(Some(GameResult::WhiteWins)), ended(Some(GameResult::Draw)));
    let steps = [(0, Step::Event(win)), (10, Step::Policy(policy(0, 0))), (20, Step::Event(draw))];
    check_steps(policy(100, 0), steps, &[(100, "1/2-1/2")]);
}

#[test]
fn a_move_hidden_for_the_plies_after_it_waits_for_them() {
    let steps = [
        (0, Step::Event(move_made(1, "a"))),
        (10, Step::Policy(policy(0, 0))),
        (20, Step::Event(move_made(2, "b"))),
        (30, Step::Event(move_made(3, "c"))),
    ];
    check_steps(policy(0, 2), steps, &[(30, "1.a"), (30, "2.b"), (30, "3.c")]);
}

/// A change of the policy, perhaps with a restart after it.
#[derive(Clone, Debug)]
struct Change {
    at: usize,
    policy: (u64, u32),
    restarts: bool,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = (0usize..60, (0u64..200, 0u32..4), any::<bool>());
    proptest::collection::vec(change.prop_map(|(at, policy, restarts)| Change { at, policy, restarts }), 0..4)
}

/// A line as after a restart: its events are pushed again.
fn restarted(line: &DelayLine, policy: DelayPolicy, pushed: &[StampedEvent], now: i64) -> DelayLine {
    let mut again = DelayLine::replay(policy.delay, policy.illegal_moves, line.released());
    for stamped in pushed {
        while again.pop(now).is_some() {}
        again.push(now, stamped.clone());
    }
    while again.pop(now).is_some() {}
    again.end_replay();
    again
}

proptest! {
    /// However the policy changes, with or without a restart: no ply is released before the time until which any policy since it
    /// was first played hides it.
    #[test]
    fn nothing_that_was_hidden_is_released_early(acts in acts(), changes in changes(), ms in 0u64..200) {
        let mut policy = policy(ms, 0);
        let mut line = DelayLine::new(policy.delay, policy.illegal_moves);
        let mut public = Record::begin(&StampedEvent { at: 0, number: Some(1), event: game_started() }).unwrap();
        let (mut play, mut pushed) = (Play::begin(), Vec::new());
        // For each move that is on record and not released: when it was played, and the longest delay since.
        let mut hidden: BTreeMap<(usize, String), (i64, u64)> = BTreeMap::new();
        for (index, (pause, act)) in acts.into_iter().enumerate() {
            play.now += pause;
            let now = play.now;
            while let Some(stamped) = line.pop(now) {
                public.apply(&stamped);
                for (index, uci) in moves(&public).into_iter().enumerate() {
                    let (at, ms) = hidden.remove(&(index, uci.clone())).unwrap_or_default();
                    let until = at.saturating_add_unsigned(ms);
                    prop_assert!(until <= now, "{uci} is released at {now}, and was hidden until {until}");
                }
            }
            for Change { policy: (ms, plies), restarts, .. } in changes.iter().filter(|change| change.at == index) {
                policy = super::policy::policy(*ms, *plies);
                line.set_policy(policy);
                hidden.values_mut().for_each(|(_, longest)| *longest = (*longest).max(*ms));
                if *restarts {
                    line = restarted(&line, policy, &pushed, now);
                }
            }
            for stamped in play.perform(&act) {
                pushed.push(stamped.clone());
                line.push(now, stamped);
            }
            let shown = moves(&public);
            for (index, uci) in moves(&play.live).into_iter().enumerate().filter(|(index, uci)| shown.get(*index) != Some(uci)) {
                hidden.entry((index, uci)).or_insert((now, policy.delay.ms));
            }
        }
        line.end();
        while let Some(stamped) = line.pop(i64::MAX) {
            public.apply(&stamped);
        }
        prop_assert_eq!(moves(&public), moves(&play.live));
    }
}
