//! Scoring lists of spans, and finding out what became of each span.

use spanrs_base::Watch;

use super::{Sides, SpanLists};
use crate::detail::{Detail, NamedSpan};
use crate::input::{DocumentEnds, InputError};
use crate::matcher::{Events, Matcher};
use crate::scorer::Scorer;
use crate::spans::Spans;
use crate::type_filter::TypeFilter;
use spanrs_tags::Reader;

/// Returns the outcomes of a criterion, in matching order.
///
/// # Errors
/// [`InputError::Unmatched`] for spans that the matcher refuses; [`InputError::Interrupted`].
///
/// ```
/// use spanrs_eval::{Exact, SpanLists, TypeFilter, span_details};
/// let side = |end| SpanLists::of_tuples(vec![vec![("PER".to_owned(), 0, end)]], Vec::new());
/// let (gold, pred, filter) = (side(2), side(1), TypeFilter::default());
/// let details = span_details((&gold, &pred), &mut Exact::default(), &filter, 0, || false).unwrap();
/// let missed = details.iter().find_map(|detail| detail.gold.as_ref()).unwrap();
/// assert_eq!((details.len(), &*missed.ty, missed.end), (2, "PER", 2));
/// ```
pub fn span_details(
    (gold, pred): (&SpanLists, &SpanLists),
    matcher: &mut dyn Matcher,
    filter: &TypeFilter,
    criterion: u8,
    watch: Watch,
) -> Result<Vec<Detail>, InputError> {
    let sides = Sides::new(gold, pred, |name| filter.counts(name));
    matcher.resolve_ties();
    let outcomes = matcher.schema().criteria[usize::from(criterion)].outcomes;
    let mut events = Events::default();
    let mut details = Vec::new();
    sides.run(watch, |sentence, pair| {
        events.0.clear();
        let compared = matcher.compare(&pair, &mut events);
        compared.map_err(|error| InputError::unmatched(sentence, error))?;
        let span = |side: Spans<'_>, at: Option<u32>| {
            let (span, runs) = side.get(at? as usize);
            Some(NamedSpan {
                ty: sides.types[span.ty as usize].to_owned(),
                start: span.start,
                end: span.end,
                tokens: runs.map(|runs| runs.iter().flat_map(|run| run.0..run.1).collect()),
            })
        };
        details.extend(events.of(criterion).map(|event| Detail {
            outcome: outcomes[usize::from(event.outcome)].name,
            sentence: sentence as u64,
            gold: span(pair.gold, event.gold),
            pred: span(pair.pred, event.pred),
            gold_index: event.gold,
            pred_index: event.pred,
            ..Detail::default()
        }));
        Ok::<_, InputError>(())
    })?;
    Ok(details)
}

impl Scorer {
    /// Adds the sentences of lists of spans, without types that the filter leaves out. A failed call adds nothing.
    ///
    /// # Errors
    /// As [`span_details`].
    ///
    /// ```
    /// use spanrs_eval::outcomes::{Measure, Prf};
    /// use spanrs_eval::{Exact, Scorer, SpanLists};
    /// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
    /// let reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
    /// let side = SpanLists::of_tuples(vec![vec![("PER".to_owned(), 0, 2)]], Vec::new());
    /// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
    /// scorer.add_span_lists(&reader, &side, &side, None, || false).unwrap();
    /// assert_eq!(scorer.counts(&reader).measure(&Measure::Micro(Prf::f1(0))), 1.0);
    /// ```
    pub fn add_span_lists(
        &mut self,
        reader: &Reader,
        gold: &SpanLists,
        pred: &SpanLists,
        documents: Option<&DocumentEnds>,
        watch: Watch,
    ) -> Result<(), InputError> {
        let mut part = self.part(reader);
        let filter = part.filter().clone();
        let sides = Sides::new(gold, pred, |name| filter.counts(name));
        let name = |ty: u32| sides.types[ty as usize].to_owned();
        let mut cells = part.type_cells();
        let mut ends = documents.map(|documents| documents.from(0));
        sides.run(watch, |sentence, pair| {
            let added = part.add_spans(&pair, &mut cells, &name);
            added.map_err(|error| InputError::unmatched(sentence, error))?;
            let end = ends.as_mut().and_then(|ends| ends.ends_at(sentence + 1));
            if let Some(document) = end {
                part.flush_spans(&mut cells, &name);
                part.end_document(reader, document);
            }
            Ok::<_, InputError>(())
        })?;
        part.flush_spans(&mut cells, &name);
        self.add_part(part, reader);
        Ok(())
    }
}
