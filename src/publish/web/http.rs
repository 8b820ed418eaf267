//! What is asked over HTTP, and who may ask.

use super::game::Told;
use super::page::{self, File};
use super::who::{Audience, Who, audience};
use super::{Web, game, post, stream};
use crate::daemon::hub::State as Seen;
use crate::game::pgn::AfterIllegal;
use crate::locale::{self, Locale};
use crate::publish::dbus::{self, Stream};
use crate::publish::guests::Guest;
use crate::publish::origin::is_host;
use crate::wire::Word;
use axum::extract::{Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post as on_post};
use axum::{Extension, Json, Router};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The page loads what is its own, and asks nobody else. chessground draws its arrows as SVG elements, and places pieces by the
/// style properties of elements, which a policy for styles does not touch.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// The number of the last server-sent event that a browser heard.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Everything that is there.
pub fn router(web: &Arc<Web>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/board/{id}", get(index))
        .route("/page/{*file}", get(file))
        .route("/api/words", get(words))
        .route("/api/state", get(state))
        .route("/api/events", get(events))
        .route("/api/games/{id}", get(one_game))
        .route("/api/games/{id}/pgn", get(pgn))
        .route("/api/login", on_post(post::login))
        .route("/api/logout", on_post(post::logout))
        .route("/api/command", on_post(post::command))
        .route("/api/round", on_post(post::round))
        .fallback(async || refusal(StatusCode::NOT_FOUND, "there is nothing here: the page is at /"))
        .layer(from_fn_with_state(Arc::clone(web), guard))
        .with_state(Arc::clone(web))
}

/// The time of day, in milliseconds since 1970-01-01 UTC.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis() as i64)
}

/// Lets in who asks by a name of ours, and says to browsers what the page may do.
async fn guard(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    // One that asks for two hosts is taken by others for what it is not here.
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none()).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let named = request.uri().authority().is_none_or(|authority| is_host(&web.config.hosts, authority.as_str()));
    let mut response = if named && is_host(&web.config.hosts, host) {
        next.run(request).await
    } else {
        refusal(
            StatusCode::FORBIDDEN,
            "this is not a name of this server: ask by its address, or add the name to `hosts` under [web]",
        )
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A sentence that says what to do.
pub fn refusal(status: StatusCode, why: impl Into<String>) -> Response {
    (status, Json(json!({"error": why.into()}))).into_response()
}

async fn index() -> Response {
    give(&page::INDEX)
}

async fn file(Path(name): Path<String>) -> Response {
    match page::FILES.iter().find(|file| file.name == name) {
        Some(file) => give(file),
        None => refusal(StatusCode::NOT_FOUND, "the page has no such file"),
    }
}

fn give(file: &'static File) -> Response {
    ([(CONTENT_TYPE, file.kind)], file.bytes).into_response()
}

/// Who is logged in, as the page is told.
pub fn who(who: Option<&Who>) -> Value {
    who.map_or(Value::Null, |who| json!({"name": who.name, "role": who.role.word()}))
}

/// What the page says, in the language that is asked for.
async fn words(uri: Uri) -> Response {
    Json(locale::page_words(locale(&uri))).into_response()
}

async fn state(State(web): State<Arc<Web>>, uri: Uri, headers: HeaderMap) -> Response {
    let somebody = web.access.who(&headers);
    let audience = audience(somebody.as_ref());
    let whole = web.stage(audience, locale(&uri)).whole();
    let delay = web.gallery.delay();
    let event = web.source(audience).read(|state| event(&web, state));
    let mut head = json!({
        "who": who(somebody.as_ref()),
        "delay_ms": delay.ms,
        "delay_plies": delay.plies,
        "now": now(),
        "seq": whole.seq,
        "event": event,
    });
    if !audience.is_public() {
        head["trouble"] = whole.trouble;
    }
    // The cards are JSON already.
    let mut text = head.to_string();
    text.pop();
    text.push_str(",\"boards\":[");
    text.push_str(&whole.cards.join(","));
    text.push_str("]}");
    json_text(text)
}

fn json_text(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// What is played.
fn event(web: &Web, state: &Seen) -> Value {
    let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty() && text != "?");
    let round = state.round.as_ref();
    let tags = &web.tags;
    let or = |of_round: Option<String>, configured: Option<String>| of_round.or(configured).unwrap_or_default();
    json!({
        "name": or(round.and_then(|round| round.event.clone()), known(&tags.event)),
        "site": or(round.and_then(|round| round.site.clone()), known(&tags.site)),
        "round": or(round.map(|round| round.number.to_string()), known(&tags.round)),
        "date": or(round.and_then(|round| round.date.clone()), tags.date.clone().filter(|date| !date.contains('?'))),
    })
}

async fn events(State(web): State<Arc<Web>>, Extension(guest): Extension<Guest>, uri: Uri, headers: HeaderMap) -> Response {
    let who = web.access.who(&headers);
    let stage = web.stage(audience(who.as_ref()), locale(&uri));
    let told = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()).map_or(0, |id| stage.number(id));
    let body = stream::body(&web, stage, told, who, guest.busy());
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}

async fn one_game(State(web): State<Arc<Web>>, Path(id): Path<u64>, uri: Uri, headers: HeaderMap) -> Response {
    let audience = audience(web.access.who(&headers).as_ref());
    let stage = web.stage(audience, locale(&uri));
    match game::value(&stage.view, &web.source(audience), &web.frames, id) {
        Ok(Some(Told { board, mut fields })) => {
            let card = stage.card(&board).and_then(|card| serde_json::from_str(&card).ok());
            fields.insert("card".to_owned(), card.unwrap_or(Value::Null));
            Json(Value::Object(fields)).into_response()
        }
        Ok(None) => no_game(id),
        Err(why) => refusal(StatusCode::SERVICE_UNAVAILABLE, why.to_string()),
    }
}

async fn pgn(State(web): State<Arc<Web>>, Path(id): Path<u64>, headers: HeaderMap) -> Response {
    let audience = audience(web.access.who(&headers).as_ref());
    let stream = if audience == Audience::Arbiter { Stream::Live } else { Stream::Broadcast };
    let text = web.source(audience).read(|state| {
        let game = state.games.get(&id)?;
        Some(dbus::pgn::text(game, AfterIllegal::default(), stream))
    });
    match text {
        Some(text) => ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response(),
        None => no_game(id),
    }
}

fn no_game(id: u64) -> Response {
    refusal(StatusCode::NOT_FOUND, format!("game {id} is not at hand: /api/state has those that are being played"))
}

/// The language that is asked for: `?lang=zh-Hant`.
pub fn locale(uri: &Uri) -> Locale {
    let asked = uri.query().unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("lang="));
    Locale::from_tag(asked.unwrap_or_default())
}
