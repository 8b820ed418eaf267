//! Releases that wait until they are copied: the hub that takes over must know of everything that the public has seen.
//!
//! **Invariant:** if releases are copied, an event is public only after the copy says so, and while this hub has its role.

use super::public_state::PublishMode;
use super::release_log::StoredRelease;
use super::{DelayedView, PublicState};
use crate::daemon::hub::Update;
use crate::game::StampedEvent;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// The interval at which the role of this hub is checked.
const ROLE_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// A release that waits to be copied.
pub(super) struct HeldRelease {
    pub(super) game: u64,
    pub(super) stamped: StampedEvent,
    pub(super) mode: PublishMode,
}

/// The releases that wait.
#[derive(Default)]
pub(super) struct WriteAhead {
    /// In the order of their release; `None`: releases are not copied.
    held: Option<Vec<HeldRelease>>,
    /// Notified when a release waits.
    pub(super) changed: Arc<Notify>,
}

impl WriteAhead {
    /// Returns the time before which no event is taken to have happened, on the clock of the delay lines. After a takeover, all that
    /// was not public waits for the whole delay.
    pub(super) fn earliest(&self) -> i64 {
        if self.held.is_some() { 0 } else { i64::MIN }
    }

    /// Lets events that are due wait, and returns whether they do. `due`: is empty then.
    pub(super) fn hold(&mut self, due: &mut Vec<(u64, StampedEvent)>, mode: PublishMode) -> bool {
        let Some(held) = &mut self.held else { return false };
        if !due.is_empty() {
            held.extend(due.drain(..).map(|(game, stamped)| HeldRelease { game, stamped, mode }));
            self.changed.notify_one();
        }
        true
    }
}

/// What must be copied before releases that wait become public.
#[derive(Clone, Debug)]
pub struct UncopiedReleases {
    /// How much of each game will have been released, by the number of the game.
    pub games: BTreeMap<u64, StoredRelease>,
    /// The number of releases.
    count: usize,
}

impl DelayedView {
    /// Lets all releases from now on wait until they are copied. Must be called before [`DelayedView::run`].
    pub fn copy_releases(&self) {
        self.lock().write_ahead.held = Some(Vec::new());
    }

    /// Waits until releases may wait to be copied. Cancel safe.
    pub async fn wait_for_release(&self) {
        let changed = self.lock().write_ahead.changed.clone();
        changed.notified().await;
    }

    /// Returns the releases that wait to be copied; `None`: there are none.
    pub fn uncopied_releases(&self) -> Option<UncopiedReleases> {
        let public = self.lock();
        let held = public.write_ahead.held.as_ref().filter(|held| !held.is_empty())?;
        // The last release of a game tells.
        let last: BTreeMap<u64, u64> = held.iter().map(|held| (held.game, held.stamped.number.unwrap_or(0))).collect();
        let release = |(game, number): (u64, u64)| Some((game, public.release_of(game, number)?));
        Some(UncopiedReleases { games: last.into_iter().filter_map(release).collect(), count: held.len() })
    }

    /// Makes releases public that are copied now. Returns `false` if they still wait, because this hub has lost its role meanwhile, e.g.
    /// while its process stood still.
    #[must_use]
    pub fn release_copied(&self, copied: &UncopiedReleases) -> bool {
        if !self.may_push() {
            return false;
        }
        let released: Vec<HeldRelease> = {
            let mut public = self.lock();
            let Some(held) = &mut public.write_ahead.held else { return true };
            held.drain(..copied.count.min(held.len())).collect()
        };
        let mut is_state_change = false;
        for HeldRelease { game, stamped, mode } in released {
            is_state_change |= mode == PublishMode::StateChange;
            self.release(game, stamped, mode);
        }
        if is_state_change {
            let boards: Vec<_> = self.read(|state| state.boards.keys().cloned().collect());
            boards.into_iter().for_each(|board| self.publish(Update::Board(board)));
        }
        true
    }

    /// Returns how much of each game is public, by the number of the game.
    pub fn releases(&self) -> BTreeMap<u64, StoredRelease> {
        self.lock().release_log.games().clone()
    }

    /// Waits until what is public may not be sent to others any more, see [`DelayedView::may_push`]. Cancel safe.
    pub async fn wait_until_no_push(&self) {
        while self.may_push() {
            tokio::time::sleep(ROLE_CHECK_INTERVAL).await;
        }
    }

    /// Returns whether what is public may be sent to others: not if another computer may be the hub of the hall, and may have sent
    /// more.
    pub fn may_push(&self) -> bool {
        self.hub.check_role().is_ok()
    }
}

impl PublicState {
    /// Returns how much of a game is released with the event of this number.
    fn release_of(&self, game: u64, number: u64) -> Option<StoredRelease> {
        let release = self.lines.get(&game)?;
        let epoch_wall_ms = release.meta.as_ref()?.epoch_wall_ms;
        Some(StoredRelease::new(epoch_wall_ms, number, &release.line.released()))
    }
}
