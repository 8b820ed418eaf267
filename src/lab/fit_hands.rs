//! Fits how often players, clocks and boards act in each way ([`HandCosts`]) to recordings: `touchmovectl fit-hands`.
//!
//! This is expectation-maximisation with the likeliest line of play alone ("hard" EM, or Viterbi training): each round follows all
//! recordings with the costs of the last one, aligns the likeliest line with what the boards showed, and counts the events; the new
//! costs are the improbabilities of those rates. The likeliest line is right in nearly all games and moves, so weighing the others
//! would hardly change a count. The costs before the fit are a prior, so that few recordings change them little. All figures are
//! whole numbers: the same recordings give the same costs on every machine, in whatever order.

use crate::boards::Millis;
use crate::game::Event;
use crate::game::event::{Fault, ResultReason};
use crate::infer::model::{Cost, likelihood, nearest_cost_of_share};
use crate::infer::{HandCosts, HandCounts, HandEvent, HandLog};
use crate::lab::options::{SimulationOptions, UnknownBoard};
use crate::lab::run::{self, RunEvent, VirtualCable};
use crate::simulate::pgn::SourceGame;
use crate::table::{Settings, Table};
use std::fmt::Write;

/// Maximum number of rounds.
const MAX_ROUNDS: u32 = 10;
/// The costs before the fit count as if they had been fitted to so many events of each kind.
const PRIOR_EVENTS: u64 = 4;
/// The range of fitted costs: 96 % to one in a million.
const RANGE: std::ops::RangeInclusive<Cost> = 1..=320;

/// The result of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandsFit {
    /// The costs before.
    pub before: HandCosts,
    /// The fitted costs.
    pub after: HandCosts,
    /// The counts of the last round.
    pub counts: HandCounts,
    /// Number of rounds.
    pub rounds: u32,
}

/// Receives what happens when a recording is followed.
pub type Watch<'a> = &'a mut dyn FnMut(Millis, RunEvent);

/// Fits the costs to recordings. `follow`: follows the recording of this number with these costs, and passes on what happens.
/// `progress`: receives the number of the round, from 1, before each recording.
///
/// # Errors
/// The first error of `follow`.
pub fn fit<E>(
    recordings: usize,
    before: HandCosts,
    follow: &dyn Fn(usize, HandCosts, Watch) -> Result<(), E>,
    progress: &mut dyn FnMut(u32),
) -> Result<HandsFit, E> {
    let mut fit = HandsFit { before, after: before, counts: HandCounts::default(), rounds: 0 };
    while fit.rounds < MAX_ROUNDS {
        fit.rounds += 1;
        fit.counts = HandCounts::default();
        for recording in 0..recordings {
            progress(fit.rounds);
            let mut counter = Counter::default();
            follow(recording, fit.after, &mut |_, event| counter.watch(&event))?;
            fit.counts.merge(&counter.finish());
        }
        let costs = fitted_costs(&fit.counts, &before);
        if std::mem::replace(&mut fit.after, costs) == costs {
            break;
        }
    }
    Ok(fit)
}

/// Returns the costs of these counts, with the costs before the fit as prior.
fn fitted_costs(counts: &HandCounts, before: &HandCosts) -> HandCosts {
    let mut costs = *before;
    for &event in HandEvent::ALL {
        let (events, opportunities) = counts.get(event);
        costs.set(event, fitted_cost(events, opportunities, before.get(event)));
    }
    costs
}

/// Returns the cost of an event that has happened so often, of so many times that it could have.
fn fitted_cost(events: u64, opportunities: u64, before: Cost) -> Cost {
    if opportunities == 0 {
        return before;
    }
    // The prior events would happen on PRIOR_EVENTS / rate occasions. All is scaled by the rate, in units of 2^-32.
    let rate = likelihood(before).max(1);
    let occasions = opportunities.saturating_mul(rate).saturating_add(PRIOR_EVENTS << 32);
    let cost = nearest_cost_of_share((events + PRIOR_EVENTS).saturating_mul(rate), occasions);
    cost.clamp(*RANGE.start(), *RANGE.end())
}

/// Counts the events of all games of a recording.
#[derive(Default)]
struct Counter {
    log: HandLog,
    counts: HandCounts,
}

impl Counter {
    fn watch(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Event(stamped) => match stamped.event {
                Event::GameStarted { .. } => self.end_game(),
                Event::Result { reason: ResultReason::KingsSignal, .. } => self.log.note_kings_signal(),
                Event::BoardFault { fault: Fault::Stuck, .. } => self.log.note_stuck_square(),
                _ => {}
            },
            RunEvent::Handled(table) => table.observe_hands(&mut self.log),
            RunEvent::Input(_) | RunEvent::Sent(_) | RunEvent::Refused(_) => {}
        }
    }

    fn end_game(&mut self) {
        self.counts.merge(&std::mem::take(&mut self.log).counts());
    }

    fn finish(mut self) -> HandCounts {
        self.end_game();
        self.counts
    }
}

/// Simulates a game, and follows it with these settings.
///
/// # Errors
/// If there is no such board.
pub fn follow_simulated(
    game: &SourceGame,
    seed: u64,
    options: &SimulationOptions,
    settings: Settings,
    watch: Watch,
) -> Result<(), UnknownBoard> {
    let model = options.model()?;
    let simulation = options.simulation(game, seed)?;
    let until = simulation.ends_at();
    let mut table = Table::without_judging(settings);
    run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, until, watch);
    Ok(())
}

/// Returns the fitted costs as the table `[hands]` of a configuration file. `sources`: what they were fitted to, a line each.
pub fn hands_file(fit: &HandsFit, sources: &[String]) -> String {
    let mut text = String::from("# Written by \"touchmovectl fit-hands\", for touchmoved.toml. Fitted to:\n");
    for source in sources {
        let _ = writeln!(text, "#   {source}");
    }
    let HandCounts { aligned, moves, .. } = fit.counts;
    let _ = writeln!(text, "# {aligned} of {moves} moves could be aligned with what the boards showed.\n[hands]");
    for &event in HandEvent::ALL {
        let (events, opportunities) = fit.counts.get(event);
        let _ = writeln!(text, "{} = {} # {events} of {opportunities}", event.name(), fit.after.get(event));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::SensorKind;
    use crate::game::event::Rotation;
    use crate::lab::options::settings;
    use crate::simulate::hands::{CLUB, HandsProfile, Rate};
    use crate::simulate::random_game::random_game;

    #[test]
    fn many_events_give_their_own_rate_and_few_change_little() {
        assert_eq!(fitted_cost(0, 0, 53), 53);
        for (rate, cost) in [(2, 16), (10, 53), (100, 106), (1_000, 159)] {
            assert_eq!(fitted_cost(100_000, 100_000 * rate, 60), cost, "1 in {rate}");
        }
        // One in ten was assumed: ten times more often, or never.
        assert!((44..53).contains(&fitted_cost(2, 2, 53)), "{}", fitted_cost(2, 2, 53));
        assert!((53..60).contains(&fitted_cost(0, 10, 53)), "{}", fitted_cost(0, 10, 53));
        // What nobody has seen becomes no less likely than what the prior events allow.
        assert_eq!(fitted_cost(0, 64, 224), 224);
    }

    #[test]
    fn costs_stay_in_range() {
        assert_eq!(fitted_cost(1_000_000, 1_000_000, 53), *RANGE.start());
        assert_eq!(fitted_cost(0, u64::MAX, 224), *RANGE.end());
        assert_eq!(fitted_cost(u64::MAX / 2, 1, 0), *RANGE.start());
        assert_eq!(fitted_cost(0, 1, HandCosts::MAX), *RANGE.end());
    }

    /// Fits to simulated games of hands that differ from club hands in these rates.
    fn fit_simulated(sensing: SensorKind, rates: &[(Rate, u32)]) -> HandsFit {
        let mut profile = HandsProfile { ..CLUB };
        rates.iter().for_each(|&(rate, thousandths)| profile.rates.set(rate, thousandths));
        let board = "dgt".to_owned();
        let options = SimulationOptions { board, profile, inject: Vec::new(), clock: true, rotation: Rotation::Upright };
        let follow = |number: usize, hands: HandCosts, watch: Watch| {
            let game = random_game(7, number);
            let settings = Settings { sensing, hands, ..settings(&game) };
            follow_simulated(&game, 1, &options, settings, watch)
        };
        fit(6, HandCosts::default(), &follow, &mut |_| {}).unwrap()
    }

    #[test]
    fn the_habits_of_simulated_players_are_found() {
        let rate = |fit: &HandsFit, event: HandEvent| {
            let (events, opportunities) = fit.counts.get(event);
            events * 1_000 / opportunities.max(1)
        };
        let steady = fit_simulated(SensorKind::Identity, &[(Rate::adjust, 0), (Rate::slide_stop, 0)]);
        let restless = fit_simulated(SensorKind::Identity, &[(Rate::adjust, 300), (Rate::slide_stop, 200)]);
        assert!(steady.counts.aligned * 10 > steady.counts.moves * 9, "{:?}", steady.counts);
        assert!(restless.counts.aligned * 10 > restless.counts.moves * 9, "{:?}", restless.counts);
        // 30 % adjust a piece; before, 11 % were assumed.
        assert!((200..400).contains(&rate(&restless, HandEvent::PutBack)), "{:?}", restless.counts);
        assert!(steady.after.put_back > 50 && restless.after.put_back < 50);
        assert!(steady.after.first_stop > 74 && restless.after.first_stop < 74);
        // Nothing is known of what no game could show.
        assert_eq!(restless.after.other_piece_chosen, restless.before.other_piece_chosen);
    }

    #[test]
    fn captures_and_presses_are_counted_on_occupancy_boards() {
        let fit = fit_simulated(SensorKind::Occupancy, &[(Rate::swap_capture, 0), (Rate::early_reply, 400)]);
        let usual = fit_simulated(SensorKind::Occupancy, &[]);
        assert!(fit.after.silent_capture > usual.after.silent_capture, "{:?}", fit.counts);
        assert!(fit.after.seen_capture < usual.after.seen_capture, "{:?}", fit.counts);
        assert!(fit.after.reply_before_press < usual.after.reply_before_press, "{:?}", fit.counts);
    }

    #[test]
    fn the_file_has_every_cost_with_its_counts() {
        let fit = fit_simulated(SensorKind::Identity, &[]);
        let text = hands_file(&fit, &["club.rec".to_owned()]);
        let file: toml::Table = text.parse().unwrap();
        for &event in HandEvent::ALL {
            assert_eq!(file["hands"][event.name()].as_integer(), Some(i64::from(fit.after.get(event))), "{text}");
        }
        let (events, opportunities) = fit.counts.get(HandEvent::SilentCapture);
        assert!(text.contains(&format!(" # {events} of {opportunities}\n")) && text.contains("#   club.rec\n"), "{text}");
    }
}
