//! A game as far as it decides what of it is held back: its moves, and the rulings on illegal ones.

use super::IllegalMoves;
use crate::game::{AlertKind, Command, Event, PlayedMove};
use shakmaty::Color;

/// The state that decides whether a move is held.
#[derive(Clone, Debug, Default)]
pub(super) struct GameProgress {
    pub(super) plies: Vec<DelayedPly>,
    /// The alerts that the arbiter may let stand: the id, the kind and the ply of each.
    alerts: Vec<(u32, AlertKind, u32)>,
    /// The last event was a command to undo.
    undoing: bool,
    /// The game has a result.
    pub(super) over: bool,
}

#[derive(Clone, Debug)]
pub(super) struct DelayedPly {
    uci: String,
    mover: Color,
    illegal: bool,
    /// It remains in force by the edition of the Laws.
    by_laws: bool,
    /// The kind of the alert on which the arbiter let it stand.
    ruled: Option<AlertKind>,
    completed: bool,
}

impl DelayedPly {
    fn new(number: u32, played: &PlayedMove) -> DelayedPly {
        let mover = played.mover().unwrap_or(Color::from_white(number % 2 == 1));
        DelayedPly {
            uci: played.uci.clone(),
            mover,
            illegal: played.irregular && !played.is_missing(),
            by_laws: false,
            ruled: None,
            completed: false,
        }
    }
}

impl GameProgress {
    pub(super) fn apply(&mut self, event: &Event) {
        let undoing = std::mem::take(&mut self.undoing);
        match event {
            Event::MoveMade { ply, played, .. } => self.replace(*ply, std::slice::from_ref(played)),
            Event::MovesCorrected { from_ply, moves, .. } => self.replace(*from_ply, moves),
            Event::MoveCompleted { ply, .. } => {
                if let Some(ply) = self.ply_mut(*ply) {
                    ply.completed = true;
                }
            }
            Event::AlertRaised(alert) => {
                self.alerts.push((alert.id, alert.kind, alert.ply));
                if let Some(ply) = self.ply_mut(alert.ply) {
                    ply.by_laws |= ply.illegal && alert.kind == AlertKind::IllegalStands;
                    // If letting a move stand is undone, its alert is raised again.
                    ply.ruled.take_if(|kind| undoing && *kind == alert.kind);
                }
                self.undoing = undoing;
            }
            Event::Commanded { command: Command::LetStand { alert: id }, .. } => {
                if let Some((_, kind, ply)) = self.alerts.iter().find(|(known, ..)| known == id).copied()
                    && let Some(ply) = self.ply_mut(ply)
                {
                    ply.ruled = ply.illegal.then_some(kind);
                }
            }
            Event::Commanded { command, .. } => self.undoing = *command == Command::Undo {},
            Event::Result { result, .. } => self.over = result.is_some(),
            _ => {}
        }
    }

    /// Replaces the plies from `from` on.
    fn replace(&mut self, from: u32, moves: &[PlayedMove]) {
        let unchanged = from.saturating_sub(1) as usize;
        let before = self.plies.split_off(unchanged.min(self.plies.len()));
        self.plies.extend((from..).zip(moves).enumerate().map(|(index, (number, played))| {
            let ply = DelayedPly::new(number, played);
            // A ruling on another move does not apply to this one.
            match before.get(index).filter(|old| old.uci == ply.uci && ply.illegal) {
                Some(old) => DelayedPly { by_laws: old.by_laws, ruled: old.ruled, ..ply },
                None => ply,
            }
        }));
    }

    fn ply_mut(&mut self, number: u32) -> Option<&mut DelayedPly> {
        self.plies.get_mut((number as usize).checked_sub(1)?)
    }

    /// Whether this ply is illegal and may still be taken back.
    pub(super) fn is_unruled(&self, number: u32) -> bool {
        let index = (number as usize).wrapping_sub(1);
        let Some(ply) = self.plies.get(index).filter(|ply| ply.illegal && !ply.by_laws && ply.ruled.is_none()) else {
            return false;
        };
        let replies = self.plies.iter().skip(index).filter(|reply| reply.mover != ply.mover && reply.completed);
        replies.count() < IllegalMoves::REPLIES
    }
}
