//! The text and JSON output of an explanation.

use super::{ExplainedLine, GameLog, LogEntry, LoggedInput, MIN_SHARE, Verdict, at_ply};
use crate::boards::{LinkState, Millis, SquareState};
use crate::ctl::diagram;
use crate::table::{CostParts, Hypothesis};
use crate::wire::{self, Word};
use serde_json::{Value, json};
use shakmaty::{Bitboard, Color, Piece};

/// Maximum number of lines of play listed for one moment.
const LINES: usize = 5;
/// Maximum number of moves listed for a line of play.
const MOVES: usize = 4;
/// Width of the text, in columns.
const WIDTH: usize = 98;
/// Indentation, in columns.
const INDENT: usize = 11;

/// `19. exd5 Nxd5 20. Qxd5`
pub(super) fn numbered<'a>(fen: &str, sans: impl Iterator<Item = &'a str>) -> String {
    diagram::moves(fen, sans).trim_end().replace('\n', " ")
}

impl ExplainedLine {
    /// Creates a line. `is_only`: there is no other line, so costs mean nothing. `common`: the cost of unexplained changes and
    /// presses that all lines share.
    pub(super) fn of(hypothesis: Hypothesis, ply: u32, is_only: bool, common: i32) -> ExplainedLine {
        let mut position = hypothesis.base.clone();
        let (mut sans, mut mv) = (Vec::new(), None);
        for (step, number) in hypothesis.moves.iter().zip(hypothesis.first_ply..) {
            let san = position.san(step.mv);
            if number == ply as usize {
                mv = Some(numbered(&position.fen(), [san.as_str()].into_iter()));
            }
            sans.push(san);
            position = position.play(step.mv);
        }
        let least = (ply as usize + 1).saturating_sub(hypothesis.first_ply);
        let shown = MOVES.max(least).min(sans.len());
        let mut moves = numbered(&hypothesis.base.fen(), sans.iter().take(shown).map(String::as_str));
        if shown < sans.len() {
            moves.push_str(" …");
        }
        if moves.is_empty() {
            "no move yet".clone_into(&mut moves);
        }
        let split = if is_only { vec![CostParts::default(); sans.len()] } else { hypothesis.split_costs() };
        let reasons = reasons(&hypothesis, &split, &sans, ply, if is_only { None } else { Some(common) });
        ExplainedLine { hypothesis, mv, moves, split, reasons }
    }

    pub(super) fn uci(&self, ply: u32) -> Option<String> {
        at_ply(&self.hypothesis, ply).map(|step| self.hypothesis.base.uci(step.mv))
    }

    fn object(&self, ply: u32) -> Value {
        let hypothesis = &self.hypothesis;
        let mut position = hypothesis.base.clone();
        let moves: Vec<Value> = hypothesis
            .moves
            .iter()
            .zip(&self.split)
            .map(|(step, split)| {
                let (san, uci) = (position.san(step.mv), position.uci(step.mv));
                let rival = |(mv, share): &(shakmaty::Move, crate::game::Confidence)| {
                    json!({"uci": position.uci(*mv), "san": position.san(*mv), "confidence": fraction(share.0)})
                };
                let rivals: Vec<Value> = step.rivals.iter().map(rival).collect();
                position = position.play(step.mv);
                json!({
                    "uci": uci, "san": san, "seen_at": step.made_at, "decided": step.decided.map(|decided| fraction(decided.0)),
                    "rivals": rivals, "victim_unseen": step.silent, "cost_chosen": split.chosen,
                    "cost_capture": split.capture, "cost_handling": split.handling,
                })
            })
            .collect();
        let names = |squares: Bitboard| squares.into_iter().map(|square| square.to_string()).collect::<Vec<_>>();
        json!({
            "uci": self.uci(ply), "share": fraction(hypothesis.share.0), "published": hypothesis.published,
            "first_ply": hypothesis.first_ply,
            "moves": moves, "cost_before": hypothesis.earlier_cost, "cost_troubles": hypothesis.extra_cost, "cost_now": hypothesis.pending_cost,
            "in_hand": names(hypothesis.in_hand), "held_ms": hypothesis.held, "unexplained": names(hypothesis.unexplained),
        })
    }
}

/// Returns the reasons for and against a line, in the words of an arbiter. `common` is the cost of unexplained changes and
/// presses that all lines share; `None`: there is no other line.
fn reasons(hypothesis: &Hypothesis, split: &[CostParts], sans: &[String], ply: u32, common: Option<i32>) -> Vec<String> {
    let mut reasons = Vec::new();
    let names = |squares: Bitboard| squares.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ");
    if hypothesis.unexplained.any() {
        reasons.push(format!("unexplained squares: {}", names(hypothesis.unexplained)));
    }
    if hypothesis.in_hand.any() {
        let duration = if hypothesis.held > 0 { format!(" for {} ms", hypothesis.held) } else { String::new() };
        reasons.push(format!("piece in hand from {}{duration}", names(hypothesis.in_hand)));
    }
    let lifted = hypothesis.wrong & !hypothesis.unexplained & !hypothesis.in_hand;
    if hypothesis.unexplained.is_empty() && lifted.any() {
        reasons.push(format!("{} was lifted to be captured", names(lifted)));
    }
    if hypothesis.wrong.is_empty() && hypothesis.pending_cost > 0 {
        reasons.push("squares changed that the line does not touch".to_owned());
    }
    let chosen: Vec<String> = sans
        .iter()
        .zip(split)
        .filter(|(_, split)| split.chosen > 0)
        .take(MOVES)
        .map(|(san, split)| format!("{san} {}", odds(split.chosen)))
        .collect();
    if !chosen.is_empty() {
        reasons.push(format!("chosen by players: {}", chosen.join(", ")));
    }
    for ((step, split), san) in hypothesis.moves.iter().zip(split).zip(sans).take(MOVES) {
        let to = step.mv.to();
        match step.silent {
            Some(true) => reasons.push(format!("silent capture: {to} was never seen empty")),
            Some(false) if split.capture > 0 => reasons.push(format!("{to} was seen empty before {san}")),
            _ => {}
        }
        if split.handling > 0 {
            reasons.push(format!("{san} with other squares touched or no press: {}", odds(split.handling)));
        }
    }
    if let Some(troubles) = common.map(|common| hypothesis.extra_cost - common).filter(|troubles| *troubles > 0) {
        reasons.push(format!("presses or changes that the line does not explain: {}", odds(troubles)));
    }
    if common.is_some() && hypothesis.pending_cost > 0 {
        reasons.push(format!("squares as they are now: {}", odds(hypothesis.pending_cost)));
    }
    let step = at_ply(hypothesis, ply);
    let index = (ply as usize).saturating_sub(hypothesis.first_ply);
    let before = hypothesis.moves.iter().take(index).fold(hypothesis.base.clone(), |position, step| position.play(step.mv));
    if let (Some(_), true) = (step, hypothesis.moves.len() == index + 1 && !hypothesis.possible_growth.is_empty()) {
        let open: Vec<String> = hypothesis.possible_growth.iter().take(6).map(|mv| before.san(*mv)).collect();
        let more = if hypothesis.possible_growth.len() > 6 { " …" } else { "" };
        reasons.push(format!("could still become {}{more}", open.join(", ")));
    }
    for (rival, share) in step.map(|step| step.rivals.as_slice()).unwrap_or_default() {
        reasons.push(format!("{} would explain the same readings ({} %)", before.san(*rival), share.0 / 10));
    }
    reasons
}

/// Converts thousandths to a fraction of one, as in JSON.
fn fraction(share: u16) -> f64 {
    f64::from(share) / 1000.0
}

/// Thousandths as percent: `81`, `<1`.
fn percent(share: u16) -> String {
    if share < 10 { "<1".to_owned() } else { (share / 10).to_string() }
}

/// Returns an improbability in words: `1 in 40`.
fn odds(cost: i32) -> String {
    let ratio = (f64::from(cost) / 16.0).exp2();
    let text = match ratio {
        ..10.0 => format!("1 in {ratio:.1}"),
        ..100.0 => format!("1 in {ratio:.0}"),
        ..1_000_000.0 => {
            let unit = 10f64.powf(ratio.log10().floor() - 1.0);
            format!("1 in {:.0}", (ratio / unit).round() * unit)
        }
        _ => "1 in a million or less".to_owned(),
    };
    // No-break spaces keep it on one line.
    text.replace(' ', "\u{a0}")
}

impl GameLog {
    pub(super) fn text(&self, span: &[LogEntry], ply: u32, game: usize, colours: bool) -> String {
        let bold = |text: &str| if colours { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() };
        let mut text = String::new();
        let state = self
            .published
            .as_ref()
            .map_or_else(|| "no move is on record there now".to_owned(), |mv| format!("published as {mv}"));
        text.push_str(&format!("{}\nfrom {}\n\n", bold(&format!("Game {game}, ply {ply}: {state}")), self.before));
        let pad = " ".repeat(INDENT);
        let mut possible: &[(Option<String>, u16)] = &[];
        for entry in span {
            let happened: Vec<String> = entry.happened.iter().map(LoggedInput::sentence).collect();
            text.push_str(&wrapped(&format!("{:>9}  ", seconds(entry.at)), &happened.join(", ")));
            if let Some((lines, shares)) = &entry.possible {
                // Lines with a reportable share, and the best line of each move that had one before, to show why it was dropped.
                let was_dropped = |line: &&ExplainedLine| {
                    let uci = line.uci(ply);
                    let best = lines.iter().find(|other| other.uci(ply) == uci);
                    uci.is_some()
                        && best.is_some_and(|best| std::ptr::eq(best, *line))
                        && possible.iter().any(|(known, _)| *known == uci)
                };
                let shown_lines: Vec<&ExplainedLine> =
                    lines.iter().filter(|line| line.hypothesis.share.0 >= MIN_SHARE || was_dropped(line)).take(LINES).collect();
                possible = shares;
                for line in &shown_lines {
                    let share = format!("{pad}{:>4} %  ", percent(line.hypothesis.share.0));
                    let published = if line.hypothesis.published && lines.len() > 1 { "  (the line followed)" } else { "" };
                    text.push_str(&format!("{share}{}{published}\n", bold(&line.moves)));
                    if !line.reasons.is_empty() {
                        text.push_str(&wrapped(&" ".repeat(share.len() + 2), &line.reasons.join("; ")));
                    }
                }
                let (omitted, shown) =
                    (lines.len() - shown_lines.len(), shown_lines.iter().map(|line| line.hypothesis.share.0).sum::<u16>());
                if omitted > 0 {
                    let together = 1000u16.saturating_sub(shown) / 10;
                    let share = if together == 0 { "less than 1 %".to_owned() } else { format!("{together} %") };
                    text.push_str(&format!("{pad}        and {omitted} more lines, {share} in total\n"));
                }
            }
            if let Some((now, before)) = &entry.published {
                let change = match (before, now) {
                    (None, Some(now)) => format!("published: {now}"),
                    (Some(before), Some(now)) => format!("published: {now}, corrected from {before}"),
                    (_, None) => format!("no longer published: {}", before.as_deref().unwrap_or_default()),
                };
                text.push_str(&format!("{pad}{}\n", bold(&change)));
            }
        }
        text.push('\n');
        text.push_str(&bold(wrapped("", &self.sentence(span, ply)).trim_end()));
        text.push('\n');
        text
    }

    fn sentence(&self, span: &[LogEntry], ply: u32) -> String {
        let by = |entry: &LogEntry| entry.happened.iter().map(LoggedInput::sentence).collect::<Vec<_>>().join(", ");
        match self.verdict(span, ply) {
            Verdict::Alone { mv, at } => {
                format!("No other move than {mv} was ever possible, seen at {} s ({}).", seconds(at.at), by(at))
            }
            Verdict::Decided { mv, share, at } => {
                format!("Decided by what happened at {} s ({}): {mv} ({} %).", seconds(at.at), by(at), share / 10)
            }
            Verdict::Open(moves) => {
                let moves: Vec<String> = moves.iter().map(|(mv, share)| format!("{mv} ({} %)", share / 10)).collect();
                match moves.as_slice() {
                    [only] => format!("Nothing in the recording confirms it: {only}."),
                    [first @ .., last] => {
                        format!("Nothing in the recording decides between {} and {last}.", first.join(", "))
                    }
                    [] => "Nothing in the recording decides it.".to_owned(),
                }
            }
            Verdict::TakenBack => {
                "No move is on record at this ply any more: it was taken back, or was never played.".to_owned()
            }
        }
    }

    /// Returns the explanation as JSON Lines.
    pub(super) fn objects(&self, span: &[LogEntry], ply: u32, game: usize) -> String {
        let mut lines = Vec::new();
        for entry in span {
            let happened: Vec<Value> = entry.happened.iter().map(LoggedInput::object).collect();
            let mut object = json!({"t": entry.at, "happened": happened});
            if let Some((now, before)) = &entry.published {
                object["published"] = json!({"now": now, "before": before});
            }
            if let Some((lines, _)) = &entry.possible {
                object["hypotheses"] = lines.iter().map(|line| line.object(ply)).collect();
            }
            lines.push(object);
        }
        let mut end = json!({"game": game, "ply": ply, "published": self.published, "fen": self.before, "sentence": self.sentence(span, ply)});
        let (word, at, moves) = match self.verdict(span, ply) {
            Verdict::Alone { mv, at } => ("alone", Some(at.at), vec![(mv, 1000)]),
            Verdict::Decided { mv, share, at } => ("decided", Some(at.at), vec![(mv, share)]),
            Verdict::Open(moves) => ("open", None, moves),
            Verdict::TakenBack => ("taken_back", None, Vec::new()),
        };
        end["verdict"] = json!(word);
        end["at"] = json!(at);
        end["moves"] = moves.into_iter().map(|(mv, share)| json!({"move": mv, "share": fraction(share)})).collect();
        lines.push(end);
        lines.into_iter().map(|line| format!("{line}\n")).collect()
    }
}

impl LoggedInput {
    fn sentence(&self) -> String {
        match self {
            LoggedInput::Edge { square, before, now } => match (before, now) {
                (SquareState::Empty, now) => format!("{square}: {} put down", named(*now)),
                (before, SquareState::Empty) => format!("{square}: {} lifted", named(*before)),
                (before, now) => format!("{square}: {} -> {}", named(*before), named(*now)),
            },
            LoggedInput::Begins => "the game begins".to_owned(),
            LoggedInput::Quiet(ms) => format!("nothing has changed for {ms} ms"),
            LoggedInput::Press(by) => format!("{} pressed the clock", player(*by)),
            LoggedInput::Order(order) => format!("command of {order}"),
            LoggedInput::Link(LinkState::Up) => "the cable is plugged in".to_owned(),
            LoggedInput::Link(LinkState::Down) => "the cable is pulled out".to_owned(),
        }
    }

    fn object(&self) -> Value {
        match self {
            LoggedInput::Edge { square, before, now } => json!({
                "edge": square.to_string(), "before": wire::sensed_to_word(*before), "now": wire::sensed_to_word(*now),
            }),
            LoggedInput::Begins => json!({"game_begins": true}),
            LoggedInput::Quiet(ms) => json!({"quiet_ms": ms}),
            LoggedInput::Press(by) => json!({"press": by.word()}),
            LoggedInput::Order(order) => json!({"order": order}),
            LoggedInput::Link(state) => json!({"link": state.word()}),
        }
    }
}

fn player(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

fn named(sensed: SquareState) -> String {
    match sensed {
        SquareState::Piece(Piece { color, role }) => format!("{} {}", color.word(), Word::word(role)),
        SquareState::Side(color) => format!("a {} piece", color.word()),
        SquareState::Occupied => "a piece".to_owned(),
        SquareState::Empty => "nothing".to_owned(),
    }
}

fn seconds(at: Millis) -> String {
    format!("{}.{:03}", at / 1000, at % 1000)
}

/// Wraps the text after this beginning, with its later lines indented equally, and ends it with a newline.
fn wrapped(begin: &str, text: &str) -> String {
    let indent = " ".repeat(begin.chars().count());
    let mut lines = vec![begin.to_owned()];
    let mut column = indent.len();
    let mut first = true;
    for word in text.split(' ') {
        let length = word.chars().count();
        if !first && column + 1 + length > WIDTH {
            lines.push(indent.clone());
            (column, first) = (indent.len(), true);
        }
        if let Some(line) = lines.last_mut() {
            if !first {
                line.push(' ');
                column += 1;
            }
            line.push_str(word);
            column += length;
        }
        first = false;
    }
    lines.into_iter().map(|line| line.replace('\u{a0}', " ") + "\n").collect()
}
