//! The bytes of a memory: how they are decoded, and which bytes are the reply to our request.

use super::{E2, pawn};
use shakmaty::Square;
use touchmove::boards::{self, Address, BoardCommand, ClockHalf, LinkState, MemoryEntry, Millis, Reading, SquareState};

/// The entries that a new DGT decoder reads from a memory message, whatever the sizes of the chunks.
fn read(payload: &[u8]) -> Vec<MemoryEntry> {
    let length = payload.len() + 3;
    let message = [&[0x8f, (length >> 7) as u8, (length & 0x7f) as u8], payload].concat();
    let mut last = None;
    for size in [1, 7, message.len()] {
        let mut board = (boards::model("dgt").unwrap().protocol)();
        board.link(0, LinkState::Up);
        message.chunks(size).for_each(|chunk| board.receive(10, chunk));
        let Some((_, Reading::Memory(entries))) = board.poll_reading() else { panic!("no memory") };
        assert!(last.is_none_or(|last| last == entries));
        last = Some(entries);
    }
    last.unwrap()
}

#[test]
fn memory_bytes_are_decoded() {
    let half = |half, ms| MemoryEntry::ClockPressed { half, ms };
    let cases: &[(&[u8], &[MemoryEntry])] = &[
        (&[], &[]),
        (&[0x40, 0x34, 0x51, 0x24], &[E2, pawn(Square::E4, true)]),
        (&[0x70, 0x12, 0x34], &[half(ClockHalf::Left, 754_000)]),
        (&[0x69, 0x59, 0x59], &[half(ClockHalf::Right, 35_999_000)]),
        (
            &[0x7f, 0x00, 0x6a, 0x6d, 0x6f, 0x7a, 0x6b],
            &[MemoryEntry::PowerUp, MemoryEntry::Cleared, MemoryEntry::StartPosition, MemoryEntry::StartPosition],
        ),
        // Marks without meaning for the squares.
        (&[0x6c, 0x6e, 0x7b, 0x7c, 0x7d, 0x7e], &[]),
        // The oldest entry is cut: a field without its piece, seconds without their minutes.
        (&[0x34, 0x41, 0x34], &[pawn(Square::E2, false)]),
        (&[0x34, 0x12, 0x40, 0x34], &[E2]),
        // Invalid fields, times and ends; the pieces that mark results are not chess pieces.
        (&[0x41, 0x51, 0x34, 0x60, 0x7f, 0x4e, 0x34, 0x41], &[pawn(Square::E2, true), E2]),
    ];
    for (bytes, expect) in cases {
        assert_eq!(read(bytes), *expect, "{bytes:x?}");
    }
    assert_eq!(read(&[0x7f; 0x1f00]), []);
}

/// Changes of squares in the middle of the memory are reported at once, and the memory continues.
#[test]
fn changes_are_reported_in_the_middle_of_a_memory() {
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    board.receive(10, &[0x8f, 0, 9, 0x40, 0x34, 0x51, 0x8e, 0, 5, 0x0c, 0, 0x8e, 0, 5, 0x1c, 0, 0x24, 0x7f, 0x6b]);
    let lift = |square| Reading::Square(square, SquareState::Empty);
    let readings: Vec<Reading> = std::iter::from_fn(|| board.poll_reading()).map(|(_, reading)| reading).collect();
    assert_eq!(readings, [lift(Square::E7), lift(Square::E5), Reading::Memory(vec![E2, pawn(Square::E4, true)])]);
}

/// While the memory arrives nothing else is requested and the board is not silent; the memory is requested twice.
#[test]
fn the_memory_is_waited_for() {
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    let start = [&[0x86, 0, 67][..], &[0; 64]].concat();
    board.receive(150, &start);
    while board.poll_write().is_some() || board.poll_reading().is_some() {}
    assert_eq!(board.execute(1_000, Address::ONLY, BoardCommand::Memory), Ok(()));
    assert_eq!(board.execute(1_000, Address::ONLY, BoardCommand::Memory), Ok(()));
    let mut sent = Vec::new();
    let mut readings = Vec::new();
    let mut run = |board: &mut dyn boards::Protocol, until: Millis| {
        while let Some(at) = board.next_deadline().filter(|&at| at <= until) {
            board.timeout(at);
        }
        sent.extend(std::iter::from_fn(|| board.poll_write()).flat_map(|write| write.bytes));
        readings.extend(std::iter::from_fn(|| board.poll_reading()).map(|(_, reading)| reading));
    };
    board.receive(1_200, &[0x8f, 0x3e, 0x03]);
    for now in (1_300..9_000).step_by(100) {
        board.receive(now, &[0x40, 0x34]);
        run(&mut *board, now);
    }
    run(&mut *board, 11_000);
    board.receive(11_100, &[0x8f, 0x00, 0x07, 0x40, 0x34]);
    run(&mut *board, 13_200);
    let (memory_requests, others): (Vec<u8>, Vec<u8>) = sent.iter().partition(|byte| **byte == 0x49);
    assert_eq!((memory_requests.len(), others.len()), (2, 0), "{sent:x?}");
    assert_eq!(readings, [Reading::Memory(vec![E2])], "as far as it came");
}

/// A memory that another program requested is still arriving at the time of our request: it is not the reply.
#[test]
fn the_memory_for_another_program_is_ignored() {
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    let start = [&[0x86, 0, 67][..], &[0; 64]].concat();
    board.receive(150, &start);
    board.receive(200, &[0x8f, 0x00, 0x07, 0x40]);
    while board.poll_write().is_some() || board.poll_reading().is_some() {}
    assert_eq!(board.execute(1_000, Address::ONLY, BoardCommand::Memory), Ok(()));
    board.receive(1_100, &[0x34, 0x40, 0x34]);
    let memory_requests = std::iter::from_fn(|| board.poll_write()).filter(|write| write.bytes == [0x49]).count();
    assert_eq!((memory_requests, board.poll_reading()), (2, None));
    board.receive(1_300, &[0x8f, 0x00, 0x07, 0x40, 0x34, 0x51, 0x24]);
    let Some((_, Reading::Memory(log))) = board.poll_reading() else { panic!("no memory") };
    assert_eq!(log, [E2, pawn(Square::E4, true)]);
}

/// A dump that arrives before our request is the reply to the previous program on the line.
#[test]
fn the_dump_for_another_program_is_ignored() {
    let dump = |code: u8| [&[0x86, 0, 67][..], &[code; 64]].concat();
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    board.receive(10, &dump(1));
    assert_eq!(board.poll_reading(), None);
    board.receive(150, &dump(0));
    assert_eq!(board.poll_reading(), Some((Address::ONLY, Reading::Placement(Box::new([SquareState::Empty; 64])))));
    // It is used if no other reply arrives.
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    board.receive(10, &dump(0));
    while let Some(at) = board.next_deadline().filter(|at| *at <= 4_000) {
        board.timeout(at);
    }
    assert_eq!(board.poll_reading(), Some((Address::ONLY, Reading::Placement(Box::new([SquareState::Empty; 64])))));
}
