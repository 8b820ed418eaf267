//! One line of play: edges, quiet and presses in, moves out.

mod cost;
mod illegal;
mod kings;
mod matches;
mod retold;
mod search;
mod stuck;
mod wide;

pub use cost::Charge;
use matches::{Match, matches};
use search::Ghost;

use super::explain::{explain, in_hand, landing};
use super::model::STOPS;
use super::model::{self, Cost, LINE, OVERLAP, PRESS_OVERTAKES, REST_CASTLING, REST_DRAGGED};
use super::{Growth, Next, Node, Seen};
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::{Confidence, CorrectionReason};
use crate::laws::{CENTRE, Position};
use shakmaty::{Bitboard, Color, Move, Piece, Role, Square};
use std::sync::{Arc, OnceLock};

pub use illegal::Elsewhere;

/// Positions whose moves are kept ready to be recognised: the last ones of the line.
const READY: usize = 3;

/// Confidence of a move …
mod sure {
    use crate::game::Confidence;
    /// … out of whose touch no other move could have grown, seen square for square.
    pub const CLOSED: Confidence = Confidence(999);
    /// … that the opponent or the clock has answered.
    pub const ANSWERED: Confidence = Confidence(995);
    /// … that stood long enough, but could still go on: in 8 of 199 real moves a hand stopped on the way.
    pub const RESTED: Confidence = Confidence(950);
    /// … of a king to the centre, which may be half of a result signal.
    pub const KING_TO_CENTRE: Confidence = Confidence(900);
    /// … found by search, with nothing else that would explain what is seen.
    pub const RECONSTRUCTED: Confidence = crate::infer::model::RECONSTRUCTED;
}

/// A line of play since the start of the game, and how well it explains what was seen. What the board shows is given with
/// every call: all lines look at the same board.
#[derive(Clone, Debug)]
pub struct Line {
    nodes: Vec<Arc<Node>>,
    /// What is kept ready of the last nodes, oldest first; filled when first asked for.
    ready: Vec<Arc<OnceLock<Next>>>,
    /// The board shows exactly the last node.
    at_tip: bool,
    reason: CorrectionReason,
    /// How many nodes were left when the players last took moves back.
    taken_back_to: Option<usize>,
    /// Counts every change of the line.
    changes: u64,
    /// Lines that would explain what was seen, but less well than pieces in the players' hands: until play goes on from one.
    ghosts: Vec<Arc<Ghost>>,
    /// So many ghosts are kept at most.
    most: usize,
    /// Presses since the last move was found, each of a move that was not seen.
    presses_unseen: usize,
    /// The last of them: when, and by whom.
    owed: Option<(Millis, Color)>,
    /// A clock is in use: presses were seen.
    clock: bool,
    /// What each node costs, as far as it was counted.
    costs: Vec<Charge>,
    /// What nothing legal explains, from the last position on: a piece that stands elsewhere.
    stray: Option<illegal::Stray>,
    /// What speaks against the line besides.
    troubles: Cost,
    /// Squares that, in this line, are stuck: what they show is not compared.
    blind: Bitboard,
    /// The line has suspected the last of them after so many plies.
    blind_since: usize,
    sensing: Sensing,
}

impl Line {
    /// A game that begins here. `most`: so many lines besides are kept at most.
    pub fn new(start: Position, seen: &Seen, most: usize) -> Line {
        let start = Node::start(start, seen.sensing());
        let mut line = Line {
            at_tip: start.key == seen.key(),
            nodes: vec![Arc::new(start)],
            ready: Vec::new(),
            reason: CorrectionReason::Evidence,
            taken_back_to: None,
            changes: 0,
            ghosts: Vec::new(),
            most,
            presses_unseen: 0,
            owed: None,
            clock: false,
            costs: vec![Charge::default()],
            stray: None,
            troubles: 0,
            blind: Bitboard::EMPTY,
            blind_since: 0,
            sensing: seen.sensing(),
        };
        line.keep_ready();
        line
    }

    /// Goes on with a move that was published before, and the time when the clock was pressed on it.
    pub fn resume(&mut self, now: Millis, mv: Move, pressed_at: Option<Millis>, seen: &Seen) {
        match self.tip().position.is_legal(mv) {
            true => self.extend(now, mv, seen),
            false => self.extend_illegal(now, mv, seen),
        }
        self.decide_tip(Confidence::CERTAIN);
        self.clock |= pressed_at.is_some();
        if let Some(node) = self.tip_mut() {
            node.pressed_at = pressed_at;
        }
    }

    /// The same with a move of which somebody says that it was this one and no other.
    pub fn put(&mut self, now: Millis, mv: Move, pressed_at: Option<Millis>, seen: &Seen) {
        self.resume(now, mv, pressed_at, seen);
        if let Some(node) = self.tip_mut() {
            node.growth = Growth::default();
        }
    }

    /// The positions, from the start, which has no move.
    pub fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    /// Where play has come to.
    pub fn tip(&self) -> &Node {
        // The start node is never taken away.
        &self.nodes[self.nodes.len() - 1]
    }

    /// How many plies are decided, from the start.
    pub fn decided(&self) -> usize {
        if self.tip().decided.is_some() { self.nodes.len() - 1 } else { self.nodes.len() - 2 }
    }

    /// Counts up with every change of the line or of what is decided.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Why the line last changed its past.
    pub fn reason(&self) -> CorrectionReason {
        self.reason
    }

    /// The line takes the place of the published one.
    pub fn take_over(&mut self, reason: CorrectionReason) {
        self.reason = reason;
    }

    /// The two are the same up to where moves were taken back in this one.
    pub fn takes_back(&self, other: &Line) -> bool {
        let same = self.nodes.iter().zip(&other.nodes).take_while(|(one, other)| one.mv == other.mv).count();
        self.taken_back_to == Some(same) && same < other.nodes.len()
    }

    /// About how many bytes the line takes, if so many of its positions are held by no other line.
    pub fn bytes(&self, own: usize) -> usize {
        model::LINE_BYTES * (1 + self.ghosts.len()) + model::PLY_BYTES * self.nodes.len() + model::NODE_BYTES * own
    }

    /// The board shows exactly what this line says.
    pub fn is_at_tip(&self) -> bool {
        self.at_tip
    }

    /// The squares that do not show what the line's last position says.
    pub fn mismatch(&self, seen: &Seen) -> Bitboard {
        if self.at_tip { Bitboard::EMPTY } else { seen.mismatch(self.tip().position.board()) & !self.hidden(seen) }
    }

    /// Of those, the squares that no pieces in the hands of the side to move explain: up to two of its own, and one it takes.
    pub fn unexplained(&self, seen: &Seen) -> Bitboard {
        let wrong = self.mismatch(seen);
        let own = in_hand(&self.tip().position, seen, wrong);
        let taken = wrong & !own;
        let in_hands = (wrong & seen.occupied()).is_empty() && own.count() <= 2 && taken.count() <= own.count().min(1);
        if in_hands { Bitboard::EMPTY } else { wrong }
    }

    /// A square changed, in squares of play; `seen` shows it already. Lines that part from this one are added to `others`.
    pub fn edge(&mut self, now: Millis, square: Square, before: Sensed, seen: &Seen, others: &mut Vec<Line>) {
        self.left(now, square);
        if self.at_tip
            && let Some(touched) = self.lifted(square, before, seen.at(square))
            && touched == self.tip().position.turn()
            && !self.tip().growth.victims.contains(square)
            && !self.may_be_in_hand(seen)
        {
            self.decide_tip(sure::ANSWERED);
            if let Some(tip) = self.tip_mut() {
                tip.answered = true;
            }
        }
        self.look(now, seen, others);
        if !self.at_tip
            && let Some(color) = self.lifted(square, before, seen.at(square))
        {
            let position = &self.tip().position;
            let own = in_hand(position, seen, self.mismatch(seen));
            if color != position.turn() || (own.count() == 2 && !self.is_castling(own)) {
                self.part(now, seen, others);
            }
        }
        if !self.at_tip && self.unexplained(seen).any() {
            self.blame(model::STILL_UNEXPLAINED);
        }
    }

    /// Squares that changed nobody knows in which order: a whole reading after some were missed, or after a link was lost.
    pub fn found(&mut self, now: Millis, changed: Bitboard, seen: &Seen, others: &mut Vec<Line>) {
        for square in changed {
            self.left(now, square);
        }
        let plies = self.nodes.len();
        self.look(now, seen, others);
        if self.nodes.len() > plies {
            self.reorder(now, seen);
        }
    }

    /// The last move was found on the board and not seen to be made: it may have been made before others that were.
    fn reorder(&mut self, now: Millis, seen: &Seen) {
        let Some(mv) = self.tip().mv.filter(|&mv| seen.was_found(landing(mv))) else { return };
        let Some(base) = self.nodes.len().checked_sub(1 + 3) else { return };
        let played: Vec<Move> = self.nodes[base + 1..].iter().filter_map(|node| node.mv).collect();
        let found =
            explain(&self.nodes[base].position, seen, self.hidden(seen), 3, self.nodes[base + 1].made_at.saturating_sub(1));
        let Some(current) = found.iter().find(|line| line.moves == played).map(|line| line.doubts) else { return };
        if let Some(best) = found.first().filter(|best| best.doubts < current && best.moves.contains(&mv)) {
            self.reason = CorrectionReason::Evidence;
            self.adopt(now, base, &best.moves.clone(), &[], sure::RECONSTRUCTED, seen);
        }
    }

    fn left(&mut self, now: Millis, square: Square) {
        if self.tip().left_at.is_none()
            && self.tip().mv.is_some_and(|mv| landing(mv) == square)
            && let Some(tip) = self.tip_mut()
        {
            tip.left_at = Some(now);
        }
    }

    /// The clock was pressed by this player.
    pub fn pressed(&mut self, now: Millis, by: Color) {
        self.clock = true;
        match self.nodes.iter_mut().rev().find(|node| node.mv.is_some() && node.position.turn() != by) {
            Some(node) if node.pressed_at.is_none() => Arc::make_mut(node).pressed_at = Some(now),
            _ => {
                if self.owed.is_some() {
                    self.blame(model::NO_MOVE - model::OVERTAKEN);
                }
                self.blame(model::OVERTAKEN);
                self.owed = Some((now, by));
                self.presses_unseen += 1;
            }
        }
    }

    /// Nothing changed since the last edge, for this long. `settle`: quiet that decides a move, in milliseconds. `search`:
    /// no other line explains what is seen.
    pub fn quiet(&mut self, now: Millis, settle: Millis, search: bool, seen: &Seen, others: &mut Vec<Line>) {
        // There is time now, and none at the next edge.
        if let Some(next) = self.next(0)
            && self.sensing != Sensing::Identity
        {
            next.weigh(self.tip());
        }
        let quiet = now.saturating_sub(seen.last_edge());
        let settle = settle + LINE;
        let waited = self.owed.is_some_and(|(at, _)| now.saturating_sub(at) >= model::SCANNED);
        if !self.at_tip && (quiet >= model::CARRIED || waited) {
            self.part(now, seen, others);
        }
        if quiet < settle {
            if search && waited {
                self.suspect(now, quiet, waited, seen, others);
            }
            return;
        }
        if !search && self.unexplained(seen).any() {
            self.blame(model::STILL_UNEXPLAINED);
        }
        if search && !self.mismatch(seen).is_empty() {
            others.extend(self.taken_unseen(now, seen));
            if seen.sensing() == Sensing::Identity {
                self.recover(now, quiet, seen);
            } else {
                let mut other = self.clone();
                other.recover(now, quiet, seen);
                if other.changes != self.changes {
                    others.push(other);
                }
            }
            self.suspect(now, quiet, waited, seen, others);
        }
        let tip = self.tip();
        let needed = match tip {
            Node { growth: Growth { castling: true, .. }, .. } => REST_CASTLING,
            Node { dragged: true, .. } => REST_DRAGGED,
            _ => settle,
        };
        let stands = tip.mv.is_some_and(|mv| !self.mismatch(seen).contains(landing(mv)));
        let stands = stands && !self.may_be_in_hand(seen);
        if tip.decided.is_none() && stands && quiet >= needed && self.unexplained(seen).is_empty() {
            let pressed = tip.pressed_at.is_some();
            self.decide_tip(if pressed { sure::ANSWERED } else { sure::RESTED });
        }
    }

    /// Nothing more will be moved in this game: the last move stands as it is.
    pub fn decide(&mut self) {
        if self.tip().decided.is_none() {
            self.decide_tip(sure::ANSWERED);
        }
    }

    /// What looked like king's moves was a result signal: the last moves of kings to the centre never were.
    pub fn withdraw_king_moves(&mut self, keep: impl Fn(usize, &Node) -> bool, seen: &Seen) {
        while let Some(node) = self.nodes.last()
            && let Some(mv) = node.mv
            && mv.role() == Role::King
            && CENTRE.contains(mv.to())
            && !keep(self.nodes.len() - 1, node)
        {
            let instead_of = node.instead_of;
            let made_at = node.made_at;
            self.cut(self.nodes.len() - 1);
            self.reason = CorrectionReason::KingSignal;
            if let Some(mv) = instead_of {
                self.extend(made_at, mv, seen);
                self.decide_tip(sure::ANSWERED);
                break;
            }
        }
    }

    /// The promotion of this ply was to this piece; the moves after it stay, at the times when they were made.
    ///
    /// # Errors
    /// The first ply that is not legal then; nothing is changed.
    pub fn promote(&mut self, ply: usize, role: Role, seen: &Seen) -> Result<(), usize> {
        let mut nodes = self.nodes.get(..ply).unwrap_or_default().to_vec();
        for (index, old) in self.nodes.iter().enumerate().skip(ply) {
            let (Some(before), Some(was)) = (nodes.last(), self.nodes.get(index - 1)) else { return Err(index) };
            let mv = match old.mv {
                Some(Move::Normal { role: pawn, from, capture, to, promotion: Some(_) }) if index == ply => {
                    Some(Move::Normal { role: pawn, from, capture, to, promotion: Some(role) })
                }
                mv => mv.and_then(|mv| before.position.parse_uci(&was.position.uci(mv))),
            };
            let legal = mv.filter(|mv| before.position.legal_moves().contains(mv));
            let mut node = before.after(legal.ok_or(index)?, old.made_at, seen.sensing(), None);
            if index == ply {
                (node.growth, node.decided) = (Growth::default(), Some(Confidence::CERTAIN));
            } else {
                (node.decided, node.rivals) = (old.decided, old.rivals.clone());
            }
            (node.dragged, node.answered, node.silent) = (old.dragged, old.answered, old.silent);
            (node.left_at, node.pressed_at, node.manner) = (old.left_at, old.pressed_at, old.manner);
            nodes.push(Arc::new(node));
        }
        self.nodes = nodes;
        self.ready.iter_mut().for_each(|slot| *slot = Arc::default());
        self.ghosts.clear();
        self.changes += 1;
        self.look_again(seen);
        Ok(())
    }

    /// The arbiter or the players take so many plies back.
    pub fn take_back(&mut self, plies: usize, reason: CorrectionReason, seen: &Seen) {
        self.cut(self.nodes.len() - plies.min(self.nodes.len() - 1));
        self.changes += 1;
        self.reason = reason;
        self.taken_back_to = Some(self.nodes.len());
        self.look_again(seen);
        self.ghosts.clear();
        (self.owed, self.presses_unseen) = (None, 0);
    }

    /// Looks whether the board shows a move, or another one than the last.
    fn look(&mut self, now: Millis, seen: &Seen, others: &mut Vec<Line>) {
        self.at_tip = self.shows(self.tip(), seen);
        if self.at_tip {
            self.ghosts.clear();
            return;
        }
        let (next, standing): (Vec<Match>, bool) = {
            let found = self.matches(0, seen);
            let standing = found.first().is_some_and(|found| (found.lifted & self.passing(seen)).is_empty());
            (found, standing)
        };
        let settled = (standing && seen.sensing() == Sensing::Identity) || !self.may_change(seen);
        let mut other = if settled { Vec::new() } else { self.matches(1, seen) };
        // What the last move itself emptied needs no other explanation.
        let left = self.tip().mv.and_then(|mv| mv.from());
        other.retain(|found| {
            self.may_become(found.mv, found.lifted, seen) && !left.is_some_and(|left| found.lifted.contains(left))
        });
        if let Some(&Match { mv, .. }) = next.first().filter(|_| !standing) {
            self.keep_ghost(now, self.nodes.len() - 1, &[mv], Vec::new(), true, seen);
        }
        if seen.sensing() != Sensing::Identity && !standing && !next.is_empty() {
            let mut line = self.clone();
            line.go_on(now, &next, seen, others);
            others.push(line);
        }
        if standing || !other.is_empty() {
            if seen.sensing() != Sensing::Identity && standing && !other.is_empty() {
                // Whose piece it is the board does not tell: the last one may have gone on, or this is the answer to it.
                let mut line = self.clone();
                line.become_another(now, &other, seen, others);
                others.push(line);
            }
            if standing {
                self.go_on(now, &next, seen, others);
            } else {
                self.become_another(now, &other, seen, others);
            }
        } else if let Some((ghost, mv)) = self.ghosts.iter().find_map(|ghost| {
            matches(&ghost.tip, &ghost.next, seen, self.hidden(seen), false, |_| false)
                .first()
                .map(|found| (ghost.clone(), found.mv))
        }) {
            let (moves, rivals) = ghost.then(&[mv]);
            self.adopt(now, ghost.base, &moves, &rivals, sure::RECONSTRUCTED, seen);
        } else if seen.sensing() == Sensing::Identity {
            let taken = self.reply_overlaps(seen) && self.take_best(now, self.overlaps(seen), sure::ANSWERED, seen);
            if !taken && (5..=7).contains(&self.mismatch(seen).count()) {
                // Three plies within a second: soon there will be too many to tell.
                self.take_best(now, &[(0, 3)], sure::RECONSTRUCTED, seen);
            }
        } else if self.two_may_overlap(seen) {
            let three = (4..=7).contains(&self.mismatch(seen).count());
            for tries in [(0, 2), (1, 2), (0, 3)].into_iter().filter(|tries| tries.1 < 3 || three) {
                let mut line = self.clone();
                if (tries.0 == 0 || !self.has_stood(seen)) && line.take_best(now, &[tries], sure::ANSWERED, seen) {
                    others.push(line);
                }
            }
        }
    }

    /// The next move was made: one of these.
    fn go_on(&mut self, now: Millis, next: &[Match], seen: &Seen, others: &mut Vec<Line>) {
        let taken = |found: &Match| found.mv.is_capture() && !found.mv.is_en_passant();
        if seen.sensing() == Sensing::Occupancy && next.first().is_some_and(taken) {
            // The other piece may only have been put straight, and this one still be on its way.
            others.push(self.clone());
        }
        self.spread(next, others, |line, found| line.extend(now, found.mv, seen));
    }

    /// The last move was another: one of these.
    fn become_another(&mut self, now: Millis, other: &[Match], seen: &Seen, others: &mut Vec<Line>) {
        let old = self.tip();
        let instead_of = old.decided.and(old.mv).or(old.instead_of);
        let stop = old.mv;
        self.spread(other, others, |line, found| {
            let dragged = stop.is_some_and(|stop| stop.from() == found.mv.from() && stop.to().distance(found.mv.to()) == 1);
            line.cut(line.nodes.len() - 1);
            line.reason = CorrectionReason::Evidence;
            line.extend(now, found.mv, seen);
            if let Some(tip) = line.tip_mut() {
                (tip.dragged, tip.instead_of) = (dragged, instead_of);
            }
        });
    }

    /// If the last move went on with the piece of the last but one, shortly after that stood: the line in which it was one move,
    /// and the answer was begun before it had come to rest.
    pub fn in_one_go(&self, seen: &Seen) -> Option<Line> {
        let [.., before, first, answer, last] = self.nodes.as_slice() else { return None };
        let (old, reply, mv) = (first.mv?, answer.mv?, last.mv?);
        let soon = last.made_at.saturating_sub(first.made_at) <= STOPS + OVERLAP;
        if mv.from() != Some(landing(old)) || !soon || old.is_castle() || mv.is_castle() || old.is_capture() {
            return None;
        }
        let legal = before.position.legal_moves();
        let whole = legal.iter().find(|whole| {
            whole.from() == old.from() && whole.to() == mv.to() && whole.promotion() == mv.promotion() && !whole.is_castle()
        })?;
        let after = before.position.play(*whole);
        let reply =
            after.legal_moves().iter().copied().find(|other| (other.from(), other.to()) == (reply.from(), reply.to()))?;
        let (first_at, reply_at) = (first.made_at, answer.made_at);
        let mut line = self.clone();
        line.cut(line.nodes.len() - 3);
        line.reason = CorrectionReason::Evidence;
        line.extend(first_at, *whole, seen);
        line.extend(reply_at, reply, seen);
        line.at_tip.then_some(line)
    }

    /// The last move's piece went on from where it stood for a moment, and was taken where nobody saw it arrive.
    fn taken_unseen(&self, now: Millis, seen: &Seen) -> Option<Line> {
        let base = self.nodes.len().checked_sub(2)?;
        if self.passing(seen).is_empty() || self.was_pressed(now) {
            return None;
        }
        let from = self.tip().mv?.from();
        let found = explain(&self.nodes[base].position, seen, self.hidden(seen), 2, self.tip().made_at);
        let fits = |moves: &[Move]| matches!(moves, [first, second] if first.from() == from && second.is_capture() && second.to() == landing(*first));
        let best = found.into_iter().find(|line| fits(&line.moves))?;
        let mut line = self.clone();
        line.reason = CorrectionReason::Evidence;
        line.adopt(now, base, &best.moves, &[], sure::RECONSTRUCTED, seen);
        Some(line)
    }

    /// The last move is new: nothing has happened since.
    pub fn is_new(&self, now: Millis) -> bool {
        self.tip().mv.is_some() && self.tip().made_at == now
    }

    /// Goes on with the first of several moves; for each other one a line parts.
    fn spread(&mut self, found: &[Match], others: &mut Vec<Line>, go: impl Fn(&mut Line, &Match)) {
        for found in found.iter().skip(1) {
            let mut other = self.clone();
            go(&mut other, found);
            others.push(other);
        }
        if let Some(first) = found.first() {
            go(self, first);
        }
    }

    /// Moves that leave no trace on the square where the piece lands may have been made: a line parts for each. This one goes
    /// on with the piece in hand.
    fn part(&mut self, now: Millis, seen: &Seen, others: &mut Vec<Line>) {
        if seen.sensing() != Sensing::Occupancy && self.hidden(seen).is_empty() {
            return;
        }
        // Both kings in the air tell a result.
        if seen.sensing() != Sensing::Occupancy && self.kings_are_gone(seen) {
            return;
        }
        let tip = self.tip();
        let go_on = tip.mv.is_some() && !self.was_pressed(now) && (!self.has_stood(seen) || !tip.answered);
        let go_on = go_on || self.absent_at_press(now, seen);
        for back in 0..=usize::from(go_on) {
            let (Some(next), Some(node)) = (self.next(back), self.node(back)) else { continue };
            for found in matches(node, next, seen, self.hidden(seen), true, |_| false) {
                let grown = back == 0 || tip.growth.moves.contains(&found.mv);
                if !self.is_silent(found.mv, node, seen) || found.lifted.contains(landing(found.mv)) || !grown {
                    continue;
                }
                let mut other = self.clone();
                if back > 0 {
                    other.cut(other.nodes.len() - 1);
                    other.reason = CorrectionReason::Evidence;
                }
                other.extend(now, found.mv, seen);
                if let Some(tip) = other.tip_mut() {
                    tip.silent = true;
                }
                others.push(other);
            }
        }
    }

    /// The move takes a piece whose square has shown no change since the position before it, or comes to a square that shows
    /// nothing of it: it cannot be told from the piece being in the air.
    fn is_silent(&self, mv: Move, before: &Node, seen: &Seen) -> bool {
        if self.lands_unseen(mv, before, seen) {
            return true;
        }
        seen.sensing() == Sensing::Occupancy
            && mv.is_capture()
            && !mv.is_en_passant()
            && seen.changed_at(landing(mv)) <= before.made_at
    }

    /// Two moves of which the first was never seen alone. A stop on the way that was left again is likelier to have been just
    /// that: then the last move is one of the two.
    fn overlaps(&self, seen: &Seen) -> &'static [(usize, u32)] {
        if self.passing(seen).any() { &[(1, 2), (0, 2)] } else { &[(0, 2)] }
    }

    /// The square that the last move's piece left again before its hand can have let go of it; none if it stands.
    fn passing(&self, seen: &Seen) -> Bitboard {
        let to = self.tip().mv.map_or(Bitboard::EMPTY, |mv| Bitboard::from_square(mv.to()));
        if self.has_stood(seen) { Bitboard::EMPTY } else { to & !seen.occupied() & !self.hidden(seen) }
    }

    /// The last move's piece stood so long that its hand had let go of it.
    fn has_stood(&self, seen: &Seen) -> bool {
        let tip = self.tip();
        let left_at = tip.left_at.unwrap_or(seen.last_edge());
        tip.growth.is_none()
            || left_at.saturating_sub(tip.made_at) > STOPS
            || tip.pressed_at.is_some_and(|pressed| left_at > pressed + model::SCANNED)
    }

    /// The moves from the node so far back (0: the tip) that show what is seen, those aside that cannot be told from a piece
    /// in the air.
    fn matches(&self, back: usize, seen: &Seen) -> Vec<Match> {
        let (Some(next), Some(node)) = (self.next(back), self.node(back)) else { return Vec::new() };
        matches(node, next, seen, self.hidden(seen), back > 0, |mv| self.is_silent(mv, node, seen))
    }

    /// Whether the last move may turn out to be another at once, whichever: see [`Line::may_become`].
    fn may_change(&self, seen: &Seen) -> bool {
        let tip = self.tip();
        tip.mv.is_some() && !self.was_pressed(seen.last_edge()) && !(self.has_stood(seen) && tip.growth.is_none())
    }

    /// Whether the last move may turn out to be this one at once. Not once the clock was pressed on it a while ago, and if its
    /// piece stood, not when the opponent answered or holds a piece (then it is a move of its own, begun early), nor when it
    /// did not grow out of the same touch: such things wait until the board is quiet.
    fn may_become(&self, mv: Move, lifted: Bitboard, seen: &Seen) -> bool {
        let tip = self.tip();
        let pressed = self.was_pressed(seen.last_edge());
        let grown = tip.growth.moves.contains(&mv) && (mv.is_castle() || (!tip.answered && lifted.is_empty()));
        let same_touch = !self.has_stood(seen) || grown;
        tip.mv.is_some_and(|old| old != mv) && !pressed && same_touch
    }

    /// A piece stands where none did, and what else differs could be the rest of two moves.
    fn two_may_overlap(&self, seen: &Seen) -> bool {
        let wrong = self.mismatch(seen);
        (wrong & seen.occupied()).any() && (2..=6).contains(&wrong.count())
    }

    /// The clock was pressed on the last move, so long ago that all that belongs to the move has been seen.
    fn was_pressed(&self, now: Millis) -> bool {
        self.tip().is_closed(now)
    }

    /// Both players' pieces stand where they did not: two moves, of which the first was never seen alone.
    fn reply_overlaps(&self, seen: &Seen) -> bool {
        let position = &self.tip().position;
        let wrong = self.mismatch(seen);
        let landed = |color: Color| {
            wrong.into_iter().any(|square| match seen.at(square) {
                Sensed::Piece(Piece { color: seen, .. }) | Sensed::Side(seen) => seen == color,
                Sensed::Occupied => true,
                Sensed::Empty => false,
            })
        };
        wrong.count() >= 3
            && wrong.count() <= 8
            && landed(!position.turn())
            && (wrong & position.board().by_color(position.turn())).any()
    }

    /// Cuts the line after `base` plies and goes on with these moves. `rivals`: lines that explain as much.
    fn adopt(&mut self, now: Millis, base: usize, moves: &[Move], rivals: &[Vec<Move>], confidence: Confidence, seen: &Seen) {
        let lines = rivals.len() + 1;
        let share = |count: usize| Confidence((usize::from(confidence.0) * count / lines) as u16);
        if self.nodes.len() > base + 1 {
            self.reason = CorrectionReason::Evidence;
        }
        self.cut(base + 1);
        self.changes += 1;
        for (index, &mv) in moves.iter().enumerate() {
            self.extend(now, mv, seen);
            let mut others: Vec<(Move, usize)> = Vec::new();
            for &other in rivals.iter().filter_map(|line| line.get(index)).filter(|&&other| other != mv) {
                match others.iter_mut().find(|(known, _)| *known == other) {
                    Some((_, count)) => *count += 1,
                    None => others.push((other, 1)),
                }
            }
            others.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            let elsewhere: usize = others.iter().map(|&(_, count)| count).sum();
            let last = index + 1 == moves.len();
            if let Some(tip) = self.tip_mut() {
                tip.rivals = others.into_iter().map(|(other, count)| (other, share(count))).collect();
                // The last of two overlapping moves may still grow.
                if !last || confidence < sure::ANSWERED || elsewhere > 0 {
                    tip.decided = Some(share(lines - elsewhere));
                }
            }
        }
        self.at_tip = self.shows(self.tip(), seen);
    }

    fn extend(&mut self, now: Millis, mv: Move, seen: &Seen) {
        // A reply stands on it.
        if self.tip().decided.is_none() {
            self.decide_tip(sure::ANSWERED);
        }
        let mut node = self.tip().after(mv, now, seen.sensing(), self.next(0));
        if let Some((at, _)) = self.owed.take_if(|(_, by)| *by != node.position.turn())
            && now.saturating_sub(at) <= PRESS_OVERTAKES
        {
            node.pressed_at = Some(at);
        }
        let open = !node.growth.is_none();
        node.manner = self.manner(&node, seen);
        self.push(node);
        if !open && !self.may_be_in_hand(seen) {
            let to_centre = mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to());
            self.decide_tip(if to_centre { sure::KING_TO_CENTRE } else { sure::CLOSED });
        }
        self.at_tip = self.shows(self.tip(), seen);
    }

    fn push(&mut self, node: Node) {
        self.nodes.push(Arc::new(node));
        self.costs.push(Charge::default());
        self.ready.push(Arc::default());
        self.keep_ready();
        self.changes += 1;
        self.ghosts.clear();
        self.presses_unseen = 0;
    }

    /// Keeps so many nodes, at least the first.
    fn cut(&mut self, keep: usize) {
        while self.nodes.len() > keep.max(1) {
            self.nodes.pop();
            self.ready.pop();
            self.changes += 1;
        }
        let dropped: Cost = self.costs.drain(self.nodes.len()..).map(|charge| charge.trouble).sum();
        self.blame(dropped);
        self.keep_ready();
    }

    fn decide_tip(&mut self, confidence: Confidence) {
        if self.tip().decided.is_some() {
            return;
        }
        self.changes += 1;
        if let Some(tip) = self.tip_mut() {
            tip.decided = Some(confidence);
        }
    }

    fn tip_mut(&mut self) -> Option<&mut Node> {
        self.nodes.last_mut().map(Arc::make_mut)
    }

    /// The node so far back; 0: the tip.
    fn node(&self, back: usize) -> Option<&Node> {
        self.nodes.iter().rev().nth(back).map(Arc::as_ref)
    }

    /// What is kept ready of the node so far back; `None`: nothing is.
    fn next(&self, back: usize) -> Option<&Next> {
        let slot = self.ready.iter().rev().nth(back)?;
        let node = self.node(back)?;
        Some(slot.get_or_init(|| Next::of(node, self.sensing)))
    }

    /// The last few nodes are kept ready, and no others.
    fn keep_ready(&mut self) {
        let wanted = self.nodes.len().min(READY);
        while self.ready.len() > wanted {
            self.ready.remove(0);
        }
        while self.ready.len() < wanted {
            self.ready.insert(0, Arc::default());
        }
    }

    /// Whose piece was lifted, if one was; where the sensor cannot tell, the one that the line says stood there.
    fn lifted(&self, square: Square, before: Sensed, now: Sensed) -> Option<Color> {
        match (before, now) {
            (Sensed::Piece(Piece { color, .. }) | Sensed::Side(color), Sensed::Empty) => Some(color),
            (Sensed::Occupied, Sensed::Empty) => self.tip().position.board().color_at(square),
            _ => None,
        }
    }
}
