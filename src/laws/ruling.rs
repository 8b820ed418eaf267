//! What the Laws require of the arbiter in a situation: a suggestion with the articles it rests on. He decides.
//!
//! The rows of `config/laws/rulings.toml` say which: the first row of a situation whose conditions hold, and whose first article
//! the edition has. Where there is none, nothing is suggested.

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
    /// What is no irregularity, but of which the Laws say what follows. The articles are those of 2023.
    pub enum Occasion {
        /// A piece was touched that can move or be taken (4.3).
        Touched = "touched",
        /// Touched pieces of which none can move or be taken (4.5).
        TouchedInVain = "touched_in_vain",
        /// Adjusting that was announced (4.2.1).
        Adjusted = "adjusted",
        /// A piece left its square and came back: by accident, or touched (4.2.2, 7.4).
        Brushed = "brushed",
        /// A piece stands on two squares (4.2, 7.4).
        BetweenSquares = "between_squares",
        /// A legal capture, in whatever order (4.7.1).
        Captured = "captured",
        /// Legal castling (4.7.2).
        Castled = "castled",
        /// The king was let go of as in legal castling, and the rook is still to be moved (4.7.2).
        CastlingBegun = "castling_begun",
        /// Legal castling in Chess960 (Guidelines II).
        Castled960 = "castled_960",
        /// A legal promotion, in whatever order (4.6, 4.7.3).
        Promoted = "promoted",
        /// A piece put on the square of promotion upside down is what it is (3.7.3.3).
        UpsideDown = "upside_down",
        /// The clock is pressed after the opponent's reply (6.2.2).
        LatePress = "late_press",
        /// The clock is stopped to call the arbiter, with a reason (6.11.2).
        Paused = "paused",
        /// Mate (5.1.1).
        Mate = "mate",
        /// Mate with the seventy-fifth move (9.6.2).
        MateAtSeventyFive = "mate_at_seventy_five",
        /// Stalemate (5.2.1).
        Stalemate = "stalemate",
        /// Neither side can mate (5.2.2).
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
        /// The arbiter postpones his decision on such a claim, or rejects it.
        QuickplayRefused = "quickplay_refused",
        /// Five times the same (9.6.1).
        FiveFold = "five_fold",
        /// Seventy-five moves (9.6.2).
        SeventyFive = "seventy_five",
        /// Three times the same, claimed rightly (9.2.2).
        Repeated = "repeated",
        /// The same with an intended move (9.2.1).
        RepeatedIntended = "repeated_intended",
        /// Fifty moves, claimed rightly (9.3.2).
        Fifty = "fifty",
        /// The same with an intended move (9.3.1).
        FiftyIntended = "fifty_intended",
        /// A claim of a draw by a player who can no longer claim on this move (9.4).
        ClaimLost = "claim_lost",
        /// An incorrect claim of a draw (9.5.3).
        WrongClaim = "wrong_claim",
        /// The same with an intended move.
        WrongClaimIntended = "wrong_claim_intended",
        /// Kings were put on the squares in the centre.
        KingsInCentre = "kings_in_centre",
        /// The pieces are swept together.
        Swept = "swept",
    }
}

/// What a ruling is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// Something against the Laws.
    Irregular(Irregularity),
    /// Something else.
    Occasion(Occasion),
}

impl Situation {
    /// Its word, which no other situation has.
    pub fn word(self) -> &'static str {
        match self {
            Situation::Irregular(what) => what.word(),
            Situation::Occasion(what) => what.word(),
        }
    }

    /// What a word stands for.
    pub fn from_word(word: &str) -> Option<Situation> {
        let irregular = Irregularity::from_word(word).map(Situation::Irregular);
        irregular.or_else(|| Occasion::from_word(word).map(Situation::Occasion))
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Situation> {
        let irregular = Irregularity::ALL.iter().copied().map(Situation::Irregular);
        irregular.chain(Occasion::ALL.iter().copied().map(Situation::Occasion))
    }
}

worded! {
    /// How far the move in question has come.
    pub enum Stage {
        /// The clock was not pressed on it: the player may still put it right.
        Pending = "pending",
        /// It was.
        Completed = "completed",
    }

    /// What the opponent has done since.
    pub enum Reply {
        /// Nothing.
        Nothing = "nothing",
        /// He touched a piece.
        Touched = "touched",
        /// He made his next move.
        Made = "made",
    }
}

/// What a ruling depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// How far the move has come; of an illegal position: the next move.
    pub stage: Stage,
    /// What the opponent has done since.
    pub reply: Reply,
    /// Which of this player's counted irregularities it is in this game, from 1.
    pub nth: u32,
    /// How many moves both players have completed: the smaller number.
    pub moves: u32,
    /// Whether the opponent can mate by any series of legal moves; `None`: that is still being searched.
    pub opponent_can_mate: Option<Winnable>,
    /// Whether the move that led to the position is not legal, or a notice of touched pieces stands on it: such a move ends no
    /// game (5.1.1, 5.2.1, 5.2.2).
    pub unsettled: bool,
    /// Whether a player claims.
    pub claimed: bool,
    /// Whether the press of the move gained its player time: an increment.
    pub increment: bool,
    /// How long the game has lasted; seconds.
    pub lasted_s: u32,
    /// Whether something was captured in it.
    pub exchanged: bool,
    /// What the player has left; seconds.
    pub left_s: u32,
    /// Whether the game is over, and signed.
    pub signed: bool,
    /// Whether equal positions came in consecutive moves of each player.
    pub consecutive: bool,
    /// Whether an illegal position is still there after the next completed move.
    pub still_there: bool,
    /// The particular matter, where it is known: which part of touch-move, which part of Article 3. Its article is cited too.
    pub because: Option<Topic>,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts {
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

impl Facts {
    /// The same, with this known of the opponent.
    fn with_mate(self, known: Winnable) -> Facts {
        Facts { opponent_can_mate: Some(known), ..self }
    }

    /// While it is not known that he cannot, he can.
    fn can_mate(&self) -> bool {
        self.opponent_can_mate != Some(Winnable::CannotMate)
    }
}

/// One thing that a ruling asks for. The *player* is the one who did what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The position before the irregularity, or the last one that is certain, is put back.
    Restore,
    /// What was touched or let go of binds the move that is made now.
    TouchBinds,
    /// The move stays as it was let go of: that square, that piece, castling there.
    ReleaseBinds,
    /// What is missing of the move is still to be done.
    Complete,
    /// The pawn is replaced by a queen.
    Queen,
    /// The increment that the press of the move gained is taken back.
    TakeIncrement,
    /// The opponent gets so many seconds.
    Add(u32),
    /// The player loses some of the time that he has left.
    Halve(Halving),
    /// The player wins.
    Wins,
    /// The player loses.
    Loses,
    /// The player loses, or the game is drawn where the opponent cannot mate: the search for that is running, and its answer takes
    /// the place of this.
    AwaitSearch,
    /// The same, and the search ended without an answer: the arbiter decides.
    LosesOrDraw,
    /// The game is drawn.
    Draw,
    /// What was done stands.
    Stands,
    /// The intended move is made, or if it is illegal another with that piece.
    PlayIntended,
    /// The game is cancelled and a new one played.
    NewGame,
    /// The position goes to a board that stands right, and the game goes on.
    Transfer,
    /// Whoever stands wrong does not castle: no king that does, and no king with such a rook.
    NoCastling,
    /// The player puts the pieces right in his own time.
    OwnTime,
    /// The arbiter puts a piece right.
    PutRight,
    /// The arbiter may penalise the player as he thinks fit.
    MayPenalise,
    /// Nothing is wrong: play goes on.
    GoOn,
    /// Any legal move may be made.
    Free,
    /// Nothing, unless a player claims.
    OnClaim,
    /// The arbiter does not signal it.
    NoSignal,
    /// The arbiter rules on the move first: it ends the game only if it was made by Articles 3 and 4.
    RuleFirst,
    /// If it cannot be established which flag fell first: the game goes on, or is drawn in the last period.
    GoOnOrDraw,
    /// The arbiter waits for the next completed move.
    Wait,
    /// The arbiter decides: the Laws leave it to him.
    ArbiterDecides,
    /// The players or the arbiter are asked for the result.
    AskResult,
}

impl Act {
    /// Those without a figure, with their words.
    const PLAIN: [(&'static str, Act); 28] = [
        ("restore", Act::Restore),
        ("touch_binds", Act::TouchBinds),
        ("release_binds", Act::ReleaseBinds),
        ("complete", Act::Complete),
        ("queen", Act::Queen),
        ("take_increment", Act::TakeIncrement),
        ("wins", Act::Wins),
        ("loses", Act::Loses),
        ("await_search", Act::AwaitSearch),
        ("loses_or_draw", Act::LosesOrDraw),
        ("draw", Act::Draw),
        ("stands", Act::Stands),
        ("play_intended", Act::PlayIntended),
        ("new_game", Act::NewGame),
        ("transfer", Act::Transfer),
        ("no_castling", Act::NoCastling),
        ("own_time", Act::OwnTime),
        ("put_right", Act::PutRight),
        ("may_penalise", Act::MayPenalise),
        ("go_on", Act::GoOn),
        ("free", Act::Free),
        ("on_claim", Act::OnClaim),
        ("no_signal", Act::NoSignal),
        ("rule_first", Act::RuleFirst),
        ("go_on_or_draw", Act::GoOnOrDraw),
        ("wait", Act::Wait),
        ("arbiter_decides", Act::ArbiterDecides),
        ("ask_result", Act::AskResult),
    ];
}

/// Reads what its `Display` writes.
impl FromStr for Act {
    type Err = String;

    fn from_str(text: &str) -> Result<Act, String> {
        let mut words = text.split(' ');
        let word = words.next().unwrap_or_default();
        let mut seconds = || words.next().and_then(|word| word.parse::<u32>().ok());
        let figured = match word {
            "add" => seconds().map(Act::Add),
            "halve" => seconds().zip(seconds()).map(|(max_s, floor_s)| Act::Halve(Halving { max_s, floor_s })),
            plain => Act::PLAIN.iter().find(|(known, _)| *known == plain).map(|(_, act)| *act),
        };
        let act = figured.filter(|_| words.next().is_none());
        act.ok_or_else(|| format!("`{text}` is nothing that a ruling asks for"))
    }
}

/// `restore`, `add 120`, `halve 180 60`: a word, and the seconds that belong to it.
impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Add(seconds) => write!(f, "add {seconds}"),
            Act::Halve(Halving { max_s, floor_s }) => write!(f, "halve {max_s} {floor_s}"),
            plain => f.write_str(Act::PLAIN.iter().find(|(_, act)| act == plain).map_or("", |(word, _)| word)),
        }
    }
}

/// What the Laws require, in the order in which it is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// At least one.
    pub acts: Vec<Act>,
    /// The articles it rests on, the most important first. None only where the Laws have none, as for signs of a result.
    pub articles: Vec<&'static str>,
}

/// What these Laws require in a situation. `None`: they do not say, or their text is not at hand: nothing is said to anybody.
///
/// Where a loss depends on whether the opponent can mate and that is not known, this says so in the place of the loss.
pub fn ruling(laws: &Laws, situation: Situation, facts: &Facts) -> Option<Ruling> {
    let unknown = match facts.opponent_can_mate {
        Some(Winnable::CanMate | Winnable::CannotMate) => return find(laws, situation, facts),
        Some(Winnable::Possible) => Act::LosesOrDraw,
        None => Act::AwaitSearch,
    };
    let mut ruling = find(laws, situation, &facts.with_mate(Winnable::CanMate))?;
    if find(laws, situation, &facts.with_mate(Winnable::CannotMate)).as_ref() != Some(&ruling) {
        ruling.acts.iter_mut().filter(|act| **act == Act::Loses).for_each(|act| *act = unknown);
    }
    Some(ruling)
}

/// Whether what these Laws require depends on whether the opponent can mate.
pub fn depends_on_mate(laws: &Laws, situation: Situation, facts: &Facts) -> bool {
    let ruling = |known| find(laws, situation, &facts.with_mate(known));
    ruling(Winnable::CanMate) != ruling(Winnable::CannotMate)
}

fn find(laws: &Laws, situation: Situation, facts: &Facts) -> Option<Ruling> {
    table::rows().iter().filter(|row| row.situation == situation).find_map(|row| follow(row, laws, facts))
}

/// The articles that an alert cites of which no ruling is known: those on the rule that was broken, where the text on what follows
/// from it is not at hand.
pub fn articles(laws: &Laws, situation: Situation, facts: &Facts) -> Vec<&'static str> {
    let one_hand = (situation == Situation::Irregular(Irregularity::TwoHands)).then_some(Topic::OneHand);
    let Some(because) = facts.because.or(one_hand) else { return Vec::new() };
    let broken: Vec<&'static str> = laws.articles(because).collect();
    let rule = because.is_about_moves().then(|| laws.articles(Topic::Legality));
    if broken.is_empty() { rule.into_iter().flatten().collect() } else { broken }
}

/// What a row asks for, if it is the one.
fn follow(row: &Row, laws: &Laws, facts: &Facts) -> Option<Ruling> {
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
                Some(Penalty::Add(seconds)) => acts.push(Act::Add(seconds)),
                // The game is over: nothing is left to be done on the board.
                Some(Penalty::Loses) => acts = vec![Act::Loses],
                Some(Penalty::Draw) => acts = vec![Act::Draw],
                None => {}
            },
            Step::Increment => {
                let taken_back = laws.rules().increment == Some(Increment::TakenBack);
                acts.extend((taken_back && facts.increment).then_some(Act::TakeIncrement));
            }
            Step::QuickplayPenalty => acts.push(Act::Add(laws.rules().quickplay?.opponent_s)),
            Step::ClaimPenalty => {
                let ClaimPenalty { opponent_s, halving } = laws.rules().wrong_claim?;
                acts.push(Act::Add(opponent_s));
                acts.extend(halving.map(Act::Halve));
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
