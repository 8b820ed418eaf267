//! Commands of an arbiter or a player. Each is declared once: the JSON form, the calls of the D-Bus client, the subcommands of
//! `touchmovectl arbiter` and the list in `docs/events.md` are derived from the declaration.

mod declare;

pub use declare::{Argument, ArgumentKind, CommandField, CommandSpec, Presence, Subcommand};

use super::json;
use crate::game::GameResult;
use crate::game::rights::Right;
use crate::laws::draws::ClaimKind;
use crate::laws::{Irregularity, Laws};
use declare::{commands, field_name, is_rewriting};
use shakmaty::{Color, Role};

/// The argument for a player.
const PLAYER: Argument = Argument::of(ArgumentKind::Player);
/// The argument for a ply, counted from 1.
const PLY: Argument = Argument::of(ArgumentKind::Ply(1));
/// The argument for the number of an alert.
const ALERT: Argument = Argument::of(ArgumentKind::Alert);
/// The argument for a move.
const MOVE: Argument = Argument::of(ArgumentKind::Move);
/// The argument for a time of a clock.
const TIME: Argument = Argument::of(ArgumentKind::Time);

commands! {
    /// Sets the result: `1-0`, `0-1` or `1/2-1/2`; `*` withdraws it, and the game goes on.
    Result = "result" {
        /// 1-0, 0-1, 1/2-1/2, or none to withdraw it: the game continues.
        ///
        /// `*` in JSON and on D-Bus; the command line also accepts it.
        #[serde(with = "json::result_or_star")]
        result: Option<GameResult> = Argument::of(ArgumentKind::Result),
    }
    example r#"{"do":"result","result":"1-0"}"#
    right Desk, method "SetResult", rewrites
    subcommand "result": "Set the result of a game, or withdraw it", examples ["result 1/2-1/2", "result none"],
        overview ["result 1-0", "result '*' --game 17"];

    /// Begins a new game from this position; the counters of the FEN are kept. If no game is in progress and the board was seen to
    /// be played to this position, at move 1, the new game begins from their start position with those moves. The previous game
    /// ends as it is. If the board shows something else, a `displaced` lists the squares, and another one follows when it agrees.
    Position = "position" {
        /// FEN; X-FEN or Shredder-FEN for Chess960.
        fen: String = Argument::of(ArgumentKind::Text),
    }
    example r#"{"do":"position","fen":"…"}"#
    right Rule, method "SetPosition", rewrites // its subcommand is in ctl/arbiter: it is given to a board, and reads positions from boards

    /// Takes back this number of plies, at least 1.
    TakeBack = "take_back" {
        /// Number of moves, where each player's move counts as one.
        plies: u32 = Argument::of(ArgumentKind::Number(1)).or("1"),
    }
    example r#"{"do":"take_back","plies":1}"#
    right Rule, method "TakeBack", rewrites
    subcommand "take-back": "Take back the last moves", examples ["take-back", "take-back 3 --game 17"],
        overview ["take-back 2"];

    /// Sets the piece of a promotion: `queen`, `rook`, `bishop` or `knight`; `ply` null or omitted: the last promotion.
    Promotion = "promotion" {
        /// The promotion, such as 61.b8=Q; or its ply: White's first move is 1, Black's 2 [default: the last promotion].
        #[serde(default)]
        ply: Option<u32> = PLY.optional(),
        /// queen, rook, bishop or knight.
        ///
        /// Anything else is refused.
        #[serde(with = "json::word")]
        piece: Role = Argument::of(ArgumentKind::Piece),
    }
    example r#"{"do":"promotion","ply":61,"piece":"knight"}"#
    right Correct, method "SetPromotion", rewrites
    subcommand "promotion": "Set the piece of a promotion, if the board cannot detect it",
        examples ["promotion knight", "promotion rook --ply 44.b8=Q"],
        overview ["promotion knight", "promotion rook --ply 44.b8=Q"];

    /// Declares that this player adjusts pieces (Article 4.2): pieces that they touch next and put back are no move.
    Adjust = "adjust" {
        /// white or black.
        #[serde(with = "json::word")]
        player: Color = PLAYER,
    }
    example r#"{"do":"adjust","player":"white"}"#
    right Rule, method "Adjust"
    subcommand "adjust": "Announce that a player adjusts pieces: a piece that they touch next and put back is no move",
        examples ["adjust white"];

    /// Acknowledges the alert with this `id`: an `alert_cleared` follows.
    Acknowledge = "acknowledge" {
        /// Number of the alert, see `touchmovectl game`.
        alert: u32 = ALERT,
    }
    example r#"{"do":"acknowledge","alert":3}"#
    right Acknowledge, method "Acknowledge"
    subcommand "acknowledge": "Acknowledge an alert, which closes it",
        examples ["acknowledge 3", "acknowledge 3 --all"];

    /// Restores the position before this ply (Article 7.5.1): the moves from there on leave the record. A `displaced` lists the
    /// squares that still show something else; another one follows whenever they change, and an empty one when the board agrees.
    Restore = "restore" {
        /// The move to play again, such as 21.Nf3 or 21...Qa5; or its ply: White's first move is 1, Black's 2.
        ///
        /// The number of plies plus one means the last position on record.
        ply: u32 = PLY,
    }
    example r#"{"do":"restore","ply":41}"#
    right Rule, method "Restore", rewrites
    subcommand "restore": "Restore the position before a move",
        details "Restore the position before a move (Art. 7.5.1).

The moves from there on are removed from the record, and `touchmovectl board` lists the squares that still differ until the \
board agrees. If the first of those moves was illegal, the output lists the moves that its touched pieces allow.",
        examples ["restore 21.Nf3", "restore 21...Qa5 --game 17", "restore 41"];

    /// Lets the irregular move of this alert stand: an `alert_cleared` follows, and the move is never corrected to another one.
    LetStand = "let_stand" {
        /// Number of the alert about the move, see `touchmovectl game`.
        alert: u32 = ALERT,
    }
    example r#"{"do":"let_stand","alert":3}"#
    right Rule, method "LetStand"
    subcommand "let-stand": "Let an irregular move stand: the game continues from it", examples ["let-stand 3"];

    /// Replaces the move at this ply by this legal move; later moves stay. A `moves_corrected` follows, and `displaced` as for
    /// `restore`.
    Replace = "replace" {
        /// The move on record, such as 21.Nf3 or 21...Qa5; or its ply: White's first move is 1, Black's 2.
        ply: u32 = PLY,
        /// The legal move that was played: exd5 or e4d5.
        ///
        /// In UCI.
        uci: String = MOVE,
    }
    example r#"{"do":"replace","ply":41,"uci":"e4d5"}"#
    right Correct, method "Replace", rewrites
    subcommand "replace": "Replace a move by another one; the moves after it remain",
        examples ["replace 21.Nf3 exd5", "replace 21...Qa5 d8d6", "replace 87 b7b8n"];

    /// Inserts this missing legal move before this ply; later moves stay. The same events follow.
    Insert = "insert" {
        /// The place of the missing move, such as 21. or 21...; or its ply. The move that is there now follows it.
        ///
        /// The number of plies plus one means at the end.
        ply: u32 = PLY,
        /// The legal move that was played: Nf3 or g1f3.
        ///
        /// In UCI.
        uci: String = MOVE,
    }
    example r#"{"do":"insert","ply":41,"uci":"e7e5"}"#
    right Correct, method "Insert", rewrites
    subcommand "insert": "Insert a missing move; the moves after it remain", examples ["insert 21. Nf3", "insert 21... Qa5", "insert 41 g1f3"];

    /// Replaces the moves on record by those that this alert proposes. A `moves_corrected` follows, and an `alert_cleared`.
    Adopt = "adopt" {
        /// Number of the alert, see `touchmovectl game`.
        alert: u32 = ALERT,
    }
    example r#"{"do":"adopt","alert":3}"#
    right Correct, method "Adopt", rewrites
    subcommand "adopt": "Adopt the moves that an alert proposes", examples ["adopt 3"];

    /// Undoes the last command that changed the game: what it changed is published again as it was, and what was played since stays.
    Undo = "undo" {}
    example r#"{"do":"undo"}"#
    right Rule, method "Undo", rewrites
    subcommand "undo": "Undo the last command that changed the game",
        details "Undo the last command that changed the game. What was played since stays.

The last four commands can be undone, one after the other. If touchmoved was restarted since, or the players went on from the \
position that a command set, that command can no longer be undone. A new position can be undone, too: the previous game continues \
as soon as its position is on the board.",
        examples ["undo"];

    /// Counts an irregularity of the player for the penalties of illegal moves (Article 7.5.5); `what` is a word of the files under
    /// `config/data/laws`.
    Count = "count" {
        /// white or black.
        #[serde(with = "json::word")]
        player: Color = PLAYER,
        /// Kind of irregularity: illegal_move, press_without_move, two_hands and others.
        ///
        /// It is counted at the last move on record.
        #[serde(with = "json::word_of_law")]
        irregularity "what": Irregularity = Argument::of(ArgumentKind::Irregularity),
    }
    example r#"{"do":"count","player":"white","what":"two_hands"}"#
    right Rule, method "Count"
    subcommand "count": "Count an irregularity of a player", examples ["count black two_hands"],
        overview ["count white illegal_move"];

    /// Removes what was last counted of the player at this ply.
    Strike = "strike" {
        /// white or black.
        #[serde(with = "json::word")]
        player: Color = PLAYER,
        /// The move at which it was counted, such as 21.Nf3; or its ply, 0 before the first move.
        ply: u32 = Argument::of(ArgumentKind::Ply(0)),
    }
    example r#"{"do":"strike","player":"white","ply":41}"#
    right Rule, method "Strike"
    subcommand "strike": "Remove the last counted irregularity of a player at a ply", examples ["strike white 21.Nf3"];

    /// Notes both times as the arbiter set them, and the reason; `note` may be omitted.
    ClockNote = "clock_note" {
        /// White's time: hours:minutes:seconds, or minutes:seconds.
        ///
        /// In milliseconds.
        white_ms: u32 = TIME.named("white"),
        /// Black's time.
        ///
        /// In milliseconds.
        black_ms: u32 = TIME.named("black"),
        /// Reason.
        ///
        /// At most [`Command::MAX_NOTE_CHARS`] characters.
        #[serde(default)]
        note: String = Argument::of(ArgumentKind::Text).or(""),
    }
    example r#"{"do":"clock_note","white_ms":300000,"black_ms":420000,"note":"…"}"#
    right Rule, method "NoteClocks"
    subcommand "note-clocks": "Record the times that were set on the clock, in the journal only; the clock is not changed",
        examples ["note-clocks 1:23:45 0:07:10 'two minutes for Black'"];

    /// Sets the Laws of this game where they differ from the event's: edition, time class, supervision.
    Laws = "laws" {
        /// An edition, then rapid or blitz, then limited if not every game is supervised and recorded; in quotes.
        #[serde(with = "json::text")]
        laws: Laws = Argument::of(ArgumentKind::Laws),
    }
    example r#"{"do":"laws","laws":"fide-2023 blitz limited"}"#
    right Laws, method "SetLaws"
    subcommand "laws": "Set the Laws of this game, if they differ from those of the event",
        examples ["laws 'fide-2023 blitz limited' --game 17"], note "`touchmovectl laws` lists the editions.";

    /// Sets PGN tags of this game in addition to those of the event; they replace tags set earlier.
    Tags = "tags" {
        /// NAME=VALUE, in quotes if it contains spaces; none removes all tags of the game.
        tags: Vec<(String, String)> = Argument::of(ArgumentKind::Tags),
    }
    example r#"{"do":"tags","tags":[["White","Carlsen, Magnus"],["WhiteFideId","1503014"]]}"#
    right Correct, method "SetTags"
    subcommand "tags": "Set the players and other PGN tags of this game; `touchmovectl round` sets them for all boards",
        examples ["tags 'White=Carlsen, Magnus' 'Black=Ding, Liren' WhiteElo=2830"],
        overview ["tags 'White=Carlsen, Magnus' WhiteElo=2830"],
        note "They replace all tags given before.";

    /// Pauses the game: lever and pieces may be handled freely until `paused` is false. Starting the clock also resumes the game,
    /// with `by` `clock`; a `result` also ends the pause.
    Pause = "pause" {
        /// Whether play is paused.
        paused: bool = Argument::of(ArgumentKind::Subcommand),
    }
    example r#"{"do":"pause","paused":true}"#
    right Rule, method "Pause"
    subcommand "pause": "Pause the game: the lever and the pieces may be handled until the clock is started or the game is resumed",
        examples ["pause"];
    subcommand "resume": "Resume a paused game", examples ["resume"];

    /// Checks a claim of a draw by this player: `repetition` or `fifty_moves`; `intended` null or omitted: the claim is about the
    /// position on the board. It is answered, and nothing changes.
    Claim = "claim" {
        /// white or black.
        #[serde(with = "json::word")]
        player: Color = PLAYER,
        /// repetition or fifty_moves.
        #[serde(with = "json::word")]
        claimed: ClaimKind = Argument::of(ArgumentKind::Claim),
        /// The move that the player has written down and not played, such as Nf3 or g1f3 [default: the claim is about the
        /// position on the board].
        #[serde(default)]
        intended: Option<String> = Argument::of(ArgumentKind::IntendedMove).optional(),
    }
    example r#"{"do":"claim","player":"white","claimed":"repetition","intended":"g1f3"}"#
    right Acknowledge, method "Claim"
    subcommand "claim": "Check a player's claim of a draw; nothing is changed",
        examples ["claim white repetition", "claim black fifty_moves --intended Ng8"],
        overview ["claim white repetition --intended Nf3"];
}

impl Command {
    /// Maximum length of a note, in characters: a few lines.
    pub const MAX_NOTE_CHARS: usize = 500;
}

/// A command and who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The command.
    pub command: Command,
    /// Who gave it, as the front-end knows them: a bus name, a user, `configuration`.
    pub by: String,
}

impl Order {
    /// The name used in `by` when starting the clock continues a paused game.
    pub const CLOCK: &str = "clock";
    /// The name used in `by` at a machine of a hall for what the hub's desk has entered. Who entered it is on record at the hub, and
    /// there it is undone.
    pub const HUB: &str = "hub";
}
