//! Lists of errors: the outcomes of a criterion that are no true positives, each with its place and
//! its context.
//!
//! The files are walked again after scoring, because counts do not know places. Sentences whose
//! sides have the same tags have no errors and are skipped, except where the sides are in two
//! schemes.
//!
//! With the exact matcher, gold `PER` 5..7 and pred `PER` 5..6 are two errors, missed and spurious.
//! Gold `LOC` 3..4 and pred `ORG` 3..4 are one, mistyped: the outcome of the pair replaces the
//! missed and the spurious span of which it consists.

use spanrs_base::{Position, Span};
use spanrs_eval::{Event as Found, Events, Matcher, Pair, Spans, TypeFilter};
use spanrs_tags::Reader;

use crate::Progress;
use crate::error::{Error, Result};
use crate::error_list::SpanErrors;
use crate::pairs::{SentencePair, walk};
use crate::score::Sides;

/// A span of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedSpan {
    /// Its type.
    pub ty: String,
    /// First token, from 0.
    pub start: i64,
    /// One past the last token.
    pub end: i64,
    /// Index of the span among those of its side of the sentence that are counted, from 0.
    pub index: u32,
}

/// An outcome that is no true positive, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanError {
    /// Index of the outcome in the criterion.
    pub outcome: u8,
    /// Sentence of the file, from 0.
    pub sentence: u64,
    /// Line of gold, from 1, of the token at which the gold span begins, or the pred span if there
    /// is no gold span.
    pub line: u64,
    /// The gold span, if there is one.
    pub gold: Option<TypedSpan>,
    /// The pred span, if there is one.
    pub pred: Option<TypedSpan>,
    /// Index of the first of `tokens` in the sentence, from 0.
    pub first: usize,
    /// Number of tokens of the sentence.
    pub length: usize,
    /// The tokens of the spans and their context; none if gold has no tokens.
    pub tokens: Vec<String>,
}

/// A kind of error: outcome, gold type and pred type. Types are None if there is no such span.
pub type ErrorKind = (u8, Option<String>, Option<String>);

/// Which errors are listed and kept.
#[derive(Clone, Debug)]
pub struct ErrorOptions {
    /// Index of the criterion in the matcher's schema.
    pub criterion: u8,
    /// Indices of its outcomes that are errors.
    pub wrong: Vec<u8>,
    /// Index of the outcome of a pair of spans that have outcomes of their own as well. These are
    /// then not listed.
    pub paired: Option<u8>,
    /// Number of tokens to keep before and after the spans.
    pub context: usize,
    /// Number of errors of each kind to keep, the first ones; None for all.
    pub most: Option<u64>,
}

/// Lists the errors of a file against another one, or of a column against another one.
///
/// The files must have been scored before: `reader` knows their schemes, and misaligned tokens are
/// not reported again. Only types that `filter` counts are compared. The matcher is asked to
/// resolve ties ([`Matcher::resolve_ties`]), so that of several matchings with the same counts
/// always the same one is listed. Memory is that of the errors that are kept.
///
/// # Errors
/// As [`crate::score()`], and [`Error::Unmatched`] with the first line of the sentence in gold.
///
/// # Examples
/// ```
/// use spanrs::eval::{Exact, TypeFilter};
/// use spanrs::io::{Column, ColumnReader, Columns, LineReader};
/// use spanrs::{ErrorOptions, Sides, errors, tags};
/// let source = Box::new(&b"Rome B-LOC B-ORG\nslept O O\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let (tag, second) = (Column::Index(1), Some(Column::Index(2)));
/// let rows = ColumnReader::new(lines, Columns { tag, second, ..Default::default() })?;
/// let (scheme, filter) = (tags::Scheme::Bio, TypeFilter::default());
/// let mut reader = tags::Reader::new(scheme, Default::default(), Default::default()).unwrap();
/// // Missed, spurious and mistyped; the last is the outcome of a pair.
/// let (wrong, paired) = (vec![1, 2, 3], Some(3));
/// let options = ErrorOptions { criterion: 0, wrong, paired, context: 1, most: None };
/// let (sides, matcher) = (Sides::One(Box::new(rows)), &mut Exact::default());
/// let found = errors(sides, &mut reader, matcher, &filter, &options, &mut |_| true)?;
/// let error = found.get(0).unwrap();
/// assert_eq!((found.len(), error.outcome, error.line), (1, 3, 1));
/// assert_eq!(error.tokens, ["Rome", "slept"]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn errors(
    sides: Sides,
    reader: &mut Reader,
    matcher: &mut dyn Matcher,
    filter: &TypeFilter,
    options: &ErrorOptions,
    progress: &mut Progress<'_>,
) -> Result<SpanErrors> {
    matcher.resolve_ties();
    let mut finder = Finder {
        matcher,
        filter,
        options,
        events: Events::default(),
        spans: Default::default(),
        found: SpanErrors::default(),
    };
    walk(sides, reader, progress, |reader, pair, path| {
        if reader.has_two_schemes() || pair.gold.ids != pair.pred.ids {
            finder.compare(reader, pair, path)?;
        }
        Ok(())
    })?;
    Ok(finder.found)
}

/// State of a walk that lists errors; the buffers are reused for all sentences.
struct Finder<'a> {
    /// Decides which spans answer each other.
    matcher: &'a mut dyn Matcher,
    /// Which types are compared.
    filter: &'a TypeFilter,
    /// Which errors are listed and kept.
    options: &'a ErrorOptions,
    /// Outcomes of the current sentence.
    events: Events,
    /// Spans of gold and pred of the current sentence, of types that are compared.
    spans: [Vec<Span<i64>>; 2],
    /// The errors so far.
    found: SpanErrors,
}

impl Finder<'_> {
    /// Finds the errors of a sentence; `path` is that of gold.
    ///
    /// # Errors
    /// [`Error::Unmatched`].
    fn compare(&mut self, reader: &Reader, pair: &SentencePair, path: &str) -> Result<()> {
        let readers = [reader.gold(), reader.pred()];
        let sides = [&pair.gold, &pair.pred];
        for ((spans, side_reader), side) in self.spans.iter_mut().zip(readers).zip(sides) {
            let mut read = Vec::new();
            side_reader.spans_into(&side.ids, &mut read);
            spans.clear();
            let kept = read.into_iter().map(Span::<i64>::from);
            spans.extend(kept.filter(|span| self.filter.counts(reader.type_name(span.ty))));
        }
        let [gold, pred] = &self.spans;
        self.events.0.clear();
        let both = Pair::new(Spans::whole(gold), Spans::whole(pred));
        let compared = self.matcher.compare(&both, &mut self.events);
        compared.map_err(|error| Error::Unmatched {
            position: Position::line(path, pair.gold.line(0)),
            error,
        })?;
        let events = std::mem::take(&mut self.events);
        // Spans of pairs have outcomes of their own as well, which are not listed again.
        let mut paired = [vec![false; gold.len()], vec![false; pred.len()]];
        for event in events.of(self.options.criterion) {
            if Some(event.outcome) == self.options.paired {
                for (side, index) in paired.iter_mut().zip([event.gold, event.pred]) {
                    if let Some(index) = index {
                        side[index as usize] = true;
                    }
                }
            }
        }
        let is_paired = |side: usize, index: Option<u32>| {
            index.is_some_and(|index| paired[side][index as usize])
        };
        for event in events.of(self.options.criterion) {
            let listed = Some(event.outcome) == self.options.paired
                || !(is_paired(0, event.gold) || is_paired(1, event.pred));
            if listed && self.options.wrong.contains(&event.outcome) {
                self.keep(event, reader, pair);
            }
        }
        self.events = events;
        Ok(())
    }

    /// Counts an error, and keeps it unless there are enough of its kind.
    fn keep(&mut self, event: &Found, reader: &Reader, pair: &SentencePair) {
        let [gold, pred] = &self.spans;
        let typed = |spans: &[Span<i64>], index: Option<u32>| {
            let span = spans.get(index? as usize)?;
            Some(TypedSpan {
                ty: reader.type_name(span.ty).to_owned(),
                start: span.start,
                end: span.end,
                index: index?,
            })
        };
        let (gold, pred) = (typed(gold, event.gold), typed(pred, event.pred));
        let name = |span: &Option<TypedSpan>| span.as_ref().map(|span| span.ty.clone());
        let kind = (event.outcome, name(&gold), name(&pred));
        let number = self.found.numbers.entry(kind).or_insert(0);
        *number += 1;
        if self.options.most.is_some_and(|most| *number > most) {
            return;
        }
        let both = || [&gold, &pred].into_iter().flatten();
        let start = both().map(|span| span.start).min().unwrap_or(0) as usize;
        let end = both().map(|span| span.end).max().unwrap_or(0) as usize;
        let length = pair.gold.ids.len();
        let first = start.saturating_sub(self.options.context);
        let last = end.saturating_add(self.options.context).min(length);
        let anchor = gold.as_ref().or(pred.as_ref()).map_or(0, |span| span.start);
        self.found.push(&SpanError {
            outcome: event.outcome,
            sentence: pair.number,
            line: pair.gold.line(anchor as u32),
            first,
            length,
            tokens: pair.tokens.texts(first..last),
            gold,
            pred,
        });
    }
}
