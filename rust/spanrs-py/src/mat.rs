//! MATScore's scoring: the compiled part of `spanrs.mat`.

use pyo3::prelude::*;
use spanrs::base::Interrupted;
use spanrs::eval::Unmatched;
use spanrs::eval::mat::{Matcher, Rules, Unit, Unpaired};
use spanrs::eval::outcomes::Counts;
use spanrs::mat::{Outcome, PlainDetail, Unscored, score_documents};

use crate::documents::PyDocument;
use crate::error::Result;
use crate::plain::Plain;
use crate::stop;

/// Scores pairs of documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct MatScorer {
    rules: Rules,
    /// Initial state, which is cloned for each pair.
    matcher: Matcher,
    details: bool,
}

/// Why documents were not scored: a code and a message.
type Reason = (&'static str, String);

#[pymethods]
impl MatScorer {
    #[new]
    #[pyo3(signature = (rules, units, unpaired, details, /))]
    fn new(
        rules: Plain<Rules>,
        units: Plain<Vec<Unit>>,
        unpaired: Plain<Unpaired>,
        details: bool,
    ) -> Self {
        Self {
            rules: rules.0,
            matcher: Matcher::new(&units.0)
                .with_unpaired(unpaired.0)
                .with_watch(stop),
            details,
        }
    }

    /// Scores a pred document against a gold document. If they cannot be scored, returns the reason.
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

/// The outcome of a pair of documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct MatOutcome(Outcome);

#[pymethods]
impl MatOutcome {
    /// The pairs, in the order of the text.
    fn details(&self) -> Plain<Vec<PlainDetail>> {
        Plain(self.0.plain_details())
    }

    /// Number of pred tokens.
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
