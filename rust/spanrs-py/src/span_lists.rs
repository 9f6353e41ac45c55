//! Spans in memory: gold or pred, by sentence.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use spanrs::eval::input::numbering;
use spanrs::eval::{
    Detail, MatcherOptions, Run, SpanErrorNumbers, SpanErrorOptions, SpanLists as Core,
    TagSentences, TypeFilter,
};
use spanrs::tags::ReaderOptions;

use crate::error::Result;
use crate::ids::IdSides;
use crate::nested_lists::NestedLists;
use crate::options::matcher;
use crate::plain::Plain;
use crate::stop;

/// The spans of one side, by sentence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SpanLists(pub(crate) Core);

/// (type, start, end) of the spans of each sentence.
type SentenceTuples<'a> = Vec<Vec<(&'a str, i64, i64)>>;
/// The runs of tokens in each span; None for all tokens between its boundaries.
type TokenRuns = Vec<Option<Vec<Run>>>;

#[pymethods]
impl SpanLists {
    /// The types of the spans, sorted; includes the types of both sides if they were read together.
    fn types(&self) -> Vec<&str> {
        self.0.types().iter().map(String::as_str).collect()
    }

    /// All spans, in a list for each sentence.
    fn sentences(&self) -> SentenceTuples<'_> {
        self.0.tuples()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Support for copies and pickles.
    #[allow(clippy::type_complexity)] // The result contains the arguments of `span_lists`.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (SentenceTuples<'_>, Option<TokenRuns>))> {
        let make = py.import("spanrs._spanrs")?.getattr("span_lists")?;
        Ok((make, (self.sentences(), self.0.token_runs())))
    }
}

/// Creates one side from sentences as returned by [`SpanLists::sentences`] and the tokens of all
/// spans.
#[pyfunction]
#[pyo3(signature = (sentences, tokens=None, /))]
pub(crate) fn span_lists(
    sentences: Vec<Vec<(String, i64, i64)>>,
    tokens: Option<TokenRuns>,
) -> SpanLists {
    SpanLists(Core::of_tuples(sentences, tokens.unwrap_or_default()))
}

/// Gold and pred.
pub(crate) type Both = (SpanLists, SpanLists);

/// Gold and pred.
pub(crate) fn both((gold, pred): (Core, Core)) -> Both {
    (SpanLists(gold), SpanLists(pred))
}

/// The spans in sequences of sequences of tags.
#[pyfunction]
#[pyo3(signature = (gold, pred, reader, /))]
pub(crate) fn span_lists_of_tags(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    reader: Plain<ReaderOptions>,
) -> Result<Both> {
    let mut reader = reader.0.build()?;
    let (mut golds, mut preds) = (TagSentences::default(), TagSentences::default());
    NestedLists::new(gold, pred)?.ids(&mut reader, |gold, pred| {
        golds.push(gold);
        preds.push(pred);
    })?;
    let py = gold.py();
    Ok(both(
        py.detach(|| Core::of_tags(&golds, &preds, &reader, stop))?,
    ))
}

/// The spans in arrays of ids. `lengths` splits one-dimensional arrays into sentences.
#[pyfunction]
#[pyo3(signature = (gold, pred, vocabulary, ignore_index, lengths, reader, /))]
pub(crate) fn span_lists_of_ids(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    vocabulary: Vec<String>,
    ignore_index: i64,
    lengths: Option<PyReadonlyArray1<'_, i64>>,
    reader: Plain<ReaderOptions>,
) -> Result<Both> {
    let mut reader = reader.0.build()?;
    let py = gold.py();
    let sides = IdSides::new(gold, pred, lengths)?;
    let (gold, pred, cut) = sides.values()?;
    let numbers = numbering(&vocabulary, &mut reader)?;
    let [gold, pred] =
        py.detach(|| TagSentences::of_ids(gold, pred, cut, &numbers, ignore_index))?;
    Ok(both(
        py.detach(|| Core::of_tags(&gold, &pred, &reader, stop))?,
    ))
}

/// The kept errors, in matching order, and the number of errors of each kind.
#[pyfunction]
#[pyo3(signature = (gold, pred, matcher_options, type_filter, options, /))]
pub(crate) fn span_errors(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    matcher_options: Plain<MatcherOptions>,
    type_filter: Plain<TypeFilter>,
    options: Plain<SpanErrorOptions>,
) -> Result<(Plain<Vec<Detail>>, SpanErrorNumbers)> {
    let (sides, mut matcher) = ((&gold.0, &pred.0), matcher(matcher_options.0)?);
    let (errors, numbers) = py.detach(|| {
        spanrs::eval::span_errors(sides, &mut *matcher, &type_filter.0, &options.0, stop)
    })?;
    Ok((Plain(errors), numbers))
}

/// The outcomes of a criterion, in matching order.
#[pyfunction]
#[pyo3(signature = (gold, pred, matcher_options, type_filter, criterion, /))]
pub(crate) fn span_details(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    matcher_options: Plain<MatcherOptions>,
    type_filter: Plain<TypeFilter>,
    criterion: u8,
) -> Result<Plain<Vec<Detail>>> {
    let (sides, mut matcher) = ((&gold.0, &pred.0), matcher(matcher_options.0)?);
    let details = py.detach(|| {
        spanrs::eval::span_details(sides, &mut *matcher, &type_filter.0, criterion, stop)
    })?;
    Ok(Plain(details))
}
