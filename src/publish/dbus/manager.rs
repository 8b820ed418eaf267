//! `org.touchmove1.Manager`.

use super::{Error, Stream, polkit};
use crate::daemon::hub::{BluetoothOrder, BoardId, is_health_kind_for};
use crate::daemon::rounds::boards_at_tables;
use crate::daemon::{Hub, steady_clock};
use crate::game::rights::Right;
use crate::locale::Locale;
use crate::names::API_VERSION;
use crate::publish::desk::{self, DeskReport, ExportFormat};
use crate::publish::render::bluetooth::BluetoothReport;
use crate::publish::render::machines::MachineReport;
use crate::wire::Word;
use std::sync::Arc;
use zbus::message::Header;
use zbus::{Connection, interface};

/// The D-Bus object of the service as a whole.
pub(super) struct ManagerObject {
    /// The hub to read from.
    pub hub: Arc<Hub>,
    /// The stream on which the object is.
    pub stream: Stream,
}

/// The service as a whole. Boards and games are found through org.freedesktop.DBus.ObjectManager on the same object.
/// Since API version 1.
#[interface(name = "org.touchmove1.Manager")]
impl ManagerObject {
    /// Version of the program, e.g. 0.1.0.
    #[zbus(property(emits_changed_signal = "const"))]
    fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    /// Version of these interfaces. It counts up with each incompatible change; what is only added does not count.
    #[zbus(property(emits_changed_signal = "const"))]
    fn api_version(&self) -> u32 {
        API_VERSION
    }

    /// Current problems of the service, as (kind, sentence). Kinds: journal_full (moves are held back, none is lost, until there is
    /// room), journal_last_room (the disk is full, and moves are written to the space reserved for the last ones), journal_failed
    /// (as journal_full, for another reason), journal_damaged (published events are missing or changed, or a file of the journal is
    /// damaged), game_unreadable, recordings_stopped, recording_paused (a board sends more than is recorded), unrecorded (a board
    /// shows play, and there is no game), no_boards (on a line that carries many), files_failed (the games as files are held back),
    /// publish_static_failed (the public page as files),
    /// metrics_failed, lichess_failed (games do not reach Lichess), lichess_refused (Lichess does not accept a game), hook_failed,
    /// webhook_failed, web_failed (the page cannot be served), settings_ignored (settings.toml in the state directory is not used),
    /// and those of halls: hall_setup, hall_away, hall_refuses, hall_conflict, hall_copy, hall_version, hall_server, hall_games,
    /// hall_storage, hall_role. The sentence says what to do.
    #[zbus(property)]
    fn problems(&self) -> Vec<(String, String)> {
        self.hub.read(|state| {
            let mut problems = Vec::new();
            let audience = self.stream.audience();
            for problem in state.health_problems.iter().filter(|problem| is_health_kind_for(problem.kind, audience)) {
                let problem = (problem.kind.to_owned(), problem.sentence.clone());
                // Boards with the same problem report it once.
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            problems
        })
    }

    /// The incarnation of the journal, as a UUID. While it stays the same, each event keeps its game, its number and its content,
    /// so a client can continue with Since. Each game has this property, too. A new incarnation begins after events were found
    /// missing or changed, after the journal was replaced by a backup, and with a new journal: LastGood says what is still valid.
    #[zbus(property)]
    fn incarnation(&self) -> String {
        self.hub.incarnation().id
    }

    /// Games that are only partly left in the journal, as (game, number of the last good event; 0: none), over all incarnations. No
    /// more events are added to them; play continues as another game. A game that is neither here nor in the journal is lost as a
    /// whole. A number is never reused for another event.
    #[zbus(property)]
    fn last_good(&self) -> Vec<(u64, u64)> {
        self.hub.incarnation().last_good
    }

    /// Devices that are plugged in, may be boards, and are not used, as (device, reason). The reason says what to do.
    #[zbus(property)]
    fn unused(&self) -> Vec<(String, String)> {
        self.hub.read(|state| state.unused.iter().map(|device| (device.device.clone(), device.reason.clone())).collect())
    }

    /// The round that is played, as JSON (docs/round.md); empty where none was loaded.
    #[zbus(property)]
    fn round(&self) -> String {
        self.hub.read(|state| state.desk.round().and_then(|round| serde_json::to_string(round).ok()).unwrap_or_default())
    }

    /// The board at each playing table, as (table, board, game): board is empty where there is none, game is 0 where none has
    /// begun.
    #[zbus(property(emits_changed_signal = "invalidates"))]
    fn tables(&self) -> Vec<(u16, String, u64)> {
        self.hub.read(|state| {
            let row = |(table, board): (u16, Option<BoardId>)| {
                let game = board.as_ref().and_then(|id| state.boards.get(id)?.game).unwrap_or(0);
                (table, board.map_or_else(String::new, |id| id.to_string()), game)
            };
            boards_at_tables(state).into_iter().map(row).collect()
        })
    }

    /// The search for boards over Bluetooth, and what it has found, as a JSON object with English sentences (docs/web.md): state (idle,
    /// scanning, identifying), devices (address, name, rssi, and the board that each may be, with the reason).
    #[zbus(property(emits_changed_signal = "invalidates"))]
    fn bluetooth(&self) -> String {
        self.describe_bluetooth("en")
    }

    /// Returns property Bluetooth with sentences in a language, given by its BCP 47 or POSIX name.
    fn describe_bluetooth(&self, language: &str) -> String {
        BluetoothReport::new(&self.hub.bluetooth(), Locale::from_tag(language)).to_json()
    }

    /// Looks for boards over Bluetooth: listens for 30 seconds to what devices advertise, connects to no device, and writes nothing to any.
    /// A search that goes on is prolonged. Property Bluetooth has what is found.
    /// Errors: NoBluetooth (the sentence says why, and what to do), Identifying, NotAllowed (polkit refused), Stopping.
    async fn scan_bluetooth(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.order_bluetooth(BluetoothOrder::Scan, &header, connection).await
    }

    /// Ends the search for boards over Bluetooth. What it has found stays in property Bluetooth.
    /// Errors: NotAllowed (polkit refused), Stopping.
    async fn stop_bluetooth_scan(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.order_bluetooth(BluetoothOrder::Stop, &header, connection).await
    }

    /// Asks a device that the last search has found which board it is, if only its name says so: connects to it, and sends one request
    /// that harms the boards of no maker. Ends the search. Returns at once; property Bluetooth has the answer, after up to a minute.
    /// Errors: BadAddress, NotSeen (the last search has not found it), NoCandidate (what it advertises suits no model), NotNeeded (what it
    /// advertises is enough), NoHandshake (any request could harm the board of another maker), Configured (it is used already),
    /// Identifying (a device is being asked), NotAllowed (polkit refused), Stopping.
    async fn identify_bluetooth(
        &self,
        address: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        self.order_bluetooth(BluetoothOrder::Identify(address.to_owned()), &header, connection).await
    }

    /// The desk as JSON (docs/round.md): seats, rounds, the pairings of this round with the state, the games and the result of each
    /// table, and the results that are missing. Round 0: the one that is played.
    fn desk(&self, round: u16) -> String {
        let number = Some(round).filter(|round| *round > 0);
        let report = self.hub.read(|state| DeskReport::new(state, number));
        serde_json::to_string(&report).unwrap_or_default()
    }

    /// The machines of the hall as JSON (docs/web.md), late ones first: a list, which is empty unless this is the hub of a hall.
    /// They change every few seconds, and changes are not signalled.
    fn machines(&self) -> String {
        let machines = self.hub.read(|state| MachineReport::all(state, steady_clock::now_ms()));
        serde_json::to_string(&machines).unwrap_or_default()
    }

    /// Exports a round: trf (all rounds), csv, pgn (its games), log (the arbiter's log) or html (the same to print). Round 0: the one
    /// that is played.
    /// Errors: BadOption, NoRound, NotAllowed (log and html are for the arbiter), JournalUnreadable, Stopping.
    async fn export(&self, format: &str, round: u16) -> Result<String, Error> {
        let format = ExportFormat::from_word(format)
            .ok_or_else(|| Error::BadOption(format!("\"{format}\" cannot be exported: use trf, csv, pgn, log or html")))?;
        self.stream.check_audience(format.audience())?;
        let (hub, number, reader) = (Arc::clone(&self.hub), Some(round).filter(|round| *round > 0), self.stream.pgn_reader());
        let work = move || desk::export(&hub, format, number, reader, Locale::English);
        let exported = tokio::task::spawn_blocking(work).await.map_err(|error| Error::Stopping(error.to_string()))?;
        Ok(exported?)
    }

    /// Carries out an act at the desk, as JSON (docs/round.md): seats, rounds, pairings, results. It is checked as a whole before
    /// anything changes, and kept in the journal with the caller. Seats and pairings change by these acts only.
    /// Errors: BadAct, NoRound, NoTable, NoSuchBoard, BadRound, BadResult, Changed, NotAllowed, JournalFull.
    async fn change_desk(
        &self,
        act: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        let by = polkit::authorize(Right::Desk, self.stream, &header, connection).await?;
        let act = desk::parse_act(act)?;
        Ok(desk::carry_out(&self.hub, act, &by).await?)
    }

    /// Moves the game on board from to board to, which must already show its position in either orientation. The record, the clock
    /// times and the obligations of the players are kept. The game gets a new number and begins with the events of the old one.
    /// Board to is then seated at the table of board from, which is free. What board from shows afterwards belongs to no game.
    /// Errors: NoSuchBoard, NoGame, BoardInUse, NotPutUp (the sentence names the squares), NotAllowed, JournalUnreadable,
    /// Stopping.
    async fn exchange_board(
        &self,
        from: &str,
        to: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        let by = polkit::authorize(Right::Desk, self.stream, &header, connection).await?;
        Ok(self.hub.continue_game(&BoardId::new(from), &BoardId::new(to), &by).await?)
    }
}

impl ManagerObject {
    async fn order_bluetooth(&self, order: BluetoothOrder, header: &Header<'_>, connection: &Connection) -> Result<(), Error> {
        let by = polkit::authorize(Right::Boards, self.stream, header, connection).await?;
        Ok(self.hub.order_bluetooth(order, &by).await?)
    }
}
