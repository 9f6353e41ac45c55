//! MATScore's scoring: behind `spanrs.mat`.

use std::collections::HashMap;

use pyo3::prelude::*;
use spanrs::base::{Interrupted, Span, Task};
use spanrs::eval::Unmatched;
use spanrs::eval::mat::{Matcher, Pieces, Rules, Unit, Unpaired};
use spanrs::eval::outcomes::Counts;
use spanrs::mat::{Outcome, Unscored, score_documents};

use crate::documents::{PyDocument, PyTag};
use crate::error::Result;
use crate::options::Choice;
use crate::stop;

/// Scores pairs of documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct MatScorer {
    rules: Rules,
    /// As it is before the first document.
    matcher: Matcher,
    details: bool,
}

/// (tags of the task, content, tokens, classes, ignored labels, pieces)
type RulesTuple = (
    Option<Vec<PyTag>>,
    Option<Vec<String>>,
    Option<Vec<String>>,
    HashMap<String, String>,
    Vec<String>,
    Choice<Pieces>,
);

/// Why documents were not scored: a code, and what to say.
type Reason = (&'static str, String);

#[pymethods]
impl MatScorer {
    #[new]
    #[pyo3(signature = (rules, units, unpaired, details, /))]
    fn new(
        rules: RulesTuple,
        units: Vec<Choice<Unit>>,
        unpaired: Choice<Unpaired>,
        details: bool,
    ) -> Self {
        let (tags, content, tokens, classes, ignore, pieces) = rules;
        let task = |tags: Vec<PyTag>| Task {
            name: String::new(),
            tags: tags.into_iter().map(|tag| tag.0).collect(),
        };
        let units: Vec<Unit> = units.into_iter().map(|unit| unit.0).collect();
        Self {
            rules: Rules {
                task: tags.map(task),
                content: content.map(|names| names.into_iter().collect()),
                tokens: tokens.map(|names| names.into_iter().collect()),
                classes,
                ignore: ignore.into_iter().collect(),
                pieces: pieces.0,
            },
            matcher: Matcher::new(&units)
                .with_unpaired(unpaired.0)
                .with_watch(stop),
            details,
        }
    }

    /// Scores one document of pred against one of gold. What cannot be scored is said in a string.
    #[pyo3(signature = (gold, pred, /))]
    fn score(
        &self,
        py: Python<'_>,
        gold: &PyDocument,
        pred: &PyDocument,
    ) -> Result<(Option<MatOutcome>, Option<Reason>)> {
        let (gold, pred) = (&gold.0, &pred.0);
        let scored = py.detach(|| {
            let mut matcher = self.matcher.clone();
            score_documents(gold, pred, &self.rules, &mut matcher, self.details)
        });
        Ok(match scored {
            Ok(outcome) => (Some(MatOutcome(outcome)), None),
            Err(error) => {
                let code = match &error {
                    Unscored::Texts { .. } => "texts",
                    Unscored::Pieces { .. } => "pieces",
                    Unscored::Unmatched(Unmatched::Stopped) => return Err(Interrupted.into()),
                    Unscored::Unmatched(_) => "too_tangled",
                };
                (None, Some((code, error.to_string())))
            }
        })
    }
}

/// What came of a pair of documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct MatOutcome(Outcome);

/// (label, start, end)
type ScoredTuple<'a> = (&'a str, i64, i64);
/// (kind, gold, pred)
type DetailTuple<'a> = (
    &'static str,
    Option<ScoredTuple<'a>>,
    Option<ScoredTuple<'a>>,
);

#[pymethods]
impl MatOutcome {
    /// (kind, gold, pred), in the order of the text.
    fn details(&self) -> Vec<DetailTuple<'_>> {
        let Outcome { names, details, .. } = &self.0;
        let tuple = |span: Span<i64>| (names[span.ty as usize].as_str(), span.start, span.end);
        details
            .iter()
            .map(|detail| {
                (
                    detail.kind.name(),
                    detail.gold.map(tuple),
                    detail.pred.map(tuple),
                )
            })
            .collect()
    }

    /// The tokens of pred.
    fn tokens(&self) -> usize {
        self.0.tokens
    }

    /// An annotation boundary that is not a token boundary.
    fn misplaced(&self) -> Option<u32> {
        self.0.misplaced
    }
}

impl MatOutcome {
    /// The counts, without documents.
    pub(crate) fn counts(&self) -> &Counts {
        &self.0.counts
    }
}
