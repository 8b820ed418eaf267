//! The JSON form in which a pairing is read: that of this version, and of earlier ones.

use super::result::BadResult;
use super::{Pairing, PairingResult, Player};
use serde::Deserialize;

/// The keys of a pairing. Earlier versions wrote `forfeit` for a game that is not played, possibly with its winner in `result`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PairingForm {
    table: u16,
    white: Player,
    black: Player,
    board: Option<String>,
    serial: Option<String>,
    section: Option<String>,
    result: Option<String>,
    forfeit: Option<Forfeit>,
}

/// The winner of a game that is not played.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Forfeit {
    White,
    Black,
    Nobody,
}

impl TryFrom<PairingForm> for Pairing {
    type Error = BadResult;

    fn try_from(form: PairingForm) -> Result<Pairing, BadResult> {
        let result = match form.forfeit {
            Some(Forfeit::White) => Some(PairingResult::WhiteWinsByForfeit),
            Some(Forfeit::Black) => Some(PairingResult::BlackWinsByForfeit),
            Some(Forfeit::Nobody) => Some(PairingResult::BothForfeit),
            None => PairingResult::parse(form.result.as_deref().unwrap_or_default())?,
        };
        let PairingForm { table, white, black, board, serial, section, .. } = form;
        Ok(Pairing { table, white, black, board, serial, section, result })
    }
}
