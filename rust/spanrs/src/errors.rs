//! Lists of errors: the outcomes of a criterion that are not true positives, each with its position
//! and context.
//!
//! Errors are found while files are scored, because counts contain no positions.
//!
//! With the exact matcher, gold `PER` 5..7 and pred `PER` 5..6 are two errors, missed and spurious.
//! Gold `LOC` 3..4 and pred `ORG` 3..4 are one error, mistyped: the outcome of the pair replaces
//! the missed and the spurious span.

use serde::Deserialize;
use std::ops::Range;

use spanrs_base::Span;
use spanrs_eval::{Matcher, Pair, Piece, Pieces, Side, Spans, TypeFilter, Unmatched};
use spanrs_tags::Reader;

use crate::error_list::{SpanErrors, StoredError, StoredSpan};
use crate::sentence::{Sentence, Tokens};

/// Which errors are listed and kept.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorOptions {
    /// Index of the criterion in the matcher's schema.
    pub criterion: u8,
    /// Indices of the criterion's outcomes that are errors.
    pub wrong: Vec<u8>,
    /// Index of the outcome of a pair of spans that also have individual outcomes. The individual
    /// outcomes are then not listed.
    pub paired: Option<u8>,
    /// Number of tokens to keep before and after the spans.
    pub context: usize,
    /// Number of errors of each kind to keep, in the order of the files; None to keep all.
    pub most: Option<u64>,
}

/// Finds errors, sentence by sentence.
///
/// The matcher resolves ties ([`Matcher::resolve_ties`]), so that the same matching is always
/// listed if several matchings have the same counts. Memory is proportional to the number of errors
/// kept.
pub struct ErrorFinder {
    /// Decides which gold span matches which pred span.
    matcher: Box<dyn Matcher>,
    /// Which errors are listed and kept.
    options: ErrorOptions,
    /// Outcomes of the current sentence.
    pieces: Pieces,
    /// The errors so far.
    found: SpanErrors,
    /// Number of the current sentence in the file, from 0.
    sentence: u64,
}

/// Information about a sentence in addition to its spans.
pub(crate) trait SentenceContext {
    /// Returns the name of a type.
    fn type_name(&self, ty: u32) -> &str;

    /// Returns the line of a span.
    fn line(&self, side: Side, span: &StoredSpan) -> u64;

    /// Returns the number of tokens, if it is known.
    fn length(&self) -> Option<usize>;

    /// Returns the tokens; None if they are not known.
    fn tokens(&self) -> Option<&Tokens>;
}

impl ErrorFinder {
    /// Creates a finder without errors.
    pub fn new(mut matcher: Box<dyn Matcher>, options: ErrorOptions) -> Self {
        matcher.resolve_ties();
        let outcomes = matcher.schema().outcomes(options.criterion);
        Self {
            matcher,
            options,
            pieces: Pieces::default(),
            found: SpanErrors::new(outcomes),
            sentence: 0,
        }
    }

    /// Returns a finder with the same options and without errors.
    pub(crate) fn empty(&self) -> Self {
        Self::new(self.matcher.boxed(), self.options.clone())
    }

    /// Appends the errors found in the next part of the file.
    pub(crate) fn append(&mut self, part: Self) {
        let most = self.options.most;
        self.found.append(part.found, self.sentence, most);
        self.sentence += part.sentence;
    }

    /// Returns the errors.
    pub fn finish(self) -> SpanErrors {
        self.found
    }

    /// Begins a pair of files; `path` names the pair if there are several.
    pub fn begin_file(&mut self, path: Option<&str>) {
        self.found.begin_file(path);
        self.sentence = 0;
    }

    /// Moves to the next sentence.
    #[inline]
    pub(crate) fn end_sentence(&mut self) {
        self.sentence += 1;
    }

    /// Finds the errors of the current sentence.
    ///
    /// # Errors
    /// [`Unmatched`].
    pub(crate) fn add(
        &mut self,
        sides: [Spans<'_>; 2],
        sentence: &dyn SentenceContext,
    ) -> Result<(), Unmatched> {
        self.pieces.0.clear();
        let [gold, pred] = sides;
        self.matcher
            .compare(&Pair::new(gold, pred), &mut self.pieces)?;
        let pieces = std::mem::take(&mut self.pieces);
        // Spans of pairs also have individual outcomes, which are not listed again.
        let mut paired = [vec![false; gold.all.len()], vec![false; pred.all.len()]];
        for Piece { event, .. } in pieces.of(self.options.criterion) {
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
        for piece in pieces.of(self.options.criterion) {
            let event = &piece.event;
            let listed = Some(event.outcome) == self.options.paired
                || !(is_paired(0, event.gold) || is_paired(1, event.pred));
            if listed && self.options.wrong.contains(&event.outcome) {
                self.keep(piece, sides, sentence);
            }
        }
        self.pieces = pieces;
        Ok(())
    }

    /// Counts an error, and keeps it unless the maximum for its kind is reached.
    fn keep(&mut self, piece: &Piece, sides: [Spans<'_>; 2], sentence: &dyn SentenceContext) {
        let event = &piece.event;
        let mut stored = |spans: Spans<'_>, index: Option<u32>| {
            let at = index? as usize;
            let span = *spans.all.get(at)?;
            let (start, end) = piece.bounds(&span);
            // A part of a span has no gaps.
            let runs = spans.runs(at).filter(|_| piece.range.is_none());
            Some(StoredSpan {
                ty: self.found.type_id(sentence.type_name(span.ty)),
                index: index?,
                start,
                end,
                tokens: runs.map(|runs| runs.iter().flat_map(|&(start, end)| start..end).collect()),
            })
        };
        let (gold, pred) = (stored(sides[0], event.gold), stored(sides[1], event.pred));
        let types = [&gold, &pred].map(|span| span.as_ref().map(|span| span.ty));
        let times = self.found.count((event.outcome, types[0], types[1]));
        if self.options.most.is_some_and(|most| times > most) {
            return;
        }
        let both = || [&gold, &pred].into_iter().flatten();
        let start = both().map(|span| span.start).min().unwrap_or(0).max(0) as usize;
        let end = both().map(|span| span.end).max().unwrap_or(0).max(0) as usize;
        let length = sentence.length();
        let first = match length {
            Some(_) => start.saturating_sub(self.options.context),
            None => 0,
        };
        let line = match (&gold, &pred) {
            (Some(span), _) => sentence.line(Side::Gold, span),
            (None, Some(span)) => sentence.line(Side::Pred, span),
            (None, None) => 0,
        };
        let error = StoredError {
            outcome: event.outcome,
            path: None,
            sentence: self.sentence,
            line,
            gold,
            pred,
            first,
            length,
        };
        let shown = first..end.saturating_add(self.options.context);
        self.found.push(error, sentence.tokens(), shown);
    }
}

/// Lists the errors of column files while they are scored.
///
/// Sentences with the same tags on both sides have no errors and are skipped, unless gold and pred
/// are in different schemes.
pub(crate) struct Listing<'a> {
    finder: &'a mut ErrorFinder,
    /// Whether sentences with equal tags are compared.
    compares_equal_tags: bool,
    /// Whether some tags of the current sentence differ.
    pub(crate) differs: bool,
    /// The tokens of the current sentence that have been read so far in gold.
    pub(crate) tokens: Tokens,
    /// Ranges of the other tokens of the sentence, in a run of identical lines. They are examined
    /// only if the tags of the sentence differ.
    pub(crate) run: Vec<Range<usize>>,
    /// Spans of gold and pred in the current sentence whose types are compared.
    spans: [Vec<Span<i64>>; 2],
    /// Buffer for the spans of one side.
    read: Vec<Span>,
}

impl<'a> Listing<'a> {
    /// Creates a listing before the first sentence of a file. Pass true for `compares_equal_tags`
    /// if gold and pred are in different schemes.
    pub(crate) fn new(finder: &'a mut ErrorFinder, compares_equal_tags: bool) -> Self {
        Self {
            finder,
            compares_equal_tags,
            differs: false,
            tokens: Tokens::default(),
            run: Vec::new(),
            spans: Default::default(),
            read: Vec::new(),
        }
    }

    /// Takes the tokens of a run at the end of a sentence, if the sentence is compared.
    #[inline]
    pub(crate) fn end_run<'b>(&mut self, bytes: impl Fn(Range<usize>) -> &'b [u8]) {
        if self.differs || self.compares_equal_tags {
            self.keep_run(bytes);
        }
    }

    /// Takes the tokens of a run.
    pub(crate) fn keep_run<'b>(&mut self, bytes: impl Fn(Range<usize>) -> &'b [u8]) {
        // A file that contains only tags has no tokens.
        for token in self.run.drain(..).filter(|token| !token.is_empty()) {
            self.tokens.push(bytes(token));
        }
    }

    /// Ends a sentence, and finds its errors if its sides differ.
    ///
    /// # Errors
    /// [`Unmatched`].
    #[inline]
    pub(crate) fn end(
        &mut self,
        reader: &Reader,
        filter: &TypeFilter,
        sides: [&Sentence; 2],
    ) -> Result<(), Unmatched> {
        if self.differs || self.compares_equal_tags {
            self.compare(reader, filter, sides)?;
            self.differs = false;
        }
        self.tokens.clear();
        self.run.clear();
        self.finder.end_sentence();
        Ok(())
    }

    /// Finds the errors of the current sentence.
    ///
    /// # Errors
    /// [`Unmatched`].
    fn compare(
        &mut self,
        reader: &Reader,
        filter: &TypeFilter,
        sides: [&Sentence; 2],
    ) -> Result<(), Unmatched> {
        let readers = [reader.gold(), reader.pred()];
        for ((spans, side_reader), side) in self.spans.iter_mut().zip(readers).zip(sides) {
            self.read.clear();
            side_reader.spans_into(&side.ids, &mut self.read);
            spans.clear();
            let kept = self.read.iter().map(|&span| Span::<i64>::from(span));
            spans.extend(kept.filter(|span| filter.counts(reader.type_name(span.ty))));
        }
        let context = ColumnContext {
            reader,
            gold: sides[0],
            tokens: &self.tokens,
        };
        let [gold, pred] = &self.spans;
        let sides = [Spans::whole(gold), Spans::whole(pred)];
        self.finder.add(sides, &context)
    }
}

/// The current sentence of the column files, as the context of its errors.
struct ColumnContext<'a> {
    reader: &'a Reader,
    gold: &'a Sentence,
    tokens: &'a Tokens,
}

impl SentenceContext for ColumnContext<'_> {
    fn type_name(&self, ty: u32) -> &str {
        self.reader.type_name(ty)
    }

    fn line(&self, _: Side, span: &StoredSpan) -> u64 {
        self.gold.line(span.start as u32)
    }

    fn length(&self) -> Option<usize> {
        Some(self.gold.ids.len())
    }

    fn tokens(&self) -> Option<&Tokens> {
        Some(self.tokens)
    }
}
