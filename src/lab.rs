//! Simulated games and recordings through the table, compared with what happened: used by `simulate`, `replay`, `score`, the
//! tests, the benches and the fuzz targets.

pub mod baselines;
pub mod bound;
pub mod calibration;
pub mod causes;
pub mod clients;
pub mod detection;
pub mod exchange_prior;
pub mod figures;
pub mod fit_hands;
pub mod fit_prior;
pub mod game_figures;
pub mod halves;
mod move_prior;
pub mod options;
pub mod review;
pub mod run;
pub mod score;
pub mod sensed_placement;
pub mod statistics;
