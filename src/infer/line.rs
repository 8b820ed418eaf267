//! One line of play: edges, quiet and presses in, moves out.

mod illegal;
mod stuck;

use super::explain::{Doubts, Explanation, explain, in_hand, landing};
use super::model::{self, Cost, LINE, OVERLAP, PRESS_OVERTAKES, REST_CASTLING, REST_DRAGGED, REST_TAKEBACK};
use super::model::{REST_TRACELESS, STOPS};
use super::{Growth, Next, Node, Seen, keys};
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::{Confidence, CorrectionReason};
use crate::laws::{CENTRE, Changes, Position};
use shakmaty::{Bitboard, Color, Move, Piece, Role, Square, attacks};
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
    /// Counts every change of the line.
    changes: u64,
    /// Lines that would explain what was seen, but less well than pieces in the players' hands: until play goes on from one.
    ghosts: Vec<Ghost>,
    /// So many ghosts are kept at most.
    most: usize,
    /// Presses since the last move was found, each of a move that was not seen.
    presses_unseen: usize,
    /// The last of them: when, and by whom.
    owed: Option<(Millis, Color)>,
    /// A clock is in use: presses were seen.
    clock: bool,
    /// What each node costs; those from here on are not counted yet.
    costs: Vec<Cost>,
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

/// A line that branches off after `base` plies.
#[derive(Clone, Debug)]
struct Ghost {
    base: usize,
    moves: Vec<Move>,
    /// Other lines that lead to the same, as well.
    rivals: Vec<Vec<Move>>,
    tip: Node,
    next: Next,
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

/// A move that shows what is seen, but for pieces that the next player has lifted already.
#[derive(Clone, Copy, Debug)]
struct Match {
    mv: Move,
    lifted: Bitboard,
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
            changes: 0,
            ghosts: Vec::new(),
            most,
            presses_unseen: 0,
            owed: None,
            clock: false,
            costs: vec![0],
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

    /// The two squares of the centre on which the kings stand, White's first where the board can tell.
    pub fn kings_in_centre(&self, seen: &Seen) -> Option<[Square; 2]> {
        if seen.sensing() == Sensing::Identity {
            let hidden = self.hidden(seen);
            let [white, black] = [seen.king(Color::White, hidden)?, seen.king(Color::Black, hidden)?];
            return (CENTRE.contains(white) && CENTRE.contains(black)).then_some([white, black]);
        }
        let [kings, left, arrived] = self.kings_walk(seen);
        let stayed = kings & CENTRE & !left;
        let strange = self.mismatch(seen) & !left & !arrived;
        let told = left.count() + stayed.count() == 2 && arrived.count() + stayed.count() == 2 && left.any();
        let mut squares = (arrived | stayed).into_iter();
        (told && (strange & !CENTRE).is_empty()).then_some([squares.next()?, squares.next()?])
    }

    /// Both kings have left their squares, or one stays in the centre, and one of them came to the centre; where the other one
    /// should be, a piece stood before that was not seen to leave. The squares where kings have come.
    pub fn kings_unclear(&self, seen: &Seen) -> Option<Bitboard> {
        if seen.sensing() == Sensing::Identity {
            return None;
        }
        let [kings, left, arrived] = self.kings_walk(seen);
        let stayed = kings & CENTRE & !left;
        let covered = (CENTRE & seen.occupied() & !arrived & !stayed).any();
        let strange = self.mismatch(seen) & !left & !arrived & !CENTRE;
        let unclear = left.count() + stayed.count() == 2 && arrived.count() == 1 && stayed.is_empty() && covered;
        (unclear && strange.is_empty()).then_some(arrived)
    }

    /// A king stands in the centre and cannot be there by a move.
    pub fn king_strays(&self, seen: &Seen) -> bool {
        let wrong = self.mismatch(seen);
        if seen.sensing() == Sensing::Identity {
            let hidden = self.hidden(seen);
            let strays =
                |color| seen.king(color, hidden).is_some_and(|square| CENTRE.contains(square) && wrong.contains(square));
            return Color::ALL.into_iter().any(strays);
        }
        let [_, left, arrived] = self.kings_walk(seen);
        left.any() && (arrived & wrong).any()
    }

    /// Where the kings should stand; which of these squares are empty; in which squares of the centre something arrived.
    fn kings_walk(&self, seen: &Seen) -> [Bitboard; 3] {
        let tip = self.tip();
        let kings = tip.position.board().kings();
        let arrived = CENTRE & seen.occupied() & (self.mismatch(seen) | seen.changed_since(tip.made_at)) & !kings;
        [kings, kings & !seen.occupied(), arrived]
    }

    /// A square changed, in squares of play; `seen` shows it already. Lines that part from this one are added to `others`.
    pub fn edge(&mut self, now: Millis, square: Square, before: Sensed, seen: &Seen, others: &mut Vec<Line>) {
        self.left(now, square);
        if self.at_tip
            && let Some(touched) = self.lifted(square, before, seen.at(square))
            && touched == self.tip().position.turn()
            && !self.tip().growth.victims.contains(square)
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
            self.troubles += model::STILL_UNEXPLAINED;
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
                    self.troubles += model::NO_MOVE - model::OVERTAKEN;
                }
                self.troubles += model::OVERTAKEN;
                self.owed = Some((now, by));
                self.presses_unseen += 1;
            }
        }
    }

    /// Nothing changed since the last edge, for this long. `settle`: quiet that decides a move, in milliseconds. `search`:
    /// no other line explains what is seen.
    pub fn quiet(&mut self, now: Millis, settle: Millis, search: bool, seen: &Seen, others: &mut Vec<Line>) {
        // There is time now, and none at the next edge.
        self.next(0);
        let quiet = now.saturating_sub(seen.last_edge());
        let settle = settle + LINE;
        let waited = self.owed.is_some_and(|(at, _)| now.saturating_sub(at) >= model::SCANNED);
        if !self.at_tip && (quiet >= model::CARRIED || waited) {
            self.part(now, seen, others);
        }
        if quiet < settle {
            return;
        }
        if !search && self.unexplained(seen).any() {
            self.troubles += model::STILL_UNEXPLAINED;
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
            (node.left_at, node.pressed_at) = (old.left_at, old.pressed_at);
            nodes.push(Arc::new(node));
        }
        self.nodes = nodes;
        self.ready.iter_mut().for_each(|slot| *slot = Arc::default());
        self.ghosts.clear();
        self.changes += 1;
        self.compare(seen);
        Ok(())
    }

    /// Sees whether the board shows the last position, and concludes nothing from it.
    pub fn compare(&mut self, seen: &Seen) {
        self.at_tip = self.tip().key == seen.key();
    }

    /// The arbiter or the players take so many plies back.
    pub fn take_back(&mut self, plies: usize, reason: CorrectionReason, seen: &Seen) {
        self.cut(self.nodes.len() - plies.min(self.nodes.len() - 1));
        self.changes += 1;
        self.reason = reason;
        self.at_tip = self.shows(self.tip(), seen);
        self.ghosts.clear();
        self.owed = None;
    }

    /// What speaks against the line now: what its moves and troubles cost, and what is seen besides.
    pub fn cost(&self, now: Millis, seen: &Seen) -> Cost {
        self.past_cost() + self.pending(now, seen)
    }

    /// The same without what is seen besides, which may come right at the next edge.
    pub fn past_cost(&self) -> Cost {
        self.costs.iter().sum::<Cost>() + self.troubles
    }

    /// What each ply costs, the start first, as far as it was counted: 0 while there was no other line to compare with.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// What the squares cost that the line's last position does not explain.
    fn pending(&self, now: Millis, seen: &Seen) -> Cost {
        let wrong = self.mismatch(seen);
        let strays = (seen.changed_since(self.tip().made_at) & !wrong & !self.hidden(seen)).count() as u32;
        let strays = strays.min(model::STRAY_TOUCHES) as Cost * model::STRAY_TOUCH;
        if wrong.is_empty() {
            return strays;
        }
        let own = in_hand(&self.tip().position, seen, wrong);
        let taken = wrong & !own;
        let held = |square| model::held(now.saturating_sub(seen.changed_at(square)));
        let overtaken = match self.owed {
            Some((at, _)) if now.saturating_sub(at) >= model::SCANNED => model::NO_MOVE,
            None if self.absent_at_press(now, seen) => model::NO_MOVE,
            _ => 0,
        };
        let known = seen.sensing() != Sensing::Occupancy;
        // Where the pieces are known, what the opponent lifts is no sign that the mover has just begun.
        let lifted = if known && own.any() { own } else { wrong & !seen.occupied() };
        let base = strays + overtaken + lifted.into_iter().map(held).max().unwrap_or(0);
        if (wrong & seen.occupied()).any() || own.count() > 2 || taken.count() > 1 {
            return base + model::UNEXPLAINED + model::UNEXPLAINED_MORE * (wrong.count() as Cost - 1).min(6);
        }
        // What can still come of it: moves of a piece in hand, or captures of the piece that was taken off first.
        let of_hand = |mv: &Move| mv.from().is_some_and(|from| own.contains(from)) || (own.is_empty() && takes(*mv, taken));
        let going: u64 = self
            .next(0)
            .map_or(1, |next| next.costs(self.tip()).filter(|(mv, _)| of_hand(mv)).map(|(_, cost)| model::weight(cost)).sum());
        let victim = self.next(0).is_some_and(|next| next.all().any(|mv| of_hand(&mv) && takes(mv, taken)));
        let meddled = match own.any() && taken.any() && !victim {
            true if known && overtaken > 0 => model::UNEXPLAINED,
            true => model::WHILE_HELD,
            false => 0,
        };
        // Nobody lifts a piece when it is not his turn, but to adjust it, or because the game is over.
        let least = if own.is_empty() { model::OFF_TURN } else { model::UNEXPLAINED };
        let pair = if own.count() > 1 && !self.is_castling(own) { model::WHILE_HELD } else { 0 };
        base + model::cost_of(going, 1 << 32).min(least) + meddled + pair
    }

    /// Castling could still begin like this: king and rook in the air.
    fn is_castling(&self, own: Bitboard) -> bool {
        let castles = |mv: Move| matches!(mv, Move::Castle { king, rook } if own.contains(king) && own.contains(rook));
        self.next(0).is_some_and(|next| next.all().any(castles))
    }

    /// Both lines have come to the same position in as many moves: whatever follows fits both alike.
    pub fn is_told_by(&self, other: &Line) -> bool {
        let (one, two) = (self.tip(), other.tip());
        self.nodes.len() == other.nodes.len()
            && one.key == two.key
            && one.position.board() == two.position.board()
            && one.position.key() == two.position.key()
    }

    /// There is no other line left to compare with.
    pub fn forget_costs(&mut self) {
        self.costs.iter_mut().for_each(|cost| *cost = 0);
        self.troubles = 0;
    }

    /// Counts what the moves cost that were not counted yet; `false`: forgets to count them, there is nothing to compare with.
    pub fn charge(&mut self, count: bool, seen: &Seen) {
        while self.costs.len() < self.nodes.len() {
            let index = self.costs.len();
            let cost = if count { self.cost_of(index, seen) } else { 0 };
            self.costs.push(cost);
        }
    }

    fn cost_of(&self, index: usize, seen: &Seen) -> Cost {
        let (Some(before), Some(node)) = (self.nodes.get(index - 1), self.nodes.get(index)) else { return 0 };
        let Some(mv) = node.mv else { return 0 };
        let fresh;
        let next = match self.next(self.nodes.len() - index) {
            Some(next) => next,
            None => {
                fresh = Next::of(before, seen.sensing());
                &fresh
            }
        };
        let chosen = next.costs(before).find(|(other, _)| *other == mv).map_or(model::ILLEGAL, |(_, cost)| cost);
        let capture = match (mv.is_capture() && !mv.is_en_passant(), node.silent) {
            (true, true) => model::SILENT,
            (true, false) => model::SEEN,
            _ => 0,
        };
        // Squares that have nothing to do with the move, nor with the next player's hand.
        let mut own: Bitboard = Changes::of(before.position.turn(), mv).iter().map(|(square, _)| square).collect();
        if let Move::Normal { from, to, .. } = mv {
            own |= attacks::between(from, to);
        }
        let in_hand = node.position.board().by_color(node.position.turn()) & !seen.occupied();
        let touched = seen.changed_since(before.made_at) & !own & !in_hand & !self.hidden(seen);
        let strays = touched.count() as u32;
        let early = if self.clock && index > 1 && before.pressed_at.is_none() { model::EARLY } else { 0 };
        let skipped = self.clock
            && index > 2
            && self.nodes[index - 2].pressed_at.is_none()
            && node.made_at.saturating_sub(self.nodes[index - 2].made_at) > model::PRESS_LATE;
        chosen
            + capture
            + strays.min(model::STRAY_TOUCHES) as Cost * model::STRAY_TOUCH
            + early
            + if skipped { model::UNPRESSED } else { 0 }
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

    /// The last move is new: what it costs has not been counted yet.
    pub fn is_new(&self) -> bool {
        self.costs.len() < self.nodes.len()
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

    /// Quiet, and the board shows neither the last position nor one move from it.
    fn recover(&mut self, now: Millis, quiet: Millis, seen: &Seen) {
        /// Moves missed altogether, or a last move that was only a stop on the way.
        const SOON: [(usize, u32); 4] = [(0, 2), (1, 1), (1, 2), (0, 3)];
        /// The last moves were others, and longer gaps.
        const LATE: [(usize, u32); 7] = [(0, 2), (0, 3), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3)];
        let only_lifted = (self.mismatch(seen) & seen.occupied()).is_empty();
        if seen.sensing() == Sensing::Occupancy && only_lifted && quiet < REST_TRACELESS {
            return;
        }
        if self.take_best(now, self.overlaps(seen), sure::RECONSTRUCTED, seen) || self.take_ghost(now, seen) {
            return;
        }
        self.find_takeback(quiet, seen);
        if self.mismatch(seen).is_empty() {
            return;
        }
        if quiet >= REST_TRACELESS {
            self.take_best(now, &LATE, sure::RECONSTRUCTED, seen);
        } else if quiet < REST_TAKEBACK && self.mismatch(seen).count() >= 4 && !only_lifted {
            self.take_best(now, &[(0, 3)], sure::RECONSTRUCTED, seen);
        } else if quiet >= REST_TAKEBACK && !only_lifted {
            let tries: &[(usize, u32)] = if self.has_stood(seen) { &[(0, 2), (0, 3)] } else { &SOON };
            self.take_best(now, tries, sure::RECONSTRUCTED, seen);
        }
    }

    /// A position of the past stands on the board again, or one move from it.
    fn find_takeback(&mut self, quiet: Millis, seen: &Seen) {
        if quiet < REST_TAKEBACK {
            return;
        }
        if let Some(index) = self.nodes.iter().rposition(|node| self.shows(node, seen)) {
            self.take_back(self.nodes.len() - 1 - index, CorrectionReason::Takeback, seen);
        }
    }

    /// Drops plies from the end and adds others, as the first of `tries` (dropped, added) says that explains what is seen.
    fn take_best(&mut self, now: Millis, tries: &[(usize, u32)], confidence: Confidence, seen: &Seen) -> bool {
        for &(dropped, added) in tries {
            let Some(base) = self.nodes.len().checked_sub(1 + dropped) else { continue };
            if self.nodes[base + 1..].iter().any(|node| node.is_closed(now)) {
                continue;
            }
            let since = self.nodes.get(base + 1).map_or(self.tip().made_at, |first| first.made_at);
            let found = explain(&self.nodes[base].position, seen, self.hidden(seen), added, since);
            let Some(best) = found.first() else { continue };
            let equal = found.iter().skip(1).take_while(|other| other.doubts == best.doubts);
            let mut rivals: Vec<Vec<Move>> = equal.map(|other| other.moves.clone()).collect();
            if best.doubts.traceless > 0 && rivals.len() > 1 && self.presses_unseen < best.moves.len() {
                continue; // One of several that nothing was seen of: that is no explanation.
            }
            if !self.is_believed(now, best, seen) {
                if best.doubts.disordered == 0 {
                    self.keep_ghost(now, base, &best.moves.clone(), rivals, false, seen);
                }
                continue;
            }
            if dropped > 0 {
                self.reason = CorrectionReason::Evidence;
            }
            if dropped > 1 {
                // Moves that were seen and answered are given up: what was lost since may explain as much.
                rivals.push(self.nodes[base + 1..].iter().filter_map(|node| node.mv).collect());
            }
            self.adopt(now, base, &best.moves, &rivals, confidence, seen);
            return true;
        }
        false
    }

    /// Whether a line may be taken for what happened. Pieces in the hands are the likelier story where a move left no trace,
    /// until the clock says that moves were made, or nothing happens for long.
    fn is_believed(&self, now: Millis, line: &Explanation, seen: &Seen) -> bool {
        let quiet = now.saturating_sub(seen.last_edge());
        let Doubts { skipped, traceless, unseen, disordered, .. } = line.doubts;
        let told = quiet > 0 && self.presses_unseen >= line.moves.len();
        (skipped == 0 || told)
            && (traceless == 0 || quiet >= REST_TRACELESS || told)
            && (unseen == 0 || quiet > 0)
            && (disordered == 0 || quiet >= REST_TRACELESS)
    }

    fn keep_ghost(&mut self, now: Millis, base: usize, moves: &[Move], rivals: Vec<Vec<Move>>, whole: bool, seen: &Seen) {
        if seen.sensing() == Sensing::Occupancy {
            return; // Too much would explain too little.
        }
        if self.ghosts.len() + 1 >= self.most || self.ghosts.iter().any(|ghost| ghost.base == base && ghost.moves == moves) {
            return;
        }
        let sensing = seen.sensing();
        let mut tip = Node::clone(&self.nodes[base]);
        for &mv in moves {
            tip = tip.after(mv, now, sensing, None);
        }
        let next = Next::of(&tip, sensing);
        self.ghosts.push(Ghost { base, moves: moves.to_vec(), rivals, tip, next, seen: whole });
    }

    /// Takes the ghost from which at most two more plies lead to what is seen; at least one where the ghost's own moves left no
    /// trace.
    fn take_ghost(&mut self, now: Millis, seen: &Seen) -> bool {
        for depth in 0..=2 {
            let found = self.ghosts.iter().filter(|ghost| ghost.seen || depth > 0).find_map(|ghost| {
                let found = explain(&ghost.tip.position, seen, self.hidden(seen), depth, ghost.tip.made_at);
                let best = found.first().filter(|best| self.is_believed(now, best, seen))?;
                Some((ghost.base, ghost.then(&best.moves)))
            });
            if let Some((base, (moves, rivals))) = found {
                self.adopt(now, base, &moves, &rivals, sure::RECONSTRUCTED, seen);
                return true;
            }
        }
        false
    }

    /// Cuts the line after `base` plies and goes on with these moves. `rivals`: lines that explain as much.
    fn adopt(&mut self, now: Millis, base: usize, moves: &[Move], rivals: &[Vec<Move>], confidence: Confidence, seen: &Seen) {
        let lines = rivals.len() + 1;
        let share = |count: usize| Confidence((usize::from(confidence.0) * count / lines) as u16);
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
        self.push(node);
        if !open {
            let to_centre = mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to());
            self.decide_tip(if to_centre { sure::KING_TO_CENTRE } else { sure::CLOSED });
        }
        self.at_tip = self.shows(self.tip(), seen);
    }

    fn push(&mut self, node: Node) {
        self.nodes.push(Arc::new(node));
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
        self.costs.truncate(self.nodes.len());
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

/// The move takes what stood on one of these squares.
fn takes(mv: Move, squares: Bitboard) -> bool {
    match mv {
        Move::EnPassant { from, to } => squares.contains(Square::from_coords(to.file(), from.rank())),
        _ => mv.is_capture() && squares.contains(mv.to()),
    }
}

/// The moves from a node that show what is seen, but for pieces that the next player has lifted already; likeliest first as
/// far as the board tells. That he lifted them before the mover's piece stood is no sign that it will stay there.
fn matches(node: &Node, next: &Next, seen: &Seen, hidden: Bitboard, take: bool, not: impl Fn(Move) -> bool) -> Vec<Match> {
    let key = seen.key_without(hidden);
    let showing = |key: u64| match hidden.is_empty() {
        true => next.showing(key).collect(),
        false => next.showing_but(node, key, hidden, seen.sensing()),
    };
    let found: Vec<Match> =
        showing(key).into_iter().filter(|&mv| !not(mv)).map(|mv| Match { mv, lifted: Bitboard::EMPTY }).collect();
    if !found.is_empty() {
        return found;
    }
    // Pieces of the player who moves next, lifted before the mover's piece was seen to land, and one that he is about to take.
    let board = node.position.board();
    let (mover, replier) = (node.position.turn(), !node.position.turn());
    let just_now = |square: &Square| seen.last_edge().saturating_sub(seen.changed_at(*square)) <= OVERLAP;
    let missing = board.occupied() & !seen.occupied() & !hidden;
    let lifted = missing & board.by_color(replier);
    if missing.count() > 4 || lifted.count() > 2 || !lifted.into_iter().all(|square| just_now(&square)) {
        return Vec::new();
    }
    let singles: Vec<Bitboard> = lifted.into_iter().map(Bitboard::from_square).collect();
    let pair = (lifted.count() > 1).then_some(lifted);
    let replies: Vec<Bitboard> = singles.iter().copied().chain(pair).collect();
    let victims = (missing & board.by_color(mover) & !board.kings()).into_iter().filter(just_now);
    let taken = victims.filter(|&victim| take && board.attacks_to(victim, replier, seen.occupied()).any());
    let with_taken: Vec<Bitboard> = taken
        .flat_map(|victim| {
            let victim = Bitboard::from_square(victim);
            std::iter::once(victim).chain(singles.iter().map(move |single| *single | victim))
        })
        .collect();
    let show = |squares: Bitboard| {
        let key =
            squares.into_iter().fold(key, |key, square| key ^ keys::piece(square, board.piece_at(square), seen.sensing()));
        showing(key).into_iter().map(move |mv| Match { mv, lifted: squares })
    };
    let fits = |found: &Match| !found.lifted.contains(landing(found.mv)) && !not(found.mv) && mv_keeps(found.mv, found.lifted);
    let found: Vec<Match> = replies.into_iter().flat_map(show).filter(fits).collect();
    if !found.is_empty() { found } else { with_taken.into_iter().flat_map(show).filter(fits).collect() }
}

/// None of these squares is one that the move itself empties.
fn mv_keeps(mv: Move, squares: Bitboard) -> bool {
    mv.from().is_none_or(|from| !squares.contains(from))
}
