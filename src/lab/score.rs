//! Runs one simulated game through the table, and the same readings through the other requested decoders.

use crate::boards::{Millis, Reading, SensorKind};
use crate::game::StampedEvent;
use crate::lab::baselines::{self, Baseline, BaselineContext};
use crate::lab::bound::{self, Bound};
use crate::lab::causes::{Cause, find_cause};
use crate::lab::clients::{ClientFigures, Clients};
use crate::lab::game_figures::{GameFigures, compare, compare_line};
use crate::lab::options::{SimulationOptions, UnknownBoard, settings};
use crate::lab::review::{self, ReviewOutcome};
use crate::lab::run::{self, HostInput, ReadingTap, RunEvent, VirtualCable};
use crate::simulate::pgn::SourceGame;
use crate::simulate::script::Script;
use crate::table::{Settings, Table};

/// What to compute for a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreOptions<'a> {
    /// The sensing to which readings are reduced; `None`: that of the board.
    pub sensing: Option<SensorKind>,
    /// The other decoders.
    pub against: &'a [Baseline],
    /// Compute the bound for any decoder.
    pub bound: bool,
    /// Compute the offline decoding with our own model.
    pub hindsight: bool,
    /// Review the game when it is over.
    pub review: bool,
    /// Find out why a game that is not exact ended wrong.
    pub causes: bool,
}

/// The figures of one game.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The figures of touchmove.
    pub ours: GameFigures,
    /// The figures of each of [`ScoreOptions::against`].
    pub against: Vec<GameFigures>,
    /// The bound, if requested; `None` also if an illegal move remains in the game.
    pub bound: Option<Bound>,
    /// The figures of the offline decoding, if requested.
    pub hindsight: Option<GameFigures>,
    /// The review, if requested.
    pub review: Option<ReviewOutcome>,
    /// Why the game ended wrong, if requested and it did.
    pub cause: Option<Cause>,
    /// A client of the LiveChess server that cannot retract a move and receives settled moves.
    pub first_seen: ClientFigures,
    /// The same for a client that receives every move as soon as it is on record.
    pub first_seen_prompt: ClientFigures,
}

/// Simulates one game, follows it, and compares.
///
/// # Errors
/// If there is no such board.
pub fn play_and_compare(
    game: &SourceGame,
    seed: u64,
    options: &SimulationOptions,
    sensing: Option<SensorKind>,
) -> Result<GameFigures, UnknownBoard> {
    Ok(play(game, seed, options, &ScoreOptions { sensing, ..ScoreOptions::default() })?.ours)
}

/// Computes everything requested from one and the same stream of bytes.
///
/// # Errors
/// If there is no such board.
pub fn play(
    game: &SourceGame,
    seed: u64,
    options: &SimulationOptions,
    score_options: &ScoreOptions,
) -> Result<Outcome, UnknownBoard> {
    let model = options.model()?;
    let mut settings = settings(game);
    settings.sensing = score_options.sensing.unwrap_or(model.sensing);
    let simulated = SimulatedRun::of(game, seed, options, settings.clone())?;
    let truth = &simulated.script.truth;
    let context = BaselineContext {
        start: &game.start,
        rotation: options.rotation,
        sensing: settings.sensing,
        until: truth.over_at + END_GRACE,
    };
    let baseline = |&baseline: &Baseline| {
        let events = baselines::decode(baseline, &simulated.readings, &context);
        compare(truth, &events, &simulated.edges, &settings)
    };
    let bound = || {
        let line = bound::true_moves(&game.start, truth)?;
        let empty = bound::seen_empty(&game.start, &line, &simulated.script, &simulated.readings, options.rotation);
        Some(bound::bound(&game.start, &line, &empty, &bound::early_replies(&simulated.script), settings.sensing))
    };
    let hindsight = match score_options.hindsight {
        true => Some(hindsight(game, seed, options, &settings)?),
        false => None,
    };
    let review = match score_options.review {
        true => Some(review::review(game, seed, options, &settings)?),
        false => None,
    };
    let [first_seen, first_seen_prompt] = simulated.clients.compare(truth, &simulated.edges);
    let ours = compare(truth, &simulated.events, &simulated.edges, &settings);
    let cause = match score_options.causes && !ours.exact {
        true => Some(find_cause(game, seed, options, settings.clone())?),
        false => None,
    };
    Ok(Outcome {
        first_seen,
        first_seen_prompt,
        bound: if score_options.bound { bound() } else { None },
        hindsight,
        review,
        ours,
        cause,
        against: score_options.against.iter().map(baseline).collect(),
    })
}

/// Decodes the whole stream offline with our model: see [`Table::offline`].
///
/// The moves published in between do not matter: the likeliest line at the end is compared with the ground truth. Like the bound,
/// this decoding knows when the game is over: the pieces stay as they are then.
fn hindsight(
    game: &SourceGame,
    seed: u64,
    options: &SimulationOptions,
    settings: &Settings,
) -> Result<GameFigures, UnknownBoard> {
    let model = options.model()?;
    let simulation = options.simulation(game, seed)?.without_aftermath();
    let (truth, until) = (simulation.truth().clone(), simulation.ends_at());
    let mut table = Table::offline(settings.clone());
    run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, until, &mut |_, _| {});
    Ok(compare_line(&truth, &table.likeliest()))
}

/// Time after the last press in which news of the game itself may arrive and nothing else happens, in milliseconds.
pub(super) const END_GRACE: Millis = 600;

/// The readings of a game, with the events of the table.
struct SimulatedRun {
    script: Script,
    /// The board's readings of its squares.
    readings: Vec<(Millis, Reading)>,
    /// For each ply from 1, when its last byte arrived.
    edges: Vec<Millis>,
    /// The durable events that would have been published.
    events: Vec<StampedEvent>,
    clients: Clients,
}

impl SimulatedRun {
    fn of(game: &SourceGame, seed: u64, options: &SimulationOptions, settings: Settings) -> Result<SimulatedRun, UnknownBoard> {
        let model = options.model()?;
        let simulation = options.simulation(game, seed)?;
        let mut events: Vec<StampedEvent> = Vec::new();
        let mut edges: Vec<Millis> = vec![0; game.plies.len() + 1];
        let until = simulation.ends_at();
        let mut cable = VirtualCable::new(simulation);
        let mut tap = ReadingTap::new((model.protocol)());
        let mut clients = Clients::default();
        run::play(&mut cable, &mut tap, &mut Table::new(settings), until, &mut |now, moment| match moment {
            RunEvent::Input(HostInput::Bytes(_, ply)) => {
                if let Some(edge) = edges.get_mut(*ply as usize) {
                    *edge = now;
                }
            }
            RunEvent::Event(stamped) => {
                clients.event(now, &stamped.event);
                if stamped.event.is_durable() {
                    events.push(stamped.clone());
                }
            }
            RunEvent::Handled(table) => clients.see(now, table),
            _ => {}
        });
        Ok(SimulatedRun {
            script: cable.simulation().script().clone(),
            readings: tap.readings().to_vec(),
            edges,
            events,
            clients,
        })
    }
}
