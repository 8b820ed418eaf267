//! What the Laws do not allow, and pieces out of place: what of it is put on record, and that play goes on. Stories as in
//! [`crate::games`]; a move that was not legal is told in the long form, `Ke1-e3`.

use crate::games::{Story, check, check_from, check_no_clock, tell, tell_by};
use shakmaty::Color;
use touchmove::boards::SensorKind;
use touchmove::game::{Alert, AlertKind, Event, Record};
use touchmove::laws::Position;
use touchmove::table::{Settings, Table};
use touchmove::wire::{self, Word};

/// Ten plies that do not mind what happened before, for both players' wings.
const ON: &str = "a7- a6p ~300 B a2- a3P ~300 W b7- b6p ~300 B b2- b3P ~300 W h7- h6p ~300 B h2- h3P ~300 W \
                  g7- g6p ~300 B g2- g3P ~300 W a6- a5p ~300 B a3- a4P ~300 W";
const ON_TOLD: &str =
    "a6 | a6! | a3 | a3! | b6 | b6! | b3 | b3! | h6 | h6! | h3 | h3! | g6 | g6! | g3 | g3! | a5 | a5! | a4 | a4!";

/// The record says this of its moves: UCI, `*` where they were not legal.
fn moves(record: &Record) -> String {
    let one = |ply: &touchmove::game::record::Ply| format!("{}{}", ply.played.uci, if ply.played.irregular { "*" } else { "" });
    record.plies.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// What is on record can be proved and survives a restart.
fn kept(story: &Story) -> String {
    let record = story.table.record().expect("a game");
    let mut position = Position::from_fen(&record.start_fen, false).expect("a FEN");
    for ply in &record.plies {
        let played = &ply.played;
        assert_eq!(played.irregular, !played.evidence.is_empty(), "{played:?}");
        let mv = if played.irregular { position.any_move(&played.uci) } else { position.parse_uci(&played.uci) };
        position = position.play(mv.expect("a move"));
        assert_eq!(position.fen(), played.fen);
        for seen in &played.evidence {
            assert!(seen.at <= ply.made_at && seen.before != seen.now, "{seen:?}");
        }
    }
    for stamped in &story.events {
        assert_eq!(wire::from_json(&wire::to_json(stamped)).as_ref().ok(), Some(stamped));
    }
    let restored = Table::restore(Settings::default(), &story.events);
    assert_eq!(restored.record(), Some(record));
    moves(record)
}

#[test]
fn a_move_that_is_not_legal_stands_and_play_goes_on() {
    check(
        &format!("e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 {ON}"),
        &format!("e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | {ON_TOLD}"),
    );
    let story = tell(None, true, &format!("e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 {ON}"));
    assert_eq!(kept(&story), "e2e4 e7e5 e1e3* a7a6 a2a3 b7b6 b2b3 h7h6 h2h3 g7g6 g2g3 a6a5 a3a4");
    let made = story.events.iter().find_map(|stamped| match &stamped.event {
        Event::MoveMade { played, .. } if played.irregular => Some(played.clone()),
        _ => None,
    });
    let made = made.expect("it is told");
    let proof: Vec<String> = made.evidence.iter().map(|seen| seen.square.to_string()).collect();
    assert_eq!(proof, ["e1", "e3"]);
    assert_eq!(Position::from_fen(&made.fen, false).expect("a FEN").turn(), Color::Black);
}

#[test]
fn the_opponent_plays_on_at_once() {
    check(
        "e2- e4P W e7- e5p B e1- e3K ~300 W g8- f6n ~300 B",
        "e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | Nf6 | Nf6!",
    );
}

#[test]
fn taken_where_nothing_could_take() {
    let story = tell(None, true, "e2- e4P W e7- e5p B a1- a7R ~1200 W ~500 a8- a7r B");
    assert_eq!(kept(&story), "e2e4 e7e5 a1a7* a8a7");
}

#[test]
fn without_a_clock_the_reply_makes_it_a_move() {
    check_no_clock(
        "e2- e4P ~400 e7- e5p ~400 e1- e3K ~2000 g8- f6n ~400 d2- d3P ~400",
        "e4 | e5 | e4r | Ke1-e3 | e5r | illegal_move e1,e3 | Nf6 | Ke1-e3r | d3 | Nf6r",
    );
    check_no_clock(
        "e2- e4P ~400 e7- e5p ~400 e1- e3K ~4000 e3- e2K ~400",
        "e4 | e5 | e4r | illegal_pending e1,e3 | clear | Ke2 | e5r",
    );
}

#[test]
fn corrected_before_the_press() {
    check("e2- e4P W e7- e5p B e1- e3K ~900 e3- e2K ~300 W", "e4 | e4! | e5 | e5! | Ke2 | Ke2!");
}

#[test]
fn corrected_after_the_press() {
    // The king goes straight to another square.
    check(
        "e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 e3- e2K ~300",
        "e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | <3 Ke2 takeback",
    );
    // It goes back first; then there is another move.
    check(
        "e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 e3- e1K ~1200 B e1- e2K ~300 W",
        "e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | <3  takeback | Ke2 | Ke2!",
    );
}

#[test]
fn the_arbiter_restores_the_position() {
    // Three plies later, by hand.
    let story = "e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 g8- f6n ~300 B g1- f3N ~300 W ~1000 stop \
                 f3- ~200 g1N ~200 f6- ~200 g8n ~200 e3- ~200 e1K ~1200 B e1- e2K ~300 W";
    let story = tell(None, true, story);
    assert_eq!(kept(&story), "e2e4 e7e5 e1e2");
    // By command, and the board follows.
    check(
        "e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 takeback=1 e3- e1K ~300 B e1- e2K ~300 W",
        "e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | <3  arbiter | clear | Ke2 | Ke2!",
    );
}

#[test]
fn a_king_left_in_check() {
    let pinned = "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1";
    check_from(
        pinned,
        "e2- c3N ~300 W ~1200 e7- d7r ~300 B c3- b5N ~300 W",
        "Ne2-c3 | Ne2-c3! | illegal_move e2,c3 | Rd7 | Rd7! | Nb5 | Nb5!",
    );
}

#[test]
fn a_pawn_left_on_the_last_rank() {
    let pawn = "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1";
    check_from(
        pawn,
        "a7- a8P ~300 W ~1200 e8- e7k ~300 B h2- h4P ~300 W",
        "a7-a8 | a7-a8! | illegal_move a7,a8 | Ke7 | Ke7! | h4 | h4!",
    );
    // Exchanged after all.
    check_from(pawn, "a7- a8P ~300 W ~1200 a8- a8Q ~800", "a7-a8 | a7-a8! | illegal_move a7,a8 | <1 a8=Q+ takeback");
}

#[test]
fn castling_that_is_not_allowed() {
    let attacked = "4kr2/8/8/8/8/8/8/4K2R w K - 0 1";
    let story = tell(Some(attacked), true, "e1- g1K h1- f1R ~400 W ~1200 f8- f7r ~300 B");
    assert_eq!(kept(&story), "e1h1* f8f7");
}

#[test]
fn the_same_player_twice() {
    check_no_clock(
        "e2- e4P ~400 d2- d4P ~1500 e7- e5p ~1200 g1- f3N ~400",
        "e4 | d2-d4 | e4+ | illegal_move d2,d4 | e5 | d2-d4r | Nf3 | e5r",
    );
    check(
        "e2- e4P W ~400 d2- d4P ~1500 e7- e5p ~1200 B g1- f3N ~400 W",
        "e4 | e4! | d2-d4 | illegal_move d2,d4 | e5 | e5! | Nf3 | d2-d4+ | Nf3!",
    );
}

#[test]
fn a_piece_out_of_place_and_its_return() {
    // White's bishop, while Black thinks; play goes on elsewhere.
    let story = "e2- e4P W ~400 c1- d3B ~4000 e7- e5p ~400 B g1- f3N ~300 W b8- c6n ~300 B";
    let out = tell(None, true, story);
    assert_eq!(out.told.join(" | "), "start | e4 | e4! | displaced c1,d3 | e5 | e5! | Nf3 | Nf3! | Nc6 | Nc6!");
    assert_eq!(out.displaced, "c1,d3");
    let back = tell(None, true, &format!("{story} d3- c1B ~300 f1- c4B ~300 W"));
    assert_eq!(
        back.told.join(" | "),
        "start | e4 | e4! | displaced c1,d3 | e5 | e5! | Nf3 | Nf3! | Nc6 | Nc6! | clear | Bc4 | Bc4!"
    );
    assert_eq!(back.displaced, "");
    assert_eq!(kept(&back), "e2e4 e7e5 g1f3 b8c6 f1c4");
}

#[test]
fn a_piece_knocked_over_while_play_goes_on() {
    // It lies beside its square; nobody sees anything for a while.
    check(
        "e2- e4P W ~400 h8- ~400 e7- e5p ~400 B g1- f3N ~300 W ~400 h8r ~300 b8- c6n B",
        "e4 | e4! | e5 | e5! | Nf3 | Nf3! | Nc6 | Nc6!",
    );
}

const ALL: [SensorKind; 3] = [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy];

fn on(sensing: SensorKind, fen: &str, story: &str) -> Story {
    tell_by(Settings { sensing, ..Settings::default() }, Some(fen), true, story)
}

/// The record, and the alerts that stand or were raised of a move that was set right since, with their squares.
fn found(story: &Story) -> (String, Vec<String>) {
    let record = story.table.record().expect("a game");
    let raised = story.events.iter().filter_map(|stamped| match &stamped.event {
        Event::AlertRaised(alert) => Some(alert),
        _ => None,
    });
    let told =
        raised.filter(|alert| alert.kind != AlertKind::MovesUncertain || record.alerts.iter().any(|one| one.id == alert.id));
    let one = |alert: &Alert| {
        let squares: Vec<String> = alert.squares.iter().map(ToString::to_string).collect();
        format!("{} {}", alert.kind.word(), squares.join(","))
    };
    (moves(record), told.map(one).collect())
}

/// White's king can take on b5; on d3 and d5 the rook attacks him.
const TAKES: &str = "3r2k1/6p1/8/1p1p4/2K5/8/6PP/8 w - - 0 1";
const STEPS: &str = "3r2k1/6p1/8/1p6/2K5/8/6PP/8 w - - 0 1";

#[test]
fn a_capture_that_nobody_saw_hides_no_move_that_is_not_legal() {
    // The king is in the hand for more than a second, and Kxb5 leaves no trace.
    for hold in [1_100, 1_500, 2_500] {
        let stepped = on(SensorKind::Occupancy, STEPS, &format!("c4- ~{hold} d3K ~400 W ~3500"));
        assert_eq!(found(&stepped), ("c4d3*".to_owned(), vec!["illegal_move c4,d3".to_owned()]), "{:?}", stepped.told);
        for takes in ["c4- ~H d5- d5K", "d5- c4- ~H d5K", "d5- ~200 c4- ~H d5K"] {
            let took = on(SensorKind::Occupancy, TAKES, &format!("{} ~400 W ~3500", takes.replace("~H", &format!("~{hold}"))));
            assert_eq!(found(&took), ("c4d5*".to_owned(), vec!["illegal_move c4,d5".to_owned()]), "{takes}: {:?}", took.told);
        }
    }
}

#[test]
fn where_a_capture_that_nobody_saw_may_be_one_that_is_not_legal_both_are_told() {
    // The king was in the hand for no longer than it takes to exchange two pieces: d5 may only have been brushed.
    for (story, made) in [("c4- ~100 d5- d5K", true), ("d5- c4- ~300 d5K", true), ("c4- ~500 d5- ~300 d5K", false)] {
        let told = on(SensorKind::Occupancy, TAKES, &format!("{story} ~400 W ~3500"));
        assert_eq!(found(&told), ("c4b5".to_owned(), vec!["moves_uncertain b5,d5".to_owned()]), "{story}: {:?}", told.told);
        let alert = &told.table.record().expect("a game").alerts[0];
        assert!(format!("{:?}", alert.text).contains("1.Kc4xd5"), "{alert:?}");
        let others = told.events.iter().rev().find_map(|stamped| match &stamped.event {
            Event::MoveMade { alternatives, .. } => {
                Some(alternatives.iter().map(|other| other.uci.as_str()).collect::<Vec<_>>())
            }
            _ => None,
        });
        assert_eq!(others.expect("a move").contains(&"c4d5"), made, "{story}");
    }
}

#[test]
fn boards_that_tell_colours_see_which_capture_it_was() {
    for sensing in [SensorKind::Identity, SensorKind::Colour] {
        for story in ["c4- ~100 d5- d5K", "d5- c4- ~1500 d5K"] {
            let told = on(sensing, TAKES, &format!("{story} ~400 W ~3500"));
            assert_eq!(found(&told), ("c4d5*".to_owned(), vec!["illegal_move c4,d5".to_owned()]), "{story}: {:?}", told.told);
        }
    }
}

#[test]
fn a_capture_that_nobody_saw_is_none_of_the_arbiters_business() {
    for (story, played) in [("c4- ~1500", "c4b5"), ("c4- ~1500 b4K", "c4b4"), ("c4- ~300 b5- b5K", "c4b5")] {
        let told = on(SensorKind::Occupancy, TAKES, &format!("{story} ~400 W ~3500"));
        assert_eq!(found(&told), (played.to_owned(), vec![]), "{story}: {:?}", told.told);
    }
}

/// Black's pawn has just made its double step beside White's.
const STEP: &str = "h3- h4P ~300 W ~800 d7- d5p ~300 B ~900";

#[test]
fn a_slip_in_taking_en_passant_is_a_move_that_is_not_legal() {
    let fen = "6k1/3p4/8/4Pp2/8/7P/6K1/8 w - - 0 1";
    // The pawn that was passed stays; another pawn goes; the pawn is put where it stood.
    let slips = [("e5- d6P", "e5d6*", "illegal_move e5,d6"), ("e5- d6P f5-", "e5d6*", "illegal_move e5,d6,f5")];
    let slips = slips
        .into_iter()
        .chain([("f5- e5- d6P", "e5d6*", "illegal_move e5,d6,f5"), ("d5- e5- d5P", "e5d5*", "illegal_move e5,d5")]);
    for (slip, uci, alert) in slips {
        for (wait, pace) in [(1_300, 300), (2_000, 2_000), (400, 400)] {
            // A piece on d5 while both kings have left their squares may tell a result, as far as colours go.
            for sensing in ALL.into_iter().filter(|&sensing| sensing != SensorKind::Colour || wait > 400 || uci != "e5d5*") {
                let story = format!("{STEP} {slip} ~200 W ~{wait} g8- g7k ~{pace} B ~{pace} g2- g3K ~{pace} W ~4000");
                let told = on(sensing, fen, &story);
                let record = format!("h3h4 d7d5 {uci} g8g7 g2g3");
                assert_eq!(found(&told), (record, vec![alert.to_owned()]), "{sensing:?}, {story}: {:?}", told.told);
            }
        }
    }
    // The pawn that was passed is taken off too late: it was.
    let told = on(SensorKind::Identity, fen, &format!("{STEP} e5- d6P f5- ~200 W ~1500 f5p ~300 d5- ~1500"));
    assert_eq!(moves(told.table.record().expect("a game")), "h3h4 d7d5 e5d6", "{:?}", told.told);
}

#[test]
fn moves_are_not_turned_round_to_fit_a_piece_out_of_place() {
    // What White did is no single move; Black's king went before White's.
    let fen = "6k1/3p4/8/4Pp2/8/7P/6K1/8 w - - 0 1";
    for pace in [60, 400, 1_000] {
        let story = format!("{STEP} f5- e5- e6P d5- ~200 W ~60 g8- g7k ~{pace} B ~{pace} g2- g3K ~{pace} W ~4000");
        let told = on(SensorKind::Identity, fen, &story);
        let (record, alerts) = found(&told);
        assert!(!record.contains("g2g3 g8g7"), "{:?}", told.told);
        assert!(!alerts.iter().any(|alert| alert.starts_with("press_without_move")), "{:?}", told.told);
    }
}

#[test]
fn a_pawn_that_becomes_a_piece_of_the_other_colour_is_a_move_that_is_not_legal() {
    let fen = "3r2k1/4P3/8/8/8/7P/6K1/8 w - - 0 1";
    let on_e8 = [("e7- e8q", "e7e8*", "illegal_move e7,e8"), ("e8n e7-", "e7e8*", "illegal_move e7,e8")];
    let on_d8 = [("d8- e7- d8q", "e7d8*", "illegal_move e7,d8")];
    for (sensing, slips) in [(SensorKind::Identity, &[on_e8[0], on_e8[1], on_d8[0]][..]), (SensorKind::Colour, &on_e8[..])] {
        for &(slip, uci, alert) in slips {
            for wait in [400, 1_300] {
                let story = format!("{slip} ~200 W ~{wait} g8- g7k ~300 B ~400 g2- g3K ~300 W ~4000");
                let told = on(sensing, fen, &story);
                assert_eq!(found(&told), (format!("{uci} g8g7 g2g3"), vec![alert.to_owned()]), "{story}: {:?}", told.told);
                let made = told.events.iter().find_map(|stamped| match &stamped.event {
                    Event::AlertRaised(alert) => Some(format!("{:?}", alert.text)),
                    _ => None,
                });
                assert!(made.expect("an alert").contains("promoted_colour"));
            }
        }
    }
    // It is exchanged before the press, and after it.
    let told = on(SensorKind::Identity, fen, "e7- e8q ~4000 e8- e8Q W ~1000");
    assert_eq!(found(&told), ("e7e8q".to_owned(), vec!["illegal_pending e7,e8".to_owned()]));
    let told = on(SensorKind::Identity, fen, "e7- e8q ~200 W ~1500 e8- e8Q ~1500");
    assert_eq!(found(&told), ("e7e8q".to_owned(), vec!["illegal_move e7,e8".to_owned()]));
}
