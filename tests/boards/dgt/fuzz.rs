//! Random and damaged bytes, on DGT boards and on all others.

use super::*;
use proptest::prelude::*;

/// A random event: a delay, received bytes, and a number that selects the event.
fn random_event() -> impl Strategy<Value = (Millis, Vec<u8>, u8)> {
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20),
        Just(bytes(DUMP)),
        Just(bytes("a0 00 0c 55 7f 7f 00 10 00 01 02 01")),
    ];
    (prop_oneof![0..200u64, 0..700_000u64], bytes, 0..7u8)
}

proptest! {
    /// Whatever happens, only harmless commands are sent, one at a time and in order, and never commands of a boot loader or a
    /// draughts board. Deadlines arrive, and do not stay.
    #[test]
    fn dgt_sends_nothing_harmful(events in proptest::collection::vec(random_event(), 0..60)) {
        let mut bench = Bench { board: board(), now: 0 };
        let mut sent = Vec::new();
        for (wait, chunk, selector) in events {
            sent.extend(bench.advance(bench.now + wait).0);
            match selector {
                0 => bench.board.link(bench.now, LinkState::Up),
                1 => bench.board.link(bench.now, LinkState::Down),
                2 => bench.board.execute(bench.now, Address::ONLY, BoardCommand::Placement).unwrap(),
                3 => bench.board.timeout(bench.now),
                4 => bench.board.execute(bench.now, Address::ONLY, BoardCommand::Clock).unwrap(),
                _ => bench.board.receive(bench.now, &chunk),
            }
            sent.extend(writes(&mut *bench.board));
        }
        for (_, byte) in &sent {
            prop_assert!(dgt::MODEL.may_send(&[*byte]), "sent {byte:02x}");
        }
        prop_assert!(sent.windows(2).all(|pair| pair[0].0 <= pair[1].0 || pair[1].1 == 0x40), "out of order: {sent:?}");
    }

    /// However the stream was damaged, the next intact dump is read, and the split into chunks makes no difference.
    #[test]
    fn dgt_reads_on_after_garbage(
        garbage in proptest::collection::vec(any::<u8>(), 0..300),
        cuts in proptest::collection::vec(1..50usize, 0..20),
    ) {
        let stream = [garbage, bytes(DUMP)].concat();
        let expected = read(&stream);
        prop_assert_eq!(expected.last(), Some(&start()));
        let mut board = board();
        board.link(0, LinkState::Up);
        let mut rest = &stream[..];
        for cut in cuts {
            let (chunk, after) = rest.split_at(cut.min(rest.len()));
            board.receive(100, chunk);
            rest = after;
        }
        board.receive(100, rest);
        prop_assert_eq!(readings(&mut *board), expected);
    }
}

/// A port at the wrong speed, or with no board at all: this may go on for any time, and a board is read when it is connected.
#[test]
fn dgt_a_million_random_bytes() {
    let mut bench = Bench::up();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..20_000 {
        let chunk: Vec<u8> = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[4]
        })
        .take(50)
        .collect();
        bench.advance(bench.now + 50);
        bench.board.receive(bench.now, &chunk);
    }
    let (sent, _) = bench.advance(bench.now);
    assert!(sent.len() < 20, "only a few writes are pending: {}", sent.len());
    bench.board.receive(bench.now, &bytes(DUMP));
    assert_eq!(readings(&mut *bench.board).last(), Some(&start()));
}

/// Each board has its own fuzz target, with its name.
#[test]
fn every_board_is_fuzzed() {
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/fuzz_targets");
    let table = std::fs::read_to_string(targets.join("../Cargo.toml")).unwrap();
    for model in BOARDS {
        let file = std::fs::read_to_string(targets.join(model.name).with_extension("rs")).unwrap_or_default();
        assert!(file.contains(&format!("decoder::run({:?}, bytes)", model.name)), "{}", model.name);
        assert!(table.contains(&format!("path = \"fuzz_targets/{}.rs\"", model.name)), "{}", model.name);
    }
}
