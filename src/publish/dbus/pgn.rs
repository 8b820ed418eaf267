//! A game's PGN, with the tags that the daemon knows.

use crate::daemon::hub::GameView;
use crate::game::pgn;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Tags beyond those that the record knows itself: as configured, else the day on which it began, and the board.
pub fn tags(game: &GameView) -> Vec<(String, String)> {
    let mut tags = game.tags.to_vec();
    tags.push(("Board".to_owned(), game.board.to_string()));
    let dated = tags.iter().any(|(name, _)| name == "Date");
    if !dated && let Ok(began) = Timestamp::from_millisecond(game.wall_ms(game.record.started_at)) {
        tags.push(("Date".to_owned(), began.to_zoned(TimeZone::system()).strftime("%Y.%m.%d").to_string()));
    }
    tags
}

/// The whole game.
pub fn text(game: &GameView) -> String {
    pgn::pgn(&game.record, &tags(game))
}
