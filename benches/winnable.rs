//! Whether a player can still mate: touchmove against the plainest rule, which counts the men on the board. On the positions of a
//! game, as the daemon asks at every move, and on test vectors made to be hard, where they are present.

mod stage;

use shakmaty::{Board, Color};
use stage::{Figures, line, long_game, ratio, time, verdict};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::laws::{Position, Winnable, is_dead, winnable};

/// On the test vectors: the median and the worst.
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
                measure(&mut plain, || has_enough_men(position.board(), winner));
            }
            measure(&mut dead, || is_dead(position));
        }
    }
    tell("a game of 103 plies", &ours, &plain);
    line("a game of 103 plies, dead position, median (p99, worst)", all(&dead));

    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/rules/unwinnable-dev.txt"));
    let Ok(text) = std::fs::read_to_string(path) else {
        line("test vectors", format!("none: there is no {}", path.display()));
        return;
    };
    let (mut ours, mut plain) = (Figures::default(), Figures::default());
    let (mut wrong, mut undecided, mut men_wrong) = (0, 0, 0);
    for vector in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (signs, fen) = vector.split_at(2);
        let position = Position::from_fen(fen, false).expect("a FEN");
        for (winner, sign) in [Color::White, Color::Black].into_iter().zip(signs.chars()) {
            match measure(&mut ours, || winnable(&position, winner)) {
                Winnable::Possible => undecided += 1,
                answer => wrong += usize::from((answer == Winnable::CanMate) == (sign == '-')),
            }
            men_wrong += usize::from(measure(&mut plain, || has_enough_men(position.board(), winner)) == (sign == '-'));
        }
    }
    tell("test vectors", &ours, &plain);
    line("wrong, undecided; wrong by counting men", format!("{wrong}, {undecided}; {men_wrong} of {}", ours.count()));
    for (name, took, goal) in [("median", ours.median(), GOAL.0), ("worst", ours.percentile(100), GOAL.1)] {
        line(
            &format!("test vectors, {name}"),
            format!("{} (goal: at most {}: {})", time(took), time(goal), verdict(took <= goal)),
        );
    }
}

fn measure<T>(figures: &mut Figures, ask: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let answer = black_box(ask());
    figures.add(began.elapsed());
    answer
}

fn all(figures: &Figures) -> String {
    format!("{} ({}, {})", time(figures.median()), time(figures.percentile(99)), time(figures.percentile(100)))
}

fn tell(name: &str, ours: &Figures, plain: &Figures) {
    line(&format!("{name}, touchmove, median (p99, worst)"), all(ours));
    line(&format!("{name}, counting men, median (p99, worst)"), all(plain));
    line(
        "ratio of the medians, of the means",
        format!("{:.1}, {:.1}", ratio(ours.median(), plain.median()), ratio(ours.total(), plain.total())),
    );
}

/// The plainest rule: a pawn, a rook, a queen, or two other pieces.
fn has_enough_men(board: &Board, winner: Color) -> bool {
    let men = board.by_color(winner);
    (men & (board.pawns() | board.rooks_and_queens())).any() || (men & !board.kings()).count() >= 2
}
