//! What the Laws do not allow, and pieces out of place: what of it is put on record, and that play goes on. Stories as in
//! [`crate::games`]; a move that was not legal is told in the long form, `Ke1-e3`.

use crate::games::{Story, check, check_from, check_no_clock, tell};
use shakmaty::Color;
use touchmove::game::{Event, Record};
use touchmove::laws::Position;
use touchmove::table::{Settings, Table};
use touchmove::wire;

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
