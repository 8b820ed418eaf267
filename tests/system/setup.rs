//! `touchmovectl setup` below a temporary directory: what it writes, that it does nothing twice, and that it takes everything back.

mod page;

use crate::harness::PrivateBus;
use crate::harness::avahi::Avahi;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::process::Command;
use touchmove::config::Config;
use touchmove::config::keys::commented_file;

/// The disk of a machine on which the package is installed.
struct Machine {
    dir: TempDir,
}

/// What a program has printed, and its exit code.
struct Outcome {
    code: i32,
    text: String,
}

impl Machine {
    fn installed() -> Machine {
        let machine = Machine { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(machine.path("etc/touchmove")).unwrap();
        fs::write(machine.config_path(), commented_file()).unwrap();
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn config_path(&self) -> PathBuf {
        self.path("etc/touchmove/touchmoved.toml")
    }

    fn config(&self) -> Config {
        Config::load(&self.config_path()).unwrap()
    }

    /// Runs setup for this disk, with nobody at the terminal.
    async fn setup(&self, args: &[&str]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
        command.arg("setup").arg("--root").arg(self.dir.path()).args(args).env("NO_COLOR", "1").env_remove("SUDO_USER");
        let output = command.stdin(std::process::Stdio::null()).output().await.unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        Outcome { code: output.status.code().unwrap(), text }
    }

    /// All files with their contents.
    fn files(&self) -> BTreeMap<String, String> {
        let (mut files, mut folders) = (BTreeMap::new(), vec![self.dir.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        let name = path.strip_prefix(self.dir.path()).unwrap().display().to_string();
                        files.insert(name, fs::read_to_string(&path).unwrap());
                    }
                }
            }
        }
        files
    }
}

impl Outcome {
    #[track_caller]
    fn says(&self, code: i32, expected: &str) {
        assert!(self.code == code && self.text.contains(expected), "{expected:?} in {}:\n{}", self.code, self.text);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

const ANSWERS: [&str; 9] =
    ["--event", "City \"Open\"", "--place", "Delft", "--laws", "fide-2018", "--time-class", "standard", "--yes"];

#[tokio::test]
async fn setup_does_nothing_twice_and_takes_everything_back() {
    let machine = Machine::installed();
    let before = machine.files();
    let answers = [&ANSWERS[..], &["--host", "hall.local"]].concat();

    // What would be done is explained, and nothing is done.
    let plan = machine.setup(&[&answers[..], &["--dry-run"]].concat()).await;
    for expected in [
        "→ event: name the event and its place\n  they are on the page and in every PGN.\n",
        "    + [pgn] event = 'City \"Open\"'\n",
        "    + [laws] edition = \"fide-2018\"\n",
        "for hall.local, localhost, 127.0.0.1, ::1",
        "    + [web] listen = \"0.0.0.0:8064\"\n    + [web] hosts = \"hall.local\"\n",
        "· service: the machine does not run (--root)\n",
    ] {
        plan.says(0, expected);
    }
    assert_eq!(machine.files(), before);

    machine.setup(&answers).await.says(0, "✓ make a certificate for the page\n✓ switch the page on\n");
    let config = machine.config();
    assert_eq!((config.tags.event.as_str(), config.tags.site.as_str()), ("City \"Open\"", "Delft"));
    assert_eq!(config.laws().edition.name, "fide-2018");
    assert_eq!(config.web.address().as_deref(), Some("https://hall.local:8064/"));
    let tls = |name: &str| machine.path("etc/touchmove/tls").join(name);
    assert_eq!([mode(&tls("ca.key")), mode(&tls("ca.pem")), mode(&tls("page.pem"))], [0o600, 0o644, 0o644]);
    assert_eq!(mode(&tls("page.key")) & 0o007, 0, "others cannot read the key");

    // Again, with and without the answers.
    let done = machine.files();
    for args in [&answers[..], &["--yes", "--host", "hall.local"], &["--yes"]] {
        machine.setup(args).await.says(0, "Nothing has to be changed.");
        assert_eq!(machine.files(), done);
    }

    // Another name: the same CA, another certificate.
    machine.setup(&["--yes", "--host", "hall-2.local"]).await.says(0, "it is not for hall-2.local");
    let files = machine.files();
    let is_same = |name: &str| files[name] == done[name];
    assert!(is_same("etc/touchmove/tls/ca.pem") && !is_same("etc/touchmove/tls/page.pem"));
    assert_eq!(machine.config().web.hosts.iter().map(|site| site.host.as_str()).collect::<Vec<_>>(), ["hall-2.local"]);

    // A step that others need is not undone first.
    machine.setup(&["--undo", "certificate", "--yes"]).await.says(1, "undo that first");
    machine.setup(&["--undo", "nonsense", "--yes"]).await.says(1, "write one of event, laws, boards, certificate");
    machine.setup(&["--undo", "laws", "--yes"]).await.says(0, "← laws: [laws] edition is removed");
    assert_eq!(machine.config().laws(), Config::default().laws());
    machine.setup(&["--undo", "--dry-run"]).await.says(0, "← page: [web] listen is removed");
    machine.setup(&["--undo", "--yes"]).await.says(0, "undone");
    assert_eq!(machine.files(), before);
    machine.setup(&["--undo", "--yes"]).await.says(0, "there is nothing to undo");
}

#[tokio::test]
async fn what_a_user_has_changed_since_stays() {
    let machine = Machine::installed();
    machine.setup(&ANSWERS).await.says(0, "The machine does not run");
    let text = fs::read_to_string(machine.config_path()).unwrap().replace("site = \"Delft\"", "site = \"Breda\"");
    fs::write(machine.config_path(), text + "[[board]]\nname = 'club'\nport = '/dev/ttyS0'\n").unwrap();
    let undo = machine.setup(&["--undo", "--yes"]).await;
    undo.says(0, "stays: [pgn] site was changed since");
    let config = machine.config();
    assert_eq!((config.tags.site.as_str(), config.tags.event.as_str(), config.boards.len()), ("Breda", "?", 1));
    assert!(!machine.path("etc/touchmove/tls").exists());
}

#[tokio::test]
async fn a_file_that_somebody_has_changed_is_not_written_again() {
    let machine = Machine::installed();
    machine.setup(&ANSWERS).await.says(0, "The machine does not run");
    let page = machine.path("etc/touchmove/tls/page.pem");
    fs::write(&page, "another certificate").unwrap();
    let outcome = machine.setup(&["--yes", "--host", "hall.local"]).await;
    outcome.says(0, "· certificate: /etc/touchmove/tls/page.pem was changed since setup wrote it, and stays");
    assert_eq!(fs::read_to_string(&page).unwrap(), "another certificate");
}

/// Without a record, setup does not know that it has written the keys of `[web]`.
#[tokio::test]
async fn files_that_the_configuration_names_stay() {
    let machine = Machine::installed();
    machine.setup(&ANSWERS).await.says(0, "The machine does not run");
    fs::remove_file(machine.path("etc/touchmove/setup.json")).unwrap();
    machine.setup(&["--yes", "--host", "hall.local"]).await.says(0, "it is not for hall.local");
    let undo = machine.setup(&["--undo", "--yes"]).await;
    undo.says(0, "stays: /etc/touchmove/tls/page.pem belongs to the certificate");
    let tls = machine.config().web.tls.unwrap();
    assert!(machine.path("etc/touchmove/tls/page.pem").exists() && tls.cert.ends_with("page.pem"));
    // Once it does not name them any more, they go.
    fs::write(machine.config_path(), "").unwrap();
    machine.setup(&["--undo", "--yes"]).await.says(0, "/etc/touchmove/tls/page.pem is removed");
}

#[tokio::test]
async fn a_certificate_of_the_user_is_left_alone() {
    let machine = Machine::installed();
    let own =
        "[web]\nlisten = '0.0.0.0:443'\nhosts = 'chess.example.org'\ntls_cert = '/srv/cert.pem'\ntls_key = '/srv/key.pem'\n";
    fs::write(machine.config_path(), own).unwrap();
    machine.setup(&["--yes"]).await.says(0, "· certificate: the page has one of its own: /srv/cert.pem\n");
    assert_eq!(fs::read_to_string(machine.config_path()).unwrap(), own);
    // Behind a proxy, and on this machine only, none is needed.
    fs::write(machine.config_path(), "[web]\nlisten = '127.0.0.1:8064'\nproxy = true\n").unwrap();
    machine.setup(&["--yes"]).await.says(0, "· certificate: 127.0.0.1:8064 is reached from this machine only");
    machine.setup(&["--yes", "--listen", "none"]).await.says(0, "+ [web] listen = \"\"");
    assert_eq!(machine.config().web.listen, None);
    assert!(!machine.path("etc/touchmove/tls").exists());
}

#[tokio::test]
async fn answers_that_cannot_be_right_are_refused() {
    let machine = Machine::installed();
    let before = machine.files();
    machine.setup(&["--time-class", "rapid", "--yes"]).await.says(1, "add --supervision full or --supervision limited");
    machine
        .setup(&["--time-class", "standard", "--supervision", "limited", "--yes"])
        .await
        .says(1, "standard games cannot have");
    machine.setup(&["--laws", "fide-1900", "--yes"]).await.says(2, "fide-2023");
    machine.setup(&["--board", "/dev/ttyUSB0=abacus", "--yes"]).await.says(2, "there is no model abacus: write one of dgt,");
    machine.setup(&["--listen", "hall", "--yes"]).await.says(2, "write an address with a port");
    machine.setup(&[]).await.says(1, "Nobody can answer, because the input is not a terminal: add --yes");
    assert_eq!(machine.files(), before);
    fs::write(machine.config_path(), "[web").unwrap();
    machine.setup(&["--yes"]).await.says(1, "touchmoved.toml:1:");
}

#[tokio::test]
async fn a_board_that_has_to_be_named_is_added_once() {
    let machine = Machine::installed();
    let args = ["--listen", "none", "--board", "/dev/ttyUSB0=certabo", "--board", "/dev/ttyUSB1=cerno", "--yes"];
    let outcome = machine.setup(&args).await;
    outcome.says(0, "    + [[board]]\n    + name = \"board_1\"\n    + model = \"certabo\"\n    + port = \"/dev/ttyUSB0\"\n");
    outcome.says(0, "from then on only these boards are used");
    let names = |machine: &Machine| machine.config().boards.iter().map(|board| board.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&machine), ["board_1", "board_2"]);
    machine.setup(&args).await.says(0, "Nothing has to be changed.");
    machine.setup(&["--undo", "boards", "--yes"]).await.says(0, "board board_2 is removed from the configuration");
    assert_eq!(names(&machine), [""; 0]);
}

#[tokio::test]
async fn rapid_becomes_standard_again() {
    let machine = Machine::installed();
    let class = |class| ["--listen", "none", "--time-class", class, "--yes"];
    machine.setup(&[&class("rapid")[..], &["--supervision", "limited"]].concat()).await.says(0, "+ [laws] supervision");
    machine.setup(&class("standard")).await.says(0, "- [laws] supervision");
    assert_eq!(machine.config().laws(), Config::default().laws());
}

#[tokio::test]
async fn settings_that_the_page_has_changed_are_named() {
    let machine = Machine::installed();
    fs::create_dir_all(machine.path("var/lib/touchmove")).unwrap();
    fs::write(machine.path("var/lib/touchmove/settings.toml"), "[laws]\nedition = \"fide-2014\"\n").unwrap();
    let outcome = machine.setup(&["--listen", "none", "--laws", "fide-2018", "--yes"]).await;
    outcome.says(0, "laws.edition = \"fide-2014\" was set while touchmoved ran, and holds until");
}

/// The name is the one that Avahi gave, not the one that the machine wanted.
#[tokio::test]
async fn the_name_is_the_one_that_avahi_gave() {
    let Some(bus) = PrivateBus::start() else { return };
    let machine = Machine::installed();
    fs::create_dir_all(machine.path("etc/avahi/services")).unwrap();
    let address = bus.address();
    let args = ["--yes", "--bus", &address];
    let without = machine.setup(&[&args[..], &["--dry-run"]].concat()).await;
    without.says(0, "· name: Avahi does not run, so telephones find this machine by its address only");
    let _avahi = Avahi::start(&bus, "Hall-2.local").await;
    // There is no touchmoved on that bus, so that there is no login.
    machine.setup(&args).await.says(3, "this machine is hall-2.local");
    assert_eq!(machine.config().web.address().as_deref(), Some("https://hall-2.local:8064/"));
    let service = fs::read_to_string(machine.path("etc/avahi/services/touchmove.service")).unwrap();
    assert!(service.contains("<type>_https._tcp</type>\n    <port>8064</port>"), "{service}");
    machine.setup(&["--undo", "name", "--yes"]).await.says(0, "/etc/avahi/services/touchmove.service is removed");
}

/// The generator of the package, by the command that it runs.
#[tokio::test]
async fn the_unit_allows_what_the_configuration_says() {
    let machine = Machine::installed();
    machine.setup(&["--yes", "--host", "hall.local"]).await.says(0, "switch the page on");
    let drop_ins = machine.path("run/touchmoved.service.d");
    let config = machine.config_path();
    let unit = async |extra: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
        let output = command.args(["config", "unit", "--config"]).arg(&config).args(extra).output().await.unwrap();
        (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let write = ["--write", drop_ins.to_str().unwrap()];
    assert_eq!(unit(&write).await, (true, String::new()));
    let listen = fs::read_to_string(drop_ins.join("listen.conf")).unwrap();
    assert!(listen.contains("\nSocketBindAllow=tcp:8064\nIPAddressAllow=localhost\nIPAddressAllow=10.0.0.0/8\n"), "{listen}");
    assert!(!drop_ins.join("network.conf").exists());
    assert!(unit(&[]).await.1.contains("# touchmoved.service.d/network.conf: none\n"));
    machine.setup(&["--undo", "--yes"]).await.says(0, "undone");
    assert_eq!(unit(&write).await, (true, String::new()));
    assert!(!drop_ins.join("listen.conf").exists());
    // Others could change it.
    fs::set_permissions(&config, fs::Permissions::from_mode(0o666)).unwrap();
    let (success, text) = unit(&write).await;
    assert!(!success && text.contains("decides what the service may do, but"), "{text}");
}
