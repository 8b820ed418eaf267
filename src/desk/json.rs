//! The JSON form of maps whose keys are numbers. Inside an act serde does not convert the keys, which are strings in JSON.

/// Values by number: an object whose keys are the numbers.
pub(super) mod numbered {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub(in crate::desk) fn serialize<T: Serialize, S: Serializer>(values: &BTreeMap<u16, T>, to: S) -> Result<S::Ok, S::Error> {
        values.serialize(to)
    }

    pub(in crate::desk) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<u16, T>, D::Error> {
        let number =
            |key: String| key.parse().map_err(|_| D::Error::custom(format!("{key:?} is not a number from 0 to 65535")));
        BTreeMap::<String, T>::deserialize(from)?.into_iter().map(|(key, value)| Ok((number(key)?, value))).collect()
    }
}

/// The games of each pairing: a list of rounds, tables and numbers of games.
pub(super) mod games {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    type Games = BTreeMap<u16, BTreeMap<u16, Vec<u64>>>;

    pub(in crate::desk) fn serialize<S: Serializer>(games: &Games, to: S) -> Result<S::Ok, S::Error> {
        let row = |(round, tables): (&u16, &BTreeMap<u16, Vec<u64>>)| {
            let round = *round;
            tables.iter().map(move |(table, games)| (round, *table, games.clone())).collect::<Vec<_>>()
        };
        games.iter().flat_map(row).collect::<Vec<(u16, u16, Vec<u64>)>>().serialize(to)
    }

    pub(in crate::desk) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Games, D::Error> {
        let mut games = Games::new();
        for (round, table, of_table) in Vec::<(u16, u16, Vec<u64>)>::deserialize(from)? {
            games.entry(round).or_default().insert(table, of_table);
        }
        Ok(games)
    }
}
