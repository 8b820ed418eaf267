//! Entity tags, so that a response is not sent again to a client that has it (RFC 9110, 8.8.3).

use crate::publish::http::headers::has_version;
use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// Returns the entity tag of these bytes: the same on every machine, and after a restart.
pub(super) fn entity_tag(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    format!("\"{}\"", HEXLOWER.encode(hash.get(..16).unwrap_or_default()))
}

/// Builds the response with this tag, or 304 if the client has that version. Clients must revalidate before each use.
pub(super) fn respond_with_etag(
    request_headers: &HeaderMap,
    tag: &str,
    kind: &'static str,
    bytes: impl Into<Bytes>,
) -> Response {
    let mut response = match has_version(request_headers, tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(CONTENT_TYPE, kind)], bytes.into()).into_response(),
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
