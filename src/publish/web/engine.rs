//! The engine that evaluates positions in the browsers of spectators, where the organiser allows it and there is a delay.

use super::WebState;
use super::refusal::{HandlerResult, refusal};
use crate::publish::engine_files::FILES;
use crate::publish::http::headers::has_version;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use std::collections::BTreeMap;
use std::path::Path as FilePath;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use std::{fs, io};
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
    // The engine would act with the rights of the user: it has their session.
    if web.access.user(&headers).is_some() {
        return Err(refusal(StatusCode::FORBIDDEN, "the engine is not loaded while somebody is logged in: log out first"));
    }
    let path = web.public_options.engine.join(file.name);
    let engine = Arc::clone(&web.engine);
    let read = spawn_blocking(move || engine.read(file.name, &path)).await.map_err(io::Error::other).and_then(|read| read);
    let EngineFile { tag, content } =
        read.map_err(|error| refusal(StatusCode::NOT_FOUND, format!("the engine cannot be read ({error})")))?;
    let head = [(ETAG, tag.as_str()), (CACHE_CONTROL, "no-cache"), (CONTENT_SECURITY_POLICY, POLICY)];
    if has_version(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, head).into_response());
    }
    Ok((head, [(CONTENT_TYPE, file.kind)], content).into_response())
}

/// The files of the engine, in memory once for all spectators: a slow download occupies no thread.
#[derive(Default)]
pub(super) struct EngineFiles(Mutex<BTreeMap<&'static str, EngineFile>>);

/// A file of the engine.
#[derive(Clone)]
struct EngineFile {
    /// Its entity tag, which is another one when a package replaces the file.
    tag: String,
    content: Bytes,
}

impl EngineFiles {
    /// Returns the file with this name; reads it at this path if it has changed.
    ///
    /// # Errors
    /// The file cannot be read.
    fn read(&self, name: &'static str, path: &FilePath) -> io::Result<EngineFile> {
        let known = fs::metadata(path)?;
        let changed = known.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let tag = format!("\"{:x}-{changed:x}\"", known.len());
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(name).filter(|file| file.tag == tag) {
            return Ok(file.clone());
        }
        let file = EngineFile { tag, content: fs::read(path)?.into() };
        files.insert(name, file.clone());
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_has_changed() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("stockfish.js");
        let engine = EngineFiles::default();
        assert!(engine.read("stockfish.js", &path).is_err());
        fs::write(&path, "one").expect("a file");
        let first = engine.read("stockfish.js", &path).expect("the file");
        let second = engine.read("stockfish.js", &path).expect("the file");
        assert_eq!((&first.content[..], first.content.as_ptr()), (&b"one"[..], second.content.as_ptr()));
        fs::write(&path, "another").expect("a file");
        assert_eq!(&engine.read("stockfish.js", &path).expect("the file").content[..], b"another");
    }
}
