//! Rates and times of how people handle pieces and clocks, and of board and cable faults: one table for each profile.
//!
//! The rates of `club` and `blitz` are at least what was measured in three real blitz games on a DGT board (199 plies). Actions
//! that are too fast for a board that scans each square five times a second have a slightly higher rate, so that the rate that the
//! board *reports* also reaches the measured one. Figures without a measurement are marked *guess*.
//!
//! Each rate has its own random stream for each ply (or game, or square), and durations come from another stream for each ply. With
//! the same seed, enabling one rate therefore does not change the decisions of the others. Only times shift, by the duration of the
//! added acts, and with them the phase of the board's scan.

/// A range of milliseconds, both ends included; each value is equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub u32, pub u32);

/// Generates the table of rates: a struct field for each, and an enum of the same names, so that a rate can be named and looked up.
macro_rules! rates {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Rates of habits and faults, in thousandths.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Rates {
            $($(#[doc = $doc])+ pub $name: u32,)+
        }

        /// The names of the [`Rates`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(non_camel_case_types, reason = "the variants have the names of the fields and of the command-line options")]
        pub enum Rate {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Rate {
            /// Every rate.
            pub const ALL: &[Rate] = &[$(Rate::$name),+];

            /// Returns its name on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rate::$name => stringify!($name),)+
                }
            }

            /// Returns what the rate counts, its base, and the source of the figure.
            pub fn doc(self) -> &'static str {
                match self {
                    $(Rate::$name => concat!($($doc),+),)+
                }
            }
        }

        impl Rates {
            /// Returns the value of this rate, in thousandths.
            pub fn get(&self, rate: Rate) -> u32 {
                match rate {
                    $(Rate::$name => self.$name,)+
                }
            }

            /// Sets the rate of this name, in thousandths.
            pub fn set(&mut self, rate: Rate, thousandths: u32) {
                match rate {
                    $(Rate::$name => self.$name = thousandths,)+
                }
            }
        }
    };
}

rates! {
    /// Per move: the piece is slid over a square on which it could legally have stopped, and rests there for [`Times::stop`].
    /// Measured: seen in 8 of 199 moves.
    slide_stop,
    /// Per capture: the capturing piece replaces the captured piece, so that the square is never empty. Measured: 25 of 35.
    swap_capture,
    /// Per capture: the captured piece is lifted before the capturing piece. Measured: 7 of 35. In the remaining captures the
    /// capturing piece is lifted first, then the captured piece, then the capturing piece is put down. In en passant and
    /// promotion: the captured piece is lifted first.
    victim_first,
    /// Per move of one piece: the piece is seen on its destination before its source is seen empty. Measured: 4 of 157 moves
    /// without a capture.
    destination_first,
    /// Per move of one piece: the piece touches a third, empty square on its way. Measured: about 1 %.
    brush,
    /// Per move: a piece next to the destination is bumped, lifted and restored. Guess.
    bump,
    /// Per castling: the rook is moved first. Measured: 0 of 6; required: at least 5 % together with `castle_together`.
    rook_first,
    /// Per castling: king and rook are in the air at the same time and are put down in either order. Guess, see `rook_first`.
    castle_together,
    /// Per promotion: the new piece is put on the last rank, then the pawn is removed. Guess.
    queen_first,
    /// Per promotion: the pawn is pushed to the last rank and exchanged there. In the remaining promotions the pawn is removed,
    /// then the new piece is put down. Guess.
    pawn_pushed,
    /// Per promotion to a queen: another piece is chosen instead, if every later move of the game stays legal. Guess; in master
    /// games about 1 %.
    underpromote,
    /// Per move of one piece: the piece is held in the air for seconds before it is put down. Guess.
    hold,
    /// Per move of one piece: the piece is released between two squares, is seen on neither or on both, and is adjusted later,
    /// before or after the clock is pressed. Guess.
    between_squares,
    /// Per move: before the move, the piece that will move is lifted, held for a long time and put back. Guess.
    hesitate,
    /// Per move: before the move, another piece of the player to move is lifted, held for a long time and put back. Guess.
    change_mind,
    /// Per move: the opponent's reply begins before the clock is pressed. Required: 3 %, blitz 15 %.
    early_reply,
    /// Per early reply: the reply begins before the previous piece is put down, if the two moves share no square and the
    /// previous piece does not rest on its way. Guess.
    unsettled_reply,
    /// Per move: three consecutive plies within one second begin here. Guess.
    burst,
    /// Per move: before the move, the player to move lifts one of their pieces and puts it back on its square. Guess.
    adjust,
    /// Per move: before the move, the player to move adjusts two to four of their pieces at once. Guess.
    adjust_several,
    /// Per move: before the move, the opponent of the player to move adjusts one to four of their own pieces. Guess.
    adjust_off_turn,
    /// Per move: before the move, another legal move is made, perhaps answered, and taken back by agreement: one to three
    /// plies. Guess.
    takeback,
    /// Per takeback of one or three plies: the clock is pressed back, so that the time of the player who moves again runs.
    /// Guess.
    takeback_press,
    /// Per game: during the game one king is put in the centre, where it cannot legally go, and then put back. Guess.
    premature_king,
    /// Per game: the arbiter stops the clock, pieces are lifted or disturbed and restored, and play continues. Guess.
    arbiter_pause,
    /// Per game with a result: the kings are put in the centre to signal the result. Guess.
    kings_signal,
    /// Per result signal: both kings are lifted before either is put down. Guess.
    kings_together,
    /// Per game: after the game the players analyse it with the clock stopped: the same side may move twice, and several plies
    /// are taken back at once. Guess.
    analysis,
    /// Per game: the pieces are set up, in any order, while the board is connected. Guess.
    set_up,
    /// Per game: after the game the pieces are swept off and the next start position is set up. Guess.
    sweep,
    /// Per sweep: no piece is swept off; the pieces are moved directly to the next start position. Guess.
    set_up_straight,
    /// Per board, in thousandths of a square: squares that always show their first reading. Required: 1 square in `worn`.
    stuck,
    /// Per board, in thousandths of a square: squares that sometimes read as empty although a piece is on them. Required: 2
    /// squares in `worn`.
    flicker,
    /// Per change of a square: the board notices the change seconds late, or never if it is undone before that. Guess.
    missed_edge,
    /// Per change of a square: a neighbouring square briefly shows a false reading: empty if it is occupied, the changed piece
    /// if it is empty. Guess.
    ghost_edge,
    /// Per piece put down: for some time the board reads it as another piece of the same colour. Guess.
    misread,
    /// Per piece put down: for some time the board reads it as the same piece of the other colour. Guess.
    polarity,
    /// Per game: the cable is unplugged during the game for one second to a minute, and play continues. Guess.
    cable_out,
    /// Per message of the board: one of its bytes is lost. Guess.
    lost_byte,
    /// Per message of the board: one of its bits is wrong. Guess.
    garbled_byte,
}

/// Durations of actions, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// From the opponent's press (or move) until a piece is touched. Compressed: handling is what matters here.
    pub think: Span,
    /// From lifting a piece until it is on the board again.
    pub travel: Span,
    /// From lifting one piece until the same hand lifts the next (castling, captures).
    pub next_lift: Span,
    /// From removing the pawn until the new piece is at hand.
    pub fetch: Span,
    /// How long a slid piece rests on its path.
    pub stop: Span,
    /// How long a slid piece is over each other square of its path.
    pub pass_square: Span,
    /// How long a brushed square is touched.
    pub brush: Span,
    /// How long an adjusted or bumped piece is in the air.
    pub adjust: Span,
    /// From letting go of the piece until the clock is pressed.
    pub press: Span,
}

/// How one kind of player handles the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandsProfile {
    /// Its name on the command line.
    pub name: &'static str,
    /// Rates of habits and faults.
    pub rates: Rates,
    /// Durations of actions.
    pub times: Times,
    /// Time on each clock at the start, and increment per move, in milliseconds. They belong to the simulated game, not to the game
    /// of the PGN file, whose thinking times are compressed.
    pub clock_ms: (u32, u32),
}

/// One act after another, each slow enough for every scan of the board, and no faults.
pub const CLEAN: HandsProfile = HandsProfile {
    name: "clean",
    rates: Rates {
        slide_stop: 0,
        swap_capture: 0,
        victim_first: 1000,
        destination_first: 0,
        brush: 0,
        bump: 0,
        rook_first: 0,
        castle_together: 0,
        queen_first: 0,
        pawn_pushed: 0,
        underpromote: 0,
        hold: 0,
        between_squares: 0,
        hesitate: 0,
        change_mind: 0,
        early_reply: 0,
        unsettled_reply: 0,
        burst: 0,
        adjust: 0,
        adjust_several: 0,
        adjust_off_turn: 0,
        takeback: 0,
        takeback_press: 0,
        premature_king: 0,
        arbiter_pause: 0,
        kings_signal: 0,
        kings_together: 1000,
        analysis: 0,
        set_up: 0,
        sweep: 0,
        set_up_straight: 0,
        stuck: 0,
        flicker: 0,
        missed_edge: 0,
        ghost_edge: 0,
        misread: 0,
        polarity: 0,
        cable_out: 0,
        lost_byte: 0,
        garbled_byte: 0,
    },
    times: Times {
        think: Span(1_000, 3_000),
        travel: Span(300, 600),
        next_lift: Span(300, 600),
        fetch: Span(400, 900),
        stop: Span(80, 600),
        pass_square: Span(15, 60),
        brush: Span(80, 250),
        adjust: Span(300, 700),
        press: Span(300, 700),
    },
    clock_ms: (5_400_000, 30_000),
};

/// A classical or rapid game among tournament players.
pub const CLUB: HandsProfile = HandsProfile {
    name: "club",
    rates: Rates {
        slide_stop: 50,
        swap_capture: 715,
        victim_first: 200,
        destination_first: 30,
        brush: 18,
        bump: 5,
        rook_first: 30,
        castle_together: 30,
        queen_first: 200,
        pawn_pushed: 400,
        early_reply: 35,
        unsettled_reply: 150,
        burst: 0,
        adjust: 20,
        kings_signal: 800,
        kings_together: 600,
        set_up: 200,
        sweep: 300,
        ..CLEAN.rates
    },
    times: Times {
        think: Span(500, 8_000),
        travel: Span(200, 750),
        next_lift: Span(150, 600),
        fetch: Span(400, 2_500),
        stop: Span(80, 600),
        pass_square: Span(15, 70),
        brush: Span(80, 250),
        adjust: Span(150, 700),
        press: Span(150, 900),
    },
    clock_ms: (5_400_000, 30_000),
};

/// Both players short of time: the clocks start below two minutes.
pub const BLITZ: HandsProfile = HandsProfile {
    name: "blitz",
    rates: Rates { early_reply: 172, unsettled_reply: 300, burst: 25, adjust: 10, kings_together: 500, ..CLUB.rates },
    times: Times {
        think: Span(100, 2_000),
        travel: Span(150, 580),
        next_lift: Span(60, 300),
        fetch: Span(200, 900),
        pass_square: Span(10, 50),
        adjust: Span(120, 400),
        press: Span(60, 350),
        ..CLUB.times
    },
    clock_ms: (100_000, 2_000),
};

/// Club profile on a worn board: one stuck square and two flickering squares.
pub const WORN: HandsProfile = HandsProfile { name: "worn", rates: Rates { stuck: 1000, flicker: 2000, ..CLUB.rates }, ..CLUB };

/// Club profile with every other habit, and with every fault of board and cable, each now and then.
pub const ROUGH: HandsProfile = HandsProfile {
    name: "rough",
    rates: Rates {
        underpromote: 200,
        hold: 20,
        between_squares: 10,
        hesitate: 15,
        change_mind: 5,
        adjust_several: 5,
        adjust_off_turn: 5,
        takeback: 4,
        takeback_press: 500,
        premature_king: 50,
        arbiter_pause: 100,
        analysis: 200,
        set_up_straight: 500,
        stuck: 50,
        flicker: 100,
        missed_edge: 2,
        ghost_edge: 2,
        misread: 2,
        polarity: 1,
        cable_out: 100,
        lost_byte: 1,
        garbled_byte: 1,
        ..CLUB.rates
    },
    ..CLUB
};

/// Every profile.
pub static PROFILES: &[&HandsProfile] = &[&CLEAN, &CLUB, &BLITZ, &WORN, &ROUGH];

/// Returns the profile of this name.
pub fn profile(name: &str) -> Option<&'static HandsProfile> {
    PROFILES.iter().copied().find(|profile| profile.name == name)
}

/// Returns the rate of this name.
pub fn rate(name: &str) -> Option<Rate> {
    Rate::ALL.iter().copied().find(|rate| rate.name() == name)
}
