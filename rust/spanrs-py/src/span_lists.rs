//! Spans in memory: gold or pred, sentence after sentence.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use spanrs::eval::input::numbering;
use spanrs::eval::{NamedSpan, Run, SpanLists as Core, TagSentences};
use spanrs::tags::{Reader, Reading, Scheme};

use crate::error::Result;
use crate::ids::IdSides;
use crate::nested_lists::NestedLists;
use crate::options::{Choice, FilterTuple, MatcherTuple, PyDialect, matcher, type_filter};
use crate::stop;

/// The spans of one side, sentence after sentence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SpanLists(pub(crate) Core);

/// (type, start, end) of the spans of each sentence.
type SentenceTuples<'a> = Vec<Vec<(&'a str, i64, i64)>>;
/// The runs of tokens of each span; None for all tokens between its bounds.
type TokenRuns = Vec<Option<Vec<Run>>>;

#[pymethods]
impl SpanLists {
    /// The types of the spans, sorted; those of both sides if they were read together.
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
    #[allow(clippy::type_complexity)] // The arguments of `span_lists`.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (SentenceTuples<'_>, Option<TokenRuns>))> {
        let make = py.import("spanrs._spanrs")?.getattr("span_lists")?;
        Ok((make, (self.sentences(), self.0.token_runs())))
    }
}

/// Creates one side from the sentences of [`SpanLists::sentences`] and the tokens of all spans.
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

/// Scheme or `auto`, that of pred if it is named, reading, dialect.
type ReaderOptions = (
    Choice<Option<Scheme>>,
    Option<Choice<Option<Scheme>>>,
    Choice<Reading>,
    PyDialect,
);

/// A reader in these schemes, which are known by now; what has no tag but `O` can be read in any.
fn reader_of((scheme, pred_scheme, reading, dialect): ReaderOptions) -> Result<Reader> {
    let reader = Reader::new(scheme.0.unwrap_or(Scheme::Bio), reading.0, dialect.0)?;
    Ok(match pred_scheme.and_then(|scheme| scheme.0) {
        Some(pred_scheme) => reader.with_pred_scheme(pred_scheme)?,
        None => reader,
    })
}

/// Spans of sequences of sequences of tags.
#[pyfunction]
#[pyo3(signature = (gold, pred, options, /))]
pub(crate) fn span_lists_of_tags(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    options: ReaderOptions,
) -> Result<Both> {
    let mut reader = reader_of(options)?;
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

/// Spans of arrays of ids. `lengths` cuts arrays of one dimension into sentences.
#[pyfunction]
#[pyo3(signature = (gold, pred, vocabulary, ignore_index, lengths, options, /))]
pub(crate) fn span_lists_of_ids(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    vocabulary: Vec<String>,
    ignore_index: i64,
    lengths: Option<PyReadonlyArray1<'_, i64>>,
    options: ReaderOptions,
) -> Result<Both> {
    let mut reader = reader_of(options)?;
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

/// (type, start, end, tokens where they are not all between the bounds)
type SpanTuple = (String, i64, i64, Option<Vec<i64>>);
/// (outcome, sentence, place of the gold span, place of the pred span, gold span, pred span)
type EventTuple = (
    u8,
    usize,
    Option<u32>,
    Option<u32>,
    Option<SpanTuple>,
    Option<SpanTuple>,
);

/// The events of a criterion, in matching order.
#[pyfunction]
#[pyo3(signature = (gold, pred, matcher_tuple, filter_tuple, criterion, /))]
pub(crate) fn span_events(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    matcher_tuple: MatcherTuple,
    filter_tuple: FilterTuple,
    criterion: u8,
) -> Result<Vec<EventTuple>> {
    let (sides, filter) = ((&gold.0, &pred.0), type_filter(filter_tuple));
    let mut matcher = matcher(&matcher_tuple)?;
    let found =
        py.detach(|| spanrs::eval::span_events(sides, &mut *matcher, &filter, criterion, stop))?;
    let span = |span: Option<NamedSpan>| span.map(|s| (s.ty, s.start, s.end, s.tokens));
    let tuples = found.into_iter().map(|found| {
        let (event, sentence) = (found.event, found.sentence);
        let (gold, pred) = (span(found.gold), span(found.pred));
        (event.outcome, sentence, event.gold, event.pred, gold, pred)
    });
    Ok(tuples.collect())
}
