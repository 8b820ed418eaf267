//! The names that boards advertise, and the models that they suggest.

/// How surely a name tells the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The family probably, the model perhaps: a handshake or the user decides.
    Possible,
    /// Programs of others rely on the name, but owners can change it, or other devices may have it.
    Likely,
    /// The maker documents the name.
    Documented,
}

/// The form of an advertised name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePattern {
    /// Exactly this.
    Exact(&'static str),
    /// Anything that begins with this.
    Prefix(&'static str),
}

impl NamePattern {
    /// Returns whether a name has this form.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            NamePattern::Exact(exact) => name == *exact,
            NamePattern::Prefix(prefix) => name.starts_with(prefix),
        }
    }
}

/// A name that a board advertises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvertisedName {
    /// The form of the name.
    pub pattern: NamePattern,
    /// The name of the model ([`crate::boards::Model::name`]).
    pub model: &'static str,
    /// How surely the name tells the model.
    pub certainty: Certainty,
}

const fn exact(name: &'static str, model: &'static str, certainty: Certainty) -> AdvertisedName {
    AdvertisedName { pattern: NamePattern::Exact(name), model, certainty }
}

const fn prefix(name: &'static str, model: &'static str, certainty: Certainty) -> AdvertisedName {
    AdvertisedName { pattern: NamePattern::Prefix(name), model, certainty }
}

/// The known names, the most specific first: of two rows that match, the earlier one counts unless both have the same pattern.
/// Boards of model `cpp` have any name; they are known by their service.
pub static ADVERTISED_NAMES: &[AdvertisedName] = &[
    exact("Chessnut Move", "chessnut-move", Certainty::Documented),
    prefix("Chessnut", "chessnut", Certainty::Documented),
    prefix("DGT_Pegasus", "pegasus", Certainty::Likely),
    prefix("DGT_BT_", "dgt", Certainty::Likely),
    prefix("PCS-REVII", "dgt", Certainty::Likely),
    prefix("ChessUp", "chessup", Certainty::Likely),
    prefix("iChessOne", "ichessone", Certainty::Possible),
    prefix("Certabo", "certabo", Certainty::Possible),
    prefix("Certabo", "cerno", Certainty::Possible),
    prefix("Certabo", "sentio", Certainty::Possible),
    prefix("Square", "square-off", Certainty::Possible),
    exact("HOSBoard", "staunton", Certainty::Likely),
    exact("MILLENNIUM CHESS", "millennium", Certainty::Likely),
];

/// Returns the rows that this name suggests: those of the first pattern that matches.
pub fn candidates(name: &str) -> impl Iterator<Item = &'static AdvertisedName> {
    let first = ADVERTISED_NAMES.iter().find(|row| row.pattern.matches(name)).map(|row| row.pattern);
    ADVERTISED_NAMES.iter().filter(move |row| first == Some(row.pattern))
}
