//! Certabo boards: a chip in every piece and an antenna under every square. USB serial, 38400 baud, 8N1.
//!
//! # Frames
//!
//! Board to computer, unrequested, several times a second:
//!
//! | line | meaning | becomes |
//! |---|---|---|
//! | `:` and 320 decimal numbers, one space between two, ` \r\n` | 64 squares from a8, b8 … to h1, five bytes each: the chip read there; `0 0 0 0 0` none | [`Reading::Placement`] at first, [`Reading::Square`] for changes |
//! | `L` | acknowledges plain lights | nothing |
//! | `D` | acknowledges coloured lights (Tabutronic) | nothing |
//!
//! Computer to board:
//!
//! | bytes | meaning | sent |
//! |---|---|---|
//! | 8 | lights: rank 8 first, bit 0 is the a-file | all off as a greeting; on request |
//!
//! No other bytes are ever sent. Two patterns are at least 600 ms apart, and a pattern that is not acknowledged is sent three
//! times.
//!
//! Frames have been seen broken by line feeds every 64 characters, also within a number; joined; truncated; preceded by junk;
//! and with bit 7 set at random. Bit 7 and line feeds are ignored. A line ends with a carriage return, the next `:`, an
//! acknowledgement, or 60 ms without a byte. It is valid if it contains 320 numbers from 0 to 255. All other lines are
//! [`ProtocolError::Garbage`]. A line has about a thousand bytes, so if one byte in a hundred is damaged, no line is valid.
//! Therefore the numbers of a damaged line that can be identified are used: a square that cannot be read shows the majority of
//! its last three readings. Lines of eight numbers come from another board ([`super::tabutronic`]) and are reported as such.
//!
//! # Chips
//!
//! A chip identifies itself, but not the piece that it is in; that has to be learned. The start position is recognised when its 32
//! squares hold chips, each the same in more than half of seven frames, and no other square does. Every unknown chip is then
//! assigned the piece that belongs on its square. What is learned is added to what is known ([`Reading::Calibration`]; the caller
//! stores it for this board and passes it back with [`Protocol::restore`]), so several sets may be used on one board.
//!
//! * *Orientation*: two rows of unknown chips look the same from both sides. A known chip or spare queens (below) decide the
//!   orientation. Otherwise White is assumed to be on the side of the maker's a1 until a first piece has left its rows: that piece
//!   is White's. If it came from the other side, the colours of the whole set are swapped, and the start position is reported again
//!   in the correct orientation, followed by the move. Nothing is stored before that.
//! * *Spare queens*: Black's on d6 and White's on d3 beside the start position, one or both, are learned with it. With them **all**
//!   chips are learned anew, whatever was known: this is how a wrong calibration is corrected.
//! * *Another set, or a new piece*: unknown chips are learned when the start position is on the board. If known chips contradict
//!   the start position (Chess960, or two pieces swapped), nothing is learned. With an unknown set the first game has to be an
//!   ordinary one.
//! * *An unknown chip on the first or last rank* in mid-game, read in three frames and with the first two bytes of a known chip:
//!   the new piece of a promoted pawn. It is assumed to be a queen of the player whose last rank it is on. This does not happen
//!   after a restart in mid-game, because the orientation at the start of the game is then unknown.
//! * Any other unknown chip is not a piece: **empty squares read garbage**, 23 % of them in the frames that were seen, with a
//!   different random id each time.
//!
//! A square shows what two of the last three frames say. A piece that one frame shows on another square, and no longer on its own,
//! has been moved there, and is reported at once.
//!
//! # Sources
//!
//! The maker's own programs, the free drivers picochess, certabo-lichess and those of mono424 and BearChess, and some thirty frames
//! of two sets that their tests hold.
//!
//! # Unknown
//!
//! * *unknown*: the frame rate of the board. The speed of the line allows 3 to 5 frames a second.
//! * *unknown*: whether line feeds within numbers come from the board or from the capture.
//! * *unknown*: whether an empty square can read the same garbage three times. In the frames seen none did.
//! * *unknown*: the effect of DTR and RTS; some drivers set them, some do not.
//! * Boards that imitate this one send the kind of piece as `0 0 0 0 kind`: one id for several pieces. It is learned like any
//!   other.
//!
//! # Silence
//!
//! The board is never polled. After five seconds without a readable frame it counts as silent, whatever bytes arrive.

pub(super) mod chips;
mod recent_readings;

use super::shared::streamed::board::{Dialect, StreamItem, StreamingBoard};
use super::shared::streamed::lights::{Leds, LightController, PLAIN_LIGHTS};
use super::shared::streamed::line::{Item, LineDecoder};
use super::*;
use chips::{ChipEvent, Chips};
use recent_readings::RecentReadings;
use shakmaty::Square;

pub use super::shared::streamed::lights::{PATTERN_ATTEMPTS, PATTERN_INTERVAL};
pub use super::shared::streamed::voter::SILENCE_TIMEOUT;
pub use chips::LEARNING_FRAMES;

/// Certabo boards over USB.
pub static MODEL: Model = Model {
    name: "certabo",
    title: "Certabo",
    sensing: SensorKind::Identity,
    connection: Connection::Serial(SerialSettings { baud: 38_400, control: ControlLines::Asserted }),
    bluetooth: Some(Bluetooth::Gatt(&bluetooth::NORDIC_UART)),
    usb: &[UsbId::adapter(0x10c4, 0xea60)],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[PLAIN_LIGHTS],
    virtual_board: VirtualBoardKind::Certabo,
    limitations: CHIP_LIMITATIONS,
    protocol: || board(Some(Leds::Plain)),
};

/// Limits of boards that read chips.
pub(super) const CHIP_LIMITATIONS: &[&str] = &[
    "which piece a chip is in, before the start position has been on the board once",
    "which way round an unknown set of pieces was set up, until the first move",
    "which piece a pawn was promoted to, if its chip is new to the board: a queen is assumed, and the arbiter is alerted",
    "whether a piece was touched without leaving its square",
    "which hand moved a piece",
];

/// Number of frames that vote on each square.
const VOTES: usize = 3;
/// Number of numbers in a frame.
const NUMBERS: usize = 320;

/// Creates a board that reads chips, with lights of this kind; `None`: the kind is detected from the board's acknowledgement.
pub(super) fn board(leds: Option<Leds>) -> Box<dyn Protocol> {
    let numbers = LineDecoder::new(
        NUMBERS,
        "Sentio, Tactum and self-built reed boards send such lines: set model = \"sentio\" or \"reed\"",
    );
    Box::new(StreamingBoard::new(
        Certabo { numbers, chips: Chips::default(), recent_readings: RecentReadings::default() },
        VOTES,
        Some(LightController::new(leds)),
    ))
}

struct Certabo {
    numbers: LineDecoder,
    chips: Chips,
    recent_readings: RecentReadings,
}

impl Dialect for Certabo {
    fn forget(&mut self) {
        self.numbers.forget();
        self.chips.forget();
        self.recent_readings = RecentReadings::default();
    }

    fn feed(&mut self, now: Millis, byte: u8, items: &mut Vec<StreamItem>) {
        for item in self.numbers.feed(now, byte).into_iter().flatten() {
            self.item(item, items);
        }
    }

    fn deadline(&self) -> Option<Millis> {
        self.numbers.deadline()
    }

    fn handle_timeout(&mut self, items: &mut Vec<StreamItem>) {
        if let Some(item) = self.numbers.handle_timeout() {
            self.item(item, items);
        }
    }

    fn restore(&mut self, calibration: &str) {
        self.chips.restore(calibration);
    }
}

impl Certabo {
    fn item(&mut self, item: Item, items: &mut Vec<StreamItem>) {
        let (numbers, is_complete) = match item {
            Item::Other(other) => return items.push(other),
            Item::Line(numbers) => (numbers.into_iter().map(Some).collect(), true),
            Item::Damaged(numbers, bytes) => {
                items.push(StreamItem::ProtocolError(ProtocolError::Garbage(bytes)));
                (numbers, false)
            }
        };
        let mut ids = [None; 64];
        for (numbers, square) in numbers.as_chunks::<5>().0.iter().zip(from_a8()) {
            let [a, b, c, d, e] = *numbers;
            ids[square as usize] = a.zip(b).zip(c).zip(d).zip(e).map(|((((a, b), c), d), e)| [a, b, c, d, e]);
        }
        let Some(ids) = self.recent_readings.read(&ids) else { return };
        let mut events = Vec::new();
        self.chips.frame(ids, &mut events);
        items.extend(events.into_iter().map(|event| match event {
            ChipEvent::Start(squares) => StreamItem::CorrectedPlacement(squares),
            ChipEvent::CalibrationChanged => StreamItem::Calibration(self.chips.text()),
            ChipEvent::Assumed(squares) => StreamItem::ProtocolError(ProtocolError::AssumedQueens(squares)),
        }));
        let placement = self.chips.placement();
        items.push(if is_complete { StreamItem::Frame(placement) } else { StreamItem::PartialFrame(placement) });
    }
}

/// Returns the squares in the order in which these boards send them: a8, b8 … h1.
pub(super) fn from_a8() -> impl Iterator<Item = Square> {
    Square::ALL.into_iter().map(Square::flip_vertical)
}
