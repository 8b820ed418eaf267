//! `org.touchmove1.Arbiter`, on games of the live name only.
#![allow(clippy::too_many_arguments)] // signals have as many arguments as the event has fields

use super::values::{self, AlertValue, Details, VerdictValue};
use super::{Error, arguments, order};
use crate::daemon::Hub;
use crate::daemon::hub::Target;
use crate::game::{Answer, Command, Event};
use crate::locale::Locale;
use crate::wire::Word;
use std::collections::HashMap;
use std::sync::Arc;
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::{Connection, interface};

/// What the arbiter sees and does.
pub struct Arbiter {
    /// Where to read and command.
    pub hub: Arc<Hub>,
    /// Which game.
    pub game: u64,
}

impl Arbiter {
    async fn command(&self, command: Command, header: &Header<'_>, connection: &Connection) -> Result<(), Error> {
        self.ask(command, header, connection).await.map(drop)
    }

    async fn ask(&self, command: Command, header: &Header<'_>, connection: &Connection) -> Result<Answer, Error> {
        let order = order(command, header, connection).await?;
        Ok(self.hub.command(Target::Game(self.game), order).await?)
    }
}

/// What the arbiter of a game sees and does, on the game's object. Signals are numbered together with those of
/// org.touchmove1.Game. Every method returns when what came of it is in the journal, and may fail with NotCurrent (another game
/// is on the board), NoSuchGame, NoGame, NotAllowed (polkit says so), JournalFull or Stopping besides the errors named.
/// Since API version 1.
#[interface(name = "org.touchmove1.Arbiter")]
impl Arbiter {
    /// Alerts that stand, as (id, kind, ply, by, articles, squares, detail, position, details), with the meaning they have in
    /// AlertRaised.
    #[zbus(property)]
    fn alerts(&self) -> Vec<AlertValue> {
        self.hub.read(|state| {
            let Some(game) = state.games.get(&self.game) else { return Vec::new() };
            game.record.alerts.iter().map(|alert| values::alert(alert, &|at| game.wall_ms(at))).collect()
        })
    }

    /// Squares that do not work as they should, as (square, fault, detail), with the meaning they have in BoardFault.
    #[zbus(property)]
    fn faults(&self) -> Vec<(String, String, String)> {
        self.hub.read(|state| {
            let faults = state.games.get(&self.game).map(|game| game.record.faults.as_slice()).unwrap_or_default();
            faults.iter().map(|bad| (bad.square.to_string(), bad.fault.word().to_owned(), bad.detail.clone())).collect()
        })
    }

    /// An alert of this game in a language: en, zh-Hans or zh-Hant; any other BCP 47 or POSIX name of a language means the
    /// nearest of these, or English. The alert may be cleared by now. heading: of two to four words. sentence: what happened.
    /// required: what the Laws then require, in this order.
    /// Errors: NoAlert, JournalUnreadable.
    #[zbus(out_args("heading", "sentence", "required"))]
    fn describe(&self, id: u32, language: &str) -> Result<(String, String, Vec<String>), Error> {
        let locale = Locale::from_tag(language);
        let standing = self.hub.read(|state| {
            let alerts = &state.games.get(&self.game)?.record.alerts;
            alerts.iter().find(|alert| alert.id == id).map(|alert| values::described(alert, locale))
        });
        if let Some(described) = standing {
            return Ok(described);
        }
        let past = self.hub.since(self.game, 0)?.into_iter().find_map(|stamped| match stamped.event {
            Event::AlertRaised(alert) if alert.id == id => Some(values::described(&alert, locale)),
            _ => None,
        });
        past.ok_or_else(|| Error::NoAlert(format!("no alert {id} was raised in this game: property Alerts has their ids")))
    }

    /// What is counted of the players for the penalties of illegal moves, as (player, ply, what, time): white or black; the last
    /// ply on record then; what it was, as in Count, all of one attempt; when, in milliseconds since 1970-01-01 UTC.
    #[zbus(property)]
    fn irregularities(&self) -> Vec<(String, u32, Vec<String>, i64)> {
        self.hub.read(|state| {
            let Some(game) = state.games.get(&self.game) else { return Vec::new() };
            values::tally(&game.record.tally, &|at| game.wall_ms(at))
        })
    }

    /// The arbiter has paused the game.
    #[zbus(property)]
    fn paused(&self) -> bool {
        self.hub.read(|state| state.games.get(&self.game).is_some_and(|game| game.record.paused))
    }

    /// Sets the result: 1-0, 0-1, 1/2-1/2; * withdraws it and the game goes on.
    /// Errors: BadResult.
    async fn set_result(
        &self,
        result: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(arguments::result(result)?, &header, connection).await
    }

    /// Begins a new game from this position, given as FEN (X-FEN or Shredder-FEN for Chess960), whose counters go on. The game
    /// before it ends there as it stands, with the result it has. Where no game is on and the board was seen to be played on to this
    /// position, at move 1, those moves are the first of the game, which begins from where they began. Squares that show something else are in property Displaced of
    /// the board until it agrees.
    /// Errors: BadPosition.
    async fn set_position(
        &self,
        fen: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::Position(fen), &header, connection).await
    }

    /// Takes back so many plies, at least 1.
    /// Errors: TooManyPlies.
    async fn take_back(
        &self,
        plies: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::TakeBack(plies), &header, connection).await
    }

    /// Says what the pawn became that was promoted at this ply; 0: at the last promotion on record. piece: queen, rook, bishop,
    /// knight.
    /// Errors: NoPromotion, BadPiece.
    async fn set_promotion(
        &self,
        ply: u32,
        piece: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(arguments::promotion(ply, piece)?, &header, connection).await
    }

    /// Says that this player, white or black, adjusts pieces (Art. 4.2): what he touches next and puts back is no move.
    /// Errors: BadPlayer, GameOver.
    async fn adjust(
        &self,
        player: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::Adjust(arguments::player(player)?), &header, connection).await
    }

    /// The arbiter has seen the alert of this id: it stands no more, and AlertCleared tells so.
    /// Errors: NoAlert.
    async fn acknowledge(
        &self,
        alert: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::Acknowledge(alert), &header, connection).await
    }

    /// Puts back the position before this ply, from 1 to one more than there are (Art. 7.5.1, 7.4, 7.6): the moves from there on
    /// leave the record. Squares that still show something else are in property Displaced of the board until it agrees; then play
    /// goes on. allowed: the moves that the touched pieces oblige the player to move to, as UCI; empty: any legal move.
    /// Errors: NoPly.
    #[zbus(out_args("allowed"))]
    async fn restore(
        &self,
        ply: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<Vec<String>, Error> {
        match self.ask(Command::Restore { ply }, &header, connection).await? {
            Answer::Bound(allowed) => Ok(allowed),
            _ => Ok(Vec::new()),
        }
    }

    /// Lets the irregular move of this alert stand: the alert is gone, play goes on from that move, and it is never told as
    /// anything else, whatever is seen.
    /// Errors: NoAlert, NothingStands.
    async fn let_stand(
        &self,
        alert: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::LetStand(alert), &header, connection).await
    }

    /// Says that at this ply another move was played, a legal one, as UCI. The moves after it stay. Squares of the board that show
    /// something else are in its property Displaced until it agrees.
    /// Errors: NoPly, BadMove.
    async fn replace(
        &self,
        ply: u32,
        uci: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::Replace { ply, uci }, &header, connection).await
    }

    /// Says that before this ply, from 1 to one more than there are, a legal move is missing, as UCI. The moves after it stay.
    /// Squares of the board that show something else are in its property Displaced until it agrees.
    /// Errors: NoPly, BadMove.
    async fn insert(
        &self,
        ply: u32,
        uci: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::Insert { ply, uci }, &header, connection).await
    }

    /// Takes back the last command that changed the game, if play has not gone on from it; the last four can be taken back, one
    /// after the other. command and argument: which it was, as in Commanded. An alert that stands again has another id. Of a game
    /// that SetPosition began, and in which nothing was played, that: the game before it goes on, as another object that begins with
    /// its events, once its position stands on the board again.
    /// Errors: NothingToUndo, NotPutUp (the sentence names the squares), Paused.
    #[zbus(out_args("command", "argument"))]
    async fn undo(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(String, String), Error> {
        match self.ask(Command::Undo, &header, connection).await? {
            Answer::Undone(command) => {
                let (command, argument) = values::command_words(&command);
                Ok((command.to_owned(), argument))
            }
            _ => Ok((String::new(), String::new())),
        }
    }

    /// Counts this of a player, white or black, for the penalties of illegal moves (Art. 7.5.5), as of the last move on record.
    /// what: illegal_move, illegal_castling, pawn_left, press_without_move, two_hands, press_before_release, touch_broken,
    /// release_changed, castling_abandoned, promotion_changed, handled_off_turn, displaced, displaced_found, capture_unclear,
    /// wrong_start, orientation, reversed, illegal_position.
    /// Errors: BadPlayer, BadIrregularity.
    async fn count(
        &self,
        player: &str,
        what: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(arguments::count(player, what)?, &header, connection).await
    }

    /// Strikes what was last counted of a player, white or black, at this ply: it counts no more.
    /// Errors: BadPlayer, NotCounted.
    async fn strike(
        &self,
        player: &str,
        ply: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::Strike { player: arguments::player(player)?, ply }, &header, connection).await
    }

    /// Notes the times that the arbiter set on the clocks, in milliseconds, and why, in at most 500 characters: for the journal
    /// alone, the clock is not touched.
    /// Errors: LongNote.
    async fn note_clocks(
        &self,
        white: u32,
        black: u32,
        note: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::ClockNote { white_ms: white, black_ms: black, note }, &header, connection).await
    }

    /// Says by which Laws this game is played, where they are others than the event's: an edition, then rapid or blitz, then
    /// limited where not every game is watched and recorded, such as "fide-2023 blitz limited". What was told stays as it was.
    /// Errors: BadLaws.
    async fn set_laws(
        &self,
        laws: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(arguments::laws(laws)?, &header, connection).await
    }

    /// Gives PGN tags to this game besides those of the event, by name: White, Black, WhiteFideId, WhiteTitle, WhiteElo, WhiteTeam and
    /// so on. They take the place of those given before; what the game knows itself, its result and its clocks, stays as it is.
    /// Errors: BadTag.
    async fn set_tags(
        &self,
        tags: HashMap<String, String>,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(arguments::tags(tags)?, &header, connection).await
    }

    /// Pauses the game, or lets it go on. While it is paused the lever and the pieces may be handled freely: nothing is inferred
    /// and no alert raised. It goes on by itself when the clock is started.
    /// Errors: Paused, GameOver.
    async fn pause(
        &self,
        paused: bool,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.command(Command::Pause(paused), &header, connection).await
    }

    /// What a claim of a draw by this player, white or black, is worth (Art. 9.2, 9.3); nothing changes by it. claimed:
    /// repetition, fifty_moves. intended: the move that is written down and not played, as UCI; empty: the claim is about the
    /// position on the board. right: the game is drawn. sentence: why. occurrences: plies after which the position stood on the
    /// board, 0 for the start, the intended move's included. quiet: plies without a capture or a pawn's move, with it. required:
    /// what the Laws then require, as in AlertRaised; empty where the edition does not say. articles: of the edition in force,
    /// the most important first; empty where it is silent or its text is not at hand.
    /// Errors: BadPlayer, BadClaim, NoMove, GameOver.
    #[zbus(out_args("right", "sentence", "occurrences", "quiet", "required", "articles"))]
    async fn claim(
        &self,
        player: &str,
        claimed: &str,
        intended: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<VerdictValue, Error> {
        let command = arguments::claim(player, claimed, intended)?;
        Ok(values::verdict(&self.ask(command, &header, connection).await?))
    }

    /// The arbiter should look. id counts from 1 in each game; the id of an alert that stands: it is amended, and this takes its
    /// place. ply: which it concerns, 0 before the first move. by: white, black, or empty where that is not known. articles: of
    /// the edition in force, the most important first. squares: those it is about.
    /// detail: a sentence; Describe puts it into other languages. position: the one to restore, as FEN. details: notice (b: it
    /// may be nothing, since intent cannot be sensed), required (as: what the Laws then require, in this order), white and
    /// black (i: milliseconds on the clocks when that position was completed, -1 where not known), and where there is such:
    /// allowed (as: the moves that touched pieces allow, as UCI), count (u: which of the player's counted irregularities it is),
    /// evidence (a(xsss): what squares showed, as in MoveMade).
    ///
    /// kind, of positions: position_unexplained, wrong_start, orientation, displaced, displaced_found, capture_unclear,
    /// illegal_position; of moves: illegal_pending (the clock was not pressed on it), illegal_move, illegal_stands,
    /// moves_uncertain; of the clock: press_without_move, press_before_release, flag_fall; notices of what was touched:
    /// touch_move, touch_capture, possible_touch, release_changed, promotion_changed, handled_off_turn; of the end:
    /// result_signalled, result_wanted, dead_position, five_fold, seventy_five, played_after_end; of the devices: board_silent,
    /// link_lost, clock_stopped, clock_set, clock_lost, clock_battery, board_battery.
    ///
    /// required: restore, touch_binds, release_binds, complete, queen, take_increment, add and seconds for the opponent, halve and at most how
    /// many seconds and how many are left at least, wins, loses, await_search (loses, or draw where the opponent cannot mate: that
    /// is being searched), loses_or_draw (the same, and the search left it undecided), draw, stands, play_intended, new_game,
    /// transfer, no_castling, own_time, put_right, may_penalise, go_on, free, on_claim, no_signal, rule_first, go_on_or_draw, wait,
    /// arbiter_decides, ask_result.
    #[zbus(signal)]
    async fn alert_raised(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        id: u32,
        kind: &str,
        ply: u32,
        by: &str,
        articles: Vec<String>,
        squares: Vec<String>,
        detail: &str,
        position: &str,
        details: Details,
    ) -> zbus::Result<()>;

    /// The reason for an alert is gone.
    #[zbus(signal)]
    async fn alert_cleared(emitter: &SignalEmitter<'_>, number: u64, time: i64, id: u32) -> zbus::Result<()>;

    /// A square of the board does not work as it should, or works again, and what it shows is discounted meanwhile. fault: stuck
    /// (it shows the same whatever happens there), flickering (it comes and goes with nobody touching it), mended. detail: a
    /// sentence.
    #[zbus(signal)]
    async fn board_fault(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        square: &str,
        fault: &str,
        detail: &str,
    ) -> zbus::Result<()>;

    /// Somebody commanded something, and it was done. command and argument: result and the result; position and the FEN;
    /// take_back and the number of plies; promotion and the piece, with "at ply" and the ply if one was named; adjust and the
    /// player; acknowledge and the id of the alert; restore and the ply; let_stand and the id of the alert; replace, the
    /// move, "at ply" and the ply; insert, the move, "before ply" and the ply; undo and nothing; count, the player
    /// and what; strike, the player, "at ply" and the ply; clock_note, White's and Black's milliseconds and the note; pause, on or
    /// off; laws, and which; claim, the player, what he claims, "with" and the intended move if there is one. by: who, as far as the bus knows.
    #[zbus(signal)]
    async fn commanded(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        command: &str,
        argument: &str,
        by: &str,
    ) -> zbus::Result<()>;
}
