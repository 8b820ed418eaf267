//! Sentences for users, in their language: the messages of `config/data/locale`, formatted by Project Fluent.
//!
//! The files are built in; custom [`Messages`] override them. [`keys`] lists all messages with their arguments.

pub mod keys;
mod overrides;

pub use overrides::Messages;

use crate::boards::SquareState;
use crate::game::event::Difference;
use crate::game::{Arg, Text};
use crate::laws::RulingAction;
use crate::laws::reason::{MovedBefore, PlacedPiece, ReasonArg};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use shakmaty::{Color, Piece, Role, Square};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Which messages a language has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everything,
    /// Those of the public page; all others are in English.
    Public,
}

/// The direction in which a language is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Ltr,
    /// From right to left.
    Rtl,
}

impl Direction {
    /// Returns the word for it in HTML.
    pub fn word(self) -> &'static str {
        match self {
            Direction::Ltr => "ltr",
            Direction::Rtl => "rtl",
        }
    }
}

/// Declares the languages, one row for each: the variant, the BCP 47 tag, the name in the language itself, the scripts and
/// countries by which it is chosen among languages with the same first subtag (the first of these is chosen otherwise), and the
/// direction of the script. Those with all messages come first.
macro_rules! languages {
    (
        everything { $($(#[$about:meta])* $variant:ident = $tag:literal, $name:literal, [$($subtag:literal),*], $direction:ident;)+ }
        public { $($(#[$public_about:meta])* $public:ident = $public_tag:literal, $public_name:literal, $public_direction:ident;)+ }
    ) => {
        /// A language with messages.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Locale { $($(#[$about])* $variant,)+ $($(#[$public_about])* $public),+ }

        impl Locale {
            /// The languages that have all messages.
            pub const ALL: [Locale; Locale::TAGS.len()] = [$(Locale::$variant),+];
            /// The tags of the languages that have all messages.
            pub const TAGS: &[&str] = &[$($tag),+];
            /// The languages of the public page.
            pub const PUBLIC: [Locale; Locale::PUBLIC_TAGS.len()] = [$(Locale::$variant,)+ $(Locale::$public),+];
            /// The tags of the languages of the public page.
            pub const PUBLIC_TAGS: &[&str] = &[$($tag,)+ $($public_tag),+];

            /// Returns which messages it has.
            pub fn scope(self) -> Scope {
                match self { $(Locale::$variant)|+ => Scope::Everything, $(Locale::$public)|+ => Scope::Public }
            }

            /// Returns the direction of its script.
            pub fn direction(self) -> Direction {
                match self {
                    $(Locale::$variant => Direction::$direction,)+
                    $(Locale::$public => Direction::$public_direction),+
                }
            }

            /// Returns its BCP 47 tag, which is also the name of its file.
            pub fn tag(self) -> &'static str {
                match self { $(Locale::$variant => $tag,)+ $(Locale::$public => $public_tag),+ }
            }

            /// Returns its name in the language itself.
            pub fn name(self) -> &'static str {
                match self { $(Locale::$variant => $name,)+ $(Locale::$public => $public_name),+ }
            }

            /// Returns the scripts and countries, in lower case, by which it is chosen among languages with the same first subtag.
            pub fn subtags(self) -> &'static [&'static str] {
                match self { $(Locale::$variant => &[$($subtag),*],)+ $(Locale::$public)|+ => &[] }
            }

            /// Returns the text of its message file.
            pub fn source(self) -> &'static str {
                match self {
                    $(Locale::$variant => include_str!(concat!("../config/data/locale/", $tag, ".ftl")),)+
                    $(Locale::$public => include_str!(concat!("../config/data/locale/", $public_tag, ".ftl"))),+
                }
            }
        }
    };
}

languages! {
    everything {
        /// English.
        #[default]
        English = "en", "English", [], Ltr;
        /// Simplified Chinese, with the terms of the 2016 handbook of the Chinese association.
        SimplifiedChinese = "zh-Hans", "简体中文", ["hans", "cn", "sg", "my"], Ltr;
        /// Traditional Chinese, with the terms of the Laws as translated in Taiwan.
        TraditionalChinese = "zh-Hant", "繁體中文", ["hant", "tw", "hk", "mo"], Ltr;
    }
    public {
        /// Arabic.
        Arabic = "ar", "العربية", Rtl;
        /// German.
        German = "de", "Deutsch", Ltr;
        /// Spanish.
        Spanish = "es", "Español", Ltr;
        /// French.
        French = "fr", "Français", Ltr;
        /// Italian.
        Italian = "it", "Italiano", Ltr;
        /// Dutch.
        Dutch = "nl", "Nederlands", Ltr;
        /// Polish.
        Polish = "pl", "Polski", Ltr;
        /// Portuguese.
        Portuguese = "pt", "Português", Ltr;
        /// Russian.
        Russian = "ru", "Русский", Ltr;
    }
}

/// What a file says whose messages of the public page nobody has reviewed.
const UNREVIEWED: &str = "Machine-made, not reviewed";

impl Locale {
    /// Returns whether a person has reviewed the messages of the public page.
    pub fn is_public_page_reviewed(self) -> bool {
        !self.source().contains(UNREVIEWED)
    }

    /// Returns the nearest language with all messages for a BCP 47 (`zh-Hant-HK`) or POSIX tag (`zh_CN.UTF-8`); English for any other.
    pub fn from_tag(tag: &str) -> Locale {
        Locale::nearest(tag, &Locale::ALL).unwrap_or_default()
    }

    /// Returns the nearest language of the public page for a tag, if there is one.
    pub fn public_from_tag(tag: &str) -> Option<Locale> {
        Locale::nearest(tag, &Locale::PUBLIC)
    }

    fn nearest(tag: &str, languages: &[Locale]) -> Option<Locale> {
        let tag = tag.split(['.', '@']).next().unwrap_or_default().to_ascii_lowercase();
        let mut subtags = tag.split(['-', '_']);
        let first = subtags.next();
        let candidates = || languages.iter().copied().filter(|locale| locale.tag().split('-').next() == first);
        // A script is more specific than a country, and precedes it.
        let chosen = subtags.find_map(|subtag| candidates().find(|locale| locale.subtags().contains(&subtag)));
        chosen.or_else(|| candidates().next())
    }
}

/// Returns a sentence, without a full stop. A text without a message, which only a journal of another version can contain, is
/// returned as its key and arguments.
pub fn sentence(locale: Locale, text: &Text) -> String {
    let mut args = FluentArgs::new();
    for (name, arg) in &text.args {
        match arg {
            Arg::Number(number) => args.set(name.clone(), *number),
            Arg::Plain(plain) => args.set(name.clone(), plain.clone()),
            Arg::Text(inner) => args.set(name.clone(), sentence(locale, inner)),
            Arg::Differences(differences) => {
                let in_words = |difference: &Difference| self::difference(locale, difference);
                args.set(
                    name.clone(),
                    joined(locale, "differences", "differences", differences.iter().map(in_words).collect()),
                );
            }
            Arg::Word(word) => set_word(locale, &mut args, name, word),
        }
    }
    message(locale, &text.key, &args).unwrap_or_else(|| text.to_string())
}

/// Returns these sentences as one.
pub fn sentences(locale: Locale, texts: &[Text]) -> String {
    joined(locale, "differences", "differences", texts.iter().map(|text| sentence(locale, text)).collect())
}

/// Returns what a ruling requires, as an imperative or a short sentence.
pub fn ruling_act(locale: Locale, act: &RulingAction) -> String {
    let words = act.to_string();
    let args = match act {
        RulingAction::Add(seconds) => FluentArgs::from_iter([("time", time(locale, *seconds))]),
        RulingAction::Halve(halving) => {
            FluentArgs::from_iter([("most", time(locale, halving.max_s)), ("least", time(locale, halving.floor_s))])
        }
        _ => FluentArgs::new(),
    };
    let word = words.split(' ').next().unwrap_or_default();
    message(locale, &format!("act-{word}"), &args).unwrap_or(words)
}

/// Returns the heading of a kind of alert, by its word: two to four words. Any other word is returned as it is.
pub fn alert_heading(locale: Locale, word: &str) -> String {
    message(locale, &format!("kind-{word}"), &FluentArgs::new()).unwrap_or_else(|| word.replace('_', " "))
}

/// Returns the messages of the web page, by key: its own sentences, the headings of alerts, and the words for composing parts.
/// Arguments appear as `{name}`, for the page to fill in.
pub fn page_words(locale: Locale) -> BTreeMap<&'static str, String> {
    let is_page_key = |key: &str| PAGE_KEY_PREFIXES.iter().any(|prefix| key.starts_with(prefix));
    let words = keys::all().filter(|(key, _)| is_page_key(key)).map(|(key, args)| {
        let args = args.iter().map(|(name, _)| (*name, format!("{{{name}}}")));
        (key, message(locale, key, &args.collect()).unwrap_or_default())
    });
    words.collect()
}

/// Returns the messages of the public page, by key, with arguments as in [`page_words`].
pub fn public_words(locale: Locale) -> BTreeMap<&'static str, String> {
    let words = keys::public::KEYS.iter().map(|(key, args)| {
        let args = args.iter().map(|(name, _)| (*name, format!("{{{name}}}")));
        (*key, message(locale, key, &args.collect()).unwrap_or_default())
    });
    words.collect()
}

/// Returns a message of the web page with these arguments; the key if there is no such message.
pub fn page_word(locale: Locale, key: &str, args: &[(&'static str, String)]) -> String {
    message(locale, key, &args.iter().map(|(name, value)| (*name, value.clone())).collect()).unwrap_or_else(|| key.to_owned())
}

/// Prefixes of the keys that the page needs.
const PAGE_KEY_PREFIXES: &[&str] = &["page-", "kind-", "player-", "role-", "piece-", "holds-", "difference"];

/// Sets the argument of a chess word. A piece on a square sets three: the whole, `-role` and `-square`.
fn set_word(locale: Locale, args: &mut FluentArgs<'static>, name: &str, word: &ReasonArg) {
    let text: String = match word {
        ReasonArg::Square(square) => square.to_string(),
        ReasonArg::Role(role) => self::role(locale, *role),
        ReasonArg::Player(Color::White) => part(locale, "player-white", []),
        ReasonArg::Player(Color::Black) => part(locale, "player-black", []),
        ReasonArg::Pieces(pieces) => {
            joined(locale, "men", "men-last", pieces.iter().map(|placed| placed_piece(locale, placed)).collect())
        }
        ReasonArg::Piece(placed) => {
            args.set(format!("{name}-role"), self::role(locale, placed.piece.role));
            args.set(format!("{name}-square"), placed.square.to_string());
            placed_piece(locale, placed)
        }
        // Not for display: messages select by it.
        ReasonArg::Moved(MovedBefore::King) => "king".to_owned(),
        ReasonArg::Moved(MovedBefore::Rook) => "rook".to_owned(),
        ReasonArg::Moved(MovedBefore::Either) => "either".to_owned(),
    };
    args.set(name.to_owned(), text);
}

/// Joins the parts to a list.
fn joined(locale: Locale, between: &str, last: &str, parts: Vec<String>) -> String {
    let count = parts.len();
    let join = |before: (usize, String), (index, next): (usize, String)| {
        let key = if index + 1 == count { last } else { between };
        (index, part(locale, key, [("before", before.1), ("next", next)]))
    };
    parts.into_iter().enumerate().reduce(join).map(|(_, all)| all).unwrap_or_default()
}

fn difference(locale: Locale, difference: &Difference) -> String {
    let nothing = || part(locale, "holds-nothing", []);
    let square: Square = difference.square;
    let seen = match difference.seen {
        SquareState::Empty => nothing(),
        SquareState::Piece(found) => piece(locale, found),
        SquareState::Side(Color::White) => part(locale, "holds-white", []),
        SquareState::Side(Color::Black) => part(locale, "holds-black", []),
        SquareState::Occupied => part(locale, "holds-piece", []),
    };
    let expected = difference.expected.map_or_else(nothing, |expected| piece(locale, expected));
    part(locale, "difference", [("square", square.to_string()), ("expected", expected), ("seen", seen)])
}

fn piece(locale: Locale, piece: Piece) -> String {
    let key = if piece.color.is_white() { "piece-white" } else { "piece-black" };
    part(locale, key, [("role", role(locale, piece.role))])
}

fn placed_piece(locale: Locale, placed: &PlacedPiece) -> String {
    part(locale, "man", [("role", role(locale, placed.piece.role)), ("square", placed.square.to_string())])
}

fn role(locale: Locale, role: Role) -> String {
    let key = match role {
        Role::Pawn => "role-pawn",
        Role::Knight => "role-knight",
        Role::Bishop => "role-bishop",
        Role::Rook => "role-rook",
        Role::Queen => "role-queen",
        Role::King => "role-king",
    };
    part(locale, key, [])
}

/// Formats a duration, in minutes if it is a whole number of them.
fn time(locale: Locale, seconds: u32) -> String {
    let (key, count) = if seconds.is_multiple_of(60) { ("time-minutes", seconds / 60) } else { ("time-seconds", seconds) };
    message(locale, key, &FluentArgs::from_iter([("count", count)])).unwrap_or_else(|| format!("{seconds} s"))
}

/// Returns a part of a sentence. There is a message for each.
fn part<const N: usize>(locale: Locale, key: &str, args: [(&'static str, String); N]) -> String {
    message(locale, key, &FluentArgs::from_iter(args)).unwrap_or_else(|| key.to_owned())
}

/// Formats a message; in English if this language does not have it. `None` if there is no such message, or one of its arguments is
/// missing.
fn message(locale: Locale, key: &str, args: &FluentArgs) -> Option<String> {
    static MESSAGES: LazyLock<[FluentBundle<FluentResource>; Locale::PUBLIC.len()]> =
        LazyLock::new(|| Locale::PUBLIC.map(messages));
    let languages = [locale, Locale::English].into_iter().filter_map(|locale| MESSAGES.get(locale as usize));
    first_message(languages, key, args)
}

/// Formats a message in the first of these languages that has it.
fn first_message<'a>(
    mut languages: impl Iterator<Item = &'a FluentBundle<FluentResource>>,
    key: &str,
    args: &FluentArgs,
) -> Option<String> {
    languages.find_map(|messages| {
        let pattern = messages.get_message(key)?.value()?;
        let mut errors = Vec::new();
        let text = messages.format_pattern(pattern, Some(args), &mut errors);
        errors.is_empty().then(|| text.into_owned())
    })
}

fn messages(locale: Locale) -> FluentBundle<FluentResource> {
    let mut messages = FluentBundle::new_concurrent(locale.tag().parse().into_iter().collect());
    // Terminals show isolation marks. Of the languages written from right to left only the page has texts, which isolates values itself.
    messages.set_use_isolating(false);
    // Unparsable messages are skipped; the tests make sure that there are none.
    let resource = FluentResource::try_new(locale.source().to_owned()).unwrap_or_else(|(resource, _)| resource);
    messages.add_resource_overriding(resource);
    overrides::overrides(locale).for_each(|resource| messages.add_resource_overriding(resource));
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_a_language_lacks_is_in_the_next_one() {
        let language = |text: &str| {
            let mut messages = FluentBundle::new_concurrent(Vec::new());
            messages.add_resource_overriding(FluentResource::try_new(text.to_owned()).expect("valid Fluent"));
            messages
        };
        let languages = [language("one = ein { $unknown }\ntwo = zwei\n"), language("one = one\ntwo = two\nthree = three\n")];
        let found = |key: &str| first_message(languages.iter(), key, &FluentArgs::new());
        assert_eq!(found("two").as_deref(), Some("zwei"));
        assert_eq!(found("three").as_deref(), Some("three"));
        assert_eq!(found("one").as_deref(), Some("one"), "an argument is missing");
        assert_eq!(found("four"), None);
    }
}
