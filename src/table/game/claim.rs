//! Evaluation of a player's draw claim. It changes nothing: the arbiter rules.

use super::{Around, Game, history};
use crate::boards::Millis;
use crate::game::Text;
use crate::game::answer::Verdict;
use crate::game::command::Refused;
use crate::laws::draws::{Claim, Claimed, DrawRules, Finding, Rests, Same};
use crate::laws::{Facts, Occasion, Situation, Topic, ruling};
use shakmaty::Color;

impl Game {
    /// Evaluates a claim by the moves on record. `intended`: the move that is written down and not played, as UCI.
    pub(super) fn claim(
        &self,
        now: Millis,
        by: Color,
        claimed: Claimed,
        intended: Option<&str>,
        around: &Around<'_>,
    ) -> Result<Verdict, Refused> {
        if self.record.result.is_some() {
            return Err(Refused::Over);
        }
        let rules = DrawRules::of(&self.laws);
        let plies = &self.record.plies;
        // Without a clock, no move is completed by a press: it is the opponent's turn once the move is made.
        let made = around.clock.counts() && self.made_by(by);
        // Where only completing the move ends the right to claim, a player who has not pressed yet claims as if the move were not
        // made.
        let counted = if rules.is_claimed_before_the_move(made) { plies.len() - 1 } else { plies.len() };
        let counted = plies.get(..counted).unwrap_or_default();
        let history = history(&self.start, &self.published, counted, Same::of(&self.laws));
        let rests = match intended {
            None => Rests::OnBoard,
            Some(uci) => {
                let position = history.position();
                let mv = position.parse_uci(uci).or_else(|| position.any_move(uci));
                Rests::OnIntended(mv.ok_or_else(|| Refused::NoMove(uci.to_owned()))?)
            }
        };
        let claim = history.claim(by, claimed, rests, &rules);
        let lost = rules.is_claim_lost(made || self.has_touched(now, by));
        let known = !matches!(claim.finding, Finding::Ended | Finding::NotAtHand);
        let claim = if lost && known { Claim { finding: Finding::Lost, ..claim } } else { claim };
        // The intended move has its own article, which says that it must be played.
        let because = matches!(rests, Rests::OnIntended(_)).then_some(match claimed {
            Claimed::Repetition => Topic::RepetitionIntended,
            Claimed::FiftyMoves => Topic::FiftyIntended,
        });
        let facts = Facts { claimed: true, because, ..Facts::default() };
        let asked = occasion(&claim, claimed, rests);
        let ruling = asked.and_then(|occasion| ruling(&self.laws, Situation::Occasion(occasion), &facts));
        let (required, articles) = ruling.map_or((Vec::new(), Vec::new()), |ruling| (ruling.acts, ruling.articles));
        Ok(Verdict {
            right: claim.is_right(),
            text: Text::from(&claim.finding),
            occurrences: claim.occurrences,
            quiet: claim.quiet,
            required,
            articles: articles.into_iter().map(str::to_owned).collect(),
        })
    }

    /// Whether the last move is this player's and is not completed yet.
    fn made_by(&self, by: Color) -> bool {
        let last = self.published.len() as u32;
        last > 0 && self.mover(last) == by && self.is_open(last)
    }
}

/// Returns the occasion for the ruling on a claim; `None`: no ruling applies.
fn occasion(claim: &Claim, claimed: Claimed, rests: Rests) -> Option<Occasion> {
    let intended = matches!(rests, Rests::OnIntended(_));
    Some(match (claim.is_right(), claimed, intended) {
        _ if claim.finding == Finding::Lost => Occasion::ClaimLost,
        // Only the player to move can claim (9.2, 9.3); a claim by the other player is none. Nothing is said about claims for which
        // no text of the Laws is available.
        _ if matches!(claim.finding, Finding::Ended | Finding::NotOnMove | Finding::NotAtHand) => return None,
        (true, Claimed::Repetition, false) => Occasion::Repeated,
        (true, Claimed::Repetition, true) => Occasion::RepeatedIntended,
        (true, Claimed::FiftyMoves, false) => Occasion::Fifty,
        (true, Claimed::FiftyMoves, true) => Occasion::FiftyIntended,
        (false, _, false) => Occasion::WrongClaim,
        (false, _, true) => Occasion::WrongClaimIntended,
    })
}
