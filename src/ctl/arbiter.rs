//! `touchmovectl arbiter`: what the arbiter decides about a game.

use super::diagram::last_move;
use super::service::{Service, board, game, print};
use crate::game::pgn::is_tag_name;
use crate::game::{Command, GameResult};
use crate::laws::draws::ClaimKind;
use crate::laws::{Irregularity, Laws, Worded};
use crate::publish::client::{BoardInfo, ClaimVerdict, ClientError, Reply};
use crate::publish::dbus::Stream;
use crate::table::is_turned;
use crate::wire::Word;
use anyhow::Context;
use shakmaty::{Board, Color, Piece, Role, Square};

/// Set the result or the position, take back moves, restore positions, and rule on alerts
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl arbiter result 1-0
  touchmovectl arbiter result '*' --game 17
  touchmovectl arbiter position '4k3/8/8/8/8/8/4P3/4K3 w - - 0 40' --board dgt_ttyUSB0
  touchmovectl arbiter take-back 2
  touchmovectl arbiter promotion knight
  touchmovectl arbiter promotion rook --ply 87
  touchmovectl arbiter adjust white
  touchmovectl arbiter acknowledge 3
  touchmovectl arbiter restore 41
  touchmovectl arbiter let-stand 3
  touchmovectl arbiter replace 41 e4d5
  touchmovectl arbiter insert 41 e7e5
  touchmovectl arbiter undo
  touchmovectl arbiter count white illegal_move
  touchmovectl arbiter strike white 41
  touchmovectl arbiter note-clocks 1:23:45 0:07:10 'two minutes for Black'
  touchmovectl arbiter laws 'fide-2023 blitz limited' --game 17
  touchmovectl arbiter tags 'White=Carlsen, Magnus' WhiteElo=2830
  touchmovectl arbiter pause
  touchmovectl arbiter resume
  touchmovectl arbiter claim white repetition --intended g1f3

Every command is stored in the journal with its user. On the system bus only root and group touchmove-arbiter may give commands.")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Set the result of a game, or withdraw it
    #[command(after_help = "Examples:\n  touchmovectl arbiter result 1/2-1/2\n  touchmovectl arbiter result '*'")]
    Result {
        /// 1-0, 0-1, 1/2-1/2, or * to withdraw it: the game continues
        #[arg(value_parser = result)]
        result: Outcome,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Begin a new game from this position
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
    Position {
        /// A FEN, in quotes; X-FEN or Shredder-FEN for Chess960. Or `shown`: the position on a board that identifies pieces, with
        /// the moves that led to it since touchmoved has read the board
        fen: String,
        /// The player to move in the shown position [default: the player whose clock runs, else White; the output names the player]
        #[arg(long, value_parser = word::<Color>)]
        turn: Option<Color>,
        /// Name of the board, see `touchmovectl list` [default: the only board]
        #[arg(long)]
        board: Option<String>,
        #[command(flatten)]
        service: Service,
    },
    /// Take back the last moves
    #[command(after_help = "Examples:\n  touchmovectl arbiter take-back\n  touchmovectl arbiter take-back 3 --game 17")]
    TakeBack {
        /// Number of moves, where each player's move counts as one
        #[arg(default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        plies: u32,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Set the piece of a promotion, if the board cannot detect it
    #[command(
        after_help = "Examples:\n  touchmovectl arbiter promotion knight\n  touchmovectl arbiter promotion rook --ply 87"
    )]
    Promotion {
        /// queen, rook, bishop or knight
        #[arg(value_parser = word::<Role>)]
        piece: Role,
        /// The ply of the promotion: White's first move is 1, Black's 2 [default: the last promotion]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        ply: Option<u32>,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Announce that a player adjusts pieces: a piece that they touch next and put back is no move
    #[command(after_help = "Examples:\n  touchmovectl arbiter adjust white")]
    Adjust {
        /// white or black
        #[arg(value_parser = word::<Color>)]
        player: Color,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Acknowledge an alert, which closes it
    #[command(after_help = "Examples:\n  touchmovectl arbiter acknowledge 3")]
    Acknowledge {
        /// Number of the alert, see `touchmovectl game`
        alert: u32,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Restore the position before a move
    #[command(
        long_about = "Restore the position before a move (Art. 7.5.1).

The moves from there on are removed from the record, and `touchmovectl board` lists the squares that still differ until the \
board agrees. If the first of those moves was illegal, the output lists the moves that its touched pieces allow.",
        after_help = "Examples:\n  touchmovectl arbiter restore 41\n  touchmovectl arbiter restore 41 --game 17"
    )]
    Restore {
        /// The ply to play again: White's first move is 1, Black's 2
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        ply: u32,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Let an irregular move stand: the game continues from it
    #[command(after_help = "Examples:\n  touchmovectl arbiter let-stand 3")]
    LetStand {
        /// Number of the alert about the move, see `touchmovectl game`
        alert: u32,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Replace a move by another one; the moves after it remain
    #[command(after_help = "Examples:\n  touchmovectl arbiter replace 41 e4d5\n  touchmovectl arbiter replace 87 b7b8n")]
    Replace {
        /// The ply: White's first move is 1, Black's 2
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        ply: u32,
        /// The legal move that was played, in UCI
        #[arg(value_name = "MOVE")]
        uci: String,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Insert a missing move; the moves after it remain
    #[command(after_help = "Examples:\n  touchmovectl arbiter insert 41 e7e5")]
    Insert {
        /// The ply of the missing move; the move that is there now follows it
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        ply: u32,
        /// The legal move that was played, in UCI
        #[arg(value_name = "MOVE")]
        uci: String,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Undo the last command that changed the game
    #[command(
        long_about = "Undo the last command that changed the game, if no move has been played since.

The last four commands can be undone, one after the other. A new position can be undone, too, if no move has been played from it: the previous game continues as soon as its position is on the board again.",
        after_help = "Examples:\n  touchmovectl arbiter undo"
    )]
    Undo {
        #[command(flatten)]
        of: GameSelector,
    },
    /// Count an irregularity of a player
    #[command(after_help = "Examples:\n  touchmovectl arbiter count black two_hands")]
    Count {
        /// white or black
        #[arg(value_parser = word::<Color>)]
        player: Color,
        /// Kind of irregularity: illegal_move, press_without_move, two_hands and others
        #[arg(value_parser = irregularity)]
        what: Irregularity,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Remove the last counted irregularity of a player at a ply
    #[command(after_help = "Examples:\n  touchmovectl arbiter strike white 41")]
    Strike {
        /// white or black
        #[arg(value_parser = word::<Color>)]
        player: Color,
        /// The ply at which it was counted
        ply: u32,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Record the times that were set on the clock, in the journal only; the clock is not changed
    #[command(after_help = "Examples:\n  touchmovectl arbiter note-clocks 1:23:45 0:07:10 'two minutes for Black'")]
    NoteClocks {
        /// White's time: hours:minutes:seconds, or minutes:seconds
        #[arg(value_parser = time)]
        white: u32,
        /// Black's time
        #[arg(value_parser = time)]
        black: u32,
        /// Reason
        #[arg(default_value = "")]
        note: String,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Set the Laws of this game, if they differ from those of the event
    #[command(after_help = "Examples:\n  touchmovectl arbiter laws 'fide-2023 blitz limited' --game 17\n\n\
        `touchmovectl laws` lists the editions.")]
    Laws {
        /// An edition, then rapid or blitz, then limited if not every game is supervised and recorded; in quotes
        laws: Laws,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Set the players and other PGN tags of this game; `touchmovectl round` sets them for all boards
    #[command(
        after_help = "Examples:\n  touchmovectl arbiter tags 'White=Carlsen, Magnus' 'Black=Ding, Liren' WhiteElo=2830\n\n\
        They replace all tags given before."
    )]
    Tags {
        /// NAME=VALUE, in quotes if it contains spaces
        #[arg(value_parser = tag, required = true)]
        tags: Vec<(String, String)>,
        #[command(flatten)]
        of: GameSelector,
    },
    /// Pause the game: the lever and the pieces may be handled until the clock is started or the game is resumed
    #[command(after_help = "Examples:\n  touchmovectl arbiter pause")]
    Pause {
        #[command(flatten)]
        of: GameSelector,
    },
    /// Resume a paused game
    #[command(after_help = "Examples:\n  touchmovectl arbiter resume")]
    Resume {
        #[command(flatten)]
        of: GameSelector,
    },
    /// Check a player's claim of a draw; nothing is changed
    #[command(
        after_help = "Examples:\n  touchmovectl arbiter claim white repetition\n  touchmovectl arbiter claim black fifty_moves --intended f6g8"
    )]
    Claim {
        /// white or black
        #[arg(value_parser = word::<Color>)]
        player: Color,
        /// repetition or fifty_moves
        #[arg(value_parser = word::<ClaimKind>)]
        claimed: ClaimKind,
        /// The move that the player has written down and not played, in UCI [default: the claim is about the position on the board]
        #[arg(long, value_name = "MOVE")]
        intended: Option<String>,
        #[command(flatten)]
        of: GameSelector,
    },
}

/// The game that is meant.
#[derive(Debug, clap::Args)]
struct GameSelector {
    /// Number of the game, or name of its board [default: the game in progress, else the last one]
    #[arg(long)]
    game: Option<String>,
    #[command(flatten)]
    service: Service,
}

/// A result, or none: one argument, so not an `Option`, which would be an argument that may be missing.
#[derive(Clone, Copy, Debug)]
struct Outcome(Option<GameResult>);

fn result(text: &str) -> Result<Outcome, String> {
    match (GameResult::parse(text), text) {
        (None, "*") => Ok(Outcome(None)),
        (Some(result), _) => Ok(Outcome(Some(result))),
        (None, _) => Err("write 1-0, 0-1, 1/2-1/2, or '*' to withdraw it".to_owned()),
    }
}

/// Parses a word of a closed set.
pub(super) fn word<T: Word>(text: &str) -> Result<T, String> {
    T::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
        format!("write {}", words.join(" or "))
    })
}

fn tag(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as 'White=Carlsen, Magnus'")?;
    match is_tag_name(name) {
        true => Ok((name.to_owned(), value.to_owned())),
        false => Err(format!("{name:?} is not a valid name of a PGN tag: write only letters, digits and _")),
    }
}

fn irregularity(text: &str) -> Result<Irregularity, String> {
    Irregularity::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = Irregularity::ALL.iter().map(|irregularity| irregularity.word()).collect();
        format!("write one of {}", words.join(", "))
    })
}

/// Parses `1:23:45`, `7:10` or `10` to milliseconds.
fn time(text: &str) -> Result<u32, String> {
    let invalid = || "write hours:minutes:seconds, such as 1:23:45".to_owned();
    let parts: Vec<u32> = text.split(':').map(str::parse).collect::<Result<_, _>>().map_err(|_| invalid())?;
    let seconds = parts.iter().try_fold(0u32, |sum, part| sum.checked_mul(60)?.checked_add(*part));
    seconds.filter(|_| parts.len() <= 3).and_then(|seconds| seconds.checked_mul(1000)).ok_or_else(invalid)
}

/// Sends the command and prints its result.
///
/// # Errors
/// If touchmoved is not reachable or refuses the command; the message is its own.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let (command, of) = match args.what {
        What::Position { fen, turn, board, service } => return position(&fen, turn, board.as_deref(), &service).await,
        What::Result { result: Outcome(result), of } => (Command::Result(result), of),
        What::TakeBack { plies, of } => (Command::TakeBack(plies), of),
        What::Promotion { piece, ply, of } => (Command::Promotion { ply, role: piece }, of),
        What::Adjust { player, of } => (Command::Adjust(player), of),
        What::Acknowledge { alert, of } => (Command::Acknowledge(alert), of),
        What::Restore { ply, of } => (Command::Restore { ply }, of),
        What::LetStand { alert, of } => (Command::LetStand(alert), of),
        What::Replace { ply, uci, of } => (Command::Replace { ply, uci }, of),
        What::Insert { ply, uci, of } => (Command::Insert { ply, uci }, of),
        What::Undo { of } => (Command::Undo, of),
        What::Count { player, what, of } => (Command::Count { player, what }, of),
        What::Strike { player, ply, of } => (Command::Strike { player, ply }, of),
        What::NoteClocks { white, black, note, of } => (Command::ClockNote { white_ms: white, black_ms: black, note }, of),
        What::Laws { laws, of } => (Command::Laws(laws), of),
        What::Tags { tags, of } => (Command::Tags(tags), of),
        What::Pause { of } => (Command::Pause(true), of),
        What::Resume { of } => (Command::Pause(false), of),
        What::Claim { player, claimed, intended, of } => (Command::Claim { player, claimed, intended }, of),
    };
    let client = live(&of.service)?.connect().await?;
    let id = game(&client.snapshot().await?, of.game.as_deref())?.id;
    let reply = client.send_command(id, &command).await?;
    let snapshot = client.snapshot().await?;
    let game = game(&snapshot, Some(&id.to_string()))?;
    let last = last_move(&game.start, game.moves.iter().map(|ply| ply.san.as_str()));
    let name = |player: Color| player.fold_wb("White", "Black");
    let outcome = match command {
        Command::Result(_) => format!("the result is {}", game.result),
        Command::TakeBack(_) => {
            last.map_or_else(|| "no move is left".to_owned(), |last| format!("the last move is now {last}"))
        }
        Command::Adjust(player) => format!("{} adjusts pieces", name(player)),
        Command::Acknowledge(alert) => format!("alert {alert} is closed"),
        Command::LetStand(alert) => format!("alert {alert} is closed, and its move stands"),
        Command::Replace { .. } | Command::Insert { .. } => format!("the position is {}", game.fen),
        Command::Restore { .. } | Command::Claim { .. } | Command::Undo => describe_reply(&reply, &game.fen),
        Command::Count { player, what } => format!("{} was counted for {}", what.word(), name(player)),
        Command::Strike { player, ply } => format!("{}'s last irregularity at ply {ply} was removed", name(player)),
        Command::ClockNote { .. } => "the times were recorded".to_owned(),
        Command::Laws(laws) => format!("the Laws are now {laws}"),
        Command::Tags(tags) => format!("{} tags were set", tags.len()),
        Command::Pause(true) => "paused".to_owned(),
        Command::Pause(false) => "resumed".to_owned(),
        Command::Promotion { .. } | Command::Position(_) => format!("the position is {}", game.fen),
    };
    Ok(print(&format!("game {id} on {}: {outcome}\n", game.board))?)
}

async fn position(fen: &str, turn: Option<Color>, name: Option<&str>, service: &Service) -> anyhow::Result<()> {
    let client = live(service)?.connect().await?;
    let snapshot = client.snapshot().await?;
    let board_info = board(&snapshot, name)?;
    let id = board_info.id.clone();
    let is_shown = fen == "shown";
    let side = turn.unwrap_or_else(|| side_to_move(board_info));
    let fen = if is_shown { shown(board_info, side)? } else { fen.to_owned() };
    client.set_position(&id, &fen).await?;
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

fn describe_reply(reply: &Reply, fen: &str) -> String {
    match reply {
        Reply::Bound(allowed) if !allowed.is_empty() => {
            format!("the position is {fen}\nthe touched pieces allow: {}", allowed.join(" "))
        }
        Reply::Claim(verdict) => describe_claim(verdict),
        Reply::Undone { command, argument } => format!("undone: {command} {argument}").trim_end().to_owned(),
        Reply::Done | Reply::Bound(_) => format!("the position is {fen}"),
    }
}

fn describe_claim(verdict: &ClaimVerdict) -> String {
    let plies: Vec<String> = verdict.occurrences.iter().map(u32::to_string).collect();
    let mut text = format!("{}\nthe position occurred after plies {}", verdict.sentence, plies.join(", "));
    text.push_str(&format!("\nmoves of both players without a capture or a pawn move: {}", verdict.quiet));
    if !verdict.required.is_empty() {
        text.push_str(&format!("\nthe Laws require: {} ({})", verdict.required.join(", "), verdict.articles.join(", ")));
    }
    text
}

/// Returns the service if it uses the live stream: spectators cannot send commands.
fn live(service: &Service) -> Result<&Service, ClientError> {
    match service.stream() {
        Stream::Live => Ok(service),
        Stream::Broadcast => {
            Err(ClientError::Refused("the broadcast stream accepts no commands: leave --broadcast out".to_owned()))
        }
    }
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
