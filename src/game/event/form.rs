//! The JSON forms of events that differ from their fields.

use crate::boards::LinkState;
use crate::game::facts::{Alternative, Confidence, CorrectionReason, PlayedMove, Sighting};
use crate::game::json::word;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shakmaty::ByColor;
use std::borrow::Cow;

/// A move with its fields in one object.
pub(super) mod move_made {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct MoveMade<'a> {
        ply: u32,
        uci: Cow<'a, str>,
        san: Cow<'a, str>,
        fen: Cow<'a, str>,
        confidence: Confidence,
        alternatives: Cow<'a, [Alternative]>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        irregular: bool,
        #[serde(default, skip_serializing_if = "is_empty")]
        evidence: Cow<'a, [Sighting]>,
    }

    pub(crate) fn serialize<S: Serializer>(
        ply: &u32,
        played: &PlayedMove,
        confidence: &Confidence,
        alternatives: &[Alternative],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let form = MoveMade {
            ply: *ply,
            uci: Cow::Borrowed(&played.uci),
            san: Cow::Borrowed(&played.san),
            fen: Cow::Borrowed(&played.fen),
            confidence: *confidence,
            alternatives: Cow::Borrowed(alternatives),
            irregular: played.irregular,
            evidence: Cow::Borrowed(&played.evidence),
        };
        form.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<(u32, PlayedMove, Confidence, Vec<Alternative>), D::Error> {
        let MoveMade { ply, uci, san, fen, confidence, alternatives, irregular, evidence } = MoveMade::deserialize(from)?;
        let (uci, san, fen) = (uci.into_owned(), san.into_owned(), fen.into_owned());
        let played = PlayedMove { uci, san, fen, irregular, evidence: evidence.into_owned() };
        Ok((ply, played, confidence, alternatives.into_owned()))
    }
}

/// The moves of a correction: a list for each of their fields, and the irregular ones by ply.
pub(super) mod moves_corrected {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct MovesCorrected<'a> {
        from_ply: u32,
        moves: Vec<Cow<'a, str>>,
        #[serde(with = "word")]
        reason: CorrectionReason,
        sans: Vec<Cow<'a, str>>,
        fens: Vec<Cow<'a, str>>,
        #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
        irregular: Vec<IrregularMove<'a>>,
    }

    #[derive(Serialize, Deserialize)]
    struct IrregularMove<'a> {
        ply: u32,
        #[serde(default)]
        evidence: Cow<'a, [Sighting]>,
    }

    pub(crate) fn serialize<S: Serializer>(
        from_ply: &u32,
        moves: &[PlayedMove],
        reason: &CorrectionReason,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let irregular = (*from_ply..).zip(moves).filter(|(_, played)| played.irregular);
        let form = MovesCorrected {
            from_ply: *from_ply,
            moves: moves.iter().map(|played| Cow::Borrowed(played.uci.as_str())).collect(),
            reason: *reason,
            sans: moves.iter().map(|played| Cow::Borrowed(played.san.as_str())).collect(),
            fens: moves.iter().map(|played| Cow::Borrowed(played.fen.as_str())).collect(),
            irregular: irregular
                .map(|(ply, played)| IrregularMove { ply, evidence: Cow::Borrowed(&played.evidence) })
                .collect(),
        };
        form.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<(u32, Vec<PlayedMove>, CorrectionReason), D::Error> {
        let MovesCorrected { from_ply, moves, reason, sans, fens, irregular } = MovesCorrected::deserialize(from)?;
        if moves.len() != sans.len() || moves.len() != fens.len() {
            return Err(de::Error::custom(format!(
                "`moves`, `sans` and `fens` have {}, {} and {} elements, and should have equally many",
                moves.len(),
                sans.len(),
                fens.len()
            )));
        }
        let regular = |((uci, san), fen): ((Cow<'_, str>, Cow<'_, str>), Cow<'_, str>)| PlayedMove {
            uci: uci.into_owned(),
            san: san.into_owned(),
            fen: fen.into_owned(),
            irregular: false,
            evidence: Vec::new(),
        };
        let mut moves: Vec<PlayedMove> = moves.into_iter().zip(sans).zip(fens).map(regular).collect();
        for IrregularMove { ply, evidence } in irregular {
            let played = ply.checked_sub(from_ply).and_then(|index| moves.get_mut(index as usize));
            let missing = || de::Error::custom(format!("`irregular` has ply {ply}, but `moves` does not"));
            let played = played.ok_or_else(missing)?;
            (played.irregular, played.evidence) = (true, evidence.into_owned());
        }
        Ok((from_ply, moves, reason))
    }
}

/// The state of the link, as field `state`.
pub(super) mod link {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Link {
        #[serde(with = "word")]
        state: LinkState,
    }

    pub(crate) fn serialize<S: Serializer>(state: &LinkState, to: S) -> Result<S::Ok, S::Error> {
        Link { state: *state }.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<LinkState, D::Error> {
        Link::deserialize(from).map(|link| link.state)
    }
}

/// The flags of both players, as two fields. Older journals lack them.
pub(super) mod flags {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Flags {
        #[serde(default)]
        flag_white: bool,
        #[serde(default)]
        flag_black: bool,
    }

    pub(crate) fn serialize<S: Serializer>(flags: &ByColor<bool>, to: S) -> Result<S::Ok, S::Error> {
        Flags { flag_white: flags.white, flag_black: flags.black }.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ByColor<bool>, D::Error> {
        Flags::deserialize(from).map(|flags| ByColor { white: flags.flag_white, black: flags.flag_black })
    }
}

fn is_empty(evidence: &[Sighting]) -> bool {
    evidence.is_empty()
}
