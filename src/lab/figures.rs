//! The figures of `score`: those of many games, summed up.

use crate::lab::calibration::{CalibrationCounts, CalibrationRow};
use crate::lab::detection::DetectionFigures;
use crate::lab::game_figures::GameFigures;
use crate::lab::statistics::{Delay, rate_margin, share, share_interval};
use serde::Serialize;
use std::collections::BTreeMap;

/// The figures of many games. Shares are in percent, rates per thousand plies, delays in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Games played.
    pub games: u64,
    /// Plies played.
    pub plies: u64,
    /// Games whose final record equals the ground truth.
    pub games_exact: u64,
    /// The same as a share.
    pub games_exact_percent: f64,
    /// The 95 % interval of that share.
    pub games_exact_interval: [f64; 2],
    /// Share of plies that were right before the first difference of their game.
    pub plies_exact_percent: f64,
    /// Share of plies that are right when ground truth and record are aligned.
    pub plies_aligned_percent: f64,
    /// Moves that were published and then corrected.
    pub retracted: u64,
    /// The same per thousand plies.
    pub retracted_per_1000: f64,
    /// Half the width of the 95 % interval of that rate.
    pub retracted_margin: f64,
    /// Corrected moves in which the hand stopped on a legal square for more than 250 ms, or 120 ms while a player is short of time.
    pub retracted_stops: u64,
    /// Moves withdrawn because they were half of a result signal.
    pub king_signals: u64,
    /// Delay from the last edge of a move to its publication.
    pub delay: Delay,
    /// The same, for moves in which the hand stopped for that long.
    pub delay_stops: Delay,
    /// False alerts, and moves falsely published as illegal: outside irregularities, cable interruptions and analysis.
    pub false_alerts: u64,
    /// The same per thousand plies.
    pub false_alerts_per_1000: f64,
    /// Half the width of the 95 % interval of that rate.
    pub false_alerts_margin: f64,
    /// False alerts about touches.
    pub false_notices: u64,
    /// The same per thousand plies.
    pub false_notices_per_1000: f64,
    /// Results signalled on the board.
    pub results_told: u64,
    /// How many of them were understood.
    pub results_right: u64,
    /// Published moves by confidence, and how many of them were right.
    pub calibration: Vec<CalibrationRow>,
    /// Moves published with a confidence below 0.9.
    pub doubtful: u64,
    /// How often that move or one of its alternatives was right.
    pub doubtful_named: u64,
    /// Recall of irregularities, by kind.
    pub recall: Vec<Recall>,
    /// Detections of irregularities by kind, and of illegal moves by sort: how many were reported correctly, and how soon.
    pub found: Vec<DetectionFigures>,
    /// Precision of alerts, by kind.
    pub precision: Vec<Precision>,
    /// Moves published while the game was stopped or analysed: there should be none.
    pub ghosts: u64,
    /// Takebacks by agreement.
    pub takebacks: u64,
    /// How many of them were understood as such.
    pub takebacks_understood: u64,
}

/// Irregularities of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Recall {
    /// Its name, see [`IrregularityKind::name`](crate::simulate::irregularity::IrregularityKind::name).
    pub kind: &'static str,
    /// Number of irregularities committed.
    pub committed: u64,
    /// How many were followed by an alert of any kind, or by a move on record as irregular.
    pub told: u64,
}

/// Alerts of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Precision {
    /// The kind of alert.
    pub kind: &'static str,
    /// Number of alerts raised, without those while the cable was out or the game was analysed.
    pub raised: u64,
    /// How many of them belong to an irregularity of any kind.
    pub right: u64,
}

impl Figures {
    /// Sums up the figures of many games.
    pub fn of<'a>(games: impl Iterator<Item = &'a GameFigures> + Clone) -> Figures {
        let sum = |get: fn(&GameFigures) -> u64| games.clone().map(get).sum::<u64>();
        let margin = |get: fn(&GameFigures) -> u64| rate_margin(games.clone().map(|game| (get(game), game.plies)), 1000.0);
        let delay = |get: fn(&GameFigures) -> &Vec<u64>| Delay::of(games.clone().flat_map(get).copied().collect());
        let (count, plies) = (games.clone().count() as u64, sum(|game| game.plies));
        let notices = sum(|game| game.notices);
        let (exact, retracted, alerts) =
            (sum(|game| u64::from(game.exact)), sum(|game| game.retracted), sum(|game| game.alerts));
        let mut calibration = CalibrationCounts::default();
        games.clone().for_each(|game| calibration.add_all(&game.calibration));
        Figures {
            games: count,
            plies,
            games_exact: exact,
            games_exact_percent: share(exact, count, 100.0),
            games_exact_interval: share_interval(exact, count),
            plies_exact_percent: share(sum(|game| game.prefix), plies, 100.0),
            plies_aligned_percent: share(sum(|game| game.aligned), plies, 100.0),
            retracted,
            retracted_per_1000: share(retracted, plies, 1000.0),
            retracted_margin: margin(|game| game.retracted),
            retracted_stops: sum(|game| game.retracted_stops),
            king_signals: sum(|game| game.king_signals),
            delay: delay(|game| &game.delays),
            delay_stops: delay(|game| &game.delays_stops),
            false_alerts: alerts,
            false_notices: notices,
            false_notices_per_1000: share(notices, plies, 1000.0),
            false_alerts_per_1000: share(alerts, plies, 1000.0),
            false_alerts_margin: margin(|game| game.alerts),
            results_told: sum(|game| u64::from(game.result_right.is_some())),
            results_right: sum(|game| u64::from(game.result_right == Some(true))),
            calibration: calibration.rows(),
            doubtful: sum(|game| game.doubtful.0),
            doubtful_named: sum(|game| game.doubtful.1),
            recall: by_kind(games.clone().flat_map(|game| game.irregularities.iter().map(|one| (one.0.name(), one.1))))
                .map(|(kind, committed, told)| Recall { kind, committed, told })
                .collect(),
            precision: by_kind(games.clone().flat_map(|game| game.raised.iter().copied()))
                .map(|(kind, raised, right)| Precision { kind, raised, right })
                .collect(),
            found: DetectionFigures::of(games.clone().flat_map(|game| &game.trials)),
            ghosts: sum(|game| game.ghosts),
            takebacks: sum(|game| game.takebacks.0),
            takebacks_understood: sum(|game| game.takebacks.1),
        }
    }

    /// Returns rows on takebacks, moves published without play, irregularities and alerts, if there were any: a name and a sentence
    /// each.
    pub fn extra_rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if self.takebacks > 0 {
            rows.push(("takebacks", format!("{} of {} understood", self.takebacks_understood, self.takebacks)));
        }
        if self.ghosts > 0 {
            rows.push(("stray moves", format!("{} published while the game was stopped or analysed", self.ghosts)));
        }
        for Recall { kind, committed, told } in &self.recall {
            rows.push(("irregularities", format!("{kind}: {told} of {committed} reported")));
        }
        rows.extend(self.found.iter().map(|found| ("detections", found.line())));
        for Precision { kind, raised, right } in self.precision.iter().filter(|_| !self.recall.is_empty()) {
            rows.push(("alerts", format!("{kind}: {right} of {raised} right")));
        }
        rows
    }
}

/// Groups by kind, in the order of their names: the number of items, and for how many the flag is set.
fn by_kind(items: impl Iterator<Item = (&'static str, bool)>) -> impl Iterator<Item = (&'static str, u64, u64)> {
    let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (kind, flag) in items {
        let count = kinds.entry(kind).or_default();
        *count = (count.0 + 1, count.1 + u64::from(flag));
    }
    kinds.into_iter().map(|(kind, (count, flag))| (kind, count, flag))
}
