//! Lists of errors: the outcomes of a criterion that are no true positives, each with its place and
//! its context.
//!
//! Column files are read again after scoring, because counts do not know places. Sentences whose
//! sides have the same tags have no errors and are skipped, except where the sides are in two
//! schemes. Files of spans list them while they are scored ([`crate::span_files`]).
//!
//! With the exact matcher, gold `PER` 5..7 and pred `PER` 5..6 are two errors, missed and spurious.
//! Gold `LOC` 3..4 and pred `ORG` 3..4 are one, mistyped: the outcome of the pair replaces the
//! missed and the spurious span of which it consists.

use std::ops::Range;

use spanrs_base::{Position, Span};
use spanrs_eval::{Event as Found, Events, Matcher, Pair, Side, Spans, TypeFilter, Unmatched};
use spanrs_io::ColumnReader;
use spanrs_tags::Reader;

use crate::Progress;
use crate::error::{Error, Result};
use crate::error_list::{SpanError, SpanErrors, TypedSpan};
use crate::pair_reader::{OnMisaligned, PairSink, Sides, read_pairs};
use crate::sentence::{Sentence, Tokens, too_many};

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

/// Finds errors, sentence by sentence.
///
/// The matcher is asked to resolve ties ([`Matcher::resolve_ties`]), so that of several matchings
/// with the same counts always the same one is listed. Memory is that of the errors that are kept.
pub struct ErrorFinder {
    /// Decides which spans answer each other.
    matcher: Box<dyn Matcher>,
    /// Which errors are listed and kept.
    options: ErrorOptions,
    /// Outcomes of the current sentence.
    events: Events,
    /// The errors so far.
    found: SpanErrors,
}

/// What is known of a sentence besides its spans.
pub(crate) trait SentenceContext {
    /// Returns the name of a type.
    fn type_name(&self, ty: u32) -> &str;

    /// Returns the line of a span, given with its index among those of its side.
    fn line(&self, side: Side, span: Span<i64>, index: usize) -> u64;

    /// Returns the number of tokens, if it is known.
    fn length(&self) -> Option<usize>;

    /// Returns the tokens in a range, which may end behind the sentence; none if they are not known.
    fn tokens(&self, range: Range<usize>) -> Vec<String>;
}

impl ErrorFinder {
    /// Creates a finder that has found nothing.
    pub fn new(mut matcher: Box<dyn Matcher>, options: ErrorOptions) -> Self {
        matcher.resolve_ties();
        Self {
            matcher,
            options,
            events: Events::default(),
            found: SpanErrors::default(),
        }
    }

    /// Returns the errors.
    pub fn finish(self) -> SpanErrors {
        self.found
    }

    /// Begins a pair of files; `path` is how it is named if there are several.
    pub fn begin_file(&mut self, path: Option<&str>) {
        self.found.begin_file(path);
    }

    /// Finds the errors of a sentence, which has the index `number` in its file.
    ///
    /// # Errors
    /// [`Unmatched`].
    pub(crate) fn add(
        &mut self,
        number: u64,
        sides: [Spans<'_>; 2],
        sentence: &dyn SentenceContext,
    ) -> Result<(), Unmatched> {
        self.events.0.clear();
        let [gold, pred] = sides;
        self.matcher
            .compare(&Pair::new(gold, pred), &mut self.events)?;
        let events = std::mem::take(&mut self.events);
        // Spans of pairs have outcomes of their own as well, which are not listed again.
        let mut paired = [vec![false; gold.all.len()], vec![false; pred.all.len()]];
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
                self.keep(event, number, sides, sentence);
            }
        }
        self.events = events;
        Ok(())
    }

    /// Counts an error, and keeps it unless there are enough of its kind.
    fn keep(
        &mut self,
        event: &Found,
        number: u64,
        sides: [Spans<'_>; 2],
        sentence: &dyn SentenceContext,
    ) {
        let typed = |spans: Spans<'_>, index: Option<u32>| {
            let span = spans.all.get(index? as usize)?;
            let runs = spans.runs(index? as usize);
            Some(TypedSpan {
                ty: sentence.type_name(span.ty).to_owned(),
                start: span.start,
                end: span.end,
                index: index?,
                tokens: runs.map(|runs| runs.iter().flat_map(|&(start, end)| start..end).collect()),
            })
        };
        let (gold, pred) = (typed(sides[0], event.gold), typed(sides[1], event.pred));
        let name = |span: &Option<TypedSpan>| span.as_ref().map(|span| span.ty.clone());
        let kind = (event.outcome, name(&gold), name(&pred));
        let times = self.found.numbers.entry(kind).or_insert(0);
        *times += 1;
        if self.options.most.is_some_and(|most| *times > most) {
            return;
        }
        let both = || [&gold, &pred].into_iter().flatten();
        let start = both().map(|span| span.start).min().unwrap_or(0).max(0) as usize;
        let end = both().map(|span| span.end).max().unwrap_or(0).max(0) as usize;
        let first = start.saturating_sub(self.options.context);
        let last = end.saturating_add(self.options.context);
        let tokens = sentence.tokens(first..last);
        let places = [
            (Side::Gold, sides[0], event.gold),
            (Side::Pred, sides[1], event.pred),
        ];
        let line = places.into_iter().find_map(|(side, spans, index)| {
            let index = index? as usize;
            Some(sentence.line(side, *spans.all.get(index)?, index))
        });
        let length = sentence.length();
        self.found.push(&SpanError {
            outcome: event.outcome,
            path: None,
            sentence: number,
            line: line.unwrap_or(0),
            first: if length.is_some() { first } else { 0 },
            length,
            tokens,
            gold,
            pred,
        });
    }
}

/// Lists the errors of a file against another one, or of a column against another one.
///
/// The files must have been scored before: `reader` knows their schemes, and misaligned tokens are
/// not reported again. Only types that `filter` counts are compared.
///
/// # Errors
/// As [`crate::score()`], and [`Error::Unmatched`] with the first line of the sentence in gold.
///
/// # Examples
/// ```
/// use spanrs::eval::{Exact, TypeFilter};
/// use spanrs::io::{Column, ColumnReader, Columns, LineReader};
/// use spanrs::{ErrorFinder, ErrorOptions, Sides, errors, tags};
/// let source = Box::new(&b"Rome B-LOC B-ORG\nslept O O\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let (tag, second) = (Column::Index(1), Some(Column::Index(2)));
/// let rows = ColumnReader::new(lines, Columns { tag, second, ..Default::default() })?;
/// let (scheme, filter) = (tags::Scheme::Bio, TypeFilter::default());
/// let mut reader = tags::Reader::new(scheme, Default::default(), Default::default()).unwrap();
/// // Missed, spurious and mistyped; the last is the outcome of a pair.
/// let (wrong, paired) = (vec![1, 2, 3], Some(3));
/// let options = ErrorOptions { criterion: 0, wrong, paired, context: 1, most: None };
/// let finder = ErrorFinder::new(Box::new(Exact::default()), options);
/// let sides = Sides::One(Box::new(rows));
/// let found = errors(sides, &mut reader, finder, &filter, &mut |_| true)?;
/// let error = found.get(0).unwrap();
/// assert_eq!((found.len(), error.outcome, error.line), (1, 3, 1));
/// assert_eq!(error.tokens, ["Rome", "slept"]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn errors(
    sides: Sides,
    reader: &mut Reader,
    finder: ErrorFinder,
    filter: &TypeFilter,
    progress: &mut Progress<'_>,
) -> Result<SpanErrors> {
    let mut sink = ErrorSink {
        every: reader.has_two_schemes(),
        reader,
        finder,
        filter,
        gold: Sentence::default(),
        pred: Sentence::default(),
        tokens: Tokens::default(),
        differs: false,
        number: 0,
        run: Vec::new(),
        spans: Default::default(),
    };
    read_pairs(sides, &mut sink, OnMisaligned::Ignore, progress)?;
    Ok(sink.finder.finish())
}

/// Finds the errors of sentences whose tags differ.
struct ErrorSink<'a> {
    reader: &'a mut Reader,
    finder: ErrorFinder,
    /// Which types are compared.
    filter: &'a TypeFilter,
    /// Sentences are compared although their tags are the same.
    every: bool,
    /// Tags of the current sentence.
    gold: Sentence,
    pred: Sentence,
    /// Its tokens in gold.
    tokens: Tokens,
    /// Some of its tags differ.
    differs: bool,
    /// Its number in the file, from 0.
    number: u64,
    /// Ranges of token and tag of the lines of a run, in the buffer of gold, since the last sentence
    /// ended. They are looked at only if the sentence turns out to differ.
    run: Vec<[Range<usize>; 2]>,
    /// Spans of gold and pred of the current sentence, of types that are compared.
    spans: [Vec<Span<i64>>; 2],
}

impl PairSink for ErrorSink<'_> {
    fn follow(&mut self, gold: &mut ColumnReader, pred: &mut ColumnReader) -> Result<u64> {
        let before = gold.line();
        let lag = pred.line().wrapping_sub(before);
        loop {
            let (every, run) = (self.every, &mut self.run);
            let (mut wanted, mut ended) = (self.differs || every, 0);
            // The run is left at the end of a sentence that is compared.
            let followed = pred.follow_lines(gold, |same, _| match same {
                Some(same) => {
                    run.push(same.ranges());
                    Ok(())
                }
                None if wanted => Err(()),
                None => {
                    run.clear();
                    (wanted, ended) = (every, ended + 1);
                    Ok(())
                }
            });
            if ended > 0 {
                self.next(ended);
            }
            let line_of_end = u64::from(followed.is_err());
            self.take_run(gold, gold.line() + 1 - line_of_end, lag)?;
            if followed.is_ok() {
                return Ok(gold.line() - before);
            }
            self.end_sentence(gold)?;
        }
    }

    fn same(&mut self, gold: &ColumnReader, pred: &ColumnReader) -> Result<()> {
        let id = self.gold.push(self.reader, gold, gold.tag())?;
        self.pred.push_id(pred, id);
        self.tokens.push_token(gold);
        Ok(())
    }

    fn token(&mut self, gold: &ColumnReader, pred: &ColumnReader, tags: [&[u8]; 2]) -> Result<()> {
        let gold_id = self.gold.push(self.reader, gold, tags[0])?;
        let pred_id = self.pred.push(self.reader, pred, tags[1])?;
        self.differs |= gold_id != pred_id;
        self.tokens.push_token(gold);
        Ok(())
    }

    fn end_sentence(&mut self, gold: &ColumnReader) -> Result<()> {
        if self.differs || self.every {
            self.compare().map_err(|error| Error::Unmatched {
                position: Position::line(gold.path(), self.gold.line(0)),
                error,
            })?;
        }
        self.next(1);
        Ok(())
    }

    fn begin_document(&mut self) {}
}

impl ErrorSink<'_> {
    /// Begins the sentence after `ended` sentences.
    fn next(&mut self, ended: u64) {
        self.gold.clear();
        self.pred.clear();
        self.tokens.clear();
        self.differs = false;
        self.number += ended;
    }

    /// Adds the tokens of a run, which are on consecutive lines of gold that end before `line`; those
    /// of pred are `lag` higher, modulo 2^64.
    ///
    /// # Errors
    /// [`Error::Tags`] for a tag too many.
    fn take_run(&mut self, gold: &ColumnReader, line: u64, lag: u64) -> Result<()> {
        let first = self.gold.ids.len();
        for [token, tag] in self.run.drain(..) {
            let id = self.reader.intern_bytes(gold.buffered(tag));
            let id = id.map_err(|error| too_many(gold, error))?;
            self.gold.ids.push(id);
            self.pred.ids.push(id);
            if gold.has_tokens() {
                self.tokens.push(gold.buffered(token));
            }
        }
        let tokens = self.gold.ids.len() - first;
        if tokens > 0 {
            let line = line - tokens as u64;
            self.gold.note(first, line);
            self.pred.note(first, line.wrapping_add(lag));
        }
        Ok(())
    }

    /// Finds the errors of the current sentence.
    ///
    /// # Errors
    /// [`Unmatched`].
    fn compare(&mut self) -> Result<(), Unmatched> {
        let readers = [self.reader.gold(), self.reader.pred()];
        let sides = [&self.gold, &self.pred];
        for ((spans, side_reader), side) in self.spans.iter_mut().zip(readers).zip(sides) {
            let mut read = Vec::new();
            side_reader.spans_into(&side.ids, &mut read);
            spans.clear();
            let kept = read.into_iter().map(Span::<i64>::from);
            let counts = |span: &Span<i64>| self.filter.counts(self.reader.type_name(span.ty));
            spans.extend(kept.filter(counts));
        }
        let context = ColumnContext {
            reader: self.reader,
            gold: &self.gold,
            tokens: &self.tokens,
        };
        let [gold, pred] = &self.spans;
        let sides = [Spans::whole(gold), Spans::whole(pred)];
        self.finder.add(self.number, sides, &context)
    }
}

/// A sentence of column files.
struct ColumnContext<'a> {
    reader: &'a Reader,
    gold: &'a Sentence,
    tokens: &'a Tokens,
}

impl SentenceContext for ColumnContext<'_> {
    fn type_name(&self, ty: u32) -> &str {
        self.reader.type_name(ty)
    }

    fn line(&self, _: Side, span: Span<i64>, _: usize) -> u64 {
        self.gold.line(span.start as u32)
    }

    fn length(&self) -> Option<usize> {
        Some(self.gold.ids.len())
    }

    fn tokens(&self, range: Range<usize>) -> Vec<String> {
        self.tokens.texts(range)
    }
}
