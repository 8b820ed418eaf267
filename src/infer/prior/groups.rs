//! The groups of features, each with its weights in the file.

macro_rules! groups {
    ($($(#[$doc:meta])* $variant:ident($name:literal, $length:expr)),+ $(,)?) => {
        /// A group of features. A move has at most one feature of most groups.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FeatureGroup {
            $($(#[$doc])* $variant,)+
        }

        impl FeatureGroup {
            /// All groups, in the order of their weights.
            pub const ALL: &[FeatureGroup] = &[$(FeatureGroup::$variant),+];
            const LENGTHS: &[usize] = &[$($length),+];
            const NAMES: &[&str] = &[$($name),+];
        }
    };
}

groups! {
    /// Where the piece goes: phase, role, square as the player sees it.
    To("to", 3 * 6 * 64),
    /// Where it comes from.
    From("from", 3 * 6 * 64),
    /// A quiet move: role, least valuable attacker of the square, whether it is defended.
    Quiet("quiet", 6 * 7 * 2),
    /// A capture: role, victim, least valuable defender of the victim, whether the mover's side defends the square.
    Capture("capture", 6 * 5 * 7 * 2),
    /// A capture by phase: phase, victim.
    CapturePhase("capture_phase", 3 * 5),
    /// A capture by the exchange: the value won, from -9 to 9 pawns.
    Exchange("exchange", 19),
    /// An attacked piece moves away: role, least valuable attacker, whether it was defended.
    Attacked("attacked", 6 * 7 * 2),
    /// Another piece of the mover is threatened: its role, what the move does about it.
    Threat("threat", 5 * 5),
    /// The move leaves a piece without its only defender: its role.
    Undefended("undefended", 5),
    /// Attacks something worth more, or undefended: role, target, whether the mover is safe there.
    Attack("attack", 6 * 5 * 2),
    /// Gives check: role, kind of the check.
    Check("check", 6 * 3),
    /// Gives check: the free squares around the king, from 0 to 3, whether the mover is safe.
    Mate("mate", 4 * 2),
    /// Leaves check: by a move of the king, a capture, or a piece in between.
    Evasion("evasion", 3),
    /// Captures what has just moved: whether that was a capture itself, role, victim.
    Recapture("recapture", 2 * 6 * 5),
    /// The piece of the player's last move moves again: phase, role.
    Again("again", 3 * 6),
    /// The player's last move is taken back: role, whether the opponent has taken theirs back, too.
    Undo("undo", 6 * 2),
    /// The opponent's last move: its role (0 if unknown), this role.
    Reply("reply", 7 * 6),
    /// How far the piece lands from the opponent's last move: role, squares.
    Near("near", 6 * 8),
    /// Attacks the piece of the opponent's last move, or is attacked by it on its old square: role.
    Answer("answer", 2 * 6),
    /// Castling: phase, side.
    Castling("castling", 3 * 2),
    /// King or rook moves, and castling is no longer possible: phase, which of them.
    GivesUpCastling("gives_up_castling", 3 * 2),
    /// Promotion: role, whether it is safe.
    Promotion("promotion", 4 * 2),
    /// A passed pawn advances: rank, whether it is safe.
    Passed("passed", 8 * 2),
    /// What a pawn does: attacks a pawn, is doubled, becomes isolated, is defended by a pawn, advances two squares; by phase.
    Pawn("pawn", 3 * 6),
    /// A pawn in front of its own king advances: whether the opponent has a queen, the files between, ranks to go.
    Shield("shield", 2 * 3 * 2),
    /// A rook or queen comes to a file: role, pawns on it, and pawns on the file it leaves.
    File("file", 2 * 4 * 4),
    /// How many more squares the piece attacks, from -8 to 8: role.
    Mobility("mobility", 4 * 17),
    /// How many squares around the opponent's king it attacks: role.
    KingAttack("king_attack", 6 * 6),
    /// How many squares around its own king it defends: role.
    KingDefence("king_defence", 6 * 6),
    /// An exchange of pieces of one value: material of the mover.
    Trade("trade", 3),
    /// A square that pawns defend, and that the opponent's pawns cannot attack: role.
    Outpost("outpost", 6),
    /// The square is or is not one that a pawn of the opponent attacks after its next move: role.
    Driven("driven", 6 * 2),
    /// The roles of the player's last move and of this one.
    Own("own", 7 * 6),
    /// How many squares the piece attacked before it moved, in pairs: role.
    Idle("idle", 4 * 8),
    /// The piece comes nearer to the opponent's king or leaves it: role, whether the opponent has a queen, squares.
    Tropism("tropism", 6 * 2 * 5),
    /// A pawn advances, by its distance from the file of the opponent's king: phase.
    Storm("storm", 3 * 4),
    /// A pawn captures towards the centre or away from it: phase.
    Centre("centre", 3 * 3),
    /// Attacks several pieces that are worth more or undefended: role.
    Fork("fork", 6),
    /// The square is attacked twice, and not defended twice: role, whether the move is a capture.
    Outnumbered("outnumbered", 6 * 2),
    /// A king in an endgame comes nearer to the other, keeps its distance, or leaves.
    KingDistance("king_distance", 3),
}

/// Number of all features.
pub const FEATURES: usize = {
    let (mut sum, mut index) = (0, 0);
    while index < FeatureGroup::LENGTHS.len() {
        sum += FeatureGroup::LENGTHS[index];
        index += 1;
    }
    sum
};

impl FeatureGroup {
    /// The index of the first feature of each group.
    const OFFSETS: [usize; FeatureGroup::LENGTHS.len()] = {
        let mut offsets = [0; FeatureGroup::LENGTHS.len()];
        let mut index = 1;
        while index < offsets.len() {
            offsets[index] = offsets[index - 1] + FeatureGroup::LENGTHS[index - 1];
            index += 1;
        }
        offsets
    };

    /// Its name in the file of weights.
    pub fn name(self) -> &'static str {
        FeatureGroup::NAMES[self as usize]
    }

    /// Number of weights in a row of the file.
    pub(super) fn row_length(self) -> usize {
        match self {
            FeatureGroup::To | FeatureGroup::From => 8,
            _ => 14,
        }
    }

    /// The index of one of its features among all.
    pub(super) fn feature(self, index: usize) -> usize {
        debug_assert!(index < self.range().len(), "{self:?} has no feature {index}");
        FeatureGroup::OFFSETS[self as usize] + index
    }

    /// The indices of its features among all.
    pub fn range(self) -> std::ops::Range<usize> {
        let start = FeatureGroup::OFFSETS[self as usize];
        start..start + FeatureGroup::LENGTHS[self as usize]
    }
}
