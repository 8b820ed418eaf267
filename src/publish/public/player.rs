//! What is published of a player.

use super::PublicOptions;
use crate::daemon::hub::round_games::tag_value;
use crate::round::Player;
use serde::Serialize;

/// All that is published of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct PublicPlayer {
    /// Surname, a comma, first names; empty: not known.
    pub name: String,
    /// GM, WIM, …; or empty.
    pub title: String,
    /// The rating.
    pub rating: Option<u16>,
    /// The federation's code; or empty.
    pub federation: String,
    /// The team; or empty.
    pub team: String,
    /// FIDE's number, if the organiser has switched it on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fide_id: Option<u32>,
}

impl PublicPlayer {
    /// Returns what is published of a player of the pairings.
    pub(super) fn new(player: &Player, options: &PublicOptions) -> PublicPlayer {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        PublicPlayer {
            name: player.name.clone(),
            title: text(&player.title),
            rating: player.rating,
            federation: text(&player.federation),
            team: text(&player.team),
            fide_id: player.fide_id.filter(|_| options.fide_ids),
        }
    }

    /// Returns what is published of the player with this colour (`White` or `Black`) of a game without a pairing.
    pub(super) fn from_tags(tags: &[(String, String)], colour: &str, options: &PublicOptions) -> PublicPlayer {
        let tag = |name: &str| tag_value(tags, &format!("{colour}{name}")).filter(|value| *value != "?").unwrap_or_default();
        PublicPlayer {
            name: tag("").to_owned(),
            title: tag("Title").to_owned(),
            rating: tag("Elo").parse().ok(),
            federation: tag("Federation").to_owned(),
            team: tag("Team").to_owned(),
            fide_id: tag("FideId").parse().ok().filter(|_| options.fide_ids),
        }
    }
}
