//! One simulated game through our own table, and the same readings through whatever else was asked for.

use super::clients::{ClientFigures, Clients};
use crate::boards::{self, Millis, Reading, Sensing};
use crate::ctl::baselines::{self, Baseline, Told};
use crate::ctl::bound::{self, Bound};
use crate::ctl::figures::{GameFigures, compare, compare_line};
use crate::ctl::run::{self, Moment, Said, Staged, Tap};
use crate::ctl::simulate::{Setting, settings};
use crate::game::Stamped;
use crate::simulate::pgn::Game;
use crate::simulate::script::Script;
use crate::table::{Settings, Table};
use anyhow::Context;

/// What is to be made of a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// What is left of the readings; `None`: what the board gives.
    pub sensing: Option<Sensing>,
    /// What else is to decode it.
    pub against: &'a [Baseline],
    /// What any decoder could know.
    pub bound: bool,
    /// Our own model with the whole stream at hand.
    pub hindsight: bool,
}

/// What was made of a game.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// By us.
    pub ours: GameFigures,
    /// By each of [`Wanted::against`].
    pub against: Vec<GameFigures>,
    /// If it is wanted; `None` also where an illegal move stands.
    pub bound: Option<Bound>,
    /// If it is wanted.
    pub hindsight: Option<GameFigures>,
    /// A client of the LiveChess server that cannot take a move back and is told settled moves.
    pub first_seen: ClientFigures,
    /// The same, told every move as soon as it is on record.
    pub first_seen_prompt: ClientFigures,
}

/// Simulates one game, follows it, and compares.
///
/// # Errors
/// When there is no such board.
pub fn play_and_compare(game: &Game, seed: u64, setting: &Setting, sensing: Option<Sensing>) -> anyhow::Result<GameFigures> {
    Ok(play(game, seed, setting, &Wanted { sensing, ..Wanted::default() })?.ours)
}

/// The same with all that is wanted, from one and the same stream of bytes.
///
/// # Errors
/// When there is no such board.
pub fn play(game: &Game, seed: u64, setting: &Setting, wanted: &Wanted) -> anyhow::Result<Outcome> {
    let model = boards::model(&setting.board).context("there is no such board")?;
    let mut settings = settings(game);
    settings.sensing = wanted.sensing.unwrap_or(model.sensing);
    let heard = Heard::of(game, seed, setting, settings.clone())?;
    let truth = &heard.script.truth;
    let told =
        Told { start: &game.start, rotation: setting.rotation, sensing: settings.sensing, until: truth.over_at + LAST_NEWS };
    let baseline = |&baseline: &Baseline| {
        let events = baselines::decode(baseline, &heard.readings, &told);
        compare(truth, &events, &heard.edges, &settings)
    };
    let bound = || {
        let line = bound::line(&game.start, truth)?;
        let empty = bound::seen_empty(&game.start, &line, &heard.script, &heard.readings, setting.rotation);
        Some(bound::bound(&game.start, &line, &empty, &bound::begun(&heard.script), settings.sensing))
    };
    let hindsight = match wanted.hindsight {
        true => Some(hindsight(game, seed, setting, &settings)?),
        false => None,
    };
    let [first_seen, first_seen_prompt] = heard.clients.compare(truth, &heard.edges);
    Ok(Outcome {
        first_seen,
        first_seen_prompt,
        bound: if wanted.bound { bound() } else { None },
        hindsight,
        ours: compare(truth, &heard.events, &heard.edges, &settings),
        against: wanted.against.iter().map(baseline).collect(),
    })
}

/// Our model with the whole stream at hand: see [`Table::in_hindsight`].
///
/// What it published on the way is of no interest: the line that is likeliest when nothing more is played is compared with the
/// truth. As the bound does, it knows when the game is over: the pieces are left as they stand then.
fn hindsight(game: &Game, seed: u64, setting: &Setting, settings: &Settings) -> anyhow::Result<GameFigures> {
    let model = boards::model(&setting.board).context("there is no such board")?;
    let stage = setting.stage(game, seed)?.without_aftermath();
    let (truth, until) = (stage.truth().clone(), stage.ends_at());
    let mut table = Table::in_hindsight(settings.clone());
    run::play(&mut Staged::new(stage), &mut *(model.protocol)(), &mut table, until, &mut |_, _| {});
    Ok(compare_line(&truth, &table.likeliest()))
}

/// So long after the last press news of the game itself may come, and nothing else is done yet. Milliseconds.
const LAST_NEWS: Millis = 600;

/// What was heard of a game, and what we made of it.
struct Heard {
    script: Script,
    /// What the board said about its squares.
    readings: Vec<(Millis, Reading)>,
    /// For each ply from 1, when its last byte arrived.
    edges: Vec<Millis>,
    /// What we would have published, durable events only.
    events: Vec<Stamped>,
    clients: Clients,
}

impl Heard {
    fn of(game: &Game, seed: u64, setting: &Setting, settings: Settings) -> anyhow::Result<Heard> {
        let model = boards::model(&setting.board).context("there is no such board")?;
        let stage = setting.stage(game, seed)?;
        let mut events: Vec<Stamped> = Vec::new();
        let mut edges: Vec<Millis> = vec![0; game.plies.len() + 1];
        let until = stage.ends_at();
        let mut cable = Staged::new(stage);
        let mut tap = Tap::new((model.protocol)());
        let mut clients = Clients::default();
        run::play(&mut cable, &mut tap, &mut Table::new(settings), until, &mut |now, moment| match moment {
            Moment::Said(Said::Bytes(_, ply)) => {
                if let Some(edge) = edges.get_mut(*ply as usize) {
                    *edge = now;
                }
            }
            Moment::Event(stamped) => {
                clients.event(now, &stamped.event);
                if stamped.event.is_durable() {
                    events.push(stamped.clone());
                }
            }
            Moment::Taken(table) => clients.see(now, table),
            _ => {}
        });
        Ok(Heard { script: cable.stage().script().clone(), readings: tap.heard().to_vec(), edges, events, clients })
    }
}
