//! `touchmovectl score PGN…`: simulate many games, follow them, compare with the truth.

use crate::boards::{self, Millis, Sensing};
use crate::ctl::figures::{Figures, GameFigures, compare, share};
use crate::ctl::run::{self, Moment, Said, Staged};
use crate::ctl::simulate::{Setting, find_profile, read_games, settings};
use crate::game::Stamped;
use crate::game::event::Rotation;
use crate::simulate::pgn::Game;
use crate::table::Table;
use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Simulate many games, follow them, and compare with the truth
///
/// Every game is played on a virtual board by every seed's hands, and what touchmove would have published is compared with
/// what was played. Games that went wrong are named, so that they can be looked at with simulate and replay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  touchmovectl score --hands blitz --clock --seeds 10 games.pgn")]
pub struct Args {
    /// Games to play
    #[arg(required = true, value_name = "PGN")]
    pub pgn: Vec<PathBuf>,
    /// The board
    #[arg(long, value_name = "MODEL", default_value = "dgt")]
    pub board: String,
    /// The players' hands: clean, club, blitz or worn (club hands on a worn board)
    #[arg(long, value_name = "PROFILE", default_value = "club")]
    pub hands: String,
    /// With a clock
    #[arg(long)]
    pub clock: bool,
    /// The board is turned round by 180 degrees
    #[arg(long)]
    pub turned: bool,
    /// Throw away what a poorer board would not have seen
    #[arg(long, value_name = "KIND")]
    pub sensing: Option<Sense>,
    /// How many seeds for each game: 1 to N
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seeds: u64,
    /// At most so many games of each file
    #[arg(long, value_name = "N")]
    pub games: Option<usize>,
    /// The figures as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a board's squares can tell, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sense {
    /// Which piece
    Identity,
    /// Which colour
    Colour,
    /// That something stands there
    Occupancy,
}

impl From<Sense> for Sensing {
    fn from(sense: Sense) -> Sensing {
        match sense {
            Sense::Identity => Sensing::Identity,
            Sense::Colour => Sensing::Colour,
            Sense::Occupancy => Sensing::Occupancy,
        }
    }
}

/// One game to be played with one seed.
struct Job<'a> {
    file: &'a str,
    game: &'a Game,
    seed: u64,
}

/// A game that went wrong.
#[derive(Debug, Serialize)]
struct Failure {
    file: String,
    game: usize,
    seed: u64,
    what: String,
}

#[derive(Serialize)]
struct Report<'a> {
    board: &'a str,
    hands: &'a str,
    clock: bool,
    #[serde(flatten)]
    figures: Figures,
    failures: &'a [Failure],
}

/// So many games that went wrong are named.
const NAMED: usize = 10;

/// Plays, compares and prints.
pub fn run(args: Args) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for path in &args.pgn {
        let mut games = read_games(path)?.games;
        games.truncate(args.games.unwrap_or(usize::MAX));
        let signals = games.iter().filter(|game| game.signalled).count();
        let cut = games.iter().filter(|game| !game.notes.is_empty() && !game.signalled).count();
        if signals + cut > 0 {
            eprintln!(
                "{}: {signals} games end with a king's walk to the centre, simulated as the result signal; {cut} are cut short \
                 before an illegal move (touchmovectl simulate names them)",
                path.display()
            );
        }
        files.push((path.display().to_string(), games));
    }
    let setting = Setting {
        board: args.board.clone(),
        profile: find_profile(&args.hands)?,
        clock: args.clock,
        rotation: if args.turned { Rotation::Turned } else { Rotation::Upright },
    };
    let jobs: Vec<Job> = files
        .iter()
        .flat_map(|(file, games)| games.iter().map(move |game| (file, game)))
        .flat_map(|(file, game)| (1..=args.seeds).map(move |seed| Job { file, game, seed }))
        .collect();
    let Some(first) = jobs.first() else { bail!("there is no game with moves in these files") };
    setting.stage(first.game, first.seed)?;

    let results = play_all(&jobs, &setting, args.sensing.map(Sensing::from))?;
    let figures = Figures::of(results.iter());
    let failures: Vec<Failure> = jobs
        .iter()
        .zip(&results)
        .filter_map(|(job, result)| {
            let what = result.failure.clone()?;
            Some(Failure { file: job.file.to_owned(), game: job.game.number, seed: job.seed, what })
        })
        .collect();
    if args.json {
        let report = Report { board: &args.board, hands: &args.hands, clock: args.clock, figures, failures: &failures };
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&args, &figures, &failures);
    }
    Ok(())
}

/// Plays all games on all cores; the results stand in the order of the jobs.
fn play_all(jobs: &[Job], setting: &Setting, sensing: Option<Sensing>) -> anyhow::Result<Vec<GameFigures>> {
    let bar = ProgressBar::new(jobs.len() as u64);
    bar.set_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {eta} to go")?);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![GameFigures::default(); jobs.len()]);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|panic| PANIC.with_borrow_mut(|last| *last = panic.to_string())));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let figures = play_one(job, setting, sensing);
                    if let Some(place) = results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_mut(index) {
                        *place = figures;
                    }
                    bar.inc(1);
                }
            });
        }
    });
    std::panic::set_hook(usual);
    bar.finish_and_clear();
    Ok(results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

thread_local! {
    /// What the last panic on this thread said.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Plays one game. A panic is a failure of this game, not of the others.
fn play_one(job: &Job, setting: &Setting, sensing: Option<Sensing>) -> GameFigures {
    let failed =
        |what: String| GameFigures { plies: job.game.plies.len() as u64, failure: Some(what), ..GameFigures::default() };
    match catch_unwind(AssertUnwindSafe(|| play_and_compare(job.game, job.seed, setting, sensing))) {
        Ok(Ok(figures)) => figures,
        Ok(Err(error)) => failed(format!("{error:#}")),
        Err(_) => failed(PANIC.with_borrow(|panic| panic.replace('\n', " "))),
    }
}

/// Simulates one game, follows it, and compares.
pub fn play_and_compare(game: &Game, seed: u64, setting: &Setting, sensing: Option<Sensing>) -> anyhow::Result<GameFigures> {
    let model = boards::model(&setting.board).context("there is no such board")?;
    let stage = setting.stage(game, seed)?;
    let mut settings = settings(game);
    settings.sensing = sensing.unwrap_or(model.sensing);
    let mut events: Vec<Stamped> = Vec::new();
    let mut edges: Vec<Millis> = vec![0; game.plies.len() + 1];
    let until = stage.ends_at();
    let mut cable = Staged::new(stage);
    run::play(
        &mut cable,
        &mut *(model.protocol)(),
        &mut Table::new(settings.clone()),
        until,
        &mut |now, moment| match moment {
            Moment::Said(Said::Bytes(_, ply)) => {
                if let Some(edge) = edges.get_mut(*ply as usize) {
                    *edge = now;
                }
            }
            Moment::Event(stamped) if stamped.event.is_durable() => events.push(stamped.clone()),
            _ => {}
        },
    );
    Ok(compare(cable.stage().truth(), &events, &edges, &settings))
}

fn print(args: &Args, figures: &Figures, failures: &[Failure]) {
    let clock = if args.clock { "with" } else { "without" };
    println!("{}, {} hands, {clock} clock: {} games, {} plies", args.board, args.hands, figures.games, figures.plies);
    let row = |name: &str, value: String| println!("  {name:<18} {value}");
    row("games exact", format!("{:.2} % ({} of {})", figures.games_exact_percent, figures.games_exact, figures.games));
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
            "{:.3} per 1000 plies ({}); apart from these {} after a long stop, {} half result signals",
            figures.retracted_per_1000, figures.retracted, figures.retracted_stops, figures.king_signals
        ),
    );
    let delay = |delay: &crate::ctl::figures::Delay| format!("median {} ms, p99 {} ms", delay.median_ms, delay.p99_ms);
    row(
        "delay",
        format!(
            "{}; after a long stop ({} moves) {}",
            delay(&figures.delay),
            figures.delay_stops.moves,
            delay(&figures.delay_stops)
        ),
    );
    row("false alerts", format!("{:.3} per 1000 plies ({})", figures.false_alerts_per_1000, figures.false_alerts));
    row("results", format!("{} of {} told on the board understood", figures.results_right, figures.results_told));
    for class in figures.calibration.iter().rev().filter(|class| class.moves > 0) {
        let right = share(class.right, class.moves, 100.0);
        row("calibration", format!("from {:.2}: {right:.2} % of {} moves right", f64::from(class.from) / 1000.0, class.moves));
    }
    if figures.doubtful > 0 {
        let named = share(figures.doubtful_named, figures.doubtful, 100.0);
        row("below 0.9", format!("truth among the alternatives in {named:.2} % of {}", figures.doubtful));
    }
    for failure in failures.iter().take(NAMED) {
        println!("{}, game {}, seed {}: {}", failure.file, failure.game, failure.seed, failure.what);
        let (clock, turned) = (if args.clock { " --clock" } else { "" }, if args.turned { " --turned" } else { "" });
        println!(
            "  touchmovectl simulate {} --game {} --board {} --hands {} --seed {}{clock}{turned} -o wrong.rec",
            failure.file, failure.game, args.board, args.hands, failure.seed
        );
    }
    if failures.len() > NAMED {
        println!("and {} more", failures.len() - NAMED);
    }
}
