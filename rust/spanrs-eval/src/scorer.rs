//! The driver of all matchers: [`Scorer`].
//!
//! There are three ways of counting, which give the same counts:
//!
//! 1. A block of sentences (`blocks`) is counted from a histogram of tag bigrams, if the reading
//!    decides by bigrams and the tags fit into a byte ([`TagBigramCounter`]).
//! 2. A single sentence is counted in one pass over both sides ([`exact::count`]).
//! 3. Sentences of spans (`spans`) have no tags; equal sides are counted by type, other sentences
//!    are passed to the matcher.
//!
//! The first two ways are sufficient for the exact matcher. For other matchers, spans of sentences
//! whose tags are equal on both sides are counted by type and reported with [`Matcher::same`], and
//! the other sentences are passed to [`Matcher::compare`]. Counts by type stay in dense tables
//! until a document ends ([`Scorer::end_document`]) or the counts are requested.
//!
//! Memory does not grow with the number of sentences, except for the counts of documents.

use spanrs_base::Span;
use spanrs_tags::Reader;

use crate::counting_sink::{CellSink, Cells};
use crate::exact;
use crate::input::InputError;
use crate::matcher::{Matcher, Pair, Sink, Unmatched};
use crate::outcomes::{Cell, Counts, Key, PRED_LABELLED};
use crate::side::Side;
use crate::spans::Spans;
use crate::tag_bigrams::TagBigramCounter;
use crate::tag_block::TagBlock;
use crate::tag_counts::TagCounts;
use crate::type_filter::TypeFilter;
use crate::violations::Violations;

mod blocks;
mod spans;

pub use spans::TypeCells;

/// Whether sentences can be counted from tag bigrams.
#[derive(Clone, Debug)]
enum Fast {
    /// Not determined for the current reader.
    Unknown,
    /// Not possible because of the reading, a second scheme or the number of tags.
    Never,
    /// Possible, with the tables for the reader's tags.
    Bigrams(TagBigramCounter),
}

/// Scores one sentence after the other.
///
/// Sentences are lists of tag ids of one [`Reader`], which may intern new tags between sentences.
/// One pass over both sides counts tokens, violations and spans; matchers other than the exact one
/// receive only sentences whose sides differ. With [`Scorer::by_document`] a row of counts is kept
/// for each document.
///
/// A scorer belongs to one thread; other threads count into [`Scorer::part`]s, which are added in
/// order.
///
/// # Examples
///
/// ```
/// use spanrs_eval::{Exact, Scorer, Side};
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let (gold, pred) = (["B-A", "O"], ["B-A", "I-B"]);
/// let [gold, pred] = [gold, pred].map(|tags| reader.intern_all(tags).unwrap());
/// let mut scorer = Scorer::new(Box::new(Exact::default()), 10).by_document();
/// scorer.add(&reader, &gold, &pred, |_, token| 1 + u64::from(token));
/// scorer.end_document(&reader, Some("first"));
/// assert_eq!(scorer.violations(Side::Pred).first[0].line, 2);
/// assert_eq!(scorer.counts(&reader).rows().len(), 1);
/// ```
pub struct Scorer {
    matcher: Box<dyn Matcher>,
    /// Whether the matcher needs only the pass over the tags; see [`Matcher::counts_tags`].
    counts_tags: bool,
    /// Whether sentences with equal sides are compared; see [`Matcher::compares_equal_sides`].
    compares_equal_sides: bool,
    filter: TypeFilter,
    counts: Counts,
    /// Cells for the reader's types.
    cells: Cells,
    /// For each type of the reader, whether the filter keeps the type; None if not determined yet.
    kept: Vec<Option<bool>>,
    /// Index of the criterion for tokens and sentences.
    corpus: Option<u8>,
    /// Counts of tags since the last document ended.
    tags: TagCounts,
    /// For each type, the gold spans in sentences that the matcher compared since the last document
    /// ended.
    compared: Vec<u64>,
    /// Determined at the first sentence.
    fast: Fast,
    /// Work space for a single sentence as a block.
    block: TagBlock,
    buffers: Buffers,
    /// Number of sentences so far.
    sentences: u64,
    /// Number of sentences at the end of the last document.
    ended: u64,
    /// Number of documents that have ended.
    documents: u64,
    gold: Violations,
    pred: Violations,
    /// Maximum number of violations on each side whose positions are kept.
    keep: usize,
    /// Why the first failed sentence could not be matched.
    failure: Option<Unmatched>,
}

/// Work space for one sentence.
#[derive(Clone, Debug, Default)]
struct Buffers {
    /// Tag ids of gold and pred.
    ids: [Vec<u32>; 2],
    /// Spans of one side before filtering.
    read: Vec<Span>,
    /// Spans of gold and pred that the filter keeps.
    spans: [Vec<Span<i64>>; 2],
    /// Positions of violations in a block.
    malformed: Vec<usize>,
}

impl Clone for Scorer {
    fn clone(&self) -> Self {
        Self {
            matcher: self.matcher.boxed(),
            filter: self.filter.clone(),
            counts: self.counts.clone(),
            cells: self.cells.clone(),
            kept: self.kept.clone(),
            tags: self.tags.clone(),
            compared: self.compared.clone(),
            fast: self.fast.clone(),
            block: TagBlock::default(),
            buffers: Buffers::default(),
            gold: self.gold.clone(),
            pred: self.pred.clone(),
            ..*self
        }
    }
}

impl Scorer {
    /// Creates a scorer that counts all violations and keeps the positions of the first `keep` on
    /// each side.
    pub fn new(matcher: Box<dyn Matcher>, keep: usize) -> Self {
        let schema = matcher.schema();
        Self {
            filter: TypeFilter::default(),
            counts: Counts::new(schema),
            cells: Cells::new(schema),
            kept: Vec::new(),
            corpus: schema.criterion("corpus"),
            tags: TagCounts::default(),
            compared: Vec::new(),
            fast: Fast::Unknown,
            block: TagBlock::default(),
            buffers: Buffers::default(),
            sentences: 0,
            ended: 0,
            documents: 0,
            gold: Violations::default(),
            pred: Violations::default(),
            keep,
            failure: None,
            counts_tags: matcher.counts_tags(),
            compares_equal_sides: matcher.compares_equal_sides(),
            matcher,
        }
    }

    /// Keeps the counts of each document. Must be called before the first sentence.
    #[must_use]
    pub fn by_document(mut self) -> Self {
        self.counts = Counts::by_document(self.matcher.schema());
        self
    }

    /// Skips spans whose type the filter does not keep.
    #[must_use]
    pub fn with_filter(mut self, filter: TypeFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Returns whether counts are kept by document.
    pub fn has_documents(&self) -> bool {
        self.counts.has_documents()
    }

    /// Adds a sentence. `gold` and `pred` are tag ids of `reader` and have equal lengths. `line_of`
    /// returns the 1-based line of a token (0-based in the sentence); it is called only for
    /// violations that are kept.
    ///
    /// Failures of the matcher are reported by [`Scorer::check`].
    #[inline]
    pub fn add(
        &mut self,
        reader: &Reader,
        gold: &[u32],
        pred: &[u32],
        line_of: impl Fn(Side, u32) -> u64,
    ) {
        debug_assert_eq!(gold.len(), pred.len());
        if self.prepare_blocks(reader) {
            let mut block = std::mem::take(&mut self.block);
            let (g, p) = block.reserve(gold.len());
            for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(gold.iter().zip(pred)) {
                (*g, *p) = (*gold as u8, *pred as u8);
            }
            block.end(gold.len());
            self.add_block(reader, &mut block, |side, _, token| line_of(side, token));
            self.block = block;
            return;
        }
        let ids = [gold, pred].map(|side| side.iter().copied());
        self.add_sentence(reader, ids, line_of);
    }

    /// Adds a sentence by walking both sides.
    #[inline]
    fn add_sentence(
        &mut self,
        reader: &Reader,
        [gold, pred]: [impl Iterator<Item = u32> + Clone; 2],
        line_of: impl Fn(Side, u32) -> u64,
    ) {
        let seen = exact::count(&mut self.tags, reader, gold.clone(), pred.clone());
        let compares_equal = self.compares_equal_sides || reader.has_two_schemes();
        if !self.counts_tags && (compares_equal || !gold.clone().eq(pred.clone())) {
            self.compare(reader, [gold.clone(), pred.clone()]);
        }
        let line = |side| {
            let line_of = &line_of;
            move |token| line_of(side, token)
        };
        let [gold_ids, pred_ids] = &mut self.buffers.ids;
        if seen.gold || !reader.gold().walk_sees_violations() {
            gold_ids.clear();
            gold_ids.extend(gold);
            let (before, number) = (self.gold.count, self.sentences);
            self.gold
                .add(reader.gold(), gold_ids, number, self.keep, line(Side::Gold));
            self.tags.corpus.gold_violations += self.gold.count - before;
        }
        if seen.pred || !reader.pred().walk_sees_violations() {
            pred_ids.clear();
            pred_ids.extend(pred);
            let (before, number) = (self.pred.count, self.sentences);
            self.pred
                .add(reader.pred(), pred_ids, number, self.keep, line(Side::Pred));
            self.tags.corpus.pred_violations += self.pred.count - before;
        }
        self.sentences += 1;
    }

    /// Passes a sentence with different sides to the matcher.
    fn compare(&mut self, reader: &Reader, sides: [impl Iterator<Item = u32>; 2]) {
        // The counts are discarded after a failure.
        if self.failure.is_some() {
            return;
        }
        let Buffers {
            ids, read, spans, ..
        } = &mut self.buffers;
        let readers = [reader.gold(), reader.pred()];
        for (((side, reader_of_side), ids), spans) in
            sides.into_iter().zip(readers).zip(ids).zip(&mut *spans)
        {
            ids.clear();
            ids.extend(side);
            read.clear();
            reader_of_side.spans_into(ids, read);
            spans.clear();
            for span in &*read {
                if is_kept(&mut self.kept, &self.filter, reader, span.ty) {
                    spans.push((*span).into());
                }
            }
        }
        let [gold, pred] = spans;
        for span in &*gold {
            let ty = span.ty as usize;
            if self.compared.len() <= ty {
                self.compared.resize(ty + 1, 0);
            }
            self.compared[ty] += 1;
        }
        let mut sink = CellSink {
            counts: &mut self.counts,
            cells: &mut self.cells,
            gold,
            pred,
            name: &|ty| reader.type_name(ty).to_owned(),
        };
        let pair = Pair::new(Spans::whole(gold), Spans::whole(pred));
        if let Err(failure) = self.matcher.compare(&pair, &mut sink) {
            self.failure.get_or_insert(failure);
        }
    }

    /// Registers tags that are new in the reader, and returns whether sentences may be added in
    /// blocks: the reading allows it, both sides are in one scheme, and the reader has at most
    /// [`TagBlock::TAGS`] tags.
    #[inline]
    pub fn prepare_blocks(&mut self, reader: &Reader) -> bool {
        if let Fast::Bigrams(fast) = &mut self.fast
            && fast.fits(reader)
        {
            return true;
        }
        !matches!(self.fast, Fast::Never) && self.find_fast(reader)
    }

    /// Determines whether tag bigrams can be counted; moves earlier counts first.
    #[cold]
    fn find_fast(&mut self, reader: &Reader) -> bool {
        // There is no counter yet, or its tables are too small for the tags.
        self.flush_fast(reader);
        self.fast = if reader.has_two_schemes() {
            Fast::Never
        } else {
            TagBigramCounter::new(reader).map_or(Fast::Never, Fast::Bigrams)
        };
        matches!(self.fast, Fast::Bigrams(_))
    }

    /// Returns the matcher.
    pub fn matcher(&self) -> &dyn Matcher {
        &*self.matcher
    }

    /// Returns the filter of types.
    pub fn filter(&self) -> &TypeFilter {
        &self.filter
    }

    /// Adds `n` to one of the totals of the corpus: an outcome of
    /// [`CORPUS`](crate::outcomes::CORPUS). Directly after the end of a document, `n` is added to
    /// that document.
    pub fn add_to_corpus(&mut self, outcome: u8, n: u64) {
        let Some(criterion) = self.corpus.filter(|_| n > 0) else {
            return;
        };
        let cell = self.counts.cell(corpus_cell(criterion, outcome));
        if self.sentences > self.ended || !self.counts.has_documents() {
            self.counts.add(cell, n);
            return;
        }
        let last = self.counts.rows().len().checked_sub(1);
        let last = last.and_then(|last| self.counts.row(last));
        // Without documents there is no row to add to.
        let Some(key) = last.map(|row| row.key.clone()) else {
            return;
        };
        self.counts.reopen_document();
        self.counts.add(cell, n);
        self.counts.end_document(key);
    }

    /// Returns an empty scorer with the same options, for [`Scorer::add_part`]. The tables of tag
    /// bigrams, which are expensive to build, are moved to the new scorer.
    #[must_use]
    pub fn part(&mut self, reader: &Reader) -> Self {
        self.flush_fast(reader);
        let mut part = Self::new(self.matcher.boxed(), self.keep).with_filter(self.filter.clone());
        // Building the tables is more expensive than counting a document.
        part.fast = std::mem::replace(&mut self.fast, Fast::Unknown);
        if self.has_documents() {
            part.by_document()
        } else {
            part
        }
    }

    /// Moves all counts that depend on the ids of the previous reader, so that another reader can
    /// be used.
    pub fn change_reader(&mut self, before: &Reader) {
        self.flush(before);
        self.fast = Fast::Unknown;
        self.cells.clear();
        self.kept.clear();
    }

    /// Adds the counts of a part, whose sentences follow the sentences of this scorer.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::{Exact, Scorer};
    /// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
    /// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
    /// let ids = reader.intern_all(["B-A", "O"]).unwrap();
    /// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
    /// let mut part = scorer.part(&reader);
    /// part.add(&reader, &ids, &ids, |_, _| 0);
    /// scorer.add_part(part, &reader);
    /// assert_eq!(scorer.position(), (1, 1));
    /// ```
    pub fn add_part(&mut self, mut part: Self, reader: &Reader) {
        self.flush(reader);
        part.flush(reader);
        self.fast = std::mem::replace(&mut part.fast, Fast::Unknown);
        let shift = self.documents;
        if self.counts.append(part.counts, shift) {
            self.cells = part.cells;
        }
        self.documents += part.documents;
        self.ended = match part.documents {
            0 => self.ended,
            _ => self.sentences + part.ended,
        };
        self.gold.append(part.gold, self.sentences, self.keep);
        self.pred.append(part.pred, self.sentences, self.keep);
        self.sentences += part.sentences;
        self.failure = self.failure.or(part.failure);
    }

    /// Moves the counts of tag bigrams to the counts of tags.
    fn flush_fast(&mut self, reader: &Reader) {
        if let Fast::Bigrams(fast) = &mut self.fast {
            fast.take(&mut self.tags, reader.types().len());
        }
    }

    /// Moves the counts of tags to the cells of the counts.
    fn flush(&mut self, reader: &Reader) {
        self.flush_fast(reader);
        let mut sink = CellSink {
            counts: &mut self.counts,
            cells: &mut self.cells,
            gold: &[],
            pred: &[],
            name: &|ty| reader.type_name(ty).to_owned(),
        };
        let counts_tags = self.counts_tags;
        for ty in self.tags.touched.drain(..) {
            let of_type = std::mem::take(&mut self.tags.types[ty as usize]);
            let compared = self.compared.get_mut(ty as usize).map_or(0, std::mem::take);
            if of_type == Default::default() || !is_kept(&mut self.kept, &self.filter, reader, ty) {
                continue;
            }
            if counts_tags {
                exact::emit(ty, of_type, &mut sink);
            } else if of_type.gold > compared {
                self.matcher.same(ty, of_type.gold - compared, &mut sink);
            }
        }
        for ((gold, pred), n) in std::mem::take(&mut self.tags.confused) {
            let both = [gold, pred];
            if counts_tags
                && both
                    .iter()
                    .all(|&ty| is_kept(&mut self.kept, &self.filter, reader, ty))
            {
                sink.count(exact::mistyped(gold, pred), n);
            }
        }
        let corpus = std::mem::take(&mut self.tags.corpus);
        if let Some(criterion) = self.corpus {
            for (outcome, n) in (0..).zip(corpus.numbers()) {
                if n > 0 {
                    sink.count(corpus_cell(criterion, outcome), n);
                }
            }
        }
    }

    /// Ends the current document; its key is `name` or, without one, its 0-based number. Does
    /// nothing if no sentence was added since the last document ended.
    pub fn end_document(&mut self, reader: &Reader, name: Option<&str>) {
        self.flush(reader);
        if self.sentences == self.ended {
            return;
        }
        self.ended = self.sentences;
        let key = name.map_or(Key::Number(self.documents), |name| Key::Name(name.into()));
        self.documents += 1;
        self.counts.end_document(key);
    }

    /// Returns the number of sentences, and the number of sentences after the end of the last
    /// document.
    pub fn position(&self) -> (u64, u64) {
        (self.sentences, self.sentences - self.ended)
    }

    /// Continues with stored counts of `sentences` sentences, of which the last `open` belong to a
    /// document that has not ended. Earlier violations are unknown.
    pub fn resume(&mut self, mut counts: Counts, sentences: u64, open: u64) {
        self.documents = counts.rows().len() as u64;
        if open > 0 && self.documents > 0 {
            counts.reopen_document();
            self.documents -= 1;
        }
        self.counts = counts;
        self.cells.clear();
        self.sentences = sentences;
        self.ended = sentences.saturating_sub(open);
    }

    /// Returns the counts so far. If documents are kept, sentences after the end of the last
    /// document are a separate document.
    pub fn counts(&mut self, reader: &Reader) -> Counts {
        self.flush(reader);
        let counts = self.counts.clone();
        self.closed(counts)
    }

    /// Same as [`Scorer::counts`], without a copy: the scorer is reset to 0 but keeps its
    /// violations.
    pub fn take_counts(&mut self, reader: &Reader) -> Counts {
        self.flush(reader);
        let schema = self.matcher.schema();
        let empty = match self.has_documents() {
            true => Counts::by_document(schema),
            false => Counts::new(schema),
        };
        let counts = std::mem::replace(&mut self.counts, empty);
        let counts = self.closed(counts);
        self.cells.clear();
        (self.sentences, self.ended, self.documents) = (0, 0, 0);
        counts
    }

    /// Ends the open document of `counts`, if there is one.
    fn closed(&self, mut counts: Counts) -> Counts {
        if self.sentences > self.ended {
            counts.end_document(Key::Number(self.documents));
        }
        counts
    }

    /// Returns why the first failed sentence could not be matched.
    pub fn failure(&self) -> Option<Unmatched> {
        self.failure
    }

    /// Returns [`Scorer::failure`] as an error.
    ///
    /// # Errors
    /// [`InputError::Unmatched`] (with sentence 0), or [`InputError::Interrupted`].
    pub fn check(&self) -> Result<(), InputError> {
        match self.failure {
            None => Ok(()),
            Some(Unmatched::Stopped) => Err(InputError::Interrupted),
            Some(error) => Err(InputError::Unmatched { sentence: 0, error }),
        }
    }

    /// Returns the violations of a side.
    pub fn violations(&self, side: Side) -> &Violations {
        match side {
            Side::Gold => &self.gold,
            Side::Pred => &self.pred,
        }
    }

    /// Returns the number of tokens of pred whose tag is not `O`.
    pub fn labelled_in_pred(&mut self, reader: &Reader) -> u64 {
        self.flush(reader);
        self.corpus.map_or(0, |criterion| {
            let cell = self.counts.cell(corpus_cell(criterion, PRED_LABELLED));
            self.counts.total(cell)
        })
    }
}

/// Returns the cell of an outcome of the corpus criterion.
fn corpus_cell(criterion: u8, outcome: u8) -> Cell {
    Cell::new(criterion, outcome, None, None)
}

/// Returns whether the filter keeps a type of the reader; the filter is called once per type.
#[inline]
fn is_kept(kept: &mut Vec<Option<bool>>, filter: &TypeFilter, reader: &Reader, ty: u32) -> bool {
    let at = ty as usize;
    if kept.len() <= at {
        kept.resize(at + 1, None);
    }
    *kept[at].get_or_insert_with(|| filter.counts(reader.type_name(ty)))
}
