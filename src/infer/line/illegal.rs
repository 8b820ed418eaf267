//! Explanations where nothing legal explains the board: an illegal move, or a displaced piece while play goes on.
//!
//! One piece on another square may be either. It is a move once its player pressed the clock on it (Art. 7.5.1), or the opponent
//! played on; it is a displaced piece once its player moved another one. Until then it is neither.

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

/// Maximum number of differing squares among which a displaced piece is looked for.
const WRONG: usize = 7;
/// Number of last moves among which an illegal one may turn out never to have been made.
const BACK: usize = 20;
/// Time in the hand, in milliseconds, above which a piece that comes down where something changed did not capture elsewhere a piece
/// that was never seen to leave: a piece is exchanged for another unseen within one scan of the board and the time of a hand.
const EXCHANGED: Millis = SCANNED + CARRIED;

/// One displaced piece, seen as the only difference.
#[derive(Clone, Debug)]
pub struct Stray {
    /// The move that it would be; `None` if a piece is missing or extra.
    mv: Option<Move>,
    /// The part of it that the move does not describe.
    slip: Option<Slip>,
    /// The squares in which the board differs from the position.
    squares: Bitboard,
    /// Number of nodes of the line then.
    nodes: usize,
    /// Whether its player pressed the clock on it.
    pressed: bool,
}

/// Play that went on while a piece was displaced.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// The squares that differ and are unrelated to the play.
    pub squares: Bitboard,
    /// The moves that were played.
    pub moves: Vec<Move>,
}

impl Line {
    /// Handles a board that was quiet for `quiet` milliseconds and that nothing legal explains. Appends an illegal move if one was
    /// made; returns legal play that went on elsewhere.
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
        // A move with a press needs no more proof when the opponent plays on.
        if !certain && !known.as_ref().is_some_and(|known| known.pressed) {
            return None;
        }
        if self.king_strays(seen) {
            return None; // Half of a result signal, after which play does not go on.
        }
        if let Some(stray) = known {
            if self.played_on(now, &stray, seen) {
                return None;
            }
            // It may have been a move after all: the press of the reply decides.
            let pending = quiet < REST_TRACELESS && self.clock && self.reply(&stray, seen).is_some();
            if !pending && let Some(elsewhere) = self.elsewhere(stray.squares, seen) {
                return Some(elsewhere);
            }
        }
        if quiet < REST_TRACELESS || wrong.count() > WRONG || seen.sensing() != Sensing::Identity {
            return None;
        }
        // It was never seen as the only difference: a displaced piece if there is exactly one explanation, but no accusation.
        let pairs = candidates(&self.tip().position, wrong).into_iter().map(|mv| squares(self, mv));
        let mut found: Vec<Elsewhere> = Vec::new();
        for pair in pairs.chain(wrong.into_iter().map(Bitboard::from_square)) {
            if let Some(elsewhere) = self.elsewhere(pair, seen) {
                found.push(elsewhere);
            }
        }
        if found.len() == 1 { found.pop() } else { None }
    }

    /// Appends an illegal move if it is on the board and its player pressed the clock on it. Returns whether it did.
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

    /// Replaces the last move by `mv`, which is illegal.
    fn was_illegal(&mut self, now: Millis, mv: Move, seen: &Seen) {
        let pressed_at = self.tip().pressed_at;
        self.cut(self.nodes.len() - 1);
        self.reason = CorrectionReason::Evidence;
        self.extend_illegal(now, mv, None, seen);
        if let Some(tip) = self.tip_mut() {
            tip.pressed_at = pressed_at;
        }
    }

    /// Returns whether nothing legal explains the board, not even pieces in the hands; or whether they do, but an illegal move does
    /// as well.
    fn is_strange(&self, seen: &Seen) -> bool {
        self.unexplained(seen).any() || traced_capture(self.tip(), self.hidden(seen), seen).is_some()
    }

    /// Returns the illegal move that is on the board and has a press.
    pub(super) fn pressed_stray(&self, now: Millis, seen: &Seen) -> Option<(Move, Option<Slip>)> {
        let Stray { mv, slip, .. } = self.stray_alone(self.mismatch(seen), seen)?;
        mv.filter(|&mv| self.is_pressed(now, mv, seen)).map(|mv| (mv, slip))
    }

    /// Returns whether the last move is a capture that left no trace on its capture square, while an illegal move explains all
    /// changes, and not by chance. Occupancy boards only.
    pub fn is_outdone(&self) -> bool {
        self.tip().instead.is_some_and(|instead| instead.held >= EXCHANGED)
    }

    /// Tests whether an illegal move explains the changes if the last move is a capture that left no trace.
    pub(super) fn compare_with_illegal(&mut self, seen: &Seen) {
        let found = self.untraced_capture(seen).and_then(|(before, last)| {
            let (mv, held) = traced_capture(before, self.hidden(seen), seen)?;
            (mv.from() == last.from()).then_some(Instead { mv, held })
        });
        // A decided move stays as it was published.
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

    /// Returns the last move and the node before it, if it is a legal capture that left no trace on its capture square. Occupancy
    /// boards only.
    fn untraced_capture(&self, seen: &Seen) -> Option<(&Node, Move)> {
        let before = self.node(1).filter(|_| seen.sensing() == Sensing::Occupancy && !self.tip().irregular)?;
        let last = self.tip().mv.filter(|&mv| mv.is_capture() && self.is_silent(mv, before, seen))?;
        Some((before, last))
    }

    /// Returns the illegal move, with a press, that an apparent capture without a trace really was.
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

    /// Returns the illegal move on whose way the last move was only a stop: its piece left that square before the clock was
    /// pressed.
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

    /// Returns the illegal move on the board, if what is there is one, and why it is illegal; it may have no press.
    pub fn stray_move(&self) -> Option<(Move, Reason)> {
        let stray = self.stray.as_ref().filter(|stray| stray.nodes == self.nodes.len())?;
        let mv = stray.mv.filter(|&mv| !self.is_out_of_turn(mv) && !is_signal(mv))?;
        let slip = stray.slip.as_ref().map(|slip| slip.reason.clone());
        Some((mv, slip.or_else(|| why_illegal(&self.tip().position, mv))?))
    }

    /// Appends play that went on elsewhere; `seen` excuses the squares that differ.
    pub fn go_on_elsewhere(&mut self, now: Millis, moves: &[Move], seen: &Seen) {
        for &mv in moves {
            self.extend(now, mv, seen);
        }
        self.stray = None;
    }

    /// Appends a move that is illegal here. `slip`: the part that the move does not describe.
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

    /// Returns the difference if the board differs by one piece, or by a castling.
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

    /// Returns whether the player to move pressed the clock on this move, so long ago that everything that belongs to it has been
    /// seen. The press may have been attributed to this player's move before, if that one's was missed.
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

    /// Appends the move and its reply if the opponent played on: the piece was moved there without objection. Out of turn, only
    /// what would be a legal move counts, and no piece that was nudged to the next square.
    fn played_on(&mut self, now: Millis, stray: &Stray, seen: &Seen) -> bool {
        let (Some(mv), Some(reply)) = (stray.mv, self.reply(stray, seen)) else { return false };
        // A press before the piece came there means that a move of the opponent was missed instead.
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

    /// Returns what the opponent played on top of it.
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

    /// Returns legal moves that explain everything except these squares.
    fn elsewhere(&self, squares: Bitboard, seen: &Seen) -> Option<Elsewhere> {
        let position = &self.tip().position;
        let mut view = seen.clone();
        view.excuse(squares, position.board());
        let found = (1..=2).find_map(|depth| only(explain(position, &view, self.hidden(seen), depth, self.tip().made_at)))?;
        Some(Elsewhere { squares, moves: found.moves })
    }

    /// Handles a correction of an illegal move: its player made another move instead, or play went on and the piece is back on its
    /// square.
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

/// Returns the best explanation if it is clearly better than all others.
fn only(found: Vec<Explanation>) -> Option<Explanation> {
    let clear = match found.as_slice() {
        [best, next, ..] => best.doubts < next.doubts,
        [_] => true,
        [] => false,
    };
    // Two moves of which the second was put down long before the first are another case.
    let seen = |best: &Explanation| best.doubts.skipped == 0 && best.doubts.traceless == 0 && best.doubts.disordered == 0;
    let sure = |best: &Explanation| !best.cut_off && seen(best);
    found.into_iter().next().filter(|best| clear && sure(best))
}

/// Returns whether this is a king that walked to the centre, which is half of a result signal.
fn is_signal(mv: Move) -> bool {
    let far = mv.from().is_some_and(|from| from.distance(mv.to()) > 1);
    mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to()) && far
}

fn squares(line: &Line, mv: Move) -> Bitboard {
    line.tip().position.changes(mv).iter().map(|(square, _)| square).collect()
}

/// Returns the illegal move that leaves the board as it is seen.
fn stray_from(position: &Position, wrong: Bitboard, seen: &Seen) -> Option<Move> {
    let shows = |mv: &Move| seen.mismatch(position.play(*mv).board()).is_empty();
    candidates(position, wrong).into_iter().find(shows)
}

/// Returns an illegal capture by the only piece of the player to move that has left its square, and how long the piece was in the
/// hand, in milliseconds. It captures on the only other square that has changed since the position of this node; or a pawn captures
/// the pawn that it could take en passant, as if that pawn were on its own target square. For boards that show nothing of it except
/// the square that it left.
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
    // No player is accused of a move that their piece cannot make: a brushed square is more likely.
    let is_move = !matches!(why_illegal(position, mv)?, Reason::NoSuchMove { .. }) || beside == Some(to);
    is_move.then_some((mv, seen.changed_at(to).saturating_sub(seen.changed_at(from))))
}

/// Returns what the player to move did that no move describes, with the nearest move: a pawn became a piece of the other colour, or
/// another pawn than the one captured en passant was removed.
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

/// Returns the position with what is on these squares now. Where the board does not identify the piece, it is the one that the
/// player to move has lifted, and one of the other colour on the last rank is a queen; `None` where it can be several.
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

/// Returns the moves between these squares that are illegal or out of turn: any piece to any square not occupied by its own colour,
/// a pawn on the last rank promoted or not, castling with any rook on the king's rank.
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
