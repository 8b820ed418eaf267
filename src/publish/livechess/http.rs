//! The HTTP requests, and the checks of host and origin.

use super::{ServerState, boards, session, tournament};
use crate::daemon::Stop;
use crate::daemon::hub::State as HubState;
use crate::publish::http::admission::{AdmittedClient, EvictionPolicy};
use crate::publish::http::origin::{is_allowed_origin, is_own_host, requested_host};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ORIGIN, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// Maximum size of a message from a client, in bytes; valid messages have some hundred.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// Maximum number of unsent bytes for a client that does not read, in addition to the system's buffers: every ping of a client
/// requires a reply.
const MAX_UNSENT_BYTES: usize = 1024 * 1024;
/// How long browsers may remember that a page may send requests.
const PREFLIGHT_LIFETIME: Duration = Duration::from_secs(600);

/// Returns the router with all routes.
pub(super) fn router(server: Arc<ServerState>, stop: Stop) -> Router {
    // Pages of the allowed origins, which `check_request` has checked; also pages of the public network, to a private address.
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::GET])
        .allow_headers([ACCEPT, CONTENT_TYPE])
        .allow_private_network(true)
        .max_age(PREFLIGHT_LIFETIME)
        .vary([ORIGIN]);
    Router::new()
        .route("/api/v1.0", get(websocket))
        .route("/api/v1.0/", get(websocket))
        .route("/api/v1.0/eboards", get(eboards))
        .route("/api/v1.0/sources", get(sources))
        .route("/api/v1.0/tournaments", get(tournaments))
        .route("/api/v1.0/tournament/{uuid}", get(one_tournament))
        .route("/api/v1.0/round/{uuid}/{number}", get(round))
        .route("/api/v1.0/game/{uuid}", get(game))
        .fallback(async || error_response(StatusCode::NOT_FOUND, "not found: the LiveChess interface is at /api/v1.0"))
        .layer(cors)
        .layer(from_fn_with_state(Arc::clone(&server), check_request))
        .layer(Extension(stop))
        .with_state(server)
}

async fn websocket(
    State(server): State<Arc<ServerState>>,
    Extension(client): Extension<AdmittedClient>,
    Extension(stop): Extension<Stop>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade =
        upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES).max_write_buffer_size(MAX_UNSENT_BYTES);
    let guard = client.start_serving(EvictionPolicy::Keep);
    upgrade.on_upgrade(move |socket| session::run(socket, server, guard, stop))
}

async fn eboards(State(server): State<Arc<ServerState>>) -> Response {
    respond(&server, |server, state| Some(boards::eboards(server, state)))
}

async fn sources(State(server): State<Arc<ServerState>>) -> Response {
    respond(&server, |server, state| Some(boards::sources(server, state)))
}

async fn tournaments(State(server): State<Arc<ServerState>>) -> Response {
    respond(&server, |server, state| Some(tournament::tournaments(server, state)))
}

async fn one_tournament(State(server): State<Arc<ServerState>>, Path(uuid): Path<String>) -> Response {
    respond(&server, |server, state| tournament::tournament(server, state, &uuid))
}

async fn round(State(server): State<Arc<ServerState>>, Path((uuid, number)): Path<(String, u16)>) -> Response {
    respond(&server, |server, state| tournament::round(server, state, &uuid, number))
}

async fn game(State(server): State<Arc<ServerState>>, Path(uuid): Path<String>) -> Response {
    respond(&server, |server, state| tournament::game(server, state, &uuid))
}

fn respond<T: Serialize>(server: &ServerState, read: impl FnOnce(&ServerState, &HubState) -> Option<T>) -> Response {
    match server.source.read(|state| read(server, state)) {
        Some(found) => Json(found).into_response(),
        None => error_response(StatusCode::NOT_FOUND, "not found: start from /api/v1.0/tournaments"),
    }
}

fn error_response(status: StatusCode, message: &'static str) -> Response {
    (status, format!("{message}\n")).into_response()
}

/// Checks host and origin of a request, and adds the headers that every response has.
async fn check_request(State(server): State<Arc<ServerState>>, request: Request, next: Next) -> Response {
    let is_own = |authority: &str| is_own_host(server.config.sites(), authority);
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
    let host = requested_host(request.headers()).to_owned();
    let is_own_uri = request.uri().authority().is_none_or(|authority| is_own(authority.as_str()));
    if !is_own_uri || !is_own(&host) {
        return error_response(
            StatusCode::FORBIDDEN,
            "this is not a name of this server: use its address, or add the name to `origins` under [livechess]",
        );
    }
    let origin = request.headers().get(ORIGIN);
    if origin.is_some_and(|origin| !is_allowed_origin(&server.config.origins, &text(origin))) {
        return error_response(
            StatusCode::FORBIDDEN,
            "pages of this origin may not send requests: to allow them, add the host or the origin to `origins` under [livechess]",
        );
    }
    let is_preflight = request.method() == Method::OPTIONS;
    let mut response = next.run(request).await;
    if is_preflight {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
