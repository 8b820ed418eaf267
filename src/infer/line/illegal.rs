//! Explanations where nothing legal explains the board: an illegal move, or a displaced piece while play goes on.
//!
//! One piece on another square may be either. It is a move once its player pressed the clock on it (Art. 7.5.1), or the opponent
//! played on; it is a displaced piece once its player moved another one. Until then it is neither.

use super::{Line, LineNode, confidence};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::CorrectionReason;
use crate::infer::explain::explain;
use crate::infer::model::{REST_CARRIED, REST_TAKEBACK, REST_TRACELESS, SCAN_TIME, UNEXPLAINED};
use crate::infer::node::{IllegalAlternative, Slip};
use crate::infer::{Explanation, ObservedBoard};
use crate::laws::reason::{IllegalReason, why_illegal, why_illegal_placement};
use crate::laws::{CENTRE, Position};
use shakmaty::{Bitboard, Board, Color, Move, Piece, Rank, Role, Square, attacks};

/// Maximum number of differing squares among which a displaced piece is looked for.
const MAX_DIFFERENCES: usize = 7;
/// Number of last moves among which an illegal one may turn out never to have been made.
const MAX_CORRECTED_PLIES: usize = 20;
/// Time in the hand, in milliseconds, above which a piece that comes down where something changed did not capture elsewhere a piece
/// that was never seen to leave: a piece is exchanged for another unseen within one scan of the board and the time of a hand.
const MAX_UNSEEN_EXCHANGE: Millis = SCAN_TIME + REST_CARRIED;

/// One displaced piece, seen as the only difference.
#[derive(Clone, Debug)]
pub struct DisplacedPiece {
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
pub struct PlayElsewhere {
    /// The squares that differ and are unrelated to the play.
    pub squares: Bitboard,
    /// The moves that were played.
    pub moves: Vec<Move>,
}

impl Line {
    /// Handles a board that was quiet for `quiet` milliseconds and that nothing legal explains. Appends an illegal move if one was
    /// made; returns legal play that went on elsewhere.
    pub fn explain_irregular(&mut self, now: Millis, quiet: Millis, seen: &ObservedBoard) -> Option<PlayElsewhere> {
        let wrong = self.mismatch(seen);
        if wrong.is_empty() {
            self.displaced = None;
            return None;
        }
        if self.append_pressed_illegal(now, quiet, seen) {
            return None;
        }
        if self.correct_illegal(now, seen) || !self.is_irregular(seen) {
            return None;
        }
        let certain = seen.sensing() == SensorKind::Identity || quiet >= REST_TRACELESS;
        let known = self.displaced.clone().filter(|stray| stray.nodes == self.nodes.len());
        if let Some(mut stray) = self.single_difference(wrong, seen) {
            stray.pressed = stray.mv.is_some_and(|mv| self.is_pressed(now, mv, seen))
                || known.is_some_and(|known| known.pressed && known.mv == stray.mv);
            if certain || stray.pressed {
                self.displaced = Some(stray);
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
            if self.append_if_played_on(now, &stray, seen) {
                return None;
            }
            // It may have been a move after all: the press of the reply decides.
            let pending = quiet < REST_TRACELESS && self.has_clock && self.reply(&stray, seen).is_some();
            if !pending && let Some(elsewhere) = self.find_play_elsewhere(stray.squares, seen) {
                return Some(elsewhere);
            }
        }
        if quiet < REST_TRACELESS || wrong.count() > MAX_DIFFERENCES || seen.sensing() != SensorKind::Identity {
            return None;
        }
        // It was never seen as the only difference: a displaced piece if there is exactly one explanation, but no accusation.
        let pairs = illegal_candidates(&self.tip().position, wrong).into_iter().map(|mv| changed_squares(self, mv));
        let mut found: Vec<PlayElsewhere> = Vec::new();
        for pair in pairs.chain(wrong.into_iter().map(Bitboard::from_square)) {
            if let Some(elsewhere) = self.find_play_elsewhere(pair, seen) {
                found.push(elsewhere);
            }
        }
        if found.len() == 1 { found.pop() } else { None }
    }

    /// Appends an illegal move if it is on the board and its player pressed the clock on it. Returns whether it did.
    pub fn append_pressed_illegal(&mut self, now: Millis, quiet: Millis, seen: &ObservedBoard) -> bool {
        if quiet < REST_TAKEBACK {
            return false;
        }
        if let Some(mv) = self.illegal_for_capture(now, seen) {
            self.replace_by_illegal(now, mv, seen);
            return true;
        }
        if self.mismatch(seen).is_empty() || self.correct_illegal(now, seen) || !self.is_irregular(seen) {
            return false;
        }
        if let Some((mv, slip)) = self.pressed_illegal_move(now, seen) {
            self.append_illegal(now, mv, slip, seen);
            return true;
        }
        let Some(mv) = self.illegal_after_stop(now, seen) else { return false };
        self.replace_by_illegal(now, mv, seen);
        true
    }

    /// Replaces the last move by `mv`, which is illegal.
    fn replace_by_illegal(&mut self, now: Millis, mv: Move, seen: &ObservedBoard) {
        let pressed_at = self.tip().pressed_at;
        self.truncate(self.nodes.len() - 1);
        self.reason = CorrectionReason::Evidence;
        self.append_illegal(now, mv, None, seen);
        if let Some(tip) = self.tip_mut() {
            tip.pressed_at = pressed_at;
        }
    }

    /// Returns whether nothing legal explains the board, not even pieces in the hands; or whether they do, but an illegal move does
    /// as well.
    fn is_irregular(&self, seen: &ObservedBoard) -> bool {
        self.unexplained(seen).any() || traced_capture(self.tip(), self.ignored_squares(seen), seen).is_some()
    }

    /// Returns the illegal move that is on the board and has a press.
    pub(super) fn pressed_illegal_move(&self, now: Millis, seen: &ObservedBoard) -> Option<(Move, Option<Slip>)> {
        let DisplacedPiece { mv, slip, .. } = self.single_difference(self.mismatch(seen), seen)?;
        mv.filter(|&mv| self.is_pressed(now, mv, seen)).map(|mv| (mv, slip))
    }

    /// Returns whether the last move is a capture that left no trace on its capture square, while an illegal move explains all
    /// changes, and not by chance. Occupancy boards only.
    pub fn has_better_illegal(&self) -> bool {
        self.tip().illegal_alternative.is_some_and(|alternative| alternative.held >= MAX_UNSEEN_EXCHANGE)
    }

    /// Tests whether an illegal move explains the changes if the last move is a capture that left no trace.
    pub(super) fn compare_with_illegal(&mut self, seen: &ObservedBoard) {
        let found = self.untraced_capture(seen).and_then(|(before, last)| {
            let (mv, held) = traced_capture(before, self.ignored_squares(seen), seen)?;
            (mv.from() == last.from()).then_some(IllegalAlternative { mv, held })
        });
        // A decided move stays as it was published.
        if self.tip().illegal_alternative == found || (found.is_none() && self.tip().confidence.is_some()) {
            return;
        }
        let had_better = self.has_better_illegal();
        if let Some(tip) = self.tip_mut() {
            tip.illegal_alternative = found;
        }
        if self.has_better_illegal() && !had_better {
            self.add_cost(UNEXPLAINED);
        }
        self.changes += 1;
    }

    /// Returns the last move and the node before it, if it is a legal capture that left no trace on its capture square. Occupancy
    /// boards only.
    fn untraced_capture(&self, seen: &ObservedBoard) -> Option<(&LineNode, Move)> {
        let before = self.node_back(1).filter(|_| seen.sensing() == SensorKind::Occupancy && !self.tip().irregular)?;
        let last = self.tip().mv.filter(|&mv| mv.is_capture() && self.is_traceless(mv, before, seen))?;
        Some((before, last))
    }

    /// Returns the illegal move, with a press, that an apparent capture without a trace really was.
    fn illegal_for_capture(&self, now: Millis, seen: &ObservedBoard) -> Option<Move> {
        let (before, last) = self.untraced_capture(seen)?;
        let pressed = self.tip().pressed_at.filter(|at| now.saturating_sub(*at) >= SCAN_TIME)?;
        let find_on_board = || {
            let wrong = seen.mismatch(before.position.board()) & !self.ignored_squares(seen);
            let explains_all = wrong.is_superset(seen.changed_since(before.made_at)) && wrong.count() <= 4;
            find_illegal_move(&before.position, wrong, seen).filter(|_| explains_all)
        };
        let traced = self.tip().illegal_alternative.filter(|_| self.has_better_illegal() && self.at_tip);
        let mv = traced.map(|alternative| alternative.mv).or_else(find_on_board)?;
        (mv.from() == last.from() && seen.changed_at(mv.to()) <= pressed && !is_king_signal(mv)).then_some(mv)
    }

    /// Returns the illegal move on whose way the last move was only a stop: its piece left that square before the clock was
    /// pressed.
    fn illegal_after_stop(&self, now: Millis, seen: &ObservedBoard) -> Option<Move> {
        let tip = self.tip();
        let (mv, before) = (tip.mv?, &self.node_back(1)?.position);
        let pressed = tip.pressed_at.filter(|at| now.saturating_sub(*at) >= SCAN_TIME)?;
        let left_early = tip.left_at.is_some_and(|left_at| left_at <= pressed) && !tip.irregular;
        let wrong = seen.mismatch(before.board()) & !self.ignored_squares(seen);
        let candidate = find_illegal_move(before, wrong, seen).filter(|_| left_early && wrong.count() <= 4)?;
        let same = candidate.from() == mv.from() && before.mover(candidate) == before.turn();
        (same && !is_king_signal(candidate)).then_some(candidate)
    }

    /// Returns the illegal move on the board, if what is there is one, and why it is illegal; it may have no press.
    pub fn illegal_move(&self) -> Option<(Move, IllegalReason)> {
        let stray = self.displaced.as_ref().filter(|stray| stray.nodes == self.nodes.len())?;
        let mv = stray.mv.filter(|&mv| !self.is_out_of_turn(mv) && !is_king_signal(mv))?;
        let slip = stray.slip.as_ref().map(|slip| slip.reason.clone());
        Some((mv, slip.or_else(|| why_illegal(&self.tip().position, mv))?))
    }

    /// Appends play that went on elsewhere; `seen` excuses the squares that differ.
    pub fn append_elsewhere(&mut self, now: Millis, moves: &[Move], seen: &ObservedBoard) {
        for &mv in moves {
            self.append_move(now, mv, seen);
        }
        self.displaced = None;
    }

    /// Appends a move that is illegal here. `slip`: the part that the move does not describe.
    pub fn append_illegal(&mut self, now: Millis, mv: Move, slip: Option<Slip>, seen: &ObservedBoard) {
        if self.tip().confidence.is_none() {
            self.decide_tip(confidence::ANSWERED);
        }
        let mover = self.tip().position.mover(mv);
        let mut node = self.tip().after_illegal(mv, now, seen.sensing());
        node.pressed_at = self.unmatched_press.take_if(|(_, by)| *by == mover).map(|(at, _)| at);
        node.handling_cost = self.handling_cost(&node, seen);
        node.slip = slip.map(Box::new);
        self.push_node(node);
        self.displaced = None;
        self.decide_tip(confidence::RECONSTRUCTED);
        self.at_tip = self.tip().placement_hash == seen.placement_hash();
    }

    /// Returns the difference if the board differs by one piece, or by a castling.
    fn single_difference(&self, wrong: Bitboard, seen: &ObservedBoard) -> Option<DisplacedPiece> {
        let position = &self.tip().position;
        let few = wrong.count() <= 4;
        let traced = || traced_capture(self.tip(), self.ignored_squares(seen), seen).map(|(mv, _)| mv);
        let mv = if few { find_illegal_move(position, wrong, seen).or_else(traced) } else { None };
        let slipped = if few && mv.is_none() { find_slip(position, wrong, self.ignored_squares(seen), seen) } else { None };
        let (mv, slip) = slipped.map_or((mv, None), |(mv, slip)| (Some(mv), Some(slip)));
        (mv.is_some() || wrong.count() <= 2).then_some(DisplacedPiece {
            mv,
            slip,
            squares: wrong,
            nodes: self.nodes.len(),
            pressed: false,
        })
    }

    /// Returns whether the player to move pressed the clock on this move, so long ago that everything that belongs to it has been
    /// seen. The press may have been attributed to this player's move before, if that one's was missed.
    fn is_pressed(&self, now: Millis, mv: Move, seen: &ObservedBoard) -> bool {
        let position = &self.tip().position;
        let mover = position.mover(mv);
        let arrived_at = position.changes(mv).iter().map(|(square, _)| seen.changed_at(square)).max().unwrap_or(now);
        let last = seen.presses_since(self.tip().made_at).last().filter(|(at, _)| arrived_at <= *at);
        let pressed = [self.unmatched_press, last].into_iter().flatten();
        let pressed = pressed.into_iter().any(|(at, by)| by == mover && now.saturating_sub(at) >= SCAN_TIME);
        pressed && !self.is_out_of_turn(mv) && !is_king_signal(mv)
    }

    fn is_out_of_turn(&self, mv: Move) -> bool {
        self.tip().position.mover(mv) != self.tip().position.turn()
    }

    /// Appends the move and its reply if the opponent played on: the piece was moved there without objection. Out of turn, only
    /// what would be a legal move counts, and no piece that was nudged to the next square.
    fn append_if_played_on(&mut self, now: Millis, stray: &DisplacedPiece, seen: &ObservedBoard) -> bool {
        let (Some(mv), Some(reply)) = (stray.mv, self.reply(stray, seen)) else { return false };
        // A press before the piece came there means that a move of the opponent was missed instead.
        let missed = self.is_out_of_turn(mv) && self.unmatched_press.is_some_and(|(at, _)| at < seen.changed_at(mv.to()));
        if self.has_clock && (self.unseen_presses == 0 || missed || (self.is_out_of_turn(mv) && self.unseen_presses > 1)) {
            return false;
        }
        self.append_illegal(now, mv, stray.slip.clone(), seen);
        for mv in reply.moves {
            self.append_move(now, mv, seen);
        }
        true
    }

    /// Returns what the opponent played on top of it.
    fn reply(&self, stray: &DisplacedPiece, seen: &ObservedBoard) -> Option<Explanation> {
        let mv = stray.mv?;
        let position = &self.tip().position;
        if self.is_out_of_turn(mv) {
            let nudged = mv.from().is_some_and(|from| from.distance(mv.to()) <= 1) && mv.role() != Role::Pawn;
            if nudged || !position.with_turn_passed().is_legal(mv) {
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
        (1..=2).find_map(|depth| clear_best(explain(&after, seen, self.ignored_squares(seen), depth, self.tip().made_at)))
    }

    /// Returns legal moves that explain everything except these squares.
    fn find_play_elsewhere(&self, squares: Bitboard, seen: &ObservedBoard) -> Option<PlayElsewhere> {
        let position = &self.tip().position;
        let mut view = seen.clone();
        view.excuse(squares, position.board());
        let found = (1..=2)
            .find_map(|depth| clear_best(explain(position, &view, self.ignored_squares(seen), depth, self.tip().made_at)))?;
        Some(PlayElsewhere { squares, moves: found.moves })
    }

    /// Handles a correction of an illegal move: its player made another move instead, or play went on and the piece is back on its
    /// square.
    fn correct_illegal(&mut self, now: Millis, seen: &ObservedBoard) -> bool {
        if self.tip().irregular
            && let Some(mv) = self.matches(1, seen).first().map(|found| found.mv)
        {
            self.truncate(self.nodes.len() - 1);
            self.reason = CorrectionReason::Takeback;
            self.append_move(now, mv, seen);
            return true;
        }
        let first = self.nodes.len().saturating_sub(MAX_CORRECTED_PLIES).max(1);
        for index in (first..self.nodes.len()).rev().filter(|&index| self.nodes[index].irregular) {
            let later: Vec<Move> = self.nodes[index + 1..].iter().filter_map(|node| node.mv).collect();
            let mut end: LineNode = LineNode::clone(&self.nodes[index - 1]);
            let legal = later.iter().all(|&mv| {
                let legal = end.position.is_legal(mv);
                end.position = end.position.play(mv);
                legal
            });
            if !later.is_empty() && legal && seen.mismatch(end.position.board()).is_empty() {
                self.reason = CorrectionReason::Evidence;
                self.replace_plies(now, index - 1, &later, &[], confidence::RECONSTRUCTED, seen);
                return true;
            }
        }
        false
    }
}

/// Returns the best explanation if it is clearly better than all others.
fn clear_best(found: Vec<Explanation>) -> Option<Explanation> {
    let clear = match found.as_slice() {
        [best, next, ..] => best.doubts < next.doubts,
        [_] => true,
        [] => false,
    };
    // Two moves of which the second was put down long before the first are another case.
    let was_seen = |best: &Explanation| best.doubts.skipped == 0 && best.doubts.traceless == 0 && best.doubts.disordered == 0;
    let is_certain = |best: &Explanation| !best.cut_off && was_seen(best);
    found.into_iter().next().filter(|best| clear && is_certain(best))
}

/// Returns whether this is a king that walked to the centre, which is half of a result signal.
fn is_king_signal(mv: Move) -> bool {
    let far = mv.from().is_some_and(|from| from.distance(mv.to()) > 1);
    mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to()) && far
}

fn changed_squares(line: &Line, mv: Move) -> Bitboard {
    line.tip().position.changes(mv).iter().map(|(square, _)| square).collect()
}

/// Returns the illegal move that leaves the board as it is seen.
fn find_illegal_move(position: &Position, wrong: Bitboard, seen: &ObservedBoard) -> Option<Move> {
    let shows = |mv: &Move| seen.mismatch(position.play(*mv).board()).is_empty();
    illegal_candidates(position, wrong).into_iter().find(shows)
}

/// Returns an illegal capture by the only piece of the player to move that has left its square, and how long the piece was in the
/// hand, in milliseconds. It captures on the only other square that has changed since the position of this node; or a pawn captures
/// the pawn that it could take en passant, as if that pawn were on its own target square. For boards that show nothing of it except
/// the square that it left.
fn traced_capture(node: &LineNode, hidden: Bitboard, seen: &ObservedBoard) -> Option<(Move, Millis)> {
    if seen.sensing() != SensorKind::Occupancy {
        return None;
    }
    let (position, board) = (&node.position, node.position.board());
    let (us, changed) = (position.turn(), seen.changed_since(node.made_at) & !hidden);
    let from = (board.by_color(us) & !seen.occupied() & !hidden).single_square().filter(|&from| changed.contains(from))?;
    let role = board.role_at(from)?;
    let en_passant = position.en_passant().filter(|&to| role == Role::Pawn && attacks::pawn_attacks(us, from).contains(to));
    let passed_pawn = en_passant.map(|to| Square::from_coords(to.file(), from.rank()));
    let others = changed & !Bitboard::from_square(from);
    let to = if others.is_empty() { passed_pawn } else { others.single_square() }?;
    let enemy = board.by_color(!us) & seen.occupied() & !board.kings();
    let last = role == Role::Pawn && to.rank() == us.relative_rank(Rank::Eighth);
    let mv = Move::Normal { role, from, capture: board.role_at(to), to, promotion: None };
    if !enemy.contains(to) || last || (seen.mismatch(position.play(mv).board()) & !hidden).any() {
        return None;
    }
    // No player is accused of a move that their piece cannot make: a brushed square is more likely.
    let is_move = !matches!(why_illegal(position, mv)?, IllegalReason::NoSuchMove { .. }) || passed_pawn == Some(to);
    is_move.then_some((mv, seen.changed_at(to).saturating_sub(seen.changed_at(from))))
}

/// Returns what the player to move did that no move describes, with the nearest move: a pawn became a piece of the other colour, or
/// another pawn than the one captured en passant was removed.
fn find_slip(position: &Position, wrong: Bitboard, hidden: Bitboard, seen: &ObservedBoard) -> Option<(Move, Slip)> {
    let (board, us) = (position.board(), position.turn());
    let seen_board = board_as_seen(position, wrong, seen)?;
    let reason = why_illegal_placement(position, &seen_board)?;
    let to = match &reason {
        IllegalReason::PromotedColour { on } => on.square,
        IllegalReason::EnPassantWrongPawn { .. } => position.en_passant()?,
        _ => return None,
    };
    let pawns = wrong & board.by_piece(Role::Pawn.of(us)) & !seen_board.occupied();
    let from = pawns.single_square().filter(|from| from.distance(to) == 1)?;
    let mv = Move::Normal { role: Role::Pawn, from, capture: board.role_at(to), to, promotion: None };
    // Nothing else was done.
    let squares = seen.mismatch(position.play(mv).board()) & !hidden;
    (squares.count() == 1).then_some((mv, Slip { squares, reason }))
}

/// Returns the position with what is on these squares now. Where the board does not identify the piece, it is the one that the
/// player to move has lifted, and one of the other colour on the last rank is a queen; `None` where it can be several.
fn board_as_seen(position: &Position, squares: Bitboard, seen: &ObservedBoard) -> Option<Board> {
    let us = position.turn();
    let mut seen_board = position.board().clone();
    let lifted = (squares & position.board().by_color(us) & !seen.occupied()).single_square();
    let mut lifted = lifted.and_then(|square| position.piece_at(square));
    for square in squares {
        let last = square.rank() == us.relative_rank(Rank::Eighth);
        let piece = match seen.at(square) {
            SquareState::Empty => None,
            SquareState::Piece(piece) => Some(piece),
            SquareState::Side(color) if color != us && last => Some(Piece { color, role: Role::Queen }),
            SquareState::Side(color) => Some(lifted.take_if(|lifted| lifted.color == color)?),
            SquareState::Occupied => Some(lifted.take()?),
        };
        match piece {
            Some(piece) => seen_board.set_piece_at(square, piece),
            None => seen_board.discard_piece_at(square),
        }
    }
    Some(seen_board)
}

/// Returns the moves between these squares that are illegal or out of turn: any piece to any square not occupied by its own colour,
/// a pawn on the last rank promoted or not, castling with any rook on the king's rank.
fn illegal_candidates(position: &Position, wrong: Bitboard) -> Vec<Move> {
    let board = position.board();
    let mut found = Vec::new();
    for from in wrong & board.occupied() {
        let Some(piece) = board.piece_at(from) else { continue };
        for to in wrong & !board.by_color(piece.color) {
            let last = piece.role == Role::Pawn && to.rank() == piece.color.relative_rank(shakmaty::Rank::Eighth);
            let promotions = [None, Some(Role::Queen), Some(Role::Knight), Some(Role::Rook), Some(Role::Bishop)];
            for &promotion in if last { &promotions[..] } else { &promotions[..1] } {
                found.push(Move::Normal { role: piece.role, from, capture: board.role_at(to), to, promotion });
            }
            // En passant too late.
            let en_passant_square = Square::from_coords(to.file(), from.rank());
            let was_captured =
                wrong.contains(en_passant_square) && board.piece_at(en_passant_square) == Some(Role::Pawn.of(!piece.color));
            if piece.role == Role::Pawn && was_captured && attacks::pawn_attacks(piece.color, from).contains(to) {
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
