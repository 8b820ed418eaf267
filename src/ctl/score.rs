//! `touchmovectl score PGN…`: simulates many games, follows them, and compares the result with the ground truth.

mod causes;
mod report;

use crate::boards::SensorKind;
use crate::ctl::completion;
use crate::ctl::simulate::{HandsArgs, read_games};
use crate::game::event::Rotation;
use crate::lab::baselines::Baseline;
use crate::lab::game_figures::GameFigures;
use crate::lab::halves::Half;
use crate::lab::options::SimulationOptions;
use crate::lab::score::{Outcome, ScoreOptions, play};
use crate::simulate::pgn::SourceGame;
use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use report::Report;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Simulate many games, decode them, and compare the result with the truth
///
/// Every game is played on a virtual board once for each seed, and the moves that touchmove would have published are compared with
/// those that were played. Each failed game is listed with the commands that simulate and replay it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl score --hands blitz --clock --seeds 10 games.pgn
  touchmovectl score --clock --sensing occupancy --against first,settled,reachable games.pgn
  touchmovectl score --clock --sensing occupancy --bound --hindsight games.pgn
  touchmovectl score --clock --sensing occupancy --half evaluation games.pgn
  touchmovectl score --clock --sensing occupancy --causes games.pgn
  touchmovectl score --clock --inject illegal_move games.pgn")]
pub struct Args {
    /// Games to play
    #[arg(required = true, value_name = "PGN")]
    pub pgn: Vec<PathBuf>,
    /// Model of the board
    #[arg(long, value_name = "MODEL", default_value = "dgt", add = completion::models())]
    pub board: String,
    /// The hands, and the irregularities that they commit.
    #[command(flatten)]
    pub hands: HandsArgs,
    /// Use a clock
    #[arg(long)]
    pub clock: bool,
    /// The board is rotated by 180 degrees
    #[arg(long)]
    pub turned: bool,
    /// Reduce the readings to what a simpler board would detect
    #[arg(long, value_name = "KIND")]
    pub sensing: Option<Sense>,
    /// Also decode the same streams with simpler decoders, and show their figures beside those of touchmove
    #[arg(long, value_name = "BASELINE", value_delimiter = ',')]
    pub against: Vec<Baseline>,
    /// Show what any decoder could know from these streams, whatever its model
    ///
    /// Counts the lines of play that agree with the true placement at every completed move, and with every square that was truly
    /// seen empty: in how many games there is only one line, and how many games are right if one of the lines is guessed.
    #[arg(long)]
    pub bound: bool,
    /// Show what touchmove's own model finds with the complete stream
    ///
    /// Follows up to a thousand lines of play at once, and compares the likeliest one at the end of the game with the truth,
    /// whatever was published before. This decoding knows when the game is over. A game that only it decodes correctly was lost
    /// by the search or by the end of the game; a game that it misses and the bound does not was lost by the model, or its line
    /// was never tried. It is not a bound: sometimes it is wrong where touchmove is right. Takes up to a few seconds per game.
    #[arg(long)]
    pub hindsight: bool,
    /// Also review every game when it is over, and show how many of the corrections that it proposes are right
    ///
    /// The pieces stay as they are at the end, the result is set, and all that the board has reported is decoded once more.
    #[arg(long)]
    pub review: bool,
    /// Show why games ended wrong
    ///
    /// Plays each game that is not exact once more, and finds the first ply at which no line of play had the truth: what became
    /// of the line that had it until then, and what truly happened on the board there.
    #[arg(long)]
    pub causes: bool,
    /// Number of seeds for each game: 1 to N
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seeds: u64,
    /// Play only one half of the games: those on which parameters are fitted, or the others
    ///
    /// Which half a game belongs to follows from the names of its players and its date: all games of two players on one date are
    /// in the same half.
    #[arg(long, value_name = "HALF")]
    pub half: Option<HalfName>,
    /// Maximum number of games of each file
    #[arg(long, value_name = "N")]
    pub games: Option<usize>,
    /// The figures as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a board's squares can tell, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sense {
    /// The piece on a square
    Identity,
    /// The colour of the piece
    Colour,
    /// Whether the square is occupied
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

/// One half of the games, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum HalfName {
    /// The games on which parameters are fitted
    Fit,
    /// The games on which accuracy is measured
    Evaluation,
}

impl From<HalfName> for Half {
    fn from(name: HalfName) -> Half {
        match name {
            HalfName::Fit => Half::Fit,
            HalfName::Evaluation => Half::Evaluation,
        }
    }
}

/// Runs the subcommand: plays, compares and prints.
pub fn run(args: Args) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for path in &args.pgn {
        let mut games = read_games(path)?.games;
        if let Some(half) = args.half {
            games.retain(|game| Half::of(game) == Half::from(half));
        }
        games.truncate(args.games.unwrap_or(usize::MAX));
        let signals = games.iter().filter(|game| game.signalled).count();
        let cut = games.iter().filter(|game| !game.notes.is_empty() && !game.signalled).count();
        if signals + cut > 0 {
            eprintln!(
                "{}: {signals} games end with a king's move to the centre, simulated as the result signal; {cut} are cut short \
                 before an illegal move (touchmovectl simulate names it)",
                path.display()
            );
        }
        files.push((path.display().to_string(), games));
    }
    let options = SimulationOptions {
        board: args.board.clone(),
        profile: args.hands.profile()?,
        inject: args.hands.inject.clone(),
        clock: args.clock,
        rotation: if args.turned { Rotation::Turned } else { Rotation::Upright },
    };
    let score_options = ScoreOptions {
        sensing: args.sensing.map(SensorKind::from),
        against: &args.against,
        bound: args.bound,
        hindsight: args.hindsight,
        review: args.review,
        causes: args.causes,
    };
    let jobs: Vec<Job> = files
        .iter()
        .flat_map(|(file, games)| games.iter().map(move |game| (file, game)))
        .flat_map(|(file, game)| (1..=args.seeds).map(move |seed| Job { file, game, seed }))
        .collect();
    let Some(first) = jobs.first() else { bail!("there is no game with moves in these files") };
    options.simulation(first.game, first.seed)?;

    let outcomes = play_all(&jobs, &options, &score_options)?;
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
fn play_all(jobs: &[Job], options: &SimulationOptions, score_options: &ScoreOptions) -> anyhow::Result<Vec<Outcome>> {
    let bar = ProgressBar::new(jobs.len() as u64);
    bar.set_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {eta} to go")?);
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(vec![Outcome::default(); jobs.len()]);
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|panic| PANIC.with_borrow_mut(|last| *last = panic.to_string())));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let outcome = play_one(job, options, score_options);
                    if let Some(slot) = outcomes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_mut(index) {
                        *slot = outcome;
                    }
                    bar.inc(1);
                }
            });
        }
    });
    std::panic::set_hook(default_hook);
    bar.finish_and_clear();
    Ok(outcomes.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

thread_local! {
    /// The message of the last panic on this thread.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Plays one game. A panic is a failure of this game only.
fn play_one(job: &Job, options: &SimulationOptions, score_options: &ScoreOptions) -> Outcome {
    let failed = |message: String| {
        let ours = GameFigures { plies: job.game.plies.len() as u64, failure: Some(message), ..GameFigures::default() };
        Outcome {
            against: vec![ours.clone(); score_options.against.len()],
            hindsight: score_options.hindsight.then(|| ours.clone()),
            bound: None,
            ours,
            ..Outcome::default()
        }
    };
    match catch_unwind(AssertUnwindSafe(|| play(job.game, job.seed, options, score_options))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => failed(error.to_string()),
        Err(_) => failed(PANIC.with_borrow(|panic| panic.replace('\n', " "))),
    }
}
