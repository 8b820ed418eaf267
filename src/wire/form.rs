//! The JSON forms themselves, as serde writes and reads them.

mod convert;

use crate::boards::{LinkState, Millis, SensorKind};
use crate::game::event::Rotation;
use crate::game::words::Word;
use crate::game::{AlertKind, CompletedBy, Confidence, CorrectionReason, Fault, GameResult, ResultReason};
use crate::laws::draws::ClaimKind;
use crate::laws::reason::MovedBefore;
use crate::laws::{Irregularity, Laws, Worded};
use crate::table::{LightsMode, Publish, Settings};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shakmaty::{Color, Role};

/// A JSON formatter that writes floating-point numbers with three decimals, so that the output is the same on every machine. Only
/// confidences, which are stored in thousandths, are such numbers.
pub(super) struct Thousandths;

impl serde_json::ser::Formatter for Thousandths {
    fn write_f64<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, value: f64) -> std::io::Result<()> {
        write!(writer, "{value:.3}")
    }
}

mod word {
    use super::*;
    pub fn serialize<T: Word, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.word())
    }
    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        T::from_word(&text).ok_or_else(|| {
            let known: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
            de::Error::custom(format!("`{text}` is not one of {}", known.join(", ")))
        })
    }
}

/// Like [`word`], for the words of the files under `config/data/laws`.
mod word_of_law {
    use super::*;
    pub fn serialize<T: Worded, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.word())
    }
    pub fn deserialize<'de, T: Worded, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        T::from_word(&text).ok_or_else(|| {
            let known: Vec<&str> = T::ALL.iter().map(|value| value.word()).collect();
            de::Error::custom(format!("`{text}` is not one of {}", known.join(", ")))
        })
    }
}

/// Serializes a value by its `Display` and `FromStr` implementations.
mod text {
    use super::*;
    pub fn serialize<T: std::fmt::Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }
    pub fn deserialize<'de, T: std::str::FromStr<Err: std::fmt::Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// Like [`word`], for an optional value; `None` is `null`.
mod word_or_null {
    use super::*;
    pub fn serialize<T: Word, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.map(Word::word).serialize(to)
    }
    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        #[derive(Deserialize)]
        #[serde(bound = "T: Word")]
        struct Wrapper<T: Word>(#[serde(with = "word")] T);
        Ok(Option::<Wrapper<T>>::deserialize(from)?.map(|wrapper| wrapper.0))
    }
}

/// Serializes a result; `*` means that there is none yet.
mod result_or_star {
    use super::*;
    pub fn serialize<S: Serializer>(value: &Option<GameResult>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.map_or("*", Word::word))
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<GameResult>, D::Error> {
        match String::deserialize(from)?.as_str() {
            "*" => Ok(None),
            text => GameResult::from_word(text)
                .map(Some)
                .ok_or_else(|| de::Error::custom(format!("`{text}` is not one of 1-0, 0-1, 1/2-1/2, *"))),
        }
    }
}

mod thousandths {
    use super::*;
    pub fn serialize<S: Serializer>(value: &Confidence, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(f64::from(value.0) / 1000.0)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Confidence, D::Error> {
        let value = f64::deserialize(from)?;
        if (0.0..=1.0).contains(&value) {
            Ok(Confidence((value * 1000.0).round() as u16))
        } else {
            Err(de::Error::custom(format!("a confidence is 0.000 to 1.000, not {value}")))
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireLine {
    pub t: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    #[serde(flatten)]
    pub event: WireEvent,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum WireEvent {
    GameStarted {
        fen: String,
        chess960: Option<u16>,
        laws: String,
        #[serde(with = "word")]
        rotation: Rotation,
    },
    MoveMade {
        ply: u32,
        uci: String,
        san: String,
        fen: String,
        #[serde(with = "thousandths")]
        confidence: Confidence,
        alternatives: Vec<WireAlternative>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        irregular: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<WireSighting>,
    },
    MoveCompleted {
        ply: u32,
        #[serde(with = "word")]
        by: CompletedBy,
        clock_white: Option<WireClock>,
        clock_black: Option<WireClock>,
    },
    MovesCorrected {
        from_ply: u32,
        moves: Vec<String>,
        #[serde(with = "word")]
        reason: CorrectionReason,
        sans: Vec<String>,
        fens: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        irregular: Vec<WireIrregular>,
    },
    ClockRevised {
        ply: u32,
        clock_white: Option<WireClock>,
        clock_black: Option<WireClock>,
    },
    AlertRaised {
        id: u32,
        #[serde(with = "word")]
        kind: AlertKind,
        #[serde(with = "word_or_null")]
        by: Option<Color>,
        articles: Vec<String>,
        ply: u32,
        squares: Vec<String>,
        text: WireText,
        position: String,
        #[serde(default)]
        clock_white: Option<WireClock>,
        #[serde(default)]
        clock_black: Option<WireClock>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        required: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allowed: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<WireSighting>,
    },
    AlertCleared {
        id: u32,
    },
    BoardFault {
        square: String,
        #[serde(with = "word")]
        fault: Fault,
        detail: String,
    },
    Result {
        #[serde(with = "result_or_star")]
        result: Option<GameResult>,
        #[serde(with = "word")]
        reason: ResultReason,
    },
    Command {
        command: WireCommand,
        by: String,
    },
    Touched {
        square: String,
        before: String,
        now: String,
    },
    Displaced {
        squares: Vec<WireDifference>,
    },
    Clock {
        clock_white: Option<WireClock>,
        clock_black: Option<WireClock>,
        #[serde(with = "word")]
        turn: Color,
        running: bool,
        // These three fields were added later, so older journals lack them.
        #[serde(default)]
        flag_white: bool,
        #[serde(default)]
        flag_black: bool,
        #[serde(default)]
        battery_low: bool,
    },
    Link {
        #[serde(with = "word")]
        state: LinkState,
    },
    Battery {
        percent: u8,
        charging: Option<bool>,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireAlternative {
    uci: String,
    #[serde(with = "thousandths")]
    confidence: Confidence,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireSighting {
    t: Millis,
    square: String,
    before: String,
    now: String,
}

/// An irregular move of a correction.
#[derive(Serialize, Deserialize)]
pub(super) struct WireIrregular {
    ply: u32,
    #[serde(default)]
    evidence: Vec<WireSighting>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireClock {
    ms: u32,
    resolution_ms: u32,
    age_ms: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireDifference {
    square: String,
    expected: String,
    seen: String,
}

/// A message to people: the key of a sentence, and its arguments.
#[derive(Serialize, Deserialize)]
pub(super) struct WireText {
    key: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    args: Vec<WireArg>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireArg {
    name: String,
    #[serde(flatten)]
    value: WireValue,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WireValue {
    Square(String),
    Role(String),
    #[serde(with = "word")]
    Player(Color),
    Man(String),
    Men(Vec<String>),
    #[serde(with = "word")]
    Moved(MovedBefore),
    Number(u32),
    Plain(String),
    Differences(Vec<WireDifference>),
    Text(Box<WireText>),
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum WireCommand {
    Result {
        #[serde(with = "result_or_star")]
        result: Option<GameResult>,
    },
    Position {
        fen: String,
    },
    TakeBack {
        plies: u32,
    },
    Promotion {
        #[serde(default)]
        ply: Option<u32>,
        #[serde(with = "word")]
        piece: Role,
    },
    Adjust {
        #[serde(with = "word")]
        player: Color,
    },
    Acknowledge {
        alert: u32,
    },
    Restore {
        ply: u32,
    },
    LetStand {
        alert: u32,
    },
    Replace {
        ply: u32,
        uci: String,
    },
    Insert {
        ply: u32,
        uci: String,
    },
    Undo {},
    Count {
        #[serde(with = "word")]
        player: Color,
        #[serde(with = "word_of_law")]
        what: Irregularity,
    },
    Strike {
        #[serde(with = "word")]
        player: Color,
        ply: u32,
    },
    ClockNote {
        white_ms: u32,
        black_ms: u32,
        #[serde(default)]
        note: String,
    },
    Pause {
        paused: bool,
    },
    Tags {
        /// Names and values.
        tags: Vec<(String, String)>,
    },
    Laws {
        #[serde(with = "text")]
        laws: Laws,
    },
    Claim {
        #[serde(with = "word")]
        player: Color,
        #[serde(with = "word")]
        claimed: ClaimKind,
        #[serde(default)]
        intended: Option<String>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WireSettings {
    #[serde(with = "word")]
    sensing: SensorKind,
    pub settle_ms: u32,
    pub settle_low_ms: u32,
    low_time_ms: u32,
    dwell_ms: u32,
    #[serde(with = "word_or_null")]
    rotation: Option<Rotation>,
    #[serde(with = "word_or_null")]
    clock_side: Option<Rotation>,
    chess960: bool,
    start_fen: Option<String>,
    accept_kings_signal: bool,
    #[serde(with = "text")]
    laws: Laws,
    pub hypotheses: u16,
    #[serde(with = "word")]
    publish: Publish,
    #[serde(with = "word")]
    lights: LightsMode,
}

impl Default for WireSettings {
    fn default() -> Self {
        WireSettings::from(&Settings::default())
    }
}
