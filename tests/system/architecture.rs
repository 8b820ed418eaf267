//! Checks `src/` against the module table of ARCHITECTURE.md: which module may use which, and which modules are pure.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The module table: each module of `src/`, and the other modules that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("boards", &[]),
    ("sense", &["boards"]),
    ("laws", &[]),
    ("infer", &["sense", "laws"]),
    ("game", &["laws"]),
    ("table", &["boards", "sense", "infer", "laws", "game"]),
    ("simulate", &["boards", "laws", "game"]),
    ("wire", &["game", "table"]),
    ("link", &["boards", "wire", "names"]),
    ("wiring_test", &["boards", "game"]),
    ("daemon", &["table", "boards", "link", "config", "wire", "round", "desk", "wiring_test", "names"]),
    ("hall", &["config", "daemon", "game", "boards", "wire", "desk"]),
    ("locale", &["game", "laws"]),
    ("round", &["game"]),
    ("desk", &["round", "game"]),
    ("publish", &["daemon", "game", "laws", "config", "wire", "locale", "round", "desk", "wiring_test", "names"]),
    ("lab", &["boards", "laws", "infer", "game", "table", "simulate", "wire", "locale"]),
    (
        "ctl",
        &["lab", "table", "simulate", "config", "publish", "hall", "wire", "locale", "round", "desk", "wiring_test", "names"],
    ),
    ("config", &["boards", "table", "wiring_test", "names"]),
    ("names", &[]),
];

/// Uses that the diagram does not show, and why they are right nevertheless. An entry that is no longer needed must be removed.
const AND_ALSO: &[(&str, &str, &str)] = &[
    ("infer", "boards", "an edge carries the state of a square, in the types of boards"),
    ("infer", "game", "rotation and confidence are types of the record"),
    ("game", "boards", "events carry readings: squares, battery, link"),
    ("daemon", "game", "the hub and the journal carry events"),
    ("daemon", "laws", "the Laws of the games to come can change while a board is served"),
    ("config", "link", "where a board is plugged in, and how its port is configured, are types of link"),
    ("config", "game", "rotation is a type of the record"),
    ("config", "laws", "a start position is parsed with the file, so that a wrong one is refused with its line"),
    ("config", "locale", "the administrator's messages are read with the other files, and checked by locale"),
    ("locale", "boards", "a square that differs from the record carries the state that it shows"),
    ("publish", "boards", "a touched square carries the state that it shows"),
    ("ctl", "boards", "simulate, score, replay and doctor run a board's protocol without the daemon"),
    ("ctl", "game", "replay prints records and events"),
    ("ctl", "laws", "laws prints editions and the rulings they require"),
    ("ctl", "link", "recordings are written by simulate and read by replay; doctor looks at ports"),
    ("ctl", "daemon", "backup copies the journal while the daemon writes it"),
];

/// Modules whose output depends only on their input.
const PURE: &[&str] =
    &["boards", "sense", "laws", "infer", "game", "table", "simulate", "locale", "round", "desk", "wiring_test"];

/// Modules that make decisions, and therefore use integer arithmetic: the results are the same on every machine.
const EXACT: &[&str] = &["boards", "sense", "laws", "infer", "game", "table", "wiring_test"];

/// Crates that a pure module may use: they do no I/O and read no clock.
const PURE_CRATES: &[&str] = &["shakmaty", "thiserror"];

/// Parts of the standard library that a pure module may not use: they do I/O, read clocks, start threads.
const IMPURE_STD: &[&str] = &["fs", "io", "net", "os", "env", "process", "thread", "time"];

/// Crates and parts of the standard library that one pure module may use, and why.
const PURE_ALSO: &[(&str, &str, &str)] = &[
    ("boards", "serde", "an event carries the state of the battery"),
    ("infer", "toml", "it parses text in memory: the weights of the prior are a file that is part of the program"),
    ("laws", "toml", "it parses text in memory: the editions are files that are part of the program"),
    ("locale", "fluent_bundle", "it parses and fills in text in memory: the messages are files that are part of the program"),
    ("desk", "serde", "acts have one form, which is also stored and sent"),
    ("round", "csv", "it parses text in memory"),
    ("round", "encoding_rs", "it decodes bytes in memory"),
    ("round", "pgn_reader", "it parses text in memory"),
    ("game", "serde", "events and commands have one form each, which is also stored and sent"),
    ("game", "serde_json", "an event that a later version has written keeps its text"),
    ("round", "serde", "a round has one form, which is also stored and sent"),
    ("round", "std::io", "pgn_reader's reader over a slice"),
    ("table", "serde", "the settings have one form, which every recording contains"),
    ("simulate", "pgn_reader", "it parses text in memory"),
    ("simulate", "std::io", "pgn_reader's errors and its reader over a slice"),
];

/// One source file, split into tokens: names, numbers, `::` and single characters, without comments and string literals.
struct Source {
    path: PathBuf,
    /// The module of `src/` it belongs to.
    module: String,
    /// The depth of the module: 0 for `src/laws/mod.rs` and `src/wire.rs`.
    depth: usize,
    tokens: Vec<String>,
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

/// All files of `src/` except the programs and `lib.rs`.
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
        sources.push(Source { module: parts[0].clone(), depth: parts.len() - 1, tokens: tokens(&text), path });
    }
    sources
}

/// Splits Rust source into tokens and drops comments, string literals and characters.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let char_at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let is_name = |char: char| char.is_alphanumeric() || char == '_';
    let mut tokens: Vec<String> = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let from = i;
        match (char_at(i), char_at(i + 1)) {
            ('/', '/') => {
                while i < chars.len() && char_at(i) != '\n' {
                    i += 1;
                }
            }
            ('/', '*') => {
                let mut depth = 0;
                while i < chars.len() {
                    match (char_at(i), char_at(i + 1)) {
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
                while i < chars.len() && char_at(i) != '"' {
                    i += if char_at(i) == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            // A character, or the name of a lifetime.
            ('\'', next) => {
                if next == '\\' {
                    i += 3;
                    while i < chars.len() && char_at(i) != '\'' {
                        i += 1;
                    }
                    i += 1;
                } else {
                    i += if char_at(i + 2) == '\'' { 3 } else { 1 };
                }
            }
            (':', ':') => {
                tokens.push("::".to_owned());
                i += 2;
            }
            (char, _) if char.is_ascii_digit() => {
                while is_name(char_at(i)) || (char_at(i) == '.' && char_at(i + 1).is_ascii_digit()) {
                    i += 1;
                }
                tokens.push(chars[from..i].iter().collect());
            }
            (char, _) if is_name(char) => {
                while is_name(char_at(i)) {
                    i += 1;
                }
                let name: String = chars[from..i].iter().collect();
                let raw = matches!(name.as_str(), "r" | "br" | "cr");
                let hashes = (i..).take_while(|&j| char_at(j) == '#').count();
                if raw && char_at(i + hashes) == '"' {
                    i += hashes + 1;
                    while i < chars.len() && !(char_at(i) == '"' && (1..=hashes).all(|j| char_at(i + j) == '#')) {
                        i += 1;
                    }
                    i += 1 + hashes;
                } else {
                    tokens.push(name);
                }
            }
            (char, _) if char.is_whitespace() => i += 1,
            (char, _) => {
                tokens.push(char.to_string());
                i += 1;
            }
        }
    }
    tokens
}

/// The names that follow `start::`: one name, or those of a group in braces.
fn names_after(tokens: &[String], start: usize) -> Vec<String> {
    let token = |i: usize| tokens.get(i).map_or("", String::as_str);
    if token(start) != "{" {
        return vec![token(start).to_owned()];
    }
    let mut names = Vec::new();
    let mut depth = 0;
    let mut first = true;
    for i in start..tokens.len() {
        match token(i) {
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

/// The `name` of every `beginning::name`, also those in a group.
fn uses_of(tokens: &[String], beginning: &str) -> Vec<String> {
    (0..tokens.len())
        .filter(|&i| {
            tokens[i] == beginning && tokens.get(i + 1).is_some_and(|token| token == "::") && !is_inside_a_path(tokens, i)
        })
        .flat_map(|i| names_after(tokens, i + 2))
        .collect()
}

/// Whether the token follows `name::`.
fn is_inside_a_path(tokens: &[String], i: usize) -> bool {
    i >= 2 && tokens[i - 1] == "::" && tokens[i - 2].ends_with(|char: char| char.is_alphanumeric() || char == '_')
}

/// The modules of `src/` that a file uses: by `crate::`, or by enough `super::` to leave its own module.
fn modules_used(source: &Source) -> Vec<String> {
    let tokens = &source.tokens;
    let mut used = uses_of(tokens, "crate");
    for start in 0..tokens.len() {
        if tokens[start] != "super" || (start > 0 && tokens[start - 1] == "::") {
            continue;
        }
        let mut end = start;
        while tokens.get(end + 1).is_some_and(|token| token == "::")
            && tokens.get(end + 2).is_some_and(|token| token == "super")
        {
            end += 2;
        }
        let up = (end - start) / 2 + 1;
        if up > source.depth {
            // In a module within the file the path may still stay inside; only the name of another module shows that it does
            // not.
            used.extend(
                names_after(tokens, end + 2).into_iter().filter(|name| MAY_USE.iter().any(|(module, _)| module == name)),
            );
        }
    }
    used
}

/// The forbidden uses of other modules in a file.
fn wrong_uses(source: &Source) -> Vec<String> {
    let Some((_, allowed)) = MAY_USE.iter().find(|(module, _)| *module == source.module) else {
        return vec![format!("{}: module {} is not in the table", source.path.display(), source.module)];
    };
    let is_exception = |name: &str| AND_ALSO.iter().any(|(from, to, _)| *from == source.module && *to == name);
    modules_used(source)
        .into_iter()
        .filter(|name| *name != source.module && !allowed.contains(&name.as_str()) && !is_exception(name))
        .map(|name| format!("{}: {} may not use crate::{name}", source.path.display(), source.module))
        .collect()
}

/// Everything in a file of a pure module that is not pure.
fn impurities(source: &Source, dependencies: &[String]) -> Vec<String> {
    let tokens = &source.tokens;
    let mut wrong = Vec::new();
    let is_exception = |name: &str| PURE_ALSO.iter().any(|(module, what, _)| *module == source.module && *what == name);
    for (i, token) in tokens.iter().enumerate() {
        let next = tokens.get(i + 1).map_or("", String::as_str);
        let is_crate = dependencies.contains(token) && next == "::" && !is_inside_a_path(tokens, i);
        let is_imported = dependencies.contains(token) && i > 0 && tokens[i - 1] == "use";
        if (is_crate || is_imported) && !PURE_CRATES.contains(&token.as_str()) && !is_exception(token) {
            wrong.push(format!("uses the crate {token}"));
        }
        if matches!(token.as_str(), "print" | "println" | "eprint" | "eprintln" | "dbg") && next == "!" {
            wrong.push(format!("{token}!"));
        }
        if matches!(token.as_str(), "async" | "await" | "unsafe" | "HashMap" | "HashSet") {
            wrong.push(token.clone());
        }
        let is_float = token.starts_with(|char: char| char.is_ascii_digit()) && token.contains('.');
        // `1.0` is also a field of a field.
        let is_field = i > 0 && tokens[i - 1] == ".";
        if EXACT.contains(&source.module.as_str()) && (token == "f32" || token == "f64" || (is_float && !is_field)) {
            wrong.push(format!("calculates with {token}"));
        }
    }
    for name in uses_of(tokens, "std") {
        if (IMPURE_STD.contains(&name.as_str()) || name == "*") && !is_exception(&format!("std::{name}")) {
            wrong.push(format!("uses std::{name}"));
        }
    }
    wrong.into_iter().map(|what| format!("{}: {what}", source.path.display())).collect()
}

/// The dependencies in Cargo.toml, as code names them.
fn dependencies() -> Vec<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let manifest: toml::Table = manifest.parse().expect("valid TOML");
    let of_targets = manifest["target"].as_table().expect("a table").values();
    let tables = std::iter::once(&manifest["dependencies"]).chain(of_targets.map(|target| &target["dependencies"]));
    tables.flat_map(|table| table.as_table().expect("a table").keys()).map(|name| name.replace('-', "_")).collect()
}

#[test]
fn modules_use_only_what_the_table_says() {
    let sources = sources();
    let wrong: Vec<String> = sources.iter().flat_map(wrong_uses).collect();
    assert!(wrong.is_empty(), "the table is in tests/system/architecture.rs and ARCHITECTURE.md:\n{}", wrong.join("\n"));
    let existing: BTreeSet<&str> = sources.iter().map(|source| source.module.as_str()).collect();
    for (module, _) in MAY_USE {
        assert!(existing.contains(module), "the table has a module {module}, which src/ does not have");
    }
    for (from, to, _) in AND_ALSO {
        let needed = sources.iter().any(|source| source.module == *from && modules_used(source).iter().any(|name| name == to));
        assert!(needed, "{from} does not use {to} any more: remove it from AND_ALSO");
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
    // Clippy finds more (see clippy.toml), where its lints are enabled.
    let lib = tokens(&std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs")).join(" ");
    for module in PURE {
        let denied = "# [ deny ( clippy :: disallowed_methods , clippy :: disallowed_types ) ] pub mod";
        assert!(lib.contains(&format!("{denied} {module} ;")), "src/lib.rs does not deny the lints for {module}");
    }
}

/// Play may go on from a position that `Chess` refuses: only `laws` distinguishes such positions.
#[test]
fn only_laws_knows_shakmatys_chess() {
    for source in sources().iter().filter(|source| source.module != "laws") {
        assert!(!source.tokens.iter().any(|token| token == "Chess"), "{}: use laws::Position", source.path.display());
    }
}

/// The files of `boards` that are not those of a family.
const NOT_A_FAMILY: &[&str] = &["mod", "bluetooth", "connection", "model", "protocol", "reading", "shared", "square"];

#[test]
fn every_board_file_is_in_the_list() {
    let boards = root().join("src/boards");
    let list = tokens(&std::fs::read_to_string(boards.join("mod.rs")).expect("src/boards/mod.rs")).join(" ");
    for path in files(&boards).iter().filter(|path| path.parent() == Some(&boards)) {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a readable name");
        if !NOT_A_FAMILY.contains(&stem) {
            assert!(list.contains(&format!("{stem} :: MODEL")), "{} is not in BOARDS", path.display());
        }
    }
}

/// What several front-ends use depends on none of them. `tags` says which tags there are, `engine_files` whether there is an engine.
#[test]
fn shared_rooms_use_no_front_end() {
    for room in ["http", "render", "public"] {
        for path in files(&root().join("src/publish").join(room)) {
            let tokens = tokens(&std::fs::read_to_string(&path).expect("a source file"));
            for used in tokens.windows(5).filter(|five| five[..4] == ["crate", "::", "publish", "::"]) {
                assert!(
                    ["http", "render", "public", "engine_files", "tags"].contains(&used[4].as_str()),
                    "{} uses publish::{}",
                    path.display(),
                    used[4]
                );
            }
        }
    }
}

/// A front-end that is not in the list would never be started.
#[test]
fn every_front_end_is_in_the_list() {
    let list = tokens(&std::fs::read_to_string(root().join("src/publish/mod.rs")).expect("src/publish/mod.rs")).join(" ");
    let mut found = 0;
    for source in sources().iter().filter(|source| source.module == "publish") {
        for implementation in source.tokens.windows(3).filter(|three| three[0] == "FrontEnd" && three[1] == "for") {
            found += 1;
            assert!(list.contains(&format!(":: {}", implementation[2])), "{} is not in FRONT_ENDS", source.path.display());
        }
    }
    assert!(found >= 7, "only {found} front-ends were found");
}

/// Tests the checks above: they find forbidden uses, and ignore comments and string literals.
#[test]
fn the_checks_find_forbidden_uses() {
    fn source(module: &str, depth: usize, text: &str) -> Source {
        Source { path: PathBuf::from("x.rs"), module: module.to_owned(), depth, tokens: tokens(text) }
    }
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(modules_used(&source("boards", 1, text)), expect, "{text}");
    }
    check("use crate::game::Event;", &["game"]);
    check("let x = crate::infer::line::Line(1);", &["infer"]);
    check(
        "pub(crate) use crate::{boards::{Reading, BoardCommand}, game, laws::Position as P, self::x};",
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

/// Crates that the core must not depend on: they do I/O or are written in C.
const NOT_IN_THE_CORE: &[&str] =
    &["axum", "hyper", "libc", "rusb", "rusqlite", "rustix", "serialport", "tokio", "udev", "zbus"];

/// `cargo build --no-default-features` builds the core alone: without I/O, C code or system packages.
#[test]
fn the_core_needs_no_system_package() {
    let tree = |options: &[&str]| {
        let output = std::process::Command::new(env!("CARGO"))
            .args(["tree", "--offline", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"])
            .args(options)
            .current_dir(root())
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let is_forbidden = |name: &String| {
        NOT_IN_THE_CORE.contains(&name.as_str()) || name.ends_with("-sys") || matches!(name.as_str(), "cc" | "pkg-config")
    };
    let core = tree(&["--no-default-features"]);
    assert_eq!(core.iter().filter(|name| is_forbidden(name)).collect::<Vec<_>>(), Vec::<&String>::new());
    // The check finds them where they are.
    let all = tree(&[]);
    assert!(NOT_IN_THE_CORE.iter().all(|name| all.contains(*name)), "{all:?}");
}
