//! Certabo boards: a chip in every piece, an antenna under every square. USB serial, 38400 baud, 8N1.
//!
//! # Frames
//!
//! Board to computer, unasked, several times a second:
//!
//! | line | what | becomes |
//! |---|---|---|
//! | `:` and 320 decimal numbers, one space between two, ` \r\n` | 64 squares from a8, b8 … to h1, five bytes each: the chip read there; `0 0 0 0 0` none | [`Reading::Placement`] at first, [`Reading::Square`] for what changes |
//! | `L` | plain lights are as asked for | nothing |
//! | `D` | coloured lights are (Tabutronic) | nothing |
//!
//! Computer to board:
//!
//! | bytes | what | sent |
//! |---|---|---|
//! | 8 | lights: rank 8 first, bit 0 is the a-file | dark as a greeting; as asked for |
//!
//! Nothing else is ever sent. Two patterns are 600 ms apart, and one that is not acknowledged is sent three times.
//!
//! Frames were seen broken by line feeds every 64 characters, also within a number; joined; cut; with junk before them; and with
//! bit 7 set at random. Bit 7 and line feeds are passed over; a line counts when a carriage return, the next `:` or an
//! acknowledgement ends it, or 60 ms without a byte, and when it holds 320 numbers from 0 to 255. All others are
//! [`Trouble::Garbage`]; at 38400 baud a line has a thousand bytes, so that where one in a hundred is damaged no line is whole. Of
//! a damaged line that counts whose numbers can be told apart: a square that cannot be read shows what most of its last three
//! readings tell. Lines of eight numbers are those of another board ([`super::tabutronic`]) and said to be.
//!
//! # Chips
//!
//! A chip says who it is and not what it is in: which piece that is, is learned. When the 32 squares of the start position hold
//! chips, each the same one in more than half of seven frames, and no other square does, what is not known of them is
//! taken for the piece that belongs there. What is learned is added to what is known ([`Reading::Calibration`]; the caller keeps it
//! for this board and gives it back with [`Protocol::restore`]), so that several sets may be used on one board.
//!
//! * *Which way round?* Two rows of unknown chips look the same from both sides. Where one of the chips is known it tells; spare queens
//!   tell (below); else White is taken to sit where the maker's a1 is, until a first piece has left its rows: that is White's, and if it
//!   came from the other side the whole set is taken for the other colour, the start position is told again the right way
//!   round, and the move after it. Nothing is kept before that.
//! * *Spare queens*: Black's on d6 and White's on d3 beside the start position, one or both, are learned with it. With them **all**
//!   is learned anew, whatever was known: this is how a wrong lesson is put right.
//! * *Another set, or a new piece*: the unknown chips are learned when the start position stands. If what is known of others says
//!   that it is no start position (one of Chess960, or two pieces swapped), nothing is learned: of an unknown set the first game has
//!   to be an ordinary one.
//! * *An unknown chip on the first or last rank* in the midst of a game, in three frames, and its first two bytes are those of a known
//!   one: a promoted pawn's new piece. It is taken for a queen of the player whose last rank it is. Not after a restart in
//!   mid-game, when nobody has seen which way round the game began.
//! * Every other chip is no piece at all: **empty squares read garbage**, 23 % of them in the frames that were seen, some other random
//!   id each time.
//!
//! A square shows what two of the last three frames say. A piece that one frame shows on another square and no more on its own has
//! been carried there, and is told at once.
//!
//! # Where this comes from
//!
//! The maker's own programs, the free drivers picochess, certabo-lichess and those of mono424 and BearChess, and some thirty frames
//! of two sets that their tests hold.
//!
//! # Unknown
//!
//! * *unknown*: how often a board sends a frame. The line's speed allows 3 to 5 a second.
//! * *unknown*: whether line feeds within numbers come from the board or from how the frames were captured.
//! * *unknown*: whether an empty square can read the same garbage three times. In the frames seen none did.
//! * *unknown*: what DTR and RTS do; some drivers set them, some do not.
//! * Boards that imitate this one tell the kind of piece as `0 0 0 0 kind`: one id for several pieces, which is learned as well.
//!
//! # Silence
//!
//! The board is never asked for anything. Without a whole frame for five seconds it counts as silent, whatever bytes come.

pub(super) mod chips;
mod damaged;
mod lately;
pub(super) mod lights;
pub(super) mod numbers;
pub(super) mod stream;
pub(super) mod watch;

use super::*;
use chips::{Chips, News};
use lately::Lately;
use lights::Lamps;
use numbers::{Item, Numbers};
use stream::{Dialect, Heard, Leds, Stream};

pub use chips::FRAMES;
pub use lights::{SPACING, TIMES};
pub use watch::SILENT;

/// Certabo over USB.
pub static MODEL: Model = Model {
    name: "certabo",
    title: "Certabo",
    sensing: Sensing::Identity,
    connection: Connection::Serial(Line { baud: 38_400, control: ControlLines::Asserted }),
    usb: &[UsbId::adapter(0x10c4, 0xea60)],
    lights: Lights::Squares,
    clock: Clocks::None,
    tested: Tested::Frames,
    cannot: CANNOT,
    protocol: || board(Some(Leds::Plain)),
};

/// What boards that read chips cannot know.
pub(super) const CANNOT: &[&str] = &[
    "which piece a chip is in, before the start position has stood on it once",
    "which way round a set stands that it has never seen, before the first move",
    "which piece a pawn was promoted to, if its chip is new to the board: a queen is assumed, and the arbiter is alerted",
    "whether a piece was touched without leaving its square",
    "which hand moved a piece",
];

/// A frame's numbers are told by so many votes.
const VOTES: usize = 3;
/// Numbers in a frame.
const NUMBERS: usize = 320;

/// A board that reads chips, with lights of this kind; `None`: of one that its answer will tell.
pub(super) fn board(leds: Option<Leds>) -> Box<dyn Protocol> {
    let numbers = Numbers::new(
        NUMBERS,
        "Sentio, Tactum and reed boards of one's own send such lines: set model = \"sentio\" or \"reed\"",
    );
    Box::new(Stream::new(
        Certabo { numbers, chips: Chips::default(), lately: Lately::default() },
        VOTES,
        Some(Lamps::new(leds)),
    ))
}

struct Certabo {
    numbers: Numbers,
    chips: Chips,
    lately: Lately,
}

impl Dialect for Certabo {
    fn forget(&mut self) {
        self.numbers.forget();
        self.chips.forget();
        self.lately = Lately::default();
    }

    fn feed(&mut self, now: Millis, byte: u8, heard: &mut Vec<Heard>) {
        for item in self.numbers.feed(now, byte).into_iter().flatten() {
            self.item(item, heard);
        }
    }

    fn deadline(&self) -> Option<Millis> {
        self.numbers.deadline()
    }

    fn quiet(&mut self, heard: &mut Vec<Heard>) {
        if let Some(item) = self.numbers.quiet() {
            self.item(item, heard);
        }
    }

    fn restore(&mut self, calibration: &str) {
        self.chips.restore(calibration);
    }
}

impl Certabo {
    fn item(&mut self, item: Item, heard: &mut Vec<Heard>) {
        let (numbers, whole) = match item {
            Item::Heard(other) => return heard.push(other),
            Item::Line(numbers) => (numbers.into_iter().map(Some).collect(), true),
            Item::Damaged(numbers, bytes) => {
                heard.push(Heard::Trouble(Trouble::Garbage(bytes)));
                (numbers, false)
            }
        };
        let mut ids = [None; 64];
        for (numbers, square) in numbers.as_chunks::<5>().0.iter().zip(from_a8()) {
            let [a, b, c, d, e] = *numbers;
            ids[square as usize] = a.zip(b).zip(c).zip(d).zip(e).map(|((((a, b), c), d), e)| [a, b, c, d, e]);
        }
        let Some(ids) = self.lately.read(&ids) else { return };
        let mut news = Vec::new();
        self.chips.frame(ids, &mut news);
        heard.extend(news.into_iter().map(|news| match news {
            News::Start(squares) => Heard::Before(squares),
            News::Keep => Heard::Calibration(self.chips.text()),
            News::Assumed(squares) => Heard::Trouble(Trouble::Assumed(squares)),
        }));
        let placement = self.chips.placement();
        heard.push(if whole { Heard::Frame(placement) } else { Heard::Filled(placement) });
    }
}

/// The squares in the order in which these boards tell them: a8, b8 … h1.
pub(super) fn from_a8() -> impl Iterator<Item = Square> {
    Square::ALL.into_iter().map(Square::flip_vertical)
}
