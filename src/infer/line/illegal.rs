//! What nothing legal explains: a move that is not legal, or a piece that stands elsewhere while play goes on.
//!
//! One piece on another square may be either. It is a move once its player pressed the clock on it (Art. 7.5.1), or the opponent
//! played on; it is a piece out of place once its player moved another one. Until then it is neither.

use super::{Line, Node, sure};
use crate::boards::{Millis, Sensing};
use crate::game::CorrectionReason;
use crate::infer::explain::explain;
use crate::infer::model::{REST_TAKEBACK, REST_TRACELESS, SCANNED};
use crate::infer::{Explanation, Seen};
use crate::laws::{CENTRE, Position};
use shakmaty::{Bitboard, Color, Move, Role, Square, attacks};

/// A piece out of place is looked for among so many squares at most.
const WRONG: usize = 7;
/// So many moves back one that was not legal may turn out never to have been made.
const BACK: usize = 20;

/// One piece out of place, as it was seen to stand alone.
#[derive(Clone, Debug)]
pub struct Stray {
    /// The move that it would be; none if a piece is missing or too many.
    mv: Option<Move>,
    /// Where the board differs from the position.
    squares: Bitboard,
    /// How long the line was.
    nodes: usize,
}

/// Play that went on while a piece stood elsewhere.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// The squares that differ, and have nothing to do with it.
    pub squares: Bitboard,
    /// What was played.
    pub moves: Vec<Move>,
}

impl Line {
    /// Quiet, for this long, and nothing legal explains the board. Goes on with a move that is not legal, if one was made;
    /// returns legal play that went on elsewhere.
    pub fn strange(&mut self, now: Millis, quiet: Millis, seen: &Seen) -> Option<Elsewhere> {
        let wrong = self.mismatch(seen);
        if wrong.is_empty() {
            self.stray = None;
            return None;
        }
        if self.strange_and_pressed(now, quiet, seen) {
            return None;
        }
        let certain = seen.sensing() == Sensing::Identity || quiet >= REST_TRACELESS;
        if !certain || self.put_right(now, seen) || self.unexplained(seen).is_empty() {
            return None;
        }
        if let Some(stray) = self.stray_alone(wrong, seen) {
            self.stray = Some(stray);
            return None;
        }
        if self.king_strays(seen) {
            return None; // Half of a result signal: then nobody plays on.
        }
        let known = self.stray.clone().filter(|stray| stray.nodes == self.nodes.len());
        if let Some(stray) = known {
            if self.played_on(now, &stray, seen) {
                return None;
            }
            // It may have been a move after all: the press of the answer tells.
            let pending = quiet < REST_TRACELESS && self.clock && self.reply(&stray, seen).is_some();
            if !pending && let Some(elsewhere) = self.elsewhere(stray.squares, seen) {
                return Some(elsewhere);
            }
        }
        if quiet < REST_TRACELESS || wrong.count() > WRONG || seen.sensing() != Sensing::Identity {
            return None;
        }
        // Nobody saw it stand alone: a piece out of place if there is one story, but no accusation.
        let pairs = candidates(&self.tip().position, wrong).into_iter().map(|mv| squares(self, mv));
        let mut found: Vec<Elsewhere> = Vec::new();
        for pair in pairs.chain(wrong.into_iter().map(Bitboard::from_square)) {
            if let Some(elsewhere) = self.elsewhere(pair, seen) {
                found.push(elsewhere);
            }
        }
        if found.len() == 1 { found.pop() } else { None }
    }

    /// Goes on with a move that is not legal, if it stands on the board and its player pressed the clock on it. Whether it does.
    pub fn strange_and_pressed(&mut self, now: Millis, quiet: Millis, seen: &Seen) -> bool {
        let wrong = self.mismatch(seen);
        if quiet < REST_TAKEBACK || wrong.is_empty() || self.put_right(now, seen) || self.unexplained(seen).is_empty() {
            return false;
        }
        if let Some(mv) = self.pressed_stray(now, seen) {
            self.extend_illegal(now, mv, seen);
            return true;
        }
        let Some(mv) = self.went_on(now, seen) else { return false };
        let pressed_at = self.tip().pressed_at;
        self.cut(self.nodes.len() - 1);
        self.reason = CorrectionReason::Evidence;
        self.extend_illegal(now, mv, seen);
        if let Some(tip) = self.tip_mut() {
            tip.pressed_at = pressed_at;
        }
        true
    }

    /// The move that is not legal, stands on the board, and was pressed on.
    pub(super) fn pressed_stray(&self, now: Millis, seen: &Seen) -> Option<Move> {
        let stray = self.stray_alone(self.mismatch(seen), seen)?;
        stray.mv.filter(|&mv| self.is_pressed(now, mv, seen))
    }

    /// What looked like the last move was a stop on the way to one that is not legal: its piece left that square before the clock
    /// was pressed.
    fn went_on(&self, now: Millis, seen: &Seen) -> Option<Move> {
        let tip = self.tip();
        let (mv, before) = (tip.mv?, &self.node(1)?.position);
        let pressed = tip.pressed_at.filter(|at| now.saturating_sub(*at) >= SCANNED)?;
        let left = tip.left_at.is_some_and(|left| left <= pressed) && !tip.irregular;
        let wrong = seen.mismatch(before.board()) & !self.hidden(seen);
        let went = stray_from(before, wrong, seen).filter(|_| left && wrong.count() <= 4)?;
        let same = went.from() == mv.from() && before.mover(went) == before.turn();
        (same && !is_signal(went)).then_some(went)
    }

    /// The move that is not legal and stands on the board, if it is one; it may not have been pressed on.
    pub fn stray_move(&self) -> Option<Move> {
        let stray = self.stray.as_ref().filter(|stray| stray.nodes == self.nodes.len())?;
        stray.mv.filter(|&mv| !self.is_out_of_turn(mv) && !is_signal(mv))
    }

    /// Goes on with play elsewhere; `seen` passes over the squares that differ.
    pub fn go_on_elsewhere(&mut self, now: Millis, moves: &[Move], seen: &Seen) {
        for &mv in moves {
            self.extend(now, mv, seen);
        }
        self.stray = None;
    }

    /// Goes on with a move that is not legal here.
    pub fn extend_illegal(&mut self, now: Millis, mv: Move, seen: &Seen) {
        if self.tip().decided.is_none() {
            self.decide_tip(sure::ANSWERED);
        }
        let mover = self.tip().position.mover(mv);
        let mut node = self.tip().after_illegal(mv, now, seen.sensing());
        node.pressed_at = self.owed.take_if(|(_, by)| *by == mover).map(|(at, _)| at);
        node.manner = self.manner(&node, seen);
        self.push(node);
        self.stray = None;
        self.decide_tip(sure::RECONSTRUCTED);
        self.at_tip = self.tip().key == seen.key();
    }

    /// The board differs by one piece, or by a castling.
    fn stray_alone(&self, wrong: Bitboard, seen: &Seen) -> Option<Stray> {
        let mv = if wrong.count() <= 4 { stray_from(&self.tip().position, wrong, seen) } else { None };
        (mv.is_some() || wrong.count() <= 2).then_some(Stray { mv, squares: wrong, nodes: self.nodes.len() })
    }

    /// The player to move pressed the clock on this, so long ago that all that belongs to the move has been seen. The press may
    /// have been taken for that of his move before, if it was missed.
    fn is_pressed(&self, now: Millis, mv: Move, seen: &Seen) -> bool {
        let position = &self.tip().position;
        let mover = position.mover(mv);
        let stood = position.changes(mv).iter().map(|(square, _)| seen.changed_at(square)).max().unwrap_or(now);
        let last = seen.presses_since(self.tip().made_at).last().filter(|(at, _)| stood <= *at);
        let pressed = [self.owed, last].into_iter().flatten();
        let pressed = pressed.into_iter().any(|(at, by)| by == mover && now.saturating_sub(at) >= SCANNED);
        pressed && !self.is_out_of_turn(mv) && !is_signal(mv)
    }

    fn is_out_of_turn(&self, mv: Move) -> bool {
        self.tip().position.mover(mv) != self.tip().position.turn()
    }

    /// The opponent played on: the piece was moved there, and nobody minded. Out of turn only what would be a move, and no
    /// piece that was nudged to the next square.
    fn played_on(&mut self, now: Millis, stray: &Stray, seen: &Seen) -> bool {
        let (Some(mv), Some(reply)) = (stray.mv, self.reply(stray, seen)) else { return false };
        // Pressed before the piece came there, the clock says that a move of the opponent's was missed instead.
        let missed = self.is_out_of_turn(mv) && self.owed.is_some_and(|(at, _)| at < seen.changed_at(mv.to()));
        if self.clock && (self.presses_unseen == 0 || missed || (self.is_out_of_turn(mv) && self.presses_unseen > 1)) {
            return false;
        }
        self.extend_illegal(now, mv, seen);
        for mv in reply.moves {
            self.extend(now, mv, seen);
        }
        true
    }

    /// What the opponent played on top of it.
    fn reply(&self, stray: &Stray, seen: &Seen) -> Option<Explanation> {
        let mv = stray.mv?;
        let position = &self.tip().position;
        if self.is_out_of_turn(mv) {
            let nudged = mv.from().is_some_and(|from| from.distance(mv.to()) <= 1) && mv.role() != Role::Pawn;
            if nudged || !position.passed().is_legal(mv) {
                return None;
            }
        }
        (1..=2).find_map(|depth| only(explain(&position.play(mv), seen, self.hidden(seen), depth, self.tip().made_at)))
    }

    /// Legal moves that explain everything but these squares.
    fn elsewhere(&self, squares: Bitboard, seen: &Seen) -> Option<Elsewhere> {
        let position = &self.tip().position;
        let mut view = seen.clone();
        view.excuse(squares, position.board());
        let found = (1..=2).find_map(|depth| only(explain(position, &view, self.hidden(seen), depth, self.tip().made_at)))?;
        Some(Elsewhere { squares, moves: found.moves })
    }

    /// The last move was not legal, and its player now made another one instead; or play went on, and the piece stands again
    /// where it should.
    fn put_right(&mut self, now: Millis, seen: &Seen) -> bool {
        if self.tip().irregular
            && let Some(mv) = self.matches(1, seen).first().map(|found| found.mv)
        {
            self.cut(self.nodes.len() - 1);
            self.reason = CorrectionReason::Takeback;
            self.extend(now, mv, seen);
            return true;
        }
        let first = self.nodes.len().saturating_sub(BACK).max(1);
        for index in (first..self.nodes.len()).rev().filter(|&index| self.nodes[index].irregular) {
            let later: Vec<Move> = self.nodes[index + 1..].iter().filter_map(|node| node.mv).collect();
            let mut end: Node = Node::clone(&self.nodes[index - 1]);
            let legal = later.iter().all(|&mv| {
                let legal = end.position.is_legal(mv);
                end.position = end.position.play(mv);
                legal
            });
            if !later.is_empty() && legal && seen.mismatch(end.position.board()).is_empty() {
                self.reason = CorrectionReason::Evidence;
                self.adopt(now, index - 1, &later, &[], sure::RECONSTRUCTED, seen);
                return true;
            }
        }
        false
    }
}

/// The one line that is clearly better than all others.
fn only(found: Vec<Explanation>) -> Option<Explanation> {
    let clear = match found.as_slice() {
        [best, next, ..] => best.doubts < next.doubts,
        [_] => true,
        [] => false,
    };
    let sure = |best: &Explanation| !best.cut_off && best.doubts.skipped == 0 && best.doubts.traceless == 0;
    found.into_iter().next().filter(|best| clear && sure(best))
}

/// A king in the centre that walked there is half of a result signal.
fn is_signal(mv: Move) -> bool {
    let far = mv.from().is_some_and(|from| from.distance(mv.to()) > 1);
    mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to()) && far
}

fn squares(line: &Line, mv: Move) -> Bitboard {
    line.tip().position.changes(mv).iter().map(|(square, _)| square).collect()
}

/// The move that is not legal here and leaves the board as it is seen.
fn stray_from(position: &Position, wrong: Bitboard, seen: &Seen) -> Option<Move> {
    let shows = |mv: &Move| seen.mismatch(position.play(*mv).board()).is_empty();
    candidates(position, wrong).into_iter().find(shows)
}

/// The moves between these squares that are not legal, or are made by the player who is not to move: any piece to any square but
/// one of its own colour, a pawn on the last rank exchanged or not, castling with any rook of the king's rank.
fn candidates(position: &Position, wrong: Bitboard) -> Vec<Move> {
    let board = position.board();
    let mut found = Vec::new();
    for from in wrong & board.occupied() {
        let Some(piece) = board.piece_at(from) else { continue };
        for to in wrong & !board.by_color(piece.color) {
            let last = piece.role == Role::Pawn && to.rank() == piece.color.relative_rank(shakmaty::Rank::Eighth);
            let exchanged = [None, Some(Role::Queen), Some(Role::Knight), Some(Role::Rook), Some(Role::Bishop)];
            for &promotion in if last { &exchanged[..] } else { &exchanged[..1] } {
                found.push(Move::Normal { role: piece.role, from, capture: board.role_at(to), to, promotion });
            }
            // En passant too late.
            let passed = Square::from_coords(to.file(), from.rank());
            let taken = wrong.contains(passed) && board.piece_at(passed) == Some(Role::Pawn.of(!piece.color));
            if piece.role == Role::Pawn && taken && attacks::pawn_attacks(piece.color, from).contains(to) {
                found.push(Move::EnPassant { from, to });
            }
        }
    }
    for color in Color::ALL {
        let Some(king) = board.king_of(color).filter(|&king| wrong.contains(king)) else { continue };
        let rooks = board.by_piece(Role::Rook.of(color)) & Bitboard::from_rank(king.rank());
        let home = |rook: &Square| king.rank() == color.relative_rank(shakmaty::Rank::First) && wrong.contains(*rook);
        found.extend(rooks.into_iter().filter(home).map(|rook| Move::Castle { king, rook }));
    }
    found.retain(|&mv| !position.is_legal(mv));
    found
}
