//! `org.touchmove1.Arbiter`, on games of the live name only.
#![allow(clippy::too_many_arguments)] // signals have as many arguments as the event has fields

use super::answers::{self, VerdictValue};
use super::controlled_game::ControlledGame;
use super::values::{self, AlertValue, DetailMap};
use super::{Error, arguments};
use crate::game::Command;
use crate::game::rights::Audience;
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::{Connection, interface};

/// The arbiter's interface of a game.
pub(super) struct ArbiterObject(pub ControlledGame);

/// What the arbiter of a game can see and do besides the operator (org.touchmove1.Operator), on the game's object. Signals are
/// numbered together with those of org.touchmove1.Game. Every method returns once its effects are in the journal. Besides the
/// errors named, every method may fail with NotCurrent (another game is on the board), NoSuchGame, NoGame, NotAllowed (polkit
/// refused), JournalFull or Stopping.
/// Since API version 1.
#[interface(name = "org.touchmove1.Arbiter")]
impl ArbiterObject {
    /// Open alerts, as (id, kind, ply, by, articles, squares, detail, position, details), with the same meaning as in AlertRaised.
    #[zbus(property)]
    fn alerts(&self) -> Vec<AlertValue> {
        self.0.alerts(Audience::Arbiter)
    }

    /// Irregularities counted for the penalties of illegal moves, as (player, ply, what, time). player: white or black. ply: the
    /// last ply on record at that moment. what: as in Count, all irregularities of one attempt. time: in milliseconds since
    /// 1970-01-01 UTC.
    #[zbus(property)]
    fn irregularities(&self) -> Vec<(String, u32, Vec<String>, i64)> {
        self.0.read(|game| values::tally_value(&game.record.tally, &|at| game.wall_ms(at)))
    }

    /// Whether the arbiter has paused the game.
    #[zbus(property)]
    fn paused(&self) -> bool {
        self.0.read(|game| game.record.paused)
    }

    /// Begins a new game from this position, given as FEN (X-FEN or Shredder-FEN for Chess960); the FEN's counters are kept. The
    /// previous game ends as it is, with the result it has. If no game is in progress and the board was seen to be played to this
    /// position, at move 1, those moves become the first moves of the new game, which then begins from their start position.
    /// Squares that differ are listed in the board's property Displaced until the board agrees.
    /// Errors: BadPosition.
    async fn set_position(
        &self,
        fen: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Position { fen }, &header, connection).await
    }

    /// Takes back this number of plies, at least 1.
    /// Errors: TooManyPlies.
    async fn take_back(
        &self,
        plies: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::TakeBack { plies }, &header, connection).await
    }

    /// Declares that this player, white or black, is adjusting pieces (Art. 4.2): pieces that the player touches next and returns
    /// to their squares do not count as a move.
    /// Errors: BadPlayer, GameOver.
    async fn adjust(
        &self,
        player: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Adjust { player: arguments::parse_player(player)? }, &header, connection).await
    }

    /// Acknowledges the alert with this id: the alert is cleared, and AlertCleared is sent.
    /// Errors: NoAlert.
    async fn acknowledge(
        &self,
        alert: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Acknowledge { alert }, &header, connection).await
    }

    /// Restores the position before this ply, from 1 to one more than the game has (Art. 7.5.1, 7.4, 7.6): the moves from there on
    /// leave the record. Squares that still differ are listed in the board's property Displaced until the board agrees; then play
    /// goes on. allowed: the moves to which the touched pieces bind the player, as UCI; empty: any legal move.
    /// Errors: NoPly.
    #[zbus(out_args("allowed"))]
    async fn restore(
        &self,
        ply: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<Vec<String>, Error> {
        Ok(answers::allowed_value(self.0.send_command(Command::Restore { ply }, &header, connection).await?))
    }

    /// Lets the irregular move of this alert stand: the alert is cleared, play goes on from that move, and later evidence never
    /// corrects it.
    /// Errors: NoAlert, NoIrregularMove.
    async fn let_stand(
        &self,
        alert: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::LetStand { alert }, &header, connection).await
    }

    /// Undoes the last command that changed the game; up to four commands can be undone, one after the other. What was played since
    /// stays: the game goes on as if the command had not been given. If that is not known, because touchmoved was restarted since
    /// or the players went on from the position that the command set, NothingToUndo says so. command and argument: the command
    /// undone, as in Commanded. An alert that is raised again gets a new id. If SetPosition began the game, that command is undone:
    /// the previous game goes on, as a new object that begins with the events of the old one, once the board shows its position,
    /// or the one that was reached from it since.
    /// Errors: NothingToUndo, NotPutUp (the sentence names the squares), Paused.
    #[zbus(out_args("command", "argument"))]
    async fn undo(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(String, String), Error> {
        Ok(answers::undone_value(&self.0.send_command(Command::Undo {}, &header, connection).await?))
    }

    /// Counts an irregularity of a player, white or black, for the penalties of illegal moves (Art. 7.5.5), at the last move on
    /// record. what: illegal_move, illegal_castling, pawn_left, press_without_move, two_hands, press_before_release, touch_broken,
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
        self.0.command(arguments::parse_count(player, what)?, &header, connection).await
    }

    /// Removes what was last counted against a player, white or black, at this ply.
    /// Errors: BadPlayer, NotCounted.
    async fn strike(
        &self,
        player: &str,
        ply: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Strike { player: arguments::parse_player(player)?, ply }, &header, connection).await
    }

    /// Notes the times that the arbiter set on the clocks, in milliseconds, and the reason, in at most 500 characters. The note is
    /// only for the journal: the clock is not changed.
    /// Errors: LongNote.
    async fn note_clocks(
        &self,
        white: u32,
        black: u32,
        note: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::ClockNote { white_ms: white, black_ms: black, note }, &header, connection).await
    }

    /// Sets the Laws of this game, where they differ from the event's: an edition, then rapid or blitz, then limited where not
    /// every game is supervised and recorded, such as "fide-2023 blitz limited". Events already published do not change.
    /// Errors: BadLaws.
    async fn set_laws(
        &self,
        laws: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(arguments::parse_laws(laws)?, &header, connection).await
    }

    /// Pauses or resumes the game. While it is paused, clock lever and pieces may be handled freely: nothing is inferred and no
    /// alert is raised. Starting the clock resumes the game.
    /// Errors: Paused, GameOver.
    async fn pause(
        &self,
        paused: bool,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Pause { paused }, &header, connection).await
    }

    /// Checks a claim of a draw by this player, white or black (Art. 9.2, 9.3), without changing anything. claimed: repetition,
    /// fifty_moves. intended: the move that the player wrote down but did not play, as UCI; empty: the claim is about the position
    /// on the board. correct: whether the game is drawn. sentence: why. occurrences: plies after which the position occurred, 0 for
    /// the start, including the intended move. plies_without_progress: plies without a capture or pawn move, including the intended
    /// move. required: what the Laws then require, as in AlertRaised; empty where the edition does not say. articles: of the edition
    /// in force, the most important first; empty where the edition is silent or its text is not available.
    /// Errors: BadPlayer, BadClaim, NoMove, GameOver.
    #[zbus(out_args("correct", "sentence", "occurrences", "plies_without_progress", "required", "articles"))]
    async fn claim(
        &self,
        player: &str,
        claimed: &str,
        intended: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<VerdictValue, Error> {
        let command = arguments::parse_claim(player, claimed, intended)?;
        Ok(answers::verdict_value(&self.0.send_command(command, &header, connection).await?))
    }

    /// Alerts the arbiter. id counts from 1 in each game; an alert with the id of an open alert replaces it. ply: the ply
    /// concerned, 0 before the first move. by: white, black, or empty where unknown. articles: of the edition in force, the most
    /// important first. squares: the squares concerned. detail: a sentence; Describe returns it in other languages. position: the
    /// position to restore, as FEN. details: notice (b: possibly no irregularity, since intent cannot be sensed), required (as:
    /// what the Laws then require, in this order), white and black (i: milliseconds on the clocks when that position was completed,
    /// -1 where unknown), and where applicable allowed (as: the moves that touched pieces allow, as UCI), count (u: which of the
    /// player's counted irregularities this is), put_right (s: the legal move, in SAN, that the player completed after they had taken
    /// the illegal one back themselves), proposed (as: the moves, as UCI, that Adopt puts on record from that ply on), evidence (a(xsss): what squares showed, as in MoveMade), and of touched pieces evidence_kind
    /// (s: lift where the pieces left their squares, touch where the board only sensed a hand on them; it does not know whose) and
    /// touches (a(xxs): the hands that the board sensed in that turn, each with its beginning and end, in Unix milliseconds, and the
    /// square).
    ///
    /// kind, by matter: play: illegal_pending, illegal_move, illegal_stands, illegal_position, press_without_move,
    /// press_before_release; board: position_unexplained, wrong_start, orientation, moves_uncertain, correction_proposed,
    /// displaced, displaced_found, capture_unclear; touch: touch_move, touch_capture, possible_touch, release_changed,
    /// promotion_changed, handled_off_turn; end: result_signalled, result_wanted, result_missing, dead_position, five_fold,
    /// seventy_five, flag_fall, played_after_end; device: board_silent, link_lost, clock_stopped, clock_set, clock_lost,
    /// clock_battery, board_battery.
    ///
    /// required: restore, touch_binds, release_binds, complete, queen, take_increment, add and seconds for the opponent, halve with
    /// the maximum deduction and the minimum remaining time in seconds, wins, loses, await_search (loses, or draw where the
    /// opponent cannot mate: a search is running), loses_or_draw (the same, and the search was inconclusive), draw, stands,
    /// play_intended, new_game, transfer, no_castling, own_time, put_right, may_penalise, go_on, free, on_claim, no_signal,
    /// rule_first, go_on_or_draw, wait, arbiter_decides, ask_result.
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
        details: DetailMap,
    ) -> zbus::Result<()>;

    /// An alert was cleared because its reason is gone or the arbiter acknowledged it.
    #[zbus(signal)]
    async fn alert_cleared(emitter: &SignalEmitter<'_>, number: u64, time: i64, id: u32) -> zbus::Result<()>;

    /// A command was carried out. command and argument: result and the result; position and the FEN; take_back and the number of
    /// plies; promotion and the piece, with "at ply" and the ply if one was named; adjust and the player; acknowledge and the
    /// alert's id; restore and the ply; let_stand and the alert's id; adopt and the alert's id; replace, the move, "at ply" and the ply; insert, the move,
    /// "before ply" and the ply; undo and an empty argument; count, the player and what; strike, the player, "at ply" and the ply;
    /// clock_note, White's and Black's milliseconds and the note; pause, on or off; laws and the Laws; claim, the player, the
    /// claim, "with" and the intended move if there is one. by: who gave the command, as far as the bus knows.
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
