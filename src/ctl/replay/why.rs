//! `touchmovectl replay FILE.rec --why PLY`: explains which moves were possible at one ply, and what decided between them.

mod output;

use crate::boards::{LinkState, Millis, Placement, SquareState};
use crate::game::{Event, Record};
use crate::lab::run::{HostInput, RunEvent};
use crate::table::{CostParts, Hypothesis, HypothesisMove, Table};
use crate::wire;
use anyhow::bail;
use output::numbered;
use shakmaty::{Color, Square};

/// Minimum change of a share that is reported, in thousandths.
const MIN_SHARE_CHANGE: u16 = 50;
/// Lines with a smaller share are only counted, in thousandths.
const MIN_SHARE: u16 = 10;
/// Minimum share of a decided move, in thousandths.
const DECIDED_SHARE: u16 = 900;

/// The share of each move at the ply, by UCI, in thousandths and largest first; `None`: lines that have not reached the ply.
type Shares = Vec<(Option<String>, u16)>;

/// Watches a replay and keeps what concerns one ply of each game.
pub struct PlyExplanation {
    ply: u32,
    games: Vec<GameLog>,
    placement: Option<Placement>,
    /// The player whose clock ran last, and whether it was running.
    clock: Option<(Color, bool)>,
    /// Inputs since the table last handled one.
    happened: Vec<LoggedInput>,
    /// When the board last changed.
    last_edge: Millis,
}

/// The log of one game.
#[derive(Default)]
struct GameLog {
    entries: Vec<LogEntry>,
    /// The shares of the possible moves when they were last reported.
    reported_shares: Shares,
    /// The current shares.
    shares: Shares,
    /// The published move, with its number.
    published: Option<String>,
    /// The position before it, as FEN.
    before: String,
    /// The largest number of plies of the game.
    plies: usize,
}

/// The log of one moment.
struct LogEntry {
    at: Millis,
    happened: Vec<LoggedInput>,
    /// The change of the published move of this ply: its new and its old value.
    published: Option<(Option<String>, Option<String>)>,
    /// The lines that are possible now, with the share of each move, if these changed.
    possible: Option<(Vec<ExplainedLine>, Shares)>,
}

/// An input, or a pause.
enum LoggedInput {
    Begins,
    Edge { square: Square, before: SquareState, now: SquareState },
    Quiet(Millis),
    Press(Color),
    Order(String),
    Link(LinkState),
}

/// A hypothesis in words.
struct ExplainedLine {
    hypothesis: Hypothesis,
    /// Its move at the requested ply, with its number.
    mv: Option<String>,
    /// Its moves, with numbers.
    moves: String,
    split: Vec<CostParts>,
    reasons: Vec<String>,
}

impl PlyExplanation {
    /// Creates the explanation of this ply, from 1.
    pub fn new(ply: u32) -> PlyExplanation {
        PlyExplanation { ply, games: Vec::new(), placement: None, clock: None, happened: Vec::new(), last_edge: 0 }
    }

    /// Takes over the state of a recording that begins within a game.
    pub fn begin(&mut self, table: &Table) {
        self.placement = table.placement();
        if let Some(record) = table.record() {
            self.games.push(GameLog { published: self.published(record), plies: record.plies.len(), ..GameLog::default() });
        }
    }

    /// Handles a moment of the replay.
    pub fn watch(&mut self, at: Millis, moment: &RunEvent) {
        match moment {
            RunEvent::Input(HostInput::Link(state)) => self.happened.push(LoggedInput::Link(*state)),
            RunEvent::Input(HostInput::Order(order)) => {
                self.happened.push(LoggedInput::Order(format!("{}: {}", order.by, wire::command_to_value(&order.command))));
            }
            RunEvent::Event(stamped) => match &stamped.event {
                Event::GameStarted { .. } => {
                    self.games.push(GameLog::default());
                    // Setting up is no play, and the rotation of the board is known only now.
                    self.happened = vec![LoggedInput::Begins];
                    self.placement = None;
                }
                Event::Clock { turn, running, .. } => {
                    if let Some((before, ran)) = self.clock.replace((*turn, *running))
                        && before != *turn
                        && (ran || *running)
                    {
                        self.happened.push(LoggedInput::Press(before));
                    }
                }
                _ => {}
            },
            RunEvent::Handled(table) => self.update(at, table),
            RunEvent::Input(HostInput::Bytes(..)) | RunEvent::Sent(_) | RunEvent::Refused(_) => {}
        }
    }

    fn update(&mut self, at: Millis, table: &Table) {
        let placement = table.placement();
        if let (Some(before), Some(now)) = (&self.placement, &placement) {
            for (square, (&before, &now)) in Square::ALL.into_iter().zip(before.iter().zip(now)) {
                if before != now {
                    self.happened.push(LoggedInput::Edge { square, before, now });
                    self.last_edge = at;
                }
            }
        }
        self.placement = placement.or(self.placement);
        let mut happened = std::mem::take(&mut self.happened);
        let Some(record) = table.record() else { return };
        let published = self.published(record);
        let Some(log) = self.games.last_mut() else { return };
        log.plies = log.plies.max(record.plies.len());
        let changed = (log.published != published).then(|| (published.clone(), log.published.clone()));
        log.published = published;
        if let Some(fen) = self.ply.checked_sub(1).and_then(|ply| fen_after(record, ply)) {
            fen.clone_into(&mut log.before);
        }
        // Lines are never more than a few moves ahead of the record.
        let near = record.plies.len() + 8 > self.ply as usize;
        let alive = if near { table.hypotheses(self.ply) } else { Vec::new() };
        log.shares = shares(&alive, self.ply);
        let differs = near && differ(&log.reported_shares, &log.shares);
        if happened.is_empty() && (differs || changed.is_some()) {
            happened.push(LoggedInput::Quiet(at.saturating_sub(self.last_edge)));
        }
        if happened.is_empty() {
            return;
        }
        let possible = differs.then(|| {
            log.reported_shares.clone_from(&log.shares);
            let is_only = alive.len() == 1;
            // A cost that all lines share speaks neither for nor against any of them.
            let common = alive.iter().map(|line| line.extra_cost).min().unwrap_or(0);
            (alive.into_iter().map(|line| ExplainedLine::of(line, self.ply, is_only, common)).collect(), log.shares.clone())
        });
        log.entries.push(LogEntry { at, happened, published: changed, possible });
    }

    /// Returns the published move of this ply, with its number.
    fn published(&self, record: &Record) -> Option<String> {
        let ply = record.ply(self.ply)?;
        let fen = fen_after(record, self.ply.checked_sub(1)?)?;
        Some(numbered(fen, [ply.played.san.as_str()].into_iter()))
    }

    /// Returns the explanation as text or JSON Lines. `game` is the number of the game, from 1; `None`: the last one.
    ///
    /// # Errors
    /// If there is no such game, or it never reached the ply.
    pub fn render(&self, game: Option<usize>, json: bool, colours: bool) -> anyhow::Result<String> {
        let count = self.games.len();
        let number = game.unwrap_or(count);
        let Some(log) = number.checked_sub(1).and_then(|index| self.games.get(index)) else {
            match count {
                0 => bail!("no game was found: the start position was never on the board"),
                1 => bail!("there is no game {number} in this recording, only one: leave --game out"),
                _ => bail!("there is no game {number} in this recording: write --game 1 to {count}"),
            }
        };
        if log.plies < self.ply as usize {
            match log.plies {
                0 => bail!("game {number} did not reach ply {}: it has no moves", self.ply),
                plies => {
                    bail!("game {number} did not reach ply {}: its last ply is {plies}, write --why 1 to {plies}", self.ply)
                }
            }
        }
        let span = log.span();
        Ok(if json { log.objects(span, self.ply, number) } else { log.text(span, self.ply, number, colours) })
    }
}

/// Returns the position after this number of plies of the record.
fn fen_after(record: &Record, plies: u32) -> Option<&str> {
    match plies {
        0 => Some(&record.start_fen),
        _ => record.ply(plies).map(|ply| ply.played.fen.as_str()),
    }
}

/// Returns the share of each move at the ply, largest first; `None`: lines that have not reached it.
fn shares(alive: &[Hypothesis], ply: u32) -> Shares {
    let mut shares = Shares::new();
    for line in alive {
        let mv = at_ply(line, ply).map(|step| line.base.uci(step.mv));
        match shares.iter_mut().find(|(known, _)| *known == mv) {
            Some((_, share)) => *share += line.share.0,
            None => shares.push((mv, line.share.0)),
        }
    }
    shares.retain(|(_, share)| *share >= MIN_SHARE);
    shares.sort_by_key(|(_, share)| std::cmp::Reverse(*share));
    shares
}

fn differ(before: &[(Option<String>, u16)], now: &[(Option<String>, u16)]) -> bool {
    let share =
        |shares: &[(Option<String>, u16)], mv| shares.iter().find(|(other, _)| other == mv).map_or(0, |(_, share)| *share);
    before.iter().chain(now).any(|(mv, _)| share(before, mv).abs_diff(share(now, mv)) >= MIN_SHARE_CHANGE)
}

fn at_ply(hypothesis: &Hypothesis, ply: u32) -> Option<&HypothesisMove> {
    hypothesis.moves.get((ply as usize).checked_sub(hypothesis.first_ply)?)
}

/// The outcome for the ply.
enum Verdict<'a> {
    /// No other move was ever possible; it was seen at this moment.
    Alone { mv: String, at: &'a LogEntry },
    /// One move became, and remained, clearly the likeliest at this moment.
    Decided { mv: String, share: u16, at: &'a LogEntry },
    /// Several moves remain possible, with their shares.
    Open(Vec<(String, u16)>),
    /// There is no move at this ply any more.
    TakenBack,
}

impl GameLog {
    /// Returns the moments from the previous move to the last change.
    fn span(&self) -> &[LogEntry] {
        let changes = |entry: &LogEntry| entry.possible.is_some() || entry.published.is_some();
        let end = self.entries.iter().rposition(changes).map_or(0, |last| last + 1);
        let explained = self.entries.iter().rev().filter_map(|entry| entry.possible.as_ref());
        let lines = explained.flat_map(|(lines, _)| lines).find(|line| line.mv.is_some());
        let since = lines.map_or(0, |line| line.hypothesis.base_at);
        let begin = self.entries.iter().position(|entry| entry.at >= since).unwrap_or(0);
        self.entries.get(begin..end).unwrap_or_default()
    }

    /// Returns the move with this UCI as it was written in words.
    fn name(&self, uci: &str, ply: u32) -> String {
        let lines = self.entries.iter().filter_map(|entry| entry.possible.as_ref()).flat_map(|(lines, _)| lines);
        let mut named = lines.filter(|line| line.uci(ply).as_deref() == Some(uci));
        named.find_map(|line| line.mv.clone()).unwrap_or_else(|| uci.to_owned())
    }

    fn verdict<'a>(&self, span: &'a [LogEntry], ply: u32) -> Verdict<'a> {
        let Some((Some(winner), share)) = self.shares.first() else { return Verdict::TakenBack };
        let mv = self.name(winner, ply);
        let explained: Vec<(&LogEntry, &(Vec<ExplainedLine>, _))> =
            span.iter().filter_map(|entry| Some((entry, entry.possible.as_ref()?))).collect();
        let mut open: Vec<(String, u16)> =
            self.shares.iter().filter_map(|(uci, share)| Some((self.name(uci.as_ref()?, ply), *share))).collect();
        let last =
            explained.last().and_then(|(_, (lines, _))| lines.iter().find(|line| line.uci(ply).as_ref() == Some(winner)));
        if let Some((line, step)) = last.and_then(|line| Some((line, at_ply(&line.hypothesis, ply)?))) {
            let index = (ply as usize).saturating_sub(line.hypothesis.first_ply);
            let before = line
                .hypothesis
                .moves
                .iter()
                .take(index)
                .fold(line.hypothesis.base.clone(), |position, step| position.play(step.mv));
            for (rival, share) in &step.rivals {
                let san = before.san(*rival);
                open.push((numbered(&before.fen(), [san.as_str()].into_iter()), share.0));
            }
        }
        let rivals: u16 = open.iter().skip(1).map(|(_, share)| *share).sum();
        if *share < DECIDED_SHARE || rivals > 1000 - DECIDED_SHARE {
            return Verdict::Open(open);
        }
        let sure = |shares: &Shares| shares.iter().any(|(uci, share)| uci.as_ref() == Some(winner) && *share >= DECIDED_SHARE);
        let unsure = explained.iter().rposition(|(_, (_, shares))| !sure(shares)).map_or(0, |index| index + 1);
        let Some((at, _)) = explained.get(unsure) else { return Verdict::Open(open) };
        let others = |shares: &Shares| shares.iter().any(|(uci, _)| uci.as_ref().is_some_and(|uci| uci != winner));
        match explained.iter().any(|(_, (_, shares))| others(shares)) {
            true => Verdict::Decided { mv, share: *share, at },
            false => Verdict::Alone { mv, at },
        }
    }
}
