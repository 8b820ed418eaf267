//! Promotions to a piece other than the queen of the game.

use crate::laws::Move;
use crate::simulate::hands::{Rate, Rates};
use crate::simulate::pgn::{GamePly, SourceGame};
use crate::simulate::rng::Dice;
use shakmaty::Role;

/// Returns the game with some of its promotions to a queen changed, at the rate [`Rates::underpromote`]. The new piece is a rook,
/// bishop or knight with which all later moves, parsed again, stay legal and none follows a mate. If no piece allows that, the
/// queen stays; in most games the queen moves later or gives mate.
pub(super) fn underpromoted(game: &SourceGame, rates: &Rates, dice: Dice) -> SourceGame {
    let mut game = game.clone();
    for index in 0..game.plies.len() {
        let Some(GamePly { mv: Move::Normal { promotion: Some(Role::Queen), .. }, .. }) = game.plies.get(index) else {
            continue;
        };
        let mut rng = dice.stream(Rate::underpromote, index as u64);
        if !rng.chance(rates.underpromote) {
            continue;
        }
        let mut roles = [Role::Rook, Role::Bishop, Role::Knight];
        rng.shuffle(&mut roles);
        if let Some(plies) = roles.into_iter().find_map(|role| promoted_to(&game, index, role)) {
            game.plies = plies;
        }
    }
    game
}

/// Returns the plies of the game with this piece at that promotion, if they stay legal.
fn promoted_to(game: &SourceGame, index: usize, role: Role) -> Option<Vec<GamePly>> {
    let (mut original, mut changed) = (game.start.clone(), game.start.clone());
    let mut plies = Vec::with_capacity(game.plies.len());
    for (nth, ply) in game.plies.iter().enumerate() {
        let mv = match ply.mv {
            Move::Normal { role: pawn, from, to, capture, .. } if nth == index => {
                Move::Normal { role: pawn, from, to, capture, promotion: Some(role) }
            }
            mv if nth < index => mv,
            mv => changed.ending().is_none().then(|| changed.parse_uci(&original.uci(mv)))??,
        };
        original = original.play(ply.mv);
        changed = changed.play(mv);
        plies.push(GamePly { mv, ..*ply });
    }
    Some(plies)
}
