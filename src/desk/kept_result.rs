//! Results that stay when a round is loaded again or a pairing is changed: those of the same players.

use crate::round::{Pairing, Player, Round};

/// Returns whether both are the same person, possibly with a name that was corrected: with the same FIDE ID or start number. `before`:
/// the round of `known`. A name that somebody had there is nobody else's corrected name.
fn is_same_person(known: &Player, player: &Player, before: &Round) -> bool {
    let names = || before.pairings.iter().flat_map(|pairing| [&pairing.white.name, &pairing.black.name]);
    let is_corrected = || match (known.fide_id, player.fide_id) {
        (Some(known), Some(id)) => known == id,
        _ => known.start_number.is_some() && known.start_number == player.start_number,
    };
    known.name == player.name || (is_corrected() && !names().any(|name| *name == player.name))
}

/// Returns whether `pairing` has the same players with the same colours as this pairing of `before`.
fn has_same_players(known: &Pairing, pairing: &Pairing, before: &Round) -> bool {
    is_same_person(&known.white, &pairing.white, before) && is_same_person(&known.black, &pairing.black, before)
}

/// Returns whether a pairing that takes the place of `known` at its table keeps the result: it has the same players; or one of them, if
/// the game was played, because then a name is corrected, and nobody is replaced; a different FIDE ID means another player.
pub(super) fn keeps_result(known: &Pairing, pairing: &Pairing, before: &Round) -> bool {
    let players = [(&known.white, &pairing.white), (&known.black, &pairing.black)];
    let is_other = |(known, player): &(&Player, &Player)| {
        known.fide_id.is_some() && player.fide_id.is_some() && known.fide_id != player.fide_id
    };
    let one_is_same =
        players.iter().any(|(known, player)| is_same_person(known, player, before)) && !players.iter().any(is_other);
    let is_played = known.result.is_some_and(|result| !result.is_forfeit() && result.game_result().is_some());
    has_same_players(known, pairing, before) || is_played && one_is_same
}

/// Returns the pairing of `before` that this pairing is: with the same names at any table, or with corrected names at the same table.
fn pairing_before<'a>(pairing: &Pairing, before: &'a Round) -> Option<&'a Pairing> {
    let has_same_names = |known: &&Pairing| known.white.name == pairing.white.name && known.black.name == pairing.black.name;
    let named = before.pairings.iter().find(has_same_names);
    named.or_else(|| before.table(pairing.table).filter(|known| has_same_players(known, pairing, before)))
}

/// Takes over the results of the pairings that are in both rounds.
pub(super) fn keep_results(round: &mut Round, before: &Round) {
    for pairing in round.pairings.iter_mut().filter(|pairing| pairing.result.is_none()) {
        pairing.result = pairing_before(pairing, before).and_then(|known| known.result);
    }
}

/// Returns the pairings whose results are lost when `round` takes the place of `before`, because their players are not paired in it, or
/// it has another result for them; and those that are lost with a game that has no result. `has_game`: of a table.
pub fn lost_pairings<'a>(round: &Round, before: &'a Round, has_game: impl Fn(u16) -> bool) -> Vec<&'a Pairing> {
    let mut kept: Vec<&Pairing> = Vec::new();
    for pairing in &round.pairings {
        kept.extend(pairing_before(pairing, before).filter(|known| pairing.result.is_none() || pairing.result == known.result));
    }
    let is_lost = |known: &&Pairing| (known.result.is_some() || has_game(known.table)) && !kept.contains(known);
    before.pairings.iter().filter(is_lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::PairingResult;

    fn pairing(table: u16, white: (&str, u16), black: (&str, u16), result: Option<PairingResult>) -> Pairing {
        let player = |(name, number): (&str, u16)| Player {
            name: name.to_owned(),
            start_number: Some(number).filter(|number| *number > 0),
            ..Player::default()
        };
        Pairing { table, white: player(white), black: player(black), result, ..Pairing::default() }
    }

    fn round(pairings: &[Pairing]) -> Round {
        Round { number: 5, pairings: pairings.to_vec(), ..Round::default() }
    }

    #[test]
    fn results_stay_with_their_players() {
        let forfeit = Some(PairingResult::WhiteWinsByForfeit);
        let draw = Some(PairingResult::Draw);
        let before = round(&[pairing(1, ("Able", 1), ("Given1", 5), forfeit), pairing(2, ("Baker", 2), ("Cole", 6), draw)]);
        for (loaded, expected, lost) in [
            // A name is corrected.
            (
                vec![pairing(1, ("Able", 1), ("Givn1", 5), None), pairing(2, ("Baker", 2), ("Cole", 6), None)],
                vec![forfeit, draw],
                0,
            ),
            // The tables are swapped.
            (
                vec![pairing(1, ("Baker", 2), ("Cole", 6), None), pairing(2, ("Able", 1), ("Given1", 5), None)],
                vec![draw, forfeit],
                0,
            ),
            // A name is corrected in a file without start numbers: nobody can tell that it is the same player.
            (
                vec![pairing(1, ("Able", 0), ("Givn1", 0), None), pairing(2, ("Baker", 0), ("Cole", 0), None)],
                vec![None, draw],
                1,
            ),
            // Another player has the start number now.
            (
                vec![pairing(1, ("Able", 1), ("Cole", 5), None), pairing(2, ("Baker", 2), ("Given1", 6), None)],
                vec![None, None],
                2,
            ),
            // The file has a result of its own, and does not have the other pairing.
            (vec![pairing(1, ("Able", 1), ("Given1", 5), draw)], vec![draw], 2),
        ] {
            let mut round = round(&loaded);
            assert_eq!(lost_pairings(&round, &before, |_| false).len(), lost, "{loaded:?}");
            keep_results(&mut round, &before);
            let results: Vec<Option<PairingResult>> = round.pairings.iter().map(|pairing| pairing.result).collect();
            assert_eq!(results, expected, "{loaded:?}");
        }
    }

    #[test]
    fn a_pairing_with_a_game_is_lost_with_it() {
        let before = round(&[pairing(1, ("Able", 1), ("Baker", 5), None), pairing(2, ("Cole", 2), ("Dean", 6), None)]);
        let loaded = round(&before.pairings[..1]);
        let lost =
            |has_game: bool| lost_pairings(&loaded, &before, |_| has_game).iter().map(|lost| lost.table).collect::<Vec<_>>();
        assert_eq!((lost(true), lost(false)), (vec![2], Vec::new()));
    }

    #[test]
    fn a_substitute_inherits_no_forfeit_and_a_corrected_name_keeps_its_result() {
        let forfeit = Some(PairingResult::BlackWinsByForfeit);
        for (known, new, expected) in [
            (pairing(1, ("Able", 0), ("Baker", 0), forfeit), pairing(1, ("Xb", 0), ("Yb", 0), None), false),
            (pairing(1, ("Able", 0), ("Baker", 0), forfeit), pairing(1, ("Xb", 0), ("Baker", 0), None), false),
            (pairing(1, ("Able", 1), ("Baker", 0), forfeit), pairing(1, ("Abel", 1), ("Baker", 0), None), true),
            (
                pairing(1, ("Able", 0), ("Baker", 0), Some(PairingResult::Draw)),
                pairing(1, ("Abel", 0), ("Baker", 0), None),
                true,
            ),
            (pairing(1, ("Able", 0), ("Baker", 0), Some(PairingResult::Draw)), pairing(1, ("Xb", 0), ("Yb", 0), None), false),
        ] {
            assert_eq!(keeps_result(&known, &new, &round(std::slice::from_ref(&known))), expected, "{new:?}");
            // Nobody has two FIDE IDs.
            let [mut known, mut new] = [known, new];
            (known.black.fide_id, new.black.fide_id) = (Some(1), Some(2));
            assert!(!keeps_result(&known, &new, &round(std::slice::from_ref(&known))) || known.black.name == new.black.name);
        }
    }
}
