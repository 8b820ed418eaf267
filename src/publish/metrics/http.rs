//! The HTTP server of the metrics, which has one page.

use super::Reader;
use crate::publish::origin::{is_loopback_host, requested_host};
use crate::publish::web::admitted::{TokenCache, bearer_token_hash};
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

/// Returns a router that serves `page`. A token that is sent must be one of `tokens`, whatever its role, since metrics are only
/// counts.
pub fn router(page: impl Fn(Reader) -> String + Clone + Send + Sync + 'static, tokens: Arc<TokenCache>) -> Router {
    let answer = async move |headers: HeaderMap| match bearer_token_hash(&headers).map(|hash| tokens.find(&hash)) {
        None => page(Reader::Anonymous).into_response(),
        Some(Some(_)) => page(Reader::Operator).into_response(),
        Some(None) => {
            let why = "this is no token: `touchmovectl token create` makes one, and shows it once\n";
            (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], why).into_response()
        }
    };
    Router::new()
        .route("/metrics", get(answer).fallback(async || (StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n")))
        .fallback(async || (StatusCode::NOT_FOUND, "there is /metrics only\n"))
        .layer(from_fn(check_request))
}

async fn check_request(request: Request, next: Next) -> Response {
    let mut response = match is_loopback_host(requested_host(request.headers())) {
        true => next.run(request).await,
        // A web page whose host name resolves to this address (DNS rebinding).
        false => (StatusCode::FORBIDDEN, "ask by the name localhost, or by the address\n").into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, METRICS_CONTENT_TYPE);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Scrapes are many seconds apart, so keeping the connection open is of no use.
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
