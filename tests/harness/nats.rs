//! A NATS server for tests.

use super::{eventually, installed};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A running nats-server with JetStream. Dropping it kills it.
pub struct NatsServer {
    program: PathBuf,
    dir: TempDir,
    /// More lines for its configuration.
    extra: String,
    /// Its storage, in bytes; `None`: what it chooses.
    storage: Option<u64>,
    port: u16,
    server: Option<Child>,
}

impl NatsServer {
    /// Starts the server that is installed, or that `TOUCHMOVE_NATS_SERVER` names; returns `None`, with a message, if there is none.
    pub fn start() -> Option<NatsServer> {
        NatsServer::start_with("", None)
    }

    /// Like [`NatsServer::start`], with more lines for its configuration, and this storage in bytes.
    pub fn start_with(extra: &str, storage: Option<u64>) -> Option<NatsServer> {
        let program = std::env::var_os("TOUCHMOVE_NATS_SERVER").map(PathBuf::from);
        if program.is_none() && !installed("nats-server") {
            return None;
        }
        let program = program.unwrap_or_else(|| PathBuf::from("nats-server"));
        let dir = tempfile::tempdir().unwrap();
        let mut server = NatsServer { program, dir, extra: extra.to_owned(), storage, port: 0, server: None };
        server.restart();
        Some(server)
    }

    /// The port on which it listens. It stays the same when the server is started again.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its process id; 0: it does not run.
    #[allow(dead_code)] // for benches
    pub fn pid(&self) -> u32 {
        self.server.as_ref().map_or(0, Child::id)
    }

    /// Kills it, as `kill -9` does.
    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }

    /// Removes everything that it has stored. It must not be running.
    pub fn forget(&self) {
        let _ = std::fs::remove_dir_all(self.dir.path().join("store"));
    }

    /// Keeps a copy of what it has stored. It must not be running.
    pub fn save(&self) {
        copy(&self.dir.path().join("store"), &self.dir.path().join("saved"));
    }

    /// Replaces what it has stored by the copy, if there is one, as if its last messages had not reached the disk before a power cut. It
    /// must not be running.
    pub fn go_back(&self) {
        let saved = self.dir.path().join("saved");
        if saved.exists() {
            self.forget();
            copy(&saved, &self.dir.path().join("store"));
        }
    }

    /// Starts it, or starts it again; returns when it listens.
    pub fn restart(&mut self) {
        self.kill();
        let ports = self.dir.path().join("ports");
        let _ = std::fs::remove_dir_all(&ports);
        std::fs::create_dir(&ports).unwrap();
        let port = if self.port == 0 { -1 } else { i32::from(self.port) };
        let config = format!(
            "listen: \"127.0.0.1:{port}\"\nports_file_dir: {ports:?}\nmax_payload: 262144\njetstream {{ store_dir: {store:?}{storage} }}\n{}",
            self.extra,
            storage = self.storage.map_or_else(String::new, |bytes| format!(", max_file_store: {bytes}")),
            store = self.dir.path().join("store"),
        );
        let file = self.dir.path().join("nats.conf");
        std::fs::write(&file, config).unwrap();
        let program = self.program.clone();
        let spawn = || Command::new(&program).arg("-c").arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = self.server.insert(spawn());
        self.port = eventually("nats-server listens", || {
            // A connection of another program may have its port at this moment.
            if server.try_wait().unwrap().is_some() {
                *server = spawn();
            }
            let written = std::fs::read_dir(&ports).ok()?.next()?.ok()?;
            let ports: serde_json::Value = serde_json::from_slice(&std::fs::read(written.path()).ok()?).ok()?;
            ports["nats"][0].as_str()?.rsplit_once(':')?.1.parse().ok()
        });
    }
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    let status = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(status.success());
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
