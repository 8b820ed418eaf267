//! Text in columns of a terminal, by display width: a Chinese character takes two columns.

use rustix::termios::tcgetwinsize;
use std::io::{IsTerminal, stdout};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of the lines if the output is not a terminal.
const USUAL_WIDTH: usize = 80;

/// Returns the width of the terminal, or 80 if the output is not a terminal.
pub(super) fn output_width() -> usize {
    terminal_width().unwrap_or(USUAL_WIDTH)
}

/// Returns the width of the terminal; `None` if the output is not a terminal.
pub(super) fn terminal_width() -> Option<usize> {
    if !stdout().is_terminal() {
        return None;
    }
    tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Returns the width of the widest of these texts.
pub(super) fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// Shortens the text to this width.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut short, mut used) = (String::new(), 1);
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(character);
    }
    short.truncate(short.trim_end().len());
    short + "…"
}

/// Returns the text in a column of this width, shortened if it is longer.
pub(super) fn left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let space = width.saturating_sub(text.width());
    text + &" ".repeat(space)
}

/// Returns the text at the right end of a column of this width, shortened if it is longer.
pub(super) fn right(text: &str, width: usize) -> String {
    let text = cut(text, width);
    " ".repeat(width.saturating_sub(text.width())) + &text
}

/// Breaks the text at its spaces into lines of this width, and indents all but the first. Longer words stay whole.
pub(super) fn wrap(text: &str, width: usize, indent: usize) -> String {
    wrap_words(text.split(' '), width, indent)
}

/// Joins the words, which may contain spaces, to lines as [`wrap`] does.
pub(super) fn wrap_words<'a>(words: impl Iterator<Item = &'a str>, width: usize, indent: usize) -> String {
    let (mut wrapped, mut used) = (String::new(), 0);
    for (index, word) in words.enumerate() {
        if index > 0 && used + 1 + word.width() > width {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            used = indent;
        } else if index > 0 {
            wrapped.push(' ');
            used += 1;
        }
        wrapped.push_str(word);
        used += word.width();
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_on_the_screen() {
        assert_eq!((left("丁立人", 8), right("丁立人", 8)), ("丁立人  ".to_owned(), "  丁立人".to_owned()));
        assert_eq!((cut("丁立人", 5), cut("Ann Smith", 5)), ("丁立…".to_owned(), "Ann…".to_owned()));
        assert_eq!(widest(["Ann", "丁立人"].into_iter()), 6);
    }

    #[test]
    fn words_are_wrapped_with_an_indent() {
        assert_eq!(wrap("the king is in check", 11, 2), "the king is\n  in check");
        assert_eq!(wrap("incomprehensible words", 5, 0), "incomprehensible\nwords");
        assert_eq!((wrap("", 5, 2), wrap("  → put it back", 12, 4)), (String::new(), "  → put it\n    back".to_owned()));
    }
}
