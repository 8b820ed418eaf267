//! A message bus, a daemon and a board for each test: no fixed names or ports, so that tests can run in parallel.
//!
//! [`PrivateBus`] starts a message bus, [`Daemon`] a touchmoved on it, [`Board`] is a virtual board on a pseudo-terminal, [`chain`] has
//! several on one line; [`hall`] has bus, daemon and board with a client that watches, [`webdriver`] a browser. Tests wait with
//! [`eventually`] and [`until`], never by sleeping.

pub mod avahi;
pub mod bluez;
pub mod chain;
pub mod hall;
pub mod json_schema;
pub mod nats;
pub mod organiser;
pub mod python;
pub mod webdriver;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use touchmove::names;
use touchmove::publish::dbus::Stream;

/// The timeout of every wait in a test; far longer than any of them takes, even on a slow and busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Polls `poll` until it returns a value; panics after [`PATIENCE`] and names `what` was awaited.
#[track_caller]
pub fn eventually<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    let mut delays = poll_delays(2);
    loop {
        if let Some(it) = poll() {
            return it;
        }
        assert!(Instant::now() < end, "waited in vain for: {what}");
        std::thread::sleep(delays.next().unwrap());
    }
}

/// Delays between two polls: they start at `first_ms` and grow, so that polling does not slow down the polled process.
fn poll_delays(first_ms: u64) -> impl Iterator<Item = Duration> {
    const LONGEST_MS: u64 = 50;
    std::iter::successors(Some(first_ms), |delay| Some((delay * 5 / 4 + 1).min(LONGEST_MS))).map(Duration::from_millis)
}

/// Like [`eventually`], for conditions that need a call over a bus, or that progress in this thread.
pub async fn until<T>(what: &str, mut poll: impl AsyncFnMut() -> Option<T>) -> T {
    let mut delays = poll_delays(5);
    let wait = async {
        loop {
            if let Some(it) = poll().await {
                return it;
            }
            tokio::time::sleep(delays.next().unwrap()).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Whether a program is installed; prints a message when it is not, for tests that are skipped then.
pub fn installed(program: &str) -> bool {
    let found = std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).exists()));
    if !found {
        eprintln!("SKIPPED: {program} is not installed");
    }
    found
}

/// A dbus-daemon that can be killed and started again at the same address.
pub struct PrivateBus {
    dir: TempDir,
    daemon: Option<Child>,
}

impl PrivateBus {
    /// Starts a bus; returns `None`, with a message, if dbus-daemon is not installed.
    pub fn start() -> Option<PrivateBus> {
        let mut bus = PrivateBus::stopped()?;
        bus.restart();
        Some(bus)
    }

    /// Configures a bus and does not start it yet.
    pub fn stopped() -> Option<PrivateBus> {
        PrivateBus::from_template("private.conf")
    }

    /// Starts a bus that activates touchmoved with this command when a client calls it.
    pub fn activating(command: &str) -> Option<PrivateBus> {
        let mut bus = PrivateBus::stopped()?;
        let services = bus.dir.path().join("services");
        std::fs::create_dir(&services).unwrap();
        let file = format!("[D-BUS Service]\nName={0}\nExec={command}\n", names::BUS_NAME);
        std::fs::write(services.join(format!("{}.service", names::BUS_NAME)), file).unwrap();
        bus.restart();
        Some(bus)
    }

    /// Starts a bus configured like the system bus, with our policy. `stand_ins` replaces the groups named in the policy by
    /// groups that exist on this machine. Every user may connect.
    pub fn system(stand_ins: &[(&str, &str)]) -> Option<PrivateBus> {
        let mut bus = PrivateBus::from_template("system.conf")?;
        let policy = bus.dir.path().join("system.d");
        std::fs::create_dir(&policy).unwrap();
        for name in Stream::ALL.map(Stream::name) {
            let file = format!("{name}.conf");
            let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/generated/policy").join(&file);
            let rules = std::fs::read_to_string(ours).unwrap();
            let stand_in = |rules: String, (ours, theirs): &(&str, &str)| {
                rules.replace(&format!("group=\"{ours}\""), &format!("group=\"{theirs}\""))
            };
            std::fs::write(policy.join(file), stand_ins.iter().fold(rules, stand_in)).unwrap();
        }
        std::fs::set_permissions(bus.dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        bus.restart();
        Some(bus)
    }

    fn from_template(template: &str) -> Option<PrivateBus> {
        if !installed("dbus-daemon") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dbus").join(template);
        let config = std::fs::read_to_string(template).unwrap().replace("RUN_DIR", dir.path().to_str().unwrap());
        std::fs::write(dir.path().join("bus.conf"), config).unwrap();
        Some(PrivateBus { dir, daemon: None })
    }

    /// Starts the bus, or starts it again; returns when it listens.
    pub fn restart(&mut self) {
        self.kill();
        let _ = std::fs::remove_file(self.socket());
        let config = self.dir.path().join("bus.conf");
        let daemon = Command::new("dbus-daemon")
            .arg("--config-file")
            .arg(config)
            .args(["--nofork", "--nopidfile"])
            .stderr(Stdio::null())
            .spawn();
        self.daemon = Some(daemon.unwrap());
        eventually("dbus-daemon listens", || std::os::unix::net::UnixStream::connect(self.socket()).ok());
    }

    /// Kills the bus, as a crash would.
    pub fn kill(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill().unwrap();
            daemon.wait().unwrap();
        }
    }

    /// The address, for `--bus` and other options that take one.
    pub fn address(&self) -> String {
        format!("unix:path={}", self.socket().display())
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("bus.sock")
    }

    /// Opens a client connection.
    pub async fn connect(&self) -> zbus::Connection {
        zbus::connection::Builder::address(self.address().as_str()).build().await.unwrap()
    }
}

impl Drop for PrivateBus {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A user of this machine, with the group of the same name.
#[derive(Clone, Copy, Debug)]
pub struct User {
    uid: u32,
    gid: u32,
}

impl User {
    /// Looks up a user by name; returns `None`, with a message, if there is no such user, or if this process may not become
    /// another user.
    pub fn named(name: &str) -> Option<User> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root can become another user");
            return None;
        }
        let known = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let fields = known.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fields[0] == name);
        let user =
            fields.and_then(|fields| Some(User { uid: fields.get(2)?.parse().ok()?, gid: fields.get(3)?.parse().ok()? }));
        if user.is_none() {
            eprintln!("SKIPPED: there is no user {name}");
        }
        user
    }

    /// Runs `work` as this user in a separate thread: a peer sees the credentials of the thread that connects.
    pub fn run<T: Send + 'static>(self, work: impl AsyncFnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        std::thread::spawn(move || {
            let (uid, gid) = (rustix::thread::Uid::from_raw(self.uid), rustix::thread::Gid::from_raw(self.gid));
            rustix::thread::set_thread_groups(&[]).unwrap();
            rustix::thread::set_thread_gid(gid).unwrap();
            rustix::thread::set_thread_uid(uid).unwrap();
            tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work())
        })
    }
}

/// A running touchmoved. Dropping it sends SIGTERM, and SIGKILL if that has no effect.
pub struct Daemon {
    child: Child,
    notify: UnixDatagram,
    _dir: TempDir,
    log: Arc<Mutex<String>>,
}

impl Daemon {
    /// Starts touchmoved with these arguments. Does not wait until it is ready: see [`Daemon::ready`].
    pub fn start(args: &[&str]) -> Daemon {
        Daemon::run(Command::new(env!("CARGO_BIN_EXE_touchmoved")), args)
    }

    /// Like [`Daemon::start`], with this command, which starts touchmoved.
    pub fn run(command: Command, args: &[&str]) -> Daemon {
        Daemon::spawn(command, args, true)
    }

    /// Like [`Daemon::on`], but does not echo the log to standard error.
    pub fn quiet(bus: &PrivateBus, state_dir: &Path, port: &Path, extra_args: &[&str]) -> Daemon {
        Daemon::quiet_with(Command::new(env!("CARGO_BIN_EXE_touchmoved")), bus, state_dir, port, extra_args)
    }

    /// Like [`Daemon::quiet`], with this command, which starts touchmoved.
    pub fn quiet_with(command: Command, bus: &PrivateBus, state_dir: &Path, port: &Path, extra_args: &[&str]) -> Daemon {
        let (address, state_dir, port) = (bus.address(), state_dir.to_str().unwrap(), port.to_str().unwrap());
        Daemon::run_quiet(command, &[&["--bus", &address, "--state-dir", state_dir, "--port", port], extra_args].concat())
    }

    /// Like [`Daemon::run`], but does not echo the log to standard error.
    pub fn run_quiet(command: Command, args: &[&str]) -> Daemon {
        Daemon::spawn(command, args, false)
    }

    fn spawn(mut command: Command, args: &[&str], echo: bool) -> Daemon {
        let dir = tempfile::tempdir().unwrap();
        let notify = UnixDatagram::bind(dir.path().join("notify")).unwrap();
        notify.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut child = command
            .args(args)
            .env("NOTIFY_SOCKET", dir.path().join("notify"))
            .env("NO_COLOR", "1")
            .env_remove("TOUCHMOVE_LOG")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (mut pipe, log_writer) = (child.stderr.take().unwrap(), Arc::clone(&log));
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                let text = String::from_utf8_lossy(&chunk[..count]);
                if echo {
                    eprint!("{text}");
                }
                log_writer.lock().unwrap().push_str(&text);
            }
        });
        Daemon { child, notify, _dir: dir, log }
    }

    /// Starts touchmoved on this bus, with this state directory and port and extra arguments. Does not wait until it is ready.
    pub fn on(bus: &PrivateBus, state_dir: &Path, port: &Path, extra_args: &[&str]) -> Daemon {
        Daemon::on_with(Command::new(env!("CARGO_BIN_EXE_touchmoved")), bus, state_dir, port, extra_args)
    }

    /// Like [`Daemon::on`], with this command, which starts touchmoved.
    pub fn on_with(command: Command, bus: &PrivateBus, state_dir: &Path, port: &Path, extra_args: &[&str]) -> Daemon {
        let (state_dir, port) = (state_dir.to_str().unwrap(), port.to_str().unwrap());
        Daemon::run(command, &[&["--bus", &bus.address(), "--state-dir", state_dir, "--port", port], extra_args].concat())
    }

    /// Like [`Daemon::on`], and waits until it is ready.
    pub fn serving(bus: &PrivateBus, state_dir: &Path, port: &Path) -> Daemon {
        let daemon = Daemon::on(bus, state_dir, port, &[]);
        daemon.ready();
        daemon
    }

    /// Waits until the daemon sends READY=1 to its service manager; returns its status line.
    pub fn ready(&self) -> String {
        let text = self.wait_for_notify("READY=1");
        text.lines().find_map(|line| line.strip_prefix("STATUS=")).unwrap_or_default().to_owned()
    }

    /// Waits until the daemon sends this line to its service manager; returns the whole message that contains it.
    pub fn wait_for_notify(&self, expect: &str) -> String {
        let mut message = [0; 1024];
        loop {
            let count = match self.notify.recv(&mut message) {
                Ok(count) => count,
                // A child process of another test ended: on a socket with a timeout that interrupts the call (signal(7)).
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => panic!("touchmoved never sent {expect}"),
            };
            let text = String::from_utf8_lossy(&message[..count]).into_owned();
            if text.lines().any(|line| line == expect) {
                return text;
            }
        }
    }

    /// Everything that the daemon has logged so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Writes a line to the standard input of the command that started the daemon, where that is a pipe.
    #[allow(dead_code)] // for benches
    pub fn write_line(&mut self, line: &str) {
        let mut pipe = self.child.stdin.as_ref().expect("a pipe");
        pipe.write_all(format!("{line}\n").as_bytes()).expect("the command reads its input");
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the daemon, as `kill -9` does.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM and waits until the daemon has ended.
    pub fn terminate(mut self) -> std::process::ExitStatus {
        self.send_sigterm();
        self.child.wait().unwrap()
    }

    fn send_sigterm(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.send_sigterm();
            let end = Instant::now() + Duration::from_secs(5);
            while Instant::now() < end {
                if let Ok(Some(_)) = self.child.try_wait() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A pseudo-terminal with a stable path; the test holds the master.
pub struct Pty {
    dir: TempDir,
    ends: Option<(File, File)>,
}

impl Pty {
    /// Opens a new one.
    pub fn open() -> Pty {
        let mut pty = Pty { dir: tempfile::tempdir().unwrap(), ends: None };
        pty.plug();
        pty
    }

    /// The path that the daemon opens; it stays the same after [`Pty::plug`].
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("board")
    }

    /// Creates the device, or creates it again.
    pub fn plug(&mut self) {
        self.unplug();
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        // While a slave is open, reading from the master does not fail.
        let slave = OpenOptions::new().read(true).write(true).custom_flags(0o400).open(&name).unwrap();
        symlink(&name, self.path()).unwrap();
        self.ends = Some((File::from(master), slave));
    }

    /// Removes the device, as pulling the cable does. All clones of the master must have been dropped before.
    pub fn unplug(&mut self) {
        // First the path: the number of a closed port may soon be that of a port of another test.
        let _ = std::fs::remove_file(self.path());
        self.ends = None;
    }

    /// A clone of the master, which the board reads and writes.
    pub fn master(&self) -> File {
        self.ends.as_ref().unwrap().0.try_clone().unwrap()
    }

    /// Wakes a thread that reads from the master, with a byte that is not a command.
    fn nudge(&self) {
        if let Some((_, slave)) = &self.ends {
            let _ = (&*slave).write_all(&[0]);
        }
    }
}

/// A DGT board on a pseudo-terminal. It answers the requests of the daemon, and the test moves its pieces.
pub struct Board {
    pty: Pty,
    squares: Arc<Mutex<[u8; 64]>>,
    reader: Option<JoinHandle<()>>,
    stop: Arc<Mutex<bool>>,
    /// Commands received so far.
    commands: Arc<Mutex<Vec<u8>>>,
}

/// The start position, in the order in which a DGT board with its connector on White's left sends the squares.
pub const START: &str = "rnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR";

/// The pieces in the order of their codes, which start at 0.
const CODES: &str = ".PRNBKQprnbkq";

fn code(piece: char) -> u8 {
    CODES.find(piece).unwrap() as u8
}

/// The field number of a square such as `e2` in the protocol.
fn field(square: &str) -> usize {
    let name = square.as_bytes();
    usize::from(b'8' - name[1]) * 8 + usize::from(name[0] - b'a')
}

impl Board {
    /// A board with the start position, plugged in.
    pub fn plugged() -> Board {
        let squares: Vec<u8> = START.chars().map(code).collect();
        let mut board = Board {
            pty: Pty::open(),
            squares: Arc::new(Mutex::new(squares.try_into().unwrap())),
            reader: None,
            stop: Arc::default(),
            commands: Arc::default(),
        };
        board.start_answering();
        board
    }

    /// The path that the daemon opens.
    pub fn path(&self) -> PathBuf {
        self.pty.path()
    }

    /// Pulls the cable.
    pub fn unplug(&mut self) {
        *self.stop.lock().unwrap() = true;
        self.pty.nudge();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.pty.unplug();
    }

    /// Plugs the cable in again; the pieces have not moved.
    pub fn plug(&mut self) {
        self.pty.plug();
        self.commands.lock().unwrap().clear();
        self.start_answering();
    }

    /// Waits until the daemon has requested a board dump since the board was plugged in.
    pub fn wait_read(&self) {
        eventually("the daemon requests a board dump", || self.commands.lock().unwrap().contains(&0x42).then_some(()));
    }

    /// The number of bytes that the daemon has sent since the board was plugged in.
    #[allow(dead_code)] // for benches
    pub fn received(&self) -> usize {
        self.commands.lock().unwrap().len()
    }

    /// Puts a piece on a square, or removes the piece (`.`).
    pub fn put(&self, square: &str, piece: char) {
        let field = field(square);
        self.squares.lock().unwrap()[field] = code(piece);
        self.send(&[0x8e, 0, 5, field as u8, code(piece)]);
    }

    /// Like [`Board::put`], of several squares at once: nothing can come in between.
    pub fn put_all(&self, squares: &[(&str, char)]) {
        let mut messages = Vec::new();
        for (square, piece) in squares {
            let field = field(square);
            self.squares.lock().unwrap()[field] = code(*piece);
            messages.extend([0x8e, 0, 5, field as u8, code(*piece)]);
        }
        self.send(&messages);
    }

    /// Like [`Board::put`] while the cable is unplugged: the daemon is not informed.
    pub fn put_unseen(&self, square: &str, piece: char) {
        self.squares.lock().unwrap()[field(square)] = code(piece);
    }

    /// Plays a move without a capture: lifts the piece and puts it down.
    pub fn play(&self, from: &str, to: &str) {
        let piece = CODES.chars().nth(usize::from(self.squares.lock().unwrap()[field(from)])).unwrap();
        self.put(from, '.');
        self.put(to, piece);
    }

    /// Sends a clock message: the remaining seconds of both players, and whose clock runs.
    pub fn clock(&self, white: u32, black: u32, white_runs: bool) {
        let bcd = |value: u32| (value / 10 * 16 + value % 10) as u8;
        let [w, b] = [white, black].map(|s| [(s / 3600) as u8, bcd(s / 60 % 60), bcd(s % 60)]);
        self.send(&[0x8d, 0, 10, b[0], b[1], b[2], w[0], w[1], w[2], if white_runs { 0x09 } else { 0x13 }]);
    }

    /// Sends arbitrary bytes.
    pub fn send(&self, bytes: &[u8]) {
        self.pty.master().write_all(bytes).unwrap();
    }

    fn start_answering(&mut self) {
        self.stop = Arc::default();
        let (mut master, squares) = (self.pty.master(), Arc::clone(&self.squares));
        let (stop, commands) = (Arc::clone(&self.stop), Arc::clone(&self.commands));
        self.reader = Some(std::thread::spawn(move || {
            let mut chunk = [0; 64];
            while let Ok(count @ 1..) = master.read(&mut chunk) {
                if *stop.lock().unwrap() {
                    return;
                }
                for command in &chunk[..count] {
                    let answer = match command {
                        0x42 => [&[0x86, 0, 67][..], &squares.lock().unwrap()[..]].concat(),
                        0x45 => b"\x91\0\x0823946".to_vec(),
                        0x4d => vec![0x93, 0, 5, 1, 7],
                        _ => Vec::new(),
                    };
                    if master.write_all(&answer).is_err() {
                        return;
                    }
                    commands.lock().unwrap().push(*command);
                }
            }
        }));
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.unplug();
    }
}
