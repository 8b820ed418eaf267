//! The lights that boards show to their players, where that is allowed.

use crate::boards::streams::games::opera;
use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{BOARDS, BoardCommand, Lights, LinkState, Millis, Placement, Reading, SquareState, model};
use touchmove::config::Config;
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, Cable, HostInput, VirtualCable};
use touchmove::laws::Position;
use touchmove::simulate::{Simulation, SimulationSetup, hands};
use touchmove::table::{Input, LightsMode, Settings, Table};

/// A table with a turned board in the start position, and the lights that it commands as time passes.
struct LitTable {
    table: Table,
    now: Millis,
    shown: Vec<Vec<Square>>,
}

impl LitTable {
    fn new(lights: LightsMode) -> LitTable {
        let table = Table::new(Settings { lights, rotation: Some(Rotation::Turned), ..Settings::default() });
        let mut lit = LitTable { table, now: 0, shown: Vec::new() };
        lit.take(Input::Link(LinkState::Up));
        let mut start: Placement = [SquareState::Empty; 64];
        for (square, piece) in Position::start().board().iter() {
            start[square.rotate_180() as usize] = SquareState::Piece(piece);
        }
        lit.take(Input::Reading(Reading::Placement(Box::new(start))));
        lit.wait(2_000);
        lit
    }

    fn take(&mut self, input: Input) {
        let output = self.table.handle(self.now, input);
        self.store(output.commands);
    }

    fn store(&mut self, commands: Vec<BoardCommand>) {
        self.shown.extend(commands.into_iter().filter_map(|command| match command {
            BoardCommand::Lights(squares) => Some(squares),
            _ => None,
        }));
    }

    fn wait(&mut self, ms: Millis) {
        self.now += ms;
        let output = self.table.advance(self.now);
        self.store(output.commands);
    }

    /// A piece is lifted from one square of the game and put on another a moment later.
    fn carry(&mut self, from: Square, to: Square, piece: Piece) {
        for (square, sensed) in [(from, SquareState::Empty), (to, SquareState::Piece(piece))] {
            self.take(Input::Reading(Reading::Square(square.rotate_180(), sensed)));
            self.wait(400);
        }
    }
}

const KNIGHT: Piece = Piece { color: Color::White, role: Role::Knight };
const ROOK: Piece = Piece { color: Color::Black, role: Role::Rook };

#[test]
fn pieces_out_of_place_are_shown_until_corrected() {
    let mut lit = LitTable::new(LightsMode::Displaced);
    lit.carry(Square::G1, Square::F3, KNIGHT);
    assert!(lit.shown.is_empty(), "a move needs no correction: {:?}", lit.shown);
    lit.carry(Square::A8, Square::A5, ROOK);
    lit.wait(10_000);
    // a8 and a5 of the game, on a turned board.
    assert_eq!(lit.shown, [vec![Square::H4, Square::H1]]);
    lit.carry(Square::A5, Square::A8, ROOK);
    lit.wait(10_000);
    assert_eq!(lit.shown.last(), Some(&vec![]), "{:?}", lit.shown);
}

#[test]
fn the_last_move_is_shown_until_a_piece_is_touched() {
    let mut lit = LitTable::new(LightsMode::Moves);
    lit.carry(Square::G1, Square::F3, KNIGHT);
    assert_eq!(lit.shown, [vec![Square::B8, Square::C6]]);
    lit.take(Input::Reading(Reading::Square(Square::A8.rotate_180(), SquareState::Empty)));
    assert_eq!(lit.shown.last(), Some(&vec![]));
    lit.take(Input::Link(LinkState::Down));
    lit.wait(10_000);
    assert_eq!(lit.shown.len(), 2, "{:?}", lit.shown);
}

#[test]
fn by_default_nothing_is_shown() {
    let mut lit = LitTable::new(Settings::default().lights);
    lit.carry(Square::G1, Square::F3, KNIGHT);
    lit.carry(Square::A8, Square::A5, ROOK);
    lit.wait(10_000);
    assert!(lit.shown.is_empty(), "{:?}", lit.shown);
}

/// A cable that stores the messages to the board.
struct StoringCable(VirtualCable, Vec<Vec<u8>>);

impl Cable for StoringCable {
    fn next(&self) -> Option<Millis> {
        self.0.next()
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        self.0.receive_until(now)
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.1.push(bytes.to_vec());
        self.0.send(now, bytes);
    }
}

/// The messages that a board receives while a game is played on it.
fn sent(name: &str, lights: LightsMode) -> Vec<Vec<u8>> {
    let setup =
        SimulationSetup { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let model = model(name).unwrap();
    let simulation = Simulation::new(name, &opera(), &setup).unwrap();
    let until = simulation.ends_at();
    let mut cable = StoringCable(VirtualCable::new(simulation), Vec::new());
    let settings = Settings { sensing: model.sensing, lights, ..Settings::default() };
    run::play(&mut cable, &mut *(model.protocol)(), &mut Table::new(settings), until, &mut |_, _| {});
    cable.1
}

/// Each board with lights receives many more different messages when moves are shown.
#[test]
fn every_board_with_lights_shows_moves() {
    let with_lights = BOARDS.iter().filter(|model| model.lights != Lights::None);
    let mut boards = 0;
    for model in with_lights {
        let kinds = |lights| {
            let mut kinds = sent(model.name, lights);
            kinds.sort_unstable();
            kinds.dedup();
            kinds.len()
        };
        let (off, moves) = (kinds(LightsMode::Off), kinds(LightsMode::Moves));
        // House of Staunton, whose messages are 2.5 s apart, lights not every square in time.
        assert!(moves >= off + 10, "{}: {moves} different messages, {off} without help", model.name);
        boards += 1;
    }
    assert!(boards >= 6, "{boards}");
}

#[test]
fn lights_are_configured_for_each_board() {
    let config = |model: &str| Config::parse(&format!("[[board]]\nname = \"a\"\nmodel = {model:?}\nlights = \"moves\"\n"));
    let certabo = config("certabo").unwrap();
    assert_eq!(certabo.settings(&certabo.boards[0]).lights, LightsMode::Moves);
    let problems = config("dgt").unwrap_err();
    assert!(problems[0].message.contains("has no lights"), "{problems:?}");
}
