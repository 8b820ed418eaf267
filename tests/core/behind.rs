//! The record falls behind the board: this is detected at any pace of play, and moves that were not seen are reconstructed
//! where that is possible.

mod gap;
mod order;
mod start;

use crate::boards::memory::shown;
use crate::core::simulate::random_games;
use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{
    BoardCommand, ClockHalf, LinkState, Millis, Placement, ProtocolError, Reading, SensorKind, SquareState,
};
use touchmove::game::event::AlertCategory;
use touchmove::game::{AlertKind, Event, StampedEvent};
use touchmove::laws::{Changes, Position};
use touchmove::table::{Input, Settings, Table};

/// A table session and its board, on which moves are played square by square.
struct Play {
    table: Table,
    position: Position,
    now: Millis,
    events: Vec<StampedEvent>,
}

impl Play {
    fn new() -> Play {
        Play::on(SensorKind::Identity)
    }

    fn on(sensing: SensorKind) -> Play {
        let table = Table::new(Settings { sensing, ..Settings::default() });
        let mut play = Play { table, position: Position::start(), now: 0, events: Vec::new() };
        play.take(Input::Link(LinkState::Up));
        play.show();
        play
    }

    fn take(&mut self, input: Input) -> Vec<BoardCommand> {
        let output = self.table.handle(self.now, input);
        self.events.extend(output.events);
        output.commands
    }

    /// Sends a reading of all squares.
    fn show(&mut self) -> Vec<BoardCommand> {
        let placement = Box::new(shown(&self.position));
        self.take(Input::Reading(Reading::Placement(placement)))
    }

    /// Sends a reading of all squares that contains changes that no update has reported.
    fn show_late(&mut self) {
        self.take(Input::Reading(Reading::ProtocolError(ProtocolError::ChangesDelayed)));
        self.show();
    }

    /// Plays a move with `apart` ms between its squares; `seen`: the board reports them.
    fn play(&mut self, uci: &str, seen: bool, apart: Millis) {
        let mv = self.position.parse_uci(uci).unwrap_or_else(|| panic!("{uci} is no move"));
        let mut changes: Vec<_> = Changes::of(self.position.turn(), mv).iter().collect();
        changes.sort_by_key(|(_, piece)| piece.is_some());
        for (square, piece) in changes {
            self.wait(apart);
            if seen {
                self.take(Input::Reading(Reading::Square(square, piece.map_or(SquareState::Empty, SquareState::Piece))));
            }
        }
        self.position = self.position.play(mv);
    }

    fn wait(&mut self, ms: Millis) {
        let end = self.now + ms;
        while self.now < end {
            self.now = end.min(self.now + 50);
            self.events.extend(self.table.advance(self.now).events);
        }
    }

    /// Like [`Play::wait`], on a board that sends all squares every 100 ms.
    fn wait_polled(&mut self, ms: Millis, squares: &Placement) {
        for _ in 0..ms / 100 {
            self.wait(100);
            self.take(Input::Reading(Reading::Placement(Box::new(*squares))));
        }
    }

    fn moves(&self) -> Vec<&str> {
        self.table.record().into_iter().flat_map(|record| &record.plies).map(|ply| ply.played.uci.as_str()).collect()
    }

    /// Whether a `moves_uncertain` alert was raised.
    fn raised_uncertain(&self) -> bool {
        let is_uncertain = |stamped: &StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::MovesUncertain);
        self.events.iter().any(is_uncertain)
    }

    /// Whether a `moves_uncertain` alert is still in force.
    fn is_uncertain(&self) -> bool {
        let mut open = Vec::new();
        for stamped in &self.events {
            match &stamped.event {
                Event::AlertRaised(alert) if alert.kind == AlertKind::MovesUncertain => open.push(alert.id),
                Event::AlertCleared { id } => open.retain(|other| other != id),
                _ => {}
            }
        }
        !open.is_empty()
    }

    /// The first alert about the board or about play, and its time.
    fn first_alert(&self) -> Option<(Millis, AlertKind)> {
        self.events.iter().find_map(|stamped| match &stamped.event {
            Event::AlertRaised(alert) if matches!(alert.kind.category(), AlertCategory::Board | AlertCategory::Play) => {
                Some((stamped.at, alert.kind))
            }
            _ => None,
        })
    }
}

/// There is no pause of three seconds, and no press of the clock: a lost move is reported nevertheless.
#[test]
fn a_lost_move_raises_an_alert_at_any_pace() {
    for (index, game) in random_games(12, 90).iter().enumerate() {
        for lost in [None, Some(6 + index)] {
            let mut play = Play::new();
            play.wait(1_000);
            let mut lost_at = Millis::MAX;
            for (ply, mv) in game.plies.iter().enumerate() {
                if Some(ply) == lost {
                    lost_at = play.now;
                }
                let uci = play.position.uci(mv.mv);
                play.play(&uci, Some(ply) != lost, 170);
            }
            let length = game.plies.len();
            match (lost, play.first_alert()) {
                (None, first_alert) => assert_eq!(first_alert, None, "game {index}"),
                // The board is never idle.
                (Some(_), Some((at, _))) => assert!(at <= lost_at + 30_000, "game {index}: reported after {} ms", at - lost_at),
                (Some(_), None) => assert!(play.moves().len() == length, "game {index}: {} of {length}", play.moves().len()),
            }
        }
    }
}

impl Play {
    /// Squares change, each after the given milliseconds.
    fn change(&mut self, changes: &[(Millis, Square, Option<Piece>)]) {
        for (delay, square, piece) in changes {
            self.wait(*delay);
            self.take(Input::Reading(Reading::Square(*square, piece.map_or(SquareState::Empty, SquareState::Piece))));
        }
    }
}

/// A pawn is captured before its destination square has shown it: another square of its file that never changed does not prove
/// that the pawn is there, and an alert is raised.
#[test]
fn a_move_that_no_square_showed_raises_an_alert() {
    let mut play = Play::new();
    play.wait(2_000);
    ["c2c3", "g8f6"].iter().for_each(|uci| play.play(uci, true, 600));
    play.wait(1_500);
    let knight = Role::Knight.of(Color::Black);
    play.change(&[(0, Square::G2, None), (700, Square::F6, None), (200, Square::G4, Some(knight))]);
    for uci in ["g2g4", "f6g4"] {
        play.position = play.position.play(play.position.parse_uci(uci).unwrap());
    }
    play.wait(2_000);
    ["d2d4", "b8c6", "c3c4", "c6e5"].iter().for_each(|uci| play.play(uci, true, 600));
    play.wait(20_000);
    assert!(play.moves()[2..4] == ["g2g4", "f6g4"] || play.first_alert().is_some(), "{:?}", play.moves());
}

/// An accepted reading of the whole board was wrong: the next one shows pieces on many squares at once.
#[test]
fn pieces_suddenly_elsewhere_raise_an_alert_soon() {
    let mut play = Play::new();
    play.wait(8_000);
    for uci in ["d2d4", "c7c5", "d1d2", "f7f6", "b2b4", "a7a5"] {
        play.position = play.position.play(play.position.parse_uci(uci).unwrap());
    }
    let shown_at = play.now;
    play.show();
    play.wait(20_000);
    let (at, kind) = play.first_alert().expect("an alert");
    assert_eq!(kind, AlertKind::PositionUnexplained);
    assert!(at - shown_at <= 5_000, "after {} ms", at - shown_at);
    // Six pieces have left their squares and a king has moved, as if the board were being cleared; but other pieces have
    // appeared.
    let moves = "g2g4 f7f5 g4f5 g7g6 f5g6 h7g6 b2b4 a7a5 b4a5 a8a5 c1b2 a5a2 a1a2 e8f7";
    let mut play = Play::new();
    play.wait(2_000);
    play.play("e2e4", true, 600);
    play.play("e7e5", true, 600);
    play.wait(5_000);
    moves.split(' ').for_each(|uci| play.play(uci, false, 0));
    let shown_at = play.now;
    play.show();
    play.wait(20_000);
    let (at, _) = play.first_alert().expect("an alert");
    assert!(at - shown_at <= 5_000, "after {} ms", at - shown_at);
}

/// A pawn is promoted to a piece that the board has not seen before: it may be any piece, and a queen is assumed.
#[test]
fn a_promotion_to_an_unknown_piece_raises_an_alert() {
    for (is_known, expect) in [(false, vec!["uncertain_promotion"]), (true, Vec::new())] {
        let fen = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
        let mut play = Play::new();
        play.table = Table::new(Settings { start_fen: Some(fen.to_owned()), ..Settings::default() });
        play.position = Position::from_fen(fen, false).unwrap();
        play.events.clear();
        play.take(Input::Link(LinkState::Up));
        play.show();
        play.wait(2_000);
        play.change(&[(0, Square::A7, None)]);
        play.wait(400);
        if !is_known {
            play.take(Input::Reading(Reading::ProtocolError(ProtocolError::AssumedQueens(vec![Square::A8]))));
        }
        play.change(&[(100, Square::A8, Some(Role::Queen.of(Color::White)))]);
        play.wait(10_000);
        assert_eq!(play.moves(), ["a7a8q"]);
        let key = |stamped: &StampedEvent| match &stamped.event {
            Event::AlertRaised(alert) if alert.kind == AlertKind::MovesUncertain => Some(alert.text.key.clone()),
            _ => None,
        };
        assert_eq!(play.events.iter().filter_map(key).collect::<Vec<_>>(), expect);
    }
}

/// A stale reading shows a piece on a square that it has left, as if it had gone back. On a connection that loses nothing the
/// move is not uncertain.
#[test]
fn a_move_shown_by_a_stale_reading_raises_an_alert() {
    for is_old in [true, false] {
        let mut play = Play::new();
        play.wait(2_000);
        GAME[..10].iter().for_each(|uci| play.play(uci, true, 600));
        play.play("f1c4", true, 600);
        play.play("a6a5", true, 600);
        play.wait(2_000);
        play.play("c4f1", !is_old, 600);
        if is_old {
            play.show_late();
        }
        play.wait(10_000);
        assert_eq!((play.moves().last(), play.raised_uncertain()), (Some(&"c4f1"), is_old));
    }
}

const GAME: [&str; 12] = ["e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4", "f3d4", "g8f6", "b1c3", "a7a6", "c1g5", "e7e6"];

/// Restores the table session from its durable events alone.
fn restored(play: &Play) -> Table {
    let durable: Vec<StampedEvent> = play.events.iter().filter(|stamped| stamped.number.is_some()).cloned().collect();
    Table::restore(Settings::default(), &durable)
}

/// A move is lost on a lossy connection, and its player's next move is read in its place: the clock was pressed, and the reply
/// made, before that.
#[test]
fn a_reply_to_a_lost_move_raises_an_alert() {
    let mut play = Play::new();
    let press = |play: &mut Play, turn| {
        play.wait(150);
        play.take(Input::Reading(Reading::Clock(Some(crate::core::clocks::reading(300, 300, turn, true)))));
    };
    press(&mut play, ClockHalf::Left);
    for (uci, turn) in [("e2e4", ClockHalf::Right), ("e7e5", ClockHalf::Left)] {
        play.play(uci, true, 200);
        press(&mut play, turn);
    }
    play.take(Input::Reading(Reading::ProtocolError(ProtocolError::Garbage(3))));
    // The pawn comes to a3, which is lost.
    play.change(&[(300, Square::A2, None)]);
    play.play("a2a3", false, 50);
    press(&mut play, ClockHalf::Right);
    for (uci, turn) in [("b8c6", ClockHalf::Left), ("g1f3", ClockHalf::Right)] {
        play.play(uci, true, 100);
        press(&mut play, turn);
    }
    play.wait(2_000);
    assert!(play.raised_uncertain(), "{:?}", play.moves());
    // The board is read again only after a restart.
    play.table = restored(&play);
    play.take(Input::Link(LinkState::Up));
    play.show();
    play.take(Input::Reading(Reading::Memory(Vec::new())));
    play.wait(20_000);
    assert_eq!(play.moves(), ["e2e4", "e7e5", "g1f3", "b8c6", "a2a3"], "another record would need another test");
}

/// A lifted piece may be in a hand for long. If a message was damaged since it was lifted, the piece may have been put down
/// where another piece disappeared, and that is reported as soon as any other fault.
#[test]
fn a_piece_put_down_in_a_damaged_message_raises_an_alert() {
    for (is_damaged, within) in [(false, 31_000), (true, 20_000)] {
        let mut play = Play::on(SensorKind::Occupancy);
        play.wait(2_000);
        play.play("e2e4", true, 600);
        play.wait(1_000);
        play.take(Input::Reading(Reading::Square(Square::F8, SquareState::Empty)));
        let lifted_at = play.now;
        play.wait(500);
        if is_damaged {
            play.take(Input::Reading(Reading::ProtocolError(ProtocolError::Garbage(5))));
        }
        play.wait(40_000);
        let (at, _) = play.first_alert().expect("an alert");
        assert!(at <= lifted_at + within, "damaged: {is_damaged}, {at}");
        assert!(is_damaged || at >= lifted_at + 25_000, "the piece is in a hand: {at}");
    }
}

/// A knight moves while its origin square continues to show it, and the knight is reported as displaced on its new square; the
/// next moves of both players are recorded first, and an alert is still raised when the board agrees again.
#[test]
fn a_move_recorded_as_displacement_raises_an_alert() {
    let mut play = Play::new();
    play.wait(2_000);
    ["d2d4", "b8c6", "c2c4"].iter().for_each(|uci| play.play(uci, true, 600));
    play.take(Input::Reading(Reading::ProtocolError(ProtocolError::Garbage(3))));
    let knight = Role::Knight.of(Color::Black);
    play.change(&[(600, Square::E5, Some(knight))]);
    play.play("c6e5", false, 0);
    ["f2f3", "a8b8"].iter().for_each(|uci| play.play(uci, true, 400));
    play.wait(4_000);
    // A damaged reading of the whole board, and an intact one.
    play.change(&[(0, Square::E5, None), (0, Square::H4, Some(knight)), (2_000, Square::H4, None)]);
    play.show();
    play.wait(20_000);
    assert!(play.moves()[3..] == ["c6e5", "f2f3", "a8b8"] || play.raised_uncertain(), "{:?}", play.moves());
}
