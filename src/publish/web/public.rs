//! The routes of the public page. Nobody logs in here; pages of any site may read the documents, and frame the embedded table alone.

use super::event_batch::CardFormat;
use super::public_site::ServedDocument;
use super::refusal::{HandlerResult, Refusal, refusal};
use super::stream::{self, EventSource, StreamRequest};
use super::{WebState, etag, http};
use crate::locale::Locale;
use crate::publish::http::admission::{AdmittedClient, EvictionPolicy};
use crate::publish::http::headers::{accepts_gzip, has_version, query_field};
use crate::publish::http::origin::requested_host;
use crate::publish::public::{PageForm, PublicPath, View, preferred_language};
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_LANGUAGE, ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, COOKIE, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Returns the page of spectators, or that of those who are logged in.
pub(super) async fn front_page(web: State<Arc<WebState>>, uri: Uri, headers: HeaderMap) -> HandlerResult {
    match web.access.user(&headers) {
        Some(_) => Ok(http::index(headers).await),
        None => page(&web, View::Event, &uri, &headers).await,
    }
}

/// Returns a round: for spectators, or at the desk of those who are logged in.
pub(super) async fn round(
    web: State<Arc<WebState>>,
    Path(number): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> HandlerResult {
    match web.access.user(&headers) {
        Some(_) => Ok(http::index(headers).await),
        None => other_page(&web, &format!("round/{number}"), &uri, &headers).await,
    }
}

/// Returns any other page for spectators.
pub(super) async fn any_page(web: State<Arc<WebState>>, uri: Uri, headers: HeaderMap) -> HandlerResult {
    let path = uri.path().trim_start_matches('/').to_owned();
    other_page(&web, &path, &uri, &headers).await
}

async fn other_page(web: &WebState, path: &str, uri: &Uri, headers: &HeaderMap) -> HandlerResult {
    match PublicPath::parse(path) {
        Some(PublicPath::Page(view)) => page(web, view, uri, headers).await,
        _ => Err(no_page()),
    }
}

async fn page(web: &WebState, view: View, uri: &Uri, headers: &HeaderMap) -> HandlerResult {
    let site = web.public_site();
    let accepted = || headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).and_then(preferred_language);
    let requested = query_field(uri, "lang").and_then(Locale::public_from_tag);
    let locale = requested.or_else(accepted).unwrap_or(site.options.language);
    let form = PageForm { locale, suffix: "", address: None };
    let document = site.get(PublicPath::Page(view), &form).ok_or_else(no_page)?;
    let mut response = serve(headers, document).await?;
    let is_embedded = matches!(view, View::Embed(..));
    // The engine's scripts must not run where they could act for a user.
    let may_evaluate = site.allows_evaluation() && web.access.user(headers).is_none();
    let answered = response.headers_mut();
    answered.append(VARY, HeaderValue::from(ACCEPT_LANGUAGE));
    answered.append(VARY, HeaderValue::from(COOKIE));
    if let Ok(policy) = HeaderValue::try_from(content_security_policy(is_embedded, may_evaluate)) {
        answered.insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// Returns the content security policy of a page: only the embedded table may be framed, and only where evaluation is allowed may an
/// engine be loaded.
fn content_security_policy(is_embedded: bool, allows_evaluation: bool) -> String {
    let engine = if allows_evaluation && !is_embedded { (" 'wasm-unsafe-eval'", "; worker-src 'self'") } else { ("", "") };
    let ancestors = if is_embedded { "*" } else { "'none'" };
    format!(
        "default-src 'none'; script-src 'self'{}; style-src 'self'; img-src 'self' data:; connect-src 'self'{}; base-uri 'none'; \
         form-action 'none'; frame-ancestors {ancestors}",
        engine.0, engine.1
    )
}

/// Returns a document.
pub(super) async fn document(State(web): State<Arc<WebState>>, Path(path): Path<String>, headers: HeaderMap) -> HandlerResult {
    let site = web.public_site();
    let path = PublicPath::parse(&format!("public/{path}")).ok_or_else(no_document)?;
    let own_address = web.config.browser_address(requested_host(&headers));
    let address = site.options.address.as_deref().unwrap_or(&own_address);
    let form = PageForm { locale: site.options.language, suffix: "", address: Some(address) };
    let document = site.get(path, &form).ok_or_else(no_document)?;
    let mut response = serve(&headers, document).await?;
    allow_all_sites(&mut response);
    Ok(response)
}

/// Returns the stream of changes.
pub(super) async fn events(
    State(web): State<Arc<WebState>>,
    Extension(client): Extension<AdmittedClient>,
    headers: HeaderMap,
) -> Response {
    let site = web.public_site();
    let last_id = headers.get(http::LAST_EVENT_ID).and_then(|id| id.to_str().ok());
    let request = StreamRequest {
        last_seq: last_id.map_or(0, |id| site.parse_event_id(id)),
        format: CardFormat::Whole,
        gzip: accepts_gzip(&headers),
    };
    let guard = client.start_serving(EvictionPolicy::Expendable);
    let source: Arc<dyn EventSource> = site;
    let mut response = http::event_stream(&request, stream::event_stream_body(&web, source, &request, None, guard));
    allow_all_sites(&mut response);
    response
}

/// Returns a document to a client: compressed if it accepts that, and 304 if it has this version.
async fn serve(headers: &HeaderMap, document: Arc<ServedDocument>) -> HandlerResult {
    let is_compressed = accepts_gzip(headers) && !has_version(headers, &document.tag);
    let bytes = match document.known_compressed() {
        _ if !is_compressed => document.bytes.clone(),
        Some(bytes) => bytes,
        None => {
            let document = Arc::clone(&document);
            let compressed = spawn_blocking(move || document.compressed()).await;
            compressed.map_err(|error| refusal(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?
        }
    };
    let mut response = etag::respond_with_etag(headers, &document.tag, document.kind, bytes);
    let answered = response.headers_mut();
    answered.insert(VARY, HeaderValue::from_static(http::ACCEPT_ENCODING));
    if is_compressed {
        answered.insert(CONTENT_ENCODING, HeaderValue::from_static(http::GZIP));
    }
    Ok(response)
}

fn allow_all_sites(response: &mut Response) {
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
}

fn no_document() -> Refusal {
    refusal(StatusCode::NOT_FOUND, "there is no such document now: /public/event.json shows which rounds there are")
}

fn no_page() -> Refusal {
    refusal(StatusCode::NOT_FOUND, "there is no such page now: the rounds and boards are at /")
}
