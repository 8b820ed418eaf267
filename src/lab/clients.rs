//! Simulates clients of the LiveChess server that cannot retract a move, and counts how often they would have received a wrong one.

use crate::boards::Millis;
use crate::game::caution::{SettledPlies, is_stable};
use crate::game::record::Ply;
use crate::game::{Event, Record};
use crate::lab::statistics::{Delay, share};
use crate::simulate::truth::{GroundTruth, InterruptionReason};
use crate::table::Table;
use serde::Serialize;

/// A client that accepts the first move that it receives for each ply.
#[derive(Clone, Debug, Default)]
pub struct SimulatedClient {
    /// By ply, from 0: each move that the client received, and when.
    received: Vec<Vec<(String, Millis)>>,
}

impl SimulatedClient {
    /// Sends the client the moves that are due now.
    fn receive_moves(&mut self, now: Millis, record: &Record, settled: usize) {
        for (index, ply) in record.plies.iter().take(settled).take_while(|ply| is_stable(ply)).enumerate() {
            self.receive_move(now, index, ply);
        }
    }

    fn receive_move(&mut self, now: Millis, index: usize, ply: &Ply) {
        if self.received.len() == index {
            self.received.push(Vec::new());
        }
        let Some(moves) = self.received.get_mut(index) else { return };
        if moves.last().is_none_or(|(uci, _)| *uci != ply.played.uci) {
            moves.push((ply.played.uci.clone(), now));
        }
    }

    /// Compares the received moves with the played ones. `edges` holds, for each ply from 1, when its last byte arrived.
    pub fn compare(&self, truth: &GroundTruth, edges: &[Millis]) -> ClientFigures {
        let mut figures = ClientFigures::default();
        for (index, moves) in self.received.iter().enumerate() {
            let number = index as u32 + 1;
            let mut before: Option<&str> = None;
            for (uci, at) in moves {
                let is_first = before.is_none_or(|before| truth.is_taken_back(number, before, *at));
                before = Some(uci);
                if !is_first || truth.interruption(*at) == Some(InterruptionReason::Analysis) {
                    continue;
                }
                let right = truth.ply(number, uci, *at).is_some_and(|ply| ply.uci == *uci);
                figures.wrong += u64::from(!right);
                let edge = edges.get(index + 1).filter(|&&edge| edge > 0 && right && moves.len() == 1);
                let cable_out = truth
                    .plies
                    .get(index)
                    .is_none_or(|ply| truth.interruption(ply.done_at) == Some(InterruptionReason::CableOut));
                figures.delays.extend(edge.filter(|_| !cable_out).map(|edge| at.saturating_sub(*edge)));
            }
        }
        let is_received = |index: usize| self.received.get(index).is_some_and(|moves| !moves.is_empty());
        figures.never_told = (0..truth.plies.len()).filter(|index| !is_received(*index)).count() as u64;
        figures
    }
}

/// Two clients of one game: one receives settled moves, the other all moves as soon as they are on record.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    caution: Option<SettledPlies>,
    clock_runs: bool,
    /// The moves on record that are not settled, each with its index.
    open: Vec<(usize, Ply)>,
    settled: SimulatedClient,
    prompt: SimulatedClient,
    /// A move was made: the next start belongs to another game.
    is_played: bool,
}

impl Clients {
    /// Handles an event of the table.
    pub fn event(&mut self, now: Millis, event: &Event) {
        match event {
            Event::GameStarted { .. } if self.is_played => self.caution = None,
            Event::MoveMade { .. } => self.is_played = true,
            Event::GameStarted { .. } => {
                *self = Clients { caution: Some(SettledPlies::new(now)), clock_runs: self.clock_runs, ..Clients::default() };
            }
            Event::Clock { running, .. } => self.clock_runs = *running,
            _ => {}
        }
    }

    /// Updates both clients after the table has handled all input up to now.
    pub fn see(&mut self, now: Millis, table: &Table) {
        let (Some(caution), Some(record)) = (&mut self.caution, table.record()) else { return };
        // Moves that were due earlier are sent as the record was at that time.
        while let Some(due) = caution.next_deadline().filter(|due| *due < now) {
            caution.advance(due);
            let due_moves = self.open.extract_if(.., |(index, ply)| *index < caution.settled() && is_stable(ply));
            due_moves.for_each(|(index, ply)| self.settled.receive_move(due, index, &ply));
        }
        caution.update(now, record, table.placement().as_ref(), self.clock_runs);
        self.settled.receive_moves(now, record, caution.settled());
        self.open = record.plies.iter().cloned().enumerate().skip(caution.settled()).collect();
        self.prompt.receive_moves(now, record, usize::MAX);
    }

    /// Compares what both clients received with the ground truth.
    pub fn compare(&self, truth: &GroundTruth, edges: &[Millis]) -> [ClientFigures; 2] {
        [&self.settled, &self.prompt].map(|client| client.compare(truth, edges))
    }
}

/// What one client received in one game, compared with what was played.
#[derive(Clone, Debug, Default)]
pub struct ClientFigures {
    /// Plies for which the first move received was wrong.
    pub wrong: u64,
    /// Plies that were played and for which no move was received.
    pub never_told: u64,
    /// Delays from the last edge of a move until it was received, in milliseconds.
    pub delays: Vec<u64>,
}

/// The sum of [`ClientFigures`] over many games.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FirstSeen {
    /// Plies for which the first move received was wrong.
    pub wrong: u64,
    /// The same per thousand plies.
    pub wrong_per_1000: f64,
    /// Plies that were played and for which no move was received: silence is no success.
    pub never_told: u64,
    /// Delay from the last edge of a move until it was received.
    pub delay: Delay,
}

impl FirstSeen {
    /// Sums up. `plies` is the number of plies played.
    pub fn of<'a>(games: impl Iterator<Item = &'a ClientFigures> + Clone, plies: u64) -> FirstSeen {
        let wrong = games.clone().map(|game| game.wrong).sum();
        let never_told = games.clone().map(|game| game.never_told).sum();
        let delay = Delay::of(games.flat_map(|game| &game.delays).copied().collect());
        FirstSeen { wrong, wrong_per_1000: share(wrong, plies, 1000.0), never_told, delay }
    }
}
