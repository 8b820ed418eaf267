//! The registry of the machines of a hall: a file at the hub, from which the configuration of its message server follows.

use super::paths::{FOR_ARBITERS, HallFiles};
use super::{SetupError, code, key, server_config};
use crate::config::hall::is_name;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;

/// The version of the file.
const VERSION: u32 = 1;

/// A hall with its machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    v: u32,
    /// The name of the hall, which is that of the event.
    pub hall: String,
    /// The names that it had for earlier events, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<String>,
    /// The port of the message server.
    pub port: u16,
    /// Maximum size of the streams on disk, in bytes. nats-server cannot change it while it runs.
    pub store_bytes: u64,
    /// The public half of the hub's key.
    pub hub: String,
    /// The machines, by name.
    pub machines: Vec<Machine>,
    /// The names of machines that were removed and have not joined again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The codes with which machines may join.
    pub pending: Vec<PendingCode>,
}

/// A machine of a hall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// The public half of its key.
    pub key: String,
    /// When it joined, in milliseconds since 1970-01-01 UTC.
    pub added_ms: i64,
}

/// A code with which a machine may join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCode {
    /// The name of the machine.
    pub name: String,
    /// The public half of the key that follows from the code.
    pub key: String,
    /// When it expires, in milliseconds since 1970-01-01 UTC.
    pub expires_ms: i64,
    /// The public half of the key of the machine that has used it. That machine may ask again, in case the reply was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_by: Option<String>,
}

/// The reason why a machine may not join; the message is for the person at the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such code.
    #[error("the code is not known at the hub any more: run `touchmovectl hall add` there again")]
    Unknown,
    /// The code has expired.
    #[error("the code has expired: run `touchmovectl hall add` at the hub again")]
    Expired,
    /// Another machine has used the code.
    #[error("another machine has used this code: run `touchmovectl hall add` at the hub again, once for each machine")]
    Used,
    /// The key is not one of a user of NATS, or has another use in this hall.
    #[error("the key of this machine cannot be used: remove hall/machine.nk in its state directory, and join again")]
    BadKey,
}

impl PendingCode {
    /// Returns whether the code has expired. A code cannot be valid for longer than it was at first: then the clock was set
    /// back.
    fn is_expired(&self, now_ms: i64) -> bool {
        !(0..=code::VALIDITY_MS).contains(&self.expires_ms.saturating_sub(now_ms))
    }
}

impl Registry {
    /// Creates a registry without machines. `hub`: the public half of the hub's key.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn new(hall: &str, port: u16, store_bytes: u64, hub: String) -> Result<Registry, SetupError> {
        check_name(hall)?;
        let (earlier, machines, removed, pending) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Registry { v: VERSION, hall: hall.to_owned(), earlier, port, store_bytes, hub, machines, removed, pending })
    }

    /// Begins another event: gives the hall its name. Games that follow belong to it. Machines, codes and keys stay. An event of
    /// before can go on in this way. Returns whether the name has changed.
    ///
    /// # Errors
    /// The name is not valid. Nothing was changed.
    pub fn begin_event(&mut self, name: &str) -> Result<bool, SetupError> {
        check_name(name)?;
        if self.hall == name {
            return Ok(false);
        }
        let before = std::mem::replace(&mut self.hall, name.to_owned());
        self.earlier.retain(|earlier| *earlier != before && earlier != name);
        self.earlier.push(before);
        Ok(true)
    }

    /// Returns the earlier events whose streams are deleted: all but the last one. That stays, in case that the hub has not read
    /// it to its end.
    pub fn obsolete_events(&self) -> &[String] {
        self.earlier.split_last().map_or(&[], |(_, obsolete)| obsolete)
    }

    /// Returns the machine of this name.
    pub fn machine(&self, name: &str) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.name == name)
    }

    /// Returns the codes that can still be used.
    pub fn open_codes(&self, now_ms: i64) -> impl Iterator<Item = &PendingCode> {
        self.pending.iter().filter(move |code| code.used_by.is_none() && !code.is_expired(now_ms))
    }

    /// Adds a code for a machine, and removes earlier ones. `key`: the public half of the key that follows from the code.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn add_code(&mut self, name: &str, key: String, now_ms: i64) -> Result<(), SetupError> {
        check_name(name)?;
        self.pending.retain(|code| code.name != name && !code.is_expired(now_ms));
        let expires_ms = now_ms.saturating_add(code::VALIDITY_MS);
        self.pending.push(PendingCode { name: name.to_owned(), key, expires_ms, used_by: None });
        Ok(())
    }

    /// Removes a machine and its codes.
    ///
    /// # Errors
    /// There is no such machine and no code for it.
    pub fn remove(&mut self, name: &str) -> Result<(), SetupError> {
        let before = (self.machines.len(), self.pending.len());
        self.machines.retain(|machine| machine.name != name);
        self.pending.retain(|code| code.name != name);
        if before == (self.machines.len(), self.pending.len()) {
            return Err(SetupError::UnknownMachine(name.to_owned()));
        }
        if before.0 != self.machines.len() {
            self.removed.push(name.to_owned());
        }
        Ok(())
    }

    /// Admits the machine with this key for the code with that key, and returns its name. It replaces a machine of the same
    /// name. The same machine may repeat its request.
    ///
    /// # Errors
    /// The code cannot be used. Nothing was changed.
    pub fn admit(&mut self, code_key: &str, machine_key: &str, now_ms: i64) -> Result<String, Refusal> {
        let code = self.pending.iter_mut().find(|code| code.key == code_key).ok_or(Refusal::Unknown)?;
        let name = code.name.clone();
        match code.used_by.as_deref() {
            Some(used_by) if used_by == machine_key => return Ok(name),
            Some(_) => return Err(Refusal::Used),
            None if code.is_expired(now_ms) => return Err(Refusal::Expired),
            None => {}
        }
        // nats-server refuses a configuration with two users of one key.
        let is_taken = machine_key == self.hub
            || machine_key == code_key
            || self.machines.iter().any(|machine| machine.key == machine_key && machine.name != name);
        if is_taken || !key::is_public_key(machine_key) {
            return Err(Refusal::BadKey);
        }
        // The code stays in the list, and with it the connection over which the reply is sent.
        code.used_by = Some(machine_key.to_owned());
        self.removed.retain(|removed| *removed != name);
        self.machines.retain(|machine| machine.name != name);
        self.machines.push(Machine { name: name.clone(), key: machine_key.to_owned(), added_ms: now_ms });
        self.machines.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(name)
    }
}

/// Checks the name of a hall or a machine.
///
/// # Errors
/// It is not valid.
pub fn check_name(name: &str) -> Result<(), SetupError> {
    if is_name(name) { Ok(()) } else { Err(SetupError::InvalidName(name.to_owned())) }
}

/// The registry's file, locked against other processes until this value is dropped.
pub struct LockedRegistry {
    files: HallFiles,
    _lock: File,
}

impl LockedRegistry {
    /// Locks the file. Waits while another process has locked it.
    ///
    /// # Errors
    /// The lock file cannot be created.
    pub fn lock(files: &HallFiles) -> Result<LockedRegistry, SetupError> {
        let path = files.lock();
        let open = || -> io::Result<File> {
            let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
            files.give_to_owner(&path)?;
            file.lock()?;
            Ok(file)
        };
        Ok(LockedRegistry { files: files.clone(), _lock: open().map_err(SetupError::io(&path, "locked"))? })
    }

    /// Reads the registry; `None`: this machine is no hub.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn load(&self) -> Result<Option<Registry>, SetupError> {
        load(&self.files)
    }

    /// Stores the registry, and the configuration of the message server that follows from it.
    ///
    /// # Errors
    /// The write failed.
    pub fn save(&self, registry: &Registry) -> Result<(), SetupError> {
        let path = self.files.registry();
        let invalid = |error: serde_json::Error| SetupError::InvalidRegistry { path: path.clone(), reason: error.to_string() };
        let text = serde_json::to_string_pretty(registry).map_err(invalid)?;
        self.files.write(&path, &format!("{text}\n"), FOR_ARBITERS)?;
        self.files.write(&self.files.server_config(), &server_config::text(&self.files, registry), FOR_ARBITERS)
    }
}

/// Reads the registry without locking it; `None`: this machine is no hub.
///
/// # Errors
/// The file cannot be read, or is damaged.
pub fn load(files: &HallFiles) -> Result<Option<Registry>, SetupError> {
    let path = files.registry();
    let Some(text) = HallFiles::read(&path)? else { return Ok(None) };
    let invalid = |reason: String| SetupError::InvalidRegistry { path: path.clone(), reason };
    let registry: Registry = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    if registry.v != VERSION {
        return Err(invalid(format!("it has version {}, this touchmove reads version {VERSION}", registry.v)));
    }
    let machines = registry.machines.iter().map(|machine| &machine.name);
    let others = [&registry.hall].into_iter().chain(&registry.earlier).chain(&registry.removed);
    let mut names = machines.chain(registry.pending.iter().map(|code| &code.name)).chain(others);
    let wrong = names.find(|name| !is_name(name)).cloned();
    drop(names);
    match wrong {
        Some(name) => Err(invalid(format!("{name:?} is not a name"))),
        None => Ok(Some(registry)),
    }
}
