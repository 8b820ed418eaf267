//! The public page as files: the same as the page, only what has changed, and a program that passes it on.

use crate::harness::hall::Hall;
use crate::harness::json_schema::Api;
use crate::harness::organiser::Organiser as _;
use crate::harness::until;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use touchmove::game::{Command, GameResult};

const ROUND: &str = r#"{"number": 1, "pairings": [{"table": 1, "white": {"name": "Ada", "fide_id": 1503014}, "black": {"name": "Bob"}},
    {"table": 2, "white": {"name": "Cid"}, "black": {"name": "Dee"}}]}"#;

/// A hall whose touchmoved exports the page.
struct Export {
    hall: Hall,
    dir: TempDir,
}

impl Export {
    async fn open(keys: &str) -> Option<Export> {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("touchmoved.toml");
        let site = dir.path().join("site");
        std::fs::write(&config, format!("[publish_static]\ndir = '{}'\ninterval_s = 1\n{keys}\n", site.display())).unwrap();
        let hall = Hall::configured(&["--config", config.to_str().unwrap()]).await?;
        Some(Export { hall, dir })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("site").join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_default()
    }

    async fn until_contains(&self, name: &str, text: &str) {
        until(&format!("{text} in {name}"), async || self.read(name).contains(text).then_some(())).await;
    }
}

/// All files below a directory, with their content.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn the_page_is_complete_and_follows_the_games() {
    let Some(mut export) = Export::open("[public]\naddress = 'https://games.example.org/open'").await else { return };
    export.hall.client.load_round(ROUND).await.unwrap();
    export.hall.play("e2", "e4", "e4").await;
    export.until_contains("public/round/1/table/1.json", "\"e2e4\"").await;
    export.until_contains("index.html", "Ada").await;
    let api = Api::read();
    api.assert("Event", &export.json("public/event.json"));
    api.assert("Round", &export.json("public/round/1.json"));
    api.assert("Game", &export.json("public/round/1/table/1.json"));
    api.assert("Standings", &export.json("public/standings.json"));
    let event = export.json("public/event.json");
    assert_eq!((&event["stream"], &event["poll_s"]), (&json!(null), &json!(1)));
    assert_eq!(event["address"], "https://games.example.org/open/");
    let written = files(&export.path(""));
    for name in ["round/1.html", "round/1/table/2.html", "embed/round/1/table/1.html", "standings.html", "public/words/de.json"]
    {
        assert!(written.contains_key(name), "{name} is missing: {:?}", written.keys());
    }
    for name in ["public/qr/round/1/table/1.svg", "page/public/public.js", "page/vendor/flags.png"] {
        assert!(written.contains_key(name), "{name} is missing: {:?}", written.keys());
    }
    // Every relative link leads to a file.
    for (name, content) in written.iter().filter(|(name, _)| name.ends_with(".html")) {
        let text = std::str::from_utf8(content).unwrap();
        let attributes = ["href=\"", "src=\""].into_iter().flat_map(|attribute| text.split(attribute).skip(1));
        for target in attributes
            .map(|rest| rest.split('"').next().unwrap())
            .filter(|target| !target.starts_with('#') && !target.starts_with("data:"))
        {
            let target = Path::new(name).parent().unwrap().join(target);
            let mut path = PathBuf::new();
            for part in target.components() {
                match part {
                    std::path::Component::ParentDir => assert!(path.pop(), "{name} leads out of the folder: {target:?}"),
                    part => path.push(part),
                }
            }
            assert!(written.contains_key(path.to_str().unwrap()), "{name} links to {path:?}, which does not exist");
        }
        assert!(!text.contains("login"), "{name}");
    }
    assert!(!written.iter().any(|(_, content)| content.windows(7).any(|seven| seven == b"1503014")));

    let win = Command::Result { result: Some(GameResult::WhiteWins) };
    export.hall.client.send_command(export.hall.game, &win).await.unwrap();
    export.until_contains("public/event.json", "\"finished\":1").await;
    export.until_contains("public/round/1/table/1.pgn", "1-0").await;
    // Only what has changed is written.
    let unchanged = ["public/round/1/table/2.pgn", "public/words/en.json", "page/public/public.css"];
    let time = |name: &str| std::fs::metadata(export.path(name)).unwrap().modified().unwrap();
    let result_written = time("public/round/1/table/1.pgn");
    assert!(unchanged.iter().all(|name| time(name) < result_written));
    // A table that is no longer paired has no files any more.
    let fewer = r#"{"number": 1, "pairings": [{"table": 1, "white": {"name": "Ada"}, "black": {"name": "Bob"}}]}"#;
    export.hall.client.load_round(fewer).await.unwrap();
    until("the files of table 2 are gone", async || (!export.path("round/1/table/2.html").exists()).then_some(())).await;
    let hidden = |name: &&String| name.rsplit('/').next().unwrap().starts_with('.') && *name != ".touchmove.json";
    // One may exist for the moment in which a file is written.
    until("no temporary file is left", async || (!files(&export.path("")).keys().any(|name| hidden(&name))).then_some(()))
        .await;
}

#[tokio::test]
async fn a_program_passes_on_what_has_changed() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let script = format!("echo \"$TOUCHMOVE_DIR\" >> '{0}'; cat >> '{0}'; test -e '{0}.ok'", log.display());
    let keys = format!("command = ['/bin/sh', '-c', \"\"\"{script}\"\"\"]");
    let Some(export) = Export::open(&keys).await else { return };
    // It fails, is reported, and gets the same paths again.
    let problem = until("the problem", async || {
        let snapshot = export.hall.client.snapshot().await.unwrap();
        snapshot.health_problems.into_iter().find(|(kind, _)| kind == "publish_static_failed")
    })
    .await;
    assert!(problem.1.contains("/bin/sh failed") && problem.1.contains("[publish_static]"), "{problem:?}");
    std::fs::write(format!("{}.ok", log.display()), "").unwrap();
    until("the problem is gone", async || {
        let snapshot = export.hall.client.snapshot().await.unwrap();
        snapshot.health_problems.is_empty().then_some(())
    })
    .await;
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(
        text.matches("\npublic/event.json\n").count() >= 2
            && text.contains(&format!("{}\n", export.path("").display()).replace("/\n", "\n")),
        "{text}"
    );
}

#[tokio::test]
async fn nothing_is_written_before_the_delay() {
    let Some(mut export) = Export::open("[broadcast]\ndelay_s = 3600").await else { return };
    export.hall.client.load_round(ROUND).await.unwrap();
    export.hall.play("e2", "e4", "e4").await;
    export.until_contains("public/round/1.json", "Cid").await;
    let win = Command::Result { result: Some(GameResult::WhiteWins) };
    export.hall.client.send_command(export.hall.game, &win).await.unwrap();
    export.hall.client.load_round(&ROUND.replace("\"number\": 1", "\"number\": 2")).await.unwrap();
    export.until_contains("public/event.json", "\"number\":2").await;
    // Scripts and the description of the documents have such texts as examples.
    let is_game = |name: &str| !name.starts_with("page/") && name != "public/openapi.json";
    for (name, content) in files(&export.path("")).iter().filter(|(name, _)| is_game(name)) {
        for early in ["e2e4", "1. e4", "1-0"] {
            let found = content.windows(early.len()).any(|part| part == early.as_bytes());
            assert!(!found, "{early} is in {name}");
        }
    }
}
