//! Scoring of lists of spans, and the outcome of each span.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use spanrs_base::Watch;

use super::{Sides, SpanLists};
use crate::detail::{Detail, NamedSpan};
use crate::input::{DocumentEnds, InputError};
use crate::matcher::{Matcher, Pair, Piece, Pieces};
use crate::scorer::Scorer;
use crate::spans::Spans;
use crate::type_filter::TypeFilter;
use spanrs_tags::Reader;

/// Which outcomes of a criterion are listed as errors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanErrorOptions {
    /// Index of the criterion in the matcher's schema.
    pub criterion: u8,
    /// Indices of the criterion's outcomes that are errors.
    pub wrong: Vec<u8>,
    /// Index of the outcome of a pair of spans that also have individual outcomes. The individual outcomes are then not
    /// listed.
    pub paired: Option<u8>,
    /// Maximum number of errors of each kind to keep, in order of occurrence; None to keep all.
    pub most: Option<u64>,
}

/// A kind of error: name of the outcome, gold type and pred type.
pub type SpanErrorKind = (&'static str, Option<String>, Option<String>);

/// The number of errors of each kind.
pub type SpanErrorNumbers = Vec<(SpanErrorKind, u64)>;

/// Calls `each` with the outcomes of a criterion, sentence by sentence.
fn outcomes_of(
    sides: &Sides<'_>,
    matcher: &mut dyn Matcher,
    criterion: u8,
    watch: Watch,
    mut each: impl FnMut(usize, &Pair<'_>, &[&Piece]),
) -> Result<(), InputError> {
    matcher.resolve_ties();
    let mut pieces = Pieces::default();
    sides.run(watch, |sentence, pair| {
        pieces.0.clear();
        let compared = matcher.compare(&pair, &mut pieces);
        compared.map_err(|error| InputError::unmatched(sentence, error))?;
        let of_criterion: Vec<_> = pieces.of(criterion).collect();
        each(sentence, &pair, &of_criterion);
        Ok(())
    })
}

/// Returns an outcome as plain data.
fn detail(
    sides: &Sides<'_>,
    sentence: usize,
    pair: &Pair<'_>,
    piece: &Piece,
    outcome: &'static str,
) -> Detail {
    let event = &piece.event;
    let span = |side: Spans<'_>, at: Option<u32>| {
        let (span, runs) = side.get(at? as usize);
        let (start, end) = piece.bounds(&span);
        // A part of a span has no gaps.
        let runs = runs.filter(|_| piece.range.is_none());
        Some(NamedSpan {
            ty: sides.types[span.ty as usize].to_owned(),
            start,
            end,
            tokens: runs.map(|runs| runs.iter().flat_map(|run| run.0..run.1).collect()),
        })
    };
    Detail {
        outcome,
        sentence: sentence as u64,
        gold: span(pair.gold, event.gold),
        pred: span(pair.pred, event.pred),
        gold_index: event.gold,
        pred_index: event.pred,
        ..Detail::default()
    }
}

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
    let outcomes = matcher.schema().outcomes(criterion);
    let mut details = Vec::new();
    outcomes_of(
        &sides,
        matcher,
        criterion,
        watch,
        |sentence, pair, pieces| {
            details.extend(pieces.iter().map(|piece| {
                let outcome = outcomes[usize::from(piece.event.outcome)].name;
                detail(&sides, sentence, pair, piece, outcome)
            }));
        },
    )?;
    Ok(details)
}

/// Returns the kept errors in matching order, and the number of errors of each kind, kept or not, in the order of first
/// occurrence.
///
/// # Errors
/// Same as [`span_details`].
///
/// ```
/// use spanrs_eval::{Exact, SpanErrorOptions, SpanLists, TypeFilter, span_errors};
/// let side = |ty: &str| SpanLists::of_tuples(vec![vec![(ty.to_owned(), 0, 1)]; 3], Vec::new());
/// let (gold, pred, filter) = (side("PER"), side("ORG"), TypeFilter::default());
/// // A pair with different types is listed once, not as a missed and a spurious span.
/// let options = SpanErrorOptions { criterion: 0, wrong: vec![1, 2, 3], paired: Some(3), most: Some(1) };
/// let listed = span_errors((&gold, &pred), &mut Exact::default(), &filter, &options, || false);
/// let (errors, numbers) = listed.unwrap();
/// assert_eq!((errors.len(), errors[0].outcome), (1, "mistyped"));
/// assert_eq!(numbers, [(("mistyped", Some("PER".to_owned()), Some("ORG".to_owned())), 3)]);
/// ```
pub fn span_errors(
    (gold, pred): (&SpanLists, &SpanLists),
    matcher: &mut dyn Matcher,
    filter: &TypeFilter,
    options: &SpanErrorOptions,
    watch: Watch,
) -> Result<(Vec<Detail>, SpanErrorNumbers), InputError> {
    let sides = Sides::new(gold, pred, |name| filter.counts(name));
    let outcomes = matcher.schema().outcomes(options.criterion);
    let (mut errors, mut numbers) = (Vec::new(), Vec::new());
    let mut kinds: HashMap<(u8, Option<u32>, Option<u32>), usize> = HashMap::new();
    let ty = |side: Spans<'_>, at: Option<u32>| Some(side.get(at? as usize).0.ty);
    outcomes_of(
        &sides,
        matcher,
        options.criterion,
        watch,
        |sentence, pair, pieces| {
            let events = pieces.iter().map(|piece| &piece.event);
            let pairs = events
                .clone()
                .filter(|event| Some(event.outcome) == options.paired);
            let (golds, preds): (HashSet<_>, HashSet<_>) =
                pairs.map(|event| (event.gold, event.pred)).unzip();
            for piece in pieces
                .iter()
                .filter(|piece| options.wrong.contains(&piece.event.outcome))
            {
                let event = &piece.event;
                let is_in_pair = event.gold.is_some() && golds.contains(&event.gold)
                    || event.pred.is_some() && preds.contains(&event.pred);
                if is_in_pair && Some(event.outcome) != options.paired {
                    continue;
                }
                let kind = (
                    event.outcome,
                    ty(pair.gold, event.gold),
                    ty(pair.pred, event.pred),
                );
                let at = *kinds.entry(kind).or_insert_with(|| {
                    numbers.push((kind, 0));
                    numbers.len() - 1
                });
                numbers[at].1 += 1;
                if options.most.is_none_or(|most| numbers[at].1 <= most) {
                    let outcome = outcomes[usize::from(event.outcome)].name;
                    errors.push(detail(&sides, sentence, pair, piece, outcome));
                }
            }
        },
    )?;
    let name = |ty: Option<u32>| ty.map(|ty| sides.types[ty as usize].to_owned());
    let numbers = numbers.into_iter().map(|((outcome, gold, pred), n)| {
        let outcome = outcomes[usize::from(outcome)].name;
        ((outcome, name(gold), name(pred)), n)
    });
    Ok((errors, numbers.collect()))
}

impl Scorer {
    /// Adds the sentences of lists of spans, without types that the filter excludes. A failed call adds nothing.
    ///
    /// # Errors
    /// Same as [`span_details`].
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
