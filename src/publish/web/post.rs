//! POST requests: logging in and out, codes for other browsers, the arbiter's commands.
//!
//! **Invariant:** only our own page can make a browser send such a request. The cookie is not sent with requests of other sites
//! (`SameSite`); a form cannot send JSON; and the origin that the browser reports (`Origin`, `Sec-Fetch-Site`) must be this page.

use super::WebState;
use super::auth::{COOKIE_AGE, CodeError, User};
use super::body::{self, CodeRequest, CommandRequest, LoginSecret};
use super::codes::{CODE_LIFETIME, CodeRefusal};
use super::qr::{self, LOGIN_VIEW, login_address};
use super::refusal::{HandlerResult, Refusal, coded_refusal, refusal};
use crate::daemon::hub::{OrderError, Seen};
use crate::game::rights::{Right, Role};
use crate::game::{Answer, Order};
use crate::locale::Locale;
use crate::publish::http::admission::AdmittedClient;
use crate::publish::http::headers::{forwarded_for, is_media_type, requested_locale};
use crate::publish::http::origin::{is_cross_site, requested_host};
use crate::publish::outcome::{answer_to_json, order_error};
use crate::wire::Word;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use serde_json::json;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tracing::info;

/// Maximum size of a body, in bytes, and the timeout for receiving it.
pub(super) type BodyLimits = (usize, Duration);
/// Limits for logged-in users: the longest command takes a few thousand bytes.
pub(super) const COMMAND_LIMITS: BodyLimits = (64 * 1024, Duration::from_secs(10));
/// Limits for users who are not logged in: the body is a token or a code.
const LOGIN_LIMITS: BodyLimits = (1024, Duration::from_secs(5));

/// Parses a body; an error is a sentence for the sender.
pub(super) type Parse<T> = fn(&[u8]) -> Result<T, String>;

/// Handles `POST /api/login`.
pub(super) async fn login(
    State(web): State<Arc<WebState>>,
    Extension(client): Extension<AdmittedClient>,
    request: Request,
) -> HandlerResult {
    let from = client_address(&web, &client, request.headers());
    check_same_origin_json(&web, request.headers())?;
    let pending = web.pending.add(from);
    let login = tokio::select! {
        biased;
        login = read_body(request, LOGIN_LIMITS, body::parse_login) => login?,
        () = pending.evicted() => {
            let sentence = "too many logins are pending: log in again";
            return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, sentence));
        }
    };
    drop(pending);
    let (user, secret) = match login {
        LoginSecret::Token(token) => {
            let sentence = "this token is not valid: create one with `touchmovectl token create`";
            let found = web.access.log_in(&token).await.map_err(|error| coded_refusal(error.code(), error.to_string()))?;
            let (user, secret) = found.ok_or_else(|| refusal(StatusCode::UNAUTHORIZED, sentence))?;
            info!("{} ({}) logged in to the page from {from}", user.name, user.role.word());
            (user, secret)
        }
        LoginSecret::Code(code) => {
            let (user, secret, maker) = web.access.log_in_with_code(&code).await.map_err(code_refusal)?;
            info!("{} ({}) logged in to the page from {from}, with a code of {maker}", user.name, user.role.word());
            (user, secret)
        }
    };
    let cookie = cookie(&web, &secret, COOKIE_AGE);
    Ok(([(SET_COOKIE, cookie)], Json(user.to_json())).into_response())
}

/// Returns the response to a login with a code that failed.
fn code_refusal(error: CodeError) -> Refusal {
    match error {
        CodeError::Refused(CodeRefusal::Wrong) => refusal(
            StatusCode::UNAUTHORIZED,
            "this code is not valid: a code is for one login within ten minutes; ask for another, or log in with a token",
        ),
        CodeError::Refused(CodeRefusal::TooManyWrongTries) => refusal(
            StatusCode::TOO_MANY_REQUESTS,
            "too many wrong codes were tried: log in with a token, or with a code in a minute",
        ),
        CodeError::Token(error) => coded_refusal(error.code(), error.to_string()),
        error => refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    }
}

/// Handles `POST /api/code`: a one-time code for another browser of the user.
pub(super) async fn create_code(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let user = require_user(&web, request.headers())?;
    let host = requested_host(request.headers()).to_owned();
    let CodeRequest { name, role } = read_own_body(&web, request, COMMAND_LIMITS, body::parse_code_request).await?;
    let Some(role) = Role::from_word(&role) else {
        return Err(refusal(
            StatusCode::BAD_REQUEST,
            format!("{role:?} is not a role: write operator, arbiter or administrator"),
        ));
    };
    if !user.role.may_grant(role) {
        let sentence = "a login may have your own role, or one with fewer rights: ask somebody who has that role";
        return Err(refusal(StatusCode::FORBIDDEN, sentence));
    }
    let code = web.access.create_code(&user, &name, role).map_err(|error| coded_refusal(error.code(), error.to_string()))?;
    let code = code.ok_or_else(|| refusal(StatusCode::UNAUTHORIZED, "log in again"))?;
    info!("{} made a code for the login of {name} ({})", user.name, role.word());
    let address = login_address(&web.config.browser_address(&host), LOGIN_VIEW, &code);
    let image = qr::to_svg(&address).map_err(|error| refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?;
    Ok(Json(json!({"code": code, "address": address, "image": image, "expires_s": CODE_LIFETIME.as_secs()})).into_response())
}

/// Handles `POST /api/logout`.
pub(super) async fn logout(State(web): State<Arc<WebState>>, headers: HeaderMap) -> HandlerResult {
    check_same_origin_json(&web, &headers)?;
    web.access.log_out(&headers).await;
    Ok(([(SET_COOKIE, cookie(&web, "", 0))], Json(json!({}))).into_response())
}

/// Handles `POST /api/command`.
pub(super) async fn command(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let locale = requested_locale(request.uri());
    let user = require_user(&web, request.headers())?;
    let CommandRequest { target, command, seen } = read_own_body(&web, request, COMMAND_LIMITS, body::parse_command).await?;
    check_right(&user, command.spec().right)?;
    let seen = seen.map(|number| Seen { number, audience: user.role.audience() });
    respond_to_order(locale, web.hub.execute_seen(target, Order { command, by: user.name }, seen).await)
}

/// Handles `POST /api/preview`.
pub(super) async fn preview(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let locale = requested_locale(request.uri());
    let user = require_user(&web, request.headers())?;
    let CommandRequest { target, command, .. } = read_own_body(&web, request, COMMAND_LIMITS, body::parse_command).await?;
    check_right(&user, command.spec().right)?;
    respond_to_order(locale, web.hub.preview(target, Order { command, by: user.name }, user.role.audience()).await)
}

/// Builds the response to an order or to the request for a preview of one.
pub(super) fn respond_to_order(locale: Locale, outcome: Result<Answer, OrderError>) -> HandlerResult {
    let answer = outcome.map_err(|error| coded_refusal(error.code(), order_error(locale, &error)))?;
    let (answer, text) = answer_to_json(locale, &answer);
    Ok(Json(json!({"answer": answer, "text": text})).into_response())
}

/// Returns the user who sent the request, if they have this right.
pub(super) fn require_right(web: &WebState, headers: &HeaderMap, right: Right) -> Result<User, Refusal> {
    let user = require_user(web, headers)?;
    check_right(&user, right)?;
    Ok(user)
}

/// Returns the user who sent the request.
fn require_user(web: &WebState, headers: &HeaderMap) -> Result<User, Refusal> {
    let sentence = "log in first, with a token from `touchmovectl token create`";
    web.access.user(headers).ok_or_else(|| refusal(StatusCode::UNAUTHORIZED, sentence))
}

/// Checks that the user has this right.
pub(super) fn check_right(user: &User, right: Right) -> Result<(), Refusal> {
    if user.role.has(right) {
        return Ok(());
    }
    let sentence = match right.role() {
        Role::Operator | Role::Arbiter => "this is for the arbiter: log in with an arbiter's token",
        Role::Administrator => "this is for the administrator: log in with an administrator's token",
    };
    Err(refusal(StatusCode::FORBIDDEN, sentence))
}

/// Parses the body of a request, if it came from our page or from no page at all.
pub(super) async fn read_own_body<T>(
    web: &WebState,
    request: Request,
    limits: BodyLimits,
    parse: Parse<T>,
) -> Result<T, Refusal> {
    check_same_origin_json(web, request.headers())?;
    read_body(request, limits, parse).await
}

/// Reads the body of a request that is a file, if it came from our page or from no page at all. No form can send this media type.
pub(super) async fn read_own_file(web: &WebState, request: Request, limits: BodyLimits) -> Result<Vec<u8>, Refusal> {
    check_same_origin(web, request.headers())?;
    if !is_media_type(request.headers(), "application/octet-stream") {
        let sentence = "send the file with Content-Type: application/octet-stream";
        return Err(refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence));
    }
    read_body(request, limits, |bytes| Ok(bytes.to_vec())).await
}

/// Checks that the request was sent by our page or by no page at all.
fn check_same_origin(web: &WebState, headers: &HeaderMap) -> Result<(), Refusal> {
    if is_cross_site(headers, web.config.is_encrypted()) {
        return Err(refusal(StatusCode::FORBIDDEN, "pages of other sites may not do this"));
    }
    Ok(())
}

/// As [`check_same_origin`], and checks that it was sent as JSON.
fn check_same_origin_json(web: &WebState, headers: &HeaderMap) -> Result<(), Refusal> {
    check_same_origin(web, headers)?;
    if !is_media_type(headers, "application/json") {
        return Err(refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send JSON, with Content-Type: application/json"));
    }
    Ok(())
}

/// Reads and parses a body within the limits.
async fn read_body<T>(request: Request, (max_bytes, time_limit): BodyLimits, parse: Parse<T>) -> Result<T, Refusal> {
    let bytes = match timeout(time_limit, to_bytes(request.into_body(), max_bytes)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            return Err(refusal(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("the request is too large: send at most {max_bytes} bytes"),
            ));
        }
        Err(_) => return Err(refusal(StatusCode::REQUEST_TIMEOUT, "the request took too long: send it faster")),
    };
    parse(&bytes).map_err(|message| refusal(StatusCode::BAD_REQUEST, message))
}

/// Returns the client's address. Behind a proxy, that is the last entry of the forwarding header: the client itself may have
/// written the earlier ones.
fn client_address(web: &WebState, client: &AdmittedClient, headers: &HeaderMap) -> IpAddr {
    let forwarded = if web.config.proxy { forwarded_for(headers) } else { None };
    forwarded.unwrap_or(client.peer().ip())
}

fn cookie(web: &WebState, secret: &str, age: u32) -> HeaderValue {
    let secure = if web.config.is_encrypted() { "; Secure" } else { "" };
    let name = web.access.cookie_name();
    let text = format!("{name}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}{secure}");
    // A secret contains only digits, so this never fails.
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}
