//! One line of play: edges, quiet and presses in, moves out.

mod cost;
mod grow;
mod illegal;
mod kings;
mod look;
mod matches;
mod retold;
mod search;
mod stuck;
mod wide;

pub use cost::Charge;
use matches::matches;
use search::Ghost;

use super::explain::{explain, in_hand, landing};
use super::model::{self, Cost, LINE, REST_CASTLING, REST_DRAGGED};
use super::{Growth, Known, Next, Node, Seen};
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::{Confidence, CorrectionReason};
use crate::laws::Position;
use shakmaty::{Bitboard, Color, Move, Piece, Square};
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

    /// Goes on with a ply that was published before.
    pub fn resume(&mut self, now: Millis, known: &Known, seen: &Seen) {
        let Known { mv, pressed_at, found } = known;
        match found {
            Some(found) => return self.extend_missing(now, *mv, found.clone(), seen),
            None if self.tip().position.is_legal(*mv) => self.extend(now, *mv, seen),
            None => self.extend_illegal(now, *mv, None, seen),
        }
        self.decide_tip(Confidence::CERTAIN);
        self.clock |= pressed_at.is_some();
        if let Some(node) = self.tip_mut() {
            node.pressed_at = *pressed_at;
        }
    }

    /// The same with a ply of which somebody says that it was this one and no other.
    pub fn put(&mut self, now: Millis, known: &Known, seen: &Seen) {
        self.resume(now, known, seen);
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
        self.compare_with_illegal(seen);
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

    /// Whose piece was lifted, if one was; where the sensor cannot tell, the one that the line says stood there.
    fn lifted(&self, square: Square, before: Sensed, now: Sensed) -> Option<Color> {
        match (before, now) {
            (Sensed::Piece(Piece { color, .. }) | Sensed::Side(color), Sensed::Empty) => Some(color),
            (Sensed::Occupied, Sensed::Empty) => self.tip().position.board().color_at(square),
            _ => None,
        }
    }
}
