//! Which games of this machine's journal must be sent to the hall next, and from which event on. It does no I/O.
//!
//! The journal is the outbox: nothing else is stored. What the stream has is read from the stream, and what the hub has on disk is
//! what the hub says. A message is sent with the sequence number of its predecessor, so the server stores each event once and in order.

use crate::daemon::journal::GameEndRow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

/// How many games are sent at the same time at most.
const MAX_IN_FLIGHT: usize = 64;
/// How many of these may be games that are not being played.
const MAX_OLD_IN_FLIGHT: usize = 4;
/// How many messages the hub may be behind while games are sent that are not being played: at a thousand events a second it is then
/// less than a tenth of a second late.
const MAX_BEHIND: u64 = 100;

/// The last message of a game in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The number of its last event; 0: the stream has no event of the game.
    pub number: u64,
    /// Its sequence number.
    pub sequence: u64,
}

/// What became of sending a part of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// The stream has this now.
    Sent(Sent),
    /// What the stream has of the game must be read again.
    Unknown,
    /// The stream has other events under these numbers: a sentence.
    Conflict(String),
}

/// One game.
#[derive(Clone, Debug)]
struct Game {
    /// Its end as the journal has it.
    end: GameEndRow,
    /// What the stream has of it; `None`: not known.
    sent: Option<Sent>,
    /// The number of its last event that the hub has on disk.
    kept: u64,
    is_in_flight: bool,
    /// It is on its board.
    is_current: bool,
    /// Nothing more is sent of it.
    has_conflict: bool,
    /// The hub lacks events that the stream has had: they are sent again.
    is_resent: bool,
    /// When events were stored that are not sent yet: the number of each.
    stored_at: VecDeque<(u64, Instant)>,
}

impl Game {
    /// Returns the number of the last event that is to be sent.
    fn target(&self) -> u64 {
        self.end.closed_at.unwrap_or(self.end.last)
    }

    fn is_due(&self) -> bool {
        let sent = self.sent.map_or(self.kept, |sent| sent.number);
        !self.is_in_flight && !self.has_conflict && sent < self.target()
    }
}

/// A part of a game that is to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The game.
    pub end: GameEndRow,
    /// What the stream has of it; `None`: it must be read first.
    pub sent: Option<Sent>,
    /// The number of its last event that the hub has on disk.
    pub kept: u64,
    /// What comes after that is sent again, even if the stream has it.
    pub is_resent: bool,
    /// When its events were stored, as far as that was seen: the number of each.
    pub stored_at: Vec<(u64, Instant)>,
}

/// All games of this machine's journal.
#[derive(Default)]
pub struct Outbox {
    games: BTreeMap<u64, Game>,
    /// How many messages the hub is behind.
    behind: u64,
    /// The number of events that the hub has beyond those that are to be sent: of damaged games.
    excess: u64,
}

impl Outbox {
    /// Adds games, or what has changed of them. `is_current`: whether each is on its board.
    pub fn add(&mut self, ends: Vec<GameEndRow>, is_current: impl Fn(u64) -> bool) {
        for end in ends {
            let is_current = is_current(end.game);
            match self.games.get_mut(&end.game) {
                Some(game) => (game.end, game.is_current) = (end, is_current),
                None => {
                    let game = Game {
                        sent: None,
                        kept: 0,
                        is_in_flight: false,
                        is_current,
                        has_conflict: false,
                        is_resent: false,
                        stored_at: VecDeque::new(),
                        end,
                    };
                    self.games.insert(game.end.game, game);
                }
            }
        }
    }

    /// Notes an event that was stored now. Returns false if the game is not known: it must be added first.
    pub fn note_event(&mut self, game: u64, number: u64, now: Instant) -> bool {
        let Some(known) = self.games.get_mut(&game) else { return false };
        known.end.last = known.end.last.max(number);
        known.stored_at.push_back((number, now));
        known.is_current = true;
        true
    }

    /// Notes that another game is on the board of these.
    pub fn set_current(&mut self, is_current: impl Fn(u64) -> bool) {
        self.games.iter_mut().for_each(|(id, game)| game.is_current = is_current(*id));
    }

    /// Forgets what the stream has: after a connection was lost.
    pub fn forget_sent(&mut self) {
        self.games.values_mut().for_each(|game| game.sent = None);
    }

    /// Forgets what the stream has, and the tasks that are not finished: the stream is another one.
    pub fn abandon(&mut self) {
        self.games.values_mut().for_each(|game| (game.sent, game.is_in_flight) = (None, false));
    }

    /// Notes what the hub has on disk, by the journal in which each game began and its number. Games that are not among them are not
    /// there at all. Returns whether the stream must be read again, because the hub lacks what had been sent.
    pub fn set_kept(&mut self, kept: &BTreeMap<(String, u64), u64>) -> bool {
        let mut lacks = false;
        self.excess = 0;
        for game in self.games.values_mut() {
            game.kept = kept.get(&(game.end.journal.clone(), game.end.game)).copied().unwrap_or(0);
            self.excess += game.kept.saturating_sub(game.target());
            lacks |= game.sent.is_some_and(|sent| sent.number > game.kept) && !game.is_in_flight;
        }
        lacks
    }

    /// Makes the games be sent again of which the hub lacks something.
    pub fn forget_lacking(&mut self) {
        let lacking = self.games.values_mut().filter(|game| game.kept < game.target());
        lacking.for_each(|game| (game.sent, game.is_resent) = (None, true));
    }

    /// Notes how many events the hub has on disk, by the journals in which their games began. If it has all, the games know.
    pub fn count_kept(&mut self, events: &BTreeMap<String, u64>) {
        let journals: BTreeSet<&String> = self.games.values().map(|game| &game.end.journal).collect();
        let kept: u64 = journals.into_iter().filter_map(|journal| events.get(journal)).sum();
        if kept.saturating_sub(self.excess) >= self.total() {
            self.games.values_mut().for_each(|game| game.kept = game.kept.max(game.target()));
        }
    }

    /// Notes how many messages the hub is behind.
    pub fn set_behind(&mut self, behind: u64) {
        self.behind = behind;
    }

    fn total(&self) -> u64 {
        self.games.values().map(Game::target).sum()
    }

    /// Returns the number of events that the hub is not known to have on disk.
    pub fn unkept(&self) -> u64 {
        self.games.values().map(|game| game.target().saturating_sub(game.kept)).sum()
    }

    /// Returns whether something is being sent, or is to be sent.
    pub fn is_busy(&self) -> bool {
        self.games.values().any(|game| game.is_in_flight || game.is_due())
    }

    /// Returns what to send next, until [`Outbox::finish`] is called for it: games that are being played first.
    pub fn next_task(&mut self) -> Option<Task> {
        let (mut in_flight, mut old_in_flight) = (0, 0);
        let (mut next, mut next_old) = (None, None);
        // One pass: this is called for each event, and there may be the games of many tournaments.
        for (id, game) in &self.games {
            if game.is_in_flight {
                in_flight += 1;
                old_in_flight += usize::from(!game.is_current);
            } else if game.is_due() {
                let first = if game.is_current { &mut next } else { &mut next_old };
                first.get_or_insert(*id);
            }
        }
        if in_flight >= MAX_IN_FLIGHT {
            return None;
        }
        let may_send_old = old_in_flight < MAX_OLD_IN_FLIGHT && self.behind <= MAX_BEHIND;
        let id = next.or(next_old.filter(|_| may_send_old))?;
        let game = self.games.get_mut(&id)?;
        game.is_in_flight = true;
        let stored_at = game.stored_at.iter().copied().collect();
        Some(Task { end: game.end.clone(), sent: game.sent, kept: game.kept, is_resent: game.is_resent, stored_at })
    }

    /// Notes what became of a [`Task`].
    pub fn finish(&mut self, id: u64, outcome: &SendOutcome) {
        let Some(game) = self.games.get_mut(&id) else { return };
        game.is_in_flight = false;
        match outcome {
            SendOutcome::Sent(sent) => {
                (game.sent, game.is_resent) = (Some(*sent), false);
                while game.stored_at.front().is_some_and(|(number, _)| *number <= sent.number) {
                    game.stored_at.pop_front();
                }
            }
            SendOutcome::Unknown => game.sent = None,
            SendOutcome::Conflict(_) => game.has_conflict = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(game: u64, last: u64) -> GameEndRow {
        let journal = "j".to_owned();
        let board = format!("board_{game}");
        GameEndRow { game, board, started_wall_ms: 0, epoch_wall_ms: 0, journal, last, closed_at: None }
    }

    #[test]
    fn games_that_are_played_go_first_and_each_is_sent_by_one() {
        let mut outbox = Outbox::default();
        outbox.add(vec![end(1, 5), end(2, 5), end(3, 5)], |game| game == 3);
        assert_eq!(outbox.next_task().map(|task| task.end.game), Some(3));
        assert_eq!(outbox.next_task().map(|task| task.end.game), Some(1));
        assert_eq!(outbox.next_task().map(|task| task.end.game), Some(2));
        assert_eq!(outbox.next_task(), None);
        outbox.finish(3, &SendOutcome::Sent(Sent { number: 4, sequence: 9 }));
        let again = outbox.next_task().expect("an event is left");
        assert_eq!((again.end.game, again.sent), (3, Some(Sent { number: 4, sequence: 9 })));
        outbox.finish(3, &SendOutcome::Sent(Sent { number: 5, sequence: 10 }));
        assert_eq!((outbox.next_task(), outbox.unkept()), (None, 15));
        outbox.finish(1, &SendOutcome::Conflict("x".to_owned()));
        outbox.finish(2, &SendOutcome::Unknown);
        assert_eq!(outbox.next_task().map(|task| (task.end.game, task.sent)), Some((2, None)));
    }

    #[test]
    fn old_games_wait_while_the_hub_is_behind() {
        let mut outbox = Outbox::default();
        outbox.add(vec![end(1, 5), end(2, 5)], |game| game == 2);
        outbox.set_behind(MAX_BEHIND + 1);
        assert_eq!(outbox.next_task().map(|task| task.end.game), Some(2));
        assert_eq!(outbox.next_task(), None);
        outbox.set_behind(0);
        assert_eq!(outbox.next_task().map(|task| task.end.game), Some(1));
    }

    #[test]
    fn what_the_hub_lacks_is_sent_again() {
        let mut outbox = Outbox::default();
        outbox.add(vec![end(1, 5)], |_| true);
        assert!(outbox.next_task().is_some());
        outbox.finish(1, &SendOutcome::Sent(Sent { number: 5, sequence: 5 }));
        let kept = |number| BTreeMap::from([(("j".to_owned(), 1), number)]);
        assert!(!outbox.set_kept(&kept(5)) && !outbox.is_busy());
        assert!(outbox.set_kept(&kept(3)));
        outbox.forget_lacking();
        let task = outbox.next_task().expect("the stream is read again");
        assert_eq!((task.sent, task.kept, task.is_resent), (None, 3, true));
    }

    #[test]
    fn what_was_on_its_way_to_another_stream_is_sent_to_the_next() {
        let mut outbox = Outbox::default();
        outbox.add(vec![end(1, 5), end(2, 3)], |_| true);
        assert!(outbox.next_task().is_some() && outbox.next_task().is_some());
        outbox.finish(2, &SendOutcome::Sent(Sent { number: 3, sequence: 7 }));
        assert_eq!(outbox.next_task(), None);
        outbox.abandon();
        // The hub has read the first events of one game, and all of the other.
        outbox.set_kept(&BTreeMap::from([(("j".to_owned(), 1), 2), (("j".to_owned(), 2), 3)]));
        let task = outbox.next_task().expect("the hub lacks events of game 1");
        assert_eq!((task.end.game, task.sent, task.kept), (1, None, 2));
        assert_eq!(outbox.next_task(), None);
    }

    #[test]
    fn a_damaged_game_is_sent_up_to_its_last_good_event() {
        let mut outbox = Outbox::default();
        outbox.add(vec![GameEndRow { closed_at: Some(3), ..end(1, 5) }], |_| false);
        assert!(outbox.next_task().is_some());
        outbox.finish(1, &SendOutcome::Sent(Sent { number: 3, sequence: 1 }));
        assert_eq!((outbox.next_task(), outbox.unkept()), (None, 3));
        // The hub has the events that are damaged here.
        assert!(!outbox.set_kept(&BTreeMap::from([(("j".to_owned(), 1), 5)])));
        assert_eq!(outbox.unkept(), 0);
        outbox.add(vec![end(2, 4)], |_| true);
        outbox.count_kept(&BTreeMap::from([("j".to_owned(), 8)]));
        assert_eq!(outbox.unkept(), 4);
        outbox.count_kept(&BTreeMap::from([("j".to_owned(), 9), ("other".to_owned(), 3)]));
        assert_eq!(outbox.unkept(), 0);
    }
}
