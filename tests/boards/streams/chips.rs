//! Certabo boards: sets of pieces are learned from the chips in them, and lines are found and read.

use super::*;
use shakmaty::Color;

fn put(square: Square, piece: Piece) -> Reading {
    Reading::Square(square, SquareState::Piece(piece))
}

#[test]
fn certabo_learns_a_set_from_the_start_position() {
    let (mut bench, mut set, mut rng) = (Bench::new("certabo"), Set::start(7), Rng::new(1, 1));
    for _ in 1..certabo::LEARNING_FRAMES {
        assert_eq!(bench.frame(&set.noisy(&mut rng, 234)), [], "no chip is known");
    }
    assert_eq!(
        bench.frame(&set.noisy(&mut rng, 234)),
        [placement_reading(START)],
        "and nothing is stored while the rotation is unknown"
    );
    assert_eq!((0..50).flat_map(|_| bench.frame(&set.noisy(&mut rng, 234))).collect::<Vec<_>>(), []);
    set.carry(Square::E2, Square::E4);
    let moved = bench.frames(3, &set.frame());
    assert_eq!(squares(moved.clone()), [lift(Square::E2), put(Square::E4, Color::White.pawn())]);
    assert_eq!(calibration(&moved).unwrap().lines().count(), 32);
}

#[test]
fn certabo_a_new_set_is_turned_round_when_the_other_side_begins() {
    let (mut bench, mut set) = (Bench::new("certabo"), Set::start(7).turned());
    assert_eq!(
        bench.frames(certabo::LEARNING_FRAMES, &set.frame()),
        [placement_reading(START)],
        "it looks the same from both sides"
    );
    // d2-d4 of players who sit the other way round.
    set.carry(Square::E7, Square::E5);
    let moved = bench.frames(3, &set.frame());
    let turned = "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr";
    assert_eq!(squares(moved.clone()), [placement_reading(turned), lift(Square::E7), put(Square::E5, Color::White.pawn())]);
    let stored = calibration(&moved).unwrap();
    // From now on the set is known.
    let set = Set::start(7).turned();
    assert_eq!(Bench::calibrated(&stored).frames(3, &set.frame()), [placement_reading(turned)]);
    let set = Set::start(7);
    assert_eq!(Bench::calibrated(&stored).frames(9, &set.frame()), [placement_reading(START)]);
}

#[test]
fn certabo_a_new_set_may_be_set_up_again_before_it_is_played() {
    for turned in [false, true] {
        let mut bench = Bench::new("certabo");
        bench.frames(certabo::LEARNING_FRAMES, &Set::start(7).frame());
        bench.frames(9, &Set { first: 7, squares: [None; 64] }.frame());
        // The pawns change places.
        let mut set = Set::start(7);
        set.squares[Square::A2 as usize..=Square::H2 as usize].reverse();
        let mut set = if turned { set.turned() } else { set };
        let up = bench.frames(9, &set.frame());
        assert_eq!((up.len(), calibration(&up)), (32, None));
        let (from, to) = if turned { (Square::E7, Square::E5) } else { (Square::E2, Square::E4) };
        set.carry(from, to);
        let moved = bench.frames(4, &set.frame());
        assert_eq!(squares(moved.clone()), [lift(from), put(to, Color::White.pawn())]);
        assert_eq!(calibration(&moved).unwrap().lines().count(), 32);
    }
}

#[test]
fn certabo_knows_its_sets_after_a_restart() {
    let stored = learned_calibration(7);
    let mut set = Set::start(7);
    set.carry(Square::G1, Square::F3);
    let now = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R";
    assert_eq!(Bench::calibrated(&stored).frames(3, &set.frame()), [placement_reading(now)]);
    // Invalid lines are ignored.
    assert_eq!(
        Bench::calibrated(&format!("1 2 3\n\n{stored}x y\n1 2 3 4 5 é\n")).frames(3, &set.frame()),
        [placement_reading(now)]
    );
    assert_eq!(Bench::calibrated("nothing").frames(3, &set.frame()), []);
    // A second set is learned, and the first one stays known.
    let mut bench = Bench::calibrated(&stored);
    let mut other = Set::start(8);
    let mut readings = bench.frames(certabo::LEARNING_FRAMES, &other.frame());
    assert_eq!(readings.last(), Some(&placement_reading(START)));
    other.carry(Square::D2, Square::D4);
    readings.extend(bench.frames(3, &other.frame()));
    assert_eq!(calibration(&readings).unwrap().lines().count(), 64);
    assert_eq!(squares(bench.frames(3, &set.frame())).len(), 4, "d2, d4, g1 and f3");
}

#[test]
fn certabo_learns_spare_queens_beside_the_start_position() {
    for turned in [false, true] {
        let mut set = Set::start(7);
        (set.squares[Square::D6 as usize], set.squares[Square::D3 as usize]) = (Some(Square::D6), Some(Square::D3));
        let set = if turned { set.turned() } else { set };
        let readings = Bench::new("certabo").frames(certabo::LEARNING_FRAMES, &set.frame());
        let expected = "rnbqkbnr/pppppppp/3q4/8/8/3Q4/PPPPPPPP/RNBQKBNR";
        let expected_turned = "RNBKQBNR/PPPPPPPP/4Q3/8/8/4q3/pppppppp/rnbkqbnr";
        assert_eq!(squares(readings.clone()), [placement_reading(if turned { expected_turned } else { expected })]);
        // The rotation is certain, so the calibration is stored at once.
        let stored = calibration(&readings).unwrap();
        assert_eq!(stored.lines().count(), 34);
        let mut game = Set::start(7);
        game.squares[Square::A8 as usize] = Some(Square::D3);
        assert_eq!(
            Bench::calibrated(&stored).frames(3, &game.frame()),
            [placement_reading("Qnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")]
        );
    }
}

#[test]
fn certabo_a_wrong_calibration_is_corrected_with_spare_queens() {
    // King and queen were swapped when the set was learned.
    let mut swapped = Set::start(7);
    swapped.squares.swap(Square::D1 as usize, Square::E1 as usize);
    let mut bench = Bench::new("certabo");
    bench.frames(certabo::LEARNING_FRAMES, &swapped.frame());
    let set = Set::start(7);
    let wrong = squares(bench.frames(20, &set.frame()));
    assert_eq!(
        wrong,
        [put(Square::D1, Color::White.king()), put(Square::E1, Color::White.queen())],
        "the pieces are as learned"
    );
    let mut with_queens = Set::start(7);
    with_queens.squares[Square::D6 as usize] = Some(Square::D6);
    bench.frames(certabo::LEARNING_FRAMES, &with_queens.frame());
    bench.frames(3, &set.frame());
    bench.board.execute(bench.now, Address::ONLY, BoardCommand::Placement).unwrap();
    assert_eq!(bench.frame(&set.frame()), [placement_reading(START)]);
}

#[test]
fn certabo_learns_only_from_the_start_position() {
    let stored = learned_calibration(7);
    // Chess960: the set is known, and its pieces stay what they are.
    let mut shuffled = Set::start(7);
    shuffled.squares.swap(Square::A1 as usize, Square::B1 as usize);
    shuffled.squares.swap(Square::A8 as usize, Square::B8 as usize);
    assert_eq!(
        Bench::calibrated(&stored).frames(20, &shuffled.frame()),
        [placement_reading("nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBNR")]
    );
    // A pawn is missing, or there is an extra piece.
    let mut missing = Set::start(9);
    missing.squares[Square::A2 as usize] = None;
    let mut many = Set::start(9);
    many.squares[Square::A4 as usize] = Some(Square::A4);
    for set in [missing, many] {
        let unknown = [Reading::ProtocolError(ProtocolError::Uncalibrated)];
        assert_eq!(Bench::new("certabo").frames(60, &set.frame()), unknown, "reported once");
    }
    // One chip for two kinds of pieces.
    let mut same = Set::start(9);
    same.squares[Square::A1 as usize] = Some(Square::B1);
    assert_eq!(Bench::new("certabo").frames(10, &same.frame()), []);
    // A board that imitates a Certabo: kinds instead of chips.
    let mut kinds = Set::start(9);
    for square in fen(START).occupied() {
        let piece = fen(START).piece_at(square).unwrap();
        kinds.squares[square as usize] = Some(Square::new(piece.role as u32 + 8 * u32::from(piece.color.is_black())));
    }
    assert_eq!(Bench::new("certabo").frames(certabo::LEARNING_FRAMES, &kinds.frame()), [placement_reading(START)]);
}

#[test]
fn certabo_an_unknown_chip_on_the_last_rank_is_a_queen() {
    let mut bench = Bench::new("certabo");
    let mut set = Set::start(7);
    bench.frames(certabo::LEARNING_FRAMES, &set.frame());
    set.carry(Square::E2, Square::E4);
    bench.frames(3, &set.frame());
    set.squares[Square::G8 as usize] = None;
    bench.frames(3, &set.frame());
    set.squares[Square::G8 as usize] = Some(Square::D3);
    let readings = bench.frames(5, &set.frame());
    let assumed = Reading::ProtocolError(ProtocolError::AssumedQueens(vec![Square::G8]));
    assert_eq!(squares(readings.clone()), [assumed, put(Square::G8, Color::White.queen())]);
    assert_eq!(calibration(&readings).unwrap().lines().count(), 33);
    // On any other square an unknown chip is ignored.
    set.squares[Square::C5 as usize] = Some(Square::C5);
    assert_eq!(bench.frames(20, &set.frame()), []);
}

#[test]
fn certabo_garbage_never_becomes_a_piece() {
    let (mut bench, set, mut rng) = (Bench::new("certabo"), Set::start(7), Rng::new(3, 1));
    let mut readings = Vec::new();
    for _ in 0..10_000 {
        readings.extend(bench.frame(&set.noisy(&mut rng, 234)));
    }
    assert_eq!(readings, [placement_reading(START)]);
}

/// Damage to lines that was seen, and damage that is possible.
#[test]
fn certabo_lines_are_found_however_they_come() {
    let stored = learned_calibration(7);
    let set = Set::start(7);
    let line = String::from_utf8(set.frame()).unwrap();
    let broken: String = line.as_bytes().chunks(64).map(|part| format!("{}\n", std::str::from_utf8(part).unwrap())).collect();
    let high: Vec<u8> = line.bytes().enumerate().map(|(index, byte)| if index % 7 == 0 { byte | 0x80 } else { byte }).collect();
    let complete: [Vec<u8>; 8] = [
        line.clone().into_bytes(),
        broken.into_bytes(),
        high,
        format!("junk 1 2 3{line}").into_bytes(),
        line.replace(" \r\n", "\r\n").into_bytes(),
        line.replace(" \r\n", "\nL\r\n").into_bytes(),
        line.replace(' ', "  ").into_bytes(),
        // Its end is missing, and the start of the next line ends it.
        line.replace(" \r\n", "").into_bytes(),
    ];
    for bytes in &complete {
        let mut bench = Bench::calibrated(&stored);
        bench.receive(b"84 3 0 rest of a line\r\n");
        let mut readings = bench.frames(3, bytes);
        readings.extend(bench.pass(bench.now + 100));
        let squares: Vec<Reading> =
            readings.into_iter().filter(|reading| !matches!(reading, Reading::ProtocolError(_))).collect();
        assert_eq!(squares, [placement_reading(START)], "{}", String::from_utf8_lossy(bytes));
    }
    let number = line.find("84").unwrap();
    let damaged = [
        line.replacen(" 84", " 840", 1),
        line.replacen(" 84", "", 1),
        line.replacen(" 84", " 84 84", 1),
        line.replacen(" 84", " 8x4", 1),
        format!("{}\r\n", &line[..number]),
        line.replacen(':', "", 1),
    ];
    for line in damaged {
        let mut bench = Bench::calibrated(&stored);
        bench.receive(b":");
        let readings = bench.frames(5, line.as_bytes());
        let is_garbage = |reading: &Reading| matches!(reading, Reading::ProtocolError(ProtocolError::Garbage(1..)));
        assert!(readings.iter().all(is_garbage) && readings.len() >= 4, "{line}: {readings:?}");
    }
}

/// If one byte in a hundred is damaged, no line of a thousand bytes is intact. The squares are known all the same, and a move is seen
/// within a few lines.
#[test]
fn certabo_squares_are_known_from_damaged_lines() {
    for (rate, lines, share) in [(5, 6, 2_000), (10, 9, 2_000), (20, 20, 200)] {
        let (mut bench, mut set, mut rng) = (Bench::calibrated(&learned_calibration(7)), Set::start(7), Rng::new(11, rate));
        let mut shown = None;
        let (mut wrong, mut all) = (0, 0);
        for carried in 0..200 {
            // At first every square has to be read once.
            let lines = if carried == 0 { 30 } else { lines };
            for line in 0..lines * 2 {
                let mut bytes = set.noisy(&mut rng, 234);
                for byte in &mut bytes {
                    if rng.chance(rate as u32) {
                        *byte = rng.below(256) as u8;
                    }
                }
                for reading in bench.frame(&bytes) {
                    match (reading, &mut shown) {
                        (Reading::Placement(placement), shown) => *shown = Some(placement),
                        (Reading::Square(square, sensed), Some(shown)) => shown[square as usize] = sensed,
                        (Reading::ProtocolError(ProtocolError::Garbage(_)), _) => {}
                        (other, _) => panic!("{other:?}"),
                    }
                }
                if line >= lines {
                    let expected =
                        set.squares.map(|chip| chip.map_or(SquareState::Empty, |chip| SquareState::Piece(piece_of(chip))));
                    let shown = shown.as_ref().unwrap_or_else(|| panic!("{rate}: unknown after {carried} moves"));
                    wrong += (0..64).filter(|&index| shown[index] != expected[index]).count();
                    all += 64;
                }
            }
            // A piece goes to an empty square.
            let (full, empty): (Vec<Square>, Vec<Square>) =
                Square::ALL.into_iter().partition(|&square| set.squares[square as usize].is_some());
            let [from, to] = [full, empty].map(|squares| squares[carried * 7 % 32]);
            set.carry(from, to);
        }
        assert!(wrong * share < all, "{rate} in a thousand: {wrong} of {all}");
    }
}

/// The piece whose chip is named after this square.
fn piece_of(chip: Square) -> Piece {
    fen(START).piece_at(chip).expect("a piece")
}
