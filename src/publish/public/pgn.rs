//! A game as PGN, with the tags that everybody may read.

use super::PublicOptions;
use super::opening::Opening;
use crate::daemon::hub::GameView;
use crate::publish::render::playing_table::PlayingTable;
use crate::publish::render::table_files::TableFiles;

/// Tags of the event and of the table.
const EVENT_TAGS: [&str; 6] = ["Event", "Site", "Date", "Round", "Table", "TimeControl"];
/// Tags of players, after `White` and `Black`.
const PLAYER_TAGS: [&str; 5] = ["", "Title", "Elo", "Federation", "Team"];
/// The tag that the organiser may switch on.
const FIDE_ID: &str = "FideId";

/// Returns the game of a table as PGN.
pub(super) fn game_to_pgn(
    table: &PlayingTable,
    game: Option<&GameView>,
    opening: Option<&Opening>,
    options: &PublicOptions,
) -> String {
    let is_public = |name: &str| {
        let of_player = name.strip_prefix("White").or_else(|| name.strip_prefix("Black"));
        EVENT_TAGS.contains(&name)
            || of_player.is_some_and(|tag| PLAYER_TAGS.contains(&tag) || tag == FIDE_ID && options.fide_ids)
    };
    let mut public = table.clone();
    public.tags.retain(|(name, _)| is_public(name));
    if let Some(Opening { eco, name, .. }) = opening {
        public.tags.extend([("ECO", *eco), ("Opening", *name)].map(|(tag, value)| (tag.to_owned(), value.to_owned())));
    }
    TableFiles::new(public, game.cloned(), None).pgn.to_string()
}
