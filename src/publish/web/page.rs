//! The files of the page, which are part of the program. page/vendor/README.md says what of it is whose, and how it is built.

/// A file.
pub struct File {
    /// Its name, below `/page/`.
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Each under its own name.
macro_rules! files {
    ($($kind:ident $name:literal),+ $(,)?) => {
        &[$(File { name: $name, kind: $kind, bytes: include_bytes!(concat!("page/", $name)) }),+]
    };
}

/// The page itself.
pub static INDEX: File = File { name: "index.html", kind: HTML, bytes: include_bytes!("page/index.html") };

/// What belongs to it.
pub static FILES: &[File] = files![
    STYLE "page.css",
    SCRIPT "page.js",
    SCRIPT "alerts.js",
    SCRIPT "board.js",
    SCRIPT "clock.js",
    SCRIPT "dom.js",
    SCRIPT "frames.js",
    SCRIPT "game.js",
    SCRIPT "hall.js",
    SCRIPT "net.js",
    SCRIPT "rule.js",
    SCRIPT "sheet.js",
    SCRIPT "sound.js",
    SCRIPT "words.js",
    SCRIPT "vendor/chessground.js",
    STYLE "vendor/chessground.css",
];
