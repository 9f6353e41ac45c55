//! Spans in memory: gold or pred, sentence after sentence.

use std::ops::Deref;

use pyo3::prelude::*;
use spanrs_eval::{Pair, Run, Sides as CoreSides, SpanLists as Core};

use crate::error::Result;
use crate::stop;

/// The spans of one side, sentence after sentence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SpanLists(Core);

/// (type, start, end) of the spans of each sentence.
type Sentences<'a> = Vec<Vec<(&'a str, i64, i64)>>;
/// The runs of tokens of each span; None for all tokens between its bounds.
type TokenRuns = Vec<Option<Vec<Run>>>;

#[pymethods]
impl SpanLists {
    /// The types of the spans, sorted; those of both sides if they were read together.
    fn types(&self) -> Vec<&str> {
        self.0.types().iter().map(String::as_str).collect()
    }

    /// All spans, in a list for each sentence.
    fn documents(&self) -> Sentences<'_> {
        self.0.tuples()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Support for copies and pickles.
    #[allow(clippy::type_complexity)] // The arguments of `span_lists`.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Sentences<'_>, Option<TokenRuns>))> {
        let make = py.import("spanrs._spanrs")?.getattr("span_lists")?;
        Ok((make, (self.documents(), self.0.token_runs())))
    }
}

/// Creates one side from the sentences of [`SpanLists::documents`] and the tokens of all spans.
#[pyfunction]
#[pyo3(signature = (sentences, tokens=None, /))]
pub(crate) fn span_lists(
    sentences: Vec<Vec<(String, i64, i64)>>,
    tokens: Option<TokenRuns>,
) -> SpanLists {
    Core::of_tuples(sentences, tokens.unwrap_or_default()).into()
}

impl SpanLists {
    /// Gold and pred.
    pub(crate) fn both((gold, pred): (Core, Core)) -> (Self, Self) {
        (Self(gold), Self(pred))
    }

    /// Number of sentences.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

impl From<Core> for SpanLists {
    fn from(lists: Core) -> Self {
        Self(lists)
    }
}

/// Gold and pred together; Ctrl-C ends a run over them.
pub(crate) struct Sides<'a>(CoreSides<'a>);

impl<'a> Sides<'a> {
    pub(crate) fn new(
        gold: &'a SpanLists,
        pred: &'a SpanLists,
        counts: impl Fn(&str) -> bool,
    ) -> Self {
        Self(CoreSides::new(&gold.0, &pred.0, counts))
    }

    /// Calls `each` with the number and both sides of each sentence.
    pub(crate) fn run(&self, each: impl FnMut(usize, Pair<'_>) -> Result<()>) -> Result<()> {
        self.0.run(stop, each)
    }
}

impl<'a> Deref for Sides<'a> {
    type Target = CoreSides<'a>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
