//! Alerts to the arbiter, and to the operator where they are about devices or missing moves and results. Each kind is declared once,
//! with everything that depends on it.

use super::facts::{ClockTimes, Sighting, TouchEvidence, TouchSighting};
use super::json::{squares, texts, word, word_or_null};
use super::text::Text;
use super::words::words;
use crate::game::rights::{Audience, Right};
use crate::laws::{Irregularity, RulingAction};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Square};

/// The category of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertCategory {
    /// What a player did by moving or pressing.
    Play,
    /// What is on the board.
    Board,
    /// What the hands touched.
    Touch,
    /// The end of the game.
    End,
    /// Boards, clocks, cables.
    Device,
}

/// How urgent an alert is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Severity {
    /// The arbiter should look at it.
    Alert,
    /// What a sensor saw may mean nothing: the arbiter decides whether to look at it.
    Notice,
}

/// A ruling that the page offers with an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulingOffer {
    /// Restores the position before the ply concerned.
    Restore,
    /// Lets the irregular move stand.
    LetStand,
    /// Removes what was counted of the player.
    Strike,
    /// Counts an irregularity of the player.
    Count,
    /// Pauses the game, or resumes it.
    Pause,
    /// Replaces the move.
    Replace,
    /// Sets the piece of a promotion.
    Promotion,
    /// Sets the position.
    Position,
    /// Sets any result, the one that is signalled first.
    Results,
    /// Sets a draw.
    Draw,
    /// Sets the player's loss.
    Lost,
    /// Withdraws the result.
    Withdraw,
    /// Adopts the moves that the alert proposes.
    Adopt,
}

words! {
    AlertCategory { Play = "play", Board = "board", Touch = "touch", End = "end", Device = "device" }
    RulingOffer {
        Restore = "restore", LetStand = "let_stand", Strike = "strike", Count = "count", Pause = "pause", Replace = "replace",
        Promotion = "promotion", Position = "position", Results = "results", Draw = "draw", Lost = "lost", Withdraw = "withdraw",
        Adopt = "adopt",
    }
}

impl RulingOffer {
    /// Returns the right that the ruling needs.
    pub fn right(self) -> Right {
        match self {
            RulingOffer::Replace | RulingOffer::Promotion | RulingOffer::Adopt => Right::Correct,
            RulingOffer::Results | RulingOffer::Draw | RulingOffer::Lost | RulingOffer::Withdraw => Right::Desk,
            RulingOffer::Restore
            | RulingOffer::LetStand
            | RulingOffer::Strike
            | RulingOffer::Count
            | RulingOffer::Pause
            | RulingOffer::Position => Right::Rule,
        }
    }
}

/// Declares the kinds of alert. A row has its description, which is also in `docs/events.md`, its word in JSON and on D-Bus, its
/// category, its severity, who is told, the rulings that the page offers, the likeliest first, and the irregularity that is counted
/// if it is not [`Irregularity::IllegalMove`]. Operators are told of devices, of moves and results that are missing, and of nothing
/// that a player did (Art. 12.6).
macro_rules! alert_kinds {
    ($(
        $(#[doc = $about:literal])+
        $kind:ident = $word:literal, $category:ident $severity:ident $audience:ident [$($ruling:ident),*] $(counts $irregularity:ident)?;
    )+) => {
        /// The kinds of alert. The list is the same in JSON, on D-Bus and on the web page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AlertKind {
            $($(#[doc = $about])+ $kind,)+
        }

        words! { AlertKind { $($kind = $word),+ } }

        impl AlertKind {
            /// All kinds, in the order in which they are declared.
            pub const ALL: &'static [AlertKind] = &[$(AlertKind::$kind),+];

            fn row(self) -> &'static Row {
                match self {
                    $(AlertKind::$kind => &Row {
                        about: concat!($($about),+),
                        heading_key: concat!("kind-", $word),
                        category: AlertCategory::$category,
                        severity: Severity::$severity,
                        audience: Audience::$audience,
                        offers: &[$(RulingOffer::$ruling),*],
                        irregularity: counted!($($irregularity)?),
                    },)+
                }
            }
        }
    };
}

/// Returns the irregularity that a row names, or the usual one.
macro_rules! counted {
    () => {
        Irregularity::IllegalMove
    };
    ($irregularity:ident) => {
        Irregularity::$irregularity
    };
}

alert_kinds! {
    /// No line of play explains what has been on the board for a while; or moves are missing and play goes on; or the king was
    /// released as in castling and the rook has not moved.
    PositionUnexplained = "position_unexplained", Board Alert Operator [Restore, Position];
    /// The game began from something other than the start position (7.2.1).
    WrongStart = "wrong_start", Board Alert Arbiter [Position];
    /// The board is turned the wrong way (7.2.2).
    Orientation = "orientation", Board Alert Arbiter [Pause];
    /// The kings signal a result that waits for the arbiter, or that the board cannot show; or the position ends the game, and the
    /// result waits for a ruling on the move that led there.
    ResultSignalled = "result_signalled", End Alert Arbiter [Results];
    /// Moves were not seen one by one, were seen late and all at once, or were not shown by their squares, and other moves would
    /// explain the board as well; or moves are missing from the record. Its ply is the first of them.
    MovesUncertain = "moves_uncertain", Board Alert Operator [Replace];
    /// The game has a result, and all that its board has reported was decoded once more: other moves are clearly likelier than those
    /// on record. Nothing was changed. Its ply is the first of them.
    CorrectionProposed = "correction_proposed", Board Alert Operator [Adopt];
    /// The clock is stopped and moves are made as in analysis: play seems to be over, and there is no result.
    ResultWanted = "result_wanted", End Alert Operator [Results];
    /// The pieces were set up again, and the game before has no result.
    ResultMissing = "result_missing", End Alert Operator [Results];
    /// An illegal move is on the board, and the clock was not pressed on it: its player may still correct it.
    IllegalPending = "illegal_pending", Play Notice Arbiter [];
    /// An illegal move was completed by the clock (7.5.1, 7.5.2), or play continued after it.
    IllegalMove = "illegal_move", Play Alert Arbiter [Restore, LetStand, Strike];
    /// An illegal move remains in force by the Laws for this kind of game (A.5.2).
    IllegalStands = "illegal_stands", Play Alert Arbiter [Restore];
    /// Both kings are in check, or a pawn is on the last rank, and play goes on (A.5.4).
    IllegalPosition = "illegal_position", Play Alert Arbiter [Restore];
    /// The clock was pressed without a move (7.5.3).
    PressWithoutMove = "press_without_move", Play Alert Arbiter [Pause, Strike] counts PressWithoutMove;
    /// The clock was pressed with the piece still in the hand (6.2.4).
    PressBeforeRelease = "press_before_release", Play Alert Arbiter [Pause, Strike];
    /// Pieces were out of place when a player pressed the clock (7.4).
    Displaced = "displaced", Board Alert Arbiter [Pause];
    /// Pieces were found out of place moves later (7.6).
    DisplacedFound = "displaced_found", Board Alert Arbiter [Restore, Pause];
    /// A captured piece seems to be beside its square (4.7.1, 7.4).
    CaptureUnclear = "capture_unclear", Board Alert Arbiter [Replace, Restore];
    /// A move other than the touched pieces allow (4.3, 4.4).
    TouchMove = "touch_move", Touch Notice Arbiter [Restore, Count];
    /// An opponent's piece that can be captured was touched (4.3.2).
    TouchCapture = "touch_capture", Touch Notice Arbiter [Restore];
    /// A piece was moved to a neighbouring square and put back, and another one was moved (4.2, 4.3).
    PossibleTouch = "possible_touch", Touch Notice Arbiter [Restore];
    /// A move was changed after the piece was released (4.7).
    ReleaseChanged = "release_changed", Touch Notice Arbiter [Restore, Count];
    /// A piece other than the one that touched the square of promotion was used (4.4.4).
    PromotionChanged = "promotion_changed", Touch Notice Arbiter [Promotion, Restore];
    /// Pieces were handled in the opponent's time (4.2.1, 6.2.5).
    HandledOffTurn = "handled_off_turn", Touch Notice Arbiter [Pause];
    /// Neither player can mate any more (5.2.2).
    DeadPosition = "dead_position", End Alert Arbiter [Draw];
    /// The same position occurred for the fifth time (9.6.1).
    FiveFold = "five_fold", End Alert Arbiter [Draw];
    /// Seventy-five moves were made without a capture or a pawn move (9.6.2).
    SeventyFive = "seventy_five", End Alert Arbiter [Draw];
    /// The clock shows that a flag has fallen. This is the clock's report, not a ruling (6.8, 6.9).
    FlagFall = "flag_fall", End Notice Arbiter [Lost, Draw];
    /// The board is silent.
    BoardSilent = "board_silent", Device Alert Operator [];
    /// The link is lost.
    LinkLost = "link_lost", Device Alert Operator [];
    /// The clock is stopped.
    ClockStopped = "clock_stopped", Device Notice Operator [];
    /// The clock was set: its times jumped. The alert has both times before and after (6.10, 6.14).
    ClockSet = "clock_set", Device Notice Operator [];
    /// The clock is disconnected.
    ClockLost = "clock_lost", Device Alert Operator [];
    /// The clock's battery is low.
    ClockBattery = "clock_battery", Device Notice Operator [];
    /// The board's battery is low.
    BoardBattery = "board_battery", Device Notice Operator [];
    /// The game has a result on record, and play goes on.
    PlayedAfterEnd = "played_after_end", End Alert Arbiter [Withdraw];
}

/// What is declared of a kind of alert.
struct Row {
    about: &'static str,
    heading_key: &'static str,
    category: AlertCategory,
    severity: Severity,
    audience: Audience,
    offers: &'static [RulingOffer],
    irregularity: Irregularity,
}

impl AlertKind {
    /// Returns when an alert of this kind is raised, in one or more sentences.
    pub fn about(self) -> &'static str {
        self.row().about.trim_start()
    }

    /// Returns the key of its heading in the message files.
    pub fn heading_key(self) -> &'static str {
        self.row().heading_key
    }

    /// Returns the category.
    pub fn category(self) -> AlertCategory {
        self.row().category
    }

    /// Returns who is told, besides those who see more.
    pub fn audience(self) -> Audience {
        self.row().audience
    }

    /// Returns the irregularity that an alert of this kind counts, if it counts.
    pub fn irregularity(self) -> Irregularity {
        self.row().irregularity
    }

    /// Returns how urgent it is: 0 is the most urgent. What a player did comes first, notices last.
    pub fn urgency(self) -> u8 {
        match (self.is_notice(), self.category()) {
            (true, _) => 2,
            (false, AlertCategory::Play) => 0,
            (false, _) => 1,
        }
    }

    /// Whether the alert is only a notice. What a sensor saw may mean nothing: intent cannot be sensed (4.2.2), and the arbiter
    /// decides whether to look at it.
    pub fn is_notice(self) -> bool {
        self.row().severity == Severity::Notice
    }

    /// Returns the rulings that the page offers, the likeliest first. Every alert can also be acknowledged.
    pub fn offers(self) -> &'static [RulingOffer] {
        self.row().offers
    }
}

/// A report of something that the arbiter should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// Counts from 1 in each game.
    pub id: u32,
    /// The kind of alert.
    #[serde(with = "word")]
    pub kind: AlertKind,
    /// The player concerned, if known.
    #[serde(with = "word_or_null")]
    pub by: Option<Color>,
    /// The articles of the edition in force, the most important first; empty if none applies.
    pub articles: Vec<String>,
    /// The ply it concerns; 0 before the first move.
    pub ply: u32,
    /// The squares concerned.
    #[serde(with = "squares::list")]
    pub squares: Vec<Square>,
    /// The message.
    pub text: Text,
    /// The position to restore, as FEN: the last one that was certainly right.
    pub position: String,
    /// What both clocks showed when that position was completed.
    #[serde(flatten)]
    pub clocks: ClockTimes,
    /// What the Laws then require, in this order; empty if they leave it open.
    #[serde(with = "texts", default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<RulingAction>,
    /// The moves that the touched pieces allow in that position, in UCI; empty if that does not apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// Which of this player's counted irregularities in this game it is, from 1 (7.5.5); `None`: it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The observed changes, oldest first, at most [`PlayedMove::EVIDENCE`](super::PlayedMove::EVIDENCE).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Sighting>,
    /// What shows that pieces were touched; `None`: the alert is not about touched pieces.
    // Older journals lack it: there, all touches are lifts.
    #[serde(with = "word_or_null", default, skip_serializing_if = "Option::is_none")]
    pub evidence_kind: Option<TouchEvidence>,
    /// The hands that the board sensed in that turn, oldest first, at most [`PlayedMove::EVIDENCE`](super::PlayedMove::EVIDENCE).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<TouchSighting>,
    /// The legal move, in SAN, that the player completed instead, after they had taken the illegal move back themselves; `None`:
    /// they have not.
    // Older journals lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_right: Option<String>,
    /// The moves, in UCI, that are proposed in place of those on record from its ply on; empty if none are proposed.
    // Older journals lack it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<String>,
}

impl Alert {
    /// Returns who is told, besides those who see more. What names a player is about what that player did, and for the arbiter
    /// alone (Art. 12.6), unless it is about a device.
    pub fn audience(&self) -> Audience {
        match self.by {
            Some(_) if self.is_about_record() => Audience::Arbiter,
            _ => self.kind.audience(),
        }
    }

    /// Returns what shows that pieces were touched; `None` if it is not about touched pieces.
    pub fn touch_evidence(&self) -> Option<TouchEvidence> {
        let is_old = self.evidence_kind.is_none() && self.kind.category() == AlertCategory::Touch && !self.evidence.is_empty();
        self.evidence_kind.or(is_old.then_some(TouchEvidence::Lift))
    }

    /// Whether it is about what was played or touched, and applies as long as that is on record.
    pub fn is_about_moves(&self) -> bool {
        matches!(self.kind.category(), AlertCategory::Play | AlertCategory::Touch)
            && !matches!(self.kind, AlertKind::IllegalPending | AlertKind::IllegalPosition | AlertKind::PressWithoutMove)
    }

    /// Returns the alert about an illegal move once its player has taken that move back and completed this legal one instead, in
    /// SAN. The penalty remains.
    #[must_use]
    pub fn put_right_by(self, san: &str) -> Alert {
        let text = Text::new("put_right").with("alert", self.text).with("san", san.to_owned());
        let mut alert = Alert { text, put_right: Some(san.to_owned()), ..self };
        alert.required = alert.outstanding(alert.required.clone());
        alert
    }

    /// Returns those of these acts that the player has not done already.
    pub fn outstanding(&self, mut acts: Vec<RulingAction>) -> Vec<RulingAction> {
        let is_done = |act: &RulingAction| matches!(act, RulingAction::Restore | RulingAction::TouchBinds);
        acts.retain(|act| !(self.put_right.is_some() && is_done(act)));
        acts
    }

    /// Returns the rulings that the page offers. What the player has put right themselves is not restored again.
    pub fn offers(&self) -> impl Iterator<Item = RulingOffer> {
        let is_settled = |offer: &RulingOffer| matches!(offer, RulingOffer::Restore | RulingOffer::LetStand);
        let is_put_right = self.put_right.is_some();
        self.kind.offers().iter().copied().filter(move |offer| !(is_put_right && is_settled(offer)))
    }

    /// Whether it is about the game, and not about a device.
    pub fn is_about_record(&self) -> bool {
        self.kind.category() != AlertCategory::Device
    }
}
