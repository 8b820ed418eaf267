//! What a test has found, and what to do about it.

use super::arrangement::{Arrangement, mirrored};
use super::{Outcome, Results};
use crate::boards::{SensorKind, SquareState};
use crate::game::event::Rotation;
use shakmaty::{Bitboard, Color, Piece, Square};

/// Fewest squares of a line that must be dead for the line to be.
const DEAD_LINE: usize = 3;
/// Fewest squares that must have shown a piece for one that shows another to be suspect.
const USUAL_PIECE: usize = 5;
/// Fewest squares after which it is said that the squares are in no order.
const NO_ORDER: usize = 6;

/// One finding. Squares, ranks and files are those of the board, as the players see it; lines count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No square showed the piece.
    NothingShown,
    /// All squares report the opposite of what is on them.
    Inverted,
    /// White pieces are reported as black ones.
    ColoursExchanged,
    /// The squares are reported in no order of ranks and files.
    NoOrder,
    /// The board is turned by 180 degrees.
    Turned,
    /// Rank 1 is reported as rank 8.
    RanksMirrored,
    /// The a-file is reported as the h-file.
    FilesMirrored,
    /// Ranks are reported as files: where a1, h1 and a8 appear.
    Transposed([Square; 3]),
    /// Ranks are reported in another order: each with the one in whose place it appears.
    RanksMoved(Vec<(usize, usize)>),
    /// The same for files.
    FilesMoved(Vec<(usize, usize)>),
    /// No square of this rank shows a piece.
    DeadRank(usize),
    /// No square of this file shows a piece.
    DeadFile(usize),
    /// Two squares are reported in each other's place.
    SquaresExchanged(Square, Square),
    /// The first square is reported in the place of the second.
    ShownAs(Square, Square),
    /// A piece on this square also shows on others.
    AlsoShown(Square, Vec<Square>),
    /// The square never shows a piece.
    Dead(Square),
    /// The square shows a piece although it is empty.
    Stuck(Square),
    /// The square changes by itself.
    Flickering(Square),
    /// The square reports the opposite of all others.
    Opposite(Square),
    /// The square shows another piece than the others did.
    OtherPiece {
        /// The square.
        square: Square,
        /// The piece that it shows.
        shown: Piece,
        /// The piece that nearly all others show.
        usual: Piece,
    },
}

impl Finding {
    /// Returns the word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Finding::NothingShown => "nothing_shown",
            Finding::Inverted => "inverted",
            Finding::ColoursExchanged => "colours_exchanged",
            Finding::NoOrder => "no_order",
            Finding::Turned => "turned",
            Finding::RanksMirrored => "ranks_mirrored",
            Finding::FilesMirrored => "files_mirrored",
            Finding::Transposed(_) => "transposed",
            Finding::RanksMoved(_) => "ranks_moved",
            Finding::FilesMoved(_) => "files_moved",
            Finding::DeadRank(_) => "dead_rank",
            Finding::DeadFile(_) => "dead_file",
            Finding::SquaresExchanged(..) => "squares_exchanged",
            Finding::ShownAs(..) => "shown_as",
            Finding::AlsoShown(..) => "also_shown",
            Finding::Dead(_) => "dead",
            Finding::Stuck(_) => "stuck",
            Finding::Flickering(_) => "flickering",
            Finding::Opposite(_) => "opposite",
            Finding::OtherPiece { .. } => "other_piece",
        }
    }

    /// Returns the squares that it names.
    pub fn squares(&self) -> Vec<Square> {
        match self {
            Finding::SquaresExchanged(one, other) | Finding::ShownAs(one, other) => vec![*one, *other],
            Finding::AlsoShown(square, others) => std::iter::once(*square).chain(others.iter().copied()).collect(),
            Finding::Dead(square)
            | Finding::Stuck(square)
            | Finding::Flickering(square)
            | Finding::Opposite(square)
            | Finding::OtherPiece { square, .. } => vec![*square],
            _ => Vec::new(),
        }
    }

    /// Whether it is about the order in which squares are reported.
    pub fn is_about_order(&self) -> bool {
        matches!(
            self,
            Finding::Turned
                | Finding::RanksMirrored
                | Finding::FilesMirrored
                | Finding::Transposed(_)
                | Finding::RanksMoved(_)
                | Finding::FilesMoved(_)
        )
    }
}

/// Returns everything that these results show. `rotation`: the orientation that is configured.
pub(super) fn findings(results: &Results<'_>, sensing: SensorKind, rotation: Option<Rotation>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if results.is_inverted() {
        findings.push(Finding::Inverted);
    }
    let pairs = results.pairs();
    let is_shown = results.outcomes.iter().flatten().any(|outcome| matches!(outcome, Outcome::Shown { .. }));
    let silent = results.silent();
    if !is_shown && silent.count() >= DEAD_LINE {
        findings.push(Finding::NothingShown);
        return findings;
    }
    if sensing == SensorKind::Colour && shows_black(results) {
        findings.push(Finding::ColoursExchanged);
    }
    let fitted = Arrangement::fit(&pairs);
    let is_ordered = is_ordered(&fitted, &pairs);
    let arrangement = if is_ordered { fitted } else { Arrangement::STRAIGHT };
    if is_ordered {
        findings.extend(order(&arrangement, rotation));
    } else {
        findings.push(Finding::NoOrder);
    }
    squares(results, &arrangement, &mut findings);
    if let Some(usual) = usual_piece(results) {
        for square in Square::ALL {
            if let Some(shown) = piece_of(results, square).filter(|shown| *shown != usual) {
                findings.push(Finding::OtherPiece { square, shown, usual });
            }
        }
    }
    findings
}

/// Whether an arrangement explains these pairs, except for single squares.
pub(super) fn is_ordered(arrangement: &Arrangement, pairs: &[(Square, Square)]) -> bool {
    pairs.len() < NO_ORDER || arrangement.explained(pairs) * 2 > pairs.len()
}

/// Returns what is wrong with whole ranks and files.
fn order(arrangement: &Arrangement, rotation: Option<Rotation>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_turned = rotation == Some(Rotation::Turned);
    let symmetry = arrangement.symmetry();
    let (ranks, files) = (symmetry.flips_ranks != is_turned, symmetry.flips_files != is_turned);
    match (arrangement.transposed, ranks, files) {
        (true, ..) => {
            findings.push(Finding::Transposed([Square::A1, Square::H1, Square::A8].map(|corner| {
                let image = arrangement.image(corner);
                if is_turned { image.rotate_180() } else { image }
            })));
        }
        (false, true, true) => findings.push(Finding::Turned),
        (false, true, false) => findings.push(Finding::RanksMirrored),
        (false, false, true) => findings.push(Finding::FilesMirrored),
        (false, false, false) => {}
    }
    let (ranks, files) = (arrangement.moved_ranks(), arrangement.moved_files());
    if !ranks.is_empty() {
        findings.push(Finding::RanksMoved(ranks));
    }
    if !files.is_empty() {
        findings.push(Finding::FilesMoved(files));
    }
    findings
}

/// Appends what is wrong with single squares.
fn squares(results: &Results<'_>, arrangement: &Arrangement, findings: &mut Vec<Finding>) {
    let source = |reported: Bitboard| -> Bitboard { reported.into_iter().map(|one| arrangement.source(one)).collect() };
    let (stuck, flickering) = (source(results.stuck), source(results.flickering));
    let mut flickers = flickering;
    let (mut opposite, mut dead) = (Bitboard::EMPTY, Bitboard::EMPTY);
    let single = |square: Square| match results.outcomes.get(square as usize) {
        Some(Some(Outcome::Shown { reported, .. })) => reported.single_square(),
        _ => None,
    };
    let mut responded = Bitboard::EMPTY;
    for square in Square::ALL {
        match results.outcomes.get(square as usize) {
            Some(Some(Outcome::Shown { reported, flickers: true, .. })) => {
                flickers = (flickers & !source(*reported)).with(square);
                responded |= *reported;
            }
            Some(Some(Outcome::Shown { reported, .. })) => {
                responded |= *reported;
                let mut places: Vec<Square> = reported.into_iter().map(|one| arrangement.source(one)).collect();
                if let Some(own) = places.iter().position(|place| *place == square) {
                    places.remove(own);
                    if !places.is_empty() {
                        findings.push(Finding::AlsoShown(square, places));
                    }
                } else if let [place] = places.as_slice() {
                    match single(*place) {
                        Some(reported) if arrangement.source(reported) == square => {
                            if square < *place {
                                findings.push(Finding::SquaresExchanged(square, *place));
                            }
                        }
                        _ => findings.push(Finding::ShownAs(square, *place)),
                    }
                } else {
                    findings.push(Finding::AlsoShown(square, places));
                }
                if reported.intersects(results.stuck) {
                    opposite.add(square);
                }
            }
            Some(Some(Outcome::Silent)) if !stuck.contains(square) && !flickering.contains(square) => dead.add(square),
            _ => {}
        }
    }
    // A square that is reported in place of a stuck or a flickering one is not stuck itself.
    let stuck = (source(results.stuck & !responded) | source(results.remaining)) & !flickers;
    dead_lines(results, &mut dead, findings);
    findings.extend(dead.into_iter().map(Finding::Dead));
    findings.extend(stuck.into_iter().map(Finding::Stuck));
    findings.extend(flickers.into_iter().map(Finding::Flickering));
    findings.extend(opposite.into_iter().map(Finding::Opposite));
}

/// Finds lines of which no square shows a piece, and removes these squares from `dead`.
fn dead_lines(results: &Results<'_>, dead: &mut Bitboard, findings: &mut Vec<Finding>) {
    let shown = results.shown();
    let is_dead = |line: Bitboard| (*dead & line).count() >= DEAD_LINE && (shown & line).is_empty();
    let ranks: Vec<(usize, Bitboard)> =
        shakmaty::Rank::ALL.into_iter().map(|rank| (usize::from(rank), Bitboard::from_rank(rank))).collect();
    let files: Vec<(usize, Bitboard)> =
        shakmaty::File::ALL.into_iter().map(|file| (usize::from(file), Bitboard::from_file(file))).collect();
    let ranks: Vec<_> = ranks.into_iter().filter(|(_, line)| is_dead(*line)).collect();
    let files: Vec<_> = files.into_iter().filter(|(_, line)| is_dead(*line)).collect();
    for (_, line) in ranks.iter().chain(&files) {
        *dead &= !*line;
    }
    findings.extend(ranks.into_iter().map(|(rank, _)| Finding::DeadRank(rank)));
    findings.extend(files.into_iter().map(|(file, _)| Finding::DeadFile(file)));
}

/// Whether most squares showed a black piece, where white ones were asked for.
fn shows_black(results: &Results<'_>) -> bool {
    let count = |color| results.states().filter(|(_, state)| *state == SquareState::Side(color)).count();
    count(Color::Black) > count(Color::White)
}

fn piece_of(results: &Results<'_>, square: Square) -> Option<Piece> {
    results.states().find_map(|(other, state)| match state {
        SquareState::Piece(piece) if other == square => Some(piece),
        _ => None,
    })
}

/// Returns the piece that at least four of five squares showed.
fn usual_piece(results: &Results<'_>) -> Option<Piece> {
    let pieces: Vec<Piece> = Square::ALL.into_iter().filter_map(|square| piece_of(results, square)).collect();
    let count = |piece: &Piece| pieces.iter().filter(|other| *other == piece).count();
    let usual = pieces.iter().find(|piece| count(piece) * 5 >= pieces.len() * 4)?;
    (pieces.len() >= USUAL_PIECE).then_some(*usual)
}

impl Arrangement {
    /// Returns in which order lines must be named so that every square is reported as itself: for each place of the board as it is
    /// configured, the line that is now in another place. The first list is for ranks, the second for files; they are lines of files and
    /// of ranks if the arrangement is transposed.
    pub fn corrected(&self, rotation: Option<Rotation>) -> ([usize; 8], [usize; 8]) {
        let is_turned = rotation == Some(Rotation::Turned);
        let turned = |lines: [usize; 8]| {
            let mut lines = lines;
            if is_turned {
                lines.reverse();
            }
            lines
        };
        (turned(self.ranks), turned(self.files))
    }

    /// Whether every square is reported as the configured rotation expects.
    pub fn is_as_configured(&self, rotation: Option<Rotation>) -> bool {
        let is_turned = rotation == Some(Rotation::Turned);
        let is_straight = |lines: &[usize; 8]| (0..8).all(|line| lines.get(line) == Some(&mirrored(line, is_turned)));
        !self.transposed && is_straight(&self.ranks) && is_straight(&self.files)
    }
}
