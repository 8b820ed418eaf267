//! Parses the arguments of D-Bus methods, without I/O. Error messages name the valid values.

use super::Error;
use crate::game::pgn::AfterIllegal;
use crate::game::{Command, GameResult};
use crate::laws::draws::ClaimKind;
use crate::laws::{BadLaws, Irregularity, LawsWord};
use crate::publish::tags;
use crate::wire::{Word, command_from_value};
use shakmaty::{Color, Role};
use std::collections::HashMap;
use zbus::{OwnedVariant, Variant};

/// Parses the options of `PgnWith`. Unknown options are refused, because ignoring one would silently give another result.
pub(super) fn parse_pgn_options(options: &HashMap<String, OwnedVariant>) -> Result<AfterIllegal, Error> {
    let mut after = AfterIllegal::default();
    for (name, value) in options {
        match (name.as_str(), &**value) {
            ("irregular", Variant::Str(word)) => {
                after = AfterIllegal::from_word(word.as_str()).ok_or_else(|| {
                    Error::BadOption(format!("\"{}\" is not a value of irregular: use stop, fen or end", word.as_str()))
                })?;
            }
            ("irregular", _) => return Err(Error::BadOption("irregular must be a string: use stop, fen or end".to_owned())),
            _ => return Err(Error::BadOption(format!("there is no option \"{name}\": use irregular, or none"))),
        }
    }
    Ok(after)
}

/// Parses a player: `white` or `black`.
pub fn parse_player(text: &str) -> Result<Color, Error> {
    Color::from_word(text).ok_or_else(|| Error::BadPlayer(format!("\"{text}\" is not a player: use white or black")))
}

/// Parses the argument of `SetResult`.
pub fn parse_result(text: &str) -> Result<Command, Error> {
    match (GameResult::parse(text), text) {
        (None, "*") => Ok(Command::Result { result: None }),
        (Some(result), _) => Ok(Command::Result { result: Some(result) }),
        (None, other) => {
            Err(Error::BadResult(format!("\"{other}\" is not a result: use 1-0, 0-1, 1/2-1/2, or * to withdraw it")))
        }
    }
}

/// Parses the arguments of `SetPromotion`. `ply` 0 means the last promotion on record.
pub fn parse_promotion(ply: u32, piece: &str) -> Result<Command, Error> {
    let role = Role::from_word(piece)
        .ok_or_else(|| Error::BadPiece(format!("a pawn cannot become \"{piece}\": use queen, rook, bishop or knight")))?;
    Ok(Command::Promotion { ply: Some(ply).filter(|ply| *ply > 0), piece: role })
}

/// Parses the arguments of `Count`.
pub fn parse_count(player: &str, word: &str) -> Result<Command, Error> {
    let irregularity = Irregularity::from_word(word).ok_or_else(|| {
        let words: Vec<&str> = Irregularity::ALL.iter().map(|irregularity| irregularity.word()).collect();
        Error::BadIrregularity(format!("\"{word}\" cannot be counted: use one of {}", words.join(", ")))
    })?;
    Ok(Command::Count { player: self::parse_player(player)?, irregularity })
}

/// Parses the argument of `SetLaws`.
pub fn parse_laws(text: &str) -> Result<Command, Error> {
    text.parse().map(|laws| Command::Laws { laws }).map_err(|error: BadLaws| Error::BadLaws(error.to_string()))
}

/// Parses the argument of `SetTags`; the tags are sorted by name.
pub fn parse_tags(tags: HashMap<String, String>) -> Result<Command, Error> {
    let mut tags: Vec<(String, String)> = tags.into_iter().collect();
    tags.sort();
    tags::check_tags(&tags).map_err(Error::BadTag)?;
    Ok(Command::Tags { tags })
}

/// Parses the arguments of `Claim`. An empty `intended` means that the claim is about the position on the board.
pub fn parse_claim(player: &str, claimed: &str, intended: String) -> Result<Command, Error> {
    let kind = ClaimKind::from_word(claimed)
        .ok_or_else(|| Error::BadClaim(format!("\"{claimed}\" cannot be claimed: use repetition or fifty_moves")))?;
    let intended = Some(intended).filter(|uci| !uci.is_empty());
    Ok(Command::Claim { player: self::parse_player(player)?, claimed: kind, intended })
}

/// Parses a command in its JSON form.
pub fn parse_command(json: &str) -> Result<Command, Error> {
    let value = serde_json::from_str(json).map_err(|error| Error::BadCommand(format!("this is not JSON: {error}")))?;
    let command = command_from_value(&value).map_err(|error| Error::BadCommand(error.to_string()))?;
    if let Command::Tags { tags } = &command {
        tags::check_tags(tags).map_err(Error::BadTag)?;
    }
    Ok(command)
}
