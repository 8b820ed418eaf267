//! Enumerations whose values have words in the files under `config/data/laws`.

/// A value with a word in the files, such as an irregularity: one of a closed set.
pub trait LawsWord: Sized + Copy + PartialEq + 'static {
    /// All values, in the order in which they are declared.
    const ALL: &'static [Self];
    /// Returns the word for this value in the files.
    fn word(self) -> &'static str;
    /// Returns the value with this word.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }
}

/// Declares enumerations together with their words; a variant without a word does not compile.
macro_rules! laws_words {
    ($($(#[$about:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? })+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name { $($(#[$doc])* $variant),+ }

        impl $crate::laws::LawsWord for $name {
            const ALL: &'static [Self] = &[$($name::$variant),+];
            fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    )+};
}

pub(in crate::laws) use laws_words;
