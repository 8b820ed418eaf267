//! Cuts a game into parts that a reader can follow who knows only the rules of chess.

use super::{AfterIllegal, ReasonWriter};
use crate::game::Record;
use crate::laws::{Move, Position};
use shakmaty::Color;

/// The plies of one part of a game, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The plies before this one, from the start of the game, can only be written in words; 0 in all parts but the first.
    pub(super) lead: usize,
    /// The first ply of the legal moves.
    pub(super) from: usize,
    /// The end of the legal moves: the first illegal ply.
    pub(super) to: usize,
    /// The end of the plies, from `to` on, that are written in words.
    pub(super) next: usize,
}

/// The number of a move, and who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MoveNumber {
    pub(super) number: usize,
    pub(super) by: Color,
}

/// A record and the data needed to find its parts.
pub(super) struct Parts<'a> {
    pub(super) record: &'a Record,
    pub(super) chess960: bool,
    pub(super) why: ReasonWriter<'a>,
}

impl Parts<'_> {
    /// Returns the parts, at least one. All after the first contain moves.
    pub(super) fn cut(&self, after: AfterIllegal) -> Vec<Part> {
        let len = self.record.plies.len();
        let lead = match after {
            _ if self.readable_fen(0).is_some() => 0,
            AfterIllegal::Stop => len,
            AfterIllegal::Fen => self.readable_from(1),
            AfterIllegal::End => return vec![Part { lead: 0, from: 0, to: 0, next: 0 }],
        };
        let mut parts = vec![self.part(lead, lead, after)];
        while let Some(from) = parts.last().map(|part| part.next).filter(|next| *next < len && after == AfterIllegal::Fen) {
            parts.push(self.part(0, from, after));
        }
        parts
    }

    fn part(&self, lead: usize, from: usize, after: AfterIllegal) -> Part {
        let plies = &self.record.plies;
        let illegal = plies.iter().enumerate().skip(from).find(|(_, ply)| ply.played.irregular);
        let to = illegal.map_or(plies.len(), |(index, _)| index);
        let next = match after {
            AfterIllegal::Stop => plies.len(),
            AfterIllegal::Fen => self.readable_from(to + 1),
            AfterIllegal::End => to,
        };
        Part { lead, from, to, next }
    }

    /// Returns the first ply from this one on before which the position is one that readers accept; otherwise the end of the
    /// record.
    fn readable_from(&self, index: usize) -> usize {
        let len = self.record.plies.len();
        (index..len).find(|&index| self.readable_fen(index).is_some()).unwrap_or(len)
    }

    /// Returns the position before this ply, as a FEN that readers accept.
    pub(super) fn readable_fen(&self, index: usize) -> Option<String> {
        Position::readable_fen(self.fen_before(index)?, self.chess960)
    }

    /// Returns the position before this ply.
    pub(super) fn position_before(&self, index: usize) -> Option<Position> {
        Position::from_fen(self.fen_before(index)?, self.chess960).ok()
    }

    /// Returns the moves before this ply, each with its player.
    pub(super) fn moves_before(&self, index: usize) -> impl Iterator<Item = (Color, Move)> {
        let played = self.record.plies.iter().take(index).map(|ply| &ply.played);
        played.enumerate().filter_map(|(index, played)| {
            let before = self.position_before(index)?;
            let mv = before.any_move_to(&played.uci, &played.fen)?;
            Some((before.mover(mv), mv))
        })
    }

    /// Returns the position before this ply as FEN, even if readers refuse it.
    pub(super) fn fen_before(&self, index: usize) -> Option<&str> {
        match index.checked_sub(1) {
            None => Some(&self.record.start_fen),
            Some(last) => self.record.plies.get(last).map(|ply| ply.played.fen.as_str()),
        }
    }

    /// Returns the numbers of all moves. They come from the positions, since a move out of turn breaks the alternation.
    pub(super) fn numbers(&self) -> Vec<MoveNumber> {
        let start = self.position_before(0);
        let mut expected = start.map_or(MoveNumber { number: 1, by: Color::White }, |position| MoveNumber {
            number: position.fullmoves() as usize,
            by: position.turn(),
        });
        let mut numbers = Vec::with_capacity(self.record.plies.len());
        for index in 1..=self.record.plies.len() {
            let number = self.position_before(index).map_or(expected, |after| {
                let behind = u32::from(after.turn().is_white());
                MoveNumber { number: after.fullmoves().saturating_sub(behind) as usize, by: !after.turn() }
            });
            numbers.push(number);
            expected = MoveNumber { number: number.number + usize::from(number.by.is_black()), by: !number.by };
        }
        numbers
    }
}
