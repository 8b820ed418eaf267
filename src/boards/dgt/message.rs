//! Decodes messages. A message with impossible content becomes a [`ProtocolError`]; nothing else of it is passed on.

use super::codes::{piece, square};
use super::{clock, memory};
use crate::boards::{Battery, Identity, Placement, ProtocolError, Reading, SquareState};

/// Id of an update.
pub(crate) const UPDATE: u8 = 0x8e;

/// Decodes a message. Returns `None` if it carries no information, e.g. an acknowledgement of the clock.
pub(crate) fn read(id: u8, payload: &[u8]) -> Option<Reading> {
    let reading = match (id, payload) {
        (0x86, codes) => dump(codes),
        (clock::ID, times) => return clock::read(times).unwrap_or_else(|error| Some(impossible(error))),
        (UPDATE, &[field, code]) => return Some(update(field, code)),
        (0x8f, bytes) => Ok(Reading::Memory(memory::read(bytes))),
        (0x90, &[high, low]) => {
            let address = u16::from(high) << 7 | u16::from(low);
            Ok(Reading::Identity(Identity::Text(format!("bus address {address}"))))
        }
        (0x91, digits) => match text(digits).split_whitespace().next() {
            Some(number) => Ok(Reading::Identity(Identity::SerialNumber(number.to_owned()))),
            None => Err("empty serial number".to_owned()),
        },
        (0x92, bytes) => Ok(Reading::Identity(Identity::Text(text(bytes)))),
        (0x93, &[major, minor]) => Ok(Reading::Identity(Identity::Version(format!("{major}.{minor}")))),
        (0xa0, &[percent, ref rest @ ..]) => battery(percent, rest),
        (0xa2, digits) => Ok(Reading::Identity(Identity::Text(format!("long serial number {}", text(digits))))),
        (0x90 | 0x93 | 0xa0, _) => Err(format!("message {id:02x} of {} bytes", payload.len() + 3)),
        _ => return Some(Reading::ProtocolError(ProtocolError::Unknown(id))),
    };
    Some(reading.unwrap_or_else(impossible))
}

fn impossible(error: String) -> Reading {
    Reading::ProtocolError(ProtocolError::InvalidContent(error))
}

fn update(field: u8, code: u8) -> Reading {
    match (square(field), piece(code)) {
        (Some(square), Some(sensed)) => Reading::Square(square, sensed),
        (Some(square), None) => impossible(format!("piece code {code:02x} on {square}")),
        (None, _) => impossible(format!("field {field:02x} is outside 00 to 3f")),
    }
}

fn dump(codes: &[u8]) -> Result<Reading, String> {
    let mut placement: Placement = [SquareState::Empty; 64];
    for (field, &code) in (0..64).zip(codes) {
        let square = square(field).ok_or_else(|| format!("field {field:02x} is outside 00 to 3f"))?;
        placement[square as usize] = piece(code).ok_or_else(|| format!("piece code {code:02x} on {square} in a board dump"))?;
    }
    Ok(Reading::Placement(Box::new(placement)))
}

/// Decodes the state of the battery. `rest` contains running and standby times, which are often "unknown", and finally the status.
fn battery(percent: u8, rest: &[u8]) -> Result<Reading, String> {
    if percent > 100 {
        return Err(format!("battery charge of {percent} %"));
    }
    let charging = match rest.get(7).map(|status| status & 0x03) {
        Some(0x01) => Some(true),
        Some(0x02) => Some(false),
        _ => None,
    };
    Ok(Reading::Battery(Battery { percent, charging }))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches(|char: char| char.is_whitespace() || char == '\0').to_owned()
}
