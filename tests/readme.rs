//! The README's tables say what the program says.

use std::fs;
use std::process::Command;
use touchmove::boards::{BOARDS, ClockSupport, Connection, Lights, SensorKind, Verification};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

/// The part of the README between its two comments must be this; with `UPDATE` it becomes this.
#[track_caller]
fn check(name: &str, expect: &str) {
    // Tests run side by side.
    static WRITING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let text = fs::read_to_string(README).unwrap();
    let begin = format!("<!-- {name}: written by `UPDATE=1 cargo test readme` -->\n");
    let (before, rest) = text.split_once(&begin).expect("the comment is gone");
    let (part, after) = rest.split_once("<!-- end -->").expect("the comment's end is gone");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(README, format!("{before}{begin}{expect}<!-- end -->{after}")).unwrap();
    } else {
        assert!(part == expect, "README.md is out of date: run `UPDATE=1 cargo test readme`\n{expect}");
    }
}

#[test]
fn boards() {
    let mut table =
        "| board | model | senses | connection | USB ids: own | adapter | lights | clock | held against |\n".to_owned();
    table += "|---|---|---|---|---|---|---|---|---|\n";
    for model in BOARDS {
        let senses = match model.sensing {
            SensorKind::Identity => "which piece stands where",
            SensorKind::Colour => "which colour stands where",
            SensorKind::Occupancy => "whether something stands there",
        };
        let ids = |generic: bool| {
            let ids = model.usb.iter().filter(|id| id.generic == generic);
            ids.map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" ")
        };
        let connection = match model.connection {
            Connection::Serial(line) => format!("serial, {} Bd", line.baud),
            Connection::Usb(_) => "USB reports".to_owned(),
            Connection::Matrix => "GPIO or I²C".to_owned(),
        };
        let lights = match model.lights {
            Lights::None => "–",
            Lights::Squares => "in every square",
            Lights::Coloured => "in every square, coloured",
            Lights::Corners => "at every corner",
        };
        let clock = match model.clock {
            ClockSupport::None => "–",
            ClockSupport::Connected => "where connected",
        };
        let tested = match model.verification {
            Verification::Capture => "real capture",
            Verification::Frames => "others' frames",
            Verification::Specification => "specification only",
        };
        let (title, name) = (model.title, model.name);
        table += &format!("| {title} | `{name}` | {senses} | {connection} | {} | {} ", ids(false), ids(true));
        table += &format!("| {lights} | {clock} | {tested} |\n");
    }
    check("boards", &table);
}

#[test]
fn what_boards_cannot_know() {
    let list =
        BOARDS.iter().flat_map(|model| model.all_limitations().map(move |cannot| format!("* {}: {cannot}\n", model.title)));
    check("cannot", &list.collect::<String>());
}

#[test]
fn what_squares_cannot_tell() {
    let kinds = [("colour", SensorKind::Colour), ("occupancy", SensorKind::Occupancy)];
    let list =
        kinds.iter().flat_map(|(word, kind)| kind.limitations().iter().map(move |cannot| format!("* {word}: {cannot}\n")));
    check("squares", &list.collect::<String>());
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
            table += &format!("| `{name}` | {}{} |\n", about[..1].to_lowercase(), &about[1..]);
        }
    }
    check("commands", &table);
}
