//! What was missed, as steps with times.

use crate::boards::{ClockHalf, MemoryEntry, Millis, Placement, SquareState};
use shakmaty::{Color, Piece, Square};

/// Assumed time from a change to one that is marked as soon after it, in milliseconds: less than 250.
const SOON_INTERVAL: Millis = 120;
/// Assumed time from a change to another one of the same movement, in milliseconds: more than 250, and less than a hand pauses on
/// its way.
const NEXT_INTERVAL: Millis = 300;

/// One step of what was missed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// One square changed.
    Square(Square, SquareState),
    /// The board was switched on and found this placement.
    Placement(Box<Placement>),
    /// The clock was pressed: the player, and what the stopped half showed.
    Press(Color, u32),
    /// The start position was on the board.
    Start,
}

/// Returns what was missed as steps from this placement. Their times lie between `since` and `until` and keep what the log says
/// about them. `color`: whose half this is, as far as is known; who moved before a press takes precedence.
pub(super) fn steps(
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
                steps.push((Pause::Rest, Step::Placement(Box::new(found))));
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
