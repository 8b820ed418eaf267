//! Follows one game: edges, quiet and presses in, the likeliest line of play out.

use super::line::Elsewhere;
use super::model::{self, Cost};
use super::retell::retell;
use super::{Beam, Faults, Hypothesis, Line, Node, Seen, why};
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::{Confidence, CorrectionReason, Fault};
use crate::laws::Position;
use shakmaty::{Bitboard, Color, Move, Role, Square};
use std::sync::Arc;

/// All lines of play that may still be what happened, and what the board shows.
#[derive(Clone, Debug)]
pub struct Follower {
    seen: Seen,
    /// The first one is what is published; never empty.
    lines: Vec<Line>,
    /// How many of them, and which comes first.
    beam: Beam,
    /// Counts every change of the published line.
    changes: u64,
    /// Why the published line changed its past last; `None`: as the line says itself.
    reason: Option<CorrectionReason>,
    /// When a press is to be looked at again.
    look_at: Option<Millis>,
    /// What the board shows is no play for the time being; the squares that changed meanwhile.
    held: Option<Bitboard>,
    faults: Faults,
    /// So many plies are told in no other way, since the arbiter let the last of them stand.
    fixed: usize,
}

impl Follower {
    /// A game that begins here, on a board that shows this.
    pub fn new(now: Millis, start: Position, mut seen: Seen, beam: Beam) -> Follower {
        seen.begin(now);
        let line = Line::new(start, &seen, beam.lines());
        Follower {
            seen,
            lines: vec![line],
            beam,
            changes: 0,
            reason: None,
            look_at: None,
            held: None,
            faults: Faults::default(),
            fixed: 0,
        }
    }

    /// The same with moves played already, all of them published, each with the time when the clock was pressed on it.
    pub fn resume(now: Millis, start: Position, moves: &[(Move, Option<Millis>)], seen: Seen, beam: Beam) -> Follower {
        let mut follower = Follower::new(now, start, seen, beam);
        for &(mv, pressed_at) in moves {
            if let Some(line) = follower.lines.first_mut() {
                line.resume(now, mv, pressed_at, &follower.seen);
            }
        }
        follower.changes = 1;
        follower
    }

    /// From now on so much is kept.
    pub fn set_beam(&mut self, beam: Beam) {
        self.beam = beam;
    }

    /// What the squares show.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    fn best(&self) -> &Line {
        // There is always one.
        &self.lines[0]
    }

    /// The likeliest line of play; the first node is the start, without a move.
    pub fn line(&self) -> &[Arc<Node>] {
        self.best().nodes()
    }

    /// Where play has come to.
    pub fn tip(&self) -> &Node {
        self.best().tip()
    }

    /// How many plies of the line are decided, from the start.
    pub fn decided(&self) -> usize {
        self.best().decided()
    }

    /// Counts up with every change of the line or of what is decided: while it stands, there is nothing to publish.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Why the line last changed its past.
    pub fn reason(&self) -> CorrectionReason {
        self.reason.unwrap_or(self.best().reason())
    }

    /// The squares that do not show what the line's last position says.
    pub fn mismatch(&self) -> Bitboard {
        self.best().mismatch(&self.seen)
    }

    /// Of those, the squares that no pieces in the hands of the side to move explain: up to two of its own, and one it takes.
    pub fn unexplained(&self) -> Bitboard {
        self.best().unexplained(&self.seen)
    }

    /// The squares of the centre on which both kings stand to tell a result, White's first where the board can tell.
    pub fn kings_in_centre(&self) -> Option<[Square; 2]> {
        self.lines.iter().find_map(|line| line.kings_in_centre(&self.seen))
    }

    /// Both kings have left their squares, and the centre shows that fewer came than it should: where one stands now, or seems
    /// to. Never on boards that know the pieces.
    pub fn kings_unclear(&self) -> Option<Bitboard> {
        self.lines.iter().find_map(|line| line.kings_unclear(&self.seen))
    }

    /// The move that is not legal and stands on the board, if it is one.
    pub fn stray_move(&self) -> Option<Move> {
        self.best().stray_move()
    }

    /// A king stands in the centre and cannot be there by a move.
    pub fn king_strays(&self) -> bool {
        self.best().king_strays(&self.seen)
    }

    /// Both kings have left their squares.
    fn kings_are_gone(&self) -> bool {
        (self.tip().position.board().kings() & self.seen.occupied()).is_empty()
    }

    /// How sure the move of this ply is, from 1, and what else it could be, likeliest first; `None` before it is decided.
    pub fn confidence(&self, ply: usize, now: Millis) -> Option<(Confidence, Vec<(Move, Confidence)>)> {
        let node = self.line().get(ply)?;
        let (mv, sure) = (node.mv?, node.decided?);
        if self.lines.len() == 1 {
            return Some((sure, node.rivals.clone()));
        }
        let least = self.lines.iter().map(|line| line.cost(now, &self.seen)).min().unwrap_or(0);
        let mut shares: Vec<(Option<Move>, u64)> = Vec::new();
        for line in &self.lines {
            let weight = model::weight(line.cost(now, &self.seen) - least);
            let other = line.nodes().get(ply).and_then(|node| node.mv);
            match shares.iter_mut().find(|(known, _)| *known == other) {
                Some((_, sum)) => *sum += weight,
                None => shares.push((other, weight)),
            }
        }
        let whole: u64 = shares.iter().map(|(_, weight)| weight).sum::<u64>().max(1);
        let share = |weight: u64| Confidence((u128::from(weight) * u128::from(sure.0) / u128::from(whole)) as u16);
        let own = shares.iter().find(|(known, _)| *known == Some(mv)).map_or(0, |(_, weight)| *weight);
        let mut others: Vec<(Move, Confidence)> = shares
            .iter()
            .filter_map(|&(other, weight)| Some((other.filter(|&other| other != mv)?, share(weight))))
            .filter(|(_, share)| share.0 > 0)
            .collect();
        for &(rival, share) in &node.rivals {
            if others.iter().all(|(known, _)| *known != rival) {
                others.push((rival, share));
            }
        }
        others.sort_by_key(|&(_, share)| std::cmp::Reverse(share));
        Some((share(own), others))
    }

    /// Every line that may still be what happened, with its moves from this ply on, from 1; likeliest first.
    pub fn hypotheses(&self, now: Millis, from_ply: usize) -> Vec<Hypothesis> {
        why::hypotheses(&self.lines, now, &self.seen, from_ply)
    }

    /// The squares whose faults stand.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// What was found out about squares since this was last asked.
    pub fn take_faults(&mut self) -> Vec<(Square, Fault)> {
        self.faults.take_news()
    }

    /// This is known of a square.
    pub fn know_fault(&mut self, now: Millis, square: Square, fault: Fault) {
        self.faults.know(now, square, fault);
        self.discount(now);
    }

    /// The same, and it is told.
    pub fn find_fault(&mut self, now: Millis, square: Square, fault: Fault) {
        self.faults.find(now, square, fault);
        self.discount(now);
    }

    /// The squares that are stuck or thought so.
    pub fn line_blind(&self) -> Bitboard {
        self.best().blind()
    }

    /// What bad squares show is not compared.
    pub fn hidden(&self) -> Bitboard {
        self.best().blind() | self.seen.doubtful()
    }

    /// A square changed, in squares of play.
    pub fn edge(&mut self, now: Millis, square: Square, sensed: Sensed) {
        if self.seen.excused().contains(square) {
            self.seen.excuse_nothing();
        }
        let before = self.seen.at(square);
        let since = self.seen.changed_at(square);
        self.seen.set(now, square, sensed);
        if self.is_held(Bitboard::from_square(square)) {
            return;
        }
        self.watch(now, square, before, since);
        self.each(now, |line, seen, others| line.edge(now, square, before, seen, others));
    }

    /// What comes until then may have waited on the line.
    pub fn is_late_until(&mut self, until: Millis) {
        self.seen.is_late_until(until);
    }

    /// The last change was not seen when it happened.
    pub fn remembered(&mut self) {
        self.seen.remembered();
    }

    /// The line carried damage: updates may be lost.
    pub fn damage(&mut self, now: Millis) {
        self.seen.damage(now);
    }

    /// Squares that changed nobody knows in which order: a whole reading after some were missed, or after a link was lost.
    pub fn edges(&mut self, now: Millis, changed: impl IntoIterator<Item = (Square, Sensed)>) {
        let mut squares = Bitboard::EMPTY;
        for (square, sensed) in changed {
            if self.seen.excused().contains(square) {
                if self.seen.really_at(square) == sensed {
                    continue;
                }
                self.seen.excuse_nothing();
            }
            self.seen.find(now, square, sensed);
            squares.add(square);
        }
        if !self.is_held(squares) {
            self.doubt(now);
            self.each(now, |line, seen, others| line.found(now, squares, seen, others));
        }
    }

    /// A copy that follows fewer lines: to see what would be, if what is done now were play.
    pub fn shadow(&self) -> Follower {
        let mut shadow = self.clone();
        shadow.beam = Beam::Steady(self.beam.lines().min(model::SHADOWS));
        shadow.lines.truncate(shadow.beam.lines());
        shadow
    }

    /// From now on what the squares show is noted, and nothing is concluded from it.
    pub fn hold(&mut self) {
        self.held.get_or_insert(Bitboard::EMPTY);
    }

    /// What the squares show counts again, as if it had been found just now.
    pub fn let_go(&mut self, now: Millis) {
        if let Some(squares) = self.held.take() {
            self.each(now, |line, seen, others| line.found(now, squares, seen, others));
        }
    }

    /// Whether nothing is to be concluded from a change of these squares.
    fn is_held(&mut self, squares: Bitboard) -> bool {
        let Some(changed) = &mut self.held else { return false };
        *changed |= squares;
        self.lines.iter_mut().for_each(|line| line.look_again(&self.seen));
        true
    }

    /// The clock was pressed by this player.
    pub fn pressed(&mut self, now: Millis, by: Color) {
        self.seen.press(now, by);
        self.each(now, |line, _, _| line.pressed(now, by));
        self.look_at = {
            let unclear = self.seen.sensing() == Sensing::Occupancy || !self.lines.iter().any(Line::is_at_tip);
            unclear.then_some(now + model::SCANNED)
        };
    }

    /// When `quiet` wants to be called, besides.
    pub fn deadline(&self) -> Option<Millis> {
        self.look_at
    }

    /// Nothing changed since the last edge. `settle`: quiet that decides a move, in milliseconds.
    pub fn quiet(&mut self, now: Millis, settle: Millis) {
        self.look_at = self.look_at.filter(|at| *at > now);
        if self.held.is_some() {
            return;
        }
        self.doubt(now);
        // A king that strays to the centre tells a result; what follows is no play.
        let told = now.saturating_sub(self.seen.last_edge()) < model::KINGS_APART || self.kings_are_gone();
        let explained = self.credible(now).any(Line::is_at_tip) || (told && self.king_strays());
        if !explained {
            self.look_for_illegal(now);
        }
        self.each(now, |line, seen, others| line.quiet(now, settle, !explained, seen, others));
        self.search_widely(now, settle);
        self.look_for_strange(now, settle);
    }

    /// In hindsight, where nothing that may be what happened explains the board: whatever else leads to what is seen.
    fn search_widely(&mut self, now: Millis, settle: Millis) {
        /// From so many lines, the likeliest ones.
        const FROM: usize = 12;
        let quiet = now.saturating_sub(self.seen.last_edge());
        let at_a_loss = |line: &Line| !line.is_at_tip();
        if self.beam != Beam::Wide || quiet < settle || !self.credible(now).all(at_a_loss) {
            return;
        }
        let mut left = FROM;
        self.each(now, |line, seen, others| {
            if left > 0 {
                left -= 1;
                line.detours(now, seen, others);
            }
        });
    }

    /// A move that is not legal, and on which the clock was pressed: before anything else is looked for.
    fn look_for_illegal(&mut self, now: Millis) {
        let quiet = now.saturating_sub(self.seen.last_edge());
        if quiet < model::REST_TAKEBACK || self.hidden().any() {
            return;
        }
        let mut published = true;
        self.each(now, |line, seen, _| {
            if std::mem::take(&mut published) {
                line.strange_and_pressed(now, quiet, seen);
            }
        });
    }

    /// What no legal line explains: a move that is not legal, or a piece out of place while play goes on.
    fn look_for_strange(&mut self, now: Millis, settle: Millis) {
        let quiet = now.saturating_sub(self.seen.last_edge());
        // A square that is stuck makes legal moves look strange.
        if quiet < settle + model::LINE || self.credible(now).count() > 1 || self.hidden().any() {
            return;
        }
        self.lines.truncate(1);
        let mut elsewhere = None;
        self.each(now, |line, seen, _| elsewhere = line.strange(now, quiet, seen));
        if let Some(Elsewhere { squares, moves }) = elsewhere {
            let board = self.tip().position.board().clone();
            self.seen.excuse(squares, &board);
            self.each(now, |line, seen, _| line.go_on_elsewhere(now, &moves, seen));
        }
    }

    /// The squares that show a piece out of place, or none where one should be, while play goes on elsewhere.
    pub fn displaced(&self) -> Bitboard {
        self.seen.excused()
    }

    /// Nothing more will be moved in this game: the last move stands as it is.
    pub fn decide(&mut self, now: Millis) {
        self.each(now, |line, _, _| line.decide());
    }

    /// What looked like king's moves was a result signal: the last moves of kings to the centre never were.
    pub fn withdraw_king_moves(&mut self, now: Millis, keep: impl Fn(usize, &Node) -> bool) {
        let signals = |line: &Line| line.kings_in_centre(&self.seen).is_some() || line.kings_unclear(&self.seen).is_some();
        if let Some(index) = self.lines.iter().position(signals)
            && index > 0
        {
            self.lines.swap(0, index);
            self.lines.truncate(1);
            self.changes += 1;
            self.reason = Some(CorrectionReason::Evidence);
        }
        self.each(now, |line, seen, _| line.withdraw_king_moves(&keep, seen));
    }

    /// Moves are taken back until only these are left, all of them published.
    pub fn take_back(&mut self, now: Millis, kept: &[Move], reason: CorrectionReason) {
        let kept: Vec<(Move, Option<Millis>)> = kept.iter().map(|&mv| (mv, None)).collect();
        self.rewrite(now, &kept, reason);
    }

    /// These are the moves, whoever says so, each with the time when the clock was pressed on it.
    pub fn rewrite(&mut self, now: Millis, moves: &[(Move, Option<Millis>)], reason: CorrectionReason) {
        self.seen.excuse_nothing();
        self.lines.truncate(1);
        if let Some(line) = self.lines.first_mut() {
            // What the line has become meanwhile was not told.
            let told = line.nodes().iter().skip(1).zip(moves);
            let same = told.take_while(|(node, (mv, _))| node.mv == Some(*mv)).count();
            line.take_back(line.nodes().len() - 1 - same, reason, &self.seen);
            moves.iter().skip(same).for_each(|&(mv, pressed_at)| line.put(now, mv, pressed_at, &self.seen));
        }
        self.fixed = self.fixed.min(moves.len());
        self.changes += 1;
        self.reason = Some(reason);
    }

    /// The first so many plies are told in no other way from now on, whatever is seen.
    pub fn fix(&mut self, plies: usize) {
        self.fixed = plies.min(self.line().len() - 1);
        let best = self.best().clone();
        self.keep_fixed(best);
    }

    /// Lines that say something else of what is fixed go; `before`: the published one, as it was.
    fn keep_fixed(&mut self, before: Line) {
        let fixed = |line: &Line| line.nodes().iter().skip(1).take(self.fixed).map(|node| node.mv).collect::<Vec<_>>();
        let moves = fixed(&before);
        let published = self.lines.first().is_some_and(|line| fixed(line) == moves);
        self.lines.retain(|line| fixed(line) == moves);
        if !published {
            self.lines.insert(0, before);
            self.lines.iter_mut().take(1).for_each(|line| line.look_again(&self.seen));
        }
    }

    /// The promotion of this ply, from 1, was to this piece, whoever says so; the moves after it stay. Lines that say otherwise
    /// go.
    ///
    /// # Errors
    /// The first ply that is not legal then; nothing is changed.
    pub fn promote(&mut self, ply: usize, role: Role) -> Result<(), usize> {
        let before: Vec<Option<Move>> = self.best().nodes().iter().map(|node| node.mv).collect();
        if let Some(published) = self.lines.first_mut() {
            published.promote(ply, role, &self.seen)?;
        }
        let pawn = |mv: Option<Move>| mv.map(|mv| (mv.from(), mv.to()));
        let was = before.get(ply).copied().flatten();
        let mut first = true;
        self.lines.retain_mut(|line| {
            let published = std::mem::take(&mut first);
            let same = line.nodes().get(ply).is_some_and(|node| pawn(node.mv) == pawn(was));
            published || (same && line.promote(ply, role, &self.seen).is_ok())
        });
        if was != self.line().get(ply).and_then(|node| node.mv) {
            self.reason = Some(CorrectionReason::Arbiter);
        }
        self.changes += 1;
        Ok(())
    }

    /// The lines that may still be what happened; of those of hindsight the ones that a game being played would be told by.
    fn credible(&self, now: Millis) -> impl Iterator<Item = &Line> {
        let costs = |beam| match beam {
            Beam::Steady(_) => None,
            Beam::Wide => {
                Some(self.lines.iter().map(|line| line.cost(now, &self.seen)).min().unwrap_or_default() + model::HOPELESS)
            }
        };
        let most = costs(self.beam);
        self.lines.iter().filter(move |line| {
            most.is_none_or(|most| line.cost(now, &self.seen).min(line.past_cost() + model::AT_WORST) <= most)
        })
    }

    /// Lets every line act, then sees which is the likeliest.
    fn each(&mut self, now: Millis, mut act: impl FnMut(&mut Line, &Seen, &mut Vec<Line>)) {
        let before = self.best().changes();
        let (plies, last) = (self.line().len(), self.tip().mv);
        let fixed = (self.fixed > 0).then(|| self.best().clone());
        let mut others = Vec::new();
        for line in &mut self.lines {
            act(line, &self.seen, &mut others);
            others.truncate(model::PARTED);
        }
        if self.beam == Beam::Wide {
            self.credible(now).for_each(|line| line.ways(now, &self.seen, &mut others));
        }
        self.lines.append(&mut others);
        if self.seen.sensing() == Sensing::Identity {
            // The past has changed, or two plies came at once.
            let surprised = self.line().get(plies - 1).is_none_or(|node| node.mv != last) || self.line().len() > plies + 1;
            self.retell(now, surprised);
        } else {
            let new = self.lines.iter().filter(|line| line.is_new(now));
            let in_one_go: Vec<Line> = new.filter_map(|line| line.in_one_go(&self.seen)).collect();
            self.lines.extend(in_one_go);
        }
        if let Some(published) = fixed {
            self.keep_fixed(published);
        }
        let alone = self.lines.len() == 1;
        if !alone {
            let from = self.parting();
            for line in &mut self.lines {
                line.charge(now, from, &self.seen);
            }
        }
        if self.best().changes() != before {
            self.changes += 1;
            self.reason = None;
        }
        if !alone {
            self.weigh(now);
        }
        self.find_stuck(now);
    }

    /// Where hands overlap, what was seen in the last moments is told anew.
    fn retell(&mut self, now: Millis, surprised: bool) {
        if self.seen.sensing() != Sensing::Identity
            || self.held.is_some()
            || (self.lines.len() == 1 && !surprised && !self.best().is_hurried(&self.seen))
        {
            return;
        }
        let published = self.best();
        let base = published.solid(now);
        let Some(node) = published.nodes().get(base) else { return };
        let irregular = published.nodes().iter().skip(base + 1).any(|node| node.irregular);
        if irregular || !self.seen.remembers(node.made_at) || self.seen.is_damaged(now, model::BAD_LINE) {
            return;
        }
        let hidden = self.hidden();
        let told = retell(node, &self.seen, hidden, now);
        let Some(best) = told.first() else { return };
        let limit = best.cost + model::RETOLD;
        let new: Vec<Line> = told
            .iter()
            .take_while(|told| told.cost <= limit)
            .take(4)
            .filter(|told| !self.lines.iter().any(|line| line.says(base, told)))
            .map(|told| published.told_anew(base, told, &self.seen))
            .collect();
        self.lines.extend(new);
        // All are weighed over the same moments.
        let base = base.min(self.parting().saturating_sub(1));
        let Some(node) = self.best().nodes().get(base) else { return };
        if self.seen.remembers(node.made_at) {
            for line in &mut self.lines {
                line.tell_anew(base, now, &self.seen);
            }
        }
    }

    /// The first ply in which the lines differ, but no further back than they are told apart.
    fn parting(&self) -> usize {
        let least = self.lines.iter().map(|line| line.nodes().len()).min().unwrap_or(0);
        let first = least.saturating_sub(model::COMPARED);
        let ply = |line: &Line, index: usize| {
            line.nodes().get(index).map(|node| (node.mv, node.silent, node.manner, node.pressed_at.is_some()))
        };
        let differ = |index: &usize| self.lines.iter().any(|line| ply(line, *index) != ply(self.best(), *index));
        (first..least).find(differ).unwrap_or(least)
    }

    /// A square has changed, which showed something else since then: does it flicker, or was it thought stuck?
    fn watch(&mut self, now: Millis, square: Square, before: Sensed, since: Millis) {
        let tip = self.best().tip();
        let right = self.seen.shows(square, tip.position.piece_at(square));
        let moved = tip.mv.is_some_and(|mv| mv.to() == square) && tip.made_at >= since;
        if before == Sensed::Empty && right && !moved && now.saturating_sub(since) <= model::FLICKER {
            self.faults.spell(now, square);
        }
        self.faults.changed(now, square, right);
        self.faults.pass(now, self.best().tip().position.board().occupied());
        if !self.faults.with(Fault::Stuck).contains(square) {
            for line in &mut self.lines {
                line.disprove(square, &self.seen);
            }
        }
        self.discount(now);
    }

    /// A square that all lines think stuck, since a few moves, is told.
    fn find_stuck(&mut self, now: Millis) {
        let all = self.credible(now).fold(Bitboard::FULL, |all, line| all & line.blind());
        let best = self.best();
        if (all & !self.faults.with(Fault::Stuck)).any() && best.is_at_tip() && best.plies_since_blind() >= model::STUCK_TOLD {
            for square in all & !self.faults.with(Fault::Stuck) {
                self.faults.find(now, square, Fault::Stuck);
            }
        }
    }

    /// What is known of squares holds for all lines.
    fn discount(&mut self, now: Millis) {
        self.seen.set_flickering(self.faults.with(Fault::Flickering));
        let stuck = self.faults.with(Fault::Stuck);
        for line in &mut self.lines {
            line.add_blind(stuck, &self.seen);
        }
        self.doubt(now);
    }

    fn doubt(&mut self, now: Millis) {
        if self.seen.doubt(now) {
            for line in &mut self.lines {
                line.look_again(&self.seen);
            }
        }
    }

    /// Puts the line first that is to be published, and drops those that are told twice, hopeless or too many.
    fn weigh(&mut self, now: Millis) {
        let weighed = match self.beam {
            Beam::Steady(_) => self.steadily(now),
            Beam::Wide => self.by_cost(now),
        };
        self.keep(weighed);
        if self.lines.len() == 1
            && let Some(line) = self.lines.first_mut()
        {
            line.forget_costs();
        }
    }

    /// The likeliest first, whatever was before it; of equals the one that was.
    fn by_cost(&mut self, now: Millis) -> Vec<(Cost, Line)> {
        let cost = |line: Line| (line.cost(now, &self.seen), line);
        let mut weighed: Vec<(usize, (Cost, Line))> = self.lines.drain(..).map(cost).enumerate().collect();
        weighed.sort_by_key(|(_, (cost, _))| *cost);
        if weighed.first().is_some_and(|(was, _)| *was > 0) {
            self.changes += 1;
            self.reason = Some(CorrectionReason::Evidence);
        }
        weighed.into_iter().map(|(_, line)| line).collect()
    }

    /// The published one first, or another one if it is clearly better; then by cost.
    fn steadily(&mut self, now: Millis) -> Vec<(Cost, Line)> {
        let published = self.lines.remove(0);
        let mut weighed: Vec<(Cost, Line)> = self.lines.drain(..).map(|line| (line.cost(now, &self.seen), line)).collect();
        weighed.sort_by_key(|(cost, _)| *cost);
        let cost = published.cost(now, &self.seen);
        let margin = match published.is_at_tip() {
            true => model::MARGIN,
            false if now.saturating_sub(self.seen.last_edge()) >= model::REST_CASTLING => model::MARGIN_QUIET,
            false => model::MARGIN_OPEN,
        };
        let long = now.saturating_sub(self.seen.last_edge()) >= model::REST_TRACELESS;
        let at_a_loss = long && published.unexplained(&self.seen).any();
        let stuck = |other: &Line| match published.blind().count() <= other.blind().count() {
            // Who thought a square stuck does not think better of it because a player lifts an unlikely piece.
            false if published.plies_since_blind() > 1 => model::MARGIN_STUCK,
            false => 0,
            // Before the arbiter is called, a stuck square is the better story.
            true if at_a_loss && other.is_at_tip() && other.blind() != published.blind() => -model::MARGIN_STUCK,
            true => 0,
        };
        // What explains the board as little is no better.
        let better = weighed
            .iter()
            .position(|(other, line)| other + margin + stuck(line) < cost && line.unexplained(&self.seen).is_empty());
        let reason = match better.and_then(|better| weighed.get(better)) {
            Some((_, line)) if line.takes_back(&published) => CorrectionReason::Takeback,
            _ => CorrectionReason::Evidence,
        };
        weighed.push((cost, published));
        if let Some(better) = better {
            // It comes first, and the one that was published where its cost puts it.
            let (cost, mut first) = weighed.remove(better);
            // It is told when it is decided, which may be later.
            first.take_over(reason);
            weighed.sort_by_key(|(cost, _)| *cost);
            weighed.insert(0, (cost, first));
            self.changes += 1;
            self.reason = Some(reason);
        } else {
            weighed.rotate_right(1);
        }
        weighed
    }

    /// Keeps the first, and as many of the others as there is room for.
    fn keep(&mut self, weighed: Vec<(Cost, Line)>) {
        let least = weighed.iter().map(|(cost, _)| *cost).min().unwrap_or_default();
        let shared = |one: &Line, other: &Line| {
            one.nodes().iter().zip(other.nodes()).take_while(|(one, other)| Arc::ptr_eq(one, other)).count()
        };
        let (mut positions, mut bytes) = (0, 0);
        let mut prints = Vec::with_capacity(weighed.len());
        for (cost, line) in weighed {
            let print = line.print();
            if self.lines.is_empty() {
                bytes = line.bytes(0);
                self.lines.push(line);
                prints.push(print);
                continue;
            }
            let own = line.nodes().len() - shared(&line, self.best());
            let hopeless = cost.min(line.past_cost() + model::AT_WORST) > least + self.beam.hopeless();
            let small = self.beam == Beam::Wide || bytes + line.bytes(own) <= model::BYTES;
            let room = small && self.lines.len() < self.beam.lines() && positions + own < self.beam.positions();
            // Of many lines most are told apart by one number.
            let known = || prints.iter().zip(&self.lines).any(|(other, told)| *other == print && told.is_told_by(&line));
            if !hopeless && room && !known() {
                positions += own;
                bytes += line.bytes(own);
                self.lines.push(line);
                prints.push(print);
            }
        }
    }
}
