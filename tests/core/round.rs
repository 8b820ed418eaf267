//! Pairings: the files that organisers have, and the errors in them.

mod exports;
mod files;
mod results;
mod sentences;

use crate::harness::hall::Hall;
use crate::harness::organiser::Organiser as _;
use crate::harness::{Daemon, until};
use std::collections::BTreeMap;
use touchmove::desk::{DeskAct, Seat, seats_from_round};
use touchmove::game::words::Word;
use touchmove::game::{Command, GameResult};
use touchmove::publish::client::Client;
use touchmove::round::trf::TableOrder;
use touchmove::round::{BadRound, PairingResult, Round};

fn read(text: &str, number: Option<u16>) -> Result<Round, BadRound> {
    Round::read(text, number, &TableOrder::Unknown)
}

/// Describes each table in one line.
fn words(round: &Round) -> Vec<String> {
    let player = |player: &touchmove::round::Player| {
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        let more =
            [&player.title, &number(player.rating.map(u32::from)), &number(player.fide_id), &player.federation, &player.team];
        let more: Vec<&str> = more.into_iter().flatten().map(String::as_str).collect();
        format!("{} ({})", player.name, more.join(" "))
    };
    let table = |pairing: &touchmove::round::Pairing| {
        let forfeit = pairing.forfeit().map_or("", Word::word);
        let board = pairing.board.as_deref().or(pairing.serial.as_deref()).unwrap_or_default();
        format!("{} {} - {} {board} {forfeit}", pairing.table, player(&pairing.white), player(&pairing.black))
            .trim_end()
            .to_owned()
    };
    round.pairings.iter().map(table).collect()
}

fn refused(text: &str, number: Option<u16>, order: &TableOrder, expected_parts: &[&str]) {
    let error = Round::read(text, number, order).unwrap_err().to_string();
    expected_parts.iter().for_each(|part| assert!(error.contains(part), "{error:?} lacks {part:?}"));
}

const PGN: &str = r#"[Event "City Open"]
[Site "Delft"]
[Date "2026.11.21"]
[Round "3.2"]
[White "Ada, A"]
[Black "Bob, B"]
[Result "*"]
[WhiteElo "2400"]
[BlackTitle "FM"]
[TimeControl "5400+30"]

*

[Event "City Open"]
[Site "?"]
[Date "2026.11.21"]
[Round "3.1"]
[White "Cid, C"]
[Black "Dee, D"]
[Result "1-0"]
[Termination "unplayed"]
[WhiteFideId "1503014"]
[BlackTeam "Rooks"]

1-0
"#;

#[test]
fn a_pgn_with_tags_is_a_round() {
    let round = read(PGN, None).unwrap();
    assert_eq!(words(&round), ["2 Ada, A (2400) - Bob, B (FM)", "1 Cid, C (1503014) - Dee, D (Rooks)  +--"]);
    assert_eq!((round.number, round.event.as_deref(), round.site.as_deref()), (3, Some("City Open"), Some("Delft")));
    let tags = round.tags(round.table(2).unwrap());
    let tag = |name: &str| tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!(
        (tag("Round"), tag("White"), tag("BlackTitle"), tag("WhiteElo")),
        (Some("3.2"), Some("Ada, A"), Some("FM"), Some("2400"))
    );
    assert_eq!((tag("TimeControl"), tag("Black"), tag("BlackElo")), (Some("5400+30"), Some("Bob, B"), None));
}

#[test]
fn a_file_of_several_rounds_needs_a_round_number() {
    let both = format!("{PGN}\n{}", PGN.replace("\"3.", "\"4."));
    refused(&both, None, &TableOrder::Unknown, &["rounds 3, 4", "--round N"]);
    assert_eq!(read(&both, Some(4)).unwrap().number, 4);
}

const CSV: &str = "Table;White;Black;White rating;black_fide_id;board;result\n\
    1;\"Ada, A\";\"Bob, B\";2400;;hall_7;\n\
    2;Cid;Dee;;1503014;;--+\n";

#[test]
fn a_csv_file_is_a_round() {
    let round = read(CSV, Some(5)).unwrap();
    assert_eq!(words(&round), ["1 Ada, A (2400) - Bob, B () hall_7", "2 Cid () - Dee (1503014)  --+"]);
    let commas = CSV.replace(';', ",");
    assert_eq!(read(&commas, Some(5)).unwrap(), round);
}

#[test]
fn a_table_may_belong_to_a_section() {
    let round = read("table,white,black,section\n1,Ada,Bob,Open\n2,Cid,Dee,\n", Some(1)).unwrap();
    let sections: Vec<Option<&str>> = round.pairings.iter().map(|pairing| pairing.section.as_deref()).collect();
    assert_eq!(sections, [Some("Open"), None]);
    let stored = serde_json::to_string(&round).unwrap();
    assert_eq!(serde_json::from_str::<Round>(&stored).unwrap(), round);
    let long = format!("table,white,black,section\n1,Ada,Bob,{}\n", "x".repeat(256));
    refused(&long, Some(1), &TableOrder::Unknown, &["the section of table 1 must be a single line"]);
}

#[test]
fn all_errors_of_a_csv_file_are_reported() {
    refused(CSV, None, &TableOrder::Unknown, &["no number: give --round N"]);
    let wrong = "table,white,black,elo,result\n1,Ada,Bob,2400,\n1,Ada,,2300,won\nx,Cid,Dee,,\n";
    refused(
        wrong,
        Some(1),
        &TableOrder::Unknown,
        &[
            "line 3: result \"won\": \"won\" is not a result",
            "line 4: table \"x\": this must be a number",
            "line 4: Cid - Dee has no table",
        ],
    );
    let twice = "table,white,black,board\n1,Ada,Bob,b1\n1,Ada,,b1\n";
    let expected_parts =
        ["table 1 is listed twice", "Ada plays at table 1 and at table 1", "has no name", "board b1 is at table 1"];
    refused(twice, Some(1), &TableOrder::Unknown, &expected_parts);
    refused(
        "table,white,black\n1,Ada\n",
        Some(1),
        &TableOrder::Unknown,
        &["line 2: 2 values, but the line of the column names has 3 names"],
    );
}

/// Four players and two rounds; the second round is paired but not played.
fn trf() -> String {
    let line = |start: u32, title: &str, name: &str, rating: u32, id: u32, games: &str| {
        format!("001 {start:>4} m{title:>3} {name:<33} {rating:>4} NED {id:>11} 2000/01/01  0.0    1  {games}\n")
    };
    [
        "012 City Open\n022 Delft\n042 2026/11/20\n122 90 min + 30 s\n".to_owned(),
        format!("132 {:87}26/11/20  26/11/21\n", ""),
        line(1, "GM", "Ada, A", 2500, 1001, "   3 w 1     2 b  "),
        line(2, "", "Bob, B", 2300, 1002, "   4 b 0     1 w  "),
        line(3, "WFM", "Cid, C", 2200, 1003, "   1 b 0     4 w  "),
        line(4, "", "Dee, D", 2100, 0, "   2 w 1     3 b  "),
        format!("013 {:<32}{:>4} {:>4}\n", "Rooks", 1, 2),
    ]
    .concat()
}

#[test]
fn a_tournament_report_is_a_round_once_its_tables_are_known() {
    let text = trf();
    refused(&text, None, &TableOrder::Unknown, &["no table numbers: give --order rank"]);
    let round = Round::read(&text, None, &TableOrder::Rank).unwrap();
    assert_eq!(
        words(&round),
        [
            "1 Bob, B (2300 1002 NED Rooks) - Ada, A (GM 2500 1001 NED Rooks)",
            "2 Cid, C (WFM 2200 1003 NED) - Dee, D (2100 NED)",
        ]
    );
    assert_eq!((round.number, round.date.as_deref()), (2, Some("2026.11.21")));
    assert_eq!(round.time_control.as_deref(), Some("90 min + 30 s"));
    let order = TableOrder::read("table,player\n5,3\n9 1\n").unwrap();
    let tables: Vec<u16> = Round::read(&text, None, &order).unwrap().pairings.iter().map(|pairing| pairing.table).collect();
    assert_eq!(tables, [5, 9]);
    refused(&text, Some(7), &TableOrder::Rank, &["the file has 2 rounds but no round 7"]);
    refused(&text, None, &TableOrder::read("5,3").unwrap(), &["neither 2 nor 1"]);
    assert!(TableOrder::read("5;x\n").unwrap_err().to_string().contains("line 1"));
}

#[test]
fn contradictory_pairings_are_reported() {
    let text = trf().replace("   3 w 1     2 b  ", "   3 w 1     4 b  ");
    refused(&text, None, &TableOrder::Rank, &["2 is paired with 1, who is paired with somebody else"]);
}

#[test]
fn unknown_formats_are_refused() {
    for text in ["hello", "table,who\n", "\u{0}\u{1}\u{2}"] {
        refused(text, None, &TableOrder::Rank, &["unknown format"]);
    }
    refused("\n \n", None, &TableOrder::Rank, &["the file is empty"]);
    refused("<html></html>", None, &TableOrder::Rank, &["this is a web page: export the pairings"]);
}

#[test]
fn boards_named_in_a_file_are_seated_and_others_stay() {
    let seat = |board: &str, serial: Option<&str>| Seat { board: board.to_owned(), serial_number: serial.map(str::to_owned) };
    let mut round = read("white,black,board,serial\nA,B,,\nC,D,b3,\nE,F,,77\nG,H,,\n", Some(1)).unwrap();
    let before =
        BTreeMap::from([(1, seat("b1", None)), (3, seat("b2", Some("77"))), (4, seat("b3", None)), (9, seat("b9", None))]);
    let seats = seats_from_round(&round, &before);
    // Board b3 moves to its table; the board with number 77 is at its table already.
    let expected =
        BTreeMap::from([(1, seat("b1", None)), (2, seat("b3", None)), (3, seat("b2", Some("77"))), (9, seat("b9", None))]);
    assert_eq!(seats, expected);
    // Boards stay at their tables when players change places.
    round.swap(1, 2).unwrap();
    let table = |round: &Round, table: u16| round.table(table).unwrap().white.name.clone();
    assert_eq!((table(&round, 1), table(&round, 2)), ("C".to_owned(), "A".to_owned()));
    assert_eq!(seats_from_round(&round, &before), expected);
    assert_eq!(round.swap(1, 9), Err(9));
}

#[test]
fn a_round_is_stored_unchanged() {
    let round = Round::read(&trf(), None, &TableOrder::Rank).unwrap();
    let json = serde_json::to_string(&round).unwrap();
    assert_eq!(serde_json::from_str::<Round>(&json).unwrap(), round);
}

/// The keys `forfeit` and `result` as earlier versions stored them.
#[test]
fn stored_forfeits_of_earlier_versions_are_read() {
    let stored = r#"{"number":3,"pairings":[
        {"table":1,"white":{"name":"Ada"},"black":{"name":"Bob"},"forfeit":"white","result":"1-0"},
        {"table":2,"white":{"name":"Cid"},"black":{"name":"Dee"},"forfeit":"black"},
        {"table":3,"white":{"name":"Eve"},"black":{"name":"Fay"},"forfeit":"nobody"},
        {"table":4,"white":{"name":"Gus"},"black":{"name":"Hal"},"result":"1/2-1/2"},
        {"table":5,"white":{"name":"Ian"},"black":{"name":"Joe"},"result":"adjourned"},
        {"table":6,"white":{"name":"Kay"},"black":{"name":"Lea"}}]}"#;
    let round: Round = serde_json::from_str(stored).unwrap();
    let results: Vec<Option<&str>> = round.pairings.iter().map(|pairing| pairing.result.map(Word::word)).collect();
    assert_eq!(results, [Some("+--"), Some("--+"), Some("---"), Some("1/2-1/2"), Some("adjourned"), None]);
    let forfeits = round.pairings.iter().filter(|pairing| pairing.forfeit().is_some()).count();
    assert_eq!(forfeits, 3);
    let written = serde_json::to_string(&round).unwrap();
    assert!(!written.contains("\"forfeit\"") && written.contains(r#""result":"+--""#), "{written}");
    assert_eq!(serde_json::from_str::<Round>(&written).unwrap(), round);
    for wrong in [stored.replace("adjourned", "won"), stored.replace("forfeit", "walkover")] {
        assert!(serde_json::from_str::<Round>(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn results_are_read_in_the_spellings_of_programs() {
    for (word, spellings) in [
        ("1-0", &["1-0", " 1 : 0 ", "1–0", "1.0-0.0", "1:0"][..]),
        ("0-1", &["0-1", "0:1", "0.0 - 1.0"]),
        ("1/2-1/2", &["1/2-1/2", "½-½", "½ : ½", "0.5-0.5", "0,5:0,5", "=", "1/2", "½", "=:=", "Draw"]),
        ("0-0", &["0-0", "0:0", "0.0 - 0.0"]),
        ("+--", &["+--", "+:-", "+ - -", "1-0F", "1F-0F", "+/-"]),
        ("--+", &["--+", "-:+", "- - +", "0-1f", "-/+"]),
        ("---", &["---", "-:-", "- - -", "0-0F", "0F-0F", "-/-"]),
        ("adjourned", &["adjourned", "Adjourned", "adj."]),
    ] {
        for spelling in spellings {
            assert_eq!(PairingResult::parse(spelling).unwrap().map(Word::word), Some(word), "{spelling:?}");
        }
    }
    for open in ["", "*", " ", "?", "-"] {
        assert_eq!(PairingResult::parse(open), Ok(None));
    }
    for wrong in ["1-1", "won", "1-", "1/2-0", "2-0", "+-+"] {
        let error = PairingResult::parse(wrong).unwrap_err().to_string();
        assert!(error.contains(wrong) && error.contains("use 1-0"), "{error}");
    }
}

#[test]
fn real_games_are_rounds_too() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/games/worldcup2025.pgn");
    let Ok(text) = std::fs::read_to_string(path) else { return eprintln!("SKIPPED: {path} is not here") };
    let error = read(&text, None).unwrap_err().to_string();
    assert!(error.contains("--round N"), "{error}");
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "(?s)[ -~\n;,\\[\\]\"]{0,400}", lead in proptest::sample::select(vec!["", "001 ", "[", "white;black\n", "table,white,black\n"])) {
        let text = format!("{lead}{text}");
        let _ = Round::read(&text, Some(1), &TableOrder::Rank);
        let _ = TableOrder::read(&text);
    }
}

/// The value of a tag in a PGN.
fn tag<'a>(pgn: &'a str, name: &str) -> Option<&'a str> {
    pgn.lines().find_map(|line| line.strip_prefix(&format!("[{name} \""))?.strip_suffix("\"]"))
}

#[tokio::test]
async fn games_have_the_names_of_their_tables() {
    let Some(mut hall) = Hall::after_e4().await else { return };
    let round = read("white,black,white_title\nAda,Bob,GM\nCid,Dee,\n", Some(3)).unwrap();
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let named = async |client: &Client, white: &str| {
        until("the names", async || (tag(&client.pgn(hall.game).await.unwrap(), "White") == Some(white)).then_some(())).await
    };
    named(&hall.client, "Ada").await;
    let pgn = hall.client.pgn(hall.game).await.unwrap();
    assert_eq!((tag(&pgn, "Black"), tag(&pgn, "Round"), tag(&pgn, "WhiteTitle")), (Some("Bob"), Some("3.1"), Some("GM")));
    let board = hall.client.snapshot().await.unwrap().boards[0].id.clone();
    let (_, tables) = hall.client.round().await.unwrap();
    assert_eq!(tables, [(1, board.clone(), hall.game), (2, String::new(), 0)]);
    // The tables were swapped by mistake, and the board is at the other one.
    hall.client.swap_tables(1, 2).await.unwrap();
    named(&hall.client, "Cid").await;
    hall.client.set_board(2, &board).await.unwrap();
    // A game in progress keeps its pairing until somebody says that it is another one.
    assert_eq!(tag(&hall.client.pgn(hall.game).await.unwrap(), "White"), Some("Cid"));
    hall.client.change_desk(&DeskAct::AssignGame { round: 3, table: 2, game: hall.game }).await.unwrap();
    named(&hall.client, "Ada").await;
    let refused = hall.client.set_board(9, "nowhere").await.unwrap_err().to_string();
    assert!(refused.contains("no board nowhere"), "{refused}");
    let refused = hall.client.change_desk(&DeskAct::AssignGame { round: 3, table: 9, game: hall.game }).await.unwrap_err();
    assert!(refused.to_string().contains("table 9 has no pairing in round 3"), "{refused}");
    let refused = hall.client.load_round("{\"number\":1}").await.unwrap_err().to_string();
    assert!(refused.contains("nobody is paired"), "{refused}");
    // Spectators see the names, and a restart keeps them.
    let spectator = hall.spectator().await;
    named(&spectator, "Ada").await;
    hall.client.set_forfeit(1, "black").await.unwrap();
    hall.play("e7", "e5", "e5").await;
    let Hall { client, daemon, board: plugged, state, bus, game, .. } = hall;
    daemon.kill();
    let _daemon = Daemon::serving(&bus, state.path(), &plugged.path());
    assert_eq!(tag(&client.pgn(game).await.unwrap(), "White"), Some("Ada"));
    let (round, _) = client.round().await.unwrap();
    assert_eq!(round.unwrap().table(1).unwrap().result, Some(PairingResult::BlackWinsByForfeit));
}

#[tokio::test]
async fn a_game_without_moves_belongs_to_the_next_round() {
    let Some(mut hall) = Hall::after_e4().await else { return };
    let load = async |client: &Client, white: &str, number: u16| {
        let round = read(&format!("white,black\n{white},Bob\n"), Some(number)).unwrap();
        client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    };
    let named = async |client: &Client, game: u64, white: &str| {
        until("the names", async || (tag(&client.pgn(game).await.unwrap(), "White") == Some(white)).then_some(())).await
    };
    load(&hall.client, "Ada", 1).await;
    named(&hall.client, hall.game, "Ada").await;
    hall.client.send_command(hall.game, &Command::Result { result: Some(GameResult::Draw) }).await.unwrap();
    // The pieces are set up again before the next round is loaded: for a game of that round, or a casual one.
    hall.board.play("e4", "e2");
    let next = until("another game", async || {
        hall.client.snapshot().await.unwrap().games.last().map(|game| game.id).filter(|id| *id != hall.game)
    });
    let next = next.await;
    load(&hall.client, "Cid", 2).await;
    named(&hall.client, next, "Cid").await;
    hall.play("d2", "d4", "d4").await;
    load(&hall.client, "Eve", 3).await;
    // A game in progress keeps its names, and so does a finished game.
    assert_eq!(tag(&hall.client.pgn(next).await.unwrap(), "White"), Some("Cid"));
    assert_eq!(tag(&hall.client.pgn(hall.game).await.unwrap(), "White"), Some("Ada"));
    let forfeit = hall.client.set_forfeit(1, "white").await;
    assert!(forfeit.is_ok(), "nobody plays in round 3 yet: {forfeit:?}");
}
