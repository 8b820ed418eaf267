//! How people refer to a move on record.

use super::MoveNumber;
use shakmaty::Color;

/// How a person refers to a move.
pub(super) enum PlyReference<'a> {
    /// By its ply.
    Ply(u32),
    /// By its number, with the move if it is written.
    Move(MoveNumber, Option<&'a str>),
}

impl PlyReference<'_> {
    /// Parses `41`, `21.Nf3`, `21. Nf3`, `21...Qa5`, `21.` or `21...`.
    ///
    /// # Errors
    /// It has another form.
    pub(super) fn parse(text: &str) -> Result<PlyReference<'_>, String> {
        let malformed = || "write a move with its number, such as 21.Nf3 or 21...Qa5, or a ply such as 41".to_owned();
        let text = text.trim();
        let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let number = text.strip_suffix(rest).and_then(|digits| digits.parse().ok()).ok_or_else(malformed)?;
        let san = rest.trim_start_matches(['.', '…']);
        let player = match rest.strip_suffix(san) {
            _ if rest.is_empty() => return Ok(PlyReference::Ply(number)),
            Some(".") => Color::White,
            Some("..." | "…") => Color::Black,
            _ => return Err(malformed()),
        };
        Ok(PlyReference::Move(MoveNumber { number, player }, Some(san.trim()).filter(|san| !san.is_empty())))
    }
}

/// Returns whether both texts are the same move, apart from signs for check, mate and judgement.
pub(super) fn is_same_move(known: &str, written: &str) -> bool {
    let bare = |text: &str| text.trim_end_matches(['+', '#', '!', '?']).replace('0', "O").replace('=', "");
    bare(known) == bare(written)
}
