//! The delay of everything that is public.

use super::key::{ChangeEffect, Key, Kind, Table, key, number};
use super::values::Values;
use crate::game::words::Word;
use crate::game::{Delay, IllegalMoves};

/// The table `[broadcast]`.
pub(super) static TABLE: Table = Table {
    name: "broadcast",
    about: "The delay for everybody except the arbiter: spectators could help the players. It applies to org.touchmove1.Broadcast\n\
            and to everything else that is public.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "delay_s",
        number(0, 86_400, "seconds"),
        Some("0"),
        "900",
        "The minimum age of everything that is published: moves, clock times and results. If a move is corrected meanwhile,\n\
         only the correction is published. After a restart of touchmoved, events that were public stay public, and all others\n\
         wait for the whole delay again, because the time of day may have been wrong before.",
    ).changes(ChangeEffect::Immediate),
    key(
        "delay_plies",
        number(0, 100, "plies"),
        Some("0"),
        "4",
        "In addition, a move is not published before this number of plies have followed it, as long as the game is in progress.\n\
         With delay_s 0 the last plies are published with the result.",
    ).changes(ChangeEffect::Immediate),
    key(
        "illegal_move",
        Kind::Word(&["hold", "show"]),
        Some("\"hold\""),
        "\"show\"",
        "How an illegal move is published. `hold`: the public record of the game ends before the move until the arbiter lets it\n\
         stand, it stands by the Laws in force, the opponent has completed two further moves, or the game is over; a move\n\
         that is taken back or replaced before that is never published. `show`: it is published like any other move.",
    ).changes(ChangeEffect::Immediate),
];

/// Reads the table.
pub(super) fn read(values: &Values<'_>) -> (Delay, IllegalMoves) {
    let delay = Delay { ms: values.number::<u64>("delay_s") * 1000, plies: values.number("delay_plies") };
    (delay, IllegalMoves::from_word(&values.text("illegal_move")).unwrap_or_default())
}
