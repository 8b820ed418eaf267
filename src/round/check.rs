//! The checks of a round as a whole.

use super::problem::ProblemKind;
use super::tournament::may_be_same;
use super::trf::cut_name;
use super::{MAX_PAIRINGS, Player, Problem, Round};
use std::collections::BTreeMap;

impl Round {
    /// Returns everything that makes the round invalid.
    pub fn check(&self) -> Vec<Problem> {
        self.problems(|_| None)
    }

    /// Like [`Round::check`]. `line`: the line in the file of a pairing, by its index.
    pub(super) fn problems(&self, line: impl Fn(usize) -> Option<u32>) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.number == 0 {
            problems.push(Problem::of_file(ProblemKind::NoRoundNumber));
        }
        if self.pairings.is_empty() {
            problems.push(Problem::of_file(ProblemKind::NobodyPaired));
        }
        if self.pairings.len() > MAX_PAIRINGS {
            problems.push(Problem::of_file(ProblemKind::TooManyPairings));
        }
        let (mut tables, mut players) = (BTreeMap::new(), BTreeMap::new());
        let (mut boards, mut serials) = (BTreeMap::new(), BTreeMap::new());
        for (index, pairing) in self.pairings.iter().enumerate() {
            let table = pairing.table;
            let mut push = |kind: ProblemKind| problems.push(Problem::in_line(line(index), kind));
            if table == 0 {
                push(ProblemKind::NoTable { white: pairing.white.name.clone(), black: pairing.black.name.clone() });
            } else if tables.insert(table, ()).is_some() {
                push(ProblemKind::TableTwice(table));
            }
            for player in [&pairing.white, &pairing.black] {
                if player.name.trim().is_empty() {
                    push(ProblemKind::NoName(table));
                } else if let Some(first) = players.insert((player.name.as_str(), player.fide_id), table) {
                    push(ProblemKind::PlaysTwice { name: player.name.clone(), first, second: table });
                }
                if !is_single_lines(player) {
                    push(ProblemKind::BadText(table));
                }
            }
            if !pairing.section.as_deref().is_none_or(is_short_line) {
                push(ProblemKind::BadSection(table));
            }
            if let Some(board) = &pairing.board
                && let Some(first) = boards.insert(board, table)
            {
                push(ProblemKind::BoardTwice { board: board.clone(), first, second: table });
            }
            if let Some(serial) = &pairing.serial
                && let Some(first) = serials.insert(serial, table)
            {
                push(ProblemKind::SerialTwice { serial: serial.clone(), first, second: table });
            }
        }
        for bye in &self.byes {
            let player = &bye.player;
            if player.name.trim().is_empty() || !is_single_lines(player) {
                problems.push(Problem::of_file(ProblemKind::BadText(0)));
            } else if let Some(table) = players.insert((player.name.as_str(), player.fide_id), 0) {
                let name = player.name.clone();
                let kind = if table == 0 { ProblemKind::TwoByes(name) } else { ProblemKind::ByeAndGame { name, table } };
                problems.push(Problem::of_file(kind));
            }
        }
        problems
    }

    /// Returns what is possible in a round, but may be a mistake.
    pub(super) fn doubts(&self, line: impl Fn(usize) -> Option<u32>) -> Vec<Problem> {
        let mut doubts = Vec::new();
        let mut ids: BTreeMap<u32, &str> = BTreeMap::new();
        let (mut rated, mut unrated) = (0, Vec::new());
        for (index, pairing) in self.pairings.iter().enumerate() {
            for player in [&pairing.white, &pairing.black] {
                match player.rating {
                    Some(_) => rated += 1,
                    None if player.name.is_empty() => {}
                    None => unrated.push(player.name.clone()),
                }
                let Some(id) = player.fide_id else { continue };
                if let Some(other) = ids.insert(id, &player.name)
                    && other != player.name
                {
                    let kind = ProblemKind::SameFideId { name: player.name.clone(), other: other.to_owned(), id };
                    doubts.push(Problem::in_line(line(index), kind));
                }
            }
        }
        let pairings = self.pairings.iter().enumerate();
        let paired = pairings.flat_map(|(index, pairing)| [(line(index), &pairing.white), (line(index), &pairing.black)]);
        // By the names as TRF16 has them.
        let mut named: BTreeMap<String, Vec<&Player>> = BTreeMap::new();
        let players = paired.chain(self.byes.iter().map(|bye| (None, &bye.player)));
        for (line, player) in players.filter(|(_, player)| !player.name.is_empty()) {
            let namesakes = named.entry(cut_name(&player.name)).or_default();
            if namesakes.iter().any(|other| other.fide_id != player.fide_id && may_be_same(other, player)) {
                doubts.push(Problem::in_line(line, ProblemKind::Namesakes(player.name.clone())));
            }
            namesakes.push(player);
        }
        // A file in which nobody has a rating was made without them.
        if rated > 0 && !unrated.is_empty() {
            doubts.push(Problem::of_file(ProblemKind::NoRating(unrated)));
        }
        doubts
    }
}

/// Returns whether all texts about a player can be PGN tags.
fn is_single_lines(player: &Player) -> bool {
    [Some(&player.name), player.title.as_ref(), player.team.as_ref(), player.federation.as_ref()]
        .into_iter()
        .flatten()
        .all(|text| is_short_line(text))
}

/// Returns whether a text of a player or a table can be shown in one line.
fn is_short_line(text: &str) -> bool {
    text.len() <= 255 && !text.chars().any(char::is_control)
}
