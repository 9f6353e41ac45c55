//! What became of each span of sentences in memory.

use pyo3::prelude::*;
use spanrs_eval::{Event, Events, Spans};

use crate::error::{Error, Result};
use crate::scorer::{FilterTuple, MatcherTuple, matcher, type_filter};
use crate::span_lists::{Sides, SpanLists};

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
    let filter = type_filter(filter_tuple);
    py.detach(|| {
        let sides = Sides::new(gold, pred, |name| filter.counts(name));
        let mut matcher = matcher(&matcher_tuple)?;
        matcher.resolve_ties();
        let mut events = Events::default();
        let mut found = Vec::new();
        sides.run(|sentence, pair| {
            events.0.clear();
            let compared = matcher.compare(&pair, &mut events);
            compared.map_err(|error| Error::unmatched(sentence, error))?;
            let span = |side: Spans<'_>, at: Option<u32>| {
                let (span, runs) = side.get(at? as usize);
                let tokens = runs.map(|runs| runs.iter().flat_map(|run| run.0..run.1).collect());
                let name = sides.types[span.ty as usize].to_owned();
                Some((name, span.start, span.end, tokens))
            };
            let wanted = events.of(criterion);
            found.extend(wanted.map(
                |&Event {
                     outcome,
                     gold,
                     pred,
                     ..
                 }| {
                    let (g, p) = (span(pair.gold, gold), span(pair.pred, pred));
                    (outcome, sentence, gold, pred, g, p)
                },
            ));
            Ok(())
        })?;
        Ok(found)
    })
}
