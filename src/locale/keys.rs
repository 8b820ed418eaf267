//! Every message with its arguments: in each language the sentence uses all of them and no others.
//!
//! A [`Text`](crate::game::Text) can have more arguments, for programs.

mod bluetooth;
mod desk;
mod order;
mod page;
pub(super) mod public;
mod round;
mod service;
mod wiring;

use crate::game::AlertKind;
use crate::game::command::COMMANDS;
use ArgKind::{Differences, Moved, Number, PieceOnSquare, PiecesOnSquares, Plain, Player, Role, Square, Text};

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A square.
    Square,
    /// A kind of piece.
    Role,
    /// A player.
    Player,
    /// A piece with its square; a message can also use its `-role` and its `-square`.
    PieceOnSquare,
    /// Several pieces with their squares.
    PiecesOnSquares,
    /// What has moved before: a message selects by `king`, `rook` and `either`.
    Moved,
    /// A number.
    Number,
    /// A text that is the same in every language, or is already translated.
    Plain,
    /// Squares, with the expected and the actual piece.
    Differences,
    /// A sentence within the sentence.
    Text,
}

/// The name of a message, with the name and type of each argument.
pub type MessageKey = (&'static str, &'static [(&'static str, ArgKind)]);

/// Returns all messages. Each kind of alert has a heading, and each command a name.
pub fn all() -> impl Iterator<Item = MessageKey> {
    let headings = AlertKind::ALL.iter().map(|kind| (kind.heading_key(), &[] as &[_]));
    let commands = COMMANDS.iter().map(|spec| (spec.name_key, &[] as &[_]));
    SENTENCES
        .iter()
        .chain(page::KEYS)
        .chain(public::KEYS)
        .chain(desk::KEYS)
        .chain(order::KEYS)
        .chain(round::KEYS)
        .chain(service::KEYS)
        .chain(wiring::KEYS)
        .chain(bluetooth::KEYS)
        .copied()
        .chain(headings)
        .chain(commands)
}

/// The sentences and their parts.
const SENTENCES: &[MessageKey] = &[
    // Wrong positions.
    ("wrong_start", &[("differences", Differences)]),
    ("orientation", &[]),
    ("unexplained", &[("differences", Differences)]),
    ("behind", &[("differences", Differences)]),
    ("ended_elsewhere", &[("differences", Differences)]),
    ("displaced", &[("player", Player), ("differences", Differences)]),
    ("displaced_found", &[("differences", Differences)]),
    ("capture_unclear", &[("player", Player), ("differences", Differences)]),
    ("illegal_position_kings", &[]),
    ("illegal_position_pawn", &[("pawn", PieceOnSquare)]),
    // Moves.
    ("castling_begun", &[("player", Player), ("on", Square), ("rook", Square)]),
    ("illegal_pending", &[("player", Player), ("san", Plain), ("reason", Text)]),
    ("illegal_completed", &[("player", Player), ("san", Plain), ("reason", Text)]),
    ("illegal_standing", &[("player", Player), ("san", Plain), ("reason", Text)]),
    ("put_right", &[("alert", Text), ("san", Plain)]),
    ("pawn_left", &[("player", Player), ("pawn", PieceOnSquare)]),
    ("uncertain", &[("plies", Plain)]),
    ("uncertain_line", &[("plies", Plain)]),
    ("uncertain_late", &[("plies", Plain)]),
    ("uncertain_order", &[("plies", Plain)]),
    ("uncertain_twice", &[("plies", Plain)]),
    ("uncertain_unshown", &[("plies", Plain)]),
    ("uncertain_promotion", &[("plies", Plain)]),
    ("uncertain_rest", &[("plies", Plain)]),
    ("proposal", &[("plies", Plain), ("instead", Plain), ("percent", Number)]),
    ("moves_missing", &[("number", Number)]),
    ("last_move_doubtful", &[("san", Plain), ("percent", Number)]),
    // The clock.
    ("press_without_move", &[("player", Player)]),
    ("press_before_release", &[("player", Player), ("man", PieceOnSquare)]),
    ("flag_fall", &[("player", Player)]),
    ("both_flags", &[]),
    ("both_flags_first", &[("player", Player)]),
    // Touched pieces.
    ("touch_move", &[("player", Player), ("men", PiecesOnSquares), ("san", Plain), ("duty", Text)]),
    ("touch_move_sensed", &[("player", Player), ("men", PiecesOnSquares), ("san", Plain), ("duty", Text)]),
    ("restored_unbound", &[("player", Player), ("san", Plain)]),
    ("touch_capture", &[("player", Player), ("man", PieceOnSquare)]),
    ("touch_capture_sensed", &[("player", Player), ("man", PieceOnSquare)]),
    ("possible_touch", &[("player", Player), ("man", PieceOnSquare), ("san", Plain)]),
    ("release_changed", &[("player", Player), ("man", PieceOnSquare), ("square", Square), ("san", Plain)]),
    ("promotion_changed", &[("player", Player), ("square", Square), ("was", Role), ("is", Role)]),
    ("handled_off_turn", &[("player", Player), ("men", PiecesOnSquares)]),
    // The end.
    ("kings_say", &[("white", Square), ("black", Square), ("result", Plain)]),
    ("kings_unclear", &[]),
    ("result_wanted", &[]),
    ("result_missing", &[]),
    ("dead_position", &[]),
    ("five_fold", &[("plies", Plain)]),
    ("repeated", &[("times", Number), ("plies", Plain)]),
    ("seventy_five", &[]),
    ("quiet_moves", &[("moves", Number)]),
    ("played_after_end", &[]),
    ("end_waits", &[("end", Text), ("for", Text)]),
    ("end_unconfirmed", &[("end", Text), ("for", Text)]),
    ("end-checkmate", &[("result", Plain)]),
    ("end-stalemate", &[("result", Plain)]),
    ("waits-ruling", &[("san", Plain)]),
    ("waits-notice", &[("player", Player)]),
    // Devices.
    ("board_silent", &[("seconds", Number)]),
    ("board_unseen", &[]),
    ("link_lost", &[]),
    ("clock_stopped", &[]),
    ("clock_set", &[("white_was", Plain), ("black_was", Plain), ("white", Plain), ("black", Plain)]),
    ("clock_lost", &[]),
    ("clock_battery", &[]),
    ("board_battery", &[("percent", Number)]),
    ("board_battery_lasts", &[("percent", Number), ("minutes", Number)]),
    // Reasons why a move is not legal.
    ("reason-not_his_turn", &[("moved", PieceOnSquare), ("player", Player)]),
    ("reason-nothing_there", &[("from", Square)]),
    ("reason-no_move", &[]),
    ("reason-own_piece", &[("on", PieceOnSquare)]),
    ("reason-king_taken", &[]),
    ("reason-no_such_move", &[("moved", PieceOnSquare), ("to", Square)]),
    ("reason-blocked", &[("moved", PieceOnSquare), ("by", PieceOnSquare)]),
    ("reason-pawn_two_steps", &[("moved", PieceOnSquare)]),
    ("reason-pawn_straight", &[("on", PieceOnSquare)]),
    ("reason-pawn_diagonal", &[("to", Square)]),
    ("reason-en_passant_too_late", &[("pawn", Square)]),
    ("reason-en_passant_not_removed", &[("pawn", Square)]),
    ("reason-en_passant_wrong_pawn", &[("removed", PieceOnSquare), ("pawn", Square)]),
    ("reason-pawn_left", &[("pawn", PieceOnSquare)]),
    ("reason-promoted_wrongly", &[("on", Square), ("role", Role)]),
    ("reason-promoted_colour", &[("on", PieceOnSquare)]),
    ("reason-became", &[("moved", PieceOnSquare), ("role", Role)]),
    ("reason-into_check", &[("king", Square), ("by", PiecesOnSquares)]),
    ("reason-kings_adjacent", &[("king", Square), ("other", Square)]),
    ("reason-pinned", &[("moved", PieceOnSquare), ("king", Square), ("by", PieceOnSquare)]),
    ("reason-exposed", &[("king", Square), ("by", PieceOnSquare)]),
    ("reason-still_in_check", &[("king", Square), ("by", PieceOnSquare)]),
    ("reason-double_check", &[("king", Square), ("by", PiecesOnSquares)]),
    ("reason-castling_no_rook", &[("rook", Square)]),
    ("reason-castling_after_move", &[("moved", Moved), ("rook", Square)]),
    ("reason-castling_blocked", &[("by", PieceOnSquare)]),
    ("reason-castling_in_check", &[("by", PieceOnSquare)]),
    ("reason-castling_through", &[("square", Square), ("by", PieceOnSquare)]),
    ("reason-castling_into", &[("square", Square), ("by", PieceOnSquare)]),
    ("reason-castling_unfinished", &[("rook", Square)]),
    ("reason-castling_squares", &[("moved", PiecesOnSquares)]),
    ("reason-several_moves", &[("moved", PiecesOnSquares)]),
    ("reason-vanished", &[("men", PiecesOnSquares)]),
    ("reason-appeared", &[("men", PiecesOnSquares)]),
    ("reason-exchanged", &[("was", PieceOnSquare), ("is", PieceOnSquare)]),
    // Obligations from touched pieces.
    ("duty-touch_own", &[("square", Square)]),
    ("duty-touch_own_together", &[("squares", Plain)]),
    ("duty-touch_opponent", &[("square", Square)]),
    ("duty-touch_opponent_together", &[("squares", Plain)]),
    ("duty-touch_both", &[("own", Square), ("enemy", Square)]),
    ("duty-castling_touched", &[("rook", Square)]),
    ("duty-rook_before_king", &[("rook", Square), ("king", Square)]),
    ("duty-rook_first", &[("rook", Square), ("king", Square)]),
    ("duty-castling_illegal", &[("king", Square), ("rook", Square)]),
    ("duty-promotion_final", &[("square", Square), ("role", Role)]),
    ("duty-released", &[("from", Square), ("on", Square)]),
    ("duty-castling_made", &[("rook", Square)]),
    ("duty-pawn_left", &[("square", Square)]),
    // The validity of a draw claim.
    ("claim-repeated", &[("times", Number)]),
    ("claim-quiet", &[("moves", Number)]),
    ("claim-too_few_times", &[("times", Number)]),
    ("claim-too_few_moves", &[("missing", Number), ("of", Number)]),
    ("claim-not_at_hand", &[]),
    ("claim-lost", &[]),
    ("claim-not_on_move", &[]),
    ("claim-illegal_move", &[]),
    ("claim-ended", &[]),
    // What a command would do.
    ("preview-undoes", &[("command", Text)]),
    ("preview-continues", &[("count", Number)]),
    ("preview-ends", &[("count", Number)]),
    ("preview-removes", &[("count", Number), ("player", Player), ("number", Number), ("san", Plain)]),
    ("preview-adds", &[("count", Number), ("player", Player), ("number", Number), ("san", Plain)]),
    ("preview-no_moves", &[]),
    ("preview-clocks", &[("white", Plain), ("black", Plain)]),
    ("preview-result", &[("result", Plain)]),
    ("preview-no_result", &[("result", Plain)]),
    ("preview-played_on", &[("count", Number)]),
    ("preview-clears", &[("kind", Text)]),
    ("preview-raises", &[("kind", Text)]),
    ("preview-do_begin", &[]),
    ("preview-do_result", &[("result", Plain)]),
    ("preview-do_no_result", &[]),
    ("preview-do_remove", &[("count", Number)]),
    ("preview-do_add", &[("count", Number)]),
    ("preview-do_change", &[("count", Number)]),
    // What has happened since somebody looked.
    ("news-since", &[("news", Plain)]),
    ("news-played", &[("count", Number), ("moves", Plain)]),
    ("news-played_more", &[("count", Number), ("moves", Plain)]),
    ("news-corrected", &[("moves", Plain)]),
    ("news-removed", &[("count", Number)]),
    ("news-alert", &[("kind", Text)]),
    ("news-command", &[("command", Text), ("by", Plain)]),
    ("news-result", &[("result", Plain)]),
    ("news-no_result", &[]),
    // What a ruling requires.
    ("act-restore", &[]),
    ("act-touch_binds", &[]),
    ("act-release_binds", &[]),
    ("act-complete", &[]),
    ("act-queen", &[]),
    ("act-take_increment", &[]),
    ("act-add", &[("time", Plain)]),
    ("act-halve", &[("most", Plain), ("least", Plain)]),
    ("act-wins", &[]),
    ("act-loses", &[]),
    ("act-await_search", &[]),
    ("act-loses_or_draw", &[]),
    ("act-draw", &[]),
    ("act-stands", &[]),
    ("act-play_intended", &[]),
    ("act-new_game", &[]),
    ("act-transfer", &[]),
    ("act-no_castling", &[]),
    ("act-own_time", &[]),
    ("act-put_right", &[]),
    ("act-may_penalise", &[]),
    ("act-go_on", &[]),
    ("act-free", &[]),
    ("act-on_claim", &[]),
    ("act-no_signal", &[]),
    ("act-rule_first", &[]),
    ("act-go_on_or_draw", &[]),
    ("act-wait", &[]),
    ("act-arbiter_decides", &[]),
    ("act-ask_result", &[]),
    // Parts of sentences.
    ("player-white", &[]),
    ("player-black", &[]),
    ("role-pawn", &[]),
    ("role-knight", &[]),
    ("role-bishop", &[]),
    ("role-rook", &[]),
    ("role-queen", &[]),
    ("role-king", &[]),
    ("man", &[("role", Plain), ("square", Plain)]),
    ("men", &[("before", Plain), ("next", Plain)]),
    ("men-last", &[("before", Plain), ("next", Plain)]),
    ("difference", &[("square", Plain), ("expected", Plain), ("seen", Plain)]),
    ("differences", &[("before", Plain), ("next", Plain)]),
    ("holds-nothing", &[]),
    ("holds-piece", &[]),
    ("holds-white", &[]),
    ("holds-black", &[]),
    ("piece-white", &[("role", Plain)]),
    ("piece-black", &[("role", Plain)]),
    ("time-minutes", &[("count", Number)]),
    ("time-seconds", &[("count", Number)]),
];
