//! Wireless boards: the frames that other authors wrote down, complete games on virtual boards, and what is never sent.
//!
//! The frames are those of BoardKit, BearChess, chessupdriver and the makers' documentation. No wireless board was tried.

use super::readings;
use crate::boards::streams::games::opera;
use crate::core::simulate::random_games;
use shakmaty::{Bitboard, Square};
use touchmove::boards::{
    Address, BOARDS, BoardCommand, Connection, LinkState, Millis, Model, Placement, Protocol, ProtocolError, Reading,
    SensorKind, SquareState, model,
};
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, RunEvent, VirtualCable};
use touchmove::simulate::hands::{CLEAN, HandsProfile, Rates};
use touchmove::simulate::{Simulation, SimulationSetup, chessnut::VirtualChessnut};
use touchmove::table::{Settings, Table};

pub(crate) mod chessnut;
pub(crate) mod chessup;
pub(crate) mod cpp;
pub(crate) mod names;
pub(crate) mod others;
pub(crate) mod pegasus;
pub(crate) mod touches;

static TIDY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLEAN.rates }, ..CLEAN };

/// The models that have no cable.
const WIRELESS: [&str; 6] = ["chessnut-move", "pegasus", "chessup", "square-off", "staunton", "cpp"];

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// A board on a link, with the current time.
struct Bench {
    board: Box<dyn Protocol>,
    model: &'static Model,
    now: Millis,
    /// The occupied squares, as reported.
    occupied: Bitboard,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let model = model(name).unwrap();
        Bench { board: (model.protocol)(), model, now: 0, occupied: Bitboard::EMPTY }
    }

    /// A board whose link has come up; the greeting has been sent.
    fn up(name: &str) -> Bench {
        let mut bench = Bench::new(name);
        bench.board.link(0, LinkState::Up);
        bench.advance(600);
        bench
    }

    fn sent(&mut self) -> Vec<(Millis, Vec<u8>)> {
        let model = self.model;
        std::iter::from_fn(|| self.board.poll_write())
            .map(|write| {
                assert!(model.may_send(&write.bytes), "{}: {:x?}", model.name, write.bytes);
                (write.at, write.bytes)
            })
            .collect()
    }

    /// Advances the time, deadline by deadline, and returns what is sent.
    fn advance(&mut self, until: Millis) -> Vec<(Millis, Vec<u8>)> {
        let mut sent = self.sent();
        while let Some(at) = self.board.next_deadline().filter(|at| *at <= until) {
            assert!(at >= self.now, "{}: a deadline in the past", self.model.name);
            self.now = at;
            self.board.timeout(at);
            assert!(self.board.next_deadline().is_none_or(|next| next > at), "{}: a deadline that stays", self.model.name);
            sent.extend(self.sent());
        }
        self.now = until;
        sent
    }

    fn receive(&mut self, chunk: &[u8]) -> Vec<Reading> {
        self.board.receive(self.now, chunk);
        self.readings()
    }

    fn readings(&mut self) -> Vec<Reading> {
        let readings = readings(&mut *self.board);
        for reading in &readings {
            match reading {
                Reading::Placement(placement) => {
                    let is_occupied = |square: &Square| placement[*square as usize] != SquareState::Empty;
                    self.occupied = Square::ALL.into_iter().filter(is_occupied).collect();
                }
                Reading::Square(square, state) => self.occupied.set(*square, *state != SquareState::Empty),
                _ => {}
            }
        }
        readings
    }

    /// The occupied squares after a message that is about squares alone.
    #[track_caller]
    fn occupied_after(&mut self, chunk: &[u8]) -> Bitboard {
        let readings = self.receive(chunk);
        let is_of_squares = |reading: &Reading| matches!(reading, Reading::Placement(_) | Reading::Square(..));
        assert!(!readings.is_empty() && readings.iter().all(is_of_squares), "{readings:?}");
        self.occupied
    }

    fn execute(&mut self, command: BoardCommand) {
        self.board.execute(self.now, Address::ONLY, command).unwrap();
    }
}

/// The occupied squares of the start position.
fn start() -> Bitboard {
    Bitboard(0xffff_0000_0000_ffff)
}

/// The squares of the start position, with the pieces or without.
fn start_placement(sensing: SensorKind) -> Placement {
    let position = touchmove::laws::Position::start();
    std::array::from_fn(|index| {
        let piece = position.piece_at(Square::new(index as u32));
        piece.map_or(SquareState::Empty, |piece| SquareState::Piece(piece).reduce_to(sensing))
    })
}

fn setup(rotation: Rotation) -> SimulationSetup<'static> {
    SimulationSetup { profile: &TIDY, clock: false, rotation, clock_turned: false, seed: 11 }
}

/// Plays a game on a virtual board. Returns the moves on record, and the moves that were played.
fn play(model: &Model, simulation: Simulation) -> (Vec<String>, Vec<String>) {
    let truth = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let until = simulation.ends_at();
    let mut table = Table::new(Settings { sensing: model.sensing, ..Settings::default() });
    run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, until, &mut |_, _: RunEvent| {});
    let played = table.record().map(|record| record.plies.iter().map(|ply| ply.played.uci.clone()).collect());
    (played.unwrap_or_default(), truth)
}

#[test]
fn a_whole_game_on_each_board() {
    for name in WIRELESS {
        let model = model(name).unwrap();
        for rotation in [Rotation::Upright, Rotation::Turned] {
            let (played, truth) = play(model, Simulation::new(name, &opera(), &setup(rotation)).expect("a virtual board"));
            assert_eq!(played, truth, "{name}, {rotation:?}");
        }
    }
}

#[test]
fn a_chessnut_over_bluetooth() {
    let model = model("chessnut").unwrap();
    for game in random_games(2, 60) {
        let setup = setup(Rotation::Upright);
        let simulation = Simulation::with(&game, &setup, |script, stream| {
            VirtualChessnut::new(&setup, &script.initial_pieces, stream).over_radio()
        });
        let (played, truth) = play(model, simulation);
        assert_eq!(played, truth, "game {}", game.number);
    }
}

#[test]
fn the_list_of_wireless_boards_is_complete() {
    let wireless = BOARDS.iter().filter(|model| matches!(model.connection, Connection::Bluetooth(_)));
    assert_eq!(wireless.map(|model| model.name).collect::<Vec<_>>(), WIRELESS);
}

/// Long noise on every link: nothing panics, nothing harmful is sent, and deadlines pass.
#[test]
fn noise() {
    let mut rng = touchmove::simulate::rng::Rng::new(7, 7);
    for name in WIRELESS {
        let mut bench = Bench::up(name);
        for _ in 0..10_000 {
            let chunk: Vec<u8> = (0..rng.below(40)).map(|_| rng.bits() as u8).collect();
            bench.receive(&chunk);
            match rng.below(40) {
                0 => bench.execute(BoardCommand::Placement),
                1 => drop(bench.board.execute(bench.now, Address::ONLY, BoardCommand::Lights(vec![Square::E4]))),
                2 => bench.board.link(bench.now, LinkState::Up),
                _ => {}
            }
            bench.sent();
            let wait = rng.below(300);
            bench.advance(bench.now + wait);
        }
        bench.board.link(bench.now, LinkState::Down);
        assert_eq!(bench.board.next_deadline(), None, "{name}");
    }
}

/// All lights at once, as `identify` asks for, are as many as the board can take.
#[test]
fn all_lights() {
    for name in ["chessnut-move", "pegasus", "square-off", "staunton"] {
        let mut bench = Bench::up(name);
        bench.execute(BoardCommand::Lights(Square::ALL.to_vec()));
        let sent = bench.advance(bench.now + 20_000);
        assert!(!sent.is_empty(), "{name}");
    }
    for name in ["chessup", "cpp"] {
        assert!(Bench::up(name).board.execute(0, Address::ONLY, BoardCommand::Lights(Vec::new())).is_err(), "{name}");
    }
}

/// A board that has fallen silent is asked, reported once, and reported when it answers.
#[test]
fn silence() {
    for (name, answer) in [("pegasus", dump(start())), ("square-off", squares_text(start()))] {
        let mut bench = Bench::up(name);
        assert_eq!(bench.occupied_after(&answer), start(), "{name}");
        bench.advance(60_000);
        let is_silent = |reading: &Reading| matches!(reading, Reading::ProtocolError(ProtocolError::Silent(_)));
        assert_eq!(readings(&mut *bench.board).iter().filter(|reading| is_silent(reading)).count(), 1, "{name}");
        // What it shows is unknown since then, even if it shows the same.
        let received = bench.receive(&answer);
        assert!(
            matches!(received[..], [Reading::ProtocolError(ProtocolError::Recovered), Reading::Placement(_)]),
            "{name}: {received:?}"
        );
    }
}

/// A dump of a Pegasus.
fn dump(occupied: Bitboard) -> Vec<u8> {
    let fields = (0..64).map(|field| u8::from(occupied.contains(Square::new(field).flip_vertical())));
    [0x86, 0, 0x43].into_iter().chain(fields).collect()
}

/// The squares of a Square Off.
fn squares_text(occupied: Bitboard) -> Vec<u8> {
    let digit = |index: u32| if occupied.contains(Square::new(index % 8 * 8 + index / 8)) { '1' } else { '0' };
    format!("30#{}*", (0..64).map(digit).collect::<String>()).into_bytes()
}
