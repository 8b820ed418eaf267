//! Parses the arguments of D-Bus methods, without I/O. An error names what may be given instead.

use super::Error;
use crate::game::{Command, GameResult};
use crate::laws::draws::Claimed;
use crate::laws::{BadLaws, Irregularity, Worded};
use crate::publish::tags;
use crate::round::Round;
use crate::wire::Word;
use shakmaty::{Color, Role};
use std::collections::HashMap;

/// `white` or `black`.
pub fn player(text: &str) -> Result<Color, Error> {
    Color::from_word(text).ok_or_else(|| Error::BadPlayer(format!("\"{text}\" is no player: give white or black")))
}

/// Of `SetResult`.
pub fn result(text: &str) -> Result<Command, Error> {
    match (GameResult::parse(text), text) {
        (None, "*") => Ok(Command::Result(None)),
        (Some(result), _) => Ok(Command::Result(Some(result))),
        (None, other) => {
            Err(Error::BadResult(format!("\"{other}\" is not a result: give 1-0, 0-1, 1/2-1/2, or * to withdraw it")))
        }
    }
}

/// Of `SetPromotion`. `ply` 0: the last promotion on record.
pub fn promotion(ply: u32, piece: &str) -> Result<Command, Error> {
    let role = Role::from_word(piece).ok_or_else(|| {
        Error::BadPiece(format!("\"{piece}\" is nothing that a pawn becomes: give queen, rook, bishop or knight"))
    })?;
    Ok(Command::Promotion { ply: Some(ply).filter(|ply| *ply > 0), role })
}

/// Of `Count`.
pub fn count(player: &str, what: &str) -> Result<Command, Error> {
    let known = Irregularity::from_word(what).ok_or_else(|| {
        let words: Vec<&str> = Irregularity::ALL.iter().map(|what| what.word()).collect();
        Error::BadIrregularity(format!("\"{what}\" cannot be counted: give one of {}", words.join(", ")))
    })?;
    Ok(Command::Count { player: self::player(player)?, what: known })
}

/// Of `SetLaws`.
pub fn laws(text: &str) -> Result<Command, Error> {
    text.parse().map(Command::Laws).map_err(|error: BadLaws| Error::BadLaws(error.to_string()))
}

/// Of `SetTags`, in the order of their names.
pub fn tags(tags: HashMap<String, String>) -> Result<Command, Error> {
    let mut tags: Vec<(String, String)> = tags.into_iter().collect();
    tags.sort();
    tags::check(&tags).map_err(Error::BadTag)?;
    Ok(Command::Tags(tags))
}

/// Of `Claim`. `intended` empty: the claim is about the position on the board.
pub fn claim(player: &str, claimed: &str, intended: String) -> Result<Command, Error> {
    let known = Claimed::from_word(claimed)
        .ok_or_else(|| Error::BadClaim(format!("\"{claimed}\" cannot be claimed: give repetition or fifty_moves")))?;
    let intended = Some(intended).filter(|uci| !uci.is_empty());
    Ok(Command::Claim { player: self::player(player)?, claimed: known, intended })
}

/// Of `LoadRound`.
pub fn round(json: &str) -> Result<Round, Error> {
    serde_json::from_str(json).map_err(|why| Error::BadRound(format!("this is no round: {why}")))
}
