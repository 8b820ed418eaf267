//! A game as PGN, with the tags that everybody may read.

use super::PublicOptions;
use super::opening::Opening;
use crate::daemon::hub::GameView;
use crate::publish::render::playing_table::PlayingTable;
use crate::publish::render::table_files::TableFiles;
use crate::publish::tags::is_public_tag;

/// Returns the game of a table as PGN.
pub(super) fn game_to_pgn(
    table: &PlayingTable,
    game: Option<&GameView>,
    opening: Option<&Opening>,
    options: &PublicOptions,
) -> String {
    let mut public = table.clone();
    public.tags.retain(|(name, _)| is_public_tag(name, options.fide_ids));
    if let Some(Opening { eco, name, .. }) = opening {
        public.tags.extend([("ECO", *eco), ("Opening", *name)].map(|(tag, value)| (tag.to_owned(), value.to_owned())));
    }
    TableFiles::new(public, game.cloned(), None).pgn.to_string()
}
