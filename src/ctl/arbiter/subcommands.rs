//! The subcommands of `touchmovectl arbiter`, built from the declarations of the commands.

use super::confirm::Confirmation;
use super::position;
use super::written_command::WrittenCommand;
use crate::ctl::completion;
use crate::ctl::service::{Service, parse_word};
use crate::game::GameResult;
use crate::game::command::{ArgumentKind, COMMANDS, CommandField, CommandSpec, Presence, Subcommand};
use crate::game::pgn::is_tag_name;
use crate::laws::draws::ClaimKind;
use crate::laws::{Irregularity, Laws, LawsWord};
use clap::builder::{StringValueParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, value_parser};
use serde_json::{Value, json};
use shakmaty::{Color, Role};

/// A subcommand as it was given.
#[derive(Debug)]
pub(super) enum Request {
    /// A new game from a position.
    Position(position::Args),
    /// A command for a game.
    Command {
        /// The command with its arguments: plies and moves as people write them.
        command: WrittenCommand,
        /// The game.
        game: GameSelector,
        /// Whether the user is asked first, if the command can remove moves.
        confirmation: Confirmation,
        /// Whether all alerts of the same kind are acknowledged with the one that the command names.
        all_alike: bool,
    },
}

/// The game that is meant.
#[derive(Debug, Args)]
pub(super) struct GameSelector {
    /// Number of the game, or name of its board [default: the game in progress, else the last one]
    #[arg(long, add = completion::games())]
    pub(super) game: Option<String>,
    #[command(flatten)]
    pub(super) service: Service,
}

/// The name of the subcommand that begins a game from a position.
const POSITION: &str = "position";

/// The command that closes an alert, and its option that closes all of the same kind.
const ACKNOWLEDGE: &str = "acknowledge";
const ALL_ALIKE: &str = "all";

/// Returns the help below the list of all subcommands.
pub(super) fn overview() -> String {
    let mut examples = Vec::new();
    for spec in COMMANDS {
        for subcommand in spec.subcommands {
            examples.extend_from_slice(match subcommand.overview {
                [] => subcommand.examples.get(..1).unwrap_or_default(),
                overview => overview,
            });
        }
        if spec.word == POSITION {
            examples.push(position::EXAMPLE);
        }
    }
    format!(
        "{}\n\nEvery command is stored in the journal with its user. On the system bus, group touchmove-arbiter may give commands; \
         group touchmove-operator may set results and tags and correct moves; only root sets the Laws.",
        list_examples(&examples)
    )
}

fn list_examples(examples: &[&str]) -> String {
    examples.iter().fold("Examples:".to_owned(), |text, example| text + "\n  touchmovectl arbiter " + example)
}

impl clap::Subcommand for Request {
    fn augment_subcommands(mut command: clap::Command) -> clap::Command {
        for spec in COMMANDS {
            for subcommand in spec.subcommands {
                command = command.subcommand(build_subcommand(spec, subcommand));
            }
            if spec.word == POSITION {
                command = command.subcommand(position::Args::augment_args(clap::Command::new(POSITION)));
            }
        }
        command
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == POSITION || find(name).is_some()
    }
}

impl FromArgMatches for Request {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Request, clap::Error> {
        let unknown = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(unknown)?;
        if name == POSITION {
            return Ok(Request::Position(position::Args::from_arg_matches(matches)?));
        }
        let (spec, index) = find(name).ok_or_else(unknown)?;
        let field = |field: &CommandField| (field.name.to_owned(), parse_field(field, index, matches));
        let fields = spec.fields.iter().map(field).collect();
        let command = WrittenCommand { spec, fields };
        let game = GameSelector::from_arg_matches(matches)?;
        let confirmation = if spec.rewrites { Confirmation::from_arg_matches(matches)? } else { Confirmation::default() };
        let all_alike = spec.word == ACKNOWLEDGE && matches.get_flag(ALL_ALIKE);
        Ok(Request::Command { command, game, confirmation, all_alike })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the command that a subcommand gives, and which of the subcommands of this command it is.
fn find(name: &str) -> Option<(&'static CommandSpec, usize)> {
    COMMANDS.iter().find_map(|spec| Some((*spec, spec.subcommands.iter().position(|known| known.name == name)?)))
}

fn build_subcommand(spec: &CommandSpec, subcommand: &Subcommand) -> clap::Command {
    let mut after_help = list_examples(subcommand.examples);
    if !subcommand.note.is_empty() {
        after_help = format!("{after_help}\n\n{}", subcommand.note);
    }
    let arguments = spec.fields.iter().filter(|field| field.argument.kind != ArgumentKind::Subcommand);
    let command = clap::Command::new(subcommand.name).args(arguments.map(build_argument));
    let command = if spec.rewrites { Confirmation::augment_args(command) } else { command };
    let all = || Arg::new(ALL_ALIKE).long(ALL_ALIKE).help("Also acknowledge the other alerts of the same kind in this game");
    let command = if spec.word == ACKNOWLEDGE { command.arg(all().action(ArgAction::SetTrue)) } else { command };
    // The description comes last: with its arguments, GameSelector sets its own.
    let command = GameSelector::augment_args(command).about(subcommand.about).long_about(None).after_help(after_help);
    if subcommand.details.is_empty() { command } else { command.long_about(subcommand.details) }
}

fn build_argument(field: &CommandField) -> Arg {
    let (name, kind) = (argument_name(field), field.argument.kind);
    let arg = Arg::new(name).help(help(field.help)).value_parser(value_parser_of(kind)).value_name(match kind {
        ArgumentKind::Move | ArgumentKind::IntendedMove => "MOVE".to_owned(),
        _ => name.to_uppercase(),
    });
    let arg = match kind {
        ArgumentKind::Ply(_) => arg.add(completion::moves()),
        ArgumentKind::Alert => arg.add(completion::alerts()),
        _ => arg,
    };
    let arg = if kind == ArgumentKind::Tags { arg.num_args(1..).action(ArgAction::Append) } else { arg };
    match field.argument.presence {
        Presence::Required => arg.required(true),
        Presence::Default(value) => arg.default_value(value),
        Presence::Option => arg.long(name),
    }
}

fn argument_name(field: &CommandField) -> &'static str {
    field.argument.name.unwrap_or(field.name)
}

/// Returns the first paragraph of a documentation comment, without the final full stop.
fn help(documentation: &str) -> String {
    let lines: Vec<&str> = documentation.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    text.strip_suffix('.').unwrap_or(&text).to_owned()
}

/// Returns the value of a field as JSON.
fn parse_field(field: &CommandField, subcommand: usize, matches: &ArgMatches) -> Value {
    let name = argument_name(field);
    match field.argument.kind {
        ArgumentKind::Subcommand => (subcommand == 0).into(),
        ArgumentKind::Tags => {
            matches.get_many::<Value>(name).into_iter().flatten().filter(|tag| !tag.is_null()).cloned().collect()
        }
        _ => matches.get_one::<Value>(name).cloned().unwrap_or_default(),
    }
}

/// Returns a parser of arguments to JSON.
fn value_parser_of(kind: ArgumentKind) -> ValueParser {
    match kind {
        ArgumentKind::Number(least) => value_parser!(u32).range(i64::from(least)..).map(Value::from).into(),
        ArgumentKind::Alert => value_parser!(u32).map(Value::from).into(),
        ArgumentKind::Player => ValueParser::new(|text: &str| parse_word::<Color>(text).map(|_| Value::from(text))),
        ArgumentKind::Piece => ValueParser::new(|text: &str| parse_word::<Role>(text).map(|_| Value::from(text))),
        ArgumentKind::Claim => ValueParser::new(|text: &str| parse_word::<ClaimKind>(text).map(|_| Value::from(text))),
        ArgumentKind::Laws => ValueParser::new(|text: &str| text.parse::<Laws>().map(|_| Value::from(text))),
        ArgumentKind::Result => ValueParser::new(parse_result),
        ArgumentKind::Irregularity => ValueParser::new(parse_irregularity),
        ArgumentKind::Tags => ValueParser::new(parse_tag),
        ArgumentKind::Time => ValueParser::new(parse_time),
        ArgumentKind::Text
        | ArgumentKind::Ply(_)
        | ArgumentKind::Move
        | ArgumentKind::IntendedMove
        | ArgumentKind::Subcommand => StringValueParser::new().map(Value::from).into(),
    }
}

fn parse_result(text: &str) -> Result<Value, String> {
    match text {
        "none" | "*" => Ok("*".into()),
        _ if GameResult::parse(text).is_some() => Ok(text.into()),
        _ => Err("write 1-0, 0-1, 1/2-1/2, or none to withdraw it".to_owned()),
    }
}

/// Parses `NAME=VALUE` to a pair, and `none` to null.
fn parse_tag(text: &str) -> Result<Value, String> {
    if text == "none" {
        return Ok(Value::Null);
    }
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as 'White=Carlsen, Magnus'")?;
    match is_tag_name(name) {
        true => Ok(json!([name, value])),
        false => Err(format!("{name:?} is not a valid name of a PGN tag: write only letters, digits and _")),
    }
}

fn parse_irregularity(text: &str) -> Result<Value, String> {
    Irregularity::from_word(text).map(|known| known.word().into()).ok_or_else(|| {
        let words: Vec<&str> = Irregularity::ALL.iter().map(|irregularity| irregularity.word()).collect();
        format!("write one of {}", words.join(", "))
    })
}

/// Parses `1:23:45`, `7:10` or `10` to milliseconds.
fn parse_time(text: &str) -> Result<Value, String> {
    let invalid = || "write hours:minutes:seconds, such as 1:23:45".to_owned();
    let parts: Vec<u32> = text.split(':').map(str::parse).collect::<Result<_, _>>().map_err(|_| invalid())?;
    let seconds = parts.iter().try_fold(0u32, |sum, part| sum.checked_mul(60)?.checked_add(*part));
    let milliseconds = seconds.filter(|_| parts.len() <= 3).and_then(|seconds| seconds.checked_mul(1000));
    milliseconds.map(Value::from).ok_or_else(invalid)
}
