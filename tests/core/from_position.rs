//! Table sessions that follow a game from a position set by a client of the LiveChess server: any position that a FEN can
//! express.

use shakmaty::{Board, Color, Piece, Role, Square};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Placement, Reading, SensorKind, SquareState};
use touchmove::game::event::Rotation;
use touchmove::game::{AlertKind, Event};
use touchmove::laws::Position;
use touchmove::simulate::rng::Rng;
use touchmove::table::{Input, Settings, Table};

fn squares(board: &Board, sensing: SensorKind) -> Placement {
    let shown = |index| board.piece_at(Square::new(index)).map_or(SquareState::Empty, SquareState::Piece).reduce_to(sensing);
    std::array::from_fn(|index| shown(index as u32))
}

fn settings(fen: &str, sensing: SensorKind) -> Settings {
    Settings { start_fen: Some(fen.to_owned()), rotation: Some(Rotation::Upright), sensing, ..Settings::default() }
}

/// The alerts of a table session that sees a dead position, a king on two squares and a press without a move.
fn alerts(mut table: Table, fen: &str) -> Vec<AlertKind> {
    let position = Position::from_fen(fen, false).unwrap();
    let mut squares = squares(position.board(), SensorKind::Identity);
    let mut events = Vec::new();
    let mut read = |now, reading| events.extend(table.handle(now, Input::Reading(reading)).events);
    read(0, Reading::Placement(Box::new(squares)));
    squares.swap(Square::A1 as usize, Square::B1 as usize);
    read(5_000, Reading::Square(Square::A1, SquareState::Empty));
    read(5_200, Reading::Square(Square::B1, squares[Square::B1 as usize]));
    read(10_000, Reading::Square(Square::H8, SquareState::Empty));
    read(10_200, Reading::Square(Square::H1, SquareState::Piece(Piece { color: Color::Black, role: Role::King })));
    events.extend(table.advance(200_000).events);
    let raised = |event: &Event| if let Event::AlertRaised(alert) = event { Some(alert.kind) } else { None };
    events.iter().filter_map(|stamped| raised(&stamped.event)).collect()
}

#[test]
fn a_session_of_a_client_raises_no_alerts() {
    let fen = "7k/8/8/8/8/8/8/K7 w - - 0 1";
    let settings = || settings(fen, SensorKind::Identity);
    assert!(alerts(Table::new(settings()), fen).contains(&AlertKind::DeadPosition));
    assert_eq!(alerts(Table::without_judging(settings()), fen), []);
}

/// A random position: no pieces, one king, no king, 64 queens, pawns on the last rank.
fn any_fen(rng: &mut Rng) -> String {
    let roles = match rng.below(4) {
        0 => vec![Role::Queen],
        1 => vec![Role::Queen, Role::King],
        2 => vec![Role::Pawn, Role::Rook, Role::King],
        _ => Role::ALL.to_vec(),
    };
    let (mut board, density) = (Board::empty(), 50 + rng.below(950) as u32);
    for square in Square::ALL {
        if rng.chance(density)
            && let Some(role) = rng.pick(&roles)
        {
            board.set_piece_at(square, role.of(Color::from_white(rng.chance(500))));
        }
    }
    format!("{board} {} {} - 0 1", if rng.chance(500) { 'w' } else { 'b' }, if rng.chance(500) { "KQkq" } else { "-" })
}

#[test]
fn random_positions_and_readings_cause_no_panic() {
    let mut games_started = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed, 1);
        let fen = any_fen(&mut rng);
        let Ok(mut position) = Position::from_fen(&fen, false) else { continue };
        let sensing = [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy][seed as usize % 3];
        let mut table = Table::without_judging(settings(&fen, sensing));
        let mut now = 0;
        let mut handle = |now: &mut u64, wait: u64, input: Input| {
            *now += wait;
            let started = |event: &Event| matches!(event, Event::GameStarted { .. });
            games_started += table.handle(*now, input).events.iter().filter(|stamped| started(&stamped.event)).count();
        };
        handle(&mut now, 0, Input::Reading(Reading::Placement(Box::new(squares(position.board(), sensing)))));
        for _ in 0..12 {
            let wait = [30, 300, 1_200, 6_000][rng.below(4) as usize];
            match rng.below(8) {
                0 => {
                    let square = Square::new(rng.below(64) as u32);
                    let piece = Piece { color: Color::from_white(rng.chance(500)), role: Role::ALL[rng.below(6) as usize] };
                    let sensed =
                        if rng.chance(500) { SquareState::Empty } else { SquareState::Piece(piece).reduce_to(sensing) };
                    handle(&mut now, wait, Input::Reading(Reading::Square(square, sensed)));
                }
                1 => {
                    let half = HalfTime { ms: 60_000, flag: false };
                    let turn = if rng.chance(500) { ClockHalf::Left } else { ClockHalf::Right };
                    let (running, battery_low) = (rng.chance(800), false);
                    let clock =
                        ClockReading { left: half, right: half, turn, running, battery_low, resolution_ms: 1000, age_ms: 1000 };
                    handle(&mut now, wait, Input::Reading(Reading::Clock(Some(clock))));
                }
                2 => {
                    handle(&mut now, wait, Input::Link(LinkState::Down));
                    handle(&mut now, 100, Input::Link(LinkState::Up));
                    handle(&mut now, 100, Input::Reading(Reading::Placement(Box::new(squares(position.board(), sensing)))));
                }
                _ => {
                    let Some(mv) = rng.pick(&position.legal_moves()) else { continue };
                    position = position.play(mv);
                    handle(&mut now, wait, Input::Reading(Reading::Placement(Box::new(squares(position.board(), sensing)))));
                }
            }
        }
        table.advance(now + 100_000);
    }
    assert!(games_started > 20, "{games_started} games started");
}
