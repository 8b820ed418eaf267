//! Players who have asked not to be named any more.
//!
//! Their names are in acts and events that are stored already, and those do not change. What is read from them has another name in
//! its place, also in rounds that are loaded later.

use super::Desk;
use crate::round::{Player, Round};
use serde::{Deserialize, Serialize};

/// A player who is not named any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgottenPlayer {
    /// The name.
    pub name: String,
    /// FIDE's number, which alone counts for a player whose number is known; `None`: whoever has that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fide_id: Option<u32>,
}

impl ForgottenPlayer {
    /// Returns whether this is the player.
    fn is(&self, name: &str, fide_id: Option<u32>) -> bool {
        match (self.fide_id, fide_id) {
            // Files spell names differently.
            (Some(known), Some(fide_id)) => known == fide_id,
            _ => self.name == name,
        }
    }
}

/// Returns what a player is called instead, by their place in the list.
fn replacement(place: usize) -> String {
    format!("Player {}", place + 1)
}

/// Returns what a player of this list is called instead; `None`: they are named.
fn replaced(forgotten: &[ForgottenPlayer], name: &str, fide_id: Option<u32>) -> Option<String> {
    forgotten.iter().position(|player| player.is(name, fide_id)).map(replacement)
}

/// Replaces the names of these players in the tags of a game, and removes what the tags say of them.
pub fn hide_tags(forgotten: &[ForgottenPlayer], tags: &mut Vec<(String, String)>) {
    for colour in ["White", "Black"] {
        let tag = |name: &str| {
            let found = tags.iter().find(|(known, _)| known.strip_prefix(colour) == Some(name));
            found.map(|(_, value)| value.clone())
        };
        let fide_id = tag("FideId").and_then(|id| id.parse().ok());
        let Some(replaced) = tag("").and_then(|name| replaced(forgotten, &name, fide_id)) else { continue };
        tags.retain(|(known, _)| known.strip_prefix(colour).is_none_or(str::is_empty));
        tags.iter_mut().filter(|(known, _)| known == colour).for_each(|(_, value)| value.clone_from(&replaced));
    }
}

impl Desk {
    /// Stops naming a player.
    pub(super) fn forget(&mut self, player: &ForgottenPlayer) {
        if !self.forgotten.contains(player) {
            self.forgotten.push(player.clone());
        }
        for round in self.rounds.values_mut() {
            hide_players(&self.forgotten, round);
        }
    }

    /// Replaces the names of forgotten players in the tags of a game.
    pub fn hide_tags(&self, tags: &mut Vec<(String, String)>) {
        hide_tags(&self.forgotten, tags);
    }

    /// Returns a player as they may be named.
    pub fn named(&self, player: &Player) -> Player {
        let mut player = player.clone();
        hide_player(&self.forgotten, &mut player);
        player
    }
}

/// Replaces the names of these players in a round.
pub(super) fn hide_players(forgotten: &[ForgottenPlayer], round: &mut Round) {
    let paired = round.pairings.iter_mut().flat_map(|pairing| [&mut pairing.white, &mut pairing.black]);
    let byes = round.byes.iter_mut().map(|bye| &mut bye.player);
    paired.chain(byes).for_each(|player| hide_player(forgotten, player));
}

/// The start number stays, so that results can be returned to the pairing program.
fn hide_player(forgotten: &[ForgottenPlayer], player: &mut Player) {
    if let Some(name) = replaced(forgotten, &player.name, player.fide_id) {
        *player = Player { name, start_number: player.start_number, ..Player::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::DeskAct;
    use crate::round::trf::TableOrder;

    fn desk() -> Desk {
        let text = "table,white,black,white_title,white_fide_id,black_team\n1,Ada,Bob,GM,7,Delft\n2,Cid,Dee,,,\n";
        let round = Round::read(text, Some(1), &TableOrder::Unknown).expect("a round");
        let mut desk = Desk::default();
        desk.apply(&DeskAct::LoadRound { round }).expect("an act");
        desk
    }

    fn forget(desk: &mut Desk, name: &str, fide_id: Option<u32>) {
        let player = ForgottenPlayer { name: name.to_owned(), fide_id };
        desk.apply(&DeskAct::Forget { player }).expect("an act");
    }

    #[test]
    fn a_forgotten_player_has_another_name_in_all_rounds_also_later_ones() {
        let mut desk = desk();
        forget(&mut desk, "Bob", None);
        forget(&mut desk, "Ada", Some(8));
        forget(&mut desk, "Ada", Some(7));
        let names = |desk: &Desk, round| -> Vec<String> {
            let round: &Round = desk.rounds.get(&round).expect("the round");
            round.paired().map(Player::titled_name).collect()
        };
        assert_eq!(names(&desk, 1), ["Player 3", "Player 1", "Cid", "Dee"]);
        let text = format!("{:?}", desk.rounds.get(&1));
        assert!(!text.contains("Delft") && !text.contains("fide_id: Some"), "{text}");
        let later = Round::read("table,white,black\n1,Bob,Cid\n", Some(2), &TableOrder::Unknown).expect("a round");
        desk.apply(&DeskAct::LoadRound { round: later }).expect("an act");
        assert_eq!(names(&desk, 2), ["Player 1", "Cid"]);
        // FIDE's number counts for more than the spelling.
        let text = "table,white,black,white_fide_id\n1,\"Ada, A.\",Dee,7\n";
        let respelt = Round::read(text, Some(3), &TableOrder::Unknown).expect("a round");
        desk.apply(&DeskAct::LoadRound { round: respelt }).expect("an act");
        assert_eq!(names(&desk, 3), ["Player 3", "Dee"]);
    }

    #[test]
    fn tags_about_a_forgotten_player_are_removed() {
        let mut desk = desk();
        forget(&mut desk, "Ada", Some(7));
        let tags = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let mut hidden = tags(&[("White", "Ada"), ("WhiteElo", "2500"), ("Black", "Bob"), ("BlackElo", "1"), ("Round", "1.1")]);
        desk.hide_tags(&mut hidden);
        assert_eq!(hidden, tags(&[("White", "Player 1"), ("Black", "Bob"), ("BlackElo", "1"), ("Round", "1.1")]));
        let other = tags(&[("White", "Ada"), ("WhiteFideId", "9")]);
        let mut same = other.clone();
        desk.hide_tags(&mut same);
        assert_eq!(same, other);
    }
}
