//! The rows of the monitor: time of day, table or board, players, and the event.

use crate::ctl::columns::{cut, left, right, terminal_width, wrap};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use unicode_width::UnicodeWidthStr;

/// Minimum and maximum width of the column for the table or the board.
const MIN_PLACE: usize = 3;
const MAX_PLACE: usize = 16;
/// Maximum width of a player's surname.
const MAX_SURNAME: usize = 11;

/// Where something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// Number of the playing table, or name of the board.
    place: String,
    /// The surnames of both players; empty if they are not known.
    players: String,
}

impl Origin {
    /// The origin of an event of a board.
    pub(super) fn board(name: &str) -> Origin {
        Origin { place: name.to_owned(), players: String::new() }
    }

    /// The origin of an event of a game on this board; `tag`: the value of a PGN tag.
    pub(super) fn of<'a>(board: &str, tag: impl Fn(&str) -> Option<&'a str>) -> Origin {
        let known = |name: &str| tag(name).filter(|value| !matches!(*value, "" | "?"));
        let surname =
            |name: &'static str| known(name).map(|name| cut(name.split(',').next().unwrap_or(name).trim(), MAX_SURNAME));
        let players = match (surname("White"), surname("Black")) {
            (None, None) => String::new(),
            (white, black) => format!("{} - {}", white.as_deref().unwrap_or("?"), black.as_deref().unwrap_or("?")),
        };
        Origin { place: known("Table").unwrap_or(board).to_owned(), players }
    }
}

/// The widths of the columns. They only grow, so that rows stay aligned as far as possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    place: usize,
    players: usize,
}

impl Layout {
    /// Widens the columns for rows of this origin.
    pub(super) fn fit(&mut self, origin: &Origin) {
        self.place = self.place.max(origin.place.width()).clamp(MIN_PLACE, MAX_PLACE);
        self.players = self.players.max(origin.players.width());
    }

    /// Returns a row. A text that is too long for the terminal goes on below its beginning. `time`: in milliseconds since
    /// 1970-01-01 UTC; `None`: now.
    pub(super) fn row(&mut self, time: Option<i64>, origin: &Origin, text: &str) -> String {
        self.fit(origin);
        let players = if self.players > 0 { format!("{}  ", left(&origin.players, self.players)) } else { String::new() };
        let head = format!("{}  {}  {players}", time_of_day(time), right(&origin.place, self.place));
        wrapped(&head, text)
    }

    /// Returns a line about the service as a whole.
    pub(super) fn line(&self, text: &str) -> String {
        wrapped(&format!("{}  ", time_of_day(None)), text)
    }
}

fn wrapped(head: &str, text: &str) -> String {
    let line = format!("{head}{text}");
    // Without a terminal, each event is one line.
    terminal_width().map_or_else(|| line.clone(), |width| wrap(&line, width, head.width()))
}

/// Returns the time of day on this machine, as `14:03:27`.
fn time_of_day(ms: Option<i64>) -> String {
    let time = ms.and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or_else(Timestamp::now);
    time.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_aligned() {
        let tags = |table, white, black| {
            move |name: &str| match name {
                "Table" => Some(table),
                "White" => Some(white),
                "Black" => Some(black),
                _ => None,
            }
        };
        let first = Origin::of("dgt_1", tags("3", "Xiong, Jeffery", "丁立人"));
        let second = Origin::of("dgt_2", tags("12", "Venkatanarasimharajuvaripeta, R", "?"));
        let mut layout = Layout::default();
        [&first, &second].into_iter().for_each(|origin| layout.fit(origin));
        let time = Some(1_764_000_000_000);
        let rows = [
            layout.row(time, &first, "1.e4"),
            layout.row(time, &second, "1.d4"),
            layout.row(time, &Origin::board("dgt_1"), "silent"),
        ];
        assert_eq!(&rows[0][8..], "    3  Xiong - 丁立人   1.e4");
        assert_eq!(&rows[1][8..], "   12  Venkatanar… - ?  1.d4");
        // The board's name is wider than the tables' numbers were.
        assert_eq!(&rows[2][8..], "  dgt_1                   silent");
        let second_of_minute = |row: &str| row[..8].rsplit(':').next().map(str::to_owned);
        assert_eq!(second_of_minute(&rows[0]).as_deref(), Some("00"));
    }

    #[test]
    fn without_names_there_is_no_column_for_them() {
        let origin = Origin::of("dgt_1", |_| Some("?"));
        assert_eq!(&Layout::default().row(Some(0), &origin, "1.e4")[8..], "  dgt_1  1.e4");
    }
}
