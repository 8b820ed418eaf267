//! A virtual board together with the script that is played on it.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::centaur::VirtualCentaur;
use crate::simulate::certabo::{self, VirtualLights};
use crate::simulate::chessnut::VirtualChessnut;
use crate::simulate::dgt::VirtualDgt;
use crate::simulate::dgt_bus::{BusFaults, VirtualBus};
use crate::simulate::hands::HandsProfile;
use crate::simulate::ichessone::VirtualIChessOne;
use crate::simulate::irregularity::Injection;
use crate::simulate::millennium::{MillenniumKind, VirtualMillennium};
use crate::simulate::pgn::SourceGame;
use crate::simulate::script::{self, Act, QUIET_END, Script};
use crate::simulate::truth::GroundTruth;
use crate::simulate::{matrix, reed, tabutronic};

/// Bytes from a virtual board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// When the last of them arrived.
    pub at: Millis,
    /// The bytes: one message or a part of one.
    pub bytes: Vec<u8>,
    /// The ply that caused the board to send this, from 1; 0: none.
    pub ply: u32,
}

/// A virtual board with its two interfaces: hands and cable.
pub trait VirtualBoard: Send {
    /// Applies an act to the pieces or the clock. Call [`VirtualBoard::advance`] up to this time first.
    fn act(&mut self, at: Millis, act: Act, ply: u32);
    /// Applies an act on one of several boards on a bus, counted from 0.
    fn act_on(&mut self, _board: usize, at: Millis, act: Act, ply: u32) {
        self.act(at, act, ply);
    }
    /// Disconnects one of several boards from the bus, or reconnects it.
    fn connect(&mut self, _board: usize, _connected: bool) {}
    /// Receives bytes from the host. Call [`VirtualBoard::advance`] up to this time first.
    fn receive(&mut self, now: Millis, bytes: &[u8]);
    /// Advances the time and returns what has arrived at the host by then.
    fn advance(&mut self, now: Millis) -> Vec<Chunk>;
    /// Returns when the board next does something without any input.
    fn next_event(&self) -> Option<Millis>;
}

/// The setup of board and clock, with the profile and its faults.
#[derive(Clone, Copy, Debug)]
pub struct SimulationSetup<'a> {
    /// The profile of hands, board and cable.
    pub profile: &'a HandsProfile,
    /// A clock is connected and used.
    pub clock: bool,
    /// The rotation of the board.
    pub rotation: Rotation,
    /// The clock is turned relative to the board.
    pub clock_turned: bool,
    /// The seed of all random streams.
    pub seed: u64,
}

/// A virtual board on which a game is played, or several boards on one bus with a game on each.
pub struct Simulation {
    board: Box<dyn VirtualBoard>,
    plays: Vec<ScriptPlayback>,
    plugged: bool,
}

/// The script that is played on one board.
struct ScriptPlayback {
    script: Script,
    next: usize,
    /// Delay of the script, in milliseconds.
    delay: Millis,
}

impl ScriptPlayback {
    fn new(script: Script, delay: Millis) -> ScriptPlayback {
        ScriptPlayback { script, next: 0, delay }
    }

    fn next_at(&self) -> Option<Millis> {
        self.script.actions.get(self.next).map(|action| action.at + self.delay)
    }
}

/// The address of the first virtual board on a bus; the others follow it.
pub const FIRST_ADDRESS: u16 = 960;

impl Simulation {
    /// Creates a board of this model ([`crate::boards::Model::name`]) with the pieces of the game. Returns `None` if there is no
    /// virtual board of this model.
    pub fn new(model: &str, game: &SourceGame, setup: &SimulationSetup) -> Option<Simulation> {
        Simulation::with_irregularities(model, game, setup, &[])
    }

    /// Like [`Simulation::new`], with irregularities.
    pub fn with_irregularities(
        model: &str,
        game: &SourceGame,
        setup: &SimulationSetup,
        injections: &[Injection],
    ) -> Option<Simulation> {
        let script = script::write(game, setup.profile, setup.clock, setup.seed, injections);
        let (pieces, number) = (&script.initial_pieces, game.number as u64);
        let board: Box<dyn VirtualBoard> = match model {
            "chessnut" => Box::new(VirtualChessnut::new(setup, pieces, number)),
            "dgt" => Box::new(VirtualDgt::new(setup, pieces, number)),
            "certabo" => Box::new(certabo::board(setup, pieces, number, VirtualLights::plain())),
            "cerno" => Box::new(certabo::board(setup, pieces, number, VirtualLights::coloured())),
            "sentio" => Box::new(tabutronic::board(setup, pieces, number, VirtualLights::coloured())),
            "reed" => Box::new(reed::board(setup, pieces, number)),
            "matrix" => Box::new(matrix::board(setup, pieces, number)),
            "dgt-bus" => {
                let board = VirtualDgt::new(setup, pieces, number);
                Box::new(VirtualBus::new([(FIRST_ADDRESS, board)], BusFaults::default(), setup.seed))
            }
            "millennium" => Box::new(VirtualMillennium::new(MillenniumKind::Exclusive, setup, pieces, number)),
            "ichessone" => Box::new(VirtualIChessOne::new(setup, pieces, number)),
            "centaur" => Box::new(VirtualCentaur::new(setup, pieces, number)),
            _ => return None,
        };
        Some(Simulation { board, plays: vec![ScriptPlayback::new(script, 0)], plugged: true })
    }

    /// Creates a simulation with the board that `board` makes from the game's script and number.
    pub fn with<B: VirtualBoard + 'static>(
        game: &SourceGame,
        setup: &SimulationSetup,
        board: impl FnOnce(&Script, u64) -> B,
    ) -> Simulation {
        let script = script::write(game, setup.profile, setup.clock, setup.seed, &[]);
        let board = Box::new(board(&script, game.number as u64));
        Simulation { board, plays: vec![ScriptPlayback::new(script, 0)], plugged: true }
    }

    /// Creates DGT boards on a bus with a game on each. All scripts start `delay` milliseconds late, so that all boards have been
    /// found by then.
    pub fn chain(games: &[SourceGame], setup: &SimulationSetup, faults: BusFaults, delay: Millis) -> Simulation {
        let write = |game: &SourceGame| script::write(game, setup.profile, setup.clock, setup.seed, &[]);
        let playbacks: Vec<ScriptPlayback> = games.iter().map(|game| ScriptPlayback::new(write(game), delay)).collect();
        let boards = (FIRST_ADDRESS..).zip(games.iter().zip(&playbacks)).map(|(address, (game, playback))| {
            (address, VirtualDgt::new(setup, &playback.script.initial_pieces, game.number as u64))
        });
        Simulation { board: Box::new(VirtualBus::new(boards, faults, setup.seed)), plays: playbacks, plugged: true }
    }

    /// Removes all handling of pieces after the end of the game.
    pub fn without_aftermath(mut self) -> Simulation {
        for ScriptPlayback { script, .. } in &mut self.plays {
            let over_at = script.truth.over_at;
            script.actions.retain(|action| action.at <= over_at || !matches!(action.act, Act::Lift(_) | Act::Put(..)));
            let last = script.actions.last().map_or(over_at, |last| last.at.max(over_at));
            script.ends_at = script.ends_at.min(last + QUIET_END);
        }
        self
    }

    /// Returns the ground truth; on a bus, that of the first board.
    pub fn truth(&self) -> &GroundTruth {
        &self.script().truth
    }

    /// Returns the script; on a bus, that of the first board.
    pub fn script(&self) -> &Script {
        &self.plays[0].script
    }

    /// Returns the ground truth of each board. Its times do not include the delay of [`Simulation::chain`].
    pub fn truths(&self) -> impl Iterator<Item = &GroundTruth> {
        self.plays.iter().map(|play| &play.script.truth)
    }

    /// Returns when all scripts have ended.
    pub fn ends_at(&self) -> Millis {
        self.plays.iter().map(|play| play.script.ends_at + play.delay).max().unwrap_or(0)
    }

    /// Returns whether the cable is plugged in. While it is out, bytes in both directions are lost; the board has its own power
    /// supply.
    pub fn is_plugged(&self) -> bool {
        self.plugged
    }

    /// Disconnects one of several boards from the bus, or reconnects it; boards count from 0. The board keeps its own power supply.
    pub fn connect(&mut self, board: usize, connected: bool) {
        self.board.connect(board, connected);
    }

    /// Receives bytes from the host.
    pub fn receive(&mut self, now: Millis, bytes: &[u8]) {
        if self.plugged {
            self.board.receive(now, bytes);
        }
    }

    /// Advances the time and returns what has arrived at the host by then, in order.
    pub fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        while let Some((at, board)) = self.next_action().filter(|(at, _)| *at <= now) {
            let received = self.board.advance(at);
            chunks.extend(received.into_iter().filter(|_| self.plugged));
            let play = &mut self.plays[board];
            let action = play.script.actions[play.next];
            play.next += 1;
            match action.act {
                Act::Unplug => self.plugged = false,
                Act::Plug => self.plugged = true,
                act => self.board.act_on(board, at, act, action.ply),
            }
        }
        chunks.extend(self.board.advance(now).into_iter().filter(|_| self.plugged));
        chunks
    }

    /// Returns when something happens next.
    pub fn next_event(&self) -> Option<Millis> {
        [self.next_action().map(|(at, _)| at), self.board.next_event()].into_iter().flatten().min()
    }

    /// Returns the time of the next action and the index of its board.
    fn next_action(&self) -> Option<(Millis, usize)> {
        self.plays.iter().zip(0..).filter_map(|(play, board)| Some((play.next_at()?, board))).min()
    }
}
