//! PGN tags: the check of those that users assign to a game, through any front-end, and which of them everybody may read.

use crate::game::pgn::is_tag_name;

/// Maximum number of assigned tags of a game: three times what PGN defines.
const MAX_TAGS: usize = 64;
/// Maximum length of a tag value, in bytes.
const MAX_VALUE_BYTES: usize = 255;

/// Tags of the event and of the table.
const EVENT_TAGS: [&str; 6] = ["Event", "Site", "Date", "Round", "Table", "TimeControl"];
/// Tags of players, after `White` and `Black`.
const PLAYER_TAGS: [&str; 5] = ["", "Title", "Elo", "Federation", "Team"];
/// The tag that the organiser may switch on.
const FIDE_ID: &str = "FideId";

/// Returns whether everybody may read the tag with this name. `fide_ids`: whether the organiser publishes FIDE IDs.
pub(super) fn is_public_tag(name: &str, fide_ids: bool) -> bool {
    let of_player = name.strip_prefix("White").or_else(|| name.strip_prefix("Black"));
    EVENT_TAGS.contains(&name) || of_player.is_some_and(|tag| PLAYER_TAGS.contains(&tag) || tag == FIDE_ID && fide_ids)
}

/// Checks whether these are valid tags of a game.
///
/// # Errors
/// Returns a sentence that says what to do.
pub(super) fn check_tags(tags: &[(String, String)]) -> Result<(), String> {
    if tags.len() > MAX_TAGS {
        return Err(format!("{} tags are too many: at most {MAX_TAGS} are allowed", tags.len()));
    }
    for (name, value) in tags {
        if !is_tag_name(name) {
            return Err(format!("{name:?} is not the name of a PGN tag: use only letters, digits and _"));
        }
        if value.len() > MAX_VALUE_BYTES || value.chars().any(char::is_control) {
            return Err(format!("the value of the tag {name} is invalid: use one line of at most {MAX_VALUE_BYTES} bytes"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fide_ids_are_public_only_if_the_organiser_publishes_them() {
        assert!(["Event", "Round", "White", "BlackElo", "WhiteTeam"].iter().all(|name| is_public_tag(name, false)));
        assert!(["WhiteFideId", "Annotator", "WhiteNote"].iter().all(|name| !is_public_tag(name, false)));
        assert!(is_public_tag("BlackFideId", true) && !is_public_tag("FideId", true));
    }

    #[test]
    fn invalid_tags_are_rejected_with_a_reason() {
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let max_tags: Vec<_> = (0..MAX_TAGS).map(|index| tag(&format!("Tag{index}"), &"x".repeat(MAX_VALUE_BYTES))).collect();
        assert_eq!(check_tags(&max_tags), Ok(()));
        let one_more = [&max_tags[..], &[tag("White", "Ada, A")]].concat();
        assert_eq!(check_tags(&one_more), Err("65 tags are too many: at most 64 are allowed".to_owned()));
        for (name, value, expected) in [
            ("", "x", "\"\" is not the name"),
            ("White Note", "x", "is not the name of a PGN tag"),
            ("Wei\u{df}", "x", "is not the name of a PGN tag"),
            ("White", "Ada\nBob", "the value of the tag White"),
            ("White", &"x".repeat(MAX_VALUE_BYTES + 1), "at most 255 bytes"),
        ] {
            let error = check_tags(&[tag("Black", "Bob"), tag(name, value)]).expect_err(name);
            assert!(error.contains(expected), "{error}");
        }
    }
}
