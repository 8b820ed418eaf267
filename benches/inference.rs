//! Decoding and inference for each square that changes: touchmove compared with the simplest loop that is right on clean hands, which
//! compares the board with every legal successor of the position.

mod common;

use common::{Figures, Stream, line, ratio, time, verdict};
use shakmaty::{Board, Chess, Color, Move, Piece, Position as _, Role, Square};
use std::hint::black_box;
use std::time::{Duration, Instant};
use touchmove::boards::{Address, LinkState, SensorKind, model};
use touchmove::infer::prior::{self, RecentMoves};
use touchmove::lab::exchange_prior::exchange_costs;
use touchmove::simulate::hands::{CLEAN, CLUB};
use touchmove::table::{Input, Settings, Table};

/// The number of games, each by other hands.
const SEEDS: u64 = 8;
/// How often each is measured.
const ROUNDS: usize = 40;
/// The goal for the ratio of the medians, touchmove to the comparison of all legal successors, with identity sensing.
const IDENTITY_GOAL: f64 = 1.5;
/// The goals with occupancy sensing, for the median and for the p99.
const OCCUPANCY_GOAL: (f64, f64) = (10.0, 200.0);
/// The goal for the prior of one move, in the median.
const PRIOR_GOAL: Duration = Duration::from_nanos(300);

fn main() {
    compare_priors();
    println!("decoding and inference, one changed square of a DGT board:");
    let clean: Vec<Stream> = (1..=SEEDS).map(|seed| Stream::simulated(&CLEAN, seed)).collect();
    let (ours, plain) = compare(&clean, SensorKind::Identity);
    for (clean, moves) in clean.iter().zip(&plain.moves) {
        assert_eq!(&clean.truth, moves, "the plain loop is wrong on clean hands");
    }
    for (clean, moves) in clean.iter().zip(&ours.moves) {
        assert_eq!(&clean.truth, moves, "touchmove is wrong on clean hands");
    }
    line("clean hands, touchmove, median (p99)", both(&ours.updates));
    line("clean hands, all legal successors compared, median (p99)", both(&plain.updates));
    let found = ratio(ours.updates.median(), plain.updates.median());
    line("ratio of the medians", format!("{found:.2} (goal: at most {IDENTITY_GOAL}: {})", verdict(found <= IDENTITY_GOAL)));
    line("ratio of the p99", format!("{:.2}", ratio(ours.updates.percentile(99), plain.updates.percentile(99))));
    // Other programs evict code and data from the caches between two updates, which slows touchmove more than the short loop.
    let (fastest, plain_fastest) = (Figures::from(ours.fastest.clone()), Figures::from(plain.fastest.clone()));
    let found = ratio(fastest.median(), plain_fastest.median());
    line(&format!("ratio of the medians, fastest of {ROUNDS} rounds"), format!("{found:.2}"));
    // Searches for boards that show no position of the game, while pieces are in the air, run in the pauses of play.
    let mean = |run: &Run| time(run.between / run.updates.count() as u32);
    line(
        "all else (clock, dumps, deadlines), mean per update",
        format!("{}, successors compared {}", mean(&ours), mean(&plain)),
    );

    let club: Vec<Stream> = (1..=SEEDS).map(|seed| Stream::simulated(&CLUB, seed)).collect();
    let (ours, plain) = compare(&club, SensorKind::Identity);
    line("club hands, touchmove, median (p99)", both(&ours.updates));
    line("club hands, correct plies before the first mistake, touchmove", correct_plies(&club, &ours));
    line("the same, all legal successors compared", correct_plies(&club, &plain));
    line("updates measured", ours.updates.count() + plain.updates.count());

    // The plain loop still has identity sensing: without it, it would not be right on any hands.
    for (hands, streams) in [("clean", &clean), ("club", &club)] {
        let (ours, plain) = compare(streams, SensorKind::Occupancy);
        let plain_median = plain.updates.median();
        line(&format!("{hands} hands, occupancy, touchmove, median (p99)"), both(&ours.updates));
        line("correct plies before the first mistake", correct_plies(streams, &ours));
        for (name, took, goal) in [
            ("the median to the plain median", ours.updates.median(), OCCUPANCY_GOAL.0),
            ("the p99 to the plain median", ours.updates.percentile(99), OCCUPANCY_GOAL.1),
        ] {
            let found = ratio(took, plain_median);
            line(&format!("ratio, {name}"), format!("{found:.2} (goal: at most {goal}: {})", verdict(found <= goal)));
        }
    }
}

/// Measures the prior of all moves of each position of the game, and the one that knows only exchanges.
fn compare_priors() {
    let game = common::long_game();
    let (mut position, mut recent) = (game.start.clone(), RecentMoves::default());
    let [mut fitted, mut exchanges, mut of_move] = [Figures::default(), Figures::default(), Figures::default()];
    for ply in &game.plies {
        let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            black_box(prior::prior_costs(black_box(&position), &recent, &legal));
            let took = began.elapsed();
            fitted.add(took);
            of_move.add(took / legal.len() as u32);
            let began = Instant::now();
            black_box(exchange_costs(black_box(&position), &legal));
            exchanges.add(began.elapsed());
        }
        (position, recent) = (position.play(ply.mv), recent.after(ply.mv));
    }
    let met = verdict(of_move.median() <= PRIOR_GOAL);
    let goal = time(PRIOR_GOAL);
    line("prior, one move, median (p99)", format!("{} (goal: median at most {goal}: {met})", both(&of_move)));
    line("prior, all moves of a position, median (p99)", both(&fitted));
    line("the same by exchanges alone, median (p99)", both(&exchanges));
    let found = ratio(fitted.median(), exchanges.median());
    line("ratio of the medians", format!("{found:.2} (goal: at most 1: {})", verdict(found <= 1.0)));
}

fn correct_plies(streams: &[Stream], run: &Run) -> String {
    let correct_plies =
        |(stream, moves): (&Stream, &Vec<String>)| stream.truth.iter().zip(moves).take_while(|(a, b)| a == b).count();
    let found: usize = streams.iter().zip(&run.moves).map(correct_plies).sum();
    format!("{found} of {}", streams.iter().map(|stream| stream.truth.len()).sum::<usize>())
}

fn both(figures: &Figures) -> String {
    format!("{} ({})", time(figures.median()), time(figures.percentile(99)))
}

/// The results of a measurement.
#[derive(Default)]
struct Run {
    /// The times for chunks with a change of a square.
    updates: Figures,
    /// The shortest time of each of these chunks in all rounds.
    fastest: Vec<Duration>,
    /// The number of these chunks so far in this round.
    index: usize,
    /// The time for all other chunks, and for deadlines.
    between: Duration,
    /// The moves of each stream.
    moves: Vec<Vec<String>>,
}

impl Run {
    fn add_update(&mut self, took: Duration) {
        self.updates.add(took);
        match self.fastest.get_mut(self.index) {
            Some(fastest) => *fastest = took.min(*fastest),
            None => self.fastest.push(took),
        }
        self.index += 1;
    }
}

/// Measures both on the same streams, one after the other, so that disturbances affect both.
fn compare(streams: &[Stream], sensing: SensorKind) -> (Run, Run) {
    let (mut ours, mut plain) = (Run::default(), Run::default());
    for round in 0..ROUNDS {
        (ours.index, plain.index) = (0, 0);
        for stream in streams {
            let (a, b) = (touchmove(stream, sensing, &mut ours), all_successors(stream, &mut plain));
            if round == 0 {
                ours.moves.push(a);
                plain.moves.push(b);
            }
        }
    }
    (ours, plain)
}

fn is_update(chunk: &[u8]) -> bool {
    chunk.first() == Some(&0x8e)
}

fn touchmove(stream: &Stream, sensing: SensorKind, run: &mut Run) -> Vec<String> {
    let mut protocol = (model("dgt").expect("there is a DGT board").protocol)();
    let mut table = Table::new(Settings { sensing, ..Settings::default() });
    let (mut longest, mut last_number): (Vec<String>, u64) = (Vec::new(), 0);
    protocol.link(0, LinkState::Up);
    table.handle(0, Input::Link(LinkState::Up));
    for (at, bytes) in &stream.chunks {
        let began = Instant::now();
        // The daemon has handled earlier deadlines by then, and waits for the next one.
        black_box(table.advance(*at));
        black_box(table.next_deadline());
        let due = began.elapsed();
        let began = Instant::now();
        protocol.receive(*at, bytes);
        while let Some((_, reading)) = protocol.poll_reading() {
            for command in black_box(table.handle(*at, Input::Reading(reading))).commands {
                let _ = protocol.execute(*at, Address::ONLY, command);
            }
        }
        while let Some(write) = protocol.poll_write() {
            black_box(write);
        }
        let took = began.elapsed();
        run.between += due;
        if is_update(bytes) {
            run.add_update(took)
        } else {
            run.between += took
        }
        // The pieces may be set up again at the end: that is another game.
        if let Some(record) = table.record()
            && record.last_number != last_number
            && record.plies.len() >= longest.len()
        {
            // Copies only new moves, because the effect on the processor's caches would be measured, too.
            last_number = record.last_number;
            let ucis = || record.plies.iter().map(|ply| &ply.played.uci);
            let same = longest.iter().zip(ucis()).take_while(|(one, other)| one == other).count();
            longest.truncate(same);
            longest.extend(ucis().skip(same).cloned());
        }
    }
    longest
}

fn all_successors(stream: &Stream, run: &mut Run) -> Vec<String> {
    let mut plain = Plain { buffer: Vec::new(), seen: Board::empty(), position: Chess::default(), moves: Vec::new() };
    for (_, bytes) in &stream.chunks {
        let began = Instant::now();
        plain.receive(bytes);
        let took = began.elapsed();
        if is_update(bytes) { run.add_update(took) } else { run.between += took }
    }
    plain.moves.iter().map(|mv| mv.to_uci(shakmaty::CastlingMode::Standard).to_string()).collect()
}

/// The simplest loop: no stops on the way, no pieces of the opponent in the air, no takebacks, no clock.
struct Plain {
    buffer: Vec<u8>,
    seen: Board,
    position: Chess,
    moves: Vec<Move>,
}

impl Plain {
    fn receive(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        while let [id, high, low, ..] = self.buffer[..] {
            let length = usize::from(high) << 7 | usize::from(low);
            if self.buffer.len() < length {
                return;
            }
            let message: Vec<u8> = self.buffer.drain(..length).collect();
            match id {
                0x86 => (0..64).for_each(|field| self.set(field, message[3 + usize::from(field)])),
                0x8e => self.set(message[3], message[4]),
                _ => continue,
            }
            self.find_move();
        }
    }

    fn set(&mut self, field: u8, code: u8) {
        const ROLES: [Role; 6] = [Role::Pawn, Role::Rook, Role::Knight, Role::Bishop, Role::King, Role::Queen];
        let square =
            Square::from_coords(shakmaty::File::new(u32::from(field) % 8), shakmaty::Rank::new(7 - u32::from(field) / 8));
        match code {
            1..=6 => self.seen.set_piece_at(square, Piece { color: Color::White, role: ROLES[usize::from(code) - 1] }),
            7..=12 => self.seen.set_piece_at(square, Piece { color: Color::Black, role: ROLES[usize::from(code) - 7] }),
            _ => self.seen.discard_piece_at(square),
        }
    }

    fn find_move(&mut self) {
        for mv in self.position.legal_moves() {
            let mut next = self.position.clone();
            next.play_unchecked(mv);
            if next.board() == &self.seen {
                self.position = next;
                self.moves.push(mv);
                return;
            }
        }
    }
}
