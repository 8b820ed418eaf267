//! Where and how a machine or the hub connects to the message server.

use crate::config::hall::{Hall, ServerUrl};
use std::path::{Path, PathBuf};

/// Where and how to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL of the server: `tls://host:4222`; `nats://` only to this machine.
    pub url: String,
    /// The file of the CA certificate by which the server's is checked; `None`: those that this machine trusts.
    pub ca: Option<PathBuf>,
    /// The seed of the key by which this machine logs in; `None`: the server needs none.
    pub seed: Option<String>,
    /// The name of the machine.
    pub machine: String,
}

impl Endpoint {
    /// Returns the endpoint of a configuration. Without TLS, which is possible only on this machine, no key is needed.
    ///
    /// # Errors
    /// The key cannot be read; a sentence.
    pub fn new(hall: &Hall, server: &ServerUrl, state_dir: &Path, machine: &str) -> Result<Endpoint, String> {
        let key_file = hall.key_file(state_dir);
        let seed = match std::fs::read_to_string(&key_file) {
            Ok(seed) => Some(seed.trim().to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !server.uses_tls() => None,
            Err(error) => {
                let file = key_file.display();
                return Err(format!(
                    "the key of this machine in the hall, {file}, cannot be read ({error}): run `sudo touchmovectl hall join` again"
                ));
            }
        };
        let ca = server.uses_tls().then(|| hall.ca_file(state_dir));
        Ok(Endpoint { url: server.to_string(), ca, seed, machine: machine.to_owned() })
    }
}
