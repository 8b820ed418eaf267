//! What happened in a game since somebody looked at it, in words.

use crate::game::preview::write_moves;
use crate::game::rights::Audience;
use crate::game::{Command, Event, Order, PlayedMove, StampedEvent, Text};

/// Maximum number of moves that are named; of more, the last ones.
const MAX_MOVES: usize = 8;

impl Event {
    /// Whether a machine puts a result on record that the desk of the hub has entered; that result follows.
    pub fn is_result_by_hub(&self) -> bool {
        matches!(self, Event::Commanded { command: Command::Result { .. }, by } if by == Order::HUB)
    }

    /// Whether somebody who has not seen this event may misjudge the game: a move, a correction, an alert, a ruling, a result.
    /// Devices change no ruling; a move that is completed is known already; and pairings name the players of running games.
    pub fn is_news(&self) -> bool {
        match self {
            Event::GameStarted { .. } | Event::MoveMade { .. } | Event::MovesCorrected { .. } | Event::Result { .. } => true,
            Event::AlertRaised(alert) => alert.is_about_record(),
            Event::Commanded { command, by } => {
                ![Order::CLOCK, Order::HUB].contains(&by.as_str())
                    && !matches!(command, Command::Tags { .. } | Command::Claim { .. })
            }
            _ => false,
        }
    }
}

/// Returns what these events of a game changed, as far as this audience may know, one message for each change; moves that follow
/// each other are one.
pub fn news(events: &[StampedEvent], audience: Audience) -> Vec<Text> {
    let mut news = Vec::new();
    let mut moves = Vec::new();
    for stamped in events.iter().filter(|stamped| stamped.event.is_news() && stamped.event.is_for(audience)) {
        if let Event::MoveMade { played, .. } = &stamped.event {
            moves.push(played.clone());
            continue;
        }
        news.extend(played_news(&std::mem::take(&mut moves)));
        news.extend(match &stamped.event {
            Event::MovesCorrected { from_ply, moves, .. } => Some(correction_news(*from_ply, moves)),
            Event::AlertRaised(alert) => Some(Text::new("news-alert").with("kind", Text::new(alert.kind.heading_key()))),
            Event::Commanded { command, by } => {
                Some(Text::new("news-command").with("command", Text::new(command.spec().name_key)).with("by", by.clone()))
            }
            Event::Result { result: Some(result), .. } => {
                Some(Text::new("news-result").with("result", result.as_str().to_owned()))
            }
            Event::Result { result: None, .. } => Some(Text::new("news-no_result")),
            _ => None,
        });
    }
    news.extend(played_news(&moves));
    news
}

fn played_news(moves: &[PlayedMove]) -> Option<Text> {
    if moves.is_empty() {
        return None;
    }
    let named = moves.get(moves.len().saturating_sub(MAX_MOVES)..).unwrap_or_default();
    let text = Text::new(if named.len() < moves.len() { "news-played_more" } else { "news-played" });
    Some(text.with("count", moves.len() as u32).with("moves", write_moves(named)))
}

fn correction_news(from_ply: u32, moves: &[PlayedMove]) -> Text {
    match moves.get(..MAX_MOVES.min(moves.len())) {
        Some(named @ [_, ..]) => Text::new("news-corrected").with("moves", write_moves(named)),
        _ => Text::new("news-removed").with("count", from_ply.saturating_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Confidence, CorrectionReason, GameResult, ResultReason};

    fn played(ply: u32) -> PlayedMove {
        let side = if ply % 2 == 1 { "b" } else { "w" };
        let fen = format!("8/8/8/8/8/8/8/8 {side} - - 0 {}", ply / 2 + 1);
        PlayedMove { uci: "a1a2".into(), san: format!("Ra{ply}"), fen, irregular: false, evidence: Vec::new() }
    }

    fn made(ply: u32) -> Event {
        Event::MoveMade { ply, played: played(ply), confidence: Confidence::CERTAIN, alternatives: Vec::new() }
    }

    #[track_caller]
    fn check(events: Vec<Event>, expected: &[&str]) {
        let stamp = |(number, event)| StampedEvent { at: 0, number: Some(number), event };
        let events: Vec<StampedEvent> = (1..).zip(events).map(stamp).collect();
        let texts: Vec<String> = news(&events, Audience::Arbiter).iter().map(ToString::to_string).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn news_name_what_changed() {
        check(vec![made(42), made(43)], &["news-played, count 2, moves 21...Ra42 22.Ra43"]);
        let many: Vec<Event> = (1..=10).map(made).collect();
        check(many, &["news-played_more, count 10, moves 2.Ra3 Ra4 3.Ra5 Ra6 4.Ra7 Ra8 5.Ra9 Ra10"]);
        let corrected = |moves| Event::MovesCorrected { from_ply: 3, moves, reason: CorrectionReason::Takeback };
        check(
            vec![
                corrected(vec![played(3)]),
                corrected(Vec::new()),
                made(3),
                Event::Commanded { command: Command::Tags { tags: Vec::new() }, by: "a pairing".into() },
                Event::Commanded { command: Command::TakeBack { plies: 1 }, by: "Ann".into() },
                Event::Result { result: Some(GameResult::Draw), reason: ResultReason::Arbiter },
                Event::Result { result: None, reason: ResultReason::Arbiter },
                Event::AlertCleared { id: 1 },
            ],
            &[
                "news-corrected, moves 2.Ra3",
                "news-removed, count 2",
                "news-played, count 1, moves 2.Ra3",
                "news-command, command (command-take_back), by Ann",
                "news-result, result 1/2-1/2",
                "news-no_result",
            ],
        );
    }
}
