//! The error messages for a wrong configuration, and the committed file with the defaults.

mod network;
mod settings;

use std::fs;
use std::path::Path;
use touchmove::boards::{self, ControlLines};
use touchmove::config::keys::{self, commented_file};
use touchmove::config::{Config, ConfigError};
use touchmove::game::event::{AlertCategory, Rotation};
use touchmove::link::BoardLocation;
use touchmove::locale::Locale;
use touchmove::table::{HandCosts, Publish, Settings};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/touchmoved.toml");

/// Checks the problems of a configuration text.
#[track_caller]
fn check(text: &str, expect: &[&str]) {
    let problems: Vec<String> = match Config::parse(text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    };
    assert_eq!(problems, expect, "in\n{text}");
}

#[track_caller]
fn parse(text: &str) -> Config {
    Config::parse(text).unwrap_or_else(|problems| panic!("{problems:?} in\n{text}"))
}

#[test]
fn the_committed_file_is_the_table_of_keys() {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(COMMITTED, commented_file()).unwrap();
    }
    let committed = fs::read_to_string(COMMITTED).unwrap();
    assert!(committed == commented_file(), "config/touchmoved.toml is out of date: run `UPDATE=1 cargo test config`");
}

#[test]
fn the_committed_file_changes_nothing() {
    assert_eq!(parse(&commented_file()), Config::default());
}

#[test]
fn every_key_uncommented_is_its_default() {
    let uncomment = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '[') => rest.to_owned(),
        _ => line.to_owned(),
    };
    let text: Vec<String> = commented_file().lines().map(uncomment).collect();
    let mut config = parse(&text.join("\n"));
    let model = boards::model("dgt").unwrap();
    let board = boards_of_one(&config);
    assert_eq!(*board, touchmove::config::BoardConfig::new("board_1".into(), model, BoardLocation::AnyOfModel(model)));
    config.boards.clear();
    assert_eq!(config, Config::default());
    for (_, key) in keys::all() {
        let line = text.iter().filter(|line| line.trim_start_matches(['#', ' ']).starts_with(&format!("{} = ", key.name)));
        let tables = keys::all().filter(|(_, other)| other.name == key.name).count();
        assert_eq!(line.count(), tables, "{} is not in the file just once for each table that has it", key.name);
    }
}

#[test]
fn hooks_are_lists_of_words() {
    let hooks = parse("[hooks]\ncommand = ['/bin/tell', 'a b', '']\nmatters = [\"touch\"]\nlanguage = 'zh-Hant'").hooks;
    assert_eq!(
        (hooks.command.len(), hooks.matters, hooks.language),
        (3, vec![AlertCategory::Touch], Locale::TraditionalChinese)
    );
    let hooks = parse("").hooks;
    assert!(hooks.is_off() && hooks.matters == [AlertCategory::Play, AlertCategory::Board]);
    let form = "write a list of play, board, touch, end, device, such as matters = [\"play\", \"board\", \"end\"]";
    check("[hooks]\nmatters = ['play', 'bored']", &[&format!("2:11: matters is an invalid list; {form}")]);
    check("[hooks]\nmatters = []", &[&format!("2:11: matters is an invalid list; {form}")]);
    check("[hooks]\nmatters = 'play'", &[&format!("2:11: matters is text in quotes; {form}")]);
    let form = "write a list of the absolute path of a program and its arguments, or [], such as command = [\"/usr/local/bin/notify\", \"arbiter\"]";
    check("[hooks]\ncommand = ['tell']", &[&format!("2:11: command is an invalid list; {form}")]);
    check("[hooks]\ncommand = ['/tell', 3]", &[&format!("2:11: command is an invalid list; {form}")]);
}

#[test]
fn public_files_are_outside_the_state_directory() {
    check("[files]\ndir = '/srv/chess'\n[journal]\nstate_dir = '/srv/state'", &[]);
    check("[files]\ndir = '/srv/state/public'\n[journal]\nstate_dir = '/srv/state'", &[]);
    let refused = |dir: &str| {
        format!(
            "2:7: {dir} lies in the state directory, which holds tokens and games that are not public yet: give another directory"
        )
    };
    check("[files]\ndir = '/srv/state'\n[journal]\nstate_dir = '/srv/state'", &[&refused("/srv/state")]);
    check("[files]\ndir = '/var/lib/touchmove/games'", &[&refused("/var/lib/touchmove/games")]);
    // The same path in other spellings.
    for dir in ["/srv/chess/../state/games", "/srv/./state/games", "/srv/state/public/../games", "/../srv//state/"] {
        check(&format!("[files]\ndir = '{dir}'\n[journal]\nstate_dir = '/srv/x/../state'"), &[&refused(dir)]);
    }
    check("[files]\ndir = '/srv/state/../chess'\n[journal]\nstate_dir = '/srv/state'", &[]);
    check("[files]\ndir = '/srv/states'\n[journal]\nstate_dir = '/srv/state'", &[]);
    for dir in ["/srv", "/srv/chess/..", "/"] {
        let refused = format!(
            "2:7: {dir} contains the state directory /srv/state, which holds tokens and games that are not public yet: give another directory"
        );
        check(&format!("[files]\ndir = '{dir}'\n[journal]\nstate_dir = '/srv/state'"), &[&refused]);
    }
}

#[test]
fn public_files_are_outside_the_state_directory_option() {
    let conflict = |dir: &str, state_dir: &str| {
        parse(&format!("[files]\ndir = '{dir}'\n[journal]\nstate_dir = '/srv/state'")).files_conflict(Path::new(state_dir))
    };
    assert_eq!(conflict("/srv/chess", "/srv/state"), None);
    assert_eq!(conflict("/srv/chess", "state"), None);
    assert_eq!(conflict("/tmp/chess/public", "/tmp/chess"), None);
    assert!(
        conflict("/tmp/chess/games", "/tmp/x/../chess").is_some_and(|message| message.contains("lies in the state directory"))
    );
    assert!(conflict("/tmp/chess", "/tmp/chess/state").is_some_and(|message| message.contains("contains the state directory")));
    let here = std::env::current_dir().unwrap();
    assert!(conflict(here.join("state/games").to_str().unwrap(), "state").is_some());
    assert_eq!(Config::default().files_conflict(Path::new("/srv/state")), None);
}

#[test]
fn every_example_and_every_default_is_accepted() {
    for (table, key) in keys::all() {
        for value in [Some(key.example), key.default].into_iter().flatten() {
            match table.name {
                "board" if key.name == "name" => parse(&format!("[[board]]\nname = {value}")),
                "board" if key.name == "names" => {
                    parse(&format!("[[board]]\nname = \"x\"\nmodel = \"dgt-bus\"\nnames = {value}"))
                }
                "web" if key.name.starts_with("tls_") => parse(&format!("[web]\ntls_cert = {value}\ntls_key = {value}")),
                "board" => parse(&format!("[[board]]\nname = \"x\"\n{} = {value}", key.name)),
                "hall" if key.name == "hub" => parse(&format!("[hall]\nmachine = \"pi-07\"\nhub = {value}")),
                "hall" if key.name == "standby" => parse(&format!("[hall]\nserve = true\nstandby = {value}")),
                table => parse(&format!("[{table}]\n{} = {value}", key.name)),
            };
        }
    }
}

#[test]
fn the_defaults_are_those_of_the_core() {
    let config = Config::default();
    let model = boards::model("dgt").unwrap();
    let board = touchmove::config::BoardConfig::new("x".into(), model, BoardLocation::AnyOfModel(model));
    assert_eq!(config.settings(&board), Settings { sensing: model.sensing, ..Settings::default() });
    assert!(config.boards.is_empty());
}

/// The only board.
#[track_caller]
fn boards_of_one(config: &Config) -> &touchmove::config::BoardConfig {
    let [board] = config.boards.as_slice() else { panic!("{} boards", config.boards.len()) };
    board
}

#[test]
fn every_key_takes_effect() {
    let config = parse(
        "[bus]\naddress = 'unix:path=/run/bus'\n[journal]\nstate_dir = '/srv/chess'\n[recordings]\nmax_mb = 10\n\
         [game]\nsettle_ms = 0x12c\nsettle_low_ms = 1_00\nlow_time_s = 60\ndwell_ms = 3000\nchess960 = true\n\
         accept_kings_signal = false\nhypotheses = 128\npublish = 'sure'\n[hands]\nput_back = 60\nstuck_square = 0\n[pgn]\nevent = 'Open'\nsite = 'Wuxi'\ndate = '2026.11.??'\nround = '3'\n\
         [[board]]\nname = 'hall_1'\nusb = '0403:6001'\nrotation = 'turned'\nclock_side = 'upright'\ncontrol_lines = 'cleared'\n\
         start_fen = '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'\n[[board]]\nname = 'hall_2'\nserial = 'A1'\n",
    );
    assert_eq!(config.bus, "unix:path=/run/bus");
    assert_eq!(config.state_dir(), Path::new("/srv/chess"));
    assert_eq!(config.recordings, Some(touchmove::config::DiskLimits { max: 10_000_000, reserve: 64_000_000 }));
    assert_eq!((config.tags.event.as_str(), config.tags.site.as_str(), config.tags.round.as_str()), ("Open", "Wuxi", "3"));
    assert_eq!(config.tags.date.as_deref(), Some("2026.11.??"));
    let [first, second] = config.boards.as_slice() else { panic!() };
    assert_eq!(first.place, BoardLocation::Ids("0403:6001".parse().unwrap()));
    assert_eq!(second.place, BoardLocation::Serial("A1".into()));
    assert_eq!((first.control, second.control), (ControlLines::Cleared, ControlLines::Asserted));
    let settings = config.settings(first);
    assert_eq!((settings.settle_ms, settings.settle_low_ms, settings.low_time_ms, settings.dwell_ms), (300, 100, 60_000, 3000));
    assert_eq!((settings.rotation, settings.clock_side), (Some(Rotation::Turned), Some(Rotation::Upright)));
    assert_eq!((settings.chess960, settings.accept_kings_signal, settings.hypotheses), (true, false, 128));
    assert_eq!(settings.publish, Publish::Sure);
    assert_eq!(settings.hands, HandCosts { put_back: 60, stuck_square: 0, ..HandCosts::default() });
    let other = parse("[[board]]\nname = 'hall_1'\nserial = 'A1'\n");
    assert_eq!(other.settings(&other.boards[0]).hands, HandCosts::default());
    assert_eq!(settings.start_fen.as_deref(), Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    assert_eq!(config.settings(second).start_fen, None);
}

#[test]
fn control_lines_default_to_those_of_the_model() {
    let control = |model: &str, line: &str| {
        boards_of_one(&parse(&format!("[[board]]\nname = 'x'\nmodel = '{model}'\nport = '/dev/x'\n{line}"))).control
    };
    assert_eq!(control("dgt", ""), ControlLines::Asserted);
    assert_eq!(control("dgt-bus", ""), ControlLines::Cleared);
    assert_eq!(control("dgt-bus", "control_lines = 'auto'"), ControlLines::Cleared);
    assert_eq!(control("dgt-bus", "control_lines = 'asserted'"), ControlLines::Asserted);
}

#[test]
fn the_laws_of_an_event() {
    let laws = |text: &str| {
        let config = parse(text);
        let model = boards::model("dgt").unwrap();
        config
            .settings(&touchmove::config::BoardConfig::new("x".into(), model, BoardLocation::AnyOfModel(model)))
            .laws
            .to_string()
    };
    assert_eq!(laws(""), "fide-2023");
    assert_eq!(laws("[laws]\nsupervision = 'full'"), "fide-2023");
    assert_eq!(laws("[laws]\nedition = 'fide-2018'\ntime_class = 'rapid'\nsupervision = 'full'"), "fide-2018 rapid");
    assert_eq!(laws("[laws]\ntime_class = 'blitz'\nsupervision = 'limited'"), "fide-2023 blitz limited");
    let supervision = "must state how its games are supervised: write supervision = \"full\" if each is watched and recorded, otherwise supervision = \"limited\"";
    check("[laws]\ntime_class = 'rapid'", &[&format!("2:14: a rapid event {supervision}")]);
    check(
        "[laws]\ntime_class = 'blitz'\nsupervision = 'some'",
        &["3:15: supervision is \"some\"; write \"full\" or \"limited\", such as supervision = \"full\""],
    );
    check(
        "[laws]\nsupervision = 'limited'",
        &["2:15: standard games cannot have limited supervision: omit it, or write time_class = \"rapid\" or \"blitz\""],
    );
}

#[test]
fn recordings_can_be_off() {
    assert_eq!(parse("[recordings]\non = false\nmax_mb = 5").recordings, None);
}

#[test]
fn unknown_keys_are_refused() {
    check("[game]\nsettel_ms = 250", &["2:1: there is no key settel_ms in [game]; did you mean settle_ms?"]);
    check("[game]\nround = 'x'", &["2:1: there is no key round in [game]: round belongs under [pgn]"]);
    check("[bus]\ncolour = 3", &["2:1: there is no key colour in [bus]; there are address"]);
    check("settle_ms = 250", &["1:1: settle_ms belongs under [game]: write that line first"]);
    check("[gaem]\nx = 1", &["1:2: there is no table gaem; did you mean [game]?"]);
    check(
        "[telemetry]\nx = 1",
        &[
            "1:2: there is no table or key telemetry; there are [bus], [journal], [recordings], [game], [hands], [laws], [pgn], [broadcast], [files], [public], [publish_static], [lichess], [hooks], [metrics], [livechess], [web], [hall], [[board]]",
        ],
    );
}

#[test]
fn invalid_values_are_refused() {
    let number = "write a whole number from 20 to 5000 (ms), such as settle_ms = 250";
    check("[game]\nsettle_ms = 5", &[&format!("2:13: settle_ms is 5; {number}")]);
    check("[game]\n  settle_ms = 5001", &[&format!("2:15: settle_ms is 5001; {number}")]);
    check("[game]\nsettle_ms = 99999999999999999999", &[&format!("2:13: settle_ms is 99999999999999999999; {number}")]);
    check("[game]\nsettle_ms = '250'", &[&format!("2:13: settle_ms is text in quotes; {number}")]);
    check("[game]\nsettle_ms = 2.5", &[&format!("2:13: settle_ms is 2.5; {number}")]);
    check("[game]\nsettle_ms = [1]", &[&format!("2:13: settle_ms is a list; {number}")]);
    check("[game]\nsettle_ms = true", &[&format!("2:13: settle_ms is true; {number}")]);
    check("[game]\nchess960 = 'yes'", &["2:12: chess960 is text in quotes; write true or false, such as chess960 = false"]);
    check(
        "[laws]\nedition = 'fide'",
        &[
            "2:11: edition is \"fide\"; write \"china-1973\" or \"fide-1997\" or \"fide-2009\" or \"fide-2014\" or \"fide-2017\" or \"fide-2018\" or \"fide-2023\", such as edition = \"fide-2023\"",
        ],
    );
    check(
        "[game]\nlaws = 'fide-2023'",
        &[
            "2:1: there is no key laws in [game]; there are settle_ms, settle_low_ms, low_time_s, dwell_ms, purpose, wrong_move_cost, delay_cost, chess960, accept_kings_signal, hypotheses, publish",
        ],
    );
    let cost = "write a whole number from 0 to 400 (sixteenths of a bit), such as put_back = ";
    for wrong in ["401", "-1"] {
        check(
            &format!("[hands]\nput_back = {wrong}"),
            &[&format!("2:12: put_back is {wrong}; {cost}{}", HandCosts::default().put_back)],
        );
    }
    check("[hands]\nput_bakc = 50", &["2:1: there is no key put_bakc in [hands]; did you mean put_back?"]);
    check("[pgn]\nround = 3", &["2:9: round is the number 3; write one line of text, such as round = \"3\""]);
    check(
        "[pgn]\ndate = 2026-11-21",
        &[
            "2:8: date is a date without quotes; write \"today\" or a date such as \"2026.11.21\" (? where a digit is not known), such as date = \"2026.11.21\"",
        ],
    );
    for date in ["2026.13.01", "2026.02.30", "2026.??.32", "tomorrow"] {
        check(
            &format!("[pgn]\ndate = '{date}'"),
            &[&format!(
                "2:8: date is \"{date}\"; write \"today\" or a date such as \"2026.11.21\" (? where a digit is not known), such as date = \"2026.11.21\""
            )],
        );
    }
    check(
        "[bus]\naddress = 'dbus'",
        &[
            "2:11: address is \"dbus\"; write \"auto\", \"session\", \"system\", or the address of a bus such as \"unix:path=/run/user/1000/bus\", such as address = \"system\"",
        ],
    );
    check(
        "[journal]\nstate_dir = 'state'",
        &["2:13: state_dir is \"state\"; write an absolute path, such as state_dir = \"/var/lib/touchmove\""],
    );
    check(
        "[game]\nsettle_ms = 100",
        &[
            "2:13: settle_low_ms (120) is more than settle_ms (100): the settle time must not be longer when a player is short of time; write at most 100 for settle_low_ms, or more for settle_ms",
        ],
    );
    check("game = 3", &["1:8: game is a table: write [game] on a line of its own, and its keys below"]);
    check("[[game]]\nsettle_ms = 300", &["1:1: game is a table: write [game] with single brackets"]);
}

#[test]
fn invalid_boards_are_refused() {
    let known: Vec<String> = boards::BOARDS.iter().map(|model| format!("{:?}", model.name)).collect();
    let model = format!("2:9: model is \"dtg\"; write {}, such as model = \"dgt\"", known.join(" or "));
    check("[[board]]\nmodel = 'dtg'\nname = 'a'", &[&model]);
    check(
        "[[board]]\nname = 'a'\nmodel = 'dgt'\nport = '/dev/a'\nnames = '960 = b'",
        &["5:9: a DGT e-Board is a single board: write name, and omit names"],
    );
    for names in ["", "960", "0 = a", "16384 = a", "960 = a b", "960 = a, 0960 = b", "960 = a, 961 = a"] {
        let (text, wrong) = (
            format!("[[board]]\nname = 'a'\nmodel = 'dgt-bus'\nnames = '{names}'"),
            format!(
                "4:9: names is {names:?}; write serial numbers from 1 to 16383 with a name for each, such as \"00960 = table_1, 01025 = table_2\", such as names = \"00960 = table_1, 01025 = table_2\""
            ),
        );
        check(&text, &[&wrong]);
    }
    check(
        "[[board]]\nname = 'a'\nport = '/dev/a'\n[[board]]\nname = 'b'\nmodel = 'dgt-bus'\nport = '/dev/b'\nnames = '960 = a'",
        &["5:8: two boards are named a, the other on line 2: give each its own name"],
    );
    check("[[board]]\nmodel = 'dgt'", &["1:1: this board has no name: write name = \"board_1\", or another name"]);
    check(
        "[[board]]\nname = 'Brett 1'",
        &["2:8: name is \"Brett 1\"; write 1 to 32 letters A–Z, digits or _, such as name = \"board_1\""],
    );
    check("[board]\nname = 'a'", &["1:1: boards are a list: write [[board]] with two brackets, also for a single one"]);
    check(
        "[[board]]\nname = 'a'\nusb = '403:6001'",
        &[
            "3:7: usb is \"403:6001\"; write USB vendor and product id, four hexadecimal digits each, such as \"0403:6001\", such as usb = \"0403:6001\"",
        ],
    );
    check(
        "[[board]]\nname = 'a'\nport = 'ttyUSB0'",
        &[
            "3:8: port is \"ttyUSB0\"; write the absolute path of a serial port, such as port = \"/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A1B2C3-if00-port0\"",
        ],
    );
    check(
        "[[board]]\nname = 'a'\nrotation = 'left'",
        &["3:12: rotation is \"left\"; write \"auto\" or \"upright\" or \"turned\", such as rotation = \"auto\""],
    );
    let problems = Config::parse("[[board]]\nname = 'a'\nstart_fen = '4k3/8 w'").unwrap_err();
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    let text = problem.to_string();
    assert!(text.starts_with("3:13: start_fen is not a position ("), "{text}");
    assert!(text.ends_with("write a FEN such as \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\""), "{text}");
}

#[test]
fn contradictory_boards_are_refused() {
    check(
        "[[board]]\nname = 'a'\nport = '/dev/ttyUSB0'\nserial = 'A1'",
        &["4:10: port and serial both say where this board is: keep one of them"],
    );
    check(
        "[[board]]\nname = 'a'\nport = '/dev/ttyUSB0'\n[[board]]\nname = 'a'\nport = '/dev/ttyUSB1'",
        &["5:8: two boards are named a, the other on line 2: give each its own name"],
    );
    check(
        "[[board]]\nname = 'a'\nport = '/dev/ttyUSB0'\n[[board]]\nname = 'b'\nport = '/dev/ttyUSB0'",
        &["5:8: two boards are at /dev/ttyUSB0, the other on line 2: give each its own"],
    );
    check(
        "[[board]]\nname = 'a'\nusb = '0403:6001'\n[[board]]\nname = 'b'\nusb = '0403:6001'",
        &["5:8: two boards use any USB device 0403:6001, the other on line 2: distinguish them by serial, usb_path or port"],
    );
    check(
        "[[board]]\nname = 'a'\n[[board]]\nname = 'b'",
        &["4:8: boards b and a (line 2) cannot be distinguished: give each its port, usb, serial, usb_path or bluetooth"],
    );
    let address = "write bluetooth = \"AA:BB:CC:DD:EE:FF\"; `touchmovectl bluetooth scan` shows the address";
    check(
        "[[board]]\nname = 'a'\nmodel = 'pegasus'\nport = '/dev/ttyUSB0'",
        &[&format!("4:8: a DGT Pegasus has no cable: {address}")],
    );
    check("[[board]]\nname = 'a'\nmodel = 'chessup'", &[&format!("2:8: a ChessUp 1, 2 has no cable: {address}")]);
    check(
        "[[board]]\nname = 'a'\nmodel = 'reed'\nbluetooth = 'AA:BB:CC:DD:EE:FF'",
        &["4:13: it is not known how a Self-built reed board is used over Bluetooth: write model = \"dgt\" or \"certabo\" or \
         \"cerno\" or \"sentio\" or \"chessnut\" or \"millennium\" or \"ichessone\" or \"chessnut-move\" or \"pegasus\" or \
         \"chessup\" or \"square-off\" or \"staunton\" or \"cpp\", or a port"],
    );
    // A wrong location of one board is reported once, and not again as a contradiction.
    check(
        "[[board]]\nname = 'a'\n[[board]]\nname = 'b'\nport = 'x'",
        &[
            "5:8: port is \"x\"; write the absolute path of a serial port, such as port = \"/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A1B2C3-if00-port0\"",
        ],
    );
}

#[test]
fn all_problems_are_reported_in_the_order_of_the_file() {
    check(
        "[bsu]\n[game]\nsettle_ms = 5 # too quick\nhypotheses = 7\nchess690 = true\n\n[[board]]\nname = 'ü'\nname2 = 1\n",
        &[
            "1:2: there is no table bsu; did you mean [bus]?",
            "3:13: settle_ms is 5; write a whole number from 20 to 5000 (ms), such as settle_ms = 250",
            "4:14: hypotheses is 7; write a whole number from 8 to 4096 (lines of play), such as hypotheses = 64",
            "5:1: there is no key chess690 in [game]; did you mean chess960?",
            "8:8: name is \"ü\"; write 1 to 32 letters A–Z, digits or _, such as name = \"board_1\"",
            "9:1: there is no key name2 in [[board]]; did you mean name?",
        ],
    );
}

#[test]
fn invalid_toml_is_refused() {
    let problems =
        Config::parse("[game]\nsettle_ms 250\nhypotheses = 3\n[pgn]\nround = \"x\nsite = 'y'\nsite = 'z'\n").unwrap_err();
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [2, 3, 5, 7], "{problems:?}");
    for problem in problems.iter().filter(|problem| problem.line != 3) {
        assert!(problem.message.starts_with("this is not TOML: "), "{problem}");
    }
}

#[test]
fn keys_below_a_broken_heading_are_not_misplaced() {
    let problems = Config::parse("[game\nsettle_ms = 300\n[bus]\nx = 1\n").unwrap_err();
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [1, 4], "{problems:?}");
}

#[test]
fn any_text_is_parsed_without_a_panic() {
    use proptest::prelude::*;
    proptest!(|(text in "([a-z_\\[\\]=.'\"# \n0-9{},-]|settle_ms|board|game){0,60}")| {
        let _ = Config::parse(&text);
    });
}

#[test]
fn files_are_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("touchmoved.toml");
    assert_eq!(Config::load(&path).unwrap(), Config::default(), "a missing file means the defaults");

    fs::write(&path, "[game]\nsettle_ms = 1\nhypotheses = 1\n").unwrap();
    let problems = Config::load(&path).unwrap_err().to_string();
    let at = path.display();
    assert_eq!(
        problems,
        format!(
            "{at}:2:13: settle_ms is 1; write a whole number from 20 to 5000 (ms), such as settle_ms = 250\n\
             {at}:3:14: hypotheses is 1; write a whole number from 8 to 4096 (lines of play), such as hypotheses = 64"
        )
    );

    fs::write(&path, [0xff, 0xfe]).unwrap();
    let problems = Config::load(&path).unwrap_err().to_string();
    assert_eq!(problems, format!("{at} is not a text file in UTF-8: rewrite it from config/touchmoved.toml"));

    let problems = Config::load(dir.path()).unwrap_err();
    assert!(matches!(problems, ConfigError::Unreadable { .. }));
    let problems = problems.to_string();
    assert!(problems.ends_with("make it readable for this user, or give another with --config"), "{problems}");
}
