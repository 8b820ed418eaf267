//! `touchmovectl arbiter position`: a new game from a position, also from the one that a board shows.

use super::confirm::{Confirmation, Decision, confirm};
use super::live;
use crate::ctl::completion;
use crate::ctl::service::{Service, board, parse_word, print};
use crate::game::Command;
use crate::publish::client::BoardInfo;
use crate::table::is_turned;
use crate::wire::Word;
use anyhow::Context;
use shakmaty::{Board, Color, Piece, Square};

/// An example, in the list of all subcommands.
pub(super) const EXAMPLE: &str = "position '4k3/8/8/8/8/8/4P3/4K3 w - - 0 40' --board dgt_ttyUSB0";

/// Begin a new game from this position
#[derive(Debug, clap::Args)]
#[command(
    long_about = "Begin a new game from this position.

The current game on the board ends: its moves remain in the journal and in its PGN, with its result, or * if it has none \
(so set the result first). The counters of the FEN continue: a game that is resumed at move 20 is numbered from 20. Squares \
of the board that differ are listed; `touchmovectl board` shows them until they agree.",
    after_help = "Examples:
  touchmovectl arbiter position '8/5k2/8/8/4K3/8/4P3/8 w - - 0 61'
  touchmovectl arbiter position '4k3/8/8/8/8/8/4P3/4K3 w - - 0 40' --board dgt_ttyUSB0
  touchmovectl arbiter position shown --turn black"
)]
pub(super) struct Args {
    /// A FEN, in quotes; X-FEN or Shredder-FEN for Chess960. Or `shown`: the position on a board that identifies pieces, with
    /// the moves that led to it since touchmoved has read the board
    fen: String,
    /// The player to move in the shown position [default: the player whose clock runs, else White; the output names the player]
    #[arg(long, value_parser = parse_word::<Color>)]
    turn: Option<Color>,
    /// Name of the board, see `touchmovectl list` [default: the only board]
    #[arg(long, add = completion::boards())]
    board: Option<String>,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    service: Service,
}

/// Begins the game and prints the number of its moves and the squares that differ.
pub(super) async fn run(Args { fen, turn, board: name, confirmation, service }: Args) -> anyhow::Result<()> {
    let client = live(&service)?.connect().await?;
    let snapshot = client.snapshot().await?;
    let board_info = board(&snapshot, name.as_deref())?;
    let id = board_info.id.clone();
    let is_shown = fen == "shown";
    let side = turn.unwrap_or_else(|| side_to_move(board_info));
    let fen = if is_shown { shown(board_info, side)? } else { fen };
    match board_info.game {
        Some(game) => {
            let command = Command::Position { fen };
            match confirm(&client, game, &command, confirmation).await? {
                Decision::Proceed { seen } => drop(client.send_command_seen(game, &command, seen).await?),
                Decision::Cancel => return Ok(print("nothing was changed\n")?),
            }
        }
        None => client.set_position(&id, &fen).await?,
    }
    let snapshot = client.snapshot().await?;
    let board = board(&snapshot, Some(&id))?;
    let mut text = match board.game {
        Some(game) => {
            let moves = snapshot.games.iter().find(|known| known.id == game).map_or(0, |game| game.moves.len());
            let with = match moves {
                0 => " from this position".to_owned(),
                1 => " with the move that led to this position".to_owned(),
                count => format!(" with the {count} moves that led to this position"),
            };
            format!("game {game} on {id} begins{with}\n")
        }
        None => format!("a game on {id} begins from this position\n"),
    };
    if is_shown {
        text.push_str(&to_move(side, turn.is_some()));
    }
    for (square, expected, shown) in &board.displaced {
        text.push_str(&format!("{square}: the position has {expected}, the board shows {shown}\n"));
    }
    Ok(print(&text)?)
}

/// Returns who is assumed to be to move on this board: the player whose clock runs, White where there is no clock.
fn side_to_move(board: &BoardInfo) -> Color {
    let black_runs = board.clock.as_ref().is_some_and(|clock| clock.turn == "black");
    if black_runs { Color::Black } else { Color::White }
}

/// Returns the line that says who is to move; `by_arbiter`: the arbiter chose the player; otherwise the line also says how to choose the other one.
fn to_move(side: Color, by_arbiter: bool) -> String {
    let player = side.fold_wb("White", "Black");
    match by_arbiter {
        true => format!("{player} to move\n"),
        false => format!("{player} to move; for the other player use --turn {}\n", (!side).word()),
    }
}

/// Returns the position on this board as a FEN. Kings and rooks on their first squares count as unmoved.
fn shown(board: &BoardInfo, side: Color) -> anyhow::Result<String> {
    let letters = || Square::ALL.into_iter().zip(board.placement.chars()).filter(|(_, letter)| *letter != '.');
    let pieces: Option<Vec<(Square, Piece)>> =
        letters().map(|(square, letter)| Some((square, Piece::from_char(letter)?))).collect();
    let pieces = pieces
        .filter(|pieces| !pieces.is_empty())
        .with_context(|| format!("board {} does not identify its pieces: give the position as a FEN", board.id))?;
    let mut squares = Board::empty();
    pieces.into_iter().for_each(|(square, piece)| squares.set_piece_at(square, piece));
    if is_turned(&squares) {
        squares.rotate_180();
    }
    let has = |square, piece| squares.piece_at(square) == Some(piece);
    let rights: String = [(Color::White, Square::E1, Square::H1, 'K'), (Color::White, Square::E1, Square::A1, 'Q')]
        .into_iter()
        .chain([(Color::Black, Square::E8, Square::H8, 'k'), (Color::Black, Square::E8, Square::A8, 'q')])
        .filter(|&(color, king, rook, _)| has(king, color.king()) && has(rook, color.rook()))
        .map(|(.., letter)| letter)
        .collect();
    let rights = if rights.is_empty() { "-" } else { &rights };
    Ok(format!("{squares} {} {rights} - 0 1", side.fold_wb('w', 'b')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::client::ClockInfo;

    /// As D-Bus sends it: a1 first.
    const PLACEMENT: &str =
        concat!("R...K..R", "PPP..PPP", "........", "........", "........", "........", "ppp..ppp", "r...k..r");

    #[test]
    fn shown_is_the_position_on_the_board() {
        let board = |placement: &str| BoardInfo { placement: placement.to_owned(), ..BoardInfo::default() };
        let fen = shown(&board(PLACEMENT), Color::White).unwrap();
        assert_eq!(fen, "r3k2r/ppp2ppp/8/8/8/8/PPP2PPP/R3K2R w KQkq - 0 1");
        // A rotated board gives the same.
        let turned: String = PLACEMENT.chars().rev().collect();
        assert_eq!(shown(&board(&turned), Color::Black).unwrap(), fen.replace(" w ", " b "));
        for unknown in ["", &"x".repeat(64)] {
            assert!(shown(&board(unknown), Color::White).is_err());
        }
    }

    #[test]
    fn output_names_the_player_to_move() {
        let board = |turn: Option<&str>| {
            let clock = turn.map(|turn| ClockInfo { turn: turn.to_owned(), ..ClockInfo::default() });
            BoardInfo { clock, ..BoardInfo::default() }
        };
        assert_eq!(side_to_move(&board(Some("black"))), Color::Black);
        assert_eq!(side_to_move(&board(Some("white"))), Color::White);
        assert_eq!(side_to_move(&board(None)), Color::White);
        assert_eq!(to_move(Color::White, false), "White to move; for the other player use --turn black\n");
        assert_eq!(to_move(Color::Black, false), "Black to move; for the other player use --turn white\n");
        assert_eq!(to_move(Color::Black, true), "Black to move\n");
    }
}
