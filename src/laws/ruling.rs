//! Suggests what the Laws require of the arbiter in a situation, with the articles. The arbiter decides.
//!
//! The suggestion comes from `config/data/laws/rulings.toml`: the first row of the situation whose conditions hold and whose first
//! article exists in the edition. If there is no such row, nothing is suggested.

mod action;
mod situation;
mod table;

pub use action::RulingAction;
pub use situation::{Occasion, Reply, RulingFacts, Situation, Stage};
pub use table::Rulings;

use super::edition::{ClaimPenalty, Increment, Topic};
use super::penalty::{Penalty, penalty};
use super::{Irregularity, Laws, Winnable};
use table::{Row, Step};

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
