//! What a command would do, in words, before it is given.

use crate::game::event::ClockTimes;
use crate::game::json::{two_results, words};
use crate::game::pgn::h_mm_ss;
use crate::game::rights::Audience;
use crate::game::{Alert, AlertKind, ClockTime, Command, Event, GameResult, PlayedMove, Record, StampedEvent, Text};
use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// The difference that a command would make to a game. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// The number of the last event of the game as of which this is true; 0: there is no game.
    pub last_number: u64,
    /// The command that would be undone; `None`: the command is not an undo.
    pub undone: Option<Command>,
    /// The first ply that changes, from 1; 0: no move changes.
    pub first_ply: u32,
    /// The moves that leave the record.
    pub removed: Vec<PlayedMove>,
    /// The moves that come on record in their place.
    pub added: Vec<PlayedMove>,
    /// A new game begins, and the current one, which has this number of plies and no result, goes no further.
    pub ended: Option<u32>,
    /// The game before this one continues, which has this number of plies.
    pub continued: Option<u32>,
    /// The last position now, as FEN; empty: there is no game.
    pub before: String,
    /// The last position afterwards, as FEN.
    pub after: String,
    /// What both clocks showed when the position afterwards was completed.
    pub clocks: ClockTimes,
    /// The result now, and the one afterwards.
    #[serde(with = "two_results")]
    pub results: (Option<GameResult>, Option<GameResult>),
    /// The open alert that the command answers, and the number of plies played since it was raised.
    pub alert: Option<(u32, u32)>,
    /// The kinds of the alerts that would be cleared.
    #[serde(with = "words")]
    pub cleared: Vec<AlertKind>,
    /// The kinds of the alerts that would be raised.
    #[serde(with = "words")]
    pub raised: Vec<AlertKind>,
}

impl Preview {
    /// Compares the record before and after a command that was carried out on a copy of the game. `events`: what it published.
    pub(crate) fn new(
        command: &Command,
        undone: Option<Command>,
        before: Option<&Record>,
        after: &Record,
        events: &[StampedEvent],
    ) -> Preview {
        let begins = events.iter().any(|stamped| matches!(stamped.event, Event::GameStarted { .. }));
        let moves = |record: Option<&Record>| -> Vec<PlayedMove> {
            record.map_or_else(Vec::new, |record| record.plies.iter().map(|ply| ply.played.clone()).collect())
        };
        let (old, new) = if begins { (Vec::new(), Vec::new()) } else { (moves(before), moves(Some(after))) };
        let same = common(old.iter().zip(&new));
        let same_end = common(old.iter().skip(same).rev().zip(new.iter().skip(same).rev()));
        let changed = |moves: Vec<PlayedMove>| -> Vec<PlayedMove> {
            let count = moves.len() - same - same_end;
            moves.into_iter().skip(same).take(count).collect()
        };
        let (removed, added) = (changed(old), changed(new));
        let is_changed = !(removed.is_empty() && added.is_empty());
        let alert = before.and_then(|before| Some((before, answered_alert(command, before)?)));
        let open = |record: &Record, id: u32| record.alerts.iter().any(|alert| alert.id == id);
        let known = before.map_or(&[][..], |before| &before.alerts);
        Preview {
            last_number: before.map_or(0, |before| before.last_number),
            undone,
            first_ply: if is_changed { same as u32 + 1 } else { 0 },
            removed,
            added,
            ended: before.filter(|before| begins && before.result.is_none()).map(|before| before.plies.len() as u32),
            continued: None,
            before: before.map_or_else(String::new, |before| before.fen().to_owned()),
            after: after.fen().to_owned(),
            clocks: after.clocks_at(after.plies.len() as u32),
            results: (
                before.filter(|_| !begins).and_then(|before| before.result).map(|(result, _)| result),
                after.result.map(|(result, _)| result),
            ),
            alert: alert.map(|(before, alert)| (alert.id, before.plies_since(alert.id))),
            // The alerts of a game that goes no further stay open in it.
            cleared: known.iter().filter(|alert| !begins && !open(after, alert.id)).map(|alert| alert.kind).collect(),
            raised: after
                .alerts
                .iter()
                .filter(|alert| begins || !before.is_some_and(|before| open(before, alert.id)))
                .map(|alert| alert.kind)
                .collect(),
        }
    }

    /// Returns what this audience may know of it: the alerts that it is told of. `last_number`: of the last event it knows of.
    #[must_use]
    pub fn for_audience(mut self, audience: Audience, last_number: u64) -> Preview {
        self.last_number = last_number.min(self.last_number);
        self.cleared.retain(|kind| kind.audience() <= audience);
        self.raised.retain(|kind| kind.audience() <= audience);
        self.alert = self.alert.filter(|_| audience == Audience::Arbiter);
        self
    }

    /// Describes that an earlier game continues instead of the current one.
    pub fn continuing(current: &Record, earlier: &Record) -> Preview {
        let plies = earlier.plies.len() as u32;
        Preview {
            last_number: current.last_number,
            undone: None,
            first_ply: 0,
            removed: Vec::new(),
            added: Vec::new(),
            ended: None,
            continued: Some(plies),
            before: current.fen().to_owned(),
            after: earlier.fen().to_owned(),
            clocks: earlier.clocks_at(plies),
            results: (None, None),
            alert: None,
            cleared: Vec::new(),
            raised: Vec::new(),
        }
    }

    /// Whether something that was played leaves the record, or the game goes no further.
    pub fn removes_moves(&self) -> bool {
        !self.removed.is_empty() || self.ended.is_some_and(|plies| plies > 0)
    }

    /// Whether somebody is asked before the command is given: something that was played or decided goes, or is not obvious.
    pub fn asks(&self) -> bool {
        self.removes_moves() || self.undone.is_some() || matches!(self.results, (Some(_), None))
    }

    /// Returns the number of plies that were played since the alert that the command answers was raised.
    pub fn plies_since_alert(&self) -> u32 {
        self.alert.map_or(0, |(_, plies)| plies)
    }

    /// Returns what would happen, one message for each line.
    pub fn lines(&self) -> Vec<Text> {
        let mut lines = Vec::new();
        if let Some(undone) = &self.undone {
            lines.push(Text::new("preview-undoes").with("command", Text::new(undone.spec().name_key)));
        }
        if let Some(plies) = self.ended {
            lines.push(Text::new("preview-ends").with("count", plies));
        }
        if let Some(plies) = self.continued {
            lines.push(Text::new("preview-continues").with("count", plies));
        }
        lines.extend([("preview-removes", &self.removed), ("preview-adds", &self.added)].into_iter().filter_map(
            |(key, moves)| {
                let first = moves.first()?;
                let text = Text::new(key).with("count", moves.len() as u32);
                let text = text.with("player", first.mover().unwrap_or(Color::White));
                Some(text.with("number", first.number()).with("san", first.numbered_san()))
            },
        ));
        if self.first_ply == 0 && self.ended.is_none() && self.continued.is_none() {
            lines.push(Text::new("preview-no_moves"));
        }
        if self.first_ply > 0 && (self.clocks.white.is_some() || self.clocks.black.is_some()) {
            let text = |time: Option<ClockTime>| time.map_or_else(|| "–".to_owned(), |time| h_mm_ss(u64::from(time.ms) / 1000));
            let clocks = Text::new("preview-clocks").with("white", text(self.clocks.white));
            lines.push(clocks.with("black", text(self.clocks.black)));
        }
        match self.results {
            (was, Some(result)) if was != Some(result) => {
                lines.push(Text::new("preview-result").with("result", result.as_str().to_owned()));
            }
            (Some(was), None) => lines.push(Text::new("preview-no_result").with("result", was.as_str().to_owned())),
            _ => {}
        }
        if self.plies_since_alert() > 0 {
            lines.push(Text::new("preview-played_on").with("count", self.plies_since_alert()));
        }
        let of_kinds = |key: &'static str, kinds: &[AlertKind]| -> Vec<Text> {
            kinds.iter().map(|kind| Text::new(key).with("kind", Text::new(kind.heading_key()))).collect()
        };
        lines.extend(of_kinds("preview-clears", &self.cleared));
        lines.extend(of_kinds("preview-raises", &self.raised));
        lines
    }

    /// Returns the words of the button that carries the command out: what it does.
    pub fn action(&self) -> Text {
        let count = |moves: &[PlayedMove]| moves.len() as u32;
        match (self.removed.as_slice(), self.added.as_slice()) {
            _ if self.ended.is_some() => Text::new("preview-do_begin"),
            ([], []) => match self.results {
                (was, Some(result)) if was != Some(result) => {
                    Text::new("preview-do_result").with("result", result.as_str().to_owned())
                }
                (Some(_), None) => Text::new("preview-do_no_result"),
                _ => Text::new("page-do-it"),
            },
            (removed, []) => Text::new("preview-do_remove").with("count", count(removed)),
            ([], added) => Text::new("preview-do_add").with("count", count(added)),
            (removed, _) => Text::new("preview-do_change").with("count", count(removed)),
        }
    }
}

/// Returns the number of pairs, from the first on, that are the same move.
fn common<'a>(pairs: impl Iterator<Item = (&'a PlayedMove, &'a PlayedMove)>) -> usize {
    pairs.take_while(|(old, new)| (old.uci == new.uci) && (!old.is_missing() || old.fen == new.fen)).count()
}

/// Returns the open alert that a command answers: the one that it names, or the last one about the move that it names.
fn answered_alert<'a>(command: &Command, record: &'a Record) -> Option<&'a Alert> {
    let by_id = |id: u32| record.alerts.iter().find(|alert| alert.id == id);
    let at_ply = |ply: u32| record.alerts.iter().rev().find(|alert| alert.ply == ply && alert.is_about_record());
    let known = record.plies.len() as u32;
    match command {
        Command::Acknowledge { alert } | Command::LetStand { alert } | Command::Adopt { alert } => by_id(*alert),
        Command::Restore { ply }
        | Command::Replace { ply, .. }
        | Command::Insert { ply, .. }
        | Command::Promotion { ply: Some(ply), .. } => at_ply(*ply),
        Command::TakeBack { plies } => at_ply((known + 1).saturating_sub(*plies)),
        _ => None,
    }
}

/// Writes moves as in a score sheet: `21.Nf3 Qa5 22.d4`.
pub fn write_moves(moves: &[PlayedMove]) -> String {
    let mut text = String::new();
    let mut last = None;
    for played in moves {
        if !text.is_empty() {
            text.push(' ');
        }
        let mover = played.mover();
        match (last, mover) {
            (Some(Color::White), Some(Color::Black)) => text.push_str(&played.san),
            _ => text.push_str(&played.numbered_san()),
        }
        last = mover;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(san: &str, fen: &str) -> PlayedMove {
        PlayedMove { uci: "a1a2".into(), san: san.into(), fen: fen.into(), irregular: false, evidence: Vec::new() }
    }

    #[test]
    fn moves_are_numbered_as_in_a_score_sheet() {
        let moves = [
            played("Qa5", "8/8/8/8/8/8/8/8 w - - 0 22"),
            played("Nf3", "8/8/8/8/8/8/8/8 b - - 0 22"),
            played("Rd8", "8/8/8/8/8/8/8/8 w - - 0 23"),
            played("Re1", "8/8/8/8/8/8/8/8 b - - 0 23"),
            // White moved twice.
            played("Re1-e2", "8/8/8/8/8/8/8/8 b - - 0 24"),
        ];
        assert_eq!(write_moves(&moves), "21...Qa5 22.Nf3 Rd8 23.Re1 24.Re1-e2");
        assert_eq!(write_moves(&moves[1..2]), "22.Nf3");
        assert_eq!(write_moves(&[]), "");
    }
}
