//! The mates that men may come to, as far as [`Reach`] knows: none of them, and there is no mate; and where there are, the search
//! makes for them.

use super::reach::{Man, Reach, Squares, WAYS, Way, around, attacked, each, step};
use shakmaty::{Bitboard, Color, Role};

/// A mate that may be.
pub struct Mate {
    /// How many steps the king to be mated is away from where he is mated, by square; 64 where he never gets there.
    pub hunted: [u8; 64],
    /// How many steps the other king is away from where he helps.
    pub hunter: [u8; 64],
    /// Flights that the mated side blocks itself.
    pub blocked: Bitboard,
}

/// One square of the king to be mated, its flights to be blocked, and where the other king takes the rest.
struct Net {
    square: Squares,
    blocked: Squares,
    kings: Squares,
}

/// Whether there may be a mate by this player.
pub fn any(reach: &Reach, winner: Color) -> bool {
    let Some(hunt) = Hunt::new(reach, winner) else { return false };
    // One man is looked at on all squares before the next: the first who can mate is the only one.
    hunt.checkers.iter().any(|checker| {
        let stands = stands(checker.man, hunt.still);
        each(hunt.hunted.reach).any(|square| hunt.net(square, &[(&stands, checker.others)], true).is_some())
    })
}

/// The mates that may be, at most one for each square of the king to be mated.
pub fn possible(reach: &Reach, winner: Color) -> Vec<Mate> {
    let Some(hunt) = Hunt::new(reach, winner) else { return Vec::new() };
    let stands: Vec<Vec<Squares>> = hunt.checkers.iter().map(|checker| stands(checker.man, hunt.still)).collect();
    let checkers: Vec<(&Vec<Squares>, Squares)> =
        stands.iter().zip(hunt.checkers.iter().map(|checker| checker.others)).collect();
    let nets = each(hunt.hunted.reach).filter_map(|square| hunt.net(square, &checkers, false));
    nets.map(|net| Mate {
        hunted: walks(net.square, hunt.hunted.reach),
        hunter: walks(net.kings, hunt.kings(net.square)),
        blocked: Bitboard(net.blocked),
    })
    .collect()
}

struct Hunt<'a> {
    hunted: &'a Man,
    hunter: &'a Man,
    checkers: Vec<Checker<'a>>,
    /// Where each man of the mated side may stand.
    blockers: Vec<Squares>,
    /// Squares that no line passes.
    still: Squares,
}

/// A man who may give the mating check.
struct Checker<'a> {
    man: &'a Man,
    /// What the others may attack meanwhile.
    others: Squares,
}

impl Hunt<'_> {
    fn new(reach: &Reach, winner: Color) -> Option<Hunt<'_>> {
        let (hunted, hunter) = (reach.king(!winner)?, reach.king(winner)?);
        let of = |color: Color| reach.men.iter().filter(move |man| man.color == color && man.role != Role::King);
        let attacks: Vec<(&Man, Squares)> = of(winner).map(|man| (man, man.attacks() | behind(man, hunted))).collect();
        let others = |index: usize| {
            attacks.iter().enumerate().filter(|(other, _)| *other != index).fold(0, |all, (_, (_, squares))| all | squares)
        };
        // A checked king does not cover the square behind him.
        let still = reach.men.iter().filter(|man| !man.gone && man.home != hunted.home).fold(0, |all, man| all | man.home);
        let checkers = attacks.iter().enumerate().map(|(index, (man, _))| Checker { man, others: others(index) });
        Some(Hunt { hunted, hunter, checkers: checkers.collect(), blockers: of(!winner).map(Man::anywhere).collect(), still })
    }

    /// Where the hunting king may stand when the mate is given on that square: where a step ends the game, only if it uncovers a
    /// line of check.
    fn kings(&self, square: Squares) -> Squares {
        if self.hunter.last == 0 {
            return self.hunter.reach;
        }
        let from = self.hunter.reach & !around(square);
        let uncovered = self.ways().iter().fold(0, |all, &way| all | line(square, way, self.still)) & from;
        self.hunter.reach | self.hunter.last & around(uncovered)
    }

    /// The ways along which any of the men may give check from afar.
    fn ways(&self) -> &[Way] {
        let any =
            |roles: &[Role]| self.checkers.iter().any(|checker| checker.man.promoted != 0 || roles.contains(&checker.man.role));
        let (rook, bishop) = WAYS.split_at(4);
        match (any(&[Role::Rook, Role::Queen]), any(&[Role::Bishop, Role::Queen])) {
            (true, true) => &WAYS,
            (true, false) => rook,
            (false, true) => bishop,
            (false, false) => &[],
        }
    }

    /// The net that needs the fewest flights blocked, or the first that is found. Of each checker: what he attacks from each
    /// square he may reach, and what the others may.
    fn net(&self, square: Squares, checkers: &[(&Vec<Squares>, Squares)], first: bool) -> Option<Net> {
        let flights = around(square);
        let mut best: Option<Net> = None;
        let kings = self.kings(square);
        for (stands, others) in checkers {
            let mut known = Vec::new();
            for own in stands.iter().filter(|&own| own & square != 0).map(|own| own & flights) {
                if known.contains(&own) {
                    continue;
                }
                known.push(own);
                for king in each(kings & !flights & !square) {
                    let blocked = flights & !(own | others | around(king));
                    match &mut best {
                        Some(best) if best.blocked == blocked => best.kings |= king,
                        Some(best) if best.blocked.count_ones() <= blocked.count_ones() => {}
                        _ if !can_block(blocked, &self.blockers) => {}
                        _ if first => return Some(Net { square, blocked, kings: king }),
                        _ => best = Some(Net { square, blocked, kings: king }),
                    }
                }
            }
        }
        best
    }
}

/// What a man attacks from each square he may reach, on lines as far as what never moves lets him.
fn stands(man: &Man, still: Squares) -> Vec<Squares> {
    let lines = |from: Squares, ways: &[Way]| ways.iter().fold(0, |all, &way| all | line(from, way, still));
    let (rook, bishop) = WAYS.split_at(4);
    let own = each(man.reach).map(|from| match man.role {
        Role::Rook => lines(from, rook),
        Role::Bishop => lines(from, bishop),
        Role::Queen => lines(from, &WAYS),
        role => attacked(role, man.color, from),
    });
    own.chain(each(man.promoted).map(|from| attacked(Role::Knight, man.color, from) | lines(from, &WAYS))).collect()
}

/// The squares that way, up to the first that never moves.
fn line(from: Squares, way: Way, still: Squares) -> Squares {
    let (mut front, mut all) = (step(from, way), 0);
    while front != 0 {
        all |= front;
        front = step(front & !still, way);
    }
    all
}

/// What a man attacks behind a king that never moves: the king may not step back along the line of a check.
fn behind(man: &Man, king: &Man) -> Squares {
    if king.gone {
        return 0;
    }
    WAYS.iter().enumerate().fold(0, |all, (index, &way)| {
        let lines = match man.role {
            Role::Queen => man.reach,
            Role::Rook if index < 4 => man.reach,
            Role::Bishop if index >= 4 => man.reach,
            _ => 0,
        };
        all | step(step(lines | man.promoted, way) & king.home, way)
    })
}

/// Whether each of these squares can have a man of its own.
fn can_block(squares: Squares, men: &[Squares]) -> bool {
    let covered = || squares & !men.iter().fold(0, |all, man| all | man) == 0;
    // Whoever stands on one may be sent to another.
    let mut placed = vec![0; if squares == 0 { 0 } else { men.len() }];
    squares.count_ones() as usize <= men.len()
        && covered()
        && each(squares).all(|square| place(square, men, &mut placed, &mut 0))
}

fn place(square: Squares, men: &[Squares], placed: &mut [Squares], tried: &mut u64) -> bool {
    for (index, man) in men.iter().enumerate() {
        if man & square == 0 || *tried & 1 << index != 0 {
            continue;
        }
        *tried |= 1 << index;
        let before = placed.get(index).copied().unwrap_or(0);
        if before == 0 || place(before, men, placed, tried) {
            if let Some(place) = placed.get_mut(index) {
                *place = square;
            }
            return true;
        }
    }
    false
}

/// How many steps from each square to these ones, over these squares; 64 from where there is no way.
fn walks(to: Squares, over: Squares) -> [u8; 64] {
    let mut steps = [64; 64];
    let (mut front, mut seen, mut count) = (to, 0, 0);
    while front != 0 {
        for (square, steps) in steps.iter_mut().enumerate() {
            if front & 1 << square != 0 {
                *steps = count;
            }
        }
        seen |= front;
        front = around(front) & over & !seen;
        count += 1;
    }
    steps
}
