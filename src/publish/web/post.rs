//! POST requests: logging in and out, the arbiter's commands, changes of pairings.
//!
//! **Invariant:** only our own page can make a browser send such a request. The cookie is not sent with requests of other sites
//! (`SameSite`); a form cannot send JSON; and the origin that the browser reports (`Origin`, `Sec-Fetch-Site`) must be this page.

use super::Web;
use super::body::{self, PairingChange};
use super::http::{self, Answered, Refusal, refusal};
use super::tokens::Role;
use super::who::{COOKIE_AGE, Who};
use crate::daemon::hub::OrderError;
use crate::game::answer::Verdict;
use crate::game::{Answer, Order};
use crate::locale::{self as words, Locale};
use crate::publish::guests::Guest;
use crate::publish::headers::{forwarded_for, is_json, requested_locale};
use crate::publish::origin::is_from_elsewhere;
use crate::publish::pairings::{self, PairingError};
use crate::wire::{Word, command_to_value};
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tracing::info;

/// Maximum size of a body, in bytes, and the timeout for receiving it.
type Limits = (usize, Duration);
/// Limits for logged-in users: the longest command takes a few thousand bytes.
const COMMAND: Limits = (64 * 1024, Duration::from_secs(10));
/// Limits for users who are not logged in: the body is a token.
const LOGIN: Limits = (1024, Duration::from_secs(5));

/// Parses a body; an error is a sentence for the sender.
type Parse<T> = fn(&[u8]) -> Result<T, String>;

/// Handles `POST /api/login`.
pub async fn login(State(web): State<Arc<Web>>, Extension(guest): Extension<Guest>, request: Request) -> Answered {
    let from = from(&web, &guest, request.headers());
    is_ours(&web, request.headers())?;
    let pending = web.pending.add(from);
    let token = tokio::select! {
        biased;
        token = read(request, LOGIN, body::login) => token?,
        () = pending.evicted() => {
            let sentence = "others are logging in from there: send it again, and at once";
            return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, sentence));
        }
    };
    drop(pending);
    match web.access.log_in(&token).await {
        Ok(Some((who, secret))) => {
            info!("{} ({}) has logged in to the page from {from}", who.name, who.role.word());
            let cookie = cookie(&web, &secret, COOKIE_AGE);
            Ok(([(SET_COOKIE, cookie)], Json(http::who(Some(&who)))).into_response())
        }
        Ok(None) => {
            let sentence = "this is no token: `touchmovectl token create` makes one, and shows it once";
            Err(refusal(StatusCode::UNAUTHORIZED, sentence))
        }
        Err(why) => Err(refusal(StatusCode::SERVICE_UNAVAILABLE, why.to_string())),
    }
}

/// Handles `POST /api/logout`.
pub async fn logout(State(web): State<Arc<Web>>, headers: HeaderMap) -> Answered {
    is_ours(&web, &headers)?;
    web.access.log_out(&headers).await;
    Ok(([(SET_COOKIE, cookie(&web, "", 0))], Json(json!({}))).into_response())
}

/// Handles `POST /api/command`.
pub async fn command(State(web): State<Arc<Web>>, request: Request) -> Answered {
    let locale = requested_locale(request.uri());
    let who = may(&web, request.headers(), &[Role::Arbiter])?;
    let (target, command) = sent(&web, request, body::command).await?;
    match web.hub.command(target, Order { command, by: who.name }).await {
        Ok(answer) => {
            let (answer, text) = told(locale, &answer);
            Ok(Json(json!({"answer": answer, "text": text})).into_response())
        }
        Err(why) => {
            let status = match &why {
                OrderError::NoSuchBoard(_) | OrderError::NoSuchGame(_) => StatusCode::NOT_FOUND,
                OrderError::Refused(_)
                | OrderError::NotCurrent { .. }
                | OrderError::Overtaken
                | OrderError::NothingPlayed(_)
                | OrderError::Taken { .. }
                | OrderError::NotPutUp { .. }
                | OrderError::Playing { .. }
                | OrderError::Unnoticed(_) => StatusCode::CONFLICT,
                OrderError::JournalFull(_) | OrderError::Unreadable(_) | OrderError::Stopping => {
                    StatusCode::SERVICE_UNAVAILABLE
                }
            };
            Err(refusal(status, why.to_string()))
        }
    }
}

/// Handles `POST /api/round`.
pub async fn round(State(web): State<Arc<Web>>, request: Request) -> Answered {
    let who = may(&web, request.headers(), &[Role::Arbiter, Role::Operator])?;
    let change = sent(&web, request, body::round).await?;
    let name = who.name;
    let (done, said) = match &change {
        PairingChange::Swap { a, b } => {
            (pairings::swap(&web.hub, *a, *b, &name), format!("{name}: the players of tables {a} and {b} change places"))
        }
        PairingChange::Board { table, board } => {
            (pairings::set_board(&web.hub, *table, board, &name), format!("{name}: board {board:?} stands at table {table}"))
        }
        PairingChange::Forfeit { table, result } => (
            pairings::set_forfeit(&web.hub, *table, result, &name),
            format!("{name}: without play at table {table}: {result:?}"),
        ),
    };
    match done {
        Ok(()) => {
            info!("{said}");
            Ok(Json(json!({"answer": "done", "text": ""})).into_response())
        }
        Err(why) => {
            let status = match why {
                PairingError::NoTable(_) | PairingError::NoSuchBoard(_) => StatusCode::NOT_FOUND,
                PairingError::BadResult(_) => StatusCode::BAD_REQUEST,
                PairingError::NoRound | PairingError::BadRound(_) => StatusCode::CONFLICT,
                PairingError::NotKept(_) => StatusCode::SERVICE_UNAVAILABLE,
            };
            Err(refusal(status, why.to_string()))
        }
    }
}

/// Returns the user who sent the request, if they have one of these roles.
fn may(web: &Web, headers: &HeaderMap, roles: &[Role]) -> Result<Who, Refusal> {
    match web.access.who(headers) {
        Some(who) if roles.contains(&who.role) => Ok(who),
        Some(_) => Err(refusal(StatusCode::FORBIDDEN, "this is for the arbiter: log in with an arbiter's token")),
        None => Err(refusal(StatusCode::UNAUTHORIZED, "log in first, with a token of `touchmovectl token create`")),
    }
}

/// Parses the body of a request, if it came from our page or from no page at all.
async fn sent<T>(web: &Web, request: Request, parse: Parse<T>) -> Result<T, Refusal> {
    is_ours(web, request.headers())?;
    read(request, COMMAND, parse).await
}

/// Checks that the request was sent as JSON, by our page or by no page at all.
fn is_ours(web: &Web, headers: &HeaderMap) -> Result<(), Refusal> {
    if is_from_elsewhere(headers, web.config.is_encrypted()) {
        return Err(refusal(StatusCode::FORBIDDEN, "pages of other sites may not do this"));
    }
    if !is_json(headers) {
        return Err(refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send JSON, with Content-Type: application/json"));
    }
    Ok(())
}

/// Reads and parses a body within the limits.
async fn read<T>(request: Request, (longest, within): Limits, parse: Parse<T>) -> Result<T, Refusal> {
    let bytes = match timeout(within, to_bytes(request.into_body(), longest)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, format!("send {longest} bytes at most"))),
        Err(_) => return Err(refusal(StatusCode::REQUEST_TIMEOUT, "send it faster")),
    };
    parse(&bytes).map_err(|why| refusal(StatusCode::BAD_REQUEST, why))
}

/// Returns the client's address. Behind a proxy, that is the last entry of the forwarding header: the client itself may have
/// written the earlier ones.
fn from(web: &Web, guest: &Guest, headers: &HeaderMap) -> IpAddr {
    let forwarded = if web.config.proxy { forwarded_for(headers) } else { None };
    forwarded.unwrap_or(guest.peer().ip())
}

fn cookie(web: &Web, secret: &str, age: u32) -> HeaderValue {
    let secure = if web.config.is_encrypted() { "; Secure" } else { "" };
    let name = web.access.cookie_name();
    let text = format!("{name}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}{secure}");
    // A secret contains only digits, so this never fails.
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

/// Converts the answer to a command to JSON, and to a sentence where there is one.
fn told(locale: Locale, answer: &Answer) -> (Value, String) {
    match answer {
        Answer::Done => ("done".into(), String::new()),
        Answer::Bound(allowed) => (json!({"bound": allowed}), String::new()),
        Answer::Undone(command) => (json!({"undone": command_to_value(command)}), String::new()),
        Answer::Claim(Verdict { right, text, occurrences, quiet, required, articles }) => {
            let required: Vec<String> = required.iter().map(|act| words::act(locale, act)).collect();
            let verdict = json!({
                "right": right, "occurrences": occurrences, "quiet": quiet, "required": required, "articles": articles,
            });
            (json!({"claim": verdict}), words::sentence(locale, text))
        }
    }
}
