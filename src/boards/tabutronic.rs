//! Tabutronic boards: Cerno reads chips, Sentio and Tactum detect whether a square is occupied. USB serial, 38400 baud, 8N1.
//!
//! # Frames
//!
//! Board to computer, unrequested, several times a second:
//!
//! | board | line | meaning | becomes |
//! |---|---|---|---|
//! | Cerno, Cerno Spectrum | `:` and 320 numbers | as of a Certabo, see [`super::certabo`] | as there |
//! | Sentio, Sentio Spectrum, Tactum | `:` and 8 decimal numbers, ` \r\n` | ranks 8, 7 … 1; **bit 7 is the a-file**, bit 0 the h-file; set: occupied | [`Reading::Placement`] at first, [`Reading::Square`] for changes |
//! | plain lights | `L` | acknowledges a pattern | nothing |
//! | Spectrum | `D` | acknowledges a pattern | nothing |
//!
//! `:255 255 0 0 0 0 255 255` is the start position, `…255 254` the same without a piece on h1.
//!
//! Computer to board:
//!
//! | bytes | meaning | sent |
//! |---|---|---|
//! | 8 | plain lights: rank 8 first, **bit 0 is the a-file** | all off as a greeting; on request |
//! | 247: `ff 55`, 81 × red, green, blue, `0d 0a` | Spectrum: lights at the corners of squares, nine rows of nine, the first at the corner of h1, then towards a1, row after row towards rank 8 | the same |
//!
//! The kind of lights is unknown until the board has acknowledged one form of pattern: until then both are sent in turn. Two
//! patterns are at least 600 ms apart.
//!
//! Lines are separated from junk as for a Certabo, except that a line feed also ends a line of eight numbers. A line of 320 numbers
//! from a board configured as a Sentio, or one of eight from a board configured as a Cerno, causes a report of the model to
//! configure.
//!
//! # Sources
//!
//! The free drivers picochess, BearChess and those of mono424, and three lines in their tests.
//!
//! # Unknown
//!
//! * *unknown*: the USB ids; the bridge is most likely the same as Certabo's.
//! * *unknown*: the interval between lines, and whether a Sentio sends anything while nothing moves. As for a Certabo, a board is
//!   silent after five seconds without a line.
//! * *unknown*: how bright the lights of a Spectrum may be on its cable; they are kept dim.
//! * The lines have no checksum: a square shows what two of the last three lines say.

use super::shared::streamed::board::{Dialect, StreamItem, StreamingBoard};
use super::shared::streamed::lights::{COLOURED_LIGHTS, LightController, PLAIN_LIGHTS};
use super::shared::streamed::line::{Item, LineDecoder};
use super::*;

/// Tabutronic Sentio, Sentio Spectrum and Tactum.
pub static MODEL: Model = Model {
    name: "sentio",
    title: "Tabutronic Sentio, Tactum",
    sensing: SensorKind::Occupancy,
    connection: Connection::Serial(SerialSettings { baud: 38_400, control: ControlLines::Asserted }),
    bluetooth: Some(Bluetooth::Gatt(&bluetooth::NORDIC_UART)),
    usb: &[UsbId::adapter(0x10c4, 0xea60)],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[PLAIN_LIGHTS, COLOURED_LIGHTS],
    virtual_board: VirtualBoardKind::Sentio,
    limitations: &["whether a piece was touched without leaving its square", "which hand moved a piece"],
    protocol: || {
        let numbers = LineDecoder::new(RANKS, "Certabo and Cerno send such lines: set model = \"certabo\" or \"cerno\"");
        Box::new(StreamingBoard::new(Sentio { numbers }, VOTES, Some(LightController::new(None))))
    },
};

/// Tabutronic Cerno and Cerno Spectrum.
pub static CERNO: Model = Model {
    name: "cerno",
    title: "Tabutronic Cerno",
    sensing: SensorKind::Identity,
    connection: Connection::Serial(SerialSettings { baud: 38_400, control: ControlLines::Asserted }),
    bluetooth: Some(Bluetooth::Gatt(&bluetooth::NORDIC_UART)),
    usb: &[UsbId::adapter(0x10c4, 0xea60)],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[PLAIN_LIGHTS, COLOURED_LIGHTS],
    virtual_board: VirtualBoardKind::Cerno,
    limitations: certabo::CHIP_LIMITATIONS,
    protocol: || certabo::board(None),
};

/// Number of lines that vote on each square.
const VOTES: usize = 3;
/// Number of numbers in a line.
const RANKS: usize = 8;

struct Sentio {
    numbers: LineDecoder,
}

impl Dialect for Sentio {
    fn forget(&mut self) {
        self.numbers.forget();
    }

    fn feed(&mut self, now: Millis, byte: u8, items: &mut Vec<StreamItem>) {
        items.extend(self.numbers.feed(now, byte).into_iter().flatten().map(read));
    }

    fn deadline(&self) -> Option<Millis> {
        self.numbers.deadline()
    }

    fn handle_timeout(&mut self, items: &mut Vec<StreamItem>) {
        items.extend(self.numbers.handle_timeout().map(read));
    }
}

fn read(item: Item) -> StreamItem {
    match item {
        Item::Line(ranks) => StreamItem::Frame(Some(squares(&ranks))),
        Item::Damaged(_, bytes) => StreamItem::ProtocolError(ProtocolError::Garbage(bytes)),
        Item::Other(other) => other,
    }
}

/// Decodes eight numbers, rank 8 first; bit 7 is the a-file.
pub(super) fn squares(ranks: &[u8]) -> Box<Placement> {
    let mut squares = Box::new([SquareState::Empty; 64]);
    for (index, square) in certabo::from_a8().enumerate() {
        if ranks.get(index / 8).is_some_and(|rank| rank >> (7 - index % 8) & 1 == 1) {
            squares[square as usize] = SquareState::Occupied;
        }
    }
    squares
}
