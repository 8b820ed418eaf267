//! Follows one game: edges, quiet and presses in, a line of play out.

use super::explain::{Doubts, Explanation, OVERLAP, explain, in_hand, landing};
use super::{Growth, Node, Seen};
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::{Confidence, CorrectionReason};
use crate::laws::{CENTRE, Position};
use shakmaty::{Bitboard, Color, Move, Piece, Role, Square};

/// Quiet after which a position of the past that stands again is a takeback, in milliseconds. Longer than a piece is put
/// back to be taken up again at once; players' own words for "taken back" are slower.
pub const REST_TAKEBACK: Millis = 1_000;

/// How long a move that could still become castling waits, in milliseconds: the other hand may be slow, and a rook's move
/// on a castling wing is rare.
const REST_CASTLING: Millis = 1_500;

/// How long a piece must rest that is being dragged from square to square, in milliseconds: the move Ra1-f1 of a real board
/// stops on d1 and, up to a second, on e1.
const REST_DRAGGED: Millis = 1_000;

/// Quiet before a line is believed that leaves no trace on one of its squares, in milliseconds: pieces in the hand are by
/// far the likelier story.
const REST_TRACELESS: Millis = 3_000;

/// What the line adds to the settle time, in milliseconds: an update takes 5 ms at 9600 baud, and a few can queue. Without it
/// a settle time of one scan of the board would end just when the next scan's news arrive.
pub const LINE: Millis = 25;

/// The longest that hands stop on the way, in milliseconds: 80–600 ms were seen.
const STOPS: Millis = 700;

/// How long after the press a move may still turn out to have gone on, in milliseconds: squares are read one by one, up to
/// 250 ms late, and the press can overtake them (protocols: a full scan takes 200–250 ms), twice over for safety.
const PRESS_OVERTAKES: Millis = 600;

/// Moves with this many positions kept ready: the last ones of the line.
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
    pub const RECONSTRUCTED: Confidence = Confidence(970);
}

/// The line of play that explains best what a board shows, and what the board shows.
#[derive(Clone, Debug)]
pub struct Follower {
    seen: Seen,
    line: Vec<Node>,
    /// The board shows exactly the last node.
    at_tip: bool,
    last_edge: Millis,
    reason: CorrectionReason,
    /// Counts every change of the line.
    changes: u64,
    /// Lines that would explain what was seen, but less well than pieces in the players' hands: until play goes on from one.
    ghosts: Vec<Ghost>,
    /// So many lines are followed at most, the main one included.
    lines: usize,
    /// Presses since the last move was found, each of a move that was not seen.
    presses_unseen: usize,
}

/// A line that branches off after `base` plies.
#[derive(Clone, Debug)]
struct Ghost {
    base: usize,
    moves: Vec<Move>,
    /// Other lines that lead to the same, as well.
    rivals: Vec<Vec<Move>>,
    tip: Node,
    /// Every move of it was seen; what speaks against it is only that a hand may still be on its way.
    seen: bool,
}

impl Ghost {
    /// The line with these moves after it, and its rivals likewise.
    fn then(&self, more: &[Move]) -> (Vec<Move>, Vec<Vec<Move>>) {
        let longer = |line: &Vec<Move>| [line.as_slice(), more].concat();
        (longer(&self.moves), self.rivals.iter().map(longer).collect())
    }
}

impl Follower {
    /// A game that begins here, on a board that shows this. `lines`: so many lines of play are followed at most.
    pub fn new(now: Millis, start: Position, seen: Seen, lines: usize) -> Follower {
        let mut start = Node::start(start, seen.sensing());
        start.prepare(seen.sensing());
        let at_tip = start.key == seen.key();
        Follower {
            seen,
            line: vec![start],
            at_tip,
            last_edge: now,
            reason: CorrectionReason::Evidence,
            changes: 0,
            ghosts: Vec::new(),
            lines,
            presses_unseen: 0,
        }
    }

    /// The same with moves played already, all of them published, each with the time when the clock was pressed on it.
    pub fn resume(now: Millis, start: Position, moves: &[(Move, Option<Millis>)], seen: Seen, lines: usize) -> Follower {
        let mut follower = Follower::new(now, start, seen, lines);
        for &(mv, pressed) in moves {
            follower.extend(now, mv);
            follower.decide_tip(Confidence::CERTAIN);
            if let Some(node) = follower.line.last_mut() {
                node.pressed_at = pressed;
            }
        }
        follower
    }

    /// What the squares show.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// When a square last changed.
    pub fn last_edge(&self) -> Millis {
        self.last_edge
    }

    /// The line of play; the first node is the start, without a move.
    pub fn line(&self) -> &[Node] {
        &self.line
    }

    /// Where play has come to.
    pub fn tip(&self) -> &Node {
        // The start node is never taken away.
        &self.line[self.line.len() - 1]
    }

    /// How many plies of the line are decided, from the start.
    pub fn decided(&self) -> usize {
        if self.tip().decided.is_some() { self.line.len() - 1 } else { self.line.len() - 2 }
    }

    /// Counts up with every change of the line or of what is decided: while it stands, there is nothing to publish.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Why the line last changed its past.
    pub fn reason(&self) -> CorrectionReason {
        self.reason
    }

    /// The squares that do not show what the line's last position says.
    pub fn mismatch(&self) -> Bitboard {
        self.seen.mismatch(self.tip().position.board())
    }

    /// Of those, the squares that no pieces in the hands of the side to move explain: up to two of its own, and one it takes.
    pub fn unexplained(&self) -> Bitboard {
        let wrong = self.mismatch();
        let own = in_hand(&self.tip().position, &self.seen, wrong);
        let taken = wrong & !own;
        let in_hands = (wrong & self.seen.occupied()).is_empty() && own.count() <= 2 && taken.count() <= own.count().min(1);
        if in_hands { Bitboard::EMPTY } else { wrong }
    }

    /// A square changed, in squares of play.
    pub fn edge(&mut self, now: Millis, square: Square, sensed: Sensed) {
        let before = self.seen.at(square);
        self.change(now, square, sensed);
        if self.at_tip
            && let Some(touched) = lifted(before, sensed)
            && touched == Some(self.tip().position.turn())
            && !self.tip().growth.victims.contains(square)
        {
            self.decide_tip(sure::ANSWERED);
            if let Some(tip) = self.line.last_mut() {
                tip.answered = true;
            }
        }
        self.look(now);
    }

    /// Squares that changed nobody knows in which order: a whole reading after some were missed, or after a link was lost.
    pub fn edges(&mut self, now: Millis, changed: impl IntoIterator<Item = (Square, Sensed)>) {
        for (square, sensed) in changed {
            self.seen.find(now, square, sensed);
            self.change(now, square, sensed);
        }
        let plies = self.line.len();
        self.look(now);
        if self.line.len() > plies {
            self.reorder(now);
        }
    }

    /// The last move was found on the board and not seen to be made: it may have been made before others that were.
    fn reorder(&mut self, now: Millis) {
        let Some(mv) = self.tip().mv.filter(|&mv| self.seen.was_found(landing(mv))) else { return };
        let Some(base) = self.line.len().checked_sub(1 + 3) else { return };
        let played: Vec<Move> = self.line[base + 1..].iter().filter_map(|node| node.mv).collect();
        let found = explain(&self.line[base].position, &self.seen, 3, self.line[base + 1].made_at.saturating_sub(1));
        let Some(current) = found.iter().find(|line| line.moves == played).map(|line| line.doubts) else { return };
        if let Some(best) = found.first().filter(|best| best.doubts < current && best.moves.contains(&mv)) {
            self.reason = CorrectionReason::Evidence;
            self.adopt(now, base, &best.moves.clone(), &[], sure::RECONSTRUCTED);
        }
    }

    fn change(&mut self, now: Millis, square: Square, sensed: Sensed) {
        self.seen.set(now, square, sensed);
        self.last_edge = now;
        if let Some(tip) = self.line.last_mut()
            && tip.mv.is_some_and(|mv| landing(mv) == square)
        {
            tip.left_at.get_or_insert(now);
        }
    }

    /// The clock was pressed by this player.
    pub fn pressed(&mut self, now: Millis, by: Color) {
        match self.line.iter_mut().rev().find(|node| node.mv.is_some() && node.position.turn() != by) {
            Some(node) if node.pressed_at.is_none() => node.pressed_at = Some(now),
            _ => self.presses_unseen += 1,
        }
    }

    /// Nothing changed since `last_edge`, for this long. `settle`: quiet that decides a move, in milliseconds.
    pub fn quiet(&mut self, now: Millis, settle: Millis) {
        let quiet = now.saturating_sub(self.last_edge);
        let settle = settle + LINE;
        if quiet < settle {
            return;
        }
        if !self.at_tip && !self.mismatch().is_empty() {
            self.recover(now, quiet);
        }
        let tip = self.tip();
        let needed = match tip {
            Node { growth: Growth { castling: true, .. }, .. } => REST_CASTLING,
            Node { dragged: true, .. } => REST_DRAGGED,
            _ => settle,
        };
        let stands = tip.mv.is_some_and(|mv| !self.mismatch().contains(landing(mv)));
        if tip.decided.is_none() && stands && quiet >= needed && self.unexplained().is_empty() {
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

    /// What looked like king's moves was a result signal: the last moves of kings to the centre never were. Returns how many
    /// plies were dropped.
    pub fn withdraw_king_moves(&mut self, keep: impl Fn(usize, &Node) -> bool) -> usize {
        let before = self.line.len();
        while let Some(node) = self.line.last()
            && let Some(mv) = node.mv
            && mv.role() == Role::King
            && CENTRE.contains(mv.to())
            && !keep(self.line.len() - 1, node)
        {
            let instead_of = node.instead_of;
            let made_at = node.made_at;
            self.pop();
            self.reason = CorrectionReason::KingSignal;
            if let Some(mv) = instead_of {
                self.extend(made_at, mv);
                self.decide_tip(sure::ANSWERED);
                break;
            }
        }
        let dropped = before - self.line.len();
        if dropped > 0 {
            self.ready();
        }
        dropped
    }

    /// The arbiter or the players take so many plies back.
    pub fn take_back(&mut self, plies: usize, reason: CorrectionReason) {
        let kept = self.line.len() - plies.min(self.line.len() - 1);
        self.line.truncate(kept);
        self.changes += 1;
        self.reason = reason;
        self.ready();
        self.at_tip = self.tip().key == self.seen.key();
        self.ghosts.clear();
    }

    /// Looks whether the board shows a move, or another one than the last.
    fn look(&mut self, now: Millis) {
        self.at_tip = self.tip().key == self.seen.key();
        if self.at_tip {
            self.ghosts.clear();
            return;
        }
        let next = self.move_from(self.tip());
        if let Some((mv, lifted)) = next
            && (lifted & self.passing()).any()
        {
            self.keep_ghost(now, self.line.len() - 1, &[mv], Vec::new(), true);
        }
        if let Some((mv, lifted)) = next
            && (lifted & self.passing()).is_empty()
        {
            self.extend(now, mv);
        } else if let Some((mv, lifted)) = self.line.iter().rev().nth(1).and_then(|parent| self.move_from(parent))
            && self.may_become(mv, lifted)
        {
            let old = self.tip();
            let instead_of = old.decided.and(old.mv).or(old.instead_of);
            let dragged = old.mv.is_some_and(|stop| stop.from() == mv.from() && stop.to().distance(mv.to()) == 1);
            self.pop();
            self.reason = CorrectionReason::Evidence;
            self.extend(now, mv);
            if let Some(tip) = self.line.last_mut() {
                (tip.dragged, tip.instead_of) = (dragged, instead_of);
            }
        } else if let Some((ghost, mv)) =
            self.ghosts.iter().find_map(|ghost| self.move_from(&ghost.tip).map(|(mv, _)| (ghost.clone(), mv)))
        {
            let (moves, rivals) = ghost.then(&[mv]);
            self.adopt(now, ghost.base, &moves, &rivals, sure::RECONSTRUCTED);
        } else if self.reply_overlaps() {
            self.take_best(now, self.overlaps(), sure::ANSWERED);
        }
    }

    /// Two moves of which the first was never seen alone. A stop on the way that was left again is likelier to have been just
    /// that: then the last move is one of the two.
    fn overlaps(&self) -> &'static [(usize, u32)] {
        if self.passing().any() { &[(1, 2), (0, 2)] } else { &[(0, 2)] }
    }

    /// The square that the last move's piece left again before its hand can have let go of it; none if it stands.
    fn passing(&self) -> Bitboard {
        let to = self.tip().mv.map_or(Bitboard::EMPTY, |mv| Bitboard::from_square(mv.to()));
        if self.has_stood() { Bitboard::EMPTY } else { to & !self.seen.occupied() }
    }

    /// The last move's piece stood so long that its hand had let go of it.
    fn has_stood(&self) -> bool {
        let tip = self.tip();
        tip.growth.is_none() || tip.left_at.unwrap_or(self.last_edge).saturating_sub(tip.made_at) > STOPS
    }

    /// The move from a node of the line that shows what is seen, but for pieces that the next player has lifted already. That
    /// he did so before the mover's piece stood is no sign that it will stay there.
    fn move_from(&self, node: &Node) -> Option<(Move, Bitboard)> {
        let key = self.seen.key();
        if let Some(mv) = node.moves_showing(key).next() {
            return Some((mv, Bitboard::EMPTY));
        }
        // Pieces of the player who moves next, lifted before the mover's piece was seen to land.
        let board = node.position.board();
        let lifted = board.by_color(!node.position.turn()) & !self.seen.occupied();
        let just_now = |square| self.last_edge.saturating_sub(self.seen.changed_at(square)) <= OVERLAP;
        if lifted.count() > 2 || !lifted.into_iter().all(just_now) {
            return None;
        }
        let with = |squares: Bitboard| {
            let key = squares
                .into_iter()
                .fold(key, |key, square| key ^ super::keys::piece(square, board.piece_at(square), self.seen.sensing()));
            node.moves_showing(key).next().map(|mv| (mv, squares))
        };
        lifted.into_iter().map(Bitboard::from_square).chain([lifted]).filter(|squares| squares.any()).find_map(with)
    }

    /// Whether the last move may turn out to be this one at once. Not once the clock was pressed on it a while ago, and if its
    /// piece stood, not when the opponent answered or holds a piece (then it is a move of its own, begun early), nor when it
    /// did not grow out of the same touch: such things wait until the board is quiet.
    fn may_become(&self, mv: Move, lifted: Bitboard) -> bool {
        let tip = self.tip();
        let pressed = tip.pressed_at.is_some_and(|pressed| self.last_edge.saturating_sub(pressed) > PRESS_OVERTAKES);
        let grown = tip.growth.moves.contains(&mv) && (mv.is_castle() || (!tip.answered && lifted.is_empty()));
        let same_touch = !self.has_stood() || grown;
        tip.mv.is_some_and(|old| old != mv) && !pressed && same_touch
    }

    /// Both players' pieces stand where they did not: two moves, of which the first was never seen alone.
    fn reply_overlaps(&self) -> bool {
        let position = &self.tip().position;
        let wrong = self.mismatch();
        let landed = |color: Color| {
            wrong
                .into_iter()
                .any(|square| matches!(self.seen.at(square), Sensed::Piece(Piece { color: seen, .. }) if seen == color))
        };
        wrong.count() >= 3
            && wrong.count() <= 8
            && landed(!position.turn())
            && (wrong & position.board().by_color(position.turn())).any()
    }

    /// Quiet, and the board shows neither the last position nor one move from it.
    fn recover(&mut self, now: Millis, quiet: Millis) {
        /// Moves missed altogether, or a last move that was only a stop on the way.
        const SOON: [(usize, u32); 4] = [(0, 2), (1, 1), (1, 2), (0, 3)];
        /// The last moves were others, and longer gaps.
        const LATE: [(usize, u32); 7] = [(0, 2), (0, 3), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3)];
        let only_lifted = (self.mismatch() & self.seen.occupied()).is_empty();
        if self.take_best(now, self.overlaps(), sure::RECONSTRUCTED) || self.take_ghost(now) {
            return;
        }
        self.find_takeback(quiet);
        if self.mismatch().is_empty() {
            return;
        }
        if quiet >= REST_TRACELESS {
            self.take_best(now, &LATE, sure::RECONSTRUCTED);
        } else if quiet >= REST_TAKEBACK && !only_lifted {
            let tries: &[(usize, u32)] = if self.has_stood() { &[(0, 2), (0, 3)] } else { &SOON };
            self.take_best(now, tries, sure::RECONSTRUCTED);
        }
    }

    /// A position of the past stands on the board again, or one move from it.
    fn find_takeback(&mut self, quiet: Millis) {
        if quiet < REST_TAKEBACK {
            return;
        }
        let key = self.seen.key();
        if let Some(index) = self.line.iter().rposition(|node| node.key == key) {
            self.take_back(self.line.len() - 1 - index, CorrectionReason::Takeback);
        }
    }

    /// Drops plies from the end and adds others, as the first of `tries` (dropped, added) says that explains what is seen.
    fn take_best(&mut self, now: Millis, tries: &[(usize, u32)], confidence: Confidence) -> bool {
        for &(dropped, added) in tries {
            let Some(base) = self.line.len().checked_sub(1 + dropped) else { continue };
            if self.line[base + 1..]
                .iter()
                .any(|node| node.pressed_at.is_some_and(|at| now.saturating_sub(at) > PRESS_OVERTAKES))
            {
                continue;
            }
            let since = self.line.get(base + 1).map_or(self.tip().made_at, |first| first.made_at);
            let found = explain(&self.line[base].position, &self.seen, added, since);
            let Some(best) = found.first() else { continue };
            let equal = found.iter().skip(1).take_while(|other| other.doubts == best.doubts);
            let rivals: Vec<Vec<Move>> = equal.map(|other| other.moves.clone()).collect();
            if best.doubts.traceless > 0 && rivals.len() > 1 && self.presses_unseen < best.moves.len() {
                continue; // One of several that nothing was seen of: that is no explanation.
            }
            if !self.is_believed(now, best) {
                if best.doubts.disordered == 0 {
                    self.keep_ghost(now, base, &best.moves.clone(), rivals, false);
                }
                continue;
            }
            let mut rivals = rivals;
            if dropped > 0 {
                self.reason = CorrectionReason::Evidence;
            }
            if dropped > 1 {
                // Moves that were seen and answered are given up: what was lost since may explain as much.
                rivals.push(self.line[base + 1..].iter().filter_map(|node| node.mv).collect());
            }
            self.adopt(now, base, &best.moves, &rivals, confidence);
            return true;
        }
        false
    }

    /// Whether a line may be taken for what happened. Pieces in the hands are the likelier story where a move left no trace,
    /// until the clock says that moves were made, or nothing happens for long.
    fn is_believed(&self, now: Millis, line: &Explanation) -> bool {
        let quiet = now.saturating_sub(self.last_edge);
        let Doubts { skipped, traceless, unseen, disordered, .. } = line.doubts;
        let told = quiet > 0 && self.presses_unseen >= line.moves.len();
        (skipped == 0 || told)
            && (traceless == 0 || quiet >= REST_TRACELESS || told)
            && (unseen == 0 || quiet > 0)
            && (disordered == 0 || quiet >= REST_TRACELESS)
    }

    fn keep_ghost(&mut self, now: Millis, base: usize, moves: &[Move], rivals: Vec<Vec<Move>>, seen: bool) {
        if self.ghosts.len() + 1 >= self.lines || self.ghosts.iter().any(|ghost| ghost.base == base && ghost.moves == moves) {
            return;
        }
        let sensing = self.seen.sensing();
        let mut tip = self.line[base].clone();
        for &mv in moves {
            tip = tip.after(mv, now, sensing);
        }
        tip.prepare(sensing);
        self.ghosts.push(Ghost { base, moves: moves.to_vec(), rivals, tip, seen });
    }

    /// Takes the ghost from which at most two more plies lead to what is seen; at least one where the ghost's own moves left no
    /// trace.
    fn take_ghost(&mut self, now: Millis) -> bool {
        for depth in 0..=2 {
            let found = self.ghosts.iter().filter(|ghost| ghost.seen || depth > 0).find_map(|ghost| {
                let found = explain(&ghost.tip.position, &self.seen, depth, ghost.tip.made_at);
                let best = found.first().filter(|best| self.is_believed(now, best))?;
                Some((ghost.base, ghost.then(&best.moves)))
            });
            if let Some((base, (moves, rivals))) = found {
                self.adopt(now, base, &moves, &rivals, sure::RECONSTRUCTED);
                return true;
            }
        }
        false
    }

    /// Cuts the line after `base` plies and goes on with these moves. `rivals`: lines that explain as much.
    fn adopt(&mut self, now: Millis, base: usize, moves: &[Move], rivals: &[Vec<Move>], confidence: Confidence) {
        let lines = rivals.len() + 1;
        let share = |count: usize| Confidence((usize::from(confidence.0) * count / lines) as u16);
        self.line.truncate(base + 1);
        self.changes += 1;
        for (index, &mv) in moves.iter().enumerate() {
            self.extend(now, mv);
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
            if let Some(tip) = self.line.last_mut() {
                tip.rivals = others.into_iter().map(|(other, count)| (other, share(count))).collect();
                // The last of two overlapping moves may still grow.
                if !last || confidence < sure::ANSWERED || elsewhere > 0 {
                    tip.decided = Some(share(lines - elsewhere));
                }
            }
        }
        self.at_tip = self.tip().key == self.seen.key();
    }

    fn extend(&mut self, now: Millis, mv: Move) {
        // A reply stands on it.
        if self.tip().decided.is_none() {
            self.decide_tip(sure::ANSWERED);
        }
        let node = self.tip().after(mv, now, self.seen.sensing());
        let open = !node.growth.is_none();
        self.line.push(node);
        self.changes += 1;
        self.ghosts.clear();
        self.presses_unseen = 0;
        if !open {
            let to_centre = mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to());
            self.decide_tip(if to_centre { sure::KING_TO_CENTRE } else { sure::CLOSED });
        }
        self.ready();
        self.at_tip = self.tip().key == self.seen.key();
    }

    fn pop(&mut self) {
        if self.line.len() > 1 {
            self.line.pop();
            self.changes += 1;
        }
    }

    fn decide_tip(&mut self, confidence: Confidence) {
        if let Some(tip) = self.line.last_mut() {
            tip.decided.get_or_insert(confidence);
            self.changes += 1;
        }
    }

    /// Keeps the last few nodes ready to recognise moves, and no others.
    fn ready(&mut self) {
        let sensing: Sensing = self.seen.sensing();
        let first = self.line.len().saturating_sub(READY);
        for node in &mut self.line[first..] {
            node.prepare(sensing);
        }
        if let Some(index) = first.checked_sub(1)
            && let Some(node) = self.line.get_mut(index)
        {
            node.rest();
        }
    }
}

/// Whose piece was lifted, if one was; the inner `None`: the sensor cannot tell whose.
fn lifted(before: Sensed, now: Sensed) -> Option<Option<Color>> {
    match (before, now) {
        (Sensed::Piece(Piece { color, .. }) | Sensed::Side(color), Sensed::Empty) => Some(Some(color)),
        (Sensed::Occupied, Sensed::Empty) => Some(None),
        _ => None,
    }
}
