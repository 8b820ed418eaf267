//! How the lines of a board are connected: on which reported line each rank and each file appears.

use shakmaty::{File, Rank, Square};

/// Which reported square belongs to each square of the board, as far as whole ranks and files decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// For each rank, from 1 to 8, the index of the line on which it is reported: a rank, or a file if `transposed`.
    pub ranks: [usize; 8],
    /// For each file, from a to h, the index of the line on which it is reported: a file, or a rank if `transposed`.
    pub files: [usize; 8],
    /// Whether ranks are reported as files, and files as ranks.
    pub transposed: bool,
    /// Whether enough squares were tested to know every line.
    pub is_complete: bool,
}

/// An arrangement without exchanged lines: which of its two axes run the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Whether rank 1 is reported where rank 8 should be.
    pub flips_ranks: bool,
    /// Whether the a-file is reported where the h-file should be.
    pub flips_files: bool,
}

impl Symmetry {
    const ALL: [Symmetry; 4] = [
        Symmetry { flips_ranks: false, flips_files: false },
        Symmetry { flips_ranks: true, flips_files: true },
        Symmetry { flips_ranks: true, flips_files: false },
        Symmetry { flips_ranks: false, flips_files: true },
    ];
}

/// Returns the index of a line, or that of its mirror image.
pub(super) fn mirrored(line: usize, flips: bool) -> usize {
    if flips { 7_usize.saturating_sub(line) } else { line }
}

fn coordinates(square: Square) -> (usize, usize) {
    (usize::from(square.rank()), usize::from(square.file()))
}

fn square(rank: usize, file: usize) -> Square {
    let [rank, file] = [rank, file].map(|line| u32::try_from(line).unwrap_or_default() % 8);
    Square::from_coords(File::new(file), Rank::new(rank))
}

impl Arrangement {
    /// Every square is reported as itself.
    pub const STRAIGHT: Arrangement =
        Arrangement { ranks: [0, 1, 2, 3, 4, 5, 6, 7], files: [0, 1, 2, 3, 4, 5, 6, 7], transposed: false, is_complete: true };

    /// Returns the arrangement that explains most of these pairs of a square and the square that was reported for it.
    pub fn fit(pairs: &[(Square, Square)]) -> Arrangement {
        let (straight, transposed) = (fit(pairs, false), fit(pairs, true));
        if transposed.explained(pairs) > straight.explained(pairs) { transposed } else { straight }
    }

    /// Returns how many of these pairs the arrangement explains.
    pub fn explained(&self, pairs: &[(Square, Square)]) -> usize {
        pairs.iter().filter(|(from, to)| self.image(*from) == *to).count()
    }

    /// Returns the square that is reported for a square of the board.
    pub fn image(&self, of: Square) -> Square {
        let (rank, file) = coordinates(of);
        let [rank, file] = [line_of(&self.ranks, rank), line_of(&self.files, file)];
        if self.transposed { square(file, rank) } else { square(rank, file) }
    }

    /// Returns the square of the board for which this square is reported.
    pub fn source(&self, reported: Square) -> Square {
        let (rank, file) = coordinates(reported);
        let (rank, file) = if self.transposed { (file, rank) } else { (rank, file) };
        let find = |lines: &[usize; 8], line| lines.iter().position(|other| *other == line).unwrap_or(line);
        square(find(&self.ranks, rank), find(&self.files, file))
    }

    /// Returns the symmetry to which the arrangement is nearest.
    pub fn symmetry(&self) -> Symmetry {
        Symmetry { flips_ranks: is_mirrored(&self.ranks), flips_files: is_mirrored(&self.files) }
    }

    /// Returns the ranks that are not where the symmetry has them, each with the rank in whose place it is reported.
    pub fn moved_ranks(&self) -> Vec<(usize, usize)> {
        moved(&self.ranks)
    }

    /// As [`Arrangement::moved_ranks`], for files.
    pub fn moved_files(&self) -> Vec<(usize, usize)> {
        moved(&self.files)
    }
}

/// Returns the line on which this one is reported.
fn line_of(lines: &[usize; 8], line: usize) -> usize {
    lines.get(line).copied().unwrap_or(line)
}

fn is_mirrored(lines: &[usize; 8]) -> bool {
    let count = |flips| (0..8).filter(|line| line_of(lines, *line) == mirrored(*line, flips)).count();
    count(true) > count(false)
}

fn moved(lines: &[usize; 8]) -> Vec<(usize, usize)> {
    let flips = is_mirrored(lines);
    (0..8).map(|line| (line, mirrored(line_of(lines, line), flips))).filter(|(line, place)| line != place).collect()
}

/// How often each line was reported as each other line.
type Votes = [[u32; 8]; 8];

/// Returns the best arrangement of one of the two kinds.
fn fit(pairs: &[(Square, Square)], transposed: bool) -> Arrangement {
    let lines = |(from, to): &(Square, Square)| {
        let ((rank, file), (to_rank, to_file)) = (coordinates(*from), coordinates(*to));
        let (to_rank, to_file) = if transposed { (to_file, to_rank) } else { (to_rank, to_file) };
        ((rank, to_rank), (file, to_file))
    };
    let explained = |symmetry: &Symmetry| {
        let fits = |((rank, to_rank), (file, to_file))| {
            mirrored(rank, symmetry.flips_ranks) == to_rank && mirrored(file, symmetry.flips_files) == to_file
        };
        pairs.iter().map(lines).filter(|pair| fits(*pair)).count()
    };
    // Of those that explain the same number, the first one.
    let symmetry = Symmetry::ALL.into_iter().rev().max_by_key(explained).unwrap_or(Symmetry::ALL[0]);
    let (mut rank_votes, mut file_votes): (Votes, Votes) = Default::default();
    for ((rank, to_rank), (file, to_file)) in pairs.iter().map(lines) {
        add_vote(&mut rank_votes, rank, to_rank);
        add_vote(&mut file_votes, file, to_file);
    }
    let (ranks, ranks_known) = assign(&rank_votes, symmetry.flips_ranks);
    let (files, files_known) = assign(&file_votes, symmetry.flips_files);
    Arrangement { ranks, files, transposed, is_complete: ranks_known && files_known }
}

fn add_vote(votes: &mut Votes, line: usize, to: usize) {
    if let Some(count) = votes.get_mut(line).and_then(|row| row.get_mut(to)) {
        *count += 1;
    }
}

/// Assigns each line to the one that has most votes; of equal ones, to that of the symmetry. Returns also whether all are known: the
/// last one follows from the others.
fn assign(votes: &Votes, flips: bool) -> ([usize; 8], bool) {
    let mut candidates: Vec<(u32, usize, usize)> = Vec::new();
    for (line, row) in votes.iter().enumerate() {
        for (to, count) in row.iter().enumerate() {
            let weight = 2 * count + u32::from(to == mirrored(line, flips));
            if weight > 0 {
                candidates.push((weight, line, to));
            }
        }
    }
    candidates.sort_by_key(|(weight, line, to)| (std::cmp::Reverse(*weight), *line, *to));
    let mut assigned: [Option<usize>; 8] = [None; 8];
    for (_, line, to) in candidates {
        if !assigned.contains(&Some(to))
            && let Some(slot) = assigned.get_mut(line).filter(|slot| slot.is_none())
        {
            *slot = Some(to);
        }
    }
    let unknown = votes.iter().filter(|row| row.iter().all(|count| *count == 0)).count();
    let mut free = (0..8).filter(|to| !assigned.contains(&Some(*to))).collect::<Vec<_>>().into_iter();
    let lines = assigned.map(|to| to.or_else(|| free.next()).unwrap_or_default());
    (lines, unknown <= 1)
}
