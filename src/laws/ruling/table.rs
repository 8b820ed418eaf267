//! The rows of `config/laws/rulings.toml`, and what their conditions mean.

use super::{Act, Facts, Reply, Situation, Stage};
use crate::laws::edition::{FiveFold, FlagCaller, IllegalPosition, NoMate, PawnLeft, Reader, Reversed, Ruled, Stands, Topic};
use crate::laws::word::worded;
use crate::laws::{Laws, Worded};
use std::sync::OnceLock;

/// What the arbiter has to do, as a file says.
pub struct Rulings(Vec<Row>);

static RULINGS: OnceLock<Rulings> = OnceLock::new();

impl Rulings {
    /// The file that is built in.
    pub const SOURCE: &str = include_str!("../../../config/laws/rulings.toml");

    /// Reads the text of a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Rulings, Vec<String>> {
        parse(text).map(Rulings)
    }

    /// Takes these in the place of those that are built in. It counts once, and before anything asked for a ruling.
    pub fn replace(self) {
        let _ = RULINGS.set(self);
    }

    fn built_in() -> Rulings {
        match Rulings::parse(Rulings::SOURCE) {
            Ok(rulings) => rulings,
            // The file is part of the program, and a test reads it.
            Err(problems) => unreachable!("config/laws/rulings.toml: {}", problems.join("; ")),
        }
    }
}

/// What is to be done in a situation, under conditions.
pub(super) struct Row {
    pub situation: Situation,
    /// All must hold.
    pub when: Vec<Condition>,
    pub steps: Vec<Step>,
    /// Where the edition has no article on the first of these, the row does not count.
    pub articles: Vec<Topic>,
}

/// What a row asks for, before the edition's figures are known.
pub(super) enum Step {
    Act(Act),
    /// What the ladder of penalties says.
    Penalty,
    /// What an incorrect claim costs.
    ClaimPenalty,
    /// What becomes of an increment that the press gained.
    Increment,
    /// What the opponent gets where a claim in a quickplay finish is not granted.
    QuickplayPenalty,
}

worded! {
    /// What a row asks of the Laws in force and of the facts.
    pub enum Asked {
        /// The clock was not pressed on the move.
        Pending = "pending",
        /// The opponent touched a piece, or made a move.
        Touched = "touched",
        /// The opponent made his next move.
        Replied = "replied",
        /// An illegal move stands once that happened.
        CanStand = "can_stand",
        /// The situation counts for the penalties of illegal moves.
        Counted = "counted",
        /// The arbiter rules on illegal moves only when asked, and nobody did.
        IllegalUnclaimed = "illegal_unclaimed",
        /// The arbiter rules on touched pieces only when asked, and nobody did.
        TouchUnclaimed = "touch_unclaimed",
        /// The arbiter who sees that touched pieces do not bind intervenes at once, whoever may claim.
        TouchAtOnce = "touch_at_once",
        /// The game is over, and signed.
        Signed = "signed",
        /// A pawn that was left on the last rank becomes a queen.
        Queen = "queen",
        /// The position before such a pawn's move is put back.
        RestorePawn = "restore_pawn",
        /// So many moves were made that a wrong start can no longer be claimed.
        TooLate = "too_late",
        /// So few moves were made that reversed colours mean a new game.
        FewMoves = "few_moves",
        /// The arbiter may rule otherwise on reversed colours.
        ReversedUnlessArbiter = "reversed_unless_arbiter",
        /// The game is so young, and nothing was exchanged, that reversed colours may mean a new game.
        ReversedEarly = "reversed_early",
        /// Each player has made so many moves that they can agree to a draw.
        MayAgree = "may_agree",
        /// The player has so little time left that he can claim a draw in a quickplay finish.
        InQuickplay = "in_quickplay",
        /// The opponent can mate by some series of legal moves.
        CanMate = "can_mate",
        /// A resignation is a draw if he cannot.
        ResignationDraws = "resignation_draws",
        /// A fallen flag is a draw if he cannot.
        FlagDraws = "flag_draws",
        /// A flag counts as fallen only when a player claims it.
        FlagOnClaim = "flag_on_claim",
        /// A player claims.
        Claimed = "claimed",
        /// The move that led to the position is not legal, or a notice of touched pieces stands on it.
        Unsettled = "unsettled",
        /// Five equal positions were in consecutive moves, or need not be.
        FiveFold = "five_fold",
        /// An illegal position is waited upon.
        WaitsForIllegal = "waits_for_illegal",
        /// It is still there after the next completed move.
        StillThere = "still_there",
    }
}

/// Something that must hold, or must not.
pub(super) struct Condition {
    asked: Asked,
    holds: bool,
}

impl Condition {
    fn from_word(word: &str) -> Option<Condition> {
        let (asked, holds) = word.strip_prefix("not ").map_or((word, true), |rest| (rest, false));
        Some(Condition { asked: Asked::from_word(asked)?, holds })
    }

    /// Whether it does.
    pub fn holds(&self, laws: &Laws, situation: Situation, facts: &Facts) -> bool {
        let rules = laws.rules();
        let holds = match self.asked {
            Asked::Pending => facts.stage == Stage::Pending,
            Asked::Touched => facts.reply != Reply::Nothing,
            Asked::Replied => facts.reply == Reply::Made,
            Asked::CanStand => rules.stands == Some(Stands::OpponentMoved),
            Asked::Counted => matches!(situation, Situation::Irregular(what) if laws.counts(what)),
            Asked::IllegalUnclaimed => rules.illegal_ruled == Some(Ruled::OnClaim) && !facts.claimed,
            Asked::TouchUnclaimed => rules.touch_ruled == Some(Ruled::OnClaim) && !facts.claimed,
            Asked::TouchAtOnce => rules.touch_ruled == Some(Ruled::AtOnce),
            Asked::Signed => facts.signed,
            Asked::Queen => rules.pawn_left == Some(PawnLeft::Queen),
            Asked::RestorePawn => rules.pawn_left == Some(PawnLeft::Restore),
            Asked::TooLate => rules.set_up_moves.is_some_and(|moves| facts.moves >= moves),
            Asked::FewMoves => rules.reversed_below.is_some_and(|moves| facts.moves < moves),
            Asked::ReversedUnlessArbiter => rules.reversed == Some(Reversed::UnlessArbiter),
            Asked::ReversedEarly => {
                !facts.exchanged && rules.reversed_within_s.is_some_and(|within_s| facts.lasted_s <= within_s)
            }
            Asked::MayAgree => facts.moves >= rules.agreement_moves.unwrap_or(0),
            Asked::InQuickplay => rules.quickplay.is_some_and(|quickplay| facts.left_s < quickplay.below_s),
            Asked::CanMate => facts.can_mate(),
            Asked::ResignationDraws => rules.resigned == Some(NoMate::Draw),
            Asked::FlagDraws => rules.flag == Some(NoMate::Draw),
            Asked::FlagOnClaim => rules.flag_called == Some(FlagCaller::Players),
            Asked::Claimed => facts.claimed,
            Asked::Unsettled => facts.unsettled,
            Asked::FiveFold => rules.five_fold_kind == Some(FiveFold::Any) || facts.consecutive,
            Asked::WaitsForIllegal => rules.illegal_position == Some(IllegalPosition::WaitThenDraw),
            Asked::StillThere => facts.still_there,
        };
        holds == self.holds
    }
}

/// The rows in the order of the file.
pub(super) fn rows() -> &'static [Row] {
    &RULINGS.get_or_init(Rulings::built_in).0
}

/// Reads the rows; everything that is wrong is said at once.
fn parse(text: &str) -> Result<Vec<Row>, Vec<String>> {
    let mut file = Reader::new(text)?;
    let rows = file.each("ruling", row);
    let problems = file.end();
    if problems.is_empty() { Ok(rows.into_iter().flatten().collect()) } else { Err(problems) }
}

fn row(table: &mut Reader) -> Option<Row> {
    let situation = table.text("situation");
    let situation = table.needed("situation", situation);
    let known = situation.as_deref().and_then(Situation::from_word);
    if let Some(word) = situation.filter(|_| known.is_none()) {
        table.wrong("situation", format_args!("there is no \"{word}\""));
    }
    let when = table.list("when", Condition::from_word).unwrap_or_default();
    let steps = table.list("acts", Step::from_word);
    let articles = table.topics("articles");
    let (steps, articles) = (table.needed("acts", steps), table.needed("articles", articles));
    Some(Row { situation: known?, when, steps: steps?, articles: articles? })
}

impl Step {
    fn from_word(word: &str) -> Option<Step> {
        match word {
            "penalty" => Some(Step::Penalty),
            "claim_penalty" => Some(Step::ClaimPenalty),
            "increment" => Some(Step::Increment),
            "quickplay_penalty" => Some(Step::QuickplayPenalty),
            plain => Act::PLAIN.iter().find(|(known, _)| *known == plain).map(|(_, act)| Step::Act(*act)),
        }
    }
}
