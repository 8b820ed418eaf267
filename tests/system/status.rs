//! `touchmovectl status`: the rows, by what the daemon says of boards, games and the round.

use serde_json::json;
use std::collections::BTreeMap;
use touchmove::ctl::status::{Hall, describe};
use touchmove::publish::client::{AlertInfo, BoardInfo, ClockInfo, GameInfo, MoveInfo, Snapshot};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;
use unicode_width::UnicodeWidthStr;

const PAIRINGS: &str = "Table,White,White Title,Black,Black Title,Result
1,\"Xiong, Jeffery\",GM,\"Li, Yiheng\",IM,
2,\"Venkatanarasimharajuvaripeta, Ramanathan\",,\"丁立人\",GM,
3,\"Ree, Hans\",GM,\"Hort, Vlastimil\",GM,
4,\"Adams, Ann\",,\"Baker, Bob\",,
5,Cole,,Dean,,
6,Eve,,Fay,,
";

fn ply(san: &str, clocks: [i32; 2]) -> MoveInfo {
    let [white, black] = clocks;
    let (uci, state) = (String::new(), "completed".to_owned());
    MoveInfo { uci, san: san.to_owned(), state, time: 0, white, black, confidence: 1.0, irregular: false }
}

fn board(number: u64) -> BoardInfo {
    BoardInfo { id: format!("board_{number}"), state: "ready".to_owned(), game: Some(number), ..BoardInfo::default() }
}

fn game(id: u64, moves: Vec<MoveInfo>) -> GameInfo {
    GameInfo {
        id,
        board: format!("board_{id}"),
        state: "playing".to_owned(),
        result: "*".to_owned(),
        start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
        moves,
        ..GameInfo::default()
    }
}

/// The rows of a round at five tables: play, an illegal move, a result that is missing, no board, a game of the round before.
fn rows(only_attention: bool, width: usize) -> Vec<String> {
    let round = Round::read(PAIRINGS, Some(3), &TableOrder::Unknown).unwrap();
    let clock = ClockInfo { white: 5_796_000, black: 61_000, ..ClockInfo::default() };
    let sentence = "White completed Nc3xd5, which is not legal: the knight on c3 is pinned".to_owned();
    let uncertain = AlertInfo { kind: "moves_uncertain".to_owned(), ..AlertInfo::default() };
    let alert = AlertInfo { kind: "illegal_move".to_owned(), sentence, ..AlertInfo::default() };
    let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let earlier = BTreeMap::from([tag("Round", "2.5"), tag("White", "Owen"), tag("Black", "Quinn")]);
    let snapshot = Snapshot {
        boards: vec![BoardInfo { clock: Some(clock), ..board(1) }, board(2), board(3), board(5), board(6)],
        games: vec![
            game(1, vec![ply("e4", [-1, -1]), ply("e5", [-1, -1])]),
            GameInfo { alerts: vec![uncertain, alert], ..game(2, vec![ply("Nxd5", [900_000, 800_000])]) },
            GameInfo { state: "finished".to_owned(), ..game(3, vec![ply("d4", [60_000, 50_000])]) },
            GameInfo { tags: earlier, ..game(5, vec![ply("c4", [-1, -1])]) },
            game(6, Vec::new()),
        ],
        ..Snapshot::default()
    };
    let at = |table: u16, board: &str, game| (table, board.to_owned(), game);
    let boards = [1, 2, 3, 5, 6].map(|table| at(table, &format!("board_{table}"), u64::from(table)));
    let tables = boards.into_iter().chain([at(4, "", 0)]).collect();
    // The pieces of table 6 were set up again.
    let hall = Hall { snapshot, round: Some(round), tables, missing: vec![6], machines: Vec::new() };
    describe(&hall, only_attention, width).lines().map(str::to_owned).collect()
}

#[test]
fn a_row_says_who_plays_and_what_is_wrong() {
    let rows = rows(false, 150);
    assert_eq!(rows[0], "Round 3: 6 tables, 4 in need of attention");
    let row = rows[1].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(row, "1 GM Xiong, Jeffery IM Li, Yiheng 1:36:36 0:01:01 1...e5 in play");
    assert!(rows[2].contains("  ! Illegal move (+1): White completed Nc3xd5") && rows[2].ends_with('…'), "{}", rows[2]);
    assert!(rows[3].contains("1.d4") && rows[3].ends_with("! result missing after 1.d4"), "{}", rows[3]);
    assert!(rows[4].ends_with("! no board"), "{}", rows[4]);
    let row = rows[5].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(row, "5 Owen Quinn 1.c4 round 2: in play", "its players still play");
    assert!(rows[6].contains("Eve") && rows[6].ends_with("! result missing"), "{}", rows[6]);
}

#[test]
fn the_rows_fit_the_width_and_their_columns_are_aligned() {
    for width in [60, 80, 100, 150, 300] {
        let rows = rows(false, width);
        assert!(rows.iter().all(|row| row.width() <= width), "{width}: {rows:#?}");
        let mark = |row: &String| row.find("! ").map(|at| row[..at].width());
        let marks: Vec<usize> = rows.iter().filter_map(mark).collect();
        assert!(marks.len() == 4 && marks.windows(2).all(|pair| pair[0] == pair[1]), "{width}: {rows:#?}");
    }
    assert!(rows(false, 80)[1].contains("GM Xiong"), "names are legible in 80 columns");
}

#[test]
fn only_the_tables_that_need_attention() {
    let all = rows(true, 80);
    let tables: Vec<&str> = all[1..].iter().filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(tables, ["2", "3", "4", "6"]);
}

#[test]
fn a_game_that_both_players_lose_is_not_in_play() {
    let pairings = "table,white,black,result\n1,Ada,Bob,0-0\n2,Cid,Dee,0-0\n3,Eve,Fay,1-0\n4,Gus,Hal,adjourned\n";
    let of_round = |number: u64| {
        let tags = BTreeMap::from([("Round".to_owned(), format!("3.{number}"))]);
        GameInfo { tags, ..game(number, vec![ply("e4", [-1, -1])]) }
    };
    let hall = Hall {
        snapshot: Snapshot {
            boards: (1..=4).map(board).collect(),
            // The second table has another game after that of its pairing; of the third game, the result was withdrawn.
            games: vec![of_round(1), game(2, vec![ply("e4", [-1, -1])]), of_round(3), of_round(4)],
            ..Snapshot::default()
        },
        round: Some(Round::read(pairings, Some(3), &TableOrder::Unknown).unwrap()),
        tables: (1..=4).map(|table| (table, format!("board_{table}"), u64::from(table))).collect(),
        missing: Vec::new(),
        machines: Vec::new(),
    };
    let text = describe(&hall, false, 80);
    let rows: Vec<String> = text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        rows,
        [
            "Round 3: 4 tables, 0 in need of attention",
            "1 Ada Bob 1.e4 0-0",
            "2 Cid Dee 1.e4 in play",
            "3 Eve Fay 1.e4 in play",
            "4 Gus Hal 1.e4 adjourned"
        ]
    );
}

#[test]
fn without_a_round_there_is_a_row_for_each_board() {
    let tags = BTreeMap::from([("White".to_owned(), "Ann".to_owned()), ("Black".to_owned(), "?".to_owned())]);
    let silent = BoardInfo { state: "silent".to_owned(), state_reason: "no answer for 5 s".to_owned(), ..board(2) };
    let snapshot = Snapshot {
        boards: vec![board(1), silent],
        games: vec![GameInfo { tags, result: "1-0".to_owned(), ..game(1, vec![ply("e4", [-1, -1])]) }],
        ..Snapshot::default()
    };
    let hall = |snapshot| Hall { snapshot, round: None, tables: Vec::new(), missing: Vec::new(), machines: Vec::new() };
    let text = describe(&hall(snapshot), false, 80);
    let rows: Vec<String> = text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(rows, ["2 boards, 1 in need of attention", "board_1 Ann 1.e4 1-0", "board_2 ! no answer for 5 s"]);
    assert!(describe(&hall(Snapshot::default()), false, 80).contains("touchmovectl doctor"));
}

#[test]
fn machines_come_before_the_tables() {
    let machines = json!([
        {"name": "pi-07", "state": "silent", "attention": ["silent"], "version": "0.1.0", "heard_ago_ms": 40_000, "unsent": 0,
         "free_bytes": null, "temperature": null, "clock_offset_ms": null, "problems": [], "alarm": null, "boards": 1},
    ]);
    let machines = serde_json::from_value(machines).unwrap();
    let snapshot = Snapshot { boards: vec![board(1)], ..Snapshot::default() };
    let hall = Hall { snapshot, round: None, tables: Vec::new(), missing: Vec::new(), machines };
    let text = describe(&hall, true, 80);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "Hall: 1 machine, 1 in need of attention",
            "! pi-07: silent for 40 s: check its power, then its network",
            "1 boards, 0 in need of attention"
        ]
    );
}
