//! Problems of files and errors of the desk in the reader's language.

use std::collections::BTreeSet;
use touchmove::daemon::hub::{DeskChangeError, OrderError};
use touchmove::desk::{DeskError, DeskPart};
use touchmove::game::Text;
use touchmove::locale::{Locale, keys, sentence};
use touchmove::publish::desk::{ActError, ExportError, act_error, export_error, preview_to_json};
use touchmove::round::other_file::OtherFile;
use touchmove::round::problem::ProblemKind;
use touchmove::round::trf::TableOrder;
use touchmove::round::{BadRound, PairingResult, Round};

/// The languages whose sentences are told apart by their letters.
const LOCALES: [Locale; 3] = [Locale::English, Locale::SimplifiedChinese, Locale::TraditionalChinese];

/// One problem of each kind. A kind that is not in the list does not compile.
macro_rules! one_of_each {
    ($($variant:ident $(($value:expr))? $({$($field:ident: $content:expr),+})?,)+) => {{
        #[allow(dead_code)]
        fn all(kind: &ProblemKind) {
            match kind { $(ProblemKind::$variant { .. } => (),)+ }
        }
        vec![$(ProblemKind::$variant $(($value))? $({$($field: $content),+})?),+]
    }};
}

fn problems() -> Vec<ProblemKind> {
    let text = || "A".to_owned();
    let bad_result = PairingResult::parse("won").unwrap_err();
    let mut problems = one_of_each! {
        TooLarge, EmptyFile, OtherFile(OtherFile::Pdf), UnknownFormat, DamagedText, NotUnicode, NoRoundNumber,
        SeveralRounds(vec![1, 2]), NoSuchRound { rounds: 2, number: 7 }, BadSection(3), NobodyPaired, TooManyPairings,
        BadLine(text()), WrongCount { values: 2, names: 3 }, NotANumber(9), BadResult(bad_result), ResultsDiffer,
        NoTable { white: text(), black: text() }, TableTwice(4), NoName(4), PlaysTwice { name: text(), first: 1, second: 2 },
        ByeAndGame { name: text(), table: 4 }, TwoByes(text()), BadText(4), BoardTwice { board: text(), first: 1, second: 2 },
        SerialTwice { serial: text(), first: 1, second: 2 }, SameFideId { name: text(), other: text(), id: 1_503_014 },
        Namesakes(text()), NoRating(vec![text()]), Bye(text()), TablesByOrder, BoardsAreTables, NotPgn { game: 1, error: text() }, BadStartNumber,
        StartNumberTwice(3), OpponentElsewhere { player: 1, opponent: 2 }, NoOpponent { player: 1, opponent: 2 },
        NoTableNumbers, NotInTableList { white: 1, black: 2 }, BadTableListLine, More(5),
    };
    problems.push(ProblemKind::NoRating(vec![text(); 11]));
    problems.extend(
        [OtherFile::WebPage, OtherFile::LibreOffice, OtherFile::Excel, OtherFile::OldExcel, OtherFile::SwissManager]
            .map(ProblemKind::OtherFile),
    );
    problems
}

/// The keys of a text and of those within it.
fn keys_of(text: &Text) -> Vec<String> {
    let inner = text.args.iter().filter_map(|(_, arg)| match arg {
        touchmove::game::Arg::Text(inner) => Some(keys_of(inner)),
        _ => None,
    });
    std::iter::once(text.key.clone()).chain(inner.flatten()).collect()
}

#[test]
fn every_problem_has_a_sentence_in_each_language() {
    let texts: Vec<Text> = problems().iter().map(Text::from).collect();
    let used: BTreeSet<String> = texts.iter().flat_map(keys_of).collect();
    let known: BTreeSet<String> =
        keys::all().map(|(key, _)| key.to_owned()).filter(|key| key.starts_with("problem-")).collect();
    assert_eq!(used, known);
    for text in &texts {
        let sentences = Locale::ALL.map(|locale| sentence(locale, text));
        // A text without its arguments is shown as its key.
        assert!(sentences.iter().all(|shown| !shown.contains("problem-")), "{sentences:?}");
        let [english, simplified, traditional] = LOCALES.map(|locale| sentence(locale, text));
        assert!(english.is_ascii() && !simplified.is_ascii() && !traditional.is_ascii(), "{sentences:?}");
    }
}

#[test]
fn a_preview_says_in_the_readers_language_what_is_wrong() {
    let file = "table,white,black\n1,Ada,Bob\n1,Cid,Dee\nx,Eve,Fay\n";
    let preview = Round::read_bytes(file.as_bytes(), Some(1), &TableOrder::Unknown);
    let message = |locale: Locale| {
        let json = preview_to_json(locale, &preview, &[]);
        let messages = json["errors"].as_array().unwrap().iter().map(|error| error["message"].as_str().unwrap().to_owned());
        (messages.collect::<Vec<String>>(), json["errors"][0]["line"].clone(), json["round"]["number"].clone())
    };
    let (english, line, number) = message(Locale::English);
    assert!(english.contains(&"table 1 is listed twice".to_owned()), "{english:?}");
    let (chinese, line_too, _) = message(Locale::SimplifiedChinese);
    assert!(chinese.contains(&"1号台列出两次".to_owned()), "{chinese:?}");
    assert_eq!((line == line_too, english.len(), number), (true, chinese.len(), 1.into()));
}

#[test]
fn every_error_of_the_desk_has_a_sentence_in_each_language() {
    let impossible = |error: DeskError| ActError::Desk(DeskChangeError::Impossible(error));
    let bad_round = BadRound(Round::default().check());
    let errors = [
        ActError::NotAnAct("x".to_owned()),
        ActError::Internal,
        ActError::HasMoves(3),
        ActError::Desk(DeskChangeError::NoSuchBoard("b".to_owned())),
        impossible(DeskError::NoRound(3)),
        impossible(DeskError::NoPairing { round: 1, table: 2 }),
        impossible(DeskError::NoSeat(2)),
        impossible(DeskError::TableZero),
        impossible(DeskError::SeatedTwice { board: "b".to_owned(), one: 1, other: 2 }),
        impossible(DeskError::RoundInPlay(3)),
        impossible(DeskError::HasPairing { round: 1, table: 2 }),
        impossible(DeskError::BadRound(bad_round)),
        ActError::Game(OrderError::Stopping),
    ];
    let overtaken = [
        DeskPart::Desk,
        DeskPart::Seats,
        DeskPart::SeatOfTable(1),
        DeskPart::SeatOfBoard("b".to_owned()),
        DeskPart::CurrentRound,
        DeskPart::Round(1),
        DeskPart::Pairing { round: 1, table: 2 },
        DeskPart::Byes(1),
        DeskPart::Player { round: 1, name: "A".to_owned(), fide_id: None },
    ];
    let overtaken = overtaken.map(|part| impossible(DeskError::Overtaken { by: "O".to_owned(), part }));
    let shown = |locale: Locale| -> Vec<String> {
        let exports = [ExportError::NoRound(None), ExportError::NoRound(Some(3))];
        let exports = exports.iter().map(|error| export_error(locale, error));
        errors.iter().chain(&overtaken).map(|error| act_error(locale, error)).chain(exports).collect()
    };
    let [english, simplified, traditional] = LOCALES.map(shown);
    for (english, chinese) in english.iter().zip(simplified.iter().zip(&traditional)) {
        assert!(english.is_ascii() && !english.contains("desk-") && !english.contains("touchmovectl"), "{english}");
        assert!(!chinese.0.is_ascii() && !chinese.1.is_ascii(), "{chinese:?}");
    }
    assert_eq!(
        english[11],
        "nothing was changed: the round has no number: enter it beside the file; nobody is paired in this round"
    );
}
