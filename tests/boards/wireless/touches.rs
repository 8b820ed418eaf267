//! What a ChessUp reports of hands and moves, from its frames to the record and the alerts of the table.
//!
//! The cases of the Laws are in `tests/data/laws/cases.json` (`hand-…`), on the virtual board.

use super::chessup::squares;
use super::*;
use shakmaty::{Color, Piece, Role};
use touchmove::game::{Alert, AlertKind, Event, Record, TouchEvidence};
use touchmove::table::{Input, Output};

/// A ChessUp and its table. The frames are written by hand.
struct ChessUpTable {
    bench: Bench,
    table: Table,
    occupied: Bitboard,
    alerts: Vec<Alert>,
    errors: Vec<ProtocolError>,
}

impl ChessUpTable {
    /// The start position, on which a game has begun.
    fn new() -> ChessUpTable {
        let model = model("chessup").unwrap();
        let mut played = ChessUpTable {
            bench: Bench::new("chessup"),
            table: Table::new(Settings { sensing: model.sensing, ..Settings::default() }),
            occupied: start(),
            alerts: Vec::new(),
            errors: Vec::new(),
        };
        played.bench.board.link(0, LinkState::Up);
        let output = played.table.handle(0, Input::Link(LinkState::Up));
        played.store(output);
        played.receive(&squares(start()));
        played.wait(3_000);
        played
    }

    fn store(&mut self, output: Output) {
        self.alerts.extend(output.events.into_iter().filter_map(|stamped| match stamped.event {
            Event::AlertRaised(alert) => Some(*alert),
            _ => None,
        }));
    }

    /// Passes the readings of the board on to the table.
    fn read(&mut self) {
        for reading in readings(&mut *self.bench.board) {
            if let Reading::ProtocolError(error) = &reading {
                self.errors.push(error.clone());
            }
            let output = self.table.handle(self.bench.now, Input::Reading(reading));
            self.store(output);
        }
    }

    fn receive(&mut self, frame: &[u8]) {
        self.bench.board.receive(self.bench.now, frame);
        self.read();
    }

    /// Lets time pass. The board answers each request for its state with its squares.
    fn wait(&mut self, ms: Millis) {
        let until = self.bench.now + ms;
        while self.bench.now < until {
            let next = (self.bench.now + 50).min(until);
            let sent = self.bench.advance(next);
            self.read();
            if sent.iter().any(|(_, bytes)| *bytes == [0x67]) {
                self.receive(&squares(self.occupied));
            }
            let output = self.table.advance(self.bench.now);
            self.store(output);
        }
    }

    /// A finger on a square for some time. `code`: what the board believes to be there.
    fn finger(&mut self, square: Square, code: u8, ms: Millis) {
        self.receive(&[0xb8, square as u8, code]);
        self.wait(ms);
        self.receive(&[0xbb]);
        self.wait(400);
    }

    /// Moves a piece, which is touched meanwhile.
    fn carry(&mut self, from: Square, to: Square) {
        self.receive(&[0xb8, from as u8, 0x40]);
        self.occupied.discard(from);
        self.receive(&squares(self.occupied));
        self.wait(500);
        self.occupied.add(to);
        self.receive(&squares(self.occupied));
        self.receive(&[0xbb]);
    }

    /// The board's own report of a move.
    fn report(&mut self, from: Square, to: Square) {
        self.receive(&[0xa3, 0x35, from.file() as u8, from.rank() as u8, to.file() as u8, to.rank() as u8]);
    }

    fn record(&self) -> &Record {
        self.table.record().expect("a game")
    }

    fn moves(&self) -> Vec<&str> {
        self.record().plies.iter().map(|ply| ply.played.uci.as_str()).collect()
    }

    #[track_caller]
    fn only_alert(&self) -> &Alert {
        let [alert] = &self.alerts[..] else { panic!("{:?}", self.alerts) };
        alert
    }
}

/// 1. e4 was played.
fn after_e4() -> ChessUpTable {
    let mut played = ChessUpTable::new();
    played.carry(Square::E2, Square::E4);
    played.wait(2_000);
    assert_eq!(played.moves(), ["e2e4"]);
    played
}

#[test]
fn a_notice_shows_the_touch_that_it_rests_on() {
    let mut played = after_e4();
    let from = played.bench.now;
    played.finger(Square::C7, 0x08, 1_500);
    played.carry(Square::E7, Square::E5);
    played.wait(3_000);
    assert_eq!(played.moves(), ["e2e4", "e7e5"]);
    let alert = played.only_alert();
    assert_eq!((alert.kind, alert.by, alert.ply), (AlertKind::TouchMove, Some(Color::Black), 2));
    assert_eq!((alert.evidence_kind, alert.text.key.as_str()), (Some(TouchEvidence::Touch), "touch_move_sensed"));
    assert_eq!(alert.allowed, ["c7c6", "c7c5"]);
    let touch = alert.touches.first().expect("a touch");
    assert_eq!((touch.at, touch.until, touch.square), (from, from + 1_500, Square::C7));
    assert!(alert.kind.is_notice() && alert.count.is_none(), "{alert:?}");
}

/// What the board believes to be on its squares is not used.
#[test]
fn the_record_says_which_piece_was_touched() {
    for code in [0x08, 0x00, 0x0c, 0x40] {
        let mut played = after_e4();
        played.finger(Square::C7, code, 1_500);
        played.carry(Square::E7, Square::E5);
        played.wait(3_000);
        let alert = played.only_alert();
        assert_eq!((alert.kind, alert.squares.first()), (AlertKind::TouchMove, Some(&Square::C7)), "{code:x}");
    }
    let mut played = after_e4();
    played.finger(Square::E6, 0x08, 1_500);
    played.carry(Square::E7, Square::E5);
    played.wait(3_000);
    assert_eq!(played.alerts, [], "no piece is on the square");
}

#[test]
fn a_lifted_piece_is_a_lift() {
    let mut played = after_e4();
    played.receive(&[0xb8, Square::C7 as u8, 0x08]);
    played.occupied.discard(Square::C7);
    played.wait(100);
    played.receive(&squares(played.occupied));
    // On a board that senses the finger only while the piece is on its square.
    played.receive(&[0xbb]);
    played.wait(1_600);
    played.occupied.add(Square::C7);
    played.receive(&squares(played.occupied));
    played.wait(400);
    played.carry(Square::E7, Square::E5);
    played.wait(3_000);
    let alert = played.only_alert();
    assert_eq!((alert.evidence_kind, alert.text.key.as_str()), (Some(TouchEvidence::Lift), "touch_move"));
}

/// A finger that stays on the piece that was just moved is the opponent's.
#[test]
fn a_piece_that_is_not_let_go_of_is_not_touched_by_the_opponent() {
    let mut played = after_e4();
    played.carry(Square::D7, Square::D5);
    played.receive(&[0xb8, Square::D5 as u8, 0x08]);
    played.wait(4_000);
    played.receive(&[0xbb]);
    played.wait(5_000);
    played.carry(Square::G1, Square::F3);
    played.wait(3_000);
    assert_eq!((played.moves(), &played.alerts[..]), (vec!["e2e4", "d7d5", "g1f3"], &[][..]));
}

/// A touch that has not ended, one that is brief, one of several squares, and one before the link was lost.
#[test]
fn what_is_no_touch() {
    let quiet = |hands: &dyn Fn(&mut ChessUpTable)| {
        let mut played = after_e4();
        hands(&mut played);
        played.carry(Square::E7, Square::E5);
        played.wait(3_000);
        assert_eq!((played.moves(), &played.alerts[..]), (vec!["e2e4", "e7e5"], &[][..]));
    };
    quiet(&|played| {
        played.receive(&[0xb8, Square::C7 as u8, 0x08]);
        played.wait(3_000);
    });
    quiet(&|played| (0..5).for_each(|_| played.finger(Square::C7, 0x08, 400)));
    quiet(&|played| {
        played.receive(&[0xb8, Square::C7 as u8, 0x08, 0xb8, Square::C6 as u8, 0x40]);
        played.wait(3_000);
        played.receive(&[0xbb]);
    });
}

/// Hands in ordinary play, which lift and put down pieces at any pace, touch nothing else.
#[test]
fn ordinary_games_raise_no_notice() {
    let model = model("chessup").unwrap();
    for game in random_games(6, 60) {
        let simulation = Simulation::new("chessup", &game, &setup(Rotation::Upright)).expect("a virtual board");
        let until = simulation.ends_at();
        let mut table = Table::new(Settings { sensing: model.sensing, ..Settings::default() });
        let mut notices = Vec::new();
        run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, until, &mut |_, run_event| {
            if let RunEvent::Event(stamped) = run_event
                && let Event::AlertRaised(alert) = &stamped.event
                && alert.kind.category() == touchmove::game::event::AlertCategory::Touch
            {
                notices.push(alert.clone());
            }
        });
        assert_eq!(notices, [], "game {}", game.number);
    }
}

/// The board says that a move was made, and its squares show it: an illegal move stays one.
#[test]
fn an_illegal_move_that_is_reported_is_illegal() {
    let mut played = ChessUpTable::new();
    played.carry(Square::E2, Square::E5);
    played.report(Square::E2, Square::E5);
    played.wait(5_000);
    played.carry(Square::G8, Square::F6);
    played.report(Square::G8, Square::F6);
    played.wait(12_000);
    assert!(played.errors.is_empty(), "{:?}", played.errors);
    let illegal = played
        .alerts
        .iter()
        .any(|alert| [AlertKind::IllegalPending, AlertKind::IllegalMove, AlertKind::PositionUnexplained].contains(&alert.kind));
    assert!(illegal, "{:?}", played.alerts);
    let legal = played.record().plies.iter().filter(|ply| !ply.played.irregular);
    assert!(legal.map(|ply| ply.played.uci.as_str()).all(|uci| uci == "g8f6"), "{:?}", played.moves());
}

/// The board says that a move was made, and its squares do not show it.
#[test]
fn a_move_that_the_squares_contradict_is_not_recorded() {
    let mut played = ChessUpTable::new();
    played.report(Square::E2, Square::E4);
    played.wait(12_000);
    assert_eq!(played.errors, [ProtocolError::ContradictedMove { from: Square::E2, to: Square::E4 }]);
    assert_eq!(played.moves(), Vec::<&str>::new());
    // Another move than the one on the squares.
    played.carry(Square::D2, Square::D4);
    played.report(Square::D2, Square::D3);
    played.wait(3_000);
    assert_eq!(played.errors.pop(), Some(ProtocolError::ContradictedMove { from: Square::D2, to: Square::D3 }));
    assert_eq!(played.moves(), ["d2d4"]);
}

/// A board that reports nothing but moves: they are carried out, and the Laws judge them.
#[test]
fn an_illegal_move_of_a_board_that_only_reports_moves() {
    let model = model("cpp").unwrap();
    let mut bench = Bench::new("cpp");
    let mut table = Table::new(Settings { sensing: model.sensing, ..Settings::default() });
    let mut alerts = Vec::new();
    bench.board.link(0, LinkState::Up);
    table.handle(0, Input::Link(LinkState::Up));
    let frames = ["nok\nnok", "sync rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", "move e2e5", "move g8f6", "move b1c3"];
    for frame in frames {
        bench.board.receive(bench.now, frame.as_bytes());
        for _ in 0..100 {
            for reading in readings(&mut *bench.board) {
                alerts.extend(table.handle(bench.now, Input::Reading(reading)).events);
            }
            bench.advance(bench.now + 50);
            alerts.extend(table.advance(bench.now).events);
        }
    }
    let kinds: Vec<AlertKind> = alerts
        .into_iter()
        .filter_map(|stamped| if let Event::AlertRaised(alert) = stamped.event { Some(alert.kind) } else { None })
        .collect();
    let is_about_it =
        |kind: &AlertKind| [AlertKind::IllegalPending, AlertKind::IllegalMove, AlertKind::PositionUnexplained].contains(kind);
    assert!(kinds.iter().any(is_about_it), "{kinds:?}");
    let record = table.record().expect("a game");
    assert!(!record.plies.iter().any(|ply| ply.played.uci == "e2e5" && !ply.played.irregular), "{:?}", record.plies);
}

/// The pieces in the touches of these tests.
#[test]
fn the_codes_of_the_pieces() {
    let mut bench = Bench::up("chessup");
    let piece = |role: Role, color| Some(Piece { role, color });
    for (code, expected) in [(0x08, piece(Role::Pawn, Color::Black)), (0x0c, piece(Role::Queen, Color::Black)), (0x40, None)] {
        let touch = touchmove::boards::Touch::Begin { square: Square::C7, piece: expected };
        assert_eq!(bench.receive(&[0xb8, Square::C7 as u8, code]), [Reading::Touch(touch)], "{code:x}");
    }
}
