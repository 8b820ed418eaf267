//! The output of `score`: figures as text, or as JSON.

use super::causes::Causes;
use super::{Args, Job};
use crate::lab::bound::{BoundFigures, MAX_POSITIONS};
use crate::lab::clients::FirstSeen;
use crate::lab::figures::Figures;
use crate::lab::review::ReviewFigures;
use crate::lab::score::Outcome;
use crate::lab::statistics::{Delay, share};
use clap::ValueEnum;
use serde::Serialize;

/// All figures of a run; `--json` prints this.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    board: &'a str,
    hands: &'a str,
    /// Further options of the hands, as written on the command line.
    options: String,
    clock: bool,
    /// `None`: all that the board detects.
    sensing: Option<String>,
    /// `None`: all games.
    #[serde(skip_serializing_if = "Option::is_none")]
    half: Option<String>,
    seeds: u64,
    #[serde(flatten)]
    figures: Figures,
    /// Clients of the LiveChess server that cannot retract a move.
    first_seen: FirstSeen,
    /// The same with `publish = "prompt"` under [livechess].
    first_seen_prompt: FirstSeen,
    /// The same streams decoded by other decoders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<DecoderFigures>,
    /// What any decoder could know.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<BoundFigures>,
    /// The reviews of the games after their end.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<ReviewFigures>,
    /// Why games ended wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<Causes>,
    failures: Vec<Failure>,
}

/// The figures of another decoder.
#[derive(Serialize)]
struct DecoderFigures {
    decoder: &'static str,
    /// The decoder reports nothing before the end, so there is no delay.
    offline: bool,
    #[serde(flatten)]
    figures: Figures,
}

/// A game with a failure.
#[derive(Debug, Serialize)]
struct Failure {
    file: String,
    game: usize,
    seed: u64,
    what: String,
    /// The command that reproduces it.
    command: String,
}

/// Maximum number of failures that are listed.
const MAX_LISTED_FAILURES: usize = 10;

impl<'a> Report<'a> {
    /// Sums up; outcomes are in the order of the jobs.
    pub(super) fn of(args: &'a Args, jobs: &[Job], outcomes: &[Outcome]) -> Report<'a> {
        let against = args.against.iter().enumerate().map(|(index, baseline)| DecoderFigures {
            decoder: baseline.name(),
            offline: baseline.is_offline(),
            figures: Figures::of(outcomes.iter().filter_map(|outcome| outcome.against.get(index))),
        });
        let hindsight = args.hindsight.then(|| DecoderFigures {
            decoder: "hindsight",
            offline: true,
            figures: Figures::of(outcomes.iter().filter_map(|outcome| outcome.hindsight.as_ref())),
        });
        let failures = jobs.iter().zip(outcomes).filter_map(|(job, outcome)| {
            let what = outcome.ours.failure.clone()?;
            Some(Failure {
                file: job.file.to_owned(),
                game: job.game.number,
                seed: job.seed,
                what,
                command: command(args, job),
            })
        });
        let plies = outcomes.iter().map(|outcome| outcome.ours.plies).sum();
        let options = args.hands.to_string();
        let options = options.strip_prefix("--hands ").and_then(|rest| rest.strip_prefix(args.hands.hands.as_str()));
        let options = options.unwrap_or_default();
        Report {
            board: &args.board,
            hands: &args.hands.hands,
            options: options.trim_start().to_owned(),
            clock: args.clock,
            sensing: args.sensing.map(word),
            half: args.half.map(word),
            seeds: args.seeds,
            figures: Figures::of(outcomes.iter().map(|outcome| &outcome.ours)),
            first_seen: FirstSeen::of(outcomes.iter().map(|outcome| &outcome.first_seen), plies),
            first_seen_prompt: FirstSeen::of(outcomes.iter().map(|outcome| &outcome.first_seen_prompt), plies),
            against: hindsight.into_iter().chain(against).collect(),
            bound: args.bound.then(|| BoundFigures::of(outcomes.iter().filter_map(|outcome| outcome.bound))),
            review: args.review.then(|| ReviewFigures::of(outcomes.iter().filter_map(|outcome| outcome.review))),
            causes: args.causes.then(|| Causes::of(jobs, outcomes)),
            failures: failures.collect(),
        }
    }

    /// Prints the report as text.
    pub(super) fn print(&self, args: &Args) {
        let figures = &self.figures;
        let options = if self.options.is_empty() { String::new() } else { format!(" {}", self.options) };
        let clock = if self.clock { "with" } else { "without" };
        let half = self.half.as_ref().map_or(String::new(), |half| format!(", {half} half"));
        let sensing = self.sensing.as_ref().map_or(String::new(), |sensing| format!(" as {sensing}"));
        println!(
            "{}{sensing}, {} hands{options}, {clock} clock{half}: {} games, {} plies",
            self.board, self.hands, figures.games, figures.plies
        );
        let [low, high] = figures.games_exact_interval;
        row(
            "games exact",
            format!(
                "{:.2} % ({} of {}), 95 % interval {low:.1}–{high:.1} %",
                figures.games_exact_percent, figures.games_exact, figures.games
            ),
        );
        row(
            "plies exact",
            format!(
                "{:.3} % before the first difference, {:.3} % aligned",
                figures.plies_exact_percent, figures.plies_aligned_percent
            ),
        );
        row(
            "retracted",
            format!(
                "{:.3} ± {:.3} per 1000 plies ({}); in addition {} after a long stop, {} halves of result signals",
                figures.retracted_per_1000,
                figures.retracted_margin,
                figures.retracted,
                figures.retracted_stops,
                figures.king_signals
            ),
        );
        row(
            "delay",
            format!(
                "{}; after a long stop ({} moves) {}",
                delay(&figures.delay),
                figures.delay_stops.moves,
                delay(&figures.delay_stops)
            ),
        );
        for (name, seen) in [("LiveChess clients", &self.first_seen), ("  sent promptly", &self.first_seen_prompt)] {
            let FirstSeen { wrong, wrong_per_1000, never_told, delay: client_delay } = seen;
            row(
                name,
                format!(
                    "first move wrong {wrong_per_1000:.3} per 1000 plies ({wrong}), no move received {never_told}; {}",
                    delay(client_delay)
                ),
            );
        }
        row("false touch notices", format!("{:.3} per 1000 plies ({})", figures.false_notices_per_1000, figures.false_notices));
        row(
            "false alerts",
            format!(
                "{:.3} ± {:.3} per 1000 plies ({})",
                figures.false_alerts_per_1000, figures.false_alerts_margin, figures.false_alerts
            ),
        );
        row("results", format!("{} of {} signalled on the board were understood", figures.results_right, figures.results_told));
        self.print_calibration();
        self.figures.extra_rows().into_iter().for_each(|(name, value)| row(name, value));
        self.print_other_decoders();
        if let Some(bound) = &self.bound {
            row(
                "bound",
                format!(
                    "only one line in {:.2} % of games; right with a random line {:.2} %, with a simple prior {:.2} %, with our own \
                     {:.2} %",
                    bound.unique_percent, bound.uniform_percent, bound.prior_percent, bound.fitted_percent
                ),
            );
            if bound.capped > 0 {
                row(
                    "",
                    format!(
                        "too optimistic: in {} games there were more than {MAX_POSITIONS} positions at one ply",
                        bound.capped
                    ),
                );
            }
        }
        if let Some(ReviewFigures { wrong, mended, other, exact, misled }) = self.review {
            row(
                "review",
                format!(
                    "of {wrong} wrong records, {mended} would become exact, and {other} something else; of {exact} exact ones, \
                     {misled} would become wrong"
                ),
            );
        }
        self.causes.iter().for_each(Causes::print);
        self.print_failures(args);
    }

    fn print_calibration(&self) {
        println!("  {:<18} {:>9} {:>9} {:>9}", "confidence", "moves", "stated", "right");
        for class in &self.figures.calibration {
            let [from, to] = [class.from, class.to].map(|bound| f64::from(bound) / 1000.0);
            let (name, stated) = (format!("  {from:.1}–{to:.1}"), format!("{:.1} %", class.stated_percent));
            println!("  {name:<18} {:>9} {stated:>9} {:>8.1} %", class.moves, class.right_percent);
        }
        if self.figures.doubtful > 0 {
            let named = percent(self.figures.doubtful_named, self.figures.doubtful);
            row("below 0.90", format!("the move or an alternative was right in {named} of {}", self.figures.doubtful));
        }
    }

    fn print_other_decoders(&self) {
        if self.against.is_empty() {
            return;
        }
        println!(
            "  {:<18} {:>11} {:>11} {:>11} {:>15} {:>16}",
            "the same streams", "games exact", "plies exact", "aligned", "retracted /1000", "delay, p99 ms"
        );
        let line = |name: &str, figures: &Figures, offline: bool| {
            let delay = if offline {
                "at the end".to_owned()
            } else {
                format!("{}, {}", figures.delay.median_ms, figures.delay.p99_ms)
            };
            println!(
                "  {:<18} {:>9.2} % {:>9.2} % {:>9.2} % {:>15.2} {delay:>16}",
                format!("  {name}"),
                figures.games_exact_percent,
                figures.plies_exact_percent,
                figures.plies_aligned_percent,
                figures.retracted_per_1000,
            );
        };
        line("touchmove", &self.figures, false);
        self.against.iter().for_each(|other| line(other.decoder, &other.figures, other.offline));
    }

    fn print_failures(&self, args: &Args) {
        for failure in self.failures.iter().take(MAX_LISTED_FAILURES) {
            println!("{}, game {}, seed {}: {}", failure.file, failure.game, failure.seed, failure.what);
            println!("  {}", failure.command);
        }
        if self.failures.len() > MAX_LISTED_FAILURES {
            let all = if args.json { "" } else { " (--json lists all)" };
            println!("and {} more failures{all}", self.failures.len() - MAX_LISTED_FAILURES);
        }
    }
}

fn row(name: &str, value: String) {
    println!("  {name:<18} {value}");
}

fn delay(delay: &Delay) -> String {
    format!("median {} ms, p99 {} ms", delay.median_ms, delay.p99_ms)
}

fn percent(part: u64, total: u64) -> String {
    format!("{:.2} %", share(part, total, 100.0))
}

/// Returns the name of this value on the command line.
fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Returns the command that reproduces the failure of a game.
fn command(args: &Args, job: &Job) -> String {
    let Args { board, hands, .. } = args;
    let clock = if args.clock { " --clock" } else { "" };
    let turned = if args.turned { " --turned" } else { "" };
    let sensing = args.sensing.map_or(String::new(), |sense| format!(" --sensing {}", word(sense)));
    format!(
        "touchmovectl simulate {} --game {} --board {board} {hands} --seed {}{clock}{turned} -o wrong.rec && \
         touchmovectl replay{sensing} wrong.rec",
        job.file, job.game.number, job.seed
    )
}
