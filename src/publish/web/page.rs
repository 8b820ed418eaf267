//! The files of the page, which are compiled into the program. page/vendor/README.md lists third-party files and how they are
//! built.

use crate::game::command::COMMANDS;
use crate::laws::EDITIONS;
use crate::locale::Locale;
use crate::wire::Word;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A file of the page.
pub(super) struct PageFile {
    /// The file's name, below `/page/`.
    pub name: &'static str,
    /// The file's media type.
    pub kind: &'static str,
    /// The file's content.
    pub bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PNG: &str = "image/png";

/// How the names of the files of the public page begin.
const PUBLIC_FILES: [&str; 3] = ["public/", "vendor/flags", "vendor/pieces"];

/// Lists files under their own names.
macro_rules! files {
    ($($kind:ident $name:literal),+ $(,)?) => {
        &[$(PageFile { name: $name, kind: $kind, bytes: include_bytes!(concat!("page/", $name)) }),+]
    };
}

/// The HTML document of the page.
pub(super) static INDEX: PageFile = PageFile { name: "index.html", kind: HTML, bytes: include_bytes!("page/index.html") };

/// Returns all files: the HTML document, and those that it loads.
pub(super) fn files() -> impl Iterator<Item = &'static PageFile> {
    FILES.iter().chain([&*LANGUAGES, &*COMMANDS_SCRIPT, &INDEX])
}

impl PageFile {
    /// Returns whether it is text, which is sent compressed.
    pub(super) fn is_text(&self) -> bool {
        self.kind != PNG
    }
}

/// Returns the files of the public page, with their names below `/page/`: they load no other ones.
pub(in crate::publish) fn public_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let is_public = |file: &&PageFile| PUBLIC_FILES.iter().any(|beginning| file.name.starts_with(beginning));
    files().filter(is_public).map(|file| (file.name, file.bytes))
}

/// The available languages as a script: tag, name in the language itself, and the scripts and countries by which it is chosen.
static LANGUAGES: LazyLock<PageFile> = LazyLock::new(|| {
    let rows = Locale::ALL.map(|locale| (locale.tag(), locale.name(), locale.subtags()));
    let script = format!("export const LANGUAGES = {};\n", json!(rows));
    PageFile { name: "languages.js", kind: SCRIPT, bytes: script.into_bytes().leak() }
});

/// The commands as a script: those that can rewrite the record, of which the page shows first what they would do; the right that each
/// needs; and the editions of the Laws, the newest first.
static COMMANDS_SCRIPT: LazyLock<PageFile> = LazyLock::new(|| {
    let words: Vec<&str> = COMMANDS.iter().filter(|spec| spec.rewrites).map(|spec| spec.word).collect();
    let rights: serde_json::Map<String, Value> =
        COMMANDS.iter().map(|spec| (spec.word.to_owned(), spec.right.word().into())).collect();
    let editions: Vec<&str> = EDITIONS.iter().rev().copied().collect();
    let script = format!(
        "export const REWRITING = {};\nexport const RIGHTS = {};\nexport const EDITIONS = {};\n",
        json!(words),
        Value::Object(rights),
        json!(editions)
    );
    PageFile { name: "commands.js", kind: SCRIPT, bytes: script.into_bytes().leak() }
});

/// The files that are built in.
static FILES: &[PageFile] = files![
    STYLE "page.css",
    SCRIPT "page.js",
    SCRIPT "alerts.js",
    SCRIPT "bluetooth.js",
    SCRIPT "board.js",
    SCRIPT "card.js",
    SCRIPT "clock.js",
    SCRIPT "desk.js",
    SCRIPT "dom.js",
    SCRIPT "exchange.js",
    SCRIPT "filter.js",
    SCRIPT "form.js",
    SCRIPT "frames.js",
    SCRIPT "game.js",
    SCRIPT "hall.js",
    SCRIPT "health.js",
    SCRIPT "lists.js",
    SCRIPT "login.js",
    SCRIPT "mini.js",
    SCRIPT "net.js",
    SCRIPT "pairing.js",
    SCRIPT "preview.js",
    SCRIPT "rule.js",
    SCRIPT "seats.js",
    SCRIPT "send.js",
    SCRIPT "settings.js",
    SCRIPT "setup.js",
    SCRIPT "sheet.js",
    SCRIPT "sound.js",
    SCRIPT "status.js",
    SCRIPT "tile.js",
    SCRIPT "wiring.js",
    SCRIPT "words.js",
    SCRIPT "vendor/chessground.js",
    STYLE "vendor/chessground.css",
    STYLE "public/public.css",
    SCRIPT "public/public.js",
    SCRIPT "public/address.js",
    SCRIPT "public/board.js",
    SCRIPT "public/clock.js",
    SCRIPT "public/data.js",
    SCRIPT "public/dom.js",
    SCRIPT "public/engine.js",
    SCRIPT "public/filter.js",
    SCRIPT "public/look.js",
    SCRIPT "public/moves.js",
    SCRIPT "public/player.js",
    SCRIPT "public/results.js",
    SCRIPT "public/round.js",
    SCRIPT "public/screen.js",
    SCRIPT "public/share.js",
    SCRIPT "public/shell.js",
    SCRIPT "public/speech.js",
    SCRIPT "public/standings.js",
    SCRIPT "public/table.js",
    SCRIPT "public/tile.js",
    SCRIPT "public/words.js",
    STYLE "vendor/flags.css",
    PNG "vendor/flags.png",
    SCRIPT "vendor/flags.js",
    STYLE "vendor/pieces-cburnett.css",
    STYLE "vendor/pieces-merida.css",
];
