//! Evaluation of a player's draw claim. It changes nothing: the arbiter rules.

use super::{GameContext, TableGame};
use crate::boards::Millis;
use crate::game::Refusal;
use crate::game::Text;
use crate::game::answer::Verdict;
use crate::laws::draws::{Claim, ClaimBasis, ClaimKind, DrawRules, Finding, PositionEquality};
use crate::laws::{Occasion, RulingFacts, Situation, Topic, ruling};
use shakmaty::Color;

impl TableGame {
    /// Evaluates a claim by the moves on record. `intended`: the move that is written down and not played, as UCI.
    pub(super) fn claim(
        &self,
        now: Millis,
        by: Color,
        claimed: ClaimKind,
        intended: Option<&str>,
        context: &GameContext<'_>,
    ) -> Result<Verdict, Refusal> {
        if self.record().result.is_some() {
            return Err(Refusal::GameOver);
        }
        let rules = DrawRules::of(self.published.laws());
        let plies = &self.record().plies;
        // Without a clock, no move is completed by a press: it is the opponent's turn once the move is made.
        let made = context.clock.is_in_use() && self.made_by(by);
        // Where only completing the move ends the right to claim, a player who has not pressed yet claims as if the move were not
        // made.
        let counted = if rules.is_claimed_before_the_move(made) { plies.len() - 1 } else { plies.len() };
        let counted = plies.get(..counted).unwrap_or_default();
        let history = self.published.history_of(counted, PositionEquality::of(self.published.laws()));
        let basis = match intended {
            None => ClaimBasis::OnBoard,
            Some(uci) => {
                let position = history.position();
                let mv = position.parse_uci(uci).or_else(|| position.any_move(uci));
                ClaimBasis::OnIntended(mv.ok_or_else(|| Refusal::NoMove { uci: uci.to_owned() })?)
            }
        };
        let claim = history.claim(by, claimed, basis, &rules);
        let lost = rules.is_claim_lost(made || self.has_touched(now, by));
        let known = !matches!(claim.finding, Finding::Ended | Finding::RuleUnavailable);
        let claim = if lost && known { Claim { finding: Finding::Lost, ..claim } } else { claim };
        // The intended move has its own article, which says that it must be played.
        let because = matches!(basis, ClaimBasis::OnIntended(_)).then_some(match claimed {
            ClaimKind::Repetition => Topic::RepetitionIntended,
            ClaimKind::FiftyMoves => Topic::FiftyIntended,
        });
        let facts = RulingFacts { claimed: true, because, ..RulingFacts::default() };
        let occasion = occasion(&claim, claimed, basis);
        let ruling = occasion.and_then(|occasion| ruling(self.published.laws(), Situation::Occasion(occasion), &facts));
        let (required, articles) = ruling.map_or((Vec::new(), Vec::new()), |ruling| (ruling.acts, ruling.articles));
        Ok(Verdict {
            is_correct: claim.is_right(),
            text: Text::from(&claim.finding),
            occurrences: claim.occurrences,
            plies_without_progress: claim.quiet,
            required,
            articles: articles.into_iter().map(str::to_owned).collect(),
        })
    }

    /// Whether the last move is this player's and is not completed yet.
    fn made_by(&self, by: Color) -> bool {
        let last = self.published.len() as u32;
        last > 0 && self.mover(last) == by && self.published.is_open(last)
    }
}

/// Returns the occasion for the ruling on a claim; `None`: no ruling applies.
fn occasion(claim: &Claim, claimed: ClaimKind, basis: ClaimBasis) -> Option<Occasion> {
    let intended = matches!(basis, ClaimBasis::OnIntended(_));
    Some(match (claim.is_right(), claimed, intended) {
        _ if claim.finding == Finding::Lost => Occasion::ClaimLost,
        // Only the player to move can claim (9.2, 9.3); a claim by the other player is none. Nothing is said about claims for which
        // no text of the Laws is available.
        _ if matches!(claim.finding, Finding::Ended | Finding::NotOnMove | Finding::RuleUnavailable) => return None,
        (true, ClaimKind::Repetition, false) => Occasion::Repeated,
        (true, ClaimKind::Repetition, true) => Occasion::RepeatedIntended,
        (true, ClaimKind::FiftyMoves, false) => Occasion::Fifty,
        (true, ClaimKind::FiftyMoves, true) => Occasion::FiftyIntended,
        (false, _, false) => Occasion::WrongClaim,
        (false, _, true) => Occasion::WrongClaimIntended,
    })
}
