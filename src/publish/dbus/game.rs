//! `org.touchmove1.Game`, on each name.
#![allow(clippy::too_many_arguments)] // signals have as many arguments as the event has fields

use super::arguments::parse_pgn_options;
use super::{Error, Stream};
use crate::daemon::Source;
use crate::daemon::hub::GameView;
use crate::game::pgn::AfterIllegal;
use crate::publish::dbus::values;
use crate::publish::render::pgn;
use crate::wire::Word;
use std::collections::HashMap;
use zbus::object_server::SignalEmitter;
use zbus::{OwnedVariant, Variant, interface};

/// The D-Bus object of a game.
pub(super) struct GameObject {
    /// The source to read from.
    pub source: Source,
    /// The game's number.
    pub id: u64,
    /// The stream on which the object is published.
    pub stream: Stream,
}

impl GameObject {
    fn read<T: Default>(&self, read: impl FnOnce(&GameView) -> T) -> T {
        self.source.read(|state| state.games.get(&self.id).map(read)).unwrap_or_default()
    }
}

/// `(number, time, name of the signal, arguments by name)`.
type PastEvent = (u64, i64, String, HashMap<String, OwnedVariant>);

/// A game, in progress or finished. The last few games of each board are objects; older ones are in the journal.
///
/// Each signal has a number, which counts the events of the game from 1, and a time in milliseconds since 1970-01-01 UTC. An event
/// is in the journal before its signal is sent. Numbers are valid within one Incarnation of the journal. A client that sees a gap
/// between numbers, or reconnects, calls Since.
/// On org.touchmove1.Broadcast, events have their own numbers, and events for the arbiter alone are omitted.
/// Since API version 1.
#[interface(name = "org.touchmove1.Game")]
impl GameObject {
    /// The name of the board on which it is or was played.
    #[zbus(property(emits_changed_signal = "const"))]
    fn board(&self) -> String {
        self.read(|game| game.board.to_string())
    }

    /// When the game began, in milliseconds since 1970-01-01 UTC.
    #[zbus(property(emits_changed_signal = "const"))]
    fn started(&self) -> i64 {
        self.read(|game| game.wall_ms(game.record.started_at))
    }

    /// PGN tags: names and values.
    #[zbus(property)]
    fn tags(&self) -> HashMap<String, String> {
        self.read(|game| pgn::all_tags(game).into_iter().collect())
    }

    /// The start position as FEN.
    #[zbus(property(emits_changed_signal = "const"))]
    fn start(&self) -> String {
        self.read(|game| game.record.start_fen.clone())
    }

    /// The number of the Chess960 start position, 0 to 959 (518: the usual one); -1 for any other position.
    #[zbus(property(emits_changed_signal = "const"))]
    fn chess960(&self) -> i32 {
        self.read(|game| Some(game.record.chess960.map_or(-1, i32::from))).unwrap_or(-1)
    }

    /// The Laws in force, e.g. fide-2023, or fide-2018 blitz limited: the edition, then rapid or blitz where it is not a standard
    /// game, then limited where not every game is watched and recorded.
    #[zbus(property(emits_changed_signal = "invalidates"))]
    fn laws(&self) -> String {
        self.read(|game| game.record.laws.clone())
    }

    /// The position after the last move made, as FEN.
    #[zbus(property, name = "FEN")]
    fn fen(&self) -> String {
        self.read(|game| game.record.fen().to_owned())
    }

    /// The moves, as (uci, san, state, time, white, black, confidence, details). state: made, or what completed the move (Art.
    /// 6.2.1): clock, game_end, own_next_move, reply, dwell, arbiter. time: when it was made, in milliseconds since 1970-01-01 UTC.
    /// white, black: time left at completion in milliseconds; -1 where unknown. confidence: 0 to 1. details: as in MoveMade.
    /// Signals report changes.
    #[zbus(property(emits_changed_signal = "invalidates"))]
    fn moves(&self) -> Vec<values::MoveValue> {
        self.read(|game| {
            game.record.plies.iter().map(|ply| values::move_value(ply, self.stream, &|at| game.wall_ms(at))).collect()
        })
    }

    /// How many times published moves were corrected.
    #[zbus(property)]
    fn revision(&self) -> u32 {
        self.read(|game| game.record.revision)
    }

    /// playing, or finished: it has a result, another game is on the board, or it goes on on another board.
    #[zbus(property)]
    fn state(&self) -> String {
        let current = self.source.read(|state| {
            let game = state.games.get(&self.id)?;
            let current = state.boards.get(&game.board)?.game;
            Some(game.record.result.is_none() && current == Some(self.id) && !game.is_continued)
        });
        if current == Some(true) { "playing".to_owned() } else { "finished".to_owned() }
    }

    /// 1-0, 0-1, 1/2-1/2, or * while there is none.
    #[zbus(property)]
    fn result(&self) -> String {
        self.read(|game| game.record.result.map_or("*", |(result, _)| result.as_str()).to_owned())
    }

    /// The reason for the result: checkmate, stalemate, kings_signal, arbiter; empty while there is none.
    #[zbus(property)]
    fn result_reason(&self) -> String {
        self.read(|game| game.record.result.map_or("", |(_, reason)| reason.word()).to_owned())
    }

    /// The number of the last event of this stream; the other properties are as this event left them.
    #[zbus(property)]
    fn last_number(&self) -> u64 {
        self.read(|game| game.last_number_for(self.stream.audience()))
    }

    /// The incarnation of the journal, as a UUID: while it stays the same, each event of the game keeps its number and its content.
    /// A new incarnation begins when events were found missing or changed, when a backup was restored, and with a new journal. Then
    /// discard everything known of the game and call Since with number 0.
    #[zbus(property)]
    fn incarnation(&self) -> String {
        self.source.incarnation()
    }

    /// Returns all events after this number, oldest first; 0: all of them. incarnation: the Incarnation in which the event had this
    /// number; may be empty where number is 0. If it is not the present one, the call fails, since another event may have the
    /// number by now. Each event is (number, time, name of the signal, arguments by name); the first is GameStarted (start,
    /// chess960, laws), which has no signal.
    /// Errors: JournalUnreadable, NoSuchGame, OtherIncarnation.
    #[zbus(out_args("events"))]
    fn since(&self, number: u64, incarnation: &str) -> Result<Vec<PastEvent>, Error> {
        let game = self.source.read(|state| state.games.get(&self.id).cloned());
        let Some(game) = game else {
            return Err(Error::NoSuchGame(crate::daemon::hub::OrderError::NoSuchGame(self.id).to_string()));
        };
        let current = self.source.incarnation();
        if (number > 0 || !incarnation.is_empty()) && incarnation != current {
            return Err(Error::OtherIncarnation(format!(
                "the incarnation of the journal is \"{current}\", not \"{incarnation}\": discard what is known of game {}, and call \
                 Since with number 0",
                self.id
            )));
        }
        let mut events = self.source.since(self.id, number)?;
        // Events that are in the journal but not yet in the properties are published later.
        events.retain(|stamped| stamped.number.is_some_and(|number| number <= game.record.last_number));
        let mut list = Vec::with_capacity(events.len());
        for stamped in events {
            let Some(number) = stamped.number else { continue };
            let Some(signal) = values::signal_value(&stamped.event, self.stream, &|at| game.wall_ms(at)) else { continue };
            let mut fields = HashMap::new();
            for (name, value) in signal.fields {
                fields.insert(name.to_owned(), OwnedVariant::try_from(value).map_err(Error::ZBus)?);
            }
            list.push((number, game.wall_ms(stamped.at), signal.name.to_owned(), fields));
        }
        Ok(list)
    }

    /// Returns the game as PGN, with the clock times in comments. The moves end before the first illegal one; that move and the
    /// rest are in one comment.
    #[zbus(out_args("pgn"))]
    fn pgn(&self) -> String {
        self.read(|game| pgn::game_to_pgn(game, AfterIllegal::Stop, self.stream.pgn_reader()))
    }

    /// Returns the game as PGN, with options by name. irregular (s), how to write a game with an illegal move that stands: stop, as
    /// Pgn does; fen, the move is a comment, and the game continues as another PGN game, which begins from the position after it,
    /// has the same tags and comes next in the text; end, the moves end before it with the result of the game, and the rest is
    /// omitted. In each case a PGN reader finds only legal moves.
    /// Errors: BadOption.
    #[zbus(out_args("pgn"))]
    fn pgn_with(&self, options: HashMap<String, OwnedVariant>) -> Result<String, Error> {
        let after = parse_pgn_options(&options)?;
        Ok(self.read(|game| pgn::game_to_pgn(game, after, self.stream.pgn_reader())))
    }

    /// A move was made (Art. 4.7). ply counts from 1 at the start position; fen: the position after it; confidence: 0 to 1 that it
    /// is right; alternatives: other possible moves, as (uci, confidence), most likely first. details, by name, empty for an
    /// ordinary move: irregular (b): it was not legal in the position before it, and on org.touchmove1 evidence (a(xsss)): what the
    /// board showed, as (time, square, before, now), oldest first. uci is 0000 where moves are missing: no sensor saw them, and fen
    /// is the position from which play went on. The player of the move is the one who is not to move in fen.
    #[zbus(signal)]
    async fn move_made(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        ply: u32,
        uci: &str,
        san: &str,
        fen: &str,
        confidence: f64,
        alternatives: Vec<(String, f64)>,
        details: values::DetailMap,
    ) -> zbus::Result<()>;

    /// A move was completed (Art. 6.2.1) by: clock, game_end, own_next_move, reply, dwell, arbiter. white, black: both clocks at
    /// that moment, as (time left, resolution, age) in milliseconds; time left -1 where no clock is connected.
    #[zbus(signal)]
    async fn move_completed(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        ply: u32,
        by: &str,
        white: values::ClockValue,
        black: values::ClockValue,
    ) -> zbus::Result<()>;

    /// The moves from from_ply on are replaced by this line of (uci, san, fen, details). details: as in MoveMade. reason: evidence,
    /// takeback, king_signal, analysis, arbiter.
    #[zbus(signal)]
    async fn moves_corrected(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        from_ply: u32,
        moves: Vec<values::CorrectedMoveValue>,
        reason: &str,
    ) -> zbus::Result<()>;

    /// Corrects the clock times at a completed move, because an increment was reported late. white, black: as in MoveCompleted.
    #[zbus(signal)]
    async fn clock_revised(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        ply: u32,
        white: values::ClockValue,
        black: values::ClockValue,
    ) -> zbus::Result<()>;

    /// The result is now 1-0, 0-1, 1/2-1/2, or * (withdrawn). reason: checkmate, stalemate, kings_signal, arbiter.
    #[zbus(signal, name = "ResultChanged")]
    async fn result_signal(emitter: &SignalEmitter<'_>, number: u64, time: i64, result: &str, reason: &str)
    -> zbus::Result<()>;
}

/// Builds the arguments of a signal, in order.
pub(super) fn signal_arguments(
    number: u64,
    time: i64,
    fields: Vec<(&'static str, Variant<'static>)>,
) -> zbus::Result<zbus::Structure<'static>> {
    let start = zbus::Structure::builder().add_field(number).add_field(time);
    fields.into_iter().fold(start, |body, (_, value)| body.append_field(value)).build()
}
