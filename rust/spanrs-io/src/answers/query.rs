//! What the model was asked for.

use std::collections::HashSet;

use super::vocabulary::is_common_type;

/// What the model was asked for: it decides what an answer leaves open.
///
/// ```
/// use spanrs_io::answers::{Query, read_answer};
/// let query = Query::new(Some("PER"), ["PER", "LOC"]);
/// let answer = read_answer(r#"["Anna"]"#, &query);
/// assert_eq!(answer.mentions[0].ty.as_deref(), Some("PER"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    ty: Option<String>,
    /// Types in the form of [`folded`].
    types: HashSet<String>,
}

impl Query {
    /// Creates a query.
    ///
    /// `ty` is the type of mentions without a type, for queries that ask for one type. `types` is
    /// the schema; it decides which of two strings is the type, but does not exclude other types.
    pub fn new<S: AsRef<str>>(ty: Option<&str>, types: impl IntoIterator<Item = S>) -> Self {
        Self {
            ty: ty.map(str::to_owned),
            types: types
                .into_iter()
                .map(|ty| folded(ty.as_ref()))
                .chain(ty.map(folded))
                .collect(),
        }
    }

    /// The type of mentions without a type.
    pub(super) fn ty(&self) -> Option<&str> {
        self.ty.as_deref()
    }

    /// True if the schema is unknown.
    pub(super) fn has_no_types(&self) -> bool {
        self.types.is_empty()
    }

    /// True if the schema contains the type, ignoring case and the difference of `_`, `-` and
    /// space.
    pub(super) fn is_type(&self, name: &str) -> bool {
        // Longer strings are not folded, because an answer may contain many of them.
        name.len() <= 200 && !self.types.is_empty() && self.types.contains(&folded(name))
    }

    /// True for a type of the schema, or of common schemas if the schema is unknown.
    pub(super) fn is_usual(&self, name: &str) -> bool {
        match self.has_no_types() {
            true => is_common_type(name),
            false => self.is_type(name),
        }
    }
}

/// A type or key in lower case, with spaces for `_` and `-`.
pub(super) fn folded(name: &str) -> String {
    let name = name.trim().to_lowercase();
    name.replace(['_', '-'], " ")
}
