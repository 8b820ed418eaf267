//! The rounds of one tournament, and its players by start number.

use super::trf::cut_name;
use super::{Player, Round};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The highest start number.
const MAX_START_NUMBER: u32 = 9999;

/// A player of the tournament.
#[derive(Clone, Debug)]
pub(super) struct Entrant {
    /// The start number.
    pub number: u32,
    /// What was last known of the player.
    pub player: Player,
}

/// Rounds in the order of their numbers, and everybody who is in them.
#[derive(Debug)]
pub(super) struct Tournament<'a> {
    rounds: Vec<&'a Round>,
    entrants: Vec<Entrant>,
    /// Indices of entrants.
    by_id: BTreeMap<u32, usize>,
    /// By the name as a tournament report file cuts it.
    by_name: BTreeMap<String, Vec<usize>>,
}

impl<'a> Tournament<'a> {
    /// Collects the rounds.
    pub(super) fn new(rounds: &'a [Round]) -> Tournament<'a> {
        let mut sorted: Vec<&Round> = rounds.iter().collect();
        sorted.sort_by_key(|round| round.number);
        let mut tournament =
            Tournament { rounds: Vec::new(), entrants: Vec::new(), by_id: BTreeMap::new(), by_name: BTreeMap::new() };
        for round in &sorted {
            let paired = round.pairings.iter().flat_map(|pairing| [&pairing.white, &pairing.black]);
            paired.chain(round.byes.iter().map(|bye| &bye.player)).for_each(|player| tournament.enter(player));
        }
        tournament.rounds = sorted;
        tournament.number();
        tournament
    }

    /// Returns the rounds.
    pub(super) fn rounds(&self) -> &[&'a Round] {
        &self.rounds
    }

    /// Returns the players in the order of their start numbers.
    pub(super) fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// Returns the index of a player in [`Tournament::entrants`]: who has the same FIDE ID, otherwise the same name, unless both have
    /// IDs, or different start numbers. A name that a tournament report file has cut is the same as the whole one. Of several, the one
    /// with the same start number.
    pub(super) fn find(&self, player: &Player) -> Option<usize> {
        if let Some(index) = player.fide_id.and_then(|id| self.by_id.get(&id)) {
            return Some(*index);
        }
        let named = self.by_name.get(&cut_name(&player.name)).into_iter().flatten().copied();
        let known = named.filter_map(|index| Some((index, &self.entrants.get(index)?.player)));
        let best = known.filter(|(_, known)| may_be_same(known, player)).min_by_key(|(_, known)| {
            // Both are false where the player is the same.
            (known.start_number != player.start_number, known.name != player.name)
        });
        best.map(|(index, _)| index)
    }

    /// Returns the whole name of a player whose name a tournament report file has cut; `None`: it is not cut, or could be one of several.
    fn full_name(&self, player: &Player) -> Option<&str> {
        let named = self.by_name.get(&player.name).into_iter().flatten().filter_map(|index| self.entrants.get(*index));
        let is_same = |known: &Player| {
            let is_same_number = known.start_number.is_some() && known.start_number == player.start_number;
            known.fide_id.is_some() && known.fide_id == player.fide_id || is_same_number && may_be_same(known, player)
        };
        let known: Vec<&Player> = named.map(|entrant| &entrant.player).collect();
        let same = known.iter().find(|known| is_same(known));
        let mut possible = known.iter().filter(|known| may_be_same(known, player));
        let only = possible.next().filter(|_| possible.next().is_none());
        same.or(only).map(|known| known.name.as_str()).filter(|name| *name != player.name)
    }

    /// Adds a player, or what is known of a player since.
    fn enter(&mut self, player: &Player) {
        let index = self.find(player).unwrap_or(self.entrants.len());
        match self.entrants.get_mut(index) {
            Some(Entrant { player: known, .. }) => {
                let before = std::mem::replace(known, player.clone());
                if is_cut(&known.name, &before.name) {
                    known.name = before.name;
                }
                known.title = known.title.take().or(before.title);
                known.fide_id = known.fide_id.or(before.fide_id);
                known.rating = known.rating.or(before.rating);
                known.federation = known.federation.take().or(before.federation);
                known.team = known.team.take().or(before.team);
                known.start_number = known.start_number.or(before.start_number);
            }
            None => self.entrants.push(Entrant { number: 0, player: player.clone() }),
        }
        self.index(index);
    }

    fn index(&mut self, index: usize) {
        let Some(Entrant { player, .. }) = self.entrants.get(index) else { return };
        let named = self.by_name.entry(cut_name(&player.name)).or_default();
        if !named.contains(&index) {
            named.push(index);
        }
        if let Some(id) = player.fide_id {
            self.by_id.insert(id, index);
        }
    }

    /// Gives the start numbers, and sorts the players by them.
    fn number(&mut self) {
        let mut taken = BTreeSet::new();
        for entrant in &mut self.entrants {
            let number = entrant.player.start_number.map_or(0, u32::from);
            // Of two players with one number, the first keeps it.
            if (1..=MAX_START_NUMBER).contains(&number) && taken.insert(number) {
                entrant.number = number;
            }
        }
        let mut others: Vec<&mut Entrant> = self.entrants.iter_mut().filter(|entrant| entrant.number == 0).collect();
        others.sort_by_key(|entrant| (Reverse(entrant.player.rating), entrant.player.name.clone()));
        let mut free = (1..).filter(|number| !taken.contains(number));
        for entrant in others {
            entrant.number = free.next().unwrap_or(0);
        }
        self.entrants.sort_by_key(|entrant| entrant.number);
        self.by_name.clear();
        self.by_id.clear();
        (0..self.entrants.len()).for_each(|index| self.index(index));
    }
}

impl Round {
    /// Completes the names that a tournament report file has cut, as far as the players are in other rounds of the tournament.
    pub fn complete_names(&mut self, others: &[Round]) {
        let tournament = Tournament::new(others);
        let paired = self.pairings.iter_mut().flat_map(|pairing| [&mut pairing.white, &mut pairing.black]);
        for player in paired.chain(self.byes.iter_mut().map(|bye| &mut bye.player)) {
            if let Some(name) = tournament.full_name(player) {
                player.name = name.to_owned();
            }
        }
    }
}

/// Whether two players without a common FIDE ID may be one.
pub(super) fn may_be_same(one: &Player, other: &Player) -> bool {
    let is_same_name = one.name == other.name || is_cut(&one.name, &other.name) || is_cut(&other.name, &one.name);
    let is_same_number = one.start_number.is_none() || other.start_number.is_none() || one.start_number == other.start_number;
    is_same_name && is_same_number && (one.fide_id.is_none() || other.fide_id.is_none())
}

/// Whether `cut` is what a tournament report file has of this name.
fn is_cut(cut: &str, name: &str) -> bool {
    cut_name(name) == cut
}
