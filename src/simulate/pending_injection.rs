//! Irregularities that are still to be injected, and pieces that are out of place because of one.

use crate::laws::{Changes, Move, Position};
use crate::simulate::illegal::{self, IllegalSort};
use crate::simulate::irregularity::{Injection, IrregularityKind};
use crate::simulate::pgn::SourceGame;
use crate::simulate::rng::Dice;
use shakmaty::{Piece, Square};

/// A piece that is temporarily on a wrong square or off the board.
pub(super) struct MisplacedPiece {
    pub piece: Piece,
    pub square: Square,
    /// Its current square; `None`: beside the board.
    pub current_square: Option<Square>,
    /// The ply before which it is restored.
    pub until_ply: u32,
    /// Index of its irregularity in the ground truth.
    pub irregularity: usize,
}

/// An irregularity still to be injected.
pub(super) struct PendingInjection {
    pub kind: IrregularityKind,
    /// The first ply at which it may happen.
    pub ply: u32,
    /// The sort of illegal move; `None`: any that is possible.
    pub sort: Option<IllegalSort>,
}

impl PendingInjection {
    /// Chooses where to inject an irregularity. If no ply is given, it draws one for this game; it draws the sort of illegal move
    /// first, so that rare sorts reach their share. Returns `None` if the irregularity is impossible in this game.
    pub(super) fn of(injection: Injection, game: &SourceGame, dice: Dice) -> Option<PendingInjection> {
        let Injection { kind, ply } = injection;
        if let Some(ply) = ply {
            return Some(PendingInjection { kind, ply, sort: None });
        }
        let mut rng = dice.irregularity(kind, 0);
        let mut plies: Vec<(u32, Vec<IllegalSort>)> = Vec::new();
        let mut position = game.start.clone();
        for (index, ply) in game.plies.iter().enumerate() {
            let sorts = if is_illegal(kind) { illegal::sorts(&position) } else { Vec::new() };
            let is_possible = match kind {
                IrregularityKind::RookFirst | IrregularityKind::TwoHands | IrregularityKind::PawnLeft => {
                    fits(kind, &position, ply.mv)
                }
                _ => index > 0,
            };
            if is_possible {
                plies.push((index as u32 + 1, sorts));
            }
            position = position.play(ply.mv);
        }
        let all_sorts: Vec<IllegalSort> = plies.iter().flat_map(|(_, sorts)| sorts).copied().collect();
        let sort = illegal::draw(&mut rng, &all_sorts);
        let plies: Vec<u32> =
            plies.iter().filter(|(_, sorts)| sort.is_none_or(|sort| sorts.contains(&sort))).map(|(ply, _)| *ply).collect();
        Some(PendingInjection { kind, ply: rng.pick(&plies)?, sort })
    }
}

fn is_illegal(kind: IrregularityKind) -> bool {
    matches!(kind, IrregularityKind::IllegalMove | IrregularityKind::IllegalStands)
}

/// Returns whether this ply itself can be made with this irregularity.
pub(super) fn fits(kind: IrregularityKind, position: &Position, mv: Move) -> bool {
    match kind {
        IrregularityKind::RookFirst => mv.is_castle() && Changes::of(position.turn(), mv).iter().count() == 4,
        IrregularityKind::TwoHands => mv.is_castle() || mv.is_capture(),
        IrregularityKind::PawnLeft => mv.is_promotion(),
        _ => false,
    }
}
