//! Whether a player can still mate: touchmove compared with the simplest rule, which counts the pieces on the board. Measured on the
//! positions of a game, as in the daemon at every move, and on difficult test vectors, if they are present.

mod common;

use common::{Figures, line, long_game, ratio, time, verdict};
use shakmaty::{Board, Color};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::laws::{Position, Winnable, is_dead, winnable};

/// The goals on the test vectors: for the median and for the longest time.
const GOAL: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(1));
/// How often the positions of the game are measured.
const ROUNDS: usize = 20;

fn main() {
    println!("whether a player can still mate:");
    let game = long_game();
    let positions: Vec<Position> = (0..=game.plies.len()).map(|ply| game.position(ply)).collect();
    let (mut ours, mut plain, mut dead) = (Figures::default(), Figures::default(), Figures::default());
    for _ in 0..ROUNDS {
        for position in &positions {
            for winner in Color::ALL {
                measure(&mut ours, || winnable(position, winner));
                measure(&mut plain, || has_enough_pieces(position.board(), winner));
            }
            measure(&mut dead, || is_dead(position));
        }
    }
    print_figures("a game of 103 plies", &ours, &plain);
    line("a game of 103 plies, dead position, median (p99, worst)", median_p99_worst(&dead));

    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/rules/unwinnable-dev.txt"));
    let Ok(text) = std::fs::read_to_string(path) else {
        line("test vectors", format!("none: there is no {}", path.display()));
        return;
    };
    let (mut ours, mut plain) = (Figures::default(), Figures::default());
    let (mut wrong, mut undecided, mut wrong_by_count) = (0, 0, 0);
    for vector in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (signs, fen) = vector.split_at(2);
        let position = Position::from_fen(fen, false).expect("a FEN");
        for (winner, sign) in [Color::White, Color::Black].into_iter().zip(signs.chars()) {
            match measure(&mut ours, || winnable(&position, winner)) {
                Winnable::Possible => undecided += 1,
                answer => wrong += usize::from((answer == Winnable::CanMate) == (sign == '-')),
            }
            wrong_by_count += usize::from(measure(&mut plain, || has_enough_pieces(position.board(), winner)) == (sign == '-'));
        }
    }
    print_figures("test vectors", &ours, &plain);
    line("wrong, undecided; wrong when counting pieces", format!("{wrong}, {undecided}; {wrong_by_count} of {}", ours.count()));
    for (name, took, goal) in [("median", ours.median(), GOAL.0), ("worst", ours.percentile(100), GOAL.1)] {
        line(
            &format!("test vectors, {name}"),
            format!("{} (goal: at most {}: {})", time(took), time(goal), verdict(took <= goal)),
        );
    }
}

fn measure<T>(figures: &mut Figures, function: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let answer = black_box(function());
    figures.add(began.elapsed());
    answer
}

fn median_p99_worst(figures: &Figures) -> String {
    format!("{} ({}, {})", time(figures.median()), time(figures.percentile(99)), time(figures.percentile(100)))
}

fn print_figures(name: &str, ours: &Figures, plain: &Figures) {
    line(&format!("{name}, touchmove, median (p99, worst)"), median_p99_worst(ours));
    line(&format!("{name}, counting pieces, median (p99, worst)"), median_p99_worst(plain));
    line(
        "ratio of the medians, of the means",
        format!("{:.1}, {:.1}", ratio(ours.median(), plain.median()), ratio(ours.total(), plain.total())),
    );
}

/// The simplest rule: a pawn, a rook, a queen, or two other pieces are enough.
fn has_enough_pieces(board: &Board, winner: Color) -> bool {
    let pieces = board.by_color(winner);
    (pieces & (board.pawns() | board.rooks_and_queens())).any() || (pieces & !board.kings()).count() >= 2
}
