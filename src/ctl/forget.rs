//! `touchmovectl forget`.

use crate::ctl::service::{Service, confirm, print};
use crate::desk::{DeskAct, ForgottenPlayer};
use crate::publish::client::{Client, ClientError};
use crate::publish::dbus::Stream;
use crate::round::{Player, Round};
use std::fmt::Write;

/// Most names that are suggested.
const MAX_SUGGESTIONS: usize = 8;

/// Stop naming a player, also in stored games
///
/// The journal keeps what was stored, since its entries are proven by those that follow; from now on, what is read from it has another
/// name. Shows first where the player is named, and asks.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl forget 'Adams, Michael'
  touchmovectl forget 'Adams, Michael' --fide-id 400041")]
pub struct Args {
    /// The name, as in the pairings, without title
    player: String,
    /// Only the player with this FIDE ID, among several of this name
    #[arg(long, value_name = "N")]
    fide_id: Option<u32>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    service: Service,
}

/// Where a player is named.
#[derive(Default)]
struct Mentions {
    /// Lines such as `round 3, table 14`.
    places: Vec<String>,
    /// The FIDE IDs of those who have this name.
    fide_ids: Vec<u32>,
    /// The number of games in memory.
    games: usize,
    /// The names of all players.
    names: Vec<String>,
}

/// Runs the subcommand.
pub async fn run(Args { player: name, fide_id, yes, service }: Args) -> anyhow::Result<()> {
    anyhow::ensure!(
        matches!(service.stream(), Stream::Live | Stream::Operator),
        "names can only be changed on the live stream: leave --broadcast out"
    );
    let client = service.connect().await?;
    let player = ForgottenPlayer { name: name.trim().to_owned(), fide_id };
    let mentions = find(&client, &player).await?;
    if mentions.places.is_empty() && mentions.games == 0 {
        return Err(ClientError::NotFound(not_found(&player.name, &mentions.names)).into());
    }
    if let (None, [_, _, ..]) = (fide_id, &mentions.fide_ids[..]) {
        let ids: Vec<String> = mentions.fide_ids.iter().map(u32::to_string).collect();
        anyhow::bail!("several players are called {}: add --fide-id, one of {}", player.name, ids.join(", "));
    }
    print(&preview(&player.name, &mentions))?;
    if !confirm(&format!("Stop naming {}?", player.name), yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    client.change_desk(&DeskAct::Forget { player: player.clone() }).await?;
    Ok(print(&format!("{} is not named any more\n", player.name))?)
}

/// Finds where a player is named.
async fn find(client: &Client, player: &ForgottenPlayer) -> anyhow::Result<Mentions> {
    let mut mentions = Mentions::default();
    for summary in client.desk(None).await?.rounds {
        if let Some(round) = client.desk(Some(summary.number)).await?.round {
            mentions.add_round(&round, player);
        }
    }
    let is_named = |tags: &std::collections::BTreeMap<String, String>| {
        ["White", "Black"].iter().any(|colour| tags.get(*colour).is_some_and(|name| *name == player.name))
    };
    let games = client.snapshot().await?.games;
    mentions.games = games.iter().filter(|game| is_named(&game.tags)).count();
    Ok(mentions)
}

impl Mentions {
    fn add_round(&mut self, round: &Round, player: &ForgottenPlayer) {
        let tables = round.pairings.iter().flat_map(|pairing| {
            let place = format!("round {}, table {}", round.number, pairing.table);
            [(place.clone(), &pairing.white), (place, &pairing.black)]
        });
        let byes = round.byes.iter().map(|bye| (format!("round {}, without an opponent", round.number), &bye.player));
        for (place, other) in tables.chain(byes) {
            self.add(place, other, player);
        }
    }

    fn add(&mut self, place: String, other: &Player, player: &ForgottenPlayer) {
        if !self.names.contains(&other.name) {
            self.names.push(other.name.clone());
        }
        let is_other = player.fide_id.is_some() && other.fide_id.is_some() && player.fide_id != other.fide_id;
        if other.name != player.name || is_other {
            return;
        }
        self.places.push(place);
        self.fide_ids.extend(other.fide_id.filter(|id| !self.fide_ids.contains(id)));
    }
}

/// Returns what forgetting a player does, and what it cannot do.
fn preview(name: &str, mentions: &Mentions) -> String {
    let mut text = format!("{name} is named in\n");
    for place in &mentions.places {
        let _ = writeln!(text, "  {place}");
    }
    if mentions.games > 0 {
        let _ = writeln!(text, "  games in memory: {}", mentions.games);
    }
    text.push_str(
        "Instead there will be \"Player\" with a number, also in rounds that are loaded later and in all stored games. Title, rating,\n\
         federation, team and FIDE ID are removed with the name. This cannot be undone.\n\
         The name stays in the journal and its backups, in files that [files] wrote for earlier rounds, in recordings of the log,\n\
         and where others have copied it, such as Lichess: delete it there.\n",
    );
    text
}

fn not_found(name: &str, names: &[String]) -> String {
    let wanted = name.to_lowercase();
    let is_near = |known: &&String| {
        let known = known.to_lowercase();
        wanted.split([' ', ',']).any(|part| part.len() > 2 && known.contains(part))
    };
    let near: Vec<&str> = names.iter().filter(is_near).take(MAX_SUGGESTIONS).map(String::as_str).collect();
    match near[..] {
        [] => format!("nobody is called {name} in the loaded rounds and in the games: `touchmovectl round show` has the names"),
        _ => format!("nobody is called {name}; there are: {}", near.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::trf::TableOrder;

    #[test]
    fn players_are_found_by_name_and_fide_id() {
        let text = "table,white,black,white_fide_id\n1,\"Ada, A\",Bob,7\n2,Cid,Dee,\n";
        let round = Round::read(text, Some(3), &TableOrder::Unknown).expect("a round");
        let places = |name: &str, fide_id| {
            let mut mentions = Mentions::default();
            mentions.add_round(&round, &ForgottenPlayer { name: name.to_owned(), fide_id });
            mentions.places
        };
        assert_eq!(places("Ada, A", None), ["round 3, table 1"]);
        assert_eq!(places("Ada, A", Some(7)), ["round 3, table 1"]);
        assert!(places("Ada, A", Some(8)).is_empty() && places("Ada", None).is_empty());
        assert_eq!(places("Dee", Some(8)), ["round 3, table 2"]);
        let names = ["Ada, A", "Bob"].map(str::to_owned);
        assert_eq!(not_found("ada", &names), "nobody is called ada; there are: Ada, A");
        assert!(not_found("Zoe", &names).contains("round show"));
    }
}
