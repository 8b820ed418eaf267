//! The wiring test on simulated boards with every fault, in simulated time.

use proptest::prelude::*;
use shakmaty::{Bitboard, Color, File, Piece, Rank, Role, Square};
use touchmove::boards::{Reading, SensorKind, SquareState};
use touchmove::game::Text;
use touchmove::game::event::Rotation;
use touchmove::locale::{Locale, sentence};
use touchmove::wiring_test::{
    Arrangement, BoardKind, EMPTY_TIME, EndReason, Finding, HINT_TIME, IDLE_TIME, Phase, Progress, Step, WiringTest, advice,
};

/// A board with faults.
#[derive(Clone)]
struct FaultyBoard {
    sensing: SensorKind,
    /// What is reported for each square; `None`: nothing.
    image: [Option<Square>; 64],
    /// Reported squares that always show a piece, that change by themselves under a piece, and that report the opposite.
    stuck: Bitboard,
    flickering: Bitboard,
    opposite: Bitboard,
    inverted: bool,
    /// Reported squares that also show what is on the squares beside them.
    leaking: Bitboard,
    piece: SquareState,
}

fn square(rank: u32, file: u32) -> Square {
    Square::from_coords(File::new(file), Rank::new(rank))
}

fn squares(text: &str) -> Bitboard {
    text.split_whitespace().map(|square| square.parse::<Square>().unwrap()).collect()
}

impl FaultyBoard {
    /// A board that reports this square for each rank and file.
    fn reporting(image: impl Fn(u32, u32) -> (u32, u32)) -> FaultyBoard {
        FaultyBoard {
            sensing: SensorKind::Occupancy,
            image: Square::ALL.map(|one| {
                let (rank, file) = image(u32::from(one.rank()), u32::from(one.file()));
                Some(square(rank, file))
            }),
            stuck: Bitboard::EMPTY,
            flickering: Bitboard::EMPTY,
            opposite: Bitboard::EMPTY,
            inverted: false,
            leaking: Bitboard::EMPTY,
            piece: SquareState::Occupied,
        }
    }

    fn good() -> FaultyBoard {
        FaultyBoard::reporting(|rank, file| (rank, file))
    }

    fn with(mut self, change: impl FnOnce(&mut FaultyBoard)) -> FaultyBoard {
        change(&mut self);
        self
    }

    fn exchange(&mut self, one: Square, other: Square) {
        self.image.swap(one as usize, other as usize);
    }

    /// What all squares show with a piece on this square. `tick`: whether flickering squares are off.
    fn placement(&self, on: Option<Square>, tick: bool) -> [SquareState; 64] {
        let shown: Bitboard = on.and_then(|on| self.image[on as usize]).into_iter().collect();
        Square::ALL.map(|one| {
            let leaks = self.leaking.contains(one) && shown.into_iter().any(|other| other.distance(one) == 1);
            let is_on = shown.contains(one) && !(tick && self.flickering.contains(one)) || self.stuck.contains(one) || leaks;
            match is_on != self.inverted ^ self.opposite.contains(one) {
                true => self.piece,
                false => SquareState::Empty,
            }
        })
    }
}

/// Somebody who does what the test says.
struct Tester {
    board: FaultyBoard,
    test: WiringTest,
    now: u64,
    on: Option<Square>,
}

impl Tester {
    fn new(board: &FaultyBoard, rotation: Option<Rotation>) -> Tester {
        let test = WiringTest::new(0, board.sensing, rotation);
        let mut tester = Tester { board: board.clone(), test, now: 0, on: None };
        tester.report(false);
        tester
    }

    fn report(&mut self, tick: bool) {
        let placement = self.board.placement(self.on, tick);
        self.test.handle_reading(self.now, &Reading::Placement(Box::new(placement)));
    }

    /// Waits, while the board reports every 100 ms.
    fn wait(&mut self, ms: u64) {
        let end = self.now + ms;
        while self.now < end {
            self.now += 100;
            self.report(self.now / 200 % 2 == 1);
            self.test.advance(self.now);
        }
    }

    fn put(&mut self, on: Option<Square>) {
        self.on = None;
        self.wait(200);
        self.on = on;
        self.report(false);
    }

    fn step(&mut self, step: Step) {
        self.test.step(self.now, step);
    }

    fn progress(&self) -> Progress {
        self.test.progress()
    }

    /// Does what is required next.
    fn follow(&mut self, full: bool) {
        let before = self.progress();
        match before.phase {
            Phase::Reading => self.wait(100),
            Phase::Empty | Phase::Clear => {
                self.put(None);
                self.wait(EMPTY_TIME + 200);
                if self.progress().phase == before.phase {
                    self.step(Step::Next);
                }
            }
            Phase::Square => {
                self.put(before.target);
                self.wait(600);
                if self.board.flickering.any() {
                    self.wait(1_400);
                }
                if self.progress().target == before.target {
                    self.step(Step::Next);
                }
            }
            Phase::Short => self.step(if full { Step::Next } else { Step::Stop }),
            Phase::Done => {}
        }
    }

    fn run(mut self, full: bool) -> Progress {
        for _ in 0..200 {
            if self.test.is_over() {
                return self.progress();
            }
            self.follow(full);
        }
        panic!("the test never ends: {:?}", self.progress());
    }
}

#[track_caller]
fn check_rotated(board: &FaultyBoard, rotation: Option<Rotation>, full: bool, expect: &[Finding]) -> Progress {
    let progress = Tester::new(board, rotation).run(full);
    assert_eq!(progress.findings, expect);
    assert_eq!(progress.end, Some(if full { EndReason::Finished } else { EndReason::Stopped }));
    progress
}

/// Both tests find the same.
#[track_caller]
fn check(board: &FaultyBoard, expect: &[Finding]) {
    for full in [false, true] {
        check_rotated(board, None, full, expect);
    }
}

#[track_caller]
fn check_full(board: &FaultyBoard, expect: &[Finding]) -> Progress {
    check_rotated(board, None, true, expect)
}

#[test]
fn a_board_without_faults() {
    check(&FaultyBoard::good(), &[]);
    let progress = check_full(&FaultyBoard::good(), &[]);
    assert_eq!((progress.count, progress.arrangement), ((64, 64), Some(Arrangement::STRAIGHT)));
    assert_eq!(progress.hint().map(|hint| hint.key), Some("wiring-well".to_owned()));
    let short = check_rotated(&FaultyBoard::good(), None, false, &[]);
    assert_eq!(short.count, (10, 10));
}

#[test]
fn mirrored_turned_and_exchanged_axes() {
    check(&FaultyBoard::reporting(|rank, file| (7 - rank, file)), &[Finding::RanksMirrored]);
    check(&FaultyBoard::reporting(|rank, file| (rank, 7 - file)), &[Finding::FilesMirrored]);
    check(&FaultyBoard::reporting(|rank, file| (7 - rank, 7 - file)), &[Finding::Turned]);
    let transposed = |a1, h1, a8| [Finding::Transposed([a1, h1, a8])];
    check(&FaultyBoard::reporting(|rank, file| (file, rank)), &transposed(Square::A1, Square::A8, Square::H1));
    check(&FaultyBoard::reporting(|rank, file| (file, 7 - rank)), &transposed(Square::H1, Square::H8, Square::A1));
    check(&FaultyBoard::reporting(|rank, file| (7 - file, rank)), &transposed(Square::A8, Square::A1, Square::H8));
    check(&FaultyBoard::reporting(|rank, file| (7 - file, 7 - rank)), &transposed(Square::H8, Square::H1, Square::A8));
}

/// What the configuration says already is not a finding.
#[test]
fn the_configured_orientation_is_expected() {
    let turned = FaultyBoard::reporting(|rank, file| (7 - rank, 7 - file));
    check_rotated(&turned, Some(Rotation::Turned), false, &[]);
    check_rotated(&turned, Some(Rotation::Upright), false, &[Finding::Turned]);
    check_rotated(&FaultyBoard::good(), Some(Rotation::Turned), false, &[Finding::Turned]);
    let mirrored = FaultyBoard::reporting(|rank, file| (rank, 7 - file));
    check_rotated(&mirrored, Some(Rotation::Turned), false, &[Finding::RanksMirrored]);
}

fn exchanged(one: u32, other: u32) -> impl Fn(u32) -> u32 {
    move |line| match line {
        line if line == one => other,
        line if line == other => one,
        line => line,
    }
}

#[test]
fn lines_in_another_order() {
    let (ranks, files) = (exchanged(1, 4), exchanged(2, 7));
    let moved = |one, other| vec![(one, other), (other, one)];
    check(&FaultyBoard::reporting(|rank, file| (ranks(rank), file)), &[Finding::RanksMoved(moved(1, 4))]);
    check(&FaultyBoard::reporting(|rank, file| (rank, files(file))), &[Finding::FilesMoved(moved(2, 7))]);
    check(
        &FaultyBoard::reporting(|rank, file| (ranks(rank), files(file))),
        &[Finding::RanksMoved(moved(1, 4)), Finding::FilesMoved(moved(2, 7))],
    );
    // In a mirrored axis, and with exchanged axes.
    check(
        &FaultyBoard::reporting(|rank, file| (7 - ranks(rank), file)),
        &[Finding::RanksMirrored, Finding::RanksMoved(moved(1, 4))],
    );
    check(
        &FaultyBoard::reporting(|rank, file| (file, ranks(rank))),
        &[Finding::Transposed([Square::A1, Square::A8, Square::H1]), Finding::RanksMoved(moved(1, 4))],
    );
    // Three lines in a circle.
    let circle = |line| match line {
        0 => 3,
        3 => 5,
        5 => 0,
        line => line,
    };
    check(&FaultyBoard::reporting(|rank, file| (circle(rank), file)), &[Finding::RanksMoved(vec![(0, 3), (3, 5), (5, 0)])]);
}

/// Two squares on the diagonal look like exchanged lines, until another square of these lines is tested.
#[test]
fn exchanged_squares_are_not_taken_for_exchanged_lines() {
    let board = FaultyBoard::good().with(|board| board.exchange(Square::B2, Square::E5));
    check(&board, &[Finding::SquaresExchanged(Square::B2, Square::E5)]);
    let board = FaultyBoard::good().with(|board| board.exchange(Square::C4, Square::G2));
    check_full(&board, &[Finding::SquaresExchanged(Square::G2, Square::C4)]);
    let board = FaultyBoard::reporting(|rank, file| (rank, 7 - file)).with(|board| board.exchange(Square::C4, Square::G2));
    check_full(&board, &[Finding::FilesMirrored, Finding::SquaresExchanged(Square::G2, Square::C4)]);
    // Two switches at one line.
    let board = FaultyBoard::good().with(|board| board.image[Square::C4 as usize] = Some(Square::C5));
    check_full(&board, &[Finding::ShownAs(Square::C4, Square::C5)]);
}

#[test]
fn squares_that_do_not_work() {
    let dead = FaultyBoard::good().with(|board| board.image[Square::D4 as usize] = None);
    check(&dead, &[Finding::Dead(Square::D4)]);
    let stuck = FaultyBoard::good().with(|board| board.stuck = squares("e5 h3"));
    check(&stuck, &[Finding::Stuck(Square::H3), Finding::Stuck(Square::E5)]);
    let flickering = FaultyBoard::good().with(|board| board.flickering = squares("f6"));
    check(&flickering, &[Finding::Flickering(Square::F6)]);
    let opposite = FaultyBoard::good().with(|board| board.opposite = squares("c3"));
    check(&opposite, &[Finding::Opposite(Square::C3)]);
    let leaking = FaultyBoard::good().with(|board| board.leaking = squares("h1"));
    let also = ["g1", "g2", "h2"].map(|name| Finding::AlsoShown(name.parse().unwrap(), vec![Square::H1]));
    check_full(&leaking, &also);
}

#[test]
fn inverted_contacts() {
    let inverted = |board: FaultyBoard| board.with(|board| board.inverted = true);
    check(&inverted(FaultyBoard::good()), &[Finding::Inverted]);
    check(&inverted(FaultyBoard::reporting(|rank, file| (7 - rank, file))), &[Finding::Inverted, Finding::RanksMirrored]);
    let dead = inverted(FaultyBoard::good()).with(|board| board.image[Square::C3 as usize] = None);
    check(&dead, &[Finding::Inverted, Finding::Dead(Square::C3)]);
}

#[test]
fn faults_are_named_as_the_players_see_the_board() {
    let board = FaultyBoard::reporting(|rank, file| (7 - rank, exchanged(2, 7)(file))).with(|board| {
        board.image[Square::B3 as usize] = None;
        board.stuck = squares("a2"); // that is a7
    });
    let moved = vec![(2, 7), (7, 2)];
    check_full(
        &board,
        &[Finding::RanksMirrored, Finding::FilesMoved(moved), Finding::Dead(Square::B3), Finding::Stuck(Square::A7)],
    );
}

#[test]
fn broken_lines() {
    let rank = FaultyBoard::good().with(|board| {
        Bitboard::from_rank(Rank::Fourth).into_iter().for_each(|square| board.image[square as usize] = None);
    });
    check_full(&rank, &[Finding::DeadRank(3)]);
    let file = FaultyBoard::good().with(|board| {
        Bitboard::from_file(File::C).into_iter().for_each(|square| board.image[square as usize] = None);
    });
    check_full(&file, &[Finding::DeadFile(2)]);
    let all = FaultyBoard::good().with(|board| board.image = [None; 64]);
    check(&all, &[Finding::NothingShown]);
}

#[test]
fn boards_that_know_pieces_and_colours() {
    let rook = Piece { color: Color::White, role: Role::Rook };
    let identity = FaultyBoard::reporting(|rank, file| (7 - rank, 7 - file)).with(|board| {
        board.sensing = SensorKind::Identity;
        board.piece = SquareState::Piece(rook);
    });
    let progress = check_full(&identity, &[Finding::Turned]);
    assert!(advice(&progress.findings, BoardKind::Bought, false).iter().any(|text| text.key == "wiring-do-turned"));
    let mut tester = Tester::new(&identity, None);
    while tester.progress().count.0 < 1 {
        tester.follow(false);
    }
    let last = tester.progress().last_shown().unwrap();
    assert_eq!(sentence(Locale::English, &last), "a1 shows as h8, with the piece R");
    // The lights show the square once it is known which way round the board is.
    assert_eq!((tester.progress().target, tester.progress().lights), (Some(Square::H1), vec![Square::A8]));
    let colours = FaultyBoard::good().with(|board| {
        board.sensing = SensorKind::Colour;
        board.piece = SquareState::Side(Color::Black);
    });
    check(&colours, &[Finding::ColoursExchanged]);
}

/// A piece in the wrong place is noticed, and squares can be repeated and skipped.
#[test]
fn the_user_decides() {
    let mut tester = Tester::new(&FaultyBoard::good(), None);
    while tester.progress().phase != Phase::Short {
        tester.follow(true);
    }
    tester.step(Step::Next);
    let target = tester.progress().target;
    tester.put(Some(Square::E8));
    tester.wait(HINT_TIME);
    let progress = tester.progress();
    assert_eq!((progress.target, progress.shown.as_slice()), (target, &[Square::E8][..]));
    assert_eq!(progress.hint().map(|hint| hint.key), Some("wiring-unexpected".to_owned()));
    tester.put(target);
    tester.wait(600);
    assert_ne!(tester.progress().target, target);
    tester.step(Step::Back);
    assert_eq!(tester.progress().target, target);
    tester.step(Step::Skip);
    assert_ne!(tester.progress().target, target);
    assert_eq!(tester.progress().last, None);
    tester.step(Step::Stop);
    let progress = tester.progress();
    assert_eq!((progress.end, progress.findings.as_slice()), (Some(EndReason::Stopped), &[][..]));
    tester.step(Step::Next);
    assert!(tester.test.is_over());
}

/// While the piece is on its way, other squares notice it for a moment; and it may rest on the square before once more.
#[test]
fn brushed_squares_do_not_count() {
    let mut tester = Tester::new(&FaultyBoard::good(), None);
    while tester.progress().count.0 < 1 {
        tester.follow(false);
    }
    for brushed in ["c1", "e1", "g1"] {
        tester.on = Some(brushed.parse().unwrap());
        tester.wait(200);
    }
    tester.put(Some(Square::A1));
    tester.wait(1_000);
    assert_eq!((tester.progress().target, tester.progress().shown), (Some(Square::H1), vec![Square::A1]));
    tester.put(Some(Square::H1));
    tester.wait(600);
    assert_eq!(tester.progress().target, Some(Square::A8));
}

#[test]
fn a_test_in_which_nobody_does_anything_ends() {
    let mut tester = Tester::new(&FaultyBoard::good(), None);
    tester.wait(EMPTY_TIME + 200);
    assert_eq!(tester.progress().phase, Phase::Square);
    while let Some(at) = tester.test.next_deadline(tester.now) {
        assert!(at > tester.now, "a deadline at {at} is never reached");
        tester.now = at;
        tester.test.advance(at);
    }
    assert_eq!(tester.progress().end, Some(EndReason::Idle));
    assert!(tester.now >= IDLE_TIME);
}

/// Every finding and every piece of advice is a sentence in each language.
#[test]
fn everything_can_be_said() {
    let pawn = Piece { color: Color::White, role: Role::Pawn };
    let findings = [
        Finding::NothingShown,
        Finding::Inverted,
        Finding::ColoursExchanged,
        Finding::NoOrder,
        Finding::Turned,
        Finding::RanksMirrored,
        Finding::FilesMirrored,
        Finding::Transposed([Square::A1, Square::A8, Square::H1]),
        Finding::RanksMoved(vec![(0, 1), (1, 0)]),
        Finding::FilesMoved(vec![(0, 7), (7, 0)]),
        Finding::DeadRank(0),
        Finding::DeadFile(7),
        Finding::SquaresExchanged(Square::A1, Square::B1),
        Finding::ShownAs(Square::A1, Square::B1),
        Finding::AlsoShown(Square::A1, vec![Square::B1]),
        Finding::Dead(Square::A1),
        Finding::Stuck(Square::A1),
        Finding::Flickering(Square::A1),
        Finding::Opposite(Square::A1),
        Finding::OtherPiece { square: Square::A1, shown: pawn, usual: pawn },
    ];
    for locale in Locale::ALL {
        for finding in &findings {
            let text = Text::from(finding);
            assert_ne!(sentence(locale, &text), text.to_string());
            for kind in [BoardKind::Matrix, BoardKind::SelfBuilt, BoardKind::Bought] {
                for has_changes in [false, true] {
                    let [what] = <[Text; 1]>::try_from(advice(std::slice::from_ref(finding), kind, has_changes)).unwrap();
                    assert_ne!(sentence(locale, &what), what.to_string());
                }
            }
        }
    }
    let moved = Text::from(&Finding::FilesMoved(vec![(0, 7), (7, 0)]));
    assert_eq!(sentence(Locale::English, &moved), "files are in the wrong order: a h show in the place of h a");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// However the lines are connected, the complete test finds it exactly.
    #[test]
    fn any_order_of_lines_is_found(
        ranks in Just((0..8).collect::<Vec<u32>>()).prop_shuffle(),
        files in Just((0..8).collect::<Vec<u32>>()).prop_shuffle(),
        is_transposed: bool,
        inverted: bool,
        dead in proptest::option::of(0_usize..64),
    ) {
        let image = |rank: u32, file: u32| {
            let (rank, file) = (ranks[rank as usize], files[file as usize]);
            if is_transposed { (file, rank) } else { (rank, file) }
        };
        let board = FaultyBoard::reporting(image).with(|board| {
            board.inverted = inverted;
            if let Some(dead) = dead {
                board.image[dead] = None;
            }
        });
        let progress = Tester::new(&board, None).run(true);
        let arrangement = progress.arrangement.unwrap();
        for square in Square::ALL {
            let (rank, file) = image(u32::from(square.rank()), u32::from(square.file()));
            let reported = self::square(rank, file);
            prop_assert_eq!(arrangement.image(square), reported);
            prop_assert_eq!(arrangement.source(reported), square);
        }
        let is_dead = |finding: &Finding| matches!(finding, Finding::Dead(square) if Some(*square as usize) == dead);
        prop_assert_eq!(progress.findings.iter().filter(|finding| is_dead(finding)).count(), usize::from(dead.is_some()));
        prop_assert_eq!(progress.findings.contains(&Finding::Inverted), inverted);
        prop_assert!(arrangement.is_complete);
    }

    /// Squares that are connected in any order at all are each named.
    #[test]
    fn any_order_of_squares_is_reported(images in Just(Square::ALL.to_vec()).prop_shuffle()) {
        let board = FaultyBoard::good().with(|board| {
            board.image.iter_mut().zip(&images).for_each(|(image, to)| *image = Some(*to));
        });
        let progress = Tester::new(&board, None).run(true);
        prop_assert!(progress.findings.contains(&Finding::NoOrder));
        for (square, image) in Square::ALL.into_iter().zip(&images).filter(|(square, image)| square != *image) {
            let is_named = |finding: &Finding| match finding {
                Finding::SquaresExchanged(one, other) => [(*one, *other), (*other, *one)].contains(&(square, *image)),
                Finding::ShownAs(one, other) => (*one, *other) == (square, *image),
                _ => false,
            };
            prop_assert!(progress.findings.iter().any(is_named), "{square} shows as {image}: {:?}", progress.findings);
        }
    }

    /// Whatever a board reports and whatever the user does, the test goes on or ends.
    #[test]
    fn any_readings_are_survived(acts in proptest::collection::vec((0_usize..70, 0_u64..3_000, 0_usize..64), 0..200)) {
        let mut tester = Tester::new(&FaultyBoard::good(), None);
        for (act, pause, square) in acts {
            tester.now += pause;
            match act {
                0..64 => {
                    let state = if act % 2 == 0 { SquareState::Occupied } else { SquareState::Empty };
                    tester.test.handle_reading(tester.now, &Reading::Square(Square::ALL[square], state));
                }
                64 => tester.step(Step::Back),
                65 => tester.step(Step::Skip),
                66 | 67 => tester.step(Step::Next),
                _ => tester.put(Some(Square::ALL[square])),
            }
            let progress = tester.progress();
            prop_assert!(progress.count.0 <= progress.count.1 && progress.count.1 <= 64);
            let _ = (progress.instruction(), progress.hint(), progress.last_shown());
        }
    }
}
