//! The record as PGN: the Seven Tag Roster, `SetUp` and `FEN` if play began from another position, `[%clk]` and `[%emt]`, and once
//! the game is over what the clocks showed at the last completed move, in `WhiteClock` and `BlackClock`.
//!
//! Written so that lichess, chess.com and the LiveChess tools can read it: `Variant "Chess960"`, whole seconds in `h:mm:ss`, a move
//! number before Black's move after every comment (PGN standard 8.2.2.2), lines of at most 79 characters (4.3).
//!
//! Readers know only legal moves and positions that those can lead to. At anything else they stop, refuse the whole file, or abort
//! a game that is being sent to them. Such moves and positions are therefore written only in comments, in words.

mod parts;

use crate::game::event::ClockTime;
use crate::game::record::{Ply, PlyState};
use crate::game::words::words;
use crate::game::{CompletedBy, PlayedMove, Record};
use crate::laws::Position;
use crate::laws::reason::{IllegalReason, why_illegal};
use parts::{MoveNumber, Part, Parts};
use std::ops::Range;

/// The tags of every game, in this order (PGN standard 8.1.1), and their values if unknown.
const ROSTER: [(&str, &str); 7] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?"), ("Result", "*")];
/// Tags that only the record itself may set.
const RESERVED_TAGS: [&str; 7] = ["Result", "SetUp", "FEN", "Variant", "WhiteClock", "BlackClock", "Part"];
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const LINE: usize = 79;
/// How much a clock that shows whole seconds and the time between two presses may differ, in milliseconds.
const SLACK_MS: u64 = 2000;

/// How a game is written in which an illegal move remains in force (Art. A.5.2) and play continued after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterIllegal {
    /// The moves end before it. It and the rest of the game are written in one comment, for people.
    #[default]
    Stop,
    /// The illegal move is written in a comment. The game continues in a following game that begins from the position after it,
    /// with the same tags; `Part` counts these games, and the result is in the last one. Moves in positions that readers refuse,
    /// e.g. with both kings in check, are part of the comment.
    Fen,
    /// The game ends before it, with its result, and the rest is omitted.
    End,
}

words! { AfterIllegal { Stop = "stop", Fen = "fen", End = "end" } }

/// Returns one game as PGN, with an empty line at the end so that games can be concatenated. Its moves end before the first illegal
/// one.
///
/// `tags` are written after the Seven Tag Roster in the order given, `TimeControl` first; tags of the roster fill it. What the
/// record itself knows (result, start position, variant) is never taken from them, and a name that PGN does not allow is omitted. A
/// start position that readers refuse is written in a comment with the moves played from it. A clock time is written after each
/// completed move; the thinking time only if both presses were seen and the clocks agree.
pub fn pgn(record: &Record, tags: &[(String, String)]) -> String {
    pgn_with(record, tags, AfterIllegal::Stop, &|_| None)
}

/// Whether PGN allows a tag of this name.
pub fn is_tag_name(name: &str) -> bool {
    (1..=255).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A function that says in words why a move is illegal, without a full stop and braces; `None`: omitted.
pub type ReasonWriter<'a> = &'a dyn Fn(&IllegalReason) -> Option<String>;

/// Returns the same; with [`AfterIllegal::Fen`] it may be several games, one after another. Includes the reasons that
/// `write_reason` can express.
pub fn pgn_with(record: &Record, tags: &[(String, String)], after: AfterIllegal, write_reason: ReasonWriter) -> String {
    let parts = Parts { record, chess960: is_chess960(record), why: write_reason };
    let (cut, numbers) = (parts.cut(after), parts.numbers());
    let mut text = String::new();
    for (index, part) in cut.iter().enumerate() {
        let ends = index + 1 == cut.len();
        let result = record.result.filter(|_| ends).map_or("*", |(result, _)| result.as_str());
        push_tags(&mut text, tags, result);
        if cut.len() > 1 {
            push_tag(&mut text, "Part", &(index + 1).to_string());
        }
        if record.result.is_some() && ends {
            push_clocks(&mut text, record);
        }
        if parts.chess960 {
            push_tag(&mut text, "Variant", "Chess960");
        }
        let fen = parts.readable_fen(part.from).filter(|_| part.lead == 0 || part.from < record.plies.len());
        if let Some(fen) = fen.filter(|fen| fen != START) {
            push_tag(&mut text, "SetUp", "1");
            push_tag(&mut text, "FEN", &fen);
        }
        text.push('\n');
        push_start(&mut text, &parts, part, &numbers);
        push_moves(&mut text, record, part.from..part.to, &numbers);
        push_rest(&mut text, &parts, part, &numbers, ends);
        push_token(&mut text, result);
        text.push_str("\n\n");
    }
    text
}

/// Writes the roster and the given tags.
fn push_tags(text: &mut String, tags: &[(String, String)], result: &str) {
    let tag = |name: &str| tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    for (name, unknown) in ROSTER {
        let value = if name == "Result" { Some(result) } else { tag(name).filter(|value| !value.is_empty()) };
        push_tag(text, name, value.unwrap_or(unknown));
    }
    push_tag(text, "TimeControl", tag("TimeControl").filter(|value| !value.is_empty()).unwrap_or("?"));
    for (name, value) in tags {
        let is_reserved =
            name == "TimeControl" || ROSTER.iter().any(|(known, _)| known == name) || RESERVED_TAGS.contains(&name.as_str());
        if is_tag_name(name) && !is_reserved {
            push_tag(text, name, value);
        }
    }
}

/// Writes what both clocks showed at the last completed move, as LiveChess does.
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

/// Whether the game is Chess960: by its number, or by castling rights from squares that standard chess does not have.
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

fn push_moves(text: &mut String, record: &Record, plies: Range<usize>, numbers: &[MoveNumber]) {
    let mut numbered = false;
    for (index, (ply, number)) in record.plies.iter().zip(numbers).enumerate().take(plies.end).skip(plies.start) {
        push_number(text, *number, numbered);
        push_token(text, &ply.played.san);
        let comment = comment(record, index, ply, number.by.is_white());
        numbered = comment.is_none();
        if let Some(comment) = comment {
            push_token(text, &comment);
        }
    }
}

/// Writes `12.` before White's move, and `12...` before Black's if the number is not clear otherwise.
fn push_number(text: &mut String, MoveNumber { number, by }: MoveNumber, numbered: bool) {
    if by.is_white() {
        push_token(text, &format!("{number}."));
    } else if !numbered {
        push_token(text, &format!("{number}..."));
    }
}

/// Writes a comment with a start position that readers refuse and the moves until they can follow.
fn push_start(text: &mut String, parts: &Parts, part: &Part, numbers: &[MoveNumber]) {
    if part.lead == 0 && (part.from > 0 || parts.readable_fen(0).is_some()) {
        return;
    }
    let ending = if part.lead > 0 { ", and played on:" } else { "}" };
    push_words(text, &format!("{{Begun from {}, which readers refuse{ending}", parts.record.start_fen));
    if part.lead > 0 {
        push_plies(text, parts, 0..part.lead, numbers, "}");
    }
}

/// Writes a comment with what readers cannot follow, in words.
fn push_rest(text: &mut String, parts: &Parts, part: &Part, numbers: &[MoveNumber], ends: bool) {
    let Part { to, next, .. } = *part;
    if to < next {
        let missing = parts.record.plies.get(to).is_some_and(|ply| ply.played.is_missing());
        push_words(
            text,
            match to + 1 < next {
                _ if missing => "{Moves are missing, and play went on:",
                true => "{Not legal, and played on:",
                false => "{Not legal:",
            },
        );
        push_plies(text, parts, to..next, numbers, if ends { "}" } else { "; the next game goes on from there}" });
    }
}

/// Writes moves, why they were illegal, and the position they led to, followed by `end`:
/// `7. Ke1-e3 (a king does not move from e1 to e3) 7... Nf6 to FEN}`.
fn push_plies(text: &mut String, parts: &Parts, plies: Range<usize>, numbers: &[MoveNumber], end: &str) {
    let mut numbered = false;
    let selected = parts.record.plies.iter().zip(numbers).enumerate().take(plies.end).skip(plies.start);
    for (index, (ply, number)) in selected {
        push_number(text, *number, numbered);
        push_token(text, &ply.played.san);
        let PlayedMove { uci, fen, .. } = &ply.played;
        let find_reason = |before: Position| {
            let mv = before.any_move_to(uci, fen)?;
            Some(why_illegal(&before, mv)?.refine_with_moves(before.mover(mv), parts.moves_before(index)))
        };
        let reason = parts.position_before(index).and_then(find_reason);
        let reason = reason.and_then(|reason| (parts.why)(&reason));
        let words = match reason {
            _ if !ply.played.irregular || ply.played.is_missing() => None,
            Some(reason) => Some(format!("({reason})")),
            None => Some("(not legal)".to_owned()).filter(|_| index > plies.start),
        };
        numbered = words.is_none();
        push_words(text, &words.unwrap_or_default());
    }
    push_words(text, &format!("to {}{end}", parts.fen_before(plies.end).unwrap_or_default()));
}

/// The times written with a move, in whole seconds; `None`: unknown, or the move is not completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// What its player's clock showed.
    pub clock: Option<u64>,
    /// The thinking time, from press to press.
    pub thought: Option<u64>,
}

/// Returns the times of this ply, which is at `index` of the record. `white`: White moved.
pub fn times(record: &Record, index: usize, ply: &Ply, white: bool) -> Times {
    let PlyState::Completed { .. } = ply.state else { return Times::default() };
    let clock = movers_clock(ply, white).map(|clock| u64::from(clock.ms) / 1000);
    Times { clock, thought: thinking_time(record, index, ply, white).map(|ms| (ms + 500) / 1000) }
}

/// Returns `{[%clk 1:30:57] [%emt 0:00:05]}`, or the known part of it.
fn comment(record: &Record, index: usize, ply: &Ply, white: bool) -> Option<String> {
    let Times { clock, thought } = times(record, index, ply, white);
    let mut parts = Vec::new();
    if let Some(seconds) = clock {
        parts.push(format!("[%clk {}]", h_mm_ss(seconds)));
    }
    if let Some(seconds) = thought {
        parts.push(format!("[%emt {}]", h_mm_ss(seconds)));
    }
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(" ")))
}

fn movers_clock(ply: &Ply, white: bool) -> Option<ClockTime> {
    if white { ply.clocks.white } else { ply.clocks.black }
}

/// Returns the time from the opponent's press to this one, in milliseconds, if both were seen and the mover's clock lost about that
/// much since their last press, or gained an increment. A cable that was disconnected in between violates that.
fn thinking_time(record: &Record, index: usize, ply: &Ply, white: bool) -> Option<u64> {
    let pressed = |ply: &Ply| match ply.state {
        PlyState::Completed { by: CompletedBy::Clock, at } => Some(at),
        _ => None,
    };
    let before = record.plies.get(index.checked_sub(1)?)?;
    let elapsed = pressed(ply)?.checked_sub(pressed(before)?)?;
    let had = index.checked_sub(2).and_then(|index| record.plies.get(index)).and_then(|earlier| movers_clock(earlier, white));
    if let (Some(had), Some(has)) = (had, movers_clock(ply, white)) {
        let lost = u64::from(had.ms.saturating_sub(has.ms));
        if lost > elapsed + SLACK_MS || elapsed > u64::from(had.ms) + SLACK_MS {
            return None;
        }
    }
    Some(elapsed)
}

/// Formats hours, minutes and seconds as in `[%clk]`: `1:05:09`.
pub fn h_mm_ss(seconds: u64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Appends several words, each separately.
fn push_words(text: &mut String, words: &str) {
    words.split(' ').filter(|word| !word.is_empty()).for_each(|word| push_token(text, word));
}

/// Appends one word of the movetext, after a space or on a new line. Comments are not broken, because some readers fail on that.
fn push_token(text: &mut String, token: &str) {
    let line = text.rsplit('\n').next().map_or(0, |line| line.chars().count());
    if line > 0 {
        text.push(if line + 1 + token.chars().count() > LINE { '\n' } else { ' ' });
    }
    text.push_str(token);
}
