//! Who looks at the page.

/// What somebody may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// The games, as late as the event has it.
    Public,
    /// Boards, devices, trouble, pairings and games, live; no alerts.
    #[allow(dead_code)] // who logs in
    Operator,
    /// Everything, live.
    Arbiter,
}

impl Audience {
    /// Everybody.
    pub fn is_public(self) -> bool {
        self == Audience::Public
    }
}
