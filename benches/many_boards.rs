//! Many boards in one process: the processor time that they need while they play, and the memory that each of them uses.
//!
//! Every byte goes through a protocol and a table of its own board, in the order in which it would arrive, and so does every
//! deadline: the work of the daemon except for ports, journal and bus. Processor time is counted, so that other programs on the machine
//! matter little.

mod common;

use common::{Stream, line, time, verdict};
use rustix::time::{ClockId, clock_gettime};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Duration;
use touchmove::boards::{Address, LinkState, Millis, Protocol, SensorKind, model};
use touchmove::simulate::hands::{BLITZ, CLUB, HandsProfile};
use touchmove::table::{Input, Output, Settings, Table};

/// The number of boards that play at once.
const BOARDS: usize = 500;
/// The number of different games; each is played on the same number of boards.
const STREAMS: usize = 50;
/// The time between the starts of two boards with the same game, in milliseconds.
const APART: Millis = 997;
/// The goal for the memory of a board, in bytes.
const MEMORY_GOAL: isize = 1 << 20;

fn main() {
    for (profile, sensing) in [(&BLITZ, SensorKind::Identity), (&BLITZ, SensorKind::Occupancy), (&CLUB, SensorKind::Occupancy)]
    {
        measure(profile, sensing);
    }
}

fn measure(profile: &HandsProfile, sensing: SensorKind) {
    let streams: Vec<Stream> = (1..=STREAMS as u64).map(|seed| Stream::simulated(profile, seed)).collect();
    // All boards play until then.
    let until = streams.iter().filter_map(|stream| stream.chunks.last()).map(|(at, _)| *at).min().unwrap_or(0);
    let settings = Settings { sensing, ..Settings::default() };
    let mut boards: Vec<Board> = Vec::with_capacity(BOARDS);
    let mut queue = BinaryHeap::with_capacity(BOARDS);
    for index in 0..BOARDS {
        let delay = (index / STREAMS) as Millis * APART;
        boards.push(Board::plugged(&streams[index % STREAMS], delay, &settings));
        queue.push(Reverse((delay, index)));
    }

    let began = processor_time();
    let (mut second, mut second_began, mut busiest) = (0, began, Duration::ZERO);
    while let Some(Reverse((now, index))) = queue.pop()
        && now <= until
    {
        if now / 1000 != second {
            let worked = processor_time();
            // In the first seconds the boards are plugged in.
            if second >= 10 {
                busiest = busiest.max(worked - second_began);
            }
            (second, second_began) = (now / 1000, worked);
        }
        let board = &mut boards[index];
        board.step(now);
        queue.extend(board.next(now).map(|next| Reverse((next, index))));
    }
    let worked = processor_time() - began;

    let played = Duration::from_millis(until);
    let share = worked.as_secs_f64() / played.as_secs_f64();
    let correct_plies: usize = boards.iter().map(Board::correct_plies).sum();
    let truth: usize = boards.iter().map(|board| board.played(until)).sum();
    let memory = boards.iter().map(|board| board.peak).sum::<isize>() / BOARDS as isize;
    let peak = boards.iter().map(|board| board.peak).max().unwrap_or(0);
    println!("{BOARDS} boards, {sensing:?} sensors, {} hands:", profile.name);
    line("played", format!("{:.0} s, {truth} plies", played.as_secs_f64()));
    let met = verdict(share <= 1.0 && busiest <= Duration::from_secs(1));
    line("one core worked", format!("{} = {:.3} % of that (goal: no more than real time: {met})", time(worked), share * 100.0));
    line("in the busiest second", time(busiest));
    line("boards that one core could serve", format!("{:.0}", BOARDS as f64 / share));
    line("correct plies before the first mistake", format!("{correct_plies} of {truth}"));
    let kb = |bytes: isize| format!("{:.0} kB", bytes as f64 / 1024.0);
    let met = verdict(peak <= MEMORY_GOAL);
    line("peak memory, mean of the boards", kb(memory));
    line("peak memory, largest board", format!("{} (goal: at most 1024 kB: {met})", kb(peak)));
}

/// A board that sends the bytes of a stream.
struct Board<'a> {
    stream: &'a Stream,
    /// How much later than in the stream, in milliseconds.
    delay: Millis,
    sent: usize,
    protocol: Box<dyn Protocol>,
    table: Table,
    /// The bytes of memory that the board uses now, and their peak.
    memory: isize,
    peak: isize,
}

impl<'a> Board<'a> {
    fn plugged(stream: &'a Stream, delay: Millis, settings: &Settings) -> Board<'a> {
        let before = LIVE.load(Ordering::Relaxed);
        let mut protocol = (model("dgt").expect("there is a DGT board").protocol)();
        let mut table = Table::new(settings.clone());
        protocol.link(delay, LinkState::Up);
        black_box(table.handle(delay, Input::Link(LinkState::Up)));
        let memory = LIVE.load(Ordering::Relaxed) - before;
        Board { stream, delay, sent: 0, protocol, table, memory, peak: memory }
    }

    fn next(&self, now: Millis) -> Option<Millis> {
        let chunk = self.stream.chunks.get(self.sent).map(|(at, _)| at + self.delay);
        let next = [chunk, self.protocol.next_deadline(), self.table.next_deadline()].into_iter().flatten().min();
        next.map(|next| next.max(now))
    }

    fn step(&mut self, now: Millis) {
        let before = LIVE.load(Ordering::Relaxed);
        let output = self.table.advance(now);
        self.carry_out(now, output);
        if let Some((_, bytes)) = self.stream.chunks.get(self.sent).filter(|(at, _)| at + self.delay <= now) {
            self.sent += 1;
            self.protocol.receive(now, bytes);
        }
        if self.protocol.next_deadline().is_some_and(|deadline| deadline <= now) {
            self.protocol.timeout(now);
        }
        while let Some((_, reading)) = self.protocol.poll_reading() {
            let output = self.table.handle(now, Input::Reading(reading));
            self.carry_out(now, output);
        }
        while let Some(write) = self.protocol.poll_write() {
            black_box(write);
        }
        self.memory += LIVE.load(Ordering::Relaxed) - before;
        self.peak = self.peak.max(self.memory);
    }

    fn carry_out(&mut self, now: Millis, output: Output) {
        for command in black_box(output).commands {
            let _ = self.protocol.execute(now, Address::ONLY, command);
        }
    }

    /// How many plies have been played.
    fn played(&self, until: Millis) -> usize {
        self.stream.done_at.iter().take_while(|at| **at + self.delay <= until).count()
    }

    fn correct_plies(&self) -> usize {
        let plies = self.table.record().map_or(&[][..], |record| &record.plies);
        self.stream.truth.iter().zip(plies).take_while(|(truth, ply)| **truth == ply.played.uci).count()
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Bytes that are allocated and not freed.
static LIVE: AtomicIsize = AtomicIsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, which counts bytes.
struct Counting;

// SAFETY: all calls are passed to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size as isize - layout.size() as isize, Ordering::Relaxed);
        unsafe { System.realloc(memory, layout, size) }
    }
}
