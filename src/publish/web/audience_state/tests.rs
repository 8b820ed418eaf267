//! A state's cards and changes, as clients receive them.

use super::*;
use crate::boards::Battery;
use crate::boards::model;
use crate::daemon::Hub;
use crate::daemon::hub::{BoardHandle, BoardView};
use crate::daemon::journal::{FILE_NAME, Journal};
use crate::desk::DeskAct;
use crate::game::event::Rotation;
use crate::game::rights::Audience;
use crate::game::{Answer, Confidence, DelayPolicy, Event, PlayedMove, StampedEvent};
use crate::locale::Locale;
use crate::publish::web::card_change::tests::merge;
use crate::round::trf::TableOrder;
use crate::round::{PairingResult, Round};
use crate::wire::Word;
use serde_json::Map;
use std::path::Path;

/// Opens a journal in which an event of game 7, too old to be verified on opening, was changed.
async fn damaged_old_game(dir: &Path) -> Journal {
    let (written, changed) = ("fide-2018", "fide-2014");
    let journal = Journal::open(dir).expect("a journal").0;
    for game in 1..=110 {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        let laws = if game == 7 { written } else { "fide-2023" }.to_owned();
        let event = Event::GameStarted { fen, chess960: Some(518), laws, rotation: Rotation::Upright };
        journal.append("b1", 0, vec![StampedEvent { at: 0, number: Some(1), event }]).await.expect("stored");
    }
    drop(journal);
    let path = dir.join(FILE_NAME);
    let mut bytes = std::fs::read(&path).expect("the journal");
    let offsets: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(written.as_bytes())).collect();
    assert!(!offsets.is_empty());
    offsets.iter().for_each(|at| bytes[*at..at + changed.len()].copy_from_slice(changed.as_bytes()));
    std::fs::write(&path, bytes).expect("changed");
    Journal::open(dir).expect("a journal").0
}

fn operators_view() -> AudienceView {
    let policy = watch::channel(DelayPolicy::default()).1;
    AudienceView { audience: Audience::Operator, locale: Locale::English, policy, fide_ids: true }
}

#[tokio::test]
async fn a_new_incarnation_is_sent_with_all_cards() {
    let dir = tempfile::tempdir().expect("a directory");
    let hub = Hub::new(damaged_old_game(dir.path()).await, &[]);
    let model = model("dgt").expect("a model");
    let _board_handle = hub.register_board(BoardView::new(BoardId::new("b1"), model, model.sensing));
    let (_running, stop) = watch::channel(false);
    let audience_state =
        AudienceState::start(operators_view(), Source::Live(Arc::clone(&hub)), "run_id".to_owned(), stop.clone());
    let since = |number: u64| {
        let batch = audience_state.events_since(number, CardFormat::Whole);
        let text = String::from_utf8(batch.text.to_vec()).expect("text");
        let names: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("event: ")).map(str::to_owned).collect();
        (batch.to, names)
    };
    let (before, names) = since(0);
    assert_eq!(names, ["incarnation", "card"]);
    assert_eq!(since(before), (before, Vec::new()));
    let first = audience_state.snapshot();
    assert_eq!((first.incarnation.len(), &first.incarnation), (36, &hub.incarnation().id));

    hub.check_journal(stop).await;
    let second = audience_state.snapshot();
    assert_eq!(second.incarnation, hub.incarnation().id);
    assert_ne!(second.incarnation, first.incarnation);
    // A reconnecting client, a client that stayed connected, and a new one.
    for number in [audience_state.parse_event_id(&first.seq), before, 0] {
        assert_eq!(since(number).1, ["incarnation", "card", "problems"]);
    }
    assert_eq!(audience_state.parse_event_id(&first.seq), before);
}

/// A client that keeps the cards.
struct Client {
    format: CardFormat,
    /// The number of the last change that it has.
    seq: u64,
    cards: BTreeMap<String, Map<String, Value>>,
}

impl Client {
    fn new(format: CardFormat) -> Client {
        Client { format, seq: 0, cards: BTreeMap::new() }
    }

    /// Receives everything that changed. Returns the names of the events.
    fn receive(&mut self, audience_state: &AudienceState) -> Vec<String> {
        let batch = audience_state.events_since(self.seq, self.format);
        let text = std::str::from_utf8(&batch.text).expect("text");
        let mut names = Vec::new();
        for event in text.split_terminator("\n\n") {
            let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).expect("a field");
            let seq = audience_state.parse_event_id(field("id: "));
            assert!(seq > self.seq, "received twice, or in another order: {event}");
            self.seq = seq;
            let mut data: Map<String, Value> = serde_json::from_str(field("data: ")).unwrap_or_default();
            let board = data.get("board").and_then(Value::as_str).unwrap_or_default().to_owned();
            match field("event: ") {
                "card" => drop(self.cards.insert(board, data)),
                "change" => {
                    let card = self.cards.get_mut(&board).expect("a card that is known");
                    assert_eq!(data.remove("previous"), card.get("seq").cloned(), "a change is missing: {event}");
                    merge(card, &data);
                }
                _ => {}
            }
            names.push(field("event: ").to_owned());
        }
        assert_eq!(self.seq, batch.to);
        names
    }
}

#[tokio::test]
async fn clients_have_the_current_cards_however_late_they_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let hub = Hub::new(Journal::open(dir.path()).expect("a journal").0, &[]);
    let model = model("dgt").expect("a model");
    let name = |number: usize| BoardId::new(&format!("b{number}"));
    let mut boards: Vec<_> =
        (0..5).map(|number| hub.register_board(BoardView::new(name(number), model, model.sensing)).0).collect();
    let (_running, stop) = watch::channel(false);
    let audience_state = AudienceState::start(operators_view(), Source::Live(Arc::clone(&hub)), "run_id".to_owned(), stop);
    let mut clients: Vec<Client> =
        [CardFormat::Whole, CardFormat::ChangedFields, CardFormat::ChangedFields, CardFormat::ChangedFields]
            .map(Client::new)
            .into();
    let (mut changes, mut random) = (0, 1_u64);
    let mut below = |limit: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit
    };
    for step in 0..2_000_u64 {
        match below(8) {
            0 if boards.len() < 12 => {
                let board = BoardView::new(name(boards.len()), model, model.sensing);
                boards.push(hub.register_board(board).0);
            }
            kind => {
                let board = &boards[below(boards.len() as u64) as usize];
                board.update(|view| match kind {
                    1..=3 => view.reason = format!("reason {}", step / 3),
                    4 => view.battery = None,
                    _ => view.battery = Some(Battery { percent: (step % 100) as u8, charging: Some(step % 2 == 0) }),
                });
            }
        }
        if below(3) == 0 {
            audience_state.update();
        }
        // The first clients read at once, the others less and less often. The last one may lose all that it knew.
        for (index, client) in clients.iter_mut().enumerate() {
            if below(1 + 6 * index as u64) == 0 {
                changes += client.receive(&audience_state).iter().filter(|name| *name == "change").count();
            }
        }
        if below(100) == 0 {
            clients.pop();
            clients.push(Client::new(CardFormat::ChangedFields));
        }
    }
    assert!(changes > 500, "only {changes} changes were sent as fields");
    let snapshot = audience_state.snapshot();
    let expected: Vec<Value> = snapshot.cards.iter().map(|card| serde_json::from_str(card).expect("a card")).collect();
    assert!(expected.len() > 5);
    for client in &mut clients {
        client.receive(&audience_state);
        let cards: Vec<Value> = client.cards.values().cloned().map(Value::Object).collect();
        assert_eq!(cards, expected);
        assert!(client.receive(&audience_state).is_empty());
    }
}

/// A board at table 1 of a round, on which game 1 has begun.
async fn table_with_game(dir: &Path) -> (Arc<Hub>, BoardHandle) {
    let hub = Hub::new(Journal::open(dir).expect("a journal").0, &[]);
    hub.load_desk(dir).await;
    let model = model("dgt").expect("a model");
    let board = hub.register_board(BoardView::new(BoardId::new("b1"), model, model.sensing)).0;
    publish(&board, 0, 1, game_started()).await;
    let pairings = "table,white,black\n1,Ada,Bob\n";
    let round = Round::read(pairings, Some(1), &TableOrder::Unknown).expect("a round");
    let seat = DeskAct::Seat { table: 1, board: "b1".to_owned(), serial_number: None };
    for act in [DeskAct::LoadRound { round }, seat] {
        hub.change_desk(act, "Anna").await.expect("an act");
    }
    (hub, board)
}

/// Publishes an event of this time, with its number in its game.
async fn publish(board: &BoardHandle, at: u64, number: u64, event: Event) {
    let (done, published) = tokio::sync::oneshot::channel();
    board.publish(0, vec![StampedEvent { at, number: Some(number), event }], |_| (), Some((done, Ok(Answer::Done))));
    published.await.expect("a reply").expect("published");
}

fn game_started() -> Event {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    Event::GameStarted { fen, chess960: None, laws: "fide-2023".to_owned(), rotation: Rotation::Upright }
}

fn first_move() -> Event {
    let fen = "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQkq - 0 1".to_owned();
    let played = PlayedMove { uci: "a2a3".to_owned(), san: "a3".to_owned(), fen, irregular: false, evidence: Vec::new() };
    Event::MoveMade { ply: 1, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() }
}

#[tokio::test]
async fn the_result_of_a_pairing_is_not_that_of_other_play_at_its_table() {
    let dir = tempfile::tempdir().expect("a directory");
    let (hub, board) = table_with_game(dir.path()).await;
    let (_running, stop) = watch::channel(false);
    let audience_state = AudienceState::start(operators_view(), Source::Live(Arc::clone(&hub)), "run_id".to_owned(), stop);
    let shown = || {
        let card: Value = serde_json::from_str(&audience_state.snapshot().cards[0]).expect("a card");
        let result = card["pairing"]["result"].as_str().map(str::to_owned);
        (card["game"]["id"].as_u64(), card["game"]["ply"].as_u64(), result)
    };
    publish(&board, 1, 2, first_move()).await;
    let result = DeskAct::Result { round: 1, table: 1, result: Some(PairingResult::BothLose) };
    for act in [DeskAct::NameGames { games: vec![(1, 1, 1)], unnamed: Vec::new() }, result] {
        hub.change_desk(act, "Anna").await.expect("an act");
    }
    let both_lose = || Some("0-0".to_owned());
    assert_eq!(shown(), (Some(1), Some(1), both_lose()));
    // The pieces are put up again, and moved.
    publish(&board, 2, 1, game_started()).await;
    assert_eq!(shown(), (Some(2), Some(0), both_lose()));
    publish(&board, 3, 2, first_move()).await;
    assert_eq!(shown(), (Some(2), Some(1), None));
}

#[tokio::test]
async fn a_table_whose_game_is_forfeited_has_no_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let (hub, _board) = table_with_game(dir.path()).await;
    let (_running, stop) = watch::channel(false);
    let audience_state = AudienceState::start(operators_view(), Source::Live(Arc::clone(&hub)), "run_id".to_owned(), stop);
    for result in [None, Some(PairingResult::WhiteWinsByForfeit), None, Some(PairingResult::Adjourned)] {
        hub.change_desk(DeskAct::Result { round: 1, table: 1, result }, "Anna").await.expect("an act");
        audience_state.update();
        let card: Value = serde_json::from_str(&audience_state.snapshot().cards[0]).expect("a card");
        let forfeit = result.filter(|result| result.is_forfeit()).map(Word::word);
        assert_eq!((card["table"].as_u64(), card["game"].is_null()), (Some(1), forfeit.is_some()), "{card}");
        assert_eq!(card["pairing"]["forfeit"].as_str(), forfeit);
        assert_eq!(card["pairing"]["result"].as_str(), result.map(Word::word));
    }
}
