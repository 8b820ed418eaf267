//! A position as an image, with the pieces of the page's board.
//!
//! A page has the pieces once, and its boards refer to them; an image that stands alone contains those that it needs.

use super::html::escaped;
use data_encoding::BASE64;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// The style sheet of the page's board, which contains the pieces as images.
static BOARD_STYLE: &str = include_str!("../web/page/vendor/chessground.css");

/// The pieces, as FEN writes them, with their names in the style sheet.
const PIECES: [(char, &str); 12] = [
    ('P', "pawn.white"),
    ('N', "knight.white"),
    ('B', "bishop.white"),
    ('R', "rook.white"),
    ('Q', "queen.white"),
    ('K', "king.white"),
    ('p', "pawn.black"),
    ('n', "knight.black"),
    ('b', "bishop.black"),
    ('r', "rook.black"),
    ('q', "queen.black"),
    ('k', "king.black"),
];

/// The colours of light and dark squares, and of the squares of the last move: those of the page's board.
const LIGHT: &str = "#f0d9b5";
const DARK: &str = "#b58863";
const LAST_MOVE: &str = "#9bc700";
/// The side of a square: that of the images of the pieces.
const SIDE: usize = 45;

/// The paths of each piece.
static DRAWINGS: LazyLock<BTreeMap<char, String>> = LazyLock::new(|| {
    let drawing = |(piece, name): &(char, &str)| {
        let rule = BOARD_STYLE.split_once(&format!("piece.{name} {{"))?.1;
        let encoded = rule.split_once("base64,")?.1.split(['\'', '"', ')']).next()?;
        let image = String::from_utf8(BASE64.decode(encoded.as_bytes()).ok()?).ok()?;
        let inner = image.split_once('>')?.1.strip_suffix("</svg>")?;
        Some((*piece, inner.to_owned()))
    };
    PIECES.iter().filter_map(drawing).collect()
});

/// Returns the pieces to which boards of a page refer, invisible.
pub(super) fn pieces() -> String {
    let all: String = PIECES.iter().map(|(piece, _)| *piece).collect();
    format!("<svg width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>{}</defs></svg>", symbols(&all))
}

/// Returns a position as part of a page that contains [`pieces`]. `label`: the position in words.
pub(super) fn board(fen: &str, last_move: Option<&str>, label: &str) -> String {
    let label = escaped(label);
    format!(
        "<svg class=\"position\" viewBox=\"0 0 360 360\" role=\"img\" aria-label=\"{label}\">{}</svg>",
        squares(fen, last_move)
    )
}

/// Returns a position as an image of its own.
pub(super) fn image(fen: &str, last_move: Option<&str>, label: &str) -> String {
    let placement = fen.split(' ').next().unwrap_or_default();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"360\" height=\"360\" viewBox=\"0 0 360 360\" role=\"img\"><title>{}</title>\
         <defs>{}</defs>{}</svg>\n",
        escaped(label),
        symbols(placement),
        squares(fen, last_move)
    )
}

/// Returns the pieces that this text contains.
fn symbols(pieces: &str) -> String {
    let wanted = DRAWINGS.iter().filter(|(piece, _)| pieces.contains(**piece));
    wanted.map(|(piece, drawing)| format!("<g id=\"piece-{}\">{drawing}</g>", id(*piece))).collect()
}

/// Returns the identifier of a piece: letters of both cases are not always told apart.
fn id(piece: char) -> String {
    let colour = if piece.is_ascii_uppercase() { 'w' } else { 'b' };
    format!("{colour}{}", piece.to_ascii_lowercase())
}

/// Draws squares and pieces.
fn squares(fen: &str, last_move: Option<&str>) -> String {
    let mut dark = String::new();
    for rank in 0..8 {
        for file in (0..8).filter(|file| (rank + file) % 2 == 1) {
            let _ = write!(dark, "M{} {}h{SIDE}v{SIDE}h-{SIDE}z", file * SIDE, rank * SIDE);
        }
    }
    let mut drawn = format!("<path fill=\"{LIGHT}\" d=\"M0 0h360v360H0z\"/><path fill=\"{DARK}\" d=\"{dark}\"/>");
    let squares = last_move.map(|uci| [uci.get(0..2), uci.get(2..4)]).into_iter().flatten().flatten();
    for (file, rank) in squares.filter_map(place) {
        let (x, y) = (file * SIDE, rank * SIDE);
        let _ = write!(drawn, "<path fill=\"{LAST_MOVE}\" fill-opacity=\".45\" d=\"M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z\"/>");
    }
    let placement = fen.split(' ').next().unwrap_or_default();
    for (rank, row) in placement.split('/').take(8).enumerate() {
        let mut file = 0;
        for letter in row.chars() {
            match letter.to_digit(10) {
                Some(empty) => file += empty as usize,
                None if file < 8 && DRAWINGS.contains_key(&letter) => {
                    let (x, y) = (file * SIDE, rank * SIDE);
                    let _ = write!(drawn, "<use href=\"#piece-{}\" x=\"{x}\" y=\"{y}\"/>", id(letter));
                    file += 1;
                }
                None => file += 1,
            }
        }
    }
    drawn
}

/// Returns file and rank of a square, from the upper left corner.
fn place(square: &str) -> Option<(usize, usize)> {
    let [file, rank] = square.as_bytes() else { return None };
    let (file, rank) = (file.checked_sub(b'a')?, b'8'.checked_sub(*rank)?);
    (file < 8 && rank < 8).then_some((usize::from(file), usize::from(rank)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_a_drawing() {
        assert_eq!(DRAWINGS.len(), 12, "chessground.css is written in another way");
        assert!(DRAWINGS.values().all(|drawing| drawing.starts_with('<') && !drawing.contains("<svg")));
    }

    #[test]
    fn an_image_has_the_pieces_that_it_needs() {
        let svg = image("8/8/8/8/4k3/8/8/K7 w - - 0 1", Some("e5e4"), "a <b>");
        assert_eq!((svg.matches("<use ").count(), svg.matches("<g id=").count()), (2, 2), "{svg}");
        assert!(svg.contains("<use href=\"#piece-bk\" x=\"180\" y=\"180\"/>") && svg.contains("M180 135h45"), "{svg}");
        assert!(svg.contains("<title>a &lt;b&gt;</title>"), "{svg}");
        // Texts that are no position are drawn as far as they are one.
        for fen in ["", "9/8", "kkkkkkkkkkkk/é", "////////////"] {
            assert!(image(fen, Some("x"), "").ends_with("</svg>\n"), "{fen}");
        }
    }
}
