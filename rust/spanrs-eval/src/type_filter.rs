//! The choice of types that are evaluated.

use serde::Deserialize;

/// Which types are counted. The default counts all.
///
/// # Examples
///
/// ```
/// use spanrs_eval::TypeFilter;
/// let exclude = vec!["MISC".to_owned()];
/// let filter = TypeFilter { exclude, ..TypeFilter::default() };
/// assert!(filter.counts("PER") && !filter.counts("MISC"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypeFilter {
    /// Only these types are counted; None to count all types.
    pub keep: Option<Vec<String>>,
    /// These types are not counted, even if they are in `keep`.
    pub exclude: Vec<String>,
}

impl TypeFilter {
    /// Returns whether spans of the type are counted. Linear in the number of listed types; callers
    /// cache the answer.
    pub fn counts(&self, name: &str) -> bool {
        let listed = |names: &[String]| names.iter().any(|listed| listed == name);
        self.keep.as_deref().is_none_or(listed) && !listed(&self.exclude)
    }
}
