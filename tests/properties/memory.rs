//! How much memory a board takes: long games with the most lines that may be followed.

use shakmaty::{Color, Move, Role, Square};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use touchmove::boards::{LinkState, Millis, Placement, Reading, SensorKind, SquareState};
use touchmove::laws::{Changes, Position};
use touchmove::simulate::rng::Rng;
use touchmove::table::{Input, Settings, Table};

/// The most lines of play that may be followed ([`Settings::hypotheses`]).
const MOST: u16 = 4096;
const PLIES: usize = 300;
/// Bytes that a board may hold while it does not search whether a player can mate.
const HELD: isize = 1 << 20;
/// The same while it works on an input, or on such a search: given back at the end.
const AT_WORK: isize = 10 << 20;
/// A search goes on again after so long, in milliseconds.
const SLICE: Millis = 20;

/// Long manoeuvres, and then captures, of which boards that know no pieces cannot say which they were.
fn choose(rng: &mut Rng, position: &Position, ply: usize) -> Option<Move> {
    let legal = position.legal_moves();
    let captures: Vec<Move> = legal.iter().copied().filter(|mv| mv.is_capture() && !mv.is_en_passant()).collect();
    let opens = (10..40).contains(&ply) || ply + 40 > PLIES;
    let manoeuvres = |mv: &Move| !mv.is_capture() && (opens || matches!(mv.role(), Role::King | Role::Knight | Role::Rook));
    let quiet: Vec<Move> = legal.iter().copied().filter(manoeuvres).collect();
    let captures_now = ply + 40 > PLIES && !captures.is_empty() && rng.below(2) == 0;
    let from = if captures_now { &captures } else { &quiet };
    rng.pick(if from.is_empty() { &legal } else { from })
}

/// Plays a game; so many plies, lines, bytes held and bytes at work there were at most.
fn measure(seed: u64, sensing: SensorKind) -> (usize, usize, isize, isize) {
    let (mut rng, mut position, mut now) = (Rng::new(seed, 0), Position::start(), 0);
    let mut placement: Placement = [SquareState::Empty; 64];
    for (square, piece) in position.board().iter() {
        placement[square as usize] = SquareState::Piece(piece).reduce_to(sensing);
    }
    let before = live();
    let mut table = Table::new(Settings { sensing, hypotheses: MOST, ..Settings::default() });
    drop(table.handle(now, Input::Link(LinkState::Up)));
    drop(table.handle(now, Input::Reading(Reading::Placement(Box::new(placement)))));
    let (mut held, mut lines, mut looked) = (0, 0, 0);
    let mut look = |table: &Table, now: Millis| {
        // What this test itself has in its hands is little.
        if table.next_deadline().is_none_or(|due| due > now + SLICE) {
            held = held.max(live() - before);
            looked += 1;
        }
    };
    forget_most();
    for ply in 0..PLIES {
        let Some(mv) = choose(&mut rng, &position, ply) else { break };
        let changes: Vec<_> = Changes::of(position.turn(), mv).iter().collect();
        // What is taken is not seen to go.
        for filled in [false, true] {
            for &(square, piece) in changes.iter().filter(|(_, piece)| piece.is_some() == filled) {
                let sensed = piece.map_or(SquareState::Empty, SquareState::Piece).reduce_to(sensing);
                now += 60;
                drop(table.handle(now, Input::Reading(Reading::Square(square, sensed))));
            }
        }
        now += [100, 300, 700, 3_500][rng.below(4) as usize];
        drop(table.advance(now));
        position = position.play(mv);
        lines = lines.max(table.hypotheses(u32::MAX).len());
        look(&table, now);
    }
    // Then hands sweep over the board: nobody can say what they do.
    for _ in 0..200 {
        let square = Square::new(rng.below(64) as u32);
        let piece = Role::Queen.of(Color::from_white(rng.below(2) == 0));
        let sensed = if rng.below(2) == 0 { SquareState::Empty } else { SquareState::Piece(piece).reduce_to(sensing) };
        now += [60, 300, 1_000][rng.below(3) as usize];
        drop(table.handle(now, Input::Reading(Reading::Square(square, sensed))));
        lines = lines.max(table.hypotheses(u32::MAX).len());
        look(&table, now);
    }
    assert!(looked > 200, "only {looked} looks were taken while nothing was searched for");
    (table.record().map_or(0, |record| record.plies.len()), lines, held, most() - before)
}

#[test]
fn a_board_takes_no_more_than_a_megabyte() {
    for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
        let games: Vec<_> = (0..8).map(|seed| measure(seed, sensing)).collect();
        let plies = games.iter().map(|game| game.0).max().unwrap_or(0);
        let lines = games.iter().map(|game| game.1).max().unwrap_or(0);
        let held = games.iter().map(|game| game.2).max().unwrap_or(0);
        let most = games.iter().map(|game| game.3).max().unwrap_or(0);
        println!("{sensing:?}: {plies} plies, {lines} lines, {} kB held, {} kB at work", held / 1024, most / 1024);
        // Where squares tell little, men who move as dice fall cannot be followed for ever.
        assert!(plies >= PLIES * 9 / 10, "{sensing:?}: no game was followed for long");
        assert!(held <= HELD && most <= AT_WORK, "{sensing:?}: {held} bytes held, {most} at work");
    }
}

thread_local! {
    /// Bytes that this thread took and did not give back, and the most of it.
    static LIVE: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn live() -> isize {
    LIVE.get().0
}

fn most() -> isize {
    LIVE.get().1
}

fn forget_most() {
    LIVE.set((live(), live()));
}

fn count(bytes: isize) {
    // A thread that ends counts no more.
    let _ = LIVE.try_with(|live| {
        let (now, most) = live.get();
        live.set((now + bytes, most.max(now + bytes)));
    });
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's memory, counted for each thread.
struct Counting;

// SAFETY: everything is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(memory, layout, size) }
    }
}
