//! Self-built reed boards: any micro-controller that prints lines. 115200 baud, 8N1; over USB the speed has no meaning.
//!
//! # Frames
//!
//! Board to computer, at least once a second and after every change; `docs/reed-line.md` specifies the lines, with examples in C:
//!
//! | line | meaning | becomes |
//! |---|---|---|
//! | `:255 255 0 0 0 0 255 255` | the line of a Sentio: ranks 8, 7 … 1, bit 7 the a-file; set: occupied | a vote of three |
//! | `R1 17 ffff00000000ffff*f0` | the same with a sequence number and a checksum | reported at once |
//! | `R1 18 ffff00000000ffff b87*2d` | also the battery, in percent | [`Reading::Battery`] |
//! | `N1 club board 3*43` | the board's name, as its builder likes | [`Identity::Text`] |
//!
//! Computer to board: `?` and a line feed when the link comes up, and when all squares are requested. A board may reply with its
//! line at once, or ignore it.
//!
//! The checksum is CRC-8 with polynomial 07 and initial value 0 over everything before the `*`, as two hexadecimal digits. The
//! sequence number counts lines from 0 to 255 and wraps around; the same number as before means that the line was repeated.
//! Input in no valid format is [`ProtocolError::Garbage`]. Unknown words in a line with a correct checksum are ignored, and
//! lines of another version (`R2 …`) are [`ProtocolError::Unknown`].
//!
//! # Sources
//!
//! Most self-built boards can be made to print the first line, and several programs read it. The others were defined by this
//! project.
//!
//! # Unknown
//!
//! Nothing: the builder of a board decides. After five seconds without a valid line it counts as silent, so a board that prints
//! only changes has to repeat its last line.

use super::shared::streamed::board::{Dialect, StreamItem, StreamingBoard};
use super::shared::streamed::line::{Item, LineDecoder};
use super::tabutronic::squares;
use super::*;

/// Any micro-controller that prints lines.
pub static MODEL: Model = Model {
    name: "reed",
    title: "Self-built reed board",
    sensing: SensorKind::Occupancy,
    connection: Connection::Serial(SerialSettings { baud: 115_200, control: ControlLines::Asserted }),
    bluetooth: None,
    usb: &[UsbId::adapter(0x1a86, 0x7523), UsbId::adapter(0x10c4, 0xea60), UsbId::adapter(0x0403, 0x6001)],
    lights: Lights::None,
    clock: ClockSupport::None,
    verification: Verification::Specification,
    commands: &[CommandPattern::exact(REQUEST)],
    virtual_board: VirtualBoardKind::Reed,
    limitations: &["whether a piece was touched without leaving its square", "which hand moved a piece"],
    protocol: || {
        let numbers = LineDecoder::new(8, "Certabo and Cerno send such lines: set model = \"certabo\" or \"cerno\"");
        Box::new(StreamingBoard::new(Reed { numbers, line: None, sequence: None }, VOTES, None))
    },
};

/// Number of lines without a checksum that vote on each square.
const VOTES: usize = 3;
/// Maximum length of a line, in bytes.
const MAX_LINE: usize = 120;
/// The request for the line of squares.
const REQUEST: &[u8] = b"?\n";

struct Reed {
    numbers: LineDecoder,
    /// An incomplete line with a checksum.
    line: Option<Vec<u8>>,
    /// The sequence number of the last line with a checksum.
    sequence: Option<u8>,
}

impl Dialect for Reed {
    fn forget(&mut self) {
        self.numbers.forget();
        (self.line, self.sequence) = (None, None);
    }

    fn feed(&mut self, now: Millis, byte: u8, items: &mut Vec<StreamItem>) {
        match (&mut self.line, byte) {
            (Some(_), b'\r' | b'\n' | b':') => {
                let line = self.line.take().unwrap_or_default();
                items.extend(self.decode_checked(&line));
                if byte == b':' {
                    self.plain(now, byte, items);
                }
            }
            (Some(line), _) if line.len() < MAX_LINE => line.push(byte),
            (Some(line), _) => {
                items.push(StreamItem::ProtocolError(ProtocolError::Garbage(line.len() + 1)));
                self.line = None;
            }
            (None, b'R' | b'N') => {
                // This byte ends the line before it.
                self.plain(now, b'\r', items);
                self.line = Some(vec![byte]);
            }
            (None, _) => self.plain(now, byte, items),
        }
    }

    fn deadline(&self) -> Option<Millis> {
        self.numbers.deadline()
    }

    fn handle_timeout(&mut self, items: &mut Vec<StreamItem>) {
        items.extend(self.numbers.handle_timeout().map(read));
    }

    fn frame_request(&self) -> Option<&'static [u8]> {
        Some(REQUEST)
    }
}

impl Reed {
    fn plain(&mut self, now: Millis, byte: u8, items: &mut Vec<StreamItem>) {
        items.extend(self.numbers.feed(now, byte).into_iter().flatten().map(read));
    }

    /// Decodes a line with a checksum.
    fn decode_checked(&mut self, line: &[u8]) -> Vec<StreamItem> {
        let garbage = || vec![StreamItem::ProtocolError(ProtocolError::Garbage(line.len() + 1))];
        let text = std::str::from_utf8(line).ok().and_then(checked);
        let Some((kind, rest)) = text.and_then(|text| text.split_once(' ')) else { return garbage() };
        match kind {
            "N1" => vec![StreamItem::Identity(Identity::Text(rest.trim().to_owned()))],
            "R1" => self.squares(rest).unwrap_or_else(garbage),
            _ => vec![StreamItem::ProtocolError(ProtocolError::Unknown(line.get(1).copied().unwrap_or_default()))],
        }
    }

    fn squares(&mut self, text: &str) -> Option<Vec<StreamItem>> {
        let mut words = text.split_ascii_whitespace();
        let sequence: u8 = words.next()?.parse().ok()?;
        let ranks = words.next().filter(|word| word.len() == 16)?;
        let ranks = u64::from_str_radix(ranks, 16).ok()?;
        let mut items = Vec::new();
        if self.sequence.replace(sequence) != Some(sequence) {
            let percent = words.filter_map(|word| word.strip_prefix('b')?.parse().ok().filter(|percent| *percent <= 100));
            items.extend(percent.map(|percent| StreamItem::Battery(Battery { percent, charging: None })));
        }
        items.push(StreamItem::VerifiedFrame(squares(&ranks.to_be_bytes())));
        Some(items)
    }
}

fn read(item: Item) -> StreamItem {
    match item {
        Item::Line(ranks) => StreamItem::Frame(Some(squares(&ranks))),
        Item::Damaged(_, bytes) => StreamItem::ProtocolError(ProtocolError::Garbage(bytes)),
        Item::Other(other) => other,
    }
}

/// Returns the text before the checksum, if that is correct.
fn checked(line: &str) -> Option<&str> {
    let (text, sum) = line.trim_end().rsplit_once('*')?;
    let is_right = sum.len() == 2 && u8::from_str_radix(sum, 16).is_ok_and(|sum| sum == crc(text.as_bytes()));
    is_right.then_some(text)
}

/// Computes CRC-8 with polynomial 07 and initial value 0, without reflection or final XOR.
pub fn crc(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |crc, byte| (0..8).fold(crc ^ byte, |crc: u8, _| if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 0x07 }))
}
