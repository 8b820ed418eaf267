//! The language of whoever runs touchmovectl.

use crate::locale::Locale;
use crate::publish::client::Client;

/// As the environment has it: `LC_ALL`, `LC_MESSAGES`, `LANG`, the first that is set.
pub fn locale() -> Locale {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    Locale::from_tag(&["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set).unwrap_or_default())
}

/// What the Laws then require, in this language; nothing where they leave it open, or the service does not answer.
pub async fn required(client: &Client, game: u64, id: u32, locale: Locale) -> Vec<String> {
    client.describe(game, id, locale).await.map_or_else(|_| Vec::new(), |(_, _, required)| required)
}

/// What an alert of a game says, in this language. `english`: the same in English, for the case that the service does not answer.
pub async fn alert(client: &Client, game: u64, id: u32, locale: Locale, english: &str) -> String {
    match locale {
        Locale::English => english.to_owned(),
        _ => client.describe(game, id, locale).await.map_or_else(|_| english.to_owned(), |(_, sentence, _)| sentence),
    }
}
