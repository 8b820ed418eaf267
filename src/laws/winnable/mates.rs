//! The mating patterns that are possible according to [`Reach`]. If there are none, no mate exists; otherwise they guide the
//! search.

use super::reach::{DIRECTIONS, Direction, Reach, ReachPiece, Squares, adjacent, attack_squares, iter_squares, step};
use shakmaty::{Bitboard, Color, Role};
use std::cell::LazyCell;

/// A possible mating pattern.
#[derive(Clone)]
pub(super) struct Mate {
    /// The number of steps of the king to be mated from each square to its mating square; 64 if it cannot get there.
    pub hunted: [u8; 64],
    /// The number of steps of the other king from each square to a square where it helps.
    pub hunter: [u8; 64],
    /// Flight squares that the mated side blocks itself.
    pub blocked: Bitboard,
}

/// A square of the king to be mated, the flight squares to be blocked, and where the other king covers the rest.
struct MatingNet {
    square: Squares,
    blocked: Squares,
    kings: Squares,
}

/// Returns whether a mate by this player may exist.
pub(super) fn any(reach: &Reach, winner: Color) -> bool {
    let Some(hunt) = Hunt::new(reach, winner) else { return false };
    // Each piece is checked on all squares before the next piece: the first one that can mate is enough.
    hunt.checkers.iter().any(|checker| {
        let attack_sets = attack_sets(checker.piece, hunt.still);
        iter_squares(hunt.hunted.reach).any(|square| hunt.net(square, &[(&attack_sets, checker.others)], true).is_some())
    })
}

/// Returns the possible mates, at most one for each square of the king to be mated.
pub(super) fn possible(reach: &Reach, winner: Color) -> Vec<Mate> {
    let Some(hunt) = Hunt::new(reach, winner) else { return Vec::new() };
    let attack_sets: Vec<Vec<Squares>> = hunt.checkers.iter().map(|checker| attack_sets(checker.piece, hunt.still)).collect();
    let checkers: Vec<(&Vec<Squares>, Squares)> =
        attack_sets.iter().zip(hunt.checkers.iter().map(|checker| checker.others)).collect();
    let nets = iter_squares(hunt.hunted.reach).filter_map(|square| hunt.net(square, &checkers, false));
    nets.map(|net| Mate {
        hunted: king_distances(net.square, hunt.hunted.reach),
        hunter: king_distances(net.kings, hunt.kings(net.square)),
        blocked: Bitboard(net.blocked),
    })
    .collect()
}

struct Hunt<'a> {
    hunted: &'a ReachPiece,
    hunter: &'a ReachPiece,
    checkers: Vec<Checker<'a>>,
    /// The squares that each piece of the mated side can reach.
    blockers: Vec<Squares>,
    /// Squares that no line passes.
    still: Squares,
}

/// A piece that may give the mating check.
struct Checker<'a> {
    piece: &'a ReachPiece,
    /// The squares that the other pieces may attack.
    others: Squares,
}

impl Hunt<'_> {
    fn new(reach: &Reach, winner: Color) -> Option<Hunt<'_>> {
        let (hunted, hunter) = (reach.king(!winner)?, reach.king(winner)?);
        let pieces_of =
            |color: Color| reach.pieces.iter().filter(move |piece| piece.color == color && piece.role != Role::King);
        let attacks: Vec<(&ReachPiece, Squares)> =
            pieces_of(winner).map(|piece| (piece, piece.attacks() | behind(piece, hunted))).collect();
        let others = |index: usize| {
            attacks.iter().enumerate().filter(|(other, _)| *other != index).fold(0, |all, (_, (_, squares))| all | squares)
        };
        // A king in check does not cover the square behind it.
        let still = reach
            .pieces
            .iter()
            .filter(|piece| !piece.may_have_left && piece.home != hunted.home)
            .fold(0, |all, piece| all | piece.home);
        let checkers = attacks.iter().enumerate().map(|(index, (piece, _))| Checker { piece, others: others(index) });
        Some(Hunt {
            hunted,
            hunter,
            checkers: checkers.collect(),
            blockers: pieces_of(!winner).map(ReachPiece::all_squares).collect(),
            still,
        })
    }

    /// Returns the squares of the winner's king for a mate on that square. A square where its step would end the game counts only
    /// if the step uncovers a line of check.
    fn kings(&self, square: Squares) -> Squares {
        if self.hunter.stalemating_steps == 0 {
            return self.hunter.reach;
        }
        let from = self.hunter.reach & !adjacent(square);
        let uncovered = self.ways().iter().fold(0, |all, &way| all | line(square, way, self.still)) & from;
        self.hunter.reach | self.hunter.stalemating_steps & adjacent(uncovered)
    }

    /// Returns the directions in which any of the pieces may give check from a distance.
    fn ways(&self) -> &[Direction] {
        let any = |roles: &[Role]| {
            self.checkers.iter().any(|checker| checker.piece.promoted != 0 || roles.contains(&checker.piece.role))
        };
        let (rook, bishop) = DIRECTIONS.split_at(4);
        match (any(&[Role::Rook, Role::Queen]), any(&[Role::Bishop, Role::Queen])) {
            (true, true) => &DIRECTIONS,
            (true, false) => rook,
            (false, true) => bishop,
            (false, false) => &[],
        }
    }

    /// Returns the net that needs the fewest blocked flight squares, or the first one found if `first`. `checkers` has for each
    /// checker its attacks from each reachable square, and the attacks of the other pieces.
    fn net(&self, square: Squares, checkers: &[(&Vec<Squares>, Squares)], first: bool) -> Option<MatingNet> {
        let flights = adjacent(square);
        let mut best: Option<MatingNet> = None;
        let kings = LazyCell::new(|| by_cover(self.kings(square) & !flights & !square, flights));
        for (attack_sets, others) in checkers {
            let mut known = Vec::new();
            for attacked in attack_sets.iter().filter(|&attacked| attacked & square != 0).map(|attacked| attacked & flights) {
                if known.contains(&attacked) {
                    continue;
                }
                known.push(attacked);
                for &(cover, kings) in &*kings {
                    let blocked = flights & !(attacked | others | cover);
                    match &mut best {
                        Some(best) if best.blocked == blocked => best.kings |= kings,
                        Some(best) if best.blocked.count_ones() <= blocked.count_ones() => {}
                        _ if !can_block(blocked, &self.blockers) => {}
                        _ if first => return Some(MatingNet { square, blocked, kings }),
                        _ => best = Some(MatingNet { square, blocked, kings }),
                    }
                }
            }
        }
        best
    }
}

/// Groups the squares of a king by those of the flight squares that it covers from there.
fn by_cover(kings: Squares, flights: Squares) -> Vec<(Squares, Squares)> {
    let mut groups: Vec<(Squares, Squares)> = Vec::new();
    for king in iter_squares(kings) {
        let cover = adjacent(king) & flights;
        match groups.iter_mut().find(|(known, _)| *known == cover) {
            Some((_, kings)) => *kings |= king,
            None => groups.push((cover, king)),
        }
    }
    groups
}

/// Returns the attacks of a piece from each reachable square. Lines end at pieces that never move.
fn attack_sets(piece: &ReachPiece, still: Squares) -> Vec<Squares> {
    let lines = |from: Squares, ways: &[Direction]| ways.iter().fold(0, |all, &way| all | line(from, way, still));
    let (rook, bishop) = DIRECTIONS.split_at(4);
    let attacks = iter_squares(piece.reach).map(|from| match piece.role {
        Role::Rook => lines(from, rook),
        Role::Bishop => lines(from, bishop),
        Role::Queen => lines(from, &DIRECTIONS),
        role => attack_squares(role, piece.color, from),
    });
    attacks
        .chain(
            iter_squares(piece.promoted).map(|from| attack_squares(Role::Knight, piece.color, from) | lines(from, &DIRECTIONS)),
        )
        .collect()
}

/// Returns the squares in this direction, up to the first piece that never moves.
#[inline]
fn line(from: Squares, way: Direction, still: Squares) -> Squares {
    let (mut front, mut all) = (step(from, way), 0);
    while front != 0 {
        all |= front;
        front = step(front & !still, way);
    }
    all
}

/// Returns the squares that a piece attacks behind a king that never moves: the king may not step back along the line of a check.
fn behind(piece: &ReachPiece, king: &ReachPiece) -> Squares {
    if king.may_have_left {
        return 0;
    }
    DIRECTIONS.iter().enumerate().fold(0, |all, (index, &way)| {
        let lines = match piece.role {
            Role::Queen => piece.reach,
            Role::Rook if index < 4 => piece.reach,
            Role::Bishop if index >= 4 => piece.reach,
            _ => 0,
        };
        all | step(step(lines | piece.promoted, way) & king.home, way)
    })
}

/// Returns whether each of these squares can be occupied by a different piece.
fn can_block(squares: Squares, blockers: &[Squares]) -> bool {
    let covered = || squares & !blockers.iter().fold(0, |all, blocker| all | blocker) == 0;
    // A piece already assigned to one square may be reassigned to another.
    let mut placed = vec![0; if squares == 0 { 0 } else { blockers.len() }];
    squares.count_ones() as usize <= blockers.len()
        && covered()
        && iter_squares(squares).all(|square| place(square, blockers, &mut placed, &mut 0))
}

fn place(square: Squares, blockers: &[Squares], placed: &mut [Squares], tried: &mut u64) -> bool {
    for (index, blocker) in blockers.iter().enumerate() {
        if blocker & square == 0 || *tried & 1 << index != 0 {
            continue;
        }
        *tried |= 1 << index;
        let before = placed.get(index).copied().unwrap_or(0);
        if before == 0 || place(before, blockers, placed, tried) {
            if let Some(place) = placed.get_mut(index) {
                *place = square;
            }
            return true;
        }
    }
    false
}

/// Returns the number of steps from each square to the squares `to` over the squares `over`; 64 if there is no path.
fn king_distances(to: Squares, over: Squares) -> [u8; 64] {
    let mut steps = [64; 64];
    let (mut front, mut seen, mut count) = (to, 0, 0);
    while front != 0 {
        for (square, steps) in steps.iter_mut().enumerate() {
            if front & 1 << square != 0 {
                *steps = count;
            }
        }
        seen |= front;
        front = adjacent(front) & over & !seen;
        count += 1;
    }
    steps
}
