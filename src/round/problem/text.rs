//! Problems as messages, for readers of every language.

use super::super::other_file::OtherFile;
use super::{ProblemKind, first_names, list};
use crate::game::Text;

/// Converts a number to that of a message.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Converts what is wrong: `problem-` and a key.
impl From<&ProblemKind> for Text {
    fn from(kind: &ProblemKind) -> Text {
        let text = |key: &str| Text::new(&format!("problem-{key}"));
        let at_tables =
            |text: Text, first: u16, second: u16| text.with("first", u32::from(first)).with("second", u32::from(second));
        let at = |text: Text, table: u16| text.with("table", u32::from(table));
        match kind {
            ProblemKind::TooLarge => text("too_large").with("most", count(super::super::preview::MAX_BYTES >> 20)),
            ProblemKind::EmptyFile => text("empty_file"),
            ProblemKind::OtherFile(file) => {
                let advice = if file.is_spreadsheet() { "save_as_csv" } else { "export" };
                text("other_file").with("file", other_file(*file)).with("advice", text(advice))
            }
            ProblemKind::UnknownFormat => text("unknown_format"),
            ProblemKind::DamagedText => text("damaged_text"),
            ProblemKind::NotUnicode => text("not_unicode"),
            ProblemKind::NoRoundNumber => text("no_round_number"),
            ProblemKind::SeveralRounds(rounds) => text("several_rounds").with("rounds", list(rounds)),
            ProblemKind::NoSuchRound { rounds, number } => {
                text("no_such_round").with("rounds", count(*rounds)).with("number", u32::from(*number))
            }
            ProblemKind::BadSection(table) => at(text("bad_section"), *table),
            ProblemKind::NobodyPaired => text("nobody_paired"),
            ProblemKind::TooManyPairings => text("too_many_pairings").with("most", count(super::super::MAX_PAIRINGS)),
            // What the parser says is English.
            ProblemKind::BadLine(_) => text("bad_line"),
            ProblemKind::WrongCount { values, names } => {
                text("wrong_count").with("values", count(*values)).with("names", count(*names))
            }
            ProblemKind::NotANumber(most) => text("not_a_number").with("most", *most),
            ProblemKind::BadResult(_) => text("bad_result"),
            ProblemKind::ResultsDiffer => text("results_differ"),
            ProblemKind::NoTable { white, black } => text("no_table").with("white", white.clone()).with("black", black.clone()),
            ProblemKind::TableTwice(table) => at(text("table_twice"), *table),
            ProblemKind::NoName(table) => at(text("no_name"), *table),
            ProblemKind::PlaysTwice { name, first, second } => {
                at_tables(text("plays_twice").with("name", name.clone()), *first, *second)
            }
            ProblemKind::ByeAndGame { name, table } => at(text("bye_and_game").with("name", name.clone()), *table),
            ProblemKind::TwoByes(name) => text("two_byes").with("name", name.clone()),
            ProblemKind::BadText(table) => at(text("bad_text"), *table),
            ProblemKind::BoardTwice { board, first, second } => {
                at_tables(text("board_twice").with("board", board.clone()), *first, *second)
            }
            ProblemKind::SerialTwice { serial, first, second } => {
                at_tables(text("serial_twice").with("serial", serial.clone()), *first, *second)
            }
            ProblemKind::SameFideId { name, other, id } => {
                text("same_fide_id").with("name", name.clone()).with("other", other.clone()).with("id", id.to_string())
            }
            ProblemKind::Namesakes(name) => text("namesakes").with("name", name.clone()),
            ProblemKind::NoRating(names) => match first_names(names) {
                (names, 0) => text("no_rating").with("names", names),
                (names, more) => text("no_rating_of_many").with("names", names).with("more", count(more)),
            },
            ProblemKind::Bye(name) => text("bye").with("name", name.clone()),
            ProblemKind::TablesByOrder => text("tables_by_order"),
            ProblemKind::BoardsAreTables => text("boards_are_tables"),
            ProblemKind::NotPgn { game, .. } => text("not_pgn").with("game", count(*game)),
            ProblemKind::BadStartNumber => text("bad_start_number"),
            ProblemKind::StartNumberTwice(number) => text("start_number_twice").with("number", *number),
            ProblemKind::OpponentElsewhere { player, opponent } => {
                text("opponent_elsewhere").with("player", *player).with("opponent", *opponent)
            }
            ProblemKind::NoOpponent { player, opponent } => {
                text("no_opponent").with("player", *player).with("opponent", *opponent)
            }
            ProblemKind::NoTableNumbers => text("no_table_numbers"),
            ProblemKind::NotInTableList { white, black } => {
                text("not_in_table_list").with("white", *white).with("black", *black)
            }
            ProblemKind::BadTableListLine => text("bad_table_list_line"),
            ProblemKind::More(more) => text("more").with("more", count(*more)),
        }
    }
}

/// Names a file of another sort: `problem-file_` and a key.
fn other_file(file: OtherFile) -> Text {
    Text::new(match file {
        OtherFile::WebPage => "problem-file_web_page",
        OtherFile::LibreOffice => "problem-file_libreoffice",
        OtherFile::Excel => "problem-file_excel",
        OtherFile::OldExcel => "problem-file_old_excel",
        OtherFile::Pdf => "problem-file_pdf",
        OtherFile::SwissManager => "problem-file_swiss_manager",
    })
}
