//! The message server of a simulated hall.

use super::node::state_dir;
use crate::ctl::child_process::ChildProcess;
use crate::hall::setup::paths::HallFiles;
use crate::hall::setup::registry::{LockedRegistry, Machine, Registry};
use crate::hall::setup::{certificates, key, server};
use anyhow::{Context, bail};
use jiff::Timestamp;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The variable that names another nats-server.
const PROGRAM_VARIABLE: &str = "TOUCHMOVE_NATS_SERVER";
/// The name of the hall.
const HALL: &str = "simulation";
/// The space for its streams, in bytes.
const STORE_BYTES: u64 = 1 << 30;
/// How long a start may take.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Interval at which it is checked whether it listens.
const START_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The pause before it is started again after it has ended at once.
const RESTART_PAUSE: Duration = Duration::from_millis(200);
/// The names in its certificate.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

/// A nats-server with the configuration that a hall has.
pub(super) struct Server {
    process: Option<ChildProcess>,
    program: PathBuf,
    config: PathBuf,
    dir: PathBuf,
    port: u16,
}

/// Returns the program to use: the one that the variable names, else the installed one.
pub(super) fn find_program() -> anyhow::Result<PathBuf> {
    let program = match std::env::var_os(PROGRAM_VARIABLE) {
        Some(program) => PathBuf::from(program),
        None => server::find()?,
    };
    server::check_version(&program)?;
    Ok(program)
}

/// Returns two ports of this computer that nothing uses now.
pub(super) fn free_ports() -> anyhow::Result<(u16, u16)> {
    // Both are held until both are known, so that they differ.
    let open = || TcpListener::bind(("127.0.0.1", 0)).context("no port can be opened");
    let (one, other) = (open()?, open()?);
    Ok((one.local_addr()?.port(), other.local_addr()?.port()))
}

/// Sets up a hall with these machines, as `touchmovectl hall` does: a name and a directory each. Returns the files of the hub.
pub(super) fn set_up(hub: &Path, machines: &[(String, PathBuf)], port: u16) -> anyhow::Result<HallFiles> {
    let files = files_in(hub)?;
    let mut registry = Registry::new(HALL, port, STORE_BYTES, key::load_or_create(&files)?.public_key())?;
    certificates::create(&files, &registry.hall, &NAMES.map(str::to_owned))?;
    let added_ms = Timestamp::now().as_millisecond();
    for (name, dir) in machines {
        let own = files_in(dir)?;
        fs::copy(files.ca(), own.ca()).with_context(|| format!("{} cannot be written", own.ca().display()))?;
        registry.machines.push(Machine { name: name.clone(), key: key::load_or_create(&own)?.public_key(), added_ms });
    }
    LockedRegistry::lock(&files)?.save(&registry)?;
    Ok(files)
}

fn files_in(dir: &Path) -> anyhow::Result<HallFiles> {
    let state = state_dir(dir);
    fs::create_dir_all(&state).with_context(|| format!("{} cannot be created", state.display()))?;
    let files = HallFiles::of(&state);
    files.create_dir()?;
    Ok(files)
}

impl Server {
    /// Starts the server of a hall that was set up with this port. `dir`: for its log.
    pub(super) fn start(program: PathBuf, files: &HallFiles, dir: &Path, port: u16) -> anyhow::Result<Server> {
        server::check_config(&program, files)?;
        let (config, dir) = (files.server_config(), dir.to_owned());
        let mut server = Server { process: None, program, config, dir, port };
        server.restart()?;
        Ok(server)
    }

    /// Kills it, as `kill -9` does.
    pub(super) fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill();
        }
    }

    /// Fails if it has ended by itself.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        self.process.as_mut().map_or(Ok(()), ChildProcess::still_runs)
    }

    /// Starts it, or starts it again; returns when it listens.
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        self.kill();
        let end = Instant::now() + START_TIMEOUT;
        let mut process = self.spawn()?;
        loop {
            std::thread::sleep(START_POLL_INTERVAL);
            let is_running = process.still_runs();
            let is_over = Instant::now() > end;
            match is_running {
                Ok(()) if self.listens() => {
                    self.process = Some(process);
                    return Ok(());
                }
                Ok(()) if is_over => bail!("nats-server did not listen within {} s", START_TIMEOUT.as_secs()),
                Err(error) if is_over => return Err(error),
                Ok(()) => {}
                // For a moment, a connection of another program may have had the port.
                Err(_) => {
                    std::thread::sleep(RESTART_PAUSE);
                    process = self.spawn()?;
                }
            }
        }
    }

    fn listens(&self) -> bool {
        let stream = TcpStream::connect(("127.0.0.1", self.port));
        // While nothing listens there, TCP may connect a port with itself.
        stream.is_ok_and(|stream| stream.local_addr().ok() != stream.peer_addr().ok())
    }

    fn spawn(&self) -> anyhow::Result<ChildProcess> {
        let mut command = Command::new(&self.program);
        // Of this computer alone.
        command.arg("-c").arg(&self.config).args(["-a", "127.0.0.1", "-p", &self.port.to_string()]);
        command.stdout(Stdio::null()).process_group(0);
        ChildProcess::spawn("nats-server", command, &self.dir)
    }
}
