//! Follows play from a position that a client gave, on a board that has another game or none.
//!
//! Each such line of play has a [`Table`] of its own over the same readings: the inference is the same, but nothing reaches the
//! hub's games, the journal or the board. Its table does not judge moves by the Laws. It runs in a task of its own on the LiveChess
//! server's thread, so that no board waits for it.

use super::hub::readings::{Readings, Subscription};
use crate::boards::{BoardCommand, LinkState, Millis, Placement, Reading};
use crate::game::event::Rotation;
use crate::game::{Event, Record};
use crate::table::{Input, LightsMode, Output, Settings, Table};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

/// A line of play that is followed until this is dropped.
#[derive(Debug)]
pub struct SetupLine {
    view: watch::Receiver<SetupView>,
    task: JoinHandle<Infallible>,
}

/// State of such a line of play.
#[derive(Clone, Debug, Default)]
pub struct SetupView {
    /// Moves since the position was on the board; `None`: it was not on the board yet.
    pub record: Option<Arc<Record>>,
    /// Number of times play began from the position.
    pub games_begun: u64,
    /// Placement as the players see it.
    pub squares: Option<Placement>,
    /// Whether the clock runs.
    pub clock_runs: bool,
}

impl SetupLine {
    /// Follows play from this position (FEN) once it is on the board. `rotation`: the board's rotation. `changed` is notified of
    /// every change.
    pub fn follow(readings: Arc<Readings>, fen: String, rotation: Rotation, changed: Arc<Notify>) -> SetupLine {
        let settings = Settings {
            start_fen: Some(fen),
            rotation: Some(rotation),
            chess960: false,
            lights: LightsMode::Off,
            ..readings.settings().clone()
        };
        let (sender, view) = watch::channel(SetupView::default());
        let mut line = SetupTask { started: Instant::now(), now: 0, table: Table::without_judging(settings), sender, changed };
        // Count as a listener from now on.
        let subscription = readings.subscribe();
        let task = tokio::spawn(async move { line.run(&readings, subscription).await });
        SetupLine { view, task }
    }

    /// Returns whether the task ended by itself, which is an error: it must run until this is dropped.
    pub fn has_failed(&self) -> bool {
        self.task.is_finished()
    }

    /// Returns the current state.
    pub fn view(&self) -> SetupView {
        self.view.borrow().clone()
    }
}

impl Drop for SetupLine {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct SetupTask {
    /// Time 0 of the table.
    started: Instant,
    now: Millis,
    table: Table,
    sender: watch::Sender<SetupView>,
    changed: Arc<Notify>,
}

impl SetupTask {
    async fn run(&mut self, readings: &Readings, Subscription { initial, mut feed }: Subscription) -> Infallible {
        self.handle_all(initial);
        loop {
            let due = self.table.next_deadline().map(|at| self.started + Duration::from_millis(at));
            let wait_until_due = async {
                match due {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                received = feed.recv() => match received {
                    Ok((at, input)) => self.handle(at, input),
                    // The task fell behind. It holds the sender, so the channel is never closed.
                    Err(_) => {
                        // The table explains the current placement as after a lost link.
                        let Subscription { initial, feed: new_feed } = readings.subscribe();
                        feed = new_feed;
                        self.handle_all([Input::Link(LinkState::Down), Input::Link(LinkState::Up)].into_iter().chain(initial));
                    }
                },
                () = wait_until_due => {
                    let now = self.table_time(Instant::now());
                    let output = self.table.advance(now);
                    self.publish(output);
                }
            }
        }
    }

    fn handle_all(&mut self, inputs: impl IntoIterator<Item = Input>) {
        inputs.into_iter().for_each(|input| self.handle(Instant::now(), input));
    }

    fn handle(&mut self, at: Instant, input: Input) {
        let now = self.table_time(at);
        let output = self.table.handle(now, input);
        self.publish(output);
    }

    /// Returns the table's time, which never goes back: a reading may have arrived shortly before a deadline that was already run.
    fn table_time(&mut self, at: Instant) -> Millis {
        self.now = self.now.max(at.saturating_duration_since(self.started).as_millis() as Millis);
        self.now
    }

    /// Publishes the table's output.
    fn publish(&mut self, mut output: Output) {
        self.update_view(&output);
        // Only the board's own game requests the board's memory: this table explains the current placement without waiting for it.
        while std::mem::take(&mut output.commands).contains(&BoardCommand::Memory) {
            output = self.table.handle(self.now, Input::Reading(Reading::Memory(Vec::new())));
            self.update_view(&output);
        }
    }

    fn update_view(&self, output: &Output) {
        let squares = self.table.placement();
        let is_change = self.sender.send_if_modified(|view| {
            let mut is_change = view.squares != squares;
            view.squares = squares;
            for stamped in &output.events {
                match &stamped.event {
                    Event::GameStarted { .. } => view.games_begun += 1,
                    Event::Clock { running, .. } => {
                        is_change |= view.clock_runs != *running;
                        view.clock_runs = *running;
                    }
                    _ => {}
                }
                is_change |= stamped.number.is_some();
            }
            if output.events.iter().any(|stamped| stamped.number.is_some()) {
                view.record = self.table.record().cloned().map(Arc::new);
            }
            is_change
        });
        if is_change {
            self.changed.notify_one();
        }
    }
}

impl Drop for SetupTask {
    /// Also notifies on failure, so that the client checks the task.
    fn drop(&mut self) {
        self.changed.notify_one();
    }
}
