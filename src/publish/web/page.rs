//! The files of the page, which are part of the program.

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

/// The page itself.
pub static INDEX: File = File { name: "index.html", kind: HTML, bytes: include_bytes!("page/index.html") };

/// What belongs to it.
pub static FILES: &[File] =
    &[File { name: "page.js", kind: "text/javascript; charset=utf-8", bytes: include_bytes!("page/page.js") }];
