//! When the memory is requested, and requested again.

use super::*;

/// The memory is not requested where the position is unchanged, or one move further.
#[test]
fn the_memory_is_not_requested_without_need() {
    let game = opera();
    let simulation = || simulation(&game, &CLUB, true, Rotation::Upright, 1);
    let plies = simulation().truth().plies.clone();
    let (made, before) = (plies[9].done_at + 600, plies[10].touched_at - 10);
    for out in [(0, 0), (made, before), (made, plies[10].done_at + 500), (plies[10].touched_at + 50, plies[10].done_at + 500)] {
        let published = follow(&mut PulledCable::new(simulation(), out), &game, simulation().ends_at() + 20_000);
        assert_eq!(
            (published.moves(), published.memory_requests),
            (truth(&simulation()).iter().map(String::as_str).collect(), 0),
            "{out:?}"
        );
    }
}

/// The time of the first alert that the board differs from the record.
fn first_difference_alert(published: &PublishedGame) -> Option<Millis> {
    let kinds = [AlertKind::PositionUnexplained, AlertKind::Displaced];
    let behind = |stamped: &&StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if kinds.contains(&alert.kind));
    published.events.iter().find(behind).map(|stamped| stamped.at)
}

/// The memory does not come when it is first requested, and play goes on, at any pace: the arbiter is alerted, and it is requested
/// again.
#[test]
fn a_memory_that_fails_is_requested_again() {
    const MEMORY_SIZE: usize = 7_939;
    /// The length of the newest entries of the ring: about five moves.
    const NEWEST: usize = 50;
    let game = random_games(1, 80).remove(0);
    let failures: [Damage; 3] = [
        // It does not answer, or answers with a log five moves old.
        |bytes, count| {
            if count < 3 * MEMORY_SIZE {
                bytes.clear();
            }
        },
        |bytes, count| {
            if count % MEMORY_SIZE >= MEMORY_SIZE - NEWEST && count < 2 * MEMORY_SIZE {
                bytes.fill(0x7f);
            }
        },
        |bytes, _| bytes.clear(),
    ];
    for (pace, hands) in [&CLEAN, &CLUB, &BLITZ].into_iter().enumerate() {
        let simulation = || simulation(&game, hands, true, Rotation::Upright, 5);
        let expect = truth(&simulation());
        let out = out(&simulation(), 8, 16);
        let until = simulation().ends_at() + 60_000;
        for (number, &damage) in failures.iter().enumerate() {
            let what = format!("pace {pace}, failure {number}");
            let published = follow(&mut PulledCable { damage, ..PulledCable::new(simulation(), out) }, &game, until);
            let at = first_difference_alert(&published).unwrap_or_else(|| panic!("{what}: no alert was raised"));
            assert!(at <= out.1 + 20_000, "{what}: alert after {} ms", at - out.1);
            assert!(number == 2 || published.moves() == expect, "{what}: {:?}, not {expect:?}", published.moves());
            assert!(published.memory_requests > 2, "{what}: requested {} times", published.memory_requests);
        }
    }
}

/// The arbiter corrects the record while the board differs: the memory is not requested again.
#[test]
fn after_a_correction_by_the_arbiter_the_memory_is_not_requested() {
    use touchmove::game::{Command, Order};
    let after = |moves: &[&str]| {
        let start = Position::start();
        let position = moves.iter().fold(start, |position, uci| position.play(position.parse_uci(uci).unwrap()));
        Reading::Placement(Box::new(shown(&position)))
    };
    let played =
        ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7", "f1e1", "b7b5", "a4b3", "d7d6"];
    for corrects in [false, true] {
        let mut table = Table::new(Settings::default());
        table.handle(0, Input::Link(LinkState::Up));
        table.handle(0, Input::Reading(after(&[])));
        table.handle(5_000, Input::Link(LinkState::Down));
        table.handle(60_000, Input::Link(LinkState::Up));
        assert_eq!(table.handle(60_100, Input::Reading(after(&played))).commands, [BoardCommand::Memory]);
        table.handle(61_000, Input::Reading(Reading::Memory(Vec::new())));
        if corrects {
            let command = Command::Insert { ply: 1, uci: "d2d4".to_owned() };
            let output = table.handle(62_000, Input::Order(Order { command, by: "the arbiter".to_owned() }));
            assert_eq!(output.refusal(), None);
        }
        let mut commands = Vec::new();
        while let Some(at) = table.next_deadline().filter(|at| *at <= 80_000) {
            commands.extend(table.advance(at).commands);
        }
        assert_eq!(commands.contains(&BoardCommand::Memory), !corrects);
    }
}
