//! The code with which a machine joins a hall: a secret, and the fingerprint of the hall's CA.
//!
//! It has 24 symbols of Crockford's Base32 in groups of four: 52 random bits, the first 63 bits of the SHA-256 of the CA's
//! certificate, and a check symbol. 52 bits are enough for a secret that is valid for minutes and can only be tried by
//! connecting. To find another certificate with the same 63 bits, somebody between both machines would have to make about 2⁶³
//! certificates while the hall exists.

use super::{SetupError, key};
use crate::daemon::random;
use nkeys::KeyPair;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// How long a code is valid, in milliseconds.
pub const VALIDITY_MS: i64 = 15 * 60 * 1000;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const SYMBOLS: usize = 24;
const GROUP: usize = 4;
const SECRET_BITS: u32 = 52;
const FINGERPRINT_BITS: u32 = 63;

/// A code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JoinCode {
    secret: u64,
    fingerprint: Fingerprint,
}

/// The first 63 bits of the SHA-256 of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Returns the fingerprint of a certificate in DER.
    pub fn of(certificate: &[u8]) -> Fingerprint {
        let hash = Sha256::digest(certificate);
        let first = hash.iter().take(8).fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
        Fingerprint(first >> (u64::BITS - FINGERPRINT_BITS))
    }
}

/// The reason why a text is not a code; the message says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCode {
    /// It has another number of symbols.
    #[error(
        "a code has 24 letters and digits, this one has {0}: copy the whole line that `touchmovectl hall add` printed at the hub"
    )]
    Length(usize),
    /// It has a character that no code has.
    #[error("a code has no {0:?}: copy the line that `touchmovectl hall add` printed at the hub")]
    Character(char),
    /// A symbol is wrong, or two are swapped.
    #[error("the code has a typing error: compare it with the line that `touchmovectl hall add` printed at the hub")]
    Check,
}

impl JoinCode {
    /// Makes a new code for the hall with this CA, whose certificate is in DER.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub fn generate(ca: &[u8]) -> Result<JoinCode, SetupError> {
        let mut bytes = [0; 8];
        random::fill(&mut bytes).map_err(SetupError::NoRandomNumbers)?;
        let secret = u64::from_be_bytes(bytes) >> (u64::BITS - SECRET_BITS);
        Ok(JoinCode { secret, fingerprint: Fingerprint::of(ca) })
    }

    /// Returns the fingerprint of the hall's CA.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Returns the key with which the holder of the code connects.
    ///
    /// # Errors
    /// The key cannot be made.
    pub fn key(&self) -> Result<KeyPair, SetupError> {
        let seed = Sha256::new().chain_update(b"touchmove hall join 1\n").chain_update(self.secret.to_be_bytes()).finalize();
        key::from_raw_seed(seed.into())
    }

    /// Returns the values of all symbols but the last.
    fn values(&self) -> impl Iterator<Item = u8> {
        let bits = u128::from(self.secret) << FINGERPRINT_BITS | u128::from(self.fingerprint.0);
        (0..SYMBOLS - 1).rev().map(move |place| u8::try_from(bits >> (5 * place) & 31).unwrap_or_default())
    }
}

/// Returns the check symbol of these values, by Damm's algorithm in the field of 32 elements: it finds every wrong symbol and
/// every two neighbours that are swapped. With the check symbol at the end, the result is 0.
fn check(values: impl Iterator<Item = u8>) -> u8 {
    let double = |value: u8| if value & 16 == 0 { value << 1 } else { value << 1 ^ 0b10_0101 };
    values.fold(0, |interim, value| double(interim ^ value))
}

impl fmt::Display for JoinCode {
    /// Writes the code in groups with hyphens between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, value) in self.values().chain([check(self.values())]).enumerate() {
            if index > 0 && index % GROUP == 0 {
                f.write_str("-")?;
            }
            let symbol = ALPHABET.get(usize::from(value)).copied().unwrap_or(b'0');
            write!(f, "{}", char::from(symbol))?;
        }
        Ok(())
    }
}

/// Does not show the secret.
impl fmt::Debug for JoinCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinCode").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

impl FromStr for JoinCode {
    type Err = BadCode;

    /// Parses a code, in upper or lower case, with or without hyphens and spaces, with O for 0 and I or L for 1.
    fn from_str(text: &str) -> Result<JoinCode, BadCode> {
        let values: Vec<u8> =
            text.chars().filter(|char| !char.is_whitespace() && *char != '-').map(value).collect::<Result<_, _>>()?;
        if values.len() != SYMBOLS {
            return Err(BadCode::Length(values.len()));
        }
        if check(values.iter().copied()) != 0 {
            return Err(BadCode::Check);
        }
        let bits = values.iter().take(SYMBOLS - 1).fold(0, |bits: u128, value| bits << 5 | u128::from(*value));
        let low = |bits: u128, count: u32| u64::try_from(bits & ((1 << count) - 1)).unwrap_or_default();
        let fingerprint = Fingerprint(low(bits, FINGERPRINT_BITS));
        Ok(JoinCode { secret: low(bits >> FINGERPRINT_BITS, SECRET_BITS), fingerprint })
    }
}

/// Returns the value of a symbol.
fn value(symbol: char) -> Result<u8, BadCode> {
    let standard = match symbol.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    let position = ALPHABET.iter().position(|known| char::from(*known) == standard);
    position.and_then(|value| u8::try_from(value).ok()).ok_or(BadCode::Character(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code() -> JoinCode {
        JoinCode { secret: 0xF_EDCB_A987_6543, fingerprint: Fingerprint::of(b"a certificate") }
    }

    #[test]
    fn people_type_codes_in_many_ways() {
        let written = code().to_string();
        assert_eq!(written.len(), SYMBOLS + SYMBOLS / GROUP - 1);
        let (upper, lower) = (written.replace('-', " "), written.to_lowercase());
        for typed in [written.clone(), upper, lower, written.replace('0', "o").replace('1', "l"), written.replace('-', "")] {
            assert_eq!(typed.parse(), Ok(code()), "{typed}");
        }
        assert_eq!(format!("{written}0").parse::<JoinCode>(), Err(BadCode::Length(25)));
        assert_eq!("".parse::<JoinCode>(), Err(BadCode::Length(0)));
        assert_eq!(written.replace('-', "_").parse::<JoinCode>(), Err(BadCode::Character('_')));
    }

    #[test]
    fn typing_errors_are_found() {
        let written: Vec<char> = code().to_string().replace('-', "").chars().collect();
        let parse = |symbols: &[char]| symbols.iter().collect::<String>().parse::<JoinCode>();
        for place in 0..written.len() {
            for symbol in ALPHABET.iter().map(|byte| char::from(*byte)).filter(|symbol| *symbol != written[place]) {
                let mut wrong = written.clone();
                wrong[place] = symbol;
                assert_eq!(parse(&wrong), Err(BadCode::Check));
            }
            if place > 0 && written[place] != written[place - 1] {
                let mut wrong = written.clone();
                wrong.swap(place, place - 1);
                assert_eq!(parse(&wrong), Err(BadCode::Check));
            }
        }
    }

    #[test]
    fn the_key_follows_from_the_secret_alone() {
        let other_hall = JoinCode { fingerprint: Fingerprint::of(b"another"), ..code() };
        let public = |code: JoinCode| code.key().unwrap().public_key();
        assert_eq!(public(code()), public(other_hall));
        assert_ne!(public(code()), public(JoinCode { secret: 1, ..code() }));
        assert!(key::is_public_key(&public(code())));
        assert!(!format!("{:?}", code()).contains("secret"));
    }
}
