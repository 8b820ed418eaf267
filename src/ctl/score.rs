//! `touchmovectl score PGN…`: simulates many games, follows them, and compares the result with the ground truth.

mod clients;
mod report;
mod streams;

pub use streams::{Outcome, ScoreOptions, play, play_and_compare};

use crate::boards::SensorKind;
use crate::ctl::baselines::Baseline;
use crate::ctl::figures::GameFigures;
use crate::ctl::simulate::{HandsArgs, SimulationOptions, read_games};
use crate::game::event::Rotation;
use crate::simulate::pgn::SourceGame;
use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use report::Report;
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
#[command(after_help = "Examples:
  touchmovectl score --hands blitz --clock --seeds 10 games.pgn
  touchmovectl score --clock --sensing occupancy --against first,settled,reachable games.pgn
  touchmovectl score --clock --sensing occupancy --bound --hindsight games.pgn
  touchmovectl score --clock --inject illegal_move games.pgn")]
pub struct Args {
    /// Games to play
    #[arg(required = true, value_name = "PGN")]
    pub pgn: Vec<PathBuf>,
    /// The board
    #[arg(long, value_name = "MODEL", default_value = "dgt")]
    pub board: String,
    /// Whose hands, and what they do besides.
    #[command(flatten)]
    pub hands: HandsArgs,
    /// With a clock
    #[arg(long)]
    pub clock: bool,
    /// The board is turned round by 180 degrees
    #[arg(long)]
    pub turned: bool,
    /// Throw away what a poorer board would not have seen
    #[arg(long, value_name = "KIND")]
    pub sensing: Option<Sense>,
    /// Decode the same streams in simpler ways, too, and show the figures beside ours
    #[arg(long, value_name = "BASELINE", value_delimiter = ',')]
    pub against: Vec<Baseline>,
    /// Tell what any decoder could know of these streams, whatever its model
    ///
    /// Counts the lines of play that fit what truly stood on the board at every completed move and every square truly seen
    /// empty: in how many games there is only one, and how many are right if one is guessed.
    #[arg(long)]
    pub bound: bool,
    /// Tell what our own model gives with the whole stream at hand
    ///
    /// Follows the lines that may lead to what is seen, a thousand at once, and compares the one that is likeliest when the game is
    /// over with the truth, whatever was said on the way. It is told when the game is over. What only it finds, the search or
    /// the end of the game has lost; what it misses and the bound does not, the model or a line that it never tried. It is no
    /// bound: now and then it is wrong where touchmove is right. Takes up to some seconds a game.
    #[arg(long)]
    pub hindsight: bool,
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

impl From<Sense> for SensorKind {
    fn from(sense: Sense) -> SensorKind {
        match sense {
            Sense::Identity => SensorKind::Identity,
            Sense::Colour => SensorKind::Colour,
            Sense::Occupancy => SensorKind::Occupancy,
        }
    }
}

/// Runs the subcommand: plays, compares and prints.
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
    let setting = SimulationOptions {
        board: args.board.clone(),
        profile: args.hands.profile()?,
        inject: args.hands.inject.clone(),
        clock: args.clock,
        rotation: if args.turned { Rotation::Turned } else { Rotation::Upright },
    };
    let wanted = ScoreOptions {
        sensing: args.sensing.map(SensorKind::from),
        against: &args.against,
        bound: args.bound,
        hindsight: args.hindsight,
    };
    let jobs: Vec<Job> = files
        .iter()
        .flat_map(|(file, games)| games.iter().map(move |game| (file, game)))
        .flat_map(|(file, game)| (1..=args.seeds).map(move |seed| Job { file, game, seed }))
        .collect();
    let Some(first) = jobs.first() else { bail!("there is no game with moves in these files") };
    setting.stage(first.game, first.seed)?;

    let outcomes = play_all(&jobs, &setting, &wanted)?;
    let report = Report::of(&args, &jobs, &outcomes);
    if args.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        report.print(&args);
    }
    Ok(())
}

/// One game to be played with one seed.
struct Job<'a> {
    file: &'a str,
    game: &'a SourceGame,
    seed: u64,
}

/// Plays all games on all cores; the outcomes are in the order of the jobs.
fn play_all(jobs: &[Job], setting: &SimulationOptions, wanted: &ScoreOptions) -> anyhow::Result<Vec<Outcome>> {
    let bar = ProgressBar::new(jobs.len() as u64);
    bar.set_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {eta} to go")?);
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(vec![Outcome::default(); jobs.len()]);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|panic| PANIC.with_borrow_mut(|last| *last = panic.to_string())));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let outcome = play_one(job, setting, wanted);
                    if let Some(place) = outcomes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_mut(index) {
                        *place = outcome;
                    }
                    bar.inc(1);
                }
            });
        }
    });
    std::panic::set_hook(usual);
    bar.finish_and_clear();
    Ok(outcomes.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

thread_local! {
    /// The message of the last panic on this thread.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Plays one game. A panic is a failure of this game only.
fn play_one(job: &Job, setting: &SimulationOptions, wanted: &ScoreOptions) -> Outcome {
    let failed = |what: String| {
        let ours = GameFigures { plies: job.game.plies.len() as u64, failure: Some(what), ..GameFigures::default() };
        Outcome {
            against: vec![ours.clone(); wanted.against.len()],
            hindsight: wanted.hindsight.then(|| ours.clone()),
            bound: None,
            ours,
            ..Outcome::default()
        }
    };
    match catch_unwind(AssertUnwindSafe(|| play(job.game, job.seed, setting, wanted))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => failed(format!("{error:#}")),
        Err(_) => failed(PANIC.with_borrow(|panic| panic.replace('\n', " "))),
    }
}
