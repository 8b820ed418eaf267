//! Alerts as JSON.

use super::card::AudienceView;
use crate::daemon::hub::GameView;
use crate::game::rights::Audience;
use crate::game::{Alert, Arg, Sighting, TouchSighting};
use crate::laws::{Laws, Position};
use crate::locale;
use crate::wire::{Word, sensed_to_word};
use serde_json::{Value, json};
use shakmaty::{Color, Square};

/// Converts an alert of this game to JSON, for its audience and in its language.
pub(super) fn alert_to_json(view: &AudienceView, game: &GameView, alert: &Alert) -> Value {
    let locale = view.locale;
    let offers = alert.offers().filter(|offer| offer.right().role().audience() <= view.audience);
    json!({
        "id": alert.id,
        "kind": alert.kind.word(),
        "heading": locale::alert_heading(locale, alert.kind.word()),
        "matter": alert.kind.category().word(),
        "notice": alert.kind.is_notice(),
        "urgency": alert.kind.urgency(),
        "by": alert.by.map(Color::word),
        "text": locale::sentence(locale, &alert.text),
        "articles": alert.articles,
        "laws": laws_name(&game.record.laws),
        "ply": alert.ply,
        "squares": alert.squares.iter().map(Square::to_string).collect::<Vec<_>>(),
        "required": alert.required.iter().map(|act| locale::ruling_act(locale, act)).collect::<Vec<_>>(),
        "actions": alert.required.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "allowed": alert.allowed,
        "allowed_san": allowed_sans(alert),
        "position": alert.position,
        "clock_white_ms": alert.clocks.white.map(|time| time.ms),
        "clock_black_ms": alert.clocks.black.map(|time| time.ms),
        "raised": game.alerts_raised_at.get(&alert.id).map(|at| game.wall_ms(*at)),
        "since": game.alerts_raised_at.get(&alert.id).map(|at| game.steady_ms(*at)),
        // What the squares showed is what the players touched.
        "evidence": if view.audience == Audience::Arbiter { evidence_to_json(game, &alert.evidence) } else { json!([]) },
        "evidence_kind": alert.touch_evidence().map(Word::word),
        "touches": if view.audience == Audience::Arbiter { touches_to_json(game, &alert.touches) } else { json!([]) },
        "count": alert.count,
        "put_right": alert.put_right,
        "proposed": alert.proposed,
        "plies_since": game.record.plies_since(alert.id),
        "result": proposed_result(alert),
        "offers": offers.map(Word::word).collect::<Vec<_>>(),
    })
}

/// Returns the moves that touched pieces allow, in SAN; in UCI where the position does not have them.
fn allowed_sans(alert: &Alert) -> Vec<String> {
    let position = if alert.allowed.is_empty() { None } else { Position::from_fen(&alert.position, false).ok() };
    let san = |uci: &String| {
        let position = position.as_ref()?;
        position.parse_uci(uci).map(|mv| position.san(mv))
    };
    alert.allowed.iter().map(|uci| san(uci).unwrap_or_else(|| uci.clone())).collect()
}

/// Returns the result that awaits the arbiter's decision, if the alert is about one.
fn proposed_result(alert: &Alert) -> Option<&str> {
    alert.text.args.iter().find_map(|(name, arg)| match arg {
        Arg::Plain(result) if name == "result" => Some(result.as_str()),
        _ => None,
    })
}

/// Converts what squares showed to JSON.
pub(super) fn evidence_to_json(game: &GameView, evidence: &[Sighting]) -> Value {
    let to_json = |sighting: &Sighting| {
        json!({
            "wall_ms": game.wall_ms(sighting.at),
            "square": sighting.square.to_string(),
            "before": sensed_to_word(sighting.before),
            "now": sensed_to_word(sighting.now),
        })
    };
    evidence.iter().map(to_json).collect()
}

/// Converts the hands that the board sensed to JSON.
fn touches_to_json(game: &GameView, touches: &[TouchSighting]) -> Value {
    let to_json = |touch: &TouchSighting| {
        json!({
            "wall_ms": game.wall_ms(touch.at),
            "until_wall_ms": game.wall_ms(touch.until),
            "square": touch.square.to_string(),
        })
    };
    touches.iter().map(to_json).collect()
}

/// Returns the name of the Laws for a sentence: `FIDE Laws of 2023, standard`.
pub(super) fn laws_name(text: &str) -> String {
    match text.parse::<Laws>() {
        Ok(laws) => {
            let rest = laws.to_string();
            let rest = rest.strip_prefix(laws.edition.name.as_str()).unwrap_or_default().trim();
            format!("{}, {}", laws.edition.title, if rest.is_empty() { "standard" } else { rest })
        }
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::game::alert::RulingOffer;
    use crate::wire::Word;

    #[test]
    fn the_page_has_buttons_for_every_ruling_that_is_offered() {
        let script = include_str!("page/rule.js");
        let offers =
            script.split_once("const OFFERS = {").expect("the list of buttons").1.split_once("\n};").expect("its end").0;
        for (word, _) in RulingOffer::WORDS {
            assert!(offers.contains(&format!("\n  {word}: (")), "{word} has no button");
        }
    }
}
