//! How people handle pieces and clocks: one table of rates and times a kind of player.
//!
//! The rates of `club` and `blitz` are at least what was measured on three real blitz games on a DGT board (199 plies);
//! what a hand does too fast for a board that looks at a square five times a second is set a little higher, so that what
//! the board *reports* reaches the measured rate too. Where nothing was measured the word is *guess*.

/// From and to, both included, in milliseconds; each value is equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub u32, pub u32);

/// How often a hand does what, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Of all moves: pushed through a square where the piece could legally have stopped, and held there for
    /// [`Times::stop`]. Measured: seen in 8 of 199 moves.
    pub slide_stop: u32,
    /// Of captures: the victim is swapped for the capturer so that its square is never empty. Measured: 25 of 35.
    pub swap_capture: u32,
    /// Of captures: the victim is lifted before the capturer. Measured: 7 of 35. What is left of all captures: the capturer
    /// first, then the victim, then the capturer is put down. In en passant and promotion: the victim first.
    pub victim_first: u32,
    /// Of moves of one piece: it is seen on its destination before its source is seen empty. Measured: 4 of 157 quiet moves.
    pub destination_first: u32,
    /// Of moves of one piece: on its way it touches a third, empty square. Measured: about 1 %.
    pub brush: u32,
    /// Of moves: a neighbour of the destination is bumped, lifted and put back. Guess.
    pub bump: u32,
    /// Of castlings: the rook first. Measured: 0 of 6; the least asked for is 5 % together with `castle_together`.
    pub rook_first: u32,
    /// Of castlings: king and rook in the air together, put down in either order.
    pub castle_together: u32,
    /// Of promotions: the new piece is put on the last rank, then the pawn is taken away. Guess, as are the next two.
    pub queen_first: u32,
    /// Of promotions: the pawn is pushed to the last rank and exchanged there. What is left: the pawn is taken off, the new
    /// piece put on.
    pub pawn_pushed: u32,
    /// Of moves: the opponent's reply begins before the clock is pressed. Asked for: 3 %, blitz 15 %.
    pub early_reply: u32,
    /// Of early replies: it begins before the mover has put his piece down, where the two moves share no square and he does
    /// not rest on the way. Guess.
    pub unsettled_reply: u32,
    /// Of moves: three plies in a row within one second begin here. Guess.
    pub burst: u32,
    /// Of moves: before it, the player to move lifts one of his pieces and puts it back on its square. Guess.
    pub adjust: u32,
    /// Of games with a result: the kings are put in the centre to tell it. Guess.
    pub kings_signal: u32,
    /// Of kings' signals: both kings are lifted before either is put down.
    pub kings_together: u32,
    /// Of games: the pieces are set up while the board is watched, in any order. Guess.
    pub set_up: u32,
    /// Of games: at the end the pieces are swept off and the next start position is set up. Guess.
    pub sweep: u32,
}

/// How long things take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// From the opponent's press (or move) until a piece is touched. Compressed: what matters here is handling.
    pub think: Span,
    /// From lifting a piece until it stands again.
    pub travel: Span,
    /// From lifting one piece until the same hand lifts the next (castling, captures).
    pub regrasp: Span,
    /// From taking the pawn off until the promoted piece is at hand.
    pub fetch: Span,
    /// How long a slid piece rests on the way.
    pub stop: Span,
    /// How long a slid piece is over each other square of its way.
    pub pass: Span,
    /// How long a brushed square is touched.
    pub brush: Span,
    /// How long a piece that is adjusted or bumped is in the air.
    pub adjust: Span,
    /// From letting go of the piece until the clock is pressed.
    pub press: Span,
}

/// How one kind of player handles the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The word for it on the command line.
    pub name: &'static str,
    /// How often.
    pub rates: Rates,
    /// How long.
    pub times: Times,
    /// Time on each clock at the start, in milliseconds, and what each move adds. The time of the simulated game, not of
    /// the game in the PGN file, whose thinking is compressed.
    pub clock_ms: (u32, u32),
    /// Squares that always show what they showed first, and squares that now and then show nothing though a piece stands
    /// there: how many of each a board of this age has.
    pub bad_squares: (u8, u8),
}

/// One movement after another, each slow enough for every scan of the board: no fault at all.
pub const CLEAN: Profile = Profile {
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
        early_reply: 0,
        unsettled_reply: 0,
        burst: 0,
        adjust: 0,
        kings_signal: 0,
        kings_together: 1000,
        set_up: 0,
        sweep: 0,
    },
    times: Times {
        think: Span(1_000, 3_000),
        travel: Span(300, 600),
        regrasp: Span(300, 600),
        fetch: Span(400, 900),
        stop: Span(80, 600),
        pass: Span(15, 60),
        brush: Span(80, 250),
        adjust: Span(300, 700),
        press: Span(300, 700),
    },
    clock_ms: (5_400_000, 30_000),
    bad_squares: (0, 0),
};

/// A classical or rapid game among tournament players.
pub const CLUB: Profile = Profile {
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
    },
    times: Times {
        think: Span(500, 8_000),
        travel: Span(200, 750),
        regrasp: Span(150, 600),
        fetch: Span(400, 2_500),
        stop: Span(80, 600),
        pass: Span(15, 70),
        brush: Span(80, 250),
        adjust: Span(150, 700),
        press: Span(150, 900),
    },
    clock_ms: (5_400_000, 30_000),
    bad_squares: (0, 0),
};

/// Both players short of time: the clocks start below two minutes.
pub const BLITZ: Profile = Profile {
    name: "blitz",
    rates: Rates { early_reply: 172, unsettled_reply: 300, burst: 25, adjust: 10, kings_together: 500, ..CLUB.rates },
    times: Times {
        think: Span(100, 2_000),
        travel: Span(150, 580),
        regrasp: Span(60, 300),
        fetch: Span(200, 900),
        pass: Span(10, 50),
        adjust: Span(120, 400),
        press: Span(60, 350),
        ..CLUB.times
    },
    clock_ms: (100_000, 2_000),
    bad_squares: (0, 0),
};

/// Club hands on a worn board: one square stuck, two that flicker.
pub const WORN: Profile = Profile { name: "worn", bad_squares: (1, 2), ..CLUB };

/// Every profile there is.
pub static PROFILES: &[&Profile] = &[&CLEAN, &CLUB, &BLITZ, &WORN];

/// The profile of this name.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().copied().find(|profile| profile.name == name)
}
