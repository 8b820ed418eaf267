//! When nobody touched a piece, and where pieces stood then.

use shakmaty::{Bitboard, Square};
use touchmove::laws::Position;
use touchmove::simulate::script::{Act, Action, Script};

/// How long a rest lasts that has to be in the record, in real milliseconds.
const LASTS: u64 = 1_500;
/// How long before it there was no fault, in real milliseconds.
const CALM: u64 = 1_000;

/// A time after a ply in which no piece was touched, in real milliseconds since the board's time began.
#[derive(Clone, Debug)]
pub struct Rest {
    /// How many plies had been played.
    pub ply: usize,
    pub from: u64,
    pub until: u64,
    /// Where pieces stood.
    pub occupied: Bitboard,
}

impl Rest {
    /// Whether none of these times, each from when until when, has a part of it or of the moment before it.
    pub fn is_clear_of(&self, faults: &[(u64, u64)]) -> bool {
        faults.iter().all(|&(from, until)| until.saturating_add(CALM) <= self.from || self.until <= from)
    }
}

/// The rests with the pieces as a ply left them that last at least [`LASTS`] where the hands are so many times as fast as real. The
/// one after the last ply has no end and is none of them.
pub fn rests(script: &Script, speed: u64) -> Vec<Rest> {
    let plies = &script.truth.plies;
    let mut position = Position::start();
    let mut left = vec![position.board().occupied()];
    for ply in plies {
        let Some(mv) = position.parse_uci(&ply.uci) else { break };
        position = position.play(mv);
        left.push(position.board().occupied());
    }
    let mut stand: Bitboard =
        Square::ALL.into_iter().filter(|square| script.initial_pieces[*square as usize].is_some()).collect();
    let touch = |action: &Action| {
        match action.act {
            Act::Lift(square) => stand.discard(square),
            Act::Put(square, _) => stand.add(square),
            _ => return None,
        }
        Some((action.at, stand))
    };
    let touches: Vec<_> = script.actions.iter().filter_map(touch).collect();
    let between = touches.windows(2).map(|pair| {
        let ((from, occupied), (until, _)) = (pair[0], pair[1]);
        let ply = plies.iter().filter(|ply| ply.done_at < until).count();
        // The squares are compared as well: a piece may be in the air to be adjusted.
        let is_after_ply = ply > 0 && plies.get(ply).is_none_or(|next| next.touched_at >= until);
        let rest = Rest { ply, from: from.div_ceil(speed), until: until / speed, occupied };
        (rest, is_after_ply && left.get(ply) == Some(&occupied))
    });
    let lasts = |rest: &Rest| rest.until >= rest.from + LASTS;
    between.filter(|(rest, is_after_ply)| *is_after_ply && lasts(rest)).map(|(rest, _)| rest).collect()
}

/// The first of these rests that a line does not show. It shows a rest by a position with the same squares occupied, each at the
/// position of the rest before it or later.
pub fn first_missing<'a>(line: &[Bitboard], rests: &'a [Rest]) -> Option<&'a Rest> {
    let mut line = line;
    rests.iter().find(|rest| match line.iter().position(|occupied| *occupied == rest.occupied) {
        Some(at) => {
            line = &line[at..];
            false
        }
        None => true,
    })
}
