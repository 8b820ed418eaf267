//! Re-decoding of the last moments: every line of play that the edges and clock presses allow.
//!
//! Edges are explained one by one as they come. Where both players' hands are on the board at once, and pieces are captured before
//! they were seen, all that was seen in the last seconds says more than its parts: which piece left where and when, on which
//! squares it was seen, and who pressed the clock. This is for identity boards; see [`occupancy`] for those that detect only occupancy.

mod changes;
mod occupancy;
mod open_squares;
mod redecoded_line;

use super::explain::{castling_rook_square, landing_square};
use super::model::{self, Cost, SCAN_TIME};
use super::observed_board::Change;
use super::{Charge, HandEvent, LineNode, ObservedBoard};
use crate::boards::{Millis, SquareState};
use crate::laws::Position;
use changes::{RecentChanges, allows_no_line, left_squares};
pub(super) use occupancy::{redecode_occupancy, redecode_occupancy_moves};
use open_squares::OpenSquares;
pub(super) use redecoded_line::{Ply, RedecodedLine};
use shakmaty::{Bitboard, Board, ByColor, Color, Move, Piece, Square, attacks};

/// Maximum number of plies that are re-decoded.
const MAX_PLIES: usize = 6;
/// Maximum number of positions that are searched.
const MAX_POSITIONS: u32 = 3_000;

/// Returns the lines from this node, since the time when its move was made, that the edges allow; likeliest first.
pub(super) fn redecode(base: &LineNode, seen: &ObservedBoard, hidden: Bitboard, now: Millis) -> Vec<RedecodedLine> {
    if hidden.is_empty() && allows_no_line(base, seen) {
        return Vec::new();
    }
    let mut redecoder = Redecoder::new(base, seen, hidden, now);
    redecoder.search(&base.position, &mut Vec::new());
    let mut found = redecoder.found;
    found.sort_by_key(|line| line.cost);
    found
}

/// Re-decodes these moves from this node; `None` if the edges since then do not allow them.
pub(super) fn redecode_moves(
    base: &LineNode,
    moves: &[Move],
    seen: &ObservedBoard,
    hidden: Bitboard,
    now: Millis,
) -> Option<RedecodedLine> {
    let redecoder = Redecoder::new(base, seen, hidden, now);
    let mut position = base.position.clone();
    let mut line = Vec::new();
    for (index, &mv) in moves.iter().enumerate() {
        line.push(redecoder.decode_ply(&position, mv, &line, moves.get(index + 1).copied())?);
        position = position.play(mv);
    }
    redecoder.complete(&position, &line)
}

struct Redecoder<'a> {
    base: &'a LineNode,
    seen: &'a ObservedBoard,
    hidden: Bitboard,
    now: Millis,
    changes: RecentChanges,
    /// The squares that were left since then.
    left: Bitboard,
    /// The squares that have shown a piece since then.
    landed: Bitboard,
    presses: Vec<(Millis, Color)>,
    found: Vec<RedecodedLine>,
    nodes: u32,
}

impl<'a> Redecoder<'a> {
    fn new(base: &'a LineNode, seen: &'a ObservedBoard, hidden: Bitboard, now: Millis) -> Redecoder<'a> {
        let since = base.made_at.saturating_sub(1);
        let changes = RecentChanges::since(since, now, seen);
        Redecoder {
            base,
            seen,
            hidden,
            now,
            landed: changes.landed_squares(),
            changes,
            left: left_squares(base.made_at, seen),
            presses: seen.presses_since(since).collect(),
            found: Vec::new(),
            nodes: MAX_POSITIONS,
        }
    }

    fn search(&mut self, position: &Position, line: &mut Vec<Ply>) {
        if !line.is_empty()
            && let Some(redecoded) = self.complete(position, line)
        {
            self.found.push(redecoded);
        }
        if line.len() == MAX_PLIES || self.left.is_disjoint(position.board().by_color(position.turn())) {
            return;
        }
        for &mv in &position.legal_moves() {
            if self.nodes == 0 {
                return;
            }
            // The piece's own square nearly always decides.
            if !self.may_be_played(mv, line) {
                continue;
            }
            self.nodes -= 1;
            let Some(ply) = self.decode_ply(position, mv, line, None) else { continue };
            line.push(ply);
            self.search(&position.play_legal(mv), line);
            line.pop();
        }
    }

    /// Fast test: whether the piece has left its square since it came there.
    fn may_be_played(&self, mv: Move, line: &[Ply]) -> bool {
        let Some(from) = mv.from() else { return false };
        // A piece that was captured before it was seen must be captured at once.
        if line.last().is_some_and(|last| !last.was_seen && mv.to() != landing_square(last.mv)) {
            return false;
        }
        let has_left = || self.changes.first_left_at(from, self.arrived_at(from, line)).is_some();
        mv.is_castle() || (self.left.contains(from) && has_left())
    }

    /// Returns when the piece on this square came: with a move of the line, or before.
    fn arrived_at(&self, square: Square, line: &[Ply]) -> Millis {
        let arrived = |ply: &&Ply| landing_square(ply.mv) == square || castling_rook_square(ply.mv) == Some(square);
        line.iter().rev().find(arrived).map_or(self.base.made_at, |ply| ply.made_at)
    }

    /// Returns the move if what was seen allows it. `next`: the move after it, if known.
    fn decode_ply(&self, position: &Position, mv: Move, line: &[Ply], next: Option<Move>) -> Option<Ply> {
        let from = mv.from()?;
        let board = position.board();
        let (left_at, made_at, seen) = match mv {
            Move::Castle { king, rook } => {
                let (to, rook_to) = (landing_square(mv), castling_rook_square(mv)?);
                let (king_piece, rook_piece) = (board.piece_at(king)?, board.piece_at(rook)?);
                let since = self.base.made_at;
                let king_at = if to == king { since } else { self.changes.first_seen_at(to, king_piece, since)? };
                let rook_at = if rook_to == rook { since } else { self.changes.first_seen_at(rook_to, rook_piece, since)? };
                let left_at = self.changes.first_left_at(king, since).or(self.changes.first_left_at(rook, since))?;
                (left_at, king_at.max(rook_at), true)
            }
            _ => {
                // Nearly always, nothing has landed there, and nothing was there to be captured.
                let may_land = self.landed.contains(mv.to()) || self.hidden.contains(mv.to()) || mv.is_capture();
                if !may_land && line.last().is_none_or(|last| last.was_seen) {
                    return None;
                }
                let piece = board.piece_at(from)?;
                let landed = Piece { role: mv.promotion().unwrap_or(piece.role), color: piece.color };
                let left_at = self
                    .changes
                    .first_left_at(from, self.arrived_at(from, line))
                    .or(self.hidden.contains(from).then_some(self.now))?;
                let since = |before: Millis| left_at.saturating_sub(before).max(self.base.made_at);
                // It recaptured a piece like itself: nothing could be seen.
                let before = line.last().filter(|last| !last.was_seen && landing_square(last.mv) == mv.to());
                let shows_same = before.is_some() && self.seen.is_compatible(mv.to(), Some(landed));
                let soon = self.changes.first_seen_at(mv.to(), landed, since(SCAN_TIME));
                match soon
                    .or_else(|| self.changes.first_seen_at(mv.to(), landed, since(model::MAX_STOP)).filter(|_| !shows_same))
                {
                    Some(at) => (left_at, at, true),
                    None if shows_same => (left_at, left_at, true),
                    None if self.hidden.contains(mv.to()) => (left_at, left_at + SCAN_TIME, true),
                    // Captured before it was seen.
                    None => (left_at, self.captured_at(position, mv, left_at)?, false),
                }
            }
        };
        if !seen && next.is_some_and(|next| next.to() != mv.to()) {
            return None;
        }
        let backwards = made_at + SCAN_TIME < left_at;
        let left_at = left_at.min(made_at);
        // A piece that was put back before it moved.
        let left_at = self.changes.last_left_at(from, left_at, made_at + SCAN_TIME);
        let last_made = line.last().map_or(self.base.made_at, |ply| ply.made_at);
        let mut handling = Charge::default();
        if !seen {
            handling.add_event(HandEvent::CapturedUnseen, self.seen.hands());
        }
        if backwards {
            handling.add_event(HandEvent::SeenBackwards, self.seen.hands());
        }
        handling += model::overlap_cost(left_at, last_made)
            + model::overlap_cost(made_at.saturating_sub(model::MIN_CARRY_TIME), last_made);
        let last_own_at = line.len().checked_sub(2).and_then(|index| line.get(index)).map_or(0, |ply| ply.made_at);
        if last_own_at > 0 {
            handling += model::haste_cost(made_at.saturating_sub(last_own_at));
        }
        handling += self.charge_stops(board, mv, left_at, made_at);
        Some(Ply { mv, left_at, made_at, pressed_at: None, handling, was_seen: seen, silent: false })
    }

    /// Returns when this move's piece, which was not seen on its square, was captured: the capturer was on the square then, or one
    /// like the piece that it had captured itself.
    fn captured_at(&self, position: &Position, mv: Move, left_at: Millis) -> Option<Millis> {
        let mover = position.turn();
        let (to, soon) = (mv.to(), left_at + SCAN_TIME);
        let is_capture = |change: &&Change| {
            change.square == to
                && change.at >= left_at
                && matches!(change.now, SquareState::Piece(piece) if piece.color != mover)
        };
        let replaced = position.board().piece_at(to).filter(|_| self.seen.changed_at(to) < left_at);
        match self.changes.iter().find(is_capture) {
            Some(change) => Some(change.at.min(soon)),
            None => replaced.filter(|piece| piece.color != mover && self.seen.is_compatible(to, Some(*piece))).map(|_| left_at),
        }
    }

    /// Returns the cost of the piece having been seen on other squares on its way.
    fn charge_stops(&self, board: &Board, mv: Move, left_at: Millis, made_at: Millis) -> Charge {
        let mut charge = Charge::default();
        if mv.is_castle() {
            return charge;
        }
        let from = mv.from().unwrap_or(mv.to());
        let Some(piece) = board.piece_at(from) else { return charge };
        let shows = SquareState::Piece(piece).reduce_to(self.seen.sensing());
        let on_way = |change: &&Change| {
            change.now == shows
                && board.piece_at(change.square) != Some(piece)
                && change.square != mv.to()
                && change.square != from
                && change.at + SCAN_TIME >= left_at
                && change.at < made_at
        };
        let way = attacks::between(from, mv.to());
        for (index, change) in self.changes.iter().filter(on_way).enumerate() {
            let event = match (way.contains(change.square), index) {
                (true, 0) => HandEvent::FirstStop,
                (true, _) => HandEvent::FurtherStop,
                (false, _) => HandEvent::StrayTouch,
            };
            charge.add_event(event, self.seen.hands());
            if self.changes.shown_for(change) > model::MAX_STOP {
                charge += model::UNEXPLAINED;
            }
        }
        charge
    }

    /// Returns the line if it leads to what the board shows, except for pieces in the hands.
    fn complete(&self, position: &Position, line: &[Ply]) -> Option<RedecodedLine> {
        let last = line.last()?;
        let OpenSquares { wrong, own_lifted, passing, victim } = OpenSquares::of(position, last, self.seen, self.hidden)?;
        let mut plies = line.to_vec();
        let unmatched = assign_presses(self.base, &self.presses, self.now, &mut plies);
        let mut extra = self.charge_strays(&plies);
        extra += unmatched as Cost * self.seen.hands().press_without_move;
        let mut cost = 0;
        for (index, ply) in plies.iter_mut().enumerate() {
            cost += ply.handling.cost + model::AVERAGE_MOVE;
            if self.now.saturating_sub(ply.made_at) > model::MAX_PRESS_DELAY
                && ply.pressed_at.is_none()
                && index + 2 < line.len()
            {
                cost += self.seen.hands().move_without_press;
            }
        }
        let open = wrong.count() as Cost * 10
            + if passing.any() { self.seen.hands().first_stop } else { 0 }
            + self.in_hand_cost(own_lifted | victim, position, line);
        Some(RedecodedLine { plies, extra, unmatched_presses: unmatched, cost: cost + extra.cost + open })
    }

    /// Returns the cost of these pieces being in the hands: for their time in the air, and if their player has moved another piece
    /// meanwhile.
    fn in_hand_cost(&self, squares: Bitboard, position: &Position, line: &[Ply]) -> Cost {
        let turn = self.base.position.turn();
        let cost_of = |square: Square| {
            let since = self.seen.changed_at(square);
            let color = position.board().color_at(square);
            let mut own_plies =
                line.iter().enumerate().filter(|(index, _)| Some(if index % 2 == 0 { turn } else { !turn }) == color);
            let moved = own_plies.any(|(_, ply)| ply.left_at > since + SCAN_TIME);
            let early = line.last().is_some_and(|last| since + SCAN_TIME < last.made_at);
            model::holding_cost(self.now.saturating_sub(since))
                + match (moved, early) {
                    (true, _) => model::UNEXPLAINED,
                    (false, true) => self.seen.hands().reply_while_held,
                    (false, false) => 0,
                }
        };
        squares.into_iter().map(cost_of).sum()
    }

    /// Returns the cost of pieces having been seen where no move of the line puts or carries them.
    fn charge_strays(&self, plies: &[Ply]) -> Charge {
        let (mut charge, hands) = (Charge::default(), self.seen.hands());
        let mut position = self.base.position.clone();
        let movers: Vec<Option<Piece>> = plies
            .iter()
            .map(|ply| {
                let mover = ply.mv.from().and_then(|from| position.board().piece_at(from));
                position = position.play(ply.mv);
                mover
            })
            .collect();
        position = self.base.position.clone();
        let mut next = 0;
        let mut placed_at: ByColor<Option<Millis>> = ByColor::default();
        for change in self.changes.iter() {
            while let Some(ply) = plies.get(next).filter(|ply| ply.made_at <= change.at) {
                position = position.play(ply.mv);
                next += 1;
            }
            let SquareState::Piece(piece) = change.now else { continue };
            // Putting a piece down without a move takes a hand as long as a move.
            let since = placed_at.get_mut(piece.color).replace(change.at);
            let hasty = since.map_or(0, |since| model::haste_cost(change.at - since));
            if position.board().piece_at(change.square) == Some(piece) {
                if !plies.iter().any(|ply| ply.made_at == change.at) {
                    charge.add_event(HandEvent::PutBack, hands);
                    charge += hasty;
                }
                continue;
            }
            let carried = movers
                .iter()
                .zip(plies)
                .any(|(mover, ply)| *mover == Some(piece) && change.at + SCAN_TIME >= ply.left_at && change.at <= ply.made_at);
            if carried {
                continue;
            }
            // A promoted piece, and a castling rook, are seen where they land.
            if plies.iter().any(|ply| {
                ply.made_at == change.at
                    && (landing_square(ply.mv) == change.square || castling_rook_square(ply.mv) == Some(change.square))
            }) {
                continue;
            }
            // Players choose which piece, and where, as freely as a move.
            charge.add_event(HandEvent::TriedElsewhere, hands);
            charge += model::AVERAGE_MOVE
                + hasty
                + if self.changes.shown_for(change) > model::MAX_STOP { hands.reply_while_held } else { 0 };
        }
        charge
    }
}

/// Assigns each press to a move, in order, the last one first, because clock messages are late. Returns how many are left over.
fn assign_presses(base: &LineNode, presses: &[(Millis, Color)], now: Millis, plies: &mut [Ply]) -> usize {
    let turn = base.position.turn();
    let mut before = plies.len();
    let mut unmatched = 0;
    let mut base_pressed = base.mv.is_none();
    for &(at, by) in presses.iter().rev() {
        let made = |&index: &usize| {
            let mover = if index % 2 == 0 { turn } else { !turn };
            mover == by && plies.get(index).is_some_and(|ply| ply.made_at <= at + SCAN_TIME)
        };
        match (0..before).rev().find(made) {
            Some(index) => {
                plies[index].pressed_at = Some(at);
                before = index;
            }
            None if by != turn && !base_pressed => {
                (base_pressed, before) = (true, 0);
            }
            // A press that was just reported may belong to what has not been scanned yet.
            None if now.saturating_sub(at) < SCAN_TIME => {}
            None => unmatched += 1,
        }
    }
    unmatched
}
