//! What the public may see at this moment, and how one more event becomes public.

use super::past_results::PastResults;
use super::release_log::{PriorRelease, ReleaseLog};
use super::write_ahead::WriteAhead;
use crate::daemon::hub::{BoardView, GameView, Published, State};
use crate::desk::{ForgottenPlayer, hide_tags};
use crate::game::{DelayLine, DelayPolicy, Event, StampedEvent};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many game numbers before the oldest game in memory are kept, since these games may belong to boards that are not plugged in
/// yet.
const KEPT_GAME_NUMBERS: u64 = 1_000;

#[derive(Default)]
pub(super) struct PublicState {
    /// Games; of boards only their identity and which game is on them.
    pub(super) state: State,
    /// Released events by game, numbered from 1.
    pub(super) events: BTreeMap<u64, Vec<StampedEvent>>,
    pub(super) lines: BTreeMap<u64, GameRelease>,
    /// The players who are not named any more. Their names are not public, so they are not part of the desk.
    pub(super) forgotten: Vec<ForgottenPlayer>,
    /// The results of earlier rounds, and of games that are not in memory.
    pub(super) past_results: PastResults,
    /// How much of each game has been released, by journal event numbers.
    pub(super) release_log: ReleaseLog,
    /// The strictest of all policies since this process was started.
    pub(super) strictest: DelayPolicy,
    /// The policies of this process before the current one, each with the time until which it was in force.
    pub(super) earlier_policies: Vec<(i64, DelayPolicy)>,
    /// Identifier of the journal's incarnation.
    pub(super) incarnation: String,
    /// Releases that wait to be copied.
    pub(super) write_ahead: WriteAhead,
}

impl PublicState {
    /// Returns the strictest of the policies that were in force from this time on and are not any more.
    pub(super) fn earlier_policy(&self, happened: i64) -> Option<DelayPolicy> {
        let since = self.earlier_policies.iter().filter(|(until, _)| happened < *until).map(|(_, policy)| *policy);
        since.reduce(DelayPolicy::strictest)
    }

    /// Returns how much of a game had been released before it became known here. A game that is continued on another board has the
    /// events of the game that it continues.
    pub(super) fn released_before(&self, game: u64, meta: &GameMeta) -> Option<PriorRelease> {
        let under_old_number = || self.release_log.released(meta.carried_from?, meta.epoch_wall_ms);
        self.release_log.released(game, meta.epoch_wall_ms).or_else(under_old_number)
    }

    /// Records that this policy, or a stricter one, hides every event of all known games.
    pub(super) fn record_policy(&mut self, policy: DelayPolicy) {
        let policy_of_absent = policy.strictest(self.strictest);
        self.release_log.hide_absent(|game| self.lines.contains_key(&game), policy_of_absent);
        for (game, line) in &self.lines {
            let Some(meta) = &line.meta else { continue };
            let mut released = line.line.released();
            let policy = released.stricter.map_or(policy, |(_, stricter)| stricter.strictest(policy));
            released.stricter = Some((line.last, policy));
            self.release_log.record_released(*game, meta.epoch_wall_ms, &released);
        }
    }

    /// Records how much of all games has been released, and which of their events are hidden by an earlier policy.
    pub(super) fn record_releases(&mut self) {
        for (game, line) in &self.lines {
            if let Some(meta) = &line.meta {
                self.release_log.record_released(*game, meta.epoch_wall_ms, &line.line.released());
            }
        }
    }

    /// Makes an event public. `meta`: what the hub knows of the game; `in_memory`: the games that it has. Returns the event as
    /// published; `None`: nothing is known of the game.
    pub(super) fn release(
        &mut self,
        game: u64,
        stamped: StampedEvent,
        mode: PublishMode,
        meta: Option<GameMeta>,
        in_memory: &[u64],
    ) -> Option<Published> {
        // The hub may have removed the game meanwhile.
        let meta = meta.or_else(|| self.lines.get(&game)?.meta.clone())?;
        let GameMeta { board, epoch_wall_ms, epoch_steady_ms, tags, own_tags, .. } = meta;
        let id = board.id.clone();
        if let Some(released) = self.lines.get(&game).map(|line| line.line.released()) {
            self.release_log.record(game, epoch_wall_ms, stamped.number.unwrap_or(0), &released);
        }
        let events = self.events.entry(game).or_default();
        let number = events.len() as u64 + 1;
        let stamped = StampedEvent { number: Some(number), ..stamped };
        events.push(stamped.clone());
        if matches!(stamped.event, Event::GameStarted { .. }) {
            let earlier: Vec<u64> =
                self.state.games.values().filter(|other| other.board == id && other.id < game).map(|other| other.id).collect();
            for other in earlier {
                if let Some(line) = self.lines.get_mut(&other) {
                    line.line.end();
                }
            }
            self.lines.retain(|game, line| in_memory.contains(game) || line.line.is_waiting());
        }
        let serial_number = board.serial_number.clone();
        // The board's identity is public.
        self.state.boards.entry(id.clone()).or_insert(board).serial_number = serial_number;
        self.state.apply(&id, Some(game), epoch_wall_ms, &tags, &stamped);
        if let Some(view) = self.state.games.get_mut(&game) {
            view.epoch_steady_ms = epoch_steady_ms;
            // The players' names are public.
            view.record.tags = public_tags(&own_tags);
            hide_tags(&self.forgotten, &mut view.record.tags);
            if mode == PublishMode::StateChange {
                view.last_recalled_number = number;
            }
        }
        let State { games, .. } = &self.state;
        let public_games: Vec<u64> = games.keys().copied().collect();
        self.events.retain(|game, _| public_games.contains(game));
        // Games of boards that are not plugged in yet have been released, too.
        if let Some(first) = in_memory.first().filter(|_| matches!(stamped.event, Event::GameStarted { .. })) {
            self.release_log.forget_before(first.saturating_sub(KEPT_GAME_NUMBERS));
        }
        let wall_ms = epoch_wall_ms.saturating_add_unsigned(stamped.at);
        Some(Published { board: id, game: Some(game), wall_ms, age_ms: 0, stamped })
    }
}

/// The release of one game.
pub(super) struct GameRelease {
    pub(super) line: DelayLine,
    /// Number of the last durable event processed.
    pub(super) last: u64,
    /// Time of that event on the clock of the delay lines.
    pub(super) pushed_at: i64,
    /// Last known data of the game.
    pub(super) meta: Option<GameMeta>,
}

/// Data of a game other than its events.
#[derive(Clone)]
pub(super) struct GameMeta {
    /// Board of the game, reduced to what is public.
    pub(super) board: BoardView,
    pub(super) epoch_wall_ms: i64,
    pub(super) epoch_steady_ms: i64,
    pub(super) carried_from: Option<u64>,
    pub(super) tags: Arc<[(String, String)]>,
    pub(super) own_tags: Vec<(String, String)>,
}

impl GameMeta {
    /// Reads the hub's data of a game; `None`: the hub no longer has it in memory.
    pub(super) fn read(state: &State, game: u64) -> Option<GameMeta> {
        let game = state.games.get(&game)?;
        let board = state.boards.get(&game.board)?;
        let serial_number = board.serial_number.clone();
        let board = BoardView { serial_number, ..BoardView::new(board.id.clone(), board.model, board.sensing) };
        let (tags, own_tags) = (Arc::clone(&game.tags), game.record.tags.clone());
        let GameView { epoch_wall_ms, epoch_steady_ms, continued_from: carried_from, .. } = *game;
        Some(GameMeta { board, epoch_wall_ms, epoch_steady_ms, carried_from, tags, own_tags })
    }
}

/// What is published about events that turn out to be released already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PublishMode {
    /// Publish each event, because front-ends received those before it.
    EachEvent,
    /// Publish only that the state changed: the events were released before this process was started.
    StateChange,
}

/// Returns the tags that are public at once: who plays, and where.
pub(super) fn public_tags(tags: &[(String, String)]) -> Vec<(String, String)> {
    const OTHER_PUBLIC_TAGS: [&str; 6] = ["Event", "Site", "Date", "Round", "Table", "TimeControl"];
    /// Suffixes of `White` and `Black`.
    const PLAYER_TAG_SUFFIXES: [&str; 10] =
        ["", "Title", "Elo", "FideId", "Team", "Federation", "Country", "USCF", "NA", "Type"];
    let of_player = |name: &str| {
        let player = name.strip_prefix("White").or_else(|| name.strip_prefix("Black"));
        player.is_some_and(|suffix| PLAYER_TAG_SUFFIXES.contains(&suffix))
    };
    tags.iter().filter(|(name, _)| of_player(name) || OTHER_PUBLIC_TAGS.contains(&name.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_tags_of_players_and_table_are_public_at_once() {
        let tags = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect::<Vec<_>>();
        let public = tags(&["White", "BlackTitle", "WhiteFideId", "Round", "Table"]);
        let hidden = tags(&["WhiteNote", "BlackClock", "WhiteRatingDiff", "Annotator", "Result"]);
        assert_eq!(super::public_tags(&[public.clone(), hidden].concat()), public);
    }
}
