//! The review of a finished game: its stream is decoded once more, and what it finds is proposed.

use touchmove::boards::{LinkState, Millis, SensorKind};
use touchmove::game::event::Rotation;
use touchmove::game::{Alert, AlertKind, Command, Event, GameResult, Order, Record, Refusal};
use touchmove::lab::options::{SimulationOptions, settings};
use touchmove::lab::run::{self, VirtualCable};
use touchmove::simulate::{hands, pgn};
use touchmove::table::{Input, Output, Table};

const OPERA: &str = include_str!("../../src/ctl/demo/opera.pgn");
const ARBITER: &str = "the arbiter";

/// A game on an occupancy board that was followed to its end.
struct Played {
    table: Table,
    /// The moves that were played, in UCI.
    truth: Vec<String>,
    now: Millis,
}

impl Played {
    /// Plays a game in a time scramble, on a table that follows only one line of play and is often wrong.
    fn new(seed: u64) -> Played {
        let games = pgn::read(OPERA).games;
        let game = games.first().expect("a game");
        let options = SimulationOptions {
            board: "dgt".to_owned(),
            profile: *hands::profile("blitz").expect("hands"),
            inject: Vec::new(),
            clock: true,
            rotation: Rotation::Upright,
        };
        let model = options.model().expect("a board");
        let simulation = options.simulation(game, seed).expect("a board").without_aftermath();
        let truth = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
        let now = simulation.ends_at() + 1_000;
        let settings = touchmove::table::Settings { sensing: SensorKind::Occupancy, hypotheses: 1, ..settings(game) };
        let mut table = Table::new(settings);
        run::play(&mut VirtualCable::new(simulation), &mut *(model.protocol)(), &mut table, now, &mut |_, _| {});
        Played { table, truth, now }
    }

    fn order(&mut self, command: Command) -> Output {
        self.now += 1_000;
        self.table.handle(self.now, Input::Order(Order { command, by: ARBITER.to_owned() }))
    }

    /// Lets this time pass, and returns the proposal that was made during it.
    fn wait(&mut self, time: Millis) -> Option<Alert> {
        let mut proposed = None;
        let until = self.now + time;
        while let Some(due) = self.table.next_deadline().filter(|due| *due <= until) {
            for stamped in self.table.advance(due).events {
                match stamped.event {
                    Event::AlertRaised(alert) if alert.kind == AlertKind::CorrectionProposed => proposed = Some(*alert),
                    _ => {}
                }
            }
        }
        self.now = until;
        proposed
    }

    fn record(&self) -> &Record {
        self.table.record().expect("a game")
    }

    fn moves(&self) -> Vec<String> {
        self.record().plies.iter().map(|ply| ply.played.uci.clone()).collect()
    }
}

/// Long enough for a review.
const MINUTES: Millis = 600_000;
const DRAW: Command = Command::Result { result: Some(GameResult::Draw) };

/// Returns games whose record is wrong, with the proposals of their reviews.
fn proposals(count: usize) -> Vec<(Played, Alert)> {
    let reviewed = (1..=300).filter_map(|seed| {
        let mut played = Played::new(seed);
        assert_eq!(played.wait(MINUTES), None, "a game without a result is not reviewed");
        played.order(DRAW);
        let proposed = played.wait(MINUTES)?;
        Some((played, proposed))
    });
    let proposals: Vec<(Played, Alert)> = reviewed.take(count).collect();
    assert_eq!(proposals.len(), count, "one line of play is sometimes wrong");
    proposals
}

#[test]
fn a_proposal_is_adopted_by_one_command_and_undone_by_another() {
    let mut right = 0;
    for (mut played, alert) in proposals(2) {
        let before = played.moves();
        let kept = alert.ply as usize - 1;
        let proposed = [&before[..kept], &alert.proposed].concat();
        assert_ne!(proposed, before);
        assert_ne!(before, played.truth, "the record was right");
        assert!(!alert.evidence.is_empty() && !alert.squares.is_empty(), "{alert:?}");
        right += u32::from(proposed == played.truth);
        let adopt = Command::Adopt { alert: alert.id };
        let order = Order { command: adopt.clone(), by: ARBITER.to_owned() };
        let preview = played.table.preview(played.now, &order).expect("a preview");
        assert_eq!(preview.first_ply, alert.ply);
        assert_eq!(played.moves(), before, "a preview changes nothing");
        assert_eq!(played.order(adopt.clone()).refusal(), None);
        assert_eq!(played.moves(), proposed);
        assert!(played.record().alerts.iter().all(|open| open.kind != AlertKind::CorrectionProposed));
        assert_eq!(played.wait(MINUTES), None, "what an order has changed is not reviewed again");
        assert_eq!(played.order(adopt).refusal(), Some(&Refusal::NoAlert { alert: alert.id }));
        assert_eq!(played.order(Command::Undo {}).refusal(), None);
        assert_eq!(played.moves(), before);
    }
    assert!(right > 0, "none of the proposals is what was played");
}

#[test]
fn a_proposal_waits_until_it_is_acknowledged() {
    let (mut played, alert) = proposals(1).remove(0);
    let before = played.moves();
    played.order(Command::Result { result: Some(GameResult::WhiteWins) });
    assert!(played.record().alerts.contains(&alert), "another result does not answer it");
    assert_eq!(played.moves(), before, "it changes nothing by itself");
    played.order(Command::Acknowledge { alert: alert.id });
    assert!(played.record().alerts.is_empty());
    let other = played.order(Command::Adopt { alert: alert.id + 1 }).refusal().cloned();
    assert_eq!(other, Some(Refusal::NoAlert { alert: alert.id + 1 }));
}

#[test]
fn a_game_that_goes_on_is_reviewed_when_it_ends() {
    let (mut played, alert) = proposals(1).remove(0);
    // The result was a mistake.
    played.order(Command::Acknowledge { alert: alert.id });
    played.order(Command::Result { result: None });
    assert_eq!(played.wait(MINUTES), None);
    played.order(DRAW);
    let again = played.wait(MINUTES);
    assert_eq!(again.map(|again| (again.ply, again.proposed)), Some((alert.ply, alert.proposed)));
    // Other alerts propose nothing.
    played.order(Command::Result { result: None });
    played.table.handle(played.now, Input::Link(LinkState::Down));
    assert_eq!(played.wait(MINUTES), None);
    let without_proposal = played.record().alerts.last().expect("the link is lost").id;
    let refusal = played.order(Command::Adopt { alert: without_proposal }).refusal().cloned();
    assert_eq!(refusal, Some(Refusal::NoProposal { alert: without_proposal }));
}
