//! The memory that a board needs: long games with the maximum number of lines.

use shakmaty::{Color, Move, Role, Square};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use touchmove::boards::{LinkState, Millis, Placement, Reading, SensorKind, SquareState};
use touchmove::laws::{Changes, Position};
use touchmove::simulate::rng::Rng;
use touchmove::table::{Input, Settings, Table};

/// The maximum number of lines of play ([`Settings::hypotheses`]).
const MAX_LINES: u16 = 4096;
const PLIES: usize = 300;
/// The maximum number of bytes that a board holds while it does not search whether a player can mate.
const MAX_HELD: isize = 1 << 20;
/// The same while it processes an input or runs such a search; this memory is freed at the end.
const MAX_WORKING: isize = 10 << 20;
/// The interval after which a search continues, in milliseconds.
const SLICE: Millis = 20;

/// Long manoeuvres, then captures, which boards without piece identification cannot distinguish.
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

/// Plays a game; returns the numbers of plies and of lines, the bytes held, and the bytes during work, all as maxima.
fn measure(seed: u64, sensing: SensorKind) -> (usize, usize, isize, isize) {
    let (mut rng, mut position, mut now) = (Rng::new(seed, 0), Position::start(), 0);
    let mut placement: Placement = [SquareState::Empty; 64];
    for (square, piece) in position.board().iter() {
        placement[square as usize] = SquareState::Piece(piece).reduce_to(sensing);
    }
    let before = live();
    let mut table = Table::new(Settings { sensing, hypotheses: MAX_LINES, ..Settings::default() });
    drop(table.handle(now, Input::Link(LinkState::Up)));
    drop(table.handle(now, Input::Reading(Reading::Placement(Box::new(placement)))));
    let (mut held, mut lines, mut samples) = (0, 0, 0);
    let mut sample = |table: &Table, now: Millis| {
        // The memory of this test itself is small.
        if table.next_deadline().is_none_or(|due| due > now + SLICE) {
            held = held.max(live() - before);
            samples += 1;
        }
    };
    reset_max();
    for ply in 0..PLIES {
        let Some(mv) = choose(&mut rng, &position, ply) else { break };
        let changes: Vec<_> = Changes::of(position.turn(), mv).iter().collect();
        // A captured piece is not seen to leave.
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
        sample(&table, now);
    }
    // Then random squares change: no line explains them.
    for _ in 0..200 {
        let square = Square::new(rng.below(64) as u32);
        let piece = Role::Queen.of(Color::from_white(rng.below(2) == 0));
        let sensed = if rng.below(2) == 0 { SquareState::Empty } else { SquareState::Piece(piece).reduce_to(sensing) };
        now += [60, 300, 1_000][rng.below(3) as usize];
        drop(table.handle(now, Input::Reading(Reading::Square(square, sensed))));
        lines = lines.max(table.hypotheses(u32::MAX).len());
        sample(&table, now);
    }
    assert!(samples > 200, "only {samples} samples were taken without a running search");
    (table.record().map_or(0, |record| record.plies.len()), lines, held, max_live() - before)
}

#[test]
fn a_board_needs_no_more_than_a_megabyte() {
    for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
        let games: Vec<_> = (0..8).map(|seed| measure(seed, sensing)).collect();
        let plies = games.iter().map(|game| game.0).max().unwrap_or(0);
        let lines = games.iter().map(|game| game.1).max().unwrap_or(0);
        let held = games.iter().map(|game| game.2).max().unwrap_or(0);
        let max_live = games.iter().map(|game| game.3).max().unwrap_or(0);
        println!("{sensing:?}: {plies} plies, {lines} lines, {} kB held, {} kB at work", held / 1024, max_live / 1024);
        // On boards with little information, random moves cannot be followed without end.
        assert!(plies >= PLIES * 9 / 10, "{sensing:?}: no game was followed for long");
        assert!(held <= MAX_HELD && max_live <= MAX_WORKING, "{sensing:?}: {held} bytes held, {max_live} at work");
    }
}

thread_local! {
    /// The bytes that this thread has allocated and not freed, and their maximum.
    static LIVE: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn live() -> isize {
    LIVE.get().0
}

fn max_live() -> isize {
    LIVE.get().1
}

fn reset_max() {
    LIVE.set((live(), live()));
}

fn count(bytes: isize) {
    // A thread that is ending does not count.
    let _ = LIVE.try_with(|live| {
        let (now, max_live) = live.get();
        live.set((now + bytes, max_live.max(now + bytes)));
    });
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, with a count for each thread.
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
