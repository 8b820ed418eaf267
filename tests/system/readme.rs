//! The generated tables of README.md and of the book are current.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use touchmove::boards::bluetooth::{ADVERTISED_NAMES, Certainty, NORDIC_UART, NamePattern, handshake};
use touchmove::boards::{BOARDS, Bluetooth, ClockSupport, Connection, Lights, Model, SensorKind, Verification};
use touchmove::config::keys::TABLES;
use touchmove::game::alert::AlertCategory;
use touchmove::game::command::COMMANDS;
use touchmove::game::event::Durability;
use touchmove::game::rights::{Audience, Right, Role};
use touchmove::game::{AlertKind, Event};
use touchmove::wire::{Word, command_from_value};

/// Checks that the part of a page between the two comments of this name is current; with `UPDATE` set, writes it.
#[track_caller]
fn check(page: &str, name: &str, expect: &str) {
    // Tests run in parallel, and several of them write one page.
    static WRITING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(&path).unwrap();
    let begin = format!("<!-- {name}: written by `UPDATE=1 cargo test readme` -->\n");
    let (before, rest) = text.split_once(&begin).expect("the page has the comment");
    let (part, after) = rest.split_once("<!-- end -->").expect("the page has the comment at the end");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, format!("{before}{begin}{expect}<!-- end -->{after}")).unwrap();
    } else {
        assert!(part == expect, "{page} is out of date: run `UPDATE=1 cargo test readme`\n{expect}");
    }
}

fn verification(model: &Model) -> &'static str {
    match model.verification {
        Verification::Capture => "real recording",
        Verification::Frames => "published frames",
        Verification::Specification => "specification only",
    }
}

fn senses(model: &Model) -> &'static str {
    match model.sensing {
        SensorKind::Identity => "which piece is on a square",
        SensorKind::Colour => "which colour is on a square",
        SensorKind::Occupancy => "whether a square is occupied",
    }
}

fn connection(model: &Model) -> String {
    match model.connection {
        Connection::Serial(line) => format!("serial, {} Bd", line.baud),
        Connection::Usb(_) => "USB reports".to_owned(),
        Connection::Matrix => "GPIO or I²C".to_owned(),
        Connection::Bluetooth(_) => "Bluetooth".to_owned(),
    }
}

#[test]
fn families() {
    let mut table = "| board | model | senses | verified with |\n|---|---|---|---|\n".to_owned();
    for model in BOARDS {
        let _ = writeln!(table, "| {} | `{}` | {} | {} |", model.title, model.name, senses(model), verification(model));
    }
    check("README.md", "families", &table);
}

#[test]
fn boards() {
    let mut table =
        "| board | model | senses | connection | USB ids: own | adapter | lights | clock | verified with |\n".to_owned();
    table += "|---|---|---|---|---|---|---|---|---|\n";
    for model in BOARDS {
        let ids = |generic: bool| {
            let ids = model.usb.iter().filter(|id| id.generic == generic);
            ids.map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" ")
        };
        let lights = match model.lights {
            Lights::None => "–",
            Lights::Squares => "in every square",
            Lights::Coloured => "in every square, coloured",
            Lights::Corners => "at every corner",
        };
        let clock = match model.clock {
            ClockSupport::None => "–",
            ClockSupport::Connected => "if connected",
        };
        let (title, name, senses, connection) = (model.title, model.name, senses(model), connection(model));
        let _ = write!(table, "| {title} | `{name}` | {senses} | {connection} | {} | {} ", ids(false), ids(true));
        let _ = writeln!(table, "| {lights} | {clock} | {} |", verification(model));
    }
    check("docs/boards.md", "boards", &table);
}

#[test]
fn bluetooth() {
    let mut table =
        "| board | model | link | advertised name | confirmed by | tried on a real board |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for model in BOARDS {
        let link = match model.bluetooth() {
            None => continue,
            Some(Bluetooth::Rfcomm) => "serial port profile (RFCOMM)",
            Some(Bluetooth::Gatt(profile)) if *profile == NORDIC_UART => "Low Energy, Nordic UART",
            Some(Bluetooth::Gatt(profile)) if profile.own_services().next().is_some() => "Low Energy, a service of its own",
            Some(Bluetooth::Gatt(_)) => "Low Energy, a service of many devices",
        };
        let names = ADVERTISED_NAMES.iter().filter(|row| row.model == model.name).map(|row| {
            let name = match row.pattern {
                NamePattern::Exact(name) => format!("`{name}`"),
                NamePattern::Prefix(name) => format!("`{name}…`"),
            };
            let certainty = match row.certainty {
                Certainty::Documented => "documented",
                Certainty::Likely => "likely",
                Certainty::Possible => "possible",
            };
            format!("{name} ({certainty})")
        });
        let confirmation = match handshake(model.name) {
            Some(handshake) if handshake.write.is_empty() => "what it sends",
            Some(_) => "its answer to one request",
            None if link.ends_with("of its own") => "its service",
            None => "nothing: configure its address",
        };
        let names: Vec<String> = names.collect();
        let _ = writeln!(
            table,
            "| {} | `{}` | {link} | {} | {confirmation} | never |",
            model.title,
            model.name,
            if names.is_empty() { "any".to_owned() } else { names.join(", ") },
        );
    }
    check("docs/boards.md", "bluetooth", &table);
}

#[test]
fn what_boards_cannot_know() {
    let mut list = String::new();
    for model in BOARDS {
        let _ = writeln!(list, "* {}", model.title);
        for limitation in model.all_limitations() {
            let _ = writeln!(list, "  * {limitation}");
        }
    }
    check("docs/boards.md", "cannot", &list);
}

#[test]
fn what_squares_cannot_detect() {
    let mut list = String::new();
    for (word, kind) in [("colour", SensorKind::Colour), ("occupancy", SensorKind::Occupancy)] {
        let _ = writeln!(list, "* `{word}`");
        for limitation in kind.limitations() {
            let _ = writeln!(list, "  * {limitation}");
        }
    }
    check("docs/boards.md", "squares", &list);
}

#[test]
fn commands() {
    let help = Command::new(env!("CARGO_BIN_EXE_touchmovectl")).arg("--help").env("COLUMNS", "200").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut table = "| touchmovectl … | |\n|---|---|\n".to_owned();
    for line in commands.lines() {
        let (name, about) = line.trim().split_once(' ').unwrap();
        if name != "help" {
            let about = about.trim();
            let _ = writeln!(table, "| `{name}` | {}{} |", about[..1].to_lowercase(), &about[1..]);
        }
    }
    check("docs/commands.md", "commands", &table);
}

#[test]
fn arbiter_commands() {
    let mut table = "| command | meaning |\n|---|---|\n".to_owned();
    for spec in COMMANDS {
        let example = command_from_value(&spec.example.parse().unwrap()).unwrap();
        assert_eq!(example.spec().word, spec.word, "the example is another command");
        let meaning = spec.meaning.trim().trim_end_matches('.');
        let _ = writeln!(table, "| `{}` | {}{} |", spec.example, meaning[..1].to_lowercase(), &meaning[1..]);
    }
    check("docs/events.md", "commands", &table);
}

/// The configuration reference, with the same content as `config/touchmoved.toml` and touchmoved.toml(5).
#[test]
fn keys() {
    let one_line = |text: &str| text.replace('\n', " ").replace('|', "\\|");
    let mut page = String::new();
    for table in TABLES {
        let heading = table.header();
        let _ = writeln!(page, "## `{heading}`\n\n{}\n", table.about);
        page += "| key | default | value | meaning | a change at run time takes effect |\n|---|---|---|---|---|\n";
        for key in table.keys {
            let default = match key.default {
                Some(default) => format!("`{default}`"),
                None => format!("none, such as `{}`", key.example),
            };
            let value = one_line(&key.kind.expected());
            let effect = key.effect.when().unwrap_or("–");
            let _ = writeln!(page, "| `{}` | {default} | {value} | {} | {effect} |", key.name, one_line(key.doc));
        }
        page.push('\n');
    }
    check("docs/configuration.md", "keys", &page);
}

fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::Public => "everybody",
        Audience::Operator => "operators and arbiters",
        Audience::Arbiter => "the arbiter",
    }
}

#[test]
fn rights() {
    let mut table =
        "| right | operator | arbiter | administrator | polkit action | commands of a game |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for right in Right::ALL {
        let commands: Vec<String> =
            COMMANDS.iter().filter(|spec| spec.right == *right).map(|spec| format!("`{}`", spec.word)).collect();
        let _ = write!(table, "| {} |", right.about().trim_end_matches('.'));
        for (_, role) in Role::WORDS {
            let _ = write!(table, " {} |", if role.has(*right) { "yes" } else { "" });
        }
        let commands = if commands.is_empty() { "–".to_owned() } else { commands.join(", ") };
        let _ = writeln!(table, " `{}` | {commands} |", right.polkit_action());
    }
    check("docs/administrator.md", "rights", &table);
}

#[test]
fn events() {
    let mut table = "| event | stored | for | reports |\n|---|---|---|---|\n".to_owned();
    for kind in Event::KINDS {
        let stored = match kind.durability {
            Durability::Durable => "durable",
            Durability::Transient => "transient",
        };
        let (word, about) = (kind.word, kind.about.trim_start());
        // Of these, `Event::is_for` decides for each.
        let audience = match word {
            "alert_raised" => "arbiters; operators as [its kind](#alert_raised) says",
            "command" => "arbiters; operators if they may give it",
            _ => audience(kind.audience),
        };
        let _ = writeln!(table, "| [`{word}`](#{word}) | {stored} | {audience} | {about} |");
    }
    check("docs/events.md", "events", &table);
}

#[test]
fn alert_kinds() {
    let mut table = "| kind | matter | for | raised when |\n|---|---|---|---|\n".to_owned();
    for kind in AlertKind::ALL {
        let mark = if kind.is_notice() { "○ " } else { "" };
        let (word, matter, about) = (kind.word(), kind.category().word(), kind.about());
        let _ = writeln!(table, "| {mark}`{word}` | {matter} | {} | {about} |", audience(kind.audience()));
    }
    check("docs/events.md", "alerts", &table);
}

/// The description of the D-Bus signal lists the kinds of alert.
#[test]
fn alert_kinds_on_dbus() {
    let of_category = |(word, category): &(&str, AlertCategory)| {
        let kinds = AlertKind::ALL.iter().filter(|kind| kind.category() == *category);
        format!("{word}: {}", kinds.map(|kind| kind.word()).collect::<Vec<_>>().join(", "))
    };
    let categories: Vec<String> = AlertCategory::WORDS.iter().map(of_category).collect();
    let mut expect = String::new();
    let mut line = "    ///".to_owned();
    for word in format!("kind, by matter: {}.", categories.join("; ")).split(' ') {
        if line.len() + 1 + word.len() > 128 {
            expect += &(std::mem::replace(&mut line, "    ///".to_owned()) + "\n");
        }
        line += &format!(" {word}");
    }
    expect += &(line + "\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/publish/dbus/arbiter.rs");
    let source = fs::read_to_string(&path).unwrap();
    let begin = source.find("    /// kind, by matter: ").expect("the description of AlertRaised");
    let end = begin + source[begin..].find("    ///\n").expect("an empty line after it");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, format!("{}{expect}{}", &source[..begin], &source[end..])).unwrap();
    } else {
        assert!(source[begin..end] == expect, "arbiter.rs is out of date: run `UPDATE=1 cargo test readme`\n{expect}");
    }
}
