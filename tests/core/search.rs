//! The search for lines that explain a board finds the same lines as playing all of them out.

use shakmaty::{Bitboard, CastlingSide, Color, Move, Square};
use touchmove::boards::{Placement, SensorKind, SquareState};
use touchmove::infer::{ObservedBoard, explain};
use touchmove::laws::Position;

/// Positions with two or three moves each: captures, en passant, promotions, and castling in standard chess and Chess960.
const PLAYED: [(&str, bool, &[&str]); 7] = [
    ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", false, &["e1g1", "e8c8"]),
    ("4k3/2P3P1/8/8/8/8/2p3p1/4K3 w - - 0 1", false, &["c7c8q", "e8e7"]),
    ("8/8/8/3pP3/8/8/8/K3k3 w - d6 0 1", false, &["e5d6", "e1d1", "d6d7"]),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", false, &["h5e5", "c6e5"]),
    ("rk5r/8/8/8/8/8/8/RK5R w KQkq - 0 1", true, &["b1a1", "a8a1"]),
    // The king and the rook change places.
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", true, &["f1g1", "e8d8"]),
    ("4k3/3p4/8/2P5/8/8/8/4K2R w K - 0 1", false, &["e1g1", "d7d5", "c5d6"]),
];

/// Squares that are not compared: none, some on which pieces land, and some that pieces leave.
const HIDDEN: [Bitboard; 3] = [Bitboard::EMPTY, Bitboard(1 << 36 | 1 << 43 | 1 << 62), Bitboard(1 << 4 | 1 << 12 | 1 << 34)];

fn placement(position: &Position) -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for (square, piece) in position.board().iter() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    placement
}

fn seen(placement: &Placement, sensing: SensorKind) -> ObservedBoard {
    ObservedBoard::from_placement(&placement.map(|sensed| sensed.reduce_to(sensing)), sensing)
}

/// The square on which the moving piece lands; of castling, the king.
fn landing(mv: Move) -> Square {
    match mv {
        Move::Castle { king, rook } => {
            Square::from_coords(CastlingSide::from_queen_side(rook < king).king_to_file(), king.rank())
        }
        _ => mv.to(),
    }
}

/// What the board shows, and the squares of it that are not compared.
type Shown<'a> = (&'a ObservedBoard, Bitboard);

/// Collects every line of `depth` plies after which the board would show this, except for one piece that the next player may hold.
fn play_out(position: &Position, shown: Shown<'_>, depth: u32, line: &mut Vec<Move>, found: &mut Vec<Vec<Move>>) {
    if depth == 0 {
        let (seen, hidden) = shown;
        let wrong = seen.mismatch(position.board()) & !hidden;
        let in_hand = wrong & position.board().by_color(position.turn()) & !seen.occupied();
        if wrong == in_hand && wrong.count() <= 1 && !line.iter().any(|&mv| !mv.is_castle() && wrong.contains(landing(mv))) {
            found.push(line.clone());
        }
        return;
    }
    for mv in position.legal_moves() {
        line.push(mv);
        play_out(&position.play(mv), shown, depth - 1, line, found);
        line.pop();
    }
}

#[test]
fn every_line_is_found() {
    for (fen, chess960, moves) in PLAYED {
        let base = Position::from_fen(fen, chess960).expect("a FEN");
        for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
            let mut position = base.clone();
            for (depth, text) in (1..).zip(moves) {
                position = position.play(position.parse_uci(text).expect("a legal move"));
                let complete = placement(&position);
                let lifted = position.board().iter().map(|(square, _)| Some(square)).chain([None]);
                for (lifted, hidden) in lifted.flat_map(|lifted| HIDDEN.map(|hidden| (lifted, hidden))) {
                    let mut shown = complete;
                    if let Some(square) = lifted {
                        shown[square as usize] = SquareState::Empty;
                    }
                    let seen = seen(&shown, sensing);
                    let lines = explain(&base, &seen, hidden, depth, 0);
                    if lines.iter().any(|line| line.cut_off) {
                        continue;
                    }
                    let mut found: Vec<String> = lines.iter().map(|line| format!("{:?}", line.moves)).collect();
                    let mut expected = Vec::new();
                    play_out(&base, (&seen, hidden), depth, &mut Vec::new(), &mut expected);
                    let mut expected: Vec<String> = expected.iter().map(|line| format!("{line:?}")).collect();
                    assert!(lifted.is_some() || !expected.is_empty(), "{fen} {text} {sensing:?}");
                    found.sort();
                    expected.sort();
                    assert_eq!(found, expected, "{fen} {text} {sensing:?}, lifted {lifted:?}, hidden {hidden:?}");
                }
            }
        }
    }
}

#[test]
fn a_square_is_compatible_exactly_where_it_does_not_differ() {
    let positions: Vec<Position> =
        PLAYED.iter().map(|(fen, chess960, _)| Position::from_fen(fen, *chess960).expect("a FEN")).collect();
    for (shown, actual) in positions.iter().flat_map(|one| positions.iter().map(move |other| (one, other))) {
        for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
            let mut seen = seen(&placement(shown), sensing);
            // Changes that were undone have no effect.
            for (square, other) in [(Square::A1, SquareState::Occupied), (Square::E1, SquareState::Side(Color::Black))] {
                let before = seen.at(square);
                seen.set_square(1, square, other);
                seen.set_square(2, square, before);
            }
            let wrong = seen.mismatch(actual.board());
            for square in Square::ALL {
                assert_eq!(
                    seen.is_compatible(square, actual.piece_at(square)),
                    !wrong.contains(square),
                    "{sensing:?} {square}"
                );
            }
        }
    }
}
