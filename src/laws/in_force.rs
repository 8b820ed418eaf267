//! The Laws in force for an event or a game.

use super::edition::{Completion, EDITIONS, Edition, Rules, Supervision, TimeClass, Topic};
use super::{Irregularity, LawsWord};
use std::fmt;
use std::str::FromStr;

/// The Laws of a game. As text: `fide-2023`, `fide-2023 rapid`, `fide-2023 blitz limited`; the defaults are standard play and full
/// supervision.
#[derive(Clone, Copy)]
pub struct Laws {
    /// The edition of the Laws.
    pub edition: &'static Edition,
    /// The time class of the game.
    pub class: TimeClass,
    /// The level of supervision. It has no effect in standard play.
    pub supervision: Supervision,
}

impl Laws {
    /// Iterates over all articles on a topic, the decisive one first. Empty if the edition does not cover the topic or its text is
    /// not available: then nothing must be reported.
    pub fn articles(&self, topic: Topic) -> impl Iterator<Item = &'static str> + use<> {
        let written = self.edition.article(self.class, self.supervision, topic);
        written.into_iter().flat_map(|articles| articles.split(", "))
    }

    /// Returns the decisive article on a topic, e.g. `7.5.1`.
    pub fn article(&self, topic: Topic) -> Option<&'static str> {
        self.articles(topic).next()
    }

    /// Returns the figures and choices; a field is `None` if the edition does not specify it.
    pub fn rules(&self) -> &'static Rules {
        static NOTHING: Rules = Rules::NONE;
        self.edition.rules(self.class, self.supervision).unwrap_or(&NOTHING)
    }

    /// Returns these Laws with the time class of this time control, if the class differs from that of these Laws. `control` has the
    /// format of the PGN tag TimeControl, e.g. `40/5400+30:1800+30`. `None` for other formats, or if the text is not available.
    pub fn other_class(&self, control: &str) -> Option<Laws> {
        let (mut allotted_s, mut increment_s) = (0u32, 0);
        for period in control.split(':') {
            let period = period.split_once('/').map_or(period, |(_, time)| time);
            let (time, increment) = period.split_once('+').unwrap_or((period, "0"));
            allotted_s = allotted_s.saturating_add(time.trim().parse().ok()?);
            increment_s = increment_s.max(increment.trim().parse().ok()?);
        }
        let class = self.edition.time_class(allotted_s, increment_s)?;
        (class != self.class).then_some(Laws { class, ..*self })
    }

    /// Returns whether this completes a move (6.2.1). If the edition does not say, everything that shows that the move was made
    /// does.
    pub fn completes(&self, by: Completion) -> bool {
        self.rules().completed_by.as_ref().is_none_or(|list| list.contains(&by))
    }

    /// Returns whether this irregularity counts for the penalties for illegal moves.
    pub fn counts(&self, irregularity: Irregularity) -> bool {
        self.rules().counted.as_ref().is_some_and(|counted| counted.contains(&irregularity))
    }
}

/// Standard play under the newest edition.
impl Default for Laws {
    fn default() -> Laws {
        match Edition::all().next_back() {
            Some(edition) => Laws { edition, class: TimeClass::Standard, supervision: Supervision::Full },
            None => unreachable!("at least one edition is built in"),
        }
    }
}

impl PartialEq for Laws {
    fn eq(&self, other: &Laws) -> bool {
        (&self.edition.name, self.class, self.supervision) == (&other.edition.name, other.class, other.supervision)
    }
}

impl Eq for Laws {}

impl fmt::Debug for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Laws({self})")
    }
}

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.edition.name)?;
        if self.class != TimeClass::Standard {
            write!(f, " {}", self.class.word())?;
            if self.supervision != Supervision::Full {
                write!(f, " {}", self.supervision.word())?;
            }
        }
        Ok(())
    }
}

/// The error for a text that does not name known Laws.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLaws {
    /// There is no such edition.
    #[error("unknown edition \"{0}\" of the Laws; write {known}", known = EDITIONS.join(" or "))]
    Edition(String),
    /// The text after the edition is not valid.
    #[error(
        "invalid text \"{0}\" after the edition; write nothing, or \"rapid\" or \"blitz\", optionally followed by \"full\" or \"limited\""
    )]
    Kind(String),
}

impl FromStr for Laws {
    type Err = BadLaws;

    fn from_str(text: &str) -> Result<Laws, BadLaws> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let edition = Edition::named(name).ok_or_else(|| BadLaws::Edition(name.to_owned()))?;
        let mut laws = Laws { edition, class: TimeClass::Standard, supervision: Supervision::Full };
        let rest: Vec<&str> = words.collect();
        let kind = || BadLaws::Kind(rest.join(" "));
        match rest.as_slice() {
            [] => {}
            [class] => laws.class = TimeClass::from_word(class).ok_or_else(kind)?,
            [class, supervision] => {
                laws.class = TimeClass::from_word(class).ok_or_else(kind)?;
                laws.supervision = Supervision::from_word(supervision).ok_or_else(kind)?;
            }
            _ => return Err(kind()),
        }
        Ok(laws)
    }
}
