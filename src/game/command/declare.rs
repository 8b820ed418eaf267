//! How a command is declared: everything that the front-ends derive from it.

use crate::game::rights::Right;

/// A command as it is declared.
#[derive(Debug)]
pub struct CommandSpec {
    /// The word in field `do` of its JSON form.
    pub word: &'static str,
    /// What it does, as Markdown.
    pub meaning: &'static str,
    /// Its JSON form, as an example.
    pub example: &'static str,
    /// The key of its name in the message files.
    pub name_key: &'static str,
    /// Its method on the D-Bus object of a game.
    pub method: &'static str,
    /// Who may give it.
    pub right: Right,
    /// Whether it can remove or rewrite moves or withdraw a result, so that front-ends show a preview first.
    pub rewrites: bool,
    /// Its subcommands of `touchmovectl arbiter`, as far as their arguments are the fields.
    pub subcommands: &'static [Subcommand],
    /// Its fields, in the order of the JSON form, the method and the subcommand.
    pub fields: &'static [CommandField],
}

/// A subcommand of `touchmovectl arbiter`; its arguments are the fields of the command.
#[derive(Debug)]
pub struct Subcommand {
    /// The name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// More about it; empty: nothing.
    pub details: &'static str,
    /// Examples, without `touchmovectl arbiter`.
    pub examples: &'static [&'static str],
    /// Its examples in the list of all subcommands; empty: the first of `examples`.
    pub overview: &'static [&'static str],
    /// A note below the examples; empty: none.
    pub note: &'static str,
}

impl Subcommand {
    pub(super) const EMPTY: Subcommand =
        Subcommand { name: "", about: "", details: "", examples: &[], overview: &[], note: "" };
}

/// A field of a command.
#[derive(Debug)]
pub struct CommandField {
    /// The name in JSON.
    pub name: &'static str,
    /// What it is: the first paragraph, then more for programmers.
    pub help: &'static str,
    /// Its argument of the subcommand.
    pub argument: Argument,
}

/// The argument of a subcommand that gives a field.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// The name, if it is not the field's.
    pub name: Option<&'static str>,
    /// What it accepts.
    pub kind: ArgumentKind,
    /// Whether it may be omitted.
    pub presence: Presence,
}

/// What the argument of a subcommand accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Any text.
    Text,
    /// A number, at least this one.
    Number(u32),
    /// A ply, at least this one; people may write its move instead, such as `21.Nf3`.
    Ply(u32),
    /// The number of an alert.
    Alert,
    /// A player.
    Player,
    /// A piece that a pawn can become.
    Piece,
    /// A legal move; the field is UCI, and people may write SAN.
    Move,
    /// A move that a player has written down, legal or not; otherwise like [`Move`](ArgumentKind::Move).
    IntendedMove,
    /// A result, or `*`.
    Result,
    /// An irregularity that can be counted.
    Irregularity,
    /// What can be claimed.
    Claim,
    /// The Laws: edition, time class, supervision.
    Laws,
    /// PGN tags, as `NAME=VALUE`.
    Tags,
    /// A time of a clock, given in hours, minutes and seconds; the field is in milliseconds.
    Time,
    /// No argument: the first subcommand of the command means true, the second one false.
    Subcommand,
}

/// Whether an argument may be omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is given.
    Required,
    /// It may be omitted, and then has this value.
    Default(&'static str),
    /// It is an option, such as `--ply`; the field is null without it.
    Option,
}

impl Argument {
    /// An argument that is given, with the name of the field.
    pub(super) const fn of(kind: ArgumentKind) -> Argument {
        Argument { name: None, kind, presence: Presence::Required }
    }

    /// Returns the argument with this name.
    pub(super) const fn named(self, name: &'static str) -> Argument {
        Argument { name: Some(name), ..self }
    }

    /// Returns the argument with this default.
    pub(super) const fn or(self, default: &'static str) -> Argument {
        Argument { presence: Presence::Default(default), ..self }
    }

    /// Returns the argument as an option.
    pub(super) const fn optional(self) -> Argument {
        Argument { presence: Presence::Option, ..self }
    }
}

/// Declares [`Command`](super::Command) and what the front-ends derive from it. Of the documentation of a field, only the first
/// paragraph is the help of its argument.
macro_rules! commands {
    ($(
        $(#[doc = $meaning:literal])+
        $variant:ident = $word:literal {$(
            $(#[doc = $help:literal])+
            $(#[serde($($serde:tt)+)])?
            $field:ident $($name:literal)?: $type:ty = $argument:expr,
        )*}
        example $example:literal
        right $right:ident, method $method:literal $(, $rewrites:ident)?
        $(subcommand $subcommand:literal: $about:literal,
            $(details $details:literal,)? examples $examples:expr $(, overview $overview:expr)? $(, note $note:literal)?;)*
    )+) => {
        /// A command.
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "do", deny_unknown_fields)]
        pub enum Command {$(
            $(#[doc = $meaning])+
            #[serde(rename = $word)]
            $variant {$(
                $(#[doc = $help])+
                $(#[serde($($serde)+)])?
                $(#[serde(rename = $name)])?
                $field: $type,
            )*},
        )+}

        /// All commands, in the order in which they are declared.
        pub static COMMANDS: &[&CommandSpec] = &[$(&spec::$variant),+];

        impl Command {
            /// Returns how the command is declared.
            pub fn spec(&self) -> &'static CommandSpec {
                match self {$(Command::$variant { .. } => &spec::$variant),+}
            }
        }

        #[allow(non_upper_case_globals)] // named as the variants
        mod spec {
            use super::*;
            $(pub(super) static $variant: CommandSpec = CommandSpec {
                word: $word,
                meaning: concat!($($meaning),+),
                example: $example,
                method: $method,
                right: Right::$right,
                rewrites: is_rewriting!($($rewrites)?),
                name_key: concat!("command-", $word),
                subcommands: &[$(Subcommand {
                    name: $subcommand,
                    about: $about,
                    examples: &$examples,
                    $(details: $details,)?
                    $(overview: &$overview,)?
                    $(note: $note,)?
                    ..Subcommand::EMPTY
                }),*],
                fields: &[$(CommandField {
                    name: field_name!($field $($name)?),
                    help: concat!($($help, "\n"),+),
                    argument: $argument,
                }),*],
            };)+
        }
    };
}

/// Whether the row of a command says that it rewrites the record.
macro_rules! is_rewriting {
    () => {
        false
    };
    (rewrites) => {
        true
    };
}

/// The name of a field in JSON.
macro_rules! field_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}

pub(super) use {commands, field_name, is_rewriting};
