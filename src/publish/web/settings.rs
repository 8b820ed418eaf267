//! The configuration while touchmoved runs: reading and changing it.

use super::WebState;
use super::body::{self, SettingRequest};
use super::post::{COMMAND_LIMITS, read_own_body, require_right};
use super::refusal::{HandlerResult, Refusal, coded_refusal};
use crate::config::keys::{self, Key, Kind};
use crate::config::settings::{EarlierPublication, KeyValue, SettingError, ValueSource};
use crate::daemon::live_config::ChangeError;
use crate::game::rights::Right;
use crate::game::{DelayPolicy, IllegalMoves, Text};
use crate::locale::{self, Locale};
use crate::publish::http::headers::requested_locale;
use crate::wire::Word;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use serde_json::{Value, json};
use std::sync::Arc;

/// Handles `GET /api/settings`: every key with its value and where that is from.
pub(super) async fn read(State(web): State<Arc<WebState>>, headers: HeaderMap) -> HandlerResult {
    require_right(&web, &headers, Right::Administer)?;
    let (keys, file) = web.live_config.list().await;
    let keys: Vec<Value> = keys.into_iter().map(key_to_json).collect();
    Ok(Json(json!({"file": file.display().to_string(), "keys": keys})).into_response())
}

/// Handles `POST /api/settings`: sets a key, or removes what was set. 428: the change must be confirmed.
pub(super) async fn change(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let locale = requested_locale(request.uri());
    let user = require_right(&web, request.headers(), Right::Administer)?;
    let SettingRequest { key, value, confirmed } = read_own_body(&web, request, COMMAND_LIMITS, body::parse_setting).await?;
    let changed = match value {
        Some(value) => web.live_config.set(&key, &value, &user.name, confirmed).await,
        None => web.live_config.unset(&key, &user.name, confirmed).await,
    };
    let effect = changed.map_err(|error| refuse(locale, &error))?;
    Ok(Json(json!({"effect": effect.word()})).into_response())
}

fn key_to_json(KeyValue { name, value, source, effect }: KeyValue) -> Value {
    let (source, by, at) = match source {
        ValueSource::Default => ("default", String::new(), String::new()),
        ValueSource::File => ("file", String::new(), String::new()),
        ValueSource::Settings { by, at } => ("settings", by, at),
    };
    let mut json = json!({"key": name, "value": value, "source": source, "by": by, "at": at, "effect": effect.word()});
    if let (Some((_, key)), Some(fields)) = (keys::find(&name), json.as_object_mut()) {
        fields.insert("about".to_owned(), key.doc.replace('\n', " ").into());
        fields.insert("form".to_owned(), form_of(key));
    }
    json
}

/// Returns which values a key accepts, as a form can offer them.
fn form_of(key: &Key) -> Value {
    match &key.kind {
        Kind::Flag => json!({"words": ["true", "false"]}),
        Kind::Word(words) => json!({"words": words}),
        Kind::Number { min, max, unit } => json!({"min": min, "max": max, "unit": unit}),
        Kind::Model | Kind::Text { .. } | Kind::List { .. } => json!({"text": key.kind.expected()}),
    }
}

fn refuse(locale: Locale, error: &ChangeError) -> Refusal {
    let text = |name: &str| Text::new(&format!("settings-{name}"));
    let sentence = match error {
        ChangeError::Unconfirmed(EarlierPublication { before, after }) => {
            text("earlier").with("after", policy_text(after)).with("before", policy_text(before))
        }
        ChangeError::Setting(SettingError::UnknownKey { name, .. }) => text("unknown_key").with("key", name.clone()),
        ChangeError::Setting(SettingError::NotSet(name)) => text("not_set").with("key", name.clone()),
        ChangeError::Setting(SettingError::FileOnly(name)) => text("file_only").with("key", name.clone()),
        ChangeError::Setting(SettingError::BadValue { name, value, expected, .. }) => {
            text("bad_value").with("key", name.clone()).with("value", value.clone()).with("expected", expected.clone())
        }
        ChangeError::Setting(SettingError::Invalid(problems)) => text("invalid").with("problems", problems.join("; ")),
        ChangeError::WriteFailed { path, error } => {
            text("not_written").with("path", path.display().to_string()).with("error", error.to_string())
        }
    };
    coded_refusal(error.code(), locale::sentence(locale, &sentence))
}

/// Describes when the public sees a move.
fn policy_text(policy: &DelayPolicy) -> Text {
    let seconds = u32::try_from(policy.delay.ms / 1000).unwrap_or(u32::MAX);
    let (key, count) = if seconds.is_multiple_of(60) { ("time-minutes", seconds / 60) } else { ("time-seconds", seconds) };
    let policy_key = match policy.illegal_moves {
        IllegalMoves::Hold => "settings-policy_hold",
        IllegalMoves::Show => "settings-policy_show",
    };
    Text::new(policy_key).with("time", Text::new(key).with("count", count)).with("moves", policy.delay.plies)
}
