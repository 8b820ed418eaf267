//! The simulator: its bytes are reproducible, its hands make at least as many faults as real ones, and its games can be decoded.

mod besides;

use shakmaty::{Color, Move, Piece, Role, Square};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::time::{Duration, Instant};
use touchmove::boards::{self, Millis};
use touchmove::ctl::{pty, simulate};
use touchmove::game::GameResult;
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, HostInput, RecordingCable, RunEvent, VirtualCable};
use touchmove::lab::{options, score};
use touchmove::laws::Position;
use touchmove::link::recording::{self, Entry};
use touchmove::simulate::act::Act;
use touchmove::simulate::dgt::VirtualDgt;
use touchmove::simulate::hands::{BLITZ, CLEAN, CLUB, HandsProfile, PROFILES, Rates, WORN};
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::rng::Rng;
use touchmove::simulate::script::{self, Script};
use touchmove::simulate::{Chunk, Simulation, SimulationSetup, VirtualBoard};
use touchmove::table::{LineTrace, Table};

/// Random play that prefers special moves, as PGN.
fn random_pgn(seed: u64, plies: usize) -> String {
    let mut rng = Rng::new(seed, 0);
    let mut position = Position::start();
    let mut moves = String::new();
    for ply in 0..plies {
        let legal = position.legal_moves();
        let special: Vec<Move> =
            legal.iter().copied().filter(|mv| !matches!(mv, Move::Normal { promotion: None, .. })).collect();
        let captures: Vec<Move> = legal.iter().copied().filter(|mv| mv.is_capture()).collect();
        let from: &[Move] = match rng.below(4) {
            0 | 1 if !special.is_empty() => &special,
            2 if !captures.is_empty() => &captures,
            _ => &legal,
        };
        let Some(mv) = rng.pick(from) else { break };
        if ply % 2 == 0 {
            moves.push_str(&format!("{}. ", ply / 2 + 1));
        }
        moves.push_str(&format!("{} ", position.san(mv)));
        position = position.play(mv);
    }
    let result = ["1-0", "0-1", "1/2-1/2"][seed as usize % 3];
    format!("[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n{moves}{result}\n\n")
}

pub fn random_games(count: u64, plies: usize) -> Vec<SourceGame> {
    random_games_from(0, count, plies)
}

/// The same, with seeds from `first` on.
pub fn random_games_from(first: u64, count: u64, plies: usize) -> Vec<SourceGame> {
    let text: String = (first..first + count).map(|seed| random_pgn(seed, plies)).collect();
    pgn::read(&text).games
}

fn setup(profile: &HandsProfile, clock: bool, seed: u64) -> SimulationSetup<'_> {
    SimulationSetup { profile, clock, rotation: Rotation::Upright, clock_turned: false, seed }
}

/// Everything that a board sends to a host that sends three requests at the start and then only listens.
fn listen(game: &SourceGame, setup: &SimulationSetup) -> (Vec<Chunk>, Script) {
    let mut simulation = Simulation::new("dgt", game, setup).expect("there is a virtual DGT board");
    simulation.receive(0, &[0x40, 0x42, 0x4b]);
    let chunks = simulation.advance(simulation.ends_at());
    (chunks, simulation.script().clone())
}

/// One square's change, as the board sent it.
#[derive(Clone, Copy, Debug)]
struct Edge {
    at: Millis,
    square: Square,
    shows: u8,
    ply: u32,
}

fn edges(chunks: &[Chunk]) -> Vec<Edge> {
    let edge = |chunk: &Chunk| match chunk.bytes[..] {
        [0x8e, 0, 5, field, shows] => Some(Edge { at: chunk.at, square: square(field), shows, ply: chunk.ply }),
        _ => None,
    };
    chunks.iter().filter_map(edge).collect()
}

fn square(field: u8) -> Square {
    Square::new(u32::from(field) ^ 56)
}

fn piece(code: u8) -> Option<Piece> {
    let roles = [Role::Pawn, Role::Rook, Role::Knight, Role::Bishop, Role::King, Role::Queen];
    let color = Color::from_white(code <= 6);
    code.checked_sub(1).map(|index| roles[usize::from(index % 6)].of(color))
}

#[test]
fn random_numbers_are_the_same_on_every_machine() {
    let mut rng = Rng::new(1, 2);
    let drawn: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
    assert_eq!(drawn, [2_852_050_654_427_140_149, 9_034_726_070_435_537_184, 7_519_167_282_502_528_614]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for game in &random_games(3, 60) {
        for profile in PROFILES {
            let once = listen(game, &setup(profile, true, 7)).0;
            assert_eq!(once, listen(game, &setup(profile, true, 7)).0, "{}", profile.name);
            assert_ne!(once, listen(game, &setup(profile, true, 8)).0, "{}", profile.name);
        }
    }
}

#[test]
fn the_pieces_end_on_the_squares_of_the_game() {
    for game in &random_games(60, 150) {
        for profile in PROFILES {
            let script = script::write(game, profile, true, 3, &[]);
            let (placement, expected) = (besides::pieces_at_the_end(&script), besides::pieces_of_the_truth(game, &script));
            assert!(placement == expected, "{}", profile.name);
        }
    }
}

/// The simplest decoder: a move was played if the board shows the placement after it.
fn naive(game: &SourceGame, chunks: &[Chunk], rotation: Rotation) -> Vec<String> {
    let mut position = game.start.clone();
    let mut shown = position.board().clone();
    let mut played = Vec::new();
    for edge in edges(chunks) {
        let square = rotation.apply(edge.square);
        match piece(edge.shows) {
            Some(piece) => shown.set_piece_at(square, piece),
            None => shown.discard_piece_at(square),
        }
        let found = position.legal_moves().into_iter().find(|&mv| *position.play(mv).board() == shown);
        if let Some(mv) = found {
            played.push(position.uci(mv));
            position = position.play(mv);
        }
    }
    played
}

#[test]
fn the_simplest_decoder_reads_clean_hands() {
    for game in random_games(20, 120).iter().filter(|game| !game.signalled) {
        for rotation in [Rotation::Upright, Rotation::Turned] {
            let (chunks, script) = listen(game, &SimulationSetup { rotation, ..setup(&CLEAN, true, 5) });
            let truth: Vec<String> = script.truth.plies.iter().map(|ply| ply.uci.clone()).collect();
            assert_eq!(naive(game, &chunks, rotation), truth);
        }
    }
}

#[test]
fn the_board_answers_at_the_speed_of_its_line() {
    let game = &random_games(1, 80)[0];
    let setup = setup(&WORN, true, 9);
    let script = script::write(game, setup.profile, setup.clock, setup.seed, &[]);
    let mut board = VirtualDgt::new(&setup, &script.initial_pieces, 1);
    board.receive(0, &[0x40]);
    let mut dumps = 0;
    for (index, action) in script.actions.iter().enumerate() {
        board.advance(action.at);
        board.act(action.at, action.act, action.ply);
        if index % 7 == 0 {
            let seen = *board.seen();
            board.receive(action.at, &[0x42]);
            let answer: Vec<u8> = board.advance(action.at + 80).into_iter().flat_map(|chunk| chunk.bytes).collect();
            assert_eq!((&answer[..3], &answer[3..]), (&[0x86, 0, 67][..], &seen[..]));
            dumps += 1;
        }
    }
    assert!(dumps > 20);

    let (chunks, _) = listen(game, &setup);
    for pair in chunks.windows(2) {
        let needed = pair[1].bytes.len() as u64 * 10_000 / 9_600;
        assert!(pair[1].at - pair[0].at + 1 >= needed, "{pair:?} came too fast");
    }
}

#[test]
fn the_board_names_no_maker_and_notes_forbidden_commands() {
    let setup = setup(&CLEAN, false, 1);
    let mut board = VirtualDgt::new(&setup, &[None; 64], 1);
    board.receive(0, &[0x40, 0x47]);
    let answer: Vec<u8> = board.advance(200).into_iter().flat_map(|chunk| chunk.bytes).collect();
    let text = String::from_utf8_lossy(&answer[3..]).to_lowercase();
    assert_eq!(answer[0], 0x92);
    assert!(!text.contains("dgt") && !text.contains("trade"), "{text}");
    // No clock: bit 5 of the status.
    board.receive(200, &[0x41]);
    let answer: Vec<u8> = board.advance(300).into_iter().flat_map(|chunk| chunk.bytes).collect();
    assert_eq!(answer, [0x8d, 0, 10, 0, 0, 0, 0, 0, 0, 0x20]);
    board.receive(300, &[0x4b, 0x42, 0x4d, 0x45, 0x55, 0x46]);
    assert!(board.forbidden().is_empty());
    board.receive(400, &[0x4e, 0x51]);
    assert_eq!(board.forbidden(), [0x4e, 0x51]);
}

/// What was counted in many games.
#[derive(Default, Debug)]
struct Seen {
    moves: u64,
    captures: u64,
    victim_never_empty: u64,
    quiet: u64,
    destination_first: u64,
    stopped: u64,
    stopped_long: u64,
    slid: u64,
    brushed: u64,
    clock_between: u64,
    early: u64,
    castlings: u64,
    castled_otherwise: u64,
    promotions: BTreeMap<&'static str, u64>,
    three_in_a_second: u64,
    adjusted: u64,
}

fn count(games: &[SourceGame], profile: &HandsProfile, seeds: u64) -> Seen {
    let mut seen = Seen::default();
    for game in games {
        for seed in 0..seeds {
            let (chunks, script) = listen(game, &setup(profile, true, seed));
            count_game(game, &chunks, &script, &mut seen);
        }
    }
    seen
}

fn count_game(game: &SourceGame, chunks: &[Chunk], script: &Script, seen: &mut Seen) {
    let edges = edges(chunks);
    let clock: Vec<Millis> = chunks.iter().filter(|chunk| chunk.bytes[0] == 0x8d).map(|chunk| chunk.at).collect();
    let plies = &script.truth.plies;
    let mut position = game.start.clone();
    for (index, ply) in game.plies.iter().enumerate() {
        let ply_edges: Vec<Edge> = edges.iter().filter(|edge| edge.ply == index as u32 + 1).copied().collect();
        seen.moves += 1;
        let (Some(first), Some(last)) = (ply_edges.first(), ply_edges.last()) else { continue };
        seen.clock_between += u64::from(clock.iter().any(|at| (first.at..last.at).contains(at)));
        seen.stopped += u64::from(plies[index].stop_ms >= 80);
        seen.stopped_long += u64::from(plies[index].stop_ms > 250);
        if let (Some(next), Some(pressed)) = (plies.get(index + 1), plies[index].pressed_at) {
            seen.early += u64::from(next.touched_at < pressed);
        }
        if let Some(third) = plies.get(index + 2) {
            seen.three_in_a_second += u64::from(third.done_at - plies[index].touched_at < 1000);
        }
        let empty = |square: Square| ply_edges.iter().position(|edge| edge.square == square && edge.shows == 0);
        let filled = |square: Square| ply_edges.iter().position(|edge| edge.square == square && edge.shows != 0);
        match ply.mv {
            Move::Normal { role, from, to, capture, promotion: None } => {
                let moved = role.of(position.turn());
                if capture.is_some() {
                    seen.captures += 1;
                    seen.victim_never_empty += u64::from(empty(to).is_none());
                } else {
                    seen.quiet += 1;
                    let order = filled(to).zip(empty(from));
                    seen.destination_first += u64::from(order.is_some_and(|(filled, empty)| filled < empty));
                }
                let legal = position.legal_moves();
                let touched = |stop: bool| {
                    ply_edges.iter().any(|edge| {
                        let can = legal.iter().any(|mv| mv.from() == Some(from) && mv.to() == edge.square);
                        edge.square != to && edge.square != from && piece(edge.shows) == Some(moved) && can == stop
                    })
                };
                seen.slid += u64::from(touched(true));
                seen.brushed += u64::from(touched(false));
            }
            Move::Normal { from, to, promotion: Some(_), .. } => {
                let pawn = ply_edges
                    .iter()
                    .any(|edge| edge.square == to && matches!(piece(edge.shows), Some(Piece { role: Role::Pawn, .. })));
                let queen_first = filled(to).zip(empty(from)).is_some_and(|(filled, empty)| filled < empty);
                let style = if queen_first {
                    "queen first"
                } else if pawn {
                    "pushed"
                } else {
                    "replaced"
                };
                *seen.promotions.entry(style).or_default() += 1;
            }
            Move::Castle { king, rook } => {
                let king_to = Square::from_coords(if rook > king { shakmaty::File::G } else { shakmaty::File::C }, king.rank());
                seen.castlings += 1;
                let otherwise = empty(rook).zip(filled(king_to)).is_some_and(|(rook, king)| rook < king);
                seen.castled_otherwise += u64::from(otherwise);
            }
            _ => {}
        }
        position = position.play(ply.mv);
    }
    let over = script.truth.over_at;
    let first = script.truth.plies.first().map_or(0, |ply| ply.touched_at);
    seen.adjusted +=
        edges.iter().filter(|edge| edge.ply == 0 && edge.shows == 0 && edge.at > first && edge.at < over).count() as u64;
}

#[track_caller]
fn at_least(part: u64, total: u64, permille: u64) {
    assert!(
        part * 1000 >= total * permille,
        "{part} of {total} is {} ‰, and should be at least {permille}",
        part * 1000 / total.max(1)
    );
}

#[track_caller]
fn at_most(part: u64, total: u64, permille: u64) {
    assert!(
        part * 1000 <= total * permille,
        "{part} of {total} is {} ‰, and should be at most {permille}",
        part * 1000 / total.max(1)
    );
}

#[test]
fn hands_make_at_least_as_many_faults_as_real_ones() {
    let games = random_games(60, 150);
    let castling = pgn::read("[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *\n\n").games;
    for profile in [&CLUB, &BLITZ] {
        let seen = count(&games, profile, 3);
        println!("{}: {seen:?}", profile.name);
        at_least(seen.victim_never_empty, seen.captures, 700);
        at_most(seen.victim_never_empty, seen.captures, 850);
        at_least(seen.destination_first, seen.quiet, 25);
        at_most(seen.destination_first, seen.quiet, 100);
        at_least(seen.stopped, seen.moves, 40);
        at_least(seen.slid, seen.moves, 40);
        at_most(seen.slid, seen.moves, 70);
        at_least(seen.stopped_long, seen.moves, 15);
        at_least(seen.brushed, seen.moves, 10);
        at_most(seen.brushed, seen.moves, 30);
        at_least(seen.clock_between, seen.moves, 370);
        at_least(seen.early, seen.moves, if profile.name == "blitz" { 150 } else { 30 });
        at_least(seen.adjusted, seen.moves, 5);
        assert_eq!(seen.promotions.len(), 3, "{:?}", seen.promotions);
        if profile.name == "blitz" {
            at_least(seen.three_in_a_second, seen.moves, 10);
        }
        let seen = count(&castling, profile, 600);
        at_least(seen.castled_otherwise, seen.castlings, 50);
        at_most(seen.castled_otherwise, seen.castlings, 120);
    }
}

#[test]
fn each_fault_can_be_enabled_alone() {
    let games = random_games(6, 100);
    let clean = count(&games, &CLEAN, 1);
    let none = [
        clean.victim_never_empty,
        clean.destination_first,
        clean.stopped,
        clean.slid,
        clean.brushed,
        clean.early,
        clean.adjusted,
    ];
    assert_eq!(none, [0; 7], "{clean:?}");
    let alone = |rates: Rates| count(&games, &HandsProfile { rates, ..CLEAN }, 1);
    let check = |rates: Rates, get: fn(&Seen) -> u64, total: fn(&Seen) -> u64| {
        let seen = alone(rates);
        at_least(get(&seen), total(&seen), 600);
    };
    check(Rates { swap_capture: 1000, ..CLEAN.rates }, |seen| seen.victim_never_empty, |seen| seen.captures);
    check(Rates { destination_first: 1000, ..CLEAN.rates }, |seen| seen.destination_first, |seen| seen.quiet);
    check(Rates { brush: 1000, ..CLEAN.rates }, |seen| seen.brushed, |seen| seen.quiet);
    check(Rates { early_reply: 1000, ..CLEAN.rates }, |seen| seen.early, |seen| seen.moves);
    check(Rates { adjust: 1000, ..CLEAN.rates }, |seen| seen.adjusted, |seen| seen.moves);
    at_least(alone(Rates { slide_stop: 1000, ..CLEAN.rates }).slid, 100, 1000);
}

#[test]
fn kings_signal_the_result_on_all_squares() {
    let mut placements = BTreeSet::new();
    for game in &random_games(30, 30) {
        for seed in 0..12 {
            let rates = Rates { kings_signal: 1000, kings_together: 500, ..CLEAN.rates };
            let script = script::write(game, &HandsProfile { rates, ..CLEAN }, false, seed, &[]);
            let Some(signalled_at) = script.truth.signalled_at else { continue };
            let mut squares = script.initial_pieces;
            for action in script.actions.iter().filter(|action| action.at <= signalled_at) {
                match action.act {
                    Act::Lift(square) => squares[square as usize] = None,
                    Act::Put(square, piece) => squares[square as usize] = Some(piece),
                    _ => {}
                }
            }
            let king = |color: Color| {
                let all: Vec<_> =
                    Square::ALL.into_iter().filter(|&at| squares[at as usize] == Some(Role::King.of(color))).collect();
                assert_eq!(all.len(), 1);
                all[0]
            };
            let (white, black) = (king(Color::White), king(Color::Black));
            let signalled = match (white.is_light(), black.is_light()) {
                (true, true) => GameResult::WhiteWins,
                (false, false) => GameResult::BlackWins,
                _ => GameResult::Draw,
            };
            assert_eq!(Some(signalled), script.truth.result, "{white} {black}");
            placements.insert((white, black));
        }
    }
    assert_eq!(placements.len(), 12, "{placements:?}");
}

#[test]
fn clean_games_are_decoded_exactly_with_and_without_clock() {
    for game in &random_games(12, 100) {
        for (clock, rotation) in [(true, Rotation::Upright), (false, Rotation::Turned)] {
            let setting =
                options::SimulationOptions { board: "dgt".to_owned(), profile: CLEAN, inject: Vec::new(), clock, rotation };
            let figures = score::play_and_compare(game, 1, &setting, None).unwrap();
            assert!(figures.exact, "game {}: {:?}", game.number, figures.failure);
            assert_eq!((figures.retracted, figures.alerts), (0, 0));
        }
    }
}

#[test]
fn a_recorded_simulation_replays_to_the_same_events() {
    let dir = tempfile::tempdir().unwrap();
    let (pgn, rec) = (dir.path().join("game.pgn"), dir.path().join("game.rec"));
    std::fs::write(&pgn, random_pgn(4, 90)).unwrap();
    let args = || simulate::Args {
        pgn: Some(pgn.clone()),
        board: "dgt".to_owned(),
        hands: simulate::HandsArgs::of("blitz"),
        seed: 3,
        chain: None,
        clock: true,
        turned: true,
        game: None,
        output: Some(rec.clone()),
        pty: false,
        speed: 1,
        stay: false,
        bluetooth: false,
        rates: false,
        hall: Default::default(),
    };
    simulate::run(args()).unwrap();
    let first = std::fs::read(&rec).unwrap();
    simulate::run(args()).unwrap();
    assert_eq!(first, std::fs::read(&rec).unwrap());

    let recording = recording::read(&rec).unwrap();
    let received = recording.lines.into_iter().filter_map(|line| match line.entry {
        Entry::Rx(bytes) => Some((line.at, HostInput::Bytes(bytes, 0))),
        _ => None,
    });
    let model = boards::model(&recording.header.board).unwrap();
    let game = &pgn::read(&std::fs::read_to_string(&pgn).unwrap()).games[0];
    let (mut replayed, mut live) = (Vec::new(), Vec::new());
    let setup = SimulationSetup { rotation: Rotation::Turned, ..setup(&BLITZ, true, 3) };
    let simulation = Simulation::new("dgt", game, &setup).unwrap();
    let until = simulation.ends_at();
    let mut runs: [(Box<dyn run::Cable>, &mut Vec<_>); 2] =
        [(Box::new(RecordingCable::new(received)), &mut replayed), (Box::new(VirtualCable::new(simulation)), &mut live)];
    for (cable, events) in &mut runs {
        let mut table = Table::new(options::settings(game));
        run::play(&mut **cable, &mut *(model.protocol)(), &mut table, until, &mut |_, run_event| {
            if let RunEvent::Event(event) = run_event {
                events.push(event.clone());
            }
        });
    }
    let durable = replayed.iter().filter(|event| event.event.is_durable()).count();
    assert!(durable > 50, "{durable}");
    assert_eq!(replayed, live);
}

#[test]
fn lifts_that_only_begin_a_move_change_nothing_else() {
    // Where a line is traced, they are handled like any other change.
    let games = [pgn::read(include_str!("../../src/ctl/demo/opera.pgn")), pgn::read(&random_pgn(5, 60))];
    for (game, profile) in games.iter().flat_map(|read| &read.games).zip([&CLUB, &BLITZ]).chain([(&games[1].games[0], &WORN)]) {
        for clock in [true, false] {
            let settings = options::settings(game);
            let outcome = |mut table: Table| {
                let simulation = Simulation::new("dgt", game, &setup(profile, clock, 7)).unwrap();
                let (until, mut outcome) = (simulation.ends_at(), Vec::new());
                let (mut cable, mut protocol) = (VirtualCable::new(simulation), (boards::model("dgt").unwrap().protocol)());
                run::play(&mut cable, &mut *protocol, &mut table, until, &mut |now, run_event| match run_event {
                    RunEvent::Event(event) => outcome.push((now, Some(event.clone()), None)),
                    RunEvent::Handled(table) => outcome.push((now, None, table.next_deadline())),
                    _ => {}
                });
                outcome
            };
            let plain = outcome(Table::new(settings.clone()));
            let traced = outcome(Table::tracing(settings, LineTrace::new(Vec::new())));
            assert!(plain.len() > 100);
            assert_eq!(plain, traced, "{} clock {clock}", profile.name);
        }
    }
}

#[test]
fn a_pseudo_terminal_acts_as_a_board() {
    let game = pgn::read("[Result \"*\"]\n\n1. e4 e5 2. Nf3 *\n\n").games.remove(0);
    let simulation = Simulation::new("dgt", &game, &setup(&CLEAN, true, 1)).unwrap();
    let mut port = pty::PseudoTerminal::open().unwrap();
    let path = port.path().to_owned();
    let board = std::thread::spawn(move || port.serve(simulation, 200, false));
    let mut host = std::fs::File::options().read(true).write(true).open(path).unwrap();
    host.write_all(&[0x40, 0x42, 0x4b]).unwrap();
    let mut bytes = Vec::new();
    // The board disappears after the game: the host reads the end of the file or an error, as when a cable is pulled.
    let _ = host.read_to_end(&mut bytes);
    board.join().unwrap().unwrap();
    assert_eq!(&bytes[..3], &[0x86, 0, 67]);
    let updates: Vec<&[u8]> = bytes.windows(5).filter(|bytes| bytes[..3] == [0x8e, 0, 5]).collect();
    let seen: Vec<String> =
        updates.iter().map(|update| format!("{}{}", square(update[3]), piece(update[4]).map_or('-', Piece::char))).collect();
    assert_eq!(seen.join(" "), "e2- e4P e7- e5p g1- f3N");
    assert!(bytes.windows(3).any(|bytes| bytes == [0x8d, 0, 10]));
}

/// Serves a board on a pseudo-terminal until the test ends; returns the other end, where the board was greeted.
fn serve(model: &str, delivery: pty::Delivery, speed: u32, greeting: &[u8]) -> std::fs::File {
    let game = pgn::read("[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n").games.remove(0);
    let simulation = Simulation::new(model, &game, &setup(&CLEAN, false, 1)).unwrap();
    let mut port = pty::PseudoTerminal::open().unwrap().with_delivery(delivery);
    let mut host = std::fs::File::options().read(true).write(true).open(port.path()).unwrap();
    std::thread::spawn(move || port.serve(simulation, speed, false));
    host.write_all(greeting).unwrap();
    host
}

#[test]
fn packets_are_read_one_by_one() {
    let mut host = serve("cpp", pty::Delivery::Packets, 20, b"get_state");
    let mut packets = Vec::new();
    while packets.len() < 8 {
        // Slower than the board sends.
        std::thread::sleep(Duration::from_millis(100));
        let mut packet = [0; 1024];
        let length = host.read(&mut packet).unwrap();
        packets.push(String::from_utf8(packet[..length].to_vec()).unwrap());
    }
    assert!(packets.iter().all(|packet| packet.starts_with("state ") && packet.matches("state").count() == 1), "{packets:?}");
    assert_eq!(packets[1], "state ????????/????????/8/8/8/8/????1???/????????");
}

#[test]
fn the_players_wait_while_nobody_reads() {
    // It sends all the time.
    let mut host = serve("sentio", pty::Delivery::PatientStream, 1, &[0; 8]);
    std::thread::sleep(Duration::from_secs(4));
    let mut bytes = vec![0; 65_536];
    let length = host.read(&mut bytes).unwrap();
    let began = Instant::now();
    let mut rest = 0;
    while began.elapsed() < Duration::from_secs(3) {
        rest += host.read(&mut bytes).unwrap();
    }
    assert!(length < rest, "{length} bytes during 4 s, {rest} during the next 3 s");
}

#[test]
fn real_games_are_read() {
    for (file, games, without_moves, signals) in
        [("worldcup2025", 147, 3, 4), ("clubcup2018", 300, 0, 6), ("blitz-online", 199, 1, 2), ("chess960", 12, 0, 1)]
    {
        let path = format!("{}/../shared/data/games/{file}.pgn", env!("CARGO_MANIFEST_DIR"));
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("SKIPPED: there is no {path}");
            continue;
        };
        let read = pgn::read(&String::from_utf8_lossy(&bytes));
        assert!(read.unreadable.is_empty(), "{file}: {:?}", read.unreadable);
        let signalled = read.games.iter().filter(|game| game.signalled).count();
        assert_eq!((read.games.len(), read.without_moves, signalled), (games, without_moves, signals), "{file}");
    }
}
