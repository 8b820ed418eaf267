//! Characters into replies, whatever happened to them; and commands into bytes.

/// What a byte completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A reply: its letter, and what stands between that and the block check.
    Reply(u8, Vec<u8>),
    /// So many bytes before this one belonged to nothing.
    Skipped(usize),
}

/// The reply that is being read, as seven-bit characters, from its letter on.
#[derive(Default)]
pub struct Frames {
    reply: Vec<u8>,
    skipped: usize,
}

impl Frames {
    /// Takes the next byte, whatever its parity: some boards send it wrong, and every reply has a block check. What it
    /// completed is told by [`Frames::next`], until there is nothing more.
    pub fn feed(&mut self, byte: u8) {
        self.reply.push(byte & 0x7f);
    }

    /// The next thing that is complete.
    pub fn next(&mut self) -> Option<Item> {
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

    /// Whether the last byte left something unfinished.
    pub fn is_inside(&self) -> bool {
        !self.reply.is_empty() || self.skipped > 0
    }

    /// Nothing follows: how many bytes belonged to nothing.
    pub fn give_up(&mut self) -> usize {
        std::mem::take(&mut self.skipped) + std::mem::take(&mut self.reply).len()
    }

    fn drop_first(&mut self) {
        self.reply.remove(0);
        self.skipped += 1;
    }
}

/// The length of a reply, by its letter.
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

/// A command as it goes on the line: its block check at the end, odd parity in bit 7.
pub fn command(text: &str) -> Vec<u8> {
    let checked = format!("{text}{:02X}", check(text.as_bytes()));
    checked.bytes().map(|byte| if byte.count_ones().is_multiple_of(2) { byte | 0x80 } else { byte }).collect()
}

/// All characters, exclusive-or.
fn check(text: &[u8]) -> u8 {
    text.iter().fold(0, |sum, char| sum ^ char)
}

/// The number that these hexadecimal digits say.
pub fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
