//! Matchers and schemas by name.
//!
//! Names are those of the schemas: `exact`, `partial` and `fair` (and `head` with the feature
//! `example-matcher`) compare tags and spans and can be made here. `mat` has a schema, for stored
//! counts, but needs documents.

use spanrs_base::{Limits, UnknownName, Watch};

use crate::exact::Exact;
use crate::matcher::Matcher;
use crate::outcomes::Schema;
use crate::{exact, fair, mat, partial};

/// Options of all matchers; each uses those it has and ignores the others.
#[derive(Clone, Copy, Debug)]
pub struct MatcherOptions {
    /// For `partial`: smallest overlap of a pair, in per cent of the length of the gold span. Above
    /// 0.
    pub min_overlap: f64,
    /// For `partial`: true for the pairs with the greatest total credit, false for nervaluate's
    /// greedy walk over the pred spans.
    pub optimal: bool,
    /// For `partial` and `fair`: asked at intervals whether to stop.
    pub watch: Watch,
}

/// A schema, whose name is that of the matcher, and the constructor of the matcher.
type Entry = (&'static Schema, fn(&MatcherOptions) -> Box<dyn Matcher>);

/// All matchers of tags and spans. A new matcher needs one line here.
static MATCHERS: &[Entry] = &[
    (&exact::SCHEMA, |_| Box::new(Exact::default())),
    (&partial::SCHEMA, |options| {
        let matching = match options.optimal {
            true => partial::Matching::Optimal,
            false => partial::Matching::Greedy,
        };
        let matcher = partial::Matcher::new(matching, options.min_overlap);
        Box::new(
            matcher
                .with_watch(options.watch)
                .with_limits(Limits::default()),
        )
    }),
    (&fair::SCHEMA, |options| {
        Box::new(fair::Matcher::default().with_watch(options.watch))
    }),
    #[cfg(feature = "example-matcher")]
    (&crate::head::SCHEMA, |_| Box::new(crate::head::Head)),
];

/// Iterates over the names that [`make_matcher`] accepts, in a fixed order.
pub fn matcher_names() -> impl Iterator<Item = &'static str> {
    MATCHERS.iter().map(|(schema, _)| schema.name)
}

/// Creates a matcher by name.
///
/// # Errors
/// [`UnknownName`] if it is not one of [`matcher_names`].
///
/// ```
/// use spanrs_eval::{MatcherOptions, make_matcher, matcher_names};
/// let options = MatcherOptions { min_overlap: 1.0, optimal: true, watch: || false };
/// assert_eq!(make_matcher("exact", &options).unwrap().schema().name, "exact");
/// assert!(make_matcher("mat", &options).is_err(), "MATScore's matcher needs a text");
/// assert!(matcher_names().all(|name| make_matcher(name, &options).is_ok()));
/// ```
pub fn make_matcher(name: &str, options: &MatcherOptions) -> Result<Box<dyn Matcher>, UnknownName> {
    let found = MATCHERS.iter().find(|(schema, _)| schema.name == name);
    let (_, make) = found.ok_or_else(|| unknown(name, matcher_names()))?;
    Ok(make(options))
}

/// Iterates over the schemas of the counts of all matchers of this crate, including `mat`, in a
/// fixed order.
pub fn schemas() -> impl Iterator<Item = &'static Schema> + Clone {
    let schemas = MATCHERS.iter().map(|(schema, _)| *schema);
    schemas.chain([&mat::SCHEMA])
}

/// Returns the error for a name that is not one of the known ones.
fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> UnknownName {
    UnknownName {
        what: "matcher",
        name: name.to_owned(),
        known: known.collect(),
    }
}
