//! The engine that evaluates positions in the browsers of spectators, where the organiser allows it and there is a delay.

use super::WebState;
use super::file_body::file_body;
use super::refusal::{HandlerResult, refusal};
use crate::publish::engine_files::FILES;
use crate::publish::http::headers::has_version;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use std::fs::File;
use std::io;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use tokio::task::spawn_blocking;

/// A worker has the policy with which its script is sent: it compiles WebAssembly, and loads its other file.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/// Handles `GET /page/engine/{name}`.
pub(super) async fn file(State(web): State<Arc<WebState>>, Path(name): Path<String>, headers: HeaderMap) -> HandlerResult {
    if !web.public_site().allows_evaluation() {
        let sentence = "positions are not evaluated: that needs evaluation = true in [public], a delay in [broadcast], and the package touchmove-engine";
        return Err(refusal(StatusCode::NOT_FOUND, sentence));
    }
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return Err(refusal(StatusCode::NOT_FOUND, "the engine has no such file"));
    };
    let path = web.public_options.engine.join(file.name);
    let opened = spawn_blocking(move || open(&path)).await.map_err(io::Error::other).and_then(|opened| opened);
    let (content, length, tag) =
        opened.map_err(|error| refusal(StatusCode::NOT_FOUND, format!("the engine cannot be read ({error})")))?;
    let head = [(ETAG, tag.as_str()), (CACHE_CONTROL, "no-cache"), (CONTENT_SECURITY_POLICY, POLICY)];
    if has_version(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, head).into_response());
    }
    let kind = [(CONTENT_TYPE, file.kind.to_owned()), (CONTENT_LENGTH, length.to_string())];
    Ok((head, kind, file_body(content, ())).into_response())
}

/// Opens a file; returns it with its length and its entity tag, which is another one when a package replaces the file.
///
/// # Errors
/// The file cannot be read.
fn open(path: &FilePath) -> io::Result<(File, u64, String)> {
    let file = File::open(path)?;
    let known = file.metadata()?;
    let changed = known.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok((file, known.len(), format!("\"{:x}-{changed:x}\"", known.len())))
}
