//! `org.touchmove1.Operator`, on games of the live name and of the operator's.
#![allow(clippy::too_many_arguments)] // signals have as many arguments as the event has fields

use super::answers;
use super::controlled_game::ControlledGame;
use super::values::{self, AlertValue, DetailMap};
use super::{Error, arguments, authorize_order};
use crate::daemon::hub::{Seen, Target};
use crate::game::rights::Audience;
use crate::game::{Command, Order};
use crate::locale::Locale;
use crate::publish::outcome::answer_to_json;
use crate::wire::Word;
use std::collections::HashMap;
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::{Connection, interface};

/// The operator's interface of a game.
pub(super) struct OperatorObject(pub ControlledGame);

/// What an operator can see and do, on the game's object. Signals are numbered together with those of org.touchmove1.Game; on the
/// name org.touchmove1.Operator, numbers of events that are for the arbiter alone are left out. Every method returns once its
/// effects are in the journal. Besides the errors named, every method may fail with NotCurrent (another game is on the board),
/// NoSuchGame, NoGame, NotAllowed (polkit refused), JournalFull or Stopping.
/// Since API version 1.
#[interface(name = "org.touchmove1.Operator")]
impl OperatorObject {
    /// Open alerts that operators are told of, about devices and about moves or results that are missing, as in property Alerts of
    /// org.touchmove1.Arbiter.
    #[zbus(property)]
    fn to_do(&self) -> Vec<AlertValue> {
        self.0.alerts(Audience::Operator)
    }

    /// Squares that do not work correctly, as (square, fault, detail), with the same meaning as in BoardFault.
    #[zbus(property)]
    fn faults(&self) -> Vec<(String, String, String)> {
        self.0.read(|game| {
            let faults = game.record.faults.iter();
            faults.map(|fault| (fault.square.to_string(), fault.fault.word().to_owned(), fault.detail.clone())).collect()
        })
    }

    /// Describes an alert of this game in a language, given by its BCP 47 or POSIX name: in the nearest one that touchmove has,
    /// or in English. The alert may already be cleared. heading: two to four words. sentence: what happened.
    /// required: what the Laws then require, in this order.
    /// Errors: NoAlert, JournalUnreadable.
    #[zbus(out_args("heading", "sentence", "required"))]
    fn describe(&self, id: u32, language: &str) -> Result<(String, String, Vec<String>), Error> {
        Ok(values::describe_alert(&self.0.alert(id)?, Locale::from_tag(language)))
    }

    /// Sets the result: 1-0, 0-1 or 1/2-1/2; * withdraws the result, and the game goes on.
    /// Errors: BadResult.
    async fn set_result(
        &self,
        result: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(arguments::parse_result(result)?, &header, connection).await
    }

    /// Replaces the move at this ply with another legal move, given as UCI. Later moves stay. Squares of the board that differ are
    /// listed in its property Displaced until the board agrees.
    /// Errors: NoPly, BadMove.
    async fn replace(
        &self,
        ply: u32,
        uci: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Replace { ply, uci }, &header, connection).await
    }

    /// Inserts a missing legal move, given as UCI, before this ply, from 1 to one more than the game has. Later moves stay. Squares
    /// of the board that differ are listed in its property Displaced until the board agrees.
    /// Errors: NoPly, BadMove.
    async fn insert(
        &self,
        ply: u32,
        uci: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Insert { ply, uci }, &header, connection).await
    }

    /// Replaces the moves on record by those that this alert proposes; the alert is cleared.
    /// Errors: NoAlert, NoProposal.
    async fn adopt(
        &self,
        alert: u32,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(Command::Adopt { alert }, &header, connection).await
    }

    /// Sets the piece to which the pawn was promoted at this ply; 0: the last promotion on record. piece: queen, rook, bishop or
    /// knight.
    /// Errors: NoPromotion, BadPiece.
    async fn set_promotion(
        &self,
        ply: u32,
        piece: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(arguments::parse_promotion(ply, piece)?, &header, connection).await
    }

    /// Sets PGN tags of this game besides those of the event, by name: White, Black, WhiteFideId, WhiteTitle, WhiteElo, WhiteTeam
    /// and so on. They replace tags set earlier. Values that the game determines itself, such as result and clocks, are kept.
    /// Errors: BadTag.
    async fn set_tags(
        &self,
        tags: HashMap<String, String>,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.0.command(arguments::parse_tags(tags)?, &header, connection).await
    }

    /// Describes what a command would do now; nothing changes. command: its JSON form, as in docs/events.md. language: as in
    /// Describe. number: the game's last event; give it to Execute. lines: a sentence for each effect. action: the words of a button
    /// that executes the command. details: before, after (s: the last position now and afterwards, as FEN), removed, added (s: the
    /// moves that leave the record, and those that come on record in their place), removes (b: something that was played leaves the
    /// record, or the game goes no further), asks (b: a person should be asked before it is executed), plies_since_alert (u: plies
    /// played since the alert that the command answers was raised), white, black (i: milliseconds on the clocks when the position
    /// afterwards was completed, -1 where unknown).
    /// Errors: BadCommand, and those of the command.
    #[zbus(out_args("number", "lines", "action", "details"))]
    async fn preview(&self, command: &str, language: &str) -> Result<(u64, Vec<String>, String, DetailMap), Error> {
        let order = Order { command: arguments::parse_command(command)?, by: String::new() };
        self.0.stream.check_right(order.command.spec().right)?;
        let answer = self.0.hub.preview(Target::Game(self.0.game), order, self.0.stream.audience()).await?;
        Ok(answers::preview_value(&answer, Locale::from_tag(language)))
    }

    /// Executes a command as its own method does, but only if nothing has happened in the game after event seen that its caller
    /// must know: no move, correction, alert about the game, ruling or result. command: its JSON form, as in docs/events.md. seen:
    /// the number of the last event that the caller has seen; 0: whatever has happened. answer: as in the response to POST
    /// /api/command, as JSON.
    /// Errors: Changed (the sentence says what has happened), BadCommand, and those of the command.
    #[zbus(out_args("answer"))]
    async fn execute(
        &self,
        command: &str,
        seen: u64,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<String, Error> {
        let order = authorize_order(arguments::parse_command(command)?, self.0.stream, &header, connection).await?;
        let seen = Some(seen).filter(|seen| *seen > 0).map(|number| Seen { number, audience: self.0.stream.audience() });
        let answer = self.0.hub.execute_seen(Target::Game(self.0.game), order, seen).await?;
        Ok(answer_to_json(Locale::English, &answer).0.to_string())
    }

    /// A square of the board is faulty, or works again. What a faulty square shows is ignored meanwhile. fault: stuck (it always
    /// shows the same), flickering (it changes although nobody touches it), mended. detail: a sentence.
    #[zbus(signal)]
    async fn board_fault(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        square: &str,
        fault: &str,
        detail: &str,
    ) -> zbus::Result<()>;
}
