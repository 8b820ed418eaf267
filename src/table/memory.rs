//! Recovery of what was played while the link was down, from the board's own memory.
//!
//! The memory is a log without times. It is aligned with what is known: the last point of the log at which the squares were as they
//! were last seen, and from which the log leads to the current placement. Everything after that point was missed.

use super::clock::Press;
use super::game::TableGame;
use super::{Output, Table};
use crate::boards::{BoardCommand, ClockHalf, MemoryEntry, Millis, Placement, SensorKind, SquareState};
use crate::game::ClockTime;
use crate::game::event::{ClockTimes, Rotation};
use crate::infer::{ObservedBoard, REST_TAKEBACK, rotated};
use crate::laws::Position;
use crate::sense::Edge;
use shakmaty::{Bitboard, ByColor, Color, Piece, Square};

/// Timeout for the board's memory, in milliseconds: it takes 8.3 s at 9600 baud, and is requested twice.
pub const MEMORY_TIMEOUT: Millis = 20_000;
/// Delay before the memory is requested again after it did not arrive or did not help, in milliseconds. Each further delay is twice
/// as long. A board that sends its memory does nothing else for 8 s.
const FIRST_RETRY_DELAY: Millis = 5_000;
/// Maximum delay between two requests, in milliseconds.
const MAX_RETRY_DELAY: Millis = 300_000;
/// Time without a reply after which the arbiter is alerted, in milliseconds.
const ALERT_DELAY: Millis = 10_000;
/// Maximum number of readings queued while the memory is awaited. A board that sends more in that time is no longer waited for. Two
/// blitz players make some hundred changes.
const MAX_QUEUED_READINGS: usize = 1_000;
/// Maximum number of squares that may differ, at the point of alignment and at the end together: bytes of the memory may be
/// damaged.
const MAX_WRONG_SQUARES: usize = 2;
/// Assumed time from a change to one that is marked as soon after it, in milliseconds: less than 250.
const SOON_INTERVAL: Millis = 120;
/// Assumed time from a change to another one of the same movement, in milliseconds: more than 250, and less than a hand pauses on
/// its way.
const NEXT_INTERVAL: Millis = 300;

/// What a table keeps about a lost link until the game is followed again.
#[derive(Clone, Debug, Default)]
pub struct Gap {
    /// What was known when the link was lost; `None`: nothing was missed.
    pub lost: Option<StateAtLoss>,
    /// The pending request for the memory.
    pub request: Option<MemoryRequest>,
    /// When the memory was first requested, however many times the board fell silent since.
    first_requested_at: Option<Millis>,
    /// The memory did not help and will be requested again.
    retry: Option<Retry>,
}

/// What was known when a link was lost.
#[derive(Clone, Copy, Debug)]
pub struct StateAtLoss {
    /// When the link was lost.
    pub at: Millis,
    /// What the squares showed, if known.
    pub shown: Option<Placement>,
    /// The number of plies on record.
    pub plies: usize,
}

/// A scheduled repetition of the request, while the game is being followed.
#[derive(Clone, Copy, Debug)]
struct Retry {
    at: Millis,
    /// The delay since the last attempt.
    pause: Millis,
}

/// A request for the memory after the first whole reading after a gap.
#[derive(Clone, Debug)]
pub struct MemoryRequest {
    /// When the memory was requested.
    pub at: Millis,
    /// The placement at that time.
    pub placement: Placement,
    /// The readings since then.
    pub since: Vec<(Millis, QueuedReading)>,
    /// The arbiter was alerted that the reply takes long.
    pub is_told: bool,
}

/// A reading that arrived while the memory was awaited.
#[derive(Clone, Debug)]
pub enum QueuedReading {
    /// Squares changed. `whole`: a whole placement showed it.
    Changed { edges: Vec<Edge>, whole: bool },
    /// The clock was pressed.
    Pressed(Press),
}

impl Gap {
    /// Begins a gap at `at`: the link is down, or the board is silent. What was seen before an earlier gap is kept if nothing was
    /// resolved since.
    pub fn begin(&mut self, at: Millis, shown: Option<Placement>, plies: usize) {
        let was_requested = self.request.take().is_some();
        let was_retrying = self.retry.take().is_some();
        if self.lost.is_none() || !was_requested && !was_retrying && shown.is_some() {
            self.lost = Some(StateAtLoss { at, shown, plies });
        }
    }

    /// Restarts the time after which the arbiter is alerted, because the link went up or down: it counts only while the board can
    /// reply.
    pub fn restart_alert_delay(&mut self) {
        self.first_requested_at = None;
    }

    /// Stops requesting the memory because the arbiter has corrected the record, which takes precedence.
    pub fn stop_requesting(&mut self) {
        if self.retry.is_some() {
            *self = Gap::default();
        }
    }

    /// Queues a reading until the memory has arrived.
    pub fn queue_reading(&mut self, at: Millis, reading: impl FnOnce() -> QueuedReading) {
        if let Some(request) = &mut self.request {
            request.since.push((at, reading()));
        }
    }

    /// Returns when the memory times out, when the arbiter must be alerted, or when the memory must be requested again.
    pub fn deadline(&self) -> Option<Millis> {
        match &self.request {
            Some(request) if request.since.len() >= MAX_QUEUED_READINGS => Some(request.at),
            Some(request) if request.is_told => Some(request.at + MEMORY_TIMEOUT),
            Some(request) => Some(request.at.max(self.first_requested_at.unwrap_or(request.at) + ALERT_DELAY)),
            None => self.retry.map(|retry| retry.at),
        }
    }
}

impl Table {
    /// After a gap, requests the board's memory if the current placement cannot be explained without it. Until the reply, for at
    /// most `MEMORY_TIMEOUT`, the game is not followed. Returns whether the memory was requested.
    pub fn request_memory(&mut self, now: Millis, placement: &Placement, output: &mut Output) -> bool {
        let Some(lost) = &self.gap.lost else { return false };
        if lost.shown.as_ref() == Some(placement) || self.is_placement_explained(placement) {
            self.gap = Gap::default();
            return false;
        }
        self.gap.first_requested_at.get_or_insert(now);
        self.gap.request = Some(MemoryRequest { at: now, placement: *placement, since: Vec::new(), is_told: false });
        output.cues.push(BoardCommand::Memory);
        true
    }

    /// Whether the record explains the placement, or there is no game in progress.
    fn is_placement_explained(&self, placement: &Placement) -> bool {
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let explains = |position: &Position| is_explained(position, &rotated(placement, rotation), self.settings.sensing);
        self.game.as_ref().is_none_or(|game| game.is_over() || game.position().is_none_or(|position| explains(&position)))
    }

    /// Whether the record of the game in progress has missing moves after this number of plies.
    pub(super) fn has_missing_moves_after(&self, lost: usize) -> bool {
        self.game.as_ref().is_some_and(|game| game.last_missing() > lost && !game.is_over())
    }

    /// Runs a deadline of the gap.
    pub fn run_gap(&mut self, now: Millis, output: &mut Output) {
        match (&mut self.gap.request, self.gap.retry) {
            (Some(request), _) if request.is_told || request.since.len() >= MAX_QUEUED_READINGS => {
                self.handle_memory(now, &[], output)
            }
            (Some(request), _) => {
                request.is_told = true;
                let placement = *self.sense.placement();
                self.with_game(output, |game, context, output| game.alert_memory_awaited(now, &placement, context, output));
            }
            (None, Some(retry)) => self.retry_request(now, retry, output),
            (None, None) => {}
        }
    }

    /// Requests the memory again if the record still does not agree with the board.
    fn retry_request(&mut self, now: Millis, retry: Retry, output: &mut Output) {
        let placement = *self.sense.placement();
        let is_complete = self.sense.is_complete();
        if is_complete && self.is_placement_explained(&placement) {
            // If moves are missing on record, the memory may still contain them.
            let lost = self.gap.lost.map_or(usize::MAX, |lost| lost.plies);
            if retry.pause >= MAX_RETRY_DELAY || !self.has_missing_moves_after(lost) {
                self.gap = Gap::default();
                return;
            }
        }
        let pause = (retry.pause * 2).min(MAX_RETRY_DELAY);
        self.gap.retry = Some(Retry { at: now + pause, pause });
        if is_complete {
            self.gap.request = Some(MemoryRequest { at: now, placement, since: Vec::new(), is_told: true });
            output.cues.push(BoardCommand::Memory);
        }
    }

    /// Processes the board's memory, or an empty log if it did not arrive: the game is continued through what was missed.
    pub fn handle_memory(&mut self, now: Millis, log: &[MemoryEntry], output: &mut Output) {
        // Readings sent while the memory was being transferred may have been lost.
        output.cues.push(BoardCommand::Placement);
        if self.gap.request.is_none() {
            return; // It comes too late, or was not requested.
        }
        let Gap { lost: Some(lost), request: Some(request), retry, .. } = std::mem::take(&mut self.gap) else { return };
        let since = lost.at;
        let present = *self.sense.placement();
        if retry.is_some() && self.is_placement_explained(&present) && !self.has_missing_moves_after(lost.plies) {
            return; // The moves were found without it.
        }
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        output.earliest_timestamp = now;
        // The newest entry may be older or newer than the first reading after the gap.
        let mut shown = request.placement;
        let mut to = vec![shown];
        for (_, reading) in &request.since {
            if let QueuedReading::Changed { edges, .. } = reading {
                edges.iter().for_each(|edge| shown[edge.square as usize] = edge.now);
            }
            to.push(shown);
        }
        let recorded = self.game.as_ref().map(|game| rotated(&placement(&game.position_after(lost.plies)), rotation));
        let from: Vec<Placement> = lost.shown.into_iter().chain(recorded).collect();
        let newest_first: Vec<Placement> = to.iter().rev().copied().collect();
        let (mut followed, mut doubtful) = (0, None);
        match align(log, &from, &newest_first) {
            Some(found) => {
                followed = to.len() - 1 - found.to;
                // If the log does not end with a press, the press came after it.
                let is_press_logged = matches!(log.last(), Some(MemoryEntry::ClockPressed { .. }));
                while !is_press_logged
                    && followed > 0
                    && matches!(request.since.get(followed - 1), Some((_, QueuedReading::Pressed(_))))
                {
                    followed -= 1;
                }
                let until = followed.checked_sub(1).and_then(|last| request.since.get(last)).map_or(request.at, |(at, _)| *at);
                let (Some(known), Some(missed)) = (from.get(found.from), log.get(found.known..)) else { return };
                if retry.is_some() {
                    // What was inferred in the meantime did not use the memory.
                    self.with_game(output, |game, _, _| game.refollow_from(since, lost.plies));
                }
                let steps = steps(missed, known, since, until, |half| self.clock.color(half, rotation));
                self.replay(now, since, known, steps, output);
                let before = log.get(..found.known).unwrap_or_default();
                let landings = self.game.as_ref().and_then(|game| game.landings(lost.plies)).unwrap_or_default();
                let on_board: Vec<_> = landings.into_iter().map(|(square, piece)| (rotation.apply(square), piece)).collect();
                let faulty = self
                    .game
                    .as_ref()
                    .map(TableGame::published_faulty_squares)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|at| rotation.apply(at));
                // If squares differ, the last move may also have been another one.
                let last = (found.wrong > 0).then(|| lost.plies.saturating_sub(1));
                doubtful = first_unlogged_move(before, &on_board, faulty.collect()).or(last);
                let edges = self.sense.update_placement(until, &to[followed]);
                self.with_game(output, |game, context, output| game.handle_changes(until, &edges, true, context, output));
            }
            None => {
                let pause = retry.map_or(FIRST_RETRY_DELAY, |retry| retry.pause);
                self.gap = Gap { lost: Some(lost), retry: Some(Retry { at: now + pause, pause }), ..Gap::default() };
                if retry.is_some() {
                    return; // The game was followed all the time.
                }
                self.handle_first_placement(request.at, &request.placement, output);
                self.with_game(output, |game, _, _| game.was_behind_since(request.at));
            }
        }
        for (at, reading) in request.since.iter().skip(followed) {
            self.with_game(output, |game, context, output| match reading {
                // It was queued behind the memory on the link for an unknown time.
                QueuedReading::Changed { edges, whole } => {
                    game.handle_changes(*at, edges, *whole, context, output);
                    game.mark_from_memory();
                }
                QueuedReading::Pressed(press) => game.handle_press(*at, *press, context, output),
            });
        }
        self.with_game(output, |game, _, output| {
            if let Some(from) = doubtful {
                game.alert_unconfirmed_plies(now, from, output);
            }
            game.mark_delayed_until(now + crate::infer::model::SCAN_TIME);
        });
        self.sense.update_placement(now, &present);
        self.quiet_stage = 0;
        self.start_if_set_up(now, 0, output);
    }

    /// Follows the game from this placement through what was missed.
    fn replay(&mut self, now: Millis, since: Millis, from: &Placement, steps: Vec<(Millis, Step)>, output: &mut Output) {
        self.sense.update_placement(since, from);
        self.with_game(output, |game, context, output| game.handle_first_placement(since, from, context, output));
        let mut clocks = ClockTimes::default();
        let mut last = since;
        for (at, step) in steps {
            let quiet = at.saturating_sub(last);
            if quiet >= REST_TAKEBACK && self.game.as_ref().is_some_and(TableGame::needs_quiet_evaluation) {
                self.with_game(output, |game, context, output| game.handle_quiet(at, REST_TAKEBACK, context, output));
            }
            last = at;
            if let Some(due) = self.kings_deadline().filter(|&due| due <= at) {
                self.with_game(output, |game, context, output| game.handle_kings_signal(due, context, output));
            }
            match step {
                Step::Square(square, sensed) => {
                    if let Some(edge) = self.sense.update_square(at, square, sensed) {
                        self.with_game(output, |game, context, output| {
                            game.handle_changes(at, &[edge], false, context, output);
                            game.mark_from_memory();
                        });
                    }
                }
                Step::Whole(placement) => {
                    let edges = self.sense.update_placement(at, &placement);
                    self.with_game(output, |game, context, output| game.handle_changes(at, &edges, true, context, output));
                }
                Step::Press(by, ms) => {
                    let time = Some(ClockTime { ms, resolution_ms: 1000, age_ms: 0 });
                    match by {
                        Color::White => clocks.white = time,
                        Color::Black => clocks.black = time,
                    }
                    let press = Press { by, at, ran: false, gained: false, clocks };
                    self.with_game(output, |game, context, output| game.handle_press(at, press, context, output));
                }
                Step::Start => self.start_if_confirmed(now, REST_TAKEBACK, output),
            }
        }
    }
}

/// Whether a position, or one legal move from it, explains the placement, allowing for one more piece in a hand. The placement is
/// in the game's coordinates.
pub fn is_explained(position: &Position, seen: &Placement, sensing: SensorKind) -> bool {
    let seen = ObservedBoard::from_placement(seen, sensing);
    let fits = |position: &Position| {
        let wrong = seen.mismatch(position.board());
        wrong.count() <= 1 && (wrong & seen.occupied()).is_empty()
    };
    fits(position) || position.legal_moves().into_iter().any(|mv| fits(&position.play(mv)))
}

/// Returns what a board would show in this position, in the game's coordinates.
pub fn placement(position: &Position) -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for (square, piece) in position.board().iter() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    placement
}

/// Where the log matches what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// The index of the `from` placement.
    pub from: usize,
    /// The index of the `to` placement.
    pub to: usize,
    /// The number of log entries that were already known.
    pub known: usize,
    /// The number of squares that differ.
    pub wrong: usize,
}

/// Finds the last point of the log at which the squares were as in one of `from`, and from which the log leads to one of `to`.
/// Earlier elements of these are tried first. Returns `None` if there is no such point.
pub fn align(log: &[MemoryEntry], from: &[Placement], to: &[Placement]) -> Option<Alignment> {
    let mentioned = mentioned_squares(log);
    let (mut best, mut tolerance) = (None, MAX_WRONG_SQUARES);
    for (index, from) in from.iter().enumerate() {
        let before = differences(log, from);
        for (end, to) in to.iter().enumerate() {
            let Some((wrong, known)) = last_point(log, &mentioned, &before, from, to, tolerance) else { continue };
            best = Some(Alignment { from: index, to: end, known, wrong });
            // Only a better alignment replaces it.
            let Some(lower) = wrong.checked_sub(1) else { return best };
            tolerance = lower;
        }
    }
    best
}

/// Returns what an entry says about the squares: about one, or about all of them.
fn squares(entry: &MemoryEntry) -> (&[Square], SquareState) {
    match entry {
        MemoryEntry::Square { square, sensed, .. } => (std::slice::from_ref(square), *sensed),
        MemoryEntry::PowerUp | MemoryEntry::Cleared => (&Square::ALL, SquareState::Empty),
        MemoryEntry::ClockPressed { .. } | MemoryEntry::StartPosition => (&[], SquareState::Empty),
    }
}

/// Returns, for each entry and for the end of the log, in how many squares the log up to there differs from this placement.
fn differences(log: &[MemoryEntry], from: &Placement) -> Vec<usize> {
    let mut logged: [Option<SquareState>; 64] = [None; 64];
    let mut wrong = 0;
    let mut counts = Vec::with_capacity(log.len() + 1);
    let differs = |logged: Option<SquareState>, square: Square| logged.is_some_and(|logged| logged != from[square as usize]);
    for entry in log {
        // A change of the same square just before may have been in effect at the time of this entry.
        let unsure = match entry {
            MemoryEntry::Square { square, .. } => usize::from(differs(logged[*square as usize], *square)),
            _ => 0,
        };
        counts.push(wrong - unsure);
        let (changed, sensed) = squares(entry);
        for &square in changed {
            let before = logged[square as usize].replace(sensed);
            wrong = wrong + usize::from(differs(Some(sensed), square)) - usize::from(differs(before, square));
        }
    }
    counts.push(wrong);
    counts
}

/// Returns, for each entry and for the end of the log, the squares that the log mentions before it.
fn mentioned_squares(log: &[MemoryEntry]) -> Vec<Bitboard> {
    let mut mentioned = Bitboard::EMPTY;
    let mut all = vec![mentioned];
    all.extend(log.iter().map(|entry| {
        // The start position is known, except for its orientation.
        mentioned |=
            if *entry == MemoryEntry::StartPosition { Bitboard::FULL } else { squares(entry).0.iter().copied().collect() };
        mentioned
    }));
    all
}

/// Returns the first of these moves that the log does not show after the start position was last on the board. A move is given as
/// the piece that came to a square. `None`: the log shows all moves, or does not go back to the start. A player may move before the
/// opponent's last piece has arrived; of two successive changes of one square the log has only the second, so that a piece captured
/// at once may only be seen to leave; and squares known to be `bad` show nothing.
fn first_unlogged_move(log: &[MemoryEntry], landings: &[(Square, Piece)], faulty: Bitboard) -> Option<usize> {
    let start = log.iter().rposition(|entry| *entry == MemoryEntry::StartPosition)?;
    let shown = log.get(start..)?;
    let mut next = ByColor::new_with(|_| 0);
    landings.iter().enumerate().position(|(index, &(at, piece))| {
        let is_captured = landings.get(index + 1).is_some_and(|(next, _)| *next == at);
        let lands = |entry: &MemoryEntry| match entry {
            MemoryEntry::Square { square, sensed, .. } if *square == at => {
                *sensed == SquareState::Piece(piece) || (is_captured && *sensed == SquareState::Empty)
            }
            _ => false,
        };
        let next = next.get_mut(piece.color);
        let found = shown.iter().skip(*next).position(lands);
        *next += found.map_or(0, |found| found + 1);
        found.is_none() && !faulty.contains(at)
    })
}

/// Returns the number of wrong squares and the point: the last of the points with the fewest wrong squares, if these are at most
/// `tolerance`. Wrong squares are the differences `before`, the squares for which the rest of the log leads to something else than
/// `to`, and those that the rest changes and the log did not mention before.
///
/// A log of thousands of entries is compared with hundreds of placements, so no entry causes a loop over all squares.
fn last_point(
    log: &[MemoryEntry],
    mentioned: &[Bitboard],
    before: &[usize],
    from: &Placement,
    to: &Placement,
    tolerance: usize,
) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let mut changes = Bitboard::EMPTY;
    let mut elsewhere = Square::ALL.into_iter().filter(|&square| from[square as usize] != to[square as usize]).count();
    for point in (0..=log.len()).rev() {
        // Once all squares have changed, earlier changes have no effect.
        if let Some(entry) = log.get(point).filter(|_| changes != Bitboard::FULL) {
            let (changed, sensed) = squares(entry);
            for &square in changed {
                if !changes.contains(square) {
                    changes.add(square);
                    let index = square as usize;
                    elsewhere = elsewhere + usize::from(sensed != to[index]) - usize::from(from[index] != to[index]);
                }
            }
        }
        let wrong = before.get(point)? + elsewhere + (changes & !*mentioned.get(point)?).count();
        if wrong <= tolerance && best.is_none_or(|(least, _)| wrong < least) {
            best = Some((wrong, point));
            if wrong == 0 {
                break;
            }
        }
    }
    best
}

/// One step of what was missed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One square changed.
    Square(Square, SquareState),
    /// The board was switched on and found this placement.
    Whole(Box<Placement>),
    /// The clock was pressed: the player, and what the stopped half showed.
    Press(Color, u32),
    /// The start position was on the board.
    Start,
}

/// Returns what was missed as steps from this placement. Their times lie between `since` and `until` and keep what the log says
/// about them. `color`: whose half this is, as far as is known; who moved before a press takes precedence.
pub fn steps(
    log: &[MemoryEntry],
    from: &Placement,
    since: Millis,
    until: Millis,
    color: impl Fn(ClockHalf) -> Color,
) -> Vec<(Millis, Step)> {
    let left_color = left_half_owner(log).unwrap_or_else(|| color(ClockHalf::Left));
    let mut state = LogReplayState { shown: *from, lifted: Vec::new() };
    let mut steps = Vec::new();
    let mut entries = log.iter().peekable();
    let mut is_first = true;
    while let Some(&entry) = entries.next() {
        match entry {
            MemoryEntry::Square { square, sensed, follows_at_once: soon } => {
                let pause = match (is_first, soon) {
                    (_, true) => Pause::Soon,
                    (true, false) => Pause::Rest,
                    (false, false) => Pause::Next,
                };
                if let Some(piece) = state.unlogged_piece(square, sensed) {
                    steps.push((pause, Step::Square(square, SquareState::Piece(piece))));
                    steps.push((Pause::Next, Step::Square(square, sensed)));
                } else {
                    steps.push((pause, Step::Square(square, sensed)));
                }
                state.apply_change(square, sensed);
            }
            MemoryEntry::ClockPressed { half, ms } => {
                state.lifted.clear();
                // If the second of two changes came soon after the first, so did the press between them.
                let is_within_move = matches!(entries.peek(), Some(MemoryEntry::Square { follows_at_once: true, .. }));
                let pause = if is_within_move { Pause::Soon } else { Pause::Next };
                steps.push((pause, Step::Press(if half == ClockHalf::Left { left_color } else { !left_color }, ms)));
            }
            MemoryEntry::PowerUp | MemoryEntry::Cleared => {
                let mut found = [SquareState::Empty; 64];
                while let Some(&MemoryEntry::Square { square, sensed, .. }) = entries.next_if(|next| is_piece_on(next, &found))
                {
                    found[square as usize] = sensed;
                }
                state = LogReplayState { shown: found, lifted: Vec::new() };
                steps.push((Pause::Rest, Step::Whole(Box::new(found))));
            }
            MemoryEntry::StartPosition => steps.push((Pause::Next, Step::Start)),
        }
        is_first = !matches!(entry, MemoryEntry::Square { .. });
    }
    // Without a clock nothing shows when the players were thinking.
    if !steps.iter().any(|(_, step)| matches!(step, Step::Press(..))) {
        for (pause, _) in &mut steps {
            if *pause == Pause::Next {
                *pause = Pause::Rest;
            }
        }
    }
    assign_times(steps, since, until)
}

/// What the squares show at a point of the log, and the pieces that are lifted.
struct LogReplayState {
    shown: Placement,
    lifted: Vec<(Square, Piece)>,
}

impl LogReplayState {
    /// Returns the piece of an unlogged change. If an empty square becomes empty, a piece was put there and removed again, and the
    /// second change replaced the first. The piece lifted last is assumed.
    fn unlogged_piece(&self, square: Square, sensed: SquareState) -> Option<Piece> {
        let is_still_empty = sensed == SquareState::Empty && self.shown[square as usize] == SquareState::Empty;
        self.lifted.last().filter(|(from, _)| is_still_empty && *from != square).map(|&(_, piece)| piece)
    }

    fn apply_change(&mut self, square: Square, sensed: SquareState) {
        match (std::mem::replace(&mut self.shown[square as usize], sensed), sensed) {
            (SquareState::Piece(piece), SquareState::Empty) => self.lifted.push((square, piece)),
            (_, SquareState::Piece(piece)) => {
                if let Some(index) = self.lifted.iter().rposition(|&(_, lifted)| lifted == piece) {
                    self.lifted.remove(index);
                }
            }
            _ => {}
        }
    }
}

/// Whether this entry is a piece that the board found when it was switched on: the square was not mentioned since.
fn is_piece_on(entry: &MemoryEntry, found: &Placement) -> bool {
    matches!(entry, MemoryEntry::Square { square, sensed: SquareState::Piece(_), .. } if found[*square as usize] == SquareState::Empty)
}

/// Returns whose the clock's left half is, by whose piece was put down last before each press.
fn left_half_owner(log: &[MemoryEntry]) -> Option<Color> {
    let (mut votes, mut last) = (0i32, None);
    for entry in log {
        match entry {
            MemoryEntry::Square { sensed: SquareState::Piece(Piece { color, .. }), .. } => last = Some(*color),
            MemoryEntry::ClockPressed { half, .. } => {
                let white = match last {
                    Some(Color::White) => 1,
                    Some(Color::Black) => -1,
                    None => 0,
                };
                votes += if *half == ClockHalf::Left { white } else { -white };
            }
            _ => {}
        }
    }
    (votes != 0).then(|| Color::from_white(votes > 0))
}

/// The time after the previous step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    Soon,
    Next,
    /// As long as possible.
    Rest,
}

/// Assigns a time to each step; the remaining time is divided among the rests.
fn assign_times(steps: Vec<(Pause, Step)>, since: Millis, until: Millis) -> Vec<(Millis, Step)> {
    let shortest = |pause: Pause| if pause == Pause::Soon { SOON_INTERVAL } else { NEXT_INTERVAL };
    let needed: Millis = steps.iter().map(|(pause, _)| shortest(*pause)).sum();
    let rests = steps.iter().filter(|(pause, _)| *pause == Pause::Rest).count() as Millis;
    let span = until.saturating_sub(since);
    let share = span.saturating_sub(needed) / (rests + 1);
    let mut elapsed = 0;
    let timed = steps.into_iter().map(|(pause, step)| {
        elapsed += shortest(pause) + if pause == Pause::Rest { share } else { 0 };
        // If the steps do not fit into the available time, all of them are faster.
        let at = if needed > span { elapsed * span / needed } else { elapsed };
        (since + at, step)
    });
    timed.collect()
}
