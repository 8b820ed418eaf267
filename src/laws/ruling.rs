//! Suggests what the Laws require of the arbiter in a situation, with the articles. The arbiter decides.
//!
//! The suggestion comes from `config/laws/rulings.toml`: the first row of the situation whose conditions hold and whose first
//! article exists in the edition. If there is no such row, nothing is suggested.

mod table;

use super::edition::{ClaimPenalty, Halving, Increment, Topic};
use super::penalty::{Penalty, penalty};
use super::word::worded;
use super::{Irregularity, Laws, Winnable, Worded};
use std::fmt;
use std::str::FromStr;
pub use table::Rulings;
use table::{Row, Step};

worded! {
    /// A situation that is not an irregularity but has consequences under the Laws. Article numbers are those of 2023.
    pub enum Occasion {
        /// A piece was touched that can be moved or captured (4.3).
        Touched = "touched",
        /// Pieces were touched of which none can be moved or captured (4.5).
        TouchedInVain = "touched_in_vain",
        /// A piece was adjusted after an announcement (4.2.1).
        Adjusted = "adjusted",
        /// A piece left its square and returned: an accident, or a touch (4.2.2, 7.4).
        Brushed = "brushed",
        /// A piece is between two squares (4.2, 7.4).
        BetweenSquares = "between_squares",
        /// A legal capture, made in any order (4.7.1).
        Captured = "captured",
        /// Legal castling (4.7.2).
        Castled = "castled",
        /// The king was released as in legal castling, and the rook must still be moved (4.7.2).
        CastlingBegun = "castling_begun",
        /// Legal castling in Chess960 (Guidelines II).
        Castled960 = "castled_960",
        /// A legal promotion, made in any order (4.6, 4.7.3).
        Promoted = "promoted",
        /// A piece was put upside down on the square of promotion and counts as what it is (3.7.3.3).
        UpsideDown = "upside_down",
        /// The clock was pressed after the opponent's reply (6.2.2).
        LatePress = "late_press",
        /// The clock was stopped to call the arbiter, for a valid reason (6.11.2).
        Paused = "paused",
        /// Checkmate (5.1.1).
        Mate = "mate",
        /// Checkmate with the seventy-fifth move (9.6.2).
        MateAtSeventyFive = "mate_at_seventy_five",
        /// Stalemate (5.2.1).
        Stalemate = "stalemate",
        /// Neither side can checkmate (5.2.2).
        DeadPosition = "dead_position",
        /// A flag has fallen (6.9).
        FlagFall = "flag_fall",
        /// Both flags have fallen (6.11 of 2009 and 2014, Guidelines III.3.1).
        BothFlags = "both_flags",
        /// A player resigns (5.1.2).
        Resigned = "resigned",
        /// The players agree on a draw (5.2.3).
        Agreed = "agreed",
        /// A draw is claimed in a quickplay finish (2009, 10.2).
        Quickplay = "quickplay",
        /// The arbiter postpones the decision on such a claim, or rejects it.
        QuickplayRefused = "quickplay_refused",
        /// Fivefold repetition (9.6.1).
        FiveFold = "five_fold",
        /// Seventy-five moves without a capture or pawn move (9.6.2).
        SeventyFive = "seventy_five",
        /// A correct claim of threefold repetition (9.2.2).
        Repeated = "repeated",
        /// A correct claim of threefold repetition with an intended move (9.2.1).
        RepeatedIntended = "repeated_intended",
        /// A correct claim under the fifty-move rule (9.3.2).
        Fifty = "fifty",
        /// A correct claim under the fifty-move rule with an intended move (9.3.1).
        FiftyIntended = "fifty_intended",
        /// A claim of a draw by a player who can no longer claim on this move (9.4).
        ClaimLost = "claim_lost",
        /// An incorrect claim of a draw (9.5.3).
        WrongClaim = "wrong_claim",
        /// An incorrect claim of a draw with an intended move.
        WrongClaimIntended = "wrong_claim_intended",
        /// Kings were put on the centre squares.
        KingsInCentre = "kings_in_centre",
        /// The pieces were swept together.
        Swept = "swept",
    }
}

/// A situation in which a ruling is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// An irregularity.
    Irregular(Irregularity),
    /// Any other situation.
    Occasion(Occasion),
}

impl Situation {
    /// Returns its unique word.
    pub fn word(self) -> &'static str {
        match self {
            Situation::Irregular(irregularity) => irregularity.word(),
            Situation::Occasion(occasion) => occasion.word(),
        }
    }

    /// Returns the situation with this word.
    pub fn from_word(word: &str) -> Option<Situation> {
        let irregular = Irregularity::from_word(word).map(Situation::Irregular);
        irregular.or_else(|| Occasion::from_word(word).map(Situation::Occasion))
    }

    /// Iterates over all situations.
    pub fn all() -> impl Iterator<Item = Situation> {
        let irregular = Irregularity::ALL.iter().copied().map(Situation::Irregular);
        irregular.chain(Occasion::ALL.iter().copied().map(Situation::Occasion))
    }
}

worded! {
    /// The progress of the move in question.
    pub enum Stage {
        /// The clock has not been pressed: the player may still correct the move.
        Pending = "pending",
        /// The clock has been pressed.
        Completed = "completed",
    }

    /// The opponent's action since the move.
    pub enum Reply {
        /// Nothing.
        Nothing = "nothing",
        /// The opponent touched a piece.
        Touched = "touched",
        /// The opponent made the next move.
        Made = "made",
    }
}

/// The facts on which a ruling depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulingFacts {
    /// The progress of the move; for an illegal position, of the next move.
    pub stage: Stage,
    /// The opponent's action since the move.
    pub reply: Reply,
    /// The ordinal number of this counted irregularity for the player in this game, from 1.
    pub nth: u32,
    /// The number of moves that both players have completed (the smaller of the two numbers).
    pub moves: u32,
    /// Whether the opponent can checkmate by any series of legal moves; `None` while the search is running.
    pub opponent_can_mate: Option<Winnable>,
    /// Whether the move that led to the position is illegal or has an open touch-move notice: such a move does not end the game
    /// (5.1.1, 5.2.1, 5.2.2).
    pub unsettled: bool,
    /// Whether a player claims.
    pub claimed: bool,
    /// Whether pressing the clock gained the player an increment.
    pub increment: bool,
    /// The duration of the game, in seconds.
    pub lasted_s: u32,
    /// Whether anything was captured in the game.
    pub exchanged: bool,
    /// The player's remaining time, in seconds.
    pub left_s: u32,
    /// Whether the game is over and the result is signed.
    pub signed: bool,
    /// Whether the equal positions occurred in consecutive moves of each player.
    pub consecutive: bool,
    /// Whether an illegal position is still on the board after the next completed move.
    pub still_there: bool,
    /// The specific topic if known, for example the part of touch-move or of Article 3. Its article is also cited.
    pub because: Option<Topic>,
}

impl Default for RulingFacts {
    fn default() -> RulingFacts {
        RulingFacts {
            stage: Stage::Completed,
            reply: Reply::Nothing,
            nth: 1,
            moves: 0,
            opponent_can_mate: Some(Winnable::CanMate),
            unsettled: false,
            claimed: false,
            increment: false,
            lasted_s: 3600,
            exchanged: true,
            left_s: 60,
            signed: false,
            consecutive: true,
            still_there: true,
            because: None,
        }
    }
}

impl RulingFacts {
    /// Returns the same facts with this value of `opponent_can_mate`.
    fn with_mate(self, known: Winnable) -> RulingFacts {
        RulingFacts { opponent_can_mate: Some(known), ..self }
    }

    /// Returns whether the opponent can checkmate; `true` unless it is known that they cannot.
    fn can_mate(&self) -> bool {
        self.opponent_can_mate != Some(Winnable::CannotMate)
    }
}

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
    const PLAIN: [(&'static str, RulingAction); 28] = [
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

/// The actions that the Laws require, and their articles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The actions in the order in which they are done; at least one.
    pub acts: Vec<RulingAction>,
    /// The articles on which the ruling is based, the most important first. Empty only if the Laws have none, as for signs of a
    /// result.
    pub articles: Vec<&'static str>,
}

/// Returns what these Laws require in a situation. `None` if they do not say or their text is not available: then nothing is
/// reported.
///
/// If a loss depends on whether the opponent can checkmate and this is not known, the ruling has [`RulingAction::AwaitSearch`] or
/// [`RulingAction::LosesOrDraw`] instead of the loss.
pub fn ruling(laws: &Laws, situation: Situation, facts: &RulingFacts) -> Option<Ruling> {
    let unknown = match facts.opponent_can_mate {
        Some(Winnable::CanMate | Winnable::CannotMate) => return find(laws, situation, facts),
        Some(Winnable::Possible) => RulingAction::LosesOrDraw,
        None => RulingAction::AwaitSearch,
    };
    let mut ruling = find(laws, situation, &facts.with_mate(Winnable::CanMate))?;
    if find(laws, situation, &facts.with_mate(Winnable::CannotMate)).as_ref() != Some(&ruling) {
        ruling.acts.iter_mut().filter(|act| **act == RulingAction::Loses).for_each(|act| *act = unknown);
    }
    Some(ruling)
}

/// Returns whether the ruling depends on whether the opponent can checkmate.
pub fn depends_on_mate(laws: &Laws, situation: Situation, facts: &RulingFacts) -> bool {
    let ruling = |known| find(laws, situation, &facts.with_mate(known));
    ruling(Winnable::CanMate) != ruling(Winnable::CannotMate)
}

fn find(laws: &Laws, situation: Situation, facts: &RulingFacts) -> Option<Ruling> {
    table::rows().iter().filter(|row| row.situation == situation).find_map(|row| apply_row(row, laws, facts))
}

/// Returns the articles that an alert without a ruling cites: those on the broken rule, if the text on its consequences is not
/// available.
pub fn articles(laws: &Laws, situation: Situation, facts: &RulingFacts) -> Vec<&'static str> {
    let one_hand = (situation == Situation::Irregular(Irregularity::TwoHands)).then_some(Topic::OneHand);
    let Some(because) = facts.because.or(one_hand) else { return Vec::new() };
    let broken: Vec<&'static str> = laws.articles(because).collect();
    let rule = because.is_about_moves().then(|| laws.articles(Topic::Legality));
    if broken.is_empty() { rule.into_iter().flatten().collect() } else { broken }
}

/// Returns the ruling of a row if the row applies.
fn apply_row(row: &Row, laws: &Laws, facts: &RulingFacts) -> Option<Ruling> {
    if !row.when.iter().all(|condition| condition.holds(laws, row.situation, facts)) {
        return None;
    }
    if let Some(first) = row.articles.first() {
        laws.article(*first)?;
    }
    let mut acts = Vec::new();
    for step in &row.steps {
        match step {
            Step::Act(act) => acts.push(*act),
            Step::Penalty => match penalty(laws, facts.nth, facts.can_mate()) {
                Some(Penalty::Add(seconds)) => acts.push(RulingAction::Add(seconds)),
                // The game is over: no actions on the board remain.
                Some(Penalty::Loses) => acts = vec![RulingAction::Loses],
                Some(Penalty::Draw) => acts = vec![RulingAction::Draw],
                None => {}
            },
            Step::Increment => {
                let taken_back = laws.rules().increment == Some(Increment::TakenBack);
                acts.extend((taken_back && facts.increment).then_some(RulingAction::TakeIncrement));
            }
            Step::QuickplayPenalty => acts.push(RulingAction::Add(laws.rules().quickplay?.opponent_s)),
            Step::ClaimPenalty => {
                let ClaimPenalty { opponent_s, halving } = laws.rules().wrong_claim?;
                acts.push(RulingAction::Add(opponent_s));
                acts.extend(halving.map(RulingAction::Halve));
            }
        }
    }
    let mut articles: Vec<&'static str> = Vec::new();
    let topics = row.articles.iter().take(1).chain(&facts.because).chain(row.articles.iter().skip(1));
    for article in topics.flat_map(|topic| laws.articles(*topic)) {
        if !articles.contains(&article) {
            articles.push(article);
        }
    }
    (!acts.is_empty()).then_some(Ruling { acts, articles })
}
