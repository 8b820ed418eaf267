//! Tells machines what the desk has entered about their games.

use crate::daemon::Hub;
use crate::daemon::journal::RemoteGame;
use crate::game::DeskRecord;
use crate::hall::connection::Connection;
use crate::hall::message::desk::{DeskMessage, GameEntries, ResultEntry, TagsEntry};
use crate::hall::message::to_json;
use crate::hall::subject::Bucket;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Largest number of games of a machine in a message: the newest ones. What was entered about earlier ones is shown here all the same.
const MAX_GAMES: usize = 40;
/// Largest length of their tags in a message, in bytes: far less than the server accepts.
const MAX_BYTES: usize = 128 * 1024;

/// The games about which something was entered.
pub(super) struct DeskEntries {
    hub: Arc<Hub>,
    /// By machine and by their numbers here.
    games: BTreeMap<String, BTreeMap<u64, RemoteGame>>,
}

impl DeskEntries {
    pub(super) fn new(hub: Arc<Hub>) -> DeskEntries {
        DeskEntries { hub, games: BTreeMap::new() }
    }

    /// Tells the machines what was entered since the last call. Whatever is lost on the way is told again with the next connection.
    pub(super) async fn tell(&mut self, connection: &Connection) {
        let mut machines = BTreeMap::new();
        for game in self.hub.take_untold() {
            // A damaged game has no machine any more: it comes again as another one.
            let Ok(Some(source)) = self.hub.journal().remote_game(game) else { continue };
            machines.insert(source.machine.clone(), game);
            self.games.entry(source.machine.clone()).or_default().insert(game, source);
        }
        for (machine, game) in machines {
            // A message of a hub that has lost its role would replace that of the other one.
            let may_tell = self.hub.check_role().is_ok();
            if !may_tell || !connection.publish(Bucket::Desk.subject(&machine), to_json(&self.message(&machine))).await {
                self.hub.mark_untold(game);
            }
        }
    }

    fn message(&self, machine: &str) -> DeskMessage {
        let mut bytes = 0;
        let newest = self.games.get(machine).into_iter().flatten().rev().take(MAX_GAMES);
        let entries = newest.filter_map(|(game, source)| {
            // It never changes.
            let here = self.hub.journal().birth_journal(*game).ok()?;
            let entries = entries(&here, *game, source, &self.hub.desk_record(*game)?);
            bytes +=
                entries.tags.iter().flat_map(|entry| &entry.tags).map(|(name, value)| name.len() + value.len()).sum::<usize>();
            (bytes <= MAX_BYTES).then_some(entries)
        });
        DeskMessage { games: entries.collect() }
    }
}

/// `here`: identifies the journal of the hub in which the game began.
fn entries(here: &str, game: u64, source: &RemoteGame, desk: &DeskRecord) -> GameEntries {
    let id = |number: u64, what: &str| format!("{here}/{game}/{number}/{what}");
    GameEntries {
        journal: source.journal.clone(),
        game: source.game,
        tags: desk.tags().map(|(number, tags)| TagsEntry { id: id(*number, "tags"), tags: tags.clone() }),
        result: desk.result().map(|(number, result)| ResultEntry {
            id: id(number, "result"),
            result,
            after: desk.place(number),
            stands: desk.standing().is_some(),
        }),
    }
}
