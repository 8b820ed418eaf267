//! The prior: how likely players are to choose a move, whatever the board shows.
//!
//! A log-linear model: the logarithm of a move's likelihood is the sum of the weights of its features, up to a constant for all moves
//! of a position. The weights are fitted to games by `touchmovectl fit-prior` (`lab::fit_prior`). All features follow from the
//! position and the last moves; time is none of them, because the handling of a move already has its costs by time.

mod features;
mod groups;
mod surroundings;
mod weights;

pub use groups::{FEATURES, FeatureGroup};
pub use weights::{BadWeights, Weights};

use super::model::{self, Cost};
use crate::laws::Position;
use shakmaty::Move;
use surroundings::Surroundings;

/// The last moves before a position, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecentMoves([Option<Move>; 3]);

impl RecentMoves {
    /// Nothing is known of the moves before the position.
    pub const NONE: RecentMoves = RecentMoves([None; 3]);

    /// Returns the recent moves of the position after `mv`.
    pub fn after(&self, mv: Move) -> RecentMoves {
        let [last, own, _] = self.0;
        RecentMoves([Some(mv).filter(|mv| !Position::is_null_move(*mv)), last, own])
    }

    /// Returns the last move, which is the opponent's.
    pub fn last(&self) -> Option<Move> {
        self.0[0]
    }

    /// Returns the move before it, by the player to move.
    pub fn own(&self) -> Option<Move> {
        self.0[1]
    }

    /// Returns the opponent's move before their last one.
    pub fn before(&self) -> Option<Move> {
        self.0[2]
    }
}

/// Returns the cost of each of these legal moves; their likelihoods add up to one.
pub fn prior_costs(position: &Position, recent: &RecentMoves, legal: &[Move]) -> Box<[Cost]> {
    weighed_costs(Weights::built_in(), position, recent, legal)
}

/// Returns what [`prior_costs`] would return with these weights.
pub fn weighed_costs(weights: &Weights, position: &Position, recent: &RecentMoves, legal: &[Move]) -> Box<[Cost]> {
    let around = Surroundings::of(position, recent);
    let cost = |mv: Move| {
        let mut sum = 0;
        features::features(&around, mv, |feature| sum -= Cost::from(weights.get(feature)));
        sum
    };
    model::normalised(legal.iter().map(|&mv| cost(mv)).collect())
}

/// Returns the features of each of these moves, in ascending order.
pub fn features(position: &Position, recent: &RecentMoves, legal: &[Move]) -> Vec<Vec<usize>> {
    let around = Surroundings::of(position, recent);
    let of_move = |&mv: &Move| {
        let mut found = Vec::new();
        features::features(&around, mv, |feature| found.push(feature));
        found.sort_unstable();
        found
    };
    legal.iter().map(of_move).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Color, Role, Square};

    fn at(fen: &str) -> Position {
        Position::from_fen(fen, false).unwrap()
    }

    fn cost(position: &Position, recent: &RecentMoves, san: &str) -> Cost {
        let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
        let mv = position.parse_san(san).unwrap();
        let costs = prior_costs(position, recent, &legal);
        costs[legal.iter().position(|other| *other == mv).unwrap()]
    }

    /// Returns the features of a move in one group, as indices in the group.
    fn of_group(position: &Position, recent: &RecentMoves, san: &str, group: FeatureGroup) -> Vec<usize> {
        let features = features(position, recent, &[position.parse_san(san).unwrap()]);
        let found = features[0].iter().filter(|feature| group.range().contains(feature));
        found.map(|feature| feature - group.range().start).collect()
    }

    /// Positions of a game of arbitrary moves, with their recent moves.
    fn walk(start: Position, plies: usize) -> Vec<(Position, RecentMoves)> {
        let mut walked = vec![(start, RecentMoves::default())];
        for step in 0..plies {
            let (position, recent) = &walked[step];
            let legal = position.legal_moves();
            let Some(&mv) = legal.get((step * 7919 + 13) % legal.len().max(1)) else { break };
            let next = (position.play(mv), recent.after(mv));
            walked.push(next);
        }
        walked
    }

    #[test]
    fn likelihoods_add_up_to_one_in_every_kind_of_game() {
        let starts = [Position::start(), Position::chess960(7).unwrap(), at("8/P6k/8/8/8/8/p6K/8 w - - 0 1")];
        for (position, recent) in starts.into_iter().flat_map(|start| walk(start, 120)) {
            let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
            let costs = prior_costs(&position, &recent, &legal);
            let sum: u64 = costs.iter().map(|&cost| model::likelihood(cost)).sum();
            assert_eq!(costs.len(), legal.len());
            let whole = 1u64 << 32;
            assert!(legal.is_empty() || sum.abs_diff(whole) < whole / 10, "{}: {sum}", position.fen());
        }
    }

    #[test]
    fn features_are_the_same_for_both_colours() {
        for (position, _) in walk(Position::start(), 200) {
            let one = Position::from_board(position.board().clone(), position.turn());
            let other = Position::from_board(position.board().clone().into_mirrored(), !position.turn());
            let sorted = |position: &Position| {
                let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
                let mut found = features(position, &RecentMoves::default(), &legal);
                found.sort();
                found
            };
            assert_eq!(sorted(&one), sorted(&other), "{}", one.fen());
        }
    }

    #[test]
    fn recent_moves_are_known_as_far_as_they_go() {
        let position = at("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let king = position.parse_san("Ke2").unwrap();
        let recent = RecentMoves::default().after(king);
        assert_eq!((recent.last(), recent.own(), recent.before()), (Some(king), None, None));
        let null = position.null_move().unwrap();
        let recent = recent.after(null);
        assert_eq!((recent.last(), recent.own(), recent.before()), (None, Some(king), None));
    }

    #[test]
    fn a_recapture_and_an_undone_move_are_features() {
        let start = at("4k3/8/2p5/3p4/4P3/8/8/R3K3 w - - 0 1");
        let capture = start.parse_san("exd5").unwrap();
        let (position, recent) = (start.play(capture), RecentMoves::default().after(capture));
        // A capture was made there, by a pawn; the victim is a pawn.
        assert_eq!(of_group(&position, &recent, "cxd5", FeatureGroup::Recapture), [30]);
        assert!(of_group(&position, &recent, "c5", FeatureGroup::Recapture).is_empty());
        assert!(cost(&position, &recent, "cxd5") < cost(&position, &recent, "c5"));

        let (mut position, mut recent) = (start, RecentMoves::default());
        for san in ["Ra2", "Kd7"] {
            let mv = position.parse_san(san).unwrap();
            (position, recent) = (position.play(mv), recent.after(mv));
        }
        assert_eq!(of_group(&position, &recent, "Ra1", FeatureGroup::Undo), [(Role::Rook as usize - 1) * 2]);
        assert!(of_group(&position, &recent, "Ra3", FeatureGroup::Undo).is_empty());
    }

    #[test]
    fn players_promote_to_queens_and_do_not_give_pieces_away() {
        let none = RecentMoves::default();
        let promotion = at("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        for piece in ["a8=N", "a8=B", "a8=R"] {
            assert!(cost(&promotion, &none, piece) > cost(&promotion, &none, "a8=Q") + 48, "{piece}");
        }
        let position = at("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3");
        assert!(cost(&position, &none, "Bb5") + 64 < cost(&position, &none, "Ba6"));
        assert!(cost(&position, &none, "Nc3") + 64 < cost(&position, &none, "Nxe5"));
    }

    #[test]
    fn what_a_move_does_about_a_threat_is_a_feature() {
        // The rook attacks the undefended knight.
        let position = at("4k3/8/8/1N4r1/8/8/3P4/4K3 w - - 0 1");
        assert_eq!(position.turn(), Color::White);
        let threat = |san: &str| of_group(&position, &RecentMoves::default(), san, FeatureGroup::Threat);
        let knight = (Role::Knight as usize - 1) * 5;
        assert_eq!(threat("Kf2"), [knight]);
        assert!(threat("Nc3").is_empty(), "the knight itself moves");
        let blocked = at("4k3/8/8/1N4r1/3P4/8/8/4K3 w - - 0 1");
        assert_eq!(of_group(&blocked, &RecentMoves::default(), "d5", FeatureGroup::Threat), [knight + 2]);
        assert_eq!(blocked.piece_at(Square::B5).map(|piece| piece.role), Some(Role::Knight));
    }
}
