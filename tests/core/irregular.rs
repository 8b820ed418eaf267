//! Illegal moves and pieces out of place: how they are recorded, and that play goes on. Stories as in [`crate::games`]; an
//! illegal move is written in the long form, `Ke1-e3`.

use crate::core::games::{Story, check, check_from, check_no_clock, tell, tell_by};
use shakmaty::Color;
use touchmove::boards::SensorKind;
use touchmove::game::{Alert, AlertKind, Event, Record};
use touchmove::laws::Position;
use touchmove::table::{Settings, Table};
use touchmove::wire::{self, Word};

/// Ten plies on both wings that are legal whatever happened before.
const CONTINUATION: &str = "a7- a6p ~300 B a2- a3P ~300 W b7- b6p ~300 B b2- b3P ~300 W h7- h6p ~300 B h2- h3P ~300 W \
                  g7- g6p ~300 B g2- g3P ~300 W a6- a5p ~300 B a3- a4P ~300 W";
const CONTINUATION_PUBLISHED: &str =
    "a6 | a6! | a3 | a3! | b6 | b6! | b3 | b3! | h6 | h6! | h3 | h3! | g6 | g6! | g3 | g3! | a5 | a5! | a4 | a4!";

/// The recorded moves in UCI; `*` marks an illegal one.
fn recorded_moves(record: &Record) -> String {
    let text =
        |ply: &touchmove::game::record::Ply| format!("{}{}", ply.played.uci, if ply.played.irregular { "*" } else { "" });
    record.plies.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// Checks that the record is proved by its evidence and survives a restart; returns its moves.
fn check_record(story: &Story) -> String {
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
    recorded_moves(record)
}

#[test]
fn an_illegal_move_is_recorded_and_play_goes_on() {
    check(
        &format!("e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 {CONTINUATION}"),
        &format!("e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | {CONTINUATION_PUBLISHED}"),
    );
    let story = tell(None, true, &format!("e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 {CONTINUATION}"));
    assert_eq!(check_record(&story), "e2e4 e7e5 e1e3* a7a6 a2a3 b7b6 b2b3 h7h6 h2h3 g7g6 g2g3 a6a5 a3a4");
    let made = story.events.iter().find_map(|stamped| match &stamped.event {
        Event::MoveMade { played, .. } if played.irregular => Some(played.clone()),
        _ => None,
    });
    let made = made.expect("it is published");
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
fn a_capture_by_a_piece_that_could_not_capture() {
    let story = tell(None, true, "e2- e4P W e7- e5p B a1- a7R ~1200 W ~500 a8- a7r B");
    assert_eq!(check_record(&story), "e2e4 e7e5 a1a7* a8a7");
}

#[test]
fn without_a_clock_the_reply_completes_an_illegal_move() {
    check_no_clock(
        "e2- e4P ~400 e7- e5p ~400 e1- e3K ~2000 g8- f6n ~400 d2- d3P ~700",
        "e4 | e5 | e4r | Ke1-e3 | e5r | illegal_move e1,e3 | Nf6 | Ke1-e3r | d3 | Nf6r",
    );
    check_no_clock(
        "e2- e4P ~400 e7- e5p ~400 e1- e3K ~4000 e3- e2K ~400",
        "e4 | e5 | e4r | illegal_pending e1,e3 | clear | Ke2 | e5r",
    );
}

#[test]
fn an_illegal_move_corrected_before_the_press() {
    check("e2- e4P W e7- e5p B e1- e3K ~900 e3- e2K ~300 W", "e4 | e4! | e5 | e5! | Ke2 | Ke2!");
}

#[test]
fn an_illegal_move_corrected_after_the_press() {
    // The king goes straight to another square.
    check(
        "e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 e3- e2K ~300",
        "e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | <3 Ke2 takeback",
    );
    // It returns first; then another move is played.
    check(
        "e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 e3- e1K ~1200 B e1- e2K ~300 W",
        "e4 | e4! | e5 | e5! | Ke1-e3 | Ke1-e3! | illegal_move e1,e3 | <3  takeback | Ke2 | Ke2! | \
         illegal_move e1,e3 ok Ke2",
    );
}

#[test]
fn the_arbiter_restores_the_position() {
    // Three plies later, on the board.
    let story = "e2- e4P W e7- e5p B e1- e3K ~300 W ~1200 g8- f6n ~300 B g1- f3N ~300 W ~1000 stop \
                 f3- ~200 g1N ~200 f6- ~200 g8n ~200 e3- ~200 e1K ~1200 B e1- e2K ~300 W";
    let story = tell(None, true, story);
    assert_eq!(check_record(&story), "e2e4 e7e5 e1e2");
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
    assert_eq!(check_record(&story), "e1h1* f8f7");
}

#[test]
fn the_same_player_moves_twice() {
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
    let displaced = tell(None, true, story);
    assert_eq!(displaced.told.join(" | "), "start | e4 | e4! | displaced c1,d3 | e5 | e5! | Nf3 | Nf3! | Nc6 | Nc6!");
    assert_eq!(displaced.displaced, "c1,d3");
    let returned = tell(None, true, &format!("{story} d3- c1B ~300 f1- c4B ~300 W"));
    assert_eq!(
        returned.told.join(" | "),
        "start | e4 | e4! | displaced c1,d3 | e5 | e5! | Nf3 | Nf3! | Nc6 | Nc6! | clear | Bc4 | Bc4!"
    );
    assert_eq!(returned.displaced, "");
    assert_eq!(check_record(&returned), "e2e4 e7e5 g1f3 b8c6 f1c4");
}

#[test]
fn a_piece_knocked_over_while_play_goes_on() {
    // It lies beside its square, and its square shows nothing for a while.
    check(
        "e2- e4P W ~400 h8- ~400 e7- e5p ~400 B g1- f3N ~300 W ~400 h8r ~300 b8- c6n B",
        "e4 | e4! | e5 | e5! | Nf3 | Nf3! | Nc6 | Nc6!",
    );
}

const ALL_SENSORS: [SensorKind; 3] = [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy];

fn play_on(sensing: SensorKind, fen: &str, story: &str) -> Story {
    tell_by(Settings { sensing, ..Settings::default() }, Some(fen), true, story)
}

/// The recorded moves, and the alerts with their squares: all raised ones, but `moves_uncertain` only while it is active.
fn moves_and_alerts(story: &Story) -> (String, Vec<String>) {
    let record = story.table.record().expect("a game");
    let raised = story.events.iter().filter_map(|stamped| match &stamped.event {
        Event::AlertRaised(alert) => Some(alert),
        _ => None,
    });
    let alerts = raised
        .filter(|alert| alert.kind != AlertKind::MovesUncertain || record.alerts.iter().any(|active| active.id == alert.id));
    let text = |alert: &Alert| {
        let squares: Vec<String> = alert.squares.iter().map(ToString::to_string).collect();
        format!("{} {}", alert.kind.word(), squares.join(","))
    };
    (recorded_moves(record), alerts.map(|alert| text(alert)).collect())
}

/// White's king can capture on b5; on d3 and d5 it would be attacked by the rook.
const CAPTURE: &str = "3r2k1/6p1/8/1p1p4/2K5/8/6PP/8 w - - 0 1";
const STEP_ASIDE: &str = "3r2k1/6p1/8/1p6/2K5/8/6PP/8 w - - 0 1";

#[test]
fn an_unseen_capture_does_not_hide_an_illegal_move() {
    // The king is in the hand for more than a second, and Kxb5 leaves no trace.
    for hold in [1_100, 1_500, 2_500] {
        let stepped = play_on(SensorKind::Occupancy, STEP_ASIDE, &format!("c4- ~{hold} d3K ~400 W ~3500"));
        assert_eq!(
            moves_and_alerts(&stepped),
            ("c4d3*".to_owned(), vec!["illegal_move c4,d3".to_owned()]),
            "{:?}",
            stepped.told
        );
        for captures in ["c4- ~H d5- d5K", "d5- c4- ~H d5K", "d5- ~200 c4- ~H d5K"] {
            let captured = play_on(
                SensorKind::Occupancy,
                CAPTURE,
                &format!("{} ~400 W ~3500", captures.replace("~H", &format!("~{hold}"))),
            );
            assert_eq!(
                moves_and_alerts(&captured),
                ("c4d5*".to_owned(), vec!["illegal_move c4,d5".to_owned()]),
                "{captures}: {:?}",
                captured.told
            );
        }
    }
}

#[test]
fn an_alert_names_both_captures_where_one_may_be_illegal() {
    // The king was in the hand for no longer than it takes to exchange two pieces: d5 may only have been brushed.
    for (story, is_alternative) in [("c4- ~100 d5- d5K", true), ("d5- c4- ~300 d5K", true), ("c4- ~500 d5- ~300 d5K", false)] {
        let outcome = play_on(SensorKind::Occupancy, CAPTURE, &format!("{story} ~400 W ~5500"));
        assert_eq!(
            moves_and_alerts(&outcome),
            ("c4b5".to_owned(), vec!["moves_uncertain b5,d5".to_owned()]),
            "{story}: {:?}",
            outcome.told
        );
        let alert = &outcome.table.record().expect("a game").alerts[0];
        assert!(format!("{:?}", alert.text).contains("1.Kc4xd5"), "{alert:?}");
        let others = outcome.events.iter().rev().find_map(|stamped| match &stamped.event {
            Event::MoveMade { alternatives, .. } => {
                Some(alternatives.iter().map(|other| other.uci.as_str()).collect::<Vec<_>>())
            }
            _ => None,
        });
        assert_eq!(others.expect("a move").contains(&"c4d5"), is_alternative, "{story}");
    }
}

#[test]
fn boards_that_sense_colours_see_which_capture_it_was() {
    for sensing in [SensorKind::Identity, SensorKind::Colour] {
        for story in ["c4- ~100 d5- d5K", "d5- c4- ~1500 d5K"] {
            let outcome = play_on(sensing, CAPTURE, &format!("{story} ~400 W ~3500"));
            assert_eq!(
                moves_and_alerts(&outcome),
                ("c4d5*".to_owned(), vec!["illegal_move c4,d5".to_owned()]),
                "{story}: {:?}",
                outcome.told
            );
        }
    }
}

#[test]
fn an_unseen_legal_capture_raises_no_alert() {
    for (story, played) in [("c4- ~1500", "c4b5"), ("c4- ~1500 b4K", "c4b4"), ("c4- ~300 b5- b5K", "c4b5")] {
        let outcome = play_on(SensorKind::Occupancy, CAPTURE, &format!("{story} ~400 W ~3500"));
        assert_eq!(moves_and_alerts(&outcome), (played.to_owned(), vec![]), "{story}: {:?}", outcome.told);
    }
}

/// Black's pawn has just made its double step beside White's.
const DOUBLE_STEP: &str = "h3- h4P ~300 W ~800 d7- d5p ~300 B ~900";

#[test]
fn a_slip_in_an_en_passant_capture_is_an_illegal_move() {
    let fen = "6k1/3p4/8/4Pp2/8/7P/6K1/8 w - - 0 1";
    // The passed pawn stays; another pawn is removed; the capturing pawn ends on the square of the passed pawn.
    let slips = [("e5- d6P", "e5d6*", "illegal_move e5,d6"), ("e5- d6P f5-", "e5d6*", "illegal_move e5,d6,f5")];
    let slips = slips
        .into_iter()
        .chain([("f5- e5- d6P", "e5d6*", "illegal_move e5,d6,f5"), ("d5- e5- d5P", "e5d5*", "illegal_move e5,d5")]);
    for (slip, uci, alert) in slips {
        for (wait, pace) in [(1_300, 300), (2_000, 2_000), (400, 400)] {
            // With colours only, a piece on d5 while both kings have left their squares may be a signalled result.
            for sensing in
                ALL_SENSORS.into_iter().filter(|&sensing| sensing != SensorKind::Colour || wait > 400 || uci != "e5d5*")
            {
                let story = format!("{DOUBLE_STEP} {slip} ~200 W ~{wait} g8- g7k ~{pace} B ~{pace} g2- g3K ~{pace} W ~4000");
                let outcome = play_on(sensing, fen, &story);
                let record = format!("h3h4 d7d5 {uci} g8g7 g2g3");
                assert_eq!(
                    moves_and_alerts(&outcome),
                    (record, vec![alert.to_owned()]),
                    "{sensing:?}, {story}: {:?}",
                    outcome.told
                );
            }
        }
    }
    // The passed pawn is removed too late, but it is removed.
    let outcome = play_on(SensorKind::Identity, fen, &format!("{DOUBLE_STEP} e5- d6P f5- ~200 W ~1500 f5p ~300 d5- ~1500"));
    assert_eq!(recorded_moves(outcome.table.record().expect("a game")), "h3h4 d7d5 e5d6", "{:?}", outcome.told);
}

#[test]
fn the_order_of_moves_is_not_reversed_to_explain_a_piece_out_of_place() {
    // White's changes are not a single move; Black's king moved before White's.
    let fen = "6k1/3p4/8/4Pp2/8/7P/6K1/8 w - - 0 1";
    for pace in [60, 400, 1_000] {
        let story = format!("{DOUBLE_STEP} f5- e5- e6P d5- ~200 W ~60 g8- g7k ~{pace} B ~{pace} g2- g3K ~{pace} W ~4000");
        let outcome = play_on(SensorKind::Identity, fen, &story);
        let (record, alerts) = moves_and_alerts(&outcome);
        assert!(!record.contains("g2g3 g8g7"), "{:?}", outcome.told);
        assert!(!alerts.iter().any(|alert| alert.starts_with("press_without_move")), "{:?}", outcome.told);
    }
}

#[test]
fn a_promotion_to_a_piece_of_the_other_colour_is_illegal() {
    let fen = "3r2k1/4P3/8/8/8/7P/6K1/8 w - - 0 1";
    let on_e8 = [("e7- e8q", "e7e8*", "illegal_move e7,e8"), ("e8n e7-", "e7e8*", "illegal_move e7,e8")];
    let on_d8 = [("d8- e7- d8q", "e7d8*", "illegal_move e7,d8")];
    for (sensing, slips) in [(SensorKind::Identity, &[on_e8[0], on_e8[1], on_d8[0]][..]), (SensorKind::Colour, &on_e8[..])] {
        for &(slip, uci, alert) in slips {
            for wait in [400, 1_300] {
                let story = format!("{slip} ~200 W ~{wait} g8- g7k ~300 B ~400 g2- g3K ~300 W ~4000");
                let outcome = play_on(sensing, fen, &story);
                assert_eq!(
                    moves_and_alerts(&outcome),
                    (format!("{uci} g8g7 g2g3"), vec![alert.to_owned()]),
                    "{story}: {:?}",
                    outcome.told
                );
                let made = outcome.events.iter().find_map(|stamped| match &stamped.event {
                    Event::AlertRaised(alert) => Some(format!("{:?}", alert.text)),
                    _ => None,
                });
                assert!(made.expect("an alert").contains("promoted_colour"));
            }
        }
    }
    // It is exchanged before the press, and after it.
    let outcome = play_on(SensorKind::Identity, fen, "e7- e8q ~4000 e8- e8Q W ~1000");
    assert_eq!(moves_and_alerts(&outcome), ("e7e8q".to_owned(), vec!["illegal_pending e7,e8".to_owned()]));
    let outcome = play_on(SensorKind::Identity, fen, "e7- e8q ~200 W ~1500 e8- e8Q ~1500");
    assert_eq!(moves_and_alerts(&outcome), ("e7e8q".to_owned(), vec!["illegal_move e7,e8".to_owned()]));
}

#[test]
fn a_press_that_is_reported_late_is_no_press_without_a_move() {
    let fen = "6k1/8/8/8/8/8/3P4/6K1 w - - 0 1";
    let moves = |press: &str| format!("d2- ~200 d3P ~200 W ~900 g8- ~200 g7k {press} ~300 g1- ~200 g2K ~300 W ~900 B ~6000");
    // Black's first press is the last thing that is seen.
    let late = play_on(SensorKind::Occupancy, fen, &moves(""));
    assert_eq!(moves_and_alerts(&late), ("d2d3 g8g7 g1g2".to_owned(), Vec::new()), "{:?}", late.told);
    let idle = play_on(SensorKind::Occupancy, fen, &moves("~300 B"));
    let alerts = vec!["press_without_move ".to_owned()];
    assert_eq!(moves_and_alerts(&idle), ("d2d3 g8g7 g1g2".to_owned(), alerts), "{:?}", idle.told);
}

#[test]
fn a_recapture_is_no_late_release() {
    // Nothing is seen of the capture on d5 but that the pawn leaves; then the square is emptied and the queen comes there.
    let outcome = play_on(
        SensorKind::Occupancy,
        "3q2k1/8/8/3p4/4P3/8/8/6K1 w - - 0 1",
        "e4- ~600 W ~900 d5- ~200 d8- ~300 d5q ~300 B ~4000",
    );
    assert_eq!(moves_and_alerts(&outcome), ("e4d5 d8d5".to_owned(), Vec::new()), "{:?}", outcome.told);
}

#[test]
fn pieces_that_are_put_away_after_an_unclear_signal_raise_nothing() {
    // A king replaces the pawn on e4, which the board does not show; later the pieces are put away.
    let fen = "6k1/5ppp/8/8/4p3/8/5PPP/6K1 w - - 0 1";
    let story = "g1- ~300 h1K ~300 W ~3000 h1- ~300 g8- ~300 d5K ~12000 f2- ~300 g2- ~300 h2- ~300 f7- ~300 g7- ~4000";
    let outcome = play_on(SensorKind::Occupancy, fen, story);
    assert_eq!(moves_and_alerts(&outcome), ("g1h1".to_owned(), vec!["result_signalled d5".to_owned()]), "{:?}", outcome.told);
}
