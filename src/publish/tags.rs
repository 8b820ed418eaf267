//! Tags that somebody gives to a game, wherever they come from.

use crate::game::pgn::is_tag_name;

/// So many are given to a game at most: three times what PGN names.
const MOST: usize = 64;
/// The value of a tag is no longer, in bytes.
const LONGEST: usize = 255;

/// Whether these can be tags of a game.
///
/// # Errors
/// A sentence that says what to do.
pub fn check(tags: &[(String, String)]) -> Result<(), String> {
    if tags.len() > MOST {
        return Err(format!("{} tags are too many: give at most {MOST}", tags.len()));
    }
    for (name, value) in tags {
        if !is_tag_name(name) {
            return Err(format!("{name:?} is no name of a PGN tag: give letters, digits and _ only"));
        }
        if value.len() > LONGEST || value.chars().any(char::is_control) {
            return Err(format!("{name} is no value of a PGN tag: give one line of at most {LONGEST} bytes"));
        }
    }
    Ok(())
}
