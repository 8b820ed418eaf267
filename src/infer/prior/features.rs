//! The features of a move: what may make players choose it, or another one.

use super::groups::FeatureGroup;
use super::surroundings::{Phase, Surroundings, VALUES, files_around, value};
use shakmaty::{Bitboard, CastlingSide, Move, Rank, Role, Square, attacks};

/// Receives the features of one move.
struct Sink<F>(F);

impl<F: FnMut(usize)> Sink<F> {
    fn add(&mut self, group: FeatureGroup, index: usize) {
        (self.0)(group.feature(index));
    }
}

/// Calls `add` with the index of each feature that a move has in its position.
pub(super) fn features(around: &Surroundings, mv: Move, add: impl FnMut(usize)) {
    let mut sink = Sink(add);
    match mv {
        Move::Normal { role, from, capture, to, promotion } => {
            let step = Step { role, from, capture, to, promotion, captured_on: to };
            step.features(around, &mut sink);
        }
        Move::EnPassant { from, to } => {
            let captured_on = Square::from_coords(to.file(), from.rank());
            let step = Step { role: Role::Pawn, from, capture: Some(Role::Pawn), to, promotion: None, captured_on };
            step.features(around, &mut sink);
        }
        Move::Castle { king, rook } => {
            let side = usize::from(CastlingSide::from_king_side(king < rook) == CastlingSide::QueenSide);
            sink.add(FeatureGroup::Castling, around.phase as usize * 2 + side);
        }
        Move::Put { .. } => {}
    }
}

/// A move of one piece.
struct Step {
    role: Role,
    from: Square,
    capture: Option<Role>,
    to: Square,
    promotion: Option<Role>,
    /// The square of the captured piece.
    captured_on: Square,
}

/// What several groups need to know about a move.
struct Landing {
    /// The squares that the piece attacks from its new square.
    attacked: Bitboard,
    /// Number of the least valuable attacker of the new square, 0 for none.
    least: usize,
    defended: bool,
    safe: bool,
}

fn index(role: Role) -> usize {
    role as usize - 1
}

impl Step {
    fn features<F: FnMut(usize)>(&self, around: &Surroundings, sink: &mut Sink<F>) {
        let landing = self.landing(around);
        let (role, phase) = (index(self.role), around.phase as usize);
        sink.add(FeatureGroup::To, (phase * 6 + role) * 64 + around.relative(self.to));
        sink.add(FeatureGroup::From, (phase * 6 + role) * 64 + around.relative(self.from));
        self.exchange(around, &landing, sink);
        self.threats(around, &landing, sink);
        self.check(around, &landing, sink);
        self.history(around, &landing, sink);
        match self.role {
            Role::Pawn => self.pawn(around, &landing, sink),
            Role::King => self.king(around, sink),
            _ => self.piece(around, &landing, sink),
        }
        if around.may_castle && matches!(self.role, Role::King | Role::Rook) {
            sink.add(FeatureGroup::GivesUpCastling, phase * 2 + usize::from(self.role == Role::King));
        }
        if self.role != Role::Pawn {
            sink.add(FeatureGroup::Driven, role * 2 + usize::from(around.pushed_attacks.contains(self.to)));
        }
        sink.add(FeatureGroup::Own, around.recent.own().map_or(0, |own| index(own.role()) + 1) * 6 + role);
        if let Some(king) = around.their_king {
            let change = (self.to.distance(king) as i32 - self.from.distance(king) as i32).clamp(-2, 2) + 2;
            let queen = usize::from((around.board.queens() & around.theirs).any());
            sink.add(FeatureGroup::Tropism, (role * 2 + queen) * 5 + change as usize);
        }
        let twice = around.their_attacks.twice.contains(self.to);
        if twice && !around.our_attacks.twice.contains(self.to) {
            sink.add(FeatureGroup::Outnumbered, role * 2 + usize::from(self.capture.is_some()));
        }
        let near = |zone: Bitboard| (landing.attacked & zone).count().min(5);
        sink.add(FeatureGroup::KingAttack, role * 6 + near(around.their_king_zone));
        sink.add(FeatureGroup::KingDefence, role * 6 + near(around.our_king_zone));
    }

    fn landing(&self, around: &Surroundings) -> Landing {
        let occupied = around.board.occupied().without(self.from).without(self.captured_on).with(self.to);
        let placed = self.promotion.unwrap_or(self.role);
        let attacked = attacks::attacks(self.to, placed.of(around.us), occupied);
        let by_itself = around.attacked_from[self.from.to_usize()].contains(self.to);
        let defended = if by_itself { around.our_attacks.twice } else { around.our_attacks.any }.contains(self.to);
        let least = around.their_attacks.least(self.to);
        let safe = around.is_safe(placed, least, defended);
        Landing { attacked, least, defended, safe }
    }

    fn exchange<F: FnMut(usize)>(&self, around: &Surroundings, landing: &Landing, sink: &mut Sink<F>) {
        let role = index(self.role);
        let situation = landing.least * 2 + usize::from(landing.defended);
        let Some(victim) = self.capture.map(|role| index(role).min(4)) else {
            sink.add(FeatureGroup::Quiet, role * 14 + situation);
            return;
        };
        sink.add(FeatureGroup::Capture, (role * 5 + victim) * 14 + situation);
        sink.add(FeatureGroup::CapturePhase, around.phase as usize * 5 + victim);
        let won = VALUES[victim];
        let lost = if landing.least == 0 { 0 } else { value(self.role).min(9) };
        sink.add(FeatureGroup::Exchange, ((won - lost).clamp(-9, 9) + 9) as usize);
        if won == value(self.role) && landing.least > 0 {
            sink.add(FeatureGroup::Trade, around.balance);
        }
    }

    fn threats<F: FnMut(usize)>(&self, around: &Surroundings, landing: &Landing, sink: &mut Sink<F>) {
        let least = around.their_attacks.least(self.from);
        if least > 0 {
            let defended = around.our_attacks.any.contains(self.from);
            sink.add(FeatureGroup::Attacked, index(self.role) * 14 + least * 2 + usize::from(defended));
        }
        if let Some(piece) = around.threatened.iter().flatten().find(|piece| piece.square != self.from) {
            let attackers = around.board.attacks_to(piece.square, !around.us, around.board.occupied());
            let attacker = attackers.single_square();
            let what = if attacker == Some(self.captured_on) && self.capture.is_some() {
                1
            } else if attacker.is_some_and(|attacker| attacks::between(attacker, piece.square).contains(self.to)) {
                2
            } else if !around.our_attacks.any.contains(piece.square) && landing.attacked.contains(piece.square) {
                3
            } else if around.their_king.is_some_and(|king| landing.attacked.contains(king)) {
                4
            } else {
                0
            };
            sink.add(FeatureGroup::Threat, index(piece.role).min(4) * 5 + what);
        }
        let left = around.attacked_from[self.from.to_usize()] & around.defended_once & !landing.attacked;
        if let Some(role) = most_valuable(around, left.without(self.from)) {
            sink.add(FeatureGroup::Undefended, index(role).min(4));
        }
        let fresh = landing.attacked & around.theirs & !around.attacked_from[self.from.to_usize()] & !around.board.kings();
        let loose = fresh & !around.their_attacks.any;
        let dear = fresh
            & match self.role {
                Role::Pawn => !around.board.pawns(),
                Role::Knight | Role::Bishop => around.board.rooks_and_queens(),
                Role::Rook => around.board.queens(),
                _ => Bitboard::EMPTY,
            };
        if (loose | dear).count() > 1 {
            sink.add(FeatureGroup::Fork, index(self.role));
        }
        if let Some(role) = most_valuable(around, loose | dear) {
            sink.add(FeatureGroup::Attack, (index(self.role) * 5 + index(role).min(4)) * 2 + usize::from(landing.safe));
        }
    }

    fn check<F: FnMut(usize)>(&self, around: &Surroundings, landing: &Landing, sink: &mut Sink<F>) {
        if around.is_check {
            let how = if self.role == Role::King { 0 } else { 2 - usize::from(self.capture.is_some()) };
            sink.add(FeatureGroup::Evasion, how);
        }
        let Some(king) = around.their_king else { return };
        let direct = landing.attacked.contains(king);
        let discovered = around.discoverers.contains(self.from) && !attacks::aligned(king, self.from, self.to);
        if direct || discovered {
            let kind = if discovered { 2 } else { usize::from(landing.safe) };
            sink.add(FeatureGroup::Check, index(self.role) * 3 + kind);
            let free = attacks::king_attacks(king) & !around.theirs & !around.our_attacks.any & !landing.attacked;
            sink.add(FeatureGroup::Mate, free.count().min(3) * 2 + usize::from(landing.safe));
        }
    }

    fn history<F: FnMut(usize)>(&self, around: &Surroundings, landing: &Landing, sink: &mut Sink<F>) {
        let role = index(self.role);
        let Some(last) = around.last else {
            sink.add(FeatureGroup::Reply, role);
            return;
        };
        sink.add(FeatureGroup::Reply, (index(last.role()) + 1) * 6 + role);
        let there = last.to();
        sink.add(FeatureGroup::Near, role * 8 + self.to.distance(there) as usize);
        if let Some(victim) = self.capture.filter(|_| self.captured_on == there) {
            let again = usize::from(last.is_capture());
            sink.add(FeatureGroup::Recapture, (again * 6 + role) * 5 + index(victim).min(4));
        }
        if landing.attacked.contains(there) && around.theirs.contains(there) {
            sink.add(FeatureGroup::Answer, role);
        }
        if around.board.attacks_from(there).contains(self.from) {
            sink.add(FeatureGroup::Answer, 6 + role);
        }
        let Some(own) = around.recent.own().filter(|own| own.to() == self.from) else { return };
        sink.add(FeatureGroup::Again, around.phase as usize * 6 + role);
        if own.from() == Some(self.to) {
            let both =
                around.recent.before().is_some_and(|before| last.from() == Some(before.to()) && before.from() == Some(there));
            sink.add(FeatureGroup::Undo, role * 2 + usize::from(both));
        }
    }

    fn pawn<F: FnMut(usize)>(&self, around: &Surroundings, landing: &Landing, sink: &mut Sink<F>) {
        let phase = around.phase as usize * 6;
        let relative = around.relative(self.to);
        if let Some(promoted) = self.promotion {
            sink.add(FeatureGroup::Promotion, (index(promoted) - 1).min(3) * 2 + usize::from(landing.safe));
            return;
        }
        if around.is_passed(self.to) {
            sink.add(FeatureGroup::Passed, relative / 8 * 2 + usize::from(landing.safe));
        }
        if (landing.attacked & around.pawns(around.theirs)).any() {
            sink.add(FeatureGroup::Pawn, phase);
        }
        let others = around.pawns(around.ours).without(self.from);
        let file = Bitboard::from_file(self.to.file());
        if self.capture.is_some() && (others & file).any() {
            sink.add(FeatureGroup::Pawn, phase + 1);
        }
        if self.capture.is_some() && (others & files_around(self.to.file()) & !file).is_empty() {
            sink.add(FeatureGroup::Pawn, phase + 2);
        }
        if (attacks::pawn_attacks(!around.us, self.to) & others).any() {
            sink.add(FeatureGroup::Pawn, phase + 3);
        }
        if (landing.attacked & others).any() {
            sink.add(FeatureGroup::Pawn, phase + 4);
        }
        if self.from.distance(self.to) == 2 {
            sink.add(FeatureGroup::Pawn, phase + 5);
        }
        if let Some(king) = around.their_king {
            let files = self.from.file().distance(king.file()).min(3) as usize;
            sink.add(FeatureGroup::Storm, around.phase as usize * 4 + files);
        }
        if self.capture.is_some() {
            let edge = |square: Square| {
                let file = square.file() as i32;
                file.min(7 - file)
            };
            let change = (edge(self.to) - edge(self.from) + 1).clamp(0, 2);
            sink.add(FeatureGroup::Centre, around.phase as usize * 3 + change as usize);
        }
        if let Some(king) = around.our_king {
            let files = self.from.file().distance(king.file()) as usize;
            let ranks = self.from.rank().distance(king.rank());
            if files < 3 && ranks < 3 {
                let queen = usize::from((around.board.queens() & around.theirs).any());
                sink.add(FeatureGroup::Shield, (queen * 3 + files) * 2 + usize::from(ranks < 2));
            }
        }
    }

    fn king<F: FnMut(usize)>(&self, around: &Surroundings, sink: &mut Sink<F>) {
        let Some(king) = around.their_king.filter(|_| around.phase == Phase::Endgame) else { return };
        let change = 1 + self.to.distance(king) as i32 - self.from.distance(king) as i32;
        sink.add(FeatureGroup::KingDistance, change.clamp(0, 2) as usize);
    }

    fn piece<F: FnMut(usize)>(&self, around: &Surroundings, landing: &Landing, sink: &mut Sink<F>) {
        let before = around.attacked_from[self.from.to_usize()].count() as i32;
        sink.add(FeatureGroup::Idle, (index(self.role) - 1).min(3) * 8 + (before as usize / 2).min(7));
        let gained = (landing.attacked.count() as i32 - before).clamp(-8, 8) + 8;
        sink.add(FeatureGroup::Mobility, (index(self.role) - 1).min(3) * 17 + gained as usize);
        let pawns = |side: Bitboard, square: Square| (around.pawns(side) & Bitboard::from_file(square.file())).any();
        if matches!(self.role, Role::Rook | Role::Queen) && self.from.file() != self.to.file() {
            let kind = |square: Square| usize::from(pawns(around.ours, square)) * 2 + usize::from(pawns(around.theirs, square));
            let queen = usize::from(self.role == Role::Queen);
            sink.add(FeatureGroup::File, (queen * 4 + kind(self.to)) * 4 + kind(self.from));
        }
        let supported = (attacks::pawn_attacks(!around.us, self.to) & around.pawns(around.ours)).any();
        let forward = around.relative(self.to) >= Square::from_coords(shakmaty::File::A, Rank::Fourth).to_usize();
        if supported && forward && !around.is_attackable_by_pawns(self.to) {
            sink.add(FeatureGroup::Outpost, index(self.role));
        }
    }
}

/// Returns the role of the most valuable of these pieces, kings left out.
fn most_valuable(around: &Surroundings, pieces: Bitboard) -> Option<Role> {
    let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    roles.into_iter().find(|role| (around.board.by_role(*role) & pieces).any())
}
