//! Presses of the clock, and the moves to which they belong.

use super::{GameContext, TableGame};
use crate::boards::{BoardCommand, Millis};
use crate::game::event::ClockTimes;
use crate::game::record::PlyState;
use crate::game::{CompletedBy, Event, Record};
use crate::laws::edition::Completion;
use crate::table::Output;
use crate::table::clock::Press;
use shakmaty::{Color, Square};

/// How long after the press the mover's clock may still be corrected, in milliseconds: an increment can arrive late.
const CLOCK_REVISION_WINDOW: Millis = 1_500;
/// Time after a press by which everything that belongs to the move before has been seen, in milliseconds: squares are reported up
/// to 600 ms late, one hand may be that much slower than the other, and the board must answer a request for its placement.
pub(super) const PRESS_SETTLE_TIME: Millis = 1_500;
/// A piece is not held for longer than this after a press: a late sensor is likelier. In milliseconds.
const MAX_HOLD_TIME: Millis = 3_000;
/// This many presses in a row by the player to move mean that the sides of the clock are swapped. One may be a lost move.
const MAX_PRESSES_OFF_TURN: u32 = 3;

/// How a press of the clock fits the turn of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PressSides {
    /// The press is not part of the game.
    Ignored,
    /// The sides of the clock may be as they are assigned.
    AsAssigned,
    /// The sides of the clock seem to be swapped.
    Swapped,
}

/// The presses of one game that still matter.
#[derive(Clone, Default)]
pub(super) struct Presses {
    /// A press whose move has not been published yet.
    pending: Option<Press>,
    /// A press for which no move has been seen yet.
    idle: Option<Press>,
    /// The last move that was completed by a press while its piece was not seen on its square: its ply, the square, and the time of
    /// the press.
    unreleased: Option<(u32, Square, Millis)>,
    last: Option<Press>,
    /// Who has pressed since the game ended, if only one player did.
    since_end: Option<Color>,
    /// A completed move whose clock may still be corrected: its ply, and when it was completed.
    revisable: Option<(u32, Millis)>,
    /// Consecutive presses by the player who seemed to be to move.
    off_turn: u32,
}

impl Presses {
    /// Returns the last press.
    pub(super) fn last(&self) -> Option<Press> {
        self.last
    }

    /// Counts a press. `is_off_turn`: the player to move pressed. `is_first`: it is the first press of the game, which is White's.
    /// Returns whether the sides of the clock seem to be swapped.
    pub(super) fn note_side(&mut self, is_off_turn: bool, is_first: bool) -> bool {
        self.off_turn = if is_off_turn { self.off_turn + 1 } else { 0 };
        (is_off_turn && is_first) || self.off_turn >= MAX_PRESSES_OFF_TURN
    }

    /// Records that the sides of the clock were swapped.
    pub(super) fn note_swapped_sides(&mut self) {
        self.off_turn = 0;
    }

    /// Records a press that completed the published move of this ply at `now`.
    pub(super) fn note_completing(&mut self, now: Millis, press: Press, ply: u32) {
        self.revisable = Some((ply, now));
        // An earlier press by the opponent completed no move of theirs: they gave the move back.
        self.pending = self.pending.filter(|pending| pending.by == press.by);
        (self.idle, self.last) = (None, Some(press));
    }

    /// Records a press whose move has not been published. `may_be_idle`: the player to move pressed during play, so a move may be
    /// missing.
    pub(super) fn note_pending(&mut self, press: Press, may_be_idle: bool) {
        self.pending = Some(press);
        // The sides of the clock may be assigned wrongly: then the players press in turn, and each seems to press for the other.
        let is_alone = self.off_turn <= 1;
        self.idle = Some(press).filter(|_| may_be_idle && is_alone && press.ran);
        self.last = Some(press);
    }

    /// Records a press after the result. Returns whether both players pressed a running clock: they are playing on.
    pub(super) fn note_after_end(&mut self, press: Press) -> bool {
        let both = self.since_end == Some(!press.by) && press.ran;
        self.since_end = Some(press.by).filter(|_| press.ran);
        both
    }

    /// Whether a press by this player waits for its move.
    pub(super) fn is_pending(&self, by: Color) -> bool {
        self.pending.is_some_and(|press| press.by == by)
    }

    /// Returns the press that completes a move that this player has just made.
    pub(super) fn take_pending(&mut self, by: Color) -> Option<Press> {
        self.pending.take_if(|press| press.by == by)
    }

    /// Records that the press at this time does not belong to the next move.
    pub(super) fn drop_pending(&mut self, at: Millis) {
        self.pending = self.pending.filter(|pending| pending.at != at);
    }

    /// Records that a press completed the move of this ply, which was published after it.
    pub(super) fn note_completed(&mut self, ply: u32, pressed_at: Millis) {
        self.revisable = Some((ply, pressed_at));
        self.idle = None;
    }

    /// Records whether the piece of a move that was completed by a press has not been seen on its square yet.
    pub(super) fn set_unreleased(&mut self, ply: u32, to: Square, pressed_at: Millis, is_unreleased: bool) {
        self.unreleased = Some((ply, to, pressed_at)).filter(|_| is_unreleased);
    }

    /// Returns the move whose piece may only now come to its square: its ply, the square, and when it was completed.
    pub(super) fn take_unreleased(&mut self, now: Millis) -> Option<(u32, Square, Millis)> {
        self.unreleased.take().filter(|(.., pressed_at)| now <= pressed_at + MAX_HOLD_TIME)
    }

    /// Returns when a press without a visible move by the player to move must be re-evaluated.
    pub(super) fn deadline(&self) -> Option<Millis> {
        self.idle.map(|press| press.at + PRESS_SETTLE_TIME)
    }

    /// Returns the press without a visible move, once everything that belongs to it has been seen.
    pub(super) fn take_idle(&mut self, now: Millis) -> Option<Press> {
        self.idle.take_if(|press| press.at + PRESS_SETTLE_TIME <= now)
    }

    /// Forgets what a gap makes uncertain.
    pub(super) fn begin_gap(&mut self) {
        self.idle = None;
    }

    /// Forgets presses whose moves would be made during a pause.
    pub(super) fn pause(&mut self) {
        (self.pending, self.idle) = (None, None);
    }

    /// Forgets what belongs to moves after the first `same` plies, which were replaced. `has_moves`: by other moves.
    pub(super) fn forget_after(&mut self, same: usize, has_moves: bool) {
        self.pending = self.pending.filter(|_| has_moves);
        self.revisable = self.revisable.filter(|(ply, _)| *ply as usize <= same);
    }

    /// Processes a clock reading in which the lever did not move. `were_held`: its times were not trusted until now. Returns the
    /// ply whose times change, and its times.
    pub(super) fn revise_times(
        &mut self,
        now: Millis,
        times: ClockTimes,
        were_held: bool,
        record: &Record,
        mover: impl Fn(u32) -> Color,
    ) -> Option<(u32, ClockTimes)> {
        let (number, completed_at) = self.revisable?;
        // Times that were not trusted until now may belong to the press.
        if now.saturating_sub(completed_at) > CLOCK_REVISION_WINDOW && !were_held {
            self.revisable = None;
            return None;
        }
        let ply = record.ply(number)?;
        let is_white = mover(number) == Color::White;
        let (known, reported) = if is_white { (ply.clocks.white, times.white) } else { (ply.clocks.black, times.black) };
        if known.map(|time| time.ms) == reported.map(|time| time.ms) {
            return None;
        }
        self.revisable = None;
        if let (Some(press), (Some(after), Some(before))) = (&mut self.last, (reported, known)) {
            press.gained |= press.by.is_white() == is_white && after.ms > before.ms;
        }
        let clocks =
            if is_white { ClockTimes { white: reported, ..ply.clocks } } else { ClockTimes { black: reported, ..ply.clocks } };
        Some((number, clocks))
    }
}

impl TableGame {
    /// Compares a press with the turn of play, before it is processed.
    pub(crate) fn check_sides(&mut self, now: Millis, press: Press, output: &mut Output) -> PressSides {
        if self.end.is_over() {
            self.alert_press_after_end(now, press, output);
        }
        if self.board.is_unknown() || self.end.is_over() || self.is_paused() {
            return PressSides::Ignored;
        }
        // A press means that a move was made, so a hold ends.
        self.end_hold(now);
        // A move that is still being made, or that is not yet seen to be complete, may be the presser's.
        if self.follower.mismatch().any() {
            return PressSides::AsAssigned;
        }
        let is_off_turn = self.follower.tip().position.turn() == press.by && self.follower.nodes().len() > 1;
        let is_first = self.follower.nodes().len() == 2 && self.follower.tip().pressed_at.is_none();
        match self.presses.note_side(is_off_turn, is_first) {
            true => PressSides::Swapped,
            false => PressSides::AsAssigned,
        }
    }

    /// Records that the sides of the clock were swapped.
    pub(crate) fn note_swapped_sides(&mut self) {
        self.presses.note_swapped_sides();
    }

    /// Processes a press that [`TableGame::check_sides`] has not ignored.
    pub(crate) fn handle_press(&mut self, now: Millis, press: Press, context: &GameContext<'_>, output: &mut Output) {
        self.follower.handle_press(now, press.by);
        output.commands.push(BoardCommand::Placement);
        let line = self.follower.nodes();
        let movers_last = line.iter().rposition(|node| node.mv.is_some() && node.position.turn() != press.by).unwrap_or(0);
        // The opponent has pressed since. That is only possible after a press of the move before, which was not seen.
        let overtaken = line.get(movers_last + 1).is_some_and(|node| node.was_pressed_long_ago(now));
        let is_made = movers_last <= self.published.len() && self.moves_agree(movers_last) && !overtaken;
        match self.record().ply(movers_last as u32) {
            Some(ply) if is_made && ply.state == PlyState::Made && self.published.laws().completes(Completion::Press) => {
                self.complete(now, movers_last as u32, CompletedBy::Clock, press.clocks, output);
                self.presses.note_completing(now, press, movers_last as u32);
            }
            _ => {
                let is_on_move = self.follower.tip().position.turn() == press.by;
                let is_in_play = !self.hold.is_active() && !self.is_over_but_for_notices();
                self.presses.note_pending(press, is_on_move && is_in_play);
            }
        }
        self.follower.handle_quiet(now, context.patience);
        self.publish(now, context, output);
        self.lag.count_press();
        self.check_record_lag(now, context, output);
    }

    /// Processes a clock reading in which the lever did not move.
    pub(crate) fn handle_clock_times(&mut self, now: Millis, times: ClockTimes, were_held: bool, output: &mut Output) {
        let (line, start) = (self.follower.nodes(), self.published.start().turn());
        let mover = |ply| super::mover(line, start, ply);
        if let Some((ply, clocks)) = self.presses.revise_times(now, times, were_held, self.published.record(), mover) {
            self.record_event(now, Event::ClockRevised { ply, clocks }, output);
        }
    }
}
