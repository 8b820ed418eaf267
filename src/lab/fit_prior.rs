//! Fits the weights of the prior over moves ([`crate::infer::prior`]) to games: `touchmovectl fit-prior`.
//!
//! The weights maximise the likelihood of the moves that were played, less a penalty for large weights; this function has only one
//! maximum. Only the games of [`Half::Fit`] count. The same games give the same weights on every machine, whatever the order of
//! the files and of the games in them: sums are added up in one order, and no function is used whose last bit may differ.

mod held_out;
mod minimise;
mod objective;
mod samples;
mod series;

pub use held_out::HeldOut;
pub use minimise::Progress;
pub use samples::Samples;

use crate::infer::prior::{FEATURES, Weights};
use crate::lab::halves::Half;
use crate::simulate::pgn::SourceGame;
use minimise::minimise;
use objective::objective;
use std::f64::consts::LN_2;
use std::fmt::Write;

/// The penalty of a weight `w` is half of this times `w` squared, in nats. It was chosen within the half of the fit: fitted on half of
/// its games, the others are likeliest with values from 2 to 5.
pub const PENALTY: f64 = 3.0;

/// The games of one file.
#[derive(Clone, Debug)]
pub struct GameFile {
    /// Name of the file, without its directory.
    pub name: String,
    /// Hash of the file's content.
    pub hash: String,
    /// Its games.
    pub games: Vec<SourceGame>,
}

impl GameFile {
    /// Returns its games in one half.
    pub fn half(&self, half: Half) -> impl Iterator<Item = &SourceGame> + Clone {
        self.games.iter().filter(move |game| Half::of(game) == half)
    }

    /// Returns the first and the last date of these games.
    fn dates<'a>(games: impl Iterator<Item = &'a SourceGame> + Clone) -> (&'a str, &'a str) {
        let dates = || games.clone().map(|game| game.date.as_str()).filter(|date| !date.is_empty());
        (dates().min().unwrap_or_default(), dates().max().unwrap_or_default())
    }
}

/// Returns the weights fitted to the games of these files that are in [`Half::Fit`].
pub fn fit(files: &[GameFile], progress: &mut dyn FnMut(Progress)) -> Weights {
    let mut games: Vec<&SourceGame> = files.iter().flat_map(|file| file.half(Half::Fit)).collect();
    games.sort_by_cached_key(|game| {
        let moves: Vec<String> = game.plies.iter().map(|ply| ply.mv.to_string()).collect();
        (game.date.clone(), game.white.clone(), game.black.clone(), game.start.fen(), moves)
    });
    fit_samples(&Samples::of(games), PENALTY, progress)
}

/// Returns the weights that are the likeliest with these samples.
pub fn fit_samples(samples: &Samples, penalty: f64, progress: &mut dyn FnMut(Progress)) -> Weights {
    let plies = samples.len().max(1) as f64;
    let function = |weights: &[f64], gradient: &mut [f64]| objective(samples, penalty, weights, gradient);
    let bits = &mut |step: Progress| progress(Progress { value: step.value / plies / LN_2, ..step });
    let fitted = minimise(FEATURES, TOLERANCE * plies, function, bits);
    let rounded = |feature: usize| (fitted.get(feature).copied().unwrap_or(0.0) * 16.0 / LN_2).round();
    Weights::from_fn(|feature| rounded(feature).clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16)
}

/// The search ends when the gradient for each ply is shorter.
const TOLERANCE: f64 = 1e-5;

/// Returns the file of weights, with where they come from and how good they are on the games that were held out.
pub fn weights_file(weights: &Weights, files: &[GameFile], held_out: &[HeldOut]) -> String {
    let mut text = String::from(
        "# Weights of the prior over moves, in sixteenths of a bit: see src/infer/prior.rs and docs/accuracy.md.\n\
         # Written by \"touchmovectl fit-prior\". The games belong to others and are not in the repository.\n",
    );
    let mut files: Vec<&GameFile> = files.iter().collect();
    files.sort_by(|one, other| (&one.name, &one.hash).cmp(&(&other.name, &other.hash)));
    for file in files {
        let games = file.half(Half::Fit);
        let (from, until) = GameFile::dates(file.half(Half::Fit));
        let (count, plies) = games.fold((0, 0), |(count, plies), game| (count + 1, plies + game.plies.len()));
        let _ = write!(
            text,
            "\n[[fitted_to]]\nfile = {:?}\nhash = {:?}\nhalf = \"fit\"\ngames = {count}\nplies = {plies}\nfrom = {from:?}\nuntil = {until:?}\n",
            file.name, file.hash,
        );
    }
    let mut held_out: Vec<&HeldOut> = held_out.iter().collect();
    held_out.sort_by(|one, other| one.file.cmp(&other.file));
    text.push_str("\n# Bits for each ply of games that the weights have not seen.\n");
    for figures in held_out {
        let _ = write!(
            text,
            "\n[[held_out]]\nfile = {:?}\nhalf = \"evaluation\"\ngames = {}\nplies = {}\nbits = {:.3}\nexchanges_alone = {:.3}\nuniform = {:.3}\n",
            figures.file, figures.games, figures.plies, figures.bits, figures.exchange_bits, figures.uniform_bits,
        );
    }
    text.push('\n');
    text.push_str(&weights.to_toml());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::random_game::random_game;

    /// Returns samples in which each move has one of some features, chosen exactly as often as their weights say.
    fn synthetic(odds: &[u32]) -> Samples {
        let moves: Vec<Vec<usize>> = (0..odds.len()).map(|feature| vec![feature]).collect();
        let mut samples = Samples::default();
        for (chosen, times) in odds.iter().enumerate() {
            (0..*times).for_each(|_| samples.add(&moves, chosen));
        }
        samples
    }

    #[test]
    fn known_weights_are_recovered() {
        let weights = fit_samples(&synthetic(&[1_600, 800, 200, 25]), 1e-3, &mut |_| {});
        let weight = |feature| i32::from(weights.get(feature));
        // Only differences matter: each halving is one bit, 16 sixteenths.
        let found: Vec<i32> = (0..4).map(|feature| weight(0) - weight(feature)).collect();
        for (found, expected) in found.iter().zip([0, 16, 48, 96]) {
            assert!((found - expected).abs() <= 1, "{found} instead of {expected}");
        }
        assert_eq!(weight(4), 0, "a feature that never occurs has no weight");
    }

    #[test]
    fn the_penalty_keeps_weights_small() {
        let samples = synthetic(&[1, 0]);
        let weight = |penalty| fit_samples(&samples, penalty, &mut |_| {}).get(0);
        assert!(weight(0.1) > weight(1.0) && weight(1.0) > 0, "{} and {}", weight(0.1), weight(1.0));
    }

    #[test]
    fn the_order_of_files_and_games_changes_nothing() {
        let games = |numbers: &[usize]| numbers.iter().map(|number| random_game(1, *number)).collect();
        let file =
            |name: &str, numbers: &[usize]| GameFile { name: name.to_owned(), hash: String::new(), games: games(numbers) };
        let one = [file("a", &[1, 2, 3]), file("b", &[4, 5])];
        let other = [file("b", &[5, 4]), file("a", &[3, 1, 2])];
        let written = |files: &[GameFile; 2]| weights_file(&fit(files, &mut |_| {}), files, &[]);
        assert_eq!(written(&one), written(&other));
        assert_eq!(Weights::parse(&written(&one)), Ok(fit(&one, &mut |_| {})));
    }
}
