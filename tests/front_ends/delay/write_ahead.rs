//! Releases that wait until the copy for a standby hub has them, and what is public after a takeover.

use super::*;
use crate::harness::until;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;
use touchmove::daemon::delayed_view::{RELEASE_FILE, adopt_releases};
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::{DelayedView, Hub};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// The time of day at time 0 of the game: Unix time in milliseconds.
const EPOCH: i64 = 1_700_000_000_000;
const BOARD: &str = "b1";

/// A hub whose releases are copied.
struct CopiedHub {
    hub: Arc<Hub>,
    view: Arc<DelayedView>,
    handle: BoardHandle,
    _stop: watch::Sender<bool>,
}

impl CopiedHub {
    fn open(dir: &Path, delay: Delay) -> CopiedHub {
        let hub = Hub::new(Journal::open(dir).unwrap().0, &[]);
        let view = DelayedView::new(Arc::clone(&hub), delay, IllegalMoves::Show);
        view.set_release_file(dir.join(RELEASE_FILE));
        view.copy_releases();
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(Arc::clone(&view).run(stopped));
        let model = touchmove::boards::model("dgt").unwrap();
        let (handle, _) = hub.register_board(BoardView::new(BoardId::new(BOARD), model, model.sensing));
        CopiedHub { hub, view, handle, _stop: stop }
    }

    /// The number of events of the first game that are public.
    fn public(&self) -> usize {
        self.view.events_after(1, 0).len()
    }
}

/// The events of a game, with their numbers.
fn game() -> Vec<StampedEvent> {
    let start =
        Event::GameStarted { fen: START.into(), chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright };
    let events = [start, move_made(1, "e2e4"), move_made(2, "e7e5")];
    (1..).zip(events).map(|(number, event)| StampedEvent { at: number * 1_000, number: Some(number), event }).collect()
}

#[tokio::test]
async fn what_is_copied_is_public_here_and_after_a_takeover() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let hub = CopiedHub::open(here.path(), Delay::default());
    let events = game();
    hub.handle.publish(EPOCH, events[..2].to_vec(), |_| (), None);
    let uncopied = until("the first move waits", async || {
        let is_stored = hub.hub.read(|state| state.games.get(&1).is_some_and(|game| game.record.plies.len() == 1));
        hub.view.uncopied_releases().filter(|_| is_stored)
    })
    .await;
    assert_eq!((hub.public(), uncopied.games.len()), (0, 1));
    // Both may have been released one after the other.
    until("the first move is public", async || {
        if let Some(uncopied) = hub.view.uncopied_releases() {
            assert!(hub.view.release_copied(&uncopied));
        }
        (hub.public() == 2).then_some(())
    })
    .await;
    hub.handle.publish(EPOCH, events[2..].to_vec(), |_| (), None);
    let uncopied = until("the second move waits", async || hub.view.uncopied_releases()).await;
    assert_eq!(hub.public(), 2);
    // The process stood still until after its role had ended.
    hub.hub.share_role();
    assert!(!hub.view.release_copied(&uncopied));
    assert_eq!(hub.public(), 2);

    // Another computer has the same game, and learns what was public.
    {
        let (journal, _) = Journal::open(there.path()).unwrap();
        let last = events.last().unwrap().at;
        journal.append(BOARD, EPOCH + last as i64, events.clone()).await.unwrap();
    }
    let copied = hub.view.releases();
    adopt_releases(&there.path().join(RELEASE_FILE), copied).unwrap();
    let other = CopiedHub::open(there.path(), Delay { ms: 3_600_000, plies: 0 });
    until("what was public", async || (other.public() == 2).then_some(())).await;
    assert!(other.view.uncopied_releases().is_none(), "the rest waits for its delay");
    assert_eq!(other.hub.read(|state| state.games[&1].record.plies.len()), 2);
}
