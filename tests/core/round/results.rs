//! The results of a tournament as files: read back by our readers, and by programs of others.

use super::words;
use crate::harness::python::Python;
use std::fmt::Write as _;
use touchmove::round::trf::TableOrder;
use touchmove::round::{Bye, ByeKind, Pairing, PairingResult, Player, Round, csv, trf};

fn player(start_number: u16, name: &str, rating: u16) -> Player {
    Player {
        name: name.to_owned(),
        title: (rating >= 2500).then(|| "GM".to_owned()),
        fide_id: Some(1_503_000 + u32::from(start_number)),
        rating: Some(rating),
        federation: Some("NED".to_owned()),
        team: None,
        start_number: Some(start_number),
    }
}

fn pairing(table: u16, white: &Player, black: &Player, result: Option<PairingResult>) -> Pairing {
    Pairing { table, white: white.clone(), black: black.clone(), result, ..Pairing::default() }
}

/// Five players, three rounds: every result and every bye; the last round is not over.
fn tournament() -> Vec<Round> {
    let players: Vec<Player> =
        [("Müller, Jörg", 2600), ("Świątek, Ewa", 2500), ("Cid, Carl", 2300), ("Dee, Dora", 2200), ("Eve, Emil", 2000)]
            .iter()
            .zip(1..)
            .map(|((name, rating), number)| player(number, name, *rating))
            .collect();
    let [a, b, c, d, e] = players.as_slice() else { panic!() };
    let round = |number: u16, pairings: Vec<Pairing>, byes: Vec<(&Player, ByeKind)>| Round {
        number,
        event: Some("City Open".to_owned()),
        site: Some("Delft".to_owned()),
        date: Some(format!("2026.11.{}", 20 + number)),
        time_control: Some("90 min + 30 s".to_owned()),
        pairings,
        byes: byes.into_iter().map(|(player, kind)| Bye { player: player.clone(), kind }).collect(),
    };
    use PairingResult::{Adjourned, BlackWins, BlackWinsByForfeit, BothForfeit, Draw, WhiteWins, WhiteWinsByForfeit};
    vec![
        round(1, vec![pairing(1, a, c, Some(WhiteWins)), pairing(2, d, b, Some(Draw))], vec![(e, ByeKind::PairingAllocated)]),
        round(
            2,
            vec![pairing(1, b, a, Some(BlackWinsByForfeit)), pairing(2, e, d, Some(BothForfeit))],
            vec![(c, ByeKind::HalfPoint)],
        ),
        round(
            3,
            vec![pairing(1, a, d, Some(BlackWins)), pairing(2, c, e, Some(WhiteWinsByForfeit))],
            vec![(b, ByeKind::ZeroPoint)],
        ),
        round(4, vec![pairing(1, a, e, None), pairing(2, b, c, Some(Adjourned))], vec![(d, ByeKind::FullPoint)]),
    ]
}

#[test]
fn a_tournament_report_has_its_columns() {
    let text = trf::write::write(&tournament());
    let lines: Vec<&str> = text.split("\r\n").collect();
    let line = |beginning: &str| *lines.iter().find(|line| line.starts_with(beginning)).unwrap();
    assert_eq!(
        (line("012"), line("022"), line("042"), line("052")),
        ("012 City Open", "022 Delft", "042 2026/11/21", "052 2026/11/24")
    );
    assert_eq!((line("062"), line("072"), line("122")), ("062 5", "072 5", "122 90 min + 30 s"));
    assert_eq!(line("132").get(91..), Some("26/11/21  26/11/22  26/11/23  26/11/24"));
    assert_eq!(
        line("001    1"),
        "001    1   GM Müller, Jörg                      2600 NED     1503001             2.0    2     3 w 1     2 b +     4 w 0     5 w  "
    );
    assert_eq!(
        line("001    5"),
        "001    5      Eve, Emil                         2000 NED     1503005             1.0    4  0000 - U     4 w -     3 b -     1 b  "
    );
    // The places of FIDE's table, counted in characters from 1.
    let characters: Vec<char> = line("001    1").chars().collect();
    let at = |from: usize, to: usize| characters[from - 1..to].iter().collect::<String>();
    assert_eq!(
        (at(5, 8), at(11, 13), at(15, 26), at(49, 52)),
        ("   1".into(), " GM".into(), "Müller, Jörg".into(), "2600".into())
    );
    assert_eq!(
        (at(54, 56), at(58, 68), at(81, 84), at(86, 89)),
        ("NED".into(), "    1503001".into(), " 2.0".into(), "   2".into())
    );
    assert_eq!((at(92, 95), at(97, 97), at(99, 99), at(102, 105)), ("   3".into(), "w".into(), "1".into(), "   2".into()));
}

#[test]
fn a_tournament_report_is_read_back() {
    let rounds = tournament();
    let text = trf::write::write(&rounds);
    for round in &rounds {
        let tables = round.pairings.iter().fold(String::new(), |mut text, pairing| {
            let _ = writeln!(text, "{},{}", pairing.table, pairing.white.start_number.unwrap());
            text
        });
        let order = TableOrder::read(&tables).unwrap();
        let again = Round::read_bytes(text.as_bytes(), Some(round.number), &order);
        assert_eq!(again.errors, []);
        let mut expected = round.clone();
        // The format has no word for it.
        expected
            .pairings
            .iter_mut()
            .filter(|pairing| pairing.result == Some(PairingResult::Adjourned))
            .for_each(|pairing| pairing.result = None);
        assert_eq!(again.round, expected);
    }
}

#[test]
fn a_table_of_results_is_read_back() {
    let rounds = tournament();
    let text = csv::write::write(&rounds);
    for round in &rounds {
        let again = Round::read_bytes(text.as_bytes(), Some(round.number), &TableOrder::Unknown);
        assert_eq!((again.errors, again.ignored_columns), (vec![], vec![]));
        // A table has no tags, and one word for both sorts of byes with a point.
        assert_eq!(again.round.pairings, round.pairings);
        let byes = |round: &Round| round.byes.iter().map(|bye| (bye.player.name.clone(), bye.kind)).collect::<Vec<_>>();
        let mut expected = byes(round);
        expected
            .iter_mut()
            .filter(|(_, kind)| *kind == ByeKind::FullPoint)
            .for_each(|(_, kind)| *kind = ByeKind::PairingAllocated);
        assert_eq!(byes(&again.round), expected);
    }
}

#[test]
fn no_spreadsheet_computes_a_name() {
    let text = "white,black,board\n\"=cmd|' /C calc'!A0\",\"+49, Bob\"\"s\",-7\n@Ada,''=x,\"a;b\"\n";
    let round = Round::read(text, Some(1), &TableOrder::Unknown).unwrap();
    let written = csv::write::write(std::slice::from_ref(&round));
    let line = |number: usize| written.split("\r\n").nth(number).unwrap();
    assert_eq!(line(1), "1,1,'=cmd|' /C calc'!A0,\"'+49, Bob\"\"s\",,,,,,,,,,,,,'-7,,,");
    assert_eq!(line(2), "1,2,'@Ada,''=x,,,,,,,,,,,,,\"a;b\",,,");
    assert_eq!(Round::read(&written, None, &TableOrder::Unknown).unwrap().pairings, round.pairings);
}

/// The players of a report, with their start numbers and the entries of all rounds.
fn rows(report: &str) -> Vec<String> {
    let players = report.lines().filter(|line| line.starts_with("001"));
    let row = |line: &str| {
        let line: Vec<char> = line.chars().collect();
        let at = |from: usize, to: usize| line[from - 1..to.min(line.len())].iter().collect::<String>();
        format!("{} {} |{}", at(5, 8).trim(), at(15, 47).trim(), at(92, 999)).trim_end().to_owned()
    };
    players.map(row).collect()
}

#[test]
fn a_player_whose_name_was_cut_stays_one() {
    let long = "Müller-Hohenstein, Maximilian Alexander";
    let cut: String = long.chars().take(33).collect();
    let first = |numbers: [&str; 2]| {
        let [white, black] = numbers;
        let text = format!(
            "white,black,white_start_number,black_start_number,white_rating,black_rating,result\n\"{long}\",Bob,{white},{black},2400,2300,1-0\n"
        );
        Round::read(&text, Some(1), &TableOrder::Unknown).unwrap()
    };
    for first in [first(["1", "2"]), first(["", ""])] {
        let report = trf::write::write(std::slice::from_ref(&first));
        // The pairing program adds the second round.
        let next = report.replace("   2 w 1", "   2 w 1     2 b  ").replace("   1 b 0", "   1 b 0     1 w  ");
        let second = Round::read(&next, Some(2), &TableOrder::Rank).unwrap();
        assert_eq!(second.pairings[0].black.name, cut);
        let expected = [format!("1 {cut} |   2 w 1     2 b"), "2 Bob |   1 b 0     1 w".to_owned()];
        assert_eq!(rows(&trf::write::write(&[first, second])), expected);
    }
}

#[test]
fn names_that_differ_only_where_they_are_cut_are_two_players() {
    let long = |end: &str| format!("Venkatanarasimharajuvaripeta, Ramanathan {end}");
    let round = |number: u16, white: &str, black: &str| {
        let text = format!("white,black\n\"{}\",\"{}\"\n", long(white), long(black));
        Round::read(&text, Some(number), &TableOrder::Unknown).unwrap()
    };
    let cut: String = long("A").chars().take(33).collect();
    let written = trf::write::write(&[round(1, "A", "B"), round(2, "B", "A")]);
    assert_eq!(rows(&written), [format!("1 {cut} |   2 w       2 b"), format!("2 {cut} |   1 b       1 w")]);
}

#[test]
fn cut_names_are_completed_where_only_one_player_is_possible() {
    let long = |end: &str| format!("Venkatanarasimharajuvaripeta, Ramanathan {end}");
    let cut: String = long("A").chars().take(33).collect();
    let one = |name: &str, start_number, fide_id| Player { name: name.to_owned(), start_number, fide_id, ..Player::default() };
    let complete = |player: Player, known: Vec<Player>| {
        let pairing = |player: Player| Pairing { table: 1, white: player, black: one("Bob", None, None), ..Pairing::default() };
        let round = |number, player| Round { number, pairings: vec![pairing(player)], ..Round::default() };
        let known: Vec<Round> = (1..).zip(known).map(|(number, player)| round(number, player)).collect();
        let mut loaded = round(9, player);
        loaded.complete_names(&known);
        loaded.pairings[0].white.name.clone()
    };
    let (a, b) = (long("A"), long("B"));
    for (player, known, expected) in [
        (one(&cut, None, None), vec![one(&a, None, None)], &a),
        (one(&cut, Some(3), None), vec![one(&cut, Some(3), None), one(&a, Some(3), None)], &a),
        (one(&cut, Some(3), None), vec![one(&a, Some(4), None)], &cut),
        (one(&cut, Some(3), None), vec![one(&a, Some(4), None), one(&b, Some(3), None)], &b),
        (one(&cut, None, None), vec![one(&a, None, None), one(&b, None, None)], &cut),
        (one(&cut, Some(3), Some(7)), vec![one(&a, Some(3), Some(8)), one(&b, Some(4), Some(7))], &b),
        // It is not cut.
        (one("Venkata", None, None), vec![one(&a, None, None)], &"Venkata".to_owned()),
    ] {
        assert_eq!(&complete(player.clone(), known.clone()), expected, "{player:?} {known:?}");
    }
}

#[test]
fn players_without_start_numbers_get_them_by_rating() {
    let text = "white,black,white_rating,black_rating,white_fide_id,black_fide_id,white_start_number\nAda,Bob,2000,2400,7,,\nCid,Dee,,2100,,,2\n";
    let first = Round::read(text, Some(1), &TableOrder::Unknown).unwrap();
    // In the second round a name is written in another way, and somebody is known by name only.
    let text = "white,black,white_fide_id\n\"Ada, A.\",Dee,7\nBob,Eve,\n";
    let second = Round::read(text, Some(2), &TableOrder::Unknown).unwrap();
    let written = trf::write::write(&[second, first]);
    let names: Vec<String> = written
        .lines()
        .filter(|line| line.starts_with("001"))
        .map(|line| format!("{} {}", &line[5..8].trim(), line[14..47].trim()))
        .collect();
    assert_eq!(names, ["1 Bob", "2 Cid", "3 Dee", "4 Ada, A.", "5 Eve"]);
    let round = Round::read(&written, Some(2), &TableOrder::Rank).unwrap();
    assert_eq!(words(&round).len(), 2);
}

const SCRIPT: &str = "
import sys, trf
tour = trf.loads(sys.stdin.buffer.read().decode('utf-8'))
print(tour.name, '/', tour.city, '/', tour.startdate, '/', tour.enddate, '/', tour.numplayers)
for player in tour.players:
    games = ' '.join(f'{game.startrank}{game.color}{game.result}' for game in player.games)
    print(player.startrank, player.title, player.name, player.rating, player.fed, player.id, player.points, player.rank, games)
";

#[test]
fn the_package_of_pypi_reads_the_report() {
    let Some(python) = Python::with("trf", "TRF_PYTHON") else { return };
    let text = python.run(SCRIPT, &trf::write::write(&tournament()));
    // It leaves out the last game if that has no result.
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            "City Open / Delft / 2026/11/21 / 2026/11/24 / 5",
            "1 GM Müller, Jörg 2600 NED 1503001 2.0 2 3w1 2b+ 4w0",
            "2 GM Świątek, Ewa 2500 NED 1503002 0.5 5 4b= 1w- 0-Z",
            "3  Cid, Carl 2300 NED 1503003 1.5 3 1b0 0-H 5w+",
            "4  Dee, Dora 2200 NED 1503004 2.5 1 2w= 5b- 1b1 0-F",
            "5  Eve, Emil 2000 NED 1503005 1.0 4 0-U 4w- 3b-",
        ]
    );
}
