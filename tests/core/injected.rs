//! Irregularities committed on a virtual board are reported with the right reason. `touchmovectl score --inject` measures
//! how often, over many games.

use std::collections::BTreeSet;
use touchmove::boards::SensorKind;
use touchmove::game::event::Rotation;
use touchmove::lab::detection::{Detection, InjectionResult};
use touchmove::lab::options::SimulationOptions;
use touchmove::lab::score::play_and_compare;
use touchmove::simulate::hands::CLEAN;
use touchmove::simulate::illegal::IllegalSort;
use touchmove::simulate::irregularity::Injection;
use touchmove::simulate::pgn::{self, SourceGame};

fn trials(game: &SourceGame, kind: &str, seeds: u64) -> Vec<InjectionResult> {
    let injection: Injection = kind.parse().expect("a kind");
    let options = SimulationOptions {
        board: "dgt".to_owned(),
        profile: CLEAN,
        inject: vec![injection],
        clock: true,
        rotation: Rotation::Upright,
    };
    let play = |seed| play_and_compare(game, seed, &options, Some(SensorKind::Identity)).expect("a board").trials;
    (1..=seeds).flat_map(play).collect()
}

fn check(trials: &[InjectionResult]) {
    for trial in trials {
        assert!(matches!(trial.told, Detection::Right(ms) if ms < 10_000), "{trial:?}");
    }
}

#[test]
fn illegal_moves_of_every_kind_are_reported_with_their_reason() {
    let games = pgn::read(
        "[Result \"*\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 \
         10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 *\n\n\
         [Result \"*\"]\n\n1. e4 e6 2. e5 d5 3. Nf3 c5 4. Bb5+ Bd7 5. Bxd7+ Qxd7 6. a4 Nc6 7. O-O O-O-O *\n\n",
    )
    .games;
    for kind in ["illegal_move", "illegal_stands"] {
        let found: Vec<InjectionResult> = games.iter().flat_map(|game| trials(game, kind, 25)).collect();
        check(&found);
        let sorts: BTreeSet<&str> = found.iter().filter_map(|trial| trial.illegal).map(|(sort, _)| sort).collect();
        assert_eq!(sorts.len(), IllegalSort::ALL.len(), "{sorts:?}");
    }
}

#[test]
fn a_press_without_a_move_and_an_unpromoted_pawn_are_reported() {
    let promotion = "[Result \"*\"]\n\n1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8=Q Nf6 6. Nf3 Rxa8 *\n\n";
    let game = &pgn::read(promotion).games[0];
    check(&trials(game, "press_without_move", 10));
    check(&trials(game, "pawn_left", 10));
}
