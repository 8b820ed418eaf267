//! What the hub's desk has entered about a game that is played at another machine: names, tags and the result.
//!
//! The machine's events stay as they are. In the game that is shown, the desk's events stand between them, each where it was
//! entered, and what the machine records later does not replace what a person has entered. Which pairing a game belongs to is for
//! the desk alone to say: round and table that the machine gives it are not shown.

use super::record::ChangeOrigin;
use super::{Answer, Command, Event, GameResult, Order, Record, Refusal, ResultReason, StampedEvent, late_result};
use crate::boards::Millis;

/// An event that the desk has entered.
#[derive(Clone, Debug, PartialEq)]
pub struct DeskEvent {
    /// The number of the machine's event that it follows.
    pub after: u64,
    /// The event; its number is that in the game as it is shown.
    pub stamped: StampedEvent,
}

/// A value that the desk has entered, with the number of its event.
pub type Entered<T> = Option<(u64, T)>;

/// The tags that name a pairing.
const PAIRING_TAGS: [&str; 2] = ["Round", "Table"];

/// A result that the desk has entered and not undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EnteredResult {
    /// The number of the machine's event that it follows.
    after: u64,
    /// `None`: the result before was withdrawn.
    result: Option<GameResult>,
}

/// What the desk has entered about one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeskRecord {
    /// After which events of the machine the desk's events stand, ascending; one for each.
    after: Vec<u64>,
    tags: Entered<Vec<(String, String)>>,
    result: Entered<Option<GameResult>>,
    /// The results that were entered and not undone, oldest first. No later one of the machine replaces the last.
    results: Vec<EnteredResult>,
    /// The desk has just undone its last result: its next result is the one that counts instead.
    is_undo_next: bool,
    /// The machine has just put a result of the desk on record: its next result is that.
    is_on_record_next: bool,
}

impl DeskRecord {
    /// Adds the next event of the desk.
    pub fn add(&mut self, event: &DeskEvent) {
        let DeskEvent { after, stamped } = event;
        self.after.push(*after);
        let number = stamped.number.unwrap_or(0);
        match &stamped.event {
            Event::Commanded { command: Command::Tags { tags }, .. } => self.tags = Some((number, tags.clone())),
            Event::Commanded { command: Command::Undo {}, .. } => self.is_undo_next = true,
            Event::Result { result, .. } => {
                self.result = Some((number, *result));
                match std::mem::take(&mut self.is_undo_next) {
                    true => _ = self.results.pop(),
                    false => self.results.push(EnteredResult { after: *after, result: *result }),
                }
            }
            // It may have replaced everything before it. What the machine has put on record of that counts.
            Event::Unknown(_) => {
                (self.tags, self.result, self.is_undo_next) = (None, None, false);
                self.results.clear();
            }
            _ => {}
        }
    }

    /// Returns the tags that were entered last.
    pub fn tags(&self) -> Option<&(u64, Vec<(String, String)>)> {
        self.tags.as_ref()
    }

    /// Returns the result that was entered last; `None` in it: it was withdrawn.
    pub fn result(&self) -> Entered<Option<GameResult>> {
        self.result
    }

    /// Returns after which event of the machine the event of this number stands, and 0 if it is not one of the desk.
    pub fn place(&self, number: u64) -> u64 {
        (1..).zip(&self.after).find(|(count, after)| *after + count == number).map_or(0, |(_, after)| *after)
    }

    /// Returns whether the event of this number is one of the desk.
    pub fn is_entered(&self, number: u64) -> bool {
        (1..).zip(&self.after).any(|(count, after)| *after + count == number)
    }

    /// Returns the result that a person has entered and not withdrawn.
    pub fn standing(&self) -> Option<GameResult> {
        self.results.last().and_then(|entered| entered.result)
    }

    /// Returns what the result is without the last one that was entered: the one that was entered before, else what the machine itself
    /// has recorded by now. `own`: its events, in order.
    fn result_before_last(&self, own: &[StampedEvent]) -> Option<(GameResult, ResultReason)> {
        let before = self.results.len().checked_sub(2).and_then(|index| self.results.get(index));
        match before {
            Some(EnteredResult { result: Some(result), .. }) => Some((*result, ResultReason::Arbiter)),
            Some(EnteredResult { after, result: None }) => own_result(own, *after),
            None => own_result(own, 0),
        }
    }

    /// Returns how the machine's next event is shown: with its number in the game that is shown, and with what the desk has entered.
    pub fn shown(&mut self, own: StampedEvent) -> StampedEvent {
        let number = own.number.map(|number| number + self.after.len() as u64);
        self.is_on_record_next |= own.event.is_result_by_hub();
        let event = match (own.event, &self.tags, self.standing()) {
            (Event::Commanded { command: Command::Tags { .. }, by }, Some((_, tags)), _) => {
                Event::Commanded { command: Command::Tags { tags: tags.clone() }, by }
            }
            (Event::Commanded { command: Command::Tags { mut tags }, by }, None, _) => {
                tags.retain(|(name, _)| !PAIRING_TAGS.contains(&name.as_str()));
                Event::Commanded { command: Command::Tags { tags }, by }
            }
            (Event::Result { .. }, _, Some(result)) => Event::Result { result: Some(result), reason: ResultReason::Arbiter },
            // The desk may have entered another one since.
            (Event::Result { result, reason }, _, None) if self.is_on_record_next => {
                Event::Result { result: self.result.map_or(result, |(_, latest)| latest), reason }
            }
            (event, _, _) => event,
        };
        self.is_on_record_next &= !matches!(event, Event::Result { .. });
        StampedEvent { at: own.at, number, event }
    }

    /// Returns the number in the game that is shown of an event of the machine.
    pub fn shown_number(&self, own: u64) -> u64 {
        own + self.after.iter().filter(|after| **after < own).count() as u64
    }

    /// Returns the number at the machine of its last event up to this one of the game that is shown.
    pub fn own_number(&self, shown: u64) -> u64 {
        let before = (1..).zip(&self.after).take_while(|(count, after)| *after + count <= shown).count();
        shown.saturating_sub(before as u64)
    }
}

/// Whether the hub's desk carries out a command about a game of another machine itself, so that the machine need not be there.
pub fn is_for_desk(record: &Record, command: &Command) -> bool {
    let is_last = || record.changes.last().is_some_and(|change| change.origin == ChangeOrigin::Desk);
    matches!(command, Command::Tags { .. } | Command::Result { .. }) || *command == Command::Undo {} && is_last()
}

/// Returns the events with which the hub's desk carries out such an order, to be appended to the record, and the answer. `desk`: what
/// it has entered before. `own`: the machine's events, which only an undo needs. `at`: when, in the time of the game.
///
/// # Errors
/// There is nothing to undo.
pub fn desk_events(
    record: &Record,
    desk: Option<&DeskRecord>,
    own: &[StampedEvent],
    order: &Order,
    at: Millis,
) -> Result<(Answer, Vec<StampedEvent>), Refusal> {
    let Order { command, by } = order;
    let commanded = Event::Commanded { command: command.clone(), by: by.clone() };
    let (answer, events) = match command {
        Command::Result { result } => return Ok((Answer::Done, late_result(record, *result, by, at))),
        Command::Undo {} => {
            let change = record.last_change(ChangeOrigin::Desk).ok_or(Refusal::NothingToUndo)?;
            // The machine may have undone or recorded another one since.
            let result = desk.ok_or(Refusal::NothingToUndo)?.result_before_last(own);
            let (result, reason) = result.map_or((None, ResultReason::Arbiter), |(result, reason)| (Some(result), reason));
            (Answer::Undone(change.command.clone()), vec![commanded, Event::Result { result, reason }])
        }
        _ => (Answer::Done, vec![commanded]),
    };
    let numbered = events.into_iter().zip(record.last_number + 1..);
    Ok((answer, numbered.map(|(event, number)| StampedEvent { at, number: Some(number), event }).collect()))
}

/// Returns the last result after this event that a machine has recorded itself, and not for the hub. `own`: its events, in order.
fn own_result(own: &[StampedEvent], after: u64) -> Option<(GameResult, ResultReason)> {
    let mut is_by_hub = false;
    let mut last = None;
    for stamped in own {
        is_by_hub |= stamped.event.is_result_by_hub();
        if let Event::Result { result, reason } = &stamped.event {
            if !is_by_hub && stamped.number > Some(after) {
                last = result.map(|result| (result, *reason));
            }
            is_by_hub = false;
        }
    }
    last
}

/// Returns the game that is shown. `own`: all events of the machine, in order; `entered`: those of the desk, in order.
pub fn shown_game(own: Vec<StampedEvent>, entered: Vec<DeskEvent>) -> Vec<StampedEvent> {
    let mut record = DeskRecord::default();
    let mut shown = Vec::with_capacity(own.len() + entered.len());
    let mut entered = entered.into_iter().peekable();
    let mut last = 0;
    let add = |record: &mut DeskRecord, shown: &mut Vec<StampedEvent>, event: DeskEvent| {
        record.add(&event);
        shown.push(event.stamped);
    };
    for stamped in own {
        let number = stamped.number.unwrap_or(0);
        while let Some(event) = entered.next_if(|event| event.after < number) {
            add(&mut record, &mut shown, event);
        }
        last = number;
        shown.push(record.shown(stamped));
    }
    // Without the machine's events before it, the place of an event is not known.
    entered.filter(|event| event.after <= last).for_each(|event| add(&mut record, &mut shown, event));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::event::Rotation;

    fn own(number: u64, event: Event) -> StampedEvent {
        StampedEvent { at: number, number: Some(number), event }
    }

    fn result(result: Option<GameResult>, reason: ResultReason) -> Event {
        Event::Result { result, reason }
    }

    fn entered(after: u64, number: u64, event: Event) -> DeskEvent {
        DeskEvent { after, stamped: own(number, event) }
    }

    fn tags(name: &str) -> Event {
        let tags = vec![("White".to_owned(), name.to_owned())];
        Event::Commanded { command: Command::Tags { tags }, by: "Ann".to_owned() }
    }

    #[test]
    fn what_is_entered_stands_and_is_not_replaced() {
        let draw = Some(GameResult::Draw);
        let games = vec![
            own(1, Event::AlertCleared { id: 1 }),
            own(2, tags("of the machine")),
            own(3, result(Some(GameResult::WhiteWins), ResultReason::Checkmate)),
            own(4, Event::AlertCleared { id: 2 }),
            own(5, result(Some(GameResult::BlackWins), ResultReason::Checkmate)),
        ];
        let desk = vec![
            entered(1, 2, tags("of the desk")),
            entered(1, 3, result(draw, ResultReason::Arbiter)),
            entered(4, 7, result(None, ResultReason::Arbiter)),
        ];
        let mut record = DeskRecord::default();
        desk.iter().for_each(|event| record.add(event));
        let expected = vec![
            own(1, Event::AlertCleared { id: 1 }),
            own(2, tags("of the desk")),
            own(3, result(draw, ResultReason::Arbiter)),
            StampedEvent { at: 2, ..own(4, tags("of the desk")) },
            StampedEvent { at: 3, ..own(5, result(draw, ResultReason::Arbiter)) },
            StampedEvent { at: 4, ..own(6, Event::AlertCleared { id: 2 }) },
            own(7, result(None, ResultReason::Arbiter)),
            // It was withdrawn, so that what the board shows counts again.
            StampedEvent { at: 5, ..own(8, result(Some(GameResult::BlackWins), ResultReason::Checkmate)) },
        ];
        assert_eq!(shown_game(games, desk), expected);
        let numbers: Vec<u64> = (1..=5).map(|own| record.shown_number(own)).collect();
        assert_eq!(numbers, [1, 4, 5, 6, 8]);
        let back: Vec<u64> = (0..=9).map(|shown| record.own_number(shown)).collect();
        assert_eq!(back, [0, 1, 1, 1, 2, 3, 4, 4, 5, 6]);
    }

    #[test]
    fn a_result_on_record_at_the_machine_is_shown_as_it_was_entered_last() {
        let won = Some(GameResult::WhiteWins);
        let by_hub = Event::Commanded { command: Command::Result { result: won }, by: Order::HUB.to_owned() };
        let mut desk = DeskRecord::default();
        desk.add(&entered(1, 2, result(won, ResultReason::Arbiter)));
        desk.add(&entered(1, 3, result(None, ResultReason::Arbiter)));
        assert_eq!((desk.place(2), desk.place(3), desk.place(4)), (1, 1, 0));
        let mut shown = |number: u64, event| desk.shown(own(number, event)).event;
        assert_eq!(shown(2, by_hub.clone()), by_hub);
        assert_eq!(shown(3, result(won, ResultReason::Arbiter)), result(None, ResultReason::Arbiter));
        // That of the machine itself counts.
        assert_eq!(shown(4, result(won, ResultReason::Checkmate)), result(won, ResultReason::Checkmate));
    }

    /// Applies events of the machine and of the desk to the record of a game in which no move was made.
    struct ShownGame {
        record: Record,
        desk: DeskRecord,
        own: Vec<StampedEvent>,
    }

    impl ShownGame {
        fn new() -> ShownGame {
            let record = Record::new(0, String::new(), None, "fide-2023".to_owned(), Rotation::Upright);
            ShownGame { record, desk: DeskRecord::default(), own: vec![own(1, Event::AlertCleared { id: 1 })] }
        }

        fn tell(&mut self, events: impl IntoIterator<Item = Event>) {
            for event in events {
                let stamped = own(self.own.len() as u64 + 1, event);
                self.own.push(stamped.clone());
                let shown = self.desk.shown(stamped);
                self.record.apply(&shown);
            }
        }

        fn enter(&mut self, command: Command) {
            let order = Order { command, by: "Ann".to_owned() };
            assert!(is_for_desk(&self.record, &order.command), "{order:?}");
            let (_, events) = desk_events(&self.record, Some(&self.desk), &self.own, &order, 0).unwrap();
            for stamped in events {
                self.desk.add(&DeskEvent { after: self.own.len() as u64, stamped: stamped.clone() });
                self.record.apply_entered(&stamped);
            }
        }

        fn result(&self) -> Option<GameResult> {
            self.record.result.map(|(result, _)| result)
        }
    }

    fn command(command: Command, by: &str) -> Event {
        Event::Commanded { command, by: by.to_owned() }
    }

    #[test]
    fn an_undo_at_the_machine_leaves_the_result_of_the_desk() {
        let (white, black) = (Some(GameResult::WhiteWins), Some(GameResult::BlackWins));
        let mut game = ShownGame::new();
        let wrong = command(Command::Result { result: black }, "Pia");
        game.tell([wrong, result(black, ResultReason::Arbiter)]);
        game.enter(Command::Result { result: white });
        game.tell([
            command(Command::Result { result: white }, Order::HUB),
            result(white, ResultReason::Arbiter),
            command(Command::Undo {}, "Pia"),
            result(None, ResultReason::Arbiter),
        ]);
        assert_eq!(game.result(), white);
        // The result of before does not hold any more, and that of the desk can still be undone.
        game.enter(Command::Undo {});
        assert_eq!((game.result(), game.desk.standing()), (None, None));
        assert!(!is_for_desk(&game.record, &Command::Undo {}) && game.record.changes.is_empty());
        game.tell([result(black, ResultReason::Checkmate)]);
        assert_eq!(game.result(), black);
    }

    #[test]
    fn an_undo_at_the_desk_shows_what_the_machine_has_recorded_since() {
        let (white, draw) = (Some(GameResult::WhiteWins), Some(GameResult::Draw));
        let mut game = ShownGame::new();
        game.enter(Command::Result { result: white });
        game.enter(Command::Result { result: draw });
        game.tell([result(white, ResultReason::Checkmate)]);
        assert_eq!(game.result(), draw);
        game.enter(Command::Undo {});
        assert_eq!((game.result(), game.desk.standing()), (white, white));
        game.enter(Command::Undo {});
        assert_eq!(game.record.result, Some((GameResult::WhiteWins, ResultReason::Checkmate)));
        assert_eq!(game.desk.standing(), None);
    }

    #[test]
    fn an_event_that_cannot_be_read_may_have_replaced_what_was_entered_before() {
        let unknown = crate::game::event::UnknownEvent::read(r#"{"t":3,"n":4,"event":"unreadable"}"#).unwrap();
        let mut desk = DeskRecord::default();
        desk.add(&entered(1, 2, tags("Ann")));
        desk.add(&entered(1, 3, result(Some(GameResult::Draw), ResultReason::Arbiter)));
        desk.add(&DeskEvent { after: 1, stamped: unknown });
        assert_eq!((desk.tags(), desk.result(), desk.standing()), (None, None, None));
        assert_eq!(desk.shown_number(2), 5);
        desk.add(&entered(1, 5, tags("Bea")));
        assert_eq!(desk.tags().map(|(number, _)| *number), Some(5));
    }

    #[test]
    fn a_machine_gives_its_game_no_pairing() {
        let tags = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect::<Vec<_>>();
        let claimed = command(Command::Tags { tags: tags(&["Round", "Table", "White"]) }, "Pia");
        let expected = command(Command::Tags { tags: tags(&["White"]) }, "Pia");
        assert_eq!(shown_game(vec![own(1, claimed)], Vec::new()), [own(1, expected)]);
    }

    #[test]
    fn an_event_whose_place_is_missing_is_not_shown() {
        let desk = vec![entered(2, 3, Event::AlertCleared { id: 1 })];
        assert_eq!(shown_game(vec![own(1, Event::AlertCleared { id: 1 })], desk).len(), 1);
    }
}
