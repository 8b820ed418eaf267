//! A virtual board with hands at it.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::centaur::VirtualCentaur;
use crate::simulate::certabo::{self, Lights};
use crate::simulate::chessnut::VirtualChessnut;
use crate::simulate::dgt::VirtualDgt;
use crate::simulate::dgt_bus::{Faults, VirtualBus};
use crate::simulate::hands::Profile;
use crate::simulate::ichessone::VirtualIChessOne;
use crate::simulate::irregularity::Injection;
use crate::simulate::millennium::{Kind, VirtualMillennium};
use crate::simulate::pgn::Game;
use crate::simulate::script::{self, Act, QUIET_END, Script};
use crate::simulate::truth::Truth;
use crate::simulate::{matrix, reed, tabutronic};

/// Bytes from a virtual board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// When the last of them arrived.
    pub at: Millis,
    /// The bytes: one message or a part of one.
    pub bytes: Vec<u8>,
    /// The ply that made the board say this, from 1; 0: none.
    pub ply: u32,
}

/// What a board does, seen from both of its sides: hands above, the cable below.
pub trait VirtualBoard: Send {
    /// Something is done to the pieces or the clock. Call [`VirtualBoard::advance`] up to this time first.
    fn act(&mut self, at: Millis, act: Act, ply: u32);
    /// The same on one of several boards on a line, counted from 0.
    fn act_on(&mut self, _board: usize, at: Millis, act: Act, ply: u32) {
        self.act(at, act, ply);
    }
    /// Takes one of several boards on a line from it, or puts it back.
    fn connect(&mut self, _board: usize, _connected: bool) {}
    /// Bytes from the host. Call [`VirtualBoard::advance`] up to this time first.
    fn receive(&mut self, now: Millis, bytes: &[u8]);
    /// Lets time pass; what arrived at the host's end by now.
    fn advance(&mut self, now: Millis) -> Vec<Chunk>;
    /// When something happens next without anybody doing anything.
    fn next_event(&self) -> Option<Millis>;
}

/// How board and clock stand, and what is wrong with them.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Whose hands.
    pub profile: &'a Profile,
    /// A clock is connected and used.
    pub clock: bool,
    /// How the board stands.
    pub rotation: Rotation,
    /// The clock stands the other way round than the board.
    pub clock_turned: bool,
    /// What chance is drawn from.
    pub seed: u64,
}

/// A virtual board at which a game is played; or a chain of them on one line, with a game on each.
pub struct Stage {
    board: Box<dyn VirtualBoard>,
    plays: Vec<Play>,
    plugged: bool,
}

/// What is done to one board.
struct Play {
    script: Script,
    next: usize,
    /// So much later than the script says.
    delay: Millis,
}

impl Play {
    fn new(script: Script, delay: Millis) -> Play {
        Play { script, next: 0, delay }
    }

    fn next_at(&self) -> Option<Millis> {
        self.script.actions.get(self.next).map(|action| action.at + self.delay)
    }
}

/// The address of the first virtual board on a line; the others follow it.
pub const FIRST_ADDRESS: u16 = 960;

impl Stage {
    /// A board of this model ([`crate::boards::Model::name`]) with the pieces of the game on it; `None`: there is no virtual
    /// board of this model.
    pub fn new(model: &str, game: &Game, scene: &Scene) -> Option<Stage> {
        Stage::with_irregularities(model, game, scene, &[])
    }

    /// The same where irregularities are committed.
    pub fn with_irregularities(model: &str, game: &Game, scene: &Scene, wanted: &[Injection]) -> Option<Stage> {
        let script = script::write(game, scene.profile, scene.clock, scene.seed, wanted);
        let (pieces, number) = (&script.at_first, game.number as u64);
        let board: Box<dyn VirtualBoard> = match model {
            "chessnut" => Box::new(VirtualChessnut::new(scene, pieces, number)),
            "dgt" => Box::new(VirtualDgt::new(scene, pieces, number)),
            "certabo" => Box::new(certabo::board(scene, pieces, number, Lights::plain())),
            "cerno" => Box::new(certabo::board(scene, pieces, number, Lights::coloured())),
            "sentio" => Box::new(tabutronic::board(scene, pieces, number, Lights::coloured())),
            "reed" => Box::new(reed::board(scene, pieces, number)),
            "matrix" => Box::new(matrix::board(scene, pieces, number)),
            "dgt-bus" => {
                let board = VirtualDgt::new(scene, pieces, number);
                Box::new(VirtualBus::new([(FIRST_ADDRESS, board)], Faults::default(), scene.seed))
            }
            "millennium" => Box::new(VirtualMillennium::new(Kind::Exclusive, scene, pieces, number)),
            "ichessone" => Box::new(VirtualIChessOne::new(scene, pieces, number)),
            "centaur" => Box::new(VirtualCentaur::new(scene, pieces, number)),
            _ => return None,
        };
        Some(Stage { board, plays: vec![Play::new(script, 0)], plugged: true })
    }

    /// This board, made from a game's script and its number.
    pub fn with<B: VirtualBoard + 'static>(game: &Game, scene: &Scene, board: impl FnOnce(&Script, u64) -> B) -> Stage {
        let script = script::write(game, scene.profile, scene.clock, scene.seed, &[]);
        let board = Box::new(board(&script, game.number as u64));
        Stage { board, plays: vec![Play::new(script, 0)], plugged: true }
    }

    /// DGT boards on a bus, with a game on each that begins so many milliseconds later than on a board alone, so that all boards
    /// have been found by then.
    pub fn chain(games: &[Game], scene: &Scene, faults: Faults, delay: Millis) -> Stage {
        let write = |game: &Game| script::write(game, scene.profile, scene.clock, scene.seed, &[]);
        let plays: Vec<Play> = games.iter().map(|game| Play::new(write(game), delay)).collect();
        let boards = (FIRST_ADDRESS..)
            .zip(games.iter().zip(&plays))
            .map(|(address, (game, play))| (address, VirtualDgt::new(scene, &play.script.at_first, game.number as u64)));
        Stage { board: Box::new(VirtualBus::new(boards, faults, scene.seed)), plays, plugged: true }
    }

    /// The same, but when the game is over nobody touches the pieces any more.
    pub fn without_aftermath(mut self) -> Stage {
        for Play { script, .. } in &mut self.plays {
            let over_at = script.truth.over_at;
            script.actions.retain(|action| action.at <= over_at || !matches!(action.act, Act::Lift(_) | Act::Put(..)));
            let last = script.actions.last().map_or(over_at, |last| last.at.max(over_at));
            script.ends_at = script.ends_at.min(last + QUIET_END);
        }
        self
    }

    /// What truly happened, on a chain of boards on the first.
    pub fn truth(&self) -> &Truth {
        &self.script().truth
    }

    /// What is done to the board, on a chain of boards to the first.
    pub fn script(&self) -> &Script {
        &self.plays[0].script
    }

    /// What truly happened on each board. Times are those of a board alone.
    pub fn truths(&self) -> impl Iterator<Item = &Truth> {
        self.plays.iter().map(|play| &play.script.truth)
    }

    /// When nothing more happens.
    pub fn ends_at(&self) -> Millis {
        self.plays.iter().map(|play| play.script.ends_at + play.delay).max().unwrap_or(0)
    }

    /// Whether the cable is in. While it is out, nothing comes and what is sent is lost; the board has its own supply.
    pub fn is_plugged(&self) -> bool {
        self.plugged
    }

    /// Takes one of several boards on a line from it, or puts it back; they count from 0. It keeps its own supply.
    pub fn connect(&mut self, board: usize, connected: bool) {
        self.board.connect(board, connected);
    }

    /// Bytes from the host.
    pub fn receive(&mut self, now: Millis, bytes: &[u8]) {
        if self.plugged {
            self.board.receive(now, bytes);
        }
    }

    /// Lets time pass; what arrived at the host's end by now, in order.
    pub fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        while let Some((at, board)) = self.next_action().filter(|(at, _)| *at <= now) {
            let said = self.board.advance(at);
            chunks.extend(said.into_iter().filter(|_| self.plugged));
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

    /// When something happens next.
    pub fn next_event(&self) -> Option<Millis> {
        [self.next_action().map(|(at, _)| at), self.board.next_event()].into_iter().flatten().min()
    }

    /// When something is done next, and to which board.
    fn next_action(&self) -> Option<(Millis, usize)> {
        self.plays.iter().zip(0..).filter_map(|(play, board)| Some((play.next_at()?, board))).min()
    }
}
