//! The boards of the machines: each is a board of the hub, with a task of its own.

use super::commander::Commander;
use super::ingest::TakenEvents;
use super::remote_board::{self, BoardInput};
use crate::boards::{BOARDS, Model, SensorKind};
use crate::daemon::hub::{BoardId, BoardView, ConnectionState, MachineView};
use crate::daemon::{Hub, steady_clock};
use crate::hall::message::board::BoardMessage;
use crate::hall::message::events::EventsMessage;
use crate::hall::subject::EventsSubject;
use crate::wire::Word;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Largest number of models that this version does not know.
const MAX_UNKNOWN_MODELS: usize = 32;
/// The model of a board whose machine has not been heard yet.
const UNKNOWN_MODEL: &str = "unknown";
/// Largest number of boards of one machine.
const MAX_BOARDS: usize = 128;

/// Returns the name at the hub of a machine's board.
pub(super) fn local_name(machine: &str, board: &str) -> BoardId {
    BoardId::new(&format!("{machine}_{board}"))
}

/// Returns the name at its machine of a board of the hub.
fn remote_name(machine: &str, local: &BoardId) -> Option<String> {
    let prefix = format!("{}_", BoardId::new(machine));
    local.as_str().strip_prefix(&prefix).map(str::to_owned)
}

/// A board of a machine.
struct RemoteBoard {
    machine: String,
    board: String,
    inputs: mpsc::UnboundedSender<BoardInput>,
    /// The newest game, with its start time.
    newest: Option<(EventsSubject, i64)>,
    /// When its machine last reported it, or when it was registered, on the steady clock, in milliseconds.
    reported_at: i64,
    is_away: bool,
}

impl RemoteBoard {
    fn set_away(&mut self, reason: String) {
        self.is_away = true;
        // The task ends only with this value.
        let _ = self.inputs.send(BoardInput::Away(reason));
    }
}

/// All boards of machines.
pub(super) struct RemoteBoards {
    hub: Arc<Hub>,
    commander: Arc<Commander>,
    boards: BTreeMap<BoardId, RemoteBoard>,
    unknown_models: Vec<&'static Model>,
    tasks: JoinSet<()>,
}

impl RemoteBoards {
    pub(super) fn new(hub: Arc<Hub>, commander: Arc<Commander>) -> RemoteBoards {
        RemoteBoards { hub, commander, boards: BTreeMap::new(), unknown_models: Vec::new(), tasks: JoinSet::new() }
    }

    /// Registers a board whose games are in the journal.
    pub(super) fn restore(&mut self, machine: &str, local: &BoardId) {
        if let Some(board) = remote_name(machine, local) {
            let model = self.model(UNKNOWN_MODEL, None);
            self.register(machine, &board, model, model.sensing);
        }
    }

    /// Finds the board of new events, and returns whether their game is its newest.
    ///
    /// # Errors
    /// The board cannot be registered; a sentence.
    pub(super) fn place(&mut self, subject: &EventsSubject, message: &EventsMessage) -> Result<bool, String> {
        let unknown = |boards: &mut RemoteBoards| {
            let model = boards.model(UNKNOWN_MODEL, None);
            (model, model.sensing)
        };
        let known = self.known_or_new(&subject.machine, &message.board, unknown)?;
        let is_newest = match &known.newest {
            None => true,
            Some((newest, _)) if newest.journal == subject.journal => subject.game >= newest.game,
            // Another journal: the machine was set up anew, or something was missing in its journal.
            Some((_, started_wall_ms)) => message.started_wall_ms >= *started_wall_ms,
        };
        if is_newest {
            known.newest = Some((subject.clone(), message.started_wall_ms));
        }
        Ok(is_newest)
    }

    /// Passes new events to their board, which was found before.
    pub(super) fn publish(&mut self, taken: TakenEvents) {
        let TakenEvents { subject, board, batch } = taken;
        if let Some(known) = self.boards.get(&local_name(&subject.machine, &board)) {
            // The task ends only with this value.
            let _ = known.inputs.send(BoardInput::Events(subject, Box::new(batch)));
        }
    }

    /// Passes the state of a board to it.
    ///
    /// # Errors
    /// The board cannot be registered; a sentence.
    pub(super) fn set_state(&mut self, machine: &str, board: &str, message: BoardMessage) -> Result<(), String> {
        let state = message.state.as_ref();
        let sensing = state.and_then(|state| SensorKind::from_word(&state.sensing));
        let model = self.model(state.map_or(UNKNOWN_MODEL, |state| &state.model), sensing);
        let sensing = sensing.unwrap_or(model.sensing);
        let known = self.known_or_new(machine, board, |_| (model, sensing))?;
        (known.reported_at, known.is_away) = (steady_clock::now_ms(), false);
        let _ = known.inputs.send(BoardInput::State(model, sensing, Box::new(message)));
        Ok(())
    }

    /// Marks all boards of a machine as away, for this reason.
    pub(super) fn set_away(&mut self, machine: &str, reason: &str) {
        for board in self.boards.values_mut().filter(|board| board.machine == machine) {
            board.set_away(reason.to_owned());
        }
    }

    /// Marks the boards as away of which machines that are there report nothing: they were not found when these were started.
    pub(super) fn check_reported(&mut self, now: i64) {
        let is_there =
            |machine: &str| self.hub.read(|state| state.machines.get(machine).is_some_and(|view| view.is_there(now)));
        for board in self.boards.values_mut().filter(|board| !board.is_away) {
            if now.saturating_sub(board.reported_at) >= MachineView::MAX_SILENCE_MS && is_there(&board.machine) {
                board.set_away(format!(
                    "machine {} has no board {}: check its cable, and its power",
                    board.machine, board.board
                ));
            }
        }
    }

    /// Ends the tasks of all boards.
    pub(super) async fn stop(&mut self) {
        self.boards.clear();
        while self.tasks.join_next().await.is_some() {}
    }

    fn known_or_new(
        &mut self,
        machine: &str,
        board: &str,
        model: impl FnOnce(&mut RemoteBoards) -> (&'static Model, SensorKind),
    ) -> Result<&mut RemoteBoard, String> {
        let local = local_name(machine, board);
        match self.boards.get(&local) {
            Some(known) if known.machine != machine || known.board != board => {
                return Err(format!(
                    "board {board} of machine {machine} and board {} of machine {} would both be {local} here: give one of the \
                     machines another name",
                    known.board, known.machine
                ));
            }
            Some(_) => {}
            None if self.hub.read(|state| state.boards.contains_key(&local)) => {
                return Err(format!(
                    "board {board} of machine {machine} would be {local} here, and this machine has a board of this name: rename it"
                ));
            }
            None if self.boards.values().filter(|known| known.machine == machine).count() >= MAX_BOARDS => {
                return Err(format!("machine {machine} has more than {MAX_BOARDS} boards"));
            }
            None => {
                let (model, sensing) = model(self);
                self.register(machine, board, model, sensing);
            }
        }
        self.boards.get_mut(&local).ok_or_else(|| format!("board {local} cannot be registered"))
    }

    fn register(&mut self, machine: &str, board: &str, model: &'static Model, sensing: SensorKind) {
        let local = local_name(machine, board);
        let view = BoardView {
            machine: Some(machine.to_owned()),
            // How it is connected is not known before its machine has said so.
            connection: ConnectionState::Connecting,
            ..BoardView::new(local.clone(), model, sensing)
        };
        let (handle, _) = self.hub.register_board(view);
        self.hub.change_machine(machine, |view| _ = view.boards.insert(local.clone()));
        let newest = self.newest_of(&local);
        let (inputs, queue) = mpsc::unbounded_channel();
        let (hub, commander) = (Arc::clone(&self.hub), Arc::clone(&self.commander));
        let identity = remote_board::Identity { machine: machine.to_owned(), board: board.to_owned() };
        self.tasks.spawn(remote_board::run(hub, commander, identity, handle, queue));
        let (machine, board) = (machine.to_owned(), board.to_owned());
        let reported_at = steady_clock::now_ms();
        self.boards.insert(local, RemoteBoard { machine, board, inputs, newest, reported_at, is_away: false });
    }

    /// Returns the game that the hub has on a board.
    fn newest_of(&self, local: &BoardId) -> Option<(EventsSubject, i64)> {
        let (game, started) = self.hub.read(|state| {
            let game = state.games.get(&state.boards.get(local)?.game?)?;
            Some((game.id, game.wall_ms(game.record.started_at)))
        })?;
        let source = self.hub.journal().remote_game(game).ok().flatten()?;
        Some((EventsSubject { machine: source.machine, journal: source.journal, game: source.game }, started))
    }

    /// Returns the model of this name. A model that this version does not know is one without properties.
    fn model(&mut self, name: &str, sensing: Option<SensorKind>) -> &'static Model {
        let known = BOARDS.iter().copied().chain(self.unknown_models.iter().copied()).find(|model| model.name == name);
        let fallback = BOARDS.iter().copied().find(|model| Some(model.sensing) == sensing).or(BOARDS.first().copied());
        match (known, fallback) {
            (Some(known), _) => known,
            (None, Some(fallback)) if self.unknown_models.len() < MAX_UNKNOWN_MODELS => {
                let name: &'static str = name.to_owned().leak();
                let model: &'static Model =
                    Box::leak(Box::new(Model { name, title: name, usb: &[], commands: &[], ..*fallback }));
                self.unknown_models.push(model);
                model
            }
            (None, Some(fallback)) => fallback,
            (None, None) => unreachable!("there is a model"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_board_leads_back_to_its_machine() {
        let local = local_name("pi-07", "dgt_23946");
        assert_eq!(local.as_str(), "pi_07_dgt_23946");
        assert_eq!(remote_name("pi-07", &local).as_deref(), Some("dgt_23946"));
        assert_eq!(remote_name("pi-08", &local), None);
    }
}
