//! Positions and moves: equal to shakmaty in regular positions, and playable in irregular ones.

use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Piece, Position as Rules, Role, Setup, Square,
    perft,
};
use std::path::Path;
use touchmove::laws::{Ending, Irregular, Position};

/// Castling both ways, en passant, pins, promotions, checks, in both notations of castling.
const POSITIONS: &[(&str, bool, u32)] = &[
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false, 3),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false, 3),
    ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 5 9", false, 3),
    ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", false, 3),
    ("4k3/2P3P1/8/8/8/8/2p3p1/4K3 w - - 0 1", false, 4),
    ("1r2k1r1/P6P/8/8/8/8/p6p/1R2K1R1 b - - 0 1", false, 3),
    // The pawn on d5 may not capture en passant: both pawns would leave the rank on which the rook attacks the king.
    ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", false, 3),
    ("8/8/8/3pP3/8/8/8/K3k3 w - d6 0 1", false, 4),
    ("4k3/8/8/8/1pPp4/8/8/4K3 b - c3 0 1", false, 4),
    // In check by the pawn that just advanced.
    ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", false, 4),
    ("4k3/4r3/8/8/8/8/4Q3/4K3 w - - 99 80", false, 3),
    ("rnbq1bnr/ppppkppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQ - 2 3", false, 3),
    ("1rk1r3/8/8/8/8/8/8/1RK1R3 w EBeb - 0 1", true, 3),
    ("rk5r/8/8/8/8/8/8/RK5R w KQkq - 0 1", true, 3),
    ("5rkr/5ppp/8/8/8/8/5PPP/5RKR b KQkq - 0 1", true, 3),
    ("nrbbkqnr/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQNR w KQkq - 0 1", true, 3),
    // The rook that castles hides the king from another.
    ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", true, 3),
];

/// Compares the regular and the irregular implementation, in this position and after each of its moves.
fn check_node(position: &Position, irregular: &Irregular) {
    let fen = position.fen();
    let moves = position.legal_moves();
    let others = Rules::legal_moves(irregular);
    assert_eq!(others.len(), moves.len(), "{fen}: {others:?}");
    for &mv in &moves {
        assert!(others.contains(&mv), "{fen}: {mv:?}");
        let after = position.play(mv);
        assert_eq!(position.play_legal(mv).fen(), after.fen(), "{fen}: {mv:?}");
        let mut other = irregular.clone();
        other.play_unchecked(mv);
        let other = Position::from_setup(other.to_setup(), mode(position));
        assert_eq!(other.fen(), after.fen(), "{fen}: {mv:?}");
        assert_eq!(other.key(), after.key(), "{fen}: {mv:?}");
        assert_eq!(after.is_regular(), position.is_regular(), "{fen}: {mv:?}");
    }
}

/// Every legal move is written and read in the same way by both implementations.
fn check_names(position: &Position) {
    let fen = position.fen();
    let again = Position::from_fen(&fen, position.is_chess960()).expect("our own FEN");
    assert_eq!((again.fen(), again.key()), (fen.clone(), position.key()));
    let irregular = position.as_irregular();
    for mv in position.legal_moves() {
        let san = position.san(mv);
        assert_eq!(position.parse_san(&san), Some(mv), "{fen}: {san}");
        assert_eq!(shakmaty::san::SanPlus::from_move(irregular.clone(), mv).to_string(), san, "{fen}");
        let uci = position.uci(mv);
        assert_eq!(position.parse_uci(&uci), Some(mv), "{fen}: {uci}");
        if let Move::Castle { king, rook } = mv {
            assert_eq!(position.parse_uci(&format!("{king}{rook}")), Some(mv), "{fen}: king takes rook");
        }
    }
}

fn mode(position: &Position) -> CastlingMode {
    if position.is_chess960() { CastlingMode::Chess960 } else { CastlingMode::Standard }
}

/// Counts the lines of play; the irregular implementation must find the same moves.
fn count(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    if depth == 1 {
        assert_eq!(Rules::legal_moves(&position.as_irregular()).len(), moves.len(), "{}", position.fen());
        return moves.len() as u64;
    }
    check_node(position, &position.as_irregular());
    moves.into_iter().map(|mv| count(&position.play(mv), depth - 1)).sum()
}

#[test]
fn regular_positions_agree_with_shakmaty() {
    for &(fen, chess960, depth) in POSITIONS {
        let position = Position::from_fen(fen, chess960).unwrap();
        assert!(position.is_regular(), "{fen}");
        let chess: Chess = fen.parse::<Fen>().unwrap().into_position(mode(&position)).unwrap();
        assert_eq!(count(&position, depth), perft(&chess, depth), "{fen}");
        check_names(&position);
    }
    assert_eq!(count(&Position::start(), 3), 8902);
    for number in [0, 1, 518, 777, 959] {
        let position = Position::chess960(number).unwrap();
        assert!(position.is_regular() && position.is_chess960());
        assert_eq!(count(&position, 2), perft(&chess960_start(number), 2), "start position {number}");
        check_names(&position);
    }
    assert!(Position::chess960(960).is_none());
}

fn chess960_start(number: u16) -> Chess {
    let board = Board::chess960(u32::from(number));
    let setup = Setup { castling_rights: board.rooks(), board, ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Chess960).unwrap()
}

/// Thousands of positions with counts that other programs agree on.
#[test]
fn perft_suites() {
    for (file, chess960, max_nodes) in
        [("tricky.perft", true, 100_000), ("random.perft", false, 10_000), ("chess960.perft", true, 15_000)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/rules").join(file);
        let Ok(suite) = std::fs::read_to_string(&path) else {
            eprintln!("skipped: there is no {}", path.display());
            continue;
        };
        let mut position = Position::start();
        let mut counted = 0;
        for line in suite.lines() {
            if let Some(fen) = line.strip_prefix("epd ") {
                position = Position::from_fen(fen, chess960).unwrap();
                let crowded = Color::ALL.into_iter().any(|color| position.board().by_color(color).count() > 16);
                assert_eq!(position.is_regular(), !crowded, "{fen}");
                check_names(&position);
            } else if let Some(line) = line.strip_prefix("perft ") {
                let (depth, nodes) = line.split_once(' ').unwrap();
                let nodes: u64 = nodes.trim().parse().unwrap();
                if nodes <= max_nodes {
                    assert_eq!(count(&position, depth.parse().unwrap()), nodes, "{}", position.fen());
                    counted += 1;
                }
            }
        }
        assert!(counted > 0, "{file} has no counts");
    }
}

/// Plays these moves, in SAN; each must be legal.
#[track_caller]
fn play(fen: &str, moves: &[&str]) -> Position {
    let mut position = Position::from_fen(fen, false).unwrap();
    for san in moves {
        let mv = position.parse_san(san).unwrap_or_else(|| panic!("{san} in {}", position.fen()));
        assert_eq!(position.san(mv), *san);
        assert_eq!(position.parse_uci(&position.uci(mv)), Some(mv));
        position = position.play(mv);
    }
    position
}

fn sans(position: &Position) -> Vec<String> {
    let mut sans: Vec<_> = position.legal_moves().into_iter().map(|mv| position.san(mv)).collect();
    sans.sort();
    sans
}

#[test]
fn play_goes_on_with_both_kings_in_check() {
    // White's rook was pinned: it should not have given check.
    let fen = "4k3/8/8/8/Q7/4r3/8/4K3 w - - 3 40";
    let position = Position::from_fen(fen, false).unwrap();
    assert!(!position.is_regular());
    assert!(position.is_check());
    assert_eq!((position.fen().as_str(), position.ending(), position.winner()), (fen, None, None));
    // White has to get out of check; the black king is not captured, and Black gets out of check with the next move.
    assert_eq!(sans(&position), ["Kd1+", "Kd2+", "Kf1+", "Kf2+"]);
    let after = play(fen, &["Kf2+"]);
    assert!(after.is_regular(), "{}", after.fen());
    assert_eq!(after.fen(), "4k3/8/8/8/Q7/4r3/5K2/8 b - - 4 40");
    let later = play(fen, &["Kf2+", "Kf7", "Kxe3"]);
    assert_eq!(later.fen(), "8/5k2/8/8/Q7/4K3/8/8 b - - 0 41");
    // The mover may not leave the own king in check, though Black's king is in check too.
    assert_eq!(position.parse_san("Qe4"), None);
    assert_eq!(position.parse_uci("a4e8"), None, "a king is never captured");
    // Only the side that is not to move is in check: the mover may make any move.
    let after_queen_move = play("4k3/8/8/8/Q7/8/8/4K3 w - - 0 1", &["Qa5"]);
    assert!(after_queen_move.is_regular());
}

#[test]
fn play_goes_on_with_a_pawn_on_the_last_rank() {
    let fen = "4P1k1/8/8/8/8/8/r7/6K1 b - - 0 1";
    let position = Position::from_fen(fen, false).unwrap();
    assert!(!position.is_regular());
    let later = play(fen, &["Kf8", "Kf1", "Rh2", "Kg1"]);
    assert!(!later.is_regular(), "the pawn is still there");
    assert_eq!(later.fen(), "4Pk2/8/8/8/8/8/7r/6K1 b - - 4 3");
    assert!(later.legal_moves().into_iter().all(|mv| mv.from() != Some(Square::E8)), "and has no move");
    let captured = play(fen, &["Kf8", "Kf1", "Rh2", "Kg1", "Kxe8", "Kxh2"]);
    assert!(captured.is_regular());
    assert_eq!(captured.fen(), "4k3/8/8/8/8/8/7K/8 b - - 0 4");
    // On its own first rank a pawn steps one square, and from the second two, as ever.
    let home = "4k3/8/8/8/8/8/8/P3K3 w - - 0 1";
    assert!(sans(&Position::from_fen(home, false).unwrap()).contains(&"a2".to_owned()));
    assert_eq!(play(home, &["a2", "Kd7", "a4"]).fen(), "8/3k4/8/8/P7/8/8/4K3 b - - 0 2");
}

/// Castling, en passant and promotion exist in irregular positions too: here a black pawn stands on White's first rank.
#[test]
fn irregular_positions_have_all_kinds_of_moves() {
    let fen = "r3k2r/1P6/8/4Pp2/8/8/8/R3K2p w Qkq f6 0 1";
    let position = Position::from_fen(fen, false).unwrap();
    assert!(!position.is_regular());
    assert_eq!(position.fen(), fen);
    let sans = sans(&position);
    for san in ["O-O-O", "exf6", "bxa8=Q+", "b8=N"] {
        assert!(sans.contains(&san.to_owned()), "{san} in {sans:?}");
    }
    for mv in position.legal_moves() {
        assert_eq!(position.parse_san(&position.san(mv)), Some(mv));
        assert_eq!(position.parse_uci(&position.uci(mv)), Some(mv));
    }
    assert_eq!(play(fen, &["O-O-O", "O-O"]).fen(), "r4rk1/1P6/8/4Pp2/8/8/8/2KR3p w - - 2 2");
    assert_eq!(play(fen, &["exf6", "Kd7"]).fen(), "r6r/1P1k4/5P2/8/8/8/8/R3K2p w Q - 1 2");
    assert_eq!(play(fen, &["bxa8=Q+"]).fen(), "Q3k2r/8/8/4Pp2/8/8/8/R3K2p b Qk - 0 1");
    assert_eq!(play(fen, &["Rxa8+"]).fen(), "R3k2r/1P6/8/4Pp2/8/8/8/4K2p b k - 0 1");
}

#[test]
fn castling_in_both_notations() {
    let cases = [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false, "O-O", "e1g1", "e1h1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", false, "O-O-O", "e8c8", "e8a8", "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 1 2"),
        ("4k3/8/8/8/8/8/8/1R1K2R1 w GB - 0 1", true, "O-O", "d1g1", "d1g1", "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/1R1K2R1 w GB - 0 1", true, "O-O-O", "d1b1", "d1b1", "4k3/8/8/8/8/8/8/2KR2R1 b - - 1 1"),
        // The king does not move.
        ("6kr/8/8/8/8/8/8/6K1 b h - 0 1", true, "O-O", "g8h8", "g8h8", "5rk1/8/8/8/8/8/8/6K1 w - - 1 2"),
        ("4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1", true, "O-O", "e1h1", "e1g1", "4k2r/8/8/8/8/8/8/5RK1 b k - 1 1"),
    ];
    for (fen, chess960, san, uci, other, after) in cases {
        let position = Position::from_fen(fen, chess960).unwrap();
        let mv = position.parse_san(san).unwrap_or_else(|| panic!("{san} in {fen}"));
        assert_eq!((position.san(mv).as_str(), position.uci(mv).as_str()), (san, uci), "{fen}");
        assert_eq!((position.parse_uci(uci), position.parse_uci(other)), (Some(mv), Some(mv)), "{fen}");
        assert_eq!(position.play(mv).fen().split(' ').next(), after.split(' ').next());
        assert_eq!(Position::from_fen(after, chess960).unwrap().key(), position.play(mv).key(), "{fen}");
    }
}

/// The FEN must be enough to restore the position, because a record stores nothing else.
#[test]
fn a_fen_with_the_castling_of_chess960_is_one_of_chess960() {
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let position = Position::from_fen(fen, true).unwrap();
    let again = Position::from_fen(&position.fen(), false).unwrap();
    assert!(again.is_chess960());
    assert_eq!((again.key(), again.fen()), (position.key(), position.fen()));
    assert!(!Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false).unwrap().is_chess960());
}

#[test]
fn checkmate_and_stalemate_end_a_game() {
    let ending = |fen| {
        let position = Position::from_fen(fen, false).unwrap();
        (position.ending(), position.winner())
    };
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    assert_eq!(ending(mate), (Some(Ending::Checkmate), Some(Color::Black)));
    assert_eq!(ending("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), (Some(Ending::Stalemate), None));
    assert_eq!(ending("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), (None, None), "no dead position here");
    assert_eq!(ending("7k/5Q2/6K1/8/8/8/8/P6P b - - 0 1"), (None, None), "nothing ends an irregular position");
}

/// More moves than a `MoveList` holds: none may panic.
#[test]
fn crowded_boards_do_not_panic() {
    for fen in [
        "QQQQQQBk/Q5RB/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
        "QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQQ w - - 0 1",
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1",
        "2QQqK1k/Q4Qrp/2Q4Q/4Q3/1Q4Q1/3Q4/Q4Q2/2QQ3Q w - - 0 1",
        "kKkKkKkK/KkKkKkKk/kKkKkKkK/KkKkKkKk/kKkKkKkK/KkKkKkKk/kKkKkKkK/KkKkKkKk w - - 0 1",
    ] {
        check_no_panic(&Position::from_fen(fen, false).unwrap());
    }
}

/// No function of this position panics, and it reads its own FEN and moves.
fn check_no_panic(position: &Position) {
    let fen = position.fen();
    let again = Position::from_fen(&fen, position.is_chess960()).expect("our own FEN");
    assert_eq!((again.fen(), again.key(), again.is_regular()), (fen.clone(), position.key(), position.is_regular()));
    let _ = (position.ending(), position.winner(), position.is_check());
    let moves = position.legal_moves();
    let irregular = Rules::legal_moves(&position.as_irregular());
    if position.is_regular() {
        assert_eq!(irregular.len(), moves.len(), "{fen}");
        assert!(moves.iter().all(|mv| irregular.contains(mv)), "{fen}: {moves:?} {irregular:?}");
    }
    for mv in moves {
        let (san, uci) = (position.san(mv), position.uci(mv));
        assert_eq!(position.parse_san(&san), Some(mv), "{fen}: {san}");
        assert_eq!(position.parse_uci(&uci), Some(mv), "{fen}: {uci}");
        let after = position.play(mv);
        assert_eq!(after.turn(), !position.turn());
        let _ = (after.fen(), after.key(), after.legal_moves().len());
        let changes = touchmove::laws::Changes::of(position.turn(), mv);
        for square in Square::ALL {
            let changed = changes.iter().find(|(changed, _)| *changed == square);
            let expect = changed.map_or(position.piece_at(square), |(_, piece)| piece);
            assert_eq!(after.piece_at(square), expect, "{fen}: {uci} on {square}");
        }
    }
}

/// Any placement, mostly with few pieces, sometimes full, often with one king each.
fn any_position() -> impl Strategy<Value = Position> {
    let piece = (0..12usize)
        .prop_map(|index| Piece { color: if index < 6 { Color::White } else { Color::Black }, role: Role::ALL[index % 6] });
    let pieces = prop_oneof![4 => 0..8usize, 3 => 8..30usize, 1 => 30..64usize]
        .prop_flat_map(move |count| proptest::collection::vec((0..64u32, piece.clone()), count));
    let kings = proptest::option::of((0..64u32, 0..64u32));
    let home = any::<bool>();
    (pieces, kings, home, any::<bool>(), any::<bool>(), any::<u64>(), proptest::option::of(0..64u32)).prop_map(
        |(pieces, kings, home, white, chess960, rights, ep)| {
            let mut board = Board::empty();
            for (square, piece) in pieces {
                if kings.is_none() || piece.role != Role::King {
                    board.set_piece_at(Square::new(square), piece);
                }
            }
            if home {
                for (square, piece) in Board::default() {
                    if matches!(piece.role, Role::Rook | Role::King) {
                        board.set_piece_at(square, piece);
                    }
                }
            } else if let Some((one, other)) = kings {
                board.set_piece_at(Square::new(one), Color::White.king());
                board.set_piece_at(Square::new(other), Color::Black.king());
            }
            let turn = if white { Color::White } else { Color::Black };
            let castling_rights = if home { board.rooks() } else { Bitboard(rights) };
            let setup = Setup { board, turn, castling_rights, ep_square: ep.map(Square::new), ..Setup::empty() };
            Position::from_setup(setup, if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard })
        },
    )
}

/// Any move that the type can express, legal or not.
fn any_move() -> impl Strategy<Value = Move> {
    let square = || (0..64u32).prop_map(Square::new);
    let role = || (0..6usize).prop_map(|index| Role::ALL[index]);
    prop_oneof![
        (role(), square(), proptest::option::of(role()), square(), proptest::option::of(role()))
            .prop_map(|(role, from, capture, to, promotion)| Move::Normal { role, from, capture, to, promotion }),
        (square(), square()).prop_map(|(from, to)| Move::EnPassant { from, to }),
        (square(), square()).prop_map(|(king, rook)| Move::Castle { king, rook }),
        (role(), square()).prop_map(|(role, to)| Move::Put { role, to }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_placement_can_be_played(position in any_position()) {
        check_no_panic(&position);
        check_no_panic(&Position::from_board(position.board().clone(), position.turn()));
    }

    #[test]
    fn illegal_moves_lead_to_a_position(position in any_position(), moves in proptest::collection::vec(any_move(), 1..6)) {
        let mut position = position;
        for mv in moves {
            let _ = (position.san(mv), position.uci(mv));
            position = position.play(mv);
            let _ = (position.fen(), position.legal_moves().len());
        }
    }

    #[test]
    fn random_text_does_not_panic(text in "\\PC{0,80}", fenlike in "[1-8kKqQrRbBnNpP/]{0,71}( [wb-]( [KQkqA-Ha-h-]{0,5}( [a-h1-8-]{0,3}( [0-9]{0,11}){0,3})?)?)?") {
        for text in [&text, &fenlike] {
            for chess960 in [false, true] {
                if let Ok(position) = Position::from_fen(text, chess960) {
                    check_no_panic(&position);
                }
            }
            let _ = (Position::start().parse_uci(text), Position::start().parse_san(text));
        }
    }

    /// From any position, the regular and the irregular implementation play the same games.
    #[test]
    fn both_implementations_play_the_same_games(position in any_position(), choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..40)) {
        let mut position = position;
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            if position.is_regular() {
                check_node(&position, &position.as_irregular());
                let chess = Chess::from_setup(position.fen().parse::<Fen>().unwrap().into_setup(), mode(&position))
                    .or_else(shakmaty::PositionError::ignore_too_much_material)
                    .or_else(shakmaty::PositionError::ignore_impossible_check)
                    .unwrap();
                prop_assert_eq!(chess.legal_moves().len(), moves.len());
                prop_assert_eq!(Fen::from_position(&chess, EnPassantMode::Legal).to_string(), position.fen());
            }
            position = position.play(moves[choice.index(moves.len())]);
        }
    }
}

#[test]
fn illegal_moves_are_written_and_read() {
    let check = |fen: &str, uci: &str, san: &str, after: &str| {
        let position = Position::from_fen(fen, false).expect("a FEN");
        let mv = position.any_move(uci).unwrap_or_else(|| panic!("{uci} in {fen}"));
        assert!(!position.is_legal(mv), "{uci} in {fen}");
        assert_eq!((position.uci(mv).as_str(), position.san(mv).as_str()), (uci, san));
        assert_eq!(position.play(mv).fen(), after);
        assert_eq!(position.any_move_to(uci, after), Some(mv), "{uci} in {fen}");
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    check(start, "a1a5", "Ra1-a5", "rnbqkbnr/pppppppp/8/R7/8/8/PPPPPPPP/1NBQKBNR b Kkq - 1 1");
    check(start, "a1a7", "Ra1xa7", "rnbqkbnr/Rppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR b Kkq - 0 1");
    // Out of turn: the other side is to move again.
    check(start, "e7e5", "e7-e5", "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2");
    // Castling out of check; the king alone; a pawn that stays a pawn.
    let king = "4r2k/P7/8/8/8/8/8/4K2R w K - 0 1";
    check(king, "e1h1", "O-O", "4r2k/P7/8/8/8/8/8/5RK1 b - - 1 1");
    check(king, "e1g1", "Ke1-g1", "4r2k/P7/8/8/8/8/8/6KR b - - 1 1");
    check(king, "a7a8", "a7-a8", "P3r2k/8/8/8/8/8/8/4K2R b K - 0 1");
    // A pawn moves sideways without an en passant capture; and a pawn captures en passant one move too late.
    let side = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPPP1P/RNBQKBNR w KQkq - 0 2";
    check(side, "f2g4", "f2-g4", "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2");
    let passed = Position::from_fen("rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 4", false).expect("a FEN");
    let late = passed.any_move_to("e5d6", "rnbqkbnr/1pp1pppp/p2P4/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 4");
    assert_eq!(late, Some(Move::EnPassant { from: Square::E5, to: Square::D6 }));
    assert_eq!(Position::start().any_move("e4e5"), None);
}
