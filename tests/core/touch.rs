//! The duties that touched pieces create.

use crate::core::cases::{self, Case, Deed};
use proptest::prelude::*;
use shakmaty::{Color, Piece, Square};
use touchmove::laws::Position;
use touchmove::laws::touch::{
    Duty, Freedom, HandTracker, Obligation, PawnLeft, Promotion, RookFirst, TouchBinding, TouchRules, TouchThresholds, Touches,
    obligation, obligation_restored,
};

/// Every lifted piece counts as touched, and every piece put down as released.
const ALL_COUNTS: TouchThresholds = TouchThresholds { brushed_ms: 0, passed_ms: 0, unclear_ms: 0 };

/// The duty of the player on the move after these deeds or, if they include a legal move, before that move.
fn duty_after(position: &Position, deeds: &[Deed]) -> Obligation {
    let mut hands = HandTracker::new(position, ALL_COUNTS);
    let mut board = position.board().clone();
    let (mut announced, mut adjusted) = (false, None);
    for (at, deed) in (0..).zip(deeds) {
        match deed {
            Deed::Say(words) => announced |= words.contains("adoube"),
            Deed::Frame(changes) => {
                for &(square, piece) in changes {
                    match piece {
                        Some(piece) => {
                            board.set_piece_at(square, piece);
                            hands.put(at, square, Some(piece));
                        }
                        None => {
                            board.discard_piece_at(square);
                            hands.lifted(at, square);
                            adjusted = adjusted.or(std::mem::take(&mut announced).then_some(square));
                        }
                    }
                }
            }
            Deed::Press(_) | Deed::Flag => break,
            Deed::Clock(_) | Deed::Wait(_) | Deed::Touch(_) | Deed::LetGo | Deed::Brush(_) => {}
        }
    }
    let now = deeds.len() as u64;
    let made = position.legal_moves().into_iter().find(|&mv| position.play(mv).board() == &board);
    let pressed = deeds.iter().any(|deed| matches!(deed, Deed::Press(_)));
    let mut touches = made.map_or_else(|| hands.touches(now), |mv| hands.touches_before_move(now, mv).touches);
    if let Some(square) = adjusted {
        touches.remove(square);
    }
    match (made, pressed) {
        (None, true) => obligation_restored(position, &touches, TouchRules::default()),
        _ => obligation(position, &touches, TouchRules::default()),
    }
}

fn ucis(position: &Position, obligation: &Obligation) -> Vec<String> {
    let mut moves: Vec<String> = obligation.moves(position).into_iter().map(|mv| position.uci(mv)).collect();
    moves.sort();
    moves
}

#[test]
fn the_allowed_moves_are_those_of_the_cases() {
    let Some(cases) = cases::all() else { return };
    let mut wrong = Vec::new();
    let with_moves: Vec<&Case> = cases.iter().filter(|case| !case.allowed.is_empty()).collect();
    for case in &with_moves {
        let position = case.now();
        let found = ucis(&position, &duty_after(&position, &case.deeds));
        if found != case.allowed {
            wrong.push(format!("{}: {found:?}, not {:?}", case.id, case.allowed));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(with_moves.len(), 25);
}

/// Reads touches in their order; `+` joins those of one time, and `>` releases a piece: `f1 d5`, `h1+e1`, `e2>e3`, `e7>e8N`.
fn read_touches(position: &Position, words: &str) -> Touches {
    let mut touches = Touches::new(0);
    for (at, frame) in (0..).zip(words.split_whitespace()) {
        for word in frame.split('+') {
            let square = |text: &str| text.parse::<Square>().expect("a square");
            let from = square(&word[..2]);
            let piece = position.piece_at(from).expect("a piece");
            touches.touch(at, from, piece);
            if let Some(on) = word[2..].strip_prefix('>') {
                let new = on[2..].chars().next().and_then(shakmaty::Role::from_char);
                touches.release(at, from, square(&on[..2]), new.unwrap_or(piece.role).of(piece.color));
            }
        }
    }
    touches
}

/// The key of the duty, and the moves that remain.
fn duty_and_moves(fen: &str, words: &str, rules: TouchRules) -> String {
    let position = Position::from_fen(fen, false).expect("a FEN");
    match obligation(&position, &read_touches(&position, words), rules) {
        Obligation::Free(freedom) => freedom.key().to_owned(),
        Obligation::Only { moves, by } => {
            let mut moves: Vec<String> = moves.into_iter().map(|mv| position.uci(mv)).collect();
            moves.sort();
            format!("{}: {}", by.key(), moves.join(" "))
        }
    }
}

#[track_caller]
fn check(fen: &str, words: &str, expect: &str) {
    assert_eq!(duty_and_moves(fen, words, TouchRules::default()), expect, "{words} in {fen}");
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const CASTLES: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
const SCANDINAVIAN: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

#[test]
fn own_and_enemy_pieces() {
    check(START, "", "nothing_touched");
    check(START, "a1 g1 e2", "touch_own: g1f3 g1h3");
    check(START, "a1 h8", "touch_free");
    check(SCANDINAVIAN, "e4 d5", "touch_both: e4d5");
    check(SCANDINAVIAN, "d5 e4", "touch_both: e4d5");
    check(SCANDINAVIAN, "d5 g1", "touch_opponent: e4d5");
    check(SCANDINAVIAN, "h8 g1 d5", "touch_own: g1e2 g1f3 g1h3");
    // The order is unclear: the player's own piece counts as the first.
    check(SCANDINAVIAN, "d5+g1", "touch_own: g1e2 g1f3 g1h3");
}

#[test]
fn pieces_lifted_at_once_are_one_touch() {
    // Either may move: nothing says which was first.
    check(START, "b1+g1", "touch_own_together: b1a3 b1c3 g1f3 g1h3");
    check(START, "a1+g1", "touch_own: g1f3 g1h3");
    check(START, "a1+h1", "touch_free");
    check(START, "b1+g1 e2", "touch_own_together: b1a3 b1c3 g1f3 g1h3");
    check(SCANDINAVIAN, "e1+g1", "touch_own_together: e1e2 g1e2 g1f3 g1h3");
    // Either may be captured.
    let fork = "rnbqkbnr/ppp1p1pp/8/3p1p2/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3";
    check(fork, "d5+f5", "touch_opponent_together: e4d5 e4f5");
    check(fork, "d5+h8", "touch_opponent: e4d5");
    check(fork, "d5+e4+f5", "touch_both: e4d5 e4f5");
    // King and rook at once are castling (4.4.1, and 4.4(c) of 2014).
    check(CASTLES, "h1+e1+e2", "castling_touched: e1g1");
}

#[test]
fn the_order_is_unclear_within_one_scan() {
    let position = Position::from_fen(SCANDINAVIAN, false).expect("a FEN");
    let order = |unclear_ms, times: [u64; 3]| {
        let mut touches = Touches::new(unclear_ms);
        for (at, square) in times.into_iter().zip([Square::D5, Square::G1, Square::E1]) {
            touches.touch(at, square, position.piece_at(square).expect("a piece"));
        }
        touches.touched(Color::White).into_iter().map(|touch| touch.square).collect::<Vec<_>>()
    };
    assert_eq!(order(250, [1000, 1200, 1300]), [Square::G1, Square::D5, Square::E1]);
    assert_eq!(order(250, [1000, 1200, 1249]), [Square::E1, Square::G1, Square::D5]);
    assert_eq!(order(250, [1000, 1250, 1600]), [Square::D5, Square::G1, Square::E1]);
    assert_eq!(order(0, [1000, 1001, 1002]), [Square::D5, Square::G1, Square::E1]);
}

#[test]
fn castling() {
    check(CASTLES, "e1 h1", "castling_touched: e1g1");
    check(CASTLES, "e1 a1", "castling_touched: e1c1");
    check(CASTLES, "e1 a1 h1", "castling_touched: e1c1");
    check(CASTLES, "h1+e1", "castling_touched: e1g1");
    // The rook was touched first: the rook moves.
    check(CASTLES, "h1 e1", "rook_before_king: h1f1 h1g1");
    check(CASTLES, "h1", "touch_own: h1f1 h1g1");
    check(CASTLES, "e1", "touch_own: e1c1 e1d1 e1f1 e1g1");
    // Castling is not allowed: the king moves, or castles to the other side.
    let through = "5r2/6k1/8/8/8/8/8/R3K2R w KQ - 0 1";
    check(through, "e1 h1", "castling_illegal: e1c1 e1d1 e1d2 e1e2");
    check(through, "e1 h1 a1", "castling_touched: e1c1");
    // If the king cannot move, the rook need not move either.
    let walled = "4k3/8/8/8/8/8/3PPP2/3QKB1R w K - 0 1";
    check(walled, "e1 h1", "castling_king_cannot");
    check(walled, "h1 e1", "touch_own: h1g1 h1h2 h1h3 h1h4 h1h5 h1h6 h1h7 h1h8");
    // A rook that has left its square has nothing to do with castling.
    check("4k3/8/8/8/3R4/8/3PPP2/3QKB2 w - - 0 1", "e1 d4", &format!("touch_own: {}", rook_d4()));
}

fn rook_d4() -> String {
    let mut squares: Vec<String> = "abcefgh".chars().map(|file| format!("d4{file}4")).collect();
    squares.extend("35678".chars().map(|rank| format!("d4d{rank}")));
    squares.sort();
    squares.join(" ")
}

/// Castling begun with a rook that has no move of its own: possible only with two rooks beside the king in Chess960.
#[test]
fn the_rook_first_bars_castling_with_it() {
    let position = Position::from_fen("4k3/8/8/8/8/8/6PP/5K1R w H - 0 1", true).expect("a FEN");
    let free = obligation(&position, &read_touches(&position, "f1"), TouchRules::default());
    assert!(ucis(&position, &free).contains(&"f1h1".to_owned()));
    let rook = obligation(&position, &read_touches(&position, "h1 f1"), TouchRules::default());
    assert_eq!(ucis(&position, &rook), ["h1g1"]);
    let pinned_in = Position::from_fen("4k3/8/8/8/8/8/6PP/5KRR w G - 0 1", true).expect("a FEN");
    let barred = obligation(&pinned_in, &read_touches(&pinned_in, "g1 f1"), TouchRules::default());
    assert_eq!(ucis(&pinned_in, &barred), ["f1e1", "f1e2", "f1f2"]);
    assert!(matches!(barred, Obligation::Only { by: Duty::KingAfterRook { .. }, .. }), "{barred:?}");
}

#[test]
fn a_released_piece_is_moved() {
    // Touches after a release change nothing.
    let file = "6k1/3p1ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    check(file, "d1>d4 d7", "released: d1d4");
    check(file, "d7 d1>d4", "touch_both: d1d7");
    check("1n6/P6k/8/8/8/6p1/8/6K1 w - - 0 1", "a7>a8 b8", "released: a7a8b a7a8n a7a8q a7a8r");
    check(START, "e2>e3 e2>e4", "released: e2e3");
    check(START, "g1 e2>e4", "touch_own: g1f3 g1h3");
    check(START, "e2>e5 e2>e4", "released: e2e4");
    check(CASTLES, "e1>g1", "castling_made: e1g1");
    check(CASTLES, "h1>f1 e1>g1", "released: h1f1");
    check(CASTLES, "e1 h1>f1", "castling_touched: e1g1");
    let pawn = "3r3k/4P3/8/8/8/8/7K/8 w - - 0 1";
    check(pawn, "e7", "touch_own: e7d8b e7d8n e7d8q e7d8r e7e8b e7e8n e7e8q e7e8r");
    check(pawn, "e7>e8", "released: e7e8b e7e8n e7e8q e7e8r");
    check(pawn, "e7>e8N e7>e8Q", "promotion_final: e7e8n");
    check(pawn, "e7>e8 e7>e8N e7>d8Q", "promotion_final: e7e8n");
}

#[test]
fn editions_that_differ() {
    let silent = TouchRules { promotion: Promotion::Unspecified, ..TouchRules::default() };
    let pawn = "7k/4P3/8/8/8/8/7K/8 w - - 0 1";
    assert_eq!(duty_and_moves(pawn, "e7>e8N e7>e8Q", silent), "touch_own: e7e8b e7e8n e7e8q e7e8r");
    // 1973: the only rule about touched pieces is that the king moves after castling that is not allowed or was begun with the rook.
    let old = TouchRules {
        touched: TouchBinding::Unspecified,
        rook_first: Some(RookFirst::KingMustBeFirst),
        pawn_left: PawnLeft::TakenBack,
        ..silent
    };
    let through = "5r2/6k1/8/8/8/8/8/R3K2R w KQ - 0 1";
    assert_eq!(duty_and_moves(START, "g1 e2", old), "touch_unsaid");
    assert_eq!(duty_and_moves(through, "e1 h1", old), "touch_unsaid");
    assert_eq!(duty_and_moves(through, "e1>g1 h1>f1", old), "castling_illegal: e1c1 e1d1 e1d2 e1e2");
    assert_eq!(duty_and_moves(CASTLES, "e1>g1 h1>f1", old), "touch_unsaid");
    assert_eq!(duty_and_moves(CASTLES, "h1>f1 e1>g1", old), "rook_first: e1c1 e1d1 e1f1");
    // A pawn left on the last rank: a queen since 2014, any piece before.
    let position = Position::from_fen(pawn, false).expect("a FEN");
    let pawn_left = position.any_move("e7e8").expect("a move");
    let touches = Touches::of_move(&position, pawn_left);
    let moves_with = |pawn_left| {
        let rules = TouchRules { pawn_left, ..TouchRules::default() };
        ucis(&position, &obligation_restored(&position, &touches, rules))
    };
    assert_eq!(moves_with(PawnLeft::Queen), ["e7e8q"]);
    assert_eq!(moves_with(PawnLeft::TakenBack), ["e7e8b", "e7e8n", "e7e8q", "e7e8r"]);
}

#[test]
fn after_an_illegal_move() {
    let moves_after = |fen: &str, uci: &str| {
        let position = Position::from_fen(fen, false).expect("a FEN");
        let touches = Touches::of_move(&position, position.any_move(uci).expect("a move"));
        ucis(&position, &obligation_restored(&position, &touches, TouchRules::default())).join(" ")
    };
    assert_eq!(moves_after(START, "g1g3"), "g1f3 g1h3");
    // An impossible capture: the same piece captures it if it can, otherwise the same piece moves.
    assert_eq!(moves_after(SCANDINAVIAN, "f1d5"), "f1a6 f1b5 f1c4 f1d3 f1e2");
    // The piece cannot move: another piece must make the capture.
    assert_eq!(moves_after(SCANDINAVIAN, "a1d5"), "e4d5");
    assert_eq!(moves_after("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1h1"), "e1c1 e1d1 e1d2 e1e2 e1f1 e1f2");
}

#[test]
fn adjusted_pieces_were_not_touched() {
    let position = Position::start();
    let mut touches = read_touches(&position, "g1 b1");
    touches.remove(Square::G1);
    assert_eq!(ucis(&position, &obligation(&position, &touches, TouchRules::default())), ["b1a3", "b1c3"]);
    touches.remove(Square::B1);
    assert!(touches.is_empty());
    assert_eq!(obligation(&position, &touches, TouchRules::default()), Obligation::Free(Freedom::NothingTouched));
}

/// For any deeds in any position, the moves that remain are legal, and there is at least one.
#[test]
fn there_is_always_a_move_left() {
    let fens = [START, CASTLES, SCANDINAVIAN, "4k2R/8/8/8/8/8/8/r3K3 w - - 0 1", "4P1k1/8/8/8/8/8/r6p/6K1 b - - 0 1"];
    let square = || (0..64u32).prop_map(Square::new);
    let deeds = proptest::collection::vec((0..4u64, square(), proptest::option::of(square())), 0..8);
    let mut runner = proptest::test_runner::TestRunner::default();
    let first = [None, Some(RookFirst::BarsThatSide), Some(RookFirst::KingMustBeFirst)];
    let rules = (any::<bool>(), any::<bool>(), any::<bool>(), proptest::sample::select(first.to_vec()));
    runner
        .run(&(0..fens.len(), deeds, 0..3u64, rules), |(fen, deeds, unclear, (bind, last, queen, rook_first))| {
            let position = Position::from_fen(fens[fen], false).expect("a FEN");
            let mut touches = Touches::new(unclear);
            for (at, square, on) in deeds {
                let Some(piece) = position.piece_at(square) else { continue };
                touches.touch(at, square, piece);
                if let Some(on) = on {
                    touches.release(at, square, on, piece);
                }
            }
            let rules = TouchRules {
                touched: if bind { TouchBinding::Bind } else { TouchBinding::Unspecified },
                promotion: if last { Promotion::Final } else { Promotion::Unspecified },
                rook_first,
                pawn_left: if queen { PawnLeft::Queen } else { PawnLeft::TakenBack },
            };
            for bound in [obligation(&position, &touches, rules), obligation_restored(&position, &touches, rules)] {
                let moves = bound.moves(&position);
                prop_assert!(!moves.is_empty());
                prop_assert!(moves.iter().all(|&mv| position.is_legal(mv) && bound.allows(mv)));
            }
            Ok(())
        })
        .unwrap();
}

/// The duty after acts with their times, on a board that identifies pieces or senses only occupied squares: `-g1@0`,
/// `+g1@1500`, `+g1N@1500`.
fn handled(fen: &str, words: &str, now: u64) -> String {
    let position = Position::from_fen(fen, false).expect("a FEN");
    let thresholds = TouchThresholds { brushed_ms: 1_200, passed_ms: 1_000, unclear_ms: 250 };
    let mut hands = HandTracker::new(&position, thresholds);
    for word in words.split_whitespace() {
        let (act, at) = word.split_once('@').expect("a time");
        let (at, square) = (at.parse().expect("a time"), act[1..3].parse().expect("a square"));
        match act.starts_with('+') {
            true => hands.put(at, square, act[3..].chars().next().and_then(Piece::from_char)),
            false => hands.lifted(at, square),
        }
    }
    let touches = hands.touches(now);
    match obligation(&position, &touches, TouchRules::default()) {
        Obligation::Free(freedom) => freedom.key().to_owned(),
        Obligation::Only { by, .. } => {
            let squares: Vec<String> = by.squares().iter().map(ToString::to_string).collect();
            format!("{} {}", by.key(), squares.join(" "))
        }
    }
}

/// A bumped neighbour of the same kind that is back before the move is finished, and a piece that the opponent already holds, are no
/// breach.
#[test]
fn the_move_shows_which_piece_was_touched() {
    let check_allowed = |fen: &str, acts: &[(u64, Square, Option<char>)], uci: &str| {
        let position = Position::from_fen(fen, false).expect("a FEN");
        let mut hands = HandTracker::new(&position, TouchThresholds { brushed_ms: 1_200, passed_ms: 1_000, unclear_ms: 0 });
        for &(at, square, piece) in acts {
            match piece {
                Some(letter) => hands.put(at, square, Piece::from_char(letter)),
                None => hands.lifted(at, square),
            }
        }
        let made = position.parse_uci(uci).expect("a legal move");
        let bound = obligation(
            &position,
            &hands.touches_before_move(acts.last().map_or(0, |act| act.0), made).touches,
            TouchRules::default(),
        );
        assert!(bound.allows(made), "{bound:?}");
    };
    use Square::{A8, B8, D5, E2, E4, E5, F2, F8, G2, G3};
    // The moving piece keeps its place: it was lifted first, and the other one was held for long.
    check_allowed(START, &[(0, E2, None), (400, F2, None), (2_400, F2, Some('P')), (2_800, E4, Some('P'))], "e2e4");
    check_allowed(START, &[(0, G2, None), (200, F2, None), (500, G3, Some('P')), (700, F2, Some('P'))], "g2g3");
    check_allowed(START, &[(0, F2, None), (200, G2, None), (500, G3, Some('P'))], "g2g3");
    let rooks = "r4rk1/8/8/8/8/8/8/6K1 b - - 0 1";
    check_allowed(rooks, &[(0, A8, None), (100, F8, None), (400, A8, Some('r')), (600, B8, Some('r'))], "f8b8");
    // Black already holds the pawn that White could capture.
    check_allowed(SCANDINAVIAN, &[(0, D5, None), (100, E4, None), (600, E5, Some('P'))], "e4e5");
}

#[test]
fn pieces_are_touched_brushed_and_released() {
    let check = |fen: &str, words: &str, now: u64, expect: &str| assert_eq!(handled(fen, words, now), expect, "{words}");
    for knight in ["", "N"] {
        // Held, or only adjusted.
        check(START, &format!("-g1@0 +g1{knight}@1500"), 9_000, "touch_own g1");
        check(START, &format!("-g1@0 +g1{knight}@700"), 9_000, "nothing_touched");
        check(START, &format!("-g1@0 +g1{knight}@1500 -g1@2000 +g1{knight}@2100"), 9_000, "touch_own g1");
        check(START, "-g1@0", 200, "touch_own g1");
        // Released, or still on its way.
        check(START, &format!("-g1@0 +f3{knight}@500"), 900, "touch_own g1");
        check(START, &format!("-g1@0 +f3{knight}@500"), 1_500, "released g1 f3");
        check(START, &format!("-g1@0 +f3{knight}@500 -f3@700 +h3{knight}@900"), 2_000, "released g1 h3");
        check(START, &format!("-g1@0 +f3{knight}@500 -f3@1700 +h3{knight}@1900"), 5_000, "released g1 f3");
        // Over another square for too long, though never released there.
        check(START, &format!("-g1@0 +h3{knight}@500 -h3@700 +g1{knight}@1300"), 9_000, "touch_own g1");
    }
    // A swap: the square of the captured piece was never seen empty.
    check(SCANDINAVIAN, "-e4@0 +d5P@300", 400, "touch_both e4 d5");
    check(SCANDINAVIAN, "-d5@0 -e4@800 +d5P@1000", 1_100, "touch_both e4 d5");
    check(SCANDINAVIAN, "-d5@0 +d5p@2000 -g1@2100", 2_200, "touch_opponent d5");
    // The pawn, then the promoted piece: the first contact counts, however short (4.4.4).
    let pawn = "7k/4P3/8/8/8/8/7K/8 w - - 0 1";
    check(pawn, "-e7@0 +e8P@500 -e8@2000 +e8N@2500", 4_000, "promotion_final e8");
    check(pawn, "-e7@0 +e8N@500 -e8@2000 +e8Q@2500", 4_000, "promotion_final e8");
    check(pawn, "-e7@0 +e8N@500 -e8@700 +e8Q@900", 4_000, "promotion_final e8");
    check(pawn, "+e8Q@0 -e7@500", 4_000, "promotion_final e8");
    check(pawn, "-e7@0 +e8P@500", 700, "touch_own e7");
}

#[test]
fn a_promotion_is_final_on_contact() {
    let position = Position::from_fen("7k/4P3/8/8/8/8/7K/8 w - - 0 1", false).expect("a FEN");
    let chosen = |acts: &[(u64, Square, Option<char>)]| {
        let mut hands = HandTracker::new(&position, TouchThresholds { brushed_ms: 1_200, passed_ms: 1_000, unclear_ms: 250 });
        for &(at, square, piece) in acts {
            match piece {
                Some(letter) => hands.put(at, square, Piece::from_char(letter)),
                None => hands.lifted(at, square),
            }
        }
        ucis(&position, &obligation(&position, &hands.touches(5_000), TouchRules::default()))
    };
    use Square::{E7, E8};
    let knight = [(0, E7, None), (500, E8, Some('N')), (600, E8, None), (900, E8, Some('Q'))];
    assert_eq!(chosen(&knight), ["e7e8n"]);
    let before_the_pawn = [(0, E8, Some('N')), (200, E8, None), (500, E8, Some('Q')), (900, E7, None)];
    assert_eq!(chosen(&before_the_pawn), ["e7e8n"]);
    // Nothing was lifted in between: the board misread the queen as a knight.
    assert_eq!(chosen(&[(0, E7, None), (500, E8, Some('N')), (600, E8, Some('Q'))]), ["e7e8q"]);
    // Putting the pawn there is not a choice.
    assert_eq!(chosen(&[(0, E7, None), (500, E8, Some('P')), (800, E8, None), (900, E8, Some('R'))]), ["e7e8r"]);
}
