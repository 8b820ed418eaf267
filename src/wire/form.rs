//! The JSON form of commands.

use crate::game::json::{result_or_star, text, word, word_of_law};
use crate::game::{Command, GameResult};
use crate::laws::draws::ClaimKind;
use crate::laws::{Irregularity, Laws};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shakmaty::{Color, Role};

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

impl From<&Command> for WireCommand {
    fn from(command: &Command) -> Self {
        match command {
            Command::Result(result) => WireCommand::Result { result: *result },
            Command::Position(fen) => WireCommand::Position { fen: fen.clone() },
            Command::TakeBack(plies) => WireCommand::TakeBack { plies: *plies },
            Command::Promotion { ply, role } => WireCommand::Promotion { ply: *ply, piece: *role },
            Command::Adjust(player) => WireCommand::Adjust { player: *player },
            Command::Acknowledge(alert) => WireCommand::Acknowledge { alert: *alert },
            Command::Restore { ply } => WireCommand::Restore { ply: *ply },
            Command::LetStand(alert) => WireCommand::LetStand { alert: *alert },
            Command::Replace { ply, uci } => WireCommand::Replace { ply: *ply, uci: uci.clone() },
            Command::Insert { ply, uci } => WireCommand::Insert { ply: *ply, uci: uci.clone() },
            Command::Undo => WireCommand::Undo {},
            Command::Count { player, what } => WireCommand::Count { player: *player, what: *what },
            Command::Strike { player, ply } => WireCommand::Strike { player: *player, ply: *ply },
            Command::ClockNote { white_ms, black_ms, note } => {
                WireCommand::ClockNote { white_ms: *white_ms, black_ms: *black_ms, note: note.clone() }
            }
            Command::Pause(paused) => WireCommand::Pause { paused: *paused },
            Command::Laws(laws) => WireCommand::Laws { laws: *laws },
            Command::Tags(tags) => WireCommand::Tags { tags: tags.clone() },
            Command::Claim { player, claimed, intended } => {
                WireCommand::Claim { player: *player, claimed: *claimed, intended: intended.clone() }
            }
        }
    }
}

impl From<WireCommand> for Command {
    fn from(wire: WireCommand) -> Self {
        match wire {
            WireCommand::Result { result } => Command::Result(result),
            WireCommand::Position { fen } => Command::Position(fen),
            WireCommand::TakeBack { plies } => Command::TakeBack(plies),
            WireCommand::Promotion { ply, piece } => Command::Promotion { ply, role: piece },
            WireCommand::Adjust { player } => Command::Adjust(player),
            WireCommand::Acknowledge { alert } => Command::Acknowledge(alert),
            WireCommand::Restore { ply } => Command::Restore { ply },
            WireCommand::LetStand { alert } => Command::LetStand(alert),
            WireCommand::Replace { ply, uci } => Command::Replace { ply, uci },
            WireCommand::Insert { ply, uci } => Command::Insert { ply, uci },
            WireCommand::Undo {} => Command::Undo,
            WireCommand::Count { player, what } => Command::Count { player, what },
            WireCommand::Strike { player, ply } => Command::Strike { player, ply },
            WireCommand::ClockNote { white_ms, black_ms, note } => Command::ClockNote { white_ms, black_ms, note },
            WireCommand::Pause { paused } => Command::Pause(paused),
            WireCommand::Laws { laws } => Command::Laws(laws),
            WireCommand::Tags { tags } => Command::Tags(tags),
            WireCommand::Claim { player, claimed, intended } => Command::Claim { player, claimed, intended },
        }
    }
}

impl Serialize for Command {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        WireCommand::from(self).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Command, D::Error> {
        WireCommand::deserialize(from).map(Command::from)
    }
}
