//! A virtual board together with the script that is played on it.

use crate::boards::{Millis, VirtualBoardKind, model};
use crate::simulate::act::Act;
use crate::simulate::arbiter_call;
use crate::simulate::centaur::VirtualCentaur;
use crate::simulate::certabo::{self, VirtualLights};
use crate::simulate::chessnut::VirtualChessnut;
use crate::simulate::chessup::ChessUp;
use crate::simulate::dgt::VirtualDgt;
use crate::simulate::dgt_bus::{BusFaults, VirtualBus};
use crate::simulate::ichessone::VirtualIChessOne;
use crate::simulate::irregularity::Injection;
use crate::simulate::millennium::{MillenniumKind, VirtualMillennium};
use crate::simulate::pgn::SourceGame;
use crate::simulate::script::{self, QUIET_END, Script};
use crate::simulate::truth::GroundTruth;
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use crate::simulate::wireless::{self, Cpp, Pegasus, SquareOff, Staunton};
use crate::simulate::{matrix, reed, tabutronic};
use shakmaty::Piece;

/// A virtual board on which a game is played, or several boards on one bus with a game on each.
pub struct Simulation {
    board: Box<dyn VirtualBoard>,
    plays: Vec<ScriptPlayback>,
    plugged: bool,
    /// No action after this time is carried out before [`Simulation::resume`].
    pause: Option<Millis>,
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
    /// such model.
    pub fn new(model_name: &str, game: &SourceGame, setup: &SimulationSetup) -> Option<Simulation> {
        Simulation::with_irregularities(model_name, game, setup, &[])
    }

    /// Like [`Simulation::new`], with irregularities.
    pub fn with_irregularities(
        model_name: &str,
        game: &SourceGame,
        setup: &SimulationSetup,
        injections: &[Injection],
    ) -> Option<Simulation> {
        Some(Simulation::of_kind(model(model_name)?.virtual_board, game, setup, injections))
    }

    /// Like [`Simulation::with_irregularities`], with the board connected over Bluetooth.
    pub fn over_radio(
        model_name: &str,
        game: &SourceGame,
        setup: &SimulationSetup,
        injections: &[Injection],
    ) -> Option<Simulation> {
        let kind = match model(model_name)?.virtual_board {
            // The same board, whose reports are shorter than over USB.
            VirtualBoardKind::Chessnut => VirtualBoardKind::ChessnutMove,
            kind => kind,
        };
        Some(Simulation::of_kind(kind, game, setup, injections))
    }

    fn of_kind(kind: VirtualBoardKind, game: &SourceGame, setup: &SimulationSetup, injections: &[Injection]) -> Simulation {
        let script = script::write(game, setup.profile, setup.clock, setup.seed, injections);
        let board = virtual_board(kind, setup, &script.initial_pieces, game.number as u64);
        Simulation { board, plays: vec![ScriptPlayback::new(script, 0)], plugged: true, pause: None }
    }

    /// Creates a simulation with the board that `board` makes from the game's script and number.
    pub fn with<B: VirtualBoard + 'static>(
        game: &SourceGame,
        setup: &SimulationSetup,
        board: impl FnOnce(&Script, u64) -> B,
    ) -> Simulation {
        let script = script::write(game, setup.profile, setup.clock, setup.seed, &[]);
        let board = Box::new(board(&script, game.number as u64));
        Simulation { board, plays: vec![ScriptPlayback::new(script, 0)], plugged: true, pause: None }
    }

    /// Creates DGT boards on a bus with a game on each. All scripts start `delay` milliseconds late, so that all boards have been
    /// found by then.
    pub fn chain(games: &[SourceGame], setup: &SimulationSetup, faults: BusFaults, delay: Millis) -> Simulation {
        let write = |game: &SourceGame| script::write(game, setup.profile, setup.clock, setup.seed, &[]);
        let playbacks: Vec<ScriptPlayback> = games.iter().map(|game| ScriptPlayback::new(write(game), delay)).collect();
        let boards = (FIRST_ADDRESS..).zip(games.iter().zip(&playbacks)).map(|(address, (game, playback))| {
            (address, VirtualDgt::new(setup, &playback.script.initial_pieces, game.number as u64))
        });
        Simulation {
            board: Box::new(VirtualBus::new(boards, faults, setup.seed)),
            plays: playbacks,
            plugged: true,
            pause: None,
        }
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

    /// Gives the board this serial number, from 1 to 16383, if boards of its kind report one.
    pub fn with_serial_number(mut self, number: u16) -> Simulation {
        self.board.set_serial_number(number);
        self
    }

    /// The players stop the clock after their first illegal move, and wait for the arbiter: until [`Simulation::resume`]. Only on a
    /// board of its own.
    pub fn calling_the_arbiter(mut self) -> Simulation {
        if let [play] = &mut self.plays[..] {
            self.pause = arbiter_call::stop_at_illegal_move(&mut play.script);
        }
        self
    }

    /// Returns whether the players wait for the arbiter.
    pub fn is_waiting(&self, now: Millis) -> bool {
        self.pause.is_some_and(|pause| pause <= now)
    }

    /// The arbiter has come: play goes on, as much later as the players have waited.
    pub fn resume(&mut self, now: Millis) {
        if let Some(pause) = self.pause.filter(|pause| *pause <= now) {
            self.pause = None;
            self.plays.iter_mut().for_each(|play| play.delay += now - pause);
        }
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
        let next = self.plays.iter().zip(0..).filter_map(|(play, board)| Some((play.next_at()?, board))).min();
        next.filter(|(at, _)| self.pause.is_none_or(|pause| *at <= pause))
    }
}

/// Creates the virtual board of this kind with these pieces on the squares of play. `stream` selects the random stream of a game.
pub fn virtual_board(
    kind: VirtualBoardKind,
    setup: &SimulationSetup,
    pieces: &[Option<Piece>; 64],
    stream: u64,
) -> Box<dyn VirtualBoard> {
    match kind {
        VirtualBoardKind::Dgt => Box::new(VirtualDgt::new(setup, pieces, stream)),
        VirtualBoardKind::DgtBus => {
            let board = VirtualDgt::new(setup, pieces, stream);
            Box::new(VirtualBus::new([(FIRST_ADDRESS, board)], BusFaults::default(), setup.seed))
        }
        VirtualBoardKind::Certabo => Box::new(certabo::board(setup, pieces, stream, VirtualLights::plain())),
        VirtualBoardKind::Cerno => Box::new(certabo::board(setup, pieces, stream, VirtualLights::coloured())),
        VirtualBoardKind::Sentio => Box::new(tabutronic::board(setup, pieces, stream, VirtualLights::coloured())),
        VirtualBoardKind::Chessnut => Box::new(VirtualChessnut::new(setup, pieces, stream)),
        VirtualBoardKind::Reed => Box::new(reed::board(setup, pieces, stream)),
        VirtualBoardKind::Matrix => Box::new(matrix::board(setup, pieces, stream)),
        VirtualBoardKind::Millennium => Box::new(VirtualMillennium::new(MillenniumKind::Exclusive, setup, pieces, stream)),
        VirtualBoardKind::IChessOne => Box::new(VirtualIChessOne::new(setup, pieces, stream)),
        VirtualBoardKind::Centaur => Box::new(VirtualCentaur::new(setup, pieces, stream)),
        VirtualBoardKind::ChessnutMove => Box::new(VirtualChessnut::new(setup, pieces, stream).over_radio()),
        VirtualBoardKind::Pegasus => Box::new(wireless::board(setup, pieces, stream, Pegasus::default())),
        VirtualBoardKind::ChessUp => Box::new(wireless::board(setup, pieces, stream, ChessUp::default())),
        VirtualBoardKind::SquareOff => Box::new(wireless::board(setup, pieces, stream, SquareOff::default())),
        VirtualBoardKind::Staunton => Box::new(wireless::board(setup, pieces, stream, Staunton::default())),
        VirtualBoardKind::Cpp => Box::new(wireless::board(setup, pieces, stream, Cpp::default())),
    }
}
