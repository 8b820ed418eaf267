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
pub(super) fn has_same_players(known: &Pairing, pairing: &Pairing, before: &Round) -> bool {
    is_same_person(&known.white, &pairing.white, before) && is_same_person(&known.black, &pairing.black, before)
}

/// Returns the pairing of `before` that this pairing is: with the same names at any table, or with corrected names at the same table.
fn former<'a>(pairing: &Pairing, before: &'a Round) -> Option<&'a Pairing> {
    let names = |pairing: &Pairing| (pairing.white.name.clone(), pairing.black.name.clone());
    let named = before.pairings.iter().find(|known| names(known) == names(pairing));
    named.or_else(|| before.table(pairing.table).filter(|known| has_same_players(known, pairing, before)))
}

/// Takes over the results of the pairings that are in both rounds.
pub(super) fn keep_results(round: &mut Round, before: &Round) {
    for pairing in round.pairings.iter_mut().filter(|pairing| pairing.result.is_none()) {
        pairing.result = former(pairing, before).and_then(|known| known.result);
    }
}

/// Returns the pairings whose results are lost when `round` takes the place of `before`, because their players are not paired in it.
pub fn lost_results<'a>(round: &Round, before: &'a Round) -> Vec<&'a Pairing> {
    let kept: Vec<&Pairing> = round.pairings.iter().filter_map(|pairing| former(pairing, before)).collect();
    before.pairings.iter().filter(|known| known.result.is_some() && !kept.contains(known)).collect()
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
            // The file has a result of its own.
            (vec![pairing(1, ("Able", 1), ("Given1", 5), draw)], vec![draw], 1),
        ] {
            let mut round = round(&loaded);
            assert_eq!(lost_results(&round, &before).len(), lost, "{loaded:?}");
            keep_results(&mut round, &before);
            let results: Vec<Option<PairingResult>> = round.pairings.iter().map(|pairing| pairing.result).collect();
            assert_eq!(results, expected, "{loaded:?}");
        }
    }
}
