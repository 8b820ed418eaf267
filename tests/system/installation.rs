//! The installed files: each one is in its place and is accepted by the program that reads it.

use crate::harness::{Daemon, Pty, installed};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use touchmove::boards::BOARDS;
use touchmove::config::Config;
use touchmove::config::unit::UnitDropIns;
use touchmove::publish::dbus::Stream;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Runs a program, which must succeed; returns its output.
#[track_caller]
fn run_successfully(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {text}");
    text
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// The files below a folder, as paths that begin with `/`, with their modes.
fn tree(folder: &Path) -> BTreeSet<(String, u32)> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777;
            found.insert((format!("/{}", path.strip_prefix(folder).unwrap().display()), mode));
        }
    }
    found
}

/// The names of the files that match a pattern with one `*` in the last part of its path.
fn matching_names(pattern: &str) -> Vec<String> {
    let (folder, name) = pattern.rsplit_once('/').unwrap_or((".", pattern));
    let Some((begin, end)) = name.split_once('*') else { return vec![name.to_owned()] };
    let entries = fs::read_dir(Path::new(ROOT).join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(begin) && name.ends_with(end)).collect()
}

fn install(to: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_touchmoved")).parent().unwrap();
    run_successfully(Command::new("sh").arg(Path::new(ROOT).join(".ci/install")).arg(programs).arg(to))
}

#[test]
fn make_install_installs_the_files_of_the_package() {
    let dir = tempfile::tempdir().unwrap();
    install(dir.path());
    let cargo: toml::Table = read("Cargo.toml").parse().unwrap();
    let mut expect = BTreeSet::new();
    for asset in cargo["package"]["metadata"]["deb"]["assets"].as_array().unwrap() {
        let [from, to, mode] = [0, 1, 2].map(|index| asset[index].as_str().unwrap());
        let names = matching_names(from);
        assert!(!names.is_empty(), "{from} is not there");
        let mode = u32::from_str_radix(mode, 8).unwrap();
        expect.extend(names.into_iter().map(|name| (format!("/{to}{name}"), mode)));
    }
    let files = tree(dir.path());
    assert_eq!(files, expect, "config/packaging/installed and Cargo.toml differ");
    for path in [
        "/usr/bin/touchmoved",
        "/etc/touchmove/touchmoved.toml",
        "/usr/share/touchmove/laws/fide-2023.toml",
        "/usr/share/touchmove/locale/zh-Hans.ftl",
        "/usr/lib/systemd/system/touchmoved.service",
        "/usr/share/dbus-1/system.d/org.touchmove1.Broadcast.conf",
        "/usr/share/dbus-1/system-services/org.touchmove1.service",
        "/usr/share/man/man8/touchmoved.8",
        "/usr/share/zsh/vendor-completions/_touchmovectl",
    ] {
        assert!(files.iter().any(|(known, _)| known == path), "{path} is not installed");
    }
    // A second installation keeps an edited configuration.
    let config = dir.path().join("etc/touchmove/touchmoved.toml");
    fs::write(&config, "# mine\n").unwrap();
    let text = install(dir.path());
    assert!(text.contains("touchmoved.toml stays as it is"), "{text}");
    assert_eq!(fs::read_to_string(config).unwrap(), "# mine\n");
}

#[test]
fn installation_fails_without_a_build() {
    let dir = tempfile::tempdir().unwrap();
    let output =
        Command::new("sh").arg(Path::new(ROOT).join(".ci/install")).arg(dir.path()).arg(dir.path().join("to")).output();
    let output = output.unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("run `make build` first"));
    assert_eq!(tree(dir.path()), BTreeSet::new());
}

const UNIT: &str = "config/packaging/systemd/touchmoved.service";
/// The unit of a hall's message server.
const SERVER_UNIT: &str = "config/packaging/systemd/touchmove-nats.service";

/// The values of a key of the unit.
fn unit(key: &str) -> Vec<String> {
    let text = read(UNIT);
    text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned)).collect()
}

#[test]
fn systemd_analyze_accepts_the_unit() {
    if !installed("systemd-analyze") {
        return;
    }
    // With the path of the program that was built.
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("touchmoved.service");
    fs::write(&copy, read(UNIT).replace("/usr/bin/touchmoved", env!("CARGO_BIN_EXE_touchmoved"))).unwrap();
    let text = run_successfully(Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&copy));
    assert!(!text.contains("touchmoved"), "{text}");
    // nats-server may not be installed here; any program will do.
    let copy = dir.path().join("touchmove-nats.service");
    fs::write(&copy, read(SERVER_UNIT).replace("/usr/sbin/nats-server", env!("CARGO_BIN_EXE_touchmoved"))).unwrap();
    let text = run_successfully(Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&copy));
    assert!(!text.contains("touchmove"), "{text}");
}

#[test]
fn the_unit_is_hardened() {
    for (setting, value) in [
        ("MemoryMax", "1G"),
        ("TasksMax", "512"),
        ("PrivateUsers", "yes"),
        // Where failed starts are counted.
        ("RuntimeDirectory", "touchmove"),
        ("RuntimeDirectoryPreserve", "restart"),
    ] {
        assert_eq!(unit(setting), [value], "{setting}");
    }
    if !installed("systemd-analyze") {
        return;
    }
    // In tenths: 1.0, and a little more with the drop-ins that allow network access.
    let exposure = |max: &str, unit: &Path| {
        let threshold = format!("--threshold={max}");
        let text = run_successfully(Command::new("systemd-analyze").args(["security", "--offline=true", &threshold]).arg(unit));
        text.lines().last().unwrap_or_default().to_owned()
    };
    eprintln!("{}", exposure("10", &Path::new(ROOT).join(UNIT)));
    eprintln!("{}", exposure("15", &Path::new(ROOT).join(SERVER_UNIT)));
    // Also with the drop-ins that allow it to connect and to listen. Repeated settings in one unit add up, as settings of a
    // unit and its drop-in do.
    for file in ["network.conf", "listen.conf"] {
        let dir = tempfile::tempdir().unwrap();
        let copy = dir.path().join("touchmoved.service");
        let settings = read(&format!("config/packaging/systemd/{file}"));
        let (_, settings) = settings.split_once("[Service]").unwrap();
        fs::write(&copy, read(UNIT).replace("[Install]", &format!("{settings}\n[Install]"))).unwrap();
        eprintln!("{file}: {}", exposure("15", &copy));
    }
    // What follows from a configuration with a page for everybody, and with Lichess.
    let page = "[web]\nlisten = '0.0.0.0:8064'\nclients = 'any'\ntls_cert = '/c'\ntls_key = '/k'\n";
    let drop_ins = UnitDropIns::of(&Config::parse(&format!("{page}[lichess]\nround = 'AbCd1234'\n")).unwrap());
    let settings: String =
        drop_ins.files().iter().filter_map(|(_, text)| text.and_then(|text| text.split("[Service]").nth(1))).collect();
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("touchmoved.service");
    fs::write(&copy, read(UNIT).replace("[Install]", &format!("{settings}\n[Install]"))).unwrap();
    eprintln!("generated: {}", exposure("15", &copy));
}

/// Hosted CI runs the checks that every change has to pass, with the oldest supported Rust.
#[test]
fn hosted_ci_runs_the_required_checks() {
    let (workflow, manifest) = (read(".github/workflows/ci.yml"), read("Cargo.toml"));
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"')).unwrap();
    let container = format!("container: rust:{version}-bookworm");
    for expect in [container.as_str(), "contents: read", "- run: .ci/run", "- run: make deny"] {
        assert!(workflow.lines().any(|line| line.trim() == expect), "{expect} is not in the workflow");
    }
    // Releases are compiled by the same Rust.
    assert!(read(".github/workflows/release.yml").lines().any(|line| line.trim() == container));
}

/// The pages, the script that signs and the Makefile name one address of the apt repository.
#[test]
fn the_repository_has_one_address() {
    let makefile = read("Makefile");
    let url = makefile.lines().find_map(|line| line.strip_prefix("REPOSITORY_URL ?= ")).unwrap();
    let expect = format!("sudo wget -O /etc/apt/sources.list.d/touchmove.sources {url}/touchmove.sources");
    let docs = matching_names("docs/*.md").into_iter().map(|name| format!("docs/{name}"));
    let pages: String = docs.chain(["README.md".to_owned()]).map(|page| read(&page)).collect();
    let lines: Vec<&str> = pages.lines().filter(|line| line.contains("wget -O")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| *line == expect), "{expect}\nis not {lines:?}");
    assert!(read(".ci/sign").contains(&format!("url=${{REPOSITORY_URL:-{url}}}")));
    assert!(read("config/packaging/raspberry-pi/vendor-data").lines().any(|text| text == "@SOURCES@"));
}

/// Scripts of releases and tests of the package are free of syntax errors.
#[test]
fn scripts_have_no_syntax_errors() {
    for pattern in [".ci/*", "tests/system/*", "config/packaging/debian/*", "config/packaging/raspberry-pi/*"] {
        let folder = pattern.trim_end_matches('*');
        for name in matching_names(pattern) {
            let path = format!("{folder}{name}");
            if Path::new(ROOT).join(&path).is_file() && read(&path).starts_with("#!/bin/sh") {
                run_successfully(Command::new("sh").arg("-n").arg(Path::new(ROOT).join(&path)));
            }
        }
    }
}

/// Whatever address a section of the book configures, the generator allows it, and the section says when that takes effect.
#[test]
fn the_service_may_listen_where_the_book_says() {
    let pages: String = matching_names("docs/*.md").iter().map(|name| read(&format!("docs/{name}"))).collect();
    let mut ports = BTreeSet::new();
    for section in pages.split("\n## ") {
        let blocks = section.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        for block in blocks.filter(|block| block.contains("\nlisten = \"")) {
            let config = Config::parse(block).unwrap_or_else(|problems| panic!("{problems:?} in\n{block}"));
            let rules = UnitDropIns::of(&config).listen.unwrap_or_default();
            let addresses = [config.web.listen, config.livechess.listen, config.metrics];
            for address in addresses.into_iter().flatten() {
                assert!(rules.contains(&format!("\nSocketBindAllow=tcp:{}\n", address.port())), "{section}");
                ports.insert(address.port());
            }
            assert!(rules.contains("RestrictAddressFamilies=AF_INET AF_INET6\n"), "{rules}");
            let names_it = ["touchmovectl setup", "daemon-reload", "network-access"].iter().any(|word| section.contains(word));
            assert!(names_it, "the section does not say when it takes effect:\n{section}");
        }
    }
    assert_eq!(ports, BTreeSet::from([1982, 8064, 9482]));
}

/// systemd runs the generator with a directory, and reads what is there then.
#[test]
fn the_generator_writes_what_the_configuration_says() {
    let dir = tempfile::tempdir().unwrap();
    let (config, script, to) = (dir.path().join("touchmoved.toml"), dir.path().join("generator"), dir.path().join("normal"));
    let text = read("config/packaging/systemd/touchmove-generator")
        .replace("/usr/bin/touchmovectl", env!("CARGO_BIN_EXE_touchmovectl"))
        .replace("/etc/touchmove/touchmoved.toml --write", &format!("{} --write", config.display()));
    fs::write(&script, text).unwrap();
    fs::create_dir(&to).unwrap();
    // Without a home directory, as at boot, and with the three directories that systemd names.
    let generate = || {
        let mut command = Command::new("sh");
        run_successfully(command.arg(&script).args([&to, &to, &to]).env_clear().env("PATH", "/usr/bin:/bin"))
    };
    assert_eq!(generate(), "");
    assert_eq!(tree(&to), BTreeSet::new());
    fs::write(&config, "[web]\nlisten = '127.0.0.1:8064'\n[hooks]\nwebhook = 'https://ntfy.sh/hall'\n").unwrap();
    assert_eq!(generate(), "");
    let names: Vec<String> = tree(&to).into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["/touchmoved.service.d/listen.conf", "/touchmoved.service.d/network.conf"]);
    fs::write(&config, "").unwrap();
    assert_eq!(generate(), "");
    assert_eq!(tree(&to), BTreeSet::new());
}

/// The unit allows all system calls that start and end a hook's program (`publish::hooks`).
#[test]
fn the_unit_allows_hooks_to_run_programs() {
    if !installed("systemd-analyze") {
        return;
    }
    let calls = |group: &str| -> BTreeSet<String> {
        let text = run_successfully(Command::new("systemd-analyze").args(["syscall-filter", group]));
        text.lines().map(|line| line.trim().to_owned()).collect()
    };
    let (service, denied) = (calls("@system-service"), [calls("@privileged"), calls("@resources")]);
    let groups: Vec<BTreeSet<String>> =
        service.iter().filter(|name| name.starts_with('@') && *name != "@system-service").map(|group| calls(group)).collect();
    // The last two are for files that every user may read (`publish::files`).
    for call in
        ["clone3", "vfork", "execve", "setpgid", "wait4", "waitid", "kill", "pidfd_open", "pipe2", "dup2", "chmod", "fchmodat"]
    {
        assert!(service.contains(call) || groups.iter().any(|group| group.contains(call)), "{call} is not allowed");
        assert!(!denied.iter().any(|group| group.contains(call)), "{call} is denied");
    }
    assert_eq!(unit("SystemCallFilter"), ["@system-service", "~@privileged @resources"]);
    assert!(unit("NoExecPaths").is_empty());
}

#[test]
fn the_service_notifies_the_watchdog() {
    let (state, pty) = (tempfile::tempdir().unwrap(), Pty::open());
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let (state_dir, port) = (path(state.path()), path(&pty.path()));
    let args = ["--bus", "unix:path=/nowhere/bus", "--state-dir", &state_dir, "--port", &port];
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmoved"));
    command.env("WATCHDOG_USEC", "20000");
    let daemon = Daemon::run(command, &args);
    for _ in 0..3 {
        daemon.wait_for_notify("WATCHDOG=1");
    }
    assert!(daemon.terminate().success());
}

#[test]
fn users_groups_and_directories_are_created() {
    if !installed("systemd-sysusers") || !installed("systemd-tmpfiles") {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("etc")).unwrap();
    // As on every Debian system.
    fs::write(root.path().join("etc/group"), "dialout:x:20:\n").unwrap();
    let root_argument = format!("--root={}", root.path().display());
    run_successfully(
        Command::new("systemd-sysusers")
            .arg(&root_argument)
            .arg(Path::new(ROOT).join("config/packaging/sysusers.d/touchmove.conf")),
    );
    let exists = |file: &str, name: &str| {
        let text = fs::read_to_string(root.path().join("etc").join(file)).unwrap();
        text.lines().any(|line| line.starts_with(&format!("{name}:")))
    };
    for group in Stream::ALL.map(Stream::group) {
        assert!(exists("group", group), "no group {group}");
    }
    // The users and groups that the unit and the policies name.
    for user in unit("User") {
        assert!(exists("passwd", &user), "no user {user}");
        for name in Stream::ALL.map(Stream::name) {
            assert!(read(&format!("config/generated/policy/{name}.conf")).contains(&format!("<policy user=\"{user}\">")));
        }
    }
    for groups in unit("Group").into_iter().chain(unit("SupplementaryGroups")) {
        for group in groups.split(' ') {
            assert!(exists("group", group), "no group {group}");
        }
    }
    if !rustix::process::geteuid().is_root() {
        return eprintln!("SKIPPED: only root can give folders to others");
    }
    let tmpfiles = Path::new(ROOT).join("config/packaging/tmpfiles.d/touchmove.conf");
    run_successfully(Command::new("systemd-tmpfiles").args([&root_argument, "--create"]).arg(tmpfiles));
    let state = fs::metadata(root.path().join("var/lib").join(&unit("StateDirectory")[0])).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&state.permissions()) & 0o777;
    assert_eq!(format!("{mode:04o}"), unit("StateDirectoryMode")[0]);
}

#[test]
fn calls_to_the_bus_names_start_the_service() {
    for name in Stream::ALL.map(Stream::name) {
        let text = read(&format!("config/packaging/dbus/{name}.service"));
        assert!(text.contains(&format!("\nName={name}\n")), "{text}");
        assert!(text.contains(&format!("\nSystemdService={}\n", unit("Alias")[0])), "{text}");
    }
}

/// When udev's rules are installed, only devices of board makers are triggered again.
#[test]
fn installation_triggers_udev_for_boards_already_plugged_in() {
    let vendors = BOARDS.iter().flat_map(|model| model.usb).filter(|id| !id.generic).map(|id| format!("{:04x}", id.vendor));
    let vendors: BTreeSet<String> = vendors.collect();
    for script in ["config/packaging/debian/postinst", ".ci/install"] {
        let text = read(script);
        let triggered =
            text.split("--property-match=ID_VENDOR_ID=").skip(1).filter_map(|rest| rest.get(..4)).map(str::to_owned);
        assert_eq!(triggered.collect::<BTreeSet<_>>(), vendors, "{script}");
    }
}

#[test]
fn package_scripts_are_valid_shell() {
    for script in ["postinst", "prerm", "postrm"] {
        run_successfully(Command::new("sh").arg("-n").arg(Path::new(ROOT).join("config/packaging/debian").join(script)));
        assert!(read(&format!("config/packaging/debian/{script}")).contains("\n#DEBHELPER#\n"));
    }
    let version = format!("touchmove ({}-1)", env!("CARGO_PKG_VERSION"));
    assert!(read("config/packaging/debian/changelog").starts_with(&version), "the newest entry is not of this version");
}

/// A directory with this program in its `bin`, as in an installation.
fn temporary_program(program: &Path) -> TempDir {
    // On the same file system, so that a hard link is possible.
    let dir = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let bin = dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let to = bin.join(program.file_name().unwrap());
    fs::hard_link(program, &to).or_else(|_| fs::copy(program, &to).map(drop)).unwrap();
    dir
}

/// A copy of touchmovectl whose `share/touchmove` has this file.
fn program_with_file(file: &str, text: &str) -> (TempDir, PathBuf) {
    let dir = temporary_program(Path::new(env!("CARGO_BIN_EXE_touchmovectl")));
    let path = dir.path().join("share/touchmove").join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let program = dir.path().join("bin/touchmovectl");
    (dir, program)
}

fn laws(program: &Path) -> (bool, String) {
    let output = Command::new(program).args(["laws", "fide-2023"]).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn installed_editions_override_the_built_in_ones() {
    let built_in = read("config/data/laws/fide-2023.toml");
    let title = built_in.lines().find(|line| line.starts_with("title = ")).unwrap();
    let (_dir, program) =
        program_with_file("laws/fide-2023.toml", &built_in.replacen(title, "title = \"the Laws of our club\"", 1));
    let (success, output) = laws(&program);
    assert!(success && output.contains("the Laws of our club"), "{output}");

    let (_dir, program) = program_with_file("laws/fide-2023.toml", "title = 3\n");
    let (success, output) = laws(&program);
    assert!(!success && output.contains("share/touchmove/laws/fide-2023.toml: title: is 3; write a string"), "{output}");

    let (_dir, program) = program_with_file("laws/fide-2030.toml", &built_in);
    let (success, output) = laws(&program);
    let expected = "fide-2030.toml: there is no edition fide-2030 to override: name the file after china-1973, ";
    assert!(!success && output.contains(expected), "{output}");
}

/// Keys that no longer exist are ignored in a file of an earlier version, and `--check-config` names them.
#[test]
fn keys_of_earlier_versions_are_ignored_and_named() {
    let old_edition = read("config/data/laws/fide-2023.toml").replace("[standard]\n", "[standard]\nintent = \"any_contact\"\n");
    let dir = temporary_program(Path::new(env!("CARGO_BIN_EXE_touchmoved")));
    let path = dir.path().join("share/touchmove/laws/fide-2023.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, old_edition).unwrap();
    let config = dir.path().join("touchmoved.toml");
    fs::write(&config, "").unwrap();
    let program = dir.path().join("bin/touchmoved");
    let output = Command::new(program).arg("--check-config").arg("--config").arg(&config).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("laws/fide-2023.toml: standard.intent: is no longer supported; remove it"), "{text}");
}

#[test]
fn unchanged_installed_files_change_nothing() {
    let dir = temporary_program(Path::new(env!("CARGO_BIN_EXE_touchmovectl")));
    let share = dir.path().join("share/touchmove");
    for (folder, pattern) in [("laws", "config/data/laws/*.toml"), ("locale", "config/data/locale/*.ftl")] {
        fs::create_dir_all(share.join(folder)).unwrap();
        for name in matching_names(pattern) {
            fs::copy(Path::new(ROOT).join("config/data").join(folder).join(&name), share.join(folder).join(&name)).unwrap();
        }
    }
    let output = laws(&dir.path().join("bin/touchmovectl"));
    assert_eq!(output, laws(Path::new(env!("CARGO_BIN_EXE_touchmovectl"))));
}

/// An error that a restart cannot cure is not retried: the unit and the program use the same exit status for it.
#[test]
fn systemd_does_not_restart_after_a_configuration_error() {
    let dir = temporary_program(Path::new(env!("CARGO_BIN_EXE_touchmoved")));
    let laws = dir.path().join("share/touchmove/laws");
    fs::create_dir_all(&laws).unwrap();
    fs::write(laws.join("fide-2023.toml"), "title = 3\n").unwrap();
    let state = dir.path().join("state");
    let output = Command::new(dir.path().join("bin/touchmoved")).arg("--state-dir").arg(&state).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("fide-2023.toml: title: is 3; write a string") && !state.exists(), "{text}");
    let code = output.status.code().unwrap().to_string();
    let codes = unit("RestartPreventExitStatus").concat();
    assert_eq!(codes.split(' ').collect::<Vec<_>>(), ["2", code.as_str()]);
}
