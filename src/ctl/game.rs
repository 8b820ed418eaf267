//! `touchmovectl game`: shows moves, clocks, alerts and state of a game.

use super::columns::{left, right, terminal_width, wrap, wrap_words};
use super::completion;
use super::diagram::{Squares, Style, clock};
use super::language;
use super::moves::MoveList;
use super::service::{Service, game, print, print_json};
use crate::publish::client::{Client, GameInfo, MoveInfo};
use shakmaty::Color;

/// Show moves, clocks and state of a game
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  touchmovectl game\n  touchmovectl game 17\n  touchmovectl game dgt_ttyUSB0 --json\n\nTo change it: touchmovectl arbiter --help"
)]
pub struct Args {
    /// Number of the game, or name of its board [default: the game in progress, else the last one]
    #[arg(add = completion::games())]
    game: Option<String>,
    #[command(flatten)]
    service: Service,
    /// One JSON object, for programs
    #[arg(long)]
    json: bool,
}

/// Width of the lines of a score without clock times.
const SCORE_WIDTH: usize = 79;
/// Widths of the columns of a score with clock times.
const SAN_WIDTH: usize = 9;
const CLOCK_WIDTH: usize = 7;
/// Moves less probable than this are marked.
const SURE: f64 = 0.9;

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let client = args.service.connect().await?;
    let snapshot = client.snapshot().await?;
    let game = game(&snapshot, args.game.as_deref())?;
    if args.json {
        return print_json(game);
    }
    let moves = MoveList::read(&client, game.id).await?;
    let mut text = heading(game);
    if let Some(squares) = Squares::from_fen(&game.fen) {
        text.push_str(&squares.draw(Style::of_stdout()));
    }
    text.push_str(&score(&game.moves, &moves));
    for line in alerts(&client, game, &moves).await {
        text.push_str(&terminal_width().map_or_else(|| line.clone(), |width| wrap(&line, width, 4)));
        text.push('\n');
    }
    for (square, fault, detail) in &game.faults {
        text.push_str(&format!("{square} is {fault}: {detail}\n"));
    }
    Ok(print(&text)?)
}

/// Returns the lines about the game as a whole: state, result, players and their clocks.
fn heading(game: &GameInfo) -> String {
    let tag = |name: &str| game.tags.get(name).filter(|value| *value != "?" && !value.is_empty());
    let table = tag("Table").map(|table| format!(" at table {table}")).unwrap_or_default();
    let reason = match game.result_reason.as_str() {
        "" => String::new(),
        reason => format!(" ({})", reason.replace('_', " ")),
    };
    let state = match (game.state.as_str(), game.result.as_str()) {
        ("playing", "*") if game.moves.is_empty() => "not begun".to_owned(),
        ("playing", "*") => "in play".to_owned(),
        (_, "*") => format!("ended without a result: set it with `touchmovectl arbiter result RESULT --game {}`", game.id),
        (_, result) => format!("{result}{reason}"),
    };
    let mut text = format!("game {}{table} on board {}: {state}\n", game.id, game.board);
    let times = game.moves.iter().rev().find(|ply| ply.white >= 0 || ply.black >= 0).map(|ply| [ply.white, ply.black]);
    for (player, times) in [("White", times.map(|times| times[0])), ("Black", times.map(|times| times[1]))] {
        let title = tag(&format!("{player}Title")).map(|title| format!("{title} ")).unwrap_or_default();
        let elo = tag(&format!("{player}Elo")).map(|elo| format!(" {elo}")).unwrap_or_default();
        let name = tag(player).map(|name| format!("{title}{name}{elo}"));
        let time = times.map(clock);
        if name.is_some() || time.is_some() {
            let details: Vec<String> = [name, time].into_iter().flatten().collect();
            text.push_str(&format!("{player}: {}\n", details.join(", ")));
        }
    }
    text
}

/// A line of a score sheet: the number, and for each player SAN and clock time.
struct ScoreRow {
    number: u32,
    white: Option<(String, String)>,
    black: Option<(String, String)>,
}

/// Returns the moves: with clock times one line for each number, otherwise `1. e4 e5 2. Nf3`, in lines of 79 columns.
fn score(plies: &[MoveInfo], moves: &MoveList) -> String {
    let mut rows: Vec<ScoreRow> = Vec::new();
    for (ply, played) in (1..).zip(plies) {
        // A move that was taken back since the moves were read.
        let Some(number) = moves.number(ply) else { break };
        let mark = match played.irregular {
            true => "✗",
            false if played.confidence < SURE => "?",
            false => "",
        };
        let ms = number.player.fold_wb(played.white, played.black);
        let written = (format!("{}{mark}", played.san), if ms < 0 { String::new() } else { clock(ms) });
        match (number.player, rows.last_mut()) {
            (Color::Black, Some(row)) if row.number == number.number && row.black.is_none() => row.black = Some(written),
            (Color::Black, _) => rows.push(ScoreRow { number: number.number, white: None, black: Some(written) }),
            (Color::White, _) => rows.push(ScoreRow { number: number.number, white: Some(written), black: None }),
        }
    }
    let has_clocks = rows.iter().flat_map(|row| [&row.white, &row.black]).flatten().any(|(_, time)| !time.is_empty());
    let mut text = if has_clocks { timed(&rows) } else { untimed(&rows) };
    if plies.iter().any(|played| played.irregular) {
        text.push_str("✗: the move is on record, but it is not legal\n");
    }
    if plies.iter().any(|played| !played.irregular && played.confidence < SURE) {
        text.push_str("?: it is less than 90 % sure that this move was played\n");
    }
    text
}

fn timed(rows: &[ScoreRow]) -> String {
    let empty = (String::new(), String::new());
    let mut text = String::new();
    for row in rows {
        let (white, white_time) = row.white.clone().unwrap_or_else(|| ("...".to_owned(), String::new()));
        let (black, black_time) = row.black.as_ref().unwrap_or(&empty);
        let line = format!(
            "{:>3}. {} {}   {} {}",
            row.number,
            left(&white, SAN_WIDTH),
            right(&white_time, CLOCK_WIDTH),
            left(black, SAN_WIDTH),
            right(black_time, CLOCK_WIDTH)
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn untimed(rows: &[ScoreRow]) -> String {
    let words: Vec<String> = rows
        .iter()
        .flat_map(|row| match (&row.white, &row.black) {
            (Some((white, _)), black) => {
                vec![Some(format!("{}. {white}", row.number)), black.as_ref().map(|(black, _)| black.clone())]
            }
            (None, black) => vec![black.as_ref().map(|(black, _)| format!("{}... {black}", row.number))],
        })
        .flatten()
        .collect();
    let text = wrap_words(words.iter().map(String::as_str), SCORE_WIDTH, 0);
    if text.is_empty() { text } else { text + "\n" }
}

/// Returns the lines of the open alerts: which move each is about, what happened, and what the Laws require.
async fn alerts(client: &Client, game: &GameInfo, moves: &MoveList) -> Vec<String> {
    let mut lines = Vec::new();
    for alert in &game.alerts {
        let sentence = language::alert(client, game.id, alert.id, language::locale(), &alert.sentence).await;
        lines.push(format!("alert {}, {}: {sentence}", alert.id, moves.moment(alert.ply)));
        let required = language::required(client, game.id, alert.id, language::locale()).await;
        if !required.is_empty() {
            lines.push(format!("  → {} ({})", required.join("; "), alert.articles.join(", ")));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::client::WatchedEvent;
    use serde_json::json;
    use std::collections::BTreeMap;

    /// The moves e4 d5 with these clock times of both players.
    fn opening(times: [(i32, i32); 2]) -> (Vec<MoveInfo>, MoveList) {
        let mut list = MoveList::default();
        let mut apply = |name: &str, fields: serde_json::Value| {
            let fields = fields.as_object().cloned().unwrap();
            list.apply(&WatchedEvent { game: Some(1), board: None, number: None, time: None, event: name.to_owned(), fields });
        };
        apply("GameStarted", json!({"start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}));
        apply("MoveMade", json!({"ply": 1, "san": "e4", "fen": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"}));
        apply(
            "MoveMade",
            json!({"ply": 2, "san": "d5", "fen": "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"}),
        );
        let played = |(san, (white, black)): (&str, (i32, i32))| MoveInfo {
            uci: String::new(),
            san: san.to_owned(),
            state: "clock".to_owned(),
            time: 0,
            white,
            black,
            confidence: 1.0,
            irregular: false,
        };
        (["e4", "d5"].into_iter().zip(times).map(played).collect(), list)
    }

    #[test]
    fn a_score_has_numbers_and_the_clock_of_the_player() {
        let (mut plies, moves) = opening([(5_400_000, 5_399_000), (5_390_000, 5_380_000)]);
        assert_eq!(score(&plies, &moves), "  1. e4        1:30:00   d5        1:29:40\n");
        plies[1].irregular = true;
        assert!(score(&plies, &moves).ends_with("d5✗       1:29:40\n✗: the move is on record, but it is not legal\n"));
        let (mut plies, moves) = opening([(-1, -1); 2]);
        assert_eq!(score(&plies, &moves), "1. e4 d5\n");
        plies[0].confidence = 0.7;
        assert!(score(&plies, &moves).starts_with("1. e4? d5\n?: "));
        assert_eq!(score(&[], &moves), "");
    }

    #[test]
    fn the_heading_says_who_plays_where_and_how_it_ended() {
        let (plies, _) = opening([(60_000, 50_000); 2]);
        let tags = [("Table", "12"), ("White", "Adams, Ann"), ("WhiteTitle", "GM"), ("WhiteElo", "2700"), ("Black", "?")];
        let tags: BTreeMap<String, String> = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let game = |state: &str, result: &str, reason: &str| GameInfo {
            id: 17,
            board: "dgt_1".to_owned(),
            state: state.to_owned(),
            result: result.to_owned(),
            result_reason: reason.to_owned(),
            tags: tags.clone(),
            moves: plies.clone(),
            ..GameInfo::default()
        };
        let players = "White: GM Adams, Ann 2700, 0:01:00\nBlack: 0:00:50\n";
        let expected = |state: &str| format!("game 17 at table 12 on board dgt_1: {state}\n{players}");
        assert_eq!(heading(&game("playing", "*", "")), expected("in play"));
        assert_eq!(heading(&game("finished", "1-0", "kings_signal")), expected("1-0 (kings signal)"));
        assert!(heading(&game("finished", "*", "")).contains(": ended without a result: set it with"));
    }
}
