//! The manual and the completions of shells are what the programs and the table of keys say.

#[allow(dead_code)] // only what the command line may be
#[path = "../src/bin/touchmoved/args.rs"]
mod args;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use touchmove::config::keys::{KEYS, Kind, TABLES};

/// A committed file must be this; with `UPDATE` it becomes this.
#[track_caller]
fn check(path: &str, expect: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, expect).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == expect, "{path} is out of date: run `UPDATE=1 cargo test manual`");
}

/// What clap_mangen makes of a part of a page, without its heading and its preamble.
fn part(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut page = Vec::new();
    render(&mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let lines = page.lines().filter(|line| ![".ie ", ".el ", ".SH "].iter().any(|start| line.starts_with(start)));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Text that stays as it is, line by line.
fn verbatim(text: &str) -> String {
    let lines = text.lines().map(|line| format!("{}\n", escaped(line)));
    format!(".PP\n.nf\n{}.fi\n", lines.collect::<String>())
}

/// Text that the reader's width breaks.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

/// What a page begins with.
fn title(name: &str, section: u8) -> String {
    let version = env!("CARGO_PKG_VERSION");
    // Aq: an apostrophe, as clap_mangen writes it.
    format!(
        ".\\\" Written by `UPDATE=1 cargo test manual`.\n.ie \\n(.g .ds Aq \\(aq\n.el .ds Aq \'\n.TH {name} {section} \"\" \"touchmove {version}\" \"touchmove\"\n"
    )
}

/// A program's own part of its page.
fn begin(command: &Command, section: u8) -> String {
    let man = Man::new(command.clone());
    let mut page = title(command.get_name(), section);
    let about = command.get_about().unwrap().to_string();
    let _ = write!(page, ".SH NAME\n{} \\- {}\n", command.get_name(), escaped(about.trim_end_matches('.')));
    let _ = write!(page, ".SH SYNOPSIS\n{}", part(|to| man.render_synopsis_section(to)));
    let _ = write!(page, ".SH OPTIONS\n{}", part(|to| man.render_options_section(to)));
    if let Some(more) = command.get_after_help() {
        let _ = write!(page, ".SH NOTES\n{}", verbatim(&more.to_string()));
    }
    page
}

/// A section for each command below this one.
fn commands(above: &Command, names: &str, page: &mut String) {
    for command in above.get_subcommands().filter(|command| command.get_name() != "help" && !command.is_hide_set()) {
        let names = format!("{names} {}", command.get_name());
        let man = Man::new(command.clone().bin_name(names.clone()));
        let _ = write!(page, ".SH {}\n{}", names.to_uppercase(), part(|to| man.render_description_section(to)));
        let _ = write!(page, ".PP\n{}", part(|to| man.render_synopsis_section(to)));
        if command.get_arguments().any(|argument| !argument.is_hide_set()) {
            *page += &part(|to| man.render_options_section(to));
        }
        if let Some(more) = command.get_after_help() {
            *page += &verbatim(&more.to_string());
        }
        commands(command, &names, page);
    }
}

const DAEMON_FILES: &str = r".SH EXIT STATUS
.TP
0
It was asked to end, or the configuration that
.B \-\-check\-config
looked at is right.
.TP
1
It failed, as the last lines of its log say; the service manager starts it again.
.TP
2
The command line is wrong.
.TP
78
The configuration, an edition of the Laws or a file of messages is wrong, as it says; the service manager does not start it again
before that is put right.
.SH FILES
.TP
.I /etc/touchmove/touchmoved.toml
The configuration, see touchmoved.toml(5).
.TP
.I /etc/touchmove/laws/, /etc/touchmove/locale/
Editions of the Laws and messages that go before those in
.IR /usr/share/touchmove .
.TP
.I /var/lib/touchmove/
The journal of all games and the recordings. They are readable by the service and by group touchmove\-arbiter alone, and stay when the
package is removed or purged.
.SH GROUPS
On the system bus org.touchmove1, with alerts and commands, is for root and group
.BR touchmove\-arbiter ;
org.touchmove1.Broadcast, games alone, also for group
.BR touchmove\-broadcast .
.SH SEE ALSO
touchmovectl(1), touchmoved.toml(5)
";

#[test]
fn manual_of_the_daemon() {
    check("docs/man/touchmoved.8", &(begin(&args::Args::command().name("touchmoved"), 8) + DAEMON_FILES));
}

#[test]
fn manual_of_the_commands() {
    let mut command = touchmove::ctl::command();
    command.build();
    let mut page = begin(&command, 1);
    commands(&command, "touchmovectl", &mut page);
    page += ".SH SEE ALSO\ntouchmoved(8), touchmoved.toml(5)\n";
    check("docs/man/touchmovectl.1", &page);
}

#[test]
fn manual_of_the_configuration() {
    let mut page = title("touchmoved.toml", 5);
    page += ".SH NAME\ntouchmoved.toml \\- configuration of touchmoved\n.SH DESCRIPTION\n\
        The first of $XDG_CONFIG_HOME/touchmove/touchmoved.toml, ~/.config/touchmove/touchmoved.toml and\n\
        /etc/touchmove/touchmoved.toml that there is, in TOML. What is left out has its default. `touchmoved \\-\\-check\\-config`\n\
        says what is wrong with it, all of it at once.\n";
    for (table, about) in TABLES {
        let heading = if *table == "board" { "[[board]]".to_owned() } else { format!("[{table}]") };
        let _ = write!(page, ".SH {heading}\n{}\n", escaped(&about.replace('\n', " ")));
        for key in KEYS.iter().filter(|key| key.table == *table) {
            let value = match key.default {
                Some(default) => format!(" = {default}"),
                None => format!(", such as {}", key.example),
            };
            let _ = write!(page, ".TP\n.BR {} \"{}\"\n", key.name, escaped(&value).replace('"', "\\(dq"));
            let _ = writeln!(page, "{}", escaped(&key.doc.replace('\n', " ")));
            if let Kind::Number { .. } | Kind::Flag | Kind::Model = key.kind {
                let expected = key.kind.expected();
                let _ = writeln!(page, "{}{}.", expected[..1].to_uppercase(), escaped(&expected[1..]));
            }
        }
    }
    page += ".SH SEE ALSO\ntouchmoved(8), touchmovectl(1)\n";
    check("docs/man/touchmoved.toml.5", &page);
}

#[test]
fn completions() {
    for (name, command) in
        [("touchmoved", args::Args::command().name("touchmoved")), ("touchmovectl", touchmove::ctl::command())]
    {
        for (shell, file) in
            [(Shell::Bash, format!("{name}.bash")), (Shell::Zsh, format!("_{name}")), (Shell::Fish, format!("{name}.fish"))]
        {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command.clone(), name, &mut script);
            check(&format!("config/completions/{file}"), &String::from_utf8(script).unwrap());
        }
    }
}

#[test]
fn pages_have_no_mistakes() {
    if !crate::harness::installed("man") {
        return;
    }
    for page in ["touchmoved.8", "touchmovectl.1", "touchmoved.toml.5"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man").join(page);
        let mut read = std::process::Command::new("man");
        read.args(["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]).arg(path).env("LC_ALL", "C.UTF-8");
        let output = read.output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{page}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
