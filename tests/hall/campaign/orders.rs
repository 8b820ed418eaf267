//! Commands of the hub, and what its desk enters about a game.

use super::*;
use touchmove::game::Command;

/// How often a command may have been carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It was carried out.
    Once,
    /// It was refused, so never.
    Never,
    /// The machine did not answer in time.
    Unknown,
}

/// What was entered and commanded about one game.
#[derive(Default)]
pub struct Orders {
    /// The name of White that was entered last.
    entered: Option<String>,
    /// How many names were entered.
    count: usize,
    /// By the text of the note.
    given: BTreeMap<String, Outcome>,
}

impl Orders {
    /// Enters another name, if the hub shows the game.
    pub async fn enter(&mut self, hub: &Node, machine: &Machine, is_disk_full: bool) {
        let Some(game) = on_board(hub, &machine.board_at_hub()).await else { return };
        self.count += 1;
        let name = format!("Player {}", self.count);
        let tags = vec![("White".to_owned(), name.clone()), ("Black".to_owned(), machine.name.clone())];
        match hub.client.send_command(game.id, &Command::Tags { tags }).await {
            Ok(_) => self.entered = Some(name),
            // The journal notices with its next attempt that the disk has space again.
            Err(error) => assert!(is_disk_full || error.to_string().contains("the disk is full"), "{error}"),
        }
    }

    /// Gives the machine of this name, with this board at the hub, a command, whatever state it is in.
    pub async fn give(&mut self, hub: &Node, name: &str, board: &str) {
        let Some(game) = on_board(hub, board).await else { return };
        let note = format!("command {} for {name}", self.given.len());
        let command = Command::ClockNote { white_ms: 1_000, black_ms: 2_000, note: note.clone() };
        let outcome = match hub.client.send_command(game.id, &command).await.map_err(|error| error.to_string()) {
            Ok(_) => Outcome::Once,
            Err(error) if error.contains("it is not known whether") => Outcome::Unknown,
            Err(_) => Outcome::Never,
        };
        self.given.insert(note, outcome);
    }

    /// Waits until the game has the last name that was entered, at the hub and at its machine.
    pub async fn wait_on_record(&self, hub: &Node, machine: &Machine) {
        let Some(name) = &self.entered else { return };
        until(&format!("{name} at {} and at the hub", machine.name), async || {
            let own = machine.node.client.snapshot().await.ok()?.games.pop()?;
            let at_hub = on_board(hub, &machine.board_at_hub()).await?;
            let has_name = |game: &GameInfo| game.tags.get("White") == Some(name);
            (has_name(&own) && has_name(&at_hub)).then_some(())
        })
        .await;
    }

    /// Checks how often each command was carried out. `events`: of the machine.
    pub fn check(&self, events: &Events) {
        for (note, outcome) in &self.given {
            let times = events.values().flatten().filter(|(_, _, text)| text.contains(&format!("{note}\""))).count();
            let fits = match outcome {
                Outcome::Once => times == 1,
                Outcome::Never => times == 0,
                Outcome::Unknown => times <= 1,
            };
            assert!(fits, "{note}: {outcome:?}, and carried out {times} times");
        }
    }
}

/// Returns the game that the hub shows on a board.
async fn on_board(hub: &Node, board: &str) -> Option<GameInfo> {
    let snapshot = hub.client.snapshot().await.ok()?;
    let id = snapshot.boards.iter().find(|info| info.id == board)?.game?;
    snapshot.games.into_iter().find(|game| game.id == id)
}
