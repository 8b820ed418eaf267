//! Divides games into two halves: parameters are fitted on one, and accuracy is measured on the other.

use crate::simulate::pgn::SourceGame;

/// One half of all games. Which one a game belongs to follows from the names of its players and its date alone, so it is the same on
/// every machine, in every file and in every order of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// The games on which parameters are fitted.
    Fit,
    /// The games on which accuracy is measured.
    Evaluation,
}

impl Half {
    /// Returns the half of a game. All games of two players on one date are in the same half, whoever has White.
    pub fn of(game: &SourceGame) -> Half {
        let [mut first, mut second] = [game.white.trim(), game.black.trim()];
        if second < first {
            (first, second) = (second, first);
        }
        let text = [first, "\n", second, "\n", game.date.trim()].concat();
        // The highest bit depends on all letters; the lowest one only on the lowest bit of each.
        if fnv1a(text.as_bytes()) >> 63 == 0 { Half::Fit } else { Half::Evaluation }
    }
}

/// Returns the 64-bit FNV-1a hash of these bytes.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.iter().fold(OFFSET_BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::pgn;

    fn half(white: &str, black: &str, date: &str) -> Half {
        let text = format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n\n1. e4 *\n\n");
        Half::of(&pgn::read(&text).games[0])
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // Test vectors of the authors, draft-eastlake-fnv.
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn both_games_of_a_match_are_in_one_half() {
        for day in 1..=28 {
            let date = format!("2025.11.{day:02}");
            assert_eq!(half("Anand, V", "Carlsen, M", &date), half("Carlsen, M", "Anand, V ", &date));
        }
    }

    #[test]
    fn halves_are_of_equal_size_and_never_change() {
        let players = |number: usize| (format!("Player {number}"), format!("Player {}", number + 1));
        let fit = (0..1000).filter(|&number| {
            let (white, black) = players(number);
            half(&white, &black, "2025.11.01") == Half::Fit
        });
        let fit = fit.count();
        assert!((450..=550).contains(&fit), "{fit} of 1000");
        let first: Vec<Half> = (0..4).map(|number| half(&players(number).0, &players(number).1, "2025.11.01")).collect();
        assert_eq!(first, [Half::Fit, Half::Fit, Half::Fit, Half::Evaluation]);
    }

    #[test]
    fn the_date_is_that_of_the_server_if_there_is_no_other() {
        let read = |tags: &str| pgn::read(&format!("{tags}\n\n1. e4 *\n\n")).games[0].date.clone();
        assert_eq!(read("[UTCDate \"2025.05.01\"]"), "2025.05.01");
        assert_eq!(read("[Date \"????.??.??\"]\n[UTCDate \"2025.05.01\"]"), "2025.05.01");
        assert_eq!(read("[UTCDate \"2025.05.01\"]\n[Date \"2025.04.30\"]"), "2025.04.30");
        assert_eq!(read("[White \"A\"]"), "");
    }
}
