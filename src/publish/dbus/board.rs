//! `org.touchmove1.Board` and `org.touchmove1.Clock`.

use super::polkit;
use super::values;
use super::{Error, Stream, authorize_order, caller};
use crate::daemon::Hub;
use crate::daemon::hub::{BoardId, BoardView, ClockView, Target, TestOrder, WiringTestView};
use crate::game::rights::Right;
use crate::game::{ClockTime, Command};
use crate::locale::Locale;
use crate::names::game_path;
use crate::publish::render::wiring_test::WiringTestReport;
use crate::wire::Word;
use crate::wiring_test::{EndReason, Step};
use std::sync::Arc;
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::{Connection, ObjectPath, OwnedObjectPath, interface};

/// The D-Bus object of a board.
pub(super) struct BoardObject {
    /// The hub to read from.
    pub hub: Arc<Hub>,
    /// The board's id.
    pub id: BoardId,
    /// The stream on which the object is.
    pub stream: Stream,
}

impl BoardObject {
    fn read<T: Default>(&self, read: impl FnOnce(&BoardView) -> T) -> T {
        self.hub.read(|state| state.boards.get(&self.id).map(read)).unwrap_or_default()
    }
}

/// A chessboard, connected or expected.
/// Since API version 1.
#[interface(name = "org.touchmove1.Board")]
impl BoardObject {
    /// The board's name, which is also the last part of the object path and never changes: as configured, else the model and the
    /// port by which the board is found, e.g. dgt_ttyUSB0. ASCII letters, digits and underscores.
    #[zbus(property(emits_changed_signal = "const"))]
    fn id(&self) -> String {
        self.id.to_string()
    }

    /// The board family, as in the configuration, e.g. dgt.
    #[zbus(property(emits_changed_signal = "const"))]
    fn model(&self) -> String {
        self.read(|board| board.model.name.to_owned())
    }

    /// The human-readable name of the board family.
    #[zbus(property(emits_changed_signal = "const"))]
    fn model_title(&self) -> String {
        self.read(|board| board.model.title.to_owned())
    }

    /// The serial number as the maker prints it; empty until the board has reported it.
    #[zbus(property)]
    fn serial_number(&self) -> String {
        self.read(|board| board.serial_number.clone().unwrap_or_default())
    }

    /// The version of the board's firmware, e.g. 3.10; empty until the board has reported it.
    #[zbus(property)]
    fn firmware(&self) -> String {
        self.read(|board| board.firmware.clone().unwrap_or_default())
    }

    /// The path of the port, e.g. /dev/ttyUSB0.
    #[zbus(property)]
    fn port(&self) -> String {
        self.read(|board| board.port.clone())
    }

    /// connecting (the port is open, the board has been greeted), ready (its squares are known), silent (it does not answer),
    /// unplugged (there is no port), refused (the port may not be opened).
    #[zbus(property)]
    fn state(&self) -> String {
        self.read(|board| board.connection.word().to_owned())
    }

    /// The reason for this state, as a sentence that says what to do; empty if nothing needs to be done.
    #[zbus(property)]
    fn state_reason(&self) -> String {
        self.read(|board| board.reason.clone())
    }

    /// What the board's squares can detect: identity (which piece), colour, occupancy.
    #[zbus(property)]
    fn sensing(&self) -> String {
        self.read(|board| board.sensing.word().to_owned())
    }

    /// The board's orientation: upright (as its maker intended; DGT: connector on White's left), turned (by 180 degrees), unknown.
    #[zbus(property)]
    fn orientation(&self) -> String {
        self.read(|board| board.rotation.map_or("unknown", Word::word).to_owned())
    }

    /// What the squares show now, as the players see them: 64 characters, a1 b1 ... h1 a2 ... h8. A full stop: empty; KQRBNP and
    /// kqrbnp: that piece; w, o: a white or black piece of unknown kind; x: some piece. Empty before the first complete reading.
    #[zbus(property)]
    fn placement(&self) -> String {
        self.read(|board| values::placement_value(board.placement.as_ref()))
    }

    /// Squares that have differed from the game for longer than a move takes, as (square, expected, seen). Words: empty, a piece's
    /// letter as in FEN, white, black, occupied.
    #[zbus(property)]
    fn displaced(&self) -> Vec<(String, String, String)> {
        self.read(|board| {
            board
                .displaced
                .iter()
                .map(|difference| {
                    let expected = difference.expected.map_or_else(|| "empty".to_owned(), |piece| piece.char().to_string());
                    (difference.square.to_string(), expected, values::sensed_value(difference.seen))
                })
                .collect()
        })
    }

    /// Charge of the board's battery in per cent; -1 where it has none or does not report it.
    #[zbus(property)]
    fn battery(&self) -> i32 {
        self.read(|board| Some(board.battery.map_or(-1, |battery| i32::from(battery.percent)))).unwrap_or(-1)
    }

    /// charging, discharging, or unknown.
    #[zbus(property)]
    fn battery_state(&self) -> String {
        self.read(|board| match board.battery.and_then(|battery| battery.charging) {
            Some(true) => "charging".to_owned(),
            Some(false) => "discharging".to_owned(),
            None => "unknown".to_owned(),
        })
    }

    /// What a board of this family cannot know, in English sentences.
    #[zbus(property(emits_changed_signal = "const"))]
    fn cannot(&self) -> Vec<String> {
        self.read(|board| board.model.all_limitations().map(str::to_owned).collect())
    }

    /// The object path of the game on the board, or of the last one; / if there has been none.
    #[zbus(property)]
    fn game(&self) -> OwnedObjectPath {
        let path = self.read(|board| board.game.map(game_path));
        path.and_then(|path| ObjectPath::try_from(path).ok())
            .unwrap_or_else(|| ObjectPath::from_static_str_unchecked("/"))
            .into()
    }

    /// Begins a new game from this position, given as FEN (X-FEN or Shredder-FEN for Chess960); the FEN's counters are kept. The
    /// previous game ends as it is, with the result it has. Squares that differ are listed in Displaced until the board agrees.
    /// Returns once the position is in the journal.
    /// Errors: BadPosition, NotAllowed (polkit refused, or the name is the operator's), JournalFull, Stopping.
    async fn set_position(
        &self,
        fen: String,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        let order = authorize_order(Command::Position { fen }, self.stream, &header, connection).await?;
        Ok(self.hub.execute(Target::Board(self.id.clone()), order).await.map(drop)?)
    }

    /// Makes the board identify itself for some seconds with all its lights and a beep, whichever it has. Refused while a game is
    /// played on it (Art. 12.6).
    /// Errors: Playing, Unnoticed (it has neither, or is not plugged in), NotAllowed (polkit refused), Stopping.
    async fn identify(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        polkit::authorize(Right::Boards, self.stream, &header, connection).await?;
        Ok(self.hub.identify(&self.id).await?)
    }

    /// The wiring test that is carried out on the board, or the last one since touchmoved was started, as a JSON object with English
    /// sentences: phase (reading, empty, square, short, clear, done), square (where the piece is to be put), instruction, hint,
    /// findings, advice, changes (keys of the configuration). Empty: there was none.
    #[zbus(property)]
    fn wiring_test(&self) -> String {
        self.describe_wiring_test("en")
    }

    /// Begins a wiring test: somebody puts a piece on one square after the other, and the test finds squares and lines that are
    /// connected wrongly or do not work. Property WiringTest says what to do. While it is carried out, no moves are read on the
    /// board. It ends when the caller leaves the bus, the board is unplugged, or nobody does anything for 15 minutes.
    /// Errors: Playing (a game is being played on the board), NotConnected, Testing (another test is carried out), TestElsewhere (the
    /// board is at another machine), NotAllowed (polkit refused), Stopping.
    async fn begin_wiring_test(
        &self,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        let by = polkit::authorize(Right::Boards, self.stream, &header, connection).await?;
        let test = self.hub.begin_wiring_test(&self.id, &by, None).await?;
        let watched = caller::end_test_with_caller(Arc::clone(&self.hub), self.id.clone(), test, &header, connection).await;
        if let Err(error) = watched {
            self.hub.continue_wiring_test(&self.id, TestOrder::End(test, EndReason::CallerGone)).await?;
            return Err(Error::ZBus(error));
        }
        Ok(())
    }

    /// Goes on with the wiring test. step: next (the board is empty, or the piece is on the square, whatever the board shows; after
    /// the short test: test all other squares), skip (do not test this square), back (test the previous square again), stop.
    /// Errors: NotTesting, BadOption, NotAllowed (polkit refused), Stopping.
    async fn step_wiring_test(
        &self,
        step: &str,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> Result<(), Error> {
        polkit::authorize(Right::Boards, self.stream, &header, connection).await?;
        let step = Step::from_word(step)
            .ok_or_else(|| Error::BadOption(format!("{step:?} is not a step: write next, skip, back or stop")))?;
        Ok(self.hub.continue_wiring_test(&self.id, TestOrder::Step(step)).await?)
    }

    /// Returns property WiringTest with sentences in a language, given by its BCP 47 or POSIX name.
    fn describe_wiring_test(&self, language: &str) -> String {
        let locale = Locale::from_tag(language);
        let report = |view: &Arc<WiringTestView>| WiringTestReport::new(view, locale).to_json();
        self.hub.wiring_test(&self.id).as_ref().map(report).unwrap_or_default()
    }

    /// A square changed during play. before and now: empty, a piece's letter as in FEN, white, black or occupied. time: in
    /// milliseconds since 1970-01-01 UTC. The signal is not numbered and not stored, and only
    /// arbiters receive it: it shows what the players touch.
    #[zbus(signal)]
    async fn touched(emitter: &SignalEmitter<'_>, square: &str, before: &str, now: &str, time: i64) -> zbus::Result<()>;
}

/// The D-Bus object of a board's clock.
pub(super) struct ClockObject {
    /// The hub to read from.
    pub hub: Arc<Hub>,
    /// The board's id.
    pub id: BoardId,
}

impl ClockObject {
    fn read<T>(&self, read: impl FnOnce(&ClockView) -> T) -> Option<T> {
        self.hub.read(|state| state.boards.get(&self.id).and_then(|board| board.clock.as_ref()).map(read))
    }

    fn time(&self, pick: impl FnOnce(&ClockView) -> Option<ClockTime>) -> i32 {
        self.read(pick).flatten().map_or(-1, values::clamped_milliseconds)
    }
}

/// The chess clock of a board, on the same object; the interface exists while a clock is connected.
/// Since API version 1.
#[interface(name = "org.touchmove1.Clock")]
impl ClockObject {
    /// White's time left in milliseconds, as last reported by the clock; -1: unknown.
    #[zbus(property)]
    fn white(&self) -> i32 {
        self.time(|clock| clock.times.white)
    }

    /// Black's time left in milliseconds, as last reported by the clock; -1: unknown.
    #[zbus(property)]
    fn black(&self) -> i32 {
        self.time(|clock| clock.times.black)
    }

    /// The player whose time runs according to the lever: white or black.
    #[zbus(property)]
    fn turn(&self) -> String {
        self.read(|clock| clock.turn.word().to_owned()).unwrap_or_default()
    }

    /// Whether the clock is running.
    #[zbus(property)]
    fn running(&self) -> bool {
        self.read(|clock| clock.running).unwrap_or_default()
    }

    /// Whether the clock shows White's flag as fallen. That is the clock's indication, not a ruling.
    #[zbus(property)]
    fn white_flag(&self) -> bool {
        self.read(|clock| clock.flags.white).unwrap_or_default()
    }

    /// Whether the clock shows Black's flag as fallen. That is the clock's indication, not a ruling.
    #[zbus(property)]
    fn black_flag(&self) -> bool {
        self.read(|clock| clock.flags.black).unwrap_or_default()
    }

    /// Whether the clock's own battery is low.
    #[zbus(property)]
    fn battery_low(&self) -> bool {
        self.read(|clock| clock.battery_low).unwrap_or_default()
    }

    /// The resolution of the clock's times, in milliseconds: 1000 on DGT clocks.
    #[zbus(property)]
    fn resolution(&self) -> u32 {
        self.read(|clock| clock.times.white.or(clock.times.black).map_or(0, |time| time.resolution_ms)).unwrap_or_default()
    }
}
