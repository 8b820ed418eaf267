//! Tables as pairing programs export them. The samples are written by hand, with the names of columns that the programs use.

use super::words;
use touchmove::game::words::Word;
use touchmove::round::trf::TableOrder;
use touchmove::round::{Round, RoundPreview};

fn read(text: &str) -> RoundPreview {
    let preview = Round::read_bytes(text.as_bytes(), None, &TableOrder::Unknown);
    assert_eq!(preview.errors, [], "{text}");
    preview
}

/// The results of the pairings and the kinds of the byes.
fn results(preview: &RoundPreview) -> Vec<&'static str> {
    let results = preview.round.pairings.iter().map(|pairing| pairing.result.map_or("*", Word::word));
    results.chain(preview.round.byes.iter().map(|bye| bye.kind.word())).collect()
}

/// The list of pairings that Chess-Results offers for Excel, saved as CSV.
#[test]
fn chess_results_in_english() {
    let preview = read(
        "From the Tournament-Database of Chess-Results https://chess-results.com,,,,,,,,,,,\n\
         \"City Open, Delft\",,,,,,,,,,,\n\
         Last update 21.11.2026 14:03:11,,,,,,,,,,,\n\
         Round 3 on 2026/11/21 at 15:00,,,,,,,,,,,\n\
         Bo.,No.,,Name,Rtg,Pts.,Result,Pts.,,Name,Rtg,No.\n\
         1,4,GM,\"Ada, Anna\",2500,2,½ - ½,2,WIM,\"Bob, Berta\",2300,1\n\
         2,7,,\"Cid, Carl\",0,1½,+ - -,1½,,\"Dee, Dora\",2100,2\n\
         3,9,,\"Eve, Emil\",1800,1,,,,bye,,\n\
         4,11,,\"Fay, Fred\",1700,0,0,,,not paired,,\n\
         ,,,,,,,,,,,\n\
         You find all details to this tournament under https://chess-results.com/tnr1.aspx?lan=1,,,,,,,,,,,\n",
    );
    let round = &preview.round;
    assert_eq!(words(round), ["1 Ada, Anna (GM 2500) - Bob, Berta (WIM 2300)", "2 Cid, Carl () - Dee, Dora (2100)  +--"]);
    assert_eq!(results(&preview), ["1/2-1/2", "+--", "pairing_allocated", "zero_point"]);
    assert_eq!((round.number, round.date.as_deref()), (3, Some("2026.11.21")));
    assert_eq!(round.event.as_deref(), Some("City Open, Delft"));
    assert_eq!((round.pairings[0].white.start_number, round.pairings[0].black.start_number), (Some(4), Some(1)));
    assert_eq!(preview.ignored_columns, [""; 0]);
}

/// Swiss-Manager with German texts.
#[test]
fn swiss_manager_in_german() {
    let preview = read(
        "Stadtmeisterschaft\n\
         3. Runde am 2026/11/21 um 15:00\n\
         Br.;Nr.;;Name;Elo;Land;Verein/Ort;Pkt.;Ergebnis;Pkt.;;Name;Elo;Land;Verein/Ort;Nr.\n\
         1;4;FM;Weiß, Anna;2310;GER;SK Nord;2;1 - 0;2;;Über, Udo;2105;AUT;SK Süd;1\n\
         2;5;;Groß, Karl;1950;GER;SK Nord;1;;;;spielfrei;;;;\n",
    );
    assert_eq!(words(&preview.round), ["1 Weiß, Anna (FM 2310 GER SK Nord) - Über, Udo (2105 AUT SK Süd)"]);
    assert_eq!((results(&preview), preview.round.number), (vec!["1-0", "pairing_allocated"], 3));
}

/// The names of the columns in other languages, also with one column for each colour.
#[test]
fn other_languages() {
    for (names, expected) in [
        ("Bo.;No.;;White;Rtg;Pts.;Result;Pts.;;Black;Rtg;No.", "Bo."),
        ("M.;No.;;Blancas;Elo;Pts.;Resultado;Pts.;;Negras;Elo;No.", "M."),
        ("Ech.;Nr.;;Blancs;Elo;Pts;Résultat;Pts;;Noirs;Elo;Nr.", "Ech."),
        ("Sc.;No.;;Bianco;Elo;Pti;Risultato;Pti;;Nero;Elo;No.", "Sc."),
        ("Br.;Nr.;;Weiß;Elo;Pkt.;Ergebnis;Pkt.;;Schwarz;Elo;Nr.", "Br."),
    ] {
        let text = format!("{names}\n12;3;GM;Ada;2500;1;0 - 1;1;;Bob;2400;8\n");
        let preview = Round::read_bytes(text.as_bytes(), Some(2), &TableOrder::Unknown);
        assert_eq!(preview.errors, [], "{expected}");
        assert_eq!(words(&preview.round), ["12 Ada (GM 2500) - Bob (2400)"], "{expected}");
        assert_eq!((results(&preview), preview.ignored_columns), (vec!["0-1"], vec![]), "{expected}");
    }
}

/// Vega and others: the players' numbers, and a column for the titles.
#[test]
fn a_title_has_its_own_column() {
    let preview = read(
        "Ronda 5\n\
         Board\tID\tTitle\tWhite\tRating\tResult\tID\tTitle\tBlack\tRating\n\
         1\t12\tIM\tRossi Mario\t2401\t1-0\t7\t\tBianchi Luca\t2210\n",
    );
    assert_eq!(words(&preview.round), ["1 Rossi Mario (IM 2401) - Bianchi Luca (2210)"]);
    assert_eq!((results(&preview), preview.round.number), (vec!["1-0"], 5));
    assert_eq!(preview.round.pairings[0].white.start_number, Some(12));
}

/// A single column of ratings belongs to no player.
#[test]
fn columns_that_fit_nobody_are_ignored() {
    let preview = Round::read_bytes(b"table,white,black,elo,arbiter\n1,Ada,Bob,2400,Zoe\n", Some(1), &TableOrder::Unknown);
    assert_eq!((words(&preview.round), preview.ignored_columns.len()), (vec!["1 Ada () - Bob ()".to_owned()], 2));
    assert_eq!(preview.ignored_columns, ["elo", "arbiter"]);
}
