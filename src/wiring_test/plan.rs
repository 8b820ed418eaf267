//! Which squares are tested, and in which order.

use super::arrangement::Arrangement;
use shakmaty::{Bitboard, File, Rank, Square};

/// The short test: three corners, which tell the orientation, and the diagonal, which has every rank and every file once.
pub(super) const SHORT: [Square; 10] =
    [Square::A1, Square::H1, Square::A8, Square::B2, Square::C3, Square::D4, Square::E5, Square::F6, Square::G7, Square::H8];

/// Returns squares that distinguish exchanged lines from exchanged squares: one more of each line that seems to be in the wrong place.
pub(super) fn probes(arrangement: &Arrangement, tested: Bitboard) -> Vec<Square> {
    let [ranks, files] = [arrangement.moved_ranks(), arrangement.moved_files()].map(|moved| {
        let lines = moved.into_iter().filter_map(|(line, _)| u32::try_from(line).ok().filter(|line| *line < 8));
        lines.collect::<Vec<u32>>()
    });
    // A line that is not in doubt itself is the best one to cross with.
    let crossing = |doubted: &[u32]| (0..8).find(|line| !doubted.contains(line)).unwrap_or(0);
    let (file, rank) = (crossing(&files), crossing(&ranks));
    let in_ranks = ranks.iter().map(|line| Square::from_coords(File::new(file), Rank::new(*line)));
    let in_files = files.iter().map(|line| Square::from_coords(File::new(*line), Rank::new(rank)));
    let mut known = tested;
    in_ranks
        .chain(in_files)
        .filter(|square| {
            let is_new = !known.contains(*square);
            known.add(*square);
            is_new
        })
        .collect()
}

/// Returns all squares that are not in `tested`, in an order in which each is near the one before.
pub(super) fn others(tested: Bitboard) -> Vec<Square> {
    let in_rank = |rank: Rank| {
        let mut squares: Vec<Square> = File::ALL.iter().map(|file| Square::from_coords(*file, rank)).collect();
        if u32::from(rank) % 2 == 1 {
            squares.reverse();
        }
        squares
    };
    Rank::ALL.into_iter().flat_map(in_rank).filter(|square| !tested.contains(*square)).collect()
}
