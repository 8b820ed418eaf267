//! Corrections of the record by the arbiter: moves replaced, inserted, restored.

use super::published::PublishedGame;
use super::{GameContext, TableGame};
use crate::boards::{Millis, Placement};
use crate::game::event::ClockTimes;
use crate::game::record::{Ply, PlyState};
use crate::game::{CompletedBy, Confidence, CorrectionReason, PlayedMove, Refusal};
use crate::infer::KnownPly;
use crate::laws::{Move, Position};
use crate::table::Output;
use shakmaty::{Role, Square};

/// How the arbiter changes the record at a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordEdit {
    /// Replaces the move.
    Replace,
    /// Inserts a move before it.
    Insert,
}

impl TableGame {
    /// Makes these plies the record. `recorded`: the changed plies with how they were completed; `None`: as the record had
    /// them at the same plies.
    pub(super) fn set_moves(
        &mut self,
        now: Millis,
        moves: &[KnownPly],
        recorded: Option<&[Ply]>,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let same = self.published.common_plies(moves);
        let mut states = match recorded {
            Some(recorded) => recorded.get(recorded.len().saturating_sub(moves.len() - same)..).unwrap_or_default().to_vec(),
            None => self.record().plies.get(same..).unwrap_or_default().to_vec(),
        };
        if states.len() < moves.len() - same {
            // One move is new; the moves after it are completed as they were.
            states.insert(0, completed(now, states.is_empty()));
        }
        let pressed = |index: usize| {
            let state = index.checked_sub(same).and_then(|index| states.get(index)).map(|ply| ply.state);
            matches!(state, Some(PlyState::Completed { by: CompletedBy::Clock, .. })).then_some(now)
        };
        let timed = |(index, known): (usize, &KnownPly)| KnownPly { pressed_at: pressed(index), ..known.clone() };
        let timed: Vec<KnownPly> = moves.iter().enumerate().map(timed).collect();
        self.follower.rewrite(now, &timed, CorrectionReason::Arbiter);
        self.published.mark_current(self.follower.changes());
        let played: Vec<PlayedMove> = match recorded {
            Some(_) => states.iter().map(|ply| ply.played.clone()).collect(),
            None => (same..moves.len()).filter_map(|index| self.played_move(index)).collect(),
        };
        self.put_on_record(now, same, played, &states, context, output);
        self.touches.set_allowed_moves(None);
        self.fix_settled_plies();
    }

    /// Fixes the moves that the arbiter let stand, and missing moves with everything before them: they are not corrected any more.
    pub(super) fn fix_settled_plies(&mut self) {
        let let_stand = self.record().let_stand_plies.last().map_or(0, |ply| *ply as usize);
        self.follower.fix_plies(let_stand.max(self.published.last_missing()));
    }

    /// Applies a correction of the record. If the board differs by more than a piece in the hand, nothing is inferred until it
    /// agrees.
    pub(super) fn amend(
        &mut self,
        now: Millis,
        moves: &[KnownPly],
        placement: &Placement,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        self.read_current_placement(now, placement, context);
        self.set_moves(now, moves, None, context, output);
        self.end_if_over(now, moves.len().saturating_sub(1), context, output);
        self.end.reopen_unless(self.record().result.is_some());
        self.resume_amended(now);
        self.publish(now, context, output);
    }

    /// Continues the game after a correction of the record. If the board differs by more than a piece in the hand, nothing is
    /// inferred until it agrees.
    pub(super) fn resume_amended(&mut self, now: Millis) {
        let is_in_hand = self.follower.unexplained().is_empty() && self.follower.mismatch().any();
        if is_in_hand && !self.hold.is_paused() {
            self.end_hold(now);
        } else {
            self.restore_board(now);
        }
    }
}

impl PublishedGame {
    /// Returns the plies of the game after replacing or inserting this move at this ply.
    pub(super) fn with_move(&self, edit: RecordEdit, ply: u32, uci: &str) -> Result<Vec<KnownPly>, Refusal> {
        let known = self.len() as u32;
        let last = if edit == RecordEdit::Insert { known + 1 } else { known };
        let index = ply.checked_sub(1).filter(|_| ply <= last).ok_or(Refusal::NoPly { ply, known })? as usize;
        let all = self.known_plies(known as usize);
        let (before, after) = all.split_at_checked(index).ok_or(Refusal::NoPly { ply, known })?;
        let mut old = self.position_after(index);
        let mv = old.parse_uci(uci).ok_or_else(|| Refusal::NotLegal { uci: uci.to_owned(), ply })?;
        let mut later = after;
        let mut new = old.play(mv);
        if edit == RecordEdit::Replace
            && let Some((replaced, rest)) = after.split_first()
        {
            if replaced.mv == mv {
                return Err(Refusal::SameMove { ply });
            }
            (later, old) = (rest, replaced.found.clone().unwrap_or_else(|| old.play(replaced.mv)));
        }
        let unpressed_ply = |mv, found| KnownPly { mv, pressed_at: None, found };
        let mut moves = before.to_vec();
        moves.push(unpressed_ply(mv, None));
        for (number, later) in (known - later.len() as u32 + 1..).zip(later) {
            let mv = later.mv;
            if let (Some(found), Some(null)) = (&later.found, new.null_move()) {
                // The position found after missing moves does not depend on what was played before.
                (old, new) = (found.clone(), found.clone());
                moves.push(unpressed_ply(null, later.found.clone()));
                continue;
            }
            let uci = old.uci(mv);
            // An irregular move stays irregular at its own place; at another place there is no evidence for it.
            let irregular = || same_irregular_move(&old, mv, &new).filter(|_| edit == RecordEdit::Replace && !old.is_legal(mv));
            let later = || self.record().ply(number).map_or_else(String::new, |ply| ply.played.numbered_san());
            let refusal = || Refusal::LaterMove { ply: number, san: old.san(mv), later: later() };
            let next = new.parse_uci(&uci).or_else(irregular).ok_or_else(refusal)?;
            (old, new) = (old.play(mv), new.play(next));
            moves.push(unpressed_ply(next, None));
        }
        Ok(moves)
    }

    /// Returns how many of these plies, from the first on, match the record.
    pub(super) fn common_plies(&self, plies: &[KnownPly]) -> usize {
        let recorded = self.moves().iter().zip(&self.record().plies).zip(plies);
        let is_same = |found: &Position, ply: &Ply| found.fen() == ply.played.fen;
        recorded
            .take_while(|((mv, ply), known)| **mv == known.mv && known.found.as_ref().is_none_or(|found| is_same(found, ply)))
            .count()
    }
}

/// Returns the same irregular move played from another position. A late en passant capture stays one if that pawn is on the same
/// square.
fn same_irregular_move(old: &Position, mv: Move, new: &Position) -> Option<Move> {
    let other = new.any_move(&old.uci(mv))?;
    let passed_square = |from: Square| Square::from_coords(mv.to().file(), from.rank());
    let is_lost_en_passant = mv.is_en_passant() && other.role() == Role::Pawn && !other.is_capture();
    let is_on_board = mv.from().map(passed_square).is_some_and(|square| new.piece_at(square) == old.piece_at(square));
    Some(if is_lost_en_passant && is_on_board { mv } else { other })
}

/// Returns how a move that the arbiter inserted was completed; if it is the last move, it is not completed yet.
fn completed(now: Millis, last: bool) -> Ply {
    let played =
        PlayedMove { uci: String::new(), san: String::new(), fen: String::new(), irregular: false, evidence: Vec::new() };
    let state = if last { PlyState::Made } else { PlyState::Completed { by: CompletedBy::Arbiter, at: now } };
    Ply { played, made_at: now, state, confidence: Confidence::CERTAIN, clocks: ClockTimes::default() }
}
