//! The signals of touchmove's interfaces, as `config/generated/dbus/*.xml` describes them. The descriptions are generated from
//! the interfaces.

use crate::names::{ARBITER_INTERFACE, BOARD_INTERFACE, GAME_INTERFACE, OPERATOR_INTERFACE};
use std::sync::LazyLock;

/// A signal of touchmove's interfaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SignalSpec {
    /// The interface that has the signal.
    pub interface: &'static str,
    /// The signal's name.
    pub name: &'static str,
    /// The names and types of its arguments, in order.
    pub arguments: Vec<(&'static str, &'static str)>,
}

impl SignalSpec {
    /// Returns the signal with this name.
    pub(crate) fn find(name: &str) -> Option<&'static SignalSpec> {
        SIGNALS.iter().find(|signal| signal.name == name)
    }

    /// Returns whether it belongs to a numbered event: `number` and `time` come first.
    pub(crate) fn is_numbered(&self) -> bool {
        self.arguments.first().is_some_and(|(name, _)| *name == "number")
    }

    /// Returns the names and types of the arguments that the event itself has.
    pub(crate) fn fields(&self) -> &[(&'static str, &'static str)] {
        self.arguments.get(if self.is_numbered() { 2 } else { 0 }..).unwrap_or_default()
    }
}

/// All signals.
static SIGNALS: LazyLock<Vec<SignalSpec>> = LazyLock::new(|| {
    let descriptions = [
        (GAME_INTERFACE, include_str!("../../../config/generated/dbus/org.touchmove1.Game.xml")),
        (OPERATOR_INTERFACE, include_str!("../../../config/generated/dbus/org.touchmove1.Operator.xml")),
        (ARBITER_INTERFACE, include_str!("../../../config/generated/dbus/org.touchmove1.Arbiter.xml")),
        (BOARD_INTERFACE, include_str!("../../../config/generated/dbus/org.touchmove1.Board.xml")),
    ];
    let parse = |(interface, xml): (&'static str, &'static str)| {
        xml.split("<signal ").skip(1).filter_map(move |signal| parse_signal(interface, signal))
    };
    descriptions.into_iter().flat_map(parse).collect()
});

/// Parses the description of a signal, after the beginning of its first tag.
fn parse_signal(interface: &'static str, text: &'static str) -> Option<SignalSpec> {
    let (signal, _) = text.split_once("</signal>")?;
    let arguments = signal.split("<arg ").skip(1);
    let arguments = arguments.filter_map(|argument| Some((attribute(argument, "name")?, attribute(argument, "type")?)));
    Some(SignalSpec { interface, name: attribute(signal, "name")?, arguments: arguments.collect() })
}

/// Returns the value of the first attribute with this name.
fn attribute(text: &'static str, name: &str) -> Option<&'static str> {
    let (_, value) = text.split_once(&format!("{name}=\""))?;
    value.split('"').next()
}
