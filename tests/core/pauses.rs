//! Changes on the board that are not play, or not published yet: stories as in `games`, with a clock.

use crate::core::games::told_by;
use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{Placement, Reading, SensorKind, SquareState};
use touchmove::game::{Command, Order, StampedEvent};
use touchmove::laws::Position;
use touchmove::table::{Input, Publish, Settings, Table};

const ALL_SENSORS: [SensorKind; 3] = [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy];
const PAWN: &str = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";

fn settings_for(sensing: SensorKind) -> Settings {
    Settings { sensing, ..Settings::default() }
}

/// Plays a story from the start position on boards of all kinds, with the same result.
fn check(story: &str, expect: &str) {
    for sensing in ALL_SENSORS {
        let outcome = told_by(settings_for(sensing), None, true, story);
        assert_eq!(
            outcome,
            if expect.is_empty() { "start".to_owned() } else { format!("start | {expect}") },
            "{sensing:?}: {story}"
        );
    }
}

fn check_from(settings: Settings, fen: &str, story: &str, expect: &str) {
    let outcome = told_by(settings, Some(fen), true, story);
    assert_eq!(outcome.trim_start_matches("start fen").trim_start_matches(" | "), expect, "story: {story}");
}

#[test]
fn a_promotion_is_corrected_and_the_moves_after_it_stay() {
    let occupancy = || settings_for(SensorKind::Occupancy);
    check_from(
        occupancy(),
        PAWN,
        "a7- a8Q W ~300 promotion=N e8- d7k ~300 B",
        "a8=Q+ | a8=Q+! | <1 a8=N arbiter | a8=N! | dead_position | Kd7 | Kd7!",
    );
    check_from(
        occupancy(),
        PAWN,
        "a7- a8Q W ~300 e8- d7k ~300 B promotion=N1 ~300 a8- b6N ~300 W",
        "a8=Q+ | a8=Q+! | Kd7 | Kd7! | <1 a8=N Kd7 arbiter | a8=N! | Kd7! | dead_position | Nb6+ | Nb6+!",
    );
}

/// The piece that the players choose on the board's own buttons counts where the squares do not show it.
#[test]
fn a_promotion_piece_is_chosen_on_the_board() {
    let story = |sensing, story: &str| {
        let outcome = told_by(settings_for(sensing), Some(PAWN), true, story);
        eprintln!("{story}: {outcome}");
        outcome
    };
    let occupancy = SensorKind::Occupancy;
    assert!(story(occupancy, "a7- a8Q W ~300 chosen=N ~300").contains("a8=Q+! | <1 a8=N evidence"));
    for (letter, san) in [('R', "a8=R+"), ('B', "a8=B")] {
        let outcome = story(occupancy, &format!("a7- a8Q W ~300 chosen={letter} ~300"));
        assert!(outcome.contains(&format!("<1 {san} evidence")), "{outcome}");
    }
    // Before the squares show it.
    let outcome = story(occupancy, "a7- chosen=N a8Q W ~300");
    assert!(outcome.contains("a8=N") && !outcome.contains("a8=Q"), "{outcome}");
    // A queen is assumed anyway.
    let queen = story(occupancy, "a7- a8Q W ~300");
    assert_eq!(story(occupancy, "a7- a8Q W ~300 chosen=Q"), queen);
    // The second is for another promotion, although the first was less than a minute ago.
    let both = "8/P3k3/8/8/8/8/4K2p/8 w - - 0 1";
    let words = "a7- a8Q W ~300 chosen=N ~300 h2- chosen=R h1r B ~300";
    let outcome = told_by(settings_for(occupancy), Some(both), true, words);
    assert!(outcome.contains("<1 a8=N evidence") && outcome.contains("h1=R"), "{outcome}");
    assert!(!outcome.contains("a8=R") && !outcome.contains("h1=Q"), "{outcome}");
    // Later play, the arbiter and squares that identify pieces count more.
    let outcome = story(occupancy, "a7- a8Q W ~300 chosen=N e8- d7k ~300 B a8- h8Q ~300 W ~2000");
    assert!(outcome.contains("<1 a8=N evidence") && outcome.contains("Qh8"), "{outcome}");
    let outcome = story(occupancy, "a7- a8Q W ~300 promotion=R ~300 chosen=N ~300");
    assert!(outcome.contains("<1 a8=R+ arbiter") && !outcome.contains("a8=N"), "{outcome}");
    let shown = story(SensorKind::Identity, "a7- a8Q W ~300");
    assert_eq!(story(SensorKind::Identity, "a7- a8Q W ~300 chosen=N"), shown);
    // It is not known for what it was chosen.
    assert!(!story(occupancy, "a7- a8Q W ~70000 chosen=N ~300").contains("a8=N"));
    assert!(!story(occupancy, "chosen=N ~3000 a7- a8Q W ~300").contains("a8=N"));
}

#[test]
fn an_impossible_promotion_is_refused() {
    let refusal = "refused: with a promotion to a knight, Qh8 at ply 3 would be illegal: take it back first";
    let played = "a8=Q+ | a8=Q+! | Kd7 | Kd7! | Qh8 | Qh8!";
    let story = "a7- a8Q W ~300 e8- d7k ~300 B a8- h8Q ~300 W ~2000";
    check_from(settings_for(SensorKind::Occupancy), PAWN, &format!("{story} promotion=N"), &format!("{played} | {refusal}"));
    let not_a_promotion = |reason| {
        format!("refused: {reason}; `touchmovectl game` shows the moves, and a pawn becomes a queen, rook, bishop or knight")
    };
    check_from(
        settings_for(SensorKind::Occupancy),
        PAWN,
        &format!("{story} promotion=N2"),
        &format!("{played} | {}", not_a_promotion("ply 2 is not a promotion")),
    );
    check_from(
        settings_for(SensorKind::Occupancy),
        PAWN,
        &format!("{story} promotion=P"),
        &format!("{played} | {}", not_a_promotion("no promotion is on record")),
    );
    let refusal =
        "refused: the board shows a queen on a8: put the right piece there, and the record is corrected automatically";
    check_from(
        settings_for(SensorKind::Identity),
        PAWN,
        "a7- a8Q W ~300 promotion=N a8- a8N ~1500",
        // The queen had touched the square: the choice was final (Article 4.4.4).
        &format!("a8=Q+ | a8=Q+! | {refusal} | <1 a8=N evidence | promotion_changed a8,a7 | dead_position"),
    );
}

#[test]
fn an_adjusted_piece_is_no_move() {
    check("adjust=W e2- e3P ~2000 e3- e2P ~400 e2- e4P W", "e4 | e4!");
    // A press of the clock makes it a move.
    check("adjust=W e2- e3P W ~600", "e3 | e3!");
    // The adjustment ends after a time.
    check("adjust=W ~500 e2- e3P ~31000", "e3");
    // The player's next move follows at once; it counts when the opponent replies.
    for sensing in ALL_SENSORS {
        let outcome = told_by(settings_for(sensing), None, false, "adjust=W d2- ~900 d2P e2- e4P ~3000 e7- e5p ~400");
        assert_eq!(outcome, "start | e4 | e5 | e4r", "{sensing:?}");
        let outcome = told_by(settings_for(sensing), None, false, "e2- e4P ~400 adjust=W d2- ~900 d2P e7- e5p ~400");
        assert_eq!(outcome, "start | e4 | e5 | e4r", "{sensing:?}");
    }
    check("result=1-0 adjust=W", "=1-0 arbiter | refused: the game is over: withdraw its result first");
}

#[test]
fn with_the_clock_stopped_moves_are_analysis_until_a_command() {
    let played = "e4 | e4! | e5 | e5!";
    let analysis = "e2- e4P W e7- e5p B stop ~3000 g1- f3N ~500 b8- c6n ~2000";
    check(analysis, &format!("{played} | result_wanted"));
    check(&format!("{analysis} result=1-0 ~500"), &format!("{played} | result_wanted | =1-0 arbiter | clear"));
    check(&format!("{analysis} result=* ~500"), &format!("{played} | result_wanted | =* arbiter | clear | Nf3 | Nc6"));
    // One side moves twice; several plies are taken back at once.
    check("e2- e4P W e7- e5p B stop ~3000 g1- f3N ~1200 b1- c3N ~1200", &format!("{played} | result_wanted"));
    check("e2- e4P W e7- e5p B stop ~3000 e5- e7p ~1200 e4- e2P ~1200", &format!("{played} | result_wanted"));
    // The clock runs again, on the last position or a move away from it.
    let first_back = "b8n c6- ~500";
    check(
        &format!("{analysis} {first_back} f3- g1N ~500 B ~2000 b1- c3N W"),
        &format!("{played} | result_wanted | clear | Nc3 | Nc3!"),
    );
    check(&format!("{analysis} {first_back} B ~2000"), &format!("{played} | result_wanted | clear | Nf3"));
}

#[test]
fn a_pause_changes_nothing() {
    let story = "e2- e4P W e7- e5p B stop ~3000 g1- ~2000 g1N f1- ~600 f1B ~4000 B ~400 g1- f3N W";
    check(story, "e4 | e4! | e5 | e5! | Nf3 | Nf3!");
    check("e2- e4P W e7- e5p B stop ~3000 g1- f3N ~3000", "e4 | e4! | e5 | e5!");
    check("e2- e4P W e7- e5p B stop ~3000 g1- f3N ~3000 B ~400", "e4 | e4! | e5 | e5! | Nf3");
}

#[test]
fn the_last_move_before_the_clock_is_stopped_is_recorded() {
    check("e2- e4P W e7- e5p stop ~2000", "e4 | e4! | e5");
    check("e2- e4P W e7- stop e6p ~2000 d2- d4P ~2000", "e4 | e4! | e6");
    // A flag is down, but the players go on.
    check("e2- e4P W e7- e5p B flag ~2000 g1- f3N ~2000", "e4 | e4! | e5 | e5! | flag_fall | Nf3");
}

#[test]
fn moves_taken_back_by_command_may_stay_on_the_board_for_a_while() {
    let played = "e4 | e4! | e5 | e5!";
    // The last one first: the positions in between are no moves.
    let story = "e2- e4P W e7- e5p B takeback=2 e5- e7p ~500 e4- e2P ~500 d2- d4P W";
    check(story, &format!("{played} | <1  arbiter | d4 | d4!"));
    check("e2- e4P W e7- e5p B takeback=1 ~500 e5- ~4000 e7p ~2000 d7- d5p B", &format!("{played} | <2  arbiter | d5"));
    // The players take the move back before the arbiter's command.
    check("e2- e4P W e7- e5p B e5- e7p ~500 takeback=1 ~2000 d7- d5p B", &format!("{played} | <2  arbiter | d5"));
    // A mating move is taken back: the game continues.
    let story = "f2- f3P W e7- e5p B g2- g4P W d8- h4q ~1500 takeback=1 ~300 h4- d8q ~300 d8- g5q B ~400";
    let mate = "f3 | f3! | e5 | e5! | g4 | g4! | Qh4# | Qh4## | =0-1 mate";
    check(story, &format!("{mate} | <4  arbiter | =* mate | Qg5 | Qg5!"));
}

#[test]
fn lifted_pieces_are_reported_as_displaced_after_a_time() {
    let story = "e2- e4P W e7- e5p B g1- ~500 g2- ~33000 g2P g1N ~100";
    check(story, "e4 | e4! | e5 | e5! | displaced g1,g2 | clear");
}

#[test]
fn a_king_on_the_square_of_a_piece_signals_a_result() {
    let fen = "4k3/8/8/3p4/8/8/PPP5/4K3 w - - 0 1";
    for sensing in [SensorKind::Colour, SensorKind::Occupancy] {
        // The pawn on d5 makes room for a king between two readings.
        let expected = "a3 | a3! | result_signalled e4";
        check_from(settings_for(sensing), fen, "a2- a3P W e1- e8- e4K ~11000", expected);
        check_from(settings_for(sensing), fen, "a2- a3P W ~500 stop ~2000 e1- e8- e4K ~3500", expected);
        // The other king follows later.
        let expected = "a3 | a3! | result_signalled e4 | clear | =1/2-1/2 kings";
        check_from(settings_for(sensing), fen, "a2- a3P W ~500 stop ~2000 e1- e8- e4K ~3500 e5k ~1500", expected);
        check_from(
            settings_for(sensing),
            fen,
            "a2- a3P W e1- e8- e4K ~11000 e4- e1K e8k ~400",
            "a3 | a3! | result_signalled e4 | clear",
        );
    }
}

#[test]
fn sure_moves_are_published_later() {
    let fen = "4k3/3p1p2/2p5/4N3/8/8/7P/4K3 w - - 0 1";
    // The knight may have captured one of three pawns, and no capture was seen.
    let capture = "e5- ~900 e8- e7k ~1500";
    for (publish, story, expect) in [
        (Publish::Prompt, "", ""),
        (Publish::Prompt, "~4000", "Nxf7 | Ke7"),
        (Publish::Sure, "", ""),
        (Publish::Prompt, "~4000 W ~300 B ~300", "Nxf7 | Ke7 | Nxf7! | Ke7!"),
        (Publish::Sure, "W ~300", "Nxf7 | Nxf7! | Ke7"),
        (Publish::Sure, "W ~300 B ~300", "Nxf7 | Nxf7! | Ke7 | Ke7!"),
        (Publish::Sure, "h2- h4P ~500", "Nxf7 | Ke7 | h4 | Nxf7+"),
        (Publish::Sure, "result=1-0", "Nxf7 | Ke7 | =1-0 arbiter"),
    ] {
        let settings = Settings { publish, ..settings_for(SensorKind::Occupancy) };
        check_from(settings, fen, &format!("{capture} {story}"), expect);
    }
    let settings = Settings { publish: Publish::Sure, ..settings_for(SensorKind::Occupancy) };
    check_from(settings, fen, "h2- h3P ~500 e8- e7k ~500", "h3 | Ke7");
}

#[test]
fn a_given_position_of_chess960_survives_a_restart() {
    let settings = Settings { chess960: true, ..Settings::default() };
    let castle = |table: &mut Table, squares: &[(Square, Option<Piece>)]| {
        for &(square, piece) in squares {
            let reading = Reading::Square(square, piece.map_or(SquareState::Empty, SquareState::Piece));
            table.handle(1_000, Input::Reading(reading));
        }
        table.advance(4_000);
        table.record().and_then(|record| record.plies.last()).map(|ply| ply.played.uci.clone())
    };
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let mut placement: Placement = [SquareState::Empty; 64];
    for (square, piece) in Position::from_fen(fen, true).expect("a FEN").board().iter() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    let board_reading = || Input::Reading(Reading::Placement(Box::new(placement)));
    let mut table = Table::new(settings.clone());
    table.handle(0, board_reading());
    let order = Order { command: Command::Position { fen: fen.to_owned() }, by: "the arbiter".to_owned() };
    let events = table.handle(0, Input::Order(order)).events;
    let durable: Vec<StampedEvent> = events.into_iter().filter(|stamped| stamped.number.is_some()).collect();
    let mut restored = Table::restore(settings, &durable);
    restored.handle(10, board_reading());
    let (king, rook) = (Role::King.of(Color::White), Role::Rook.of(Color::White));
    let castling = [(Square::E1, None), (Square::G1, Some(king)), (Square::H1, None), (Square::F1, Some(rook))];
    assert_eq!(castle(&mut table, &castling).as_deref(), Some("e1h1"));
    assert_eq!(castle(&mut restored, &castling).as_deref(), Some("e1h1"));
}
