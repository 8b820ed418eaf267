//! The bus on which the games are published.

use super::key::{Key, Table, key, text};

/// The table `[bus]`.
pub(super) static TABLE: Table = Table { name: "bus", about: "The bus on which the games are published.", keys: KEYS };

const KEYS: &[Key] = &[key(
    "address",
    text("\"auto\", \"session\", \"system\", or the address of a bus such as \"unix:path=/run/user/1000/bus\"", is_bus),
    Some("\"auto\""),
    "\"system\"",
    "The bus on which org.touchmove1 appears. On the session bus every process of the user has the rights of the arbiter.\n\
     `auto`: the session bus if there is one, otherwise the system bus; `session`; `system`; or an address. The option\n\
     --bus overrides it.",
)];

fn is_bus(text: &str) -> bool {
    matches!(text, "auto" | "session" | "system") || text.split_once(':').is_some_and(|(_, rest)| rest.contains('='))
}
