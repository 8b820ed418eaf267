//! Draws boards and clocks in a terminal.

use std::io::IsTerminal;

/// The style of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Chess figures on coloured squares.
    Colour,
    /// Chess figures, and dots for dark squares: for files, pipes and `NO_COLOR`.
    Plain,
}

impl Style {
    /// Returns the style that standard output supports and the user wants (`NO_COLOR`).
    pub fn of_stdout() -> Style {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if std::io::stdout().is_terminal() && wanted && !dumb { Style::Colour } else { Style::Plain }
    }
}

/// 64 squares, a1 b1 … h8, as in the property `Placement`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Squares([char; 64]);

impl Squares {
    /// Parses the property `Placement`; `None` before the first whole reading.
    pub fn from_placement(text: &str) -> Option<Squares> {
        text.chars().collect::<Vec<_>>().try_into().ok().map(Squares)
    }

    /// Parses the first field of a FEN.
    pub fn from_fen(fen: &str) -> Option<Squares> {
        let mut squares = ['.'; 64];
        let ranks: Vec<&str> = fen.split_whitespace().next()?.split('/').collect();
        if ranks.len() != 8 {
            return None;
        }
        for (rank, text) in ranks.iter().rev().enumerate() {
            let mut file = 0;
            for letter in text.chars().filter(|letter| *letter != '~') {
                match letter.to_digit(10) {
                    Some(empty) => file += empty as usize,
                    None => {
                        let square = (file < 8).then(|| squares.get_mut(rank * 8 + file)).flatten()?;
                        *square = letter;
                        file += 1;
                    }
                }
            }
        }
        Some(Squares(squares))
    }

    /// Draws eight lines with White at the bottom, and the letters of the files below; each line ends with a newline.
    pub fn draw(&self, style: Style) -> String {
        let mut text = String::new();
        for (index, rank) in self.0.chunks(8).enumerate().rev() {
            text.push_str(&format!("{} ", index + 1));
            for (file, letter) in rank.iter().enumerate() {
                let dark = (index + file).is_multiple_of(2);
                match style {
                    Style::Colour => {
                        let ground = if dark { "48;5;65" } else { "48;5;151" };
                        // The filled figures for both sides: colour distinguishes them on any background.
                        let ink = if letter.is_ascii_uppercase() || *letter == 'w' { "97" } else { "30" };
                        text.push_str(&format!("\x1b[{ground};{ink}m{} ", figure(letter.to_ascii_lowercase())));
                    }
                    Style::Plain if *letter == '.' => text.push_str(if dark { "· " } else { "  " }),
                    Style::Plain => text.push_str(&format!("{} ", figure(*letter))),
                }
            }
            if style == Style::Colour {
                text.push_str("\x1b[0m");
            } else {
                text.truncate(text.trim_end().len());
            }
            text.push('\n');
        }
        text.push_str("  a b c d e f g h\n");
        text
    }
}

fn figure(letter: char) -> char {
    match letter {
        'K' => '♔',
        'Q' => '♕',
        'R' => '♖',
        'B' => '♗',
        'N' => '♘',
        'P' => '♙',
        'k' => '♚',
        'q' => '♛',
        'r' => '♜',
        'b' => '♝',
        'n' => '♞',
        'p' => '♟',
        'w' => '○',
        'o' => '●',
        'x' => '◆',
        _ => ' ',
    }
}

/// Formats milliseconds as `1:25:36`; `-:--:--` if unknown (negative).
pub fn clock(ms: i32) -> String {
    match u32::try_from(ms) {
        Ok(ms) => format!("{}:{:02}:{:02}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60),
        Err(_) => "-:--:--".to_owned(),
    }
}

/// Formats the last move with its number, as `21.Nf3` or `21...Qa5`; `None` if there is no move. `start`: see [`moves`].
pub fn last_move<'a>(start: &str, sans: impl Iterator<Item = &'a str>) -> Option<String> {
    let (index, san) = sans.enumerate().last()?;
    let mut fields = start.split_whitespace();
    let black = fields.nth(1) == Some("b");
    let number: u32 = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
    let ply = index as u64 + u64::from(black);
    Some(format!("{}{}{san}", u64::from(number) + ply / 2, if ply % 2 == 1 { "..." } else { "." }))
}

/// Formats moves as `1. e4 e5 2. Nf3`, wrapped at 79 columns; each line ends with a newline. `start` gives the side to move and the
/// move number.
pub fn moves<'a>(start: &str, sans: impl Iterator<Item = &'a str>) -> String {
    let mut fields = start.split_whitespace();
    let mut black = fields.nth(1) == Some("b");
    let mut number: u32 = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
    let (mut text, mut column, mut first) = (String::new(), 0, true);
    for san in sans {
        let word = match black {
            false => format!("{number}. {san}"),
            true if first => format!("{number}... {san}"),
            true => san.to_owned(),
        };
        if !first {
            let wraps = column + 1 + word.len() > 79;
            text.push(if wraps { '\n' } else { ' ' });
            column = if wraps { 0 } else { column + 1 };
        }
        text.push_str(&word);
        column += word.len();
        first = false;
        number += u32::from(black);
        black = !black;
    }
    if !first {
        text.push('\n');
    }
    text
}
