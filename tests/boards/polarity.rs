//! Boards whose sensors report the opposite of their squares.

use shakmaty::{Color, Square};
use touchmove::boards::{LinkState, Millis, Placement, Reading, SensorKind, SquareState};
use touchmove::game::Event;
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::sense::Polarity;
use touchmove::table::{Input, Settings, Table};

/// The placement that a board of this kind reports of a position, with this polarity and rotation.
fn reported_placement(position: &Position, sensing: SensorKind, polarity: Polarity, rotation: Rotation) -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for square in Square::ALL {
        let sensed = position.piece_at(square).map_or(SquareState::Empty, SquareState::Piece);
        // Inverting twice gives the original value.
        placement[rotation.apply(square) as usize] = polarity.normalise(sensing, sensed.reduce_to(sensing));
    }
    placement
}

/// A table at whose board these moves are played from the start position.
fn play(settings: Settings, polarity: Polarity, rotation: Rotation, moves: &[&str]) -> Table {
    let sensing = settings.sensing;
    let mut table = Table::new(settings);
    let mut now: Millis = 0;
    let mut position = Position::start();
    let handle = |table: &mut Table, now: Millis, input| drop(table.handle(now, input));
    handle(&mut table, now, Input::Link(LinkState::Up));
    let mut shown = reported_placement(&position, sensing, polarity, rotation);
    handle(&mut table, now, Input::Reading(Reading::Placement(Box::new(shown))));
    now += 5_000;
    for uci in moves {
        let mv = position.parse_uci(uci).unwrap_or_else(|| panic!("{uci} is not legal"));
        position = position.play(mv);
        let shown_after = reported_placement(&position, sensing, polarity, rotation);
        // The lifted pieces change first.
        let empty = polarity.normalise(sensing, SquareState::Empty);
        let changed: Vec<Square> =
            Square::ALL.into_iter().filter(|&square| shown[square as usize] != shown_after[square as usize]).collect();
        for lifted in [true, false] {
            for &square in changed.iter().filter(|&&square| (shown_after[square as usize] == empty) == lifted) {
                now += 400;
                handle(&mut table, now, Input::Reading(Reading::Square(square, shown_after[square as usize])));
            }
        }
        shown = shown_after;
        now += 5_000;
        handle(&mut table, now, Input::Reading(Reading::Clock(None)));
    }
    table
}

fn record(table: &Table) -> (Option<Rotation>, String) {
    let line =
        table.record().map(|record| record.plies.iter().map(|ply| ply.played.uci.as_str()).collect::<Vec<_>>().join(" "));
    (table.record().map(|record| record.rotation), line.unwrap_or_default())
}

const MOVES: [&str; 4] = ["e2e4", "e7e5", "g1f3", "b8c6"];

#[test]
fn contacts_that_open_under_a_piece_are_found_at_the_start() {
    for rotation in [Rotation::Upright, Rotation::Turned] {
        let settings = Settings { sensing: SensorKind::Occupancy, ..Settings::default() };
        let table = play(settings, Polarity::Inverted, rotation, &MOVES);
        assert_eq!(record(&table), (Some(rotation), MOVES.join(" ")));
        assert_eq!(table.placement().map(|placement| placement[Square::E4 as usize]), Some(SquareState::Occupied));
    }
}

#[test]
fn reversed_magnets_look_like_a_turned_board_until_the_first_move() {
    for polarity in [Polarity::Straight, Polarity::Inverted] {
        for rotation in [Rotation::Upright, Rotation::Turned] {
            let settings = Settings { sensing: SensorKind::Colour, ..Settings::default() };
            let table = play(settings.clone(), polarity, rotation, &[]);
            let apparent_rotation = if polarity == Polarity::Straight { rotation } else { opposite(rotation) };
            assert_eq!(record(&table), (Some(apparent_rotation), String::new()));
            let table = play(settings, polarity, rotation, &MOVES);
            assert_eq!(record(&table), (Some(rotation), MOVES.join(" ")), "{polarity:?}, {rotation:?}");
            assert_eq!(table.record().map(|record| record.alerts_raised), Some(0), "{polarity:?}, {rotation:?}");
        }
    }
}

#[test]
fn reversed_magnets_are_found_at_once_where_the_rotation_is_set() {
    let settings = Settings { sensing: SensorKind::Colour, rotation: Some(Rotation::Upright), ..Settings::default() };
    let table = play(settings, Polarity::Inverted, Rotation::Upright, &MOVES[..1]);
    assert_eq!(record(&table), (Some(Rotation::Upright), "e2e4".to_owned()));
    assert_eq!(table.placement().map(|placement| placement[Square::E4 as usize]), Some(SquareState::Side(Color::White)));
}

#[test]
fn a_restart_reads_the_board_the_same_way() {
    for sensing in [SensorKind::Colour, SensorKind::Occupancy] {
        let settings = Settings { sensing, rotation: Some(Rotation::Upright), ..Settings::default() };
        let mut table = Table::new(settings.clone());
        let mut stored = Vec::new();
        let start = reported_placement(&Position::start(), sensing, Polarity::Inverted, Rotation::Upright);
        table.handle(0, Input::Link(LinkState::Up));
        stored.extend(table.handle(0, Input::Reading(Reading::Placement(Box::new(start)))).events);
        stored.retain(|stamped| stamped.event.is_durable());
        assert!(matches!(stored.first().map(|one| &one.event), Some(Event::GameStarted { .. })), "{sensing:?}");
        let mut table = Table::restore(settings, &stored);
        table.handle(1_000, Input::Link(LinkState::Up));
        let mut moved = start;
        moved[Square::E2 as usize] = Polarity::Inverted.normalise(sensing, SquareState::Empty);
        moved[Square::E4 as usize] = start[Square::E2 as usize];
        table.handle(1_000, Input::Reading(Reading::Placement(Box::new(moved))));
        table.advance(10_000);
        assert_eq!(record(&table).1, "e2e4", "{sensing:?}");
    }
}

fn opposite(rotation: Rotation) -> Rotation {
    if rotation == Rotation::Upright { Rotation::Turned } else { Rotation::Upright }
}
