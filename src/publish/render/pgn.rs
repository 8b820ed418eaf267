//! A game as PGN, with the tags that the daemon knows.

use crate::daemon::hub::GameView;
use crate::game::Text;
use crate::game::pgn::{AfterIllegal, pgn_with};
use crate::laws::reason::IllegalReason;
use crate::locale::{self, Locale};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Returns the PGN tags that the record does not derive itself: the configured ones, replaced and extended by those set for this
/// game, then the board and, unless a date is among them, the day on which the game began.
pub fn all_tags(game: &GameView) -> Vec<(String, String)> {
    let mut tags = game.tags.to_vec();
    for (name, value) in &game.record.tags {
        match tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => tags.push((name.clone(), value.clone())),
        }
    }
    tags.push(("Board".to_owned(), game.board.to_string()));
    let has_date = tags.iter().any(|(name, _)| name == "Date");
    if !has_date && let Ok(started) = Timestamp::from_millisecond(game.wall_ms(game.record.started_at)) {
        tags.push(("Date".to_owned(), started.to_zoned(TimeZone::system()).strftime("%Y.%m.%d").to_string()));
    }
    tags
}

/// Explains in English, the language of PGN, why a move is not legal.
pub fn explain_in_english(reason: &IllegalReason) -> Option<String> {
    Some(locale::sentence(Locale::English, &Text::from(reason)))
}

/// Whom a PGN is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The arbiter.
    Arbiter,
    /// Everybody else. Why a move is not legal is for the arbiter to say (12.6), so it is left out.
    Public,
}

/// Returns the whole game.
pub fn game_to_pgn(game: &GameView, after: AfterIllegal, reader: Reader) -> String {
    let explain = |reason: &IllegalReason| explain_in_english(reason).filter(|_| reader == Reader::Arbiter);
    pgn_with(&game.record, &all_tags(game), after, &explain)
}
