//! Takes the events of all machines from the stream: each once, and in the order of its game.

use super::alarm;
use super::kept::KeptCounts;
use crate::daemon::Hub;
use crate::daemon::hub::{BoardId, RemoteBatch};
use crate::daemon::journal::{EventRow, JournalError, KnownRemoteGame, RemoteEvents, RemoteGame};
use crate::game::StampedEvent;
use crate::hall::connection::is_copy;
use crate::hall::message::events::{EventLine, EventsMessage};
use crate::hall::subject::EventsSubject;
use crate::wire;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of one game of a machine.
struct Game {
    /// The board here.
    board: BoardId,
    /// The number of its last event that was taken.
    last: u64,
}

/// The games of all machines.
pub(super) struct Ingest {
    hall: String,
    games: BTreeMap<EventsSubject, Game>,
    /// Games of which events are missing before those that came: their subjects are read again from the beginning.
    gaps: BTreeSet<EventsSubject>,
    /// The games that were read again, and the last event that was taken then: without progress they are not read once more.
    reread: BTreeMap<EventsSubject, u64>,
    kept: KeptCounts,
}

/// What a message of the stream turned out to be.
pub(super) enum Taken {
    /// New events of a board.
    Events(Box<TakenEvents>),
    /// Nothing new.
    Known,
    /// It was not taken: a sentence, and the machine it is about.
    Refused(Option<String>, String),
}

/// New events of a board.
pub(super) struct TakenEvents {
    /// The game.
    pub subject: EventsSubject,
    /// The name of the board at its machine.
    pub board: String,
    /// The events.
    pub batch: RemoteBatch,
}

impl Ingest {
    /// `known`: the games of machines in the journal.
    pub(super) fn new(hall: &str, known: Vec<KnownRemoteGame>, kept: KeptCounts) -> Ingest {
        let mut games = BTreeMap::new();
        for KnownRemoteGame { source, board, last, .. } in known {
            let RemoteGame { machine, journal, game } = source;
            let subject = EventsSubject { machine, journal, game };
            kept.add(subject.clone(), last);
            games.insert(subject, Game { board: BoardId::new(&board), last });
        }
        Ingest { hall: hall.to_owned(), games, gaps: BTreeSet::new(), reread: BTreeMap::new(), kept }
    }

    /// Continues with the events of the hall under another name, in another stream. What is missing of games is sent there.
    pub(super) fn set_hall(&mut self, hall: &str) {
        hall.clone_into(&mut self.hall);
        self.gaps.clear();
        self.reread.clear();
    }

    /// Returns the games whose subjects must be read again, and forgets them.
    pub(super) fn take_gaps(&mut self) -> Vec<EventsSubject> {
        let gaps: Vec<EventsSubject> = std::mem::take(&mut self.gaps).into_iter().collect();
        for gap in &gaps {
            self.reread.insert(gap.clone(), self.last(gap));
        }
        gaps
    }

    /// Returns the number of the last event of a game that was taken.
    fn last(&self, subject: &EventsSubject) -> u64 {
        self.games.get(subject).map_or(0, |game| game.last)
    }

    /// Notes that events of a game are missing.
    fn note_gap(&mut self, subject: &EventsSubject) {
        if self.reread.get(subject) != Some(&self.last(subject)) {
            self.gaps.insert(subject.clone());
        }
    }

    /// Takes a message. `sequence`: its number in the stream. `place`: finds the board, and says whether the game is its newest;
    /// an error is a sentence.
    pub(super) fn take(
        &mut self,
        hub: &Hub,
        message: &async_nats::Message,
        sequence: u64,
        place: impl FnOnce(&EventsSubject, &EventsMessage) -> Result<bool, String>,
    ) -> Taken {
        let async_nats::Message { subject, headers, payload, .. } = message;
        let Some(subject) = EventsSubject::parse(&self.hall, subject) else {
            return Taken::Refused(None, format!("a message about games has the unknown subject {subject}"));
        };
        let refused = |reason: String| {
            let (machine, game) = (subject.machine.clone(), subject.game);
            Taken::Refused(Some(machine.clone()), format!("events of game {game} of {machine} are not taken: {reason}"))
        };
        // Not from the machine itself: a copy of a message, or an acknowledgement, which the server sends for somebody else.
        if is_copy(message) || !EventsMessage::is_one(message) {
            return Taken::Known;
        }
        let mut message = match EventsMessage::decode(headers.as_ref(), payload) {
            Ok(message) => message,
            Err(error) => {
                let what = format!("events of game {} of {} are not taken", subject.game, subject.machine);
                let sentence = alarm::unread(&subject.machine, &what, &error);
                return Taken::Refused(Some(subject.machine), sentence);
            }
        };
        let last = self.last(&subject);
        let first = message.lines.first().map_or(0, |line| line.row.number);
        if first > last + 1 {
            self.note_gap(&subject);
            return Taken::Known;
        }
        let (known, new): (Vec<EventLine>, Vec<EventLine>) =
            std::mem::take(&mut message.lines).into_iter().partition(|line| line.row.number <= last);
        if let Some(differing) = known.iter().find(|line| !is_stored(hub, &subject, &line.row)) {
            return refused(format!(
                "event {} has another content than before: perhaps the machine's card was copied, or an old copy of it was put back",
                differing.row.number
            ));
        }
        if new.is_empty() {
            return Taken::Known;
        }
        let mut stamped: Vec<StampedEvent> = Vec::with_capacity(new.len());
        for line in &new {
            match wire::from_json(&line.row.text) {
                Ok(event) if event.number == Some(line.row.number) => stamped.push(event),
                Ok(_) => return refused(format!("event {} has another number in its text", line.row.number)),
                Err(error) => return refused(error.to_string()),
            }
        }
        let is_newest = match place(&subject, &message) {
            Ok(is_newest) => is_newest,
            Err(sentence) => return Taken::Refused(Some(subject.machine), sentence),
        };
        let board = super::remote_boards::local_name(&subject.machine, &message.board);
        let EventsSubject { machine, journal, game } = subject.clone();
        let kept = self.kept.clone();
        let known = self.games.entry(subject.clone()).or_insert_with(|| Game { board, last: 0 });
        known.last = new.last().map_or(known.last, |line| line.row.number);
        let last = known.last;
        let ages_ms = new.iter().map(|line| line.age_ms.unwrap_or(0)).collect();
        let rows: Vec<EventRow> = new.into_iter().map(|line| line.row).collect();
        kept.begin(sequence);
        let on_done = {
            let subject = subject.clone();
            Box::new(move |stored: Result<(), JournalError>| match stored {
                Ok(()) => kept.end(sequence, subject, last),
                Err(error) => kept.refuse(sequence, subject, error.to_string()),
            })
        };
        let source = RemoteGame { machine, journal, game };
        let (started_wall_ms, epoch_wall_ms) = (message.started_wall_ms, message.epoch_wall_ms);
        let events = RemoteEvents { source, started_wall_ms, epoch_wall_ms, events: rows };
        let batch = RemoteBatch { events, stamped, ages_ms, is_newest, continues: None, on_done };
        Taken::Events(Box::new(TakenEvents { subject, board: message.board, batch }))
    }

    /// Forgets a game of which events were refused. `known`: the games of machines in the journal. It is read again.
    pub(super) fn reset(&mut self, subject: &EventsSubject, known: &[KnownRemoteGame]) {
        let EventsSubject { machine, journal, game } = subject;
        let is_same = |source: &RemoteGame| (&source.machine, &source.journal, source.game) == (machine, journal, *game);
        let stored = known.iter().find(|known| is_same(&known.source));
        match (self.games.get_mut(subject), stored) {
            (Some(game), Some(stored)) => game.last = stored.last,
            _ => _ = self.games.remove(subject),
        }
        self.note_gap(subject);
    }

    /// Returns the boards of the known games.
    pub(super) fn boards(&self) -> BTreeSet<(String, BoardId)> {
        self.games.iter().map(|(subject, game)| (subject.machine.clone(), game.board.clone())).collect()
    }
}

/// Returns whether an event is in the journal with this content. One that is still being written counts as the same.
fn is_stored(hub: &Hub, subject: &EventsSubject, row: &EventRow) -> bool {
    let stored = hub.journal().remote_event(&source(subject), row.number);
    stored.ok().flatten().is_none_or(|stored| stored == *row)
}

fn source(subject: &EventsSubject) -> RemoteGame {
    let EventsSubject { machine, journal, game } = subject.clone();
    RemoteGame { machine, journal, game }
}
