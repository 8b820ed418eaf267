//! Why an order to a board or a game was not carried out.

use super::ArgKind::Plain;
use super::MessageKey;

pub(super) const KEYS: &[MessageKey] = &[
    ("order-board_away", &[("game", Plain), ("board", Plain)]),
    ("order-board_in_use", &[("board", Plain), ("game", Plain)]),
    ("order-cannot_identify", &[("board", Plain)]),
    ("order-changed", &[]),
    ("order-game_replaced", &[]),
    ("order-no_game_to_continue", &[("board", Plain)]),
    ("order-no_such_board", &[("board", Plain)]),
    ("order-no_such_game", &[("game", Plain)]),
    ("order-not_current", &[("requested", Plain), ("board", Plain), ("current", Plain)]),
    ("order-not_set_up", &[("board", Plain), ("squares", Plain)]),
    ("order-not_stored", &[("error", Plain)]),
    ("order-playing", &[("board", Plain), ("game", Plain)]),
    ("order-squares_unknown", &[("board", Plain)]),
    ("order-stopping", &[]),
    ("order-unreadable", &[("error", Plain)]),
];
