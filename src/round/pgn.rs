//! Pairings from the tags of a PGN file: one game per table.

use super::preview::Reading;
use super::problem::ProblemKind;
use super::{Pairing, PairingResult, Player, Problem, Round};
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
pub(super) fn read(text: &str, number: Option<u16>) -> Reading {
    let mut reading = Reading::default();
    let mut reader = Reader::new(io::Cursor::new(text.as_bytes()));
    let mut games: Vec<Tags> = Vec::new();
    loop {
        match reader.read_game(&mut Collect) {
            Ok(Some(tags)) => games.push(tags),
            Ok(None) => break,
            Err(error) => {
                let kind = ProblemKind::NotPgn { game: games.len() + 1, error: error.to_string() };
                reading.errors.push(Problem::of_file(kind));
                return reading;
            }
        }
    }
    let lines = first_lines(text);
    let line = |game: usize| lines.get(game).filter(|_| lines.len() == games.len()).copied();
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
            reading.errors.push(Problem::of_file(ProblemKind::SeveralRounds(several.to_vec())));
            return reading;
        }
    };
    let of_round = games.iter().enumerate().filter(|(_, tags)| place(tags).0.is_none_or(|round| round == number));
    let tag_value = |tags: &Tags, name: &str| {
        let value = tags.get(name)?.trim();
        (!value.is_empty() && value != "?" && value != "-" && value != "????.??.??").then(|| value.to_owned())
    };
    let mut round = Round { number, ..Round::default() };
    for (index, (game, tags)) in of_round.enumerate() {
        let player = |colour: &str| {
            let field = |suffix: &str| tag_value(tags, &format!("{colour}{suffix}"));
            Player {
                name: field("").unwrap_or_default(),
                title: field("Title"),
                fide_id: field("FideId").and_then(|id| id.parse().ok()).filter(|id| *id > 0),
                rating: field("Elo").and_then(|elo| elo.parse().ok()).filter(|elo| *elo > 0),
                federation: field("Federation"),
                team: field("Team"),
                start_number: None,
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
        let result = tag_value(tags, "Result").and_then(|result| {
            PairingResult::parse(&result).unwrap_or_else(|error| {
                let kind = ProblemKind::BadResult(error);
                reading.warnings.push(match line(game) {
                    Some(line) => Problem::in_cell(line, "Result", &result, kind),
                    None => Problem::of_file(kind),
                });
                None
            })
        });
        let unplayed =
            tag_value(tags, "Termination").is_some_and(|termination| termination == "forfeit" || termination == "unplayed");
        reading.lines.extend(line(game));
        round.pairings.push(Pairing {
            table: place(tags).1.or(u16::try_from(index + 1).ok()).unwrap_or(0),
            white: player("White"),
            black: player("Black"),
            result: if unplayed { result.map(PairingResult::by_forfeit) } else { result },
            ..Pairing::default()
        });
    }
    reading.round = round;
    reading
}

/// Returns the line of the first tag of each game, from 1.
fn first_lines(text: &str) -> Vec<u32> {
    let is_tag = |line: &str| line.starts_with('[') && line[1..].starts_with(|letter: char| letter.is_ascii_alphabetic());
    let (mut lines, mut was_tag) = (Vec::new(), false);
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if !line.is_empty() {
            if is_tag(line) && !was_tag {
                lines.push(number);
            }
            was_tag = is_tag(line);
        }
    }
    lines
}
