//! Converts text to [`Config`]: checks every value against the table of keys, then the values against one another.

use super::hooks::{self, Hooks};
use super::keys::{self, TABLES};
use super::lichess::{self, Lichess, Rounds};
use super::livechess::{LiveChess, Origin, ReleasePolicy, parse_origins, parse_sites};
use super::values::{Problems, Values, key, read_table, read_values, unknown_at_top_level_message};
use super::web::{Tls, Web};
use super::{BoardConfig, Config, DEFAULT_STATE_DIR, DiskLimits, EventTags, Problem};
use crate::boards::{self, ControlLines, Lights, SensorKind};
use crate::game::event::Rotation;
use crate::game::{Delay, IllegalMoves};
use crate::laws::{Edition, Laws, Position, Supervision, TimeClass, Worded};
use crate::link::BoardLocation;
use crate::locale::Locale;
use crate::table::{LightsMode, Publish, Settings};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;
use toml::de::DeTable;

/// Returns the configuration, with defaults where there is a problem, and the problems in the order of the file.
pub fn check(text: &str) -> (Config, Vec<Problem>) {
    let mut problems = Problems { text: text.to_owned(), found: Vec::new() };
    let (parseable, suppressed) = blank_invalid_lines(text, &mut problems);
    let syntax_problems = problems.found.len();
    let empty = Spanned::new(0..0, DeTable::new());
    let document = DeTable::parse(&parseable).unwrap_or(empty);
    let root = document.get_ref();
    for (name, value) in root {
        if !TABLES.iter().any(|(table, _)| *table == name.get_ref().as_ref()) {
            problems.add(&name.span(), unknown_at_top_level_message(name.get_ref(), value.get_ref().is_table()));
        }
    }
    let config = read_config(root, &mut problems);
    let later = problems.found.split_off(syntax_problems);
    problems.found.extend(later.into_iter().filter(|(at, _)| !suppressed.iter().any(|range| range.contains(at))));
    (config, problems.sorted())
}

/// Replaces the lines that are not TOML by blanks and adds a problem for each. Also returns the ranges in which no further problems
/// must be reported: below a table header that could not be parsed, it is unknown to which table the keys belong.
fn blank_invalid_lines(text: &str, problems: &mut Problems) -> (String, Vec<Range<usize>>) {
    let mut parseable = text.to_owned();
    let mut suppressed = Vec::new();
    while let Err(error) = DeTable::parse(&parseable) {
        let at = error.span().map_or(0, |span| span.start).min(parseable.len());
        // The parser may report an error at the end of a line at the line break, or after the last one.
        let line =
            line_around(&parseable, at).filter(|line| parseable.get(line.clone()).is_some_and(|line| !line.trim().is_empty()));
        let Some(line) = line.or_else(|| line_around(&parseable, parseable.get(..at)?.trim_end().len().saturating_sub(1)))
        else {
            break;
        };
        let written = parseable.get(line.clone()).unwrap_or_default();
        if written.trim().is_empty() {
            break;
        }
        problems.add(&(at.min(line.end)..line.end), format!("this is not TOML: {}", error.message().replace('\n', "; ")));
        if written.trim_start().starts_with('[') {
            let rest = parseable.get(line.end..).unwrap_or_default();
            suppressed.push(line.start..rest.find("\n[").map_or(parseable.len(), |next| line.end + next));
        }
        // The length stays the same, so that byte offsets remain valid.
        parseable.replace_range(line.clone(), &" ".repeat(line.len()));
    }
    (parseable, suppressed)
}

/// Returns the range of the line that contains this byte, without its line break.
fn line_around(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |before| before + 1);
    let end = text.get(start..)?.find('\n').map_or(text.len(), |length| start + length);
    Some(start..end)
}

fn read_config(root: &DeTable<'_>, problems: &mut Problems) -> Config {
    let bus = read_table(root, "bus", problems).text("address");
    let state_dir = read_table(root, "journal", problems).given_text("state_dir").map(Into::into);
    let recordings = {
        let values = read_table(root, "recordings", problems);
        let megabytes = |key| values.number::<u64>(key) * 1_000_000;
        values.flag("on").then(|| DiskLimits { max: megabytes("max_mb"), reserve: megabytes("reserve_mb") })
    };
    let laws = read_laws(read_table(root, "laws", problems));
    let game = read_game(read_table(root, "game", problems), laws);
    let (delay, illegal_moves) = {
        let values = read_table(root, "broadcast", problems);
        let delay = Delay { ms: values.number::<u64>("delay_s") * 1000, plies: values.number("delay_plies") };
        (delay, if values.text("illegal_move") == "show" { IllegalMoves::Show } else { IllegalMoves::Hold })
    };
    let livechess = read_livechess(read_table(root, "livechess", problems));
    let web = read_web(read_table(root, "web", problems));
    let values = read_table(root, "pgn", problems);
    let tags = EventTags {
        event: values.text("event"),
        site: values.text("site"),
        date: Some(values.text("date")).filter(|date| date != "today"),
        round: values.text("round"),
    };
    let boards = read_boards(root, game.chess960, problems);
    let files = read_files(read_table(root, "files", problems), state_dir.as_deref());
    let metrics = read_table(root, "metrics", problems).text("listen").parse().ok();
    let lichess = read_lichess(&read_table(root, "lichess", problems));
    let hooks = read_hooks(&read_table(root, "hooks", problems));
    Config {
        bus,
        state_dir,
        recordings,
        game,
        tags,
        delay,
        illegal_moves,
        files,
        lichess,
        hooks,
        metrics,
        livechess,
        web,
        boards,
    }
}

/// Returns the directory of the public files, which must not overlap with the state directory that only the service may read.
fn read_files(values: Values<'_>, state_dir: Option<&Path>) -> Option<PathBuf> {
    let dir = PathBuf::from(values.given_text("dir")?);
    if let Some(conflict) = files_conflict(&dir, state_dir.unwrap_or(Path::new(DEFAULT_STATE_DIR))) {
        values.problems.add(&values.span_of("dir").unwrap_or(values.span.clone()), conflict);
    }
    Some(dir)
}

/// Returns the reason why the public files cannot be written to `dir` while the state is kept in `state_dir`, or `None`. Both paths
/// must be absolute. They are compared as text, since neither directory needs to exist. `public` in the state directory is reserved
/// for such files and allowed.
pub(super) fn files_conflict(dir: &Path, state_dir: &Path) -> Option<String> {
    let (files, state) = (normalized(dir), normalized(state_dir));
    let relation = if files.starts_with(&state) && !files.starts_with(state.join("public")) {
        "lies in the state directory".to_owned()
    } else if state.starts_with(&files) {
        format!("contains the state directory {}", state.display())
    } else {
        return None;
    };
    Some(format!("{} {relation}, which holds tokens and games that are not public yet: give another directory", dir.display()))
}

/// Returns the absolute path without `.` and `..`, without reading the file system.
fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = normal.pop(),
            other => normal.push(other),
        }
    }
    normal
}

fn read_lichess(values: &Values<'_>) -> Option<Lichess> {
    let rounds = Rounds::parse(&values.given_text("round")?)?;
    let token_file = values.given_text("token_file").map(Into::into);
    Some(Lichess { url: lichess::parse_site_url(&values.text("url"))?, rounds, token_file })
}

fn read_hooks(values: &Values<'_>) -> Hooks {
    Hooks {
        command: values.list("command"),
        webhook: values.given_text("webhook").and_then(|url| url.parse().ok()),
        matters: hooks::parse_matters(&values.list("matters")).unwrap_or_default(),
        language: Locale::from_tag(&values.text("language")),
    }
}

fn read_game(values: Values<'_>, laws: Laws) -> Settings {
    let settings = Settings {
        sensing: SensorKind::Identity,
        settle_ms: values.number("settle_ms"),
        settle_low_ms: values.number("settle_low_ms"),
        low_time_ms: values.number::<u32>("low_time_s") * 1000,
        dwell_ms: values.number("dwell_ms"),
        rotation: None,
        clock_side: None,
        chess960: values.flag("chess960"),
        start_fen: None,
        accept_kings_signal: values.flag("accept_kings_signal"),
        laws,
        hypotheses: values.number("hypotheses"),
        publish: if values.text("publish") == "sure" { Publish::Sure } else { Publish::Prompt },
        lights: LightsMode::Off,
    };
    let (settle, low) = (settings.settle_ms, settings.settle_low_ms);
    let span = values.span_of("settle_low_ms").or_else(|| values.span_of("settle_ms"));
    if let Some(span) = span.filter(|_| low > settle) {
        values.problems.add(
            &span,
            format!("settle_low_ms ({low}) is more than settle_ms ({settle}): the settle time must not be longer when a player is short of time; write at most {settle} for settle_low_ms, or more for settle_ms"),
        );
    }
    settings
}

fn read_livechess(values: Values<'_>) -> LiveChess {
    let listen: Option<std::net::SocketAddr> = values.text("listen").parse().ok();
    let live = values.flag("live");
    if live
        && let (Some(listen), Some(span)) = (listen, values.span_of("live"))
        && !listen.ip().is_loopback()
    {
        values.problems.add(
            &span,
            format!("live = true shows games that are not public yet, and other machines can reach {listen}: omit it, or write listen = \"127.0.0.1:1982\""),
        );
    }
    let publish = if values.text("publish") == "prompt" { ReleasePolicy::Prompt } else { ReleasePolicy::Settled };
    let at = values.span_of("origins").unwrap_or(values.span.clone());
    let origins = parse_origins(&values.text("origins")).unwrap_or_else(|error| {
        values.problems.add(&at, format!("origins: {error}"));
        Vec::new()
    });
    if live && origins.contains(&Origin::Null) {
        values.problems.add(
            &at,
            "live = true shows games that are not public yet, and any site can show a frame whose origin is \"null\": remove null from origins, or omit live",
        );
    }
    LiveChess { listen, live, publish, origins, first: values.given_text("first") }
}

fn read_web(values: Values<'_>) -> Web {
    let listen: Option<std::net::SocketAddr> = values.text("listen").parse().ok();
    let proxy = values.flag("proxy");
    let [cert, key] = ["tls_cert", "tls_key"].map(|key| values.given_text(key));
    for (given, missing) in [("tls_cert", "tls_key"), ("tls_key", "tls_cert")] {
        if let (Some(span), None) = (values.span_of(given), values.span_of(missing)) {
            values.problems.add(&span, format!("{given} has no effect without {missing}: write both, or omit it"));
        }
    }
    if let (Some(listen), Some(span)) = (listen, values.span_of("listen"))
        && !listen.ip().is_loopback()
        && !proxy
        && values.span_of("tls_cert").or(values.span_of("tls_key")).is_none()
    {
        let port = listen.port();
        // A server that listens on all addresses of the machine is not behind a proxy.
        let with_proxy = match listen.ip().is_unspecified() {
            true => format!("proxy = true and listen = \"127.0.0.1:{port}\" behind a proxy that speaks TLS"),
            false => "proxy = true behind a proxy that speaks TLS".to_owned(),
        };
        values.problems.add(
            &span,
            format!("other machines can reach {listen}, and tokens must not cross a network unencrypted: write tls_cert and tls_key, or {with_proxy}, or listen = \"127.0.0.1:{port}\""),
        );
    }
    if let (Some(listen), Some(span)) = (listen, values.span_of("listen"))
        && listen.ip().is_unspecified()
        && proxy
    {
        values.problems.add(
            &span,
            format!("{listen} is every address of this machine, and any client that reaches it would be treated as the proxy: write listen = \"127.0.0.1:{}\", or the address at which a proxy on another machine reaches this one", listen.port()),
        );
    }
    let hsts = values.flag("hsts");
    if hsts
        && listen.is_some()
        && !proxy
        && let (Some(span), None) = (values.span_of("hsts"), values.span_of("tls_cert"))
    {
        values.problems.add(
            &span,
            "hsts = true tells browsers to use only TLS, which is not configured: write tls_cert and tls_key, or omit it",
        );
    }
    let tls = cert.zip(key).map(|(cert, key)| Tls { cert: cert.into(), key: key.into() });
    Web { listen, hosts: parse_sites(&values.text("hosts")).unwrap_or_default(), tls, proxy, hsts }
}

/// Returns the Laws by which the event is played.
fn read_laws(values: Values<'_>) -> Laws {
    let class = TimeClass::from_word(&values.text("time_class")).unwrap_or(TimeClass::Standard);
    let given = values.given_text("supervision").and_then(|word| Supervision::from_word(&word));
    let supervision = given.unwrap_or(Supervision::Full);
    // Problems with either value have been reported already.
    let both_valid = !values.refused.iter().any(|key| ["time_class", "supervision"].contains(key));
    if class != TimeClass::Standard && given.is_none() && both_valid {
        let at = values.span_of("time_class").unwrap_or(values.span.clone());
        let message = format!(
            "a {} event must state how its games are supervised: write supervision = \"full\" if each is watched and recorded, otherwise supervision = \"limited\"",
            class.word()
        );
        values.problems.add(&at, message);
    }
    if class == TimeClass::Standard && supervision == Supervision::Limited && both_valid {
        let at = values.span_of("supervision").unwrap_or(values.span.clone());
        values
            .problems
            .add(&at, "standard games cannot have limited supervision: omit it, or write time_class = \"rapid\" or \"blitz\"");
    }
    let edition = Edition::named(&values.text("edition")).unwrap_or(Laws::default().edition);
    Laws { edition, class, supervision }
}

fn read_boards(root: &DeTable<'_>, chess960: bool, problems: &mut Problems) -> Vec<BoardConfig> {
    let Some(value) = root.get("board") else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        problems.add(&value.span(), "boards are a list: write [[board]] with two brackets, also for a single one");
        return Vec::new();
    };
    let mut boards: Vec<ParsedBoard> = Vec::new();
    for entry in list.iter() {
        let Some(entries) = entry.get_ref().as_table() else {
            problems.add(&entry.span(), "a board is a table: write [[board]] and its keys below");
            continue;
        };
        let read = read_board(read_values("board", entries, entry.span(), problems), chess960);
        let ParsedBoard { board, span, .. } = &read;
        for ParsedBoard { board: other, span: other_span, has_valid_place: other_has_valid_place } in &boards {
            let line = problems.line(other_span.start);
            if other.name == board.name && !board.name.is_empty() {
                problems.add(
                    span,
                    format!("two boards are named {}, the other on line {line}: give each its own name", board.name),
                );
            }
            let all = |board: &BoardConfig| board.names.values().chain([&board.name]).cloned().collect::<Vec<_>>();
            let (names, other_names) = (all(board), all(other));
            if let Some(name) = names.iter().find(|name| other_names.contains(name)).filter(|_| other.name != board.name) {
                problems.add(span, format!("two boards are named {name}, the other on line {line}: give each its own name"));
            }
            if other.place == board.place && *other_has_valid_place && read.has_valid_place {
                let message = match &board.place {
                    BoardLocation::AnyOfModel(_) => format!(
                        "boards {} and {} (line {line}) cannot be distinguished: give each its port, usb, serial or usb_path",
                        board.name, other.name
                    ),
                    BoardLocation::Ids(ids) => format!(
                        "two boards use any USB device {ids}, the other on line {line}: distinguish them by serial, usb_path or port"
                    ),
                    place => format!("two boards are at {place}, the other on line {line}: give each its own"),
                };
                problems.add(span, message);
            }
        }
        boards.push(read);
    }
    boards.into_iter().map(|read| read.board).collect()
}

/// A board as read from the file.
struct ParsedBoard {
    board: BoardConfig,
    /// The range to which problems with the board as a whole refer.
    span: Range<usize>,
    /// Whether the keys that give its place were all valid.
    has_valid_place: bool,
}

fn read_board(values: Values<'_>, chess960: bool) -> ParsedBoard {
    let name = values.given_text("name");
    let span = values.span_of("name").unwrap_or(values.span.clone());
    if name.is_none() && !values.refused.contains(&"name") {
        values.problems.add(&span, "this board has no name: write name = \"board_1\", or another name");
    }
    let model = boards::model(&values.text("model")).unwrap_or(&boards::dgt::MODEL);
    let places: Vec<(&str, BoardLocation, Range<usize>)> = [
        ("port", values.given_text("port").map(|path| BoardLocation::Port(path.into()))),
        ("usb", values.given_text("usb").and_then(|ids| ids.parse().ok()).map(BoardLocation::Ids)),
        ("serial", values.given_text("serial").map(BoardLocation::Serial)),
        ("usb_path", values.given_text("usb_path").map(BoardLocation::UsbPath)),
    ]
    .into_iter()
    .filter_map(|(key, place)| Some((key, place?, values.span_of(key)?)))
    .collect();
    if let [(first, ..), (second, _, span), ..] = places.as_slice() {
        values.problems.add(span, format!("{first} and {second} both say where this board is: keep one of them"));
    }
    let start_fen = values.given_text("start_fen");
    if let (Some(fen), Some(at)) = (&start_fen, values.span_of("start_fen"))
        && let Err(error) = Position::from_fen(fen, chess960)
    {
        values.problems.add(
            &at,
            format!("start_fen is not a position ({error}): write a FEN such as {}", key("board", "start_fen").example),
        );
    }
    let names = values.given_text("names").as_deref().and_then(keys::parse_names).unwrap_or_default();
    if let Some(at) = values.span_of("names").filter(|_| !(model.protocol)().is_chain()) {
        values.problems.add(&at, format!("a {} is a single board: write name, and omit names", model.title));
    }
    let lights = match values.text("lights").as_str() {
        "displaced" => LightsMode::Displaced,
        "moves" => LightsMode::Moves,
        _ => LightsMode::Off,
    };
    if let Some(at) = values.span_of("lights").filter(|_| lights != LightsMode::Off && model.lights == Lights::None) {
        values.problems.add(&at, format!("a {} has no lights that can be switched: omit lights", model.title));
    }
    let side = |key: &str| match values.text(key).as_str() {
        "upright" => Some(Rotation::Upright),
        "turned" => Some(Rotation::Turned),
        _ => None,
    };
    let board = BoardConfig {
        name: name.unwrap_or_default(),
        names,
        model,
        place: places.into_iter().next().map_or(BoardLocation::AnyOfModel(model), |(_, place, _)| place),
        control: match values.text("control_lines").as_str() {
            "asserted" => ControlLines::Asserted,
            "cleared" => ControlLines::Cleared,
            _ => model.connection.control_lines(),
        },
        rotation: side("rotation"),
        clock_side: side("clock_side"),
        lights,
        start_fen,
    };
    let has_valid_place = !values.refused.iter().any(|key| ["port", "usb", "serial", "usb_path"].contains(key));
    ParsedBoard { board, span, has_valid_place }
}
