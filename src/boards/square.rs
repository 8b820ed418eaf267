//! What the squares of a board can detect, and what they report.

use shakmaty::{Color, Piece};

/// What the sensor of one square reports. One type for every kind of sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SquareState {
    /// The square is empty.
    Empty,
    /// This piece is on the square (RFID and coil boards).
    Piece(Piece),
    /// A piece of this colour is on the square (Hall sensors and polarised magnets).
    Side(Color),
    /// A piece is on the square (reed switches, light).
    Occupied,
}

impl SquareState {
    /// Returns what a sensor of this kind would have reported.
    pub fn reduce_to(self, sensing: SensorKind) -> SquareState {
        match (self, sensing) {
            (SquareState::Piece(piece), SensorKind::Colour) => SquareState::Side(piece.color),
            (SquareState::Piece(_) | SquareState::Side(_), SensorKind::Occupancy) => SquareState::Occupied,
            _ => self,
        }
    }
}

/// All 64 squares, indexed by `Square as usize` (a1 = 0, h8 = 63).
pub type Placement = [SquareState; 64];

/// What the squares of a board can detect, the most informative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SensorKind {
    /// Which piece is on a square.
    Identity,
    /// Which colour the piece on a square has.
    Colour,
    /// Whether a piece is on a square.
    Occupancy,
}

impl SensorKind {
    /// Returns what no board with such sensors can know, as phrases that continue "cannot know".
    pub fn limitations(self) -> &'static [&'static str] {
        match self {
            SensorKind::Identity => &[],
            SensorKind::Colour => &[
                "which piece a pawn was promoted to: a queen is assumed until later play or the arbiter corrects it",
                "whether two pieces of one colour have changed places",
                "whether the board is turned round or its magnets are reversed, until the first move: a turned board is assumed",
            ],
            SensorKind::Occupancy => &[
                "which piece was captured if its square was never seen empty: the likeliest capture is published until later play decides",
                "which piece a pawn was promoted to: a queen is assumed until later play or the arbiter corrects it",
                "whether two pieces have changed places",
                "which way round the start position was set up, until the first move",
                "which result the kings signal if one of them replaced another piece unnoticed: the arbiter decides",
            ],
        }
    }
}
