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
            && is_in_a_calendar(text))
}

/// Returns whether such a day exists, as far as its digits are known.
fn is_in_a_calendar(date: &str) -> bool {
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
    ("bus", "Where the games are told."),
    ("journal", "Where every move is kept before it is told."),
    ("recordings", "Everything the boards said, to be replayed with `touchmovectl replay`."),
    ("game", "How what the boards sense becomes a game. The same for all boards."),
    (
        "laws",
        "The Laws of Chess by which the event is played. `touchmovectl laws` shows what an edition says, and what of it is not\n\
         at hand.",
    ),
    ("pgn", "What the PGN of every game says about the event."),
    (
        "broadcast",
        "How much later everybody but the arbiter learns what happens: spectators could help the players. It holds for\n\
         org.touchmove1.Broadcast and whatever else is for the public, alike.",
    ),
    (
        "files",
        "The games as files, as DGT LiveChess writes them, for the Lichess Broadcaster and every other program that watches such a\n\
         folder: round-N/game-M.pgn, round-N/games.pgn, and the JSON of LiveChess Cloud beside them. As late as [broadcast] says.",
    ),
    (
        "lichess",
        "The games on lichess.org, in the rounds of a broadcast there, as late as [broadcast] says. Make the broadcast and its rounds\n\
         on lichess.org, without a source URL, and a token with the scope study:write (Preferences, API access tokens).\n\
         `touchmovectl lichess` says whether Lichess takes them. Off unless `round` is given.",
    ),
    (
        "hooks",
        "Being told of alerts without looking: a program is run, or a message posted, for each. Off unless one of them is given.\n\
         Alerts are for the arbiter alone, and these are not delayed: whoever reads them knows what the players must not.",
    ),
    (
        "metrics",
        "Figures on boards and games for Prometheus: for the operator, on this machine alone. Any of its users reads them as late as\n\
         [broadcast] says; who sends a token of `touchmovectl token create` reads them live, and alerts among them. Grafana shows them\n\
         with /usr/share/doc/touchmove/grafana.json.",
    ),
    (
        "livechess",
        "Programs and pages that know DGT LiveChess: they find the boards and games here as they would there. They are the public\n\
         as [broadcast] says, unless `live` is true. Off unless `listen` is given.",
    ),
    (
        "web",
        "A page for the arbiter, and for everybody the games as late as [broadcast] says. Who logs in with a token of\n\
         `touchmovectl token create` sees boards and games at once, and an arbiter the alerts. Off unless `listen` is given.",
    ),
    (
        "board",
        "Boards. With no [[board]] at all, every board is served whose own USB id says that it is one (a DGT e-Board: 045b:8111),\n\
         so one board on one port needs nothing here. Ids such as 0403:6001 or 04d8:000a belong to adapter chips that sit in\n\
         many other devices too, and bytes meant for a chessboard could disturb those: such a port is used only if a [[board]]\n\
         names it, by port, usb, serial or usb_path, even if it is the only one. `touchmovectl doctor` shows the lines to write.\n\
         With one or more [[board]], those are served and no others.",
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
        "The bus on which org.touchmove1 appears. On the session bus every process of the user is the arbiter.\n\
         `auto`: the session bus if there is one, else the system bus; `session`; `system`; or an address. The option --bus goes before it.",
    ),
    key(
        "journal",
        "state_dir",
        text("an absolute path", is_absolute),
        None,
        "\"/var/lib/touchmove\"",
        "The directory of the journal and the recordings.\n\
         Left out: $STATE_DIRECTORY, else $XDG_STATE_HOME/touchmove, else ~/.local/state/touchmove, else /var/lib/touchmove.",
    ),
    key("recordings", "on", Kind::Flag, Some("true"), "true", "Whether recordings are written beside the journal."),
    key(
        "recordings",
        "max_mb",
        number(1, 1_000_000, "MB"),
        Some("256"),
        "256",
        "How much room all of them together may take; the oldest make room for the newest, those of boards first that take more\n\
         than their equal share.",
    ),
    key(
        "recordings",
        "reserve_mb",
        number(0, 1_000_000, "MB"),
        Some("64"),
        "64",
        "Recording stops when the disk has less room left than this: what is left is for moves.",
    ),
    key(
        "game",
        "settle_ms",
        number(20, 5000, "ms"),
        Some("250"),
        "250",
        "A move from which another could still grow (a rook on its way) is told after this much quiet.",
    ),
    key(
        "game",
        "settle_low_ms",
        number(20, 5000, "ms"),
        Some("120"),
        "120",
        "The same when a player is short of time. Not more than settle_ms.",
    ),
    key("game", "low_time_s", number(0, 3600, "s"), Some("120"), "120", "With less on the clock a player is short of time."),
    key(
        "game",
        "dwell_ms",
        number(200, 600_000, "ms"),
        Some("5000"),
        "5000",
        "Without a clock, a move counts as completed when the board has stood like this for so long.",
    ),
    key("game", "chess960", Kind::Flag, Some("false"), "false", "Whether start positions of Chess960 are start positions."),
    key(
        "game",
        "accept_kings_signal",
        Kind::Flag,
        Some("true"),
        "true",
        "Whether kings put on the centre squares give the result at once; if not, it waits for the arbiter. It does in any case\n\
         where the board cannot show which result they tell.",
    ),
    key(
        "game",
        "hypotheses",
        number(8, 4096, "lines of play"),
        Some("64"),
        "64",
        "How many explanations of what is seen are followed at most, for each board.",
    ),
    key(
        "game",
        "publish",
        Kind::Word(&["prompt", "sure"]),
        Some("\"prompt\""),
        "\"sure\"",
        "When a move is told that is not certain. `prompt`: at once, the best guess now, corrected if need be; `sure`: when one\n\
         line of play is clearly ahead of all others, or the move was completed.",
    ),
    key(
        "laws",
        "edition",
        Kind::Word(&crate::laws::EDITIONS),
        Some("\"fide-2023\""),
        "\"fide-2023\"",
        "The edition that is in force.",
    ),
    key(
        "laws",
        "time_class",
        Kind::Word(&["standard", "rapid", "blitz"]),
        Some("\"standard\""),
        "\"standard\"",
        "How fast the games are. By the newest edition: each player's time for all moves, with 60 times the increment; up to 10\n\
         minutes it is `blitz`, below 60 minutes `rapid` (A.1, B.1).",
    ),
    key(
        "laws",
        "supervision",
        Kind::Word(&["full", "limited"]),
        None,
        "\"full\"",
        "Whether the competition rules apply to rapid or blitz as they stand (A.4, B.2): an arbiter watches no more than three rapid\n\
         games, or one of blitz, and each game is recorded. `full`: so it is; `limited`: it is not, and illegal moves stand once the\n\
         opponent has moved. With time_class = \"rapid\" or \"blitz\" this must be given, as the regulations of the event say.",
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
        "Nothing leaves before it is so old, neither a move nor its clock nor a result; of a move that is corrected meanwhile only\n\
         the correction leaves. When touchmoved is started again, what had left is public still, and nothing else before the whole\n\
         delay has passed again: the time of day may have been wrong before.",
    ),
    key(
        "broadcast",
        "delay_plies",
        number(0, 100, "plies"),
        Some("0"),
        "4",
        "And not before so many plies have followed it, as long as the game is on. With delay_s 0 the last plies leave with the\n\
         result.",
    ),
    key(
        "broadcast",
        "illegal_move",
        Kind::Word(&["hold", "show"]),
        Some("\"hold\""),
        "\"show\"",
        "What the public learns of a move that is not legal. `hold`: its record of the game ends before the move until the arbiter\n\
         lets it stand, it stands by the Laws in force, the opponent has completed two further moves, or the game is over; a move\n\
         that is taken back or replaced before that is never published. `show`: it is published like any other move.",
    ),
    key(
        "files",
        "dir",
        text("an absolute path", is_absolute),
        None,
        "\"/srv/chess\"",
        "The folder of the tournament, which is made where it is not there. Left out: no files are written.",
    ),
    key(
        "lichess",
        "round",
        text("the id of a round, or numbers and ids such as \"1 = AbCd1234, 2 = EfGh5678\"", |text| {
            lichess::Rounds::parse(text).is_some()
        }),
        None,
        "\"1 = AbCd1234, 2 = EfGh5678\"",
        "The rounds of the broadcast: the number of each here and its id on Lichess, the last eight letters and digits of its\n\
         address there. One id alone is that of the first round that is sent, and no other is sent then.",
    ),
    key(
        "lichess",
        "token_file",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/lichess.token\"",
        "The file that has the token, and nothing else; not one that every user of the machine can read. Left out: the credential\n\
         `lichess` that systemd gives the service (LoadCredential=lichess:FILE).",
    ),
    key(
        "lichess",
        "url",
        text("https://HOST, or http://HOST on this machine or its own network", |text| lichess::parse_site_url(text).is_some()),
        Some("\"https://lichess.org\""),
        "\"https://lichess.org\"",
        "Another server of the same kind.",
    ),
    key(
        "hooks",
        "command",
        list("a list of the whole path of a program and its arguments, or []", hooks::is_command),
        Some("[]"),
        "[\"/usr/local/bin/tell\", \"arbiter\"]",
        "A program that is run for each alert, without a shell: by its whole path, with arguments. It has the alert in variables\n\
         TOUCHMOVE_… and as JSON on its standard input, and 10 s.",
    ),
    key(
        "hooks",
        "webhook",
        text("https://HOST/PATH, or http://HOST/PATH on this machine or its own network", |text| {
            text.parse::<url::Url>().is_ok()
        }),
        None,
        "\"https://ntfy.example.org/a-topic-nobody-guesses\"",
        "Where each alert is posted as text with Title, Priority and Tags: a topic of ntfy, on telephones at once. Whoever knows\n\
         the address can read it.",
    ),
    key(
        "hooks",
        "matters",
        list("a list of play, board, touch, end, device", |words| hooks::parse_matters(words).is_some()),
        Some("[\"play\", \"board\"]"),
        "[\"play\", \"board\", \"end\"]",
        "Of which alerts. `play`: what a player did by moving or pressing; `board`: what stands on the board; `touch`: touched\n\
         pieces; `end`: results that are wanted, and draws; `device`: boards, clocks, cables.",
    ),
    key("hooks", "language", Kind::Word(&["en", "zh-Hans", "zh-Hant"]), Some("\"en\""), "\"zh-Hans\"", "In which language."),
    key(
        "metrics",
        "listen",
        text("an address of this machine alone and a port, such as \"127.0.0.1:9482\", or \"\"", is_loopback),
        Some("\"\""),
        "\"127.0.0.1:9482\"",
        "Where http://ADDRESS:PORT/metrics answers. Left out: nowhere.",
    ),
    key(
        "livechess",
        "listen",
        text("an address with a port such as \"127.0.0.1:1982\", or \"\" for nowhere", livechess::is_listen_address),
        Some("\"\""),
        "\"127.0.0.1:1982\"",
        "Where they connect. Port 1982 of this machine is where they look for LiveChess. \"\": nowhere, it is off.",
    ),
    key(
        "livechess",
        "live",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether they see boards, clocks and moves at once, also where [broadcast] has a delay. Only with a listen address that\n\
         nobody but this machine reaches.",
    ),
    key(
        "livechess",
        "origins",
        text("origins with commas between them, such as \"lichess.org, chess.com\"", |_| true),
        Some("\"lichess.org, chess.com, localhost, 127.0.0.1\""),
        "\"lichess.org, localhost\"",
        "Whose pages may ask: these hosts and those below them. Pages must have come by https, but from this machine, from an\n\
         address, and where http:// stands before the host. A name without a dot is given as http://hall, and is that host\n\
         alone. An application with pages of its own is named with its scheme, such as tauri://localhost. null: pages opened\n\
         from files, and every sandboxed frame of any site; not with live = true. A program that is no browser may ask in any\n\
         case.",
    ),
    key(
        "livechess",
        "publish",
        Kind::Word(&["settled", "prompt"]),
        Some("\"settled\""),
        "\"settled\"",
        "When a move is put into `san`. lichess.org plays the first move that it is told and cannot take it back. `settled`:\n\
         while the clock runs, 300 ms after it was pressed, or when the reply has been on record for a second; otherwise when\n\
         no square has changed for a second (three after a promotion) or 300 ms after the opponent has lifted a piece. The last\n\
         move waits while a piece of its player's is off its square, for five seconds at most if nothing else changes.\n\
         `prompt`: as soon as it is unlikely to be corrected. What stands on the board is told at once in any case.",
    ),
    key(
        "livechess",
        "first",
        text("the name of a board", is_name),
        None,
        "\"board_1\"",
        "The board that is told of first: lichess.org takes that one and no other. Left out: the one at the first table, or the\n\
         first by name.",
    ),
    key(
        "web",
        "listen",
        text("an address with a port such as \"127.0.0.1:8064\", or \"\" for nowhere", livechess::is_listen_address),
        Some("\"\""),
        "\"127.0.0.1:8064\"",
        "Where browsers find the page. \"\": nowhere, it is off. An address that is reached from elsewhere only with tls_cert and\n\
         tls_key, or behind a proxy.",
    ),
    key(
        "web",
        "hosts",
        text("names with commas between them, such as \"hall.example.org\"", |text| livechess::parse_sites(text).is_some()),
        Some("\"\""),
        "\"hall.example.org\"",
        "The names by which browsers ask for it, besides addresses and localhost; names below them count, too, but a name without\n\
         a dot, such as hall, is that name alone. Others are refused: whoever owns a name can make it point here.",
    ),
    key(
        "web",
        "tls_cert",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/cert.pem\"",
        "Its certificate and those that vouch for it, as PEM. The file is read again when it changes. Left out: no TLS.",
    ),
    key(
        "web",
        "tls_key",
        text("an absolute path", is_absolute),
        None,
        "\"/etc/touchmove/key.pem\"",
        "The private key of that, as PEM.",
    ),
    key(
        "web",
        "proxy",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether all of it comes through a proxy that speaks TLS with browsers, hands Host on, and says in X-Forwarded-For who asks.",
    ),
    key(
        "web",
        "hsts",
        Kind::Flag,
        Some("false"),
        "true",
        "Whether browsers are told to ask this host name over TLS alone for a year (HSTS). That holds for every port of the name: what\n\
         else answers there without TLS is out of their reach then.",
    ),
    key(
        "board",
        "name",
        text("1 to 32 letters A–Z, digits or _", is_name),
        Some("\"board_1\""),
        "\"board_1\"",
        "The name of the board: in its object path, in the journal, on the command line. Each board needs one of its own,\n\
         of 1 to 32 letters A–Z, digits or _. There is no default.\n\
         With model = \"dgt-bus\" it is the name of the line, and a board on it is called by that name and its serial number,\n\
         such as board_1_00960, from the moment it first answers.",
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
    key("board", "model", Kind::Model, Some("\"dgt\""), "\"dgt\"", "What board it is."),
    key(
        "board",
        "port",
        text("the absolute path of a serial port", is_absolute),
        None,
        "\"/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A1B2C3-if00-port0\"",
        "Where it is plugged in, in one of four ways: the device file or a link to it,",
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
        "or the USB device with this serial number, in whatever socket,",
    ),
    key(
        "board",
        "usb_path",
        text("a USB socket such as \"1-2\" or \"1-2.3\"", is_usb_path),
        None,
        "\"1-2\"",
        "or whatever is plugged into this USB socket.\n\
         With none of the four (one board only): the board of this model that its USB id names.",
    ),
    key(
        "board",
        "rotation",
        Kind::Word(&["auto", "upright", "turned"]),
        Some("\"auto\""),
        "\"auto\"",
        "How the board stands. `auto`: found from the position; `upright`: as its maker intended (DGT: the connector is on\n\
         White's left); `turned`: the other way round.",
    ),
    key(
        "board",
        "clock_side",
        Kind::Word(&["auto", "upright", "turned"]),
        Some("\"auto\""),
        "\"auto\"",
        "How the clock stands. `auto`: found from the first presses; `upright`: its left half is White's when the board is\n\
         upright; `turned`: the other way round.",
    ),
    key(
        "board",
        "lights",
        Kind::Word(&["off", "displaced", "moves"]),
        Some("\"off\""),
        "\"off\"",
        "What a board with lights shows the players. `displaced`: the squares that are to be put right; `moves`: the last move,\n\
         too, until a piece is touched. Leave them `off` in rated games: nobody may be shown anything there (Art. 12.6).",
    ),
    key(
        "board",
        "control_lines",
        Kind::Word(&["auto", "asserted", "cleared"]),
        Some("\"auto\""),
        "\"auto\"",
        "The modem control lines DTR and RTS. `auto`: `cleared` for a line of many (dgt-bus), else `asserted`, as boards on USB\n\
         expect them; some on RS-232 want them `cleared`.",
    ),
    key(
        "board",
        "start_fen",
        text("a FEN", is_line),
        None,
        "\"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"",
        "The position from which games on this board start, where it is not the usual one. FEN; Shredder-FEN for Chess960.",
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
        "# Configuration of touchmoved. Every key is shown with its default: take away the # before one to change it.\n\
         # What a file says is checked with `touchmoved --check-config --config FILE`.\n\
         # Looked for in $XDG_CONFIG_HOME/touchmove (~/.config/touchmove), else in /etc/touchmove. Written from src/config/keys.rs.\n",
    );
    for (table, about) in TABLES {
        let _ = writeln!(file, "\n# {}", about.replace('\n', "\n# "));
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
