//! A virtual board with hands at it.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::certabo::{self, Lights};
use crate::simulate::chessnut::VirtualChessnut;
use crate::simulate::dgt::VirtualDgt;
use crate::simulate::hands::Profile;
use crate::simulate::irregularity::Injection;
use crate::simulate::pgn::Game;
use crate::simulate::script::{self, Act, QUIET_END, Script};
use crate::simulate::truth::Truth;
use crate::simulate::{reed, tabutronic};

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

/// A virtual board at which a game is played.
pub struct Stage {
    board: Box<dyn VirtualBoard>,
    script: Script,
    next: usize,
    plugged: bool,
}

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
            _ => return None,
        };
        Some(Stage { board, script, next: 0, plugged: true })
    }

    /// The same, but when the game is over nobody touches the pieces any more.
    pub fn without_aftermath(mut self) -> Stage {
        let over_at = self.script.truth.over_at;
        self.script.actions.retain(|action| action.at <= over_at || !matches!(action.act, Act::Lift(_) | Act::Put(..)));
        let last = self.script.actions.last().map_or(over_at, |last| last.at.max(over_at));
        self.script.ends_at = self.script.ends_at.min(last + QUIET_END);
        self
    }

    /// What truly happened.
    pub fn truth(&self) -> &Truth {
        &self.script.truth
    }

    /// What is done to the board.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// When nothing more happens.
    pub fn ends_at(&self) -> Millis {
        self.script.ends_at
    }

    /// Whether the cable is in. While it is out, nothing comes and what is sent is lost; the board has its own supply.
    pub fn is_plugged(&self) -> bool {
        self.plugged
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
        while let Some(action) = self.script.actions.get(self.next).filter(|action| action.at <= now) {
            let said = self.board.advance(action.at);
            chunks.extend(said.into_iter().filter(|_| self.plugged));
            match action.act {
                Act::Unplug => self.plugged = false,
                Act::Plug => self.plugged = true,
                act => self.board.act(action.at, act, action.ply),
            }
            self.next += 1;
        }
        chunks.extend(self.board.advance(now).into_iter().filter(|_| self.plugged));
        chunks
    }

    /// When something happens next.
    pub fn next_event(&self) -> Option<Millis> {
        let action = self.script.actions.get(self.next).map(|action| action.at);
        [action, self.board.next_event()].into_iter().flatten().min()
    }
}
