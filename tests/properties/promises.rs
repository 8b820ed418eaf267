//! What a table promises for every stream of inputs, however mad. Shared by the property tests and the fuzz targets.

use touchmove::boards::Millis;
use touchmove::game::record::PlyState;
use touchmove::game::{Command, Event, Played, Record, Stamped};
use touchmove::laws::Position;
use touchmove::wire;

/// What was told so far, and the record that it makes.
#[derive(Default)]
pub struct Promises {
    /// Everything told, in order.
    pub told: Vec<Stamped>,
    record: Option<Record>,
    /// Positions of the record, the start first.
    positions: Vec<Position>,
    last_at: Millis,
}

impl Promises {
    /// Takes what came out of one call. `blind`: no whole placement is known, so nothing on the board can have been seen.
    ///
    /// # Errors
    /// The promise that does not hold, in words.
    pub fn take(&mut self, events: Vec<Stamped>, blind: bool) -> Result<(), String> {
        let ordered = events.iter().any(|stamped| matches!(stamped.event, Event::Commanded { .. }));
        for stamped in events {
            self.one(&stamped, blind && !ordered).map_err(|broken| format!("{broken}: {stamped:?}"))?;
            self.told.push(stamped);
        }
        Ok(())
    }

    /// The record that the events make.
    pub fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// The durable events of the last game.
    pub fn last_game(&self) -> Vec<Stamped> {
        let durable = self.told.iter().filter(|stamped| stamped.number.is_some());
        let mut events: Vec<Stamped> = durable.cloned().collect();
        let first = events.iter().rposition(|stamped| matches!(stamped.event, Event::GameStarted { .. })).unwrap_or(0);
        events.split_off(first)
    }

    fn one(&mut self, stamped: &Stamped, blind: bool) -> Result<(), String> {
        if stamped.at < self.last_at {
            return Err(format!("time goes back from {}", self.last_at));
        }
        self.last_at = stamped.at;
        if wire::from_json(&wire::to_json(stamped)).ok().as_ref() != Some(stamped) {
            return Err(format!("its JSON says something else: {}", wire::to_json(stamped)));
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
            self.positions = vec![Position::from_fen(fen, chess960).map_err(|why| format!("start position: {why}"))?];
            self.record = Record::begin(stamped);
            return Ok(());
        }
        if blind && matches!(stamped.event, Event::MoveMade { .. } | Event::MovesCorrected { .. }) {
            return Err("nothing was seen".to_owned());
        }
        if self.record.is_some() && expected.is_some() {
            self.durable(&stamped.event)?;
        }
        if let Some(record) = &mut self.record {
            record.apply(stamped);
        }
        Ok(())
    }

    fn durable(&mut self, event: &Event) -> Result<(), String> {
        let Some(record) = &self.record else { return Ok(()) };
        let plies = record.plies.len();
        match event {
            Event::MoveMade { ply, played, confidence, alternatives } => {
                if *ply as usize != plies + 1 {
                    return Err(format!("there are {plies} plies, and what is published changes by a correction only"));
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
                let kept = (*from_ply as usize).checked_sub(1).filter(|kept| *kept <= plies).ok_or("no such ply")?;
                let same = match (record.plies.get(kept), moves.first()) {
                    (None, None) => true,
                    (Some(before), Some(after)) => before.played.uci == after.uci,
                    _ => false,
                };
                if same {
                    return Err("nothing is corrected by it".to_owned());
                }
                self.positions.truncate(kept + 1);
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
                if alert.id != record.alerts_raised + 1 {
                    return Err(format!("{} alerts were raised", record.alerts_raised));
                }
                if alert.ply as usize > plies || alert.detail.is_empty() {
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

    /// One more move of the record: legal, or marked and proved by what the board showed; and what it says of itself is so.
    fn push(&mut self, played: &Played) -> Result<(), String> {
        let Played { uci, san, fen, irregular, evidence } = played;
        let before = self.positions.last().ok_or("no position")?;
        let legal = if *irregular { before.any_move(uci) } else { before.parse_uci(uci) };
        let mv = legal.ok_or_else(|| format!("{uci} is not legal in {}", before.fen()))?;
        if *irregular == before.is_legal(mv) {
            return Err(format!("{uci} is marked wrongly in {}", before.fen()));
        }
        if *irregular == evidence.is_empty() || evidence.len() > Played::EVIDENCE {
            return Err(format!("{uci} in {} has {} edges as its proof", before.fen(), evidence.len()));
        }
        let proved = |square| evidence.iter().any(|seen| seen.square == square);
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

    /// What must be true of an order that was carried out.
    pub fn ordered(&self, command: &Command) -> Result<(), String> {
        let Some(record) = &self.record else { return Ok(()) };
        match command {
            Command::Result(result) if record.result.map(|(result, _)| result) != *result => {
                Err(format!("{command:?} was carried out, and the result is {:?}", record.result))
            }
            _ => Ok(()),
        }
    }
}
