//! The lines that exports have above their table: of Chess-Results, the name of the tournament and the round with its day.

/// The word for a round in the languages of the exports.
const ROUND: &[&str] = &["round", "runde", "ronda", "ronde", "turno"];

/// What the lines above a table say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Preamble {
    /// The number of the round.
    pub round: Option<u16>,
    /// The tournament.
    pub event: Option<String>,
    /// The day, as PGN writes it.
    pub date: Option<String>,
}

impl Preamble {
    /// Reads the lines. The line after that of Chess-Results names the tournament; `Round 3 on 2026/11/21 at 15:00` and
    /// `3. Runde am 2026/11/21` the round and its day.
    pub(super) fn read<'a>(lines: impl Iterator<Item = &'a str>, separator: char) -> Preamble {
        let mut preamble = Preamble::default();
        let mut is_next_event = false;
        for line in lines {
            let text = line.trim().trim_end_matches(separator).trim_matches('"').trim();
            if text.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_next_event) {
                preamble.event = Some(text.to_owned());
                continue;
            }
            is_next_event = text.contains("Chess-Results") && preamble.event.is_none();
            let words: Vec<&str> = text.split_whitespace().collect();
            let is_round = |word: &&str| ROUND.contains(&word.to_lowercase().as_str());
            let Some(place) = words.iter().position(is_round) else { continue };
            let number = |place: Option<usize>| words.get(place?)?.trim_end_matches('.').parse().ok();
            preamble.round = preamble.round.or_else(|| number(Some(place + 1))).or_else(|| number(place.checked_sub(1)));
            preamble.date = preamble.date.take().or_else(|| words.iter().find_map(|word| date(word)));
        }
        preamble
    }
}

/// Returns a day that is written `2026/11/21`, as PGN writes it.
fn date(word: &str) -> Option<String> {
    let is_digits = |part: &&str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    match word.split('/').collect::<Vec<_>>().as_slice() {
        [year, month, day] if is_digits(year, 4) && is_digits(month, 2) && is_digits(day, 2) => {
            Some(format!("{year}.{month}.{day}"))
        }
        _ => None,
    }
}
