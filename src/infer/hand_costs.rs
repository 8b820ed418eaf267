//! How often players, clocks and boards act in each way, as costs: the figures of the error model that habits decide. They can be
//! fitted to recordings, by `touchmovectl fit-hands` (`lab::fit_hands`), and configured.

use super::model::Cost;

/// Generates the kinds of events, and a struct with a cost for each of them.
macro_rules! hand_events {
    ($($event:ident $name:ident = $cost:literal, $about:literal, $source:literal;)+) => {
        /// A kind of event whose frequency depends on the habits of the players and on the board.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum HandEvent {
            $(#[doc = $about] $event,)+
        }

        /// The cost of each kind of event: its improbability where it could happen, in sixteenths of a bit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct HandCosts {
            $(#[doc = $about] pub $name: Cost,)+
        }

        impl HandEvent {
            /// Every kind.
            pub const ALL: &[HandEvent] = &[$(HandEvent::$event),+];

            /// Returns its name in the configuration.
            pub const fn name(self) -> &'static str {
                match self { $(HandEvent::$event => stringify!($name),)+ }
            }

            /// Returns what the event is, and how often it could happen.
            pub const fn about(self) -> &'static str {
                match self { $(HandEvent::$event => $about,)+ }
            }

            /// Returns the same with the source of the default cost.
            pub const fn doc(self) -> &'static str {
                match self { $(HandEvent::$event => concat!($about, "\n", $source),)+ }
            }

            /// Returns where the default cost is from.
            pub const fn source(self) -> &'static str {
                match self { $(HandEvent::$event => $source,)+ }
            }

            /// Returns the default cost, as text.
            pub const fn default_text(self) -> &'static str {
                match self { $(HandEvent::$event => stringify!($cost),)+ }
            }
        }

        impl Default for HandCosts {
            fn default() -> HandCosts {
                HandCosts { $($name: $cost,)+ }
            }
        }

        impl HandCosts {
            /// Returns the cost of an event of this kind.
            pub fn get(&self, event: HandEvent) -> Cost {
                match event { $(HandEvent::$event => self.$name,)+ }
            }

            /// Sets the cost of an event of this kind.
            pub fn set(&mut self, event: HandEvent, cost: Cost) {
                match event { $(HandEvent::$event => self.$name = cost,)+ }
            }
        }
    };
}

hand_events! {
    SilentCapture silent_capture = 8,
        "Per capture: the square of the captured piece was never seen empty.",
        "Measured on a DGT board: 25 of 35.";
    SeenCapture seen_capture = 28,
        "Per capture: the captured piece was seen to leave.",
        "Measured on a DGT board: 10 of 35.";
    StrayTouch stray_touch = 80,
        "Per move: a square that is unrelated to the move changed: a piece was brushed, bumped or adjusted.",
        "Measured on a DGT board: 1 %, mostly neighbours.";
    FirstStop first_stop = 74,
        "Per move: the piece stopped on its way, on a square where the move might have ended.",
        "Measured on a DGT board: 8 of 199.";
    FurtherStop further_stop = 25,
        "Per stop: the piece stopped once more.",
        "Assumed: one in three. One game on a DGT board: 1 of 3.";
    SeenBackwards seen_backwards = 85,
        "Per move without a capture: the piece was seen on its last square long before it had left the first.",
        "Measured on a DGT board: 4 of 157.";
    CapturedUnseen captured_unseen = 85,
        "Per piece that is captured at once: it was on its square for less than a scan, and not seen there.",
        "Fitted to simulated blitz games: 48 of 2051. One game on a DGT board: 0 of 6.";
    TriedElsewhere tried_elsewhere = 106,
        "Per move: a piece was put down somewhere and lifted again without a move.",
        "Assumed: 1 %. One game on a DGT board: 1 of 54.";
    PutBack put_back = 50,
        "Per move: a piece was lifted and put back on its square.",
        "Assumed: 10 %. One game on a DGT board: 0 of 54.";
    LiftedOutOfTurn lifted_out_of_turn = 90,
        "Per move: a piece was lifted out of turn: adjusted, or because the game was over.",
        "Assumed: 2 %. One game on a DGT board: 0 of 56.";
    ReplyWhileHeld reply_while_held = 122,
        "Per move: the reply began while the mover still held the piece.",
        "Assumed: 0.5 %.";
    ReplyBeforePress reply_before_press = 12,
        "Per move with a clock: the reply was seen before the press was reported, which may be up to a second late.",
        "Measured on a DGT board and clock: 73 of 199.";
    PressBeforeScan press_before_scan = 69,
        "Per press: it was reported before the square of the piece was scanned.",
        "Assumed: 5 %.";
    MoveWithoutPress move_without_press = 44,
        "Per move with a clock: no press was reported; two presses within a second cancel out.",
        "Assumed: 15 %.";
    PressWithoutMove press_without_move = 106,
        "Per press: no move was seen.",
        "Assumed: 1 %.";
    KingsSignal kings_signal = 90,
        "Per move: the game is over, and the kings are put in the centre for its result.",
        "Assumed: as a piece that is lifted out of turn.";
    OtherPieceChosen other_piece_chosen = 220,
        "Per promotion with a piece chosen on the board's own buttons: the pawn was promoted to another one.",
        "Assumed: one in ten thousand, which outweighs that bishops are rare.";
    StuckSquare stuck_square = 224,
        "Per square of a board: it is stuck.",
        "Assumed: one square of one board in 250.";
}

impl HandCosts {
    /// The maximum cost: one in 33 million. What costs more is never weighed against anything.
    pub const MAX: Cost = 400;

    /// Returns the first kind whose cost is out of range, with its cost.
    pub fn out_of_range(&self) -> Option<(HandEvent, Cost)> {
        let costs = HandEvent::ALL.iter().map(|&event| (event, self.get(event)));
        costs.into_iter().find(|(_, cost)| !(0..=HandCosts::MAX).contains(cost))
    }
}
