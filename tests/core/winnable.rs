//! Whether a player can still mate by any series of legal moves: the answer is never "cannot" if there is a mate.

use proptest::prelude::*;
use shakmaty::Color::{self, Black, White};
use std::path::Path;
use touchmove::laws::{DeadSearch, Ending, MateSearch, Position, Winnable, is_dead, winnable, winnable_within};

/// FEN, whether White can mate, whether Black can.
const POSITIONS: &[(&str, bool, bool)] = &[
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true, true),
    // Kings with few pieces.
    ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", false, false),
    ("8/8/4k3/8/8/4KB2/8/8 w - - 0 1", false, false),
    ("8/8/4k3/8/8/4KN2/8/8 b - - 0 1", false, false),
    ("8/8/4k3/8/8/3NKN2/8/8 b - - 0 1", true, false),
    ("8/8/4k3/8/8/3BKN2/8/8 b - - 0 1", true, false),
    ("8/8/4k3/8/8/4KR2/8/8 w - - 0 1", true, false),
    ("8/8/4k3/8/4P3/4K3/8/8 w - - 0 1", true, false),
    // Bishops of one colour of square, and of both.
    ("5b2/8/4k3/8/8/4K3/8/2B5 w - - 0 1", false, false),
    ("2b5/8/4k3/8/8/4K3/8/2B5 w - - 0 1", true, true),
    ("8/8/4k3/8/5B2/4K3/5B2/2B5 w - - 0 1", false, false),
    ("8/8/4k3/8/5B2/4K3/4B3/8 w - - 0 1", true, false),
    // A rook or a queen that blocks a flight square could capture the bishop instead; with a knight, a rook can block.
    ("4r3/8/4k3/8/8/4K3/5B2/8 w - - 0 1", false, true),
    ("4q3/8/4k3/8/8/4K3/5N2/8 w - - 0 1", false, true),
    ("4r3/8/4k3/8/8/4K3/5N2/8 w - - 0 1", true, true),
    ("8/4p3/4k3/8/8/4K3/5N2/8 w - - 0 1", true, true),
    ("8/4p3/4k3/8/8/4K3/5B2/8 w - - 0 1", true, true),
    // Walls of pawns that nobody can pass: kings alone, and bishops that attack nothing on the squares of their colour.
    ("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", false, false),
    ("4k3/2b5/8/2p1p1p1/1pPpPpPp/1P1P1P1P/8/4KB2 w - - 0 1", false, false),
    // Each bishop can capture a pawn of the wall.
    ("4k3/3b4/8/2p1p1p1/1pPpPpPp/1P1P1P1P/8/2B1K3 w - - 0 1", true, true),
    // A king that captures the pawn leaves the other king without a move.
    ("8/8/7p/5p1P/5p1K/5Pp1/6P1/5k2 b - - 0 1", false, false),
    // The wall has a gap.
    ("4k3/8/8/p1p1p3/P1P1P3/8/8/4K3 w - - 0 1", true, true),
    // Only one move, and it stalemates.
    ("8/8/8/8/8/6k1/6p1/6K1 b - - 0 1", false, true),
    ("7k/5K2/6P1/8/8/8/8/8 w - - 0 1", true, false),
    // The only move captures the last piece that could mate.
    ("k7/1Q6/8/8/8/8/8/4K3 b - - 0 1", false, false),
    // Mated and stalemated already.
    ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", true, false),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false, false),
    // Promotion to mate, and promotion by the other player so that the new piece blocks its own king.
    ("8/P7/8/8/8/8/8/k1K5 w - - 0 1", true, false),
    ("8/8/8/8/8/5k2/4p3/4K2N b - - 0 1", true, true),
    // The capture en passant opens the wall. One move later the pawns would block each other for good.
    ("4k3/8/p1p1p1p1/P1P1PpP1/8/8/8/4K3 w - f6 0 1", true, true),
    // Castling counts among the moves.
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", true, false),
];

fn can(position: &Position, winner: Color) -> Winnable {
    winnable(position, winner)
}

#[test]
fn positions_of_every_kind() {
    for &(fen, white, black) in POSITIONS {
        let position = Position::from_fen(fen, false).expect("a FEN");
        for (winner, expected) in [(White, white), (Black, black)] {
            let expected = if expected { Winnable::CanMate } else { Winnable::CannotMate };
            assert_eq!(can(&position, winner), expected, "{winner:?} in {fen}");
        }
        assert_eq!(is_dead(&position), !white && !black, "{fen}");
    }
}

/// A search in slices has the same result as one without, for any size of the slices.
#[test]
fn slices_change_no_answer() {
    for &(fen, white, black) in POSITIONS {
        let position = Position::from_fen(fen, false).expect("a FEN");
        for budget in [1, 1_000, 50_000] {
            for (winner, expected) in [(White, white), (Black, black)] {
                let mut search = MateSearch::new(&position, winner);
                let answer = std::iter::from_fn(|| Some(search.run(budget))).flatten().next().expect("an end");
                assert_eq!(answer == Winnable::CanMate, expected, "{winner:?} in {fen}");
            }
            let mut search = DeadSearch::new(&position);
            let dead = std::iter::from_fn(|| Some(search.run(budget))).flatten().next().expect("an end");
            assert_eq!(dead, !white && !black, "{fen}");
        }
    }
}

#[test]
fn with_a_limit_the_answer_may_be_possible() {
    let position = Position::from_fen("4r3/8/4k3/8/8/4K3/5N2/8 w - - 0 1", false).expect("a FEN");
    assert_eq!(winnable_within(&position, White, 1), Winnable::Possible);
}

/// Play goes on from positions that play should never have reached.
#[test]
fn irregular_positions() {
    for (fen, winner, expected) in [
        // Both kings in check.
        ("4k3/8/8/4R3/4r3/8/8/4K3 w - - 0 1", White, Winnable::CanMate),
        // A pawn left on the last rank never moves, but may block its own king; alone it cannot mate.
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", Black, Winnable::CannotMate),
        ("P3k3/8/8/8/8/8/7r/4K3 w - - 0 1", Black, Winnable::CanMate),
        // No king to mate, or two.
        ("4k3/8/8/8/8/8/8/4R3 w - - 0 1", Black, Winnable::Possible),
        ("4k1k1/8/8/8/8/8/8/R3K3 w - - 0 1", White, Winnable::Possible),
    ] {
        let position = Position::from_fen(fen, false).expect("a FEN");
        assert!(!position.is_regular(), "{fen}");
        assert_eq!(can(&position, winner), expected, "{winner:?} in {fen}");
    }
}

/// Test vectors of other authors: two signs, which say whether White and Black can mate, and a FEN.
#[test]
fn never_cannot_where_there_is_a_mate() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/rules/unwinnable-dev.txt"));
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("SKIPPED: there is no {}", path.display());
        return;
    };
    let (mut wrong, mut undecided, mut count) = (Vec::new(), Vec::new(), 0);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (signs, fen) = line.split_at(2);
        let position = Position::from_fen(fen, false).expect("a FEN");
        for (winner, sign) in [White, Black].into_iter().zip(signs.chars()) {
            count += 1;
            match (winnable_within(&position, winner, POSITION_LIMIT), sign == '-') {
                (Winnable::CanMate, false) | (Winnable::CannotMate, true) => {}
                (Winnable::Possible, _) => undecided.push(line),
                _ => wrong.push(line),
            }
        }
    }
    assert!(count > 1000 && wrong.is_empty(), "{} of {count} are wrong: {wrong:#?}", wrong.len());
    assert!(undecided.len() <= UNDECIDED, "{} of {count} are undecided: {undecided:#?}", undecided.len());
}

/// The limit of positions that are searched for each test vector; `cargo bench --bench winnable` has the limit of the daemon.
const POSITION_LIMIT: u32 = 1 << 13;
/// How many test vectors may stay undecided: 123 of 1804 do, and 3 with the daemon's limit.
const UNDECIDED: usize = 123;

/// Pieces on random squares, perhaps with walls of pawns, and random moves. A player who mates by them could mate.
fn pieces_and_moves() -> impl Strategy<Value = (Vec<(u8, usize)>, Vec<u16>)> {
    (prop::collection::vec((0_u8..64, 0_usize..10), 2..14), prop::collection::vec(any::<u16>(), 80))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn a_player_who_mates_by_random_moves_could_mate((pieces, moves) in pieces_and_moves()) {
        use shakmaty::{Board, Piece, Role, Square};
        let mut board = Board::empty();
        let roles = [Role::Pawn, Role::Pawn, Role::Pawn, Role::Bishop, Role::Knight];
        for (at, kind) in pieces {
            let role = roles[kind % 5];
            let at = if role == Role::Pawn { 8 + at % 48 } else { at };
            board.set_piece_at(Square::new(u32::from(at)), Piece { color: Color::from_white(kind < 5), role });
        }
        let free = |corner: u32| Square::new(corner);
        board.set_piece_at(free(0), Role::King.of(White));
        board.set_piece_at(free(63), Role::King.of(Black));
        let mut line = vec![Position::from_board(board, White)];
        for pick in moves {
            let last = line.last().expect("the start").clone();
            let legal = last.legal_moves();
            if legal.is_empty() { break }
            line.push(last.play(legal[usize::from(pick) % legal.len()]));
        }
        let last = line.last().expect("the start");
        if last.ending() == Some(Ending::Checkmate) {
            let winner = !last.turn();
            for position in &line {
                prop_assert_ne!(winnable_within(position, winner, 1 << 14), Winnable::CannotMate, "{:?} in {}", winner, position.fen());
            }
        }
    }
}
