//! One-time codes for logging in to the page from a telephone, on which nobody types a token.
//!
//! **Invariants:** A code is 40 random bits, of which only the hash is kept, and only in memory. It ends with the first login, after
//! ten minutes, or after five wrong tries, whichever code they meant. After ten wrong tries within a minute no code is accepted
//! until that minute has passed; logins with tokens go on.

use super::tokens::{SecretHash, Token, TokenError, TokenStore};
use crate::daemon::random;
use crate::game::rights::Role;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a code is valid.
pub const CODE_LIFETIME: Duration = Duration::from_secs(600);
/// Number of wrong tries that end a code.
const MAX_WRONG_TRIES: u32 = 5;
/// Number of wrong tries within [`WRONG_TRIES_INTERVAL`] after which no code is accepted.
const MAX_RECENT_WRONG_TRIES: usize = 10;
const WRONG_TRIES_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum number of valid codes; a new one ends the oldest.
const MAX_CODES: usize = 64;
/// The digits of Crockford's base 32: no I, L, O and U.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// All valid codes.
#[derive(Default)]
pub struct LoginCodes(Mutex<CodeState>);

#[derive(Default)]
struct CodeState {
    codes: Vec<LoginCode>,
    /// The times of the last wrong tries.
    wrong_tries: VecDeque<Instant>,
}

struct LoginCode {
    hash: SecretHash,
    login: CodeLogin,
    expires: Instant,
    wrong_tries: u32,
}

/// The login for which a code was made.
#[derive(Clone, Debug)]
pub(super) struct CodeLogin {
    /// The name of the login, as in the journal.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Who made the code.
    pub maker: String,
    /// The token of who made it, with which the code ends; `None`: an administrator.
    pub maker_token: Option<SecretHash>,
}

/// The reason why a code is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeRefusal {
    /// There is no such code, or it is no longer valid.
    Wrong,
    /// There were too many wrong tries.
    TooManyWrongTries,
}

impl LoginCodes {
    /// Creates a code for one login with this name and role, such as `K3TQ-9ZPA`. `maker_token`: the token of the maker.
    ///
    /// # Errors
    /// The name is not valid or is in use, the tokens cannot be read, or the system provides no random numbers.
    pub fn create(
        &self,
        tokens: &TokenStore,
        name: &str,
        role: Role,
        maker: &str,
        maker_token: Option<&Token>,
    ) -> Result<String, TokenError> {
        tokens.check_code_name(name, maker)?;
        let code = generate_code()?;
        let (name, maker, maker_token) = (name.to_owned(), maker.to_owned(), maker_token.map(Token::hash));
        let login = CodeLogin { name, role, maker, maker_token };
        let expires = Instant::now() + CODE_LIFETIME;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A second code for a login is made because the first one did not arrive.
        state.codes.retain(|other| other.login.name != login.name);
        if state.codes.len() >= MAX_CODES {
            state.codes.remove(0);
        }
        state.codes.push(LoginCode { hash: hash(&code), login, expires, wrong_tries: 0 });
        Ok(code)
    }

    /// Ends a code, and returns its login.
    ///
    /// # Errors
    /// There is no such code, or codes are not accepted now.
    pub(super) fn redeem(&self, code: &str, now: Instant) -> Result<CodeLogin, CodeRefusal> {
        let hash = hash(code);
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.wrong_tries.retain(|at| now.saturating_duration_since(*at) < WRONG_TRIES_INTERVAL);
        if state.wrong_tries.len() >= MAX_RECENT_WRONG_TRIES {
            return Err(CodeRefusal::TooManyWrongTries);
        }
        state.codes.retain(|code| now < code.expires);
        // All codes are compared, so the time does not depend on which one matches.
        let found = (0..).zip(&state.codes).filter(|(_, code)| code.hash.is(&hash)).fold(None, |_, (index, _)| Some(index));
        if let Some(index) = found {
            return Ok(state.codes.remove(index).login);
        }
        state.wrong_tries.push_back(now);
        state.codes.iter_mut().for_each(|code| code.wrong_tries += 1);
        state.codes.retain(|code| code.wrong_tries < MAX_WRONG_TRIES);
        Err(CodeRefusal::Wrong)
    }
}

/// Generates a code of 40 random bits, in two groups.
fn generate_code() -> Result<String, TokenError> {
    let mut bits = [0; 8];
    random::fill(&mut bits).map_err(TokenError::NoRandomNumbers)?;
    let bits = u64::from_le_bytes(bits);
    let digit = |place: u64| char::from(DIGITS[(bits >> (5 * place)) as usize & 31]);
    let group = |first: u64| (first..first + 4).map(digit).collect::<String>();
    Ok(format!("{}-{}", group(0), group(4)))
}

/// Returns the hash of a code as a user types it: in any case, with or without the hyphen, and with digits for the letters that
/// look like them.
fn hash(code: &str) -> SecretHash {
    let digits = code.chars().filter(|digit| digit.is_ascii_alphanumeric()).map(|digit| match digit.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        digit => digit,
    });
    SecretHash::of(&digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn codes() -> (LoginCodes, TokenStore, TempDir) {
        let dir = tempfile::tempdir().expect("a directory");
        (LoginCodes::default(), TokenStore::of(dir.path()), dir)
    }

    #[test]
    fn a_code_is_for_one_login_however_it_is_typed() {
        let (codes, tokens, _dir) = codes();
        let now = Instant::now();
        for typed in
            [str::to_owned, str::to_lowercase, |code: &str| code.replace('-', " "), |code: &str| code.replace('0', "O")]
        {
            let code = codes.create(&tokens, "Ann's telephone", Role::Operator, "Anna", None).expect("a code");
            assert!(code.len() == 9 && code.bytes().all(|byte| byte == b'-' || DIGITS.contains(&byte)), "{code}");
            let login = codes.redeem(&typed(&code), now).expect("a login");
            assert_eq!((login.name.as_str(), login.role, login.maker.as_str()), ("Ann's telephone", Role::Operator, "Anna"));
            assert_eq!(codes.redeem(&code, now).err(), Some(CodeRefusal::Wrong));
            codes.0.lock().expect("a state").wrong_tries.clear();
        }
    }

    #[test]
    fn a_code_ends_after_ten_minutes_or_when_another_is_made_for_the_login() {
        let (codes, tokens, _dir) = codes();
        let create = |name: &str| codes.create(&tokens, name, Role::Operator, "Anna", None).expect("a code");
        let (first, second, other) = (create("one"), create("one"), create("two"));
        let now = Instant::now();
        assert!(
            codes.redeem(&first, now).is_err() && codes.redeem(&second, now + CODE_LIFETIME - Duration::from_secs(1)).is_ok()
        );
        assert!(codes.redeem(&other, now + CODE_LIFETIME).is_err());
        let many: Vec<String> = (0..=MAX_CODES).map(|index| create(&format!("login {index}"))).collect();
        assert!(codes.redeem(&many[0], now).is_err() && codes.redeem(&many[1], now).is_ok());
    }

    #[test]
    fn wrong_tries_end_codes_and_then_the_logins_of_a_minute() {
        let (codes, tokens, _dir) = codes();
        let create = || codes.create(&tokens, "one", Role::Operator, "Anna", None).expect("a code");
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let wrong = |count: u32, at| (0..count).map(|_| codes.redeem("0000-0000", at).err()).collect::<Vec<_>>();
        let code = create();
        assert_eq!(wrong(4, now), [Some(CodeRefusal::Wrong); 4]);
        assert!(codes.redeem(&code, now).is_ok(), "four wrong tries do not end it");
        let code = create();
        wrong(5, now + second);
        assert_eq!(codes.redeem(&code, now + second).err(), Some(CodeRefusal::Wrong), "five do");
        // That was the tenth wrong try within a minute.
        let code = create();
        assert_eq!(codes.redeem(&code, now + 59 * second).err(), Some(CodeRefusal::TooManyWrongTries));
        assert!(codes.redeem(&code, now + 60 * second).is_ok());
    }

    #[test]
    fn only_hashes_are_kept() {
        let (codes, tokens, _dir) = codes();
        let code = codes.create(&tokens, "one", Role::Operator, "Anna", None).expect("a code");
        let state = codes.0.lock().expect("a state");
        assert!(state.codes[0].hash.is(&SecretHash::of(&code.replace('-', ""))));
    }
}
