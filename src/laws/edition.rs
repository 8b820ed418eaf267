//! Editions of the Laws of Chess. Each is a file under `config/data/laws`: articles by topic, figures and choices.
//!
//! The file lists the topics that the edition does not cover, or whose text is not available, with the reason. For these topics an
//! edition returns `None`, and nothing is reported.

mod read;
mod rules;
mod topic;

pub(in crate::laws) use read::Reader;
pub use rules::{
    ClaimLost, ClaimPenalty, Completion, FiveFold, FlagCaller, Halving, IllegalMoveFinality, IllegalPosition, Increment,
    NoMate, PawnLeft, PenaltyLadder, Quickplay, ReversedColoursRule, RookFirst, Rules, RulingTrigger, TimeLimits,
};
pub use topic::Topic;

use crate::laws::word::laws_words;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The files, oldest first.
const FILES: &[(&str, &str)] = &[
    ("china-1973", include_str!("../../config/data/laws/china-1973.toml")),
    ("fide-1997", include_str!("../../config/data/laws/fide-1997.toml")),
    ("fide-2009", include_str!("../../config/data/laws/fide-2009.toml")),
    ("fide-2014", include_str!("../../config/data/laws/fide-2014.toml")),
    ("fide-2017", include_str!("../../config/data/laws/fide-2017.toml")),
    ("fide-2018", include_str!("../../config/data/laws/fide-2018.toml")),
    ("fide-2023", include_str!("../../config/data/laws/fide-2023.toml")),
];

/// The names of all editions, oldest first.
pub const EDITIONS: [&str; FILES.len()] = {
    let mut names = [""; FILES.len()];
    let mut i = 0;
    while i < FILES.len() {
        names[i] = FILES[i].0;
        i += 1;
    }
    names
};

/// Editions from this machine's own files.
static LOCAL_EDITIONS: OnceLock<Vec<Edition>> = OnceLock::new();

/// The parsed editions. Each is parsed on first use, so a machine that uses one edition keeps one in memory.
static PARSED_EDITIONS: [OnceLock<Edition>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// Returns the edition of a file, from this machine's own files or the built-in one.
fn edition(file: &(&str, &str), parsed: &'static OnceLock<Edition>) -> &'static Edition {
    let (name, text) = file;
    parsed.get_or_init(|| {
        let local = LOCAL_EDITIONS.get().and_then(|local| local.iter().rfind(|edition| edition.name == *name).cloned());
        local.unwrap_or_else(|| match Edition::parse(name, text) {
            Ok(edition) => edition,
            // The files are part of the program, and a test parses all of them.
            Err(problems) => unreachable!("config/data/laws/{name}.toml: {}", problems.join("; ")),
        })
    })
}

laws_words! {
    /// The time class of a game (A.1, B.1).
    pub enum TimeClass {
        /// Neither rapid nor blitz.
        Standard = "standard",
        /// Appendix A.
        Rapid = "rapid",
        /// Appendix B.
        Blitz = "blitz",
    }

    /// The level of supervision of games (A.4, B.2). It has no effect in standard games.
    pub enum Supervision {
        /// The number of games per arbiter is as the edition requires, and each game is recorded: the competition rules apply.
        Full = "full",
        /// Less supervision than the edition requires for [`Supervision::Full`].
        Limited = "limited",
    }
}

/// The reason why an edition has no article on a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The edition does not cover the topic.
    Silent,
    /// The edition may cover the topic, but the text is not available.
    Unavailable,
}

/// An edition of the Laws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edition {
    /// Its name in the configuration, e.g. `fide-2023`.
    pub name: String,
    /// Its name in a sentence.
    pub title: String,
    /// The first year in which it was in force.
    pub from: u16,
    /// The last year in which it was in force; `None` if it still is.
    pub until: Option<u16>,
    /// The source of this file, and which parts of it are not available.
    pub text: String,
    /// The limits of the time classes.
    pub limits: Option<TimeLimits>,
    /// The reasons for topics without an article.
    gaps: BTreeMap<Topic, Gap>,
    /// The content for each of the five kinds of games.
    kinds: BTreeMap<GameKind, Content>,
}

/// A kind of games. Supervision matters only in rapid and blitz games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GameKind(TimeClass, Supervision);

/// The articles and rules for one kind of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Content {
    articles: BTreeMap<Topic, String>,
    rules: Rules,
}

impl Edition {
    /// Iterates over all editions, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = &'static Edition> {
        FILES.iter().zip(&PARSED_EDITIONS).map(|(file, read)| edition(file, read))
    }

    /// Returns the edition with this name.
    pub fn named(name: &str) -> Option<&'static Edition> {
        FILES.iter().zip(&PARSED_EDITIONS).find(|(file, _)| file.0 == name).map(|(file, read)| edition(file, read))
    }

    /// Returns the text of the built-in file.
    pub fn source(name: &str) -> Option<&'static str> {
        FILES.iter().find(|file| file.0 == name).map(|file| file.1)
    }

    /// Replaces the built-in editions of the same names; of several with one name the last is used. Only the first call has an
    /// effect, and only before the first request for an edition.
    pub fn replace(editions: Vec<Edition>) {
        let _ = LOCAL_EDITIONS.set(editions);
    }

    /// Parses the text of a file, which must have this name.
    ///
    /// # Errors
    /// Returns all problems in the text.
    pub fn parse(name: &str, text: &str) -> Result<Edition, Vec<String>> {
        Edition::parse_with_warnings(name, text).map(|(edition, _)| edition)
    }

    /// Parses the text as [`Edition::parse`] does. Also returns a warning for each key that only earlier versions read, and for
    /// each topic that earlier versions did not know: such a file is still valid.
    ///
    /// # Errors
    /// Returns all problems in the text.
    pub fn parse_with_warnings(name: &str, text: &str) -> Result<(Edition, Vec<String>), Vec<String>> {
        read::edition(name, text)
    }

    /// Returns why the edition has no article on this topic in any kind of games.
    pub fn gap(&self, topic: Topic) -> Option<&Gap> {
        self.gaps.get(&topic)
    }

    /// Returns the time class of a game with this time for all moves (or for the first 60) and this increment per move, each per
    /// player and in seconds. `None` if the definition is not available.
    pub fn time_class(&self, allotted_s: u32, increment_s: u32) -> Option<TimeClass> {
        let limits = self.limits?;
        let total = u64::from(allotted_s) + 60 * u64::from(increment_s);
        Some(if total < u64::from(limits.rapid_from_s) {
            TimeClass::Blitz
        } else if total < u64::from(limits.standard_from_s) {
            TimeClass::Rapid
        } else {
            TimeClass::Standard
        })
    }

    fn content(&self, class: TimeClass, supervision: Supervision) -> Option<&Content> {
        let supervision = if class == TimeClass::Standard { Supervision::Full } else { supervision };
        self.kinds.get(&GameKind(class, supervision))
    }

    /// Returns the article on a topic in one kind of games, e.g. `7.5.1`; several are separated by `, `.
    pub(in crate::laws) fn article(&self, class: TimeClass, supervision: Supervision, topic: Topic) -> Option<&str> {
        self.content(class, supervision)?.articles.get(&topic).map(String::as_str)
    }

    /// Returns the figures and choices of one kind of games.
    pub(in crate::laws) fn rules(&self, class: TimeClass, supervision: Supervision) -> Option<&Rules> {
        self.content(class, supervision).map(|content| &content.rules)
    }
}
