//! Editions of the Laws of Chess. Each is a file under `config/laws`: articles by topic, figures and choices.
//!
//! What an edition does not say, and what it says in a text that is not at hand, is listed in its file with the reason; asked
//! for that, an edition answers `None`, and then nothing is said to anybody.

mod read;
mod rules;
mod topic;

pub(in crate::laws) use read::Reader;
pub use rules::{
    ClaimLost, ClaimPenalty, Completion, FiveFold, FlagCaller, Halving, IllegalPosition, Increment, Ladder, NoMate, PawnLeft,
    Quickplay, Reversed, RookFirst, Ruled, Rules, Stands, TimeLimits,
};
pub use topic::Topic;

use crate::laws::word::worded;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The files, oldest first.
const FILES: [(&str, &str); 7] = [
    ("china-1973", include_str!("../../config/laws/china-1973.toml")),
    ("fide-1997", include_str!("../../config/laws/fide-1997.toml")),
    ("fide-2009", include_str!("../../config/laws/fide-2009.toml")),
    ("fide-2014", include_str!("../../config/laws/fide-2014.toml")),
    ("fide-2017", include_str!("../../config/laws/fide-2017.toml")),
    ("fide-2018", include_str!("../../config/laws/fide-2018.toml")),
    ("fide-2023", include_str!("../../config/laws/fide-2023.toml")),
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

/// Those of somebody's own.
static OWN: OnceLock<Vec<Edition>> = OnceLock::new();

/// Each as it is read, when it is first needed: a machine that uses one edition keeps one in memory.
static READ: [OnceLock<Edition>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// The edition of a file, from this machine's own files or as it is built in.
fn edition(file: &(&str, &str), read: &'static OnceLock<Edition>) -> &'static Edition {
    let (name, text) = file;
    read.get_or_init(|| {
        let own = OWN.get().and_then(|own| own.iter().rfind(|edition| edition.name == *name).cloned());
        own.unwrap_or_else(|| match Edition::parse(name, text) {
            Ok(edition) => edition,
            // The files are part of the program, and a test reads them all.
            Err(problems) => unreachable!("config/laws/{name}.toml: {}", problems.join("; ")),
        })
    })
}

worded! {
    /// How fast a game is (A.1, B.1).
    pub enum TimeClass {
        /// Neither rapid nor blitz.
        Standard = "standard",
        /// Appendix A.
        Rapid = "rapid",
        /// Appendix B.
        Blitz = "blitz",
    }

    /// Whether somebody watches and records every game (A.4, B.2); in a standard game that makes no difference.
    pub enum Supervision {
        /// So many games an arbiter as the edition asks for, and each recorded: the competition rules apply.
        Full = "full",
        /// Less than that.
        Limited = "limited",
    }
}

/// Why an edition has no article on something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// It says nothing of it.
    Silent,
    /// It may say something, in a text that is not at hand.
    NotAtHand,
}

/// One edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edition {
    /// Its name in the configuration, e.g. `fide-2023`.
    pub name: String,
    /// Its name in a sentence.
    pub title: String,
    /// The first year in which it was in force.
    pub from: u16,
    /// The last year in which it was in force; `None`: it still is.
    pub until: Option<u16>,
    /// What this file rests on, and what of it is not at hand.
    pub text: String,
    /// What a game of how much time is.
    pub limits: Option<TimeLimits>,
    /// Why there is no article on a topic that has none.
    gaps: BTreeMap<Topic, Gap>,
    /// Five kinds of games, by [`Kind`].
    kinds: BTreeMap<Kind, Content>,
}

/// A kind of games: supervision matters only where the game is not a standard one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind(TimeClass, Supervision);

/// What holds in one kind of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Content {
    articles: BTreeMap<Topic, String>,
    rules: Rules,
}

impl Edition {
    /// All of them, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = &'static Edition> {
        FILES.iter().zip(&READ).map(|(file, read)| edition(file, read))
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Edition> {
        FILES.iter().zip(&READ).find(|(file, _)| file.0 == name).map(|(file, read)| edition(file, read))
    }

    /// The file that is built in.
    pub fn source(name: &str) -> Option<&'static str> {
        FILES.iter().find(|file| file.0 == name).map(|file| file.1)
    }

    /// Takes these in the place of those that are built in under the same names; the last of several. It counts once, and
    /// before anything asked for an edition.
    pub fn replace(own: Vec<Edition>) {
        let _ = OWN.set(own);
    }

    /// Reads the text of a file, which must have this name.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(name: &str, text: &str) -> Result<Edition, Vec<String>> {
        Edition::parse_with_warnings(name, text).map(|(edition, _)| edition)
    }

    /// The same, with a warning for each key that an earlier version read and this one does not, and for each topic that an
    /// earlier version did not know: the file is an edition all the same.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse_with_warnings(name: &str, text: &str) -> Result<(Edition, Vec<String>), Vec<String>> {
        read::edition(name, text)
    }

    /// Why it has no article on this, in no kind of games.
    pub fn gap(&self, topic: Topic) -> Option<&Gap> {
        self.gaps.get(&topic)
    }

    /// What a game of this time is: what each player has for all moves, or for the first 60 together, and what each move adds;
    /// seconds. `None` where the definition is not at hand.
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
        self.kinds.get(&Kind(class, supervision))
    }

    /// The article on a topic in one kind of games, e.g. `7.5.1`; more than one are separated by `, `.
    pub(in crate::laws) fn article(&self, class: TimeClass, supervision: Supervision, topic: Topic) -> Option<&str> {
        self.content(class, supervision)?.articles.get(&topic).map(String::as_str)
    }

    /// The figures and choices of one kind of games.
    pub(in crate::laws) fn rules(&self, class: TimeClass, supervision: Supervision) -> Option<&Rules> {
        self.content(class, supervision).map(|content| &content.rules)
    }
}
