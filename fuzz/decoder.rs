//! Any bytes, cut anywhere, into a board's protocol, and what it makes of them into a table: what the fuzz target of every board runs.
//!
//! A byte below 224 says how many bytes arrive next at once (by its lower four bits), one from 224 on lets time pass, or plugs the
//! cable, or asks the board for something.

#[allow(dead_code)] // what is shared with the tests is not all used here
#[path = "../tests/properties/promises.rs"]
mod promises;

use promises::Promises;
use shakmaty::Square;
use touchmove::boards::{self, Address, Cue, LinkState, Millis, Protocol, Reading, Trouble};
use touchmove::table::{Input, Settings, Table};

/// What a DGT board may ever be sent: nothing that restarts it, floods the line or writes into its memory.
const DGT_COMMANDS: [u8; 8] = [0x40, 0x42, 0x45, 0x49, 0x4b, 0x4c, 0x4d, 0x55];

/// Boards that send a stream, in which it makes no difference how it was cut.
const STREAMS: [&str; 5] = ["dgt", "certabo", "cerno", "sentio", "reed"];

/// What a board may ever be sent.
fn is_harmless(name: &str, bytes: &[u8]) -> bool {
    match name {
        "dgt" => bytes.iter().all(|byte| DGT_COMMANDS.contains(byte)),
        // Lights, in one form or the other.
        "certabo" => bytes.len() == 8,
        "cerno" | "sentio" => bytes.len() == 8 || bytes.len() == 247 && bytes.starts_with(&[0xff, 0x55]),
        "reed" => bytes == b"?\n",
        "matrix" => bytes == b"?",
        // Reports, version, battery, lights: no file is deleted.
        "chessnut" => matches!(bytes, [0x21, 1, 0] | [0x27, 1, 1] | [0x29, 1, 0] | [0x0a, 8, ..] | [0x0b, 4, ..]) && bytes.len() <= 10,
        "dgt-bus" => matches!(bytes, [0x81..=0x87 | 0x8a | 0x8b, _, _, _]),
        // S, V, R, W, L and X with odd parity: no reset.
        "millennium" => matches!(bytes, [0xd3 | 0xd6 | 0x52 | 0x57 | 0x4c | 0x58, ..]),
        "ichessone" => bytes == b"CPIRQ" || matches!(bytes, [b'R', b'P' | b'H' | b'B'] | [b'E', b'L', ..]),
        // Neither sleep nor the boot loader of other boards.
        "centaur" => matches!(bytes, [0x4d] | [0x82 | 0x83 | 0x87 | 0x98 | 0xb0, _, _, ..]),
        _ => panic!("what a {name} may be sent is not said"),
    }
}

struct Line {
    name: &'static str,
    /// Bytes as they were cut, and one by one: both must say the same while both ask the same.
    whole: Box<dyn Protocol>,
    single: Option<Box<dyn Protocol>>,
    /// The board that was heard last.
    heard: Address,
    table: Table,
    promises: Promises,
    seen: bool,
    now: Millis,
}

impl Line {
    fn each(&mut self, act: impl Fn(&mut dyn Protocol, Millis)) {
        act(&mut *self.whole, self.now);
        if let Some(single) = &mut self.single {
            act(&mut **single, self.now);
        }
        self.drain();
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.whole.receive(self.now, bytes);
        if let Some(single) = &mut self.single {
            for byte in bytes {
                single.receive(self.now, std::slice::from_ref(byte));
            }
        }
        self.drain();
    }

    fn drain(&mut self) {
        loop {
            let mut said = self.whole.poll_reading();
            while said.as_ref().is_some_and(is_late) {
                self.input(Input::Reading(Reading::Trouble(Trouble::Late)));
                said = self.whole.poll_reading();
            }
            if let Some(single) = &mut self.single {
                // What comes in one go is seen to have waited, and what comes byte by byte is not.
                let other = std::iter::from_fn(|| single.poll_reading()).find(|other| !is_late(other));
                // What was asked for amid the bytes is answered by the next one if they come one by one.
                if said != other && [&said, &other].into_iter().any(is_silence) {
                    self.single = None;
                } else {
                    assert_eq!(said, other, "another reading when the bytes come one by one");
                }
            }
            let Some((from, reading)) = said else { break };
            self.heard = from;
            self.input(Input::Reading(reading));
        }
        let mut last = 0;
        loop {
            let write = self.whole.poll_write();
            // Between two messages it asks, and in one go it does not come to see that moment: from then on they differ.
            if self.single.as_mut().is_some_and(|single| single.poll_write() != write) {
                self.single = None;
            }
            let Some(write) = write else { break };
            assert!(write.at >= last, "commands out of order");
            last = write.at;
            assert!(is_harmless(self.name, &write.bytes), "{:x?} is never sent", write.bytes);
        }
    }

    fn input(&mut self, input: Input) {
        match &input {
            Input::Link(_) => self.seen = false,
            Input::Reading(Reading::Placement(_)) => self.seen = true,
            _ => {}
        }
        let before = self.table.advance(self.now).events;
        let after = self.table.handle(self.now, input).events;
        let told = self.promises.take(before, false).and_then(|()| self.promises.take(after, !self.seen));
        told.unwrap_or_else(|broken| panic!("{broken}"));
        assert_eq!(self.table.record(), self.promises.record());
    }

    fn wait(&mut self, ms: Millis) {
        let end = self.now + ms;
        for _ in 0..1_000 {
            let Some(due) = self.whole.next_deadline().filter(|due| *due <= end) else { break };
            self.now = self.now.max(due);
            self.each(|protocol, now| protocol.timeout(now));
            let next = self.whole.next_deadline();
            assert!(next.is_none_or(|next| next > self.now), "a deadline at {next:?} is due still, at {}", self.now);
        }
        self.now = end;
    }

    fn ask(&mut self, cue: Cue) {
        let board = self.heard;
        self.each(|protocol, now| _ = protocol.act(now, board, cue.clone()));
    }

    fn link(&mut self, state: LinkState) {
        self.each(|protocol, now| protocol.link(now, state));
        self.input(Input::Link(state));
    }
}

fn is_late(said: &(Address, Reading)) -> bool {
    matches!(said.1, Reading::Trouble(Trouble::Late))
}

fn is_silence(said: &Option<(Address, Reading)>) -> bool {
    matches!(said, Some((_, Reading::Trouble(Trouble::Silent(_) | Trouble::Answering))))
}

/// Plays this script on a board of this model.
pub fn run(model: &str, script: &[u8]) {
    let model = boards::model(model).expect("a board of this name");
    let mut line = Line {
        name: model.name,
        whole: (model.protocol)(),
        // Of other boards a packet is a whole.
        single: STREAMS.contains(&model.name).then(|| (model.protocol)()),
        heard: Address::ONLY,
        table: Table::new(Settings { sensing: model.sensing, ..Settings::default() }),
        promises: Promises::default(),
        seen: false,
        now: 0,
    };
    line.link(LinkState::Up);
    let mut rest = script;
    while let Some((&act, after)) = rest.split_first() {
        rest = after;
        match act {
            0..224 => {
                let (now, later) = rest.split_at(usize::from(act % 16).min(rest.len()));
                rest = later;
                line.receive(now);
                line.wait(10);
            }
            224..232 => line.wait(1 << (2 * (act - 224))),
            232 => line.link(LinkState::Down),
            233..236 => line.link(LinkState::Up),
            236 => line.ask(Cue::Lights(vec![Square::E4])),
            237 => line.ask(Cue::ClockText("touchmove".to_owned())),
            238..242 => line.ask(Cue::Memory),
            242 => line.ask(Cue::Beep),
            243..245 => line.ask(Cue::Clock),
            _ => line.ask(Cue::Placement),
        }
    }
    line.wait(100_000);
}
