//! Pairings from the tags of a PGN file: one game per table.

use super::{BadRound, Pairing, PairingResult, Player, Round};
use pgn_reader::{RawTag, Reader, Skip, Visitor};
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;

/// The tags of one game.
type Tags = BTreeMap<String, String>;

struct Collect;

impl Visitor for Collect {
    type Tags = Tags;
    type Movetext = Tags;
    type Output = Tags;

    fn begin_tags(&mut self) -> ControlFlow<Tags, Tags> {
        ControlFlow::Continue(BTreeMap::new())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Tags> {
        tags.insert(String::from_utf8_lossy(name).into_owned(), value.decode_utf8_lossy().into_owned());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Tags, Tags> {
        ControlFlow::Continue(tags)
    }

    fn begin_variation(&mut self, _: &mut Tags) -> ControlFlow<Tags, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, tags: Tags) -> Tags {
        tags
    }
}

/// Parses a PGN file. `Round "3.7"` is table 7 of round 3; `Table` and `Board` also give the table number. Tables without a number
/// are in the order of the file. If the file has several rounds, `number` must select one.
///
/// # Errors
/// Returns all problems in the file.
pub fn read(text: &str, number: Option<u16>) -> Result<Round, BadRound> {
    let mut reader = Reader::new(io::Cursor::new(text.as_bytes()));
    let mut games: Vec<Tags> = Vec::new();
    loop {
        match reader.read_game(&mut Collect) {
            Ok(Some(tags)) => games.push(tags),
            Ok(None) => break,
            Err(error) => return Err(BadRound::Wrong(vec![format!("game {} is not PGN: {error}", games.len() + 1)])),
        }
    }
    let place = |tags: &Tags| -> (Option<u16>, Option<u16>) {
        let round = tags.get("Round").map(String::as_str).unwrap_or_default();
        let mut parts = round.split('.').map(|part| part.trim().parse().ok());
        let (round, table) = (parts.next().flatten(), parts.next().flatten());
        let explicit_table = ["Table", "Board"].iter().find_map(|name| tags.get(*name)?.trim().parse().ok());
        (round, explicit_table.or(table))
    };
    let mut rounds: Vec<u16> = games.iter().filter_map(|tags| place(tags).0).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let number = match (number, rounds.as_slice()) {
        (Some(number), _) => number,
        (None, [one]) => *one,
        (None, []) => 0,
        (None, several) => {
            let all: Vec<String> = several.iter().map(u16::to_string).collect();
            return Err(BadRound::Wrong(vec![format!("the file has rounds {}: choose one with --round N", all.join(", "))]));
        }
    };
    let of_round = games.iter().filter(|tags| place(tags).0.is_none_or(|round| round == number));
    let tag_value = |tags: &Tags, name: &str| {
        let value = tags.get(name)?.trim();
        (!value.is_empty() && value != "?" && value != "-" && value != "????.??.??").then(|| value.to_owned())
    };
    let mut round = Round { number, ..Round::default() };
    for (index, tags) in of_round.enumerate() {
        let player = |colour: &str| {
            let field = |suffix: &str| tag_value(tags, &format!("{colour}{suffix}"));
            Player {
                name: field("").unwrap_or_default(),
                title: field("Title"),
                fide_id: field("FideId").and_then(|id| id.parse().ok()).filter(|id| *id > 0),
                rating: field("Elo").and_then(|elo| elo.parse().ok()).filter(|elo| *elo > 0),
                federation: field("Federation"),
                team: field("Team"),
            }
        };
        for (name, slot) in [
            ("Event", &mut round.event),
            ("Site", &mut round.site),
            ("Date", &mut round.date),
            ("TimeControl", &mut round.time_control),
        ] {
            *slot = slot.take().or_else(|| tag_value(tags, name));
        }
        let result = tag_value(tags, "Result").and_then(|result| PairingResult::parse(&result).ok().flatten());
        let unplayed =
            tag_value(tags, "Termination").is_some_and(|termination| termination == "forfeit" || termination == "unplayed");
        round.pairings.push(Pairing {
            table: place(tags).1.unwrap_or(index as u16 + 1),
            white: player("White"),
            black: player("Black"),
            result: if unplayed { result.map(PairingResult::by_forfeit) } else { result },
            ..Pairing::default()
        });
    }
    Ok(round)
}
