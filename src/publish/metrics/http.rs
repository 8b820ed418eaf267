//! The HTTP server of the metrics, which has one page.

use crate::game::rights::Audience;
use crate::publish::http::origin::{is_loopback_host, requested_host};
use crate::publish::web::token_cache::{TokenCache, bearer_token_hash};
use axum::Router;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

/// The content type of Prometheus's text format.
const METRICS_CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Returns a router that serves `render_page`. A token that is sent must be one of `tokens`.
pub(super) fn router(
    render_page: impl Fn(Audience) -> String + Clone + Send + Sync + 'static,
    tokens: Arc<TokenCache>,
) -> Router {
    let respond = async move |headers: HeaderMap| match bearer_token_hash(&headers).map(|hash| tokens.find(&hash)) {
        None => render_page(Audience::Public).into_response(),
        Some(Some(token)) => render_page(token.role.audience()).into_response(),
        Some(None) => {
            let message = "this token is not valid: create one with `touchmovectl token create`\n";
            (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], message).into_response()
        }
    };
    Router::new()
        .route("/metrics", get(respond).fallback(async || (StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n")))
        .fallback(async || (StatusCode::NOT_FOUND, "not found: the metrics are at /metrics\n"))
        .layer(from_fn(check_request))
}

async fn check_request(request: Request, next: Next) -> Response {
    let mut response = match is_loopback_host(requested_host(request.headers())) {
        true => next.run(request).await,
        // A web page whose host name resolves to this address (DNS rebinding).
        false => (StatusCode::FORBIDDEN, "use the name localhost, or the address\n").into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, METRICS_CONTENT_TYPE);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Scrapes are many seconds apart, so keeping the connection open is of no use.
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
