//! `touchmovectl hall new-event`.

use super::{Place, Yes, change};
use crate::ctl::service::{confirm, print};
use crate::hall::setup::SetupError;
use crate::hall::setup::registry::{self, Registry};

/// Begin another event with the same machines
///
/// Games that follow belong to it, and so does what machines have not sent yet: the hub gets it without a gap. Boards, seats and
/// games at the hub stay. The message server begins an empty stream, so this is also what to do when its storage is full. It keeps
/// the stream of the event before, and deletes earlier ones, whose games are in the journals of the hub and of the machines. A
/// running touchmoved takes it up by itself.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sudo touchmovectl hall new-event club-2027")]
pub(super) struct Args {
    /// Name of the event: lower-case letters, digits and hyphens
    name: String,
    #[command(flatten)]
    yes: Yes,
    #[command(flatten)]
    place: Place,
}

/// Runs the subcommand.
pub(super) fn run(Args { name, yes, place }: Args) -> anyhow::Result<()> {
    let files = place.files();
    let mut preview = registry::load(&files)?.ok_or(SetupError::NoHall)?;
    let Some(effects) = begin(&mut preview, &name)? else {
        return Ok(print(&format!("nothing was changed: the event is {name} already\n"))?);
    };
    if !confirm(&format!("Begin {name}? {}.", effects.join("; ")), yes.yes)? {
        return Ok(print("nothing was changed\n")?);
    }
    change(&files, |registry| registry.begin_event(&name))?;
    Ok(print(&format!("The event is {name}. touchmoved at this hub begins it within seconds, or when it is started.\n"))?)
}

/// Begins an event in a registry. Returns what that does, as sentences without a full stop; `None`: it has this name already.
///
/// # Errors
/// The name is not valid.
pub(super) fn begin(registry: &mut Registry, name: &str) -> Result<Option<Vec<String>>, SetupError> {
    let before = registry.hall.clone();
    if !registry.begin_event(name)? {
        return Ok(None);
    }
    let mut effects = vec![format!(
        "Games that follow, and what machines have not sent yet, belong to {name} instead of {before}; boards, seats and games stay"
    )];
    let obsolete = registry.obsolete_events();
    if !obsolete.is_empty() {
        effects.push(format!("the message server deletes its copy of {}; the hub keeps the games", obsolete.join(", ")));
    }
    Ok(Some(effects))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_before_stays_and_earlier_ones_go() {
        let mut registry = Registry::new("open-2026", 4222, 1 << 30, String::new()).unwrap();
        assert!(begin(&mut registry, "open-2026").unwrap().is_none() && begin(&mut registry, "Open").is_err());
        assert_eq!(begin(&mut registry, "club-2027").unwrap().map(|effects| effects.len()), Some(1));
        assert!(registry.obsolete_events().is_empty());
        let effects = begin(&mut registry, "open-2027").unwrap().unwrap_or_default();
        assert!(effects[1].contains("deletes its copy of open-2026;"), "{effects:?}");
        assert_eq!(registry.obsolete_events(), ["open-2026"]);
        // Back to the first: it is needed again.
        begin(&mut registry, "open-2026").unwrap();
        assert_eq!((registry.hall.as_str(), registry.obsolete_events()), ("open-2026", &["club-2027".to_owned()][..]));
    }
}
