//! The sensors of a virtual DGT board: fields that are scanned one after the other, and their faults.

use super::{Micros, NEVER};
use crate::simulate::hands::{Rate, Rates, Span};
use crate::simulate::rng::{Dice, Rng};

/// Duration of one scan of all squares, in milliseconds.
const SCAN_MS: Span = Span(200, 250);
/// Time between the blind phases of a flickering square, and the length of such a phase, in milliseconds.
const FLICKER: (Span, Span) = (Span(4_000, 40_000), Span(150, 700));
/// Delay until a missed edge is noticed, in milliseconds. A guess, as are the next two.
const MISSED: Span = Span(500, 6_000);
/// How long a square shows a false reading caused by its neighbour, in milliseconds.
const FALSE_EDGE_MS: Span = Span(150, 700);
/// How long a piece is read as another piece, in milliseconds.
const MISREAD: Span = Span(300, 5_000);

/// The last change of a field.
#[derive(Clone, Copy, Default)]
struct Change {
    /// How many changes this field has had.
    count: u64,
    /// Whether the board misreads this change has been decided.
    fault_drawn: bool,
    /// The board has reported this change.
    reported: bool,
}

struct Flicker {
    field: usize,
    blind: bool,
    turns_at: Micros,
}

/// The 64 fields, in the maker's order, with codes for their pieces.
pub(super) struct Sensors {
    /// The piece code on each field, and the ply that last changed the field.
    fields: [(u8, u32); 64],
    /// The code that the last scan of each field read.
    seen: [u8; 64],
    /// Time of the next scan of each field that may have changed.
    next_scans: [Micros; 64],
    /// Duration of a scan of all fields.
    scan: Micros,
    scan_from: Micros,
    stuck: Vec<usize>,
    flickers: Vec<Flicker>,
    dice: Dice,
    rates: Rates,
    changes: [Change; 64],
    /// The wrong code that a field shows instead of its piece, and until when.
    misreadings: [Option<(u8, Micros)>; 64],
}

impl Sensors {
    /// Creates sensors with these pieces on their fields. `rng` decides which fields do not work.
    pub(super) fn new(codes: [u8; 64], dice: Dice, rates: Rates, rng: &mut Rng) -> Sensors {
        let [stuck, flickering] = [Rate::stuck, Rate::flicker].map(|rate| dice.count(&rates, rate, 0) as usize);
        let mut bad: Vec<usize> = (0..64).collect();
        rng.shuffle(&mut bad);
        let mut bad = bad.into_iter();
        let stuck = bad.by_ref().take(stuck).collect();
        let flickers = bad.take(flickering);
        let flickers = flickers.map(|field| Flicker { field, blind: false, turns_at: rng.ms(FLICKER.0) * 1000 }).collect();
        Sensors {
            fields: codes.map(|code| (code, 0)),
            seen: codes,
            next_scans: [NEVER; 64],
            scan: 0,
            scan_from: 0,
            stuck,
            flickers,
            dice,
            rates,
            changes: [Change { count: 0, fault_drawn: true, reported: true }; 64],
            misreadings: [None; 64],
        }
    }

    /// Draws how long a scan takes, and when the first one began.
    pub(super) fn start(&mut self, rng: &mut Rng) {
        self.scan = rng.ms(SCAN_MS) * 1000;
        self.scan_from = rng.below(200_000);
    }

    /// Returns what the last scan of each field read.
    pub(super) fn seen(&self) -> &[u8; 64] {
        &self.seen
    }

    /// Returns when a field is scanned or a blind phase begins or ends; [`NEVER`] if none is due.
    pub(super) fn next_event(&self) -> Micros {
        let scans = self.next_scans.iter().copied().min().unwrap_or(NEVER);
        let flickers = self.flickers.iter().map(|flicker| flicker.turns_at).min().unwrap_or(NEVER);
        scans.min(flickers)
    }

    /// Puts a piece on a field, or removes the one on it (code 0).
    pub(super) fn change(&mut self, now: Micros, field: usize, code: u8, ply: u32) {
        self.fields[field] = (code, ply);
        self.changes[field] = Change { count: self.changes[field].count + 1, fault_drawn: false, reported: false };
        self.misreadings[field] = None;
        self.next_scans[field] = self.next_scan_of(field, now).min(self.next_scans[field]);
    }

    /// Returns when the scan next reaches this field.
    fn next_scan_of(&self, field: usize, from: Micros) -> Micros {
        let phase = self.scan_from + field as u64 * self.scan / 64;
        phase + from.saturating_sub(phase).div_ceil(self.scan) * self.scan
    }

    /// Scans the fields that are due. `report` receives each change of a reading: the field, the reading, the ply that caused it (0
    /// if this change was reported before), and the readings of all fields after the change.
    pub(super) fn scan(&mut self, now: Micros, mut report: impl FnMut(usize, u8, u32, &[u8; 64])) {
        for field in 0..64 {
            if self.next_scans[field] > now {
                continue;
            }
            self.next_scans[field] = NEVER;
            if !self.changes[field].fault_drawn {
                self.changes[field].fault_drawn = true;
                if self.draw_misreading(field, now) {
                    continue;
                }
            }
            if let Some((_, until)) = self.misreadings[field] {
                if until > now {
                    self.next_scans[field] = self.next_scan_of(field, until);
                } else {
                    self.misreadings[field] = None;
                }
            }
            let blind = self.flickers.iter().any(|flicker| flicker.field == field && flicker.blind);
            let (actual, ply) = self.fields[field];
            let reading = match (self.stuck.contains(&field), blind, self.misreadings[field]) {
                (true, ..) => self.seen[field],
                (false, true, _) => 0,
                (false, false, Some((wrong, _))) => wrong,
                (false, false, None) => actual,
            };
            if reading == self.seen[field] {
                continue;
            }
            self.seen[field] = reading;
            let first = reading == actual && !std::mem::replace(&mut self.changes[field].reported, true);
            report(field, reading, if first { ply } else { 0 }, &self.seen);
        }
    }

    /// Decides whether the board misreads this change of a field, and how. Returns `true` if the board does not notice the change
    /// now.
    fn draw_misreading(&mut self, field: usize, now: Micros) -> bool {
        let nth = (field as u64) << 32 | self.changes[field].count;
        let occurs = |rate: Rate| {
            let mut rng = self.dice.stream(rate, nth);
            rng.chance(self.rates.get(rate)).then_some(rng)
        };
        let (missed, false_edge, misread, wrong_colour) =
            (occurs(Rate::missed_edge), occurs(Rate::ghost_edge), occurs(Rate::misread), occurs(Rate::polarity));
        if let Some(mut rng) = missed {
            self.next_scans[field] = self.next_scan_of(field, now + rng.ms(MISSED) * 1000);
            return true;
        }
        let actual = self.fields[field].0;
        if let Some(mut rng) = false_edge {
            let near: Vec<usize> =
                (0..64usize).filter(|&other| other.abs_diff(field) == 8 || are_adjacent(other, field)).collect();
            if let Some(other) = rng.pick(&near) {
                let reading = if self.fields[other].0 == 0 { actual.max(self.seen[field]) } else { 0 };
                self.misreadings[other] = Some((reading, now + rng.ms(FALSE_EDGE_MS) * 1000));
                self.next_scans[other] = self.next_scan_of(other, now).min(self.next_scans[other]);
            }
        }
        if let Some(mut rng) = misread.filter(|_| actual > 0) {
            let first = if actual > 6 { 7 } else { 1 };
            let other = first + (actual - first + 1 + rng.below(5) as u8) % 6;
            self.misreadings[field] = Some((other, now + rng.ms(MISREAD) * 1000));
        }
        if let Some(mut rng) = wrong_colour.filter(|_| actual > 0) {
            let other = if actual > 6 { actual - 6 } else { actual + 6 };
            self.misreadings[field] = Some((other, now + rng.ms(MISREAD) * 1000));
        }
        false
    }

    /// Begins and ends the blind phases that are due.
    pub(super) fn flicker(&mut self, now: Micros, rng: &mut Rng) {
        for index in 0..self.flickers.len() {
            if self.flickers[index].turns_at > now {
                continue;
            }
            let blind = !self.flickers[index].blind;
            let field = self.flickers[index].field;
            let duration = rng.ms(if blind { FLICKER.1 } else { FLICKER.0 }) * 1000;
            self.flickers[index] = Flicker { field, blind, turns_at: now + duration };
            self.next_scans[field] = self.next_scan_of(field, now);
        }
    }
}

/// Whether the two fields are adjacent on one rank.
fn are_adjacent(one: usize, other: usize) -> bool {
    one / 8 == other / 8 && one.abs_diff(other) == 1
}
