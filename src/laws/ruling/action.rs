//! The actions that a ruling can require, and their words.

use crate::laws::edition::Halving;
use std::fmt;
use std::str::FromStr;

/// One action that a ruling requires. The *player* is the one who caused the situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulingAction {
    /// The position before the irregularity, or the last certain position, is restored.
    Restore,
    /// The touched or released pieces bind the move that is made now.
    TouchBinds,
    /// The move is bound to the release: that square, that piece, that castling.
    ReleaseBinds,
    /// The rest of the move must still be made.
    Complete,
    /// The pawn is replaced by a queen.
    Queen,
    /// The increment that the player gained by pressing the clock is removed.
    TakeIncrement,
    /// The opponent gets this number of additional seconds.
    Add(u32),
    /// The player loses a part of the remaining time.
    Halve(Halving),
    /// The player wins.
    Wins,
    /// The player loses.
    Loses,
    /// The player loses, or the game is drawn if the opponent cannot checkmate. The search is running; its result replaces this
    /// action.
    AwaitSearch,
    /// The player loses, or the game is drawn if the opponent cannot checkmate. The search ended without a result: the arbiter
    /// decides.
    LosesOrDraw,
    /// The game is drawn.
    Draw,
    /// The move remains in force.
    Stands,
    /// The intended move is made; if it is illegal, another move with that piece.
    PlayIntended,
    /// The game is cancelled and a new one is played.
    NewGame,
    /// The position is transferred to a correctly placed board, and the game continues.
    Transfer,
    /// A king on a wrong square may not castle, and no king may castle with a rook on a wrong square.
    NoCastling,
    /// The player re-establishes the position on their own time.
    OwnTime,
    /// The arbiter corrects the placement of a piece.
    PutRight,
    /// The arbiter may penalise the player at their discretion.
    MayPenalise,
    /// Nothing is wrong: the game continues.
    GoOn,
    /// Any legal move may be made.
    Free,
    /// Nothing is done unless a player claims.
    OnClaim,
    /// The arbiter does not signal it.
    NoSignal,
    /// The arbiter first rules on the move: it ends the game only if it complies with Articles 3 and 4.
    RuleFirst,
    /// If it cannot be established which flag fell first, the game continues, or is drawn in the last period.
    GoOnOrDraw,
    /// The arbiter waits for the next completed move.
    Wait,
    /// The arbiter decides: the Laws leave it to the arbiter.
    ArbiterDecides,
    /// The players or the arbiter are asked for the result.
    AskResult,
}

impl RulingAction {
    /// The actions without a figure, with their words.
    pub(super) const PLAIN: [(&'static str, RulingAction); 28] = [
        ("restore", RulingAction::Restore),
        ("touch_binds", RulingAction::TouchBinds),
        ("release_binds", RulingAction::ReleaseBinds),
        ("complete", RulingAction::Complete),
        ("queen", RulingAction::Queen),
        ("take_increment", RulingAction::TakeIncrement),
        ("wins", RulingAction::Wins),
        ("loses", RulingAction::Loses),
        ("await_search", RulingAction::AwaitSearch),
        ("loses_or_draw", RulingAction::LosesOrDraw),
        ("draw", RulingAction::Draw),
        ("stands", RulingAction::Stands),
        ("play_intended", RulingAction::PlayIntended),
        ("new_game", RulingAction::NewGame),
        ("transfer", RulingAction::Transfer),
        ("no_castling", RulingAction::NoCastling),
        ("own_time", RulingAction::OwnTime),
        ("put_right", RulingAction::PutRight),
        ("may_penalise", RulingAction::MayPenalise),
        ("go_on", RulingAction::GoOn),
        ("free", RulingAction::Free),
        ("on_claim", RulingAction::OnClaim),
        ("no_signal", RulingAction::NoSignal),
        ("rule_first", RulingAction::RuleFirst),
        ("go_on_or_draw", RulingAction::GoOnOrDraw),
        ("wait", RulingAction::Wait),
        ("arbiter_decides", RulingAction::ArbiterDecides),
        ("ask_result", RulingAction::AskResult),
    ];
}

/// Parses the format that `Display` writes.
impl FromStr for RulingAction {
    type Err = String;

    fn from_str(text: &str) -> Result<RulingAction, String> {
        let mut words = text.split(' ');
        let word = words.next().unwrap_or_default();
        let mut seconds = || words.next().and_then(|word| word.parse::<u32>().ok());
        let parsed = match word {
            "add" => seconds().map(RulingAction::Add),
            "halve" => seconds().zip(seconds()).map(|(max_s, floor_s)| RulingAction::Halve(Halving { max_s, floor_s })),
            plain => RulingAction::PLAIN.iter().find(|(known, _)| *known == plain).map(|(_, act)| *act),
        };
        let act = parsed.filter(|_| words.next().is_none());
        act.ok_or_else(|| format!("\"{text}\" is not a ruling action"))
    }
}

/// Writes a word and its seconds: `restore`, `add 120`, `halve 180 60`.
impl fmt::Display for RulingAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulingAction::Add(seconds) => write!(f, "add {seconds}"),
            RulingAction::Halve(Halving { max_s, floor_s }) => write!(f, "halve {max_s} {floor_s}"),
            plain => f.write_str(RulingAction::PLAIN.iter().find(|(_, act)| act == plain).map_or("", |(word, _)| word)),
        }
    }
}
