//! Properties that must hold for any bytes given to the core's parsers. The tests run them over small corpora, and the fuzz targets of
//! the same names run them for any time.

use serde_json::Value;
use touchmove::game::Command;
use touchmove::round::trf::TableOrder;
use touchmove::round::{Round, csv, trf};
use touchmove::simulate::pgn;
use touchmove::wire;

/// Parses an input, and panics if a property does not hold.
pub type Check = fn(&[u8]);

/// The checks with their names. Where a text is expected, invalid UTF-8 is replaced.
pub const INPUTS: [(&str, Check); 4] = [("event", event), ("command", command), ("round", round), ("games", games)];

/// An event that was read is written, and read back as the same.
pub fn event(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    if let Ok(stamped) = wire::from_json(text) {
        let again = wire::from_json(&wire::to_json(&stamped)).expect("what was written is read");
        assert_eq!(again, stamped);
    }
}

/// Commands, orders and settings that were read are written, and read back as the same.
pub fn command(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    if let Ok(command) = wire::command_from_value(&value) {
        check_round_trip(&command);
    }
    if let Ok(order) = wire::order_from_value(&value) {
        assert_eq!(wire::order_from_value(&wire::order_to_value(&order)).expect("what was written is read"), order);
    }
    if let Ok(settings) = wire::settings_from_value(&value) {
        let again = wire::settings_from_value(&wire::settings_to_value(&settings)).expect("what was written is read");
        assert_eq!(again, settings);
    }
}

/// The pairings of a round are consistent, and are read back as they were stored and as they are exported; or the error says what is
/// wrong.
pub fn round(bytes: &[u8]) {
    for (number, order) in [(None, TableOrder::Unknown), (Some(3), TableOrder::Unknown), (Some(1), TableOrder::Rank)] {
        let preview = Round::read_bytes(bytes, number, &order);
        serde_json::to_string(&preview).expect("it is JSON");
        match preview.into_round() {
            Ok(round) => {
                assert_eq!(round.check(), []);
                let stored = serde_json::to_string(&round).expect("it is JSON");
                assert_eq!(serde_json::from_str::<Round>(&stored).expect("what was written is read"), round);
                round.pairings.iter().for_each(|pairing| drop(round.tags(pairing)));
                let rounds = [round];
                let [round] = &rounds;
                let again = Round::read_bytes(csv::write::write(&rounds).as_bytes(), None, &order).round;
                // A player may be called like the word for a bye.
                let count = |round: &Round| round.pairings.len() + round.byes.len();
                assert_eq!(count(&again), count(round));
                drop(Round::read_bytes(trf::write::write(&rounds).as_bytes(), None, &TableOrder::Rank));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Games are read as far as possible.
pub fn games(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    for game in pgn::read(text).games {
        assert!(!game.plies.is_empty());
        drop(game.position(game.plies.len()));
    }
}

/// Asserts that a command is read back as it was written.
pub fn check_round_trip(command: &Command) {
    assert_eq!(wire::command_from_value(&wire::command_to_value(command)).expect("what was written is read"), *command);
}
