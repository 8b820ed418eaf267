//! Games whose start was not seen, and start positions that do not begin a game.

use super::{GAME, Play, restored};
use crate::boards::memory::shown;
use crate::core::simulate::random_games;
use shakmaty::{Board, Color, Role, Square};
use touchmove::boards::{BoardCommand, ClockHalf, LinkState, MemoryEntry, Millis, Reading, SensorKind, SquareState};
use touchmove::game::{AlertKind, Command, Event, GameResult, Order};
use touchmove::laws::{Changes, Position};
use touchmove::table::{Input, Settings, Table};

/// In the middle of a game stale readings show the start position, though no piece was seen to be set up: no game begins, and
/// an alert is raised. Where the pieces were seen to be set up, a game begins.
#[test]
fn a_start_position_that_was_not_seen_set_up_begins_no_game() {
    let games_started =
        |play: &Play| play.events.iter().filter(|stamped| matches!(stamped.event, Event::GameStarted { .. })).count();
    let mut play = Play::new();
    play.wait(2_000);
    GAME[..10].iter().for_each(|uci| play.play(uci, true, 600));
    let position = std::mem::replace(&mut play.position, Position::start());
    let shown_at = play.now;
    for _ in 0..13 {
        play.show_late();
        play.wait(1_000);
    }
    let (at, _) = play.first_alert().expect("an alert");
    assert!(at - shown_at <= 5_000, "after {} ms", at - shown_at);
    play.position = position;
    play.show_late();
    GAME[10..].iter().for_each(|uci| play.play(uci, true, 600));
    play.wait(5_000);
    assert_eq!((games_started(&play), play.moves()), (1, GAME.to_vec()));

    let played = play.position.board().clone();
    for square in Square::ALL {
        let (was, is) = (played.piece_at(square), Position::start().board().piece_at(square));
        if was != is {
            play.change(&[(200, square, is)]);
        }
    }
    play.wait(5_000);
    assert_eq!((games_started(&play), play.moves()), (2, Vec::new()));
}

/// Play without a game is followed all the time: an arbiter who starts a game from the position on the board gets the moves
/// that led to it.
#[test]
fn a_game_started_late_has_the_moves_that_were_seen() {
    let game = random_games(1, 40).remove(0);
    let mut play = Play { table: Table::new(Settings::default()), position: Position::start(), now: 0, events: Vec::new() };
    game.plies[..21].iter().for_each(|mv| play.position = play.position.play(mv.mv));
    let from = play.position.clone();
    play.take(Input::Link(LinkState::Up));
    play.show();
    play.wait(3_000);
    let mut uci = Vec::new();
    for mv in &game.plies[21..27] {
        uci.push(play.position.uci(mv.mv));
        play.play(&uci[uci.len() - 1], true, 300);
        play.wait(1_200);
    }
    // As in `position shown`: castling rights wherever king and rook are on their start squares.
    let fen = Position::from_board(play.position.board().clone(), play.position.turn()).fen();
    play.take(Input::Order(Order { command: Command::Position { fen }, by: "arbiter".to_owned() }));
    assert_eq!(play.moves(), uci);
    let start_fen = play.table.record().expect("a game").start_fen.clone();
    assert_eq!(start_fen.split(' ').take(2).collect::<Vec<_>>(), from.fen().split(' ').take(2).collect::<Vec<_>>());
    let next = play.position.uci(game.plies[27].mv);
    play.play(&next, true, 300);
    play.wait(4_000);
    assert_eq!(play.moves().last(), Some(&next.as_str()));
    // A position other than the one on the board is taken as given.
    play.take(Input::Order(Order { command: Command::Position { fen: from.fen() }, by: "arbiter".to_owned() }));
    assert!(play.moves().is_empty());
}

/// Play without a game is noticed when a board is first read in the middle of a game or after it, even if nothing is moved any
/// more; not in the start position, half of it, or with kings that show a result.
#[test]
fn a_position_without_a_game_is_noticed() {
    let game = random_games(1, 40).remove(0);
    let midgame = game.plies[..20].iter().fold(Position::start(), |position, mv| position.play(mv.mv));
    let is_noticed = |sensing, fen: &str, wait| {
        let mut table = Table::new(Settings { sensing, ..Settings::default() });
        let board: Board = fen.parse().expect("a placement");
        table.handle(0, Input::Link(LinkState::Up));
        let shown =
            Square::ALL.map(|square| board.piece_at(square).map_or(SquareState::Empty, SquareState::Piece).reduce_to(sensing));
        table.handle(0, Input::Reading(Reading::Placement(Box::new(shown))));
        table.advance(wait);
        table.plays_unrecorded()
    };
    let fen = midgame.board().to_string();
    for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
        assert_eq!([6_000, 9_000].map(|wait| is_noticed(sensing, &fen, wait)), [false, true], "{sensing:?}");
        for placement in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "8/8/8/8/8/8/PPPP4/R7", "8/8/8/8/8/8/8/8"] {
            assert!(!is_noticed(sensing, placement, 60_000), "{sensing:?} {placement}");
        }
    }
    assert!(!is_noticed(SensorKind::Identity, "5r2/5ppp/8/3K4/4k3/8/5PPP/5R2", 60_000), "kings in the centre");
    assert!(!is_noticed(SensorKind::Identity, "8/8/pP1k4/8/8/3K1p2/8/4P3", 60_000), "a heap");
}

/// After the end of a game moves may be demonstrated; the clock is pressed only in another game.
#[test]
fn a_next_game_without_a_start_position_is_noticed() {
    let game = random_games(1, 40).remove(0);
    let mut play = Play { table: Table::new(Settings::default()), position: Position::start(), now: 0, events: Vec::new() };
    play.take(Input::Link(LinkState::Up));
    play.show();
    play.take(Input::Order(Order { command: Command::Result { result: Some(GameResult::Draw) }, by: "arbiter".to_owned() }));
    play.take(Input::Link(LinkState::Down));
    game.plies[..20].iter().for_each(|mv| play.position = play.position.play(mv.mv));
    play.take(Input::Link(LinkState::Up));
    play.show();
    play.wait(30_000);
    for (count, mv) in game.plies[20..28].iter().enumerate() {
        assert_eq!(play.table.plays_unrecorded(), count >= 4, "after {count} plies");
        let uci = play.position.uci(mv.mv);
        play.play(&uci, true, 300);
        let turn = if count % 2 == 0 { ClockHalf::Left } else { ClockHalf::Right };
        play.take(Input::Reading(Reading::Clock(Some(crate::core::clocks::reading(300, 300, turn, true)))));
        play.wait(600);
    }
}

/// Without a game nothing can be recorded; play is distinguished from setting up.
#[test]
fn play_without_a_game_is_noticed() {
    let game = random_games(1, 40).remove(0);
    let mut play = Play { table: Table::new(Settings::default()), position: Position::start(), now: 0, events: Vec::new() };
    game.plies[..20].iter().for_each(|mv| play.position = play.position.play(mv.mv));
    play.take(Input::Link(LinkState::Up));
    play.show();
    play.wait(3_000);
    for (count, mv) in game.plies[20..28].iter().enumerate() {
        assert_eq!(play.table.plays_unrecorded(), count >= 4, "after {count} plies");
        let uci = play.position.uci(mv.mv);
        play.play(&uci, true, 300);
        play.wait(600);
    }
    // Pieces are set up one after the other.
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    let empty = Box::new([SquareState::Empty; 64]);
    table.handle(0, Input::Reading(Reading::Placement(empty)));
    for (at, (square, piece)) in (1_000..).step_by(700).zip(Position::start().board().iter().skip(2)) {
        table.handle(at, Input::Reading(Reading::Square(square, SquareState::Piece(piece))));
        table.advance(at + 600);
        assert!(!table.plays_unrecorded());
    }
}

/// Twenty plies without a reading, ten of them captures: that looks like a board that is being cleared, except for the pieces
/// that have moved to other squares.
#[test]
fn a_game_that_begins_unseen_raises_an_alert() {
    let mut play = Play::new();
    play.wait(2_000);
    let moves = "b2b4 b7b5 g1h3 h7h6 b1c3 e7e5 c3b5 f8c5 b5d6 c7d6 b4c5 b8c6 e2e4 c6d4 c5d6 h8h7 d1e2 d4e2 e1e2 d8f6";
    moves.split(' ').for_each(|uci| play.play(uci, false, 0));
    let began = play.now;
    play.show();
    play.wait(20_000);
    let (at, kind) = play.first_alert().expect("an alert");
    assert!(kind == AlertKind::PositionUnexplained && at - began <= 15_000, "{kind:?} after {} ms", at - began);
}

/// A board with a game of twelve plies after a restart; the first reading shows the start position, and the board has no
/// memory.
fn shows_start_after_restart() -> (Play, Position) {
    let mut play = Play::new();
    GAME.iter().for_each(|uci| play.play(uci, true, 300));
    play.wait(5_000);
    let position = std::mem::replace(&mut play.position, Position::start());
    play.table = restored(&play);
    play.take(Input::Link(LinkState::Up));
    play.show();
    play.take(Input::Reading(Reading::Memory(Vec::new())));
    play.events.clear();
    (play, position)
}

/// The first reading after a restart shows the start position and may be stale, as may those that follow: it does not begin a
/// game silently. If the pieces are in the start position, a game begins after an alert.
#[test]
fn a_stale_reading_after_a_restart_begins_no_game() {
    for old_ms in [1_000, 9_000, 18_000, Millis::MAX] {
        let (mut play, position) = shows_start_after_restart();
        let restarted = play.now;
        let until = restarted.saturating_add(old_ms);
        let mut game_began = None;
        while play.now < restarted + 40_000 {
            play.now += 50;
            let output = play.table.advance(play.now);
            play.events.extend(output.events);
            if play.now >= until && play.position.fen() == Position::start().fen() {
                play.position = position.clone();
            }
            if output.commands.contains(&BoardCommand::Placement) {
                play.now += 100;
                play.show();
            }
            game_began = game_began.or(play.moves().is_empty().then_some(play.now - restarted));
        }
        let first_alert = play.first_alert().map(|(at, _)| at - restarted);
        if old_ms < 10_000 {
            assert_eq!((game_began, play.moves().len()), (None, GAME.len()), "old for {old_ms} ms");
        } else {
            assert!(
                game_began.is_some_and(|game_began| game_began < 16_000 && first_alert.is_some_and(|at| at < game_began)),
                "{game_began:?} {first_alert:?}"
            );
        }
    }
}

/// The start position in the first reading after a restart is on the board: the next game begins with the first move that the
/// old game does not explain, or where the board remembers it.
#[test]
fn a_game_that_began_in_a_gap_is_followed() {
    let (mut play, _) = shows_start_after_restart();
    play.wait(2_000);
    for uci in GAME {
        play.play(uci, true, 300);
    }
    play.wait(2_000);
    assert_eq!(play.moves(), GAME);

    // The first piece is lifted when the squares are read again.
    let (mut lifted_play, _) = shows_start_after_restart();
    lifted_play.wait(4_900);
    lifted_play.take(Input::Reading(Reading::Square(Square::E2, SquareState::Empty)));
    lifted_play.wait(200);
    let mut lifted_squares = shown(&Position::start());
    lifted_squares[Square::E2 as usize] = SquareState::Empty;
    lifted_play.take(Input::Reading(Reading::Placement(Box::new(lifted_squares))));
    lifted_play.wait(300);
    lifted_play.take(Input::Reading(Reading::Square(Square::E4, SquareState::Piece(Role::Pawn.of(Color::White)))));
    lifted_play.wait(2_000);
    assert_eq!(lifted_play.moves(), ["e2e4"]);

    let games_started =
        |play: &Play| play.events.iter().filter(|stamped| matches!(stamped.event, Event::GameStarted { .. })).count();
    assert_eq!(games_started(&play), 1);

    let mut play = Play::new();
    GAME.iter().for_each(|uci| play.play(uci, true, 300));
    play.wait(3_000);
    play.take(Input::Link(LinkState::Down));
    play.wait(20_000);
    let next = ["d2d4", "d7d5", "c2c4"];
    play.position = next.iter().fold(Position::start(), |position, uci| position.play(position.parse_uci(uci).unwrap()));
    play.take(Input::Link(LinkState::Up));
    assert_eq!(play.show(), [BoardCommand::Memory]);
    let change = |square: &str, sensed| MemoryEntry::Square { square: square.parse().unwrap(), sensed, follows_at_once: false };
    let pawn = |color: Color| SquareState::Piece(Role::Pawn.of(color));
    let mut log = vec![MemoryEntry::StartPosition];
    let mut position = Position::start();
    for uci in GAME {
        let mv = position.parse_uci(uci).unwrap();
        let mut changes: Vec<_> = Changes::of(position.turn(), mv).iter().collect();
        changes.sort_by_key(|(_, piece)| piece.is_some());
        let changes = changes.into_iter().map(|(square, piece)| (square, piece.map_or(SquareState::Empty, SquareState::Piece)));
        log.extend(changes.map(|(square, sensed)| MemoryEntry::Square { square, sensed, follows_at_once: false }));
        position = position.play(mv);
    }
    let (end, start) = (shown(&position), shown(&Position::start()));
    let set_up: Vec<Square> = Square::ALL.into_iter().filter(|&at| end[at as usize] != start[at as usize]).collect();
    let entry = |square, sensed| MemoryEntry::Square { square, sensed, follows_at_once: false };
    log.extend(set_up.iter().map(|&at| entry(at, SquareState::Empty)));
    log.extend(
        set_up
            .iter()
            .map(|&at| entry(at, start[at as usize]))
            .filter(|entry| !matches!(entry, MemoryEntry::Square { sensed: SquareState::Empty, .. })),
    );
    log.push(MemoryEntry::StartPosition);
    for (uci, color) in next.iter().zip([Color::White, Color::Black, Color::White]) {
        log.extend([change(&uci[..2], SquareState::Empty), change(&uci[2..], pawn(color))]);
    }
    play.events.clear();
    play.wait(1_000);
    play.take(Input::Reading(Reading::Memory(log)));
    play.wait(2_000);
    assert_eq!((play.moves(), games_started(&play)), (next.to_vec(), 1));
}
