//! The subjects, streams and keys of a hall on its NATS server. docs/hall-protocol.md describes them for other programs.

use crate::config::hall::is_name;

/// Returns the name of the stream with the events of this hall.
pub fn events_stream(hall: &str) -> String {
    format!("TM_EV_{hall}")
}

/// The subjects of the events of all machines of a hall.
pub fn all_events(hall: &str) -> String {
    format!("tm.v1.ev.{hall}.>")
}

/// The subject of the events of one game. `journal`: the identifier of the machine's journal in which the game began.
pub fn events(hall: &str, machine: &str, journal: &str, game: u64) -> String {
    format!("tm.v1.ev.{hall}.{machine}.{journal}.{game}")
}

/// The game that a subject of events is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventsSubject {
    /// The machine.
    pub machine: String,
    /// The identifier of its journal in which the game began.
    pub journal: String,
    /// The number of the game in that journal.
    pub game: u64,
}

impl EventsSubject {
    /// Parses a subject of events of this hall; `None`: it is another subject.
    pub fn parse(hall: &str, subject: &str) -> Option<EventsSubject> {
        let mut parts = subject.strip_prefix("tm.v1.ev.")?.strip_prefix(hall)?.strip_prefix('.')?.split('.');
        let (machine, journal, game) = (parts.next()?, parts.next()?, parts.next()?);
        let is_token = |text: &str| !text.is_empty() && text.len() <= 64;
        if parts.next().is_some() || !is_name(machine) || !is_token(journal) {
            return None;
        }
        // The number has one spelling, so that a game has one subject.
        let number: u64 = game.parse().ok().filter(|number: &u64| number.to_string() == game)?;
        Some(EventsSubject { machine: machine.to_owned(), journal: journal.to_owned(), game: number })
    }
}

/// The subject of the state of a board, and of what is not stored of its play.
pub fn board(hall: &str, machine: &str, board: &str) -> String {
    format!("tm.v1.tr.{hall}.{machine}.{board}")
}

/// The subjects of the states of all boards of a hall.
pub fn all_boards(hall: &str) -> String {
    format!("tm.v1.tr.{hall}.*.*")
}

/// Parses a subject of a board's state: the machine and the name of the board.
pub fn parse_board<'a>(hall: &str, subject: &'a str) -> Option<(&'a str, &'a str)> {
    let (machine, board) = subject.strip_prefix("tm.v1.tr.")?.strip_prefix(hall)?.strip_prefix('.')?.split_once('.')?;
    let is_token = |text: &str| !text.is_empty() && text.len() <= 64 && !text.contains('.');
    (is_name(machine) && is_token(board)).then_some((machine, board))
}

/// The subject of the commands to a machine.
pub fn commands(machine: &str) -> String {
    format!("tm.v1.cmd.{machine}")
}

/// The subject of a machine's questions to the hub.
pub fn question(machine: &str) -> String {
    format!("tm.v1.ask.{machine}")
}

/// The subjects of the questions of all machines.
pub const ALL_QUESTIONS: &str = "tm.v1.ask.*";

/// Parses a subject of questions: the machine.
pub fn parse_question(subject: &str) -> Option<&str> {
    subject.strip_prefix("tm.v1.ask.").filter(|machine| is_name(machine))
}

/// A bucket of keys and values: a stream in which each subject has only its last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// By machine: that it is there, and how it is.
    Here,
    /// By machine: how many of its events the hub has on disk.
    Kept,
    /// By machine: what the hub's desk has entered about its games.
    Desk,
    /// What concerns the whole hall.
    Hall,
}

impl Bucket {
    /// All buckets.
    pub const ALL: [Bucket; 4] = [Bucket::Here, Bucket::Kept, Bucket::Desk, Bucket::Hall];

    fn name(self) -> &'static str {
        match self {
            Bucket::Here => "TM_HERE",
            Bucket::Kept => "TM_HAVE",
            Bucket::Desk => "TM_DESK",
            Bucket::Hall => "TM_HALL",
        }
    }

    /// The stream of the bucket.
    pub fn stream(self) -> String {
        format!("KV_{}", self.name())
    }

    /// The subject of a key.
    pub fn subject(self, key: &str) -> String {
        format!("$KV.{}.{key}", self.name())
    }

    /// The subjects of all keys.
    pub fn all_subjects(self) -> String {
        self.subject(">")
    }

    /// Returns the key of a subject of this bucket.
    pub fn key(self, subject: &str) -> Option<&str> {
        subject.strip_prefix("$KV.")?.strip_prefix(self.name())?.strip_prefix('.')
    }
}

/// The key of [`Bucket::Hall`] with the name of the hall, whose stream gets the events.
pub const HALL_KEY: &str = "event";

/// The name of the hub where machines have theirs. No machine can have it.
pub const HUB: &str = "HUB";

/// The stream that only hubs read and write: which of them has the role, and the copy of what the other one would go on with.
pub const HUB_STREAM: &str = "TM_HUB";

/// The subjects of [`HUB_STREAM`].
pub const ALL_OF_HUB: &str = "tm.v1.hub.>";

/// The subject of the lease in [`HUB_STREAM`]: which hub has the role.
pub const LEASE: &str = "tm.v1.hub.lease";

/// The subject on which a hub says that it stands by. It is in no stream.
pub const STANDBY: &str = "tm.v1.standby";

/// The prefix of the subjects on which a machine receives replies. Each has its own, so that none receives those of another.
pub fn inbox(machine: &str) -> String {
    format!("_INBOX_{machine}")
}

/// The subject of a direct get of the last message of a subject.
pub fn direct_get(stream: &str, subject: &str) -> String {
    format!("$JS.API.DIRECT.GET.{stream}.{subject}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_has_one_subject() {
        let subject = events("open-2026", "pi-07", "0b5e", 17);
        let parsed = EventsSubject::parse("open-2026", &subject);
        assert_eq!(parsed, Some(EventsSubject { machine: "pi-07".to_owned(), journal: "0b5e".to_owned(), game: 17 }));
        for other in [
            "tm.v1.ev.open-2026.pi-07.0b5e.017",
            "tm.v1.ev.open-2026.pi-07.0b5e.+1",
            "tm.v1.ev.open-2026.pi-07.0b5e",
            "tm.v1.ev.open.pi-07.0b5e.1",
            "tm.v1.ev.open-2026.pi-07.0b5e.1.2",
            "tm.v1.ev.open-2026..0b5e.1",
        ] {
            assert_eq!(EventsSubject::parse("open-2026", other), None, "{other}");
        }
    }

    #[test]
    fn a_board_has_one_subject() {
        assert_eq!(parse_board("h", &board("h", "pi-07", "dgt_1")), Some(("pi-07", "dgt_1")));
        assert_eq!(parse_board("h", "tm.v1.tr.h.pi-07.a.b"), None);
        assert_eq!(parse_board("h", "tm.v1.tr.hh.pi-07.a"), None);
        assert_eq!(parse_question(&question("pi-07")), Some("pi-07"));
        assert_eq!(parse_question(&question(HUB)), None);
        assert_eq!(Bucket::Kept.key(&Bucket::Kept.subject("pi-07")), Some("pi-07"));
        assert_eq!(Bucket::Here.key(&Bucket::Kept.subject("pi-07")), None);
    }
}
