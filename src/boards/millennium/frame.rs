//! Decodes replies and recovers from any damage to the bytes; encodes commands.

/// An item decoded from the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A reply: its letter, and the data between that and the block check.
    Reply(u8, Vec<u8>),
    /// The number of skipped bytes before this one that belonged to no reply.
    Skipped(usize),
}

/// The decoder, with the incomplete reply as seven-bit characters, including its letter.
#[derive(Default)]
pub(super) struct Frames {
    reply: Vec<u8>,
    skipped: usize,
}

impl Frames {
    /// Adds a byte and ignores its parity: some boards send it wrong, and every reply has a block check. [`Frames::next`] returns
    /// the completed items until there are no more.
    pub(super) fn feed(&mut self, byte: u8) {
        self.reply.push(byte & 0x7f);
    }

    /// Returns the next complete item.
    pub(super) fn next(&mut self) -> Option<Item> {
        loop {
            while !self.reply.is_empty() && !is_beginning(&self.reply) {
                self.drop_first();
            }
            let length = length(*self.reply.first()?)?;
            let reply = self.reply.get(..length)?;
            let (body, digits) = reply.split_at(length - 2);
            if hex(digits) != Some(check(body)) {
                self.drop_first();
            } else if self.skipped > 0 {
                return Some(Item::Skipped(std::mem::take(&mut self.skipped)));
            } else {
                let item = Item::Reply(reply[0], body[1..].to_vec());
                self.reply.drain(..length);
                return Some(item);
            }
        }
    }

    /// Whether the decoder has unfinished bytes.
    pub(super) fn is_inside(&self) -> bool {
        !self.reply.is_empty() || self.skipped > 0
    }

    /// Discards an incomplete reply because no more bytes follow, and returns the number of bytes that belonged to no reply.
    pub(super) fn discard(&mut self) -> usize {
        std::mem::take(&mut self.skipped) + std::mem::take(&mut self.reply).len()
    }

    fn drop_first(&mut self) {
        self.reply.remove(0);
        self.skipped += 1;
    }
}

/// Returns the length of a reply with this letter.
fn length(letter: u8) -> Option<usize> {
    match letter {
        b's' => Some(67),
        b'v' | b'w' | b'r' => Some(7),
        b'l' | b'x' => Some(3),
        _ => None,
    }
}

fn is_beginning(text: &[u8]) -> bool {
    let Some((letter, rest)) = text.split_first() else { return false };
    let Some(length) = length(*letter) else { return false };
    let squares = if *letter == b's' { 64 } else { 0 };
    let fits = |(at, char): (usize, &u8)| if at < squares { b".PNBRQKpnbrqk".contains(char) } else { char.is_ascii_hexdigit() };
    rest.iter().take(length - 1).enumerate().all(fits)
}

/// Encodes a command, with its block check at the end and odd parity in bit 7.
pub(super) fn command(text: &str) -> Vec<u8> {
    let checked = format!("{text}{:02X}", check(text.as_bytes()));
    checked.bytes().map(|byte| if byte.count_ones().is_multiple_of(2) { byte | 0x80 } else { byte }).collect()
}

/// Returns the exclusive-or of all characters.
fn check(text: &[u8]) -> u8 {
    text.iter().fold(0, |sum, char| sum ^ char)
}

/// Parses hexadecimal digits.
pub(super) fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
