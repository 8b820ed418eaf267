//! A virtual board of a simulated hall, on which simulated hands play one game after another.

use super::games::GameSource;
use crate::ctl::pty::PseudoTerminal;
use crate::lab::options::SimulationOptions;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The pause between two games, in which the board is switched off and the pieces are set up again.
const BETWEEN_GAMES: Duration = Duration::from_secs(2);
/// Interval at which the pause checks whether the board is to be stopped.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What is played on a board.
#[derive(Clone)]
pub(super) struct BoardSetup {
    /// The board, the hands and the clock.
    pub(super) options: SimulationOptions,
    /// The games.
    pub(super) games: GameSource,
    /// The number of the board among all of the hall, from 0.
    pub(super) number: usize,
    /// The seed of the hands.
    pub(super) seed: u64,
    /// The speed of the hands, as a multiple of that of real ones.
    pub(super) speed: u32,
}

/// A board with its thread. Dropping it unplugs the board.
pub(super) struct SimulatedBoard {
    port: PathBuf,
    stop: Arc<AtomicBool>,
    failure: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl SimulatedBoard {
    /// Plugs in a board. `port`: the path at which its port appears.
    pub(super) fn plug(port: PathBuf, setup: BoardSetup) -> io::Result<SimulatedBoard> {
        let (stop, failure) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Option<String>>>::default());
        let thread = thread::Builder::new().name("board".to_owned()).spawn({
            let (port, stop, failure) = (port.clone(), Arc::clone(&stop), Arc::clone(&failure));
            move || {
                if let Err(error) = play(&port, &setup, &stop) {
                    let sentence = format!("the virtual board at {} failed: {error}", port.display());
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(sentence);
                }
            }
        })?;
        Ok(SimulatedBoard { port, stop, failure, thread: Some(thread) })
    }

    /// Returns the path at which its port appears.
    pub(super) fn port(&self) -> &Path {
        &self.port
    }

    /// Returns why the board does not work any more.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Begins to unplug the board.
    pub(super) fn unplug(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for SimulatedBoard {
    fn drop(&mut self) {
        self.unplug();
        if let Some(thread) = self.thread.take() {
            // It reports its failures itself.
            let _ = thread.join();
        }
    }
}

/// Plays games until `stop` is set.
fn play(port: &Path, setup: &BoardSetup, stop: &AtomicBool) -> io::Result<()> {
    for nth in 0.. {
        let game = setup.games.game(setup.number, nth);
        let seed = setup.seed.wrapping_add(setup.number as u64);
        let simulation = setup.options.simulation(&game, seed).map_err(|error| io::Error::other(error.to_string()))?;
        let mut terminal = PseudoTerminal::open()?;
        symlink(terminal.path(), port)?;
        let served = terminal.serve_until(simulation, setup.speed, stop);
        // First the path: another terminal may soon have the number of this one.
        fs::remove_file(port)?;
        drop(terminal);
        served?;
        if !pause(BETWEEN_GAMES, stop) {
            return Ok(());
        }
    }
    Ok(())
}

/// Waits; returns whether to go on.
fn pause(duration: Duration, stop: &AtomicBool) -> bool {
    let polls = duration.as_millis() / STOP_POLL_INTERVAL.as_millis();
    for _ in 0..polls {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        thread::sleep(STOP_POLL_INTERVAL);
    }
    !stop.load(Ordering::Relaxed)
}
