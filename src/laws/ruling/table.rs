//! The rows of `config/data/laws/rulings.toml` and the evaluation of their conditions.

use super::action::RulingAction;
use super::situation::{Reply, RulingFacts, Situation, Stage};
use crate::laws::edition::{
    FiveFold, FlagCaller, IllegalMoveFinality, IllegalPosition, NoMate, PawnLeft, Reader, ReversedColoursRule, RulingTrigger,
    Topic,
};
use crate::laws::word::laws_words;
use crate::laws::{Laws, LawsWord};
use std::sync::OnceLock;

/// The rulings table of one file.
pub struct Rulings(Vec<Row>);

static RULINGS: OnceLock<Rulings> = OnceLock::new();

impl Rulings {
    /// The text of the built-in file.
    pub const SOURCE: &str = include_str!("../../../config/data/laws/rulings.toml");

    /// Parses the text of a file.
    ///
    /// # Errors
    /// Returns all problems in the text.
    pub fn parse(text: &str) -> Result<Rulings, Vec<String>> {
        parse(text).map(Rulings)
    }

    /// Replaces the built-in rulings. Only the first call has an effect, and only before the first request for a ruling.
    pub fn replace(self) {
        let _ = RULINGS.set(self);
    }

    fn built_in() -> Rulings {
        match Rulings::parse(Rulings::SOURCE) {
            Ok(rulings) => rulings,
            // The file is part of the program, and a test parses it.
            Err(problems) => unreachable!("config/data/laws/rulings.toml: {}", problems.join("; ")),
        }
    }
}

/// The steps for a situation, with their conditions.
pub(super) struct Row {
    pub situation: Situation,
    /// The conditions, all of which must hold.
    pub when: Vec<Condition>,
    pub steps: Vec<Step>,
    /// The topics of the articles. If the edition has no article on the first one, the row does not apply.
    pub articles: Vec<Topic>,
}

/// A step of a row, without the figures of the edition.
pub(super) enum Step {
    Act(RulingAction),
    /// The penalty from the edition's [`PenaltyLadder`](crate::laws::edition::PenaltyLadder).
    Penalty,
    /// The penalty for an incorrect claim.
    ClaimPenalty,
    /// The removal of an increment that the player gained by pressing the clock.
    Increment,
    /// The additional time for the opponent if a claim in a quickplay finish is not granted.
    QuickplayPenalty,
}

laws_words! {
    /// A condition on the Laws in force or on the facts.
    pub(super) enum RulingQuery {
        /// The clock was not pressed on the move.
        Pending = "pending",
        /// The opponent touched a piece, or made a move.
        Touched = "touched",
        /// The opponent made the next move.
        Replied = "replied",
        /// An illegal move can no longer be corrected after the opponent's next move.
        CanStand = "can_stand",
        /// The situation counts for the penalties of illegal moves.
        Counted = "counted",
        /// The arbiter rules on illegal moves only after a claim, and no player has claimed.
        IllegalUnclaimed = "illegal_unclaimed",
        /// The arbiter rules on touched pieces only after a claim, and no player has claimed.
        TouchUnclaimed = "touch_unclaimed",
        /// An arbiter who sees a breach of touch-move intervenes at once, without a claim.
        TouchAtOnce = "touch_at_once",
        /// The game is over and the result is signed.
        Signed = "signed",
        /// A pawn that was left on the last rank becomes a queen.
        Queen = "queen",
        /// The position before the move of a pawn that was left on the last rank is restored.
        RestorePawn = "restore_pawn",
        /// The number of moves has reached `set_up_moves`: a wrong start can no longer be claimed.
        TooLate = "too_late",
        /// The number of moves is below `reversed_below`: reversed colours lead to a new game.
        FewMoves = "few_moves",
        /// The arbiter may rule otherwise on reversed colours.
        ReversedUnlessArbiter = "reversed_unless_arbiter",
        /// The game has lasted at most `reversed_within_s` and nothing was captured: reversed colours may lead to a new game.
        ReversedEarly = "reversed_early",
        /// The players have made the minimum number of moves for a draw by agreement.
        MayAgree = "may_agree",
        /// The player's remaining time is low enough for a draw claim in a quickplay finish.
        InQuickplay = "in_quickplay",
        /// The opponent can checkmate by some series of legal moves.
        CanMate = "can_mate",
        /// A resignation is a draw if the opponent cannot checkmate.
        ResignationDraws = "resignation_draws",
        /// A flag fall is a draw if the opponent cannot checkmate.
        FlagDraws = "flag_draws",
        /// Only a player's claim makes a flag fall effective.
        FlagOnClaim = "flag_on_claim",
        /// A player claims.
        Claimed = "claimed",
        /// The move that led to the position is illegal or has an open touch-move notice.
        Unsettled = "unsettled",
        /// The five equal positions occurred in consecutive moves, or the edition does not require this.
        FiveFold = "five_fold",
        /// The edition lets the arbiter wait for the next completed move in an illegal position.
        WaitsForIllegal = "waits_for_illegal",
        /// The illegal position is still on the board after the next completed move.
        StillThere = "still_there",
    }
}

/// A condition that must hold, or that must not hold.
pub(super) struct Condition {
    query: RulingQuery,
    holds: bool,
}

impl Condition {
    fn from_word(word: &str) -> Option<Condition> {
        let (query, holds) = word.strip_prefix("not ").map_or((word, true), |rest| (rest, false));
        Some(Condition { query: RulingQuery::from_word(query)?, holds })
    }

    /// Returns whether the condition is satisfied.
    pub(super) fn holds(&self, laws: &Laws, situation: Situation, facts: &RulingFacts) -> bool {
        let rules = laws.rules();
        let holds = match self.query {
            RulingQuery::Pending => facts.stage == Stage::Pending,
            RulingQuery::Touched => facts.reply != Reply::Nothing,
            RulingQuery::Replied => facts.reply == Reply::Made,
            RulingQuery::CanStand => rules.illegal_move_finality == Some(IllegalMoveFinality::OpponentMoved),
            RulingQuery::Counted => matches!(situation, Situation::Irregular(irregularity) if laws.counts(irregularity)),
            RulingQuery::IllegalUnclaimed => rules.illegal_ruled == Some(RulingTrigger::OnClaim) && !facts.claimed,
            RulingQuery::TouchUnclaimed => rules.touch_ruled == Some(RulingTrigger::OnClaim) && !facts.claimed,
            RulingQuery::TouchAtOnce => rules.touch_ruled == Some(RulingTrigger::AtOnce),
            RulingQuery::Signed => facts.signed,
            RulingQuery::Queen => rules.pawn_left == Some(PawnLeft::Queen),
            RulingQuery::RestorePawn => rules.pawn_left == Some(PawnLeft::Restore),
            RulingQuery::TooLate => rules.set_up_moves.is_some_and(|moves| facts.moves >= moves),
            RulingQuery::FewMoves => rules.reversed_below.is_some_and(|moves| facts.moves < moves),
            RulingQuery::ReversedUnlessArbiter => rules.reversed == Some(ReversedColoursRule::UnlessArbiter),
            RulingQuery::ReversedEarly => {
                !facts.exchanged && rules.reversed_within_s.is_some_and(|within_s| facts.lasted_s <= within_s)
            }
            RulingQuery::MayAgree => facts.moves >= rules.agreement_moves.unwrap_or(0),
            RulingQuery::InQuickplay => rules.quickplay.is_some_and(|quickplay| facts.left_s < quickplay.below_s),
            RulingQuery::CanMate => facts.can_mate(),
            RulingQuery::ResignationDraws => rules.resigned == Some(NoMate::Draw),
            RulingQuery::FlagDraws => rules.flag == Some(NoMate::Draw),
            RulingQuery::FlagOnClaim => rules.flag_called == Some(FlagCaller::Players),
            RulingQuery::Claimed => facts.claimed,
            RulingQuery::Unsettled => facts.unsettled,
            RulingQuery::FiveFold => rules.five_fold_kind == Some(FiveFold::Any) || facts.consecutive,
            RulingQuery::WaitsForIllegal => rules.illegal_position == Some(IllegalPosition::WaitThenDraw),
            RulingQuery::StillThere => facts.still_there,
        };
        holds == self.holds
    }
}

/// Returns the rows in the order of the file.
pub(super) fn rows() -> &'static [Row] {
    &RULINGS.get_or_init(Rulings::built_in).0
}

/// Parses the rows, or returns all problems together.
fn parse(text: &str) -> Result<Vec<Row>, Vec<String>> {
    let mut file = Reader::new(text)?;
    let rows = file.each("ruling", row);
    let problems = file.finish();
    if problems.is_empty() { Ok(rows.into_iter().flatten().collect()) } else { Err(problems) }
}

fn row(table: &mut Reader) -> Option<Row> {
    let situation = table.text("situation");
    let situation = table.require("situation", situation);
    let known = situation.as_deref().and_then(Situation::from_word);
    if let Some(word) = situation.filter(|_| known.is_none()) {
        table.report("situation", format_args!("unknown situation \"{word}\""));
    }
    let when = table.list("when", Condition::from_word).unwrap_or_default();
    let steps = table.list("acts", Step::from_word);
    let articles = table.topics("articles");
    let (steps, articles) = (table.require("acts", steps), table.require("articles", articles));
    Some(Row { situation: known?, when, steps: steps?, articles: articles? })
}

impl Step {
    fn from_word(word: &str) -> Option<Step> {
        match word {
            "penalty" => Some(Step::Penalty),
            "claim_penalty" => Some(Step::ClaimPenalty),
            "increment" => Some(Step::Increment),
            "quickplay_penalty" => Some(Step::QuickplayPenalty),
            plain => RulingAction::PLAIN.iter().find(|(known, _)| *known == plain).map(|(_, act)| Step::Act(*act)),
        }
    }
}
