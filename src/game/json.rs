//! How values are written as JSON, for `#[serde(with = "…")]`.

pub(crate) mod squares;

use super::GameResult;
use super::words::Word;
use crate::laws::LawsWord;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Writes a value as its word.
pub(crate) mod word {
    use super::*;
    pub(crate) fn serialize<T: Word, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.word())
    }
    pub(crate) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        T::from_word(&text).ok_or_else(|| {
            let known: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
            de::Error::custom(format!("`{text}` is not one of {}", known.join(", ")))
        })
    }
}

/// Like [`word`], for the words of the files under `config/data/laws`.
pub(crate) mod word_of_law {
    use super::*;
    pub(crate) fn serialize<T: LawsWord, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.word())
    }
    pub(crate) fn deserialize<'de, T: LawsWord, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        T::from_word(&text).ok_or_else(|| {
            let known: Vec<&str> = T::ALL.iter().map(|value| value.word()).collect();
            de::Error::custom(format!("`{text}` is not one of {}", known.join(", ")))
        })
    }
}

/// Serializes a value by its `Display` and `FromStr` implementations.
pub(crate) mod text {
    use super::*;
    pub(crate) fn serialize<T: std::fmt::Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }
    pub(crate) fn deserialize<'de, T: std::str::FromStr<Err: std::fmt::Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// Like [`word`], for several values.
pub(crate) mod words {
    use super::*;
    pub(crate) fn serialize<T: Word, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(|value| value.word()))
    }
    pub(crate) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        let words = Vec::<String>::deserialize(from)?;
        let value = |word: &String| T::from_word(word).ok_or_else(|| de::Error::custom(format!("`{word}` is not known")));
        words.iter().map(value).collect()
    }
}

/// Serializes a result; `*` means that there is none yet.
pub(crate) mod result_or_star {
    use super::*;
    pub(crate) fn serialize<S: Serializer>(value: &Option<GameResult>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.map_or("*", Word::word))
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<GameResult>, D::Error> {
        match String::deserialize(from)?.as_str() {
            "*" => Ok(None),
            text => GameResult::from_word(text)
                .map(Some)
                .ok_or_else(|| de::Error::custom(format!("`{text}` is not one of 1-0, 0-1, 1/2-1/2, *"))),
        }
    }
}

/// Like [`result_or_star`], for two results.
pub(crate) mod two_results {
    use super::*;
    #[derive(Serialize, Deserialize)]
    struct One(#[serde(with = "result_or_star")] Option<GameResult>);
    type Two = (Option<GameResult>, Option<GameResult>);
    pub(crate) fn serialize<S: Serializer>((one, other): &Two, to: S) -> Result<S::Ok, S::Error> {
        (One(*one), One(*other)).serialize(to)
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Two, D::Error> {
        <(One, One)>::deserialize(from).map(|(one, other)| (one.0, other.0))
    }
}

/// Like [`word`], for an optional value; `None` is `null`.
pub(crate) mod word_or_null {
    use super::*;
    pub(crate) fn serialize<T: Word, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.map(Word::word).serialize(to)
    }
    pub(crate) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        #[derive(Deserialize)]
        #[serde(bound = "T: Word")]
        struct Wrapper<T: Word>(#[serde(with = "word")] T);
        Ok(Option::<Wrapper<T>>::deserialize(from)?.map(|wrapper| wrapper.0))
    }
}

/// Like [`text`], for a list.
pub(crate) mod texts {
    use super::*;
    pub(crate) fn serialize<T: std::fmt::Display, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(ToString::to_string))
    }
    pub(crate) fn deserialize<'de, T: std::str::FromStr<Err: std::fmt::Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| text.parse().map_err(de::Error::custom)).collect()
    }
}
