//! The findings about boards over Bluetooth.

use super::probe;
use super::report::Report;
use super::service::Service;
use crate::config::{BoardConfig, Config};
use crate::link::bluetooth::{Address, Radio, Unavailable};
use crate::link::{BoardLocation, Endpoint, OpenError};
use std::path::Path;

/// Returns the configured boards over Bluetooth.
pub(super) fn boards(config: &Config) -> impl Iterator<Item = (&BoardConfig, Address)> {
    config.boards.iter().filter_map(|board| match board.place {
        BoardLocation::Bluetooth(address) => Some((board, address)),
        _ => None,
    })
}

/// Examines whether the boards over Bluetooth can be reached, except those that touchmoved reads: a board has one connection. Without
/// such a board, Bluetooth is not examined.
pub(super) async fn examine(report: &mut Report, config: &Config, service: &Service) {
    let radio = Radio::default();
    let mut reported: Option<Unavailable> = None;
    for (board, address) in boards(config).filter(|(_, address)| service.board(Path::new(&address.to_string())).is_none()) {
        match Endpoint::Bluetooth(address).open(&radio, board.model, board.control).await {
            Ok(mut port) => {
                report.good("bluetooth", format!("{address}: configured as {}, in range", board.name));
                let result = probe::probe(&mut port, board.model).await;
                let advice = "check that the board is switched on and charged, and its model; switch it off and on";
                probe::add_result(report, &address.to_string(), board.model.title, result, advice);
                port.close().await;
            }
            Err(OpenError::Bluetooth(reason)) => {
                // One adapter that is off concerns all boards, and is one fault.
                if reported.as_ref() != Some(&reason) {
                    add(report, &board.name, &reason, service);
                }
                reported = Some(reason);
            }
            Err(error) => report.bad("bluetooth", error.to_string(), "see `journalctl -u bluetooth`"),
        }
    }
}

/// Reports why a board cannot be reached.
fn add(report: &mut Report, name: &str, reason: &Unavailable, service: &Service) {
    let text = reason.to_string();
    let (message, next) = text.split_once(": ").unwrap_or((&text, "see `journalctl -u bluetooth`"));
    if *reason == Unavailable::Denied && service.is_system_service() {
        let advice = "the service touchmoved reads the boards, so you do not need this permission";
        return report.note("bluetooth", format!("{message}: {advice}"));
    }
    report.bad("bluetooth", format!("board {name}: {message}"), next);
}
