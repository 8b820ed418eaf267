//! Plays any bytes as games on a board with a memory whose cable is pulled. Its placements are complete, and its logs fit the game, nearly
//! fit it, or do not. Shared by the tests and the fuzz target of this name.

use super::player::Script;
use super::promises::Promises;
use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{
    BoardCommand, ClockHalf, ClockReading, HalfTime, LinkState, MemoryEntry, Millis, Placement, Reading, SensorKind,
    SquareState,
};
use touchmove::game::event::Rotation;
use touchmove::game::{Command, Order};
use touchmove::laws::{Changes, Position};
use touchmove::simulate::rng::Rng;
use touchmove::table::{Input, Output, Settings, Table};

/// The maximum number of entries in a DGT board's memory: a ring of 7936 bytes, and entries of one byte.
const ENTRIES: usize = 7_936;
/// Pauses in milliseconds, around the times at which a table requests the memory, waits too long for it, or continues without it.
const PAUSES: [Millis; 12] = [1, 60, 119, 251, 999, 3_001, 5_001, 9_999, 10_001, 20_001, 60_000, 400_000];
/// The minimum time after which a table requests the memory again, in milliseconds.
const SHORTEST_PAUSE: u64 = 5_000;
/// The maximum number of events from one call, besides two for each entry of a log and for each input that may have been queued.
const EVENTS: usize = 64;

/// The acts that [`script`] uses, by their numbers in [`Player::act`].
const START: u8 = 0;
const MOVE: u8 = 1;
const PULL: u8 = 8;
const PLUG: u8 = 9;
const MEMORY: u8 = 12;
const WAIT: u8 = 18;
/// Other numbers repeat these acts.
const ACTS: u8 = 26;

/// Returns the script of a seed: moves, moves without a cable, the memory of them, perhaps damaged, and moves again.
pub fn script(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, 0);
    let mut byte = |below: u64| rng.below(below) as u8;
    let mut script = vec![byte(64), START, WAIT, 5];
    for _ in 0..=byte(2) {
        for (moves, then) in [(byte(8), PULL), (1 + byte(16), PLUG)] {
            for _ in 0..moves {
                script.extend([MOVE, byte(255), byte(255), WAIT, 3 + byte(3)]);
            }
            script.push(then);
        }
        script.extend([WAIT, 3 + byte(6), MEMORY + byte(6), byte(255), byte(255), WAIT, 5 + byte(7)]);
        for _ in 0..byte(12) {
            script.push(byte(255));
        }
    }
    script
}

/// Scripts that once broke a promise, each with the violation.
pub const BROKE: [(&str, &[u8]); 1] = [
    // Missed moves were searched for from a move that was not published yet, and appended to the move before it.
    (
        "a legal move that is marked as irregular",
        b" \0\x12\x05\x01k\xf6\x12\x03\x01 \xd1\x12\x05\x01\xe9\x9b\x12\x05\x01\x15c\x12\x05\x01>F\x12\x03\x01co\x12\x04\
\x01\xb8\xa1\x12\x12\x05\x01H\x8c\x01\xa0o\x12\x03\x01S\x84\x12\x04\x01@H\x12\x05\t\x01'\x05\x12\x03\t\t\x12\
\x07\x11\xb7\x8c\x12\x08\xa7lW\x9c\x8dw\x9b\x01=q\x12\x03\x01\xe2\x98\x12\x03\x01U?\x12\x05\x01\xfdc\x12\x05\t\
\x01<\xad\x12\x04\x01g&\x12\x05\x01\xfb\x14\x12\x03\x01\xf33\x12\x03\t\x12\x07\x11b\xd2null",
    ),
];

/// Plays a script twice and compares: each call must keep the promises, and both runs must give the same output.
///
/// # Panics
/// If a promise is broken, or the outputs differ.
pub fn memory(script: &[u8]) {
    let run = || match play(script) {
        Ok(player) => (player.promises.events, player.requests),
        Err(broken) => panic!("{broken}"),
    };
    assert_eq!(run(), run(), "the same script gives another output");
}

impl Script<'_> {
    fn sensed(&mut self) -> SquareState {
        match self.byte() % 16 {
            piece @ 0..12 => {
                SquareState::Piece(Piece { color: Color::from_white(piece < 6), role: Role::ALL[usize::from(piece % 6)] })
            }
            _ => SquareState::Empty,
        }
    }

    fn entry(&mut self) -> MemoryEntry {
        match self.byte() % 12 {
            0 => MemoryEntry::PowerUp,
            1 => MemoryEntry::Cleared,
            2 => MemoryEntry::StartPosition,
            3 => MemoryEntry::ClockPressed {
                half: [ClockHalf::Left, ClockHalf::Right][self.below(2)],
                ms: u32::from(self.byte()) * 1_000,
            },
            kind => MemoryEntry::Square { square: self.square(), sensed: self.sensed(), follows_at_once: kind % 2 == 0 },
        }
    }
}

struct Player {
    table: Table,
    settings: Settings,
    now: Millis,
    /// The board is turned round.
    turned: bool,
    /// What is on the board, as the players see it.
    position: Position,
    /// What the board senses, in its own squares.
    placement: Placement,
    /// What the board remembers.
    log: Vec<MemoryEntry>,
    clock: ClockReading,
    is_plugged: bool,
    /// A complete placement has arrived since the link came up.
    is_complete: bool,
    promises: Promises,
    inputs: usize,
    /// When the memory was requested.
    requests: Vec<Millis>,
    /// How many complete placements and restarts there were, each of which may lead to a request.
    occasions: u64,
}

fn play(script: &[u8]) -> Result<Player, String> {
    let mut script = Script(script);
    let choice = script.byte();
    let rotation = [None, None, Some(Rotation::Upright), Some(Rotation::Turned)][usize::from(choice % 4)];
    let sensing = match choice >> 4 {
        14 => SensorKind::Colour,
        15 => SensorKind::Occupancy,
        _ => SensorKind::Identity,
    };
    let settings = Settings { rotation, sensing, ..Settings::default() };
    let half = HalfTime { ms: 3_600_000, flag: false };
    let mut player = Player {
        table: Table::new(settings.clone()),
        settings,
        now: 0,
        turned: choice & 4 != 0,
        position: Position::start(),
        placement: [SquareState::Empty; 64],
        log: Vec::new(),
        clock: ClockReading {
            left: half,
            right: half,
            turn: ClockHalf::Left,
            running: choice & 8 != 0,
            battery_low: false,
            resolution_ms: 1000,
            age_ms: 1000,
        },
        is_plugged: true,
        is_complete: false,
        promises: Promises::default(),
        inputs: 0,
        requests: Vec::new(),
        occasions: 0,
    };
    player.take(Input::Link(LinkState::Up))?;
    while !script.0.is_empty() {
        player.act(&mut script)?;
    }
    player.wait(100_000)?;
    let limit = 1 + player.occasions + player.now / SHORTEST_PAUSE;
    match player.requests.len() as u64 {
        requests if requests > limit => Err(format!("the memory was requested {requests} times, more than {limit}")),
        _ => Ok(player),
    }
}

impl Player {
    fn take(&mut self, input: Input) -> Result<(), String> {
        // Earlier deadlines are handled first, while the board was still known.
        self.wait(0)?;
        self.inputs += 1;
        let entries = match &input {
            Input::Link(_) => {
                self.is_complete = false;
                0
            }
            Input::Reading(Reading::Placement(_)) => {
                (self.is_complete, self.occasions) = (true, self.occasions + 1);
                0
            }
            Input::Reading(Reading::Memory(log)) => log.len(),
            _ => 0,
        };
        let output = self.table.handle(self.now, input);
        self.check(output, entries)
    }

    fn check(&mut self, output: Output, entries: usize) -> Result<(), String> {
        let count = output.events.len();
        if count > EVENTS + 2 * (entries + self.inputs) {
            return Err(format!("{count} events from {entries} entries and {} inputs", self.inputs));
        }
        self.requests.extend(output.commands.iter().filter(|command| **command == BoardCommand::Memory).map(|_| self.now));
        self.promises.take(output.events, !self.is_complete)?;
        if self.table.record() == self.promises.record() {
            Ok(())
        } else {
            Err(format!("the record differs from its events: {:?}", self.table.record()))
        }
    }

    fn wait(&mut self, ms: Millis) -> Result<(), String> {
        self.now += ms;
        // As the daemon does, at each deadline. Without new input there are few of them.
        for _ in 0..256 {
            let Some(due) = self.table.next_deadline().filter(|due| *due <= self.now) else { break };
            let output = self.table.advance(due);
            self.check(output, 0)?;
        }
        let output = self.table.advance(self.now);
        self.check(output, 0)?;
        match self.table.next_deadline() {
            Some(due) if due <= self.now => Err(format!("the deadline at {due} is still pending at {}", self.now)),
            _ => Ok(()),
        }
    }

    /// Converts a square as the players see it to one of the board.
    fn at(&self, square: Square) -> Square {
        if self.turned { square.rotate_180() } else { square }
    }

    fn note(&mut self, entry: MemoryEntry) {
        if self.log.len() < ENTRIES {
            self.log.push(entry);
        }
    }

    /// Changes a square: the board stores the change and, if its cable is plugged in, reports it.
    fn set(&mut self, square: Square, sensed: SquareState, soon: bool) -> Result<(), String> {
        self.placement[square as usize] = sensed;
        self.note(MemoryEntry::Square { square, sensed, follows_at_once: soon });
        self.now += if soon { 60 } else { 300 };
        if self.is_plugged { self.take(Input::Reading(Reading::Square(square, sensed))) } else { Ok(()) }
    }

    fn set_up(&mut self, position: Position) {
        self.placement = [SquareState::Empty; 64];
        for (square, piece) in position.board().iter() {
            self.placement[self.at(square) as usize] = SquareState::Piece(piece);
        }
        self.position = position;
    }

    fn make_move(&mut self, script: &mut Script<'_>) -> Result<(), String> {
        let moves = self.position.legal_moves();
        let (chosen, style) = (script.below(moves.len()), script.byte());
        let Some(&mv) = moves.get(chosen) else { return Ok(()) };
        let mut changes: Vec<_> = Changes::of(self.position.turn(), mv).iter().collect();
        if style & 1 != 0 {
            changes.reverse();
        }
        for (number, (square, piece)) in changes.into_iter().enumerate() {
            let soon = number > 0 && style & 2 != 0;
            let square = self.at(square);
            if piece.is_some() && style & 4 != 0 && self.placement[square as usize] != SquareState::Empty {
                self.set(square, SquareState::Empty, soon)?;
            }
            self.set(square, piece.map_or(SquareState::Empty, SquareState::Piece), soon)?;
        }
        self.position = self.position.play(mv);
        if style & 24 == 0 { Ok(()) } else { self.press() }
    }

    fn press(&mut self) -> Result<(), String> {
        let half = self.clock.turn;
        self.note(MemoryEntry::ClockPressed { half, ms: 3_600_000 });
        self.clock.running = true;
        self.clock.turn = half.other();
        if self.is_plugged { self.take(Input::Reading(Reading::Clock(Some(self.clock)))) } else { Ok(()) }
    }

    fn link(&mut self, state: LinkState) -> Result<(), String> {
        self.is_plugged = state == LinkState::Up;
        self.take(Input::Link(state))
    }

    fn send_placement(&mut self) -> Result<(), String> {
        self.take(Input::Reading(Reading::Placement(Box::new(self.placement))))
    }

    fn send_memory(&mut self, mut log: Vec<MemoryEntry>) -> Result<(), String> {
        log.truncate(ENTRIES);
        self.take(Input::Reading(Reading::Memory(log)))
    }

    fn order(&mut self, command: Command) -> Result<(), String> {
        self.take(Input::Order(Order { command, by: "somebody".to_owned() }))
    }

    fn act(&mut self, script: &mut Script<'_>) -> Result<(), String> {
        match script.byte() % ACTS {
            START => {
                self.set_up(Position::start());
                self.note(MemoryEntry::StartPosition);
                self.send_placement()
            }
            MOVE..PULL => self.make_move(script),
            PULL => self.link(LinkState::Down),
            PLUG => {
                self.link(LinkState::Up)?;
                self.send_placement()
            }
            10 => self.link(LinkState::Up),
            // A complete placement, in which some squares may be misread.
            11 => {
                let known = self.placement;
                for _ in 0..script.below(4) {
                    self.placement[script.square() as usize] = script.sensed();
                }
                self.send_placement()?;
                self.placement = known;
                Ok(())
            }
            // The memory: all of it, without its oldest or newest entries, damaged, repeated, or unrelated.
            MEMORY => self.send_memory(self.log.clone()),
            13 => {
                let cut = script.below(64).min(self.log.len());
                self.send_memory(self.log[cut..].to_vec())
            }
            14 => {
                let cut = script.below(64).min(self.log.len());
                self.send_memory(self.log[..self.log.len() - cut].to_vec())
            }
            15 => {
                let mut log = self.log.clone();
                for _ in 0..=script.below(3) {
                    let (index, entry) = (script.below(log.len()), script.entry());
                    log.splice(index.min(log.len())..(index + 1).min(log.len()), [entry]);
                }
                self.send_memory(log)
            }
            16 => {
                let times = 1 + script.below(64);
                self.send_memory(self.log.repeat(times))
            }
            17 => {
                let (count, times) = (script.below(12), 1 + 8 * script.below(128));
                let log: Vec<MemoryEntry> = (0..count).map(|_| script.entry()).collect();
                self.send_memory(log.repeat(times))
            }
            WAIT => self.wait(PAUSES[script.below(PAUSES.len())]),
            19 => {
                let (square, sensed, soon) = (script.square(), script.sensed(), script.byte().is_multiple_of(2));
                self.set(square, sensed, soon)
            }
            // A square that flickers while the table may wait for the memory.
            20 => {
                let square = script.square();
                let known = self.placement[square as usize];
                let other = if known == SquareState::Empty { script.sensed() } else { SquareState::Empty };
                for _ in 0..=script.below(32) {
                    self.set(square, other, true)?;
                    self.set(square, known, true)?;
                }
                Ok(())
            }
            // The board is switched off and on, or is empty for a moment.
            21 => {
                self.note([MemoryEntry::PowerUp, MemoryEntry::Cleared][script.below(2)]);
                for square in Square::ALL {
                    let sensed = self.placement[square as usize];
                    if sensed != SquareState::Empty {
                        self.note(MemoryEntry::Square { square, sensed, follows_at_once: false });
                    }
                }
                Ok(())
            }
            22 => self.press(),
            23 => {
                let plies = self.table.record().map_or(0, |record| record.plies.len() as u32);
                let ply = (plies + 1).saturating_sub(script.below(4) as u32);
                self.order(match script.below(5) {
                    0 => Command::TakeBack { plies: 1 },
                    1 => Command::Restore { ply },
                    2 => Command::Undo {},
                    3 => Command::Insert { ply, uci: "e2e4".to_owned() },
                    _ => Command::Position { fen: self.position.fen() },
                })
            }
            // The program is killed and started again: the same game is on record.
            24 => {
                self.table = Table::restore(self.settings.clone(), &self.promises.last_game());
                (self.now, self.is_complete, self.occasions) = (self.now + 1, false, self.occasions + 1);
                if self.table.record() != self.promises.record() {
                    return Err(format!("a restart restores another game: {:?}", self.table.record()));
                }
                self.link(LinkState::Up)?;
                self.send_placement()
            }
            // The board shows the position on record again.
            _ => {
                let record = self.table.record();
                if let Some(Ok(position)) = record.map(|record| Position::from_fen(record.fen(), false)) {
                    self.set_up(position);
                }
                self.send_placement()
            }
        }
    }
}
