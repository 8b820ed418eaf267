//! Everything but the moves: incidents, irregularities, faults of board and cable. Each is tested alone and with the ground truth.

use super::{edges, listen, piece, random_games, setup};
use shakmaty::{Piece, Square};
use std::collections::BTreeMap;
use touchmove::boards::Millis;
use touchmove::laws::Position;
use touchmove::simulate::SimulationSetup;
use touchmove::simulate::act::Act;
use touchmove::simulate::hands::{CLEAN, CLUB, HandsProfile, ROUGH, Rate, Rates};
use touchmove::simulate::irregularity::{Injection, IrregularityKind};
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::script::{self, Script};
use touchmove::simulate::truth::InterruptionReason;

/// Clean hands with one other rate.
fn only(rate: Rate, thousandths: u32) -> HandsProfile {
    let mut rates: Rates = CLEAN.rates;
    rates.set(rate, thousandths);
    HandsProfile { rates, ..CLEAN }
}

/// The pieces on the board when the game is over.
pub fn pieces_at_the_end(script: &Script) -> [Option<Piece>; 64] {
    let mut squares = script.initial_pieces;
    let mut last = 0;
    for action in &script.actions {
        assert!(action.at >= last, "time runs backwards");
        last = action.at;
        if action.at > script.truth.over_at {
            break;
        }
        match action.act {
            Act::Lift(square) => squares[square as usize] = None,
            Act::Put(square, piece) => squares[square as usize] = Some(piece),
            _ => {}
        }
    }
    squares
}

/// The pieces that should be on the board: after the moves of the ground truth, with illegal moves played as written.
pub fn pieces_of_the_truth(game: &SourceGame, script: &Script) -> [Option<Piece>; 64] {
    let mut position = game.start.clone();
    for ply in &script.truth.plies {
        position = match position.parse_uci(&ply.uci) {
            Some(mv) => position.play(mv),
            None => {
                let [from, to] = [&ply.uci[..2], &ply.uci[2..4]].map(|name| name.parse::<Square>().unwrap());
                let mut board = position.board().clone();
                let piece = board.remove_piece_at(from).unwrap();
                board.set_piece_at(to, piece);
                Position::from_board(board, !position.turn())
            }
        };
    }
    std::array::from_fn(|index| position.piece_at(Square::new(index as u32)))
}

fn moves(script: &Script) -> Vec<&str> {
    script.truth.plies.iter().map(|ply| ply.uci.as_str()).collect()
}

fn acts(script: &Script) -> Vec<Act> {
    script.actions.iter().map(|action| action.act).collect()
}

/// The acts in each ply, without their times.
fn by_ply(script: &Script) -> BTreeMap<u32, Vec<Act>> {
    let mut plies: BTreeMap<u32, Vec<Act>> = BTreeMap::new();
    for action in script.actions.iter().filter(|action| action.ply > 0) {
        plies.entry(action.ply).or_default().push(action.act);
    }
    plies
}

const HANDS: &[Rate] = &[
    Rate::hold,
    Rate::between_squares,
    Rate::hesitate,
    Rate::change_mind,
    Rate::adjust_several,
    Rate::adjust_off_turn,
    Rate::takeback,
    Rate::premature_king,
    Rate::arbiter_pause,
    Rate::analysis,
    Rate::cable_out,
];

#[test]
fn each_incident_alone_leaves_the_game_as_it_was() {
    for game in &random_games(8, 80) {
        for clock in [true, false] {
            let clean = script::write(game, &CLEAN, clock, 4, &[]);
            for &rate in HANDS {
                let script = script::write(game, &only(rate, 1000), clock, 4, &[]);
                let name = rate.name();
                assert_eq!(moves(&script), moves(&clean), "{name}");
                assert!(pieces_at_the_end(&script) == pieces_of_the_truth(game, &script), "{name}");
                let truth = &script.truth;
                let reasons: Vec<InterruptionReason> =
                    truth.interruptions.iter().map(|interruption| interruption.reason).collect();
                let expected: &[InterruptionReason] = match rate {
                    Rate::analysis => &[InterruptionReason::Analysis],
                    Rate::arbiter_pause => &[InterruptionReason::Pause],
                    Rate::cable_out => &[InterruptionReason::CableOut],
                    _ => &[],
                };
                assert_eq!(reasons, expected, "{name}");
                assert_eq!(!truth.takebacks.is_empty(), rate == Rate::takeback, "{name}");
                assert_eq!(!truth.irregularities.is_empty(), rate == Rate::change_mind, "{name}");
                // Not every game has a square in the centre for a premature king, and a piece that is held causes the same acts.
                if !matches!(rate, Rate::premature_king | Rate::hold) {
                    assert_ne!(acts(&script), acts(&clean), "{name}");
                }
            }
        }
    }
}

#[test]
fn takebacks_have_the_moves_that_were_taken_back() {
    for game in &random_games(8, 60) {
        let script = script::write(game, &only(Rate::takeback, 300), true, 2, &[]);
        for takeback in &script.truth.takebacks {
            let mut position = game.position(takeback.from_ply as usize - 1);
            for (offset, ply) in takeback.plies.iter().enumerate() {
                position = position.play(position.parse_uci(&ply.uci).expect("it was legal"));
                let number = takeback.from_ply + offset as u32;
                assert!(script.truth.is_taken_back(number, &ply.uci, takeback.at));
                assert_eq!(script.truth.ply(number, &ply.uci, takeback.at).unwrap().uci, ply.uci);
            }
            let last = script.truth.plies.get(takeback.from_ply as usize - 1).unwrap();
            assert_ne!(last.uci, takeback.plies[0].uci);
            assert!(last.touched_at >= takeback.done_at && takeback.done_at > takeback.at);
        }
    }
}

/// How often something happened, and how often it could have.
type Count = fn(&Script) -> (usize, usize);

/// The share over many games, in thousandths.
fn share(games: &[SourceGame], profile: &HandsProfile, count: Count) -> usize {
    let counts = games.iter().flat_map(|game| (0..6).map(move |seed| count(&script::write(game, profile, true, seed, &[]))));
    let (part, total) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    part * 1000 / total
}

#[test]
fn incidents_are_as_frequent_as_their_rates() {
    let games = random_games(40, 60);
    let long = |script: &Script| {
        let plies = &script.truth.plies;
        (plies.iter().filter(|ply| ply.done_at - ply.touched_at > 2_000).count(), plies.len())
    };
    let takebacks = |script: &Script| (script.truth.takebacks.len(), script.truth.plies.len());
    let touched = |script: &Script| (script.truth.irregularities.len(), script.truth.plies.len());
    let interrupted = |script: &Script| (script.truth.interruptions.len(), 1);
    let cases: [(Rate, u32, Count); 6] = [
        (Rate::hold, 100, long),
        (Rate::takeback, 100, takebacks),
        (Rate::change_mind, 100, touched),
        (Rate::analysis, 300, interrupted),
        (Rate::arbiter_pause, 300, interrupted),
        (Rate::cable_out, 300, interrupted),
    ];
    for (rate, thousandths, count) in cases {
        let measured = share(&games, &only(rate, thousandths), count) as u32;
        // Castling, captures in two steps and promotions are not held in the air.
        let minimum = if rate == Rate::hold { thousandths / 3 } else { thousandths * 3 / 4 };
        assert!((minimum..thousandths * 5 / 4).contains(&measured), "{}: {measured} of 1000", rate.name());
        assert_eq!(share(&games, &only(rate, 0), count), 0, "{}", rate.name());
    }
}

#[test]
fn rates_do_not_affect_each_other() {
    let hands = HandsProfile {
        rates: Rates { swap_capture: 500, brush: 200, bump: 200, destination_first: 200, ..CLEAN.rates },
        ..CLEAN
    };
    for game in &random_games(6, 80) {
        let plain = by_ply(&script::write(game, &hands, true, 3, &[]));
        for rate in [Rate::adjust, Rate::adjust_several, Rate::hesitate, Rate::arbiter_pause, Rate::set_up, Rate::cable_out] {
            let mut more = hands;
            more.rates.set(rate, 500);
            assert_eq!(by_ply(&script::write(game, &more, true, 3, &[])), plain, "{}", rate.name());
        }
        // A rate that changes how some moves are made leaves the others as they were.
        let mut more = hands;
        more.rates.set(Rate::slide_stop, 100);
        let slid = by_ply(&script::write(game, &more, true, 3, &[]));
        let differ = plain.iter().filter(|(ply, acts)| slid.get(ply) != Some(acts)).count();
        assert!(differ * 3 < plain.len(), "{differ} of {}", plain.len());
    }
}

#[test]
fn queens_are_underpromoted_where_the_game_allows_it() {
    let text = "[Result \"*\"]\n\n1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8=Q Nf6 6. Nf3 Rxa8 *\n\n";
    let games = pgn::read(text).games;
    let profile = only(Rate::underpromote, 1000);
    let script = script::write(&games[0], &profile, true, 1, &[]);
    let moves = moves(&script);
    assert!(matches!(moves[8], "a7a8r" | "a7a8b" | "a7a8n"), "{moves:?}");
    assert_eq!(moves.len(), games[0].plies.len());
    assert!(pieces_at_the_end(&script) == pieces_of_the_truth(&games[0], &script));
    for game in &random_games(20, 150) {
        let script = script::write(game, &profile, true, 1, &[]);
        assert!(pieces_at_the_end(&script) == pieces_of_the_truth(game, &script));
        assert_eq!(script.truth.plies.len(), game.plies.len());
    }
}

#[test]
fn each_irregularity_is_committed_and_in_the_ground_truth() {
    let castling =
        pgn::read("[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O 5. Nxe5 Nxe4 6. Nxf7 Rxf7 *\n\n").games;
    let promotion =
        pgn::read("[Result \"*\"]\n\n1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8=Q Nf6 6. Nf3 Rxa8 *\n\n").games;
    for &(kind, name) in IrregularityKind::ALL {
        let injection: Injection = format!("{name}@4").parse().unwrap();
        assert_eq!((injection.kind, injection.ply, injection.to_string()), (kind, Some(4), format!("{name}@4")));
        let games = if kind == IrregularityKind::PawnLeft { &promotion } else { &castling };
        for seed in 0..20 {
            let script = script::write(&games[0], &CLUB, true, seed, &[injection]);
            let committed = &script.truth.irregularities;
            let [one] = &committed[..] else { panic!("{name}: {committed:?}") };
            assert_eq!(one.kind, kind);
            assert!(one.ply >= 4 && one.at < script.truth.over_at, "{name}: {one:?}");
            assert_eq!(one.until.is_none(), kind == IrregularityKind::IllegalStands, "{name}");
            assert!(pieces_at_the_end(&script) == pieces_of_the_truth(&games[0], &script), "{name}, seed {seed}");
            let legal = script.truth.plies.len() == games[0].plies.len();
            assert!(legal || kind == IrregularityKind::IllegalStands, "{name}");
        }
    }
    for (wrong, expected) in [("theft", "illegal_move, "), ("theft@3", "illegal_move, "), ("removed@0", "from 1")] {
        assert!(wrong.parse::<Injection>().unwrap_err().contains(expected), "{wrong}");
    }
}

#[test]
fn boards_misreport_only_what_their_rates_say() {
    let game = &random_games(1, 80)[0];
    let edges_of = |profile: &HandsProfile| edges(&listen(game, &setup(profile, false, 5)).0);
    let clean = edges_of(&CLEAN);
    let without_times =
        |edges: &[super::Edge]| edges.iter().map(|edge| (edge.square, edge.shows, edge.ply)).collect::<Vec<_>>();

    let missed = edges_of(&only(Rate::missed_edge, 500));
    let late = |edges: &[super::Edge]| edges.iter().map(|edge| edge.at).sum::<Millis>();
    assert!(missed.len() < clean.len() || late(&missed) > late(&clean));

    let with_ghosts = edges_of(&only(Rate::ghost_edge, 200));
    let real: Vec<super::Edge> = with_ghosts.iter().filter(|edge| edge.ply > 0).copied().collect();
    assert!(with_ghosts.len() > clean.len() + clean.len() / 10, "{} of {}", with_ghosts.len(), clean.len());
    // A ghost edge may hide a real change for a moment, but not for good.
    assert!(real.len() * 10 > clean.len() * 9);

    for (rate, turned) in [(Rate::misread, false), (Rate::polarity, true)] {
        let wrong = edges_of(&only(rate, 300));
        let actual: Vec<_> = without_times(&wrong).into_iter().filter(|edge| edge.2 > 0).collect();
        assert!(actual.len() * 10 > clean.len() * 8, "{}", rate.name());
        let mistaken: Vec<&super::Edge> = wrong.iter().filter(|edge| edge.ply == 0).collect();
        assert!(mistaken.len() > 10, "{}", rate.name());
        for edge in mistaken {
            let shown = piece(edge.shows).expect("it shows a piece");
            let next_edge = wrong.iter().find(|later| later.square == edge.square && later.at > edge.at);
            let Some(real_piece) = next_edge.and_then(|later| piece(later.shows)) else { continue };
            assert_eq!(shown.color != real_piece.color, turned);
            assert_eq!(shown.role == real_piece.role, turned);
        }
    }
}

#[test]
fn cables_damage_only_what_their_rates_say() {
    let game = &random_games(1, 80)[0];
    let bytes = |profile: &HandsProfile| {
        let (chunks, script) = listen(game, &setup(profile, true, 5));
        (chunks.iter().flat_map(|chunk| chunk.bytes.clone()).collect::<Vec<u8>>(), chunks, script)
    };
    let (clean, ..) = bytes(&CLEAN);
    let (lost, ..) = bytes(&only(Rate::lost_byte, 100));
    assert!((20..clean.len()).contains(&(clean.len() - lost.len())));
    let (garbled, ..) = bytes(&only(Rate::garbled_byte, 100));
    let differ = clean.iter().zip(&garbled).filter(|(clean, garbled)| (*clean ^ *garbled).count_ones() == 1).count();
    let equal = clean.iter().zip(&garbled).filter(|(clean, garbled)| clean == garbled).count();
    assert_eq!((garbled.len(), equal + differ), (clean.len(), clean.len()));
    assert!(differ > 20);
    let (_, chunks, script) = bytes(&only(Rate::cable_out, 1000));
    let [outage] = script.truth.interruptions[..] else { panic!("{:?}", script.truth.interruptions) };
    assert!((1_000..=60_000).contains(&(outage.until - outage.from)));
    assert!(!chunks.iter().any(|chunk| (outage.from..outage.until).contains(&chunk.at)));
    assert!(chunks.iter().any(|chunk| chunk.at < outage.from) && chunks.iter().any(|chunk| chunk.at > outage.until));
}

#[test]
fn rough_hands_do_everything() {
    let games = random_games(30, 100);
    let (mut takebacks, mut reasons) = (0, Vec::new());
    for (game, seed) in games.iter().flat_map(|game| (0..4).map(move |seed| (game, seed))) {
        let once = listen(game, &SimulationSetup { seed, ..setup(&ROUGH, true, 0) });
        takebacks += once.1.truth.takebacks.len();
        reasons.extend(once.1.truth.interruptions.iter().map(|interruption| interruption.reason));
    }
    assert!(takebacks > 10);
    for reason in [InterruptionReason::Analysis, InterruptionReason::Pause, InterruptionReason::CableOut] {
        assert!(reasons.contains(&reason), "{reason:?}");
    }
    for rate in Rate::ALL {
        let name = rate.name();
        assert!(ROUGH.rates.get(*rate) > 0 || *rate == Rate::burst, "{name} never happens");
        assert!(rate.doc().contains("uess") || rate.doc().contains("easured") || rate.doc().contains("equired"), "{name}");
        assert_eq!(touchmove::simulate::hands::rate(name), Some(*rate));
    }
}
