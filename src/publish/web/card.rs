//! A board's card: its state at a glance.

use super::alert;
use super::card_source::CardSource;
use crate::boards::SquareState;
use crate::daemon::hub::{BoardView, ConnectionState, GameView, State};
use crate::game::event::AlertCategory;
use crate::game::event::{ClockTime, Difference};
use crate::game::record::PlyState;
use crate::game::rights::Audience;
use crate::game::{Alert, AlertKind, DelayPolicy};
use crate::locale::Locale;
use crate::publish::render::numbered_move::{numbered_move, side_to_move};
use crate::publish::render::placement::sensed_placement;
use crate::round::{Pairing, PairingResult, Player, Round};
use crate::wire::{Word, sensed_to_word};
use serde_json::{Map, Value, json};
use shakmaty::Color;
use tokio::sync::watch;

/// Maximum deviation of a running clock from its predicted time that does not count as a change, in milliseconds: DGT clocks report
/// whole seconds that are up to one second old.
const MAX_CLOCK_DRIFT_MS: i64 = 1_100;
/// Confidence, in thousandths, below which the last move is shown as uncertain.
const CERTAIN_CONFIDENCE: u16 = 900;
/// Number of last moves on a card.
const LAST_MOVES: usize = 4;
/// Charge at or below which a battery is low, in per cent; the same as for the alert.
const LOW_BATTERY_PERCENT: u8 = 10;

/// Who sees a card, and with what delay.
#[derive(Clone, Debug)]
pub(super) struct AudienceView {
    /// The audience.
    pub audience: Audience,
    /// The language.
    pub locale: Locale,
    /// The delay of the public, which can change.
    pub policy: watch::Receiver<DelayPolicy>,
    /// Whether FIDE IDs are shown.
    pub fide_ids: bool,
}

/// The card of one board.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Card {
    /// All fields except the clock.
    pub fields: Map<String, Value>,
    /// The clock.
    pub clock: Option<CardClock>,
}

/// The times of both players and the state of the clock.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CardClock {
    white_ms: Option<u32>,
    black_ms: Option<u32>,
    turn: Color,
    running: bool,
    read_at: i64,
    flags: [bool; 2],
    battery_low: bool,
}

impl Card {
    /// Returns whether the card has no change from `before`, apart from the clock's predicted progress.
    pub(super) fn is_predicted_by(&self, before: &Card) -> bool {
        let clock = match (&self.clock, &before.clock) {
            (Some(now), Some(before)) => now.is_predicted_by(before),
            (now, before) => now == before,
        };
        clock && self.fields == before.fields
    }

    /// Returns all fields as JSON. `seq`: the number of the change that led to this card.
    pub(super) fn fields_at(&self, seq: u64) -> Map<String, Value> {
        let mut card = self.fields.clone();
        card.insert("seq".to_owned(), seq.into());
        card.insert("clock".to_owned(), self.clock.as_ref().map_or(Value::Null, CardClock::value));
        card
    }
}

impl CardClock {
    /// Returns whether the clock only counted down as predicted since `before`.
    fn is_predicted_by(&self, before: &CardClock) -> bool {
        let other_fields = |clock: &CardClock| (clock.turn, clock.running, clock.flags, clock.battery_low);
        let elapsed = if before.running { self.read_at - before.read_at } else { 0 };
        let is_continuation = |now: Option<u32>, then: Option<u32>, elapsed: i64| match (now, then) {
            (Some(now), Some(then)) => {
                (i64::from(now) - i64::from(then) + elapsed).abs() <= if elapsed == 0 { 0 } else { MAX_CLOCK_DRIFT_MS }
            }
            (now, then) => now == then,
        };
        let [white, black] = if before.turn.is_white() { [elapsed, 0] } else { [0, elapsed] };
        other_fields(self) == other_fields(before)
            && is_continuation(self.white_ms, before.white_ms, white)
            && is_continuation(self.black_ms, before.black_ms, black)
    }

    fn value(&self) -> Value {
        json!({
            "white_ms": self.white_ms,
            "black_ms": self.black_ms,
            "turn": self.turn.word(),
            "running": self.running,
            "read_at": self.read_at,
            "flag_white": self.flags[0],
            "flag_black": self.flags[1],
            "battery_low": self.battery_low,
        })
    }
}

/// Builds the card of a board. `table`: the playing table at which it is.
pub(super) fn build_card(view: &AudienceView, source: &CardSource<'_>, board: &BoardView, table: Option<u16>) -> Card {
    let state = source.state;
    let pairing = table.and_then(|table| source.pairing(table));
    // The public does not see what is played at a table after its game has ended.
    let finished = pairing.filter(|_| view.audience.is_public()).and_then(|(round, pairing)| source.shown_game(round, pairing));
    let finished = finished.filter(|game| game.board == board.id && game.record.result.is_some());
    // Where a game is forfeited, the start position on the board is no game.
    let is_forfeited = pairing.is_some_and(|(_, pairing)| pairing.forfeit().is_some());
    let has_begun = |game: &GameView| !game.record.plies.is_empty() || game.record.result.is_some();
    let game = finished.or_else(|| state.games.get(&board.game?)).filter(|game| !is_forfeited || has_begun(game));
    let clock = if view.audience.is_public() { game.and_then(|game| delayed_clock(view, game)) } else { clock(board) };
    // The delayed view contains no state of cables and squares.
    let connection = if view.audience.is_public() { ConnectionState::Ready } else { board.connection };
    let mut fields = Map::new();
    let mut insert = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
    insert("board", board.id.as_str().into());
    insert("table", table.into());
    insert("model", board.model.title.into());
    insert("contact", connection.word().into());
    insert("reason", if view.audience.is_public() { "" } else { board.reason.as_str() }.into());
    insert("placement", sensed_placement(board).into());
    insert("displaced", board.displaced.iter().map(displaced).collect());
    insert(
        "battery",
        board.battery.map_or(Value::Null, |battery| json!({"percent": battery.percent, "charging": battery.charging})),
    );
    let result = pairing.and_then(|(round, pairing)| pairing_result(view, source, game, round, pairing));
    insert("pairing", pairing.map_or(Value::Null, |(_, pairing)| players(view, pairing, result)));
    insert("game", game.map_or(Value::Null, |game| game_on_card(view, game)));
    let former = without_result(view, source, board);
    // A board that its game has left is put away.
    let is_left = table.is_none() && game.is_some_and(|game| game.is_continued);
    insert("former", former.map_or(Value::Null, |former| former_on_card(view, source, former)));
    let games = [game, former].into_iter().flatten().filter(|game| !game.is_continued);
    insert("attention", if is_left { 0 } else { attention_level(view, state, board, games) }.into());
    Card { fields, clock }
}

/// Returns the last earlier game of a board whose result is missing, for those who can enter it. While a round is played, games of
/// no round need none.
fn without_result<'a>(view: &AudienceView, source: &CardSource<'a>, board: &BoardView) -> Option<&'a GameView> {
    let desk = &source.state.desk;
    let is_earlier = |game: &&GameView| Some(game.id) != board.game && !game.is_continued;
    let needs_result = |game: &&GameView| match source.pairing_of(game) {
        Some((round, table)) => desk.pairing(round, table).is_some_and(|pairing| pairing.result.is_none()),
        None => desk.round().is_none(),
    };
    let mut earlier = source.games_without_result(&board.id).filter(|_| !view.audience.is_public()).filter(is_earlier);
    earlier.find(needs_result)
}

/// Returns the result of a pairing: the one that was entered, else that of its game if the pieces have been put up again since
/// (`game`: the one on the board). `None`: there is none, or another game is played there. The public learns of results from games.
fn pairing_result(
    view: &AudienceView,
    source: &CardSource<'_>,
    game: Option<&GameView>,
    round: &Round,
    pairing: &Pairing,
) -> Option<PairingResult> {
    let of_game = || {
        let before = game.filter(|game| game.record.plies.is_empty()).and_then(|_| source.shown_game(round, pairing))?;
        Some(before.record.result?.0.into())
    };
    let result = if view.audience.is_public() { None } else { pairing.result.or_else(of_game) };
    let place = Some((round.number, pairing.table));
    let is_other = |game: &GameView| !game.record.plies.is_empty() && source.pairing_of(game) != place;
    result.filter(|_| !game.is_some_and(is_other))
}

/// Returns an earlier game as on its board's card, with the round and the table in which it was played.
fn former_on_card(view: &AudienceView, source: &CardSource<'_>, game: &GameView) -> Value {
    let mut value = game_on_card(view, game);
    if let Some(fields) = value.as_object_mut() {
        let (round, table) = source.pairing_of(game).unzip();
        fields.insert("round".to_owned(), round.into());
        fields.insert("table".to_owned(), table.into());
    }
    value
}

fn displaced(difference: &Difference) -> Value {
    let expected = sensed_to_word(difference.expected.map_or(SquareState::Empty, SquareState::Piece));
    json!({"square": difference.square.to_string(), "expected": expected, "seen": sensed_to_word(difference.seen)})
}

fn clock(board: &BoardView) -> Option<CardClock> {
    let clock = board.clock.as_ref()?;
    let ms = |time: Option<ClockTime>| time.map(|time| time.ms);
    Some(CardClock {
        white_ms: ms(clock.times.white),
        black_ms: ms(clock.times.black),
        turn: clock.turn,
        running: clock.running,
        read_at: clock.read_at,
        flags: [clock.flags.white, clock.flags.black],
        battery_low: clock.battery_low,
    })
}

/// Returns the clock times at the last completed move, as if read when the public learned of it.
fn delayed_clock(view: &AudienceView, game: &GameView) -> Option<CardClock> {
    let record = &game.record;
    let count = u32::try_from(record.plies.len()).unwrap_or(u32::MAX);
    let completed = record.plies.iter().rev().find_map(|ply| match ply.state {
        PlyState::Completed { at, .. } => Some(at),
        PlyState::Made => None,
    })?;
    let times = record.clocks_at(count);
    let delay = view.policy.borrow().delay;
    let ms = |time: Option<ClockTime>| time.map(|time| time.ms);
    (times.white.is_some() || times.black.is_some()).then(|| CardClock {
        white_ms: ms(times.white),
        black_ms: ms(times.black),
        turn: side_to_move(record.fen()),
        // With a delay in plies, the time when the public learned of it is unknown.
        running: record.result.is_none() && delay.plies == 0,
        read_at: game.steady_ms(completed).saturating_add_unsigned(delay.ms),
        flags: [false; 2],
        battery_low: false,
    })
}

/// Returns the players of a pairing, and its result.
fn players(view: &AudienceView, pairing: &Pairing, result: Option<PairingResult>) -> Value {
    let player = |player: &Player| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        json!({
            "name": player.name,
            "title": text(&player.title),
            "rating": number(player.rating.map(u32::from)),
            "federation": text(&player.federation),
            "team": text(&player.team),
            "fide_id": number(player.fide_id.filter(|_| view.fide_ids)),
        })
    };
    let forfeit = pairing.forfeit().map(Word::word);
    json!({
        "white": player(&pairing.white), "black": player(&pairing.black), "forfeit": forfeit, "section": pairing.section,
        "result": result.map(Word::word),
    })
}

/// Returns a game as on its board's card: except for the public, also whether it goes on on another board.
pub(super) fn game_on_card(view: &AudienceView, game: &GameView) -> Value {
    let mut value = self::game(view, game);
    if !view.audience.is_public()
        && let Some(fields) = value.as_object_mut()
    {
        fields.insert("continued".to_owned(), game.is_continued.into());
        if game.is_continued {
            // What is wrong with the game is told of the other one, and the board is not needed.
            fields.insert("alerts".to_owned(), json!([]));
        }
    }
    value
}

/// Returns the fields of a game that are on its board's card.
fn game(view: &AudienceView, game: &GameView) -> Value {
    let record = &game.record;
    let player = |colour: &str| {
        let tag = |name: &str| {
            let name = format!("{colour}{name}");
            let known = record.tags.iter().chain(game.tags.iter()).find(|(known, _)| *known == name);
            known.map_or_else(String::new, |(_, value)| value.clone())
        };
        json!({
            "name": tag(""), "title": tag("Title"), "rating": tag("Elo"), "federation": tag("Federation"), "team": tag("Team"),
            "fide_id": if view.fide_ids { tag("FideId") } else { String::new() },
        })
    };
    let last = record.plies.last();
    let last_move = last.map(|ply| [ply.played.uci.get(0..2), ply.played.uci.get(2..4)]);
    let sans: Vec<String> = record
        .plies
        .iter()
        .skip(record.plies.len().saturating_sub(LAST_MOVES))
        .map(|ply| numbered_move(&ply.played.san, &ply.played.fen))
        .collect();
    let mut value = json!({
        "id": game.id,
        "white": player("White"),
        "black": player("Black"),
        "result": record.result.map_or("*", |(result, _)| result.as_str()),
        "reason": record.result.map_or("", |(_, reason)| reason.word()),
        "ply": record.plies.len(),
        "fen": record.fen(),
        "last_move": last_move,
        "last_sans": sans,
        "paused": record.paused,
        "uncertain": last.is_some_and(|ply| ply.confidence.0 < CERTAIN_CONFIDENCE),
        "corrections": record.revision,
        "started": game.wall_ms(record.started_at),
    });
    if !view.audience.is_public()
        && let Some(fields) = value.as_object_mut()
    {
        let alerts = alerts_of(view, game).map(|alert| alert::alert_to_json(view, game, alert)).collect();
        fields.insert("alerts".to_owned(), alerts);
        // Counted irregularities and undoable commands change no other field of the card.
        fields.insert("last_number".to_owned(), game.last_number_for(view.audience).into());
    }
    value
}

/// Returns how much attention the board needs: 0 none, 1 there is a notice, 2 a device needs attention, 3 there is an alert.
fn attention_level<'a>(view: &AudienceView, state: &State, board: &BoardView, games: impl Iterator<Item = &'a GameView>) -> u8 {
    if view.audience.is_public() {
        return 0;
    }
    let is_battery_low =
        board.battery.is_some_and(|battery| battery.percent <= LOW_BATTERY_PERCENT && battery.charging != Some(true));
    let is_disconnected = !matches!(board.connection, ConnectionState::Ready | ConnectionState::Connecting);
    let has_problem = state.health_problems.iter().any(|problem| problem.board.as_ref() == Some(&board.id));
    let device_level =
        if is_battery_low || is_disconnected || has_problem || board.clock.as_ref().is_some_and(|clock| clock.battery_low) {
            2
        } else {
            0
        };
    let alert_level = |kind: AlertKind| match (kind.category(), kind.is_notice()) {
        (AlertCategory::Device, _) => 2,
        (_, true) => 1,
        (_, false) => 3,
    };
    let alerts = games.flat_map(|game| alerts_of(view, game));
    alerts.map(|alert| alert_level(alert.kind)).chain([device_level]).max().unwrap_or(0)
}

/// Returns the open alerts of a game that this audience is told of.
fn alerts_of<'a>(view: &AudienceView, game: &'a GameView) -> impl Iterator<Item = &'a Alert> {
    let audience = view.audience;
    game.record.alerts.iter().filter(move |alert| alert.audience() <= audience)
}
