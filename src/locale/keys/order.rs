//! Why an order to a board or a game was not carried out.

use super::ArgKind::{Number, Plain, Player, Role, Square};
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
    // Why the table refused an order.
    ("refusal-already_paused", &[]),
    ("refusal-bad_fen", &[]),
    ("refusal-game_over", &[]),
    ("refusal-illegal_after_promotion", &[("piece", Role), ("later", Plain)]),
    ("refusal-later_move", &[("later", Plain)]),
    ("refusal-long_note", &[("length", Number), ("most", Number)]),
    ("refusal-moved_since", &[]),
    ("refusal-no_alert", &[]),
    ("refusal-no_game", &[]),
    ("refusal-no_irregular_move", &[]),
    ("refusal-no_move", &[("uci", Plain)]),
    ("refusal-no_ply", &[]),
    ("refusal-no_position_before", &[]),
    ("refusal-no_promotion", &[]),
    ("refusal-not_counted", &[("player", Player)]),
    ("refusal-not_legal", &[("uci", Plain)]),
    ("refusal-not_paused", &[]),
    ("refusal-nothing_to_undo", &[]),
    ("refusal-other_piece_shown", &[("shown", Role), ("square", Square)]),
    ("refusal-same_move", &[]),
    ("refusal-too_many_plies", &[("known", Number)]),
];
