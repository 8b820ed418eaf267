//! Settings that are changed while touchmoved runs: over D-Bus, by touchmovectl.

use crate::front_ends::dbus::touchmovectl;
use crate::harness::hall::{Hall, client, made};
use crate::harness::{Daemon, eventually, until};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use touchmove::publish::client::{Client, ClientError};
use touchmove::publish::dbus::Stream;

/// A hall with this configuration file.
struct Desk {
    hall: Hall,
    config: PathBuf,
    _dir: TempDir,
}

impl Desk {
    async fn open(text: &str) -> Option<Desk> {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("touchmoved.toml");
        fs::write(&config, text).unwrap();
        let hall = Hall::configured(&["--config", config.to_str().unwrap()]).await?;
        Some(Desk { hall, config, _dir: dir })
    }

    /// Runs touchmovectl with these arguments, and returns its exit code and what it prints.
    fn ctl(&self, args: &[&str]) -> (Option<i32>, String) {
        let (code, output, errors) = touchmovectl(&self.hall.bus.address(), args);
        (code, output + &errors)
    }

    fn settings(&self) -> PathBuf {
        self.hall.state.path().join("settings.toml")
    }

    /// Stops touchmoved and starts it again.
    async fn restart(self) -> Desk {
        let Desk { hall, config, _dir } = self;
        let Hall { client, watch, game, daemon, board, state, bus } = hall;
        assert!(daemon.terminate().success());
        let daemon = Daemon::on(&bus, state.path(), &board.path(), &["--config", config.to_str().unwrap()]);
        daemon.ready();
        Desk { hall: Hall { client, watch, game, daemon, board, state, bus }, config, _dir }
    }
}

/// The moves of the game that spectators see.
async fn public_moves(spectators: &Client) -> Vec<String> {
    let games = spectators.snapshot().await.unwrap().games;
    games.first().map_or_else(Vec::new, |game| game.moves.iter().map(|ply| ply.san.clone()).collect())
}

#[tokio::test]
async fn settings_are_kept_with_who_changed_them() {
    let Some(desk) = Desk::open("[broadcast]\ndelay_s = 60\n").await else { return };
    let before = fs::read_to_string(&desk.config).unwrap();
    let (code, text) = desk.ctl(&["config", "set", "broadcast.delay_s", "900"]);
    assert_eq!((code, text.as_str()), (Some(0), "broadcast.delay_s is set; this takes effect at once\n"));
    let (code, text) = desk.ctl(&["config", "set", "recordings.max_mb", "100"]);
    let restart =
        "recordings.max_mb is set; this takes effect when touchmoved is started next: `sudo systemctl restart touchmoved`\n";
    assert_eq!((code, text.as_str()), (Some(0), restart));
    let user = format!("user {} over D-Bus", rustix::process::getuid().as_raw());
    for desk in [desk.restart().await] {
        let (code, text) = desk.ctl(&["config", "--json"]);
        let keys: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let key = |name: &str| keys.as_array().unwrap().iter().find(|key| key["key"] == name).cloned().unwrap();
        assert_eq!(code, Some(0));
        let delay = key("broadcast.delay_s");
        assert_eq!(
            (&delay["value"], &delay["source"], &delay["by"]),
            (&"900".into(), &"settings".into(), &user.as_str().into())
        );
        assert_eq!(key("broadcast.delay_plies")["source"], "default");
        assert_eq!(key("hooks.command")["effect"], "file_only");
        let (_, text) = desk.ctl(&["config"]);
        assert!(text.lines().any(|line| line.starts_with("broadcast.delay_s ") && line.contains(&user)), "{text}");
        assert_eq!(fs::read_to_string(&desk.config).unwrap(), before, "the configuration file is not written");
        let settings = fs::read_to_string(desk.settings()).unwrap();
        assert!(settings.contains("[broadcast]\ndelay_s = 900\n") && settings.contains(&user), "{settings}");

        for (args, code, sentence) in [
            (&["config", "set", "broadcast.delay", "9"][..], 1, "did you mean broadcast.delay_s?"),
            (&["config", "set", "laws.time_class", "blitz"], 1, "the configuration would be invalid: a blitz event must state"),
            (&["config", "set", "web.listen", "127.0.0.1:1"], 1, "change it in the configuration file"),
            (&["config", "unset", "laws.edition"], 1, "was not changed at run time"),
            (&["config", "set", "broadcast.delay_s", "1"], 1, "confirm it with --yes"),
        ] {
            let (actual, text) = desk.ctl(args);
            assert!(actual == Some(code) && text.contains(sentence), "{args:?}: {text}");
        }
        assert_eq!(fs::read_to_string(desk.settings()).unwrap(), settings, "a change that is refused changes nothing");
        assert_eq!(desk.ctl(&["config", "unset", "broadcast.delay_s", "--yes"]).0, Some(0));
        assert!(!fs::read_to_string(desk.settings()).unwrap().contains("delay_s"));
    }
}

#[tokio::test]
async fn a_shorter_delay_releases_nothing_that_was_hidden() {
    let Some(mut desk) = Desk::open("[broadcast]\ndelay_s = 3600\n").await else { return };
    desk.hall.play("e2", "e4", "e4").await;
    let refused = desk.hall.client.set_key("broadcast.delay_s", "0", false).await.unwrap_err();
    assert!(matches!(&refused, ClientError::Unconfirmed(reason) if reason.contains("events until now keep")), "{refused}");
    desk.hall.client.set_key("broadcast.delay_s", "0", true).await.unwrap();
    desk.hall.play("e7", "e5", "e5").await;
    let spectators = client(&desk.hall.bus, Stream::Broadcast).await;
    // The second game is public at once, so that the first one would be, too.
    let public = |game: u64| spectators_see(&spectators, game);
    desk.hall.client.set_position("dgt_board", "4k3/8/8/8/8/8/8/4K2R w K - 0 1").await.unwrap();
    let second = desk.hall.game + 1;
    until("the second game", async || public(second).await).await;
    assert!(public(desk.hall.game).await.is_none(), "it began an hour early");
    // A restart does not reveal it, either.
    let first = desk.hall.game;
    desk = desk.restart().await;
    let spectators = client(&desk.hall.bus, Stream::Broadcast).await;
    until("the second game again", async || spectators_see(&spectators, second).await).await;
    assert!(spectators_see(&spectators, first).await.is_none());
}

/// Returns whether spectators see this game.
async fn spectators_see(spectators: &Client, game: u64) -> Option<()> {
    spectators.snapshot().await.ok()?.games.iter().any(|known| known.id == game).then_some(())
}

#[tokio::test]
async fn a_longer_delay_holds_at_once() {
    let Some(mut desk) = Desk::open("").await else { return };
    let spectators = desk.hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    desk.hall.play("e2", "e4", "e4").await;
    made(&mut watch, "e4").await;
    desk.hall.client.set_key("broadcast.delay_plies", "1", false).await.unwrap();
    desk.hall.play("e7", "e5", "e5").await;
    desk.hall.play("g1", "f3", "Nf3").await;
    made(&mut watch, "e5").await;
    assert_eq!(public_moves(&spectators).await, ["e4", "e5"]);
}

#[tokio::test]
async fn the_laws_of_new_games_change() {
    let Some(mut desk) = Desk::open("").await else { return };
    desk.hall.play("e2", "e4", "e4").await;
    let (code, text) = desk.ctl(&["config", "set", "laws.edition", "fide-2018"]);
    assert_eq!((code, text.as_str()), (Some(0), "laws.edition is set; this takes effect in games that begin from then on\n"));
    let laws = async |game: u64| {
        let games = desk.hall.client.snapshot().await.unwrap().games;
        games.iter().find(|known| known.id == game).map(|game| game.laws.clone())
    };
    let first = desk.hall.game;
    until("another game under the new Laws", async || {
        desk.hall.client.set_position("dgt_board", "4k3/8/8/8/8/8/8/4K2R w K - 0 1").await.unwrap();
        let last = desk.hall.client.snapshot().await.unwrap().games.last().unwrap().id;
        laws(last).await.filter(|laws| laws == "fide-2018")
    })
    .await;
    assert_eq!(laws(first).await.as_deref(), Some("fide-2023"));
}

#[tokio::test]
async fn broken_settings_are_reported_and_replaced() {
    let Some(desk) = Desk::open("[broadcast]\ndelay_s = 60\n").await else { return };
    for broken in ["this is not TOML", "[broadcast]\ndelay_s = -1\n", "[hooks]\ncommand = ['/bin/x']\n"] {
        fs::write(desk.settings(), broken).unwrap();
    }
    let desk = desk.restart().await;
    let problems = desk.hall.client.snapshot().await.unwrap().health_problems;
    let (kind, sentence) = &problems[0];
    assert!(kind == "settings_ignored" && sentence.contains("settings.toml is not used"), "{problems:?}");
    let (_, text) = desk.ctl(&["config"]);
    assert!(text.lines().any(|line| line.starts_with("broadcast.delay_s ") && line.ends_with("touchmoved.toml")), "{text}");
    assert_eq!(desk.ctl(&["config", "set", "broadcast.delay_s", "900"]).0, Some(0));
    assert_eq!(desk.hall.client.snapshot().await.unwrap().health_problems, Vec::new());
    let kept = fs::read_to_string(desk.settings().with_extension("toml.unused")).unwrap();
    assert!(kept.contains("/bin/x"), "{kept}");
    assert!(fs::read_to_string(desk.settings()).unwrap().contains("delay_s = 900"));
}

#[tokio::test]
async fn front_ends_are_switched_on_and_off() {
    let token = tempfile::NamedTempFile::new().unwrap();
    let Some(desk) = Desk::open("").await else { return };
    assert_eq!(desk.ctl(&["config", "set", "lichess.token_file", token.path().to_str().unwrap()]).0, Some(0));
    assert_eq!(desk.ctl(&["config", "set", "lichess.round", "AbCd1234"]).0, Some(0));
    let lichess = "the configuration of lichess has changed";
    eventually("Lichess to be switched on", || (desk.hall.daemon.log().matches(lichess).count() == 1).then_some(()));
    assert_eq!(desk.ctl(&["config", "set", "hooks.webhook", "http://127.0.0.1:9/x"]).0, Some(0));
    eventually("the webhook", || desk.hall.daemon.log().contains("the configuration of hooks has changed").then_some(()));
    assert_eq!(desk.ctl(&["config", "set", "lichess.round", ""]).0, Some(0));
    eventually("Lichess to be switched off", || (desk.hall.daemon.log().matches(lichess).count() == 2).then_some(()));
    assert!(desk.hall.state.path().join("settings.toml").exists());
}
