//! The figures of `score --inject`: injected irregularities, and how the arbiter was notified of each.

use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::event::AlertKind;
use crate::game::text::{Arg, Text};
use crate::game::{Alert, Event, PlayedMove, StampedEvent};
use crate::lab::statistics::{Delay, share};
use crate::laws::Position;
use crate::simulate::irregularity::{Irregularity, IrregularityKind};
use serde::Serialize;
use shakmaty::Square;
use std::collections::{BTreeMap, BTreeSet};

/// Time after the correction of an irregularity, or after the cable was plugged in again, in which an alert still counts as about
/// it, in milliseconds.
pub const ALERT_GRACE: Millis = 10_000;

/// An irregularity that was injected, with its detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectionResult {
    /// The kind.
    pub kind: IrregularityKind,
    /// The sort of an illegal move, and the reason why it was illegal: [`crate::laws::reason::IllegalReason::key`].
    pub illegal: Option<(&'static str, &'static str)>,
    /// Its detection.
    pub told: Detection,
    /// Number of other alerts, of any kind, during the irregularity or soon after.
    pub others: u64,
}

/// How the arbiter was notified of an irregularity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// Not at all, and no board with this sensing can: the squares look like a legal move, or do not show where a piece was
    /// captured.
    Undetectable,
    /// Not at all, as expected: the moves on record instead are legal and show the same squares.
    AsLegal,
    /// Not at all, or of something else.
    Nothing,
    /// By the right kind of alert about the right squares, with another reason.
    OtherReason,
    /// By the right kind of alert about the right squares, and with the right reason if one exists. Holds the delay in milliseconds
    /// since the press of the clock, or since the beginning if there was no press.
    Right(Millis),
}

/// The alerts raised so far in the current game.
#[derive(Default)]
pub struct RaisedAlerts(BTreeSet<u32>);

impl RaisedAlerts {
    /// Handles the next event. Returns whether it raises an alert again that was raised before: such an alert is amended, and is
    /// the same alert.
    pub fn is_amended(&mut self, event: &Event) -> bool {
        match event {
            Event::GameStarted { .. } => self.0.clear(),
            Event::AlertRaised(alert) => return !self.0.insert(alert.id),
            _ => {}
        }
        false
    }
}

/// Returns every irregularity with its detection, from its beginning until a while after its correction.
pub fn trials(committed: &[Irregularity], events: &[StampedEvent], sensing: SensorKind) -> Vec<InjectionResult> {
    let mut raised = RaisedAlerts::default();
    let alerts =
        events.iter().filter(|stamped| !raised.is_amended(&stamped.event)).filter_map(|stamped| match &stamped.event {
            Event::AlertRaised(alert) => Some((stamped.at, &**alert)),
            _ => None,
        });
    let alerts: Vec<(Millis, &Alert)> = alerts.collect();
    let trial = |irregularity: &Irregularity| {
        let meanwhile = |(at, _): &(Millis, &Alert)| {
            *at >= irregularity.at && irregularity.until.is_none_or(|until| *at <= until + ALERT_GRACE)
        };
        let alerts = alerts.iter().copied().filter(meanwhile);
        let matches_alert = |alert: &Alert| is_about(irregularity, alert);
        let first = alerts.clone().find(|(_, alert)| matches_alert(alert));
        let reason = match irregularity.kind {
            IrregularityKind::PawnLeft => Some("pawn_left"),
            _ => irregularity.illegal.as_ref().map(|illegal| illegal.reason),
        };
        let detection = match first {
            _ if irregularity.illegal.as_ref().is_some_and(|illegal| sensing > illegal.needs) => Detection::Undetectable,
            None if is_published_as_legal(irregularity, events, sensing) => Detection::AsLegal,
            None => Detection::Nothing,
            Some((_, alert)) if reason.is_some() && reason_of(&alert.text) != reason => Detection::OtherReason,
            Some((at, _)) => Detection::Right(at.saturating_sub(irregularity.pressed_at.unwrap_or(irregularity.at))),
        };
        InjectionResult {
            kind: irregularity.kind,
            illegal: irregularity.illegal.as_ref().map(|illegal| (illegal.sort.name(), illegal.reason)),
            told: detection,
            others: alerts.filter(|(_, alert)| !matches_alert(alert)).count() as u64,
        }
    };
    committed.iter().map(trial).collect()
}

/// Returns whether, during the illegal move, moves were published after which the squares show the same and none of which is
/// illegal.
fn is_published_as_legal(irregularity: &Irregularity, events: &[StampedEvent], sensing: SensorKind) -> bool {
    let Some(illegal) = &irregularity.illegal else { return false };
    let shows = |played: &PlayedMove| {
        let Ok(position) = Position::from_fen(&played.fen, false) else { return false };
        let piece = |square| position.piece_at(square).map_or(SquareState::Empty, SquareState::Piece);
        let same = |square: Square| piece(square).reduce_to(sensing) == illegal.after[square as usize].reduce_to(sensing);
        !played.irregular && Square::ALL.into_iter().all(same)
    };
    let meanwhile =
        |stamped: &&StampedEvent| stamped.at >= irregularity.at && irregularity.until.is_none_or(|until| stamped.at <= until);
    events.iter().filter(meanwhile).any(|stamped| match &stamped.event {
        Event::MoveMade { played, .. } => shows(played),
        Event::MovesCorrected { moves, .. } => moves.last().is_some_and(shows),
        _ => false,
    })
}

/// Returns the kinds of alerts that report this irregularity.
fn expected_alerts(irregularity: &Irregularity) -> &'static [AlertKind] {
    use AlertKind::{
        CaptureUnclear, Displaced, DisplacedFound, HandledOffTurn, IllegalMove, IllegalPending, IllegalStands,
        PositionUnexplained, PressWithoutMove, ReleaseChanged, TouchMove,
    };
    match irregularity.kind {
        // Until the clock is pressed the move may still be corrected.
        IrregularityKind::IllegalMove if irregularity.pressed_at.is_none() => &[IllegalPending],
        IrregularityKind::IllegalMove | IrregularityKind::IllegalStands | IrregularityKind::PawnLeft => {
            &[IllegalMove, IllegalStands]
        }
        IrregularityKind::WrongSide => &[IllegalPending, IllegalMove, HandledOffTurn, Displaced, PositionUnexplained],
        // A piece of the player to move on another square may become that player's move.
        IrregularityKind::Displaced | IrregularityKind::Removed => {
            &[Displaced, DisplacedFound, CaptureUnclear, PositionUnexplained, IllegalPending]
        }
        IrregularityKind::RookFirst | IrregularityKind::TouchedOther => &[TouchMove, ReleaseChanged],
        IrregularityKind::PressWithoutMove => &[PressWithoutMove],
        // No board can distinguish one hand from two, so there is no alert.
        IrregularityKind::TwoHands => &[],
    }
}

/// Returns whether this alert reports the irregularity: by its kind, its player and its squares. An illegal move must be reported
/// with its squares and no others.
fn is_about(irregularity: &Irregularity, alert: &Alert) -> bool {
    let has = |square| alert.squares.contains(square);
    let squares = match irregularity.kind {
        IrregularityKind::IllegalMove | IrregularityKind::IllegalStands | IrregularityKind::PawnLeft => {
            irregularity.squares.iter().all(has) && alert.squares.len() == irregularity.squares.len()
        }
        IrregularityKind::RookFirst => irregularity.squares.iter().any(has),
        _ => irregularity.squares.iter().all(has),
    };
    let by = alert.by.is_none() || irregularity.by.is_none() || alert.by == irregularity.by;
    squares && by && expected_alerts(irregularity).contains(&alert.kind)
}

/// Returns the reason why the reported move is illegal.
fn reason_of(text: &Text) -> Option<&str> {
    let nested = text.args.iter().find_map(|(name, arg)| match arg {
        Arg::Text(reason) if name == "reason" => reason.key.strip_prefix("reason-"),
        _ => None,
    });
    nested.or(Some(text.key.as_str()))
}

/// The detections of irregularities of one sort, over many games.
#[derive(Clone, Debug, Serialize)]
pub struct DetectionFigures {
    /// Its name, see [`IrregularityKind::name`].
    pub kind: &'static str,
    /// For illegal moves: the sort, see [`crate::simulate::illegal::IllegalSort`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<&'static str>,
    /// For illegal moves: the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Number of irregularities that the squares can show.
    pub committed: u64,
    /// Number of irregularities that the squares cannot show; no other field counts them.
    pub beyond: u64,
    /// How many were published as legal moves that show the same squares: usually another, earlier capture.
    pub as_legal: u64,
    /// How many were found: the right kind of alert about the right squares, in time.
    pub found: u64,
    /// How many were found with the right reason as well.
    pub right: u64,
    /// Delay from the press to the alert, for those with the right reason.
    pub delay: Delay,
    /// Number of other alerts in the meantime, of any kind.
    pub others: u64,
}

impl DetectionFigures {
    /// Sums up: each kind as a whole, then its sorts and reasons.
    pub fn of<'a>(trials: impl Iterator<Item = &'a InjectionResult>) -> Vec<DetectionFigures> {
        type Name = (&'static str, Option<(&'static str, &'static str)>);
        let mut groups: BTreeMap<Name, Vec<&InjectionResult>> = BTreeMap::new();
        for trial in trials {
            groups.entry((trial.kind.name(), None)).or_default().push(trial);
            if trial.illegal.is_some() {
                groups.entry((trial.kind.name(), trial.illegal)).or_default().push(trial);
            }
        }
        let sum = |((kind, illegal), trials): (Name, Vec<&InjectionResult>)| {
            let count = |predicate: fn(Detection) -> bool| trials.iter().filter(|trial| predicate(trial.told)).count() as u64;
            let delays = trials.iter().filter_map(|trial| match trial.told {
                Detection::Right(ms) => Some(ms),
                _ => None,
            });
            DetectionFigures {
                kind,
                sort: illegal.map(|(sort, _)| sort),
                reason: illegal.map(|(_, reason)| reason),
                committed: count(|detection| detection != Detection::Undetectable),
                beyond: count(|detection| detection == Detection::Undetectable),
                as_legal: count(|detection| detection == Detection::AsLegal),
                found: count(|detection| matches!(detection, Detection::Right(_) | Detection::OtherReason)),
                right: count(|detection| matches!(detection, Detection::Right(_))),
                delay: Delay::of(delays.collect()),
                others: trials.iter().map(|trial| trial.others).sum(),
            }
        };
        groups.into_iter().map(sum).collect()
    }

    /// Returns the figures as a line of text.
    pub fn line(&self) -> String {
        let name = match (self.sort, self.reason) {
            (Some(sort), Some(reason)) => format!("  {sort}: {reason}"),
            _ => self.kind.to_owned(),
        };
        let DetectionFigures { committed, found, right, delay, .. } = self;
        let percent = share(*right, *committed, 100.0);
        let beyond =
            if self.beyond > 0 { format!("; {} more cannot be seen on the squares", self.beyond) } else { String::new() };
        let as_legal = if self.as_legal > 0 {
            format!(", {} published as legal moves that look the same", self.as_legal)
        } else {
            String::new()
        };
        format!(
            "{name}: {right} of {committed} right ({percent:.2} %), {found} found{as_legal}; median {} ms, p99 {} ms; {} other alerts{beyond}",
            delay.median_ms, delay.p99_ms, self.others
        )
    }
}
