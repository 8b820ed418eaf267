//! The record as PGN: the Seven Tag Roster, `SetUp` and `FEN` where play began elsewhere, `[%clk]` and `[%emt]`, and once
//! the game is over in `WhiteClock` and `BlackClock` what the clocks showed at the last completed move.
//!
//! Written so that lichess, chess.com and the LiveChess tools read it: `Variant "Chess960"`, whole seconds in `h:mm:ss`, a
//! move number before Black's move after every comment (PGN standard 8.2.2.2), lines of at most 79 characters (4.3).

use crate::game::event::ClockTime;
use crate::game::record::{Ply, PlyState};
use crate::game::{CompletedBy, Record};
use crate::laws::Position;

/// What every game has, in this order (PGN standard 8.1.1), and what is written where nobody knows.
const ROSTER: [(&str, &str); 7] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?"), ("Result", "*")];
/// What the record says itself, and nobody else.
const OWN: [&str; 6] = ["Result", "SetUp", "FEN", "Variant", "WhiteClock", "BlackClock"];
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const LINE: usize = 79;
/// How far a clock that shows whole seconds and the time between two presses may be apart.
const SLACK_MS: u64 = 2000;

/// One game as PGN, with an empty line at the end so that games can be put one after another.
///
/// `tags` are written after the Seven Tag Roster in the order given, `TimeControl` first; those of the roster fill it. What the
/// record knows itself (result, start position, variant) is never taken from them, and a name that PGN does not allow is left
/// out. Readers stop at a move that is not legal, or refuse the whole file: from the first such move on the game stands in one
/// comment, where people find it. A clock is written after each completed move, the thinking time only where both presses were seen and the clocks agree.
pub fn pgn(record: &Record, tags: &[(String, String)]) -> String {
    let mut text = String::new();
    let given = |name: &str| tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let result = record.result.map_or("*", |(result, _)| result.as_str());
    for (name, unknown) in ROSTER {
        let value = if name == "Result" { Some(result) } else { given(name).filter(|value| !value.is_empty()) };
        push_tag(&mut text, name, value.unwrap_or(unknown));
    }
    push_tag(&mut text, "TimeControl", given("TimeControl").filter(|value| !value.is_empty()).unwrap_or("?"));
    for (name, value) in tags {
        let taken = name == "TimeControl" || ROSTER.iter().any(|(known, _)| known == name) || OWN.contains(&name.as_str());
        let allowed = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if allowed && !taken {
            push_tag(&mut text, name, value);
        }
    }
    if record.result.is_some() {
        push_clocks(&mut text, record);
    }
    if is_chess960(record) {
        push_tag(&mut text, "Variant", "Chess960");
    }
    if record.start_fen != START {
        push_tag(&mut text, "SetUp", "1");
        push_tag(&mut text, "FEN", &record.start_fen);
    }
    text.push('\n');
    push_moves(&mut text, record);
    push_token(&mut text, result);
    text.push_str("\n\n");
    text
}

/// What both clocks showed at the last completed move, as LiveChess writes it.
fn push_clocks(text: &mut String, record: &Record) {
    let last = |pick: fn(&Ply) -> Option<ClockTime>| record.plies.iter().rev().find_map(pick);
    let clocks = [("WhiteClock", last(|ply| ply.clocks.white)), ("BlackClock", last(|ply| ply.clocks.black))];
    for (name, clock) in clocks {
        if let Some(clock) = clock {
            let seconds = u64::from(clock.ms) / 1000;
            push_tag(text, name, &format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
        }
    }
}

/// By its number, or by the right to castle from where chess has neither king nor rook.
fn is_chess960(record: &Record) -> bool {
    let position = || Position::from_fen(&record.start_fen, false);
    record.chess960.is_some_and(|number| number != 518) || position().is_ok_and(|position| position.is_chess960())
}

fn push_tag(text: &mut String, name: &str, value: &str) {
    text.push('[');
    text.push_str(name);
    text.push_str(" \"");
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            letter if letter.is_control() => text.push(' '),
            letter => text.push(letter),
        }
    }
    text.push_str("\"]\n");
}

fn push_moves(text: &mut String, record: &Record) {
    let mut fields = record.start_fen.split_whitespace().skip(1);
    let blacks_first = fields.next() == Some("b");
    let first: usize = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
    let mut numbered = false;
    let legal = record.plies.iter().position(|ply| ply.played.irregular).unwrap_or(record.plies.len());
    for (index, ply) in record.plies.iter().enumerate().take(legal) {
        let half = index + usize::from(blacks_first);
        let number = first.saturating_add(half / 2);
        if half % 2 == 0 {
            push_token(text, &format!("{number}."));
        } else if !numbered {
            push_token(text, &format!("{number}..."));
        }
        push_token(text, &ply.played.san);
        let comment = comment(record, index, ply, half % 2 == 0);
        numbered = comment.is_none();
        if let Some(comment) = comment {
            push_token(text, &comment);
        }
    }
    push_rest(text, record, legal, first, blacks_first);
}

/// What was played from the first move on that was not legal, in words: a comment.
fn push_rest(text: &mut String, record: &Record, from: usize, first: usize, blacks_first: bool) {
    let Some(rest) = record.plies.get(from..).filter(|rest| !rest.is_empty()) else { return };
    push_token(text, "{Not legal, and played on:");
    let half = from + usize::from(blacks_first);
    let dots = if half.is_multiple_of(2) { "." } else { "..." };
    push_token(text, &format!("{}{dots}", first.saturating_add(half / 2)));
    for (index, ply) in rest.iter().enumerate() {
        let sign = if ply.played.irregular && index > 0 { " (not legal)" } else { "" };
        push_token(text, &format!("{}{sign}", ply.played.san));
    }
    push_token(text, &format!("to {}}}", record.fen()));
}

/// `{[%clk 1:30:57] [%emt 0:00:05]}`, or what of it is known.
fn comment(record: &Record, index: usize, ply: &Ply, white: bool) -> Option<String> {
    let PlyState::Completed { .. } = ply.state else { return None };
    let mut parts = Vec::new();
    if let Some(clock) = movers_clock(ply, white) {
        parts.push(format!("[%clk {}]", h_mm_ss(u64::from(clock.ms) / 1000)));
    }
    if let Some(elapsed_ms) = thinking_time(record, index, ply, white) {
        parts.push(format!("[%emt {}]", h_mm_ss((elapsed_ms + 500) / 1000)));
    }
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(" ")))
}

fn movers_clock(ply: &Ply, white: bool) -> Option<ClockTime> {
    if white { ply.clocks.white } else { ply.clocks.black }
}

/// From the opponent's press to this one, in milliseconds: where both were seen, and the mover's clock lost about that much
/// since his last press or gained by an increment. A cable that was out meanwhile breaks that.
fn thinking_time(record: &Record, index: usize, ply: &Ply, white: bool) -> Option<u64> {
    let pressed = |ply: &Ply| match ply.state {
        PlyState::Completed { by: CompletedBy::Clock, at } => Some(at),
        _ => None,
    };
    let before = record.plies.get(index.checked_sub(1)?)?;
    let elapsed = pressed(ply)?.checked_sub(pressed(before)?)?;
    let had = index.checked_sub(2).and_then(|index| record.plies.get(index)).and_then(|own| movers_clock(own, white));
    if let (Some(had), Some(has)) = (had, movers_clock(ply, white)) {
        let lost = u64::from(had.ms.saturating_sub(has.ms));
        if lost > elapsed + SLACK_MS || elapsed > u64::from(had.ms) + SLACK_MS {
            return None;
        }
    }
    Some(elapsed)
}

fn h_mm_ss(seconds: u64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Appends one word of the movetext, after a space or on a new line. Comments are not broken: some readers mind.
fn push_token(text: &mut String, token: &str) {
    let line = text.rsplit('\n').next().map_or(0, |line| line.chars().count());
    if line > 0 {
        text.push(if line + 1 + token.chars().count() > LINE { '\n' } else { ' ' });
    }
    text.push_str(token);
}
