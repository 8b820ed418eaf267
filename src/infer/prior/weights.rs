//! The fitted weights: `config/data/prior/moves.toml`.

use super::{FEATURES, FeatureGroup};
use std::sync::LazyLock;

/// The weight of each feature, in sixteenths of a bit; the more, the likelier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(Box<[i16]>);

/// A file of weights that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadWeights {
    /// It is not TOML.
    #[error("the file is not TOML: {0}")]
    Syntax(String),
    /// It has no weights of a group.
    #[error("the group \"{0}\" is missing")]
    Missing(&'static str),
    /// A group has not as many weights as features.
    #[error("the group \"{group}\" has {found} weights, not {expected}")]
    Length {
        /// Name of the group.
        group: &'static str,
        /// Number of its features.
        expected: usize,
        /// Number of weights in the file.
        found: usize,
    },
    /// A weight is no whole number, or too large.
    #[error("the group \"{0}\" has a weight that is no whole number from -32768 to 32767")]
    Value(&'static str),
    /// There are weights of a group that does not exist.
    #[error("there is no group \"{0}\"")]
    Unknown(String),
}

/// The text of the file.
static FILE: &str = include_str!("../../../config/data/prior/moves.toml");

static BUILT_IN: LazyLock<Weights> = LazyLock::new(|| Weights::parse(FILE).unwrap_or_else(|_| Weights::uniform()));

impl Weights {
    /// Returns the weights that are part of the program.
    pub fn built_in() -> &'static Weights {
        &BUILT_IN
    }

    /// Returns weights with which all moves are equally likely.
    pub fn uniform() -> Weights {
        Weights::from_fn(|_| 0)
    }

    /// Returns the weights that this function gives to the features.
    pub fn from_fn(weight: impl FnMut(usize) -> i16) -> Weights {
        Weights((0..FEATURES).map(weight).collect())
    }

    /// Returns the weight of a feature; 0 if there is no such feature.
    pub fn get(&self, feature: usize) -> i16 {
        self.0.get(feature).copied().unwrap_or(0)
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// Returns the first problem: every group needs exactly as many weights as it has features.
    pub fn parse(text: &str) -> Result<Weights, BadWeights> {
        let file: toml::Table =
            text.parse().map_err(|error: toml::de::Error| BadWeights::Syntax(error.message().to_owned()))?;
        let empty = toml::Table::new();
        let table = file.get("weights").and_then(toml::Value::as_table).unwrap_or(&empty);
        if let Some(unknown) = table.keys().find(|key| FeatureGroup::ALL.iter().all(|group| group.name() != key.as_str())) {
            return Err(BadWeights::Unknown(unknown.clone()));
        }
        let mut weights = Vec::with_capacity(FEATURES);
        for group in FeatureGroup::ALL {
            let name = group.name();
            let values = table.get(name).and_then(toml::Value::as_array).ok_or(BadWeights::Missing(name))?;
            let (expected, found) = (group.range().len(), values.len());
            if found != expected {
                return Err(BadWeights::Length { group: name, expected, found });
            }
            for value in values {
                let weight = value.as_integer().and_then(|weight| i16::try_from(weight).ok());
                weights.push(weight.ok_or(BadWeights::Value(name))?);
            }
        }
        Ok(Weights(weights.into()))
    }

    /// Returns the table `[weights]` of a file, with the description of each group.
    pub fn to_toml(&self) -> String {
        let mut text = String::from("[weights]\n");
        for group in FeatureGroup::ALL {
            text.push_str(&format!("{} = [\n", group.name()));
            let values: Vec<String> = group.range().map(|feature| self.get(feature).to_string()).collect();
            for row in values.chunks(group.row_length()) {
                text.push_str(&format!("  {},\n", row.join(", ")));
            }
            text.push_str("]\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_is_read() {
        assert_eq!(Weights::parse(FILE).as_ref(), Ok(Weights::built_in()));
        assert_ne!(*Weights::built_in(), Weights::uniform());
    }

    #[test]
    fn weights_are_written_as_they_are_read() {
        let weights = Weights::from_fn(|feature| (feature % 401) as i16 - 200);
        assert_eq!(Weights::parse(&weights.to_toml()), Ok(weights));
    }

    #[test]
    fn a_damaged_file_is_refused_with_the_reason() {
        let text = Weights::uniform().to_toml();
        let castling = "\ncastling = [\n  0, 0, 0, 0, 0, 0,\n]\n";
        assert!(text.contains(castling));
        let refused = |by: &str| Weights::parse(&text.replace(castling, by)).unwrap_err();
        assert_eq!(refused("\n"), BadWeights::Missing("castling"));
        assert_eq!(refused("\ncastling = [0, 0]\n"), BadWeights::Length { group: "castling", expected: 6, found: 2 });
        for bad in ["0.5", "40000", "\"0\""] {
            assert_eq!(refused(&format!("\ncastling = [0, 0, 0, 0, 0, {bad}]\n")), BadWeights::Value("castling"));
        }
        assert_eq!(refused(&format!("{castling}castle = [0]\n")), BadWeights::Unknown("castle".to_owned()));
        assert!(matches!(refused("\ncastling\n"), BadWeights::Syntax(_)));
        assert_eq!(Weights::parse(""), Err(BadWeights::Missing("to")));
    }
}
