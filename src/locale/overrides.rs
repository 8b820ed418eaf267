//! Custom messages, which override the built-in ones.

use super::Locale;
use super::keys::{self, ArgKind};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use std::sync::OnceLock;

static OVERRIDES: OnceLock<Vec<Messages>> = OnceLock::new();

/// Messages in one language: all of them, or only those to override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    locale: Locale,
    text: String,
}

impl Messages {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// Returns everything that is wrong with it: invalid Fluent, unknown messages, and messages that use arguments that they do not
    /// have.
    pub fn parse(locale: Locale, text: &str) -> Result<Messages, Vec<String>> {
        let resource = FluentResource::try_new(text.to_owned()).map_err(|(_, errors)| {
            let line_of = |byte: usize| text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1;
            errors.iter().map(|error| format!("line {}: {error}", line_of(error.pos.start))).collect::<Vec<_>>()
        })?;
        // A line that starts with a letter starts a message with its name.
        let names = text.lines().enumerate().filter(|(_, line)| line.starts_with(|first: char| first.is_ascii_alphabetic()));
        let unknown = names.filter_map(|(index, line)| {
            let name = line.split('=').next().unwrap_or_default().trim();
            let known = keys::all().any(|(known, _)| known == name);
            (!known).then(|| format!("line {}: unknown message {name}: see src/locale/keys.rs for the known ones", index + 1))
        });
        let mut problems: Vec<String> = unknown.collect();
        let mut bundle = FluentBundle::new_concurrent(locale.tag().parse().into_iter().collect());
        bundle.add_resource_overriding(resource);
        for (name, kinds) in keys::all() {
            let Some(message) = bundle.get_message(name) else { continue };
            let mut errors = Vec::new();
            match message.value() {
                Some(value) => drop(bundle.format_pattern(value, Some(&samples(kinds)), &mut errors)),
                None => problems.push(format!("{name} has no text: write it after the =")),
            }
            problems.extend(errors.iter().map(|error| {
                let arguments: Vec<String> = kinds.iter().map(|(argument, _)| format!("${argument}")).collect();
                let arguments = if arguments.is_empty() { "none".to_owned() } else { arguments.join(", ") };
                format!("{name}: {error}; available arguments: {arguments}")
            }));
        }
        if problems.is_empty() { Ok(Messages { locale, text: text.to_owned() }) } else { Err(problems) }
    }

    /// Overrides the built-in messages with these; of several, the last wins. Only the first call has an effect, and it must
    /// precede any other use of messages.
    pub fn install_overrides(messages: Vec<Messages>) {
        let _ = OVERRIDES.set(messages);
    }
}

/// Returns the custom messages in this language, in order; the last one wins.
pub(super) fn overrides(locale: Locale) -> impl Iterator<Item = FluentResource> {
    let messages = OVERRIDES.get().into_iter().flatten().filter(move |messages| messages.locale == locale);
    messages.filter_map(|messages| FluentResource::try_new(messages.text.clone()).ok())
}

/// Returns a sample value for each argument.
fn samples(kinds: &[(&'static str, ArgKind)]) -> FluentArgs<'static> {
    let mut args = FluentArgs::new();
    for (name, kind) in kinds {
        match kind {
            ArgKind::Number => args.set(*name, 1),
            ArgKind::Moved => args.set(*name, "king"),
            _ => args.set(*name, "x"),
        }
        if *kind == ArgKind::PieceOnSquare {
            args.set(format!("{name}-role"), "x");
            args.set(format!("{name}-square"), "x");
        }
    }
    args
}
