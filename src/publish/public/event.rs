//! The event, and where everything else is.

use super::PublicOptions;
use crate::daemon::hub::round_games::tag_value;
use crate::game::Delay;
use crate::locale::Locale;
use crate::round::Round;
use serde::Serialize;

/// The version of the documents.
const FORMAT: u32 = 1;

/// The event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct EventDocument {
    /// The version of the documents.
    pub format: u32,
    /// The event's name.
    pub name: String,
    /// Where it is played.
    pub site: String,
    /// When.
    pub date: String,
    /// The delay in milliseconds.
    pub delay_ms: u64,
    /// The delay in plies.
    pub delay_plies: u32,
    /// The round that is played.
    pub round: Option<u16>,
    /// All public rounds.
    pub rounds: Vec<RoundSummary>,
    /// Whether there are standings.
    pub standings: bool,
    /// Whether pages may evaluate positions.
    pub evaluation: bool,
    /// The languages, the preferred one first.
    pub languages: Vec<Language>,
    /// The address of the stream.
    pub stream: Option<&'static str>,
    /// How often to read the documents again without it.
    pub poll_s: u64,
    /// The address of the page.
    pub address: Option<String>,
}

/// A round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct RoundSummary {
    /// Its number.
    pub number: u16,
    /// When it is played.
    pub date: String,
    /// The number of its tables.
    pub tables: usize,
    /// How many of these have a result.
    pub finished: usize,
    /// The address of its document.
    pub address: String,
}

/// A language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Language {
    /// Its BCP 47 tag.
    pub tag: &'static str,
    /// Its name in the language itself.
    pub name: &'static str,
    /// The direction of its script.
    pub direction: &'static str,
    /// Whether a person has reviewed the translation.
    pub reviewed: bool,
    /// The address of its texts.
    pub address: String,
}

impl Language {
    /// Describes a language.
    fn new(locale: Locale) -> Language {
        let tag = locale.tag();
        Language {
            tag,
            name: locale.name(),
            direction: locale.direction().word(),
            reviewed: locale.is_public_page_reviewed(),
            address: format!("words/{tag}.json"),
        }
    }
}

impl EventDocument {
    /// Describes the event. `round`: the one that is played, as it was loaded.
    pub(super) fn new(
        options: &PublicOptions,
        delay: Delay,
        round: Option<&Round>,
        rounds: Vec<RoundSummary>,
        standings: bool,
    ) -> EventDocument {
        let known = |name: &str| tag_value(&options.tags, name).filter(|value| *value != "?").unwrap_or_default().to_owned();
        let of_round = |text: fn(&Round) -> &Option<String>, name: &str| {
            round.and_then(|round| text(round).clone()).unwrap_or_else(|| known(name))
        };
        let mut languages: Vec<Locale> = Locale::PUBLIC.to_vec();
        languages.sort_by_key(|locale| *locale != options.language);
        EventDocument {
            format: FORMAT,
            name: of_round(|round| &round.event, "Event"),
            site: of_round(|round| &round.site, "Site"),
            date: of_round(|round| &round.date, "Date"),
            delay_ms: delay.ms,
            delay_plies: delay.plies,
            round: rounds.last().map(|round| round.number),
            rounds,
            standings,
            evaluation: options.evaluation && (delay.ms > 0 || delay.plies > 0),
            languages: languages.into_iter().map(Language::new).collect(),
            stream: options.has_stream.then_some("stream"),
            poll_s: options.poll_s,
            address: options.address.clone(),
        }
    }
}
