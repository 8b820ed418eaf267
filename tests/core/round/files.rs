//! The bytes of a file: encodings, other sorts of files, what a preview says.

use super::{CSV, words};
use touchmove::round::encoding::Encoding;
use touchmove::round::preview::MAX_BYTES;
use touchmove::round::trf::{self, TableOrder};
use touchmove::round::{Round, RoundPreview};

fn preview(bytes: &[u8]) -> RoundPreview {
    Round::read_bytes(bytes, Some(1), &TableOrder::Unknown)
}

fn sentences(problems: &[touchmove::round::Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

/// Names with letters that are in no 8-bit encoding together.
const NAMES: &str = "table;white;black\r\n1;Świątek, Józef;Erdős, Pál\r\n2;Иванов, Пётр;Müller, Jörg\r\n";

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn names_are_read_in_every_encoding() {
    let marked = format!("\u{feff}{NAMES}");
    let expected = words(&Round::read(NAMES, Some(1), &TableOrder::Unknown).unwrap());
    assert_eq!(expected[1], "2 Иванов, Пётр () - Müller, Jörg ()");
    for (bytes, encoding) in [
        (NAMES.as_bytes().to_vec(), Encoding::Utf8),
        (marked.as_bytes().to_vec(), Encoding::Utf8),
        (utf16(NAMES, u16::to_le_bytes), Encoding::Utf16Le),
        (utf16(&marked, u16::to_le_bytes), Encoding::Utf16Le),
        (utf16(NAMES, u16::to_be_bytes), Encoding::Utf16Be),
        (utf16(&marked, u16::to_be_bytes), Encoding::Utf16Be),
    ] {
        let preview = preview(&bytes);
        assert_eq!((words(&preview.round), preview.encoding), (expected.clone(), encoding));
        assert_eq!((preview.errors, preview.warnings), (vec![], vec![]));
    }
}

#[test]
fn windows_1252_is_read_with_a_warning() {
    let preview = preview(b"white;black\nM\xfcller, J\xf6rg;Ma\x9adar\nO\x92Neill;Bob\n");
    assert_eq!(words(&preview.round), ["1 Müller, Jörg () - Mašdar ()", "2 O’Neill () - Bob ()"]);
    assert_eq!((preview.encoding, preview.errors), (Encoding::Windows1252, vec![]));
    let warnings = sentences(&preview.warnings);
    assert!(warnings[0].contains("Windows-1252: check names with accents"), "{warnings:?}");
}

#[test]
fn damaged_characters_are_reported() {
    let mut bytes = utf16("\u{feff}white;black\nAda;Bob\n", u16::to_le_bytes);
    let place = bytes.windows(2).rposition(|pair| pair == b"B\0").unwrap();
    bytes[place..place + 2].copy_from_slice(&0xd800_u16.to_le_bytes());
    let preview = preview(&bytes);
    assert_eq!(preview.round.pairings[0].black.name, "\u{fffd}ob");
    assert!(sentences(&preview.warnings)[0].contains("some characters are damaged"));
}

#[test]
fn files_of_other_sorts_are_refused_with_what_to_give() {
    let open_document =
        [b"PK\x03\x04".as_slice(), &[0; 26], b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"].concat();
    for (bytes, what, advice) in [
        (b"PK\x03\x04\x14\x00\x06\x00".as_slice(), "an Excel workbook (.xlsx)", "as \"CSV UTF-8\""),
        (&open_document, "a LibreOffice spreadsheet (.ods)", "as \"CSV UTF-8\""),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an old Excel workbook (.xls)", "as \"CSV UTF-8\""),
        (b"%PDF-1.7", "a PDF document", "as CSV, PGN or TRF16"),
        (b"\x93\xff\x89\x44\0\0", "a tournament file of Swiss-Manager", "as CSV, PGN or TRF16"),
        (b"<!DOCTYPE html><table>", "a web page", "as CSV, PGN or TRF16"),
    ] {
        let preview = preview(bytes);
        let [error] = sentences(&preview.errors).try_into().unwrap();
        assert!(error.contains(what) && error.contains(advice), "{error}");
        assert!(preview.format.is_none() && preview.into_round().is_err());
    }
    assert!(sentences(&preview(b"").errors)[0].contains("the file is empty"));
    assert!(sentences(&preview(&vec![b' '; MAX_BYTES + 1]).errors)[0].contains("larger than 4 MiB"));
}

#[test]
fn a_preview_lists_every_error_with_its_line_and_value() {
    let text = "table;white;black;white_rating;result;shoe size\n\
        1;Ada;Bob;2400;;40\n\
        2;Cid;;high;;41\n\
        2;Dee;Ada;2100;won;42\n\
        3;Eve;Fay;;1-0;43\n\
        4;Gus;bye;1900;;44\n\
        5;Hal\n";
    let preview = preview(text.as_bytes());
    assert_eq!(
        sentences(&preview.errors),
        [
            "line 3: white_rating \"high\": this must be a number, at least 1 and at most 4000",
            "line 4: result \"won\": \"won\" is not a result: use 1-0, 0-1, 1/2-1/2, 0-0, +--, --+, ---, adjourned, or nothing",
            "line 7: 2 values, but the line of the column names has 6 names",
            "line 3: a player at table 2 has no name",
            "line 4: table 2 is listed twice",
            "line 4: Ada plays at table 1 and at table 2: if these are two people, write one of the names differently",
        ]
    );
    let warnings = sentences(&preview.warnings);
    assert!(warnings.iter().any(|warning| warning == "line 6: Gus has no opponent in this round: a bye"), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.starts_with("no rating: Bob; Cid; ")), "{warnings:?}");
    assert_eq!(preview.ignored_columns, ["shoe size"]);
    let json = serde_json::to_value(&preview).unwrap();
    assert_eq!(
        json["errors"][0],
        serde_json::json!({"line": 3, "cell": {"column": "white_rating", "value": "high"},
            "message": "this must be a number, at least 1 and at most 4000"})
    );
    assert_eq!((&json["format"], &json["encoding"], &json["round"]["number"]), (&"csv".into(), &"UTF-8".into(), &1.into()));
}

#[test]
fn the_lines_of_games_and_players_are_known() {
    let pgn = super::PGN.replace("Dee, D", "Ada, A");
    let errors = sentences(&Round::read_bytes(pgn.as_bytes(), None, &TableOrder::Unknown).errors);
    assert_eq!(
        errors,
        ["line 14: Ada, A plays at table 2 and at table 1: if these are two people, write one of the names differently"]
    );
    let trf = super::trf().replace("   3 w 1     2 b  ", "   3 w 1     4 b  ");
    let errors = sentences(&Round::read_bytes(trf.as_bytes(), None, &TableOrder::Rank).errors);
    assert_eq!(errors[0], "line 7: 2 is paired with 1, who is paired with somebody else");
}

#[test]
fn doubts_are_warnings() {
    let text = "white,black,white_fide_id,black_fide_id\nAda,Bob,17,17\n";
    let preview = preview(text.as_bytes());
    assert_eq!(preview.errors, []);
    let warnings = sentences(&preview.warnings);
    assert_eq!(
        warnings,
        [
            "the file has no column of tables: they are numbered in the order of the lines",
            "line 2: Bob and Ada have the same FIDE ID 17"
        ]
    );
    let numbered = Round::read_bytes(b"Board,White,Black\n7,Ada,Bob\n", Some(1), &TableOrder::Unknown);
    assert_eq!((numbered.round.pairings[0].table, numbered.round.pairings[0].board.clone()), (7, None));
    assert_eq!(sentences(&numbered.warnings), ["the column has only numbers: they are read as tables"]);
}

#[test]
fn a_namesake_without_a_fide_id_is_a_warning_where_exports_have_one_player() {
    let header = "round,table,white,black,white_start_number,white_fide_id\n";
    for (lines, warnings, players) in [
        ("1,1,Ada,Bob,,7\n1,2,Ada,Cid,,\n", 1, 1),
        ("1,1,Ada,Bob,1,7\n1,2,Ada,Cid,5,\n", 0, 2),
        ("1,1,Ada,Bob,,7\n1,2,Ada,Cid,,8\n", 0, 2),
        ("1,1,Ada,Bob,,7\n1,2,\"Ada, jun.\",Cid,,\n", 0, 2),
    ] {
        let read = preview(format!("{header}{lines}").as_bytes());
        assert_eq!(read.errors, [], "{lines}");
        assert_eq!(read.warnings.len(), warnings, "{lines}: {:?}", read.warnings);
        let message = "line 3: only one Ada has a FIDE ID: TRF16 may have one player of the name; \
                       if these are two people, write one of the names differently, or give the FIDE ID of each";
        assert!(sentences(&read.warnings).iter().all(|warning| warning == message), "{:?}", read.warnings);
        let report = trf::write::write(&[read.round]);
        let named = report.lines().filter(|line| line.starts_with("001") && line.contains("Ada")).count();
        assert_eq!(named, players, "{report}");
    }
}

#[test]
fn only_the_first_errors_are_listed() {
    let text: String =
        std::iter::once("table,white,black\n".to_owned()).chain((0..1000).map(|_| "x,Ada,Bob\n".to_owned())).collect();
    let errors = sentences(&preview(text.as_bytes()).errors);
    assert_eq!(errors.len(), 201);
    assert!(errors[200].starts_with("and ") && errors[200].ends_with(" more"), "{}", errors[200]);
    let many: String = (0..2001).map(|table| format!("{},White {table},Black {table}\n", table + 1)).collect();
    let errors = sentences(&preview(format!("table,white,black\n{many}").as_bytes()).errors);
    assert_eq!(errors, ["there are more than 2000 pairings: give one round of one tournament"]);

    // Each player is in the file twice, once with a cut name.
    let cut = |number: u32| format!("Venkatanarasimhan {number:03}, Ramanathan");
    let whole: String = (0..250).map(|number| format!("\"{} Krishna\",Bob {number}\n", cut(number))).collect();
    let cut: String = (0..250).map(|number| format!("\"{}\",Dee {number}\n", cut(number))).collect();
    let known = preview(format!("white,black\n{whole}").as_bytes()).round;
    let mut twice = preview(format!("white,black\n{whole}{cut}").as_bytes());
    assert_eq!(twice.errors, []);
    twice.complete_names(&[known]);
    assert_eq!((twice.errors.len(), sentences(&twice.errors)[200].as_str()), (201, "and 50 more"));
}

#[test]
fn a_column_of_rounds_chooses_the_lines() {
    let text = "round,table,white,black\n3,1,Ada,Bob\n4,1,Bob,Ada\n";
    let error = Round::read(text, None, &TableOrder::Unknown).unwrap_err().to_string();
    assert_eq!(error, "the file has rounds 3, 4: choose one with --round N");
    let round = Round::read(text, Some(4), &TableOrder::Unknown).unwrap();
    assert_eq!((round.number, words(&round)), (4, vec!["1 Bob () - Ada ()".to_owned()]));
    assert_eq!(Round::read(CSV, Some(5), &TableOrder::Unknown).unwrap().number, 5);
}
