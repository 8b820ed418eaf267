//! Why a published move may have been another one.

use super::displaced_squares::DisplacedSquares;
use crate::boards::{Millis, SensorKind};
use crate::game::Confidence;
use crate::infer::model::{DAMAGE_WINDOW, MAX_OVERLAP};
use crate::infer::{Follower, LineNode, landing_square};
use crate::laws::Position;
use shakmaty::Move;
use std::ops::RangeInclusive;

/// On boards that identify pieces, moves are rarely published with less confidence than this: a square did not show the move.
const DOUBTFUL: Confidence = Confidence(500);

/// The same as [`MAX_OVERLAP`] where the opponent's move could have been two, one before and one after, in milliseconds.
const OVERLAP_OF_TWO: Millis = 600;
/// A hand rarely carries a piece for longer than this, in milliseconds: it may have been put down in between.
const MAX_CARRY_TIME: Millis = 1_000;

/// Why a move may have been another one: the text key, the plies concerned, and the other move if known.
type Doubt = (&'static str, RangeInclusive<usize>, Option<Move>);

/// Returns why the move of this ply may have been another one. `displaced`: the squares published as different. `several`: the move
/// was published together with others.
pub(super) fn doubt(
    follower: &Follower,
    displaced: &DisplacedSquares,
    now: Millis,
    ply: usize,
    several: bool,
) -> Option<Doubt> {
    let (line, seen) = (follower.nodes(), follower.seen());
    let (before, node) = (line.get(ply.checked_sub(1)?)?, line.get(ply)?);
    let mv = node.mv?;
    let earlier = ply.checked_sub(2).and_then(|earlier| line.get(earlier)).zip(before.mv);
    let both_plies = ply - usize::from(earlier.is_some())..=ply;
    let is_identity = seen.sensing() == SensorKind::Identity;
    if is_identity {
        // What was recorded at once, including missing moves, has its own alert.
        let is_seen = node.confidence != Some(Confidence::CERTAIN);
        let is_damaged = seen.was_damaged(now, DAMAGE_WINDOW);
        if is_damaged && (node.is_reconstructed() || (several && is_seen)) {
            return Some(("uncertain_line", ply..=ply, None));
        }
        // The piece was on its square long before the move that this move answers, or was found there before any move was.
        if is_damaged && (stood_before(follower, before, mv, MAX_OVERLAP) || displaced.has_differed(landing_square(mv))) {
            return Some(("uncertain_line", both_plies, None));
        }
        if is_damaged && earlier.is_some_and(|(earlier, _)| is_reply_to_another(follower, ply, earlier, before, mv)) {
            return Some(("uncertain_line", both_plies, None));
        }
        // On a link that loses nothing, a delayed reply may have shown it.
        if !is_damaged && seen.found_delayed().contains(landing_square(mv)) {
            return Some(("uncertain_late", ply..=ply, None));
        }
        // A working square shows a piece that arrives. A square that is only suspected of being stuck, to explain this very
        // move, has not been reported.
        let faulty = follower.reported_faulty();
        let is_working = |square| !faulty.contains(square);
        if is_working(landing_square(mv)) && (node.silent || follower.stuck_squares().contains(landing_square(mv))) {
            return Some(("uncertain_unshown", ply..=ply, None));
        }
        if earlier.is_some_and(|(earlier, first)| is_between_two(follower, earlier, first, before, mv)) {
            return Some(("uncertain_twice", both_plies, None));
        }
        if earlier.is_some_and(|(_, first)| may_be_one_move(follower, ply, first, before, mv)) {
            return Some(("uncertain_twice", ply - 2..=ply, None));
        }
        if mv.promotion().is_some() && seen.assumed_queens().contains(mv.to()) {
            return Some(("uncertain_promotion", ply..=ply, None));
        }
    }
    if earlier.is_some_and(|(_, first)| came_late_together(follower, first, before, mv, node))
        && seen.sensing() != SensorKind::Occupancy
    {
        return Some(("uncertain_late", both_plies, None));
    }
    let doubt = is_identity.then(|| follower.confidence(ply, now)).flatten();
    let rivals = doubt.filter(|(confidence, _)| *confidence < DOUBTFUL).map_or_else(|| node.rivals.clone(), |doubt| doubt.1);
    if rivals.is_empty() {
        return None;
    }
    let legal = before.position.legal_moves();
    let (rival, _) = rivals.into_iter().find(|(other, _)| legal.contains(other))?;
    Some(("uncertain", ply..=ply, Some(rival)))
}

/// Whether the pieces of these two moves were reported at the same instant, which was later than their arrival. `before`,
/// `node`: the positions after the moves.
fn came_late_together(follower: &Follower, first: Move, before: &LineNode, mv: Move, node: &LineNode) -> bool {
    let seen = follower.seen();
    let (from, to) = (landing_square(first), landing_square(mv));
    let at_once = if from == to { before.made_at == node.made_at } else { seen.changed_at(from) == seen.changed_at(to) };
    let both_delayed = at_once && seen.delayed_squares().contains(from) && seen.delayed_squares().contains(to);
    // One of the pieces may have left since.
    both_delayed || before.made_at == node.made_at && seen.is_late(node.made_at)
}

/// Whether the piece of this move was on its destination square more than `min_time` ms before the move that it answers.
fn stood_before(follower: &Follower, before: &LineNode, mv: Move, min_time: Millis) -> bool {
    follower.seen().changed_at(landing_square(mv)) + min_time < before.made_at
}

/// Whether this move was made before the move that it answers, but after a clock press by the opponent: it answered a move that
/// was lost. `earlier`: the position before the opponent's move that led to `before`.
fn is_reply_to_another(follower: &Follower, ply: usize, earlier: &LineNode, before: &LineNode, mv: Move) -> bool {
    let seen = follower.seen();
    let arrived_at = seen.changed_at(landing_square(mv));
    // A press may be reported so late that it belongs to the opponent's previous move.
    let known = ply.checked_sub(3).and_then(|last| follower.nodes().get(last)).and_then(|last| last.pressed_at);
    let pressed = |(at, by)| by == earlier.position.turn() && at < arrived_at && Some(at) != known;
    arrived_at < before.made_at && seen.presses_since(earlier.made_at).any(pressed)
}

/// Whether the opponent's piece was in the air long enough to be put down on the way, with this move as the reply to that.
/// `earlier`: the position before the opponent's move `first`, which leads to `before`.
fn is_between_two(follower: &Follower, earlier: &LineNode, first: Move, before: &LineNode, mv: Move) -> bool {
    let lifted = first.from().map(|from| follower.seen().changed_at(from));
    stood_before(follower, before, mv, OVERLAP_OF_TWO)
        && lifted.is_some_and(|lifted| lifted + MAX_CARRY_TIME < before.made_at)
        && could_be_two(&earlier.position, first, mv)
}

/// Whether the piece of this player's last move moved on before the opponent's move between the two had begun: it may have been
/// one move, with the clock pressed on the way. `before`: the position after the opponent's move `first`.
fn may_be_one_move(follower: &Follower, ply: usize, first: Move, before: &LineNode, mv: Move) -> bool {
    let (line, seen) = (follower.nodes(), follower.seen());
    let Some((start, first_half)) = ply.checked_sub(3).and_then(|start| line.get(start).zip(line.get(start + 1))) else {
        return false;
    };
    let Some((first_half, first_half_at)) = first_half.mv.zip(Some(first_half.made_at)) else { return false };
    let arrived_at = seen.changed_at(landing_square(mv));
    let is_one = |other: &Move| other.from() == first_half.from() && landing_square(*other) == landing_square(mv);
    mv.from() == Some(landing_square(first_half))
        && (first_half_at..before.made_at).contains(&arrived_at)
        && first.from().is_some_and(|from| arrived_at < seen.changed_at(from))
        && start.position.legal_moves().iter().any(is_one)
}

/// Whether a piece could have come to the same square in two moves, with this reply to the first of them.
fn could_be_two(position: &Position, mv: Move, reply: Move) -> bool {
    position.legal_moves().into_iter().filter(|half| half.from() == mv.from() && half.to() != mv.to()).any(|half| {
        let between = position.play(half);
        between.legal_moves().contains(&reply) && {
            let after = between.play(reply);
            let continues = |other: &Move| other.from() == Some(half.to()) && other.to() == mv.to();
            after.legal_moves().iter().any(continues)
        }
    })
}
