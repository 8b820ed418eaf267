//! Irregularities committed: how, and what happens after.

use crate::boards::Millis;
use crate::laws::{Changes, Move, Position};
use crate::simulate::hands::{Rate, Span};
use crate::simulate::irregularity::{Irregularity, Kind};
use crate::simulate::rng::Rng;
use crate::simulate::script::{Act, Writer, path};
use crate::simulate::truth::TruthPly;
use shakmaty::fen::Fen;
use shakmaty::{Bitboard, CastlingMode, Color, Piece, Role, Square, attacks};

/// How long an irregularity stands until somebody notices. Milliseconds; guess.
const NOTICED: Span = Span(1_500, 6_000);
/// For so many plies a piece stays out of place, at most.
const OUT_FOR: u32 = 4;
/// So many plies are played after an illegal move that stands, at most.
const AFTER_ILLEGAL: usize = 20;

/// A piece that stands elsewhere, or nowhere, for a while.
pub(super) struct OutOfPlace {
    piece: Piece,
    square: Square,
    /// Where it stands now; `None`: beside the board.
    stands: Option<Square>,
    /// It is put back before this ply.
    until_ply: u32,
    /// Which irregularity of the truth it is.
    irregularity: usize,
}

impl Writer<'_> {
    /// Something irregular is done.
    pub fn irregular(
        &mut self,
        kind: Kind,
        ply: u32,
        by: Option<Color>,
        squares: Vec<Square>,
        (at, until): (Millis, Option<Millis>),
    ) {
        self.truth.irregularities.push(Irregularity { kind, ply, by, squares, at, until });
    }

    /// Commits those wanted irregularities that can be committed before this ply.
    pub fn commit(&mut self, position: &mut Position, mv: Move, number: u32) {
        for wanted in std::mem::take(&mut self.wanted) {
            let rng =
                Rng::new(self.dice.stream(Rate::change_mind, u64::MAX).bits() ^ u64::from(wanted.ply), wanted.kind as u64);
            let stands = self.line.len() > number as usize;
            let done = wanted.ply <= number
                && !stands
                && self.pending.is_empty()
                && match wanted.kind {
                    Kind::IllegalMove => self.illegal_move(rng, position, number),
                    Kind::IllegalStands => self.illegal_stands(rng, position, number),
                    Kind::WrongSide => self.wrong_side(rng, position, number),
                    Kind::Displaced => self.displace(rng, position, number, true),
                    Kind::Removed => self.displace(rng, position, number, false),
                    Kind::TouchedOther => self.touch_other(rng, position, mv, number),
                    Kind::PressWithoutMove => self.press_without_move(rng, position, number),
                    Kind::TwoHands | Kind::RookFirst | Kind::PawnLeft => false,
                };
            if !done {
                self.wanted.push(wanted);
            }
        }
    }

    /// How this ply itself is to break the Laws, where one of the wanted irregularities fits it.
    pub fn breach(&mut self, position: &Position, mv: Move, number: u32) -> Option<Kind> {
        let fits = |kind: Kind| match kind {
            Kind::RookFirst => mv.is_castle() && Changes::of(position.turn(), mv).iter().count() == 4,
            Kind::TwoHands => mv.is_castle() || mv.is_capture(),
            Kind::PawnLeft => mv.is_promotion(),
            _ => false,
        };
        let index = self.wanted.iter().position(|wanted| wanted.ply <= number && fits(wanted.kind))?;
        Some(self.wanted.remove(index).kind)
    }

    /// It did.
    pub fn breached(&mut self, kind: Kind, position: &Position, mv: Move, number: u32, ply: &TruthPly) {
        let squares = Changes::of(position.turn(), mv).iter().map(|change| change.0).collect();
        let until = if kind == Kind::PawnLeft { self.now } else { ply.done_at };
        self.irregular(kind, number, Some(position.turn()), squares, (ply.touched_at, Some(until)));
    }

    /// A piece that is no king, and an empty square not far away where it cannot go.
    fn impossible(rng: &mut Rng, position: &Position) -> Option<(Piece, Square, Square)> {
        let legal = position.legal_moves();
        let board = position.board();
        let own = board.by_color(position.turn()) & !board.kings();
        let pairs: Vec<(Square, Square)> = own
            .into_iter()
            .flat_map(|from| (!board.occupied()).into_iter().map(move |to| (from, to)))
            .filter(|(from, to)| from.distance(*to) <= 3)
            .filter(|(from, to)| !legal.iter().any(|mv| mv.from() == Some(*from) && mv.to() == *to))
            .collect();
        let (from, to) = rng.pick(&pairs)?;
        Some((position.piece_at(from)?, from, to))
    }

    /// The piece is carried from one square to the other.
    fn carry(&mut self, rng: &mut Rng, piece: Piece, from: Square, to: Square, ply: u32) {
        self.add(self.now, Act::Lift(from), ply);
        self.now += rng.ms(Span(300, 800));
        self.add(self.now, Act::Put(to, piece), ply);
        self.now += rng.ms(Span(200, 900));
    }

    fn illegal_move(&mut self, mut rng: Rng, position: &Position, number: u32) -> bool {
        let Some((piece, from, to)) = Self::impossible(&mut rng, position) else { return false };
        self.now += rng.ms(Span(500, 4_000));
        let at = self.now;
        self.carry(&mut rng, piece, from, to, 0);
        let pressed = self.clock && self.lever == position.turn();
        if pressed {
            self.press(position.turn(), self.now, 0);
        }
        self.now += rng.ms(NOTICED);
        if pressed {
            self.press(!position.turn(), self.now, 0);
            self.now += rng.ms(Span(300, 1_500));
        }
        self.carry(&mut rng, piece, to, from, 0);
        self.irregular(Kind::IllegalMove, number, Some(position.turn()), vec![from, to], (at, Some(self.now)));
        true
    }

    fn illegal_stands(&mut self, mut rng: Rng, position: &mut Position, number: u32) -> bool {
        let Some((piece, from, to)) = Self::impossible(&mut rng, position) else { return false };
        let Ok(fen) = position.fen().parse::<Fen>() else { return false };
        let mut setup = fen.into_setup();
        setup.board.discard_piece_at(from);
        setup.board.set_piece_at(to, piece);
        setup.ep_square = None;
        setup.swap_turn();
        let mode = if position.is_chess960() { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let after = Position::from_setup(setup, mode);

        // What comes after: the game as far as it can, then anything.
        let (mut theirs, mut ours) = (position.clone(), after.clone());
        let rest = self.moves.split_off(number as usize - 1);
        let mut game = rest.into_iter();
        if let Some(mv) = game.next() {
            theirs = theirs.play(mv);
        }
        let mut tail = vec![Move::Normal { role: piece.role, from, capture: None, to, promotion: None }];
        let mut follows = true;
        while tail.len() <= AFTER_ILLEGAL && ours.ending().is_none() {
            let same = game.next().filter(|_| follows).and_then(|mv| {
                let uci = theirs.uci(mv);
                theirs = theirs.play(mv);
                ours.parse_uci(&uci)
            });
            follows = same.is_some();
            let Some(mv) = same.or_else(|| rng.pick(&ours.legal_moves())) else { break };
            tail.push(mv);
            ours = ours.play(mv);
        }
        self.moves.extend(tail);

        self.now += rng.ms(Span(500, 4_000));
        let at = self.now;
        self.carry(&mut rng, piece, from, to, number);
        let pressed_at = (self.clock && self.lever == position.turn()).then_some(self.now);
        if let Some(at) = pressed_at {
            self.press(position.turn(), at, number);
        }
        self.truth.plies.push(TruthPly {
            uci: format!("{from}{to}"),
            touched_at: at,
            done_at: self.now,
            pressed_at,
            stop_ms: 0,
            lowest_clock_ms: None,
        });
        self.irregular(Kind::IllegalStands, number, Some(position.turn()), vec![from, to], (at, None));
        self.line.push(after.clone());
        *position = after;
        true
    }

    fn wrong_side(&mut self, mut rng: Rng, position: &Position, number: u32) -> bool {
        let again = Position::from_board(position.board().clone(), !position.turn());
        let quiet = |mv: &Move| matches!(mv, Move::Normal { capture: None, promotion: None, .. });
        let legal: Vec<Move> = again.legal_moves().iter().copied().filter(quiet).collect();
        let Some(Move::Normal { role, from, to, .. }) = (number > 1).then(|| rng.pick(&legal)).flatten() else { return false };
        self.now += rng.ms(Span(300, 2_500));
        let (at, piece) = (self.now, role.of(again.turn()));
        self.carry(&mut rng, piece, from, to, 0);
        self.now += rng.ms(NOTICED);
        self.carry(&mut rng, piece, to, from, 0);
        self.irregular(Kind::WrongSide, number, Some(again.turn()), vec![from, to], (at, Some(self.now)));
        true
    }

    fn press_without_move(&mut self, mut rng: Rng, position: &Position, number: u32) -> bool {
        if !self.clock || self.lever != position.turn() {
            return false;
        }
        self.now += rng.ms(Span(500, 4_000));
        let at = self.now;
        self.press(position.turn(), at, 0);
        self.now += rng.ms(NOTICED);
        self.press(!position.turn(), self.now, 0);
        self.irregular(Kind::PressWithoutMove, number, Some(position.turn()), Vec::new(), (at, Some(self.now)));
        self.now += rng.ms(Span(500, 2_000));
        true
    }

    /// A piece is nudged, or knocked off, that the next plies do not need.
    fn displace(&mut self, mut rng: Rng, position: &Position, number: u32, nudged: bool) -> bool {
        let (first, plies) = (number as usize - 1, 1 + rng.below(u64::from(OUT_FOR)) as usize);
        let mut needed = Bitboard::EMPTY;
        // Steps that either player could make are moves, not accidents.
        let mut moves: Vec<(Square, Square)> = Vec::new();
        let mut later = position.clone();
        for &mv in self.moves.iter().skip(first).take(plies) {
            needed |= path(mv) | Changes::of(later.turn(), mv).iter().map(|change| change.0).collect::<Bitboard>();
            for turn in Color::ALL {
                let legal = Position::from_board(later.board().clone(), turn).legal_moves();
                moves.extend(legal.iter().filter_map(|mv| Some((mv.from()?, mv.to()))));
            }
            later = later.play(mv);
        }
        let board = position.board();
        let loose = board.occupied() & !board.by_role(Role::King) & !needed;
        let near = |square: Square| attacks::king_attacks(square) & !board.occupied() & !needed;
        let places: Vec<(Square, Option<Square>)> = if nudged {
            let steps = loose.into_iter().flat_map(|square| near(square).into_iter().map(move |stands| (square, stands)));
            steps.filter(|step| !moves.contains(step)).map(|(square, stands)| (square, Some(stands))).collect()
        } else {
            loose.into_iter().map(|square| (square, None)).collect()
        };
        let Some((square, stands)) = rng.pick(&places) else { return false };
        let Some(piece) = board.piece_at(square) else { return false };
        self.now += rng.ms(Span(300, 2_500));
        let at = self.now;
        self.add(at, Act::Lift(square), 0);
        if let Some(stands) = stands {
            self.now += rng.ms(Span(20, 300));
            self.add(self.now, Act::Put(stands, piece), 0);
        }
        self.now += rng.ms(Span(200, 1_000));
        let kind = if nudged { Kind::Displaced } else { Kind::Removed };
        let irregularity = self.truth.irregularities.len();
        self.irregular(kind, number, None, [square].into_iter().chain(stands).collect(), (at, None));
        self.pending.push(OutOfPlace { piece, square, stands, until_ply: number + plies as u32, irregularity });
        true
    }

    /// Puts back what stands out of place and is due before this ply; `None`: everything.
    pub fn put_right(&mut self, number: Option<u32>) {
        for out in std::mem::take(&mut self.pending) {
            if number.is_some_and(|number| out.until_ply > number) {
                self.pending.push(out);
                continue;
            }
            self.now += self.pace.ms(Span(500, 2_500));
            if let Some(stands) = out.stands {
                self.add(self.now, Act::Lift(stands), 0);
                self.now += self.pace.ms(Span(200, 900));
            }
            self.add(self.now, Act::Put(out.square, out.piece), 0);
            if let Some(irregularity) = self.truth.irregularities.get_mut(out.irregularity) {
                irregularity.until = Some(self.now);
            }
            self.now += self.pace.ms(Span(200, 900));
        }
    }
}
