//! Adopts the copy of another hub: into the journal and the state directory, from which touchmoved then starts as the hub. So a takeover
//! is a start on another computer: exactly what was public is public, and all else waits for the whole delay.

use super::copies::{
    ActCopy, ContinuationsCopy, CopiedContinuation, CopyKey, DeskCopy, FileCopy, PolicyCopy, PublicCopy, RegistryCopy,
};
use super::{RoleContext, desk_acts, state_files};
use crate::daemon::delayed_view::{RELEASE_FILE, StoredRelease, adopt_releases};
use crate::daemon::journal::{ContinuationOrder, DeskEventRow, RemoteGame};
use crate::daemon::steady_clock;
use crate::desk::{DeskAct, DeskEntry};
use crate::game::DelayPolicy;
use crate::hall::connection::Connection;
use crate::hall::message::from_json;
use crate::hall::setup::paths::HallFiles;
use crate::hall::setup::registry::{self, LockedRegistry, Registry};
use crate::hall::setup::server;
use crate::hall::subject;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use tracing::{info, warn};

/// How many of the newest games are noted as hidden if nothing of them was public at the other hub.
const MAX_HIDDEN: usize = 1_000;

/// What a hub has copied, sorted.
#[derive(Default)]
struct Copies {
    acts: BTreeMap<usize, ActCopy>,
    desk: Vec<(RemoteGame, Vec<DeskEventRow>)>,
    public: BTreeMap<RemoteGame, StoredRelease>,
    policy: Option<DelayPolicy>,
    registry: Option<Registry>,
    continuations: Option<Vec<CopiedContinuation>>,
    /// The content of files; `None`: it was removed.
    files: BTreeMap<String, Option<String>>,
}

impl Copies {
    /// `from`: the hub whose acts at the desk count.
    fn new(messages: &BTreeMap<String, Vec<u8>>, from: &str) -> Copies {
        let mut copies = Copies::default();
        for (subject, payload) in messages {
            let Some(key) = CopyKey::parse(subject) else { continue };
            match key {
                CopyKey::Act(hub, place) if hub == from => copies.acts.extend(read(subject, payload).map(|act| (place, act))),
                CopyKey::Act(..) => {}
                CopyKey::Desk(game) => {
                    copies.desk.extend(read::<DeskCopy>(subject, payload).map(|DeskCopy { events }| (game, events)));
                }
                CopyKey::Public(game) => {
                    copies.public.extend(read::<PublicCopy>(subject, payload).map(|PublicCopy { release }| (game, release)));
                }
                CopyKey::Continuations => {
                    copies.continuations = read::<ContinuationsCopy>(subject, payload).map(|copy| copy.continuations);
                }
                CopyKey::Policy => copies.policy = read::<PolicyCopy>(subject, payload).map(DelayPolicy::from),
                CopyKey::Registry => copies.registry = read::<RegistryCopy>(subject, payload).map(|copy| copy.registry),
                CopyKey::File(path) => {
                    copies.files.extend(read::<FileCopy>(subject, payload).map(|copy| (path, copy.text)));
                }
            }
        }
        copies
    }
}

fn read<T: DeserializeOwned>(subject: &str, payload: &[u8]) -> Option<T> {
    let read = from_json(payload);
    read.map_err(|error| warn!("{subject} of the other hub's copy is left out: {error}")).ok()
}

/// Adopts the copy of the hub `from`. `messages`: the last message of each subject.
///
/// # Errors
/// Something cannot be stored, and must be adopted again; a sentence.
pub(super) async fn adopt(context: &RoleContext, messages: &BTreeMap<String, Vec<u8>>, from: &str) -> Result<(), String> {
    let copies = Copies::new(messages, from);
    let failed = |error: &dyn std::fmt::Display| {
        format!("this hub cannot take over, because it cannot store what the other one knew ({error}): free some space")
    };
    let journal = context.hub.journal();
    let known = journal.remote_games().map_err(|error| failed(&error))?;
    let numbers: BTreeMap<RemoteGame, u64> = known.into_iter().map(|known| (known.source, known.game)).collect();
    if let Some(registry) = &copies.registry {
        adopt_registry(&context.files, registry);
    }
    // Of a game that the other hub shows, only what is entered there counts.
    let shown = copies.public.keys().map(|game| (game.clone(), Vec::new()));
    let desk: BTreeMap<RemoteGame, Vec<DeskEventRow>> = shown.chain(copies.desk).collect();
    let desk = desk.into_iter().filter_map(|(game, events)| Some((*numbers.get(&game)?, events))).collect();
    journal.replace_desk_events(desk).await.map_err(|error| failed(&error))?;
    let other = copies.acts.into_values().map(|act| {
        desk_acts::adopt(&act, |game| numbers.get(game).copied()).unwrap_or_else(|error| {
            warn!("an act at the desk of the other hub is left out ({error}): look at the seats and the round");
            // It keeps its place.
            let nothing = DeskAct::NameGames { games: Vec::new(), unnamed: Vec::new() };
            DeskEntry { wall_ms: act.wall_ms, by: act.by.clone(), act: nothing }
        })
    });
    // The game that each of these continues.
    let mut continued = BTreeMap::new();
    if let Some(copied) = copies.continuations {
        let adopted = copied.into_iter().filter_map(|copied| copied.adopt(|game| numbers.get(game).copied()));
        let continuations: Vec<(ContinuationOrder, Option<u64>)> = adopted.collect();
        continued.extend(continuations.iter().filter_map(|(order, game)| Some(((*game)?, order.continued))));
        journal.replace_continuations(continuations).await.map_err(|error| failed(&error))?;
    }
    let (own, unreadable) = journal.desk().map_err(|error| failed(&error))?;
    let own = unreadable.is_empty().then_some(own);
    let acts = desk_acts::to_follow(own.as_deref(), other.collect(), steady_clock::unix_ms());
    journal.append_desk_acts(acts).await.map_err(|error| failed(&error))?;
    // A delay that is not stricter than that of this hub hides nothing more.
    let own = *context.delayed_view.policy().borrow();
    let policy = copies.policy.filter(|policy| own.strictest(*policy) != own);
    let mut releases = BTreeMap::new();
    let mut newest: Vec<(u64, &RemoteGame)> = numbers.iter().map(|(source, game)| (*game, source)).collect();
    newest.sort_unstable_by_key(|(game, _)| std::cmp::Reverse(*game));
    let sources: BTreeMap<u64, &RemoteGame> = newest.iter().copied().collect();
    for (place, (game, source)) in newest.into_iter().enumerate() {
        // A game that continues another one has its events, and what was public of them is public.
        let before = || sources.get(continued.get(&game)?).copied();
        let public = copies.public.get(source).or_else(|| copies.public.get(before()?));
        if public.is_none() && place >= MAX_HIDDEN {
            continue;
        }
        let epoch_wall_ms = journal.game_epoch_wall_ms(game).map_err(|error| failed(&error))?;
        let Some(epoch_wall_ms) = epoch_wall_ms else { continue };
        let released = match public {
            Some(release) => release.clone().with_epoch(epoch_wall_ms),
            // Whatever this hub had noted of it was not in the copy, so it was not public.
            None => StoredRelease::nothing(epoch_wall_ms),
        };
        let released = match policy {
            Some(policy) => released.hidden_by(policy),
            None => released,
        };
        releases.insert(game, released);
    }
    adopt_releases(&context.state_dir.join(RELEASE_FILE), releases).map_err(|error| failed(&error))?;
    state_files::adopt(&context.state_dir, &copies.files).map_err(|error| failed(&error))?;
    info!("the copy of the other hub is adopted");
    Ok(())
}

/// Stores the registry of the other hub here, and lets a message server on this computer read the machines in it.
pub(super) fn adopt_registry(files: &HallFiles, registry: &Registry) {
    let adopted = || {
        if registry::load(files)?.as_ref() == Some(registry) {
            return Ok(());
        }
        LockedRegistry::lock(files)?.save(registry)?;
        server::reload(files).map(drop).map_err(crate::hall::setup::SetupError::from)
    };
    if let Err(error) = adopted() {
        warn!("the list of machines of the other hub cannot be used here: {error}");
    }
}

/// Returns the sequence number of the last message that the stream of an event has; `None`: it has none, or is not known.
pub(super) async fn last_event(connection: &Connection, hall: &str) -> Option<u64> {
    let context = async_nats::jetstream::new(connection.client().clone());
    let stream = context.get_stream(subject::events_stream(hall)).await.ok()?;
    let state = &stream.cached_info().state;
    (state.messages > 0).then_some(state.last_sequence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::{EventRow, Journal, RemoteEvents};
    use crate::daemon::{DelayedView, Hub};
    use crate::game::event::Rotation;
    use crate::game::{Command, Delay, Event, IllegalMoves, StampedEvent};
    use crate::hall::connection::Endpoint;
    use crate::hall::message::to_json;
    use crate::wire;
    use std::path::Path;
    use std::sync::Arc;
    use tokio::sync::{Notify, watch};

    fn context(dir: &Path, delay: Delay) -> RoleContext {
        let (journal, _) = Journal::open(dir).expect("a journal");
        let hub = Hub::new(journal, &[]);
        let endpoint =
            Endpoint { url: "nats://127.0.0.1:1".to_owned(), ca: None, seed: None, machine: subject::HUB.to_owned() };
        RoleContext {
            delayed_view: DelayedView::new(Arc::clone(&hub), delay, IllegalMoves::Hold),
            hub,
            endpoint,
            files: HallFiles::of(dir),
            state_dir: dir.to_owned(),
            term: Arc::default(),
            restart: Arc::new(Notify::new()),
            notice: None,
            stop: watch::channel(false).1,
        }
    }

    fn stamped(number: u64, event: Event) -> StampedEvent {
        StampedEvent { at: number * 1_000, number: Some(number), event }
    }

    #[tokio::test]
    async fn a_copy_is_adopted_with_the_numbers_of_this_journal() {
        let dir = tempfile::tempdir().expect("a folder");
        let context = context(dir.path(), Delay::default());
        let journal = context.hub.journal();
        let game = |game| RemoteGame { machine: "pi-01".to_owned(), journal: "j".to_owned(), game };
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        let start = Event::GameStarted { fen, chess960: None, laws: "fide-2023".to_owned(), rotation: Rotation::Upright };
        for number in [4, 7] {
            let text = wire::to_json(&stamped(1, start.clone()));
            let events = vec![EventRow { number: 1, wall_ms: 11_000, text }];
            let events = RemoteEvents { source: game(number), started_wall_ms: 11_000, epoch_wall_ms: 10_000, events };
            journal.append_remote("pi_01_b", events).await.expect("stored");
        }

        let tags = vec![("White".to_owned(), "Ada".to_owned())];
        let named = stamped(2, Event::Commanded { command: Command::Tags { tags }, by: "Ann".to_owned() });
        let text = wire::to_json(&named);
        let desk = DeskCopy { events: vec![DeskEventRow { number: 2, after: 1, wall_ms: 12_000, text }] };
        let seat = DeskAct::Seat { table: 1, board: "pi_01_b".to_owned(), serial_number: None };
        let noted = DeskAct::NameGames { games: vec![(1, 1, 40)], unnamed: Vec::new() };
        let acts = [seat, noted].map(|act| DeskEntry { wall_ms: 12_000, by: "Ann".to_owned(), act });
        let mut messages = BTreeMap::from([
            (CopyKey::Desk(game(7)).subject(), to_json(&desk)),
            (CopyKey::Desk(game(9)).subject(), to_json(&desk)),
            (CopyKey::Public(game(7)).subject(), to_json(&PublicCopy { release: StoredRelease::nothing(10_000) })),
            (CopyKey::File("tokens.json".to_owned()).subject(), to_json(&FileCopy { text: Some("[]".to_owned()) })),
            (CopyKey::Act("other".to_owned(), 0).subject(), b"another hub".to_vec()),
        ]);
        let order = ContinuationOrder {
            continued: 40,
            from: "pi_01_b".to_owned(),
            to: "pi_02_b".to_owned(),
            by: "Ann".to_owned(),
            started_wall_ms: 11_000,
            recalled: 1,
        };
        let there = |number| (number == 40).then(|| game(7));
        let continuations = CopiedContinuation::new(&order, None, there).into_iter().collect();
        messages.insert(CopyKey::Continuations.subject(), to_json(&ContinuationsCopy { continuations }));
        for (place, entry) in acts.iter().enumerate() {
            let copy = desk_acts::copy(entry, |number| (number == 40).then(|| game(7)));
            messages.insert(CopyKey::Act("first".to_owned(), place).subject(), to_json(&copy));
        }
        let policy = DelayPolicy { delay: Delay { ms: 60_000, plies: 0 }, illegal_moves: IllegalMoves::Hold };
        messages.insert(CopyKey::Policy.subject(), to_json(&PolicyCopy::from(policy)));

        // The second time, nothing is left to do. Entries of which the hash is wrong would not be shown.
        for _ in 0..2 {
            assert_eq!(adopt(&context, &messages, "first").await, Ok(()));
            assert_eq!(journal.events(2, 1).ok(), Some(vec![named.clone()]));
            assert_eq!(journal.desk_event_rows(1).ok(), Some(Vec::new()));
            let adopted = ContinuationOrder { continued: 2, ..order.clone() };
            assert_eq!(journal.open_continuations().ok(), Some(vec![(adopted, None)]));
            let (entries, unreadable) = journal.desk().expect("the desk");
            assert_eq!((entries.len(), unreadable), (2, Vec::new()));
            let expected = DeskAct::NameGames { games: vec![(1, 1, 2)], unnamed: Vec::new() };
            assert_eq!(entries.last().map(|entry| &entry.act), Some(&expected));
            assert_eq!(std::fs::read_to_string(dir.path().join("tokens.json")).ok().as_deref(), Some("[]"));
            // The delay of the other hub was longer, so it hides both games.
            let released = std::fs::read_to_string(dir.path().join(RELEASE_FILE)).expect("a file");
            let released: BTreeMap<u64, StoredRelease> = serde_json::from_str(&released).expect("releases");
            let hidden = StoredRelease::nothing(10_000).hidden_by(policy);
            assert_eq!(released, BTreeMap::from([(1, hidden.clone()), (2, hidden)]));
        }
    }
}
