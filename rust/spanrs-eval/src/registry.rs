//! Matchers by name.

use spanrs_base::{Limits, UnknownName, Watch};

use crate::exact::Exact;
use crate::matcher::Matcher;
use crate::outcomes::Schema;
use crate::{dep, exact, fair, mat, partial};

/// Options of matchers; each uses those that it has.
#[derive(Clone, Copy, Debug)]
pub struct MatcherOptions {
    /// Share of the gold span, in per cent above 0, that a pair needs.
    pub min_overlap: f64,
    /// The pairs that bring the most credit, instead of the first that fit.
    pub optimal: bool,
    /// Asked at intervals whether to stop.
    pub watch: Watch,
}

/// The schema of a matcher, which has its name, and what makes it.
type Entry = (&'static Schema, fn(&MatcherOptions) -> Box<dyn Matcher>);

/// All matchers of tags and spans. A new one needs nothing but its line here.
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

/// Names of the matchers of tags and spans.
pub fn matcher_names() -> impl Iterator<Item = &'static str> {
    MATCHERS.iter().map(|(schema, _)| schema.name)
}

/// Makes the matcher of a name.
///
/// # Errors
/// [`UnknownName`].
pub fn make_matcher(name: &str, options: &MatcherOptions) -> Result<Box<dyn Matcher>, UnknownName> {
    let found = MATCHERS.iter().find(|(schema, _)| schema.name == name);
    let (_, make) = found.ok_or_else(|| unknown(name, matcher_names()))?;
    Ok(make(options))
}

/// The schema of the counts of a matcher, those of MATScore and of parses included.
///
/// # Errors
/// [`UnknownName`].
///
/// ```
/// assert_eq!(spanrs_eval::schema_of("exact").unwrap().name, "exact");
/// let error = spanrs_eval::schema_of("best").unwrap_err();
/// assert!(error.to_string().starts_with("unknown matcher \"best\"; one of exact, "));
/// ```
pub fn schema_of(name: &str) -> Result<&'static Schema, UnknownName> {
    let schemas = MATCHERS.iter().map(|(schema, _)| *schema);
    let schemas = schemas.chain([&mat::SCHEMA, &dep::SCHEMA]);
    let found = schemas.clone().find(|schema| schema.name == name);
    found.ok_or_else(|| unknown(name, schemas.map(|schema| schema.name)))
}

fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> UnknownName {
    UnknownName {
        what: "matcher",
        name: name.to_owned(),
        known: known.collect(),
    }
}
