//! Settings that are changed at run time, over the configuration file.

use touchmove::config::keys::{self, ChangeEffect};
use touchmove::config::settings::{RuntimeSettings, SettingError, ValueSource, earlier_publication};

const AT: &str = "2026-11-25T14:50:00Z";

#[track_caller]
fn refusal(key: &str, value: &str) -> String {
    RuntimeSettings::default().set(key, value, "Anna", AT).unwrap_err().to_string()
}

#[test]
fn every_key_can_be_set_to_its_example_or_in_the_file_only() {
    for (table, key) in keys::all() {
        let name = format!("{}.{}", table.name, key.name);
        let mut settings = RuntimeSettings::default();
        match (settings.set(&name, key.example, "Anna", AT), key.effect) {
            (Err(SettingError::FileOnly(_)), ChangeEffect::FileOnly) => {}
            (Ok(effect), known) => {
                assert_eq!(effect, known, "{name}");
                // Its file is read again as it was.
                assert_eq!(RuntimeSettings::parse(&settings.to_toml()).unwrap(), settings, "{name}");
                let value = settings.list("").into_iter().find(|known| known.name == name).unwrap();
                assert_eq!(value.source, ValueSource::Settings { by: "Anna".into(), at: AT.into() }, "{name}");
                assert_eq!(settings.unset(&name).unwrap(), effect, "{name}");
                assert_eq!(settings, RuntimeSettings::default(), "{name}");
            }
            (refused, _) => panic!("{name}: {refused:?}"),
        }
    }
}

#[test]
fn values_are_typed_as_text_or_toml() {
    let file = "[broadcast]\ndelay_s = 60\ndelay_plies = 3\n[hooks]\nwebhook = 'https://ntfy.sh/x'\n";
    let mut settings = RuntimeSettings::default();
    for (key, value) in [
        ("broadcast.delay_s", "900"),
        ("broadcast.illegal_move", "show"),
        ("hooks.matters", "touch, end"),
        ("hooks.language", "\"zh-Hant\""),
        ("lichess.round", "AbCd1234"),
        ("recordings.on", "false"),
    ] {
        settings.set(key, value, "Anna", AT).unwrap();
    }
    let config = settings.apply(file).unwrap();
    assert_eq!((config.delay.ms, config.delay.plies), (900_000, 3), "what is not set is as in the file");
    assert_eq!((config.hooks.matters.len(), config.hooks.language.tag()), (2, "zh-Hant"));
    assert!(config.lichess.is_some() && config.recordings.is_none() && config.hooks.webhook.is_some());
    settings.set("hooks.webhook", "", "Anna", AT).unwrap();
    settings.set("lichess.round", "", "Anna", AT).unwrap();
    let config = settings.apply(file).unwrap();
    assert!(config.lichess.is_none() && config.hooks.webhook.is_none(), "an empty value switches off");
    settings.unset("broadcast.delay_s").unwrap();
    assert_eq!(settings.apply(file).unwrap().delay.ms, 60_000);
    let sources: Vec<(String, String, ValueSource)> = settings
        .list(file)
        .into_iter()
        .filter(|key| key.name.starts_with("broadcast."))
        .map(|key| (key.name, key.value, key.source))
        .collect();
    let by_anna = ValueSource::Settings { by: "Anna".into(), at: AT.into() };
    assert_eq!(
        sources,
        [
            ("broadcast.delay_s".into(), "60".into(), ValueSource::File),
            ("broadcast.delay_plies".into(), "3".into(), ValueSource::File),
            ("broadcast.illegal_move".into(), "\"show\"".into(), by_anna),
        ]
    );
}

#[test]
fn boards_are_listed_and_not_set() {
    let file = "[[board]]\nname = 'a'\nport = '/dev/x'\n[[board]]\nname = 'b'\nport = '/dev/y'\n";
    let names: Vec<String> = RuntimeSettings::default().list(file).into_iter().map(|key| key.name).collect();
    let boards: Vec<&str> = names.iter().map(String::as_str).filter(|name| name.starts_with("board")).collect();
    assert_eq!(boards, ["board[1].name", "board[1].port", "board[2].name", "board[2].port"]);
    assert_eq!(
        refusal("board.port", "/dev/z"),
        "board.port cannot be changed while touchmoved runs: change it in the configuration file, and restart touchmoved"
    );
}

#[test]
fn wrong_settings_are_refused() {
    assert_eq!(
        refusal("broadcast.delay", "9"),
        "there is no key broadcast.delay; did you mean broadcast.delay_s?: `touchmovectl config` shows all keys"
    );
    assert_eq!(
        refusal("broadcast.delay_s", "long"),
        "\"long\" is not a value of broadcast.delay_s: write a whole number from 0 to 86400 (seconds), such as `touchmovectl config set broadcast.delay_s '900'`"
    );
    assert!(refusal("broadcast.delay_s", "86401").starts_with("\"86401\" is not a value"));
    assert!(refusal("hooks.command", "/bin/sh").contains("cannot be changed while touchmoved runs"));
    assert!(refusal("lichess.round", "7").contains("is not a value"));
    let not_set = RuntimeSettings::default().unset("broadcast.delay_s").unwrap_err().to_string();
    assert!(not_set.contains("was not changed at run time"), "{not_set}");
    // The configuration is checked as a whole.
    let mut settings = RuntimeSettings::default();
    settings.set("laws.time_class", "blitz", "Anna", AT).unwrap();
    let problems = settings.apply("").unwrap_err();
    assert!(problems[0].contains("write supervision"), "{problems:?}");
    settings.set("laws.supervision", "limited", "Anna", AT).unwrap();
    assert!(settings.apply("").is_ok());
    for broken in ["x", "[broadcast]\nx = 1", "[hooks]\ncommand = ['/bin/x']", "delay_s = 1"] {
        assert!(RuntimeSettings::parse(broken).is_err(), "{broken}");
    }
    let settings = RuntimeSettings::parse("[broadcast]\ndelay_s = -1").unwrap();
    assert!(settings.apply("").is_err());
}

#[test]
fn what_the_public_would_see_sooner() {
    let config = |keys: &str| RuntimeSettings::default().apply(&format!("[broadcast]\n{keys}")).unwrap();
    let before = config("delay_s = 900\ndelay_plies = 2");
    for sooner in ["delay_s = 899\ndelay_plies = 2", "delay_s = 9000", "delay_s = 900\ndelay_plies = 2\nillegal_move = 'show'"]
    {
        assert!(earlier_publication(&before, &config(sooner)).is_some(), "{sooner}");
    }
    for later in ["delay_s = 900\ndelay_plies = 2", "delay_s = 901\ndelay_plies = 9"] {
        assert_eq!(earlier_publication(&before, &config(later)), None, "{later}");
    }
}
