//! The address of a Bluetooth device.

use std::fmt;
use std::str::FromStr;

/// The address of a Bluetooth device, by which a board is known whatever its name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address([u8; 6]);

impl Address {
    /// Returns the object path of this device at BlueZ, on the adapter with this path.
    pub(super) fn path_on(&self, adapter: &str) -> String {
        format!("{adapter}/dev_{}", self.to_string().replace(':', "_"))
    }
}

/// Formats the address as BlueZ does: `AA:BB:CC:DD:EE:FF`.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02X}:{b:02X}:{c:02X}:{d:02X}:{e:02X}:{g:02X}")
    }
}

impl FromStr for Address {
    type Err = ();

    /// Parses six pairs of hexadecimal digits with colons between them, in upper or lower case.
    fn from_str(text: &str) -> Result<Address, ()> {
        let mut bytes = [0; 6];
        let mut pairs = text.split(':');
        for byte in &mut bytes {
            let pair = pairs.next().filter(|pair| pair.len() == 2 && pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
            *byte = u8::from_str_radix(pair.ok_or(())?, 16).map_err(drop)?;
        }
        if pairs.next().is_some() { Err(()) } else { Ok(Address(bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_text() {
        let address: Address = "aa:0b:CC:00:ff:10".parse().unwrap();
        assert_eq!(address.to_string(), "AA:0B:CC:00:FF:10");
        assert_eq!(address.path_on("/org/bluez/hci0"), "/org/bluez/hci0/dev_AA_0B_CC_00_FF_10");
        for text in ["", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:00", "AA-BB-CC-DD-EE-FF", "A:BB:CC:DD:EE:FF", "+A:BB:CC:DD:EE:FF"]
        {
            assert_eq!(text.parse::<Address>(), Err(()), "{text}");
        }
    }
}
