//! `org.touchmove1.Arbiter`, on games of the live name only.
#![allow(clippy::too_many_arguments)] // signals have as many arguments as the event has fields

use super::{Error, caller};
use crate::daemon::Hub;
use crate::daemon::hub::Target;
use crate::game::{Command, GameResult, Order};
use crate::wire::Word;
use shakmaty::{Color, Role};
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

/// `(id, kind, ply, by, article, squares, detail, position)`.
type Alert = (u32, String, u32, String, String, Vec<String>, String, String);

impl Arbiter {
    async fn command(&self, command: Command, header: &Header<'_>, connection: &Connection) -> Result<(), Error> {
        let order = Order { command, by: caller(header, connection).await };
        Ok(self.hub.command(Target::Game(self.game), order).await?)
    }
}

/// What the arbiter of a game sees and does, on the game's object. Signals are numbered together with those of
/// org.touchmove1.Game. Every method returns when what came of it is in the journal, and may fail with NotCurrent (another game
/// is on the board), NoSuchGame, NoGame, JournalFull or Stopping besides the errors named.
/// Since API version 1.
#[interface(name = "org.touchmove1.Arbiter")]
impl Arbiter {
    /// Alerts that stand, as (id, kind, ply, by, article, squares, detail, position), with the meaning they have in AlertRaised.
    #[zbus(property)]
    fn alerts(&self) -> Vec<Alert> {
        self.hub.read(|state| {
            let alerts = state.games.get(&self.game).map(|game| game.record.alerts.as_slice()).unwrap_or_default();
            alerts
                .iter()
                .map(|alert| {
                    (
                        alert.id,
                        alert.kind.word().to_owned(),
                        alert.ply,
                        alert.by.map_or("", Color::word).to_owned(),
                        alert.article.clone().unwrap_or_default(),
                        alert.squares.iter().map(ToString::to_string).collect(),
                        alert.detail.clone(),
                        alert.position.clone(),
                    )
                })
                .collect()
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

    /// Sets the result: 1-0, 0-1, 1/2-1/2; * withdraws it and the game goes on.
    /// Errors: BadResult.
    async fn set_result(
        &self,
        result: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        let result = match (GameResult::parse(result), result) {
            (None, "*") => None,
            (Some(result), _) => Some(result),
            (None, other) => {
                let sentence = format!("\"{other}\" is not a result: give 1-0, 0-1, 1/2-1/2, or * to withdraw it");
                return Err(Error::BadResult(sentence));
            }
        };
        self.command(Command::Result(result), &header, connection).await
    }

    /// Begins a new game from this position, given as FEN (X-FEN or Shredder-FEN for Chess960), whose counters go on. The game
    /// before it ends there as it stands, with the result it has. Squares that show something else are in property Displaced of
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
        let role = Role::from_word(piece).ok_or_else(|| {
            Error::BadPiece(format!("\"{piece}\" is nothing that a pawn becomes: give queen, rook, bishop or knight"))
        })?;
        self.command(Command::Promotion { ply: Some(ply).filter(|ply| *ply > 0), role }, &header, connection).await
    }

    /// Says that this player, white or black, adjusts pieces (Art. 4.2): what he touches next and puts back is no move.
    /// Errors: BadPlayer, GameOver.
    async fn adjust(
        &self,
        player: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        let player = Color::from_word(player)
            .ok_or_else(|| Error::BadPlayer(format!("\"{player}\" is no player: give white or black")))?;
        self.command(Command::Adjust(player), &header, connection).await
    }

    /// The arbiter should look. id counts from 1 in each game. kind: position_unexplained, wrong_start,
    /// result_signalled, moves_uncertain, result_wanted. ply: which it concerns,
    /// 0 before the first move. by: white, black, or empty where that is not known. article: of the Laws, e.g. 7.4; empty where
    /// none applies. squares: those that differ from what should be there. detail: a sentence. position: the one that was
    /// certainly right, as FEN.
    #[zbus(signal)]
    async fn alert_raised(
        emitter: &SignalEmitter<'_>,
        number: u64,
        time: i64,
        id: u32,
        kind: &str,
        ply: u32,
        by: &str,
        article: &str,
        squares: Vec<String>,
        detail: &str,
        position: &str,
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
    /// player. by: who, as far as the bus knows.
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
