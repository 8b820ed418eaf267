//! The reasons why a move is not legal.

use proptest::prelude::*;
use shakmaty::{Role, Square};
use touchmove::game::Text;
use touchmove::laws::reason::{IllegalReason, ReasonArg, why_illegal, why_illegal_placement};
use touchmove::laws::{Move, Position};
use touchmove::locale::{self, Locale};

fn position_from(fen: &str) -> Position {
    Position::from_fen(fen, false).expect("a FEN")
}

/// Returns every move that can be written in this position, legal or not.
fn every_move(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    for from in Square::ALL {
        let Some(piece) = position.piece_at(from) else { continue };
        for to in Square::ALL {
            let capture = position.piece_at(to).map(|captured| captured.role);
            let promotions = std::iter::once(None).chain(Role::ALL.into_iter().map(Some));
            moves.extend(promotions.map(|promotion| Move::Normal { role: piece.role, from, capture, to, promotion }));
            moves.push(Move::EnPassant { from, to });
            moves.push(Move::Castle { king: from, rook: to });
        }
    }
    moves
}

/// Asserts that exactly the illegal moves have a reason.
fn check_all_moves(position: &Position) {
    let legal = position.legal_moves();
    for mv in every_move(position) {
        let reason = why_illegal(position, mv);
        assert_eq!(reason.is_none(), legal.contains(&mv), "{mv:?} in {}: {reason:?}", position.fen());
        if let Some(reason) = reason {
            check_text(&reason);
        }
    }
}

fn english(reason: &IllegalReason) -> String {
    locale::sentence(Locale::English, &Text::from(reason))
}

/// Asserts that a reason has a key, arguments and a sentence.
fn check_text(reason: &IllegalReason) {
    let (key, sentence) = (reason.key(), english(reason));
    assert!(key.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'), "{key}");
    assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{key}: {sentence}");
    for (name, value) in reason.args() {
        assert!(!name.is_empty());
        if let ReasonArg::Pieces(pieces) = value {
            assert!(!pieces.is_empty(), "{key}: {name}");
        }
    }
}

/// Random games of legal moves, sometimes with an illegal one.
#[test]
fn exactly_the_illegal_moves_have_a_reason() {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/1P4p1/8/2pPp3/8/5n2/P6p/R3K2R w KQkq c6 0 1",
        "4k3/8/8/1r1pP2K/8/8/8/8 w - d6 0 1",
        "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
        "1k4r1/8/8/8/8/8/8/1RK3R1 w GB - 0 1",
        "4k2R/8/8/8/8/8/8/r3K3 w - - 0 1",
        "4P1k1/2p5/8/8/8/8/r6p/p5K1 b - - 0 1",
        "8/8/3QQ3/8/8/2kk4/8/8 w - - 0 1",
    ];
    let choice = (any::<prop::sample::Index>(), 0..12u8);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 24, ..ProptestConfig::default() });
    runner
        .run(&(0..starts.len(), proptest::collection::vec(choice, 0..40)), |(start, choices)| {
            let mut position = position_from(starts[start]);
            check_all_moves(&position);
            for (index, kind) in choices {
                let moves: Vec<Move> = match kind {
                    0 => every_move(&position),
                    _ => position.legal_moves().into_iter().collect(),
                };
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[index.index(moves.len())]);
                check_all_moves(&position);
            }
            Ok(())
        })
        .unwrap();
}

/// Asserts that the move is illegal in this position for this reason.
#[track_caller]
fn check(fen: &str, uci: &str, key: &str, sentence: &str) {
    let position = position_from(fen);
    let mv = position.any_move(uci).or_else(|| {
        let (from, to) = (uci[..2].parse().ok()?, uci[2..4].parse().ok()?);
        Some(Move::Normal { role: Role::Pawn, from, capture: None, to, promotion: None })
    });
    let reason = why_illegal(&position, mv.expect("a move")).unwrap_or_else(|| panic!("{uci} is legal in {fen}"));
    assert_eq!((reason.key(), english(&reason).as_str()), (key, sentence), "{uci} in {fen}");
}

#[track_caller]
fn check_legal(fen: &str, uci: &str) {
    let position = position_from(fen);
    assert_eq!(why_illegal(&position, position.any_move(uci).expect("a move")), None, "{uci} in {fen}");
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn how_pieces_move() {
    check(START, "e7e5", "not_his_turn", "it was White's turn, and the pawn on e7 is the opponent's");
    check(START, "e4e5", "nothing_there", "there was no piece on e4");
    check(START, "a1a2", "own_piece", "the square is occupied by the pawn on a2, one of the player's own pieces");
    check(START, "f1f5", "no_such_move", "a bishop does not move from f1 to f5");
    check(START, "f1c4", "blocked", "the path of the bishop on f1 is blocked by the pawn on e2");
    check(START, "a1a7", "blocked", "the path of the rook on a1 is blocked by the pawn on a2");
    check("4k3/8/8/8/8/8/8/R2nqK2 w - - 0 1", "a1e1", "blocked", "the path of the rook on a1 is blocked by the knight on d1");
    check("4k3/8/8/8/8/8/8/r2NQ1K1 b - - 0 1", "a1e1", "blocked", "the path of the rook on a1 is blocked by the knight on d1");
    check("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2e8", "king_taken", "a king cannot be captured");
}

#[test]
fn how_pawns_move() {
    let moved = "rnbqkbnr/pppp1ppp/8/4p3/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 3";
    check(
        moved,
        "d3d5",
        "pawn_two_steps",
        "a pawn moves two squares only from its start square, and the pawn on d3 is not on it",
    );
    check(
        moved,
        "e4e5",
        "pawn_straight",
        "a pawn cannot move straight ahead to an occupied square, and the pawn on e5 is there",
    );
    check(moved, "a2b3", "pawn_diagonal", "a pawn moves diagonally only to capture, and there is nothing to capture on b3");
    check(moved, "d3d2", "no_such_move", "a pawn does not move from d3 to d2");
    check("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e4", "blocked", "the path of the pawn on e2 is blocked by the knight on e3");
    check(
        "4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1",
        "e2e4",
        "pawn_straight",
        "a pawn cannot move straight ahead to an occupied square, and the knight on e4 is there",
    );
    check(
        "4k3/8/8/8/8/4N3/4P3/4K3 w - - 0 1",
        "e2e3",
        "own_piece",
        "the square is occupied by the knight on e3, one of the player's own pieces",
    );
    let passed = "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3";
    check(passed, "e5d6", "en_passant_not_removed", "the pawn on d5 was captured en passant but not removed");
    let late = "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3";
    check(
        late,
        "e5d6",
        "en_passant_too_late",
        "the pawn on d5 can be captured en passant only on the move after its advance of two squares",
    );
    // Both pawns leave the rank, and the king on it is in check.
    check(
        "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1",
        "e4d3",
        "exposed",
        "the move leaves the king on a4 in check from the rook on h4",
    );
    let pawn = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    check(pawn, "a7a8", "pawn_left", "the pawn was left on a8");
    check(pawn, "a7a8k", "promoted_wrongly", "the pawn on a8 cannot become a king");
    check(START, "e2e4q", "became", "the pawn on e2 cannot become a queen");
    check(START, "g1f3q", "became", "the knight on g1 cannot become a queen");
}

#[test]
fn checks_and_pins() {
    let pin = "4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1";
    check(pin, "e2b5", "pinned", "the bishop on e2 is pinned: moving it leaves the king on e1 in check from the rook on e8");
    let check_e8 = "4r1k1/8/8/8/8/8/8/R3K3 w Q - 0 1";
    check(check_e8, "a1a2", "still_in_check", "the move leaves the king on e1 in check from the rook on e8");
    check(check_e8, "e1e2", "into_check", "the king is attacked on e2 by the rook on e8");
    check(check_e8, "e1c1", "castling_in_check", "castling is not allowed: the king is in check from the rook on e8");
    let double = "4r1k1/8/8/8/1b6/8/8/R3K3 w - - 0 1";
    check(
        double,
        "a1a4",
        "double_check",
        "the king on e1 is in check from the bishop on b4 and the rook on e8, so only the king can move",
    );
    check("8/8/8/8/8/3k4/8/3K4 w - - 0 1", "d1d2", "kings_adjacent", "the king on d2 is next to the king on d3");
    // A pinned piece may capture the piece that gives check.
    let pin_on_the_file = "4r1k1/8/8/8/8/8/1n2B3/3q1K2 w - - 0 1";
    check_legal(pin_on_the_file, "e2d1");
    let pinned = "4rqk1/8/8/8/8/5B2/8/3qK3 w - - 0 1";
    check(
        pinned,
        "f3e4",
        "double_check",
        "the king on e1 is in check from the queen on d1 and the rook on e8, so only the king can move",
    );
    let two_lines = "5qk1/8/8/8/8/5B2/8/3q1K2 w - - 0 1";
    check(
        two_lines,
        "f3d1",
        "pinned",
        "the bishop on f3 is pinned: moving it leaves the king on f1 in check from the queen on f8",
    );
}

/// With king and rook on their start squares, the moves of the game show which of them has moved.
#[test]
fn the_moves_played_show_what_moved_before_castling() {
    for (played, moved) in [
        ("h1g1 e8d8 g1h1 d8e8", "the rook on h1 has moved before"),
        ("e1e2 e8d8 e2e1 d8e8", "the king has moved before"),
        ("h1g1 e8d8 g1h1 d8e8 e1e2 e8d8 e2e1 d8e8", "the king has moved before"),
        ("a1b1 e8d8 e1e2 d8e8 e2e1 e8d8 b1a1 d8e8", "the king has moved before"),
        ("a1b1 e8e7 b1a1 e7e8 h1h2 e8e7 h2h1 e7e8", "the rook on h1 has moved before"),
    ] {
        let mut position = position_from("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        let mut moves = Vec::new();
        for uci in played.split(' ') {
            let mv = position.parse_uci(uci).expect("a legal move");
            moves.push((position.turn(), mv));
            position = position.play(mv);
        }
        let mv = position.any_move("e1h1").expect("a move");
        let reason = why_illegal(&position, mv).expect("a reason").refine_with_moves(position.turn(), moves.iter().copied());
        assert_eq!(english(&reason), format!("castling is not allowed: {moved}"), "{played}");
    }
    // A start position without the castling right and no moves since: it is unknown which of them has moved.
    let position = position_from("4k3/8/8/8/8/8/8/4K2R w - - 0 1");
    let mv = position.any_move("e1h1").expect("a move");
    let reason = why_illegal(&position, mv).expect("a reason").refine_with_moves(position.turn(), []);
    assert_eq!(english(&reason), "castling is not allowed: the king or the rook on h1 has moved before");
}

#[test]
fn castling() {
    let ready = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
    check(ready, "e1g1", "castling_unfinished", "castling was not finished: the rook is still on h1");
    check(START, "e1h1", "castling_blocked", "castling is not allowed: the bishop on f1 is in the way");
    let through = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    check(through, "e1h1", "castling_through", "castling is not allowed: the king crosses f1, which the rook on f8 attacks");
    check(through, "e1g1", "castling_through", "castling is not allowed: the king crosses f1, which the rook on f8 attacks");
    check(
        "4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "e1h1",
        "castling_into",
        "castling is not allowed: the king goes to g1, which the rook on g8 attacks",
    );
    check(
        "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1",
        "e1h1",
        "castling_after_move",
        "castling is not allowed: the rook on h1 has moved before",
    );
    check(
        "4k3/8/8/8/8/8/8/R3K2R w - - 0 1",
        "e1h1",
        "castling_after_move",
        "castling is not allowed: the king or the rook on h1 has moved before",
    );
    check(
        "4k3/8/8/8/8/8/8/R4K1R w - - 0 1",
        "f1h1",
        "castling_after_move",
        "castling is not allowed: the king has moved before",
    );
    check("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1g1", "no_such_move", "a king does not move from e1 to g1");
    let none = position_from("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    let castle = why_illegal(&none, Move::Castle { king: Square::E1, rook: Square::H1 });
    assert_eq!(castle, Some(IllegalReason::CastlingNoRook { rook: Square::H1 }));
}

/// Asserts that this placement follows by a legal move (with an empty key), or that it is illegal for this reason.
#[track_caller]
fn check_placement(fen: &str, placement: &str, key: &str, sentence: &str) {
    let board: shakmaty::Board = placement.parse().expect("a board");
    let reason = why_illegal_placement(&position_from(fen), &board);
    let found = reason.map_or((String::new(), String::new()), |reason| {
        check_text(&reason);
        (reason.key().to_owned(), english(&reason))
    });
    assert_eq!((found.0.as_str(), found.1.as_str()), (key, sentence), "{fen} to {placement}");
}

#[test]
fn the_placement_shows_which_move_was_tried() {
    check_placement(START, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "", "");
    check_placement(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "no_move", "no move was made");
    check_placement(
        START,
        "rnbqkbnr/pppppppp/8/8/3PP3/8/PPP2PPP/RNBQKBNR",
        "several_moves",
        "more than one piece was moved: the pawn on d2 and the pawn on e2",
    );
    check_placement(
        START,
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP2PP/RNBQKBNR",
        "vanished",
        "the pawn on f2 disappeared without being captured",
    );
    check_placement(START, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "", "");
    check_placement(
        START,
        "rnbqkbnr/pppppppp/8/8/4Q3/8/PPPPPPPP/RNBQKBNR",
        "appeared",
        "the queen on e4 appeared without a move",
    );
    check_placement(
        START,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKKBNR",
        "exchanged",
        "the queen on d1 was replaced by a king",
    );
    check_placement(
        START,
        "rnbqkbnr/pppppppp/8/8/8/R7/PPPPPPPP/1NBQKBNR",
        "blocked",
        "the path of the rook on a1 is blocked by the pawn on a2",
    );
    check_placement(
        START,
        "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR",
        "not_his_turn",
        "it was White's turn, and the pawn on e7 is the opponent's",
    );
    let passed = "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3";
    check_placement(passed, "rnbqkbnr/1pp1pppp/p2P4/8/8/8/PPPP1PPP/RNBQKBNR", "", "");
    check_placement(
        passed,
        "rnbqkbnr/1pp1pppp/p2P4/3p4/8/8/PPPP1PPP/RNBQKBNR",
        "en_passant_not_removed",
        "the pawn on d5 was captured en passant but not removed",
    );
    check_placement(
        passed,
        "rnbqkbnr/1pp2ppp/p2P4/3p4/8/8/PPPP1PPP/RNBQKBNR",
        "en_passant_wrong_pawn",
        "en passant captures the pawn on d5, but the pawn on e7 was removed",
    );
    let pawn = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    check_placement(pawn, "Q3k3/8/8/8/8/8/8/4K3", "", "");
    check_placement(
        pawn,
        "q3k3/8/8/8/8/8/8/4K3",
        "promoted_colour",
        "the promoted piece, the queen on a8, is of the other colour",
    );
    check_placement(pawn, "K3k3/8/8/8/8/8/8/4K3", "promoted_wrongly", "the pawn on a8 cannot become a king");
    check_placement(pawn, "P3k3/8/8/8/8/8/8/4K3", "pawn_left", "the pawn was left on a8");
    let ready = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
    check_placement(ready, "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1", "", "");
    check_placement(ready, "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R4K1R", "", "");
    check_placement(
        ready,
        "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3R1K1",
        "castling_squares",
        "the king on e1 and the rook on h1 were not moved as in castling",
    );
    check_placement(
        "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "4kr2/8/8/8/8/8/8/R4RK1",
        "castling_through",
        "castling is not allowed: the king crosses f1, which the rook on f8 attacks",
    );
    check_placement("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "4R3/8/8/8/8/8/8/4K3", "king_taken", "a king cannot be captured");
    check_placement("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "8/4R3/8/8/8/8/8/4K3", "king_taken", "a king cannot be captured");
}

#[test]
fn every_placement_is_legal_or_has_a_reason() {
    let pieces = proptest::collection::vec((0..64u32, proptest::option::of((any::<bool>(), 0..6usize))), 0..6);
    let fens = [START, "r3k2r/1P4p1/8/2pPp3/8/5n2/P6p/R3K2R w KQkq c6 0 1", "4P1k1/2p5/8/8/8/8/r6p/p5K1 b - - 0 1"];
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&(0..fens.len(), any::<prop::sample::Index>(), pieces), |(fen, index, changes)| {
            let position = position_from(fens[fen]);
            let moves = position.legal_moves();
            let after = position.play(moves[index.index(moves.len())]);
            prop_assert_eq!(why_illegal_placement(&position, after.board()), None);
            let mut board = after.board().clone();
            for (square, piece) in changes {
                match piece {
                    Some((white, role)) => {
                        board.set_piece_at(Square::new(square), Role::ALL[role].of(shakmaty::Color::from_white(white)))
                    }
                    None => board.discard_piece_at(Square::new(square)),
                }
            }
            let legal = moves.iter().any(|&mv| position.play(mv).board() == &board);
            let reason = why_illegal_placement(&position, &board);
            prop_assert_eq!(reason.is_none(), legal, "{:?} in {:?}", reason, board);
            if let Some(reason) = reason {
                check_text(&reason);
            }
            Ok(())
        })
        .unwrap();
}
