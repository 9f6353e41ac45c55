//! Lexicons: lists of phrases and clusters of words, which templates look up.
//!
//! | type | macro | content |
//! |---|---|---|
//! | [`Gazetteer`] | `%in[0,0,name]` | phrases of one or more tokens, each with a type or without |
//! | [`Clusters`] | `%cluster[0,0,name]` | the cluster of each word, such as a bit string of Brown et al. (1992) |
//!
//! A [`Lexicons`] gives them names. [`crate::Template::with_lexicons`] binds a template to its
//! lexicons, and a trained model contains the lexicons of its template, so a model file is complete.
//!
//! Lexicons are immutable, and all clones share the content. Equal lexicons have equal bytes in
//! model files, whatever the order of their phrases or words was.

mod clusters;
mod files;
mod gazetteer;
mod tensors;

use std::collections::BTreeMap;
use std::sync::Arc;

use spanrs_base::{Coded, ErrorClass, Position};

pub use clusters::Clusters;
pub use files::WordColumn;
pub use gazetteer::{Gazetteer, NameOptions};
pub(crate) use gazetteer::{MatchBuffers, fold};

/// The reason why the file of a lexicon was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}")]
pub struct LexiconError {
    /// The file, line and byte column.
    pub position: Position,
    /// Stable name of the error: `encoding`, or `lexicon`.
    pub code: &'static str,
    /// Description of the error and how to correct it, without a full stop.
    pub message: String,
}

impl Coded for LexiconError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Format, self.code)
    }

    fn position(&self) -> Option<Position> {
        Some(self.position.clone())
    }
}

/// The two kinds of lexicons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexiconKind {
    /// A [`Gazetteer`].
    Gazetteer,
    /// [`Clusters`].
    Clusters,
}

impl LexiconKind {
    /// The name in messages and in model files: `gazetteer` or `clusters`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gazetteer => "gazetteer",
            Self::Clusters => "clusters",
        }
    }

    /// The macro that looks up such a lexicon, without the percent sign.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::Gazetteer => "in",
            Self::Clusters => "cluster",
        }
    }
}

/// A gazetteer or clusters. Clones share the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lexicon {
    /// Phrases.
    Gazetteer(Arc<Gazetteer>),
    /// Clusters of words.
    Clusters(Arc<Clusters>),
}

impl Lexicon {
    /// The kind of the lexicon.
    pub fn kind(&self) -> LexiconKind {
        match self {
            Self::Gazetteer(_) => LexiconKind::Gazetteer,
            Self::Clusters(_) => LexiconKind::Clusters,
        }
    }

    /// Whether upper and lower case are the same.
    pub fn ignore_case(&self) -> bool {
        match self {
            Self::Gazetteer(gazetteer) => gazetteer.ignore_case(),
            Self::Clusters(clusters) => clusters.ignore_case(),
        }
    }
}

impl From<Gazetteer> for Lexicon {
    fn from(gazetteer: Gazetteer) -> Self {
        Self::Gazetteer(Arc::new(gazetteer))
    }
}

impl From<Clusters> for Lexicon {
    fn from(clusters: Clusters) -> Self {
        Self::Clusters(Arc::new(clusters))
    }
}

/// Lexicons by name, in the order of their names.
///
/// # Examples
/// ```
/// use spanrs_crf::{Extractor, Gazetteer, Lexicons, Template};
/// let cities = Gazetteer::new([(["New", "York"], None)], false)?;
/// let lexicons: Lexicons = [("cities".to_owned(), cities.into())].into_iter().collect();
/// let template = Template::parse("U:%in[0,0,cities]")?.with_lexicons(&lexicons)?;
/// let mut values = Vec::new();
/// Extractor::new(&template)
///     .extract(&[&["in", "New", "York"]], |_, value| values.push(value.to_owned()))?;
/// assert_eq!(values, ["U:O", "U:B", "U:E"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lexicons(BTreeMap<String, Lexicon>);

impl Lexicons {
    /// The lexicon of this name.
    pub fn get(&self, name: &str) -> Option<&Lexicon> {
        self.0.get(name)
    }

    /// Names and lexicons, in the order of the names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Lexicon)> {
        self.0
            .iter()
            .map(|(name, lexicon)| (name.as_str(), lexicon))
    }

    /// Number of lexicons.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no lexicons.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Lexicon)> for Lexicons {
    fn from_iter<T: IntoIterator<Item = (String, Lexicon)>>(lexicons: T) -> Self {
        Self(lexicons.into_iter().collect())
    }
}
