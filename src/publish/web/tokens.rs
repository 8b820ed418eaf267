//! Tokens for logging in to the page, stored as hashes in a file of the state directory.
//!
//! A token is 256 random bits, so a plain SHA-256 is enough: nobody can find the token by guessing.

use super::codes::CodeLogin;
use crate::daemon::random;
use crate::game::ErrorCode;
use crate::game::rights::Role;
use crate::wire::Word;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;
use subtle::ConstantTimeEq;

/// Maximum length of a token's name, in characters.
pub const MAX_NAME_LENGTH: usize = 40;
/// Lock file, held while tokens are created or revoked.
const LOCK_FILE: &str = "tokens.lock";
/// Names that the journal uses for commands given without a token.
const RESERVED_NAMES: [&str; 3] = ["clock", "configuration", "recording"];

/// A token without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The holder's name, as in the journal.
    pub name: String,
    /// What the holder may do.
    pub role: Role,
    /// When the token was created, in milliseconds since 1970-01-01 UTC.
    pub created_ms: i64,
    /// Who made the one-time code with which the holder logged in: the token is for that one session, and nobody knows its secret.
    /// `None`: an ordinary token.
    pub maker: Option<String>,
    hash: SecretHash,
}

impl Token {
    /// Returns whether this hash is the token's, in constant time.
    pub fn is(&self, hash: &SecretHash) -> bool {
        self.hash.is(hash)
    }

    /// Returns the hash of the token's secret.
    pub fn hash(&self) -> SecretHash {
        self.hash.clone()
    }
}

/// The SHA-256 of a secret. As text it is 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Hashes a secret.
    pub fn of(secret: &str) -> SecretHash {
        SecretHash(Sha256::digest(secret.as_bytes()).into())
    }

    /// Returns whether both are of the same secret, in constant time.
    pub fn is(&self, other: &SecretHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

/// The text is not a SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not a SHA-256 hash of 64 hexadecimal digits")]
pub struct BadHash;

impl FromStr for SecretHash {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<SecretHash, BadHash> {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|_| BadHash)?;
        bytes.try_into().map(SecretHash).map_err(|_| BadHash)
    }
}

/// Generates a secret of 256 random bits, as 64 hexadecimal digits.
///
/// # Errors
/// The system provides no random numbers.
pub fn generate_secret() -> Result<String, TokenError> {
    let mut bits = [0; 32];
    random::fill(&mut bits).map_err(TokenError::NoRandomNumbers)?;
    Ok(HEXLOWER.encode(&bits))
}

/// An error with tokens; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error(
        "{} cannot be {action} ({error}): run it as root or as the user of the service, `sudo touchmovectl token …`, or name another state directory with --state-dir", path.display()
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// The state directory does not exist.
    #[error("there is no {}: start touchmoved once, or name its state directory with --state-dir", .0.display())]
    NoState(PathBuf),
    /// The file is not a list of tokens.
    #[error("{} is not a list of tokens ({reason}): remove it, and create the tokens again", path.display())]
    InvalidList {
        /// The file.
        path: PathBuf,
        /// What is wrong with the file.
        reason: String,
    },
    /// The name is not valid for a token.
    #[error("{0:?} is not a name for a token: use 1 to {MAX_NAME_LENGTH} characters that name the holder in the journal")]
    BadName(String),
    /// There already is a token with this name.
    #[error("there is a token of {0} already: revoke it first with `touchmovectl token revoke`, or use another name")]
    NameTaken(String),
    /// There is no token with this name.
    #[error("there is no token of {0}: `touchmovectl token list` shows the tokens")]
    UnknownName(String),
    /// The system provides no random numbers.
    #[error("the system provides no random numbers ({0})")]
    NoRandomNumbers(io::Error),
}

impl TokenError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            TokenError::BadName(_) => ErrorCode::Invalid("BadName"),
            TokenError::NameTaken(_) => ErrorCode::Conflict("BadName"),
            TokenError::UnknownName(_) => ErrorCode::Unknown("BadName"),
            TokenError::Io { .. }
            | TokenError::NoState(_)
            | TokenError::InvalidList { .. }
            | TokenError::NoRandomNumbers(_) => ErrorCode::Unavailable("NotStored"),
        }
    }
}

/// The file of tokens in a state directory.
#[derive(Clone, Debug)]
pub struct TokenStore {
    dir: PathBuf,
}

/// A stamp that distinguishes versions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp(u64, u64, Option<SystemTime>);

#[derive(Serialize, Deserialize)]
struct StoredToken {
    name: String,
    role: String,
    created_ms: i64,
    sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maker: Option<String>,
}

impl TokenStore {
    /// Creates a handle for the tokens of this state directory.
    pub fn of(state_dir: &Path) -> TokenStore {
        TokenStore { dir: state_dir.to_owned() }
    }

    fn path(&self) -> PathBuf {
        self.dir.join("tokens.json")
    }

    /// Returns a stamp that changes whenever the file does; `None` if there is no file.
    pub fn stamp(&self) -> Option<FileStamp> {
        let file = fs::metadata(self.path()).ok()?;
        Some(FileStamp(file.ino(), file.len(), file.modified().ok()))
    }

    /// Returns all tokens; none if there is no file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a list of tokens.
    pub fn load(&self) -> Result<Vec<Token>, TokenError> {
        let path = self.path();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(TokenError::Io { path, action: "read", error }),
        };
        let stored: Result<Vec<StoredToken>, _> = serde_json::from_str(&text);
        stored
            .map_err(|error| error.to_string())
            .and_then(|stored| stored.into_iter().map(parse_stored_token).collect())
            .map_err(|error| {
                // Show nothing of the file's content.
                TokenError::InvalidList { path, reason: error }
            })
    }

    /// Creates a token and returns its secret, which is not stored.
    ///
    /// # Errors
    /// There is a token with that name, the name is not valid, or the file cannot be changed.
    pub fn create(&self, name: &str, role: Role, now_ms: i64) -> Result<String, TokenError> {
        check_name(name)?;
        self.change(|tokens| {
            if tokens.iter().any(|token| token.name == name) {
                return Err(TokenError::NameTaken(name.to_owned()));
            }
            let secret = generate_secret()?;
            let hash = SecretHash::of(&secret);
            tokens.push(Token { name: name.to_owned(), role, created_ms: now_ms, maker: None, hash });
            Ok(secret)
        })
    }

    /// Checks that this maker may make a code for a login with this name: it is valid, and at most an earlier login with a code of
    /// the same maker has it, which the new one replaces.
    ///
    /// # Errors
    /// The name is not valid, or in use, or the file cannot be read.
    pub(super) fn check_code_name(&self, name: &str, maker: &str) -> Result<(), TokenError> {
        check_name(name)?;
        check_not_taken(&self.load()?, name, maker)
    }

    /// Creates the token of a login with a code. Removes those of earlier such logins that have ended: `has_session` returns whether
    /// a token has a session.
    ///
    /// # Errors
    /// The name is in use now, or the file cannot be changed.
    pub(super) fn create_for_code(
        &self,
        login: &CodeLogin,
        now_ms: i64,
        has_session: impl Fn(&SecretHash) -> bool,
    ) -> Result<Token, TokenError> {
        let CodeLogin { name, role, maker, .. } = login.clone();
        self.change(|tokens| {
            tokens.retain(|token| token.maker.is_none() || has_session(&token.hash));
            check_not_taken(tokens, &name, &maker)?;
            tokens.retain(|token| token.name != name);
            let hash = SecretHash::of(&generate_secret()?);
            let token = Token { name, role, created_ms: now_ms, maker: Some(maker), hash };
            tokens.push(token.clone());
            Ok(token)
        })
    }

    /// Removes the tokens of logins with codes that have ended, as [`TokenStore::create_for_code`] does.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub(super) fn remove_ended(&self, has_session: impl Fn(&SecretHash) -> bool) -> Result<(), TokenError> {
        self.change(|tokens| {
            tokens.retain(|token| token.maker.is_none() || has_session(&token.hash));
            Ok(())
        })
    }

    /// Revokes a token, and those of the logins with codes that its holder made.
    ///
    /// # Errors
    /// There is no token with that name, or the file cannot be changed.
    pub fn revoke(&self, name: &str) -> Result<(), TokenError> {
        self.change(|tokens| {
            let count = tokens.len();
            tokens.retain(|token| token.name != name);
            if tokens.len() == count {
                return Err(TokenError::UnknownName(name.to_owned()));
            }
            tokens.retain(|token| token.maker.as_deref() != Some(name));
            Ok(())
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<Token>) -> Result<T, TokenError>) -> Result<T, TokenError> {
        // Lock, so that only one process changes the file at a time.
        let dir = match File::open(&self.dir) {
            Ok(dir) => dir,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(TokenError::NoState(self.dir.clone())),
            Err(error) => return Err(TokenError::Io { path: self.path(), action: "written", error }),
        };
        let write_error = |error| TokenError::Io { path: self.path(), action: "written", error };
        // The directory itself is locked by the process that has the journal open.
        let lock = open_private_file(&self.dir.join(LOCK_FILE), &dir, OpenOptions::new().write(true).create(true))
            .map_err(write_error)?;
        lock.lock().map_err(write_error)?;
        let mut tokens = self.load()?;
        let result = change(&mut tokens)?;
        self.write(&dir, &tokens).map_err(write_error)?;
        Ok(result)
    }

    /// Replaces the file atomically; only the owner of the directory, who is the user of the service, can read it.
    fn write(&self, dir: &File, tokens: &[Token]) -> io::Result<()> {
        let to_stored = |token: &Token| StoredToken {
            name: token.name.clone(),
            role: token.role.word().to_owned(),
            created_ms: token.created_ms,
            sha256: token.hash.to_string(),
            maker: token.maker.clone(),
        };
        let text = serde_json::to_string_pretty(&tokens.iter().map(to_stored).collect::<Vec<_>>())?;
        let new = self.dir.join(".tokens.json.new");
        let _ = fs::remove_file(&new);
        let result = open_private_file(&new, dir, OpenOptions::new().write(true).create_new(true))
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&new, self.path()))
            .and_then(|()| dir.sync_all());
        if result.is_err() {
            let _ = fs::remove_file(&new);
        }
        result
    }
}

/// Checks that a name is valid for a token.
fn check_name(name: &str) -> Result<(), TokenError> {
    let is_valid =
        (1..=MAX_NAME_LENGTH).contains(&name.chars().count()) && !name.chars().any(char::is_control) && name.trim() == name;
    if is_valid && !RESERVED_NAMES.contains(&name) { Ok(()) } else { Err(TokenError::BadName(name.to_owned())) }
}

/// Checks that no token has this name but one of a login with a code of this maker.
fn check_not_taken(tokens: &[Token], name: &str, maker: &str) -> Result<(), TokenError> {
    let is_other = |token: &Token| token.name == name && token.maker.as_deref() != Some(maker);
    if tokens.iter().any(is_other) { Err(TokenError::NameTaken(name.to_owned())) } else { Ok(()) }
}

/// Opens a file of this directory for its owner only, without following symbolic links.
fn open_private_file(path: &Path, dir: &File, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path)?;
    let owner = dir.metadata()?;
    if file.metadata()?.uid() != owner.uid() {
        fchown(&file, Some(owner.uid()), Some(owner.gid()))?;
    }
    Ok(file)
}

fn parse_stored_token(stored: StoredToken) -> Result<Token, String> {
    let StoredToken { name, role, created_ms, sha256, maker } = stored;
    let role =
        Role::from_word(&role).ok_or_else(|| format!("the role of {name} is none of operator, arbiter and administrator"))?;
    let hash = sha256.parse().map_err(|_| format!("the stored hash of the token of {name} is not a SHA-256 hash"))?;
    Ok(Token { name, role, created_ms, maker, hash })
}
