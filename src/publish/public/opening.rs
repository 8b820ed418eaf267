//! The name of an opening. `config/data/openings/README.md` says where the names are from.

use crate::game::record::Ply;
use serde::Serialize;

/// Placement, side to move, code and name of each named position, sorted by bytes. It is searched as it is, so that it needs no
/// memory of its own.
static POSITIONS: &str = include_str!("../../../config/data/openings/openings.tsv");

/// The number of plies within which positions have names.
const LONGEST: usize = 40;

/// An opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Opening {
    /// The code of the Encyclopaedia of Chess Openings.
    pub eco: &'static str,
    /// The English name.
    pub name: &'static str,
    /// The number of plies until the position that has it.
    pub ply: usize,
}

/// Returns the opening of a game from the usual start position: that of the last position with a name.
pub(super) fn opening(plies: &[Ply]) -> Option<Opening> {
    let named = |ply: usize| {
        let (eco, name) = find(&plies.get(ply - 1)?.played.fen)?;
        Some(Opening { eco, name, ply })
    };
    (1..=plies.len().min(LONGEST)).rev().find_map(named)
}

/// Returns code and name of a position.
fn find(fen: &str) -> Option<(&'static str, &'static str)> {
    let key_end = fen.match_indices(' ').nth(1)?.0;
    let key = fen.get(..key_end)?;
    let (mut low, mut high) = (0, POSITIONS.len());
    while low < high {
        let middle = (low + high) / 2;
        let bytes = POSITIONS.as_bytes();
        let start = bytes.get(low..middle)?.iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
        let end = bytes.get(start..high)?.iter().position(|byte| *byte == b'\n').map_or(high, |at| start + at);
        let mut fields = POSITIONS.get(start..end)?.split('\t');
        match fields.next()?.cmp(key) {
            std::cmp::Ordering::Equal => return Some((fields.next()?, fields.next()?)),
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_found() {
        let lines: Vec<&str> = POSITIONS.lines().collect();
        assert!(lines.len() > 3_000 && lines.is_sorted());
        for line in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let [key, eco, name] = fields[..] else { panic!("{line}") };
            assert!(eco.len() == 3 && !name.is_empty(), "{line}");
            assert_eq!(find(&format!("{key} KQkq - 0 1")), Some((eco, name)), "{line}");
        }
    }

    #[test]
    fn positions_without_a_name_are_not_found() {
        for fen in ["", "x", "8/8/8/8/8/8/8/8 w - - 0 1", "0 0 0", "zzz b - -"] {
            assert_eq!(find(fen), None, "{fen}");
        }
        let najdorf = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6";
        assert_eq!(find(najdorf), Some(("B90", "Sicilian Defense: Najdorf Variation")));
    }
}
