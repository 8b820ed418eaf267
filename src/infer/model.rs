//! What hands, boards and players do, and how often: every figure that weighs one line of play against another.
//!
//! Costs are improbabilities in sixteenths of a bit: something that happens once in two times costs 16, once in ten 53, once
//! in a hundred 106. They add up, and they are whole numbers, so every machine weighs alike. "Measured" means three games
//! played on a DGT board (199 plies, 458 square updates); *guess* means that nobody has measured it.

use crate::boards::Millis;

/// An improbability, in sixteenths of a bit.
pub type Cost = i32;

/// Quiet after which a position of the past that stands again is a takeback, in milliseconds. Longer than a piece is put
/// back to be taken up again at once; players' own words for "taken back" are slower.
pub const REST_TAKEBACK: Millis = 1_000;
/// Quiet after which a position is believed though nobody was seen to put the pieces there, in milliseconds. Longer than the arbiter
/// needs to hear of it.
pub const UNSEEN: Millis = 25_000;

/// How long a move that could still become castling waits, in milliseconds: the other hand may be slow, and a rook's move
/// on a castling wing is rare.
pub const REST_CASTLING: Millis = 1_500;

/// How long a piece must rest that is being dragged from square to square, in milliseconds: the move Ra1-f1 of a real board
/// stops on d1 and, up to a second, on e1.
pub const REST_DRAGGED: Millis = 1_000;

/// Quiet before a line is believed that leaves no trace on one of its squares, in milliseconds: pieces in the hand are by
/// far the likelier story.
pub const REST_TRACELESS: Millis = 3_000;

/// What the line adds to the settle time, in milliseconds: an update takes 5 ms at 9600 baud, and a few can queue. Without it
/// a settle time of one scan of the board would end just when the next scan's news arrive.
pub const LINE: Millis = 25;

/// The longest that hands stop on the way, in milliseconds: 80–600 ms were seen.
pub const STOPS: Millis = 700;

/// How long after the press a move may still turn out to have gone on, in milliseconds: squares are read one by one, up to
/// 250 ms late, and the press can overtake them (protocols: a full scan takes 200–250 ms), twice over for safety.
pub const PRESS_OVERTAKES: Millis = 600;

/// So long one king may wait in the centre for the other, in milliseconds.
pub const KINGS_APART: Millis = 10_000;

/// A whole scan of the slowest board and the line, in milliseconds: after that a piece that was put down has been seen.
pub const SCANNED: Millis = 275;

/// A reply is never put down longer than this before the move that it answers, in milliseconds: two scans of the board, and a
/// hand that hesitates.
pub const OVERLAP: Millis = 1_000;

/// Quiet after which a piece that left its square and stands on no other may have taken something, in milliseconds: hands
/// carry a piece for 200–750 ms.
pub const CARRIED: Millis = 700;

/// A capture whose victim's square was never seen empty. Measured: 25 of 35.
pub const SILENT: Cost = 8;
/// A capture whose victim was seen to leave. Measured: 10 of 35.
pub const SEEN: Cost = 28;
/// A square changed that the move has nothing to do with: brushed, bumped, adjusted. Measured: 1 %, and neighbours besides.
pub const STRAY_TOUCH: Cost = 80;
/// So many stray touches are counted at most: one clumsy hand touches several.
pub const STRAY_TOUCHES: u32 = 3;
/// The press was told before the piece's square was read. Guess: 5 %.
pub const OVERTAKEN: Cost = 69;
/// A reply begun before the press was told, which may come up to a second late. Measured: clock news are late in 73 of 199 moves.
pub const EARLY: Cost = 12;
/// A reply begun while the mover still holds his piece. Guess: 0.5 %.
pub const WHILE_HELD: Cost = 122;
/// A press is told so late at most, in milliseconds: clocks that count whole seconds say so with the next one.
pub const PRESS_LATE: Millis = 1_300;
/// A piece is lifted when it is not its player's turn. Guess: 2 %, adjusting and the end of games together.
pub const OFF_TURN: Cost = 90;
/// A move on which no press was told, in a game with a clock: two presses within a second cancel out. Guess: 15 %.
pub const UNPRESSED: Cost = 44;
/// A press for which no move was seen. Guess: 1 %.
pub const NO_MOVE: Cost = 106;
/// The board shows something that neither the line nor pieces in hands explain; and the same for every square more.
pub const UNEXPLAINED: Cost = 200;
/// See [`UNEXPLAINED`].
pub const UNEXPLAINED_MORE: Cost = 40;
/// Something more happened, or the board was quiet, while the line explains nothing.
pub const STILL_UNEXPLAINED: Cost = 20;
/// A square of the board that has not changed in this game is stuck. Guess: one board in 250 has one, which may be any of 64.
pub const STUCK: Cost = 224;
/// Confidence of a move that was found by search, with nothing else that would explain what is seen. Guess.
pub const RECONSTRUCTED: crate::game::Confidence = crate::game::Confidence(970);
/// A line that carried damage may lose updates for so long, in milliseconds: no square is suspected meanwhile. Guess.
pub const BAD_LINE: Millis = 300_000;
/// So many squares are thought stuck at most.
pub const STUCK_AT_MOST: usize = 2;
/// A square is told to be stuck when play has gone on for so many plies since it was first suspected. Guess.
pub const STUCK_TOLD: usize = 4;
/// So many lines part at most when a square is first suspected: a queen's moves.
pub const SUSPICIONS: usize = 24;
/// A square that flickers is empty for no longer than this, in milliseconds: the time between two scans, and as long as a contact
/// is usually lost. Guess.
pub const FLICKER: Millis = 1_000;
/// So many of such spells within [`FLICKERS_WITHIN`] make a square flicker: nobody adjusts a piece so often. Guess.
pub const FLICKERS: usize = 4;
/// See [`FLICKERS`]. Milliseconds.
pub const FLICKERS_WITHIN: Millis = 300_000;
/// A square is mended when a piece has stood on it for so long without a spell, in milliseconds. Guess.
pub const STEADY: Millis = 600_000;
/// A stuck square is mended when it has changed so often and then showed what the line says. Guess.
pub const CHANGES_RIGHT: u32 = 3;
/// A move that is not legal. Arbiters' reports: a few in a hundred games of rapid chess, that is one in some thousand moves; one in
/// some hundred where nothing legal explains the board.
pub const ILLEGAL: Cost = 130;
/// A promotion to something else than a queen: knights 2 %, rooks and bishops less than 1 % (databases of master games).
pub const UNDERPROMOTION: [(shakmaty::Role, Cost); 3] =
    [(shakmaty::Role::Knight, 90), (shakmaty::Role::Rook, 115), (shakmaty::Role::Bishop, 140)];

/// A piece is in the air at least so long, milliseconds, and how improbable that is. 200–750 ms is usual; that some players hold
/// a piece for seconds is a guess.
const HELD: [(Millis, Cost); 9] =
    [(0, 0), (400, 6), (600, 20), (800, 50), (1_000, 70), (1_500, 80), (3_000, 110), (5_000, 160), (10_000, 240)];

/// How improbable it is that a piece is held so long.
pub fn held(ms: Millis) -> Cost {
    HELD.iter().rev().find(|(from, _)| *from <= ms).map_or(0, |(_, cost)| *cost)
}

/// A piece stops on its way on a square where it might have ended. Measured: 8 of 199 moves.
pub const STOP: Cost = 74;
/// It stops once more. Guess: every third that stops.
pub const STOP_MORE: Cost = 25;
/// A piece was taken before it was seen on its square: it stood there for less than a scan. Guess: 15 %.
pub const TAKEN_UNSEEN: Cost = 45;
/// Moves are told anew only so long, in milliseconds: as long as hands and the clock's news are late, twice over.
pub const RETOLD_WITHIN: Millis = 3_000;
/// Lines told anew are followed if they cost no more than this beyond the best.
pub const RETOLD: Cost = 100;
/// A piece was put down somewhere and taken up again without a move: adjusted, tried. Guess: 1 %.
pub const ELSEWHERE: Cost = 106;
/// A piece is seen on its last square long before it has left the first. Measured: 4 of 157 quiet moves.
pub const BACKWARDS: Cost = 85;
/// A piece is lifted and put back where it was. Guess: 10 %.
pub const PUT_BACK: Cost = 50;
/// A move among some thirty, where it is not weighed which.
pub const MOVE: Cost = 80;

/// A player's hand does not move again sooner than this, in milliseconds; what does is a program. Guess.
pub const HANDS: Millis = 60;
/// A player moves again so soon after his last move, milliseconds, and how improbable that is: the opponent has to have moved,
/// too. Guess.
const HASTY: [(Millis, Cost); 4] = [(0, 120), (200, 80), (400, 40), (600, 0)];

/// How improbable it is that so little time lies between two moves of a player.
pub fn hasty(ms: Millis) -> Cost {
    HASTY.iter().rev().find(|(from, _)| *from <= ms).map_or(0, |(_, cost)| *cost)
}

/// A hand carries a piece for at least so long, in milliseconds.
pub const CARRIED_LEAST: Millis = 80;
/// A reply was begun so long before the move that it answers was seen, milliseconds, and how improbable that is: squares are
/// read up to 250 ms late, and most players wait for the piece to stand.
const OVERLAPPING: [(Millis, Cost); 5] = [(0, 8), (50, 20), (100, 35), (175, 60), (275, 122)];

/// How improbable it is that a reply began at this time, if the move that it answers was seen at that.
pub fn overlapping(began: Millis, seen: Millis) -> Cost {
    let before = seen.saturating_sub(began);
    OVERLAPPING.iter().rev().find(|(from, _)| *from <= before).filter(|_| before > 0).map_or(0, |(_, cost)| *cost)
}

/// A line that costs so much more than the best is given up: one in a million.
pub const HOPELESS: Cost = 400;
/// What the board shows now counts for so much at most when a line is given up: the next edge may put it right.
pub const AT_WORST: Cost = 300;
/// Another line takes over what is published only if it is so much better: two to one against every change of mind.
pub const MARGIN: Cost = 16;
/// The same while the move that would be published first is neither answered nor completed: waiting costs little.
pub const MARGIN_OPEN: Cost = 40;
/// The same when nothing has happened for longer than hands rest.
pub const MARGIN_QUIET: Cost = 16;
/// As much more if the other line no longer thinks a square stuck: what lifting an unlikely piece costs at most;
/// and as much less if only a stuck square explains what has stood on the board for long.
pub const MARGIN_STUCK: Cost = 200;
/// Lines that differ in how many moves were made, and have gone on alike for so many plies, are one.
pub const SAME_SINCE: usize = 5;
/// Lines are compared in so many of the last plies: what is older has been settled.
pub const COMPARED: usize = 16;
/// So many positions all lines together hold beyond the moves they share: some 300 bytes each, half a megabyte.
pub const POSITIONS: usize = 1_600;
/// So many bytes all lines together take: with the record of a game of 300 plies less than a megabyte.
pub const BYTES: usize = 700_000;
/// Bytes of a line without its plies, with the moves that it keeps ready; of each ply; and of each position of its own. Measured.
pub const LINE_BYTES: usize = 3_000;
/// See [`LINE_BYTES`].
pub const PLY_BYTES: usize = 16;
/// See [`LINE_BYTES`].
pub const NODE_BYTES: usize = 320;
/// So many lines part at most at one time; those that part from the likeliest lines come first.
pub const PARTED: usize = 256;
/// So many ghosts a line keeps at most: each is a position and its moves.
pub const GHOSTS: usize = 16;
/// Of other lines that explain as much, so many are counted at most: one in 65 is as good as none.
pub const RIVALS: usize = 64;
/// So many lines are followed while the clock is stopped and what happens is probably no play.
pub const SHADOWS: usize = 8;

/// What pieces are worth to who would take them, in hundredths of a pawn.
pub const WORTH: [i32; 6] = [100, 300, 320, 500, 900, 2_000];

/// Hundredths of a pawn that double the odds of a move. Guess for tournament players, see `prior`.
pub const DOUBLES: i32 = 44;
/// No move is thought better or worse than by so much, in hundredths of a pawn: people overlook things.
pub const MOST: i32 = 250;

/// Two to the power of minus `cost` / 16, in units of 2⁻³².
pub fn weight(cost: Cost) -> u64 {
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

/// The weight of what costs so much more than something of this weight, or less where `cost` is negative.
pub fn times(weight: u64, cost: Cost) -> u64 {
    let factor = |cost| u128::from(self::weight(cost));
    let scaled =
        if cost < 0 { (u128::from(weight) << 32) / factor(-cost).max(1) } else { (u128::from(weight) * factor(cost)) >> 32 };
    u64::try_from(scaled).unwrap_or(u64::MAX >> 16)
}

/// The cost of a share of a whole: 16 times the binary logarithm of `whole / part`, rounded down.
pub fn cost_of(part: u64, whole: u64) -> Cost {
    sixteenths(whole.max(1)) - sixteenths(part.max(1))
}

/// 16 times the binary logarithm, rounded down.
fn sixteenths(value: u64) -> Cost {
    let bits = 63 - value.max(1).leading_zeros();
    // Squaring four times gives four more binary digits.
    let mut digits = bits as Cost;
    let mut mantissa = u128::from(value.max(1)) << 32 >> bits;
    for _ in 0..4 {
        mantissa = (mantissa * mantissa) >> 32;
        let carry = (mantissa >> 33) as u32 & 1;
        mantissa >>= carry;
        digits = digits * 2 + carry as Cost;
    }
    digits
}
