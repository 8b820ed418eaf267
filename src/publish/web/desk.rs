//! The operator's desk: reading it, and acts.

use super::WebState;
use super::body::{self, ExchangeRequest};
use super::post::{BodyLimits, COMMAND_LIMITS, check_right, read_own_body, read_own_file, require_right, respond_to_order};
use super::refusal::{HandlerResult, coded_refusal, refusal};
use crate::daemon::hub::BoardId;
use crate::game::Answer;
use crate::game::rights::{Audience, Right};
use crate::publish::desk::{self, DeskReport, ExportFormat, MAX_ACT_BYTES, RequestedAct};
use crate::publish::http::headers::requested_locale;
use crate::publish::render::pgn::Reader;
use crate::round::trf::TableOrder;
use crate::wire::Word;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{AppendHeaders, IntoResponse};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tracing::info;

/// Limits of an act: a round of a thousand tables.
const ACT_LIMITS: BodyLimits = (MAX_ACT_BYTES, Duration::from_secs(30));
/// The security policy of a page to print: it has its style in itself, and nothing else.
const PRINTED_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Handles `GET /api/desk`. The query `round=N` selects a round; without it, the one that is played.
pub(super) async fn read(State(web): State<Arc<WebState>>, uri: Uri, headers: HeaderMap) -> HandlerResult {
    require_right(&web, &headers, Right::Desk)?;
    let report = web.hub.read(|state| DeskReport::new(state, round_parameter(&uri)));
    Ok(Json(report).into_response())
}

/// Handles `GET /api/desk/export?format=trf&round=3`: a file, or a page to print.
pub(super) async fn export(State(web): State<Arc<WebState>>, uri: Uri, headers: HeaderMap) -> HandlerResult {
    let user = require_right(&web, &headers, Right::Desk)?;
    let format = parameter(&uri, "format").and_then(ExportFormat::from_word);
    let format = format.ok_or_else(|| refusal(StatusCode::BAD_REQUEST, "add format=trf, csv, pgn, log or html"))?;
    if format.audience() == Audience::Arbiter {
        check_right(&user, Right::Rule)?;
    }
    let reader = if user.role.has(Right::Rule) { Reader::Arbiter } else { Reader::Public };
    let (hub, number, locale) = (Arc::clone(&web.hub), round_parameter(&uri), requested_locale(&uri));
    let work = move || desk::export(&hub, format, number, reader, locale);
    let exported = spawn_blocking(work).await.map_err(|error| refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?;
    let text = exported.map_err(|error| coded_refusal(error.code(), desk::export_error(locale, &error)))?;
    let number = number.map_or_else(String::new, |number| format!("-{number}"));
    // The page to print is shown; everything else is saved.
    let is_page = format == ExportFormat::Html;
    let disposition =
        if is_page { "inline".to_owned() } else { format!("attachment; filename=\"round{number}.{}\"", format.extension()) };
    let policy = is_page.then_some([(CONTENT_SECURITY_POLICY, PRINTED_POLICY)]);
    let headers = [(CONTENT_TYPE, format.media_type().to_owned()), (CONTENT_DISPOSITION, disposition)];
    Ok((headers, policy.map(AppendHeaders), text).into_response())
}

/// Handles `POST /api/desk/preview?round=3&order=rank`: the round of a file of pairings, and what loading it would lose. Nothing changes.
pub(super) async fn preview(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    require_right(&web, request.headers(), Right::Desk)?;
    let uri = request.uri().clone();
    let order = match parameter(&uri, "order") {
        Some("rank") => TableOrder::Rank,
        _ => TableOrder::Unknown,
    };
    let file = read_own_file(&web, request, ACT_LIMITS).await?;
    let (hub, number) = (Arc::clone(&web.hub), round_parameter(&uri));
    let read = spawn_blocking(move || desk::preview_round(&hub, &file, number, &order)).await;
    let (preview, lost) = read.map_err(|error| refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?;
    Ok(Json(desk::preview_to_json(requested_locale(&uri), &preview, &lost)).into_response())
}

/// Handles `POST /api/desk`.
pub(super) async fn act(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let locale = requested_locale(request.uri());
    let user = require_right(&web, request.headers(), Right::Desk)?;
    let requested = read_own_body(&web, request, ACT_LIMITS, parse).await?;
    let kind = serde_json::to_value(&requested.act).ok().and_then(|act| act.get("do")?.as_str().map(str::to_owned));
    let kind = kind.unwrap_or_default();
    let refuse = |error: desk::ActError| coded_refusal(error.code(), desk::act_error(locale, &error));
    desk::carry_out(&web.hub, requested, &user.name).await.map_err(refuse)?;
    info!("{} changed the desk: {kind}", user.name);
    Ok(Json(json!({"answer": "done", "text": ""})).into_response())
}

/// Handles `POST /api/desk/exchange`: the game on a board continues on another one, on which its position is set up.
pub(super) async fn exchange(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let locale = requested_locale(request.uri());
    let user = require_right(&web, request.headers(), Right::Desk)?;
    let ExchangeRequest { from, to } = read_own_body(&web, request, COMMAND_LIMITS, body::parse_exchange).await?;
    let outcome = web.hub.continue_game(&BoardId::new(&from), &BoardId::new(&to), &user.name).await;
    respond_to_order(locale, outcome.map(|()| Answer::Done))
}

/// Returns a parameter of the query.
fn parameter<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    let mut parameters = uri.query().unwrap_or_default().split('&').filter_map(|parameter| parameter.split_once('='));
    parameters.find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn round_parameter(uri: &Uri) -> Option<u16> {
    parameter(uri, "round")?.parse().ok().filter(|round| *round > 0)
}

fn parse(bytes: &[u8]) -> Result<RequestedAct, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("the request is not UTF-8: {error}"))?;
    desk::parse_act(text).map_err(|error| error.to_string())
}
