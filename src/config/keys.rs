//! The table of all configuration keys.

use super::{hooks, lichess, livechess, url};
use crate::boards::Address;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The kind of value that a key accepts.
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// An integer.
    Number {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
        /// The unit.
        unit: &'static str,
    },
    /// One of the given words.
    Word(&'static [&'static str]),
    /// The name of a model in the table of boards.
    Model,
    /// A text of the given form.
    Text {
        /// The expected form, as a continuation of "write".
        form: &'static str,
        /// Returns whether a text has that form.
        accepts: fn(&str) -> bool,
    },
    /// A list of texts of the given form.
    List {
        /// The expected form, as a continuation of "write".
        form: &'static str,
        /// Returns whether a list has that form.
        accepts: fn(&[String]) -> bool,
    },
}

/// A key of the configuration.
pub struct Key {
    /// The table to which it belongs; `board` is an array of tables.
    pub table: &'static str,
    /// The name of the key.
    pub name: &'static str,
    /// The kind of value that it accepts.
    pub kind: Kind,
    /// The default, as TOML; `None`: see `doc`.
    pub default: Option<&'static str>,
    /// A valid value, as TOML.
    pub example: &'static str,
    /// The description, wrapped for a comment in the file.
    pub doc: &'static str,
}

const fn key(
    table: &'static str,
    name: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    example: &'static str,
    doc: &'static str,
) -> Key {
    Key { table, name, kind, default, example, doc }
}

const fn number(min: i64, max: i64, unit: &'static str) -> Kind {
    Kind::Number { min, max, unit }
}

const fn text(form: &'static str, accepts: fn(&str) -> bool) -> Kind {
    Kind::Text { form, accepts }
}

const fn list(form: &'static str, accepts: fn(&[String]) -> bool) -> Kind {
    Kind::List { form, accepts }
}

/// Returns whether this is a single line of text, as a PGN tag can hold.
fn is_line(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// Returns whether this name is valid in a D-Bus object path and easy to type.
pub fn is_name(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_bus(text: &str) -> bool {
    matches!(text, "auto" | "session" | "system") || text.split_once(':').is_some_and(|(_, rest)| rest.contains('='))
}

fn is_date(text: &str) -> bool {
    text == "today"
        || (text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'.',
                _ => byte.is_ascii_digit() || byte == b'?',
            })
            && is_calendar_date(text))
}

/// Returns whether such a day exists, as far as its digits are known.
fn is_calendar_date(date: &str) -> bool {
    let number = |range| date.get(range).and_then(|digits: &str| digits.parse::<i16>().ok());
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    // An unknown year counts as a leap year, an unknown month as one with 31 days.
    let small = |number: i16| i8::try_from(number).unwrap_or(0);
    jiff::civil::Date::new(year.unwrap_or(2000).max(1), small(month.unwrap_or(1)), small(day.unwrap_or(1))).is_ok()
}

fn is_absolute(text: &str) -> bool {
    text.starts_with('/') && is_line(text)
}

fn is_loopback(text: &str) -> bool {
    text.is_empty() || text.parse().is_ok_and(|address: std::net::SocketAddr| address.ip().is_loopback())
}

fn is_usb_path(text: &str) -> bool {
    text.contains('-') && text.bytes().all(|byte| byte.is_ascii_digit() || b"-.".contains(&byte))
}

/// Parses bus addresses and names, such as `1 = name`; each may occur only once.
pub fn parse_names(text: &str) -> Option<BTreeMap<Address, String>> {
    let mut names = BTreeMap::new();
    for pair in text.split(',') {
        let (number, name) = pair.split_once('=')?;
        let address = number.trim().parse().ok().filter(|address| (1..=0x3fff).contains(address))?;
        let name = Some(name.trim()).filter(|name| is_name(name) && !names.values().any(|other| other == name))?;
        if names.insert(Address(address), name.to_owned()).is_some() {
            return None;
        }
    }
    Some(names)
}

/// The tables in the order of the file, each with its description.
pub const TABLES: &[(&str, &str)] = &[
    ("bus", "The bus on which the games are published."),
    ("journal", "The journal, in which every event is stored before it is published."),
    ("recordings", "Recordings of everything that the boards send, to be replayed with `touchmovectl replay`."),
    ("game", "How readings of the boards become a game. The same for all boards."),
    (
        "laws",
        "The Laws of Chess by which the event is played. `touchmovectl laws` shows what an edition says, and which parts of its\n\
         text were not available.",
    ),
    ("pgn", "PGN tags about the event, the same in every game."),
    (
        "broadcast",
        "The delay for everybody except the arbiter: spectators could help the players. It applies to org.touchmove1.Broadcast\n\
         and to everything else that is public.",
    ),
    (
        "files",
        "The games as files, in the format of DGT LiveChess, for the Lichess Broadcaster and other programs that watch such a\n\
         folder: round-N/game-M.pgn, round-N/games.pgn, and the JSON of LiveChess Cloud next to them. With the delay of\n\
         [broadcast].",
    ),
    (
        "lichess",
        "The games on lichess.org, in the rounds of a broadcast there, with the delay of [broadcast]. Create the broadcast and\n\
         its rounds on lichess.org, without a source URL, and a token with the scope study:write (Preferences, API access\n\
         tokens). `touchmovectl lichess` checks whether Lichess accepts them. Off unless `round` is given.",
    ),
    (
        "hooks",
        "Notifications of alerts: for each alert, a program is run or a message is posted. Off unless one of them is given.\n\
         Alerts are for the arbiter only, and notifications are not delayed: they can contain information that the players\n\
         must not have.",
    ),
    (
        "metrics",
        "Metrics of boards and games for Prometheus, on this machine only. Every user of this machine reads them with the delay\n\
         of [broadcast]; a client with a token of `touchmovectl token create` reads them live, alerts included. Grafana shows\n\
         them with /usr/share/doc/touchmove/grafana.json.",
    ),
    (
        "livechess",
        "A server for programs and pages that support DGT LiveChess. They see the boards and games that are public, with the\n\
         delay of [broadcast], unless `live` is true. Off unless `listen` is given.",
    ),
    (
        "web",
        "The web page: everybody sees the games with the delay of [broadcast]. Users who log in with a token of `touchmovectl\n\
         token create` see boards and games live, and arbiters also see the alerts. Off unless `listen` is given.",
    ),
    (
        "board",
        "Boards. Without any [[board]], touchmoved serves every board whose own USB id identifies it (a DGT e-Board:\n\
         045b:8111), so one board on one port needs nothing here. Ids such as 0403:6001 or 04d8:000a belong to adapter chips\n\
         that are built into many other devices too, and bytes sent to a chessboard could disturb those: such a port is used\n\
         only if a [[board]] names it, by port, usb, serial or usb_path, even if it is the only one. `touchmovectl doctor`\n\
         prints the lines to write. With one or more [[board]], those boards are served and no others.",
    ),
];

/// All keys, in the order of the file.
pub static KEYS: &[Key] = &[
    key(
        "bus",
        "address",
        text("\"auto\", \"session\", \"system\", or the address of a bus such as \"unix:path=/run/user/1000/bus\"", is_bus),
        Some("\"auto\""),
        "\"system\"",
        "The bus on which org.touchmove1 appears. On the session bus every process of the user has the rights of the arbiter.\n\
         `auto`: the session bus if there is one, otherwise the system bus; `session`; `system`; or an address. The option\n\
         --bus overrides it.",
    ),
    key(
        "journal",
        "state_dir",
        text("an absolute path", is_absolute),
        None,
        "\"/var/lib/touchmove\"",
        "The directory of the journal and the recordings.\n\
         If omitted: $STATE_DIRECTORY, otherwise $XDG_STATE_HOME/touchmove, otherwise ~/.local/state/touchmove, otherwise\n\
         /var/lib/touchmove.",
    ),
    key("recordings", "on", Kind::Flag, Some("true"), "true", "Whether recordings are written next to the journal."),
    key(
        "recordings",
        "max_mb",
        number(1, 1_000_000, "MB"),
        Some("256"),
        "256",
        "The maximum size of all recordings together. The oldest are deleted for the newest; first those of boards that take\n\
         more than their equal share.",
    ),
    key(
        "recordings",
        "reserve_mb",
        number(0, 1_000_000, "MB"),
        Some("64"),
        "64",
        "Recording stops when the disk has less free space than this, which is reserved for moves.",
    ),
    key(
        "game",
        "settle_ms",
        number(20, 5000, "ms"),
        Some("250"),
        "250",
        "Settle time: a move that could still become another one (a rook on its way) is published after this time without a\n\
         change.",
    ),
    key(
        "game",
        "settle_low_ms",
        number(20, 5000, "ms"),
        Some("120"),
        "120",
        "The settle time when a player is short of time. Not more than settle_ms.",
    ),
    key("game", "low_time_s", number(0, 3600, "s"), Some("120"), "120", "A player with less time than this is short of time."),
    key(
        "game",
        "dwell_ms",
        number(200, 600_000, "ms"),
        Some("5000"),
        "5000",
        "Without a clock, a move counts as completed when the board has not changed for this time.",
    ),
    key("game", "chess960", Kind::Flag, Some("false"), "false", "Whether to accept Chess960 start positions."),
    key(
        "game",
        "accept_kings_signal",
        Kind::Flag,
        Some("true"),
        "true",
        "Whether kings on the centre squares set the result at once; otherwise the result waits for the arbiter. It always\n\
         waits if the board cannot show which result the kings signal.",
    ),
    key(
        "game",
        "hypotheses",
        number(8, 4096, "lines of play"),
        Some("64"),
        "64",
        "The maximum number of lines of play that are followed for each board.",
    ),
    key(
        "game",
        "publish",
        Kind::Word(&["prompt", "sure"]),
        Some("\"prompt\""),
        "\"sure\"",
        "When an uncertain move is published. `prompt`: at once, and corrected if necessary; `sure`: when one line of play is\n\
         clearly ahead of all others, or the move was completed.",
    ),
    key("laws", "edition", Kind::Word(&crate::laws::EDITIONS), Some("\"fide-2023\""), "\"fide-2023\"", "The edition in force."),
    key(
        "laws",
        "time_class",
        Kind::Word(&["standard", "rapid", "blitz"]),
        Some("\"standard\""),
        "\"standard\"",
        "The time class. By the newest edition: each player's time for all moves, plus 60 times the increment; up to 10 minutes\n\
         is `blitz`, below 60 minutes `rapid` (A.1, B.1).",
    ),
    key(
        "laws",
        "supervision",
        Kind::Word(&["full", "limited"]),
        None,
        "\"full\"",
        "Whether the competition rules apply to rapid or blitz in full (A.4, B.2): an arbiter supervises at most three rapid\n\
         games, or one blitz game, and each game is recorded. `full`: they do; `limited`: they do not, and illegal moves stand\n\
         once the opponent has moved. With time_class = \"rapid\" or \"blitz\" this must be given, as the regulations of the event\n\
         say.",
    ),
    key(
        "pgn",
        "event",
        text("one line of text", is_line),
        Some("\"?\""),
        "\"Club championship\"",
        "The event. `?`: not known.",
    ),
    key("pgn", "site", text("one line of text", is_line), Some("\"?\""), "\"Shanghai\"", "The place. `?`: not known."),
    key(
        "pgn",
        "date",
        text("\"today\" or a date such as \"2026.11.21\" (? where a digit is not known)", is_date),
        Some("\"today\""),
        "\"2026.11.21\"",
        "The day, as PGN writes it. `today`: the day on which a game began.",
    ),
    key("pgn", "round", text("one line of text", is_line), Some("\"?\""), "\"3\"", "The round. `?`: not known."),
    key(
        "broadcast",
        "delay_s",
        number(0, 86_400, "seconds"),
        Some("0"),
        "900",
        "The minimum age of everything that is published: moves, clock times and results. If a move is corrected meanwhile,\n\
         only the correction is published. After a restart of touchmoved, events that were public stay public, and all others\n\
         wait for the whole delay again, because the time of day may have been wrong before.",
    ),
    key(
        "broadcast",
        "delay_plies",
        number(0, 100, "plies"),
        Some("0"),
        "4",
        "In addition, a move is not published before this number of plies have followed it, as long as the game is in progress.\n\
         With delay_s 0 the last plies are published with the result.",
    ),
    key(
        "broadcast",
        "illegal_move",
        Kind::Word(&["hold", "show"]),
        Some("\"hold\""),
        "\"show\"",
        "How an illegal move is published. `hold`: the public record of the game ends before the move until the arbiter lets it\n\
         stand, it stands by the Laws in force, the opponent has completed two further moves, or the game is over; a move\n\
         that is taken back or replaced before that is never published. `show`: it is published like any other move.",
    ),
    key(
        "files",
        "dir",
        text("an absolute path", is_absolute),
        None,
        "\"/srv/chess\"",
        "The folder of the tournament, which is created if it does not exist. If omitted, no files are written.",
    ),
    key(
        "lichess",
        "round",
        text("the id of a round, or numbers and ids such as \"1 = AbCd1234, 2 = EfGh5678\"", |text| {
            lichess::Rounds::parse(text).is_some()
        }),
        None,
        "\"1 = AbCd1234, 2 = EfGh5678\"",
        "The rounds of the broadcast: the number of each round here, and its id on Lichess, which is the last eight letters and\n\
         digits of its address. A single id is that of the first round that is sent; no other round is sent then.",
    ),
    key(
        "lichess",
        "token_file",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/lichess.token\"",
        "The file with the token and nothing else; it must not be readable by all users of the machine. If omitted: the\n\
         credential `lichess` that systemd gives the service (LoadCredential=lichess:FILE).",
    ),
    key(
        "lichess",
        "url",
        text("https://HOST, or http://HOST on this machine or its own network", |text| lichess::parse_site_url(text).is_some()),
        Some("\"https://lichess.org\""),
        "\"https://lichess.org\"",
        "Another server with the same interface.",
    ),
    key(
        "hooks",
        "command",
        list("a list of the absolute path of a program and its arguments, or []", hooks::is_command),
        Some("[]"),
        "[\"/usr/local/bin/notify\", \"arbiter\"]",
        "A program that is run for each alert, without a shell: its absolute path, and its arguments. It receives the alert in\n\
         variables TOUCHMOVE_… and as JSON on its standard input, and has 10 s.",
    ),
    key(
        "hooks",
        "webhook",
        text("https://HOST/PATH, or http://HOST/PATH on this machine or its own network", |text| {
            text.parse::<url::Url>().is_ok()
        }),
        None,
        "\"https://ntfy.example.org/a-topic-nobody-guesses\"",
        "The address to which each alert is posted as text with the headers Title, Priority and Tags, such as a topic of ntfy,\n\
         which delivers to phones at once. Anyone who knows the address can read the alerts.",
    ),
    key(
        "hooks",
        "matters",
        list("a list of play, board, touch, end, device", |words| hooks::parse_matters(words).is_some()),
        Some("[\"play\", \"board\"]"),
        "[\"play\", \"board\", \"end\"]",
        "The categories of alerts that are sent. `play`: actions of a player on the board or the clock; `board`: pieces on the\n\
         board; `touch`: touched pieces; `end`: results to confirm, and draws; `device`: boards, clocks, cables.",
    ),
    key(
        "hooks",
        "language",
        Kind::Word(&["en", "zh-Hans", "zh-Hant"]),
        Some("\"en\""),
        "\"zh-Hans\"",
        "The language of the notifications.",
    ),
    key(
        "metrics",
        "listen",
        text("a loopback address and a port, such as \"127.0.0.1:9482\", or \"\"", is_loopback),
        Some("\"\""),
        "\"127.0.0.1:9482\"",
        "The address at which http://ADDRESS:PORT/metrics is served. If omitted: none.",
    ),
    key(
        "livechess",
        "listen",
        text("an address with a port such as \"127.0.0.1:1982\", or \"\" for none", livechess::is_listen_address),
        Some("\"\""),
        "\"127.0.0.1:1982\"",
        "The address for clients. They look for LiveChess on port 1982 of this machine. \"\": none, the server is off.",
    ),
    key(
        "livechess",
        "live",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether clients see boards, clocks and moves at once, even if [broadcast] has a delay. Only with a listen address that\n\
         only this machine can reach.",
    ),
    key(
        "livechess",
        "origins",
        text("origins with commas between them, such as \"lichess.org, chess.com\"", |_| true),
        Some("\"lichess.org, chess.com, localhost, 127.0.0.1\""),
        "\"lichess.org, localhost\"",
        "The hosts whose pages may connect: these hosts and those below them. Pages must have been loaded over https, except\n\
         from this machine, from an address, and where http:// is before the host. A name without a dot is given as\n\
         http://hall, and matches only that host. An application with pages of its own is named with its scheme, such as\n\
         tauri://localhost. null: pages opened from files, and every sandboxed frame of any site; not with live = true. A\n\
         program that is not a browser may always connect.",
    ),
    key(
        "livechess",
        "publish",
        Kind::Word(&["settled", "prompt"]),
        Some("\"settled\""),
        "\"settled\"",
        "When a move is added to `san`. lichess.org plays the first move that it receives and cannot take it back. `settled`:\n\
         while the clock runs, 300 ms after it was pressed, or when the reply has been on record for a second; otherwise when\n\
         no square has changed for a second (three after a promotion) or 300 ms after the opponent has lifted a piece. The last\n\
         move waits while a piece of its player is off its square, for at most five seconds if nothing else changes. `prompt`:\n\
         as soon as it is unlikely to be corrected. What is on the board is always sent at once.",
    ),
    key(
        "livechess",
        "first",
        text("the name of a board", is_name),
        None,
        "\"board_1\"",
        "The board that is listed first: lichess.org uses only that one. If omitted: the board at the first table,\n\
         otherwise the first by name.",
    ),
    key(
        "web",
        "listen",
        text("an address with a port such as \"127.0.0.1:8064\", or \"\" for none", livechess::is_listen_address),
        Some("\"\""),
        "\"127.0.0.1:8064\"",
        "The address of the page. \"\": none, the page is off. An address that other machines can reach needs tls_cert and\n\
         tls_key, or a proxy.",
    ),
    key(
        "web",
        "hosts",
        text("names with commas between them, such as \"hall.example.org\"", |text| livechess::parse_sites(text).is_some()),
        Some("\"\""),
        "\"hall.example.org\"",
        "The names by which browsers address it, besides addresses and localhost; names below them match too, but a\n\
         name without a dot, such as hall, matches only itself. Other names are refused, because the owner of a name can make\n\
         it resolve to this machine.",
    ),
    key(
        "web",
        "tls_cert",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/cert.pem\"",
        "Its certificate and the intermediate certificates, as PEM. The file is read again when it changes. If omitted: no TLS.",
    ),
    key(
        "web",
        "tls_key",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/key.pem\"",
        "The private key of the certificate, as PEM.",
    ),
    key(
        "web",
        "proxy",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether all requests come through a proxy that provides TLS, passes Host on, and names the client in X-Forwarded-For.",
    ),
    key(
        "web",
        "hsts",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether browsers are told to use only TLS for this host name for a year (HSTS). This applies to every port of the\n\
         name: anything else that answers there without TLS becomes unreachable for them.",
    ),
    key(
        "board",
        "name",
        text("1 to 32 letters A–Z, digits or _", is_name),
        Some("\"board_1\""),
        "\"board_1\"",
        "The name of the board: in its object path, in the journal, on the command line. Each board needs its own, of 1 to 32\n\
         letters A–Z, digits or _. There is no default.\n\
         With model = \"dgt-bus\" it is the name of the line, and a board on it is named after it and its serial number, such as\n\
         board_1_00960, from the moment when it first answers.",
    ),
    key(
        "board",
        "names",
        text("serial numbers from 1 to 16383 with a name for each, such as \"00960 = table_1, 01025 = table_2\"", |text| {
            parse_names(text).is_some()
        }),
        None,
        "\"00960 = table_1, 01025 = table_2\"",
        "With model = \"dgt-bus\": names for boards on the line, by their serial numbers.",
    ),
    key("board", "model", Kind::Model, Some("\"dgt\""), "\"dgt\"", "The model of the board."),
    key(
        "board",
        "port",
        text("the absolute path of a serial port", is_absolute),
        None,
        "\"/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A1B2C3-if00-port0\"",
        "Where the board is plugged in, in one of four ways: the device file or a link to it,",
    ),
    key(
        "board",
        "usb",
        text("USB vendor and product id, four hexadecimal digits each, such as \"0403:6001\"", |text| {
            text.parse::<crate::link::UsbIds>().is_ok()
        }),
        None,
        "\"0403:6001\"",
        "or any USB device with this vendor and product id,",
    ),
    key(
        "board",
        "serial",
        text("the serial number of the USB device", |text| !text.is_empty() && is_line(text)),
        None,
        "\"A1B2C3\"",
        "or the USB device with this serial number, in any socket,",
    ),
    key(
        "board",
        "usb_path",
        text("a USB socket such as \"1-2\" or \"1-2.3\"", is_usb_path),
        None,
        "\"1-2\"",
        "or any device in this USB socket.\n\
         With none of the four (one board only): the board of this model, recognised by its USB id.",
    ),
    key(
        "board",
        "rotation",
        Kind::Word(&["auto", "upright", "turned"]),
        Some("\"auto\""),
        "\"auto\"",
        "The orientation of the board. `auto`: inferred from the position; `upright`: as its maker intended (DGT: the connector\n\
         is on White's left); `turned`: the other way round.",
    ),
    key(
        "board",
        "clock_side",
        Kind::Word(&["auto", "upright", "turned"]),
        Some("\"auto\""),
        "\"auto\"",
        "The orientation of the clock. `auto`: inferred from the first presses; `upright`: its left half is White's when the\n\
         board is upright; `turned`: the other way round.",
    ),
    key(
        "board",
        "lights",
        Kind::Word(&["off", "displaced", "moves"]),
        Some("\"off\""),
        "\"off\"",
        "What a board with lights shows to the players. `displaced`: the squares to correct; `moves`: also the last move, until\n\
         a piece is touched. Leave them `off` in rated games: nothing may be shown to the players there (Article 12.6).",
    ),
    key(
        "board",
        "control_lines",
        Kind::Word(&["auto", "asserted", "cleared"]),
        Some("\"auto\""),
        "\"auto\"",
        "The modem control lines DTR and RTS. `auto`: `cleared` for a line of many boards (dgt-bus), otherwise `asserted`, as\n\
         boards on USB expect them; some on RS-232 need them `cleared`.",
    ),
    key(
        "board",
        "start_fen",
        text("a FEN", is_line),
        None,
        "\"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"",
        "The position from which games on this board start, if it is not the usual one. FEN; Shredder-FEN for Chess960.",
    ),
];

impl Kind {
    /// Returns what to write, as a continuation of "write".
    pub fn expected(&self) -> String {
        match self {
            Kind::Flag => "true or false".to_owned(),
            Kind::Number { min, max, unit } => format!("a whole number from {min} to {max} ({unit})"),
            Kind::Word(words) => words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or "),
            Kind::Model => {
                crate::boards::BOARDS.iter().map(|model| format!("{:?}", model.name)).collect::<Vec<_>>().join(" or ")
            }
            Kind::Text { form, .. } | Kind::List { form, .. } => (*form).to_owned(),
        }
    }
}

/// Returns the file with every key commented out: the content of `config/touchmoved.toml`.
pub fn commented_file() -> String {
    let mut file = String::from(
        "# Configuration of touchmoved. Every key is shown with its default: remove the # before one to change it.\n\
         # `touchmoved --check-config --config FILE` checks a file. The documentation is configuration.md, or touchmoved.toml(5).\n\
         # Searched in $XDG_CONFIG_HOME/touchmove (~/.config/touchmove), then in /etc/touchmove. Generated from src/config/keys.rs.\n",
    );
    for (table, description) in TABLES {
        let _ = writeln!(file, "\n# {}", description.replace('\n', "\n# "));
        // A [[board]] without keys would define a board; a plain table without keys has no effect.
        let _ = writeln!(file, "{}", if *table == "board" { "#[[board]]".to_owned() } else { format!("[{table}]") });
        for key in KEYS.iter().filter(|key| key.table == *table) {
            let _ = writeln!(file, "# {}", key.doc.replace('\n', "\n# "));
            if let Kind::Number { .. } | Kind::Flag | Kind::Model = key.kind {
                let expected = key.kind.expected();
                let _ = writeln!(file, "# {}{}.", expected[..1].to_uppercase(), &expected[1..]);
            }
            let _ = match key.default {
                Some(default) => writeln!(file, "#{} = {default}", key.name),
                None => writeln!(file, "#    {} = {}", key.name, key.example),
            };
        }
    }
    file
}
