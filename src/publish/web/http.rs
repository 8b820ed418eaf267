//! The HTTP routes, and the checks that apply to all requests.

use super::auth::{User, audience_of};
use super::event_batch::CardFormat;
use super::game::GameDetails;
use super::page::{self, PageFile};
use super::public;
use super::refusal::{HandlerResult, Refusal, refusal};
use super::stream::StreamRequest;
use super::{WebState, backup, bluetooth, desk, engine, etag, game, gzip, health, post, settings, setup, stream, wiring_test};
use crate::daemon::hub::State as HubState;
use crate::daemon::steady_clock;
use crate::game::pgn::AfterIllegal;
use crate::game::rights::Audience;
use crate::locale;
use crate::publish::http::admission::{AdmittedClient, EvictionPolicy};
use crate::publish::http::headers::{accepts_gzip, query_field, requested_locale};
use crate::publish::http::origin::{is_own_host, requested_host};
use crate::publish::render::pgn::{Reader, game_to_pgn};
use crate::publish::tags::is_public_tag;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, VARY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post as on_post};
use axum::{Extension, Json, Router};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

/// The page loads only its own files and connects only to its own server. chessground draws arrows as SVG elements and positions
/// pieces through style properties of elements, which a style policy does not restrict.
const CONTENT_SECURITY_POLICY_VALUE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// Valid for one year, for this name only and not for its subdomains.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");
/// The request header with the number of the last server-sent event that a browser received.
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The coding of compressed bodies, and the request header by which a client accepts it.
pub(super) const GZIP: &str = "gzip";
pub(super) const ACCEPT_ENCODING: &str = "accept-encoding";

/// The response header that tells nginx and other proxies not to buffer the response.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Builds the router with all routes.
pub(super) fn router(web: &Arc<WebState>) -> Router {
    Router::new()
        .route("/", get(public::front_page))
        .route("/index.html", get(public::any_page))
        .route("/login", get(index))
        .route("/standings", get(public::any_page))
        .route("/standings.html", get(public::any_page))
        .route("/round/{number}/table/{table}", get(public::any_page))
        .route("/embed/{*path}", get(public::any_page))
        .route("/public/stream", get(public::events))
        .route("/public/{*path}", get(public::document))
        .route("/board/{id}", get(index))
        .route("/page/{*file}", get(file))
        .route("/page/engine/{name}", get(engine::file))
        .route("/api/words", get(words))
        .route("/api/state", get(state))
        .route("/api/events", get(events))
        .route("/api/games/{id}", get(one_game))
        .route("/api/games/{id}/pgn", get(pgn))
        .route("/cloud/{*path}", get(cloud))
        .route("/api/login", on_post(post::login))
        .route("/api/logout", on_post(post::logout))
        .route("/api/code", on_post(post::create_code))
        .route("/api/command", on_post(post::command))
        .route("/api/desk", get(desk::read).post(desk::act))
        .route("/api/desk/exchange", on_post(desk::exchange))
        .route("/api/desk/export", get(desk::export))
        .route("/api/desk/preview", on_post(desk::preview))
        .route("/api/settings", get(settings::read).post(settings::change))
        .route("/api/setup", get(setup::read))
        .route("/ca.crt", get(setup::ca))
        .route("/api/health", get(health::read))
        .route("/api/backup", get(backup::download))
        .route("/round", get(index))
        .route("/round/{number}", get(public::round))
        .route("/seats", get(index))
        .route("/game/{id}", get(index))
        .route("/settings", get(index))
        .route("/setup", get(index))
        .route("/health", get(index))
        .route("/api/preview", on_post(post::preview))
        .route("/api/wiring-test", on_post(wiring_test::handle))
        .route("/api/bluetooth", on_post(bluetooth::handle))
        .fallback(async || refusal(StatusCode::NOT_FOUND, "not found: the page is at /"))
        .layer(from_fn_with_state(Arc::clone(web), check_request))
        .with_state(Arc::clone(web))
}

/// Rejects requests for host names that are not ours and requests with an invalid token, and adds the security headers.
async fn check_request(State(web): State<Arc<WebState>>, request: Request, next: Next) -> Response {
    let host = requested_host(request.headers());
    let is_own_uri = request.uri().authority().is_none_or(|authority| is_own_host(&web.config.hosts, authority.as_str()));
    let mut response = if !is_own_uri || !is_own_host(&web.config.hosts, host) {
        let sentence = "this is not a name of this server: use its address, or add the name to `hosts` under [web]";
        refusal(StatusCode::FORBIDDEN, sentence).into_response()
    } else if web.access.has_invalid_token(request.headers()) {
        let sentence = "the token in the Authorization header is not valid: create one with `touchmovectl token create`";
        ([(WWW_AUTHENTICATE, "Bearer")], refusal(StatusCode::UNAUTHORIZED, sentence)).into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    if web.config.hsts {
        headers.insert(STRICT_TRANSPORT_SECURITY, HSTS);
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(CONTENT_SECURITY_POLICY_VALUE);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

pub(super) async fn index(headers: HeaderMap) -> Response {
    serve_file(&headers, &page::INDEX)
}

async fn file(Path(name): Path<String>, headers: HeaderMap) -> HandlerResult {
    let file = page::files().filter(|file| file.name != page::INDEX.name).find(|file| file.name == name);
    file.map(|file| serve_file(&headers, file)).ok_or_else(|| refusal(StatusCode::NOT_FOUND, "the page has no such file"))
}

fn serve_file(headers: &HeaderMap, file: &'static PageFile) -> Response {
    /// The entity tag of each file, computed once, and its compressed content, once it was requested.
    static SERVED: LazyLock<BTreeMap<&str, (String, OnceLock<Bytes>)>> =
        LazyLock::new(|| page::files().map(|file| (file.name, (etag::entity_tag(file.bytes), OnceLock::new()))).collect());
    let Some((tag, compressed)) = SERVED.get(file.name).filter(|_| file.is_text() && accepts_gzip(headers)) else {
        let tag = SERVED.get(file.name).map_or("", |(tag, _)| tag.as_str());
        return etag::respond_with_etag(headers, tag, file.kind, file.bytes);
    };
    let bytes = compressed.get_or_init(|| gzip::gzip(file.bytes)).clone();
    let mut response = etag::respond_with_etag(headers, tag, file.kind, bytes);
    let answered = response.headers_mut();
    answered.insert(VARY, HeaderValue::from_static(ACCEPT_ENCODING));
    answered.insert(CONTENT_ENCODING, HeaderValue::from_static(GZIP));
    response
}

async fn cloud(State(web): State<Arc<WebState>>, Path(path): Path<String>, headers: HeaderMap) -> HandlerResult {
    let Some((tag, bytes)) = web.cloud.get(&path) else {
        return Err(refusal(
            StatusCode::NOT_FOUND,
            "there is no such file now: /cloud/tournament.json shows how many rounds there are",
        ));
    };
    let kind = if path.ends_with(".json") { "application/json" } else { "text/plain; charset=utf-8" };
    let mut response = etag::respond_with_etag(&headers, &tag, kind, bytes);
    // These files are public: pages of any site may read them.
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Ok(response)
}

/// Returns the texts of the page in the requested language.
async fn words(uri: Uri) -> Response {
    Json(locale::page_words(requested_locale(&uri))).into_response()
}

async fn state(State(web): State<Arc<WebState>>, uri: Uri, headers: HeaderMap) -> Response {
    let user = web.access.user(&headers);
    let audience = audience_of(user.as_ref());
    let snapshot = web.audience_state(audience, requested_locale(&uri)).snapshot();
    let delay = web.delayed_view.delay();
    let event = web.source(audience).read(|state| event(&web, state));
    let mut head = json!({
        "who": user.as_ref().map(User::to_json),
        "delay_ms": delay.ms,
        "delay_plies": delay.plies,
        "now": steady_clock::now_ms(),
        "seq": snapshot.seq,
        "incarnation": snapshot.incarnation,
        "event": event,
    });
    if !audience.is_public() {
        head["problems"] = snapshot.health_problems;
    }
    // The cards are already serialized.
    let mut text = head.to_string();
    text.pop();
    text.push_str(",\"boards\":[");
    text.push_str(&snapshot.cards.join(","));
    text.push_str("]}");
    if !accepts_gzip(&headers) {
        return json_text(text);
    }
    // The cards of a large hall take some milliseconds, in which no other client would be served.
    match tokio::task::spawn_blocking(move || gzip::gzip(text.as_bytes())).await {
        Ok(bytes) => {
            ([(CONTENT_TYPE, "application/json"), (CONTENT_ENCODING, GZIP), (VARY, ACCEPT_ENCODING)], bytes).into_response()
        }
        Err(error) => refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

fn json_text(text: String) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// Returns the event that is being played.
fn event(web: &WebState, state: &HubState) -> Value {
    let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty() && text != "?");
    let round = state.desk.round();
    let tags = &web.tags;
    let first_of = |from_round: Option<String>, configured: Option<String>| from_round.or(configured).unwrap_or_default();
    json!({
        "name": first_of(round.and_then(|round| round.event.clone()), known(&tags.event)),
        "site": first_of(round.and_then(|round| round.site.clone()), known(&tags.site)),
        "round": first_of(round.map(|round| round.number.to_string()), known(&tags.round)),
        "date": first_of(round.and_then(|round| round.date.clone()), tags.date.clone().filter(|date| !date.contains('?'))),
    })
}

async fn events(
    State(web): State<Arc<WebState>>,
    Extension(client): Extension<AdmittedClient>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let user = web.access.user(&headers);
    let audience_state = web.audience_state(audience_of(user.as_ref()), requested_locale(&uri));
    // A browser that reconnects repeats the address, and adds the number of the last event that it received.
    let last_id = headers.get(LAST_EVENT_ID).map_or_else(|| query_field(&uri, "after"), |id| id.to_str().ok());
    let request = StreamRequest {
        last_seq: last_id.map_or(0, |id| audience_state.parse_event_id(id)),
        format: if query_field(&uri, "cards") == Some("changes") { CardFormat::ChangedFields } else { CardFormat::Whole },
        gzip: accepts_gzip(&headers),
    };
    // Behind a proxy all clients have the same address, and spectators must not lock out arbiters.
    let policy = if user.is_some() { EvictionPolicy::Keep } else { EvictionPolicy::Expendable };
    let body = stream::event_stream_body(&web, audience_state, &request, user, client.start_serving(policy));
    event_stream(&request, body)
}

/// Returns a stream of server-sent events.
pub(super) fn event_stream(request: &StreamRequest, body: Body) -> Response {
    // A proxy must pass the stream on without buffering.
    let mut response =
        ([(CONTENT_TYPE, "text/event-stream"), (X_ACCEL_BUFFERING, "no"), (VARY, ACCEPT_ENCODING)], body).into_response();
    if request.gzip {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(GZIP));
    }
    response
}

async fn one_game(State(web): State<Arc<WebState>>, Path(id): Path<u64>, uri: Uri, headers: HeaderMap) -> HandlerResult {
    let audience = audience_of(web.access.user(&headers).as_ref());
    let audience_state = web.audience_state(audience, requested_locale(&uri));
    let details = game::game_details(&audience_state.view, &web.source(audience), &web.frames, id)
        .map_err(|error| refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?;
    let GameDetails { board, mut fields } = details.ok_or_else(|| no_game(id))?;
    let card = audience_state.card(&board).and_then(|card| serde_json::from_str(&card).ok());
    fields.insert("card".to_owned(), card.unwrap_or(Value::Null));
    Ok(Json(Value::Object(fields)).into_response())
}

async fn pgn(State(web): State<Arc<WebState>>, Path(id): Path<u64>, headers: HeaderMap) -> HandlerResult {
    let audience = audience_of(web.access.user(&headers).as_ref());
    let reader = if audience == Audience::Arbiter { Reader::Arbiter } else { Reader::Public };
    let game = game::find_game(&web.source(audience), id)
        .map_err(|error| refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?;
    let mut game = game.ok_or_else(|| no_game(id))?;
    if audience.is_public() {
        game.record.tags.retain(|(name, _)| is_public_tag(name, web.public_options.fide_ids));
    }
    let text = game_to_pgn(&game, AfterIllegal::default(), reader);
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

fn no_game(id: u64) -> Refusal {
    refusal(StatusCode::NOT_FOUND, format!("there is no game {id} that you may see: /api/state lists the current games"))
}
