//! Checks PGN tags that users assign to a game, through any front-end.

use crate::game::pgn::is_tag_name;

/// Maximum number of assigned tags of a game: three times what PGN defines.
const MAX_TAGS: usize = 64;
/// Maximum length of a tag value, in bytes.
const MAX_VALUE_BYTES: usize = 255;

/// Checks whether these are valid tags of a game.
///
/// # Errors
/// Returns a sentence that says what to do.
pub fn check_tags(tags: &[(String, String)]) -> Result<(), String> {
    if tags.len() > MAX_TAGS {
        return Err(format!("{} tags are too many: give at most {MAX_TAGS}", tags.len()));
    }
    for (name, value) in tags {
        if !is_tag_name(name) {
            return Err(format!("{name:?} is no name of a PGN tag: give letters, digits and _ only"));
        }
        if value.len() > MAX_VALUE_BYTES || value.chars().any(char::is_control) {
            return Err(format!("{name} is no value of a PGN tag: give one line of at most {MAX_VALUE_BYTES} bytes"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tag_is_refused_in_words() {
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let most: Vec<_> = (0..MAX_TAGS).map(|index| tag(&format!("Tag{index}"), &"x".repeat(MAX_VALUE_BYTES))).collect();
        assert_eq!(check_tags(&most), Ok(()));
        let one_more = [&most[..], &[tag("White", "Ada, A")]].concat();
        assert_eq!(check_tags(&one_more), Err("65 tags are too many: give at most 64".to_owned()));
        for (name, value, says) in [
            ("", "x", "\"\" is no name"),
            ("White Note", "x", "is no name of a PGN tag"),
            ("Wei\u{df}", "x", "is no name of a PGN tag"),
            ("White", "Ada\nBob", "White is no value"),
            ("White", &"x".repeat(MAX_VALUE_BYTES + 1), "at most 255 bytes"),
        ] {
            let why = check_tags(&[tag("Black", "Bob"), tag(name, value)]).expect_err(name);
            assert!(why.contains(says), "{why}");
        }
    }
}
