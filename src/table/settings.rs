//! The settings of a table.

use super::lights::LightsMode;
use crate::boards::SensorKind;
use crate::game::event::Rotation;
use crate::game::json::{text, word, word_or_null};
use crate::game::words::words;
use crate::infer::model::Cost;
use crate::infer::{Beam, HandCosts, HandEvent, Patience};
use crate::laws::{BadFen, Laws, Position};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// When to publish a move that is still uncertain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Publish {
    /// When waiting costs more than publishing a wrong move: the best guess, which is corrected later if necessary.
    #[default]
    Prompt,
    /// When one line of play is clearly ahead of all others, or the move was completed.
    Sure,
}

words! { Publish { Prompt = "prompt", Sure = "sure" } }

/// Whom moves are published for. It decides what a wrong move costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishPurpose {
    /// Spectators: a wrong move is seen, and corrected.
    Broadcast,
    /// A server on which the game is played: a wrong move cannot be taken back.
    Play,
    /// An arbiter at the board, who sees what happens anyway.
    Arbiter,
}

words! { PublishPurpose { Broadcast = "broadcast", Play = "play", Arbiter = "arbiter" } }

impl PublishPurpose {
    /// Returns the cost of a wrong move, and of a second of delay.
    pub fn costs(self) -> (u32, u32) {
        match self {
            PublishPurpose::Broadcast => (100, 1),
            PublishPurpose::Play => (400, 1),
            PublishPurpose::Arbiter => (20, 1),
        }
    }
}

/// The settings that decide how readings become a game. Every recording contains them, so that a replay decides as the daemon did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What the squares can detect. May be less than the board can detect: the extra information is then discarded.
    #[serde(with = "word")]
    pub sensing: SensorKind,
    /// How long the board must be quiet before it is evaluated although no move explains it, in milliseconds, 20–5000.
    pub settle_ms: u32,
    /// The same while either clock is under `low_time_ms`.
    pub settle_low_ms: u32,
    /// Remaining time below which a player is short of time, in milliseconds.
    pub low_time_ms: u32,
    /// Without a clock, a move counts as completed when the board has not changed for this time, in milliseconds.
    pub dwell_ms: u32,
    /// How the board is oriented; `None`: found from the position.
    #[serde(with = "word_or_null")]
    pub rotation: Option<Rotation>,
    /// How the clock is oriented. Upright: its left half is White's when the board is upright. `None`: found from the first
    /// presses.
    #[serde(with = "word_or_null")]
    pub clock_side: Option<Rotation>,
    /// Accept Chess960 start positions.
    pub chess960: bool,
    /// The position that the game starts from, where it cannot be found on the board.
    pub start_fen: Option<String>,
    /// Kings in the centre give the result at once; otherwise the result waits for the arbiter.
    pub accept_kings_signal: bool,
    /// The Laws in force: edition, time class, supervision.
    #[serde(with = "text")]
    pub laws: Laws,
    /// Maximum number of lines of play that are followed, 8–4096.
    pub hypotheses: u16,
    /// What it costs to publish a wrong move, 1–1000000.
    pub wrong_move_cost: u32,
    /// What a second of delay costs in the same unit, 1–1000000.
    pub delay_cost: u32,
    /// Whether moves are published when waiting costs more, or when they are sure.
    #[serde(with = "word")]
    pub publish: Publish,
    /// What the board shows the players with its lights, if it has any.
    #[serde(with = "word")]
    pub lights: LightsMode,
    /// How often players, clocks and boards act in each way.
    #[serde(with = "hand_costs")]
    pub hands: HandCosts,
}

impl Default for Settings {
    fn default() -> Self {
        let (wrong_move_cost, delay_cost) = PublishPurpose::Broadcast.costs();
        Settings {
            sensing: SensorKind::Identity,
            settle_ms: 250,
            settle_low_ms: 120,
            low_time_ms: 120_000,
            dwell_ms: 5_000,
            rotation: None,
            clock_side: None,
            chess960: false,
            start_fen: None,
            accept_kings_signal: true,
            laws: Laws::default(),
            hypotheses: 64,
            wrong_move_cost,
            delay_cost,
            publish: Publish::Prompt,
            lights: LightsMode::Off,
            hands: HandCosts::default(),
        }
    }
}

impl Settings {
    /// Returns the position given by `start_fen`.
    ///
    /// # Errors
    /// If `start_fen` is not a valid FEN; a table then looks for the usual start positions.
    pub fn start(&self) -> Result<Option<Position>, BadFen> {
        self.start_fen.as_ref().map(|fen| Position::from_fen(fen, self.chess960)).transpose()
    }

    /// Returns how long moves wait: usually, and while a player is short of time, when a delay costs twice as much.
    pub(super) fn patience(&self) -> [Patience; 2] {
        [(self.settle_ms, 1), (self.settle_low_ms, 2)]
            .map(|(settle, hurry)| Patience::new(settle.into(), self.wrong_move_cost, self.delay_cost.saturating_mul(hurry)))
    }

    /// Returns the beam width for these settings.
    pub(super) fn beam(&self) -> Beam {
        Beam::Live(usize::from(self.hypotheses))
    }
}

/// The costs of habits as an object with a number for each kind of event; where one is missing, its default counts.
mod hand_costs {
    use super::*;

    pub(super) fn serialize<S: Serializer>(costs: &HandCosts, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(HandEvent::ALL.iter().map(|&event| (event.name(), costs.get(event))))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<HandCosts, D::Error> {
        let mut costs = HandCosts::default();
        for (name, cost) in BTreeMap::<String, Cost>::deserialize(from)? {
            let event = HandEvent::ALL.iter().find(|event| event.name() == name);
            let event = event.ok_or_else(|| D::Error::custom(format!("unknown field `{name}`")))?;
            costs.set(*event, cost);
        }
        Ok(costs)
    }
}
