//! Draws by what was played: the same position again (Art. 9.2, 9.6.1), moves without a capture or a pawn's move (Art. 9.3, 9.6.2).
//!
//! Three times and fifty moves are for a player to claim and are answered when asked; five times and seventy-five moves end the
//! game by themselves in the editions that know them. The figures are those of the edition.

use crate::laws::edition::{ClaimLost, FiveFold};
use crate::laws::{Ending, Laws, Move, Position, PositionKey, Topic};
use shakmaty::{Bitboard, CastlingMode, Color, Setup};

/// When two positions are the same, beside the pieces, the side to move and a legal capture en passant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Same {
    /// The rights to castle are the same, whether or not castling is barred at the moment (Art. 9.2.3.2). The edition of 2009 says
    /// "temporarily or permanently": with the pieces on the same squares a bar that passes is the same bar, so it is this as well.
    #[default]
    Rights,
    /// The possible moves are the same at this moment: an edition that says no more. A right to castle that is barred, or would be
    /// if it were that player's move, does not count.
    Moves,
}

impl Same {
    /// As these Laws have it: an edition whose text on this is not at hand says no more than "the same possible moves".
    pub fn of(laws: &Laws) -> Same {
        if laws.article(Topic::SamePosition).is_some() { Same::Rights } else { Same::Moves }
    }
}

/// The figures of an edition; `None`: it knows no such draw, or its text is not at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRules {
    /// How often a position must have appeared for a claim (Art. 9.2.2).
    pub repetition: Option<u32>,
    /// The same where the claimant will make it appear (Art. 9.2.1).
    pub repetition_intended: Option<u32>,
    /// How many moves of each player without a capture or a pawn's move a claim takes (Art. 9.3.2).
    pub fifty: Option<u32>,
    /// The same with the move that the claimant will make (Art. 9.3.1).
    pub fifty_intended: Option<u32>,
    /// How often a position must have appeared to end the game, and which of those count (Art. 9.6.1).
    pub five_fold: Option<(u32, FiveFold)>,
    /// How many moves of each player without a capture or a pawn's move end the game (Art. 9.6.2).
    pub seventy_five: Option<u32>,
    /// What takes the right away to claim on this move (Art. 9.4).
    pub claim_lost: Option<ClaimLost>,
}

/// As the Laws of 2023 have it.
impl Default for DrawRules {
    fn default() -> DrawRules {
        DrawRules {
            repetition: Some(3),
            repetition_intended: Some(3),
            fifty: Some(50),
            fifty_intended: Some(50),
            five_fold: Some((5, FiveFold::Any)),
            seventy_five: Some(75),
            claim_lost: Some(ClaimLost::Touch),
        }
    }
}

impl DrawRules {
    /// As these Laws have it.
    pub fn of(laws: &Laws) -> DrawRules {
        let rules = laws.rules();
        let settled = |figure: Option<u32>, topic| figure.filter(|_| laws.article(topic).is_some());
        DrawRules {
            repetition: settled(rules.repetition, Topic::Repetition),
            repetition_intended: settled(rules.repetition, Topic::RepetitionIntended),
            fifty: settled(rules.fifty, Topic::Fifty),
            fifty_intended: settled(rules.fifty, Topic::FiftyIntended),
            five_fold: rules.five_fold.map(|times| (times, rules.five_fold_kind.unwrap_or(FiveFold::Any))),
            seventy_five: rules.seventy_five,
            claim_lost: rules.claim_lost,
        }
    }

    /// Whether a player who has touched a piece on this move, or not, can no longer claim on it (Art. 9.4).
    pub fn is_claim_lost(&self, touched: bool) -> bool {
        touched && self.claim_lost == Some(ClaimLost::Touch)
    }

    /// Whether a player who has made a move without completing it, or not, still claims as if it were not made (2009, Art. 9.4).
    pub fn is_claimed_before_the_move(&self, made: bool) -> bool {
        made && self.claim_lost == Some(ClaimLost::CompletedMove)
    }

    /// What such a claim takes: how often the position must have appeared, or how many moves of each player.
    fn claim(&self, claimed: Claimed, rests: Rests) -> Option<u32> {
        match (claimed, rests) {
            (Claimed::Repetition, Rests::OnBoard) => self.repetition,
            (Claimed::Repetition, Rests::OnIntended(_)) => self.repetition_intended,
            (Claimed::FiftyMoves, Rests::OnBoard) => self.fifty,
            (Claimed::FiftyMoves, Rests::OnIntended(_)) => self.fifty_intended,
        }
    }
}

/// What is claimed, by the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The same position for the third time (Art. 9.2).
    Repetition,
    /// Fifty moves of each player without a capture or a pawn's move (Art. 9.3).
    FiftyMoves,
}

/// On which position a claim rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rests {
    /// That on the board (Art. 9.2.2, 9.3.2).
    OnBoard,
    /// That which this move will bring about, written down and not played (Art. 9.2.1, 9.3.1).
    OnIntended(Move),
}

/// What a claim is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whether it is right, and why.
    pub finding: Finding,
    /// Plies after which the position stood on the board, 0 for the start; an intended move's own ply is the last.
    pub occurrences: Vec<u32>,
    /// Plies without a capture or a pawn's move, the intended one included.
    pub quiet: u32,
}

impl Claim {
    /// Whether the game is drawn.
    pub fn is_right(&self) -> bool {
        matches!(self.finding, Finding::Repeated { .. } | Finding::Quiet { .. })
    }
}

/// Why a claim is right or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Right: so many times, three at least by most editions.
    Repeated {
        /// How many.
        times: usize,
    },
    /// Right: so many whole moves, fifty at least by most editions.
    Quiet {
        /// How many.
        moves: u32,
    },
    /// Wrong: so many times only.
    TooFewTimes {
        /// How many.
        times: usize,
    },
    /// Wrong: plies are missing.
    TooFewMoves {
        /// How many plies are missing.
        missing: u32,
        /// Of how many plies, of both players: a hundred by most editions.
        of: u32,
    },
    /// The player can no longer claim on this move (Art. 9.4).
    Lost,
    /// Nobody knows: the text of these Laws is not at hand on such claims, or says nothing of them.
    NotAtHand,
    /// Wrong: only the player to move may claim.
    NotOnMove,
    /// Wrong: the intended move is not legal; another move of that piece must be made (Art. 9.5.3, 4.3).
    IllegalMove,
    /// Nothing to claim: the game has ended by mate or stalemate.
    Ended,
}

/// Why the game is drawn without a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// The position stood on the board for the fifth time, or as often as the edition says (Art. 9.6.1).
    FiveTimes {
        /// Plies after which it stood there, 0 for the start.
        occurrences: Vec<u32>,
    },
    /// 75 moves of each player without a capture or a pawn's move, or as many as the edition says (Art. 9.6.2).
    SeventyFiveMoves {
        /// How many.
        moves: u32,
    },
}

/// One game's positions, from its start to the one on the board.
#[derive(Clone, Debug)]
pub struct History {
    same: Same,
    /// Of every position, the start's first.
    keys: Vec<PositionKey>,
    now: Position,
}

impl History {
    /// Before the first move. Plies that the start already counts towards the fifty moves count here.
    pub fn new(start: &Position, same: Same) -> History {
        History { same, keys: vec![key(start, same)], now: start.clone() }
    }

    /// After these moves; illegal ones are taken as they were made.
    pub fn of(start: &Position, moves: impl IntoIterator<Item = Move>, same: Same) -> History {
        let mut history = History::new(start, same);
        moves.into_iter().for_each(|mv| history.play(mv));
        history
    }

    /// One more move.
    pub fn play(&mut self, mv: Move) {
        self.now = self.now.play(mv);
        self.keys.push(key(&self.now, self.same));
    }

    /// One more ply of a record, whose FEN says where it led: also moves that are missing, see [`Position::play_recorded`].
    pub fn play_recorded(&mut self, mv: Move, fen: &str) {
        self.now = self.now.play_recorded(mv, fen);
        self.keys.push(key(&self.now, self.same));
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.now
    }

    /// Plies after which the position on the board stood there, now included; 0 is the start.
    pub fn occurrences(&self) -> Vec<u32> {
        let now = self.keys.last();
        (0..).zip(&self.keys).filter(|(_, key)| Some(*key) == now).map(|(ply, _)| ply).collect()
    }

    /// What a claim by this player would be worth.
    pub fn claim(&self, by: Color, claimed: Claimed, rests: Rests, rules: &DrawRules) -> Claim {
        let refused = |finding| Claim { finding, occurrences: self.occurrences(), quiet: self.now.halfmoves() };
        if self.now.ending().is_some() {
            return refused(Finding::Ended);
        }
        let Some(least) = rules.claim(claimed, rests) else { return refused(Finding::NotAtHand) };
        if by != self.now.turn() {
            return refused(Finding::NotOnMove);
        }
        let after = match rests {
            Rests::OnBoard => self.clone(),
            Rests::OnIntended(mv) if !self.now.is_legal(mv) => return refused(Finding::IllegalMove),
            Rests::OnIntended(mv) => {
                let mut after = self.clone();
                after.play(mv);
                after
            }
        };
        let (occurrences, quiet) = (after.occurrences(), after.now.halfmoves());
        let times = occurrences.len();
        let finding = match claimed {
            Claimed::Repetition if times >= least as usize => Finding::Repeated { times },
            Claimed::Repetition => Finding::TooFewTimes { times },
            Claimed::FiftyMoves => match least.saturating_mul(2) {
                of if quiet >= of => Finding::Quiet { moves: quiet / 2 },
                of => Finding::TooFewMoves { missing: of - quiet, of },
            },
        };
        Claim { finding, occurrences, quiet }
    }

    /// Whether the game is drawn as it stands, without a claim. Mate and stalemate come first.
    pub fn drawn(&self, rules: &DrawRules) -> Option<Drawn> {
        if self.now.ending().is_some() || self.is_mate() {
            return None;
        }
        let occurrences = self.occurrences();
        // The same player's alternate moves: every fourth ply.
        let in_a_row =
            || occurrences.iter().rev().zip(occurrences.iter().rev().skip(1)).take_while(|(a, b)| *a - *b == 4).count() + 1;
        if let Some((times, kind)) = rules.five_fold {
            let times = times as usize;
            if occurrences.len() >= times && (kind == FiveFold::Any || in_a_row() >= times) {
                return Some(Drawn::FiveTimes { occurrences });
            }
        }
        let moves = rules.seventy_five.filter(|moves| self.now.halfmoves() >= moves.saturating_mul(2))?;
        Some(Drawn::SeventyFiveMoves { moves })
    }

    /// Also in an irregular position, of which [`Position::ending`] says nothing.
    fn is_mate(&self) -> bool {
        self.now.ending() == Some(Ending::Checkmate) || self.now.is_check() && self.now.legal_moves().is_empty()
    }
}

fn key(position: &Position, same: Same) -> PositionKey {
    match same {
        Same::Rights => position.key(),
        Same::Moves => without_barred_castling(position).key(),
    }
}

/// The position with only those rights to castle that could be used if it were that player's move.
fn without_barred_castling(position: &Position) -> Position {
    let setup = position.to_setup();
    if setup.castling_rights.is_empty() {
        return position.clone();
    }
    let mode = if position.is_chess960() { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let open = [position.clone(), position.passed()].into_iter().flat_map(|position| {
        position.legal_moves().into_iter().filter_map(|mv| match mv {
            Move::Castle { rook, .. } => Some(rook),
            _ => None,
        })
    });
    let castling_rights = open.fold(Bitboard::EMPTY, |all, rook| all | Bitboard::from_square(rook));
    Position::from_setup(Setup { castling_rights, ..setup }, mode)
}
