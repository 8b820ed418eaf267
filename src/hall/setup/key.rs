//! The keys with which machines connect: nkeys, which are Ed25519 keys in the text form of NATS.

use super::SetupError;
use super::paths::{HallFiles, SECRET};
use crate::daemon::random;
use nkeys::{KeyPair, KeyPairType};
use std::io;
use std::path::Path;

/// Returns the secret key of this machine, which is made if there is none yet.
///
/// # Errors
/// The file cannot be read or written, or holds something else.
pub fn load_or_create(files: &HallFiles) -> Result<KeyPair, SetupError> {
    if let Some(key) = load(&files.key())? {
        return Ok(key);
    }
    let mut seed = [0; 32];
    random::fill(&mut seed).map_err(SetupError::NoRandomNumbers)?;
    let key = from_raw_seed(seed)?;
    let seed = key.seed().map_err(|_| SetupError::InvalidKey(files.key()))?;
    files.write(&files.key(), &format!("{seed}\n"), SECRET)?;
    Ok(key)
}

/// Reads a secret key; `None`: there is no such file.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn load(path: &Path) -> Result<Option<KeyPair>, SetupError> {
    let Some(text) = HallFiles::read(path)? else { return Ok(None) };
    let key = KeyPair::from_seed(text.trim()).ok().filter(|key| matches!(key.key_pair_type(), KeyPairType::User));
    key.map(Some).ok_or_else(|| SetupError::InvalidKey(path.to_owned()))
}

/// Returns the key of a user of NATS with this secret.
pub(super) fn from_raw_seed(seed: [u8; 32]) -> Result<KeyPair, SetupError> {
    let no_key = |error: nkeys::error::Error| SetupError::NoRandomNumbers(io::Error::other(error.to_string()));
    KeyPair::new_from_raw(KeyPairType::User, seed).map_err(no_key)
}

/// Returns whether a text is the public half of the key of a user.
pub fn is_public_key(text: &str) -> bool {
    // A user's key begins with U; that of an account or a server could be given the rights of a machine, but never used.
    text.len() == 56 && text.starts_with('U') && KeyPair::from_public_key(text).is_ok()
}
