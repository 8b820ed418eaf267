//! What nothing legal explains: a move that is not legal, or a piece that stands elsewhere while play goes on.
//!
//! One piece on another square may be either. It is a move once its player pressed the clock on it (Art. 7.5.1), or the opponent
//! played on; it is a piece out of place once its player moved another one. Until then it is neither.

use super::{Line, Node, sure};
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::CorrectionReason;
use crate::infer::explain::explain;
use crate::infer::model::{CARRIED, REST_TAKEBACK, REST_TRACELESS, SCANNED, UNEXPLAINED};
use crate::infer::node::{Instead, Slip};
use crate::infer::{Explanation, Seen};
use crate::laws::reason::{Reason, why_illegal, why_illegal_to_stand};
use crate::laws::{CENTRE, Position};
use shakmaty::{Bitboard, Board, Color, Move, Piece, Rank, Role, Square, attacks};

/// A piece out of place is looked for among so many squares at most.
const WRONG: usize = 7;
/// So many moves back one that was not legal may turn out never to have been made.
const BACK: usize = 20;
/// If a piece is in the hand for longer than this, milliseconds, before it comes down where something changed, it did not take
/// elsewhere what was never seen to leave: a piece is exchanged for another unseen within one scan of the board and the time of a hand.
const EXCHANGED: Millis = SCANNED + CARRIED;

/// One piece out of place, as it was seen to stand alone.
#[derive(Clone, Debug)]
pub struct Stray {
    /// The move that it would be; none if a piece is missing or too many.
    mv: Option<Move>,
    /// What that move does not tell of it.
    slip: Option<Slip>,
    /// Where the board differs from the position.
    squares: Bitboard,
    /// How long the line was.
    nodes: usize,
    /// Its player pressed the clock on it.
    pressed: bool,
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
        if self.put_right(now, seen) || !self.is_strange(seen) {
            return None;
        }
        let certain = seen.sensing() == Sensing::Identity || quiet >= REST_TRACELESS;
        let known = self.stray.clone().filter(|stray| stray.nodes == self.nodes.len());
        if let Some(mut stray) = self.stray_alone(wrong, seen) {
            stray.pressed = stray.mv.is_some_and(|mv| self.is_pressed(now, mv, seen))
                || known.is_some_and(|known| known.pressed && known.mv == stray.mv);
            if certain || stray.pressed {
                self.stray = Some(stray);
            }
            return None;
        }
        // What its player pressed on needs no more proof when his opponent plays on.
        if !certain && !known.as_ref().is_some_and(|known| known.pressed) {
            return None;
        }
        if self.king_strays(seen) {
            return None; // Half of a result signal: then nobody plays on.
        }
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
        if quiet < REST_TAKEBACK {
            return false;
        }
        if let Some(mv) = self.taken_elsewhere(now, seen) {
            self.was_illegal(now, mv, seen);
            return true;
        }
        if self.mismatch(seen).is_empty() || self.put_right(now, seen) || !self.is_strange(seen) {
            return false;
        }
        if let Some((mv, slip)) = self.pressed_stray(now, seen) {
            self.extend_illegal(now, mv, slip, seen);
            return true;
        }
        let Some(mv) = self.went_on(now, seen) else { return false };
        self.was_illegal(now, mv, seen);
        true
    }

    /// The last move was another one, which is not legal.
    fn was_illegal(&mut self, now: Millis, mv: Move, seen: &Seen) {
        let pressed_at = self.tip().pressed_at;
        self.cut(self.nodes.len() - 1);
        self.reason = CorrectionReason::Evidence;
        self.extend_illegal(now, mv, None, seen);
        if let Some(tip) = self.tip_mut() {
            tip.pressed_at = pressed_at;
        }
    }

    /// Nothing legal explains the board, not even pieces in the hands; or they do, and a move that is not legal as well.
    fn is_strange(&self, seen: &Seen) -> bool {
        self.unexplained(seen).any() || traced_capture(self.tip(), self.hidden(seen), seen).is_some()
    }

    /// The move that is not legal, stands on the board, and was pressed on.
    pub(super) fn pressed_stray(&self, now: Millis, seen: &Seen) -> Option<(Move, Option<Slip>)> {
        let Stray { mv, slip, .. } = self.stray_alone(self.mismatch(seen), seen)?;
        mv.filter(|&mv| self.is_pressed(now, mv, seen)).map(|mv| (mv, slip))
    }

    /// Whether the last move is a capture that left no trace where it took, and one that is not legal explains all that has changed,
    /// other than by chance. Occupancy boards only.
    pub fn is_outdone(&self) -> bool {
        self.tip().instead.is_some_and(|instead| instead.held >= EXCHANGED)
    }

    /// Sees whether a move that is not legal explains what has changed, where the last move is a capture that left no trace.
    pub(super) fn compare_with_illegal(&mut self, seen: &Seen) {
        let found = self.untraced_capture(seen).and_then(|(before, last)| {
            let (mv, held) = traced_capture(before, self.hidden(seen), seen)?;
            (mv.from() == last.from()).then_some(Instead { mv, held })
        });
        // What is decided stays as it was told.
        if self.tip().instead == found || (found.is_none() && self.tip().decided.is_some()) {
            return;
        }
        let was_outdone = self.is_outdone();
        if let Some(tip) = self.tip_mut() {
            tip.instead = found;
        }
        if self.is_outdone() && !was_outdone {
            self.blame(UNEXPLAINED);
        }
        self.changes += 1;
    }

    /// The last move, with the node before it, if it is a legal capture and left no trace where it took. Occupancy boards only.
    fn untraced_capture(&self, seen: &Seen) -> Option<(&Node, Move)> {
        let before = self.node(1).filter(|_| seen.sensing() == Sensing::Occupancy && !self.tip().irregular)?;
        let last = self.tip().mv.filter(|&mv| mv.is_capture() && self.is_silent(mv, before, seen))?;
        Some((before, last))
    }

    /// What looked like a capture of which nothing was seen was a move of its piece that is not legal, and was pressed on.
    fn taken_elsewhere(&self, now: Millis, seen: &Seen) -> Option<Move> {
        let (before, last) = self.untraced_capture(seen)?;
        let pressed = self.tip().pressed_at.filter(|at| now.saturating_sub(*at) >= SCANNED)?;
        let stands = || {
            let wrong = seen.mismatch(before.position.board()) & !self.hidden(seen);
            let all = wrong.is_superset(seen.changed_since(before.made_at)) && wrong.count() <= 4;
            stray_from(&before.position, wrong, seen).filter(|_| all)
        };
        let traced = self.tip().instead.filter(|_| self.is_outdone() && self.at_tip);
        let mv = traced.map(|instead| instead.mv).or_else(stands)?;
        (mv.from() == last.from() && seen.changed_at(mv.to()) <= pressed && !is_signal(mv)).then_some(mv)
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

    /// The move that is not legal and stands on the board, if it is one, and why it is not; it may not have been pressed on.
    pub fn stray_move(&self) -> Option<(Move, Reason)> {
        let stray = self.stray.as_ref().filter(|stray| stray.nodes == self.nodes.len())?;
        let mv = stray.mv.filter(|&mv| !self.is_out_of_turn(mv) && !is_signal(mv))?;
        let slip = stray.slip.as_ref().map(|slip| slip.reason.clone());
        Some((mv, slip.or_else(|| why_illegal(&self.tip().position, mv))?))
    }

    /// Goes on with play elsewhere; `seen` passes over the squares that differ.
    pub fn go_on_elsewhere(&mut self, now: Millis, moves: &[Move], seen: &Seen) {
        for &mv in moves {
            self.extend(now, mv, seen);
        }
        self.stray = None;
    }

    /// Goes on with a move that is not legal here. `slip`: what it does not tell of what was done.
    pub fn extend_illegal(&mut self, now: Millis, mv: Move, slip: Option<Slip>, seen: &Seen) {
        if self.tip().decided.is_none() {
            self.decide_tip(sure::ANSWERED);
        }
        let mover = self.tip().position.mover(mv);
        let mut node = self.tip().after_illegal(mv, now, seen.sensing());
        node.pressed_at = self.owed.take_if(|(_, by)| *by == mover).map(|(at, _)| at);
        node.manner = self.manner(&node, seen);
        node.slip = slip.map(Box::new);
        self.push(node);
        self.stray = None;
        self.decide_tip(sure::RECONSTRUCTED);
        self.at_tip = self.tip().key == seen.key();
    }

    /// The board differs by one piece, or by a castling.
    fn stray_alone(&self, wrong: Bitboard, seen: &Seen) -> Option<Stray> {
        let position = &self.tip().position;
        let few = wrong.count() <= 4;
        let traced = || traced_capture(self.tip(), self.hidden(seen), seen).map(|(mv, _)| mv);
        let mv = if few { stray_from(position, wrong, seen).or_else(traced) } else { None };
        let slipped = if few && mv.is_none() { slip_from(position, wrong, self.hidden(seen), seen) } else { None };
        let (mv, slip) = slipped.map_or((mv, None), |(mv, slip)| (Some(mv), Some(slip)));
        (mv.is_some() || wrong.count() <= 2).then_some(Stray {
            mv,
            slip,
            squares: wrong,
            nodes: self.nodes.len(),
            pressed: false,
        })
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
        self.extend_illegal(now, mv, stray.slip.clone(), seen);
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
        let after = position.play(mv);
        let view = stray.slip.as_ref().map(|slip| {
            let mut view = seen.clone();
            view.excuse(slip.squares, after.board());
            view
        });
        let seen = view.as_ref().unwrap_or(seen);
        (1..=2).find_map(|depth| only(explain(&after, seen, self.hidden(seen), depth, self.tip().made_at)))
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
    // Moves of which the second was put down long before the first are another story.
    let seen = |best: &Explanation| best.doubts.skipped == 0 && best.doubts.traceless == 0 && best.doubts.disordered == 0;
    let sure = |best: &Explanation| !best.cut_off && seen(best);
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

/// A capture that is not legal, by the one piece of the player to move that has left its square, on the one other square that has
/// changed since the position of this node, or, by a pawn, of the pawn that it could take en passant: as if it stood in its place.
/// With how long the piece was in the hand, in milliseconds. On boards that show nothing of it but the square that it left.
fn traced_capture(node: &Node, hidden: Bitboard, seen: &Seen) -> Option<(Move, Millis)> {
    if seen.sensing() != Sensing::Occupancy {
        return None;
    }
    let (position, board) = (&node.position, node.position.board());
    let (us, changed) = (position.turn(), seen.changed_since(node.made_at) & !hidden);
    let from = (board.by_color(us) & !seen.occupied() & !hidden).single_square().filter(|&from| changed.contains(from))?;
    let role = board.role_at(from)?;
    let beside = position.en_passant().filter(|&to| role == Role::Pawn && attacks::pawn_attacks(us, from).contains(to));
    let beside = beside.map(|to| Square::from_coords(to.file(), from.rank()));
    let others = changed & !Bitboard::from_square(from);
    let to = if others.is_empty() { beside } else { others.single_square() }?;
    let enemy = board.by_color(!us) & seen.occupied() & !board.kings();
    let last = role == Role::Pawn && to.rank() == us.relative_rank(Rank::Eighth);
    let mv = Move::Normal { role, from, capture: board.role_at(to), to, promotion: None };
    if !enemy.contains(to) || last || (seen.mismatch(position.play(mv).board()) & !hidden).any() {
        return None;
    }
    // Nobody is accused of a move that is none of his piece's: a square that was brushed is the likelier story.
    let is_move = !matches!(why_illegal(position, mv)?, Reason::NoSuchMove { .. }) || beside == Some(to);
    is_move.then_some((mv, seen.changed_at(to).saturating_sub(seen.changed_at(from))))
}

/// What the player to move did that no move tells, with the move that is nearest to it: a pawn became a piece of the other colour, or
/// another pawn was taken off than the one that it took en passant.
fn slip_from(position: &Position, wrong: Bitboard, hidden: Bitboard, seen: &Seen) -> Option<(Move, Slip)> {
    let (board, us) = (position.board(), position.turn());
    let stands = standing(position, wrong, seen)?;
    let reason = why_illegal_to_stand(position, &stands)?;
    let to = match &reason {
        Reason::PromotedColour { on } => on.square,
        Reason::EnPassantWrongPawn { .. } => position.en_passant()?,
        _ => return None,
    };
    let pawns = wrong & board.by_piece(Role::Pawn.of(us)) & !stands.occupied();
    let from = pawns.single_square().filter(|from| from.distance(to) == 1)?;
    let mv = Move::Normal { role: Role::Pawn, from, capture: board.role_at(to), to, promotion: None };
    // Nothing else was done.
    let squares = seen.mismatch(position.play(mv).board()) & !hidden;
    (squares.count() == 1).then_some((mv, Slip { squares, reason }))
}

/// The position with what stands on these squares now. Where the board does not tell the piece it is the one that the player to move
/// has lifted, and one of the other colour on the last rank a queen; `None` where it can be several.
fn standing(position: &Position, squares: Bitboard, seen: &Seen) -> Option<Board> {
    let us = position.turn();
    let mut stands = position.board().clone();
    let lifted = (squares & position.board().by_color(us) & !seen.occupied()).single_square();
    let mut lifted = lifted.and_then(|square| position.piece_at(square));
    for square in squares {
        let last = square.rank() == us.relative_rank(Rank::Eighth);
        let piece = match seen.at(square) {
            Sensed::Empty => None,
            Sensed::Piece(piece) => Some(piece),
            Sensed::Side(color) if color != us && last => Some(Piece { color, role: Role::Queen }),
            Sensed::Side(color) => Some(lifted.take_if(|lifted| lifted.color == color)?),
            Sensed::Occupied => Some(lifted.take()?),
        };
        match piece {
            Some(piece) => stands.set_piece_at(square, piece),
            None => stands.discard_piece_at(square),
        }
    }
    Some(stands)
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
