//! The content of a notification about one alert.

use crate::config::hooks::matter_word;
use crate::daemon::hub::round_games::tag_value;
use crate::daemon::hub::{GameView, Published};
use crate::game::{Alert, Event};
use crate::locale::{self, Locale};
use crate::wire::{self, Word};
use serde_json::{Value, json};

/// The content of a notification about one alert.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AlertNotification {
    /// The table number, else the name of the board.
    pub place: String,
    /// Both players; empty if unknown.
    pub players: String,
    /// The kind of alert in two to four words.
    pub heading: String,
    /// A sentence that describes the event.
    pub sentence: String,
    /// The articles of the Laws, the most important first, separated by commas.
    pub articles: String,
    /// The acts that the Laws then require, one sentence each.
    pub required: Vec<String>,
    /// The word of the kind, as in docs/events.md.
    pub kind: &'static str,
    /// Whether the alert is a mere notice, which may need no action.
    pub is_notice: bool,
    /// The environment variables of the program: names without the prefix `TOUCHMOVE_`, and values.
    pub variables: Vec<(&'static str, String)>,
    /// The whole content as JSON.
    pub json: Value,
}

impl AlertNotification {
    /// Creates the notification of an alert that was raised; `None` for other events. `game`: the game of the alert.
    pub(super) fn new(published: &Published, game: &GameView, language: Locale) -> Option<AlertNotification> {
        let Event::AlertRaised(alert) = &published.stamped.event else { return None };
        let tag = |name: &str| tag_value(&game.record.tags, name).unwrap_or_default().to_owned();
        let (white, black, table) = (tag("White"), tag("Black"), tag("Table"));
        let board = published.board.to_string();
        let players = if white.is_empty() && black.is_empty() { String::new() } else { format!("{white} - {black}") };
        let Alert { kind, text, articles, required, .. } = &**alert;
        let heading = locale::alert_heading(language, kind.word());
        let sentence = locale::sentence(language, text);
        let required: Vec<String> = required.iter().map(|act| locale::ruling_act(language, act)).collect();
        let json = json!({
            "board": board,
            "table": table.parse::<u16>().ok(),
            "game": game.id,
            "white": white,
            "black": black,
            "matter": matter_word(kind.category()),
            "notice": kind.is_notice(),
            "heading": heading,
            "sentence": sentence,
            "required": required,
            "laws": game.record.laws,
            "wall_ms": published.wall_ms,
            "alert": wire::event_to_value(&published.stamped),
        });
        let articles = articles.join(", ");
        let variables = vec![
            ("KIND", kind.word().to_owned()),
            ("MATTER", matter_word(kind.category()).to_owned()),
            ("BOARD", board.clone()),
            ("TABLE", table.clone()),
            ("GAME", game.id.to_string()),
            ("PLAYERS", players.clone()),
            ("WHITE", white),
            ("BLACK", black),
            ("ARTICLES", articles.clone()),
            ("HEADING", heading.clone()),
            ("SENTENCE", sentence.clone()),
        ];
        let place = if table.is_empty() { board } else { table };
        let (kind, is_notice) = (kind.word(), kind.is_notice());
        Some(AlertNotification { place, players, heading, sentence, articles, required, kind, is_notice, variables, json })
    }
}
