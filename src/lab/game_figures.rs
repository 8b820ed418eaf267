//! The figures of one game: compares what was published with the ground truth.

use crate::boards::Millis;
use crate::game::event::{AlertCategory, AlertKind};
use crate::game::{Alert, CorrectionReason, Event, PlayedMove, Record, StampedEvent};
use crate::lab::calibration::CalibrationCounts;
use crate::lab::detection::{self, ALERT_GRACE, InjectionResult, RaisedAlerts};
use crate::locale::{self, Locale};
use crate::simulate::irregularity::{Irregularity, IrregularityKind};
use crate::simulate::truth::{GroundTruth, InterruptionReason, TruthPly};
use crate::table::Settings;
use crate::wire::Word;

/// Moves in which the hand stopped on a legal square for longer than this count separately, in milliseconds: usually, and while a
/// player is short of time.
const LONG_STOP: [u32; 2] = [250, 120];

/// The figures of one game.
#[derive(Clone, Debug, Default)]
pub struct GameFigures {
    /// Plies played.
    pub plies: u64,
    /// Plies that were right before the first difference.
    pub prefix: u64,
    /// Plies that are right when the two lists are aligned.
    pub aligned: u64,
    /// The final record equals the ground truth, ply for ply.
    pub exact: bool,
    /// Whether the result signalled on the board was understood; `None` if there was none.
    pub result_right: Option<bool>,
    /// Published moves that were corrected later, by evidence or as a takeback that did not happen.
    pub retracted: u64,
    /// The same, for moves in which the hand stopped on a legal square for more than 250 ms, or 120 ms while a
    /// player is short of time.
    pub retracted_stops: u64,
    /// Published moves that were half of a result signal.
    pub king_signals: u64,
    /// False alerts, and moves falsely published as illegal: outside irregularities, cable interruptions and analysis.
    pub alerts: u64,
    /// False alerts about touches.
    pub notices: u64,
    /// Irregularities, and whether an alert of any kind, or a move published as illegal, appeared during or soon after each.
    pub irregularities: Vec<(IrregularityKind, bool)>,
    /// The same, each with how the arbiter was notified of it.
    pub trials: Vec<InjectionResult>,
    /// Alerts that count as right or wrong, and whether they belong to an irregularity.
    pub raised: Vec<(&'static str, bool)>,
    /// Moves published while the game was stopped or analysed.
    pub ghosts: u64,
    /// Takebacks made, and how many of them were understood as such.
    pub takebacks: (u64, u64),
    /// Delays from the last edge of a move to its publication, in milliseconds.
    pub delays: Vec<u64>,
    /// The same, for moves in which the hand stopped for that long.
    pub delays_stops: Vec<u64>,
    /// Published moves by confidence, and how many of them were right.
    pub calibration: CalibrationCounts,
    /// Moves published with a confidence below 0.9, and how often the move or one of its alternatives was right.
    pub doubtful: (u64, u64),
    /// The first failure, as a sentence.
    pub failure: Option<String>,
}

/// Compares the events of a run with the ground truth. `edges` holds, for each ply from 1, when its last byte arrived.
pub fn compare(truth: &GroundTruth, events: &[StampedEvent], edges: &[Millis], settings: &Settings) -> GameFigures {
    let Some(events) = game_of(events) else {
        return GameFigures {
            plies: truth.plies.len() as u64,
            failure: Some("no game was detected".to_owned()),
            ..GameFigures::default()
        };
    };
    let mut figures = GameFigures { plies: truth.plies.len() as u64, ..GameFigures::default() };
    let published = evaluate_events(truth, events, settings, &mut figures);
    let uci_moves: Vec<&str> = published.iter().map(|ply| ply.0.as_str()).collect();
    figures.align(truth, &uci_moves);
    for (index, ((uci, at), ply)) in published.iter().zip(&truth.plies).enumerate() {
        let seen = |edge: &&Millis| **edge > 0 && truth.interruption(ply.done_at) != Some(InterruptionReason::CableOut);
        if let Some(&edge) = edges.get(index + 1).filter(|_| *uci == ply.uci).filter(seen) {
            let delays = if long_stop(ply, settings) { &mut figures.delays_stops } else { &mut figures.delays };
            delays.push(at.saturating_sub(edge));
        }
    }
    let record = events.first().and_then(Record::begin).map(|mut record| {
        events.iter().skip(1).for_each(|event| record.apply(event));
        record
    });
    let result = record.and_then(|record| record.result).map(|(result, _)| result);
    figures.result_right = truth.result.map(|signalled| result == Some(signalled));
    if !figures.exact {
        figures.failure = Some(first_difference(truth, &published));
    }
    figures
}

/// Compares a final line of moves, in UCI, with the ground truth. There are no figures on intermediate events.
pub fn compare_line(truth: &GroundTruth, line: &[String]) -> GameFigures {
    let mut figures = GameFigures { plies: truth.plies.len() as u64, ..GameFigures::default() };
    let uci_moves: Vec<&str> = line.iter().map(String::as_str).collect();
    figures.align(truth, &uci_moves);
    if !figures.exact {
        let line: Vec<(String, Millis)> = line.iter().map(|uci| (uci.clone(), truth.over_at)).collect();
        figures.failure = Some(first_difference(truth, &line));
    }
    figures
}

/// Returns the events of the game that was played: those from the first start that is followed by moves to the next start.
fn game_of(events: &[StampedEvent]) -> Option<&[StampedEvent]> {
    let starts: Vec<usize> =
        (0..events.len()).filter(|&index| matches!(events[index].event, Event::GameStarted { .. })).collect();
    let mut games = starts.iter().enumerate().map(|(nth, &start)| {
        let end = starts.get(nth + 1).copied().unwrap_or(events.len());
        &events[start..end]
    });
    let played = |game: &&[StampedEvent]| game.iter().any(|stamped| matches!(stamped.event, Event::MoveMade { .. }));
    games.clone().find(played).or_else(|| games.next_back())
}

impl GameFigures {
    /// Compares the published moves with the played ones.
    fn align(&mut self, truth: &GroundTruth, published: &[&str]) {
        let played: Vec<&str> = truth.plies.iter().map(|ply| ply.uci.as_str()).collect();
        self.prefix = published.iter().zip(&played).take_while(|(published, truth)| published == truth).count() as u64;
        self.aligned = longest_common(published, &played);
        self.exact = published == played;
    }

    /// Counts a move that was published as illegal: as a detection if there is an irregularity, else as a false alert.
    fn count_irregular_move(&mut self, truth: &GroundTruth, at: Millis, played: &PlayedMove, reported: &mut [bool]) {
        if let Some(index) = irregularity_at(truth, at) {
            if let Some(reported) = reported.get_mut(index) {
                *reported = true;
            }
            return;
        }
        if is_excused(truth, at) {
            return;
        }
        self.alerts += 1;
        self.failure.get_or_insert_with(|| format!("move falsely published as illegal at {at} ms: {}", played.san));
    }
}

/// Counts corrections and alerts in the published events. Returns the final moves, each with the time since which it has been on
/// record.
fn evaluate_events(
    truth: &GroundTruth,
    events: &[StampedEvent],
    settings: &Settings,
    figures: &mut GameFigures,
) -> Vec<(String, Millis)> {
    let mut published: Vec<(String, Millis)> = Vec::new();
    let mut reported = vec![false; truth.irregularities.len()];
    let mut understood = vec![false; truth.takebacks.len()];
    let mut raised = RaisedAlerts::default();
    for stamped in events.iter().filter(|stamped| !raised.is_amended(&stamped.event)) {
        match &stamped.event {
            Event::MoveMade { ply, played, confidence, alternatives } => {
                let index = (*ply as usize).saturating_sub(1);
                let was_played = |uci: &str| truth.ply(*ply, uci, stamped.at).is_some_and(|ply| ply.uci == uci);
                let right = was_played(&played.uci);
                figures.ghosts += u64::from(matches!(
                    truth.interruption(stamped.at),
                    Some(InterruptionReason::Analysis | InterruptionReason::Pause)
                ));
                figures.calibration.add(confidence.0, right);
                if confidence.0 < 900 {
                    let named = right || alternatives.iter().any(|other| was_played(&other.uci));
                    figures.doubtful.0 += 1;
                    figures.doubtful.1 += u64::from(named);
                }
                if played.irregular {
                    figures.count_irregular_move(truth, stamped.at, played, &mut reported);
                }
                published.truncate(index);
                published.push((played.uci.clone(), stamped.at));
            }
            Event::MovesCorrected { from_ply, moves, reason } => {
                let first = (*from_ply as usize).saturating_sub(1);
                let old = published.split_off(first.min(published.len()));
                if *reason == CorrectionReason::Takeback {
                    for (takeback, understood) in truth.takebacks.iter().zip(&mut understood) {
                        *understood |= takeback.from_ply == *from_ply && takeback.at <= stamped.at;
                    }
                }
                for (offset, (uci, _)) in old.iter().enumerate() {
                    if moves.get(offset).is_some_and(|new| new.uci == *uci) {
                        continue;
                    }
                    let number = (first + offset) as u32 + 1;
                    if truth.is_taken_back(number, uci, stamped.at) {
                        continue;
                    }
                    let stop = truth.ply(number, uci, stamped.at).is_some_and(|ply| long_stop(ply, settings));
                    match reason {
                        CorrectionReason::KingSignal => figures.king_signals += 1,
                        _ if stop => figures.retracted_stops += 1,
                        _ => figures.retracted += 1,
                    }
                }
                for (offset, new) in moves.iter().enumerate() {
                    if new.irregular && old.get(offset).is_none_or(|old| old.0 != new.uci) {
                        figures.count_irregular_move(truth, stamped.at, new, &mut reported);
                    }
                    let since = old.get(offset).filter(|old| old.0 == new.uci).map_or(stamped.at, |old| old.1);
                    published.push((new.uci.clone(), since));
                }
            }
            // Alerts that follow from the moves, or from the devices, are as right as these are.
            Event::AlertRaised(alert)
                if alert.kind == AlertKind::ResultWanted
                    || !matches!(alert.kind.category(), AlertCategory::End | AlertCategory::Device) =>
            {
                let right = irregularity_at(truth, stamped.at);
                if right.is_none() && is_right_about_record(stamped.at, alert, &published, truth) {
                    figures.raised.push((alert.kind.word(), true));
                    continue;
                }
                match right.and_then(|index| reported.get_mut(index)) {
                    Some(reported) => *reported = true,
                    None if is_excused(truth, stamped.at) => continue,
                    None => {
                        match alert.kind.category() {
                            AlertCategory::Touch => figures.notices += 1,
                            _ => figures.alerts += 1,
                        }
                        figures.failure.get_or_insert_with(|| false_alert(stamped.at, alert));
                    }
                }
                figures.raised.push((alert.kind.word(), right.is_some()));
            }
            _ => {}
        }
    }
    figures.irregularities = truth.irregularities.iter().map(|irregularity| irregularity.kind).zip(reported).collect();
    figures.trials = detection::trials(&truth.irregularities, events, settings.sensing);
    figures.takebacks = (understood.len() as u64, understood.iter().filter(|&&understood| understood).count() as u64);
    published
}

/// Whether this alert rightly says that the record is wrong: it proposes what was played, or a move from its ply on was not played,
/// or moves are missing on record when it says that the board shows another position.
fn is_right_about_record(at: Millis, alert: &Alert, published: &[(String, Millis)], truth: &GroundTruth) -> bool {
    let before = alert.ply.saturating_sub(1) as usize;
    let (recorded, played) = (published.iter().map(|(uci, _)| uci), truth.plies.iter().map(|ply| &ply.uci));
    let is_behind = truth.plies.get(published.len()).is_some_and(|ply| ply.done_at <= at);
    let is_wrong = || recorded.clone().zip(played.clone()).skip(before).any(|(recorded, played)| recorded != played);
    match alert.kind {
        AlertKind::CorrectionProposed => recorded.clone().take(before).chain(&alert.proposed).eq(played.clone()),
        AlertKind::MovesUncertain => is_wrong(),
        AlertKind::PositionUnexplained => is_behind || is_wrong(),
        _ => false,
    }
}

fn false_alert(at: Millis, alert: &Alert) -> String {
    format!("false alert at {at} ms: {}", locale::sentence(Locale::English, &alert.text))
}

/// Returns the irregularity that an alert at this time is about: the last one that had begun.
fn irregularity_at(truth: &GroundTruth, now: Millis) -> Option<usize> {
    let about = |irregularity: &Irregularity| {
        irregularity.at <= now && irregularity.until.is_none_or(|until| now <= until + ALERT_GRACE)
    };
    truth.irregularities.iter().rposition(about)
}

/// Returns whether an alert at this time is excused although nothing irregular was done: the game was analysed, or the cable was
/// out.
fn is_excused(truth: &GroundTruth, now: Millis) -> bool {
    truth.interruptions.iter().any(|interruption| match interruption.reason {
        InterruptionReason::Analysis => (interruption.from..=interruption.until + ALERT_GRACE).contains(&now),
        InterruptionReason::CableOut => (interruption.from..=interruption.until + ALERT_GRACE).contains(&now),
        InterruptionReason::Pause => false,
    })
}

/// Returns whether the hand stopped for longer than [`LONG_STOP`].
fn long_stop(ply: &TruthPly, settings: &Settings) -> bool {
    let low = ply.lowest_clock_ms.is_some_and(|ms| ms < settings.low_time_ms);
    ply.stop_ms > LONG_STOP[usize::from(low)]
}

fn first_difference(truth: &GroundTruth, published: &[(String, Millis)]) -> String {
    let same = published.iter().zip(&truth.plies).take_while(|(published, truth)| published.0 == truth.uci).count();
    let played = match truth.plies.get(same) {
        Some(ply) => format!("{} was played (at {}–{} ms)", ply.uci, ply.touched_at, ply.done_at),
        None => format!("the game was over (at {} ms)", truth.over_at),
    };
    let published_move = match published.get(same) {
        Some((uci, at)) => format!("{uci} was published (at {at} ms)"),
        None => "nothing was published".to_owned(),
    };
    format!("ply {}: {played}, {published_move}", same + 1)
}

/// Returns the length of the longest common subsequence.
fn longest_common(first: &[&str], second: &[&str]) -> u64 {
    let mut row = vec![0u64; second.len() + 1];
    for one in first {
        let mut diagonal = 0;
        for (index, other) in second.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if one == other { diagonal + 1 } else { above.max(row[index]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or(0)
}
