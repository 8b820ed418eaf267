//! Players who have no opponent in a round.

use super::Player;
use crate::game::json::word;
use crate::game::words::words;
use serde::{Deserialize, Serialize};

/// A player without an opponent in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bye {
    /// The player.
    pub player: Player,
    /// The reason, which decides the points.
    #[serde(with = "word")]
    pub kind: ByeKind,
}

/// Why a player has no opponent (FIDE Handbook C.04, annex 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByeKind {
    /// The number of players is odd: one point.
    PairingAllocated,
    /// On request, one point.
    FullPoint,
    /// On request, half a point.
    HalfPoint,
    /// Absent: no points.
    ZeroPoint,
}

words! {
    ByeKind {
        PairingAllocated = "pairing_allocated", FullPoint = "full_point", HalfPoint = "half_point", ZeroPoint = "zero_point",
    }
}

impl ByeKind {
    /// Returns the points, doubled.
    pub(super) fn doubled_points(self) -> u32 {
        match self {
            ByeKind::PairingAllocated | ByeKind::FullPoint => 2,
            ByeKind::HalfPoint => 1,
            ByeKind::ZeroPoint => 0,
        }
    }
}
