//! Moves that are played while the link is down: they are reconstructed, read from the memory, or reported as missing.

use super::{GAME, Play, restored};
use crate::boards::memory::shown;
use shakmaty::Square;
use touchmove::boards::{BoardCommand, LinkState, MemoryEntry, Reading, SensorKind, SquareState};
use touchmove::game::{AlertKind, Event, StampedEvent};
use touchmove::laws::{Changes, Position};
use touchmove::table::{Input, Settings, Table};

/// Three plies are seen, then `plies` are played while the link is down, on a board without a memory.
fn after_missed(plies: usize) -> Play {
    let mut play = Play::new();
    GAME[..3].iter().for_each(|uci| play.play(uci, true, 300));
    play.wait(5_000);
    play.take(Input::Link(LinkState::Down));
    GAME[3..3 + plies].iter().for_each(|uci| play.play(uci, false, 300));
    play.take(Input::Link(LinkState::Up));
    assert_eq!(play.show(), [BoardCommand::Memory]);
    play.take(Input::Reading(Reading::Memory(Vec::new())));
    play
}

#[test]
fn up_to_six_missed_plies_are_reconstructed() {
    for plies in 2..=6 {
        let mut play = after_missed(plies);
        let began = play.now;
        play.wait(15_000);
        // Perhaps in another order, but to the same position.
        let record = play.table.record().expect("a game");
        let pieces = |fen: &str| fen.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!((record.plies.len(), pieces(record.fen())), (3 + plies, pieces(&play.position.fen())), "{plies} plies");
        let uncertain = play.events.iter().any(|stamped| match &stamped.event {
            Event::AlertRaised(alert) => alert.kind == AlertKind::MovesUncertain && alert.text.key == "uncertain_order",
            _ => false,
        });
        assert!(uncertain, "other moves may have been played");
        let last = play.events.iter().rfind(|stamped| matches!(stamped.event, Event::MoveMade { .. })).expect("a move");
        assert!(last.at - began < 10_000, "{plies} plies took {} ms", last.at - began);
        // The game goes on.
        play.play(GAME[3 + plies], true, 300);
        play.wait(2_000);
        assert_eq!(play.moves().last(), GAME.get(3 + plies));
    }
}

#[test]
fn more_missed_plies_raise_an_alert() {
    let mut play = after_missed(8);
    let began = play.now;
    play.wait(20_000);
    let (at, kind) = play.first_alert().expect("an alert");
    assert!(kind == AlertKind::PositionUnexplained && at - began <= 10_000, "{kind:?} after {} ms", at - began);
    assert_eq!(play.moves(), GAME[..3]);
}

/// After eight missing plies the game continues from the position on the board once two more plies were played, by whichever
/// side was to move, and an alert is raised; this state survives a restart, and the PGN is two games.
#[test]
fn recording_resumes_after_missing_moves() {
    for plies in [8, 7] {
        let mut play = after_missed(plies);
        play.wait(20_000);
        let later_moves = [&GAME[3 + plies..], &["h2h3", "h7h6"]].concat();
        for uci in &later_moves[..2] {
            play.play(uci, true, 300);
            play.wait(4_000);
        }
        // White's moves stay White's.
        let nulls = 2 - plies % 2;
        let expected: Vec<&str> = [&GAME[..3], &vec!["0000"; nulls], &later_moves[..2]].concat();
        assert_eq!(play.moves(), expected, "{plies} plies");
        let alert = play.table.record().expect("a game").alerts.iter().find(|alert| alert.text.key == "moves_missing");
        let alert = alert.expect("an alert");
        assert_eq!((alert.kind, alert.ply), (AlertKind::MovesUncertain, 4), "the first of them");
        let illegal = |stamped: &StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::IllegalMove);
        assert!(!play.events.iter().any(illegal));
        let mut restarted =
            Play { table: restored(&play), position: play.position.clone(), now: play.now, events: play.events.clone() };
        restarted.take(Input::Link(LinkState::Up));
        restarted.show();
        for mut play in [play, restarted] {
            play.play(later_moves[2], true, 300);
            play.wait(4_000);
            assert_eq!(play.moves(), [expected.clone(), vec![later_moves[2]]].concat(), "{plies} plies");
            let record = play.table.record().expect("a game");
            let pieces = |fen: &str| fen.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(pieces(record.fen()), pieces(&play.position.fen()));
        }
    }
}

/// A board whose pieces were only knocked over or moved for demonstration plays no moves.
#[test]
fn recording_does_not_resume_without_play() {
    let mut play = after_missed(8);
    play.wait(20_000);
    let change = |play: &mut Play, square: Square, sensed: SquareState| {
        play.take(Input::Reading(Reading::Square(square, sensed)));
        play.wait(4_000);
    };
    let board = play.position.board().clone();
    for (from, to) in [(Square::A1, Square::E5), (Square::H8, Square::E4), (Square::D4, Square::A8)] {
        let piece = board.piece_at(from).expect("a piece");
        change(&mut play, from, SquareState::Empty);
        change(&mut play, to, SquareState::Piece(piece));
    }
    assert_eq!(play.moves(), GAME[..3]);
}

/// The memory is read only after recording resumed without it: the record is then the whole game.
#[test]
fn a_memory_that_is_read_late_fills_in_the_missing_moves() {
    let mut play = after_missed(8);
    play.wait(20_000);
    play.play(GAME[11], true, 300);
    play.wait(4_000);
    play.play("h2h3", true, 300);
    play.wait(4_000);
    assert_eq!(play.moves().len(), 3 + 2 + 2);
    let mut log = vec![MemoryEntry::StartPosition];
    let mut position = Position::start();
    for uci in GAME.iter().chain(&["h2h3"]) {
        let mv = position.parse_uci(uci).expect("a move");
        let mut changes: Vec<_> = Changes::of(position.turn(), mv).iter().collect();
        changes.sort_by_key(|(_, piece)| piece.is_some());
        let entry = |(square, piece): &(Square, Option<_>)| MemoryEntry::Square {
            square: *square,
            sensed: piece.map_or(SquareState::Empty, SquareState::Piece),
            follows_at_once: false,
        };
        log.extend(changes.iter().map(entry));
        position = position.play(mv);
    }
    for _ in 0..600 {
        play.now += 1_000;
        let output = play.table.advance(play.now);
        play.events.extend(output.events);
        if output.commands.contains(&BoardCommand::Memory) {
            play.take(Input::Reading(Reading::Memory(log.clone())));
            break;
        }
    }
    play.wait(5_000);
    assert_eq!(play.moves(), [&GAME[..], &["h2h3"]].concat());
}

/// An occupancy board is disconnected for a while: nothing happens meanwhile, or one move, or the service is restarted while a
/// piece is lifted. None of that makes the record uncertain.
#[test]
fn a_gap_in_which_little_happened_raises_no_alert() {
    for (missed, is_restarted) in [(0, false), (1, false), (0, true), (1, true)] {
        let mut play = Play::on(SensorKind::Occupancy);
        play.wait(1_000);
        let mut moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "e1g1", "f7f6", "d2d4"].into_iter();
        for uci in moves.by_ref().take(3) {
            play.play(uci, true, 300);
            play.wait(1_800);
        }
        play.take(Input::Link(LinkState::Down));
        moves.by_ref().take(missed).for_each(|uci| play.play(uci, false, 300));
        play.wait(4_000);
        let mut squares = shown(&play.position);
        if is_restarted {
            let sensing = SensorKind::Occupancy;
            let durable: Vec<StampedEvent> = play.events.iter().filter(|stamped| stamped.number.is_some()).cloned().collect();
            play.table = Table::restore(Settings { sensing, ..Settings::default() }, &durable);
            // The player to move has lifted a knight.
            let knight = if missed == 0 { Square::B8 } else { Square::F1 };
            squares[knight as usize] = SquareState::Empty;
        }
        play.take(Input::Link(LinkState::Up));
        play.take(Input::Reading(Reading::Placement(Box::new(squares))));
        play.take(Input::Reading(Reading::Memory(Vec::new())));
        play.wait(1_000);
        for uci in moves {
            play.play(uci, true, 300);
            play.wait(1_800);
        }
        play.wait(5_000);
        assert_eq!(play.moves().len(), 11, "{missed} missed, restarted: {is_restarted}");
        assert!(!play.raised_uncertain(), "{missed} missed, restarted: {is_restarted}");
    }
}

/// Six pieces have disappeared since the last reading, and nothing moves: the pieces are not being put away.
#[test]
fn pieces_missing_on_an_idle_board_raise_an_alert_soon() {
    let mut play = Play::on(SensorKind::Occupancy);
    play.wait(1_000);
    for uci in ["a2a3", "d7d5", "d2d4", "c8h3", "e2e4"] {
        play.play(uci, true, 300);
        play.wait(700);
    }
    play.take(Input::Link(LinkState::Down));
    for uci in ["h3g2", "f1g2", "d5e4", "g2e4", "g7g6", "c1d2"] {
        play.play(uci, false, 300);
    }
    play.take(Input::Link(LinkState::Up));
    play.show();
    play.take(Input::Reading(Reading::Memory(Vec::new())));
    let idle_since = play.now;
    play.wait(20_000);
    let (at, _) = play.first_alert().expect("an alert");
    assert!(at <= idle_since + 20_000);
}

/// On an occupancy board the moves played in a gap may be reconstructed as other moves. They are recorded together, or the idle
/// board matches no position of the record. This board sends all squares ten times per second.
#[test]
fn ambiguous_moves_on_an_occupancy_board_raise_an_alert() {
    let played = ["d2d3", "c7c6", "d3d4", "f7f6", "d1d2", "c6c5", "b2b4", "a7a5", "c2c3"];
    let mut is_wrong = false;
    for extra_pause in [700, 1_700] {
        for pace in [200, 500, 900] {
            let mut play = Play::on(SensorKind::Occupancy);
            play.wait_polled(600, &shown(&Position::start()));
            play.take(Input::Link(LinkState::Down));
            play.play(played[0], false, 300);
            play.play(played[1], false, 300);
            play.take(Input::Link(LinkState::Up));
            play.show();
            play.take(Input::Reading(Reading::Memory(Vec::new())));
            let mut squares = shown(&play.position);
            play.wait_polled(500, &squares);
            for (index, uci) in played.iter().enumerate().skip(2) {
                let mv = play.position.parse_uci(uci).unwrap();
                let mut changes: Vec<_> = Changes::of(play.position.turn(), mv).iter().collect();
                changes.sort_by_key(|(_, piece)| piece.is_some());
                for (square, piece) in changes {
                    play.wait_polled(300, &squares);
                    squares[square as usize] = piece.map_or(SquareState::Empty, SquareState::Piece);
                }
                play.position = play.position.play(mv);
                play.wait_polled(if index == 4 { pace + extra_pause } else { pace }, &squares);
            }
            play.wait_polled(5_000, &squares);
            is_wrong |= play.moves() != played;
            assert!(play.moves() == played || play.raised_uncertain(), "{extra_pause} ms, {pace} ms: {:?}", play.moves());
        }
    }
    assert!(is_wrong, "no record is wrong here any more: the test needs other moves");
}
