//! Decoding and inference, per square that changes: touchmove against the plainest loop that is right on clean hands, which
//! compares the board with every legal successor of the position.

mod stage;

use shakmaty::{Board, Chess, Color, Move, Piece, Position as _, Role, Square};
use stage::{Figures, Stream, line, ratio, time, verdict};
use std::hint::black_box;
use std::time::{Duration, Instant};
use touchmove::boards::{Address, LinkState, SensorKind, model};
use touchmove::simulate::hands::{CLEAN, CLUB};
use touchmove::table::{Input, Settings, Table};

/// Games, each by other hands.
const SEEDS: u64 = 8;
/// How often each is measured.
const ROUNDS: usize = 40;
/// How many times as long as all legal successors compared it may take in the median, where the sensors tell pieces apart.
const IDENTITY_GOAL: f64 = 1.0;
/// The same where they tell only that something stands there: in the median, and of a hundred updates the slowest but one.
const OCCUPANCY_GOAL: (f64, f64) = (10.0, 200.0);

fn main() {
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
    // Searches for what a board shows that is no position of the game: while pieces are in the air, in the pauses of play.
    let mean = |run: &Run| time(run.between / run.updates.count() as u32);
    line(
        "all else (clock, dumps, deadlines), mean per update",
        format!("{}, successors compared {}", mean(&ours), mean(&plain)),
    );

    let club: Vec<Stream> = (1..=SEEDS).map(|seed| Stream::simulated(&CLUB, seed)).collect();
    let (ours, plain) = compare(&club, SensorKind::Identity);
    line("club hands, touchmove, median (p99)", both(&ours.updates));
    line("club hands, plies right up to the first mistake, touchmove", right(&club, &ours));
    line("the same, all legal successors compared", right(&club, &plain));
    line("updates measured", ours.updates.count() + plain.updates.count());

    // The plain loop still sees the pieces: without them it is not right on any hands.
    for (hands, streams) in [("clean", &clean), ("club", &club)] {
        let (ours, plain) = compare(streams, SensorKind::Occupancy);
        let least = plain.updates.median();
        line(&format!("{hands} hands, occupancy, touchmove, median (p99)"), both(&ours.updates));
        line("plies right up to the first mistake", right(streams, &ours));
        for (name, took, goal) in [
            ("the median to the plain median", ours.updates.median(), OCCUPANCY_GOAL.0),
            ("the p99 to the plain median", ours.updates.percentile(99), OCCUPANCY_GOAL.1),
        ] {
            let found = ratio(took, least);
            line(&format!("ratio, {name}"), format!("{found:.2} (goal: at most {goal}: {})", verdict(found <= goal)));
        }
    }
}

fn right(streams: &[Stream], run: &Run) -> String {
    let right = |(stream, moves): (&Stream, &Vec<String>)| stream.truth.iter().zip(moves).take_while(|(a, b)| a == b).count();
    let found: usize = streams.iter().zip(&run.moves).map(right).sum();
    format!("{found} of {}", streams.iter().map(|stream| stream.truth.len()).sum::<usize>())
}

fn both(figures: &Figures) -> String {
    format!("{} ({})", time(figures.median()), time(figures.percentile(99)))
}

/// What came of measuring.
#[derive(Default)]
struct Run {
    /// Chunks that told of a square.
    updates: Figures,
    /// All the other chunks, and deadlines.
    between: Duration,
    /// Of each stream.
    moves: Vec<Vec<String>>,
}

/// Both on the same streams, one after the other, so that what disturbs one disturbs the other.
fn compare(streams: &[Stream], sensing: SensorKind) -> (Run, Run) {
    let (mut ours, mut plain) = (Run::default(), Run::default());
    for round in 0..ROUNDS {
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
    let (mut longest, mut told): (Vec<String>, u64) = (Vec::new(), 0);
    protocol.link(0, LinkState::Up);
    table.handle(0, Input::Link(LinkState::Up));
    for (at, bytes) in &stream.chunks {
        let began = Instant::now();
        // The daemon has done by then what was due before.
        black_box(table.advance(*at));
        let due = began.elapsed();
        let began = Instant::now();
        protocol.receive(*at, bytes);
        while let Some((_, reading)) = protocol.poll_reading() {
            for cue in black_box(table.handle(*at, Input::Reading(reading))).cues {
                let _ = protocol.execute(*at, Address::ONLY, cue);
            }
        }
        while let Some(write) = protocol.poll_write() {
            black_box(write);
        }
        let took = began.elapsed();
        run.between += due;
        if is_update(bytes) {
            run.updates.add(took)
        } else {
            run.between += took
        }
        // The pieces may be set up again at the end: that is another game.
        if let Some(record) = table.record()
            && record.last_number != told
            && record.plies.len() >= longest.len()
        {
            // No more than is new: what this does to the processor's caches would be measured as well.
            told = record.last_number;
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
        if is_update(bytes) { run.updates.add(took) } else { run.between += took }
    }
    plain.moves.iter().map(|mv| mv.to_uci(shakmaty::CastlingMode::Standard).to_string()).collect()
}

/// The plainest loop: no stop on the way, no piece of the opponent in the air, no takeback, no clock.
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
            self.look();
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

    fn look(&mut self) {
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
