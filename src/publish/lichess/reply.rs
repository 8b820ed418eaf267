//! Lichess's responses to games that were sent, and how to react to them.

use crate::publish::http::request::Response;
use serde::Deserialize;
use std::time::Duration;

/// The page that creates a token with exactly the required scope.
const NEW_TOKEN: &str = "/account/oauth/token/create?scopes[]=study:write&description=touchmove";
/// Maximum length of a quoted response, in characters.
const MAX_REPLY_CHARS: usize = 200;

/// A response of Lichess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LichessReply {
    /// Lichess has read the games; its result for each of them.
    Processed(Vec<GameOutcome>),
    /// A temporary failure; retry later.
    RetryLater {
        /// The minimum time to wait; `None`: unspecified.
        wait: Option<Duration>,
        /// The reason, as part of a sentence.
        reason: String,
    },
    /// Too many requests, from this address or token: no request of any round before the time has passed.
    RateLimited {
        /// The time from `Retry-After`, else one minute.
        wait: Duration,
        /// The reason, as part of a sentence.
        reason: String,
    },
    /// A failure that lasts until a person acts; a sentence that says how.
    Rejected(String),
}

/// Lichess's result for one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GameOutcome {
    /// The name of White, as Lichess read it.
    pub white: String,
    /// The name of Black, as Lichess read it.
    pub black: String,
    /// The reason why Lichess rejected the game.
    pub error: Option<String>,
}

#[derive(Deserialize)]
struct Body {
    games: Vec<BodyGame>,
}

#[derive(Deserialize)]
struct BodyGame {
    #[serde(default)]
    tags: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    error: Option<String>,
}

impl LichessReply {
    /// Interprets the response to a push. `site`: the server's URL without a trailing slash; `round`: the round's id there.
    pub(super) fn from_response(response: &Response, site: &str, round: &str) -> LichessReply {
        let message = error_message(&response.text);
        match response.status {
            200..=299 => parse_outcomes(&response.text).map_or_else(
                || LichessReply::RetryLater {
                    wait: None,
                    reason: format!("touchmove does not understand the response of {site}: {message}"),
                },
                LichessReply::Processed,
            ),
            429 => {
                let reason = format!("{site} received too many requests");
                LichessReply::RateLimited { wait: response.retry_after.unwrap_or(Duration::from_secs(60)), reason }
            }
            408 | 425 | 500..=599 => LichessReply::RetryLater {
                wait: response.retry_after,
                reason: format!("{site} has a server error (status {})", response.status),
            },
            status => LichessReply::Rejected(rejection_advice(status, &message, site, round)),
        }
    }
}

/// Returns what to do about a status that means that the request or its authorization is wrong.
pub fn rejection_advice(status: u16, message: &str, site: &str, round: &str) -> String {
    match status {
        400 => format!(
            "{site} accepts no games for round {round} ({message}): check whether that round has a source URL on its page, and remove it there"
        ),
        401 => format!(
            "{site} does not know the token: create one at {site}{NEW_TOKEN} and put it into the file that [lichess] token_file or the credential names"
        ),
        403 => format!(
            "the token may not write into round {round} of {site}: create one with the scope study:write at {site}{NEW_TOKEN}, with an account that may contribute to the broadcast"
        ),
        404 => format!(
            "{site} has no round {round} that this token may write to: round in [lichess] is the last eight letters and digits of the round's address there, and the token's account must be a contributor"
        ),
        413 => format!("{site} accepts no more games at once: split round {round} into two"),
        300..=399 => format!("Lichess is no longer at {site} (status {status}): set url in [lichess]"),
        _ => {
            format!("{site} rejects the games of round {round} (status {status}: {message}): check the page of that round")
        }
    }
}

fn parse_outcomes(text: &str) -> Option<Vec<GameOutcome>> {
    let body: Body = serde_json::from_str(text).ok()?;
    let tag = |game: &BodyGame, name| game.tags.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let outcome = |game: BodyGame| {
        let error = game.error.as_deref().map(error_message);
        GameOutcome { white: tag(&game, "White"), black: tag(&game, "Black"), error }
    };
    Some(body.games.into_iter().map(outcome).collect())
}

/// Returns the message of a response on one line: `error` if it is a JSON object, else the whole text.
pub fn error_message(text: &str) -> String {
    let object: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let error = object.as_ref().and_then(|object| object.get("error")).and_then(|error| error.as_str());
    let line: String = error.unwrap_or(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_REPLY_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None if line.is_empty() => "no reason given".to_owned(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, retry_after: Option<u64>, text: &str) -> LichessReply {
        let response = Response { status, retry_after: retry_after.map(Duration::from_secs), text: text.to_owned() };
        LichessReply::from_response(&response, "https://lichess.org", "AbCd1234")
    }

    #[test]
    fn outcomes_of_games() {
        let text = r#"{"games":[{"tags":{"White":"Ada","Black":"Bob","Event":"x"},"moves":22},{"tags":{"White":"Cid"},"error":"Illegal\nmove"}]}"#;
        let outcome = |white: &str, black: &str, error: Option<&str>| GameOutcome {
            white: white.into(),
            black: black.into(),
            error: error.map(str::to_owned),
        };
        assert_eq!(
            read(200, None, text),
            LichessReply::Processed(vec![outcome("Ada", "Bob", None), outcome("Cid", "", Some("Illegal move"))])
        );
        assert!(
            matches!(read(200, None, "<html>"), LichessReply::RetryLater { wait: None, reason } if reason.contains("<html>"))
        );
    }

    #[test]
    fn actions_after_a_failure() {
        let wait = |reply: LichessReply| match reply {
            LichessReply::RetryLater { wait, .. } => wait.map(|wait| wait.as_secs()),
            LichessReply::RateLimited { wait, .. } => Some(wait.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(wait(read(429, Some(7), "")), Some(7));
        assert_eq!(wait(read(429, None, "")), Some(60));
        assert_eq!((wait(read(502, None, "")), wait(read(503, Some(3), ""))), (None, Some(3)));
        let check_rejected = |status, text: &str, expect: &str| match read(status, None, text) {
            LichessReply::Rejected(message) => assert!(message.contains(expect), "{status}: {message}"),
            other => panic!("{other:?}"),
        };
        check_rejected(400, r#"{"error":"The relay has an upstream URL"}"#, "(The relay has an upstream URL)");
        check_rejected(401, "", "https://lichess.org/account/oauth/token/create?scopes[]=study:write");
        check_rejected(403, "", "study:write");
        check_rejected(404, "", "no round AbCd1234");
        check_rejected(302, "", "set url in [lichess]");
        check_rejected(418, &"x".repeat(999), "xxx…");
    }
}
