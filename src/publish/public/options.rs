//! What the organiser has decided about the public page.

use crate::config::Config;
use crate::locale::Locale;
use crate::publish::engine_files;
use std::path::PathBuf;

/// What the organiser has decided, and how the documents are served.
#[derive(Clone, Debug)]
pub(in crate::publish) struct PublicOptions {
    /// The configured tags of every game.
    pub tags: Vec<(String, String)>,
    /// Whether FIDE IDs are published.
    pub fide_ids: bool,
    /// Whether pages may evaluate positions in the spectator's browser, if there is a delay: the organiser allows it, and there is an engine.
    pub evaluation: bool,
    /// The directory of the engine.
    pub engine: PathBuf,
    /// The address of the page, with a slash at the end.
    pub address: Option<String>,
    /// The language of spectators for whom no other one is known.
    pub language: Locale,
    /// Whether there is a stream of changes.
    pub has_stream: bool,
    /// How often to read the documents again without it, in seconds.
    pub poll_s: u64,
}

impl PublicOptions {
    /// Returns the options of a server with a stream.
    pub(in crate::publish) fn served(config: &Config) -> PublicOptions {
        PublicOptions {
            tags: config.tags.pairs(),
            fide_ids: config.public.fide_ids,
            evaluation: config.public.evaluation && engine_files::are_installed(&config.public.engine),
            engine: config.public.engine.clone(),
            address: config.public.address.clone(),
            language: config.public.language,
            has_stream: true,
            poll_s: 5,
        }
    }

    /// Returns the options of files, which are written at this interval.
    pub(in crate::publish) fn exported(config: &Config, interval_s: u64) -> PublicOptions {
        PublicOptions { has_stream: false, poll_s: interval_s, ..PublicOptions::served(config) }
    }
}
