//! The form of a case, parsed from a file of cases and checked.

use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{Color, Piece, Square};
use touchmove::boards::{Millis, SensorKind};
use touchmove::game::AlertKind;
use touchmove::laws::{Laws, Position};
use touchmove::simulate::act::Act;
use touchmove::wire::Word;

/// One scenario: a position, the actions, and the expected alerts to the arbiter.
#[derive(Debug)]
pub struct Case {
    pub id: String,
    /// The articles of 2023 that the case is derived from.
    pub articles: Vec<String>,
    pub laws: Laws,
    pub fen: String,
    /// The position after `moves`, where the file states it.
    pub fen_now: Option<String>,
    pub chess960: bool,
    /// The pieces on the board at first, where they differ from those of `fen`: the first field of a FEN.
    pub board: Option<String>,
    /// The model of the board, where it is another than a DGT board.
    pub model: String,
    /// The position is not commanded: the table session has to recognise it.
    pub found: bool,
    /// A clock is connected and started.
    pub clock: bool,
    /// Actions before the clock is started.
    pub setup: Vec<Deed>,
    /// Moves played before the actions.
    pub moves: Vec<String>,
    pub deeds: Vec<Deed>,
    /// The sensor kinds that can detect what the case expects.
    pub sensings: Vec<SensorKind>,
    pub expect: Expect,
    /// The requirements of particular editions for the same scenario.
    pub rulings: Vec<Row>,
    /// The moves that are still allowed after the alert, in UCI, sorted; empty where the case does not say.
    pub allowed: Vec<String>,
}

/// The expected outcome of a case.
#[derive(Debug)]
pub struct Expect {
    /// The moves on record after `moves` in UCI, as far as the case states them.
    pub moves: Vec<String>,
    /// SAN of the first of them.
    pub san: Option<String>,
    /// There are no other moves, no other alerts than `alerts` and `tolerated`, and no other result.
    pub exact: bool,
    /// The alerts that must be raised.
    pub alerts: Vec<AlertKind>,
    /// Alerts that may be raised.
    pub tolerated: Vec<AlertKind>,
    /// Why the first illegal move is illegal, as `IllegalReason::key` names it; empty where all are legal.
    pub reason: String,
    /// Alerts that must not be raised, also those of devices.
    pub quiet: Vec<AlertKind>,
    /// What shows the touches of the first alert: `lift` or `touch`; empty where the case does not say.
    pub evidence: String,
    /// How the moves after `moves` were completed, as far as the case says.
    pub completed: Vec<String>,
    /// The position that the first alert says to restore, as FEN; empty where the case does not say.
    pub restores: String,
    /// Result and reason, such as `1-0 checkmate`; empty: none.
    pub result: String,
    /// The expected verdicts on the claims, in order.
    pub verdicts: Vec<Verdict>,
}

/// The requirements of one edition.
#[derive(Debug)]
pub struct Row {
    pub laws: Laws,
    /// The alert that states them; `None`: this edition raises no alert.
    pub alert: Option<AlertKind>,
    /// The acts, as `Act` writes them, separated by commas; `None` where the case does not say.
    pub acts: Option<String>,
    /// Articles that must be cited.
    pub articles: Vec<String>,
    /// Articles that must not be cited.
    pub never: Vec<String>,
    /// The moves that are still allowed by this edition, in UCI, sorted; empty where the case does not say.
    pub allowed: Vec<String>,
}

/// The expected verdict on a claim of a draw.
#[derive(Debug)]
pub struct Verdict {
    pub laws: Laws,
    pub right: bool,
    pub acts: Option<String>,
    pub articles: Vec<String>,
    pub never: Vec<String>,
}

/// An action of a player or the arbiter.
#[derive(Clone, Debug)]
pub enum Deed {
    /// These squares change at the same time: their new contents.
    Frame(Vec<(Square, Option<Piece>)>),
    /// This player presses the clock.
    Press(Color),
    /// The clock is started or stopped.
    Clock(Act),
    /// Fingers are laid on these squares.
    Touch(Vec<Square>),
    /// All fingers are taken off the squares.
    LetGo,
    /// A hand brushes over this square.
    Brush(Square),
    /// The flag falls of the player whose time runs.
    Flag,
    /// Something is said or done that a board cannot sense.
    Say(String),
    /// Nothing is done for this many milliseconds.
    Wait(Millis),
}

impl Case {
    /// The position before the actions.
    pub fn now(&self) -> Position {
        let start = Position::from_fen(&self.fen, self.chess960).expect("a FEN");
        self.moves.iter().fold(start, |position, uci| position.play(position.parse_uci(uci).expect("a legal move")))
    }

    /// Whether the case expects an alert, a result or a verdict.
    pub fn raises(&self) -> bool {
        !(self.expect.alerts.is_empty() && self.expect.result.is_empty() && self.expect.verdicts.is_empty())
    }

    /// Parses a case. `exact`: everything that it does not expect is a failure.
    pub fn read(value: &Value, exact: bool) -> Case {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let (mut fen, mut moves) = (text("fen").expect("a FEN"), texts(&value["moves"]));
        if let Some((before, step)) = before_double_step(&fen) {
            fen = before;
            moves.insert(0, step);
        }
        let mut allowed = texts(&value["allowed_uci"]);
        allowed.sort();
        let id = text("id").expect("an id");
        let laws = laws_of(value);
        let alerts = kinds(&value["alert"]);
        let rulings = list(&value["required"]).map(|row| Row::read(row, &alerts)).collect();
        let mut result = text("result").unwrap_or_default();
        if value["alert"] == "checkmate" {
            let white = Position::from_fen(&fen, false).expect("a FEN").turn().is_white();
            result = format!("{} checkmate", if white { "1-0" } else { "0-1" });
        }
        Case {
            articles: texts(&value["article"]),
            fen,
            fen_now: text("fen_now"),
            chess960: value["chess960"] == true,
            board: text("board"),
            model: text("model").unwrap_or_else(|| "dgt".to_owned()),
            found: value["found"] == true,
            clock: value["clock"] != false,
            setup: list(&value["setup"]).map(deed).collect(),
            moves,
            deeds: list(&value["events"]).map(deed).collect(),
            sensings: sensings(&value["detectable_by"]),
            expect: Expect {
                moves: texts(&value["expect_uci"]),
                san: text("expect_san"),
                exact,
                alerts,
                tolerated: kinds(&value["tolerated"]),
                reason: text("reason").unwrap_or_default(),
                quiet: kinds(&value["quiet"]),
                evidence: text("evidence").unwrap_or_default(),
                completed: texts(&value["completed"]),
                restores: text("restores").unwrap_or_default(),
                result,
                verdicts: list(&value["expect_verdict"]).map(|verdict| Verdict::read(verdict, laws)).collect(),
            },
            rulings,
            allowed,
            laws,
            id,
        }
    }
}

impl Row {
    fn read(row: &Value, alerts: &[AlertKind]) -> Row {
        let alert = match row.get("alert") {
            None => alerts.first().copied(),
            Some(named) => kinds(named).first().copied(),
        };
        let mut allowed = texts(&row["allowed_uci"]);
        allowed.sort();
        Row {
            laws: laws_of(row),
            allowed,
            alert,
            acts: row["acts"].as_str().map(str::to_owned),
            articles: texts(&row["articles"]),
            never: texts(&row["never"]),
        }
    }
}

impl Verdict {
    fn read(value: &Value, laws: Laws) -> Verdict {
        Verdict {
            laws: if value.get("laws").is_some() { laws_of(value) } else { laws },
            right: value["right"].as_bool().expect("right or wrong"),
            acts: value["acts"].as_str().map(str::to_owned),
            articles: texts(&value["articles"]),
            never: texts(&value["never"]),
        }
    }
}

/// Edition, time class and supervision; standard play by the newest edition where nothing is said.
fn laws_of(value: &Value) -> Laws {
    let words = ["laws", "time_class", "supervision"].map(|key| value[key].as_str());
    let text: Vec<&str> = words.into_iter().flatten().collect();
    if text.is_empty() { Laws::default() } else { text.join(" ").parse().expect("laws") }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A list of strings, or one string alone.
fn texts(value: &Value) -> Vec<String> {
    let single = value.as_str().map(str::to_owned);
    single.into_iter().chain(list(value).map(|text| text.as_str().expect("a text").to_owned())).collect()
}

fn kinds(value: &Value) -> Vec<AlertKind> {
    texts(value).iter().filter(|word| *word != "checkmate").map(|word| kind(word)).collect()
}

/// The alert with this name; the shared cases use other names.
fn kind(word: &str) -> AlertKind {
    match word {
        "wrong_initial_position" => AlertKind::WrongStart,
        "pieces_missing_after_press" => AlertKind::Displaced,
        "extra_piece" => AlertKind::CaptureUnclear,
        "fivefold" => AlertKind::FiveFold,
        "seventyfive" => AlertKind::SeventyFive,
        "pawn_not_promoted" => AlertKind::IllegalMove,
        "both_kings_in_check" => AlertKind::IllegalPosition,
        "touch_move_violation" => AlertKind::TouchMove,
        "touch_capture_obligation" => AlertKind::TouchCapture,
        "possible_release_then_change" => AlertKind::ReleaseChanged,
        "board_orientation" => AlertKind::Orientation,
        word => AlertKind::from_word(word).unwrap_or_else(|| panic!("there is no alert {word}")),
    }
}

/// A list of sensor kinds; among the words of the shared cases only one names a sensor other than identity.
fn sensings(value: &Value) -> Vec<SensorKind> {
    let named: Vec<SensorKind> =
        list(value).map(|word| SensorKind::from_word(word.as_str().expect("a word")).expect("a sensor")).collect();
    match value.as_str() {
        Some("occupancy+clock") => vec![SensorKind::Identity, SensorKind::Occupancy],
        _ if named.is_empty() => vec![SensorKind::Identity],
        _ => named,
    }
}

/// Where a pawn can be captured en passant, its double step is played on the board: a square that has never changed may be
/// defective, and the pawn on it may be missing.
fn before_double_step(fen: &str) -> Option<(String, String)> {
    let mut setup = fen.parse::<Fen>().expect("a FEN").into_setup();
    let ep_square = setup.ep_square.take()?;
    setup.swap_turn();
    let ahead = if setup.turn.is_white() { 8 } else { -8 };
    let (from, to) = (ep_square.offset(-ahead)?, ep_square.offset(ahead)?);
    let pawn = setup.board.remove_piece_at(to)?;
    setup.board.set_piece_at(from, pawn);
    Some((Fen::try_from(setup).ok()?.to_string(), format!("{from}{to}")))
}

fn deed(value: &Value) -> Deed {
    if let Some(frame) = value.as_array() {
        return Deed::Frame(frame.iter().map(|word| change(word.as_str().expect("a word"))).collect());
    }
    let word = value.as_str().expect("a word");
    match word {
        "pW" | "pB" => Deed::Press(Color::from_white(word == "pW")),
        "flagW" | "flagB" => Deed::Flag,
        "pause" => Deed::Wait(5_000),
        "start" => Deed::Clock(Act::Start),
        "stop" => Deed::Clock(Act::Stop),
        "off" => Deed::LetGo,
        _ if word.starts_with("brush:") => Deed::Brush(word[6..].parse().expect("a square")),
        _ if word.starts_with("on:") => {
            Deed::Touch(word[3..].split(' ').map(|square| square.parse().expect("a square")).collect())
        }
        // Two hands cannot be told from one.
        "2h" => Deed::Say(word.to_owned()),
        _ if ["say:", "adjust:", "claimW:", "claimB:", "arb:"].iter().any(|by| word.starts_with(by)) => {
            Deed::Say(word.to_owned())
        }
        _ => match word.strip_prefix("wait:") {
            Some(ms) => Deed::Wait(ms.parse().expect("milliseconds")),
            None => Deed::Frame(vec![change(word)]),
        },
    }
}

/// `-e2`, `+Pe4`.
fn change(word: &str) -> (Square, Option<Piece>) {
    let (rest, square) = word.split_at(word.len() - 2);
    let square = square.parse().expect("a square");
    match rest.strip_prefix('+') {
        Some(piece) => (square, Some(piece.chars().next().and_then(Piece::from_char).expect("a piece"))),
        None => (square, None),
    }
}
