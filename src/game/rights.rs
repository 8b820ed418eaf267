//! Who may see what, and who may do what. Each right is one row of a table: the checks in front-ends, the polkit actions and the
//! policies of the bus follow from it.

use super::words::words;

/// Who may see something. Each audience sees what those before it see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Everybody, with the delay of the public.
    Public,
    /// Those who run the tournament: boards, devices, health problems, pairings and games, live; no alerts about what players did.
    Operator,
    /// The arbiters: everything, live.
    Arbiter,
}

impl Audience {
    /// Returns whether this is the public.
    pub fn is_public(self) -> bool {
        self == Audience::Public
    }
}

/// What a person is to the tournament. Each role has the rights of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Looks after boards, pairings and results, and corrects what sensors did not see.
    Operator,
    /// Sees all alerts, and gives rulings.
    Arbiter,
    /// Decides on the Laws, the delay of the public, and who may log in.
    Administrator,
}

words! {
    Role { Operator = "operator", Arbiter = "arbiter", Administrator = "administrator" }
}

impl Role {
    /// Returns what the role may see.
    pub fn audience(self) -> Audience {
        match self {
            Role::Operator => Audience::Operator,
            Role::Arbiter | Role::Administrator => Audience::Arbiter,
        }
    }

    /// Returns whether the role has a right.
    pub fn has(self, right: Right) -> bool {
        self >= right.role()
    }

    /// Returns the rights of the role, in the order in which they are declared.
    pub fn rights(self) -> impl Iterator<Item = Right> {
        Right::ALL.iter().copied().filter(move |right| self.has(*right))
    }

    /// Returns whether a holder of this role may let others log in with the other role.
    pub fn may_grant(self, other: Role) -> bool {
        self >= other
    }
}

/// Declares the rights. A row has what the right is for, its word, the least role that has it, and what polkit shows: what is done,
/// and what somebody who has to authenticate is told.
macro_rules! rights {
    ($(
        $(#[doc = $about:literal])+
        $right:ident = $word:literal, $role:ident, $description:literal, $message:literal;
    )+) => {
        /// A right.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Right {
            $($(#[doc = $about])+ $right,)+
        }

        words! { Right { $($right = $word),+ } }

        impl Right {
            /// All rights, in the order in which they are declared.
            pub const ALL: &'static [Right] = &[$(Right::$right),+];

            fn row(self) -> &'static Row {
                match self {
                    $(Right::$right => &Row {
                        about: concat!($($about),+),
                        role: Role::$role,
                        action: concat!("org.touchmove1.", $word),
                        description: $description,
                        message: $message,
                    },)+
                }
            }
        }
    };
}

rights! {
    /// Seats, rounds, pairings and results; moving a game to another board.
    Desk = "desk", Operator, "Change seats, pairings and results of a chess tournament",
        "Authentication is required to change seats, pairings and results";
    /// The boards themselves: identifying one, testing its squares, looking for boards over Bluetooth.
    Boards = "boards", Operator, "Identify and test electronic chessboards, and look for them",
        "Authentication is required to identify or test electronic chessboards, or to look for them";
    /// Corrections of what the sensors did not see: moves, promotions, tags.
    Correct = "correct", Operator, "Correct the moves and the tags of a game of chess",
        "Authentication is required to correct a game";
    /// Acknowledging alerts, and checking claims.
    Acknowledge = "acknowledge", Arbiter, "Acknowledge what the arbiter of a game is told",
        "Authentication is required to acknowledge an alert";
    /// Rulings: everything else that changes a game.
    Rule = "rule", Arbiter, "Rule on a game of chess", "Authentication is required to rule on a game";
    /// The Laws of a game.
    Laws = "laws", Administrator, "Set the Laws of a game of chess", "Authentication is required to set the Laws of a game";
    /// The configuration, the delay among it; tokens; backups.
    Administer = "administer", Administrator, "Change the configuration of touchmove, and let others log in to its page",
        "Authentication is required to change the configuration of touchmove";
}

/// What is declared of a right.
struct Row {
    about: &'static str,
    role: Role,
    action: &'static str,
    description: &'static str,
    message: &'static str,
}

impl Right {
    /// Returns what the right is for, in a few words.
    pub fn about(self) -> &'static str {
        self.row().about.trim_start()
    }

    /// Returns the least role that has the right.
    pub fn role(self) -> Role {
        self.row().role
    }

    /// Returns the id of its polkit action.
    pub fn polkit_action(self) -> &'static str {
        self.row().action
    }

    /// Returns what polkit shows: what is done, and what somebody who has to authenticate is told.
    pub fn polkit_texts(self) -> (&'static str, &'static str) {
        (self.row().description, self.row().message)
    }
}
