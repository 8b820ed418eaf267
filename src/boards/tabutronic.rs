//! Tabutronic boards: Cerno reads chips, Sentio and Tactum see whether something stands on a square. USB serial, 38400 baud, 8N1.
//!
//! # Frames
//!
//! Board to computer, unasked, several times a second:
//!
//! | board | line | what | becomes |
//! |---|---|---|---|
//! | Cerno, Cerno Spectrum | `:` and 320 numbers | as of a Certabo, see [`super::certabo`] | as there |
//! | Sentio, Sentio Spectrum, Tactum | `:` and 8 decimal numbers, ` \r\n` | ranks 8, 7 … 1; **bit 7 is the a-file**, bit 0 the h-file; set: something stands there | [`Reading::Placement`] at first, [`Reading::Square`] for what changes |
//! | plain lights | `L` | they are as asked for | nothing |
//! | Spectrum | `D` | they are as asked for | nothing |
//!
//! `:255 255 0 0 0 0 255 255` is the start position, `…255 254` the same without a piece on h1.
//!
//! Computer to board:
//!
//! | bytes | what | sent |
//! |---|---|---|
//! | 8 | plain lights: rank 8 first, **bit 0 is the a-file** | dark as a greeting; as asked for |
//! | 247: `ff 55`, 81 × red, green, blue, `0d 0a` | Spectrum: lights at the corners of squares, nine rows of nine, the first at the corner of h1, then towards a1, row after row towards rank 8 | the same |
//!
//! Which lights a board has is not known before it has acknowledged one pattern or the other: until then both are sent in turn.
//! Two patterns are 600 ms apart.
//!
//! How lines are told from junk is as of a Certabo; a line feed ends a line of eight numbers, too. A line of 320 numbers from a board
//! that is configured as a Sentio, and one of eight from one that is configured as a Cerno, says which model to set.
//!
//! # Where this comes from
//!
//! The free drivers picochess, BearChess and those of mono424, and three lines in their tests.
//!
//! # Unknown
//!
//! * *unknown*: the USB ids; the bridge is most likely the one of Certabo.
//! * *unknown*: how often a line comes, and whether a Sentio says something while nothing moves. Silence is what a Certabo's is: five
//!   seconds without a line.
//! * *unknown*: how bright the lights of a Spectrum may be on its cable; they are kept weak.
//! * Nothing on these lines has a checksum: a square shows what two of the last three lines say.

use super::certabo::lights::Lamps;
use super::certabo::numbers::{Item, Numbers};
use super::certabo::stream::{Dialect, Heard, Stream};
use super::*;

/// Tabutronic Sentio, Sentio Spectrum and Tactum.
pub static MODEL: Model = Model {
    name: "sentio",
    title: "Tabutronic Sentio, Tactum",
    sensing: Sensing::Occupancy,
    connection: Connection::Serial(Line { baud: 38_400, control: ControlLines::Asserted }),
    usb: &[UsbId::adapter(0x10c4, 0xea60)],
    lights: Lights::Squares,
    clock: Clocks::None,
    tested: Tested::Frames,
    cannot: &["whether a piece was touched without leaving its square", "which hand moved a piece"],
    protocol: || {
        let numbers = Numbers::new(RANKS, "Certabo and Cerno send such lines: set model = \"certabo\" or \"cerno\"");
        Box::new(Stream::new(Sentio { numbers }, VOTES, Some(Lamps::new(None))))
    },
};

/// Tabutronic Cerno and Cerno Spectrum.
pub static CERNO: Model = Model {
    name: "cerno",
    title: "Tabutronic Cerno",
    sensing: Sensing::Identity,
    connection: Connection::Serial(Line { baud: 38_400, control: ControlLines::Asserted }),
    usb: &[UsbId::adapter(0x10c4, 0xea60)],
    lights: Lights::Squares,
    clock: Clocks::None,
    tested: Tested::Frames,
    cannot: certabo::CANNOT,
    protocol: || certabo::board(None),
};

/// A line's squares are told by so many votes.
const VOTES: usize = 3;
/// Numbers in a line.
const RANKS: usize = 8;

struct Sentio {
    numbers: Numbers,
}

impl Dialect for Sentio {
    fn forget(&mut self) {
        self.numbers.forget();
    }

    fn feed(&mut self, now: Millis, byte: u8, heard: &mut Vec<Heard>) {
        heard.extend(self.numbers.feed(now, byte).into_iter().flatten().map(read));
    }

    fn deadline(&self) -> Option<Millis> {
        self.numbers.deadline()
    }

    fn quiet(&mut self, heard: &mut Vec<Heard>) {
        heard.extend(self.numbers.quiet().map(read));
    }
}

fn read(item: Item) -> Heard {
    match item {
        Item::Line(ranks) => Heard::Frame(Some(squares(&ranks))),
        Item::Damaged(_, bytes) => Heard::Trouble(Trouble::Garbage(bytes)),
        Item::Heard(other) => other,
    }
}

/// Eight numbers, rank 8 first, bit 7 the a-file.
pub(super) fn squares(ranks: &[u8]) -> Box<Placement> {
    let mut squares = Box::new([Sensed::Empty; 64]);
    for (index, square) in certabo::from_a8().enumerate() {
        if ranks.get(index / 8).is_some_and(|rank| rank >> (7 - index % 8) & 1 == 1) {
            squares[square as usize] = Sensed::Occupied;
        }
    }
    squares
}
