//! A strict parser for the files of an [`Edition`]. It reports all problems together.

use super::rules::{ClaimPenalty, Halving, PenaltyLadder, Quickplay, Rules, TimeLimits};
use super::{Content, Edition, GameKind, Gap, Supervision, TimeClass, Topic};
use crate::laws::LawsWord;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The layers of a file. `fast` is rapid and blitz; `limited` is both of them without full supervision.
const LAYERS: [&str; 5] = ["standard", "fast", "limited", "blitz", "blitz_limited"];

/// The layers of each kind of games; later layers override earlier ones.
const KINDS: [(GameKind, &[&str]); 5] = [
    (GameKind(TimeClass::Standard, Supervision::Full), &["standard"]),
    (GameKind(TimeClass::Rapid, Supervision::Full), &["standard", "fast"]),
    (GameKind(TimeClass::Rapid, Supervision::Limited), &["standard", "fast", "limited"]),
    (GameKind(TimeClass::Blitz, Supervision::Full), &["standard", "fast", "blitz"]),
    (GameKind(TimeClass::Blitz, Supervision::Limited), &["standard", "fast", "limited", "blitz", "blitz_limited"]),
];

/// Tests whether a figure is given.
type IsGiven = fn(&Rules) -> bool;

/// Figures that no ruling may use without the article that contains them.
const REQUIRED_ARTICLES: [(&str, Topic, IsGiven); 19] = [
    ("completed_by", Topic::Completed, |rules| rules.completed_by.is_some()),
    ("rook_first", Topic::RookFirst, |rules| rules.rook_first.is_some()),
    ("pawn_left", Topic::PawnLeft, |rules| rules.pawn_left.is_some()),
    ("penalty", Topic::Penalty, |rules| rules.penalty.is_some()),
    ("set_up_moves", Topic::SetUpLimit, |rules| rules.set_up_moves.is_some()),
    ("reversed", Topic::Reversed, |rules| rules.reversed.is_some()),
    ("reversed_within_s", Topic::Reversed, |rules| rules.reversed_within_s.is_some()),
    ("agreement_moves", Topic::Agreement, |rules| rules.agreement_moves.is_some()),
    ("quickplay", Topic::Quickplay, |rules| rules.quickplay.is_some()),
    ("repetition", Topic::Repetition, |rules| rules.repetition.is_some()),
    ("fifty", Topic::Fifty, |rules| rules.fifty.is_some()),
    ("wrong_claim", Topic::WrongClaim, |rules| rules.wrong_claim.is_some()),
    ("five_fold", Topic::FiveFold, |rules| rules.five_fold.is_some()),
    ("seventy_five", Topic::SeventyFive, |rules| rules.seventy_five.is_some()),
    ("claim_lost", Topic::ClaimLost, |rules| rules.claim_lost.is_some()),
    ("resigned", Topic::Resignation, |rules| rules.resigned.is_some()),
    ("flag", Topic::FlagFall, |rules| rules.flag.is_some()),
    ("illegal_position", Topic::IllegalPosition, |rules| rules.illegal_position.is_some()),
    ("flag_called", Topic::FlagCalled, |rules| rules.flag_called.is_some()),
];

/// Figures and choices that no board can detect, or that an article already implies. They are ignored in files that still have
/// them.
const RETIRED_RULES: [&str; 5] = ["intent", "promotion_final", "castling_lost", "default_time", "assistant_s"];
/// Topics on which no ruling is based. They are ignored in files that still have them.
const RETIRED_TOPICS: [&str; 9] = [
    "clock_hand",
    "assistant",
    "default_time",
    "clock_setting",
    "screens",
    "once_a_move",
    "clock_limit",
    "no_help",
    "supervision",
];
/// Topics that files for earlier versions do not have. If they are missing, their text counts as not available.
const RECENT_TOPICS: [Topic; 2] = [Topic::Agreement, Topic::Quickplay];

/// Reads a TOML table and removes each key that it reads. Keys that remain at the end are unknown.
pub(in crate::laws) struct Reader {
    /// The path of the table for messages: empty, or with a dot at the end.
    path: String,
    table: Table,
    problems: Vec<String>,
    warnings: Vec<String>,
}

impl Reader {
    /// Creates a reader for a whole file.
    pub(crate) fn new(text: &str) -> Result<Reader, Vec<String>> {
        match text.parse::<Table>() {
            Ok(table) => Ok(Reader { path: String::new(), table, problems: Vec::new(), warnings: Vec::new() }),
            Err(error) => Err(vec![format!("not valid TOML: {}", error.message())]),
        }
    }

    /// Adds a problem with a key.
    pub(crate) fn report(&mut self, key: &str, problem: impl std::fmt::Display) {
        self.problems.push(format!("{}{key}: {problem}", self.path));
    }

    /// Adds a warning: the key is not interpreted as it is written.
    fn warn(&mut self, key: &str, warning: impl std::fmt::Display) {
        self.warnings.push(format!("{}{key}: {warning}", self.path));
    }

    /// Removes keys of earlier versions, with a warning for each.
    fn retire(&mut self, keys: &[&str]) {
        for key in keys {
            if self.table.remove(*key).is_some() {
                self.warn(key, RETIRED);
            }
        }
    }

    /// Removes and reads the value of a key, if present.
    fn take<T>(&mut self, key: &str, form: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        let value = self.table.remove(key)?;
        let read = read(&value);
        if read.is_none() {
            self.report(key, format_args!("is {value}; write {form}"));
        }
        read
    }

    /// Reads a text that is not empty.
    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        self.take(key, "a string", |value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned))
    }

    /// Reads a number of at most five digits.
    pub(crate) fn number(&mut self, key: &str) -> Option<u32> {
        let small = |number: i64| u32::try_from(number).ok().filter(|number| *number < 100_000);
        self.take(key, "a whole number below 100000", |value| value.as_integer().and_then(small))
    }

    /// Reads a number of occurrences, which must be at least 2.
    fn times(&mut self, key: &str) -> Option<u32> {
        let times = |number: i64| u32::try_from(number).ok().filter(|number| (2..100_000).contains(number));
        self.take(key, "a whole number from 2 to 99999", |value| value.as_integer().and_then(times))
    }

    /// Reads a list of whole numbers.
    fn numbers(&mut self, key: &str) -> Option<Vec<u32>> {
        let small = |value: &Value| value.as_integer().and_then(|number| u32::try_from(number).ok());
        self.take(key, "a list of whole numbers", |value| value.as_array()?.iter().map(small).collect())
    }

    /// Reads one of the words of `T`.
    pub(crate) fn word<T: LawsWord>(&mut self, key: &str) -> Option<T> {
        self.take(key, &all_words::<T>(), |value| T::from_word(value.as_str()?))
    }

    /// Reads a list of words of `T`.
    pub(crate) fn words<T: LawsWord>(&mut self, key: &str) -> Option<Vec<T>> {
        self.list(key, T::from_word)
    }

    /// Reads a list of topics and drops those of earlier versions.
    pub(crate) fn topics(&mut self, key: &str) -> Option<Vec<Topic>> {
        let topic = |word: &str| match Topic::from_word(word) {
            None if RETIRED_TOPICS.contains(&word) => Some(Err(word.to_owned())),
            known => known.map(Ok),
        };
        let mut topics = Vec::new();
        for word in self.list(key, topic)? {
            match word {
                Ok(topic) => topics.push(topic),
                Err(retired) => self.warn(key, format_args!("\"{retired}\" {RETIRED}")),
            }
        }
        Some(topics)
    }

    /// Reads a list of words with `read`. Unknown words are left out, and each adds a problem.
    pub(crate) fn list<T>(&mut self, key: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let words: Vec<String> = self.take(key, "a list of words", |value| value.as_array()?.iter().map(text).collect())?;
        let mut found = Vec::new();
        for word in words {
            match read(&word) {
                Some(value) => found.push(value),
                None => self.report(key, format_args!("unknown word \"{word}\"")),
            }
        }
        Some(found)
    }

    /// Reads a nested table.
    pub(crate) fn inside<T>(&mut self, key: &str, read: impl FnOnce(&mut Reader) -> T) -> Option<T> {
        let table = self.take(key, "a table", |value| value.as_table().cloned())?;
        let mut reader = Reader { path: format!("{}{key}.", self.path), table, problems: Vec::new(), warnings: Vec::new() };
        let value = read(&mut reader);
        self.warnings.append(&mut reader.warnings);
        self.problems.extend(reader.finish());
        Some(value)
    }

    /// Reads a list of nested tables.
    pub(crate) fn each<T>(&mut self, key: &str, mut read: impl FnMut(&mut Reader) -> T) -> Vec<T> {
        let tables = |value: &Value| value.as_array()?.iter().map(|value| value.as_table().cloned()).collect();
        let tables: Vec<Table> = self.take(key, "a list of tables", tables).unwrap_or_default();
        let mut values = Vec::new();
        for (at, table) in tables.into_iter().enumerate() {
            let path = format!("{}{key}[{}].", self.path, at + 1);
            let mut reader = Reader { path, table, problems: Vec::new(), warnings: Vec::new() };
            values.push(read(&mut reader));
            self.warnings.append(&mut reader.warnings);
            self.problems.extend(reader.finish());
        }
        values
    }

    /// Returns the value and adds a problem if it is missing.
    pub(crate) fn require<T>(&mut self, key: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.problems.iter().any(|problem| problem.starts_with(&format!("{}{key}", self.path))) {
            self.report(key, "is missing");
        }
        value
    }

    /// Returns all problems, with one for each key that was not read.
    pub(crate) fn finish(mut self) -> Vec<String> {
        let unread: Vec<String> = self.table.keys().cloned().collect();
        for key in unread {
            self.report(&key, "unknown key");
        }
        self.problems
    }
}

fn all_words<T: LawsWord>() -> String {
    T::ALL.iter().map(|value| format!("\"{}\"", value.word())).collect::<Vec<_>>().join(" or ")
}

/// The message for keys of earlier versions.
const RETIRED: &str = "is no longer supported; remove it";

/// Parses an edition from its file. Also returns the warnings.
pub(super) fn edition(name: &str, text: &str) -> Result<(Edition, Vec<String>), Vec<String>> {
    let mut file = Reader::new(text)?;
    let stated = file.text("name");
    let stated = file.require("name", stated).unwrap_or_default();
    if stated != name {
        file.report("name", format_args!("is \"{stated}\"; write \"{name}\", the name of the file"));
    }
    let title = file.text("title");
    let title = file.require("title", title).unwrap_or_default();
    let from = year(&mut file, "from");
    let from = file.require("from", from).unwrap_or_default();
    let until = year(&mut file, "until");
    if until.is_some_and(|until| until < from) {
        file.report("until", "is before \"from\"");
    }
    let about = file.text("text");
    let about = file.require("text", about).unwrap_or_default();
    let limits = file.inside("time_limits", limits).flatten();
    let layers: BTreeMap<&str, Content> =
        LAYERS.into_iter().filter_map(|layer| Some((layer, file.inside(layer, content)?))).collect();
    if !layers.contains_key("standard") {
        file.report("standard", "is missing");
    }
    let gaps = gaps(&mut file, &layers);
    let kinds: BTreeMap<GameKind, Content> =
        KINDS.into_iter().map(|(kind, layer_names)| (kind, overlay(layer_names, &layers))).collect();
    for (key, topic, is_given) in REQUIRED_ARTICLES {
        let lacks = |content: &Content| is_given(&content.rules) && !content.articles.contains_key(&topic);
        if let Some((GameKind(class, supervision), _)) = kinds.iter().find(|(_, content)| lacks(content)) {
            let (class, supervision, topic) = (class.word(), supervision.word(), topic.word());
            file.report(key, format_args!("has no article ({topic}) in {class} games with {supervision} supervision"));
        }
    }
    let warnings = std::mem::take(&mut file.warnings);
    let problems = file.finish();
    if problems.is_empty() {
        Ok((Edition { name: stated, title, from, until, text: about, limits, gaps, kinds }, warnings))
    } else {
        Err(problems)
    }
}

fn year(file: &mut Reader, key: &str) -> Option<u16> {
    let number = file.number(key)?;
    let year = u16::try_from(number).ok().filter(|year| (1900..2200).contains(year));
    if year.is_none() {
        file.report(key, format_args!("is {number}; write a year"));
    }
    year
}

fn limits(table: &mut Reader) -> Option<TimeLimits> {
    let (rapid, standard) = (table.number("rapid_from_s"), table.number("standard_from_s"));
    let (rapid, standard) = (table.require("rapid_from_s", rapid), table.require("standard_from_s", standard));
    Some(TimeLimits { rapid_from_s: rapid?, standard_from_s: standard? })
}

/// Returns the topics without an article. Every topic must have an article in some layer, or be listed exactly once.
fn gaps(file: &mut Reader, layers: &BTreeMap<&str, Content>) -> BTreeMap<Topic, Gap> {
    let silent = file.topics("silent").unwrap_or_default();
    let mut not_at_hand = file.topics("not_at_hand").unwrap_or_default();
    for topic in Topic::ALL {
        let listed = silent.iter().chain(&not_at_hand).filter(|listed| *listed == topic).count();
        let written = layers.values().any(|content| content.articles.contains_key(topic));
        match (written, listed) {
            (true, 0) | (false, 1) => {}
            (true, _) => file.report(topic.word(), "has an article and is listed in silent or not_at_hand"),
            (false, 0) if RECENT_TOPICS.contains(topic) => {
                file.warn(topic.word(), "has no article; add one, or list the topic in silent or not_at_hand (until then it is treated as not_at_hand)");
                not_at_hand.push(*topic);
            }
            (false, 0) => file.report(topic.word(), "has no article; add one, or list the topic in silent or not_at_hand"),
            (false, _) => file.report(topic.word(), "is listed more than once in silent and not_at_hand"),
        }
    }
    let silent = silent.into_iter().map(|topic| (topic, Gap::Silent));
    silent.chain(not_at_hand.into_iter().map(|topic| (topic, Gap::Unavailable))).collect()
}

fn overlay(layer_names: &[&str], layers: &BTreeMap<&str, Content>) -> Content {
    let mut merged = Content::default();
    for content in layer_names.iter().filter_map(|layer| layers.get(layer)) {
        merged.articles.extend(content.articles.clone());
        merged.rules = merged.rules.overruled_by(&content.rules);
    }
    merged
}

fn content(table: &mut Reader) -> Content {
    table.retire(&RETIRED_RULES);
    let articles = table.inside("articles", articles).unwrap_or_default();
    let rules = Rules {
        completed_by: table.words("completed_by"),
        rook_first: table.word("rook_first"),
        pawn_left: table.word("pawn_left"),
        counted: table.words("counted"),
        penalty: table.inside("penalty", ladder).flatten(),
        illegal_move_finality: table.word("stands"),
        illegal_ruled: table.word("illegal_ruled"),
        touch_ruled: table.word("touch_ruled"),
        set_up_moves: table.number("set_up_moves"),
        reversed_below: table.number("reversed_below"),
        reversed: table.word("reversed"),
        reversed_within_s: table.number("reversed_within_s"),
        agreement_moves: table.number("agreement_moves"),
        quickplay: table.inside("quickplay", quickplay).flatten(),
        wrong_claim: table.inside("wrong_claim", claim_penalty).flatten(),
        repetition: table.times("repetition"),
        fifty: table.times("fifty"),
        five_fold: table.times("five_fold"),
        five_fold_kind: table.word("five_fold_kind"),
        seventy_five: table.times("seventy_five"),
        claim_lost: table.word("claim_lost"),
        resigned: table.word("resigned"),
        flag: table.word("flag"),
        flag_called: table.word("flag_called"),
        illegal_position: table.word("illegal_position"),
        increment: table.word("increment"),
    };
    Content { articles, rules }
}

fn articles(table: &mut Reader) -> BTreeMap<Topic, String> {
    table.retire(&RETIRED_TOPICS);
    Topic::ALL.iter().filter_map(|topic| Some((*topic, table.text(topic.word())?))).collect()
}

fn ladder(table: &mut Reader) -> Option<PenaltyLadder> {
    let (opponent_s, no_mate) = (table.numbers("opponent_s"), table.word("no_mate"));
    let (opponent_s, no_mate) = (table.require("opponent_s", opponent_s), table.require("no_mate", no_mate));
    Some(PenaltyLadder { opponent_s: opponent_s?, no_mate: no_mate? })
}

fn quickplay(table: &mut Reader) -> Option<Quickplay> {
    let (below_s, opponent_s) = (table.number("below_s"), table.number("opponent_s"));
    let (below_s, opponent_s) = (table.require("below_s", below_s), table.require("opponent_s", opponent_s));
    Some(Quickplay { below_s: below_s?, opponent_s: opponent_s? })
}

fn claim_penalty(table: &mut Reader) -> Option<ClaimPenalty> {
    let opponent_s = table.number("opponent_s");
    let opponent_s = table.require("opponent_s", opponent_s);
    let halving = table.inside("claimant_half", |table| {
        let (max_s, floor_s) = (table.number("max_s"), table.number("floor_s"));
        let (max_s, floor_s) = (table.require("max_s", max_s), table.require("floor_s", floor_s));
        Some(Halving { max_s: max_s?, floor_s: floor_s? })
    });
    Some(ClaimPenalty { opponent_s: opponent_s?, halving: halving.flatten() })
}
