//! How often published moves were right, by the confidence that was published with them.

use serde::Serialize;

/// Lower bounds of the tenths, in thousandths of confidence; below the first of them is one class more.
const TENTHS: [u16; 5] = [500, 600, 700, 800, 900];
/// Tenths with fewer moves than this are pooled.
const MIN_MOVES: u64 = 2_500;

/// Counts of the moves that were published with a confidence of one class.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    moves: u64,
    right: u64,
    /// The sum of their confidences, in thousandths.
    stated: u64,
}

/// Counts by class of confidence: below 0.5, and each tenth from there to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct CalibrationCounts([Count; TENTHS.len() + 1]);

impl CalibrationCounts {
    /// Counts a move that was published with this confidence, in thousandths.
    pub fn add(&mut self, confidence: u16, is_right: bool) {
        let class = TENTHS.iter().take_while(|from| **from <= confidence).count();
        if let Some(count) = self.0.get_mut(class) {
            count.moves += 1;
            count.right += u64::from(is_right);
            count.stated += u64::from(confidence);
        }
    }

    /// Adds the counts of other games.
    pub fn add_all(&mut self, other: &CalibrationCounts) {
        for (count, other) in self.0.iter_mut().zip(&other.0) {
            count.moves += other.moves;
            count.right += other.right;
            count.stated += other.stated;
        }
    }

    /// Returns the rows, of the highest confidence first: the tenths with at least 2,500 moves, one row for the other tenths, and one
    /// for what is below 0.5. Rows without moves are left out.
    pub fn rows(&self) -> Vec<CalibrationRow> {
        let [below, tenths @ ..] = &self.0;
        let row = |from: u16, to: u16, count: Count| CalibrationRow {
            from,
            to,
            moves: count.moves,
            right_percent: super::statistics::share(count.right, count.moves, 100.0),
            stated_percent: super::statistics::share(count.stated, count.moves, 0.1),
        };
        let (large, small): (Vec<_>, Vec<_>) = TENTHS.into_iter().zip(tenths).partition(|(_, count)| count.moves >= MIN_MOVES);
        let pooled = small.iter().fold(Count::default(), |sum, (_, count)| Count {
            moves: sum.moves + count.moves,
            right: sum.right + count.right,
            stated: sum.stated + count.stated,
        });
        let (first, last) = (small.first().map_or(0, |(from, _)| *from), small.last().map_or(0, |(from, _)| *from));
        let rows = large.iter().rev().map(|(from, count)| row(*from, from + 100, **count));
        rows.chain([row(first, last + 100, pooled), row(0, TENTHS[0], *below)]).filter(|row| row.moves > 0).collect()
    }
}

/// Moves that were published with a confidence from `from` to `to`, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationRow {
    /// The lowest confidence.
    pub from: u16,
    /// The confidence from which the next row counts. In a pooled row, tenths in between may have rows of their own.
    pub to: u16,
    /// Number of moves.
    pub moves: u64,
    /// The share of them that were right.
    pub right_percent: f64,
    /// The mean of their confidences: with perfect calibration, the same.
    pub stated_percent: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_tenths_are_pooled() {
        let mut counts = CalibrationCounts::default();
        (0..2_500).for_each(|number| counts.add(if number % 2 == 0 { 990 } else { 1_000 }, number > 0));
        (0..10).for_each(|number| counts.add(if number < 5 { 520 } else { 740 }, number < 8));
        counts.add(310, false);
        let mut twice = counts;
        twice.add_all(&counts);
        let row =
            |from, to, moves, right_percent, stated_percent| CalibrationRow { from, to, moves, right_percent, stated_percent };
        let rows = counts.rows();
        assert_eq!(rows, [row(900, 1000, 2500, 99.96, 99.5), row(500, 900, 10, 80.0, 63.0), row(0, 500, 1, 0.0, 31.0)]);
        assert_eq!(twice.rows().iter().map(|row| row.moves).collect::<Vec<_>>(), [5000, 20, 2]);
    }
}
