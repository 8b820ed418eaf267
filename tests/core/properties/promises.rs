//! The promises of a table for every stream of inputs, also for nonsensical ones. Shared by the property tests and the fuzz
//! targets.

use touchmove::boards::Millis;
use touchmove::game::record::PlyState;
use touchmove::game::{Alert, Command, CompletedBy, CorrectionReason, Event, PlayedMove, Record, StampedEvent};
use touchmove::laws::Position;
use touchmove::wire;

/// The events so far, and the record that they make.
#[derive(Default)]
pub struct Promises {
    /// All events, in order.
    pub events: Vec<StampedEvent>,
    record: Option<Record>,
    /// Positions of the record, the start first.
    positions: Vec<Position>,
    /// The completed plies, in order, each with its move in UCI, until a correction withdraws them.
    completed: Vec<(u32, String)>,
    last_at: Millis,
}

impl Promises {
    /// Checks the events of one call. `blind`: no whole placement is known, so that no move can have been seen.
    ///
    /// # Errors
    /// A description of the broken promise.
    pub fn take(&mut self, events: Vec<StampedEvent>, blind: bool) -> Result<(), String> {
        let is_commanded = events.iter().any(|stamped| matches!(stamped.event, Event::Commanded { .. }));
        let mut commands = Vec::new();
        for stamped in events {
            if let Event::Commanded { command, .. } = &stamped.event {
                commands.push(command.clone());
            }
            self.check_event(&stamped, blind && !is_commanded, &commands).map_err(|fault| format!("{fault}: {stamped:?}"))?;
            self.events.push(stamped);
        }
        self.check_completed()
    }

    /// Checks that completed moves without a later correction are unchanged in the record.
    fn check_completed(&self) -> Result<(), String> {
        let Some(record) = &self.record else { return Ok(()) };
        for (number, uci) in &self.completed {
            let ply = record.ply(*number).ok_or_else(|| format!("ply {number}, {uci}, was completed and is missing"))?;
            if ply.played.uci != *uci || !matches!(ply.state, PlyState::Completed { .. }) {
                return Err(format!("ply {number}, {uci}, was completed, and now it is {ply:?}"));
            }
        }
        Ok(())
    }

    /// The record that the events make.
    pub fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// The durable events of the last game.
    pub fn last_game(&self) -> Vec<StampedEvent> {
        let durable = self.events.iter().filter(|stamped| stamped.number.is_some());
        let mut events: Vec<StampedEvent> = durable.cloned().collect();
        let first = events.iter().rposition(|stamped| matches!(stamped.event, Event::GameStarted { .. })).unwrap_or(0);
        events.split_off(first)
    }

    fn check_event(&mut self, stamped: &StampedEvent, blind: bool, commands: &[Command]) -> Result<(), String> {
        if stamped.at < self.last_at {
            return Err(format!("the time decreases from {}", self.last_at));
        }
        self.last_at = stamped.at;
        if wire::from_json(&wire::to_json(stamped)).ok().as_ref() != Some(stamped) {
            return Err(format!("its JSON differs: {}", wire::to_json(stamped)));
        }
        let expected = match (stamped.event.is_durable(), &stamped.event, &self.record) {
            (false, ..) => None,
            (true, Event::GameStarted { .. }, _) => Some(1),
            (true, _, Some(record)) => Some(record.last_number + 1),
            (true, _, None) => return Err("there is no game".to_owned()),
        };
        if stamped.number != expected {
            return Err(format!("its number should be {expected:?}"));
        }
        if let Event::GameStarted { fen, chess960, .. } = &stamped.event {
            let chess960 = chess960.is_some_and(|number| number != 518);
            self.positions = vec![Position::from_fen(fen, chess960).map_err(|error| format!("start position: {error}"))?];
            self.record = Record::begin(stamped);
            self.completed.clear();
            return Ok(());
        }
        if blind && matches!(stamped.event, Event::MoveMade { .. } | Event::MovesCorrected { .. }) {
            return Err("nothing was seen".to_owned());
        }
        if self.record.is_some() && expected.is_some() {
            self.check_durable(&stamped.event, commands)?;
        }
        // Transient events are not part of the record.
        if let Some(record) = self.record.as_mut().filter(|_| stamped.number.is_some()) {
            record.apply(stamped);
        }
        Ok(())
    }

    fn check_durable(&mut self, event: &Event, commands: &[Command]) -> Result<(), String> {
        self.update_completed(event, commands)?;
        let Some(record) = &self.record else { return Ok(()) };
        let plies = record.plies.len();
        match event {
            Event::MoveMade { ply, played, confidence, alternatives } => {
                if *ply as usize != plies + 1 {
                    return Err(format!("there are {plies} plies, and only a correction changes published moves"));
                }
                let before = self.positions.last().ok_or("no position")?.clone();
                let share: u32 = alternatives.iter().map(|other| u32::from(other.confidence.0)).sum();
                if confidence.0 > 1000 || share > 1000 {
                    return Err("more than certain".to_owned());
                }
                for other in alternatives {
                    if other.uci == played.uci || before.parse_uci(&other.uci).is_none() {
                        return Err(format!("{} is no alternative in {}", other.uci, before.fen()));
                    }
                }
                self.push(played)?;
            }
            Event::MovesCorrected { from_ply, moves, .. } => {
                let unchanged =
                    (*from_ply as usize).checked_sub(1).filter(|unchanged| *unchanged <= plies).ok_or("no such ply")?;
                let same = match (record.plies.get(unchanged), moves.first()) {
                    (None, None) => true,
                    (Some(before), Some(after)) => before.played.uci == after.uci,
                    _ => false,
                };
                if same {
                    return Err("it corrects nothing".to_owned());
                }
                self.positions.truncate(unchanged + 1);
                for played in moves {
                    self.push(played)?;
                }
            }
            Event::MoveCompleted { ply, .. } => match record.ply(*ply).map(|ply| ply.state) {
                Some(PlyState::Made) => {}
                Some(PlyState::Completed { .. }) => return Err("it was completed before".to_owned()),
                None => return Err("no such ply".to_owned()),
            },
            Event::ClockRevised { ply, .. } => {
                let state = record.ply(*ply).map(|ply| ply.state);
                if !matches!(state, Some(PlyState::Completed { .. })) {
                    return Err("it is not completed".to_owned());
                }
            }
            Event::AlertRaised(alert) => {
                // An active alert may be amended: the required actions were not known at first, or have changed; or the player has
                // put it right.
                let amended = record.alerts.iter().find(|known| known.id == alert.id).map(|known| Alert {
                    required: alert.required.clone(),
                    articles: alert.articles.clone(),
                    text: if alert.put_right == known.put_right { known.text.clone() } else { alert.text.clone() },
                    put_right: alert.put_right.clone().or(known.put_right.clone()),
                    ..known.clone()
                });
                if alert.id != record.alerts_raised + 1 && amended.as_ref() != Some(alert) {
                    return Err(format!("{} alerts were raised", record.alerts_raised));
                }
                if alert.ply as usize > plies || alert.text.key.is_empty() {
                    return Err("an alert without its ply or its sentence".to_owned());
                }
            }
            Event::AlertCleared { id } if !record.alerts.iter().any(|alert| alert.id == *id) => {
                return Err("there is no such alert".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Updates the completed moves, and checks that an event may withdraw them.
    fn update_completed(&mut self, event: &Event, commands: &[Command]) -> Result<(), String> {
        let Some(record) = &self.record else { return Ok(()) };
        match event {
            Event::MoveCompleted { ply, .. } => {
                let uci = record.ply(*ply).ok_or("no such ply")?.played.uci.clone();
                self.completed.push((*ply, uci));
            }
            Event::MovesCorrected { from_ply, moves, reason } => {
                let changes = |command: &Command| {
                    matches!(
                        command,
                        Command::TakeBack { .. }
                            | Command::Promotion { .. }
                            | Command::Restore { .. }
                            | Command::Replace { .. }
                            | Command::Insert { .. }
                            | Command::Undo {}
                    )
                };
                let is_commanded = commands.iter().any(changes);
                if *reason == CorrectionReason::Arbiter && !is_commanded {
                    return Err("nobody commanded it".to_owned());
                }
                let is_withdrawn = |(ply, _): &(u32, String)| *ply >= *from_ply;
                let corrected_move = |ply: u32| moves.get((ply - from_ply) as usize);
                for (ply, uci) in self.completed.iter().filter(|entry| is_withdrawn(entry)) {
                    let is_allowed = match reason {
                        // Later evidence or the arbiter may show that another move was made, or none.
                        CorrectionReason::Evidence | CorrectionReason::Takeback | CorrectionReason::Arbiter => true,
                        CorrectionReason::KingSignal => "d4 e4 d5 e5".contains(uci.get(2..4).unwrap_or("?")),
                        CorrectionReason::Analysis => false,
                    };
                    if !is_allowed {
                        return Err(format!("ply {ply}, {uci}, was completed and is withdrawn for no reason"));
                    }
                }
                // Unchanged moves of the correction stay completed, unless they were taken back and made again, or no longer end the
                // game.
                let may_repeat = matches!(reason, CorrectionReason::Evidence | CorrectionReason::Arbiter);
                let ended = |ply: u32| {
                    let state = record.ply(ply).map(|ply| ply.state);
                    matches!(state, Some(PlyState::Completed { by: CompletedBy::GameEnd, .. }))
                };
                let stays =
                    |ply: u32, uci: &str| may_repeat && !ended(ply) && corrected_move(ply).is_some_and(|mv| mv.uci == uci);
                self.completed.retain(|(ply, uci)| ply < from_ply || stays(*ply, uci));
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a move to the record; checks that it is legal, or marked as irregular with evidence, and that its SAN and FEN are right.
    fn push(&mut self, played: &PlayedMove) -> Result<(), String> {
        let PlayedMove { uci, san, fen, irregular, evidence } = played;
        let before = self.positions.last().ok_or("no position")?;
        let found_move = if *irregular { before.any_move_to(uci, fen) } else { before.parse_uci(uci) };
        let mv = found_move.ok_or_else(|| format!("{uci} is not legal in {}", before.fen()))?;
        if *irregular == before.is_legal(mv) {
            return Err(format!("{uci} is marked wrongly in {}", before.fen()));
        }
        if played.is_missing() {
            let found = Position::from_fen(fen, before.is_chess960()).map_err(|error| format!("{fen}: {error}"))?;
            let kings = shakmaty::Color::ALL.into_iter().all(|color| found.board().king_of(color).is_some());
            let is_allowed = found.turn() != before.turn() && kings && *irregular && evidence.is_empty();
            self.positions.push(found);
            return if is_allowed { Ok(()) } else { Err(format!("after missing moves the position is {fen}")) };
        }
        if *irregular == evidence.is_empty() || evidence.len() > PlayedMove::EVIDENCE {
            return Err(format!("{uci} in {} has {} edges as its evidence", before.fen(), evidence.len()));
        }
        let proved = |square| evidence.iter().any(|seen| seen.square == square && seen.before != seen.now);
        if *irregular && !before.changes(mv).iter().any(|(square, _)| proved(square)) {
            return Err(format!("{uci} in {} is not proved by {evidence:?}", before.fen()));
        }
        let after = before.play(mv);
        if after.fen() != *fen || before.san(mv) != *san {
            return Err(format!("{uci} in {} is {} and leads to {}", before.fen(), before.san(mv), after.fen()));
        }
        self.positions.push(after);
        Ok(())
    }

    /// Checks the effect of a command that was carried out when `plies` plies were on record.
    pub fn ordered(&self, command: &Command, plies: usize) -> Result<(), String> {
        let Some(record) = &self.record else { return Ok(()) };
        match command {
            Command::Result { result } if record.result.map(|(result, _)| result) != *result => {
                Err(format!("{command:?} was carried out, and the result is {:?}", record.result))
            }
            Command::TakeBack { plies: back } if record.plies.len() + *back as usize != plies => {
                Err(format!("{command:?} was carried out, and of {plies} plies there are {}", record.plies.len()))
            }
            _ => Ok(()),
        }
    }
}
