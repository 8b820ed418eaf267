//! Conversions between the core's types and the JSON forms.

use super::{
    WireAlternative, WireArg, WireClock, WireCommand, WireDifference, WireEvent, WireIrregular, WireSettings, WireSighting,
    WireText, WireValue,
};
use crate::boards::{Battery, SquareState};
use crate::game::event::{Alternative, ClockTimes, Difference};
use crate::game::text::{self, write_piece};
use crate::game::words::{sensed_from_word, sensed_to_word};
use crate::game::{Alert, Arg, ClockTime, Command, Event, PlayedMove, Sighting, Text};
use crate::laws::reason::ReasonArg;
use crate::table::Settings;
use shakmaty::{ByColor, Square};

impl From<&Event> for WireEvent {
    fn from(event: &Event) -> Self {
        match event {
            Event::GameStarted { fen, chess960, laws, rotation } => {
                WireEvent::GameStarted { fen: fen.clone(), chess960: *chess960, laws: laws.clone(), rotation: *rotation }
            }
            Event::MoveMade { ply, played, confidence, alternatives } => WireEvent::MoveMade {
                ply: *ply,
                uci: played.uci.clone(),
                san: played.san.clone(),
                fen: played.fen.clone(),
                confidence: *confidence,
                alternatives: alternatives
                    .iter()
                    .map(|other| WireAlternative { uci: other.uci.clone(), confidence: other.confidence })
                    .collect(),
                irregular: played.irregular,
                evidence: wire_evidence(&played.evidence),
            },
            Event::MoveCompleted { ply, by, clocks } => {
                let (clock_white, clock_black) = wire_clocks(clocks);
                WireEvent::MoveCompleted { ply: *ply, by: *by, clock_white, clock_black }
            }
            Event::MovesCorrected { from_ply, moves, reason } => WireEvent::MovesCorrected {
                from_ply: *from_ply,
                moves: moves.iter().map(|played| played.uci.clone()).collect(),
                reason: *reason,
                sans: moves.iter().map(|played| played.san.clone()).collect(),
                fens: moves.iter().map(|played| played.fen.clone()).collect(),
                irregular: (*from_ply..)
                    .zip(moves)
                    .filter(|(_, played)| played.irregular)
                    .map(|(ply, played)| WireIrregular { ply, evidence: wire_evidence(&played.evidence) })
                    .collect(),
            },
            Event::ClockRevised { ply, clocks } => {
                let (clock_white, clock_black) = wire_clocks(clocks);
                WireEvent::ClockRevised { ply: *ply, clock_white, clock_black }
            }
            Event::AlertRaised(alert) => {
                let (clock_white, clock_black) = wire_clocks(&alert.clocks);
                WireEvent::AlertRaised {
                    id: alert.id,
                    kind: alert.kind,
                    by: alert.by,
                    articles: alert.articles.clone(),
                    ply: alert.ply,
                    squares: alert.squares.iter().map(Square::to_string).collect(),
                    text: WireText::from(&alert.text),
                    position: alert.position.clone(),
                    clock_white,
                    clock_black,
                    required: alert.required.iter().map(ToString::to_string).collect(),
                    allowed: alert.allowed.clone(),
                    count: alert.count,
                    evidence: wire_evidence(&alert.evidence),
                }
            }
            Event::AlertCleared { id } => WireEvent::AlertCleared { id: *id },
            Event::BoardFault { square, fault, detail } => {
                WireEvent::BoardFault { square: square.to_string(), fault: *fault, detail: detail.clone() }
            }
            Event::Result { result, reason } => WireEvent::Result { result: *result, reason: *reason },
            Event::Commanded { command, by } => WireEvent::Command { command: WireCommand::from(command), by: by.clone() },
            Event::Touched { square, before, now } => {
                WireEvent::Touched { square: square.to_string(), before: sensed_to_word(*before), now: sensed_to_word(*now) }
            }
            Event::Displaced { squares } => WireEvent::Displaced { squares: wire_differences(squares) },
            Event::Clock { clocks, turn, running, flags, battery_low } => {
                let (clock_white, clock_black) = wire_clocks(clocks);
                WireEvent::Clock {
                    clock_white,
                    clock_black,
                    turn: *turn,
                    running: *running,
                    flag_white: flags.white,
                    flag_black: flags.black,
                    battery_low: *battery_low,
                }
            }
            Event::Link(state) => WireEvent::Link { state: *state },
            Event::Battery(battery) => WireEvent::Battery { percent: battery.percent, charging: battery.charging },
        }
    }
}

impl TryFrom<WireEvent> for Event {
    type Error = String;

    fn try_from(wire: WireEvent) -> Result<Event, String> {
        Ok(match wire {
            WireEvent::GameStarted { fen, chess960, laws, rotation } => Event::GameStarted { fen, chess960, laws, rotation },
            WireEvent::MoveMade { ply, uci, san, fen, confidence, alternatives, irregular, evidence } => Event::MoveMade {
                ply,
                played: PlayedMove { uci, san, fen, irregular, evidence: sightings(evidence)? },
                confidence,
                alternatives: alternatives
                    .into_iter()
                    .map(|other| Alternative { uci: other.uci, confidence: other.confidence })
                    .collect(),
            },
            WireEvent::MoveCompleted { ply, by, clock_white, clock_black } => {
                Event::MoveCompleted { ply, by, clocks: clocks(clock_white, clock_black) }
            }
            WireEvent::MovesCorrected { from_ply, moves, reason, sans, fens, irregular } => {
                if moves.len() != sans.len() || moves.len() != fens.len() {
                    return Err(format!(
                        "`moves`, `sans` and `fens` have {}, {} and {} elements, and should have equally many",
                        moves.len(),
                        sans.len(),
                        fens.len()
                    ));
                }
                let texts = moves.into_iter().zip(sans).zip(fens);
                let regular = |((uci, san), fen)| PlayedMove { uci, san, fen, irregular: false, evidence: Vec::new() };
                let mut moves: Vec<PlayedMove> = texts.map(regular).collect();
                for entry in irregular {
                    let played = entry.ply.checked_sub(from_ply).and_then(|index| moves.get_mut(index as usize));
                    let played = played.ok_or_else(|| format!("`irregular` has ply {}, but `moves` does not", entry.ply))?;
                    (played.irregular, played.evidence) = (true, sightings(entry.evidence)?);
                }
                Event::MovesCorrected { from_ply, moves, reason }
            }
            WireEvent::ClockRevised { ply, clock_white, clock_black } => {
                Event::ClockRevised { ply, clocks: clocks(clock_white, clock_black) }
            }
            WireEvent::AlertRaised {
                id,
                kind,
                by,
                articles,
                ply,
                squares,
                text,
                position,
                clock_white,
                clock_black,
                required,
                allowed,
                count,
                evidence,
            } => Event::AlertRaised(Alert {
                id,
                kind,
                ply,
                by,
                articles,
                squares: squares.iter().map(|text| square(text)).collect::<Result<_, _>>()?,
                text: text.try_into()?,
                position,
                clocks: clocks(clock_white, clock_black),
                required: required.iter().map(|act| act.parse()).collect::<Result<_, _>>()?,
                allowed,
                count,
                evidence: sightings(evidence)?,
            }),
            WireEvent::AlertCleared { id } => Event::AlertCleared { id },
            WireEvent::BoardFault { square: name, fault, detail } => {
                Event::BoardFault { square: square(&name)?, fault, detail }
            }
            WireEvent::Result { result, reason } => Event::Result { result, reason },
            WireEvent::Command { command, by } => Event::Commanded { command: command.into(), by },
            WireEvent::Touched { square: name, before, now } => {
                Event::Touched { square: square(&name)?, before: sensed(&before)?, now: sensed(&now)? }
            }
            WireEvent::Displaced { squares } => {
                Event::Displaced { squares: squares.iter().map(difference).collect::<Result<_, _>>()? }
            }
            WireEvent::Clock { clock_white, clock_black, turn, running, flag_white, flag_black, battery_low } => {
                let flags = ByColor { white: flag_white, black: flag_black };
                Event::Clock { clocks: clocks(clock_white, clock_black), turn, running, flags, battery_low }
            }
            WireEvent::Link { state } => Event::Link(state),
            WireEvent::Battery { percent, charging } => Event::Battery(Battery { percent, charging }),
        })
    }
}

fn wire_differences(differences: &[Difference]) -> Vec<WireDifference> {
    let to_wire = |difference: &Difference| WireDifference {
        square: difference.square.to_string(),
        expected: sensed_to_word(difference.expected.map_or(SquareState::Empty, SquareState::Piece)),
        seen: sensed_to_word(difference.seen),
    };
    differences.iter().map(to_wire).collect()
}

impl From<&Text> for WireText {
    fn from(text: &Text) -> WireText {
        let value = |arg: &Arg| match arg {
            Arg::Number(number) => WireValue::Number(*number),
            Arg::Plain(plain) => WireValue::Plain(plain.clone()),
            Arg::Differences(differences) => WireValue::Differences(wire_differences(differences)),
            Arg::Text(text) => WireValue::Text(Box::new(WireText::from(&**text))),
            Arg::Word(ReasonArg::Square(square)) => WireValue::Square(square.to_string()),
            Arg::Word(ReasonArg::Role(role)) => WireValue::Role(role.char().to_string()),
            Arg::Word(ReasonArg::Player(color)) => WireValue::Player(*color),
            Arg::Word(ReasonArg::Piece(piece)) => WireValue::Man(write_piece(piece)),
            Arg::Word(ReasonArg::Pieces(pieces)) => WireValue::Men(pieces.iter().map(write_piece).collect()),
            Arg::Word(ReasonArg::Moved(moved)) => WireValue::Moved(*moved),
        };
        let args = text.args.iter().map(|(name, arg)| WireArg { name: name.clone(), value: value(arg) }).collect();
        WireText { key: text.key.clone(), args }
    }
}

impl TryFrom<WireText> for Text {
    type Error = String;

    fn try_from(wire: WireText) -> Result<Text, String> {
        let parse_piece =
            |text: &str| text::parse_piece(text).ok_or_else(|| format!("`{text}` is not a piece on a square, such as Re8"));
        let parse_arg = |WireArg { name, value }| {
            let arg = match value {
                WireValue::Square(name) => Arg::Word(ReasonArg::Square(square(&name)?)),
                WireValue::Role(letter) => Arg::Word(ReasonArg::Role(
                    text::parse_role(&letter).ok_or_else(|| format!("`{letter}` is not the letter of a piece"))?,
                )),
                WireValue::Player(color) => Arg::Word(ReasonArg::Player(color)),
                WireValue::Man(piece) => Arg::Word(ReasonArg::Piece(parse_piece(&piece)?)),
                WireValue::Men(pieces) => {
                    Arg::Word(ReasonArg::Pieces(pieces.iter().map(|piece| parse_piece(piece)).collect::<Result<_, _>>()?))
                }
                WireValue::Moved(moved) => Arg::Word(ReasonArg::Moved(moved)),
                WireValue::Number(number) => Arg::Number(number),
                WireValue::Plain(plain) => Arg::Plain(plain),
                WireValue::Differences(differences) => {
                    Arg::Differences(differences.iter().map(difference).collect::<Result<_, _>>()?)
                }
                WireValue::Text(text) => Arg::Text(Box::new((*text).try_into()?)),
            };
            Ok((name, arg))
        };
        Ok(Text { key: wire.key, args: wire.args.into_iter().map(parse_arg).collect::<Result<_, String>>()? })
    }
}

fn wire_evidence(evidence: &[Sighting]) -> Vec<WireSighting> {
    let to_wire = |sighting: &Sighting| WireSighting {
        t: sighting.at,
        square: sighting.square.to_string(),
        before: sensed_to_word(sighting.before),
        now: sensed_to_word(sighting.now),
    };
    evidence.iter().map(to_wire).collect()
}

fn sightings(wire: Vec<WireSighting>) -> Result<Vec<Sighting>, String> {
    wire.into_iter()
        .map(|WireSighting { t: at, square: name, before, now }| {
            Ok(Sighting { at, square: square(&name)?, before: sensed(&before)?, now: sensed(&now)? })
        })
        .collect()
}

fn square(text: &str) -> Result<Square, String> {
    text.parse().map_err(|_| format!("`{text}` is not a square; squares are a1 to h8"))
}

fn sensed(text: &str) -> Result<SquareState, String> {
    sensed_from_word(text).ok_or_else(|| {
        format!("`{text}` is not the state of a square: empty, the letter of a piece as in FEN, white, black or occupied")
    })
}

fn difference(wire: &WireDifference) -> Result<Difference, String> {
    let expected = match sensed(&wire.expected)? {
        SquareState::Empty => None,
        SquareState::Piece(piece) => Some(piece),
        _ => return Err(format!("`expected` is `{}`, and should be empty or the letter of a piece", wire.expected)),
    };
    Ok(Difference { square: square(&wire.square)?, expected, seen: sensed(&wire.seen)? })
}

fn wire_clocks(clocks: &ClockTimes) -> (Option<WireClock>, Option<WireClock>) {
    let wire = |time: ClockTime| WireClock { ms: time.ms, resolution_ms: time.resolution_ms, age_ms: time.age_ms };
    (clocks.white.map(wire), clocks.black.map(wire))
}

fn clocks(white: Option<WireClock>, black: Option<WireClock>) -> ClockTimes {
    let time = |wire: WireClock| ClockTime { ms: wire.ms, resolution_ms: wire.resolution_ms, age_ms: wire.age_ms };
    ClockTimes { white: white.map(time), black: black.map(time) }
}

impl From<&Command> for WireCommand {
    fn from(command: &Command) -> Self {
        match command {
            Command::Result(result) => WireCommand::Result { result: *result },
            Command::Position(fen) => WireCommand::Position { fen: fen.clone() },
            Command::TakeBack(plies) => WireCommand::TakeBack { plies: *plies },
            Command::Promotion { ply, role } => WireCommand::Promotion { ply: *ply, piece: *role },
            Command::Adjust(player) => WireCommand::Adjust { player: *player },
            Command::Acknowledge(alert) => WireCommand::Acknowledge { alert: *alert },
            Command::Restore { ply } => WireCommand::Restore { ply: *ply },
            Command::LetStand(alert) => WireCommand::LetStand { alert: *alert },
            Command::Replace { ply, uci } => WireCommand::Replace { ply: *ply, uci: uci.clone() },
            Command::Insert { ply, uci } => WireCommand::Insert { ply: *ply, uci: uci.clone() },
            Command::Undo => WireCommand::Undo {},
            Command::Count { player, what } => WireCommand::Count { player: *player, what: *what },
            Command::Strike { player, ply } => WireCommand::Strike { player: *player, ply: *ply },
            Command::ClockNote { white_ms, black_ms, note } => {
                WireCommand::ClockNote { white_ms: *white_ms, black_ms: *black_ms, note: note.clone() }
            }
            Command::Pause(paused) => WireCommand::Pause { paused: *paused },
            Command::Laws(laws) => WireCommand::Laws { laws: *laws },
            Command::Tags(tags) => WireCommand::Tags { tags: tags.clone() },
            Command::Claim { player, claimed, intended } => {
                WireCommand::Claim { player: *player, claimed: *claimed, intended: intended.clone() }
            }
        }
    }
}

impl From<WireCommand> for Command {
    fn from(wire: WireCommand) -> Self {
        match wire {
            WireCommand::Result { result } => Command::Result(result),
            WireCommand::Position { fen } => Command::Position(fen),
            WireCommand::TakeBack { plies } => Command::TakeBack(plies),
            WireCommand::Promotion { ply, piece } => Command::Promotion { ply, role: piece },
            WireCommand::Adjust { player } => Command::Adjust(player),
            WireCommand::Acknowledge { alert } => Command::Acknowledge(alert),
            WireCommand::Restore { ply } => Command::Restore { ply },
            WireCommand::LetStand { alert } => Command::LetStand(alert),
            WireCommand::Replace { ply, uci } => Command::Replace { ply, uci },
            WireCommand::Insert { ply, uci } => Command::Insert { ply, uci },
            WireCommand::Undo {} => Command::Undo,
            WireCommand::Count { player, what } => Command::Count { player, what },
            WireCommand::Strike { player, ply } => Command::Strike { player, ply },
            WireCommand::ClockNote { white_ms, black_ms, note } => Command::ClockNote { white_ms, black_ms, note },
            WireCommand::Pause { paused } => Command::Pause(paused),
            WireCommand::Laws { laws } => Command::Laws(laws),
            WireCommand::Tags { tags } => Command::Tags(tags),
            WireCommand::Claim { player, claimed, intended } => Command::Claim { player, claimed, intended },
        }
    }
}

impl From<&Settings> for WireSettings {
    fn from(settings: &Settings) -> Self {
        // Destructured in full, so that the compiler reports a new setting that is missing here.
        let Settings {
            sensing,
            settle_ms,
            settle_low_ms,
            low_time_ms,
            dwell_ms,
            rotation,
            clock_side,
            chess960,
            start_fen,
            accept_kings_signal,
            laws,
            hypotheses,
            publish,
            lights,
        } = settings.clone();
        WireSettings {
            sensing,
            settle_ms,
            settle_low_ms,
            low_time_ms,
            dwell_ms,
            rotation,
            clock_side,
            chess960,
            start_fen,
            accept_kings_signal,
            laws,
            hypotheses,
            publish,
            lights,
        }
    }
}

impl From<WireSettings> for Settings {
    fn from(wire: WireSettings) -> Self {
        Settings {
            sensing: wire.sensing,
            settle_ms: wire.settle_ms,
            settle_low_ms: wire.settle_low_ms,
            low_time_ms: wire.low_time_ms,
            dwell_ms: wire.dwell_ms,
            rotation: wire.rotation,
            clock_side: wire.clock_side,
            chess960: wire.chess960,
            start_fen: wire.start_fen,
            accept_kings_signal: wire.accept_kings_signal,
            laws: wire.laws,
            hypotheses: wire.hypotheses,
            publish: wire.publish,
            lights: wire.lights,
        }
    }
}
