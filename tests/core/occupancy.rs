//! Boards that detect only whether a square is occupied: what becomes of moves whose changes overlap, replace each other or are
//! missing. A story is a line of words: `e2-` a square becomes empty, `e4+` one becomes occupied, `W`/`B` that player presses the
//! clock, `~400` waits this many milliseconds.

use shakmaty::Square;
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Placement, Reading, SensorKind, SquareState};
use touchmove::laws::Position;
use touchmove::table::{Input, Settings, Table};

/// Returns the moves on record after the story, which begins with this position on the board.
fn record_of(fen: &str, story: &str) -> String {
    let settings = Settings { sensing: SensorKind::Occupancy, start_fen: Some(fen.to_owned()), ..Settings::default() };
    let start = Position::from_fen(fen, false).unwrap();
    let state = |occupied: bool| if occupied { SquareState::Occupied } else { SquareState::Empty };
    let placement: Placement = std::array::from_fn(|index| state(start.piece_at(Square::new(index as u32)).is_some()));
    let mut table = Table::new(settings);
    table.handle(0, Input::Link(LinkState::Up));
    table.handle(0, Input::Reading(Reading::Placement(Box::new(placement))));
    let mut now = 5_000;
    table.advance(now);
    let half = HalfTime { ms: 90_000, flag: false };
    let clock = |turn| {
        Some(ClockReading { left: half, right: half, turn, running: true, battery_low: false, resolution_ms: 1000, age_ms: 0 })
    };
    if story.contains(['W', 'B']) {
        let turn = if start.turn().is_white() { ClockHalf::Left } else { ClockHalf::Right };
        table.handle(now, Input::Reading(Reading::Clock(clock(turn))));
    }
    for word in story.split_whitespace() {
        match word {
            "W" => table.handle(now, Input::Reading(Reading::Clock(clock(ClockHalf::Right)))),
            "B" => table.handle(now, Input::Reading(Reading::Clock(clock(ClockHalf::Left)))),
            _ => match word.strip_prefix('~') {
                Some(wait) => {
                    now += wait.parse::<u64>().unwrap();
                    table.advance(now)
                }
                None => {
                    let square: Square = word[..2].parse().unwrap();
                    table.handle(now, Input::Reading(Reading::Square(square, state(word.ends_with('+')))))
                }
            },
        };
    }
    table.advance(now + 6_000);
    let plies = table.record().map(|record| record.plies.iter().map(|ply| ply.played.uci.clone()).collect::<Vec<_>>());
    plies.unwrap_or_default().join(" ")
}

#[test]
fn a_stop_of_the_replier_is_not_the_movers_goal() {
    // The queen stops on g5, where the bishop could have gone, before the bishop is seen on g3.
    let fen = "6k1/ppb2ppp/2ppr3/8/PPNPnB1q/2P2Q2/5PPP/5RK1 w - - 3 22";
    let story = "f4- ~199 g5+ ~31 h4- ~25 g3+ ~359 f6+ ~31 g5- ~108 f1- ~223 c1+ ~4000";
    assert_eq!(record_of(fen, story), "f4g3 h4f6 f1c1");
}

#[test]
fn a_silent_capture_is_recaptured_after_a_stop() {
    // Nothing is seen of the captures on b5 but that a4 and b1 are left, and that the rook stops on b4.
    let fen = "4r1k1/p4p1p/6p1/1QppP3/q4P2/2P4P/P5P1/1R4K1 b - - 2 25";
    let story = "a4- ~338 B ~129 b4+ ~87 b1- ~377 b4- ~269 W ~90 e8- ~600 c8+ ~300 B ~3000";
    assert_eq!(record_of(fen, story), "a4b5 b1b5 e8c8");
}

#[test]
fn an_overlapping_reply_is_not_taken_for_the_move() {
    // The pawn is on d3 before the queen is on f2.
    let fen = "1r2r1k1/1pq2ppp/p4n2/4b3/2Pp2b1/1P3QP1/PBNP2BP/4RRK1 w - - 4 19";
    let story = "d4- ~31 f3- ~194 d3+ ~231 f2+ ~4000";
    assert_eq!(record_of(fen, story), "f3f2 d4d3");
}

#[test]
fn sweeping_the_pieces_off_is_no_move() {
    // The king that is lifted first could have captured.
    let fen = "3q4/6pp/4p2k/Pp2P2P/1P6/5QPK/8/8 w - - 1 46";
    let story = "f3- ~403 f4+ ~11000 h6- ~78 g3- ~218 h3- ~319 g7- ~5 h7- ~200 a5- ~200 b5- ~200 e5- ~200 d8- ~200 b4- ~3000";
    assert_eq!(record_of(fen, story), "f3f4");
}

#[test]
fn a_stuck_square_is_found_with_a_clock() {
    // The square f3 always shows that it is empty.
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let story = "g1- ~300 W ~1500 e7- ~300 e5+ ~300 B ~1500 d4+ ~300 W ~1500 h7- ~300 h6+ ~300 B ~9000";
    assert_eq!(record_of(fen, story), "g1f3 e7e5 f3d4 h7h6");
}

#[test]
fn captures_that_were_moves_to_a_stuck_square_are_corrected() {
    // The square d4 always shows that it is empty. What is seen looks like captures on e5, until the second knight leaves d4.
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let opening = "e2- ~300 e4+ ~300 W ~1500 e7- ~300 e5+ ~300 B ~1500 g1- ~300 f3+ ~300 W ~1500 b8- ~300 c6+ ~300 B ~1500";
    let exchange = "f3- ~600 W ~1500 c6- ~600 B ~1500 h2- ~300 h3+ ~300 W ~1500";
    assert_eq!(record_of(fen, &format!("{opening} {exchange}")), "e2e4 e7e5 g1f3 b8c6 f3e5 c6e5 h2h3");
    let rest = "b3+ ~300 B ~1500 g2- ~300 g3+ ~300 W ~1500 a7- ~300 a6+ ~300 B ~9000";
    let story = format!("{opening} {exchange} {rest}");
    assert_eq!(record_of(fen, &story), "e2e4 e7e5 g1f3 b8c6 f3d4 c6d4 h2h3 d4b3 g2g3 a7a6");
}

#[test]
fn a_king_on_the_place_of_a_piece_signals_the_result() {
    // The black king takes the place of the pawn on d5, which was not seen to be removed.
    let fen = "4r3/6Q1/1B3R2/1p1pk3/2q5/2P5/6PP/r5K1 w - - 19 48";
    let story = "f6- ~394 f1+ ~500 W ~2700 e5- ~1096 g1- ~628 e4+ ~12000";
    assert_eq!(record_of(fen, story), "f6f1");
}
