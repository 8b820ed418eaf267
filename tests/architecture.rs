//! What may use what, and what stays pure: `src/` is read and held against the table of ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The module table: each module of `src/`, and the modules it may use besides itself.
const MAY_USE: &[(&str, &[&str])] = &[
    ("boards", &[]),
    ("sense", &["boards"]),
    ("laws", &[]),
    ("infer", &["sense", "laws"]),
    ("game", &["laws"]),
    ("table", &["boards", "sense", "infer", "laws", "game"]),
    ("simulate", &["boards", "laws", "game"]),
    ("wire", &["boards", "game", "table"]),
    ("link", &["boards", "wire", "names"]),
    ("daemon", &["table", "boards", "link", "config", "wire", "round", "names"]),
    ("locale", &["game", "laws"]),
    ("round", &["game"]),
    ("publish", &["daemon", "game", "laws", "config", "wire", "locale", "round", "names"]),
    ("ctl", &["table", "simulate", "config", "publish", "wire", "locale", "round", "names"]),
    ("config", &["boards", "table", "names"]),
    ("names", &[]),
];

/// Uses that the picture does not show, and why they are right all the same. One that is not needed any more must go.
const AND_ALSO: &[(&str, &str, &str)] = &[
    ("infer", "boards", "an edge carries what a square shows, in the words of boards"),
    ("infer", "game", "rotation and confidence are words of the record"),
    ("game", "boards", "events carry readings: squares, battery, link"),
    ("daemon", "game", "the hub and the journal carry events"),
    ("wire", "laws", "the Laws in force are written as text, and read where they stand, so that wrong ones are refused"),
    ("config", "link", "where a board is plugged in, and how its port is set, are words of link"),
    ("config", "game", "rotation is a word of the record"),
    ("config", "laws", "a start position is read where it is written, so that a wrong one is refused with its line"),
    ("config", "locale", "messages of the machine are read where files are, and checked where messages are"),
    ("locale", "boards", "a square that does not show what the record says carries what it shows"),
    ("publish", "boards", "a touched square carries what it shows"),
    ("ctl", "boards", "simulate, score, replay and doctor run a board's protocol without the daemon"),
    ("ctl", "game", "score compares events with the truth"),
    ("ctl", "laws", "score's baselines and its bound are decoders of their own: they need legal moves, and nothing of infer"),
    ("ctl", "link", "recordings are written by simulate and read by replay; doctor looks at ports"),
    ("ctl", "daemon", "backup copies the journal while the daemon writes it"),
];

/// Modules whose output depends on their input alone.
const PURE: &[&str] = &["boards", "sense", "laws", "infer", "game", "table", "simulate", "locale", "round"];

/// Modules that decide, and therefore calculate in whole numbers: the same on every machine.
const EXACT: &[&str] = &["boards", "sense", "laws", "infer", "game", "table"];

/// Crates that a pure module may use: they do no I/O and read no clock.
const PURE_CRATES: &[&str] = &["shakmaty", "thiserror"];

/// Parts of the standard library that a pure module may not use: they do I/O, read clocks, start threads.
const IMPURE_STD: &[&str] = &["fs", "io", "net", "os", "env", "process", "thread", "time"];

/// What a pure module may use besides, and why.
const PURE_ALSO: &[(&str, &str, &str)] = &[
    ("laws", "toml", "it parses text in memory: the editions are files that are part of the program"),
    ("locale", "fluent_bundle", "it parses and fills in text in memory: the messages are files that are part of the program"),
    ("round", "csv", "it parses text in memory"),
    ("round", "pgn_reader", "it parses text in memory"),
    ("round", "serde", "a round has one form, which is also kept and sent"),
    ("round", "std::io", "pgn_reader's reader over a slice"),
    ("simulate", "pgn_reader", "it parses text in memory"),
    ("simulate", "std::io", "pgn_reader's errors and its reader over a slice"),
];

/// One source file, as its words: names, numbers, `::` and single signs, without comments and texts.
struct Source {
    path: PathBuf,
    /// The module of `src/` it belongs to.
    module: String,
    /// How many modules deep: 0 for `src/laws/mod.rs` and `src/wire.rs`.
    depth: usize,
    words: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// All of `src/` but the programs and the list of modules.
fn sources() -> Vec<Source> {
    let src = root().join("src");
    let mut sources = Vec::new();
    for path in files(&src) {
        let inside = path.strip_prefix(&src).expect("below src").with_extension("");
        let mut parts: Vec<String> = inside.iter().map(|part| part.to_str().expect("a readable name").to_owned()).collect();
        if parts[0] == "bin" || parts == ["lib"] {
            continue;
        }
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        sources.push(Source { module: parts[0].clone(), depth: parts.len() - 1, words: words(&text), path });
    }
    sources
}

/// Splits Rust into words, leaving out comments, texts and characters.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let is_name = |char: char| char.is_alphanumeric() || char == '_';
    let mut words: Vec<String> = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let from = i;
        match (at(i), at(i + 1)) {
            ('/', '/') => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            ('/', '*') => {
                let mut depth = 0;
                while i < chars.len() {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            ('"', _) => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += if at(i) == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            // A character, or the name of a lifetime.
            ('\'', next) => {
                if next == '\\' {
                    i += 3;
                    while i < chars.len() && at(i) != '\'' {
                        i += 1;
                    }
                    i += 1;
                } else {
                    i += if at(i + 2) == '\'' { 3 } else { 1 };
                }
            }
            (':', ':') => {
                words.push("::".to_owned());
                i += 2;
            }
            (char, _) if char.is_ascii_digit() => {
                while is_name(at(i)) || (at(i) == '.' && at(i + 1).is_ascii_digit()) {
                    i += 1;
                }
                words.push(chars[from..i].iter().collect());
            }
            (char, _) if is_name(char) => {
                while is_name(at(i)) {
                    i += 1;
                }
                let name: String = chars[from..i].iter().collect();
                let raw = matches!(name.as_str(), "r" | "br" | "cr");
                let hashes = (i..).take_while(|&j| at(j) == '#').count();
                if raw && at(i + hashes) == '"' {
                    i += hashes + 1;
                    while i < chars.len() && !(at(i) == '"' && (1..=hashes).all(|j| at(i + j) == '#')) {
                        i += 1;
                    }
                    i += 1 + hashes;
                } else {
                    words.push(name);
                }
            }
            (char, _) if char.is_whitespace() => i += 1,
            (char, _) => {
                words.push(char.to_string());
                i += 1;
            }
        }
    }
    words
}

/// The names that follow `start::`: one, or those of a group in braces.
fn follow(words: &[String], start: usize) -> Vec<String> {
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    if word(start) != "{" {
        return vec![word(start).to_owned()];
    }
    let mut names = Vec::new();
    let mut depth = 0;
    let mut first = true;
    for i in start..words.len() {
        match word(i) {
            "{" => (depth, first) = (depth + 1, depth == 0),
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            "," => first = depth == 1,
            name if first => {
                names.push(name.to_owned());
                first = false;
            }
            _ => {}
        }
    }
    names
}

/// Every `beginning::name`, also where a name is in a group.
fn uses_of(words: &[String], beginning: &str) -> Vec<String> {
    (0..words.len())
        .filter(|&i| words[i] == beginning && words.get(i + 1).is_some_and(|word| word == "::") && !is_inside_a_path(words, i))
        .flat_map(|i| follow(words, i + 2))
        .collect()
}

/// Whether a word comes after `name::`.
fn is_inside_a_path(words: &[String], i: usize) -> bool {
    i >= 2 && words[i - 1] == "::" && words[i - 2].ends_with(|char: char| char.is_alphanumeric() || char == '_')
}

/// The modules of `src/` that a file names: by `crate::`, or by `super::` so often that it leaves its own module.
fn modules_used(source: &Source) -> Vec<String> {
    let words = &source.words;
    let mut used = uses_of(words, "crate");
    for start in 0..words.len() {
        if words[start] != "super" || (start > 0 && words[start - 1] == "::") {
            continue;
        }
        let mut end = start;
        while words.get(end + 1).is_some_and(|word| word == "::") && words.get(end + 2).is_some_and(|word| word == "super") {
            end += 2;
        }
        let up = (end - start) / 2 + 1;
        if up > source.depth {
            // In a module within the file it may still stay inside; only the name of another module gives it away.
            used.extend(follow(words, end + 2).into_iter().filter(|name| MAY_USE.iter().any(|(module, _)| module == name)));
        }
    }
    used
}

/// What is wrong with a file's uses of other modules.
fn wrong_uses(source: &Source) -> Vec<String> {
    let Some((_, allowed)) = MAY_USE.iter().find(|(module, _)| *module == source.module) else {
        return vec![format!("{}: module {} is not in the table", source.path.display(), source.module)];
    };
    let also = |name: &str| AND_ALSO.iter().any(|(from, to, _)| *from == source.module && *to == name);
    modules_used(source)
        .into_iter()
        .filter(|name| *name != source.module && !allowed.contains(&name.as_str()) && !also(name))
        .map(|name| format!("{}: {} may not use crate::{name}", source.path.display(), source.module))
        .collect()
}

/// What in a file of a pure module is not pure.
fn impurities(source: &Source, dependencies: &[String]) -> Vec<String> {
    let words = &source.words;
    let mut wrong = Vec::new();
    let also = |name: &str| PURE_ALSO.iter().any(|(module, what, _)| *module == source.module && *what == name);
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).map_or("", String::as_str);
        let is_crate = dependencies.contains(word) && next == "::" && !is_inside_a_path(words, i);
        let is_imported = dependencies.contains(word) && i > 0 && words[i - 1] == "use";
        if (is_crate || is_imported) && !PURE_CRATES.contains(&word.as_str()) && !also(word) {
            wrong.push(format!("uses the crate {word}"));
        }
        if matches!(word.as_str(), "print" | "println" | "eprint" | "eprintln" | "dbg") && next == "!" {
            wrong.push(format!("{word}!"));
        }
        if matches!(word.as_str(), "async" | "await" | "unsafe" | "HashMap" | "HashSet") {
            wrong.push(word.clone());
        }
        let is_float = word.starts_with(|char: char| char.is_ascii_digit()) && word.contains('.');
        // `1.0` is also a field of a field.
        let is_field = i > 0 && words[i - 1] == ".";
        if EXACT.contains(&source.module.as_str()) && (word == "f32" || word == "f64" || (is_float && !is_field)) {
            wrong.push(format!("calculates with {word}"));
        }
    }
    for name in uses_of(words, "std") {
        if (IMPURE_STD.contains(&name.as_str()) || name == "*") && !also(&format!("std::{name}")) {
            wrong.push(format!("uses std::{name}"));
        }
    }
    wrong.into_iter().map(|what| format!("{}: {what}", source.path.display())).collect()
}

/// The crates of Cargo.toml, as code names them.
fn dependencies() -> Vec<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let manifest: toml::Table = manifest.parse().expect("valid TOML");
    let names = manifest["dependencies"].as_table().expect("a table").keys();
    names.map(|name| name.replace('-', "_")).collect()
}

#[test]
fn modules_use_only_what_the_table_says() {
    let sources = sources();
    let wrong: Vec<String> = sources.iter().flat_map(wrong_uses).collect();
    assert!(wrong.is_empty(), "the table is in tests/architecture.rs and ARCHITECTURE.md:\n{}", wrong.join("\n"));
    let there: BTreeSet<&str> = sources.iter().map(|source| source.module.as_str()).collect();
    for (module, _) in MAY_USE {
        assert!(there.contains(module), "the table has a module {module}, src/ has not");
    }
    for (from, to, _) in AND_ALSO {
        let needed = sources.iter().any(|source| source.module == *from && modules_used(source).iter().any(|name| name == to));
        assert!(needed, "{from} does not use {to} any more: take it out of AND_ALSO");
    }
}

#[test]
fn pure_modules_are_pure() {
    let dependencies = dependencies();
    assert!(PURE_CRATES.iter().all(|name| dependencies.iter().any(|dependency| dependency == name)));
    let sources = sources();
    let pure = sources.iter().filter(|source| PURE.contains(&source.module.as_str()));
    let wrong: Vec<String> = pure.flat_map(|source| impurities(source, &dependencies)).collect();
    assert!(wrong.is_empty(), "these modules do no I/O and read no clock, see ARCHITECTURE.md:\n{}", wrong.join("\n"));
    // Clippy looks deeper, see clippy.toml: where it is switched on.
    let lib = words(&std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs")).join(" ");
    for module in PURE {
        let denied = "# [ deny ( clippy :: disallowed_methods , clippy :: disallowed_types ) ] pub mod";
        assert!(lib.contains(&format!("{denied} {module} ;")), "src/lib.rs denies nothing to {module}");
    }
}

/// A position that `Chess` refuses is still one that is played on: only `laws` may know the difference.
#[test]
fn only_laws_knows_shakmatys_chess() {
    for source in sources().iter().filter(|source| source.module != "laws") {
        assert!(!source.words.iter().any(|word| word == "Chess"), "{}: ask laws::Position", source.path.display());
    }
}

#[test]
fn every_board_file_is_in_the_list() {
    let boards = root().join("src/boards");
    let list = words(&std::fs::read_to_string(boards.join("mod.rs")).expect("src/boards/mod.rs")).join(" ");
    for path in files(&boards).iter().filter(|path| path.parent() == Some(&boards)) {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a readable name");
        if stem != "mod" {
            assert!(list.contains(&format!("{stem} :: MODEL")), "{} is not in BOARDS", path.display());
        }
    }
}

/// The test itself: it finds what it should, and nothing in comments and texts.
#[test]
fn the_reader_of_sources() {
    fn source(module: &str, depth: usize, text: &str) -> Source {
        Source { path: PathBuf::from("x.rs"), module: module.to_owned(), depth, words: words(text) }
    }
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(modules_used(&source("boards", 1, text)), expect, "{text}");
    }
    check("use crate::game::Event;", &["game"]);
    check("let x = crate::infer::line::Line(1);", &["infer"]);
    check(
        "pub(crate) use crate::{boards::{Reading, Cue}, game, laws::Position as P, self::x};",
        &["boards", "game", "laws", "self"],
    );
    check("pub (in crate::table) fn x() {}", &["table"]);
    check("use crate::*;", &["*"]);
    check("// crate::game\n/* crate::game /* x */ crate::game */ \"crate::game \\\" crate::game\"", &[]);
    check("r#\"crate::game \" crate::game\"# ; b\"crate::game\"; '\"'; crate::laws; '\\''; '\"'", &["laws"]);
    check("fn f<'a>(x: &'a str) -> crate::sense::Edge<'a> { '\\u{1f}' }", &["sense"]);
    check("use super::super::game::Event; use super::clock; use super::*;", &["game"]);
    assert_eq!(modules_used(&source("wire", 0, "use super::game;")), ["game"]);

    let dependencies = ["shakmaty".to_owned(), "tokio".to_owned(), "serde".to_owned()];
    let check = |text: &str, expect: &[&str]| {
        let expect: Vec<String> = expect.iter().map(|what| format!("x.rs: {what}")).collect();
        assert_eq!(impurities(&source("infer", 0, text), &dependencies), expect, "{text}");
    };
    check("use shakmaty::Square; use std::fmt; let x = a.1.0;", &[]);
    check("#[derive(serde::Serialize)] struct X;", &["uses the crate serde"]);
    check("use tokio as t;", &["uses the crate tokio"]);
    check("use std::{fmt, time::Instant}; std::fs::read(x);", &["uses std::time", "uses std::fs"]);
    check("use std::collections::{BTreeMap, HashMap};", &["HashMap"]);
    check("use std::{collections::HashSet};", &["HashSet"]);
    check("let x = 0.5; let y = 1 as f64; let z = 1..2;", &["calculates with 0.5", "calculates with f64"]);
    check("println!(); async fn f() {}", &["println!", "async"]);
    assert_eq!(wrong_uses(&source("laws", 0, "use crate::game::Event;")), ["x.rs: laws may not use crate::game"]);
    assert_eq!(wrong_uses(&source("nowhere", 0, "")), ["x.rs: module nowhere is not in the table"]);
}
