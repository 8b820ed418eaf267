//! The cost model: how often hands, boards and players act in each way. These figures weigh the lines of play against each other.
//!
//! Costs are improbabilities (negative log-likelihoods) in sixteenths of a bit: an event of probability 1/2 costs 16, 1/10 costs
//! 53, 1/100 costs 106. Costs add up, and they are integers, so that every machine computes the same result. "Measured" means three
//! games played on a DGT board (199 plies, 458 square updates); "guess" means that there is no measurement. The costs that depend on
//! the habits of players and boards are in [`HandCosts`](super::HandCosts).

use crate::boards::Millis;

/// An improbability, in sixteenths of a bit.
pub type Cost = i32;

/// Quiet time after which a past position that is on the board again counts as a takeback, in milliseconds. Longer than a piece
/// rests when it is put back and lifted again at once; players who agree on a takeback are slower.
pub const REST_TAKEBACK: Millis = 1_000;
/// Quiet time after which a position is believed although no edge showed how the pieces got there, in milliseconds. Longer than it
/// takes to alert the arbiter.
pub const REST_UNSEEN: Millis = 25_000;

/// Maximum time that a move waits which could still become castling, in milliseconds: the other hand may be slow, and a rook move on
/// a castling wing is rare.
pub const REST_CASTLING: Millis = 1_500;

/// Maximum time that a piece waits which is dragged from square to square, in milliseconds: on a real board, the move Ra1-f1 stopped
/// on d1 and, for up to a second, on e1.
pub const REST_DRAGGED: Millis = 1_000;

/// Quiet time before a line that left no trace on one of its squares is believed, in milliseconds: a piece in the hand is by far
/// more likely.
pub const REST_TRACELESS: Millis = 3_000;

/// Added to the settle time for the serial line, in milliseconds: an update takes 5 ms at 9600 baud, and a few can queue. Without
/// it, a settle time of one board scan would end just when the updates of the next scan arrive.
pub const SERIAL_LATENCY: Millis = 25;

/// Maximum time that a hand stops on the way, in milliseconds: 80–600 ms were observed.
pub const MAX_STOP: Millis = 700;
/// Maximum time that a move waits which could still go on, in milliseconds: the longest stop that was observed.
pub const REST_STOPPED: Millis = 600;
/// Cost of a move going on that waited for its maximum time. Guess: 1 %.
pub const STOPPED_LONGER: Cost = 106;
/// The half-life of stops, in milliseconds. Guess: 80–600 ms were observed.
pub const STOP_HALF_LIFE: Millis = 130;
/// The half-life of castling with the rook first, in milliseconds. Guess.
pub const CASTLING_HALF_LIFE: Millis = 320;
/// Cost of castling with the rook first. Guess: 5 % of castling.
pub const ROOK_FIRST: Cost = 69;
/// Cost of a piece that is dragged from square to square, going on. Guess: 40 %.
pub const DRAGGED_ON: Cost = 20;
/// The half-life of the doubt between lines of play, in milliseconds: the next moves decide. Guess.
pub const DOUBT_HALF_LIFE: Millis = 2_000;
/// Maximum time that a move waits because of doubt, in milliseconds: until then, arbiters and spectators miss it.
pub const REST_DOUBTED: Millis = 5_000;

/// Time after the clock press during which a move may still turn out to have gone on, in milliseconds: squares are scanned one by
/// one, up to 250 ms late, and the press can overtake them (protocols: a full scan takes 200–250 ms); doubled for safety.
pub const PRESS_OVERTAKE_WINDOW: Millis = 600;

/// Maximum time that one king waits in the centre for the other, in milliseconds.
pub const MAX_KING_DELAY: Millis = 10_000;

/// One full scan of the slowest board plus the serial line, in milliseconds: after that, a piece that was put down has been seen.
pub const SCAN_TIME: Millis = 275;

/// Maximum time by which a reply is put down before the move that it answers, in milliseconds: two scans of the board, and a hand
/// that hesitates.
pub const MAX_OVERLAP: Millis = 1_000;

/// Quiet time after which a piece that left its square and is on no other may have captured, in milliseconds: hands carry a piece
/// for 200–750 ms.
pub const REST_CARRIED: Millis = 700;

/// Maximum number of stray touches that are counted: one clumsy hand touches several squares.
pub const MAX_STRAY_TOUCHES: u32 = 3;
/// Maximum delay of a reported press, in milliseconds: clocks that count whole seconds report it with the next second.
pub const MAX_PRESS_DELAY: Millis = 1_300;
/// Cost of the pieces being swept off the board: that of a board without an explanation.
pub const SWEPT: Cost = 400;
/// Cost of a board that neither the line nor pieces in hands explain; [`UNEXPLAINED_SQUARE`] is added for every further square.
pub const UNEXPLAINED: Cost = 200;
/// See [`UNEXPLAINED`].
pub const UNEXPLAINED_SQUARE: Cost = 40;
/// Cost of a further event, or a quiet board, while the line explains nothing.
pub const STILL_UNEXPLAINED: Cost = 20;
/// Confidence of a move that was found by search, when nothing else would explain the board. Guess.
pub const RECONSTRUCTED_CONFIDENCE: crate::game::Confidence = crate::game::Confidence(970);
/// Time after damaged data on the serial line in which updates may be lost and no square is suspected, in milliseconds. Guess.
pub const DAMAGE_WINDOW: Millis = 300_000;
/// Maximum number of squares assumed stuck.
pub const MAX_STUCK: usize = 2;
/// Number of plies after the first suspicion after which a stuck square is reported. Guess.
pub const STUCK_REPORT_PLIES: usize = 4;
/// Maximum number of lines that split off when a square is first suspected: a queen's moves.
pub const MAX_STUCK_LINES: usize = 24;
/// Maximum time for which a flickering square is empty, in milliseconds: the time between two scans, and the usual length of a
/// contact loss. Guess.
pub const MAX_FLICKER_GAP: Millis = 1_000;
/// Number of such gaps within [`FLICKER_WINDOW`] that make a square flicker: players do not adjust a piece so often. Guess.
pub const MIN_FLICKERS: usize = 4;
/// See [`MIN_FLICKERS`]. In milliseconds.
pub const FLICKER_WINDOW: Millis = 300_000;
/// Time for which a piece must have been on a flickering square without a gap for it to count as repaired, in milliseconds. Guess.
pub const FLICKER_REPAIRED_AFTER: Millis = 600_000;
/// Number of changes after which a stuck square that then shows what the line says counts as repaired. Guess.
pub const STUCK_REPAIRED_CHANGES: u32 = 3;
/// Cost of an illegal move. Arbiters report a few in a hundred games of rapid chess, which is one in some thousand moves; one in
/// some hundred where nothing legal explains the board.
pub const ILLEGAL_MOVE: Cost = 130;

/// Maximum time from a promotion until its piece is chosen on the board, in milliseconds. Guess.
pub const MAX_CHOICE_TIME: Millis = 60_000;
/// Maximum time by which the choice is reported before the squares show the promotion, in milliseconds. Guess.
pub const MAX_CHOICE_LEAD: Millis = 2_000;

/// Minimum time for which a piece is in the air, in milliseconds, and its cost. 200–750 ms is usual; that some players hold a piece
/// for seconds is a guess.
const HOLDING_COSTS: [(Millis, Cost); 9] =
    [(0, 0), (400, 6), (600, 20), (800, 50), (1_000, 70), (1_500, 80), (3_000, 110), (5_000, 160), (10_000, 240)];

/// Returns the cost of a piece being held for `ms`.
pub fn holding_cost(ms: Millis) -> Cost {
    HOLDING_COSTS.iter().rev().find(|(from, _)| *from <= ms).map_or(0, |(_, cost)| *cost)
}

/// The re-decoding window, in milliseconds: twice the delay of hands and clock messages.
pub const REDECODE_WINDOW: Millis = 3_000;
/// Maximum cost beyond the best line at which a re-decoded line is followed.
pub const REDECODE_MARGIN: Cost = 100;
/// The same on boards that detect only occupancy, where later play decides more often.
pub const REDECODE_MARGIN_OCCUPANCY: Cost = 200;
/// Cost of one move of about thirty, where moves are not weighed individually.
pub const AVERAGE_MOVE: Cost = 80;

/// Minimum time between two actions of one player's hand, in milliseconds; anything faster is a program. Guess.
pub const MIN_HAND_INTERVAL: Millis = 60;
/// Minimum time between two moves of one player, in milliseconds, and its cost: the opponent must have moved in between. Guess.
const HASTE_COSTS: [(Millis, Cost); 4] = [(0, 120), (200, 80), (400, 40), (600, 0)];

/// Returns the cost of two moves of one player within `ms`.
pub fn haste_cost(ms: Millis) -> Cost {
    HASTE_COSTS.iter().rev().find(|(from, _)| *from <= ms).map_or(0, |(_, cost)| *cost)
}

/// Minimum time for which a hand carries a piece, in milliseconds.
pub const MIN_CARRY_TIME: Millis = 80;
/// Time for which hands usually carry a piece at least, in milliseconds: 200–750 ms.
pub const USUAL_CARRY_TIME: Millis = 200;
/// Minimum time by which a reply began before the move that it answers was seen, in milliseconds, and its cost: squares are scanned
/// up to 250 ms late, and most players wait until the piece is on the board.
const OVERLAP_COSTS: [(Millis, Cost); 5] = [(0, 8), (50, 20), (100, 35), (175, 60), (275, 122)];

/// Returns the cost of a reply that began at `began` when the move that it answers was seen at `seen`.
pub fn overlap_cost(began: Millis, seen: Millis) -> Cost {
    let before = seen.saturating_sub(began);
    OVERLAP_COSTS.iter().rev().find(|(from, _)| *from <= before).filter(|_| before > 0).map_or(0, |(_, cost)| *cost)
}

/// Cost beyond the best line at which a line is pruned: one in a million.
pub const PRUNE_MARGIN: Cost = 400;
/// Maximum cost that is counted for what the board shows now when lines are pruned: the next edge may correct it.
pub const MAX_PENDING_AT_PRUNE: Cost = 300;
/// Cost by which another line must be better to replace the published one: odds of two to one against every change.
pub const SWITCH_MARGIN: Cost = 16;
/// The same while the move that would be published first is neither answered nor completed: waiting costs little.
pub const SWITCH_MARGIN_OPEN: Cost = 40;
/// The same when nothing has happened for longer than hands rest.
pub const SWITCH_MARGIN_QUIET: Cost = 16;
/// Added to the margin for each time but the first that another line replaced the published one within [`REPLACEMENT_WINDOW`]: lines
/// that take turns are about equally likely, and every turn may correct the record in public.
pub const SWITCH_MARGIN_AGAIN: Cost = 16;
/// The maximum that [`SWITCH_MARGIN_AGAIN`] adds up to: four bits, so that clear evidence still decides.
pub const MAX_SWITCH_MARGIN_AGAIN: Cost = 64;
/// See [`SWITCH_MARGIN_AGAIN`]. In milliseconds.
pub const REPLACEMENT_WINDOW: Millis = 60_000;
/// Added to the margin if the other line no longer assumes a square to be stuck: the maximum cost of lifting an unlikely piece.
/// Subtracted if only a stuck square explains what has been on the board for long.
pub const SWITCH_MARGIN_STUCK: Cost = 200;
/// Number of equal last plies after which lines that differ in their number of moves are merged.
pub const MERGE_PLIES: usize = 5;
/// Number of last plies in which lines are compared: older ones are settled.
pub const COMPARED_PLIES: usize = 16;
/// Maximum number of positions that all lines together hold beyond the moves they share: some 300 bytes each, half a megabyte.
pub const MAX_POSITIONS: usize = 1_600;
/// Maximum memory of all lines together, in bytes: less than a megabyte with the record of a game of 300 plies.
pub const MAX_BYTES: usize = 700_000;
/// Memory of a line without its plies, with the moves that it keeps ready, in bytes. Measured, as are the two below.
pub const LINE_BYTES: usize = 3_000;
/// Memory of each ply of a line, in bytes. See [`LINE_BYTES`].
pub const PLY_BYTES: usize = 16;
/// Memory of each position that a line holds alone, in bytes. See [`LINE_BYTES`].
pub const NODE_BYTES: usize = 320;
/// Maximum number of lines that split off at one time; those of the likeliest lines come first.
pub const MAX_SPLITS: usize = 256;
/// A line keeps fewer deferred lines than this: each is a position and its moves.
pub const MAX_DEFERRED: usize = 16;
/// Maximum number of equally good lines that are counted: one in 65 is as good as none.
pub const MAX_RIVALS: usize = 64;
/// Maximum number of lines that are followed while the clock is stopped and what happens is probably not play.
pub const SHADOW_LINES: usize = 8;

/// Returns what is added to the margin after the published line was replaced this many times within [`REPLACEMENT_WINDOW`].
pub fn switch_margin_again(replacements: usize) -> Cost {
    let times = Cost::try_from(replacements.saturating_sub(1)).unwrap_or(Cost::MAX);
    times.saturating_mul(SWITCH_MARGIN_AGAIN).min(MAX_SWITCH_MARGIN_AGAIN)
}

/// Returns 2^(−`cost` / 16) in units of 2⁻³².
pub fn likelihood(cost: Cost) -> u64 {
    /// 2^(32 - n/16), n = 0 … 15.
    const FRACTIONS: [u64; 16] = [
        4_294_967_296,
        4_112_874_773,
        3_938_502_376,
        3_771_522_796,
        3_611_622_603,
        3_458_501_653,
        3_311_872_529,
        3_171_459_999,
        3_037_000_500,
        2_908_241_642,
        2_784_941_738,
        2_666_869_345,
        2_553_802_834,
        2_445_529_972,
        2_341_847_524,
        2_242_560_872,
    ];
    let cost = cost.max(0) as u32;
    let fraction = FRACTIONS.get((cost % 16) as usize).copied().unwrap_or(0);
    fraction.checked_shr(cost / 16).unwrap_or(0)
}

/// Returns the cost of a line beyond the best one, as it counts for confidences. Costs that are taken as independent are not, so that
/// the best line was right more often than its share of the likelihood says; measured on simulated games.
pub fn calibrated(excess: Cost) -> Cost {
    excess.saturating_mul(8) / 5
}

/// Returns `weight` scaled by the likelihood of `cost`; a negative `cost` increases it.
pub fn scale_by_cost(weight: u64, cost: Cost) -> u64 {
    let factor = |cost| u128::from(self::likelihood(cost));
    let scaled =
        if cost < 0 { (u128::from(weight) << 32) / factor(-cost).max(1) } else { (u128::from(weight) * factor(cost)) >> 32 };
    u64::try_from(scaled).unwrap_or(u64::MAX >> 16)
}

/// Returns the cost of a share of a whole: 16 times the binary logarithm of `whole / part`, rounded down.
pub fn cost_of_share(part: u64, whole: u64) -> Cost {
    log2_sixteenths(whole.max(1)) - log2_sixteenths(part.max(1))
}

/// Returns these costs, changed by a constant so that their likelihoods add up to one.
pub fn normalised(costs: Vec<Cost>) -> Box<[Cost]> {
    let least = costs.iter().copied().min().unwrap_or(0);
    let total: u64 = costs.iter().map(|&cost| likelihood(cost - least) >> 8).sum();
    let share = cost_of_share(1 << 24, total);
    costs.into_iter().map(|cost| cost - least + share).collect()
}

/// Returns the cost of a share of a whole, rounded to the nearest whole number.
pub fn nearest_cost_of_share(part: u64, whole: u64) -> Cost {
    (log2(whole.max(1), 8) - log2(part.max(1), 8) + 8).div_euclid(16)
}

/// Returns 16 times the binary logarithm of `value`, rounded down.
fn log2_sixteenths(value: u64) -> Cost {
    log2(value, 4)
}

/// Returns the binary logarithm of `value` with this many binary digits after the point, rounded down.
fn log2(value: u64, places: u32) -> Cost {
    let bits = 63 - value.max(1).leading_zeros();
    // Each squaring gives one more binary digit.
    let mut digits = bits as Cost;
    let mut mantissa = u128::from(value.max(1)) << 32 >> bits;
    for _ in 0..places {
        mantissa = (mantissa * mantissa) >> 32;
        let carry = (mantissa >> 33) as u32 & 1;
        mantissa >>= carry;
        digits = digits * 2 + carry as Cost;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_rounded_to_the_nearest() {
        for (whole, cost) in [(1, 0), (2, 16), (10, 53), (100, 106), (1_000, 159), (65_536, 256)] {
            assert_eq!(nearest_cost_of_share(7, 7 * whole), cost, "1 in {whole}");
        }
        assert_eq!(nearest_cost_of_share(3, 1), -25);
        assert_eq!(nearest_cost_of_share(0, 0), 0);
    }
}
