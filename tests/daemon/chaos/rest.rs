//! The times at which no piece was touched, and the occupied squares at these times.

use shakmaty::{Bitboard, Square};
use touchmove::laws::Position;
use touchmove::simulate::act::Act;
use touchmove::simulate::script::{Action, Script};

/// The minimum duration of a rest that the record has to show, in real milliseconds.
const MIN_DURATION: u64 = 1_500;
/// The time without a fault that is required before a rest, in real milliseconds.
const FAULT_FREE: u64 = 1_000;

/// A time after a ply in which no piece was touched, in real milliseconds since the board's time began.
#[derive(Clone, Debug)]
pub struct Rest {
    /// The number of plies played before it.
    pub ply: usize,
    pub from: u64,
    pub until: u64,
    /// The occupied squares.
    pub occupied: Bitboard,
}

impl Rest {
    /// Whether none of these times, as (from, until), overlaps it or the time required before it.
    pub fn is_clear_of(&self, faults: &[(u64, u64)]) -> bool {
        faults.iter().all(|&(from, until)| until.saturating_add(FAULT_FREE) <= self.from || self.until <= from)
    }
}

/// The rests of at least [`MIN_DURATION`] with the pieces as a ply left them, at hands that are `speed` times as fast as real
/// ones. The one after the last ply has no end and is not included.
pub fn rests(script: &Script, speed: u64) -> Vec<Rest> {
    let plies = &script.truth.plies;
    let mut position = Position::start();
    let mut after_ply = vec![position.board().occupied()];
    for ply in plies {
        let Some(mv) = position.parse_uci(&ply.uci) else { break };
        position = position.play(mv);
        after_ply.push(position.board().occupied());
    }
    let mut occupied_now: Bitboard =
        Square::ALL.into_iter().filter(|square| script.initial_pieces[*square as usize].is_some()).collect();
    let touch = |action: &Action| {
        match action.act {
            Act::Lift(square) => occupied_now.discard(square),
            Act::Put(square, _) => occupied_now.add(square),
            _ => return None,
        }
        Some((action.at, occupied_now))
    };
    let touches: Vec<_> = script.actions.iter().filter_map(touch).collect();
    let between = touches.windows(2).map(|pair| {
        let ((from, occupied), (until, _)) = (pair[0], pair[1]);
        let ply = plies.iter().filter(|ply| ply.done_at < until).count();
        // The squares are compared as well: a piece may be lifted to be adjusted.
        let is_after_ply = ply > 0 && plies.get(ply).is_none_or(|next| next.touched_at >= until);
        let rest = Rest { ply, from: from.div_ceil(speed), until: until / speed, occupied };
        (rest, is_after_ply && after_ply.get(ply) == Some(&occupied))
    });
    let lasts = |rest: &Rest| rest.until >= rest.from + MIN_DURATION;
    between.filter(|(rest, is_after_ply)| *is_after_ply && lasts(rest)).map(|(rest, _)| rest).collect()
}

/// The first of these rests that a record does not show. A record shows a rest by a position with the same occupied squares, at
/// the position of the rest before it or later.
pub fn first_missing<'a>(positions: &[Bitboard], rests: &'a [Rest]) -> Option<&'a Rest> {
    let mut positions = positions;
    rests.iter().find(|rest| match positions.iter().position(|occupied| *occupied == rest.occupied) {
        Some(at) => {
            positions = &positions[at..];
            false
        }
        None => true,
    })
}
