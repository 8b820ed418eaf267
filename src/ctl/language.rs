//! The language of the user of touchmovectl.

use crate::locale::Locale;
use crate::publish::client::Client;

/// Returns the language of the environment: `LC_ALL`, `LC_MESSAGES`, `LANG`, the first that is set.
pub fn locale() -> Locale {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    Locale::from_tag(&["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set).unwrap_or_default())
}

/// Returns what the Laws require for an alert, in this language; empty if they leave it open, or the service does not reply.
pub async fn required(client: &Client, game: u64, id: u32, locale: Locale) -> Vec<String> {
    client.describe(game, id, locale).await.map_or_else(|_| Vec::new(), |(_, _, required)| required)
}

/// Returns the sentence of an alert in this language. `english` is used if the service does not reply.
pub async fn alert(client: &Client, game: u64, id: u32, locale: Locale, english: &str) -> String {
    match locale {
        Locale::English => english.to_owned(),
        _ => client.describe(game, id, locale).await.map_or_else(|_| english.to_owned(), |(_, sentence, _)| sentence),
    }
}
