//! The manual pages and shell completions match the programs and the table of keys.

#[allow(dead_code)] // only what the command line may be
#[path = "../../src/bin/touchmoved/args.rs"]
mod args;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::env::{self, EnvCompleter};
use clap_mangen::Man;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use touchmove::config::keys::{Kind, TABLES};

/// Compares a committed file with the expected text; with `UPDATE` it writes the file.
#[track_caller]
fn check(path: &str, expect: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, expect).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == expect, "{path} is out of date: run `UPDATE=1 cargo test manual`");
}

/// A section of a page as clap_mangen renders it, without its heading and its preamble.
fn part(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut page = Vec::new();
    render(&mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let lines = page.lines().filter(|line| ![".ie ", ".el ", ".SH "].iter().any(|start| line.starts_with(start)));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Text that is printed unchanged, line by line.
fn verbatim(text: &str) -> String {
    let lines = text.lines().map(|line| format!("{}\n", escaped(line)));
    format!(".PP\n.nf\n{}.fi\n", lines.collect::<String>())
}

/// A line of text with the characters of roff escaped.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

/// The beginning of a page.
fn title(name: &str, section: u8) -> String {
    let version = env!("CARGO_PKG_VERSION");
    // Aq: an apostrophe, as clap_mangen writes it.
    format!(
        ".\\\" Written by `UPDATE=1 cargo test manual`.\n.ie \\n(.g .ds Aq \\(aq\n.el .ds Aq \'\n.TH {name} {section} \"\" \"touchmove {version}\" \"touchmove\"\n"
    )
}

/// The sections about the program itself.
fn begin(command: &Command, section: u8) -> String {
    let man = Man::new(command.clone());
    let mut page = title(command.get_name(), section);
    let about = command.get_about().unwrap().to_string();
    let _ = write!(page, ".SH NAME\n{} \\- {}\n", command.get_name(), escaped(about.trim_end_matches('.')));
    let _ = write!(page, ".SH SYNOPSIS\n{}", part(|to| man.render_synopsis_section(to)));
    let _ = write!(page, ".SH OPTIONS\n{}", part(|to| man.render_options_section(to)));
    if let Some(notes) = command.get_after_help() {
        let _ = write!(page, ".SH NOTES\n{}", verbatim(&notes.to_string()));
    }
    page
}

/// Adds a section for each subcommand.
fn commands(parent: &Command, names: &str, page: &mut String) {
    for command in parent.get_subcommands().filter(|command| command.get_name() != "help" && !command.is_hide_set()) {
        let names = format!("{names} {}", command.get_name());
        let man = Man::new(command.clone().bin_name(names.clone()));
        let _ = write!(page, ".SH {}\n{}", names.to_uppercase(), part(|to| man.render_description_section(to)));
        let _ = write!(page, ".PP\n{}", part(|to| man.render_synopsis_section(to)));
        if command.get_arguments().any(|argument| !argument.is_hide_set()) {
            *page += &part(|to| man.render_options_section(to));
        }
        if let Some(notes) = command.get_after_help() {
            *page += &verbatim(&notes.to_string());
        }
        commands(command, &names, page);
    }
}

const DAEMON_FILES: &str = r".SH EXIT STATUS
.TP
0
The daemon was stopped by a signal, or
.B \-\-check\-config
found no error.
.TP
1
The daemon failed; the last lines of its log give the reason, and the service manager restarts it.
.TP
2
The command line is wrong.
.TP
78
The configuration, an edition of the Laws or a file of messages has an error, which the log names; the service manager does not
restart the daemon until the error is corrected.
.SH FILES
.TP
.I /etc/touchmove/touchmoved.toml
The configuration, see touchmoved.toml(5).
.TP
.I /etc/touchmove/laws/, /etc/touchmove/locale/
Editions of the Laws and messages that override those in
.IR /usr/share/touchmove .
.TP
.I /var/lib/touchmove/
The journal of all games, the recordings, and the settings that were changed while the daemon ran. Only the service and group
touchmove\-arbiter can read the journal and the recordings. They stay when the package is removed or purged.
.SH GROUPS
On the system bus, org.touchmove1, with alerts and commands, is open to root and group
.BR touchmove\-arbiter ;
org.touchmove1.Broadcast, with games only, is also open to group
.BR touchmove\-broadcast .
.SH SEE ALSO
touchmovectl(1), touchmoved.toml(5)
";

#[test]
fn manual_of_the_daemon() {
    check("config/generated/man/touchmoved.8", &(begin(&args::Args::command().name("touchmoved"), 8) + DAEMON_FILES));
}

#[test]
fn manual_of_the_commands() {
    let mut command = touchmove::ctl::command();
    command.build();
    let mut page = begin(&command, 1);
    commands(&command, "touchmovectl", &mut page);
    page += ".SH SEE ALSO\ntouchmoved(8), touchmoved.toml(5)\n";
    check("config/generated/man/touchmovectl.1", &page);
}

#[test]
fn manual_of_the_configuration() {
    let mut page = title("touchmoved.toml", 5);
    page += ".SH NAME\ntouchmoved.toml \\- configuration of touchmoved\n.SH DESCRIPTION\n\
        The first of $XDG_CONFIG_HOME/touchmove/touchmoved.toml, ~/.config/touchmove/touchmoved.toml and\n\
        /etc/touchmove/touchmoved.toml that exists, in TOML. Omitted keys have their defaults. `touchmoved \\-\\-check\\-config`\n\
        reports all errors at once.\n.PP\n\
        Some keys can also be changed while touchmoved runs:\n.B touchmovectl config set\nstores such settings in settings.toml of\n\
        the state directory, where they take precedence over the file. The others are read from the file only.\n";
    for table in TABLES {
        let heading = table.header();
        let _ = write!(page, ".SH {heading}\n{}\n", escaped(&table.about.replace('\n', " ")));
        for key in table.keys {
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
            if let Some(when) = key.effect.when() {
                let _ = writeln!(page, "A change with\n.B touchmovectl config set\ntakes effect {when}.");
            }
        }
    }
    page += ".SH SEE ALSO\ntouchmoved(8), touchmovectl(1)\n";
    check("config/generated/man/touchmoved.toml.5", &page);
}

/// The files of completions for bash, zsh and fish.
fn completion_files(name: &str) -> [String; 3] {
    [format!("{name}.bash"), format!("_{name}"), format!("{name}.fish")]
        .map(|file| format!("config/generated/completions/{file}"))
}

#[test]
fn completions_of_the_daemon() {
    for (shell, file) in [Shell::Bash, Shell::Zsh, Shell::Fish].into_iter().zip(completion_files("touchmoved")) {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut args::Args::command().name("touchmoved"), "touchmoved", &mut script);
        check(&file, &String::from_utf8(script).unwrap());
    }
}

/// These scripts call the program, which knows the boards and games.
#[test]
fn completions_of_the_commands() {
    let shells: [&dyn EnvCompleter; 3] = [&env::Bash, &env::Zsh, &env::Fish];
    let name = "touchmovectl";
    for (shell, file) in shells.into_iter().zip(completion_files(name)) {
        let mut script = Vec::new();
        shell.write_registration("COMPLETE", name, name, name, &mut script).unwrap();
        let mut script = String::from_utf8(script).unwrap().trim_start().to_owned();
        if shell.name() == "zsh" {
            // zsh loads the file as the function `_touchmovectl` when it first completes, and expects the completions from it.
            script += "\n[[ $funcstack[1] = _touchmovectl ]] && _clap_dynamic_completer_touchmovectl\n";
        }
        check(&file, &(script.trim_end().to_owned() + "\n"));
    }
}

#[test]
fn pages_have_no_mistakes() {
    if !crate::harness::installed("man") {
        return;
    }
    for page in ["touchmoved.8", "touchmovectl.1", "touchmoved.toml.5"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/generated/man").join(page);
        let mut man = std::process::Command::new("man");
        man.args(["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]).arg(path).env("LC_ALL", "C.UTF-8");
        let output = man.output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{page}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
