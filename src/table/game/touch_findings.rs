//! What the hands touched in one turn, from lifted pieces or from touches that the board senses.

use super::TableGame;
use crate::boards::{Millis, SensorKind};
use crate::game::TouchEvidence;
use crate::laws::touch::{Duty, SensedTouches, TouchBinding, TouchRules, Touches, TouchesBeforeMove};
use shakmaty::{Bitboard, Move};

/// The touches of one turn.
pub(super) struct TouchFindings {
    /// The touches that count.
    pub touches: Touches,
    /// All touches, under the assumption that none was accidental.
    pub contacts: Touches,
    /// The squares of the touches that count and with which the piece was lifted; `None`: all of them.
    lifted: Option<Bitboard>,
}

impl TouchFindings {
    /// Returns what shows that the pieces of this duty were touched. One that was not lifted suffices for
    /// [`TouchEvidence::Touch`].
    pub(super) fn evidence_kind(&self, duty: Duty) -> TouchEvidence {
        let is_lift = |lifted: Bitboard| duty.squares().into_iter().all(|square| lifted.contains(square));
        if self.lifted.is_none_or(is_lift) { TouchEvidence::Lift } else { TouchEvidence::Touch }
    }
}

impl TableGame {
    /// Returns what the player to move after `index` plies touched until `until`; with `mv`, before they made this move at that
    /// time. `None` if the board does not show it.
    ///
    /// Boards that identify pieces show it by the pieces that are lifted. On others a lifted piece is not certain to be the one that
    /// is put down; if they sense hands, the touches show it.
    pub(super) fn touch_findings(
        &self,
        index: usize,
        until: Millis,
        mv: Option<Move>,
        rules: TouchRules,
    ) -> Option<TouchFindings> {
        if self.follower.seen().sensing() != SensorKind::Identity {
            return self.sensed_findings(index, until, mv, rules);
        }
        let hands = self.hands(index, until)?;
        let Some(mv) = mv else {
            return Some(TouchFindings { touches: hands.touches(until), contacts: hands.contacts(until), lifted: None });
        };
        let TouchesBeforeMove { mut touches, mut contacts } = hands.touches_before_move(until, mv);
        if rules.touched == TouchBinding::Unspecified && mv.is_castle() {
            // Such an edition deals only with castling that was carried out.
            let before = self.follower.nodes().get(index)?;
            for release in Touches::of_move(&before.position, mv).released() {
                touches.release(until, release.from, release.on, release.piece);
                contacts.release(until, release.from, release.on, release.piece);
            }
        }
        Some(TouchFindings { touches, contacts, lifted: None })
    }

    /// Returns what the board sensed of the hands. Before the first move, the players straighten the pieces.
    fn sensed_findings(&self, index: usize, until: Millis, mv: Option<Move>, rules: TouchRules) -> Option<TouchFindings> {
        if index == 0 || rules.touched == TouchBinding::Unspecified {
            return None;
        }
        let before = self.follower.nodes().get(index)?;
        let SensedTouches { touches, contacts, lifted } = self.touches.sensed(before, until, mv)?;
        Some(TouchFindings { touches, contacts, lifted: Some(lifted) })
    }
}
