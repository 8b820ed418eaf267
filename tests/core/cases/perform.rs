//! Performs a case at a virtual board, whose bytes go through the protocol into a table session.

use super::form::{Case, Deed};
use shakmaty::fen::Fen;
use shakmaty::{Color, Piece, Square};
use std::collections::VecDeque;
use touchmove::boards::{LinkState, Millis, SensorKind, model};
use touchmove::game::answer::Verdict;
use touchmove::game::event::Rotation;
use touchmove::game::{Answer, Command, Event, GameResult, Order};
use touchmove::lab::run::{self, Cable, HostInput, RunEvent};
use touchmove::laws::draws::ClaimKind;
use touchmove::laws::{Changes, Irregularity, Laws, LawsWord, Position};
use touchmove::simulate::act::Act;
use touchmove::simulate::chessup::ChessUp;
use touchmove::simulate::dgt::VirtualDgt;
use touchmove::simulate::hands::{HandsProfile, profile};
use touchmove::simulate::{SimulationSetup, VirtualBoard, wireless};
use touchmove::table::{Input, Settings, Table};

/// The time before the first action, and the time after the last one, in milliseconds.
const LEAD_IN: Millis = 2_500;
const QUIET: Millis = 8_000;
/// How long a hand is on a square that it brushes, in milliseconds.
const BRUSH: Millis = 200;

/// How a case is performed.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    pub laws: Laws,
    pub sensing: SensorKind,
    /// The time between two hand actions, in milliseconds.
    pub pace: Millis,
    /// Determines the phase of the board's scan relative to the hand actions.
    pub seed: u64,
}

/// The outcome of a case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The moves on record, in UCI and SAN.
    pub moves: Vec<(String, String)>,
    pub events: Vec<Event>,
    /// The verdicts on the claims, in order.
    pub verdicts: Vec<Verdict>,
    /// The reasons for which commands were refused.
    pub refused: Vec<String>,
}

/// The far end of the cable: a virtual board and the hands at it.
struct Hands {
    board: Box<dyn VirtualBoard>,
    to_do: VecDeque<(Millis, Act)>,
    plugged: bool,
}

impl Cable for Hands {
    fn next(&self) -> Option<Millis> {
        let due = self.to_do.front().map(|(at, _)| *at);
        if self.plugged { [due, self.board.next_event()].into_iter().flatten().min() } else { Some(0) }
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        let mut inputs = Vec::new();
        if !std::mem::replace(&mut self.plugged, true) {
            inputs.push(HostInput::Link(LinkState::Up));
        }
        let bytes = |board: &mut dyn VirtualBoard, now| {
            board.advance(now).into_iter().map(|chunk| HostInput::Bytes(chunk.bytes, chunk.ply)).collect::<Vec<_>>()
        };
        while let Some((at, act)) = self.to_do.pop_front_if(|(at, _)| *at <= now) {
            inputs.extend(bytes(&mut *self.board, at));
            self.board.act(at, act, 0);
        }
        inputs.extend(bytes(&mut *self.board, now));
        inputs
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.board.receive(now, bytes);
    }
}

/// The schedule of a case: everything that is done and said, with times.
struct Plan {
    now: Millis,
    pace: Millis,
    /// The time on each clock, in milliseconds.
    time: Millis,
    acts: VecDeque<(Millis, Act)>,
    words: Vec<(Millis, String)>,
}

impl Plan {
    fn act(&mut self, act: Act) {
        self.acts.push_back((self.now, act));
    }

    fn change(&mut self, square: Square, piece: Option<Piece>) {
        self.act(piece.map_or(Act::Lift(square), |piece| Act::Put(square, piece)));
    }

    /// Plays a move carefully: a captured piece is removed first.
    fn play(&mut self, position: &Position, uci: &str) -> Position {
        let mv = position.parse_uci(uci).expect("a legal move");
        let changes: Vec<_> = Changes::of(position.turn(), mv).iter().collect();
        for &(square, _) in changes.iter().rev().filter(|(square, _)| position.piece_at(*square).is_some()) {
            self.act(Act::Lift(square));
            self.now += self.pace;
        }
        for (square, piece) in changes.into_iter().filter(|(_, piece)| piece.is_some()) {
            self.change(square, piece);
            self.now += self.pace;
        }
        self.act(Act::Press(position.turn()));
        self.now += self.pace + 500;
        position.play(mv)
    }

    fn deed(&mut self, deed: &Deed) {
        match deed {
            Deed::Frame(changes) => changes.iter().for_each(|&(square, piece)| self.change(square, piece)),
            Deed::Press(color) => self.act(Act::Press(*color)),
            Deed::Clock(act) => self.act(*act),
            Deed::Touch(squares) => squares.iter().for_each(|&square| self.act(Act::Touch(square))),
            Deed::LetGo => self.act(Act::LetGo),
            Deed::Brush(square) => {
                self.act(Act::Touch(*square));
                self.acts.push_back((self.now + BRUSH, Act::LetGo));
            }
            Deed::Flag => self.now += self.time,
            Deed::Say(words) => self.words.push((self.now, words.clone())),
            Deed::Wait(_) => {}
        }
        self.now += if let Deed::Wait(ms) = deed { *ms } else { self.pace };
    }
}

/// Performs a case.
pub fn perform(case: &Case, manner: Manner) -> Outcome {
    let clean = profile("clean").expect("clean hands");
    let profile = HandsProfile { clock_ms: (300_000, 0), ..*clean };
    let setup = SimulationSetup {
        profile: &profile,
        clock: case.clock,
        rotation: Rotation::Upright,
        clock_turned: false,
        seed: manner.seed,
    };
    let board = match &case.board {
        Some(placement) => format!("{placement} w - - 0 1").parse::<Fen>().expect("a FEN").into_setup().board,
        None => Position::from_fen(&case.fen, case.chess960).expect("a FEN").board().clone(),
    };
    let squares: [Option<Piece>; 64] = std::array::from_fn(|index| board.piece_at(Square::new(index as u32)));
    let plan = plan(case, manner.pace, profile.clock_ms.0.into());
    let until = plan.now + QUIET;
    let settings = Settings { sensing: manner.sensing, chess960: case.chess960, laws: manner.laws, ..Settings::default() };
    let mut table = Table::new(settings);
    let board: Box<dyn VirtualBoard> = match case.model.as_str() {
        "dgt" => Box::new(VirtualDgt::new(&setup, &squares, 0)),
        "chessup" => Box::new(wireless::board(&setup, &squares, 0, ChessUp::default())),
        name => panic!("no case can be performed on {name}"),
    };
    let mut hands = Hands { board, to_do: plan.acts, plugged: false };
    let mut outcome = Outcome::default();
    let mut protocol = (model(&case.model).expect("a model").protocol)();
    for (at, words) in plan.words.into_iter().map(|(at, words)| (at, Some(words))).chain([(until, None)]) {
        run::play(&mut hands, &mut *protocol, &mut table, at, &mut |_, run_event| {
            if let RunEvent::Event(stamped) = run_event {
                outcome.events.push(stamped.event.clone());
            }
        });
        let Some(command) = words.and_then(|words| command(&words, &table)) else { continue };
        let order = Order { command, by: "the arbiter".to_owned() };
        let output = table.handle(at, Input::Order(order));
        outcome.refused.extend(output.refusal().map(|refused| refused.to_string()));
        if let Some(Answer::Claim(verdict)) = output.answer().cloned() {
            outcome.verdicts.push(verdict);
        }
        outcome.events.extend(output.events.into_iter().map(|stamped| stamped.event));
    }
    let plies = table.record().into_iter().flat_map(|record| record.plies.iter());
    outcome.moves = plies.map(|ply| (ply.played.uci.clone(), ply.played.san.clone())).collect();
    outcome
}

fn plan(case: &Case, pace: Millis, time: Millis) -> Plan {
    let mut position = Position::from_fen(&case.fen, case.chess960).expect("a FEN");
    let mut plan = Plan { now: LEAD_IN - 1_000, pace, time, acts: VecDeque::new(), words: Vec::new() };
    // The start position need not be commanded.
    if position.fen() != Position::start().fen() && !case.found {
        plan.words.push((plan.now, format!("arb:position {}", case.fen)));
    }
    case.setup.iter().for_each(|deed| plan.deed(deed));
    if position.turn() == Color::Black {
        plan.act(Act::Press(Color::White));
    }
    if case.clock {
        plan.now += 1_000;
        plan.act(Act::Start);
    }
    plan.now += 1_000;
    for uci in &case.moves {
        position = plan.play(&position, uci);
    }
    case.deeds.iter().for_each(|deed| plan.deed(deed));
    plan
}

/// The command that corresponds to this word; `None`: the table session is not informed of it.
fn command(words: &str, table: &Table) -> Option<Command> {
    let (prefix, rest) = words.split_once(':')?;
    let color = |letter: &str| Color::from_white(letter == "W");
    Some(match prefix {
        "adjust" => Command::Adjust { player: color(rest) },
        "say" if rest.contains("adoube") => Command::Adjust { player: position(table).turn() },
        "claimW" | "claimB" => {
            let (claimed, rest) = [("threefold", ClaimKind::Repetition), ("fifty", ClaimKind::FiftyMoves)]
                .into_iter()
                .find_map(|(word, claimed)| Some((claimed, rest.strip_prefix(word)?)))?;
            let intended = rest.strip_prefix(" with ").and_then(|rest| rest.split(' ').next()).map(|mv| intended(mv, table));
            Command::Claim { player: color(&prefix[5..]), claimed, intended }
        }
        "arb" => {
            let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            match verb {
                "position" => Command::Position { fen: rest.to_owned() },
                "restore" => Command::Restore { ply: rest.parse().expect("a ply") },
                "stands" => Command::LetStand { alert: table.record()?.alerts.last()?.id },
                "result" => Command::Result { result: GameResult::parse(rest) },
                "pause" => Command::Pause { paused: true },
                "resume" => Command::Pause { paused: false },
                "count" => {
                    let (player, what) = rest.split_once(' ').expect("who and what");
                    Command::Count {
                        player: color(player),
                        irregularity: Irregularity::from_word(what).expect("an irregularity"),
                    }
                }
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// The last position on record.
fn position(table: &Table) -> Position {
    let record = table.record().expect("a game");
    Position::from_fen(record.fen(), true).expect("a FEN")
}

/// A move in SAN converted to UCI; text that is not SAN of a legal move is used as UCI.
fn intended(mv: &str, table: &Table) -> String {
    let position = position(table);
    let legal = position.legal_moves().into_iter().find(|&legal| position.san(legal) == mv);
    legal.map_or_else(|| mv.to_owned(), |legal| position.uci(legal))
}
