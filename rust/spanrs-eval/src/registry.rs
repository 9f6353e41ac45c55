//! Matchers and schemas by name.
//!
//! A matcher has the name of its schema: `exact`, `strings`, `partial`, `fair` and `characters` (and
//! `head` with the feature `example-matcher`) compare tags and spans and can be created here. `mat`
//! has a schema, for stored counts, but its matcher needs documents.

use serde::Deserialize;
use spanrs_base::{Coded, ErrorClass, Limits, UnknownName, Watch};

use crate::exact::Exact;
use crate::matcher::Matcher;
use crate::outcomes::Schema;
use crate::{characters, exact, fair, mat, partial};

/// A matcher by name, with the options of all matchers; each matcher ignores the options that it
/// does not have.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatcherOptions {
    /// The name. Default: `exact`.
    pub name: String,
    /// For `partial`: minimum overlap of a pair, in per cent of the length of the gold span; with 0,
    /// a common position suffices.
    pub min_overlap: f64,
    /// For `partial`: true for the pairs with the greatest total credit, false for nervaluate's
    /// greedy walk over the pred spans.
    pub optimal: bool,
    /// For `characters`: smallest intersection over union of a covered span; greater than 0 and at
    /// most 1.
    pub iou_threshold: f64,
    /// For all but `exact`, `strings` and `head`: called at intervals; returns true to stop.
    #[serde(skip, default = "never")]
    pub watch: Watch,
}

fn never() -> Watch {
    || false
}

impl Default for MatcherOptions {
    fn default() -> Self {
        Self {
            name: exact::SCHEMA.name.to_owned(),
            min_overlap: 1.0,
            optimal: false,
            iou_threshold: characters::IOU_THRESHOLD,
            watch: never(),
        }
    }
}

impl MatcherOptions {
    /// Creates the matcher.
    ///
    /// # Errors
    /// [`BadMatcher::Name`] if the name is not one of [`matcher_names`]; [`BadMatcher::Range`] if
    /// `min_overlap` or `iou_threshold` is out of its range, for any matcher.
    ///
    /// ```
    /// use spanrs_eval::{MatcherOptions, matcher_names};
    /// let options = |name: &str| MatcherOptions { name: name.to_owned(), ..Default::default() };
    /// assert_eq!(options("fair").build().unwrap().schema().name, "fair");
    /// assert!(options("mat").build().is_err(), "MATScore's matcher needs a text");
    /// assert!(MatcherOptions { iou_threshold: 0.0, ..options("characters") }.build().is_err());
    /// assert!(matcher_names().all(|name| options(name).build().is_ok()));
    /// ```
    pub fn build(&self) -> Result<Box<dyn Matcher>, BadMatcher> {
        let range = |option, value, expected| BadMatcher::Range {
            option,
            value,
            expected,
        };
        if self.min_overlap.is_nan() || self.min_overlap < 0.0 {
            return Err(range("min_overlap", self.min_overlap, "at least 0"));
        }
        let is_proportion = self.iou_threshold > 0.0 && self.iou_threshold <= 1.0;
        if !is_proportion {
            let expected = "greater than 0 and at most 1";
            return Err(range("iou_threshold", self.iou_threshold, expected));
        }
        let entry = MATCHERS.iter().find(|(schema, _)| schema.name == self.name);
        let (_, make) = entry.ok_or_else(|| UnknownName {
            what: "matcher",
            name: self.name.clone(),
            known: matcher_names().collect(),
        })?;
        Ok(make(self))
    }
}

/// Error: the options describe no matcher.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BadMatcher {
    /// No matcher has the name.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// A number is out of its range.
    #[error("{option} must be {expected}, not {value}")]
    Range {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
}

impl Coded for BadMatcher {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Name(error) => error.kind(),
            Self::Range { option, .. } => (ErrorClass::Value, option),
        }
    }
}

/// A schema, which has the name of the matcher, and the constructor of the matcher.
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
    (&characters::SCHEMA, |options| {
        Box::new(characters::Matcher::new(options.iou_threshold).with_watch(options.watch))
    }),
    (&exact::STRINGS, |_| Box::new(Exact::of_strings())),
    #[cfg(feature = "example-matcher")]
    (&crate::head::SCHEMA, |_| Box::new(crate::head::Head)),
];

/// Iterates over the names of the matchers that [`MatcherOptions::build`] creates, in a fixed order.
pub fn matcher_names() -> impl Iterator<Item = &'static str> {
    MATCHERS.iter().map(|(schema, _)| schema.name)
}

/// Iterates over the schemas of the counts of all matchers of this crate, including `mat`, in a
/// fixed order.
pub fn schemas() -> impl Iterator<Item = &'static Schema> + Clone {
    let schemas = MATCHERS.iter().map(|(schema, _)| *schema);
    schemas.chain([&mat::SCHEMA])
}
