//! Message 8d: the times of the clock, or its acknowledgement of a command.
//!
//! | byte | times |
//! |---|---|
//! | 0 | right half: low nibble hours 0–9; bit 4 flag fallen and clock stopped by it, bit 5 increment or delay, bit 6 flag shown |
//! | 1, 2 | right half: minutes, seconds, binary-coded decimal |
//! | 3–5 | left half, likewise |
//! | 6 | bit 0 running, 1 lever high on the right, 2 battery low, 3 left's turn, 4 right's turn, 5 no clock (times mean nothing) |
//!
//! Left and right are as seen from the front of the clock. Times are whole seconds and at most one second old. Byte 6 is the only
//! source for the position of the lever.
//!
//! A low nibble `a` in byte 0 or 3 marks an acknowledgement, either of a command (none is sent here) or sent by the clock itself,
//! e.g. after a button press. Some Bluetooth boards send seven zeros after one.

use crate::boards::{ClockHalf, ClockReading, HalfTime, Reading};

/// Id of the message.
pub(crate) const ID: u8 = 0x8d;

/// Decodes the message. Returns `None` if it contains no times.
///
/// # Errors
///
/// Returns a description of the content that is impossible.
pub(crate) fn read(payload: &[u8]) -> Result<Option<Reading>, String> {
    let &[right_hours, right_minutes, right_seconds, left_hours, left_minutes, left_seconds, status] = payload else {
        return Err(format!("clock message of {} bytes", payload.len() + 3));
    };
    let is_acknowledgement = right_hours & 0x0f == 0x0a || left_hours & 0x0f == 0x0a;
    if is_acknowledgement || payload.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    if status & 0x20 != 0 {
        return Ok(Some(Reading::Clock(None)));
    }
    let turn = match status & 0x18 {
        0x08 => ClockHalf::Left,
        0x10 => ClockHalf::Right,
        // Neither bit or both bits are set. The lever is high on the side whose turn it is.
        _ if status & 0x02 != 0 => ClockHalf::Right,
        _ => ClockHalf::Left,
    };
    Ok(Some(Reading::Clock(Some(ClockReading {
        left: half(left_hours, left_minutes, left_seconds)?,
        right: half(right_hours, right_minutes, right_seconds)?,
        turn,
        running: status & 0x01 != 0,
        battery_low: status & 0x04 != 0,
        resolution_ms: 1000,
        age_ms: 1000,
    }))))
}

fn half(hours: u8, minutes: u8, seconds: u8) -> Result<HalfTime, String> {
    let digits = |byte: u8| (byte >> 4 <= 5 && byte & 0x0f <= 9).then_some(u32::from(byte >> 4) * 10 + u32::from(byte & 0x0f));
    match (u32::from(hours & 0x0f), digits(minutes), digits(seconds)) {
        (h @ 0..=9, Some(m), Some(s)) => Ok(HalfTime { ms: ((h * 60 + m) * 60 + s) * 1000, flag: hours & 0x50 != 0 }),
        _ => Err(format!("clock time {hours:02x} {minutes:02x} {seconds:02x}")),
    }
}
