//! Schemas of counts by name.

use spanrs_base::UnknownName;
use spanrs_eval::outcomes::Schema;

/// Schemas of this crate.
const SCHEMAS: &[&Schema] = &[
    #[cfg(feature = "dep")]
    &crate::dep_files::SCHEMA,
];

/// Returns the schema of the counts of a matcher, which is one of
/// [`eval::schemas`](spanrs_eval::schemas) or `dep` for the comparison of trees.
///
/// [`Counts::from_bytes`](spanrs_eval::outcomes::Counts::from_bytes) needs the schema to load
/// counts.
///
/// # Errors
/// [`UnknownName`] if no matcher has this name.
///
/// ```
/// assert_eq!(spanrs::schema_of("exact").unwrap().name, "exact");
/// assert_eq!(spanrs::schema_of("dep").unwrap().name, "dep");
/// let error = spanrs::schema_of("best").unwrap_err();
/// assert!(error.to_string().starts_with("unknown matcher \"best\"; expected one of exact, "));
/// ```
pub fn schema_of(name: &str) -> Result<&'static Schema, UnknownName> {
    let mut schemas = spanrs_eval::schemas().chain(SCHEMAS.iter().copied());
    let known = schemas.clone().map(|schema| schema.name);
    schemas
        .find(|schema| schema.name == name)
        .ok_or_else(|| UnknownName {
            what: "matcher",
            name: name.to_owned(),
            known: known.collect(),
        })
}
