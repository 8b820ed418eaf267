//! Plays a script of bytes on a table; any bytes are a valid script. Shared by the property tests and the fuzz targets.

use super::promises::Promises;
use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{
    Battery, ClockHalf, ClockReading, HalfTime, Identity, LinkState, MemoryEntry, Placement, ProtocolError, Reading,
    SensorKind, SquareState,
};
use touchmove::game::event::Rotation;
use touchmove::game::{Command, GameResult, Order, Record};
use touchmove::laws::draws::ClaimKind;
use touchmove::laws::{Changes, Irregularity, LawsWord, Position};
use touchmove::simulate::rng::Rng;
use touchmove::table::{Input, Output, Publish, Settings, Table};

/// Positions for games that begin by command: ordinary, crowded, irregular, of Chess960, and an invalid one.
const POSITIONS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 8",
    "8/P5k1/8/3pP3/8/8/p6K/8 w - d6 0 1",
    "4k3/PPPPPPPP/8/8/8/8/pppppppp/4K3 w - - 0 1",
    "r6k/8/8/8/8/8/8/K6R w - - 0 1",
    "4k2P/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "qqqqqqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQQ w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "no position at all",
];

/// Pauses in milliseconds, close to the time limits of the table.
const PAUSES: [u64; 16] = [0, 1, 30, 40, 119, 121, 249, 251, 499, 1_001, 1_499, 3_001, 5_001, 10_001, 60_001, 3_600_000];

/// The script of a seed, with the kinds of sensors in turn: ordinary play, then a few random actions, then ordinary play again.
pub fn script(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, 0);
    let mut byte = |below: u64| rng.below(below) as u8;
    // Half of the scripts use default settings and an upright board.
    let plain = byte(2) == 0;
    let mut script = vec![(seed % 3) as u8, if plain { 0 } else { byte(255) }];
    for _ in 0..=byte(4) {
        for _ in 0..byte(30) {
            // A move and a press; sometimes there is no press, or the move is changed or taken back.
            match byte(12) {
                0 => script.extend([CHANGE_OF_MIND, byte(255), byte(255), byte(255), byte(255)]),
                1 => script.extend([TAKE_BACK, byte(2), 9 + byte(2)]),
                2 => script.extend([MAKE, byte(255), byte(255)]),
                _ => script.extend([MAKE_AND_PRESS, byte(255), byte(3)]),
            }
            script.extend([WAIT, 6 + byte(4)]);
        }
        for _ in 0..byte(40) {
            script.push(byte(255));
        }
        // Usually the position of the record is set up again, as an arbiter would do.
        if byte(5) != 0 {
            script.extend([RESTORE, WAIT, 11]);
        }
    }
    script
}

/// Actions that [`script`] chooses on purpose, by their numbers in [`Player::act`].
const MAKE: u8 = 0;
const MAKE_AND_PRESS: u8 = 16;
const CHANGE_OF_MIND: u8 = 17;
const TAKE_BACK: u8 = 18;
const WAIT: u8 = 19;
const RESTORE: u8 = 35;

/// The remaining bytes of a script; after the end all bytes are zero.
pub struct Script<'a>(pub &'a [u8]);

impl Script<'_> {
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    pub fn square(&mut self) -> Square {
        Square::new(u32::from(self.byte() % 64))
    }

    fn piece(&mut self) -> Piece {
        let byte = self.byte();
        Piece { color: Color::from_white(byte.is_multiple_of(2)), role: Role::ALL[usize::from(byte / 2) % 6] }
    }
}

/// Plays a script and checks every promise after every call.
///
/// The first bytes choose the kind of sensors and the settings; then each action is a byte with its arguments.
///
/// # Errors
/// A description of the broken promise.
pub fn play(script: &[u8]) -> Result<Promises, String> {
    let mut script = Script(script);
    let sensing = [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy][script.below(3)];
    let choice = script.byte();
    let rotation = |bits: u8| [None, None, Some(Rotation::Upright), Some(Rotation::Turned)][usize::from(bits % 4)];
    let settings = Settings {
        sensing,
        rotation: rotation(choice),
        clock_side: rotation(choice >> 2),
        chess960: choice & 16 != 0,
        accept_kings_signal: choice & 32 == 0,
        hypotheses: [8, 64][usize::from(choice >> 6 & 1)],
        publish: if choice.is_multiple_of(3) { Publish::Sure } else { Publish::Prompt },
        ..Settings::default()
    };
    let mut player = Player {
        table: Table::new(settings.clone()),
        settings,
        now: 0,
        board: placement_of(&Position::start()),
        turned: choice & 128 != 0,
        has_placement: false,
        clock: ClockReading {
            left: HalfTime { ms: 300_000, flag: false },
            right: HalfTime { ms: 300_000, flag: false },
            turn: ClockHalf::Left,
            running: true,
            battery_low: false,
            resolution_ms: 1000,
            age_ms: 1000,
        },
        promises: Promises::default(),
    };
    player.take(Input::Link(LinkState::Up))?;
    player.report_placement()?;
    while !script.0.is_empty() {
        player.act(&mut script)?;
    }
    player.wait(100_000)?;
    player.restart()?;
    Ok(player.promises)
}

fn placement_of(position: &Position) -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for (square, piece) in position.board().iter() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    placement
}

struct Player {
    table: Table,
    settings: Settings,
    now: u64,
    /// The pieces on the board, as the players see them.
    board: Placement,
    /// Whether the board is turned.
    turned: bool,
    /// Whether a whole placement was reported since the link came up.
    has_placement: bool,
    clock: ClockReading,
    promises: Promises,
}

impl Player {
    fn take(&mut self, input: Input) -> Result<(), String> {
        // Deadlines before this input come first.
        self.wait(0)?;
        match &input {
            Input::Link(_) => self.has_placement = false,
            Input::Reading(Reading::Placement(_)) => self.has_placement = true,
            _ => {}
        }
        let output = self.table.handle(self.now, input);
        self.check(output)
    }

    fn wait(&mut self, ms: u64) -> Result<(), String> {
        self.now += ms;
        // At each deadline, as the daemon does. Without inputs there are few of them.
        for _ in 0..64 {
            let Some(due) = self.table.next_deadline().filter(|due| *due <= self.now) else { break };
            let output = self.table.advance(due);
            self.check(output)?;
        }
        let output = self.table.advance(self.now);
        self.check(output)?;
        match self.table.next_deadline() {
            Some(due) if due <= self.now => Err(format!("the deadline at {due} has not passed at {}", self.now)),
            _ => Ok(()),
        }
    }

    fn check(&mut self, output: Output) -> Result<(), String> {
        self.promises.take(output.events, !self.has_placement)?;
        if self.table.record() == self.promises.record() {
            Ok(())
        } else {
            Err(format!("the record differs from its events: {:?}", self.table.record()))
        }
    }

    fn as_sensed(&self, sensed: SquareState) -> SquareState {
        match (sensed, self.settings.sensing) {
            (SquareState::Piece(piece), SensorKind::Colour) => SquareState::Side(piece.color),
            (SquareState::Piece(_), SensorKind::Occupancy) => SquareState::Occupied,
            _ => sensed,
        }
    }

    fn on_board(&self, square: Square) -> Square {
        if self.turned { square.rotate_180() } else { square }
    }

    fn report_placement(&mut self) -> Result<(), String> {
        let placement: Placement =
            std::array::from_fn(|square| self.as_sensed(self.board[self.on_board(Square::new(square as u32)) as usize]));
        self.take(Input::Reading(Reading::Placement(Box::new(placement))))
    }

    fn set(&mut self, square: Square, sensed: SquareState) -> Result<(), String> {
        self.board[square as usize] = sensed;
        let reading = Reading::Square(self.on_board(square), self.as_sensed(sensed));
        self.take(Input::Reading(reading))?;
        self.wait(30)
    }

    fn position(&self) -> Option<Position> {
        let record = self.table.record()?;
        Position::from_fen(record.fen(), record.chess960.is_some_and(|number| number != 518)).ok()
    }

    /// Makes a legal move from the record's position, in one of several ways of the hands; `is_seen`: the board reports it.
    fn make(&mut self, script: &mut Script<'_>, is_seen: bool) -> Result<(), String> {
        let Some(position) = self.position() else { return Ok(()) };
        let moves = position.legal_moves();
        let Some(&mv) = moves.get(script.below(moves.len())) else { return Ok(()) };
        let mut changes: Vec<(Square, Option<Piece>)> = Changes::of(position.turn(), mv).iter().collect();
        if !is_seen {
            for (square, piece) in changes {
                self.board[square as usize] = piece.map_or(SquareState::Empty, SquareState::Piece);
            }
            return Ok(());
        }
        let way = script.byte();
        if way & 1 != 0 {
            changes.reverse();
        }
        if way & 6 != 0 {
            // A captured piece is lifted first, and that is reported.
            for &(square, piece) in &changes {
                if piece.is_some() && self.board[square as usize] != SquareState::Empty {
                    self.set(square, SquareState::Empty)?;
                }
            }
        }
        if way & 24 == 24 {
            changes.truncate(1);
        }
        for (square, piece) in changes {
            self.set(square, piece.map_or(SquareState::Empty, SquareState::Piece))?;
        }
        if way & 96 == 96 {
            self.press()?;
        }
        Ok(())
    }

    /// Makes a move; after a while the same piece moves elsewhere.
    fn change_of_mind(&mut self, script: &mut Script<'_>) -> Result<(), String> {
        let Some(position) = self.position() else { return Ok(()) };
        let moves = position.legal_moves();
        let Some(&first) = moves.get(script.below(moves.len())) else { return Ok(()) };
        let others: Vec<_> = moves.iter().filter(|other| other.from() == first.from() && **other != first).collect();
        let other = others.get(script.below(others.len())).map_or(first, |other| **other);
        self.arrange(&placement_of(&position.play(first)))?;
        self.wait(PAUSES[script.below(10)])?;
        self.arrange(&placement_of(&position.play(other)))?;
        self.wait(PAUSES[script.below(10)])
    }

    /// Sets up a placement square by square, first the empty squares.
    fn arrange(&mut self, target: &Placement) -> Result<(), String> {
        for empties in [true, false] {
            for square in Square::ALL {
                let sensed = target[square as usize];
                if self.board[square as usize] != sensed && (sensed == SquareState::Empty) == empties {
                    self.set(square, sensed)?;
                }
            }
        }
        Ok(())
    }

    fn press(&mut self) -> Result<(), String> {
        self.clock.running = true;
        self.clock.turn = self.clock.turn.other();
        self.take(Input::Reading(Reading::Clock(Some(self.clock))))
    }

    /// Restores the table from the durable events; it must have the same game.
    fn restart(&mut self) -> Result<(), String> {
        self.table = Table::restore(self.settings.clone(), &self.promises.last_game());
        (self.now, self.has_placement) = (self.now + 1, false);
        if self.table.record() == self.promises.record() {
            Ok(())
        } else {
            Err(format!("after a restart the game differs: {:?}", self.table.record()))
        }
    }

    fn order(&mut self, command: Command) -> Result<(), String> {
        self.wait(0)?;
        let before = self.table.record().map_or(0, |record| record.plies.len());
        let order = Order { command: command.clone(), by: "somebody".to_owned() };
        let record = self.table.record().cloned();
        let preview = self.table.preview(self.now, &order);
        if self.table.record() != record.as_ref() {
            return Err(format!("a preview of {command:?} changed the game"));
        }
        let output = self.table.handle(self.now, Input::Order(order));
        let refused = output.refusal().is_some();
        let foretold = preview.as_ref().map(|preview| preview.after.as_str()).map_err(|refusal| refusal.to_string());
        let happened = match output.refusal() {
            None => Ok(self.table.record().map_or("", Record::fen)),
            Some(refusal) => Err(refusal.to_string()),
        };
        if foretold != happened {
            return Err(format!("{command:?} was foretold to give {foretold:?}, and gave {happened:?}"));
        }
        let commanded = output.events.iter().any(|stamped| matches!(&stamped.event, touchmove::game::Event::Commanded { .. }));
        self.check(output)?;
        if refused == commanded {
            return Err(format!("{command:?} was refused: {refused}, and published as carried out: {commanded}"));
        }
        if refused { Ok(()) } else { self.promises.ordered(&command, before) }
    }

    /// A move that may be legal at that ply, or in its opponent's turn.
    fn move_at(&self, which: u8) -> String {
        let ply = self.ply(which) as usize;
        let record = self.table.record();
        let before = ply.checked_sub(2).and_then(|index| record?.plies.get(index)).map(|ply| ply.played.fen.clone());
        let fen = before.or_else(|| record.map(|record| record.start_fen.clone())).unwrap_or_default();
        let position = Position::from_fen(&fen, self.settings.chess960);
        let mv = position.as_ref().ok().and_then(|position| position.legal_moves().get(usize::from(which) / 8).copied());
        position.ok().zip(mv).map_or_else(|| "e2e4".to_owned(), |(position, mv)| position.uci(mv))
    }

    /// A ply near the end of the record, or none at all.
    fn ply(&self, which: u8) -> u32 {
        let plies = self.table.record().map_or(0, |record| record.plies.len() as u32);
        if which == 255 { u32::MAX } else { (plies + 2).saturating_sub(u32::from(which % 8)) }
    }

    fn act(&mut self, script: &mut Script<'_>) -> Result<(), String> {
        match script.byte() % 48 {
            0..16 => self.make(script, true),
            16 => {
                self.make(script, true)?;
                self.press()
            }
            17 => self.change_of_mind(script),
            // The last move is taken back on the board, and perhaps the one before.
            18 => {
                let plies = 1 + script.below(2);
                let fen = self.table.record().map(|record| match record.plies.len().checked_sub(plies + 1) {
                    Some(index) => record.plies[index].played.fen.clone(),
                    None => record.start_fen.clone(),
                });
                let Ok(position) = Position::from_fen(&fen.unwrap_or_default(), false) else { return Ok(()) };
                self.arrange(&placement_of(&position))?;
                self.wait(PAUSES[script.below(PAUSES.len())])
            }
            19..23 => self.wait(PAUSES[script.below(PAUSES.len())]),
            23..26 => self.press(),
            // A square changes several times.
            26..28 => {
                let square = script.square();
                let before = self.board[square as usize];
                let other = if before == SquareState::Empty { SquareState::Piece(script.piece()) } else { SquareState::Empty };
                for _ in 0..=script.below(4) {
                    self.set(square, other)?;
                    self.set(square, before)?;
                }
                Ok(())
            }
            28 => {
                let (square, piece) = (script.square(), script.piece());
                self.set(square, SquareState::Piece(piece))
            }
            29 => {
                let square = script.square();
                self.set(square, SquareState::Empty)
            }
            // A piece is carried to any other square.
            30 => {
                let (from, to) = (script.square(), script.square());
                let carried = self.board[from as usize];
                self.set(from, SquareState::Empty)?;
                self.set(to, carried)
            }
            31 => self.report_placement(),
            // Some squares are misread in one placement.
            32 => {
                let before = self.board;
                for _ in 0..=script.below(6) {
                    self.board[script.square() as usize] = SquareState::Empty;
                    self.board[script.square() as usize] = SquareState::Piece(script.piece());
                }
                self.report_placement()?;
                self.board = before;
                Ok(())
            }
            33 => {
                self.board = std::array::from_fn(|_| match script.byte() {
                    byte @ 0..12 => {
                        SquareState::Piece(Piece { color: Color::from_white(byte < 6), role: Role::ALL[usize::from(byte % 6)] })
                    }
                    _ => SquareState::Empty,
                });
                self.report_placement()
            }
            34 => {
                self.board = placement_of(&Position::start());
                self.report_placement()
            }
            // The position of the record is set up again.
            35 => {
                if let Some(position) = self.position() {
                    self.board = placement_of(&position);
                }
                self.report_placement()
            }
            // A move of which the board reports only the result.
            36 => {
                self.make(script, false)?;
                self.report_placement()
            }
            37 => self.take(Input::Link(LinkState::Down)),
            38 => {
                self.take(Input::Link(LinkState::Up))?;
                self.report_placement()
            }
            39 => {
                let time = |script: &mut Script<'_>| {
                    let ms = u32::from(script.byte()) << (script.byte() % 24);
                    HalfTime { ms, flag: ms == 0 }
                };
                let (left, right, bits) = (time(script), time(script), script.byte());
                let turn = if bits & 1 == 0 { ClockHalf::Left } else { ClockHalf::Right };
                let (running, battery_low) = (bits & 2 == 0, bits & 4 != 0);
                self.clock = ClockReading { left, right, turn, running, battery_low, ..self.clock };
                self.take(Input::Reading(Reading::Clock((bits & 24 != 0).then_some(self.clock))))
            }
            40 => {
                let results = [None, Some(GameResult::WhiteWins), Some(GameResult::BlackWins), Some(GameResult::Draw)];
                self.order(Command::Result { result: results[script.below(4)] })
            }
            41 => {
                let (what, which) = (script.below(18), script.byte());
                self.order(match what {
                    0 => Command::TakeBack { plies: if which == 255 { u32::MAX } else { u32::from(which % 6) } },
                    1 => Command::Adjust { player: Color::from_white(which < 128) },
                    2 => Command::Acknowledge { alert: u32::from(which) },
                    3 => Command::Restore { ply: self.ply(which) },
                    9..12 => Command::Undo {},
                    12 | 13 => Command::LetStand { alert: u32::from(which) },
                    14 | 15 => Command::Replace { ply: self.ply(which), uci: self.move_at(which) },
                    16 => Command::Insert { ply: self.ply(which), uci: self.move_at(which) },
                    4 | 5 => Command::Pause { paused: which < 128 },
                    6 => Command::Count { player: Color::Black, irregularity: Irregularity::ALL[usize::from(which % 18)] },
                    7 => Command::Strike { player: Color::Black, ply: self.ply(which) },
                    8 => {
                        let claimed = if which < 128 { ClaimKind::Repetition } else { ClaimKind::FiftyMoves };
                        let intended = which.is_multiple_of(3).then(|| "g1f3".to_owned());
                        Command::Claim { player: Color::from_white(which.is_multiple_of(2)), claimed, intended }
                    }
                    _ => Command::Promotion { ply: None, piece: Role::ALL[usize::from(which % 6)] },
                })
            }
            42 => {
                let (fen, set_up) = (POSITIONS[script.below(POSITIONS.len())], script.byte().is_multiple_of(2));
                if let (true, Ok(position)) = (set_up, Position::from_fen(fen, self.settings.chess960)) {
                    self.board = placement_of(&position);
                    self.report_placement()?;
                }
                self.order(Command::Position { fen: fen.to_owned() })
            }
            // The daemon is killed and started again: the record is the same.
            43 => {
                self.restart()?;
                self.take(Input::Link(LinkState::Up))?;
                self.report_placement()
            }
            // Kings to the centre.
            44 => {
                let (white, black) = (Role::King.of(Color::White), Role::King.of(Color::Black));
                for king in [white, black] {
                    let from = Square::ALL.into_iter().find(|&square| self.board[square as usize] == SquareState::Piece(king));
                    if let Some(from) = from {
                        self.set(from, SquareState::Empty)?;
                        self.set([Square::E4, Square::D5, Square::D4, Square::E5][script.below(4)], SquareState::Piece(king))?;
                    }
                }
                Ok(())
            }
            // A reading that this kind of board does not send.
            45 => {
                let square = script.square();
                let sensed = [SquareState::Occupied, SquareState::Side(Color::Black), SquareState::Piece(script.piece())]
                    [script.below(3)];
                self.take(Input::Reading(Reading::Square(square, sensed)))
            }
            46 => {
                let reading = match script.below(4) {
                    0 => Reading::Identity(Identity::Text("?".to_owned())),
                    1 => Reading::Battery(Battery { percent: script.byte(), charging: None }),
                    2 => Reading::Memory(
                        (0..script.below(9))
                            .map(|_| match script.below(6) {
                                0 => MemoryEntry::PowerUp,
                                1 => MemoryEntry::StartPosition,
                                2 => MemoryEntry::Cleared,
                                3 => MemoryEntry::ClockPressed { half: ClockHalf::Left, ms: 60_000 },
                                _ => MemoryEntry::Square {
                                    square: script.square(),
                                    sensed: SquareState::Piece(script.piece()),
                                    follows_at_once: true,
                                },
                            })
                            .collect(),
                    ),
                    _ => Reading::ProtocolError(ProtocolError::Garbage(7)),
                };
                self.take(Input::Reading(reading))
            }
            _ => {
                self.turned = !self.turned;
                self.report_placement()
            }
        }
    }
}
