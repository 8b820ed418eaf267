//! The fuzz target of every board: feeds any bytes, cut anywhere, to the board's protocol, and its readings to a table session.
//!
//! A script consists of steps. The lower four bits of a byte below 224 are the number of bytes that arrive next at once; a byte
//! from 224 on lets time pass, plugs or unplugs the cable, or sends a command to the board.

#[allow(dead_code)] // shared with the tests, and not all used here
#[path = "../tests/core/properties/promises.rs"]
mod promises;

use promises::Promises;
use shakmaty::Square;
use touchmove::boards::{self, Address, BoardCommand, LinkState, Millis, Model, Protocol, ProtocolError, Reading};
use touchmove::table::{Input, Settings, Table};

/// Boards that send a stream of bytes: it makes no difference where the stream is cut.
const STREAMS: [&str; 5] = ["dgt", "certabo", "cerno", "sentio", "reed"];

/// A board on a link, with its table session.
struct Harness {
    model: &'static Model,
    /// Receives the bytes as they were cut; `single` receives them one by one. Both must decode the same readings as long as both
    /// send the same commands.
    whole: Box<dyn Protocol>,
    single: Option<Box<dyn Protocol>>,
    /// The board that sent the last reading.
    heard: Address,
    table: Table,
    promises: Promises,
    /// Whether a whole placement arrived since the link last changed.
    seen: bool,
    now: Millis,
}

impl Harness {
    fn for_each_protocol(&mut self, call: impl Fn(&mut dyn Protocol, Millis)) {
        call(&mut *self.whole, self.now);
        if let Some(single) = &mut self.single {
            call(&mut **single, self.now);
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
            let mut reading = self.whole.poll_reading();
            while reading.as_ref().is_some_and(is_delay_error) {
                self.input(Input::Reading(Reading::ProtocolError(ProtocolError::ChangesDelayed)));
                reading = self.whole.poll_reading();
            }
            if let Some(single) = &mut self.single {
                // Only bytes that arrive at once are recognised as delayed, so this error is not compared.
                let other = std::iter::from_fn(|| single.poll_reading()).find(|other| !is_delay_error(other));
                // If the bytes arrive one by one, the next byte counts as the reply to a request sent between them.
                if reading != other && [&reading, &other].into_iter().any(is_silence_error) {
                    self.single = None;
                } else {
                    assert_eq!(reading, other, "a different reading when the bytes arrive one by one");
                }
            }
            let Some((from, reading)) = reading else { break };
            self.heard = from;
            self.input(Input::Reading(reading));
        }
        let mut last = 0;
        loop {
            let write = self.whole.poll_write();
            // A protocol may send a request between two messages. If the bytes arrive at once, it does not see that moment, so the
            // two protocols differ from then on.
            if self.single.as_mut().is_some_and(|single| single.poll_write() != write) {
                self.single = None;
            }
            let Some(write) = write else { break };
            assert!(write.at >= last, "commands out of order");
            last = write.at;
            assert!(self.model.may_send(&write.bytes), "{:x?} must never be sent", write.bytes);
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
        let result = self.promises.take(before, false).and_then(|()| self.promises.take(after, !self.seen));
        result.unwrap_or_else(|broken| panic!("{broken}"));
        assert_eq!(self.table.record(), self.promises.record());
    }

    fn wait(&mut self, ms: Millis) {
        let end = self.now + ms;
        for _ in 0..1_000 {
            let Some(due) = self.whole.next_deadline().filter(|due| *due <= end) else { break };
            self.now = self.now.max(due);
            self.for_each_protocol(|protocol, now| protocol.timeout(now));
            let next = self.whole.next_deadline();
            assert!(next.is_none_or(|next| next > self.now), "a deadline at {next:?} is still due at {}", self.now);
        }
        self.now = end;
    }

    fn execute(&mut self, command: BoardCommand) {
        let board = self.heard;
        self.for_each_protocol(|protocol, now| _ = protocol.execute(now, board, command.clone()));
    }

    fn link(&mut self, state: LinkState) {
        self.for_each_protocol(|protocol, now| protocol.link(now, state));
        self.input(Input::Link(state));
    }
}

fn is_delay_error(reading: &(Address, Reading)) -> bool {
    matches!(reading.1, Reading::ProtocolError(ProtocolError::ChangesDelayed))
}

fn is_silence_error(reading: &Option<(Address, Reading)>) -> bool {
    matches!(reading, Some((_, Reading::ProtocolError(ProtocolError::Silent(_) | ProtocolError::Recovered))))
}

/// Plays a script on a board of this model.
pub fn run(model: &str, script: &[u8]) {
    let model = boards::model(model).expect("a board of this name");
    let mut harness = Harness {
        model,
        whole: (model.protocol)(),
        // Other boards send packets, which are not cut.
        single: STREAMS.contains(&model.name).then(|| (model.protocol)()),
        heard: Address::ONLY,
        table: Table::new(Settings { sensing: model.sensing, ..Settings::default() }),
        promises: Promises::default(),
        seen: false,
        now: 0,
    };
    harness.link(LinkState::Up);
    let mut rest = script;
    while let Some((&step, after)) = rest.split_first() {
        rest = after;
        match step {
            0..224 => {
                let (chunk, later) = rest.split_at(usize::from(step % 16).min(rest.len()));
                rest = later;
                harness.receive(chunk);
                harness.wait(10);
            }
            224..232 => harness.wait(1 << (2 * (step - 224))),
            232 => harness.link(LinkState::Down),
            233..236 => harness.link(LinkState::Up),
            236 => harness.execute(BoardCommand::Lights(vec![Square::E4])),
            237 => harness.execute(BoardCommand::ClockText("touchmove".to_owned())),
            238..242 => harness.execute(BoardCommand::Memory),
            242 => harness.execute(BoardCommand::Beep),
            243..245 => harness.execute(BoardCommand::Clock),
            _ => harness.execute(BoardCommand::Placement),
        }
    }
    harness.wait(100_000);
}
