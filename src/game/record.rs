//! One game as it was published.

mod commanded;

pub use commanded::{Change, ChangeOrigin, PriorState};

use crate::boards::Millis;
use crate::game::event::{Alert, ClockTimes, Rotation};
use crate::game::{
    AlertKind, CompletedBy, Confidence, CorrectionReason, Event, Fault, GameResult, PlayedMove, ResultReason, StampedEvent,
};
use crate::laws::{CountedAttempt, Irregularity, IrregularityCounts, Laws, LawsWord, Topic};
use shakmaty::{Color, Square};
use std::collections::BTreeMap;

/// The state of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyState {
    /// Made (Art. 4.7).
    Made,
    /// Completed (Art. 6.2.1).
    Completed {
        /// What completed it.
        by: CompletedBy,
        /// When it was published as completed.
        at: Millis,
    },
}

/// One ply of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub played: PlayedMove,
    /// When it was published as made.
    pub made_at: Millis,
    /// Its state.
    pub state: PlyState,
    /// How likely it was to be right when published.
    pub confidence: Confidence,
    /// Both clocks at completion.
    pub clocks: ClockTimes,
}

/// A position that the arbiter restored, until the next move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredPosition {
    /// The ply that is to be played now.
    pub ply: u32,
    /// The move that was removed from the record at this ply; `None`: there was none.
    pub instead_of: Option<PlayedMove>,
    /// The moves that are allowed now, in UCI, if an alert about that move listed them.
    pub allowed: Vec<String>,
}

/// A square that does not work properly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSquare {
    /// The square, in the game's coordinates.
    pub square: Square,
    /// The fault; never [`Fault::Mended`].
    pub fault: Fault,
    /// A sentence for the arbiter.
    pub detail: String,
}

/// A note of the arbiter about the clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockNote {
    /// When the note was made.
    pub at: Millis,
    /// The number of plies at that time.
    pub ply: u32,
    /// White's time, in milliseconds.
    pub white_ms: u32,
    /// Black's time, in milliseconds.
    pub black_ms: u32,
    /// The text of the note.
    pub note: String,
}

/// One game as it was published: the fold of its durable events, and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The start position.
    pub start_fen: String,
    /// Number of the Chess960 start position; 518 is the usual one; `None` for any other position.
    pub chess960: Option<u16>,
    /// Edition of the Laws.
    pub laws: String,
    /// PGN tags in addition to those of the event, as they were given: players, ratings, and so on.
    pub tags: Vec<(String, String)>,
    /// How the board is oriented.
    pub rotation: Rotation,
    /// When the game began.
    pub started_at: Millis,
    /// The moves.
    pub plies: Vec<Ply>,
    /// The result, if there is one, and where it comes from.
    pub result: Option<(GameResult, ResultReason)>,
    /// How many times published moves were corrected.
    pub revision: u32,
    /// Alerts that are not cleared yet.
    pub alerts: Vec<Alert>,
    /// The irregularities of each player that count for the penalties of illegal moves (7.5.5).
    pub tally: IrregularityCounts,
    /// The number of alerts raised until now, cleared or not.
    pub alerts_raised: u32,
    /// The number of plies when each open alert was raised, by its id.
    pub alert_plies: BTreeMap<u32, u32>,
    /// The arbiter's notes about the clocks.
    pub notes: Vec<ClockNote>,
    /// The arbiter has paused the game.
    pub paused: bool,
    /// The plies of irregular moves that the arbiter let stand, ascending.
    pub let_stand_plies: Vec<u32>,
    /// What the arbiter's last commands changed, oldest first.
    pub changes: Vec<Change>,
    /// A restored position, until the next move.
    pub restored: Option<RestoredPosition>,
    /// Squares that do not work properly, in the order in which they were noticed.
    pub faults: Vec<BadSquare>,
    /// The number of the last durable event.
    pub last_number: u64,
}

impl Record {
    /// Returns the record after a game's first event; `None` if that is not a `GameStarted`.
    pub fn begin(first: &StampedEvent) -> Option<Record> {
        let Event::GameStarted { fen, chess960, laws, rotation } = &first.event else { return None };
        let record = Record::new(first.at, fen.clone(), *chess960, laws.clone(), *rotation);
        Some(Record { last_number: first.number.unwrap_or(1), ..record })
    }

    /// Creates the record of a game that begins now, with its first event numbered 1.
    pub fn new(started_at: Millis, start_fen: String, chess960: Option<u16>, laws: String, rotation: Rotation) -> Record {
        Record {
            start_fen,
            chess960,
            laws,
            tags: Vec::new(),
            rotation,
            started_at,
            plies: Vec::new(),
            result: None,
            revision: 0,
            alerts: Vec::new(),
            tally: IrregularityCounts::default(),
            alerts_raised: 0,
            alert_plies: BTreeMap::new(),
            notes: Vec::new(),
            paused: false,
            let_stand_plies: Vec::new(),
            changes: Vec::new(),
            restored: None,
            faults: Vec::new(),
            last_number: 1,
        }
    }

    /// Applies one more event. Transient events change nothing.
    pub fn apply(&mut self, stamped: &StampedEvent) {
        self.apply_from(ChangeOrigin::Table, stamped);
    }

    /// Applies one more event that the hub's desk has entered about a game of another machine. The desk undoes only its own commands,
    /// and the machine only the others.
    pub fn apply_entered(&mut self, stamped: &StampedEvent) {
        self.apply_from(ChangeOrigin::Desk, stamped);
    }

    fn apply_from(&mut self, origin: ChangeOrigin, stamped: &StampedEvent) {
        if let Some(number) = stamped.number {
            self.last_number = number;
        }
        match &stamped.event {
            Event::MoveMade { ply, played, confidence, .. } => {
                self.plies.truncate(*ply as usize - (*ply > 0) as usize);
                self.push(played.clone(), stamped.at, *confidence);
                self.restored = None;
                self.mark_followed_by_move();
            }
            Event::MoveCompleted { ply, by, clocks } => {
                if let Some(ply) = self.ply_mut(*ply) {
                    ply.state = PlyState::Completed { by: *by, at: stamped.at };
                    ply.clocks = *clocks;
                }
            }
            Event::MovesCorrected { from_ply, moves, reason } => {
                if *reason == CorrectionReason::Evidence {
                    self.uncount_corrected(*from_ply, moves);
                }
                self.update_let_stand(*from_ply, moves);
                self.plies.truncate(from_ply.saturating_sub(1) as usize);
                for played in moves {
                    self.push(played.clone(), stamped.at, Confidence::CERTAIN);
                }
                self.revision += 1;
                if *reason != CorrectionReason::Arbiter {
                    self.mark_followed_by_move();
                    self.restored.take_if(|_| !moves.is_empty());
                }
            }
            Event::ClockRevised { ply, clocks } => {
                if let Some(ply) = self.ply_mut(*ply) {
                    ply.clocks = *clocks;
                }
            }
            Event::AlertRaised(alert) if self.amend_alert(alert) => {}
            Event::AlertRaised(alert) => {
                if let (AlertKind::IllegalStands, Some(player)) = (alert.kind, alert.by) {
                    // The move is not penalised any more.
                    while let Some(pressed_at) = self.counted(player, alert.ply) {
                        self.tally.remove(player, pressed_at);
                    }
                }
                if let (Some(_), Some(player)) = (alert.count, alert.by) {
                    self.tally.add(player, stamped.at, alert.ply, alert.kind.irregularity());
                }
                self.alerts_raised += 1;
                self.alert_plies.insert(alert.id, self.plies.len() as u32);
                self.alerts.push(Alert::clone(alert));
            }
            Event::AlertCleared { id } => {
                self.alerts.retain(|alert| alert.id != *id);
                self.alert_plies.remove(id);
            }
            Event::BoardFault { square, fault, detail } => {
                self.faults.retain(|known| known.square != *square);
                if *fault != Fault::Mended {
                    self.faults.push(BadSquare { square: *square, fault: *fault, detail: detail.clone() });
                }
            }
            Event::Result { result, reason } => self.result = result.map(|result| (result, *reason)),
            Event::Commanded { command, by } => self.apply_command(origin, stamped.at, command, by),
            // The others change nothing.
            _ => {}
        }
    }

    /// Replaces the open alert with the same id, if there is one; then nothing is counted again. Returns whether there was one.
    fn amend_alert(&mut self, alert: &Alert) -> bool {
        let known = self.alerts.iter_mut().find(|known| known.id == alert.id);
        known.map(|known| known.clone_from(alert)).is_some()
    }

    /// Removes what was counted for moves from this ply on that later readings have shown never to have been played.
    fn uncount_corrected(&mut self, from_ply: u32, moves: &[PlayedMove]) {
        let first = from_ply.saturating_sub(1) as usize;
        let before = self.plies.get(first..).unwrap_or_default();
        let same = before.iter().zip(moves).take_while(|(old, new)| old.played.uci == new.uci).count();
        let first_changed = (first + same) as u32 + 1;
        for player in Color::ALL {
            let was_move = |counted: &&CountedAttempt| {
                counted.ply >= first_changed && counted.irregularities.contains(&Irregularity::IllegalMove)
            };
            let times: Vec<Millis> = self.tally.of(player).iter().filter(was_move).map(|counted| counted.pressed_at).collect();
            times.into_iter().for_each(|pressed_at| _ = self.tally.remove(player, pressed_at));
        }
    }

    /// Returns the current position, as FEN.
    pub fn fen(&self) -> &str {
        self.plies.last().map_or(&self.start_fen, |ply| &ply.played.fen)
    }

    /// Returns the position before this ply, as FEN, or the last one if the game is shorter.
    pub fn fen_before(&self, ply: u32) -> &str {
        let before = self.plies.iter().take(ply.saturating_sub(1) as usize).next_back();
        before.map_or(&self.start_fen, |ply| &ply.played.fen)
    }

    /// Returns what both clocks showed when this ply, or the last earlier ply with known times, was completed.
    pub fn clocks_at(&self, ply: u32) -> ClockTimes {
        let known = |ply: &&Ply| ply.clocks.white.is_some() || ply.clocks.black.is_some();
        self.plies.iter().take(ply as usize).rev().find(known).map_or(ClockTimes::default(), |ply| ply.clocks)
    }

    /// Returns a log message that says how the time class of the game's Laws differs from that of its time control; `None`: it
    /// does not, or this is unknown. `control` is the PGN tag TimeControl.
    pub fn unlike_time_control(&self, control: &str) -> Option<String> {
        let laws: Laws = self.laws.parse().ok()?;
        let other = laws.other_class(control)?;
        let articles: Vec<&str> = other.articles(Topic::TimeClass).collect();
        let cited = if articles.is_empty() { String::new() } else { format!(" ({})", articles.join(", ")) };
        let (class, laws_class) = (other.class.word(), laws.class.word());
        Some(format!(
            "its time control {control} is {class} by {}{cited}, but its Laws are those for {laws_class} games",
            laws.edition.name
        ))
    }

    /// Returns how many plies the record has more than when this open alert was raised; 0 if it is not open.
    pub fn plies_since(&self, alert: u32) -> u32 {
        self.alert_plies.get(&alert).map_or(0, |plies| (self.plies.len() as u32).saturating_sub(*plies))
    }

    /// Returns the ply with this number, from 1.
    pub fn ply(&self, number: u32) -> Option<&Ply> {
        self.plies.get((number as usize).checked_sub(1)?)
    }

    fn ply_mut(&mut self, number: u32) -> Option<&mut Ply> {
        self.plies.get_mut((number as usize).checked_sub(1)?)
    }

    fn push(&mut self, played: PlayedMove, made_at: Millis, confidence: Confidence) {
        self.plies.push(Ply { played, made_at, state: PlyState::Made, confidence, clocks: ClockTimes::default() });
    }
}
