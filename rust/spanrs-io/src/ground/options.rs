//! Options and errors of grounding.

use serde::{Deserialize, Serialize};
use spanrs_base::{Coded, ErrorClass, Interrupted};

use super::stream::Level;

/// A way in which occurrences may differ from a mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The same characters.
    Exact,
    /// The same after full case folding, with other white space.
    Case,
    /// The same after NFKC, with other quotes and dashes.
    Unicode,
    /// Similar tokens.
    Fuzzy,
    /// The same as in the stage unicode, but inside words.
    Part,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 5] = [
        Self::Exact,
        Self::Case,
        Self::Unicode,
        Self::Fuzzy,
        Self::Part,
    ];

    /// Returns the name.
    ///
    /// ```
    /// assert_eq!(spanrs_io::ground::Stage::Part.name(), "part");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Case => "case",
            Self::Unicode => "unicode",
            Self::Fuzzy => "fuzzy",
            Self::Part => "part",
        }
    }

    /// Returns how texts are normalised in this stage.
    pub(super) fn level(self, diacritics: bool) -> Level {
        match self {
            Self::Exact => Level::Exact,
            Self::Case => Level::Case,
            Self::Unicode | Self::Part | Self::Fuzzy => Level::Unicode { diacritics },
        }
    }
}

/// Options of [`super::ground`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroundOptions {
    /// The stages, which always run in the order of [`Stage::ALL`].
    pub stages: Vec<Stage>,
    /// Minimum similarity of an approximate occurrence, more than 0 and at most 1.
    pub threshold: f64,
    /// Whether diacritics are ignored from the stage unicode on.
    pub diacritics: bool,
}

impl Default for GroundOptions {
    fn default() -> Self {
        Self {
            stages: Stage::ALL.to_vec(),
            threshold: 0.75,
            diacritics: false,
        }
    }
}

impl GroundOptions {
    /// Maximum length of a text, and of all its mentions together, in bytes.
    pub(super) const MAX_BYTES: usize = 1 << 27;

    /// Checks the ranges of the options.
    ///
    /// # Errors
    /// [`GroundError::Threshold`].
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::ground::GroundOptions;
    /// let options = GroundOptions { threshold: 1.5, ..GroundOptions::default() };
    /// assert!(options.check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), GroundError> {
        match self.threshold > 0.0 && self.threshold <= 1.0 {
            true => Ok(()),
            false => Err(GroundError::Threshold(self.threshold)),
        }
    }
}

/// Why mentions were not grounded.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GroundError {
    /// A threshold that is not a proportion.
    #[error("threshold must be more than 0 and at most 1, not {0}")]
    Threshold(f64),
    /// A text, or all mentions of a text together, have more than 128 MiB.
    #[error("a text or its mentions are longer than 128 MiB; split the text into documents")]
    TooLong,
    /// The mentions of a text are too long for an automaton.
    #[error("the mentions of a text are too long to be searched together; ground fewer at a time")]
    Automaton,
    /// The caller requested a stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Coded for GroundError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Threshold(_) => (ErrorClass::Value, "threshold"),
            Self::TooLong => (ErrorClass::Limit, "text_too_long"),
            Self::Automaton => (ErrorClass::Limit, "mentions_too_long"),
            Self::Interrupted(error) => error.kind(),
        }
    }
}
