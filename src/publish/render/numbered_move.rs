//! A move with its number, as people write it.

use shakmaty::Color;

/// Returns the player to move.
pub(in crate::publish) fn side_to_move(fen: &str) -> Color {
    if fen.split(' ').nth(1) == Some("b") { Color::Black } else { Color::White }
}

/// Returns a move with its number. `fen`: the position after it.
pub(in crate::publish) fn numbered_move(san: &str, fen: &str) -> String {
    let number: u32 = fen.split(' ').nth(5).and_then(|number| number.parse().ok()).unwrap_or(1);
    match side_to_move(fen) {
        Color::Black => format!("{number}. {san}"),
        Color::White => format!("{}… {san}", number.saturating_sub(1)),
    }
}
