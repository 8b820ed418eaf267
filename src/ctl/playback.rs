//! Plays a recording back through the table, as fast as possible.

use crate::boards::{BOARDS, LinkState, Millis, Model, Reading, SensorKind, SquareState, model};
use crate::game::event::Rotation;
use crate::game::{Command, Order, StampedEvent};
use crate::lab::run::{HostInput, RecordingCable, RunEvent, play};
use crate::link::recording::{Entry, Header, InitialState, Recording, read};
use crate::table::{Input, Settings, Table};
use crate::wire;
use anyhow::{Context, anyhow, bail};
use shakmaty::Square;
use std::path::{Path, PathBuf};

/// Time for which a replay continues after the last line, in milliseconds, so that pending decisions are made.
const REPLAY_TAIL: Millis = 60_000;

/// A recording of one board.
pub(super) struct RecordedSession {
    file: PathBuf,
    recording: Recording,
    model: &'static Model,
    /// The settings with which it was recorded.
    pub(super) settings: Settings,
}

impl RecordedSession {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is not a recording, or is of an unknown board.
    pub(super) fn open(path: &Path) -> anyhow::Result<RecordedSession> {
        let recording = read(path)?;
        let file = path.display();
        let model = model(&recording.header.board).ok_or_else(|| {
            let known: Vec<&str> = BOARDS.iter().map(|model| model.name).collect();
            anyhow!("{file}:1: there is no model \"{}\": write {}", recording.header.board, known.join(" or "))
        })?;
        let settings = settings(&recording.header).with_context(|| format!("{file}:1"))?;
        Ok(RecordedSession { file: path.to_owned(), recording, model, settings })
    }

    /// Prepares to play it with these settings.
    ///
    /// # Errors
    /// A command or the state at its beginning is invalid.
    pub(super) fn playback(&self, settings: &Settings) -> anyhow::Result<Playback> {
        let calibration = self.recording.lines.iter().find_map(|line| match &line.entry {
            Entry::State(state) => state.calibration.clone(),
            _ => None,
        });
        let (table, inputs) = load(self.recording.clone(), settings).with_context(|| self.file.display().to_string())?;
        Ok(Playback { model: self.model, calibration, table, inputs })
    }
}

/// A recording that is ready to be played: the table as it was at its beginning, and the inputs after that.
pub(super) struct Playback {
    model: &'static Model,
    calibration: Option<String>,
    table: Table,
    inputs: Vec<(Millis, HostInput)>,
}

impl Playback {
    /// Returns the table as it is before the first input.
    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// Plays the recording. `watch` receives everything in order, with its time.
    pub(super) fn play(self, watch: &mut dyn FnMut(Millis, RunEvent)) {
        let Playback { model, calibration, mut table, inputs } = self;
        let until = inputs.last().map_or(0, |last| last.0) + REPLAY_TAIL;
        let mut protocol = (model.protocol)();
        if let Some(calibration) = calibration {
            protocol.restore(&calibration);
        }
        let is_plugged = table.placement().is_some();
        let mut cable = if is_plugged { RecordingCable::plugged(inputs) } else { RecordingCable::new(inputs) };
        protocol.link(0, LinkState::Up);
        play(&mut cable, &mut *protocol, &mut table, until, watch);
    }
}

fn settings(header: &Header) -> anyhow::Result<Settings> {
    let mut settings = match &header.core {
        Some(core) => wire::settings_from_value(core)?,
        None => Settings {
            sensing: model(&header.board).map_or(SensorKind::Identity, |model| model.sensing),
            ..Settings::default()
        },
    };
    settings.chess960 |= header.chess960;
    settings.start_fen = header.start_fen.clone().or(settings.start_fen);
    if let Some(fen) = &settings.start_fen {
        settings.start().map_err(|error| anyhow!("\"start_fen\" is \"{fen}\": {error}; write a FEN, or null"))?;
    }
    if header.core.is_none() {
        settings.laws = header.laws.parse().context("\"laws\"")?;
    }
    Ok(settings)
}

/// Returns a table in the state in which the recording begins, and the inputs after that.
fn load(recording: Recording, settings: &Settings) -> anyhow::Result<(Table, Vec<(Millis, HostInput)>)> {
    let mut table = Table::new(settings.clone());
    let mut inputs = Vec::new();
    for line in recording.lines {
        let input = match line.entry {
            Entry::State(state) => {
                table = restore_table(state, settings)?;
                continue;
            }
            Entry::Rx(bytes) => HostInput::Bytes(bytes, 0),
            Entry::Link(state) => HostInput::Link(state),
            Entry::Command(value) => {
                HostInput::Order(wire::order_from_value(&value).with_context(|| format!("the command at {} ms", line.at))?)
            }
            Entry::Tx(_) | Entry::Note(_) => continue,
        };
        inputs.push((line.at, input));
    }
    Ok((table, inputs))
}

/// Restores the table as it was when the recording began. Its events during that were published before.
fn restore_table(state: InitialState, settings: &Settings) -> anyhow::Result<Table> {
    let events =
        state.events.iter().map(|event| wire::known_from_json(&event.to_string())).collect::<Result<Vec<StampedEvent>, _>>()?;
    let events: Vec<StampedEvent> = events.into_iter().map(|event| StampedEvent { at: 0, ..event }).collect();
    let mut table = Table::restore(settings.clone(), &events);
    if let (true, Some(fen)) = (events.is_empty(), state.position) {
        let order = Order { command: Command::Position { fen }, by: "recording".to_owned() };
        if let Some(refused) = table.handle(0, Input::Order(order)).refusal() {
            bail!("the state's position: {refused}");
        }
    }
    if let Some(text) = state.placement {
        let board: shakmaty::Board = text.parse().map_err(|error| anyhow!("the state's placement \"{text}\": {error}"))?;
        let rotation = table.rotation().unwrap_or(Rotation::Upright);
        let mut placement = [SquareState::Empty; 64];
        for (square, piece) in board {
            let square: Square = rotation.apply(square);
            placement[square as usize] = SquareState::Piece(piece);
        }
        table.handle(0, Input::Link(LinkState::Up));
        table.handle(0, Input::Reading(Reading::Placement(Box::new(placement))));
        // The board's memory of the time before was requested before.
        table.handle(0, Input::Reading(Reading::Memory(Vec::new())));
    }
    Ok(table)
}
