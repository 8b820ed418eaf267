//! The engine that evaluates positions in the browsers of spectators: two files of the package touchmove-engine. Without them nothing is
//! evaluated, and nothing else changes.

use std::path::Path;

/// A file of the engine.
pub(super) struct EngineFile {
    /// Its name, in the package's directory and below `/page/engine/`.
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
}

/// The files: the script, which a page runs as a worker, loads the other one from its own address.
pub(super) const FILES: [EngineFile; 2] = [
    EngineFile { name: "stockfish.js", kind: "text/javascript; charset=utf-8" },
    EngineFile { name: "stockfish.wasm", kind: "application/wasm" },
];

/// Returns whether the engine is in this directory.
pub(super) fn are_installed(dir: &Path) -> bool {
    FILES.iter().all(|file| dir.join(file.name).is_file())
}
