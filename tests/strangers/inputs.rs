//! What must hold for any text that strangers hand in, where it is read without anything around it. Played by the tests over small
//! corpora, and by the fuzz targets of the same names for as long as one likes.

use serde_json::Value;
use touchmove::config::Config;
use touchmove::link::recording;
use touchmove::round::Round;
use touchmove::round::trf::Order;
use touchmove::simulate::pgn;
use touchmove::wire;

/// Reads a text, and panics where something does not hold.
pub type Check = fn(&str);

/// Each with its name.
pub const INPUTS: [(&str, Check); 6] = [
    ("configuration", configuration),
    ("event", event),
    ("command", command),
    ("recording", recorded),
    ("round", round),
    ("games", games),
];

/// A configuration is taken, or everything wrong with it is said at a place that it has.
pub fn configuration(text: &str) {
    match Config::parse(text) {
        Ok(config) => drop(config.warnings()),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            for problem in problems {
                assert!((1..=lines).contains(&problem.line) && problem.column >= 1, "{problem} of {lines} lines");
                assert!(!problem.message.is_empty());
            }
        }
    }
}

/// An event that is read is written, and read as the same.
pub fn event(text: &str) {
    if let Ok(stamped) = wire::from_json(text) {
        let again = wire::from_json(&wire::to_json(&stamped)).expect("what was written is read");
        assert_eq!(again, stamped);
    }
}

/// Commands, those who give them, and settings: what is read is written, and read as the same.
pub fn command(text: &str) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    if let Ok(command) = wire::command_from_value(&value) {
        assert_eq!(wire::command_from_value(&wire::command_to_value(&command)).expect("what was written is read"), command);
    }
    if let Ok(order) = wire::order_from_value(&value) {
        assert_eq!(wire::order_from_value(&wire::order_to_value(&order)).expect("what was written is read"), order);
    }
    if let Ok(settings) = wire::settings_from_value(&value) {
        let again = wire::settings_from_value(&wire::settings_to_value(&settings)).expect("what was written is read");
        assert_eq!(again, settings);
    }
}

/// A recording is read in the order of its times, or what is wrong with it is said with its line.
pub fn recorded(text: &str) {
    match recording::parse("x.rec", text) {
        Ok(recording) => assert!(recording.lines.is_sorted_by_key(|line| line.at)),
        Err(why) => assert!(why.to_string().starts_with("x.rec:"), "{why}"),
    }
}

/// The pairings of a round are right as a whole, and are read again as they are kept; or it is said what is wrong.
pub fn round(text: &str) {
    for (number, order) in [(None, Order::Unknown), (Some(3), Order::Unknown), (Some(1), Order::Rank)] {
        match Round::read(text, number, &order) {
            Ok(round) => {
                assert_eq!(round.check(), Vec::<String>::new());
                let kept = serde_json::to_string(&round).expect("it is JSON");
                assert_eq!(serde_json::from_str::<Round>(&kept).expect("what was written is read"), round);
                round.pairings.iter().for_each(|pairing| drop(round.tags(pairing)));
            }
            Err(why) => assert!(!why.to_string().is_empty()),
        }
    }
}

/// Games are read as far as they can be.
pub fn games(text: &str) {
    for game in pgn::read(text).games {
        assert!(!game.plies.is_empty());
        drop(game.position(game.plies.len()));
    }
}
